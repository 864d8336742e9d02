/*
 * datadog.c - the buckets of the DDSketch library, and its message. The format is in datadog.h.
 */
#include "datadog.h"

#include <math.h>

/* The s from 0 to 1 of which the cubic approximation of log2(1 + s) is `share`. */
static double
cubic_inverse(double share)
{
    double low = 0, high = 1;

    for (int i = 0; i < 60; i++) {
        double s = (low + high) / 2;

        if (((6.0 / 35 * s - 3.0 / 5) * s + 10.0 / 7) * s < share)
            low = s;
        else
            high = s;
    }
    return high;
}

double
datadog_bound(const DatadogMapping *mapping, double index)
{
    double position = index - mapping->offset;
    double exponent, share, significand;

    if (mapping->interpolation == 0)
        return pow(mapping->gamma, position);
    position *= log2(mapping->gamma);
    exponent = floor(position);
    share = position - exponent;
    if (!(exponent > -1100))
        return 0;
    if (!(exponent < 1100))
        return INFINITY;
    significand = mapping->interpolation == 1   ? 1 + share
                  : mapping->interpolation == 2 ? 3 - sqrt(4 - 3 * share)
                                                : 1 + cubic_inverse(share);
    return ldexp(significand, (int)exponent);
}

double
datadog_accuracy(const DatadogMapping *mapping)
{
    /* How much ln grows, at most, where the approximate logarithm grows by 1. */
    static const double steepness[] = {1, 1, 0.75, 0.7};

    return 1 - 2 / (1 + (mapping->interpolation == 0
                             ? mapping->gamma
                             : exp(steepness[mapping->interpolation] * log2(mapping->gamma))));
}
