/*
 * topk_working.c - sketches that change: adding, purging, merging.
 *
 * Two working encodings, in host byte order: exact (0x80), while nothing was dropped, and bounded
 * (0x81), which has deficits as well:
 *
 *     0..3     as in every value; 3: type of the items
 *     4..11    total              12..19   floor
 *     20..23   k                  24..27   counters in use
 *     28..31   counters there is room for
 *     32..35   slots of the index, a power of two, or 0 when there is none
 *     36..     counters of 16 bytes: the item's word, its count
 *     then     bounded only: deficits, 8 bytes for each counter
 *     then     slots, 4 bytes each
 *     then     of text only: 4 bytes, how many bytes of the heap are in use; the heap: items, each
 *              with 4 bytes of length in front, in the order of their counters
 *
 * An item's word is the bigint itself; or of a text 32 bits of its hash (high) and where in the heap
 * it is. A slot is the place of a counter plus 1 and above that 10 bits of the item's hash, so that
 * an item without a counter seldom costs more than a look at the index.
 *
 * A counter's deficit is the floor less its error. So nothing but a purge has to touch the counters
 * that a new or merged item does not concern: a new counter has deficit 0, when floors add up
 * deficits stay, and when an item is merged its deficits add up like its counts. The paper's
 * counter, upper bound less floor, is count - deficit.
 *
 * A few counters are searched one by one; from 1 kB on there is an index. A state of ten bigints
 * takes 200 bytes with the length word. Sizes up to 8 kB fill the chunks of the database's
 * allocator, and beyond grow by a third or a half.
 */
#include "topk_parts.h"

#include "hash.h"

#define HEADER 36
#define TAG_SHIFT 22 /* of a slot; places take the bits below */
#define PLACE_MASK ((1u << TAG_SHIFT) - 1)

/* A heap may have so many bytes for each counter before long items cost counters. */
#define HEAP_SHARE 128

static size_t
heap_share(uint32_t k)
{
    return (size_t)topk_counters_max(k) * HEAP_SHARE;
}

_Static_assert((uint64_t)TOPK_K_MAX * 32 < PLACE_MASK, "a slot holds the place of any counter");

typedef struct Tally {
    uint64_t word;
    uint64_t count;
} Tally;

/* ---- the parts of a value ---- */

static uint64_t *
total_at(const uint8_t *data)
{
    return (uint64_t *)(data + 4);
}

static uint64_t *
floor_at(const uint8_t *data)
{
    return (uint64_t *)(data + 12);
}

static uint32_t *
field_at(const uint8_t *data, unsigned at)
{
    return (uint32_t *)(data + at);
}

static uint32_t
k_of(const uint8_t *data)
{
    return *field_at(data, 20);
}

static uint32_t *
counters_at(const uint8_t *data)
{
    return field_at(data, 24);
}

static uint32_t
capacity_of(const uint8_t *data)
{
    return *field_at(data, 28);
}

static uint32_t
slots_of(const uint8_t *data)
{
    return *field_at(data, 32);
}

static bool
is_bounded(const uint8_t *data)
{
    return data[2] == TOPK_BOUNDED;
}

static Tally *
tallies_of(const uint8_t *data)
{
    return (Tally *)(data + HEADER);
}

static uint64_t *
deficits_of(const uint8_t *data)
{
    return (uint64_t *)(data + HEADER + capacity_of(data) * sizeof(Tally));
}

static size_t
tally_bytes(bool bounded)
{
    return sizeof(Tally) + (bounded ? sizeof(uint64_t) : 0);
}

static uint32_t *
index_of(const uint8_t *data)
{
    return (uint32_t *)(data + HEADER + capacity_of(data) * tally_bytes(is_bounded(data)));
}

static size_t
heap_offset(const uint8_t *data)
{
    return HEADER + capacity_of(data) * tally_bytes(is_bounded(data)) +
           slots_of(data) * sizeof(uint32_t);
}

/* Of text: the bytes of the heap in use. */
static uint32_t *
used_at(const uint8_t *data)
{
    return (uint32_t *)(data + heap_offset(data));
}

static uint8_t *
heap_of(const uint8_t *data)
{
    return (uint8_t *)data + heap_offset(data) + sizeof(uint32_t);
}

