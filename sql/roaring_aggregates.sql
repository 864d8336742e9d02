-- roaring, roaring64: aggregates beside what the same rows say, in groups and partial plans, in every order of
-- rows, over sets that are NULL, empty or stored out of line. (Windows are in windows.)
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

-- Rows of groups that end up in every form: few values, arrays, bits, runs, all of it, repeated
-- values, and values at both ends of the range.
CREATE TABLE rows AS
    SELECT g, CASE WHEN g < 6 THEN i % (3 * g + 1)
                   WHEN g < 12 THEN i * 7919 % (1000 * g)
                   WHEN g < 16 THEN i * 65521 % 4294967296
                   WHEN g < 20 THEN i / 3 + (g - 16) * 65530
                   ELSE 4294967295 - i * i % 100003 END AS v
      FROM generate_series(0, 23) g, generate_series(0::bigint, 3000 + g * 50) i;
ALTER TABLE rows SET (parallel_workers = 2);
ANALYZE rows;

-- The oracle: distinct values of a group, sorted.
CREATE TABLE plain AS
    SELECT g, array_agg(DISTINCT v ORDER BY v) AS a FROM rows GROUP BY g;
SELECT g, cardinality(a) AS n, a[1] AS low, a[cardinality(a)] AS high FROM plain ORDER BY g;

-- No rows, here and below: where they differ.
SELECT g
  FROM (SELECT g, roaring_agg(v) AS r, roaring64_agg(v) AS r64, roaring64_agg(v * 2147483648) AS wide,
               roaring_agg(v) FILTER (WHERE v % 3 = 0) AS thirds, roaring_agg(DISTINCT v) AS once,
               roaring_agg(v ORDER BY v) AS up, roaring_agg(v ORDER BY v DESC) AS down,
               roaring_agg(v ORDER BY v % 17, v DESC) AS jumping,
               roaring64_agg(v ORDER BY v % 17, v DESC) AS jumping64,
               roaring_agg(NULLIF(v, 5)) AS but_5
          FROM rows GROUP BY g) r
  JOIN plain USING (g)
 WHERE r::bigint[] <> a OR r64::bigint[] <> a OR once <> r OR up <> r OR down <> r OR jumping <> r
    OR jumping64 <> r64 OR r::roaring64 <> r64
    OR wide::bigint[] <> (SELECT array_agg(x * 2147483648) FROM unnest(a) x)
    OR coalesce(thirds::bigint[], '{}') <> ARRAY(SELECT x FROM unnest(a) x WHERE x % 3 = 0)
    OR but_5 <> roaring_remove(r, 5) OR roaring_cardinality(r) <> cardinality(a);

-- Building in pieces of every size and uniting them is building at once.
SELECT g, pieces
  FROM plain, unnest(ARRAY[1, 2, 7, 300]) pieces,
       LATERAL (SELECT roaring_union_agg(part) AS r, roaring_xor_agg(part) AS x,
                       roaring_union_cardinality_agg(part) AS n, roaring_xor_cardinality_agg(part) AS nx,
                       roaring64_union_agg(part64) AS r64, roaring64_xor_agg(part64) AS x64
                  FROM (SELECT roaring_agg(v) AS part, roaring64_agg(v << 20) AS part64
                          FROM unnest(a) v GROUP BY v % pieces
                         UNION ALL SELECT NULL, NULL UNION ALL SELECT '{}', '{}') p) u
 WHERE (r::bigint[], x::bigint[], n, nx) IS DISTINCT FROM
       (a, a, cardinality(a)::bigint, cardinality(a)::bigint)
    OR r64 <> (SELECT roaring64_agg(v << 20) FROM unnest(a) v) OR x64 <> r64;

-- ---- many sets ----

-- Each value v of 0 .. 9999 is in the sets 1 .. v % 40, so that counting says which are in how many.
CREATE TABLE sets AS
    SELECT s, roaring_agg(v) AS r, roaring64_agg(v * 1000003) AS r64
      FROM generate_series(1, 39) s, generate_series(0, 9999::bigint) v WHERE v % 40 >= s GROUP BY s;
