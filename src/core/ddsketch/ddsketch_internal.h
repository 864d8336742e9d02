/*
 * ddsketch_internal.h - what the files of ddsketch share. Each calls only those above it.
 *
 *   boundaries.c  the table of boundaries between buckets
 *   buckets.c     the bucket of a value, and the values of a bucket
 *   header.c      the packed header
 *   packed.c      blocks of counts as bits; reader.h has the fast paths of reading, inline
 *   working.c     the working encodings: a list of buckets, pages of counters
 *   cursor.c      the blocks of any encoding, in order; packing, validating
 *   merge.c       union, subtraction, folding
 *   query.c       quantiles, ranks and moments
 *   ddsketch.c    what it is; the operations
 *   from_exponential_histogram.c, from_datadog.c
 */
#ifndef DDSKETCH_INTERNAL_H
#define DDSKETCH_INTERNAL_H

#include "core/common/bits.h"
#include "core/common/state.h"
#include "ddsketch.h"

#define DDSKETCH_VERSION 1

/* Kind, version, encoding, mapping, scale, and four numbers of one byte. */
#define DDSKETCH_HEADER_MIN 9

/* boundaries.c: those of scale 8, times 2^52; the bucket in which each of 512 cells begins. */
extern const uint64_t ddsketch_boundaries[257];
extern const uint8_t ddsketch_cells[512];

/*
 * Returns the bucket, at scale 8, of a normal double above 0, given by its bits. Buckets include
 * their upper bound, so 1 is subtracted: a power of two becomes the end of the octave below.
 */
static inline int32_t
ddsketch_index_8(uint64_t bits)
{
    uint64_t below = bits - 1;
    uint64_t fraction = below & ((UINT64_C(1) << 52) - 1);
    uint32_t bucket = ddsketch_cells[fraction >> 43];

    bucket += fraction >= ddsketch_boundaries[bucket + 1];
    return ((int32_t)(below >> 52) - 1023) * 256 + (int32_t)bucket;
}

/* ---- blocks ---- */

/* Steps that reading a block takes. */
#define DD_BLOCK_STEPS 32

/* The range of block numbers: their bucket indexes have 32 bits. */
#define DD_BLOCK_MIN (INT32_MIN / DDSKETCH_BLOCK)
#define DD_BLOCK_MAX (INT32_MAX / DDSKETCH_BLOCK)

/* 16 neighbouring buckets, from index `number` * 16 on. */
typedef struct DdBlock {
    int32_t number;
    bool negative;
    uint64_t counts[DDSKETCH_BLOCK];
} DdBlock;

/* Blocks from the first to the last nonempty one. */
typedef struct DdStore {
    int32_t first;
    uint32_t span;
} DdStore;

/* header.c: what precedes the blocks. */
typedef struct DdHeader {
    DdsketchGrid grid;
    uint64_t total, zeros;
    DdsketchExtremes extremes;
    DdStore stores[2]; /* of negative values, of positive ones */
    size_t bytes;
    SketchBytes blocks;           /* the rest of the value, without `requested` */
    RequestedQuantiles requested; /* at the end of a value in transit */
} DdHeader;

/* Reads a header; fails if it is not valid. */
extern bool dd_header_read(SketchBytes value, DdHeader *header);

/* Writes at most SKETCH_HEADER_MAX bytes; returns the end. */
extern uint8_t *dd_header_write(uint8_t *to, const DdHeader *header);

/* ---- packed.c ---- */

/* How the counts of a block are written. */
typedef struct DdCoding {
    unsigned differences; /* 1: as differences, 0: as they are */
    unsigned width;
    uint64_t before; /* the count before this block */
} DdCoding;

/* The coding before the first block of a store. */
static const DdCoding dd_first_coding = {.differences = 0, .width = 1, .before = 0};

/*
 * Reads the blocks of a packed value. dd_next_code (reader.h) moves on to the next nonempty block
 * and sets `number` and `store`; its counts have to be read next.
 */
typedef struct DdReader {
    BitReader bits;
    DdStore stores[2];
    unsigned store;
    uint32_t left; /* blocks of this store */
    int32_t number;
    DdCoding coding;
    bool narrow; /* all counts fit 32 bits, because the total does */
    bool failed;
} DdReader;

extern void dd_reader_begin(DdReader *reader, const DdHeader *header);

/* Reads the next nonempty block; false after the last one, or with reader->failed. */
extern bool dd_reader_next(DdReader *reader, DdBlock *block);

/* Counts the blocks that are left; returns UINT32_MAX if they cannot be read. */
extern uint32_t dd_reader_count(DdReader reader, const SketchMemory *memory);

