/*
 * fuzz.c - arbitrary bytes into every decoder.
 *
 * What must hold of every type: bytes are refused with a reason, or validated as a canonical value,
 * which opening and packing give back; and what merging makes of two is validated, in either order.
 * Of types that are sets, merging with itself leaves a value as it is, and the order of merging
 * does not matter to a byte. And nothing reads or writes out of bounds,
 * keeps memory, or takes for ever, which the sanitizers, memory.h and the driver watch.
 *
 * The input of a type's mode is the size of a first value, a little-endian u32 taken modulo what
 * follows, that value, and a second one up to the end.
 *
 * Built with driver.c by test/harness/checked.mk, or without it for libFuzzer:
 *
 *     clang -fsanitize=fuzzer,address,undefined -iquote src -o fuzz \
 *         test/fuzz/fuzz*.c $(find src/core -name '*.c') -lm
 */
#include "fuzz.h"

#include "core/common/bytes.h"
#include "core/common/foreign.h"
#include "core/common/state.h"

static const FuzzMode *modes[256];
static unsigned mode_count;

static int
by_number(const void *a, const void *b)
{
    return (*(const FuzzMode *const *)a)->number - (*(const FuzzMode *const *)b)->number;
}

void
fuzz_register(const FuzzMode *mode)
{
    for (unsigned i = 0; i < mode_count; i++)
        fuzz_check(modes[i]->number != mode->number, "two modes have one number");
    modes[mode_count++] = mode;
    qsort(modes, mode_count, sizeof modes[0], by_number);
}

const FuzzMode *
fuzz_mode(uint8_t byte)
{
    for (unsigned i = 0; i < mode_count; i++)
        if (modes[i]->number == byte)
            return modes[i];
    return modes[byte % mode_count];
}

const FuzzMode *
fuzz_random_mode(Random *random)
{
    return modes[random_below(random, mode_count)];
}

void
fuzz_check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

void
fuzz_check_refusal(SketchError error)
{
    fuzz_check(error.status != SKETCH_OK && error.reason, "refused without a reason");
    fuzz_check(!error.has_range || error.found < error.low || error.found > error.high,
               "refused what is in range");
}

static bool
same_value(SketchBytes a, SketchBytes b)
{
    return same_bytes(a.data, a.size, b.data, b.size);
}

/* a or b, packed; b in its working encoding when asked. NULL data when they do not mix. */
static SketchBytes
merged(const SketchOps *ops, SketchBytes a, SketchBytes b, bool working)
{
    SketchState state = ops->open(a, &memory);
    SketchState other = ops->open(b, &memory);
    SketchBytes packed = {NULL, 0};
    SketchError error = {.status = SKETCH_OK};

    fuzz_check(state.data && other.data, "validated, but cannot be opened");
    if (merge_into(ops, &state, working ? sketch_bytes(other) : b, &error))
        packed = ops->pack(sketch_bytes(state), &memory);
    else {
        SketchBytes unchanged = ops->pack(sketch_bytes(state), &memory);

        fuzz_check_refusal(error);
        fuzz_check(same_value(unchanged, a), "a refused merge changed something");
        release_bytes(unchanged);
    }
    release_state(state);
    release_state(other);
    return packed;
}

/* Merges a damaged value into a good one, where it is not noticed, and asks for the result. */
static void
merge_damaged(const SketchOps *ops, SketchBytes good, SketchBytes damaged)
{
    SketchState state = ops->open(good, &memory);
    SketchError error = {.status = SKETCH_OK};
    SketchBytes packed;

    if (merge_into(ops, &state, damaged, &error)) {
        packed = ops->pack(sketch_bytes(state), &memory);
        if (packed.data)
            release_bytes(packed);
    } else
        fuzz_check(error.status != SKETCH_OK, "refused without a reason");
    release_state(state);
}

/*
 * What a value becomes of which some bytes are lost, as storage may lose them, alone and with a good
 * one: NULL, or a value, and no way out.
 */
static void
check_damaged(const SketchOps *ops, SketchBytes value, SketchBytes good)
{
    SketchState (*open[])(SketchBytes, const SketchMemory *) = {ops->open, ops->open_many};
    uint64_t random = value.size;

    for (size_t i = 0; i < value.size; i += 7)
        random = mix64(random ^ value.data[i]);
    for (unsigned round = 0; round < 4; round++) {
        SketchState damaged = {memory_value(value.size, NULL), value.size}, opened;
        SketchBytes packed;

        memcpy(damaged.data, value.data, value.size);
        for (unsigned flips = 1 + random % 3; flips > 0; flips--) {
            size_t span = value.size - 3, near = span < 64 ? span : 64;

            random = mix64(random);
            damaged.data[3 + (random >> 32) % (random % 4 ? near : span)] ^=
                (uint8_t)(random & 8 ? 1U << (random >> 8) % 8 : random >> 16);
        }
        for (unsigned i = 0; i < 2 && open[i]; i++) {
            opened = open[i](sketch_bytes(damaged), &memory);
            if (!opened.data)
                continue;
            merge_into(ops, &opened, good, &(SketchError){.status = SKETCH_OK});
            packed = ops->pack(sketch_bytes(opened), &memory);
            if (packed.data)
                release_bytes(packed);
            release_state(opened);
        }
        packed = ops->pack(sketch_bytes(damaged), &memory);
        if (packed.data)
            release_bytes(packed);
        merge_damaged(ops, good, sketch_bytes(damaged));
        release_state(damaged);
    }
}

