/*
 * topk_accuracy.c - how good are the heavy hitters of topk? By the core alone.
 *
 *     topk_accuracy EXPONENT ROWS
 *
 * Makes sketches for K items of the rows of zipf.h, for each order of the rows in three ways: of
 * all rows; of 16 parts of the rows one after the other, packed and merged; and of 16 parts to
 * which the rows go in turn. Of each, and of each type of items, prints a line:
 *
 *     ITEMS ORDER WAY METHOD precision error bytes counters bound wrong
 *
 * precision is the share of the K items listed that are among the K most frequent; error the mean
 * of |count - truth| / truth over those listed; bytes with the length word; wrong the number of
 * keys, of all there are, whose truth is not within their bounds (without a counter: 0 to the error
 * bound), or that have two counters.
 *
 * METHOD is topk, or `halved`, the method that postgresql-topn publishes, on the same rows: 1000
 * counters; a new item gets one with a count of 1; when all are taken the lower half is dropped.
 * Merging adds the counters of both, and drops half when they are too many. It has no bounds.
 */
#include "core/common/hash.h"
#include "core/topk/topk.h"
#include "zipf.h"

#define K 100
#define PARTS 16

static const char *const ways[] = {"serial", "merged", "spread"};

/* ---- judging ---- */

typedef struct Result {
    double precision, error;
    size_t bytes;
    uint32_t counters;
    uint64_t error_bound;
    uint32_t wrong;
} Result;

/* One that is listed, with its count. */
static void
judge_listed(Result *result, const Rows *rows, uint32_t key, uint64_t count)
{
    double truth = rows->counts[key];

    if (truth >= rows->counts[rows->ranked[K - 1]])
        result->precision += 1.0 / K;
    result->error += fabs((double)count - truth) / truth / K;
}

static void
print_result(const char *items, const char *order, const char *way, const char *method,
             const Result *r)
{
    printf("%s %s %s %s %.9g %.9g %zu %" PRIu32 " %" PRIu64 " %" PRIu32 "\n", items, order, way,
           method, r->precision, r->error, r->bytes, r->counters, r->error_bound, r->wrong);
}

/* ---- topk ---- */

/* A key's text as an item: pages of a site. */
static uint32_t
write_text(uint32_t key, char *text)
{
    return (uint32_t)sprintf(text, "/page/%" PRIu32, key);
}

static uint32_t
key_of(const TopkItem *item)
{
    char text[16];

    if (item->type == TOPK_BIGINT)
        return (uint32_t)item->number;
    if (item->size < 7 || item->size > 12)
        fail("an item that was never added");
    memcpy(text, item->bytes + 6, item->size - 6);
    text[item->size - 6] = '\0';
    return (uint32_t)strtoul(text, NULL, 10);
}

static void
add(SketchState *state, TopkType type, uint32_t key)
{
    char text[24];
    TopkItem item = topk_number(key);
    SketchState before = *state;
    SketchError error;

    if (type == TOPK_TEXT)
        item = topk_text((const uint8_t *)text, write_text(key, text));
    if (type == TOPK_TEXT ? topk_add_text(*state, item.bytes, item.size)
                          : topk_add_number(*state, key))
        return;
    if (!topk_insert(state, item, 1, &memory, &error))
        fail(error.reason);
    drop_replaced(before, state);
}

/* The packed sketch of every `step`-th row from the first on, up to the last. */
static SketchBytes
sketch_of(const uint32_t *keys, size_t first, size_t last, size_t step, TopkType type)
{
    SketchState state = topk_new(K, type, &memory);
    SketchBytes packed;

    for (size_t i = first; i < last; i += step)
        add(&state, type, keys[i]);
    packed = topk_ops.pack(sketch_bytes(state), &memory);
    heap_release_value(state.data, NULL);
    return packed;
}

/* Which rows a part has: first, last and step. */
static void
part_of(size_t n, int way, size_t part, size_t bounds[3])
{
    bounds[0] = way == 2 ? part : n * part / PARTS;
    bounds[1] = way == 2 ? n : n * (part + 1) / PARTS;
    bounds[2] = way == 2 ? PARTS : 1;
}

static SketchBytes
sketch_in_way(const uint32_t *keys, size_t n, int way, TopkType type)
{
    SketchState state;
    SketchBytes packed;
    SketchError error;

    if (way == 0)
        return sketch_of(keys, 0, n, 1, type);
    state = topk_new(K, TOPK_NONE, &memory);
    for (size_t part = 0; part < PARTS; part++) {
        SketchState before = state;
        size_t bounds[3];

        part_of(n, way, part, bounds);
        packed = sketch_of(keys, bounds[0], bounds[1], bounds[2], type);
        if (!topk_ops.merge(&state, packed, &memory, &error))
            fail(error.reason);
        drop_replaced(before, &state);
        heap_release_value((uint8_t *)packed.data, NULL);
    }
    packed = topk_ops.pack(sketch_bytes(state), &memory);
    heap_release_value(state.data, NULL);
    return packed;
}

