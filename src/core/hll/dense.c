/*
 * dense.c - the packed form of a register array: a fixed prefix code.
 *
 * After n items in m registers the ranks lie around log2(n/m), and their distribution keeps its
 * shape for every n: a cell of rank k is hit with probability 1 - exp(-2^(log2(n/m) - k)). The same
 * holds for the history bits: ranks far below the usual ones have mostly been seen, ranks far above
 * have not. A register's rank and two history bits together have 3.99 bits of entropy, for any
 * fractional part of log2(n/m). One prefix code is enough for all sketches. It is applied to the
 * distance of a register from a base, which is chosen for each sketch. It costs 4.11 bits on
 * average over the fractional parts, and 4.17 at worst: 4,302 bytes at precision 13 in all.
 * Registers without history have 2.83 bits of entropy, and their code costs 2.89 on average and
 * 2.94 at worst.
 *
 * A symbol is the register's byte minus that of a register of rank base - 3 without history, if
 * that is within the 14 ranks of the code. Every other register is an escape followed by its six or
 * eight bits. The lengths below are the best with at most 11 bits (package-merge) for the mixture
 * of 32 fractional parts, each at its best base; with history the mixture is weighted so that the
 * worst part costs least. Codes are assigned in canonical order (by length, then by symbol, the
 * escape last) and are written with their first bit in the least significant place. The base is the
 * one that gives the fewest bits; of several, the lowest.
 *
 * The registers are divided into four quarters, each a bit stream of its own that ends at a byte:
 *
 *     u32 bytes of stream 0 | u32 of stream 1 | u32 of stream 2 | streams 0, 1, 2, 3
 *
 * So four independent decoders run interleaved: decoding one stream is a chain of dependent
 * table look-ups, and while one look-up waits, the processor works on the other streams. A look-up
 * of 12 bits yields up to three registers.
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
 * Table of the next LOOKUP_BITS bits: up to three whole code words that are no escapes. An entry
 * has only 32 bits, so the table stays in the first-level cache. Its symbols need no shift.
 *
 *     bits 0..23   the symbols, one a byte
 *     bits 24..25  how many
 *     bit  27      always set
 *     bits 28..31  the length of all these words together
 *
 * An entry is 0 where the first word is an escape.
 */
typedef uint32_t DecodeEntry;

#define LOOKUP_BITS 12
#define LOOKUP_MASK ((1u << LOOKUP_BITS) - 1)
#define LOOKUP_SYMBOLS 3
#define ENTRY_SET (UINT32_C(1) << 27)

/*
 * Table of two symbols without history, a half of a byte each: both words from bit 8 on, and their
 * length in the bits below. The length is too much for a group where a symbol is an escape.
 */
typedef uint32_t PairEntry;

#define PAIRS 256
#define PAIR_LENGTH 255
#define GROUP_PAIRS 4 /* are written together */
#define GROUP_BITS 56 /* at most */

/* A code: the length of each symbol's word, the escape's last, and what follows from them. */
typedef struct Code {
    unsigned history;
    unsigned escape; /* its symbol: how many others there are */
    uint8_t length[SYMBOLS_MAX];
    bool ready;
    uint16_t word[SYMBOLS_MAX];
    PairEntry pair[PAIRS];
    DecodeEntry decode[1 << LOOKUP_BITS];
} Code;

static Code rank_code = {
    .history = 0, .escape = CODE_RANKS, .length = {11, 6, 3, 2, 2, 3, 3, 4, 6, 6, 7, 8, 9, 11, 10}};

/* A line for each rank; in it the ranks seen below: none, the second, the first, or both. */
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

/* `first` has the symbol of the word that any bits begin with. */
static DecodeEntry
decode_entry(const Code *code, const uint8_t *first, unsigned bits)
{
    DecodeEntry entry = 0;
    unsigned symbols = 0;
    unsigned length = 0;

    while (symbols < LOOKUP_SYMBOLS) {
        unsigned s = first[bits >> length];

        if (s == code->escape || length + code->length[s] > LOOKUP_BITS)
            break;
        entry |= (DecodeEntry)s << (8 * symbols++);
        length += code->length[s];
    }
    return symbols == 0 ? 0 : entry | symbols << 24 | ENTRY_SET | (DecodeEntry)length << 28;
}

static PairEntry
pair_entry(const Code *code, unsigned low, unsigned high)
{
    unsigned length = code->length[low];

    if (low >= code->escape || high >= code->escape)
        return GROUP_BITS + 1;
    return ((PairEntry)code->word[high] << length | code->word[low]) << 8 |
           (length + code->length[high]);
}

