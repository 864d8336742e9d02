-- topk: frequent items of Redis, DataSketches and the topn extension.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- ---- Redis ----

-- Each list with the server's answer (test/data/README.md).
CREATE TEMP TABLE server (line jsonb);
\copy server FROM PROGRAM 'gzip -dc test/data/redis_counts.jsonl.gz'
CREATE TEMP TABLE tops AS
    SELECT line->>'name' AS name, line->'list' AS list, decode(line->>'dump', 'hex') AS dump
      FROM server WHERE line->>'kind' = 'topk';
CREATE TEMP VIEW theirs AS
    SELECT name, convert_to(list->>(2 * i), 'UTF8') AS item, (list->>(2 * i + 1))::bigint AS count
      FROM tops, generate_series(0, jsonb_array_length(list) / 2 - 1) i;
SELECT name, (SELECT count(*) FROM topk_items_from_redis(dump)) AS items,
       NOT EXISTS (SELECT item, count FROM topk_items_from_redis(dump)
                   EXCEPT SELECT item, count FROM theirs WHERE theirs.name = tops.name)
       AND NOT EXISTS (SELECT item, count FROM theirs WHERE theirs.name = tops.name
                       EXCEPT SELECT item, count FROM topk_items_from_redis(dump)) AS same,
       (SELECT bool_and(count <= before)
          FROM (SELECT count, lag(count, 1, count) OVER () AS before FROM topk_items_from_redis(dump)) o) AS descending
  FROM tops ORDER BY name COLLATE "C";
-- The way into a sketch.
SELECT topk_describe(topk_weighted_agg(convert_from(item, 'UTF8'), count, 3)) FROM tops, topk_items_from_redis(dump) WHERE name = 'usual';
SELECT pg_temp.error_of($$SELECT topk_items_from_redis('')$$);
SELECT pg_temp.error_of(format('SELECT topk_items_from_redis(%L)', decode(line->>'dump', 'hex')))
  FROM server WHERE line->>'kind' = 'cms' AND line->>'name' = 'tiny';
SELECT bool_and(pg_temp.sqlstate_of(format('SELECT topk_items_from_redis(%L)', substr(dump, 1, n))) = '22P03') AS refused
  FROM tops, generate_series(0, octet_length(dump) - 1) n WHERE name = 'tiny';

-- ---- DataSketches ----

CREATE TEMP TABLE peers (line jsonb);
\copy peers FROM 'test/data/peers_frequent.jsonl'
CREATE TEMP TABLE frequent AS
    SELECT (line->>'n')::int AS n, line->'top' AS top, decode(line->>'base64', 'base64') AS bytes
      FROM peers WHERE line->>'kind' LIKE 'datasketches%';
-- All counters of theirs, with their bounds.
SELECT n, topk_total(t) = n AS total, topk_error(t) AS error, (topk_info(t)).counters, bool_and(
           b.lower = (a->>'lower_bound')::bigint AND b.upper = (a->>'upper_bound')::bigint) AS same
  FROM frequent, topk_from_datasketches(bytes, 100) t, jsonb_array_elements(top) a, topk_bounds(t, a->>'str') b
 GROUP BY n, t ORDER BY n;
SELECT n, topk_describe(topk_from_datasketches(bytes, 2)) FROM frequent ORDER BY n;
SELECT (topk_info(topk_from_datasketches('\x01010a0303050000', 5))).*;
-- Bigints: 7 three times, -1 twice, of 9 in all, each at most 4 more.
SELECT l.* FROM topk_list_bigint(topk_from_datasketches(
    '\x04010a0303000000020000000000000009000000000000000400000000000000'
    '03000000000000000200000000000000'
    '0700000000000000ffffffffffffffff', 2, 'bigint')) l;
SELECT * FROM pg_temp.errors_of(
    $$topk_from_datasketches('', 5)$$, $$topk_from_datasketches('\x01010a0303050000', 0)$$,
    $$topk_from_datasketches('\x01010a0303050000', 5, 'uuid')$$);
SELECT pg_temp.error_of(format('SELECT topk_from_datasketches(%L, 5, %L)', bytes, 'bigint')) FROM frequent WHERE n = 50;
SELECT pg_temp.error_of(format('SELECT topk_from_datasketches(%L, 5)', set_byte(bytes, at, byte))) AS refused
  FROM frequent, (VALUES (1, 2), (2, 7), (0, 3), (5, 4), (8, 8), (16, 49), (24, 255), (32, 0), (32, 99), (95, 255)) v(at, byte) WHERE n = 50;
SELECT bool_and(pg_temp.sqlstate_of(format('SELECT topk_from_datasketches(%L, 5)', substr(bytes, 1, i))) = '22P03') AS refused
  FROM frequent, generate_series(0, octet_length(bytes) - 1) i WHERE n = 50;
SELECT pg_temp.error_of($$SELECT topk_from_datasketches(
    '\x04010a0303000000010000000000000001000000000000000000000000000000'
    '010000000000000001000000ff', 2)$$);

-- ---- topn ----

SELECT line->>'n' AS n, topk_total(t) = (SELECT sum(value::bigint) FROM jsonb_each_text(line->'jsonb')) AS total,
       (SELECT bool_and(topk_count(t, key) = value::bigint) FROM jsonb_each_text(line->'jsonb')) AS same,
       (SELECT array_agg(count) FROM topk_list(t)) =
       (SELECT array_agg((f->>'frequency')::bigint) FROM jsonb_array_elements(line->'top') f) AS top
  FROM peers, topk_from_topn(line->'jsonb', 5) t WHERE line->>'kind' = 'topn' ORDER BY 1;
SELECT topk_describe(topk_from_topn('{}', 3)), topk_describe(topk_from_topn('{"a": 3, "b": 0, "c": 2.0}', 3));
SELECT pg_temp.error_of(format('SELECT topk_from_topn(%L, 3)', j))
  FROM (VALUES ('[1]'), ('1'), ('{"a": "b"}'), ('{"a": {"b": 1}}'), ('{"a": -1}'), ('{"a": 1.5}'),
               ('{"a": 9223372036854775808}'), ('{"a": 9223372036854775807, "b": 1}')) v(j);
