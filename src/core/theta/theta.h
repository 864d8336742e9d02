/*
 * theta.h - theta sketches: how many distinct items are in an expression of sets? The essay is in
 * theta.c.
 */
#ifndef THETA_H
#define THETA_H

#include "core/common/datasketches.h"
#include "core/common/state.h"

#define THETA_LGK_MIN 4
#define THETA_LGK_MAX 26
#define THETA_LGK_DEFAULT 12

/* Theta of a sketch with all its hashes: no hash reaches it. */
#define THETA_EXACT ((uint64_t)INT64_MAX)

extern const SketchOps theta_ops;

/* ---- changing ---- */

#define THETA_BUFFER 13

/* A working value: the buffer, and behind it a table of hashes; see working.c. */
typedef struct ThetaState {
    StateHeader header;
    uint8_t lgk;
    uint8_t buffered;
    uint16_t salt; /* chooses the slots of the table */
    uint32_t used; /* slots of the table that are not empty */
    uint64_t theta;
    uint64_t buffer[THETA_BUFFER];
    uint64_t slot[];
} ThetaState;

_Static_assert(offsetof(ThetaState, lgk) == SKETCH_PREFIX_BYTES + SKETCH_COMMON_BYTES &&
                   sizeof(ThetaState) == 128,
               "an empty state fills a chunk of the allocator");

/* An empty working sketch. lgk must be in range. */
extern SketchState theta_new(unsigned lgk, const SketchMemory *memory);

/* The hash of an item by its bytes, as DataSketches has it; 0, which is no hash, of no bytes. */
extern uint64_t theta_hash(const void *item, size_t size, const SketchMemory *memory);

static inline uint64_t
theta_hash_int64(int64_t value)
{
    return datasketches_hash_int64(value) >> 1;
}

static inline uint64_t
theta_hash_double(double value)
{
    return datasketches_hash_int64(datasketches_double(value)) >> 1;
}

/*
 * Adds a hash of 63 bits; 0 adds nothing. If there is no room for it, theta_insert replaces *state
 * as SketchOps.merge does.
 */
extern void theta_insert_slow(SketchState *state, uint64_t hash, const SketchMemory *memory);

static inline bool
theta_add(SketchState state, uint64_t hash)
{
    ThetaState *s = state_at(state.data);

    if (hash - 1 >= s->theta - 1)
        return true;
    if (s->buffered == THETA_BUFFER)
        return false;
    s->buffer[s->buffered++] = hash;
    return true;
}

static inline void
theta_insert(SketchState *state, uint64_t hash, const SketchMemory *memory)
{
    if (!theta_add(*state, hash))
        theta_insert_slow(state, hash, memory);
}

/* Lowers lgk to one no higher than its own; packing then drops hashes. */
extern void theta_reduce(SketchState state, unsigned lgk);

/* ---- asking ---- */

/* Header of a packed value, or of a working value once packed. */
typedef struct ThetaSummary {
    unsigned lgk;
    uint32_t count; /* of the hashes it has */
    uint64_t theta; /* they are below it, and none of all items below it is missing */
} ThetaSummary;

/* Needs only the header of a packed value. */
extern ThetaSummary theta_summary(SketchBytes value, const SketchMemory *memory);

/* The lgk of a value, by its header; a working value has it in the same place. */
static inline unsigned
theta_lgk(SketchBytes value)
{
    return value.data[SKETCH_COMMON_BYTES];
}

typedef struct ThetaBounds {
    double lower;
    double estimate;
    double upper;
} ThetaBounds;

/* The number of distinct items, and bounds of 1, 2 or 3 standard deviations. */
extern ThetaBounds theta_bounds(ThetaSummary summary, unsigned sigmas);

/* The estimate, rounded. */
extern int64_t theta_cardinality(ThetaSummary summary);

/* Returns intersection divided by union, with bounds of 2 standard deviations. */
extern bool theta_jaccard(SketchBytes a, SketchBytes b, const SketchMemory *memory,
                          ThetaBounds *jaccard, SketchError *error);

/* Returns true if a hash is among those that a value has; false of a damaged value. */
extern bool theta_contains(SketchBytes value, uint64_t hash, const SketchMemory *memory);

/* ---- set operations ---- */

/*
 * THETA_COMMON is an intersection as a step of one of many sketches: its result does not depend on
 * their order, where THETA_INTERSECTION of a set that is known to be empty is that set.
 */
typedef enum ThetaOp { THETA_UNION, THETA_INTERSECTION, THETA_DIFFERENCE, THETA_COMMON } ThetaOp;

/*
 * A packed value of the expression. The lgk of a union or an intersection is the lower one, that of
 * a difference the first one. False for a damaged value.
 */
extern bool theta_combine(ThetaOp op, SketchBytes a, SketchBytes b, const SketchMemory *memory,
                          SketchBytes *value, SketchError *error);

/* ---- DataSketches ---- */

/*
 * Reads compact sketches of serial versions 1 to 4 into a packed value. `lgk` 0 takes 12, or the
 * least that holds every hash; any other one drops hashes if there are more than 2^lgk. Writes
 * serial version 4 if DataSketches would, or 3, into scratch memory.
 */
extern bool theta_from_datasketches(SketchBytes input, unsigned lgk, const SketchMemory *memory,
                                    SketchBytes *value, SketchError *error);
extern bool theta_to_datasketches(SketchBytes value, bool compressed, const SketchMemory *memory,
                                  SketchBytes *bytes, SketchError *error);

#endif
