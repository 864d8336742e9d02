/*
 * working.c - digests that change: adding and merging.
 *
 * Two working encodings, in host byte order:
 *
 *     0..3    as in every value; 3: how many questions stand at its end
 *     4..5    compression
 *     6..7    zero
 *     8..11   values, or centroids
 *
 *     values (0x80):      12..   values of weight 1 in no order, 8 bytes each
 *     centroids (0x81):   12..19 total weight
 *                         20..23 sorted: so many centroids in front are in order and merged
 *                         24..27 zero
 *                         28..   centroids of 16 bytes: mean, weight
 *
 * and at the end the questions, 8 bytes each. A digest begins as values, which cost a group of ten
 * 128 bytes with the length word, and doubles up to 16 kB. What does not fit there, and what has
 * weights, becomes centroids, which double as well until the buffer behind the sorted ones is long
 * enough to make sorting cheap. From then on a full value is sorted and merged in place, at five
 * times the compression.
 */
#include "tdigest_internal.h"

#include "core/common/radix.h"

#define SMALLEST_CHUNK 128
#define VALUES_CHUNK_MAX 16384
#define BUFFER 2048 /* centroids that may wait for being merged, at least */

static double *
values_of(const uint8_t *data)
{
    return (double *)(data + TDIGEST_VALUES_HEADER);
}

static Centroid *
centroids_of(const uint8_t *data)
{
    return (Centroid *)(data + TDIGEST_CENTROIDS_HEADER);
}

static size_t
question_bytes(SketchBytes value)
{
    return value.data[3] * sizeof(double);
}

static uint32_t
capacity_of(SketchState state)
{
    size_t room = state.size - question_bytes(sketch_bytes(state));

    return state.data[2] == TDIGEST_VALUES
               ? (uint32_t)((room - TDIGEST_VALUES_HEADER) / sizeof(double))
               : (uint32_t)((room - TDIGEST_CENTROIDS_HEADER) / sizeof(Centroid));
}

/* Centroids beyond which a digest does not grow but merges. */
static uint32_t
capacity_max(unsigned compression)
{
    return compression * TDIGEST_FINENESS + BUFFER;
}

/* An empty value with room for `count`, sized to fill a power of two with its length word. */
static SketchState
new_working(uint8_t encoding, unsigned compression, uint32_t count, unsigned asked,
            const uint8_t *questions, const SketchMemory *memory)
{
    size_t body = encoding == TDIGEST_VALUES
                      ? TDIGEST_VALUES_HEADER + (size_t)count * sizeof(double)
                      : TDIGEST_CENTROIDS_HEADER + (size_t)count * sizeof(Centroid);
    size_t needed = SKETCH_PREFIX_BYTES + body + asked * sizeof(double);
    size_t chunk = SMALLEST_CHUNK;
    SketchState state;

    while (chunk < needed)
        chunk *= 2;
    state.size = chunk - SKETCH_PREFIX_BYTES;
    state.data = memory->value(state.size, memory->context);
    memset(state.data, 0, state.size);
    state.data[0] = SKETCH_TDIGEST;
    state.data[1] = tdigest_ops.version;
    state.data[2] = encoding;
    state.data[3] = (uint8_t)asked;
    *tdigest_compression_at(state.data) = (uint16_t)compression;
    if (asked > 0)
        memcpy(state.data + state.size - asked * sizeof(double), questions, asked * sizeof(double));
    return state;
}

SketchState
tdigest_new(unsigned compression, unsigned asked, const uint8_t *questions,
            const SketchMemory *memory)
{
    return new_working(TDIGEST_VALUES, compression, 0, asked, questions, memory);
}

/* ---- sorting ---- */

/* The bits of a double as a number of the same order, and back. */
static uint64_t
key_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | UINT64_C(1) << 63);
}

