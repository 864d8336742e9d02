-- tdigest: aggregates.
--
-- Groups of up to 150 values are exact, and compared byte for byte with what scalar functions build
-- from the same values, or with what percentile_disc says; larger ones by rank. Plans of every
-- kind, windows and shared states are in windows and in test/t/004_parallel.pl; NULLs and no rows are in calls.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

CREATE TABLE request (day date, page int, ms int, size bigint, price numeric, ratio real, w bigint);
INSERT INTO request
    SELECT '2024-01-01'::date + x % 14, x % 7, (x * 7919) % 5000, x, (x % 100) / 8.0, x % 64 / 4.0,
           x % 3 + 1
      FROM generate_series(1, 20000) x;
ANALYZE request;

-- The digest that scalar functions build.
CREATE FUNCTION pg_temp.built(items float8[], compression int DEFAULT 200) RETURNS tdigest
LANGUAGE sql AS $$
    SELECT tdigest_add_all(tdigest_empty(compression), items)
$$;
CREATE FUNCTION pg_temp.near(a float8[], b float8[]) RETURNS boolean LANGUAGE sql AS $$
    SELECT bool_and(abs(x - y) < 1e-9) FROM unnest(a, b) AS _ (x, y)
$$;
-- How far a value is from the rank asked for, as a share of all.
CREATE FUNCTION pg_temp.rank_error(a float8, q float8) RETURNS float8 LANGUAGE sql AS $$
    SELECT greatest(count(*) FILTER (WHERE ms < a) - q * count(*),
                    q * count(*) - count(*) FILTER (WHERE ms <= a)) / count(*) FROM request
$$;

-- ---- one row, NULLs among others ----

SELECT tdigest_agg(7) = pg_temp.built(ARRAY[7]) AS one,
       tdigest_agg(7, 100) = pg_temp.built(ARRAY[7], 100) AS one_at_100,
       tdigest_weighted_agg(7, 3) = tdigest_add(tdigest_empty(), 7, 3) AS weighted,
       tdigest_weighted_agg(7, 3, 100) = tdigest_add(tdigest_empty(100), 7, 3) AS weighted_at_100,
       tdigest_union_agg(tdigest_empty()) = tdigest_empty() AS empty,
       approx_percentile(7, 0.9) AS percentile, approx_percentiles(7, ARRAY[0, 1]) AS percentiles,
       approx_median(7) AS median;
SELECT tdigest_agg(x) = pg_temp.built(ARRAY[3, 1, 2, 2]) AS nulls, tdigest_count(tdigest_agg(x)),
       approx_median(x) AS median, approx_percentiles(x, ARRAY[0, 0.5, 1]) AS percentiles,
       tdigest_count(tdigest_weighted_agg(x, y)) AS weighted
  FROM unnest(ARRAY[NULL, 1, 2, NULL, 2, 3], ARRAY[5, 6, NULL, NULL, 7, 8]) u(x, y);

-- ---- columns of any number ----

SELECT tdigest_agg(size) = tdigest_agg(size::float8) AS bigint,
       tdigest_agg(ms) = tdigest_agg(ms::float8) AS integer,
       tdigest_agg(ms::smallint) = tdigest_agg(ms::float8) AS smallint,
       tdigest_agg(price) = tdigest_agg(price::float8) AS numeric,
       tdigest_agg(ratio) = tdigest_agg(ratio::float8) AS real,
       approx_median(price) = approx_median(price::float8) AS median,
       approx_percentile(ratio, 0.9::real) = approx_percentile(ratio::float8, 0.9::real::float8)
           AS percentile,
       approx_percentiles(size, ARRAY[0, 1]) = ARRAY[1, 20000]::float8[] AS percentiles
  FROM request WHERE size <= 30 OR size > 19970;
SELECT pg_temp.sqlstate_of('SELECT tdigest_agg(day) FROM request') AS date,
       pg_temp.sqlstate_of('SELECT tdigest_agg(day::text) FROM request') AS text,
       pg_temp.sqlstate_of('SELECT tdigest_agg(1e400::numeric)') AS too_large,
       pg_temp.sqlstate_of('SELECT tdigest_agg(''NaN''::numeric)') AS nan;

-- ---- what it holds ----

SELECT bool_and((i).compression = 200 AND (i).count = 20000 AND (i).min = 0 AND (i).max = 4999
                AND (i).centroids <= 150) AS info,
       bool_and(pg_temp.rank_error(tdigest_quantile(t, q), q) < 0.01 * 4 * q * (1 - q) + 0.001)
           AS quantiles
  FROM (SELECT tdigest_agg(ms) AS t FROM request) s, tdigest_info(t) i,
       unnest(ARRAY[0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]) q;
SELECT c, (tdigest_info(t)).compression = c AS same, tdigest_count(t),
       pg_temp.rank_error(tdigest_quantile(t, 0.5), 0.5) < 2.2 / c AS good
  FROM (SELECT c, tdigest_agg(ms, c) AS t FROM request, unnest(ARRAY[10, 50, 200, 1000]) c
         GROUP BY c) s ORDER BY c;
