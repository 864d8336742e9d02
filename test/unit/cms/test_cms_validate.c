/*
 * test_cms_validate.c - Count-Min sketches: bytes from outside, and what is refused.
 */
#include "../frequency.h"

/* Truncated, lengthened, and every byte changed: refused with a reason, or canonical. */
static void
test_bytes(void)
{
    for (unsigned sample = 0; sample < 3; sample++) {
        SketchState state = cms_new(shape(20, 2), &memory);
        SketchBytes packed, taken;
        SketchError error;
        uint8_t copy[500];

        for (uint64_t i = 0; i < (sample == 0 ? 0 : sample == 1 ? 6 : 40); i++)
            insert(&state, item(i), i == 3 ? 3000 : 1 + i % 2);
        packed = pack(state);
        for (size_t size = 0; size < packed.size; size++)
            expect(!cms_ops.validate((SketchBytes){packed.data, size}, &memory, &taken, &error),
                   "%zu bytes", size);
        for (size_t at = 0; at < packed.size; at++)
            for (unsigned to = 0; to < 256; to++) {
                memcpy(copy, packed.data, packed.size);
                copy[at] = (uint8_t)to;
                if (cms_ops.validate((SketchBytes){copy, packed.size}, &memory, &taken, &error)) {
                    expect(taken.size == packed.size && memcmp(taken.data, copy, taken.size) == 0,
                           "canonical");
                    release_bytes(taken);
                } else {
                    expect(error.reason != NULL, "a reason");
                }
            }
        release_bytes(packed);
        release_state(state);
    }
    conclude("bytes that are no sketch");
}

/* The bytes are stored: neither the layout nor the places of items in a table may ever change. */
static void
test_frozen(void)
{
    static const uint8_t list[] = {7,    1,    0,    0,    20,   0,    0,    0,    2,    0, 2,
                                   0,    0xd1, 0x07, 0,    0,    0,    0,    0,    0,    2, 0,
                                   0,    0,    5,    0,    0,    0,    0,    0,    0,    0, 0xff,
                                   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xd0, 0x07, 1, 0};
    SketchState state = cms_new(shape(20, 2), &memory);
    SketchBytes packed;

    insert(&state, UINT64_MAX, 1);
    insert(&state, 5, 1000);
    insert(&state, 5, 1000);
    packed = pack(state);
    expect(packed.size == sizeof list && memcmp(packed.data, list, sizeof list) == 0, "a list");
    release_bytes(packed);
    release_state(state);
    state = cms_new(shape(37, 3), &memory);
    for (uint64_t i = 0; i < 60; i++)
        insert(&state, item(i), 1 + i * i * i);
    packed = pack(state);
    expect(hash_bytes(packed.data, packed.size) == UINT64_C(0xa97a30a966e1cefb), "a table: %llx",
           (unsigned long long)hash_bytes(packed.data, packed.size));
    release_bytes(packed);
    release_state(state);
    conclude("bytes that never change");
}

/* Little-endian fields one behind the other. */
typedef struct Craft {
    uint8_t bytes[400];
    size_t size;
} Craft;

static void
put(Craft *c, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        c->bytes[c->size++] = (uint8_t)(number >> 8 * i);
}

static Craft
craft(unsigned encoding, unsigned bytes, uint32_t width, unsigned depth, uint64_t total,
      uint32_t count)
{
    Craft c = {.size = 0};

    put(&c, SKETCH_CMS, 1);
    put(&c, 1, 1);
    put(&c, encoding, 1);
    put(&c, 0, 1);
    put(&c, width, 4);
    put(&c, depth, 2);
    put(&c, bytes, 2);
    put(&c, total, 8);
    put(&c, count, 4);
    return c;
}

/* Refused, for this reason; or taken, where there is none. */
static void
check_craft(Craft c, const char *reason, const char *what)
{
    SketchError error = {.reason = "nothing"};
    SketchBytes taken;
    bool good = cms_ops.validate((SketchBytes){c.bytes, c.size}, &memory, &taken, &error);

    if (good)
        release_bytes(taken);
    expect(good == (reason == NULL), "%s: %s", what, good ? "taken" : error.reason);
    if (!good && reason)
        expect(strcmp(error.reason, reason) == 0 && error.status == SKETCH_MALFORMED, "%s: %s",
               what, error.reason);
}

static Craft
craft_list(unsigned bytes, uint64_t total, const CmsEntry *entries, uint32_t count)
{
    Craft c = craft(0, bytes, 20, 2, total, count);

    for (uint32_t i = 0; i < count; i++)
        put(&c, entries[i].hash, 8);
    for (uint32_t i = 0; i < count; i++)
        put(&c, entries[i].count, bytes);
    return c;
}