static size_t
heap_room(SketchState state)
{
    return state.size - heap_offset(state.data) - sizeof(uint32_t);
}

/* ---- items ---- */

#define LENGTH_BYTES sizeof(uint32_t)

static uint32_t
text_length(const uint8_t *heap, uint64_t word)
{
    uint32_t size;

    memcpy(&size, heap + (uint32_t)word, LENGTH_BYTES);
    return size;
}

static inline uint32_t
number_hash(int64_t number)
{
    return (uint32_t)(hash_int64(number) >> 32);
}

static inline uint32_t
text_hash(const uint8_t *bytes, uint32_t size)
{
    return (uint32_t)(hash_bytes(bytes, size) >> 32);
}

static uint32_t
word_hash(const uint8_t *data, uint64_t word)
{
    return data[3] == TOPK_BIGINT ? number_hash((int64_t)word) : (uint32_t)(word >> 32);
}

static TopkItem
item_of(const uint8_t *data, uint64_t word)
{
    if (data[3] == TOPK_BIGINT)
        return topk_number((int64_t)word);
    return topk_text(heap_of(data) + (uint32_t)word + LENGTH_BYTES,
                     text_length(heap_of(data), word));
}

/* ---- looking up ---- */

#define NOWHERE UINT32_MAX

/* Where an item's counter is, or NOWHERE and the empty slot that a new one would take. */
typedef struct Found {
    uint32_t place;
    uint32_t slot;
} Found;

static inline Found
find_number(const uint8_t *data, int64_t number)
{
    const Tally *tallies = tallies_of(data);
    uint32_t slots = slots_of(data);
    uint32_t hash, at;
    const uint32_t *index;

    if (slots == 0) {
        uint32_t count = *counters_at(data);

        for (uint32_t i = 0; i < count; i++)
            if (tallies[i].word == (uint64_t)number)
                return (Found){i, 0};
        return (Found){NOWHERE, 0};
    }
    hash = number_hash(number);
    index = index_of(data);
    /* In one of many groups this is a second cache miss, which does not have to wait for the first. */
    __builtin_prefetch(&tallies[*counters_at(data)], 1);
    for (at = hash & (slots - 1); index[at] != 0; at = (at + 1) & (slots - 1)) {
        uint32_t place = (index[at] & PLACE_MASK) - 1;

        if ((index[at] ^ hash) >> TAG_SHIFT == 0 && tallies[place].word == (uint64_t)number)
            return (Found){place, at};
    }
    return (Found){NOWHERE, at};
}

static inline bool
same_text(const uint8_t *heap, const Tally *tally, uint32_t hash, const uint8_t *bytes,
          uint32_t size)
{
    return tally->word >> 32 == hash && text_length(heap, tally->word) == size &&
           memcmp(heap + (uint32_t)tally->word + LENGTH_BYTES, bytes, size) == 0;
}

static inline Found
find_text(const uint8_t *data, uint32_t hash, const uint8_t *bytes, uint32_t size)
{
    const Tally *tallies = tallies_of(data);
    const uint8_t *heap = heap_of(data);
    uint32_t slots = slots_of(data);
    uint32_t at;
    const uint32_t *index;

    if (slots == 0) {
        uint32_t count = *counters_at(data);

        for (uint32_t i = 0; i < count; i++)
            if (same_text(heap, &tallies[i], hash, bytes, size))
                return (Found){i, 0};
        return (Found){NOWHERE, 0};
    }
    index = index_of(data);
    __builtin_prefetch(&tallies[*counters_at(data)], 1);
    __builtin_prefetch(heap + *used_at(data), 1);
    for (at = hash & (slots - 1); index[at] != 0; at = (at + 1) & (slots - 1)) {
        uint32_t place = (index[at] & PLACE_MASK) - 1;

        if ((index[at] ^ hash) >> TAG_SHIFT == 0 &&
            same_text(heap, &tallies[place], hash, bytes, size))
            return (Found){place, at};
    }
    return (Found){NOWHERE, at};
}

static inline void
set_slot(uint8_t *data, uint32_t slot, uint32_t hash, uint32_t place)
{
    if (slots_of(data) > 0)
        index_of(data)[slot] = (hash & ~PLACE_MASK) | (place + 1);
}

