/*
 * hash_log.h - the hashes of items as they come: the states of bloom's and cuckoo's aggregates.
 *
 * A state appends each hash to its log. Repetitions are dropped when the log is full, and the
 * state grows if more than half of the log is left. The number of distinct items is known when the
 * state is packed; only then is a filter made that fits them.
 *
 * A state that leaves the server to be united with others takes its hashes along (SKETCH_TRANSIT),
 * since a filter has too few of their bits to tell equal items of two filters. That encoding is the
 * header of the type, which holds the number of hashes, then filters if there are any (bloom), then
 * the distinct hashes: 1 to 2^24, ascending, 8 bytes each, little-endian.
 *
 * hll and theta keep no log: hll's tokens are shorter than hashes, and theta drops hashes that are
 * not below a limit.
 */
#ifndef HASH_LOG_H
#define HASH_LOG_H

#include "bytes.h"
#include "core/sketch.h"

/*
 * The most hashes in transit, 128 MB. A state with more is packed: unions with it may take more
 * bytes than needed, or be wrong more often.
 */
#define HASH_TRANSIT_MAX (UINT32_C(1) << 24)

/* A log that is appended to, as it lies in a state. */
typedef struct HashLog {
    uint64_t *hash;
    uint32_t *count;
    const uint8_t *end; /* of its space */
} HashLog;

/* Appends a hash; false if the log is full. */
static inline bool
hash_log_add(HashLog log, uint64_t hash)
{
    uint64_t *to = log.hash + *log.count;

    if ((const uint8_t *)(to + 1) > log.end)
        return false;
    *to = hash;
    ++*log.count;
    return true;
}

/* Returns how many hashes the log has space for in all. */
static inline size_t
hash_log_max(HashLog log)
{
    return (size_t)(log.end - (const uint8_t *)log.hash) / sizeof *log.hash;
}

/* Drops repetitions; returns true if the log is at most half full then, with space for `more`. */
extern bool hash_log_tidy(HashLog log, size_t more, const SketchMemory *memory);

/* Hashes to be read. */
typedef struct HashList {
    const uint8_t *data; /* 8 bytes each */
    uint32_t count;
    bool is_log; /* in host byte order, as they came; if not: little-endian, distinct, ascending */
} HashList;

static inline uint64_t
hash_list_at(const HashList *list, size_t i)
{
    const uint8_t *p = list->data + i * sizeof(uint64_t);
    uint64_t hash;

    if (!list->is_log)
        return load_le64(p);
    memcpy(&hash, p, sizeof hash);
    return hash;
}

/* Appends all of a list to a log, which must have space. */
extern void hash_log_append(HashLog log, const HashList *list, const SketchMemory *memory);

/*
 * Returns the distinct hashes of a list, *count of them, in scratch memory. They ascend unless
 * there are more than `sorted_max`.
 */
extern uint64_t *hash_list_distinct(const HashList *list, size_t sorted_max, size_t *count,
                                    const SketchMemory *memory);

/* Writes hashes as values store them. */
extern void hash_list_write(uint8_t *to, const uint64_t *hashes, size_t count,
                            const SketchMemory *memory);

/* Returns true if hashes that were stored ascend, as those of a value from outside have to. */
extern bool hash_list_ascends(const HashList *list, const SketchMemory *memory);
extern bool hash_list_validate(const HashList *list, const SketchMemory *memory,
                               SketchError *error);

#endif
