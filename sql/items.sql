-- An item is what it prints as: every type that takes hashed finds by text what was put in as a
-- number or a uuid, and the other way round. Drivers send parameters as text.
\set ECHO none
\i sql/include/output.sql
\set ECHO all
SET bytea_output = hex;

CREATE TEMP TABLE item AS
    SELECT i AS id, i::smallint AS small, i::bigint AS big, i::numeric(10, 2) AS n, i::float8 AS f,
           i::text AS t, i::varchar AS v, i::char(12) AS c, md5(i::text)::uuid AS u,
           md5(i::text)::uuid::text AS ut, '10.0.0.0'::inet + i AS a, host('10.0.0.0'::inet + i) AS at
      FROM generate_series(-500, 500) i;

-- ---- one sketch, whatever type the column has ----

SELECT approx_count_distinct(x) AS counted, hll_agg(x) = hll_agg(big) AS hll,
       bloom_agg(x) = bloom_agg(big) AS bloom, cuckoo_agg(x) = cuckoo_agg(big) AS cuckoo,
       cms_agg(x) = cms_agg(big) AS cms
  FROM (SELECT big, t AS x FROM item) s;
SELECT hll_agg(small) = h AND hll_agg(n) = h AND hll_agg(f) = h AND hll_agg(v) = h
           AND hll_agg(c) = h AS hll,
       bloom_agg(small) = b AND bloom_agg(n) = b AND bloom_agg(f) = b AND bloom_agg(v) = b
           AND bloom_agg(c) = b AS bloom,
       cuckoo_agg(small) = q AND cuckoo_agg(n) = q AND cuckoo_agg(f) = q AND cuckoo_agg(v) = q
           AND cuckoo_agg(c) = q AS cuckoo,
       cms_agg(small) = m AND cms_agg(n) = m AND cms_agg(f) = m AND cms_agg(v) = m
           AND cms_agg(c) = m AS cms
  FROM item, (SELECT hll_agg(big) AS h, bloom_agg(big) AS b, cuckoo_agg(big) AS q, cms_agg(big) AS m
                FROM item) s
 GROUP BY h, b, q, m;
SELECT hll_agg(u) = hll_agg(ut) AND bloom_agg(u) = bloom_agg(ut) AND cuckoo_agg(u) = cuckoo_agg(ut)
           AND cms_agg(u) = cms_agg(ut) AS uuid,
       hll_agg(a) = hll_agg(at) AND bloom_agg(a) = bloom_agg(at) AND cuckoo_agg(a) = cuckoo_agg(at)
           AND cms_agg(a) = cms_agg(at) AS address
  FROM item;

-- ---- asked with text ----

-- Literals of no type and text, of a sketch over numbers.
SELECT b @> '3' AS bloom, bloom_contains(b, '3') AS function, b @> '501' AS stranger,
       q @> '3' AS cuckoo, cuckoo_count(q, '3') AS count, q @> '501' AS stranger,
       cms_query(m, '3') AS cms, cms_query(m, '501') AS stranger,
       (hll_try_add(h, '3')).changed AS hll, (hll_try_add(h, '501')).changed AS stranger
  FROM (SELECT bloom_agg(big, 100, 0.0001) AS b, cuckoo_agg(big) AS q, cms_agg(big) AS m,
               hll_agg(big) AS h FROM item) s;
SELECT bloom_contains_each(b, '{3,-7,501,x}'::text[]) AS bloom,
       cuckoo_contains_each(q, '{3,-7,501,x}'::text[]) AS cuckoo,
       cms_query_each(m, '{3,-7,501,x}'::text[]) AS cms,
       hll_add_all(h, '{3,-7}'::text[]) = h AS hll
  FROM (SELECT bloom_agg(big, 100, 0.0001) AS b, cuckoo_agg(big) AS q, cms_agg(big) AS m,
               hll_agg(big) AS h FROM item) s;
-- And of one over text, with numbers.
SELECT bool_and(b @> big AND q @> big AND cms_query(m, big) >= 1) AS members,
       bool_and(b @> f AND q @> n AND cms_query(m, f) >= 1) AS other_types
  FROM item, (SELECT bloom_agg(t) AS b, cuckoo_agg(t) AS q, cms_agg(t) AS m FROM item) s;
-- Changed by text.
SELECT cuckoo_delete(cuckoo_agg(big), '3') @> 3 AS deleted,
       bloom_add(bloom_empty(), '7') = bloom_add(bloom_empty(), 7) AS bloom,
       cuckoo_addnx(cuckoo_add(cuckoo_empty(), 7), '7') = cuckoo_add(cuckoo_empty(), 7) AS cuckoo,
       cms_add(cms_empty(), '7', 3) = cms_add(cms_empty(), 7, 3) AS cms,
       hll_add(hll_empty(), '7') = hll_add(hll_empty(), 7) AS hll
  FROM item;
-- Parameters whose type is not said arrive as text.
PREPARE ask AS
    SELECT b @> $1 AS bloom, q @> $2 AS cuckoo, cms_query(m, $3) AS cms
      FROM (SELECT bloom_agg(big) AS b, cuckoo_agg(big) AS q, cms_agg(big) AS m FROM item) s;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'ask';
EXECUTE ask('3', '3', '3');
-- Columns of two types, joined through a filter of either.
SELECT count(*) FILTER (WHERE f1 @> t) AS text_in_numbers, count(*) FILTER (WHERE f2 @> big) AS back,
       count(*) FILTER (WHERE f1 @> f) AS doubles_in_numbers
  FROM item, (SELECT bloom_agg(big) AS f1, bloom_agg(c) AS f2 FROM item) s;

-- bytea is bytes, in an hll too; Redis knows bytes only.
SELECT hll_add(hll_empty(), '3'::bytea) = hll_add(hll_empty(), '3'::text) AS bytea,
       hll_add_all(hll_empty(), '{3}'::bytea[]) = hll_add(hll_empty(), '3'::bytea) AS array,
       (hll_try_add(hll_add(hll_empty(), '3'::bytea), '3'::bytea)).changed AS again,
       (hll_try_add(hll_add(hll_empty(), '3'::text), '3'::bytea)).changed AS other,
       hll_redis_agg('3'::text) = hll_redis_agg('3'::bytea) AS redis,
       hll_add(hll_redis_empty(), '3'::text) = hll_redis_agg('3'::bytea) AS redis_add;

DEALLOCATE ask;
