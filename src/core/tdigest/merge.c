/*
 * merge.c - opening a digest for changes, and merging another one into it.
 *
 * Centroids of another digest go behind those of the state as they are, a run, until the state is
 * full; polygon.c then adds them up.
 *
 * An empty digest adds nothing, and its compression does not count: a | empty has the bytes of a.
 * Of empty digests alone the lowest compression counts.
 */
#include "tdigest_internal.h"

SketchState
tdigest_open(SketchBytes value, const SketchMemory *memory)
{
    Tdigest digest;
    SketchState state;

    if (tdigest_has_header(value) && sketch_is_working(value.data))
        return state_copy(value, sizeof(TdigestState), memory);
    if (!tdigest_read(&digest, value, memory))
        return (SketchState){NULL, 0};
    state = tdigest_open_packed(&digest, memory);
    tdigest_close(&digest, memory);
    return state;
}

/* Decodes a packed digest right into the state; false if there is no room for it. */
static bool
merge_packed(SketchState state, SketchBytes other, bool *damaged)
{
    const TdigestPacked packed = tdigest_read_header(other.data);
    TdigestState *s = state_at(state.data);
    TdigestCentroid *room = NULL;
    RequestedQuantiles requested;
    TdigestEnds ends;

    if (packed.ends == 0 && packed.encoding != SKETCH_TRANSIT)
        room = tdigest_room(state, packed.count, packed.weight);
    if (!room)
        return false;
    *damaged = !tdigest_decode(other, room, &ends, &requested);
    if (*damaged)
        return true;
    tdigest_commit(state, packed.count, packed.weight);
    if (packed.compression < s->compression)
        s->compression = (uint16_t)packed.compression;
    return true;
}

static bool
check_requested(SketchBytes state, const Tdigest *digest, SketchError *error)
{
    unsigned count;
    const uint8_t *quantiles = tdigest_requested(state, &count);

    if (digest->requested > 0 && count > 0 &&
        (digest->requested != count ||
         memcmp(digest->quantiles, quantiles, count * sizeof(double)) != 0))
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "Their percentiles differ");
    return true;
}

static bool
has_requested(SketchBytes value)
{
    unsigned count;

    if (!sketch_is_working(value.data))
        return sketch_encoding(value.data) == SKETCH_TRANSIT;
    tdigest_requested(value, &count);
    return count > 0;
}

/*
 * Merges where one side is empty. A state that percentiles were requested of keeps them; a digest
 * without any goes into it the usual way.
 */
static bool
merge_empty(StateWriter *w, SketchBytes other, const SketchMemory *memory)
{
    TdigestState *s = state_at(w->state.data);
    const unsigned compression = tdigest_compression(other);
    SketchState copy;

    if (tdigest_weight(other) == 0) {
        if (s->count == 0 && compression < s->compression)
            s->compression = (uint16_t)compression;
        return true;
    }
    if (s->requested > 0) {
        s->compression = (uint16_t)compression;
        return false;
    }
    copy = tdigest_open(other, memory);
    if (copy.data == NULL)
        return false;
    state_replace(w, copy);
    return true;
}

bool
tdigest_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    TdigestState *s = state_at(state->data);
    bool damaged, merged;
    Tdigest digest;

    if (!tdigest_has_header(other))
        return sketch_refuse_damaged(error);
    if ((s->count == 0 || tdigest_weight(other) == 0) && !has_requested(other) &&
        merge_empty(&w, other, memory)) {
        *state = w.state;
        return true;
    }
    s = state_at(state->data);
    if (!sketch_is_working(other.data) && merge_packed(*state, other, &damaged))
        return !damaged || sketch_refuse_damaged(error);
    if (!tdigest_read(&digest, other, memory))
        return sketch_refuse_damaged(error);
    merged = check_requested(sketch_bytes(*state), &digest, error) &&
             tdigest_check_weight(sketch_bytes(*state), digest.weight, error);
    if (merged) {
        const TdigestEnds ends = tdigest_ends(&digest);

        if (digest.compression < s->compression)
            s->compression = (uint16_t)digest.compression;
        tdigest_widen_state_ends(&w, &ends);
        tdigest_add_run(&w, digest.centroids, digest.count);
        *state = w.state;
    }
    tdigest_close(&digest, memory);
    return merged;
}
