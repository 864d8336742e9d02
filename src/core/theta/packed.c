/*
 * packed.c - the packed form of theta sketches: sorted hashes in Elias-Fano coding.
 *
 *     0      1        2         3     4    5..8   9..16   17..
 *     kind   version  encoding  hash  lgk  count  theta   lower parts, upper parts
 *
 * The lower part of a hash is its low l bits, where l is the largest number with
 * count * 2^l <= theta. Lower parts are a string of bits, in the order of the hashes, padded to a
 * byte with zeros. Upper parts are a bitmap: for each hash i, counted from 0, bit (hash i >> l) + i
 * is set. It has count + ((theta - 1) >> l) bits and is padded with zeros, too. Without hashes
 * there are no parts.
 *
 * A hash takes l + 2 to l + 3 bits, at most 1.1 bits more than the entropy of hashes that are
 * evenly spread below theta; DataSketches' compressed form takes some 2 bits more than this. The
 * coding was chosen because the size follows from the header, hashes are read in order from the
 * front, so that a union stops at its theta, and a lookup scans only the bitmap, a twentieth of the
 * value.
 *
 * Reference: P. Elias, Efficient storage and retrieval by content and address of static files,
 * J. ACM 21 (1974).
 */
#include "core/common/popcount.h"
#include "core/common/sort.h"
#include "theta_internal.h"

#define BLOCK 64 /* bytes of the bitmap that are skipped at once */

/* Offsets of the fields after the common header. */
enum { LGK = SKETCH_COMMON_BYTES, COUNT = 5, THETA = 9 };

typedef struct Layout {
    unsigned low_bits;
    unsigned padding; /* unused bits in the last byte of the bitmap */
    size_t low;       /* bytes */
    size_t high;      /* bytes */
} Layout;

static Layout
layout_of(uint64_t theta, uint32_t count)
{
    Layout layout = {0};
    uint64_t bits;

    if (count == 0)
        return layout;
    layout.low_bits = 63 - (unsigned)__builtin_clzll(theta / count | 1);
    bits = count + ((theta - 1) >> layout.low_bits);
    layout.low = (size_t)(((uint64_t)count * layout.low_bits + 7) / 8);
    layout.high = (size_t)((bits + 7) / 8);
    layout.padding = (unsigned)(layout.high * 8 - bits);
    return layout;
}

/* ---- headers ---- */

static ThetaSummary
read_header(const uint8_t *data)
{
    return (ThetaSummary){data[LGK], load_le32(data + COUNT), load_le64(data + THETA)};
}

/*
 * Returns, sorted and in scratch memory, the hashes that a working value has once it is packed;
 * NULL if the value is not a state of this release.
 */
static uint64_t *
sorted_hashes(SketchBytes working, const SketchMemory *memory, ThetaSummary *summary)
{
    const ThetaState *s = state_at(working.data);
    uint32_t slots, count = 0, kept;
    uint64_t *sorted, *other;

    if (!state_fits(working, sizeof(ThetaState)))
        return NULL;
    slots = theta_slots(working.size);
    sorted =
        memory->scratch((slots + (size_t)THETA_BUFFER + 1) * sizeof64(*sorted), memory->context);
    POLLED_FOR (i, 0, slots, 2, memory) {
        sorted[count] = s->slot[i];
        count += theta_is_live(s->slot[i], s->theta);
    }
    for (unsigned i = 0; i < s->buffered; i++)
        if (theta_is_live(s->buffer[i], s->theta))
            sorted[count++] = s->buffer[i];
    other = memory->scratch((count + (size_t)1) * sizeof64(*other), memory->context);
    kept = (uint32_t)sort_hashes(sorted, count, other, memory);
    memory->release(other, memory->context);
    *summary = (ThetaSummary){s->lgk, kept, s->theta};
    if (kept > theta_most(s->lgk)) {
        summary->count = theta_most(s->lgk);
        summary->theta = sorted[summary->count];
    }
    return sorted;
}

ThetaSummary
theta_summary(SketchBytes value, const SketchMemory *memory)
{
    ThetaSummary summary = {THETA_LGK_DEFAULT, 0, THETA_EXACT};

    if (sketch_is_working(value.data)) {
        uint64_t *sorted = sorted_hashes(value, memory, &summary);

        if (sorted)
            memory->release(sorted, memory->context);
    } else if (value.size >= THETA_HEADER)
        summary = read_header(value.data);
    return summary;
}

/* ---- reading ---- */

