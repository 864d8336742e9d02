/*
 * dense.c - the packed form of a register array: a fixed prefix code.
 *
 * After n items into m registers the ranks spread around log2(n/m), and their distribution keeps
 * its shape whatever n is: a cell of rank k is hit with probability 1 - exp(-2^(log2(n/m) - k)). So
 * does that of the history bits: a rank that is far below the usual ones was seen before higher
 * ones came, one that is far above was not. A register's rank and two history bits together have
 * 3.99 bits of entropy, in whatever fraction of a rank log2(n/m) ends. One prefix code, applied to
 * the distance of a register from a base that is chosen for each sketch, costs 4.11 bits on average
 * over the fractions and 4.17 at worst: 4,204 bytes at precision 13. Registers of ranks alone have
 * 2.83 bits of entropy, and their code costs 2.89 on average and 2.94 at worst.
 *
 * A symbol is the register's byte less that of a register of rank base - 3 without history, where
 * that is within the 14 ranks of the code; every other register is an escape followed by its six or
 * eight bits. The lengths below are the best with at most 11 bits (package-merge) for the mixture
 * over 32 fractions, each at its best base; with history the mixture is weighted so that the worst
 * fraction costs least. Codes are assigned in canonical order (by length, then by symbol, the
 * escape last) and are written with their first bit in the least significant place. The base is the
 * one of the smallest size, the lowest of several.
 *
 * The registers are cut into four quarters, each a bit stream of its own that ends at a byte:
 *
 *     u32 bytes of stream 0 | u32 of stream 1 | u32 of stream 2 | streams 0, 1, 2, 3
 *
 * so that four independent decoders run interleaved: decoding one stream is a chain of dependent
 * table look-ups, and the processor fills the waits of one with the work of the others. A look-up
 * of 11 bits yields up to four registers.
 *
 * References: D. Huffman, A method for the construction of minimum-redundancy codes, 1952.
 * L. Larmore, D. Hirschberg, A fast algorithm for optimal length-limited Huffman codes, 1990. The
 * entropy of the registers: O. Ertl, UltraLogLog, arXiv 2308.16862; K. Lang, Back to the future: an
 * even more nearly optimal cardinality estimation algorithm, arXiv 1708.06839.
 */
#include "hll_internal.h"

#define CODE_RANKS 14 /* ranks that have symbols */
#define BELOW_BASE 3
#define BASE_MAX 63
#define CODE_MAX 11 /* bits of the longest code word */
#define RANK_BITS 6
#define SYMBOLS_MAX ((CODE_RANKS << HLL_HISTORY) + 1)
#define VALUES 256
#define STREAMS 4
#define STREAM_LENGTHS 12

/*
 * What the next CODE_MAX bits hold, up to four whole words that are no escapes, in one word so
 * that one load and few shifts do it:
 *
 *     bits 0..7    the length of all these words together; 0 where the first one is an escape
 *     bits 8..15   how many
 *     bits 32..63  the symbols, one a byte
 */
typedef uint64_t DecodeEntry;

/* A code: the length of each symbol's word, the escape's last, and what follows from them. */
typedef struct Code {
    unsigned history;
    unsigned escape; /* its symbol: how many others there are */
    uint8_t length[SYMBOLS_MAX];
    bool ready;
    uint16_t word[SYMBOLS_MAX];
    DecodeEntry decode[1 << CODE_MAX];
} Code;

static Code rank_code = {
    .history = 0, .escape = CODE_RANKS, .length = {11, 6, 3, 2, 2, 3, 3, 4, 6, 6, 7, 8, 9, 11, 10}};

