/*
 * header.c - the fields of sketches of topk, packed or working. Their bytes: topk.c.
 */
#include "working.h"

TopkHeader
topk_read_header(const uint8_t *data)
{
    return (TopkHeader){.k = load_le32(data + 4),
                        .type = data[3],
                        .total = load_le64(data + 8),
                        .error_bound = load_le64(data + 16),
                        .counters = load_le32(data + 24)};
}

void
topk_write_header(uint8_t *data, const TopkHeader *header)
{
    data[0] = SKETCH_TOPK;
    data[1] = TOPK_VERSION;
    data[2] = TOPK_PACKED;
    data[3] = (uint8_t)header->type;
    store_le32(data + 4, header->k);
    store_le64(data + 8, header->total);
    store_le64(data + 16, header->error_bound);
    store_le32(data + 24, header->counters);
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
