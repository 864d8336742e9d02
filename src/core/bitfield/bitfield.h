/*
 * bitfield.h - integers of any width packed into a string of bits. The essay is in bitfield.c.
 *
 *   bitfield.c  bits, integers and their overflow; type names
 *   range.c     how many bits are 1 in a range, and where the first is
 *   command.c   the words of Redis's BITFIELD
 *   op.c        and, or, xor and the others, of many strings
 */
#ifndef BITFIELD_H
#define BITFIELD_H

#include "core/sketch.h"

/* 500 MB: as text, a bytea takes two digits per byte, and a dump has rows of less than 1 GB. */
#define BITFIELD_BITS_MAX INT64_C(4000000000)

/* An integer type: signed ones have 1 to 64 bits, unsigned 1 to 63. */
typedef struct BitfieldType {
    bool is_signed;
    unsigned bits;
} BitfieldType;

typedef enum BitfieldOverflow { BITFIELD_WRAP, BITFIELD_SATURATE, BITFIELD_FAIL } BitfieldOverflow;

/* A word in a text, without a NUL. */
typedef struct BitfieldWord {
    const char *text;
    size_t length;
} BitfieldWord;

/* ---- bitfield.c ---- */

/* Compares a word, in either case, with a name in lower case. */
extern bool bitfield_word_is(BitfieldWord word, const char *name);

/* Read "i16" or "u4", in lower case; "wrap", "sat" or "fail", in either case. Fail for others. */
extern bool bitfield_read_type(BitfieldWord word, BitfieldType *type);
extern bool bitfield_read_overflow(BitfieldWord word, BitfieldOverflow *overflow);

/*
 * Reads an offset: "12", or "#3" for three times the width of the type; fails for any other text.
 * The offset may be negative or too large for the type: bitfield_fits checks that.
 */
extern bool bitfield_read_offset(BitfieldWord word, BitfieldType type, int64_t *offset);
extern bool bitfield_read_integer(BitfieldWord word, int64_t *value);

/* Returns true if an integer of the type at this offset ends within BITFIELD_BITS_MAX. */
extern bool bitfield_fits(BitfieldType type, int64_t offset);

/* Returns how many bytes a string needs for `bits` bits at `offset`. */
static inline size_t
bitfield_bytes(int64_t offset, unsigned bits)
{
    return (size_t)((offset + bits + 7) / 8);
}

/* Reads an integer; bits beyond the end of the string are 0. */
extern int64_t bitfield_get(SketchBytes string, BitfieldType type, int64_t offset);

/* Writes an integer, for which the string must be long enough. */
extern void bitfield_put(uint8_t *string, BitfieldType type, int64_t offset, int64_t value);

/*
 * Compute the number that SET or INCRBY stores: `value`, or `value` + `increment`, brought into the
 * range of the type. Fail if it is out of range and overflow is BITFIELD_FAIL.
 */
extern bool bitfield_set_value(BitfieldType type, int64_t value, BitfieldOverflow overflow,
                               int64_t *result);
extern bool bitfield_add_value(BitfieldType type, int64_t value, int64_t increment,
                               BitfieldOverflow overflow, int64_t *result);

/* ---- range.c ---- */

/*
 * Sets a range of bits, first .. last, from Redis's indexes of bytes or bits: both ends are
 * included, and negative indexes count from the end. Returns false for an empty range.
 */
extern bool bitfield_range(size_t bytes, int64_t start, int64_t end, bool of_bits, int64_t *first,
                           int64_t *last);

/*
 * Sets the range of Redis's BITCOUNT. Unlike in BITPOS, two negative indexes in the wrong order are
 * an empty range even if both are before the start of the string, where they would mean bit 0.
 */
extern bool bitfield_count_range(size_t bytes, int64_t start, int64_t end, bool of_bits,
                                 int64_t *first, int64_t *last);

/* Counts the bits set in first .. last, both within the string. */
extern int64_t bitfield_count(const uint8_t *string, int64_t first, int64_t last,
                              const SketchMemory *memory);

/* Returns the first bit with the value `bit` in first .. last, or -1. */
extern int64_t bitfield_find(const uint8_t *string, int64_t first, int64_t last, bool bit);

/* ---- op.c ---- */

typedef enum BitfieldOp {
    BITFIELD_AND,
    BITFIELD_OR,
    BITFIELD_XOR,
    BITFIELD_NOT,
    BITFIELD_DIFF,  /* bits of the first that none of the others has */
    BITFIELD_DIFF1, /* bits of the others that the first does not have */
    BITFIELD_ANDOR, /* bits of the first that any of the others has */
    BITFIELD_ONE    /* bits that exactly one has */
} BitfieldOp;

extern bool bitfield_read_op(BitfieldWord word, BitfieldOp *op);

/* Returns true if an operation takes this number of strings. */
extern bool bitfield_op_takes(BitfieldOp op, unsigned count);

/*
 * Combines strings into `result`, which has the length of the longest one. Shorter strings are
 * padded with zeros. `result` may be the first string if that is the longest.
 */
extern void bitfield_combine(BitfieldOp op, const SketchBytes *strings, unsigned count,
                             SketchBytes result, const SketchMemory *memory);

/* ---- command.c ---- */

typedef enum BitfieldVerb { BITFIELD_GET, BITFIELD_SET, BITFIELD_INCRBY } BitfieldVerb;

typedef struct BitfieldCommand {
    BitfieldVerb verb;
    BitfieldType type;
    int64_t offset;
    int64_t value; /* to set, or the increment */
    BitfieldOverflow overflow;
} BitfieldCommand;

typedef struct BitfieldCommands {
    BitfieldWord rest;
    BitfieldOverflow overflow;
    const char *reason; /* why the reader stopped before the end, or NULL */
    BitfieldWord wrong; /* the word it stopped at; length 0 if a word is missing */
} BitfieldCommands;

/* Read the words of BITFIELD after its key; return false at the end, or with a reason. */
extern BitfieldCommands bitfield_commands(const char *text, size_t length);
extern bool bitfield_next_command(BitfieldCommands *commands, BitfieldCommand *command);

#endif