-- A weight is so many rows.
SELECT tdigest_count(tdigest_weighted_agg(ms, w)) = sum(w) AS count,
       abs(tdigest_mean(tdigest_weighted_agg(ms, w)) / (sum(ms * w) / sum(w)::float8) - 1) < 1e-9
           AS mean,
       abs(tdigest_cdf(tdigest_weighted_agg(ms, w), 2500)
           - sum(w) FILTER (WHERE ms < 2500) / sum(w)) < 0.02 AS cdf,
       (tdigest_info(tdigest_weighted_agg(ms, w, 50))).compression,
       tdigest_count(tdigest_weighted_agg(ms, w) FILTER (WHERE ms < 10))
           = sum(w) FILTER (WHERE ms < 10)
           AS filtered
  FROM request;
SELECT tdigest_weighted_agg(x, 1) = tdigest_agg(x) AS of_one FROM generate_series(1, 150) x;

-- ---- approx_percentile, approx_median ----

-- Of so few they are what percentile_cont says, but for how PostgreSQL was compiled to round it (sql/windows.sql).
SELECT count(*) AS groups, sum(n) AS rows, count(*) FILTER (WHERE abs(approx - exact) > 1e-9) AS off,
       count(*) FILTER (WHERE NOT pg_temp.near(approxs, exacts)) AS offs,
       count(*) FILTER (WHERE median <> half) AS medians_off
  FROM (SELECT g, count(*) AS n, approx_percentile(x, 0.305) AS approx,
               percentile_cont(0.305) WITHIN GROUP (ORDER BY x) AS exact,
               approx_percentiles(x, ARRAY[0, 0.0005, 0.9, 0.9995, 1]) AS approxs,
               percentile_cont(ARRAY[0, 0.0005, 0.9, 0.9995, 1]) WITHIN GROUP (ORDER BY x)
                   AS exacts,
               approx_median(x) AS median, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS half
          FROM (SELECT g, ((i * 7919) % 10007) / 7.0::float8 AS x
                  FROM generate_series(1, 2000, 13) g, generate_series(1, g) i) s GROUP BY g) s;
-- So few as fit a stored digest, and from it.
SELECT count(*) AS groups, bool_and(abs(tdigest_percentile(t, q) - exact) < 1e-9) AS percentile,
       bool_and(pg_temp.near(tdigest_percentiles(t, ARRAY[q, 0.5]), exacts)) AS percentiles
  FROM (SELECT g, q, tdigest_agg(x) AS t, percentile_cont(q) WITHIN GROUP (ORDER BY x) AS exact,
               percentile_cont(ARRAY[q, 0.5]) WITHIN GROUP (ORDER BY x) AS exacts
          FROM (SELECT g, g / 151.0::float8 AS q, ((i * 7919) % 10007) / 7.0::float8 AS x
                  FROM generate_series(1, 150) g, generate_series(1, g) i) s GROUP BY g, q) s;
-- tdigest_quantile is what Redis answers: one of the values.
SELECT approx_median(x) AS median, tdigest_percentile(tdigest_agg(x), 0.5) AS percentile,
       tdigest_quantile(tdigest_agg(x), 0.5) AS quantile
  FROM unnest(ARRAY[1, 2, 3, 4]) x;
SELECT approx_median(x) AS median, approx_percentiles(x, ARRAY[0, 0.1, 0.5, 1]) AS percentiles
  FROM unnest(ARRAY[10, 20]) x;
SELECT pg_temp.rank_error(approx_percentile(ms, 0.95), 0.95) < 0.003 AS percentile,
       pg_temp.rank_error(approx_median(ms), 0.5) < 0.01 AS median,
       approx_percentiles(ms, ARRAY[0, 1]) AS extremes,
       approx_percentile(ms, 0.5) = approx_median(ms) AS half,
       approx_percentiles(ms, ARRAY[0.5, 0.95])
           = ARRAY[approx_percentile(ms, 0.5), approx_percentile(ms, 0.95)] AS array,
       approx_percentiles(ms, ARRAY[0.9, 0.1, 0.9])
           = ARRAY[approx_percentile(ms, 0.9), approx_percentile(ms, 0.1),
               approx_percentile(ms, 0.9)]
           AS any_order
  FROM request;
SELECT approx_percentiles(x, '{}'::float8[]) AS none,
       approx_percentiles(x, '[5:6]={0,1}'::float8[]) AS other_bounds,
       array_length(approx_percentiles(x, array_fill(0.5::float8, ARRAY[255])), 1) AS many,
       approx_percentiles(x, ARRAY[0, 1]::real[]) AS reals
  FROM generate_series(1, 9) x;

-- ---- errors ----

