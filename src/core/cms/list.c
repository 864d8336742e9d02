/*
 * list.c - working lists: the log of their records, and compacting it.
 *
 * A log holds records, each a count and a hash, in the order in which they came. An item may have
 * many; compacting merges them into one. The list then grows if too little of its log is free, or
 * becomes a table if it has too many items, as it does when it is packed.
 */
#include "cms_internal.h"

#define SORT_NAME sort_entries
#define SORT_ELEMENT CmsEntry
#define SORT_KEY(e) ((e).hash)
#define SORT_HASHES
#define SORT_SAME(kept, e) ((kept).count += (e).count)
#include "core/common/sort_digits.h"

CmsItems
cms_read_items(const CmsState *list, const SketchMemory *memory)
{
    size_t most = list->log_bytes / CMS_RECORD_BYTES_MIN + list->waiting, count = 0, steps = 0;
    CmsEntry *entries = memory->scratch(2 * most * sizeof64(*entries) + 1, memory->context);
    ByteReader log = byte_reader(cms_state_body(list), list->log_bytes);

    while (bytes_left(&log) > 0) {
        CmsEntry *entry = &entries[count++];

        entry->count = read_varint(&log);
        memcpy(&entry->hash, read_span(&log, sizeof entry->hash), sizeof entry->hash);
        sketch_poll(memory, &steps, 1);
    }
    for (uint32_t i = 0; i < list->waiting; i++)
        entries[count++] = (CmsEntry){list->hash[i], 1};
    return (CmsItems){entries, (uint32_t)sort_entries(entries, count, entries + most, memory)};
}

/* ---- items of a table ---- */

/* Returns the highest bit of a count, which in a damaged list may be 0 or above 2^63. */
static inline unsigned
magnitude(uint64_t count)
{
    return 63 - (unsigned)__builtin_clzll(count | 1);
}

/*
 * Items whose counts have more bits come first: what is added while most cells are empty is exact,
 * and frequent items matter most.
 */
void
cms_add_items(StateWriter *w, const CmsItems *items)
{
    uint32_t depth = cms_state(w->state.data)->depth;
    uint64_t magnitudes = 0;

    for (uint32_t i = 0; i < items->count; i++)
        magnitudes |= UINT64_C(1) << magnitude(items->entries[i].count);
    for (; magnitudes != 0; magnitudes &= ~(UINT64_C(1) << magnitude(magnitudes)))
        for (uint32_t i = 0; i < items->count; i++) {
            const CmsEntry *entry = &items->entries[i];

            state_poll(w, 1);
            if (magnitude(entry->count) != magnitude(magnitudes))
                continue;
            cms_add_to_table(w, entry->hash, entry->count);
            state_poll(w, depth);
        }
}

SketchState
cms_table_of(CmsShape shape, uint64_t total, const CmsItems *items, const SketchMemory *memory)
{
    StateWriter table = {.memory = memory};

    table.state = cms_new_table(CMS_WORKING_TABLE32, shape, total, memory);
    cms_add_items(&table, items);
    return table.state;
}

/* ---- compacting ---- */

/*
 * Returns the size of a log that has to grow. Groups may all grow at the same time, and then none
 * can use the memory that another leaves behind; large steps leave less. Above 8 kB the allocator
 * gives such memory back.
 */
static size_t
grown_log(SketchState list, size_t bytes)
{
    size_t size = list.size + SKETCH_PREFIX_BYTES;
    size_t grown = (size < 8192 ? 4 * size : 2 * size) - CMS_STATE_BODY;
    size_t needed = bytes + bytes / 2;

    return grown > needed ? grown : needed;
}

/*
 * Returns how much of a log should be free after compacting, so that compacting is rare. A group
 * of few rows keeps its memory; one that has seen many rows will see more.
 */
static size_t
wanted_free(size_t room, uint64_t total)
{
    return total > 4 * room ? room / 2 : room / 8;
}

void
cms_compact(StateWriter *w, size_t more)
{
    CmsState *s = cms_state(w->state.data);
    CmsShape shape = cms_state_shape(s);
    CmsItems items = cms_read_items(s, w->memory);
    SketchState list = w->state;
    size_t bytes = more, room;

    for (uint32_t i = 0; i < items.count; i++)
        bytes += cms_record_bytes(items.entries[i].count);
    s->log_bytes = s->waiting = 0;
    room = cms_log_left(list);
    if (items.count > cms_list_limit(shape)) {
        list = cms_table_of(shape, s->total, &items, w->memory);
    } else {
        if (bytes + wanted_free(room, s->total) > room) {
            list = cms_new_list(shape, grown_log(list, bytes), w->memory);
            cms_state(list.data)->total = s->total;
        }
        for (uint32_t i = 0; i < items.count; i++)
            cms_append_record(cms_state(list.data), items.entries[i].hash, items.entries[i].count);
    }
    state_replace(w, list);
    w->memory->release(items.entries, w->memory->context);
}