static void
test_crafted_lists(void)
{
    static const char sums[] = "Counts do not add up to the total";
    static const char order[] = "Hashes are not in ascending order";
    CmsEntry many[11];

    for (uint32_t i = 0; i < 11; i++)
        many[i] = (CmsEntry){i, 1};
    check_craft(craft_list(1, 0, NULL, 0), NULL, "nothing");
    check_craft(craft_list(1, 10, many, 10), NULL, "ten");
    check_craft(craft_list(1, 11, many, 11), "More items than a list may have", "eleven");
    check_craft(craft_list(1, 3, (CmsEntry[]){{1, 1}, {2, 2}}, 2), NULL, "two");
    check_craft(craft_list(1, 3, (CmsEntry[]){{2, 1}, {2, 2}}, 2), order, "an item twice");
    check_craft(craft_list(1, 3, (CmsEntry[]){{2, 1}, {1, 2}}, 2), order, "descending");
    check_craft(craft_list(1, 2, (CmsEntry[]){{1, 0}, {2, 2}}, 2), sums, "a count of 0");
    check_craft(craft_list(1, 4, (CmsEntry[]){{1, 1}, {2, 2}}, 2), sums, "too small a sum");
    check_craft(craft_list(1, 2, (CmsEntry[]){{1, 1}, {2, 2}}, 2), sums, "too large a sum");
    check_craft(craft_list(8, INT64_MAX, (CmsEntry[]){{1, INT64_MAX}, {2, 1}, {3, UINT64_MAX}}, 3),
                sums, "a sum of 2^64 too much");
    check_craft(craft_list(2, 3, (CmsEntry[]){{1, 1}, {2, 2}}, 2),
                "Counts are wider than necessary", "2 bytes for 2");
    check_craft(craft_list(2, 257, (CmsEntry[]){{1, 1}, {2, 256}}, 2), NULL, "2 bytes for 256");
    check_craft(craft_list(8, 2, (CmsEntry[]){{1, INT64_MAX}, {2, INT64_MAX}, {3, 4}}, 3), sums,
                "a sum of 2^64 + 2");
    check_craft(craft_list(8, INT64_MAX, (CmsEntry[]){{1, INT64_MAX - 1}, {2, 1}}, 2), NULL,
                "2^63 - 1");
    check_craft(craft_list(8, UINT64_C(1) << 63, (CmsEntry[]){{1, UINT64_C(1) << 63}}, 1),
                "The total would exceed 2^63-1", "2^63");
    check_craft(craft(0, 1, 20, 2, 0, UINT32_MAX), "More items than a list may have", "2^32 - 1");
    check_craft(craft(0, 1, 0, 2, 0, 0), "width", "no columns");
    check_craft(craft(0, 1, 20, 0, 0, 0), "depth", "no rows");
    check_craft(craft(0, 1, 20, 33, 0, 0), "depth", "33 rows");
    check_craft(craft(0, 1, (1 << 26) + 1, 1, 0, 0), "width", "2^26 + 1 columns");
    check_craft(craft(0, 1, UINT32_MAX, 32, 0, 0), "width", "2^32 - 1 columns");
    check_craft(craft(0, 0, 20, 2, 0, 0), "Bytes of a count are not 1, 2, 4 or 8", "0 bytes");
    check_craft(craft(0, 16, 20, 2, 0, 0), "Bytes of a count are not 1, 2, 4 or 8", "16 bytes");
    conclude("crafted lists");
}

/* A table of 2 rows of 20 cells, of which the first 5 of a row are given, and exceptions. */
static Craft
craft_table(unsigned bytes, uint64_t total, const uint64_t cells[10], const CmsEntry *exceptions,
            uint32_t count)
{
    Craft c = craft(1, bytes, 20, 2, total, count);

    for (int i = 0; i < 40; i++)
        put(&c, i % 20 < 5 ? cells[i / 20 * 5 + i % 20] : 0, bytes);
    for (uint32_t i = 0; i < count; i++) {
        put(&c, exceptions[i].hash, 4);
        put(&c, exceptions[i].count, 8);
    }
    return c;
}

