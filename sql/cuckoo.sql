-- cuckoo: scalar functions and operators.
--
-- Items are hashed the same way everywhere, so what passes once passes always. Items that could be
-- mistaken for others are few enough for that to be known: where exact counts are expected, the
-- fingerprints of all items differ.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- Filters of 1..n used below.
CREATE TABLE cuckoo_n (n int PRIMARY KEY, f cuckoo);
INSERT INTO cuckoo_n
    SELECT n, coalesce((SELECT cuckoo_agg(x) FROM generate_series(1, n) x), cuckoo_empty())
      FROM unnest(ARRAY[0, 1, 2, 10, 256, 257, 1000, 20000]) n;

-- ---- empty ----

SELECT (cuckoo_info(cuckoo_empty())).*;
SELECT bits, (i).items, (i).fingerprint_bits = bits AS same, (i).hash_bits, (i).capacity, (i).bytes
  FROM generate_series(8, 32, 6) bits, cuckoo_info(cuckoo_empty(fingerprint_bits => bits)) i;
-- The hash bits follow from capacity and fingerprint bits; a capacity below 1024 is taken for that.
SELECT capacity, (cuckoo_info(cuckoo_empty(capacity))).hash_bits
  FROM unnest(ARRAY[1, 1024, 1945, 1946, 1000000, 1073741824]) capacity;
SELECT cuckoo_empty(1, 12, 0) = cuckoo_empty(capacity => 1, fingerprint_bits => 12, expansion => 0)
           AS named,
       cuckoo_empty() = cuckoo_empty(1024, 16, 2) AS standard,
       cuckoo_empty() = cuckoo_empty(1024, 16, 32768) AS any_expansion,
       cuckoo_empty() = cuckoo_empty(1024, 16, 0) AS fixed,
       (cuckoo_info(cuckoo_empty(1000, 16, 0))).capacity;
SELECT * FROM pg_temp.errors_of(
    'cuckoo_empty(0)', 'cuckoo_empty(-1)', 'cuckoo_empty(1073741825)',
    'cuckoo_empty(9223372036854775807)', 'cuckoo_empty(10, 7)', 'cuckoo_empty(10, 33)',
    'cuckoo_empty(10, 16, -1)', 'cuckoo_empty(10, 16, 32769)');

-- ---- adding and asking ----

-- An item is one, whatever function or type it comes by: a literal is text, and text and varchar of
-- the same bytes are one item; so are numbers.
SELECT f @> 1 AS int, f @> 1::bigint AS bigint, f @> 1.0 AS numeric, f @> 'a' AS literal,
       f @> 'a'::text AS text, f @> 'a'::varchar AS varchar, f @> 'a'::bytea AS bytea,
       f @> 'a '::char(2) AS bpchar, f @> hashed('a'::text) AS hashed, f @> '1' AS text_1,
       f @> 2 AS two, f @> 'b' AS b, cuckoo_contains(f, 'a') AS function,
       cuckoo_contains(sketch => f, value => 1) AS named
  FROM (SELECT cuckoo_add(cuckoo_add(cuckoo_empty(), 1), 'a') AS f) s;
SELECT bool_and(f @> x) AS members FROM cuckoo_n, generate_series(1, n) x;
SELECT n FROM cuckoo_n, generate_series(1, 4000) x GROUP BY n HAVING count(*) FILTER (WHERE f @> -x) > 6;
-- What is added one after the other or all at once makes one value, in whatever order.
SELECT cuckoo_add_all(cuckoo_empty(), ARRAY[3, 1, 2])
           = cuckoo_add(cuckoo_add(cuckoo_add(cuckoo_empty(), 1), 2), 3) AS ints,
       cuckoo_add_all(cuckoo_empty(), ARRAY['a', 'b'])
           = cuckoo_add(cuckoo_add(cuckoo_empty(), 'b'), 'a') AS texts,
       cuckoo_add_all(cuckoo_empty(), ARRAY['a', 'b']::varchar[])
           = cuckoo_add_all(cuckoo_empty(), ARRAY['a', 'b']) AS varchars,
       cuckoo_add_all(cuckoo_empty(), ARRAY[NULL, 1, NULL]) = cuckoo_add(cuckoo_empty(), 1)
           AS nulls,
       cuckoo_add_all(cuckoo_empty(), '[5:6]={1,2}'::int[])
           = cuckoo_add_all(cuckoo_empty(), ARRAY[[1], [2]]) AS shapes,
       cuckoo_add_all(cuckoo_empty(), ARRAY[]::int[]) = cuckoo_empty() AS none;