/* The history of a rank runs along a line: none, the second below, the first below, both. */
static Code history_code = {
    .history = HLL_HISTORY,
    .escape = CODE_RANKS << HLL_HISTORY,
    /* clang-format off */
                            .length = {11, 11, 11, 9,
                                       11, 11, 11, 5,
                                       11,  7, 11, 3,
                                        9,  5,  7, 3,
                                        6,  4,  6, 3,
                                        5,  4,  5, 4,
                                        4,  5,  6, 6,
                                        5,  6,  7, 9,
                                        5,  8,  9, 11,
                                        6, 11, 11, 11,
                                        7, 11, 11, 11,
                                        8, 11, 11, 11,
                                        9, 11, 11, 11,
                                       10, 11, 11, 11,
                                       10}
    /* clang-format on */
};

static uint16_t
reverse_bits(uint16_t code, unsigned length)
{
    uint16_t reversed = 0;

    for (unsigned i = 0; i < length; i++)
        reversed |= (uint16_t)((code >> i & 1) << (length - 1 - i));
    return reversed;
}

/* The symbol whose word begins `bits`. The code is complete, so there always is one. */
static unsigned
first_symbol(const Code *code, unsigned bits)
{
    unsigned s = 0;

    while ((bits & ((1u << code->length[s]) - 1)) != code->word[s])
        s++;
    return s;
}

static DecodeEntry
decode_entry(const Code *code, unsigned bits)
{
    DecodeEntry entry = 0;
    unsigned symbols = 0;
    unsigned length = 0;

    while (symbols < 4) {
        unsigned s = first_symbol(code, bits >> length);

        if (s == code->escape || length + code->length[s] > CODE_MAX)
            break;
        entry |= (uint64_t)s << (32 + 8 * symbols++);
        length += code->length[s];
    }
    return entry | (uint64_t)symbols << 8 | length;
}

static void
make_tables(Code *code)
{
    unsigned word = 0;

    for (unsigned length = 1; length <= CODE_MAX; length++, word <<= 1)
        for (unsigned s = 0; s <= code->escape; s++)
            if (code->length[s] == length)
                code->word[s] = reverse_bits((uint16_t)word++, length);

    for (unsigned bits = 0; bits < 1u << CODE_MAX; bits++)
        code->decode[bits] = decode_entry(code, bits);
    code->ready = true;
}

static const Code *
code_of(unsigned history)
{
    Code *code = history > 0 ? &history_code : &rank_code;

    if (!code->ready)
        make_tables(code);
    return code;
}

/* The register of symbol 0, modulo 256. */
static uint8_t
origin_of(const Code *code, unsigned base)
{
    return (uint8_t)((base - BELOW_BASE) << code->history);
}

static unsigned
symbol_of(const Code *code, unsigned reg, unsigned base)
{
    /* Wraps around below the window, in more than a byte. */
    unsigned s = reg - ((base - BELOW_BASE) << code->history);

    return s < code->escape ? s : code->escape;
}

static unsigned
escape_bits(const Code *code)
{
    return RANK_BITS + code->history;
}

static unsigned
bits_of_register(const Code *code, unsigned reg, unsigned base)
{
    unsigned s = symbol_of(code, reg, base);

    return code->length[s] + (s == code->escape ? escape_bits(code) : 0);
}

/* ---- counting ---- */

/* How often each register value occurs; counting quarters apart breaks store dependencies, too. */
typedef uint32_t ValueCounts[VALUES];

static void
count_quarters(const uint8_t *registers, unsigned precision, ValueCounts count[4])
{
    uint32_t quarter = UINT32_C(1) << (precision - 2);

    memset(count, 0, 4 * sizeof count[0]);
    for (uint32_t i = 0; i < quarter; i++)
        for (unsigned q = 0; q < 4; q++)
            count[q][registers[q * quarter + i]]++;
}

/* What a number of registers of one value tell. */
static void
add_cells(HllCells *cells, uint8_t reg, uint32_t count)
{
    unsigned highest = hll_register_rank(reg, cells->history);
    uint64_t seen = hll_register_seen(reg, cells->history);

    for (unsigned r = hll_register_lowest(reg, cells->history); r <= highest; r++)
        if (seen >> r & 1)
            cells->seen[r] += count;
        else
            cells->unseen += count * hll_hashes_of(r, cells->index_bits);
    cells->unseen += count * hll_hashes_above(highest, cells->index_bits);
}

