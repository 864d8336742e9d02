/*
 * test_topk_validate.c - the door and the bytes: every truncation, every flipped bit, every lie.
 *
 * Bytes are either refused with a reason, or validated as they are.
 */
#include "../heavy.h"

#include <unistd.h>

#include "core/common/bytes.h"
#include "core/topk/working.h"

static SketchError error;

typedef struct Shape {
    const char *name;
    uint32_t k;
    TopkType type;
    uint32_t items;
    uint32_t rows;
    uint64_t weight; /* of each row, at most */
    double decay;
} Shape;

static const Shape shapes[] = {
    {"empty", 10, TOPK_NONE, 1, 0, 1, 1},
    {"one bigint", 1, TOPK_BIGINT, 1, 1, 1, 1},
    {"one text", 100000, TOPK_TEXT, 1, 1, 1, 1},
    {"ten bigints", 10, TOPK_BIGINT, 10, 30, 1, 1},
    {"ten texts", 10, TOPK_TEXT, 10, 30, 1, 1},
    {"full of bigints", 10, TOPK_BIGINT, 600, 2000, 1, 1},
    {"full of texts", 3, TOPK_TEXT, 600, 2000, 1, 1},
    {"many bigints", 1, TOPK_BIGINT, 30000, 60000, 1, 1},
    {"many texts", 2, TOPK_TEXT, 30000, 60000, 1, 1},
    {"weights", 2, TOPK_BIGINT, 50, 100, UINT64_C(1) << 56, 1},
    {"decayed", 2, TOPK_TEXT, 40, 1000, 3, 0.3},
    {"decayed to nothing", 2, TOPK_TEXT, 40, 100, 1, 0.001},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static SketchState
state_of(const Shape *shape)
{
    Heavy heavy = heavy_new(shape->k, shape->type, shape->items);
    Random random = {shape->rows + 1};

    for (uint32_t n = 0; n < shape->rows; n++)
        heavy_add(&heavy, zipf(&random, shape->items), 1 + random_below(&random, shape->weight));
    free(heavy.truth);
    return heavy.state;
}

static SketchBytes
value_of(const Shape *shape)
{
    SketchState state = state_of(shape);
    SketchBytes packed = topk_decay(sketch_bytes(state), shape->decay, &memory);

    release_state(state);
    return packed;
}

/* Validates from memory of exactly the size. A refusal must have a reason and keep no memory. */
static bool
validated(const uint8_t *data, size_t size)
{
    Bytes input = bytes_copy(data, size);
    unsigned pieces = memory_used.pieces;
    SketchBytes value;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = topk_ops.validate((SketchBytes){input.data, input.size}, &memory, &value, &error);
    if (good) {
        expect(same_bytes(value.data, value.size, data, size), "validated as something else");
        release_bytes(value);
    } else
        expect(error.status == SKETCH_MALFORMED && error.reason &&
                   (!error.has_range || error.found < error.low || error.found > error.high),
               "refused without a reason, or for what is in range");
    expect(memory_used.pieces == pieces, "memory was kept");
    free(input.data);
    return good;
}

static void
test_good(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        TopkHeader h = topk_header(value);

        expect(validated(value.data, value.size), "%s is refused: %s", shapes[i].name,
               error.reason);
        expect((h.error_bound > 0) == (shapes[i].rows > 1000 || shapes[i].decay < 1),
               "%s: error bound %llu", shapes[i].name, (unsigned long long)h.error_bound);
        release_bytes(value);
    }
    conclude("values are validated as they are");
}

static void
test_cut(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        uint8_t *longer = malloc(value.size + 1);

        for (size_t size = 0; size < value.size; size++)
            expect(!validated(value.data, size), "%s cut at %zu", shapes[i].name, size);
        memcpy(longer, value.data, value.size);
        longer[value.size] = 1;
        expect(!validated(longer, value.size + 1), "%s and a byte", shapes[i].name);
        free(longer);
        release_bytes(value);
    }
    conclude("every truncation is refused");
}

/* Whatever a changed byte makes of a value, it is refused, or is the value that its bytes say. */
static void
test_changes(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        Bytes changed = bytes_copy(value.data, value.size);
        bool small = value.size < 200;

        for (size_t at = 0; at < value.size; at++)
            for (unsigned by = 1; by < 256; by += small ? 1 : 1 + (unsigned)(mix64(at) % 100)) {
                changed.data[at] = (uint8_t)(value.data[at] ^ by);
                validated(changed.data, changed.size);
                changed.data[at] = value.data[at];
            }
        free(changed.data);
        release_bytes(value);
    }
    conclude("every changed byte is refused or makes another value");
}

/* ---- values made by hand ---- */

typedef struct Maker {
    uint8_t data[4096];
    size_t size;
} Maker;

