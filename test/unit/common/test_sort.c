/*
 * test_sort.c - every kind of sort against qsort, on what makes its shortcuts fail.
 */
#include "../check.h"
#include "../memory.h"

#include <unistd.h>

#include "core/common/polled.h"
#include "core/common/sort.h"

#define MOST 5000
#define MOST_HASHES 70000 /* more than are distributed at once */
#define MANY 600000
#define TIME_LIMIT 20 /* seconds; what is linear takes a fraction of one */

/* An element that says where it was, to see whether equal ones keep their order. */
typedef struct Element {
    uint64_t key;
    uint32_t place, sum;
} Element;

#define SORT_NAME sort_stably
#define SORT_ELEMENT Element
#define SORT_KEY(e) ((e).key)
#include "core/common/sort_digits.h"

#define SORT_NAME sort_sums
#define SORT_ELEMENT Element
#define SORT_KEY(e) ((e).key)
#define SORT_HASHES
#define SORT_SAME(kept, e) ((kept).sum += (e).sum)
#include "core/common/sort_digits.h"

#define SORT_NAME sort_spread
#define SORT_ELEMENT uint32_t
#define SORT_KEY(e) (e)
#define SORT_HASHES
#include "core/common/sort_digits.h"

#define SORT_NAME sort_small
#define SORT_ELEMENT uint32_t
#define SORT_KEY(e) (e)
#include "core/common/sort_digits.h"

#define SORT_NAME sort_merging
#define SORT_ELEMENT Element
#define SORT_BEFORE(a, b) ((a)->key < (b)->key)
#include "core/common/sort_merge.h"

static size_t
merging(Element *elements, size_t count, Element *other, const SketchMemory *used)
{
    sort_merging(elements, count, other, used);
    return count;
}

static int
compare_elements(const void *a, const void *b)
{
    const Element *x = a, *y = b;

    return x->key != y->key ? (x->key < y->key ? -1 : 1)
                            : (x->place > y->place) - (x->place < y->place);
}

/* Memory of exactly its size, full of garbage. */
static void *
garbage(size_t size)
{
    void *fresh = malloc(size);

    memset(fresh, 0xa5, size);
    return fresh;
}

typedef size_t (*SortElements)(Element *elements, size_t count, Element *other,
                               const SketchMemory *used);

static void
check_elements(const Element *expected, size_t left, const Element *elements, size_t count,
               SortElements sort, const char *name)
{
    Bytes sorted = bytes_copy(elements, count * sizeof *elements);
    Element *other = garbage(count * sizeof *other);
    size_t kept = sort((Element *)sorted.data, count, other, &memory);

    expect(kept == left && memcmp(sorted.data, expected, left * sizeof *expected) == 0,
           "%s of %zu elements", name, count);
    free(sorted.data);
    free(other);
}

static void
check_numbers(const Element *expected, size_t left, const uint64_t *keys, size_t count,
              const char *name)
{
    Bytes all = bytes_copy(keys, count * sizeof *keys),
          few = bytes_copy(keys, count * sizeof *keys);
    uint64_t *other = garbage(count * sizeof *other);
    const uint64_t *sorted = (uint64_t *)all.data, *distinct = (uint64_t *)few.data;
    size_t at = 0;

    sort_u64((uint64_t *)all.data, count, other, &memory);
    expect(sort_hashes((uint64_t *)few.data, count, other, &memory) == left, "%s: distinct of %zu",
           name, count);
    for (size_t i = 0; i < left; i++) {
        expect(distinct[i] == expected[i].key, "%s: distinct hash %zu of %zu", name, i, count);
        for (uint32_t j = 0; j < expected[i].sum; j++, at++)
            expect(sorted[at] == expected[i].key, "%s: number %zu of %zu", name, at, count);
    }
    free(all.data);
    free(few.data);
    free(other);
}

/* The halves of the keys, and both sorts of 32 bits. */
static void
check_small(const uint64_t *keys, size_t count, const char *name)
{
    for (int shift = 0; shift <= 32; shift += 32) {
        uint32_t *spread = garbage(count * sizeof *spread), *small = garbage(count * sizeof *small);
        uint32_t *other = garbage(count * sizeof *other);
        Element *expected = malloc(count * sizeof *expected);

        for (size_t i = 0; i < count; i++) {
            spread[i] = small[i] = (uint32_t)(keys[i] >> shift);
            expected[i] = (Element){spread[i], (uint32_t)i, 1};
        }
        if (count > 0)
            qsort(expected, count, sizeof *expected, compare_elements);
        expect(sort_spread(spread, count, other, &memory) == count, "%s: some are lost", name);
        expect(sort_small(small, count, other, &memory) == count, "%s: some are lost", name);
        for (size_t i = 0; i < count; i++)
            expect(spread[i] == expected[i].key && small[i] == expected[i].key,
                   "%s: number %zu of %zu with 32 bits", name, i, count);
        free(expected);
        free(spread);
        free(small);
        free(other);
    }
}

