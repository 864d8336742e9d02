/*
 * test_hll_joint.c - intersections and differences, compared with inclusion and exclusion.
 */
#include <math.h>

#include "../check.h"
#include "../memory.h"
#include "core/hll/hll_internal.h"

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

    expect(memcmp(&same, &joint, sizeof same) == 0, "working values answer differently");
    expect(other.only_a == joint.only_b && other.only_b == joint.only_a && other.both == joint.both,
           "(%.17g %.17g %.17g), the other way round (%.17g %.17g %.17g)", joint.only_a,
           joint.only_b, joint.both, other.only_a, other.only_b, other.both);
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
    for (uint64_t trial = 0; trial < 30; trial++)
        for (uint64_t n = 0; n < 60; n += 1 + n / 2) {
            SketchBytes a = value_of(trial, 0, n, 14, SKETCH_HASH_XXH3);
            SketchBytes b = value_of(trial, 0, n + 1, 14, SKETCH_HASH_XXH3);
            HllJoint joint = joint_of(a, b);

            expect(joint.only_a < 0.01 && fabs(joint.only_b - 1) < 0.01 &&
                       fabs(joint.both - (double)n) < 0.01,
                   "%u items and one more: %g %g %g", (unsigned)n, joint.only_a, joint.only_b,
                   joint.both);
            release_bytes(a);
            release_bytes(b);
        }
    conclude("one item more, of whatever rank, is one item more");
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
    for (SketchHash hash = SKETCH_HASH_XXH3; hash <= SKETCH_HASH_DATASKETCHES; hash++)
        for (unsigned top = 55; top <= hll_rank_max(hash, 4); top++) {
            uint8_t full[16], some[16];
            SketchBytes a, b;
            HllJoint joint, other;
            double size;

            memset(full, (int)(top << hll_history(hash) | hll_register_empty(hll_history(hash))),
                   sizeof full);
            for (unsigned i = 0; i < 16; i++)
                some[i] = (uint8_t)((5 + i % 3) << hll_history(hash));
            a = hll_from_registers(full, hash, 4, &memory);
            b = hll_from_registers(some, hash, 4, &memory);
            size = (double)hll_cardinality(b, &memory);
            joint = joint_of(a, b);
            other = joint_of(b, a);
            expect(joint.only_a > 0x1p56 && fabs(joint.only_b + joint.both - size) < 0.1 * size &&
                       other.only_b > 0x1p56 && fabs(other.only_a + other.both - size) < 0.1 * size,
                   "hash %d, all of rank %u: %g %g %g", (int)hash, top, joint.only_a, joint.only_b,
                   joint.both);
            release_bytes(a);
            release_bytes(b);
        }
    conclude("beside registers of the highest ranks the other set keeps its size");
}

/* ---- the likelihood, term by term ---- */

/*
 * What a sketch knows of each register: the ranks seen, bit rank, from the lowest that it knows of.
 */
typedef struct Seen {
    uint64_t ranks;
    unsigned lowest;
} Seen;

static Seen *
seen_at(SketchBytes value, unsigned precision)
{
    const size_t m = (size_t)1 << precision;
    Seen *seen = malloc(m * sizeof *seen);
    HllView view;

    if (!hll_view(&view, value, &memory))
        abort();
    for (size_t i = 0; i < m; i++)
        seen[i] = (Seen){0, 1};
    for (uint32_t i = 0; !view.dense && i < view.count; i++) {
        uint32_t index = view.tokens[i] >> 6, above = index >> precision;
        unsigned rank = view.tokens[i] % 64 + 26 - precision;

        if (above > 0)
            rank = (unsigned)__builtin_ctz(above) + 1;
        seen[index % m].ranks |= UINT64_C(1) << rank;
    }
    for (size_t i = 0; view.dense && i < m; i++) {
        unsigned reg = view.registers[i], rank = reg / 4;

        if (rank > 0)
            seen[i].ranks = UINT64_C(1) << rank |
                            (reg & 2 && rank > 1 ? UINT64_C(1) << (rank - 1) : 0) |
                            (reg & 1 && rank > 2 ? UINT64_C(1) << (rank - 2) : 0);
        seen[i].lowest = rank > 2 ? rank - 2 : 1;
    }
    hll_view_end(&view, &memory);
    return seen;
}

