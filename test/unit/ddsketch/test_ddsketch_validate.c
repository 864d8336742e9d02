/*
 * test_ddsketch_validate.c - what is refused as a packed value, and examples of what is not.
 */
#include "../counted_buckets.h"
#include "core/common/varint.h"
#include "core/ddsketch/ddsketch_internal.h"

/* Returns true if bytes are refused; with the reason printed where they are not. */
static void
refused(const char *hex, const char *name)
{
    Bytes bytes = bytes_of_hex(hex);
    SketchBytes value;
    SketchError error = {.status = SKETCH_OK};

    if (ddsketch_ops.validate((SketchBytes){bytes.data, bytes.size}, &memory, &value, &error)) {
        release_bytes(value);
        ok(false, name);
    } else
        ok(error.status == SKETCH_MALFORMED && error.reason, name);
    free(bytes.data);
}

/* Returns true if values are packed as these bytes, which come back from validation. */
static void
packed_as(SketchState state, const char *hex, const char *name)
{
    Bytes bytes = bytes_of_hex(hex);
    SketchBytes packed = sketch_finish(state);

    if (!same_bytes(packed.data, packed.size, bytes.data, bytes.size)) {
        printf("# ");
        for (size_t i = 0; i < packed.size; i++)
            printf("%02x", packed.data[i]);
        printf("\n");
    }
    ok(same_bytes(packed.data, packed.size, bytes.data, bytes.size) && sketch_canonical(packed),
       name);
    free(bytes.data);
    release_bytes(packed);
}

/* Any change of a byte of a value is refused, or makes another canonical value. */
static void
test_changes(void)
{
    Random random = {1};
    unsigned accepted = 0;

    for (unsigned round = 0; round < trials_of(3000); round++) {
        SketchState state = sketch_new(random_below(&random, 3) ? 6 : 0);
        SketchBytes packed, value;
        SketchError error;
        uint8_t *changed;

        for (uint64_t i = 1 + random_below(&random, 40); i > 0; i--)
            sketch_add(&state, hard_value(&random, round), 1 + random_below(&random, 4));
        packed = sketch_finish(state);
        changed = memory_value(packed.size, NULL);
        memcpy(changed, packed.data, packed.size);
        changed[random_below(&random, packed.size)] ^= (uint8_t)(1 << random_below(&random, 8));
        if (ddsketch_ops.validate((SketchBytes){changed, packed.size}, &memory, &value, &error)) {
            expect(sketch_canonical(value), "accepted, but not canonical");
            release_bytes(value);
            accepted++;
        } else
            expect(error.status == SKETCH_MALFORMED, "refused for another reason");
        for (unsigned cut = 0; cut < 2; cut++) {
            size_t size = cut ? packed.size - 1 : packed.size + 1;
            Bytes other = {malloc(packed.size + 1), size};

            memcpy(other.data, packed.data, packed.size);
            other.data[packed.size] = 0;
            expect(!ddsketch_ops.validate((SketchBytes){other.data, other.size}, &memory, &value,
                                          &error),
                   "one byte %s", cut ? "less" : "more");
            free(other.data);
        }
        memory_release_value(changed, NULL);
        release_bytes(packed);
    }
    expect(accepted < 600, "%u of 3000 changes were accepted", accepted);
    conclude("a changed value is refused or another one, a longer or shorter one is refused");
}

