-- tdigest: scalar functions and operators.
--
-- Of up to 150 values of weight 1 (3/4 of the compression) a digest answers exactly, and is compared
-- with what SQL computes from the values. Beyond, answers are compared by rank: the error is below
-- half the weight that a centroid may have at that quantile. The definition of this weight is in
-- doc/formats.md, and is written down once more here.
\set ECHO none
\i sql/include/output.sql
SET extra_float_digits = 1;
\i sql/include/error_of.sql
\set ECHO all

-- Digests of 1..n used below, at compression 200 but for the last two; those of n > 200 at 2000 are
-- large enough to be stored out of line.
CREATE TABLE tdigest_n (n int, compression int, t tdigest, PRIMARY KEY (n, compression));
INSERT INTO tdigest_n
    SELECT n, c, coalesce((SELECT tdigest_agg(x, c) FROM generate_series(1, n) x), tdigest_empty(c))
      FROM unnest(ARRAY[0, 1, 2, 3, 10, 150, 151, 1000, 30000]) n, (VALUES (200), (2000)) v(c)
     WHERE c = 200 OR n >= 1000;
CREATE VIEW digest AS SELECT * FROM tdigest_n WHERE compression = 200;

-- The share of all that a centroid around quantile q may hold.
CREATE FUNCTION pg_temp.centroid_share(q float8, n bigint, compression int DEFAULT 200)
RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT 1 / (1.05 * compression / 2
                * (0.65 / (pi() * sqrt(s)) + 0.35 / (2 * (ln(2) * floor(log(2, n)) + 1) * s)))
      FROM (SELECT greatest(q * (1 - q), 1.0 / n)) k(s)
$$;

-- ---- empty ----

SELECT (tdigest_info(tdigest_empty())).*;
SELECT c, (tdigest_info(tdigest_empty(c))).compression FROM unnest(ARRAY[10, 200, 10000]) c;
SELECT tdigest_empty(compression => 100) = tdigest_empty(100) AS named,
       tdigest_empty() = tdigest_empty(200) AS standard,
       tdigest_empty(100) = tdigest_empty(101) AS other;
-- Of nothing: NULL where Redis says nan, -2 for ranks.
SELECT tdigest_count(t), tdigest_min(t), tdigest_max(t), tdigest_mean(t),
       tdigest_quantile(t, 0.5) AS quantile, tdigest_cdf(t, 1) AS cdf, tdigest_rank(t, 1) AS rank,
       tdigest_revrank(t, 1) AS revrank, tdigest_byrank(t, 0) AS byrank,
       tdigest_byrevrank(t, 0) AS byrevrank, tdigest_trimmed_mean(t, 0, 1) AS trimmed_mean,
       tdigest_sparkline(t) AS sparkline,
       (SELECT count(*) FROM tdigest_histogram(t, 10)) AS histogram,
       (SELECT count(*) FROM tdigest_centroids(t)) AS centroids
  FROM tdigest_empty() t;
SELECT tdigest_quantiles(t, ARRAY[0, 1]) AS quantile, tdigest_cdf_each(t, ARRAY[1, NULL]) AS cdf,
       tdigest_rank_each(t, ARRAY[1, NULL]) AS rank, tdigest_revrank_each(t, ARRAY[1, NULL]) AS revrank,
       tdigest_byrank_each(t, ARRAY[0, NULL]) AS byrank, tdigest_byrevrank_each(t, ARRAY[0, 1]) AS byrevrank
  FROM tdigest_empty() t;
SELECT c, pg_temp.error_of(format('SELECT tdigest_empty(%s)', c))
  FROM unnest(ARRAY[9, 10001, 0, -1, -2147483648, 2147483647]) c;

-- ---- adding ----

-- Numbers of every type come as float8 by themselves; literals too.
SELECT bool_and(t = tdigest_add(tdigest_empty(), 2)) AS same
  FROM (VALUES (tdigest_add(tdigest_empty(), 2::smallint)),
               (tdigest_add(tdigest_empty(), 2::bigint)), (tdigest_add(tdigest_empty(), 2.0)),
               (tdigest_add(tdigest_empty(), 2::real)), (tdigest_add(tdigest_empty(), '2')),
               (tdigest_add(sketch => tdigest_empty(), value => 2::float8)),
               (tdigest_add(tdigest_empty(), 2, 1)),
               (tdigest_add(sketch => tdigest_empty(), value => 2, weight => 1)),
               (tdigest_add_all(tdigest_empty(), ARRAY[2])),
               (tdigest_add_all(tdigest_empty(), '{2}'))) v(t);
SELECT pg_temp.sqlstate_of('SELECT tdigest_add(tdigest_empty(), now())') AS no_number,
       pg_temp.sqlstate_of('SELECT tdigest_add(tdigest_empty(), ''a'')') AS no_literal,
       pg_temp.sqlstate_of('SELECT tdigest_add(tdigest_empty(), ''1''::text)') AS text;
-- -0 is 0; the greatest and the least of numbers are numbers.
SELECT tdigest_min(tdigest_add(tdigest_empty(), '-0')) AS zero,
       tdigest_add(tdigest_empty(), '-0') = tdigest_add(tdigest_empty(), 0) AS one_zero;
SELECT tdigest_min(t) = '-1.7976931348623157e308' AS least,
       tdigest_max(t) = '1.7976931348623157e308' AS greatest,
       tdigest_quantile(t, 0.5) AS median, tdigest_mean(t) BETWEEN -1e300 AND 1e300 AS mean,
       tdigest_cdf_each(t, ARRAY[-1e308, 5e-324, 1e308]) AS cdf, tdigest_rank(t, 6e-324) AS rank,
       tdigest_byrank(t, 1) = 5e-324 AS denormal
  FROM tdigest_add_all(tdigest_empty(),
                       ARRAY[1.7976931348623157e308, 5e-324, -1.7976931348623157e308]::float8[]) t;
