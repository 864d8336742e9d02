-- Quantiles with a guaranteed error, union and subtraction. Answers are compared with percentile_disc
-- and printed as booleans.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all
SET extra_float_digits = 0;

-- Latencies, some of them negative or zero, and every scale of magnitude.
CREATE TABLE latency AS
SELECT i AS id, i % 7 AS page, i / 100 AS minute,
       CASE WHEN i % 50 = 0 THEN 0 ELSE exp(3 + 2 * sin(i) + cos(i * 0.7)) * CASE WHEN i % 11 = 0 THEN -1 ELSE 1 END END AS ms,
       i % 4 AS weight
  FROM generate_series(1, 5000) AS i;

-- ---- building and changing ----

SELECT ddsketch_count(ddsketch_empty()), ddsketch_percentile(ddsketch_empty(), 0.5) IS NULL AS percentile,
       ddsketch_cdf(ddsketch_empty(), 1) IS NULL AS cdf, ddsketch_rank(ddsketch_empty(), 1) IS NULL AS rank,
       ddsketch_sum(ddsketch_empty()) IS NULL AS sum, ddsketch_mean(ddsketch_empty()) IS NULL AS mean,
       ddsketch_min(ddsketch_empty()) IS NULL AS min, ddsketch_max(ddsketch_empty()) IS NULL AS max,
       ddsketch_stddev(ddsketch_empty()) IS NULL AS stddev, ddsketch_sparkline(ddsketch_empty()) IS NULL AS sparkline,
       ddsketch_count(ddsketch_empty(), 0, 1) AS between, ddsketch_percentiles(ddsketch_empty(), '{0,1}'::float8[]);
SELECT count(*) FROM ddsketch_buckets(ddsketch_empty());
SELECT count(*) FROM ddsketch_histogram(ddsketch_empty(), 5);
SELECT ddsketch_describe(ddsketch_empty()), ddsketch_empty()::bytea, ddsketch_empty(0.01) = ddsketch_empty() AS same;
SELECT ddsketch_add(ddsketch_add(ddsketch_empty(), 1), 2) = ddsketch_add_all(ddsketch_empty(), '{2, NULL, 1}') AS all_of_them,
       ddsketch_add(ddsketch_empty(), 5, 3) = ddsketch_add_all(ddsketch_empty(), '{5, 5, 5}') AS weight,
       ddsketch_add(ddsketch_empty(), 5, 0) = ddsketch_empty() AS weight_0,
       ddsketch_add(ddsketch_empty(), -0.0) = ddsketch_add(ddsketch_empty(), 0) AS minus_zero,
       ddsketch_add(ddsketch_empty(), 'NaN', 0) = ddsketch_empty() AS no_nan;
SELECT ddsketch_add(NULL, 5) = ddsketch_add(ddsketch_empty(), 5) AS null_is_empty,
       ddsketch_add(ddsketch_empty(), NULL) = ddsketch_empty() AS nothing_added, ddsketch_add(NULL, NULL) IS NULL AS nothing,
       ddsketch_add(NULL, NULL, 2) IS NULL AS no_value, ddsketch_add(ddsketch_empty(), 1, NULL) = ddsketch_empty() AS no_weight,
       ddsketch_add_all(NULL, '{1}') = ddsketch_add(NULL, 1) AS null_all;

-- The format's example, doc/formats.md: 1 three times, 2, -3 and 0.
SELECT ddsketch_add_all(ddsketch_empty(), '{1, 2, -3, 1, 0, 1}')::bytea;
SELECT lower < -3 AND -3 < upper OR lower = 0 AND upper = 0 OR upper IN (1, 2) AS right, count
  FROM ddsketch_buckets('\x0b010000060601010c0501400002000000bcb00080'::bytea::ddsketch);

-- ---- the guarantee ----

SELECT count(*), bool_and(abs(answer - disc) <= 0.00542 * abs(disc)) AS within
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s, generate_series(0, 1, 0.01) AS q,
       LATERAL (SELECT percentile_disc(q) WITHIN GROUP (ORDER BY ms) AS disc FROM latency) AS p,
       LATERAL (SELECT ddsketch_percentile(d, q) AS answer) AS a;
SELECT e, count(*), bool_and(abs(answer - disc) <= e * abs(disc)) AS within
  FROM (VALUES (0.5), (0.1), (0.01), (0.001), (0.000001)) AS v(e), LATERAL (SELECT ddsketch_agg(ms, e) AS d FROM latency) AS s,
       generate_series(0, 1, 0.05) AS q, LATERAL (SELECT percentile_disc(q) WITHIN GROUP (ORDER BY ms) AS disc FROM latency) AS p,
       LATERAL (SELECT ddsketch_percentile(d, q) AS answer) AS a
 GROUP BY e ORDER BY e;
