/*
 * rank.c - orders of counters, and selection by bounds.
 *
 * Counters are sorted by merging and selected by digits, so the time depends on neither the counts
 * nor the items, which an adversary may have chosen.
 */
#include "topk_internal.h"

/* Returns the first 8 bytes of a text as a number; these numbers are ordered like the texts. */
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

static inline bool
kept_before(const TopkCounter *a, const TopkCounter *b)
{
    if (topk_upper(a) != topk_upper(b))
        return topk_upper(a) > topk_upper(b);
    if (a->count != b->count)
        return a->count > b->count;
    return compare_items(&a->item, &b->item) < 0;
}

/* ---- sorting ---- */

#define SORT_NAME sort_by_count
#define SORT_ELEMENT TopkCounter
#define SORT_BEFORE(a, b) topk_ranks_before(a, b)
#include "core/common/sort_merge.h"

#define SORT_NAME sort_kept
#define SORT_ELEMENT TopkCounter
#define SORT_BEFORE(a, b) kept_before(a, b)
#include "core/common/sort_merge.h"

void
topk_sort_by_count(TopkCounter *counters, uint32_t count, const SketchMemory *memory)
{
    TopkCounter *other = memory->scratch(count * sizeof64(*other) + 1, memory->context);

    sort_by_count(counters, count, other, memory);
    memory->release(other, memory->context);
}

/* ---- selection ---- */

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

uint64_t
topk_nth_largest(uint64_t *values, uint32_t count, uint32_t rank, const SketchMemory *memory)
{
    uint64_t differ = 0;
    size_t steps = 0;
    unsigned shift;

    for (uint32_t i = 0; i < count; i++)
        differ |= values[i] ^ values[0];
    shift = differ == 0 ? 0 : 64 - (unsigned)__builtin_clzll(differ);
    /* Every round keeps the values that agree with the result in one more digit. */
    while (shift > 0 && count > 1) {
        uint32_t seen[DIGITS] = {0};
        uint32_t digit, kept = 0;

        shift = shift > DIGIT_BITS ? shift - DIGIT_BITS : 0;
        /* All values are equal above this digit, so the search begins at its highest value. */
        digit = (uint32_t)((values[0] | differ) >> shift) & (DIGITS - 1);
        for (uint32_t i = 0; i < count; i++)
            seen[values[i] >> shift & (DIGITS - 1)]++;
        while (seen[digit] < rank)
            rank -= seen[digit--];
        for (uint32_t i = 0; i < count; i++)
            if ((values[i] >> shift & (DIGITS - 1)) == digit)
                values[kept++] = values[i];
        sketch_poll(memory, &steps, count);
        count = kept;
    }
    return values[0];
}

/*
 * A key is one step of an order: the counter with the higher key comes first; if keys are equal,
 * the next key decides.
 */
typedef uint64_t (*TopkKey)(const TopkCounter *counter, uint32_t offset);

static inline uint64_t
upper_key(const TopkCounter *counter, uint32_t offset)
{
    (void)offset;
    return topk_upper(counter);
}

static inline uint64_t
count_key(const TopkCounter *counter, uint32_t offset)
{
    (void)offset;
    return counter->count;
}

#define KEY_BYTES 7 /* of a text in a key; its last byte is how many are left, at most 7 */

static inline uint64_t
item_key(const TopkCounter *counter, uint32_t offset)
{
    const TopkItem *item = &counter->item;
    uint32_t left;
    uint64_t key;

    if (item->type == TOPK_BIGINT)
        return (uint64_t)item->number ^ INT64_MAX;
    left = item->size > offset ? item->size - offset : 0;
    if (left > KEY_BYTES)
        return ~(__builtin_bswap64(load_le64(item->bytes + offset)) | 255) | (255 - KEY_BYTES);
    key = left;
    for (uint32_t i = 0; i < left; i++)
        key |= (uint64_t)item->bytes[offset + i] << (56 - 8 * i);
    return ~key;
}

/* Counters `begin` to `end` - 1 are tied so far; those that end up before `most` are wanted. */
typedef struct Tied {
    TopkCounter *counters;
    uint32_t begin, most, end;
    size_t steps; /* since the last poll */
} Tied;

static inline void
swap(TopkCounter *a, TopkCounter *b)
{
    TopkCounter counter = *a;

    *a = *b;
    *b = counter;
}

/*
 * Moves counters whose keys are high enough to the front of the tied ones, and those whose keys are
 * too low to the end. The rest remain tied: they all have the same key.
 */
static inline __attribute__((always_inline)) void
narrow(Tied *tied, TopkKey key_of, uint32_t offset, const SketchMemory *memory)
{
    TopkCounter *begin = tied->counters + tied->begin, *end = tied->counters + tied->end;
    uint32_t count = tied->end - tied->begin;
    uint64_t *keys, least, differ = 0;

    if (tied->most == tied->end)
        return;
    keys = memory->scratch(count * sizeof64(*keys), memory->context);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = key_of(&begin[i], offset);
        differ |= keys[i] ^ keys[0];
    }
    if (differ != 0)
        least = topk_nth_largest(keys, count, tied->most - tied->begin, memory);
    memory->release(keys, memory->context);
    if (differ == 0)
        return;
    for (TopkCounter *c = begin; c < end;) {
        uint64_t key = key_of(c, offset);

        if (key > least)
            swap(c++, begin++);
        else if (key < least)
            swap(c, --end);
        else
            c++;
    }
    tied->begin = (uint32_t)(begin - tied->counters);
    tied->end = (uint32_t)(end - tied->counters);
    sketch_poll(memory, &tied->steps, count);
}

void
topk_keep_best(TopkCounter *counters, uint32_t count, uint32_t most, const SketchMemory *memory)
{
    Tied tied = {.counters = counters, .most = most, .end = count};
    uint32_t longest = 0;
    TopkCounter *other;

    narrow(&tied, upper_key, 0, memory);
    narrow(&tied, count_key, 0, memory);
    for (uint32_t i = tied.begin; i < tied.end; i++)
        longest = counters[i].item.size > longest ? counters[i].item.size : longest;
    for (uint32_t at = 0; at <= longest && tied.most < tied.end; at += KEY_BYTES)
        narrow(&tied, item_key, at, memory);
    other = memory->scratch(most * sizeof64(*other) + 1, memory->context);
    sort_kept(counters, most, other, memory);
    memory->release(other, memory->context);
}