SELECT v, pg_temp.error_of(format('SELECT tdigest_add(tdigest_empty(), %L)', v)) AS add,
       pg_temp.sqlstate_of(format('SELECT tdigest_add(tdigest_empty(), %L, 2)', v)) AS weighted,
       pg_temp.sqlstate_of(format('SELECT tdigest_add_all(tdigest_empty(), ARRAY[1, %L]::float8[])', v))
           AS add_all
  FROM unnest(ARRAY['NaN', 'Infinity', '-Infinity']) v;
SELECT pg_temp.error_of('SELECT tdigest_add_all(tdigest_empty(), ARRAY[1, ''NaN'', 2]::float8[])');

-- All elements of an array of any shape, NULLs skipped; the same as one after the other, in any
-- order.
SELECT tdigest_count(tdigest_add_all(tdigest_empty(), ARRAY[1, 2, 3, 3, 2])) AS ints,
       tdigest_count(tdigest_add_all(tdigest_empty(), ARRAY[1, 2, NULL, 3]::bigint[])) AS bigints,
       tdigest_count(tdigest_add_all(tdigest_empty(), ARRAY[1.5, 1.50, NULL, 2])) AS numerics,
       tdigest_count(tdigest_add_all(tdigest_empty(), ARRAY[1.5, 2]::real[])) AS reals,
       tdigest_count(tdigest_add_all(tdigest_empty(), ARRAY[[1, 2], [3, 4]])) AS two_dimensions,
       tdigest_count(tdigest_add_all(tdigest_empty(), '[5:6]={1,2}'::int[])) AS other_bounds,
       tdigest_count(tdigest_add_all(tdigest_empty(), ARRAY[]::float8[])) AS none,
       tdigest_count(tdigest_add_all(tdigest_empty(), ARRAY[NULL, NULL]::float8[])) AS nulls;
SELECT tdigest_add_all(tdigest_empty(), ARRAY[1, 2, 3])
           = tdigest_add(tdigest_add(tdigest_add(tdigest_empty(), 3), 1), 2) AS one_by_one,
       tdigest_add_all(tdigest_empty(), ARRAY[[1, 2], [NULL, 3]])
           = tdigest_add_all(tdigest_empty(), ARRAY[3, 2, 1]) AS any_shape;
SELECT bool_and(tdigest_add_all(s.t, ARRAY(SELECT generate_series(s.n + 1, t.n))) = t.t)
           AS as_aggregate
  FROM digest s JOIN digest t ON t.n BETWEEN s.n AND 150;
-- From every size to a large one: none is lost, and the least and the greatest are known.
SELECT bool_and(tdigest_count(a) = t.n AND tdigest_min(a) = 1 AND tdigest_max(a) = t.n) AS complete
  FROM digest s JOIN digest t ON t.n > s.n,
       tdigest_add_all(s.t, ARRAY(SELECT generate_series(s.n + 1, t.n))) a;
-- One by one, each time packed, is the hardest way; it is still a digest of them.
WITH RECURSIVE grown(n, t) AS (
    SELECT 0, tdigest_empty()
    UNION ALL
    SELECT n + 1, tdigest_add(t, (n * 7919) % 2000) FROM grown WHERE n < 2000
)
SELECT bool_and(tdigest_count(t) = n) AS all_counted,
       bool_and((tdigest_info(t)).centroids <= 150) AS few_centroids,
       bool_and((tdigest_info(t)).centroids = n) FILTER (WHERE n <= 150) AS exact_to_150,
       max(abs(tdigest_quantile(t, 0.5) - 1000)) FILTER (WHERE n = 2000)
           < 2000 * pg_temp.centroid_share(0.5, 2000) AS median
  FROM grown;

-- Weights: a value so many times.
SELECT tdigest_count(t), tdigest_min(t), tdigest_max(t), tdigest_mean(t),
       tdigest_rank_each(t, ARRAY[1, 2, 3]) AS rank, tdigest_revrank_each(t, ARRAY[1, 2, 3]) AS revrank,
       tdigest_cdf(t, 2) AS cdf
  FROM tdigest_add(tdigest_add(tdigest_empty(), 1, 3), 3, 5) t;
SELECT tdigest_count(t), tdigest_min(t), tdigest_max(t), tdigest_mean(t),
       tdigest_quantiles(t, ARRAY[0, 0.5, 1]) AS quantile, tdigest_cdf_each(t, ARRAY[6, 7, 8]) AS cdf
  FROM tdigest_add(tdigest_empty(), 7, 9223372036854775807) t;
SELECT w, pg_temp.error_of(format('SELECT tdigest_add(tdigest_empty(), 1, %s)', w))
  FROM unnest(ARRAY['0', '-1', '-9223372036854775808']) w;
SELECT pg_temp.sqlstate_of('SELECT tdigest_add(tdigest_empty(), 1, 9223372036854775808)');
-- The total is a bigint.
SELECT pg_temp.error_of('SELECT tdigest_add(tdigest_add(tdigest_empty(), 1, 9223372036854775807), 1)')
           AS one_more,
       pg_temp.error_of('SELECT tdigest_add(tdigest_add(tdigest_empty(), 1, 2), 2,
                                            9223372036854775806)') AS more,
       pg_temp.error_of('SELECT tdigest_add(tdigest_add(tdigest_empty(), 1, 2), 2,
                                            9223372036854775805)') AS as_many,
       pg_temp.error_of('SELECT tdigest_add_all(tdigest_add(tdigest_empty(), 1,
                                                9223372036854775806), ARRAY[1, 2])') AS an_array,
       pg_temp.error_of('SELECT t | t FROM tdigest_add(tdigest_empty(), 1, 4611686018427387904) t')
           AS union;

