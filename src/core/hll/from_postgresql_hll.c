/*
 * from_postgresql_hll.c - values of the extension postgresql-hll, and of other libraries that write
 * its storage format.
 *
 * Three bytes, and data whose bits run from the highest of the first byte:
 *
 *     0: format 1 in the high half, form in the low one
 *     1: bits of a register less 1 in the high three bits, log2 of the registers in the others
 *     2: 64 if there may be a sparse form, plus the expansion threshold: 0 for none, 63 for
 *        automatic, and x for 2^(x - 1) hashes
 *
 *     form 1  empty     nothing
 *          2  explicit  hashes of 64 bits, ascending as signed numbers
 *          3  sparse    index and value of each register above zero, ascending
 *          4  full      all registers
 *     (form 0 is an undefined value: the union of no values)
 *
 * The hash is the first half of MurmurHash3. Index and value of a hash are index and rank here,
 * with two exceptions: a value is at most what a register can hold, and a hash whose bits above the
 * index are all zero, of which there is one in 2^(64 - log2m), is not counted.
 *
 * An explicit value becomes tokens of its hashes, which are exact except for collisions. The other
 * forms become registers. The way back always writes registers: a token has only 26 bits of the
 * index, not all 64 bits of the hash. More than 2^18 registers are folded to 2^18.
 *
 * Reference: the HLL storage specification of Aggregate Knowledge, version 1.
 */
#include "hll_internal.h"

#define EMPTY 1
#define EXPLICIT 2
#define SPARSE 3
#define FULL 4
#define HEADER 3
#define LOG2M_MIN HLL_PRECISION_MIN
#define LOG2M_MAX 31
#define HASH_BYTES 8
#define EXPLICIT_MAX UINT16_MAX /* hashes; the extension keeps at most 2^13 */
#define SPARSE_ENABLED 64
#define THRESHOLD_AUTOMATIC 63

/* ---- reading ---- */

/* A value being read. */
typedef struct Input {
    SketchBytes data; /* behind the header */
    unsigned form;
    unsigned width;     /* bits of a register */
    unsigned threshold; /* byte 2, without the bit of the sparse form */
    unsigned log2m;     /* of its registers */
    unsigned precision; /* of ours */
    const SketchMemory *memory;
    SketchError *error;
} Input;

/* The bits at a position, at most 39 of them; the data must have them. */
static uint64_t
bits_at(SketchBytes data, uint64_t at, unsigned length)
{
    size_t first = (size_t)(at / 8), last = (size_t)((at + length - 1) / 8);
    uint64_t bits = 0;

    for (size_t i = first; i <= last; i++)
        bits = bits << 8 | data.data[i];
    return bits >> (7 - (at + length - 1) % 8) & ((UINT64_C(1) << length) - 1);
}

/* Returns true if the data is that many bits, followed only by zeros up to the end of a byte. */
static bool
fills(SketchBytes data, uint64_t bits)
{
    unsigned left = (unsigned)(-bits & 7);

    return data.size == (bits + 7) / 8 && (left == 0 || bits_at(data, bits, left) == 0);
}

/* Adds a register of theirs to ours. */
static void
add_register(const Input *in, uint8_t *registers, uint64_t index, unsigned rank)
{
    uint64_t above = index >> in->precision;
    uint8_t *to = &registers[index & ((UINT64_C(1) << in->precision) - 1)];

    if (above > 0)
        rank = (unsigned)__builtin_ctzll(above) + 1;
    else
        rank += in->log2m - in->precision;
    *to = *to > rank ? *to : (uint8_t)rank;
}

static bool
refuse_rank(const Input *in, uint64_t rank)
{
    return sketch_refuse_range(in->error, SKETCH_MALFORMED, "Value of a register out of range",
                               (int64_t)rank, 1, 64 - in->log2m);
}

static uint8_t *
new_registers(const Input *in)
{
    size_t size = (size_t)1 << in->precision;

    return memset(in->memory->scratch(size, in->memory->context), 0, size);
}

/* Packs registers if `good`, and frees them. */
static bool
finish_registers(const Input *in, uint8_t *registers, bool good, SketchBytes *value)
{
    if (good)
        *value =
            hll_from_registers(registers, SKETCH_HASH_POSTGRESQL_HLL, in->precision, in->memory);
    in->memory->release(registers, in->memory->context);
    return good;
}

/*
 * Tokens of hashes, as many as the column keeps: the threshold of the value, or one that holds the
 * `count` hashes it has.
 */
static HllView
sparse_shape(const Input *in, uint64_t count)
{
    HllView shape = hll_view_of(SKETCH_HASH_POSTGRESQL_HLL, in->precision, HLL_SPARSE);
    unsigned code =
        in->threshold > 0 && in->threshold < THRESHOLD_AUTOMATIC ? in->threshold - 1 : 0;

    if (code > HLL_LIMIT_CODE_MAX)
        code = HLL_LIMIT_CODE_MAX;
    while (count > hll_sparse_limit(in->precision, code))
        code++;
    if (hll_sparse_limit(in->precision, code) > hll_sparse_limit(in->precision, 0))
        shape.limit = code;
    return shape;
}