static Result
judge(SketchBytes packed, const Rows *rows)
{
    uint8_t *seen = calloc(KEYS, 1);
    Result result = {.bytes = packed.size + SKETCH_PREFIX_BYTES};
    Topk topk;

    if (!seen || !topk_read(&topk, packed, &memory))
        fail("a sketch cannot be read");
    result.counters = topk.header.counters;
    result.error_bound = topk.header.error_bound;
    if (topk_listed(&topk) != K || topk.header.total != rows->n)
        fail("a list or a total is not as long as it has to be");
    for (uint32_t i = 0; i < result.counters; i++) {
        const TopkCounter *c = &topk.counters[i];
        uint32_t key = key_of(&c->item);
        uint64_t truth = rows->counts[key];

        result.wrong += seen[key] || truth < c->count || truth > c->count + c->error;
        seen[key] = 1;
        if (i < K)
            judge_listed(&result, rows, key, c->count);
    }
    for (uint32_t key = 0; key < KEYS; key++)
        result.wrong += !seen[key] && rows->counts[key] > result.error_bound;
    topk_close(&topk, &memory);
    free(seen);
    return result;
}

/* ---- the method of halving ---- */

#define COUNTERS 1000

typedef struct Counter {
    uint32_t key;
    uint64_t count;
} Counter;

/* Counters, and where a key has its own, plus 1. */
typedef struct Halved {
    Counter counter[2 * COUNTERS];
    uint32_t counters;
    uint32_t place[KEYS];
} Halved;

static int
higher_count(const void *a, const void *b)
{
    const Counter *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

static void
halve(Halved *h)
{
    qsort(h->counter, h->counters, sizeof h->counter[0], higher_count);
    for (uint32_t i = 0; i < h->counters; i++)
        h->place[h->counter[i].key] = i < COUNTERS / 2 ? i + 1 : 0;
    if (h->counters > COUNTERS / 2)
        h->counters = COUNTERS / 2;
}

static void
add_halved(Halved *h, uint32_t key, uint64_t count)
{
    if (h->place[key] == 0) {
        h->counter[h->counters] = (Counter){key, 0};
        h->place[key] = ++h->counters;
    }
    h->counter[h->place[key] - 1].count += count;
}

static void
add_rows_halved(Halved *h, const uint32_t *keys, const size_t bounds[3])
{
    for (size_t i = bounds[0]; i < bounds[1]; i += bounds[2]) {
        if (h->place[keys[i]] == 0 && h->counters == COUNTERS)
            halve(h);
        add_halved(h, keys[i], 1);
    }
}

static void
empty(Halved *h)
{
    for (uint32_t i = 0; i < h->counters; i++)
        h->place[h->counter[i].key] = 0;
    h->counters = 0;
}

static Result
judge_halved(const Rows *rows, const uint32_t *keys, int way)
{
    Halved *all = calloc(1, sizeof *all), *part = calloc(1, sizeof *part);
    size_t bounds[3] = {0, rows->n, 1};
    Result result = {0};

    if (!all || !part)
        fail("out of memory");
    if (way == 0)
        add_rows_halved(all, keys, bounds);
    for (size_t i = 0; way > 0 && i < PARTS; i++) {
        part_of(rows->n, way, i, bounds);
        add_rows_halved(part, keys, bounds);
        for (uint32_t j = 0; j < part->counters; j++)
            add_halved(all, part->counter[j].key, part->counter[j].count);
        empty(part);
        if (all->counters > COUNTERS)
            halve(all);
    }
    qsort(all->counter, all->counters, sizeof all->counter[0], higher_count);
    for (uint32_t i = 0; i < K; i++)
        judge_listed(&result, rows, all->counter[i].key, all->counter[i].count);
    result.counters = all->counters;
    free(all);
    free(part);
    return result;
}

/* ---- what is asked for ---- */

int
main(int argc, char **argv)
{
    double exponent = argc == 3 ? strtod(argv[1], NULL) : 0;
    Rows rows;

    if (!(exponent > 0))
        fail("usage: topk_accuracy EXPONENT ROWS");
    rows = zipf_rows(exponent, number_of_rows(argv[2]));
    for (int order = 0; order < ORDERS; order++) {
        uint32_t *keys = rows_in_order(&rows, order);

        for (int way = 0; way < 3; way++) {
            Result result = judge_halved(&rows, keys, way);

            for (TopkType type = TOPK_BIGINT; type <= TOPK_TEXT; type++) {
                SketchBytes packed = sketch_in_way(keys, rows.n, way, type);
                Result ours = judge(packed, &rows);

                print_result(type == TOPK_BIGINT ? "bigint" : "text", order_names[order], ways[way],
                             "topk", &ours);
                heap_release_value((uint8_t *)packed.data, NULL);
            }
            print_result("any", order_names[order], ways[way], "halved", &result);
        }
        free(keys);
    }
    free(rows.keys);
    free(rows.counts);
    free(rows.ranked);
    return 0;
}