/* The maximum size of a block with counts of `width` bits, and of the empty blocks before it. */
#define DD_BLOCK_BYTES(width) (16 + (width) * (DDSKETCH_BLOCK / 8))

typedef struct DdWriter {
    BitWriter bits;
    DdStore stores[2];
    int32_t number; /* of the last block written */
    DdCoding coding;
} DdWriter;

extern DdWriter dd_writer(uint8_t *to);

/*
 * Append a block, in order; skip an empty one. The counts for dd_write_counts are below 2^31.
 */
extern void dd_write_block(DdWriter *writer, const DdBlock *block);
extern void dd_write_counts(DdWriter *writer, bool negative, int32_t number,
                            const uint32_t *counts);

/* ---- working.c ---- */

/* The common beginning of both working states. */
typedef struct DdState {
    StateHeader header; /* `hash` is the mapping */
    int8_t scale;
    uint8_t wide;      /* counters have 64 bits, not 32 */
    uint8_t shift;     /* of the hash: 32 minus the bits of a directory index */
    uint8_t requested; /* quantiles, at the end of the state */
    uint32_t count;    /* values in the list, or pages in use */
    DdsketchExtremes extremes;
} DdState;

/*
 * A place is a bucket in 32 bits: 0 for zeros; the highest bit for positive values, then the biased
 * index. Scale 20 has too many buckets for that, and no lists.
 */
#define DD_LIST_SCALE_MAX 19
#define DD_PLACE_BIAS (INT32_C(1) << 30)

/* Returns the place of a bucket; an index out of range, as in a damaged value, gets some place. */
static inline uint32_t
dd_place(bool negative, int32_t index)
{
    return (uint32_t)!negative << 31 | (((uint32_t)index + DD_PLACE_BIAS) & INT32_MAX);
}

static inline bool
dd_place_is_negative(uint32_t place)
{
    return place >> 31 == 0;
}

static inline int32_t
dd_place_index(uint32_t place)
{
    return (int32_t)(place & INT32_MAX) - DD_PLACE_BIAS;
}

/* The place of each value, in any order. */
typedef struct DdList {
    DdState state;
    uint32_t places[];
} DdList;

/* Up to this many values are a list. */
#define DD_LIST_BYTES 1024
#define DD_LIST_COUNT ((DD_LIST_BYTES - sizeof(DdList)) / sizeof(uint32_t))

/*
 * Pages of one block each. The struct is followed by the directory, a hash table from a page's key
 * to its number, from 1; the keys; and the counters. Entries and keys have 32 bits. So have the
 * counters as long as the total fits in 32 bits, so that none of them overflows.
 */
typedef struct DdPages {
    DdState state;
    uint64_t total, zeros;
    double gamma, offset;
    uint32_t directory; /* entries, a power of two */
    uint32_t capacity;  /* pages */
    uint64_t unused;
} DdPages;

_Static_assert(sizeof(DdList) == 32 && sizeof(DdPages) == 80, "working states");

static inline bool
dd_is_list(SketchState state)
{
    return sketch_encoding(state.data) == DDSKETCH_LIST;
}

static inline uint32_t *
dd_directory(DdPages *pages)
{
    return (uint32_t *)(pages + 1);
}

/* Returns the key of page n, from 1. */
static inline int32_t *
dd_key(DdPages *pages, uint32_t n)
{
    return (int32_t *)(dd_directory(pages) + pages->directory) + (n - 1);
}

/* Returns the counters of page n, of 32 or 64 bits. */
static inline void *
dd_counters(DdPages *pages, uint32_t n)
{
    uint8_t *first = (uint8_t *)(dd_directory(pages) + pages->directory + pages->capacity);

    return first + (size_t)(n - 1) * (DDSKETCH_BLOCK * sizeof(uint32_t) << pages->state.wide);
}

static inline int32_t
dd_page_key(bool negative, int32_t block)
{
    return (int32_t)((uint32_t)block * 2 + negative);
}

/* Returns the page with a key, or 0. */
static inline uint32_t
dd_find_page(DdPages *pages, int32_t key)
{
    const uint32_t *directory = dd_directory(pages);
    uint32_t mask = pages->directory - 1;
    uint32_t at = (uint32_t)key * UINT32_C(0x9e3779b1) >> pages->state.shift;

    while (directory[at] != 0 && *dd_key(pages, directory[at]) != key)
        at = (at + 1) & mask;
    return directory[at];
}

extern SketchState dd_new_pages(const DdsketchGrid *grid, bool wide, uint32_t room,
                                const SketchMemory *memory);

/* Replaces the writer's state by `fresh`, which takes over its quantiles and extremes. */
extern void dd_replace(StateWriter *writer, SketchState fresh);

