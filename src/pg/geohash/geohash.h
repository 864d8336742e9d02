/*
 * geohash.h - what the files of the type geohash share.
 */
#ifndef PG_GEOHASH_H
#define PG_GEOHASH_H

#include "pg/shared/compat.h"

#include "core/geohash/geohash.h"

static inline Datum
geohash_datum(uint64 code)
{
    return Int64GetDatum((int64)code);
}

static inline uint64
geohash_arg(FunctionCallInfo fcinfo, int n)
{
    return (uint64)PG_GETARG_INT64(n);
}

/* Functions of SQL that the planner is told about. */
extern PGDLLEXPORT Datum sketches_geohash_within(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sketches_geohash_within_exact(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sketches_geohash_between(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum sketches_geohash_cover_end(PG_FUNCTION_ARGS);

/* Raise when out of range; the message names the number. */
extern GeohashPosition geohash_check_position(double lon, double lat);

/* Metres in a unit; with `raise` an unknown one is an error, else 0. */
extern double geohash_unit(text *unit, bool raise);

/*
 * A region from the arguments lon, lat, radius or width and height, unit. Whatever is out of range
 * is an error or, without `raise`, makes it false.
 */
extern bool geohash_region(GeohashRegion *region, bool box, const Datum *args, bool raise);

/* Ranges that a plan has for a region that is known only when it runs. */
#define GEOHASH_LATE_RANGES 4

/* Ends 1 to 8 are those of these ranges; the first and the last are those of all codes. */
#define GEOHASH_FIRST_END 0
#define GEOHASH_LAST_END (2 * GEOHASH_LATE_RANGES + 1)

#endif
