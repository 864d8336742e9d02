/*
 * from_datasketches.c - HLL sketches of Apache DataSketches, and of the systems that build on it.
 *
 * Little-endian. The hash of an item has two halves of 64 bits. The low 26 bits of the first half
 * are the index, whatever the precision lgK is. The leading zeros of the second half plus one are
 * the rank, 1 to 63. A coupon is rank << 26 | index. A register has the highest rank of the coupons
 * whose index ends with its number. So a sketch folds to fewer registers as ours do, but ranks stay
 * as they are.
 *
 *     0: 2, 3 or 10, the length of the preamble in words of 32 bits
 *     1: version 1
 *     2: family 7
 *     3: lgK
 *     4: log2 of the length of the table of coupons or exceptions
 *     5: flags: 4 empty, 8 compact, 16 out of order, 32 full size
 *     6: a list: number of coupons; registers: the base of those of 4 bits
 *     7: mode: 0 list, 1 set, 2 registers; plus 0, 4 or 8 for registers of 4, 6 or 8 bits
 *
 *     list       8..   up to 7 coupons
 *     set        8..11 number of coupons
 *                12..  coupons
 *     registers  8..15 an estimate that depends on the order of the items
 *                16..23, 24..31  sums of 2^-rank, of the ranks below 32 and of the others
 *                32..35, 36..39  number of registers at the base; of exceptions
 *                40..  registers; behind those of 4 bits the exceptions, rank << 26 | number
 *
 * A register of 4 bits is the rank minus the base, and 15 for an exception. Registers of 6 bits
 * have one byte more than they need. Lists, sets and tables of exceptions that are not compact have
 * 2^b places, where b is byte 4; free places are 0.
 *
 * Only coupons or registers are read; all else follows from them, except the estimate that depends
 * on the order, which is lost. Sketches are written compact and marked as out of order, so that
 * they are estimated from their registers. More than 2^18 registers are folded to 2^18.
 *
 * Reference: the project's PreambleUtil and its documentation of the HLL sketch.
 */
#include <math.h>

#include "hll_internal.h"

#define VERSION 1
#define FAMILY 7
/* Offsets. */
#define LGK 3
#define TABLE_LG 4
#define FLAGS 5
#define LIST_COUNT 6
#define BASE 6
#define MODE 7
#define SUM_LOW 16
#define SUM_HIGH 24
#define AT_BASE 32
#define EXCEPTIONS 36

#define LIST_WORDS 2
#define SET_WORDS 3
#define REGISTERS_WORDS 10
#define HEADER 8
#define SET_HEADER 12
#define REGISTERS_HEADER 40
#define LGK_MIN HLL_PRECISION_MIN
#define LGK_MAX 21
#define LIST 0
#define SET 1
#define REGISTERS 2
#define FLAG_EMPTY 4
#define FLAG_COMPACT 8
#define FLAG_OUT_OF_ORDER 16
#define FLAGS_KNOWN 60
#define LIST_LG 3
#define LIST_PLACES (1u << LIST_LG)
#define SET_LG_MIN 5
#define SET_LGK_MIN 8 /* below, a list becomes registers */
#define INDEX_MASK ((UINT32_C(1) << HLL_TOKEN_BITS) - 1)
#define EXCEPTION 15

/* ---- reading ---- */

static bool
refuse_length(SketchError *error)
{
    return sketch_refuse(error, SKETCH_MALFORMED, "The length does not match the contents");
}

static unsigned
precision_of(unsigned lgk)
{
    return lgk < HLL_PRECISION_MAX ? lgk : HLL_PRECISION_MAX;
}

/* The coupons of a list or a set; a table that is not compact has gaps. */
static bool
read_coupons(SketchBytes coupons, uint32_t count, unsigned lgk, const SketchMemory *memory,
             SketchBytes *value, SketchError *error)
{
    uint32_t *tokens = memory->scratch((count + (size_t)1) * sizeof64(uint32_t), memory->context);
    uint32_t found = 0, distinct;

    for (size_t at = 0; at < coupons.size; at += sizeof(uint32_t)) {
        uint32_t coupon = load_le32(coupons.data + at);

        if (coupon != 0 && (found == count || coupon >> HLL_TOKEN_BITS == 0)) {
            found = UINT32_MAX;
            break;
        }
        if (coupon != 0)
            tokens[found++] = hll_token_of_coupon(coupon);
    }
    distinct = found == count ? hll_tokens_sort(tokens, count, HLL_EVERY_RANK, memory) : 0;
    if (found == count && distinct == count)
        *value =
            hll_from_tokens(hll_view_of(SKETCH_HASH_DATASKETCHES, precision_of(lgk), HLL_SPARSE),
                            tokens, count, memory);
    memory->release(tokens, memory->context);
    return (found == count && distinct == count) ||
           sketch_refuse(error, SKETCH_MALFORMED, "Coupons that no items can produce");
}