SELECT bool_and(abs(ddsketch_percentile(ddsketch_add(ddsketch_empty(), v), 0.5) - v) <= 0.00542 * abs(v)) AS any_magnitude
  FROM unnest('{1e-308, 2.2250738585072014e-308, -1e-300, 1e-100, 0.1, 1, -1024, 3e100, 1.7976931348623157e308}'::float8[]) AS v;
SELECT ddsketch_percentile(d, 0) = ddsketch_min(d) AS least, ddsketch_percentile(d, '1') = ddsketch_max(d) AS greatest,
       ddsketch_percentiles(d, '{0.5, NULL, 1}'::float8[]) = ARRAY[ddsketch_percentile(d, 0.5), NULL, ddsketch_max(d)] AS each,
       ddsketch_percentiles(d, '{{0}, {1}}'::float8[]) = ARRAY[[ddsketch_min(d)], [ddsketch_max(d)]] AS shape
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s;

-- Sums and moments are within the error, each value being so.
SELECT abs(ddsketch_sum(d) - sum(ms)) <= 0.00542 * sum(abs(ms)) AS sum, abs(ddsketch_mean(d) - avg(ms)) <= 0.00542 * avg(abs(ms)) AS mean,
       abs(ddsketch_stddev(d) - stddev(ms)) <= 0.00542 * sqrt(avg(ms * ms)) * 1.01 AS stddev, ddsketch_count(d) = count(*) AS count,
       ddsketch_count(d, '-Infinity', 'Infinity') = count(*) AS between
  FROM latency, (SELECT ddsketch_agg(ms) AS d FROM latency) AS s GROUP BY d;
SELECT ddsketch_stddev(ddsketch_add(ddsketch_empty(), 3)) IS NULL AS of_one, ddsketch_stddev(ddsketch_add(ddsketch_empty(), 3, 5)) AS of_same,
       ddsketch_mean(ddsketch_add_all(ddsketch_empty(), '{1e308, 1e308, 1e308}')) BETWEEN 0.99e308 AND 1.01e308 AS huge;

-- Ranks are exact at the bounds of buckets, and grow between them.
SELECT count(*) > 300 AS many, bool_and(ddsketch_rank(d, upper) = (SELECT count(*) FROM latency WHERE ms <= upper)) AS rank,
       bool_and(ddsketch_rank(d, lower) <= ddsketch_rank(d, lower * 0.7 + upper * 0.3)
                AND ddsketch_rank(d, lower * 0.7 + upper * 0.3) <= ddsketch_rank(d, lower * 0.3 + upper * 0.7)
                AND ddsketch_rank(d, lower * 0.3 + upper * 0.7) <= ddsketch_rank(d, upper)) AS grow,
       bool_and(ddsketch_cdf(d, upper) = ddsketch_rank(d, upper) / 5000.0) AS cdf,
       bool_and(ddsketch_count(d, lower, upper) = count) AS between
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s, ddsketch_buckets(d) WHERE lower > 0;
-- All of equal values are up to that value, which is the exact maximum; of negative ones none is below it.
SELECT bool_and(ddsketch_cdf(d, v) = 1) AS all_up_to, bool_and(ddsketch_rank(d, v) = 1000) AS rank, bool_and(ddsketch_count(d, v - 1, v) = 1000) AS counted,
       bool_and(ddsketch_rank(ddsketch_add(ddsketch_empty(), -v, 1000), -v) = 0) AS none_below
FROM unnest('{1,5,28,100,250,1234}'::float8[]) AS v, ddsketch_add(ddsketch_empty(), v, 1000) AS d;
SELECT ddsketch_rank(d, '-Infinity'), ddsketch_rank(d, 'Infinity'), ddsketch_cdf(d, '-Infinity'), ddsketch_cdf(d, 1e10),
       ddsketch_rank(d, 0) = (SELECT count(*) FROM latency WHERE ms <= 0) AS up_to_zero, ddsketch_count(d, '-Infinity', 'Infinity')
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s;

