/*
 * working.c - filters that change: adding, union, intersection.
 *
 * Two working encodings, in host byte order:
 *
 *     0..3    as in every value
 *     4..5    expansion
 *     6..7    zero
 *     8..11   hashes
 *     12..19  capacity
 *     20..27  rate
 *
 *     hashes (0x80):   28..   hashes, 8 bytes each, in no order and with repetitions
 *     layers (0x81):   28..35 bytes of the layers
 *                      36..39 layers
 *                      40..43 zero
 *                      44..   layers, each its entry as it is stored and then its bits; at the next
 *                             multiple of 8 from 44 on hashes, as above
 *
 * What is added is appended to the hashes; which of them are new, and where they belong, is decided
 * by packing. A value begins with 128 bytes for 12 hashes, length word included, and doubles when
 * it is full of distinct ones (but for 32 MB, which is left out). Only more than 67 million of them
 * become a layer on the way.
 *
 * A filter that must not grow (expansion 0) is always kept as layers, and an item is put into its
 * place at once: it has to be known when it is full.
 */
#include "bloom_internal.h"

#include <string.h>

#include "core/common/distinct.h"

#define SMALLEST_CHUNK 128
#define LARGEST_CHUNK (UINT64_C(1) << 29)
#define LEAP (UINT64_C(1) << 24) /* a value of so many bytes grows fourfold */
#define SAMPLE_BYTES 8192        /* of a layer */
#define LOOKED_AT 1024           /* layers */
#define GUESSED_FROM 65536       /* so many hashes are looked at before they are distributed */

static uint32_t *
count_at(SketchState state)
{
    return (uint32_t *)(state.data + 8);
}

static uint64_t
layer_bytes(SketchState state)
{
    uint64_t bytes = 0;

    if (state.data[2] == BLOOM_LAYERS)
        memcpy(&bytes, state.data + 28, sizeof bytes);
    return bytes;
}

static size_t
hashes_begin(SketchState state)
{
    return state.data[2] == BLOOM_LAYERS ? BLOOM_LAYERS_HEADER + (layer_bytes(state) + 7) / 8 * 8
                                         : BLOOM_HASHES_HEADER;
}

static uint64_t *
hashes_of(SketchState state)
{
    return (uint64_t *)(state.data + hashes_begin(state));
}

static size_t
room_of(SketchState state)
{
    return (state.size - hashes_begin(state)) / sizeof(uint64_t);
}

static unsigned
expansion_of(SketchState state)
{
    return *(uint16_t *)(state.data + 4);
}

/* A value of `size` bytes or more that fills a power of two with its length word. */
static SketchState
new_chunk(size_t size, const SketchMemory *memory)
{
    size_t chunk = SMALLEST_CHUNK;
    SketchState state;

    while (chunk < size + SKETCH_PREFIX_BYTES && chunk < LARGEST_CHUNK)
        chunk *= 2;
    /* Beyond that it is as large as it has to be. */
    state.size = chunk >= size + SKETCH_PREFIX_BYTES ? chunk - SKETCH_PREFIX_BYTES : size;
    state.data = memory->value(state.size, memory->context);
    return state;
}

/* An empty value with room for layers of so many bytes and so many hashes. */
static SketchState
new_working(uint64_t capacity, double rate, unsigned expansion, uint64_t bytes, size_t hashes,
            const SketchMemory *memory)
{
    bool layered = bytes > 0 || expansion == 0;
    size_t header = layered ? BLOOM_LAYERS_HEADER + (bytes + 7) / 8 * 8 : BLOOM_HASHES_HEADER;
    SketchState state = new_chunk(header + hashes * sizeof(uint64_t), memory);
    uint16_t narrow = (uint16_t)expansion;

    memset(state.data, 0, layered ? BLOOM_LAYERS_HEADER : BLOOM_HASHES_HEADER);
    state.data[0] = SKETCH_BLOOM;
    state.data[1] = bloom_ops.version;
    state.data[2] = layered ? BLOOM_LAYERS : BLOOM_HASHES;
    state.data[3] = SKETCH_HASH_XXH3;
    memcpy(state.data + 4, &narrow, sizeof narrow);
    memcpy(state.data + 12, &capacity, sizeof capacity);
    memcpy(state.data + 20, &rate, sizeof rate);
    return state;
}

SketchState
bloom_new(uint64_t capacity, double rate, unsigned expansion, const SketchMemory *memory)
{
    return new_working(capacity, rate, expansion, 0, 0, memory);
}

