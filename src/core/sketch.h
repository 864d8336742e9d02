/*
 * sketch.h - what every sketch type has in common.
 *
 * A sketch is one run of bytes, called its value. Every value starts with the same four bytes
 *
 *     0  kind       which type this is (SketchKind)
 *     1  version    format version of that type
 *     2  encoding   one of the type's encodings; bit 7 set means working, bit 6 in transit
 *     3  hash       the hash function of the items (SketchHash), or type flags
 *
 * followed by the type's parameters, fields that answer a common question without the body, and
 * the body. doc/formats.md describes every byte.
 *
 * A value has up to three encodings. The packed encoding is canonical, exact-sized and
 * little-endian: equal content has equal bytes. Results are packed. The working encoding is
 * aligned, in host byte order, has free space and can be changed in place: it is the state of an
 * aggregate. The encoding in transit is for a working value that is printed or sent to another
 * server, which unites it with others, if packing would lose something that the union needs. It is
 * little-endian, exact-sized, and as permanent as the packed encoding. Every function that reads a
 * sketch takes all of them.
 *
 * Interface: a type fills one SketchOps, registry.h lists them, and the glue to PostgreSQL drives
 * them without knowing the types. Core never raises and never allocates behind the caller's back.
 */
#ifndef SKETCH_H
#define SKETCH_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "registry.h"

/*
 * Estimates are stored, and have to be the same everywhere: each operation is rounded to a double
 * when it is done. src/arithmetic.mk has the flags.
 */
#if FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2 || defined(__FAST_MATH__)
#error "sketches rounds each result as IEEE 754 does: no -ffast-math; -mfpmath=sse on i386"
#endif

#define SKETCH_COMMON_BYTES 4
/* Bits of the encoding byte. */
#define SKETCH_WORKING 0x80
#define SKETCH_TRANSIT 0x40

/* Values are allocated with this many bytes in front, for the length word of the database. */
#define SKETCH_PREFIX_BYTES 4

/* What the words of working states are aligned to: 8, but 4 on i386. */
#define SKETCH_ALIGNMENT _Alignof(struct { uint64_t word; })

/*
 * The most bytes of a value, and of what is read into one. Core counts their bits and the bytes of
 * what it unpacks of them, up to 32 times as many, in size_t, which may have 32 bits.
 */
#define SKETCH_BYTES_MAX ((size_t)1 << (SIZE_MAX > UINT32_MAX ? 30 : 26))

/* As sizeof, but the product with it has 64 bits, too: what is too large is refused, not cut. */
#define sizeof64(what) ((uint64_t)sizeof(what))

/* The most bytes of a packed header: a slice of this length has the whole header. */
#define SKETCH_HEADER_MAX 64

#define SKETCH_KIND(kind, number, ops) kind = number,
typedef enum SketchKind { SKETCH_TYPES(SKETCH_KIND) } SketchKind;
#undef SKETCH_KIND

/*
 * Stored in values: never renumber. Each except the first names the system whose sketches are read.
 * The type decides which function it is: a system has different functions for different sketches.
 */
typedef enum SketchHash {
    SKETCH_HASH_XXH3 = 0,
    SKETCH_HASH_REDIS = 1,
    SKETCH_HASH_POSTGRESQL_HLL = 2,
    SKETCH_HASH_DATASKETCHES = 3
} SketchHash;

/* A value that is only read. */
typedef struct SketchBytes {
    const uint8_t *data;
    size_t size;
} SketchBytes;

/* A value in working encoding that may be changed in place; aligned as SketchMemory has it. */
typedef struct SketchState {
    uint8_t *data;
    size_t size;
} SketchState;

typedef enum SketchStatus {
    SKETCH_OK,
    SKETCH_MALFORMED,    /* bytes that are not a value of the type */
    SKETCH_OUT_OF_RANGE, /* a parameter outside its range, or one that changed */
    SKETCH_MISMATCH,     /* two sketches that cannot be combined */
    SKETCH_OVERFLOW,     /* a counter, or a number of the data, outside its range */
    SKETCH_LIMIT,        /* the result would exceed a limit */
    SKETCH_DAMAGED,      /* a value that was validated once and cannot be read any more */
    SKETCH_NO_LIBRARY    /* a library that this takes cannot be called */
} SketchStatus;

