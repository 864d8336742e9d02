/*
 * test_wide.c - the upper half of a product, beside the sum of shifted factors.
 */
#include "../check.h"
#include "core/common/wide.h"

/* One bit of b after the other, in two halves. */
static uint64_t
sum_of_shifts(uint64_t a, uint64_t b)
{
    uint64_t high = 0, low = 0;

    for (unsigned i = 0; i < 64; i++)
        if (b >> i & 1) {
            low += a << i;
            high += (low < a << i) + (i > 0 ? a >> (64 - i) : 0);
        }
    return high;
}

int
main(void)
{
    static const uint64_t edges[] = {0,          1,
                                     UINT32_MAX, UINT64_C(1) << 32,
                                     INT64_MAX,  UINT64_C(1) << 63,
                                     UINT64_MAX, UINT64_C(0xffffffff00000001)};
    const size_t count = sizeof edges / sizeof edges[0];
    Random random = {1};

    for (unsigned i = 0; i < 200000 + count * count; i++) {
        uint64_t a = i < count * count ? edges[i / count] : random_next(&random);
        uint64_t b = i < count * count ? edges[i % count] : random_next(&random);

        a >>= i % 3 ? 0 : random_below(&random, 64);
        expect(multiply_high(a, b) == sum_of_shifts(a, b), "%llx * %llx", (unsigned long long)a,
               (unsigned long long)b);
        expect(multiply_high_by_halves(a, b) == sum_of_shifts(a, b), "%llx * %llx by halves",
               (unsigned long long)a, (unsigned long long)b);
    }
    conclude("the upper half of a product");
    return conclude_all();
}