SELECT roaring_union_agg(r) = (SELECT roaring_agg(v) FROM generate_series(0, 9999) v WHERE v % 40 >= 1)
           AS any_of_them,
       roaring_intersection_agg(r) = (SELECT roaring_agg(v) FROM generate_series(39, 9999, 40) v)
           AS all_of_them,
       roaring_xor_agg(r) = (SELECT roaring_agg(v) FROM generate_series(0, 9999) v
                              WHERE v % 40 % 2 = 1) AS odd,
       roaring_union_cardinality_agg(r) AS n_any, roaring_intersection_cardinality_agg(r) AS n_all,
       roaring_xor_cardinality_agg(r) AS n_odd,
       roaring64_union_cardinality_agg(r64) AS n_any64,
       roaring64_intersection_cardinality_agg(r64) AS n_all64,
       roaring64_xor_cardinality_agg(r64) AS n_odd64
  FROM sets;
-- Order does not matter; the same set twice cancels itself out in xor only.
SELECT roaring_xor_agg(r ORDER BY s DESC) = roaring_xor_agg(r) AS xor_order,
       roaring_intersection_agg(r ORDER BY s DESC) = roaring_intersection_agg(r) AS and_order,
       roaring_union_agg(r ORDER BY s DESC)::bytea = roaring_union_agg(r)::bytea AS or_order
  FROM sets;
SELECT roaring_xor_agg(r) = '{}' AS xor_none,
       roaring_union_agg(r) = (SELECT roaring_union_agg(r) FROM sets) AS or_all,
       roaring64_xor_cardinality_agg(r64) AS xor64,
       roaring_xor_agg(r) FILTER (WHERE twice <> 2 OR s <> 5) = (SELECT r FROM sets WHERE s = 5) AS one
  FROM sets, generate_series(1, 2) twice;
-- The aggregates are what bitop says of all of them.
SELECT roaring_bitop('or', VARIADIC array_agg(r)) = roaring_union_agg(r) AS "or",
       roaring_bitop('and', VARIADIC array_agg(r)) = roaring_intersection_agg(r) AS "and",
       roaring_bitop('xor', VARIADIC array_agg(r)) = roaring_xor_agg(r) AS "xor",
       roaring_bitop('one', VARIADIC array_agg(r))
           = (SELECT roaring_agg(v) FROM generate_series(1, 9999, 40) v) AS one,
       roaring64_bitop('diff', VARIADIC array_agg(r64 ORDER BY s))
           = (SELECT roaring64_agg(v * 1000003) FROM generate_series(1, 9999::bigint, 40) v) AS diff
  FROM sets;

-- ---- nothing, NULL, empty ----

SELECT what, roaring_union_agg(r)::int[] AS "or", roaring_intersection_agg(r)::int[] AS "and",
       roaring_xor_agg(r)::int[] AS "xor", roaring_union_cardinality_agg(r) AS n_or,
       roaring_intersection_cardinality_agg(r) AS n_and, roaring_xor_cardinality_agg(r) AS n_xor
  FROM (VALUES ('one', '{1,2}'::roaring), ('NULL', NULL), ('empty', '{}'), ('empty twice', '{}'),
               ('empty twice', '{}'), ('NULL first', NULL), ('NULL first', '{3}'), ('empty first', '{}'),
               ('empty first', '{4}'), ('empty last', '{4}'), ('empty last', '{}'),
               ('NULL between', '{5,6}'), ('NULL between', NULL), ('NULL between', '{6,7}'))
       t(what, r)
 GROUP BY what ORDER BY what;
SELECT g, roaring_agg(v) AS none, roaring_agg(v) FILTER (WHERE false) IS NULL AS filtered
  FROM (VALUES (1, NULL::bigint), (1, NULL), (2, NULL)) t(g, v) GROUP BY g ORDER BY g;

-- ---- extremes ----

SELECT roaring_agg(v)::bigint[] AS ends FROM unnest(ARRAY[0, 4294967295, 0, 4294967295]) v;
SELECT roaring64_agg(v)::bigint[] AS ends
  FROM unnest(ARRAY[9223372036854775807, 0, 4294967295, 4294967296, 9223372036854775807]) v;
