-- tdigest: which value has a given rank, and which rank has a value?
-- See src/core/tdigest/tdigest.c and src/pg/tdigest/tdigest.c.

-- include shared/common.sql.in: TYPE=tdigest

COMMENT ON TYPE tdigest IS 't-digest: quantiles and ranks of numbers, in 1.4 kB';

-- Building and changing

CREATE FUNCTION tdigest_empty(compression int DEFAULT 200) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION tdigest_empty(int) IS
    'an empty digest, compression 10 to 10000; it keeps at most 3/4 as many centroids; errors: '
    '22023';

CREATE FUNCTION tdigest_add(sketch tdigest, value float8) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_add(tdigest, float8) IS
    'the digest with the value added; errors: 22023 for NaN and infinities';

CREATE FUNCTION tdigest_add(sketch tdigest, value float8, weight bigint) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_add(tdigest, float8, bigint) IS
    'the digest with the value added weight times; weights are 0 or more; errors: 22023, 22003 '
    'past 2^63-1';

CREATE FUNCTION tdigest_add_all(sketch tdigest, items float8[]) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_add_all(tdigest, float8[]) IS
    'the digest with all values of the array added; NULL elements are skipped; errors: 22023';

CREATE FUNCTION tdigest_union(a tdigest, b tdigest) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_union(tdigest, tdigest) IS
    'the digest of the values of both, at the lower compression of the two; errors: 22003';

-- Queries. Each takes one argument or an array. A literal or parameter without a type would fit both,
-- so it gets a function of its own, as PostgreSQL prefers text for it.