static void
make_tables(Code *code)
{
    uint8_t first[1 << LOOKUP_BITS];
    unsigned word = 0;

    for (unsigned length = 1; length <= CODE_MAX; length++, word <<= 1)
        for (unsigned s = 0; s <= code->escape; s++)
            if (code->length[s] == length)
                code->word[s] = reverse_bits((uint16_t)word++, length);

    /* The code is complete, so any bits begin with a word. */
    for (unsigned s = 0; s <= code->escape; s++)
        for (unsigned bits = code->word[s]; bits <= LOOKUP_MASK; bits += 1u << code->length[s])
            first[bits] = (uint8_t)s;
    for (unsigned bits = 0; bits <= LOOKUP_MASK; bits++)
        code->decode[bits] = decode_entry(code, first, bits);
    for (unsigned pair = 0; code->history == 0 && pair < PAIRS; pair++)
        code->pair[pair] = pair_entry(code, pair & 15, pair >> 4);
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

/* Registers are below this. */
static unsigned
values_of(unsigned history)
{
    return HLL_RANKS << history;
}

/* How often each register value occurs. */
typedef struct Counts {
    uint32_t of[STREAMS][VALUES]; /* in each quarter, which also avoids dependent stores */
    unsigned distinct;
    uint8_t value[VALUES]; /* those that occur, ascending */
    uint32_t all[VALUES];  /* how often each of them does */
} Counts;

static void
count_values(const uint8_t *registers, unsigned precision, unsigned history, Counts *counts)
{
    const size_t quarter = (size_t)1 << (precision - 2); /* size_t: no index wraps in 32 bits */

    memset(counts->of, 0, sizeof counts->of);
    for (size_t i = 0; i < quarter; i++)
        for (unsigned q = 0; q < STREAMS; q++)
            counts->of[q][registers[q * quarter + i]]++;
    counts->distinct = 0;
    for (unsigned reg = 0; reg < values_of(history); reg++) {
        uint32_t all =
            counts->of[0][reg] + counts->of[1][reg] + counts->of[2][reg] + counts->of[3][reg];

        counts->value[counts->distinct] = (uint8_t)reg;
        counts->all[counts->distinct] = all;
        counts->distinct += all > 0;
    }
}

/* Adds the cells of `count` registers of the value `reg`. */
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
cells_of_counts(const Counts *counts, unsigned precision, SketchHash hash, HllCells *cells)
{
    *cells = (HllCells){.index_bits = precision,
                        .history = hll_history(hash),
                        .rank_max = hll_rank_max(hash, precision)};
    for (unsigned v = 0; v < counts->distinct; v++)
        add_cells(cells, counts->value[v], counts->all[v]);
}

void
hll_dense_cells(const uint8_t *registers, unsigned precision, SketchHash hash, HllCells *cells)
{
    Counts counts;

    count_values(registers, precision, hll_history(hash), &counts);
    cells_of_counts(&counts, precision, hash, cells);
}

/* ---- writing ---- */

/* Bits of the registers of a quarter. */
static uint64_t
bits_of_quarter(const Code *code, const Counts *counts, unsigned quarter, unsigned base)
{
    uint64_t bits = 0;

    for (unsigned v = 0; v < counts->distinct; v++)
        bits += (uint64_t)counts->of[quarter][counts->value[v]] *
                bits_of_register(code, counts->value[v], base);
    return bits;
}

/* The base of the fewest bits. */
static unsigned
best_base(const Code *code, const Counts *counts)
{
    unsigned best = 0, lowest, highest;
    uint64_t fewest = UINT64_MAX;

    /* From any other base all registers would be escapes, the longest there are. */
    lowest = hll_register_rank(counts->value[0], code->history);
    highest = hll_register_rank(counts->value[counts->distinct - 1], code->history) + BELOW_BASE;
    lowest = lowest + BELOW_BASE > CODE_RANKS ? lowest + BELOW_BASE - CODE_RANKS : 0;
    for (unsigned base = lowest; base <= highest && base <= BASE_MAX; base++) {
        uint64_t bits = 0;

        for (unsigned v = 0; v < counts->distinct; v++)
            bits += (uint64_t)counts->all[v] * bits_of_register(code, counts->value[v], base);
        if (bits < fewest) {
            fewest = bits;
            best = base;
        }
    }
    return best;
}

/* Chooses the base and computes the size of everything. */
void
hll_dense_layout(const uint8_t *registers, unsigned precision, SketchHash hash,
                 HllDenseLayout *layout)
{
    const Code *code = code_of(hll_history(hash));
    Counts counts;

    count_values(registers, precision, code->history, &counts);
    cells_of_counts(&counts, precision, hash, &layout->cells);
    layout->used = UINT32_C(1) << precision;
    if (counts.value[0] == hll_register_empty(code->history))
        layout->used -= counts.all[0];
    layout->base = best_base(code, &counts);
    layout->size = STREAM_LENGTHS;
    for (unsigned q = 0; q < STREAMS; q++) {
        layout->stream[q] = (uint32_t)((bits_of_quarter(code, &counts, q, layout->base) + 7) / 8);
        layout->size += layout->stream[q];
    }
}

/* A quarter being written. */
typedef struct Output {
    BitWriter bits;
    const uint8_t *end; /* of its stream */
    const Code *code;
    unsigned base;
} Output;

static bool
has_room(const BitWriter *w, const uint8_t *end)
{
    return end - w->at >= (ptrdiff_t)sizeof(uint64_t);
}

static void
write_register(Output *out, unsigned reg)
{
    const Code *code = out->code;
    unsigned s = symbol_of(code, reg, out->base);

    bits_put(&out->bits, code->word[s], code->length[s]);
    if (s == code->escape)
        bits_put(&out->bits, reg, escape_bits(code));
}

/*
 * Writes groups of pairs up to the first that has an escape or too many bits, or gets near the end.
 * Returns how many pairs it wrote.
 */
static uint32_t
write_groups(Output *out, const uint8_t *pairs, uint32_t count)
{
    const PairEntry *entry = out->code->pair;
    BitWriter w = out->bits; /* a local, which the bytes stored through it cannot alias */
    uint32_t i = 0;

    if (has_room(&w, out->end))
        bits_put_wide(&w, 0, 0); /* leaves fewer than 8 bits pending, where bits_put was before */
    for (; i + GROUP_PAIRS <= count && has_room(&w, out->end); i += GROUP_PAIRS) {
        PairEntry a = entry[pairs[i]], b = entry[pairs[i + 1]];
        PairEntry c = entry[pairs[i + 2]], d = entry[pairs[i + 3]];
        uint64_t first = a >> 8 | (uint64_t)(b >> 8) << (a & 63);
        uint64_t last = c >> 8 | (uint64_t)(d >> 8) << (c & 63);
        unsigned length = (a + b + c + d) & PAIR_LENGTH;

        if (length > GROUP_BITS)
            break;
        bits_put_wide(&w, first | last << ((a + b) & 63), length);
    }
    out->bits = w;
    return i;
}

/* Registers that are paired together. */
#define BLOCK 512

/* Registers without history. */
static void
write_ranks(Output *out, const uint8_t *registers, uint32_t count)
{
    const uint8_t origin = origin_of(out->code, out->base);
    uint8_t pairs[BLOCK / 2];
    uint32_t i = 0;

    for (uint32_t j = 0; j < count / 2; j++) {
        uint8_t low = (uint8_t)(registers[2 * j] - origin);
        uint8_t high = (uint8_t)(registers[2 * j + 1] - origin);

        low = low < CODE_RANKS ? low : CODE_RANKS;
        high = high < CODE_RANKS ? high : CODE_RANKS;
        pairs[j] = (uint8_t)(low | high << 4);
    }
    while (i < count) {
        uint32_t stop;

        i += 2 * write_groups(out, pairs + i / 2, (count - i) / 2);
        stop = count - i > 2 * GROUP_PAIRS ? i + 2 * GROUP_PAIRS : count;
        for (; i < stop; i++)
            write_register(out, registers[i]);
    }
}

/* Registers with history, two at once. */
static void
write_histories(Output *out, const uint8_t *registers, uint32_t count, const uint32_t *word)
{
    BitWriter w = out->bits; /* a local, as in write_groups */
    uint32_t i = 0;

    for (; i < count && has_room(&w, out->end); i += 2) {
        uint32_t low = word[registers[i]], high = word[registers[i + 1]];

        bits_put_wide(&w, low >> 8 | (uint64_t)(high >> 8) << (low & 63), (low + high) & 63);
    }
    out->bits = w;
    for (; i < count; i++)
        write_register(out, registers[i]);
}

void
hll_dense_write(const uint8_t *registers, unsigned precision, unsigned history,
                const HllDenseLayout *layout, uint8_t *body)
{
    const Code *code = code_of(history);
    uint32_t quarter = UINT32_C(1) << (precision - 2);
    uint32_t word[VALUES]; /* from bit 8 on, and its length in the bits below */
    uint8_t *at = body + STREAM_LENGTHS;

    for (unsigned reg = 0; history > 0 && reg < VALUES; reg++) {
        unsigned s = symbol_of(code, reg, layout->base);

        word[reg] = (code->word[s] | (s == code->escape ? reg << code->length[s] : 0)) << 8 |
                    bits_of_register(code, reg, layout->base);
    }
    for (unsigned q = 0; q < STREAMS; q++) {
        Output out = {bit_writer(at), at + layout->stream[q], code, layout->base};
        const uint8_t *from = registers + q * quarter;

        if (history > 0)
            write_histories(&out, from, quarter, word);
        else
            for (uint32_t i = 0; i < quarter; i += BLOCK)
                write_ranks(&out, from + i, quarter - i < BLOCK ? quarter - i : BLOCK);
        at = bits_finish(&out.bits);
        if (q < STREAMS - 1)
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
    DecodeEntry entry = code->decode[bits & LOOKUP_MASK];

    if (entry == 0) {
        bits >>= code->length[code->escape];
        *s->at++ = (uint8_t)((bits & ((1u << escape_bits(code)) - 1)) - origin);
        s->bits.at += code->length[code->escape] + escape_bits(code);
    } else {
        *s->at++ = (uint8_t)entry;
        s->bits.at += code->length[entry & 255];
    }
}

/* A round: four look-ups in one fetch of 57 bits at least, and an escape. */
#define ROUND_LOOKUPS 4
#define ROUND_REGISTERS (LOOKUP_SYMBOLS * ROUND_LOOKUPS + 1)
#define ROUND_BITS (LOOKUP_BITS * ROUND_LOOKUPS + CODE_MAX + RANK_BITS + HLL_HISTORY)

/* Rounds that a stream has registers and bits for, whatever the bits are. */
static size_t
rounds_left(const Stream *s)
{
    size_t by_registers = (size_t)(s->end - s->at) / ROUND_REGISTERS;
    size_t bits = 8 * s->bits.size, fetched = s->bits.at + 64, by_bits;

    by_bits = fetched > bits ? 0 : (bits - fetched) / ROUND_BITS + 1;
    return by_registers < by_bits ? by_registers : by_bits;
}

/*
 * Rounds in each stream, interleaved. A look-up that meets an escape consumes nothing, nor do those
 * after it; then every stream decodes one register by itself. A one above the bits marks where they
 * began, and so how many have been consumed.
 */
static inline void
decode_rounds(const Code *code, Stream *s, unsigned streams, size_t rounds, unsigned origin)
{
    const DecodeEntry *decode = code->decode;

    for (; rounds > 0; rounds--) {
        uint64_t bits[STREAMS];
        uint8_t *at[STREAMS]; /* locals, which the bytes stored through them cannot alias */
        DecodeEntry last[STREAMS], all_last = ENTRY_SET;

        for (unsigned q = 0; q < streams; q++) {
            bits[q] = load_le64(s[q].bits.data + (s[q].bits.at >> 3)) >> (s[q].bits.at & 7);
            bits[q] |= UINT64_C(1) << 63;
            at[q] = s[q].at;
        }
        for (unsigned i = 0; i < ROUND_LOOKUPS; i++)
            for (unsigned q = 0; q < streams; q++) {
                DecodeEntry entry = decode[bits[q] & LOOKUP_MASK];

                /* A byte too many, which the next register replaces. */
                store_le32(at[q], entry);
                at[q] += entry >> 24 & 3;
                bits[q] >>= entry >> 28;
                last[q] = entry;
            }
        for (unsigned q = 0; q < streams; q++) {
            s[q].at = at[q];
            s[q].bits.at += (unsigned)__builtin_clzll(bits[q]);
            all_last &= last[q];
        }
        if (all_last == 0)
            for (unsigned q = 0; q < streams; q++)
                decode_one(code, &s[q], origin);
    }
}

/* Decodes four streams together, as long as none is near its end. */
static void
decode_together(const Code *code, Stream s[STREAMS], unsigned origin)
{
    for (;;) {
        size_t rounds = rounds_left(&s[0]);

        for (unsigned q = 1; q < STREAMS; q++) {
            size_t here = rounds_left(&s[q]);

            rounds = here < rounds ? here : rounds;
        }
        if (rounds == 0)
            return;
        decode_rounds(code, s, STREAMS, rounds, origin);
    }
}

/* Decodes a body into 2^precision registers; false when it is not exactly that. */
bool
hll_dense_read(uint8_t *registers, unsigned precision, SketchHash hash, unsigned base,
               SketchBytes body)
{
    const Code *code = code_of(hll_history(hash));
    uint32_t quarter = UINT32_C(1) << (precision - 2);
    uint8_t origin = origin_of(code, base);
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
    decode_together(code, s, origin);
    for (unsigned q = 0; q < STREAMS; q++) {
        for (size_t rounds; (rounds = rounds_left(&s[q])) > 0;)
            decode_rounds(code, &s[q], 1, rounds, origin);
        while (s[q].at < s[q].end)
            decode_one(code, &s[q], origin);
        if ((s[q].bits.at + 7) / 8 != s[q].bits.size)
            return false;
    }
    for (uint32_t i = 0; i < 4 * quarter; i++)
        registers[i] = (uint8_t)(registers[i] + origin);
    return (unsigned)hll_highest(registers, 4 * (size_t)quarter) >> code->history <=
           hll_rank_max(hash, precision);
}
