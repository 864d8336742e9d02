/*
 * test_tdigest_validate.c - validating: every truncation, every flipped bit, every lie.
 *
 * Bytes are either refused with a reason, or validated as they are.
 */
#include "../digest.h"

#include <unistd.h>

#include "core/common/bytes.h"

static SketchError error;

typedef struct Shape {
    const char *name;
    unsigned compression;
    unsigned values;
    uint64_t weight; /* of each, at most */
    unsigned requested;
} Shape;

static const Shape shapes[] = {
    {"empty", 200, 0, 1, 0},
    {"one", 10, 1, 1, 0},
    {"ten", 200, 10, 1, 0},
    {"full", 10, 7, 1, 0},
    {"full, requested", 200, 150, 1, 3},
    {"one more", 10, 8, 1, 1},
    {"many", 50, 3000, 1, 0},
    {"weighted", 20, 300, 1000000, 2},
    {"huge weights", 12, 9, UINT64_C(1) << 59, 0},
    {"requested", 100, 2, 5, 255},
    {"the finest", 10000, 20, 300, 0},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static SketchState
state_of(const Shape *shape)
{
    uint8_t quantiles[TDIGEST_REQUESTED_MAX * 8];
    Random random = {shape->values + 1};
    SketchState state;

    for (unsigned i = 0; i < shape->requested; i++)
        store_le_double(quantiles + 8 * i, i / 254.0);
    state = tdigest_new(shape->compression, shape->requested, quantiles, &memory);
    for (unsigned i = 0; i < shape->values; i++)
        digest_add(&state, (random_unit(&random) - 0.5) * 100,
                   1 + random_below(&random, shape->weight));
    return state;
}

/* Packed, or in transit if quantiles are requested. */
static SketchBytes
value_of(const Shape *shape)
{
    SketchState state = state_of(shape);
    SketchBytes value = digest_transit(state);

    release_state(state);
    return value;
}

/* Validates from memory of exactly the size. A refusal must have a reason and keep no memory. */
static bool
validate(const uint8_t *data, size_t size, SketchBytes *value)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = tdigest_ops.validate((SketchBytes){exact.data, exact.size}, &memory, value, &error);
    free(exact.data);
    if (good)
        expect(memory_used.pieces == before + 1, "more memory kept than the value");
    else
        expect(error.status == SKETCH_MALFORMED && error.reason && memory_used.pieces == before &&
                   (!error.has_range || error.found < error.low || error.found > error.high),
               "refused without a good reason, or with memory kept");
    return good;
}

static bool
validated(const uint8_t *data, size_t size)
{
    SketchBytes value;
    bool good = validate(data, size, &value);

    if (good) {
        expect(same_bytes(value.data, value.size, data, size) && digest_canonical(value),
               "validated as something else");
        release_bytes(value);
    }
    return good;
}

static void
test_good(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);

        expect(validated(value.data, value.size), "%s", shapes[i].name);
        release_bytes(value);
    }
    conclude("good values come through unchanged");
}

static void
test_cut(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        Bytes longer = {malloc(value.size + 9), value.size + 9};

        memset(longer.data, 1, longer.size);
        memcpy(longer.data, value.data, value.size);
        /* Among many quantiles, a byte that says how many are before it may be one of theirs. */
        for (size_t size = 0; size < longer.size; size++)
            expect(size == value.size || shapes[i].requested > 5 || !validated(longer.data, size),
                   "%s of %zu bytes: %zu", shapes[i].name, value.size, size);
        free(longer.data);
        release_bytes(value);
    }
    conclude("cut or longer values are refused");
}