SELECT call, pg_temp.error_of(format('SELECT %s FROM generate_series(1, 5) x', call)) AS error
  FROM unnest(ARRAY[
    'tdigest_agg(x / 1.0::float8 * ''NaN'')', 'tdigest_agg(''Infinity'')',
        'tdigest_agg(''-Infinity'')',
    'tdigest_agg(''NaN'', 100)', 'tdigest_weighted_agg(''NaN'', 1)',
    'tdigest_weighted_agg(''Infinity'', 1, 100)', 'approx_percentile(''NaN'', 0.5)',
    'approx_percentiles(''Infinity'', ARRAY[0.5])', 'approx_median(''NaN'')',
    'tdigest_agg(CASE WHEN x < 5 THEN x ELSE float8 ''NaN'' END)',
    'tdigest_weighted_agg(CASE WHEN x < 5 THEN x ELSE float8 ''Infinity'' END, 1)',
    'approx_percentile(CASE WHEN x < 5 THEN x ELSE float8 ''NaN'' END, 0.5)',
    'approx_median(CASE WHEN x < 5 THEN x ELSE float8 ''-Infinity'' END)',
    'tdigest_agg(x, 9)', 'tdigest_agg(x, 10001)', 'tdigest_agg(x, NULL)',
    'tdigest_agg(x, 10 + x)', 'tdigest_agg(x, CASE WHEN x < 5 THEN 100 END)',
    'tdigest_agg(x, CASE WHEN x < 5 THEN 100 ELSE 65636 END)',
    'tdigest_weighted_agg(x, 1, 9)', 'tdigest_weighted_agg(x, 1, 10001)',
    'tdigest_weighted_agg(x, 1, NULL)', 'tdigest_weighted_agg(x, 1, 10 + x)',
    'tdigest_weighted_agg(x, 0)', 'tdigest_weighted_agg(x, -1)', 'tdigest_weighted_agg(x, 3 - x)',
    'tdigest_weighted_agg(x, 9223372036854775807)',
    'tdigest_weighted_agg(x, 2305843009213693952)',
        'tdigest_weighted_agg(x, 9223372036854775807, 100)',
    'tdigest_union_agg(tdigest_add(tdigest_empty(), x, 2305843009213693952))',
    'approx_percentile(x, -0.1)', 'approx_percentile(x, 1.1)', 'approx_percentile(x, ''NaN'')',
    'approx_percentile(x, NULL::float8)', 'approx_percentiles(x, NULL::float8[])',
    'approx_percentiles(x, ARRAY[0.5, 1.1])', 'approx_percentiles(x, ARRAY[0.5, NULL])',
    'approx_percentiles(x, ARRAY[0.5, ''NaN'']::float8[])',
    'approx_percentiles(x, array_fill(0.5::float8, ARRAY[256]))',
    'approx_percentiles(x, ARRAY[[0, 0.5], [0.7, 1]])',
    'approx_percentile(x, x / 10.0)', 'approx_percentiles(x, ARRAY[x / 10.0])',
    'approx_percentile(x, CASE WHEN x < 5 THEN 0.5 END)',
    'approx_percentile(x, CASE WHEN x < 5 THEN 0.5 ELSE ''NaN'' END)',
    'approx_percentiles(x, CASE WHEN x < 5 THEN ARRAY[0.5] ELSE ARRAY[0.5, 0.6] END)',
    'approx_percentiles(x, CASE WHEN x < 5 THEN ARRAY[0.5, 0.6] ELSE ARRAY[0.6, 0.5] END)',
    'approx_percentiles(x, CASE WHEN x < 5 THEN ARRAY[0.5] ELSE ''{}'' END)',
    'approx_percentiles(x, CASE WHEN x < 5 THEN ''{}'' ELSE ARRAY[0.5] END)',
    'approx_percentiles(x, CASE WHEN x < 5 THEN ARRAY[0.5] ELSE array_fill(0.5, ARRAY[257]) END)']) call;
-- The quantile first, as other extensions have it: told by quantiles that change or are none, and
-- where neither is so, as in groups of equal values, by an argument that is a constant.
CREATE TEMP TABLE constant AS SELECT 0.25::float8 AS half, 2 AS page FROM generate_series(1, 10);
SELECT call, pg_temp.error_of(format('SELECT %s FROM constant', call)) AS error
  FROM unnest(ARRAY['approx_percentile(0.5, half)', 'approx_percentile(0.5, half / 2)',
                    'approx_percentile(0.5::real, half)', 'approx_percentile(1, half::real)',
                    'approx_percentile(0.5, page)', 'approx_percentiles(0.5, ARRAY[half])',
                    'approx_percentile(0.5, 0.25)', 'approx_percentile(half, half)',
                    'approx_percentile(half, 0.5)', 'approx_percentile(page, half)',
                    'approx_percentile(random(), half)',
                    'tdigest_union_percentile_agg(tdigest_add(tdigest_empty(), half), page)',
                    'tdigest_union_percentiles_agg(tdigest_empty(), ARRAY[0.5, NULL])',
                    'tdigest_union_percentile_agg(tdigest_empty(), NULL::float8)',
                    'tdigest_union_percentiles_agg(tdigest_empty(), ARRAY[[0.5]])']) call;
PREPARE wrong_order(float8) AS SELECT approx_percentile($1, half) FROM constant;
EXECUTE wrong_order(0.5);
SET plan_cache_mode = force_generic_plan;
EXECUTE wrong_order(0.5);
RESET plan_cache_mode;
DEALLOCATE wrong_order;
-- Quantiles of a table, one of them for each group, are another matter.
SELECT q, approx_percentile(x, q) FROM generate_series(1, 5) x, unnest(ARRAY[0.25, 0.5]) q
 GROUP BY q ORDER BY q;