-- The argument is never changed.
SELECT bool_and(t = text::tdigest AND t::text = text) AS unchanged
  FROM (SELECT t, t::text AS text, tdigest_add(t, -1), tdigest_add(t, -1, 7), t | t,
               tdigest_add_all(t, ARRAY[-1, -2]), _tdigest_union_state(t, tdigest_empty(10)),
               tdigest_quantile(t, 0.5), _tdigest_agg_state(t, -1)
          FROM tdigest_n OFFSET 0) s;

-- ---- the answers of Redis ----

CREATE TEMP TABLE known AS
    SELECT tdigest_add_all(tdigest_empty(), ARRAY[1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5])
        AS t;
SELECT tdigest_cdf_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6])
           = ARRAY[0, 1 / 30.0, 2 / 15.0, 0.3, 8 / 15.0, 5 / 6.0, 1]::float8[] AS cdf,
       tdigest_rank_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6]) AS rank,
       tdigest_revrank_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6]) AS revrank,
       tdigest_byrank_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]) AS byrank,
       tdigest_trimmed_mean(t, 0.1, 0.9) = 3.769230769230769 AS trimmed_mean
  FROM known;
SELECT tdigest_byrevrank_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
           AS byrevrank,
       tdigest_quantiles(t, ARRAY[0, 0.2, 0.4, 0.6, 0.8, 1]) AS quantile
  FROM known;
SELECT tdigest_quantile(t, 0.5) AS p50, tdigest_quantile(t, 0.99) AS p99
  FROM (SELECT tdigest_agg(x) AS t FROM generate_series(1, 10000) x) s;
-- One value answers itself.
SELECT tdigest_quantiles(t, ARRAY[0, 0.3, 0.5, 1]) AS quantile, tdigest_cdf_each(t, ARRAY[6, 7, 8])
    AS cdf,
       tdigest_rank_each(t, ARRAY[6, 7, 8]) AS rank, tdigest_revrank_each(t, ARRAY[6, 7, 8]) AS revrank,
       tdigest_byrank_each(t, ARRAY[0, 1]) AS byrank, tdigest_byrevrank_each(t, ARRAY[0, 1]) AS byrevrank,
       tdigest_trimmed_mean(t, 0.4, 0.6) AS trimmed_mean, tdigest_mean(t), tdigest_min(t),
       tdigest_max(t)
  FROM tdigest_add(tdigest_empty(), 7) t;

-- A literal or parameter without a type: a number.
SELECT tdigest_quantile(t, '0.5') AS quantile, tdigest_percentile(t, ' 0.5 ') AS percentile,
       tdigest_cdf(t, '2') AS cdf, tdigest_rank(t, '2') AS rank, tdigest_revrank(t, '2') AS revrank,
       tdigest_byrank(t, '2') AS byrank, tdigest_byrevrank(t, '2') AS byrevrank,
       tdigest_quantile(t, NULL) AS null, tdigest_quantiles(t, '{0.5}'::float8[]) AS array
  FROM (SELECT tdigest_add_all(tdigest_empty(), ARRAY[1, 2, 3, 4]) AS t) s;
PREPARE untyped AS SELECT tdigest_quantile(tdigest_add_all(tdigest_empty(), ARRAY[1, 2, 3, 4]), $1);
EXECUTE untyped(0.25);
DEALLOCATE untyped;
SELECT call, pg_temp.error_of(format('SELECT %s', call)) AS error
  FROM unnest(ARRAY[$$tdigest_quantiles(tdigest_empty(), '{0.5}')$$,
                    $$tdigest_byrank(tdigest_empty(), ' {1,2}')$$,
                    $$tdigest_quantile(tdigest_empty(), 'half')$$,
                    $$tdigest_byrank(tdigest_empty(), '0.5')$$,
                    $$tdigest_quantile(tdigest_empty(), '1.5')$$,
                    $$tdigest_percentile(tdigest_empty(), 'NaN')$$]) call;
-- One question or many: an array of answers of the same shape, NULL for NULL.
SELECT tdigest_quantiles(t, '{}'::float8[]) AS quantile, tdigest_cdf_each(t, '{}'::float8[]) AS cdf,
       tdigest_rank_each(t, '{}'::float8[]) AS rank, tdigest_revrank_each(t, '{}'::float8[]) AS revrank,
       tdigest_byrank_each(t, '{}'::bigint[]) AS byrank, tdigest_byrevrank_each(t, '{}'::bigint[])
           AS byrevrank
  FROM known;
SELECT tdigest_quantiles(t, '[2:3][4:5]={{0,0.2},{0.5,NULL}}'::float8[]) AS quantile,
       tdigest_cdf_each(t, ARRAY[[0, NULL], [6, 3]]) AS cdf,
       tdigest_rank_each(t, ARRAY[NULL, 3]) AS rank, tdigest_revrank_each(t,
           ARRAY[[[3]], [[NULL]]]::float8[]) AS revrank,
       tdigest_byrank_each(t, ARRAY[NULL, 3, NULL]) AS byrank,
       tdigest_byrevrank_each(t, ARRAY[[3], [NULL]]::bigint[]) AS byrevrank
  FROM known;
