/*
 * working.c - states: adding, growing, compacting. Their structs: tdigest.h.
 *
 * A digest begins as values: a group of ten takes 128 bytes. Values double up to 16 kB. What does
 * not fit there becomes centroids of the largest size at once. What has weights becomes centroids,
 * too, which double up to that size: there the buffer behind the sorted ones is long enough to make
 * sorting cheap. From then on a full state is compacted in place, to five times the compression.
 *
 * Values of a weight are points, and runs are polygons (polygon.c), so a state has either behind
 * the centroids that are in order.
 */
#include <math.h>

#include "tdigest_internal.h"

#define MIN_CHUNK_BYTES 128
#define MAX_VALUES_CHUNK_BYTES 16384 /* and the largest of values */
#define BUFFER 2048                  /* centroids that may wait to be merged, at least */

/* A sample is taken of digests that have at most this part of the weight. */
#define SAMPLED_SHARE 256

static TdigestState *
state_of(SketchState state)
{
    return state_at(state.data);
}

static TdigestCentroids *
centroids_of(SketchState state)
{
    return state_at(state.data);
}

static bool
has_values(SketchState state)
{
    return state_of(state)->header.encoding == TDIGEST_VALUES;
}

/* Centroids beyond which a digest does not grow but is compacted. */
static uint32_t
capacity_max(unsigned compression)
{
    return compression * TDIGEST_FINENESS + BUFFER;
}

/* What is at the end of a state: ends that are next to bounds, and quantiles. */
typedef struct Tail {
    TdigestEnds ends;
    unsigned requested;
    const uint8_t *quantiles;
} Tail;

static Tail
tail_of(SketchState state)
{
    Tail tail = {.ends = tdigest_state_ends(sketch_bytes(state))};

    tail.quantiles = tdigest_requested(sketch_bytes(state), &tail.requested);
    return tail;
}

static void
write_ends(SketchState state, const TdigestEnds *ends)
{
    double both[2] = {ends->low, ends->high};

    memcpy(state_end(state) - state_of(state)->requested * sizeof(double) - sizeof both, both,
           sizeof both);
    state_of(state)->header.hash = tdigest_ends_byte(ends);
}

/*
 * An empty state with room for `count`, which fills a power of two. In large ones the tail is
 * behind that, so that a digest is compacted at the same values whatever is requested of it.
 */
static SketchState
new_state(uint8_t encoding, unsigned compression, uint32_t count, const Tail *tail,
          const SketchMemory *memory)
{
    bool values = encoding == TDIGEST_VALUES;
    size_t header = values ? sizeof(TdigestState) : sizeof(TdigestCentroids);
    size_t each = values ? sizeof(double) : sizeof(TdigestCentroid);
    size_t quantiles = tail->requested * sizeof(double), body = header + count * each;
    size_t behind = quantiles + (tdigest_ends_byte(&tail->ends) > 0 ? 2 * sizeof(double) : 0);
    size_t chunk = state_chunk(MIN_CHUNK_BYTES, body + behind);
    SketchState state;

    if (chunk > MAX_VALUES_CHUNK_BYTES || (chunk == MAX_VALUES_CHUNK_BYTES && behind > 0))
        chunk = state_chunk(MAX_VALUES_CHUNK_BYTES, body) + behind;
    state = state_new(SKETCH_TDIGEST, encoding, 0, chunk, header, memory);
    state_of(state)->compression = (uint16_t)compression;
    state_of(state)->requested = (uint8_t)tail->requested;
    if (!values)
        centroids_of(state)->capacity = (uint32_t)((chunk - header - behind) / each);
    if (quantiles > 0)
        memcpy(state_end(state) - quantiles, tail->quantiles, quantiles);
    if (behind > quantiles)
        write_ends(state, &tail->ends);
    return state;
}

