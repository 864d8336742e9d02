-- hll: aggregates.
--
-- What an aggregate builds is compared with what scalar functions build from the same items, byte
-- for byte, or with exact counts.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
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

-- ---- no rows, NULLs, one row, duplicates ----

SELECT hll_agg(visitor) IS NULL AS agg, hll_agg(visitor, 10) IS NULL AS agg_precision,
       hll_union_agg(hll_empty()) IS NULL AS union_agg, hll_redis_agg(name) IS NULL AS redis_text,
       hll_redis_agg(name::bytea) IS NULL AS redis_bytea, approx_count_distinct(visitor) AS approx
  FROM visit WHERE false;
SELECT hll_agg(NULL::int) IS NULL AS agg, hll_agg(NULL::text, 10) IS NULL AS agg_precision,
       hll_union_agg(NULL) IS NULL AS union_agg, hll_redis_agg(NULL::text) IS NULL AS redis_text,
       hll_redis_agg(NULL::bytea) IS NULL AS redis_bytea, approx_count_distinct(NULL::text)
           AS approx
  FROM visit;
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

-- ---- FILTER, DISTINCT, ORDER BY ----

SELECT hll_cardinality(hll_agg(visitor) FILTER (WHERE visitor < 10)) AS ten,
       hll_agg(visitor) FILTER (WHERE false) IS NULL AS none,
       approx_count_distinct(visitor) FILTER (WHERE false) AS zero
  FROM visit;
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
SELECT hll_union_agg(DISTINCT h ORDER BY h) = hll_union_agg(h) AS union_distinct,
       hll_union_agg(DISTINCT h ORDER BY h DESC) = hll_union_agg(h) AS union_backwards
  FROM (SELECT hll_agg(visitor) AS h FROM visit GROUP BY day) s;

-- ---- groups ----

-- A few groups, by hashing and by sorting.
CREATE TEMP TABLE by_page AS SELECT page, hll_agg(visitor) AS h FROM visit GROUP BY page;
SELECT bool_and(h = pg_temp.built(ARRAY(SELECT visitor FROM visit v WHERE v.page = p.page)))
           AS as_built
  FROM by_page p;
SET enable_hashagg = off;
SELECT bool_and(h = s.sorted) AS by_sorting
  FROM by_page JOIN (SELECT page, hll_agg(visitor) AS sorted FROM visit GROUP BY page) s
       USING (page);
RESET enable_hashagg;
-- Many groups, of sizes around every doubling of the state and around the change to dense.
SELECT count(*) AS groups, bool_and(hll_cardinality(h) = n) AS right
  FROM (SELECT g, count(*) AS n, hll_agg(x) AS h
          FROM generate_series(1, 500) g, generate_series(1, g) x GROUP BY g) s
 WHERE n <= 500;
SELECT count(*) AS groups, bool_and(hll_cardinality(h) = 3) AS of_three
  FROM (SELECT x % 20000 AS g, hll_agg(x) AS h FROM generate_series(1, 60000) x GROUP BY 1) s;
SELECT count(*) AS groups, bool_and(h = pg_temp.built(ARRAY(SELECT generate_series(1, g)), 6))
           AS as_built
  FROM (SELECT g, hll_agg(x, 6) AS h FROM generate_series(1, 60) g, generate_series(1, g) x
         GROUP BY g) s;
-- With little memory groups spill to disk, with the same result.
SET work_mem = '64kB';
SELECT count(*) AS groups, bool_and(hll_cardinality(h) = 3) AS of_three
  FROM (SELECT x % 20000 AS g, hll_agg(x) AS h FROM generate_series(1, 60000) x GROUP BY 1) s;
RESET work_mem;
-- Grouping sets.
SELECT count(*) AS rows,
       bool_and(h = CASE WHEN grouping_of = 3 THEN (SELECT hll_agg(visitor) FROM visit)
                         WHEN grouping_of = 1 THEN (SELECT hll_agg(visitor) FROM visit v
                                                  WHERE v.day = s.day)
                         ELSE (SELECT hll_agg(visitor) FROM visit v
                                WHERE v.day = s.day AND v.page = s.page)
                    END) AS right
  FROM (SELECT day, page, grouping(day, page) AS grouping_of, hll_agg(visitor) AS h
          FROM visit GROUP BY ROLLUP (day, page)) s;
SELECT count(*) AS rows, bool_and(approx = exact) AS right
  FROM (SELECT approx_count_distinct(page) AS approx, count(DISTINCT page) AS exact
          FROM visit GROUP BY GROUPING SETS ((day), (day, page), (), (visitor % 3))) s;

-- ---- windows ----

