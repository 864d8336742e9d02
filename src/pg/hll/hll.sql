-- hll: how many distinct items were there? See src/core/hll/hll.c and src/pg/hll/hll.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

-- include shared/common.sql.in: TYPE=hll

COMMENT ON TYPE hll IS
    'HyperLogLog sketch: the number of distinct items in 4 kB, standard error 0.84 %';

-- Building and changing

CREATE FUNCTION hll_empty(p int DEFAULT 13) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION hll_empty(int) IS
    'an empty sketch of 2^p registers, p 4 to 18; relative error about 0.76 / sqrt(2^p); errors: '
    '22023';

CREATE FUNCTION hll_add(sketch hll, value hashed) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_add(hll, hashed) IS
    'the sketch with the value added; errors: 42804 for a sketch of another system';

CREATE FUNCTION hll_add(sketch hll, value text) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_add(hll, text) IS
    'the sketch with the value added; hashed by the sketch''s own hash function';

CREATE FUNCTION hll_add(sketch hll, value bytea) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_bytea' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_add(hll, bytea) IS
    'the sketch with the value added; hashed by the sketch''s own hash function';

CREATE FUNCTION hll_add_all(sketch hll, items hashed[]) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_add_all(hll, hashed[]) IS
    'the sketch with all values of the array added; NULL elements are skipped; errors: 42804 for a '
    'sketch of another system';

CREATE FUNCTION hll_add_all(sketch hll, items text[]) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_add_all(hll, text[]) IS
    'the sketch with all values of the array added; NULL elements are skipped';

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
CREATE FUNCTION hll_add_all(sketch hll, items varchar[]) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_add_all(hll, varchar[]) IS
    'the sketch with all values of the array added; NULL elements are skipped';

CREATE FUNCTION hll_add_all(sketch hll, items bytea[]) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all_bytea' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_add_all(hll, bytea[]) IS
    'the sketch with all values of the array added; NULL elements are skipped';

CREATE FUNCTION hll_add_all(sketch hll, items text) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all_untyped' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_add_all(hll, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION hll_try_add(INOUT sketch hll, value hashed, OUT changed boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_try_add(hll, hashed) IS
    'the sketch with the value added, and whether that changed it, as PFADD replies; errors: 42804 '
    'for a sketch of another system';

