-- bitfield: integers of any width, packed into a string of bits as Redis has them.

CREATE TYPE bitfield;

function _bitfield_in(cstring) -> bitfield  as internal byteain
    I/O: as bytea; errors: 22P02
function _bitfield_out(bitfield) -> cstring  as internal byteaout stable
    I/O: as bytea
function _bitfield_recv(internal) -> bitfield  as internal bytearecv
    I/O: the bytes
function _bitfield_send(bitfield) -> bytea  as internal byteasend
    I/O: the bytes
function _bitfield_typanalyze(internal) -> boolean  as sketches_typanalyze cost 1
    ANALYZE: NULLs, width and distinct values

CREATE TYPE bitfield (
    INPUT = _bitfield_in,
    OUTPUT = _bitfield_out,
    RECEIVE = _bitfield_recv,
    SEND = _bitfield_send,
    ANALYZE = _bitfield_typanalyze,
    STORAGE = external
);
COMMENT ON TYPE bitfield IS
    'string of bits: integers of any width at any place, bit 0 the highest of byte 0';

cast bytea -> bitfield  without function assignment
    the bytes; all are valid
cast bitfield -> bytea  without function
    the bytes

-- Bits and integers

function bitfield_get_bit(sketch bitfield, at bigint) -> boolean
        as sketches_bitfield_get_bit cost 10
    the bit at an offset; false past the end; errors: 22023
function bitfield_set_bit(sketch bitfield, at bigint, value boolean) -> bitfield
        as sketches_bitfield_set_bit not strict
    the bitfield with the bit at an offset set to the value; grows as needed; errors: 22023
function bitfield_get(sketch bitfield, type text, at bigint) -> bigint
        as sketches_bitfield_get cost 10
    integer of a type (i1 to i64, u1 to u63) at a bit offset; errors: 22023
function bitfield_set(sketch bitfield, type text, at bigint, value bigint, overflow text = 'wrap')
        -> bitfield  as sketches_bitfield_set not strict
    the bitfield with the integer set; on overflow the value wraps (wrap), saturates (sat) or is not
    set (fail); errors: 22023
function bitfield_incrby(sketch bitfield, type text, at bigint, increment bigint,
        overflow text = 'wrap') -> bitfield  as sketches_bitfield_incrby not strict
    the bitfield with the integer incremented; on overflow the result wraps (wrap), saturates (sat)
    or is not set (fail); errors: 22023
function bitfield_get(sketch bitfield, type text, at text) -> bigint
        as sketches_bitfield_get cost 10
    integer of a type (i1 to i64, u1 to u63) at a bit offset, or at '#n', the n-th integer of that
    type; errors: 22023
function bitfield_set(sketch bitfield, type text, at text, value bigint, overflow text = 'wrap')
        -> bitfield  as sketches_bitfield_set not strict
    the bitfield with the integer set; on overflow the value wraps (wrap), saturates (sat) or is not
    set (fail); errors: 22023
function bitfield_incrby(sketch bitfield, type text, at text, increment bigint,
        overflow text = 'wrap') -> bitfield  as sketches_bitfield_incrby not strict
    the bitfield with the integer incremented; on overflow the result wraps (wrap), saturates (sat)
    or is not set (fail); errors: 22023
function bitfield_exec(INOUT sketch bitfield, commands text, OUT results bigint[])
        as sketches_bitfield_exec not strict
    executes the arguments of BITFIELD of Redis: GET, SET, INCRBY, OVERFLOW; one result for each,
    NULL where overflow failed; errors: 42601

-- Ranges: both ends count, negative indexes are from the end, units are byte and bit.

function bitfield_count(sketch bitfield) -> bigint  as sketches_bitfield_count
    number of bits that are 1
function bitfield_count(sketch bitfield, start bigint, stop bigint) -> bigint
        as sketches_bitfield_count
    number of bits that are 1 in a range of bytes
function bitfield_count(sketch bitfield, start bigint, stop bigint, unit text) -> bigint
        as sketches_bitfield_count
    number of bits that are 1 in a range of bytes or bits; errors: 22023
function bitfield_position(sketch bitfield, value boolean) -> bigint  as sketches_bitfield_position
    offset of the first bit with the value; NULL if there is none
function bitfield_position(sketch bitfield, value boolean, start bigint) -> bigint
        as sketches_bitfield_position
    offset of the first bit with the value, starting at a byte; NULL if there is none