static Maker
begin(TopkType type, uint32_t k, uint64_t total, uint64_t error_bound, uint32_t counters)
{
    Maker m = {.data = {SKETCH_TOPK, 1, TOPK_PACKED, (uint8_t)type}, .size = TOPK_PACKED_HEADER};

    store_le32(m.data + 4, k);
    store_le64(m.data + 8, total);
    store_le64(m.data + 16, error_bound);
    store_le32(m.data + 24, counters);
    return m;
}

static void
put(Maker *m, const char *bytes, size_t size)
{
    memcpy(m->data + m->size, bytes, size);
    m->size += size;
}

/* A counter whose numbers are below 128. */
static void
put_counter(Maker *m, unsigned count, unsigned off, unsigned item)
{
    char bytes[3] = {(char)count, (char)off, (char)item};

    put(m, bytes, 3);
}

static bool
maker_validated(const Maker *m)
{
    return validated(m->data, m->size);
}

/* One bigint, its total and error bound being these. */
static bool
one_validated(unsigned count, unsigned off, uint64_t total, uint64_t error_bound)
{
    Maker m = begin(TOPK_BIGINT, 10, total, error_bound, 1);

    put_counter(&m, count, off, 2);
    return maker_validated(&m);
}

static void
test_bounds(void)
{
    expect(one_validated(1, 0, 1, 0) && one_validated(5, 0, 5, 0), "exact");
    expect(one_validated(5, 2, 10, 3) && one_validated(5, 3, 8, 3) && one_validated(3, 0, 6, 3) &&
               one_validated(3, 0, 100, 3),
           "bounded");
    expect(!one_validated(0, 0, 5, 0) && !one_validated(0, 3, 5, 3), "a count of 0");
    expect(!one_validated(5, 4, 10, 3) && !one_validated(5, 1, 5, 0),
           "an error above the error bound");
    expect(!one_validated(2, 0, 10, 3) && !one_validated(1, 1, 10, 3), "an upper bound below it");
    expect(!one_validated(5, 0, 6, 0) && !one_validated(5, 0, 4, 0), "counts unlike the total");
    expect(!one_validated(5, 3, 7, 3), "counts and error bound above the total");
    expect(!one_validated(5, 3, 7, 8) && !one_validated(5, 3, 0, 0),
           "an error bound above the total");
    expect(one_validated(127, 1, INT64_MAX, 1) && !one_validated(127, 1, UINT64_C(1) << 63, 1) &&
               !one_validated(127, 1, UINT64_MAX, 1),
           "the largest total");
    expect(one_validated(127, 127, INT64_MAX, 127) &&
               !one_validated(127, 127, INT64_MAX, INT64_MAX - 126) &&
               !one_validated(127, 127, INT64_MAX, UINT64_MAX),
           "the largest error bound");
    conclude("counts, errors, error bound and total");
}

