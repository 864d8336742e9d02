-- Count-Min sketches of Redis: read, counted on, merged, given back.

\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- ---- payloads of a real server ----

-- Each with the server's answers (test/data/README.md): all of ours are the same.
CREATE TEMP TABLE server (line jsonb);
\copy server FROM PROGRAM 'gzip -dc test/data/redis_counts.jsonl.gz'
CREATE TEMP TABLE imported AS
    SELECT line->>'name' AS name, line, decode(line->>'dump', 'hex') AS dump,
           cms_from_redis(decode(line->>'dump', 'hex')) AS c
      FROM server WHERE line->>'kind' = 'cms';
SELECT name, i.width, i.depth, i.total, i.width = (line->>'width')::int AS same_width,
       i.depth = (line->>'depth')::int AS same_depth, i.total = (line->'info'->>5)::bigint AS same_total,
       c::bytea::cms = c AS validated
  FROM imported, cms_info(c) i ORDER BY name COLLATE "C";
SELECT name, count(*) AS items, bool_and(cms_query(c, item) = (line->'query'->>(n - 1)::int)::bigint) AS same,
       bool_and(cms_query(c, item) = cms_query(c, convert_to(item, 'UTF8'))) AS bytea
  FROM imported, jsonb_array_elements_text(line->'items') WITH ORDINALITY i(item, n)
 GROUP BY name ORDER BY name COLLATE "C";
-- What the server wrote compressed goes back plain.
SELECT name, cms_from_redis(cms_to_redis(c)) = c AS same, length(cms_to_redis(c)) >= 4 * i.width * i.depth AS plain
  FROM imported, cms_info(c) i ORDER BY name COLLATE "C";
-- Three times one sketch is what Redis merged.
SELECT cms_merge(ARRAY[u.c], ARRAY[3]) = m.c AS merged, u.c | u.c | u.c = m.c AS union
  FROM imported u, imported m WHERE u.name = 'usual' AND m.name = 'merged usual x3';

-- ---- counting on ----

-- Redis's known answer: 4 x 2, foo 5, bar 3 gives the rows [0,5,0,3], [0,3,5,0].
SELECT encode(substr(c::bytea, 25), 'hex') AS cells, cms_query_each(c, ARRAY['foo', 'bar', 'baz']),
       cms_total(c), cms_describe(c)
  FROM cms_add(cms_add(cms_merge(ARRAY[(SELECT c FROM imported WHERE name = 'tiny')], ARRAY[0]),
                       'foo', 5), 'bar'::bytea, 3) c;
SELECT cms_query(cms_add_all(c, ARRAY['x', 'y', 'x']), 'x') >= 2 AS added,
       cms_query(cms_add(c, 'x', 5000000000), 'x') >= 5000000000 AS wide,
       cms_total(cms_add_all(c, ARRAY['x', 'y'], ARRAY[2, 5])) - cms_total(c) AS seven
  FROM imported WHERE name = 'usual';

-- ---- errors ----

SELECT * FROM pg_temp.errors_of(
    $$cms_to_redis(cms_add(c, 'x', 5000000000)) FROM imported WHERE name = 'tiny'$$,
    $$cms_from_redis('078108c4a4f9360f100002')$$, $$cms_from_redis('B4EIxKT5Ng8QAA==')$$, 'cms_to_redis(cms_by_dim(4, 2))', $$cms_add(c, 7) FROM imported WHERE name = 'tiny'$$,
    $$cms_query(c, 7) FROM imported WHERE name = 'tiny'$$,
    $$c | cms_add(cms_by_dim(4, 2), 1) FROM imported WHERE name = 'tiny'$$,
    $$cms_add(cms_by_dim(4, 2), 1) | c FROM imported WHERE name = 'tiny'$$,
    $$cms_inner_product(c, cms_by_dim(4, 2)) FROM imported WHERE name = 'tiny'$$,
    $$_cms_agg_state(c, 1::hashed) FROM imported WHERE name = 'tiny'$$, $$cms_from_redis('')$$);
SELECT pg_temp.error_of(format('SELECT cms_from_redis(%L)', set_byte(dump, 20, 99))) FROM imported WHERE name = 'tiny';
SELECT pg_temp.error_of(format('SELECT cms_from_redis(%L)', decode(line->>'dump', 'hex')))
  FROM server WHERE line->>'kind' = 'topk' AND line->>'name' = 'tiny';
-- Every truncation is refused.
SELECT count(*) AS truncated, bool_and(pg_temp.sqlstate_of(format('SELECT cms_from_redis(%L)', substr(dump, 1, n))) = '22P03') AS refused
  FROM imported, generate_series(0, octet_length(dump) - 1) n WHERE name = 'tiny';
