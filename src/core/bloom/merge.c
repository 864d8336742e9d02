/*
 * merge.c - union and intersection.
 *
 * The bits of two layers may be combined if the layers have the same shape, because an item then
 * has the same bits in both. A union ORs such layers unless the result would hold more items than
 * its capacity. Layers that cannot be ORed stay side by side, and their rates add up.
 *
 * An intersection ANDs two single layers of the same shape. If one side is a list, so is the
 * result: those hashes of the list that the other side has.
 */
#include "bloom_internal.h"

#include <math.h>
#include <string.h>

#define SAMPLE_BYTES 8192 /* of a layer */

/*
 * Sets the items of a layer that becomes a union or an intersection, with `ones` bits set.
 * `changed` is true if its bits differ from the result, `other_differs` if those of `other` do.
 *
 *     changed  other_differs    items
 *     no       yes              the layer's
 *     yes      no               those of `other`
 *     no       no               the counted one of the two; of two counted ones the higher in a
 *                               union, and the lower (`lower`) in an intersection
 *     yes      yes              estimated from `ones`
 */
static void
set_items(BloomLayer *layer, bool changed, const BloomLayer *other, bool other_differs,
          uint64_t ones, bool lower)
{
    bool better = layer->estimated != other->estimated ? layer->estimated
                  : lower                              ? layer->items > other->items
                                                       : layer->items < other->items;

    if (!other_differs && (changed || better)) {
        layer->items = other->items;
        layer->estimated = other->estimated;
    } else if (changed) {
        layer->items = bloom_estimate(layer, ones);
        layer->estimated = true;
    }
}

/* ---- union ---- */

/*
 * Returns true if a sample of blocks, which get items at random, shows that two layers have too
 * many items for one. A union of many values compares many pairs of layers. Reading 8 kB of each
 * instead of all saves a third of the instructions of a union of full filters (callgrind).
 */
static bool
sample_overflows(const BloomLayer *mine, const BloomLayer *other, const SketchMemory *memory)
{
    uint32_t blocks = SAMPLE_BYTES / mine->block_bytes;
    BloomLayer sample = *mine;
    BloomDifference difference;
    uint64_t ones;

    if (mine->items + other->items <= mine->capacity || mine->blocks < 4 * (uint64_t)blocks)
        return false;
    ones = bloom_layer_or_ones(mine, other, blocks, &difference, memory);
    sample.blocks = blocks;
    return (double)bloom_estimate(&sample, ones) * mine->blocks / blocks > 1.2 * mine->capacity;
}

/* ORs `other` into a layer of a state, of the same shape; false if it would hold too many items. */
static bool
or_into(uint8_t *entry, BloomLayer layer, const BloomLayer *other, const SketchMemory *memory)
{
    BloomDifference difference;
    uint64_t ones;

    if (sample_overflows(&layer, other, memory))
        return false;
    ones = bloom_layer_or_ones(&layer, other, layer.blocks, &difference, memory);
    set_items(&layer, difference.only_b, other, difference.only_a, ones, false);
    if (layer.items > layer.capacity)
        return false;
    if (difference.only_b)
        bloom_layer_or((uint8_t *)layer.bits, other, memory);
    bloom_write_entry(entry, &layer);
    return true;
}

/* ORs a layer into one of the first `layers` of a state; false if none has its shape and space. */
static bool
or_layer(SketchState state, uint32_t layers, const BloomLayer *other, const SketchMemory *memory)
{
    Bloom bloom = bloom_read_state(state);

    for (uint32_t i = 0; i < layers; i++) {
        uint8_t *entry = (uint8_t *)bloom.next;
        BloomLayer mine = bloom_next_layer(&bloom);

        if (bloom_layer_same_shape(&mine, other) && or_into(entry, mine, other, memory))
            return true;
    }
    return false;
}

