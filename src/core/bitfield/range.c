/*
 * range.c - how many bits are 1 in a range of a string, and where the first one is.
 *
 * The search reads the range in words of 64 bits, big-endian so that bit 0 is the highest, and
 * masks the first and the last word. Counting works in any byte order, and only has to exclude bits
 * of the first and the last byte.
 */
#include "bitfield.h"

#include "core/common/bytes.h"
#include "core/common/popcount.h"

bool
bitfield_range(size_t bytes, int64_t start, int64_t end, bool of_bits, int64_t *first,
               int64_t *last)
{
    int64_t length = (int64_t)bytes * (of_bits ? 8 : 1);

    start += start < 0 ? length : 0;
    end += end < 0 ? length : 0;
    start = start < 0 ? 0 : start;
    end = end < 0 ? 0 : end;
    end = end >= length ? length - 1 : end;
    if (start > end)
        return false;
    *first = of_bits ? start : start * 8;
    *last = of_bits ? end : end * 8 + 7;
    return true;
}

bool
bitfield_count_range(size_t bytes, int64_t start, int64_t end, bool of_bits, int64_t *first,
                     int64_t *last)
{
    return !(start < 0 && end < 0 && start > end) &&
           bitfield_range(bytes, start, end, of_bits, first, last);
}

/* Reads the word at a byte; bytes after that of the last bit of the range read as zeros. */
static uint64_t
word_at(const uint8_t *string, int64_t byte, int64_t last)
{
    int64_t left = last / 8 - byte + 1;
    uint64_t word = 0;

    if (left >= 8) {
        word = load_le64(string + byte);
        return __builtin_bswap64(word);
    }
    for (int64_t i = 0; i < left; i++)
        word |= (uint64_t)string[byte + i] << (56 - 8 * i);
    return word;
}

/* Returns a mask of the bits in the range, for the word that begins at a byte. */
static uint64_t
bits_within(int64_t byte, int64_t first, int64_t last)
{
    uint64_t mask = UINT64_MAX;

    if (byte * 8 < first)
        mask >>= first - byte * 8;
    if (last < byte * 8 + 63)
        mask &= UINT64_MAX << (63 - (last - byte * 8));
    return mask;
}

#define COUNT_BYTES (SKETCH_POLL_STEPS * 8) /* between two polls: a step is a word */

int64_t
bitfield_count(const uint8_t *string, int64_t first, int64_t last, const SketchMemory *memory)
{
    int64_t end = last / 8 + 1, count = 0;
    unsigned before = string[first / 8] & ~(0xffU >> first % 8);
    unsigned behind = string[last / 8] & (0x7fU >> last % 8);

    for (int64_t byte = first / 8; byte < end; byte += COUNT_BYTES) {
        int64_t bytes = end - byte < COUNT_BYTES ? end - byte : COUNT_BYTES;

        count += (int64_t)popcount_bytes(string + byte, (size_t)bytes);
        if (bytes == COUNT_BYTES)
            memory->poll(memory->context);
    }
    return count - __builtin_popcount(before) - __builtin_popcount(behind);
}

int64_t
bitfield_find(const uint8_t *string, int64_t first, int64_t last, bool bit)
{
    for (int64_t byte = first / 8; byte <= last / 8; byte += 8) {
        uint64_t word = word_at(string, byte, last);

        word = (bit ? word : ~word) & bits_within(byte, first, last);
        if (word != 0)
            return byte * 8 + __builtin_clzll(word);
    }
    return -1;
}