/* Two counts of nearly 2^64 add up to little; so does a count with its error. */
static void
test_overflows(void)
{
    Maker m = begin(TOPK_BIGINT, 10, 7, 0, 2);

    put(&m, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0\2", 12);
    put(&m, "\x08\0\4", 3);
    expect(!maker_validated(&m), "counts of 2^64 - 1 and 8");
    m = begin(TOPK_BIGINT, 10, INT64_MAX, 5, 1);
    put(&m, "\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2", 12);
    expect(!maker_validated(&m), "an error of 2^64 - 1");
    m = begin(TOPK_BIGINT, 10, INT64_MAX, 0, 1);
    put(&m, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f\0\2", 11);
    expect(maker_validated(&m), "a count of 2^63 - 1");
    conclude("sums that overflow");
}

static bool
number_validated(const char *bytes, size_t size)
{
    Maker m = begin(TOPK_BIGINT, 10, 1, 0, 1);

    put(&m, "\1\0", 2);
    put(&m, bytes, size);
    return maker_validated(&m);
}

static void
test_numbers(void)
{
    expect(number_validated("\0", 1) && number_validated("\x7f", 1) &&
               number_validated("\x80\1", 2) &&
               number_validated("\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9) &&
               number_validated("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10),
           "good ones");
    expect(!number_validated("\x80\0", 2) && !number_validated("\x81\x80\0", 3) &&
               !number_validated("\x81\x80\x80\x80\x80\x80\x80\x80\x80\0", 10),
           "longer than they have to be");
    expect(!number_validated("\x80\x80\x80\x80\x80\x80\x80\x80\x80\2", 10) &&
               !number_validated("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x81", 10) &&
               !number_validated("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x81\1", 11),
           "more than 64 bits");
    expect(!number_validated("", 0) && !number_validated("\x80", 1), "cut off");
    conclude("numbers in their shortest form");
}

static bool
text_validated(uint64_t length, size_t bytes)
{
    Maker m = begin(TOPK_TEXT, 10, 1, 0, 1);

    put(&m, "\1\0", 2);
    for (; length > 127; length >>= 7)
        put(&m, (char[]){(char)(length | 128)}, 1);
    put(&m, (char[]){(char)length}, 1);
    for (size_t i = 0; i < bytes; i++)
        put(&m, "x", 1);
    return maker_validated(&m);
}

static void
test_texts(void)
{
    Maker m;

    expect(text_validated(0, 0) && text_validated(1, 1) && text_validated(127, 127) &&
               text_validated(2000, 2000),
           "good ones");
    expect(!text_validated(1, 0) && !text_validated(5, 4) && !text_validated(4, 5) &&
               !text_validated(UINT32_MAX, 4) && !text_validated(UINT64_C(1) << 32, 0) &&
               !text_validated(UINT64_MAX, 9) && !text_validated(TOPK_ITEM_MAX + 1, 4),
           "lengths that lie");
    m = begin(TOPK_TEXT, 10, 2, 0, 2);
    put(&m, "\1\0\1a\1\0\1b", 8);
    expect(maker_validated(&m), "two");
    m.data[m.size - 1] = 'a';
    expect(!maker_validated(&m), "one item twice, in a row");
    conclude("texts and their lengths");
}

static void
test_order(void)
{
    static const struct {
        unsigned counters[9];
        bool good;
    } orders[] = {
        {{5, 0, 2, 4, 0, 4, 3, 0, 6}, true},  /* by count */
        {{4, 3, 2, 4, 2, 4, 4, 1, 6}, true},  /* by error */
        {{4, 3, 2, 4, 3, 4, 4, 3, 6}, true},  /* by item */
        {{4, 0, 2, 5, 0, 4, 3, 0, 6}, false}, /* a count ascends */
        {{4, 2, 2, 4, 3, 4, 4, 1, 6}, false}, /* an error ascends */
        {{4, 3, 4, 4, 3, 2, 4, 3, 6}, false}, /* an item descends */
        {{4, 3, 2, 4, 3, 2, 4, 3, 6}, false}, /* an item twice */
        {{5, 3, 2, 4, 3, 4, 3, 3, 2}, false}, /* an item twice, not in a row */
        {{4, 3, 2, 4, 3, 1, 4, 3, 0}, false}, /* 1, -1, 0 */
        {{4, 3, 1, 4, 3, 0, 4, 3, 2}, true},  /* -1, 0, 1 */
    };

    for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        Maker m = begin(TOPK_BIGINT, 10, 100, 3, 3);

        for (unsigned j = 0; j < 9; j += 3)
            put_counter(&m, orders[i].counters[j], orders[i].counters[j + 1],
                        orders[i].counters[j + 2]);
        expect(maker_validated(&m) == orders[i].good, "order %u", i);
    }
    conclude("counters in order, and no item twice");
}

static void
test_header(void)
{
    static const uint32_t ks[] = {0, 1, 100000, 100001, UINT32_MAX};
    static const uint32_t counters[] = {0, 2, 4, 255, 1000000, UINT32_MAX};
    SketchBytes value = value_of(&shapes[3]);
    Bytes changed = bytes_copy(value.data, value.size);
    Maker m;

    for (unsigned at = 0; at < 3; at++)
        for (unsigned to = 0; to < 256; to++) {
            changed.data[at] = (uint8_t)to;
            expect(validated(changed.data, changed.size) == (to == value.data[at]), "byte %u is %u",
                   at, to);
            changed.data[at] = value.data[at];
        }
    for (unsigned to = 0; to < 256; to++) {
        changed.data[3] = (uint8_t)to;
        expect(to == TOPK_TEXT || validated(changed.data, changed.size) == (to == TOPK_BIGINT),
               "type %u", to);
    }
    free(changed.data);
    release_bytes(value);
    for (unsigned i = 0; i < 5; i++) {
        m = begin(TOPK_NONE, ks[i], 0, 0, 0);
        expect(maker_validated(&m) == (ks[i] >= 1 && ks[i] <= 100000), "k = %u", ks[i]);
    }
    for (unsigned i = 0; i < 6; i++) {
        m = begin(TOPK_BIGINT, 10, 3, 0, counters[i]);
        for (unsigned j = 0; j < 3; j++)
            put_counter(&m, 1, 0, 2 * j);
        expect(!maker_validated(&m), "%u counters of three", counters[i]);
    }
    m = begin(TOPK_NONE, 10, 1, 1, 0);
    expect(!maker_validated(&m), "a total of no type");
    m = begin(TOPK_TEXT, 10, 0, 0, 0);
    expect(!maker_validated(&m), "a type of no total");
    m = begin(TOPK_TEXT, 10, 1, 1, 0);
    expect(maker_validated(&m), "an error bound alone");
    m = begin(TOPK_TEXT, 10, 1, 0, 0);
    expect(!maker_validated(&m), "a total alone");
    conclude("other kinds, versions, encodings, types, k, numbers of counters");
}

/* As many as k lets through: 2 k, or what fits. */
static void
test_too_many(void)
{
    for (unsigned size = 300; size < 340; size++) {
        /* Three texts of one size at k = 1 fit into 968 bytes, or are one more than 2 k. */
        Maker m = begin(TOPK_TEXT, 1, 3, 0, 3);

        for (unsigned i = 0; i < 3; i++) {
            put(&m, (char[]){1, 0, (char)((size & 127) | 128), (char)(size >> 7), (char)i}, 5);
            for (unsigned j = 1; j < size; j++)
                put(&m, "x", 1);
        }
        expect(maker_validated(&m) == (m.size <= 996), "three texts of %u bytes", size);
    }
    for (unsigned size = 300; size < 1000; size += 100) {
        Maker m = begin(TOPK_TEXT, 1, 2, 0, 2);

        for (unsigned i = 0; i < 2; i++) {
            put(&m, (char[]){1, 0, (char)((size & 127) | 128), (char)(size >> 7), (char)i}, 5);
            for (unsigned j = 1; j < size; j++)
                put(&m, "x", 1);
        }
        expect(maker_validated(&m), "two texts of %u bytes", size);
    }
    conclude("no more counters than k lets through");
}

/* ---- damage ---- */

/* Whatever can be done with a damaged value, which must end and stay within its bytes. */
static bool
survived(SketchBytes damaged)
{
    SketchState opened = topk_ops.open(damaged, &memory), state = state_of(&shapes[3]);
    SketchBytes packed = topk_ops.pack(damaged, &memory);
    SketchBytes older = topk_decay(damaged, 0.5, &memory);
    bool read = packed.data != NULL;
    Topk topk;

    expect(read || opened.data == NULL, "opened, but not packed");
    expect((older.data != NULL) == read, "decayed, but not packed");
    if (!merge_into(&topk_ops, &state, damaged, &error))
        expect(!read || error.status == SKETCH_MISMATCH || error.status == SKETCH_OVERFLOW,
               "packed, but not merged");
    expect(topk_read(&topk, damaged, &memory) == read, "read, but not packed");
    if (read) {
        topk_find(&topk, topk_number(7));
        heavy_close(&topk);
        release_bytes(packed);
        release_bytes(older);
    }
    if (opened.data) {
        if (topk_header(sketch_bytes(opened)).total < INT64_MAX / 2 && opened.data[3] != TOPK_TEXT)
            for (int64_t i = 0; i < 100; i++)
                heavy_insert(&opened, topk_number(i * i), 1);
        release_state(opened);
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

        for (size_t size = TOPK_PACKED_HEADER; size < value.size; size += size < 60 ? 1 : 31) {
            SketchBytes cut = aligned_copy(value.data, size);

            expect(!survived(cut), "%s cut at %zu", shapes[i].name, size);
            release_bytes(cut);
        }
        for (size_t at = 4; at < value.size; at += 1 + at / 20) {
            SketchBytes damaged = aligned_copy(value.data, value.size);

            ((uint8_t *)damaged.data)[at] ^= (uint8_t)(1 << at % 8);
            survived(damaged);
            release_bytes(damaged);
        }
        release_bytes(value);
    }
    conclude("damaged values are told from good ones");
}

/*
 * A stored value that says that it is a working one is refused, and so is a working value of
 * another version, or too short for its fields.
 */
static void
test_foreign_states(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        SketchState state = state_of(&shapes[i]);
        SketchBytes copy = aligned_copy(state.data, state.size), cut;

        for (unsigned encoding = 0x80; encoding < 0x84; encoding++) {
            SketchBytes damaged = aligned_copy(value.data, value.size);

            ((uint8_t *)damaged.data)[2] = (uint8_t)encoding;
            expect(!survived(damaged), "%s: encoding %x", shapes[i].name, encoding);
            release_bytes(damaged);
        }
        expect(survived(copy), "%s: a copy", shapes[i].name);
        ((uint8_t *)copy.data)[1] = TOPK_VERSION;
        expect(!survived(copy), "%s: another version", shapes[i].name);
        cut = aligned_copy(state.data, sizeof(TopkList) - SKETCH_PREFIX_BYTES - 1);
        expect(!survived(cut), "%s: too short", shapes[i].name);
        release_bytes(cut);
        release_bytes(copy);
        release_bytes(value);
        release_state(state);
    }
    conclude("working values that this release did not make are refused");
}

int
main(void)
{
    test_good();
    test_cut();
    test_changes();
    test_bounds();
    test_overflows();
    test_numbers();
    test_texts();
    test_order();
    test_header();
    test_too_many();
    test_damaged();
    test_foreign_states();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
