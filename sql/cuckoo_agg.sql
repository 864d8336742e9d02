-- cuckoo: aggregates.
--
-- What an aggregate builds is compared with what scalar functions build from the same items, byte
-- for byte. Plans of every kind and windows are in windows and in test/t/004_parallel.pl, states that
-- move between servers in every_type, NULLs and no rows in calls.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

CREATE TABLE seen (day date, page int, visitor int, name text);
INSERT INTO seen
    SELECT '2024-01-01'::date + x % 14, x % 7, x % 1500, 'v' || x % 1500
      FROM generate_series(1, 20000) x;
ANALYZE seen;

-- The filter that scalar functions build.
CREATE FUNCTION pg_temp.built(items int[], bits int DEFAULT 16) RETURNS cuckoo LANGUAGE sql AS $$
    SELECT cuckoo_add_all(cuckoo_empty(greatest(cardinality(items), 1), bits), items)
$$;

-- ---- one row, duplicates ----

SELECT cuckoo_agg(1) = pg_temp.built(ARRAY[1]) AS one,
       cuckoo_agg('a') = cuckoo_add(cuckoo_empty(), 'a') AS literal,
       cuckoo_agg(1, 1024, 10) = pg_temp.built(ARRAY[1], 10) AS one_of_10_bits,
       cuckoo_union_agg(cuckoo_empty()) = cuckoo_empty() AS empty;
SELECT cuckoo_agg(x) = pg_temp.built(ARRAY[1, 2, 3]) AS nulls_and_duplicates,
       cuckoo_cardinality(cuckoo_agg(x)) AS items, cuckoo_count(cuckoo_agg(x), 1) AS once,
       cuckoo_cardinality(cuckoo_agg(x::text)) AS texts
  FROM unnest(ARRAY[NULL, 1, 2, NULL, 2, 3, 1, NULL]) x;
SELECT cuckoo_agg(visitor) = pg_temp.built(ARRAY(SELECT generate_series(0, 1499))) AS as_built,
       cuckoo_agg(visitor) = cuckoo_agg(visitor::bigint)
           AND cuckoo_agg(visitor) = cuckoo_agg(visitor::numeric) AS any_integer,
       cuckoo_agg(name) = cuckoo_agg(hashed(name)) AS any_text,
       cuckoo_cardinality(cuckoo_agg(visitor)) = count(DISTINCT visitor) AS distinct
  FROM seen;
-- ---- groups ----

-- Of sizes around every doubling of the state.
SELECT count(*) AS groups, bool_and(f = pg_temp.built(ARRAY(SELECT generate_series(1, g)))) AS right
  FROM (SELECT g, cuckoo_agg(x % g + 1) AS f
          FROM generate_series(1, 130) g, generate_series(1, 3 * g) x GROUP BY g) s;
-- What a group holds: 128 bytes up to 14 items.
SELECT n, pg_column_size(_cuckoo_union_state(NULL, _cuckoo_agg_state(NULL, 1))) AS one,
       pg_column_size(cuckoo_union_agg(f)) < 100 AS packed
  FROM (SELECT 10 AS n, cuckoo_agg(x) AS f FROM generate_series(1, 10) x) s GROUP BY n;
DO $$
DECLARE
    state cuckoo;
BEGIN
    FOR i IN 1 .. 10 LOOP
        state := _cuckoo_agg_state(state, i);
    END LOOP;
    ASSERT pg_column_size(state) <= 200, pg_column_size(state);
    ASSERT _cuckoo_final(state) = (SELECT cuckoo_agg(x) FROM generate_series(1, 10) x), 'packed';
    -- Called by hand, a step returns a packed filter.
    ASSERT state @> 3 AND NOT state @> 11 AND cuckoo_cardinality(state) = 10
       AND cuckoo_count(state, 1) = 1 AND (cuckoo_info(state)).items = 10
       AND cuckoo_delete(cuckoo_add(state, 11), 11) @> 1
       AND cuckoo_add(state, 11) = (SELECT cuckoo_agg(x) FROM generate_series(1, 11) x)
       AND cuckoo_addnx(state, 1) = _cuckoo_final(state) AND cuckoo_delete(state, 11) = state
       AND cuckoo_compact(state) = state AND (state | state) = state
       AND cuckoo_sum(state, state) = cuckoo_sum(_cuckoo_final(state), state)
       AND state::bytea = _cuckoo_final(state)::bytea, 'as a value';