static void
cells_of_counts(ValueCounts count[4], unsigned precision, unsigned history, HllCells *cells)
{
    *cells = (HllCells){.index_bits = precision, .history = history};
    for (unsigned reg = 0; reg < VALUES; reg++) {
        uint32_t all = count[0][reg] + count[1][reg] + count[2][reg] + count[3][reg];

        if (all > 0)
            add_cells(cells, (uint8_t)reg, all);
    }
}

void
hll_dense_cells(const uint8_t *registers, unsigned precision, unsigned history, HllCells *cells)
{
    ValueCounts count[4];

    count_quarters(registers, precision, count);
    cells_of_counts(count, precision, history, cells);
}

/* ---- writing ---- */

static uint64_t
bits_of_counts(const Code *code, const ValueCounts count, unsigned base)
{
    uint64_t bits = 0;

    for (unsigned reg = 0; reg < VALUES; reg++)
        if (count[reg] > 0)
            bits += (uint64_t)count[reg] * bits_of_register(code, reg, base);
    return bits;
}

/* The base of the fewest bits. */
static unsigned
best_base(const Code *code, ValueCounts count[4])
{
    uint8_t reg[VALUES];
    uint32_t of_reg[VALUES];
    unsigned values = 0, best = 0;
    uint64_t fewest = UINT64_MAX;

    for (unsigned r = 0; r < VALUES; r++) {
        of_reg[values] = count[0][r] + count[1][r] + count[2][r] + count[3][r];
        reg[values] = (uint8_t)r;
        values += of_reg[values] > 0;
    }
    for (unsigned base = 0; base <= BASE_MAX; base++) {
        uint64_t bits = 0;

        for (unsigned v = 0; v < values; v++)
            bits += (uint64_t)of_reg[v] * bits_of_register(code, reg[v], base);
        if (bits < fewest) {
            fewest = bits;
            best = base;
        }
    }
    return best;
}

/* Chooses the base and computes the size of everything. */
void
hll_dense_layout(const uint8_t *registers, unsigned precision, unsigned history,
                 HllDenseLayout *layout)
{
    const Code *code = code_of(history);
    ValueCounts count[4];

    count_quarters(registers, precision, count);
    cells_of_counts(count, precision, history, &layout->cells);
    layout->base = best_base(code, count);
    layout->size = STREAM_LENGTHS;
    for (unsigned q = 0; q < 4; q++) {
        layout->stream[q] = (uint32_t)((bits_of_counts(code, count[q], layout->base) + 7) / 8);
        layout->size += layout->stream[q];
    }
}

void
hll_dense_write(const uint8_t *registers, unsigned precision, unsigned history,
                const HllDenseLayout *layout, uint8_t *body)
{
    const Code *code = code_of(history);
    uint32_t quarter = UINT32_C(1) << (precision - 2);
    uint32_t word[VALUES];
    uint8_t length[VALUES];
    uint8_t *at = body + STREAM_LENGTHS;

    for (unsigned reg = 0; reg < VALUES; reg++) {
        unsigned s = symbol_of(code, reg, layout->base);

        length[reg] = (uint8_t)bits_of_register(code, reg, layout->base);
        word[reg] = code->word[s] | (s == code->escape ? reg << code->length[s] : 0);
    }
    for (unsigned q = 0; q < 4; q++) {
        const uint8_t *from = registers + q * quarter;
        BitWriter w = bit_writer(at);

        for (uint32_t i = 0; i < quarter; i++)
            bits_put(&w, word[from[i]], length[from[i]]);
        at = bits_finish(&w);
        if (q < 3)
            store_le32(body + 4 * q, layout->stream[q]);
    }
}

/* ---- reading ---- */

/* One stream being decoded: `at` is where its next register goes. */
typedef struct Stream {
    BitReader bits;
    uint8_t *at;
    uint8_t *end;
} Stream;

/*
 * Decodes one register, an escape included. Registers are first stored less the origin, modulo
 * 256.
 */
