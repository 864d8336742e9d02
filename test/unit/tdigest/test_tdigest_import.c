/*
 * test_tdigest_import.c - other systems' sketches: what becomes of good ones, and every cut and
 * flipped bit of them.
 */
#include "core/common/bytes.h"

#include "../digest.h"
#include "../foreign_digest.h"

#define ROOM (1 << 16)

static uint8_t bytes[ROOM], nested[ROOM];
static SketchError error;

static const TdigestCentroid centroids[] = {{-3, 1}, {1.5, 4}, {2.25, 100}, {7, 2}, {20, 1}};
#define CENTROIDS ((uint32_t)(sizeof centroids / sizeof centroids[0]))

typedef enum Form {
    DATASKETCHES_DOUBLE,
    DATASKETCHES_FLOAT,
    DATASKETCHES_BUFFER,
    KLL_DOUBLE,
    KLL_FLOAT,
    KLL_LONG,
    KLL_UPDATABLE,
    DUNNING_VERBOSE,
    DUNNING_SMALL,
    AVL_VERBOSE,
    AVL_SMALL,
    EXTENSION,
    EXTENSION_TEXT,
    EXTENSION_JSON,
    DDSKETCH_ROW,
    DDSKETCH_MAP,
    FORMS
} Form;

static Foreign
good_one(Form form)
{
    static const double buffered[] = {4, -3, 19};
    static const uint32_t sizes[] = {3, 0, 2};
    static const double items[] = {5, 1, 9, 2, 8};    /* level zero need not be in order, */
    static const double in_order[] = {1, 5, 9, 2, 8}; /* unless it is said to be */
    static const double counts[] = {1, 0, 2.6, 3};
    Foreign f = {bytes, 0};

    switch (form) {
    case DATASKETCHES_DOUBLE:
    case DATASKETCHES_FLOAT:
        foreign_datasketches(&f, form == DATASKETCHES_FLOAT ? 4 : 8, 100, centroids, CENTROIDS,
                             NULL, 0, -3, 20);
        break;
    case DATASKETCHES_BUFFER:
        foreign_datasketches(&f, 8, 100, centroids, CENTROIDS, buffered, 3, -3, 20);
        break;
    case KLL_DOUBLE:
        foreign_kll(&f, TDIGEST_ITEM_DOUBLE, 3, sizes, items, 7, false, 0.5, 9);
        bytes[3] = 0;
        break;
    case KLL_FLOAT:
    case KLL_LONG:
        foreign_kll(&f, form == KLL_FLOAT ? TDIGEST_ITEM_FLOAT : TDIGEST_ITEM_LONG, 3, sizes,
                    in_order, 7, false, 1, 9);
        break;
    case KLL_UPDATABLE:
        foreign_kll(&f, TDIGEST_ITEM_DOUBLE, 3, sizes, in_order, 7, true, 0.5, 9);
        break;
    case DUNNING_VERBOSE:
    case DUNNING_SMALL:
        foreign_dunning(&f, form == DUNNING_SMALL, 100, centroids, CENTROIDS, -3, 20);
        break;
    case AVL_VERBOSE:
    case AVL_SMALL:
        foreign_avl(&f, form == AVL_SMALL, 100, centroids, CENTROIDS, -3, 20);
        break;
    case EXTENSION:
        foreign_extension(&f, 1, 100, centroids, CENTROIDS);
        break;
    case EXTENSION_TEXT:
    case EXTENSION_JSON:
        foreign_text(&f, form == EXTENSION_JSON, 100, centroids, CENTROIDS);
        break;
    default:
        foreign_ddsketch(&f, 1.5, 0, -1, counts, 4, form == DDSKETCH_MAP, 2, nested);
        break;
    }
    return f;
}

