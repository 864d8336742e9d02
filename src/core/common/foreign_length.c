/*
 * foreign_length.c - sketches of other systems without a mark at the front, whose lengths fit.
 *
 * Counts in the header say how long the rest is; a number or two that is in its range goes with it.
 * Those with the most of that come first.
 *
 * References: Spark, BloomFilter and CountMinSketch; Guava, BloomFilter.writeTo. T. Dunning's
 * t-digest, AVLTreeDigest and MergingDigest. stream-lib, HyperLogLog. airlift (Trino) and Presto,
 * their HyperLogLogs, set digests, t-digests and quantile digests. ClickHouse, the states of
 * quantileTDigest, uniq and groupBitmap.
 */
#include "foreign_internal.h"

#include <math.h>

#include "varint.h"

static bool
between(uint64_t number, uint64_t low, uint64_t high)
{
    return number >= low && number <= high;
}

/* Spark: a version, and counts of 4 bytes, big-endian, before longs. */
static bool
spark_mark(SketchBytes input, ForeignMark *mark)
{
    uint64_t version, depth, width;

    if (input.size < 20 || !between(version = foreign_be(input.data, 4), 1, 2))
        return false;
    /* Hash functions, in version 2 a seed, words. */
    if (between(foreign_be(input.data + 4, 4), 1, 255) &&
        input.size == 8 + 4 * version + UINT64_C(8) * foreign_be(input.data + 4 + 4 * version, 4))
        return foreign_found(mark, "a Bloom filter of Spark", NULL,
                             "its hash function is its own: make a bloom of the items");
    /* The total, depth, width, a long for each row, and the table. */
    depth = foreign_be(input.data + 12, 4);
    width = foreign_be(input.data + 16, 4);
    if (version == 1 && between(depth, 1, 1000) && width > 0 &&
        input.size == 20 + UINT64_C(8) * depth * (1 + width))
        return foreign_found(mark, "a Count-Min sketch of Spark", NULL,
                             "its hash functions are its own: count again from the rows");
    return false;
}

/* Guava: which strategy, how many hash functions, how many longs. */
static bool
guava_mark(SketchBytes input, ForeignMark *mark)
{
    if (input.size < 14 || input.data[0] > 1 || input.data[1] == 0 ||
        input.size != 6 + UINT64_C(8) * foreign_be(input.data + 2, 4))
        return false;
    return foreign_found(mark, "a Bloom filter of Guava", NULL,
                         "its hash function is its own: make a bloom of the items");
}

/* Dunning's: version 1 (verbose) or 2 (small), big-endian, of two trees. */
static bool
dunning_mark(SketchBytes input, ForeignMark *mark)
{
    uint64_t version;

    if (input.size < 32)
        return false;
    version = foreign_be(input.data, 4);
    if ((version == 1 && input.size == 32 + UINT64_C(16) * foreign_be(input.data + 28, 4)) ||
        (version == 2 && input.size == 30 + UINT64_C(8) * foreign_be(input.data + 28, 2)))
        return foreign_found(mark, "a MergingDigest of Dunning's library", "tdigest_from_dunning",
                             NULL);
    if ((version == 1 && input.size == 32 + UINT64_C(12) * foreign_be(input.data + 28, 4)) ||
        (version == 2 && input.size >= 32 + UINT64_C(5) * foreign_be(input.data + 28, 4) &&
         input.size <= 32 + UINT64_C(9) * foreign_be(input.data + 28, 4) &&
         foreign_be(input.data + 28, 4) > 0))
        return foreign_found(mark, "an AVLTreeDigest of Dunning's library or stream-lib",
                             "tdigest_from_dunning", NULL);
    return false;
}

/* The binary form of the tdigest extension: flags, count, compression, centroids of 16 bytes. */
static bool
extension_mark(SketchBytes input, ForeignMark *mark)
{
    if (input.size < 20 || foreign_be(input.data, 4) > 1 || foreign_be(input.data + 12, 4) < 10 ||
        foreign_be(input.data + 12, 4) > 10000 ||
        input.size != 20 + UINT64_C(16) * foreign_be(input.data + 16, 4))
        return false;
    return foreign_found(mark, "a value of the tdigest extension", "tdigest_from_tdigest_extension",
                         NULL);
}

/* stream-lib: log2m and the bytes of its registers, big-endian. */
static bool
stream_lib_mark(SketchBytes input, ForeignMark *mark)
{
    if (input.size < 12 || foreign_be(input.data, 4) < 4 || foreign_be(input.data, 4) > 30 ||
        foreign_be(input.data + 4, 4) != input.size - 8)
        return false;
    return foreign_found(mark, "a HyperLogLog of stream-lib", NULL,
                         "its hash function is its own: count again from the rows");
}

/* airlift: a tag, p, and in the sparse form the number of entries of 4 bytes. */
static bool
airlift_mark(SketchBytes input, ForeignMark *mark)
{
    unsigned p;

    if (input.size < 4 || input.data[0] < 2 || input.data[0] > 3)
        return false;
    p = input.data[1];
    if (p < 4 || p > 16 ||
        (input.data[0] == 2
             ? input.size != 4 + (size_t)4 * load_le16(input.data + 2)
             : input.size < 5 + ((size_t)1 << p) / 2 ||
                   input.size != 5 + ((size_t)1 << p) / 2 +
                                     (size_t)3 * load_le16(input.data + 3 + ((size_t)1 << p) / 2)))
        return false;
    return foreign_found(mark, "a HyperLogLog of Presto or Trino", NULL,
                         "its hash function is its own: count again from the rows");
}

