/*
 * test_hll_sparse.c - tokens sorted, against qsort: few and many of them, hashes and crafted ones,
 * ascending already, with and without repetitions.
 */
#include "../check.h"
#include "../memory.h"
#include "core/hll/hll_internal.h"

#define MOST 5000

static int
compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Of what differs in the lowest bits alone the last one stays. */
static uint32_t
sort_plainly(uint32_t *tokens, uint32_t count, unsigned same)
{
    uint32_t kept = 0;

    qsort(tokens, count, sizeof *tokens, compare);
    for (uint32_t i = 0; i < count; i++)
        if (i + 1 == count || tokens[i] >> same != tokens[i + 1] >> same)
            tokens[kept++] = tokens[i];
    return kept;
}

/* Tokens that are below `below`, every `few`-th of them the same one. */
static void
check_sort(uint32_t count, uint64_t below, uint32_t few, bool ascending)
{
    uint32_t tokens[MOST], expected[MOST];
    Random random = {count};

    for (unsigned history = 0; history <= HLL_EVERY_RANK; history += HLL_EVERY_RANK) {
        uint32_t expected_count, sorted_count;

        for (uint32_t i = 0; i < count; i++)
            tokens[i] = i % few == 0 ? 77 : (uint32_t)random_below(&random, below);
        if (ascending)
            qsort(tokens, count, sizeof *tokens, compare);
        memcpy(expected, tokens, count * sizeof *tokens);
        expected_count = sort_plainly(expected, count, history > 0 ? 0 : 6);
        sorted_count = hll_tokens_sort(tokens, count, history, &memory);
        expect(sorted_count == expected_count &&
                   memcmp(tokens, expected, sorted_count * sizeof *tokens) == 0,
               "%u tokens below %llx, every %uth repeated, history %u", (unsigned)count,
               (unsigned long long)below, (unsigned)few, history);
    }
}

int
main(void)
{
    static const uint32_t counts[] = {0,   1,   2,   12,   47,   48,   49,   50,  160,
                                      255, 256, 600, 2047, 2048, 2049, 3276, MOST};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned bits = 6; bits <= 32; bits++)
            for (unsigned ascending = 0; ascending < 2; ascending++) {
                check_sort(counts[i], UINT64_C(1) << bits, MOST, ascending);
                check_sort(counts[i], UINT64_C(1) << bits, 3, ascending);
            }
    conclude("tokens are sorted, and those that say nothing new are dropped");
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
