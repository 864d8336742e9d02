/*
 * fuzz_roaring.c - every question to a roaring or a roaring64, and bitmaps in the portable format.
 */
#include "fuzz.h"

#include "core/roaring/roaring.h"

#include "../unit/set.h"

/* The values of a packed set, by walking it; not more than `most` of them. */
static Set
walk(SketchBytes packed, size_t most)
{
    static uint16_t lows[65536];
    RoaringCursor cursor = roaring_cursor(packed, false, &memory);
    RoaringContainer container;
    Set set = {NULL, 0, 0};

    while (set.count < most && roaring_next(&cursor, &container)) {
        uint32_t count = roaring_decode(&container, lows);

        fuzz_check(count == container.cardinality, "a container holds another number of values");
        for (uint32_t i = 0; i < count; i++)
            set_append(&set, container.key << 16 | lows[i]);
    }
    fuzz_check(!cursor.damaged, "validated, but damaged");
    return set;
}

static void
release(SketchBytes value)
{
    release_bytes(value);
}

/* What was made of validated values is a canonical value itself. */
static void
check_made(SketchBytes value)
{
    SketchBytes again;
    SketchError error;

    fuzz_check(sketch_ops(value.data[0])->validate(value, &memory, &again, &error) &&
                   same_value(value, again),
               "a result is not canonical");
    release(again);
}

static void
check_portable(SketchBytes packed)
{
    size_t size = roaring_portable_bytes(packed);
    uint8_t *portable = malloc(size);
    SketchBytes again;
    SketchError error;

    roaring_to_portable(packed, portable, &memory);
    fuzz_check(roaring_from_portable((SketchKind)packed.data[0], (SketchBytes){portable, size},
                                     &memory, &again, &error) &&
                   same_value(again, packed),
               "the portable format is read as another value");
    release(again);
    free(portable);
}

/* Storage may turn it into what looks like a working value. */
static void
check_damaged(SketchBytes packed)
{
    uint8_t *data = memory_value(packed.size, NULL);
    SketchBytes damaged = {data, packed.size}, again;

    memcpy(data, packed.data, packed.size);
    data[2] = ROARING_WORKING;
    again = sketch_ops(data[0])->pack(damaged, &memory);
    if (again.data)
        release(again);
    roaring_cardinality(damaged, &memory);
    release(damaged);
}

/* A piece of a value, as from storage: in memory of its own size until the next one. */
typedef struct Stored {
    SketchBytes value;
    Bytes piece;
} Stored;

static SketchBytes
read_piece(const void *source, size_t offset, size_t length)
{
    Stored *stored = (Stored *)source;
    size_t left = offset < stored->value.size ? stored->value.size - offset : 0;

    free(stored->piece.data);
    stored->piece =
        bytes_copy(stored->value.data + (left > 0 ? offset : 0), length < left ? length : left);
    return (SketchBytes){stored->piece.data, stored->piece.size};
}

/* Membership in a value that was validated. */
static bool
has_value(SketchBytes packed, uint64_t value)
{
    bool found;

    fuzz_check(roaring_contains(packed, value, &found), "damaged");
    return found;
}

/* Reading a value by pieces finds what reading it in one does, and in damaged bytes no way out. */
static void
check_lookup(SketchBytes packed, uint64_t wanted)
{
    size_t front = packed.size < 80 ? packed.size : 80;
    uint8_t *data = memory_value(packed.size, NULL);
    Bytes first = bytes_copy(packed.data, front);
    Stored stored = {.value = packed};
    RoaringPieces pieces = {packed.size, {first.data, front}, read_piece, &stored};
    bool found;

    fuzz_check(roaring_lookup(&pieces, wanted, &found) && found == has_value(packed, wanted),
               "a lookup");
    memcpy(data, packed.data, packed.size);
    for (size_t at = front - front / 2; at < packed.size; at += 13)
        data[at] ^= (uint8_t)(1 + wanted % 255);
    stored.value.data = data;
    memcpy(first.data, data, front);
    if (!roaring_lookup(&pieces, wanted, &found))
        fuzz_check(!found, "found where the bytes are damaged");
    free(stored.piece.data);
    free(first.data);
    memory_release_value(data, NULL);
}

static void
fuzz_roaring_ask(SketchBytes packed, SketchBytes working)
{
    SketchKind kind = (SketchKind)packed.data[0];
    Set set = walk(packed, 100000);
    int64_t count = roaring_cardinality(packed, &memory);
    SketchBytes result;
    uint64_t found;

    fuzz_check(roaring_cardinality(working, &memory) == count, "the state has other values");
    for (size_t i = 0; i < set.count; i += 1 + set.count / 64) {
        uint64_t value = set.values[i];

        fuzz_check(has_value(packed, value), "contains");
        check_lookup(packed, value);
        check_lookup(packed, value + 1);
        fuzz_check(roaring_rank(packed, value, &memory, &found) && found == i + 1, "rank");
        fuzz_check(roaring_select(packed, i, &memory, &found) && found == value, "select");
        fuzz_check(roaring_next_value(packed, value, true, &memory, &found) && found == value,
                   "next");
        if (roaring_next_value(packed, value, false, &memory, &found))
            fuzz_check(found > value && !has_value(packed, found), "next absent");
    }
    fuzz_check(!roaring_select(packed, (uint64_t)count, &memory, &found), "select past the end");
    for (unsigned i = 0; i < 3; i++) {
        static const int64_t offsets[] = {1, -65537, INT64_C(5) << 32};

        fuzz_check(roaring_shift(packed, offsets[i], &memory, &result), "shift");
        fuzz_check(roaring_cardinality(result, &memory) <= count, "shifting makes values");
        check_made(result);
        release(result);
    }
    if (count == 0 ||
        (roaring_select(packed, (uint64_t)count - 1, &memory, &found) && found <= UINT32_MAX)) {
        SketchBytes back;

        fuzz_check(roaring_convert(packed,
                                   kind == SKETCH_ROARING ? SKETCH_ROARING64 : SKETCH_ROARING,
                                   &memory, &result) &&
                       roaring_convert(result, kind, &memory, &back) && same_value(back, packed),
                   "converting there and back changes it");
        check_made(result);
        release(back);
        release(result);
    }
    check_portable(packed);
    check_damaged(packed);
    set_free(&set);
}