static bool
read_explicit(const Input *in, SketchBytes *value)
{
    uint64_t count = in->data.size / HASH_BYTES;
    int64_t before = INT64_MIN;
    uint32_t *tokens;

    if (count * HASH_BYTES != in->data.size || (in->form == EMPTY && count > 0))
        return sketch_refuse(in->error, SKETCH_MALFORMED, "The length does not match the contents");
    if (count > EXPLICIT_MAX)
        return sketch_refuse_range(in->error, SKETCH_MALFORMED, "Too many hashes", (int64_t)count,
                                   0, EXPLICIT_MAX);
    tokens = in->memory->scratch((count + 1) * sizeof64(uint32_t), in->memory->context);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = __builtin_bswap64(load_le64(in->data.data + i * HASH_BYTES));

        if ((int64_t)hash <= before && i > 0) {
            in->memory->release(tokens, in->memory->context);
            return sketch_refuse(in->error, SKETCH_MALFORMED, "Hashes are not in ascending order");
        }
        before = (int64_t)hash;
        tokens[i] = hll_token(hash);
    }
    *value = hll_from_tokens(sparse_shape(in, count), tokens, (uint32_t)count, in->memory);
    in->memory->release(tokens, in->memory->context);
    return true;
}

/* The words of a sparse form, as tokens or into registers, whichever is given. */
static bool
read_words(const Input *in, uint64_t count, uint32_t *tokens, uint8_t *registers)
{
    unsigned length = in->log2m + in->width;
    uint64_t before = 0;
    size_t steps = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = bits_at(in->data, i * length, length);
        uint64_t index = word >> in->width, rank = word & ((1u << in->width) - 1);

        if (i > 0 && index <= before)
            return sketch_refuse(in->error, SKETCH_MALFORMED,
                                 "Registers are not in ascending order");
        if (rank < 1 || rank > 64 - in->log2m)
            return refuse_rank(in, rank);
        if (tokens)
            tokens[i] = (uint32_t)(index << 6 | rank);
        else
            add_register(in, registers, index, (unsigned)rank);
        before = index;
        sketch_poll(in->memory, &steps, 1);
    }
    return true;
}

static bool
read_sparse(const Input *in, SketchBytes *value)
{
    unsigned length = in->log2m + in->width;
    uint64_t count = in->data.size * UINT64_C(8) / length;
    uint32_t *tokens;
    bool good;

    if (count > UINT64_C(1) << in->log2m || !fills(in->data, count * length))
        return sketch_refuse(in->error, SKETCH_MALFORMED, "The length does not match the contents");
    if (in->log2m > in->precision || count > hll_sparse_limit(in->precision, 0)) {
        uint8_t *registers = new_registers(in);

        good = read_words(in, count, NULL, registers);
        return finish_registers(in, registers, good, value);
    }
    tokens = in->memory->scratch((count + 1) * sizeof64(uint32_t), in->memory->context);
    good = read_words(in, count, tokens, NULL);
    if (good)
        *value = hll_from_tokens(
            hll_view_of(SKETCH_HASH_POSTGRESQL_HLL, in->precision, HLL_PLAIN_SPARSE), tokens,
            (uint32_t)count, in->memory);
    in->memory->release(tokens, in->memory->context);
    return good;
}

/* Eight registers fill as many bytes as one has bits. */
#define GROUP 8

/* Reads a group, and returns the highest of it. */
static inline unsigned
read_group(const uint8_t *from, unsigned width, uint8_t ranks[GROUP])
{
    uint64_t bits = 0;
    unsigned highest = 0;

    for (unsigned byte = 0; byte < width; byte++)
        bits = bits << 8 | from[byte];
    for (unsigned j = GROUP; j-- > 0; bits >>= width) {
        unsigned rank = bits & ((1u << width) - 1);

        ranks[j] = (uint8_t)rank;
        highest = rank > highest ? rank : highest;
    }
    return highest;
}

static bool
read_full(const Input *in, SketchBytes *value)
{
    const uint64_t count = UINT64_C(1) << in->log2m;
    const bool folded = in->log2m > in->precision;
    const uint8_t *from = in->data.data;
    uint8_t *registers;
    size_t steps = 0;

    if (!fills(in->data, count * in->width))
        return sketch_refuse(in->error, SKETCH_MALFORMED, "The length does not match the contents");
    registers = new_registers(in);
    for (uint64_t i = 0; i < count; i += GROUP, from += in->width) {
        uint8_t ranks[GROUP];
        unsigned highest = read_group(from, in->width, folded ? ranks : registers + i);

        if (highest > 64 - in->log2m)
            return finish_registers(in, registers, refuse_rank(in, highest), value);
        for (unsigned j = 0; folded && j < GROUP; j++)
            if (ranks[j] > 0)
                add_register(in, registers, i + j, ranks[j]);
        sketch_poll(in->memory, &steps, GROUP);
    }
    return finish_registers(in, registers, true, value);
}

