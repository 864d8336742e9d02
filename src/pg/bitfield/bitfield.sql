-- bitfield: integers of any width, packed into a string of bits as Redis has them.

CREATE TYPE bitfield;

CREATE FUNCTION _bitfield_in(cstring) RETURNS bitfield
    AS 'byteain' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_in(cstring) IS 'I/O: as bytea; errors: 22P02';

CREATE FUNCTION _bitfield_out(bitfield) RETURNS cstring
    AS 'byteaout' LANGUAGE internal STABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_out(bitfield) IS 'I/O: as bytea';

CREATE FUNCTION _bitfield_recv(internal) RETURNS bitfield
    AS 'bytearecv' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_recv(internal) IS 'I/O: the bytes';

CREATE FUNCTION _bitfield_send(bitfield) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_send(bitfield) IS 'I/O: the bytes';

CREATE FUNCTION _bitfield_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _bitfield_typanalyze(internal) IS
    'ANALYZE: NULLs, width and distinct values, and no histogram of an order that means nothing';

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

CREATE CAST (bytea AS bitfield) WITHOUT FUNCTION;
COMMENT ON CAST (bytea AS bitfield) IS 'the bytes; all are valid';
CREATE CAST (bitfield AS bytea) WITHOUT FUNCTION;
COMMENT ON CAST (bitfield AS bytea) IS 'the bytes';

-- Bits and integers

