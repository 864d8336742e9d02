/*
 * from_datasketches.c - compact theta sketches of Apache DataSketches, read and written.
 *
 * Little-endian, except for the bits of version 4. The preamble has 1 to 3 words of 8 bytes:
 *
 *     0      words of the preamble
 *     1      serial version, 1 to 4
 *     2      family 3
 *     3..4   version 4: bits of a difference, bytes of the number of hashes
 *     5      flags: 1 big-endian, 2 read only, 4 empty, 8 compact, 16 ordered, 32 single
 *     6..7   hash of the seed; not in version 1
 *     8..11  number of hashes   } versions 1 to 3, if the preamble has the words
 *     12..15 sampling rate      } not used in compact sketches; C++ writes 0, Java 1.0
 *     16..23 theta              } in version 4 it follows byte 7
 *
 * Versions 1 to 3 end with the hashes, 8 bytes each. Version 1 always has three words. A sketch of
 * version 3 with one word that is not empty has one hash, right after it. Version 4 has one word,
 * or two with theta, then the number of hashes, and the differences of the sorted hashes, each of
 * as many bits as the largest needs, highest bit first, without gaps.
 *
 * Writing follows the C++ library: version 3 or, if compressed, version 4, unless there are no
 * hashes or just one and nothing was dropped. So version 3 of C++ is reproduced byte by byte. Of
 * other sketches, the order of unsorted hashes, Java's sampling rate and its flag for one hash are
 * lost.
 *
 * Reference: the project's PreambleUtil, and its compact_theta_sketch_parser.
 */
#include "core/common/datasketches.h"
#include "core/common/sort.h"
#include "theta_internal.h"

#define THETA_FAMILY 3
#define HEADER 8
#define FLAG_BIG_ENDIAN 1
#define FLAG_READ_ONLY 2
#define FLAG_EMPTY 4
#define FLAG_COMPACT 8
#define FLAG_ORDERED 16
#define WORD_BITS 64

/* Offsets of the fields; those of version 4 have names of their own where they differ. */
enum {
    WORDS = 0,
    SERIAL = 1,
    FAMILY = 2,
    V4_BITS = 3,
    V4_COUNT_BYTES = 4,
    FLAGS = 5,
    SEED_HASH = 6,
    COUNT = 8,
    THETA = 16,
    V4_THETA = 8
};

/* ---- bits, the highest first ---- */

static uint64_t
get_bits(const uint8_t *data, uint64_t *at, unsigned count)
{
    uint64_t bits = 0;

    while (count > 0) {
        unsigned left = 8 - (unsigned)(*at & 7), here = left < count ? left : count;

        bits = bits << here | (data[*at >> 3] >> (left - here) & ((1u << here) - 1));
        *at += here;
        count -= here;
    }
    return bits;
}

/* Writes into bytes that are still zero. */
static void
put_bits(uint8_t *data, uint64_t *at, uint64_t bits, unsigned count)
{
    while (count > 0) {
        unsigned left = 8 - (unsigned)(*at & 7), here = left < count ? left : count;

        count -= here;
        data[*at >> 3] |= (uint8_t)((bits >> count & ((1u << here) - 1)) << (left - here));
        *at += here;
    }
}

/* ---- reading ---- */

/* The hashes of a sketch: words, or differences of `bits` bits. */
typedef struct Source {
    SketchBytes body;
    uint64_t theta;
    uint32_t count;
    unsigned bits;
    bool ordered;
    uint64_t hash; /* the current one */
    uint64_t at;   /* the next bit */
} Source;

static uint64_t
next_hash(Source *s)
{
    if (s->bits == WORD_BITS) {
        s->hash = load_le64(s->body.data + s->at / 8);
        s->at += WORD_BITS;
    } else
        s->hash += get_bits(s->body.data, &s->at, s->bits);
    return s->hash;
}

static bool
refuse_length(SketchError *error)
{
    return sketch_refuse(error, SKETCH_MALFORMED, "The length does not match the contents");
}

static bool
check_seed(SketchBytes input, SketchError *error)
{
    unsigned hash = load_le16(input.data + SEED_HASH);

    return hash == DATASKETCHES_SEED_HASH ||
           sketch_refuse_range(error, SKETCH_MALFORMED, "Another seed than 9001 (hash of the seed)",
                               hash, DATASKETCHES_SEED_HASH, DATASKETCHES_SEED_HASH);
}

/* Reads versions 1 to 3, with a preamble of `words` words. */
static bool
read_words(SketchBytes input, unsigned words, Source *s, SketchError *error)
{
    size_t preamble = (size_t)words * 8;

    s->count = 1;
    if (words > 1 && input.size >= preamble)
        s->count = load_le32(input.data + COUNT);
    if (words > 2 && input.size >= preamble)
        s->theta = load_le64(input.data + THETA);
    s->bits = WORD_BITS;
    if (input.size < preamble || input.size - preamble != (uint64_t)s->count * 8)
        return refuse_length(error);
    s->body = (SketchBytes){input.data + preamble, input.size - preamble};
    return true;
}