/* Begins to read a packed value; fails if its header and its size do not match. */
static bool
begin_packed(ThetaCursor *cursor, SketchBytes value)
{
    ThetaSummary summary;
    Layout layout;

    if (value.size < THETA_HEADER || !sketch_is_packed(value.data))
        return false;
    summary = read_header(value.data);
    if (summary.lgk < THETA_LGK_MIN || summary.lgk > THETA_LGK_MAX ||
        summary.count > theta_most(summary.lgk) || summary.theta > THETA_EXACT ||
        summary.theta <= summary.count)
        return false;
    layout = layout_of(summary.theta, summary.count);
    if (value.size != THETA_HEADER + layout.low + layout.high)
        return false;
    /* So no upper part exceeds that of theta; a larger one might not fit into 64 bits. */
    if (layout.padding > 0 && value.data[value.size - 1] >> (8 - layout.padding) != 0)
        return false;
    cursor->summary = summary;
    cursor->sorted = NULL;
    cursor->low = bit_reader(value.data + THETA_HEADER, layout.low);
    cursor->low_bits = layout.low_bits;
    cursor->high = (SketchBytes){value.data + THETA_HEADER + layout.low, layout.high};
    cursor->word = 0;
    cursor->words = 0;
    cursor->decoded = 0;
    cursor->last = 0;
    return true;
}

bool
theta_cursor_begin(ThetaCursor *cursor, SketchBytes value, const SketchMemory *memory)
{
    cursor->damaged = false;
    cursor->next = cursor->end = NULL;
    if (value.size >= SKETCH_COMMON_BYTES && sketch_is_working(value.data)) {
        cursor->sorted = sorted_hashes(value, memory, &cursor->summary);
        if (!cursor->sorted)
            return false;
        cursor->next = cursor->sorted;
        cursor->end = cursor->sorted + cursor->summary.count;
    } else if (!begin_packed(cursor, value))
        return false;
    theta_next(cursor);
    return true;
}

void
theta_cursor_end(ThetaCursor *cursor, const SketchMemory *memory)
{
    if (cursor->sorted)
        memory->release(cursor->sorted, memory->context);
}

/* Returns eight bytes of the bitmap, or what is left of it. */
static uint64_t
bitmap_word(SketchBytes bitmap, size_t word)
{
    size_t at = word * 8;
    uint64_t bits = 0;

    if (at + 8 <= bitmap.size)
        return load_le64(bitmap.data + at);
    for (unsigned i = 0; at + i < bitmap.size; i++)
        bits |= (uint64_t)bitmap.data[at + i] << (8 * i);
    return bits;
}

/* Reads a lower part, in two steps if it has more than the BITS_PEEK bits of bits_get. */
static inline uint64_t
get_low(BitReader *r, unsigned bits)
{
    uint64_t low;

    if (bits <= BITS_PEEK)
        return bits_get(r, bits);
    low = bits_get(r, 32);
    return low | bits_get(r, bits - 32) << 32;
}

/*
 * Decodes up to `count` hashes; returns how many. Stops early at damage: where the bitmap ends, or
 * a hash is not above the last one or not below theta.
 */
static unsigned
decode_block(ThetaCursor *cursor, unsigned count)
{
    const unsigned low_bits = cursor->low_bits;
    const uint64_t mask = (UINT64_C(1) << low_bits) - 1, theta = cursor->summary.theta;
    uint64_t word = cursor->word, last = cursor->last;
    size_t before = cursor->words * 64 - cursor->decoded;
    BitReader low = cursor->low;
    /* Bits that can be read eight bytes at once; past the lower parts, these are upper parts. */
    uint64_t fast = low_bits <= BITS_PEEK ? (uint64_t)(low.size + cursor->high.size) * 8 : 0;
    unsigned i = 0;

    for (; i < count; i++) {
        uint64_t hash;

        while (word == 0) {
            if (cursor->words * 8 >= cursor->high.size)
                return i;
            word = bitmap_word(cursor->high, cursor->words++);
            before += 64;
        }
        /* The upper part is the number of zeros in front of this bit. */
        hash = (uint64_t)(before - 64 - i + (unsigned)__builtin_ctzll(word)) << low_bits;
        if (low.at + 64 <= fast) {
            hash |= load_le64(low.data + (low.at >> 3)) >> (low.at & 7) & mask;
            low.at += low_bits;
        } else
            hash |= get_low(&low, low_bits);
        word &= word - 1;
        if (hash <= last || hash >= theta)
            return i;
        cursor->block[i] = last = hash;
    }
    cursor->word = word;
    cursor->last = last;
    cursor->low = low;
    cursor->decoded += count;
    return i;
}

void
theta_next_block(ThetaCursor *cursor)
{
    uint32_t left = cursor->sorted ? 0 : cursor->summary.count - cursor->decoded;
    unsigned count = left < THETA_BLOCK ? left : THETA_BLOCK;

    cursor->hash = THETA_NO_HASH;
    if (cursor->damaged || left == 0)
        return;
    cursor->next = cursor->block;
    cursor->end = cursor->block + decode_block(cursor, count);
    cursor->damaged = cursor->end < cursor->block + count;
    if (cursor->next < cursor->end)
        cursor->hash = *cursor->next++;
}

