/*
 * redis_tdigest.h - what DUMP answers for a t-digest of Redis's, made here.
 */
#ifndef REDIS_TDIGEST_H
#define REDIS_TDIGEST_H

#include "redis_payload.h"

#define REDIS_TDIGEST_ID UINT64_C(0x4c3212f9360f1000)
#define REDIS_TDIGEST_FIELDS 9 /* in front of the means */

typedef struct RedisTdigest {
    double compression, low, high;
    int64_t capacity, merged, unmerged, compressions;
    double merged_weight, unmerged_weight;
    unsigned count; /* of what is written of each */
    const double *means, *weights;
} RedisTdigest;

/* All fields, without the end. */
static inline void
payload_tdigest_fields(Payload *p, const RedisTdigest *t)
{
    payload_double(p, t->compression);
    payload_double(p, t->low);
    payload_double(p, t->high);
    payload_signed(p, t->capacity);
    payload_signed(p, t->merged);
    payload_signed(p, t->unmerged);
    payload_signed(p, t->compressions);
    payload_double(p, t->merged_weight);
    payload_double(p, t->unmerged_weight);
    for (unsigned i = 0; i < t->count; i++)
        payload_double(p, t->means[i]);
    for (unsigned i = 0; i < t->count; i++)
        payload_double(p, t->weights[i]);
}

static inline void
payload_tdigest(Payload *p, const RedisTdigest *t)
{
    payload_module(p, REDIS_TDIGEST_ID);
    payload_tdigest_fields(p, t);
    payload_u8(p, 0);
    payload_finish(p);
}

#endif
