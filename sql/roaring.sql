-- roaring: functions, operators and aggregates beside plain arrays, and every error.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- Values in the open; the text form is base64 of the bytes.
CREATE FUNCTION v(roaring) RETURNS bigint[] LANGUAGE sql AS 'SELECT roaring_to_array($1)';

-- ---- text, arrays, ranges ----

SELECT '{}'::roaring, '{1}'::roaring, v(' { 3 , 1,2 ,3 } '), v('{4294967295,0}');
SELECT '{1,2}'::roaring::text::roaring = '{2,1}' AS around,
       roaring_empty() = '{}' AS empty, roaring(ARRAY[]::bigint[]) = '{}' AS from_empty;
SELECT v(ARRAY[3, 1, NULL, 3]::int[]::roaring),
       v(ARRAY[[1, 4294967295], [NULL, 2]]::bigint[]::roaring);
SELECT '{1,2147483647}'::roaring::int[], '{1,4294967295}'::roaring::bigint[],
       '{}'::roaring::int[], '{}'::roaring::bigint[];
SELECT * FROM pg_temp.errors_of(
    $$'{2147483648}'::roaring::int[]$$, $$'{4294967296}'::roaring$$, $$'{-1}'::roaring$$,
    $$'{99999999999999999999}'::roaring$$, $$'1,2'::roaring$$, $$'{1,2'::roaring$$,
    $$'{1,,2}'::roaring$$, $$'{1,}'::roaring$$, $$'{1 2}'::roaring$$, $$'{1,x}'::roaring$$,
    $$'{1}}'::roaring$$, $$''::roaring$$, 'ARRAY[1, -2]::roaring');
SELECT v(roaring_range(5, 8)), roaring_range(8, 8) = '{}' AS none,
       roaring_range(9, 8) = '{}' AS less,
       v(roaring_range(4294967294, 4294967296)), roaring_cardinality(roaring_range(0, 4294967296)) AS every_one,
       pg_column_size(roaring_range(0, 4294967296)) < 1048576 AS short;
SELECT * FROM pg_temp.errors_of(
    'roaring_range(0, 4294967297)', 'roaring_range(-1, 5)');
-- An empty range may begin anywhere.
SELECT roaring_range(4294967296, 4294967296), roaring_add_range('{1}', -5, -5), roaring_remove_range('{1}', 4294967296, 0),
       roaring_flip('{1}', 9223372036854775807, -1), roaring_cardinality('{1}', -1, -1);
SELECT v(roaring_from_bits('01011')), v(roaring_from_bits('')), roaring_bits('{1,3,4}'),
       roaring_bits('{}') = '' AS none;
SELECT * FROM pg_temp.errors_of(
    $$roaring_from_bits('012')$$, $$roaring_bits('{4294967295}')$$);

-- ---- changing ----

SELECT v(roaring_add('{1}', 3)), v(roaring_add('{1}', 1)), v(roaring_add('{}', 4294967295)),
       v(roaring_remove('{1,3}', 3)), v(roaring_remove('{1,3}', 2)), v(roaring_remove('{}', 0));
SELECT v('{1}'::roaring | 3), v('{1,3}'::roaring - 3), v('{1}'::roaring - 4294967296) AS no_value,
       v('{1}'::roaring | NULL::bigint) AS nothing, v(NULL::roaring | 3) AS from_null,
       v('{1}'::roaring - NULL::bigint) AS none, v(roaring_remove_all('{1}', NULL)) AS no_array,
       v(roaring_remove_range('{1}', NULL, 5)) AS no_range, roaring_remove(NULL, 1) IS NULL AS null,
       ('{1}'::roaring - NULL::roaring) IS NULL AS no_set;
SELECT pg_temp.error_of($$SELECT '{1}'::roaring | -1$$);
SELECT v(roaring_add_all('{1}', ARRAY[5, NULL, 1, 4])), v(roaring_add_all('{1}', '{}')),
       v(roaring_remove_all('{1,2,3}', ARRAY[3, NULL, 9, 1])),
       v(roaring_remove_all('{}', ARRAY[1]));
SELECT v(roaring_add_range('{1,9}', 3, 6)), v(roaring_add_range('{1}', 6, 3)),
       v(roaring_remove_range('{1,3,4,9}', 3, 9)), v(roaring_remove_range('{1}', 0, 4294967296)),
       v(roaring_flip('{1,3}', 0, 5)), v(roaring_flip('{1}', 5, 5)),
       roaring_cardinality(roaring_flip('{7}', 0, 4294967296)) AS all_but_one;