SELECT bool_and(tdigest_quantiles(t, qs) = (SELECT array_agg(tdigest_quantile(t, q) ORDER BY i)
                                             FROM unnest(qs) WITH ORDINALITY u(q, i))) AS quantile,
       bool_and(tdigest_cdf_each(t, vs) = (SELECT array_agg(tdigest_cdf(t, v) ORDER BY i)
                                        FROM unnest(vs) WITH ORDINALITY u(v, i))) AS cdf,
       bool_and(tdigest_rank_each(t, vs) = (SELECT array_agg(tdigest_rank(t, v) ORDER BY i)
                                         FROM unnest(vs) WITH ORDINALITY u(v, i))) AS rank,
       bool_and(tdigest_revrank_each(t, vs) = (SELECT array_agg(tdigest_revrank(t, v) ORDER BY i)
                                            FROM unnest(vs) WITH ORDINALITY u(v, i))) AS revrank,
       bool_and(tdigest_byrank_each(t, rs) = (SELECT array_agg(tdigest_byrank(t, r) ORDER BY i)
                                           FROM unnest(rs) WITH ORDINALITY u(r, i))) AS byrank,
       bool_and(tdigest_byrevrank_each(t, rs) = (SELECT array_agg(tdigest_byrevrank(t, r) ORDER BY i)
                                              FROM unnest(rs) WITH ORDINALITY u(r, i))) AS byrevrank
  FROM tdigest_n,
       (SELECT array_agg(i / 50.0::float8) FROM generate_series(0, 50) i) q(qs),
       (SELECT array_agg(i * 37 - 5.5::float8) FROM generate_series(0, 50) i) v(vs),
       (SELECT array_agg(i * 37) FROM generate_series(0, 50) i) r(rs)
 WHERE n > 0;

-- Questions that cannot be answered, also of an empty digest, and within an array.
SELECT call, pg_temp.error_of(format('SELECT %s FROM known', call)) AS error
  FROM unnest(ARRAY[
    'tdigest_quantile(t, -0.01)', 'tdigest_quantile(t, 1.01)',
    'tdigest_quantile(t, float8 ''NaN'')', 'tdigest_quantile(t, float8 ''Infinity'')',
    'tdigest_quantiles(t, ARRAY[0.5, 1.5])', 'tdigest_quantile(tdigest_empty(), 2)',
    'tdigest_quantiles(tdigest_empty(), ARRAY[2])',
    'tdigest_cdf(t, float8 ''NaN'')', 'tdigest_cdf_each(t, ARRAY[1, ''NaN'']::float8[])',
    'tdigest_cdf(tdigest_empty(), float8 ''NaN'')',
    'tdigest_rank(t, float8 ''NaN'')', 'tdigest_rank_each(t, ARRAY[1, ''NaN'']::float8[])',
    'tdigest_revrank(t, float8 ''NaN'')', 'tdigest_revrank_each(t, ARRAY[1, ''NaN'']::float8[])',
    'tdigest_byrank(t, -1)', 'tdigest_byrank_each(t, ARRAY[0, -1])',
    'tdigest_byrank(tdigest_empty(), -1)', 'tdigest_byrank(t, -9223372036854775808)',
    'tdigest_byrevrank(t, -1)', 'tdigest_byrevrank_each(t, ARRAY[0, -1])',
    'tdigest_trimmed_mean(t, 0.5, 0.5)', 'tdigest_trimmed_mean(t, 0.6, 0.5)',
    'tdigest_trimmed_mean(t, -0.1, 0.5)', 'tdigest_trimmed_mean(t, 0.1, 1.5)',
    'tdigest_trimmed_mean(t, ''NaN'', 0.5)', 'tdigest_trimmed_mean(t, 0.1, ''NaN'')',
    'tdigest_trimmed_mean(tdigest_empty(), 0.9, 0.1)',
    'tdigest_histogram(t, 0)', 'tdigest_histogram(t, -1)', 'tdigest_histogram(t, 10001)',
    'tdigest_histogram(tdigest_empty(), 0)',
    'tdigest_sparkline(t, 0)', 'tdigest_sparkline(t, -1)', 'tdigest_sparkline(t, 1001)',
    'tdigest_sparkline(tdigest_empty(), 0)']) call;
SELECT call, pg_temp.sqlstate_of(format('SELECT %s FROM known', call)) AS error
  FROM unnest(ARRAY['tdigest_byrank(t, 1.5)', 'tdigest_byrank(t, 9223372036854775807)',
                    'tdigest_byrank(t, 9223372036854775808)', 'tdigest_quantile(t, now())',
                    'tdigest_rank(t, float8 ''Infinity'')', 'tdigest_cdf(t, float8 ''-Infinity'')']) call;
SELECT tdigest_cdf_each(t, ARRAY['-Infinity', 'Infinity']::float8[]) AS cdf,
       tdigest_rank_each(t, ARRAY['-Infinity', 'Infinity']::float8[]) AS rank,
       tdigest_revrank_each(t, ARRAY['-Infinity', 'Infinity']::float8[]) AS revrank,
       tdigest_byrank(t, 9223372036854775807) AS byrank,
       tdigest_byrevrank(t, 9223372036854775807) AS byrevrank
  FROM known;

-- ---- exact while there are few ----

-- Sets of up to 150 values: different, with duplicates, negative, far apart, all the same.
CREATE TEMP TABLE few AS
    SELECT what, n, array_agg(v ORDER BY v) AS sorted, tdigest_agg(v) AS t
      FROM unnest(ARRAY[1, 2, 3, 4, 7, 10, 99, 100, 149, 150]) n, generate_series(0, n - 1) i,
           LATERAL (VALUES ('different', (i * 7919) % 10007 / 8.0::float8),
                           ('duplicates', (i * 7) % 5),
                           ('negative', -i * i),
                           ('far apart', (-2.0) ^ i),
                           ('same', 0.1)) v(what, v)
     GROUP BY what, n;
-- The value of quantile q is the one of index floor(q n). percentile_disc answers the same wherever
-- q n is no whole number; where it is one, it takes the value before.
SELECT count(*) AS questions,
       count(*) FILTER (WHERE tdigest_quantile(t, q) <> sorted[least(floor(q * n)::int + 1, n)])
           AS wrong,
       count(*) FILTER (WHERE tdigest_quantile(t, q) <> disc AND floor(q * n) <> q * n)
           AS not_percentile_disc
  FROM few, generate_series(0, 200) i, LATERAL (SELECT i / 200.0::float8 AS q) k,
       LATERAL (SELECT percentile_disc(q) WITHIN GROUP (ORDER BY v) AS disc FROM unnest(sorted) v) d;