function bitfield_position(sketch bitfield, value boolean, start bigint, stop bigint) -> bigint
        as sketches_bitfield_position
    offset of the first bit with the value in a range of bytes; NULL if there is none
function bitfield_position(sketch bitfield, value boolean, start bigint, stop bigint, unit text)
        -> bigint  as sketches_bitfield_position
    offset of the first bit with the value in a range of bytes or bits; NULL if there is none;
    errors: 22023
function bitfield_info(sketch bitfield, OUT bits bigint, OUT ones bigint, OUT bytes int)
        as sketches_bitfield_info
    length in bits, number of bits that are 1, length in bytes
function bitfield_describe(sketch bitfield) -> text  as sketches_bitfield_describe
    human-readable summary: ones, bits and bytes


function bitfield_empty() -> bitfield  as sketches_bitfield_empty cost 10
    empty bitfield, in which every bit is 0

-- Bit by bit; the shorter one is filled up with zeros.

function bitfield_and(a bitfield, b bitfield) -> bitfield  as sketches_bitfield_and
    bits that are 1 in both
operator bitfield & bitfield  by bitfield_and commutator &
    bits that are 1 in both
function bitfield_or(a bitfield, b bitfield) -> bitfield  as sketches_bitfield_or not strict
    bits that are 1 in either or both
operator bitfield | bitfield  by bitfield_or commutator |
    bits that are 1 in either or both
function bitfield_xor(a bitfield, b bitfield) -> bitfield  as sketches_bitfield_xor
    bits that are 1 in exactly one
operator bitfield # bitfield  by bitfield_xor commutator #
    bits that are 1 in exactly one
function bitfield_not(sketch bitfield) -> bitfield  as sketches_bitfield_not
    every bit flipped
operator ~ bitfield  by bitfield_not
    every bit flipped
function bitfield_bitop(op text, VARIADIC sketches bitfield[]) -> bitfield
        as sketches_bitfield_bitop
    BITOP of Redis over several bitfields: and, or, xor, not, diff, diff1, andor, one; a
    NULL is empty, and the result NULL if all are; errors: 22023

-- Aggregates: a state is a bitfield like any other.

transition _bitfield_and_state(bitfield, bitfield)  as sketches_bitfield_and_state cost 100 strict
    state of bitfield_and_agg, which it may change
transition _bitfield_agg_state(bitfield, bigint)  as sketches_bitfield_agg_state
    transition function
aggregate bitfield_and_agg(sketch bitfield)
        state bitfield space 1024 by _bitfield_and_state combine _bitfield_and_state
    bits that are 1 in all bitfields; NULL over no rows
transition _bitfield_or_state(bitfield, bitfield)  as sketches_bitfield_or_state cost 100 strict
    state of bitfield_or_agg, which it may change
aggregate bitfield_or_agg(sketch bitfield)
        state bitfield space 1024 by _bitfield_or_state combine _bitfield_or_state
    bits that are 1 in at least one bitfield; NULL over no rows
transition _bitfield_xor_state(bitfield, bitfield)  as sketches_bitfield_xor_state cost 100 strict
    state of bitfield_xor_agg, which it may change
aggregate bitfield_xor_agg(sketch bitfield)
        state bitfield space 1024 by _bitfield_xor_state combine _bitfield_xor_state
    bits that are 1 in an odd number of bitfields; NULL over no rows
function _bitfield_agg_final(bitfield) -> bitfield  as sketches_bitfield_agg_final
    final function: without zeros behind the last 1
aggregate bitfield_agg(value bigint)
        state bitfield space 1024 by _bitfield_agg_state combine _bitfield_or_state
        final _bitfield_agg_final
    bitfield with the bits at these offsets set; NULL over no rows; errors: 22023

-- Equality is that of the bytes.

function _bitfield_eq(bitfield, bitfield) -> boolean  as internal byteaeq
    implementation of the = operator
function _bitfield_ne(bitfield, bitfield) -> boolean  as internal byteane
    implementation of the <> operator
function _bitfield_hash(bitfield) -> int  as internal hashvarlena
    hash for hash joins and hash indexes
function _bitfield_hash_extended(bitfield, bigint) -> bigint  as internal hashvarlenaextended
    64-bit hash with a seed

include shared/equality.sql.in: TYPE=bitfield