-- Of several numbers, and of a number without a type.
SELECT ddsketch_rank_each(d, ARRAY[-1, 20, NULL]) = ARRAY[ddsketch_rank(d, -1), ddsketch_rank(d, 20), NULL] AS ranks,
       ddsketch_cdf_each(d, ARRAY[[0], [20]]) = ARRAY[[ddsketch_cdf(d, 0)], [ddsketch_cdf(d, 20)]] AS cdfs,
       ddsketch_rank(d, '20') = ddsketch_rank(d, 20) AS rank, ddsketch_cdf(d, ' 2e1') = ddsketch_cdf(d, 20) AS cdf,
       ddsketch_cdf_each(ddsketch_empty(), '{1,NULL}'::float8[]) AS empty, ddsketch_rank(ddsketch_empty(), '1') IS NULL AS empty
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s;
SELECT pg_temp.error_of($$SELECT ddsketch_cdf(ddsketch_empty(), 'NaN')$$), pg_temp.error_of($$SELECT ddsketch_rank_each(ddsketch_empty(), ARRAY['NaN'::float8])$$),
       pg_temp.error_of($$SELECT ddsketch_rank_each(ddsketch_empty(), '{1,2}')$$), pg_temp.error_of($$SELECT ddsketch_cdf(ddsketch_empty(), 'one')$$);

-- ---- the same values, the same bytes ----

SELECT count(DISTINCT d::bytea)
  FROM (SELECT ddsketch_agg(ms ORDER BY id) FROM latency UNION ALL SELECT ddsketch_agg(ms ORDER BY ms DESC) FROM latency
        UNION ALL SELECT ddsketch_union_agg(d) FROM (SELECT ddsketch_agg(ms) AS d FROM latency GROUP BY page) AS p
        UNION ALL SELECT ddsketch_union_agg(d ORDER BY page DESC) FROM (SELECT page, ddsketch_agg(ms) AS d FROM latency GROUP BY page) AS p
        UNION ALL SELECT ddsketch_weighted_agg(ms, 1) FROM latency
        UNION ALL SELECT ddsketch_add_all(NULL, array_agg(ms)) FROM latency
        UNION ALL SELECT ddsketch_reduce(ddsketch_agg(ms, 0.001), 0.0055) FROM latency
        UNION ALL SELECT ddsketch_agg(ms) | ddsketch_empty(0.0001) FROM latency
        UNION ALL SELECT d::text::ddsketch FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS p
        UNION ALL SELECT d::bytea::ddsketch FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS p) AS s(d);
SELECT ddsketch_weighted_agg(ms, weight) = (SELECT ddsketch_agg(ms) FROM latency, generate_series(1, weight)) AS weights FROM latency;
SELECT ddsketch_agg(v) IS NULL AS none, ddsketch_weighted_agg(v, 2) IS NULL AS none, ddsketch_weighted_agg(1, v::bigint) IS NULL AS none
  FROM (VALUES (NULL::float8), (NULL)) AS n(v);
SELECT ddsketch_agg(v) = ddsketch_add(NULL, 1) AS skipped FROM (VALUES (NULL::float8), (1)) AS n(v);

-- Over frames that rows leave.
SET max_parallel_workers_per_gather = 0;
SELECT count(*), bool_and(moving = plain) AS unions
  FROM (SELECT minute, ddsketch_union_agg(d) OVER (ORDER BY minute ROWS 6 PRECEDING) AS moving
          FROM (SELECT minute, ddsketch_agg(ms) AS d FROM latency GROUP BY minute) AS s) AS m,
       LATERAL (SELECT ddsketch_agg(ms) AS plain FROM latency AS l WHERE l.minute BETWEEN m.minute - 6 AND m.minute) AS p;
RESET max_parallel_workers_per_gather;

-- ---- percentiles of unions ----

SELECT count(*), bool_and(one = ddsketch_percentile(u, 0.95) AND each = ddsketch_percentiles(u, ARRAY[0.5, 0.95, 0])) AS as_of_the_union
  FROM (SELECT ddsketch_union_percentile_agg(d, 0.95) AS one, ddsketch_union_percentiles_agg(d, ARRAY[0.5, 0.95, 0]) AS each,
               ddsketch_union_agg(d) AS u
          FROM (SELECT minute, page, ddsketch_agg(ms, CASE page WHEN 1 THEN 0.05 ELSE 0.001 END) AS d FROM latency GROUP BY minute, page) AS s
         GROUP BY minute) AS m;
SELECT ddsketch_union_percentile_agg(d, 0.5) AS with_nulls, ddsketch_union_percentiles_agg(d, ARRAY[0.5]) FILTER (WHERE d IS NULL) AS of_none,
       ddsketch_union_percentile_agg(ddsketch_empty(), 0.5) AS of_empty, ddsketch_union_percentiles_agg(d, '{}'::float8[]) AS no_quantiles,
       ddsketch_union_percentile_agg(d, '-0') = ddsketch_union_percentile_agg(d, 0) AS zeros
  FROM (VALUES (NULL), (ddsketch_add(NULL, 1)), (NULL), (ddsketch_add(ddsketch_empty(0.1), 2)), (ddsketch_empty()), (NULL)) AS v(d);