static bool
read_list(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    SketchBytes coupons = {input.data + HEADER, input.size - HEADER};
    uint32_t count = input.data[LIST_COUNT];
    bool compact = input.data[FLAGS] & FLAG_COMPACT;

    if (count >= LIST_PLACES || (count == 0) != ((input.data[FLAGS] & FLAG_EMPTY) != 0) ||
        coupons.size != (compact ? count : LIST_PLACES) * sizeof(uint32_t))
        return refuse_length(error);
    return read_coupons(coupons, count, input.data[LGK], memory, value, error);
}

static bool
read_set(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    unsigned lgk = input.data[LGK], lg = input.data[TABLE_LG];
    bool compact = input.data[FLAGS] & FLAG_COMPACT;
    SketchBytes coupons;
    uint32_t count;

    if (input.size < SET_HEADER)
        return refuse_length(error);
    count = load_le32(input.data + HEADER);
    coupons = (SketchBytes){input.data + SET_HEADER, input.size - SET_HEADER};
    /* A table is at most as large as the registers are in their smallest form. */
    if (lgk < SET_LGK_MIN || input.data[FLAGS] & FLAG_EMPTY || count > UINT32_C(1) << (lgk - 3) ||
        (!compact && (lg < SET_LG_MIN || lg > lgk - 3)) ||
        coupons.size != (compact ? count : UINT32_C(1) << lg) * sizeof(uint32_t))
        return refuse_length(error);
    return read_coupons(coupons, count, lgk, memory, value, error);
}

/* Registers of 6 bits, and a byte at the end. */
static bool
read_sixes(SketchBytes body, uint32_t count, uint8_t *registers)
{
    if (body.size != count / 4 * 3 + 1)
        return false;
    hll_read_sixes(body.data, registers, count);
    return body.data[body.size - 1] == 0;
}

static bool
read_eights(SketchBytes body, uint32_t count, uint8_t *registers)
{
    if (body.size != count)
        return false;
    memcpy(registers, body.data, count);
    return true;
}

#define NO_RANK 0xff /* of an exception whose rank was not read: higher than any */

/*
 * Reads the ranks of exceptions; false if the table has a register that is not marked as one, or
 * one twice, or a rank that does not need it.
 */
static bool
read_exceptions(SketchBytes table, unsigned base, uint32_t exceptions, uint32_t count,
                uint8_t *registers)
{
    for (size_t at = 0; at < table.size; at += sizeof(uint32_t)) {
        uint32_t pair = load_le32(table.data + at);
        uint32_t number = pair & INDEX_MASK, rank = pair >> HLL_TOKEN_BITS;

        if (pair == 0)
            continue;
        if (number >= count || registers[number] != NO_RANK || rank < base + EXCEPTION)
            return false;
        registers[number] = (uint8_t)rank;
        exceptions--;
    }
    return exceptions == 0;
}

/* Registers of 4 bits; exceptions after them. */
static bool
read_fours(SketchBytes input, uint32_t count, uint8_t *registers)
{
    const uint8_t *body = input.data + REGISTERS_HEADER;
    unsigned base = input.data[BASE], lg = input.data[TABLE_LG];
    uint32_t exceptions = load_le32(input.data + EXCEPTIONS);
    SketchBytes table = {body + count / 2, input.size - REGISTERS_HEADER - count / 2};
    uint64_t places = exceptions;

    if (!(input.data[FLAGS] & FLAG_COMPACT) && (exceptions > 0 || table.size > 0))
        places = lg <= HLL_TOKEN_BITS ? UINT64_C(1) << lg : UINT64_MAX;
    if (table.size != places * sizeof(uint32_t) || base >= HLL_RANKS)
        return false;
    for (uint32_t i = 0; i < count / 2; i++) {
        uint8_t low = body[i] & 15, high = body[i] >> 4;

        registers[2 * i] = low == EXCEPTION ? NO_RANK : (uint8_t)(base + low);
        registers[2 * i + 1] = high == EXCEPTION ? NO_RANK : (uint8_t)(base + high);
    }
    return read_exceptions(table, base, exceptions, count, registers);
}

