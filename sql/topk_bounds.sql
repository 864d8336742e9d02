-- topk: bounds beside exact counts, in several orders, through merges, and in many groups at once.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

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

-- Groups that become tables and get an index, and lose counters, in turn with others.
SELECT count(*), bool_and(topk_total(t) = n AND cms_total(c) = n) AS totals,
       bool_or(topk_error(t) > 0) AS lossy,
       bool_and(g > 9 OR topk_count(t, -1 - g) = 3000) AS frequent,
       bool_and(g > 9 OR cms_query(c, -1 - g) >= 3000) AS counted
  FROM (SELECT g, count(*) AS n, topk_agg(v) AS t, cms_agg(v) AS c
          FROM (SELECT i % 300 AS g, i::bigint AS v FROM generate_series(0, 149999) i
                UNION ALL
                SELECT g, CASE WHEN i % 5 = 0 THEN -1 - g ELSE g * 10000 + i / 2 END
                  FROM generate_series(0, 14999) i, generate_series(0, 9) g) r
         GROUP BY g) s;

-- ---- bytes that lie ----

SELECT what, pg_temp.error_of(format('SELECT %L::bytea::topk', bytes)) AS error
  FROM (SELECT topk_add_all(topk_empty(), '{aa,bb,aa}'::text[])::bytea) s(b),
       LATERAL (VALUES ('k of 0', set_byte(b, 4, 0)), ('a total that lies', set_byte(b, 8, 9)),
                       ('an error that lies', set_byte(b, 16, 1)),
                       ('more counters', set_byte(b, 24, 9)),
                       ('a count that grows', set_byte(b, 28, 1)),
                       ('a length that lies', set_byte(b, 30, 77)),
                       ('an item twice', set_byte(set_byte(b, 36, 97), 37, 97)),
                       ('another type', set_byte(b, 3, 1)), ('padded', b || '\x00')) v(what, bytes);