/*
 * The log-likelihood of what both know, cell by cell; rates are of a register. Cells that only one
 * of them knows have one and the same probability whatever is in both: the sizes are known.
 */
static double
likelihood(const Seen *a, const Seen *b, unsigned precision, const double rate[3])
{
    const unsigned highest = 65 - precision;
    double sum = 0;

    for (unsigned rank = 1; rank <= highest; rank++) {
        double y = ldexp(1, -(int)(rank < highest ? rank : highest - 1));
        double not_a = exp(-y * rate[0]), not_b = exp(-y * rate[1]), not_x = exp(-y * rate[2]);
        double of_both[2][2] = {
            {log(not_a * not_b * not_x), log(not_a * not_x * (1 - not_b))},
            {log(not_b * not_x * (1 - not_a)), log(1 - not_x + not_x * (1 - not_a) * (1 - not_b))}};

        for (size_t i = 0; i < (size_t)1 << precision; i++) {
            bool in_a = a[i].ranks >> rank & 1, in_b = b[i].ranks >> rank & 1;

            if (rank >= a[i].lowest && rank >= b[i].lowest)
                sum += of_both[in_a][in_b];
        }
    }
    return sum;
}

/*
 * The items in both cannot be raised or lowered to a likelier number that is a thousandth of its
 * error away; the sizes stay.
 */
static void
expect_maximum(SketchBytes a, SketchBytes b, unsigned precision, const char *what)
{
    Seen *seen_a = seen_at(a, precision), *seen_b = seen_at(b, precision);
    HllJoint joint = joint_of(a, b);
    double step = 1e-3 * fmin(joint.both, fmin(joint.only_a, joint.only_b));
    double value[3], slope, curvature;

    for (int i = 0; i < 3; i++) {
        double more = (i - 1) * step;
        const double rate[3] = {ldexp(joint.only_a - more, -(int)precision),
                                ldexp(joint.only_b - more, -(int)precision),
                                ldexp(joint.both + more, -(int)precision)};

        value[i] = likelihood(seen_a, seen_b, precision, rate);
    }
    slope = (value[2] - value[0]) / (2 * step);
    curvature = (2 * value[1] - value[0] - value[2]) / (step * step);
    /* The maximum is slope / curvature away, the error is 1 / sqrt(curvature). */
    expect(step > 0 && fabs(slope) <= 1e-3 * sqrt(curvature), "%s: %g errors off", what,
           slope / sqrt(curvature));
    free(seen_a);
    free(seen_b);
}

static void
test_maximum(void)
{
    static const struct {
        const char *name;
        uint64_t only_a, only_b, both;
        unsigned precision_a, precision_b;
    } pairs[] = {
        {"600, 900, 700", 600, 900, 700, 6, 6},     {"3000, 2000, 300", 3000, 2000, 300, 6, 6},
        {"100, 200, 150", 100, 200, 150, 5, 5},     {"2000, 300, 200", 2000, 300, 200, 8, 8},
        {"300, 2000, 9000", 300, 2000, 9000, 8, 8}, {"20000 each", 20000, 20000, 20000, 8, 8},
        {"dense and sparse", 900, 30, 10, 10, 12},  {"sparse and dense", 5, 400, 7, 8, 8},
    };

    for (size_t n = 0; n < sizeof pairs / sizeof pairs[0]; n++)
        for (uint64_t trial = 50; trial < 54; trial++) {
            const unsigned p = pairs[n].precision_a, q = pairs[n].precision_b;
            SketchBytes a =
                value_of(trial, 0, pairs[n].only_a + pairs[n].both, p, SKETCH_HASH_XXH3);
            SketchBytes b = value_of(trial, pairs[n].only_a, pairs[n].both + pairs[n].only_b, q,
                                     SKETCH_HASH_XXH3);

            expect_maximum(a, b, p < q ? p : q, pairs[n].name);
            release_bytes(a);
            release_bytes(b);
        }
    conclude("the answer is where the likelihood is highest");
}

