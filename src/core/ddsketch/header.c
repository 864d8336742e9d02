/*
 * header.c - the packed header: what precedes the blocks.
 */
#include <math.h>

#include "core/common/varint.h"
#include "ddsketch_internal.h"

/*
 * Beside the mapping: which extremes are known. An extreme follows unless the outer bucket is that
 * of zeros, which says it, or the maximum is the minimum.
 */
enum { MIN_KNOWN = 16, MAX_KNOWN = 32, MAX_IS_MIN = 64, MAPPING_BITS = 15 };

static double
read_double(ByteReader *r)
{
    const uint8_t *p = read_span(r, sizeof(double));

    return p ? load_le_double(p) : NAN;
}

/* Whether zeros are the lowest, or the highest, of all values. */
static bool
zeros_outside(const DdHeader *header, unsigned store)
{
    return header->zeros > 0 && header->stores[store].span == 0;
}

/* The one form in which extremes are written: *written of them, in `numbers`. */
static unsigned
extremes_form(const DdHeader *header, double *numbers, unsigned *written)
{
    const DdsketchExtremes e = header->extremes;
    unsigned known = 0;

    *written = 0;
    if (header->total > 0 && isfinite(e.min)) {
        known |= MIN_KNOWN;
        if (!zeros_outside(header, 0))
            numbers[(*written)++] = e.min;
    }
    if (header->total > 0 && isfinite(e.max)) {
        known |= MAX_KNOWN;
        if (zeros_outside(header, 1))
            return known;
        if (*written == 1 && e.max == e.min)
            return known | MAX_IS_MIN;
        numbers[(*written)++] = e.max;
    }
    return known;
}

static bool
read_extremes(ByteReader *r, unsigned known, DdHeader *header)
{
    DdsketchExtremes *e = &header->extremes;
    double numbers[2];
    unsigned written;

    *e = header->total > 0 ? ddsketch_unknown : ddsketch_no_values;
    if (known & ~(MIN_KNOWN | MAX_KNOWN | MAX_IS_MIN) ||
        (known != 0 && header->grid.mapping != DDSKETCH_EXPONENTIAL))
        return false;
    if (known & MIN_KNOWN)
        e->min = zeros_outside(header, 0) ? 0 : read_double(r);
    if (known & MAX_KNOWN)
        e->max = known & MAX_IS_MIN ? e->min : zeros_outside(header, 1) ? 0 : read_double(r);
    return extremes_form(header, numbers, &written) == known &&
           (header->total == 0 || e->min <= e->max);
}

static bool
read_grid(ByteReader *r, DdsketchGrid *grid, unsigned mapping)
{
    *grid = (DdsketchGrid){.mapping = (DdsketchMapping)mapping, .scale = (int8_t)read_u8(r)};
    if (mapping == DDSKETCH_EXPONENTIAL)
        return grid->scale >= DDSKETCH_SCALE_MIN && grid->scale <= DDSKETCH_SCALE_MAX;
    if (mapping > DDSKETCH_CUBIC || bytes_left(r) < 2 * sizeof(double) || grid->scale != 0)
        return false;
    grid->gamma = load_le_double(read_span(r, sizeof(double)));
    grid->offset = load_le_double(read_span(r, sizeof(double)));
    return grid->gamma > 1 && grid->gamma < 1e300 && isfinite(grid->offset) &&
           !(grid->offset == 0 && signbit(grid->offset));
}

static bool
read_store(ByteReader *r, DdStore *store)
{
    uint64_t span = read_varint(r);
    int64_t first;

    *store = (DdStore){0, 0};
    if (span == 0)
        return true;
    first = unzigzag(read_varint(r));
    if (first < DD_BLOCK_MIN || first > DD_BLOCK_MAX || span > (uint64_t)(DD_BLOCK_MAX - first) + 1)
        return false;
    *store = (DdStore){(int32_t)first, (uint32_t)span};
    return true;
}

bool
dd_header_read(SketchBytes value, DdHeader *header)
{
    ByteReader r;

    if (value.size < DDSKETCH_HEADER_MIN ||
        !requested_take(&value, DDSKETCH_PACKED, DDSKETCH_HEADER_MIN, &header->requested))
        return false;
    r = byte_reader(value.data, value.size);
    read_span(&r, SKETCH_COMMON_BYTES);
    if (!read_grid(&r, &header->grid, sketch_hash(value.data) & MAPPING_BITS))
        return false;
    header->total = read_varint(&r);
    header->zeros = read_varint(&r);
    if (header->total > DDSKETCH_TOTAL_MAX || header->zeros > header->total ||
        !read_store(&r, &header->stores[0]) || !read_store(&r, &header->stores[1]) ||
        !read_extremes(&r, sketch_hash(value.data) & ~MAPPING_BITS, header))
        return false;
    header->bytes = (size_t)(r.at - value.data);
    header->blocks = (SketchBytes){r.at, bytes_left(&r)};
    return !r.failed;
}

uint8_t *
dd_header_write(uint8_t *to, const DdHeader *header)
{
    double numbers[2];
    unsigned written, known = extremes_form(header, numbers, &written);

    *to++ = SKETCH_DDSKETCH;
    *to++ = DDSKETCH_VERSION;
    *to++ = DDSKETCH_PACKED;
    *to++ = (uint8_t)(header->grid.mapping | known);
    *to++ = (uint8_t)(int8_t)header->grid.scale;
    if (header->grid.mapping != DDSKETCH_EXPONENTIAL) {
        store_le_double(to, header->grid.gamma);
        store_le_double(to + sizeof(double), header->grid.offset);
        to += 2 * sizeof(double);
    }
    to = write_varint(to, header->total);
    to = write_varint(to, header->zeros);
    for (unsigned i = 0; i < 2; i++) {
        to = write_varint(to, header->stores[i].span);
        if (header->stores[i].span > 0)
            to = write_varint(to, zigzag(header->stores[i].first));
    }
    for (unsigned i = 0; i < written; i++, to += sizeof(double))
        store_le_double(to, numbers[i]);
    return to;
}