/* The bytes that the layers of a value take in a working one. */
static uint64_t
layers_size(Bloom bloom)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < bloom.layers; i++) {
        BloomLayer layer = bloom_next_layer(&bloom);

        bytes += BLOOM_LAYER_HEADER + bloom_layer_bytes(&layer);
    }
    return bytes;
}

/* Behind the other layers; there has to be room, and there must be no hashes. */
static void
append_layer(SketchState state, const BloomLayer *layer)
{
    uint64_t bytes = layer_bytes(state);
    uint8_t *to = state.data + BLOOM_LAYERS_HEADER + bytes;

    bloom_layer_write(to, layer);
    memcpy(to + BLOOM_LAYER_HEADER, layer->bits, bloom_layer_bytes(layer));
    bytes += BLOOM_LAYER_HEADER + bloom_layer_bytes(layer);
    memcpy(state.data + 28, &bytes, sizeof bytes);
    *(uint32_t *)(state.data + 36) += 1;
}

static SketchState
open_bloom(Bloom bloom, uint64_t more_bytes, size_t more_hashes, const SketchMemory *memory)
{
    SketchState state =
        new_working(bloom.capacity, bloom.rate, bloom.expansion, layers_size(bloom) + more_bytes,
                    bloom.hashes + more_hashes, memory);
    uint64_t *to;

    for (Bloom at = bloom; at.layers > 0; at.layers--) {
        BloomLayer layer = bloom_next_layer(&at);

        append_layer(state, &layer);
    }
    to = hashes_of(state);
    if (bloom.working)
        memcpy(to, bloom.hash, bloom.hashes * sizeof *to);
    else
        for (uint32_t i = 0; i < bloom.hashes; i++)
            to[i] = bloom_hash_at(&bloom, i);
    *count_at(state) = bloom.hashes;
    return state;
}

SketchState
bloom_open(SketchBytes value, const SketchMemory *memory)
{
    Bloom bloom;

    if (!bloom_read(&bloom, value))
        return (SketchState){NULL, 0};
    return open_bloom(bloom, 0, 0, memory);
}

/* Goes on with another value; gives the one before back unless it is the caller's. */
static void
replace(SketchState *state, SketchState with, const uint8_t *callers, const SketchMemory *memory)
{
    if (state->data != callers)
        memory->release_value(state->data, memory->context);
    *state = with;
}

static Bloom
read_state(SketchState state)
{
    Bloom bloom;

    /* It was read before, so it can be read. */
    if (!bloom_read(&bloom, sketch_bytes(state)))
        memset(&bloom, 0, sizeof bloom);
    return bloom;
}

/* ---- adding ---- */

/* The value as if it had been packed and opened: hashes that are many have become a layer. */
static SketchState
settled(SketchBytes value, const SketchMemory *memory)
{
    SketchBytes packed = bloom_pack(value, memory);
    SketchState state = bloom_open(packed, memory);

    memory->release_value((uint8_t *)packed.data, memory->context);
    return state;
}

/* Drops repetitions, if there are likely to be many; returns how many hashes there are. */
static uint32_t
drop_repetitions(SketchState state, const SketchMemory *memory)
{
    uint32_t count = *count_at(state);
    uint64_t *hashes = hashes_of(state), *distinct;

    if (count > GUESSED_FROM && distinct_guess(hashes, count, memory) > count / 16 * 9)
        return count;
    distinct = memory->scratch(count * sizeof *distinct + 1, memory->context);
    count = (uint32_t)distinct_hashes(hashes, count, distinct, memory);
    memcpy(hashes, distinct, count * sizeof *hashes);
    memory->release(distinct, memory->context);
    *count_at(state) = count;
    return count;
}

/* Room for at least one more hash; as a rule for as many again as there are distinct ones. */
static void
make_room(SketchState *state, const uint8_t *callers, const SketchMemory *memory)
{
    size_t room = room_of(*state);
    uint32_t count = *count_at(*state);

    if (count < room)
        return;
    if (count > 0 && drop_repetitions(*state, memory) <= room / 2)
        return;
    if (state->size + SKETCH_PREFIX_BYTES >= LARGEST_CHUNK && room > LARGEST_CHUNK / 32)
        replace(state, settled(sketch_bytes(*state), memory), callers, memory);
    count = *count_at(*state);
    if (count == room_of(*state)) {
        size_t more = count / 2 + 1 + layer_bytes(*state) / 64;

        /* The executor copies all of it, the room included: one large step is left out. */
        if (state->size + SKETCH_PREFIX_BYTES == LEAP)
            more += count;
        replace(state, open_bloom(read_state(*state), 0, more, memory), callers, memory);
    }
}

