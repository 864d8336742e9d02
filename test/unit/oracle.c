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
    /* An empty sketch is neutral. */
    if (oracle->items == 0 && other->items > 0)
        oracle->precision = other->precision;
    else if (oracle->items == 0 || other->items > 0)
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

/* With DataSketches the rank is that of a hash of its own, here that of the bits above a token. */
static unsigned
rank_in(const Oracle *oracle, uint64_t hash, unsigned index_bits)
{
    return rank_above(hash,
                      oracle->hash == SKETCH_HASH_DATASKETCHES ? ORACLE_TOKEN_BITS : index_bits);
}

static unsigned
rank_max(const Oracle *oracle, unsigned index_bits)
{
    return oracle->hash == SKETCH_HASH_DATASKETCHES ? 63 : 65 - index_bits;
}

static bool
has_tokens(const Oracle *oracle)
{
    return oracle->hash != SKETCH_HASH_REDIS;
}

static unsigned
token_bits(const Oracle *oracle)
{
    return has_tokens(oracle) ? ORACLE_TOKEN_BITS : oracle->precision;
}

size_t
oracle_limit(unsigned precision)
{
    size_t fifth = ((size_t)1 << precision) / 5;

    return fifth > 12 ? fifth : 12;
}

unsigned
oracle_history(SketchHash hash)
{
    return hash == SKETCH_HASH_XXH3 ? 2 : 0;
}

