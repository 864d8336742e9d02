/*
 * view.c - a HyperLogLog value opened for reading, whatever its encoding.
 *
 * The one reader: packing, merging, comparing and every question start from a view. A view is
 * sorted tokens without repetitions, or registers.
 */
#include "core/common/bytes.h"
#include "hll_internal.h"

static uint32_t *
view_tokens(HllView *view, uint32_t count, const SketchMemory *memory)
{
    if (count <= HLL_VIEW_FEW)
        return view->few;
    view->scratch = memory->scratch(count * sizeof(uint32_t), memory->context);
    return view->scratch;
}

static bool
view_packed(HllView *view, const HllHeader *h, SketchBytes body, const SketchMemory *memory)
{
    if (h->dense) {
        uint8_t *registers = memory->scratch((size_t)1 << h->precision, memory->context);

        view->scratch = registers;
        view->registers = registers;
        return hll_dense_read(registers, h->precision, h->base, body);
    } else {
        uint32_t *tokens = view_tokens(view, h->count, memory);

        view->tokens = tokens;
        view->count = h->count;
        return hll_sparse_read(tokens, h->count, view->token_bits, body);
    }
}

/* Working values are not validated, but a packed one that storage damaged may look like one. */
static bool
fits_working(const HllHeader *h, SketchBytes value)
{
    size_t body = value.size - HLL_WORKING_HEADER;

    if (h->dense)
        return body == (size_t)1 << h->precision;
    return value.data[6] <= HLL_STAGE && body >= HLL_STAGE * sizeof(uint32_t) &&
           h->count - value.data[6] <= body / sizeof(uint32_t) - HLL_STAGE;
}

/* Working tokens are sorted aside; more of them than a sparse sketch may hold become registers. */
static void
view_working(HllView *view, const HllHeader *h, SketchBytes value, const SketchMemory *memory)
{
    const uint8_t *body = value.data + HLL_WORKING_HEADER;
    uint32_t *tokens;

    if (h->dense) {
        view->registers = body;
        return;
    }
    tokens = view_tokens(view, h->count, memory);
    hll_working_copy_tokens(value.data, tokens);
    view->count = hll_tokens_sort(tokens, h->count, memory);
    view->tokens = tokens;
    if (view->count > hll_sparse_limit(h->precision)) {
        uint8_t *registers = memory->scratch((size_t)1 << h->precision, memory->context);

        memset(registers, 0, (size_t)1 << h->precision);
        for (uint32_t i = 0; i < view->count; i++)
            hll_raise(registers, tokens[i], view->token_bits, h->precision);
        hll_view_end(view, memory);
        view->dense = true;
        view->count = 0;
        view->scratch = registers;
        view->registers = registers;
    }
}

bool
hll_view(HllView *view, SketchBytes value, const SketchMemory *memory)
{
    HllHeader h = {.precision = 0};

    if (value.size >= HLL_PACKED_HEADER)
        h = hll_header(value);
    view->hash = h.hash;
    view->precision = h.precision;
    view->token_bits = hll_token_bits(h.hash, h.precision);
    view->dense = h.dense;
    view->count = 0;
    view->tokens = NULL;
    view->registers = NULL;
    view->scratch = NULL;
    if (h.precision < HLL_PRECISION_MIN || h.precision > HLL_PRECISION_MAX)
        return false;
    if (h.working) {
        if (!fits_working(&h, value))
            return false;
        view_working(view, &h, value, memory);
        return true;
    }
    if (view_packed(view, &h,
                    (SketchBytes){value.data + HLL_PACKED_HEADER, value.size - HLL_PACKED_HEADER},
                    memory))
        return true;
    hll_view_end(view, memory);
    return false;
}

void
hll_view_end(HllView *view, const SketchMemory *memory)
{
    if (view->scratch)
        memory->release(view->scratch, memory->context);
    view->scratch = NULL;
}

void
hll_view_histogram(const HllView *view, HllHistogram *histogram)
{
    if (view->dense) {
        hll_dense_histogram(view->registers, view->precision, histogram);
        return;
    }
    memset(histogram, 0, sizeof *histogram);
    histogram->index_bits = view->token_bits;
    histogram->count[0] = (UINT32_C(1) << view->token_bits) - view->count;
    for (uint32_t i = 0; i < view->count; i++)
        histogram->count[view->tokens[i] & 63]++;
}
