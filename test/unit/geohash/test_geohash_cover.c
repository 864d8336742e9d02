/*
 * test_geohash_cover.c - distance against another formula in extended precision; and that what is
 * within a circle or a box is in the ranges that cover it, wherever on Earth and however large.
 */
#include "../check.h"

#include <math.h>

#include "core/geohash/geohash.h"

#define RADIUS 6372797.560856
#define PI 3.14159265358979323846264338327950288L
#define REGIONS 20000
#define PROBES 40

/* ---- distance ---- */

/* The angle between two directions by their cross and dot products. */
static long double
oracle_distance(GeohashPosition a, GeohashPosition b)
{
    long double pa = a.lat * PI / 180, pb = b.lat * PI / 180, d = (b.lon - a.lon) * PI / 180;
    long double x = cosl(pb) * sinl(d);
    long double y = cosl(pa) * sinl(pb) - sinl(pa) * cosl(pb) * cosl(d);
    long double z = sinl(pa) * sinl(pb) + cosl(pa) * cosl(pb) * cosl(d);

    return RADIUS * atan2l(sqrtl(x * x + y * y), z);
}

static GeohashPosition
random_position(Random *random)
{
    GeohashPosition p = {.lon = random_unit(random) * 360 - 180,
                         .lat = asin(random_unit(random) * 2 - 1) * 180 / (double)PI};

    switch (random_below(random, 12)) {
    case 0:
        p.lon = random_below(random, 2) ? 180 : -180;
        break;
    case 1:
        p.lat = random_below(random, 2) ? 90 : -90;
        break;
    case 2:
        p.lat = 0;
        break;
    case 3:
        p.lon = 0;
        break;
    case 4: /* around a pole */
        p.lat = (random_below(random, 2) ? 1 : -1) * (90 - exp(-20 * random_unit(random)));
        break;
    case 5: /* around the seam */
        p.lon = (random_below(random, 2) ? 1 : -1) * (180 - exp(-20 * random_unit(random)));
        break;
    }
    return p;
}

/* So far in a direction, as angles; the longitude is brought back into range. */
static GeohashPosition
destination(GeohashPosition from, double bearing, double angle)
{
    double lat = from.lat * (double)PI / 180;
    double s = sin(lat) * cos(angle) + cos(lat) * sin(angle) * cos(bearing);
    double there = asin(fmax(-1, fmin(1, s)));
    double east = atan2(sin(bearing) * sin(angle) * cos(lat), cos(angle) - sin(lat) * s);
    double lon = remainder(from.lon + east * 180 / (double)PI, 360);

    return (GeohashPosition){.lon = lon, .lat = fmax(-90, fmin(90, there * 180 / (double)PI))};
}

static void
test_distance(void)
{
    Random random = {1};

    for (unsigned i = 0; i < 200000; i++) {
        GeohashPosition a = random_position(&random);
        GeohashPosition b =
            i % 2 ? random_position(&random)
                  : destination(a, random_unit(&random) * 7, exp(-20 * random_unit(&random)));
        long double right = oracle_distance(a, b);
        double d = geohash_distance(a, b);
        /* Rounding of an angle of 180 degrees, and of the square whose root is taken; near the
           antipode the arc sine is steep: see geohash/distance.c. */
        double allowed = 1e-7 + 1e-14 * (double)right;

        if (right > 0.999 * RADIUS * (double)PI)
            allowed = 0.5;
        else if (right > 0.9 * RADIUS * (double)PI)
            allowed = 1e-3;
        expect(fabsl(d - right) <= allowed, "%.17g %.17g, %.17g %.17g: %.9g for %.9Lg", a.lon,
               a.lat, b.lon, b.lat, d, right);
        expect(d == geohash_distance(b, a), "not symmetric");
        expect(geohash_distance(a, a) == 0, "not 0");
    }
    conclude("distance, as by another formula");
    expect(fabs(geohash_distance((GeohashPosition){13.361389, 38.115556},
                                 (GeohashPosition){15.087269, 37.502669}) -
                166274.2578) < 1e-3,
           "Palermo and Catania");
    expect(geohash_distance((GeohashPosition){0, 90}, (GeohashPosition){120, 90}) < 1e-6,
           "a pole is one place");
    expect(geohash_distance((GeohashPosition){-180, 5}, (GeohashPosition){180, 5}) < 1e-6,
           "180 is -180");
    conclude("distances that are known");
}