/* Each by one thing that is wrong with the sketch of the number 1, 0b010000060100000101000001. */
static void
test_refused(void)
{
    refused("", "no bytes");
    refused("0b01000006000000", "a header cut short");
    refused("0c0100060000000000", "another kind");
    refused("0b0200060000000000", "another version");
    refused("0b0101060000000000", "another encoding");
    refused("0bf181060000000000", "a working encoding");
    refused("0b0100050000000000", "an unknown mapping");
    refused("0b0100000000000000001500000000", "bytes left over");
    refused("0b0100001500000000", "scale 21");
    refused("0b010000f500000000", "scale -11");
    refused("0b010070060100000101000000000000f83f000001", "a minimum of another bucket");
    refused("0b010030060100000101000000000000f03f000000000000f03f000001", "an extreme twice");
    refused("0b010040060100000101000001", "a maximum that is an unknown minimum");
    refused("0b010080060100000101000001", "an unknown mark");
    refused("0b0100700600000000000000000000f03f", "extremes of no values");
    refused("0b010000060200000101000001", "a total that is too high");
    refused("0b010000060000000101000001", "a total that is too low");
    refused("0b010000060101000101000001", "zeros that are not in the total");
    refused("0b0100000601020000", "more zeros than the total");
    refused("0b01000006818000000101000001", "a total that is not in its shortest form");
    refused("0b010000060100000101000003", "bits behind the last block");
    refused("0b01000006010000010100000100", "a byte behind the last block");
    refused("0b0100000601000001010000", "a byte less");
    refused("0b0100000601000001010100000002", "a width that is more than enough");
    refused("0b010000060100000101070000000002", "a code that is longer than it has to be");
    refused("0b010000060100000201000001", "a block that is missing");
    refused("0b01000006010000020303000001", "an empty block in front");
    refused("0b010000060100000201000007", "empty blocks at the end");
    refused("0b010000060000000101000000", "a block that is empty");
    refused("0b0100000601000001804000", "a bucket past the greatest double");
    refused("0b01000006010000018040000001", "a bucket past the greatest double");
    refused("0b01000006010000019143008000", "a bucket below the least double");
    refused("0b0100000601000001ffffffffff0f000001", "a block that no index has");
    refused("0b0100000601000080808080808001000001", "more blocks than there are");
    refused("0b01000106000000000000000000000000000000000000000000", "a gamma with a scale");
    refused("0b01000100000000000000f03f000000000000000000000000", "gamma 1");
    refused("0b01000100000000000000f87f000000000000000000000000", "a gamma that is not a number");
    refused("0b010001000000000000000040000000000000008000000000", "an offset of -0");
    refused("0b010001000000000000000040000000000000f07f00000000", "an infinite offset");
}

/* Whether a header is read whose store `n` of the two has these blocks; no block follows it. */
static bool
reads_store(unsigned n, int64_t first, uint64_t span)
{
    uint8_t bytes[64] = {SKETCH_DDSKETCH, DDSKETCH_VERSION, DDSKETCH_PACKED, DDSKETCH_EXPONENTIAL},
            *to = bytes + 5;
    DdHeader header;

    to = write_varint(to, 0);
    to = write_varint(to, 0);
    if (n == 1)
        to = write_varint(to, 0);
    to = write_varint(to, span);
    to = write_varint(to, zigzag(first));
    if (n == 0)
        to = write_varint(to, 0);
    return dd_header_read((SketchBytes){bytes, (size_t)(to - bytes)}, &header) &&
           header.bytes == (size_t)(to - bytes) && header.stores[n].first == first &&
           header.stores[n].span == span;
}

/* The blocks that indexes of 32 bits have, and one more on either side. */
static void
test_stores(void)
{
    const int64_t low = INT32_MIN / 16, high = INT32_MAX / 16;

    for (unsigned n = 0; n < 2; n++) {
        expect(reads_store(n, low, 1) && !reads_store(n, low - 1, 1), "the lowest block");
        expect(reads_store(n, high, 1) && !reads_store(n, high + 1, 1), "the highest block");
        expect(reads_store(n, high, 1) && !reads_store(n, high, 2), "one block at the end");
        expect(reads_store(n, high - 4, 5) && !reads_store(n, high - 4, 6), "five at the end");
        expect(reads_store(n, low, (uint64_t)(high - low) + 1) &&
                   !reads_store(n, low, (uint64_t)(high - low) + 2),
               "all blocks");
        expect(!reads_store(n, 0, UINT64_MAX) && !reads_store(n, INT64_MIN, 1), "no such block");
    }
    conclude("stores at the limits of their indexes");
}

int
main(void)
{
    static const double values[] = {1, 1, 1, 2, -3, 0};
    static const double ends[] = {-1.7976931348623157e308, 4.9406564584124654e-324};

    packed_as(sketch_new(6), "0b0100000600000000", "an empty sketch");
    packed_as(sketch_of(values, 1, 6), "0b010070060100000101000000000000f03f000001",
              "the number 1");
    /* Blocks 6 of -3, -1 of 1, and 3 of 2: three blocks between them are empty. */
    packed_as(sketch_of(values, 6, 6),
              "0b010030060601010c050100000000000008c00000000000000040400002000000bcb00080",
              "six numbers");
    packed_as(sketch_of(ends, 2, 6),
              "0b01003006020001fe3f019143ffffffffffffefff01000000000000000000010002", "both ends");
    test_refused();
    test_stores();
    test_changes();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
