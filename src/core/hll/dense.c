/*
 * dense.c - the packed form of a register array: a fixed prefix code.
 *
 * After n items into m registers the ranks spread around log2(n/m), and their distribution keeps
 * its shape whatever n is: P(rank <= k) = exp(-2^(log2(n/m) - k)). Its entropy is 2.83 bits on
 * average over the fraction of log2(n/m). One Huffman code for all fractions, applied to the
 * distance of a rank from a base that is chosen for each sketch, costs 2.89 bits on average and
 * 2.94 at worst: 6,030 bytes at precision 14, where six bits a register are 12,288.
 *
 * A symbol is rank - base + 3, from 0 to 13; every other rank is an escape followed by its six
 * bits. The lengths below are Huffman's for the mixture over 32 fractions, each at its best base.
 * Codes are assigned in canonical order (by length, then by symbol) and are written with their
 * first bit in the least significant place. The base is the one of the smallest size, the lowest
 * of several.
 *
 * The registers are cut into four quarters, each a bit stream of its own that ends at a byte:
 *
 *     u32 bytes of stream 0 | u32 of stream 1 | u32 of stream 2 | streams 0, 1, 2, 3
 *
 * so that four independent decoders run interleaved: decoding one stream is a chain of dependent
 * table look-ups, and the processor fills the waits of one with the work of the others. A look-up
 * of 11 bits yields up to four registers.
 *
 * References: D. Huffman, A method for the construction of minimum-redundancy codes, 1952. The
 * entropy of HyperLogLog registers: K. Lang, Back to the future: an even more nearly optimal
 * cardinality estimation algorithm, arXiv 1708.06839.
 */
#include "hll_internal.h"

#define SYMBOLS 15 /* 14 distances and the escape */
#define ESCAPE 14
#define BELOW_BASE 3
#define BASE_MAX 63
#define CODE_MAX 11 /* bits of the longest code */
#define RANK_BITS 6
#define STREAM_LENGTHS 12

static const uint8_t code_length[SYMBOLS] = {11, 6, 3, 2, 2, 3, 3, 4, 6, 6, 7, 8, 9, 11, 10};

/*
 * What the next CODE_MAX bits hold, up to four whole codes that are no escapes, in one word so
 * that one load and few shifts do it:
 *
 *     bits 0..31   the symbols, one a byte
 *     bits 32..39  how many
 *     bits 40..47  1 when the first code is an escape, and so there is no symbol
 *     bits 48..55  the length of all these codes together
 *     bits 56..63  the length of the first code, escape or not
 *
 * Sums of a few of the upper halves keep counts, escapes and lengths apart.
 */
typedef uint64_t DecodeEntry;

static struct {
    bool ready;
    uint16_t code[SYMBOLS];
    DecodeEntry decode[1 << CODE_MAX];
} tables;

static uint16_t
reverse_bits(uint16_t code, unsigned length)
{
    uint16_t reversed = 0;

    for (unsigned i = 0; i < length; i++)
        reversed |= (uint16_t)((code >> i & 1) << (length - 1 - i));
    return reversed;
}

/* The symbol whose code begins `bits`. The code is complete, so there always is one. */
static unsigned
first_symbol(unsigned bits)
{
    unsigned s = 0;

    while ((bits & ((1u << code_length[s]) - 1)) != tables.code[s])
        s++;
    return s;
}

static DecodeEntry
decode_entry(unsigned bits)
{
    unsigned first = first_symbol(bits);
    DecodeEntry entry = (uint64_t)code_length[first] << 56;
    unsigned symbols = 0;
    unsigned length = 0;

    if (first == ESCAPE)
        return entry | UINT64_C(1) << 40;
    while (symbols < 4) {
        unsigned s = first_symbol(bits >> length);

        if (s == ESCAPE || length + code_length[s] > CODE_MAX)
            break;
        entry |= (uint64_t)s << (8 * symbols++);
        length += code_length[s];
    }
    return entry | (uint64_t)symbols << 32 | (uint64_t)length << 48;
}

static void
make_tables(void)
{
    unsigned code = 0;

    for (unsigned length = 1; length <= CODE_MAX; length++, code <<= 1)
        for (unsigned s = 0; s < SYMBOLS; s++)
            if (code_length[s] == length)
                tables.code[s] = reverse_bits((uint16_t)code++, length);

    for (unsigned bits = 0; bits < 1u << CODE_MAX; bits++)
        tables.decode[bits] = decode_entry(bits);
    tables.ready = true;
}

