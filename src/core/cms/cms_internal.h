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

static inline size_t
cms_cells(CmsShape shape)
{
    return (size_t)shape.width * shape.depth;
}

/*
 * More items than this become a table. In a list that long items take 10 bytes each, 8 of the hash
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

/* ---- header.c: packed values ---- */

#define CMS_HEADER 24
#define CMS_EXCEPTION_BYTES 12

/* Contents of a packed value. */
typedef struct CmsPacked {
    CmsShape shape;
    uint8_t encoding;
    unsigned bytes; /* of a count or a cell: 1, 2, 4 or 8 */
    uint32_t count; /* of the items of a list, or of the exceptions of a table */
    uint64_t total;
    const uint8_t *body; /* hashes of 8 bytes, or cells */
    const uint8_t *rest; /* the counts of the hashes, or the exceptions */
} CmsPacked;

/* Reads the fields of a value with a header; `body` and `rest` are not set. */
extern CmsPacked cms_read_header(const uint8_t *data);

/* Reads a value; false if its fields and its length do not agree: storage may have damaged it. */
extern bool cms_read_packed(SketchBytes value, CmsPacked *packed);

/* A fresh value with the fields of `packed`, whose `body` and `rest` become its own. */
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

/* Mark of a cell with an exception: all bits set. */
static inline uint64_t
cms_marker(unsigned bytes)
{
    return bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

typedef struct CmsEntry {
    uint64_t hash, count;
} CmsEntry;

/* Item i of a list. */
static inline CmsEntry
cms_packed_entry(const CmsPacked *list, size_t i)
{
    return (CmsEntry){load_le64(list->body + i * sizeof(uint64_t)),
                      cms_load(list->rest + i * list->bytes, list->bytes)};
}

/* A cell of a table whose count does not fit it. */
typedef struct CmsException {
    uint32_t cell;
    uint64_t count;
} CmsException;

extern CmsException cms_packed_exception(const CmsPacked *table, size_t i);

/* Two shapes that have to be the same; false with *error if they differ. */
extern bool cms_check_shape(CmsShape wanted, CmsShape found, SketchError *error);

/* ---- packed.c ---- */

extern SketchBytes cms_pack(SketchBytes value, const SketchMemory *memory);

/* Returns true if a value from outside whose fields are in their ranges keeps all other rules. */
extern bool cms_check_list(SketchBytes input, SketchError *error);
extern bool cms_check_table(SketchBytes input, const SketchMemory *memory, SketchError *error);

/* ---- working.c: states ---- */

#define CMS_WAITING_MAX 12

typedef struct CmsState {
    StateHeader header; /* `hash` is that of the shape */
    uint32_t width, depth;
    uint64_t total;
    uint32_t waiting;   /* hashes that wait */
    uint32_t log_bytes; /* of a list: bytes of its log in use */
    uint64_t hash[];    /* that wait; the smallest list has room for fewer */
} CmsState;

/* Where the log of a list begins, or the cells of a table, of 4 bytes or of 8. */
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

/* A state of `bytes` bytes; an empty table; a list with space for `bytes` in its log. */
extern SketchState cms_new_state(uint8_t encoding, CmsShape shape, size_t bytes,
                                 const SketchMemory *memory);
extern SketchState cms_new_table(uint8_t encoding, CmsShape shape, uint64_t total,
                                 const SketchMemory *memory);
extern SketchState cms_new_list(CmsShape shape, size_t bytes, const SketchMemory *memory);

/* 32-bit cells become 64-bit cells. */
extern void cms_widen(StateWriter *w);

/* Moves pending hashes to the log or the cells. */
extern void cms_add_waiting(StateWriter *w);

/* Counts an item in a table. The total stays. */
extern void cms_add_to_table(StateWriter *w, uint64_t hash, uint64_t count);

/* Counts an item in one cell of each row, chosen by the caller. The total stays. */
extern void cms_add_to_cells(StateWriter *w, const size_t *cells, uint64_t count);

/* Counts an item in any state. The total stays. */
extern void cms_add_item(StateWriter *w, uint64_t hash, uint64_t count);
extern bool cms_check_total(const CmsState *state, uint64_t more, SketchError *error);

/* ---- list.c ---- */

/* A record of a log: a count, in groups of 7 bits, and a hash of 8 bytes. */
#define CMS_RECORD_BYTES_MIN 9

static inline size_t
cms_record_bytes(uint64_t count)
{
    return varint_bytes(count) + sizeof(uint64_t);
}

/* The bytes of a list's log that are free. */
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

/* The items of a list in ascending order of their hashes, each once, in scratch memory. */
typedef struct CmsItems {
    CmsEntry *entries;
    uint32_t count;
} CmsItems;

extern CmsItems cms_read_items(const CmsState *list, const SketchMemory *memory);

/* All records of an item become one and nothing waits; then there is room for `more` bytes. */
extern void cms_compact(StateWriter *w, size_t more);

/* Counts items in a table. The total stays. */
extern void cms_add_items(StateWriter *w, const CmsItems *items);

/* A table of items with counts that add up to the total. */
extern SketchState cms_table_of(CmsShape shape, uint64_t total, const CmsItems *items,
                                const SketchMemory *memory);

/* ---- merge.c ---- */

extern SketchState cms_open(SketchBytes value, const SketchMemory *memory);

/* ---- query.c ---- */

/* The cells of any table, packed or working, in which nothing waits. */
typedef struct CmsCells {
    CmsShape shape;
    uint8_t encoding;
    const void *cells; /* of a state */
    CmsPacked packed;
    size_t at;          /* the next one */
    uint32_t exception; /* the next one */
} CmsCells;

extern CmsCells cms_cells_of(SketchBytes table);

/* One cell, counted row by row; exceptions are looked up. */
extern uint64_t cms_cell(const CmsCells *c, size_t cell);

/* All cells in order, CMS_BLOCK at a time: returns how many are in the block, 0 at the end. */
#define CMS_BLOCK 1024
extern size_t cms_next_cells(CmsCells *c, uint64_t block[CMS_BLOCK]);

#endif
