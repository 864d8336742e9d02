/*
 * multiset.h - what a cuckoo filter holds, without any cleverness, to compare the real one with.
 *
 * An oracle is an array of fingerprints in ascending order. What it says of one item it finds by
 * looking at all of them, and it writes the packed value bit by bit from the layout in
 * cuckoo/cuckoo.c.
 */
#ifndef MULTISET_H
#define MULTISET_H

#include "check.h"
#include "memory.h"
#include "core/common/bytes.h"
#include "core/cuckoo/cuckoo.h"

typedef struct Multiset {
    unsigned f, p;
    uint32_t capacity;
    uint64_t deletes;
    uint64_t *item;
    size_t items, room;
} Multiset;

/* The least p with 2^p >= items * 2^f / 7.6, for the default capacity at least. */
static inline unsigned
multiset_bits(uint64_t items, unsigned f)
{
    unsigned p = f;

    if (items < 1024)
        items = 1024;
    while (7.6L / (long double)(UINT64_C(1) << f) * (long double)(UINT64_C(1) << p) <
           (long double)items)
        p++;
    return p;
}

static inline Multiset
multiset_new(unsigned f, unsigned p, uint32_t capacity)
{
    return (Multiset){.f = f, .p = p, .capacity = capacity};
}

static inline void
multiset_free(Multiset *m)
{
    free(m->item);
    m->item = NULL;
}

static inline uint64_t
multiset_count(const Multiset *m, uint64_t hash)
{
    uint64_t count = 0;

    for (size_t i = 0; i < m->items; i++)
        count += m->item[i] == hash >> (64 - m->p);
    return count;
}

static inline void
multiset_put(Multiset *m, uint64_t fingerprint)
{
    size_t at = m->items;

    if (m->items == m->room) {
        m->room = 2 * m->room + 16;
        m->item = realloc(m->item, m->room * sizeof *m->item);
    }
    for (; at > 0 && m->item[at - 1] > fingerprint; at--)
        m->item[at] = m->item[at - 1];
    m->item[at] = fingerprint;
    m->items++;
}

static inline void
multiset_add(Multiset *m, uint64_t hash)
{
    multiset_put(m, hash >> (64 - m->p));
}

static inline bool
multiset_delete(Multiset *m, uint64_t hash)
{
    for (size_t i = 0; i < m->items; i++)
        if (m->item[i] == hash >> (64 - m->p)) {
            memmove(m->item + i, m->item + i + 1, (m->items - i - 1) * sizeof *m->item);
            m->items--;
            m->deletes++;
            return true;
        }
    return false;
}

static inline void
multiset_cut(Multiset *m, unsigned p)
{
    for (size_t i = 0; i < m->items; i++)
        m->item[i] >>= m->p - p;
    m->p = p;
}

static inline Multiset
multiset_copy(const Multiset *m)
{
    Multiset copy = *m;

    copy.room = m->items;
    copy.item = malloc(m->items * sizeof *m->item + 1);
    if (m->items > 0)
        memcpy(copy.item, m->item, m->items * sizeof *m->item);
    return copy;
}

/* The greater count of each fingerprint, or the sum. */
static inline void
multiset_merge(Multiset *m, const Multiset *other, bool sum)
{
    Multiset b = multiset_copy(other), result;
    unsigned p = m->p < b.p ? m->p : b.p;

    /* An empty one changes nothing. */
    if ((m->items == 0) != (b.items == 0)) {
        result = m->items == 0 ? b : *m;
        multiset_free(m->items == 0 ? m : &b);
        *m = result;
        return;
    }
    multiset_cut(m, p);
    multiset_cut(&b, p);
    result = multiset_new(m->f < b.f ? m->f : b.f, p,
                          m->capacity == 0 || b.capacity == 0 ? 0
                          : m->capacity > b.capacity          ? m->capacity
                                                              : b.capacity);
    result.deletes = m->deletes > b.deletes ? m->deletes : b.deletes;
    for (size_t i = 0, j = 0; i < m->items || j < b.items;) {
        uint64_t x = i < m->items ? m->item[i] : UINT64_MAX;
        uint64_t y = j < b.items ? b.item[j] : UINT64_MAX;
        uint64_t here = x < y ? x : y;
        size_t of_a = 0, of_b = 0;

        for (; i < m->items && m->item[i] == here; i++)
            of_a++;
        for (; j < b.items && b.item[j] == here; j++)
            of_b++;
        for (size_t n = sum ? of_a + of_b : of_a > of_b ? of_a : of_b; n > 0; n--)
            multiset_put(&result, here);
    }
    multiset_free(m);
    multiset_free(&b);
    *m = result;
}

static inline void
multiset_bit(uint8_t *bytes, uint64_t at, bool bit)
{
    if (bit)
        bytes[at / 8] |= (uint8_t)(1 << at % 8);
}