SELECT v(roaring_shift('{1,70000}', 65536)), v(roaring_shift('{1,70000}', -2)),
       v(roaring_shift('{1,4294967295}', 1)),
       roaring_shift('{1}', -9223372036854775808) = '{}' AS far,
       roaring_shift('{1}', 9223372036854775807) = '{}' AS farther, v(roaring_shift('{5}', 0));
SELECT * FROM pg_temp.errors_of(
    $$roaring_add('{}', 4294967296)$$, $$roaring_add('{}', -1)$$,
    $$roaring_add_all('{}', ARRAY[1, -7])$$, $$roaring_add_range('{}', 0, 4294967297)$$,
    $$roaring_flip('{}', 0, 4294967297)$$);

-- ---- questions ----

SELECT v(s), roaring_cardinality(s) AS n, roaring_is_empty(s) AS empty, roaring_min(s), roaring_max(s),
       roaring_rank(s, 5) AS rank5, roaring_select(s, 1) AS second,
       roaring_position(s, true) AS one, roaring_position(s, false) AS zero,
       roaring_position(s, true, 5) AS one5, roaring_position(s, false, 5) AS zero5
  FROM (VALUES ('{}'::roaring), ('{0}'), ('{5}'), ('{0,1,2,5,6}'), ('{4294967295}')) v(s);
SELECT roaring_position(roaring_range(0, 4294967296), false) AS none,
       roaring_position('{4294967295}', false, 4294967295) AS at_the_end,
       roaring_rank('{1,5}', 4294967295) AS all_of_them, roaring_select('{1,5}', 2) AS beyond,
       roaring_select('{1,5}', 9223372036854775807) AS far_beyond;
SELECT roaring_cardinality('{1,5,9}', 1, 9) AS two, roaring_cardinality('{1,5,9}', 9, 1) AS none,
       roaring_cardinality('{1,5,9}', 0, 4294967296) AS three;
SELECT '{1,2}'::roaring @> 2 AS has, '{1,2}'::roaring @> 3 AS has_not,
       1 <@ '{1,2}'::roaring AS in_it,
       '{1,2,3}'::roaring @> '{1,3}' AS above, '{1,3}'::roaring <@ '{1,2,3}' AS below,
       '{1}'::roaring @> '{}' AS empty, '{}'::roaring @> '{1}' AS of_empty,
       '{1,2}'::roaring && '{2,3}' AS meet, '{1}'::roaring && '{2}' AS miss,
       '{}'::roaring && '{}' AS nothing;
SELECT roaring_contains_each('{1,2}', ARRAY[[1, NULL], [3, 2]]), roaring_contains_each('{1}', '{}');
SELECT roaring_to_array('{5,9,70000,8}'), roaring_to_array('{5,9,70000,8}', 1, 2),
       roaring_to_array('{5,9}', 2, 1), roaring_to_array('{5,9}', 1, 9223372036854775807),
       roaring_to_array('{5,9}', 0, 0);
SELECT array_agg(e) FROM roaring_elements('{5,9,70000,8}') e;
SELECT array_agg(e) FROM roaring_elements('{5,9,70000,8}', true) e;
SELECT count(*) FROM roaring_elements('{}') e;
-- Streaming: a few of four billion.
SELECT roaring_elements(roaring_range(0, 4294967296)) AS e LIMIT 3;
SELECT * FROM roaring_info('{}');
SELECT * FROM roaring_info(roaring_range(0, 100000) | '{1000001,1000003}');
SELECT (roaring_info(roaring_agg(i * 3))).* FROM generate_series(1, 100000) i;
SELECT * FROM pg_temp.errors_of(
    $$roaring_select('{1}', -1)$$, $$roaring_to_array('{1}', -1, 2)$$,
    $$roaring_to_array('{1}', 0, -2)$$, 'roaring_to_array(roaring_range(0, 4294967296))');

-- ---- set algebra: what redis-roaring answers ----