/* Twice the same place, on the other side; where rounding may leave the sphere. */
static void
test_antipodes(void)
{
    Random random = {4};

    for (unsigned i = 0; i < 200000; i++) {
        GeohashPosition a = random_position(&random);
        GeohashPosition b = {.lon = a.lon <= 0 ? a.lon + 180 : a.lon - 180, .lat = -a.lat};
        double d = geohash_distance(a, b);

        expect(fabs(d - RADIUS * (double)PI) < 0.5, "%.17g %.17g: %g", a.lon, a.lat, d);
    }
    conclude("half around the Earth");
}

/* ---- covering ---- */

static double
random_metres(Random *random)
{
    switch (random_below(random, 16)) {
    case 0:
        return 0;
    case 1:
        return RADIUS * (double)PI * (1 + random_unit(random));
    case 2:
        return RADIUS * (double)PI * (1 - exp(-15 * random_unit(random)));
    case 3:
        return RADIUS * (double)PI / 2 * (1 + (random_unit(random) - 0.5) * 1e-6);
    case 4:
        return 1e300;
    default:
        return exp(random_unit(random) * log(RADIUS * (double)PI * 100)) / 100;
    }
}

static GeohashRegion
random_region(Random *random)
{
    return (GeohashRegion){.box = random_below(random, 2) == 0,
                           .middle = random_position(random),
                           .radius = random_metres(random),
                           .width = random_metres(random),
                           .height = random_metres(random)};
}

/* By the definition, not by way of geohash_within. */
static bool
is_within(uint64_t code, const GeohashRegion *region)
{
    GeohashPosition p = geohash_position(code);
    GeohashPosition side = {.lon = region->middle.lon, .lat = p.lat};
    GeohashPosition up = {.lon = p.lon, .lat = region->middle.lat};

    if (!region->box)
        return geohash_distance(p, region->middle) <= region->radius;
    return geohash_distance(p, up) <= region->height / 2 &&
           geohash_distance(p, side) <= region->width / 2;
}

static bool
is_covered(uint64_t code, const GeohashRange *ranges, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (code >= ranges[i].low && code <= ranges[i].high)
            return true;
    return false;
}

/* Somewhere, or on the edge of the region, give or take a little. */
static uint64_t
random_probe(Random *random, const GeohashRegion *region)
{
    double off = random_below(random, 2) ? exp(-25 * random_unit(random)) : -1e-12;
    GeohashPosition p = region->middle;

    if (random_below(random, 8) == 0)
        p = random_position(random);
    else if (!region->box)
        p = destination(p, random_unit(random) * 7, region->radius / RADIUS * (1 - off));
    else {
        double up = (random_unit(random) * 2 - 1) * region->height / 2 / RADIUS;
        double half = sin(fmin(region->width / 4 / RADIUS * (1 - off), (double)PI / 2));
        double reach;

        if (random_below(random, 2))
            up = copysign(region->height / 2 / RADIUS * (1 - off), up);
        p.lat = fmax(-90, fmin(90, p.lat + up * 180 / (double)PI));
        reach = half / cos(p.lat * (double)PI / 180);
        reach = reach >= 1 ? 180 : 2 * asin(reach) * 180 / (double)PI;
        p.lon = remainder(p.lon + (random_below(random, 2) ? reach : -reach), 360);
    }
    return geohash_encode(p.lon, p.lat);
}

