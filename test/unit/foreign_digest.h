/*
 * foreign_digest.h - quantile sketches as other systems write them, made here.
 */
#ifndef FOREIGN_DIGEST_H
#define FOREIGN_DIGEST_H

#include <stdio.h>

#include "core/tdigest/tdigest.h"

/* Bytes being written; `data` must have room. */
typedef struct Foreign {
    uint8_t *data;
    size_t size;
} Foreign;

static inline void
foreign_integer(Foreign *f, uint64_t number, unsigned bytes, bool big_endian)
{
    for (unsigned i = 0; i < bytes; i++)
        f->data[f->size++] = (uint8_t)(number >> 8 * (big_endian ? bytes - 1 - i : i));
}

static inline void
foreign_number(Foreign *f, double number, unsigned width, bool big_endian)
{
    float small = (float)number;
    uint64_t bits = 0;
    uint32_t small_bits;

    memcpy(&small_bits, &small, sizeof small_bits);
    memcpy(&bits, &number, sizeof bits);
    foreign_integer(f, width == 4 ? small_bits : bits, width, big_endian);
}

/* A t-digest of DataSketches with numbers 8 or 4 bytes wide. */
static inline void
foreign_datasketches(Foreign *f, unsigned width, unsigned k, const TdigestCentroid *centroids,
                     uint32_t count, const double *buffered, uint32_t buffered_count, double low,
                     double high)
{
    const uint8_t begin[] = {2, 1, 20, (uint8_t)k, (uint8_t)(k >> 8), 0, 0, 0};

    memcpy(f->data + f->size, begin, sizeof begin);
    f->size += sizeof begin;
    foreign_integer(f, count, 4, false);
    foreign_integer(f, buffered_count, 4, false);
    foreign_number(f, low, width, false);
    foreign_number(f, high, width, false);
    for (uint32_t i = 0; i < count; i++) {
        foreign_number(f, centroids[i].mean, width, false);
        foreign_integer(f, centroids[i].weight, width, false);
    }
    for (uint32_t i = 0; i < buffered_count; i++)
        foreign_number(f, buffered[i], width, false);
}

/*
 * A KLL sketch whose level i has sizes[i] items, in a row; with `unused` places in front it is an
 * updatable one.
 */
static inline void
foreign_kll(Foreign *f, TdigestItem item, unsigned levels, const uint32_t *sizes,
            const double *items, uint32_t unused, bool updatable, double low, double high)
{
    unsigned width = item == TDIGEST_ITEM_FLOAT ? 4 : 8;
    const uint8_t begin[] = {5, updatable ? 3 : 1, 15, 2, 200, 0, 8, 0};
    uint64_t n = 0;
    uint32_t at = unused, count = 0;

    memcpy(f->data + f->size, begin, sizeof begin);
    f->size += sizeof begin;
    for (unsigned i = 0; i < levels; i++)
        n += (uint64_t)sizes[i] << i;
    foreign_integer(f, n, 8, false);
    foreign_integer(f, 200 | levels << 16, 4, false);
    for (unsigned i = 0; i < levels; at += sizes[i++]) {
        foreign_integer(f, at, 4, false);
        count += sizes[i];
    }
    if (updatable)
        foreign_integer(f, at, 4, false);
    for (uint32_t i = 0; i < 2 + (updatable ? unused : 0) + count; i++) {
        double number = i == 0   ? low
                        : i == 1 ? high
                        : i < 2 + (updatable ? unused : 0)
                            ? 0
                            : items[i - 2 - (updatable ? unused : 0)];

        if (item == TDIGEST_ITEM_LONG)
            foreign_integer(f, (uint64_t)(int64_t)number, 8, false);
        else
            foreign_number(f, number, width, false);
    }
}

/* A t-digest of Dunning's library. */
static inline void
foreign_dunning(Foreign *f, bool small, double compression, const TdigestCentroid *centroids,
                uint32_t count, double low, double high)
{
    unsigned width = small ? 4 : 8;

    foreign_integer(f, small ? 2 : 1, 4, true);
    foreign_number(f, low, 8, true);
    foreign_number(f, high, 8, true);
    foreign_number(f, compression, width, true);
    if (small)
        foreign_integer(f, UINT64_C(0x00d203e8), 4, true); /* capacities, which nobody reads */
    foreign_integer(f, count, small ? 2 : 4, true);
    for (uint32_t i = 0; i < count; i++) {
        foreign_number(f, (double)centroids[i].weight, width, true);
        foreign_number(f, centroids[i].mean, width, true);
    }
}

/* The same of the library's AVLTreeDigest. */
static inline void
foreign_avl(Foreign *f, bool small, double compression, const TdigestCentroid *centroids,
            uint32_t count, double low, double high)
{
    double before = 0;

    foreign_integer(f, small ? 2 : 1, 4, true);
    foreign_number(f, low, 8, true);
    foreign_number(f, high, 8, true);
    foreign_number(f, compression, 8, true);
    foreign_integer(f, count, 4, true);
    for (uint32_t i = 0; i < count; i++) {
        foreign_number(f, small ? centroids[i].mean - before : centroids[i].mean, small ? 4 : 8,
                       true);
        before = centroids[i].mean;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t weight = centroids[i].weight;

        for (; small && weight > 127; weight >>= 7)
            foreign_integer(f, weight % 128 + 128, 1, true);
        foreign_integer(f, weight, small ? 1 : 4, true);
    }
}