static inline unsigned
symbol_of(unsigned rank, unsigned base)
{
    unsigned s = rank + BELOW_BASE - base; /* wraps around below the window */

    return s < ESCAPE ? s : ESCAPE;
}

static inline unsigned
bits_of_rank(unsigned rank, unsigned base)
{
    unsigned s = symbol_of(rank, base);

    return code_length[s] + (s == ESCAPE ? RANK_BITS : 0);
}

static uint64_t
bits_of_histogram(const uint32_t *count, unsigned base)
{
    uint64_t bits = 0;

    for (unsigned rank = 0; rank < HLL_RANKS; rank++)
        if (count[rank] > 0)
            bits += (uint64_t)count[rank] * bits_of_rank(rank, base);
    return bits;
}

/* The rank histograms of the four quarters; counting them apart also breaks store dependencies. */
static void
quarter_histograms(const uint8_t *registers, unsigned precision, uint32_t count[4][HLL_RANKS])
{
    uint32_t quarter = UINT32_C(1) << (precision - 2);

    memset(count, 0, 4 * sizeof count[0]);
    for (uint32_t i = 0; i < quarter; i++)
        for (unsigned q = 0; q < 4; q++)
            count[q][registers[q * quarter + i] & (HLL_RANKS - 1)]++;
}

static void
sum_quarters(uint32_t count[4][HLL_RANKS], unsigned precision, HllHistogram *histogram)
{
    histogram->index_bits = precision;
    for (unsigned rank = 0; rank < HLL_RANKS; rank++)
        histogram->count[rank] = count[0][rank] + count[1][rank] + count[2][rank] + count[3][rank];
}

void
hll_dense_histogram(const uint8_t *registers, unsigned precision, HllHistogram *histogram)
{
    uint32_t count[4][HLL_RANKS];

    quarter_histograms(registers, precision, count);
    sum_quarters(count, precision, histogram);
}

/* Chooses the base and computes the size of everything. */
void
hll_dense_plan(const uint8_t *registers, unsigned precision, HllDensePlan *plan)
{
    uint32_t count[4][HLL_RANKS];
    uint64_t best = UINT64_MAX;

    quarter_histograms(registers, precision, count);
    sum_quarters(count, precision, &plan->histogram);
    for (unsigned base = 0; base <= BASE_MAX; base++) {
        uint64_t bits = bits_of_histogram(plan->histogram.count, base);

        if (bits < best) {
            best = bits;
            plan->base = base;
        }
    }
    plan->size = STREAM_LENGTHS;
    for (unsigned q = 0; q < 4; q++) {
        plan->stream[q] = (uint32_t)((bits_of_histogram(count[q], plan->base) + 7) / 8);
        plan->size += plan->stream[q];
    }
}

void
hll_dense_write(const uint8_t *registers, unsigned precision, const HllDensePlan *plan,
                uint8_t *body)
{
    uint32_t quarter = UINT32_C(1) << (precision - 2);
    uint32_t code[HLL_RANKS];
    uint8_t length[HLL_RANKS];
    uint8_t *at = body + STREAM_LENGTHS;

    if (!tables.ready)
        make_tables();
    for (unsigned rank = 0; rank < HLL_RANKS; rank++) {
        unsigned s = symbol_of(rank, plan->base);

        length[rank] = (uint8_t)bits_of_rank(rank, plan->base);
        code[rank] = tables.code[s] | (s == ESCAPE ? rank << code_length[ESCAPE] : 0);
    }
    for (unsigned q = 0; q < 4; q++) {
        const uint8_t *ranks = registers + q * quarter;
        BitWriter w = bit_writer(at);

        for (uint32_t i = 0; i < quarter; i += 2) {
            unsigned first = ranks[i] & (HLL_RANKS - 1);
            unsigned second = ranks[i + 1] & (HLL_RANKS - 1);

            bits_put(&w, code[first] | code[second] << length[first],
                     (unsigned)length[first] + length[second]);
        }
        at = bits_finish(&w);
        if (q < 3)
            store_le32(body + 4 * q, plan->stream[q]);
    }
}