static bool
import(Form form, SketchBytes input, SketchBytes *value)
{
    switch (form) {
    case DATASKETCHES_DOUBLE:
    case DATASKETCHES_FLOAT:
    case DATASKETCHES_BUFFER:
        return tdigest_from_datasketches(input, &memory, value, &error);
    case KLL_DOUBLE:
    case KLL_UPDATABLE:
        return tdigest_from_kll(input, TDIGEST_ITEM_DOUBLE, &memory, value, &error);
    case KLL_FLOAT:
        return tdigest_from_kll(input, TDIGEST_ITEM_FLOAT, &memory, value, &error);
    case KLL_LONG:
        return tdigest_from_kll(input, TDIGEST_ITEM_LONG, &memory, value, &error);
    case DUNNING_VERBOSE:
    case DUNNING_SMALL:
    case AVL_VERBOSE:
    case AVL_SMALL:
        return tdigest_from_dunning(input, &memory, value, &error);
    case EXTENSION:
        return tdigest_from_extension(input, &memory, value, &error);
    case EXTENSION_TEXT:
    case EXTENSION_JSON:
        return tdigest_from_extension_text(input, &memory, value, &error);
    default:
        return tdigest_from_ddsketch(input, &memory, value, &error);
    }
}

/* Reads from memory of exactly the size. A refusal must have a reason and keep no memory. */
static bool
imported(Form form, const uint8_t *data, size_t size, SketchBytes *value)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    memory_used.largest = 0;
    good = import(form, (SketchBytes){exact.data, exact.size}, value);
    free(exact.data);
    expect(memory_used.largest <= 4 * size + 400000 && memory_used.pieces == before + good,
           "form %d: %zu bytes took %zu", form, size, memory_used.largest);
    if (!good)
        expect((error.status == SKETCH_MALFORMED || error.status == SKETCH_OVERFLOW) &&
                   error.reason,
               "form %d: refused without a reason", form);
    return good;
}

static void
check_import(Form form, unsigned compression, const TdigestCentroid *list, uint32_t count)
{
    Foreign f = good_one(form);
    SketchBytes value;
    Tdigest digest;

    if (!imported(form, f.data, f.size, &value)) {
        expect(false, "form %d: %s", form, error.reason);
        return;
    }
    digest = digest_read(value);
    expect(digest.compression == compression && digest.count == count && digest_canonical(value),
           "form %d: compression %u, %u centroids", form, digest.compression, digest.count);
    for (uint32_t i = 0; i < count && i < digest.count; i++)
        expect(fabs(digest.centroids[i].mean - list[i].mean) < 1e-12 &&
                   digest.centroids[i].weight == list[i].weight,
               "form %d: centroid %u: %.17g, weight %llu", form, i, digest.centroids[i].mean,
               (unsigned long long)digest.centroids[i].weight);
    digest_close(&digest);
    release_bytes(value);
}

static void
test_good(void)
{
    static const TdigestCentroid buffered[] = {{-3, 1}, {-3, 1}, {1.5, 4}, {2.25, 100},
                                               {4, 1},  {7, 2},  {19, 1},  {20, 1}};
    /* The least value takes the place of the first item, of weight 1. */
    static const TdigestCentroid items[] = {{0.5, 1}, {2, 4}, {5, 1}, {8, 4}, {9, 1}};
    static const TdigestCentroid whole[] = {{1, 1}, {2, 4}, {5, 1}, {8, 4}, {9, 1}};

    check_import(DATASKETCHES_DOUBLE, 100, centroids, CENTROIDS);
    check_import(DATASKETCHES_FLOAT, 100, centroids, CENTROIDS);
    check_import(DATASKETCHES_BUFFER, 100, buffered, 8);
    check_import(KLL_DOUBLE, 200, items, 5);
    check_import(KLL_FLOAT, 200, whole, 5);
    check_import(KLL_LONG, 200, whole, 5);
    check_import(KLL_UPDATABLE, 200, items, 5);
    check_import(DUNNING_VERBOSE, 100, centroids, CENTROIDS);
    check_import(DUNNING_SMALL, 100, centroids, CENTROIDS);
    check_import(AVL_VERBOSE, 100, centroids, CENTROIDS);
    check_import(AVL_SMALL, 100, centroids, CENTROIDS);
    check_import(EXTENSION, 100, centroids, CENTROIDS);
    check_import(EXTENSION_TEXT, 100, centroids, CENTROIDS);
    check_import(EXTENSION_JSON, 100, centroids, CENTROIDS);
    conclude("every form gives its centroids, at its compression");
}