static bool
read_version_4(SketchBytes input, Source *s, SketchError *error)
{
    unsigned words = input.data[WORDS], count_bytes = input.data[V4_COUNT_BYTES];
    size_t preamble = (size_t)words * 8;

    s->bits = input.data[V4_BITS];
    s->ordered = true;
    if (words < 1 || words > 2)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Words of the preamble", words, 1, 2);
    if (s->bits < 1 || s->bits > 63)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Bits of a difference", s->bits, 1, 63);
    if (count_bytes < 1 || count_bytes > 4)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Bytes of the number of hashes",
                                   count_bytes, 1, 4);
    if (!check_seed(input, error))
        return false;
    if (input.size < preamble + count_bytes)
        return refuse_length(error);
    if (words > 1)
        s->theta = load_le64(input.data + V4_THETA);
    for (unsigned i = 0; i < count_bytes; i++)
        s->count |= (uint32_t)input.data[preamble + i] << 8 * i;
    s->body =
        (SketchBytes){input.data + preamble + count_bytes, input.size - preamble - count_bytes};
    if (s->body.size != ((uint64_t)s->count * s->bits + 7) / 8)
        return refuse_length(error);
    return true;
}

/* Reads the preamble, whatever its version. */
static bool
read_preamble(SketchBytes input, Source *s, SketchError *error)
{
    unsigned words, version;

    *s = (Source){.theta = THETA_EXACT, .bits = WORD_BITS, .ordered = true};
    if (input.size < HEADER || input.data[FAMILY] != THETA_FAMILY)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not a compact theta sketch of DataSketches");
    words = input.data[WORDS];
    version = input.data[SERIAL];
    if (version < 1 || version > 4)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown serial version", version, 1,
                                   4);
    if (version >= 3 && input.data[FLAGS] & FLAG_BIG_ENDIAN)
        return sketch_refuse(error, SKETCH_MALFORMED, "Big-endian sketches are not read");
    if (version == 4)
        return read_version_4(input, s, error);
    if (words < (version == 1 ? 3 : 1) || words > 3)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Words of the preamble", words,
                                   version == 1 ? 3 : 1, 3);
    /* Nothing was hashed, so the seed does not matter. */
    if ((version == 3 && input.data[FLAGS] & FLAG_EMPTY) || (version == 2 && words == 1))
        return input.size == (size_t)words * 8 || refuse_length(error);
    if (version > 1 && !check_seed(input, error))
        return false;
    s->ordered = version < 3 || input.data[FLAGS] & FLAG_ORDERED;
    return read_words(input, words, s, error);
}

/* Returns true if theta is in range and all hashes ascend below it. */
static bool
hashes_ascend(Source s, const SketchMemory *memory)
{
    size_t steps = 0;

    if (s.theta > THETA_EXACT || s.theta <= s.count)
        return false;
    for (uint32_t i = 0; i < s.count; i++) {
        uint64_t before = s.hash, hash = next_hash(&s);

        if (hash <= before || hash >= s.theta)
            return false;
        sketch_poll(memory, &steps, 16);
    }
    return true;
}

/* Sorts the words of an unsorted body, in scratch memory. */
static uint8_t *
sort_body(Source *s, const SketchMemory *memory)
{
    uint64_t *sorted = memory->scratch(2 * s->body.size + 16, memory->context);

    for (uint32_t i = 0; i < s->count; i++)
        sorted[i] = load_le64(s->body.data + (size_t)i * 8);
    sort_u64(sorted, s->count, sorted + s->count, memory);
    for (uint32_t i = 0; i < s->count; i++)
        store_le64((uint8_t *)&sorted[i], sorted[i]);
    s->body.data = (const uint8_t *)sorted;
    return (uint8_t *)sorted;
}

/* Packs the first hashes of a source, as many as lgk allows. */
static SketchBytes
take_hashes(Source s, unsigned lgk, const SketchMemory *memory)
{
    ThetaSummary summary = {lgk, s.count, s.theta};
    size_t steps = 0;
    ThetaWriter w;

    if (summary.count > theta_most(lgk)) {
        Source ahead = s;

        summary.count = theta_most(lgk);
        for (uint32_t i = 0; i <= summary.count; i++) {
            summary.theta = next_hash(&ahead);
            sketch_poll(memory, &steps, 16);
        }
    }
    w = theta_writer(summary, memory);
    for (uint32_t i = 0; i < summary.count; i++) {
        theta_write(&w, next_hash(&s));
        sketch_poll(memory, &steps, 16);
    }
    return theta_written(&w);
}

