/*
 * test_cuckoo_validate.c - the door and the bytes: every truncation, every flipped bit, every lie.
 *
 * Bytes are either refused with a reason, or validated as they are.
 */
#include "../multiset.h"

#include "core/cuckoo/cuckoo_internal.h"

static SketchError error;

typedef struct Shape {
    const char *name;
    unsigned f;
    uint32_t capacity;
    bool fixed;
    unsigned items;
    unsigned copies; /* of each, at most */
    unsigned skew;
} Shape;

static const Shape shapes[] = {
    {"empty", 16, 1024, false, 0, 1, 0},
    {"one", 8, 1024, false, 1, 1, 0},
    {"three, fixed", 16, 3, true, 3, 1, 0},
    {"ten", 16, 1024, false, 10, 1, 0},
    {"one bucket", 16, 1024, false, 256, 1, 0},
    {"two buckets", 16, 1024, false, 257, 1, 0},
    {"many, of few bits", 8, 1024, false, 700, 1, 0},
    {"copies", 16, 100000, false, 300, 8, 0},
    {"wide", 32, CUCKOO_CAPACITY_MAX, false, 330, 2, 0},
    {"wide, fixed", 32, CUCKOO_CAPACITY_MAX, true, 20, 2, 0},
    {"displaced", 12, 5000, false, 600, 2, 40},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static SketchBytes
value_of(const Shape *shape)
{
    SketchState state = cuckoo_new(shape->capacity, shape->fixed, shape->f, &memory);
    Random random = {shape->items};
    SketchBytes packed;

    for (unsigned i = 0; i < shape->items;) {
        uint64_t hash = random_hash(&random, shape->skew, UINT64_MAX);

        for (uint64_t n = 1 + random_below(&random, shape->copies); n > 0 && i < shape->items; n--)
            i += filter_add(&state, hash, &error);
    }
    cuckoo_delete(state, 0, &memory);
    packed = cuckoo_ops.pack(sketch_bytes(state), &memory);
    release_state(state);
    return packed;
}

/* Validates from memory of exactly the size. A refusal must have a reason and keep no memory. */
static bool
validated(const uint8_t *data, size_t size)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    SketchBytes value;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    memory_used.largest = 0;
    good = cuckoo_ops.validate((SketchBytes){exact.data, exact.size}, &memory, &value, &error);
    free(exact.data);
    expect(memory_used.largest <= 64 * size + 4096, "%zu bytes of memory for %zu",
           memory_used.largest, size);
    if (good) {
        SketchState state = cuckoo_ops.open(value, &memory);
        SketchBytes packed = (sketch_is_packed(data) ? cuckoo_ops.pack : cuckoo_ops.transit)(
            sketch_bytes(state), &memory);

        expect(same_bytes(value.data, value.size, data, size), "validated as something else");
        expect(same_bytes(packed.data, packed.size, data, size), "opened as something else");
        release_bytes(packed);
        release_state(state);
        release_bytes(value);
        expect(memory_used.pieces == before, "memory kept");
    } else
        expect(error.status == SKETCH_MALFORMED && error.reason && memory_used.pieces == before &&
                   (!error.has_range || error.found < error.low || error.found > error.high),
               "refused without a good reason, or with memory kept");
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
        Bytes longer = {malloc(value.size + 20), value.size + 20};

        memset(longer.data, 0, longer.size);
        memcpy(longer.data, value.data, value.size);
        for (size_t size = 0; size < longer.size; size++)
            expect(size == value.size || !validated(longer.data, size), "%s of %zu bytes: %zu",
                   shapes[i].name, value.size, size);
        free(longer.data);
        release_bytes(value);
    }
    conclude("cut or longer values are refused");
}

/* A value that storage damaged: anything but not ending. */
static void
read_damaged(const uint8_t *data, size_t size)
{
    SketchState copy = {memory_value(size, NULL), size};
    SketchBytes value = sketch_bytes(copy), packed;
    SketchState state, other = cuckoo_new(100, false, 16, &memory);
    unsigned before = memory_used.pieces;

    memcpy(copy.data, data, size);
    packed = cuckoo_ops.pack(value, &memory);
    state = cuckoo_ops.open(value, &memory);
    expect(!packed.data == !state.data, "packed but not opened, or the other way round");
    if (merge_into(&cuckoo_ops, &other, value, &error))
        expect(packed.data, "a damaged value was merged");
    if (packed.data) {
        expect(!sketch_is_working(data) || validated(packed.data, packed.size),
               "a working value of which no good one is packed");
        release_bytes(packed);
        release_state(state);
    }
    if (!sketch_is_working(data)) {
        CuckooView view = cuckoo_view(value, &memory);

        for (uint64_t i = 0; i < 8; i++) {
            uint64_t hash = mix64(i) ^ (i < 4 ? 0 : UINT64_MAX << 20), found;
            uint64_t count = cuckoo_count(&view, hash);

            expect(cuckoo_count_packed(value, hash, &found, &memory) == !view.missing &&
                       (view.missing || found == count),
                   "a damaged value probed in two ways");
        }
    }
    expect(memory_used.pieces == before, "memory kept");
    release_state(other);
    release_state(copy);
}