-- Ranks against counting, at the values, between them, and beyond.
SELECT count(*) AS questions,
       count(*) FILTER (WHERE abs(tdigest_cdf(t, v) - (less + same / 2.0::float8) / n) > 1e-15)
           AS cdf,
       count(*) FILTER (WHERE tdigest_rank(t, v)
                              <> ceil(less + same / 2.0 - 0.5)) AS rank,
       count(*) FILTER (WHERE tdigest_revrank(t, v)
                              <> n - round(less + same / 2.0)) AS revrank
  FROM few, LATERAL (SELECT DISTINCT unnest(sorted || sorted[1] - 1 || sorted[n] + 1
                                            || ARRAY(SELECT s * 1.25 + 0.125 FROM unnest(sorted) s))
                                      AS v) k,
       LATERAL (SELECT count(*) FILTER (WHERE s < v) AS less, count(*) FILTER (WHERE s = v) AS same
                  FROM unnest(sorted) s) c;
SELECT bool_and(tdigest_byrank(t, r) IS NOT DISTINCT FROM sorted[r + 1]) AS byrank,
       bool_and(tdigest_byrevrank(t, r) IS NOT DISTINCT FROM sorted[n - r]) AS byrevrank
  FROM few, generate_series(0, n + 1) r;
SELECT bool_and(abs(tdigest_mean(t) - mean) <= 1e-13 * abs(sorted[1] - sorted[n])) AS mean,
       bool_and(tdigest_min(t) = sorted[1] AND tdigest_max(t) = sorted[n]) AS extremes,
       bool_and(tdigest_count(t) = n) AS count
  FROM few, LATERAL (SELECT avg(v) AS mean FROM unnest(sorted) v) a
 WHERE what <> 'same';
-- Trimmed mean and sum are those of the values from index floor(n low) to before ceil(n high).
SELECT count(*) AS questions,
       count(*) FILTER (WHERE abs(tdigest_trimmed_mean(t, low, high) - mean)
                              > 1e-13 * abs(sorted[1] - sorted[n])) AS wrong,
       count(*) FILTER (WHERE abs(tdigest_trimmed_sum(t, low, high) - sum)
                              > 1e-13 * n * abs(sorted[1] - sorted[n])) AS wrong_sum
  FROM few, (VALUES (0.0::float8, 1.0::float8), (0.1, 0.9), (0.25, 0.75), (0.5, 1), (0, 0.01),
                    (0.3, 0.31)) k(low, high),
       LATERAL (SELECT avg(v) AS mean, sum(v)
                  FROM unnest(sorted[floor(n * low)::int + 1 : ceil(n * high)::int]) v) a
 WHERE what <> 'same';
SELECT pg_temp.error_of($$SELECT tdigest_trimmed_sum(tdigest_add_all(NULL, '{1e308,1e308}'), 0, 1)$$);
SELECT tdigest_trimmed_mean(tdigest_add_all(NULL, '{1e308,1e308}'), 0, 1) AS mean;
-- Each value is a centroid.
SELECT bool_and((SELECT array_agg(mean) FROM tdigest_centroids(t)) = sorted) AS means,
       bool_and((SELECT bool_and(weight = 1) FROM tdigest_centroids(t))) AS weights
  FROM few;

-- ---- many ----

-- 10,000 values of several distributions, in several orders.
CREATE TEMP TABLE many AS
    SELECT what, arrived, tdigest_agg(v ORDER BY CASE arrived WHEN 'ascending' THEN v
                                                              WHEN 'descending' THEN -v
                                                              ELSE (i * 7919) % 10007 END) AS t
      FROM generate_series(1, 10000) i,
           LATERAL (VALUES ('uniform', i / 7.0::float8),
                           ('exponential', -ln(i / 10001.0::float8)),
                           ('Pareto', (i / 10001.0::float8) ^ -1.5),
                           ('few different', i % 13 / 10.0),
                           ('two far apart', i % 2 * 1e300),
                           ('constant', 0.1)) v(what, v),
           (VALUES ('ascending'), ('descending'), ('mixed')) o(arrived)
     GROUP BY what, arrived;
CREATE TEMP TABLE many_value AS
    SELECT 'uniform' AS what, i / 7.0::float8 AS v FROM generate_series(1, 10000) i
    UNION ALL SELECT 'exponential', -ln(i / 10001.0::float8) FROM generate_series(1, 10000) i
    UNION ALL SELECT 'Pareto', (i / 10001.0::float8) ^ -1.5 FROM generate_series(1, 10000) i;
CREATE TEMP TABLE many_sorted AS
    SELECT what, array_agg(v ORDER BY v) AS sorted FROM many_value GROUP BY what;
SELECT bool_and(tdigest_count(t) = 10000) AS count,
       bool_and((tdigest_info(t)).centroids <= 150) AS centroids,
       bool_and((tdigest_info(t)).bytes <= 1400) AS bytes
  FROM many;
-- The rank of the answer is the rank asked for, within half a centroid and one value.
SELECT count(*) AS questions,
       count(*) FILTER (WHERE abs(below / 10000.0 - q)
                              > pg_temp.centroid_share(q, 10000) / 2 + 1 / 10000.0)
                                  AS quantiles_off,
       count(*) FILTER (WHERE abs(tdigest_cdf(t, a) - below / 10000.0)
                              > pg_temp.centroid_share(q, 10000) / 2 + 1 / 10000.0) AS cdf_off
  FROM many m, unnest(ARRAY[0, 0.0001, 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999,
                            0.9999, 1]::float8[]) q,
       LATERAL (SELECT tdigest_quantile(t, q) AS a) a,
       LATERAL (SELECT width_bucket(a, sorted) AS below FROM many_sorted s WHERE s.what = m.what) c
 WHERE what IN ('uniform', 'exponential', 'Pareto');
