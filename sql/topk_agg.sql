-- topk: aggregates, over groups and in rollups. Plans of every kind and windows are in windows and in
-- test/t/004_parallel.pl.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

-- 40 pages in 6 groups; page p is seen about 1000 / p times. And as many users as rows.
CREATE TABLE topk_hits AS
    SELECT p AS page, '/page/' || p AS url, i % 6 AS g, p * 1000000 + i AS visitor
      FROM generate_series(1, 40) p, generate_series(1, 1000 / p) i;
SELECT count(*) FROM topk_hits;

-- ---- the aggregates ----

SELECT item, count FROM (SELECT topk_agg(page) AS s FROM topk_hits) t, topk_list(s);
SELECT item, count, lower, upper FROM (SELECT topk_agg(url, 3) AS s FROM topk_hits) t, topk_list(s);
SELECT item, count FROM (SELECT topk_weighted_agg(url, page::bigint * page, 3) AS s FROM topk_hits) t, topk_list(s);
SELECT approx_top_k(page, 4) AS pages, approx_top_k(url, 2) AS urls FROM topk_hits;
SELECT g, approx_top_k(page, 3) AS pages, topk_total(topk_agg(page)) = count(*) AS total
  FROM topk_hits GROUP BY g ORDER BY g;

SELECT approx_top_count(page, 3) AS pages, approx_top_count(url, 2) AS urls FROM topk_hits;
SELECT g, approx_top_count(page, 2) AS pages FROM topk_hits GROUP BY g ORDER BY g;
-- Items are JSON's: a number of 64 bits, a text with anything in it.
SELECT approx_top_count(x, 2) AS numbers, approx_top_count(t, 9) AS texts
  FROM (VALUES (9223372036854775807, E'a"b\\c'), (-9223372036854775808, E'\n\t\u0001'), (9223372036854775807, ''), (0, 'é')) v(x, t);
SELECT approx_top_count(page, 3) IS NULL AS no_rows, _approx_top_count_final(topk_empty()) AS empty FROM topk_hits WHERE page < 0;
SELECT bool_and(approx_top_count = (SELECT jsonb_agg(jsonb_build_object('item', item, 'count', count)) FROM topk_list(s))) AS as_listed
  FROM (SELECT approx_top_count(url, 7), topk_agg(url, 7) AS s FROM topk_hits GROUP BY g) s;

-- NULL items and NULL counts are skipped; counts of 0 count nothing.
SELECT topk_total(topk_agg(nullif(page, 1))) = count(*) - 1000 AS skipped,
       topk_total(topk_weighted_agg(page, nullif(page, 1)::bigint, 5)) = sum(page) - 1000 AS weights
  FROM topk_hits;
SELECT topk_weighted_agg('x', 0, 7) = topk_empty(7) AS nothing, approx_top_k('x', 7) AS one
  FROM generate_series(1, 3);

-- The aggregate is what adding is.
SELECT topk_agg(page) = topk_add_all(topk_empty(), array_agg(page)) AS bigint,
       topk_agg(url, 3) = topk_add_all(topk_empty(3), array_agg(url)) AS text
  FROM topk_hits;
-- A group of ten values takes 200 bytes, and stored 60.
SELECT pg_column_size(_topk_union_state(NULL, topk_agg(i))) <= 200 AS state,
       pg_column_size(topk_agg(i)) <= 64 AS packed
  FROM generate_series(1, 10) i;

-- ---- rollups ----

SELECT topk_union_agg(s) = (SELECT topk_agg(url) FROM topk_hits) AS same, count(*)
  FROM (SELECT g, topk_agg(url) AS s FROM topk_hits GROUP BY g) t;
SELECT topk_union_agg(s ORDER BY g) = topk_union_agg(s ORDER BY g DESC) AS any_order
  FROM (SELECT g, topk_agg(url) AS s FROM topk_hits GROUP BY g) t;
-- Where each part had to drop most of its items, the heavy ones are still right.
SELECT item, count, upper - count <= topk_error(s) AS bounded, topk_error(s) > 0 AS dropped
  FROM (SELECT topk_union_agg(s) AS s
          FROM (SELECT g, topk_agg(n, 4) AS s
                  FROM (SELECT g, page AS n FROM topk_hits
                        UNION ALL SELECT g, visitor FROM topk_hits
                        UNION ALL SELECT i % 6, -i FROM generate_series(1, 12000) i) r
                 GROUP BY g) t) u, topk_list(s);
-- Yesterday counts half.
SELECT item, count FROM topk_list(
    topk_decay((SELECT topk_agg(url, 3) FROM topk_hits WHERE g < 3), 0.5)
    | (SELECT topk_agg(url, 3) FROM topk_hits WHERE g >= 3));

-- ---- types and states ----

-- A list has the type of its items.
SELECT pg_typeof(approx_top_k(page, 2)) AS of_numbers, pg_typeof(approx_top_k(url, 2)) AS of_texts
  FROM topk_hits;
-- A transition function that is called by hand copies.
SELECT topk_list(_topk_final(_topk_agg_state(_topk_agg_state(NULL, 'a'), 'a', 10)));
SELECT _topk_agg_state(NULL, NULL::text) IS NULL AND _topk_union_state(NULL, NULL) IS NULL AS nulls,
       _topk_agg_state(topk_empty(), NULL::bigint) = topk_empty() AS unchanged,
       _topk_union_state(topk_empty(), NULL) = topk_empty() AS unmerged;
-- Without the final function the state comes out; it is sent packed, and united with others.
CREATE AGGREGATE pg_temp.raw_agg(text) (SFUNC = _topk_agg_state, STYPE = topk);
SELECT r::text = p::text AS out, _topk_send(r) = _topk_send(p) AS send,
       (SELECT topk_union_agg(u) FROM (VALUES (r), (p)) v(u)) = (p | p) AS merged
  FROM (SELECT pg_temp.raw_agg(url) AS r, topk_agg(url) AS p FROM topk_hits) s;

-- ---- errors ----

SELECT q, pg_temp.error_of('SELECT ' || q || ' FROM generate_series(1, 5) i') AS error FROM unnest(ARRAY[
    'topk_agg(i, 0)',
    'topk_agg(i::text, 100001)',
    'topk_agg(i, NULL)',
    'topk_agg(i, i)',
    'approx_top_k(i, 0)',
    'approx_top_k(i::text, i)',
    'topk_weighted_agg(i, -1, 5)',
    'topk_weighted_agg(i::text, 1, i)',
    'topk_weighted_agg(i, 9223372036854775807, 5)',
    $$topk_agg(repeat('x', 1048577))$$,
    'topk_union_agg(CASE WHEN i = 1 THEN topk_add(topk_empty(), 1) ELSE topk_add(topk_empty(), ''x'') END)',
    'topk_union_agg(topk_add(topk_empty(), i, 9223372036854775807))']) q;

DROP TABLE topk_hits;
