/*
 * cover.c - which ranges of codes have all positions in a circle or a box?
 *
 * An index on geohashes is in Z-order, where a cell of any coarser grid is one range. So a region
 * is covered by cells, and cells that are neighbours in Z-order are joined to ranges. A search
 * reads these few ranges of the index, and tests every position that it finds there.
 *
 *   1. Begin with the one to four cells, each at least as large as the region, that touch it.
 *   2. Replace every cell by those of its quarters that touch the region, except a cell inside the
 *      region, which stays. Repeat until there are enough cells.
 *   3. Join neighbours. Keep only the largest gaps between the ranges, as many as are allowed. That
 *      way the ranges have the smallest area possible for their number.
 *
 * A cell touches the region if the smallest distance from the middle to the cell is small enough.
 * This is exact for a circle: the nearest point of a cell is on its side towards the middle, due
 * north or south of the middle, or where a great circle meets that side at a right angle. The
 * region is enlarged by a millionth and a millimetre, more than the rounding errors of the final
 * test, so no position within it is ever missed.
 *
 * Columns continue across 180°, and a circle around a pole has every longitude, so neither needs a
 * special case. But cells around a pole are narrow slices, and a few ranges cover much more than
 * the region: the result is exact, but the search takes longer.
 *
 * Cost: tests about a hundred cells, 15 us. Up to 8 ranges of a circle have 1.5 times its area, up
 * to 16 ranges 1.25 times (mean between 60° south and north; the unit test measures it).
 *
 * Reference: J. A. Orenstein, T. H. Merrett, A class of data structures for associative searching,
 * 1984 (searches in Z-order).
 */
#include "geohash.h"

#include <math.h>

#include "geohash_internal.h"

/* How many cells are enough for a number of ranges, and the maximum number of cells. */
#define ENOUGH(most) (4 * ((most) < 8 ? 8 : (most)))
#define CELLS_MAX (4 * ENOUGH(GEOHASH_RANGES_MAX))

/* A cell of a grid of 2^level columns and rows. */
typedef struct Cell {
    uint32_t column, row;
    unsigned level;
    bool inside;
} Cell;

/* The region as the tests of cells need it. Angles are at the centre of the Earth, in radians. */
typedef struct Shape {
    const GeohashRegion *region;
    double lat, sin_lat, cos_lat; /* of the middle, in radians */
    double angle;                 /* circle: its radius; box: half its height */
    double half_width;            /* box: half its width as an angle */
    double limit;                 /* circle: haversine of the angle */
    double lat_min, lat_max;      /* degrees; beyond 90 if a pole is inside */
    double lon_reach;             /* degrees east and west of the middle, 180 for all */
} Shape;

/* Returns metres as an angle, enlarged by more than the rounding errors of later comparisons. */
static double
padded(double metres)
{
    return (metres * (1 + 1e-6) + 1e-3) / GEOHASH_EARTH_RADIUS;
}

/* ---- the region ---- */

/* Returns the square of the sine of half an angle, as which distances are compared. */
static double
haversine(double angle)
{
    double sine = sin(angle / 2);

    return sine * sine;
}

/*
 * Returns how many degrees a box reaches east and west at a latitude: as far as half_width, along
 * a great circle.
 */
static double
box_reach(const Shape *shape, double lat)
{
    double cosine = cos(geohash_radians(lat));
    double half_chord = sin(fmin(shape->half_width, GEOHASH_PI) / 2);

    return shape->half_width >= GEOHASH_PI || half_chord >= cosine
               ? 180
               : geohash_degrees(2 * asin(half_chord / cosine));
}

static Shape
shape_of(const GeohashRegion *region)
{
    Shape shape = {.region = region, .lat = geohash_radians(region->middle.lat)};

    shape.sin_lat = sin(shape.lat);
    shape.cos_lat = cos(shape.lat);
    shape.angle = padded(region->box ? region->height / 2 : region->radius);
    shape.limit = shape.angle < GEOHASH_PI ? haversine(shape.angle) : 1;
    shape.lat_min = region->middle.lat - geohash_degrees(fmin(shape.angle, 4));
    shape.lat_max = region->middle.lat + geohash_degrees(fmin(shape.angle, 4));
    if (region->box) {
        shape.half_width = padded(region->width / 2);
        shape.lon_reach =
            box_reach(&shape, fmax(fabs(fmax(shape.lat_min, -90)), fabs(fmin(shape.lat_max, 90))));
    } else if (shape.lat_min <= -90 || shape.lat_max >= 90)
        shape.lon_reach = 180;
    else
        shape.lon_reach =
            fmin(geohash_degrees(asin(fmin(sin(shape.angle) / shape.cos_lat, 1))), 180);
    return shape;
}

/* ---- cells ---- */

