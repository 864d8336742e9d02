/*
 * test_geohash_redis.c - Redis's scores and text, against answers of a live server and halving by
 * hand. test/t has the live server itself.
 */
#include "../check.h"

#include <math.h>

#include "core/geohash/geohash.h"

#define SCORES 200000

static const struct {
    double lon, lat;
    uint64_t score;
    const char *text;
} known[] = {
    {13.361389, 38.115556, UINT64_C(3479099956230698), "sqc8b49rny0"},
    {15.087269, 37.502669, UINT64_C(3479447370796909), "sqdtr74hyu0"},
    {-180, 10, UINT64_C(1131741146535189), "81b0bh2n0p0"},
    {20, -85.05112878, UINT64_C(2263347505037480), "h2yhphgt3b0"},
    {-180, -85.05112878, 0, "00bh0hbj200"},
    {0, 0, UINT64_C(3377699720527872), "s0000000000"},
};

static void
test_known(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        GeohashPosition position = {known[i].lon, known[i].lat}, middle;
        char text[GEOHASH_REDIS_LENGTH + 1] = "";
        SketchError error;

        expect(geohash_redis_score(position) == known[i].score, "%g %g: %llu", known[i].lon,
               known[i].lat, (unsigned long long)geohash_redis_score(position));
        geohash_redis_write(known[i].score, text);
        expect(strcmp(text, known[i].text) == 0, "%s for %s", text, known[i].text);
        expect(geohash_redis_position((int64_t)known[i].score, &middle, &error) &&
                   fabs(middle.lon - known[i].lon) < 3e-6 && fabs(middle.lat - known[i].lat) < 2e-6,
               "the middle of %s", known[i].text);
    }
    conclude("scores and text that a live Redis answered");
}

/* Through a geohash and back no score changes. */
static void
test_around(void)
{
    Random random = {1};

    for (unsigned i = 0; i < SCORES; i++) {
        uint64_t score = random_next(&random) >> (12 + random_below(&random, 52));
        GeohashPosition position, again;
        SketchError error;
        uint64_t code;

        if (random_below(&random, 4) == 0)
            score = (UINT64_C(1) << 52) - 1 - score;
        expect(geohash_redis_position((int64_t)score, &position, &error), "refused");
        code = geohash_encode(position.lon, position.lat);
        again = geohash_position(code);
        expect(fabs(again.lon - position.lon) <= 360 / 0x1p31 &&
                   fabs(again.lat - position.lat) <= 180 / 0x1p31,
               "score %llu moves", (unsigned long long)score);
        expect(geohash_redis_score(again) == score, "score %llu", (unsigned long long)score);
        expect(geohash_redis_score(position) == score, "score %llu directly",
               (unsigned long long)score);
    }
    conclude("a score is a geohash and back");
}

static void
test_edges(void)
{
    /* As a live Redis stores these: one column or row past the last. */
    static const struct {
        int64_t score;
        double lon, lat;
    } past[] = {
        {INT64_C(10138940401276180), 180, 10},
        {INT64_C(13510798882111488), 180, GEOHASH_REDIS_LAT_MAX},
        {INT64_C(6766947132407976), 20, GEOHASH_REDIS_LAT_MAX},
    };
    static const int64_t refused[] = {-1,
                                      INT64_MIN,
                                      INT64_MAX,
                                      (INT64_C(1) << 52) + 1,
                                      (INT64_C(1) << 53) + 2,
                                      INT64_C(1) << 54,
                                      INT64_C(1) << 55};
    GeohashPosition corner = {180, GEOHASH_REDIS_LAT_MAX}, position;
    SketchError error;

    expect(geohash_redis_score(corner) == (UINT64_C(1) << 52) - 1, "the corner does not clamp");
    for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
        expect(geohash_redis_position(past[i].score, &position, &error), "edge %zu", i);
        expect(position.lon < 180 && fabs(position.lon - past[i].lon) < 3e-6 &&
                   position.lat < GEOHASH_REDIS_LAT_MAX && fabs(position.lat - past[i].lat) < 3e-6,
               "edge %zu is read as %.17g %.17g", i, position.lon, position.lat);
        expect(geohash_redis_score(position) < UINT64_C(1) << 52, "edge %zu has no score", i);
    }
    conclude("scores one past the edge are read as the edge");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect(!geohash_redis_position(refused[i], &position, &error) &&
                   error.status == SKETCH_OVERFLOW && error.reason && error.has_range &&
                   error.found == refused[i] && error.low == 0 &&
                   error.high == INT64_C(0xfffffffffffff),
               "%lld", (long long)refused[i]);
    conclude("other numbers are refused");
}

int
main(void)
{
    test_known();
    test_around();
    test_edges();
    return conclude_all();
}