void
fuzz_value(const FuzzMode *mode, SketchBytes value)
{
    const SketchOps *ops = mode->ops;
    SketchState state = ops->open(value, &memory);
    SketchError error = {.status = SKETCH_OK};
    SketchBytes again, packed, both = {NULL, 0};

    fuzz_check(sketch_ops(value.data[0]) == ops, "another kind");
    fuzz_check(ops->validate(value, &memory, &again, &error), "a validated value is refused");
    fuzz_check(same_value(again, value), "validating twice is not validating once");
    fuzz_check(state.data, "validated, but cannot be opened");
    packed = ops->pack(sketch_bytes(state), &memory);
    fuzz_check(same_value(packed, value), "opening and packing changes it");
    if (!mode->fits || mode->fits(value, value)) {
        both = merged(ops, value, value, true);
        fuzz_check(!mode->sets || (both.data && same_value(both, value)),
                   "merging with itself changes it");
        mode->ask(value, sketch_bytes(state));
    }
    if (!mode->fits) {
        /* States that have a version of their own never come from storage. */
        if (state.data[1] != STATE_VERSION)
            check_damaged(ops, sketch_bytes(state), value);
        check_damaged(ops, value, value);
    }
    if (both.data)
        release_bytes(both);
    release_bytes(packed);
    release_bytes(again);
    release_state(state);
}

static void
check_two(const FuzzMode *mode, SketchBytes a, SketchBytes b)
{
    SketchBytes one, other;

    if (mode->fits && !mode->fits(a, b))
        return;
    one = merged(mode->ops, a, b, false);
    other = merged(mode->ops, b, a, true);
    fuzz_check(mode->sets ? same_value(one, other) : !one.data == !other.data,
               "the order of merging matters");
    if (one.data) {
        SketchError error;
        SketchBytes validated;

        fuzz_check(mode->ops->validate(one, &memory, &validated, &error),
                   "a merged value is refused");
        mode->ask_two(a, b);
        release_bytes(validated);
        fuzz_check(mode->ops->validate(other, &memory, &validated, &error),
                   "a merged value is refused");
        release_bytes(validated);
        release_bytes(one);
        release_bytes(other);
    }
}

/*
 * Packs a value in transit, which opened goes in transit as it came. False, and it is released, if
 * it asks for too much memory.
 */
static bool
pack_arrived(const FuzzMode *mode, SketchBytes *arrived)
{
    const SketchOps *ops = mode->ops;
    SketchBytes value = *arrived, again, packed, opened;
    SketchState state = ops->open(value, &memory);

    fuzz_check(state.data, "validated, but cannot be opened");
    again = ops->transit(sketch_bytes(state), &memory);
    fuzz_check(same_bytes(again.data, again.size, value.data, value.size),
               "in transit again it is another value");
    release_bytes(again);
    if (mode->fits && !mode->fits(value, value)) {
        release_state(state);
        release_bytes(value);
        return false;
    }
    packed = ops->pack(value, &memory);
    opened = ops->pack(sketch_bytes(state), &memory);
    fuzz_check(packed.data && sketch_is_packed(packed.data) &&
                   same_bytes(packed.data, packed.size, opened.data, opened.size),
               "packed from transit it is another value");
    release_bytes(opened);
    release_state(state);
    release_bytes(value);
    *arrived = packed;
    return true;
}

/* What is refused is looked at, to say what it is. */
static void
check_mark(SketchBytes input)
{
    ForeignMark mark;

    if (foreign_mark(input, &memory, &mark))
        fuzz_check(strlen(mark.what) > 0 && !mark.reader == !!mark.advice,
                   "a mark says too little");
}

static bool
validate(const FuzzMode *mode, SketchBytes input, SketchBytes *value)
{
    SketchError error = {.status = SKETCH_OK};

    if (mode->ops->validate(input, &memory, value, &error)) {
        if (!sketch_is_packed(value->data) && !pack_arrived(mode, value))
            return false;
        fuzz_value(mode, *value);
        return true;
    }
    fuzz_check_refusal(error);
    check_mark(input);
    return false;
}

/* Each value in memory of its own size. */
static void
read_values(const FuzzMode *mode, const uint8_t *data, size_t size)
{
    size_t first_size = size < 4 ? size : load_le32(data) % (size - 3);
    size_t header = size < 4 ? 0 : 4;
    Bytes first = bytes_copy(data + header, first_size);
    Bytes second = bytes_copy(data + header + first_size, size - header - first_size);
    SketchBytes a, b;
    bool good_a = validate(mode, (SketchBytes){first.data, first.size}, &a);
    bool good_b = second.size > 0 && validate(mode, (SketchBytes){second.data, second.size}, &b);

    if (good_a && good_b)
        check_two(mode, a, b);
    if (good_a)
        release_bytes(a);
    if (good_b)
        release_bytes(b);
    free(first.data);
    free(second.data);
}

/* Every type of the registry has a mode. */
static void
check_modes(void)
{
    static bool done;
    const SketchOps *ops;

    for (size_t i = 0; !done && (ops = sketch_ops_at(i)) != NULL; i++) {
        unsigned n = 0;

        while (n < mode_count && modes[n]->ops != ops)
            n++;
        fuzz_check(n < mode_count, "a type has no mode");
    }
    done = true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const FuzzMode *mode;

    check_modes();
    if (size == 0)
        return 0;
    mode = fuzz_mode(data[0]);
    if (!mode->read)
        read_values(mode, data + 1, size - 1);
    else {
        Bytes exact = bytes_copy(data + 1, size - 1);

        mode->read((SketchBytes){exact.data, exact.size});
        free(exact.data);
    }
    fuzz_check(memory_used.pieces == 0, "memory was kept");
    return 0;
}