SketchState
tdigest_new(unsigned compression, unsigned requested, const uint8_t *quantiles,
            const SketchMemory *memory)
{
    Tail tail = {.requested = requested, .quantiles = quantiles};

    return new_state(TDIGEST_VALUES, compression, 0, &tail, memory);
}

SketchState
tdigest_open_packed(const Tdigest *digest, const SketchMemory *memory)
{
    Tail tail = {tdigest_ends(digest), digest->requested, digest->quantiles};
    /* A state of values has no ends. */
    bool values = digest->weight == digest->count && tdigest_ends_byte(&tail.ends) == 0 &&
                  digest->count * sizeof(double) + sizeof(TdigestState) < MAX_VALUES_CHUNK_BYTES;
    SketchState state = new_state(values ? TDIGEST_VALUES : TDIGEST_CENTROIDS, digest->compression,
                                  digest->count, &tail, memory);

    state_of(state)->count = digest->count;
    if (values)
        for (uint32_t i = 0; i < digest->count; i++)
            tdigest_values(state_of(state))[i] = digest->centroids[i].mean;
    else {
        memcpy(tdigest_centroids(centroids_of(state)), digest->centroids,
               digest->count * sizeof(TdigestCentroid));
        centroids_of(state)->weight = digest->weight;
        centroids_of(state)->sorted = digest->count;
    }
    return state;
}

/* ---- reading ---- */

TdigestEnds
tdigest_state_ends(SketchBytes value)
{
    const TdigestState *state = state_at(value.data);
    TdigestEnds ends = {0};
    double both[2];

    if (state->header.hash == 0)
        return ends;
    memcpy(both, value.data + value.size - state->requested * sizeof(double) - sizeof both,
           sizeof both);
    tdigest_ends_of(state->header.hash, both[0], both[1], &ends);
    return ends;
}

/*
 * Whether what is in order came as it is from another digest, whose centroids are coarse: what
 * waits lies within them, and each of it is a run. Those of a histogram end at its bounds.
 */
static bool
is_coarse(const TdigestCentroids *c)
{
    return !c->compacted && c->state.header.hash == 0 &&
           tdigest_has_spread(tdigest_centroids(c), c->sorted) &&
           tdigest_is_tame(tdigest_centroids(c), c->state.count, c->weight);
}

void
tdigest_read_state(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    const TdigestState *state = state_at(value.data);
    const TdigestCentroids *c = (const TdigestCentroids *)state;
    uint32_t count = state->count;
    TdigestCentroid *copy =
        memory->scratch((size_t)count * 2 * sizeof64(*copy) + 1, memory->context);

    *digest = (Tdigest){.compression = state->compression,
                        .count = count,
                        .centroids = copy,
                        .weight = tdigest_weight(value),
                        .order = TDIGEST_SORTED,
                        .ends = tdigest_state_ends(value),
                        .scratch = copy};
    digest->quantiles = tdigest_requested(value, &digest->requested);
    if (state->header.encoding == TDIGEST_VALUES) {
        tdigest_sort_values(tdigest_values(state), count, copy, copy + count, memory);
        return;
    }
    memcpy(copy, tdigest_centroids(c), count * sizeof *copy);
    if (c->sorted == count) {
        digest->order = TDIGEST_MERGED;
        return;
    }
    digest->first = c->sorted;
    digest->residual = c->residual;
    digest->order =
        state->waiting == TDIGEST_WAITING_RUNS || is_coarse(c) ? TDIGEST_RUNS : TDIGEST_SORTED;
    if (digest->order == TDIGEST_SORTED)
        tdigest_sort_all(copy, count, memory);
}

/* ---- growing ---- */

