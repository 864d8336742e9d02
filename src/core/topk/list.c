/*
 * list.c - the records of working values, and values that are nothing else: lists.
 */
#include "working.h"

/* Sizes of lists, with the length word. From 8448 on the allocator gives them back when freed. */
static const uint32_t list_sizes[] = {128, 256, 512, 2048, 8448, 16384, 32768, TOPK_LIST_BYTES};
#define LIST_SIZES (sizeof list_sizes / sizeof list_sizes[0])

SketchState
topk_new_list(uint32_t k, TopkType type, size_t bytes, const SketchMemory *memory)
{
    size_t needed = SKETCH_PREFIX_BYTES + TOPK_LIST_BODY + bytes;
    SketchState state;
    unsigned i = 0;

    while (i < LIST_SIZES - 1 && list_sizes[i] < needed)
        i++;
    state.size = list_sizes[i] - SKETCH_PREFIX_BYTES;
    state.data = memory->value(state.size, memory->context);
    memset(state.data, 0, TOPK_LIST_HEADER);
    state.data[0] = SKETCH_TOPK;
    state.data[1] = TOPK_VERSION;
    state.data[2] = TOPK_LIST;
    state.data[3] = (uint8_t)type;
    *topk_field_at(state.data, 12) = k;
    return state;
}

bool
topk_list_holds(size_t bytes, uint32_t items)
{
    return items <= TOPK_LIST_ITEMS &&
           bytes <= TOPK_LIST_BYTES - SKETCH_PREFIX_BYTES - TOPK_LIST_BODY;
}

SketchState
topk_new(uint32_t k, TopkType type, const SketchMemory *memory)
{
    return topk_new_list(k, type, 0, memory);
}

/* ---- reading records ---- */

/*
 * Adds the records of a reader to `items`; false if there are more than *records, or if they count
 * more than *left. Compiled for either type.
 */
static inline __attribute__((always_inline)) bool
add_records_of(ByteReader r, TopkType type, TopkItems *items, uint32_t *records, uint64_t *left,
               const SketchMemory *memory)
{
    size_t steps = 0;

    while (bytes_left(&r) > 0) {
        TopkCounter record;

        topk_read_record(&r, type, &record);
        if (r.failed || record.count == 0 || record.count > *left || *records == 0)
            return false;
        --*records;
        *left -= record.count;
        topk_items_get(items, &record.item)->count += record.count;
        sketch_poll(memory, &steps, topk_item_steps(&record.item));
    }
    return true;
}

static bool
add_records(ByteReader r, TopkType type, TopkItems *items, uint32_t *records, uint64_t *left,
            const SketchMemory *memory)
{
    return type == TOPK_TEXT ? add_records_of(r, TOPK_TEXT, items, records, left, memory)
                             : add_records_of(r, TOPK_BIGINT, items, records, left, memory);
}

bool
topk_read_records(const uint8_t *data, TopkItems *items, const SketchMemory *memory)
{
    uint32_t records = *topk_records_at(data);
    ByteReader log = byte_reader(topk_log(data), *topk_log_used_at(data)), list = {0};
    uint64_t left = *topk_total_at(data);

    if (!topk_has_index(data))
        list = byte_reader(topk_list_records(data), *topk_list_used_at(data));
    if (records > (bytes_left(&log) + bytes_left(&list)) / TOPK_RECORD_BYTES_MIN)
        return false;
    *items = topk_items(records, memory);
    if (add_records(list, data[3], items, &records, &left, memory) &&
        add_records(log, data[3], items, &records, &left, memory) && records == 0)
        return true;
    topk_items_close(items, memory);
    return false;
}

/* ---- settling ---- */

/* Appends a record behind the log, where there must be room. */
void
topk_append_record(uint8_t *data, const TopkItem *item, uint64_t count)
{
    uint8_t *to = topk_list_records(data) + *topk_list_used_at(data);

    *topk_list_used_at(data) += (uint32_t)(topk_write_record(to, item, count) - to);
    ++*topk_records_at(data);
}

static void
write_records(uint8_t *data, const TopkItems *items)
{
    for (uint32_t i = 0; i < items->count; i++)
        topk_append_record(data, &items->counters[i].item, items->counters[i].count);
}

