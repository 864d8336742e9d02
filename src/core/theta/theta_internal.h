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

/* Returns the number of slots of a working value of `size` bytes. */
static inline uint32_t
theta_slots(size_t size)
{
    return (uint32_t)((size + SKETCH_PREFIX_BYTES - sizeof(ThetaState)) / sizeof(uint64_t));
}

/* Returns true for a hash that counts: not an empty slot, and below theta. */
static inline bool
theta_is_live(uint64_t hash, uint64_t theta)
{
    return hash - 1 < theta - 1;
}

/*
 * Reads the hashes of a value of any encoding in ascending order. `hash` is the current one, or
 * THETA_NO_HASH after the last; theta_next moves on. Packed hashes are decoded in blocks.
 */
#define THETA_BLOCK 64

typedef struct ThetaCursor {
    ThetaSummary summary;
    uint64_t hash;
    const uint64_t *next, *end; /* decoded and not yet returned */
    bool damaged;               /* the rest cannot be read */

    uint64_t *sorted; /* all hashes of a working value, in scratch memory; or NULL */

    /* Of a packed value: the lower parts, and the bitmap of the upper parts. */
    BitReader low;
    unsigned low_bits;
    SketchBytes high;
    uint64_t word; /* bits of the current word of the bitmap that have not been read */
    size_t words;  /* words of the bitmap read, with the current one */
    uint32_t decoded;
    uint64_t last; /* decoded hash */
    uint64_t block[THETA_BLOCK];
} ThetaCursor;

/* Begins to read; fails for a damaged value, and then theta_cursor_end need not be called. */
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

/* Returns true if all padding is zero; the last hash must have been read. */
extern bool theta_cursor_ends_clean(const ThetaCursor *cursor);

/* Writes a packed value, whose summary.count hashes have to be written in ascending order. */
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

/* SketchOps.open and merge; packing of a working value. */
extern SketchState theta_open(SketchBytes value, const SketchMemory *memory);
extern bool theta_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                        SketchError *error);

/* No hashes, and none dropped: no items, whatever its lgk. */
static inline bool
theta_is_known_empty(ThetaSummary summary)
{
    return summary.count == 0 && summary.theta == THETA_EXACT;
}

static inline uint32_t
theta_most(unsigned lgk)
{
    return UINT32_C(1) << lgk;
}

#endif