static bool
refuse_full(uint64_t items, uint64_t capacity, SketchError *error)
{
    return sketch_refuse_range(error, SKETCH_LIMIT, "Items of a filter that does not grow",
                               (int64_t)items, 0, (int64_t)capacity);
}

/* Of a filter that does not grow: an item goes where it belongs at once. */
static bool
insert_fixed(SketchState *state, uint64_t hash, const SketchMemory *memory, SketchError *error)
{
    const uint8_t *callers = state->data;
    Bloom bloom = read_state(*state);
    BloomLayer layer;
    uint8_t *entry;

    if (bloom_contains(sketch_bytes(*state), hash))
        return true;
    if (bloom.layers == 0) {
        if (bloom.hashes >= bloom.capacity)
            return refuse_full(bloom.hashes + UINT64_C(1), bloom.capacity, error);
        make_room(state, callers, memory);
        hashes_of(*state)[(*count_at(*state))++] = hash;
        if (bloom.hashes + 1 > bloom_list_limit(&bloom))
            replace(state, settled(sketch_bytes(*state), memory), callers, memory);
        return true;
    }
    entry = (uint8_t *)bloom.next;
    layer = bloom_next_layer(&bloom);
    if (layer.items >= layer.capacity)
        return refuse_full(layer.items + 1, layer.capacity, error);
    bloom_layer_set(&layer, (uint8_t *)layer.bits, hash);
    layer.items++;
    bloom_layer_write(entry, &layer);
    return true;
}

bool
bloom_insert(SketchState *state, uint64_t hash, const SketchMemory *memory, SketchError *error)
{
    if (expansion_of(*state) == 0)
        return insert_fixed(state, hash, memory, error);
    make_room(state, state->data, memory);
    hashes_of(*state)[(*count_at(*state))++] = hash;
    return true;
}

/* ---- union ---- */

/*
 * The items of a layer whose bits have become `result` bits; `changed` says whether they were
 * others before, `other_differs` whether those of another layer are others. Where either was the
 * same its count stands for the result, one that was counted before one that was estimated;
 * otherwise the bits tell.
 */
static void
count_items(BloomLayer *layer, bool changed, const BloomLayer *other, bool other_differs,
            uint64_t result)
{
    bool better =
        layer->estimated == other->estimated ? layer->items < other->items : layer->estimated;

    if (!other_differs && (changed || better)) {
        layer->items = other->items;
        layer->estimated = other->estimated;
    } else if (changed) {
        layer->items = bloom_estimate(layer, result);
        layer->estimated = true;
    }
}

/*
 * Whether the union of two layers is far beyond the capacity, seen from some of the blocks: they
 * get items at random. A union of many asks that of many pairs.
 */
static bool
surely_too_many(const BloomLayer *mine, const BloomLayer *other)
{
    uint32_t blocks = SAMPLE_BYTES / mine->block_bytes;
    BloomLayer sample = *mine;
    BloomMore more;
    uint64_t ones;

    if (mine->items + other->items <= mine->capacity || mine->blocks < 4 * (uint64_t)blocks)
        return false;
    ones = bloom_layer_or_ones(mine, other, blocks, &more);
    sample.blocks = blocks;
    return (double)bloom_estimate(&sample, ones) * mine->blocks / blocks > 1.2 * mine->capacity;
}

/* ORs a layer of the same shape into one of a state, if their items fit. */
static bool
or_into(uint8_t *entry, BloomLayer layer, const BloomLayer *other)
{
    BloomMore more;
    uint64_t both;

    if (surely_too_many(&layer, other))
        return false;
    both = bloom_layer_or_ones(&layer, other, layer.blocks, &more);
    count_items(&layer, more.b, other, more.a, both);
    if (layer.items > layer.capacity)
        return false;
    if (more.b)
        bloom_layer_or((uint8_t *)layer.bits, other);
    bloom_layer_write(entry, &layer);
    return true;
}

/*
 * ORs a layer into one of the first `layers` of the state's that it fits; false when there is none.
 * Of very many only some are looked at: what they are united with may have as many.
 */
