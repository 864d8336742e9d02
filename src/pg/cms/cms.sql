-- cms: how often did each item occur? See src/core/cms/cms.c and src/pg/cms/cms.c.

-- include shared/common.sql.in: TYPE=cms

COMMENT ON TYPE cms IS 'Count-Min sketch: how often did each item occur?';

-- Building and changing

CREATE FUNCTION cms_empty(error float8 DEFAULT 0.001, probability float8 DEFAULT 0.01) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cms_empty(float8, float8) IS
    'an empty sketch of 2 / error columns and log2(1 / probability) rows; errors: 22023';

CREATE FUNCTION cms_by_dim(width int, depth int) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_by_dim' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cms_by_dim(int, int) IS
    'an empty sketch with this number of columns (width) and rows (depth); errors: 22023';

CREATE FUNCTION cms_add(sketch cms, value hashed, count bigint DEFAULT 1) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add(cms, hashed, bigint) IS
    'the sketch with the value added count times; errors: 22023, 22003, 42804 for a sketch of '
    'Redis';

CREATE FUNCTION cms_add(sketch cms, value text, count bigint DEFAULT 1) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add(cms, text, bigint) IS
    'the sketch with the value added count times; errors: 22023, 22003';

CREATE FUNCTION cms_add(sketch cms, value bytea, count bigint DEFAULT 1) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_bytea' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add(cms, bytea, bigint) IS
    'the sketch with the value added count times; errors: 22023, 22003';

