/*
 * redis.c - Count-Min sketches of Redis: import, counting with Redis's hash, export.
 *
 * The value of a CMS key is a table of 32-bit cells, row by row. An item is a string of bytes, and
 * its column in row i is MurmurHash2(item, seed i) mod width. That cannot be derived from a 64-bit
 * hash, so a value that came from Redis keeps that hash, is always a table, and takes items as
 * bytes. Updates are conservative here, too; Redis's own raise more cells. Both keep the bound.
 *
 * The DUMP payload has the module's id with an encoding version; width, depth and total; in version
 * 1 the bytes of a cell; and the cells. In Redis a full cell stays at 2^32 - 1 and loses further
 * counts, so a table with such a cell is refused.
 */
#include "cms_internal.h"

#include "core/common/hash.h"
#include "core/common/polled.h"
#include "core/common/redis_dump.h"

#define MODULE_ID UINT64_C(0x08c4a4f9360f1000) /* the low 10 bits are the encoding version: */
#define VERSION_MAX 2 /* 1 has the bytes of a cell, 2 the seed of the hash as well */

/* ---- items ---- */

static void
cells_of(CmsShape shape, SketchBytes item, size_t *cells, const SketchMemory *memory)
{
    for (uint32_t row = 0; row < shape.depth; row++)
        cells[row] =
            murmur32(item.data, item.size, row, memory) % shape.width + (size_t)row * shape.width;
}

bool
cms_insert_bytes(SketchState *state, SketchBytes item, uint64_t count, const SketchMemory *memory,
                 SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    const CmsState *s = cms_state(state->data);
    size_t cells[CMS_DEPTH_MAX];

    if (!cms_check_total(s, count, error))
        return false;
    cells_of(cms_state_shape(s), item, cells, memory);
    cms_add_to_cells(&w, cells, count);
    cms_state(w.state.data)->total += count;
    *state = w.state;
    return true;
}

uint64_t
cms_query_bytes(SketchBytes value, SketchBytes item, const SketchMemory *memory)
{
    size_t cells[CMS_DEPTH_MAX];
    uint64_t least = UINT64_MAX;
    CmsCells table = cms_cells_of(value);

    if (table.shape.depth == 0 || cms_is_exact(value))
        return 0;
    cells_of(table.shape, item, cells, memory);
    for (uint32_t row = 0; row < table.shape.depth; row++) {
        uint64_t cell = cms_cell(&table, cells[row]);

        least = cell < least ? cell : least;
    }
    return least;
}

/* ---- payloads ---- */

static bool
read_cells(SketchBytes table, CmsShape shape, unsigned bytes, uint64_t total,
           const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    uint64_t full = bytes == 8 ? INT64_MAX : cms_marker(bytes), left = 0;
    size_t row_end = 0;
    SketchState state = cms_new_table(CMS_WORKING_TABLE64, shape, total, memory);
    uint64_t *cells = cms_state_body(cms_state(state.data));
    bool good = true;

    POLLED_FOR (i, 0, cms_cells(shape), 1, memory) {
        uint64_t cell = cms_load(table.data + i * bytes, bytes);

        if (i == row_end) {
            row_end += shape.width;
            left = total;
        }
        if (cell >= full)
            good = sketch_refuse(error, SKETCH_OVERFLOW, "A cell is full and its counts are lost");
        else if (cell > left)
            good = sketch_refuse(error, SKETCH_MALFORMED, "A row adds up to more than the total");
        if (!good)
            break;
        cells[i] = cell;
        left -= cell;
    }
    if (good)
        *value = cms_pack(sketch_bytes(state), memory);
    memory->release_value(state.data, memory->context);
    return good;
}