static void
test_flips(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        Bytes changed = bytes_copy(value.data, value.size);
        unsigned refused = 0, passed = 0;

        for (size_t bit = 0; bit < 8 * value.size; bit++) {
            bool good;

            changed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            good = validated(changed.data, changed.size);
            /* Of the header only the ends and the compression have other good values. */
            expect(!good || bit / 8 >= 16 || (bit / 8 >= 3 && bit / 8 <= 5), "%s: bit %zu",
                   shapes[i].name, bit);
            refused += !good;
            passed += good;
            changed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        expect(refused > 100 && (passed > 0 || value.size == 16), "%s: %u refused, %u passed",
               shapes[i].name, refused, passed);
        free(changed.data);
        release_bytes(value);
    }
    conclude("a flipped bit is refused, or makes another canonical value");
}

/* ---- values made by hand ---- */

typedef struct Maker {
    uint8_t data[4096];
    size_t size;
} Maker;

static Maker
begin(unsigned compression, unsigned count, uint64_t weight)
{
    Maker m = {.data = {SKETCH_TDIGEST, 1, TDIGEST_PACKED}, .size = 16};

    store_le16(m.data + 4, (uint16_t)compression);
    store_le16(m.data + 6, (uint16_t)count);
    store_le64(m.data + 8, weight);
    return m;
}

static void
put_double(Maker *m, double value)
{
    store_le_double(m->data + m->size, value);
    m->size += 8;
}

static void
put_bytes(Maker *m, const char *bytes, size_t size)
{
    memcpy(m->data + m->size, bytes, size);
    m->size += size;
}

/* Two centroids, the first of weight 1. */
static bool
means_validated(double first, double second)
{
    Maker m = begin(200, 2, 3);

    put_double(&m, first);
    put_double(&m, second);
    put_bytes(&m, "\1\2", 2);
    return validated(m.data, m.size);
}

/* A centroid whose weight is these bytes, in a value that says it is `weight`. */
static bool
weight_validated(const char *bytes, size_t size, uint64_t weight)
{
    Maker m = begin(200, 1, weight);

    put_double(&m, 5);
    put_bytes(&m, bytes, size);
    return validated(m.data, m.size);
}

static bool
quantile_validated(double q)
{
    Maker m = begin(200, 0, 0);

    m.data[2] = SKETCH_TRANSIT;
    put_double(&m, q);
    put_bytes(&m, "\1", 1);
    return validated(m.data, m.size);
}

static void
test_means(void)
{
    expect(means_validated(1, 2) && means_validated(2, 2) && means_validated(-DBL_MAX, DBL_MAX) &&
               means_validated(0, 0x1p-1074) && means_validated(-1, 0),
           "good means");
    expect(!means_validated(2, 1) && !means_validated(nextafter(2, 3), 2) &&
               !means_validated(1, -1),
           "not ascending");
    expect(!means_validated(NAN, 1) && !means_validated(1, NAN) && !means_validated(-NAN, 1),
           "NaN");
    expect(!means_validated(-INFINITY, 1) && !means_validated(1, INFINITY) &&
               !means_validated(INFINITY, INFINITY),
           "infinite");
    expect(!means_validated(-0.0, 1) && !means_validated(-1, -0.0) && !means_validated(-0.0, 0) &&
               !means_validated(0, -0.0),
           "-0");
    conclude("means are finite, in order, and not -0");
}

