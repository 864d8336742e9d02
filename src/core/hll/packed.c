/*
 * packed.c - HyperLogLog values as they are stored: packing.
 */
#include <math.h>

#include "hll_internal.h"

/* To the nearest integer; saturated registers, which only crafted values have, stop at 2^63-1. */
uint64_t
hll_round_estimate(double estimate)
{
    return estimate < 0x1p63 ? (uint64_t)llround(estimate) : INT64_MAX;
}

/* A packed value with its header; *body is where `size` bytes have to be written. */
static SketchBytes
new_packed(const HllView *view, unsigned base, double estimate, size_t size, uint8_t **body,
           const SketchMemory *memory)
{
    HllHeader h = {.encoding = view->encoding,
                   .dense = view->dense,
                   .hash = view->hash,
                   .precision = view->precision,
                   .limit = view->limit,
                   .base = base,
                   .count = view->count,
                   .estimate = hll_round_estimate(estimate)};
    uint8_t *data = memory->value(HLL_PACKED_HEADER + size, memory->context);

    *body = hll_write_header(data, &h);
    return (SketchBytes){data, HLL_PACKED_HEADER + size};
}

static SketchBytes
pack_tokens(const HllView *view, const SketchMemory *memory)
{
    size_t size = hll_sparse_size(view->tokens, view->count, view->index_bits);
    uint8_t *body;
    SketchBytes packed = new_packed(view, 0, hll_view_estimate(view), size, &body, memory);

    hll_sparse_write(view->tokens, view->count, view->index_bits, body);
    return packed;
}

/*
 * Packs registers as tokens, one for each of the `used` that are not empty; registers with history
 * only if all are empty.
 */
static SketchBytes
pack_registers_as_tokens(const HllView *view, uint32_t used, const SketchMemory *memory)
{
    uint32_t *tokens = memory->scratch((used + 1) * sizeof64(uint32_t), memory->context);
    HllView sparse =
        hll_view_of(view->hash, view->precision,
                    used > 0 ? (uint8_t)HLL_PLAIN_SPARSE : hll_first_encoding(view->hash));
    SketchBytes packed;

    for (uint32_t i = 0; sparse.count < used; i++)
        if (view->registers[i] > 0)
            tokens[sparse.count++] = i << 6 | view->registers[i];
    sparse.tokens = tokens;
    packed = pack_tokens(&sparse, memory);
    memory->release(tokens, memory->context);
    return packed;
}

SketchBytes
hll_pack_view(const HllView *view, const SketchMemory *memory)
{
    HllDenseLayout layout;
    SketchBytes packed;
    uint8_t *body;

    if (!view->dense && (view->count > 0 || view->encoding == hll_first_encoding(view->hash)))
        return pack_tokens(view, memory);
    if (!view->dense)
        return pack_registers_as_tokens(view, 0, memory);
    hll_dense_layout(view->registers, view->precision, view->hash, &layout);
    if (layout.used == 0 ||
        (view->history == 0 && layout.used <= hll_sparse_limit(view->precision, 0)))
        return pack_registers_as_tokens(view, layout.used, memory);
    packed = new_packed(view, layout.base, hll_estimate(&layout.cells), layout.size, &body, memory);
    hll_dense_write(view->registers, view->precision, view->history, &layout, body);
    return packed;
}

SketchBytes
hll_pack(SketchBytes value, const SketchMemory *memory)
{
    HllView view;
    SketchBytes packed;

    if (!hll_view(&view, value, memory))
        return (SketchBytes){NULL, 0};
    packed = hll_pack_view(&view, memory);
    hll_view_end(&view, memory);
    return packed;
}

SketchBytes
hll_from_registers(const uint8_t *registers, SketchHash hash, unsigned precision,
                   const SketchMemory *memory)
{
    HllView view = hll_view_of(hash, precision, hll_dense_encoding(hash));

    view.registers = registers;
    return hll_pack_view(&view, memory);
}

SketchBytes
hll_from_tokens(HllView shape, uint32_t *tokens, uint32_t count, const SketchMemory *memory)
{
    SketchBytes packed;

    shape.tokens = tokens;
    shape.count = hll_tokens_sort(tokens, count, shape.history, memory);
    hll_view_limit(&shape, memory);
    packed = hll_pack_view(&shape, memory);
    hll_view_end(&shape, memory);
    return packed;
}
