/*
 * sorted_runs.h - elements in their order, in a collection that gains and loses members.
 *
 * The elements are in order, divided into runs of at most RUNS_OF elements. Adding or removing an
 * element takes a search among the first elements of the runs, a search inside a run, and a move of
 * the rest of that run. A full run is split in halves. A run that lost an element is joined with a
 * neighbour if both together are at most three quarters full. So any two neighbours have more than
 * half a run of elements together: halves that were just split have it alone, and two runs that
 * lose elements are joined before they fall below. Hence runs are at least a quarter full on
 * average, and a collection takes at most four times the bytes of its elements, and one run more.
 *
 * Interface: a file that wants a collection defines
 *
 *     RUNS_ELEMENT          type of the elements
 *     RUNS_BEFORE(a, b)     whether *a stands before *b
 *     RUNS_OF               elements of a full run, at least 8
 *
 * and includes this file, which defines static functions runs_add, runs_remove and runs_element for
 * it; runs_begin and runs_end are the same for all. Elements may be equal.
 * Limitations: one type of elements in a file. Beyond some ten thousand runs the array of runs
 * takes most of the time; a tree over them would help.
 */
#ifndef SORTED_RUNS_H
#define SORTED_RUNS_H

#include <string.h>

#include "core/sketch.h"

#define RUNS_ROOM_MIN 8

typedef struct SortedRun {
    void *element; /* room for a full run */
    size_t count;  /* at least 1 */
} SortedRun;

typedef struct SortedRuns {
    SortedRun *run;
    size_t runs;
    size_t room;  /* for runs */
    size_t count; /* of elements */
} SortedRuns;

static inline void
runs_begin(SortedRuns *all, const SketchMemory *memory)
{
    *all = (SortedRuns){
        .run = memory->scratch(RUNS_ROOM_MIN * sizeof(SortedRun), memory->context),
        .room = RUNS_ROOM_MIN,
    };
}

static inline void
runs_end(SortedRuns *all, const SketchMemory *memory)
{
    for (size_t i = 0; i < all->runs; i++)
        memory->release(all->run[i].element, memory->context);
    memory->release(all->run, memory->context);
}

#endif

#ifdef RUNS_ELEMENT

/* Two neighbours join if they have at most this many elements: so they are not soon split again. */
#define RUNS_JOINED_MAX (RUNS_OF * 3 / 4)

static inline RUNS_ELEMENT *
runs_first(const SortedRun *run)
{
    return run->element;
}

/* Finds the last run beginning at or before the element; the first run if none does. */
static inline size_t
runs_search(const SortedRuns *all, const RUNS_ELEMENT *element)
{
    size_t low = 0;
    size_t high = all->runs;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (RUNS_BEFORE(element, runs_first(&all->run[middle])))
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Counts the elements of a run before the element. */
static inline size_t
runs_place(const SortedRun *run, const RUNS_ELEMENT *element)
{
    size_t low = 0;
    size_t left = run->count;

    while (left > 0) {
        size_t half = left / 2;

        if (RUNS_BEFORE(runs_first(run) + low + half, element)) {
            low += half + 1;
            left -= half + 1;
        } else
            left = half;
    }
    return low;
}

/* Inserts a run without elements at place i. */
static SortedRun *
runs_insert(SortedRuns *all, size_t i, const SketchMemory *memory)
{
    if (all->runs == all->room) {
        SortedRun *wider = memory->scratch(2 * all->room * sizeof(SortedRun), memory->context);

        memcpy(wider, all->run, all->runs * sizeof(SortedRun));
        memory->release(all->run, memory->context);
        all->run = wider;
        all->room *= 2;
    }
    memmove(all->run + i + 1, all->run + i, (all->runs++ - i) * sizeof(SortedRun));
    all->run[i] = (SortedRun){memory->scratch(RUNS_OF * sizeof(RUNS_ELEMENT), memory->context), 0};
    return &all->run[i];
}

static void
runs_drop(SortedRuns *all, size_t i, const SketchMemory *memory)
{
    memory->release(all->run[i].element, memory->context);
    memmove(all->run + i, all->run + i + 1, (--all->runs - i) * sizeof(SortedRun));
}

/* The upper half of run i becomes a run of its own. */
static void
runs_split(SortedRuns *all, size_t i, const SketchMemory *memory)
{
    SortedRun *upper = runs_insert(all, i + 1, memory);
    SortedRun *lower = &all->run[i];

    upper->count = lower->count / 2;
    lower->count -= upper->count;
    memcpy(upper->element, runs_first(lower) + lower->count, upper->count * sizeof(RUNS_ELEMENT));
}

/* Run i takes in the next one if there is one and both together are small. */
static void
runs_join_next(SortedRuns *all, size_t i, const SketchMemory *memory)
{
    SortedRun *run = &all->run[i];

    if (i + 1 < all->runs && run[0].count + run[1].count <= RUNS_JOINED_MAX) {
        memcpy(runs_first(run) + run[0].count, run[1].element, run[1].count * sizeof(RUNS_ELEMENT));
        run[0].count += run[1].count;
        runs_drop(all, i + 1, memory);
    }
}

static void
runs_add(SortedRuns *all, RUNS_ELEMENT element, const SketchMemory *memory)
{
    RUNS_ELEMENT *at;
    SortedRun *run;
    size_t i;

    if (all->runs == 0)
        runs_insert(all, 0, memory);
    i = runs_search(all, &element);
    if (all->run[i].count == RUNS_OF) {
        runs_split(all, i, memory);
        i += !RUNS_BEFORE(&element, runs_first(&all->run[i + 1]));
    }
    run = &all->run[i];
    at = runs_first(run) + runs_place(run, &element);
    memmove(at + 1, at, (size_t)(runs_first(run) + run->count - at) * sizeof element);
    *at = element;
    run->count++;
    all->count++;
}

/* Removes an element that stands neither before nor behind this one; false if there is none. */
static bool
runs_remove(SortedRuns *all, RUNS_ELEMENT element, const SketchMemory *memory)
{
    size_t i, place;
    RUNS_ELEMENT *at;
    SortedRun *run;

    if (all->runs == 0)
        return false;
    i = runs_search(all, &element);
    run = &all->run[i];
    place = runs_place(run, &element);
    at = runs_first(run) + place;
    if (place == run->count || RUNS_BEFORE(&element, at))
        return false;
    run->count--;
    all->count--;
    memmove(at, at + 1, (run->count - place) * sizeof element);
    if (run->count == 0)
        runs_drop(all, i, memory);
    else {
        runs_join_next(all, i, memory);
        if (i > 0)
            runs_join_next(all, i - 1, memory);
    }
    return true;
}

/* Element k in the order, counted from 0; k is below `count`. */
static inline const RUNS_ELEMENT *
runs_element(const SortedRuns *all, size_t k)
{
    const SortedRun *run = all->run;

    while (k >= run->count)
        k -= run++->count;
    return runs_first(run) + k;
}

#endif
