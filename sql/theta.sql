-- theta: building, expressions, questions, aggregates and errors.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\i sql/include/sample.sql
\set ECHO all
\set VERBOSITY terse

-- ---- exact ----

CREATE TABLE theta_parts AS
    SELECT theta_agg(i) FILTER (WHERE i <= 3000) AS a,
           theta_agg(i) FILTER (WHERE i > 1500) AS b,
           theta_agg(i) FILTER (WHERE i % 3 = 0) AS c
      FROM generate_series(1::bigint, 4000) i;
SELECT theta_cardinality(a) AS a, theta_cardinality(b) AS b, theta_cardinality(c) AS c, theta_cardinality(a | b) AS "or", theta_cardinality(a & b) AS "and", theta_cardinality(a - b) AS minus,
       theta_cardinality((a & b) - c) AS three, theta_cardinality(((a & b) - c) | (c - b)) AS four
  FROM theta_parts;
SELECT theta_union(a, b) = (a | b) AS "or", theta_intersection(a, b) = (a & b) AS "and",
       theta_difference(a, b) = (a - b) AS minus, (a | b) = (b | a) AS commutes,
       (a - b) | (a & b) = a AS parts, theta_reduce(a | b, 12) = (a | b) AS reduced
  FROM theta_parts;
SELECT theta_info(a - b), theta_describe(a - b), theta_describe(theta_empty()) FROM theta_parts;
SELECT theta_bounds(a), theta_bounds(a, 3), theta_jaccard(a, a - b) FROM theta_parts;

-- ---- estimates: bounds of three standard deviations, and what holds for any sketch ----

CREATE TABLE theta_days AS
    SELECT d, theta_agg(i * 7 + d) AS t FROM generate_series(1, 20) d, generate_series(1, 10000) i GROUP BY d;
CREATE TABLE theta_year AS SELECT theta_union_agg(t) AS t, theta_intersection_agg(t) AS common FROM theta_days;
CREATE FUNCTION pg_temp.holds(sketch theta, truth float8) RETURNS boolean LANGUAGE sql AS
    'SELECT truth BETWEEN b.lower AND b.upper AND b.lower < b.estimate AND b.estimate < b.upper
       FROM theta_bounds(sketch, 3) AS b';
SELECT bool_and(pg_temp.holds(t, 10000)) AS each, min((theta_info(t)).hashes) AS hashes FROM theta_days;
SELECT pg_temp.holds(t, (SELECT count(DISTINCT i * 7 + d)
                           FROM generate_series(1, 20) d, generate_series(1, 10000) i)) AS all_of_them,
       (theta_info(t)).hashes, theta_cardinality(common) BETWEEN 0 AND 10
  FROM theta_year;
SELECT pg_temp.holds(a.t & b.t, 9999) AS "and", pg_temp.holds(a.t - c.t, 9999) AS minus,
       pg_temp.holds((a.t | c.t) - b.t, 10002) AS three
  FROM theta_days a, theta_days b, theta_days c WHERE (a.d, b.d, c.d) = (3, 10, 4);
SELECT j.lower < j.estimate AND j.estimate < j.upper AND .5 BETWEEN j.lower AND j.upper AS similar,
       theta_jaccard(a, a) AS itself, theta_jaccard(a, theta_empty()) AS of_none,
       theta_jaccard(theta_empty(), theta_empty()) IS NULL AS of_two
  FROM (SELECT theta_agg(i) FILTER (WHERE i <= 20000) AS a, theta_agg(i) FILTER (WHERE i > 5000) AS b
          FROM generate_series(1, 30000) i) s, theta_jaccard(a, b) AS j;
SELECT abs((theta_info(t)).relative_error - .0156) < .001 AS relative_error,
       abs((theta_info(t)).theta / 4096 * theta_cardinality(t) - 1) < .001 AS theta,
       (theta_info(t)).bytes = pg_column_size(t | t) AS bytes,
       theta_describe(t) ~ '^theta (≈|~) \d+,\d{3} (±|\+-) 1.5%, 4,096 hashes, lgk 12, \d+,\d{3} bytes$' AS described
  FROM theta_year;
SELECT bool_and(b1.estimate - b1.lower < b2.estimate - b2.lower AND b2.upper < b3.upper) AS wider
  FROM theta_days, theta_bounds(t, 1) AS b1, theta_bounds(t) AS b2, theta_bounds(t, 3) AS b3;

-- Nothing in common: an estimate of 0 with a bound; of sets that are known, none.
SELECT b.lower, b.estimate, b.upper BETWEEN 1 AND 30 AS upper, i.relative_error
  FROM theta_days, (SELECT theta_agg(-i) AS others FROM generate_series(1, 10000) i) AS o,
       theta_bounds(t & others, 2) AS b, theta_info(t & others) AS i WHERE d = 1;
SELECT theta_bounds(t & theta_empty()), theta_bounds(theta_empty() - t), (t | theta_empty()) = t AS "or"
  FROM theta_days WHERE d = 1;

-- ---- the same set, the same bytes ----

