/*
 * theta_internal.h - what the files of theta share. Each uses those above it only.
 *
 * packed.c            the packed value: header, reading in order, writing in order, looking up
 * working.c           adding, growing, merging
 * merge.c             union, intersection and difference of two values
 * estimate.c          cardinality, bounds, similarity
 * from_datasketches.c reading and writing the sketches of DataSketches
 * theta.c             what it is; hashes, validating, packing
 */
#ifndef THETA_INTERNAL_H
#define THETA_INTERNAL_H

#include "core/common/bits.h"
#include "theta.h"

#define THETA_VERSION 1
#define THETA_HEADER 17
#define THETA_NO_HASH UINT64_MAX /* after the last: above every hash */

/* Slots of a working value of that size. */
static inline uint32_t
theta_slots(size_t size)
{
    return (uint32_t)((size + SKETCH_PREFIX_BYTES - sizeof(ThetaState)) / sizeof(uint64_t));
}

/* Returns true for a hash that counts: below theta, and not an empty slot. */
static inline bool
theta_is_live(uint64_t hash, uint64_t theta)
{
    return hash - 1 < theta - 1;
}

/*
 * The hashes of a value in ascending order, whatever its encoding. theta_next moves to the next
 * one; `hash` is the present one, or THETA_NO_HASH behind the end. Packed ones are decoded by
 * blocks.
 */
#define THETA_BLOCK 64

typedef struct ThetaCursor {
    ThetaSummary summary;
    uint64_t hash;
    const uint64_t *next, *end; /* decoded and not yet returned */
    bool damaged;               /* the rest cannot be read */

    uint64_t *sorted; /* all hashes of a working value, in scratch memory; else NULL */

    /* In a packed value: the lower parts, and the bitmap of the upper parts. */
    BitReader low;
    unsigned low_bits;
    SketchBytes high;
    uint64_t word; /* bits of the bitmap that are not yet read */
    size_t words;  /* read from it, with the present one */
    uint32_t decoded;
    uint64_t last; /* of them */
    uint64_t block[THETA_BLOCK];
} ThetaCursor;

/* False for a damaged value; theta_cursor_end need not be called then. */
extern bool theta_cursor_begin(ThetaCursor *cursor, SketchBytes value, const SketchMemory *memory);
extern void theta_cursor_end(ThetaCursor *cursor, const SketchMemory *memory);
extern void theta_next_block(ThetaCursor *cursor);

static inline void
theta_next(ThetaCursor *cursor)
{
    if (cursor->next == cursor->end)
        theta_next_block(cursor);
    else
        cursor->hash = *cursor->next++;
}

/*
 * Returns true if nothing but zeros fills the bytes behind the last hash, which must have been
 * read.
 */
extern bool theta_cursor_ends_clean(const ThetaCursor *cursor);

/* Writes a packed value: `count` hashes in ascending order, all of them. */
typedef struct ThetaWriter {
    SketchBytes value;
    BitWriter low;
    uint8_t *high;
    unsigned low_bits;
    uint32_t count; /* written */
} ThetaWriter;

extern ThetaWriter theta_writer(ThetaSummary summary, const SketchMemory *memory);
extern void theta_write(ThetaWriter *w, uint64_t hash);
extern SketchBytes theta_written(ThetaWriter *w);

/* Writes a packed value of the ascending hashes of an array. */
extern SketchBytes theta_write_all(ThetaSummary summary, const uint64_t *hashes,
                                   const SketchMemory *memory);

/*
 * Returns the sorted hashes that the packed form of a working value has, in scratch memory; NULL if
 * the value is not of this release.
 */
extern uint64_t *theta_sorted(SketchBytes working, const SketchMemory *memory,
                              ThetaSummary *summary);

/* SketchOps.open and merge; packing of a working value. */
extern SketchState theta_open(SketchBytes value, const SketchMemory *memory);
extern bool theta_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                        SketchError *error);

static inline uint32_t
theta_most(unsigned lgk)
{
    return UINT32_C(1) << lgk;
}

#endif