/* Enters all counters into an index that is empty or out of date. */
static void
fill_index(uint8_t *data)
{
    const Tally *tallies = tallies_of(data);
    uint32_t slots = slots_of(data);
    uint32_t count = *counters_at(data);
    uint32_t *index = index_of(data);

    memset(index, 0, slots * sizeof *index);
    for (uint32_t i = 0; slots > 0 && i < count; i++) {
        uint32_t hash = word_hash(data, tallies[i].word);
        uint32_t at = hash & (slots - 1);

        while (index[at] != 0)
            at = (at + 1) & (slots - 1);
        index[at] = (hash & ~PLACE_MASK) | (i + 1);
    }
}

/* ---- the fast paths ---- */

/* Counts an item that has a counter, or gives it one; the caller has seen that there is room. */
static inline void
count_found(uint8_t *data, uint32_t place, uint64_t weight)
{
    tallies_of(data)[place].count += weight;
    *total_at(data) += weight;
}

static inline void
append(uint8_t *data, uint64_t word, uint64_t count, uint64_t deficit, uint32_t slot, uint32_t hash)
{
    uint32_t place = (*counters_at(data))++;

    tallies_of(data)[place] = (Tally){word, count};
    if (is_bounded(data))
        deficits_of(data)[place] = deficit;
    set_slot(data, slot, hash, place);
}

/* Puts an item into the heap, which has room, and returns its word. */
static inline uint64_t
store_text(uint8_t *data, uint32_t hash, const uint8_t *bytes, uint32_t size)
{
    uint32_t *used = used_at(data);
    uint8_t *to = heap_of(data) + *used;
    uint64_t word = (uint64_t)hash << 32 | *used;

    memcpy(to, &size, LENGTH_BYTES);
    memcpy(to + LENGTH_BYTES, bytes, size);
    *used += (uint32_t)LENGTH_BYTES + size;
    return word;
}

bool
topk_add_number(SketchState state, int64_t number)
{
    uint8_t *data = state.data;
    Found found;

    if (data[3] != TOPK_BIGINT || *total_at(data) >= TOPK_TOTAL_MAX)
        return false;
    found = find_number(data, number);
    if (found.place == NOWHERE) {
        if (*counters_at(data) == capacity_of(data))
            return false;
        append(data, (uint64_t)number, 1, 0, found.slot,
               slots_of(data) > 0 ? number_hash(number) : 0);
        ++*total_at(data);
    } else
        count_found(data, found.place, 1);
    return true;
}

bool
topk_add_text(SketchState state, const uint8_t *bytes, uint32_t size)
{
    uint8_t *data = state.data;
    uint32_t hash;
    Found found;

    if (data[3] != TOPK_TEXT || *total_at(data) >= TOPK_TOTAL_MAX || size > TOPK_ITEM_MAX)
        return false;
    hash = text_hash(bytes, size);
    found = find_text(data, hash, bytes, size);
    if (found.place == NOWHERE) {
        if (*counters_at(data) == capacity_of(data) ||
            heap_room(state) - *used_at(data) < LENGTH_BYTES + size)
            return false;
        append(data, store_text(data, hash, bytes, size), 1, 0, found.slot, hash);
        ++*total_at(data);
    } else
        count_found(data, found.place, 1);
    return true;
}

/* ---- sizes ---- */

/* Counters and slots of a value, and the bytes they and the header take. */
typedef struct Layout {
    uint32_t capacity;
    uint32_t slots;
    size_t bytes;
} Layout;

static Layout
layout_of(uint32_t capacity, uint32_t slots, bool bounded)
{
    return (Layout){capacity, slots,
                    HEADER + capacity * tally_bytes(bounded) + slots * sizeof(uint32_t)};
}

/*
 * The smallest layout with room for so many counters: they fill their chunks, and have no more room
 * than for the most that k allows. (After a union with a smaller k there may be more than these.)
 */
