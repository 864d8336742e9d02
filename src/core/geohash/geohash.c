/*
 * geohash.c - geohashes: a position on Earth as one number; near positions mostly have near
 * numbers.
 *
 * The ranges of longitude and latitude are each halved thirty times. Each time, a bit is 1 if the
 * position is in the eastern or northern half. The bits of longitude and latitude alternate,
 * longitude first. That numbers the cells of a grid of 2^30 columns and 2^30 rows in Z-order
 * (Morton 1966, Niemeyer 2008). The number is the value:
 *
 *     bit  63..60   59   58   57   56   ...   1    0
 *          0        lon  lat  lon  lat  ...   lon  lat
 *
 * Invariant: the upper four bits are 0, so signed and unsigned order are the same. In this order,
 * the Z-order, every cell of a coarser grid is one range of numbers (codes). Each five bits, from
 * the top, are a character of the text form:
 *
 *     0 1 2 3 4 5 6 7 8 9 b c d e f g h j k m n p q r s t u v w x y z
 *
 * A code is that of a cell, 3.7 cm wide at the equator and 1.9 cm high, and represents its middle.
 * A cell includes its western and southern edges, but not the others; 180° and 90° belong to the
 * easternmost and northernmost cells. Edges are multiples of 45 / 2^28 degrees, which a double
 * holds exactly, so rounding never moves a position to another cell.
 *
 * A text of fewer characters is read as the code whose other bits are 0, in the south-western
 * corner of that larger cell. So 'u33' <= g and g <= 'u33zzzzzzzzz' for the positions in the cell
 * u33. geohash_bounds returns the edges of a larger cell.
 *
 * Left out: a length for each value (codes with a length would not be in the order of positions),
 * and altitude.
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

/* Removes every second bit, beginning with bit 1. */
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
 * Returns the number of the interval that has `degrees`; intervals of `size` degrees begin at
 * `origin`. The division may round to a neighbour, so it is corrected by the edges, which are
 * exact.
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

/* Return the bits of each axis; if their sum is odd, the longitude has one more. */
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

/* Returns the value of a character, in either case, or -1. */
static int
digit(char c)
{
    char lower = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;

    for (int i = 0; i < 32; i++)
        if (alphabet[i] == lower)
            return i;
    return -1;
}

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