-- A weight of 0 adds nothing, whatever the value.
SELECT tdigest_weighted_agg(x, 5 - x) = tdigest_weighted_agg(x, 5 - x) FILTER (WHERE x < 5) AS none,
       tdigest_count(tdigest_weighted_agg('NaN', 0)) AS of_nothing,
       tdigest_weighted_agg(x, 0, 50) = tdigest_empty(50) AS empty
  FROM generate_series(1, 5) x;
-- Right up to the limit it works.
SELECT tdigest_count(tdigest_weighted_agg(x, 4611686018427387903)) AS count
  FROM generate_series(1, 2) x;
-- A NULL value is skipped before its parameters are looked at; each group has its own.
SELECT tdigest_count(tdigest_agg(x, CASE WHEN x IS NULL THEN 9 ELSE 100 END)) AS compression,
       tdigest_count(tdigest_weighted_agg(x, CASE WHEN x IS NULL THEN -1 ELSE 1 END)) AS weight,
       approx_percentile(x, CASE WHEN x IS NULL THEN 9 ELSE 0.5 END) AS quantile,
       approx_percentiles(x, CASE WHEN x IS NULL THEN NULL ELSE ARRAY[0.5] END) AS quantiles
  FROM unnest(ARRAY[NULL, 1, NULL, 2]) x;
SELECT x % 3 AS g, (tdigest_info(tdigest_agg(x, (10 + x % 3)::int))).compression,
       approx_percentile(x, (x % 3) / 2.0::float8) AS percentile,
       approx_percentiles(x, array_fill((x % 3) / 2.0::float8, ARRAY[x % 3])) AS percentiles
  FROM generate_series(1, 99) x GROUP BY 1 ORDER BY 1;

-- ---- the order of rows ----

-- While a digest is exact the order of rows makes no difference; afterwards it makes none to the
-- count and the extremes.
SELECT bool_and(tdigest_agg = up AND up = down AND up = shuffled) AS any_order
  FROM (SELECT tdigest_agg(ms), tdigest_agg(ms ORDER BY ms) AS up, tdigest_agg(ms ORDER BY ms DESC)
      AS down,
               tdigest_agg(ms ORDER BY size) AS shuffled
          FROM request WHERE size <= 1000 GROUP BY page) s;
SELECT tdigest_count(up) = tdigest_count(down) AS count,
       tdigest_min(up) = tdigest_min(down) AND tdigest_max(up) = tdigest_max(down) AS extremes,
       abs(tdigest_cdf(up, 2500) - tdigest_cdf(down, 2500)) < 0.01 AS median
  FROM (SELECT tdigest_agg(ms ORDER BY ms) AS up, tdigest_agg(ms ORDER BY ms DESC) AS down
          FROM request) s;
SELECT tdigest_count(tdigest_union_agg(t ORDER BY g DESC)) AS union_backwards
  FROM (SELECT x % 10 AS g, tdigest_agg(x % 5) AS t FROM generate_series(0, 99) x GROUP BY x % 10) s;

-- ---- groups ----

-- Many groups, of sizes around every doubling of the state and around the change to centroids.
SELECT count(*) AS groups, bool_and(tdigest_count(t) = n) AS counts,
       bool_and(tdigest_min(t) = 1 AND tdigest_max(t) = n) AS extremes,
       bool_and(t = pg_temp.built(ARRAY(SELECT generate_series(1, g)))) FILTER (WHERE n <= 150)
           AS as_built
  FROM (SELECT g, count(*) AS n, tdigest_agg(x) AS t
          FROM generate_series(1, 300) g, generate_series(1, g) x GROUP BY g) s;
SELECT bool_and(tdigest_count(t) = g AND tdigest_max(t) = g AND tdigest_min(t) = 1) AS right
  FROM (SELECT g, tdigest_agg(x, 20) AS t
          FROM unnest(ARRAY[14, 15, 126, 2045, 2046, 2047, 2048, 4000, 4094, 4095, 4096, 9000]) g,
               generate_series(1, g) x GROUP BY g) s;
SELECT bool_and(tdigest_count(t) = 3 * g AND tdigest_max(t) = g AND tdigest_min(t) = 1) AS weighted
  FROM (SELECT g, tdigest_weighted_agg(x, 3) AS t
          FROM unnest(ARRAY[1, 5, 6, 7, 149, 150, 151, 2046, 2047, 2048, 4094, 4095, 9000]) g,
               generate_series(1, g) x GROUP BY g) s;
-- ---- union ----

-- Days rolled up into weeks, and weeks into all.
CREATE TABLE daily AS
    SELECT day, tdigest_agg(ms) AS ms, tdigest_agg(ms) FILTER (WHERE size <= 140) AS few
      FROM request GROUP BY day;
SELECT bool_and(tdigest_count(rolled) = n AND tdigest_min(rolled) = low AND tdigest_max(rolled)
    = high
                AND abs(tdigest_mean(rolled) - mean) < 1e-6
                AND abs(tdigest_cdf(rolled, 2500) - share) < 0.01) AS weeks
  FROM (SELECT date_trunc('week', day) AS week, tdigest_union_agg(ms) AS rolled FROM daily
      GROUP BY 1) r
  JOIN (SELECT date_trunc('week', day) AS week, count(*) AS n, min(ms) AS low, max(ms) AS high,
               avg(ms) AS mean, avg((ms < 2500)::int) AS share FROM request
                   GROUP BY 1) c USING (week);