/* The short forms: no values, and one. */
static void
test_short(void)
{
    static const uint8_t none[] = {1, 1, 20, 100, 0, 1, 0, 0},
                         kll_none[] = {2, 1, 15, 1, 200, 0, 8, 0};
    const double item = 2.5;
    uint8_t one[16] = {1, 1, 20, 100, 0, 2, 0, 0}, kll_one[16] = {2, 2, 15, 4, 200, 0, 8, 0};
    SketchBytes value;

    store_le_double(one + 8, item);
    store_le_double(kll_one + 8, item);
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *data = i == 0 ? none : i == 1 ? kll_none : i == 2 ? one : kll_one;
        Form form = i % 2 ? KLL_DOUBLE : DATASKETCHES_DOUBLE;

        if (imported(form, data, i < 2 ? 8 : 16, &value)) {
            Tdigest digest = digest_read(value);

            expect(digest.weight == i / 2 && (i < 2 || tdigest_min(&digest) == 2.5), "form %d",
                   form);
            digest_close(&digest);
            release_bytes(value);
        } else
            expect(false, "form %d: %s", form, error.reason);
        expect(!imported(form, data, i < 2 ? 7 : 15, &value) &&
                   !imported(form, data, i < 2 ? 8 - 1 : 12 + 1, &value),
               "form %d, another length", form);
    }
    conclude("none, and one");
}

/* Bins of gamma 1.5 are wide: their values are spread from one bound to the other. */
static void
test_ddsketch(void)
{
    for (Form form = DDSKETCH_ROW; form <= DDSKETCH_MAP; form++) {
        Foreign f = good_one(form);
        SketchBytes value;
        Tdigest digest;
        double low = pow(1.5, 2 - 0.25), high = pow(1.5, 3 - 0.25), far;

        if (!imported(form, f.data, f.size, &value)) {
            expect(false, "form %d: %s", form, error.reason);
            continue;
        }
        digest = digest_read(value);
        far = (low * 5 + high * 1) / 6;
        /* 1, 3 and 3 on either side, and two zeros. */
        expect(digest.weight == 16 && digest.count == 15 && digest_canonical(value),
               "form %d: weight %llu in %u", form, (unsigned long long)digest.weight, digest.count);
        expect(digest.centroids[7].mean == 0 && digest.centroids[7].weight == 2, "zeros");
        expect(fabs(digest.centroids[12].mean - far) < 1e-12 &&
                   digest.centroids[2].mean == -digest.centroids[12].mean,
               "form %d: %.17g, not %.17g", form, digest.centroids[12].mean, far);
        expect(fabs(digest.centroids[8].mean - pow(1.5, -1.25) * 2 * 1.5 / 2.5) < 1e-12,
               "form %d: a single value %.17g", form, digest.centroids[8].mean);
        digest_close(&digest);
        release_bytes(value);
    }
    conclude("DDSketch: bins of either sign, zeros, as a map and as a row");
}

/* The approximate logarithm of each interpolation, to base 2. */
static double
approximate_log(double value, unsigned interpolation)
{
    int exponent;
    double s = 2 * frexp(value, &exponent);

    exponent--;
    if (interpolation == 0)
        return log2(value);
    if (interpolation == 1)
        return exponent + s - 1;
    if (interpolation == 2)
        return exponent + ((6 - s) * s - 5) / 3;
    return exponent + ((6.0 / 35 * (s - 1) - 3.0 / 5) * (s - 1) + 10.0 / 7) * (s - 1);
}

