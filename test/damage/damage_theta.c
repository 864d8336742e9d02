/*
 * damage_theta.c - values of theta.
 */
#include "damage.h"

#include "core/theta/theta.h"

/* ---- good values ---- */

static SketchBytes
counted(unsigned lgk, unsigned items)
{
    SketchState state = theta_new(lgk, &damage_memory);

    for (unsigned i = 0; i < items; i++)
        theta_insert(&state, theta_hash_int64(i), &damage_memory);
    return damage_result(state);
}

static void
make(void)
{
    damage_value("few", counted(12, 5));
    damage_value("a sample", counted(4, 1000));
    damage_value("many", counted(12, 500));
    damage_value("a large sample", counted(9, 100000));
}

/* ---- calls ---- */

static double
estimate(SketchBytes value)
{
    ThetaSummary summary = theta_summary(value, &damage_memory);
    double sum = (double)theta_cardinality(summary);

    for (unsigned sigmas = 1; sigmas <= 3; sigmas++)
        sum += theta_bounds(summary, sigmas).upper;
    return sum;
}

static bool
look_up(SketchBytes value)
{
    return theta_contains(value, theta_hash_int64(0), &damage_memory) &&
           theta_contains(value, theta_hash_int64(-1), &damage_memory);
}

static void
combine(ThetaOp op, SketchBytes a, SketchBytes b)
{
    SketchBytes value;
    SketchError error;

    damage_expect(theta_combine(op, a, b, &damage_memory, &value, &error));
    estimate(value);
}

static bool
compare(SketchBytes a, SketchBytes b)
{
    ThetaBounds jaccard;
    SketchError error;

    return theta_jaccard(a, b, &damage_memory, &jaccard, &error);
}

static void
add(SketchBytes value, unsigned lgk)
{
    SketchState state = damage_open(value, &theta_ops);

    if (lgk < theta_lgk(sketch_bytes(state)))
        theta_reduce(state, lgk);
    for (unsigned i = 0; i < 200; i++)
        theta_insert(&state, theta_hash_int64(i), &damage_memory);
    theta_summary(sketch_bytes(state), &damage_memory);
    damage_result(state);
}

static bool
write_datasketches(SketchBytes value, bool compressed)
{
    SketchBytes bytes;
    SketchError error;

    return theta_to_datasketches(value, compressed, &damage_memory, &bytes, &error);
}

static void
call(SketchBytes value, SketchBytes good)
{
    TRY(estimate(damage_header(value)));
    TRY(estimate(value));
    TRY(look_up(value));
    TRY(combine(THETA_UNION, value, good));
    TRY(combine(THETA_UNION, good, value));
    TRY(combine(THETA_INTERSECTION, value, good));
    TRY(combine(THETA_INTERSECTION, good, value));
    TRY(combine(THETA_DIFFERENCE, value, good));
    TRY(combine(THETA_DIFFERENCE, good, value));
    TRY(combine(THETA_COMMON, value, good));
    TRY(combine(THETA_COMMON, good, value));
    TRY(compare(damage_pack(value), good));
    TRY(compare(good, damage_pack(value)));
    TRY(add(value, THETA_LGK_MAX));
    TRY(add(value, THETA_LGK_MIN));
    TRY(write_datasketches(value, true));
    TRY(write_datasketches(value, false));
}

static const DamageType theta = {.ops = &theta_ops, .hash_at = 3, .make = make, .call = call};

DAMAGE_TYPE(theta)
