/*
 * test_distinct.c - dropping repetitions, against sorting.
 */
#include "../check.h"
#include "core/common/distinct.h"
#include "../memory.h"

static int
compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Of `count` hashes that are `spread` different ones, of which only the bits of `mask` vary. */
static void
try(size_t count, uint64_t spread, uint64_t mask)
{
    uint64_t *hashes = malloc(count * 8 + 1), *sorted = malloc(count * 8 + 1);
    uint64_t *out = malloc(count * 8 + 1);
    Random random = {count + spread};
    size_t distinct = 0, kept, guess;

    for (size_t i = 0; i < count; i++)
        hashes[i] = sorted[i] = mix64(random_below(&random, spread)) & mask;
    qsort(sorted, count, 8, compare);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            sorted[distinct++] = sorted[i];
    guess = distinct_guess(hashes, count, &memory);
    expect(guess <= count, "guessed more than there are");
    if (mask == UINT64_MAX && count >= 100000)
        expect((double)guess < 1.25 * (double)distinct + 200 &&
                   (double)guess > 0.75 * (double)distinct - 200,
               "guessed %zu for %zu", guess, distinct);
    kept = distinct_hashes(hashes, count, out, &memory);
    if (count <= DISTINCT_SORTED)
        expect(kept == distinct && memcmp(out, sorted, kept * 8) == 0, "%zu: not sorted", count);
    distinct_sort(out, kept, &memory);
    expect(kept == distinct && memcmp(out, sorted, kept * 8) == 0,
           "%zu hashes of %llu under %llx: %zu, not %zu", count, (unsigned long long)spread,
           (unsigned long long)mask, kept, distinct);
    expect(memory_used.pieces == 0, "memory was kept");
    free(hashes);
    free(sorted);
    free(out);
}

/* One in 64 is looked at: here none, or the first ones that are all alike. */
static void
test_guess(void)
{
    uint64_t hashes[1000];

    for (size_t i = 0; i < 1000; i++)
        hashes[i] = 2 * i + 1;
    for (size_t count = 0; count <= 1000; count += 100)
        expect(distinct_guess(hashes, count, &memory) == count, "%zu, none looked at", count);
    for (size_t i = 0; i < 1000; i++)
        hashes[i] = 64;
    expect(distinct_guess(hashes, 1000, &memory) <= 10, "all alike");
    conclude("a guess from nothing, and from one hash");
}

/* Repetitions are dropped in place, but not from many hashes of which few repeat. */
static void
test_drop(void)
{
    static const struct {
        size_t count;
        uint64_t spread;
        bool dropped;
    } cases[] = {{0, 1, true},          {1, 1, true},           {1000, 400, true},
                 {1000, 100000, true},  {65536, 500000, true},  {70000, 10000, true},
                 {200000, 50000, true}, {70000, 500000, false}, {200000, 1000000, false}};

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t count = cases[c].count, kept;
        uint64_t *hashes = malloc(count * 8 + 1), *before = malloc(count * 8 + 1);
        uint64_t *distinct = malloc(count * 8 + 1);
        Random random = {c};

        for (size_t i = 0; i < count; i++)
            hashes[i] = before[i] = mix64(random_below(&random, cases[c].spread));
        kept = distinct_drop(hashes, count, &memory);
        if (cases[c].dropped)
            expect(kept == distinct_hashes(before, count, distinct, &memory) &&
                       memcmp(hashes, distinct, kept * 8) == 0,
                   "%zu hashes: %zu left", count, kept);
        else
            expect(kept == count && memcmp(hashes, before, count * 8) == 0, "%zu hashes: %zu left",
                   count, kept);
        free(hashes);
        free(before);
        free(distinct);
    }
    conclude("repetitions are dropped where there are many");
}

int
main(void)
{
    static const size_t counts[] = {0, 1, 2, 600, 4096, 4097, 20000, 153600, 310000, 700000};
    static const uint64_t masks[] = {UINT64_MAX,
                                     UINT64_MAX >> 1,
                                     UINT64_C(0xffffffff),
                                     1,
                                     0,
                                     UINT64_C(0xfff0000000000000),
                                     UINT64_C(0x8000000000000fff),
                                     UINT64_C(0xff00000000000fff)};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        try(counts[i], 1, UINT64_MAX);
        try(counts[i], 100, UINT64_MAX);
        try(counts[i], counts[i] / 2 + 1, UINT64_MAX);
        try(counts[i], UINT64_MAX, UINT64_MAX);
    }
    conclude("what is left is what sorting leaves");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (size_t j = 0; j < sizeof masks / sizeof masks[0]; j++)
            try(counts[i] / 2, UINT64_MAX, masks[j]);
    /* Fewer parts when they are sorted than before, and those too large for a table. */
    try(310000, 185000, UINT64_MAX >> 2);
    conclude("and of hashes that are not spread evenly, too");
    test_guess();
    test_drop();
    return conclude_all();
}
