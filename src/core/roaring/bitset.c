/*
 * bitset.c - a container as 65536 bits in memory.
 */
#include "core/common/popcount.h"

#include "roaring_internal.h"

void
roaring_change_range(uint64_t *bitset, uint32_t first, uint32_t last, RoaringChange change)
{
    for (uint32_t word = first >> 6; word <= last >> 6; word++) {
        uint64_t mask = UINT64_MAX;

        if (word == first >> 6)
            mask &= UINT64_MAX << (first & 63);
        if (word == last >> 6)
            mask &= UINT64_MAX >> (63 - (last & 63));
        if (change == ROARING_SET)
            bitset[word] |= mask;
        else
            bitset[word] ^= mask;
    }
}

/*
 * From four places at once: values that follow one another often share a word, and each change of
 * it would wait for the one before. The form is said by the caller, so that each has a loop of its
 * own.
 */
static inline __attribute__((always_inline)) void
change_listed(uint64_t *bitset, RoaringContainer container, RoaringForm form, RoaringChange change)
{
    uint32_t quarter = container.count / 4;

    container.form = form;
    for (uint32_t i = 0; i < quarter; i++)
        for (uint32_t j = 0; j < 4; j++)
            roaring_change_value(bitset, roaring_listed(&container, j * quarter + i), change);
    for (uint32_t i = 4 * quarter; i < container.count; i++)
        roaring_change_value(bitset, roaring_listed(&container, i), change);
}

static inline __attribute__((always_inline)) void
change_values_of_form(uint64_t *bitset, const RoaringContainer *container, RoaringChange change)
{
    if (container->form == ROARING_ARRAY)
        change_listed(bitset, *container, ROARING_ARRAY, change);
    else if (container->form == ROARING_VALUES32)
        change_listed(bitset, *container, ROARING_VALUES32, change);
    else
        change_listed(bitset, *container, ROARING_VALUES64, change);
}

static inline __attribute__((always_inline)) void
change_values_inline(uint64_t *bitset, const RoaringContainer *container, RoaringChange change)
{
    if (change == ROARING_SET)
        change_values_of_form(bitset, container, ROARING_SET);
    else
        change_values_of_form(bitset, container, ROARING_FLIP);
}

#ifdef __x86_64__
/* With BMI2 a shift by a variable count is one step, not three. */
__attribute__((target("bmi2"))) static void
change_values_shifting(uint64_t *bitset, const RoaringContainer *container, RoaringChange change)
{
    change_values_inline(bitset, container, change);
}
#endif

static void
change_values(uint64_t *bitset, const RoaringContainer *container, RoaringChange change)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("bmi2")) {
        change_values_shifting(bitset, container, change);
        return;
    }
#endif
    change_values_inline(bitset, container, change);
}

void
roaring_change_bitset(uint64_t *bitset, const RoaringContainer *container, RoaringChange change)
{
    bool set = change == ROARING_SET;

    switch (container->form) {
    case ROARING_BITSET:
    case ROARING_WORDS:
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
            uint64_t word = roaring_word(container, i);

            bitset[i] = set ? bitset[i] | word : bitset[i] ^ word;
        }
        break;
    case ROARING_RUNS:
        for (uint32_t i = 0; i < container->count; i++) {
            RoaringRun run = roaring_run(container, i);

            roaring_change_range(bitset, run.first, run.last < 65535 ? run.last : 65535, change);
        }
        break;
    default:
        change_values(bitset, container, change);
    }
}

void
roaring_load_bitset(uint64_t *bitset, const RoaringContainer *container)
{
    if (container->form == ROARING_BITSET || container->form == ROARING_WORDS) {
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
            bitset[i] = roaring_word(container, i);
        return;
    }
    memset(bitset, 0, ROARING_BITSET_BYTES);
    roaring_change_bitset(bitset, container, ROARING_SET);
}

uint32_t
roaring_bitset_cardinality(const uint64_t *bitset)
{
    return (uint32_t)popcount_bytes((const uint8_t *)bitset, ROARING_BITSET_BYTES);
}

uint8_t *
roaring_bitset_values(const uint64_t *bitset, uint8_t *to)
{
    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
        for (uint64_t word = bitset[i]; word != 0; word &= word - 1, to += 2)
            store_le16(to, (uint16_t)(i * 64 + (unsigned)__builtin_ctzll(word)));
    return to;
}

/*
 * Two values of each word are written whether there are as many or not: most words of the sets that
 * come here have no more, and how many cannot be foreseen by the processor.
 */
static inline __attribute__((always_inline)) uint32_t
take_lows(uint64_t *bitset, uint8_t *lows)
{
    uint8_t *to = lows;

    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
        uint64_t bits = bitset[i];
        uint8_t *next = to + 2 * __builtin_popcountll(bits);

        bitset[i] = 0;
        do {
            for (unsigned j = 0; j < 2; j++, to += 2, bits &= bits - 1)
                store_le16(
                    to, (uint16_t)(i * 64 + (unsigned)__builtin_ctzll(bits | UINT64_C(1) << 63)));
        } while (bits != 0);
        to = next;
    }
    return (uint32_t)(to - lows) / 2;
}

#ifdef __x86_64__
__attribute__((target("popcnt,bmi"))) static uint32_t
take_lows_counting(uint64_t *bitset, uint8_t *lows)
{
    return take_lows(bitset, lows);
}
#endif

uint32_t
roaring_take_lows(uint64_t *bitset, uint8_t *lows)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi"))
        return take_lows_counting(bitset, lows);
#endif
    return take_lows(bitset, lows);
}

bool
roaring_bitset_is_full(const uint64_t *bitset)
{
    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i += 8) {
        uint64_t all = UINT64_MAX;

        for (unsigned j = 0; j < 8; j++)
            all &= bitset[i + j];
        if (all != UINT64_MAX)
            return false;
    }
    return true;
}

/* The first bit at or after `from` that is 1, or 0; 65536 when there is none. */
static uint32_t
next_bit(const uint64_t *bitset, uint32_t from, bool one)
{
    while (from < 65536) {
        uint64_t word = (one ? bitset[from >> 6] : ~bitset[from >> 6]) >> (from & 63);

        if (word != 0)
            return from + (uint32_t)__builtin_ctzll(word);
        from = (from | 63) + 1;
    }
    return 65536;
}

uint8_t *
roaring_bitset_runs(const uint64_t *bitset, uint8_t *to)
{
    for (uint32_t first = next_bit(bitset, 0, true); first < 65536;) {
        uint32_t end = next_bit(bitset, first, false);

        to = roaring_put_run(to, first, end - 1);
        first = next_bit(bitset, end, true);
    }
    return to;
}
