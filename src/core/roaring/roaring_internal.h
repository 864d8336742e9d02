/*
 * roaring_internal.h - what the files of roaring share with one another and with nobody else.
 *
 * roaring.c           what it is; headers, validating
 * portable.c  the portable format: reading and validating
 * plan.c      the portable format: writing, each container in its smallest form
 * page.c      a container as 65536 bits in memory
 * working.c   states: adding; with working.h, which describes them
 * merge.c     states: merging, opening, packing
 * query.c     membership, ranks, positions
 * lookup.c    membership in what is stored in chunks
 * algebra.c   set algebra, by CRoaring
 */
#ifndef ROARING_INTERNAL_H
#define ROARING_INTERNAL_H

#include "core/common/bytes.h"
#include "roaring.h"

#define ARRAY_MAX 4096
#define PAGE_WORDS 1024
#define BUCKET_CONTAINERS 65536

/* Cookies of the portable format. */
#define COOKIE_PLAIN 12346
#define COOKIE_RUNS 12347
#define OFFSETS_FROM 4 /* with runs, so many containers have offsets */

/* ---- roaring.c ---- */

/* How many containers a packed value has. */
extern size_t containers_of(SketchBytes value);

/* ---- page.c ---- */

typedef enum PageChange { PAGE_SET, PAGE_FLIP } PageChange;

extern void page_change_range(uint64_t *page, uint32_t first, uint32_t last, PageChange change);
extern void page_change(uint64_t *page, const RoaringContainer *container, PageChange change);
extern uint32_t page_cardinality(const uint64_t *page);

static inline void
page_change_value(uint64_t *page, unsigned low, PageChange change)
{
    uint64_t bit = UINT64_C(1) << (low & 63);

    if (change == PAGE_SET)
        page[low >> 6] |= bit;
    else
        page[low >> 6] ^= bit;
}

/* The low 16 bits of value i of a container in one of the three forms that list values. */
static inline uint32_t
container_low(const RoaringContainer *container, uint32_t i)
{
    switch (container->form) {
    case ROARING_VALUES32:
        return *(const uint32_t *)(container->data + (size_t)i * 4) & 0xffff;
    case ROARING_VALUES64:
        return *(const uint64_t *)(container->data + (size_t)i * 8) & 0xffff;
    default:
        return load_le16(container->data + (size_t)i * 2);
    }
}

/* ---- portable.c ---- */

/* The directory of the bitmap at the front of `data`; false when it does not fit. */
extern bool body_open(RoaringBody *body, const uint8_t *data, size_t size);

/* Container i, for a body that was validated once; false when it leaves the body. */
extern bool body_container(const RoaringBody *body, uint32_t i, uint64_t high,
                           RoaringContainer *container);

/* Whether every container lies in the body, as code that trusts it needs. */
extern bool body_is_sound(const RoaringBody *body);

/* Everything about the bitmap at the front of `input` is checked; *used is where it ends. */
extern bool body_check(SketchBytes input, size_t *used, RoaringBody *body, SketchError *error);

/* The size of a bitmap that was checked. */
extern size_t body_bytes(const RoaringBody *body);

/* ---- query.c ---- */

extern bool body_contains(const RoaringBody *body, uint32_t wanted);

/* ---- plan.c ---- */

/* What a packed value is to hold. Data of containers has to stay where it is until it is written. */
typedef struct RoaringPlan {
    SketchKind kind;
    size_t count, room;
    struct PlannedContainer *containers;
} RoaringPlan;

/* Containers come in ascending order of their keys, at most `room` of them; empty ones are left
 * out. plan_write gives the plan's memory back. */
extern RoaringPlan plan_new(SketchKind kind, size_t room, const SketchMemory *memory);
extern void plan_add(RoaringPlan *plan, const RoaringContainer *container);
extern void plan_body(RoaringPlan *plan, const RoaringBody *body, uint64_t high);
extern SketchBytes plan_write(RoaringPlan *plan, const SketchMemory *memory);

/* ---- merge.c ---- */

extern SketchState roaring_open(SketchBytes value, const SketchMemory *memory);
extern SketchBytes roaring_pack(SketchBytes value, const SketchMemory *memory);
extern bool roaring_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                          SketchError *error);

#endif
