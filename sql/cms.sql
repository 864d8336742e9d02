-- cms: frequencies, exact and estimated, and every error.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- ---- shapes ----

SELECT (cms_info(c)).width, (cms_info(c)).depth
  FROM (VALUES (cms_empty()), (cms_empty(0.01)), (cms_empty(0.3, 0.25)), (cms_by_dim(4, 2)),
               (cms_empty(error => 0.5, probability => 0.5))) v(c);
SELECT * FROM cms_info(cms_empty());
SELECT * FROM pg_temp.errors_of(
    'cms_empty(0)', 'cms_empty(1)', $$cms_empty('NaN')$$, 'cms_empty(0.1, 0)', 'cms_empty(0.1, 1)',
    'cms_empty(1e-9)', 'cms_empty(0.1, 1e-12)', 'cms_by_dim(0, 1)', 'cms_by_dim(1, 33)',
    'cms_by_dim(2147483647, 2)');

-- ---- adding and asking ----

SELECT cms_query(c, 'foo') AS five, cms_query(c, 'bar'::text) AS three, cms_query(c, 'baz') AS none,
       cms_query(c, 7) AS one, cms_query(c, 7.0) AS numeric, cms_total(c), cms_error(c),
       pg_column_size(c) < 100 AS small
  FROM cms_add(cms_add(cms_add(cms_by_dim(4, 2), 'foo', 5), 'bar', 3), 7) c;
SELECT cms_query_each(c, ARRAY['a', NULL, 'b', 'c']),
       cms_query_each(c, ARRAY[['a'], ['b']]::varchar[]),
       cms_query_each(c, '{}'::text[]), cms_total(c)
  FROM cms_add_all(cms_empty(), ARRAY['a', 'b', NULL, 'a']) c;
SELECT cms_query_each(c, ARRAY[1, 2, 3]), cms_query_each(c, ARRAY[1, 2]::bigint[]) AS same
  FROM cms_add_all(cms_empty(), ARRAY[1, 2, 3, NULL], ARRAY[10, 20, NULL, 5]) c;
-- A literal without a type is an array of texts.
SELECT cms_query_each(cms_add_all(cms_empty(), '{a,b,a}'), '{a,b,c}') AS untyped,
       cms_query_each(cms_add_all(cms_empty(), '{a,b,a}'::text[]), '{a,b,c}'::text[]) AS texts;
-- Items are their bytes, however many: none, a blank, 1 MB.
SELECT cms_query_each(c, ARRAY['', ' ', repeat('x', 1048576), repeat('x', 1048575)])
  FROM cms_add_all(cms_empty(), ARRAY['', repeat('x', 1048576), ''], ARRAY[1, 7, 2]) c;
-- A count of 0 adds nothing.
SELECT cms_add(cms_empty(), 'a', 0) = cms_empty() AS nothing,
       cms_add_all(cms_empty(), ARRAY['a', 'b'], ARRAY[1, 0]) = cms_add(cms_empty(), 'a') AS one;
SELECT * FROM pg_temp.errors_of(
    $$cms_add(cms_empty(), 'a', -5)$$, $$cms_add_all(cms_empty(), ARRAY['a', 'b'], ARRAY[1])$$,
    $$cms_add_all(cms_empty(), ARRAY['a', 'b'], ARRAY[1, -1])$$);
SELECT cms_query(cms_add(cms_empty(), 'a', 9223372036854775807), 'a');
SELECT pg_temp.error_of(
    $$SELECT cms_add(cms_add(cms_empty(), 'a', 9223372036854775807), 'b')$$);

-- ---- aggregates ----

-- Ten values are exact and small; many are never below the truth, and within the bound.
SELECT cms_query(c, 3) AS hundred, (cms_info(c)).encoding, pg_column_size(c) <= 200 AS small,
       pg_column_size(_cms_union_state(NULL, c)) <= 256 AS small_state
  FROM (SELECT cms_agg(i % 10) FROM generate_series(1, 1000) i) t(c);
CREATE TABLE often AS SELECT (10000 / (1 + i % 997))::int AS item FROM generate_series(1, 60000) i;
SELECT (i).width, (i).depth, (i).total, (i).encoding, (i).error, (i).probability,
       (i).bytes < 40000 AS narrow, cms_error(c)
  FROM (SELECT c, cms_info(c)
          FROM (SELECT cms_agg(i) FROM generate_series(1, 60000) i) t(c)) t(c, i);
SELECT bool_and(estimate >= n) AS never_less, bool_and(estimate - n <= cms_error(c)) AS within,
       count(*) > 100 AS many
  FROM (SELECT cms_weighted_agg(item, 1, 0.01, 0.01) FROM often) t(c),
       (SELECT item, count(*) AS n FROM often GROUP BY item) e,
       LATERAL cms_query(c, item) AS estimate;
-- Lists get as long as they may be, and are tables beyond: what is stored is read again.
SELECT count(*), bool_and(c::bytea::cms = c AND c::text::cms = c) AS around,
       bool_and(CASE WHEN n <= 1400 THEN (cms_info(c)).encoding = 'list' AND cms_error(c) = 0
                     ELSE (cms_info(c)).encoding = 'table' AND cms_error(c) > 0 END) AS form,
       bool_and(cms_query(c, n) BETWEEN 1 AND 1 + cms_error(c)) AS asked
  FROM (SELECT n, (SELECT cms_agg(i) FROM generate_series(1, n) i)
          FROM unnest(ARRAY[1, 2, 3, 10, 11, 700, 888, 889, 1399, 1400, 1401, 2000]) n) t(n, c);
