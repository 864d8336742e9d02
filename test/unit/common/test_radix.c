/*
 * test_radix.c - sorting by digits against qsort, on what makes its shortcuts fail.
 */
#include "../check.h"
#include "../memory.h"

#include <unistd.h>

#include "core/common/radix.h"

#define MOST 5000
#define MANY 600000
#define TIME_LIMIT 20 /* seconds; what is linear takes a fraction of one */

static int
compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Sorts a copy of exactly its size, with garbage in the other array. */
static void
check_sorted(const uint64_t *keys, size_t count, const char *name)
{
    Bytes expected = bytes_copy(keys, count * sizeof *keys);
    Bytes sorted = bytes_copy(keys, count * sizeof *keys);
    Bytes other = {malloc(count * sizeof *keys), count * sizeof *keys};

    memset(other.data, 0xa5, other.size);
    if (count > 0)
        qsort(expected.data, count, sizeof *keys, compare);
    radix_sort_u64((uint64_t *)sorted.data, count, (uint64_t *)other.data, &memory);
    expect(same_bytes(expected.data, expected.size, sorted.data, sorted.size), "%s: %zu keys", name,
           count);
    free(expected.data);
    free(sorted.data);
    free(other.data);
}

/* Every size at which something changes, and many in between. */
static size_t
next_size(size_t size)
{
    return size < 70 || (size > 1015 && size < 1035) ? size + 1 : size + 1 + size / 23;
}

static void
check_sizes(uint64_t (*key)(size_t i, size_t count, Random *random), const char *name)
{
    static uint64_t keys[MOST];

    for (size_t size = 0; size <= MOST; size = next_size(size)) {
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
    radix_sort_u64(keys, MANY, keys + MANY, &memory);
    expect(memory_polls >= 12 * (MANY / SKETCH_POLL_STEPS), "%zu polls", memory_polls);
    for (size_t i = 1; i < MANY; i++)
        expect(keys[i - 1] < keys[i], "key %zu", i);
    expect(keys[MANY - 1] == UINT64_C(1) << 63 && keys[0] == 1, "the ends");
    alarm(0);
    free(keys);
    conclude("keys made to agree in the digits that are sorted by first take linear time");
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
    check_sizes(edges, "keys at the ends of digits");
    test_linear();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
