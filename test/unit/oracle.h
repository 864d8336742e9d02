/*
 * oracle.h - HyperLogLog without any cleverness, to compare the real one with.
 *
 * An oracle keeps the 64-bit hash of every item it was ever given and its precision, the lowest it
 * ever met, and nothing else. Whatever is asked is worked out from all hashes anew, a bit at a
 * time, from the definitions in hll/hll.c, hll/sparse.c and hll/dense.c.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "core/hll/hll.h"

/* Of the formats, frozen. */
#define ORACLE_TOKEN_BITS 26

typedef struct Oracle {
    SketchHash hash;
    unsigned precision;
    uint64_t *item;
    size_t items;
    size_t room;
} Oracle;

extern Oracle oracle_new(SketchHash hash, unsigned precision);
extern void oracle_free(Oracle *oracle);
extern void oracle_add(Oracle *oracle, uint64_t hash);
extern void oracle_merge(Oracle *oracle, const Oracle *other);
extern void oracle_reduce(Oracle *oracle, unsigned precision);

/* The most distinct tokens a sparse sketch holds. */
extern size_t oracle_limit(unsigned precision);

/* History bits of a register. */
extern unsigned oracle_history(SketchHash hash);

/* Distinct tokens, ascending; *count of them, to be freed. Without history, of each index the one
 * of the highest rank. */
extern uint32_t *oracle_tokens(const Oracle *oracle, size_t *count);

/* 2^precision registers, to be freed. */
extern uint8_t *oracle_registers(const Oracle *oracle);

extern bool oracle_dense(const Oracle *oracle);

/* The likeliest number of items, or Ertl's estimate where there is no history, in long double. */
extern long double oracle_estimate(const Oracle *oracle);

/* The packed value, to be freed. Its estimate is not filled in (zero). */
extern SketchBytes oracle_pack(const Oracle *oracle);

/* Whether a sketch, working or packed, is what the oracle says in every respect. */
extern bool oracle_agrees(const Oracle *oracle, SketchBytes value, const SketchMemory *memory);

#endif