static void
test_cover(void)
{
    Random random = {2};
    unsigned within = 0, edge = 0;

    for (unsigned i = 0; i < REGIONS; i++) {
        GeohashRegion region = random_region(&random);
        GeohashRange ranges[GEOHASH_RANGES_MAX];
        unsigned most =
            1 + (unsigned)random_below(&random, random_below(&random, 4) ? 8 : GEOHASH_RANGES_MAX);
        unsigned count = geohash_cover(&region, most, ranges);
        double share = geohash_cover_share(&region, ranges, count);

        expect(count >= 1 && count <= most, "%u ranges of %u", count, most);
        for (unsigned r = 0; r < count; r++)
            expect(ranges[r].low <= ranges[r].high && ranges[r].high <= GEOHASH_MAX &&
                       (r == 0 || ranges[r].low > ranges[r - 1].high + 1),
                   "range %u", r);
        expect(share > 0 && share <= 1, "share %g", share);
        for (unsigned probe = 0; probe < PROBES; probe++) {
            uint64_t code = random_probe(&random, &region);
            bool is = is_within(code, &region);

            expect(geohash_within(code, &region) == is, "within");
            expect(!is || is_covered(code, ranges, count),
                   "%s %.17g %.17g, %g (%g, %g): %llx is missed", region.box ? "box" : "circle",
                   region.middle.lon, region.middle.lat, region.radius, region.width, region.height,
                   (unsigned long long)code);
            within += is;
            edge += !is;
        }
    }
    expect(within > REGIONS * PROBES / 4 && edge > REGIONS * PROBES / 20, "%u within, %u not",
           within, edge);
    conclude("whatever is within is covered, and within is by the definition");
}

/* Regions that reach to a position and no further have it within, whatever was rounded. */
static void
test_edge(void)
{
    Random random = {5};

    for (unsigned i = 0; i < 200000; i++) {
        GeohashPosition from = random_position(&random), p, up, side;
        GeohashRegion circle = {.middle = from}, box = {.box = true, .middle = from};
        double bearing = random_below(&random, 3) ? random_unit(&random) * 7
                                                  : (random_unit(&random) - 0.5) * 1e-7;
        double far = exp(-15 * random_unit(&random));
        uint64_t code;

        p = destination(from, bearing, far);
        code = geohash_encode(p.lon, p.lat);
        p = geohash_position(code);
        up = (GeohashPosition){.lon = p.lon, .lat = from.lat};
        side = (GeohashPosition){.lon = from.lon, .lat = p.lat};
        circle.radius = geohash_distance(p, from);
        box.height = 2 * geohash_distance(p, up);
        box.width = 2 * geohash_distance(p, side);
        expect(geohash_within(code, &circle), "%.17g m", circle.radius);
        expect(geohash_within(code, &box), "%.17g by %.17g m", box.width, box.height);
        circle.radius = nextafter(circle.radius, 0);
        expect(circle.radius == 0 || !geohash_within(code, &circle), "less than %.17g m",
               circle.radius);
        box.height = nextafter(box.height, 0);
        expect(box.height == 0 || !geohash_within(code, &box), "less than %.17g m high",
               box.height);
    }
    conclude("what lies on the edge is within");
}