static Layout
choose_layout(uint32_t counters, uint32_t k, bool bounded)
{
    static const size_t small[] = {128, 200, 256, 512};
    uint32_t most = topk_counters_max(k);
    uint32_t capacity, slots;

    most = most > counters ? most : counters;
    for (unsigned i = 0; i < sizeof small / sizeof small[0]; i++) {
        capacity = (uint32_t)((small[i] - SKETCH_PREFIX_BYTES - HEADER) / tally_bytes(bounded));
        if (capacity >= counters)
            return layout_of(capacity, 0, bounded);
    }
    for (size_t chunk = 1024; chunk <= 8192; chunk *= 2) {
        slots = (uint32_t)chunk / 16;
        capacity = (uint32_t)((chunk - SKETCH_PREFIX_BYTES - HEADER - slots * sizeof(uint32_t)) /
                              tally_bytes(bounded));
        if (capacity >= counters)
            return layout_of(capacity, slots, bounded);
    }
    for (slots = 512;; slots *= 2)
        for (unsigned eighths = 9; eighths <= 12; eighths += 3) {
            capacity = slots / 16 * eighths;
            if (capacity >= counters)
                return layout_of(capacity < most ? capacity : most, slots, bounded);
        }
}

/* An empty value; `heap` bytes of items are what a text needs at least. */
static SketchState
new_working(uint32_t k, TopkType type, Layout layout, bool bounded, size_t heap,
            const SketchMemory *memory)
{
    SketchState state = {.size = layout.bytes};
    uint8_t *data;

    if (type == TOPK_TEXT) {
        size_t chunk = 128;

        state.size += sizeof(uint32_t) + heap;
        while (chunk < state.size + SKETCH_PREFIX_BYTES)
            chunk *= 2;
        if (chunk <= 8192)
            state.size = chunk - SKETCH_PREFIX_BYTES;
    }
    state.data = data = memory->value(state.size, memory->context);
    memset(data, 0, HEADER);
    data[0] = SKETCH_TOPK;
    data[1] = topk_ops.version;
    data[2] = bounded ? TOPK_BOUNDED : TOPK_EXACT;
    data[3] = (uint8_t)type;
    *field_at(data, 20) = k;
    *field_at(data, 28) = layout.capacity;
    *field_at(data, 32) = layout.slots;
    memset(index_of(data), 0, layout.slots * sizeof(uint32_t));
    if (type == TOPK_TEXT)
        *used_at(data) = 0;
    return state;
}

#define TEXT_GUESS 16 /* bytes of an item's heap, before there are any */

SketchState
topk_new(uint32_t k, TopkType type, const SketchMemory *memory)
{
    Layout layout = choose_layout(1, k, false);

    return new_working(k, type, layout, false, TEXT_GUESS * layout.capacity, memory);
}

/* ---- purging ---- */

/* Moves what is kept of the heap to its front; counters lie in the order of their items there. */
static uint64_t
move_text(uint8_t *heap, uint64_t word, uint32_t *used)
{
    uint32_t bytes = text_length(heap, word) + (uint32_t)LENGTH_BYTES;
    uint64_t moved = (word & ~(uint64_t)UINT32_MAX) | *used;

    memmove(heap + *used, heap + (uint32_t)word, bytes);
    *used += bytes;
    return moved;
}

/*
 * Raises the floor of a bounded value to the highest upper bound that `keep` counters exceed, and
 * drops the others. Where so many are equal that next to none would be left, some that equal the
 * floor stay: a list of items that are all equally rare still has k of them.
 */
static void
purge(uint8_t *data, uint32_t keep, const SketchMemory *memory)
{
    Tally *tallies = tallies_of(data);
    uint64_t *deficits = deficits_of(data);
    uint32_t count = *counters_at(data);
    uint64_t *above = memory->scratch((size_t)count * sizeof *above, memory->context);
    uint32_t equals = keep < topk_packed_least(k_of(data)) ? keep : topk_packed_least(k_of(data));
    uint32_t kept = 0, used = 0;
    uint64_t rise;

    for (uint32_t i = 0; i < count; i++)
        above[i] = tallies[i].count - deficits[i];
    rise = topk_nth_largest(above, count, keep + 1);
    memory->release(above, memory->context);
    for (uint32_t i = 0; i < count; i++) {
        bool more = tallies[i].count - deficits[i] > rise;

        equals -= more && equals > 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t height = tallies[i].count - deficits[i];

        if (height < rise || (height == rise && equals == 0))
            continue;
        equals -= height == rise;
        tallies[kept] = tallies[i];
        deficits[kept] = deficits[i] + rise;
        if (data[3] == TOPK_TEXT)
            tallies[kept].word = move_text(heap_of(data), tallies[i].word, &used);
        kept++;
    }
    if (data[3] == TOPK_TEXT)
        *used_at(data) = used;
    *counters_at(data) = kept;
    *floor_at(data) += rise;
    fill_index(data);
}

