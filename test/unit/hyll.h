/*
 * hyll.h - what the tests of Redis's HYLL strings share.
 */
#ifndef HYLL_H
#define HYLL_H

#include "check.h"
#include "memory.h"
#include "core/hll/hll.h"

#define HYLL_RANKS 16384
#define HYLL_DENSE_SIZE (16 + HYLL_RANKS * 6 / 8)

static SketchError error; /* of the last call */

static inline bool
from_redis(const void *data, size_t size, SketchBytes *value)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = hll_from_redis((SketchBytes){exact.data, exact.size}, &memory, value, &error);
    free(exact.data);
    if (!good)
        expect(error.status == SKETCH_MALFORMED && error.reason && memory_used.pieces == before,
               "refused without a reason, or with memory kept");
    return good;
}

static inline bool
refused(const void *data, size_t size)
{
    SketchBytes value;

    if (!from_redis(data, size, &value))
        return true;
    release_bytes(value);
    return false;
}

/* A string with this body. */
static inline Bytes
hyll(unsigned encoding, const void *body, size_t size)
{
    Bytes string = {calloc(16 + size, 1), 16 + size};

    memcpy(string.data, "HYLL", 4);
    string.data[4] = (uint8_t)encoding;
    string.data[15] = 0x80;
    if (size > 0)
        memcpy(string.data + 16, body, size);
    return string;
}

static inline bool
sparse_refused(const char *hex)
{
    Bytes body = bytes_of_hex(hex), string = hyll(1, body.data, body.size);
    bool is = refused(string.data, string.size);

    free(body.data);
    free(string.data);
    return is;
}

/* Whether importing a string gives these registers, and exporting that gives the string. */
static inline bool
reads_as(Bytes string, const uint8_t *registers, bool back)
{
    SketchBytes value, written, validated;
    uint8_t *read;
    bool same;

    if (!from_redis(string.data, string.size, &value))
        return false;
    read = hll_registers(value, &memory);
    same = memcmp(read, registers, HYLL_RANKS) == 0;
    memory_release(read, NULL);
    same = same && hll_to_redis(value, &memory, &written, &error);
    if (same) {
        same = !back || same_bytes(written.data, written.size, string.data, string.size);
        memory_release((void *)written.data, NULL);
    }
    if (same && (same = hll_ops.validate(value, &memory, &validated, &error))) {
        same = same_bytes(value.data, value.size, validated.data, validated.size);
        release_bytes(validated);
    }
    release_bytes(value);
    return same;
}

static inline void
expect_sparse(const char *hex, const uint8_t *registers, bool back, const char *what)
{
    Bytes body = bytes_of_hex(hex), string = hyll(1, body.data, body.size);

    expect(reads_as(string, registers, back), "%s", what);
    free(body.data);
    free(string.data);
}

/* Counted with the hash of Redis: the items, or the decimal numbers from 1. */
static inline SketchState
counted(const char *const *items, unsigned count)
{
    SketchState state = hll_new(SKETCH_HASH_REDIS, 14, &memory);

    for (unsigned i = 0; i < count; i++) {
        char digits[16];
        const char *item = digits;
        uint8_t *before = state.data;

        snprintf(digits, sizeof digits, "%u", i + 1);
        if (items)
            item = items[i];
        hll_insert(&state, hll_redis_hash(item, strlen(item), &memory), &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    return state;
}

#endif