/* The records of a list's log go behind the others, where there must be room. */
static void
append_log(uint8_t *to, const uint8_t *data)
{
    memcpy(topk_list_records(to) + *topk_list_used_at(to), topk_log(data), *topk_log_used_at(data));
    *topk_list_used_at(to) += *topk_log_used_at(data);
}

/* All records as they are, in a new list. */
static void
copy_records(uint8_t *to, const uint8_t *data)
{
    memcpy(topk_list_records(to), topk_list_records(data), *topk_list_used_at(data));
    *topk_list_used_at(to) = *topk_list_used_at(data);
    append_log(to, data);
    *topk_records_at(to) = *topk_records_at(data);
}

/*
 * The records settled, behind an empty log, in the same memory or in a larger list; `bytes` is what
 * they take then.
 */
static void
settle(TopkWriter *w, const TopkItems *items, size_t bytes, size_t more)
{
    size_t room = topk_list_room(w->state);
    uint8_t *data = w->state.data;
    SketchState settled;

    if (bytes + more > room / 2) {
        settled = topk_new_list(topk_k(data), data[3],
                                bytes + more > room ? bytes + more : room + 1, w->memory);
        *topk_total_at(settled.data) = *topk_total_at(data);
        if (items->count == *topk_records_at(data))
            copy_records(settled.data, data);
        else
            write_records(settled.data, items);
        topk_replace(w, settled);
        return;
    }
    /* The items lie in the list, so the records are written elsewhere first. */
    settled = topk_new_list(topk_k(data), data[3], bytes, w->memory);
    write_records(settled.data, items);
    memcpy(topk_list_records(data), topk_list_records(settled.data), bytes);
    *topk_list_used_at(data) = (uint32_t)bytes;
    *topk_log_used_at(data) = 0;
    *topk_records_at(data) = items->count;
    w->memory->release_value(settled.data, w->memory->context);
}

static void
make_indexed(TopkWriter *w, const TopkItems *items)
{
    const uint8_t *data = w->state.data;
    TopkWriter indexed = {.memory = w->memory};
    size_t texts = 0;

    for (uint32_t i = 0; data[3] == TOPK_TEXT && i < items->count; i++)
        texts += TOPK_LENGTH_BYTES + items->counters[i].item.size;
    indexed.state = topk_new_indexed(topk_k(data), data[3], items->count, texts, w->memory);
    *topk_total_at(indexed.state.data) = *topk_total_at(data);
    for (uint32_t i = 0; i < items->count; i++)
        topk_add_counter(&indexed, &items->counters[i].item, items->counters[i].count, 0);
    topk_replace(w, indexed.state);
}

/* The items of a state in use, which is never damaged. */
static TopkItems
items_of(const uint8_t *data, const SketchMemory *memory)
{
    TopkItems items;

    if (!topk_read_records(data, &items, memory))
        items = topk_items(0, memory);
    return items;
}

void
topk_make_indexed(TopkWriter *w)
{
    TopkItems items = items_of(w->state.data, w->memory);

    make_indexed(w, &items);
    topk_items_close(&items, w->memory);
}

/* Makes one record of each item, with room for `bytes` more; or an index if that is too much. */
static void
settle_list(TopkWriter *w, size_t bytes)
{
    const uint8_t *data = w->state.data;
    TopkItems items = items_of(data, w->memory);
    bool repeated = items.count < *topk_records_at(data);
    size_t used = repeated ? 0 : *topk_list_used_at(data) + *topk_log_used_at(data);

    for (uint32_t i = 0; repeated && i < items.count; i++)
        used += topk_record_bytes(&items.counters[i].item, items.counters[i].count);
    if (topk_list_holds(used + bytes, items.count + 1))
        settle(w, &items, used, bytes);
    else
        make_indexed(w, &items);
    topk_items_close(&items, w->memory);
}

void
topk_empty_list_log(TopkWriter *w, size_t bytes)
{
    uint8_t *data = w->state.data;

    if (topk_list_room(w->state) - *topk_list_used_at(data) < *topk_log_used_at(data) + bytes) {
        settle_list(w, bytes);
        return;
    }
    append_log(data, data);
    *topk_log_used_at(data) = 0;
}