/* Returns an empty state with room for a value of this total and number of blocks. */
extern SketchState dd_new_state(const DdsketchGrid *grid, uint64_t total, uint32_t blocks,
                                const SketchMemory *memory);

extern void dd_state_grid(const DdState *state, DdsketchGrid *grid);

static inline void
dd_widen_extremes(SketchState state, DdsketchExtremes extremes)
{
    ddsketch_widen(&((DdState *)state_at(state.data))->extremes, extremes);
}

/* Returns the number of values in a state. */
static inline uint64_t
dd_state_total(const DdState *state)
{
    return state->header.encoding == DDSKETCH_LIST ? state->count : ((const DdPages *)state)->total;
}

/* Adds `count` values of a bucket to a list; fails, with nothing changed, if they are too many. */
extern bool dd_list_add(StateWriter *writer, uint32_t place, uint64_t count);

/*
 * Makes pages of a list, and counters wide enough for `more` additional values. Fails if the total
 * would be too large.
 */
extern bool dd_make_pages(StateWriter *writer, uint64_t more, SketchError *error);

/* Returns the page with a key, new if need be; 0, with nothing changed, if there are too many. */
extern uint32_t dd_page_for(StateWriter *writer, int32_t key, SketchError *error);

/*
 * Add a count to a bucket, or the counts of a block to a page; the state may grow. The caller adds
 * to the total. Fail, with nothing changed, if there would be too many pages.
 */
extern bool dd_add_count(StateWriter *writer, bool negative, int32_t index, uint64_t count,
                         SketchError *error);
extern bool dd_add_block(StateWriter *writer, const DdBlock *block, SketchError *error);

/* Makes room for `more` pages; fails, with nothing changed, if that would be too many. */
extern bool dd_make_room(StateWriter *writer, uint32_t more, SketchError *error);

/* Copies the counters of page n to a block. */
extern void dd_page_block(DdPages *pages, uint32_t n, DdBlock *block);

/* ---- cursor.c ---- */

/*
 * Reads the blocks of any value in order: those of negative values, then those of positive ones,
 * each from 0 outwards.
 */
typedef struct DdCursor {
    DdsketchGrid grid;
    RequestedQuantiles requested;
    DdsketchExtremes extremes;
    uint64_t total, zeros;
    uint64_t left; /* the part of the total that has not been read yet */
    bool failed;
    size_t steps;
    const SketchMemory *memory;

    DdReader reader; /* of a packed value */
    DdPages *pages;  /* of a state with pages, or NULL */
    uint32_t *order; /* sorted: pages, or a list's places; NULL for a packed value */
    uint32_t at, count;
} DdCursor;

/* Begins to read; fails for a damaged value, and then there is nothing to end. */
extern bool dd_cursor_begin(DdCursor *cursor, SketchBytes value, const SketchMemory *memory);

/* Reads the next block; returns false after the last one, or with cursor->failed. */
extern bool dd_cursor_next(DdCursor *cursor, DdBlock *block);
extern void dd_cursor_end(DdCursor *cursor);

/* Bounds the number of blocks, before the first is read; UINT32_MAX for a damaged value. */
extern uint32_t dd_cursor_blocks(const DdCursor *cursor);

/* Sets the lowest and the highest bucket that has values; fails for a damaged value. */
extern bool dd_outer_buckets(SketchBytes value, DdsketchBucket *low, DdsketchBucket *high,
                             const SketchMemory *memory);

/* Packs what a cursor reads; returns no data if it is damaged. */
extern SketchBytes dd_pack_cursor(DdCursor *cursor);

/* Validates what sketch_validate_common does not. */
extern bool dd_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                        SketchError *error);

/* merge.c */
extern bool dd_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                     SketchError *error);
extern SketchState dd_open(SketchBytes value, const SketchMemory *memory);

/* Refuses `more` if it cannot be added to a total. */
static inline bool
dd_check_total(uint64_t total, uint64_t more, SketchError *error)
{
    if (more <= DDSKETCH_TOTAL_MAX - total)
        return true;
    if (total == DDSKETCH_TOTAL_MAX)
        return sketch_refuse(error, SKETCH_OVERFLOW, "The total count is 2^63-1 already");
    return sketch_refuse_range(error, SKETCH_OVERFLOW, "The total count would exceed 2^63-1",
                               more > INT64_MAX ? INT64_MAX : (int64_t)more, 1,
                               (int64_t)(DDSKETCH_TOTAL_MAX - total));
}

static inline bool
dd_same_grid(const DdsketchGrid *a, const DdsketchGrid *b)
{
    return a->mapping == b->mapping && a->gamma == b->gamma && a->offset == b->offset;
}

#endif
