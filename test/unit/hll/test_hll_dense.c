/*
 * test_hll_dense.c - the prefix codes of dense sketches: complete, as good as promised, read back.
 *
 * The lengths of the words are measured, not looked up: an array that pins the base is written with
 * a few registers of each symbol in it. All is done for both codes, of ranks alone (history 0) and
 * with two history bits.
 */
#include <math.h>

#include "../check.h"
#include "core/hll/hll_internal.h"

#define SYMBOLS_MAX 57
#define PINNED 20 /* base of the measuring arrays */

/* A code as measured; the escape is the last symbol, its length without the bits behind it. */
typedef struct Measured {
    unsigned history;
    unsigned escape;
    unsigned length[SYMBOLS_MAX];
} Measured;

/* A hash function whose registers have so many history bits. */
static SketchHash
hash_of(unsigned history)
{
    return history > 0 ? SKETCH_HASH_XXH3 : SKETCH_HASH_REDIS;
}

/* What a number of registers tell of cells, by the definition. */
static HllCells
cells_by_definition(const uint8_t *registers, unsigned precision, unsigned history)
{
    HllCells cells = {.index_bits = precision, .history = history, .rank_max = 65 - precision};
    unsigned most = 65 - precision;
    uint32_t count[256] = {0};

    for (size_t i = 0; i < (size_t)1 << precision; i++)
        count[registers[i]]++;
    for (unsigned reg = 0; reg < 256; reg++) {
        unsigned rank = reg >> history;

        for (unsigned r = 1; r <= most; r++) {
            uint64_t hashes = UINT64_C(1) << (r < most ? most - 1 - r : 0);
            unsigned down = rank - r; /* below the highest, or wrapped around above it */

            if (r > rank || (down > 0 && down <= history && !(reg >> (history - down) & 1)))
                cells.unseen += count[reg] * hashes;
            else if (down <= history)
                cells.seen[r] += count[reg];
        }
    }
    return cells;
}

/* Lays out, writes into exactly the room of that, reads back; the size of the body. */
static size_t
round_trip(const uint8_t *registers, unsigned precision, unsigned history)
{
    size_t m = (size_t)1 << precision;
    uint8_t *exact = malloc(m), *read = malloc(m), *body;
    HllCells expected = cells_by_definition(registers, precision, history), cells;
    HllDenseLayout layout;

    memcpy(exact, registers, m);
    hll_dense_layout(exact, precision, hash_of(history), &layout);
    body = malloc(layout.size);
    hll_dense_write(exact, precision, history, &layout, body);
    memset(read, 0xee, m);
    expect(hll_dense_read(read, precision, hash_of(history), layout.base,
                          (SketchBytes){body, layout.size}) &&
               memcmp(read, registers, m) == 0,
           "precision %u, base %u, %zu bytes: read something else", precision, layout.base,
           layout.size);
    expect(layout.size == 12 + (size_t)layout.stream[0] + layout.stream[1] + layout.stream[2] +
                              layout.stream[3],
           "precision %u: %zu bytes", precision, layout.size);
    hll_dense_cells(exact, precision, hash_of(history), &cells);
    expect(memcmp(&cells, &expected, sizeof cells) == 0, "cells at precision %u", precision);
    expect(memcmp(&layout.cells, &expected, sizeof cells) == 0, "cells of the layout");
    free(exact);
    free(read);
    free(body);
    return layout.size;
}

/* A register that has one of the shortest words at the pinned base; all of them, in turn. */
static uint8_t
filler(unsigned history, size_t i)
{
    return history > 0 ? (uint8_t)((PINNED - 1 + i % 3) << 2 | 3) : (uint8_t)(PINNED + i % 2);
}

/* 64 registers of one symbol in the first quarter; everything else has the shortest words. */
static Measured
measure_lengths(unsigned history)
{
    static uint8_t registers[1 << 14];
    const unsigned shortest = history > 0 ? 3 : 2;
    Measured code = {.history = history, .escape = 14u << history};
    HllDenseLayout layout;

    for (unsigned s = 0; s <= code.escape; s++) {
        size_t rest = (4096 - 64) * shortest / 8;

        for (size_t i = 0; i < sizeof registers; i++)
            registers[i] = filler(history, i);
        for (size_t i = 0; i < 64; i++)
            registers[i] =
                (uint8_t)(s == code.escape ? 5u << history : ((PINNED - 3) << history) + s);
        hll_dense_layout(registers, 14, hash_of(history), &layout);
        expect(layout.base == PINNED, "symbol %u moved the base to %u", s, layout.base);
        expect(layout.stream[1] == 512 * shortest && layout.stream[3] == 512 * shortest,
               "%u bits each", shortest);
        expect((layout.stream[0] - rest) % 8 == 0, "symbol %u", s);
        code.length[s] =
            (unsigned)(layout.stream[0] - rest) / 8 - (s == code.escape ? 6 + history : 0);
        round_trip(registers, 14, history);
    }
    conclude("history %u: each symbol has a length", history);
    return code;
}

