/*
 * test_hll_dense.c - the prefix code of dense sketches: complete, as good as Huffman's, read back.
 *
 * The lengths of the codes are measured, not looked up: an array that pins the base is written
 * with a few registers of each symbol in it.
 */
#include <math.h>

#include "../check.h"
#include "core/hll/hll_internal.h"

#define SYMBOLS 15
#define ESCAPE 14
#define PINNED 20 /* base of the measuring arrays */

static unsigned length[SYMBOLS]; /* as measured; the escape without the rank behind it */

/* Plans, writes into exactly the planned room, reads back; the size of the body. */
static size_t
round_trip(const uint8_t *registers, unsigned precision)
{
    size_t m = (size_t)1 << precision;
    uint8_t *exact = malloc(m), *read = malloc(m), *body;
    HllDensePlan plan;
    HllHistogram histogram;

    memcpy(exact, registers, m);
    hll_dense_plan(exact, precision, &plan);
    body = malloc(plan.size);
    hll_dense_write(exact, precision, &plan, body);
    memset(read, 0xee, m);
    expect(hll_dense_read(read, precision, plan.base, (SketchBytes){body, plan.size}) &&
               memcmp(read, registers, m) == 0,
           "precision %u, base %u, %zu bytes: read something else", precision, plan.base,
           plan.size);
    expect(plan.size ==
               12 + (size_t)plan.stream[0] + plan.stream[1] + plan.stream[2] + plan.stream[3],
           "precision %u: %zu bytes", precision, plan.size);
    hll_dense_histogram(exact, precision, &histogram);
    for (unsigned k = 0; k < HLL_RANKS; k++) {
        uint32_t count = 0;

        for (size_t i = 0; i < m; i++)
            count += registers[i] == k;
        expect(count == histogram.count[k] && count == plan.histogram.count[k], "rank %u", k);
    }
    expect(histogram.index_bits == precision && plan.histogram.index_bits == precision, "bits");
    free(exact);
    free(read);
    free(body);
    return plan.size;
}

/* 64 registers of one rank in the first quarter; everything else at the two shortest codes. */
static void
measure_lengths(void)
{
    static uint8_t registers[1 << 14];
    HllDensePlan plan;

    for (unsigned s = 0; s < SYMBOLS; s++) {
        for (size_t i = 0; i < sizeof registers; i++)
            registers[i] = (uint8_t)(PINNED + (i & 1));
        for (size_t i = 0; i < 64; i++)
            registers[i] = (uint8_t)(s == ESCAPE ? 1 : PINNED - 3 + s);
        hll_dense_plan(registers, 14, &plan);
        expect(plan.base == PINNED, "symbol %u moved the base to %u", s, plan.base);
        expect(plan.stream[1] == 1024 && plan.stream[3] == 1024, "two bits each");
        length[s] = (plan.stream[0] - (4096 - 64) / 4) / 8 - (s == ESCAPE ? 6 : 0);
        expect((plan.stream[0] - (4096 - 64) / 4) % 8 == 0, "symbol %u", s);
        round_trip(registers, 14);
    }
    conclude("each symbol has a length");
}

/* P(rank = k) after lambda items a register. */
static double
probability(unsigned k, double lambda)
{
    return exp(-ldexp(lambda, -(int)k)) - (k > 0 ? exp(-ldexp(lambda, 1 - (int)k)) : 0);
}

static unsigned
symbol(unsigned rank, unsigned base)
{
    unsigned s = rank + 3 - base;

    return s < ESCAPE ? s : ESCAPE;
}

/* Expected bits a register; ranks up to 63. */
static double
cost(double lambda, unsigned base)
{
    double bits = 0;

    for (unsigned k = 0; k < 64; k++) {
        unsigned s = symbol(k, base);

        bits += probability(k, lambda) * (length[s] + (s == ESCAPE ? 6 : 0));
    }
    return bits;
}

static unsigned
best_base(double lambda)
{
    unsigned best = 0;

    for (unsigned base = 1; base < 40; base++)
        if (cost(lambda, base) < cost(lambda, best))
            best = base;
    return best;
}