static double
columns_of(unsigned level)
{
    return (double)(UINT64_C(1) << level);
}

static GeohashBounds
bounds_of(Cell cell)
{
    double width = 360 / columns_of(cell.level), height = 180 / columns_of(cell.level);

    return (GeohashBounds){.lon_min = -180 + cell.column * width,
                           .lat_min = -90 + cell.row * height,
                           .lon_max = -180 + (cell.column + 1.0) * width,
                           .lat_max = -90 + (cell.row + 1.0) * height};
}

/* Returns the degrees from a longitude to the nearest of a cell's, the short way round. */
static double
degrees_beside(GeohashBounds bounds, double lon)
{
    double east, west;

    if (lon >= bounds.lon_min && lon <= bounds.lon_max)
        return 0;
    west = bounds.lon_min - lon;
    east = lon - bounds.lon_max;
    return fmin(west < 0 ? west + 360 : west, east < 0 ? east + 360 : east);
}

/* Returns the degrees from a longitude to the farthest of a cell's: the nearest to its opposite. */
static double
farthest_beside(GeohashBounds bounds, double lon)
{
    return 180 - degrees_beside(bounds, lon < 0 ? lon + 180 : lon - 180);
}

/*
 * The point of a cell that is nearest to the middle is a corner, a point due north or south of the
 * middle, or, on the side towards the middle, the point where a great circle meets it at a right
 * angle. A cell whose corners are all within the region counts as inside. For a small cell that is
 * true; a large one is then not divided, which loses no position.
 */
static bool
touches_circle(const Shape *shape, Cell *cell, GeohashBounds bounds, double beside)
{
    double low = geohash_radians(bounds.lat_min), high = geohash_radians(bounds.lat_max);
    double from_low = haversine(low - shape->lat), from_high = haversine(high - shape->lat);
    double aside_low = shape->cos_lat * cos(low), aside_high = shape->cos_lat * cos(high);
    double farthest =
        haversine(geohash_radians(farthest_beside(bounds, shape->region->middle.lon)));
    double nearest = haversine(geohash_radians(beside));
    double foot;

    cell->inside = from_low + aside_low * farthest <= shape->limit &&
                   from_high + aside_high * farthest <= shape->limit;
    /* For a cell due north or south the latitude decides, which the caller has tested. */
    if (beside == 0 || from_low + aside_low * nearest <= shape->limit ||
        from_high + aside_high * nearest <= shape->limit)
        return true;
    foot = atan2(shape->sin_lat, shape->cos_lat * cos(geohash_radians(beside)));
    return foot > low && foot < high &&
           haversine(foot - shape->lat) + shape->cos_lat * cos(foot) * nearest <= shape->limit;
}

static bool
touches_box(const Shape *shape, Cell *cell, GeohashBounds bounds, double beside)
{
    double lon = shape->region->middle.lon;
    double south = fmax(bounds.lat_min, shape->lat_min);
    double north = fmin(bounds.lat_max, shape->lat_max);
    double nearest = south <= 0 && north >= 0 ? 0 : fmin(fabs(south), fabs(north));

    if (beside > box_reach(shape, fmax(fabs(south), fabs(north))))
        return false;
    cell->inside = bounds.lat_min >= shape->lat_min && bounds.lat_max <= shape->lat_max &&
                   farthest_beside(bounds, lon) <= box_reach(shape, nearest);
    return true;
}

static bool
touches(const Shape *shape, Cell *cell)
{
    GeohashBounds bounds = bounds_of(*cell);
    double beside = degrees_beside(bounds, shape->region->middle.lon);

    if (bounds.lat_min > shape->lat_max || bounds.lat_max < shape->lat_min ||
        beside > shape->lon_reach)
        return false;
    return shape->region->box ? touches_box(shape, cell, bounds, beside)
                              : touches_circle(shape, cell, bounds, beside);
}

static GeohashRange
range_of(Cell cell)
{
    unsigned shift = GEOHASH_AXIS_BITS - cell.level;
    uint64_t low = geohash_of_cell((GeohashCell){cell.column << shift, cell.row << shift});

    return (GeohashRange){low, low + ((UINT64_C(1) << 2 * shift) - 1)};
}

/* ---- covering ---- */

/*
 * Finds the cells to begin with, in Z-order: those of the finest grid whose cells are at least as
 * large as the region, so at most two columns and two rows.
 */
