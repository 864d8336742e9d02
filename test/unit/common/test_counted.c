/*
 * test_counted.c - counts of hashes that come and go, against a plain array of counts.
 */
#include "../check.h"
#include "core/common/counted.h"
#include "../memory.h"

#define ITEMS 3000

/* Item i's hash; `mask` leaves few bits, so that many begin at the same slot. */
static uint64_t
hash_of(uint32_t i, uint64_t mask)
{
    return (mix64(i) & mask) | (uint64_t)i << 40;
}

static size_t
count_in(const Counted *counted, uint64_t hash)
{
    for (size_t i = 0; i < counted->slots; i++)
        if (counted->slot[i].value != 0 && counted->slot[i].hash == hash)
            return counted->slot[i].value;
    return 0;
}

/* Random comings and goings, more of one in every phase, so that the table grows and shrinks. */
static void
try(uint64_t mask, uint64_t seed)
{
    uint32_t truth[ITEMS] = {0};
    size_t distinct = 0, largest = 0;
    Random random = {seed};
    Counted counted;

    counted_begin(&counted, &memory);
    for (unsigned phase = 0; phase < 6; phase++)
        for (unsigned i = 0; i < 20000; i++) {
            uint32_t item = (uint32_t)random_below(&random, ITEMS);
            bool add = random_below(&random, 10) < (phase % 2 ? 3 : 7);

            if (add) {
                counted_add(&counted, hash_of(item, mask), &memory);
                distinct += truth[item]++ == 0;
            } else {
                bool there = counted_remove(&counted, hash_of(item, mask), &memory);

                expect(there == (truth[item] > 0), "item %u: removed %d of %u", item, there,
                       truth[item]);
                if (truth[item] > 0)
                    distinct -= --truth[item] == 0;
            }
            if (counted.used != distinct) {
                expect(false, "%zu in use, not %zu", counted.used, distinct);
                break;
            }
            largest = counted.slots > largest ? counted.slots : largest;
        }
    for (uint32_t item = 0; item < ITEMS; item++)
        expect(count_in(&counted, hash_of(item, mask)) == truth[item], "item %u: %zu, not %u", item,
               count_in(&counted, hash_of(item, mask)), truth[item]);
    for (uint32_t item = 0; item < ITEMS; item++)
        while (truth[item] > 0) {
            expect(counted_remove(&counted, hash_of(item, mask), &memory), "item %u is gone", item);
            truth[item]--;
        }
    expect(counted.used == 0 && counted.slots <= 64 && largest >= 4096, "%zu slots, were %zu",
           counted.slots, largest);
    counted_end(&counted, &memory);
    expect(memory_used.pieces == 0, "memory was kept");
}

int
main(void)
{
    size_t polls = memory_polls;
    Counted counted;

    try(UINT64_MAX, 1);
    try(0xff, 2);
    conclude("counts and their number, as a plain array has them");
    try(0, 3);
    try(UINT64_C(0xffffffc0), 4);
    conclude("the same where all begin at few slots");

    counted_begin(&counted, &memory);
    expect(!counted_remove(&counted, 5, &memory), "removed from nothing");
    for (uint64_t i = 0; i < 200000; i++)
        counted_add(&counted, mix64(i), &memory);
    expect(counted.used == 200000 && memory_polls > polls, "%zu, %zu polls", counted.used,
           memory_polls - polls);
    counted_end(&counted, &memory);
    conclude("growing asks whether to go on");
    return conclude_all();
}