/* The packed value, to be given back by free(). */
static inline Bytes
multiset_pack(const Multiset *m)
{
    unsigned c = 0, bucket_bits, r;
    uint64_t buckets, quotients, slots, slot_bytes, at = 0, end = 0;
    uint8_t *stream, *data;
    uint64_t *start;
    uint8_t *count; /* of every quarter */
    size_t done = 0, size;

    while (UINT64_C(1) << c < m->items)
        c++;
    bucket_bits = c < 8 ? c : 8;
    r = m->p - c;
    quotients = UINT64_C(1) << bucket_bits;
    buckets = UINT64_C(1) << (c - bucket_bits);
    slots = buckets == 1 ? m->items : (m->items * 33 / 32 + buckets - 1) / buckets;
    slot_bytes = (quotients + slots + 7) / 8 + (slots * r + 7) / 8;
    stream = calloc(m->items * 9 + buckets * (slot_bytes + 64), 1);
    start = calloc(buckets, sizeof *start);
    count = calloc(buckets + 1, 4);
    for (uint64_t b = 0; b < buckets; b++) {
        size_t first = done;
        uint64_t bit;

        at = end > b * slot_bytes ? end : b * slot_bytes;
        start[b] = at - b * slot_bytes;
        bit = 8 * at;
        for (uint64_t quotient = b * quotients; quotient < (b + 1) * quotients; quotient++) {
            for (; done < m->items && m->item[done] >> r == quotient; done++) {
                if (count[quotient / 64] < 255)
                    count[quotient / 64]++;
                multiset_bit(stream, bit++, true);
            }
            bit++;
        }
        bit = (bit + 7) / 8 * 8;
        for (size_t i = first; i < done; i++)
            for (unsigned j = 0; j < r; j++)
                multiset_bit(stream, bit++, m->item[i] >> j & 1);
        end = (bit + 7) / 8;
    }
    size = 28 + (m->items == 0 ? 0 : end + (buckets == 1 ? 0 : 8 * buckets));
    data = calloc(size, 1);
    data[0] = 6;
    data[1] = 1;
    data[4] = (uint8_t)m->f;
    data[5] = (uint8_t)m->p;
    store_le64(data + 8, m->items);
    store_le64(data + 16, m->deletes);
    store_le32(data + 24, m->capacity);
    if (m->items > 0 && buckets == 1)
        memcpy(data + 28, stream, end);
    for (uint64_t b = 0, to = 28; b < buckets && buckets > 1; b++) {
        uint64_t here = b == buckets - 1 ? end - b * slot_bytes : slot_bytes;

        store_le32(data + to, (uint32_t)start[b]);
        memcpy(data + to + 4, count + 4 * b, 4);
        memcpy(data + to + 8, stream + b * slot_bytes, here);
        to += 8 + here;
    }
    free(stream);
    free(start);
    free(count);
    return (Bytes){data, size};
}

/* Whether a value in any encoding is what the oracle says, to the byte. */
static inline bool
multiset_agrees(const Multiset *m, SketchBytes value)
{
    SketchBytes packed = cuckoo_ops.pack(value, &memory);
    Bytes expected = multiset_pack(m);
    bool same = packed.data && same_bytes(packed.data, packed.size, expected.data, expected.size);

    if (packed.data)
        release_bytes(packed);
    free(expected.data);
    return same;
}

/* A probe of a whole packed value, by a view of it and without. */
static inline bool
counts_to(SketchBytes packed, CuckooView *view, uint64_t hash, uint64_t count)
{
    uint64_t found;

    return cuckoo_count(view, hash) == count && !view->missing &&
           cuckoo_count_packed(packed, hash, &found, &memory) && found == count;
}

/* What core does to *state, and releases what it was. */
static inline bool
filter_add(SketchState *state, uint64_t hash, SketchError *error)
{
    uint8_t *before = state->data;
    bool good = cuckoo_add(state, hash, &memory, error);

    if (state->data != before)
        memory_release_value(before, NULL);
    return good;
}

static inline bool
filter_insert(SketchState *state, uint64_t hash, SketchError *error)
{
    uint8_t *before = state->data;
    bool good = cuckoo_insert(state, hash, &memory, error);

    if (state->data != before)
        memory_release_value(before, NULL);
    return good;
}

static inline bool
filter_sum(SketchState *state, SketchBytes other, SketchError *error)
{
    uint8_t *before = state->data;
    bool good = cuckoo_sum(state, other, &memory, error);

    if (state->data != before)
        memory_release_value(before, NULL);
    return good;
}

static inline void
filter_to_table(SketchState *state)
{
    SketchState table = cuckoo_open_table(sketch_bytes(*state), &memory);

    release_state(*state);
    *state = table;
}

static inline void
filter_compact(SketchState *state)
{
    uint8_t *before = state->data;

    cuckoo_compact(state, &memory);
    if (state->data != before)
        memory_release_value(before, NULL);
}

/* An item, many of which agree in their highest bits where `skew` is high. */
static inline uint64_t
random_hash(Random *random, unsigned skew, uint64_t items)
{
    uint64_t hash = mix64(random_below(random, items) + 1);

    return skew == 0 ? hash : random_below(random, 8) ? hash >> skew : hash;
}

#endif