/* The register of a rank, of the ones seen. */
static uint8_t
register_of(uint64_t seen)
{
    unsigned highest = 63 - (unsigned)__builtin_clzll(seen | 1);

    return (uint8_t)(highest == 0 ? 3
                                  : highest << 2 | (highest < 2 || seen >> (highest - 1) & 1) << 1 |
                                        (highest < 3 || (seen >> (highest - 2) & 1)));
}

/* Any number of items: registers drawn from the distribution, up to the highest ranks. */
static void
test_maximum_drawn(void)
{
    enum { PRECISION = 6, REGISTERS = 1 << PRECISION, HIGHEST = 65 - PRECISION };
    Random random = {31};

    for (int halvings = 4; halvings < HIGHEST; halvings++) {
        static const double shares[3] = {.7, .4, .5};
        uint8_t registers[2][REGISTERS];
        SketchBytes a, b;

        for (unsigned i = 0; i < REGISTERS; i++) {
            uint64_t seen[3] = {0, 0, 0};

            for (int rank = 1; rank <= HIGHEST; rank++)
                for (unsigned of = 0; of < 3; of++) {
                    double y = ldexp(shares[of], halvings - (rank < HIGHEST ? rank : HIGHEST - 1));

                    seen[of] |= (uint64_t)(random_unit(&random) < -expm1(-y)) << rank;
                }
            registers[0][i] = register_of(seen[0] | seen[2]);
            registers[1][i] = register_of(seen[1] | seen[2]);
        }
        a = hll_from_registers(registers[0], SKETCH_HASH_XXH3, PRECISION, &memory);
        b = hll_from_registers(registers[1], SKETCH_HASH_XXH3, PRECISION, &memory);
        expect_maximum(a, b, PRECISION, "drawn");
        release_bytes(a);
        release_bytes(b);
    }
    conclude("it is so up to the highest ranks");
}

/* All numbers agree with one another and with the cardinalities, whatever the two sketches are. */
static void
test_agreement(void)
{
    Random random = {29};

    for (uint64_t trial = 0; trial < 600; trial++) {
        unsigned p = 4 + (unsigned)random_below(&random, 11);
        unsigned q = trial % 3 == 0 ? p : 4 + (unsigned)random_below(&random, 11);
        SketchHash hash = (SketchHash)(trial % 8 == 7 ? 1 + random_below(&random, 3) : 0);
        uint64_t only_a = random_below(&random, UINT64_C(1) << random_below(&random, 14));
        uint64_t both = random_below(&random, UINT64_C(1) << random_below(&random, 14));
        uint64_t only_b = random_below(&random, UINT64_C(1) << random_below(&random, 14));
        SketchBytes a = value_of(trial, 0, only_a + both, p, hash);
        SketchBytes b = value_of(trial, only_a, both + only_b, q, hash);
        int64_t size_a = (int64_t)hll_cardinality(a, &memory);
        int64_t size_b = (int64_t)hll_cardinality(b, &memory);
        HllJoint joint = joint_of(a, b);

        expect(llround(joint.only_a) >= 0 && llround(joint.only_a) <= size_a &&
                   llround(joint.only_b) >= 0 && llround(joint.only_b) <= size_b,
               "p %u and %u: %g of %g, %g of %g", p, q, joint.only_a, (double)size_a, joint.only_b,
               (double)size_b);
        expect(llabs(llround(joint.only_a) + llround(joint.both) - size_a) <= 1 &&
                   llabs(llround(joint.only_b) + llround(joint.both) - size_b) <= 1,
               "p %u and %u: %g %g %g of %g and %g", p, q, joint.only_a, joint.only_b, joint.both,
               (double)size_a, (double)size_b);
        check_symmetry(a, b, joint);
        release_bytes(a);
        release_bytes(b);
    }
    conclude("difference and intersection add up to the cardinality, at any precisions");
}

int
main(void)
{
    test_agreement();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_case(&cases[i], 1000 * (i + 1));
    test_exact();
    test_maximum();
    test_maximum_drawn();
    test_crafted();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
