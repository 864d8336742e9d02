/*
 * test_roaring_damaged.c - roaring and roaring64 whose bytes are not what they should be.
 */
#include "pieces.h"
#include "core/common/bytes.h"

#define ROUNDS 60

/* Of a value that is cut off a probe says what it said before, or that it is damaged. */
static void
test_truncated(SketchKind kind)
{
    Random random = {kind + 40};
    size_t damaged[2] = {0, 0};

    for (unsigned round = 0; round < trials_of(10); round++) {
        Set set = set_random(&random, kind, 1 + round % 3, 6);
        SketchBytes value = set_pack(&set, kind);

        for (size_t size = value.size - 1; size >= 50; size -= 1 + size / 12) {
            Bytes cut = bytes_copy(value.data, size);
            SketchBytes bytes = {cut.data, size};

            for (size_t i = 0; i < set.count; i += 1 + set.count / 50) {
                bool found = false;
                unsigned reads;

                if (!roaring_contains(bytes, set.values[i], &found))
                    damaged[0]++;
                else
                    expect(found, "round %u, %zu bytes: lost", round, size);
                found = false;
                if (!look_up(bytes, set.values[i], &found, &reads))
                    damaged[1]++;
                else
                    expect(found, "round %u, %zu bytes: lost in pieces", round, size);
            }
            free(cut.data);
        }
        release_bytes(value);
        set_free(&set);
    }
    expect(damaged[0] > 100 && damaged[1] > 100, "%zu and %zu", damaged[0], damaged[1]);
    conclude("%s: no value of a set that is cut off is denied", name_of(kind));
}

/* One of two sets has lost its end: no operation of the two makes a value of them. */
static void
test_one_damaged(SketchKind kind)
{
    Random random = {kind + 90};

    for (unsigned round = 0; round < trials_of(ROUNDS); round++) {
        Set a = set_random(&random, kind, 3, 4), b = set_random(&random, kind, 3, 4);
        SketchBytes whole = set_pack(&a, kind), other = set_pack(&b, kind), result;
        Bytes part = bytes_copy(other.data, other.size - 1);
        SketchBytes bad = {part.data, part.size};
        SketchError error;

        for (unsigned op = ROARING_AND; op <= ROARING_ANDNOT; op++)
            for (unsigned order = 0; order < 2; order++) {
                error = (SketchError){.status = SKETCH_OK};
                if (roaring_combine((RoaringOp)op, order ? bad : whole, order ? whole : bad,
                                    &memory, &result, &error)) {
                    expect(false, "round %u: operation %u, order %u", round, op, order);
                    release_bytes(result);
                } else
                    expect(error.status == SKETCH_DAMAGED, "operation %u: no reason", op);
            }
        free(part.data);
        release_bytes(whole);
        release_bytes(other);
        set_free(&a);
        set_free(&b);
    }
    conclude("%s: operations with one damaged set", name_of(kind));
}

/* The index of a roaring64 that is not that of its buckets: no bytes are promised for it. */
static void
test_damaged_index(void)
{
    Set set = {NULL, 0, 0};
    SketchBytes value;

    for (uint64_t high = 0; high < 3; high++)
        set_append(&set, high << 32 | 5);
    value = set_pack(&set, SKETCH_ROARING64);
    expect(roaring_portable_bytes(value) == 8 + value.size - 16 - 3 * 4, "not a whole one");
    /* How many buckets there are, and where each ends. */
    for (unsigned at = 12; at < 16 + 3 * 8; at += at % 4 == 3 ? 5 : 1) {
        Bytes bytes = bytes_copy(value.data, value.size);

        bytes.data[at] ^= 0x80;
        expect(roaring_portable_bytes((SketchBytes){bytes.data, bytes.size}) == 0, "byte %u", at);
        bytes.data[at] ^= 0x81;
        if (at == 12 || at == 36)
            expect(roaring_portable_bytes((SketchBytes){bytes.data, bytes.size}) == 0,
                   "byte %u, by one", at);
        free(bytes.data);
    }
    release_bytes(value);
    set_free(&set);
    conclude("roaring64: a damaged index");
}

/* Some values of one container, `step` apart. */
static SketchBytes
container_of(SketchKind kind, uint32_t first, uint32_t step, uint32_t count)
{
    Set set = {NULL, 0, 0};
    SketchBytes value;

    for (uint32_t i = 0; i < count; i++)
        set_append(&set, first + i * step);
    value = set_pack(&set, kind);
    set_free(&set);
    return value;
}

/*
 * A container that is not what it says, in each of its forms, as a damaged page may have it:
 * CRoaring, which would write beyond its memory, does not get it.
 */
