-- bloom: scalar functions, operators, storage and errors.
--
-- What a filter contains is stated of members, exactly, and of strangers as a bound: of n strangers
-- at a rate of 1 % at most n / 50 are let in.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- How many of n strangers a filter takes for members.
CREATE FUNCTION pg_temp.strangers(b bloom, n int) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM generate_series(1, n) x WHERE b @> -x
$$;

-- ---- empty, adding, asking ----

SELECT bloom_cardinality(bloom_empty()) AS items, bloom_empty() @> 1 AS contains,
       bloom_false_positive_rate(bloom_empty()) AS rate;
SELECT (bloom_info(bloom_empty())).*;
SELECT (bloom_info(bloom_empty(error_rate => 0.001, expansion => 4, capacity => 5000))).*;
SELECT bloom_empty(expansion => 0) = bloom_empty() AS same_expansion,
       bloom_empty(100) = bloom_empty() AS same, bloom_empty(100, 0.01, 2) = bloom_empty()
           AS all_same;

SELECT b @> 1 AS one, bloom_contains(b, 2) AS two, b @> 3 AS three, bloom_cardinality(b) AS items,
       bloom_add(b, 2) = b AS again
  FROM bloom_add(bloom_add(bloom_empty(), 1), 2) b;
SELECT b = bloom_add_all(bloom_empty(), ARRAY[3, 1, NULL, 2, 1]) AS same,
       bloom_add_all(b, '{}'::int[]) = b AS nothing, bloom_add_all(b, ARRAY[NULL]::int[]) = b
           AS nulls
  FROM bloom_add(bloom_add(bloom_add(bloom_empty(), 1), 2), 3) b;

-- Items of any type that casts to hashed; equal numbers are one item; untyped literals are text.
SELECT b @> 1::smallint AS smallint, b @> 1::bigint AS bigint, b @> 1.00 AS numeric,
       b @> '1' AS literal, b @> '1'::text AS text
  FROM bloom_add(bloom_empty(), 1) b;
SELECT b @> 'a' AS literal, b @> 'a'::text AS text, b @> 'a'::varchar AS varchar,
       b @> 'a'::char(3) AS bpchar, b @> 'a'::name AS name, b @> 'a'::bytea AS bytea, b @> 'b'
           AS other
  FROM bloom_add(bloom_empty(), 'a') b;
SELECT b @> x AS uuid, b @> y AS date, b @> z AS inet
  FROM (VALUES ('5a3cdfae-9b0e-4c0d-8f3e-2f6a4a2b7c11'::uuid, '2024-02-29'::date, '10.1.2.3'::inet))
       v(x, y, z),
       bloom_add(bloom_add(bloom_add(bloom_empty(), x), y), z) b;
SELECT bloom_add_all(bloom_empty(), ARRAY['a', 'b']) = b AS text,
       bloom_add_all(bloom_empty(), ARRAY['a', 'b']::varchar[]) = b AS varchar
  FROM bloom_add(bloom_add(bloom_empty(), 'b'), 'a') b;
SELECT bloom_contains(bloom_add(bloom_empty(), 'a'), 'a') AS function;

-- Whether an item was new, as BF.ADD replies.
SELECT added, sketch = bloom_add(bloom_empty(), 7) AS same FROM bloom_try_add(bloom_empty(), 7);
SELECT added, sketch = bloom_add(bloom_empty(), 7) AS same
  FROM bloom_try_add(bloom_add(bloom_empty(), 7), 7);
SELECT added, sketch @> 'x' AS contains FROM bloom_try_add(bloom_empty(), 'x');
SELECT added FROM bloom_try_add(bloom_add(bloom_empty(), 'x'), 'x');

-- One answer for each, in the shape of the array.
SELECT bloom_contains_each(b, ARRAY[1, NULL, 5, 2]) AS ints,
       bloom_contains_each(b, ARRAY['1', 'a', NULL]) AS text,
       bloom_contains_each(b, ARRAY['a']::varchar[]) AS varchar,
       bloom_contains_each(b, ARRAY[[1, 9], [9, 2]]) AS shape,
       bloom_contains_each(b, '[5:6]={1,9}'::int[]) AS bounds,
       bloom_contains_each(b, '{}'::int[]) AS empty
  FROM bloom_add(bloom_add_all(bloom_empty(), ARRAY[1, 2]), 'a') b;

-- ---- rates and sizes ----