SELECT call, pg_temp.error_of(format('SELECT ddsketch_union_%s_agg(%s) FROM latency',
                                     CASE WHEN call ~* 'array' THEN 'percentiles' ELSE 'percentile' END, call))
  FROM unnest(ARRAY['ddsketch_add(NULL, ms), id / 5000.0', 'ddsketch_empty(), 1.5', 'ddsketch_empty(), NULL::float8',
                    'ddsketch_empty(), ARRAY[0.5, NULL]', 'ddsketch_empty(), ARRAY[[0.5]]', 'ddsketch_empty(), ''half''',
                    'ddsketch_empty(), ''NaN''', 'ddsketch_empty(), array_fill(0.5::float8, ARRAY[256])']) AS call;
-- The state of a group carries the quantiles: as a list and as pages, folded, and on its way to another server, as text
-- and in binary. Two states have the same ones; a value that is kept has none.
SELECT n, _ddsketch_union_percentiles_state(NULL, d, ARRAY[0, 1]) = d AS packed, _ddsketch_union_percentile_final(d) IS NULL AS none
  FROM (SELECT n, (SELECT ddsketch_agg(i) FROM generate_series(1, n) AS i) AS d FROM unnest('{10, 5000}'::int[]) AS n) AS s;
CREATE AGGREGATE raw_percentile(ddsketch, float8[]) (SFUNC = _ddsketch_union_percentiles_state, STYPE = ddsketch);
CREATE AGGREGATE united(ddsketch) (SFUNC = _ddsketch_union_state, STYPE = ddsketch, FINALFUNC = _ddsketch_union_percentiles_final);
CREATE TEMP TABLE moved AS
    SELECT page, raw_percentile(d, ARRAY[0.5, 0.99])::text AS state, ddsketch_union_agg(d) AS d
      FROM (SELECT page, minute, ddsketch_agg(ms, 0.001 * (1 + page)) AS d FROM latency GROUP BY page, minute) AS s GROUP BY page;
SELECT united(state::ddsketch) = ddsketch_percentiles(ddsketch_union_agg(d), ARRAY[0.5, 0.99]) AS answers,
       ddsketch_union_agg(state::ddsketch) = ddsketch_union_agg(d) AS union,
       bool_and(state::ddsketch::bytea = d::bytea AND state::ddsketch = d) AS packed,
       bool_and(get_byte(decode(state, 'base64'), 2) = 64) AS in_transit
  FROM moved;
SELECT pg_temp.error_of($$SELECT united(s) FROM unnest(ARRAY[(SELECT raw_percentile(ddsketch_add(NULL, 1), '{0.5}'::float8[])),
                                                   (SELECT raw_percentile(ddsketch_add(NULL, 1), '{0.6}'::float8[]))]) AS s$$) AS differ,
       pg_temp.error_of($$SELECT encode(set_byte(set_byte(b, length(b) - 2, 64), length(b) - 3, 0), 'base64')::ddsketch
                            FROM (SELECT decode(state, 'base64') FROM moved LIMIT 1) AS s(b)$$) AS no_quantile,
       pg_temp.error_of($$SELECT encode(set_byte(b, length(b) - 1, n), 'base64')::ddsketch
                            FROM (SELECT decode(state, 'base64') FROM moved LIMIT 1) AS s(b), unnest('{255}'::int[]) AS n$$) AS too_many,
       pg_temp.error_of($$SELECT encode(set_byte(b, length(b) - 1, 0), 'base64')::ddsketch
                            FROM (SELECT decode(state, 'base64') FROM moved LIMIT 1) AS s(b)$$) AS none;
DROP AGGREGATE raw_percentile(ddsketch, float8[]), united(ddsketch);

-- ---- union and difference ----

-- The counts are those of the values that are left; the extremes only where it is certain.
CREATE FUNCTION pg_temp.counts(d ddsketch) RETURNS text LANGUAGE sql AS $$SELECT array_agg(b)::text FROM ddsketch_buckets(d) AS b$$;
SELECT bool_and(pg_temp.counts((a | b) - b) = pg_temp.counts(a)) AS back, bool_and(pg_temp.counts((a | b) - a) = pg_temp.counts(b)) AS other, bool_and(a | b = b | a) AS either,
       bool_and(ddsketch_difference(a, a) = ddsketch_empty()) AS nothing, bool_and(a - ddsketch_empty() = a) AS nothing_less
  FROM (SELECT ddsketch_agg(ms) FILTER (WHERE id % 3 = 0) AS a, ddsketch_agg(ms) FILTER (WHERE id % 3 > 0) AS b
          FROM latency GROUP BY minute) AS s;
