/*
 * foreign.c - what are these bytes?
 *
 * Sketches of other systems come out of columns, files and clients as bytes whose kind nobody wrote
 * down, and somebody calls the function of another kind. Most formats begin with a mark, or have
 * lengths that fit nothing else. This file knows the marks of the sketches of the field, whether
 * they can be read or not, so that an error can say what came instead of what did not.
 *
 * It says what bytes look like; it decides nothing. The checks that cannot err by chance come
 * first: a value of ours as a whole, a checksum, then magic numbers, then headers, then lengths
 * (foreign_length.c).
 *
 * References: the formats that are read are described where they are read. Apache DataSketches:
 * the families of its preambles. RedisBloom, redis-roaring, valkey-bloom: the names of their module
 * types. stream-lib, HyperLogLogPlus. DataDog's sketches-go, the flags of Encode(). HdrHistogram:
 * its cookies. zetasketch (BigQuery): its HyperLogLog. ClickHouse: the state of groupBitmap.
 */
#include "foreign_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "redis_dump.h"
#include "varint.h"

/* ---- marks of fixed bytes at the front ---- */

typedef struct Magic {
    const char *bytes;
    uint8_t size;
    const char *what;
    const char *reader;
    const char *advice;
} Magic;

static const Magic magics[] = {
    {"HYLL", 4, "a HyperLogLog of Redis", "hll_from_redis", NULL},
    {"flags ", 6, "the text of the tdigest extension", "tdigest_from_tdigest_extension", NULL},
    {"\x1f\x8b", 2, "data compressed by gzip", NULL, "decompress it first"},
    {"\x28\xb5\x2f\xfd", 4, "data compressed by zstd", NULL, "decompress it first"},
    {"\xac\xed\x00\x05", 4, "a serialized Java object", NULL,
     "write the sketch by its own method, such as asBytes() or toByteArray()"},
    {"\x1c\x84\x93", 3, "an HdrHistogram", NULL,
     "pass its recorded values and their counts to ddsketch_weighted_agg"},
    {"\xff\xff\xff\xfe", 4, "a HyperLogLogPlus of stream-lib", NULL,
     "its hash function is its own: count again from the rows"},
    {"\x08\x70\x10", 3, "an HLL_COUNT sketch of BigQuery", NULL,
     "its hash function is its own: count again from the rows"},
};

static bool
starts_with(SketchBytes input, const char *bytes, size_t size)
{
    return input.size >= size && memcmp(input.data, bytes, size) == 0;
}

static bool
magic_mark(SketchBytes input, ForeignMark *mark)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (starts_with(input, magics[i].bytes, magics[i].size))
            return foreign_found(mark, magics[i].what, magics[i].reader, magics[i].advice);
    /* zlib has a check in its two bytes; the first says deflate and the size of the window. */
    if (input.size > 2 && input.data[0] == 0x78 && foreign_be(input.data, 2) % 31 == 0)
        return foreign_found(mark, "data compressed by zlib", NULL, "decompress it first");
    return false;
}

/* ---- Redis ---- */

static const struct RedisType {
    const char *name; /* of the module's type */
    const char *what;
    const char *reader;
    const char *advice;
} redis_types[] = {
    {"MBbloom--", "a Bloom filter of RedisBloom", "bloom_from_redis", NULL},
    {"MBbloomCF", "a cuckoo filter of RedisBloom", NULL,
     "its fingerprints have 8 bits: make a cuckoo of the items"},
    {"CMSk-TYPE", "a Count-Min sketch of RedisBloom", "cms_from_redis", NULL},
    {"TopK-TYPE", "a Top-K of RedisBloom", "topk_items_from_redis", NULL},
    {"TDIS-TYPE", "a t-digest of RedisBloom", "tdigest_from_redis", NULL},
    {"reroaring", "a bitmap of redis-roaring", NULL,
     "pass what R.GETINTARRAY returns, an array, to roaring"},
    {"roaring64", "a bitmap of redis-roaring", NULL,
     "pass what R64.GETINTARRAY returns, an array, to roaring64"},
    {"bloomfltr", "a Bloom filter of valkey-bloom", NULL,
     "its hash function is its own: make a bloom of the items"},
};

#define REDIS_TYPE_STRING 0
#define REDIS_TYPE_MODULE 7
#define REDIS_FOOTER 10
#define REDIS_NAME 9

/* The name of a module's type: nine characters of 6 bits; the 10 bits behind are the version. */
static void
read_redis_name(uint64_t id, char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    for (unsigned i = REDIS_NAME; i-- > 0;)
        name[REDIS_NAME - 1 - i] = letters[id >> (10 + 6 * i) & 63];
    name[REDIS_NAME] = '\0';
}

