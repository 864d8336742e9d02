/*
 * view.c - a HyperLogLog value opened for reading, whatever its encoding.
 *
 * The only reader: packing, merging, comparing and every query start from a view. A view is
 * sorted tokens without repetitions, or registers.
 *
 * Up to some thousand tokens the estimate is their number, and nothing has to be computed. Let N
 * tokens together be hit by a share S of all hashes; S <= N / 2^27 whatever their ranks are. The
 * zero that estimate.c looks for is N (1 + S / 2 + ...). So up to 8,192 tokens it is above N by at
 * most N^2 / 2^28 = .25, and rounds to N.
 */
#include "hll_internal.h"

static void
set_encoding(HllView *view, uint8_t encoding)
{
    view->encoding = encoding;
    view->dense = hll_is_dense(encoding);
    view->index_bits = hll_index_bits(encoding, view->precision);
    view->history = hll_encoding_history(encoding);
}

HllView
hll_view_of(SketchHash hash, unsigned precision, uint8_t encoding)
{
    HllView view;

    view.hash = hash;
    view.precision = precision;
    view.limit = 0;
    view.count = 0;
    view.tokens = NULL;
    view.registers = NULL;
    view.scratch = NULL;
    set_encoding(&view, encoding);
    return view; /* `few` is left as it is */
}

uint8_t *
hll_view_registers(const HllView *view, unsigned precision, const SketchMemory *memory)
{
    const size_t size = (size_t)1 << precision;
    uint8_t *registers = memory->scratch(size, memory->context);
    HllRegisters to = {registers, precision, view->hash};

    if (view->dense && precision == view->precision)
        return memcpy(registers, view->registers, size);
    memset(registers, hll_register_empty(hll_history(view->hash)), size);
    if (view->dense)
        hll_fold_registers(view->registers, view->precision, to);
    else
        hll_fold_tokens(view->tokens, view->count, view->index_bits, to);
    return registers;
}

void
hll_view_limit(HllView *view, const SketchMemory *memory)
{
    uint8_t *registers;

    if (view->count <= hll_sparse_limit(view->precision, view->limit))
        return;
    registers = hll_view_registers(view, view->precision, memory);
    hll_view_end(view, memory);
    set_encoding(view, hll_dense_encoding(view->hash));
    view->limit = 0;
    view->count = 0;
    view->scratch = registers;
    view->registers = registers;
}

static uint32_t *
new_tokens(HllView *view, uint32_t count, const SketchMemory *memory)
{
    if (count <= HLL_VIEW_INLINE_TOKENS)
        return view->few;
    view->scratch = memory->scratch(count * sizeof64(uint32_t), memory->context);
    return view->scratch;
}

static bool
view_packed(HllView *view, const HllHeader *h, SketchBytes value, const SketchMemory *memory)
{
    SketchBytes body = {value.data + HLL_PACKED_HEADER, value.size - HLL_PACKED_HEADER};
    uint32_t *tokens;

    if (h->dense) {
        uint8_t *registers = memory->scratch((size_t)1 << h->precision, memory->context);

        view->scratch = registers;
        view->registers = registers;
        return hll_dense_read(registers, h->precision, h->hash, h->base, body);
    }
    tokens = new_tokens(view, h->count, memory);
    view->tokens = tokens;
    view->count = h->count;
    return hll_sparse_read(tokens, h->count, view, body);
}

/* Sorts tokens in a copy; reads registers where they are. */
static void
view_working(HllView *view, const HllState *s, const SketchMemory *memory)
{
    uint32_t *tokens;

    if (view->dense) {
        view->registers = (const uint8_t *)s->tokens;
        return;
    }
    tokens = new_tokens(view, s->listed + s->buffered, memory);
    hll_state_copy_tokens(s, tokens);
    view->count = hll_tokens_sort(tokens, s->listed + s->buffered, view->history, memory);
    view->tokens = tokens;
    hll_view_limit(view, memory);
}

/* Returns true if a working value was made by this release, and has the room of its encoding. */
static bool
is_state(const HllHeader *h, SketchBytes value)
{
    const HllState *s = state_at(value.data);
    size_t body =
        h->dense ? (size_t)1 << h->precision : (HLL_BUFFER + (size_t)s->listed) * sizeof(uint32_t);

    return s->header.version == STATE_VERSION && value.size >= state_size(sizeof *s + body);
}

bool
hll_view(HllView *view, SketchBytes value, const SketchMemory *memory)
{
    HllHeader h = {.precision = 0};

    if (value.size >= HLL_PACKED_HEADER)
        h = hll_header(value);
    if (h.precision < HLL_PRECISION_MIN || h.precision > hll_origin(h.hash)->precision_max ||
        !hll_has_encoding(h.hash, h.encoding) || !hll_has_limit(&h))
        return false;
    *view = hll_view_of(h.hash, h.precision, h.encoding);
    view->limit = h.limit;
    if (h.working) {
        if (!is_state(&h, value))
            return false;
        view_working(view, state_at(value.data), memory);
        return true;
    }
    if (view_packed(view, &h, value, memory))
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

#define TOKENS_ARE_ITEMS 8192

double
hll_view_estimate(const HllView *view)
{
    HllCells cells = {.index_bits = view->index_bits,
                      .history = view->history,
                      .rank_max = hll_rank_max(view->hash, view->index_bits)};

    if (view->history == HLL_EVERY_RANK && view->count <= TOKENS_ARE_ITEMS)
        return view->count;
    if (view->dense)
        hll_dense_cells(view->registers, view->precision, view->hash, &cells);
    else
        hll_tokens_cells(view->tokens, view->count, &cells);
    return hll_estimate(&cells);
}

uint8_t *
hll_registers(SketchBytes value, const SketchMemory *memory)
{
    uint8_t *registers;
    HllView view;

    if (!hll_view(&view, value, memory))
        return NULL;
    registers = hll_view_registers(&view, view.precision, memory);
    hll_view_end(&view, memory);
    return registers;
}