CREATE TABLE made (name text PRIMARY KEY, b bloom);
INSERT INTO made
    SELECT 'thousand', bloom_agg(x) FROM generate_series(1, 1000) x
    UNION ALL SELECT 'tight', bloom_agg(x, 100, 0.001) FROM generate_series(1, 20000) x
    UNION ALL SELECT 'loose', bloom_agg(x, 100, 0.25) FROM generate_series(1, 1000) x
    UNION ALL SELECT 'reserved', bloom_agg(x, 50000, 0.01) FROM generate_series(1, 20000) x
    UNION ALL SELECT 'list', bloom_agg(x, 50000, 0.01) FROM generate_series(1, 200) x;
SELECT name, i.capacity, i.error_rate, i.expansion, i.items, i.layers,
       i.bits_per_item < CASE name WHEN 'tight' THEN 15.6 WHEN 'loose' THEN 3.5 WHEN 'reserved'
           THEN 30 WHEN 'list' THEN 65 ELSE 10 END AS bits,
       i.fill_ratio BETWEEN 0.1 AND 0.6 AS fill, i.false_positive_rate <= i.error_rate AS rate,
       i.bytes = octet_length(b::bytea) + 4 AS bytes, bloom_cardinality(b) = i.items AS cardinality,
       bloom_false_positive_rate(b) = i.false_positive_rate AS same_rate
  FROM made, bloom_info(b) i ORDER BY name;
SELECT name, bool_and(b @> x) AS contains_all
  FROM made, generate_series(1, 20000) x WHERE x <= bloom_cardinality(b)
      GROUP BY name ORDER BY name;
-- 4 standard errors above the rate asked for.
SELECT name, pg_temp.strangers(b, 20000) <= 20000 * rate + 4 * sqrt(20000 * rate) AS strangers
  FROM made JOIN (VALUES ('thousand', 0.01), ('tight', 0.001), ('loose', 0.25), ('reserved', 0.01),
                         ('list', 0)) v(name, rate) USING (name)
 ORDER BY name;
SELECT name, f.filter, f.capacity, f.items, f.error_rate < i.error_rate AS rate, f.hashes,
       f.bits % 8 AS rest, f.bits BETWEEN f.capacity AND 15 * f.capacity AS bits
  FROM made, bloom_info(b) i, bloom_filters(b) f ORDER BY name;

-- Growth: layers of growing capacity, rates that add up, nothing lost.
CREATE TABLE grown (n int, b bloom);
DO $$
DECLARE
    b bloom := bloom_empty(64, 0.02);
BEGIN
    FOR n IN 1..3000 LOOP
        b := bloom_add(b, n);
        IF n IN (60, 64, 65, 500, 3000) THEN
            INSERT INTO grown VALUES (n, b);
        END IF;
    END LOOP;
END
$$;
SELECT n, i.items > 0.98 * n AS items, i.capacity >= i.items AS room, i.layers,
       i.false_positive_rate < 0.02 AS rate, pg_temp.strangers(b, 5000) < 150 AS strangers,
       (SELECT bool_and(b @> x) FROM generate_series(1, n) x) AS contains_all
  FROM grown, bloom_info(b) i ORDER BY n;
SELECT count(*) = 10 AS ten, sum(error_rate) < 0.02 AS rates, sum(items) = max(all_items) AS items,
       bool_and(capacity >= before) AS ascending
  FROM (SELECT bloom_cardinality(b) AS all_items, f.*,
               lag(f.capacity, 1, 0::bigint) OVER (ORDER BY filter) AS before
          FROM grown, bloom_filters(b) f WHERE n = 3000) s;
SELECT filter, capacity, items FROM grown, bloom_filters(b) WHERE n = 500 ORDER BY filter;
-- What is added at once is one filter.
SELECT i.capacity, i.items, i.layers
  FROM bloom_info(bloom_add_all(bloom_empty(), ARRAY(SELECT generate_series(1, 5000)))) i;

-- ---- union and intersection ----

CREATE TABLE pair (what text PRIMARY KEY, a bloom, b bloom);
INSERT INTO pair
    SELECT what, bloom_agg(x, capacity, 0.01) FILTER (WHERE x <= m),
           bloom_agg(x, capacity, 0.01) FILTER (WHERE x > m - m / 10)
      FROM (VALUES ('lists', 10, 20, 5000), ('shaped', 3000, 4000, 5000), ('full', 4900, 9900,
          5000),
                   ('sized', 600, 2000, 10)) v(what, m, n, capacity),
           generate_series(1, n) x
     GROUP BY what;