SELECT v, pg_temp.error_of(format('SELECT roaring_agg(x) FROM unnest(ARRAY[1, %s]) x', v)) AS roaring,
       pg_temp.error_of(format('SELECT roaring64_agg(x) FROM unnest(ARRAY[1, %s]) x', v)) AS roaring64
  FROM unnest(ARRAY[-9223372036854775808, -2147483649, -2147483648, -1, 0, 2147483647, 2147483648,
                    4294967295, 4294967296, 9223372036854775807]) v;
SELECT roaring_cardinality(roaring_union_agg(r)) AS together, roaring_cardinality(roaring_intersection_agg(r)) AS middle,
       roaring_xor_cardinality_agg(r) AS outside
  FROM (VALUES (roaring_range(4280000000, 4293000000)), (roaring_range(4285000000, 4294967296))) t(r);
SELECT roaring64_union_cardinality_agg(r) AS n, roaring64_intersection_cardinality_agg(r) AS both,
       roaring64_xor_cardinality_agg(r) AS one
  FROM (VALUES (roaring64_range(9223372036840000000, 9223372036854775807)),
               (roaring64_range(9223372036845000000, 9223372036854775807)
                | '{9223372036854775807}')) t(r);

-- ---- one state, two results ----

-- union_agg and union_cardinality_agg share a state, and neither changes it for the other.
SELECT roaring_union_cardinality_agg(r) = roaring_cardinality(roaring_union_agg(r)) AS "or",
       roaring_xor_cardinality_agg(r) = roaring_cardinality(roaring_xor_agg(r)) AS "xor",
       roaring_intersection_cardinality_agg(r) = roaring_cardinality(roaring_intersection_agg(r)) AS "and",
       roaring_union_agg(r) = roaring_union_agg(r) AS again
  FROM sets;

-- ---- partial plans ----

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE sets SET (parallel_workers = 2);
EXPLAIN (COSTS OFF) SELECT roaring_xor_agg(r), roaring_intersection_agg(r) FROM sets;
SELECT roaring_union_cardinality_agg(r) AS n_any, roaring_intersection_cardinality_agg(r) AS n_all,
       roaring_xor_cardinality_agg(r) AS n_odd,
       roaring64_union_cardinality_agg(r64) AS n_any64,
       roaring64_intersection_cardinality_agg(r64) AS n_all64,
       roaring64_xor_cardinality_agg(r64) AS n_odd64,
       roaring_xor_agg(r) = (SELECT roaring_agg(v) FROM generate_series(0, 9999) v
                              WHERE v % 40 % 2 = 1) AS odd
  FROM sets;
-- Workers that see only NULLs, or no row, have no say.
SELECT roaring_intersection_agg(CASE s WHEN 7 THEN r END) = (SELECT r FROM sets WHERE s = 7) AS "and",
       roaring_xor_agg(CASE s WHEN 7 THEN r END) = (SELECT r FROM sets WHERE s = 7) AS "xor",
       roaring_union_agg(r) FILTER (WHERE s = 7) = (SELECT r FROM sets WHERE s = 7) AS "or",
       roaring64_xor_agg(r64) FILTER (WHERE s > 100) IS NULL AS none
  FROM sets;
RESET ALL;

DROP TABLE rows, plain, sets;

-- Long ranges are short in a state, too, whatever the order in which they come.
SELECT roaring_cardinality(roaring_union_agg(r ORDER BY i DESC)) AS every_one, roaring_cardinality(roaring_union_agg(r ORDER BY i)) AS again
FROM (SELECT i, roaring_range(i * 33554432, (i + 1) * 33554432) AS r
      FROM generate_series(0::bigint, 127) AS i) AS ranges(i, r);
SELECT pg_column_size(_roaring_union_state(NULL, roaring_range(0, 4294967296))) < 2000000 AS short;
SELECT roaring_xor_agg(r) = roaring_range(65536, 3 * 65536) AS rest
FROM (VALUES (roaring_range(0, 262144)), (roaring_range(0, 65536)), (roaring_range(196608, 262144)))
     AS ranges(r);
