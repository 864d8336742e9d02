/*
 * test_bits.c - bit strings against a plain array of bits, up to the last byte of the buffer.
 */
#include "../check.h"
#include "core/common/bits.h"

#define ITEMS 2000

/* Something written to a bit string: `length` bits of `value`, or value in unary. */
typedef struct Item {
    uint64_t value;
    unsigned length;
    bool unary;
} Item;

/* The oracle: a bit a byte. */
typedef struct PlainBits {
    uint8_t *bit;
    size_t count;
} PlainBits;

static void
plain_put(PlainBits *plain, uint64_t value, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        plain->bit[plain->count++] = value >> i & 1;
}

static bool
plain_same(const PlainBits *plain, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < 8 * size; i++)
        if ((data[i / 8] >> i % 8 & 1) != (i < plain->count ? plain->bit[i] : 0))
            return false;
    return true;
}

static Item
random_item(Random *random)
{
    Item item = {.unary = random_below(random, 3) == 0};

    if (item.unary)
        item.value = random_below(random, random_below(random, 8) ? 40 : 300);
    else {
        item.length = (unsigned)random_below(random, 33);
        item.value = random_next(random) & ((UINT64_C(1) << item.length) - 1);
    }
    return item;
}

static void
round_trip(Random *random, unsigned items)
{
    Item item[ITEMS];
    PlainBits plain = {malloc(ITEMS * 310), 0};
    uint8_t *data;
    size_t size;
    BitWriter w;
    BitReader r;

    for (unsigned i = 0; i < items; i++) {
        item[i] = random_item(random);
        if (item[i].unary) {
            for (uint64_t n = 0; n < item[i].value; n++)
                plain_put(&plain, 1, 1);
            plain_put(&plain, 0, 1);
        } else
            plain_put(&plain, item[i].value, item[i].length);
    }
    size = (plain.count + 7) / 8;
    data = malloc(size);
    w = bit_writer(data);
    for (unsigned i = 0; i < items; i++)
        if (item[i].unary)
            bits_put_unary(&w, item[i].value);
        else
            bits_put(&w, item[i].value, item[i].length);
    expect(bits_finish(&w) == data + size, "%u items do not end at byte %zu", items, size);
    expect(plain_same(&plain, data, size), "%u items: other bits", items);

    r = bit_reader(data, size);
    for (unsigned i = 0; i < items; i++) {
        uint64_t value = item[i].unary ? bits_get_unary(&r, item[i].value + 1 + i % 3)
                                       : bits_get(&r, item[i].length);

        expect(value == item[i].value, "item %u of %u", i, items);
    }
    expect(r.at == plain.count && !bits_overrun(&r), "%u items end elsewhere", items);
    free(data);
    free(plain.bit);
}

static void
test_peek(void)
{
    for (size_t size = 0; size <= 20; size++) {
        uint8_t *data = malloc(size);

        for (size_t i = 0; i < size; i++)
            data[i] = (uint8_t)mix64(i + 1);
        for (uint64_t at = 0; at <= 8 * size + 200; at++) {
            BitReader r = {data, size, at};
            uint64_t expected = 0;

            for (unsigned i = 0; i < BITS_PEEK; i++)
                if (at + i < 8 * size)
                    expected |= (uint64_t)(data[(at + i) / 8] >> (at + i) % 8 & 1) << i;
            expect((bits_peek(&r) & ((UINT64_C(1) << BITS_PEEK) - 1)) == expected,
                   "at bit %u of %zu bytes", (unsigned)at, size);
            expect(bits_overrun(&r) == (at > 8 * size), "overrun at %u of %zu", (unsigned)at, size);
        }
        free(data);
    }
    conclude("57 bits are seen from everywhere; past the end there are zeros");
}

/* A run of ones that nothing ends: the reader stops at the limit, or at the end of the buffer. */
static void
test_unary_limits(void)
{
    for (size_t size = 0; size <= 40; size++) {
        uint8_t *data = malloc(size);

        memset(data, 0xff, size);
        for (uint64_t limit = 0; limit <= 400; limit++) {
            BitReader r = bit_reader(data, size);
            uint64_t ones = 8 * size;

            expect(bits_get_unary(&r, limit) == (ones < limit ? ones : limit),
                   "%zu bytes of ones, limit %u", size, (unsigned)limit);
            expect(r.at <= ones + 1, "it went on to bit %u", (unsigned)r.at);
            expect(limit <= ones || bits_overrun(&r), "the missing zero of %zu bytes, limit %u",
                   size, (unsigned)limit);
        }
        free(data);
    }
    conclude("unary: a limit stops the reader, and so does the end");
}

int
main(void)
{
    Random random = {1};

    for (unsigned items = 0; items < 200; items++)
        round_trip(&random, items);
    round_trip(&random, ITEMS);
    conclude("what was written is read, and nothing beside it");
    test_peek();
    test_unary_limits();
    return conclude_all();
}