/* A digest of the tdigest extension, as its send function writes it, and as text or JSON. */
static inline void
foreign_extension(Foreign *f, int flags, int compression, const TdigestCentroid *centroids,
                  uint32_t count)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < count; i++)
        total += centroids[i].weight;
    foreign_integer(f, (uint64_t)flags, 4, true);
    foreign_integer(f, total, 8, true);
    foreign_integer(f, (uint64_t)compression, 4, true);
    foreign_integer(f, count, 4, true);
    for (uint32_t i = 0; i < count; i++) {
        foreign_number(f, centroids[i].mean, 8, true);
        foreign_integer(f, centroids[i].weight, 8, true);
    }
}

static inline void
foreign_text(Foreign *f, bool json, int compression, const TdigestCentroid *centroids,
             uint32_t count)
{
    unsigned long long total = 0;
    char *to = (char *)f->data + f->size;

    for (uint32_t i = 0; i < count; i++)
        total += centroids[i].weight;
    if (json) {
        to += sprintf(to, "{\"flags\": 1, \"count\": %llu, \"compression\": %d, \"centroids\": %u",
                      total, compression, (unsigned)count);
        for (unsigned list = 0; list < 2; list++) {
            to += sprintf(to, ", \"%s\": [", list ? "count" : "mean");
            for (uint32_t i = 0; i < count; i++, to += strlen(to))
                if (list)
                    sprintf(to, i ? ", %llu" : "%llu", (unsigned long long)centroids[i].weight);
                else
                    sprintf(to, i ? ", %g" : "%g", centroids[i].mean);
            to += sprintf(to, "]");
        }
        to += sprintf(to, "}");
    } else {
        to += sprintf(to, "flags 1 count %llu compression %d centroids %u", total, compression,
                      (unsigned)count);
        for (uint32_t i = 0; i < count; i++)
            to += sprintf(to, " (%f, %llu)", centroids[i].mean,
                          (unsigned long long)centroids[i].weight);
    }
    f->size = (size_t)((uint8_t *)to - f->data);
}

/* Protocol Buffers: a key with a varint, with a double, with bytes. */
static inline void
foreign_varint(Foreign *f, uint64_t number)
{
    for (; number > 127; number >>= 7)
        f->data[f->size++] = (uint8_t)(number | 128);
    f->data[f->size++] = (uint8_t)number;
}

static inline void
foreign_double_field(Foreign *f, unsigned field, double number)
{
    foreign_varint(f, field << 3 | 1);
    foreign_number(f, number, 8, false);
}

static inline void
foreign_bytes_field(Foreign *f, unsigned field, Foreign inner)
{
    foreign_varint(f, field << 3 | 2);
    foreign_varint(f, inner.size);
    memcpy(f->data + f->size, inner.data, inner.size);
    f->size += inner.size;
}

/* A DDSketch of two stores, whose bins are a map or a row; `room` is for what is nested. */
static inline void
foreign_ddsketch(Foreign *f, double gamma, unsigned interpolation, int32_t first,
                 const double *counts, uint32_t count, bool map, double zeros, uint8_t *room)
{
    Foreign mapping = {room, 0};

    foreign_double_field(&mapping, 1, gamma);
    foreign_double_field(&mapping, 2, 0.25);
    foreign_varint(&mapping, 3 << 3);
    foreign_varint(&mapping, interpolation);
    foreign_bytes_field(f, 1, mapping);
    for (unsigned side = 2; side < 4; side++) {
        Foreign store = {room + 64, 0};

        if (map)
            for (uint32_t i = 0; i < count; i++) {
                Foreign entry = {room, 0};
                int32_t index = first + (int32_t)i;

                foreign_varint(&entry, 1 << 3);
                foreign_varint(&entry, (uint32_t)index << 1 ^ (uint32_t)(index >> 31));
                foreign_double_field(&entry, 2, counts[i]);
                foreign_bytes_field(&store, 1, entry);
            }
        else {
            foreign_varint(&store, 2 << 3 | 2);
            foreign_varint(&store, 8 * (uint64_t)count);
            for (uint32_t i = 0; i < count; i++)
                foreign_number(&store, counts[i], 8, false);
            foreign_varint(&store, 3 << 3);
            foreign_varint(&store, (uint32_t)first << 1 ^ (uint32_t)(first >> 31));
        }
        foreign_varint(&store, 9 << 3); /* a field that nobody knows */
        foreign_varint(&store, 300);
        foreign_bytes_field(f, side, store);
    }
    foreign_double_field(f, 4, zeros);
}

#endif