/* A value from each bin, narrow ones of gamma 1.02, belongs into this bin. Bytes: a checksum. */
static void
test_interpolations(void)
{
    static const double counts[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    enum { BINS = sizeof counts / sizeof counts[0] };
    uint64_t sum = 0;

    for (unsigned interpolation = 0; interpolation <= 3; interpolation++)
        for (int first = -300; first <= 300; first += 50) {
            Foreign f = {bytes, 0};
            SketchBytes value;
            Tdigest digest;

            foreign_ddsketch(&f, 1.02, interpolation, first, counts, BINS, false, 0, nested);
            if (!imported(DDSKETCH_ROW, f.data, f.size, &value)) {
                expect(false, "interpolation %u: %s", interpolation, error.reason);
                continue;
            }
            digest = digest_read(value);
            expect(digest.count == 2 * BINS, "interpolation %u: %u", interpolation, digest.count);
            for (int i = 0; i < BINS && digest.count == 2 * BINS; i++) {
                double here = digest.centroids[BINS + i].mean;
                double bin = approximate_log(here, interpolation) / log2(1.02) + 0.25;

                expect((int)floor(bin) == first + i && digest.centroids[BINS - 1 - i].mean == -here,
                       "interpolation %u, bin %d: %.17g is in %g", interpolation, first + i, here,
                       bin);
            }
            for (size_t i = 0; i < value.size; i++)
                sum = sum * 31 + value.data[i];
            digest_close(&digest);
            release_bytes(value);
        }
    conclude("DDSketch: bins of every interpolation");
    expect(sum == UINT64_C(0x907ce183958f8ef6), "%#llx", (unsigned long long)sum);
    conclude("and their bytes are the same on every platform");
}

static void
expect_refused(Form form, Foreign f, const char *reason)
{
    SketchBytes value;

    if (imported(form, f.data, f.size, &value)) {
        expect(false, "form %d: not \"%s\"", form, reason);
        release_bytes(value);
    } else
        expect(strcmp(error.reason, reason) == 0, "form %d: %s", form, error.reason);
}

static void
test_refused(void)
{
    static const TdigestCentroid unsound[] = {{-3, 1}, {NAN, 4}, {7, 2}};
    static const TdigestCentroid back[] = {{-3, 1}, {7, 4}, {2, 2}, {9, 2}};
    static const TdigestCentroid far[] = {{-3, 1}, {2, 4}, {30, 2}, {20, 1}};
    static const double counts[] = {1}, no_number[] = {NAN};
    static const double weights[] = {0, 0.5, 1.5, -1, 0x1p53 + 2, 0x1p64, INFINITY, NAN};
    static const char zero[] = "{\"count\": 0, \"flags\": 1, \"compression\": 100, "
                               "\"centroids\": 1, \"mean\": [1], \"count\": [1]}";
    Foreign f = {bytes, 0};

    foreign_datasketches(&f, 8, 100, unsound, 3, NULL, 0, -3, 7);
    expect_refused(DATASKETCHES_DOUBLE, f, "A value is not a finite number");
    f.size = 0;
    foreign_datasketches(&f, 8, 100, centroids, CENTROIDS, no_number, 1, -3, 20);
    expect_refused(DATASKETCHES_BUFFER, f, "A value is not a finite number");
    f.size = 0;
    foreign_dunning(&f, false, 100, far, 3, -3, 20);
    expect_refused(DUNNING_VERBOSE, f, "Values are below the minimum or above the maximum");
    for (unsigned small = 0; small < 2; small++) {
        f.size = 0;
        foreign_dunning(&f, small, 100, back, 4, -3, 20);
        expect_refused(small ? DUNNING_SMALL : DUNNING_VERBOSE, f,
                       "Means are not in ascending order");
    }
    /* The weight of the first centroid, behind the header of 32 bytes. */
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        Foreign first = {bytes, 32};

        f.size = 0;
        foreign_dunning(&f, false, 100, centroids, CENTROIDS, -3, 20);
        foreign_number(&first, weights[i], 8, true);
        expect_refused(DUNNING_VERBOSE, f, "A weight is not whole");
    }
    f.size = 0;
    foreign_ddsketch(&f, 1.5, 0, 0, counts, 1, false, -1, nested);
    expect_refused(DDSKETCH_ROW, f, "A count is out of range");
    f.size = 0;
    foreign_ddsketch(&f, 0.5, 0, 0, counts, 1, false, 0, nested);
    expect_refused(DDSKETCH_ROW, f, "Gamma or offset out of range");
    /* Wire types that are no more, or never were. */
    for (unsigned wire = 3; wire < 8; wire++) {
        if (wire == 5)
            continue;
        f = good_one(DDSKETCH_MAP);
        foreign_varint(&f, 9 << 3 | wire);
        expect_refused(DDSKETCH_MAP, f, "Not a message of DDSketch");
    }
    f = (Foreign){bytes, sizeof zero - 1};
    memcpy(bytes, zero, f.size);
    expect_refused(EXTENSION_JSON, f, "Count and centroids do not add up");
    for (uint32_t offset = 1; offset <= 1000; offset += 999) { /* items end at 5 of 7, and 12 */
        f = good_one(KLL_DOUBLE);
        store_le32(bytes + 24, offset); /* below the first level, and past the last item */
        expect_refused(KLL_DOUBLE, f, "Levels are out of order");
    }
    conclude("refused, each for its reason");
}