/* Copies the content as centroids, with room for `count` and a tail. */
static void
copy_centroids(StateWriter *w, uint32_t count, const Tail *tail)
{
    const TdigestState *old = state_of(w->state);
    SketchState grown = new_state(TDIGEST_CENTROIDS, old->compression, count, tail, w->memory);
    TdigestCentroids *c = centroids_of(grown);

    c->state.count = old->count;
    c->weight = tdigest_weight(sketch_bytes(w->state));
    if (has_values(w->state))
        for (uint32_t i = 0; i < old->count; i++)
            tdigest_centroids(c)[i] = tdigest_unmarked(tdigest_values(old)[i], 1);
    else {
        c->state.waiting = old->waiting;
        c->sorted = centroids_of(w->state)->sorted;
        c->sampled = centroids_of(w->state)->sampled;
        c->residual = centroids_of(w->state)->residual;
        c->compacted = centroids_of(w->state)->compacted;
        memcpy(tdigest_centroids(c), tdigest_centroids(centroids_of(w->state)),
               old->count * sizeof(TdigestCentroid));
    }
    state_replace(w, grown);
}

static void
grow_centroids(StateWriter *w, uint32_t count)
{
    Tail tail = tail_of(w->state);

    copy_centroids(w, count, &tail);
}

static void
grow_values(StateWriter *w)
{
    const TdigestState *old = state_of(w->state);
    Tail tail = tail_of(w->state);
    SketchState grown =
        new_state(TDIGEST_VALUES, old->compression, old->count + 1, &tail, w->memory);

    state_of(grown)->count = old->count;
    memcpy(tdigest_values(state_of(grown)), tdigest_values(old), old->count * sizeof(double));
    state_replace(w, grown);
}

/* Puts centroids in order; nothing is merged. */
static void
sort_centroids(StateWriter *w)
{
    TdigestCentroids *c = centroids_of(w->state);
    TdigestCentroid *spare =
        w->memory->scratch(c->state.count * sizeof64(*spare), w->memory->context);

    tdigest_sort_centroids(tdigest_centroids(c), c->state.count, spare, w->memory);
    c->sorted = c->state.count;
    c->state.waiting = TDIGEST_WAITING_VALUES;
    w->memory->release(spare, w->memory->context);
}

static void
compact(StateWriter *w)
{
    TdigestCentroids *c = centroids_of(w->state);
    Tdigest digest = {.compression = c->state.compression,
                      .count = c->state.count,
                      .centroids = tdigest_centroids(c),
                      .weight = c->weight,
                      .first = c->sorted,
                      .residual = c->residual,
                      .ends = tdigest_state_ends(sketch_bytes(w->state)),
                      .order = TDIGEST_RUNS};

    if (c->state.waiting != TDIGEST_WAITING_RUNS && !is_coarse(c)) {
        sort_centroids(w);
        digest.order = TDIGEST_SORTED;
    }
    tdigest_settle(&digest, c->capacity - c->capacity / 4, w->memory);
    /* Few coarse centroids become more and finer ones. */
    if (digest.count > c->capacity) {
        grow_centroids(w, digest.count);
        c = centroids_of(w->state);
    }
    memcpy(tdigest_centroids(c), digest.centroids, digest.count * sizeof *digest.centroids);
    c->state.count = c->sorted = digest.count;
    c->residual = 0;
    c->compacted = true;
    c->state.waiting = TDIGEST_WAITING_VALUES;
    tdigest_close(&digest, w->memory);
}

/* Makes room for one more centroid, or with `single` for one more value of weight 1. */
static void
grow(StateWriter *w, bool single)
{
    const TdigestState *state = state_of(w->state);
    uint32_t most = capacity_max(state->compression);
    TdigestCentroids *c;

    if (has_values(w->state)) {
        size_t used =
            sizeof *state + (state->count + (size_t)1 + state->requested) * sizeof(double);

        if (single && used <= w->state.size + SKETCH_PREFIX_BYTES)
            return;
        if (single && w->state.size + SKETCH_PREFIX_BYTES < MAX_VALUES_CHUNK_BYTES)
            grow_values(w);
        else
            grow_centroids(w, single ? most : state->count + 1);
        return;
    }
    c = centroids_of(w->state);
    if (c->state.count < c->capacity)
        return;
    if (c->capacity >= most)
        compact(w);
    /* After that there is room for the buffer, unless what was added was too coarse. */
    if (c->state.count == c->capacity || c->state.count > c->capacity - c->capacity / 4)
        grow_centroids(w, c->capacity + 1);
}