/* Appends a layer. The space for layers grows by at least half, so appending many stays linear. */
static void
append_layer(StateWriter *w, const BloomLayer *layer)
{
    const uint64_t needed = (BLOOM_LAYER_HEADER + bloom_layer_bytes(layer) + 7) / 8 * 8;
    const size_t hashes = bloom_state(w->state.data)->hashes * sizeof(uint64_t);
    const uint8_t *data = w->state.data;
    uint8_t *from;

    if (sketch_encoding(data) != BLOOM_LAYERS ||
        hash_log_max(bloom_log(w->state)) * sizeof(uint64_t) < needed + hashes) {
        uint64_t more = needed + bloom_state_layer_bytes(data) / 2;

        state_replace(w, bloom_open_with(bloom_read_state(w->state), more, 0, w->memory));
        data = w->state.data;
    }
    from = (uint8_t *)bloom_state_hashes(data);
    memmove(from + needed, from, hashes);
    bloom_append_layer(w->state, layer, w->memory);
    memmove(bloom_state_hashes(data), from + needed, hashes);
    state_poll(w, SKETCH_POLL_STEPS);
}

/* Sets the higher capacity and expansion and the lower rate: a result grows if either side does. */
static void
merge_parameters(SketchState state, const Bloom *mine, const Bloom *theirs)
{
    BloomState *s = bloom_state(state.data);

    s->expansion =
        (uint16_t)(mine->expansion > theirs->expansion ? mine->expansion : theirs->expansion);
    s->capacity = mine->capacity > theirs->capacity ? mine->capacity : theirs->capacity;
    s->rate = mine->rate < theirs->rate ? mine->rate : theirs->rate;
}

/* Returns the sum of the layers' rates. */
static double
sum_of_rates(Bloom bloom)
{
    double sum = 0;

    while (bloom.layers-- > 0)
        sum += bloom_next_layer(&bloom).rate;
    return sum;
}

/* The limits of a union. */
typedef struct BloomLimit {
    uint32_t layers;
    double rate;
} BloomLimit;

static BloomLimit
union_limit(const Bloom *mine, const Bloom *theirs)
{
    double rate = 2 * (mine->rate < theirs->rate ? mine->rate : theirs->rate);

    return (BloomLimit){BLOOM_UNION_LAYERS_MAX,
                        rate > BLOOM_UNION_RATE_MAX ? rate : BLOOM_UNION_RATE_MAX};
}

/*
 * Returns true if a union may have this many layers and this sum of rates; if not, *error says how
 * to avoid it.
 */
static bool
check_limit(BloomLimit limit, uint32_t layers, double rate, SketchError *error)
{
    if (layers > limit.layers)
        return sketch_refuse_range(error, SKETCH_LIMIT,
                                   "Filters of a union (made with one capacity, large enough for "
                                   "all items, they become one)",
                                   layers, 1, limit.layers);
    if (rate > limit.rate)
        return sketch_refuse_range(error, SKETCH_LIMIT,
                                   "Error rates of a union, added up, in percent (filters made "
                                   "with one capacity, large enough for all items, become one)",
                                   (int64_t)ceil(100 * rate), 0, (int64_t)(100 * limit.rate));
    return true;
}

/*
 * Adds the layers of `theirs`; on failure the state may have changed, unless `theirs` has only one
 * layer. A union with a list never fails.
 */
static bool
merge_layers(StateWriter *w, const Bloom *mine, Bloom theirs, SketchError *error)
{
    BloomLimit limit = union_limit(mine, &theirs);
    uint32_t layers = mine->layers;
    double rate = sum_of_rates(*mine);

    for (uint32_t i = theirs.layers; i > 0; i--) {
        BloomLayer layer = bloom_next_layer(&theirs);

        if (or_layer(w->state, mine->layers, &layer, w->memory))
            continue;
        layers++;
        rate += layer.rate;
        if (mine->layers > 0 && !check_limit(limit, layers, rate, error))
            return false;
        append_layer(w, &layer);
    }
    return true;
}

