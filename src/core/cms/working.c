/*
 * working.c - Count-Min sketches that change: their layout, and adding to them.
 *
 * Working values, in host byte order, with the header of packed ones up to byte 19:
 *
 *     20..23   hashes that wait
 *     24..27   of a list: bytes of its log in use
 *     28..123  up to 12 hashes that wait, each to be counted once
 *     124..    list (0x80): the log, records of a count and a hash, see log.c
 *              tables: cells of 4 bytes (0x81) or 8 (0x82), row by row
 *
 * An input row appends 8 bytes beside the header and touches nothing else: with 10,000 groups in
 * 80 MB it is the memory that takes the time. When there is no room left, what waits goes on, to
 * the cells of a table, which overlaps their cache misses, or to the log of a list. When the log is
 * full the list is settled: the records of one item become one. Then it grows if too little is
 * free, or becomes a table if it has too many items; packing does the same. Cells of 4 bytes become
 * cells of 8 when a count passes 2^32 - 1.
 *
 * A list of up to 4 rows takes 64 bytes with the length word, of up to 12 takes 128. Of 1,000 rows,
 * 700 of them distinct, a list takes 8 kB, and a row costs about 25 ns more than its cache miss.
 */
#include "core/common/polled.h"
#include "cms_internal.h"

static SketchState
new_working(uint8_t encoding, CmsShape shape, size_t size, const SketchMemory *memory)
{
    SketchState state = {memory->value(size, memory->context), size};
    uint16_t depth = (uint16_t)shape.depth;

    memset(state.data, 0, size < CMS_WORKING_BODY ? size : CMS_WORKING_BODY);
    state.data[0] = SKETCH_CMS;
    state.data[1] = CMS_VERSION;
    state.data[2] = encoding;
    memcpy(state.data + 4, &shape.width, sizeof shape.width);
    memcpy(state.data + 8, &depth, sizeof depth);
    state.data[10] = (uint8_t)shape.hash;
    return state;
}

SketchState
cms_new_table(uint8_t encoding, CmsShape shape, uint64_t total, const SketchMemory *memory)
{
    SketchState state = new_working(encoding, shape, cms_table_bytes(shape, encoding), memory);

    polled_zero(state.data + CMS_WORKING_BODY, state.size - CMS_WORKING_BODY, memory);
    *cms_total_at(state.data) = total;
    return state;
}

#define LIST_SIZE_MIN 64 /* with the length word */

SketchState
cms_new_list(CmsShape shape, size_t bytes, const SketchMemory *memory)
{
    size_t size = SKETCH_PREFIX_BYTES + CMS_WORKING_BODY;

    while (size < SKETCH_PREFIX_BYTES + CMS_WORKING_BODY + bytes)
        size *= 2;
    return new_working(CMS_WORKING_LIST, shape, size - SKETCH_PREFIX_BYTES, memory);
}

SketchState
cms_new(CmsShape shape, const SketchMemory *memory)
{
    if (shape.hash == SKETCH_HASH_REDIS)
        return cms_new_table(CMS_WORKING_TABLE32, shape, 0, memory);
    return new_working(CMS_WORKING_LIST, shape, LIST_SIZE_MIN - SKETCH_PREFIX_BYTES, memory);
}

void
cms_replace(CmsWriter *w, SketchState fresh)
{
    if (w->state.data != w->original)
        w->memory->release_value(w->state.data, w->memory->context);
    w->state = fresh;
}

/* ---- tables ---- */

