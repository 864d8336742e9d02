/*
 * popcount.c - how many bits of a stretch of bytes are 1.
 *
 * Compilers may not assume that an x86 processor has an instruction that counts bits, and call a
 * function for every word. So the program tests for it when it runs, and uses it word by word. On
 * other processors carry-save adders add eight words, and only one in eight of the results is
 * counted: a third of the work. (The adders are by Harley and Seal; H. S. Warren, Hacker's Delight,
 * 2nd ed., section 5-1.)
 */
#include "popcount.h"

#include "bytes.h"

/* Adds three bits in every place: *sum becomes the low bits, the carries are returned. */
static inline uint64_t
popcount_carry(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t either = *sum ^ a, carry = (*sum & a) | (either & b);

    *sum = either ^ b;
    return carry;
}

uint64_t
popcount_portable(const uint8_t *bytes, size_t size)
{
    uint64_t eights = 0, ones = 0, twos = 0, fours = 0, tail = 0, total;
    size_t at = 0;

    for (; at + 64 <= size; at += 64) {
        uint64_t w[8], twos_a, twos_b, fours_a, fours_b;

        for (unsigned i = 0; i < 8; i++)
            w[i] = load_le64(bytes + at + 8 * i);
        twos_a = popcount_carry(&ones, w[0], w[1]);
        twos_b = popcount_carry(&ones, w[2], w[3]);
        fours_a = popcount_carry(&twos, twos_a, twos_b);
        twos_a = popcount_carry(&ones, w[4], w[5]);
        twos_b = popcount_carry(&ones, w[6], w[7]);
        fours_b = popcount_carry(&twos, twos_a, twos_b);
        eights += (unsigned)__builtin_popcountll(popcount_carry(&fours, fours_a, fours_b));
    }
    total = 8 * eights + 4 * (unsigned)__builtin_popcountll(fours) +
            2 * (unsigned)__builtin_popcountll(twos) + (unsigned)__builtin_popcountll(ones);
    for (; at + 8 <= size; at += 8)
        total += (unsigned)__builtin_popcountll(load_le64(bytes + at));
    memcpy(&tail, bytes + at, size - at);
    return total + (unsigned)__builtin_popcountll(tail);
}

#if defined(__x86_64__) && defined(__GNUC__)

__attribute__((target("popcnt"))) static uint64_t
count_by_instruction(const uint8_t *bytes, size_t size)
{
    uint64_t total = 0, tail = 0;
    size_t at = 0;

    for (; at + 8 <= size; at += 8)
        total += (unsigned)__builtin_popcountll(load_le64(bytes + at));
    memcpy(&tail, bytes + at, size - at);
    return total + (unsigned)__builtin_popcountll(tail);
}

uint64_t
popcount_bytes(const uint8_t *bytes, size_t size)
{
    return __builtin_cpu_supports("popcnt") ? count_by_instruction(bytes, size)
                                            : popcount_portable(bytes, size);
}

#else

uint64_t
popcount_bytes(const uint8_t *bytes, size_t size)
{
    return popcount_portable(bytes, size);
}

#endif
