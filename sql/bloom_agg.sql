-- bloom: aggregates.
--
-- A filter depends on the set of values and on nothing else, so filters are compared byte for byte. States
-- that move between servers are in every_type, windows in windows, NULLs and no rows in calls.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

CREATE TABLE visit (day date, page int, visitor bigint, name text, code varchar);
INSERT INTO visit
    SELECT '2024-01-01'::date + x % 7, x / 11 % 5, (x * 7919) % 3000, 'n' || x % 2000,
        'c' || x % 100
      FROM generate_series(1, 20000) x;
ANALYZE visit;

-- ---- one row, NULLs among others ----

SELECT bloom_agg(7) = bloom_add(bloom_empty(), 7) AS one,
       bloom_agg(7, 100, 0.1) = bloom_add(bloom_empty(100, 0.1), 7) AS rate,
       bloom_agg(7, 10, 0.1) = bloom_add(bloom_empty(10, 0.1), 7) AS capacity,
       bloom_agg('a') = bloom_add(bloom_empty(), 'a') AS text,
       bloom_agg('a', 100, 0.1) = bloom_add(bloom_empty(100, 0.1), 'a') AS text_rate,
       bloom_agg('a', 10, 0.1) = bloom_add(bloom_empty(10, 0.1), 'a')
           AS text_capacity,
       bloom_union_agg(bloom_empty(7)) = bloom_empty(7) AS union_agg,
       bloom_intersection_agg(bloom_empty(7)) = bloom_empty(7) AS intersection_agg;
SELECT bloom_agg(x) = bloom_add_all(bloom_empty(), ARRAY[3, 1, 2]) AS nulls,
       bloom_cardinality(bloom_agg(x))
  FROM unnest(ARRAY[NULL, 1, 2, NULL, 2, 3]) x;

-- ---- as large as the values need ----

SELECT i.capacity, i.items, i.layers, i.bits_per_item <= 10 AS bits, i.false_positive_rate <= 0.01
       AS rate
  FROM (SELECT bloom_agg(visitor) FROM visit) s(b), bloom_info(b) i;
SELECT bool_and(b @> visitor) AS all_there FROM visit, (SELECT bloom_agg(visitor) FROM visit) s(b);
SELECT i.capacity, i.error_rate, i.items, i.layers
  FROM (SELECT bloom_agg(visitor, 100, 0.001) FROM visit) s(b), bloom_info(b) i;
SELECT i.capacity, i.error_rate, i.items, i.layers
  FROM (SELECT bloom_agg(visitor, 100000, 0.001) FROM visit) s(b), bloom_info(b) i;
SELECT i.capacity, i.error_rate, i.items, i.layers
  FROM (SELECT bloom_agg(name, 10, 0.02) FROM visit) s(b), bloom_info(b) i;
SELECT bloom_agg(code) = bloom_agg(code::text) AS varchar,
       bloom_agg(name) = bloom_agg(hashed(name)) AS hashed,
       bloom_agg(name::bytea) = bloom_agg(name) AS bytea,
       bloom_agg(visitor) = bloom_agg(visitor::int) AS integer,
           bloom_agg(visitor) = bloom_agg(visitor::numeric) AS numeric
  FROM visit;

-- The order does not matter, nor how often a value comes; DISTINCT and FILTER.
SELECT bloom_agg(name ORDER BY day, name) = bloom_agg(name ORDER BY name DESC) AS orders,
       bloom_agg(DISTINCT name) = bloom_agg(name) AS "distinct",
       bloom_cardinality(bloom_agg(visitor) FILTER (WHERE visitor < 100)) AS filtered
  FROM visit;

-- In groups; merged, they are the filter of all as long as they are lists.
SELECT page, bloom_cardinality(bloom_agg(visitor)) = count(DISTINCT visitor) AS items,
       bloom_agg(visitor) = bloom_add_all(bloom_empty(), array_agg(visitor)) AS built
  FROM visit GROUP BY page ORDER BY page;
SELECT bloom_union_agg(b) = (SELECT bloom_agg(visitor, 8000, 0.01) FROM visit WHERE visitor < 200)
       AS merged
  FROM (SELECT bloom_agg(visitor, 8000, 0.01) FROM visit WHERE visitor < 200 GROUP BY day,
      page) s(b);
SELECT i.layers, (SELECT bool_and(b @> visitor) FROM visit) AS all_there
  FROM (SELECT bloom_union_agg(b) FROM (SELECT bloom_agg(visitor) FROM visit GROUP BY page,
      day) s(b)) u(b),
       bloom_info(b) i;
-- Filters of one shape are ORed, and what only some have drops out of an intersection.
SELECT i.layers, i.capacity, abs(i.items - 3000) < 30 AS items, i.false_positive_rate < 0.01
       AS rate,
       (SELECT bool_and(b @> visitor) FROM visit) AS all_there
  FROM (SELECT bloom_union_agg(b)
          FROM (SELECT bloom_agg(visitor, 4000, 0.01) FROM visit GROUP BY page) s(b)) u(b),
              bloom_info(b) i;
WITH chosen AS (
    SELECT page, visitor FROM visit WHERE visitor < 600 + 300 * page
), common AS (
    SELECT visitor FROM chosen GROUP BY visitor HAVING count(DISTINCT page) = 5
), intersected AS (
    SELECT bloom_intersection_agg(b) AS b
      FROM (SELECT bloom_agg(visitor, 4000, 0.01) FROM chosen GROUP BY page) s(b)
)
SELECT (bloom_info(b)).layers, (SELECT bool_and(b @> visitor) FROM common) AS all_there,
       (SELECT count(*) > 0 FROM common) AS any_there,
       (SELECT count(*) FROM generate_series(2000, 3000) x WHERE b @> x) < 30 AS others
  FROM intersected;