static void
test_flipped(void)
{
    unsigned good = 0, all = 0;

    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        Bytes changed = bytes_copy(value.data, value.size);

        for (size_t at = 0; at < changed.size; at++) {
            unsigned step = at < 64 || changed.size < 300 ? 1 : 37;

            for (unsigned flip = 1; flip < 256; flip += step) {
                changed.data[at] ^= (uint8_t)flip;
                good += validated(changed.data, changed.size);
                if (flip % 16 == 1)
                    read_damaged(changed.data, changed.size);
                changed.data[at] ^= (uint8_t)flip;
                all++;
            }
        }
        free(changed.data);
        release_bytes(value);
    }
    expect(good < all / 2, "%u of %u changed values are validated", good, all);
    conclude("changed bytes are refused or give another good value");
}

/* A working value of another release, or too short for its struct, is none. */
static void
test_working(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        SketchState states[] = {cuckoo_open_table(value, &memory),
                                cuckoo_new_list(1024, 16, &memory),
                                cuckoo_ops.open_many(value, &memory)};

        for (unsigned s = 0; s < sizeof states / sizeof *states; s++) {
            uint8_t *version = &((StateHeader *)state_at(states[s].data))->version;
            size_t least =
                state_size(sketch_encoding(states[s].data) == CUCKOO_LIST ? sizeof(CuckooListState)
                                                                          : sizeof(CuckooState));
            SketchBytes packed = cuckoo_ops.pack(sketch_bytes(states[s]), &memory);

            expect(packed.data, "a state is not packed");
            release_bytes(packed);
            for (size_t size = SKETCH_COMMON_BYTES; size < least; size++) {
                packed = cuckoo_ops.pack((SketchBytes){states[s].data, size}, &memory);
                expect(!packed.data, "packed %zu bytes", size);
            }
            --*version;
            read_damaged(states[s].data, states[s].size);
            packed = cuckoo_ops.pack(sketch_bytes(states[s]), &memory);
            expect(!packed.data, "packed a state of another version");
            release_state(states[s]);
        }
        release_bytes(value);
    }
    conclude("working values of another version are refused");
}

/* Each lie alone, with what it is told. */
static void
test_lies(void)
{
    static const struct {
        size_t at;
        unsigned bytes;
        uint64_t value;
        const char *reason;
    } lies[] = {
        {0, 1, 1, "Another kind of value (kind byte)"},
        {1, 1, 2, "Unknown format version"},
        {2, 1, 1, "Unknown encoding"},
        {2, 1, 0x80, "Working encoding, which is never stored"},
        {2, 1, 0x81, "Working encoding, which is never stored"},
        {3, 1, 1, "Unknown hash function"},
        {4, 1, 7, "Fingerprint bits out of range"},
        {4, 1, 33, "Fingerprint bits out of range"},
        {5, 1, 23, "Hash bits out of range"},
        {5, 1, 46, "Hash bits out of range"},
        {6, 1, 1, "Reserved bytes are not zero"},
        {7, 1, 1, "Reserved bytes are not zero"},
        {8, 8, 1 << 24, "More items than the hash bits allow"},
        {8, 8, UINT64_MAX, "More items than the hash bits allow"},
        {8, 8, 1 << 20, "The items do not fit the header"},
        {8, 8, 256, "The items do not fit the header"},
        {16, 8, UINT64_C(1) << 63, "Number of deletes out of range"},
        {24, 4, 256, "More items than the capacity"},
        {24, 4, (1 << 30) + 1, "Capacity out of range"},
    };
    SketchBytes value = value_of(&shapes[5]);

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        Bytes lie = bytes_copy(value.data, value.size);

        for (unsigned b = 0; b < lies[i].bytes; b++)
            lie.data[lies[i].at + b] = (uint8_t)(lies[i].value >> (8 * b));
        expect(!validated(lie.data, lie.size) && strcmp(error.reason, lies[i].reason) == 0,
               "lie %zu: %s", i, error.reason ? error.reason : "validated");
        free(lie.data);
    }
    release_bytes(value);
    conclude("every lie is called by its name");
}

int
main(void)
{
    test_good();
    test_cut();
    test_flipped();
    test_working();
    test_lies();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
