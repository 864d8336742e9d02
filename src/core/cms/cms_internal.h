/*
 * cms_internal.h - what the files of cms share. Each uses those above it only.
 *
 * header.c    shapes, and the fields of packed values
 * query.c     cells of any table, estimates
 * table.c     states: their memory, the cells of tables
 * list.c      states: the log of a list, compacting it
 * working.c   states: their layout, adding to them
 * merge.c     opening for changes, merging
 * packed.c    packing, and checking what comes from outside
 * product.c   inner products
 * redis.c     values of Redis, and its payloads
 * cms.c       what it is, and what the glue calls
 */
#ifndef CMS_INTERNAL_H
#define CMS_INTERNAL_H

#include "core/common/state.h"
#include "core/common/varint.h"
#include "cms.h"

/* Encodings. */
#define CMS_LIST 0
#define CMS_TABLE 1
#define CMS_WORKING_LIST (SKETCH_WORKING | 0)
#define CMS_WORKING_TABLE32 (SKETCH_WORKING | 1)
#define CMS_WORKING_TABLE64 (SKETCH_WORKING | 2)

#define CMS_VERSION 1

/* ---- shapes and items ---- */

static inline uint64_t
cms_cells(CmsShape shape)
{
    return (uint64_t)shape.width * shape.depth;
}

/*
 * Returns how many items a list may have before it becomes a table. At that length its items take
 * 10 bytes each, 8 for the hash and mostly 2 for the count, as much as a table of one-byte cells.
 */
static inline uint32_t
cms_list_limit(CmsShape shape)
{
    uint64_t limit = cms_cells(shape) / 10;

    return limit < 10 ? 10 : (uint32_t)limit;
}

/* An item's column in row i is the upper 32 bits of at + i * step, times the width, over 2^32. */
typedef struct CmsHash {
    uint64_t at, step;
} CmsHash;

static inline CmsHash
cms_hash(uint64_t hash)
{
    return (CmsHash){hash, ((hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15)) | 1};
}

/* Returns the column of the item in the next row; the first call is for the first row. */
static inline size_t
cms_next_column(CmsHash *hash, uint32_t width)
{
    size_t column = (size_t)((hash->at >> 32) * width >> 32);

    hash->at += hash->step;
    return column;
}

/* ---- header.c: packed values ---- */

#define CMS_HEADER 24
#define CMS_EXCEPTION_BYTES 12

/* Contents of a packed value. */
typedef struct CmsPacked {
    CmsShape shape;
    uint8_t encoding;
    unsigned bytes; /* of a count or a cell: 1, 2, 4 or 8 */
    uint32_t count; /* number of items of a list, or of exceptions of a table */
    uint64_t total;
    const uint8_t *body; /* hashes of 8 bytes, or cells */
    const uint8_t *rest; /* counts of the hashes, or exceptions */
} CmsPacked;

/* Reads the header of a packed value; does not set `body` and `rest`. */
extern CmsPacked cms_read_header(const uint8_t *data);

/* Reads a value; fails if its fields and its size do not agree, as storage may have damaged it. */
extern bool cms_read_packed(SketchBytes value, CmsPacked *packed);

/* Allocates a value and writes the fields of `packed`; points `body` and `rest` into it. */
extern SketchBytes cms_new_packed(CmsPacked *packed, const SketchMemory *memory);

/* Returns true if numbers may have this many bytes: 1, 2, 4 or 8. */
static inline bool
cms_bytes_are_valid(unsigned bytes)
{
    return bytes - 1 < 8 && (bytes & (bytes - 1)) == 0;
}

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