/* ---- growing ---- */

/* The same content with room for `counters`, and of a text for `heap` bytes, and deficits or not. */
static SketchState
regrow(const uint8_t *data, TopkType type, uint32_t counters, size_t heap, bool bounded,
       const SketchMemory *memory)
{
    Layout layout = choose_layout(counters, k_of(data), bounded);
    uint32_t count = *counters_at(data);
    SketchState grown;

    /* Room for more counters is of use with room for their items. */
    if (type == TOPK_TEXT) {
        size_t guess = (count > 0 ? heap / count + 1 : TEXT_GUESS) * layout.capacity;
        size_t share = heap_share(k_of(data));

        guess = guess < share ? guess : share;
        heap = heap > guess ? heap : guess;
    }
    grown = new_working(k_of(data), type, layout, bounded, heap, memory);
    *total_at(grown.data) = *total_at(data);
    *floor_at(grown.data) = *floor_at(data);
    *counters_at(grown.data) = count;
    memcpy(tallies_of(grown.data), tallies_of(data), count * sizeof(Tally));
    if (bounded && is_bounded(data))
        memcpy(deficits_of(grown.data), deficits_of(data), count * sizeof(uint64_t));
    else if (bounded)
        memset(deficits_of(grown.data), 0, count * sizeof(uint64_t));
    if (data[3] == TOPK_TEXT) {
        *used_at(grown.data) = *used_at(data);
        memcpy(heap_of(grown.data), heap_of(data), *used_at(data));
    }
    fill_index(grown.data);
    return grown;
}

static void
replace(SketchState *state, SketchState fresh, const uint8_t *original, const SketchMemory *memory)
{
    if (state->data != original)
        memory->release_value(state->data, memory->context);
    *state = fresh;
}

/* A type for a value that has none yet, and deficits for one that needs them. */
static void
convert(SketchState *state, TopkType type, bool bounded, const uint8_t *original,
        const SketchMemory *memory)
{
    uint8_t *data = state->data;

    bounded |= is_bounded(data);
    if (data[3] == type && is_bounded(data) == bounded)
        return;
    if (data[3] == TOPK_NONE && type == TOPK_BIGINT && is_bounded(data) == bounded)
        data[3] = TOPK_BIGINT;
    else
        replace(state,
                regrow(data, type, capacity_of(data), data[3] == TOPK_TEXT ? heap_room(*state) : 0,
                       bounded, memory),
                original, memory);
}

/* Room for one more counter and, of a text, `bytes` more of the heap; the state has a type. */
static void
make_room(SketchState *state, size_t bytes, const uint8_t *original, const SketchMemory *memory)
{
    uint32_t k = k_of(state->data);
    uint32_t most = topk_counters_max(k);
    bool text = state->data[3] == TOPK_TEXT;

    for (;;) {
        const uint8_t *data = state->data;
        uint32_t count = *counters_at(data);
        size_t heap = text ? *used_at(data) + bytes : 0;
        bool full = count >= capacity_of(data);
        bool long_items = heap > heap_share(k);

        if (!full && (!text || heap <= heap_room(*state)))
            return;
        if (count >= most || (long_items && count > 2 * topk_packed_least(k)) ||
            heap > TOPK_BYTES_MAX) {
            convert(state, data[3], true, original, memory);
            purge(state->data, *counters_at(state->data) / 2, memory);
        } else {
            /* A heap that overflows before the counters do gets half as much again. */
            if (text && !full)
                heap += heap / 2;
            replace(state,
                    regrow(data, data[3], full ? count + 1 : capacity_of(data), heap,
                           is_bounded(data), memory),
                    original, memory);
        }
    }
}