static void
decode_one(const Code *code, Stream *s, unsigned origin)
{
    uint64_t bits = bits_peek(&s->bits);
    DecodeEntry entry = code->decode[bits & ((1u << CODE_MAX) - 1)];

    if (entry == 0) {
        bits >>= code->length[code->escape];
        *s->at++ = (uint8_t)((bits & ((1u << escape_bits(code)) - 1)) - origin);
        s->bits.at += code->length[code->escape] + escape_bits(code);
    } else {
        *s->at++ = (uint8_t)(entry >> 32);
        s->bits.at += code->length[entry >> 32 & 255];
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
 * Five look-ups in each stream, interleaved. A look-up that meets an escape consumes nothing, nor
 * do those after it; then every stream decodes one register by itself. A one above the bits marks
 * where they began, and so how many have been consumed.
 */
static inline void
decode_round(const Code *code, Stream *s, unsigned streams, unsigned origin)
{
    uint64_t bits[STREAMS];
    uint8_t *at[STREAMS]; /* locals, which the bytes stored through them cannot alias */
    DecodeEntry last[STREAMS];
    bool escaped = false;

    for (unsigned q = 0; q < streams; q++) {
        bits[q] = load_le64(s[q].bits.data + (s[q].bits.at >> 3)) >> (s[q].bits.at & 7);
        bits[q] |= UINT64_C(1) << 63;
        at[q] = s[q].at;
    }
    for (unsigned i = 0; i < ROUND_LOOKUPS; i++)
        for (unsigned q = 0; q < streams; q++) {
            DecodeEntry entry = code->decode[bits[q] & ((1u << CODE_MAX) - 1)];

            store_le32(at[q], (uint32_t)(entry >> 32));
            at[q] += entry >> 8 & 255;
            bits[q] >>= entry & 63;
            last[q] = entry;
        }
    for (unsigned q = 0; q < streams; q++) {
        s[q].at = at[q];
        s[q].bits.at += (unsigned)__builtin_clzll(bits[q]);
        escaped |= last[q] == 0;
    }
    if (escaped)
        for (unsigned q = 0; q < streams; q++)
            decode_one(code, &s[q], origin);
}

/* Decodes a body into 2^precision registers; false when it is not exactly that. */
bool
hll_dense_read(uint8_t *registers, unsigned precision, unsigned history, unsigned base,
               SketchBytes body)
{
    const Code *code = code_of(history);
    uint32_t quarter = UINT32_C(1) << (precision - 2);
    uint8_t origin = origin_of(code, base);
    uint8_t highest = 0;
    Stream s[STREAMS];
    size_t left;
    const uint8_t *at;

    if (body.size < STREAM_LENGTHS || base > BASE_MAX)
        return false;
    at = body.data + STREAM_LENGTHS;
    left = body.size - STREAM_LENGTHS;
    for (unsigned q = 0; q < STREAMS; q++) {
        size_t size = q < 3 ? load_le32(body.data + 4 * q) : left;

        if (size > left)
            return false;
        s[q] =
            (Stream){bit_reader(at, size), registers + q * quarter, registers + (q + 1) * quarter};
        at += size;
        left -= size;
    }
    while (round_fits(&s[0]) && round_fits(&s[1]) && round_fits(&s[2]) && round_fits(&s[3]))
        decode_round(code, s, STREAMS, origin);
    for (unsigned q = 0; q < STREAMS; q++) {
        while (round_fits(&s[q]))
            decode_round(code, &s[q], 1, origin);
        while (s[q].at < s[q].end)
            decode_one(code, &s[q], origin);
        if ((s[q].bits.at + 7) / 8 != s[q].bits.size)
            return false;
    }
    for (uint32_t i = 0; i < 4 * quarter; i++) {
        registers[i] = (uint8_t)(registers[i] + origin);
        highest = registers[i] > highest ? registers[i] : highest;
    }
    return (unsigned)highest >> history <= 65 - precision;
}