/* Returns what a cell with an exception holds: all bits set. */
static inline uint64_t
cms_marker(unsigned bytes)
{
    return bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

typedef struct CmsEntry {
    uint64_t hash, count;
} CmsEntry;

/* Returns item i of a list. */
static inline CmsEntry
cms_packed_entry(const CmsPacked *list, size_t i)
{
    return (CmsEntry){load_le64(list->body + i * sizeof(uint64_t)),
                      cms_load(list->rest + i * list->bytes, list->bytes)};
}

/* The count of a cell that does not fit into it. */
typedef struct CmsException {
    uint32_t cell;
    uint64_t count;
} CmsException;

extern CmsException cms_packed_exception(const CmsPacked *table, size_t i);

/* Refuses shapes that differ. */
extern bool cms_check_shape(CmsShape wanted, CmsShape found, SketchError *error);

/* ---- packed.c ---- */

extern SketchBytes cms_pack(SketchBytes value, const SketchMemory *memory);

/* Check the body of a value from outside whose fields are in range. */
extern bool cms_check_list(SketchBytes input, SketchError *error);
extern bool cms_check_table(SketchBytes input, const SketchMemory *memory, SketchError *error);

/* ---- states ---- */

#define CMS_WAITING_MAX 12

typedef struct CmsState {
    StateHeader header; /* `hash` is that of the shape */
    uint32_t width, depth;
    uint64_t total;
    uint32_t waiting;   /* number of pending hashes */
    uint32_t log_bytes; /* of a list: bytes of its log in use */
    uint64_t hash[];    /* the pending hashes; the smallest list has room for only 4 */
} CmsState;

/* The offset of a list's log, or of a table's cells of 4 or 8 bytes. */
#define CMS_STATE_BODY (sizeof(CmsState) + CMS_WAITING_MAX * sizeof(uint64_t))

_Static_assert(sizeof(CmsState) == 32 && CMS_STATE_BODY == 128, "lists of 64 and of 128 bytes");

static inline CmsState *
cms_state(const uint8_t *data)
{
    return state_at(data);
}

static inline CmsShape
cms_state_shape(const CmsState *state)
{
    return (CmsShape){state->width, state->depth, state->header.hash};
}

static inline void *
cms_state_body(const CmsState *state)
{
    return (uint8_t *)state + CMS_STATE_BODY;
}

/* ---- table.c ---- */

/* Return a state of `bytes` bytes, an empty table, or a list with `bytes` of space in its log. */
extern SketchState cms_new_state(uint8_t encoding, CmsShape shape, size_t bytes,
                                 const SketchMemory *memory);
extern SketchState cms_new_table(uint8_t encoding, CmsShape shape, uint64_t total,
                                 const SketchMemory *memory);
extern SketchState cms_new_list(CmsShape shape, size_t bytes, const SketchMemory *memory);

/* Turns 32-bit cells into 64-bit cells. */
extern void cms_widen(StateWriter *w);

/* Counts an item in a table, without adding to the total. */
extern void cms_add_to_table(StateWriter *w, uint64_t hash, uint64_t count);

/* Counts an item in the given cells, one of each row, without adding to the total. */
extern void cms_add_to_cells(StateWriter *w, const size_t *cells, uint64_t count);

/* ---- list.c ---- */

/* A record of a log: a count, in groups of 7 bits, and a hash of 8 bytes. */
#define CMS_RECORD_BYTES_MIN 9

static inline size_t
cms_record_bytes(uint64_t count)
{
    return varint_bytes(count) + sizeof(uint64_t);
}

/* Returns how many bytes of a list's log are free. */
static inline size_t
cms_log_left(SketchState list)
{
    size_t size = list.size + SKETCH_PREFIX_BYTES;

    return size > CMS_STATE_BODY ? size - CMS_STATE_BODY - cms_state(list.data)->log_bytes : 0;
}

/* Appends a record to the log of a list, which must have room for it. */
static inline void
cms_append_record(CmsState *list, uint64_t hash, uint64_t count)
{
    uint8_t *log = cms_state_body(list), *to = write_varint(log + list->log_bytes, count);

    memcpy(to, &hash, sizeof hash);
    list->log_bytes = (uint32_t)(to + sizeof hash - log);
}

/* The items of a list, in scratch memory: each once, with ascending hashes. */
typedef struct CmsItems {
    CmsEntry *entries;
    uint32_t count;
} CmsItems;

extern CmsItems cms_read_items(const CmsState *list, const SketchMemory *memory);

/*
 * Makes one record of all records and pending hashes of each item, and room for `more` bytes. The
 * list becomes a table if it has too many items.
 */
extern void cms_compact(StateWriter *w, size_t more);

/* Counts items in a table, without adding to the total. */
extern void cms_add_items(StateWriter *w, const CmsItems *items);

/* Returns a table of items whose counts add up to `total`. */
extern SketchState cms_table_of(CmsShape shape, uint64_t total, const CmsItems *items,
                                const SketchMemory *memory);

/* ---- working.c ---- */

/* Moves pending hashes to the log or the cells. */
extern void cms_add_waiting(StateWriter *w);

/* Counts an item in any state, without adding to the total. */
extern void cms_add_item(StateWriter *w, uint64_t hash, uint64_t count);

/* Refuses `more` if the total would exceed 2^63 - 1. */
extern bool cms_check_total(const CmsState *state, uint64_t more, SketchError *error);

/* ---- merge.c ---- */

extern SketchState cms_open(SketchBytes value, const SketchMemory *memory);

/* ---- query.c ---- */

/* A reader of the cells of a table, packed or working, that has no pending hashes. */
typedef struct CmsCells {
    CmsShape shape;
    uint8_t encoding;
    const void *cells; /* of a state */
    CmsPacked packed;
    size_t at;          /* the next cell */
    uint32_t exception; /* the next exception */
} CmsCells;

extern CmsCells cms_cells_of(SketchBytes table);

/* Returns one cell, numbered row by row; looks up its exception. */
extern uint64_t cms_cell(const CmsCells *c, size_t cell);

/* Reads the next cells, up to CMS_BLOCK; returns how many, 0 at the end. */
#define CMS_BLOCK 1024
extern size_t cms_next_cells(CmsCells *c, uint64_t block[CMS_BLOCK]);

#endif