/* ---- adding ---- */

static Found
find_item(const uint8_t *data, const TopkItem *item, uint32_t hash)
{
    return item->type == TOPK_BIGINT ? find_number(data, item->number)
                                     : find_text(data, hash, item->bytes, item->size);
}

/* Adds to an item's counter, or makes one; all checks are done, the state is of the item's type. */
static void
add_counter(SketchState *state, const TopkItem *item, uint64_t count, uint64_t deficit,
            const uint8_t *original, const SketchMemory *memory)
{
    bool text = item->type == TOPK_TEXT;
    uint32_t hash = text ? text_hash(item->bytes, item->size) : number_hash(item->number);
    size_t bytes = text ? LENGTH_BYTES + item->size : 0;
    Found found = find_item(state->data, item, hash);

    if (found.place != NOWHERE) {
        tallies_of(state->data)[found.place].count += count;
        if (is_bounded(state->data))
            deficits_of(state->data)[found.place] += deficit;
        return;
    }
    if (*counters_at(state->data) == capacity_of(state->data) ||
        (text && heap_room(*state) - *used_at(state->data) < bytes)) {
        make_room(state, bytes, original, memory);
        found = find_item(state->data, item, hash);
    }
    append(state->data,
           text ? store_text(state->data, hash, item->bytes, item->size) : (uint64_t)item->number,
           count, deficit, found.slot, hash);
}

static bool
check_type(const uint8_t *data, TopkType type, SketchError *error)
{
    if (data[3] == TOPK_NONE || type == TOPK_NONE || data[3] == type)
        return true;
    return sketch_refuse(error, SKETCH_MISMATCH,
                         data[3] == TOPK_BIGINT ? "Items of type bigint and of type text"
                                                : "Items of type text and of type bigint");
}

static bool
check_total(const uint8_t *data, uint64_t more, SketchError *error)
{
    uint64_t left = TOPK_TOTAL_MAX - *total_at(data);

    if (more <= left)
        return true;
    return sketch_refuse_range(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1",
                               (int64_t)more, 0, (int64_t)left);
}

bool
topk_insert(SketchState *state, TopkItem item, uint64_t weight, const SketchMemory *memory,
            SketchError *error)
{
    const uint8_t *original = state->data;

    if (!check_type(state->data, item.type, error))
        return false;
    if (item.type == TOPK_TEXT && item.size > TOPK_ITEM_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "An item is too long (bytes)", item.size, 0,
                                   TOPK_ITEM_MAX);
    if (!check_total(state->data, weight, error))
        return false;
    convert(state, item.type, false, original, memory);
    add_counter(state, &item, weight, 0, original, memory);
    *total_at(state->data) += weight;
    return true;
}

/* ---- reading ---- */

TopkHeader
topk_working_header(SketchBytes value)
{
    TopkHeader h = {.type = value.data[3]};

    /* Copied: the value may lie anywhere in a tuple. */
    memcpy(&h.total, value.data + 4, sizeof h.total);
    memcpy(&h.floor, value.data + 12, sizeof h.floor);
    memcpy(&h.k, value.data + 20, sizeof h.k);
    memcpy(&h.counters, value.data + 24, sizeof h.counters);
    return h;
}

/* Working values are not admitted, but a packed one that storage damaged may look like one. */
static bool
fits_working(SketchBytes value)
{
    const uint8_t *data = value.data;

    if (value.size < HEADER || (data[2] != TOPK_EXACT && data[2] != TOPK_BOUNDED) ||
        data[3] > TOPK_TEXT || k_of(data) < TOPK_K_MIN || k_of(data) > TOPK_K_MAX ||
        *total_at(data) > TOPK_TOTAL_MAX || *floor_at(data) > *total_at(data) ||
        (!is_bounded(data) && *floor_at(data) > 0) ||
        (data[3] == TOPK_NONE && *total_at(data) > 0) || *counters_at(data) > capacity_of(data) ||
        capacity_of(data) > value.size / sizeof(Tally) ||
        slots_of(data) > value.size / sizeof(uint32_t) || value.size < heap_offset(data))
        return false;
    return data[3] != TOPK_TEXT || (value.size - heap_offset(data) >= sizeof(uint32_t) &&
                                    *used_at(data) <= value.size - heap_offset(data) - 4);
}