-- Called by hand, the steps of an aggregate return packed filters.
SELECT bloom_cardinality(s) AS items, s @> 2 AS contains, s = bloom_agg_final AS same,
       (bloom_info(s)).items AS info, s | s = s AS "union", (SELECT count(*) FROM bloom_filters(s))
           AS filters,
       (bloom_try_add(s, 2)).added AS added, bloom_contains_each(s, ARRAY[1, 9]) AS each
  FROM (SELECT _bloom_agg_state(_bloom_agg_state(NULL, 1), 2) AS s, bloom_add_all(bloom_empty(),
      ARRAY[1, 2]) AS bloom_agg_final) q;
SELECT pg_column_size(_bloom_union_state(NULL, bloom_agg(x))) <= 200 AS state
       FROM generate_series(1, 10) x;

-- ---- errors ----

SELECT * FROM pg_temp.errors_of(
    'bloom_agg(x, 0) FROM generate_series(1, 2) x',
    'bloom_agg(x, 100, 0.0) FROM generate_series(1, 2) x',
    'bloom_agg(x, 100, 1.5) FROM generate_series(1, 2) x',
    'bloom_agg(x, 0, 0.01) FROM generate_series(1, 2) x',
    'bloom_agg(x, NULL) FROM generate_series(1, 2) x',
    'bloom_agg(x, NULL, 0.01) FROM generate_series(1, 2) x',
    'bloom_agg(x, 100, 0.01 * x) FROM generate_series(1, 2) x',
    'bloom_agg(x, x, 0.01) FROM generate_series(1, 2) x',
    'bloom_agg(x, 2000000000, 0.01) FROM generate_series(1, 2) x');
SELECT pg_temp.sqlstate_of('SELECT bloom_intersection_agg(b) FROM (SELECT bloom_agg(visitor)
       FROM visit WHERE visitor < 600 + 300 * page GROUP BY page) s(b)') AS shapes;
SELECT pg_temp.sqlstate_of('SELECT bloom_union_agg(b) FROM (SELECT bloom_add_all(bloom_empty(500,
       expansion => 0), array_agg(visitor)) FROM visit WHERE visitor < 600
           GROUP BY page) s(b)') AS full;

DROP TABLE visit;

-- ---- states that move between servers ----

-- Without a final function the states themselves come out.
CREATE AGGREGATE pg_temp.states(hashed) (SFUNC = _bloom_agg_state, STYPE = bloom);
CREATE TEMPORARY TABLE parts AS
    SELECT n, pg_temp.states(x) AS state, bloom_agg(x) AS part
      FROM unnest(ARRAY[32, 3000, 20000]) n, generate_series(1, n) x GROUP BY n, x % 32;
-- What is in transit is a value: every question takes it, and changed it is packed.
SELECT n, get_byte(_bloom_send(moved), 2) AS encoding, get_byte(moved::bytea, 2) AS packed,
       bloom_cardinality(moved) AS items, moved @> 32 AS member, moved @> -1 AS absent,
       moved = part AS equal, _bloom_final(moved) = part AS final,
       (moved | moved) = moved AS united, bloom_add(moved, 32) @> 32 AS added
  FROM parts, LATERAL (SELECT state::text::bloom AS moved OFFSET 0) m
 WHERE part @> 32 ORDER BY n;
-- Stored out of line, what was in transit answers as packed values do.
CREATE TEMPORARY TABLE stored AS
    SELECT pg_temp.states(x)::text::bloom AS state FROM generate_series(1, 10000) x;
SELECT pg_column_size(state) > 50000 AS large, count(*) FILTER (WHERE state @> x) AS found,
       count(*) FILTER (WHERE state @> -x) AS wrong, bloom_cardinality(state) AS items
  FROM stored, generate_series(33, 9900, 33) x GROUP BY state;

-- ---- parameters alone, operators, one line for people ----

SELECT bloom_agg(x, 5000) = bloom_agg(x, 5000, 0.01) AS capacity,
       bloom_agg(x, 100, 0.1) = bloom_agg(x, 100, 0.1) AS rate,
       bloom_agg(x::text, 5000) = bloom_agg(x::text, 5000, 0.01) AS of_texts,
       (bloom_info(bloom_agg(x, 5000))).capacity
  FROM generate_series(1, 3000) x;
SELECT bloom_cardinality(bloom_agg(x)) AS items, 7 <@ bloom_agg(x) AS member, -9 <@ bloom_agg(x) AS absent,
       'b' <@ bloom_agg(x) AS text, bloom_describe(bloom_agg(x))
  FROM generate_series(1, 20000) x;
SELECT bloom_describe(bloom_empty());

-- ---- limits of a union ----

SELECT * FROM pg_temp.errors_of(
    'bloom_union_agg(f) FROM (SELECT bloom_agg(x) AS f FROM generate_series(1, 20000) x GROUP BY x % 100) s',
    'bloom_union_agg(f) FROM (SELECT bloom_agg(x, 100, 0.0001) AS f FROM generate_series(1, 40000) x GROUP BY x % 200) s');
-- Made for all items together they become one, whatever they hold.
SELECT layers, items BETWEEN 19800 AND 20200 AS items, false_positive_rate < 0.01 AS rate
  FROM (SELECT bloom_union_agg(f)
          FROM (SELECT bloom_agg(x, 25000) AS f
                  FROM generate_series(1, 20000) x GROUP BY x % 60) s(f)) u(b), bloom_info(b);