/* Huffman's expected length: the two least likely are joined, and each join costs their sum. */
static double
huffman(double weight[SYMBOLS])
{
    double bits = 0;

    for (unsigned n = SYMBOLS; n > 1; n--) {
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

static void
test_code(void)
{
    double kraft = 0, mixture[SYMBOLS] = {0}, bits = 0, optimum, worst = 0;

    for (unsigned s = 0; s < SYMBOLS; s++)
        kraft += ldexp(1, -(int)length[s]);
    ok(kraft == 1, "the code is complete (Kraft)");
    for (unsigned i = 0; i < 32; i++) {
        double lambda = exp2(10 + i / 32.0);
        unsigned base = best_base(lambda);

        for (unsigned k = 0; k < 64; k++)
            mixture[symbol(k, base)] += probability(k, lambda) / 32;
        worst = fmax(worst, cost(lambda, base));
    }
    for (unsigned s = 0; s < SYMBOLS; s++)
        bits += mixture[s] * length[s];
    optimum = huffman(mixture);
    expect(bits <= 1.001 * optimum, "%f bits, Huffman's %f", bits, optimum);
    expect(bits >= optimum * (1 - 1e-9), "better than Huffman: %f, %f", bits, optimum);
    conclude("its lengths are Huffman's for the mixture of 32 fractions");
    expect(worst <= 2.95, "%f bits", worst);
    conclude("at most 2.95 bits a register are expected at any fraction");
}

static uint8_t
random_rank(Random *random, double lambda, unsigned precision)
{
    double u = random_unit(random);
    unsigned k = 0;

    while (k < 65 - precision && exp(-ldexp(lambda, -(int)k)) < u)
        k++;
    return (uint8_t)k;
}

/* Registers drawn from their distribution. */
static void
test_real(void)
{
    uint8_t *registers = malloc(1 << 18);
    Random random = {3};

    for (unsigned i = 0; i < 32; i++) {
        size_t size;

        for (size_t r = 0; r < 1 << 16; r++)
            registers[r] = random_rank(&random, exp2(8 + i / 32.0), 16);
        size = round_trip(registers, 16);
        /* Codes deviate by less than 1.5 bits; 65,536 of them by 256 times that; 5 of those. */
        expect((size - 12) * 8.0 <= 2.95 * 65536 + 5 * 1.5 * 256, "%zu bytes", size);
    }
    conclude("sketches of 32 fractions take at most 2.95 bits a register");
    for (unsigned p = 4; p <= 18; p++)
        for (double lambda = 0.02; lambda < 1e13; lambda *= p < 12 ? 1.5 : 40) {
            for (size_t r = 0; r < (size_t)1 << p; r++)
                registers[r] = random_rank(&random, lambda, p);
            round_trip(registers, p);
        }
    conclude("real ranks at every precision are read back");
    free(registers);
}

/* Arrays no set of items gives: everything decodes all the same. */
static void
test_crafted(void)
{
    uint8_t *registers = malloc(1 << 18);
    Random random = {4};

    for (unsigned p = 4; p <= 18; p++) {
        size_t m = (size_t)1 << p;
        unsigned most = 65 - p;

        for (unsigned rank = 0; rank <= most; rank += p > 12 ? 5 : 1)
            round_trip(memset(registers, (int)rank, m), p);
        round_trip(memset(registers, (int)most, m), p);
        for (unsigned shape = 0; shape < 6; shape++) {
            for (size_t i = 0; i < m; i++)
                registers[i] = (uint8_t)(shape == 0   ? (i & 1) * most
                                         : shape == 1 ? random_below(&random, most + 1)
                                         : shape == 2 ? (i < m / 2 ? 0 : most)
                                         : shape == 3 ? (i % 21 == 20) * most
                                         : shape == 4 ? (random_below(&random, 50) == 0) * most
                                                      : i % (most + 1));
            round_trip(registers, p);
        }
    }
    conclude("constant, alternating, random and one-sided arrays are read back");
    free(registers);
}

/* A body that says what the registers cannot be, or is not of the size that it says. */
static void
test_refused(void)
{
    uint8_t registers[64], read[64], *body;
    HllDensePlan plan;

    for (unsigned i = 0; i < 64; i++)
        registers[i] = (uint8_t)(i % 3 + 58);
    hll_dense_plan(registers, 6, &plan);
    body = malloc(plan.size);
    hll_dense_write(registers, 6, &plan, body);
    expect(!hll_dense_read(read, 6, plan.base, (SketchBytes){body, plan.size}), "60 of 59");
    free(body);
    for (unsigned i = 0; i < 64; i++)
        registers[i] = (uint8_t)(i % 7 + (i == 9) * 50);
    hll_dense_plan(registers, 6, &plan);
    body = malloc(plan.size + 1);
    hll_dense_write(registers, 6, &plan, body);
    expect(hll_dense_read(read, 6, plan.base, (SketchBytes){body, plan.size}), "as it is");
    for (size_t size = 0; size <= plan.size + 1; size++) {
        Bytes exact = bytes_copy(body, size);

        expect(size == plan.size ||
                   !hll_dense_read(read, 6, plan.base, (SketchBytes){exact.data, size}),
               "%zu bytes of %zu", size, plan.size);
        free(exact.data);
    }
    expect(!hll_dense_read(read, 6, 64, (SketchBytes){body, plan.size}), "base 64");
    expect(!hll_dense_read(read, 6, 255, (SketchBytes){body, plan.size}), "base 255");
    expect(!hll_dense_read(read, 6, 63, (SketchBytes){body, plan.size}), "too high");
    for (unsigned q = 0; q < 3; q++)
        for (int off = -1; off <= 1; off += 2) {
            store_le32(body + 4 * q, plan.stream[q] + (uint32_t)off);
            expect(!hll_dense_read(read, 6, plan.base, (SketchBytes){body, plan.size}),
                   "stream %u off by %d", q, off);
            store_le32(body + 4 * q, UINT32_MAX + (uint32_t)off);
            expect(!hll_dense_read(read, 6, plan.base, (SketchBytes){body, plan.size}),
                   "stream %u too long", q);
            store_le32(body + 4 * q, plan.stream[q]);
        }
    conclude("impossible ranks, bases and lengths are refused");
    free(body);
}

int
main(void)
{
    measure_lengths();
    test_code();
    test_real();
    test_crafted();
    test_refused();
    return conclude_all();
}