-- A running count, and a moving one: the final function is called for every row and leaves the
-- state as it is.
SELECT bool_and(running = x) AS running, bool_and(hll_cardinality(sketch) = x) AS sketches,
       bool_and(moving = least(x, 5)) AS moving, bool_and(everything = 100) AS all_rows,
       bool_and(ahead = 101 - x) AS ahead
  FROM (SELECT x, approx_count_distinct(x) OVER w AS running, hll_agg(x) OVER w AS sketch,
               approx_count_distinct(x) OVER (ORDER BY x ROWS 4 PRECEDING) AS moving,
               approx_count_distinct(x) OVER () AS everything,
               hll_cardinality(hll_agg(x) OVER (ORDER BY x ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING))
                   AS ahead
          FROM generate_series(1, 100) x WINDOW w AS (ORDER BY x)) s;
-- Through the change from sparse to dense (at precision 8: 42 items), kept and asked again later.
SELECT bool_and(sketch = pg_temp.built(ARRAY(SELECT generate_series(1, x)), 8)) AS kept
  FROM (SELECT x, hll_agg(x, 8) OVER (ORDER BY x) AS sketch FROM generate_series(1, 300) x
         OFFSET 0) s;
SELECT bool_and(hll_cardinality(h) = 7) AS partitions, count(*) AS rows
  FROM (SELECT hll_agg(page) OVER (PARTITION BY day, day > '2024-01-03') AS h
          FROM (SELECT DISTINCT d AS day, page FROM visit, generate_series(1, 4) g,
                       LATERAL (SELECT '2024-01-01'::date + g) k(d)) v) s;
SELECT hll_cardinality(hll_union_agg(h) OVER (ORDER BY page)) AS growing
  FROM (SELECT page, hll_agg(page) AS h FROM visit GROUP BY page) s ORDER BY page;

-- ---- several aggregates at once ----

-- Two over one column may share their state; none disturbs another.
SELECT hll_agg(visitor) = hll_agg(visitor) AS twice,
       hll_cardinality(hll_agg(visitor)) = approx_count_distinct(visitor) AS shared,
       hll_reduce(hll_agg(visitor), 10) = hll_agg(visitor, 10) AS precisions,
       (hll_info(hll_agg(visitor, 4))).precision AS four,
       (hll_info(hll_agg(visitor, 18))).precision AS eighteen,
       hll_agg(visitor) = pg_temp.built(ARRAY(SELECT generate_series(0, 4999))) AS right,
       approx_count_distinct(page) AS pages, approx_count_distinct(day) AS days
  FROM visit;
SELECT bool_and(hll_cardinality(a) = b AND hll_cardinality(a) = c AND a = d) AS all_the_same
  FROM (SELECT hll_agg(visitor) OVER w AS a, approx_count_distinct(visitor) OVER w AS b,
               hll_cardinality(hll_agg(visitor) OVER w) AS c, hll_agg(visitor, 13) OVER w AS d
          FROM (SELECT * FROM visit LIMIT 500) v WINDOW w AS (ORDER BY visitor)) s;

-- ---- precision ----

SELECT p, (hll_info(h)).precision = p AS same, abs(hll_cardinality(h) - 5000) < 4 * 0.77 / sqrt(2 ^ p) * 5000
           AS good
  FROM (SELECT p, hll_agg(visitor, p) AS h FROM visit, generate_series(4, 18) p GROUP BY p) s
 ORDER BY p;
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
    SELECT hll_union_agg(CASE WHEN day = '2024-01-05' THEN hll_redis_empty() ELSE visitors END)
      FROM daily
$$);

-- ---- parallel plans ----

-- Partial states are built, shipped and combined, with the same bytes in the end.
CREATE TEMP TABLE serial AS
    SELECT hll_agg(visitor) AS a, hll_agg(visitor, 10) AS b, hll_redis_agg(name) AS c,
           approx_count_distinct(name) AS d FROM visit;
CREATE TEMP TABLE serial_union AS SELECT hll_union_agg(visitors) AS u FROM daily;
CREATE TEMP TABLE serial_groups AS SELECT page, hll_agg(visitor) AS h FROM visit GROUP BY page;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
DO $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXPLAIN (COSTS OFF) SELECT hll_agg(visitor) FROM visit LOOP
        plan := plan || line;
    END LOOP;
    ASSERT plan ~ 'Finalize Aggregate.*Gather.*Partial Aggregate', plan;
END
$$;
SELECT s.a = p.a AND s.b = p.b AND s.c = p.c AND s.d = p.d AS as_serial
  FROM serial s, (SELECT hll_agg(visitor) AS a, hll_agg(visitor, 10) AS b, hll_redis_agg(name) AS c,
                         approx_count_distinct(name) AS d FROM visit) p;