/*
 * Why something was refused: a static sentence. If a number was wrong, that number and the allowed
 * range; high is INT64_MAX if there is only a lower bound. If two things cannot be combined, the
 * names of both.
 */
typedef struct SketchError {
    SketchStatus status;
    const char *reason;
    bool has_range;
    int64_t found;
    int64_t low;
    int64_t high;
    const char *one; /* static, too; both or none */
    const char *other;
} SketchError;

/*
 * Where memory comes from. `value` returns room for a value of `size` bytes, aligned so that
 * data - SKETCH_PREFIX_BYTES is a multiple of SKETCH_ALIGNMENT. `scratch` returns memory for the
 * time of a call, which `release` frees. None of them returns NULL: they raise or exit in their own
 * way, and core holds nothing that would leak if they do. What they are asked for may be more than
 * a size_t can say, where that has 32 bits.
 *
 * Every loop whose length depends on data calls `poll` now and then, to ask whether it may go on.
 * `poll` returns, or raises in its own way because the user cancelled. A value that was being
 * changed is then half changed, so callers throw it away.
 */
typedef struct SketchMemory {
    uint8_t *(*value)(uint64_t size, void *context);
    void (*release_value)(uint8_t *data, void *context);
    void *(*scratch)(uint64_t size, void *context);
    void (*release)(void *memory, void *context);
    void (*poll)(void *context);
    void *context;
} SketchMemory;

/* Steps of a few nanoseconds between two polls: less than a millisecond. */
#define SKETCH_POLL_STEPS 65536

/* Polls after every SKETCH_POLL_STEPS steps; `steps` counts those since the last poll. */
static inline void
sketch_poll(const SketchMemory *memory, size_t *steps, size_t more)
{
    *steps += more;
    if (*steps >= SKETCH_POLL_STEPS) {
        *steps = 0;
        memory->poll(memory->context);
    }
}

/*
 * The end of a piece of work, after which a loop polls: `end`, or earlier, when items of `steps`
 * steps each have taken SKETCH_POLL_STEPS. Loops of few instructions are divided into pieces,
 * because counting their steps would cost too much.
 */
static inline size_t
sketch_piece_end(size_t begin, size_t end, size_t steps)
{
    size_t piece = SKETCH_POLL_STEPS / steps + 1;

    return end - begin < piece ? end : begin + piece;
}

/*
 * The properties and functions of a type that the glue uses.
 *
 * encoding_max   the last packed encoding; they are counted from 0.
 * validate   the only function that takes bytes from outside: checks everything, returns the
 *         canonical value, packed or in transit, in fresh memory with derived fields computed
 *         again. On false, *error says why.
 * open    a working copy of a value, with free space; data is NULL for a damaged value. A type
 *         without a working encoding returns a packed copy.
 * open_many  the same for a union of many values whose result is needed once; damage in the body of
 *         a value may be found only when the union is packed. NULL if the type needs only open.
 * many_encoding   that of the states which open_many makes and open does not, if empty ones can be.
 * pack    the canonical packed form of a value in fresh memory; never changes its argument; data
 *         is NULL for a damaged value.
 * transit the form in which a working value is printed and sent, in fresh memory; data is NULL for
 *         a damaged value. NULL for a type whose packed form loses nothing that a union needs.
 * merge   *state becomes the union of itself and `other`, in place if it fits. Otherwise
 *         *state is replaced by a fresh value, and the old value stays allocated (its content may
 *         have been rearranged); no other value does. On false nothing has changed, except that a
 *         part of a damaged value may have been merged. Callers go through sketch_unite.
 * is_empty   true for a value that knows of no item; takes a damaged one, too.
 *         NULL for a type without parameters, and for one whose merge looks after empty values.
 */
