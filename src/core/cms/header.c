/*
 * header.c - shapes of Count-Min sketches, and the fields of packed values. Their bytes: cms.c.
 */
#include <math.h>

#include "cms_internal.h"

enum { WIDTH = 4, DEPTH = 8, BYTES = 10, TOTAL = 12, COUNT = 20 };

/* ---- shapes ---- */

bool
cms_shape_of_size(int64_t width, int64_t depth, CmsShape *shape, SketchError *refused)
{
    if (depth < 1 || depth > CMS_DEPTH_MAX)
        return sketch_refuse_range(refused, SKETCH_OUT_OF_RANGE, "depth", depth, 1, CMS_DEPTH_MAX);
    if (width < 1 || width > CMS_CELLS_MAX / depth)
        return sketch_refuse_range(refused, SKETCH_OUT_OF_RANGE, "width", width, 1,
                                   CMS_CELLS_MAX / depth);
    *shape = (CmsShape){(uint32_t)width, (uint32_t)depth, SKETCH_HASH_XXH3};
    return true;
}

bool
cms_shape_of_error(double error, double probability, CmsShape *shape, SketchError *refused)
{
    double width = ceil(2 / error);
    int64_t depth;
    int exponent;

    /* 2^-depth is the largest power of two up to `probability`. A logarithm's last bit varies. */
    frexp(probability, &exponent);
    depth = 1 - exponent;
    if (!(width <= CMS_CELLS_MAX))
        width = CMS_CELLS_MAX + 1.0;
    return cms_shape_of_size((int64_t)width, depth, shape, refused);
}

bool
cms_check_shape(CmsShape wanted, CmsShape found, SketchError *error)
{
    if (wanted.hash != found.hash)
        return sketch_refuse(error, SKETCH_MISMATCH,
                             wanted.hash == SKETCH_HASH_REDIS
                                 ? "One counts with the hash of Redis, the other with XXH3"
                                 : "One counts with XXH3, the other with the hash of Redis");
    if (wanted.width != found.width)
        return sketch_refuse_range(error, SKETCH_MISMATCH, "Their widths differ", found.width,
                                   wanted.width, wanted.width);
    if (wanted.depth != found.depth)
        return sketch_refuse_range(error, SKETCH_MISMATCH, "Their depths differ", found.depth,
                                   wanted.depth, wanted.depth);
    return true;
}

/* ---- packed values ---- */

static inline void
read_fields(const uint8_t *data, CmsPacked *packed)
{
    packed->encoding = sketch_encoding(data);
    packed->bytes = load_le16(data + BYTES);
    packed->shape.width = load_le32(data + WIDTH);
    packed->shape.depth = load_le16(data + DEPTH);
    packed->shape.hash = (SketchHash)sketch_hash(data);
    packed->total = load_le64(data + TOTAL);
    packed->count = load_le32(data + COUNT);
}

CmsPacked
cms_read_header(const uint8_t *data)
{
    CmsPacked header = {.body = NULL};

    read_fields(data, &header);
    return header;
}

/* Return the bytes of the hashes or cells, and those of the counts or exceptions. */
static inline uint64_t
body_bytes(const CmsPacked *packed)
{
    return packed->encoding == CMS_LIST ? packed->count * sizeof64(uint64_t)
                                        : cms_cells(packed->shape) * packed->bytes;
}

static inline uint64_t
rest_bytes(const CmsPacked *packed)
{
    return packed->count *
           (packed->encoding == CMS_LIST ? (uint64_t)packed->bytes : CMS_EXCEPTION_BYTES);
}

bool
cms_read_packed(SketchBytes value, CmsPacked *packed)
{
    uint64_t cells, bytes;

    if (value.size < CMS_HEADER)
        return false;
    read_fields(value.data, packed);
    cells = cms_cells(packed->shape);
    if (packed->encoding > CMS_TABLE || !cms_bytes_are_valid(packed->bytes) ||
        packed->shape.hash > SKETCH_HASH_REDIS || packed->shape.depth > CMS_DEPTH_MAX ||
        cells == 0 || cells > CMS_CELLS_MAX ||
        (packed->encoding == CMS_LIST && packed->shape.hash == SKETCH_HASH_REDIS))
        return false;
    bytes = body_bytes(packed);
    if (value.size != CMS_HEADER + bytes + rest_bytes(packed))
        return false;
    packed->body = value.data + CMS_HEADER;
    packed->rest = packed->body + bytes;
    return true;
}

SketchBytes
cms_new_packed(CmsPacked *packed, const SketchMemory *memory)
{
    uint64_t body = body_bytes(packed), size = CMS_HEADER + body + rest_bytes(packed);
    uint8_t *data = memory->value(size, memory->context);

    sketch_write_common(data, SKETCH_CMS, CMS_VERSION, packed->encoding,
                        (uint8_t)packed->shape.hash);
    store_le32(data + WIDTH, packed->shape.width);
    store_le16(data + DEPTH, (uint16_t)packed->shape.depth);
    store_le16(data + BYTES, (uint16_t)packed->bytes);
    store_le64(data + TOTAL, packed->total);
    store_le32(data + COUNT, packed->count);
    packed->body = data + CMS_HEADER;
    packed->rest = packed->body + body;
    return (SketchBytes){data, size};
}

CmsException
cms_packed_exception(const CmsPacked *table, size_t i)
{
    const uint8_t *at = table->rest + i * CMS_EXCEPTION_BYTES;

    return (CmsException){load_le32(at), load_le64(at + 4)};
}

/* ---- any value ---- */

CmsShape
cms_shape(SketchBytes value)
{
    return sketch_is_working(value.data) ? cms_state_shape(cms_state(value.data))
                                         : cms_read_header(value.data).shape;
}

uint64_t
cms_total(SketchBytes value)
{
    return sketch_is_working(value.data) ? cms_state(value.data)->total
                                         : cms_read_header(value.data).total;
}

bool
cms_is_exact(SketchBytes value)
{
    return cms_read_header(value.data).encoding == CMS_LIST;
}
