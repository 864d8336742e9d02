-- bloom: Bloom filter, has this been seen? See bloom.c and ../core/bloom.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

-- include shared/common.sql.in: TYPE=bloom

COMMENT ON TYPE bloom IS
    'Bloom filter: whether an item was added, wrongly yes at a rate of 1 % for 10 bits an item';

-- Building and changing

CREATE FUNCTION bloom_empty(
    capacity bigint DEFAULT 100, error_rate float8 DEFAULT 0.01, expansion int DEFAULT 2
) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_empty(bigint, float8, int) IS
    'an empty filter; it grows beyond its capacity by further filters, each generation of them for '
    'expansion times the items of the one before; with expansion 0 it is full at its capacity; '
    'errors: 22023, 54000';

CREATE FUNCTION bloom_add(sketch bloom, value hashed) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add(bloom, hashed) IS
    'the filter with the value added; errors: 54000 for a full one that does not grow';

CREATE FUNCTION bloom_add(sketch bloom, value text) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add(bloom, text) IS
    'the filter with the value added; errors: 54000 for a full one that does not grow';

CREATE FUNCTION bloom_add_all(sketch bloom, items hashed[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, hashed[]) IS
    'the filter with all values of the array added; NULL elements are skipped; errors: 54000 for a '
    'full one that does not grow';

CREATE FUNCTION bloom_add_all(sketch bloom, items text[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, text[]) IS
    'the filter with all values of the array added; NULL elements are skipped; errors: 54000 for a '
    'full one that does not grow';

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
CREATE FUNCTION bloom_add_all(sketch bloom, items varchar[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, varchar[]) IS
    'the filter with all values of the array added; NULL elements are skipped; errors: 54000 for a '
    'full one that does not grow';

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
    'the filter with the value added, and whether it was new, as BF.ADD replies; errors: 54000 for '
    'a full one that does not grow';

CREATE FUNCTION bloom_try_add(INOUT sketch bloom, value text, OUT added boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_try_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_try_add(bloom, text) IS
    'the filter with the value added, and whether it was new, as BF.ADD replies; errors: 54000 for '
    'a full one that does not grow';

CREATE FUNCTION bloom_union(a bloom, b bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_union(bloom, bloom) IS
    'the filter of all items of both: ORed where both have the same shape and room, otherwise side '
    'by side, where error rates add up; errors: 42804 and 54000 for filters that do not grow';

CREATE FUNCTION bloom_intersection(a bloom, b bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_intersection' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_intersection(bloom, bloom) IS
    'the filter of what both contain; errors: 42804 unless one is a list or both are single '
    'filters of the same shape';

-- Asking

CREATE FUNCTION bloom_contains(sketch bloom, value hashed) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains(bloom, hashed) IS
    'whether the value may have been added; false is certain; of a filter that is stored out of '
    'line only the block is read that the value is in';

CREATE FUNCTION bloom_contains(sketch bloom, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains(bloom, text) IS
    'whether the value may have been added; false is certain; of a filter that is stored out of '
    'line only the block is read that the value is in';

CREATE FUNCTION bloom_contains_each(sketch bloom, items hashed[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, hashed[]) IS
    'of every element whether it may have been added; NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items text[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, text[]) IS
    'of every element whether it may have been added; NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items varchar[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, varchar[]) IS
    'of every element whether it may have been added; NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items text) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each_untyped' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_contains_each(bloom, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION bloom_cardinality(sketch bloom) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bloom_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_cardinality(bloom) IS
    'how many items were added, those apart that it contained already; reads the header only';

CREATE FUNCTION bloom_false_positive_rate(sketch bloom) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_bloom_false_positive_rate'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION bloom_false_positive_rate(bloom) IS
    'the share of strangers that it takes for members as it is filled now; 0 for a list';

CREATE FUNCTION bloom_info(
    sketch bloom,
    OUT capacity bigint, OUT error_rate float8, OUT expansion int, OUT items bigint,
    OUT filters int, OUT bits_per_item float8, OUT fill_ratio float8,
    OUT false_positive_rate float8, OUT bytes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION bloom_info(bloom) IS
    'what the filter is: items it has room for before it grows, parameters, items, filters in it '
    '(0: a list), their bits per item and the share of these that is set, false positives as it is '
    'filled now, bytes of the packed value';

CREATE FUNCTION bloom_filters(
    sketch bloom,
    OUT filter int, OUT capacity bigint, OUT items bigint, OUT error_rate float8, OUT hashes int,
    OUT bits bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_bloom_filters' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10
    COST 10;
COMMENT ON FUNCTION bloom_filters(bloom) IS
    'the filters in it, none for a list: items each was made for, items in it, its share of the '
    'error rate, bits an item sets, bits it has';

CREATE FUNCTION bloom_contained(value hashed, sketch bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contained(hashed, bloom) IS
    'whether the value is in the filter, as bloom_contains of the filter and the value';

CREATE FUNCTION bloom_contained(value text, sketch bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contained_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION bloom_contained(text, bloom) IS
    'whether the value is in the filter, as bloom_contains of the filter and the value';

CREATE FUNCTION bloom_describe(sketch bloom) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_bloom_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION bloom_describe(bloom) IS
    'one line for people: items, false positives as it is filled now, bytes';

-- Redis

CREATE FUNCTION bloom_from_redis(payload bytea) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_from_redis(bytea) IS
    'the filter in a DUMP payload of BF.* of Redis; it keeps its bits and its hash, and takes texts; '
    'errors: 22P03';

CREATE FUNCTION bloom_from_redis(header bytea, chunks bytea) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_from_redis_chunks'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_from_redis(bytea, bytea) IS
    'the filter in the header and the chunks, one behind the other, of BF.SCANDUMP; errors: 22P03';

CREATE FUNCTION bloom_to_redis(sketch bloom, OUT header bytea, OUT chunks bytea) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION bloom_to_redis(bloom) IS
    'what BF.LOADCHUNK takes, of a filter that came from Redis; errors: 42804';

CREATE FUNCTION bloom_plan(
    items bigint, error_rate float8,
    OUT bits bigint, OUT bits_per_item float8, OUT hashes int, OUT bytes bigint, OUT rate float8,
    OUT redis_bytes bigint, OUT redis_hashes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_plan(bigint, float8) IS
    'what a filter of so many items will take, its rate when it holds them, and what BF.RESERVE '
    'takes for them; errors: 22023';

CREATE FUNCTION bloom_plan(
    items bigint, error_rate float8, filled bigint,
    OUT bits bigint, OUT bits_per_item float8, OUT hashes int, OUT bytes bigint, OUT rate float8,
    OUT redis_bytes bigint, OUT redis_hashes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_plan(bigint, float8, bigint) IS
    'the same, with the rate when it holds filled items without growing; errors: 22023';

-- Operators

CREATE OPERATOR <@ (
    LEFTARG = hashed, RIGHTARG = bloom, FUNCTION = bloom_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(hashed, bloom) IS 'is contained';

CREATE OPERATOR <@ (
    LEFTARG = text, RIGHTARG = bloom, FUNCTION = bloom_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(text, bloom) IS 'is contained';

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
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=hashed, int; SYMBOL=bloom_agg_int_capacity_state
-- include shared/state.sql.in: TYPE=bloom; ARGUMENTS=hashed, bigint; SYMBOL=bloom_agg_capacity_state
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
-- include shared/moving.sql.in: STATE=_bloom_intersection_state; SYMBOL=bloom_intersection_state; ARGUMENTS=bloom

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value hashed; TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed) IS
    'filter of the distinct values, as large as these need, error rate 1 %; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value hashed, error_rate float8; TYPE=bloom;
--     SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed, float8) IS
    'filter of the distinct values, as large as these need; NULL over no rows; errors: 22023, '
    '22004';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value hashed, capacity int; TYPE=bloom;
--     SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed, int) IS
    'filter of the distinct values with room for capacity items, or for as many as there are, error '
    'rate 1 %; NULL over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value hashed, capacity bigint; TYPE=bloom;
--     SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed, bigint) IS
    'filter of the distinct values with room for capacity items, or for as many as there are, error '
    'rate 1 %; NULL over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg;
--     ARGUMENTS=value hashed, capacity bigint, error_rate float8; TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(hashed, bigint, float8) IS
    'filter of the distinct values with room for capacity items, or for as many as there are; NULL '
    'over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value text; TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(text) IS
    'filter of the distinct values, as large as these need, error rate 1 %; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value text, error_rate float8; TYPE=bloom;
--     SPACE=512
COMMENT ON AGGREGATE bloom_agg(text, float8) IS
    'filter of the distinct values, as large as these need; NULL over no rows; errors: 22023, '
    '22004';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value text, capacity int; TYPE=bloom;
--     SPACE=512
COMMENT ON AGGREGATE bloom_agg(text, int) IS
    'filter of the distinct values with room for capacity items, or for as many as there are, error '
    'rate 1 %; NULL over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg; ARGUMENTS=value text, capacity bigint; TYPE=bloom;
--     SPACE=512
COMMENT ON AGGREGATE bloom_agg(text, bigint) IS
    'filter of the distinct values with room for capacity items, or for as many as there are, error '
    'rate 1 %; NULL over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_agg;
--     ARGUMENTS=value text, capacity bigint, error_rate float8; TYPE=bloom; SPACE=512
COMMENT ON AGGREGATE bloom_agg(text, bigint, float8) IS
    'filter of the distinct values with room for capacity items, or for as many as there are; NULL '
    'over no rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=bloom_union_agg; ARGUMENTS=sketch bloom; TYPE=bloom; SPACE=16384;
--     STATE=_bloom_union_state
COMMENT ON AGGREGATE bloom_union_agg(bloom) IS
    'union of filters; NULL over no rows; errors: 42804 and 54000 for filters that do not grow';

-- include shared/aggregate.sql.in: NAME=bloom_intersection_agg; ARGUMENTS=sketch bloom; TYPE=bloom;
--     SPACE=16384; STATE=_bloom_intersection_state; COMBINE=_bloom_intersection_state
COMMENT ON AGGREGATE bloom_intersection_agg(bloom) IS
    'intersection of filters; NULL over no rows; errors: 42804 unless they are lists or single '
    'filters of the same shape';