-- Where values are equal answers are those values, never something beside them.
SELECT bool_and(tdigest_quantile(t, q) = 0.1) AS constant
  FROM many, generate_series(0, 2000) i, LATERAL (SELECT i / 2000.0::float8) k(q)
 WHERE what = 'constant';
SELECT arrived, tdigest_min(t), tdigest_max(t), tdigest_mean(t) = 0.1 AS mean,
       tdigest_rank(t, 0.1) AS rank, tdigest_revrank(t, 0.1) AS revrank, tdigest_cdf(t, 0.1) AS cdf
  FROM many WHERE what = 'constant' ORDER BY arrived;
SELECT bool_and(tdigest_quantile(t, (i + 0.5) / 13) = i / 10.0::float8) AS each
  FROM many, generate_series(0, 12) i WHERE what = 'few different';
-- More is never less, in both directions, and nothing is outside of the extremes.
SELECT count(*) FILTER (WHERE answer < before) AS quantile_descends,
       bool_and(answer BETWEEN tdigest_min(t) AND tdigest_max(t)) AS within
  FROM (SELECT what, t, q, answer, lag(answer) OVER (PARTITION BY what, arrived ORDER BY q)
      AS before
          FROM many, generate_series(0, 1000) i, LATERAL (SELECT i / 1000.0::float8) k(q),
               tdigest_quantile(t, q) answer) s;
SELECT count(*) FILTER (WHERE answer < before) AS cdf_descends,
       bool_and(answer BETWEEN 0 AND 1) AS within
  FROM (SELECT answer, lag(answer) OVER (PARTITION BY what, arrived ORDER BY v) AS before
          FROM many, generate_series(-1, 1001) i,
               LATERAL (SELECT tdigest_min(t) + (tdigest_max(t) - tdigest_min(t)) * (i / 1000.0)) k(v),
               tdigest_cdf(t, v) answer) s;
-- One is the other's inverse, within the weight of one value.
SELECT max(abs(tdigest_cdf(t, tdigest_quantile(t, q)) - q)) <= 1 / 10000.0::float8 AS inverse,
       bool_and(abs(tdigest_rank(t, v) - 10000 * tdigest_cdf(t, v)) <= 0.5 + 1e-6) AS rank_as_cdf,
       bool_and(abs(tdigest_rank(t, v) + tdigest_revrank(t, v) - 10000) <= 1) AS rank_and_revrank,
       bool_and(tdigest_quantile(t, (floor(q * 9999) + 0.5) / 10000)
                BETWEEN tdigest_byrank(t, floor(q * 9999)::bigint)
                    AND tdigest_byrank(t, floor(q * 9999)::bigint + 1)) AS byrank_as_quantile,
       bool_and(tdigest_byrank(t, 9999 - floor(q * 9999)::bigint)
                = tdigest_byrevrank(t, floor(q * 9999)::bigint)) AS byrevrank
  FROM many, generate_series(0, 300) i, LATERAL (SELECT i / 300.0::float8) k(q),
       tdigest_quantile(t, q) v
 WHERE what IN ('uniform', 'exponential', 'Pareto');
SELECT bool_and(abs(tdigest_mean(t) / mean - 1) < 1e-9) AS mean,
       bool_and(abs(tdigest_trimmed_mean(t, 0.2, 0.8) / trimmed - 1) < 0.001) AS trimmed_mean
  FROM many m,
       LATERAL (SELECT avg(v) AS mean, avg(v) FILTER (WHERE i > 2000 AND i <= 8000) AS trimmed
                  FROM (SELECT v, row_number() OVER (ORDER BY v) AS i FROM many_value v
                         WHERE v.what = m.what) s) a
 WHERE what IN ('uniform', 'exponential', 'Pareto');
-- A higher compression errs less, and takes more room.
SELECT bool_and((tdigest_info(t)).centroids <= c * 3 / 4) AS centroids,
       bool_and((tdigest_info(t)).bytes <= 36 + 10 * c * 3 / 4) AS bytes,
       bool_and(abs(tdigest_quantile(t, 0.5) - 5000) <= 10000 * pg_temp.centroid_share(0.5, 10000, c) / 2 + 1) AS median
  FROM (SELECT c, tdigest_agg((x * 7919) % 10000, c) AS t
          FROM unnest(ARRAY[10, 20, 50, 100, 500, 2000, 10000]) c, generate_series(1, 10000) x
         GROUP BY c) s;

-- ---- union ----

-- Of few values exactly what adding all gives; of many, within the error.
SELECT bool_and((a.t | b.t) = tdigest_add_all(a.t, ARRAY(SELECT generate_series(1, b.n))))
    AS exactly,
       bool_and((a.t | b.t) = (b.t | a.t)) AS commutes,
       bool_and((a.t | b.t) = tdigest_union(a.t, b.t)) AS function
  FROM digest a, digest b WHERE a.n + b.n <= 150;
SELECT bool_and((a.t | tdigest_empty()) = a.t AND (tdigest_empty() | a.t) = a.t) AS empty,
       bool_and(tdigest_count(a.t | b.t) = a.n + b.n) AS count,
       bool_and(tdigest_min(a.t | b.t) = least(tdigest_min(a.t), tdigest_min(b.t))
                AND tdigest_max(a.t | b.t) = greatest(tdigest_max(a.t), tdigest_max(b.t)))
                    AS extremes
  FROM digest a, digest b WHERE a.n + b.n > 0;
