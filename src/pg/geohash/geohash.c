/*
 * geohash.c - the type geohash in SQL. What it is: core/geohash/geohash.c.
 *
 * SQL objects served:
 *   _geohash_in, out, recv, send, casts of bigint and bytea      in and out
 *   geohash, geohash_lon, geohash_lat                            positions
 *   geohash_encode, decode, bounds, neighbors                    cells as text
 *   geohash_distance, <->                                        distance
 *   geohash_to_redis, from_redis, redis_text                     Redis
 *
 * Search is in search.c, what it tells the planner in planner.c. All are STRICT.
 *
 * A value is 64 bits, passed by value and compared as bigint is. Unlike a sketch it has no header
 * and no state.
 */
#include "pg/shared/glue.h"
#include "geohash.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "core/common/bytes.h"

/* ---- checks ---- */

GeohashPosition
geohash_check_position(double lon, double lat)
{
    if (!(fabs(lon) <= GEOHASH_LON_MAX))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("longitude %s is out of range", sketch_shortest(lon)),
                        errdetail("Must be between -180 and 180.")));
    if (!(fabs(lat) <= GEOHASH_LAT_MAX))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("latitude %s is out of range", sketch_shortest(lat)),
                 errdetail("Must be between -90 and 90."), errhint("The longitude comes first.")));
    return (GeohashPosition){.lon = lon, .lat = lat};
}

/* Bits that come from outside, by the binary protocol, bytea or bigint. */
static Datum
check_code(uint64 code, int sqlstate, const char *what)
{
    if (code > GEOHASH_MAX)
        ereport(ERROR, (errcode(sqlstate), errmsg("%s %lld is no geohash", what, (long long)code),
                        errdetail("Must be between 0 and %lld, as a geohash has 60 bits.",
                                  (long long)GEOHASH_MAX)));
    return geohash_datum(code);
}

/* Reads 1 to 12 characters. Raises for others, or returns false if `context` collects errors. */
static bool
read_text(const char *text, size_t length, uint64 *code, Node *context)
{
    size_t bad;

    if (geohash_read(text, length, code, &bad))
        return true;
    if (bad == GEOHASH_NO_BYTE)
        sketches_ereturn(
            context, false,
            (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
             errmsg("invalid input syntax for type geohash: \"%.*s\"", (int)length, text),
             errdetail("It has %zu bytes, a geohash has 1 to %d characters.", length,
                       GEOHASH_LENGTH)));
    sketches_ereturn(context, false,
                     (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                      errmsg("invalid input syntax for type geohash: \"%.*s\"", (int)length, text),
                      errdetail("\"%.*s\" is not a character of a geohash; these are the digits "
                                "and the letters except a, i, l and o.",
                                (int)Min((size_t)pg_mblen(text + bad), length - bad), text + bad)));
}

/* A text argument as code and length. */
static uint64
text_arg(FunctionCallInfo fcinfo, unsigned *length)
{
    char *cell = text_to_cstring(PG_GETARG_TEXT_PP(0));
    uint64 code = 0;

    *length = (unsigned)strlen(cell);
    read_text(cell, *length, &code, NULL);
    return code;
}

static text *
cell_text(uint64 code, unsigned length)
{
    char cell[GEOHASH_LENGTH];

    geohash_write(code, length, cell);
    return cstring_to_text_with_len(cell, (int)length);
}

/* ---- in and out ---- */

PG_FUNCTION_INFO_V1(sketches_geohash_in);
Datum
sketches_geohash_in(PG_FUNCTION_ARGS)
{
    const char *text = PG_GETARG_CSTRING(0);
    uint64 code;

    if (!read_text(text, strlen(text), &code, fcinfo->context))
        PG_RETURN_NULL();
    return geohash_datum(code);
}

PG_FUNCTION_INFO_V1(sketches_geohash_out);
Datum
sketches_geohash_out(PG_FUNCTION_ARGS)
{
    char *text = palloc(GEOHASH_LENGTH + 1);

    geohash_write(geohash_arg(fcinfo, 0), GEOHASH_LENGTH, text);
    text[GEOHASH_LENGTH] = '\0';
    PG_RETURN_CSTRING(text);
}

SQL_FUNCTION(sketches_geohash_recv,
             check_code((uint64)pq_getmsgint64((StringInfo)PG_GETARG_POINTER(0)),
                        ERRCODE_INVALID_BINARY_REPRESENTATION, "number"));

/* Also the cast to bytea. */
PG_FUNCTION_INFO_V1(sketches_geohash_send);
Datum
sketches_geohash_send(PG_FUNCTION_ARGS)
{
    StringInfoData message;

    pq_begintypsend(&message);
    pq_sendint64(&message, geohash_arg(fcinfo, 0));
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

PG_FUNCTION_INFO_V1(sketches_geohash_from_bytea);
Datum
sketches_geohash_from_bytea(PG_FUNCTION_ARGS)
{
    const bytea *bytes = PG_GETARG_BYTEA_PP(0);
    ByteReader reader = byte_reader((const uint8 *)VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));

    if (bytes_left(&reader) != sizeof(uint64))
        ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                        errmsg("invalid value of type geohash"),
                        errdetail("It has %zu bytes, a geohash has 8.", bytes_left(&reader))));
    return check_code(read_be64(&reader), ERRCODE_INVALID_BINARY_REPRESENTATION, "number");
}

SQL_FUNCTION(sketches_geohash_from_bigint,
             check_code(geohash_arg(fcinfo, 0), ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "bigint"));

/* ---- positions and cells ---- */

PG_FUNCTION_INFO_V1(sketches_geohash);
Datum
sketches_geohash(PG_FUNCTION_ARGS)
{
    GeohashPosition p = geohash_check_position(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1));

    return geohash_datum(geohash_encode(p.lon, p.lat));
}

