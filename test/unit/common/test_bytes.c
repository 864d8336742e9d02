/*
 * test_bytes.c - little-endian integers, and the reader that cannot leave its buffer.
 */
#include "../check.h"
#include "core/common/bytes.h"

static void
test_little_endian(void)
{
    Bytes b = bytes_of_hex("00efcdab8967452301ff");
    Bytes same = bytes_copy(b.data, b.size);

    expect(load_le16(b.data + 1) == 0xcdef, "u16");
    expect(load_le32(b.data + 1) == 0x89abcdef, "u32");
    expect(load_le64(b.data + 1) == UINT64_C(0x0123456789abcdef), "u64");
    store_le16(b.data + 1, 0xcdef);
    store_le32(b.data + 3, UINT32_C(0x456789ab));
    expect(memcmp(b.data, same.data, b.size) == 0, "stored u16, u32");
    store_le64(b.data + 1, UINT64_C(0x0123456789abcdef));
    expect(memcmp(b.data, same.data, b.size) == 0, "stored u64");
    conclude("integers are little-endian at any address");
    free(b.data);
    free(same.data);
}

/* Reads `count` times with `read`, of `width` bytes; from a buffer of every size. */
static void
test_reader(void)
{
    for (size_t size = 0; size <= 24; size++) {
        uint8_t *data = malloc(size);

        for (size_t i = 0; i < size; i++)
            data[i] = (uint8_t)(i + 1);
        for (unsigned width = 1; width <= 8; width *= 2) {
            ByteReader r = byte_reader(data, size);

            if (width == 2)
                continue;
            for (size_t at = 0; at < size + 9; at += width) {
                uint64_t expected = 0;
                uint64_t value = width == 1   ? read_u8(&r)
                                 : width == 4 ? read_be32(&r)
                                              : read_be64(&r);

                if (at + width > size) {
                    expect(r.failed, "%u bytes at %zu of %zu", width, at, size);
                    expect(bytes_left(&r) == 0, "a failed reader has no more");
                    continue;
                }
                for (size_t i = at; i < at + width; i++)
                    expected = expected << 8 | (i + 1);
                expect(value == expected && !r.failed, "%u bytes at %zu of %zu", width, at, size);
                expect(bytes_left(&r) == size - at - width, "left after %zu of %zu", at, size);
            }
        }
        free(data);
    }
    conclude("the reader reads big-endian up to the end and fails there");
}

static void
test_writers(void)
{
    Bytes b = bytes_of_hex("aa6745230108070605040302010000000000000440ff");
    uint8_t *data = malloc(b.size), *end = data;
    ByteReader r = byte_reader(data, b.size);

    end = write_u8(end, 0xaa);
    end = write_le32(end, UINT32_C(0x01234567));
    end = write_le64(end, UINT64_C(0x0102030405060708));
    end = write_le_double(end, 2.5);
    end = write_u8(end, 0xff);
    expect(end == data + b.size && memcmp(data, b.data, b.size) == 0, "written");
    expect(read_u8(&r) == 0xaa && read_le32(&r) == UINT32_C(0x01234567), "8 and 32 bits");
    expect(read_le64(&r) == UINT64_C(0x0102030405060708), "64 bits");
    expect(read_le_double(&r) == 2.5 && !r.failed, "a double");
    expect(read_le_double(&r) == 0 && r.failed && read_le64(&r) == 0, "past the end");
    conclude("numbers are written one after the other and read back");
    free(data);
    free(b.data);
}

static void
test_span(void)
{
    uint8_t *data = calloc(1, 10);
    ByteReader r = byte_reader(data, 10);

    expect(read_span(&r, 4) == data && read_span(&r, 0) == data + 4, "within");
    expect(read_span(&r, 6) == data + 4 && bytes_left(&r) == 0 && !r.failed, "to the end");
    expect(read_span(&r, 0) == data + 10 && !r.failed, "nothing, at the end");
    r = byte_reader(data, 10);
    expect(read_span(&r, 11) == NULL && r.failed, "one too many");
    r = byte_reader(data, 10);
    read_u8(&r);
    expect(read_span(&r, SIZE_MAX) == NULL && r.failed, "as many as there are numbers");
    expect(read_u8(&r) == 0 && read_be32(&r) == 0 && r.failed, "zeros after a failure");
    conclude("spans stay within the buffer");
    free(data);
}

int
main(void)
{
    test_little_endian();
    test_reader();
    test_writers();
    test_span();
    return conclude_all();
}
