/*
 * test_geohash.c - positions, cells, text and neighbours, against halving by hand.
 */
#include "../check.h"

#include <math.h>

#include "core/geohash/geohash.h"

#define POSITIONS 200000

/* ---- halving by hand, in extended precision: the definition of a geohash ---- */

typedef struct Halved {
    uint64_t code;
    long double lon_min, lon_max, lat_min, lat_max;
} Halved;

static int
halve(double x, long double *min, long double *max)
{
    long double middle = (*min + *max) / 2;

    if (x >= middle) {
        *min = middle;
        return 1;
    }
    *max = middle;
    return 0;
}

static Halved
halved(double lon, double lat, unsigned bits)
{
    Halved h = {0, -180, 180, -90, 90};

    for (unsigned i = 0; i < bits; i++)
        h.code = h.code << 1 | (uint64_t)(i % 2 == 0 ? halve(lon, &h.lon_min, &h.lon_max)
                                                     : halve(lat, &h.lat_min, &h.lat_max));
    return h;
}

static bool
same_bounds(GeohashBounds b, Halved h)
{
    return b.lon_min == h.lon_min && b.lon_max == h.lon_max && b.lat_min == h.lat_min &&
           b.lat_max == h.lat_max;
}

/* Positions of every kind: anywhere, beside one another, on edges of the grid and just off them. */
static double
random_degrees(Random *random, double max)
{
    double edge = max / (double)(UINT64_C(1) << random_below(random, 31)) *
                  (double)(int64_t)random_below(random, 64);
    double x;

    switch (random_below(random, 6)) {
    case 0:
        x = random_below(random, 2) ? max : -max;
        break;
    case 1:
        x = edge;
        break;
    case 2:
        x = nextafter(edge, -1000);
        break;
    case 3:
        x = -edge;
        break;
    default:
        x = (random_unit(random) * 2 - 1) * max;
    }
    return x > max ? max : x < -max ? -max : x;
}

static void
test_encoding(void)
{
    Random random = {1};

    for (unsigned i = 0; i < POSITIONS; i++) {
        double lon = random_degrees(&random, 180), lat = random_degrees(&random, 90);
        Halved h = halved(lon, lat, GEOHASH_BITS);
        uint64_t code = geohash_encode(lon, lat);
        GeohashPosition middle = geohash_position(code);
        unsigned length = 1 + (unsigned)random_below(&random, 12);

        expect(code == h.code, "%.17g %.17g: %llx for %llx", lon, lat, (unsigned long long)code,
               (unsigned long long)h.code);
        expect(code <= GEOHASH_MAX, "more than 60 bits");
        expect(middle.lon == (h.lon_min + h.lon_max) / 2 &&
                   middle.lat == (h.lat_min + h.lat_max) / 2,
               "the middle of %llx", (unsigned long long)code);
        expect(geohash_encode(middle.lon, middle.lat) == code, "the middle is elsewhere");
        expect(geohash_of_cell(geohash_cell(code)) == code, "bits are lost");
        expect(same_bounds(geohash_bounds(code, length), halved(lon, lat, 5 * length)),
               "bounds of %u characters at %.17g %.17g", length, lon, lat);
    }
    conclude("a position is in the cell that halving finds, on edges too");
    expect(geohash_encode(-0.0, -0.0) == geohash_encode(0, 0), "minus zero");
    expect(geohash_encode(180, 90) == GEOHASH_MAX, "the north-eastern corner");
    expect(geohash_encode(-180, -90) == 0, "the south-western corner");
    conclude("the corners");
}