static void
test_damaged_containers(SketchKind kind)
{
    static const struct {
        const char *name;
        uint32_t step, count; /* of values, of which the last bytes are replaced */
        uint8_t last[4];
        unsigned bytes;
    } damages[] = {
        {"an array out of order", 30, 300, {7, 0}, 2},
        {"an array with a value twice", 1000, 65, {24, 246}, 2}, /* 63000 */
        {"a run that leaves the container", 1, 5000, {255, 255, 255, 255}, 4},
        {"a run that is too long", 1, 5000, {0, 0, 136, 19}, 4},
        {"a bit too few", 8, 5000, {0}, 0},
    };
    SketchBytes others[] = {container_of(kind, 0, 3, 20000), container_of(kind, 1, 15, 3000),
                            container_of(kind, 9, 1, 40000)};

    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        SketchBytes bad = container_of(kind, 0, damages[i].step, damages[i].count), result;
        uint8_t *data = (uint8_t *)bad.data;

        memcpy(data + bad.size - damages[i].bytes, damages[i].last, damages[i].bytes);
        if (damages[i].bytes == 0)
            data[bad.size - 65536 / 8] ^= 1;
        for (unsigned n = 0; n < 24; n++) {
            RoaringOp op = (RoaringOp)(n / 6);
            SketchBytes other = others[n / 2 % 3];
            SketchError error = {.status = SKETCH_OK};

            if (roaring_combine(op, n % 2 ? bad : other, n % 2 ? other : bad, &memory, &result,
                                &error)) {
                expect(false, "%s: operation %u of 24", damages[i].name, n);
                release_bytes(result);
            } else
                expect(error.status == SKETCH_DAMAGED, "%s: no reason", damages[i].name);
        }
        release_bytes(bad);
    }
    for (unsigned i = 0; i < 3; i++)
        release_bytes(others[i]);
    conclude("%s: operations with damaged containers", name_of(kind));
}

/* Run flags that no container has are refused, in a value and in the portable format. */
static void
test_run_flags(void)
{
    for (unsigned containers = 1; containers <= 17; containers++) {
        SketchBytes value, portable, read;
        SketchError error;
        uint8_t *flags;

        expect(roaring_from_range(SKETCH_ROARING, 5, ((uint64_t)containers << 16) - 9, &memory,
                                  &value, &error),
               "%s", error.reason);
        portable = (SketchBytes){value.data + ROARING_HEADER, value.size - ROARING_HEADER};
        flags = (uint8_t *)portable.data + 4;
        for (unsigned bit = containers; bit < (containers + 7) / 8 * 8; bit++) {
            flags[bit / 8] ^= (uint8_t)(1 << bit % 8);
            expect(!roaring_ops.validate(value, &memory, &read, &error), "value: flag %u of %u",
                   bit, containers);
            expect(!roaring_from_portable(SKETCH_ROARING, portable, &memory, &read, &error),
                   "portable: flag %u of %u", bit, containers);
            flags[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        expect(roaring_ops.validate(value, &memory, &read, &error) && same_value(value, read),
               "%u containers", containers);
        release_bytes(read);
        release_bytes(value);
    }
    conclude("run flags behind the last container");
}

/* Any byte changed: refused, or a canonical value. */
static void
test_hostile(SketchKind kind)
{
    Random random = {kind + 70};

    for (unsigned round = 0; round < trials_of(12); round++) {
        Set set = set_random(&random, kind, 2, 3);
        SketchBytes value = set_pack(&set, kind), validated, again;
        SketchError error;

        for (unsigned i = 0; i < 400; i++) {
            Bytes bytes = bytes_copy(value.data, value.size);
            size_t at = i < 200 ? i % value.size : random_below(&random, value.size);
            SketchBytes bad = {bytes.data, bytes.size};

            bytes.data[at] ^= (uint8_t)(1 << random_below(&random, 8));
            if (set_ops(kind)->validate(bad, &memory, &validated, &error)) {
                expect(set_ops(kind)->validate(validated, &memory, &again, &error) &&
                           same_value(validated, again),
                       "byte %zu: not canonical", at);
                release_bytes(again);
                release_bytes(validated);
            } else {
                expect(error.reason != NULL, "byte %zu: no reason", at);
            }
            if (sketch_is_working(bad.data) && bad.data[0] == kind) {
                uint8_t *aligned = memory_value(bad.size, NULL);
                SketchBytes working = {aligned, bad.size};

                memcpy(aligned, bad.data, bad.size);
                again = set_ops(kind)->pack(working, &memory);
                expect(again.data == NULL || again.size > 0, "byte %zu", at);
                if (again.data)
                    release_bytes(again);
                release_bytes(working);
            }
            free(bytes.data);
        }
        release_bytes(value);
        set_free(&set);
    }
    conclude("%s: no byte can be changed to something that is not canonical", name_of(kind));
}

int
main(void)
{
    for (SketchKind kind = SKETCH_ROARING; kind <= SKETCH_ROARING64; kind++) {
        test_truncated(kind);
        test_one_damaged(kind);
        test_damaged_containers(kind);
        test_hostile(kind);
    }
    test_damaged_index();
    test_run_flags();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