/* A payload of DUMP, whose checksum no other bytes have but zeros; its version is not 0. */
static bool
redis_mark(SketchBytes input, const SketchMemory *memory, ForeignMark *mark)
{
    char name[REDIS_NAME + 1];

    if (input.size <= REDIS_FOOTER || input.data[input.size - REDIS_FOOTER] == 0 ||
        redis_crc64(input.data, input.size - 8, memory) != load_le64(input.data + input.size - 8))
        return false;
    if (input.data[0] == REDIS_TYPE_STRING)
        return foreign_found(mark, "a string of Redis", "hll_from_redis", NULL);
    if (input.data[0] != REDIS_TYPE_MODULE || input.size < REDIS_FOOTER + 10)
        return foreign_found(mark, "a key of Redis of another type, such as a set", NULL,
                             "read its elements with the commands of its type");
    read_redis_name(foreign_be(input.data + 2, 8), name);
    for (size_t i = 0; i < sizeof redis_types / sizeof redis_types[0]; i++)
        if (strcmp(redis_types[i].name, name) == 0)
            return foreign_found(mark, redis_types[i].what, redis_types[i].reader,
                                 redis_types[i].advice);
    snprintf(mark->text, sizeof mark->text, "a value of the Redis module type %s", name);
    return foreign_found(mark, mark->text, NULL, "read its items with the commands of its module");
}

/* ---- Apache DataSketches ---- */

static const struct Family {
    uint8_t id;
    uint8_t preamble; /* the longest */
    uint8_t version;  /* the latest */
    const char *what;
    const char *reader;
    const char *advice;
} families[] = {
    {1, 3, 3, "an updatable theta sketch of DataSketches", NULL,
     "write what its compact() returns"},
    {2, 3, 3, "an updatable theta sketch of DataSketches", NULL,
     "write what its compact() returns"},
    {3, 3, 4, "a theta sketch of DataSketches", "theta_from_datasketches", NULL},
    {7, 10, 1, "an HLL sketch of DataSketches", "hll_from_datasketches", NULL},
    {8, 2, 3, "a classic quantiles sketch of DataSketches", NULL,
     "make a KLL sketch or a t-digest there, or pass its items and weights to "
     "tdigest_weighted_agg"},
    {9, 3, 3, "a tuple sketch of DataSketches", NULL, "make a theta sketch there"},
    {10, 4, 1, "a frequent-items sketch of DataSketches", "topk_from_datasketches", NULL},
    {11, 2, 2, "a reservoir sample of DataSketches", NULL, "pass its items as rows"},
    {12, 2, 2, "a reservoir sample of DataSketches", NULL, "pass its items as rows"},
    {13, 4, 2, "a VarOpt sample of DataSketches", NULL, "pass its items and weights as rows"},
    {14, 4, 2, "a VarOpt sample of DataSketches", NULL, "pass its items and weights as rows"},
    {15, 5, 3, "a KLL sketch of DataSketches", "tdigest_from_kll", NULL},
    {16, 10, 1, "a CPC sketch of DataSketches", NULL, "make an HLL or a theta sketch there"},
    {17, 4, 1, "a REQ sketch of DataSketches", NULL,
     "make a KLL sketch or a t-digest there, or pass its items and weights to "
     "tdigest_weighted_agg"},
    {18, 3, 1, "a Count-Min sketch of DataSketches", NULL,
     "its hash functions are its own: count again from the rows"},
    {19, 5, 1, "an EBPPS sample of DataSketches", NULL, "pass its items as rows"},
    {20, 2, 1, "a t-digest of DataSketches", "tdigest_from_datasketches", NULL},
    {21, 4, 1, "a Bloom filter of DataSketches", NULL,
     "its hash function is its own: make a bloom of the items"},
};

/* Byte 0 has the length of the preamble, and for some families more in its two highest bits. */
static bool
datasketches_mark(SketchBytes input, ForeignMark *mark)
{
    if (input.size < 8)
        return false;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        unsigned preamble = input.data[0] & 63, version = input.data[1];

        /* An updatable theta sketch has the longest preamble and the latest version, always. */
        if (families[i].id == input.data[2] && preamble <= families[i].preamble &&
            version <= families[i].version &&
            (families[i].id <= 2 ? preamble == 3 && version == 3 : preamble >= 1 && version >= 1))
            return foreign_found(mark, families[i].what, families[i].reader, families[i].advice);
    }
    return false;
}

