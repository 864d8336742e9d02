-- hll: aggregates.
--
-- What an aggregate builds is compared with what scalar functions build from the same items, byte
-- for byte, or with exact counts. Plans of every kind, windows and shared states are in windows and in
-- test/t/004_parallel.pl; NULLs and no rows are in calls.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

CREATE TABLE visit (day date, page int, visitor int, name text);
INSERT INTO visit
    SELECT '2024-01-01'::date + x % 14, x % 7, x % 5000, 'v' || x % 5000
      FROM generate_series(1, 40000) x;
ANALYZE visit;

-- The sketch that scalar functions build.
CREATE FUNCTION pg_temp.built(items int[], p int DEFAULT 13) RETURNS hll LANGUAGE sql AS $$
    SELECT hll_add_all(hll_empty(p), items)
$$;

-- ---- one row, duplicates ----

SELECT hll_agg(1) = pg_temp.built(ARRAY[1]) AS one, hll_agg(1, 10) = pg_temp.built(ARRAY[1], 10)
           AS one_at_10,
       hll_redis_agg('a') = hll_add(hll_redis_empty(), 'a') AS redis,
       hll_union_agg(hll_empty()) = hll_empty() AS empty, approx_count_distinct(1) AS approx;
SELECT hll_agg(x) = pg_temp.built(ARRAY[1, 2, 3]) AS nulls_and_duplicates, hll_cardinality(hll_agg(x)) AS count,
       approx_count_distinct(x) AS approx, hll_cardinality(hll_agg(x::text)) AS texts, hll_cardinality(hll_redis_agg(x::text))
           AS redis,
       hll_cardinality(hll_redis_agg(x::text::bytea)) AS redis_bytea
  FROM unnest(ARRAY[NULL, 1, 2, NULL, 2, 3, 1, NULL]) x;
SELECT hll_agg(visitor) = pg_temp.built(ARRAY(SELECT generate_series(0, 4999))) AS as_built,
       hll_agg(visitor) = hll_agg(visitor::bigint)
           AND hll_agg(visitor) = hll_agg(visitor::numeric) AS any_integer,
       approx_count_distinct(visitor) = hll_cardinality(hll_agg(visitor)) AS approx,
       abs(approx_count_distinct(visitor) - count(DISTINCT visitor)) < 4 * 0.77 / sqrt(8192) * 5000
           AS good,
       abs(approx_count_distinct(name) - 5000) < 4 * 0.77 / sqrt(8192) * 5000 AS good_texts
  FROM visit;

-- ---- DISTINCT, ORDER BY ----

-- The order of items makes no difference. Ordering by the item itself is refused, for it was made a
-- hashed, which has no order; so is DISTINCT, of which a sketch has no need.
SELECT hll_agg(visitor ORDER BY name DESC) = hll_agg(visitor) AS by_name,
       hll_agg(visitor ORDER BY visitor + 0) = hll_agg(visitor) AS by_itself,
       hll_redis_agg(name ORDER BY name) = hll_redis_agg(name) AS redis,
       hll_redis_agg(DISTINCT name) = hll_redis_agg(name) AS redis_distinct
  FROM visit;
SELECT pg_temp.sqlstate_of('SELECT hll_agg(visitor ORDER BY visitor) FROM visit')
           AS order_by_itself,
       pg_temp.sqlstate_of('SELECT hll_agg(DISTINCT visitor) FROM visit') AS of_distinct;
SELECT hll_union_agg(h ORDER BY day DESC) = hll_union_agg(h) AS union_backwards,
       pg_temp.sqlstate_of('SELECT hll_union_agg(DISTINCT h) FROM (SELECT hll_empty() AS h) s') AS union_distinct
  FROM (SELECT day, hll_agg(visitor) AS h FROM visit GROUP BY day) s;

-- ---- groups ----

-- Many groups, of sizes around every doubling of the state and around the change to dense.
SELECT count(*) AS groups, bool_and(hll_cardinality(h) = n) AS right
  FROM (SELECT g, count(*) AS n, hll_agg(x) AS h
          FROM generate_series(1, 500) g, generate_series(1, g) x GROUP BY g) s
 WHERE n <= 500;
SELECT count(*) AS groups, bool_and(h = pg_temp.built(ARRAY(SELECT generate_series(1, g)), 6))
           AS as_built
  FROM (SELECT g, hll_agg(x, 6) AS h FROM generate_series(1, 60) g, generate_series(1, g) x
         GROUP BY g) s;
-- ---- precision ----

SELECT bool_and((hll_info(h)).precision = p) AS precision,
       bool_and(abs(hll_cardinality(h) - 5000) < 4 * 0.77 / sqrt(2 ^ p) * 5000) AS good
  FROM (SELECT p, hll_agg(visitor, p) AS h FROM visit, generate_series(4, 18) p GROUP BY p) s;