-- Of two relative errors the larger one counts.
SELECT a | e = e | a AS either, (ddsketch_info(a | e)).scale, pg_temp.counts((a | e) - a) = pg_temp.counts(e) AS less,
       pg_temp.counts(ddsketch_reduce(a, 0.05) | e) = pg_temp.counts(a | e) AS reduced
  FROM (SELECT ddsketch_agg(ms) AS a, ddsketch_add(ddsketch_empty(0.05), 7) AS e FROM latency) AS s;
-- That of an empty one does not count.
SELECT a | e = a AS right, e | a = a AS left, e - ddsketch_empty() = e AS nothing_less, ddsketch_empty() | e = e AS both_empty
  FROM (SELECT ddsketch_agg(ms) AS a, ddsketch_empty(0.05) AS e FROM latency) AS s;
-- What a subtraction leaves of the extremes.
SELECT (i).min, (i).min_is_exact, (i).max BETWEEN 89.5 AND 90.5 AS max, (i).max_is_exact
  FROM (SELECT ddsketch_info(ddsketch_agg(x) - ddsketch_agg(x) FILTER (WHERE x > 90)) AS i FROM generate_series(1, 100) AS x) AS s;
-- From any sketch an empty one takes nothing away, not even precision.
SELECT bool_and(d - empty = d) AS nothing_less, bool_and(ddsketch_increase(d, empty) = d) AS all_of_it
  FROM (SELECT ddsketch_agg(i, 0.001) FROM generate_series(1, 100) i
        UNION ALL SELECT ddsketch_from_ddsketch(ddsketch_to_ddsketch(ddsketch_agg(i))) FROM generate_series(1, 100) i) s (d),
       (VALUES (ddsketch_empty()), (ddsketch_empty(0.5)), (ddsketch_add(NULL, 1) - ddsketch_add(NULL, 1))) e (empty);
SELECT NULL | d = d AS null_is_empty, d | NULL = d AS either, d - NULL IS NULL AS strict, NULL - d IS NULL AS strict
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s;
-- What a cumulative sketch gained; after a reset it is what there is.
SELECT minute, ddsketch_count(ddsketch_increase(d, lag(d) OVER (ORDER BY minute))) AS gained
  FROM (SELECT minute, ddsketch_union_agg(d) OVER (PARTITION BY minute / 3 ORDER BY minute) AS d
          FROM (SELECT minute, ddsketch_agg(ms) AS d FROM latency WHERE id % 100 < minute + 10 AND minute < 8 GROUP BY minute) AS m) AS c;

-- Updates and deletes of a rollup.
CREATE TABLE rollup AS SELECT page, ddsketch_agg(ms) AS d FROM latency GROUP BY page;
UPDATE rollup AS r SET d = r.d - x.d FROM (SELECT page, ddsketch_agg(ms) AS d FROM latency WHERE id % 5 = 0 GROUP BY page) AS x
 WHERE r.page = x.page;
SELECT bool_and(pg_temp.counts(r.d) = pg_temp.counts(f.d)) FROM rollup AS r JOIN (SELECT page, ddsketch_agg(ms) AS d FROM latency WHERE id % 5 > 0 GROUP BY page) AS f USING (page);

-- ---- looking at it ----

SELECT round(relative_error::numeric, 6), scale, round(gamma::numeric, 6), buckets, count, round(min::numeric, 3), round(max::numeric, 3),
       bytes = pg_column_size(d) AS bytes
  FROM (SELECT ddsketch_add_all(ddsketch_empty(), '{1, 2, 3, 3, -5}') AS d) AS s, ddsketch_info(d);
SELECT ddsketch_describe(ddsketch_add_all(ddsketch_empty(), '{1, 2, 3, 3, -5}')), ddsketch_describe(ddsketch_add(ddsketch_empty(0.1), 1000, 12345));
SELECT ddsketch_sparkline(ddsketch_agg(i * i)), length(ddsketch_sparkline(ddsketch_agg(i * i), 7)) FROM generate_series(1, 100) AS i;
SELECT count(*), sum(count), bool_and(lower < upper), min(lower) = ddsketch_min(d) AS low, max(upper) = ddsketch_max(d) AS high
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s, ddsketch_histogram(d, 20) GROUP BY d;
SELECT upper = lower AS one, count FROM ddsketch_histogram(ddsketch_add(ddsketch_empty(), 5, 9), 3);