END
$$;

-- ---- fingerprint bits ----

SELECT (cuckoo_info(cuckoo_agg(visitor, 1024, 8))).hash_bits AS eight,
       (cuckoo_info(cuckoo_agg(visitor, 1024, 32))).hash_bits AS thirty_two
  FROM seen;

SELECT * FROM pg_temp.errors_of(
    'cuckoo_agg(visitor, 1024, 7) FROM seen', 'cuckoo_agg(visitor, 1024, 33) FROM seen',
    'cuckoo_agg(visitor, 1024, NULL::int) FROM seen',
    'cuckoo_agg(name, 1024, x) FROM seen, generate_series(10, 11) x',
    'cuckoo_agg(x, 1024, x) FROM generate_series(10, 11) x');
SELECT cuckoo_cardinality(cuckoo_agg(x, CASE WHEN x IS NULL THEN 99 ELSE 10 END)) AS skipped
  FROM unnest(ARRAY[NULL, 1, NULL, 2]) x;

-- ---- capacity ----

-- A part keeps the hash bits that the whole will need: merged with it, it takes none from it.
SELECT capacity, (cuckoo_info(cuckoo_agg(x, capacity, 16))).hash_bits,
       (cuckoo_info(cuckoo_agg(x::text, capacity, 16))).hash_bits AS of_texts,
       (cuckoo_info(cuckoo_agg(x, capacity, 16))).capacity
  FROM unnest(ARRAY[1, 1024, 100000, 1073741824]) capacity, generate_series(1, 3000) x
 GROUP BY capacity ORDER BY 1;
-- (No two of these items have 25 bits in common. Of 3,000, two have with a probability of 13 %.)
SELECT bool_and(merged = (SELECT cuckoo_agg(x) FROM generate_series(3001, 6000) x)) AS as_whole,
       bool_and((cuckoo_info(merged)).hash_bits = 25) AS bits
  FROM (SELECT cuckoo_union_agg(f) AS merged
          FROM (SELECT cuckoo_agg(x, 3000, 16) AS f FROM generate_series(3001, 6000) x
                 GROUP BY x % 200) s) t;
SELECT (cuckoo_info(cuckoo_agg(x, 3000, 16) | cuckoo_agg(x))).hash_bits AS the_fewer
  FROM generate_series(1, 9) x;
SELECT * FROM pg_temp.errors_of(
    'cuckoo_agg(visitor, 0, 16) FROM seen', 'cuckoo_agg(visitor, 1073741825, 16) FROM seen',
    'cuckoo_agg(visitor, NULL, 16) FROM seen', 'cuckoo_agg(visitor, 10, NULL) FROM seen',
    'cuckoo_agg(name, 10, 7) FROM seen', 'cuckoo_agg(x, x * 1000, 16) FROM generate_series(1, 9) x',
    'cuckoo_agg(x, 1000, 7 + x) FROM generate_series(1, 9) x');

-- ---- union ----

-- Days rolled up, in one step or two, in any order, are the filter of all.
CREATE TABLE daily AS SELECT day, cuckoo_agg(visitor) AS visitors FROM seen GROUP BY day;
SELECT cuckoo_union_agg(visitors) = (SELECT cuckoo_agg(visitor) FROM seen) AS one_step,
       cuckoo_union_agg(visitors ORDER BY day DESC) = cuckoo_union_agg(visitors ORDER BY day)
           AS any_order
  FROM daily;
SELECT cuckoo_union_agg(week) = (SELECT cuckoo_agg(visitor) FROM seen) AS two_steps
  FROM (SELECT cuckoo_union_agg(visitors) AS week FROM daily GROUP BY date_trunc('week', day)) s;
SELECT cuckoo_union_agg(f) = cuckoo_agg(x) AS one_by_one
  FROM (SELECT x, cuckoo_add(cuckoo_empty(), x) AS f FROM generate_series(1, 1900) x) s;
SELECT cuckoo_cardinality(cuckoo_union_agg(f)) AS with_nulls
  FROM (VALUES (NULL), (cuckoo_add(cuckoo_empty(), 1)), (NULL), (cuckoo_add(cuckoo_empty(), 2)))
           v(f);