SELECT * FROM pg_temp.errors_of(
    'hll_agg(visitor, 3) FROM visit', 'hll_agg(visitor, 19) FROM visit',
    'hll_agg(visitor, NULL) FROM visit', 'hll_agg(x, x) FROM generate_series(10, 11) x',
    'hll_agg(x, CASE WHEN x < 1000 THEN 10 END) FROM generate_series(1, 1000) x',
    'hll_agg(x, CASE WHEN x < 1000 THEN 10 ELSE 266 END) FROM generate_series(1, 1000) x');
-- A NULL item is skipped before its precision is looked at; each group has its own.
SELECT hll_cardinality(hll_agg(x, CASE WHEN x IS NULL THEN 99 ELSE 10 END)) AS skipped
  FROM unnest(ARRAY[NULL, 1, NULL, 2]) x;
SELECT x % 3 AS g, (hll_info(hll_agg(x, 10 + x % 3))).precision
  FROM generate_series(1, 100) x GROUP BY 1 ORDER BY 1;

-- ---- union ----

-- Days rolled up into weeks, and weeks into all, are the sketches counted at once, byte for byte.
CREATE TABLE daily AS SELECT day, hll_agg(visitor) AS visitors FROM visit GROUP BY day;
SELECT bool_and(rolled = counted) AS weeks
  FROM (SELECT date_trunc('week', day) AS week, hll_union_agg(visitors) AS rolled FROM daily
         GROUP BY 1) r
  JOIN (SELECT date_trunc('week', day) AS week, hll_agg(visitor) AS counted FROM visit
         GROUP BY 1) c USING (week);
SELECT hll_union_agg(week) = (SELECT hll_agg(visitor) FROM visit) AS two_steps
  FROM (SELECT hll_union_agg(visitors) AS week FROM daily GROUP BY date_trunc('week', day)) s;
SELECT hll_union_agg(visitors ORDER BY day DESC) = hll_union_agg(visitors ORDER BY day)
           AS any_order
  FROM daily;
SELECT hll_union_agg(h) = hll_agg(x) AS one_by_one
  FROM (SELECT x, hll_add(hll_empty(), x) AS h FROM generate_series(1, 4000) x) s;
SELECT hll_cardinality(hll_union_agg(h)) AS with_nulls
  FROM (VALUES (NULL), (hll_add(hll_empty(), 1)), (NULL), (hll_add(hll_empty(), 2)), (NULL)) v(h);
-- The lowest precision holds, wherever it stands; two hashes do not mix, wherever that is.
SELECT bool_and((hll_info(h)).precision = 9
                AND h = (SELECT hll_agg(x, 9) FROM generate_series(1, 3000) x)) AS lowest
  FROM (SELECT hll_union_agg(h ORDER BY (p + turn) % 4) AS h
          FROM (SELECT p, hll_agg(x, (ARRAY[9, 12, 14, 18])[p + 1]) AS h
                  FROM generate_series(0, 3) p, generate_series(1, 3000) x WHERE x % 4 = p
                 GROUP BY p) s,
               generate_series(0, 3) turn GROUP BY turn) t;
SELECT pg_temp.error_of($$
    SELECT hll_union_agg(CASE WHEN day = '2024-01-05' THEN hll_add(hll_redis_empty(), 'a') ELSE visitors END)
      FROM daily
$$);

-- ---- aggregate functions by themselves ----

-- A transition function called as a plain function works on a copy: stored sketches stay as they
-- are.
CREATE TEMP TABLE stored AS
    SELECT n, (SELECT hll_agg(x) FROM generate_series(1, n) x) AS h, NULL::text AS printed
      FROM unnest(ARRAY[1, 12, 13, 1000, 1638, 10000]) n;
UPDATE stored SET printed = h::text;
SELECT bool_and(_hll_agg_state(h, -1) = hll_add(h, -1)) AS add,
       bool_and(_hll_agg_state(h, -1, 13) = hll_add(h, -1)) AS add_with_precision,
       bool_and(_hll_union_state(h, hll_empty(8)) = (h | hll_empty(8))) AS union,
       bool_and(_hll_final(h) = h) AS final, bool_and(_approx_count_distinct_final(h) = hll_cardinality(h)) AS cardinality
  FROM stored;
SELECT bool_and(_hll_redis_agg_state(hll_redis_empty(), 'a') = hll_add(hll_redis_empty(), 'a'))
           AS redis,
       bool_and(h::text = printed) AS unchanged
  FROM stored;
SELECT _hll_agg_state(NULL, 1) = pg_temp.built(ARRAY[1]) AS first,
       _hll_agg_state(NULL, NULL::int) IS NULL AS none,
       _hll_agg_state(hll_empty(), NULL::int) = hll_empty() AS skipped,
       _hll_union_state(NULL, hll_empty()) = hll_empty() AS right_only,
       _hll_union_state(hll_empty(), NULL) = hll_empty() AS left_only,
       _hll_union_state(NULL, NULL) IS NULL AS neither, _approx_count_distinct_final(NULL) AS cardinality,
       _hll_final(NULL) IS NULL AS final;
SELECT pg_temp.error_of('SELECT _hll_agg_state(hll_empty(10), 1, 11)');
DO $$
DECLARE
    state hll := hll_empty();
    kept hll;
