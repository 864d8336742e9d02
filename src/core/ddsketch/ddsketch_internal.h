/*
 * ddsketch_internal.h - what the files of ddsketch share. Each calls only those above it.
 *
 *   boundaries.c  the table of boundaries between buckets
 *   buckets.c     the bucket of a value, and the values of a bucket
 *   header.c      the packed header
 *   reader.h      blocks of counts as bits: what reads most of them
 *   packed.c      the rest of that, and writing
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

/* kind, version, encoding, mapping, scale, and the shortest form of four numbers */
#define DDSKETCH_HEADER_MIN 9

/* boundaries.c: of scale 8, in fractions of 2^52; the bucket in which each of 512 cells begins. */
extern const uint64_t ddsketch_boundaries[257];
extern const uint8_t ddsketch_cells[512];

/*
 * The bucket, at scale 8, of a normal double above 0 whose bits are given. Buckets include their
 * upper bound; one less in the last place makes powers of two the end of their octave.
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

/* Steps between polls that reading a block takes. */
#define DD_BLOCK_STEPS 32

/* The numbers of blocks whose indexes have 32 bits; those of exponential buckets are fewer. */
#define DD_BLOCK_MIN (INT32_MIN / DDSKETCH_BLOCK)
#define DD_BLOCK_MAX (INT32_MAX / DDSKETCH_BLOCK)

/* 16 neighbouring buckets: those of `number` * 16 and after. */
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

/* header.c: all that stands before the blocks. */
typedef struct DdHeader {
    DdsketchGrid grid;
    uint64_t total, zeros;
    DdStore stores[2]; /* of negative values, of positive ones */
    size_t bytes;
    SketchBytes blocks;          /* the rest of the value, but for */
    DdsketchRequested requested; /* what is at the end of a value in transit */
} DdHeader;

/* False for anything but a good packed header. */
extern bool dd_header_read(SketchBytes value, DdHeader *header);

/* Writes at most SKETCH_HEADER_MAX bytes; returns the end. */
extern uint8_t *dd_header_write(uint8_t *to, const DdHeader *header);

/* ---- packed.c ---- */

/* The mode in which counts are written: as they are, or as differences. */
typedef struct DdCoding {
    unsigned differences;
    unsigned width;
    uint64_t before; /* the count before this block */
} DdCoding;

/* Coding of the first block of a store. */
static const DdCoding dd_first_coding = {.differences = 0, .width = 1, .before = 0};

/*
 * The blocks of a packed value. After dd_next_code of reader.h the reader has the number and store
 * of the next block that is not empty, and its counts are to be read.
 */
typedef struct DdReader {
    BitReader bits;
    DdStore stores[2];
    unsigned store;
    uint32_t left; /* blocks of this store */
    int32_t number;
    DdCoding coding;
    bool narrow; /* all counts fit 32 bits, as the total does */
    bool failed;
} DdReader;

extern void dd_reader_begin(DdReader *reader, const DdHeader *header);

/* Reads the next nonempty block; false after the last one, or with reader->failed. */
extern bool dd_reader_next(DdReader *reader, DdBlock *block);

/* Counts the blocks that are left; UINT32_MAX if they cannot be read. */
extern uint32_t dd_reader_count(DdReader reader, const SketchMemory *memory);

/* Bytes that a block takes at most, with counts of `width` bits and empty blocks before it. */
#define DD_BLOCK_BYTES(width) (16 + (width) * (DDSKETCH_BLOCK / 8))

typedef struct DdWriter {
    BitWriter bits;
    DdStore stores[2];
    int32_t number; /* of the last block written */
    DdCoding coding;
} DdWriter;

extern DdWriter dd_writer(uint8_t *to);

/*
 * Appends a block, in order; an empty one is skipped. The counts of dd_write_counts are below 2^31.
 */
extern void dd_write_block(DdWriter *writer, const DdBlock *block);
extern void dd_write_counts(DdWriter *writer, bool negative, int32_t number,
                            const uint32_t *counts);

/* ---- working.c ---- */

/* Common beginning of both working states. */
typedef struct DdState {
    StateHeader header; /* `hash` is the mapping */
    int8_t scale;
    uint8_t wide;      /* counters have 64 bits, not 32 */
    uint8_t shift;     /* of the hash: 32 less the bits of a directory index */
    uint8_t requested; /* quantiles, at the end of the state */
    uint32_t count;    /* values in the list, or pages in use */
} DdState;

/*
 * A bucket in 32 bits: those of negative values, then those of positive ones, by their indexes; 0
 * for zero. Scale 20 has more buckets, and no lists.
 */
#define DD_LIST_SCALE_MAX 19
#define DD_PLACE_BIAS (INT32_C(1) << 30)

