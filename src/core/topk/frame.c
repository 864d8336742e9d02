/*
 * frame.c - see frame.h.
 */
#include "frame.h"

#include "core/common/hash.h"
#include "topk_internal.h"

typedef struct TopkMember {
    uint64_t count;
    TopkItem item;
    uint8_t bytes[]; /* of a text */
} TopkMember;

/* The sort key of a member; it nearly always decides without comparing items. */
typedef struct TopkRank {
    uint64_t count;
    uint64_t prefix;
    const TopkMember *member;
} TopkRank;

static inline bool
ranks_before(const TopkRank *a, const TopkRank *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    return topk_compare_items(&a->member->item, &b->member->item) < 0;
}

#define RUNS_ELEMENT TopkRank
#define RUNS_BEFORE(a, b) ranks_before(a, b)
#define RUNS_OF 128
#include "core/common/sorted_runs.h"

/* Returns a number that ascends with the items; equal numbers leave it to the items. */
static uint64_t
prefix_of(TopkItem item)
{
    uint8_t first[8] = {0};

    if (item.type == TOPK_BIGINT)
        return (uint64_t)item.number ^ UINT64_C(1) << 63;
    memcpy(first, item.bytes, item.size < sizeof first ? item.size : sizeof first);
    return __builtin_bswap64(load_le64(first));
}

static TopkRank
rank_of(const TopkMember *member)
{
    return (TopkRank){member->count, prefix_of(member->item), member};
}

static uint64_t
hash_of(TopkItem item)
{
    return item.type == TOPK_BIGINT ? hash_int64(item.number) : hash_bytes(item.bytes, item.size);
}

static inline TopkMember *
member_at(const TopkFrame *frame, size_t at)
{
    return (TopkMember *)(uintptr_t)frame->items.slot[at].value;
}

/* Returns the slot of an item, or the free one where it would go. */
static size_t
find(const TopkFrame *frame, TopkItem item, uint64_t hash)
{
    size_t at = hash_table_first(&frame->items, hash);

    while (member_at(frame, at) && topk_compare_items(&member_at(frame, at)->item, &item) != 0)
        at = hash_table_next(&frame->items, hash, at + 1);
    return at;
}

void
topk_frame_begin(TopkFrame *frame, const SketchMemory *memory)
{
    hash_table_begin(&frame->items, memory);
    runs_begin(&frame->ranks, memory);
}

void
topk_frame_end(TopkFrame *frame, const SketchMemory *memory)
{
    for (size_t i = 0; i < frame->items.slots; i++)
        if (member_at(frame, i))
            memory->release(member_at(frame, i), memory->context);
    hash_table_end(&frame->items, memory);
    runs_end(&frame->ranks, memory);
}

static TopkMember *
new_member(TopkItem item, const SketchMemory *memory)
{
    uint32_t size = item.type == TOPK_TEXT ? item.size : 0;
    TopkMember *member = memory->scratch(sizeof *member + size, memory->context);

    member->count = 0;
    member->item = item;
    if (item.type == TOPK_TEXT) {
        memcpy(member->bytes, item.bytes, size);
        member->item.bytes = member->bytes;
    }
    return member;
}

bool
topk_frame_add(TopkFrame *frame, TopkItem item, const SketchMemory *memory, SketchError *error)
{
    uint64_t hash = hash_of(item);
    size_t at = find(frame, item, hash);
    TopkMember *member = member_at(frame, at);

    if (!topk_check_length(item, error))
        return false;
    if (member)
        runs_remove(&frame->ranks, rank_of(member), memory);
    else {
        member = new_member(item, memory);
        hash_table_put(&frame->items, at, hash, (uint64_t)(uintptr_t)member, memory);
    }
    member->count++;
    runs_add(&frame->ranks, rank_of(member), memory);
    return true;
}

bool
topk_frame_remove(TopkFrame *frame, TopkItem item, const SketchMemory *memory)
{
    size_t at = find(frame, item, hash_of(item));
    TopkMember *member = member_at(frame, at);

    if (!member)
        return false;
    runs_remove(&frame->ranks, rank_of(member), memory);
    if (--member->count > 0)
        runs_add(&frame->ranks, rank_of(member), memory);
    else {
        hash_table_remove(&frame->items, at, memory);
        memory->release(member, memory->context);
    }
    return true;
}

uint32_t
topk_frame_top(const TopkFrame *frame, uint32_t k, TopkCounter *counters)
{
    uint32_t listed = 0;

    for (size_t i = 0; i < frame->ranks.runs && listed < k; i++) {
        const SortedRun *run = &frame->ranks.run[i];

        for (size_t j = 0; j < run->count && listed < k; j++) {
            const TopkMember *member = runs_first(run)[j].member;

            counters[listed++] = (TopkCounter){member->item, member->count, 0};
        }
    }
    return listed;
}
