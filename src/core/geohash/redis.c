/*
 * redis.c - the scores of Redis's geo sets, and what its GEOHASH prints.
 *
 * GEOADD stores a position as a score of 52 bits: 26 of longitude and 26 of latitude, in the order
 * of a geohash. The grid differs: its rows end at ±85.05112878°, like the square web map. So a
 * score becomes the geohash of its cell's middle. That lies in the cell, so converting it back
 * gives the same score: nothing is lost. GEOHASH prints ten characters of that middle in the grid
 * of geohashes, with 26 bits per axis, and "0" as the eleventh.
 *
 * At 180° and at the northernmost latitude, Redis's column or row is one past the last, which
 * gives scores of up to 54 bits. They are read as the last column or row, and never written.
 */
#include "geohash.h"

#define AXIS_BITS (GEOHASH_REDIS_BITS / 2)
#define CELLS (UINT32_C(1) << AXIS_BITS)
#define AXIS_SHIFT (GEOHASH_AXIS_BITS - AXIS_BITS)

/* Computes in Redis's order of operations, so that rounding gives the same result. */
static uint32_t
interval(double degrees, double low, double high)
{
    double n = (degrees - low) / (high - low) * CELLS;

    return n >= CELLS ? CELLS - 1 : (uint32_t)n;
}

static double
middle(uint32_t n, double low, double high)
{
    double min = low + n * 1.0 / CELLS * (high - low);
    double max = low + (n + 1) * 1.0 / CELLS * (high - low);

    return (min + max) / 2;
}

static uint64_t
score_of(GeohashPosition position, double lat_max)
{
    return geohash_of_cell(
        (GeohashCell){.column = interval(position.lon, -GEOHASH_LON_MAX, GEOHASH_LON_MAX),
                      .row = interval(position.lat, -lat_max, lat_max)});
}

uint64_t
geohash_redis_score(GeohashPosition position)
{
    return score_of(position, GEOHASH_REDIS_LAT_MAX);
}

bool
geohash_redis_position(int64_t score, GeohashPosition *position, SketchError *error)
{
    GeohashCell cell = geohash_cell((uint64_t)score);

    if (score < 0 || cell.column > CELLS || cell.row > CELLS)
        return sketch_refuse_range(error, SKETCH_OVERFLOW, "A score has 52 bits", score, 0,
                                   (INT64_C(1) << GEOHASH_REDIS_BITS) - 1);
    if (cell.column == CELLS)
        cell.column--;
    if (cell.row == CELLS)
        cell.row--;
    position->lon = middle(cell.column, -GEOHASH_LON_MAX, GEOHASH_LON_MAX);
    position->lat = middle(cell.row, -GEOHASH_REDIS_LAT_MAX, GEOHASH_REDIS_LAT_MAX);
    return true;
}

void
geohash_redis_write(uint64_t score, char *text)
{
    SketchError error;
    GeohashPosition position = {0, 0};

    geohash_redis_position((int64_t)score, &position, &error);
    geohash_write(score_of(position, GEOHASH_LAT_MAX) << 2 * AXIS_SHIFT, GEOHASH_REDIS_LENGTH - 1,
                  text);
    text[GEOHASH_REDIS_LENGTH - 1] = '0';
}
