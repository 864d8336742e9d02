/*
 * test_roaring_ranges.c - states into which long ranges are merged, against the algebra of packed
 * sets, which test_roaring.c holds against plain ones.
 */
#include "../set.h"

#define CONTAINERS 24

static SketchBytes
range_of(SketchKind kind, uint64_t lo, uint64_t hi)
{
    SketchBytes value = {NULL, 0};
    SketchError error;

    expect(roaring_from_range(kind, lo, hi, &memory, &value, &error), "a range is refused");
    return value;
}

/* A range of many containers, one that leaves some values at its ends, a few values, or none. */
static SketchBytes
random_operand(Random *random, SketchKind kind)
{
    uint64_t base = kind == SKETCH_ROARING ? 0 : UINT64_C(3) << 40;
    uint64_t lo = base + random_below(random, CONTAINERS * 65536);
    uint64_t length = random_below(random, random_below(random, 3) ? 8 * 65536 : 3000);

    if (random_below(random, 4) == 0) {
        lo &= ~UINT64_C(65535);
        length = ((length >> 16) + 1) << 16;
    }
    if (random_below(random, 5) == 0) {
        Set set = set_random(random, kind, (unsigned)random_below(random, 4), 8);
        SketchBytes value = set_pack(&set, kind);

        set_free(&set);
        return value;
    }
    return range_of(kind, lo, lo + length - (length > 0));
}

static void
combine(RoaringOp op, SketchBytes *sum, SketchBytes value)
{
    SketchBytes result;
    SketchError error;

    expect(roaring_combine(op, *sum, value, &memory, &result, &error), "no result");
    release_bytes(*sum);
    *sum = result;
}

static void
add_values(Random *random, SketchKind kind, SketchState *state, SketchBytes *sum)
{
    Set set = {NULL, 0, 0};
    SketchBytes value;

    for (unsigned i = 0; i < 200; i++) {
        set_append(&set, (kind == SKETCH_ROARING ? 0 : UINT64_C(3) << 40) +
                             random_below(random, CONTAINERS * 65536));
        state_add(state, set.values[i]);
    }
    set_settle(&set);
    value = set_pack(&set, kind);
    combine(ROARING_OR, sum, value);
    release_bytes(value);
    set_free(&set);
}

/* A state and the same as a packed value, of a few operands and single values. */
static SketchBytes
random_state(Random *random, SketchKind kind, RoaringOp op, SketchState *state)
{
    const SketchOps *ops = set_ops(kind);
    Set none = {NULL, 0, 0};
    SketchBytes sum = set_pack(&none, kind);
    SketchError error;

    *state = roaring_new(kind, op == ROARING_XOR, &memory);
    for (unsigned n = (unsigned)random_below(random, 6); n > 0; n--) {
        SketchBytes value = random_operand(random, kind);
        SketchState other = ops->open(value, &memory);

        expect(merge_into(ops, state, n % 2 ? value : sketch_bytes(other), &error), "refused");
        combine(op, &sum, value);
        release_state(other);
        release_bytes(value);
        if (op == ROARING_OR)
            add_values(random, kind, state, &sum);
    }
    return sum;
}

static void
test_merges(SketchKind kind, RoaringOp op)
{
    Random random = {kind * 8 + op};
    const SketchOps *ops = set_ops(kind);

    for (unsigned round = 0; round < trials_of(25); round++) {
        SketchState state, other;
        SketchBytes sum = random_state(&random, kind, op, &state);
        /* What is merged was made by unions or, now and then, itself by parity. */
        SketchBytes more = random_state(&random, kind, round % 3 ? ROARING_OR : op, &other);
        SketchBytes packed;
        SketchError error;

        for (unsigned i = 0; i < 2; i++) {
            int64_t cardinality = roaring_cardinality(sketch_bytes(state), &memory);

            packed = ops->pack(sketch_bytes(state), &memory);
            expect(same_value(packed, sum), "round %u: %s", round, i ? "merged" : "before");
            expect(cardinality == roaring_cardinality(packed, &memory), "round %u: cardinality",
                   round);
            release_bytes(packed);
            if (i == 0) {
                expect(merge_into(ops, &state, sketch_bytes(other), &error), "refused");
                combine(op, &sum, more);
            }
        }
        release_bytes(sum);
        release_bytes(more);
        release_state(state);
        release_state(other);
    }
    conclude("%s: ranges and values in states, by %s", ops->name,
             op == ROARING_OR ? "union" : "parity");
}

/*
 * A full container takes its entry, in whatever order ranges come, and swallows what comes later.
 */
static void
test_sizes(SketchKind kind)
{
    SketchState state = roaring_new(kind, false, &memory);
    size_t containers = 40000;
    SketchError error;
    SketchBytes packed;

    for (unsigned part = 0; part < 40; part++) {
        uint64_t lo = (uint64_t)(part * 7 % 40) * (containers / 40) << 16;
        SketchBytes value = range_of(kind, lo, lo + (containers / 40 << 16) - 1);

        expect(merge_into(set_ops(kind), &state, value, &error), "refused");
        expect(merge_into(set_ops(kind), &state, value, &error), "refused again");
        release_bytes(value);
    }
    for (uint64_t i = 0; i < 20000; i++)
        state_add(&state, i * 131000);
    expect(roaring_cardinality(sketch_bytes(state), &memory) == (int64_t)containers << 16,
           "a cardinality");
    expect(state.size < containers * 24 + 100000, "%zu bytes", state.size);
    packed = set_ops(kind)->pack(sketch_bytes(state), &memory);
    expect(roaring_cardinality(packed, &memory) == (int64_t)containers << 16, "packed");
    release_bytes(packed);
    release_state(state);
    conclude("%s: 40,000 full containers in a megabyte", set_ops(kind)->name);
}

int
main(void)
{
    for (SketchKind kind = SKETCH_ROARING; kind <= SKETCH_ROARING64; kind++) {
        test_merges(kind, ROARING_OR);
        test_merges(kind, ROARING_XOR);
        test_sizes(kind);
    }
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
