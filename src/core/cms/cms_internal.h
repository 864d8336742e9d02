/*
 * cms_internal.h - what the files of cms share with one another and with nobody else.
 *
 * cms.c       what it is, and what the glue calls
 * read.c      shapes and cells of any value, estimates of packed ones
 * packed.c    packed values, written and checked
 * working.c   values that change: their layout, adding
 * log.c       what a list that changes holds: each item once, in order
 * merge.c     opening for changes, merging
 * product.c   inner products
 * redis.c     values of Redis, and its payloads
 */
#ifndef CMS_INTERNAL_H
#define CMS_INTERNAL_H

#include "core/common/varint.h"
#include "cms.h"

/* Encodings. Working ones are in host byte order. */
#define CMS_LIST 0
#define CMS_TABLE 1
#define CMS_WORKING_LIST (SKETCH_WORKING | 0)
#define CMS_WORKING_TABLE32 (SKETCH_WORKING | 1)
#define CMS_WORKING_TABLE64 (SKETCH_WORKING | 2)

#define CMS_VERSION 1
#define CMS_HEADER 24
#define CMS_EXCEPTION_BYTES 12

/* Of working values: hashes wait behind the header; a log or cells follow. See working.c. */
#define CMS_WORKING_HEADER 28
#define CMS_WAITING_MAX 12
#define CMS_WORKING_BODY (CMS_WORKING_HEADER + CMS_WAITING_MAX * 8)

typedef struct CmsEntry {
    uint64_t hash, count;
} CmsEntry;

static inline size_t
cms_cells(CmsShape shape)
{
    return (size_t)shape.width * shape.depth;
}

/*
 * More items than this become a table. In a list so many items take 10 bytes each, 8 of the hash
 * and mostly 2 of the count: as much as a table of cells of one byte.
 */
static inline uint32_t
cms_list_limit(CmsShape shape)
{
    size_t limit = cms_cells(shape) / 10;

    return limit < 10 ? 10 : (uint32_t)limit;
}

/* The cell of an item in row i: the highest 32 bits of h + i * g, brought to the width. */
typedef struct CmsHash {
    uint64_t at, step;
} CmsHash;

static inline CmsHash
cms_hash(uint64_t hash)
{
    return (CmsHash){hash, ((hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15)) | 1};
}

/* The column of the item in the next row, the first at the first call. */
static inline size_t
cms_next_column(CmsHash *hash, uint32_t width)
{
    size_t column = (size_t)((hash->at >> 32) * width >> 32);

    hash->at += hash->step;
    return column;
}

/* Fields of working values. */
static inline CmsShape
cms_working_shape(const uint8_t *data)
{
    uint32_t width;
    uint16_t depth;

    /* Copied: the header of a stored value may lie anywhere in a tuple. */
    memcpy(&width, data + 4, sizeof width);
    memcpy(&depth, data + 8, sizeof depth);
    return (CmsShape){width, depth, data[10]};
}

static inline uint64_t *
cms_total_at(const uint8_t *data)
{
    return (uint64_t *)(data + 12);
}

/* The number of hashes that wait, and how many there is room for. */
static inline uint32_t *
cms_waiting_count_at(const uint8_t *data)
{
    return (uint32_t *)(data + 20);
}

static inline uint32_t
cms_waiting_room(size_t size)
{
    return size >= CMS_WORKING_BODY ? CMS_WAITING_MAX : (uint32_t)(size - CMS_WORKING_HEADER) / 8;
}

static inline uint64_t *
cms_waiting(const uint8_t *data)
{
    return (uint64_t *)(data + CMS_WORKING_HEADER);
}

/* Of a list: the bytes of its log in use, and how many there is room for. */
static inline uint32_t *
cms_log_used_at(const uint8_t *data)
{
    return (uint32_t *)(data + 24);
}

static inline size_t
cms_log_room(size_t size)
{
    return size >= CMS_WORKING_BODY ? size - CMS_WORKING_BODY : 0;
}

static inline uint8_t *
cms_log(const uint8_t *data)
{
    return (uint8_t *)data + CMS_WORKING_BODY;
}

static inline uint32_t *
cms_cells32(const uint8_t *data)
{
    return (uint32_t *)(data + CMS_WORKING_BODY);
}

static inline uint64_t *
cms_cells64(const uint8_t *data)
{
    return (uint64_t *)(data + CMS_WORKING_BODY);
}

/* A number of 1, 2, 4 or 8 bytes. */
static inline uint64_t
cms_load(const uint8_t *at, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return *at;
    case 2:
        return load_le16(at);
    case 4:
        return load_le32(at);
    default:
        return load_le64(at);
    }
}