SQL_FUNCTION(sketches_geohash_lon, Float8GetDatum(geohash_position(geohash_arg(fcinfo, 0)).lon));
SQL_FUNCTION(sketches_geohash_lat, Float8GetDatum(geohash_position(geohash_arg(fcinfo, 0)).lat));

PG_FUNCTION_INFO_V1(sketches_geohash_encode);
Datum
sketches_geohash_encode(PG_FUNCTION_ARGS)
{
    GeohashPosition p = geohash_check_position(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1));
    int64 length = PG_GETARG_INT64(2);

    if (length < 1 || length > GEOHASH_LENGTH)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("geohash length %lld is out of range", (long long)length),
                        errdetail("Must be between 1 and %d.", GEOHASH_LENGTH)));
    PG_RETURN_TEXT_P(cell_text(geohash_encode(p.lon, p.lat), (unsigned)length));
}

PG_FUNCTION_INFO_V1(sketches_geohash_decode);
Datum
sketches_geohash_decode(PG_FUNCTION_ARGS)
{
    unsigned length;
    uint64 code = text_arg(fcinfo, &length);
    GeohashBounds b = geohash_bounds(code, length);
    Datum values[4] = {
        Float8GetDatum((b.lon_min + b.lon_max) / 2), Float8GetDatum((b.lat_min + b.lat_max) / 2),
        Float8GetDatum((b.lon_max - b.lon_min) / 2), Float8GetDatum((b.lat_max - b.lat_min) / 2)};

    return sketch_row(fcinfo, values, NULL);
}

PG_FUNCTION_INFO_V1(sketches_geohash_bounds);
Datum
sketches_geohash_bounds(PG_FUNCTION_ARGS)
{
    unsigned length;
    uint64 code = text_arg(fcinfo, &length);
    GeohashBounds b = geohash_bounds(code, length);
    Datum values[4] = {Float8GetDatum(b.lon_min), Float8GetDatum(b.lat_min),
                       Float8GetDatum(b.lon_max), Float8GetDatum(b.lat_max)};

    return sketch_row(fcinfo, values, NULL);
}

PG_FUNCTION_INFO_V1(sketches_geohash_neighbors);
Datum
sketches_geohash_neighbors(PG_FUNCTION_ARGS)
{
    unsigned length;
    uint64 code = text_arg(fcinfo, &length);
    Datum values[GEOHASH_DIRECTIONS] = {0};
    bool nulls[GEOHASH_DIRECTIONS];

    for (int to = 0; to < GEOHASH_DIRECTIONS; to++) {
        uint64 there;

        nulls[to] = !geohash_neighbor(code, length, (GeohashDirection)to, &there);
        if (!nulls[to])
            values[to] = PointerGetDatum(cell_text(there, length));
    }
    return sketch_row(fcinfo, values, nulls);
}

/* ---- distance ---- */

double
geohash_unit(text *unit, bool raise)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"m", 1}, {"km", 1000}, {"ft", 0.3048}, {"mi", 1609.34}};
    const char *name = VARDATA_ANY(unit);
    size_t length = VARSIZE_ANY_EXHDR(unit);

    for (size_t i = 0; i < lengthof(units); i++)
        if (length == strlen(units[i].name) && pg_strncasecmp(name, units[i].name, length) == 0)
            return units[i].metres;
    if (raise)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("unknown unit \"%s\"", text_to_cstring(unit)),
                        errdetail("Units are m, km, ft and mi.")));
    return 0;
}

/* geohash_distance(geohash, geohash [, text]) */
PG_FUNCTION_INFO_V1(sketches_geohash_distance);
Datum
sketches_geohash_distance(PG_FUNCTION_ARGS)
{
    double metres = geohash_distance(geohash_position(geohash_arg(fcinfo, 0)),
                                     geohash_position(geohash_arg(fcinfo, 1)));

    PG_RETURN_FLOAT8(PG_NARGS() > 2 ? metres / geohash_unit(PG_GETARG_TEXT_PP(2), true) : metres);
}

/* ---- Redis ---- */

static uint64
redis_score(GeohashPosition p)
{
    if (fabs(p.lat) > GEOHASH_REDIS_LAT_MAX)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("latitude %s is out of the range of Redis", sketch_shortest(p.lat)),
                        errdetail("Must be between -%.10g and %.10g.", GEOHASH_REDIS_LAT_MAX,
                                  GEOHASH_REDIS_LAT_MAX)));
    return geohash_redis_score(p);
}

SQL_FUNCTION(sketches_geohash_to_redis,
             Int64GetDatum((int64)redis_score(geohash_position(geohash_arg(fcinfo, 0)))));
SQL_FUNCTION(sketches_geohash_position_to_redis,
             Int64GetDatum((int64)redis_score(geohash_check_position(PG_GETARG_FLOAT8(0),
                                                                     PG_GETARG_FLOAT8(1)))));

PG_FUNCTION_INFO_V1(sketches_geohash_from_redis);
Datum
sketches_geohash_from_redis(PG_FUNCTION_ARGS)
{
    GeohashPosition p;
    SketchError error;

    if (!geohash_redis_position(PG_GETARG_INT64(0), &p, &error))
        sketch_raise(&error, "invalid score of Redis");
    return geohash_datum(geohash_encode(p.lon, p.lat));
}

PG_FUNCTION_INFO_V1(sketches_geohash_redis_text);
Datum
sketches_geohash_redis_text(PG_FUNCTION_ARGS)
{
    char text[GEOHASH_REDIS_LENGTH];

    geohash_redis_write(redis_score(geohash_position(geohash_arg(fcinfo, 0))), text);
    PG_RETURN_TEXT_P(cstring_to_text_with_len(text, GEOHASH_REDIS_LENGTH));
}
