/*
 * fuzz_geohash.c - text, scores of Redis and regions of every size and place.
 *
 * An input of fewer than 34 bytes is a text, and its first 8 bytes are a score and a code. A longer
 * one is a region: longitude, latitude, two measures as doubles, little-endian, then one byte for
 * its shape and one for the number of ranges.
 */
#include "fuzz.h"

#include <math.h>

#include "core/common/bytes.h"
#include "core/geohash/geohash.h"

#define REGION_BYTES 34

static void
ask_code(uint64_t code)
{
    GeohashPosition middle = geohash_position(code);
    char text[GEOHASH_LENGTH], around[GEOHASH_REDIS_LENGTH];
    uint64_t again;
    size_t bad;

    geohash_write(code, GEOHASH_LENGTH, text);
    fuzz_check(geohash_read(text, GEOHASH_LENGTH, &again, &bad) && again == code,
               "a code is not what its text says");
    fuzz_check(geohash_encode(middle.lon, middle.lat) == code, "the middle lies elsewhere");
    for (unsigned length = 1; length <= GEOHASH_LENGTH; length++) {
        GeohashBounds b = geohash_bounds(code, length);

        fuzz_check(b.lon_min <= middle.lon && middle.lon <= b.lon_max && b.lat_min <= middle.lat &&
                       middle.lat <= b.lat_max,
                   "the middle is out of the bounds");
        for (int to = 0; to < GEOHASH_DIRECTIONS; to++)
            fuzz_check(!geohash_neighbor(code, length, (GeohashDirection)to, &again) ||
                           again <= GEOHASH_MAX,
                       "a neighbour is no code");
    }
    if (fabs(middle.lat) <= GEOHASH_REDIS_LAT_MAX)
        geohash_redis_write(geohash_redis_score(middle), around);
}

static void
ask_score(int64_t score)
{
    GeohashPosition position;
    SketchError error = {.status = SKETCH_OK};

    if (!geohash_redis_position(score, &position, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_check(fabs(position.lon) <= GEOHASH_LON_MAX && fabs(position.lat) <= GEOHASH_REDIS_LAT_MAX,
               "a score lies nowhere");
    position = geohash_position(geohash_encode(position.lon, position.lat));
    fuzz_check(score >> GEOHASH_REDIS_BITS != 0 || geohash_redis_score(position) == (uint64_t)score,
               "a score is not what its geohash says");
}

static void
ask_region(const uint8_t *data)
{
    GeohashRegion region = {.box = data[32] & 1,
                            .middle = {load_le_double(data), load_le_double(data + 8)},
                            .radius = load_le_double(data + 16),
                            .width = load_le_double(data + 16),
                            .height = load_le_double(data + 24)};
    unsigned most = 1 + data[33] % GEOHASH_RANGES_MAX, count;
    GeohashRange ranges[GEOHASH_RANGES_MAX];
    Random random = {load_le64(data) ^ load_le64(data + 8) ^ load_le64(data + 16)};
    double share;

    /* The input function of the database lets nothing else pass. */
    if (!(fabs(region.middle.lon) <= GEOHASH_LON_MAX) ||
        !(fabs(region.middle.lat) <= GEOHASH_LAT_MAX) || !(region.width >= 0) ||
        !(region.height >= 0))
        return;
    count = geohash_cover(&region, most, ranges);
    fuzz_check(count >= 1 && count <= most, "another number of ranges");
    for (unsigned i = 0; i < count; i++)
        fuzz_check(ranges[i].low <= ranges[i].high && ranges[i].high <= GEOHASH_MAX &&
                       (i == 0 || ranges[i].low > ranges[i - 1].high + 1),
                   "ranges without order or gaps");
    share = geohash_cover_share(&region, ranges, count);
    fuzz_check(share >= 0 && share <= 1, "a share beyond all");
    /* Most of these lie near; what is within is covered. */
    for (unsigned i = 0; i < 64; i++) {
        double reach = exp(random_unit(&random) * 60 - 40);
        double lon = region.middle.lon + (random_unit(&random) - 0.5) * reach;
        double lat = region.middle.lat + (random_unit(&random) - 0.5) * reach;
        uint64_t code =
            geohash_encode(fmax(-180, fmin(180, remainder(lon, 360))), fmax(-90, fmin(90, lat)));
        bool covered = false;

        for (unsigned r = 0; r < count; r++)
            covered |= code >= ranges[r].low && code <= ranges[r].high;
        fuzz_check(covered || !geohash_within(code, &region), "within, and not covered");
    }
}

static void
fuzz_geohash_read(SketchBytes input)
{
    uint64_t code = 0;
    size_t bad;

    if (input.size >= REGION_BYTES) {
        ask_region(input.data);
        return;
    }
    if (geohash_read((const char *)input.data, input.size, &code, &bad)) {
        fuzz_check(input.size >= 1 && input.size <= GEOHASH_LENGTH, "a text of another length");
        ask_code(code);
    } else
        fuzz_check(bad == GEOHASH_NO_BYTE || bad < input.size, "the fault is elsewhere");
    if (input.size >= 8) {
        ask_score((int64_t)load_le64(input.data));
        ask_code(load_le64(input.data) & GEOHASH_MAX);
    }
}

static size_t
fuzz_geohash_seed(Random *random, uint8_t *buffer)
{
    if (random_below(random, 2)) {
        unsigned length = 1 + (unsigned)random_below(random, GEOHASH_LENGTH);

        if (random_below(random, 2)) {
            store_le64(buffer, random_next(random) >> random_below(random, 64));
            return 8;
        }
        geohash_write(random_next(random) & GEOHASH_MAX, length, (char *)buffer);
        return length;
    }
    store_le_double(buffer, (random_unit(random) * 2 - 1) * 180);
    store_le_double(buffer + 8, (random_unit(random) * 2 - 1) * 90);
    store_le_double(buffer + 16, exp(random_unit(random) * 40 - 20));
    store_le_double(buffer + 24, exp(random_unit(random) * 40 - 20));
    /* Where geometry is hard: the poles, the seam, the corners of quadrants. */
    if (random_below(random, 3) == 0)
        store_le_double(buffer, (double)random_below(random, 9) * 45 - 180);
    if (random_below(random, 3) == 0)
        store_le_double(buffer + 8, (double)random_below(random, 5) * 45 - 90);
    buffer[32] = (uint8_t)random_next(random);
    buffer[33] = (uint8_t)random_next(random);
    return REGION_BYTES;
}

static const FuzzMode geohash = {
    .number = 10, .name = "geohash", .read = fuzz_geohash_read, .seed = fuzz_geohash_seed};

FUZZ_MODE(geohash)
