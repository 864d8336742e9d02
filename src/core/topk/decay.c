/*
 * decay.c - ageing: multiplies every count by a factor.
 */
#include <math.h>

#include "topk_internal.h"

/* Scale a count by a factor below 1, through a double: monotone, and never above the count. */
static uint64_t
scaled_down(uint64_t count, double factor)
{
    double scaled = floor((double)count * factor);

    return scaled < (double)count ? (uint64_t)scaled : count;
}

static uint64_t
scaled_up(uint64_t count, double factor)
{
    double scaled = ceil((double)count * factor);

    return scaled < (double)count ? (uint64_t)scaled : count;
}

/*
 * Rounding may make an error of 1 where there was none, so the error bound rises to the largest
 * error, even of a counter whose count is now 0. Such counters are dropped, and so are those whose
 * upper bound is below the error bound.
 */
static void
decay(Topk *topk, double factor)
{
    TopkHeader *h = &topk->header;
    uint64_t error_bound = scaled_up(h->error_bound, factor);
    uint64_t counted = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < h->counters; i++) {
        TopkCounter *c = &topk->counters[i];
        uint64_t upper = scaled_up(topk_upper(c), factor);

        c->count = scaled_down(c->count, factor);
        c->error = upper - c->count;
        if (c->error > error_bound)
            error_bound = c->error;
    }
    for (uint32_t i = 0; i < h->counters; i++)
        if (topk->counters[i].count > 0 && topk_upper(&topk->counters[i]) >= error_bound) {
            counted += topk->counters[i].count;
            topk->counters[kept++] = topk->counters[i];
        }
    h->counters = kept;
    h->total = scaled_up(h->total, factor);
    if (error_bound == 0 || h->total < counted + error_bound)
        h->total = counted + error_bound;
    h->error_bound = error_bound;
    if (h->total == 0)
        h->type = TOPK_NONE;
}

SketchBytes
topk_decay(SketchBytes value, double factor, const SketchMemory *memory)
{
    SketchBytes packed;
    Topk topk;

    if (!topk_read(&topk, value, memory))
        return (SketchBytes){NULL, 0};
    if (factor < 1)
        decay(&topk, factor);
    packed = topk_pack_counters(&topk, memory);
    topk_close(&topk, memory);
    return packed;
}