CREATE FUNCTION tdigest_quantile(sketch tdigest, q float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_quantile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_quantile(tdigest, float8) IS
    'the value that has the share q of all values below it, 0 <= q <= 1, as TDIGEST.QUANTILE '
    'answers; NULL when empty; errors: 22023';

CREATE FUNCTION tdigest_quantile(sketch tdigest, q float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_quantile_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_quantile(tdigest, float8[]) IS
    'the same for each element; NULL for NULL';

CREATE FUNCTION tdigest_quantile(sketch tdigest, q text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_quantile_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_quantile(tdigest, text) IS
    'the same for a literal or parameter without a type; errors: 22P02, 22023';

CREATE FUNCTION tdigest_percentile(sketch tdigest, q float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_percentile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_percentile(tdigest, float8) IS
    'the percentile q of the values, 0 <= q <= 1, as percentile_cont interpolates it; NULL when '
    'empty; errors: 22023';

CREATE FUNCTION tdigest_percentile(sketch tdigest, q float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_percentile_each'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_percentile(tdigest, float8[]) IS
    'the same for each element; NULL for NULL';

CREATE FUNCTION tdigest_percentile(sketch tdigest, q text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_percentile_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_percentile(tdigest, text) IS
    'the same for a literal or parameter without a type; errors: 22P02, 22023';

CREATE FUNCTION tdigest_cdf(sketch tdigest, value float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_cdf' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_cdf(tdigest, float8) IS
    'the share of all values that lie below the value; equal values count half; NULL when empty; '
    'errors: 22023 for NaN';

CREATE FUNCTION tdigest_cdf(sketch tdigest, items float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_cdf_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_cdf(tdigest, float8[]) IS
    'the same for each element; NULL for NULL';

CREATE FUNCTION tdigest_cdf(sketch tdigest, value text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_cdf_untyped' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_cdf(tdigest, text) IS
    'the same for a literal or parameter without a type; errors: 22P02, 22023';

CREATE FUNCTION tdigest_rank(sketch tdigest, value float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_tdigest_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_rank(tdigest, float8) IS
    'the number of values below the value; equal values count half, rounded down; -1 below all, '
    '-2 when empty; errors: 22023';

CREATE FUNCTION tdigest_rank(sketch tdigest, items float8[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_rank_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_rank(tdigest, float8[]) IS
    'the same for each element; NULL for NULL';

CREATE FUNCTION tdigest_rank(sketch tdigest, value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_tdigest_rank_untyped' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_rank(tdigest, text) IS
    'the same for a literal or parameter without a type; errors: 22P02, 22023';

CREATE FUNCTION tdigest_revrank(sketch tdigest, value float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_tdigest_revrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_revrank(tdigest, float8) IS
    'the number of values above the value; equal values count half; -1 above all, -2 when empty; '
    'errors: 22023';

CREATE FUNCTION tdigest_revrank(sketch tdigest, items float8[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_revrank_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_revrank(tdigest, float8[]) IS
    'the same for each element; NULL for NULL';

CREATE FUNCTION tdigest_revrank(sketch tdigest, value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_tdigest_revrank_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_revrank(tdigest, text) IS
    'the same for a literal or parameter without a type; errors: 22P02, 22023';

CREATE FUNCTION tdigest_byrank(sketch tdigest, rank bigint) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_byrank(tdigest, bigint) IS
    'the value of a rank; rank 0 is the least value; Infinity past the greatest; NULL when empty; '
    'errors: 22023';

CREATE FUNCTION tdigest_byrank(sketch tdigest, ranks bigint[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrank_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_byrank(tdigest, bigint[]) IS
    'the same for each element; NULL for NULL';

CREATE FUNCTION tdigest_byrank(sketch tdigest, rank text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrank_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_byrank(tdigest, text) IS
    'the same for a literal or parameter without a type; errors: 22P02, 22023';

CREATE FUNCTION tdigest_byrevrank(sketch tdigest, rank bigint) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrevrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_byrevrank(tdigest, bigint) IS
    'the value of a rank from above; rank 0 is the greatest value; -Infinity past the least; NULL '
    'when empty; errors: 22023';

CREATE FUNCTION tdigest_byrevrank(sketch tdigest, ranks bigint[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrevrank_each'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_byrevrank(tdigest, bigint[]) IS
    'the same for each element; NULL for NULL';

CREATE FUNCTION tdigest_byrevrank(sketch tdigest, rank text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrevrank_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_byrevrank(tdigest, text) IS
    'the same for a literal or parameter without a type; errors: 22P02, 22023';

CREATE FUNCTION tdigest_trimmed_mean(sketch tdigest, low float8, high float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_trimmed_mean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_trimmed_mean(tdigest, float8, float8) IS
    'the mean of the values between two quantiles; NULL when empty; errors: 22023';

CREATE FUNCTION tdigest_min(sketch tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_min(tdigest) IS 'the least value, exactly; NULL when empty';

CREATE FUNCTION tdigest_max(sketch tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_max(tdigest) IS 'the greatest value, exactly; NULL when empty';

CREATE FUNCTION tdigest_mean(sketch tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_mean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_mean(tdigest) IS
    'the mean of all values, exact except for rounding; NULL when empty';

CREATE FUNCTION tdigest_count(sketch tdigest) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_tdigest_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION tdigest_count(tdigest) IS
    'the number of values, each as often as its weight; reads the header only';

CREATE FUNCTION tdigest_info(
    sketch tdigest,
    OUT compression int, OUT centroids int, OUT count bigint, OUT min float8,
    OUT max float8, OUT bytes int
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_tdigest_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_info(tdigest) IS
    'compression, number of centroids and of values, least and greatest value, bytes of the '
    'packed value';

-- Looking at it

CREATE FUNCTION tdigest_histogram(
    sketch tdigest, buckets int,
    OUT lower float8, OUT upper float8, OUT count bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_tdigest_histogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 20 COST 100;
COMMENT ON FUNCTION tdigest_histogram(tdigest, int) IS
    'buckets of equal width, 1 to 10000, with estimated counts that add up to the whole; errors: '
    '22023';

CREATE FUNCTION tdigest_sparkline(sketch tdigest, width int DEFAULT 40) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_tdigest_sparkline' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_sparkline(tdigest, int) IS
    'the distribution as a line of bars, 1 to 1000 wide; NULL when empty; errors: 22023';

CREATE FUNCTION tdigest_centroids(
    sketch tdigest,
    OUT mean float8, OUT weight bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_tdigest_centroids' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    ROWS 120 COST 100;
COMMENT ON FUNCTION tdigest_centroids(tdigest) IS 'the centroids in ascending order';

CREATE FUNCTION tdigest_describe(sketch tdigest) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_tdigest_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION tdigest_describe(tdigest) IS
    'one line for people: count, extremes, median, compression, bytes';

-- Other systems' sketches

CREATE FUNCTION tdigest_from_redis(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_redis'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_redis(bytea) IS
    'reads a t-digest of Redis (TDIGEST.*), as DUMP returns it, and validates it; errors: 22P03';

CREATE FUNCTION tdigest_from_datasketches(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_datasketches'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_datasketches(bytea) IS
    'reads a t-digest of Apache DataSketches, of doubles or floats, and validates it; errors: '
    '22P03, 22003';

CREATE FUNCTION tdigest_to_datasketches(sketch tdigest) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_tdigest_to_datasketches'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_to_datasketches(tdigest) IS
    'the digest as a t-digest of Apache DataSketches, of doubles';

CREATE FUNCTION tdigest_from_kll(payload bytea, item text DEFAULT 'double') RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_kll'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_kll(bytea, text) IS
    'reads a KLL sketch of Apache DataSketches and validates it; items are ''double'', ''float'' '
    'or ''long''; errors: 22P03, 22023, 22003';

CREATE FUNCTION tdigest_from_dunning(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_dunning'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_dunning(bytea) IS
    'reads a t-digest of T. Dunning''s library (MergingDigest), verbose or small, and validates '
    'it; errors: 22P03, 22003';

CREATE FUNCTION tdigest_from_tdigest_extension(payload text) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_tdigest_extension_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_tdigest_extension(text) IS
    'reads a digest of the tdigest extension from its text or JSON, which keeps six digits of '
    'each mean; errors: 22P02, 22003, 54000';

CREATE FUNCTION tdigest_from_tdigest_extension(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_tdigest_extension'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_tdigest_extension(bytea) IS
    'reads a digest of the tdigest extension exactly, as its tdigest_send returns it; errors: '
    '22P03, 22003';

CREATE FUNCTION tdigest_from_histogram(bounds float8[], counts bigint[]) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_histogram'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_histogram(float8[], bigint[]) IS
    'the digest of a histogram with ascending bounds. With as many counts as bounds, each bound '
    'is an upper one; with one count more, the last bucket is open; errors: 22023, 22003, 22004, '
    '2202E';

CREATE FUNCTION tdigest_from_exponential_histogram(
    scale int, zero_count bigint, positive_offset int, positive bigint[],
    negative_offset int DEFAULT 0, negative bigint[] DEFAULT '{}'
) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_exponential_histogram'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_exponential_histogram(int, bigint, int, bigint[], int, bigint[]) IS
    'the digest of an exponential histogram of OpenTelemetry. Bucket i holds values above '
    'base^(offset + i); base = 2^(2^-scale), scale -10 to 20; errors: 22023, 22003, 22004, 2202E';

CREATE FUNCTION tdigest_from_ddsketch(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_ddsketch'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_ddsketch(bytea) IS
    'reads a DDSketch from its Protocol Buffers message and validates it; errors: 22P03, 22003';

-- Operators

CREATE OPERATOR | (
    LEFTARG = tdigest, RIGHTARG = tdigest, FUNCTION = tdigest_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(tdigest, tdigest) IS 'union';

CREATE OPERATOR # (
    RIGHTARG = tdigest, FUNCTION = tdigest_count
);
COMMENT ON OPERATOR #(NONE, tdigest) IS 'the number of values';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _approx_percentile_state(tdigest, float8, float8) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _approx_percentile_state(tdigest, float8, float8) IS 'transition function';

CREATE FUNCTION _approx_percentile_state(tdigest, float8, float8[]) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_approx_percentiles_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _approx_percentile_state(tdigest, float8, float8[]) IS 'transition function';

-- include shared/states.sql.in: TYPE=tdigest

CREATE FUNCTION _tdigest_combine(tdigest, tdigest) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _tdigest_combine(tdigest, tdigest) IS
    'combine function of aggregates with a compression, which must be the same in all states';

CREATE FUNCTION _tdigest_union_percentile_state(tdigest, tdigest, float8) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_union_percentile_state'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentile_state(tdigest, tdigest, float8) IS
    'transition function';

CREATE FUNCTION _tdigest_union_percentile_state(tdigest, tdigest, text) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_union_percentile_untyped_state'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentile_state(tdigest, tdigest, text) IS
    'transition function';

CREATE FUNCTION _tdigest_union_percentile_state(tdigest, tdigest, float8[]) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_union_percentiles_state'
    LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentile_state(tdigest, tdigest, float8[]) IS
    'transition function';

CREATE FUNCTION _approx_percentile_final(tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_final'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _approx_percentile_final(tdigest) IS
    'final function: the percentile that the state carries';

CREATE FUNCTION _approx_percentiles_final(tdigest) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_approx_percentiles_final'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _approx_percentiles_final(tdigest) IS
    'final function: the percentiles that the state carries';

CREATE FUNCTION _approx_median_final(tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_median_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _approx_median_final(tdigest) IS 'final function: the median';

-- include shared/state.sql.in: TYPE=tdigest; ARGUMENTS=float8; SYMBOL=tdigest_agg_state
-- include shared/state.sql.in: TYPE=tdigest; ARGUMENTS=float8, int;
--     SYMBOL=tdigest_agg_compression_state
-- include shared/state.sql.in: TYPE=tdigest; ARGUMENTS=float8, bigint;
--     SYMBOL=tdigest_weighted_agg_state; STATE=_tdigest_weighted_agg_state
-- include shared/state.sql.in: TYPE=tdigest; ARGUMENTS=float8, bigint, int;
--     SYMBOL=tdigest_weighted_agg_state; STATE=_tdigest_weighted_agg_state

-- include shared/aggregate.sql.in: NAME=tdigest_agg; ARGUMENTS=value float8; TYPE=tdigest;
--     SPACE=256
COMMENT ON AGGREGATE tdigest_agg(float8) IS
    'digest of the values, compression 200; NULL over no rows; errors: 22023 for NaN and '
    'infinities';

-- include shared/aggregate.sql.in: NAME=tdigest_agg; ARGUMENTS=value float8, compression int;
--     TYPE=tdigest; SPACE=256; COMBINE=_tdigest_combine
COMMENT ON AGGREGATE tdigest_agg(float8, int) IS
    'digest of the values; the compression is constant in a group; NULL over no rows; errors: '
    '22023, 22004';

-- include shared/aggregate.sql.in: NAME=tdigest_weighted_agg;
--     ARGUMENTS=value float8, weight bigint; TYPE=tdigest; SPACE=512
COMMENT ON AGGREGATE tdigest_weighted_agg(float8, bigint) IS
    'digest of values with weights of 0 or more; NULL over no rows; errors: 22023, 22003';

-- include shared/aggregate.sql.in: NAME=tdigest_weighted_agg;
--     ARGUMENTS=value float8, weight bigint, compression int; TYPE=tdigest; SPACE=512;
--     COMBINE=_tdigest_combine
COMMENT ON AGGREGATE tdigest_weighted_agg(float8, bigint, int) IS
    'digest of values with weights of 0 or more; the compression is constant in a group; NULL '
    'over no rows; errors: 22023, 22004, 22003';

-- include shared/aggregate.sql.in: NAME=tdigest_union_agg; ARGUMENTS=sketch tdigest; TYPE=tdigest;
--     SPACE=65536; STATE=_tdigest_union_state
COMMENT ON AGGREGATE tdigest_union_agg(tdigest) IS
    'union of digests, at the lowest compression of them; NULL over no rows; errors: 22003';

CREATE FUNCTION _approx_percentile_moving(internal, float8, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_moving'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_percentile_moving(internal, float8, float8) IS
    'transition function over moving frames, which keeps the values in order';

CREATE FUNCTION _approx_percentile_inverse(internal, float8, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_inverse'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_percentile_inverse(internal, float8, float8) IS
    'inverse transition function over moving frames';

CREATE FUNCTION _approx_percentile_moving(internal, float8, float8[]) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_percentiles_moving'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_percentile_moving(internal, float8, float8[]) IS
    'transition function over moving frames, which keeps the values in order';

CREATE FUNCTION _approx_percentile_inverse(internal, float8, float8[]) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_inverse'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_percentile_inverse(internal, float8, float8[]) IS
    'inverse transition function over moving frames';

CREATE FUNCTION _approx_median_moving(internal, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_median_moving'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_median_moving(internal, float8) IS
    'transition function over moving frames, which keeps the values in order';

CREATE FUNCTION _approx_median_inverse(internal, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_inverse'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_median_inverse(internal, float8) IS
    'inverse transition function over moving frames';

CREATE FUNCTION _approx_percentile_final_moving(internal) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_moving_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_percentile_final_moving(internal) IS
    'final function over moving frames';

CREATE FUNCTION _approx_percentiles_final_moving(internal) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_approx_percentiles_moving_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_percentiles_final_moving(internal) IS
    'final function over moving frames';

CREATE FUNCTION _approx_median_final_moving(internal) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_median_moving_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION _approx_median_final_moving(internal) IS 'final function over moving frames';

-- include shared/moving.sql.in: STATE=_tdigest_union_percentile_state; ARGUMENTS=tdigest, float8
-- include shared/moving.sql.in: STATE=_tdigest_union_percentile_state; ARGUMENTS=tdigest, float8[]
-- include shared/moving.sql.in: STATE=_tdigest_union_percentile_state; ARGUMENTS=tdigest, text

CREATE FUNCTION _tdigest_union_percentile_final(tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_final'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentile_final(tdigest) IS
    'final function: the percentile that the state carries';

CREATE FUNCTION _tdigest_union_percentiles_final(tdigest) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_approx_percentiles_final'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentiles_final(tdigest) IS
    'final function: the percentiles that the state carries';

CREATE FUNCTION _tdigest_union_percentile_final_moving(internal) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_moving_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _tdigest_union_percentile_final_moving(internal) IS
    'final function over moving frames';

CREATE FUNCTION _tdigest_union_percentiles_final_moving(internal) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_moving_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _tdigest_union_percentiles_final_moving(internal) IS
    'final function over moving frames';

-- include shared/aggregate.sql.in: NAME=tdigest_union_percentile_agg;
--     ARGUMENTS=sketch tdigest, q float8; TYPE=tdigest; SPACE=65536;
--     STATE=_tdigest_union_percentile_state; FINAL=_tdigest_union_percentile_final
COMMENT ON AGGREGATE tdigest_union_percentile_agg(tdigest, float8) IS
    'the percentile q of all values in the digests, as percentile_cont interpolates it; q is '
    'constant in a group; NULL over no rows; errors: 22023, 22004, 22003';

-- include shared/aggregate.sql.in: NAME=tdigest_union_percentile_agg;
--     ARGUMENTS=sketch tdigest, q text; TYPE=tdigest; SPACE=65536;
--     STATE=_tdigest_union_percentile_state; FINAL=_tdigest_union_percentile_final
COMMENT ON AGGREGATE tdigest_union_percentile_agg(tdigest, text) IS
    'the same for a quantile without a type, such as ''0.5''; errors: 22P02, 22023, 22004, 22003';

-- include shared/aggregate.sql.in: NAME=tdigest_union_percentile_agg;
--     ARGUMENTS=sketch tdigest, q float8[]; TYPE=tdigest; SPACE=65536;
--     STATE=_tdigest_union_percentile_state; FINAL=_tdigest_union_percentiles_final
COMMENT ON AGGREGATE tdigest_union_percentile_agg(tdigest, float8[]) IS
    'the same for each element, at most 255; errors: 22023, 22004, 22003, 2202E';

-- include shared/aggregate.sql.in: NAME=approx_percentile; ARGUMENTS=value float8, q float8;
--     TYPE=tdigest; SPACE=256; FINAL=_approx_percentile_final; MOVING=_approx_percentile
COMMENT ON AGGREGATE approx_percentile(float8, float8) IS
    'the percentile q of the values, as percentile_cont interpolates it; 0 <= q <= 1, constant in '
    'a group; NULL over no rows; errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=approx_percentile;
--     ARGUMENTS=value float8, q float8[]; TYPE=tdigest; SPACE=256;
--     FINAL=_approx_percentiles_final; MOVING=_approx_percentile
COMMENT ON AGGREGATE approx_percentile(float8, float8[]) IS
    'the same for each element, at most 255; errors: 22023, 22004, 2202E';

-- include shared/aggregate.sql.in: NAME=approx_median; ARGUMENTS=value float8; TYPE=tdigest;
--     SPACE=256; STATE=_tdigest_agg_state; FINAL=_approx_median_final; MOVING=_approx_median
COMMENT ON AGGREGATE approx_median(float8) IS
    'the median of the values, as percentile_cont interpolates it; NULL over no rows; errors: '
    '22023';