/* Returns true if a union may exceed a limit halfway, and so has to be tried on a copy. */
static bool
may_pass_limit(const Bloom *mine, const Bloom *theirs)
{
    BloomLimit limit = union_limit(mine, theirs);

    return mine->layers > 0 && theirs->layers > 1 &&
           (mine->layers + theirs->layers > limit.layers ||
            sum_of_rates(*mine) + sum_of_rates(*theirs) > limit.rate);
}

static bool
merge_growing(SketchState *state, const Bloom *mine, const Bloom *theirs,
              const SketchMemory *memory, SketchError *error)
{
    StateWriter w = state_writer(*state, memory);

    if (may_pass_limit(mine, theirs))
        w = (StateWriter){.state = bloom_open_with(*mine, 0, 0, memory), .memory = memory};
    if (!merge_layers(&w, mine, *theirs, error)) {
        if (w.state.data != state->data)
            memory->release_value(w.state.data, memory->context);
        return false;
    }
    merge_parameters(w.state, mine, theirs);
    bloom_grow(&w, theirs->hashes.count);
    hash_log_append(bloom_log(w.state), &theirs->hashes, memory);
    *state = w.state;
    return true;
}

/* Refuses layers of different shapes where one shape is needed, and names the difference. */
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

/* Adds the hashes of a list to a copy of a filter, where neither side grows. */
static bool
insert_list(SketchState *state, const Bloom *filter, const Bloom *list, const SketchMemory *memory,
            SketchError *error)
{
    StateWriter w = {.state = bloom_open_with(*filter, 0, 0, memory), .memory = memory};

    merge_parameters(w.state, filter, list);
    for (uint32_t i = 0; i < list->hashes.count; i++)
        if (!bloom_add_fixed(&w, hash_list_at(&list->hashes, i), error)) {
            memory->release_value(w.state.data, memory->context);
            return false;
        }
    *state = w.state;
    return true;
}

/*
 * Returns true if a union of two lists that do not grow begins with `a`. The order matters, because
 * an item of the second list is not added if the union so far reports it, even falsely. A fixed
 * order makes a | b equal to b | a.
 */
static bool
sorts_before(const Bloom *a, const Bloom *b)
{
    if (a->hashes.count != b->hashes.count)
        return a->hashes.count > b->hashes.count;
    for (uint32_t i = 0; i < a->hashes.count; i++) {
        uint64_t x = hash_list_at(&a->hashes, i), y = hash_list_at(&b->hashes, i);

        if (x != y)
            return x < y;
    }
    return false;
}

/* Merges two values that do not grow: the union has to be one filter, within its capacity. */
static bool
merge_fixed(SketchState *state, const Bloom *mine, const Bloom *theirs, const SketchMemory *memory,
            SketchError *error)
{
    Bloom a = *mine, b = *theirs;
    BloomLayer mine_layer, layer;

    if (mine->layers == 0 && (theirs->layers > 0 || sorts_before(theirs, mine)))
        return insert_list(state, theirs, mine, memory, error);
    if (theirs->layers == 0)
        return insert_list(state, mine, theirs, memory, error);
    mine_layer = bloom_next_layer(&a);
    layer = bloom_next_layer(&b);
    if (!bloom_layer_same_shape(&mine_layer, &layer))
        return refuse_shapes(mine, theirs, &mine_layer, &layer, error);
    if (!or_layer(*state, 1, &layer, memory))
        return sketch_refuse_range(error, SKETCH_LIMIT, "Items of filters that do not grow",
                                   (int64_t)(mine_layer.items + layer.items), 0,
                                   (int64_t)layer.capacity);
    return true;
}

bool
bloom_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    Bloom mine, theirs;

    if (!bloom_read(&mine, sketch_bytes(*state)) || !bloom_read(&theirs, other))
        return sketch_refuse_damaged(error);
    if (mine.expansion == 0 && theirs.expansion == 0)
        return merge_fixed(state, &mine, &theirs, memory, error);
    return merge_growing(state, &mine, &theirs, memory, error);
}

