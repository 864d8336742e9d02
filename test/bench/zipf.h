/*
 * zipf.h - rows whose keys are skewed, for the programs that measure frequencies.
 *
 * There are KEYS keys; the r-th most likely has the probability r^-exponent / sum. Which numbers
 * the likely ones are is shuffled. Everything comes from the outputs of splitmix64, so the same
 * rows come out everywhere, but for the last digit of libm. The same rows come in four orders.
 */
#ifndef ZIPF_H
#define ZIPF_H

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"

#define KEYS 1000000u

/* ---- rows ---- */

/* Keys are numbers from 0 on; `counts` has how many rows each of them has. */
typedef struct Rows {
    size_t n;
    uint32_t *keys;   /* of the rows, in random order */
    uint32_t *counts; /* KEYS of them */
    uint32_t *ranked; /* all keys, those with the most rows first */
} Rows;

static inline void
shuffle_keys(uint32_t *keys, size_t n, uint64_t seed)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)(splitmix64((seed << 32) + i) % i);
        uint32_t swap = keys[i - 1];

        keys[i - 1] = keys[j];
        keys[j] = swap;
    }
}

/* Walker's method: a column for each rank, of which a part belongs to another one. */
static inline void
fill_columns(double exponent, double *own, uint32_t *other)
{
    uint32_t *small = heap_scratch(KEYS * sizeof *small, NULL), smalls = 0;
    uint32_t *large = heap_scratch(KEYS * sizeof *large, NULL), larges = 0;
    double sum = 0;

    for (uint32_t i = KEYS; i > 0; i--)
        sum += own[i - 1] = pow(i, -exponent);
    for (uint32_t i = 0; i < KEYS; i++) {
        own[i] *= KEYS / sum;
        other[i] = i;
        if (own[i] < 1)
            small[smalls++] = i;
        else
            large[larges++] = i;
    }
    while (smalls > 0 && larges > 0) {
        uint32_t from = small[--smalls], to = large[larges - 1];

        other[from] = to;
        own[to] -= 1 - own[from];
        if (own[to] < 1) {
            larges--;
            small[smalls++] = to;
        }
    }
    /* What rounding has left over is full. */
    while (smalls > 0)
        own[small[--smalls]] = 1;
    while (larges > 0)
        own[large[--larges]] = 1;
    free(small);
    free(large);
}

static const uint32_t *counts_to_compare;

static inline int
more_rows(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t of_x = counts_to_compare[x], of_y = counts_to_compare[y];

    return of_x != of_y ? (of_x < of_y ? 1 : -1) : (x > y) - (x < y);
}

static inline Rows
zipf_rows(double exponent, size_t n)
{
    Rows rows = {n, heap_scratch(n * sizeof(uint32_t), NULL), calloc(KEYS, sizeof(uint32_t)), NULL};
    double *own = heap_scratch(KEYS * sizeof *own, NULL);
    uint32_t *other = heap_scratch(KEYS * sizeof *other, NULL);
    uint32_t *key = heap_scratch(KEYS * sizeof *key, NULL);

    if (!rows.counts)
        fail("out of memory");
    fill_columns(exponent, own, other);
    for (uint32_t i = 0; i < KEYS; i++)
        key[i] = i;
    shuffle_keys(key, KEYS, 1);
    for (size_t i = 0; i < n; i++) {
        double place = fraction((UINT64_C(1) << 40) + i) * KEYS;
        uint32_t column = (uint32_t)place;
        uint32_t rank = place - column < own[column] ? column : other[column];

        rows.keys[i] = key[rank];
        rows.counts[key[rank]]++;
    }
    rows.ranked = key;
    for (uint32_t i = 0; i < KEYS; i++)
        rows.ranked[i] = i;
    counts_to_compare = rows.counts;
    qsort(rows.ranked, KEYS, sizeof *rows.ranked, more_rows);
    free(own);
    free(other);
    return rows;
}

/* ---- orders ---- */

#define ORDERS 4
#define LATE_KEYS 100

static const char *const order_names[ORDERS] = {"random", "clustered", "ascending", "late"};

/* Rows of one key together, in a sequence of all keys. */
static inline void
fill_clusters(const Rows *rows, const uint32_t *sequence, uint32_t *keys)
{
    for (uint32_t i = 0; i < KEYS; i++)
        for (uint32_t j = 0; j < rows->counts[sequence[i]]; j++)
            *keys++ = sequence[i];
}

/* No row of the most frequent keys in the first half, as far as there are others. */
static inline void
fill_late(const Rows *rows, uint32_t *keys)
{
    uint32_t least = rows->counts[rows->ranked[LATE_KEYS - 1]];
    size_t early = 0, late = rows->n;

    for (size_t i = 0; i < rows->n; i++)
        if (rows->counts[rows->keys[i]] < least && early < rows->n / 2)
            keys[early++] = rows->keys[i];
        else
            keys[--late] = rows->keys[i];
    shuffle_keys(keys + late, rows->n - late, 3);
}

/*
 * The keys of the rows in random order; key after key; those of the rarest key first and those of
 * the most frequent one last; or the most frequent keys in the second half only. The caller frees
 * them.
 */
static inline uint32_t *
rows_in_order(const Rows *rows, int order)
{
    uint32_t *keys = heap_scratch(rows->n * sizeof *keys, NULL);
    uint32_t *sequence = heap_scratch(KEYS * sizeof *sequence, NULL);

    for (uint32_t i = 0; i < KEYS; i++)
        sequence[i] = order == 1 ? i : rows->ranked[KEYS - 1 - i];
    if (order == 1)
        shuffle_keys(sequence, KEYS, 2);
    if (order == 0)
        memcpy(keys, rows->keys, rows->n * sizeof *keys);
    else if (order == 3)
        fill_late(rows, keys);
    else
        fill_clusters(rows, sequence, keys);
    free(sequence);
    return keys;
}

static inline size_t
number_of_rows(const char *text)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);

    if (end == text || *end || number < 1000 || number >> 31)
        fail("ROWS is no number from 1000 on");
    return number;
}

#endif
