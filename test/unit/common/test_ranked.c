/*
 * test_ranked.c - numbers that come and go, and which is the k-th, against a sorted array.
 */
#include <math.h>

#include "../check.h"
#include "core/common/ranked.h"
#include "../memory.h"

#define ROOM 40000

static double truth[ROOM];
static size_t members;

static size_t
place_of(double number)
{
    size_t place = 0;

    while (place < members && truth[place] < number)
        place++;
    return place;
}

static void
truth_add(double number)
{
    size_t place = place_of(number);

    memmove(truth + place + 1, truth + place, (members++ - place) * sizeof(double));
    truth[place] = number;
}

static bool
truth_remove(double number)
{
    size_t place = place_of(number);

    if (place == members || truth[place] != number)
        return false;
    memmove(truth + place, truth + place + 1, (--members - place) * sizeof(double));
    return true;
}

static void
check_all(const Ranked *ranked)
{
    size_t seen = 0, before = 0;

    expect(ranked->count == members, "%zu members, not %zu", ranked->count, members);
    for (size_t i = 0; i < ranked->runs; i++) {
        expect(ranked->run[i].count > 0 && ranked->run[i].count <= RANKED_RUN, "a run of %zu",
               ranked->run[i].count);
        expect(i == 0 || before + ranked->run[i].count > RANKED_RUN / 2, "%zu beside %zu",
               ranked->run[i].count, before);
        before = ranked->run[i].count;
        seen += before;
    }
    expect(seen == members, "%zu in runs, not %zu", seen, members);
    for (size_t k = 0; k < members; k += 1 + members / 997)
        expect(ranked_at(ranked, k) == truth[k], "number %zu is %g, not %g", k,
               ranked_at(ranked, k), truth[k]);
}

/* `spread` different numbers; a phase of growth, a phase of decay, again. */
static void
try(uint64_t spread, uint64_t seed)
{
    Random random = {seed};
    Ranked ranked;

    members = 0;
    ranked_begin(&ranked, &memory);
    for (unsigned phase = 0; phase < 4; phase++) {
        for (unsigned i = 0; i < 12000; i++) {
            double number = (double)random_below(&random, spread) - (double)spread / 2;

            if (random_below(&random, 10) < (phase % 2 ? 1 : 8)) {
                ranked_add(&ranked, number, &memory);
                truth_add(number);
            } else {
                /* Mostly one that is there. */
                if (members > 0 && random_below(&random, 10) < 9)
                    number = truth[random_below(&random, members)];
                expect(ranked_remove(&ranked, number, &memory) == truth_remove(number), "%g",
                       number);
            }
        }
        check_all(&ranked);
    }
    while (members > 0) {
        double number = truth[members / 2];

        expect(ranked_remove(&ranked, number, &memory) && truth_remove(number), "%g is gone",
               number);
        if (members % 1000 == 0)
            check_all(&ranked);
    }
    expect(ranked.runs == 0 && !ranked_remove(&ranked, 0, &memory), "%zu runs left", ranked.runs);
    ranked_end(&ranked, &memory);
    expect(memory_used.pieces == 0, "memory was kept");
}

/* A run of one number that fills several: removing finds each of them. */
static void
try_equal(void)
{
    Ranked ranked;

    ranked_begin(&ranked, &memory);
    for (unsigned i = 0; i < 3000; i++)
        ranked_add(&ranked, i % 3 == 0 ? 7 : 8, &memory);
    expect(ranked_at(&ranked, 999) == 7 && ranked_at(&ranked, 1000) == 8, "the border is wrong");
    for (unsigned i = 0; i < 1000; i++)
        expect(ranked_remove(&ranked, 7, &memory), "7 is gone after %u", i);
    expect(!ranked_remove(&ranked, 7, &memory) && ranked.count == 2000, "%zu left", ranked.count);
    ranked_end(&ranked, &memory);
}

/*
 * Members are taken so that runs of a single member stand beside runs that are a quarter full. The
 * members that are left do not take more than four times their bytes.
 */
static void
try_thin(void)
{
    const unsigned half = RANKED_RUN / 2, quarter = RANKED_RUN / 4, halves = 64;
    Ranked ranked;

    members = 0;
    ranked_begin(&ranked, &memory);
    for (unsigned i = 0; i < halves * half; i++) /* in order, so runs stay behind as halves */
        ranked_add(&ranked, i, &memory);
    for (unsigned odd = 1; odd < halves; odd += 2)
        for (unsigned i = 0; i < quarter; i++)
            ranked_add(&ranked, odd * half + i + 0.5, &memory);
    for (unsigned even = 0; even < halves; even += 2)
        for (unsigned i = 1; i < half; i++)
            ranked_remove(&ranked, even * half + i, &memory);
    for (unsigned odd = 1; odd < halves; odd += 2)
        for (unsigned i = 0; i < half; i++)
            ranked_remove(&ranked, odd * half + i, &memory);
    for (unsigned i = 0; i < halves; i += 2) {
        truth_add(i * half);
        for (unsigned j = 0; j < quarter; j++)
            truth_add((i + 1) * half + j + 0.5);
    }
    check_all(&ranked);
    expect(ranked.runs * RANKED_RUN <= 4 * ranked.count + RANKED_RUN, "%zu runs for %zu",
           ranked.runs, ranked.count);
    ranked_end(&ranked, &memory);
}

/* As percentile_cont: (n - 1) q into the members, in proportion between two. */
static void
try_quantiles(void)
{
    Ranked ranked;

    ranked_begin(&ranked, &memory);
    ranked_add(&ranked, 20, &memory);
    expect(ranked_quantile(&ranked, 0) == 20 && ranked_quantile(&ranked, 0.3) == 20, "one member");
    ranked_add(&ranked, 10, &memory);
    expect(ranked_quantile(&ranked, 0.5) == 15 && ranked_quantile(&ranked, 1) == 20, "two members");
    for (unsigned i = 0; i < 2000; i++)
        ranked_add(&ranked, 20 + i, &memory);
    expect(ranked_quantile(&ranked, 0) == 10 && ranked_quantile(&ranked, 1) == 2019, "the ends");
    expect(ranked_quantile(&ranked, 0.75) == ranked_at(&ranked, 1500) + 0.75, "%g",
           ranked_quantile(&ranked, 0.75));
    ranked_end(&ranked, &memory);

    ranked_begin(&ranked, &memory);
    ranked_add(&ranked, -1.7e308, &memory);
    ranked_add(&ranked, 1.7e308, &memory);
    ranked_add(&ranked, -0.0, &memory);
    expect(fabs(ranked_quantile(&ranked, 0.25) - -0.85e308) < 1e293, "%g",
           ranked_quantile(&ranked, 0.25));
    expect(!signbit(ranked_quantile(&ranked, 0.5)), "-0");
    expect(ranked_remove(&ranked, 0.0, &memory), "0 is -0");
    expect(isfinite(ranked_quantile(&ranked, 0.25)) && ranked_quantile(&ranked, 0.5) == 0,
           "the difference overflows: %g", ranked_quantile(&ranked, 0.5));
    ranked_end(&ranked, &memory);
}

int
main(void)
{
    try(1000000, 1);
    try(300, 2);
    try(1, 3);
    conclude("members and their order, as a sorted array has them");
    try_equal();
    conclude("one number in many runs");
    try_thin();
    conclude("runs do not get thin");
    try_quantiles();
    conclude("quantiles as percentile_cont, at the ends of the range, too");
    expect(memory_used.pieces == 0, "memory was kept");
    conclude("memory is given back");
    return conclude_all();
}