SELECT tdigest_union_agg(few) = (SELECT tdigest_agg(ms) FROM request WHERE size <= 140) AS exactly,
       tdigest_union_agg(few ORDER BY day DESC) = tdigest_union_agg(few ORDER BY day) AS any_order
  FROM daily;
SELECT tdigest_union_agg(week) = (SELECT tdigest_agg(ms) FROM request WHERE size <= 140)
    AS two_steps
  FROM (SELECT tdigest_union_agg(few) AS week FROM daily GROUP BY date_trunc('week', day)) s;
SELECT tdigest_union_agg(t) = tdigest_agg(x) AS one_by_one
  FROM (SELECT x, tdigest_add(tdigest_empty(), x) AS t FROM generate_series(1, 150) x) s;
SELECT tdigest_count(tdigest_union_agg(t)) AS with_nulls
  FROM (VALUES (NULL), (tdigest_add(tdigest_empty(), 1)), (NULL),
               (tdigest_add(tdigest_empty(), 2)), (tdigest_empty()), (NULL)) v(t);
-- The lowest compression holds, wherever it stands.
SELECT bool_and((i).compression = 20 AND (i).centroids <= 15 AND (i).count = 3000) AS lowest
  FROM (SELECT tdigest_union_agg(t ORDER BY (p + turn) % 4) AS t
          FROM (SELECT p, tdigest_agg(x, (ARRAY[20, 100, 200, 10000])[p + 1]) AS t
                  FROM generate_series(0, 3) p, generate_series(1, 3000) x WHERE x % 4 = p
                 GROUP BY p) s,
               generate_series(0, 3) turn GROUP BY turn) u, tdigest_info(t) i;

-- ---- percentiles of unions ----

SELECT bool_and(one = tdigest_percentile(u, 0.95)
                AND each = tdigest_percentiles(u, ARRAY[0.5, 0.95])) AS as_of_the_union
  FROM (SELECT tdigest_union_percentile_agg(few, 0.95) AS one,
               tdigest_union_percentiles_agg(few, ARRAY[0.5, 0.95]) AS each,
               tdigest_union_agg(few) AS u
          FROM daily GROUP BY date_trunc('week', day)) s;
SELECT abs(tdigest_cdf(tdigest_union_agg(ms), tdigest_union_percentile_agg(ms, 0.95)) - 0.95) < 0.001
           AS near,
       tdigest_union_percentile_agg(ms, 0) = tdigest_min(tdigest_union_agg(ms)) AS least
  FROM daily;
SELECT tdigest_union_percentile_agg(t, 0.5) AS with_nulls,
       tdigest_union_percentiles_agg(t, ARRAY[0.5]) FILTER (WHERE t IS NULL) AS of_none,
       tdigest_union_percentile_agg(tdigest_empty(), 0.5) AS of_empty,
       tdigest_union_percentiles_agg(t, '{}'::float8[]) AS no_quantiles
  FROM (VALUES (NULL), (tdigest_add(tdigest_empty(), 1)), (NULL),
               (tdigest_add(tdigest_empty(10), 2)), (tdigest_empty()), (NULL)) v(t);