CREATE FUNCTION cms_add_all(sketch cms, items hashed[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add_all(cms, hashed[]) IS
    'the sketch with all elements added; NULLs are skipped; errors: 22003';

CREATE FUNCTION cms_add_all(sketch cms, items hashed[], counts bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add_all(cms, hashed[], bigint[]) IS
    'the sketch with each element added as often as its count says; errors: 22023, 22003, 2202E';

CREATE FUNCTION cms_add_all(sketch cms, items text[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add_all(cms, text[]) IS
    'the sketch with all elements added; NULLs are skipped; errors: 22003';

CREATE FUNCTION cms_add_all(sketch cms, items text[], counts bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add_all(cms, text[], bigint[]) IS
    'the sketch with each element added as often as its count says; errors: 22023, 22003, 2202E';

CREATE FUNCTION cms_add_all(sketch cms, items varchar[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add_all(cms, varchar[]) IS
    'the sketch with all elements added; NULLs are skipped; errors: 22003';

CREATE FUNCTION cms_add_all(sketch cms, items varchar[], counts bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add_all(cms, varchar[], bigint[]) IS
    'the sketch with each element added as often as its count says; errors: 22023, 22003, 2202E';

CREATE FUNCTION cms_add_all(sketch cms, items text) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all_untyped' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add_all(cms, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cms_add_all(sketch cms, items text, counts bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all_untyped' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_add_all(cms, text, bigint[]) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cms_merge(sketches cms[], weights bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_merge(cms[], bigint[]) IS
    'the sum of the sketches, each multiplied by its weight; errors: 22023, 2202E, 42804, 22003';

CREATE FUNCTION cms_union(a cms, b cms) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_union(cms, cms) IS
    'the sum of two sketches of one shape; errors: 42804, 22003';

CREATE OPERATOR | (
    LEFTARG = cms, RIGHTARG = cms, FUNCTION = cms_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(cms, cms) IS 'the sum of two sketches of one shape';

-- Asking

CREATE FUNCTION cms_query(sketch cms, value hashed) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_query(cms, hashed) IS
    'the count of the value, never below the truth; errors: 42804 for a sketch of Redis';

CREATE FUNCTION cms_query(sketch cms, value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_query_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_query(cms, text) IS 'the count of the value, never below the truth';

CREATE FUNCTION cms_query(sketch cms, value bytea) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_query_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_query(cms, bytea) IS 'the count of the value, never below the truth';

CREATE FUNCTION cms_query_each(sketch cms, items hashed[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_cms_query_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_query_each(cms, hashed[]) IS
    'the count of each element, never below the truth; NULL for NULL';

CREATE FUNCTION cms_query_each(sketch cms, items text[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_cms_query_each_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_query_each(cms, text[]) IS
    'the count of each element, never below the truth; NULL for NULL';

CREATE FUNCTION cms_query_each(sketch cms, items varchar[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_cms_query_each_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_query_each(cms, varchar[]) IS
    'the count of each element, never below the truth; NULL for NULL';

CREATE FUNCTION cms_query_each(sketch cms, items text) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_cms_query_each_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_query_each(cms, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cms_total(sketch cms) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cms_total(cms) IS 'the sum of all counts; reads the header only';

CREATE OPERATOR # (
    RIGHTARG = cms, FUNCTION = cms_total
);
COMMENT ON OPERATOR #(NONE, cms) IS 'the sum of all counts';

CREATE FUNCTION cms_error(sketch cms) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_error' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cms_error(cms) IS
    'the bound of the error: a count exceeds the truth by more with the chosen probability only';

CREATE FUNCTION cms_inner_product(a cms, b cms) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_inner_product' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_inner_product(cms, cms) IS
    'the estimated sum, over all items, of the product of the two counts; errors: 42804, 22003';

CREATE FUNCTION cms_describe(sketch cms) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_cms_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_describe(cms) IS 'one line for people: total, error bound, shape, bytes';

-- Redis

CREATE FUNCTION cms_from_redis(payload bytea) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_from_redis(bytea) IS
    'reads a Count-Min sketch of Redis (CMS.*) from its DUMP payload; it keeps the hash of Redis; '
    'errors: 22P03, 22003';

CREATE FUNCTION cms_to_redis(sketch cms) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_cms_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_to_redis(cms) IS
    'the payload that RESTORE takes for a CMS key, for a sketch that counts with the hash of '
    'Redis; errors: 42804, 22003';

CREATE FUNCTION cms_info(
    sketch cms,
    OUT width int, OUT depth int, OUT total bigint, OUT encoding text, OUT error float8,
    OUT probability float8, OUT bytes int
)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cms_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cms_info(cms) IS
    'width, depth, total, encoding (list or table), error as a share of the total, probability of '
    'a larger error, bytes of the packed value';

-- Aggregates. The state is the type itself, the union combines.

-- include shared/states.sql.in: TYPE=cms

-- include shared/state.sql.in: TYPE=cms; ARGUMENTS=hashed; SYMBOL=cms_agg_state
-- include shared/state.sql.in: TYPE=cms; ARGUMENTS=hashed, bigint; SYMBOL=cms_agg_state
-- include shared/state.sql.in: TYPE=cms; ARGUMENTS=hashed, float8, float8; SYMBOL=cms_agg_state
-- include shared/state.sql.in: TYPE=cms; ARGUMENTS=hashed, bigint, float8, float8;
--     SYMBOL=cms_agg_state
-- include shared/state.sql.in: TYPE=cms; ARGUMENTS=text; SYMBOL=cms_agg_text_state
-- include shared/state.sql.in: TYPE=cms; ARGUMENTS=text, bigint; SYMBOL=cms_agg_text_state
-- include shared/state.sql.in: TYPE=cms; ARGUMENTS=text, float8, float8; SYMBOL=cms_agg_text_state
-- include shared/state.sql.in: TYPE=cms; ARGUMENTS=text, bigint, float8, float8;
--     SYMBOL=cms_agg_text_state

-- include shared/aggregate.sql.in: NAME=cms_agg; ARGUMENTS=value hashed; TYPE=cms; SPACE=1024
COMMENT ON AGGREGATE cms_agg(hashed) IS 'sketch of the counts of the values; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=cms_agg; ARGUMENTS=value hashed, count bigint; TYPE=cms;
--     SPACE=1024
COMMENT ON AGGREGATE cms_agg(hashed, bigint) IS
    'sketch of the counts of the values; a row counts count times; NULL over no rows; errors: '
    '22023, 22003';

-- include shared/aggregate.sql.in: NAME=cms_agg;
--     ARGUMENTS=value hashed, error float8, probability float8; TYPE=cms; SPACE=1024
COMMENT ON AGGREGATE cms_agg(hashed, float8, float8) IS
    'sketch of the counts of the values, with this error and probability; NULL over no rows; '
    'errors: 22023, 22004, 22003';

-- include shared/aggregate.sql.in: NAME=cms_agg;
--     ARGUMENTS=value hashed, count bigint, error float8, probability float8; TYPE=cms; SPACE=1024
COMMENT ON AGGREGATE cms_agg(hashed, bigint, float8, float8) IS
    'sketch of the counts of the values, with this error and probability; a row counts count '
    'times; NULL over no rows; errors: 22023, 22004, 22003';

-- include shared/aggregate.sql.in: NAME=cms_agg; ARGUMENTS=value text; TYPE=cms; SPACE=1024
COMMENT ON AGGREGATE cms_agg(text) IS 'sketch of the counts of the values; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=cms_agg; ARGUMENTS=value text, count bigint; TYPE=cms;
--     SPACE=1024
COMMENT ON AGGREGATE cms_agg(text, bigint) IS
    'sketch of the counts of the values; a row counts count times; NULL over no rows; errors: '
    '22023, 22003';

-- include shared/aggregate.sql.in: NAME=cms_agg;
--     ARGUMENTS=value text, error float8, probability float8; TYPE=cms; SPACE=1024
COMMENT ON AGGREGATE cms_agg(text, float8, float8) IS
    'sketch of the counts of the values, with this error and probability; NULL over no rows; '
    'errors: 22023, 22004, 22003';

-- include shared/aggregate.sql.in: NAME=cms_agg;
--     ARGUMENTS=value text, count bigint, error float8, probability float8; TYPE=cms; SPACE=1024
COMMENT ON AGGREGATE cms_agg(text, bigint, float8, float8) IS
    'sketch of the counts of the values, with this error and probability; a row counts count '
    'times; NULL over no rows; errors: 22023, 22004, 22003';

-- include shared/aggregate.sql.in: NAME=cms_union_agg; ARGUMENTS=sketch cms; TYPE=cms; SPACE=65536;
--     STATE=_cms_union_state
COMMENT ON AGGREGATE cms_union_agg(cms) IS
    'the sum of sketches of one shape; NULL over no rows; errors: 42804, 22003';