-- Of many what is absent.
SELECT cuckoo_addnx_all(f, ARRAY[9, 10, NULL, 11, 11]) = cuckoo_add(f, 11) AS ints,
       cuckoo_addnx_all(f, ARRAY['a', 'a', NULL]) = cuckoo_add(f, 'a') AS texts,
       cuckoo_addnx_all(f, ARRAY['a', 'b']::varchar[]) = cuckoo_add_all(f, ARRAY['a', 'b'])
           AS varchars,
       cuckoo_addnx_all(f, ARRAY[]::int[]) = f AS none
  FROM cuckoo_n WHERE n = 10;
SELECT cuckoo_add_all(f, ARRAY(SELECT generate_series(257, 1000)))
           = (SELECT f FROM cuckoo_n WHERE n = 1000) AS as_aggregate
  FROM cuckoo_n WHERE n = 256;
SELECT cuckoo_contains_each(f, ARRAY[1, 2, NULL, -1, 3]) AS ints,
       cuckoo_contains_each(f, ARRAY[[1, -1], [10, 11]]) AS two_dimensions,
       cuckoo_contains_each(f, '[0:1]={1,-1}'::int[]) AS other_bounds,
       cuckoo_contains_each(f, ARRAY[]::int[]) AS none,
       cuckoo_contains_each(f, ARRAY['1', NULL]) AS texts,
       cuckoo_contains_each(cuckoo_add(f, 'a'), ARRAY['a', 'b']::varchar[]) AS varchars
  FROM cuckoo_n WHERE n = 10;
SELECT bool_and(cuckoo_contains_each(f, items) =
                (SELECT array_agg(f @> x ORDER BY o) FROM unnest(items) WITH ORDINALITY u(x, o)))
           AS one_by_one
  FROM cuckoo_n, (SELECT array_agg(x) AS items FROM generate_series(-2000, 2000, 7) x) i;

-- ---- counts ----

SELECT bool_and(cuckoo_count(f, 'a') = copies AND cuckoo_cardinality(f) = copies) AS counted
  FROM (SELECT copies, cuckoo_add_all(cuckoo_empty(), array_fill('a'::text, ARRAY[copies])) AS f
          FROM generate_series(1, 8) copies) s;
SELECT * FROM pg_temp.errors_of(
    $$cuckoo_add_all(cuckoo_empty(), array_fill('a'::text, ARRAY[9]))$$,
    'cuckoo_add(cuckoo_add_all(cuckoo_empty(), array_fill(1, ARRAY[8])), 1)');
SELECT (t).added, cuckoo_count((t).sketch, 1) AS copies
  FROM generate_series(7, 8) n,
       cuckoo_try_add(cuckoo_add_all(cuckoo_empty(), array_fill(1, ARRAY[n])), 1) t;
-- Adding what is absent.
SELECT cuckoo_addnx(f, 'a') = f AS same, cuckoo_addnx(f, 'b') = cuckoo_add(f, 'b') AS added,
       cuckoo_addnx(f, hashed('a'::text)) = f AS hashed
  FROM (SELECT cuckoo_add(cuckoo_empty(), 'a') AS f) s;
SELECT x, (t).added, cuckoo_cardinality((t).sketch) AS items
  FROM unnest(ARRAY['a', 'b']) x, cuckoo_try_addnx(cuckoo_add(cuckoo_empty(), 'a'), x) t;
SELECT (t).added, (t).sketch = cuckoo_add(cuckoo_empty(), 1) AS as_added
  FROM cuckoo_try_addnx(cuckoo_empty(), 1) t;

-- ---- deleting ----

SELECT cuckoo_count(f, 'a') AS before, cuckoo_count(cuckoo_delete(f, 'a'), 'a') AS once,
       cuckoo_count(cuckoo_delete(cuckoo_delete(f, 'a'), 'a'), 'a') AS twice,
       cuckoo_delete(f, 'b') = f AS absent, cuckoo_delete(f, hashed('b'::text)) = f AS hashed,
       (cuckoo_info(cuckoo_delete(f, 'a'))).deletes,
       cuckoo_compact(cuckoo_delete(f, 'a')) = cuckoo_add(cuckoo_empty(), 'a') AS compact
  FROM (SELECT cuckoo_add_all(cuckoo_empty(), ARRAY['a', 'a']) AS f) s;
SELECT x, (t).deleted, cuckoo_cardinality((t).sketch) AS items
  FROM unnest(ARRAY['a', 'b']) x, cuckoo_try_delete(cuckoo_add(cuckoo_empty(), 'a'), x) t;
SELECT (t).deleted, (t).sketch = cuckoo_empty() AS unchanged
  FROM cuckoo_try_delete(cuckoo_empty(), 1) t;