/* ---- this extension ---- */

static bool
own_header(SketchBytes input, ForeignMark *mark)
{
    const SketchOps *ops;

    if (input.size < SKETCH_COMMON_BYTES || !(ops = sketch_ops(sketch_kind(input.data))) ||
        sketch_version(input.data) != ops->version || input.size < ops->header_bytes ||
        (sketch_encoding(input.data) > ops->encoding_max &&
         sketch_encoding(input.data) != SKETCH_TRANSIT))
        return false;
    snprintf(mark->text, sizeof mark->text, "a value of type %s", ops->name);
    snprintf(mark->cast, sizeof mark->cast, "a cast to %s", ops->name);
    return foreign_found(mark, mark->text, mark->cast, NULL);
}

/* A header may also be that of something else; a value that is sound is ours. */
static bool
own_value(SketchBytes input, const SketchMemory *memory, ForeignMark *mark)
{
    SketchError error;
    SketchBytes value;

    if (!own_header(input, mark) ||
        !sketch_ops(sketch_kind(input.data))->validate(input, memory, &value, &error))
        return false;
    memory->release_value((uint8_t *)value.data, memory->context);
    return true;
}

/* ---- roaring ---- */

static bool
has_cookie(SketchBytes input, size_t at)
{
    return input.size >= at + 8 && (input.data[at] == 0x3a || input.data[at] == 0x3b) &&
           input.data[at + 1] == 0x30;
}

static bool
roaring_mark(SketchBytes input, ForeignMark *mark)
{
    if (has_cookie(input, 0))
        return foreign_found(mark, "a roaring bitmap in portable format", "roaring_from_portable",
                             NULL);
    if (has_cookie(input, 12) && load_le64(input.data) <= input.size / 8)
        return foreign_found(mark, "a 64-bit roaring bitmap in portable format",
                             "roaring64_from_portable", NULL);
    /* ClickHouse: 1, the size as a varint, and the same. */
    if (input.size > 1 && input.data[0] == 1) {
        ByteReader r = byte_reader(input.data + 1, input.size - 1);
        uint64_t size = read_varint(&r);
        size_t at = (size_t)(r.at - input.data);

        if (!r.failed && size == bytes_left(&r) &&
            (has_cookie(input, at) || has_cookie(input, at + 12)))
            return foreign_found(mark, "a groupBitmap state of ClickHouse", NULL,
                                 "pass what bitmapToArray returns, an array, to roaring or "
                                 "roaring64");
    }
    /* Java: signed or not, the number of buckets and the first high half, big-endian, a bitmap. */
    if (has_cookie(input, 9) && input.data[0] <= 1)
        return foreign_found(mark, "the legacy format of Java's Roaring64NavigableMap", NULL,
                             "write it with serializePortable");
    return false;
}

/* ---- DDSketch ---- */

static bool
is_gamma(const uint8_t *at)
{
    double gamma = load_le_double(at);

    return gamma > 1 && gamma < 100;
}

/* Protobuf: field 1 is the mapping, whose field 1 is gamma. Encode(): a flag, and then gamma. */
static bool
ddsketch_mark(SketchBytes input, ForeignMark *mark)
{
    size_t at = 0;

    if (input.size >= 11 && input.data[0] == 0x0a && input.data[2] == 0x09 &&
        is_gamma(input.data + 3))
        return foreign_found(mark, "a DDSketch of Datadog",
                             "ddsketch_from_ddsketch or tdigest_from_ddsketch", NULL);
    if (input.size > 1 && input.data[0] == 0x04) { /* a count of zeros in front of the mapping */
        for (at = 1; at < input.size && at < 9 && input.data[at] & 0x80;)
            at++;
        at++;
    }
    if (input.size >= at + 17 && (input.data[at] & 3) == 2 && input.data[at] <= 0x12 &&
        is_gamma(input.data + at + 1) && isfinite(load_le_double(input.data + at + 9)))
        return foreign_found(mark, "a DDSketch in the encoding of Encode()", NULL,
                             "write its protobuf message, such as proto.Marshal(sketch.ToProto())");
    return false;
}

bool
foreign_mark(SketchBytes input, const SketchMemory *memory, ForeignMark *mark)
{
    return own_value(input, memory, mark) || redis_mark(input, memory, mark) ||
           magic_mark(input, mark) || datasketches_mark(input, mark) || own_header(input, mark) ||
           roaring_mark(input, mark) || ddsketch_mark(input, mark) ||
           foreign_length_mark(input, mark);
}