CREATE FUNCTION bitfield_get_bit(sketch bitfield, at bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bitfield_get_bit'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bitfield_get_bit(bitfield, bigint) IS
    'the bit at an offset, false beyond the end; errors: 22023';

CREATE FUNCTION bitfield_set_bit(sketch bitfield, at bigint, value boolean)
    RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_set_bit'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_set_bit(bitfield, bigint, boolean) IS
    'the bitfield with this bit set to the value; it grows where needed; errors: 22023';

CREATE FUNCTION bitfield_get(sketch bitfield, type text, at bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_get'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bitfield_get(bitfield, text, bigint) IS
    'the integer of a type (i1 to i64, u1 to u63) at a bit offset; errors: 22023';

CREATE FUNCTION bitfield_set(sketch bitfield, type text, at bigint, value bigint,
                             overflow text DEFAULT 'wrap')
    RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_set'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_set(bitfield, text, bigint, bigint, text) IS
    'the bitfield with the integer set. Out of its range, the value wraps (wrap), saturates (sat) '
    'or is not set (fail); errors: 22023';

CREATE FUNCTION bitfield_incrby(sketch bitfield, type text, at bigint, increment bigint,
                                overflow text DEFAULT 'wrap')
    RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_incrby'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_incrby(bitfield, text, bigint, bigint, text) IS
    'the bitfield with the integer increased. Out of its range, the result wraps (wrap), '
    'saturates (sat) or is not set (fail); errors: 22023';

CREATE FUNCTION bitfield_get(sketch bitfield, type text, at text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_get_at_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bitfield_get(bitfield, text, text) IS
    'the integer of a type (i1 to i64, u1 to u63) at a bit offset; ''#n'' is the place of integer '
    'n of that type; errors: 22023';

CREATE FUNCTION bitfield_set(sketch bitfield, type text, at text, value bigint,
                             overflow text DEFAULT 'wrap')
    RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_set_at_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_set(bitfield, text, text, bigint, text) IS
    'the bitfield with the integer set. Out of its range, the value wraps (wrap), saturates (sat) '
    'or is not set (fail); errors: 22023';

CREATE FUNCTION bitfield_incrby(sketch bitfield, type text, at text, increment bigint,
                                overflow text DEFAULT 'wrap')
    RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_incrby_at_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_incrby(bitfield, text, text, bigint, text) IS
    'the bitfield with the integer increased. Out of its range, the result wraps (wrap), '
    'saturates (sat) or is not set (fail); errors: 22023';

CREATE FUNCTION bitfield_exec(sketch bitfield, commands text,
                              OUT state bitfield, OUT results bigint[])
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bitfield_exec'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_exec(bitfield, text) IS
    'runs the arguments of Redis BITFIELD: GET, SET, INCRBY, OVERFLOW; one result for each '
    'command, NULL where it failed by overflow; errors: 42601';

-- Ranges: both ends count, negative indexes are from the end, units are byte and bit.

CREATE FUNCTION bitfield_count(sketch bitfield) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_count'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_count(bitfield) IS 'the number of bits that are 1';

CREATE OPERATOR # (
    RIGHTARG = bitfield, FUNCTION = bitfield_count
);
COMMENT ON OPERATOR #(NONE, bitfield) IS 'the number of bits that are 1';

CREATE FUNCTION bitfield_count(sketch bitfield, start bigint, stop bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_count'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_count(bitfield, bigint, bigint) IS
    'the number of bits that are 1 in a range of bytes';

CREATE FUNCTION bitfield_count(sketch bitfield, start bigint, stop bigint, unit text)
    RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_count'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_count(bitfield, bigint, bigint, text) IS
    'the number of bits that are 1 in a range of bytes or bits; errors: 22023';

CREATE FUNCTION bitfield_position(sketch bitfield, value boolean) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_position'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_position(bitfield, boolean) IS
    'the offset of the first bit that has the value; -1 if there is none';

CREATE FUNCTION bitfield_position(sketch bitfield, value boolean, start bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_position'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_position(bitfield, boolean, bigint) IS
    'the offset of the first bit that has the value, from a byte on; -1 if there is none';

CREATE FUNCTION bitfield_position(sketch bitfield, value boolean, start bigint, stop bigint)
    RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_position'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_position(bitfield, boolean, bigint, bigint) IS
    'the offset of the first bit that has the value, in a range of bytes; -1 if there is none';

CREATE FUNCTION bitfield_position(sketch bitfield, value boolean, start bigint, stop bigint,
                                  unit text)
    RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_position'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_position(bitfield, boolean, bigint, bigint, text) IS
    'the offset of the first bit that has the value, in a range of bytes or bits; -1 if there is '
    'none; errors: 22023';

CREATE FUNCTION bitfield_info(sketch bitfield, OUT bytes int, OUT bits bigint, OUT ones bigint)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bitfield_info'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_info(bitfield) IS
    'length in bytes and in bits, and the number of bits that are 1';

CREATE FUNCTION bitfield_describe(sketch bitfield) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_bitfield_describe'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_describe(bitfield) IS 'one line for people: ones, bits and bytes';

-- include shared/json.sql.in: TYPE=bitfield

CREATE FUNCTION bitfield_empty() RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bitfield_empty() IS 'an empty bitfield, in which every bit reads as 0';

-- Bit by bit; the shorter one is filled up with zeros.

CREATE FUNCTION bitfield_and(a bitfield, b bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_and'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_and(bitfield, bitfield) IS
    'bits that are 1 in both';

CREATE OPERATOR & (
    LEFTARG = bitfield, RIGHTARG = bitfield, FUNCTION = bitfield_and, COMMUTATOR = &
);
COMMENT ON OPERATOR &(bitfield, bitfield) IS 'bits that are 1 in both';

CREATE FUNCTION bitfield_or(a bitfield, b bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_or'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_or(bitfield, bitfield) IS 'bits that are 1 in either or both';

CREATE OPERATOR | (
    LEFTARG = bitfield, RIGHTARG = bitfield, FUNCTION = bitfield_or, COMMUTATOR = |
);
COMMENT ON OPERATOR |(bitfield, bitfield) IS 'bits that are 1 in either or both';

CREATE FUNCTION bitfield_xor(a bitfield, b bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_xor'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_xor(bitfield, bitfield) IS 'bits that are 1 in exactly one';

CREATE OPERATOR # (
    LEFTARG = bitfield, RIGHTARG = bitfield, FUNCTION = bitfield_xor, COMMUTATOR = #
);
COMMENT ON OPERATOR #(bitfield, bitfield) IS 'bits that are 1 in exactly one';

CREATE FUNCTION bitfield_not(sketch bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_not'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_not(bitfield) IS 'every bit flipped';

CREATE OPERATOR ~ (RIGHTARG = bitfield, FUNCTION = bitfield_not);
COMMENT ON OPERATOR ~(NONE, bitfield) IS 'every bit flipped';

CREATE FUNCTION bitfield_bitop(op text, VARIADIC sketches bitfield[]) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_bitop'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bitfield_bitop(text, bitfield[]) IS
    'BITOP of Redis over several bitfields: and, or, xor, not, diff, diff1, andor, one; NULLs are '
    'skipped; errors: 22023';

-- Aggregates: a state is a bitfield like any other.

CREATE FUNCTION _bitfield_and_state(bitfield, bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_and_state'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_and_state(bitfield, bitfield) IS
    'state of bitfield_and_agg, which it may change';

CREATE FUNCTION _bitfield_agg_final_moving(internal) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_agg_final_moving(internal) IS 'final function over moving frames';

CREATE FUNCTION _bitfield_final_moving(internal) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_final_moving(internal) IS 'final function over moving frames';

-- include shared/moving.sql.in: STATE=_bitfield_and_state; ARGUMENTS=bitfield
-- include shared/moving.sql.in: STATE=_bitfield_or_state; ARGUMENTS=bitfield
-- include shared/moving.sql.in: STATE=_bitfield_xor_state; ARGUMENTS=bitfield
-- include shared/state.sql.in: TYPE=bitfield; ARGUMENTS=bigint; SYMBOL=bitfield_agg_state

CREATE AGGREGATE bitfield_and_agg(sketch bitfield) (
    SFUNC = _bitfield_and_state,
    STYPE = bitfield,
    SSPACE = 1024,
    COMBINEFUNC = _bitfield_and_state,
    PARALLEL = SAFE,
    MSFUNC = _bitfield_and_state_moving, MINVFUNC = _bitfield_and_state_inverse, MSTYPE = internal,
    MSSPACE = 65536, MFINALFUNC = _bitfield_final_moving
);
COMMENT ON AGGREGATE bitfield_and_agg(bitfield) IS
    'bits that are 1 in all bitfields; NULL over no rows';

CREATE FUNCTION _bitfield_or_state(bitfield, bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_or_state'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_or_state(bitfield, bitfield) IS
    'state of bitfield_or_agg, which it may change';

CREATE AGGREGATE bitfield_or_agg(sketch bitfield) (
    SFUNC = _bitfield_or_state,
    STYPE = bitfield,
    SSPACE = 1024,
    COMBINEFUNC = _bitfield_or_state,
    PARALLEL = SAFE,
    MSFUNC = _bitfield_or_state_moving, MINVFUNC = _bitfield_or_state_inverse, MSTYPE = internal,
    MSSPACE = 65536, MFINALFUNC = _bitfield_final_moving
);
COMMENT ON AGGREGATE bitfield_or_agg(bitfield) IS
    'bits that are 1 in at least one bitfield; NULL over no rows';

CREATE FUNCTION _bitfield_xor_state(bitfield, bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_xor_state'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_xor_state(bitfield, bitfield) IS
    'state of bitfield_xor_agg, which it may change';

CREATE AGGREGATE bitfield_xor_agg(sketch bitfield) (
    SFUNC = _bitfield_xor_state,
    STYPE = bitfield,
    SSPACE = 1024,
    COMBINEFUNC = _bitfield_xor_state,
    PARALLEL = SAFE,
    MSFUNC = _bitfield_xor_state_moving, MINVFUNC = _bitfield_xor_state_inverse, MSTYPE = internal,
    MSSPACE = 65536, MFINALFUNC = _bitfield_final_moving
);
COMMENT ON AGGREGATE bitfield_xor_agg(bitfield) IS
    'bits that are 1 in an odd number of bitfields; NULL over no rows';

CREATE FUNCTION _bitfield_agg_final(bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_agg_final'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_agg_final(bitfield) IS
    'final function: without zeros behind the last 1';

-- include shared/aggregate.sql.in: NAME=bitfield_agg; ARGUMENTS=value bigint; TYPE=bitfield;
--     SPACE=1024; FINAL=_bitfield_agg_final; COMBINE=_bitfield_or_state
COMMENT ON AGGREGATE bitfield_agg(bigint) IS
    'the bitfield with the bits at these offsets set to 1; NULL over no rows; errors: 22023';

-- Order and equality are those of the bytes.

CREATE FUNCTION _bitfield_eq(bitfield, bitfield) RETURNS boolean
    AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_eq(bitfield, bitfield) IS 'implementation of the = operator';

CREATE FUNCTION _bitfield_ne(bitfield, bitfield) RETURNS boolean
    AS 'byteane' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_ne(bitfield, bitfield) IS 'implementation of the <> operator';

CREATE FUNCTION _bitfield_lt(bitfield, bitfield) RETURNS boolean
    AS 'bytealt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_lt(bitfield, bitfield) IS 'implementation of the < operator';

CREATE FUNCTION _bitfield_le(bitfield, bitfield) RETURNS boolean
    AS 'byteale' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_le(bitfield, bitfield) IS 'implementation of the <= operator';

CREATE FUNCTION _bitfield_gt(bitfield, bitfield) RETURNS boolean
    AS 'byteagt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_gt(bitfield, bitfield) IS 'implementation of the > operator';

CREATE FUNCTION _bitfield_ge(bitfield, bitfield) RETURNS boolean
    AS 'byteage' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_ge(bitfield, bitfield) IS 'implementation of the >= operator';

CREATE FUNCTION _bitfield_cmp(bitfield, bitfield) RETURNS int
    AS 'byteacmp' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_cmp(bitfield, bitfield) IS 'less, equal or greater, byte by byte';

CREATE FUNCTION _bitfield_hash(bitfield) RETURNS int
    AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_hash(bitfield) IS 'hash for hash joins and hash indexes';

CREATE FUNCTION _bitfield_hash_extended(bitfield, bigint) RETURNS bigint
    AS 'hashvarlenaextended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bitfield_hash_extended(bitfield, bigint) IS '64-bit hash with a seed';

-- include shared/operators.sql.in: TYPE=bitfield; ORDER=byte order

CREATE OPERATOR CLASS bitfield_ops DEFAULT FOR TYPE bitfield USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 _bitfield_cmp(bitfield, bitfield);
COMMENT ON OPERATOR CLASS bitfield_ops USING btree IS 'order of the bytes';
COMMENT ON OPERATOR FAMILY bitfield_ops USING btree IS 'order of the bytes';

CREATE OPERATOR CLASS bitfield_ops DEFAULT FOR TYPE bitfield USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _bitfield_hash(bitfield), FUNCTION 2 _bitfield_hash_extended(bitfield, bigint);
COMMENT ON OPERATOR CLASS bitfield_ops USING hash IS 'equality of the bytes';
COMMENT ON OPERATOR FAMILY bitfield_ops USING hash IS 'equality of the bytes';