SELECT cuckoo_compact(cuckoo_delete_all(f, ARRAY[1, 2, 2, NULL, -1]))
           = cuckoo_add_all(cuckoo_empty(), ARRAY(SELECT generate_series(3, 10))) AS ints,
       (cuckoo_info(cuckoo_delete_all(f, ARRAY[1, 2, 2, NULL, -1]))).deletes,
       cuckoo_delete_all(cuckoo_add_all(f, ARRAY['a', 'a']), ARRAY['a', 'b']) @> 'a' AS texts,
       cuckoo_delete_all(cuckoo_add(f, 'a'), ARRAY['a']::varchar[]) @> 'a' AS varchars,
       cuckoo_delete_all(f, ARRAY[]::int[]) = f AS none
  FROM cuckoo_n WHERE n = 10;
-- Half of the items of a large filter taken out again leaves the others, and the value that they
-- would have made.
DO $$
DECLARE
    filter cuckoo := cuckoo_empty(2000);
    other cuckoo := cuckoo_empty(2000);
BEGIN
    filter := cuckoo_add_all(filter, ARRAY(SELECT generate_series(1, 600)));
    FOR i IN 1 .. 300 LOOP
        filter := cuckoo_delete(filter, 2 * i);
        other := cuckoo_add(other, 2 * i - 1);
        ASSERT (cuckoo_info(filter)).deletes = i AND cuckoo_cardinality(filter) = 600 - i, i;
    END LOOP;
    ASSERT filter <> other, 'deletes are counted';
    ASSERT cuckoo_compact(filter) = cuckoo_compact(other), 'the same items';
    FOR i IN 1 .. 300 LOOP
        ASSERT filter @> (2 * i - 1) AND NOT filter @> (2 * i), i;
    END LOOP;
END
$$;
-- The argument is never changed.
SELECT bool_and(f = t::cuckoo) AS unchanged
  FROM (SELECT f, f::text AS t, cuckoo_add(f, -1), cuckoo_try_add(f, -1), cuckoo_delete(f, 1),
               cuckoo_addnx(f, -1), cuckoo_compact(f), cuckoo_sum(f, f),
               f | cuckoo_add(cuckoo_empty(), -1), cuckoo_add_all(f, ARRAY[-1, -2]),
               _cuckoo_union_state(f, cuckoo_empty()), _cuckoo_agg_state(f, -1)
          FROM cuckoo_n OFFSET 0) s;

-- ---- growing, full, compact ----

-- Growing costs fingerprint bits, and the rate follows.
SELECT n, (i).fingerprint_bits, (i).hash_bits, (i).false_positive_rate <= 0.0075 * n / 65536 AS rate
  FROM unnest(ARRAY[1024, 2048, 4096, 8192, 16384, 32768, 65536]) n,
       cuckoo_info(cuckoo_add_all(cuckoo_empty(), ARRAY(SELECT generate_series(1, n)))) i;
SELECT (i).items, (i).load >= 0.95 AND (i).load <= 1 AS load,
       (i).items::float8 / ((i).buckets * (i).bucket_size) = (i).load AS as_stated,
       (i).false_positive_rate BETWEEN 0.000058 AND 0.000117 AS rate,
       8.0 * (i).bytes / (i).items < 16 / 0.95 AS bits, (i).bytes = pg_column_size(f) AS bytes
  FROM (SELECT n, cuckoo_agg(x) AS f
          FROM unnest(ARRAY[1900, 3000, 20000, 31128, 31129]) n, generate_series(1, n) x
         GROUP BY n) s, cuckoo_info(f) i ORDER BY 1;
SELECT pg_temp.error_of($$
    SELECT cuckoo_add_all(cuckoo_empty(3, 16, 0), ARRAY[1, 2, 3, 4])
$$);
SELECT cuckoo_cardinality(f) AS items, (cuckoo_try_add(f, 4)).added, (cuckoo_try_addnx(f, 4)).added,
       (cuckoo_try_addnx(f, 3)).added AS again, cuckoo_addnx(f, 3) = f AS same,
       cuckoo_cardinality(cuckoo_add(cuckoo_delete(f, 2), 4)) AS replaced
  FROM (SELECT cuckoo_add_all(cuckoo_empty(3, 16, 0), ARRAY[1, 2, 3]) AS f) s;
SELECT * FROM pg_temp.errors_of(
    'cuckoo_addnx(cuckoo_add_all(cuckoo_empty(3, 16, 0), ARRAY[1, 2, 3]), 4)',
    'cuckoo_addnx_all(cuckoo_empty(3, 16, 0), ARRAY[1, 2, 3, 1, 4])');