static double
value_of(uint64_t key)
{
    uint64_t bits = key ^ ((uint64_t)((int64_t)~key >> 63) | UINT64_C(1) << 63);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Sorts keys and makes them centroids of weight 1; `keys` has room for twice as many. */
static void
sort_values(uint64_t *keys, uint32_t count, Centroid *out)
{
    radix_sort_u64(keys, count, keys + count);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (Centroid){value_of(keys[i]), 1};
}

static void
merge_runs(const Centroid *a, const Centroid *a_end, const Centroid *b, const Centroid *b_end,
           Centroid *out)
{
    while (a < a_end && b < b_end) {
        bool second = b->mean < a->mean;

        *out++ = second ? *b : *a;
        b += second;
        a += !second;
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* The end of the ascending run that begins at `from`. */
static uint32_t
run_end(const Centroid *centroids, uint32_t from, uint32_t count)
{
    while (++from < count && !(centroids[from].mean < centroids[from - 1].mean))
        continue;
    return from;
}

/*
 * Merges ascending runs in pairs until one is left, for many: those that were appended are long.
 * Returns where the result is, `centroids` or `other`.
 */
static Centroid *
sort_centroids(Centroid *centroids, uint32_t count, Centroid *other)
{
    for (;;) {
        uint32_t at = 0;
        Centroid *swap = centroids;

        if (count == 0 || run_end(centroids, 0, count) == count)
            return centroids;
        while (at < count) {
            uint32_t middle = run_end(centroids, at, count);
            uint32_t end = middle < count ? run_end(centroids, middle, count) : count;

            merge_runs(centroids + at, centroids + middle, centroids + middle, centroids + end,
                       other + at);
            at = end;
        }
        centroids = other;
        other = swap;
    }
}

/*
 * Sorts few centroids by keys whose lowest bits are their places: one radix sort of numbers, one
 * walk in its order, and insertion for means that agree in all but those bits. Returns where the
 * result is, `centroids` or `other`.
 */
#define PLACE_BITS 12

static Centroid *
sort_by_place(Centroid *centroids, uint32_t count, Centroid *other)
{
    const uint64_t place = (UINT64_C(1) << PLACE_BITS) - 1;
    uint64_t keys[2 << PLACE_BITS];

    for (uint32_t i = 0; i < count; i++)
        keys[i] = (key_of(centroids[i].mean) & ~place) | i;
    radix_sort_u64(keys, count, keys + count);
    for (uint32_t i = 0; i < count; i++) {
        Centroid centroid = centroids[keys[i] & place];
        uint32_t j = i;

        for (; j > 0 && centroid.mean < other[j - 1].mean; j--)
            other[j] = other[j - 1];
        other[j] = centroid;
    }
    return other;
}

static bool
all_single(const Centroid *centroids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (centroids[i].weight != 1)
            return false;
    return true;
}

/* All centroids of a working value in order, in scratch memory of twice their number. */
static Centroid *
sorted_centroids(const uint8_t *data, const SketchMemory *memory, Centroid **scratch)
{
    const Centroid *centroids = centroids_of(data);
    uint32_t count = *tdigest_count_at(data);
    uint32_t sorted = *tdigest_sorted_at(data);
    uint32_t waiting = count - sorted;
    Centroid *tail, *out;

    *scratch = memory->scratch((size_t)count * 2 * sizeof(Centroid) + 1, memory->context);
    tail = *scratch;
    out = *scratch + count;
    if (all_single(centroids + sorted, waiting)) {
        uint64_t *keys = (uint64_t *)out;

        for (uint32_t i = 0; i < waiting; i++)
            keys[i] = key_of(centroids[sorted + i].mean);
        sort_values(keys, waiting, tail);
    } else {
        memcpy(tail, centroids + sorted, waiting * sizeof(Centroid));
        if ((waiting < 1 << PLACE_BITS ? sort_by_place(tail, waiting, out)
                                       : sort_centroids(tail, waiting, out)) == out)
            memcpy(tail, out, waiting * sizeof(Centroid));
    }
    merge_runs(centroids, centroids + sorted, tail, tail + waiting, out);
    return out;
}

/* Whether the weights are positive and add up to the total. */
static bool
weights_add_up(const Centroid *centroids, uint32_t count, uint64_t total)
{
    for (uint32_t i = 0; i < count; i++) {
        if (centroids[i].weight == 0 || centroids[i].weight > total)
            return false;
        total -= centroids[i].weight;
    }
    return total == 0;
}

/* Working values are not validated, but a packed one that storage damaged may look like one. */
static bool
fits_working(SketchBytes value)
{
    size_t asked = question_bytes(value);
    size_t header =
        value.data[2] == TDIGEST_VALUES ? TDIGEST_VALUES_HEADER : TDIGEST_CENTROIDS_HEADER;

    if ((value.data[2] != TDIGEST_VALUES && value.data[2] != TDIGEST_CENTROIDS) ||
        value.size < header + asked)
        return false;
    return *tdigest_count_at(value.data) <=
               capacity_of((SketchState){(uint8_t *)value.data, value.size}) &&
           (value.data[2] == TDIGEST_VALUES ||
            (*tdigest_sorted_at(value.data) <= *tdigest_count_at(value.data) &&
             weights_add_up(centroids_of(value.data), *tdigest_count_at(value.data),
                            *tdigest_weight_at(value.data))));
}

bool
tdigest_read_working(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    uint32_t count;

    if (!fits_working(value))
        return false;
    count = *tdigest_count_at(value.data);
    digest->count = count;
    digest->asked = value.data[3];
    digest->questions = value.data + value.size - question_bytes(value);
    digest->weight = tdigest_weight(value);
    if (value.data[2] == TDIGEST_VALUES) {
        const double *values = values_of(value.data);
        Centroid *centroids =
            memory->scratch((size_t)count * 2 * sizeof(Centroid) + 1, memory->context);
        uint64_t *keys = (uint64_t *)(centroids + count);

        for (uint32_t i = 0; i < count; i++)
            keys[i] = key_of(values[i]);
        sort_values(keys, count, centroids);
        digest->centroids = centroids;
        digest->scratch = centroids;
    } else {
        Centroid *scratch;

        const Centroid *sorted = sorted_centroids(value.data, memory, &scratch);

        /* Single values among centroids of many would stand beside half of their weight. */
        digest->count =
            *tdigest_sorted_at(value.data) == count
                ? count
                : tdigest_compress(sorted, count, digest->weight,
                                   TDIGEST_FINENESS * (double)digest->compression, scratch);
        digest->centroids = digest->count == count ? sorted : scratch;
        digest->scratch = scratch;
    }
    return true;
}

/* ---- growing ---- */

/* The same content as centroids with room for `count`. */
static SketchState
regrow_centroids(SketchState state, uint32_t count, const SketchMemory *memory)
{
    SketchBytes old = sketch_bytes(state);
    SketchState grown = new_working(TDIGEST_CENTROIDS, tdigest_compression(old), count, old.data[3],
                                    old.data + old.size - question_bytes(old), memory);
    uint32_t used = *tdigest_count_at(old.data);

    *tdigest_count_at(grown.data) = used;
    *tdigest_weight_at(grown.data) = tdigest_weight(old);
    if (old.data[2] == TDIGEST_VALUES)
        for (uint32_t i = 0; i < used; i++)
            centroids_of(grown.data)[i] = (Centroid){values_of(old.data)[i], 1};
    else {
        *tdigest_sorted_at(grown.data) = *tdigest_sorted_at(old.data);
        memcpy(centroids_of(grown.data), centroids_of(old.data), used * sizeof(Centroid));
    }
    return grown;
}

static SketchState
regrow_values(SketchState state, const SketchMemory *memory)
{
    SketchBytes old = sketch_bytes(state);
    uint32_t used = *tdigest_count_at(old.data);
    SketchState grown = new_working(TDIGEST_VALUES, tdigest_compression(old), used + 1, old.data[3],
                                    old.data + old.size - question_bytes(old), memory);

    *tdigest_count_at(grown.data) = used;
    memcpy(values_of(grown.data), values_of(old.data), used * sizeof(double));
    return grown;
}

static void
merge_in_place(SketchState state, const SketchMemory *memory)
{
    uint8_t *data = state.data;
    Centroid *scratch;
    Centroid *sorted = sorted_centroids(data, memory, &scratch);
    uint32_t count = tdigest_compress(sorted, *tdigest_count_at(data), *tdigest_weight_at(data),
                                      TDIGEST_FINENESS * (double)*tdigest_compression_at(data),
                                      centroids_of(data));

    *tdigest_count_at(data) = count;
    *tdigest_sorted_at(data) = count;
    memory->release(scratch, memory->context);
}

static void
replace(SketchState *state, SketchState fresh, const uint8_t *original, const SketchMemory *memory)
{
    if (state->data != original)
        memory->release_value(state->data, memory->context);
    *state = fresh;
}

/* Room for one more centroid, or with `single` one more value of weight 1. */
static void
make_room(SketchState *state, bool single, const uint8_t *original, const SketchMemory *memory)
{
    uint32_t count = *tdigest_count_at(state->data);
    uint32_t capacity = capacity_of(*state);
    uint32_t most = capacity_max(*tdigest_compression_at(state->data));

    if (state->data[2] == TDIGEST_VALUES) {
        if (single && count < capacity)
            return;
        if (single && state->size + SKETCH_PREFIX_BYTES < VALUES_CHUNK_MAX)
            replace(state, regrow_values(*state, memory), original, memory);
        else
            replace(state, regrow_centroids(*state, single ? most : count + 1, memory), original,
                    memory);
        return;
    }
    if (count < capacity)
        return;
    if (capacity >= most)
        merge_in_place(*state, memory);
    /* After merging there is room for the buffer, unless what was added was too coarse. */
    if (*tdigest_count_at(state->data) > capacity - capacity / 4)
        replace(state, regrow_centroids(*state, capacity + 1, memory), original, memory);
}

static void
append(SketchState *state, Centroid centroid, const uint8_t *original, const SketchMemory *memory)
{
    uint32_t *count;

    make_room(state, centroid.weight == 1, original, memory);
    count = tdigest_count_at(state->data);
    if (state->data[2] == TDIGEST_VALUES)
        values_of(state->data)[*count] = centroid.mean;
    else {
        centroids_of(state->data)[*count] = centroid;
        *tdigest_weight_at(state->data) += centroid.weight;
    }
    ++*count;
}

static bool
check_weight(SketchBytes value, uint64_t more, SketchError *error)
{
    uint64_t left = TDIGEST_WEIGHT_MAX - tdigest_weight(value);

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
    if (!check_weight(sketch_bytes(*state), weight, error))
        return false;
    append(state, (Centroid){value + 0.0, weight}, state->data, memory);
    return true;
}

/* ---- merging ---- */

SketchState
tdigest_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState state;
    Tdigest digest;

    if (!tdigest_read(&digest, value, memory))
        return (SketchState){NULL, 0};
    if (digest.weight == digest.count &&
        digest.count * sizeof(double) + TDIGEST_VALUES_HEADER < VALUES_CHUNK_MAX) {
        state = new_working(TDIGEST_VALUES, digest.compression, digest.count, digest.asked,
                            digest.questions, memory);
        for (uint32_t i = 0; i < digest.count; i++)
            values_of(state.data)[i] = digest.centroids[i].mean;
    } else {
        state = new_working(TDIGEST_CENTROIDS, digest.compression, digest.count, digest.asked,
                            digest.questions, memory);
        memcpy(centroids_of(state.data), digest.centroids, digest.count * sizeof(Centroid));
        *tdigest_weight_at(state.data) = digest.weight;
        *tdigest_sorted_at(state.data) = digest.count;
    }
    *tdigest_count_at(state.data) = digest.count;
    tdigest_close(&digest, memory);
    return state;
}

/* Digests are appended whole where there is room: a run that is in order already. */
static void
append_all(SketchState *state, const Tdigest *digest, const uint8_t *original,
           const SketchMemory *memory)
{
    uint32_t i = 0;

    while (i < digest->count) {
        uint32_t *count = tdigest_count_at(state->data);

        if (state->data[2] == TDIGEST_CENTROIDS &&
            digest->count - i <= capacity_of(*state) - *count) {
            memcpy(centroids_of(state->data) + *count, digest->centroids + i,
                   (digest->count - i) * sizeof(Centroid));
            *count += digest->count - i;
            for (; i < digest->count; i++)
                *tdigest_weight_at(state->data) += digest->centroids[i].weight;
        } else
            append(state, digest->centroids[i++], original, memory);
    }
}

bool
tdigest_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    const uint8_t *original = state->data;
    Tdigest digest;

    if (!tdigest_read(&digest, other, memory))
        return sketch_refuse_damaged(error);
    if (digest.asked > 0 && state->data[3] > 0 &&
        (digest.asked != state->data[3] ||
         memcmp(digest.questions, state->data + state->size - digest.asked * sizeof(double),
                digest.asked * sizeof(double)) != 0)) {
        tdigest_close(&digest, memory);
        return sketch_refuse(error, SKETCH_MISMATCH, "They were asked for different quantiles");
    }
    if (!check_weight(sketch_bytes(*state), digest.weight, error)) {
        tdigest_close(&digest, memory);
        return false;
    }
    if (digest.compression < *tdigest_compression_at(state->data))
        *tdigest_compression_at(state->data) = (uint16_t)digest.compression;
    append_all(state, &digest, original, memory);
    tdigest_close(&digest, memory);
    return true;
}
