-- roaring64: functions, operators and aggregates beside plain arrays, and every error.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\i sql/include/sample.sql
\set ECHO all

-- Values in the open; the text form is base64 of the bytes.
CREATE FUNCTION v(roaring64) RETURNS bigint[] LANGUAGE sql AS 'SELECT roaring64_to_array($1)';

-- Negative numbers are above the others: what a bigint is as an unsigned number, and back.
CREATE FUNCTION u(bigint) RETURNS numeric LANGUAGE sql AS 'SELECT $1 + CASE WHEN $1 < 0 THEN 18446744073709551616 ELSE 0 END';
-- Their order is that of this.
CREATE FUNCTION o(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT $1 # -9223372036854775808';
CREATE FUNCTION b(numeric) RETURNS bigint LANGUAGE sql AS 'SELECT ($1 - CASE WHEN $1 > 9223372036854775807 THEN 18446744073709551616 ELSE 0 END)::bigint';

-- ---- values of 64 bits ----

SELECT v('{0,9223372036854775807,4294967296}'), v(roaring64_add('{4294967295}', 4294967296)),
       v(roaring64_remove('{1,4294967296}', 4294967296)), v(ARRAY[3, NULL, 1]::int[]::roaring64),
       v(roaring64_range(9223372036854775805, 9223372036854775807)),
       '{4294967296,5}'::roaring64::bigint[];
SELECT * FROM pg_temp.errors_of(
    $$'{18446744073709551616}'::roaring64$$, $$'{-9223372036854775809}'::roaring64$$, $$'{1,'::roaring64$$,
    $$'{4294967296}'::roaring64::int[]$$, $$'{-2147483649}'::roaring64::int[]$$);
-- A number from 2^63 on is read as the bigint with the same bits, and so is a negative one.
SELECT '{18446744073709551615, 9223372036854775808, -5, 7}'::roaring64 AS signed, '-1'::roaring64 AS lone,
       '{"-1","5","18446744073709551614"}'::roaring64 AS quoted, '{-1,-2147483648,3}'::roaring64::int[] AS ints,
       '{-1}'::roaring64 = roaring64_from_portable('\x0100000000000000ffffffff3a30000001000000ffff000010000000ffff') AS portable;
SELECT pg_temp.error_of($$SELECT '{5,-1}'::roaring64::roaring$$);
-- Ranges: up to the end is up to 0, and one that would go on at 0 is refused.
SELECT v(roaring64_range(-3, 0)) AS to_the_end, v(roaring64_range(-9223372036854775808, -9223372036854775806)) AS of_negative,
       roaring64_range(-3, -5) AS none, roaring64_range(5, 0) AS nothing, roaring64_cardinality('{1,5,-9,-1}', 5, -1) AS across,
       roaring64_cardinality('{1,5,-9,-1}', -9, 0) AS negative, roaring64_remove_range('{1,5,-9,-1}', 5, -1) AS left_over;
SELECT * FROM pg_temp.errors_of(
    'roaring64_range(-5, 5)', $$roaring64_add_range('{}', -1, 1)$$, $$roaring64_remove_range('{}', -9223372036854775808, 9223372036854775807)$$,
    $$roaring64_cardinality('{}', -5, 5)$$, $$roaring64_flip('{}', -5, 5)$$, 'roaring64_range(9223372036854775807, -1)');
-- Order, ranks and positions say the same.
SELECT roaring64_min(s), roaring64_max(s), roaring64_rank(s, -1) AS rank, roaring64_rank(s, 9223372036854775807) AS not_negative,
       roaring64_index(s, -9) AS index, roaring64_select(s, 3) AS last, roaring64_position(s, true, -8) AS from_8,
       roaring64_position(s, false, -1) AS absent, roaring64_describe(s), array_agg(e) AS elements
  FROM (VALUES ('{1,5,-9,-1}'::roaring64)) t(s), roaring64_elements(s) e GROUP BY s;
-- The last number of all, alone and among others, sorted late and twice; by parity it goes again.
SELECT roaring64_agg(x) AS set, roaring64_xor_agg(ARRAY[x]::roaring64) AS odd
  FROM unnest(ARRAY[-1, 3, -1, -2, 5, -1, -1, 9223372036854775807, -2]) x;
SELECT roaring64_cardinality(roaring64_agg(x)) AS n, roaring64_max(roaring64_agg(x)) AS max
  FROM (SELECT CASE WHEN i % 7 = 0 THEN -1 - i % 70 ELSE i END AS x FROM generate_series(1, 5000::bigint) i) s;
SELECT v('{5,4294967295}'::roaring::roaring64), ('{5,4294967295}'::roaring64::roaring)::bigint[];
SELECT pg_temp.error_of($$SELECT '{5,4294967296}'::roaring64::roaring$$);
-- 2^40 values in a row at most; flipping and filling are held to that as well.
SELECT roaring64_cardinality(roaring64_range(0, 68719476736)) AS many;
SELECT * FROM pg_temp.errors_of(
    'roaring64_range(0, 1099511627777)', $$roaring64_flip('{}', 0, 9223372036854775807)$$,
    $$roaring64_not('{}', 9223372036854775807)$$);
SELECT v(roaring64_add_range('{1}', 4294967295, 4294967298)),
       v(roaring64_remove_range('{1,4294967296,9223372036854775807}', 0, 9223372036854775807)),
       v(roaring64_flip('{4294967296}', 4294967295, 4294967298)),
       v(roaring64_shift('{1,4294967295}', 1)), v(roaring64_shift('{4294967296}', -1)),
       v(roaring64_shift('{1,9223372036854775807}', 1));
SELECT v(s), roaring64_cardinality(s) AS n, roaring64_min(s), roaring64_max(s), roaring64_rank(s, 4294967296) AS rank,
       roaring64_select(s, 1) AS second, roaring64_position(s, true, 6) AS one6,
       roaring64_position(s, false, 4294967295) AS zero, s @> 4294967296 AS has,
       roaring64_cardinality(s, 5, 4294967297) AS part
  FROM (VALUES ('{}'::roaring64), ('{5}'), ('{5,4294967295,4294967296}'),
               ('{9223372036854775807}')) t(s);
SELECT array_agg(e) FROM roaring64_elements('{5,4294967296,70000}', true) e;
SELECT v(roaring64_from_bits('0101')), roaring64_bits('{1,3}'),
       roaring64_contains_each('{4294967296}', ARRAY[0, NULL, 4294967296]),
       roaring64_to_array('{5,70000,4294967296}', 1, 2);
SELECT * FROM roaring64_info('{1,4294967296,4294967297,4294967298,4294967299,4294967300}');
SELECT encode(roaring64_to_portable('{1,4294967298}'), 'hex') AS two_buckets,
       encode(roaring64_to_portable('{}'), 'hex') AS none;
SELECT what, pg_temp.error_of(format('SELECT roaring64_from_portable(%L)', bytes)) AS error
  FROM (VALUES
        ('nothing', '\x'::bytea),
        ('none', '\x0000000000000000'),
        ('a count that lies', '\x0100000000000000'),
        ('more buckets than there can be', '\xffffffffffffffff'),
        ('one', '\x0100000000000000010000003a300000010000000000000010000000' || '\x0200'::bytea),
        ('padded', '\x0100000000000000010000003a300000010000000000000010000000'
                   || '\x020000'::bytea),
        ('Java''s legacy format', '\x0000000002000000003a300000010000000000020010000000010002000300000000023a3000000100000000000000100000000500'),
        ('hexadecimal text', '0100000000000000010000003a30'),
        ('64 bits', '\x0100000000000000000000803a300000010000000000000010000000'
                    || '\x0200'::bytea),
        ('a bucket twice',
         '\x0200000000000000010000003a300000010000000000000010000000' || '\x0200'::bytea
         || '\x010000003a3000000100000000000000100000000200'),
        ('an empty bucket', '\x0100000000000000010000003a30000000000000')
       ) t(what, bytes);

-- Out of line: probes by pieces, with many high halves and with one.
CREATE TABLE far (id int, r roaring64);
INSERT INTO far SELECT 1, roaring64_agg(i * 4294967296) FROM generate_series(0, 999::bigint) i;
INSERT INTO far SELECT 2, roaring64_agg((1::bigint << 40) + i * 7) FROM generate_series(0, 99999) i;
SELECT p, array_agg(id ORDER BY id) FILTER (WHERE r @> p) AS have
  FROM far, unnest(ARRAY[0, 1, 4294967296, 4290672328704, 4294967296000, 1099511627776,
                         1099511627783, 1099512327769, 1099512327770, 9223372036854775807]) p
 GROUP BY p ORDER BY p;

-- ---- set algebra: what redis-roaring64 answers ----

WITH s AS (SELECT '{1,2,3,4}'::roaring64 AS x, '{3,4,5}'::roaring64 AS y, '{4,5,6}'::roaring64 AS z)
SELECT v(roaring64_bitop('and', x, y, z)) AS "and", v(roaring64_bitop('OR', x, y, z)) AS "or",
       v(roaring64_bitop('xor', x, y, z)) AS "xor", v(roaring64_bitop('andor', x, y, z)) AS "andor",
       v(roaring64_bitop('one', x, y, z)) AS "one", v(roaring64_bitop('diff', x, y, z)) AS diff,
       v(roaring64_bitop('diff1', x, y, z)) AS diff1, roaring64_jaccard(x, y),
       v(roaring64_not(x, 6))
  FROM s;
SELECT v(roaring64_bitop('and', '{1,2}')) AS "and",
       v(roaring64_bitop('one', '{1}', '{1}', '{1}')) AS one,
       v(roaring64_bitop('diff', '{1,2}', NULL, '{2}')) AS with_null,
       v(roaring64_not('{}', 3)), v(roaring64_not('{0,5}', 0)),
       roaring64_jaccard('{}', '{}') AS unknown,
       roaring64_jaccard('{1}', '{2}') AS zero;
-- A NULL set is empty, as a key that does not exist is to BITOP.
SELECT op, v(roaring64_bitop(op, NULL, '{1,2}', '{2,3}')) AS x, v(roaring64_bitop(op, '{1,2}', NULL, '{2,3}')) AS y,
       v(roaring64_bitop(op, '{1,2}', '{2,3}', NULL)) AS z, v(roaring64_bitop(op, NULL, NULL)) AS of_nulls
  FROM unnest(ARRAY['and', 'or', 'xor', 'diff', 'diff1', 'andor', 'one']) op;
SELECT op
  FROM unnest(ARRAY['and', 'or', 'xor', 'diff', 'diff1', 'andor', 'one']) op,
       (VALUES (NULL::roaring64), ('{}'), ('{1,2,3,4}')) a(x), (VALUES (NULL::roaring64), ('{}'), ('{2,3,5,8}')) b(y),
       (VALUES (NULL::roaring64), ('{}'), ('{3,4,5,9}')) c(z)
 WHERE coalesce(x, y, z) IS NOT NULL
   AND roaring64_bitop(op, x, y, z) IS DISTINCT FROM
       roaring64_bitop(op, coalesce(x, '{}'), coalesce(y, '{}'), coalesce(z, '{}'));
SELECT pg_temp.error_of($$SELECT roaring64_bitop('nand', '{1}', '{2}')$$);
SELECT v(roaring64_bitop('diff', '{1}')) AS diff, v(roaring64_bitop('diff1', '{1}')) AS diff1,
       v(roaring64_bitop('and', VARIADIC '{}'::roaring64[])) AS of_none;
SELECT * FROM pg_temp.errors_of(
    $$roaring64_not('{1}', -1)$$, $$roaring64_not('{1}', -9223372036854775808)$$);

-- ---- beside arrays ----

-- Sets of all shapes: lone values, dense stretches, runs, whole containers, both ends.
CREATE TABLE plain (id int PRIMARY KEY, a bigint[], r roaring64);
INSERT INTO plain
SELECT id, a, a::roaring64
  FROM (SELECT 1, '{}'::bigint[]
        UNION ALL SELECT 2, '{0,9223372036854775807,-9223372036854775808,-1}'
        UNION ALL SELECT 3, array_agg(i) FROM generate_series(65000, 67000) i
        UNION ALL SELECT 4, array_agg(i * 2) FROM generate_series(30000, 36000) i
        UNION ALL SELECT 5, array_agg(i * 4000) FROM generate_series(1, 1000::bigint) i
        UNION ALL SELECT 6, array_agg(DISTINCT i * i % 70001)
                           FROM generate_series(1, 3000::bigint) i
        UNION ALL SELECT 7, array_agg(i) FROM generate_series(50000, 75000) i WHERE i % 100 < 98
        UNION ALL SELECT 8, array_agg(9223372036854775807 - i * i * i * i)
                           FROM generate_series(0, 400::bigint) i
        UNION ALL SELECT 9, array_agg(4294967296 - 1000 + i) FROM generate_series(1, 2000) i
        UNION ALL SELECT 10, array_agg(hashtextextended(i::text, 0) ORDER BY u(hashtextextended(i::text, 0)))
                           FROM generate_series(1, 500) i
        UNION ALL SELECT 11, array_agg(i - 70000) FROM generate_series(0, 69999::bigint) i)
       v(id, a);
SELECT bool_and(roaring64_cardinality(r) = cardinality(a)) AS n,
       bool_and(r::bigint[] = (SELECT coalesce(array_agg(x ORDER BY u(x)), '{}') FROM unnest(a) x)) AS same
  FROM plain;

CREATE FUNCTION pg_temp.plain_sets(a bigint[], b bigint[])
RETURNS TABLE (u bigint[], i bigint[], e bigint[], d bigint[]) LANGUAGE sql AS $$
    SELECT coalesce(array_agg(x ORDER BY o(x)), '{}'),
           coalesce(array_agg(x ORDER BY o(x)) FILTER (WHERE in_a AND in_b), '{}'),
           coalesce(array_agg(x ORDER BY o(x)) FILTER (WHERE in_a <> in_b), '{}'),
           coalesce(array_agg(x ORDER BY o(x)) FILTER (WHERE NOT in_b), '{}')
      FROM (SELECT x, bool_or(s = 'a') AS in_a, bool_or(s = 'b') AS in_b
              FROM (SELECT 'a' AS s, unnest(a) AS x UNION ALL SELECT 'b', unnest(b)) v
             GROUP BY x) g
$$;
-- No rows: where they differ.
SELECT x.id, y.id
  FROM plain x, plain y, pg_temp.plain_sets(x.a, y.a)
 WHERE (x.r | y.r)::bigint[] <> u OR (x.r & y.r)::bigint[] <> i OR (x.r # y.r)::bigint[] <> e
    OR (x.r - y.r)::bigint[] <> d
    OR (x.r | y.r) <> u::roaring64 OR (x.r # y.r) <> e::roaring64
    OR roaring64_union_cardinality(x.r, y.r) <> cardinality(u)
    OR roaring64_intersection_cardinality(x.r, y.r) <> cardinality(i)
    OR roaring64_xor_cardinality(x.r, y.r) <> cardinality(e)
    OR roaring64_difference_cardinality(x.r, y.r) <> cardinality(d)
    OR (x.r && y.r) <> (cardinality(i) > 0) OR (x.r @> y.r) <> (i = y.a::roaring64::bigint[])
    OR (x.r <@ y.r) <> (cardinality(d) = 0)
    OR roaring64_bitop('or', x.r, y.r) <> (x.r | y.r)
    OR roaring64_bitop('diff1', x.r, y.r) <> (y.r - x.r)
    OR roaring64_jaccard(x.r, y.r) <> cardinality(i)::float8 / nullif(cardinality(u), 0);
SELECT id, v
  FROM plain, unnest(ARRAY[0, 1, 65535, 65536, 70000, 140000, 4294967295, 4294967296,
                           9223372036854775807, -9223372036854775807, -5000000000, -70000, -1]) v
 WHERE (r @> v) <> (v = ANY (a))
    OR roaring64_rank(r, v) <> (SELECT count(*) FROM unnest(a) x WHERE o(x) <= o(v))
    OR roaring64_position(r, true, v) IS DISTINCT FROM (SELECT o(min(o(x))) FROM unnest(a) x WHERE o(x) >= o(v))
    OR roaring64_cardinality(r, v / 2, v)
       <> (SELECT count(*) FROM unnest(a) x WHERE o(x) >= o(v / 2) AND o(x) < o(v))
    OR roaring64_cardinality(r, v, v / 2)
       <> (SELECT count(*) FROM unnest(a) x WHERE o(x) >= o(v) AND o(x) < o(nullif(v / 2, 0)))
          + CASE WHEN v = -1 AND r @> -1 THEN 1 ELSE 0 END
    OR roaring64_add(r, v) <> (a || v)::roaring64
    OR roaring64_remove(r, v) <> array_remove(a, v)::roaring64
    OR (v BETWEEN 0 AND 4294967295
        AND (roaring64_add_range(r, v / 2, v) <> r | roaring64_range(v / 2, v)
             OR roaring64_flip(r, v / 2, v) <> r # roaring64_range(v / 2, v)))
    OR roaring64_remove_range(r, v / 2, v)
       <> (SELECT coalesce(array_agg(x), '{}') FROM unnest(a) x WHERE o(x) < o(v / 2) OR o(x) >= o(v))::roaring64
    OR ((id < 7 OR v % 7 = 0 OR pg_temp.sample() = 1)
        AND (roaring64_shift(r, v) <> (SELECT array_agg(b(u(x) + v)) FROM unnest(a) x
                WHERE u(x) + v BETWEEN 0 AND 18446744073709551615)::roaring64
             OR roaring64_shift(r, -v) <> (SELECT array_agg(b(u(x) - v)) FROM unnest(a) x
                WHERE u(x) - v BETWEEN 0 AND 18446744073709551615)::roaring64));
SELECT id FROM plain
 WHERE roaring64_from_portable(roaring64_to_portable(r)) <> r OR r::text::roaring64 <> r
    OR r::bytea::roaring64 <> r
    OR (roaring64_max(r) BETWEEN 0 AND 4294967295 AND r::roaring::roaring64 <> r)
    OR (SELECT array_agg(e) FROM roaring64_elements(r) e) <> nullif(r::bigint[], '{}')
    OR (SELECT array_agg(e) FROM roaring64_elements(r, true) e)
       <> (SELECT array_agg(x ORDER BY u(x) DESC) FROM unnest(a) x)
    OR roaring64_to_array(r, 10, 5) <> (r::bigint[])[11:15]
    OR (id NOT IN (2, 8, 9, 10, 11) AND roaring64_from_bits(roaring64_bits(r)) <> r);

-- Equal sets are equal bytes, however they came about. (Aggregates are in roaring_aggregates.)
SELECT count(DISTINCT r::bytea) AS one
  FROM (SELECT roaring64_range(0, 70000) AS r
        UNION ALL SELECT roaring64_agg(i) FROM generate_series(0, 69999) i
        UNION ALL SELECT roaring64_agg(70000 - i) FROM generate_series(1, 70000) i
        UNION ALL SELECT roaring64_range(0, 100) | roaring64_range(50, 70000)
        UNION ALL SELECT roaring64_remove('{70000}' | roaring64_range(0, 70000), 70000)) t;

DROP TABLE plain, far;
-- ---- indexes, whose order is that of bigint ----

CREATE TABLE signed (id bigint);
INSERT INTO signed SELECT i FROM generate_series(-20000, 20000) i;
INSERT INTO signed SELECT hashtextextended(i::text, 0) FROM generate_series(1, 1000) i;
CREATE INDEX ON signed (id);
-- From all rows: of a sample, one in 500 leads to a bitmap scan.
ALTER TABLE signed ALTER id SET STATISTICS 1000;
VACUUM ANALYZE signed;
CREATE TABLE sets (n int, s roaring64, searched text, PRIMARY KEY (n));
INSERT INTO sets VALUES
    (1, '{5,-5,7000,-20000,-1}', 'values'), (2, (SELECT roaring64_agg(i) FROM generate_series(-500, 499) i), 'the range'),
    (3, (SELECT roaring64_agg(i) FROM generate_series(-12000, 12000) i WHERE i % 5 <> 0), 'the range, checked'),
    (4, (SELECT roaring64_agg(i) FROM generate_series(-500, -1) i), 'the range'),
    (5, '{-9223372036854775808,9223372036854775807}', 'values');
CREATE FUNCTION pg_temp.by_index(wanted roaring64) RETURNS TABLE (rows bigint, how text) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    SET LOCAL enable_seqscan = off;
    EXECUTE format('SELECT count(*) FROM signed WHERE id <@ %L::roaring64', wanted) INTO rows;
    FOR line IN EXECUTE format('EXPLAIN (COSTS off) SELECT count(*) FROM signed WHERE id <@ %L::roaring64', wanted) LOOP
        IF line LIKE '%Index Cond:%' THEN
            how := CASE WHEN line LIKE '%ANY%' THEN 'values' ELSE 'the range' END;
        ELSIF line LIKE '%Filter:%' THEN
            how := how || ', checked';
        END IF;
    END LOOP;
    RESET enable_seqscan;
    RETURN NEXT;
END $$;
SELECT n, rows = (SELECT count(*) FROM signed JOIN unnest(s::bigint[]) e ON e = id + 0) AS right, how = searched AS how
  FROM sets, pg_temp.by_index(s) ORDER BY n;
CREATE INDEX by_element ON sets USING gin (s);
CREATE INDEX by_chunk ON sets USING gin (s roaring64_chunk_ops);
SET enable_seqscan = off;
SELECT array_agg(n ORDER BY n) FILTER (WHERE s @> -5) AS seq, (SELECT array_agg(n ORDER BY n) FROM sets WHERE s @> -5::bigint) AS gin,
       (SELECT array_agg(n ORDER BY n) FROM sets WHERE s && '{-20000,9223372036854775807}') AS overlap,
       (SELECT array_agg(n ORDER BY n) FROM sets WHERE s @> '{-500,-499}'::roaring64) AS contains
  FROM sets;
DROP INDEX by_element;
SELECT array_agg(n ORDER BY n) FILTER (WHERE s @> -5) AS seq, (SELECT array_agg(n ORDER BY n) FROM sets WHERE s @> -5::bigint) AS gin,
       (SELECT array_agg(n ORDER BY n) FROM sets WHERE s @> -9223372036854775808) AS lowest FROM sets;
RESET enable_seqscan;
DROP TABLE signed, sets;
-- ---- the same of the wide type ----
SELECT s, roaring64_describe(s), s @> -1 AS below, roaring64_rank(s, -1) AS rank,
       roaring64_index(s, 9223372036854775807) AS last, roaring64_index(s, 6) AS none,
       roaring64_contains_each(s, ARRAY[-1, 5]) AS each,
       roaring64_to_portable(s)::text::roaring64 = s AS hex
  FROM (VALUES ('{5,9223372036854775807}'::roaring64), ('7')) t(s);

DROP FUNCTION v, u, o, b;
