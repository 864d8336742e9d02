/*
 * fuzz_theta.c - what must hold of any theta sketch that was validated, and of two.
 */
#include "fuzz.h"

#include <math.h>

#include "core/theta/theta.h"

static bool
same_value(SketchBytes a, SketchBytes b)
{
    return same_bytes(a.data, a.size, b.data, b.size);
}

static void
check_bounds(ThetaSummary summary)
{
    double lower = 0, upper = INFINITY;

    for (unsigned sigmas = 3; sigmas >= 1; sigmas--) {
        ThetaBounds b = theta_bounds(summary, sigmas);

        fuzz_check(b.lower >= summary.count && b.lower <= b.estimate && b.estimate <= b.upper,
                   "bounds out of order");
        /* With few items they are whole numbers, or nearly. */
        fuzz_check(b.lower >= lower - 2 && b.upper <= upper + 2, "narrower with more deviations");
        lower = b.lower;
        upper = b.upper;
    }
}

static void
fuzz_theta_ask(SketchBytes packed, SketchBytes working)
{
    ThetaSummary summary = theta_summary(packed, &memory), other = theta_summary(working, &memory);
    SketchState state = theta_ops.open(packed, &memory);
    SketchBytes bytes, again, reduced;
    ThetaBounds jaccard;
    SketchError error;

    fuzz_check(summary.lgk == other.lgk && summary.count == other.count &&
                   summary.theta == other.theta,
               "two summaries");
    check_bounds(summary);
    for (uint64_t hash = 0; hash < 50; hash++)
        fuzz_check(theta_contains(packed, hash, &memory) == theta_contains(working, hash, &memory),
                   "in one of them only");
    fuzz_check(theta_jaccard(packed, working, &memory, &jaccard, &error) && jaccard.lower == 1,
               "not similar to itself");
    for (unsigned compressed = 0; compressed <= 1; compressed++) {
        fuzz_check(theta_to_datasketches(packed, compressed, &memory, &bytes, &error), "no bytes");
        fuzz_check(theta_from_datasketches(bytes, summary.lgk, &memory, &again, &error),
                   "given back, but not taken");
        fuzz_check(same_value(again, packed), "given back as another one");
        memory_release((void *)bytes.data, NULL);
        release_bytes(again);
    }
    theta_reduce(state, THETA_LGK_MIN);
    reduced = theta_ops.pack(sketch_bytes(state), &memory);
    fuzz_check(theta_summary(reduced, &memory).count <= 16, "not reduced");
    release_bytes(reduced);
    release_state(state);
}

static SketchBytes
combined(ThetaOp op, SketchBytes a, SketchBytes b)
{
    SketchBytes value = {NULL, 0}, again;
    SketchError error;

    fuzz_check(theta_combine(op, a, b, &memory, &value, &error), "cannot be combined");
    fuzz_check(theta_ops.validate(value, &memory, &again, &error), "the result is refused");
    release_bytes(again);
    return value;
}

static void
fuzz_theta_ask_two(SketchBytes a, SketchBytes b)
{
    SketchBytes all = combined(THETA_UNION, a, b), back = combined(THETA_UNION, b, a);
    SketchBytes both = combined(THETA_INTERSECTION, a, b);
    SketchBytes rest = combined(THETA_DIFFERENCE, a, b), none, parts;
    SketchState state = theta_ops.open(a, &memory);
    SketchError error;
    ThetaBounds jaccard;

    fuzz_check(same_value(all, back), "the order of a union matters");
    release_bytes(back);
    fuzz_check(merge_into(&theta_ops, &state, b, &error), "cannot be merged");
    back = theta_ops.pack(sketch_bytes(state), &memory);
    fuzz_check(same_value(all, back), "merged is not united");
    none = combined(THETA_INTERSECTION, rest, both);
    fuzz_check(theta_summary(none, &memory).count == 0, "in both and in one of them");
    /* What is in both and what is only in the first are the first, as far as the lower theta. */
    parts = combined(THETA_UNION, rest, both);
    fuzz_check(theta_summary(parts, &memory).count <= theta_summary(a, &memory).count &&
                   theta_summary(both, &memory).count <= theta_summary(b, &memory).count,
               "parts are more than the whole");
    fuzz_check(theta_jaccard(a, b, &memory, &jaccard, &error) && jaccard.lower >= -1e-9 &&
                   jaccard.lower <= jaccard.estimate && jaccard.estimate <= jaccard.upper &&
                   jaccard.upper <= 1 + 1e-9,
               "similarity out of bounds");
    release_bytes(all);
    release_bytes(back);
    release_bytes(both);
    release_bytes(rest);
    release_bytes(none);
    release_bytes(parts);
    release_state(state);
}

static SketchBytes
random_sketch(Random *random)
{
    SketchState state = theta_new(THETA_LGK_MIN + (unsigned)random_below(random, 3), &memory);
    unsigned items = (unsigned)random_below(random, random_below(random, 2) ? 15 : 150);
    uint64_t range = random_below(random, 2) ? 300 : THETA_EXACT;
    SketchBytes packed;

    for (unsigned i = 0; i < items; i++) {
        uint8_t *before = state.data;

        theta_insert(&state, random_next(random) % range, &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    packed = theta_ops.pack(sketch_bytes(state), &memory);
    release_state(state);
    return packed;
}

static size_t
fuzz_theta_seed(Random *random, uint8_t *buffer)
{
    SketchBytes packed = random_sketch(random);
    size_t size = packed.size;

    memcpy(buffer, packed.data, size);
    release_bytes(packed);
    return size;
}

static const FuzzMode theta = {.number = 17,
                               .name = "theta",
                               .ops = &theta_ops,
                               .sets = true,
                               .ask = fuzz_theta_ask,
                               .ask_two = fuzz_theta_ask_two,
                               .seed = fuzz_theta_seed};

FUZZ_MODE(theta)

/* ---- DataSketches ---- */

static void
fuzz_datasketches_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes value;

    if (!theta_from_datasketches(input, 0, &memory, &value, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_value(&theta, value);
    release_bytes(value);
}

static size_t
fuzz_datasketches_seed(Random *random, uint8_t *buffer)
{
    SketchBytes packed = random_sketch(random), bytes;
    SketchError error;
    size_t size;

    fuzz_check(theta_to_datasketches(packed, random_below(random, 2), &memory, &bytes, &error),
               "no bytes");
    size = bytes.size;
    memcpy(buffer, bytes.data, size);
    release_bytes(packed);
    memory_release((void *)bytes.data, NULL);
    return size;
}

static const FuzzMode datasketches_theta = {.number = 52,
                                            .name = "theta sketch of DataSketches",
                                            .read = fuzz_datasketches_read,
                                            .seed = fuzz_datasketches_seed};

FUZZ_MODE(datasketches_theta)