SELECT bool_and((SELECT bool_and(abs(tdigest_cdf(u.ab, x) - tdigest_cdf(u.ba, x))
                                 <= 2 * pg_temp.centroid_share(tdigest_cdf(u.ab, x), 30000))
                   FROM generate_series(1, 30000, 97) x)) AS commutes
  FROM digest a, digest b, LATERAL (SELECT a.t | b.t AS ab, b.t | a.t AS ba) u
 WHERE a.n >= 1000 AND b.n >= 1000;
-- Parts put together answer for the whole, however they were cut; twice the error is allowed.
SELECT cut, bool_and(tdigest_count(u) = 30000 AND tdigest_min(u) = 1 AND tdigest_max(u) = 30000)
           AS complete,
       bool_and(abs(tdigest_rank(u, x) - x) <= 30000 * pg_temp.centroid_share(x / 30000.0,
           30000) + 1)
           AS ranks
  FROM (SELECT 'by remainder' AS cut, tdigest_union_agg(t) AS u
          FROM (SELECT tdigest_agg(x) AS t FROM generate_series(1, 30000) x GROUP BY x % 8) s
        UNION ALL
        SELECT 'by size', tdigest_union_agg(t)
          FROM (SELECT tdigest_agg(x) AS t FROM generate_series(1, 30000) x GROUP BY x / 4000) s
        UNION ALL
        SELECT 'one by one', tdigest_union_agg(tdigest_add(tdigest_empty(), x))
          FROM generate_series(1, 30000) x) s,
       generate_series(1, 29999, 101) x
 GROUP BY cut ORDER BY cut;
-- Of different compressions the lower one holds.
SELECT bool_and((i).compression = least(p, q)) AS lower, bool_and((i).centroids <= least(p, q) * 3 / 4) AS limit,
       bool_and((i).count = 8000) AS count
  FROM (SELECT p, tdigest_agg(x, p) AS a FROM generate_series(1, 4000) x,
               unnest(ARRAY[10, 200, 5000]) p GROUP BY p) s,
       (SELECT p AS q, tdigest_agg(x, p) AS b FROM generate_series(2001, 6000) x,
               unnest(ARRAY[10, 200, 5000]) p GROUP BY p) t,
       tdigest_info(a | b) i;

-- ---- histogram ----

SELECT * FROM known, tdigest_histogram(t, 1) h \gset
SELECT :lower = 1 AND :upper = 5 AS range, :count AS count;
SELECT h.* FROM tdigest_histogram(tdigest_add_all(tdigest_empty(), ARRAY[0, 1, 2, 3, 4, 9, 10]),
    5) h;
-- In a line.
SELECT tdigest_describe(t) FROM (VALUES (tdigest_empty()), (tdigest_add(tdigest_empty(50), -1.5)),
    (tdigest_add(tdigest_empty(), 1e300, 9223372036854775807))) v(t);
SELECT tdigest_describe(tdigest_agg(x)) FROM generate_series(1, 100000) x;
-- Of one value, or of equal ones, there is one bucket, however many are asked for.
SELECT h.* FROM tdigest_histogram(tdigest_add(tdigest_empty(), 7), 10) h;
SELECT h.* FROM tdigest_histogram(tdigest_add_all(tdigest_empty(), ARRAY[0.1, 0.1, 0.1]), 10) h;
-- Buckets join one another from the least to the greatest, are of the same width, and add up.
SELECT count(*) AS digests, bool_and(rows = buckets) AS rows, bool_and(sum = tdigest_count(t))
    AS sum,
       bool_and(least >= 0) AS none_negative, bool_and(joined) AS joined,
       bool_and(low = tdigest_min(t) AND high = tdigest_max(t)) AS range, bool_and(even) AS even
  FROM (SELECT t FROM tdigest_n WHERE n > 1
        UNION ALL SELECT t FROM many WHERE what <> 'constant') d,
       unnest(ARRAY[1, 2, 3, 10, 1000]) buckets,
       LATERAL (SELECT count(*) AS rows, sum(count) AS sum, min(count) AS least,
                       bool_and(lower IS NOT DISTINCT FROM before OR before IS NULL) AS joined,
                       min(lower) AS low, max(upper) AS high,
                       bool_and(abs((upper - lower) * buckets / (tdigest_max(t) - tdigest_min(t)) - 1)
                                < 1e-9) AS even
                  FROM (SELECT h.*, lag(upper) OVER (ORDER BY i) AS before
                          FROM tdigest_histogram(t, buckets) WITH ORDINALITY h(lower, upper, count,
                              i))
                       k) h;
SELECT bool_and(abs(count - 1000) <= 2 * 10000 * pg_temp.centroid_share(0.5, 10000)) AS uniform
  FROM many, tdigest_histogram(t, 10) WHERE what = 'uniform';
SELECT count(*) AS rows, sum(count) FROM digest, tdigest_histogram(t, 10000) WHERE n = 1000;
SELECT lower, count FROM (SELECT tdigest_histogram(t, 5) AS h FROM known LIMIT 1) s,
       LATERAL (SELECT (h).lower, (h).count) k;
-- The counts of weights that a double does not hold exactly.
SELECT sum(count) = tdigest_count(t) AS sum, min(count) >= 0 AS none_negative
  FROM (SELECT tdigest_add(tdigest_add(tdigest_add(tdigest_empty(), 0, w), 5), 10) AS t
          FROM unnest(ARRAY[9223372036854775805, 9223372036854775605, 9007199254740993]) w) s,
       unnest(ARRAY[2, 3, 10]) buckets, tdigest_histogram(t, buckets)
 GROUP BY t, buckets;
SELECT tdigest_count(t) - tdigest_rank(t, 10) AS above, tdigest_rank(t, 11) = tdigest_count(t)
    AS all,
       tdigest_revrank(t, 10) BETWEEN 0 AND 1 AS revrank, tdigest_revrank(t, 11) AS beyond,
       tdigest_revrank(t, -1) = tdigest_count(t) AS below_all, tdigest_quantile(t, 1) AS last,
       char_length(tdigest_sparkline(t, 2)) AS drawn
  FROM (SELECT tdigest_add(tdigest_add(tdigest_add(tdigest_empty(), 0, w), 5), 10) AS t
          FROM unnest(ARRAY[9223372036854775805, 9223372036854775605]) w) s;