static void
test_weights(void)
{
    Maker m;

    expect(weight_validated("\1", 1, 1) && weight_validated("\x7f", 1, 127) &&
               weight_validated("\x80\1", 2, 128) && weight_validated("\xff\x7f", 2, 16383) &&
               weight_validated("\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9, INT64_MAX),
           "good weights");
    expect(!weight_validated("\0", 1, 0) && !weight_validated("\x80", 1, 0), "none");
    expect(!weight_validated("\x81\0", 2, 1) && !weight_validated("\x81\x80\0", 3, 1) &&
               !weight_validated("\x80\0", 2, 0) &&
               !weight_validated("\x81\x80\x80\x80\x80\x80\x80\x80\0", 9, 1) &&
               !weight_validated("\x81\x80\x80\x80\x80\x80\x80\x80\x80\0", 10, 1),
           "longer than they have to be");
    expect(!weight_validated("\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", 10, UINT64_C(1) << 63) &&
               !weight_validated("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10, UINT64_MAX) &&
               !weight_validated("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, INT64_MAX) &&
               !weight_validated("\x81\x80\x80\x80\x80\x80\x80\x80\x80\2", 10, 1),
           "more than 63 bits");
    expect(!weight_validated("\2", 1, 1) && !weight_validated("\2", 1, 3) &&
               !weight_validated("\2", 1, 0) && !weight_validated("\2", 1, UINT64_MAX),
           "another sum");
    for (unsigned over = 0; over < 2; over++) {
        m = begin(200, 3, (uint64_t)INT64_MAX + over);
        for (unsigned i = 0; i < 3; i++)
            put_double(&m, i);
        put_bytes(&m, "\xff\xff\xff\xff\xff\xff\xff\xff\x3f\1", 10); /* 2^62 - 1, 1 */
        put_bytes(&m,
                  over ? "\x80\x80\x80\x80\x80\x80\x80\x80\x40"  /* 2^62 */
                       : "\xff\xff\xff\xff\xff\xff\xff\xff\x3f", /* 2^62 - 1 */
                  9);
        expect(validated(m.data, m.size) == !over, "a sum of 2^63%s", over ? "" : " - 1");
    }
    m = begin(200, 3, INT64_MAX); /* 3 (2^63 - 1) is 2^63 - 3 again */
    for (unsigned i = 0; i < 3; i++)
        put_double(&m, i);
    for (unsigned i = 0; i < 3; i++)
        put_bytes(&m, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9);
    for (int off = -4; off <= 4; off++) {
        store_le64(m.data + 8, 3 * (uint64_t)INT64_MAX + (uint64_t)(int64_t)off);
        expect(!validated(m.data, m.size), "a sum that overflows");
    }
    conclude("weights: shortest form, none empty, the sum at its bounds");
}

/* Three centroids of these means and weights, with marks; refused or kept, byte for byte. */
static bool
points_validated(const double *means, const char *weights, uint8_t marks)
{
    Maker m = begin(200, 3, 0);
    uint64_t sum = 0;

    for (unsigned i = 0; i < 3; i++) {
        put_double(&m, means[i]);
        sum += (uint8_t)weights[i];
    }
    put_bytes(&m, weights, 3);
    put_bytes(&m, (const char *)&marks, 1);
    m.data[2] = TDIGEST_POINTS;
    store_le64(m.data + 8, sum);
    return validated(m.data, m.size);
}

static void
test_points(void)
{
    static const double same[] = {1, 2, 2}, three[] = {2, 2, 2}, apart[] = {1, 2, 3};

    expect(points_validated(apart, "\2\2\2", 7) && points_validated(apart, "\1\2\2", 2), "apart");
    expect(!points_validated(same, "\1\2\2", 6), "two marked ones");
    expect(!points_validated(same, "\1\1\2", 4) && !points_validated(same, "\1\2\1", 2),
           "a marked one and a single value");
    expect(points_validated(same, "\1\2\2", 2) && points_validated(same, "\1\2\2", 4),
           "beside others that only have its mean");
    expect(!points_validated(three, "\2\2\2", 3) && points_validated(three, "\2\3\2", 5), "three");
    conclude("points next to each other have different means");
}

static void
test_counts(void)
{
    static const unsigned compressions[] = {0, 9, 10, 11, 12, 200, 10000, 10001, 65535};

    for (unsigned c = 0; c < 9; c++) {
        unsigned compression = compressions[c], limit = compression * 3 / 4;
        bool good = compression >= 10 && compression <= 10000;

        for (unsigned count = limit > 1 ? limit - 1 : 0; count <= limit + 1 && count < 400;
             count++) {
            Maker m = begin(compression, count, count);

            for (unsigned i = 0; i < count; i++)
                put_double(&m, i);
            for (unsigned i = 0; i < count; i++)
                put_bytes(&m, "\1", 1);
            expect(validated(m.data, m.size) == (good && count <= limit),
                   "compression %u, %u centroids", compression, count);
            if (!good)
                expect(error.has_range && error.found == (int64_t)compression && error.low == 10 &&
                           error.high == 10000,
                       "compression %u: reason", compression);
            else if (count > limit)
                expect(error.has_range && error.found == (int64_t)count &&
                           error.high == (int64_t)limit,
                       "%u centroids: reason", count);
        }
    }
    conclude("compressions and numbers of centroids at their bounds");
}

static void
test_header(void)
{
    SketchBytes value = value_of(&shapes[2]);
    Bytes changed = bytes_copy(value.data, value.size);

    for (unsigned byte = 0; byte < 4; byte++)
        for (unsigned to = 0; to < 256; to++) {
            bool end = byte == 3 && to < 16 && to % 4 < 3 && to / 4 < 3;

            changed.data[byte] = (uint8_t)to;
            expect(validated(changed.data, changed.size) == (to == value.data[byte] || end),
                   "byte %u is %u", byte, to);
            changed.data[byte] = value.data[byte];
        }
    free(changed.data);
    release_bytes(value);
    conclude("other kinds, versions, encodings, ends");
}

/* One value, or none, of which the header says something. */
static bool
end_validated(unsigned count, double value, unsigned ends)
{
    Maker m = begin(200, count, count);

    m.data[3] = (uint8_t)ends;
    if (count > 0) {
        put_double(&m, value);
        put_bytes(&m, "\1", 1);
    }
    return validated(m.data, m.size);
}

static void
test_ends(void)
{
    for (unsigned ends = 0; ends < 256; ends++) {
        bool good = ends % 4 < 3 && ends / 4 < 3;

        expect(end_validated(0, 0, ends) == (ends == 0), "empty, %u", ends);
        expect(end_validated(1, 0x1p-1074, ends) == good, "the least double above 0, %u", ends);
        /* No bound is above the greatest double, or below the least. */
        expect(end_validated(1, DBL_MAX, ends) == (good && ends % 4 != 1 && ends / 4 != 1),
               "DBL_MAX, %u", ends);
        expect(end_validated(1, -DBL_MAX, ends) == (good && ends % 4 != 2 && ends / 4 != 2),
               "-DBL_MAX, %u", ends);
    }
    conclude("ends are known ones, with a finite bound");
}

static void
test_quantiles(void)
{
    expect(quantile_validated(0) && quantile_validated(1) && quantile_validated(0x1p-1074), "good");
    expect(!quantile_validated(-0x1p-1074) && !quantile_validated(-0.0) &&
               !quantile_validated(nextafter(1, 2)) && !quantile_validated(NAN) &&
               !quantile_validated(INFINITY) && !quantile_validated(-INFINITY),
           "not between 0 and 1");
    conclude("requested quantiles are between 0 and 1");
}

/* They stay what they are, whatever is added and merged, in every form. */
static void
test_requested(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const Shape *shape = &shapes[i];
        SketchState state = state_of(shape);
        SketchBytes other = value_of(&shapes[6]);

        for (unsigned step = 0; step < 4; step++) {
            SketchBytes packed = digest_transit(state);

            for (unsigned form = 0; form < 2; form++) {
                Tdigest digest = digest_read(form ? packed : sketch_bytes(state));

                expect(digest.requested == shape->requested, "%s: %u requested", shape->name,
                       digest.requested);
                for (unsigned j = 0; j < shape->requested; j++)
                    expect(load_le_double(digest.quantiles + 8 * j) == j / 254.0,
                           "%s: step %u, quantile %u", shape->name, step, j);
                digest_close(&digest);
            }
            if (step == 0) {
                release_state(state);
                state = tdigest_ops.open(packed, &memory);
            } else if (step == 1)
                digest_merge(&state, other);
            else
                for (unsigned j = 0; j < 7000; j++)
                    digest_add(&state, j % 1000, 1 + (j & 1));
            release_bytes(packed);
        }
        release_bytes(other);
        release_state(state);
    }
    conclude("requested quantiles are carried along");
}

/* What was requested is no content: packed, states with and without it are one value. */
static void
test_requested_is_no_content(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        Shape plain = shapes[i];
        SketchState state = state_of(&shapes[i]), other;
        SketchBytes transit = digest_transit(state), packed[3];

        plain.requested = 0;
        other = state_of(&plain);
        packed[0] = digest_finish(other);
        packed[1] = digest_finish(state);
        packed[2] = tdigest_ops.pack(transit, &memory);
        expect(sketch_is_packed(transit.data) == (shapes[i].requested == 0) &&
                   sketch_is_packed(packed[1].data) && same_values(packed[0], packed[1]) &&
                   same_values(packed[0], packed[2]),
               "%s", shapes[i].name);
        release_bytes(transit);
        for (unsigned j = 0; j < 3; j++)
            release_bytes(packed[j]);
    }
    conclude("a packed value has no quantiles");
}

/* The fewer centroids a state has room for, the closer behind them the quantiles are. */
static void
test_requested_in_small_states(void)
{
    for (unsigned requested = 1; requested <= 10; requested++)
        for (unsigned heavy = 1; heavy <= 6; heavy++) {
            uint8_t quantiles[80];
            SketchState state;

            for (unsigned i = 0; i < requested; i++)
                store_le_double(quantiles + 8 * i, i / 10.0);
            state = tdigest_new(100, requested, quantiles, &memory);
            for (unsigned i = 0; i < 40; i++) {
                unsigned count;
                const uint8_t *now;

                digest_add(&state, i, i < heavy ? 3 : 1);
                now = tdigest_requested(sketch_bytes(state), &count);
                expect(same_bytes(now, 8 * count, quantiles, 8 * requested),
                       "%u quantiles, %u heavy of %u", requested, heavy, i + 1);
            }
            release_state(state);
        }
    conclude("requested quantiles stay while a small state fills");
}

/* ---- the same rows, the same bytes ---- */

static void
test_deterministic(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes a = value_of(&shapes[i]), b = value_of(&shapes[i]);

        expect(same_values(a, b), "%s", shapes[i].name);
        release_bytes(a);
        release_bytes(b);
    }
    for (unsigned n = 1; n < 40000; n += n) {
        SketchState fast = digest_new(200), slow = digest_new(200);
        Random random = {n};
        SketchBytes a, b;

        for (unsigned i = 0; i < n; i++) {
            double value = (double)random_below(&random, 3000) - 1500;
            uint8_t *before = slow.data;

            if (value == 0)
                value = -0.0; /* becomes 0 on either way */
            digest_add(&fast, value, 1);
            tdigest_insert(&slow, value, 1, &memory, &error);
            if (slow.data != before)
                memory_release_value(before, NULL);
        }
        expect(fast.size == slow.size, "%u values: other sizes", n);
        a = digest_finish(fast);
        b = digest_finish(slow);
        expect(same_values(a, b), "%u values: the fast path differs", n);
        release_bytes(a);
        release_bytes(b);
    }
    conclude("the same rows in the same order give the same bytes");
}

