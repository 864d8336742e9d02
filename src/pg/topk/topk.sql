-- topk: which items are the most frequent? See src/core/topk/topk.c and src/pg/topk/topk.c.

-- include shared/common.sql.in: TYPE=topk

COMMENT ON TYPE topk IS
    'heavy hitters: the most frequent items, with bounds of their counts; 80 bytes for each item '
    'that is listed';

-- Building and changing. Items are text or bigint, the first one decides which.

CREATE FUNCTION topk_empty(k int DEFAULT 10) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION topk_empty(int) IS
    'an empty sketch that lists k items, 1 to 100000; errors: 22023';

CREATE FUNCTION topk_add(sketch topk, value text) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_add(topk, text) IS
    'the sketch with the item counted; errors: 42804 when its items are of the other type, '
    '22003, 54000 for an item of more than 1 MB';

CREATE FUNCTION topk_add(sketch topk, value bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add_bigint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_add(topk, bigint) IS
    'the sketch with the item counted; errors: 42804 when its items are of the other type, '
    '22003';

CREATE FUNCTION topk_add(sketch topk, value text, count bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_add(topk, text, bigint) IS
    'the sketch with the item counted count times; errors: 42804, 22023 for a count below 0, '
    '22003 past 2^63-1, 54000';

CREATE FUNCTION topk_add(sketch topk, value bigint, count bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add_bigint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_add(topk, bigint, bigint) IS
    'the sketch with the item counted count times; errors: 42804, 22023 for a count below 0, '
    '22003 past 2^63-1';

CREATE FUNCTION topk_add_all(sketch topk, items text[]) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_add_all(topk, text[]) IS
    'the sketch with all items of the array counted; NULL elements are skipped; errors: 42804, '
    '22003, 54000';

CREATE FUNCTION topk_add_all(sketch topk, items bigint[]) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add_all_bigint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_add_all(topk, bigint[]) IS
    'the sketch with all items of the array counted; NULL elements are skipped; errors: 42804, '
    '22003';

CREATE FUNCTION topk_add_all(sketch topk, items text) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add_all_untyped' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_add_all(topk, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION topk_try_add(INOUT sketch topk, value text, OUT expelled text)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_try_add(topk, text) IS
    'the sketch with the item counted, and the item that left the list for it, or NULL, as '
    'TOPK.ADD replies; errors as topk_add';

CREATE FUNCTION topk_try_add(INOUT sketch topk, value bigint, OUT expelled text)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_try_add_bigint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_try_add(topk, bigint) IS
    'the sketch with the item counted, and the item that left the list for it, or NULL, as '
    'TOPK.ADD replies; errors as topk_add';

CREATE FUNCTION topk_try_add(INOUT sketch topk, value text, count bigint, OUT expelled text)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_try_add(topk, text, bigint) IS
    'the sketch with the item counted count times, and the item that left the list for it, or '
    'NULL, as TOPK.INCRBY replies; errors as topk_add';

CREATE FUNCTION topk_try_add(INOUT sketch topk, value bigint, count bigint, OUT expelled text)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_try_add_bigint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_try_add(topk, bigint, bigint) IS
    'the sketch with the item counted count times, and the item that left the list for it, or '
    'NULL, as TOPK.INCRBY replies; errors as topk_add';

CREATE FUNCTION topk_decay(sketch topk, factor float8) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_decay' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_decay(topk, float8) IS
    'the sketch with every count multiplied by a factor of 0 to 1, bounds rounded outwards; '
    'errors: 22023';

CREATE FUNCTION topk_union(a topk, b topk) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_union(topk, topk) IS
    'the sketch of the items of both, for the lower k of the two; errors: 42804 for text and '
    'bigint, 22003';

-- Asking

CREATE FUNCTION topk_list(
    sketch topk,
    OUT item text, OUT count bigint, OUT lower bigint, OUT upper bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_topk_list' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10
    COST 100;
COMMENT ON FUNCTION topk_list(topk) IS
    'the k items with the highest counts, in descending order. The true count lies between lower '
    'and upper; count is the lower';

CREATE FUNCTION topk_list_bigint(
    sketch topk,
    OUT item bigint, OUT count bigint, OUT lower bigint, OUT upper bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_topk_list_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 10
    COST 100;
COMMENT ON FUNCTION topk_list_bigint(topk) IS
    'topk_list of a sketch of bigints, with items of that type; errors: 42804 for a sketch of '
    'texts';

CREATE FUNCTION topk_contains(sketch topk, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_topk_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_contains(topk, text) IS 'whether topk_list lists the item; errors: 42804';

CREATE FUNCTION topk_contains(sketch topk, value bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_topk_contains_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_contains(topk, bigint) IS
    'whether topk_list lists the item; errors: 42804';

CREATE FUNCTION topk_count(sketch topk, value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_count(topk, text) IS
    'the count of the item, never above the truth; 0 when it has no counter; errors: 42804';

CREATE FUNCTION topk_count(sketch topk, value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_count_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_count(topk, bigint) IS
    'the count of the item, never above the truth; 0 when it has no counter; errors: 42804';

CREATE FUNCTION topk_bounds(
    sketch topk, value text,
    OUT count bigint, OUT lower bigint, OUT upper bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_bounds(topk, text) IS
    'the count of the item, and the bounds of its true count; errors: 42804';

CREATE FUNCTION topk_bounds(
    sketch topk, value bigint,
    OUT count bigint, OUT lower bigint, OUT upper bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_bounds_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_bounds(topk, bigint) IS
    'the count of the item, and the bounds of its true count; errors: 42804';

CREATE FUNCTION topk_total(sketch topk) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION topk_total(topk) IS
    'the sum of all counts that were added; reads the header only';

CREATE OPERATOR # (
    RIGHTARG = topk, FUNCTION = topk_total
);
COMMENT ON OPERATOR #(NONE, topk) IS 'the sum of all counts';

CREATE FUNCTION topk_error(sketch topk) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_error' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION topk_error(topk) IS
    'the bound of the error: no count is lower than the truth by more, and no item without a '
    'counter occurred more often; 0 while all is exact; reads the header only';

CREATE FUNCTION topk_info(
    sketch topk,
    OUT k int, OUT items text, OUT counters int, OUT total bigint, OUT error bigint,
    OUT bytes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION topk_info(topk) IS
    'k, type of the items, counters, total, bound of the error, bytes of the packed value; reads '
    'the header only';

CREATE FUNCTION topk_describe(sketch topk) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_topk_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_describe(topk) IS 'one line for people: total, error bound, shape, bytes';

-- Other systems

CREATE FUNCTION topk_from_redis(payload bytea, OUT item bytea, OUT count bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_topk_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100 ROWS 10;
COMMENT ON FUNCTION topk_from_redis(bytea) IS
    'the items of a TOPK key of Redis, from its DUMP payload, highest counts first; errors: 22P03';

CREATE FUNCTION topk_from_datasketches(payload bytea, k int, item text DEFAULT 'text') RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_from_datasketches'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_from_datasketches(bytea, int, text) IS
    'reads a frequent-items sketch of DataSketches, of text or bigint items, with its bounds; '
    'errors: 22P03, 22023';

CREATE FUNCTION topk_from_topn(payload jsonb, k int) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_from_topn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION topk_from_topn(jsonb, int) IS
    'reads the items and counts of a value of the topn extension; errors: 22023, 22003';

-- Operators

CREATE OPERATOR | (
    LEFTARG = topk, RIGHTARG = topk, FUNCTION = topk_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(topk, topk) IS 'union';

-- Aggregates. The state is the type itself, the union combines.

-- include shared/states.sql.in: TYPE=topk

CREATE FUNCTION _approx_top_k_final(topk) RETURNS text[]
    AS 'MODULE_PATHNAME', 'sketches_approx_top_k_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _approx_top_k_final(topk) IS 'final function: the items of the list';

CREATE FUNCTION _approx_top_k_moving(internal, text, int) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_top_k_moving' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_top_k_moving(internal, text, int) IS
    'transition function over moving frames, which counts exactly';

CREATE FUNCTION _approx_top_k_inverse(internal, text, int) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_top_k_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_top_k_inverse(internal, text, int) IS
    'inverse transition function over moving frames';

CREATE FUNCTION _approx_top_k_moving(internal, bigint, int) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_top_k_bigint_moving' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_top_k_moving(internal, bigint, int) IS
    'transition function over moving frames, which counts exactly';

CREATE FUNCTION _approx_top_k_inverse(internal, bigint, int) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_top_k_bigint_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_top_k_inverse(internal, bigint, int) IS
    'inverse transition function over moving frames';

CREATE FUNCTION _approx_top_k_final_moving(internal) RETURNS text[]
    AS 'MODULE_PATHNAME', 'sketches_approx_top_k_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _approx_top_k_final_moving(internal) IS 'final function over moving frames';

-- include shared/state.sql.in: TYPE=topk; ARGUMENTS=text; SYMBOL=topk_agg_state
-- include shared/state.sql.in: TYPE=topk; ARGUMENTS=text, int; SYMBOL=topk_agg_k_state
-- include shared/state.sql.in: TYPE=topk; ARGUMENTS=text, int, bigint; SYMBOL=topk_agg_count_state
-- include shared/state.sql.in: TYPE=topk; ARGUMENTS=bigint; SYMBOL=topk_agg_bigint_state
-- include shared/state.sql.in: TYPE=topk; ARGUMENTS=bigint, int; SYMBOL=topk_agg_bigint_k_state
-- include shared/state.sql.in: TYPE=topk; ARGUMENTS=bigint, int, bigint;
--     SYMBOL=topk_agg_bigint_count_state

-- include shared/aggregate.sql.in: NAME=topk_agg; ARGUMENTS=value text; TYPE=topk; SPACE=1024
COMMENT ON AGGREGATE topk_agg(text) IS
    'sketch of the most frequent items, k = 10; NULL over no rows; errors: 54000 for an item of '
    'more than 1 MB';

-- include shared/aggregate.sql.in: NAME=topk_agg; ARGUMENTS=value text, k int; TYPE=topk;
--     SPACE=1024
COMMENT ON AGGREGATE topk_agg(text, int) IS
    'sketch of the k most frequent items, k constant in a group; NULL over no rows; errors: '
    '22023, 22004, 54000 for an item of more than 1 MB';

-- include shared/aggregate.sql.in: NAME=topk_agg; ARGUMENTS=value text, k int, count bigint;
--     TYPE=topk; SPACE=1024
COMMENT ON AGGREGATE topk_agg(text, int, bigint) IS
    'sketch of the k items with the highest sums of counts; rows with a NULL count are skipped; '
    'NULL over no rows; errors: 22023, 22004, 22003, 54000 for an item of more than 1 MB';

-- include shared/aggregate.sql.in: NAME=topk_agg; ARGUMENTS=value bigint; TYPE=topk; SPACE=1024
COMMENT ON AGGREGATE topk_agg(bigint) IS
    'sketch of the most frequent items, k = 10; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=topk_agg; ARGUMENTS=value bigint, k int; TYPE=topk;
--     SPACE=1024
COMMENT ON AGGREGATE topk_agg(bigint, int) IS
    'sketch of the k most frequent items, k constant in a group; NULL over no rows; errors: '
    '22023, 22004';

-- include shared/aggregate.sql.in: NAME=topk_agg; ARGUMENTS=value bigint, k int, count bigint;
--     TYPE=topk; SPACE=1024
COMMENT ON AGGREGATE topk_agg(bigint, int, bigint) IS
    'sketch of the k items with the highest sums of counts; rows with a NULL count are skipped; '
    'NULL over no rows; errors: 22023, 22004, 22003';

-- include shared/aggregate.sql.in: NAME=topk_union_agg; ARGUMENTS=sketch topk; TYPE=topk;
--     SPACE=16384; STATE=_topk_union_state
COMMENT ON AGGREGATE topk_union_agg(topk) IS
    'union of sketches, for the lowest k of them; NULL over no rows; errors: 42804, 22003';

-- include shared/aggregate.sql.in: NAME=approx_top_k; ARGUMENTS=value text, k int; TYPE=topk;
--     SPACE=1024; STATE=_topk_agg_state; FINAL=_approx_top_k_final;
--     MOVING=_approx_top_k
COMMENT ON AGGREGATE approx_top_k(text, int) IS
    'the k most frequent items, in descending order, exact over frames that move; NULL over no '
    'rows; errors: 22023, 22004, 54000';

-- include shared/aggregate.sql.in: NAME=approx_top_k; ARGUMENTS=value bigint, k int; TYPE=topk;
--     SPACE=1024; STATE=_topk_agg_state; FINAL=_approx_top_k_final;
--     MOVING=_approx_top_k
COMMENT ON AGGREGATE approx_top_k(bigint, int) IS
    'the k most frequent items, in descending order, exact over frames that move; NULL over no '
    'rows; errors: 22023, 22004';
