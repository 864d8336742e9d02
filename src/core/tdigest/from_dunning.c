/*
 * from_dunning.c - t-digests as T. Dunning's own library writes them, its MergingDigest and its
 * AVLTreeDigest, by asBytes and asSmallBytes.
 *
 * All is big-endian. Bytes 0 to 3 say which form it is:
 *
 *     1, verbose   least, greatest, compression (doubles), n (4 bytes), then
 *                  MergingDigest: n times weight and mean (doubles)
 *                  AVLTreeDigest: n means (doubles), n weights (4 bytes each)
 *     2, small     least, greatest (doubles), then
 *                  MergingDigest: compression (float), two capacities and n (2 bytes each), n times
 *                  weight and mean (floats)
 *                  AVLTreeDigest: compression (double), n (4 bytes), n differences from the mean
 *                  before (floats), n weights (varints)
 *
 * No byte says which of the two digests it is, but for each the length follows from the header, and
 * these agree for empty digests only. In small forms a mean may lie outside the extremes by the
 * rounding of floats, and is brought back.
 */
#include <math.h>

#include "core/common/varint.h"
#include "import.h"

#define VERBOSE 1
#define SMALL 2

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

/* What the header says. */
typedef struct Dunning {
    bool small, avl;
    double low, high, compression;
    uint32_t count;
} Dunning;

/* Reads a header; what is left has to have the length that the form says. */
static bool
read_header(ByteReader *r, Dunning *d)
{
    uint32_t form = read_be32(r), capacities = 1;
    ByteReader merging;

    d->small = form == SMALL;
    d->low = read_be_double(r);
    d->high = read_be_double(r);
    merging = *r;
    d->compression = d->small ? read_be_float(&merging) : read_be_double(&merging);
    if (d->small)
        capacities = read_be32(&merging);
    d->count = d->small ? read_be16(&merging) : read_be32(&merging);
    d->avl = merging.failed || capacities == 0 ||
             bytes_left(&merging) != (uint64_t)d->count * (d->small ? 8 : 16);
    if (d->avl) {
        d->compression = read_be_double(r);
        d->count = read_be32(r);
    } else
        *r = merging;
    return !r->failed && (form == VERBOSE || form == SMALL);
}

static double
read_mean(ByteReader *r, const Dunning *d)
{
    return d->small ? read_be_float(r) : read_be_double(r);
}

/* The reader of means is that of weights, too, where they are in turn. */
static double
read_weight(ByteReader *weights, const Dunning *d)
{
    if (!d->avl)
        return d->small ? read_be_float(weights) : read_be_double(weights);
    return d->small ? (double)read_varint(weights) : read_be32(weights);
}

static bool
read_centroids(ByteReader r, const Dunning *d, TdigestImport *import)
{
    ByteReader behind = r, *weights = d->avl ? &behind : &r;
    double before = 0;

    if (d->avl)
        read_span(&behind, (size_t)d->count * (d->small ? 4 : 8));
    for (uint32_t i = 0; i < d->count; i++) {
        double weight = read_weight(weights, d), mean = read_mean(&r, d);

        if (!(weight >= 1 && weight <= 0x1p53) || weight != floor(weight))
            return sketch_refuse(import->error, SKETCH_MALFORMED, "A weight is not whole");
        if (d->avl && d->small)
            mean = before += mean;
        if (d->small && isfinite(mean))
            mean = fmin(fmax(mean, d->low), d->high);
        if (i > 0 && mean < import->centroids[i - 1].mean)
            return sketch_refuse(import->error, SKETCH_MALFORMED,
                                 "Means are not in ascending order");
        if (!tdigest_import_add(import, mean, (uint64_t)weight))
            return false;
    }
    if (weights->failed || bytes_left(weights) != 0)
        return sketch_refuse(import->error, SKETCH_MALFORMED,
                             "The length does not match the contents");
    return tdigest_import_extremes(import, d->low, d->high, TDIGEST_OUTER_MEANS);
}

bool
tdigest_from_dunning(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                     SketchError *error)
{
    ByteReader r = byte_reader(input.data, input.size);
    TdigestImport import;
    Dunning d;
    bool good;

    if (!read_header(&r, &d))
        return sketch_refuse(error, SKETCH_MALFORMED, "Not a t-digest of Dunning's library");
    /* A centroid of the AVLTreeDigest has at least 5 bytes, or 12. */
    if (d.avl &&
        (d.small ? d.count > bytes_left(&r) / 5 : bytes_left(&r) != (uint64_t)d.count * 12))
        return sketch_refuse(error, SKETCH_MALFORMED, "The length does not match the contents");
    if (!(d.compression >= 1))
        return sketch_refuse(error, SKETCH_MALFORMED, "The compression is not at least 1");
    if (!tdigest_import_begin(&import, d.count, memory, error))
        return false;
    good = read_centroids(r, &d, &import);
    if (good)
        *value = tdigest_import_finish(&import, d.compression, 3 * d.compression);
    tdigest_import_end(&import);
    return good;
}
