/*
 * buckets.c - the bucket of a value, and the values of a bucket: exact, and the same on every
 * platform.
 *
 * Boundary j of a scale is 2^(j / 2^scale), and bucket i has the doubles above boundary i up to
 * boundary i + 1. The exponent of a double gives its octave. Within the octave
 *
 *   up to scale 8    the table of scale 8 gives the bucket (boundaries.c), and a shift that of a
 *                    coarser scale, since two neighbours are one bucket of the next lower scale
 *   above scale 8    each squaring of the significand gives one more bit of its logarithm: 1 if the
 *                    square is 2 or more, which is then halved
 *
 * Squares are rounded down to 127 fractional bits. None of the 2^20 boundaries of scale 20 is
 * closer than 2^-74 to a double of its octave, and 20 squarings err by less than 2^-100, so the
 * result is exact. It takes only integers: no logarithm, power or rounding mode of a library.
 *
 * Subnormal numbers have the buckets of their values. Where buckets are narrower than the distance
 * between two neighbouring numbers, some buckets hold none.
 */
#include <float.h>
#include <math.h>

#include "core/common/datadog.h"
#include "core/common/wide.h"
#include "ddsketch_internal.h"

#define FRACTION_BITS 52
#define ONE (UINT64_C(1) << FRACTION_BITS)

/* A number below 2 with 127 fractional bits. */
typedef struct Fixed {
    uint64_t high;
    uint64_t low;
} Fixed;

/* clang-format off */
/* 2^(2^-i) for i = 1 .. 20, rounded down. */
static const Fixed roots[DDSKETCH_SCALE_MAX] = {
    {UINT64_C(0xb504f333f9de6484), UINT64_C(0x597d89b3754abe9f)},
    {UINT64_C(0x9837f0518db8a96f), UINT64_C(0x46ad23182e42f6f6)},
    {UINT64_C(0x8b95c1e3ea8bd6e6), UINT64_C(0xfbe4628758a53c90)},
    {UINT64_C(0x85aac367cc487b14), UINT64_C(0xc5c95b8c2154c1b2)},
    {UINT64_C(0x82cd8698ac2ba1d7), UINT64_C(0x3e2a475b46520bff)},
    {UINT64_C(0x8164d1f3bc030773), UINT64_C(0x7be56527bd14def4)},
    {UINT64_C(0x80b1ed4fd999ab6c), UINT64_C(0x25335719b6e6fd20)},
    {UINT64_C(0x8058d7d2d5e5f6b0), UINT64_C(0x94d589f608ee4aa2)},
    {UINT64_C(0x802c6436d0e04f50), UINT64_C(0xff8ce94a6797b3ce)},
    {UINT64_C(0x8016302f17467628), UINT64_C(0x3690dfe44d11d008)},
    {UINT64_C(0x800b179c82028fd0), UINT64_C(0x945e54e2ae18f2f0)},
    {UINT64_C(0x80058baf7fee3b5d), UINT64_C(0x1c718b38e549cb93)},
    {UINT64_C(0x8002c5d00fdcfcb6), UINT64_C(0xb6566a58c048be1f)},
    {UINT64_C(0x800162e61bed4a48), UINT64_C(0xe84c2e1a463473d9)},
    {UINT64_C(0x8000b17292f702a3), UINT64_C(0xaa22beacca949013)},
    {UINT64_C(0x800058b92abbae02), UINT64_C(0x030c5fa5256f41fe)},
    {UINT64_C(0x80002c5c8dade4d7), UINT64_C(0x1776c0f4dbea67d6)},
    {UINT64_C(0x8000162e44eaf636), UINT64_C(0x526be456600bdbe4)},
    {UINT64_C(0x80000b1721fa7c18), UINT64_C(0x8307016c1cd4e8b6)},
    {UINT64_C(0x8000058b90de7e4c), UINT64_C(0xecfc487503488bb1)},
};
/* clang-format on */

/* Returns half of a product, at most 2 units too low. */
static Fixed
half_product(Fixed a, Fixed b)
{
    uint64_t one = multiply_high(a.high, b.low), other = multiply_high(a.low, b.high);
    Fixed product = {multiply_high(a.high, b.high), a.high * b.high};

    product.low += one;
    product.high += product.low < one;
    product.low += other;
    product.high += product.low < other;
    return product;
}

static Fixed
twice(Fixed a)
{
    return (Fixed){a.high << 1 | a.low >> 63, a.low << 1};
}

/* ---- the bucket of a value ---- */

static uint64_t
bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns the bucket of a normal number at a scale above 8. */
static int64_t
fine_index(uint64_t bits, int scale)
{
    int64_t octave = (int64_t)(bits >> FRACTION_BITS) - 1023;
    uint64_t fraction = bits & (ONE - 1);
    Fixed square = {(fraction | ONE) << (63 - FRACTION_BITS), 0};
    int64_t logarithm = 0;

    if (fraction == 0)
        return octave * (INT64_C(1) << scale) - 1;
    for (int bit = 0; bit < scale; bit++) {
        square = half_product(square, square);
        logarithm = logarithm * 2 + (int64_t)(square.high >> 63);
        if (!(square.high >> 63))
            square = twice(square);
    }
    return octave * (INT64_C(1) << scale) + logarithm;
}