/* One stream being decoded: `at` is where its next register goes. */
typedef struct Stream {
    BitReader bits;
    uint8_t *at;
    uint8_t *end;
} Stream;

/*
 * Decodes one register, an escape included. Registers are first stored less the origin, the rank
 * of symbol 0, modulo 256.
 */
static void
decode_one(Stream *s, unsigned origin)
{
    uint64_t bits = bits_peek(&s->bits);
    DecodeEntry entry = tables.decode[bits & ((1u << CODE_MAX) - 1)];
    unsigned length = (unsigned)(entry >> 56);

    if (entry >> 40 & 1) {
        *s->at++ = (uint8_t)((bits >> length & (HLL_RANKS - 1)) - origin);
        s->bits.at += length + RANK_BITS;
    } else {
        *s->at++ = (uint8_t)entry;
        s->bits.at += length;
    }
}

/* Room for a round: five look-ups of four registers in one fetch of the bits, and an escape. */
#define ROUND_LOOKUPS 5
#define ROUND_REGISTERS (4 * ROUND_LOOKUPS + 1)

static inline bool
round_fits(const Stream *s)
{
    return s->end - s->at >= ROUND_REGISTERS && (s->bits.at >> 3) + 8 <= s->bits.size;
}

/*
 * Five look-ups in each stream, interleaved. A look-up that meets an escape consumes nothing; after
 * such a round every stream decodes one register by itself.
 */
static inline void
decode_round(Stream s[4], unsigned origin)
{
    uint64_t bits[4];
    uint8_t *at[4]; /* locals, which the bytes stored through them cannot alias */
    uint32_t sum[4] = {0, 0, 0, 0};

    for (unsigned q = 0; q < 4; q++) {
        bits[q] = load_le64(s[q].bits.data + (s[q].bits.at >> 3)) >> (s[q].bits.at & 7);
        at[q] = s[q].at;
    }
    for (unsigned i = 0; i < ROUND_LOOKUPS; i++)
        for (unsigned q = 0; q < 4; q++) {
            DecodeEntry entry = tables.decode[bits[q] & ((1u << CODE_MAX) - 1)];

            store_le32(at[q] + (sum[q] & 255), (uint32_t)entry);
            sum[q] += (uint32_t)(entry >> 32) & 0xffffff;
            bits[q] >>= entry >> 48 & 255;
        }
    for (unsigned q = 0; q < 4; q++) {
        s[q].at += sum[q] & 255;
        s[q].bits.at += sum[q] >> 16;
    }
    if ((sum[0] | sum[1] | sum[2] | sum[3]) & 0xff00)
        for (unsigned q = 0; q < 4; q++)
            decode_one(&s[q], origin);
}

/* Decodes a body into 2^precision registers; false when it is not exactly that. */
bool
hll_dense_read(uint8_t *registers, unsigned precision, unsigned base, SketchBytes body)
{
    uint32_t quarter = UINT32_C(1) << (precision - 2);
    uint8_t origin = (uint8_t)(base - BELOW_BASE);
    uint8_t highest = 0;
    Stream s[4];
    size_t left;
    const uint8_t *at;

    if (body.size < STREAM_LENGTHS || base > BASE_MAX)
        return false;
    if (!tables.ready)
        make_tables();
    at = body.data + STREAM_LENGTHS;
    left = body.size - STREAM_LENGTHS;
    for (unsigned q = 0; q < 4; q++) {
        size_t size = q < 3 ? load_le32(body.data + 4 * q) : left;

        if (size > left)
            return false;
        s[q] =
            (Stream){bit_reader(at, size), registers + q * quarter, registers + (q + 1) * quarter};
        at += size;
        left -= size;
    }
    while (round_fits(&s[0]) && round_fits(&s[1]) && round_fits(&s[2]) && round_fits(&s[3]))
        decode_round(s, origin);
    for (unsigned q = 0; q < 4; q++) {
        while (s[q].at < s[q].end)
            decode_one(&s[q], origin);
        if ((s[q].bits.at + 7) / 8 != s[q].bits.size)
            return false;
    }
    for (uint32_t i = 0; i < 4 * quarter; i++) {
        registers[i] = (uint8_t)(registers[i] + origin);
        highest = registers[i] > highest ? registers[i] : highest;
    }
    return highest <= 65 - precision;
}