/* An index that only a damaged value has gets some place or other. */
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

/* The bucket of each value, in any order. */
typedef struct DdList {
    DdState state;
    uint32_t places[];
} DdList;

/* Up to this many values are a list. */
#define DD_LIST_BYTES 1024
#define DD_LIST_COUNT ((DD_LIST_BYTES - sizeof(DdList)) / sizeof(uint32_t))

/*
 * Pages of one block each. Behind the struct stand the directory, a hash table from a page's key to
 * its number, counted from 1, in 32 bits each; the keys; and the counters. Counters have 32 bits as
 * long as the total has, so that none of them overflows.
 */
typedef struct DdPages {
    DdState state;
    uint64_t total, zeros;
    double gamma, offset;
    uint32_t directory; /* entries, a power of two */
    uint32_t capacity;  /* pages */
    uint64_t unused;
} DdPages;

_Static_assert(sizeof(DdList) == 16 && sizeof(DdPages) == 64, "working states");

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

/* The key of page n, from 1. */
static inline int32_t *
dd_key(DdPages *pages, uint32_t n)
{
    return (int32_t *)(dd_directory(pages) + pages->directory) + (n - 1);
}

/* The counters of page n; 32 bits each, or 64. */
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

/* The page with a key, or 0. */
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

/* Goes on with `fresh`, a state made of the writer's, which also carries its quantiles. */
extern void dd_replace(StateWriter *writer, SketchState fresh);

/* An empty state with room for a value of this total and of this many blocks. */
extern SketchState dd_new_state(const DdsketchGrid *grid, uint64_t total, uint32_t blocks,
                                const SketchMemory *memory);

extern void dd_state_grid(const DdState *state, DdsketchGrid *grid);

/* The number of values of a state. */
static inline uint64_t
dd_state_total(const DdState *state)
{
    return state->header.encoding == DDSKETCH_LIST ? state->count : ((const DdPages *)state)->total;
}

/* Adds `count` values of a bucket to a list; false, with nothing changed, if they are too many. */
extern bool dd_list_add(StateWriter *writer, uint32_t place, uint64_t count);

/*
 * Makes pages of a list, with counters that hold `more` values more. False if the total would be
 * too much.
 */
extern bool dd_make_pages(StateWriter *writer, uint64_t more, SketchError *error);

/* The page with a key, a new one if there is none; 0, with nothing changed, if that is too many. */
extern uint32_t dd_page_for(StateWriter *writer, int32_t key, SketchError *error);

/*
 * Adds a count to a bucket, the counts of a block to a page, growing the state; the total is
 * the caller's. False, with nothing changed, if there are too many pages.
 */
extern bool dd_add_count(StateWriter *writer, bool negative, int32_t index, uint64_t count,
                         SketchError *error);
extern bool dd_add_block(StateWriter *writer, const DdBlock *block, SketchError *error);

/* Makes room for `more` pages; false, with nothing changed, if those are too many. */
extern bool dd_make_room(StateWriter *writer, uint32_t more, SketchError *error);

/* Copies counters to a block. */
extern void dd_page_block(DdPages *pages, uint32_t n, DdBlock *block);

/* ---- cursor.c ---- */

/* The blocks of any value in order: of negative values, then of positive ones, from 0 outwards. */
typedef struct DdCursor {
    DdsketchGrid grid;
    DdsketchRequested requested;
    uint64_t total, zeros;
    uint64_t left; /* what was not read of the total */
    bool failed;
    size_t steps;
    const SketchMemory *memory;

    DdReader reader; /* of a packed value; else */
    DdPages *pages;  /* or NULL */
    uint32_t *order; /* sorted: pages, or a list's places */
    uint32_t at, count;
} DdCursor;

/* False for a damaged value; there is nothing to end then. */
extern bool dd_cursor_begin(DdCursor *cursor, SketchBytes value, const SketchMemory *memory);

/* False after the last block, or with cursor->failed. */
extern bool dd_cursor_next(DdCursor *cursor, DdBlock *block);
extern void dd_cursor_end(DdCursor *cursor);

/* Bounds the number of blocks before the first is read; UINT32_MAX for a damaged value. */
extern uint32_t dd_cursor_blocks(const DdCursor *cursor);

/* The packed value of what a cursor reads; data is NULL if it is damaged. */
extern SketchBytes dd_pack_cursor(DdCursor *cursor);

/* Validates what sketch_validate_common does not. */
extern bool dd_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                        SketchError *error);

/* merge.c */
extern void dd_fold(StateWriter *writer, int scale);
extern bool dd_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                     SketchError *error);
extern SketchState dd_open(SketchBytes value, const SketchMemory *memory);

/* Checks that `more` can be added to a total; false with *error if not. */
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
