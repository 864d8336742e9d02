/*
 * log.c - what a list that changes holds.
 *
 * A log is records in the order in which they came: a count and a hash. An item may have many.
 * Reading brings them into order, and makes one of all records of an item.
 *
 * Hashes are spread evenly, so their highest bits put them in order except for a few neighbours:
 * they are distributed to about as many parts as there are records, and each part is sorted by
 * insertion, where a record of an item that is there already only adds to its count. Where hashes
 * are not spread (somebody chose them) insertion gives up after a number of steps, and records are
 * sorted by all digits instead.
 */
#include "cms_internal.h"

/* The next record of a log; false if there is none, or if it counts more than is left of *left. */
static inline bool
next_record(ByteReader *log, uint64_t *left, CmsEntry *entry)
{
    entry->count = read_varint(log);
    if (entry->count - 1 >= *left || bytes_left(log) < sizeof entry->hash)
        return false;
    memcpy(&entry->hash, log->at, sizeof entry->hash);
    log->at += sizeof entry->hash;
    *left -= entry->count;
    return true;
}

static ByteReader
log_reader(const uint8_t *data)
{
    return byte_reader(cms_log(data), *cms_log_used_at(data));
}

bool
cms_log_is_sound(const uint8_t *data, const SketchMemory *memory)
{
    ByteReader log = log_reader(data);
    uint64_t left = *cms_total_at(data) - *cms_waiting_count_at(data);
    CmsEntry entry;
    size_t steps = 0;

    while (bytes_left(&log) > 0) {
        if (!next_record(&log, &left, &entry))
            return false;
        sketch_poll(memory, &steps, 1);
    }
    return left == 0;
}

/* ---- distributing ---- */

#define PART_BITS_MAX 20

/* So many of the highest bits make a part: 2^bits is more than half of `most`, or 2^20. */
static unsigned
part_bits(size_t most)
{
    unsigned bits = 4;

    while (bits < PART_BITS_MAX && (size_t)1 << bits <= most / 2)
        bits++;
    return bits;
}

/* Counts the records of each part and adds up *sum; false where one cannot be read. */
static bool
count_parts(const uint8_t *data, unsigned shift, uint32_t *parts, uint64_t *sum,
            const SketchMemory *memory)
{
    ByteReader log = log_reader(data);
    uint64_t left = INT64_MAX - *cms_waiting_count_at(data);
    CmsEntry entry;
    size_t steps = 0;

    while (bytes_left(&log) > 0) {
        if (!next_record(&log, &left, &entry))
            return false;
        parts[entry.hash >> shift]++;
        sketch_poll(memory, &steps, 1);
    }
    for (uint32_t i = 0; i < *cms_waiting_count_at(data); i++)
        parts[cms_waiting(data)[i] >> shift]++;
    *sum = INT64_MAX - left;
    return true;
}

/* Puts the records into their parts; `parts` has where each begins, and then where it ends. */
static void
distribute(const uint8_t *data, unsigned shift, uint32_t *parts, CmsEntry *entries,
           const SketchMemory *memory)
{
    ByteReader log = log_reader(data);
    uint64_t left = UINT64_MAX;
    CmsEntry entry;
    size_t steps = 0;

    while (bytes_left(&log) > 0 && next_record(&log, &left, &entry)) {
        entries[parts[entry.hash >> shift]++] = entry;
        sketch_poll(memory, &steps, 1);
    }
    for (uint32_t i = 0; i < *cms_waiting_count_at(data); i++)
        entries[parts[cms_waiting(data)[i] >> shift]++] = (CmsEntry){cms_waiting(data)[i], 1};
}

/* ---- sorting ---- */

/* By all digits, of 8 bits, the lowest first. */
static void
sort_by_digits(CmsEntry *entries, uint32_t count, const SketchMemory *memory)
{
    CmsEntry *other = memory->scratch(count * sizeof *other + 1, memory->context);
    CmsEntry *from = entries, *to = other;
    size_t steps = 0;

    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint32_t next[256] = {0}, before = 0;
        CmsEntry *swap = from;

        for (uint32_t i = 0; i < count; i++)
            next[from[i].hash >> shift & 255]++;
        for (unsigned digit = 0; digit < 256; digit++) {
            uint32_t here = next[digit];

            next[digit] = before;
            before += here;
        }
        for (uint32_t i = 0; i < count; i++) {
            to[next[from[i].hash >> shift & 255]++] = from[i];
            sketch_poll(memory, &steps, 1);
        }
        from = to;
        to = swap;
    }
    /* After eight digits, an even number, the entries are in their own array again. */
    memory->release(other, memory->context);
}

/* Neighbours of one item become one; returns how many are left. */
static uint32_t
add_up_neighbours(CmsEntry *entries, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (kept > 0 && entries[kept - 1].hash == entries[i].hash)
            entries[kept - 1].count += entries[i].count;
        else
            entries[kept++] = entries[i];
    return kept;
}

/* Steps that insertion may take for each record; of even hashes it takes fewer than one. */
#define STEPS_EACH 8

/*
 * Sorts what was distributed, part by part up to its end, and adds up; returns how many entries are
 * left. The parts are sorted in front of what is left to do.
 */
static uint32_t
sort_parts(CmsEntry *entries, const uint32_t *ends, unsigned bits, const SketchMemory *memory)
{
    uint32_t all = ends[(1u << bits) - 1], kept = 0;
    uint64_t allowed = (uint64_t)all * STEPS_EACH + 64;
    size_t steps = 0;

    for (uint32_t part = 0, i = 0; part < 1u << bits; part++) {
        uint32_t begin = kept;

        sketch_poll(memory, &steps, 1 + ends[part] - i);
        for (; i < ends[part]; i++) {
            CmsEntry entry = entries[i];
            uint32_t at = kept;

            while (at > begin && entries[at - 1].hash > entry.hash)
                at--;
            if (kept - at > allowed) {
                memmove(entries + kept, entries + i, (all - i) * sizeof *entries);
                all -= i - kept;
                sort_by_digits(entries, all, memory);
                return add_up_neighbours(entries, all);
            }
            allowed -= kept - at;
            if (at > begin && entries[at - 1].hash == entry.hash) {
                entries[at - 1].count += entry.count;
                continue;
            }
            for (uint32_t j = kept++; j > at; j--)
                entries[j] = entries[j - 1];
            entries[at] = entry;
        }
    }
    return kept;
}

bool
cms_read_items(const uint8_t *data, CmsItems *items, const SketchMemory *memory)
{
    size_t most = *cms_log_used_at(data) / CMS_RECORD_BYTES_MIN + *cms_waiting_count_at(data);
    unsigned bits = part_bits(most), shift = 64 - bits;
    uint32_t *parts = memory->scratch(sizeof *parts << bits, memory->context), before = 0;
    bool good;

    memset(parts, 0, sizeof *parts << bits);
    good = count_parts(data, shift, parts, &items->sum, memory);
    if (good) {
        for (uint32_t part = 0; part < 1u << bits; part++) {
            uint32_t here = parts[part];

            parts[part] = before;
            before += here;
        }
        items->entries = memory->scratch(most * sizeof *items->entries + 1, memory->context);
        distribute(data, shift, parts, items->entries, memory);
        items->count = sort_parts(items->entries, parts, bits, memory);
    }
    memory->release(parts, memory->context);
    return good;
}