WITH s AS (SELECT '{1,2,3,4}'::roaring AS x, '{3,4,5}'::roaring AS y, '{4,5,6}'::roaring AS z)
SELECT v(roaring_bitop('and', x, y, z)) AS "and", v(roaring_bitop('OR', x, y, z)) AS "or",
       v(roaring_bitop('xor', x, y, z)) AS "xor", v(roaring_bitop('andor', x, y, z)) AS "andor",
       v(roaring_bitop('one', x, y, z)) AS "one", v(roaring_bitop('diff', x, y, z)) AS diff,
       v(roaring_bitop('diff1', x, y, z)) AS diff1, roaring_jaccard(x, y), v(roaring_not(x, 6))
  FROM s;
SELECT v(roaring_bitop('and', '{1,2}')) AS "and",
       v(roaring_bitop('one', '{1}', '{1}', '{1}')) AS one,
       v(roaring_bitop('diff', '{1,2}', NULL, '{2}')) AS with_null,
       v(roaring_not('{}', 3)), v(roaring_not('{0,5}', 0)), roaring_jaccard('{}', '{}') AS unknown,
       roaring_jaccard('{1}', '{2}') AS zero;
-- A NULL set is empty, as a key that does not exist is to BITOP.
SELECT op, v(roaring_bitop(op, NULL, '{1,2}', '{2,3}')) AS x, v(roaring_bitop(op, '{1,2}', NULL, '{2,3}')) AS y,
       v(roaring_bitop(op, '{1,2}', '{2,3}', NULL)) AS z, v(roaring_bitop(op, NULL, NULL)) AS of_nulls
  FROM unnest(ARRAY['and', 'or', 'xor', 'diff', 'diff1', 'andor', 'one']) op;
SELECT op
  FROM unnest(ARRAY['and', 'or', 'xor', 'diff', 'diff1', 'andor', 'one']) op,
       (VALUES (NULL::roaring), ('{}'), ('{1,2,3,4}')) a(x), (VALUES (NULL::roaring), ('{}'), ('{2,3,5,8}')) b(y),
       (VALUES (NULL::roaring), ('{}'), ('{3,4,5,9}')) c(z)
 WHERE coalesce(x, y, z) IS NOT NULL
   AND roaring_bitop(op, x, y, z) IS DISTINCT FROM
       roaring_bitop(op, coalesce(x, '{}'), coalesce(y, '{}'), coalesce(z, '{}'));
SELECT pg_temp.error_of($$SELECT roaring_bitop('nand', '{1}', '{2}')$$);
SELECT v(roaring_bitop('diff', '{1}')) AS diff, v(roaring_bitop('diff1', '{1}')) AS diff1,
       v(roaring_bitop('and', VARIADIC '{}'::roaring[])) AS of_none;
SELECT * FROM pg_temp.errors_of(
    $$roaring_not('{1}', -1)$$, $$roaring_not('{1}', 4294967296)$$);

-- ---- beside arrays ----

-- Sets of all shapes: lone values, dense stretches, runs, whole containers, both ends.
CREATE TABLE plain (id int PRIMARY KEY, a bigint[], r roaring);
INSERT INTO plain
SELECT id, a, a::roaring
  FROM (SELECT 1, '{}'::bigint[]
        UNION ALL SELECT 2, '{0,4294967295}'
        UNION ALL SELECT 3, array_agg(i) FROM generate_series(65000, 67000) i
        UNION ALL SELECT 4, array_agg(i * 2) FROM generate_series(30000, 36000) i
        UNION ALL SELECT 5, array_agg(i * 4000) FROM generate_series(1, 1000::bigint) i
        UNION ALL SELECT 6, array_agg(DISTINCT i * i % 70001)
                           FROM generate_series(1, 3000::bigint) i
        UNION ALL SELECT 7, array_agg(i) FROM generate_series(50000, 75000) i WHERE i % 100 < 98
        UNION ALL SELECT 8, array_agg(4294967295 - i * i) FROM generate_series(0, 400::bigint) i)
       v(id, a);
SELECT bool_and(roaring_cardinality(r) = cardinality(a)) AS n,
       bool_and(r::bigint[] = (SELECT coalesce(array_agg(x ORDER BY x), '{}') FROM unnest(a) x)) AS same
  FROM plain;