typedef struct SketchOps {
    const char *name;
    SketchKind kind;
    uint8_t version;
    size_t header_bytes;
    uint8_t encoding_max;
    uint8_t many_encoding;
    bool (*validate)(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                     SketchError *error);
    SketchState (*open)(SketchBytes value, const SketchMemory *memory);
    SketchState (*open_many)(SketchBytes value, const SketchMemory *memory);
    SketchBytes (*pack)(SketchBytes value, const SketchMemory *memory);
    SketchBytes (*transit)(SketchBytes working, const SketchMemory *memory);
    bool (*merge)(SketchState *state, SketchBytes other, const SketchMemory *memory,
                  SketchError *error);
    bool (*is_empty)(SketchBytes value);
} SketchOps;

/* The type of a value by its kind byte, or NULL. */
extern const SketchOps *sketch_ops(uint8_t kind);

/* All types, for tests: returns NULL past the last one. */
extern const SketchOps *sketch_ops_at(size_t i);

/*
 * *state becomes the union of itself and `other`, which is of the same type, as SketchOps.merge has
 * it. An empty value is neutral: it changes nothing in the other, whatever its parameters and its
 * hash function. Of two empty values the parameters merge.
 */
extern bool sketch_unite(SketchState *state, SketchBytes other, const SketchMemory *memory,
                         SketchError *error);

/*
 * The same for a merge that is not the union of its type: returns true if one side is empty, and
 * the result is *state or, in a fresh value, `other`; its data is NULL if `other` is damaged.
 */
extern bool sketch_unite_empty(SketchState *state, SketchBytes other, const SketchMemory *memory);

/*
 * Begins every validate: checks for enough bytes, the right kind, a version this code reads, and an
 * encoding of the type, packed or in transit.
 */
extern bool sketch_validate_common(SketchBytes input, const SketchOps *ops, SketchError *error);

/* Fields of the common header. */
static inline uint8_t
sketch_kind(const uint8_t *data)
{
    return data[0];
}

static inline uint8_t
sketch_version(const uint8_t *data)
{
    return data[1];
}

static inline uint8_t
sketch_encoding(const uint8_t *data)
{
    return data[2];
}

static inline uint8_t
sketch_hash(const uint8_t *data)
{
    return data[3];
}

static inline void
sketch_write_common(uint8_t *data, uint8_t kind, uint8_t version, uint8_t encoding, uint8_t hash)
{
    data[0] = kind;
    data[1] = version;
    data[2] = encoding;
    data[3] = hash;
}

static inline bool
sketch_is_working(const uint8_t *data)
{
    return (sketch_encoding(data) & SKETCH_WORKING) != 0;
}

/* Neither working nor in transit. */
static inline bool
sketch_is_packed(const uint8_t *data)
{
    return (sketch_encoding(data) & (SKETCH_WORKING | SKETCH_TRANSIT)) == 0;
}

static inline SketchBytes
sketch_bytes(SketchState state)
{
    return (SketchBytes){state.data, state.size};
}

/* Fills *error and returns false, so that a check can say `return sketch_refuse(...)`. */
static inline bool
sketch_refuse(SketchError *error, SketchStatus status, const char *reason)
{
    *error = (SketchError){.status = status, .reason = reason};
    return false;
}

static inline bool
sketch_refuse_damaged(SketchError *error)
{
    return sketch_refuse(error, SKETCH_DAMAGED, "The stored value is truncated or corrupt");
}

static inline bool
sketch_refuse_range(SketchError *error, SketchStatus status, const char *reason, int64_t found,
                    int64_t low, int64_t high)
{
    *error = (SketchError){.status = status,
                           .reason = reason,
                           .has_range = true,
                           .found = found,
                           .low = low,
                           .high = high};
    return false;
}

/* Two things that do not go together, named. */
static inline bool
sketch_refuse_pair(SketchError *error, const char *reason, const char *one, const char *other)
{
    *error = (SketchError){.status = SKETCH_MISMATCH, .reason = reason, .one = one, .other = other};
    return false;
}

#endif
