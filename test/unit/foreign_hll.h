/*
 * foreign_hll.h - what the tests of sketches of postgresql-hll and DataSketches share.
 */
#ifndef FOREIGN_HLL_H
#define FOREIGN_HLL_H

#include "check.h"
#include "memory.h"
#include "core/common/hash.h"
#include "core/hll/hll.h"

typedef bool ForeignReader(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                           SketchError *error);

static SketchError error; /* of the last call */

/*
 * What bytes are read as, .data NULL when they are refused. All memory but the value is given back,
 * and the value is canonical: validating it gives it again.
 */
static inline SketchBytes
read_foreign(ForeignReader *reader, const void *data, size_t size)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    SketchBytes value = {NULL, 0}, again;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = reader((SketchBytes){exact.data, exact.size}, &memory, &value, &error);
    free(exact.data);
    expect(memory_used.pieces == before + good, "memory was kept");
    if (!good) {
        expect(error.status == SKETCH_MALFORMED && error.reason, "refused without a reason");
        return (SketchBytes){NULL, 0};
    }
    if (hll_ops.validate(value, &memory, &again, &error)) {
        expect(same_bytes(value.data, value.size, again.data, again.size), "not canonical");
        release_bytes(again);
    } else
        expect(false, "not valid: %s", error.reason);
    return value;
}

static inline SketchBytes
read_foreign_hex(ForeignReader *reader, const char *hex)
{
    Bytes bytes = bytes_of_hex(hex);
    SketchBytes value = read_foreign(reader, bytes.data, bytes.size);

    free(bytes.data);
    return value;
}

/* Whether bytes are refused for this reason. */
static inline bool
refused_for(ForeignReader *reader, const void *data, size_t size, const char *reason)
{
    SketchBytes value = read_foreign(reader, data, size);

    if (!value.data)
        return strcmp(error.reason, reason) == 0;
    release_bytes(value);
    return false;
}

/* A packed sketch of the integers from 1 to n, hashed as the foreign system does. */
static inline SketchBytes
counted(SketchHash hash, unsigned precision, unsigned n)
{
    SketchState state = hll_new(hash, precision, &memory);
    SketchBytes packed;

    for (unsigned i = 1; i <= n; i++) {
        uint8_t *before = state.data;
        uint8_t item[8];

        store_le64(item, i);
        hll_insert_foreign(&state, item, sizeof item, &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    packed = hll_ops.pack(sketch_bytes(state), &memory);
    release_state(state);
    return packed;
}

/* Takes both values. */
static inline bool
same_values(SketchBytes a, SketchBytes b)
{
    bool same = a.data && b.data && same_bytes(a.data, a.size, b.data, b.size);

    if (a.data)
        release_bytes(a);
    if (b.data)
        release_bytes(b);
    return same;
}

/* Whether a value has these registers. Takes it. */
static inline bool
has_registers(SketchBytes value, const uint8_t *expected, unsigned precision)
{
    uint8_t *registers;
    bool same;

    if (!value.data)
        return false;
    registers = hll_registers(value, &memory);
    same = hll_header(value).precision == precision &&
           memcmp(registers, expected, (size_t)1 << precision) == 0;
    memory_release(registers, NULL);
    release_bytes(value);
    return same;
}

/* Tells long bytes of the peer's apart in a line of a test. */
static inline uint64_t
digest_of(SketchBytes bytes)
{
    return murmur3(bytes.data, bytes.size, 0, &memory).first;
}

/*
 * Ranks as 2^precision registers of one sketch may have them, of about `used` in 256 registers; all
 * ranks possible occur.
 */
static inline void
random_ranks(Random *random, uint8_t *ranks, unsigned precision, unsigned used, unsigned rank_max)
{
    for (size_t i = 0; i < (size_t)1 << precision; i++) {
        unsigned rank = 1 + (unsigned)__builtin_ctzll(random_next(random) | UINT64_C(1) << 40);

        if (random_below(random, 16) == 0)
            rank = 1 + (unsigned)random_below(random, rank_max);
        ranks[i] = random_below(random, 256) < used ? (uint8_t)rank : 0;
    }
}

#endif
