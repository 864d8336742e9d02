/*
 * bitfield_op.c - the operations of BITOP, on any number of strings.
 *
 * Shorter strings are filled up with zeros. All operations are computed from two accumulators, what
 * is in one of the strings behind the first and what is in more than one of all, 64 bits at a time
 * and then byte by byte.
 */
#include "bitfield.h"

#include "bytes.h"

static const char *const names[] = {"and", "or", "xor", "not", "diff", "diff1", "andor", "one"};

bool
bitfield_read_op(BitfieldWord word, BitfieldOp *op)
{
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (bitfield_word_is(word, names[i])) {
            *op = (BitfieldOp)i;
            return true;
        }
    return false;
}

bool
bitfield_op_takes(BitfieldOp op, unsigned count)
{
    switch (op) {
    case BITFIELD_NOT:
        return count == 1;
    case BITFIELD_DIFF:
    case BITFIELD_DIFF1:
    case BITFIELD_ANDOR:
        return count >= 2;
    default:
        return count >= 1;
    }
}

/* Eight bytes from a place on, or one; zeros beyond the end. */
static uint64_t
piece_at(SketchBytes string, size_t at, size_t bytes)
{
    uint64_t piece = 0;

    if (at + 8 <= string.size && bytes == 8)
        return load_le64(string.data + at);
    for (size_t i = 0; i < bytes && at + i < string.size; i++)
        piece |= (uint64_t)string.data[at + i] << (8 * i);
    return piece;
}

static uint64_t
combine_pieces(BitfieldOp op, const SketchBytes *strings, unsigned count, size_t at, size_t bytes)
{
    uint64_t first = piece_at(strings[0], at, bytes);
    uint64_t all = first, some = 0, odd = first, once = first, twice = 0;

    for (unsigned i = 1; i < count; i++) {
        uint64_t piece = piece_at(strings[i], at, bytes);

        twice |= once & piece;
        once |= piece;
        all &= piece;
        some |= piece;
        odd ^= piece;
    }
    switch (op) {
    case BITFIELD_AND:
        return all;
    case BITFIELD_OR:
        return first | some;
    case BITFIELD_XOR:
        return odd;
    case BITFIELD_NOT:
        return ~first;
    case BITFIELD_DIFF:
        return first & ~some;
    case BITFIELD_DIFF1:
        return some & ~first;
    case BITFIELD_ANDOR:
        return first & some;
    default:
        return once & ~twice;
    }
}

void
bitfield_combine(BitfieldOp op, const SketchBytes *strings, unsigned count, SketchBytes result)
{
    uint8_t *to = (uint8_t *)result.data;
    size_t at = 0;

    for (; at + 8 <= result.size; at += 8)
        store_le64(to + at, combine_pieces(op, strings, count, at, 8));
    for (; at < result.size; at++)
        to[at] = (uint8_t)combine_pieces(op, strings, count, at, 1);
}