static void
test_crafted_tables(void)
{
    static const char row[] = "A row adds up to more than the total";
    static const char canonical[] = "Not in canonical form";
    static const char missing[] = "A cell is not among the exceptions";
    uint64_t few[10] = {1, 2, 3, 4, 5, 5, 4, 3, 2, 1};
    uint64_t wide[10] = {255, 0, 0, 0, 5, 5, 4, 255, 2, 1};
    uint64_t full[10] = {INT64_MAX, 0, 0, 0, 0, 0, 0, 0, 0, INT64_MAX};
    uint64_t large[10] = {300, 301, 302, 303, 304, 0, 305, 306, 307, 308};

    check_craft(craft_table(1, 15, few, NULL, 0), NULL, "a table");
    check_craft(craft_table(1, 100, few, NULL, 0), NULL, "more rows than cells");
    check_craft(craft_table(1, 14, few, NULL, 0), row, "one row too few");
    check_craft(craft_table(1, 0, few, NULL, 0), "A table with a total of 0", "no rows");
    check_craft(craft_table(2, 15, few, NULL, 0), canonical, "cells that are too wide");
    check_craft(craft_table(2, 5000, large, NULL, 0), NULL, "cells of 2 bytes");
    check_craft(craft_table(8, INT64_MAX, full, NULL, 0), canonical, "8 bytes for two of them");
    full[1] = 1;
    check_craft(craft_table(8, INT64_MAX, full, NULL, 0), row, "a row of 2^63");
    for (int i = 1; i < 5; i++)
        full[i] = INT64_MAX;
    check_craft(craft_table(8, INT64_MAX, full, NULL, 0), row, "a row of 5 * (2^63 - 1)");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{0, 300}, {22, 255}}, 2), NULL,
                "exceptions");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{0, 300}, {22, 254}}, 2),
                "An exception that fits its cell", "an exception of 254");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{22, 300}, {0, 300}}, 2), missing,
                "swapped");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{0, 300}, {0, 300}}, 2), missing, "twice");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{0, 300}}, 1), missing, "one of two");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{0, 300}, {22, 300}, {22, 300}}, 3),
                "An exception without a full cell", "three of two");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{0, 300}, {22, 300}, {9, 300}}, 3),
                "An exception without a full cell", "one of a cell that is none");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{0, 996}, {22, 300}}, 2), row,
                "a large one");
    check_craft(craft_table(1, 1000, wide, (CmsEntry[]){{0, UINT64_MAX}, {22, 300}}, 2), row,
                "one of 2^64 - 1");
    check_craft(craft(2, 1, 5, 2, 1, 0), "Unknown encoding", "an encoding");
    check_craft(craft(1, 8, 1 << 21, 32, 1, 0), "The length does not match the shape",
                "512 MB in 24 bytes");
    check_craft(craft(1, 1, 5, 2, 1, UINT32_MAX), "The length does not match the shape",
                "no exceptions");
    conclude("crafted tables");
}

/*
 * Cells of each width, with exceptions beyond 32 bits; and of two widths that take as many bytes.
 */
static void
test_widths(void)
{
    static const unsigned widths[] = {1, 2, 4};

    for (int w = 0; w < 3; w++) {
        uint64_t most = (UINT64_C(1) << 8 * widths[w]) - 2, huge = UINT64_C(3) << 40;
        uint64_t cells[10] = {most, most, most, UINT64_MAX, most, most, most, most, UINT64_MAX, 1};
        Craft c = craft(1, widths[w], 5, 2, 2 * huge, 2);
        SketchState state;
        SketchBytes again;
        CmsCells read;

        for (int i = 0; i < 10; i++)
            put(&c, cells[i], widths[w]);
        put(&c, 3, 4);
        put(&c, huge, 8);
        put(&c, 8, 4);
        put(&c, huge + 1, 8);
        check_craft(c, NULL, "wide exceptions");
        state = cms_ops.open((SketchBytes){c.bytes, c.size}, &memory);
        again = cms_ops.pack(sketch_bytes(state), &memory);
        read = cms_cells_of(again);
        expect(cms_cell(&read, 3) == huge && cms_cell(&read, 8) == huge + 1 &&
                   cms_cell(&read, 7) == most,
               "cells of %u bytes", widths[w]);
        release_bytes(again);
        release_state(state);
    }
    /* Counts that fit no fewer bytes. */
    for (int wide = 0; wide < 2; wide++) {
        SketchState state = cms_new(shape(5, 2), &memory);
        SketchBytes packed;

        for (uint64_t i = 0; i < 40; i++)
            insert(&state, item(i), wide ? UINT64_C(1) << 40 : 1 << 20);
        packed = pack(state);
        expect(packed.data[2] == CMS_TABLE && packed.data[10] == (wide ? 8 : 4), "%d bytes",
               packed.data[10]);
        check_stored(state, "counts of many bits");
        release_bytes(packed);
        release_state(state);
    }
    /* 24 cells of 1 byte and two exceptions, or of 2 bytes. */
    for (unsigned bytes = 1; bytes <= 2; bytes++) {
        Craft c = craft(1, bytes, 12, 2, 1000, bytes == 1 ? 2 : 0);

        for (int i = 0; i < 24; i++)
            put(&c, i % 12 > 0 ? 1 : bytes == 1 ? 255 : 300, bytes);
        for (unsigned i = 0; bytes == 1 && i < 2; i++) {
            put(&c, i * 12, 4);
            put(&c, 300, 8);
        }
        check_craft(c, bytes == 1 ? NULL : "Not in canonical form", "as many bytes");
    }
    conclude("the width that takes the fewest bytes, the narrower of two");
}