/* ---- adding ---- */

/* Adds a centroid of whatever waits. */
static void
add_one(StateWriter *w, TdigestCentroid centroid)
{
    TdigestState *state;

    grow(w, centroid.weight == 1);
    state = state_of(w->state);
    if (has_values(w->state))
        tdigest_values(state)[state->count] = centroid.mean;
    else {
        tdigest_centroids(centroids_of(w->state))[state->count] = centroid;
        centroids_of(w->state)->weight += centroid.weight;
    }
    state->count++;
}

bool
tdigest_check_weight(SketchBytes state, uint64_t more, SketchError *error)
{
    uint64_t left = TDIGEST_WEIGHT_MAX - tdigest_weight(state);

    if (more <= left)
        return true;
    if (left == 0)
        return sketch_refuse(error, SKETCH_OVERFLOW, "The total weight is 2^63-1 already");
    return sketch_refuse_range(error, SKETCH_OVERFLOW, "The total weight would exceed 2^63-1",
                               (int64_t)more, 1, (int64_t)left);
}

bool
tdigest_insert(SketchState *state, double value, uint64_t weight, const SketchMemory *memory,
               SketchError *error)
{
    StateWriter w = state_writer(*state, memory);

    if (!tdigest_check_weight(sketch_bytes(*state), weight, error))
        return false;
    if (weight > 1) {
        if (state_of(*state)->waiting == TDIGEST_WAITING_RUNS)
            compact(&w);
        grow(&w, false);
        if (state_of(w.state)->waiting < TDIGEST_WAITING_WEIGHTS)
            state_of(w.state)->waiting = TDIGEST_WAITING_WEIGHTS;
    }
    add_one(&w, (TdigestCentroid){value + 0.0, weight, weight > 1});
    *state = w.state;
    return true;
}

/*
 * Moves each centroid of a run to another place of the weight that it stands for: so many digests,
 * each at another share u, fill the space between their means. That weight reaches, on either side,
 * to where weights divide the way to the neighbour, and more of it is on the shorter side, so that
 * the mean is that of all places. Returns by how much the sum is less.
 */
static double
sample(TdigestCentroid *run, uint32_t count, uint32_t number)
{
    /* Multiples of the golden ratio are even, however many there are. */
    const double u = (double)(number * UINT32_C(2654435769)) * 0x1p-32;
    double residual = 0, below = 0;

    for (uint32_t i = 0; i + 1 < count; i++) {
        double weight = (double)(int64_t)run[i].weight;
        double gap = run[i + 1].mean - run[i].mean;
        double above = gap * (weight / (weight + (double)(int64_t)run[i + 1].weight));
        double place = u * (below + above);
        double move = place < above ? (place / above - 1) * below : (place - above) / below * above;

        if (!tdigest_is_point(&run[i]) && isfinite(move)) {
            run[i].mean += move;
            residual -= move * weight;
        }
        below = gap - above;
    }
    return residual;
}

/* Whether a digest of a weight is one of many small ones. */
static bool
is_sampled(const TdigestCentroids *c, uint64_t weight)
{
    return c->state.waiting <= TDIGEST_WAITING_SAMPLES && c->compacted &&
           weight <= c->weight / SAMPLED_SHARE;
}

TdigestCentroid *
tdigest_room(SketchState state, uint32_t count, uint64_t weight)
{
    TdigestCentroids *c = centroids_of(state);

    /* A run may get two more. */
    if (has_values(state) || count + 2 > c->capacity - c->state.count ||
        weight > TDIGEST_WEIGHT_MAX - c->weight)
        return NULL;
    if (weight > count && c->state.waiting == TDIGEST_WAITING_SAMPLES && !is_sampled(c, weight))
        return NULL;
    return tdigest_centroids(c) + c->state.count;
}