-- ---- other systems ----

-- OpenTelemetry's: bucket counts, scale and zeros come back as they were.
SELECT * FROM ddsketch_to_exponential_histogram(ddsketch_from_exponential_histogram(3, 7, -2, '{1, 0, 5}', 100, '{2}'));
SELECT * FROM ddsketch_to_exponential_histogram(ddsketch_from_exponential_histogram(20, 0, 5, '{0, 3, 0}'));
SELECT * FROM ddsketch_to_exponential_histogram(ddsketch_empty());
SELECT count(*), bool_and(h.scale = s AND h.positive = ARRAY[1, 0, s + 11]::bigint[] AND h.positive_offset = -1) AS every_scale
  FROM generate_series(-10, 20) AS s, ddsketch_to_exponential_histogram(ddsketch_from_exponential_histogram(s, 0, -1, ARRAY[1, 0, s + 11])) AS h
 WHERE s > -10;
SELECT d = ddsketch_from_exponential_histogram(h.scale, h.zero_count, h.positive_offset, h.positive, h.negative_offset, h.negative, h.min, h.max) AS back,
       pg_temp.counts(d) = pg_temp.counts(ddsketch_from_exponential_histogram(h.scale, h.zero_count, h.positive_offset, h.positive, h.negative_offset, h.negative)) AS counts,
       (tdigest_min(t), tdigest_max(t)) = (ddsketch_min(d), ddsketch_max(d)) AS tdigest
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s, ddsketch_to_exponential_histogram(d) AS h,
       tdigest_from_exponential_histogram(h.scale, h.zero_count, h.positive_offset, h.positive, h.negative_offset, h.negative, h.min, h.max) AS t;
-- Minimum and maximum as messages may have them: both, one, none; rounded into the next bucket; of zeros. NULL is unknown.
SELECT v.min, v.max, i.min, i.max, i.min_is_exact, i.max_is_exact, h.min, h.max, tdigest_min(t), tdigest_max(t)
  FROM (VALUES (1.5::float8, 7::float8, 0, '{2, 0, 3}'::bigint[]), (1.5, NULL, 0, '{2, 0, 3}'), (NULL, 7, 0, '{2, 0, 3}'), (NULL, NULL, 0, '{2, 0, 3}'),
               (1, 8, 0, '{2, 0, 3}'), (1e-9, 8, 4, '{2, 0, 3}'), (1.25, 1.25, 0, '{5}'), (1.75, NULL, 0, '{1}'), (5, 6, 0, '{}')) AS v (min, max, zeros, counts),
       ddsketch_from_exponential_histogram(0, zeros, 0, counts, min => v.min, max => v.max) AS d, ddsketch_info(d) AS i,
       ddsketch_to_exponential_histogram(d) AS h,
       tdigest_from_exponential_histogram(0, zeros, 0, counts, min => v.min, max => v.max) AS t;
SELECT i.min, i.max, h.min, h.max
  FROM ddsketch_from_exponential_histogram(0, 0, 0, '{}', 1, '{3, 4}', -7.5, -2.5) AS d, ddsketch_info(d) AS i, ddsketch_to_exponential_histogram(d) AS h;
SELECT ddsketch_from_exponential_histogram(NULL, 0, 0, '{1}') IS NULL AND ddsketch_from_exponential_histogram(0, 0, 0, '{1}', 0, NULL) IS NULL AS of_null;
-- Of scale 0 bucket 0 has 1 to 2, bucket 1 has 2 to 4.
SELECT lower, upper, count FROM ddsketch_buckets(ddsketch_from_exponential_histogram(0, 1, 0, '{2, 3}', 1, '{4}'));
SELECT * FROM pg_temp.errors_of(
    $$ddsketch_from_exponential_histogram(21, 0, 0, '{1}')$$,
    $$ddsketch_from_exponential_histogram(0, -1, 0, '{1}')$$,
    $$ddsketch_from_exponential_histogram(0, 0, 0, '{-1}')$$,
    $$ddsketch_from_exponential_histogram(0, 0, 1024, '{1}')$$,
    $$ddsketch_from_exponential_histogram(0, 0, -1076, '{1}')$$,
    $$ddsketch_from_exponential_histogram(0, 9223372036854775807, 0, '{1}')$$,
    $$ddsketch_from_exponential_histogram(0, 0, 0, '{NULL}')$$,
    $$ddsketch_from_exponential_histogram(0, 0, 0, '{{1}}')$$,
    $$ddsketch_from_exponential_histogram(0, 0, 0, '{1, 1}', min => 2.5)$$,
    $$ddsketch_from_exponential_histogram(0, 0, 0, '{1, 1}', max => 1.5)$$,
    $$ddsketch_from_exponential_histogram(0, 0, 0, '{2}', min => 1.75, max => 1.25)$$,
    $$ddsketch_from_exponential_histogram(0, 0, 0, '{1}', min => 1.25, max => 1.75)$$,
    $$ddsketch_from_exponential_histogram(0, 0, 0, '{1}', min => '-Infinity')$$,
    $$ddsketch_from_exponential_histogram(0, 1, 0, '{1}', min => 5, max => 1.5)$$,
    $$tdigest_from_exponential_histogram(0, 1, 0, '{1}', min => 5, max => 1.5)$$,
    $$tdigest_from_exponential_histogram(0, 0, 0, '{1, 1}', min => 2.5)$$,
    $$tdigest_from_exponential_histogram(0, 0, 0, '{1, 1}', max => 1.5)$$,
    $$tdigest_from_exponential_histogram(0, 0, 0, '{2}', min => 1.75, max => 1.25)$$,
    $$tdigest_from_exponential_histogram(0, 0, 0, '{1}', min => 1.25, max => 1.75)$$,
    $$ddsketch_to_exponential_histogram(ddsketch_add_all(ddsketch_empty(0.00001), '{1e-300, 1e300}'))$$);

