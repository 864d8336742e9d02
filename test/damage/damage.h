/*
 * damage.h - what the damage program and its types share.
 *
 * A type has a good value of each of its encodings and of each hash function that the items of a
 * value may have, a small and a large one, and a list of all that src/pg calls with a value.
 * damage_<type>.c defines both and names them with DAMAGE_TYPE.
 */
#ifndef DAMAGE_H
#define DAMAGE_H

#include <setjmp.h>

#include "../unit/check.h"
#include "core/sketch.h"

typedef struct DamageType {
    const SketchOps *ops;
    size_t hash_at; /* the byte that says the hash function, or where buckets begin */

    /* Passes good values to damage_value. */
    void (*make)(void);

    /* Calls with a damaged value all that src/pg does, as TRY. It is `good` before the damage. */
    void (*call)(SketchBytes value, SketchBytes good);
} DamageType;

/* Makes a type known before the program begins. */
#define DAMAGE_TYPE(type)                                                                          \
    __attribute__((constructor)) static void register_##type(void) { damage_register(&type); }

extern void damage_register(const DamageType *type);

/* Adds a good value of the type that is being made; takes a copy. */
extern void damage_value(const char *name, SketchBytes value);

/* ---- calls ---- */

/*
 * A call of src/pg, which may end by damage_raise. What it allocated is released behind it. If it
 * ends the process, its text is printed.
 */
#define TRY(...)                                                                                   \
    do {                                                                                           \
        damage_begin(#__VA_ARGS__);                                                                \
        if (setjmp(damage_raised) == 0)                                                            \
            (void)(__VA_ARGS__);                                                                   \
        damage_end();                                                                              \
    } while (0)

extern jmp_buf damage_raised;
extern void damage_begin(const char *call);
extern void damage_end(void);

/*
 * Ends a call as an error of the server does. The compiler is not told that it does not return: the
 * sanitizer would clean the stack twice.
 */
extern void damage_raise(void);

static inline void
damage_expect(bool good)
{
    if (!good)
        damage_raise();
}

/* Memory that an error releases; what would be too large for these tests is an error, too. */
extern const SketchMemory damage_memory;

/* ---- how src/pg gets at a value: args.c and value.c of src/pg/shared ---- */

/* The value opened, by the operations of `ops`, or by those of its kind if that is NULL. */
extern SketchState damage_open(SketchBytes value, const SketchOps *ops);

/* The packed form, which is the value itself if it is packed. */
extern SketchBytes damage_pack(SketchBytes value);

static inline SketchBytes
damage_result(SketchState state)
{
    return damage_pack(sketch_bytes(state));
}

/* The bytes from `offset` on, at most `length`, in memory of their own: of a value out of line. */
extern SketchBytes damage_slice(SketchBytes value, size_t offset, size_t length);

/* No more of a packed value than has its header. */
extern SketchBytes damage_header(SketchBytes value);

/* ---- items ---- */

/* The hashes of good values are 0 .. n - 1 of these. */
static inline uint64_t
damage_hash(uint64_t i)
{
    return mix64(i + 1);
}

#endif