static void
test_known(void)
{
    static const struct {
        double lon, lat;
        const char *text;
    } known[] = {
        {10.40744, 57.64911, "u4pruydqqvj8"},
        {-5.60302734375, 42.60498046875, "ezs42s000000"},
        {-122.4194, 37.7749, "9q8yyk8ytpxr"},
        {13.361389, 38.115556, "sqc8b49rnyte"},
        {0, 0, "s00000000000"},
        {-180, -90, "000000000000"},
        {180, 90, "zzzzzzzzzzzz"},
        {-0.1, 51.5, "gcpuvxr1jzfd"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[GEOHASH_LENGTH + 1] = "";

        geohash_write(geohash_encode(known[i].lon, known[i].lat), GEOHASH_LENGTH, text);
        expect(strcmp(text, known[i].text) == 0, "%g %g: %s for %s", known[i].lon, known[i].lat,
               text, known[i].text);
    }
    conclude("known geohashes");
}

static void
test_text(void)
{
    Random random = {2};
    char before[GEOHASH_LENGTH];
    uint64_t code_before = 0;

    memset(before, '0', sizeof before);
    for (unsigned i = 0; i < POSITIONS; i++) {
        uint64_t code = random_next(&random) >> (4 + random_below(&random, 60));
        uint64_t read;
        char text[GEOHASH_LENGTH];
        unsigned length = 1 + (unsigned)random_below(&random, GEOHASH_LENGTH);
        uint64_t rest = (UINT64_C(1) << 5 * (GEOHASH_LENGTH - length)) - 1;
        size_t bad;

        geohash_write(code, GEOHASH_LENGTH, text);
        expect(geohash_read(text, GEOHASH_LENGTH, &read, &bad) && read == code, "%.12s", text);
        expect((memcmp(before, text, GEOHASH_LENGTH) < 0) == (code_before < code),
               "the order of %.12s and %.12s", before, text);
        expect(geohash_read(text, length, &read, &bad) && read == (code & ~rest), "%.*s",
               (int)length, text);
        code_before = code;
        memcpy(before, text, GEOHASH_LENGTH);
        for (unsigned at = 0; at < length; at++)
            if (random_below(&random, 2) && text[at] >= 'a')
                text[at] = (char)(text[at] - 'a' + 'A');
        expect(geohash_read(text, length, &read, &bad) && read == (code & ~rest), "%.*s",
               (int)length, text);
    }
    conclude("text goes around, of every length and case, in the order of the codes");
}

static void
test_refused(void)
{
    static const char good[] = "0123456789bcdefghjkmnpqrstuvwxyzBCDEFGHJKMNPQRSTUVWXYZ";
    char text[20] = "u33dc0cpnnqyzzzzzzz";
    uint64_t code;
    size_t bad;

    for (unsigned length = 0; length < sizeof text; length++) {
        bool fits = length >= 1 && length <= GEOHASH_LENGTH;

        expect(geohash_read(text, length, &code, &bad) == fits, "%u characters", length);
        expect(fits || bad == GEOHASH_NO_BYTE, "%u characters, no byte of them", length);
    }
    for (unsigned at = 0; at < GEOHASH_LENGTH; at++)
        for (int c = 0; c < 256; c++) {
            char changed[GEOHASH_LENGTH];
            bool is_good = c != 0 && strchr(good, c);

            memcpy(changed, text, sizeof changed);
            changed[at] = (char)c;
            expect(geohash_read(changed, sizeof changed, &code, &bad) == is_good, "byte %d", c);
            expect(is_good || bad == at, "where byte %d is", c);
        }
    conclude("characters that are none of a geohash, and lengths, are refused");
}

static void
test_neighbors(void)
{
    static const GeohashDirection opposite[] = {GEOHASH_S, GEOHASH_SW, GEOHASH_W, GEOHASH_NW,
                                                GEOHASH_N, GEOHASH_NE, GEOHASH_E, GEOHASH_SE};
    static const int east[] = {0, 1, 1, 1, 0, -1, -1, -1}, north[] = {1, 1, 0, -1, -1, -1, 0, 1};
    Random random = {3};
    unsigned beyond = 0, around = 0;

    for (unsigned i = 0; i < POSITIONS; i++) {
        unsigned length = 1 + (unsigned)random_below(&random, GEOHASH_LENGTH);
        uint64_t rest = (UINT64_C(1) << 5 * (GEOHASH_LENGTH - length)) - 1;
        uint64_t code = geohash_encode(random_degrees(&random, 180), random_degrees(&random, 90));
        GeohashBounds cell = geohash_bounds(code, length);
        GeohashDirection to = (GeohashDirection)random_below(&random, GEOHASH_DIRECTIONS);
        double lon = (cell.lon_min + cell.lon_max) / 2 + east[to] * (cell.lon_max - cell.lon_min);
        double lat = (cell.lat_min + cell.lat_max) / 2 + north[to] * (cell.lat_max - cell.lat_min);
        uint64_t there, back;

        code &= ~rest;
        if (lon > 180 || lon < -180) {
            lon += lon > 180 ? -360 : 360;
            around++;
        }
        if (lat > 90 || lat < -90) {
            expect(!geohash_neighbor(code, length, to, &there), "beyond a pole");
            beyond++;
            continue;
        }
        expect(geohash_neighbor(code, length, to, &there) &&
                   there == (geohash_encode(lon, lat) & ~rest),
               "direction %d of %llx, length %u", (int)to, (unsigned long long)code, length);
        expect(geohash_neighbor(there, length, opposite[to], &back) && back == code, "not back");
    }
    expect(beyond > 100 && around > 100, "%u beyond, %u around", beyond, around);
    conclude("neighbours, around 180 degrees, and none beyond the poles");
}

int
main(void)
{
    test_known();
    test_encoding();
    test_text();
    test_refused();
    test_neighbors();
    return conclude_all();
}