SELECT what, i.layers, i.capacity, abs(i.items - held) <= 0.02 * held AS items,
       (SELECT bool_and(u @> x) FROM generate_series(1, n) x) AS contains_all,
       pg_temp.strangers(u, 10000) < CASE i.layers WHEN 2 THEN 280 ELSE 140 END AS strangers,
       u = b | a AS commutes, u | a = u AS absorbs, bloom_union(a, b) = u AS function
  FROM pair JOIN (VALUES ('lists', 20, 20), ('shaped', 4000, 4000), ('full', 9900, 10390),
                         ('sized', 2000, 2060)) v(what, n, held) USING (what),
                             LATERAL (SELECT a | b AS u) s, bloom_info(u) i
 ORDER BY what;
-- The bits that both have by chance count as items, too.
SELECT what, i.layers, i.items BETWEEN n AND 3 * n AS items,
       (SELECT count(*) FROM generate_series(1, 5000) x WHERE u @> x) BETWEEN n AND n + 60
           AS contains,
       u = b & a AS commutes, u & a = u AS absorbs, bloom_intersection(a, b) = u AS function
  FROM pair JOIN (VALUES ('lists', 1), ('shaped', 300)) v(what, n)
       USING (what), LATERAL (SELECT a & b AS u) s, bloom_info(u) i
 ORDER BY what;
SELECT a.a & b.b = bloom_empty(5000) AS list_and_filter, (a.a | b.b) @> 3 AS list_or_filter
  FROM pair a, pair b WHERE a.what = 'lists' AND b.what = 'shaped' AND NOT b.b @> 3
   AND (SELECT bool_or(b.b @> x) FROM generate_series(1, 10) x) IS FALSE;
-- A list stays one, also where the parameters of both would have fewer hashes in a list.
SELECT i.layers, i.items, i.capacity, i.expansion, f & l = u AS commutes, bloom_cardinality(u & other) AS third
  FROM (SELECT bloom_agg(x, 255) FILTER (WHERE x <= 60) AS l,
               bloom_agg(x, 256) FILTER (WHERE x <= 200) AS f, bloom_agg(x) AS other
          FROM generate_series(1, 2000) x) s, LATERAL (SELECT l & f AS u) v, bloom_info(u) i;
-- Parameters of both: the higher capacity and expansion, the lower rate.
SELECT i.capacity, i.error_rate, i.expansion, a | b = b | a AS commutes
  FROM (VALUES (bloom_empty(10, 0.1, 4), bloom_empty(200, 0.5, 1))) v(a, b), bloom_info(a | b) i;

-- ---- filters that do not grow ----

SELECT i.items, i.layers, (SELECT bool_and(b @> x) FROM generate_series(1, 5) x) AS contains
  FROM bloom_add_all(bloom_empty(5, expansion => 0), ARRAY[1, 2, 3, 4, 5, 5, 1]) b, bloom_info(b) i;
SELECT * FROM pg_temp.errors_of(
    $$bloom_add_all(bloom_empty(5, expansion => 0), '{1,2,3,4,5,6}'::int[])$$,
    $$bloom_add(bloom_add(bloom_empty(1, expansion => 0), 'a'), 'b')$$,
    'bloom_try_add(bloom_add(bloom_empty(1, expansion => 0), 1), 2)');
SELECT added FROM bloom_try_add(bloom_add(bloom_empty(1, expansion => 0), 1), 1);
CREATE FUNCTION pg_temp.fixed(capacity int, lo int, hi int,
       rate float8 DEFAULT 0.01) RETURNS bloom LANGUAGE sql AS $$
    SELECT bloom_add_all(bloom_empty(capacity, rate, 0), ARRAY(SELECT generate_series(lo, hi)))
$$;
SELECT bloom_cardinality(pg_temp.fixed(10, 1, 6) | pg_temp.fixed(10, 4, 10)) AS lists,
       bloom_cardinality(pg_temp.fixed(900, 1, 500) | pg_temp.fixed(900, 400, 800)) BETWEEN 780
           AND 820
           AS filters,
       bloom_cardinality(pg_temp.fixed(900, 1, 10) | pg_temp.fixed(900, 5, 500)) BETWEEN 490 AND 500
           AS list_and_filter;
SELECT pg_temp.error_of('SELECT pg_temp.fixed(10, 1, 6) | pg_temp.fixed(10, 6, 11)');
SELECT pg_temp.error_of('SELECT pg_temp.fixed(900, 1, 600) | pg_temp.fixed(900, 601, 1201)') ~
       '^54000 cannot combine these values of type bloom. Items of filters that do not grow: found \d+, allowed 0 to 900';
