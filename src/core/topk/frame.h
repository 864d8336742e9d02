/*
 * frame.h - the most frequent items of a frame that moves: rows come and go, and all is exact.
 *
 * A hash table leads from an item to its count, and all items stand in the order of the list of a
 * topk, the highest count first, those of equal count in ascending order of items. A row changes
 * one count, so one item changes its place: at most four searches for each row that comes or goes.
 * Memory: 120 to 270 bytes an item and the bytes of its text.
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

/* One more of an item, which is copied; refuses one that is too long, as topk_insert does. */
extern bool topk_frame_add(TopkFrame *frame, TopkItem item, const SketchMemory *memory,
                           SketchError *error);

/* One less of an item; false when there is none. */
extern bool topk_frame_remove(TopkFrame *frame, TopkItem item, const SketchMemory *memory);

/*
 * Writes the first k items with their counts, or all if fewer; returns how many. Their texts lie in
 * the frame.
 */
extern uint32_t topk_frame_top(const TopkFrame *frame, uint32_t k, TopkCounter *counters);

#endif