/* That a cell was hit after lambda items a register. */
static double
hit(unsigned rank, double lambda)
{
    return rank > 0 ? -expm1(-ldexp(lambda, -(int)rank)) : 1;
}

/* That a register has this value. */
static double
probability(unsigned reg, double lambda, unsigned history)
{
    unsigned rank = reg >> history;
    double p = exp(-ldexp(lambda, -(int)rank)) * hit(rank, lambda);

    for (unsigned down = 1; down <= history; down++) {
        double below = hit(rank > down ? rank - down : 0, lambda);

        p *= reg >> (history - down) & 1 ? below : 1 - below;
    }
    return p;
}

static unsigned
symbol(const Measured *code, unsigned reg, unsigned base)
{
    unsigned s = reg - ((base - 3) << code->history);

    return s < code->escape ? s : code->escape;
}

/* Expected bits a register. */
static double
cost(const Measured *code, double lambda, unsigned base)
{
    double bits = 0;

    for (unsigned reg = 0; reg < 62u << code->history; reg++) {
        unsigned s = symbol(code, reg, base);

        bits += probability(reg, lambda, code->history) *
                (code->length[s] + (s == code->escape ? 6 + code->history : 0));
    }
    return bits;
}

static unsigned
best_base(const Measured *code, double lambda)
{
    unsigned best = 0;

    for (unsigned base = 1; base < 40; base++)
        if (cost(code, lambda, base) < cost(code, lambda, best))
            best = base;
    return best;
}

/* Huffman's expected length: the two least likely are joined, and each join costs their sum. */
static double
huffman(double *weight, unsigned symbols)
{
    double bits = 0;

    for (unsigned n = symbols; n > 1; n--) {
        double sum = 0;

        for (unsigned twice = 0; twice < 2; twice++) {
            unsigned least = 0, last = n - 1 - twice;
            double taken;

            for (unsigned i = 1; i <= last; i++)
                if (weight[i] < weight[least])
                    least = i;
            taken = weight[least];
            weight[least] = weight[last];
            sum += taken;
        }
        weight[n - 2] = sum;
        bits += sum;
    }
    return bits;
}

/* `slack` is what the limit of 11 bits and the weights of the fractions may cost. */
static void
test_code(const Measured *code, double slack, double at_most)
{
    double kraft = 0, mixture[SYMBOLS_MAX] = {0}, bits = 0, optimum, worst = 0;

    for (unsigned s = 0; s <= code->escape; s++)
        kraft += ldexp(1, -(int)code->length[s]);
    expect(kraft == 1, "Kraft's sum is %g", kraft);
    conclude("history %u: the code is complete", code->history);
    for (unsigned i = 0; i < 32; i++) {
        double lambda = exp2(10 + i / 32.0);
        unsigned base = best_base(code, lambda);

        for (unsigned reg = 0; reg < 62u << code->history; reg++)
            mixture[symbol(code, reg, base)] += probability(reg, lambda, code->history) / 32;
        worst = fmax(worst, cost(code, lambda, base));
    }
    for (unsigned s = 0; s <= code->escape; s++)
        bits += mixture[s] * code->length[s];
    optimum = huffman(mixture, code->escape + 1);
    expect(bits <= slack * optimum, "%f bits, Huffman's %f", bits, optimum);
    expect(bits >= optimum * (1 - 1e-9), "better than Huffman: %f, %f", bits, optimum);
    conclude("history %u: its lengths are near Huffman's for the mixture of 32 fractions",
             code->history);
    expect(worst <= at_most, "%f bits", worst);
    conclude("history %u: at most %.2f bits a register are expected at any fraction", code->history,
             at_most);
}

static uint8_t
random_register(Random *random, double lambda, unsigned precision, unsigned history)
{
    /* No item of a register has a rank above k with probability exp(-lambda / 2^k). */
    double above = -log(random_unit(random));
    unsigned k = 0, reg;

    for (double items = lambda; k < 65 - precision && items > above; items /= 2)
        k++;
    reg = k;
    for (unsigned down = 1; down <= history; down++)
        reg = 2 * reg + (k <= down || random_unit(random) < hit(k - down, lambda));
    return (uint8_t)reg;
}

/* Registers drawn from their distribution. */
static void
test_real(unsigned history, double at_most)
{
    uint8_t *registers = malloc(1 << 18);
    Random random = {3};

    for (unsigned i = 0; i < 32; i++) {
        size_t size;

        for (size_t r = 0; r < 1 << 16; r++)
            registers[r] = random_register(&random, exp2(8 + i / 32.0), 16, history);
        size = round_trip(registers, 16, history);
        /* Words deviate by less than 1.6 bits; 65,536 of them by 256 times that; 5 of those. */
        expect((size - 12) * 8.0 <= at_most * 65536 + 5 * 1.6 * 256, "%zu bytes", size);
    }
    conclude("history %u: sketches of 32 fractions take at most %.2f bits a register", history,
             at_most);
    for (unsigned p = 4; p <= 18; p++)
        for (double lambda = 0.02; lambda < 1e13; lambda *= p < 12 ? 1.5 : 40) {
            for (size_t r = 0; r < (size_t)1 << p; r++)
                registers[r] = random_register(&random, lambda, p, history);
            round_trip(registers, p, history);
        }
    conclude("history %u: real registers at every precision are read back", history);
    free(registers);
}

