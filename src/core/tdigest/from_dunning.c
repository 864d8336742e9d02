/*
 * from_dunning.c - t-digests as T. Dunning's own library writes them, by MergingDigest.asBytes and
 * asSmallBytes.
 *
 * All is big-endian. Bytes 0 to 3 say which form it is:
 *
 *     1, verbose   least, greatest, compression (doubles), n (4 bytes), n times weight and mean
 *                  (doubles)
 *     2, small     least, greatest (doubles), compression (float), two capacities and n (2 bytes
 *                  each), n times weight and mean (floats)
 *
 * In the small form a mean may lie outside the extremes by the rounding of a float, and is brought
 * back. The forms of the library's AVLTreeDigest are others, and refused by their length.
 */
#include <math.h>

#include "import.h"

#define VERBOSE 1
#define SMALL 2
#define VERBOSE_HEADER 32
#define SMALL_HEADER 30

static double
read_be_double(ByteReader *r)
{
    uint64_t bits = read_be64(r);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double
read_be_float(ByteReader *r)
{
    uint32_t bits = read_be32(r);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool
read_centroids(ByteReader *r, bool small, uint32_t count, double low, double high,
               TdigestImport *import)
{
    for (uint32_t i = 0; i < count; i++) {
        double weight = small ? read_be_float(r) : read_be_double(r);
        double mean = small ? read_be_float(r) : read_be_double(r);

        if (!(weight >= 1 && weight <= 0x1p53) || weight != floor(weight))
            return sketch_refuse(import->error, SKETCH_MALFORMED, "A weight is not whole");
        if (small && isfinite(mean))
            mean = fmin(fmax(mean, low), high);
        if (i > 0 && mean < import->centroids[i - 1].mean)
            return sketch_refuse(import->error, SKETCH_MALFORMED,
                                 "Means are not in ascending order");
        if (!tdigest_import_add(import, mean, (uint64_t)weight))
            return false;
    }
    return tdigest_import_extremes(import, low, high, TDIGEST_OUTER_MEANS);
}

bool
tdigest_from_dunning(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                     SketchError *error)
{
    ByteReader r = byte_reader(input.data, input.size);
    uint32_t form = read_be32(&r);
    bool small = form == SMALL;
    double low = read_be_double(&r);
    double high = read_be_double(&r);
    double compression = small ? read_be_float(&r) : read_be_double(&r);
    uint32_t count;
    TdigestImport import;
    bool good;

    if (small)
        read_be32(&r); /* capacities */
    count = small ? read_be16(&r) : read_be32(&r);
    if (r.failed || (form != VERBOSE && form != SMALL))
        return sketch_refuse(error, SKETCH_MALFORMED, "Not a t-digest of Dunning's library");
    if (bytes_left(&r) != (uint64_t)count * (small ? 8 : 16))
        return sketch_refuse(error, SKETCH_MALFORMED, "The length does not match the contents");
    if (!(compression >= 1))
        return sketch_refuse(error, SKETCH_MALFORMED, "The compression is not at least 1");
    if (!tdigest_import_begin(&import, count, memory, error))
        return false;
    good = read_centroids(&r, small, count, low, high, &import);
    if (good)
        *value = tdigest_import_finish(&import, compression, 3 * compression);
    tdigest_import_end(&import);
    return good;
}