/* Whether a text lies in the heap behind the one before it, which ends at *at. */
static bool
fits_heap(const uint8_t *data, uint64_t word, uint32_t *at)
{
    uint32_t used = *used_at(data);
    uint32_t size;

    if ((uint32_t)word != *at || used - *at < LENGTH_BYTES)
        return false;
    size = text_length(heap_of(data), word);
    if (size > TOPK_ITEM_MAX || size > used - *at - LENGTH_BYTES)
        return false;
    *at += (uint32_t)LENGTH_BYTES + size;
    return true;
}

bool
topk_read_working(Topk *topk, SketchBytes value, const SketchMemory *memory)
{
    const uint8_t *data = value.data;
    const Tally *tallies;
    uint64_t left;
    uint32_t at = 0;

    if (!fits_working(value))
        return false;
    topk->header = topk_working_header(value);
    left = topk->header.total - topk->header.floor;
    tallies = tallies_of(data);
    topk->counters =
        memory->scratch(topk->header.counters * sizeof(TopkCounter) + 1, memory->context);
    for (uint32_t i = 0; i < topk->header.counters; i++) {
        uint64_t deficit = is_bounded(data) ? deficits_of(data)[i] : 0;

        if (tallies[i].count == 0 || tallies[i].count > left || deficit > tallies[i].count ||
            deficit > topk->header.floor ||
            (data[3] == TOPK_TEXT && !fits_heap(data, tallies[i].word, &at))) {
            topk_close(topk, memory);
            return false;
        }
        left -= tallies[i].count;
        topk->counters[i] = (TopkCounter){.item = item_of(data, tallies[i].word),
                                          .count = tallies[i].count,
                                          .error = topk->header.floor - deficit};
    }
    if (topk->header.floor == 0 && left > 0) {
        topk_close(topk, memory);
        return false;
    }
    if (topk->header.total == 0)
        topk->header.type = TOPK_NONE;
    return true;
}

/* ---- merging ---- */

SketchState
topk_open_counters(const Topk *topk, const SketchMemory *memory)
{
    const TopkHeader *h = &topk->header;
    bool bounded = h->floor > 0;
    size_t heap = 0;
    SketchState state;

    for (uint32_t i = 0; h->type == TOPK_TEXT && i < h->counters; i++)
        heap += LENGTH_BYTES + topk->counters[i].item.size;
    state = new_working(h->k, h->type, choose_layout(h->counters, h->k, bounded), bounded, heap,
                        memory);
    *total_at(state.data) = h->total;
    *floor_at(state.data) = h->floor;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk->counters[i];

        add_counter(&state, &c->item, c->count, h->floor - c->error, NULL, memory);
    }
    if (*counters_at(state.data) < h->counters) {
        memory->release_value(state.data, memory->context);
        return (SketchState){NULL, 0};
    }
    return state;
}

SketchState
topk_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState state;
    Topk topk;

    if (!topk_read(&topk, value, memory))
        return (SketchState){NULL, 0};
    state = topk_open_counters(&topk, memory);
    topk_close(&topk, memory);
    return state;
}

/*
 * A purge in the middle is no harm: the item of a counter dropped there was added at most as often
 * as the floor then is, which is the error, but for the other's floor, of one that comes later.
 */
bool
topk_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    const uint8_t *original = state->data;
    const TopkHeader *h;
    Topk topk;

    if (!topk_read(&topk, other, memory))
        return sketch_refuse_damaged(error);
    h = &topk.header;
    if (!check_type(state->data, h->type, error) || !check_total(state->data, h->total, error)) {
        topk_close(&topk, memory);
        return false;
    }
    if (h->k < k_of(state->data))
        *field_at(state->data, 20) = h->k;
    if (h->type != TOPK_NONE)
        convert(state, h->type, h->floor > 0, original, memory);
    *floor_at(state->data) += h->floor;
    *total_at(state->data) += h->total;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk.counters[i];

        add_counter(state, &c->item, c->count, h->floor - c->error, original, memory);
    }
    topk_close(&topk, memory);
    return true;
}