static int
compare_tokens(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Of an index one token a rank, or one. */
static uint32_t *
tokens_of(const Oracle *oracle, unsigned bits, uint32_t same, size_t *count)
{
    uint32_t *token = malloc((oracle->items + 1) * sizeof *token);
    size_t kept = 0;

    for (size_t i = 0; i < oracle->items; i++) {
        uint32_t index = (uint32_t)(oracle->item[i] % (UINT64_C(1) << bits));

        token[i] = index * 64 + rank_in(oracle, oracle->item[i], bits);
    }
    qsort(token, oracle->items, sizeof *token, compare_tokens);
    for (size_t i = 0; i < oracle->items; i++)
        if (i + 1 == oracle->items || token[i] / same != token[i + 1] / same)
            token[kept++] = token[i];
    *count = kept;
    return token;
}

uint32_t *
oracle_tokens(const Oracle *oracle, size_t *count)
{
    return tokens_of(oracle, token_bits(oracle), has_tokens(oracle) ? 1 : 64, count);
}

/* Which ranks were seen in each register, bit rank. */
static uint64_t *
ranks_seen(const Oracle *oracle)
{
    size_t m = (size_t)1 << oracle->precision;
    uint64_t *seen = calloc(m, sizeof *seen);

    for (size_t i = 0; i < oracle->items; i++)
        seen[oracle->item[i] % m] |= UINT64_C(1)
                                     << rank_in(oracle, oracle->item[i], oracle->precision);
    return seen;
}

static unsigned
highest_rank(uint64_t seen)
{
    return seen ? 63 - (unsigned)__builtin_clzll(seen) : 0;
}

uint8_t *
oracle_registers(const Oracle *oracle)
{
    size_t m = (size_t)1 << oracle->precision;
    unsigned history = oracle_history(oracle->hash);
    uint64_t *seen = ranks_seen(oracle);
    uint8_t *registers = calloc(m, 1);

    for (size_t i = 0; i < m; i++) {
        unsigned rank = highest_rank(seen[i]);

        registers[i] = (uint8_t)rank;
        for (unsigned down = 1; down <= history; down++) {
            bool was_seen = rank <= down || seen[i] >> (rank - down) & 1;

            registers[i] = (uint8_t)(2 * registers[i] + was_seen);
        }
    }
    free(seen);
    return registers;
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

    for (int k = 1; k < 64; k++) {
        x *= x; /* x^(2^k) */
        sum += x * exp2l(k - 1);
    }
    return sum;
}

static long double
tau(long double x)
{
    long double sum = 1 - x;

    for (int k = 1; k < 100; k++) {
        x = sqrtl(x); /* x^(2^-k) */
        sum -= (1 - x) * (1 - x) * exp2l(-k);
    }
    return sum / 3;
}

/* Of registers of ranks alone. */
static long double
raw_estimate(const Oracle *oracle)
{
    size_t m = (size_t)1 << oracle->precision;
    long double z, count[65] = {0};
    unsigned q = rank_max(oracle, oracle->precision) - 1;
    uint8_t *ranks = oracle_registers(oracle);

    for (size_t i = 0; i < m; i++)
        count[ranks[i]]++;
    free(ranks);
    z = m * sigma(count[0] / m) + m * tau(1 - count[q + 1] / m) * exp2l(-(int)q);
    for (unsigned k = 1; k <= q; k++)
        z += count[k] * exp2l(-(int)k);
    return m * (m / z) / (2 * logl(2));
}

/* The share of hashes that hit a given index with a given rank. */
static long double
share_of(unsigned rank, unsigned index_bits)
{
    return exp2l(-(int)(rank < 65 - index_bits ? index_bits + rank : 64));
}

/*
 * What is known: how many cells of each rank were hit, the share of one, and of all others
 * together.
 */
typedef struct Cells {
    unsigned index_bits;
    long double hit[65];
    long double share[65];
    long double unhit;
} Cells;

static Cells
known_cells(const Oracle *oracle, bool dense)
{
    Cells cells = {.index_bits = dense ? oracle->precision : token_bits(oracle), .unhit = 1};

    if (dense) {
        uint64_t *seen = ranks_seen(oracle);
        size_t unhit[65] = {0};

        cells.unhit = 0;
        for (size_t i = 0; i < (size_t)1 << oracle->precision; i++) {
            unsigned highest = highest_rank(seen[i]);

            for (unsigned rank = 1; rank <= 65 - oracle->precision; rank++)
                if (rank + oracle_history(oracle->hash) < highest)
                    continue;
                else if (seen[i] >> rank & 1)
                    cells.hit[rank]++;
                else
                    unhit[rank]++;
        }
        for (unsigned rank = 1; rank <= 65 - oracle->precision; rank++)
            cells.unhit += unhit[rank] * share_of(rank, oracle->precision);
        free(seen);
    } else {
        size_t tokens;
        uint32_t *token = oracle_tokens(oracle, &tokens);

        for (size_t i = 0; i < tokens; i++) {
            cells.hit[token[i] % 64]++;
            cells.unhit -= share_of(token[i] % 64, cells.index_bits);
        }
        free(token);
    }
    for (unsigned rank = 1; rank <= 65 - cells.index_bits; rank++)
        cells.share[rank] = share_of(rank, cells.index_bits);
    return cells;
}

/* The derivative of the log-likelihood of n items. */
static long double
likelihood_slope(const Cells *cells, long double n)
{
    long double slope = -cells->unhit;

    for (unsigned rank = 1; rank <= 65 - cells->index_bits; rank++)
        if (cells->hit[rank] > 0)
            slope += cells->hit[rank] * cells->share[rank] / expm1l(n * cells->share[rank]);
    return slope;
}

/*
 * Where the slope is zero, by bisection to 12 digits, of which same_packed compares 9; the maximum
 * is too high by .48147 / m.
 */
static long double
likeliest(const Cells *cells)
{
    long double low = 1e-3L, high = 1e20L;

    for (unsigned i = 0; i < 46; i++) {
        long double middle = sqrtl(low * high);

        if (likelihood_slope(cells, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return low / (1 + 0.48147L * exp2l(-(int)cells->index_bits));
}

long double
oracle_estimate(const Oracle *oracle)
{
    bool dense = oracle_dense(oracle);
    Cells cells;

    if (oracle->items == 0)
        return 0;
    if (dense ? oracle_history(oracle->hash) == 0 : !has_tokens(oracle))
        return raw_estimate(oracle);
    cells = known_cells(oracle, dense);
    return likeliest(&cells);
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
    uint32_t before = 0;

    /* largest k with count * 2^k <= ln 2 * 2^bits, ln 2 in sixteen bits */
    while (count > 0 && count << (k + 1) <= (UINT64_C(45426) << index_bits) / 65536)
        k++;
    for (size_t i = 0; i < count; i++) {
        uint64_t gap = token[i] / 64 - before;

        put_unary(&bits, gap >> k);
        for (unsigned b = 0; b < k; b++)
            put(&bits, gap >> b & 1);
        put_unary(&bits, token[i] % 64 - 1);
        before = token[i] / 64;
    }
    return (bits.count + 7) / 8;
}

/* The lengths of the code words, the escape's last: of ranks alone, and with two history bits. */
static const uint8_t rank_length[15] = {11, 6, 3, 2, 2, 3, 3, 4, 6, 6, 7, 8, 9, 11, 10};
static const uint8_t history_length[57] = {
    11, 11, 11, 9,  11, 11, 11, 5,  11, 7,  11, 3,  9,  5,  7,  3,  6,  4,  6,
    3,  5,  4,  5,  4,  4,  5,  6,  6,  5,  6,  7,  9,  5,  8,  9,  11, 6,  11,
    11, 11, 7,  11, 11, 11, 8,  11, 11, 11, 9,  11, 11, 11, 10, 11, 11, 11, 10,
};

/* Canonical words: in order of length and then of symbol, each is the one before plus one. */
static unsigned
canonical_word(const uint8_t *length, unsigned symbols, unsigned symbol)
{
    unsigned word = 0;

    for (unsigned l = 1; l <= length[symbol]; l++) {
        word *= 2;
        for (unsigned s = 0; s < symbols; s++)
            word += length[s] == l && (l < length[symbol] || s < symbol);
    }
    return word;
}

/* A word, its first bit first; words are worked out once. */
static void
put_symbol(Bits *bits, unsigned history, unsigned symbol)
{
    static unsigned words[2][57];
    static bool ready[2];
    const uint8_t *length = history > 0 ? history_length : rank_length;
    unsigned symbols = (14u << history) + 1, which = history > 0;

    for (unsigned s = 0; !ready[which] && s < symbols; s++)
        words[which][s] = canonical_word(length, symbols, s);
    ready[which] = true;
    for (unsigned b = length[symbol]; b > 0; b--)
        put(bits, words[which][symbol] >> (b - 1) & 1);
}

static void
put_register(Bits *bits, unsigned reg, unsigned base, unsigned history)
{
    unsigned symbols = (14 << history) + 1;
    int symbol = (int)reg - (((int)base - 3) * (1 << history));
    bool escape = symbol < 0 || symbol >= (int)symbols - 1;

    put_symbol(bits, history, escape ? symbols - 1 : (unsigned)symbol);
    for (unsigned b = 0; escape && b < 6 + history; b++)
        put(bits, reg >> b & 1);
}

static size_t
pack_dense(const uint8_t *registers, size_t m, unsigned base, unsigned history, uint8_t *body)
{
    size_t size = 12;

    for (unsigned q = 0; q < 4; q++) {
        Bits bits = {body + size, 0};
        size_t bytes;

        for (size_t i = q * m / 4; i < (q + 1) * m / 4; i++)
            put_register(&bits, registers[i], base, history);
        bytes = (bits.count + 7) / 8;
        for (unsigned b = 0; q < 3 && b < 4; b++)
            body[4 * q + b] = (uint8_t)(bytes >> 8 * b);
        size += bytes;
    }
    return size;
}

/* Bits of all registers at a base; the streams' padding is not counted. */
static size_t
dense_bits(const uint32_t count[256], unsigned base, unsigned history)
{
    uint8_t scratch[8];
    size_t sum = 0;

    for (unsigned reg = 0; reg < 256; reg++) {
        Bits bits = {memset(scratch, 0, sizeof scratch), 0};

        if (count[reg] > 0)
            put_register(&bits, reg, base, history);
        sum += count[reg] * bits.count;
    }
    return sum;
}

static unsigned
best_base(const uint8_t *registers, size_t m, unsigned history)
{
    uint32_t count[256] = {0};
    size_t fewest;
    unsigned best = 0;

    for (size_t i = 0; i < m; i++)
        count[registers[i]]++;
    fewest = dense_bits(count, 0, history);
    for (unsigned base = 1; base < 64; base++) {
        size_t bits = dense_bits(count, base, history);

        if (bits < fewest) {
            fewest = bits;
            best = base;
        }
    }
    return best;
}

SketchBytes
oracle_pack(const Oracle *oracle)
{
    size_t m = (size_t)1 << oracle->precision, count, size;
    uint32_t *token = oracle_tokens(oracle, &count);
    uint8_t *data = calloc(64 + 2 * m + 16 * oracle->items, 1);
    bool plain = !has_tokens(oracle);
    unsigned bits = token_bits(oracle);

    /* Without history tokens that are too many become registers, of which few may be used. */
    if (count > oracle_limit(oracle->precision) && oracle_history(oracle->hash) == 0) {
        free(token);
        plain = true;
        bits = oracle->precision;
        token = tokens_of(oracle, bits, 64, &count);
    }

    data[0] = 1;
    data[1] = 1;
    data[3] = (uint8_t)oracle->hash;
    data[4] = (uint8_t)oracle->precision;
    if (count > oracle_limit(oracle->precision)) {
        unsigned history = oracle_history(oracle->hash);
        uint8_t *registers = oracle_registers(oracle);

        data[2] = history > 0 ? 1 : 2;
        data[5] = (uint8_t)best_base(registers, m, history);
        size = pack_dense(registers, m, data[5], history, data + 16);
        free(registers);
    } else {
        data[2] = plain ? 3 : 0;
        data[6] = count & 255;
        data[7] = (uint8_t)(count >> 8);
        size = pack_sparse(token, count, bits, data + 16);
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
same_registers(const uint8_t *expected, size_t m, SketchBytes value, const SketchMemory *memory)
{
    uint8_t *ranks = hll_registers(value, memory);
    bool same = ranks && memcmp(ranks, expected, m) == 0;

    if (ranks)
        memory->release(ranks, memory->context);
    return same;
}

bool
oracle_agrees(const Oracle *oracle, SketchBytes value, const SketchMemory *memory)
{
    SketchBytes packed = hll_ops.pack(value, memory);
    uint8_t *registers = oracle_registers(oracle);
    size_t m = (size_t)1 << oracle->precision;
    bool same = packed.data && same_packed(oracle, packed) &&
                hll_cardinality(value, memory) == hll_cardinality(packed, memory) &&
                same_registers(registers, m, value, memory) &&
                same_registers(registers, m, packed, memory);

    if (packed.data)
        memory->release_value((uint8_t *)packed.data, memory->context);
    free(registers);
    return same;
}
