/*
 * bitfield.c - the type bitfield in SQL. What it is: core/bitfield/bitfield.c.
 *
 * SQL objects served; what combines values is in combine.c:
 *   bitfield_empty                                  no bits
 *   bitfield_get_bit, set_bit                       bits
 *   bitfield_get, set, incrby, exec                 integers
 *   bitfield_count, position, info, describe        ranges of bits
 *
 * A value is a bytea by another name, so PostgreSQL's own functions read, print, send and compare
 * it. A function fetches only the bytes that it reads of a value out of line.
 *
 * set_bit, set, incrby and exec take a NULL bitfield for an empty one, and change nothing if
 * anything else is NULL; the others are STRICT.
 */
#include "bitfield.h"

#include "pg/shared/describe.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/common/polled.h"

/* The longest value has a text, with room for other columns in the row of a dump. */
StaticAssertDecl(2 * (BITFIELD_BITS_MAX / 8) + ((Size)64 << 20) < MaxAllocSize, "text of a bytea");

/* ---- arguments and results ---- */

BitfieldWord
bitfield_word_arg(FunctionCallInfo fcinfo, int n)
{
    text *word = PG_GETARG_TEXT_PP(n);

    return (BitfieldWord){VARDATA_ANY(word), VARSIZE_ANY_EXHDR(word)};
}

void
bitfield_refuse_word(BitfieldWord word, const char *what, const char *allowed)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s \"%.*s\"", what, (int)word.length, word.text),
                    errdetail("Must be %s.", allowed)));
}

void
bitfield_refuse_offset(int64 offset, BitfieldType type)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("bit offset %lld is out of range", (long long)offset),
                    errdetail("Must be between 0 and %lld for %u bit%s.",
                              (long long)BITFIELD_BITS_MAX - type.bits, type.bits,
                              type.bits == 1 ? "" : "s")));
}

/* The type in argument 1 and the offset in argument 2, a bigint or the text of one. */
static int64
place_args(FunctionCallInfo fcinfo, BitfieldType *type)
{
    int64 offset;

    if (!bitfield_read_type(bitfield_word_arg(fcinfo, 1), type))
        bitfield_refuse_word(bitfield_word_arg(fcinfo, 1), "unknown integer type",
                             "i1 to i64 or u1 to u63");
    if (sketch_declared_type(fcinfo, 2) == INT8OID)
        offset = PG_GETARG_INT64(2);
    else if (!bitfield_read_offset(bitfield_word_arg(fcinfo, 2), *type, &offset))
        bitfield_refuse_word(bitfield_word_arg(fcinfo, 2), "invalid bit offset",
                             "a number of bits, or # and a number of integers of the type");
    bitfield_check_offset(offset, *type);
    return offset;
}

static BitfieldOverflow
overflow_arg(FunctionCallInfo fcinfo, int n)
{
    BitfieldOverflow overflow;

    if (!bitfield_read_overflow(bitfield_word_arg(fcinfo, n), &overflow))
        bitfield_refuse_word(bitfield_word_arg(fcinfo, n), "unknown overflow", "wrap, sat or fail");
    return overflow;
}

/* Returns the length of argument 0. */
static int64
bytes_of_arg(FunctionCallInfo fcinfo)
{
    return PG_ARGISNULL(0) ? 0 : (int64)(toast_raw_datum_size(PG_GETARG_DATUM(0)) - VARHDRSZ);
}

/* Bytes offset .. offset + length - 1 of argument 0, fewer at its end and none behind it. */
static SketchBytes
fetch(FunctionCallInfo fcinfo, int64 offset, int64 length)
{
    SketchBytes all;
    Size left;

    /* At least one chunk of an out-of-line value is read. */
    if (!sketch_plain_at_hand(fcinfo, 0, (Size)Max(length, TOAST_MAX_CHUNK_SIZE), &all))
        return sketch_slice(PG_GETARG_DATUM(0), (Size)offset, (Size)length);
    if ((Size)offset >= all.size)
        return (SketchBytes){all.data, 0};
    left = all.size - (Size)offset;
    return (SketchBytes){all.data + offset, Min((Size)length, left)};
}