-- A filter of few bits ends at half of all fingerprints.
SELECT pg_temp.error_of($$
    SELECT cuckoo_add_all(cuckoo_empty(1, 8), ARRAY(SELECT generate_series(1, 32769)))
$$);
-- Compacting gives up the bits that were meant for more items.
SELECT (cuckoo_info(f)).hash_bits AS before, (cuckoo_info(c)).hash_bits AS after,
       (cuckoo_info(c)).bytes < (cuckoo_info(f)).bytes AS smaller,
       c = (SELECT g.f FROM cuckoo_n g WHERE n = 1000) AS as_aggregate,
       cuckoo_compact(c) = c AS once
  FROM (SELECT f, cuckoo_compact(f) AS c
          FROM cuckoo_add_all(cuckoo_empty(1000000), ARRAY(SELECT generate_series(1, 1000))) f) s;
SELECT (cuckoo_info(cuckoo_compact(f))).* FROM cuckoo_empty(1000000, 16, 0) f;

-- ---- union and sum ----

SELECT cuckoo_count(a | b, 'x') AS greater, cuckoo_count(b | a, 'x') AS other_way,
       cuckoo_count(cuckoo_sum(a, b), 'x') AS sum, cuckoo_count(a | b, 'y') AS of_one,
       (a | b) = (b | a) AS commutes, (a | a) = a AS idempotent, (a | cuckoo_empty()) = a AS empty,
       cuckoo_union(a, b) = (a | b) AS function, cuckoo_sum(a, b) = cuckoo_sum(b, a) AS sums_commute
  FROM (SELECT cuckoo_add_all(cuckoo_empty(), ARRAY['x', 'x', 'x']) AS a,
               cuckoo_add_all(cuckoo_empty(), ARRAY['x', 'x', 'y']) AS b) s;
SELECT bool_and((a.f | b.f) = CASE WHEN a.n > b.n THEN a.f ELSE b.f END) AS of_subset,
       bool_and((a.f | b.f) = (b.f | a.f)) AS commutes
  FROM cuckoo_n a, cuckoo_n b WHERE a.n <= 1000 AND b.n <= 1000;
-- Of different parameters the lower ones hold.
WITH u AS MATERIALIZED (
    SELECT a | b AS ab, b | a AS ba
      FROM (SELECT f AS a, cuckoo_add_all(cuckoo_empty(100, 10),
                                          ARRAY(SELECT generate_series(19500, 20500))) AS b
              FROM cuckoo_n WHERE n = 20000) s
)
SELECT (cuckoo_info(ab)).hash_bits, (cuckoo_info(ab)).fingerprint_bits, ab = ba AS commutes,
       (SELECT bool_and(ab @> x) FROM generate_series(1, 20500) x) AS members
  FROM u;
-- A filter that grows makes the union grow; of two that do not the larger capacity holds.
SELECT (cuckoo_info(a | b)).capacity AS larger, (cuckoo_info(a | cuckoo_agg(3))).capacity AS grows,
       cuckoo_cardinality(a | b | cuckoo_agg(3) | c) AS items
  FROM (SELECT cuckoo_add_all(cuckoo_empty(3, 16, 0), ARRAY[1, 2, 3]) AS a,
               cuckoo_add_all(cuckoo_empty(5, 16, 0), ARRAY[3, 4]) AS b,
               cuckoo_add_all(cuckoo_empty(5, 16, 0), ARRAY[5, 6, 7]) AS c) s GROUP BY a, b, c;
SELECT * FROM pg_temp.errors_of(
    'cuckoo_add_all(cuckoo_empty(3, 16, 0), ARRAY[1, 2]) | cuckoo_add_all(cuckoo_empty(3, 16, 0), ARRAY[3, 4])',
    'cuckoo_sum(cuckoo_add_all(cuckoo_empty(), array_fill(1, ARRAY[5])), cuckoo_add_all(cuckoo_empty(), array_fill(1, ARRAY[4])))',
    'cuckoo_sum(cuckoo_add_all(cuckoo_empty(3, 16, 0), ARRAY[1, 2]), cuckoo_add_all(cuckoo_empty(3, 16, 0), ARRAY[1, 2]))');

-- ---- literals and operators that must not resolve otherwise ----

SELECT pg_temp.sqlstate_of('SELECT cuckoo_empty() @> cuckoo_empty()') AS contains_filter,
       pg_temp.sqlstate_of('SELECT cuckoo_empty() @> NULL') AS null,
       pg_temp.sqlstate_of('SELECT cuckoo_empty() @> ARRAY[1]') AS contains_array;
