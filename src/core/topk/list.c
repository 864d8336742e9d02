/*
 * list.c - lists, the states that are only records, and reading the records of any state.
 */
#include "working.h"

/* Sizes of lists. The allocator gives those from 8448 on back when they are freed. */
static const uint32_t list_sizes[] = {128, 256, 512, 2048, 8448, 16384, 32768, TOPK_LIST_BYTES};
#define LIST_SIZES (sizeof list_sizes / sizeof list_sizes[0])

SketchState
topk_new_list(uint32_t k, TopkType type, size_t bytes, const SketchMemory *memory)
{
    size_t needed = sizeof(TopkList) + bytes;
    SketchState list;
    unsigned i = 0;

    while (i < LIST_SIZES - 1 && list_sizes[i] < needed)
        i++;
    list =
        state_new(SKETCH_TOPK, TOPK_LIST, (uint8_t)type, list_sizes[i], sizeof(TopkState), memory);
    topk_state(list.data)->k = k;
    return list;
}

bool
topk_list_holds(size_t bytes, uint32_t items)
{
    return items <= TOPK_LIST_ITEMS && bytes <= TOPK_LIST_BYTES - sizeof(TopkList);
}

SketchState
topk_new(uint32_t k, TopkType type, const SketchMemory *memory)
{
    return topk_new_list(k, type, 0, memory);
}

/* ---- reading records ---- */

/* Adds the records of a reader to `items`; compiled once for each type. */
static inline __attribute__((always_inline)) void
add_records_of(ByteReader r, TopkType type, TopkItems *items, const SketchMemory *memory)
{
    size_t steps = 0;

    while (bytes_left(&r) > 0) {
        TopkCounter record;

        topk_read_record(&r, type, &record);
        topk_items_get(items, &record.item)->count += record.count;
        sketch_poll(memory, &steps, topk_item_steps(&record.item));
    }
}

static void
add_records(ByteReader r, TopkType type, TopkItems *items, const SketchMemory *memory)
{
    if (type == TOPK_TEXT)
        add_records_of(r, TOPK_TEXT, items, memory);
    else
        add_records_of(r, TOPK_BIGINT, items, memory);
}

TopkItems
topk_read_records(const TopkState *s, const SketchMemory *memory)
{
    TopkItems items = topk_items(s->records, memory);

    if (!topk_has_index(s))
        add_records(byte_reader(topk_list(s)->records, s->list_bytes), topk_type(s), &items,
                    memory);
    add_records(byte_reader(topk_log(s), s->log_bytes), topk_type(s), &items, memory);
    return items;
}

/* ---- compacting ---- */

void
topk_append_record(TopkList *list, const TopkItem *item, uint64_t count)
{
    uint8_t *to = list->records + list->state.list_bytes;

    list->state.list_bytes += (uint32_t)(topk_write_record(to, item, count) - to);
    list->state.records++;
}

static void
write_records(TopkList *list, const TopkItems *items)
{
    for (uint32_t i = 0; i < items->count; i++)
        topk_append_record(list, &items->counters[i].item, items->counters[i].count);
}

/* Appends the records of a log to the others of a list, which must have room. */
static void
append_log(TopkList *to, const TopkList *from)
{
    memcpy(to->records + to->state.list_bytes, from->log, from->state.log_bytes);
    to->state.list_bytes += from->state.log_bytes;
}

/* Copies all records to a new list, without merging them. */
static void
copy_records(TopkList *to, const TopkList *from)
{
    memcpy(to->records, from->records, from->state.list_bytes);
    to->state.list_bytes = from->state.list_bytes;
    append_log(to, from);
    to->state.records = from->state.records;
}

/*
 * Writes one record of each item, `bytes` in all, and leaves the log empty. Reuses the memory if
 * no more than half of it is taken with `more` bytes, else makes a larger list.
 */
static void
write_compact(StateWriter *w, const TopkItems *items, size_t bytes, size_t more)
{
    size_t room = topk_list_room(w->state);
    TopkList *list = topk_list(topk_state(w->state.data)), *to;
    TopkState *s = &list->state;
    bool grows = bytes + more > room / 2;
    size_t wanted = !grows ? bytes : bytes + more > room ? bytes + more : room + 1;
    /* The texts are those in the list, so the records have to be written elsewhere first. */
    SketchState fresh = topk_new_list(s->k, topk_type(s), wanted, w->memory);

    to = topk_list(topk_state(fresh.data));
    if (grows && items->count == s->records)
        copy_records(to, list);
    else
        write_records(to, items);
    if (grows) {
        to->state.total = s->total;
        state_replace(w, fresh);
        return;
    }
    memcpy(list->records, to->records, to->state.list_bytes);
    s->list_bytes = to->state.list_bytes;
    s->log_bytes = 0;
    s->records = items->count;
    w->memory->release_value(fresh.data, w->memory->context);
}

static void
make_indexed(StateWriter *w, const TopkItems *items)
{
    const TopkState *s = topk_state(w->state.data);
    StateWriter indexed = {.memory = w->memory};
    size_t texts = 0;

    for (uint32_t i = 0; topk_type(s) == TOPK_TEXT && i < items->count; i++)
        texts += TOPK_LENGTH_BYTES + items->counters[i].item.size;
    indexed.state = topk_new_indexed(s->k, topk_type(s), items->count, texts, w->memory);
    topk_state(indexed.state.data)->total = s->total;
    for (uint32_t i = 0; i < items->count; i++)
        topk_add_counter(&indexed, &items->counters[i].item, items->counters[i].count, 0);
    state_replace(w, indexed.state);
}

void
topk_make_indexed(StateWriter *w)
{
    TopkItems items = topk_read_records(topk_state(w->state.data), w->memory);

    make_indexed(w, &items);
    topk_items_close(&items, w->memory);
}

/* Makes one record of each item and room for `bytes` more; or an index, if that is too much. */
static void
compact(StateWriter *w, size_t bytes)
{
    const TopkState *s = topk_state(w->state.data);
    TopkItems items = topk_read_records(s, w->memory);
    bool repeated = items.count < s->records;
    size_t used = repeated ? 0 : s->list_bytes + s->log_bytes;

    for (uint32_t i = 0; repeated && i < items.count; i++)
        used += topk_record_bytes(&items.counters[i].item, items.counters[i].count);
    if (topk_list_holds(used + bytes, items.count + 1))
        write_compact(w, &items, used, bytes);
    else
        make_indexed(w, &items);
    topk_items_close(&items, w->memory);
}

void
topk_empty_list_log(StateWriter *w, size_t bytes)
{
    TopkState *s = topk_state(w->state.data);

    if (topk_list_room(w->state) - s->list_bytes < s->log_bytes + bytes) {
        compact(w, bytes);
        return;
    }
    append_log(topk_list(s), topk_list(s));
    s->log_bytes = 0;
}