/* A copy of argument 0 of at least this many bytes; the new ones are 0. */
static SketchState
copy_arg(FunctionCallInfo fcinfo, Size bytes)
{
    SketchBytes old = {NULL, 0};
    SketchState copy;

    if (!PG_ARGISNULL(0))
        old = sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
    copy.size = Max(bytes, old.size);
    copy.data = sketch_memory.value(copy.size, sketch_memory.context);
    if (old.size > 0)
        polled_copy(copy.data, old.data, old.size, &sketch_memory);
    polled_zero(copy.data + old.size, copy.size - old.size, &sketch_memory);
    return copy;
}

/* Argument 0 as it was. */
static Datum
unchanged(FunctionCallInfo fcinfo)
{
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    return PG_GETARG_DATUM(0);
}

SQL_FUNCTION(sketches_bitfield_empty, sketch_datum(sketch_memory.value(0, sketch_memory.context)));

/* ---- bits and integers ---- */

/* An integer of argument 0, of which no more is fetched; 0 if that is NULL. */
static int64
get_integer(FunctionCallInfo fcinfo, BitfieldType type, int64 offset)
{
    return PG_ARGISNULL(0) ? 0 : bitfield_get(fetch(fcinfo, offset / 8, 9), type, offset % 8);
}

PG_FUNCTION_INFO_V1(sketches_bitfield_get_bit);
Datum
sketches_bitfield_get_bit(PG_FUNCTION_ARGS)
{
    int64 offset = PG_GETARG_INT64(1);

    bitfield_check_offset(offset, bitfield_one_bit);
    PG_RETURN_BOOL(get_integer(fcinfo, bitfield_one_bit, offset) != 0);
}

PG_FUNCTION_INFO_V1(sketches_bitfield_set_bit);
Datum
sketches_bitfield_set_bit(PG_FUNCTION_ARGS)
{
    int64 offset;
    SketchState copy;

    if (sketch_is_given_null(fcinfo))
        return unchanged(fcinfo);
    offset = PG_GETARG_INT64(1);
    bitfield_check_offset(offset, bitfield_one_bit);
    copy = copy_arg(fcinfo, bitfield_bytes(offset, 1));
    bitfield_put(copy.data, bitfield_one_bit, offset, PG_GETARG_BOOL(2));
    return sketch_datum(copy.data);
}

PG_FUNCTION_INFO_V1(sketches_bitfield_get);
Datum
sketches_bitfield_get(PG_FUNCTION_ARGS)
{
    BitfieldType type;
    int64 offset = place_args(fcinfo, &type);

    PG_RETURN_INT64(get_integer(fcinfo, type, offset));
}

/* (bitfield, type, at, number, overflow): sets an integer to the number, or increments it by it. */
static Datum
change(FunctionCallInfo fcinfo, bool increment)
{
    BitfieldOverflow overflow;
    BitfieldType type;
    int64 offset, number, stored;
    SketchState copy;

    if (sketch_is_given_null(fcinfo))
        return unchanged(fcinfo);
    offset = place_args(fcinfo, &type);
    number = PG_GETARG_INT64(3);
    overflow = overflow_arg(fcinfo, 4);
    if (increment ? !bitfield_add_value(type, get_integer(fcinfo, type, offset), number, overflow,
                                        &stored)
                  : !bitfield_set_value(type, number, overflow, &stored))
        return unchanged(fcinfo);
    copy = copy_arg(fcinfo, bitfield_bytes(offset, type.bits));
    bitfield_put(copy.data, type, offset, stored);
    return sketch_datum(copy.data);
}

SQL_FUNCTION(sketches_bitfield_set, change(fcinfo, false));
SQL_FUNCTION(sketches_bitfield_incrby, change(fcinfo, true));

/* ---- BITFIELD ---- */

/* Calls `each` for all commands; raises for the first that is not understood. */
typedef void (*CommandAction)(const BitfieldCommand *command, void *context);