CREATE FUNCTION hll_try_add(INOUT sketch hll, value text, OUT changed boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_try_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_try_add(hll, text) IS
    'the sketch with the value added, and whether that changed it, as PFADD replies';

CREATE FUNCTION hll_try_add(INOUT sketch hll, value bytea, OUT changed boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_try_add_bytea' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_try_add(hll, bytea) IS
    'the sketch with the value added, and whether that changed it, as PFADD replies';

CREATE FUNCTION hll_reduce(sketch hll, p int) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_reduce' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_reduce(hll, int) IS 'the sketch folded to a lower precision; errors: 22023';

CREATE FUNCTION hll_union(a hll, b hll) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_union(hll, hll) IS
    'the sketch of all items of both, at the lower precision of the two; errors: 42804 for '
    'different hash functions';

-- Asking

CREATE FUNCTION hll_cardinality(sketch hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION hll_cardinality(hll) IS
    'estimated number of distinct items; reads the header only';

CREATE FUNCTION hll_cardinality(VARIADIC sketches hll[]) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_cardinality_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION hll_cardinality(VARIADIC hll[]) IS
    'estimated number of distinct items in the union, as PFCOUNT of several keys; 0 without '
    'arguments; errors: 42804 for different hash functions';

CREATE FUNCTION hll_bounds(
    sketch hll, sigmas float8 DEFAULT 2,
    OUT lower bigint, OUT estimate bigint, OUT upper bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION hll_bounds(hll, float8) IS
    'the estimate, and the bounds that lie the given number of standard errors below and above '
    'it; errors: 22023';

CREATE FUNCTION hll_intersection_cardinality(a hll, b hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_intersection_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION hll_intersection_cardinality(hll, hll) IS
    'estimated number of distinct items that are in both, by joint maximum likelihood; errors: '
    '42804 for different hash functions';

CREATE FUNCTION hll_difference_cardinality(a hll, b hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_difference_cardinality'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION hll_difference_cardinality(hll, hll) IS
    'estimated number of distinct items of the first that are not in the second, by joint maximum '
    'likelihood; errors: 42804 for different hash functions';

CREATE FUNCTION hll_jaccard(a hll, b hll) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_hll_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION hll_jaccard(hll, hll) IS
    'Jaccard index: the estimated size of the intersection as a share of the union, 0 to 1; NULL '
    'when both are empty; errors: 42804 for different hash functions';

CREATE FUNCTION hll_info(
    sketch hll,
    OUT "precision" int, OUT encoding text, OUT cardinality bigint,
    OUT relative_error float8, OUT hash text, OUT bytes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION hll_info(hll) IS
    'parameters, the estimate with its standard error, bytes of the packed value';

CREATE FUNCTION hll_describe(sketch hll) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_hll_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION hll_describe(hll) IS
    'one line for people: the estimate with its standard error, encoding, precision, bytes';

CREATE FUNCTION hll_registers(sketch hll, OUT register int, OUT rank int, OUT history int)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_hll_registers' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10000
    COST 100;
COMMENT ON FUNCTION hll_registers(hll) IS
    'the registers that are not empty. history is 2 if the rank below was seen, plus 1 if the '
    'rank below that was seen; it is NULL for hash functions without history';

-- Operators

CREATE OPERATOR | (
    LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(hll, hll) IS 'union';

CREATE OPERATOR # (
    RIGHTARG = hll, FUNCTION = hll_cardinality
);
COMMENT ON OPERATOR #(NONE, hll) IS 'estimated number of distinct items';

-- Aggregates. The state is the type itself, the union combines.

-- include shared/states.sql.in: TYPE=hll

CREATE FUNCTION _approx_count_distinct_final(hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_cardinality_final' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_count_distinct_final(hll) IS
    'final function: the cardinality, 0 for no state';

CREATE FUNCTION _hll_union_cardinality_final(hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _hll_union_cardinality_final(hll) IS 'final function: the cardinality';

CREATE FUNCTION _hll_union_cardinality_final_moving(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _hll_union_cardinality_final_moving(internal) IS
    'final function over moving frames';

-- include shared/state.sql.in: TYPE=hll; ARGUMENTS=hashed; SYMBOL=hll_agg_state
-- include shared/state.sql.in: TYPE=hll; ARGUMENTS=text; SYMBOL=hll_agg_text_state
-- include shared/state.sql.in: TYPE=hll; ARGUMENTS=hashed, int; SYMBOL=hll_agg_precision_state
-- include shared/state.sql.in: TYPE=hll; ARGUMENTS=text, int; SYMBOL=hll_agg_text_precision_state

-- include shared/aggregate.sql.in: NAME=hll_agg; ARGUMENTS=value hashed; TYPE=hll; SPACE=256
COMMENT ON AGGREGATE hll_agg(hashed) IS
    'sketch of the distinct values, precision 13; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=hll_agg; ARGUMENTS=value text; TYPE=hll; SPACE=256
COMMENT ON AGGREGATE hll_agg(text) IS
    'sketch of the distinct values, precision 13; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=hll_agg; ARGUMENTS=value hashed, p int; TYPE=hll;
--     SPACE=256
COMMENT ON AGGREGATE hll_agg(hashed, int) IS
    'sketch of the distinct values, precision 4 to 18; NULL over no rows; errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=hll_agg; ARGUMENTS=value text, p int; TYPE=hll;
--     SPACE=256
COMMENT ON AGGREGATE hll_agg(text, int) IS
    'sketch of the distinct values, precision 4 to 18; NULL over no rows; errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=hll_union_agg; ARGUMENTS=sketch hll; TYPE=hll; SPACE=8192;
--     STATE=_hll_union_state
COMMENT ON AGGREGATE hll_union_agg(hll) IS
    'union of sketches, at the lowest precision of them; NULL over no rows; errors: 42804 for '
    'different hash functions';

-- include shared/aggregate.sql.in: NAME=hll_union_cardinality_agg; ARGUMENTS=sketch hll; TYPE=hll;
--     SPACE=8192; STATE=_hll_union_state; FINAL=_hll_union_cardinality_final
COMMENT ON AGGREGATE hll_union_cardinality_agg(hll) IS
    'estimated number of distinct items in any of the sketches; NULL over no rows; errors: 42804 '
    'for different hash functions';

CREATE FUNCTION _approx_count_distinct_moving(internal, hashed) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_moving'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_count_distinct_moving(internal, hashed) IS
    'transition function over moving frames, which counts exactly';

CREATE FUNCTION _approx_count_distinct_inverse(internal, hashed) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_inverse'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_count_distinct_inverse(internal, hashed) IS
    'inverse transition function over moving frames';

CREATE FUNCTION _approx_count_distinct_moving(internal, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_text_moving'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_count_distinct_moving(internal, text) IS
    'transition function over moving frames, which counts exactly';

CREATE FUNCTION _approx_count_distinct_inverse(internal, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_text_inverse'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_count_distinct_inverse(internal, text) IS
    'inverse transition function over moving frames';

CREATE FUNCTION _approx_count_distinct_final_moving(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_moving_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_count_distinct_final_moving(internal) IS
    'final function over moving frames';

-- include shared/aggregate.sql.in: NAME=approx_count_distinct; ARGUMENTS=value hashed; TYPE=hll;
--     SPACE=256; STATE=_hll_agg_state; FINAL=_approx_count_distinct_final;
--     MOVING=_approx_count_distinct
COMMENT ON AGGREGATE approx_count_distinct(hashed) IS
    'estimated number of distinct values, standard error 0.84 %, exact over frames that '
    'move; 0 over no rows';

-- include shared/aggregate.sql.in: NAME=approx_count_distinct; ARGUMENTS=value text; TYPE=hll;
--     SPACE=256; STATE=_hll_agg_state; FINAL=_approx_count_distinct_final;
--     MOVING=_approx_count_distinct
COMMENT ON AGGREGATE approx_count_distinct(text) IS
    'estimated number of distinct values, standard error 0.84 %, exact over frames that '
    'move; 0 over no rows';

-- include hll/import.sql.in
