/*
 * ddsketch_internal.h - what the files of ddsketch share with one another and with nobody else.
 *
 * Each file calls only those above it:
 *
 *   boundaries.c  the table of boundaries between buckets
 *   buckets.c     the bucket of a value, and the values of a bucket
 *   header.c      the packed header
 *   packed.c      blocks of counts as bits: reading, writing
 *   working.c     the working encodings: a list of values, pages of counters
 *   cursor.c      the blocks of any encoding, in order; packing, validating
 *   merge.c       union, subtraction, folding
 *   query.c       quantiles, ranks and moments
 *   from_exponential_histogram.c, from_datadog.c
 *   ddsketch.c    what it is; the operations
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

/* The numbers of blocks whose indexes have 32 bits; those of exponential buckets are fewer. */
#define DD_BLOCK_MIN (INT32_MIN / DDSKETCH_BLOCK)
#define DD_BLOCK_MAX (INT32_MAX / DDSKETCH_BLOCK)

/* 16 neighbouring buckets: those of `number` * 16 and after. */
typedef struct DdBlock {
    int32_t number;
    bool negative;
    uint64_t counts[DDSKETCH_BLOCK];
} DdBlock;

/* The blocks from the first that is not empty to the last one. */
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
} DdHeader;

/* False for anything but a good packed header. */
extern bool dd_header_read(SketchBytes value, DdHeader *header);

/* Writes at most SKETCH_HEADER_MAX bytes; returns the end. */
extern uint8_t *dd_header_write(uint8_t *to, const DdHeader *header);

/* packed.c */

/* The mode in which counts are written: as they are, or as differences. */
typedef struct DdCoding {
    unsigned differences;
    unsigned width;
    uint64_t before; /* the count before this block */
} DdCoding;

typedef struct DdReader {
    BitReader bits;
    DdStore stores[2];
    unsigned store;
    uint32_t left; /* blocks of this store */
    int32_t number;
    DdCoding coding;
    bool failed;
} DdReader;

extern void dd_reader_begin(DdReader *reader, SketchBytes value, const DdHeader *header);

/* The next block that is not empty; false after the last one, or with reader->failed. */
extern bool dd_reader_next(DdReader *reader, DdBlock *block);

/* How many there are; UINT32_MAX if they cannot be read. */
extern uint32_t dd_reader_count(DdReader reader, const SketchMemory *memory);

/* Bytes that a block takes at most, with counts of `width` bits and empty blocks before it. */
#define DD_BLOCK_BYTES(width) (16 + (width) * (DDSKETCH_BLOCK / 8))

typedef struct DdWriter {
    BitWriter bits;
    DdStore stores[2];
    int32_t number; /* of the last block written */
    bool negative;
    DdCoding coding;
} DdWriter;

extern DdWriter dd_writer(uint8_t *to);

/* Appends a block, in order; an empty one is skipped. */
extern void dd_write_block(DdWriter *writer, const DdBlock *block);

/* ---- working.c ---- */

/* What both working states begin with. */
typedef struct DdState {
    StateHeader header; /* `hash` is the mapping */
    int8_t scale;
    uint8_t wide;  /* counters have 64 bits, not 32 */
    uint8_t shift; /* of the hash: 32 less the bits of a directory index */
    uint8_t unused;
    uint32_t count; /* values in the list, or pages in use */
} DdState;

typedef struct DdValues {
    DdState state;
    double values[];
} DdValues;

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

_Static_assert(offsetof(DdValues, values) == 16 && sizeof(DdPages) == 64, "working states");

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

/* Whether a working value is one, so that reading it stays within it. */
extern bool dd_state_is_sound(SketchBytes value);
extern void dd_state_grid(const DdState *state, DdsketchGrid *grid);

/*
 * Makes pages of a list, with counters that hold `more` values more. False if the total would be
 * too much.
 */
extern bool dd_make_pages(StateWriter *writer, uint64_t more, SketchError *error);

/*
 * Adds a count to a bucket, the counts of a block to a page, growing the state; the total is
 * the caller's. False, with nothing changed, if there are too many pages.
 */
extern bool dd_add_count(StateWriter *writer, bool negative, int32_t index, uint64_t count,
                         SketchError *error);
extern bool dd_add_block(StateWriter *writer, const DdBlock *block, SketchError *error);

/* Makes room for so many pages more; false, with nothing changed, if that are too many. */
extern bool dd_make_room(StateWriter *writer, uint32_t more, SketchError *error);

/* Copies counters to a block. */
extern void dd_page_block(DdPages *pages, uint32_t n, DdBlock *block);

/* ---- cursor.c ---- */

/* The blocks of any value in order: of negative values, then of positive ones, from 0 outwards. */
typedef struct DdCursor {
    DdsketchGrid grid;
    uint64_t total, zeros;
    uint64_t left; /* what was not read of the total */
    bool failed;
    size_t steps;
    const SketchMemory *memory;

    bool packed;
    DdReader reader;

    DdPages *pages;
    uint64_t *order; /* key and page of each, sorted */
    uint32_t at;
    SketchState temporary; /* pages made of a list */
} DdCursor;

/* False for a damaged value; there is nothing to end then. */
extern bool dd_cursor_begin(DdCursor *cursor, SketchBytes value, const SketchMemory *memory);

/* False after the last block, or with cursor->failed. */
extern bool dd_cursor_next(DdCursor *cursor, DdBlock *block);
extern void dd_cursor_end(DdCursor *cursor);

/* How many blocks it has, at most, before the first was read; UINT32_MAX for a damaged value. */
extern uint32_t dd_cursor_blocks(const DdCursor *cursor);

/* The packed value of what a cursor reads; data is NULL if it is damaged. */
extern SketchBytes dd_pack_cursor(DdCursor *cursor);

/* What is left to check after sketch_validate_common. */
extern bool dd_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                        SketchError *error);

/* merge.c */
extern void dd_fold(StateWriter *writer, int scale);
extern bool dd_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                     SketchError *error);
extern SketchState dd_open(SketchBytes value, const SketchMemory *memory);

/* A fresh total, or what is wrong with it. */
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