SELECT pg_temp.error_of('SELECT tdigest_union_percentile_agg(ms, extract(day FROM day) / 31.0)
                           FROM daily');

-- ---- aggregate functions by themselves ----

-- A transition function called as a plain function works on a copy: stored digests stay as they are.
CREATE TEMP TABLE stored AS
    SELECT n, (SELECT tdigest_agg(x) FROM generate_series(1, n) x) AS t, NULL::text AS printed
      FROM unnest(ARRAY[1, 13, 14, 149, 1000, 5000]) n;
UPDATE stored SET printed = t::text;
SELECT bool_and(_tdigest_agg_state(t, -1)::bytea = tdigest_add(t, -1)::bytea) AS add,
       bool_and(_tdigest_agg_state(t, -1, 200) = tdigest_add(t, -1)) AS add_with_compression,
       bool_and(_tdigest_weighted_agg_state(t, -1, 5) = tdigest_add(t, -1, 5)) AS weighted,
       bool_and(_tdigest_weighted_agg_state(t, -1, 5, 200) = tdigest_add(t, -1, 5)) AS weighted_200,
       bool_and(_tdigest_union_state(t, tdigest_empty(50)) = (t | tdigest_empty(50))) AS union,
       bool_and(_tdigest_final(t) = t) AS final,
       bool_and(_approx_median_final(t) = tdigest_percentile(t, 0.5)) AS median
  FROM stored;
SELECT bool_and(t::text = printed) AS unchanged, bool_and(_approx_percentile_final(t) IS NULL)
    AS unasked,
       bool_and(_approx_percentiles_final(t) = '{}') AS none_asked
  FROM stored;
SELECT _tdigest_agg_state(NULL, 1) = pg_temp.built(ARRAY[1]) AS first,
       _tdigest_agg_state(NULL, NULL) IS NULL AS none,
       _tdigest_agg_state(tdigest_empty(), NULL) = tdigest_empty() AS skipped,
       _tdigest_union_state(NULL, tdigest_empty()) = tdigest_empty() AS right_only,
       _tdigest_union_state(tdigest_empty(), NULL) = tdigest_empty() AS left_only,
       _tdigest_union_state(NULL, NULL) IS NULL AS neither, _tdigest_final(NULL) IS NULL AS final,
       _approx_percentile_final(NULL) IS NULL AS percentile,
       _approx_percentiles_final(NULL) IS NULL AS percentiles, _approx_median_final(NULL) IS NULL
           AS median,
       _approx_percentile_state(NULL, 7, 0.5) = pg_temp.built(ARRAY[7]) AS asked,
       _approx_percentile_final(_approx_percentile_state(NULL, NULL, 0.5)) IS NULL AS of_none,
       _approx_median_final(tdigest_empty()) IS NULL AS of_empty;
SELECT * FROM pg_temp.errors_of(
    '_tdigest_agg_state(tdigest_empty(100), 1, 101)',
    '_tdigest_weighted_agg_state(tdigest_empty(100), 1, 1, 101)');
-- Parts of a plan, or shards, with different compressions raise as a serial plan does; the union of
-- finished digests takes the lower one.
SELECT pg_temp.error_of('SELECT _tdigest_combine(_tdigest_agg_state(NULL, 1, 100),
                                                _tdigest_agg_state(NULL, 1, 101))');
SELECT tdigest_count(_tdigest_combine(_tdigest_agg_state(NULL, 1, 100),
                                     _tdigest_agg_state(NULL, 1, 100))) AS alike,
       tdigest_count(_tdigest_combine(NULL, _tdigest_agg_state(NULL, 1, 100))) AS right,
       tdigest_count(_tdigest_combine(_tdigest_agg_state(NULL, 1, 100), NULL)) AS left,
       _tdigest_combine(NULL, NULL) AS neither;
SELECT aggfnoid::regprocedure
  FROM pg_aggregate WHERE aggcombinefn = '_tdigest_combine'::regproc ORDER BY 1;
SELECT pg_temp.error_of('SELECT _approx_percentile_state(tdigest_empty(), 1, 0.5)');
DO $$
DECLARE
    state tdigest := tdigest_empty();
    kept tdigest;
BEGIN
    FOR i IN 0 .. 12 LOOP
        kept := state;
        state := _tdigest_agg_state(state, i);
        ASSERT tdigest_count(kept) = 2 ^ i - 1 AND tdigest_count(state) = 2 ^ i, i;
        state := _tdigest_union_state(state, kept);
        ASSERT tdigest_count(kept) = 2 ^ i - 1 AND tdigest_count(state) = 2 ^ (i + 1) - 1, i;
    END LOOP;
END
$$;

-- ---- states by themselves ----

-- Without the final function an aggregate hands out its state as it works on it. It is printed and
-- sent packed, and united with others: few values, many, centroids with and without some that wait,
-- weights, and with questions. Other functions refuse it (every_type).
CREATE AGGREGATE pg_temp.raw_agg(float8) (SFUNC = _tdigest_agg_state, STYPE = tdigest);
CREATE AGGREGATE pg_temp.raw_weighted_agg(float8, bigint)
    (SFUNC = _tdigest_weighted_agg_state, STYPE = tdigest);
CREATE AGGREGATE pg_temp.raw_percentile(float8, float8)
    (SFUNC = _approx_percentile_state, STYPE = tdigest);
CREATE AGGREGATE pg_temp.raw_percentiles(float8, float8[])
    (SFUNC = _approx_percentiles_state, STYPE = tdigest);
CREATE TEMP TABLE working AS
    SELECT n, 'plain' AS what, pg_temp.raw_agg((x * 7919) % 10007) AS raw,
           tdigest_agg((x * 7919) % 10007) AS packed
      FROM unnest(ARRAY[1, 2, 13, 14, 15, 100, 150, 151, 1000, 2047, 4095, 9000]) n,
           LATERAL generate_series(1, n) x GROUP BY n
    UNION ALL
    SELECT n, 'weighted', pg_temp.raw_weighted_agg((x * 7919) % 10007, 2),
           tdigest_weighted_agg((x * 7919) % 10007, 2)
      FROM unnest(ARRAY[1, 2, 5, 6, 7, 100, 150, 151, 1000, 4095, 9000]) n,
           LATERAL generate_series(1, n) x GROUP BY n;
CREATE TEMP TABLE working_asked AS
    SELECT n, pg_temp.raw_percentile((x * 7919) % 10007, 0.25)::text::tdigest AS one,
           approx_percentile((x * 7919) % 10007, 0.25) AS answer,
           pg_temp.raw_percentiles((x * 7919) % 10007, ARRAY[0.25, 0.75])::text::tdigest AS two,
           approx_percentiles((x * 7919) % 10007, ARRAY[0.25, 0.75]) AS answers,
           tdigest_agg((x * 7919) % 10007) AS packed
      FROM unnest(ARRAY[1, 2, 12, 13, 14, 100, 150, 151, 2045, 2046, 9000]) n,
           LATERAL generate_series(1, n) x GROUP BY n;
SELECT bool_or(pg_column_size(raw) > pg_column_size(packed)) AS working_is_stored,
       bool_and(raw::text = packed::text) AS out,
       bool_and(_tdigest_send(raw) = _tdigest_send(packed)) AS send
  FROM working;
SELECT pg_temp.error_of('SELECT tdigest_count(raw) FROM working') AS refused;
-- With questions.
SELECT bool_and(_approx_percentile_final(one) = answer) FILTER (WHERE n <= 150) AS one,
       bool_and(_approx_percentiles_final(two) = answers) FILTER (WHERE n <= 150) AS two,
       bool_and(_approx_percentile_final(two) = answers[1]) FILTER (WHERE n <= 150)
           AS first_of_two,
       bool_and(tdigest_count(one) = n AND tdigest_count(two) = n) AS count,
       bool_and(tdigest_min(one) = tdigest_min(packed) AND tdigest_max(two) = tdigest_max(packed))
           AS extremes,
       bool_and(one::bytea::tdigest = one) AS around,
       bool_and(tdigest_count(tdigest_add(two, 1)) = n + 1) AS add,
       bool_and(tdigest_count(_tdigest_agg_state(two, 1)) = n + 1) AS state,
       bool_and((SELECT sum(weight) FROM tdigest_centroids(two)) = n) AS centroids
  FROM working_asked;
-- Two states that were asked for the same combine, as parallel ones do; for different ones they do
-- not, wherever the rows that asked were aggregated.
CREATE AGGREGATE pg_temp.combined(tdigest)
    (SFUNC = _tdigest_union_state, STYPE = tdigest, FINALFUNC = _approx_percentiles_final);
SELECT bool_and((SELECT cardinality(pg_temp.combined(t)) FROM (VALUES (one), (one)) v (t)) = 1)
           AS same,
       bool_and((SELECT pg_temp.combined(t) FROM (VALUES (two), (two)) v (t)) = answers)
           FILTER (WHERE n = 1) AS two,
       bool_and((SELECT cardinality(pg_temp.combined(t)) FROM (VALUES (one), (packed)) v (t)) = 1)
           AS one_asked
  FROM working_asked;
-- What was asked is no part of a value: outside of an aggregate it is gone.
SELECT bool_and(one = packed AND _tdigest_hash(two) = _tdigest_hash(packed)) AS equal,
       bool_and(one::bytea = packed::bytea AND _tdigest_final(two)::text = packed::text)
           AS same_bytes,
       bool_and((one | one) = (packed | packed)) AS same_union
  FROM working_asked WHERE n < 150;
SELECT pg_temp.error_of('SELECT pg_temp.combined(t) FROM working_asked, unnest(ARRAY[one, two]) t
           WHERE n = 100')
           AS one_and_two,
       pg_temp.error_of('SELECT pg_temp.combined(t) FROM (
           SELECT pg_temp.raw_percentile(x, 0.5)::text::tdigest AS a,
                  pg_temp.raw_percentile(x, 0.6)::text::tdigest AS b
             FROM generate_series(1, 3) x) s, unnest(ARRAY[a, b]) t') AS two_quantiles;
SELECT tdigest_count(tdigest_union_agg(raw)) = sum(tdigest_count(packed)) AS union_agg
  FROM working;
\copy (SELECT n, what, raw FROM working) TO 'build/regress/results/tdigest_agg.copy' (FORMAT binary)
CREATE TEMP TABLE copied (n int, what text, t tdigest);
\copy copied FROM 'build/regress/results/tdigest_agg.copy' (FORMAT binary)
SELECT count(*), bool_and(t = packed) AS as_packed,
       bool_and(pg_column_size(t) = pg_column_size(packed)) AS in_packed_form
  FROM copied JOIN working USING (n, what);
-- One may even be the state that another aggregate begins with; the stored one stays.
SELECT (SELECT tdigest_union_agg(t) FROM (SELECT raw AS t FROM working WHERE n = 14 AND what
    = 'plain'
                                          UNION ALL SELECT tdigest_add(tdigest_empty(), -5)) s)
           = tdigest_add(packed, -5) AS begun_with_it, raw::text = packed::text AS unchanged
  FROM working WHERE n = 14 AND what = 'plain';

-- An initial value is a state that the aggregate does not own: every group starts from a copy of it.
DO $$
BEGIN
    EXECUTE format('CREATE AGGREGATE pg_temp.from_one(float8)
                        (SFUNC = _tdigest_agg_state, STYPE = tdigest,
                         FINALFUNC = _tdigest_final, INITCOND = %L)',
                   tdigest_add(tdigest_empty(50), -1));
    EXECUTE format('CREATE AGGREGATE pg_temp.from_unasked(float8, float8)
                        (SFUNC = _approx_percentile_state, STYPE = tdigest, INITCOND = %L)',
                   tdigest_empty());
END
$$;
SELECT g, tdigest_count(pg_temp.from_one(x)), tdigest_min(pg_temp.from_one(x)),
       (tdigest_info(pg_temp.from_one(x))).compression
  FROM (SELECT x % 3 AS g, x FROM generate_series(1, 30) x) s GROUP BY g ORDER BY g;
SELECT tdigest_count(pg_temp.from_one(x) OVER (ORDER BY x ROWS 1 PRECEDING)) AS moving
  FROM generate_series(1, 3) x;
SELECT pg_temp.error_of('SELECT pg_temp.from_unasked(x, 0.5) FROM generate_series(1, 3) x');

-- Before the server writes states to disk: they have bytes that nobody has set, which valgrind would report.
DROP TABLE daily, request, working, working_asked, copied;

-- ---- a row with a weight is as many rows ----

CREATE TEMP TABLE rated AS SELECT 1 + i % 5 AS stars, 1 + i * i % 97 AS n FROM generate_series(1, 5000) i;
CREATE TEMP TABLE expanded AS SELECT stars FROM rated, generate_series(1, n);
SELECT pg_temp.near(tdigest_percentiles(s.d, q), e.percentiles) AS whole, pg_temp.near(tdigest_percentiles(u, q), e.percentiles) AS merged,
       tdigest_cdf_each(s.d, '{1,2,3,4,5}') = e.cdf AS cdf, tdigest_cdf_each(u, '{1,2,3,4,5}', inclusive => true) = e.inclusive AS inclusive,
       tdigest_trimmed_mean(s.d, 0.1, 0.9) - tdigest_trimmed_mean(e.d, 0.1, 0.9) BETWEEN -1e-12 AND 1e-12 AS trimmed_mean,
       (tdigest_info(u)).centroids
  FROM (SELECT tdigest_weighted_agg(stars, n) AS d FROM rated) s,
       (SELECT tdigest_union_agg(d) AS u FROM (SELECT tdigest_weighted_agg(stars, n) AS d
                                                 FROM (SELECT *, row_number() OVER () % 100 AS part FROM rated) r
                                                GROUP BY part) p) t,
       (SELECT array_agg(i / 100.0::float8) AS q FROM generate_series(0, 100) i) f,
       LATERAL (SELECT percentile_cont(q) WITHIN GROUP (ORDER BY stars) AS percentiles,
                       ARRAY(SELECT (sum((stars < v)::int) + sum((stars = v)::int) / 2.0::float8) / count(*)
                               FROM expanded x, generate_series(1, 5) v GROUP BY v ORDER BY v) AS cdf,
                       ARRAY(SELECT sum((stars <= v)::int)::float8 / count(*)
                               FROM expanded x, generate_series(1, 5) v GROUP BY v ORDER BY v) AS inclusive,
                       tdigest_agg(stars) AS d
                  FROM expanded) e;
-- The greatest is the percentile 1, whatever the weights.
SELECT tdigest_percentile(tdigest_weighted_agg(x, 36028797018963968), 1) AS greatest FROM generate_series(1, 100) x;
-- An empty digest adds nothing, whatever its compression.
SELECT bool_and(tdigest_union(d, e) = d AND tdigest_union(e, d) = d) AS neutral,
       bool_and((tdigest_info(tdigest_union(e, tdigest_empty(100)))).compression = least(c, 100)) AS empty
  FROM unnest(ARRAY[10, 100, 200, 1000]) c, tdigest_empty(c) e,
       LATERAL (SELECT tdigest_agg(sqrt(x), 100) AS d FROM generate_series(1, 3000) x
                UNION ALL SELECT tdigest_weighted_agg(sqrt(x), 1 + x % 9, 400) FROM generate_series(1, 3000) x
                UNION ALL SELECT tdigest_add(tdigest_empty(20), 5)) s;
SELECT tdigest_union_agg(d) = (SELECT tdigest_agg(sqrt(x), 300) FROM generate_series(1, 2000) x) AS aggregate
  FROM (SELECT tdigest_empty(10) UNION ALL SELECT tdigest_agg(sqrt(x), 300) FROM generate_series(1, 2000) x
        UNION ALL SELECT tdigest_empty(20)) s (d);
-- A value that makes up 3% of all or more is a point, whether its rows have weights, are sorted, or come in parts: percentiles
-- and ranks are those of the values.
CREATE TEMP TABLE frequent AS
SELECT k, floor(k * ((i * 7919 % 40009) / 40009.0)) AS x FROM unnest(ARRAY[2, 5, 10, 30]) k, generate_series(1, 40000::bigint) i;
SELECT k, what, count(*) FILTER (WHERE abs(tdigest_percentile(d, q / 500.0) - percentiles[q + 1]) > 1e-9) AS wrong,
       max(abs(tdigest_cdf(d, x, true) - up_to)) AS off
  FROM (SELECT k, 'rows' AS what, tdigest_agg(x) AS d FROM frequent GROUP BY k
        UNION ALL SELECT k, 'sorted', tdigest_agg(x ORDER BY x) FROM frequent GROUP BY k
        UNION ALL SELECT k, 'parts', tdigest_union_agg(d) FROM (SELECT k, tdigest_agg(x) AS d FROM (SELECT k, x, row_number() OVER (PARTITION BY k) AS n FROM frequent) r GROUP BY k, n % 24) p GROUP BY k) s
       JOIN (SELECT k, percentile_cont(ARRAY(SELECT q / 500.0 FROM generate_series(0, 500) q)) WITHIN GROUP (ORDER BY x) AS percentiles FROM frequent GROUP BY k) exact USING (k)
       JOIN (SELECT k, x, sum(count(*)) OVER (PARTITION BY k ORDER BY x) / 40000 AS up_to FROM frequent GROUP BY k, x) ranks USING (k),
       generate_series(0, 500) q
 GROUP BY 1, 2, d ORDER BY 1, 2;