-- Counts between bounds, which add up to all.
SELECT ddsketch_counts(d, '{256,512}') AS counts, ddsketch_counts(d, '{}') AS all_of_them,
       ddsketch_counts(d, '{-Infinity,0,1,1000,Infinity}') AS ends, ddsketch_counts(ddsketch_empty(), '{1,2}') AS of_none
  FROM (SELECT ddsketch_agg(i) AS d FROM generate_series(1, 1000) AS i) AS s;
SELECT ddsketch_counts(d, b) = ARRAY[ddsketch_rank(d, b[1]), ddsketch_count(d, b[1], b[2]), ddsketch_count(d, b[2], b[3]), ddsketch_count(d, b[3], 'Infinity')]
           AS as_between, (SELECT sum(c) FROM unnest(ddsketch_counts(d, b)) AS c) = ddsketch_count(d) AS add_up
  FROM (SELECT ddsketch_agg(ms) AS d FROM latency) AS s, (VALUES ('{-3,1.1,100}'::float8[])) AS v (b);
SELECT * FROM pg_temp.errors_of($$ddsketch_counts(ddsketch_empty(), '{2,1}')$$, $$ddsketch_counts(ddsketch_empty(), '{1,1}')$$,
    $$ddsketch_counts(ddsketch_empty(), '{NaN}')$$, $$ddsketch_counts(ddsketch_empty(), '{1,NULL}')$$, $$ddsketch_counts(ddsketch_empty(), '{{1},{2}}')$$);

-- Datadog's: gamma 1.02, bins 5, 6 and 7 with 2, 0 and 1 values, and three zeros.
CREATE TABLE datadog AS
SELECT '\x0a0909'::bytea || '\x52b81e85eb51f03f'::bytea || '\x121c12180000000000000040'::bytea || '\x0000000000000000'::bytea
       || '\x000000000000f03f'::bytea || '\x180a'::bytea || '\x210000000000000840'::bytea AS message;
SELECT count, round(lower::numeric, 6), round(upper::numeric, 6), round((1.02 ^ 5)::numeric, 6)
  FROM datadog, ddsketch_buckets(ddsketch_from_ddsketch(message));
SELECT round(relative_error::numeric, 6), scale, gamma, buckets, count, ddsketch_percentile(d, 1) BETWEEN 1.02 ^ 7 AND 1.02 ^ 8 AS percentile,
       ddsketch_from_ddsketch(ddsketch_to_ddsketch(d)) = d AS back, (d | d) - d = d AS subtracted
  FROM (SELECT ddsketch_from_ddsketch(message) AS d FROM datadog) AS s, ddsketch_info(d);
-- Libraries that round indexes up: one more, in a row for both signs.
SELECT ddsketch_from_ddsketch(ddsketch_to_ddsketch(d, true), ceiling => true) = d AS back,
       ddsketch_percentile(ddsketch_from_ddsketch(message, true), 0.9) / ddsketch_percentile(d, 0.9) BETWEEN 0.98039 AND 0.98040 AS one_less,
       ddsketch_to_ddsketch(ddsketch_from_ddsketch('\x0a0909b81e85eb51b8f03f'), true) AS empty
  FROM datadog, ddsketch_from_ddsketch(message) AS d;