/* Sorts the same keys in every way. */
static void
check_sorted(const uint64_t *keys, size_t count, const char *name)
{
    Element *elements = calloc(count + 1, sizeof *elements);
    Element *expected = calloc(count + 1, sizeof *expected);
    size_t left = 0;

    for (size_t i = 0; i < count; i++)
        expected[i] = elements[i] = (Element){keys[i], (uint32_t)i, 1};
    if (count > 0)
        qsort(expected, count, sizeof *expected, compare_elements);
    check_elements(expected, count, elements, count, sort_stably, "by digits");
    check_elements(expected, count, elements, count, merging, "by comparing");
    for (size_t i = 0; i < count; i++)
        if (left > 0 && expected[left - 1].key == expected[i].key)
            expected[left - 1].sum++;
        else
            expected[left++] = expected[i];
    check_elements(expected, left, elements, count, sort_sums, "by parts, with sums");
    check_numbers(expected, left, keys, count, name);
    check_small(keys, count, name);
    free(elements);
    free(expected);
}

/* Every size at which something changes, and many in between. */
static size_t
next_size(size_t size)
{
    return size < 70 || (size > 1015 && size < 1035) ? size + 1
           : size < MOST                             ? size + 1 + size / 23
                                                     : 2 * size;
}

static void
check_sizes(uint64_t (*key)(size_t i, size_t count, Random *random), const char *name)
{
    static uint64_t keys[MOST_HASHES];

    for (size_t size = 0; size <= MOST_HASHES; size = next_size(size)) {
        Random random = {size + 1};

        for (size_t i = 0; i < size; i++)
            keys[i] = key(i, size, &random);
        check_sorted(keys, size, name);
    }
    for (size_t i = 0; i < MOST; i++) {
        Random random = {i};

        keys[i] = key(i, MOST, &random);
    }
    check_sorted(keys, MOST, name);
    conclude("%s", name);
}

static uint64_t
full_range(size_t i, size_t count, Random *random)
{
    (void)i, (void)count;
    return random_next(random);
}

static uint64_t
all_equal(size_t i, size_t count, Random *random)
{
    (void)i, (void)random;
    return UINT64_C(0xfedcba9876543210) + count;
}

static uint64_t
few_distinct(size_t i, size_t count, Random *random)
{
    (void)i, (void)count;
    return mix64(random_below(random, 3)) ^ UINT64_C(1) << 63;
}

static uint64_t
ascending(size_t i, size_t count, Random *random)
{
    (void)count, (void)random;
    return i * UINT64_C(0x0003000500070009);
}

static uint64_t
descending(size_t i, size_t count, Random *random)
{
    (void)random;
    return (count - i) * UINT64_C(0x0003000500070009);
}

/* Only the low 31 bits differ; or only the high ones; or one bit, each in turn. */
static uint64_t
same_top(size_t i, size_t count, Random *random)
{
    (void)i, (void)count;
    return UINT64_C(0x4059000080000000) | (random_next(random) & 0x7fffffff);
}

static uint64_t
same_bottom(size_t i, size_t count, Random *random)
{
    (void)i, (void)count;
    return random_next(random) << 40 | 0x123456789a;
}

static uint64_t
one_bit(size_t i, size_t count, Random *random)
{
    (void)i;
    return random_below(random, 2) << count % 64;
}

/* The digits that are sorted by tell one key from the rest, and the rest comes the wrong way. */
static uint64_t
outlier(size_t i, size_t count, Random *random)
{
    (void)random;
    return i == count / 2 ? UINT64_MAX : count - i;
}

/* The same in many groups: in order after the digits but for stretches of every length. */
static uint64_t
grouped(size_t i, size_t count, Random *random)
{
    (void)i;
    return random_below(random, 1 + count / 16) << 45 | random_below(random, count + 1);
}

/* As many bits differ as the digits have that are sorted by, one less or one more. */
static uint64_t
some_width(size_t i, size_t count, Random *random)
{
    unsigned digits = count < 1024 ? 24 : count < 4096 ? 22 : 33;

    (void)i;
    return random_next(random) >> (64 - digits + 1 - count % 3);
}

