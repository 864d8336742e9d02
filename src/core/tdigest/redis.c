/*
 * redis.c - t-digests of Redis, as DUMP returns them.
 *
 * Fields of the module value: compression, least and greatest value (doubles); capacity, merged
 * and unmerged centroids, compressions so far (signed); merged and unmerged weight (doubles); the
 * means and then the weights of the centroids (doubles). Redis merges before it dumps, so none are
 * unmerged. Nothing is taken from the payload that is not checked, and nothing is allocated for
 * more centroids than it has bytes for.
 *
 * Redis keeps the extremes beside centroids that may hold more than one value. Here they are
 * centroids of their own, so one value of the weight of the outer centroids moves to each extreme
 * and the remaining mean moves accordingly.
 */
#include <math.h>

#include "core/common/redis_dump.h"
#include "tdigest_internal.h"

#define MODULE_ID UINT64_C(0x4c3212f9360f1000) /* TDIS-TYPE, encoding version 0 */
#define FIELD_BYTES 9                          /* a double and its opcode */

/* Splits the extreme value off an outer centroid of more than one. */
static void
split_extreme(TdigestCentroid *outer, TdigestCentroid *single, double extreme)
{
    double weight = (double)outer->weight;

    *single = (TdigestCentroid){extreme, 1};
    outer->mean += (outer->mean - extreme) / (weight - 1);
    outer->weight--;
}

static bool
read_centroids(ByteReader *fields, TdigestCentroid *centroids, uint32_t count, uint64_t *total)
{
    for (uint32_t i = 0; i < count; i++)
        centroids[i].mean = redis_dump_double(fields) + 0.0;
    *total = 0;
    for (uint32_t i = 0; i < count; i++) {
        double weight = redis_dump_double(fields);

        if (!isfinite(centroids[i].mean) || !(weight >= 1 && weight <= 0x1p53) ||
            weight != floor(weight) || (i > 0 && centroids[i].mean < centroids[i - 1].mean))
            return false;
        centroids[i].weight = (uint64_t)weight;
        *total += centroids[i].weight;
        if (*total > TDIGEST_WEIGHT_MAX)
            return false;
    }
    return redis_dump_end(fields);
}

/* Makes the extremes centroids of their own; returns the new count. `list` has room in front. */
static bool
set_extremes(TdigestCentroid **list, uint32_t *count, double low, double high)
{
    TdigestCentroid *first = *list;
    TdigestCentroid *last = *list + *count - 1;

    if (!isfinite(low) || !isfinite(high) || low > first->mean || high < last->mean ||
        (*count == 1 && first->weight == 1 && low != high))
        return false;
    if (last->weight > 1 && last->mean < high) {
        split_extreme(last, last + 1, high);
        ++*count;
    } else
        last->mean = high + 0.0;
    if (first->weight > 1 && first->mean > low) {
        split_extreme(first, first - 1, low);
        --*list;
        ++*count;
    } else
        first->mean = low + 0.0;
    /* What is left of the outer centroids has to stay within the extremes and in order. */
    for (uint32_t i = 1; i < *count; i++)
        (*list)[i].mean = fmin(fmax((*list)[i].mean, (*list)[i - 1].mean), high) + 0.0;
    return true;
}

bool
tdigest_from_redis(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                   SketchError *error)
{
    ByteReader fields;
    double compression, low, high;
    int64_t merged, unmerged;
    TdigestCentroid *room, *list;
    Tdigest digest = {.requested = 0, .quantiles = (const uint8_t *)""};
    bool good;

    if (!redis_dump_module(input, MODULE_ID, &fields, error))
        return false;
    compression = redis_dump_double(&fields);
    low = redis_dump_double(&fields);
    high = redis_dump_double(&fields);
    redis_dump_signed(&fields); /* capacity */
    merged = redis_dump_signed(&fields);
    unmerged = redis_dump_signed(&fields);
    redis_dump_signed(&fields); /* compressions */
    redis_dump_double(&fields); /* merged weight: added up anew */
    redis_dump_double(&fields); /* unmerged weight */
    if (fields.failed || !(compression >= 1) || unmerged != 0 || merged < 0 ||
        (uint64_t)merged > bytes_left(&fields) / (2 * FIELD_BYTES))
        return sketch_refuse(error, SKETCH_MALFORMED, "Damaged t-digest in the DUMP payload");

    room = memory->scratch(((size_t)merged + 2) * sizeof(TdigestCentroid), memory->context);
    list = room + 1;
    digest.count = (uint32_t)merged;
    good = read_centroids(&fields, list, digest.count, &digest.weight) &&
           (digest.count == 0 || set_extremes(&list, &digest.count, low, high));
    if (good) {
        digest.compression =
            (unsigned)fmin(fmax(compression, TDIGEST_COMPRESSION_MIN), TDIGEST_COMPRESSION_MAX);
        digest.centroids = list;
        *value = tdigest_write_packed(&digest, memory);
    }
    memory->release(room, memory->context);
    return good || sketch_refuse(error, SKETCH_MALFORMED, "Damaged t-digest in the DUMP payload");
}
