/*
 * value_distribution.h - how often integers occur in a column: in a column of integers the share of
 * the rows that have a value, in a column of sets the share of the sets that contain it.
 */
#ifndef PG_ROARING_VALUE_DISTRIBUTION_H
#define PG_ROARING_VALUE_DISTRIBUTION_H

#include "roaring_pg.h"

#include "utils/selfuncs.h"

/* The slot of pg_statistic that holds the histogram of elements; see analyze.c. */
#define ROARING_STATISTIC_ELEMENTS 11271

typedef struct Distribution {
    double nulls;       /* share of the rows */
    double cardinality; /* average of the sets */
    /* Values whose frequency is known; of sets ascending. */
    int commons;
    int64 *common;
    double *frequency;
    /* The others: how many there are, and the sum of their frequencies. */
    double distinct, rest;
    /* They are spread evenly over the bins bounds[i] .. bounds[i + 1] - 1; none if unknown. */
    int bins;
    uint64 *bounds;
    /* Quantiles of the cardinalities of the sets, from the lowest to the highest. */
    int quantiles;
    float4 *quantile;
} Distribution;

/* Reads the statistics of a column of integers or any expression; guesses the unknown. */
extern Distribution roaring_integer_distribution(VariableStatData *variable, Oid function);

/*
 * Reads the statistics of a column of sets, of its rows that are not NULL; false if ANALYZE has not
 * seen it.
 */
extern bool roaring_element_distribution(VariableStatData *variable, Oid function,
                                         Distribution *distribution);

/* What the values of a set have together. */
typedef struct Matches {
    double sum; /* of their frequencies */
    double any; /* probability that one of them occurs, if they are independent */
    double all; /* ... that all of them occur */
} Matches;

/* False for a damaged set. */
extern bool roaring_matches(const Distribution *distribution, SketchBytes set, Matches *matches);

/* Returns how many elements two sets, one of each column, have in common on average. */
extern double roaring_expected_common(const Distribution *a, const Distribution *b);

/* Returns the share of the sets that have nothing else than a set with these matches. */
extern double roaring_all_within(const Distribution *distribution, const Matches *matches);

#endif
