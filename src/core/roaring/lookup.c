/*
 * lookup.c - membership in a packed value that is read in pieces.
 *
 * A value that is stored out of line lies in chunks, and fetching a chunk costs as much as copying
 * tens of kilobytes. A probe reads few of them: the first, which has the header and usually all of
 * the directory; the offset of the container; the container, or the one byte of it that decides.
 * The search of a longer directory begins where the key would be if keys were spread evenly, as
 * they often are.
 */
#include "roaring_internal.h"

typedef struct Lookup {
    const RoaringPieces *value;
    SketchBytes piece; /* the last one that was read */
    size_t at;         /* where it lies */
    bool damaged;
} Lookup;

static bool
at_hand(const Lookup *lookup, size_t offset, size_t length)
{
    return offset >= lookup->at && offset - lookup->at <= lookup->piece.size &&
           length <= lookup->piece.size - (offset - lookup->at);
}

/*
 * Some bytes of the value; NULL, and it is damaged, when they leave it. Bytes returned before are
 * gone.
 */
static const uint8_t *
peek(Lookup *lookup, size_t offset, size_t length)
{
    const RoaringPieces *value = lookup->value;

    if (!at_hand(lookup, offset, length)) {
        size_t into = offset % ROARING_PIECE_BYTES;
        bool one = into + length <= ROARING_PIECE_BYTES;

        lookup->damaged = offset > value->size || length > value->size - offset;
        if (lookup->damaged)
            return NULL;
        lookup->at = one ? offset - into : offset;
        lookup->piece = value->read(value->source, lookup->at, one ? ROARING_PIECE_BYTES : length);
        lookup->damaged = !at_hand(lookup, offset, length);
        if (lookup->damaged)
            return NULL;
    }
    return lookup->piece.data + (offset - lookup->at);
}

/* Entries in ascending order of the key of 2 or 4 bytes that each begins with. */
typedef struct Directory {
    size_t offset;
    uint32_t count;
    size_t entry_bytes, key_bytes;
    uint64_t keys; /* how many different ones there can be */
} Directory;

static size_t
entry_at(const Directory *directory, uint32_t i)
{
    return directory->offset + (size_t)i * directory->entry_bytes;
}

/* The key of an entry in the present piece. */
static uint32_t
key_at(const Lookup *lookup, const Directory *directory, uint32_t i)
{
    const uint8_t *entry = lookup->piece.data + (entry_at(directory, i) - lookup->at);

    return directory->key_bytes == 2 ? load_le16(entry) : load_le32(entry);
}

/* Reads the middle one of the available entries in low .. end - 1; false if there is none. */
static bool
middle_at_hand(const Lookup *lookup, const Directory *directory, uint32_t low, uint32_t end,
               uint32_t *middle)
{
    size_t from = lookup->at, to = lookup->at + lookup->piece.size;
    size_t first = 0, after = 0;

    if (from > directory->offset)
        first = (from - directory->offset + directory->entry_bytes - 1) / directory->entry_bytes;
    if (to > directory->offset)
        after = (to - directory->offset) / directory->entry_bytes;
    if (first < low)
        first = low;
    if (after > end)
        after = end;
    *middle = (uint32_t)(first + (after - first) / 2);
    return first < after;
}

/*
 * *found is the entry of a key; false when there is none. The first two guesses are that keys are
 * spread evenly, as hashes are, and that they follow one another, as numbered things do.
 */
static bool
search(Lookup *lookup, const Directory *directory, uint32_t key, uint32_t *found)
{
    uint32_t low = 0, end = directory->count;
    unsigned guesses = 1;

    *found = (uint32_t)(directory->count * (uint64_t)key / directory->keys);
    while (low < end) {
        uint32_t here;

        if (!peek(lookup, entry_at(directory, *found), directory->entry_bytes))
            return false;
        here = key_at(lookup, directory, *found);
        if (here == key)
            return true;
        if (here < key)
            low = *found + 1;
        else
            end = *found;
        if (middle_at_hand(lookup, directory, low, end, found))
            continue;
        *found =
            guesses++ == 1 ? (here < key ? low - 1 : end) + (key - here) : low + (end - low) / 2;
        if (*found < low || *found >= end)
            *found = low + (end - low) / 2;
    }
    return false;
}

