-- topk: bounds beside exact counts, in several orders and through merges; samples of every error.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

-- ---- few items: exact ----

SELECT l.* FROM topk_list(topk_add_all(topk_empty(2), ARRAY['a', 'b', NULL, 'a', 'c', 'b', 'a'])) l;
SELECT l.* FROM topk_list(topk_add(topk_add(topk_empty(), -5::bigint, 3), 9223372036854775807)) l;
SELECT count(*) FROM topk_list(topk_empty());
SELECT topk_contains(t, 'a') AS yes, topk_contains(t, 'c') AS not_listed,
       topk_contains(t, 'x') AS no,
       topk_count(t, 'a') AS three, topk_count(t, 'c') AS one, topk_count(t, 'x') AS none,
       topk_total(t), topk_error(t), (topk_bounds(t, 'a')).*
  FROM topk_add_all(topk_empty(2), ARRAY['a', 'b', 'a', 'c', 'b', 'a']) t;
SELECT (i).k, (i).items, (i).counters, (i).total, (i).error, (i).bytes < 100 AS small
  FROM (SELECT topk_info(topk_empty()) UNION ALL SELECT topk_info(topk_add(topk_empty(3), 'a'))
        UNION ALL SELECT topk_info(topk_add(topk_empty(3), 7::bigint, 5))) v(i);
SELECT expelled, topk_count(sketch, 'c')
  FROM topk_try_add(topk_add_all(topk_empty(1), '{b,b,c}'::text[]), 'c', 2);
SELECT expelled IS NULL AS nobody
  FROM topk_try_add(topk_add_all(topk_empty(1), '{b,b,c}'::text[]), 'b');
-- Items of any bytes, also none.
SELECT length(item), count
  FROM topk_list(topk_add(topk_add(topk_empty(), ''), repeat('x', 100000), 2));
SELECT item, count FROM topk_list(topk_add_all(topk_empty(), ARRAY['ü', E'\t', 'ü']));
SELECT topk_add(topk_empty(), 'a', 0) = topk_empty() AS nothing;

-- ---- aggregates ----

SELECT l.* FROM (SELECT topk_agg('page ' || 10000 / i, 3) FROM generate_series(1, 10000) i) t(t),
       topk_list(t) l;
SELECT approx_top_k(i % 7, 3), approx_top_k((i % 7)::text, 2) FROM generate_series(1, 100) i;
SELECT item, count
  FROM (SELECT topk_weighted_agg(k, n, 5)
          FROM (VALUES ('a', 5), ('b', 7), (NULL, 9), ('c', NULL), ('a', 4)) v(k, n)) t(t),
       topk_list(t);
SELECT topk_agg(i) IS NULL AS no_rows, topk_union_agg(NULL::topk) IS NULL AS no_sketches,
       approx_top_k(i, 3) IS NULL AS no_list
  FROM generate_series(1, 0) i;
SELECT pg_column_size(_topk_union_state(NULL, topk_agg(i))) <= 200 AS small_state
  FROM generate_series(1, 10) i;
-- Many items: of a harmonic frequency each, in three orders. The truth is within the bounds of
-- every item, known or not, and the first hundred are the right ones.
CREATE TABLE harmonic AS
    SELECT item, 60000 / item AS n FROM generate_series(1, 60000) item;
CREATE TABLE counted AS
    SELECT 'shuffled' AS rows, topk_agg(item::bigint, 100) AS t
      FROM (SELECT item FROM harmonic, generate_series(1, n)
             ORDER BY hashint8(item * 1000003::bigint + generate_series)) r
     UNION ALL SELECT 'together', topk_agg(item::bigint, 100)
                 FROM (SELECT item FROM harmonic, generate_series(1, n) ORDER BY hashint8(item)) r
     UNION ALL SELECT 'rare first', topk_agg(item::bigint, 100)
                 FROM (SELECT item FROM harmonic, generate_series(1, n) ORDER BY item DESC) r
     UNION ALL SELECT 'merged', topk_union_agg(t)
                 FROM (SELECT topk_agg(item::bigint, 100) AS t
                         FROM harmonic, generate_series(1, n) g
                        GROUP BY (item + g) % 16) r;