SELECT bool_and((u::bytea::cms) = u AND cms_total(u) = 2 * n) AS around
  FROM (SELECT n, (SELECT cms_agg(i) FROM generate_series(1, n) i)
                | (SELECT cms_agg(-i) FROM generate_series(1, n) i)
          FROM unnest(ARRAY[300, 700, 701, 900, 1400, 1500]) n) t(n, u);
SELECT cms_query(cms_weighted_agg(k::text, n), 'b') AS weighted, cms_total(cms_weighted_agg(k, n)) AS total
  FROM (VALUES ('a', 5), ('b', 7), (NULL, 3), ('b', NULL), ('b', 1)) v(k, n);
SELECT cms_agg(i) IS NULL AS no_rows, cms_union_agg(NULL::cms) IS NULL AS no_sketches
  FROM generate_series(1, 0) i;
SELECT k, cms_total(cms_agg(i)) AS n, cms_query(cms_agg(i % 5), 2) AS twos
  FROM (SELECT i, i % 3 AS k FROM generate_series(1, 3000) i) t GROUP BY k ORDER BY k;
SELECT bool_and(n = i) FROM (SELECT i, cms_query(cms_agg(1) OVER (ORDER BY i), 1) AS n
                               FROM generate_series(1, 500) i) t;
SELECT cms_weighted_agg(i, 0) = cms_empty() AS nothing, cms_total(cms_weighted_agg(i, i - 1)) FROM generate_series(1, 2) i;
SELECT * FROM pg_temp.errors_of(
    'cms_weighted_agg(i, -1) FROM generate_series(1, 2) i',
    'cms_weighted_agg(i, 1, 0.1 / i, 0.1) FROM generate_series(1, 2) i',
    'cms_weighted_agg(i, 1, NULL, 0.1) FROM generate_series(1, 2) i');

-- ---- merging ----

SELECT cms_query(a | b, 1) AS eight, cms_total(a | b),
       cms_query(cms_merge(ARRAY[a, b, NULL], ARRAY[10, 1, 9]), 1) AS fiftythree,
       cms_inner_product(a, b) AS fifteen, cms_query(cms_merge(ARRAY[a, b], ARRAY[0, 2]), 1) AS six,
       cms_merge(ARRAY[NULL]::cms[], '{1}') IS NULL AS nothing
  FROM cms_add(cms_by_dim(50, 3), 1, 5) a, cms_add(cms_by_dim(50, 3), 1, 3) b;
-- The merged parts of a whole: 64 of them.
SELECT bool_and(estimate >= n) AS never_less, max(estimate - n) <= max(cms_error(c)) AS within
  FROM (SELECT cms_union_agg(c) FROM (SELECT cms_weighted_agg(i % 1777, 1, 0.01, 0.01) AS c
                                       FROM generate_series(1, 60000) i GROUP BY i % 64) p) t(c),
       (SELECT i % 1777 AS item, count(*) AS n FROM generate_series(1, 60000) i GROUP BY 1) e,
       LATERAL cms_query(c, item) AS estimate;
-- A product of a list that has become a table, and of one with itself.
SELECT cms_inner_product(c, c) BETWEEN 1000 AND 2000 AS tables,
       cms_inner_product(c, cms_add(cms_empty(), 5)) BETWEEN 1 AND 1 + cms_error(c) AS list
  FROM (SELECT cms_agg(i) FROM generate_series(1, 1500) i) t(c);
SELECT * FROM pg_temp.errors_of(
    'cms_add(cms_empty(0.1), 1) | cms_add(cms_empty(0.2), 1)', 'cms_inner_product(cms_empty(0.1), cms_empty(0.2))',
    'cms_merge(ARRAY[cms_empty()], ARRAY[-1])', 'cms_merge(ARRAY[cms_empty()], ARRAY[1, 2])',
    $$cms_merge(ARRAY[cms_add(cms_empty(), 'a', 5)], ARRAY[9223372036854775807])$$,
    $$cms_inner_product(c, c) FROM cms_add(cms_empty(), 'a', 9223372036854775807) c$$);

-- ---- order and bytes ----

SELECT cms_add(cms_empty(), 'a') = cms_add(cms_empty(), 'a'::text) AS same,
       cms_empty() = cms_empty(0.5) AS other;
SELECT what, pg_temp.error_of(format('SELECT %L::bytea::cms', bytes)) AS error
  FROM (SELECT cms_add(cms_add(cms_by_dim(4, 2), 1, 5), 2, 300)::bytea) s(b),
       LATERAL (VALUES ('a total that lies', set_byte(b, 12, 7)), ('too wide', set_byte(b, 7, 255)),
                       ('too deep', set_byte(b, 8, 77)), ('a count of 3 bytes', set_byte(b, 10, 3)),
                       ('wider than need be', set_byte(b, 10, 4)), ('the hash of none', set_byte(b, 3, 2)),
                       ('items that lie', set_byte(b, 20, 9)),
                       ('an encoding', set_byte(b, 2, 2)), ('padded', b || '\x00')) v(what, bytes);
SELECT cms_describe(cms_add(cms_empty(), 7)), cms_describe(cms_agg(item)) FROM often;
DROP TABLE often;
