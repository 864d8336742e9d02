/*
 * ranked.c - see ranked.h.
 */
#include "ranked.h"

#include <math.h>

#define RUNS_ELEMENT double
#define RUNS_BEFORE(a, b) (*(a) < *(b))
#define RUNS_OF RANKED_RUN
#include "sorted_runs.h"

void
ranked_begin(Ranked *ranked, const SketchMemory *memory)
{
    runs_begin(ranked, memory);
}

void
ranked_end(Ranked *ranked, const SketchMemory *memory)
{
    runs_end(ranked, memory);
}

void
ranked_add(Ranked *ranked, double number, const SketchMemory *memory)
{
    runs_add(ranked, number + 0.0, memory); /* -0 becomes 0 */
}

bool
ranked_remove(Ranked *ranked, double number, const SketchMemory *memory)
{
    return runs_remove(ranked, number, memory);
}

double
ranked_at(const Ranked *ranked, size_t k)
{
    return *runs_element(ranked, k);
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
