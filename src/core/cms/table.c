/*
 * table.c - states of Count-Min sketches: their memory, and the cells of those that are tables.
 */
#include "core/common/polled.h"
#include "cms_internal.h"

SketchState
cms_new_state(uint8_t encoding, CmsShape shape, size_t bytes, const SketchMemory *memory)
{
    SketchState state = state_new(SKETCH_CMS, encoding, (uint8_t)shape.hash, bytes,
                                  bytes < CMS_STATE_BODY ? bytes : CMS_STATE_BODY, memory);
    CmsState *s = cms_state(state.data);

    s->width = shape.width;
    s->depth = shape.depth;
    return state;
}

SketchState
cms_new_table(uint8_t encoding, CmsShape shape, uint64_t total, const SketchMemory *memory)
{
    size_t cells = cms_cells(shape) * (encoding == CMS_WORKING_TABLE32 ? 4 : 8);
    SketchState state = cms_new_state(encoding, shape, CMS_STATE_BODY + cells, memory);

    polled_zero(cms_state_body(cms_state(state.data)), cells, memory);
    cms_state(state.data)->total = total;
    return state;
}

SketchState
cms_new_list(CmsShape shape, size_t bytes, const SketchMemory *memory)
{
    return cms_new_state(CMS_WORKING_LIST, shape,
                         state_chunk(CMS_STATE_BODY, CMS_STATE_BODY + bytes), memory);
}

static inline bool
is_wide(SketchState state)
{
    return cms_state(state.data)->header.encoding == CMS_WORKING_TABLE64;
}

void
cms_widen(StateWriter *w)
{
    const CmsState *s = cms_state(w->state.data);
    CmsCells cells = cms_cells_of(sketch_bytes(w->state));
    SketchState wide = cms_new_table(CMS_WORKING_TABLE64, cms_state_shape(s), s->total, w->memory);
    uint64_t *to = cms_state_body(cms_state(wide.data));
    size_t count;

    while ((count = cms_next_cells(&cells, to + cells.at)) > 0)
        state_poll(w, count);
    state_replace(w, wide);
}

/* clang unrolls such loops by itself, and older versions warn about the pragma. */
#ifdef __clang__
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 10")
#endif

/*
 * Updates 32-bit cells conservatively; fails if one would overflow. Where the depth is a constant
 * the loops are unrolled, so that the cells' addresses stay in registers (0.8 of the time).
 */
static inline __attribute__((always_inline)) bool
raise32(uint32_t *cells, uint32_t width, uint32_t depth, uint64_t item, uint64_t count)
{
    uint32_t *at[CMS_DEPTH_MAX], least = UINT32_MAX;
    CmsHash hash = cms_hash(item);
    uint64_t raised;

    UNROLLED
    for (uint32_t row = 0; row < depth; row++, cells += width) {
        at[row] = cells + cms_next_column(&hash, width);
        least = *at[row] < least ? *at[row] : least;
    }
    raised = least + count;
    if (raised > UINT32_MAX)
        return false;
    UNROLLED
    for (uint32_t row = 0; row < depth; row++)
        *at[row] = *at[row] < raised ? (uint32_t)raised : *at[row];
    return true;
}

/* The special cases are the depths for probabilities of 10%, 5%, 1% (the default) and .1%. */
static bool
update32(uint32_t *cells, CmsShape shape, uint64_t item, uint64_t count)
{
    switch (shape.depth) {
    case 4:
        return raise32(cells, shape.width, 4, item, count);
    case 5:
        return raise32(cells, shape.width, 5, item, count);
    case 7:
        return raise32(cells, shape.width, 7, item, count);
    case 10:
        return raise32(cells, shape.width, 10, item, count);
    default:
        return raise32(cells, shape.width, shape.depth, item, count);
    }
}

static void
update64(uint64_t *cells, CmsShape shape, uint64_t item, uint64_t count)
{
    uint64_t *at[CMS_DEPTH_MAX], least = UINT64_MAX;
    CmsHash hash = cms_hash(item);

    for (uint32_t row = 0; row < shape.depth; row++, cells += shape.width) {
        at[row] = cells + cms_next_column(&hash, shape.width);
        least = *at[row] < least ? *at[row] : least;
    }
    for (uint32_t row = 0; row < shape.depth; row++)
        *at[row] = *at[row] < least + count ? least + count : *at[row];
}

void
cms_add_to_table(StateWriter *w, uint64_t hash, uint64_t count)
{
    const CmsState *s = cms_state(w->state.data);
    CmsShape shape = cms_state_shape(s);

    if (!is_wide(w->state)) {
        if (count <= UINT32_MAX && update32(cms_state_body(s), shape, hash, count))
            return;
        cms_widen(w);
    }
    update64(cms_state_body(cms_state(w->state.data)), shape, hash, count);
}

void
cms_add_to_cells(StateWriter *w, const size_t *cells, uint64_t count)
{
    uint32_t depth = cms_state(w->state.data)->depth;
    CmsCells table = cms_cells_of(sketch_bytes(w->state));
    uint64_t least = UINT64_MAX;

    for (uint32_t row = 0; row < depth; row++) {
        uint64_t cell = cms_cell(&table, cells[row]);

        least = cell < least ? cell : least;
    }
    least += count;
    if (least > UINT32_MAX && !is_wide(w->state))
        cms_widen(w);
    for (uint32_t row = 0; row < depth; row++)
        if (is_wide(w->state)) {
            uint64_t *cell = (uint64_t *)cms_state_body(cms_state(w->state.data)) + cells[row];

            *cell = *cell < least ? least : *cell;
        } else {
            uint32_t *cell = (uint32_t *)cms_state_body(cms_state(w->state.data)) + cells[row];

            *cell = *cell < least ? (uint32_t)least : *cell;
        }
}
