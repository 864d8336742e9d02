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
#include "core/common/bytes.h"
#include "hll_internal.h"

static void
set_encoding(HllView *view, uint8_t encoding)
{
    view->encoding = encoding;
    view->dense = hll_is_dense(encoding);
    view->index_bits = hll_index_bits(encoding, view->precision);
    view->history = hll_encoding_history(encoding);
}

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
        return hll_dense_read(registers, h->precision, h->hash, h->base, body);
    } else {
        uint32_t *tokens = view_tokens(view, h->count, memory);

        view->tokens = tokens;
        view->count = h->count;
        return hll_sparse_read(tokens, h->count, view, body);
    }
}

/* Working values are not validated, but a packed value damaged in storage may look like one. */
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
void
hll_view_as_dense(HllView *view, const SketchMemory *memory)
{
    size_t size = (size_t)1 << view->precision;
    uint8_t *registers = memory->scratch(size, memory->context);

    memset(registers, hll_register_empty(hll_history(view->hash)), size);
    hll_fold_tokens(view->tokens, view->count, view->index_bits, registers, view->precision,
                    view->hash);
    hll_view_end(view, memory);
    set_encoding(view, hll_dense_encoding(view->hash));
    view->count = 0;
    view->scratch = registers;
    view->registers = registers;
}

/* Whether indexes and ranks are in range, as in packed tokens: storage may have damaged them. */
static bool
tokens_are_sound(const uint32_t *tokens, uint32_t count, const HllView *view)
{
    const unsigned rank_max = hll_rank_max(view->hash, view->index_bits);
    bool sound = true;

    for (uint32_t i = 0; i < count; i++)
        sound &= (tokens[i] & 63) - 1 < rank_max && tokens[i] >> 6 >> view->index_bits == 0;
    return sound;
}

/* The same of registers: no history is shifted out of 64 bits. */
static bool
registers_are_sound(const uint8_t *registers, const HllView *view)
{
    uint8_t highest = 0;

    for (size_t i = 0; i < (size_t)1 << view->precision; i++)
        highest = registers[i] > highest ? registers[i] : highest;
    return (unsigned)highest >> view->history <= hll_rank_max(view->hash, view->precision);
}

/* Tokens are sorted in a copy, registers are read where they lie. */
static bool
view_working(HllView *view, const HllHeader *h, SketchBytes value, const SketchMemory *memory)
{
    const uint8_t *body = value.data + HLL_WORKING_HEADER;
    uint32_t *tokens;

    if (h->dense) {
        view->registers = body;
        return registers_are_sound(body, view);
    }
    tokens = view_tokens(view, h->count, memory);
    hll_working_copy_tokens(value.data, tokens);
    if (!tokens_are_sound(tokens, h->count, view))
        return false;
    view->count = hll_tokens_sort(tokens, h->count, view->history, memory);
    view->tokens = tokens;
    if (view->count > hll_sparse_limit(h->precision))
        hll_view_as_dense(view, memory);
    return true;
}

bool
hll_view(HllView *view, SketchBytes value, const SketchMemory *memory)
{
    HllHeader h = {.precision = 0};

    if (value.size >= HLL_PACKED_HEADER)
        h = hll_header(value);
    if (h.precision < HLL_PRECISION_MIN || h.precision > hll_origin(h.hash)->precision_max ||
        !hll_has_encoding(h.hash, h.encoding))
        return false;
    view->hash = h.hash;
    view->precision = h.precision;
    set_encoding(view, h.encoding);
    view->count = 0;
    view->tokens = NULL;
    view->registers = NULL;
    view->scratch = NULL;
    if (h.working ? fits_working(&h, value) && view_working(view, &h, value, memory)
                  : view_packed(view, &h,
                                (SketchBytes){value.data + HLL_PACKED_HEADER,
                                              value.size - HLL_PACKED_HEADER},
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
        hll_dense_cells(view->registers, view->precision, view->hash, cells);
    else {
        *cells = (HllCells){.index_bits = view->index_bits,
                            .history = view->history,
                            .rank_max = hll_rank_max(view->hash, view->index_bits)};
        hll_tokens_cells(view->tokens, view->count, cells);
    }
}

#define TOKENS_ARE_ITEMS 8192

double
hll_view_estimate(const HllView *view)
{
    HllCells cells;

    if (view->history == HLL_EVERY_RANK && view->count <= TOKENS_ARE_ITEMS)
        return view->count;
    hll_view_cells(view, &cells);
    return hll_estimate(&cells);
}
