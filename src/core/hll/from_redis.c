/*
 * from_redis.c - Redis's HyperLogLog strings.
 *
 * 16 bytes of header: "HYLL", encoding (0 dense, 1 sparse), three zero bytes, the cached
 * cardinality as a little-endian u64 whose highest bit says that it is stale. Then 16384 registers
 *
 *   dense:  of six bits each, least significant bit first, 12288 bytes;
 *   sparse: as runs from the first register to the last
 *           00llllll            l + 1 zeros
 *           01llllll llllllll   l + 1 zeros
 *           1vvvvvll            l + 1 registers of rank v + 1
 *
 * As in Redis, it is written sparse unless a rank exceeds 32 or the string 3000 bytes. The bytes
 * are those of a key that was filled by PFADD: the cached cardinality is 0 and stale, a run of
 * zeros is one opcode, and a run of equal ranks is divided every four from its beginning. (Redis
 * may divide a run of five or more elsewhere, depending on the order of insertion; it reads
 * either.)
 *
 * Every run is checked against the register index, zeros included; see CVE-2025-32023 for why.
 */
#include "core/common/redis_dump.h"
#include "hll_internal.h"

#define HYLL_HEADER 16
#define ENCODING 4 /* in the header */
#define STALE 0x80 /* in its last byte */
#define HYLL_REGISTERS 16384
#define HYLL_DENSE_BYTES (HYLL_REGISTERS * 6 / 8)
#define HYLL_SPARSE_MAX 3000
#define HYLL_RANK_MAX 51
#define HYLL_DENSE 0
#define HYLL_SPARSE 1
#define ZERO_RUN_MAX 64
#define XZERO_RUN_MAX 16384
#define VALUE_RUN_MAX 4
#define VALUE_RANK_MAX 32

static bool
read_sparse(ByteReader *r, uint8_t *registers)
{
    unsigned at = 0;

    while (bytes_left(r) > 0) {
        uint8_t op = read_u8(r);
        unsigned run, rank = 0;

        if (op & 0x80) {
            rank = (op >> 2 & 31) + 1u;
            run = (op & 3) + 1u;
        } else if (op & 0x40)
            run = ((op & 63u) << 8 | read_u8(r)) + 1;
        else
            run = op + 1u;
        if (r->failed || run > HYLL_REGISTERS - at)
            return false;
        memset(registers + at, (int)rank, run);
        at += run;
    }
    return at == HYLL_REGISTERS;
}

static bool
read_hyll(SketchBytes string, uint8_t *registers, SketchError *error)
{
    const uint8_t *data = string.data;
    ByteReader r;

    if (string.size < HYLL_HEADER || memcmp(data, "HYLL", 4) != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "No HYLL header");
    if (data[ENCODING] == HYLL_DENSE) {
        if (string.size != HYLL_HEADER + HYLL_DENSE_BYTES)
            return sketch_refuse_range(error, SKETCH_MALFORMED,
                                       "Wrong length of a dense HYLL string", (int64_t)string.size,
                                       HYLL_HEADER + HYLL_DENSE_BYTES,
                                       HYLL_HEADER + HYLL_DENSE_BYTES);
        hll_read_sixes(data + HYLL_HEADER, registers, HYLL_REGISTERS);
        return hll_highest(registers, HYLL_REGISTERS) <= HYLL_RANK_MAX ||
               sketch_refuse(error, SKETCH_MALFORMED, "A register of the HYLL string exceeds 51");
    }
    if (data[ENCODING] != HYLL_SPARSE)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding of a HYLL string",
                                   data[ENCODING], HYLL_DENSE, HYLL_SPARSE);
    r = byte_reader(data + HYLL_HEADER, string.size - HYLL_HEADER);
    return read_sparse(&r, registers) ||
           sketch_refuse(error, SKETCH_MALFORMED,
                         "The runs of the sparse HYLL string do not cover 16384 registers");
}

bool
hll_from_redis(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
               SketchError *error)
{
    bool raw = input.size >= 4 && memcmp(input.data, "HYLL", 4) == 0;
    SketchBytes string = input;
    uint8_t *registers;
    bool good;

    if (!raw && !redis_dump_string(input, memory, &string, error))
        return false;
    registers = memory->scratch(HYLL_REGISTERS, memory->context);
    good = read_hyll(string, registers, error);
    if (good)
        *value = hll_from_registers(registers, SKETCH_HASH_REDIS, HLL_PRECISION_REDIS, memory);
    memory->release(registers, memory->context);
    if (!raw)
        memory->release((void *)string.data, memory->context);
    return good;
}

/* Writes the runs and returns their end; NULL if Redis would keep these registers dense. */
static uint8_t *
write_sparse(const uint8_t *registers, uint8_t *to, const uint8_t *limit)
{
    for (unsigned at = 0; at < HYLL_REGISTERS;) {
        unsigned rank = registers[at];
        unsigned longest = rank == 0 ? XZERO_RUN_MAX : VALUE_RUN_MAX;
        unsigned run = 1;

        while (run < longest && at + run < HYLL_REGISTERS && registers[at + run] == rank)
            run++;
        at += run;
        if (rank > VALUE_RANK_MAX || limit - to < 2)
            return NULL;
        if (rank > 0)
            *to++ = (uint8_t)(0x80 | (rank - 1) << 2 | (run - 1));
        else if (run <= ZERO_RUN_MAX)
            *to++ = (uint8_t)(run - 1);
        else {
            *to++ = (uint8_t)(0x40 | (run - 1) >> 8);
            *to++ = (uint8_t)(run - 1);
        }
    }
    return to;
}

bool
hll_to_redis(SketchBytes value, const SketchMemory *memory, SketchBytes *string, SketchError *error)
{
    HllHeader h = hll_header(value);
    uint8_t *registers, *out, *end;

    if (h.hash != SKETCH_HASH_REDIS)
        return sketch_refuse(error, SKETCH_MISMATCH, "It was not counted with Redis's hash");
    if (h.precision != HLL_PRECISION_REDIS)
        return sketch_refuse_range(error, SKETCH_MISMATCH, "Precision differs from Redis's",
                                   h.precision, HLL_PRECISION_REDIS, HLL_PRECISION_REDIS);
    registers = hll_registers(value, memory);
    if (!registers)
        return sketch_refuse_damaged(error);
    out = memory->scratch(HYLL_HEADER + HYLL_DENSE_BYTES, memory->context);
    memset(out, 0, HYLL_HEADER);
    memcpy(out, "HYLL", 4);
    out[HYLL_HEADER - 1] = STALE;
    end = write_sparse(registers, out + HYLL_HEADER, out + HYLL_SPARSE_MAX + 1);
    if (end && end - out <= HYLL_SPARSE_MAX)
        out[ENCODING] = HYLL_SPARSE;
    else {
        out[ENCODING] = HYLL_DENSE;
        hll_write_sixes(registers, HYLL_REGISTERS, out + HYLL_HEADER);
        end = out + HYLL_HEADER + HYLL_DENSE_BYTES;
    }
    memory->release(registers, memory->context);
    *string = (SketchBytes){out, (size_t)(end - out)};
    return true;
}
