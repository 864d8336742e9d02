-- roaring64: an exact set of integers 0 .. 2^63-1. See roaring.c and ../core/roaring.c.

CREATE TYPE roaring64;

CREATE FUNCTION roaring64_in(cstring) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_in(cstring) IS 'I/O: base64 of the packed value, or {1,2,5}';

CREATE FUNCTION roaring64_out(roaring64) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_out(roaring64) IS 'I/O: base64 of the packed value';

CREATE FUNCTION roaring64_recv(internal) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION roaring64_send(roaring64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_send(roaring64) IS 'I/O: the packed value';

CREATE TYPE roaring64 (
    INPUT = roaring64_in,
    OUTPUT = roaring64_out,
    RECEIVE = roaring64_recv,
    SEND = roaring64_send,
    STORAGE = external
);

COMMENT ON TYPE roaring64 IS 'roaring bitmap: an exact set of integers 0 to 2^63-1';

CREATE FUNCTION roaring64(bytea) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_from_bytea'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64(bytea) IS 'the packed value in a bytea, validated; errors: 22P03';

CREATE FUNCTION bytea(roaring64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bytea(roaring64) IS 'the packed value';

CREATE CAST (bytea AS roaring64) WITH FUNCTION roaring64(bytea);
COMMENT ON CAST (bytea AS roaring64) IS 'the packed value, validated';
CREATE CAST (roaring64 AS bytea) WITH FUNCTION bytea(roaring64);
COMMENT ON CAST (roaring64 AS bytea) IS 'the packed value';

-- Making

CREATE FUNCTION roaring64_empty() RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_empty() IS 'the empty set';

CREATE FUNCTION roaring64(items bigint[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_from_array'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64(bigint[]) IS
    'the set of the elements; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring64(items int[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_from_array'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64(int[]) IS
    'the set of the elements; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring64_to_int_array(sketch roaring64) RETURNS int[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_int_array'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_to_int_array(roaring64) IS
    'the values as an array of int, ascending; errors: 22003, 54000';

CREATE FUNCTION roaring64_to_array(sketch roaring64) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_to_array(roaring64) IS
    'the values as an array, ascending; errors: 54000';

CREATE FUNCTION roaring64_to_array(sketch roaring64, "offset" bigint, "limit" bigint)
    RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_array_part'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_to_array(roaring64, bigint, bigint) IS
    'so many values from a rank on, counted from 0; errors: 22023, 54000';

CREATE CAST (int[] AS roaring64) WITH FUNCTION roaring64(int[]);
COMMENT ON CAST (int[] AS roaring64) IS 'the set of the elements';
CREATE CAST (roaring64 AS int[]) WITH FUNCTION roaring64_to_int_array(roaring64);
COMMENT ON CAST (roaring64 AS int[]) IS 'the values, ascending';
CREATE CAST (bigint[] AS roaring64) WITH FUNCTION roaring64(bigint[]);
COMMENT ON CAST (bigint[] AS roaring64) IS 'the set of the elements';
CREATE CAST (roaring64 AS bigint[]) WITH FUNCTION roaring64_to_array(roaring64);
COMMENT ON CAST (roaring64 AS bigint[]) IS 'the values, ascending';

CREATE FUNCTION roaring64_range(lo bigint, hi bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_range(bigint, bigint) IS
    'the set of lo .. hi - 1; empty where hi is not above lo; errors: 22003, 54000 past 2^40 '
    'values';

CREATE FUNCTION roaring64_from_bits(bits text) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_from_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_from_bits(text) IS
    'the set of the positions of 1 in a text of 0 and 1; errors: 22P02';

CREATE FUNCTION roaring64_from_portable(payload bytea) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_from_portable'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_from_portable(bytea) IS
    'a bitmap in the portable format of Roaring libraries, validated; errors: 22P03';

-- Changing

CREATE FUNCTION roaring64_add(sketch roaring64, value bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_add(roaring64, bigint) IS 'the set with the value; errors: 22003';

CREATE FUNCTION roaring64_remove(sketch roaring64, value bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_remove(roaring64, bigint) IS
    'the set without the value; errors: 22003';

CREATE FUNCTION roaring64_add_all(sketch roaring64, items bigint[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_add_all' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_add_all(roaring64, bigint[]) IS
    'the set with all values of the array; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring64_remove_all(sketch roaring64, items bigint[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove_all' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_remove_all(roaring64, bigint[]) IS
    'the set without the values of the array; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring64_add_range(sketch roaring64, lo bigint, hi bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_add_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_add_range(roaring64, bigint, bigint) IS
    'the set with lo .. hi - 1; errors: 22003, 54000';

CREATE FUNCTION roaring64_remove_range(sketch roaring64, lo bigint, hi bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove_range'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_remove_range(roaring64, bigint, bigint) IS
    'the set without lo .. hi - 1; errors: 22003';

CREATE FUNCTION roaring64_flip(sketch roaring64, lo bigint, hi bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_flip' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_flip(roaring64, bigint, bigint) IS
    'the set with membership of lo .. hi - 1 turned round; errors: 22003, 54000';

CREATE FUNCTION roaring64_shift(sketch roaring64, "offset" bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_shift' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_shift(roaring64, bigint) IS
    'every value plus the offset; those that leave the range of the type are dropped';

-- Set algebra

CREATE FUNCTION roaring64_union(a roaring64, b roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_or' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_union(roaring64, roaring64) IS 'the values of either';

CREATE FUNCTION roaring64_intersection(a roaring64, b roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_and' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_intersection(roaring64, roaring64) IS 'the values of both';

CREATE FUNCTION roaring64_xor(a roaring64, b roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_xor(roaring64, roaring64) IS 'the values of exactly one';

CREATE FUNCTION roaring64_difference(a roaring64, b roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_minus' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_difference(roaring64, roaring64) IS
    'the values of the first that are not in the second';

CREATE FUNCTION roaring64_bitop(op text, VARIADIC sketches roaring64[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_bitop' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_bitop(text, VARIADIC roaring64[]) IS
    'and, or, xor, one (in exactly one), and of the first against the union of the others '
    'andor, diff, diff1, as BITOP; NULL for no sets; errors: 22023';

CREATE FUNCTION roaring64_not(sketch roaring64, last bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_not' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_not(roaring64, bigint) IS
    'the values 0 .. last that are not in the set; errors: 22003, 54000';

-- Asking

CREATE FUNCTION roaring64_cardinality(sketch roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_cardinality(roaring64) IS 'how many values; reads the header only';

CREATE FUNCTION roaring64_cardinality(sketch roaring64, lo bigint, hi bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_range_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_cardinality(roaring64, bigint, bigint) IS
    'how many values of lo .. hi - 1; errors: 22003';

CREATE FUNCTION roaring64_union_cardinality(a roaring64, b roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_union_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_union_cardinality(roaring64, roaring64) IS
    'how many values either has';

CREATE FUNCTION roaring64_intersection_cardinality(a roaring64, b roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_intersection_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_intersection_cardinality(roaring64, roaring64) IS
    'how many values both have';

CREATE FUNCTION roaring64_xor_cardinality(a roaring64, b roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_xor_cardinality(roaring64, roaring64) IS
    'how many values exactly one has';

CREATE FUNCTION roaring64_difference_cardinality(a roaring64, b roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_difference_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_difference_cardinality(roaring64, roaring64) IS
    'how many values the first has and the second has not';

CREATE FUNCTION roaring64_jaccard(a roaring64, b roaring64) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_roaring_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_jaccard(roaring64, roaring64) IS
    'the share of the values of either that is in both, 0 to 1; NULL when both are empty';

CREATE FUNCTION roaring64_contains(sketch roaring64, value bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_contains(roaring64, bigint) IS
    'whether the value is in the set; errors: 22003';

CREATE FUNCTION roaring64_contained(value bigint, sketch roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_value'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_contained(bigint, roaring64) IS
    'whether the value is in the set; errors: 22003';

CREATE FUNCTION roaring64_contains(a roaring64, b roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_set'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_contains(roaring64, roaring64) IS
    'whether all values of the second are in the first';

CREATE FUNCTION roaring64_contained(a roaring64, b roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_set'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_contained(roaring64, roaring64) IS
    'whether all values of the first are in the second';

CREATE FUNCTION roaring64_overlaps(a roaring64, b roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_overlaps(roaring64, roaring64) IS
    'whether the two have a value in common';

CREATE FUNCTION roaring64_contains_each(sketch roaring64, items bigint[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_each'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_contains_each(roaring64, bigint[]) IS
    'for each element whether it is in the set; NULL for NULL; errors: 22003';

CREATE FUNCTION roaring64_is_empty(sketch roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_is_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_is_empty(roaring64) IS
    'whether there are no values; reads the header only';

CREATE FUNCTION roaring64_min(sketch roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_min(roaring64) IS 'the least value; NULL when empty';

CREATE FUNCTION roaring64_max(sketch roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_max(roaring64) IS 'the greatest value; NULL when empty';

CREATE FUNCTION roaring64_rank(sketch roaring64, value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_rank(roaring64, bigint) IS
    'how many values are at most this one; errors: 22003';

CREATE FUNCTION roaring64_select(sketch roaring64, rank bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_select' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_select(roaring64, bigint) IS
    'the value with so many others below it; NULL past the last; errors: 22023';

CREATE FUNCTION roaring64_position(sketch roaring64, "bit" boolean) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_position(roaring64, boolean) IS
    'the least value in the set, or for false not in it; -1 for none';

CREATE FUNCTION roaring64_position(sketch roaring64, "bit" boolean, start bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_position(roaring64, boolean, bigint) IS
    'the least value from start on that is in the set, or for false not in it; -1 for none; '
    'errors: 22003';

CREATE FUNCTION roaring64_elements(sketch roaring64) RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10000;
COMMENT ON FUNCTION roaring64_elements(roaring64) IS 'the values, ascending';

CREATE FUNCTION roaring64_elements(sketch roaring64, reverse boolean) RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10000;
COMMENT ON FUNCTION roaring64_elements(roaring64, boolean) IS
    'the values, ascending or, if reverse, descending';

CREATE FUNCTION roaring64_bits(sketch roaring64) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_roaring_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_bits(roaring64) IS
    'a text of 0 and 1, as long as the greatest value asks for; errors: 54000';

CREATE FUNCTION roaring64_to_portable(sketch roaring64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_portable' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_to_portable(roaring64) IS
    'the portable format that Roaring libraries of other languages read';

CREATE FUNCTION roaring64_info(
    sketch roaring64,
    OUT cardinality bigint, OUT containers bigint, OUT "array" bigint, OUT bitset bigint,
    OUT run bigint, OUT bytes int
)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_roaring_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_info(roaring64) IS
    'how many values and containers, how many of these are arrays, bitsets and runs, bytes of '
    'the packed value';

-- Operators

CREATE OPERATOR | (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(roaring64, roaring64) IS 'union';

CREATE OPERATOR & (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_intersection, COMMUTATOR = &
);
COMMENT ON OPERATOR &(roaring64, roaring64) IS 'intersection';

CREATE OPERATOR # (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_xor, COMMUTATOR = #
);
COMMENT ON OPERATOR #(roaring64, roaring64) IS 'symmetric difference';

CREATE OPERATOR - (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_difference
);
COMMENT ON OPERATOR -(roaring64, roaring64) IS 'difference';

CREATE OPERATOR # (
    RIGHTARG = roaring64, FUNCTION = roaring64_cardinality
);
COMMENT ON OPERATOR #(NONE, roaring64) IS 'how many values';

CREATE OPERATOR @> (
    LEFTARG = roaring64, RIGHTARG = bigint, FUNCTION = roaring64_contains, COMMUTATOR = <@,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(roaring64, bigint) IS 'contains the value';

CREATE OPERATOR <@ (
    LEFTARG = bigint, RIGHTARG = roaring64, FUNCTION = roaring64_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(bigint, roaring64) IS 'is in the set';

CREATE OPERATOR @> (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_contains, COMMUTATOR = <@,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(roaring64, roaring64) IS 'contains all values of';

CREATE OPERATOR <@ (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(roaring64, roaring64) IS 'has all values in';

CREATE OPERATOR && (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_overlaps, COMMUTATOR = &&,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR &&(roaring64, roaring64) IS 'have values in common';

-- Equality, order and hash of the packed bytes

CREATE FUNCTION roaring64_eq(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_eq(roaring64, roaring64) IS 'equal';

CREATE FUNCTION roaring64_ne(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_ne(roaring64, roaring64) IS 'not equal';

CREATE FUNCTION roaring64_lt(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_lt(roaring64, roaring64) IS 'less than in byte order';

CREATE FUNCTION roaring64_le(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_le(roaring64, roaring64) IS 'less than or equal in byte order';

CREATE FUNCTION roaring64_gt(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_gt(roaring64, roaring64) IS 'greater than in byte order';

CREATE FUNCTION roaring64_ge(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_ge(roaring64, roaring64) IS 'greater than or equal in byte order';

CREATE FUNCTION roaring64_cmp(roaring64, roaring64) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_cmp(roaring64, roaring64) IS
    'less, equal or greater in byte order: -1, 0 or 1';

CREATE FUNCTION roaring64_hash(roaring64) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_hash(roaring64) IS 'hash of the packed bytes';

CREATE FUNCTION roaring64_hash_extended(roaring64, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_hash_extended(roaring64, bigint) IS 'seeded hash of the packed bytes';

CREATE OPERATOR = (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_eq,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR =(roaring64, roaring64) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_ne,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(roaring64, roaring64) IS 'not equal';

CREATE OPERATOR < (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_lt,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <(roaring64, roaring64) IS 'less than in byte order';

CREATE OPERATOR <= (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_le,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=(roaring64, roaring64) IS 'less than or equal in byte order';

CREATE OPERATOR > (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_gt,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR >(roaring64, roaring64) IS 'greater than in byte order';

CREATE OPERATOR >= (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_ge,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=(roaring64, roaring64) IS 'greater than or equal in byte order';

CREATE OPERATOR CLASS roaring64_ops DEFAULT FOR TYPE roaring64 USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 roaring64_cmp(roaring64, roaring64);
COMMENT ON OPERATOR CLASS roaring64_ops USING btree IS 'order of the packed bytes';
COMMENT ON OPERATOR FAMILY roaring64_ops USING btree IS 'order of the packed bytes';

CREATE OPERATOR CLASS roaring64_ops DEFAULT FOR TYPE roaring64 USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 roaring64_hash(roaring64), FUNCTION 2 roaring64_hash_extended(roaring64, bigint);
COMMENT ON OPERATOR CLASS roaring64_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY roaring64_ops USING hash IS 'equality of the packed bytes';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION roaring64_agg_state(roaring64, bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_agg_state(roaring64, bigint) IS 'transition function';

CREATE FUNCTION roaring64_union_state(roaring64, roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_union_state(roaring64, roaring64) IS
    'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION roaring64_xor_state(roaring64, roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor_state' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_xor_state(roaring64, roaring64) IS
    'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION roaring64_intersection_state(roaring64, roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_intersection_state' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring64_intersection_state(roaring64, roaring64) IS
    'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION roaring64_final(roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_final(roaring64) IS 'final function: the packed state';

CREATE FUNCTION roaring64_cardinality_final(roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality_final'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64_cardinality_final(roaring64) IS
    'final function: how many values the state has';

CREATE AGGREGATE roaring64_agg(bigint) (
    SFUNC = roaring64_agg_state, STYPE = roaring64, SSPACE = 256,
    FINALFUNC = roaring64_final,
    COMBINEFUNC = roaring64_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_agg(bigint) IS
    'set of the distinct values; NULL over no rows; errors: 22003';

CREATE AGGREGATE roaring64_union_agg(roaring64) (
    SFUNC = roaring64_union_state, STYPE = roaring64, SSPACE = 16384,
    FINALFUNC = roaring64_final,
    COMBINEFUNC = roaring64_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_union_agg(roaring64) IS
    'the values of any set; NULL over no rows';

CREATE AGGREGATE roaring64_intersection_agg(roaring64) (
    SFUNC = roaring64_intersection_state, STYPE = roaring64, SSPACE = 16384,
    FINALFUNC = roaring64_final,
    COMBINEFUNC = roaring64_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_intersection_agg(roaring64) IS
    'the values that all sets have; NULL over no rows';

CREATE AGGREGATE roaring64_xor_agg(roaring64) (
    SFUNC = roaring64_xor_state, STYPE = roaring64, SSPACE = 16384,
    FINALFUNC = roaring64_final,
    COMBINEFUNC = roaring64_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_xor_agg(roaring64) IS
    'the values that an odd number of sets have; NULL over no rows';

CREATE AGGREGATE roaring64_union_cardinality_agg(roaring64) (
    SFUNC = roaring64_union_state, STYPE = roaring64, SSPACE = 16384,
    FINALFUNC = roaring64_cardinality_final,
    COMBINEFUNC = roaring64_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_union_cardinality_agg(roaring64) IS
    'how many values any set has; NULL over no rows';

CREATE AGGREGATE roaring64_intersection_cardinality_agg(roaring64) (
    SFUNC = roaring64_intersection_state, STYPE = roaring64, SSPACE = 16384,
    FINALFUNC = roaring64_cardinality_final,
    COMBINEFUNC = roaring64_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_intersection_cardinality_agg(roaring64) IS
    'how many values all sets have; NULL over no rows';

CREATE AGGREGATE roaring64_xor_cardinality_agg(roaring64) (
    SFUNC = roaring64_xor_state, STYPE = roaring64, SSPACE = 16384,
    FINALFUNC = roaring64_cardinality_final,
    COMBINEFUNC = roaring64_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_xor_cardinality_agg(roaring64) IS
    'how many values an odd number of sets have; NULL over no rows';

-- Between the two widths

CREATE FUNCTION roaring64(sketch roaring) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_convert' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64(roaring) IS 'the same values';

CREATE FUNCTION roaring(sketch roaring64) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_convert' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring(roaring64) IS 'the same values; errors: 22003 past 2^32-1';

CREATE CAST (roaring AS roaring64) WITH FUNCTION roaring64(roaring);
COMMENT ON CAST (roaring AS roaring64) IS 'the same values';
CREATE CAST (roaring64 AS roaring) WITH FUNCTION roaring(roaring64);
COMMENT ON CAST (roaring64 AS roaring) IS 'the same values';
