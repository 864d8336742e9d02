/*
 * cms_accuracy.c - how far off is cms? By the core alone, beside a plain Count-Min sketch.
 *
 *     cms_accuracy WIDTH DEPTH ROWS
 *
 * Counts the rows of zipf.h with the exponent 1, in each order, in two ways: all into one sketch of
 * that shape; and 64 parts of the rows, one after the other, whose packed sketches are merged. Of
 * each prints a line:
 *
 *     ORDER WAY bytes error plain best best-depth top plain-top best-top exact below beyond
 *
 * bytes of the packed sketch with the length word; error is the mean of estimate - truth over all
 * keys there were rows of; plain that of a plain sketch of the same depth, with counters of 4 bytes
 * in as many bytes; best that of a plain one of the depth from 1 to 8 where it is least; top and
 * the next two are the same over the 1,000 most frequent keys (the best depth is chosen anew
 * there); exact is how many of these have the true count. below is the number of keys, of all,
 * whose estimate is less than the truth, and beyond the share of them whose estimate exceeds the
 * truth by more than the sketch says.
 */
#include "core/cms/cms.h"
#include "core/common/hash.h"
#include "zipf.h"

#define EXPONENT 1.0
#define PARTS 64
#define TOP 1000
#define DEPTHS 8

/* ---- cms ---- */

static SketchState
sketch_of(const uint32_t *keys, size_t n, CmsShape shape)
{
    SketchState state = cms_new(shape, &memory);

    for (size_t i = 0; i < n; i++) {
        SketchState before = state;
        SketchError error;

        if (cms_add(state, hash_int64(keys[i])))
            continue;
        if (!cms_insert(&state, hash_int64(keys[i]), 1, &memory, &error))
            fail(error.reason);
        drop_replaced(before, &state);
    }
    return state;
}

static SketchBytes
pack(SketchState state)
{
    SketchBytes packed = cms_ops.pack(sketch_bytes(state), &memory);

    heap_release_value(state.data, NULL);
    return packed;
}

static SketchBytes
merged_sketch_of(const uint32_t *keys, size_t n, CmsShape shape)
{
    SketchState state = cms_new(shape, &memory);

    for (size_t part = 0; part < PARTS; part++) {
        size_t first = n * part / PARTS, last = n * (part + 1) / PARTS;
        SketchBytes packed = pack(sketch_of(keys + first, last - first, shape));
        SketchState before = state;
        SketchError error;

        if (!cms_ops.merge(&state, packed, &memory, &error))
            fail(error.reason);
        drop_replaced(before, &state);
        heap_release_value((uint8_t *)packed.data, NULL);
    }
    return pack(state);
}

/* ---- a plain sketch ---- */

typedef struct Errors {
    double all, top;
} Errors;

/* Every row of it counts; the order of keys makes no difference. */
static Errors
plain_errors(const Rows *rows, size_t bytes, uint32_t depth)
{
    uint32_t width = (uint32_t)(bytes / sizeof(uint32_t) / depth), keys = 0;
    uint32_t *cells = calloc((size_t)width * depth, sizeof *cells);
    Errors errors = {0, 0};

    if (!cells)
        fail("out of memory");
    for (uint32_t key = 0; key < KEYS; key++)
        for (uint32_t row = 0; row < depth; row++)
            cells[row * width + splitmix64(((uint64_t)row + 1) << 32 | key) % width] +=
                rows->counts[key];
    for (uint32_t i = 0; i < KEYS && rows->counts[rows->ranked[i]] > 0; i++, keys++) {
        uint32_t key = rows->ranked[i], least = UINT32_MAX;

        for (uint32_t row = 0; row < depth; row++) {
            uint32_t cell =
                cells[row * width + splitmix64(((uint64_t)row + 1) << 32 | key) % width];

            least = cell < least ? cell : least;
        }
        errors.all += least - rows->counts[key];
        errors.top += i < TOP ? least - rows->counts[key] : 0;
    }
    errors.all /= keys;
    errors.top /= TOP;
    free(cells);
    return errors;
}

/* ---- what is asked for ---- */

static void
judge(const char *order, const char *way, SketchBytes packed, const Rows *rows)
{
    uint64_t bound = cms_error(packed);
    size_t bytes = packed.size + SKETCH_PREFIX_BYTES;
    Errors errors = {0, 0}, plain = plain_errors(rows, bytes, cms_shape(packed).depth),
           best = plain;
    uint32_t keys = 0, exact = 0, below = 0, beyond = 0, depth = cms_shape(packed).depth;

    if (cms_total(packed) != rows->n)
        fail("a total is not the number of rows");
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t key = rows->ranked[i];
        uint64_t truth = rows->counts[key], estimate = cms_query(packed, hash_int64(key));

        below += estimate < truth;
        beyond += estimate > truth + bound;
        exact += i < TOP && estimate == truth;
        if (truth == 0)
            continue;
        keys++;
        errors.all += (double)(estimate - truth);
        errors.top += i < TOP ? (double)(estimate - truth) : 0;
    }
    for (uint32_t d = 1; d <= DEPTHS; d++) {
        Errors other = plain_errors(rows, bytes, d);

        if (other.all < best.all) {
            best.all = other.all;
            depth = d;
        }
        best.top = other.top < best.top ? other.top : best.top;
    }
    printf("%s %s %zu %.9g %.9g %.9g %" PRIu32 " %.9g %.9g %.9g %" PRIu32 " %" PRIu32 " %.9g\n",
           order, way, bytes, errors.all / keys, plain.all, best.all, depth, errors.top / TOP,
           plain.top, best.top, exact, below, (double)beyond / KEYS);
    heap_release_value((uint8_t *)packed.data, NULL);
}

int
main(int argc, char **argv)
{
    CmsShape shape;
    SketchError error;
    Rows rows;

    if (argc != 4 || !cms_shape_of_size(atoi(argv[1]), atoi(argv[2]), &shape, &error))
        fail("usage: cms_accuracy WIDTH DEPTH ROWS");
    rows = zipf_rows(EXPONENT, number_of_rows(argv[3]));
    for (int order = 0; order < ORDERS; order++) {
        uint32_t *keys = rows_in_order(&rows, order);

        judge(order_names[order], "serial", pack(sketch_of(keys, rows.n, shape)), &rows);
        judge(order_names[order], "merged", merged_sketch_of(keys, rows.n, shape), &rows);
        free(keys);
    }
    free(rows.keys);
    free(rows.counts);
    free(rows.ranked);
    return 0;
}