bool
hll_from_postgresql_hll(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                        SketchError *error)
{
    Input in = {.memory = memory, .error = error};

    if (input.size < HEADER || input.data[0] >> 4 != HLL_POSTGRESQL_HLL_FORMAT)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not a value of postgresql-hll");
    in.data = (SketchBytes){input.data + HEADER, input.size - HEADER};
    in.form = input.data[0] & 15;
    in.width = (input.data[1] >> 5) + 1u;
    in.log2m = input.data[1] & 31;
    in.threshold = input.data[2] & (SPARSE_ENABLED - 1);
    in.precision = in.log2m < HLL_PRECISION_MAX ? in.log2m : HLL_PRECISION_MAX;
    if (in.log2m < LOG2M_MIN)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "log2m out of range", in.log2m,
                                   LOG2M_MIN, LOG2M_MAX);
    if (in.width < HLL_POSTGRESQL_HLL_REGWIDTH_MIN)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "regwidth out of range", in.width,
                                   HLL_POSTGRESQL_HLL_REGWIDTH_MIN,
                                   HLL_POSTGRESQL_HLL_REGWIDTH_MAX);
    switch (in.form) {
    case 0:
        return sketch_refuse(error, SKETCH_MALFORMED, "A value of postgresql-hll without content");
    case EMPTY:
    case EXPLICIT:
        return read_explicit(&in, value);
    case SPARSE:
        return read_sparse(&in, value);
    case FULL:
        return read_full(&in, value);
    default:
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown form", in.form, EMPTY, FULL);
    }
}

/* ---- writing ---- */

/* Bits from the highest of the first byte on. */
typedef struct Output {
    uint8_t *at;
    uint64_t pending;
    unsigned count; /* of bits pending, below 8 between calls */
} Output;

static void
put_bits(Output *out, uint64_t bits, unsigned length)
{
    out->pending = out->pending << length | bits;
    out->count += length;
    while (out->count >= 8) {
        out->count -= 8;
        *out->at++ = (uint8_t)(out->pending >> out->count);
    }
}

/* Returns the value of a register in postgresql-hll. */
static unsigned
value_of(unsigned rank, unsigned precision, unsigned width)
{
    unsigned highest = (1u << width) - 1;

    if (rank == hll_rank_max(SKETCH_HASH_POSTGRESQL_HLL, precision))
        return 0; /* the hash that postgresql-hll does not count */
    return rank < highest ? rank : highest;
}

static uint8_t
threshold_code(int threshold)
{
    if (threshold < 0)
        return THRESHOLD_AUTOMATIC;
    return threshold == 0 ? 0 : (uint8_t)(__builtin_ctz((unsigned)threshold) + 1);
}

bool
hll_to_postgresql_hll(SketchBytes value, unsigned regwidth, int threshold, bool may_be_sparse,
                      const SketchMemory *memory, SketchBytes *bytes, SketchError *error)
{
    HllHeader h = hll_header(value);
    uint64_t count, used = 0;
    unsigned length = regwidth; /* of what is written for a register */
    uint8_t *registers, *data;
    bool sparse;
    size_t size;
    Output out;

    if (h.hash != SKETCH_HASH_POSTGRESQL_HLL)
        return sketch_refuse_pair(error, "The hash functions differ", hll_origin(h.hash)->system,
                                  "postgresql-hll");
    registers = hll_registers(value, memory);
    if (!registers)
        return sketch_refuse_damaged(error);
    count = UINT64_C(1) << h.precision;
    for (uint64_t i = 0; i < count; i++) {
        registers[i] = (uint8_t)value_of(registers[i], h.precision, regwidth);
        used += registers[i] > 0;
    }
    sparse = may_be_sparse && used * (h.precision + regwidth) < count * regwidth;
    if (sparse)
        length += h.precision;
    size = HEADER + (size_t)(((sparse || used == 0 ? used : count) * length + 7) / 8);
    data = memory->scratch(size, memory->context);
    data[0] = (uint8_t)(HLL_POSTGRESQL_HLL_FORMAT << 4 | (used == 0 ? EMPTY
                                                          : sparse  ? SPARSE
                                                                    : FULL));
    data[1] = (uint8_t)((regwidth - 1) << 5 | h.precision);
    data[2] = (uint8_t)((may_be_sparse ? SPARSE_ENABLED : 0) | threshold_code(threshold));
    out = (Output){data + HEADER, 0, 0};
    for (uint64_t i = 0; i < count && used > 0; i++)
        if (sparse && registers[i] > 0)
            put_bits(&out, i << regwidth | registers[i], length);
        else if (!sparse)
            put_bits(&out, registers[i], length);
    put_bits(&out, 0, -out.count & 7);
    memory->release(registers, memory->context);
    *bytes = (SketchBytes){data, size};
    return true;
}