bool
theta_cursor_ends_clean(const ThetaCursor *cursor)
{
    uint64_t padding = (uint64_t)cursor->low.size * 8 - cursor->low.at;

    if (cursor->summary.count == 0)
        return true;
    if (cursor->word != 0 ||
        (padding > 0 && cursor->low.data[cursor->low.size - 1] >> (8 - padding) != 0))
        return false;
    for (size_t word = cursor->words; word * 8 < cursor->high.size; word++)
        if (bitmap_word(cursor->high, word) != 0)
            return false;
    return true;
}

/* ---- looking up ---- */

/*
 * Returns the bit of the bitmap after its first `zeros` zeros, where the hashes of that upper part
 * begin; SIZE_MAX if there are fewer zeros.
 */
static size_t
behind_zeros(SketchBytes bitmap, uint64_t zeros)
{
    size_t at = 0;

    if (zeros == 0)
        return 0;
    for (; at + BLOCK <= bitmap.size; at += BLOCK) {
        uint64_t here = BLOCK * 8 - popcount_bytes(bitmap.data + at, BLOCK);

        if (here >= zeros)
            break;
        zeros -= here;
    }
    for (; at < bitmap.size; at += 8) {
        uint64_t word = ~bitmap_word(bitmap, at / 8);
        uint64_t here = (uint64_t)__builtin_popcountll(word);

        if (here >= zeros) {
            while (--zeros > 0)
                word &= word - 1;
            return at * 8 + (unsigned)__builtin_ctzll(word) + 1;
        }
        zeros -= here;
    }
    return SIZE_MAX;
}

static bool
packed_contains(ThetaCursor *cursor, uint64_t hash)
{
    uint64_t upper = hash >> cursor->low_bits,
             lower = hash & ((UINT64_C(1) << cursor->low_bits) - 1);
    size_t at = behind_zeros(cursor->high, upper);

    for (; at < cursor->high.size * 8 && cursor->high.data[at / 8] >> at % 8 & 1; at++) {
        uint64_t found;

        cursor->low.at = (at - upper) * cursor->low_bits;
        found = get_low(&cursor->low, cursor->low_bits);
        if (found >= lower)
            return found == lower && at - upper < cursor->summary.count;
    }
    return false;
}

ThetaAnswer
theta_contains(SketchBytes value, uint64_t hash, const SketchMemory *memory)
{
    bool packed = !sketch_is_working(value.data), found;
    ThetaCursor cursor;
    ThetaAnswer answer;

    if (packed ? !begin_packed(&cursor, value) : !theta_cursor_begin(&cursor, value, memory))
        return THETA_NO;
    answer = theta_samples(cursor.summary.theta, hash);
    if (packed)
        found = answer == THETA_YES && cursor.summary.count > 0 && packed_contains(&cursor, hash);
    else {
        while (cursor.hash < hash)
            theta_next(&cursor);
        theta_cursor_end(&cursor, memory);
        found = cursor.hash == hash;
    }
    return answer == THETA_YES && !found ? THETA_NO : answer;
}

/* ---- writing ---- */

ThetaWriter
theta_writer(ThetaSummary summary, const SketchMemory *memory)
{
    Layout layout = layout_of(summary.theta, summary.count);
    size_t size = THETA_HEADER + layout.low + layout.high;
    uint8_t *data = memory->value(size, memory->context);

    sketch_write_common(data, SKETCH_THETA, THETA_VERSION, 0, SKETCH_HASH_DATASKETCHES);
    data[LGK] = (uint8_t)summary.lgk;
    store_le32(data + COUNT, summary.count);
    store_le64(data + THETA, summary.theta);
    memset(data + THETA_HEADER + layout.low, 0, layout.high);
    return (ThetaWriter){.value = {data, size},
                         .low = bit_writer(data + THETA_HEADER),
                         .high = data + THETA_HEADER + layout.low,
                         .low_bits = layout.low_bits};
}

void
theta_write(ThetaWriter *w, uint64_t hash)
{
    uint64_t at = (hash >> w->low_bits) + w->count++;
    uint64_t low = hash & ((UINT64_C(1) << w->low_bits) - 1);

    w->high[at / 8] |= (uint8_t)(1u << at % 8);
    if (w->low_bits > 32) {
        bits_put(&w->low, low & UINT32_MAX, 32);
        bits_put(&w->low, low >> 32, w->low_bits - 32);
    } else
        bits_put(&w->low, low, w->low_bits);
}

SketchBytes
theta_written(ThetaWriter *w)
{
    bits_finish(&w->low);
    return w->value;
}

SketchBytes
theta_write_all(ThetaSummary summary, const uint64_t *hashes, const SketchMemory *memory)
{
    ThetaWriter w = theta_writer(summary, memory);

    POLLED_FOR (i, 0, summary.count, 4, memory)
        theta_write(&w, hashes[i]);
    return theta_written(&w);
}
