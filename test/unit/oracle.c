/*
 * oracle.c - a naive HyperLogLog; see oracle.h.
 */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- content ---- */

Oracle
oracle_new(SketchHash hash, unsigned precision)
{
    return (Oracle){.hash = hash, .precision = precision};
}

void
oracle_free(Oracle *oracle)
{
    free(oracle->item);
    *oracle = (Oracle){.item = NULL};
}

static unsigned
rank_above(uint64_t hash, unsigned index_bits)
{
    unsigned rank = 1;

    for (unsigned bit = index_bits; bit < 64 && !(hash >> bit & 1); bit++)
        rank++;
    return rank;
}

static int
compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void
oracle_add(Oracle *oracle, uint64_t hash)
{
    if (oracle->items == oracle->room) {
        size_t kept = 0;

        /* No need to remember an item twice. */
        if (kept < oracle->items)
            qsort(oracle->item, oracle->items, sizeof hash, compare_hashes);
        for (size_t i = 0; i < oracle->items; i++)
            if (i == 0 || oracle->item[i] != oracle->item[i - 1])
                oracle->item[kept++] = oracle->item[i];
        oracle->items = kept;
        oracle->room = 2 * kept + 64;
        oracle->item = realloc(oracle->item, oracle->room * sizeof hash);
    }
    oracle->item[oracle->items++] = hash;
}

void
oracle_merge(Oracle *oracle, const Oracle *other)
{
    oracle_reduce(oracle, other->precision);
    if (oracle != other)
        for (size_t i = 0; i < other->items; i++)
            oracle_add(oracle, other->item[i]);
}

void
oracle_reduce(Oracle *oracle, unsigned precision)
{
    if (precision < oracle->precision)
        oracle->precision = precision;
}

static unsigned
token_bits(const Oracle *oracle)
{
    return oracle->hash == SKETCH_HASH_REDIS ? oracle->precision : ORACLE_TOKEN_BITS;
}

size_t
oracle_limit(unsigned precision)
{
    size_t sixth = ((size_t)1 << precision) / 6;

    return sixth > 12 ? sixth : 12;
}