bool
cms_from_redis(SketchBytes payload, const SketchMemory *memory, SketchBytes *value,
               SketchError *error)
{
    int64_t width, depth, total, bytes = 4, seed = 0;
    unsigned version;
    SketchBytes table;
    ByteReader fields;
    CmsShape shape;
    bool good;

    if (!redis_dump_versions(payload, MODULE_ID, VERSION_MAX, &version, &fields, memory, error))
        return false;
    width = redis_dump_signed(&fields);
    depth = redis_dump_signed(&fields);
    total = redis_dump_signed(&fields);
    if (version >= 1)
        bytes = redis_dump_signed(&fields);
    if (fields.failed)
        return sketch_refuse(error, SKETCH_MALFORMED, "A field is truncated or corrupt");
    if (!cms_shape_of_size(width, depth, &shape, error)) {
        error->status = SKETCH_MALFORMED;
        return false;
    }
    if (total < 0)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "total", total, 0, INT64_MAX);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return sketch_refuse(error, SKETCH_MALFORMED, "Bytes of a cell are not 1, 2, 4 or 8");
    if (!redis_dump_string_field(&fields, memory, &table))
        return sketch_refuse(error, SKETCH_MALFORMED, "The cells are truncated or corrupt");
    shape.hash = SKETCH_HASH_REDIS;
    if (version >= 2)
        seed = redis_dump_signed(&fields);
    if (!fields.failed && seed != 0)
        good = sketch_refuse(error, SKETCH_MALFORMED,
                             "It was made with a seed of its own; only the seed 0 is known");
    else if (!redis_dump_end(&fields))
        good = sketch_refuse(error, SKETCH_MALFORMED, "Extra bytes in the DUMP payload");
    else if (table.size != cms_cells(shape) * (uint64_t)bytes)
        good =
            sketch_refuse(error, SKETCH_MALFORMED, "The number of cells does not match the shape");
    else
        good = read_cells(table, shape, (unsigned)bytes, (uint64_t)total, memory, value, error);
    memory->release((void *)table.data, memory->context);
    return good;
}

/* ---- payloads written ---- */

/*
 * The RDB version in a payload. A server restores any version up to its own; this is that of Redis
 * 4.0, the first with values of modules. Servers compress the strings that they write unless
 * `rdbcompression no` is set, but also restore plain ones (tried with Redis 7.0).
 */
#define RDB_VERSION 8
#define HEAD_MAX 64
#define TAIL 11 /* end, version, checksum */

static uint8_t *
write_be(uint8_t *at, uint64_t number, unsigned bytes)
{
    while (bytes-- > 0)
        *at++ = (uint8_t)(number >> 8 * bytes);
    return at;
}

static uint8_t *
write_length(uint8_t *at, uint64_t length)
{
    if (length < 64)
        return write_be(at, length, 1);
    if (length < 16384)
        return write_be(at, length | 0x4000, 2);
    if (length <= UINT32_MAX)
        return write_be(write_be(at, 0x80, 1), length, 4);
    return write_be(write_be(at, 0x81, 1), length, 8);
}

/* Writes a field: its kind, then the number (2) or the length of the string (5). */
static uint8_t *
write_field(uint8_t *at, uint8_t kind, uint64_t number)
{
    *at++ = kind;
    return write_length(at, number);
}

bool
cms_to_redis(SketchBytes value, const SketchMemory *memory, SketchBytes *payload,
             SketchError *error)
{
    CmsShape shape = cms_shape(value);
    uint64_t block[CMS_BLOCK], most = 0;
    size_t count, steps = 0, cells = 4 * cms_cells(shape);
    uint8_t head[HEAD_MAX], *end, *start, *to;
    CmsCells reader;

    if (shape.hash != SKETCH_HASH_REDIS)
        return sketch_refuse(error, SKETCH_MISMATCH,
                             "It counts with XXH3, Redis with a hash of its own");
    reader = cms_cells_of(value);
    if (reader.shape.width == 0)
        return sketch_refuse_damaged(error);
    head[0] = 7; /* the value of a module */
    end = write_be(write_be(head + 1, 0x81, 1), MODULE_ID, 8);
    end = write_field(end, 2, shape.width);
    end = write_field(end, 2, shape.depth);
    end = write_field(end, 2, cms_total(value));
    end = write_field(end, 5, cells);
    payload->size = (size_t)(end - head) + cells + TAIL;
    payload->data = start = memory->value(payload->size, memory->context);
    memcpy(start, head, (size_t)(end - head));
    to = start + (end - head);
    while ((count = cms_next_cells(&reader, block)) > 0) {
        for (size_t i = 0; i < count; i++, to += 4) {
            most = block[i] > most ? block[i] : most;
            store_le32(to, (uint32_t)block[i]);
        }
        sketch_poll(memory, &steps, count);
    }
    if (most >= UINT32_MAX) {
        memory->release_value(start, memory->context);
        return sketch_refuse(error, SKETCH_OVERFLOW,
                             "A count exceeds the 32 bits of Redis's cells");
    }
    *to = 0;
    store_le16(to + 1, RDB_VERSION);
    store_le64(to + 3, redis_crc64(start, payload->size - 8, memory));
    return true;
}