/* Of two tables the least of the rows, unless it is beyond 2^63 - 1. */
static void
test_products_of_rows(void)
{
    uint64_t cells[10] = {15, 0, 0, 0, 0, 3, 3, 3, 3, 3}, product = 0;
    uint64_t large[10] = {UINT32_MAX, 0, 0, 0, 0, 0, UINT32_MAX, 0, 0, 0};
    Craft c = craft_table(1, 15, cells, NULL, 0), d;
    SketchBytes value = {c.bytes, c.size}, other;
    SketchError error;

    check_craft(c, NULL, "rows that differ");
    expect(cms_inner_product(value, value, &memory, &product, &error) && product == 45, "%d",
           (int)product);
    cells[0] = 3;
    cells[1] = 12;
    d = craft_table(1, 15, cells, NULL, 0);
    other = (SketchBytes){d.bytes, d.size};
    expect(cms_inner_product(value, other, &memory, &product, &error) && product == 45, "45");
    d = craft_table(8, UINT32_MAX, large, NULL, 0);
    other = (SketchBytes){d.bytes, d.size};
    expect(!cms_inner_product(other, other, &memory, &product, &error) &&
               error.status == SKETCH_OVERFLOW,
           "2^64 - 2^33 + 1");
    conclude("products of rows, and beyond 2^63 - 1");
}

/* What is refused changes nothing: the bytes are the same as before. */
static void
test_refused(void)
{
    CmsShape small = shape(50, 3);
    SketchState other = cms_new(shape(50, 4), &memory), full = cms_new(small, &memory);
    SketchState table = cms_new(small, &memory);

    insert(&other, item(1), 1);
    for (uint64_t i = 0; i < 90; i++)
        insert(&table, item(i), 5);
    insert(&full, item(3), INT64_MAX - 5);
    for (int sample = 0; sample < 3; sample++) {
        SketchState state = cms_new(small, &memory), before;
        SketchBytes packed, again;
        SketchError error;

        for (uint64_t i = 0; i < (sample == 0 ? 3 : 70); i++)
            insert(&state, item(i), sample < 2 ? 7 : UINT32_MAX);
        before = state;
        packed = pack(state);
        expect(!cms_insert(&state, item(9), INT64_MAX - 5, &memory, &error) &&
                   error.status == SKETCH_OVERFLOW,
               "%d: one too many", sample);
        expect(!cms_ops.merge(&state, sketch_bytes(full), &memory, &error) &&
                   error.status == SKETCH_OVERFLOW,
               "%d: a list too many", sample);
        expect(!cms_merge_times(&state, sketch_bytes(table), INT64_MAX / 400, &memory, &error) &&
                   error.status == SKETCH_OVERFLOW,
               "%d: a table too many", sample);
        /* 2^61 times 450 is 0 modulo 2^62. */
        expect(!cms_merge_times(&state, sketch_bytes(table), UINT64_C(1) << 61, &memory, &error) &&
                   error.status == SKETCH_OVERFLOW,
               "%d: far too many", sample);
        expect(!cms_merge_times(&state, sketch_bytes(other), 1, &memory, &error) &&
                   error.status == SKETCH_MISMATCH,
               "%d: another depth", sample);
        expect(state.data == before.data, "%d: in place", sample);
        again = pack(state);
        expect(again.size == packed.size && memcmp(again.data, packed.data, again.size) == 0,
               "%d: nothing has changed", sample);
        release_bytes(again);
        release_bytes(packed);
        release_state(state);
    }
    release_state(table);
    release_state(full);
    release_state(other);
    conclude("what is refused changes nothing");
}

/*
 * A stored value that was damaged, or is shorter than it says, or says that it is a working one:
 * whatever is asked of it, nothing outside of it is read.
 */