/* Ranges that cover everything would pass the test above. */
static void
test_tight(void)
{
    static const struct {
        unsigned most;
        double mean, worst;
    } bounds[] = {{4, 2.3, 6}, {8, 1.65, 2.8}, {16, 1.35, 2}};
    Random random = {3};

    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (unsigned box = 0; box < 2; box++) {
            double sum = 0, worst = 0;
            unsigned trials = 3000;

            for (unsigned i = 0; i < trials; i++) {
                double metres = exp(random_unit(&random) * log(1e5)) * 10;
                GeohashRegion region = {
                    .box = box,
                    .middle = {random_unit(&random) * 360 - 180, random_unit(&random) * 120 - 60},
                    .radius = metres,
                    .width = metres,
                    .height = metres * 1.5};
                GeohashRange ranges[GEOHASH_RANGES_MAX];
                unsigned count = geohash_cover(&region, bounds[b].most, ranges);
                double degree = RADIUS * (double)PI / 180, covered = 0, ratio;

                for (unsigned r = 0; r < count; r++)
                    covered += (double)(ranges[r].high - ranges[r].low + 1);
                covered *= 360.0 * 180 / 0x1p60 * degree * degree *
                           cos(region.middle.lat * (double)PI / 180);
                ratio = covered / (box ? metres * metres * 1.5 : (double)PI * metres * metres);
                sum += ratio;
                worst = fmax(worst, ratio);
                expect(fabs(geohash_cover_share(&region, ranges, count) * ratio - 1) <
                           (metres > 1e5 ? 0.7 : 0.1),
                       "share %g, area 1/%g", geohash_cover_share(&region, ranges, count), ratio);
            }
            expect(sum / trials < bounds[b].mean && worst < bounds[b].worst,
                   "%u ranges, %s: %.2f and at most %.2f times the area", bounds[b].most,
                   box ? "box" : "circle", sum / trials, worst);
            printf("# %u ranges, %s: %.2f and at most %.2f times the area\n", bounds[b].most,
                   box ? "box" : "circle", sum / trials, worst);
        }
    conclude("few ranges have little more than the area of the region");
}

/* Circles larger than half of the Earth, whose antipode is in a cell to begin with. */
static void
test_large(void)
{
    Random random = {7};

    for (int i = 0; i < 72; i++) {
        GeohashRegion region = {.middle = {i / 2 * 10 - 175, i % 2 ? 40 : -40}, .radius = 12.63e6};
        GeohashRange ranges[GEOHASH_RANGES_MAX];
        unsigned count = geohash_cover(&region, GEOHASH_RANGES_MAX, ranges);
        double covered = 0, within = 0;

        for (unsigned r = 0; r < count; r++)
            covered += (double)(ranges[r].high - ranges[r].low + 1) / 0x1p60;
        for (unsigned n = 0; n < 20000; n++)
            within += geohash_within(random_next(&random) & GEOHASH_MAX, &region) / 20000.0;
        expect(covered < 1.06 * within, "around %g %g: %.3f of all codes for %.3f",
               region.middle.lon, region.middle.lat, covered, within);
    }
    conclude("large circles are not taken for the whole of large cells");
}

static void
test_ends(void)
{
    GeohashRegion nothing = {.middle = {13.4, 52.5}};
    GeohashRegion all = {.middle = {13.4, 52.5}, .radius = 3e7};
    GeohashRegion endless = {.middle = {13.4, 52.5}, .radius = INFINITY};
    GeohashRegion band = {.box = true, .middle = {13.4, 0}, .width = 1e9, .height = 1000};
    GeohashRange ranges[GEOHASH_RANGES_MAX];
    unsigned count = geohash_cover(&nothing, 4, ranges);
    uint64_t covered = 0;

    for (unsigned i = 0; i < count; i++)
        covered += ranges[i].high - ranges[i].low + 1;
    expect(covered < 100, "a radius of 0 covers %llu cells", (unsigned long long)covered);
    expect(geohash_cover(&all, 8, ranges) == 1 && ranges[0].low == 0 &&
               ranges[0].high == GEOHASH_MAX,
           "a radius beyond the antipode");
    expect(geohash_cover(&endless, 8, ranges) == 1 && ranges[0].high == GEOHASH_MAX, "infinity");
    count = geohash_cover(&band, 64, ranges);
    covered = 0;
    for (unsigned i = 0; i < count; i++)
        covered += ranges[i].high - ranges[i].low + 1;
    expect((double)covered < 0.25 * 0x1p60, "a band around the Earth");
    conclude("nothing, everything, and around the Earth");
}

int
main(void)
{
    test_distance();
    test_antipodes();
    test_cover();
    test_edge();
    test_tight();
    test_large();
    test_ends();
    return conclude_all();
}