static bool
or_layer(SketchState state, uint32_t layers, const BloomLayer *other)
{
    Bloom bloom = {.working = true, .next = state.data + BLOOM_LAYERS_HEADER};

    bloom.next_bits = bloom.next + BLOOM_LAYER_HEADER;
    for (uint32_t i = 0; i < layers && i < LOOKED_AT; i++) {
        uint8_t *entry = (uint8_t *)bloom.next;
        BloomLayer mine = bloom_next_layer(&bloom);

        if (bloom_layer_same_shape(&mine, other) && or_into(entry, mine, other))
            return true;
    }
    return false;
}

/* A layer behind the others; the room for them doubles, so that many can be appended. */
static void
add_layer(SketchState *state, const BloomLayer *layer, const uint8_t *callers,
          const SketchMemory *memory)
{
    uint64_t needed = (BLOOM_LAYER_HEADER + bloom_layer_bytes(layer) + 7) / 8 * 8;
    size_t hashes = *count_at(*state) * sizeof(uint64_t);
    uint8_t *from;

    if (state->data[2] != BLOOM_LAYERS || state->size - hashes_begin(*state) < needed + hashes)
        replace(state, open_bloom(read_state(*state), needed + layer_bytes(*state) / 2, 0, memory),
                callers, memory);
    from = state->data + hashes_begin(*state);
    memmove(from + needed, from, hashes);
    append_layer(*state, layer);
    memmove(state->data + hashes_begin(*state), from + needed, hashes);
}

static void
append_hashes(SketchState *state, const Bloom *from, const uint8_t *callers,
              const SketchMemory *memory)
{
    for (uint32_t done = 0; done < from->hashes;) {
        uint64_t *to;
        uint32_t count;
        size_t room;

        make_room(state, callers, memory);
        room = room_of(*state);
        to = hashes_of(*state);
        for (count = *count_at(*state); count < room && done < from->hashes; done++)
            to[count++] = bloom_hash_at(from, done);
        *count_at(*state) = count;
    }
}

/* What a union or an intersection is for: higher capacity, lower rate; growing if one is. */
static void
combine_parameters(SketchState state, const Bloom *mine, const Bloom *theirs)
{
    uint16_t expansion =
        (uint16_t)(mine->expansion > theirs->expansion ? mine->expansion : theirs->expansion);
    uint64_t capacity = mine->capacity > theirs->capacity ? mine->capacity : theirs->capacity;
    double rate = mine->rate < theirs->rate ? mine->rate : theirs->rate;

    memcpy(state.data + 4, &expansion, sizeof expansion);
    memcpy(state.data + 12, &capacity, sizeof capacity);
    memcpy(state.data + 20, &rate, sizeof rate);
}

static void
unite(SketchState *state, const Bloom *mine, Bloom theirs, const uint8_t *callers,
      const SketchMemory *memory)
{
    combine_parameters(*state, mine, &theirs);
    for (uint32_t i = theirs.layers; i > 0; i--) {
        BloomLayer layer = bloom_next_layer(&theirs);

        if (!or_layer(*state, mine->layers, &layer))
            add_layer(state, &layer, callers, memory);
    }
    append_hashes(state, &theirs, callers, memory);
}

/* The layers of two values have to be of one shape and are not: says what is different. */
static bool
refuse_shapes(const Bloom *mine, const Bloom *theirs, const BloomLayer *a, const BloomLayer *b,
              SketchError *error)
{
    int64_t x = (int64_t)(mine->rate * 1e9 + 0.5), y = (int64_t)(theirs->rate * 1e9 + 0.5);

    if (a->capacity != b->capacity)
        return sketch_refuse_range(error, SKETCH_MISMATCH, "Filters of different capacities",
                                   (int64_t)a->capacity, (int64_t)b->capacity,
                                   (int64_t)b->capacity);
    if (x != y)
        return sketch_refuse_range(error, SKETCH_MISMATCH,
                                   "Filters of different error rates (in billionths)", x, y, y);
    return sketch_refuse(error, SKETCH_MISMATCH, "Filters of different shapes");
}