/* ---- damage ---- */

static volatile double damaged_sum; /* so that queries run */

/* Whatever can be done with a damaged value, which must end and stay within its bytes. */
static bool
survived(SketchBytes damaged)
{
    SketchState opened = tdigest_ops.open(damaged, &memory), state = state_of(&shapes[2]);
    SketchBytes packed = tdigest_ops.pack(damaged, &memory);
    bool read = packed.data != NULL;
    double sum = 0;
    Tdigest digest;

    expect((opened.data != NULL) == read, "opened, but not packed");
    expect(merge_into(&tdigest_ops, &state, damaged, &error) ? read : !read,
           "merged, but not packed");
    expect(tdigest_read(&digest, damaged, &memory) == read, "read, but not packed");
    if (read) {
        for (unsigned i = 0; i <= 20 && digest.count > 0; i++) {
            sum += tdigest_quantile(&digest, i / 20.0);
            sum += tdigest_below(&digest, i * 10.0 - 100);
            sum += tdigest_trimmed_mean(&digest, 0, i / 20.0);
        }
        damaged_sum = sum;
        digest_close(&digest);
        digest_add(&opened, 1, 1);
        release_state(opened);
        release_bytes(packed);
    }
    release_state(state);
    return read;
}

/* In memory as core gets it: working values are aligned. */
static SketchBytes
aligned_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = memory_value(size, NULL);

    memcpy(copy, data, size);
    return (SketchBytes){copy, size};
}