static void
fuzz_roaring_ask_two(SketchBytes a, SketchBytes b)
{
    uint64_t both;
    int64_t in[ROARING_ANDNOT + 1], in_a = roaring_cardinality(a, &memory);
    int64_t in_b = roaring_cardinality(b, &memory);
    bool subset, overlap;

    for (unsigned op = ROARING_AND; op <= ROARING_ANDNOT; op++) {
        SketchBytes result;
        SketchError error;

        fuzz_check(roaring_combine((RoaringOp)op, a, b, &memory, &result, &error), "set algebra");
        in[op] = roaring_cardinality(result, &memory);
        check_made(result);
        release(result);
    }
    fuzz_check(roaring_intersection_cardinality(a, b, &memory, &both) &&
                   (int64_t)both == in[ROARING_AND] &&
                   in[ROARING_OR] == in_a + in_b - in[ROARING_AND] &&
                   in[ROARING_XOR] == in[ROARING_OR] - in[ROARING_AND] &&
                   in[ROARING_ANDNOT] == in_a - in[ROARING_AND],
               "cardinalities do not add up");
    fuzz_check(roaring_is_subset(a, b, &memory, &subset) && subset == (in[ROARING_ANDNOT] == 0),
               "subset");
    fuzz_check(roaring_intersects(a, b, &memory, &overlap) && overlap == (in[ROARING_AND] > 0),
               "overlap");
}

/* A random set of a few containers of every form. */
static size_t
seed(Random *random, uint8_t *buffer, SketchKind kind)
{
    Set set = set_random(random, kind, (unsigned)random_below(random, 5), 4);
    SketchBytes value = set_pack(&set, kind);
    size_t size = value.size < FUZZ_INPUT_MAX / 4 ? value.size : 0;

    memcpy(buffer, value.data, size);
    release(value);
    set_free(&set);
    return size;
}

static size_t
fuzz_roaring_seed(Random *random, uint8_t *buffer)
{
    return seed(random, buffer, SKETCH_ROARING);
}

static size_t
fuzz_roaring64_seed(Random *random, uint8_t *buffer)
{
    return seed(random, buffer, SKETCH_ROARING64);
}

/* The first byte chooses the width, then comes a bitmap in the portable format. */
static void
fuzz_portable_read(SketchBytes input)
{
    SketchKind kind = input.size > 0 && input.data[0] % 2 ? SKETCH_ROARING64 : SKETCH_ROARING;
    SketchBytes value;
    SketchError error = {.status = SKETCH_OK};

    if (input.size == 0)
        return;
    if (!roaring_from_portable(kind, (SketchBytes){input.data + 1, input.size - 1}, &memory, &value,
                               &error)) {
        fuzz_check_refusal(error);
        return;
    }
    check_made(value);
    check_portable(value);
    release(value);
}

static size_t
fuzz_portable_seed(Random *random, uint8_t *buffer)
{
    SketchKind kind = random_below(random, 2) ? SKETCH_ROARING64 : SKETCH_ROARING;
    Set set = set_random(random, kind, 3, 4);
    SketchBytes value = set_pack(&set, kind);
    size_t size = roaring_portable_bytes(value);

    buffer[0] = kind == SKETCH_ROARING64;
    if (size < FUZZ_INPUT_MAX / 4)
        roaring_to_portable(value, buffer + 1, &memory);
    else
        size = 0;
    release(value);
    set_free(&set);
    return 1 + size;
}

static const FuzzMode roaring = {.number = 7,
                                 .name = "roaring",
                                 .ops = &roaring_ops,
                                 .sets = true,
                                 .ask = fuzz_roaring_ask,
                                 .ask_two = fuzz_roaring_ask_two,
                                 .seed = fuzz_roaring_seed};

FUZZ_MODE(roaring)

static const FuzzMode roaring64 = {.number = 8,
                                   .name = "roaring64",
                                   .ops = &roaring64_ops,
                                   .sets = true,
                                   .ask = fuzz_roaring_ask,
                                   .ask_two = fuzz_roaring_ask_two,
                                   .seed = fuzz_roaring64_seed};

FUZZ_MODE(roaring64)

static const FuzzMode portable = {.number = 9,
                                  .name = "roaring bitmap in the portable format",
                                  .read = fuzz_portable_read,
                                  .seed = fuzz_portable_seed};

FUZZ_MODE(portable)