/* ---- intersection ---- */

/* Returns a list of those hashes of `from` that `other` contains. */
static SketchState
hashes_in_both(const Bloom *from, SketchBytes other, const SketchMemory *memory)
{
    SketchState state = bloom_new_state(from, 0, from->hashes.count, memory);
    size_t steps = 0;

    for (uint32_t i = 0; i < from->hashes.count; i++) {
        uint64_t hash = hash_list_at(&from->hashes, i);

        sketch_poll(memory, &steps, 1 + BLOOM_LAYERS_MAX);
        if (bloom_contains(other, hash))
            hash_log_add(bloom_log(state), hash);
    }
    return state;
}

/* Returns the side that is a list; of two lists, the one with the higher capacity. */
static const Bloom *
list_side(const Bloom *mine, const Bloom *theirs)
{
    if (mine->layers == 0 && theirs->layers == 0)
        return mine->capacity > theirs->capacity ? mine : theirs;
    return mine->layers == 0 ? mine : theirs;
}

/*
 * Makes sure that the hashes of an intersection stay a list: bits would report items that neither
 * side has. A higher capacity or expansion can mean a shorter list, because the first filter gets a
 * larger share of the rate. If the list is too long for the merged parameters, it keeps the
 * capacity and expansion of `list`, which allow that many hashes.
 */
static void
keep_list(SketchState state, const Bloom *list)
{
    BloomState *s = bloom_state(state.data);
    Bloom both = bloom_read_state(state);

    if (both.hashes.count > bloom_list_limit(&both)) {
        s->expansion = (uint16_t)list->expansion;
        s->capacity = list->capacity;
    }
}

/* ANDs two layers: the bits of their common items stay, and others by chance. */
static void
and_into(uint8_t *entry, BloomLayer layer, const BloomLayer *other, const SketchMemory *memory)
{
    uint64_t mine = bloom_layer_ones(&layer, memory), theirs = bloom_layer_ones(other, memory);
    uint64_t both;

    bloom_layer_and((uint8_t *)layer.bits, other, memory);
    both = bloom_layer_ones(&layer, memory);
    set_items(&layer, mine != both, other, theirs != both, both, true);
    bloom_write_entry(entry, &layer);
}

/* Intersects two values that are single layers of the same shape; refuses all others. */
static bool
intersect_layers(Bloom mine, Bloom theirs, const SketchMemory *memory, SketchError *error)
{
    uint8_t *entry = (uint8_t *)mine.next;
    BloomLayer a = bloom_next_layer(&mine), b = bloom_next_layer(&theirs);

    if (mine.layers > 1 || theirs.layers > 1)
        return sketch_refuse_range(error, SKETCH_MISMATCH, "Filters on one side",
                                   mine.layers > theirs.layers ? mine.layers : theirs.layers, 0, 1);
    if (!bloom_layer_same_shape(&a, &b))
        return refuse_shapes(&mine, &theirs, &a, &b, error);
    and_into(entry, a, &b, memory);
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
    whole = bloom_repack(sketch_bytes(*state), memory);
    packed = bloom_pack(other, memory);
    mine = bloom_read_state(whole);
    bloom_read(&theirs, packed);
    if (mine.layers > 0 && theirs.layers > 0)
        good = intersect_layers(mine, theirs, memory, error);
    else {
        SketchState both = mine.layers == 0 ? hashes_in_both(&mine, packed, memory)
                                            : hashes_in_both(&theirs, sketch_bytes(whole), memory);

        memory->release_value(whole.data, memory->context);
        whole = both;
    }
    if (good) {
        merge_parameters(whole, &mine, &theirs);
        keep_list(whole, list_side(&mine, &theirs));
        *state = whole;
    } else
        memory->release_value(whole.data, memory->context);
    memory->release_value((uint8_t *)packed.data, memory->context);
    return good;
}
