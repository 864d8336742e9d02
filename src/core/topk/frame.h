/*
 * frame.h - the most frequent items of a moving frame, exactly: rows enter and leave.
 *
 * A hash table maps an item to its count, and sorted runs keep all items ordered by count,
 * descending, then by item. A row changes one count, so one item changes its place: at most four
 * searches for each row that enters or leaves. An item takes 120 to 270 bytes and the bytes of its
 * text.
 *
 * Interface: topk_frame_begin, _end, topk_frame_add, topk_frame_remove, topk_frame_top.
 */
#ifndef TOPK_FRAME_H
#define TOPK_FRAME_H

#include "core/common/hash_table.h"
#include "core/common/sorted_runs.h"
#include "topk.h"

typedef struct TopkFrame {
    HashTable items; /* from the hash of an item to its TopkMember */
    SortedRuns ranks;
} TopkFrame;

extern void topk_frame_begin(TopkFrame *frame, const SketchMemory *memory);
extern void topk_frame_end(TopkFrame *frame, const SketchMemory *memory);

/* Counts an item once more and copies it if it is new; refuses one that is too long. */
extern bool topk_frame_add(TopkFrame *frame, TopkItem item, const SketchMemory *memory,
                           SketchError *error);

/* Counts an item once less; fails if there is none. */
extern bool topk_frame_remove(TopkFrame *frame, TopkItem item, const SketchMemory *memory);

/*
 * Writes the first k items with their counts, or all if there are fewer; returns how many. Their
 * texts remain in the frame.
 */
extern uint32_t topk_frame_top(const TopkFrame *frame, uint32_t k, TopkCounter *counters);

#endif
