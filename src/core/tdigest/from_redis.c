/*
 * from_redis.c - t-digests of Redis, as DUMP returns them.
 *
 * Fields of the module value: compression, least and greatest value (doubles); capacity, merged
 * and unmerged centroids, compressions so far (signed); merged and unmerged weight (doubles); the
 * means and then the weights of the centroids (doubles). Redis merges before it dumps, so none are
 * unmerged. Nothing is taken from the payload that is not checked, and nothing is allocated for
 * more centroids than it has bytes for.
 */
#include <math.h>

#include "core/common/redis_dump.h"
#include "import.h"

#define MODULE_ID UINT64_C(0x4c3212f9360f1000) /* TDIS-TYPE, encoding version 0 */
#define FIELD_BYTES 9                          /* a double and its opcode */

static bool
read_centroids(ByteReader means, size_t count, TdigestImport *import)
{
    ByteReader weights = means;
    double before = -INFINITY;

    read_span(&weights, count * FIELD_BYTES);
    for (size_t i = 0; i < count; i++) {
        double mean = redis_dump_double(&means);
        double weight = redis_dump_double(&weights);

        if (weights.failed || means.failed || !(weight >= 1 && weight <= 0x1p53) ||
            weight != floor(weight) || mean < before ||
            !tdigest_import_add(import, mean, (uint64_t)weight))
            return false;
        before = mean;
    }
    return redis_dump_end(&weights);
}

bool
tdigest_from_redis(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                   SketchError *error)
{
    ByteReader fields;
    double compression, low, high;
    int64_t merged, unmerged;
    TdigestImport import;
    bool good;

    if (!redis_dump_module(input, MODULE_ID, &fields, memory, error))
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
    if (!tdigest_import_begin(&import, (uint64_t)merged, memory, error))
        return false;
    good = read_centroids(fields, (size_t)merged, &import) &&
           tdigest_import_extremes(&import, low, high, TDIGEST_OUTER_MEANS);
    if (good)
        *value = tdigest_import_finish(&import, compression, 0);
    tdigest_import_end(&import);
    return good || sketch_refuse(error, SKETCH_MALFORMED, "Damaged t-digest in the DUMP payload");
}