/* What stands in a cell that is among the exceptions. */
static inline uint64_t
cms_marker(unsigned bytes)
{
    return bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

static inline bool
cms_same_shape(CmsShape a, CmsShape b)
{
    return a.width == b.width && a.depth == b.depth && a.hash == b.hash;
}

/* Two shapes that differ. */
static inline bool
cms_refuse_shape(CmsShape wanted, CmsShape found, SketchError *error)
{
    if (wanted.hash != found.hash)
        return sketch_refuse(error, SKETCH_MISMATCH,
                             wanted.hash == SKETCH_HASH_REDIS
                                 ? "One counts with the hash of Redis, the other with XXH3"
                                 : "One counts with XXH3, the other with the hash of Redis");
    if (wanted.width != found.width)
        return sketch_refuse_range(error, SKETCH_MISMATCH, "Their widths differ", found.width,
                                   wanted.width, wanted.width);
    return sketch_refuse_range(error, SKETCH_MISMATCH, "Their depths differ", found.depth,
                               wanted.depth, wanted.depth);
}

/* ---- packed.c ---- */

extern SketchBytes cms_pack(SketchBytes value, const SketchMemory *memory);

/*
 * Whether a packed value from outside has the bytes that its header promises, and keeps the rules.
 */
extern bool cms_check_list(SketchBytes input, CmsShape shape, uint32_t count, uint64_t total,
                           SketchError *error);
extern bool cms_check_table(SketchBytes input, CmsShape shape, uint32_t count, uint64_t total,
                            const SketchMemory *memory, SketchError *error);

/* ---- read.c ---- */

/* A cell of any table, packed or working; exceptions are looked up. */
extern uint64_t cms_cell(SketchBytes table, CmsShape shape, size_t cell);

/* All cells of a table in order, CMS_BLOCK at a time. */
#define CMS_BLOCK 1024

typedef struct CmsCells {
    SketchBytes table;
    CmsShape shape;
    size_t at;
    uint32_t exception;
} CmsCells;

extern CmsCells cms_cells_of(SketchBytes table);

/* The number of cells in the block; 0 at the end. */
extern size_t cms_next_cells(CmsCells *c, uint64_t block[CMS_BLOCK]);

/* Whether a value is as long as its header says; storage may have damaged it. */
extern bool cms_packed_is_sound(SketchBytes value);
extern bool cms_working_is_sound(SketchBytes value);
extern bool cms_is_sound(SketchBytes value);
extern size_t cms_table_bytes(CmsShape shape, uint8_t encoding);

/* ---- log.c ---- */

/* A record of a log: a count, in groups of 7 bits, and a hash of 8 bytes. */
#define CMS_RECORD_BYTES_MIN 9

static inline size_t
cms_record_bytes(uint64_t count)
{
    return varint_bytes(count) + 8;
}

static inline uint8_t *
cms_write_record(uint8_t *to, uint64_t hash, uint64_t count)
{
    to = write_varint(to, count);
    memcpy(to, &hash, sizeof hash);
    return to + sizeof hash;
}

/* The items of a list in ascending order of their hashes, each once, in scratch memory. */
typedef struct CmsItems {
    CmsEntry *entries;
    uint32_t count;
    uint64_t sum; /* of their counts */
} CmsItems;

/* Of a working list, with what waits; false where its log cannot be read. */
extern bool cms_read_items(const uint8_t *data, CmsItems *items, const SketchMemory *memory);

/* Whether the log of a list can be read, and adds up to the total with what waits. */
extern bool cms_log_is_sound(const uint8_t *data, const SketchMemory *memory);

/* ---- working.c ---- */

/* A state that is being changed; `original` is what the caller gave, which is not released. */
typedef struct CmsWriter {
    SketchState state;
    const uint8_t *original;
    const SketchMemory *memory;
    size_t steps; /* since the last poll */
} CmsWriter;

extern SketchState cms_new_table(uint8_t encoding, CmsShape shape, uint64_t total,
                                 const SketchMemory *memory);

/* An empty list with room for `bytes` in its log. */
extern SketchState cms_new_list(CmsShape shape, size_t bytes, const SketchMemory *memory);
extern void cms_replace(CmsWriter *w, SketchState fresh);

/* 32-bit cells become 64-bit cells. */
extern void cms_make_wide(CmsWriter *w);

/* Counts all items in a table. The total stays. */
extern void cms_add_items(CmsWriter *w, const CmsItems *items);

/* A table of items with counts that add up to the total. */
extern SketchState cms_table_of(CmsShape shape, uint64_t total, const CmsItems *items,
                                const SketchMemory *memory);

/* The hashes that wait go on to the log or the cells. */
extern void cms_empty_waiting(CmsWriter *w);

/* Counts an item in a table. The total stays. */
extern void cms_add_to_table(CmsWriter *w, uint64_t hash, uint64_t count);

/* The same with one cell in each row, chosen by the caller. */
extern void cms_add_to_cells(CmsWriter *w, const size_t *cells, uint64_t count);

/* Counts an item in any state. The total stays. */
extern void cms_add_item(CmsWriter *w, uint64_t hash, uint64_t count);
extern bool cms_check_total(SketchState state, uint64_t more, SketchError *error);

/* ---- merge.c ---- */

extern SketchState cms_open(SketchBytes value, const SketchMemory *memory);

#endif