BEGIN
    FOR i IN 1 .. 50 LOOP
        kept := state;
        state := _hll_agg_state(state, i);
        ASSERT hll_cardinality(kept) = i - 1 AND hll_cardinality(state) = i, i;
        state := _hll_union_state(state, kept);
        ASSERT hll_cardinality(kept) = i - 1 AND hll_cardinality(state) = i, i;
    END LOOP;
END
$$;

-- ---- states by themselves ----

-- Without the final function an aggregate hands out its state as it works on it. It is printed and
-- sent packed, and united with others: with few tokens, with repeated ones that are not sorted out
-- yet, with many, and dense. Other functions refuse it (every_type).
CREATE AGGREGATE pg_temp.hll_raw_agg(hashed) (SFUNC = _hll_agg_state, STYPE = hll);
CREATE TEMP TABLE working AS
    SELECT n, pg_temp.hll_raw_agg(x % n) AS raw, hll_agg(x % n) AS packed
      FROM unnest(ARRAY[1, 3, 11, 12, 13, 100, 1000, 1638, 1639, 3000, 20000]) n,
           LATERAL generate_series(1, 2 * n + 3) x GROUP BY n;
SELECT bool_or(pg_column_size(raw) > pg_column_size(packed)) AS working_is_stored,
       bool_and(raw::text = packed::text) AS out, bool_and(_hll_send(raw) = _hll_send(packed))
           AS send
  FROM working;
SELECT hll_union_agg(raw) = hll_union_agg(packed) AS union_agg FROM working;
SELECT pg_temp.error_of('SELECT hll_cardinality(raw) FROM working') AS refused;
-- Compressed, which a column's owner may ask for, though sketches are stored without by default.
CREATE TEMP TABLE compressed (n int, h hll);
ALTER TABLE compressed ALTER h SET STORAGE extended;
INSERT INTO compressed SELECT n, packed FROM working;
SELECT bool_or(pg_column_size(c.h) < pg_column_size(w.packed)) AS compressed,
       bool_and(hll_cardinality(c.h) = hll_cardinality(packed)) AS cardinality,
       bool_and(c.h = packed) AS eq, bool_and((c.h | hll_empty()) = packed) AS union,
       bool_and(hll_info(c.h) = hll_info(packed)) AS info
  FROM compressed c JOIN working w USING (n);
\copy (SELECT n, raw FROM working) TO 'build/regress/results/hll_agg.copy' (FORMAT binary)
CREATE TEMP TABLE copied (n int, h hll);
\copy copied FROM 'build/regress/results/hll_agg.copy' (FORMAT binary)
SELECT count(*), bool_and(h = packed) AS as_packed,
       bool_and(pg_column_size(h) = pg_column_size(packed)) AS in_packed_form
  FROM copied JOIN working USING (n);
-- One may even be the state that another aggregate begins with; the stored one stays.
SELECT (SELECT hll_union_agg(h) FROM (SELECT raw AS h FROM working WHERE n = 13
                                      UNION ALL SELECT hll_add(hll_empty(), -5)) s)
           = hll_add(packed, -5) AS begun_with_it, raw::text = packed::text AS unchanged
  FROM working WHERE n = 13;

-- An initial value is a state that the aggregate does not own: every group starts from a copy of it,
-- and one of the other hash is refused.
DO $$
BEGIN
    EXECUTE format('CREATE AGGREGATE pg_temp.from_one(hashed)
                        (SFUNC = _hll_agg_state, STYPE = hll, FINALFUNC = _hll_final, INITCOND = %L)',
                   hll_add(hll_empty(10), 'x'));
    EXECUTE format('CREATE AGGREGATE pg_temp.from_redis(hashed)
                        (SFUNC = _hll_agg_state, STYPE = hll, FINALFUNC = _hll_final, INITCOND = %L)',
                   hll_redis_empty());
END
$$;
SELECT g, hll_cardinality(pg_temp.from_one(x)) AS count, (hll_info(pg_temp.from_one(x))).precision
  FROM (SELECT x % 3 AS g, x FROM generate_series(1, 30) x) s GROUP BY g ORDER BY g;
SELECT hll_cardinality(pg_temp.from_one(x) OVER (ORDER BY x ROWS 1 PRECEDING)) AS moving
  FROM generate_series(1, 3) x;
SELECT pg_temp.error_of('SELECT pg_temp.from_redis(x) FROM generate_series(1, 3) x');

DROP TABLE daily, visit;

-- The largest sketch there is, merged and taken apart, and an array of a million items.
SELECT (hll_info(h)).bytes < 2 ^ 18 AS at_most_a_byte_each,
       abs(hll_cardinality(h) - 300000) < 4 * 0.77 / 512 * 300000 AS good,
       (h | h) = h AS union, hll_cardinality(hll_reduce(h, 4)) > 0 AS reduce
  FROM (SELECT hll_agg(x, 18) AS h FROM generate_series(1, 300000) x) s;
SELECT abs((hll_cardinality(hll_add_all(hll_empty(), array_agg(x)))) - 1000000) < 4 * 1.04 / 128 * 1000000 AS good
  FROM generate_series(1, 1000000) x;
