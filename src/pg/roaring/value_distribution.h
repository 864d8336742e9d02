/*
 * value_distribution.h - how often integers occur in a column: of a column of integers the rows that have
 * a value, of a column of sets the sets that contain it.
 */
#ifndef PG_ROARING_VALUE_DISTRIBUTION_H
#define PG_ROARING_VALUE_DISTRIBUTION_H

#include "roaring_pg.h"

#include "utils/selfuncs.h"

/* The slot of pg_statistic that holds the histogram of elements; see analyze.c. */
#define ROARING_STATISTIC_ELEMENTS 11271

typedef struct Distribution {
    double nulls;       /* fraction of the rows */
    double cardinality; /* average of sets; 1 for integers */
    /* Values whose frequencies, in fractions of the rows, are known; ascending. */
    int commons;
    int64 *common;
    double *frequency;
    double common_total;
    /* The others: `distinct` values, whose frequencies have this sum. */
    double rest, distinct;
    /* They are spread evenly over the bins: bounds[i] .. bounds[i + 1] - 1; none if unknown. */
    int bins;
    uint64 *bounds;
    double *bin_distinct;
} Distribution;

/* Reads the statistics of a column of integers or any expression; guesses the unknown. */
extern Distribution roaring_integer_distribution(VariableStatData *variable, Oid function);

/* Reads the statistics of a column of sets; false if ANALYZE has not seen it. */
extern bool roaring_element_distribution(VariableStatData *variable, Oid function,
                                         Distribution *distribution);

/* Returns true if the frequency of the value itself is known. */
extern bool roaring_is_common(const Distribution *distribution, int64 value);

/* Returns how many rows in one have this value. */
extern double roaring_frequency(const Distribution *distribution, int64 value);

/* Sums over the values of a set. */
typedef struct Matches {
    double sum;        /* of the frequencies */
    double none;       /* probability that none of the values occurs, if they are independent */
    double logarithms; /* of the frequencies of all values of the set */
} Matches;

/* False for a damaged set. */
extern bool roaring_matches(const Distribution *distribution, SketchBytes set, Matches *matches);

#endif