SELECT cuckoo_empty() @> NULL::int AS int, cuckoo_empty() @> NULL AS null;

-- ---- bytes ----

SELECT n, encode(f::bytea, 'hex') AS bytes FROM cuckoo_n WHERE n < 10 ORDER BY n;

-- ---- stored out of line ----

CREATE FUNCTION pg_temp.in_memory(f cuckoo) RETURNS cuckoo LANGUAGE plpgsql AS $$
BEGIN
    RETURN f::bytea::cuckoo;
END
$$;
-- Probes of a large one: the first read slices, and when enough have come in a row, a copy. Both
-- find every member and agree about the others.
WITH s AS MATERIALIZED (SELECT pg_temp.in_memory(f) AS m FROM cuckoo_n WHERE n = 20000)
SELECT bool_and(f @> x) FILTER (WHERE x > 0) AS members, bool_and((f @> x) = (m @> x)) AS same,
       bool_and((SELECT g.f FROM cuckoo_n g WHERE n = 20000 AND x IS NOT NULL) @> x = (m @> x))
           AS in_a_subquery
  FROM cuckoo_n, s, generate_series(-500, 500) x WHERE n = 20000;
SELECT bool_and(f @> x) AS members FROM cuckoo_n, generate_series(1, 20000) x WHERE n = 20000;
-- Different ones in turn are never kept.
SELECT bool_and(f @> x) AS members
  FROM generate_series(1, 1000, 9) x CROSS JOIN LATERAL
       (SELECT f FROM cuckoo_n WHERE n >= 1000 AND x > 0 ORDER BY n) t;
-- A single probe of it reads the chunks of the header and of one bucket, three at the most.
CREATE FUNCTION pg_temp.toast_rows_read(statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    line text;
    before bigint;
    toast oid := (SELECT reltoastrelid FROM pg_class WHERE oid = 'cuckoo_n'::regclass);
BEGIN
    before := pg_stat_get_xact_tuples_fetched(i.indexrelid) FROM pg_index i WHERE indrelid = toast;
    EXECUTE statement;
    RETURN pg_stat_get_xact_tuples_fetched(i.indexrelid) - before
      FROM pg_index i WHERE indrelid = toast;
END
$$;
SELECT max(read) BETWEEN 2 AND 3 AS chunks, count(*) AS probes
  FROM (SELECT pg_temp.toast_rows_read(format('SELECT f @> %s FROM cuckoo_n WHERE n = 20000', x))
                   AS read
          FROM generate_series(1, 300) x) s;

-- Hashes that were chosen to crowd one cell, 4000 of them: the buckets behind it begin many chunks
-- late, and probes of these read again and more. Each probe is a statement: nothing is kept.
CREATE FUNCTION pg_temp.hash_of(top bigint) RETURNS hashed LANGUAGE sql AS $$
    SELECT _hashed_in(textout(lpad(to_hex(top), 8, '0') || '00000000'))
$$;
CREATE TABLE crowded AS
    SELECT cuckoo_agg(pg_temp.hash_of(top)) AS f
      FROM (SELECT i * 214748::bigint FROM generate_series(1, 19999) i
             UNION ALL SELECT 2147483648 + 16 * i FROM generate_series(1, 4000) i) s (top);
CREATE FUNCTION pg_temp.probed(item hashed) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    count bigint;
BEGIN
    EXECUTE format('SELECT cuckoo_count(f, %L::hashed) FROM crowded', item) INTO count;
    RETURN count;
END
$$;
WITH m AS MATERIALIZED (SELECT pg_temp.in_memory(f) AS f FROM crowded),
asked AS (
    SELECT pg_temp.probed(pg_temp.hash_of(top)) AS count,
           (SELECT cuckoo_count(f, pg_temp.hash_of(top)) FROM m) AS same
      FROM (SELECT i * 214748::bigint FROM generate_series(9900, 10900, 7) i
             UNION ALL SELECT 2147483648 + 16 * i FROM generate_series(1, 4000, 99) i
             UNION ALL SELECT i * 214748::bigint + 90000 FROM generate_series(9900, 10900, 7) i
           ) t (top)
)
SELECT count(*), count(*) FILTER (WHERE count = 1) AS members, bool_and(count = same) AS as_in_memory
  FROM asked;
DROP TABLE crowded;

-- ---- NULL ----

SELECT cuckoo_sum(f, NULL) = f AS left, cuckoo_sum(NULL, f) = f AS right, cuckoo_sum(NULL, NULL) IS NULL AS neither
  FROM (SELECT cuckoo_add(cuckoo_empty(), 1) AS f) s;

DROP TABLE cuckoo_n;
