/*
 * test_multiply.c - the portable product is the compiler's.
 */
#include "core/common/multiply.h"
#include "../check.h"

int
main(void)
{
    static const uint64_t edge[] = {
        0, 1, 2, UINT32_MAX - 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX - 1, UINT64_MAX};
    const size_t edges = sizeof edge / sizeof edge[0];

    for (size_t i = 0; i < edges; i++)
        for (size_t j = 0; j < edges; j++)
            expect(multiply_high_portable(edge[i], edge[j]) == multiply_high(edge[i], edge[j]),
                   "%llu * %llu", (unsigned long long)edge[i], (unsigned long long)edge[j]);
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t a = mix64(2 * i + 1) >> i % 64, b = mix64(2 * i + 2) >> i / 64 % 64;

        expect(multiply_high_portable(a, b) == multiply_high(a, b), "%llu * %llu",
               (unsigned long long)a, (unsigned long long)b);
    }
    expect(multiply_high_portable(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1, "the largest");
    conclude("the upper half of a product, with and without 128 bits");
    return conclude_all();
}
