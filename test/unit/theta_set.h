/*
 * theta_set.h - theta sketches beside an oracle: all hashes in a sorted array, and theta.
 */
#ifndef THETA_SET_H
#define THETA_SET_H

#include "check.h"
#include "core/theta/theta.h"
#include "memory.h"

typedef struct Sample {
    unsigned lgk;
    uint64_t theta;
    uint64_t *hash; /* ascending once it was tidied */
    size_t count, room;
} Sample;

static inline Sample
sample_new(unsigned lgk)
{
    return (Sample){.lgk = lgk, .theta = THETA_EXACT};
}

static inline void
sample_free(Sample *sample)
{
    free(sample->hash);
    *sample = (Sample){0};
}

static inline void
sample_add(Sample *sample, uint64_t hash)
{
    if (sample->count == sample->room) {
        sample->room = sample->room ? 2 * sample->room : 64;
        sample->hash = realloc(sample->hash, sample->room * sizeof *sample->hash);
    }
    sample->hash[sample->count++] = hash;
}

static inline int
compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Drops repetitions and what is not below theta; theta becomes the hash behind the 2^lgk-th. */
static inline void
sample_tidy(Sample *sample)
{
    size_t kept = 0, most = (size_t)1 << sample->lgk;

    if (sample->count > 0)
        qsort(sample->hash, sample->count, sizeof *sample->hash, compare_hashes);
    for (size_t i = 0; i < sample->count; i++)
        if (sample->hash[i] > 0 && sample->hash[i] < sample->theta &&
            (kept == 0 || sample->hash[i] != sample->hash[kept - 1]))
            sample->hash[kept++] = sample->hash[i];
    if (kept > most) {
        sample->theta = sample->hash[most];
        kept = most;
    }
    sample->count = kept;
}

static inline bool
sample_has(const Sample *sample, uint64_t hash)
{
    return sample->count > 0 &&
           bsearch(&hash, sample->hash, sample->count, sizeof hash, compare_hashes) != NULL;
}

/* From the definition: hashes below the lower theta that the operation takes. */
static inline Sample
sample_combine(ThetaOp op, const Sample *a, const Sample *b)
{
    Sample result = sample_new(op != THETA_DIFFERENCE && b->lgk < a->lgk ? b->lgk : a->lgk);

    bool none_a = a->count == 0 && a->theta == THETA_EXACT;
    bool none_b = b->count == 0 && b->theta == THETA_EXACT;

    if (op == THETA_UNION && none_a != none_b)
        result.lgk = none_a ? b->lgk : a->lgk;
    result.theta = a->theta < b->theta ? a->theta : b->theta;
    if ((none_a && (op == THETA_INTERSECTION || op == THETA_DIFFERENCE)) ||
        (none_b && op == THETA_INTERSECTION))
        result.theta = THETA_EXACT;
    for (size_t i = 0; i < a->count; i++)
        if (op == THETA_UNION || sample_has(b, a->hash[i]) == (op != THETA_DIFFERENCE))
            sample_add(&result, a->hash[i]);
    for (size_t i = 0; op == THETA_UNION && i < b->count; i++)
        sample_add(&result, b->hash[i]);
    sample_tidy(&result);
    return result;
}

/* The packed value bit by bit, as doc/formats.md has it; to be freed. */
static inline Bytes
sample_pack(const Sample *sample)
{
    const uint64_t count = sample->count;
    unsigned l = 0;
    size_t low, high, size;
    Bytes bytes;

    while (count > 0 && l < 63 && count << (l + 1) >> (l + 1) == count &&
           count << (l + 1) <= sample->theta)
        l++;
    low = (sample->count * l + 7) / 8;
    high = sample->count > 0 ? (sample->count + ((sample->theta - 1) >> l) + 7) / 8 : 0;
    size = 17 + low + high;
    bytes = (Bytes){calloc(size, 1), size};
    memcpy(bytes.data, (uint8_t[]){12, 1, 0, 3, (uint8_t)sample->lgk}, 5);
    for (unsigned i = 0; i < 4; i++)
        bytes.data[5 + i] = (uint8_t)(sample->count >> 8 * i);
    for (unsigned i = 0; i < 8; i++)
        bytes.data[9 + i] = (uint8_t)(sample->theta >> 8 * i);
    for (size_t i = 0; i < sample->count; i++) {
        size_t upper = (size_t)(sample->hash[i] >> l) + i;

        for (unsigned bit = 0; bit < l; bit++)
            if (sample->hash[i] >> bit & 1)
                bytes.data[17 + (i * l + bit) / 8] |= (uint8_t)(1 << (i * l + bit) % 8);
        bytes.data[17 + low + upper / 8] |= (uint8_t)(1 << upper % 8);
    }
    return bytes;
}

static inline bool
sample_is(const Sample *sample, SketchBytes value)
{
    Bytes bytes = sample_pack(sample);
    bool same = value.data && same_bytes(bytes.data, bytes.size, value.data, value.size);

    free(bytes.data);
    return same;
}

/* ---- the real one ---- */

static inline void
theta_put(SketchState *state, uint64_t hash)
{
    uint8_t *before = state->data;

    theta_insert(state, hash, &memory);
    if (state->data != before)
        memory_release_value(before, NULL);
}

/* Packs and releases. */
static inline SketchBytes
theta_finish(SketchState state)
{
    SketchBytes packed = theta_ops.pack(sketch_bytes(state), &memory);

    release_state(state);
    return packed;
}

static inline bool
same_value(SketchBytes a, SketchBytes b)
{
    return same_bytes(a.data, a.size, b.data, b.size);
}

/* The n-th of an endless sequence of hashes of 63 bits, not 0. */
static inline uint64_t
nth_hash(uint64_t n)
{
    return mix64(n * UINT64_C(0x9e3779b97f4a7c15) + 1) >> 1 | 1;
}

/* A packed sketch of hashes from .. to - 1 of the sequence. */
static inline SketchBytes
theta_of(unsigned lgk, uint64_t from, uint64_t to)
{
    SketchState state = theta_new(lgk, &memory);

    for (uint64_t n = from; n < to; n++)
        theta_put(&state, nth_hash(n));
    return theta_finish(state);
}

#endif
