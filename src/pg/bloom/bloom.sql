-- bloom: was this item added? See src/core/bloom/bloom.c and src/pg/bloom/bloom.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

-- include shared/common.sql.in: TYPE=bloom

COMMENT ON TYPE bloom IS 'Bloom filter: was this item added? 10 bits an item, 1 % false positives';

-- Building and changing

CREATE FUNCTION bloom_empty(
    capacity bigint DEFAULT 100, error_rate float8 DEFAULT 0.01, expansion int DEFAULT 2
) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_empty(bigint, float8, int) IS
    'an empty filter. Beyond its capacity it grows by another layer, for expansion times the '
    'items of the layer before; with expansion 0 it is full at its capacity; errors: 22023, 54000';

CREATE FUNCTION bloom_add(sketch bloom, value hashed) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add(bloom, hashed) IS
    'the filter with the value added; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_add(sketch bloom, value text) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add(bloom, text) IS
    'the filter with the value added; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_add_all(sketch bloom, items hashed[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, hashed[]) IS
    'the filter with all elements added; NULL elements are skipped; errors: 54000 for a full '
    'filter that does not grow';

CREATE FUNCTION bloom_add_all(sketch bloom, items text[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, text[]) IS
    'the filter with all elements added; NULL elements are skipped; errors: 54000 for a full '
    'filter that does not grow';

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
CREATE FUNCTION bloom_add_all(sketch bloom, items varchar[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, varchar[]) IS
    'the filter with all elements added; NULL elements are skipped; errors: 54000 for a full '
    'filter that does not grow';

CREATE FUNCTION bloom_add_all(sketch bloom, items text) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all_untyped' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION bloom_try_add(INOUT sketch bloom, value hashed, OUT added boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_try_add(bloom, hashed) IS
    'the filter with the value added, and whether it was new, as BF.ADD replies; errors: 54000 '
    'for a full filter that does not grow';

CREATE FUNCTION bloom_try_add(INOUT sketch bloom, value text, OUT added boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_try_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_try_add(bloom, text) IS
    'the filter with the value added, and whether it was new, as BF.ADD replies; errors: 54000 '
    'for a full filter that does not grow';

CREATE FUNCTION bloom_union(a bloom, b bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_union(bloom, bloom) IS
    'the filter of all items of both. Filters of one shape with space for both are ORed; others '
    'stand side by side, and their error rates add up; errors: 42804 for different hash functions, '
    'or shapes of filters that do not grow; 54000 for more than a filter may hold';

CREATE FUNCTION bloom_intersection(a bloom, b bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_intersection' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_intersection(bloom, bloom) IS
    'the filter of the items that both contain; errors: 42804 unless one is a list or both are '
    'single filters of one shape';

-- Asking

CREATE FUNCTION bloom_contains(sketch bloom, value hashed) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains(bloom, hashed) IS
    'whether the value was added; false is certain, true is wrong at the false-positive rate; of '
    'a filter that is stored out of line, only one block is read';

CREATE FUNCTION bloom_contains(sketch bloom, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains(bloom, text) IS
    'whether the value was added; false is certain, true is wrong at the false-positive rate; of '
    'a filter that is stored out of line, only one block is read';

CREATE FUNCTION bloom_contains_each(sketch bloom, items hashed[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, hashed[]) IS
    'for each element whether it was added, as bloom_contains; NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items text[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, text[]) IS
    'for each element whether it was added, as bloom_contains; NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items varchar[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, varchar[]) IS
    'for each element whether it was added, as bloom_contains; NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items text) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_contains_each(bloom, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION bloom_cardinality(sketch bloom) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bloom_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_cardinality(bloom) IS
    'the number of items that were new when they were added; reads the header only';

CREATE FUNCTION bloom_false_positive_rate(sketch bloom) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_bloom_false_positive_rate'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION bloom_false_positive_rate(bloom) IS
    'the false-positive rate of the filter as it is filled now; 0 for a list';

CREATE FUNCTION bloom_info(
    sketch bloom,
    OUT capacity bigint, OUT error_rate float8, OUT expansion int, OUT items bigint,
    OUT filters int, OUT bits_per_item float8, OUT fill_ratio float8,
    OUT false_positive_rate float8, OUT bytes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION bloom_info(bloom) IS
    'parameters; items; layers (0: a list); bits per item; share of bits that are set; '
    'false-positive rate as filled now; bytes of the packed value';

CREATE FUNCTION bloom_filters(
    sketch bloom,
    OUT filter int, OUT capacity bigint, OUT items bigint, OUT error_rate float8, OUT hashes int,
    OUT bits bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_bloom_filters' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10
    COST 10;
COMMENT ON FUNCTION bloom_filters(bloom) IS
    'the layers of the filter, none for a list: capacity, items, share of the error rate, bits '
    'set by an item, bits';

CREATE FUNCTION bloom_contained(value hashed, sketch bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contained(hashed, bloom) IS 'bloom_contains with the arguments exchanged';

CREATE FUNCTION bloom_contained(value text, sketch bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contained_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contained(text, bloom) IS 'bloom_contains with the arguments exchanged';

CREATE FUNCTION bloom_describe(sketch bloom) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_bloom_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION bloom_describe(bloom) IS
    'one line for people: items, false-positive rate as filled now, bytes';

-- Redis

CREATE FUNCTION bloom_from_redis(payload bytea) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_from_redis(bytea) IS
    'reads a Bloom filter of Redis (BF.*) from its DUMP payload; it keeps its bits and its hash, '
    'and takes texts; errors: 22P03';

CREATE FUNCTION bloom_from_redis(header bytea, chunks bytea) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_from_redis_chunks'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_from_redis(bytea, bytea) IS
    'reads a Bloom filter of Redis from the header and the chunks, one behind the other, of '
    'BF.SCANDUMP; errors: 22P03';

CREATE FUNCTION bloom_to_redis(sketch bloom, OUT header bytea, OUT chunks bytea) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_to_redis(bloom) IS
    'the header and the chunks that BF.LOADCHUNK takes, for a filter that came from Redis; '
    'errors: 42804';

CREATE FUNCTION bloom_plan(
    items bigint, error_rate float8,
    OUT bits bigint, OUT bits_per_item float8, OUT hashes int, OUT bytes bigint, OUT rate float8,
    OUT redis_bytes bigint, OUT redis_hashes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_plan(bigint, float8) IS
    'calculator: bits, bytes and rate of a filter for this number of items, and what BF.RESERVE '
    'would take; errors: 22023';

CREATE FUNCTION bloom_plan(
    items bigint, error_rate float8, filled bigint,
    OUT bits bigint, OUT bits_per_item float8, OUT hashes int, OUT bytes bigint, OUT rate float8,
    OUT redis_bytes bigint, OUT redis_hashes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_plan(bigint, float8, bigint) IS
    'the same, with the rate when the filter holds filled items without growing; errors: 22023';

-- Operators

CREATE OPERATOR <@ (
    LEFTARG = hashed, RIGHTARG = bloom, FUNCTION = bloom_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(hashed, bloom) IS 'is contained, probably; false is certain';

CREATE OPERATOR <@ (
    LEFTARG = text, RIGHTARG = bloom, FUNCTION = bloom_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(text, bloom) IS 'is contained, probably; false is certain';

CREATE OPERATOR # (
    RIGHTARG = bloom, FUNCTION = bloom_cardinality
);
COMMENT ON OPERATOR #(NONE, bloom) IS 'number of items';

CREATE OPERATOR | (
    LEFTARG = bloom, RIGHTARG = bloom, FUNCTION = bloom_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(bloom, bloom) IS 'union';

CREATE OPERATOR & (
    LEFTARG = bloom, RIGHTARG = bloom, FUNCTION = bloom_intersection, COMMUTATOR = &
);
COMMENT ON OPERATOR &(bloom, bloom) IS 'intersection';

CREATE OPERATOR @> (
    LEFTARG = bloom, RIGHTARG = hashed, FUNCTION = bloom_contains, COMMUTATOR = <@,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(bloom, hashed) IS 'contains, probably; false is certain';

CREATE OPERATOR @> (
    LEFTARG = bloom, RIGHTARG = text, FUNCTION = bloom_contains, COMMUTATOR = <@,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(bloom, text) IS 'contains, probably; false is certain';

-- Aggregates. The state is the type itself, the union combines.

-- include shared/states.sql.in: TYPE=bloom

CREATE FUNCTION _bloom_intersection_state(bloom, bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_intersection_state' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _bloom_intersection_state(bloom, bloom) IS
    'transition and combine function; NULL on either side is skipped';

-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=hashed; SYMBOL=bloom_agg_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=hashed, float8; SYMBOL=bloom_agg_rate_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=hashed, int;
--     SYMBOL=bloom_agg_int_capacity_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=hashed, bigint;
--     SYMBOL=bloom_agg_capacity_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=hashed, bigint, float8;
--     SYMBOL=bloom_agg_capacity_rate_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=text; SYMBOL=bloom_agg_text_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=text, float8; SYMBOL=bloom_agg_text_rate_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=text, int;
--     SYMBOL=bloom_agg_text_int_capacity_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=text, bigint;
--     SYMBOL=bloom_agg_text_capacity_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=text, bigint, float8;
--     SYMBOL=bloom_agg_text_capacity_rate_state
-- include shared/moving.sql.in: STATE=_bloom_intersection_state; ARGUMENTS=bloom

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value hashed; TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed) IS
    'filter of the distinct values, sized for their number, error rate 1 %; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value hashed, error_rate float8;
--     TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed, float8) IS
    'filter of the distinct values, sized for their number, of this error rate; NULL over no '
    'rows; errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value hashed, capacity int;
--     TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed, int) IS
    'filter of the distinct values, with space for capacity items or more, error rate 1 %; NULL '
    'over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value hashed, capacity bigint;
--     TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed, bigint) IS
    'filter of the distinct values, with space for capacity items or more, error rate 1 %; NULL '
    'over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg;
--     ARGUMENTS=value hashed, capacity bigint, error_rate float8; TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed, bigint, float8) IS
    'filter of the distinct values, with space for capacity items or more, of this error rate; '
    'NULL over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value text; TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(text) IS
    'filter of the distinct values, sized for their number, error rate 1 %; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value text, error_rate float8;
--     TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(text, float8) IS
    'filter of the distinct values, sized for their number, of this error rate; NULL over no '
    'rows; errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value text, capacity int; TYPE=bloom;
--     SPACE=512
COMMENT ON AGGREGATE bloom_agg(text, int) IS
    'filter of the distinct values, with space for capacity items or more, error rate 1 %; NULL '
    'over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value text, capacity bigint;
--     TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(text, bigint) IS
    'filter of the distinct values, with space for capacity items or more, error rate 1 %; NULL '
    'over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg;
--     ARGUMENTS=value text, capacity bigint, error_rate float8; TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(text, bigint, float8) IS
    'filter of the distinct values, with space for capacity items or more, of this error rate; '
    'NULL over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_union_agg; ARGUMENTS=sketch bloom; TYPE=bloom;
--     SPACE=16384; STATE=_bloom_union_state
COMMENT ON AGGREGATE bloom_union_agg(bloom) IS
    'union of filters; NULL over no rows; errors: 42804 for different hash functions, or shapes of '
    'filters that do not grow; 54000 for more than a filter may hold';

-- include shared/aggregate.sql.in: NAME=bloom_intersection_agg; ARGUMENTS=sketch bloom; TYPE=bloom;
--     SPACE=16384; STATE=_bloom_intersection_state; COMBINE=_bloom_intersection_state
COMMENT ON AGGREGATE bloom_intersection_agg(bloom) IS
    'intersection of filters; NULL over no rows; errors: 42804 unless they are lists or single '
    'filters of one shape';