/* Neither grows: the union has to be one filter, within its capacity. */
static bool
unite_fixed(SketchState *state, const Bloom *mine, const Bloom *theirs, const SketchMemory *memory,
            SketchError *error)
{
    SketchState both;
    Bloom more;

    if (mine->layers > 0 && theirs->layers > 0) {
        Bloom a = *mine, b = *theirs;
        BloomLayer mine_layer = bloom_next_layer(&a), layer = bloom_next_layer(&b);

        if (!bloom_layer_same_shape(&mine_layer, &layer))
            return refuse_shapes(mine, theirs, &mine_layer, &layer, error);
        if (!or_layer(*state, 1, &layer))
            return sketch_refuse_range(error, SKETCH_LIMIT, "Items of filters that do not grow",
                                       (int64_t)(mine_layer.items + layer.items), 0,
                                       (int64_t)layer.capacity);
        return true;
    }
    more = mine->layers > 0 ? *theirs : *mine;
    both = open_bloom(mine->layers > 0 ? *mine : *theirs, 0, 0, memory);
    combine_parameters(both, mine, theirs);
    for (uint32_t i = 0; i < more.hashes; i++) {
        uint8_t *before = both.data;
        bool fits = insert_fixed(&both, bloom_hash_at(&more, i), memory, error);

        if (both.data != before)
            memory->release_value(before, memory->context);
        if (!fits) {
            memory->release_value(both.data, memory->context);
            return false;
        }
    }
    *state = both;
    return true;
}

bool
bloom_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    Bloom mine, theirs;

    if (!bloom_read(&mine, sketch_bytes(*state)) || !bloom_read(&theirs, other))
        return sketch_refuse_damaged(error);
    if (theirs.layers > BLOOM_LAYERS_MAX - mine.layers)
        return sketch_refuse_range(error, SKETCH_LIMIT, "Filters of a union",
                                   (int64_t)mine.layers + theirs.layers, 0, BLOOM_LAYERS_MAX);
    if (mine.expansion == 0 && theirs.expansion == 0)
        return unite_fixed(state, &mine, &theirs, memory, error);
    unite(state, &mine, theirs, state->data, memory);
    return true;
}

/* ---- intersection ---- */

/* Those hashes of one value that the other has, too. */
static SketchState
hashes_in_both(const Bloom *from, SketchBytes other, const SketchMemory *memory)
{
    SketchState state =
        new_working(from->capacity, from->rate, from->expansion, 0, from->hashes, memory);
    uint64_t *to = hashes_of(state);
    uint32_t count = 0;

    for (uint32_t i = 0; i < from->hashes; i++) {
        to[count] = bloom_hash_at(from, i);
        count += bloom_contains(other, to[count]);
    }
    *count_at(state) = count;
    return state;
}

/* The bits that both have are those of their common items, and some more by chance. */
static void
and_into(uint8_t *entry, BloomLayer layer, const BloomLayer *other)
{
    uint64_t mine = bloom_layer_ones(&layer), theirs = bloom_layer_ones(other), result;

    bloom_layer_and((uint8_t *)layer.bits, other);
    result = bloom_layer_ones(&layer);
    count_items(&layer, mine != result, other, theirs != result, result);
    bloom_layer_write(entry, &layer);
}

/* Of filters: both have to be one layer, and of one shape. */
static bool
intersect_layers(Bloom mine, Bloom theirs, SketchError *error)
{
    uint8_t *entry = (uint8_t *)mine.next;
    BloomLayer a = bloom_next_layer(&mine), b = bloom_next_layer(&theirs);

    if (mine.layers > 1 || theirs.layers > 1)
        return sketch_refuse_range(error, SKETCH_MISMATCH, "Filters of one side",
                                   mine.layers > theirs.layers ? mine.layers : theirs.layers, 0, 1);
    if (!bloom_layer_same_shape(&a, &b))
        return refuse_shapes(&mine, &theirs, &a, &b, error);
    and_into(entry, a, &b);
    return true;
}

bool
bloom_intersect(SketchState *state, SketchBytes other, const SketchMemory *memory,
                SketchError *error)
{
    SketchState whole;
    SketchBytes packed;
    Bloom mine, theirs;
    bool good = true;

    if (!bloom_read(&mine, sketch_bytes(*state)) || !bloom_read(&theirs, other))
        return sketch_refuse_damaged(error);
    whole = settled(sketch_bytes(*state), memory);
    packed = bloom_pack(other, memory);
    mine = read_state(whole);
    bloom_read(&theirs, packed);
    if (mine.layers > 0 && theirs.layers > 0)
        good = intersect_layers(mine, theirs, error);
    else {
        SketchState both = mine.layers == 0 ? hashes_in_both(&mine, packed, memory)
                                            : hashes_in_both(&theirs, sketch_bytes(whole), memory);

        memory->release_value(whole.data, memory->context);
        whole = both;
    }
    if (good) {
        combine_parameters(whole, &mine, &theirs);
        *state = whole;
    } else
        memory->release_value(whole.data, memory->context);
    memory->release_value((uint8_t *)packed.data, memory->context);
    return good;
}