SELECT count(DISTINCT t::bytea) AS sketches
  FROM (SELECT theta_agg(i) AS t FROM generate_series(1, 50000) i
        UNION ALL SELECT theta_agg(i ORDER BY -i) FROM generate_series(1, 50000) i
        UNION ALL SELECT theta_agg(1 + i * 7919 % 50000) FROM generate_series(1, 150000) i
        UNION ALL SELECT theta_union_agg(p) FROM (SELECT theta_agg(i) AS p FROM generate_series(1, 50000) i GROUP BY i % 7) s
        UNION ALL SELECT theta_agg(i) | theta_agg(i) FILTER (WHERE i < 99) FROM generate_series(1, 50000) i) u;
SELECT theta_agg(i, 8) = theta_reduce(theta_agg(i), 8) AS reduced,
       (theta_agg(i, 8) | theta_agg(i)) = theta_agg(i, 8) AS lower_lgk,
       theta_add(theta_agg(i, 8), 5) = theta_agg(i, 8) AS again,
       theta_add_all(theta_empty(8), array_agg(i)) = theta_agg(i, 8) AS by_array
  FROM generate_series(1, 5000) i;
SELECT theta_union_agg(t) = (SELECT theta_agg(i) FROM generate_series(1, 30000) i) AS rollup,
       theta_union_cardinality_agg(t) = (SELECT theta_cardinality(theta_agg(i)) FROM generate_series(1, 30000) i) AS cardinality
  FROM (SELECT theta_agg(i) AS t FROM generate_series(1, 30000) i GROUP BY i % 100) s;

-- The cardinality of a union is that of the sketch, exact or sampled, whatever lgk.
SELECT count(*), bool_and(theta_union_cardinality_agg = theta_cardinality(u)) AS as_of_the_union
  FROM (SELECT theta_union_cardinality_agg(t), theta_union_agg(t) AS u
          FROM (SELECT theta_agg(i, 5 + i % 4) AS t, i % 4 AS g, i / 3000 AS part FROM generate_series(1, 30000) i GROUP BY i % 4, i / 3000) s
         GROUP BY ROLLUP (g)) s;
SELECT theta_union_cardinality_agg(t) AS n, theta_union_cardinality_agg(t) FILTER (WHERE t IS NULL) AS no_rows,
       theta_union_cardinality_agg(theta_empty()) AS of_empty
  FROM (VALUES (NULL), (theta_add(NULL, 1)), (theta_add(NULL, 2)), (theta_empty()), (NULL)) v(t);
-- The operator binds weaker than arithmetic, so it needs parentheses.
SELECT # t AS n, (# t) - 1 AS less, left(pg_temp.error_of('SELECT # theta_agg(1) - 1'), 5) AS refused
  FROM (SELECT theta_agg(1) AS t) s;

-- An intersection of many does not depend on their order, whatever is empty.
SELECT count(DISTINCT t::bytea) AS results
  FROM (SELECT theta_intersection_agg(t ORDER BY n) AS t FROM
           (VALUES (1, theta_empty()), (2, (SELECT t FROM theta_days WHERE d = 1)), (3, (SELECT t FROM theta_year))) v (n, t)
        UNION ALL
        SELECT theta_intersection_agg(t ORDER BY -n) AS t FROM
           (VALUES (1, theta_empty()), (2, (SELECT t FROM theta_days WHERE d = 1)), (3, (SELECT t FROM theta_year))) v (n, t)) u;

-- ---- values and their types ----

SELECT theta_agg(3::smallint) = theta_agg(3) AND theta_agg(3) = theta_agg(3::bigint) AS integers,
       theta_agg(3) = theta_agg(3::float8) AS float8, theta_agg('3'::text) = theta_agg(3) AS text,
       theta_agg('é'::text) = theta_agg('\xc3a9'::bytea) AS bytea,
       theta_agg(0::float8) = theta_agg('-0'::float8) AS zeros, theta_agg('NaN'::float8) = theta_agg('-NaN'::float8) AS nans,
       theta_agg(1.5) = theta_agg(1.5::real) AS numeric;
SELECT theta_cardinality(theta_agg(''::text)) AS no_text, theta_cardinality(theta_agg(''::bytea)) AS no_bytes, theta_cardinality(theta_agg(NULL::text)) AS nothing,
       theta_agg(i) FILTER (WHERE false) IS NULL AS no_rows
  FROM generate_series(1, 3) i;
SELECT theta_cardinality(theta_add_all(NULL, '{1,2}'::smallint[])) AS smallint, theta_cardinality(theta_add_all(NULL, '{1,2}'::int[])) AS int,
       theta_cardinality(theta_add_all(NULL, '{1,2,NULL}'::bigint[])) AS bigint, theta_cardinality(theta_add_all(NULL, '{1,2}'::float8[])) AS float8,
       theta_cardinality(theta_add_all(NULL, '{a,b,""}'::text[])) AS text, theta_cardinality(theta_add_all(NULL, '{a,b}'::varchar[])) AS varchar,
       theta_cardinality(theta_add_all(NULL, '{"\\x00"}'::bytea[])) AS bytea, theta_cardinality(theta_add_all(NULL, '{a,b}')) AS untyped;
