/*
 * test_ddsketch_buckets.c - the bucket of a value, exactly at every boundary, and its values.
 *
 * The oracle compares a double with an irrational boundary by raising both to a power: v lies above
 * 2^(j / 2^s) if and only if v^(2^s) > 2^j, computed with integers of any size.
 */
#include "../counted_buckets.h"

#include "core/ddsketch/ddsketch_internal.h"

/* ---- integers of any size, as far as needed ---- */

#define LIMBS 1024

typedef struct Big {
    uint32_t limb[LIMBS];
    unsigned count;
} Big;

static void
square(Big *b)
{
    static Big result;

    memset(result.limb, 0, (2 * b->count + 1) * sizeof *result.limb);
    for (unsigned i = 0; i < b->count; i++) {
        uint64_t carry = 0;

        for (unsigned j = 0; j < b->count; j++) {
            carry += (uint64_t)b->limb[i] * b->limb[j] + result.limb[i + j];
            result.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        result.limb[i + b->count] = (uint32_t)carry;
    }
    result.count = 2 * b->count;
    while (result.count > 1 && result.limb[result.count - 1] == 0)
        result.count--;
    *b = result;
}

/* floor(log2) */
static unsigned
logarithm(const Big *b)
{
    return 32 * b->count - 1 - (unsigned)__builtin_clz(b->limb[b->count - 1]);
}

/*
 * The bucket within its octave of (1 + fraction / 2^52), fraction not 0: the floor of the logarithm
 * of its power. (2^52 + fraction)^(2^s) has 53 2^s bits: LIMBS are enough up to scale 9.
 */
static uint32_t
exact_bucket(uint64_t fraction, int scale)
{
    static Big power;

    power.limb[0] = (uint32_t)fraction;
    power.limb[1] = (uint32_t)(fraction >> 32) | 1 << 20;
    power.count = 2;
    for (int i = 0; i < scale; i++)
        square(&power);
    return logarithm(&power) - (52U << scale);
}

static double
with_fraction(uint64_t fraction, int exponent)
{
    return ldexp((double)(fraction | UINT64_C(1) << 52), exponent - 52);
}

static void
test_tables(void)
{
    for (unsigned j = 1; j < 256; j++) {
        uint64_t f = ddsketch_boundaries[j];

        expect(exact_bucket(f, 8) == j - 1 && exact_bucket(f + 1, 8) == j, "boundary %u", j);
    }
    expect(ddsketch_boundaries[0] == 0 && ddsketch_boundaries[256] == UINT64_C(1) << 52,
           "the octave's ends");
    for (uint64_t cell = 0; cell < 512; cell++) {
        uint64_t first = cell << 43, last = first + (UINT64_C(1) << 43) - 1;
        unsigned bucket = ddsketch_cells[cell];

        expect(ddsketch_boundaries[bucket] <= first && ddsketch_boundaries[bucket + 1] > first,
               "cell %u begins in another bucket", (unsigned)cell);
        expect(bucket == 255 || ddsketch_boundaries[bucket + 2] > last,
               "cell %u has two boundaries", (unsigned)cell);
    }
    conclude("the table has the boundaries of scale 8, and cells have one of them at most");
}

static void
test_index(void)
{
    Random random = {1};

    for (int scale = 0; scale <= 9; scale++)
        for (unsigned i = 0; i < (scale < 8 ? 200 : 40); i++) {
            uint64_t fraction = 1 + random_below(&random, (UINT64_C(1) << 52) - 1);
            int exponent = (int)random_below(&random, 2046) - 1022;

            expect(ddsketch_index(with_fraction(fraction, exponent), scale) ==
                       exponent * (1 << scale) + (int)exact_bucket(fraction, scale),
                   "scale %d, fraction %llx", scale, (unsigned long long)fraction);
        }
    conclude("a value's bucket is that of its power, from scale 0 to 9");
    for (int scale = DDSKETCH_SCALE_MIN; scale < DDSKETCH_SCALE_MAX; scale++)
        for (unsigned i = 0; i < 5000; i++) {
            double value = fabs(hard_value(&random, i));

            if (value > 0)
                expect(ddsketch_index(value, scale) == ddsketch_index(value, scale + 1) >> 1,
                       "scale %d: %a", scale, value);
        }
    conclude("two buckets of a scale are one of the scale below, at every scale");
    for (int scale = 0; scale <= DDSKETCH_SCALE_MAX; scale++)
        for (int exponent = -1074; exponent <= 1023; exponent++) {
            double value = ldexp(1, exponent);
            int32_t last = (int32_t)(exponent * (INT64_C(1) << scale)) - 1;

            expect(ddsketch_index(value, scale) == last, "2^%d at scale %d", exponent, scale);
            if (exponent >= -1022 + 52)
                expect(ddsketch_index(nextafter(value, INFINITY), scale) == last + 1 &&
                           ddsketch_index(nextafter(value, 0), scale) <= last,
                       "beside 2^%d at scale %d", exponent, scale);
        }
    conclude("a power of two is the last value of its bucket");
}

/* The bounds that are computed from an index, and the bucket that is computed from a value. */
static void
test_bounds(void)
{
    Random random = {2};

    for (int scale = DDSKETCH_SCALE_MIN; scale <= DDSKETCH_SCALE_MAX; scale++) {
        DdsketchGrid grid = grid_of(scale);
        int32_t low = ddsketch_index_min(scale), high = ddsketch_index_max(scale);
        double a = ddsketch_relative_error(&grid);

        for (unsigned i = 0; i < 20000; i++) {
            int32_t index =
                i == 0   ? low
                : i == 1 ? high
                         : (int32_t)(low + (int64_t)random_below(
                                               &random, (uint64_t)((int64_t)high - low + 1)));
            double lower = ddsketch_lower(&grid, index), upper = ddsketch_upper(&grid, index);
            double middle = ddsketch_middle(&grid, index);

            expect(lower <= upper && middle <= upper && upper == ddsketch_lower(&grid, index + 1),
                   "scale %d, bucket %d", scale, index);
            if (lower == upper)
                continue;
            expect(ddsketch_index(upper, scale) == index, "scale %d: the last of bucket %d", scale,
                   index);
            expect(ddsketch_index(nextafter(lower, INFINITY), scale) == index,
                   "scale %d: the first of bucket %d", scale, index);
            expect(ddsketch_index(middle, scale) == index, "scale %d: the middle of bucket %d",
                   scale, index);
            expect(is_within(middle, upper, a) && is_within(middle, nextafter(lower, INFINITY), a),
                   "scale %d: bucket %d, %a to %a, is answered %a", scale, index, lower, upper,
                   middle);
        }
        expect(ddsketch_upper(&grid, high) == DBL_MAX, "scale %d: the last bucket", scale);
    }
    conclude("a bucket's first, last and middle value lie in it, its values within the error");
}

static void
test_error(void)
{
    DdsketchGrid grid = grid_of(6);

    ok(fabs(ddsketch_relative_error(&grid) - 0.005415151) < 1e-8, "the error at scale 6 is .5415%");
    grid.scale = 20;
    ok(fabs(ddsketch_relative_error(&grid) / 3.305182e-7 - 1) < 1e-6, "that at scale 20 is 3.3e-7");
    grid.scale = 0;
    ok(fabs(ddsketch_relative_error(&grid) - 1 / 3.0) < 1e-15, "that at scale 0 is 1/3");
    for (grid.scale = DDSKETCH_SCALE_MIN; grid.scale <= DDSKETCH_SCALE_MAX; grid.scale++) {
        double expected = (double)tanhl(ldexpl(logl(2), -grid.scale - 1));

        expect(fabs(ddsketch_relative_error(&grid) / expected - 1) < 1e-15, "scale %d: %.17g",
               grid.scale, ddsketch_relative_error(&grid));
    }
    conclude("the error at every scale is tanh(ln 2 / 2^(scale + 1))");
    ok(ddsketch_scale_for(0.0055) == 6 && ddsketch_scale_for(0.01) == 6 &&
           ddsketch_scale_for(0.0109) == 5 && ddsketch_scale_for(0.34) == 0 &&
           ddsketch_scale_for(1e-6) == 19,
       "the scale for an error is the lowest that has it");
}

int
main(void)
{
    test_tables();
    test_index();
    test_bounds();
    test_error();
    return conclude_all();
}
