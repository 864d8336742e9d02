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

/* Theta of a sketch that has all hashes of its items: above every hash. */
#define THETA_EXACT ((uint64_t)INT64_MAX)

extern const SketchOps theta_ops;

/* ---- changing ---- */

#define THETA_BUFFER 13

/* A working value: a buffer, followed by a table of hashes; see working.c. */
typedef struct ThetaState {
    StateHeader header;
    uint8_t lgk;
    uint8_t buffered;
    uint16_t salt; /* chooses the slots of the table */
    uint32_t used; /* number of slots of the table that are not empty */
    uint64_t theta;
    uint64_t buffer[THETA_BUFFER];
    uint64_t slot[];
} ThetaState;

_Static_assert(offsetof(ThetaState, lgk) == SKETCH_PREFIX_BYTES + SKETCH_COMMON_BYTES &&
                   sizeof(ThetaState) == 128,
               "an empty state fills a chunk of the allocator");

/* Returns an empty working sketch; lgk must be in range. */
extern SketchState theta_new(unsigned lgk, const SketchMemory *memory);

/* Hashes the bytes of an item as DataSketches does; returns 0, which is no hash, for no bytes. */
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
 * Add a hash of 63 bits; 0 adds nothing. theta_add is the fast path; it returns false, with nothing
 * changed, if the buffer is full. theta_insert may replace *state, as SketchOps.merge does.
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

/* Lowers lgk, unless it is that low already; packing then drops hashes. */
extern void theta_reduce(SketchState state, unsigned lgk);

/* ---- querying ---- */

/* The header of a packed value, or the one that a working value gets when it is packed. */
typedef struct ThetaSummary {
    unsigned lgk;
    uint32_t count; /* number of hashes */
    uint64_t theta; /* the sketch has all hashes of its items below this, and no others */
} ThetaSummary;

/* Returns the summary of a value; of a packed one it needs only the header. */
extern ThetaSummary theta_summary(SketchBytes value, const SketchMemory *memory);

/* Returns the lgk of a value, which packed and working values have in the same place. */
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

/* Estimates the number of distinct items, with bounds of 1, 2 or 3 standard deviations. */
extern ThetaBounds theta_bounds(ThetaSummary summary, unsigned sigmas);

/* Returns the estimate, rounded. */
extern int64_t theta_cardinality(ThetaSummary summary);

/* Estimates intersection divided by union, with bounds of 2 standard deviations. */
extern bool theta_jaccard(SketchBytes a, SketchBytes b, const SketchMemory *memory,
                          ThetaBounds *jaccard, SketchError *error);

/* A hash at or above theta was not kept, so nobody can say any more whether it was added. */
typedef enum ThetaAnswer { THETA_NO, THETA_YES, THETA_UNKNOWN } ThetaAnswer;

/* Returns what is known of a hash by theta alone: THETA_YES stands for a hash to look for. */
static inline ThetaAnswer
theta_samples(uint64_t theta, uint64_t hash)
{
    return hash == 0 ? THETA_NO : hash >= theta ? THETA_UNKNOWN : THETA_YES;
}

/* Returns whether a value has a hash; 0 is the hash of no item. THETA_NO for a damaged value. */
extern ThetaAnswer theta_contains(SketchBytes value, uint64_t hash, const SketchMemory *memory);

/* ---- set operations ---- */

/*
 * THETA_COMMON is one step in the intersection of many sketches, which must not depend on their
 * order. With a set that is known to be empty, the result of THETA_INTERSECTION is also known to be
 * empty; that of THETA_COMMON need not be (merge.c).
 */
typedef enum ThetaOp { THETA_UNION, THETA_INTERSECTION, THETA_DIFFERENCE, THETA_COMMON } ThetaOp;

/*
 * Makes a packed value of the operation. The lgk of a union or an intersection is the lower one,
 * that of a difference the first one. Fails for a damaged value.
 */
extern bool theta_combine(ThetaOp op, SketchBytes a, SketchBytes b, const SketchMemory *memory,
                          SketchBytes *value, SketchError *error);

/* ---- DataSketches ---- */

/*
 * theta_from_datasketches reads compact sketches of serial versions 1 to 4 into a packed value.
 * `lgk` 0 means 12, or the least that holds every hash; any other one drops hashes if there are
 * more than 2^lgk. theta_to_datasketches writes, into scratch memory, serial version 4 if
 * `compressed` and DataSketches would, else 3.
 */
extern bool theta_from_datasketches(SketchBytes input, unsigned lgk, const SketchMemory *memory,
                                    SketchBytes *value, SketchError *error);
extern bool theta_to_datasketches(SketchBytes value, bool compressed, const SketchMemory *memory,
                                  SketchBytes *bytes, SketchError *error);

#endif
