/*
 * search.c - which positions are within a circle or a box: the functions that check a row, and the
 * ranges that cover a region. planner.c turns their calls into index searches.
 *
 * SQL objects served, all STRICT:
 *   geohash_within, geohash_within_box, and both as ..._exact
 *   geohash_between
 *   geohash_cover, geohash_cover_box
 *   _geohash_cover_end, _geohash_cover_box_end                   in plans
 */
#include "pg/shared/glue.h"
#include "geohash.h"

#include <math.h>

#include "utils/builtins.h"

/* A radius, a width or a height. */
static bool
check_measure(double measure, const char *what, bool raise)
{
    if (measure >= 0 && !isinf(measure))
        return true;
    if (raise)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s %s is out of range", what, sketch_shortest(measure)),
                        errdetail("Must be finite and at least 0.")));
    return false;
}

bool
geohash_region(GeohashRegion *region, bool box, const Datum *args, bool raise)
{
    double lon = DatumGetFloat8(args[0]), lat = DatumGetFloat8(args[1]);
    double first = DatumGetFloat8(args[2]), second = box ? DatumGetFloat8(args[3]) : 0;
    double unit = geohash_unit(DatumGetTextPP(args[box ? 4 : 3]), raise);

    if (raise)
        geohash_check_position(lon, lat);
    if (unit == 0 || !(fabs(lon) <= GEOHASH_LON_MAX) || !(fabs(lat) <= GEOHASH_LAT_MAX) ||
        !check_measure(first, box ? "width" : "radius", raise) ||
        !check_measure(second, "height", raise))
        return false;
    *region = (GeohashRegion){.box = box, .middle = {.lon = lon, .lat = lat}};
    if (box) {
        region->width = first * unit;
        region->height = second * unit;
    } else
        region->radius = first * unit;
    return true;
}

/*
 * Reads the region from the arguments `from` on: four of a circle or five of a box, with `rest`
 * more after them.
 */
static bool
read_region(FunctionCallInfo fcinfo, int from, int rest, GeohashRegion *region, bool raise)
{
    bool box = PG_NARGS() - from - rest > 4;
    Datum args[5];

    for (int i = 0; i < (box ? 5 : 4); i++)
        args[i] = PG_GETARG_DATUM(from + i);
    return geohash_region(region, box, args, raise);
}

static GeohashRegion
region_args(FunctionCallInfo fcinfo, int from, int rest)
{
    GeohashRegion region;

    read_region(fcinfo, from, rest, &region, true);
    return region;
}

/* geohash_within(geohash, lon, lat, radius, unit) or (geohash, lon, lat, width, height, unit) */
PG_FUNCTION_INFO_V1(sketches_geohash_within);
Datum
sketches_geohash_within(PG_FUNCTION_ARGS)
{
    GeohashRegion region = region_args(fcinfo, 1, 0);

    PG_RETURN_BOOL(geohash_within(geohash_arg(fcinfo, 0), &region));
}

/* Replaces geohash_within in plans: another symbol, since planner.c knows functions by theirs. */
SQL_FUNCTION(sketches_geohash_within_exact, sketches_geohash_within(fcinfo));
SQL_FUNCTION(sketches_geohash_between,
             BoolGetDatum(geohash_arg(fcinfo, 0) >= geohash_arg(fcinfo, 1) &&
                          geohash_arg(fcinfo, 0) <= geohash_arg(fcinfo, 2)));

/* ---- covering ranges ---- */

typedef struct Cover {
    GeohashRegion region;
    unsigned count;
    unsigned at; /* the next row */
    GeohashRange ranges[GEOHASH_RANGES_MAX];
} Cover;

static void *
begin_cover(FunctionCallInfo fcinfo)
{
    GeohashRegion region = region_args(fcinfo, 0, 1);
    int64 most = sketch_check_range("number of ranges", PG_GETARG_INT64(PG_NARGS() - 1), 1,
                                    GEOHASH_RANGES_MAX);
    Cover *cover = palloc0(sizeof *cover);

    cover->count = geohash_cover(&region, (unsigned)most, cover->ranges);
    return cover;
}

static bool
next_range(void *rows, Datum *values, bool *nulls)
{
    Cover *cover = rows;

    if (cover->at == cover->count)
        return false;
    values[0] = geohash_datum(cover->ranges[cover->at].low);
    values[1] = geohash_datum(cover->ranges[cover->at++].high);
    return true;
}

/*
 * geohash_cover(lon, lat, radius, unit, max_ranges) or (lon, lat, width, height, unit, max_ranges)
 */
SQL_FUNCTION(sketches_geohash_cover, sketch_rows(fcinfo, begin_cover, next_range));

static bool
same_region(const GeohashRegion *a, const GeohashRegion *b)
{
    return a->middle.lon == b->middle.lon && a->middle.lat == b->middle.lat &&
           a->radius == b->radius && a->width == b->width && a->height == b->height;
}

/*
 * One end of one of the ranges of a region that is known only when a plan runs:
 * _geohash_cover_end(lon, lat, radius, unit, n) or (lon, lat, width, height, unit, n).
 * The ranges are kept at the call site: every row of a scan asks for the same region.
 *
 * Arguments out of range give one range of all geohashes: geohash_within_exact, which every row of
 * it meets, raises for them, and does not if the geohash of all rows is NULL.
 */
PG_FUNCTION_INFO_V1(sketches_geohash_cover_end);
Datum
sketches_geohash_cover_end(PG_FUNCTION_ARGS)
{
    int32 n = PG_GETARG_INT32(PG_NARGS() - 1);
    Cover *cover = fcinfo->flinfo->fn_extra;
    const GeohashRange *range;
    GeohashRegion region;

    if (n < GEOHASH_FIRST_END || n > GEOHASH_LAST_END)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("end %d of the ranges is out of range", n),
                 errdetail("Must be between %d and %d.", GEOHASH_FIRST_END, GEOHASH_LAST_END)));
    if (n == GEOHASH_FIRST_END || n == GEOHASH_LAST_END)
        return geohash_datum(n == GEOHASH_FIRST_END ? 0 : GEOHASH_MAX);
    if (!read_region(fcinfo, 0, 1, &region, false)) {
        if (n > 2)
            PG_RETURN_NULL();
        return geohash_datum(n == 1 ? 0 : GEOHASH_MAX);
    }
    if (cover == NULL || !same_region(&cover->region, &region)) {
        if (cover == NULL)
            cover = fcinfo->flinfo->fn_extra =
                MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof *cover);
        cover->count = geohash_cover(&region, GEOHASH_LATE_RANGES, cover->ranges);
        cover->region = region;
    }
    if ((unsigned)(n - 1) / 2 >= cover->count)
        PG_RETURN_NULL();
    range = &cover->ranges[(n - 1) / 2];
    return geohash_datum(n % 2 ? range->low : range->high);
}
