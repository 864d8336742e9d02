/*
 * rank.c - orders of counters, and selection by bounds.
 *
 * Sorting is by merging, in linear scratch memory: its time does not depend on the data, which may
 * have been made to be slow. Selection is by digits and a heap, for the same reason.
 */
#include "topk_internal.h"

/* The first 8 bytes of a text as a number, which is in the order that they are in. */
static inline uint64_t
first_bytes(const TopkItem *text)
{
    return __builtin_bswap64(load_le64(text->bytes));
}

static inline int
compare_items(const TopkItem *a, const TopkItem *b)
{
    int order;

    if (a->type == TOPK_BIGINT)
        return a->number < b->number ? -1 : a->number > b->number;
    if (a->size >= 8 && b->size >= 8 && first_bytes(a) != first_bytes(b))
        return first_bytes(a) < first_bytes(b) ? -1 : 1;
    order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : a->size < b->size ? -1 : a->size > b->size;
}

int
topk_compare_items(const TopkItem *a, const TopkItem *b)
{
    return compare_items(a, b);
}

bool
topk_ranks_before(const TopkCounter *a, const TopkCounter *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    if (a->error != b->error)
        return a->error > b->error;
    return compare_items(&a->item, &b->item) < 0;
}

static bool
kept_before(const TopkCounter *a, const TopkCounter *b)
{
    if (topk_upper(a) != topk_upper(b))
        return topk_upper(a) > topk_upper(b);
    if (a->count != b->count)
        return a->count > b->count;
    return compare_items(&a->item, &b->item) < 0;
}

typedef bool (*TopkOrder)(const TopkCounter *a, const TopkCounter *b);

/* ---- sorting ---- */

#define RUN 8 /* counters that are sorted by insertion */

static inline void
sort_run(TopkCounter *counters, uint32_t count, TopkOrder before)
{
    for (uint32_t i = 1; i < count; i++) {
        TopkCounter counter = counters[i];
        uint32_t j = i;

        for (; j > 0 && before(&counter, &counters[j - 1]); j--)
            counters[j] = counters[j - 1];
        counters[j] = counter;
    }
}

static inline void
merge_runs(const TopkCounter *a, const TopkCounter *a_end, const TopkCounter *b,
           const TopkCounter *b_end, TopkCounter *to, TopkOrder before)
{
    while (a < a_end && b < b_end)
        *to++ = before(b, a) ? *b++ : *a++;
    memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

static inline void
sort(TopkCounter *counters, uint32_t count, TopkOrder before, const SketchMemory *memory)
{
    TopkCounter *scratch, *from = counters, *to;
    uint32_t sorted = 1;
    size_t steps = 0;

    while (sorted < count && !before(&counters[sorted], &counters[sorted - 1]))
        sorted++;
    if (sorted >= count)
        return;
    to = scratch = memory->scratch(count * sizeof *scratch, memory->context);
    for (uint32_t i = 0; i < count; i += RUN)
        sort_run(counters + i, count - i < RUN ? count - i : RUN, before);
    for (uint32_t run = RUN; run < count; run *= 2) {
        TopkCounter *swap = from;

        for (uint32_t i = 0; i < count; i += 2 * run) {
            uint32_t middle = count - i < run ? count : i + run;
            uint32_t end = count - middle < run ? count : middle + run;

            merge_runs(from + i, from + middle, from + middle, from + end, to + i, before);
            sketch_poll(memory, &steps, end - i);
        }
        from = to;
        to = swap;
    }
    if (from != counters)
        memcpy(counters, from, count * sizeof *counters);
    memory->release(scratch, memory->context);
}

void
topk_sort_by_count(TopkCounter *counters, uint32_t count, const SketchMemory *memory)
{
    sort(counters, count, topk_ranks_before, memory);
}

/* ---- the best ones ---- */

/* A heap with the counter on top that is kept last. */
static inline void
sift_down(TopkCounter *heap, uint32_t count, uint32_t at)
{
    TopkCounter counter = heap[at];

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= count)
            break;
        child += child + 1 < count && kept_before(&heap[child], &heap[child + 1]);
        if (!kept_before(&counter, &heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = counter;
}

void
topk_keep_best(TopkCounter *counters, uint32_t count, uint32_t most, const SketchMemory *memory)
{
    size_t steps = 0;

    if (most < count) {
        for (uint32_t i = most / 2; i-- > 0;) {
            sift_down(counters, most, i);
            sketch_poll(memory, &steps, 4);
        }
        for (uint32_t i = most; i < count; i++) {
            sketch_poll(memory, &steps, 1);
            if (!kept_before(&counters[i], &counters[0]))
                continue;
            counters[0] = counters[i];
            sift_down(counters, most, 0);
            sketch_poll(memory, &steps, 16);
        }
        count = most;
    }
    sort(counters, count, kept_before, memory);
}

/* ---- selection ---- */

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

uint64_t
topk_nth_largest(uint64_t *values, uint32_t count, uint32_t rank, const SketchMemory *memory)
{
    uint64_t all = 1;
    size_t steps = 0;
    unsigned shift;

    for (uint32_t i = 0; i < count; i++)
        all |= values[i];
    shift = 64 - (unsigned)__builtin_clzll(all);
    /* Every round keeps the values that agree with the answer in one more digit. */
    do {
        uint32_t seen[DIGITS] = {0};
        uint32_t digit = DIGITS - 1;
        uint32_t kept = 0;

        shift = shift > DIGIT_BITS ? shift - DIGIT_BITS : 0;
        for (uint32_t i = 0; i < count; i++)
            seen[values[i] >> shift & (DIGITS - 1)]++;
        while (seen[digit] < rank)
            rank -= seen[digit--];
        for (uint32_t i = 0; i < count; i++)
            if ((values[i] >> shift & (DIGITS - 1)) == digit)
                values[kept++] = values[i];
        sketch_poll(memory, &steps, count);
        count = kept;
    } while (shift > 0 && count > 1);
    return values[0];
}