void
cms_make_wide(CmsWriter *w)
{
    CmsShape shape = cms_working_shape(w->state.data);
    CmsCells cells = cms_cells_of(sketch_bytes(w->state));
    size_t count;
    SketchState wide =
        cms_new_table(CMS_WORKING_TABLE64, shape, *cms_total_at(w->state.data), w->memory);

    while ((count = cms_next_cells(&cells, cms_cells64(wide.data) + cells.at)) > 0)
        sketch_poll(w->memory, &w->steps, count);
    cms_replace(w, wide);
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

/* The depths of probabilities of 10, 5, 1 and .1 %, of which 1 % is the default. */
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
cms_add_to_table(CmsWriter *w, uint64_t hash, uint64_t count)
{
    CmsShape shape = cms_working_shape(w->state.data);

    if (w->state.data[2] == CMS_WORKING_TABLE32) {
        if (count <= UINT32_MAX && update32(cms_cells32(w->state.data), shape, hash, count))
            return;
        cms_make_wide(w);
    }
    update64(cms_cells64(w->state.data), shape, hash, count);
}

void
cms_add_to_cells(CmsWriter *w, const size_t *cells, uint64_t count)
{
    uint32_t depth = cms_working_shape(w->state.data).depth;
    SketchBytes table = sketch_bytes(w->state);
    uint64_t least = UINT64_MAX;

    for (uint32_t row = 0; row < depth; row++) {
        uint64_t cell = cms_cell(table, cms_shape(table), cells[row]);

        least = cell < least ? cell : least;
    }
    least += count;
    if (least > UINT32_MAX && w->state.data[2] == CMS_WORKING_TABLE32)
        cms_make_wide(w);
    for (uint32_t row = 0; row < depth; row++)
        if (w->state.data[2] == CMS_WORKING_TABLE64) {
            uint64_t *cell = &cms_cells64(w->state.data)[cells[row]];

            *cell = *cell < least ? least : *cell;
        } else {
            uint32_t *cell = &cms_cells32(w->state.data)[cells[row]];

            *cell = *cell < least ? (uint32_t)least : *cell;
        }
}

/* How many bits a count has. */
static inline unsigned
magnitude(uint64_t count)
{
    return 64 - (unsigned)__builtin_clzll(count);
}

/*
 * Items with counts of more bits come first. What comes while most cells are empty is exact, and
 * frequent items matter most.
 */
void
cms_add_items(CmsWriter *w, const CmsItems *items)
{
    uint32_t depth = cms_working_shape(w->state.data).depth;
    uint64_t magnitudes = 0;

    for (uint32_t i = 0; i < items->count; i++)
        magnitudes |= UINT64_C(1) << magnitude(items->entries[i].count);
    for (; magnitudes != 0; magnitudes &= ~(UINT64_C(1) << (magnitude(magnitudes) - 1)))
        for (uint32_t i = 0; i < items->count; i++) {
            const CmsEntry *entry = &items->entries[i];

            sketch_poll(w->memory, &w->steps, 1);
            if (magnitude(entry->count) != magnitude(magnitudes) - 1)
                continue;
            cms_add_to_table(w, entry->hash, entry->count);
            sketch_poll(w->memory, &w->steps, depth);
        }
}

SketchState
cms_table_of(CmsShape shape, uint64_t total, const CmsItems *items, const SketchMemory *memory)
{
    CmsWriter table = {.memory = memory};

    table.state = cms_new_table(CMS_WORKING_TABLE32, shape, total, memory);
    cms_add_items(&table, items);
    return table.state;
}

/* ---- lists ---- */

/* Appends a record to a log, which must have room for it. */
static inline void
append_record(uint8_t *data, uint64_t hash, uint64_t count)
{
    uint8_t *to = cms_log(data) + *cms_log_used_at(data);

    *cms_log_used_at(data) += (uint32_t)(cms_write_record(to, hash, count) - to);
}

static inline size_t
log_left(SketchState state)
{
    return cms_log_room(state.size) - *cms_log_used_at(state.data);
}

/*
 * The sizes of logs that grow. The steps are large because groups may grow in step: no other group
 * has a use for the memory that a group leaves behind then. Memory above 8 kB is given back by the
 * allocator.
 */
static size_t
grown_log(SketchState state, size_t bytes)
{
    size_t size = state.size + SKETCH_PREFIX_BYTES;
    size_t grown = (size < 8192 ? 4 * size : 2 * size) - SKETCH_PREFIX_BYTES - CMS_WORKING_BODY;
    size_t needed = bytes + bytes / 2;

    return grown > needed ? grown : needed;
}

/*
 * How much of a settled log has to be free, so that settling is seldom. Groups of few rows stay in
 * the memory they have; what has seen many rows will see more.
 */
static size_t
wanted_free(size_t room, uint64_t total)
{
    return total > 4 * room ? room / 2 : room / 8;
}

/*
 * All records of an item become one, nothing waits any more, and `more` bytes fit into the log. The
 * list grows if too little of the log is free then, and becomes a table if it has too many items.
 */
static void
settle(CmsWriter *w, size_t more)
{
    uint8_t *data = w->state.data;
    CmsShape shape = cms_working_shape(data);
    CmsItems items = {.entries = NULL};
    size_t bytes = more;

    /* It fails for damaged values only, which are not opened; such a list becomes empty. */
    (void)cms_read_items(data, &items, w->memory);
    for (uint32_t i = 0; i < items.count; i++)
        bytes += cms_record_bytes(items.entries[i].count);
    if (items.count > cms_list_limit(shape)) {
        cms_replace(w, cms_table_of(shape, *cms_total_at(data), &items, w->memory));
    } else {
        SketchState state = w->state;
        size_t room = cms_log_room(state.size);

        if (bytes + wanted_free(room, *cms_total_at(data)) > room) {
            state = cms_new_list(shape, grown_log(state, bytes), w->memory);
            *cms_total_at(state.data) = *cms_total_at(data);
        }
        *cms_log_used_at(state.data) = *cms_waiting_count_at(state.data) = 0;
        for (uint32_t i = 0; i < items.count; i++)
            append_record(state.data, items.entries[i].hash, items.entries[i].count);
        if (state.data != data)
            cms_replace(w, state);
    }
    if (items.entries)
        w->memory->release(items.entries, w->memory->context);
}

/* ---- adding ---- */

void
cms_empty_waiting(CmsWriter *w)
{
    uint32_t count = *cms_waiting_count_at(w->state.data);
    uint64_t hashes[CMS_WAITING_MAX];

    if (w->state.data[2] == CMS_WORKING_LIST && log_left(w->state) < count * CMS_RECORD_BYTES_MIN) {
        settle(w, 0);
        return;
    }
    memcpy(hashes, cms_waiting(w->state.data), count * sizeof *hashes);
    *cms_waiting_count_at(w->state.data) = 0;
    if (w->state.data[2] == CMS_WORKING_LIST)
        for (uint32_t i = 0; i < count; i++)
            append_record(w->state.data, hashes[i], 1);
    else
        for (uint32_t i = 0; i < count; i++)
            cms_add_to_table(w, hashes[i], 1);
}

static bool
can_wait(SketchState state)
{
    return *cms_waiting_count_at(state.data) < cms_waiting_room(state.size);
}

static inline void
wait_for(uint8_t *data, uint64_t hash)
{
    cms_waiting(data)[(*cms_waiting_count_at(data))++] = hash;
}

/* Makes room for one more hash that waits: the smallest list grows; else what waits goes on. */
static void
make_waiting_room(CmsWriter *w)
{
    SketchState larger;

    if (w->state.size >= CMS_WORKING_BODY) {
        cms_empty_waiting(w);
        return;
    }
    larger = cms_new_list(cms_working_shape(w->state.data), 0, w->memory);
    memcpy(larger.data, w->state.data, w->state.size);
    cms_replace(w, larger);
}

/* An item waits if others do; merging adds many, which go to the cells at once. */
void
cms_add_item(CmsWriter *w, uint64_t hash, uint64_t count)
{
    bool waits = *cms_waiting_count_at(w->state.data) > 0;

    sketch_poll(w->memory, &w->steps, 1 + cms_working_shape(w->state.data).depth);
    if (w->state.data[2] != CMS_WORKING_LIST && (count > 1 || !waits)) {
        /* What came before is counted before. */
        if (waits)
            cms_empty_waiting(w);
        cms_add_to_table(w, hash, count);
        return;
    }
    if (count == 1) {
        if (!can_wait(w->state))
            make_waiting_room(w);
        wait_for(w->state.data, hash);
        return;
    }
    if (log_left(w->state) < cms_record_bytes(count))
        settle(w, cms_record_bytes(count));
    if (w->state.data[2] == CMS_WORKING_LIST)
        append_record(w->state.data, hash, count);
    else
        cms_add_to_table(w, hash, count);
}

bool
cms_add(SketchState state, uint64_t hash)
{
    uint64_t *total = cms_total_at(state.data);

    if (*total >= INT64_MAX || !can_wait(state))
        return false;
    wait_for(state.data, hash);
    ++*total;
    return true;
}

bool
cms_check_total(SketchState state, uint64_t more, SketchError *error)
{
    uint64_t room = INT64_MAX - *cms_total_at(state.data);

    if (more <= room)
        return true;
    return sketch_refuse(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1");
}

bool
cms_insert(SketchState *state, uint64_t hash, uint64_t count, const SketchMemory *memory,
           SketchError *error)
{
    CmsWriter w = {*state, state->data, memory, 0};

    if (state->data[10] != SKETCH_HASH_XXH3)
        return sketch_refuse(error, SKETCH_MISMATCH, "It counts with the hash of Redis");
    if (!cms_check_total(*state, count, error))
        return false;
    cms_add_item(&w, hash, count);
    *cms_total_at(w.state.data) += count;
    *state = w.state;
    return true;
}