static void
test_damaged(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);

        for (size_t size = 0; size < value.size; size += size < 40 ? 1 : 31) {
            SketchBytes cut = aligned_copy(value.data, size);

            expect(size >= 16 || size == 0 || !survived(cut), "%s cut at %zu", shapes[i].name,
                   size);
            expect(size < 16 || !survived(cut), "%s cut at %zu", shapes[i].name, size);
            release_bytes(cut);
        }
        release_bytes(value);
    }
    conclude("damaged values are told from good ones");
}

/* A flipped bit can make a stored value look like a working one; only its version tells. */
static void
test_damaged_working(void)
{
    static const uint8_t encodings[] = {TDIGEST_VALUES, TDIGEST_CENTROIDS, 0x82, 0xff};

    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        SketchState state = state_of(&shapes[i]);

        for (unsigned e = 0; e < 4; e++) {
            SketchBytes damaged = aligned_copy(value.data, value.size);

            ((uint8_t *)damaged.data)[2] = encodings[e];
            expect(!survived(damaged), "%s: encoding %x", shapes[i].name, encodings[e]);
            release_bytes(damaged);
        }
        expect(survived(sketch_bytes(state)), "%s: a state", shapes[i].name);
        expect(!survived((SketchBytes){state.data, state_size(sizeof(TdigestState)) - 1}),
               "%s: a state without its fields", shapes[i].name);
        state.data[1] = tdigest_ops.version;
        expect(!survived(sketch_bytes(state)), "%s: a state of another version", shapes[i].name);
        release_bytes(value);
        release_state(state);
    }
    conclude("what says it is a state and is none is damaged");
}