SELECT count(*) AS growing, bool_and(cuckoo_cardinality(f) = n) AS right
  FROM (SELECT n, cuckoo_union_agg(f) OVER (ORDER BY n) AS f
          FROM (SELECT x AS n, cuckoo_agg(x) AS f FROM generate_series(1, 50) x GROUP BY x) s) t;
-- What was learnt of all parts is there: no member is lost when parameters meet.
SELECT bool_and(f @> x) AS members
  FROM (SELECT cuckoo_union_agg(f) AS f
          FROM (SELECT cuckoo_agg(x, (ARRAY[8, 12, 16, 20])[x % 4 + 1]) AS f
                  FROM generate_series(1, 6000) x GROUP BY x % 4) s) t, generate_series(1, 6000) x;
SELECT pg_temp.error_of($$
    SELECT cuckoo_union_agg(cuckoo_add(cuckoo_empty(3, 16, 0), x)) FROM generate_series(1, 4) x
$$);

DROP TABLE seen, daily;

-- ---- states that move between servers ----

-- Without a final function the states themselves come out.
CREATE AGGREGATE pg_temp.states(hashed) (SFUNC = _cuckoo_agg_state, STYPE = cuckoo);
CREATE TEMPORARY TABLE parts AS
    SELECT n, pg_temp.states(x) AS state, cuckoo_agg(x) AS part
      FROM unnest(ARRAY[32, 3000, 20000]) n, generate_series(1, n) x GROUP BY n, x % 32;
-- What is in transit is a value: every question takes it, and changed it is packed.
SELECT n, get_byte(_cuckoo_send(moved), 2) AS encoding, get_byte(moved::bytea, 2) AS packed,
       cuckoo_cardinality(moved) AS items, moved @> 32 AS member, moved @> -1 AS absent,
       moved = part AS equal, _cuckoo_final(moved) = part AS final,
       (moved | moved) = moved AS united, cuckoo_add(moved, 32) @> 32 AS added
  FROM parts, LATERAL (SELECT state::text::cuckoo AS moved OFFSET 0) m
 WHERE part @> 32 ORDER BY n;
-- Stored out of line, what was in transit answers as packed values do.
CREATE TEMPORARY TABLE stored AS
    SELECT pg_temp.states(x)::text::cuckoo AS state FROM generate_series(1, 10000) x;
SELECT pg_column_size(state) > 50000 AS large, count(*) FILTER (WHERE state @> x) AS found,
       count(*) FILTER (WHERE state @> -x) AS wrong, cuckoo_cardinality(state) AS items
  FROM stored, generate_series(33, 9900, 33) x GROUP BY state;

-- ---- parameters alone, operators, one line for people ----

SELECT cuckoo_agg(x, 100000) = cuckoo_agg(x, 100000, 16) AS capacity,
       cuckoo_agg(x::text, 100000) = cuckoo_agg(x::text, 100000, 16) AS of_texts,
       (cuckoo_info(cuckoo_agg(x, 100000))).hash_bits
  FROM generate_series(1, 3000) x;
SELECT cuckoo_cardinality(cuckoo_agg(x)) AS items, 7 <@ cuckoo_agg(x) AS member, -7 <@ cuckoo_agg(x) AS absent,
       'a' <@ cuckoo_agg(x) AS text, cuckoo_describe(cuckoo_agg(x))
  FROM generate_series(1, 30000) x;
SELECT cuckoo_describe(cuckoo_empty());
-- A join by <@ can be turned round.
EXPLAIN (COSTS OFF) SELECT x FROM generate_series(1, 3) x WHERE x <@ cuckoo_empty();
-- The sum of filters, in which counts add up; a NULL is no filter.
SELECT cuckoo_count(s, 1) AS ones, cuckoo_count(s, 2) AS twos, cuckoo_cardinality(s)
  FROM (SELECT cuckoo_sum_agg(f)
          FROM (VALUES (cuckoo_add_all(cuckoo_empty(), '{1,1,2}'::bigint[])), (NULL),
                       (cuckoo_add_all(cuckoo_empty(), '{1,2,2,2}'::bigint[])),
                       (cuckoo_add(cuckoo_empty(), 1))) v(f)
       ) a(s);
SELECT cuckoo_sum_agg(f) IS NULL AS no_rows FROM (SELECT cuckoo_empty() WHERE false) e(f);
SELECT pg_temp.error_of($$SELECT cuckoo_sum_agg(cuckoo_add(cuckoo_empty(), 1))
  FROM generate_series(1, 9)$$);
