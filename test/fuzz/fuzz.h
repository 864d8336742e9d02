/*
 * fuzz.h - what the fuzz target, its types and its driver share.
 *
 * An input's first byte chooses a mode; the rest is the mode's. There is a mode for every type,
 * which validates the bytes as values of it and asks them everything, and one for every foreign format
 * that is read. fuzz_modes in fuzz.c lists them: a new type or format adds its lines there, behind
 * the others, so that the inputs in corpus/ keep their meaning.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "../unit/check.h"
#include "../unit/memory.h"

#define FUZZ_INPUT_MAX (1 << 20)

typedef struct FuzzMode {
    const char *name;

    /* A type: its operations, and every question there is to a value, or to two that mix. */
    const SketchOps *ops;
    bool sets; /* merging is a union of sets: idempotent and commutative to the byte */
    void (*ask)(SketchBytes packed, SketchBytes working);
    void (*ask_two)(SketchBytes a, SketchBytes b);

    /*
     * Whether what is merged with or added to two values, or one twice, stays small, where good
     * parameters may ask for gigabytes; or NULL.
     */
    bool (*fits)(SketchBytes a, SketchBytes b);

    /* A format, or a type that does not merge: reads the bytes and checks what it got. */
    void (*read)(SketchBytes input);

    /*
     * A good input (of a type: one value) in a buffer of FUZZ_INPUT_MAX / 4; and what lets a
     * changed one pass where that takes more than luck, a checksum, or NULL.
     */
    size_t (*seed)(Random *random, uint8_t *buffer);
    void (*repair)(uint8_t *data, size_t size);
} FuzzMode;

/* Ends with one without a name. */
extern const FuzzMode fuzz_modes[];

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program when something that must hold does not. */
extern void fuzz_check(bool good, const char *what);
extern void fuzz_check_refusal(SketchError error);

/* Checks all that holds for an validated value of any type. */
extern void fuzz_value(const FuzzMode *mode, SketchBytes value);

/* fuzz_hll.c */
extern void fuzz_hll_ask(SketchBytes packed, SketchBytes working);
extern void fuzz_hll_ask_two(SketchBytes a, SketchBytes b);
extern size_t fuzz_hll_seed(Random *random, uint8_t *buffer);
extern void fuzz_hyll_read(SketchBytes input);
extern size_t fuzz_hyll_seed(Random *random, uint8_t *buffer);

/* fuzz_redis.c */
extern void fuzz_dump_read(SketchBytes input);
extern size_t fuzz_dump_seed(Random *random, uint8_t *buffer);
extern void fuzz_payload_repair(uint8_t *data, size_t size);
extern size_t fuzz_payload(Random *random, const uint8_t *string, size_t size, uint8_t *buffer);

/* fuzz_tdigest.c */
extern void fuzz_tdigest_ask(SketchBytes packed, SketchBytes working);
extern void fuzz_tdigest_ask_two(SketchBytes a, SketchBytes b);
extern size_t fuzz_tdigest_seed(Random *random, uint8_t *buffer);
extern void fuzz_tdigest_repair(uint8_t *data, size_t size);
extern void fuzz_redis_tdigest_read(SketchBytes input);
extern size_t fuzz_redis_tdigest_seed(Random *random, uint8_t *buffer);

/* fuzz_bloom.c */
extern bool fuzz_bloom_fits(SketchBytes a, SketchBytes b);
extern void fuzz_bloom_ask(SketchBytes packed, SketchBytes working);
extern void fuzz_bloom_ask_two(SketchBytes a, SketchBytes b);
extern size_t fuzz_bloom_seed(Random *random, uint8_t *buffer);
extern void fuzz_bloom_repair(uint8_t *data, size_t size);

/* fuzz_cuckoo.c */
extern void fuzz_cuckoo_ask(SketchBytes packed, SketchBytes working);
extern void fuzz_cuckoo_ask_two(SketchBytes a, SketchBytes b);
extern size_t fuzz_cuckoo_seed(Random *random, uint8_t *buffer);

/* fuzz_roaring.c */
extern void fuzz_roaring_ask(SketchBytes packed, SketchBytes working);
extern void fuzz_roaring_ask_two(SketchBytes a, SketchBytes b);
extern size_t fuzz_roaring_seed(Random *random, uint8_t *buffer);
extern size_t fuzz_roaring64_seed(Random *random, uint8_t *buffer);
extern void fuzz_portable_read(SketchBytes input);
extern size_t fuzz_portable_seed(Random *random, uint8_t *buffer);

/* fuzz_bitfield.c */
extern void fuzz_bitfield_read(SketchBytes input);
extern size_t fuzz_bitfield_seed(Random *random, uint8_t *buffer);

/* fuzz_ratelimit.c */
extern void fuzz_ratelimit_read(SketchBytes input);
extern size_t fuzz_ratelimit_seed(Random *random, uint8_t *buffer);

/* fuzz_cms.c */
extern void fuzz_cms_ask(SketchBytes packed, SketchBytes working);
extern void fuzz_cms_ask_two(SketchBytes a, SketchBytes b);
extern size_t fuzz_cms_seed(Random *random, uint8_t *buffer);

/* fuzz_topk.c */
extern void fuzz_topk_ask(SketchBytes packed, SketchBytes working);
extern void fuzz_topk_ask_two(SketchBytes a, SketchBytes b);
extern size_t fuzz_topk_seed(Random *random, uint8_t *buffer);

/* fuzz_geohash.c */
extern void fuzz_geohash_read(SketchBytes input);
extern size_t fuzz_geohash_seed(Random *random, uint8_t *buffer);

#endif