int32_t
ddsketch_index(double value, int scale)
{
    int shift = 0;

    if (value < DBL_MIN) {
        value *= 0x1p54;
        shift = 54;
    }
    if (scale > 8)
        return (int32_t)(fine_index(bits_of(value), scale) - shift * (INT64_C(1) << scale));
    return (ddsketch_index_8(bits_of(value)) - shift * 256) >> (8 - scale);
}

int32_t
ddsketch_index_min(int scale)
{
    return ddsketch_index(0x1p-1074, scale);
}

int32_t
ddsketch_index_max(int scale)
{
    return ddsketch_index(DBL_MAX, scale);
}

/* ---- the values of a bucket ---- */

/* A boundary, rounded down: significand * 2^(exponent - 52). The significand is at least 2^52. */
typedef struct Boundary {
    int64_t exponent;
    uint64_t significand;
} Boundary;

static Boundary
boundary(int scale, int64_t j)
{
    Fixed product = {UINT64_C(1) << 63, 0};

    if (scale <= 0)
        return (Boundary){j * (INT64_C(1) << -scale), ONE};
    if (scale <= 8)
        return (Boundary){j >> scale,
                          ONE + ddsketch_boundaries[(j & ((1 << scale) - 1)) << (8 - scale)]};
    for (int i = 1; i <= scale; i++)
        if (j >> (scale - i) & 1)
            product = twice(half_product(product, roots[i - 1]));
    return (Boundary){j >> scale, product.high >> (63 - FRACTION_BITS)};
}

/* Returns the greatest double that is not above a boundary. */
static double
rounded_down(Boundary b)
{
    if (b.exponent > 1023)
        return DBL_MAX;
    if (b.exponent < -1022 - FRACTION_BITS)
        return 0;
    if (b.exponent < -1022)
        return ldexp((double)(b.significand >> (-1022 - b.exponent)), -1022 - FRACTION_BITS);
    return ldexp((double)b.significand, (int)b.exponent - FRACTION_BITS);
}

static DatadogMapping
mapping_of(const DdsketchGrid *grid)
{
    return (DatadogMapping){grid->gamma, grid->offset,
                            (uint64_t)(grid->mapping - DDSKETCH_LOGARITHMIC)};
}

double
ddsketch_lower(const DdsketchGrid *grid, int64_t index)
{
    if (grid->mapping != DDSKETCH_EXPONENTIAL) {
        DatadogMapping mapping = mapping_of(grid);

        return fmin(datadog_bound(&mapping, (double)index), DBL_MAX);
    }
    return rounded_down(boundary(grid->scale, index));
}

double
ddsketch_upper(const DdsketchGrid *grid, int64_t index)
{
    return ddsketch_lower(grid, index + 1);
}

/* Returns the ratio of a boundary to the one before, minus 1. */
static double
growth(int scale)
{
    if (scale <= 0)
        return ldexp(1, 1 << -scale) - 1;
    return ldexp((double)(roots[scale - 1].high & (UINT64_MAX >> 1)), -63) +
           ldexp((double)roots[scale - 1].low, -127);
}

double
ddsketch_growth(int scale)
{
    return growth(scale) + 1;
}

double
ddsketch_relative_error(const DdsketchGrid *grid)
{
    double g;

    if (grid->mapping != DDSKETCH_EXPONENTIAL) {
        DatadogMapping mapping = mapping_of(grid);

        return datadog_accuracy(&mapping);
    }
    g = growth(grid->scale);
    return isinf(g) ? 1 : g / (g + 2);
}

int
ddsketch_scale_for(double relative_error)
{
    DdsketchGrid grid = {.mapping = DDSKETCH_EXPONENTIAL, .scale = DDSKETCH_SCALE_MIN};

    while (grid.scale < DDSKETCH_SCALE_MAX && ddsketch_relative_error(&grid) > relative_error)
        grid.scale++;
    return grid.scale;
}

/*
 * Returns the number with the same relative distance a to both bounds, low (1 + a) = high (1 - a);
 * among subnormal numbers, the nearest one in the bucket.
 */
double
ddsketch_middle(const DdsketchGrid *grid, int64_t index)
{
    double low = ddsketch_lower(grid, index), high = ddsketch_upper(grid, index), middle;
    double a = ddsketch_relative_error(grid);

    if (grid->mapping != DDSKETCH_EXPONENTIAL)
        middle = low * (1 + a);
    else {
        Boundary b = boundary(grid->scale, index);

        middle = ldexp((double)b.significand * (1 + a),
                       (int)(b.exponent < -2000 ? -2000 : b.exponent) - FRACTION_BITS);
    }
    if (!(middle > low))
        middle = nextafter(low, high);
    return fmin(middle, high);
}