/* Where the bitmap of a high half lies. */
static bool
find_bucket(Lookup *lookup, uint64_t high, size_t *start, size_t *end)
{
    const uint8_t *header = peek(lookup, 0, ROARING_HEADER), *entry;
    Directory index = {.offset = ROARING64_HEADER,
                       .entry_bytes = ROARING_INDEX_BYTES,
                       .key_bytes = sizeof(uint32_t),
                       .keys = (ROARING64_VALUE_MAX >> 32) + UINT64_C(1)};
    uint32_t i;

    *start = ROARING_HEADER;
    *end = lookup->value->size;
    if (header == NULL || header[0] == SKETCH_ROARING)
        return header != NULL && high == 0;
    if ((header = peek(lookup, 0, ROARING64_HEADER)) == NULL)
        return false;
    index.count = roaring_buckets(header);
    *start = entry_at(&index, index.count);
    if (!search(lookup, &index, (uint32_t)high, &i) ||
        (entry = peek(lookup, entry_at(&index, i), ROARING_INDEX_BYTES)) == NULL)
        return false;
    *end = roaring_index_entry(entry).end;
    if (i > 0) {
        if ((entry = peek(lookup, entry_at(&index, i - 1), ROARING_INDEX_BYTES)) == NULL)
            return false;
        *start = roaring_index_entry(entry).end;
    }
    return true;
}

/* With runs and at most three containers there are no offsets: the bitmap is read whole. */
static bool
whole_bucket_contains(Lookup *lookup, size_t start, size_t end, uint32_t wanted)
{
    const uint8_t *data = start < end ? peek(lookup, start, end - start) : NULL;
    RoaringBucket bucket;

    bool found = false;

    lookup->damaged = data == NULL || !roaring_bucket_open(&bucket, 0, data, end - start) ||
                      !roaring_bucket_contains(&bucket, wanted, &found);
    return found;
}

/*
 * Returns true if the container at `offset` has `low`; `container` is what the directory says of
 * it.
 */
static bool
container_contains(Lookup *lookup, size_t offset, RoaringContainer container, uint32_t low)
{
    const uint8_t *bytes;

    if (container.form == ROARING_BITSET) {
        bytes = peek(lookup, offset + low / 8, 1);
        return bytes != NULL && *bytes >> low % 8 & 1;
    }
    if (container.form == ROARING_RUNS) {
        if ((bytes = peek(lookup, offset, ROARING_RUNS_BYTES)) == NULL)
            return false;
        container.count = load_le16(bytes);
        offset += ROARING_RUNS_BYTES;
    }
    container.data = peek(lookup, offset, roaring_container_bytes(&container));
    return container.data != NULL && roaring_container_contains(&container, low);
}

static bool
lookup_contains(Lookup *lookup, uint64_t wanted)
{
    Directory keys = {.entry_bytes = ROARING_KEY_BYTES,
                      .key_bytes = sizeof(uint16_t),
                      .keys = ROARING_BUCKET_CONTAINERS};
    size_t start, end;
    uint32_t i;
    const uint8_t *bytes;
    RoaringLayout layout;
    RoaringContainer container;

    if (!find_bucket(lookup, wanted >> 32, &start, &end) ||
        (bytes = peek(lookup, start, ROARING_LAYOUT_BYTES)) == NULL)
        return false;
    lookup->damaged = !roaring_read_layout(bytes, &layout);
    if (lookup->damaged)
        return false;
    if (layout.offsets == 0)
        return whole_bucket_contains(lookup, start, end, (uint32_t)wanted);
    keys.count = layout.containers;
    keys.offset = start + layout.keys;
    if (!search(lookup, &keys, wanted >> 16 & 0xffff, &i))
        return false;
    roaring_describe(&container, peek(lookup, entry_at(&keys, i), ROARING_KEY_BYTES));
    container.form = container.cardinality <= ROARING_ARRAY_MAX ? ROARING_ARRAY : ROARING_BITSET;
    if (layout.run_flags > 0) {
        if ((bytes = peek(lookup, start + layout.run_flags + i / 8, 1)) == NULL)
            return false;
        if (*bytes >> i % 8 & 1)
            container.form = ROARING_RUNS;
    }
    bytes = peek(lookup, start + layout.offsets + (size_t)i * ROARING_OFFSET_BYTES,
                 ROARING_OFFSET_BYTES);
    return bytes != NULL &&
           container_contains(lookup, start + load_le32(bytes), container, wanted & 0xffff);
}

bool
roaring_lookup(const RoaringPieces *value, uint64_t wanted, bool *found)
{
    Lookup lookup = {.value = value, .piece = value->first};

    *found = lookup_contains(&lookup, wanted);
    return !lookup.damaged;
}