SELECT theta_cardinality(theta_add(NULL, 7::smallint)) AS smallint, theta_cardinality(theta_add(NULL, 7::float8)) AS float8, theta_cardinality(theta_add(NULL, 'a'::bytea)) AS bytea,
       theta_cardinality(theta_add(NULL, 'a')) AS untyped, theta_add(NULL, 7) = theta_add(theta_empty(), 7) AS of_null,
       theta_add(a, NULL::int) = a AS nothing FROM theta_parts;

-- ---- whether a value is in the sample ----

SELECT bool_and((a @> i) = (i <= 3000)) AS exact, bool_and(theta_contains(a, i) = (a @> i)) AS function,
       bool_and((a @> i::bigint) = (a @> i) AND (a @> i::smallint) = (a @> i)) AS integers,
       bool_or(a @> i::float8) AS float8, bool_or(a @> i::text) AS text
  FROM theta_parts, generate_series(1, 4000) i;
-- A tenth of the items, chosen by their hashes: each day has the same ones.
SELECT count(*) = (theta_info(t)).hashes AS hashes, abs(count(*) / (theta_info(t)).theta / 70000 - 1) < .1 AS as_many
  FROM theta_year, (SELECT DISTINCT i * 7 + d AS item FROM generate_series(1, 20) d, generate_series(1, 10000) i) v
 WHERE t @> item GROUP BY t;
SELECT count(*) AS outside FROM theta_year, theta_days, generate_series(1, 70140, 1 + 5 * (pg_temp.sample() - 1)) i
 WHERE theta_days.t @> i AND (theta_info(theta_year.t)).theta > (theta_info(theta_days.t)).theta AND (theta_year.t @> i) IS NOT TRUE;
-- What the sample says nothing about is NULL: the same values whatever was added, and the fraction theta of them is known.
SELECT count(*) FILTER (WHERE t @> i) = (theta_info(t)).hashes AS known_in,
       abs(count(*) FILTER (WHERE NOT t @> i) / (theta_info(t)).theta / 130000 - 1) < .05 AS known_out,
       count(*) FILTER (WHERE i > 8 AND i <= 70000 AND NOT t @> i) AS wrong,
       bool_and((t @> i IS NULL) = (other @> i IS NULL AND t @> i IS NOT TRUE)) AS same_range,
       bool_and((t @> i) IS NOT DISTINCT FROM theta_contains(t, i)) AS function
  FROM (SELECT theta_agg(i) FILTER (WHERE i > 8) AS t FROM generate_series(1, 70000) i) a,
       LATERAL (SELECT theta_difference(t, t) AS other OFFSET 0) b, generate_series(1, 200000) i GROUP BY t;
SELECT count(*) FILTER (WHERE t @> i) AS has, count(*) FILTER (WHERE NOT t @> i) AS has_not,
       count(*) FILTER (WHERE (t @> i) IS NULL) AS unknown
  FROM (VALUES (theta_empty()), (theta_empty(4)), (theta_add(NULL, 1) | theta_empty(4)), (theta_add(NULL, 1) - theta_add(NULL, 1))) v (t),
       generate_series(1, 1000) i;
SELECT nothing @> '' AS no_item, nothing @> 1 AS one, theta_cardinality(nothing) AS items
  FROM (SELECT theta_agg(i) - theta_agg(i) AS nothing FROM generate_series(1, 100000) i) s;
SELECT t @> 'a'::text AS text, t @> '\x61'::bytea AS bytea, t @> '' AS none, t @> 'b'::text AS other, t @> 2.5 AS number
  FROM (SELECT theta_agg('a'::text) AS t) s;
-- Stored out of line, probed by many rows.
CREATE TABLE theta_probes AS SELECT i FROM generate_series(1, 70140) i;
SELECT count(*) = (SELECT (theta_info(t)).hashes FROM theta_year) AS probed FROM theta_probes, theta_year WHERE t @> i;
SELECT count(*) = (SELECT count(*) FROM theta_probes, (SELECT t | t AS t FROM theta_year OFFSET 0) y WHERE t @> i IS NULL) AS unknown FROM theta_probes, theta_year WHERE t @> i IS NULL;

-- ---- bytes ----

SELECT theta_agg(i)::bytea FROM generate_series(1, 2) i;

-- ---- errors ----

SELECT call, pg_temp.error_of('SELECT ' || call)
  FROM unnest(ARRAY['theta_empty(3)', 'theta_empty(27)', 'theta_agg(1, 3)', 'theta_agg(1, NULL)',
                    'theta_reduce(theta_empty(10), 11)', 'theta_reduce(theta_empty(10), 3)', 'theta_bounds(theta_empty(), 0)',
                    'theta_bounds(theta_empty(), 4)', 'theta_from_datasketches(''\x01'', 30)',
                    'theta_add_all(theta_empty(), ''a'')', 'theta_empty() | ''x''',
                    'theta_agg(i, 5 + i % 2) FROM generate_series(1, 2) i',
                    '_theta_agg_combine(theta_empty(4), theta_empty(5))',
                    '''\x0c01000301''::bytea::theta']) call;

DROP TABLE theta_days, theta_year, theta_parts, theta_probes;