static void
for_each_command(BitfieldWord words, CommandAction each, void *context)
{
    BitfieldCommands commands = bitfield_commands(words.text, words.length);
    BitfieldCommand command;

    while (bitfield_next_command(&commands, &command)) {
        CHECK_FOR_INTERRUPTS();
        each(&command, context);
    }
    if (commands.reason == NULL)
        return;
    ereport(ERROR,
            (errcode(ERRCODE_SYNTAX_ERROR),
             commands.wrong.length > 0 ? errmsg("bitfield commands: unexpected \"%.*s\"",
                                                (int)commands.wrong.length, commands.wrong.text)
                                       : errmsg("bitfield commands: unexpected end"),
             errdetail("%s.", commands.reason)));
}

/* Space for commands: in the string (none if they only read) and for results. */
typedef struct Needs {
    Size bytes;
    int commands;
} Needs;

static void
add_needs(const BitfieldCommand *command, void *context)
{
    Needs *needs = context;

    needs->commands++;
    if (command->verb != BITFIELD_GET)
        needs->bytes = Max(needs->bytes, bitfield_bytes(command->offset, command->type.bits));
}

typedef struct Execution {
    FunctionCallInfo fcinfo;
    SketchState state; /* a copy with room for everything, or none if nothing changes it */
    Size used;         /* of it; the rest is 0 */
    Datum *results;
    bool *nulls;
    int count;
} Execution;

static void
execute(const BitfieldCommand *command, void *context)
{
    Execution *execution = context;
    SketchState *state = &execution->state;
    int64 old = state->data ? bitfield_get(sketch_bytes(*state), command->type, command->offset)
                            : get_integer(execution->fcinfo, command->type, command->offset);
    int64 stored = old;
    bool done = true;

    if (command->verb == BITFIELD_SET)
        done = bitfield_set_value(command->type, command->value, command->overflow, &stored);
    else if (command->verb == BITFIELD_INCRBY)
        done = bitfield_add_value(command->type, old, command->value, command->overflow, &stored);
    if (done && command->verb != BITFIELD_GET) {
        bitfield_put(state->data, command->type, command->offset, stored);
        execution->used = Max(execution->used, bitfield_bytes(command->offset, command->type.bits));
    }
    execution->nulls[execution->count] = !done;
    execution->results[execution->count++] =
        Int64GetDatum(command->verb == BITFIELD_SET ? old : stored);
}

PG_FUNCTION_INFO_V1(sketches_bitfield_exec);
Datum
sketches_bitfield_exec(PG_FUNCTION_ARGS)
{
    Needs needs = {0, 0};
    Execution execution = {.fcinfo = fcinfo, .used = (Size)bytes_of_arg(fcinfo)};
    Datum values[2] = {PG_GETARG_DATUM(0)};
    bool nulls[2] = {PG_ARGISNULL(0), PG_ARGISNULL(1)};
    BitfieldWord words;
    int lower = 1;

    if (nulls[1])
        return sketch_row(fcinfo, values, nulls);
    words = bitfield_word_arg(fcinfo, 1);
    for_each_command(words, add_needs, &needs);
    if (needs.bytes > 0)
        execution.state = copy_arg(fcinfo, needs.bytes);
    execution.results = palloc(Max(needs.commands, 1) * sizeof(Datum));
    execution.nulls = palloc(Max(needs.commands, 1) * sizeof(bool));
    for_each_command(words, execute, &execution);
    if (needs.bytes > 0) {
        values[0] = sketch_datum(execution.state.data);
        nulls[0] = false;
        SET_VARSIZE(DatumGetPointer(values[0]), execution.used + VARHDRSZ);
    }
    values[1] =
        PointerGetDatum(sketch_array_of(execution.results, execution.nulls, execution.count > 0,
                                        &execution.count, &lower, INT8OID));
    return sketch_row(fcinfo, values, nulls);
}

/* ---- ranges ---- */

