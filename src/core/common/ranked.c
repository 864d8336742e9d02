/*
 * ranked.c - see ranked.h.
 */
#include "ranked.h"

#include <math.h>
#include <string.h>

#define ROOM_MIN 8

/* Two neighbours join if they have at most this many numbers: so they are not soon split again. */
#define JOINED_MAX (RANKED_RUN * 3 / 4)

void
ranked_begin(Ranked *ranked, const SketchMemory *memory)
{
    *ranked = (Ranked){
        .run = memory->scratch(ROOM_MIN * sizeof64(RankedRun), memory->context),
        .room = ROOM_MIN,
    };
}

void
ranked_end(Ranked *ranked, const SketchMemory *memory)
{
    for (size_t i = 0; i < ranked->runs; i++)
        memory->release(ranked->run[i].number, memory->context);
    memory->release(ranked->run, memory->context);
}

/* Finds the last run beginning at or before a number; the first run if none does. */
static inline size_t
search_runs(const Ranked *ranked, double number)
{
    size_t low = 0;
    size_t high = ranked->runs;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (number < ranked->run[middle].number[0])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Counts the numbers of a run below a number. */
static inline size_t
place_in(const RankedRun *run, double number)
{
    size_t low = 0;
    size_t left = run->count;

    while (left > 0) {
        size_t half = left / 2;

        if (run->number[low + half] < number) {
            low += half + 1;
            left -= half + 1;
        } else
            left = half;
    }
    return low;
}

/* Inserts a run without numbers at place i. */
static RankedRun *
insert_run(Ranked *ranked, size_t i, const SketchMemory *memory)
{
    if (ranked->runs == ranked->room) {
        RankedRun *wider = memory->scratch(2 * ranked->room * sizeof64(RankedRun), memory->context);

        memcpy(wider, ranked->run, ranked->runs * sizeof(RankedRun));
        memory->release(ranked->run, memory->context);
        ranked->run = wider;
        ranked->room *= 2;
    }
    memmove(ranked->run + i + 1, ranked->run + i, (ranked->runs++ - i) * sizeof(RankedRun));
    ranked->run[i] =
        (RankedRun){memory->scratch(RANKED_RUN * sizeof64(double), memory->context), 0};
    return &ranked->run[i];
}

static void
drop_run(Ranked *ranked, size_t i, const SketchMemory *memory)
{
    memory->release(ranked->run[i].number, memory->context);
    memmove(ranked->run + i, ranked->run + i + 1, (--ranked->runs - i) * sizeof(RankedRun));
}

/* The upper half of run i becomes a run of its own. */
static void
split_run(Ranked *ranked, size_t i, const SketchMemory *memory)
{
    RankedRun *upper = insert_run(ranked, i + 1, memory);
    RankedRun *lower = &ranked->run[i];

    upper->count = lower->count / 2;
    lower->count -= upper->count;
    memcpy(upper->number, lower->number + lower->count, upper->count * sizeof(double));
}

/* Run i takes in the next one if there is one and both together are small. */
static void
join_next(Ranked *ranked, size_t i, const SketchMemory *memory)
{
    RankedRun *run = &ranked->run[i];

    if (i + 1 < ranked->runs && run[0].count + run[1].count <= JOINED_MAX) {
        memcpy(run[0].number + run[0].count, run[1].number, run[1].count * sizeof(double));
        run[0].count += run[1].count;
        drop_run(ranked, i + 1, memory);
    }
}

void
ranked_add(Ranked *ranked, double number, const SketchMemory *memory)
{
    RankedRun *run;
    double *at;
    size_t i;

    number += 0.0; /* -0 becomes 0 */
    if (ranked->runs == 0)
        insert_run(ranked, 0, memory);
    i = search_runs(ranked, number);
    if (ranked->run[i].count == RANKED_RUN) {
        split_run(ranked, i, memory);
        i += !(number < ranked->run[i + 1].number[0]);
    }
    run = &ranked->run[i];
    at = run->number + place_in(run, number);
    memmove(at + 1, at, (size_t)(run->number + run->count - at) * sizeof(double));
    *at = number;
    run->count++;
    ranked->count++;
}

bool
ranked_remove(Ranked *ranked, double number, const SketchMemory *memory)
{
    size_t i, place;
    RankedRun *run;

    if (ranked->runs == 0)
        return false;
    i = search_runs(ranked, number);
    run = &ranked->run[i];
    place = place_in(run, number);
    if (place == run->count || number < run->number[place])
        return false;
    run->count--;
    ranked->count--;
    memmove(run->number + place, run->number + place + 1, (run->count - place) * sizeof(double));
    if (run->count == 0)
        drop_run(ranked, i, memory);
    else {
        join_next(ranked, i, memory);
        if (i > 0)
            join_next(ranked, i - 1, memory);
    }
    return true;
}

double
ranked_at(const Ranked *ranked, size_t k)
{
    const RankedRun *run = ranked->run;

    while (k >= run->count)
        k -= run++->count;
    return run->number[k];
}

double
ranked_quantile(const Ranked *ranked, double q)
{
    double place = q * (double)(ranked->count - 1);
    size_t below = (size_t)floor(place);
    double share = place - (double)below;
    double low = ranked_at(ranked, below);
    double high = share > 0 ? ranked_at(ranked, below + 1) : low;

    /* As percentile_cont has it to the last digit; where the difference overflows it cannot. */
    if (isfinite(high - low))
        return low + share * (high - low);
    return low - share * low + share * high;
}
