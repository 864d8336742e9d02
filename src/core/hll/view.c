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
        return hll_dense_read(registers, h->precision, view->history, h->base, body);
    } else {
        uint32_t *tokens = view_tokens(view, h->count, memory);

        view->tokens = tokens;
        view->count = h->count;
        return hll_sparse_read(tokens, h->count, view->token_bits, view->history, body);
    }
}

/* Working values are not validated, but a packed one that storage damaged may look like one. */
static bool
fits_working(const HllHeader *h, SketchBytes value)
{
    size_t body = value.size - HLL_WORKING_HEADER;

    if (h->dense)
        return body == (size_t)1 << h->precision;
    return value.data[6] <= HLL_BUFFER && body >= HLL_BUFFER * sizeof(uint32_t) &&
           h->count - value.data[6] <= body / sizeof(uint32_t) - HLL_BUFFER;
}

/* Makes registers of tokens that are more than a sparse sketch may hold. */
static void
view_as_dense(HllView *view, const SketchMemory *memory)
{
    size_t size = (size_t)1 << view->precision;
    unsigned history = hll_history(view->hash);
    uint8_t *registers = memory->scratch(size, memory->context);

    memset(registers, hll_register_empty(history), size);
    hll_fold_tokens(view->tokens, view->count, view->token_bits, registers, view->precision,
                    history);
    hll_view_end(view, memory);
    view->dense = true;
    view->history = history;
    view->count = 0;
    view->scratch = registers;
    view->registers = registers;
}

/* The tokens of a working value are sorted aside. */
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
    view->count = hll_tokens_sort(tokens, h->count, view->history, memory);
    view->tokens = tokens;
    if (view->count > hll_sparse_limit(h->precision))
        view_as_dense(view, memory);
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
    view->history = h.dense ? hll_history(h.hash) : hll_token_history(h.hash);
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
hll_view_cells(const HllView *view, HllCells *cells)
{
    if (view->dense)
        hll_dense_cells(view->registers, view->precision, view->history, cells);
    else {
        *cells = (HllCells){.index_bits = view->token_bits, .history = view->history};
        hll_tokens_cells(view->tokens, view->count, cells);
    }
}