SELECT bool_and(abs(ddsketch_percentile(o, q) - ddsketch_percentile(d, q)) < 1e-12 * abs(ddsketch_percentile(d, q))) AS written
  FROM (SELECT ddsketch_agg(ms) FILTER (WHERE ms <> 0) AS d FROM latency) AS s,
       LATERAL (SELECT ddsketch_from_ddsketch(ddsketch_to_ddsketch(d)) AS o) AS t, generate_series(0.1, 0.9, 0.1) AS q;
SELECT * FROM pg_temp.errors_of(
    $$ddsketch_from_ddsketch('\x00')$$, $$ddsketch_from_ddsketch('\x')$$,
    'ddsketch_from_ddsketch(message) | ddsketch_add(NULL, 1) FROM datadog',
    'ddsketch_empty() - ddsketch_from_ddsketch(message) FROM datadog',
    'ddsketch_from_ddsketch(message) | ddsketch_from_ddsketch(ddsketch_to_ddsketch(ddsketch_add(NULL, 1))) FROM datadog',
    'ddsketch_add(ddsketch_from_ddsketch(message), 1) FROM datadog',
    'ddsketch_reduce(ddsketch_from_ddsketch(message), 0.1) FROM datadog',
    'ddsketch_to_exponential_histogram(ddsketch_from_ddsketch(message)) FROM datadog',
    $$ddsketch_to_ddsketch(ddsketch_from_exponential_histogram(-10, 0, 0, '{1}'))$$,
    $$ddsketch_to_ddsketch(ddsketch_add_all(ddsketch_empty(0.00001), '{1e-300, 1e300}'), true)$$);

-- ---- errors ----

SELECT * FROM pg_temp.errors_of(
    'ddsketch_empty(0.6)', 'ddsketch_empty(0)', $$ddsketch_empty('NaN')$$,
    $$ddsketch_add(ddsketch_empty(), 'NaN')$$, $$ddsketch_add(ddsketch_empty(), 'Infinity')$$,
    $$ddsketch_add_all(ddsketch_empty(), '{1, -Infinity}')$$,
    'ddsketch_add(ddsketch_empty(), 1, -1)',
    'ddsketch_add(ddsketch_add(ddsketch_empty(), 1, 9223372036854775807), 2)',
    'd | d FROM (SELECT ddsketch_add(ddsketch_empty(), 1, 9223372036854775807) AS d) AS s',
    $$ddsketch_agg('-Infinity'::float8) FROM generate_series(1, 2) AS i$$,
    $$ddsketch_agg('NaN'::float8) FROM generate_series(1, 2) AS i$$,
    'ddsketch_agg(i, 0.01 * i) FROM generate_series(1, 3) AS i',
    'ddsketch_agg(i, NULL) FROM generate_series(1, 3) AS i',
    'ddsketch_agg(i, 2) FROM generate_series(1, 3) AS i',
    'ddsketch_weighted_agg(i, 1, 0.01 * i) FROM generate_series(1, 3) AS i',
    'ddsketch_weighted_agg(i, -i) FROM generate_series(1, 3) AS i',
    'ddsketch_add(NULL, 1) - ddsketch_add(NULL, 2)',
    'ddsketch_add(NULL, 1) - ddsketch_add(NULL, 1, 2)',
    $$ddsketch_add_all(NULL, '{0, 1}') - ddsketch_add(NULL, 0, 2)$$,
    $$ddsketch_add_all(NULL, '{1, 2}') - ddsketch_add(NULL, 1, 2)$$,
    'ddsketch_reduce(ddsketch_empty(), 0.001)', 'ddsketch_percentile(ddsketch_empty(), 1.5)',
    $$ddsketch_percentiles(ddsketch_empty(), '{-1}'::float8[])$$,
    $$ddsketch_percentile(ddsketch_empty(), 'x')$$,
    $$ddsketch_percentiles(ddsketch_empty(), '{0.5}')$$, $$ddsketch_rank(ddsketch_empty(), 'NaN')$$,
    $$ddsketch_cdf(ddsketch_empty(), 'NaN')$$, 'ddsketch_count(ddsketch_empty(), 2, 1)',
    $$ddsketch_count(ddsketch_empty(), 'NaN', 1)$$, 'ddsketch_sum(ddsketch_add(NULL, 1e308, 9))',
    'ddsketch_histogram(ddsketch_empty(), 0)', 'ddsketch_sparkline(ddsketch_empty(), 1001)',
    $$'AAAA'::ddsketch$$, $$'\x0b01000006020000010100000100'::bytea::ddsketch$$);

DROP TABLE latency, rollup, datadog;