-- Values so near one another that there are no bounds between them.
SELECT bool_and(lower <= upper AND count >= 0) AS good, sum(count) AS sum
  FROM tdigest_histogram(tdigest_add_all(tdigest_empty(), ARRAY[0.1, 0.10000000000000002, 0.1]),
      100);

-- ---- sparkline ----

SELECT width, '|' || tdigest_sparkline(t, width) || '|' AS drawing
  FROM known, unnest(ARRAY[1, 5, 10]) width;
SELECT '|' || tdigest_sparkline(t) || '|' AS uniform FROM many
 WHERE what = 'uniform' AND arrived = 'mixed';
SELECT '|' || tdigest_sparkline(tdigest_agg(x * x), 20) || '|' AS squares
  FROM generate_series(1, 1000) x;
SELECT '|' || tdigest_sparkline(tdigest_add_all(tdigest_empty(), ARRAY[1, 1, 1, 1, 1, 1, 1, 1, 3]),
    3)
           || '|' AS a_gap;
-- So many characters, all of them bars or blanks, and the fullest bucket is a full bar.
SELECT count(*) AS drawings, bool_and(char_length(line) = width) AS width,
       bool_and(translate(line, ' ▁▂▃▄▅▆▇█', '') = '') AS bars, bool_and(line LIKE '%█%')
           AS a_full_one
  FROM (SELECT t FROM tdigest_n WHERE n > 0
        UNION ALL SELECT t FROM many
        UNION ALL SELECT t FROM few
        UNION ALL SELECT tdigest_add(tdigest_empty(), x / 10.0, x * x)
            FROM generate_series(1, 50) x) d,
       unnest(ARRAY[1, 2, 10, 40, 1000]) width, tdigest_sparkline(t, width) line;
SELECT tdigest_sparkline(t) = tdigest_sparkline(t, 40) AS standard,
       tdigest_sparkline(sketch => t, width => 7) = tdigest_sparkline(t, 7) AS named
  FROM known;

-- ---- centroids, info ----

SELECT bool_and(weights = tdigest_count(t)) AS add_up, bool_and(ascending) AS ascending,
       bool_and(least = tdigest_min(t) AND greatest = tdigest_max(t)) AS extremes,
       bool_and(smallest >= 1) AS no_zeros, bool_and(c = (i).centroids) AS as_info,
       bool_and(c <= (i).compression * 3 / 4) AS limit,
       bool_and((i).count = tdigest_count(t) AND (i).min = tdigest_min(t) AND (i).max
           = tdigest_max(t)
                AND (i).bytes = octet_length(t::bytea) + 4) AS info
  FROM (SELECT t FROM tdigest_n WHERE n > 0 UNION ALL SELECT t FROM many) d, tdigest_info(t) i,
       LATERAL (SELECT count(*) AS c, sum(weight) AS weights, min(mean) AS least,
                       max(mean) AS greatest, min(weight) AS smallest,
                       array_agg(mean) = array_agg(mean ORDER BY mean) AS ascending
                  FROM tdigest_centroids(t)) k;
-- The least and the greatest are centroids of one value, and those beside the ends hold less than
-- those in the middle.
SELECT bool_and(c[1] = 1 AND c[array_length(c, 1)] = 1) AS single_ends,
       bool_and(c[2] + c[array_length(c, 1) - 1] < c[array_length(c, 1) / 2]) AS small_ends
  FROM many, LATERAL (SELECT array_agg(weight) FROM tdigest_centroids(t)) k(c)
 WHERE what IN ('uniform', 'exponential', 'Pareto');
SELECT count(*) AS first_three
  FROM (SELECT tdigest_centroids(t) FROM tdigest_n WHERE n = 1000 AND compression = 200 LIMIT 3) s;
SELECT n, (tdigest_info(t)).* FROM digest WHERE n <= 150 ORDER BY n;

-- ---- comparison ----

-- The same rows in the same order make the same bytes; a different weight or compression is another.
SELECT bool_and(t = (SELECT tdigest_agg(x, compression) FROM generate_series(1, n) x)) AS again
  FROM tdigest_n WHERE n > 0;
SELECT tdigest_add(tdigest_empty(), 1, 2) = tdigest_add_all(tdigest_empty(), ARRAY[1, 1])
    AS weights,
       tdigest_add(tdigest_empty(100), 1) = tdigest_add(tdigest_empty(200), 1) AS compressions;

-- ---- bytes ----

-- Byte for byte: nothing, one value, and two of which one is there 300 times.
SELECT encode(tdigest_empty()::bytea, 'hex') AS empty,
       encode(tdigest_add(tdigest_empty(), 1)::bytea, 'hex') AS one;
SELECT encode(tdigest_add(tdigest_add(tdigest_empty(100), 1, 300), -2)::bytea, 'hex') AS two;
SELECT E' AgEAAGQA\r\n\tAAAAAAAAAAAAAA== '::tdigest = tdigest_empty(100) AS white_space;

-- Light values beside a weight past 2^53 are in the mean, too.
SELECT tdigest_mean(d) BETWEEN 112 AND 112.1 AS mean, tdigest_trimmed_sum(d, 0, 1) BETWEEN 1.009e18 AND 1.01e18 AS sum
FROM (SELECT tdigest_weighted_agg(v, w) AS d FROM (VALUES (1::float8, 9007199254740992::bigint), (1e18, 1)) AS x (v, w)) AS s;

DROP VIEW digest;
DROP TABLE tdigest_n;
