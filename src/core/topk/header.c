/*
 * header.c - the fields of sketches of topk, packed or working. Their bytes: topk.c.
 */
#include "working.h"

enum { K = 4, TOTAL = 8, ERROR_BOUND = 16, COUNTERS = 24 };

TopkHeader
topk_read_header(const uint8_t *data)
{
    return (TopkHeader){.k = load_le32(data + K),
                        .type = sketch_hash(data),
                        .total = load_le64(data + TOTAL),
                        .error_bound = load_le64(data + ERROR_BOUND),
                        .counters = load_le32(data + COUNTERS)};
}

void
topk_write_header(uint8_t *data, const TopkHeader *header)
{
    sketch_write_common(data, SKETCH_TOPK, TOPK_VERSION, TOPK_PACKED, (uint8_t)header->type);
    store_le32(data + K, header->k);
    store_le64(data + TOTAL, header->total);
    store_le64(data + ERROR_BOUND, header->error_bound);
    store_le32(data + COUNTERS, header->counters);
}

TopkHeader
topk_header(SketchBytes value)
{
    const TopkState *s;
    TopkHeader header;

    if (!sketch_is_working(value.data))
        return topk_read_header(value.data);
    s = topk_state(value.data);
    header = (TopkHeader){.k = s->k, .type = topk_type(s), .total = s->total};
    if (topk_has_index(s)) {
        header.counters = s->counters;
        header.error_bound = topk_indexed(s)->error_bound;
    }
    return header;
}

uint32_t
topk_k_of(SketchBytes value)
{
    return topk_header(value).k;
}
