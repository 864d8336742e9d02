/*
 * working.c - states of Count-Min sketches: their layout, and adding to them.
 *
 * CmsState holds the fields of the packed header, up to 12 hashes that wait, each to be counted
 * once, and then
 *
 *     a list (0x80)            the log, records of a count and a hash, see list.c
 *     a table (0x81 or 0x82)   cells of 4 bytes or 8, row by row
 *
 * An input row appends 8 bytes to what waits and touches nothing else: with 10,000 groups in 80 MB
 * it is the memory that takes the time. When there is no room left, what waits goes on, to the
 * cells of a table, which overlaps their cache misses, or to the log of a list. When the log is
 * full the list is compacted. Cells of 4 bytes become cells of 8 when a count passes 2^32 - 1.
 *
 * A list of up to 4 rows takes 64 bytes, of up to 12 takes 128. Of 1,000 rows, 700 of them
 * distinct, a list takes 8 kB, and a row costs about 25 ns more than its cache miss.
 */
#include "core/common/polled.h"
#include "cms_internal.h"

#define LIST_BYTES_MIN 64

static SketchState
new_state(uint8_t encoding, CmsShape shape, size_t bytes, const SketchMemory *memory)
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
    SketchState state = new_state(encoding, shape, CMS_STATE_BODY + cells, memory);

    polled_zero(cms_state_body(cms_state(state.data)), cells, memory);
    cms_state(state.data)->total = total;
    return state;
}

SketchState
cms_new_list(CmsShape shape, size_t bytes, const SketchMemory *memory)
{
    return new_state(CMS_WORKING_LIST, shape, state_chunk(CMS_STATE_BODY, CMS_STATE_BODY + bytes),
                     memory);
}

SketchState
cms_new(CmsShape shape, const SketchMemory *memory)
{
    if (shape.hash == SKETCH_HASH_REDIS)
        return cms_new_table(CMS_WORKING_TABLE32, shape, 0, memory);
    return new_state(CMS_WORKING_LIST, shape, LIST_BYTES_MIN, memory);
}

static inline bool
is_list(SketchState state)
{
    return cms_state(state.data)->header.encoding == CMS_WORKING_LIST;
}

static inline bool
is_wide(SketchState state)
{
    return cms_state(state.data)->header.encoding == CMS_WORKING_TABLE64;
}

/* ---- tables ---- */

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

/* clang unrolls such loops by itself, and its older versions warn of the pragma. */
#ifdef __clang__
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 10")
#endif

/*
 * Conservative update of 32-bit cells; false where one would overflow. Where the depth is known the
 * loops are unrolled, so that the places of the cells stay in registers (0.8 of the time).
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

/* The depths of probabilities of 10, 5, 1 and .1%, of which 1% is the default. */
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

/* ---- what waits ---- */

void
cms_add_waiting(StateWriter *w)
{
    CmsState *s = cms_state(w->state.data);
    uint32_t count = s->waiting;
    uint64_t hashes[CMS_WAITING_MAX];

    if (is_list(w->state) && cms_log_left(w->state) < count * CMS_RECORD_BYTES_MIN) {
        cms_compact(w, 0);
        return;
    }
    /* The state may be replaced by one with wide cells meanwhile. */
    memcpy(hashes, s->hash, count * sizeof *hashes);
    s->waiting = 0;
    if (is_list(w->state))
        for (uint32_t i = 0; i < count; i++)
            cms_append_record(s, hashes[i], 1);
    else
        for (uint32_t i = 0; i < count; i++)
            cms_add_to_table(w, hashes[i], 1);
}

static inline bool
can_wait(SketchState state)
{
    uint32_t most =
        state.size >= state_size(CMS_STATE_BODY)
            ? CMS_WAITING_MAX
            : (uint32_t)((state.size - state_size(sizeof(CmsState))) / sizeof(uint64_t));

    return cms_state(state.data)->waiting < most;
}

/* Makes room for one more hash that waits: the smallest list grows; else what waits goes on. */
static void
make_waiting_room(StateWriter *w)
{
    SketchState larger;

    if (w->state.size >= state_size(CMS_STATE_BODY)) {
        cms_add_waiting(w);
        return;
    }
    larger = cms_new_list(cms_state_shape(cms_state(w->state.data)), 0, w->memory);
    memcpy(larger.data, w->state.data, w->state.size);
    state_replace(w, larger);
}

/* ---- adding ---- */

/* An item waits if others do; merging adds many, which go to the cells at once. */
void
cms_add_item(StateWriter *w, uint64_t hash, uint64_t count)
{
    CmsState *s = cms_state(w->state.data);
    bool waits = s->waiting > 0;

    state_poll(w, 1 + s->depth);
    if (!is_list(w->state) && (count > 1 || !waits)) {
        /* Earlier items are counted first. */
        if (waits)
            cms_add_waiting(w);
        cms_add_to_table(w, hash, count);
        return;
    }
    if (count == 1) {
        if (!can_wait(w->state))
            make_waiting_room(w);
        s = cms_state(w->state.data);
        s->hash[s->waiting++] = hash;
        return;
    }
    if (cms_log_left(w->state) < cms_record_bytes(count))
        cms_compact(w, cms_record_bytes(count));
    if (is_list(w->state))
        cms_append_record(cms_state(w->state.data), hash, count);
    else
        cms_add_to_table(w, hash, count);
}

bool
cms_add(SketchState state, uint64_t hash)
{
    CmsState *s = cms_state(state.data);

    if (s->total >= INT64_MAX || !can_wait(state))
        return false;
    s->hash[s->waiting++] = hash;
    s->total++;
    return true;
}

bool
cms_check_total(const CmsState *state, uint64_t more, SketchError *error)
{
    return more <= INT64_MAX - state->total ||
           sketch_refuse(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1");
}

bool
cms_insert(SketchState *state, uint64_t hash, uint64_t count, const SketchMemory *memory,
           SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    const CmsState *s = cms_state(state->data);

    if (s->header.hash != SKETCH_HASH_XXH3)
        return sketch_refuse(error, SKETCH_MISMATCH, "It counts with the hash of Redis");
    if (!cms_check_total(s, count, error))
        return false;
    cms_add_item(&w, hash, count);
    cms_state(w.state.data)->total += count;
    *state = w.state;
    return true;
}