/* The optional arguments start, end and unit from argument n on, as bits first .. last. */
static bool
range_args(FunctionCallInfo fcinfo, int n, bool counting, int64 *first, int64 *last)
{
    int64 start = PG_NARGS() > n ? PG_GETARG_INT64(n) : 0;
    int64 end = PG_NARGS() > n + 1 ? PG_GETARG_INT64(n + 1) : -1;
    bool of_bits = false;

    if (PG_NARGS() > n + 2) {
        BitfieldWord unit = bitfield_word_arg(fcinfo, n + 2);

        of_bits = bitfield_word_is(unit, "bit");
        if (!of_bits && !bitfield_word_is(unit, "byte"))
            bitfield_refuse_word(unit, "unknown unit", "byte or bit");
    }
    return (counting ? bitfield_count_range : bitfield_range)((Size)bytes_of_arg(fcinfo), start,
                                                              end, of_bits, first, last);
}

PG_FUNCTION_INFO_V1(sketches_bitfield_count);
Datum
sketches_bitfield_count(PG_FUNCTION_ARGS)
{
    int64 first, last, byte;
    SketchBytes bytes;

    if (!range_args(fcinfo, 1, true, &first, &last))
        PG_RETURN_INT64(0);
    byte = first / 8;
    bytes = fetch(fcinfo, byte, last / 8 - byte + 1);
    PG_RETURN_INT64(bitfield_count(bytes.data, first - byte * 8, last - byte * 8, &sketch_memory));
}

#define SEARCH_BYTES 8192
#define SEARCH_BYTES_MAX (16 * 1024 * 1024) /* take milliseconds; in between it can be cancelled */

/*
 * As bitfield_find, of a string that is fetched in pieces, each up to twice as long as the last
 * one.
 */
static int64
search(FunctionCallInfo fcinfo, int64 first, int64 last, bool bit)
{
    for (int64 bytes = SEARCH_BYTES; first <= last; bytes = Min(bytes * 2, SEARCH_BYTES_MAX)) {
        int64 byte = first / 8, upto = Min(last, (byte + bytes) * 8 - 1), found;
        SketchBytes piece = fetch(fcinfo, byte, upto / 8 - byte + 1);

        CHECK_FOR_INTERRUPTS();
        found = bitfield_find(piece.data, first - byte * 8, upto - byte * 8, bit);
        if (found >= 0)
            return byte * 8 + found;
        first = upto + 1;
    }
    return -1;
}

/*
 * As BITPOS: without an end, the first 0 may be the one behind the last byte; an empty string is
 * all zeros. Where BITPOS says -1, NULL.
 */
PG_FUNCTION_INFO_V1(sketches_bitfield_position);
Datum
sketches_bitfield_position(PG_FUNCTION_ARGS)
{
    bool bit = PG_GETARG_BOOL(1);
    int64 length = bytes_of_arg(fcinfo);
    int64 first, last, found;

    if (range_args(fcinfo, 2, false, &first, &last)) {
        found = search(fcinfo, first, last, bit);
        if (found < 0 && !bit && PG_NARGS() < 4)
            found = length * 8;
    } else
        found = length == 0 && !bit ? 0 : -1;
    if (found < 0)
        PG_RETURN_NULL();
    PG_RETURN_INT64(found);
}

static int64
ones_of(SketchBytes string)
{
    int64 last = (int64)string.size * 8 - 1;

    return last < 0 ? 0 : bitfield_count(string.data, 0, last, &sketch_memory);
}

PG_FUNCTION_INFO_V1(sketches_bitfield_info);
Datum
sketches_bitfield_info(PG_FUNCTION_ARGS)
{
    SketchBytes string = fetch(fcinfo, 0, bytes_of_arg(fcinfo));
    Datum values[3];

    values[0] = Int64GetDatum((int64)string.size * 8);
    values[1] = Int64GetDatum(ones_of(string));
    values[2] = Int32GetDatum((int32)string.size);
    return sketch_row(fcinfo, values, NULL);
}

/* bitfield: 26 of 48 bits set, 6 bytes */
PG_FUNCTION_INFO_V1(sketches_bitfield_describe);
Datum
sketches_bitfield_describe(PG_FUNCTION_ARGS)
{
    SketchBytes string = fetch(fcinfo, 0, bytes_of_arg(fcinfo));

    return sketch_line(string.size, "bitfield: %s of %s set",
                       sketch_number((uint64)ones_of(string)),
                       sketch_count(string.size * 8, "bit"));
}