/* In order but for the last one. */
static uint64_t
late(size_t i, size_t count, Random *random)
{
    (void)random;
    return i + 1 == count ? i / 2 * 3 : i * 3;
}

/* Both ends of every digit, wherever digits begin. */
static uint64_t
edges(size_t i, size_t count, Random *random)
{
    static const uint64_t edge[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, INT64_MAX};
    uint64_t shift = random_below(random, 64);

    (void)count;
    return i % 3 == 0   ? edge[random_below(random, 5)]
           : i % 3 == 1 ? UINT64_C(1) << shift
                        : (UINT64_C(1) << shift) - 1;
}

/* Insertion alone would take MANY^2 / 2 moves for these: it is given up, and they are sorted. */
static void
test_linear(void)
{
    uint64_t *keys = malloc(2 * MANY * sizeof *keys);

    alarm(TIME_LIMIT);
    for (size_t i = 0; i < MANY; i++)
        keys[i] = MANY - i;
    keys[MANY / 2] = UINT64_C(1) << 63;
    memory_polls = 0;
    sort_u64(keys, MANY, keys + MANY, &memory);
    expect(memory_polls >= 12 * (MANY / SKETCH_POLL_STEPS), "%zu polls", memory_polls);
    for (size_t i = 1; i < MANY; i++)
        expect(keys[i - 1] < keys[i], "key %zu", i);
    expect(keys[MANY - 1] == UINT64_C(1) << 63 && keys[0] == 1, "the ends");
    /* The same of hashes: all but one agree in what they are distributed by. */
    for (size_t i = 0; i < MANY; i++)
        keys[i] = i == 0 ? UINT64_MAX : MANY - i;
    for (size_t round = 0; round < MANY / SORT_HASHES_MAX; round++)
        expect(sort_hashes(keys + round * SORT_HASHES_MAX, SORT_HASHES_MAX, keys + MANY, &memory) ==
                   SORT_HASHES_MAX,
               "hashes are lost");
    expect(keys[SORT_HASHES_MAX - 1] == UINT64_MAX && keys[0] == MANY - SORT_HASHES_MAX + 1,
           "the ends of hashes");
    memory_polls = 0;
    for (size_t i = 0; i < MANY; i++)
        keys[i] = i;
    sort_u64(keys, MANY, keys + MANY, &memory);
    expect(memory_polls >= MANY / SKETCH_POLL_STEPS, "%zu polls of sorted ones", memory_polls);
    alarm(0);
    free(keys);
    conclude("keys made to agree in the digits that are sorted by first take linear time");
}

/* A polled loop ends as any other does. */
static void
test_loop(void)
{
    size_t seen = 0, last = 0;

    memory_polls = 0;
    POLLED_FOR (i, 5, 5, 1, &memory)
        seen++;
    expect(seen == 0 && memory_polls == 0, "an empty loop");
    POLLED_FOR (i, 5, MANY, 4, &memory) {
        expect(i == 5 + seen, "step %zu", seen);
        seen++;
    }
    expect(seen == MANY - 5 && memory_polls == 1 + (MANY - 6) / (SKETCH_POLL_STEPS / 4 + 1),
           "%zu steps, %zu polls", seen, memory_polls);
    for (size_t stop = 0; stop < 3 * SKETCH_POLL_STEPS; stop += SKETCH_POLL_STEPS / 2 + 1) {
        seen = 0;
        POLLED_FOR (i, 0, MANY, 1, &memory) {
            last = i;
            if (i % 2 == 0)
                continue;
            seen++;
            if (i >= stop)
                break;
        }
        expect(last == (stop | 1) && seen == stop / 2 + 1, "break at %zu: %zu, %zu", stop, last,
               seen);
    }
    conclude("a polled loop takes every step once, and ends by break");
}

int
main(void)
{
    check_sizes(full_range, "keys of the full range");
    check_sizes(all_equal, "keys that are all equal");
    check_sizes(few_distinct, "keys of three values");
    check_sizes(ascending, "ascending keys");
    check_sizes(descending, "descending keys");
    check_sizes(same_top, "keys that agree in the top 33 bits");
    check_sizes(same_bottom, "keys that agree in the low 40 bits");
    check_sizes(one_bit, "keys that differ in one bit");
    check_sizes(outlier, "one key far from the others, which descend");
    check_sizes(grouped, "groups that agree in the first digits");
    check_sizes(some_width, "keys of as many bits as are sorted by");
    check_sizes(late, "ascending keys but for the last");
    check_sizes(edges, "keys at the ends of digits");
    test_linear();
    test_loop();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