/* Arrays no set of items gives: everything decodes all the same. */
static void
test_crafted(unsigned history)
{
    uint8_t *registers = malloc(1 << 18);
    Random random = {4};

    for (unsigned p = 4; p <= 18; p++) {
        size_t m = (size_t)1 << p;
        unsigned most = ((66 - p) << history) - 1;

        for (unsigned reg = 0; reg <= most; reg += p > 12 ? 5 : 1)
            round_trip(memset(registers, (int)reg, m), p, history);
        round_trip(memset(registers, (int)most, m), p, history);
        for (unsigned shape = 0; shape < 6; shape++) {
            for (size_t i = 0; i < m; i++)
                registers[i] = (uint8_t)(shape == 0   ? (i & 1) * most
                                         : shape == 1 ? random_below(&random, most + 1)
                                         : shape == 2 ? (i < m / 2 ? 0 : most)
                                         : shape == 3 ? (i % 21 == 20) * most
                                         : shape == 4 ? (random_below(&random, 50) == 0) * most
                                                      : i % (most + 1));
            round_trip(registers, p, history);
        }
    }
    conclude("history %u: constant, alternating, random and one-sided arrays are read back",
             history);
    free(registers);
}

/* A body that says what the registers cannot be, or is not of the size that it says. */
static void
test_refused(unsigned history)
{
    uint8_t registers[64], read[64], *body;
    HllDenseLayout layout;
    SketchBytes all;

    for (unsigned i = 0; i < 64; i++)
        registers[i] = (uint8_t)((i % 3 + 58) << history);
    hll_dense_layout(registers, 6, hash_of(history), &layout);
    body = malloc(layout.size);
    hll_dense_write(registers, 6, history, &layout, body);
    expect(
        !hll_dense_read(read, 6, hash_of(history), layout.base, (SketchBytes){body, layout.size}),
        "60 of 59");
    free(body);
    for (unsigned i = 0; i < 64; i++)
        registers[i] = (uint8_t)((i % 7 + (i == 9) * 50) << history);
    hll_dense_layout(registers, 6, hash_of(history), &layout);
    body = malloc(layout.size + 1);
    hll_dense_write(registers, 6, history, &layout, body);
    body[layout.size] = 0;
    all = (SketchBytes){body, layout.size};
    expect(hll_dense_read(read, 6, hash_of(history), layout.base, all), "as it is");
    for (size_t size = 0; size <= layout.size + 1; size++) {
        Bytes exact = bytes_copy(body, size);

        expect(size == layout.size || !hll_dense_read(read, 6, hash_of(history), layout.base,
                                                      (SketchBytes){exact.data, size}),
               "%zu bytes of %zu", size, layout.size);
        free(exact.data);
    }
    expect(!hll_dense_read(read, 6, hash_of(history), 64, all), "base 64");
    expect(!hll_dense_read(read, 6, hash_of(history), 255, all), "base 255");
    expect(!hll_dense_read(read, 6, hash_of(history), 63, all), "too high");
    for (unsigned q = 0; q < 3; q++)
        for (int off = -1; off <= 1; off += 2) {
            store_le32(body + 4 * q, layout.stream[q] + (uint32_t)off);
            expect(!hll_dense_read(read, 6, hash_of(history), layout.base, all),
                   "stream %u off by %d", q, off);
            store_le32(body + 4 * q, UINT32_MAX + (uint32_t)off);
            expect(!hll_dense_read(read, 6, hash_of(history), layout.base, all),
                   "stream %u too long", q);
            store_le32(body + 4 * q, layout.stream[q]);
        }
    conclude("history %u: impossible ranks, bases and lengths are refused", history);
    free(body);
}

/*
 * Of several bases that take as few bits, the lowest: values of the same registers have the same
 * bytes.
 */
static void
test_lowest_base(unsigned history)
{
    uint8_t registers[64];

    /* One short word is as long as the next, so a rank may be at the base or above it. */
    for (unsigned rank = 1; rank <= 59; rank++) {
        HllDenseLayout layout;

        memset(registers, (int)(rank << history | hll_register_empty(history)), sizeof registers);
        hll_dense_layout(registers, 6, hash_of(history), &layout);
        expect(layout.base == rank - 1, "all of rank %u: base %u", rank, layout.base);
    }
    conclude("history %u: the lowest of equal bases", history);
}

int
main(void)
{
    for (unsigned history = 0; history <= HLL_HISTORY; history += HLL_HISTORY) {
        Measured code = measure_lengths(history);
        double at_most = history > 0 ? 4.17 : 2.95;

        test_code(&code, history > 0 ? 1.01 : 1.001, at_most);
        test_real(history, at_most);
        test_crafted(history);
        test_refused(history);
        test_lowest_base(history);
    }
    return conclude_all();
}