bool
theta_from_datasketches(SketchBytes input, unsigned lgk, const SketchMemory *memory,
                        SketchBytes *value, SketchError *error)
{
    uint8_t *sorted = NULL;
    bool good = true;
    Source s;

    if (!read_preamble(input, &s, error))
        return false;
    if (lgk == 0)
        for (lgk = THETA_LGK_DEFAULT; lgk < THETA_LGK_MAX && s.count > theta_most(lgk);)
            lgk++;
    if (s.count > theta_most(THETA_LGK_MAX))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Number of hashes", s.count, 0,
                                   theta_most(THETA_LGK_MAX));
    if (!s.ordered && s.count > 1)
        sorted = sort_body(&s, memory);
    good = hashes_ascend(s, memory);
    if (good)
        *value = take_hashes(s, lgk, memory);
    if (sorted)
        memory->release(sorted, memory->context);
    return good || sketch_refuse(error, SKETCH_MALFORMED, "Hashes that no items can produce");
}

/* ---- writing ---- */

static uint8_t *
new_bytes(size_t size, unsigned words, unsigned version, unsigned flags, const SketchMemory *memory)
{
    uint8_t *data = memset(memory->scratch(size, memory->context), 0, size);

    data[WORDS] = (uint8_t)words;
    data[SERIAL] = (uint8_t)version;
    data[FAMILY] = THETA_FAMILY;
    data[FLAGS] = (uint8_t)(FLAG_READ_ONLY | FLAG_COMPACT | FLAG_ORDERED | flags);
    store_le16(data + SEED_HASH, DATASKETCHES_SEED_HASH);
    return data;
}

/* Writes version 3. */
static SketchBytes
write_words(ThetaCursor *cursor, const SketchMemory *memory)
{
    ThetaSummary s = cursor->summary;
    bool exact = s.theta == THETA_EXACT;
    unsigned words = !exact ? 3 : s.count > 1 ? 2 : 1;
    size_t size = 8 * ((size_t)words + s.count), steps = 0;
    uint8_t *data = new_bytes(size, words, 3, exact && s.count == 0 ? FLAG_EMPTY : 0, memory);

    if (words > 1)
        store_le32(data + COUNT, s.count);
    if (words > 2)
        store_le64(data + THETA, s.theta);
    for (uint8_t *at = data + 8 * words; cursor->hash != THETA_NO_HASH; at += 8) {
        store_le64(at, cursor->hash);
        theta_next(cursor);
        sketch_poll(memory, &steps, 4);
    }
    return (SketchBytes){data, size};
}

/* Returns the bits of the largest difference of neighbours; reads the cursor to its end. */
static unsigned
bits_of_differences(ThetaCursor *cursor, const SketchMemory *memory)
{
    uint64_t any = 0, before = 0;
    size_t steps = 0;

    while (cursor->hash != THETA_NO_HASH) {
        any |= cursor->hash - before;
        before = cursor->hash;
        theta_next(cursor);
        sketch_poll(memory, &steps, 4);
    }
    return 64 - (unsigned)__builtin_clzll(any | 1);
}

static SketchBytes
write_version_4(ThetaCursor *cursor, unsigned bits, const SketchMemory *memory)
{
    ThetaSummary s = cursor->summary;
    unsigned words = s.theta == THETA_EXACT ? 1 : 2;
    unsigned count_bytes = (unsigned)(39 - __builtin_clz(s.count)) / 8;
    size_t start = 8 * (size_t)words + count_bytes, steps = 0;
    size_t size = start + (size_t)(((uint64_t)s.count * bits + 7) / 8);
    uint8_t *data = new_bytes(size, words, 4, 0, memory);
    uint64_t at = 0, before = 0;

    data[V4_BITS] = (uint8_t)bits;
    data[V4_COUNT_BYTES] = (uint8_t)count_bytes;
    if (words > 1)
        store_le64(data + V4_THETA, s.theta);
    for (unsigned i = 0; i < count_bytes; i++)
        data[8 * words + i] = (uint8_t)(s.count >> 8 * i);
    while (cursor->hash != THETA_NO_HASH) {
        put_bits(data + start, &at, cursor->hash - before, bits);
        before = cursor->hash;
        theta_next(cursor);
        sketch_poll(memory, &steps, 16);
    }
    return (SketchBytes){data, size};
}

bool
theta_to_datasketches(SketchBytes value, bool compressed, const SketchMemory *memory,
                      SketchBytes *bytes, SketchError *error)
{
    ThetaCursor cursor;
    unsigned bits = 0;

    if (!theta_cursor_begin(&cursor, value, memory))
        return sketch_refuse_damaged(error);
    if (compressed && cursor.summary.count > (cursor.summary.theta == THETA_EXACT)) {
        bits = bits_of_differences(&cursor, memory);
        theta_cursor_end(&cursor, memory);
        theta_cursor_begin(&cursor, value, memory);
    }
    *bytes = bits > 0 ? write_version_4(&cursor, bits, memory) : write_words(&cursor, memory);
    theta_cursor_end(&cursor, memory);
    if (cursor.damaged)
        memory->release((void *)bytes->data, memory->context);
    return !cursor.damaged || sketch_refuse_damaged(error);
}
