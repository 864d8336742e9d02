/*
 * op.c - the operations of BITOP, on any number of strings.
 *
 * Shorter strings are padded with zeros. The result is made in blocks. A block stays in the
 * first-level cache while the strings are combined with it one by one, 64 bits at a time.
 */
#include "bitfield.h"

#include "core/common/bytes.h"

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

/* ---- two strings of the same length ---- */

typedef enum Gate { GATE_AND, GATE_OR, GATE_XOR, GATE_WITHOUT } Gate;

static inline uint64_t
through(Gate gate, uint64_t a, uint64_t b)
{
    switch (gate) {
    case GATE_AND:
        return a & b;
    case GATE_OR:
        return a | b;
    case GATE_XOR:
        return a ^ b;
    default:
        return a & ~b;
    }
}

static inline __attribute__((always_inline)) void
fold_by(Gate gate, uint8_t *to, const uint8_t *from, size_t size)
{
    size_t at = 0;

    for (; at + 8 <= size; at += 8)
        store_le64(to + at, through(gate, load_le64(to + at), load_le64(from + at)));
    for (; at < size; at++)
        to[at] = (uint8_t)through(gate, to[at], from[at]);
}

/* Sets `to` to `to` gate `from`; compiled once for each gate. */
static void
fold(Gate gate, uint8_t *to, const uint8_t *from, size_t size)
{
    switch (gate) {
    case GATE_AND:
        fold_by(GATE_AND, to, from, size);
        break;
    case GATE_OR:
        fold_by(GATE_OR, to, from, size);
        break;
    case GATE_XOR:
        fold_by(GATE_XOR, to, from, size);
        break;
    default:
        fold_by(GATE_WITHOUT, to, from, size);
        break;
    }
}

/* ---- many, block by block ---- */

#define BLOCK_BYTES 4096
#define STEP_BYTES 64 /* combined in a few nanoseconds */

/* Returns the part of a string in a block: shorter at the string's end, empty after it. */
static SketchBytes
piece_of(SketchBytes string, size_t at, size_t size)
{
    if (at >= string.size)
        return (SketchBytes){string.data, 0};
    return (SketchBytes){string.data + at, string.size - at < size ? string.size - at : size};
}

/* Combines a piece with a block. Missing bytes are zeros, which matter only to an and. */
static void
fold_piece(Gate gate, uint8_t *to, SketchBytes piece, size_t size)
{
    fold(gate, to, piece.data, piece.size);
    if (gate == GATE_AND)
        memset(to + piece.size, 0, size - piece.size);
}

static void
invert(uint8_t *to, size_t size)
{
    size_t at = 0;

    for (; at + 8 <= size; at += 8)
        store_le64(to + at, ~load_le64(to + at));
    for (; at < size; at++)
        to[at] = (uint8_t)~to[at];
}

/* Adds the bits of a piece to `once`, and those that were there already to `twice`. */
static void
join(uint8_t *once, uint8_t *twice, SketchBytes piece)
{
    size_t at = 0;

    for (; at + 8 <= piece.size; at += 8) {
        uint64_t word = load_le64(piece.data + at), before = load_le64(once + at);

        store_le64(twice + at, load_le64(twice + at) | (before & word));
        store_le64(once + at, before | word);
    }
    for (; at < piece.size; at++) {
        twice[at] |= once[at] & piece.data[at];
        once[at] |= piece.data[at];
    }
}

static void
combine_block(BitfieldOp op, const SketchBytes *strings, unsigned count, size_t at, uint8_t *to,
              size_t size)
{
    static const Gate gates[] = {[BITFIELD_AND] = GATE_AND,
                                 [BITFIELD_OR] = GATE_OR,
                                 [BITFIELD_XOR] = GATE_XOR,
                                 [BITFIELD_DIFF] = GATE_WITHOUT};
    SketchBytes first = piece_of(strings[0], at, size);
    uint8_t second[BLOCK_BYTES]; /* bits that any of the others has, or that two or more of all */

    if (to != first.data) {
        memcpy(to, first.data, first.size);
        memset(to + first.size, 0, size - first.size);
    }
    switch (op) {
    case BITFIELD_NOT:
        invert(to, size);
        return;
    case BITFIELD_DIFF1:
    case BITFIELD_ANDOR:
        memset(second, 0, size);
        for (unsigned i = 1; i < count; i++)
            fold_piece(GATE_OR, second, piece_of(strings[i], at, size), size);
        if (op == BITFIELD_DIFF1)
            invert(to, size);
        fold(GATE_AND, to, second, size);
        return;
    case BITFIELD_ONE:
        memset(second, 0, size);
        for (unsigned i = 1; i < count; i++)
            join(to, second, piece_of(strings[i], at, size));
        fold(GATE_WITHOUT, to, second, size);
        return;
    default:
        for (unsigned i = 1; i < count; i++)
            fold_piece(gates[op], to, piece_of(strings[i], at, size), size);
        return;
    }
}

void
bitfield_combine(BitfieldOp op, const SketchBytes *strings, unsigned count, SketchBytes result,
                 const SketchMemory *memory)
{
    size_t steps = 0;

    for (size_t at = 0; at < result.size; at += BLOCK_BYTES) {
        size_t left = result.size - at;

        combine_block(op, strings, count, at, (uint8_t *)result.data + at,
                      left < BLOCK_BYTES ? left : BLOCK_BYTES);
        sketch_poll(memory, &steps, (size_t)count * BLOCK_BYTES / STEP_BYTES);
    }
}
