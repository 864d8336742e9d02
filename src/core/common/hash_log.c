/*
 * hash_log.c - the hashes of items as they come.
 */
#include "hash_log.h"

#include "distinct.h"
#include "polled.h"

bool
hash_log_tidy(HashLog log, size_t more, const SketchMemory *memory)
{
    const size_t max = hash_log_max(log);

    *log.count = (uint32_t)distinct_drop(log.hash, *log.count, memory);
    return *log.count + more <= max && *log.count <= max / 2;
}

static void
copy(uint64_t *to, const HashList *list, const SketchMemory *memory)
{
    if (list->is_log)
        polled_copy(to, list->data, list->count * sizeof *to, memory);
    else
        POLLED_FOR (i, 0, list->count, 1, memory)
            to[i] = load_le64(list->data + i * sizeof *to);
}

void
hash_log_append(HashLog log, const HashList *list, const SketchMemory *memory)
{
    copy(log.hash + *log.count, list, memory);
    *log.count += list->count;
}

uint64_t *
hash_list_distinct(const HashList *list, size_t sorted_max, size_t *count,
                   const SketchMemory *memory)
{
    uint64_t *distinct = memory->scratch(list->count * sizeof64(*distinct) + 1, memory->context);

    *count = list->count;
    if (!list->is_log)
        copy(distinct, list, memory);
    else {
        *count = distinct_hashes((const uint64_t *)list->data, list->count, distinct, memory);
        if (list->count > DISTINCT_SORTED && *count <= sorted_max)
            distinct_sort(distinct, *count, memory);
    }
    return distinct;
}

void
hash_list_write(uint8_t *to, const uint64_t *hashes, size_t count, const SketchMemory *memory)
{
    POLLED_FOR (i, 0, count, 1, memory)
        store_le64(to + i * sizeof *hashes, hashes[i]);
}

bool
hash_list_ascends(const HashList *list, const SketchMemory *memory)
{
    POLLED_FOR (i, 1, list->count, 1, memory)
        if (hash_list_at(list, i) <= hash_list_at(list, i - 1))
            return false;
    return true;
}

bool
hash_list_validate(const HashList *list, const SketchMemory *memory, SketchError *error)
{
    return hash_list_ascends(list, memory) ||
           sketch_refuse(error, SKETCH_MALFORMED, "Hashes are not in ascending order");
}