SELECT rows, bool_and(n BETWEEN (b).lower AND (b).upper) AS within,
       bool_and((b).count = (b).lower) AS lower,
       max((b).upper - (b).lower) <= max(topk_error(t)) AS error
  FROM counted, harmonic, LATERAL topk_bounds(t, item::bigint) b
 WHERE item < 1000 OR item % 13 = 0 GROUP BY rows ORDER BY rows;
SELECT rows, count(*) FILTER (WHERE item::int <= 100) AS right,
       avg(abs(count - 60000 / item::int) / (60000 / item::int)::numeric) <= 0.002 AS close,
       max(pg_column_size(t)) <= 8192 AS small, max(topk_total(t)) AS total,
       max(topk_error(t)) > 0 AS not_exact
  FROM counted, topk_list(t) GROUP BY rows ORDER BY rows;
-- Halved and ended.
SELECT bool_and((b).lower <= n / 2.0 AND n / 2.0 <= (b).upper) AS within
  FROM counted, harmonic, LATERAL topk_bounds(topk_decay(t, 0.5), item::bigint) b
 WHERE rows = 'merged' AND item < 3000;
SELECT topk_decay(t, 1) = t AS same, topk_total(topk_decay(t, 0)) AS nothing
  FROM counted WHERE rows = 'merged';
DROP TABLE harmonic, counted;

-- ---- union ----

SELECT l.*, (topk_info(u)).k
  FROM (SELECT topk_add_all(topk_empty(2), '{a,a,b}'::text[])
               | topk_add_all(topk_empty(5), '{b,b,c}'::text[])) v(u),
       topk_list(u) l;
SELECT topk_empty(3) | topk_add(topk_empty(4), 'a') = topk_add(topk_empty(3), 'a') AS with_nothing;

-- ---- errors ----

SELECT * FROM pg_temp.errors_of(
    'topk_empty(0)', 'topk_empty(100001)', $$topk_add(topk_add(topk_empty(), 'a'), 1::bigint)$$,
    $$topk_count(topk_add(topk_empty(), 1::bigint), 'a')$$,
    $$topk_add(topk_empty(), 'a') | topk_add(topk_empty(), 1::bigint)$$,
    $$topk_add(topk_empty(), 'a', -1)$$,
    $$topk_add(topk_add(topk_empty(), 'a', 9223372036854775807), 'b')$$,
    $$topk_add(topk_empty(), repeat('x', 1048577))$$, 'topk_decay(topk_empty(), 1.5)',
    $$topk_decay(topk_empty(), 'NaN')$$, 'topk_agg(i, i) FROM generate_series(1, 2) i',
    'topk_agg(i, NULL) FROM generate_series(1, 2) i',
    'topk_weighted_agg(i, -1, 3) FROM generate_series(1, 2) i', $$''::bytea::topk$$);
SELECT t::bytea::topk = t AND t::text::topk = t AS around
  FROM topk_add_all(topk_empty(), '{a,b,a}'::text[]) t;
SELECT cut FROM (SELECT topk_add_all(topk_empty(), '{a,b,a}'::text[])::bytea) v(b),
       generate_series(0, length(b) - 1) cut
 WHERE pg_temp.error_of(format('SELECT %L::bytea::topk', substr(b, 1, cut))) = 'accepted';
SELECT what, pg_temp.error_of(format('SELECT %L::bytea::topk', bytes)) AS error
  FROM (SELECT topk_add_all(topk_empty(), '{aa,bb,aa}'::text[])::bytea) s(b),
       LATERAL (VALUES ('k of 0', set_byte(b, 4, 0)), ('a total that lies', set_byte(b, 8, 9)),
                       ('an error that lies', set_byte(b, 16, 1)),
                       ('more counters', set_byte(b, 24, 9)),
                       ('a count that grows', set_byte(b, 28, 1)),
                       ('a length that lies', set_byte(b, 30, 77)),
                       ('an item twice', set_byte(set_byte(b, 36, 97), 37, 97)),
                       ('another type', set_byte(b, 3, 1)), ('padded', b || '\x00')) v(what, bytes);
