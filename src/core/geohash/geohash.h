/*
 * geohash.h - positions as 60-bit geohashes, and where to look for those near a place.
 *
 *   geohash.c    positions and cells, text, neighbours
 *   distance.c   distance; whether a position is in a circle or a box
 *   cover.c      the ranges of codes that cover a circle or a box
 *   redis.c      Redis's 52-bit score and its text of 11 characters
 */
#ifndef GEOHASH_H
#define GEOHASH_H

#include "core/sketch.h"

#define GEOHASH_LENGTH 12 /* characters of 5 bits each */
#define GEOHASH_BITS 60
#define GEOHASH_AXIS_BITS 30
#define GEOHASH_MAX ((UINT64_C(1) << GEOHASH_BITS) - 1)

#define GEOHASH_LON_MAX 180.0
#define GEOHASH_LAT_MAX 90.0

/* *bad of geohash_read if the length is wrong. */
#define GEOHASH_NO_BYTE SIZE_MAX

/* In degrees. */
typedef struct GeohashBounds {
    double lon_min, lat_min, lon_max, lat_max;
} GeohashBounds;

typedef struct GeohashPosition {
    double lon, lat;
} GeohashPosition;

/* ---- geohash.c ---- */

/* Column and row of a cell, each from 0 to 2^30 - 1, counted from the south-west. */
typedef struct GeohashCell {
    uint32_t column, row;
} GeohashCell;

extern GeohashCell geohash_cell(uint64_t code);
extern uint64_t geohash_of_cell(GeohashCell cell);

/* Returns the code of the cell that has a position, which must be in range. */
extern uint64_t geohash_encode(double lon, double lat);

/* Returns the middle of a cell. */
extern GeohashPosition geohash_position(uint64_t code);

/* Returns the bounds of the cell of `length` characters that has a code. */
extern GeohashBounds geohash_bounds(uint64_t code, unsigned length);

/*
 * Writes `length` characters of a code, without a NUL; reads a text as a code whose other bits are
 * 0. Reading fails if the length is not 1 to 12 (*bad is GEOHASH_NO_BYTE), or if a character is not
 * one of a geohash (*bad is its position).
 */
extern void geohash_write(uint64_t code, unsigned length, char *text);
extern bool geohash_read(const char *text, size_t length, uint64_t *code, size_t *bad);

typedef enum GeohashDirection {
    GEOHASH_N,
    GEOHASH_NE,
    GEOHASH_E,
    GEOHASH_SE,
    GEOHASH_S,
    GEOHASH_SW,
    GEOHASH_W,
    GEOHASH_NW,
    GEOHASH_DIRECTIONS
} GeohashDirection;

/* Finds the adjacent cell of the same length; fails beyond a pole. */
extern bool geohash_neighbor(uint64_t code, unsigned length, GeohashDirection direction,
                             uint64_t *neighbor);

/* ---- distance.c ---- */

/* Returns the metres between two positions on a sphere of Redis's radius. */
extern double geohash_distance(GeohashPosition a, GeohashPosition b);

/*
 * A circle or a box, in metres. A box is that of Redis's BYBOX: a position is in it if it is at
 * most half the height north or south of the middle, and at most half the width east or west,
 * measured at the latitude of the position.
 */
typedef struct GeohashRegion {
    bool box;
    GeohashPosition middle;
    double radius;
    double width, height;
} GeohashRegion;

extern bool geohash_within(uint64_t code, const GeohashRegion *region);

/* ---- cover.c ---- */

#define GEOHASH_RANGES_MAX 64

/* A range of codes; both ends are included. */
typedef struct GeohashRange {
    uint64_t low, high;
} GeohashRange;

/*
 * Covers a region with at most `most` ranges, 1 to GEOHASH_RANGES_MAX, which together have every
 * position in it. They ascend, with gaps in between. Returns their number.
 */
extern unsigned geohash_cover(const GeohashRegion *region, unsigned most, GeohashRange *ranges);

/* Estimates the fraction of these ranges' area inside the region. */
extern double geohash_cover_share(const GeohashRegion *region, const GeohashRange *ranges,
                                  unsigned count);

/* ---- redis.c ---- */

#define GEOHASH_REDIS_LAT_MAX 85.05112878
#define GEOHASH_REDIS_LENGTH 11
#define GEOHASH_REDIS_BITS 52

/* Returns the score of GEOADD for a position with a latitude within the limit. */
extern uint64_t geohash_redis_score(GeohashPosition position);
extern bool geohash_redis_position(int64_t score, GeohashPosition *position, SketchError *error);

/* Writes the text of GEOHASH for a score. */
extern void geohash_redis_write(uint64_t score, char *text);

#endif