/* airlift's HyperLogLog with a length, in front of hashes. */
static bool
set_digest_mark(SketchBytes input, ForeignMark *mark)
{
    SketchBytes hll;

    if (input.size < 17 || input.data[0] != 1 || load_le32(input.data + 1) > input.size - 13)
        return false;
    hll = (SketchBytes){input.data + 5, load_le32(input.data + 1)};
    return airlift_mark(hll, mark) &&
           foreign_found(mark, "a set digest of Presto or Trino", NULL,
                         "its hash function is its own: count again from the rows");
}

/*
 * Format 0, the extremes, compression, weight, how many centroids, means, weights; or format 1 and
 * the type of doubles, 0, the same with the sum behind the extremes.
 */
static bool
airlift_tdigest_mark(SketchBytes input, ForeignMark *mark)
{
    const bool presto = input.size > 1 && input.data[0] == 1 && input.data[1] == 0;
    const size_t extremes = presto ? 2 : 1, compression = extremes + (presto ? 24 : 16);
    const size_t count = compression + 16;
    uint64_t centroids;

    if (input.size < count + 4 || (!presto && input.data[0] != 0))
        return false;
    centroids = load_le32(input.data + count);
    if (input.size != count + 4 + 16 * centroids ||
        !(load_le_double(input.data + compression) >= 10) ||
        !(load_le_double(input.data + compression) <= 1e6) ||
        (centroids > 0 &&
         !(load_le_double(input.data + extremes) <= load_le_double(input.data + extremes + 8))))
        return false;
    return foreign_found(mark, "a t-digest of Presto or Trino", NULL,
                         "pass its means and weights, as destructure_tdigest returns them, to "
                         "tdigest_weighted_agg");
}

/*
 * A format, the error, decay, when it began, extremes, how many nodes. The numbers of other
 * systems, big-endian, would be tiny or huge here.
 */
static bool
qdigest_mark(SketchBytes input, ForeignMark *mark)
{
    double error, decay;

    if (input.size < 45 || input.data[0] != 0 ||
        UINT64_C(9) * load_le32(input.data + 41) > input.size - 45)
        return false;
    error = load_le_double(input.data + 1);
    decay = load_le_double(input.data + 9);
    return error >= 1e-6 && error <= 1 && (decay == 0 || (decay >= 1e-12 && decay < 1)) &&
           foreign_found(mark, "a quantile digest of Presto or Trino", NULL,
                         "pass the rows to tdigest_agg");
}

/*
 * Version 1 and a form in the first byte, then regwidth and log2m, and data as the form has them.
 */
static bool
postgresql_hll_mark(SketchBytes input, ForeignMark *mark)
{
    uint64_t width, registers, size;

    if (input.size < 3 || input.data[0] >> 4 != 1 || input.data[2] > 0x7f)
        return false;
    width = (input.data[1] >> 5) + 1u;
    registers = UINT64_C(1) << (input.data[1] & 31);
    size = input.size - 3;
    switch (input.data[0] & 15) {
    case 0: /* undefined, empty */
    case 1:
        if (size != 0)
            return false;
        break;
    case 2: /* hashes */
        if (size == 0 || size % 8 != 0)
            return false;
        break;
    case 3: /* some registers */
        if (size == 0 || size > registers * (width + 31) / 8 + 1)
            return false;
        break;
    case 4: /* all of them */
        if (size != (registers * width + 7) / 8)
            return false;
        break;
    default:
        return false;
    }
    return foreign_found(mark, "a value of postgresql-hll",
                         "hll_from_postgresql_hll or a cast to hll", NULL);
}

/* A count as a varint, means and counts as floats. */
static bool
clickhouse_tdigest_mark(SketchBytes input, ForeignMark *mark)
{
    ByteReader r = byte_reader(input.data, input.size);
    uint64_t count = read_varint(&r);
    float before = -INFINITY;

    if (r.failed || !between(count, 1, 65536) || bytes_left(&r) != 8 * count)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        float mean = load_le_float(r.at + 8 * i), weight = load_le_float(r.at + 8 * i + 4);

        if (!(mean >= before) || !(weight >= 1) || isinf(weight))
            return false;
        before = mean;
    }
    return foreign_found(mark, "a quantileTDigest state of ClickHouse", NULL,
                         "pass the rows to tdigest_agg");
}

/* How much was left out, or that it is small; a count as a varint; so many numbers of 4 bytes. */
static bool
clickhouse_set_mark(SketchBytes input, ForeignMark *mark)
{
    ByteReader r;
    uint64_t count;

    if (input.size < 2 || input.data[0] > 20)
        return false;
    r = byte_reader(input.data + 1, input.size - 1);
    count = read_varint(&r);
    if (r.failed || count < 2 || count > input.size || bytes_left(&r) != 4 * count)
        return false;
    return foreign_found(mark, "a uniq or groupBitmap state of ClickHouse", NULL,
                         "of uniq, count again from the rows; of groupBitmap, pass what "
                         "bitmapToArray returns, an array, to roaring");
}

bool
foreign_length_mark(SketchBytes input, ForeignMark *mark)
{
    return spark_mark(input, mark) || guava_mark(input, mark) || dunning_mark(input, mark) ||
           extension_mark(input, mark) || stream_lib_mark(input, mark) ||
           airlift_mark(input, mark) || set_digest_mark(input, mark) ||
           airlift_tdigest_mark(input, mark) || postgresql_hll_mark(input, mark) ||
           clickhouse_tdigest_mark(input, mark) || qdigest_mark(input, mark) ||
           clickhouse_set_mark(input, mark);
}