static bool
read_registers(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
               SketchError *error)
{
    unsigned precision = precision_of(input.data[LGK]), width = input.data[MODE] >> 2;
    uint32_t count = UINT32_C(1) << input.data[LGK];
    uint8_t *registers;
    SketchBytes body;
    bool good;

    if (input.size < REGISTERS_HEADER + count / 2 || input.data[FLAGS] & FLAG_EMPTY)
        return refuse_length(error);
    body = (SketchBytes){input.data + REGISTERS_HEADER, input.size - REGISTERS_HEADER};
    registers = memory->scratch(count, memory->context);
    good = width == 0   ? read_fours(input, count, registers)
           : width == 1 ? read_sixes(body, count, registers)
                        : read_eights(body, count, registers);
    good = good && hll_highest(registers, count) < HLL_RANKS;
    for (uint32_t more = UINT32_C(1) << precision; good && more < count; more++) {
        uint8_t *to = &registers[more & ((UINT32_C(1) << precision) - 1)];

        *to = *to > registers[more] ? *to : registers[more];
    }
    if (good)
        *value = hll_from_registers(registers, SKETCH_HASH_DATASKETCHES, precision, memory);
    memory->release(registers, memory->context);
    return good || sketch_refuse(error, SKETCH_MALFORMED, "Registers that no items can produce");
}

bool
hll_from_datasketches(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                      SketchError *error)
{
    static const uint8_t words_of[] = {LIST_WORDS, SET_WORDS, REGISTERS_WORDS, 0};
    const uint8_t *data = input.data;

    if (input.size < HEADER || data[1] != VERSION || data[2] != FAMILY)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not an HLL sketch of DataSketches");
    if (data[LGK] < LGK_MIN || data[LGK] > LGK_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "lgK out of range", data[LGK], LGK_MIN,
                                   LGK_MAX);
    if (data[FLAGS] & ~FLAGS_KNOWN)
        return sketch_refuse(error, SKETCH_MALFORMED, "Unknown flags");
    if (data[MODE] >> 2 <= 2 && data[0] == words_of[data[MODE] & 3])
        switch (data[MODE] & 3) {
        case LIST:
            return read_list(input, memory, value, error);
        case SET:
            return read_set(input, memory, value, error);
        case REGISTERS:
            return read_registers(input, memory, value, error);
        }
    return sketch_refuse(error, SKETCH_MALFORMED, "Unknown mode");
}

/* ---- writing ---- */

static uint8_t *
new_bytes(size_t size, unsigned words, unsigned lgk, unsigned mode, const SketchMemory *memory)
{
    uint8_t *data = memset(memory->scratch(size, memory->context), 0, size);

    data[0] = (uint8_t)words;
    data[1] = VERSION;
    data[2] = FAMILY;
    data[LGK] = (uint8_t)lgk;
    data[FLAGS] = FLAG_COMPACT;
    data[MODE] = (uint8_t)mode;
    return data;
}

/* The log2 of the size of the table for that many coupons, at most three quarters full. */
static unsigned
table_lg(unsigned lg, uint32_t count)
{
    while (UINT64_C(4) * count > UINT64_C(3) << lg)
        lg++;
    return lg;
}

/* Returns true if DataSketches would keep that many coupons as they are. */
static bool
keeps_coupons(uint32_t count, unsigned lgk)
{
    return count < LIST_PLACES || (lgk >= SET_LGK_MIN && table_lg(SET_LG_MIN, count) <= lgk - 3);
}

static SketchBytes
write_coupons(const HllView *view, unsigned mode, const SketchMemory *memory)
{
    bool list = view->count < LIST_PLACES;
    size_t header = list ? HEADER : SET_HEADER;
    size_t size = header + view->count * sizeof(uint32_t);
    uint8_t *data = new_bytes(size, list ? LIST_WORDS : SET_WORDS, view->precision,
                              mode | (list ? LIST : SET), memory);

    if (list) {
        data[TABLE_LG] = LIST_LG;
        data[LIST_COUNT] = (uint8_t)view->count;
    } else {
        data[TABLE_LG] = (uint8_t)table_lg(SET_LG_MIN, view->count);
        store_le32(data + HEADER, view->count);
    }
    if (view->count == 0)
        data[FLAGS] |= FLAG_EMPTY;
    for (uint32_t i = 0; i < view->count; i++)
        store_le32(data + header + i * sizeof(uint32_t),
                   view->tokens[i] << HLL_TOKEN_BITS | view->tokens[i] >> 6);
    return (SketchBytes){data, size};
}

