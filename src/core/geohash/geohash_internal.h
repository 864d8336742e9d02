/*
 * geohash_internal.h - what the files of geohash share.
 */
#ifndef GEOHASH_INTERNAL_H
#define GEOHASH_INTERNAL_H

/* The radius of Redis's sphere, in metres. */
#define GEOHASH_EARTH_RADIUS 6372797.560856

#define GEOHASH_PI 3.14159265358979323846

static inline double
geohash_radians(double degrees)
{
    return degrees * (GEOHASH_PI / 180);
}

static inline double
geohash_degrees(double radians)
{
    return radians * (180 / GEOHASH_PI);
}

#endif