CREATE FUNCTION pg_temp.plain_sets(a bigint[], b bigint[])
RETURNS TABLE (u bigint[], i bigint[], e bigint[], d bigint[]) LANGUAGE sql AS $$
    SELECT coalesce(array_agg(x ORDER BY x), '{}'),
           coalesce(array_agg(x ORDER BY x) FILTER (WHERE in_a AND in_b), '{}'),
           coalesce(array_agg(x ORDER BY x) FILTER (WHERE in_a <> in_b), '{}'),
           coalesce(array_agg(x ORDER BY x) FILTER (WHERE NOT in_b), '{}')
      FROM (SELECT x, bool_or(s = 'a') AS in_a, bool_or(s = 'b') AS in_b
              FROM (SELECT 'a' AS s, unnest(a) AS x UNION ALL SELECT 'b', unnest(b)) v
             GROUP BY x) g
$$;
-- No rows: where they differ.
SELECT x.id, y.id
  FROM plain x, plain y, pg_temp.plain_sets(x.a, y.a)
 WHERE (x.r | y.r)::bigint[] <> u OR (x.r & y.r)::bigint[] <> i OR (x.r # y.r)::bigint[] <> e
    OR (x.r - y.r)::bigint[] <> d
    OR (x.r | y.r) <> u::roaring OR (x.r # y.r) <> e::roaring
    OR roaring_union_cardinality(x.r, y.r) <> cardinality(u)
    OR roaring_intersection_cardinality(x.r, y.r) <> cardinality(i)
    OR roaring_xor_cardinality(x.r, y.r) <> cardinality(e)
    OR roaring_difference_cardinality(x.r, y.r) <> cardinality(d)
    OR (x.r && y.r) <> (cardinality(i) > 0) OR (x.r @> y.r) <> (i = y.a::roaring::bigint[])
    OR (x.r <@ y.r) <> (cardinality(d) = 0)
    OR roaring_bitop('or', x.r, y.r) <> (x.r | y.r)
    OR roaring_bitop('diff1', x.r, y.r) <> (y.r - x.r)
    OR roaring_jaccard(x.r, y.r) <> cardinality(i)::float8 / nullif(cardinality(u), 0);
SELECT id, v
  FROM plain, unnest(ARRAY[0, 1, 65535, 65536, 66000, 70000, 140000, 4294967295]) v
 WHERE (r @> v) <> (v = ANY (a))
    OR roaring_rank(r, v) <> (SELECT count(*) FROM unnest(a) x WHERE x <= v)
    OR roaring_position(r, true, v) IS DISTINCT FROM (SELECT min(x) FROM unnest(a) x WHERE x >= v)
    OR roaring_cardinality(r, v / 2, v)
       <> (SELECT count(*) FROM unnest(a) x WHERE x >= v / 2 AND x < v)
    OR roaring_add(r, v) <> (a || v)::roaring
    OR roaring_remove(r, v) <> array_remove(a, v)::roaring
    OR roaring_add_range(r, v / 2, v) <> r | roaring_range(v / 2, v)
    OR roaring_remove_range(r, v / 2, v) <> r - roaring_range(v / 2, v)
    OR roaring_flip(r, v / 2, v) <> r # roaring_range(v / 2, v)
    OR roaring_shift(r, v)
       <> (SELECT array_agg(x + v) FROM unnest(a) x WHERE x + v <= 4294967295)::roaring
    OR roaring_shift(r, -v) <> (SELECT array_agg(x - v) FROM unnest(a) x WHERE x >= v)::roaring;
SELECT id FROM plain
 WHERE roaring_from_portable(roaring_to_portable(r)) <> r OR r::text::roaring <> r
    OR r::bytea::roaring <> r OR r::roaring64::roaring <> r
    OR (SELECT array_agg(e) FROM roaring_elements(r) e) <> nullif(r::bigint[], '{}')
    OR (SELECT array_agg(e) FROM roaring_elements(r, true) e)
       <> (SELECT array_agg(x ORDER BY x DESC) FROM unnest(a) x)
    OR roaring_to_array(r, 10, 5) <> (r::bigint[])[11:15]
    OR (id <> 2 AND id <> 8 AND roaring_from_bits(roaring_bits(r)) <> r);

-- Equal sets are equal bytes, however they came about. (Aggregates are in roaring_aggregates.)
SELECT count(DISTINCT r::bytea) AS one
  FROM (SELECT roaring_range(0, 70000) AS r
        UNION ALL SELECT roaring_agg(i) FROM generate_series(0, 69999) i
        UNION ALL SELECT roaring_agg(70000 - i) FROM generate_series(1, 70000) i
        UNION ALL SELECT roaring_range(0, 100) | roaring_range(50, 70000)
        UNION ALL SELECT roaring_remove('{70000}' | roaring_range(0, 70000), 70000)) t;

-- ---- out of line ----

CREATE TABLE far (id int, r roaring);
INSERT INTO far SELECT 1, roaring_agg(i * 3) FROM generate_series(1, 300000) i;
INSERT INTO far SELECT 2, roaring_agg(i * 40000::bigint) FROM generate_series(1, 100000) i;
INSERT INTO far SELECT 3, roaring_agg(i * 131072 + j)
                  FROM generate_series(0, 9::bigint) i, generate_series(1, 40000) j;
SELECT id, roaring_cardinality(r) AS n, pg_column_size(r) > 20000 AS far,
       (SELECT count(*) FROM generate_series(0, 4294967295, 10000019) p WHERE r @> p)
     = (SELECT count(*) FROM generate_series(0, 4294967295, 10000019) p
         WHERE CASE id WHEN 1 THEN p % 3 = 0 AND p BETWEEN 1 AND 900000
                       WHEN 2 THEN p % 40000 = 0 AND p BETWEEN 1 AND 4000000000
                       ELSE p < 1310720 AND p % 131072 BETWEEN 1 AND 40000 END) AS probes
  FROM far ORDER BY id;
-- One probe of each, which reads a few chunks.
SELECT p, array_agg(id ORDER BY id) FILTER (WHERE r @> p) AS have
  FROM far, unnest(ARRAY[0, 3, 40000, 120000, 131073, 899997, 4000000000, 4294967295]) p
 GROUP BY p ORDER BY p;
SELECT id, v <@ r AS other_way FROM far, (VALUES (40000)) t(v) ORDER BY id;

-- ---- bytes ----

SELECT * FROM pg_temp.errors_of(
    $$''::bytea::roaring$$, $$'\x0301'::bytea::roaring$$, $$'{1}'::roaring64::bytea::roaring$$,
    $$('{1,2}'::roaring::bytea || '\x00')::roaring$$);

-- The portable form, by hand: cookie, count, key and cardinality - 1, offset, values.
SELECT encode(roaring_to_portable('{1,2}'), 'hex') AS "1 and 2",
       encode(roaring_to_portable('{}'), 'hex') AS none,
       encode(roaring_to_portable(roaring_range(1, 100)), 'hex') AS run;
-- Runs only where they are shorter: three in a row take six bytes either way. And at the border of
-- arrays and bits.
SELECT n, i.array, i.bitset, i.run, i.bytes
  FROM unnest(ARRAY[3, 4, 4096, 4097]) n,
       LATERAL (SELECT (roaring_info(roaring_agg(v * CASE WHEN n < 5 THEN 1 ELSE 3 END))).*
                  FROM generate_series(1, n) v) i;
SELECT v(roaring_from_portable('\x3a30000001000000000001001000000001000200'));
-- A run where an array is shorter is read, and kept as the array.
SELECT v(roaring_from_portable('\x3b3000000100000000010005000000')) AS run;
SELECT what, pg_temp.error_of(format('SELECT roaring_from_portable(%L)', bytes)) AS error
  FROM (VALUES
        ('nothing', '\x'::bytea),
        ('a wrong cookie', '\x3930000000000000'),
        ('only a cookie', '\x3a300000'),
        ('65537 containers', '\x3a30000001000100'),
        ('four billion containers', '\x3a300000ffffffff'),
        ('a count that lies', '\x3a30000002000000000001001000000001000200'),
        ('a wrong offset', '\x3a30000001000000000001001100000001000200'),
        ('an offset far away', '\x3a3000000100000000000100ffffffff01000200'),
        ('a cardinality that lies', '\x3a30000001000000000002001000000001000200'),
        ('values not in order', '\x3a30000001000000000001001000000002000100'),
        ('a value twice', '\x3a30000001000000000001001000000001000100'),
        ('keys not in order', '\x3a300000020000000100000000000000180000001a00000001000100'),
        ('truncated', '\x3a3000000100000000000100100000000100'),
        ('padded', '\x3a3000000100000000000100100000000100020000'),
        ('a bitset with too few bits',
         '\x3a300000010000000000ffff10000000' || decode(repeat('00', 8192), 'hex')),
        ('runs that overlap', '\x3b300000010000090002000000050004000400'),
        ('a run beyond its container', '\x3b30000001000005000100fcff0500')
       ) v(what, bytes);

-- ---- values outside the range are in no set; removing them changes nothing ----
SELECT s @> -1 AS below, s @> 4294967296 AS above, -1 <@ s AS within, 9223372036854775807 <@ s AS far,
       roaring_contains_each(s, ARRAY[1, -1, 4294967297, NULL]) AS each
  FROM (VALUES ('{1,4294967295}'::roaring)) t(s);
SELECT roaring_rank(s, -1) AS below, roaring_rank(s, 4294967296) AS above,
       roaring_rank(s, 9223372036854775807) AS far, roaring_cardinality(s, -5, 2) AS low,
       roaring_cardinality(s, 2, 9223372036854775807) AS high,
       roaring_cardinality(s, -9, -5) AS none
  FROM (VALUES ('{1,4294967295}'::roaring)) t(s);
SELECT roaring_position(s, true, -1) AS first, roaring_position(s, false, -1) AS gap,
       roaring_position(s, true, 4294967296) AS beyond, roaring_position(s, false, 4294967296) AS gap_beyond
  FROM (VALUES ('{0,1,4294967295}'::roaring)) t(s);
SELECT roaring_remove(s, -1) = s AS one, roaring_remove_all(s, ARRAY[-1, 4294967297, NULL]) = s AS none,
       roaring_remove_all(s, ARRAY[-1, 1]) AS some, roaring_remove_range(s, -5, 2) AS low,
       roaring_remove_range(s, 2, 9223372036854775807) AS high
  FROM (VALUES ('{1,4294967295}'::roaring)) t(s);

-- ---- the rank of a value, from 0 ----
SELECT i, roaring_index(s, i), roaring_select(s, roaring_index(s, i)) = i AS back
  FROM (VALUES ('{0,5,70000,4294967295}'::roaring)) t(s),
       unnest(ARRAY[0, 5, 6, 70000, 4294967295, -1, 4294967296]) i;

-- ---- texts ----
SELECT s, s::text::roaring = s AS around FROM (VALUES
    ('{}'::roaring), ('{4294967295,0}'), ('  17  '), ('0'), ('004'), ('{ 65536 , 65535 }')) t(s);
-- A thousand values are printed one by one, more are not.
SELECT n, roaring_range(0, n)::text LIKE '{0,1,%,' || n - 1 || '}' AS braces,
       roaring_range(0, n)::text LIKE 'AwEAA%' AS base64,
       roaring_range(0, n)::text::roaring = roaring_range(0, n) AS around
  FROM unnest(ARRAY[999, 1000, 1001]) n;
-- Digits alone are one value, so that an operand without a type means what it says.
SELECT '{3,5}'::roaring @> '5' AS has, '{3,5}'::roaring @> '4' AS has_not, '5' <@ '{3,5}'::roaring AS within;
PREPARE has AS SELECT '{3,5}'::roaring @> $1 AS has;
EXECUTE has('5');
EXECUTE has('4');
EXECUTE has('{3,5}');
DEALLOCATE has;
SELECT pg_temp.error_of(format('SELECT %L::roaring', t)), t
  FROM unnest(ARRAY['4294967296', '99999999999999999999', '-1', '1 2', '5x', '5,6']) t;
-- pg_roaringbitmap prints the portable format in hexadecimal digits.
SELECT s, ('\x' || upper(encode(roaring_to_portable(s), 'hex')))::roaring = s AS upper,
       roaring_to_portable(s)::text::roaring = s AS lower
  FROM (VALUES ('{}'::roaring), ('{1,2,5}'), ('{4294967295}')) t(s);
SELECT (roaring_to_portable(s)::text || E'\n ')::roaring = s AS wide FROM (VALUES (roaring_range(0, 70000))) t(s);
SELECT pg_temp.error_of(format('SELECT %L::roaring', t)), t
  FROM unnest(ARRAY['\x', '\x3', '\x3a3', '\x3a30000000000000 1', '\xzz', '\x3b30']) t;

-- ---- one line for people ----
SELECT roaring_describe(s) FROM (VALUES
    ('{}'::roaring), ('{5}'), ('{5,1234567}'), (roaring_range(1000, 70000)), (roaring_range(0, 4294967296))) t(s);

DROP TABLE plain, far;
DROP FUNCTION v;