/* The least that is allowed: no centroids, and a compression of 1. */
static void
test_least(void)
{
    Foreign f = {bytes, 0};
    SketchBytes value;

    foreign_extension(&f, 1, 100, centroids, 0);
    if (imported(EXTENSION, f.data, f.size, &value)) {
        expect(tdigest_weight(value) == 0, "weight");
        release_bytes(value);
    } else
        expect(false, "empty: %s", error.reason);
    f.size = 0;
    foreign_dunning(&f, false, 1, centroids, CENTROIDS, -3, 20);
    if (imported(DUNNING_VERBOSE, f.data, f.size, &value)) {
        expect(tdigest_weight(value) == 108, "weight");
        release_bytes(value);
    } else
        expect(false, "compression 1: %s", error.reason);
    conclude("no centroids, and the least compression");
}

/* At a compression too low for them the extension keeps more centroids than we would: all stay. */
static void
test_extension_keeps_all(void)
{
    static TdigestCentroid many[1000];

    for (unsigned i = 0; i < 1000; i++)
        many[i] = (TdigestCentroid){i, 1 + i % 500 * (uint64_t)(999 - i)};
    for (uint32_t count = 18; count <= 1000; count += 982) {
        Foreign f = {bytes, 0};
        SketchBytes value;
        Tdigest digest;

        foreign_extension(&f, 1, 10, many, count);
        if (!imported(EXTENSION, f.data, f.size, &value)) {
            expect(false, "%u centroids: %s", count, error.reason);
            continue;
        }
        digest = digest_read(value);
        expect(digest_canonical(value) && digest.count == count &&
                   digest.compression >= count * 4 / 3 && digest.compression <= count * 2,
               "%u of %u centroids, compression %u", digest.count, count, digest.compression);
        for (uint32_t i = 0; i < digest.count; i++)
            expect(digest.centroids[i].mean == many[i].mean &&
                       digest.centroids[i].weight == many[i].weight,
                   "centroid %u of %u", i, count);
        digest_close(&digest);
        release_bytes(value);
    }
    conclude("the extension's centroids are all kept");
}

/* Cut anywhere, or with a byte more, it is refused; but a message of Protocol Buffers may end. */
static void
test_cut(void)
{
    for (Form form = 0; form < FORMS; form++) {
        Foreign f = good_one(form);
        Bytes whole = bytes_copy(f.data, f.size);
        SketchBytes value;

        for (size_t size = 0; size < whole.size; size++)
            if (imported(form, whole.data, size, &value)) {
                expect(form >= DDSKETCH_ROW && digest_canonical(value), "form %d cut at %zu", form,
                       size);
                release_bytes(value);
            }
        memcpy(bytes, whole.data, whole.size);
        bytes[whole.size] = '(';
        if (imported(form, bytes, whole.size + 1, &value)) {
            expect(false, "form %d with a byte more", form);
            release_bytes(value);
        }
        free(whole.data);
    }
    conclude("cut, or longer by a byte");
}

