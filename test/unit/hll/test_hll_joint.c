/*
 * test_hll_joint.c - intersections and differences, beside inclusion and exclusion.
 */
#include <math.h>

#include "../check.h"
#include "../memory.h"
#include "core/hll/hll.h"

static SketchError error;

/* Items first .. first + count - 1 of a trial. */
static SketchBytes
value_of(uint64_t trial, uint64_t first, uint64_t count, unsigned precision, SketchHash hash)
{
    SketchState state = hll_new(hash, precision, &memory);
    SketchBytes packed;

    for (uint64_t i = first; i < first + count; i++) {
        uint8_t *before = state.data;

        hll_insert(&state, mix64(trial << 40 | i), &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    packed = hll_ops.pack(sketch_bytes(state), &memory);
    release_state(state);
    return packed;
}

static double
union_of(SketchBytes a, SketchBytes b)
{
    SketchState state = hll_ops.open(a, &memory);
    double cardinality;

    expect(merge_into(&hll_ops, &state, b, &error), "refused");
    cardinality = (double)hll_cardinality(sketch_bytes(state), &memory);
    release_state(state);
    return cardinality;
}

static HllJoint
joint_of(SketchBytes a, SketchBytes b)
{
    HllJoint joint = {NAN, NAN, NAN};

    expect(hll_joint(a, b, &memory, &joint, &error), "refused");
    return joint;
}

/* Twins of a and b in working encoding give the same, and so does the other order. */
static void
check_symmetry(SketchBytes a, SketchBytes b, HllJoint joint)
{
    SketchState working_a = hll_ops.open(a, &memory), working_b = hll_ops.open(b, &memory);
    HllJoint same = joint_of(sketch_bytes(working_a), sketch_bytes(working_b));
    HllJoint other = joint_of(b, a);
    double all = joint.only_a + joint.only_b + joint.both;

    expect(memcmp(&same, &joint, sizeof same) == 0, "working values answer differently");
    expect(fabs(other.only_a - joint.only_b) <= 1e-4 * all &&
               fabs(other.only_b - joint.only_a) <= 1e-4 * all &&
               fabs(other.both - joint.both) <= 1e-4 * all,
           "(%g %g %g), the other way round (%g %g %g)", joint.only_a, joint.only_b, joint.both,
           other.only_a, other.only_b, other.both);
    release_state(working_a);
    release_state(working_b);
}

typedef struct Case {
    const char *name;
    uint64_t only_a, only_b, both;
    unsigned precision_a, precision_b;
    unsigned trials;
    double rms_both; /* of the whole: at most this error, rms */
    double gain;     /* at most this part of the error of inclusion and exclusion; 0: not asked */
} Case;

/*
 * The errors allowed are those of Cramer and Rao for the three rates, computed apart from this
 * program, plus 35 %: three standard errors of an rms of 40 trials. How much better than inclusion
 * and exclusion the likelihood does depends on the shares: a lot where little is in common, nothing
 * where one set contains the other.
 */
static const Case cases[] = {
    {"disjoint", 20000, 20000, 0, 12, 12, 40, .0024, .40},
    {"10 % in common", 18000, 18000, 4000, 12, 12, 40, .0068, .80},
    {"half in common", 10000, 10000, 20000, 12, 12, 40, .0089, 1.02},
    {"subset", 0, 30000, 10000, 12, 12, 40, .0030, 1.02},
    {"nearly equal", 100, 100, 40000, 12, 12, 40, .0145, 1.10},
    {"large and small", 50000, 500, 500, 12, 12, 40, .0016, .85},
    {"small and large", 500, 50000, 500, 12, 12, 40, .0016, .90},
    {"few registers", 2000, 2000, 400, 8, 8, 150, .0241, .75},
    {"precision 14 and 11", 18000, 18000, 4000, 14, 11, 40, .0098, .65},
    {"precision 11 and 14", 18000, 18000, 4000, 11, 14, 40, .0098, .65},
    {"sparse and dense", 500, 30000, 1000, 14, 14, 40, .0009, .90},
    {"sparse and sparse", 800, 1200, 500, 14, 14, 40, .0002, 0},
    {"sparse, disjoint", 1000, 1000, 0, 14, 14, 40, .0001, 0},
    {"sparse at 14 and at 16", 800, 3000, 500, 14, 16, 40, .0002, 0},
    {"a few", 3, 4, 5, 14, 14, 40, .00001, 0},
};

static void
test_case(const Case *c, uint64_t seed)
{
    double all = (double)(c->only_a + c->only_b + c->both);
    double squares[3] = {0}, exclusion = 0, rms[3];

    for (uint64_t trial = seed; trial < seed + c->trials; trial++) {
        SketchBytes a = value_of(trial, 0, c->only_a + c->both, c->precision_a, SKETCH_HASH_XXH3);
        SketchBytes b =
            value_of(trial, c->only_a, c->both + c->only_b, c->precision_b, SKETCH_HASH_XXH3);
        HllJoint joint = joint_of(a, b);
        double both = (double)hll_cardinality(a, &memory) + (double)hll_cardinality(b, &memory) -
                      union_of(a, b) - (double)c->both;

        expect(joint.only_a >= 0 && joint.only_b >= 0 && joint.both >= 0, "negative");
        expect(joint.both <= (double)hll_cardinality(a, &memory) + 0.5 &&
                   joint.both <= (double)hll_cardinality(b, &memory) + 0.5,
               "%s: %g in both are more than in one", c->name, joint.both);
        squares[0] += pow(joint.only_a - (double)c->only_a, 2);
        squares[1] += pow(joint.only_b - (double)c->only_b, 2);
        squares[2] += pow(joint.both - (double)c->both, 2);
        exclusion += both * both;
        if (trial % 16 == 0)
            check_symmetry(a, b, joint);
        release_bytes(a);
        release_bytes(b);
    }
    for (unsigned i = 0; i < 3; i++)
        rms[i] = sqrt(squares[i] / c->trials) / all;
    exclusion = sqrt(exclusion / c->trials) / all;
    expect(rms[0] <= 1.5 * 0.03 && rms[1] <= 1.5 * 0.03, "%s: %g, %g", c->name, rms[0], rms[1]);
    expect(rms[2] <= c->rms_both, "%s: rms %g", c->name, rms[2]);
    expect(c->gain == 0 || rms[2] <= c->gain * exclusion, "%s: rms %g, exclusion %g", c->name,
           rms[2], exclusion);
    conclude("%s", c->name);
}

static void
test_exact(void)
{
    SketchBytes none = value_of(1, 0, 0, 14, SKETCH_HASH_XXH3);
    SketchBytes redis = value_of(1, 0, 10, 14, SKETCH_HASH_REDIS);

    for (uint64_t n = 0; n < 200000; n = n * 3 + 1) {
        SketchBytes a = value_of(2, 0, n, 14, SKETCH_HASH_XXH3);
        double size = (double)hll_cardinality(a, &memory);
        HllJoint joint = joint_of(a, a);

        expect(joint.only_a == 0 && joint.only_b == 0 && fabs(joint.both - size) <= 0.5,
               "%u items and themselves: %g %g %g", (unsigned)n, joint.only_a, joint.only_b,
               joint.both);
        joint = joint_of(a, none);
        expect(fabs(joint.only_a - size) <= 0.5 && joint.only_b == 0 && joint.both == 0,
               "%u items and none: %g %g %g", (unsigned)n, joint.only_a, joint.only_b, joint.both);
        check_symmetry(a, none, joint);
        release_bytes(a);
    }
    conclude("equal sketches and empty ones are answered exactly");
    error.status = SKETCH_OK;
    expect(!hll_joint(none, redis, &memory, &(HllJoint){0, 0, 0}, &error) &&
               error.status == SKETCH_MISMATCH,
           "two hash functions");
    conclude("different hash functions are refused");
    release_bytes(none);
    release_bytes(redis);
}

/* Registers no set of items gives: an answer in finite time that is no number below zero. */
static void
test_crafted(void)
{
    Random random = {8};
    uint8_t *registers[6];

    for (unsigned p = 4; p <= 16; p += 4) {
        size_t m = (size_t)1 << p;
        SketchBytes value[6];

        for (unsigned i = 0; i < 6; i++)
            registers[i] = malloc(m);
        for (size_t i = 0; i < m; i++) {
            registers[0][i] = 3;
            registers[1][i] = (uint8_t)((65 - p) << 2 | 3);
            registers[2][i] = (uint8_t)((2 + random_below(&random, 64 - p)) << 2 | 1);
            registers[3][i] = (uint8_t)((i & 1) * (65 - p) << 2 | 3);
            registers[4][i] = (uint8_t)((~i & 1) * (65 - p) << 2 | 3);
            registers[5][i] = (uint8_t)((1 + random_below(&random, 2)) << 2 | 3);
        }
        for (unsigned i = 0; i < 6; i++)
            value[i] = hll_from_registers(registers[i], SKETCH_HASH_XXH3, p, &memory);
        for (unsigned i = 0; i < 6; i++)
            for (unsigned j = 0; j < 6; j++) {
                HllJoint joint = joint_of(value[i], value[j]);

                expect(joint.only_a >= 0 && joint.only_b >= 0 && joint.both >= 0,
                       "p %u, %u and %u: %g %g %g", p, i, j, joint.only_a, joint.only_b,
                       joint.both);
            }
        for (unsigned i = 0; i < 6; i++) {
            release_bytes(value[i]);
            free(registers[i]);
        }
    }
    conclude("crafted registers: an answer that is a number");
}

int
main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_case(&cases[i], 1000 * (i + 1));
    test_exact();
    test_crafted();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