/* A mean that is no number any more, of a packed value and of what looks like a working one. */
static void
test_damaged_numbers(void)
{
    for (unsigned i = 0; i < 6; i++) {
        Maker m = begin(200, 3, 3);
        SketchBytes damaged;

        for (unsigned j = 0; j < 3; j++) /* read as values, the halves of these are NaN */
            put_bytes(&m, "\0\1\xf8\x7f\0\0\xf0\x3f", 8);
        put_bytes(&m, "\1\1\1", 3);
        expect(validated(m.data, m.size), "good as a packed one");
        if (i < 3)
            store_le_double(m.data + TDIGEST_PACKED_HEADER + 8 * i, NAN);
        else
            m.data[2] = i == 3 ? TDIGEST_VALUES : TDIGEST_CENTROIDS;
        damaged = aligned_copy(m.data, m.size);
        survived(damaged);
        release_bytes(damaged);
    }
    conclude("a damaged value of NaN ends no query badly");
}

int
main(void)
{
    test_good();
    test_cut();
    test_flips();
    test_means();
    test_weights();
    test_points();
    test_counts();
    test_header();
    test_quantiles();
    test_ends();
    test_requested();
    test_requested_is_no_content();
    test_requested_in_small_states();
    test_deterministic();
    test_damaged();
    test_damaged_working();
    test_damaged_numbers();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
