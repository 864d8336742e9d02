/*
 * fuzz.h - what the fuzz target, its types and its driver share.
 *
 * An input's first byte chooses a mode; the rest is the mode's. There is a mode for every type,
 * which validates the bytes as values of it and asks them everything, and one for every foreign
 * format that is read. fuzz_<type>.c defines the modes of a type and names them with FUZZ_MODE.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "../unit/check.h"
#include "../unit/memory.h"

#define FUZZ_INPUT_MAX (1 << 20)

typedef struct FuzzMode {
    /* The first byte of its inputs: never another, so that those in corpus/ keep their meaning. */
    uint8_t number;
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

/* Makes a mode known before the program begins. */
#define FUZZ_MODE(mode)                                                                            \
    __attribute__((constructor)) static void register_##mode(void) { fuzz_register(&mode); }

extern void fuzz_register(const FuzzMode *mode);

/* The mode that a first byte chooses; bytes that are no mode's number choose one of them, too. */
extern const FuzzMode *fuzz_mode(uint8_t byte);
extern const FuzzMode *fuzz_random_mode(Random *random);

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program when something that must hold does not. */
extern void fuzz_check(bool good, const char *what);
extern void fuzz_check_refusal(SketchError error);

/* Checks all that holds for a validated value of any type. */
extern void fuzz_value(const FuzzMode *mode, SketchBytes value);

/* fuzz_redis.c: the payload of DUMP around a string, and its checksum repaired */
extern size_t fuzz_payload(Random *random, const uint8_t *string, size_t size, uint8_t *buffer);
extern void fuzz_payload_repair(uint8_t *data, size_t size);

#endif
