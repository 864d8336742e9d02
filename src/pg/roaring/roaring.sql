-- roaring: an exact set of integers 0 .. 2^32-1. See roaring.c and ../core/roaring.c.

CREATE TYPE roaring;

CREATE FUNCTION roaring_in(cstring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_in(cstring) IS 'I/O: base64 of the packed value, or {1,2,5}';

CREATE FUNCTION roaring_out(roaring) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_out(roaring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION roaring_recv(internal) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION roaring_send(roaring) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_send(roaring) IS 'I/O: the packed value';

CREATE TYPE roaring (
    INPUT = roaring_in,
    OUTPUT = roaring_out,
    RECEIVE = roaring_recv,
    SEND = roaring_send,
    STORAGE = external
);

COMMENT ON TYPE roaring IS 'roaring bitmap: an exact set of integers 0 to 2^32-1';

CREATE FUNCTION roaring(bytea) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring(bytea) IS 'the packed value in a bytea, validated; errors: 22P03';

CREATE FUNCTION bytea(roaring) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bytea(roaring) IS 'the packed value';

CREATE CAST (bytea AS roaring) WITH FUNCTION roaring(bytea);
COMMENT ON CAST (bytea AS roaring) IS 'the packed value, validated';
CREATE CAST (roaring AS bytea) WITH FUNCTION bytea(roaring);
COMMENT ON CAST (roaring AS bytea) IS 'the packed value';

-- Making

CREATE FUNCTION roaring_empty() RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_empty() IS 'the empty set';

CREATE FUNCTION roaring(items bigint[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring(bigint[]) IS
    'the set of the elements; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring(items int[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring(int[]) IS
    'the set of the elements; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring_to_int_array(sketch roaring) RETURNS int[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_int_array'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_to_int_array(roaring) IS
    'the values as an array of int, ascending; errors: 22003, 54000';

CREATE FUNCTION roaring_to_array(sketch roaring) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_to_array(roaring) IS 'the values as an array, ascending; errors: 54000';

CREATE FUNCTION roaring_to_array(sketch roaring, "offset" bigint, "limit" bigint) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_array_part'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_to_array(roaring, bigint, bigint) IS
    'so many values from a rank on, counted from 0; errors: 22023, 54000';

CREATE CAST (int[] AS roaring) WITH FUNCTION roaring(int[]);
COMMENT ON CAST (int[] AS roaring) IS 'the set of the elements';
CREATE CAST (roaring AS int[]) WITH FUNCTION roaring_to_int_array(roaring);
COMMENT ON CAST (roaring AS int[]) IS 'the values, ascending';
CREATE CAST (bigint[] AS roaring) WITH FUNCTION roaring(bigint[]);
COMMENT ON CAST (bigint[] AS roaring) IS 'the set of the elements';
CREATE CAST (roaring AS bigint[]) WITH FUNCTION roaring_to_array(roaring);
COMMENT ON CAST (roaring AS bigint[]) IS 'the values, ascending';

CREATE FUNCTION roaring_range(lo bigint, hi bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_range(bigint, bigint) IS
    'the set of lo .. hi - 1; empty where hi is not above lo; errors: 22003, 54000 past 2^40 '
    'values';

CREATE FUNCTION roaring_from_bits(bits text) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_from_bits(text) IS
    'the set of the positions of 1 in a text of 0 and 1; errors: 22P02';

CREATE FUNCTION roaring_from_portable(payload bytea) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_portable'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_from_portable(bytea) IS
    'a bitmap in the portable format of Roaring libraries, validated; errors: 22P03';

-- Changing

CREATE FUNCTION roaring_add(sketch roaring, value bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_add(roaring, bigint) IS 'the set with the value; errors: 22003';

CREATE FUNCTION roaring_remove(sketch roaring, value bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_remove(roaring, bigint) IS 'the set without the value; errors: 22003';

CREATE FUNCTION roaring_add_all(sketch roaring, items bigint[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_add_all' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_add_all(roaring, bigint[]) IS
    'the set with all values of the array; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring_remove_all(sketch roaring, items bigint[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove_all' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_remove_all(roaring, bigint[]) IS
    'the set without the values of the array; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring_add_range(sketch roaring, lo bigint, hi bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_add_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_add_range(roaring, bigint, bigint) IS
    'the set with lo .. hi - 1; errors: 22003, 54000';

CREATE FUNCTION roaring_remove_range(sketch roaring, lo bigint, hi bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove_range'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_remove_range(roaring, bigint, bigint) IS
    'the set without lo .. hi - 1; errors: 22003';

CREATE FUNCTION roaring_flip(sketch roaring, lo bigint, hi bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_flip' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_flip(roaring, bigint, bigint) IS
    'the set with membership of lo .. hi - 1 turned round; errors: 22003, 54000';

CREATE FUNCTION roaring_shift(sketch roaring, "offset" bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_shift' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_shift(roaring, bigint) IS
    'every value plus the offset; those that leave the range of the type are dropped';

-- Set algebra

CREATE FUNCTION roaring_union(a roaring, b roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_or' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_union(roaring, roaring) IS 'the values of either';

CREATE FUNCTION roaring_intersection(a roaring, b roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_and' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_intersection(roaring, roaring) IS 'the values of both';

CREATE FUNCTION roaring_xor(a roaring, b roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_xor(roaring, roaring) IS 'the values of exactly one';

CREATE FUNCTION roaring_difference(a roaring, b roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_minus' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_difference(roaring, roaring) IS
    'the values of the first that are not in the second';

CREATE FUNCTION roaring_bitop(op text, VARIADIC sketches roaring[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_bitop' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_bitop(text, VARIADIC roaring[]) IS
    'and, or, xor, one (in exactly one), and of the first against the union of the others '
    'andor, diff, diff1, as BITOP; NULL for no sets; errors: 22023';

CREATE FUNCTION roaring_not(sketch roaring, last bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_not' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_not(roaring, bigint) IS
    'the values 0 .. last that are not in the set; errors: 22003, 54000';

-- Asking

CREATE FUNCTION roaring_cardinality(sketch roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_cardinality(roaring) IS 'how many values; reads the header only';

CREATE FUNCTION roaring_cardinality(sketch roaring, lo bigint, hi bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_range_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_cardinality(roaring, bigint, bigint) IS
    'how many values of lo .. hi - 1; errors: 22003';

CREATE FUNCTION roaring_union_cardinality(a roaring, b roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_union_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_union_cardinality(roaring, roaring) IS 'how many values either has';

CREATE FUNCTION roaring_intersection_cardinality(a roaring, b roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_intersection_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_intersection_cardinality(roaring, roaring) IS
    'how many values both have';

CREATE FUNCTION roaring_xor_cardinality(a roaring, b roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_xor_cardinality(roaring, roaring) IS 'how many values exactly one has';

CREATE FUNCTION roaring_difference_cardinality(a roaring, b roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_difference_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_difference_cardinality(roaring, roaring) IS
    'how many values the first has and the second has not';

CREATE FUNCTION roaring_jaccard(a roaring, b roaring) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_roaring_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_jaccard(roaring, roaring) IS
    'the share of the values of either that is in both, 0 to 1; NULL when both are empty';

CREATE FUNCTION roaring_contains(sketch roaring, value bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_contains(roaring, bigint) IS
    'whether the value is in the set; errors: 22003';

CREATE FUNCTION roaring_contained(value bigint, sketch roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_value'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_contained(bigint, roaring) IS
    'whether the value is in the set; errors: 22003';

CREATE FUNCTION roaring_contains(a roaring, b roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_set'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_contains(roaring, roaring) IS
    'whether all values of the second are in the first';

CREATE FUNCTION roaring_contained(a roaring, b roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_set'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_contained(roaring, roaring) IS
    'whether all values of the first are in the second';

CREATE FUNCTION roaring_overlaps(a roaring, b roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_overlaps(roaring, roaring) IS 'whether the two have a value in common';

CREATE FUNCTION roaring_contains_each(sketch roaring, items bigint[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_each'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_contains_each(roaring, bigint[]) IS
    'for each element whether it is in the set; NULL for NULL; errors: 22003';

CREATE FUNCTION roaring_is_empty(sketch roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_is_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_is_empty(roaring) IS
    'whether there are no values; reads the header only';

CREATE FUNCTION roaring_min(sketch roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_min(roaring) IS 'the least value; NULL when empty';

CREATE FUNCTION roaring_max(sketch roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_max(roaring) IS 'the greatest value; NULL when empty';

CREATE FUNCTION roaring_rank(sketch roaring, value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_rank(roaring, bigint) IS
    'how many values are at most this one; errors: 22003';

CREATE FUNCTION roaring_select(sketch roaring, rank bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_select' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_select(roaring, bigint) IS
    'the value with so many others below it; NULL past the last; errors: 22023';

CREATE FUNCTION roaring_position(sketch roaring, "bit" boolean) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_position(roaring, boolean) IS
    'the least value in the set, or for false not in it; -1 for none';

CREATE FUNCTION roaring_position(sketch roaring, "bit" boolean, start bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_position(roaring, boolean, bigint) IS
    'the least value from start on that is in the set, or for false not in it; -1 for none; '
    'errors: 22003';

CREATE FUNCTION roaring_elements(sketch roaring) RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10000;
COMMENT ON FUNCTION roaring_elements(roaring) IS 'the values, ascending';

CREATE FUNCTION roaring_elements(sketch roaring, reverse boolean) RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10000;
COMMENT ON FUNCTION roaring_elements(roaring, boolean) IS
    'the values, ascending or, if reverse, descending';

CREATE FUNCTION roaring_bits(sketch roaring) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_roaring_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_bits(roaring) IS
    'a text of 0 and 1, as long as the greatest value asks for; errors: 54000';

CREATE FUNCTION roaring_to_portable(sketch roaring) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_portable' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_to_portable(roaring) IS
    'the portable format that Roaring libraries of other languages read';

CREATE FUNCTION roaring_info(
    sketch roaring,
    OUT cardinality bigint, OUT containers bigint, OUT "array" bigint, OUT bitset bigint,
    OUT run bigint, OUT bytes int
)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_roaring_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_info(roaring) IS
    'how many values and containers, how many of these are arrays, bitsets and runs, bytes of '
    'the packed value';

-- Operators

CREATE OPERATOR | (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(roaring, roaring) IS 'union';

CREATE OPERATOR & (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_intersection, COMMUTATOR = &
);
COMMENT ON OPERATOR &(roaring, roaring) IS 'intersection';

CREATE OPERATOR # (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_xor, COMMUTATOR = #
);
COMMENT ON OPERATOR #(roaring, roaring) IS 'symmetric difference';

CREATE OPERATOR - (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_difference
);
COMMENT ON OPERATOR -(roaring, roaring) IS 'difference';

CREATE OPERATOR # (
    RIGHTARG = roaring, FUNCTION = roaring_cardinality
);
COMMENT ON OPERATOR #(NONE, roaring) IS 'how many values';

CREATE OPERATOR @> (
    LEFTARG = roaring, RIGHTARG = bigint, FUNCTION = roaring_contains, COMMUTATOR = <@,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(roaring, bigint) IS 'contains the value';

CREATE OPERATOR <@ (
    LEFTARG = bigint, RIGHTARG = roaring, FUNCTION = roaring_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(bigint, roaring) IS 'is in the set';

CREATE OPERATOR @> (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_contains, COMMUTATOR = <@,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(roaring, roaring) IS 'contains all values of';

CREATE OPERATOR <@ (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(roaring, roaring) IS 'has all values in';

CREATE OPERATOR && (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_overlaps, COMMUTATOR = &&,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR &&(roaring, roaring) IS 'have values in common';

-- Equality, order and hash of the packed bytes

CREATE FUNCTION roaring_eq(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_eq(roaring, roaring) IS 'equal';

CREATE FUNCTION roaring_ne(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_ne(roaring, roaring) IS 'not equal';

CREATE FUNCTION roaring_lt(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_lt(roaring, roaring) IS 'less than in byte order';

CREATE FUNCTION roaring_le(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_le(roaring, roaring) IS 'less than or equal in byte order';

CREATE FUNCTION roaring_gt(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_gt(roaring, roaring) IS 'greater than in byte order';

CREATE FUNCTION roaring_ge(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_ge(roaring, roaring) IS 'greater than or equal in byte order';

CREATE FUNCTION roaring_cmp(roaring, roaring) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_cmp(roaring, roaring) IS
    'less, equal or greater in byte order: -1, 0 or 1';

CREATE FUNCTION roaring_hash(roaring) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_hash(roaring) IS 'hash of the packed bytes';

CREATE FUNCTION roaring_hash_extended(roaring, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_hash_extended(roaring, bigint) IS 'seeded hash of the packed bytes';

CREATE OPERATOR = (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_eq,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR =(roaring, roaring) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_ne,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(roaring, roaring) IS 'not equal';

CREATE OPERATOR < (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_lt,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <(roaring, roaring) IS 'less than in byte order';

CREATE OPERATOR <= (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_le,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=(roaring, roaring) IS 'less than or equal in byte order';

CREATE OPERATOR > (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_gt,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR >(roaring, roaring) IS 'greater than in byte order';

CREATE OPERATOR >= (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_ge,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=(roaring, roaring) IS 'greater than or equal in byte order';

CREATE OPERATOR CLASS roaring_ops DEFAULT FOR TYPE roaring USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 roaring_cmp(roaring, roaring);
COMMENT ON OPERATOR CLASS roaring_ops USING btree IS 'order of the packed bytes';
COMMENT ON OPERATOR FAMILY roaring_ops USING btree IS 'order of the packed bytes';

CREATE OPERATOR CLASS roaring_ops DEFAULT FOR TYPE roaring USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 roaring_hash(roaring), FUNCTION 2 roaring_hash_extended(roaring, bigint);
COMMENT ON OPERATOR CLASS roaring_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY roaring_ops USING hash IS 'equality of the packed bytes';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION roaring_agg_state(roaring, bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION roaring_agg_state(roaring, bigint) IS 'transition function';

CREATE FUNCTION roaring_union_state(roaring, roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_union_state(roaring, roaring) IS
    'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION roaring_xor_state(roaring, roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor_state' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_xor_state(roaring, roaring) IS
    'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION roaring_intersection_state(roaring, roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_intersection_state' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION roaring_intersection_state(roaring, roaring) IS
    'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION roaring_final(roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_final(roaring) IS 'final function: the packed state';

CREATE FUNCTION roaring_cardinality_final(roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality_final'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring_cardinality_final(roaring) IS
    'final function: how many values the state has';

CREATE AGGREGATE roaring_agg(bigint) (
    SFUNC = roaring_agg_state, STYPE = roaring, SSPACE = 256,
    FINALFUNC = roaring_final,
    COMBINEFUNC = roaring_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_agg(bigint) IS
    'set of the distinct values; NULL over no rows; errors: 22003';

CREATE AGGREGATE roaring_union_agg(roaring) (
    SFUNC = roaring_union_state, STYPE = roaring, SSPACE = 16384,
    FINALFUNC = roaring_final,
    COMBINEFUNC = roaring_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_union_agg(roaring) IS
    'the values of any set; NULL over no rows';

CREATE AGGREGATE roaring_intersection_agg(roaring) (
    SFUNC = roaring_intersection_state, STYPE = roaring, SSPACE = 16384,
    FINALFUNC = roaring_final,
    COMBINEFUNC = roaring_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_intersection_agg(roaring) IS
    'the values that all sets have; NULL over no rows';

CREATE AGGREGATE roaring_xor_agg(roaring) (
    SFUNC = roaring_xor_state, STYPE = roaring, SSPACE = 16384,
    FINALFUNC = roaring_final,
    COMBINEFUNC = roaring_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_xor_agg(roaring) IS
    'the values that an odd number of sets have; NULL over no rows';

CREATE AGGREGATE roaring_union_cardinality_agg(roaring) (
    SFUNC = roaring_union_state, STYPE = roaring, SSPACE = 16384,
    FINALFUNC = roaring_cardinality_final,
    COMBINEFUNC = roaring_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_union_cardinality_agg(roaring) IS
    'how many values any set has; NULL over no rows';

CREATE AGGREGATE roaring_intersection_cardinality_agg(roaring) (
    SFUNC = roaring_intersection_state, STYPE = roaring, SSPACE = 16384,
    FINALFUNC = roaring_cardinality_final,
    COMBINEFUNC = roaring_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_intersection_cardinality_agg(roaring) IS
    'how many values all sets have; NULL over no rows';

CREATE AGGREGATE roaring_xor_cardinality_agg(roaring) (
    SFUNC = roaring_xor_state, STYPE = roaring, SSPACE = 16384,
    FINALFUNC = roaring_cardinality_final,
    COMBINEFUNC = roaring_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_xor_cardinality_agg(roaring) IS
    'how many values an odd number of sets have; NULL over no rows';