/* Splits ends that are no points. Returns how many centroids the run has. */
static uint32_t
split_ends(TdigestCentroid *run, uint32_t count)
{
    if (!tdigest_is_point(&run[count - 1])) {
        run[count - 1].weight--;
        run[count] = (TdigestCentroid){run[count - 1].mean, 1};
        count++;
    }
    if (!tdigest_is_point(&run[0])) {
        memmove(run + 1, run, count * sizeof *run);
        run[0].weight = 1;
        run[1].weight--;
        count++;
    }
    return count;
}

/* Histograms of few buckets keep these, and so do a few centroids that cannot be added up. */
static bool
stays_as_it_is(const TdigestCentroids *c, uint32_t count, uint64_t weight)
{
    return c->state.waiting <= TDIGEST_WAITING_WEIGHTS &&
           c->state.count + count <= tdigest_centroids_max(c->state.compression) &&
           (c->state.header.hash != 0 ||
            !tdigest_is_tame(tdigest_centroids(c), c->state.count + count, c->weight + weight));
}

void
tdigest_commit(SketchState state, uint32_t count, uint64_t weight)
{
    TdigestCentroids *c = centroids_of(state);
    TdigestCentroid *run = tdigest_centroids(c) + c->state.count;

    if (weight > count && (!tdigest_has_spread(run, count) || stays_as_it_is(c, count, weight))) {
        if (c->state.waiting < TDIGEST_WAITING_WEIGHTS)
            c->state.waiting = TDIGEST_WAITING_WEIGHTS;
    } else if (weight > count && is_sampled(c, weight)) {
        c->state.waiting = TDIGEST_WAITING_SAMPLES;
        c->residual += sample(run, count, ++c->sampled);
    } else if (weight > count) {
        c->state.waiting = TDIGEST_WAITING_RUNS;
        count = split_ends(run, count);
    }
    c->state.count += count;
    c->weight += weight;
}

/* Room for a run that is not in the state yet, whatever that takes. */
static TdigestCentroid *
room_for_run(StateWriter *w, uint32_t count, uint64_t weight)
{
    TdigestCentroids *c;
    TdigestCentroid *room;

    if (has_values(w->state))
        grow_centroids(w, state_of(w->state)->count + count + 2);
    c = centroids_of(w->state);
    room = tdigest_room(w->state, count, weight);
    if (!room && (c->state.waiting == TDIGEST_WAITING_SAMPLES ||
                  c->capacity >= capacity_max(c->state.compression))) {
        compact(w);
        room = tdigest_room(w->state, count, weight);
    }
    if (!room) {
        grow_centroids(w, state_of(w->state)->count + count + 2);
        room = tdigest_room(w->state, count, weight);
    }
    return room;
}

void
tdigest_add_run(StateWriter *w, const TdigestCentroid *run, uint32_t count)
{
    uint64_t weight = 0;

    for (uint32_t i = 0; i < count; i++)
        weight += run[i].weight;
    if (weight == count)
        for (uint32_t i = 0; i < count; i++)
            add_one(w, run[i]);
    else {
        memcpy(room_for_run(w, count, weight), run, count * sizeof *run);
        tdigest_commit(w->state, count, weight);
    }
}

void
tdigest_widen_state_ends(StateWriter *w, const TdigestEnds *other)
{
    Tail tail = tail_of(w->state);

    if (tdigest_ends_byte(other) == 0)
        return;
    tdigest_widen_ends(&tail.ends, other);
    if (state_of(w->state)->header.hash != 0)
        write_ends(w->state, &tail.ends);
    else
        copy_centroids(
            w, has_values(w->state) ? state_of(w->state)->count : centroids_of(w->state)->capacity,
            &tail);
}