/* Summary fields DataSketches stores after its header */
typedef struct Summary {
    double low;  /* sum of 2^-rank of the ranks below 32 */
    double high; /* of the others */
    unsigned base;
    uint32_t at_base;
    uint32_t exceptions;
} Summary;

/* The base is the lowest rank for registers of 4 bits, else 0. The sums are exact. */
static Summary
summarise(const uint8_t *registers, uint32_t count, bool four_bits)
{
    uint32_t of_rank[HLL_RANKS] = {0};
    Summary s = {0};

    for (uint32_t i = 0; i < count; i++)
        of_rank[registers[i] & (HLL_RANKS - 1)]++;
    while (four_bits && of_rank[s.base] == 0)
        s.base++;
    s.at_base = of_rank[s.base];
    for (unsigned rank = 0; rank < HLL_RANKS; rank++) {
        *(rank < 32 ? &s.low : &s.high) += ldexp(of_rank[rank], -(int)rank);
        if (four_bits && rank >= s.base + EXCEPTION)
            s.exceptions += of_rank[rank];
    }
    return s;
}

/* The log2 of the first table of exceptions that DataSketches makes, by lgK from 4 on. */
static const uint8_t exceptions_lg[] = {2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10};

static void
write_fours(const uint8_t *registers, uint32_t count, unsigned base, uint8_t *to)
{
    uint8_t *exception = to + count / 2;

    for (uint32_t i = 0; i < count; i++) {
        unsigned above = registers[i] - base;

        if (above >= EXCEPTION) {
            store_le32(exception, (uint32_t)registers[i] << HLL_TOKEN_BITS | i);
            exception += sizeof(uint32_t);
            above = EXCEPTION;
        }
        to[i / 2] |= (uint8_t)(above << (i & 1 ? 4 : 0));
    }
}

static SketchBytes
write_registers(const uint8_t *registers, unsigned lgk, unsigned bits, unsigned mode,
                const SketchMemory *memory)
{
    const uint32_t count = UINT32_C(1) << lgk;
    Summary s = summarise(registers, count, bits == 4);
    size_t size = REGISTERS_HEADER + (bits == 8   ? count
                                      : bits == 6 ? count / 4 * 3 + 1
                                                  : count / 2 + s.exceptions * sizeof(uint32_t));
    uint8_t *data = new_bytes(size, REGISTERS_WORDS, lgk, mode | REGISTERS, memory);

    data[TABLE_LG] =
        (uint8_t)(s.exceptions > 0 ? table_lg(exceptions_lg[lgk - LGK_MIN], s.exceptions) : 0);
    data[FLAGS] |= FLAG_OUT_OF_ORDER;
    data[BASE] = (uint8_t)s.base;
    store_le_double(data + SUM_LOW, s.low);
    store_le_double(data + SUM_HIGH, s.high);
    store_le32(data + AT_BASE, s.at_base);
    store_le32(data + EXCEPTIONS, s.exceptions);
    if (bits == 8)
        memcpy(data + REGISTERS_HEADER, registers, count);
    else if (bits == 6)
        hll_write_sixes(registers, count, data + REGISTERS_HEADER);
    else
        write_fours(registers, count, s.base, data + REGISTERS_HEADER);
    return (SketchBytes){data, size};
}

bool
hll_to_datasketches(SketchBytes value, unsigned bits, const SketchMemory *memory,
                    SketchBytes *bytes, SketchError *error)
{
    unsigned mode = (bits / 2 - 2) << 2;
    HllView view;

    if (sketch_hash(value.data) != SKETCH_HASH_DATASKETCHES)
        return sketch_refuse_pair(error, "The hash functions differ",
                                  hll_origin((SketchHash)sketch_hash(value.data))->system,
                                  "DataSketches");
    if (!hll_view(&view, value, memory))
        return sketch_refuse_damaged(error);
    if (view.encoding == HLL_SPARSE && keeps_coupons(view.count, view.precision))
        *bytes = write_coupons(&view, mode, memory);
    else {
        uint8_t *registers = hll_view_registers(&view, view.precision, memory);

        *bytes = write_registers(registers, view.precision, bits, mode, memory);
        memory->release(registers, memory->context);
    }
    hll_view_end(&view, memory);
    return true;
}
