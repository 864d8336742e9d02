/*
 * geohash.c - geohashes: a position on Earth as one number, such that near is mostly near.
 *
 * Longitude and latitude are each halved thirty times; the halves chosen, east or west, north or
 * south, are written as bits in turn, longitude first. That numbers the cells of a grid of 2^30
 * columns and 2^30 rows in Z-order (Morton 1966, Niemeyer 2008). The number is the value:
 *
 *     bit  63..60   59   58   57   56   ...   1    0
 *          0        lon  lat  lon  lat  ...   lon  lat
 *
 * Invariant: the upper four bits are 0. So signed and unsigned order are one, and that order is the
 * Z-order, in which every cell of a coarser grid is one range of codes. Five bits at a time, from
 * the top, are the characters of the text form:
 *
 *     0 1 2 3 4 5 6 7 8 9 b c d e f g h j k m n p q r s t u v w x y z
 *
 * A code names a cell, 3.7 cm wide at the equator and 1.9 cm high, and stands for its middle. A cell
 * has its western and southern edge and not the others; the easternmost and northernmost cells have
 * 180° and 90° too. Edges are multiples of 45 / 2^28 degrees, which a double holds exactly, so a
 * position is in the cell that halving by hand finds: no rounding moves it.
 *
 * A text of fewer characters is read as the code whose other bits are 0, the first in the
 * south-western corner of that larger cell. So 'u33' <= g and g <= 'u33zzzzzzzzz' is what lies in
 * the cell u33. The middle of a larger cell is found by geohash_bounds.
 *
 * Left out: a length of its own for each value (60 bits of text and their length do not order by
 * position), and altitude.
 *
 * References: G. M. Morton, A computer oriented geodetic data base, 1966. G. Niemeyer,
 * geohash.org, 2008.
 */
#include "geohash.h"

#define COLUMN_DEGREES (360.0 / (UINT64_C(1) << GEOHASH_AXIS_BITS))
#define ROW_DEGREES (180.0 / (UINT64_C(1) << GEOHASH_AXIS_BITS))
#define LAST ((UINT32_C(1) << GEOHASH_AXIS_BITS) - 1)

static const char alphabet[] = "0123456789bcdefghjkmnpqrstuvwxyz";

/* ---- cells ---- */

/* Puts a zero before each of 32 bits. */
static uint64_t
spread(uint64_t x)
{
    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = (x | x << 2) & UINT64_C(0x3333333333333333);
    return (x | x << 1) & UINT64_C(0x5555555555555555);
}

/* Takes every other bit away, from bit 1 on. */
static uint32_t
squeeze(uint64_t x)
{
    x &= UINT64_C(0x5555555555555555);
    x = (x | x >> 1) & UINT64_C(0x3333333333333333);
    x = (x | x >> 2) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = (x | x >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(x | x >> 16);
}

GeohashCell
geohash_cell(uint64_t code)
{
    return (GeohashCell){.column = squeeze(code >> 1), .row = squeeze(code)};
}

uint64_t
geohash_of_cell(GeohashCell cell)
{
    return spread(cell.column) << 1 | spread(cell.row);
}

/*
 * The number of the interval of `size` degrees from `origin` on that has `degrees`. The division
 * may round to the one beside; their edges are exact.
 */
static uint32_t
interval(double degrees, double origin, double size)
{
    double i = (degrees - origin) / size;
    uint32_t n = i >= LAST ? LAST : i <= 0 ? 0 : (uint32_t)i;

    while (n > 0 && degrees < origin + n * size)
        n--;
    while (n < LAST && degrees >= origin + (n + 1) * size)
        n++;
    return n;
}

uint64_t
geohash_encode(double lon, double lat)
{
    return geohash_of_cell((GeohashCell){.column = interval(lon, -GEOHASH_LON_MAX, COLUMN_DEGREES),
                                         .row = interval(lat, -GEOHASH_LAT_MAX, ROW_DEGREES)});
}

GeohashPosition
geohash_position(uint64_t code)
{
    GeohashCell cell = geohash_cell(code);

    return (GeohashPosition){.lon = -GEOHASH_LON_MAX + (cell.column + 0.5) * COLUMN_DEGREES,
                             .lat = -GEOHASH_LAT_MAX + (cell.row + 0.5) * ROW_DEGREES};
}

/* ---- text ---- */

/* Where a text has an odd number of bits, the longitude has one more. */
static unsigned
column_bits(unsigned length)
{
    return (5 * length + 1) / 2;
}

static unsigned
row_bits(unsigned length)
{
    return 5 * length / 2;
}

GeohashBounds
geohash_bounds(uint64_t code, unsigned length)
{
    GeohashCell cell = geohash_cell(code);
    unsigned column_shift = GEOHASH_AXIS_BITS - column_bits(length);
    unsigned row_shift = GEOHASH_AXIS_BITS - row_bits(length);
    double width = COLUMN_DEGREES * (double)(UINT32_C(1) << column_shift);
    double height = ROW_DEGREES * (double)(UINT32_C(1) << row_shift);
    double column = cell.column >> column_shift, row = cell.row >> row_shift;

    return (GeohashBounds){.lon_min = -GEOHASH_LON_MAX + column * width,
                           .lat_min = -GEOHASH_LAT_MAX + row * height,
                           .lon_max = -GEOHASH_LON_MAX + (column + 1) * width,
                           .lat_max = -GEOHASH_LAT_MAX + (row + 1) * height};
}

void
geohash_write(uint64_t code, unsigned length, char *text)
{
    for (unsigned i = 0; i < length; i++)
        text[i] = alphabet[code >> (GEOHASH_BITS - 5 * (i + 1)) & 31];
}

/* The value of a character, in either case, or -1. */
static int
digit(char c)
{
    char lower = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;

    for (int i = 0; i < 32; i++)
        if (alphabet[i] == lower)
            return i;
    return -1;
}

/*
 * False when the length is not 1 to 12 (*bad is GEOHASH_NO_BYTE) or a character is none of a
 * geohash (*bad is where).
 */
bool
geohash_read(const char *text, size_t length, uint64_t *code, size_t *bad)
{
    uint64_t bits = 0;

    *bad = GEOHASH_NO_BYTE;
    if (length < 1 || length > GEOHASH_LENGTH)
        return false;
    for (size_t i = 0; i < length; i++) {
        int value = digit(text[i]);

        if (value < 0) {
            *bad = i;
            return false;
        }
        bits = bits << 5 | (uint64_t)value;
    }
    *code = bits << 5 * (GEOHASH_LENGTH - length);
    return true;
}

/* ---- neighbours ---- */

bool
geohash_neighbor(uint64_t code, unsigned length, GeohashDirection direction, uint64_t *neighbor)
{
    static const int east[GEOHASH_DIRECTIONS] = {0, 1, 1, 1, 0, -1, -1, -1};
    static const int north[GEOHASH_DIRECTIONS] = {1, 1, 0, -1, -1, -1, 0, 1};
    GeohashCell cell = geohash_cell(code);
    int64_t row = (int64_t)cell.row +
                  north[direction] * (INT64_C(1) << (GEOHASH_AXIS_BITS - row_bits(length)));
    int64_t column = (int64_t)cell.column +
                     east[direction] * (INT64_C(1) << (GEOHASH_AXIS_BITS - column_bits(length)));

    if (row < 0 || row > LAST)
        return false;
    *neighbor =
        geohash_of_cell((GeohashCell){.column = (uint32_t)(column & LAST), .row = (uint32_t)row});
    return true;
}