SELECT u = (SELECT hll_union_agg(visitors) FROM daily) AS union_as_serial FROM serial_union;
SELECT count(*) AS groups, bool_and(s.h = p.h) AS as_serial
  FROM serial_groups s JOIN (SELECT page, hll_agg(visitor) AS h FROM visit GROUP BY page) p
       USING (page);
SELECT hll_agg(visitor) IS NULL AS none, approx_count_distinct(visitor) AS zero
  FROM visit WHERE visitor < 0;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- ---- where aggregates are called from ----

PREPARE visitors(int, int) AS SELECT hll_cardinality(hll_agg(visitor, $2)) FROM visit WHERE visitor < $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE visitors(10, 12); EXECUTE visitors(20, 14); EXECUTE visitors(0, 14);
EXECUTE visitors(10, 18);
SET plan_cache_mode = force_custom_plan;
EXECUTE visitors(10, 12); EXECUTE visitors(20, 14);
RESET plan_cache_mode;
DEALLOCATE visitors;
DO $$
DECLARE
    sketch hll := hll_empty();
    before hll;
    n bigint;
BEGIN
    FOR i IN 1 .. 100 LOOP
        before := sketch;
        sketch := hll_add(sketch, i);
        ASSERT hll_cardinality(before) = i - 1 AND hll_cardinality(sketch) = i, i;
    END LOOP;
    SELECT hll_agg(visitor) INTO before FROM visit WHERE visitor BETWEEN 1 AND 100;
    ASSERT sketch = before;
    SELECT hll_cardinality(sketch | hll_agg(visitor)) INTO n FROM visit WHERE visitor BETWEEN 51 AND 150;
    ASSERT n = 150, n;
END
$$;
SELECT d.day, 
       hll_cardinality(l.h) = (SELECT count(DISTINCT visitor) FROM visit v
               WHERE v.day = d.day AND visitor < 700) AS lateral
  FROM (SELECT DISTINCT day FROM visit) d,
       LATERAL (SELECT hll_agg(visitor) AS h FROM visit v WHERE v.day = d.day AND visitor < 700) l
 ORDER BY 1 LIMIT 3;
SELECT count(*) AS days FROM daily HAVING hll_cardinality(hll_union_agg(visitors)) BETWEEN 4800 AND 5200;
SELECT day FROM visit WHERE visitor < 10 GROUP BY day ORDER BY hll_cardinality(hll_agg(visitor)) DESC, day LIMIT 2;
SELECT (SELECT hll_cardinality(hll_agg(o.page)) FROM (VALUES (1)) one) AS outer_level FROM visit o;
CREATE MATERIALIZED VIEW weekly AS
    SELECT date_trunc('week', day) AS week, hll_union_agg(visitors) AS visitors FROM daily
     GROUP BY 1;
REFRESH MATERIALIZED VIEW weekly;
SELECT count(*) AS weeks,
       hll_cardinality(hll_union_agg(visitors)) = (SELECT approx_count_distinct(visitor) FROM visit) AS right
  FROM weekly;

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
CREATE INDEX working_hash ON working USING hash (packed);
CREATE TEMP TABLE working_small (h hll PRIMARY KEY);
INSERT INTO working_small SELECT packed FROM working WHERE n < 100;
SELECT pg_temp.sqlstate_of('INSERT INTO working_small SELECT packed FROM working WHERE n = 12')
           AS duplicate;
SET enable_seqscan = off;
SELECT count(*) AS by_hash_index
  FROM working WHERE packed = (SELECT packed FROM working WHERE n = 20000);
SELECT count(*) AS by_btree_index
  FROM working_small WHERE h = (SELECT packed FROM working WHERE n = 11);
RESET enable_seqscan;
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

DROP MATERIALIZED VIEW weekly;
DROP TABLE daily, visit;

-- The largest sketch there is, merged and taken apart, and an array of a million items.
SELECT (hll_info(h)).bytes < 2 ^ 18 AS at_most_a_byte_each,
       abs(hll_cardinality(h) - 300000) < 4 * 0.77 / 512 * 300000 AS good,
       (h | h) = h AS union, hll_cardinality(hll_reduce(h, 4)) > 0 AS reduce
  FROM (SELECT hll_agg(x, 18) AS h FROM generate_series(1, 300000) x) s;
SELECT abs((hll_cardinality(hll_add_all(hll_empty(), array_agg(x)))) - 1000000) < 4 * 1.04 / 128 * 1000000 AS good
  FROM generate_series(1, 1000000) x;