static int
compare_tokens(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

uint32_t *
oracle_tokens(const Oracle *oracle, size_t *count)
{
    uint32_t *token = malloc((oracle->items + 1) * sizeof *token);
    unsigned bits = token_bits(oracle);
    size_t kept = 0;

    for (size_t i = 0; i < oracle->items; i++) {
        uint32_t index = (uint32_t)(oracle->item[i] % (UINT64_C(1) << bits));

        token[i] = index * 64 + rank_above(oracle->item[i], bits);
    }
    qsort(token, oracle->items, sizeof *token, compare_tokens);
    for (size_t i = 0; i < oracle->items; i++)
        if (i + 1 == oracle->items || token[i] / 64 != token[i + 1] / 64)
            token[kept++] = token[i];
    *count = kept;
    return token;
}

uint8_t *
oracle_registers(const Oracle *oracle)
{
    size_t m = (size_t)1 << oracle->precision;
    uint8_t *ranks = calloc(m, 1);

    for (size_t i = 0; i < oracle->items; i++) {
        unsigned rank = rank_above(oracle->item[i], oracle->precision);
        uint8_t *at = &ranks[oracle->item[i] % m];

        if (*at < rank)
            *at = (uint8_t)rank;
    }
    return ranks;
}

bool
oracle_dense(const Oracle *oracle)
{
    size_t count;

    free(oracle_tokens(oracle, &count));
    return count > oracle_limit(oracle->precision);
}

/* ---- the estimate ---- */

static long double
sigma(long double x)
{
    long double sum = x;

    for (int k = 1; k < 64; k++)
        sum += powl(x, exp2l(k)) * exp2l(k - 1);
    return sum;
}

static long double
tau(long double x)
{
    long double sum = 1 - x;

    for (int k = 1; k < 100; k++) {
        long double gap = 1 - powl(x, exp2l(-k));

        sum -= gap * gap * exp2l(-k);
    }
    return sum / 3;
}

long double
oracle_estimate(const Oracle *oracle)
{
    bool dense = oracle_dense(oracle);
    unsigned bits = dense ? oracle->precision : token_bits(oracle);
    long double m = exp2l(bits), z, count[65] = {0};
    unsigned q = 64 - bits;

    if (oracle->items == 0)
        return 0;
    if (dense) {
        uint8_t *ranks = oracle_registers(oracle);

        for (size_t i = 0; i < (size_t)1 << oracle->precision; i++)
            count[ranks[i]]++;
        free(ranks);
    } else {
        size_t tokens;
        uint32_t *token = oracle_tokens(oracle, &tokens);

        for (size_t i = 0; i < tokens; i++)
            count[token[i] % 64]++;
        count[0] = m - tokens;
        free(token);
    }
    z = m * sigma(count[0] / m) + m * tau(1 - count[q + 1] / m) * exp2l(-(int)q);
    for (unsigned k = 1; k <= q; k++)
        z += count[k] * exp2l(-(int)k);
    return m * m / z / (2 * logl(2));
}

/* ---- the packed form, a bit at a time ---- */

typedef struct Bits {
    uint8_t *data; /* zeros */
    size_t count;
} Bits;

static void
put(Bits *bits, unsigned bit)
{
    bits->data[bits->count / 8] |= (uint8_t)(bit << bits->count % 8);
    bits->count++;
}

static void
put_unary(Bits *bits, uint64_t n)
{
    while (n-- > 0)
        put(bits, 1);
    put(bits, 0);
}

static size_t
pack_sparse(const uint32_t *token, size_t count, unsigned index_bits, uint8_t *body)
{
    Bits bits = {body, 0};
    unsigned k = 0;
    int64_t before = -1;

    /* largest k with count * 2^k <= ln 2 * 2^bits, ln 2 in sixteen bits */
    while (count > 0 && count << (k + 1) <= (UINT64_C(45426) << index_bits) / 65536)
        k++;
    for (size_t i = 0; i < count; i++) {
        uint64_t gap = (uint64_t)(token[i] / 64 - before - 1);

        put_unary(&bits, gap >> k);
        for (unsigned b = 0; b < k; b++)
            put(&bits, gap >> b & 1);
        put_unary(&bits, token[i] % 64 - 1);
        before = token[i] / 64;
    }
    return (bits.count + 7) / 8;
}

/* Codes of the 14 distances and the escape, first bit first. */
static const char *const dense_code[15] = {
    "11111111110", "111100",   "100",       "00",          "01",
    "101",         "110",      "1110",      "111101",      "111110",
    "1111110",     "11111110", "111111110", "11111111111", "1111111110",
};

static void
put_rank(Bits *bits, unsigned rank, unsigned base)
{
    bool escape = rank + 3 < base || rank + 3 - base > 13;
    const char *code = dense_code[escape ? 14 : rank + 3 - base];

    for (; *code; code++)
        put(bits, *code == '1');
    for (unsigned b = 0; escape && b < 6; b++)
        put(bits, rank >> b & 1);
}

static size_t
pack_dense(const uint8_t *ranks, size_t m, unsigned base, uint8_t *body)
{
    size_t size = 12;

    for (unsigned q = 0; q < 4; q++) {
        Bits bits = {body + size, 0};
        size_t bytes;

        for (size_t i = q * m / 4; i < (q + 1) * m / 4; i++)
            put_rank(&bits, ranks[i], base);
        bytes = (bits.count + 7) / 8;
        for (unsigned b = 0; q < 3 && b < 4; b++)
            body[4 * q + b] = (uint8_t)(bytes >> 8 * b);
        size += bytes;
    }
    return size;
}

/* Bits of all ranks at a base; the streams' padding is not counted. */
static size_t
dense_bits(const uint32_t count[64], unsigned base)
{
    uint8_t scratch[8];
    size_t sum = 0;

    for (unsigned rank = 0; rank < 64; rank++) {
        Bits bits = {memset(scratch, 0, sizeof scratch), 0};

        put_rank(&bits, rank, base);
        sum += count[rank] * bits.count;
    }
    return sum;
}

static unsigned
best_base(const uint8_t *ranks, size_t m)
{
    uint32_t count[64] = {0};
    unsigned best = 0;

    for (size_t i = 0; i < m; i++)
        count[ranks[i]]++;
    for (unsigned base = 1; base < 64; base++)
        if (dense_bits(count, base) < dense_bits(count, best))
            best = base;
    return best;
}

SketchBytes
oracle_pack(const Oracle *oracle)
{
    size_t m = (size_t)1 << oracle->precision, count, size;
    uint32_t *token = oracle_tokens(oracle, &count);
    uint8_t *data = calloc(64 + 2 * m + 16 * count, 1);

    data[0] = 1;
    data[1] = 1;
    data[3] = (uint8_t)oracle->hash;
    data[4] = (uint8_t)oracle->precision;
    if (count > oracle_limit(oracle->precision)) {
        uint8_t *ranks = oracle_registers(oracle);

        data[2] = 1;
        data[5] = (uint8_t)best_base(ranks, m);
        size = pack_dense(ranks, m, data[5], data + 16);
        free(ranks);
    } else {
        data[6] = count & 255;
        data[7] = (uint8_t)(count >> 8);
        size = pack_sparse(token, count, token_bits(oracle), data + 16);
    }
    free(token);
    return (SketchBytes){data, 16 + size};
}

/* ---- comparing ---- */

static bool
same_packed(const Oracle *oracle, SketchBytes packed)
{
    SketchBytes expected = oracle_pack(oracle);
    uint64_t stored = 0;
    long double off;
    bool same;

    for (unsigned i = 0; i < 8; i++)
        stored |= (uint64_t)packed.data[8 + i] << 8 * i;
    off = fabsl(stored - oracle_estimate(oracle));
    same = packed.size == expected.size && memcmp(packed.data, expected.data, 8) == 0 &&
           memcmp(packed.data + 16, expected.data + 16, packed.size - 16) == 0 &&
           off <= 0.5L + 1e-9L * stored;
    free((void *)expected.data);
    return same;
}

static bool
same_registers(const Oracle *oracle, SketchBytes value, const SketchMemory *memory)
{
    uint8_t *expected = oracle_registers(oracle);
    uint8_t *ranks = hll_registers(value, memory);
    bool same = ranks && memcmp(ranks, expected, (size_t)1 << oracle->precision) == 0;

    if (ranks)
        memory->release(ranks, memory->context);
    free(expected);
    return same;
}

bool
oracle_agrees(const Oracle *oracle, SketchBytes value, const SketchMemory *memory)
{
    SketchBytes packed = hll_ops.pack(value, memory);
    bool same = packed.data && same_packed(oracle, packed) &&
                hll_cardinality(value, memory) == hll_cardinality(packed, memory) &&
                same_registers(oracle, value, memory) && same_registers(oracle, packed, memory);

    if (packed.data)
        memory->release_value((uint8_t *)packed.data, memory->context);
    return same;
}