SELECT * FROM pg_temp.errors_of(
    'pg_temp.fixed(900, 1, 600) | pg_temp.fixed(1000, 1, 600)',
    'pg_temp.fixed(900, 1, 600) | pg_temp.fixed(900, 1, 600, 0.02)');

-- ---- parameters and limits ----

SELECT * FROM pg_temp.errors_of(
    'bloom_empty(0)', 'bloom_empty(-1)', 'bloom_empty(1073741825)', 'bloom_empty(error_rate => 0)',
    'bloom_empty(error_rate => 1)', 'bloom_empty(error_rate => -0.5)',
    $$bloom_empty(error_rate => 'NaN')$$, 'bloom_empty(error_rate => 1e-10)',
    'bloom_empty(expansion => -1)', 'bloom_empty(expansion => 32769)');
SELECT pg_temp.error_of('SELECT bloom_empty(1073741824)') ~ '^54000 a bloom filter for 1073741824 items would be too large. It would take \d+ bytes, the limit is (1073741819|67108860). Choose';
-- A server of 32 bits has a limit of 64 MB.
SELECT pg_temp.error_of('SELECT bloom_empty(1073741824, 0.5)') ~
           CASE WHEN float8_pass_by_value THEN '^accepted$' ELSE 'the limit is 67108860' END AS fits,
       pg_temp.error_of('SELECT bloom_empty(1, 1e-9, 32768)') AS least,
       pg_temp.error_of('SELECT bloom_empty(1, 0.999999, 0)') AS loosest
  FROM pg_control_init();
SELECT * FROM pg_temp.errors_of(
    'bloom_agg(x) & bloom_agg(-x, 100, 0.02) FROM generate_series(1, 500) x',
    'bloom_agg(x) & bloom_agg(x) FILTER (WHERE x < 400) FROM generate_series(1, 500) x',
    'b & b FROM grown WHERE n = 500');

-- ---- storage ----

-- Out of line, in whole and in part; probed again and again, the copy is kept.
CREATE TABLE stored (id int, b bloom);
INSERT INTO stored SELECT 1, bloom_agg(x) FROM generate_series(1, 200000) x;
INSERT INTO stored SELECT 2, b FROM grown WHERE n = 3000;
INSERT INTO stored SELECT 3, bloom_agg(x, 100000, 0.01) FROM generate_series(1, 240) x;
INSERT INTO stored
    SELECT 4, bloom_union_agg(b ORDER BY k) FROM (SELECT x % 3 AS k, bloom_agg(x) AS b FROM
        generate_series(1, 90000) x GROUP BY 1) s;
SELECT id, pg_column_size(b) > 1900 AS large, b @> 1 AS member, bloom_cardinality(b) > 0 AS items,
       (SELECT count(*) FROM bloom_filters(b)) = (bloom_info(b)).layers AS filters,
       bloom_contains_each(b, ARRAY[1, 2, NULL]) AS each
  FROM stored ORDER BY id;
SELECT id, count(*) FILTER (WHERE x > 0) AS members, count(*) FILTER (WHERE x < 0) < 1000
       AS strangers
  FROM stored, generate_series(-30000, 30000) x WHERE b @> x GROUP BY id ORDER BY id;
SELECT count(*) AS members FROM generate_series(1, 200000) x WHERE (SELECT b FROM stored
       WHERE id = 1) @> x;
SELECT (SELECT array_agg(s.b @> x ORDER BY x) FROM generate_series(-50, 50) x)
         = bloom_contains_each(s.b, ARRAY(SELECT generate_series(-50, 50))) AS same
  FROM stored s;
-- A probe reads the header and a block, 3 chunks at most, of 124; each takes a page and the index.
CREATE FUNCTION pg_temp.buffers(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE query;
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT json) ' || query INTO plan;
    RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::bigint + (plan->0->'Plan'->>'Shared Read Blocks')::bigint;
END
$$;
SELECT pg_temp.buffers('SELECT b @> 5 FROM stored WHERE id = 1') - base BETWEEN 2 AND 3 * 3
       AS contains,
       pg_temp.buffers('SELECT bloom_cardinality(b) FROM stored WHERE id = 1') - base <= 3
           AS cardinality,
       pg_temp.buffers('SELECT bloom_filters(b) FROM stored WHERE id = 1') - base <= 6 AS filters,
       pg_temp.buffers('SELECT bloom_false_positive_rate(b) FROM stored WHERE id = 1') - base > 30
           AS whole
  FROM (SELECT pg_temp.buffers('SELECT id FROM stored WHERE id = 1') AS base) s;

DROP TABLE made, grown, pair, stored;