static void
ask_damaged(SketchBytes damaged)
{
    SketchState state = cms_new(shape(20, 2), &memory), before = state, opened;
    SketchError error;
    uint64_t product;

    (void)cms_query(damaged, item(1));
    (void)cms_inner_product(damaged, damaged, &memory, &product, &error);
    if (cms_merge_times(&state, damaged, 3, &memory, &error) && state.data != before.data)
        release_state(before);
    release_state(state);
    opened = cms_ops.open(damaged, &memory);
    if (sketch_is_working(damaged.data))
        expect(opened.data == NULL && cms_ops.pack(damaged, &memory).data == NULL,
               "a stored value is no state");
    if (opened.data)
        release_state(opened);
}

static void
test_damaged(void)
{
    for (unsigned sample = 0; sample < 3; sample++) {
        SketchState state = cms_new(shape(20, 2), &memory);
        SketchBytes packed;

        for (uint64_t i = 0; i < (sample == 0 ? 0 : sample == 1 ? 6 : 40); i++)
            insert(&state, item(i), i == 3 ? 3000 : 1 + i % 2);
        packed = pack(state);
        for (size_t at = 2; at < packed.size; at++)
            for (unsigned bit = 0; bit < 8; bit++)
                for (unsigned flip = 0; flip < 2; flip++) {
                    SketchBytes copy = {memory_value(packed.size, NULL), packed.size};
                    uint8_t *bytes = (uint8_t *)copy.data;

                    memcpy(bytes, packed.data, packed.size);
                    bytes[2] ^= flip ? SKETCH_WORKING : 0;
                    bytes[at] ^= (uint8_t)(1 << bit);
                    ask_damaged(copy);
                    release_bytes(copy);
                }
        release_bytes(packed);
        release_state(state);
    }
    conclude("damaged values end nothing badly");
}

/* Cells of a width that there is not, in a value of the length that such cells would take. */
static void
test_damaged_widths(void)
{
    static const unsigned widths[] = {0, 3, 5, 6, 7, 9, 16, 64};

    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (unsigned encoding = 0; encoding < 3; encoding++) {
            uint32_t count = encoding == 1 ? 0 : 2;
            Craft c = craft(encoding, widths[w], 5, 2, 100, count);
            size_t body = encoding == 1 ? 10 * widths[w] : count * (8 + widths[w]);
            SketchBytes damaged = {memory_value(c.size + body, NULL), c.size + body};

            memcpy((uint8_t *)damaged.data, c.bytes, c.size);
            memset((uint8_t *)damaged.data + c.size, 0xff, body);
            expect(cms_ops.open(damaged, &memory).data == NULL, "%u bytes", widths[w]);
            expect(cms_query(damaged, item(1)) == 0, "%u bytes: a count", widths[w]);
            ask_damaged(damaged);
            release_bytes(damaged);
        }
    conclude("cells are of 1, 2, 4 or 8 bytes");
}

static void
expect_polls(size_t least, const char *what)
{
    expect(memory_polls >= least, "%s: asked %d times", what, (int)memory_polls);
    memory_polls = 0;
}

/* Whatever goes through all cells asks now and then whether to go on. */
static void
test_polls(void)
{
    CmsShape large = shape(1 << 18, 4); /* 16 times the steps between two polls */
    SketchState state = cms_new(large, &memory), list = cms_new(large, &memory);
    SketchBytes packed, validated;
    SketchError error;
    uint64_t product;

    for (uint64_t i = 0; i < 120000; i++)
        insert(&state, item(i), 1);
    insert(&list, item(1), UINT32_MAX);
    memory_polls = 0;
    packed = pack(state);
    expect_polls(32, "pack");
    expect(cms_ops.validate(packed, &memory, &validated, &error), "validated");
    expect_polls(16 + 16 + 32, "validate");
    release_bytes(validated);
    merge(&state, packed, 1);
    expect_polls(16, "merge");
    merge(&list, packed, 1);
    expect_polls(32, "a list becomes a table, its cells wider");
    expect(cms_inner_product(packed, packed, &memory, &product, &error), "a product");
    expect_polls(16, "inner product");
    release_bytes(packed);
    release_state(list);
    list = cms_new(large, &memory);
    for (uint64_t i = 0; i < 50000; i++)
        insert(&list, item(i), 1);
    packed = pack(list);
    memory_polls = 0;
    merge(&state, packed, 1);
    expect_polls(3, "a long list into a table");
    expect(cms_inner_product(packed, packed, &memory, &product, &error), "a product");
    expect_polls(3, "inner product of lists");
    release_bytes(packed);
    release_state(list);
    release_state(state);
    conclude("long loops ask whether to go on");
}

int
main(void)
{
    test_bytes();
    test_frozen();
    test_crafted_lists();
    test_crafted_tables();
    test_widths();
    test_products_of_rows();
    test_refused();
    test_damaged();
    test_damaged_widths();
    test_polls();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