static unsigned
first_cells(const Shape *shape, Cell *cells)
{
    double width = 2 * shape->lon_reach, height = shape->lat_max - shape->lat_min;
    double lon = shape->region->middle.lon + 180;
    unsigned level = 0, count = 0;
    double columns, column, first_row, last_row;

    while (level < GEOHASH_AXIS_BITS && 360 / columns_of(level + 1) >= width &&
           180 / columns_of(level + 1) >= height)
        level++;
    columns = columns_of(level);
    first_row = fmax(floor((shape->lat_min + 90) / 180 * columns), 0);
    last_row = fmin(floor((shape->lat_max + 90) / 180 * columns), columns - 1);
    column = floor((lon - shape->lon_reach) / 360 * columns);
    /* One column more than the region can touch: rounding may have moved the first. */
    for (double i = 0; i < fmin(3, columns); i++)
        for (double row = first_row; row <= last_row; row++) {
            Cell cell = {.column = (uint32_t)fmod(column + i + columns, columns),
                         .row = (uint32_t)row,
                         .level = level};
            unsigned at = count;

            if (!touches(shape, &cell))
                continue;
            for (; at > 0 && range_of(cells[at - 1]).low > range_of(cell).low; at--)
                cells[at] = cells[at - 1];
            cells[at] = cell;
            count++;
        }
    return count;
}

/* Divides cells by one level, in the same order; returns false if nothing is left to divide. */
static bool
divide(const Shape *shape, const Cell *cells, unsigned count, Cell *finer, unsigned *finer_count)
{
    bool divided = false;

    *finer_count = 0;
    for (unsigned i = 0; i < count; i++) {
        if (cells[i].inside || cells[i].level == GEOHASH_AXIS_BITS) {
            finer[(*finer_count)++] = cells[i];
            continue;
        }
        divided = true;
        for (unsigned quarter = 0; quarter < 4; quarter++) {
            Cell cell = {.column = cells[i].column << 1 | quarter >> 1,
                         .row = cells[i].row << 1 | (quarter & 1),
                         .level = cells[i].level + 1};

            if (touches(shape, &cell))
                finer[(*finer_count)++] = cell;
        }
    }
    return divided;
}

/*
 * Joins ranges in order. Only gaps larger than `gap` remain, and the first `equal` gaps of that
 * size.
 */
static unsigned
join(GeohashRange *ranges, unsigned count, uint64_t gap, unsigned equal)
{
    unsigned joined = 0;

    for (unsigned i = 1; i < count; i++) {
        uint64_t between = ranges[i].low - ranges[joined].high - 1;

        if (between < gap || (between == gap && equal == 0)) {
            ranges[joined].high = ranges[i].high;
            continue;
        }
        equal -= between == gap;
        ranges[++joined] = ranges[i];
    }
    return joined + 1;
}

/* Joins ranges across all gaps but the `kept` largest. */
static unsigned
join_to(GeohashRange *ranges, unsigned count, unsigned kept)
{
    uint64_t largest[GEOHASH_RANGES_MAX] = {0};
    unsigned equal = 0;

    for (unsigned i = 1; i < count; i++) {
        uint64_t between = ranges[i].low - ranges[i - 1].high - 1;
        unsigned at = kept;

        for (; at > 0 && largest[at - 1] < between; at--)
            if (at < kept)
                largest[at] = largest[at - 1];
        if (at < kept)
            largest[at] = between;
    }
    if (kept == 0)
        return join(ranges, count, UINT64_MAX, 0);
    while (equal < kept && largest[kept - 1 - equal] == largest[kept - 1])
        equal++;
    return join(ranges, count, largest[kept - 1], equal);
}

unsigned
geohash_cover(const GeohashRegion *region, unsigned most, GeohashRange *ranges)
{
    Shape shape = shape_of(region);
    Cell cells[2][CELLS_MAX];
    GeohashRange all[CELLS_MAX];
    unsigned count = first_cells(&shape, cells[0]);
    unsigned now = 0;

    while (count <= ENOUGH(most)) {
        unsigned finer;

        if (!divide(&shape, cells[now], count, cells[!now], &finer))
            break;
        count = finer;
        now = !now;
    }
    for (unsigned i = 0; i < count; i++)
        all[i] = range_of(cells[now][i]);
    count = join(all, count, 0, 0);
    if (count > most)
        count = join_to(all, count, most - 1);
    for (unsigned i = 0; i < count; i++)
        ranges[i] = all[i];
    return count;
}

double
geohash_cover_share(const GeohashRegion *region, const GeohashRange *ranges, unsigned count)
{
    Shape shape = shape_of(region);
    double height = fmin(shape.lat_max, 90) - fmax(shape.lat_min, -90);
    double shared = 2 * shape.lon_reach / 360 * height / 180;
    double covered = 0;

    /* A small circle fills pi/4 of the rectangle around it. */
    if (!region->box)
        shared *= GEOHASH_PI / 4;
    for (unsigned i = 0; i < count; i++)
        covered += (double)(ranges[i].high - ranges[i].low + 1) / 0x1p60;
    return fmin(shared / covered, 1);
}