static void
test_flips(void)
{
    for (Form form = 0; form < FORMS; form++) {
        Foreign f = good_one(form);
        Bytes whole = bytes_copy(f.data, f.size);
        unsigned refused = 0;

        for (size_t bit = 0; bit < 8 * whole.size; bit++) {
            SketchBytes value;

            whole.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (imported(form, whole.data, whole.size, &value)) {
                expect(digest_canonical(value), "form %d, bit %zu: not canonical", form, bit);
                release_bytes(value);
            } else
                refused++;
            whole.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        expect(refused > 60, "form %d: %u flips are refused", form, refused);
        free(whole.data);
    }
    conclude("a flipped bit is refused, or makes a sound digest");
}

/* A digest goes to DataSketches and comes back as it was. */
static void
expect_back(SketchBytes packed, const char *name, unsigned compression, unsigned n)
{
    Tdigest digest = digest_read(packed);
    SketchBytes there = tdigest_to_datasketches(&digest, &memory), back;

    /* Theirs have room for 2 k centroids and a few. */
    expect(there.size <= 16 || load_le32(there.data + 8) <= 2 * digest.compression,
           "%s, compression %u, %u rows: too many centroids", name, compression, n);
    if (tdigest_from_datasketches(there, &memory, &back, &error)) {
        expect(same_values(packed, back), "%s, compression %u, %u rows", name, compression, n);
        release_bytes(back);
    } else
        expect(false, "%s, compression %u, %u rows: %s", name, compression, n, error.reason);
    digest_close(&digest);
    release_bytes(there);
}

/* Smooth values, rows of weights, values that repeat, lightly or not; alone, and merged. */
static void
test_there_and_back(void)
{
    static const unsigned compressions[] = {10, 11, 99, 200, 1000, 10000};
    static const char *const names[] = {"weights", "repeats", "smooth and repeats", "pairs"};

    for (unsigned i = 0; i < 6; i++)
        for (unsigned kind = 0; kind < 4; kind++)
            for (unsigned n = 0; n < 6000; n = n * 2 + (n < 20)) {
                SketchState state = digest_new(compressions[i]),
                            merged = digest_new(compressions[i]);
                Random random = {n + 7919 * kind};
                SketchBytes packed;

                for (unsigned j = 0; j < n; j++) {
                    double value = random_unit(&random) - 0.5;

                    if (kind == 1 || (kind == 2 && j % 2))
                        value = floor(value * (double)(1 << n % 11));
                    if (kind == 3)
                        value = j / 2;
                    digest_add(&state, value,
                               kind > 0 ? 1
                                        : 1 + random_below(&random, 1 + j % 5 * UINT64_C(1000000)));
                }
                packed = digest_finish(state);
                expect_back(packed, names[kind], compressions[i], n);
                for (unsigned j = 0; j < 3; j++) {
                    digest_add(&merged, j, 1 + 3 * j);
                    digest_merge(&merged, packed);
                }
                release_bytes(packed);
                packed = digest_finish(merged);
                expect_back(packed, names[kind], compressions[i], n);
                release_bytes(packed);
            }
    conclude("to DataSketches and back");
}

/* Whether the first and the last centroid are marked as points: 1 and 2. */
static unsigned
outer_points(SketchBytes value)
{
    Tdigest digest = digest_read(value);
    unsigned points = digest.centroids[0].point + 2u * digest.centroids[digest.count - 1].point;

    digest_close(&digest);
    return points;
}

/* An outer centroid of means that is at the extreme has nothing but it. */
static void
test_outer(void)
{
    static const TdigestCentroid outer[] = {{3, 5}, {4, 9}, {7, 2}};

    for (unsigned ends = 0; ends < 4; ends++) {
        Foreign f = {bytes, 0};
        SketchBytes value;

        foreign_datasketches(&f, 8, 100, outer, 3, NULL, 0, ends & 1 ? 3 : 2.5, ends & 2 ? 7 : 8);
        expect(tdigest_from_datasketches((SketchBytes){f.data, f.size}, &memory, &value, &error) &&
                   outer_points(value) == ends,
               "ends %u", ends);
        release_bytes(value);
    }
    conclude("outer centroids at the extremes are points");
}

/* What came from another system, too: of a KLL sketch the greatest item may stand for others. */
static void
test_foreign_there_and_back(void)
{
    static const uint32_t sizes[] = {3, 0, 2};
    static const double items[] = {1, 5, 7, 2, 9};
    Foreign kll = {bytes, 0};
    SketchBytes value;

    for (Form form = 0; form < FORMS; form++) {
        Foreign f = good_one(form);

        if (import(form, (SketchBytes){f.data, f.size}, &value)) {
            expect_back(value, "foreign", (unsigned)form, 0);
            release_bytes(value);
        }
    }
    foreign_kll(&kll, TDIGEST_ITEM_DOUBLE, 3, sizes, items, 7, false, 0.5, 9);
    expect(tdigest_from_kll((SketchBytes){kll.data, kll.size}, TDIGEST_ITEM_DOUBLE, &memory, &value,
                            &error),
           "%s", error.reason);
    expect(outer_points(value) == 0, "the greatest item stands for others");
    expect_back(value, "outer samples", 0, 0);
    release_bytes(value);
    conclude("from another system to DataSketches and back");
}

#define FRONT "\"flags\": 1, \"compression\": 100, \"centroids\": 2, "
#define MEAN "\"mean\": [1, 2.5]"
#define COUNT_OF "\"count\": [1, 2]"

/* Texts of one digest, and texts of none. */
static void
test_texts(void)
{
    static const char *const alike[] = {
        "flags 1 count 3 compression 100 centroids 2 (1, 1) (2.5, 2)",
        " flags 1\ncount 3 compression 100 centroids 2 (1.0,1)(25e-1,2) ",
        "{" FRONT MEAN ", " COUNT_OF "}",
        "{\"count\": 3, " COUNT_OF ", " MEAN ", " FRONT "\"flags\": 1}",
        " {" FRONT "\"mean\":[1,2.5]," COUNT_OF ", \"count\": 3 } ",
    };
    static const char *const bad[] = {
        "",
        "flags",
        "flags 1 count 3 compression 100 centroids two",
        "flags 1 count 3 compression 100 centroids 2 (1, 1) (2.5, 2) x",
        "flags 1 count 3 compression 100 centroids 2 (1, 1) (2.5 2)",
        "flags 1 count 3 compression 100 centroids 2 (1, 1) (2.5, 2",
        "flags 1 count 3 compression 100 centroids 2 (1, 1) (nan, 2)",
        "flags 1 count 3 compression 100 centroids 2 (1, 1) (0x2, 2)",
        "flags 1 count 3 compression 100 centroids 2 (1, 1) (2.5, 99999999999999999999)",
        "{}",
        "{" FRONT MEAN "}",
        "{" FRONT COUNT_OF "}",
        "{" FRONT MEAN ", " COUNT_OF,
        "{" FRONT MEAN ", " COUNT_OF "} x",
        "{" FRONT MEAN ", " COUNT_OF ",}",
        "{" FRONT MEAN " " COUNT_OF "}",
        "{" FRONT "\"mean\":, " MEAN ", " COUNT_OF "}",
        "{" FRONT "\"mean\": 1, " COUNT_OF "}",
        "{" FRONT "\"mean\": [1, 2.5, " COUNT_OF "}",
        "{" FRONT "\"mean\" [1, 2.5], " COUNT_OF "}",
        "{" FRONT "\"mean\": [1 2.5], " COUNT_OF "}",
        "{" FRONT "\"mean\": [1, 2.5, 3], " COUNT_OF "}",
        "{" FRONT "\"mean\": [1], " COUNT_OF "}",
        "{" FRONT MEAN ", \"count\": [1, 2, 3]}",
        "{" FRONT MEAN ", \"count\": [1]}",
        "{" FRONT MEAN ", \"count\": [1.5, 2]}",
        "{" FRONT MEAN ", \"weight\": [1, 2]}",
    };
    SketchBytes first = {NULL, 0}, value;

    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
        if (!imported(EXTENSION_TEXT, (const uint8_t *)alike[i], strlen(alike[i]), &value))
            expect(false, "%s: %s", alike[i], error.reason);
        else if (i == 0)
            first = value;
        else {
            expect(same_bytes(first.data, first.size, value.data, value.size), "%s", alike[i]);
            release_bytes(value);
        }
    release_bytes(first);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect(!imported(EXTENSION_TEXT, (const uint8_t *)bad[i], strlen(bad[i]), &value) &&
                   strcmp(error.reason, "Not the text of a digest") == 0,
               "%s", bad[i]);
    conclude("texts of the extension, and what is none");
}

int
main(void)
{
    test_good();
    test_short();
    test_ddsketch();
    test_interpolations();
    test_refused();
    test_least();
    test_texts();
    test_extension_keeps_all();
    test_cut();
    test_flips();
    test_there_and_back();
    test_foreign_there_and_back();
    test_outer();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
