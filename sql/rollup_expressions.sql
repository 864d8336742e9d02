-- Queries that were accepted and then differed, failed or were refused for the wrong reason.
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE SCHEMA expressions;
SET search_path = expressions, public;
CREATE FUNCTION pg_temp.made(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    came text := pg_temp.error_of(format('SELECT rollup_create(%L, %L)', 'made', query));
BEGIN
    IF came = 'accepted' THEN PERFORM rollup_drop('made'); END IF;
    RETURN replace(came, ' Its query is SELECT groups, aggregates and what is computed of them FROM a table [JOIN ...] [WHERE ...] GROUP BY groups [HAVING ...].', '');
END $$;

-- No table in FROM.
CREATE TABLE t (a int, x int, d date NOT NULL);
SELECT q, pg_temp.made(q) FROM unnest(ARRAY['SELECT 1 AS g, count(*) AS n GROUP BY g', 'SELECT a, count(*) AS n FROM (SELECT 1 AS a) AS s GROUP BY a',
    'WITH s AS (SELECT 1 AS a) SELECT a, count(*) AS n FROM s GROUP BY a', 'SELECT a, count(*) AS n FROM (VALUES (1)) AS v (a) GROUP BY a']) AS q;
SELECT rollup_create('altered', 'SELECT a, count(*) AS n FROM t GROUP BY a');
SELECT pg_temp.error_of($$SELECT rollup_alter('altered', 'SELECT 1 AS a, count(*) AS n GROUP BY a')$$);

-- A group that can be NULL, whose type has another meaning without a length, as char.
CREATE DOMAIN code AS char(3);
CREATE TABLE coded (id int, c code, b char(5));
SELECT rollup_create('by_code', 'SELECT c, b, count(*) AS n, sum(id) AS s FROM coded GROUP BY 1, 2');
INSERT INTO coded VALUES (1, 'ab', 'x'), (2, 'ac', 'x'), (3, NULL, NULL);
SELECT rollup_refresh('by_code');
DELETE FROM coded WHERE id = 1;
INSERT INTO coded VALUES (4, 'ad', 'x');
SELECT rollup_refresh('by_code');
TABLE by_code ORDER BY s;
SELECT rollup_alter('by_code', 'SELECT c, b, count(*) AS n, sum(id) AS s, max(id) AS x FROM coded GROUP BY 1, 2');
TABLE by_code ORDER BY s;
SELECT rollup_refresh('by_code'), (SELECT count(*) FROM rollup_check('by_code'));
TABLE by_code ORDER BY s;

-- What a generated column depends on, where a trigger computes it.
CREATE TABLE parted (at date NOT NULL, f float8, g text GENERATED ALWAYS AS (f::text) STORED, h float8 GENERATED ALWAYS AS (f * 2) STORED) PARTITION BY RANGE (at);
CREATE TABLE plain (at date NOT NULL, f float8, g text GENERATED ALWAYS AS (f::text) STORED);
SELECT pg_temp.made(q) FROM unnest(ARRAY['SELECT at, g, count(*) AS n FROM parted GROUP BY 1, 2', 'SELECT at, max(g) AS n FROM parted GROUP BY 1', 'SELECT at, count(*) AS n FROM parted WHERE g > '''' GROUP BY 1',
    'SELECT at, h, count(*) AS n FROM parted GROUP BY 1, 2', 'SELECT at, g, count(*) AS n FROM plain GROUP BY 1, 2']) AS q;
-- Virtual ones, from 18 on: they depend on settings, and fail, as their expressions.
SELECT current_setting('server_version_num')::int < 180000 AS has_none \gset
\if :has_none
\else
CREATE TABLE dated (at date PRIMARY KEY, a int);
CREATE TABLE virtual (at date NOT NULL, f float8, k int, g text GENERATED ALWAYS AS (f::text) VIRTUAL, q int GENERATED ALWAYS AS (100 / k) VIRTUAL);
DO $$
BEGIN
    ASSERT pg_temp.made('SELECT at, g, count(*) AS n FROM virtual GROUP BY 1, 2') ~ '^42P17';
    ASSERT pg_temp.made('SELECT v.at, t.a, count(*) AS n FROM virtual AS v JOIN dated AS t ON t.at = v.at GROUP BY 1, 2') = 'accepted';
    ASSERT pg_temp.made('SELECT v.g, count(*) AS n FROM virtual AS v JOIN dated AS t ON t.at = v.at GROUP BY 1') ~ '^42P17';
    ASSERT pg_temp.made('SELECT at, f, count(*) AS n FROM virtual GROUP BY 1, 2') = 'accepted';
    PERFORM rollup_create('of_virtual', 'SELECT q, count(*) AS n FROM virtual WHERE abs(abs(abs(abs(k)))) > 0 GROUP BY 1');
    INSERT INTO virtual SELECT '2026-01-01', 1, i % 5 FROM generate_series(1, 20) AS i;
    PERFORM rollup_refresh('of_virtual');
    DELETE FROM virtual WHERE k = 4;
    PERFORM * FROM of_virtual;
    ASSERT (SELECT count(*) FROM rollup_check('of_virtual')) = 0;
    PERFORM rollup_drop('of_virtual');
END $$;
\endif

-- Equal values of a group: what is shown is one that some row has.
CREATE TABLE spelled (n numeric, iv interval, i int);
SELECT rollup_create('of_n', 'SELECT n, count(*) AS c FROM spelled GROUP BY n HAVING scale(n) < 2');
SELECT rollup_create('of_iv', 'SELECT iv, extract(day FROM iv)::int AS days, count(*) AS c FROM spelled GROUP BY iv');
SELECT rollup_create('only_n', 'SELECT n, i FROM spelled GROUP BY n, i');
INSERT INTO spelled VALUES (1.0, '24 hours');
SELECT rollup_refresh('of_n'), rollup_refresh('of_iv'), rollup_refresh('only_n');
UPDATE spelled SET n = 1.00, iv = '1 day';
SELECT rollup_refresh('of_n'), rollup_refresh('of_iv'), rollup_refresh('only_n');
TABLE of_n;
TABLE of_iv;
TABLE only_n;
-- In a level, sketches of such texts would not follow; those of numbers are of their values.
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE named (d date NOT NULL, k text COLLATE nocase, n numeric);
SELECT rollup_create('of_named', 'SELECT d, k, n, count(*) AS c FROM named GROUP BY 1, 2, 3');
SELECT left(pg_temp.made(format('SELECT d, %s FROM of_named GROUP BY d', e)), 72) FROM unnest(ARRAY['hll_agg(k) AS h', 'hll_agg(n) AS h', 'max(k) AS m, sum(n) AS s', 'sum(c) FILTER (WHERE n <> 0) AS c',
    'sum(c) FILTER (WHERE n NOT IN (1, 2)) AS c', 'sum(c) FILTER (WHERE n IS DISTINCT FROM 0) AS c', 'sum(c) FILTER (WHERE n::text <> ''1'') AS c']) AS e;

-- Groups that fail for rows that conditions or joins leave out: rounding cannot, other arithmetic can.
CREATE TABLE e (id int, x int);
INSERT INTO e SELECT i, i FROM generate_series(1, 9) AS i;
INSERT INTO e VALUES (999, 2147483647), (998, -2147483648);
SELECT rollup_create('r' || number, format('SELECT %s AS g, count(*) AS n FROM e WHERE abs(abs(abs(abs(id)))) < 900 GROUP BY 1', g))
FROM unnest(ARRAY['x / 2 * 1000000', 'x - (id * 7) % 10', 'x - x % 10', 'x / 10 * 10', 'x / 10 * 9', 'x / 10 * (-10)']) WITH ORDINALITY AS u (g, number);
DELETE FROM e WHERE id = 4;
SELECT rollup, (SELECT count(*) FROM rollup_check(rollup)), rollup_refresh(rollup) FROM rollup_list() WHERE rollup::text ~ '^r[0-9]$' ORDER BY rollup::text;
CREATE TABLE dims (id int PRIMARY KEY);
CREATE TABLE facts (id int, did int, x int);
SELECT rollup_create('star', 'SELECT facts.x - facts.id % 10 AS g, count(*) AS n FROM facts JOIN dims ON dims.id = did GROUP BY 1');
INSERT INTO facts VALUES (5, 1, -2147483648);

-- Zones and times that settings decide, wherever they stand.
CREATE TABLE zoned (at timestamp, x int, j jsonb, p jsonpath, f float8[]);
SELECT e, left(pg_temp.made(format('SELECT %s AS g, count(*) AS n FROM zoned GROUP BY 1', e)), 140) FROM unnest(ARRAY[$$at AT TIME ZONE ('{IST,UTC}'::text[])[x]$$, $$at AT TIME ZONE ('{"a":"IST"}'::jsonb ->> 'a')$$,
    $$at AT TIME ZONE (ARRAY['UTC', 'Europe/Berlin'])[x]$$, $$at AT TIME ZONE CASE x WHEN 1 THEN 'UTC' ELSE 'Europe/Berlin' END$$,
    $$jsonb_path_query_first(j, '$.z.datetime("YYYY-MM-DD HH24:MI TZ")')$$, $$j @? '$.z.datetime("YYYY TZ") ? (@ < "x")'$$, $$jsonb_path_query_first(j, p)$$, $$jsonb_path_query_first(j, '$.z')$$, $$f::text[]$$]) AS e;
CREATE DOMAIN measure AS float8;
CREATE TABLE measured (m measure);
SELECT pg_temp.made('SELECT m::text AS m, count(*) AS n FROM measured GROUP BY 1');

-- A fence between conditions.
CREATE TABLE raw (at date NOT NULL, v text);
SELECT pg_temp.made(q) FROM unnest(ARRAY[$$WITH c AS MATERIALIZED (SELECT * FROM raw WHERE v ~ '^[0-9]+$') SELECT at, count(*) AS n FROM c WHERE v::int > 5 GROUP BY at$$,
    $$WITH b AS (SELECT * FROM raw WHERE v ~ '^[0-9]+$'), c AS MATERIALIZED (SELECT * FROM b) SELECT at, count(*) AS n FROM c WHERE v::int > 5 GROUP BY at$$,
    $$WITH c AS MATERIALIZED (SELECT * FROM raw WHERE v ~ '^[0-9]+$') SELECT at, count(*) AS n FROM c GROUP BY at$$,
    $$WITH c AS (SELECT * FROM raw WHERE v ~ '^[0-9]+$') SELECT at, count(*) AS n FROM c WHERE CASE WHEN v ~ '^[0-9]+$' THEN v::int > 5 END GROUP BY at$$]) AS q;

-- Other names for joins, and for the columns in them.
CREATE TABLE f (id int, did int, eid int, v int);
CREATE TABLE g (id int PRIMARY KEY, k int, "unnest" int UNIQUE);
SELECT q, pg_temp.made(q) FROM unnest(ARRAY['SELECT j.v, count(*) AS n FROM (f JOIN g ON g.id = f.did) AS j GROUP BY j.v', 'SELECT j.v, h.k, count(*) AS n FROM (f JOIN g ON g.id = f.did) AS j JOIN g AS h ON h.id = j.eid GROUP BY 1, 2',
    'SELECT y.b, count(*) AS n FROM f JOIN g AS y (a, b) ON y.a = f.did GROUP BY 1', 'SELECT x.c, y.b, count(*) AS n FROM f AS x (a, b, c) JOIN g AS y (a, b) ON y.a = x.b GROUP BY 1, 2',
    'SELECT k, count(*) AS n FROM f JOIN g ON g."unnest" = f.did GROUP BY 1']) AS q;
SELECT rollup_create('renamed', 'SELECT x.c, y.b, z."unnest" AS u, count(*) AS n FROM f AS x (a, b, c) JOIN g AS y (a, b) ON y.a = x.b JOIN g AS z ON z."unnest" = x.c GROUP BY 1, 2, 3');
INSERT INTO g VALUES (1, 10, 3), (2, 20, 4);
INSERT INTO f VALUES (1, 1, 3), (2, 2, 4), (3, 2, 3);
SELECT rollup_refresh('renamed');
UPDATE g SET "unnest" = "unnest" + 2, k = k + 1;
INSERT INTO g VALUES (5, 50, 3);
SELECT count(*), (SELECT count(*) FROM rollup_check('renamed')) FROM renamed;
SELECT rollup_refresh('renamed'), (SELECT count(*) FROM rollup_check('renamed'));
TABLE renamed ORDER BY 1, 2;

-- Aggregates of any type merge, if they are named.
CREATE FUNCTION greater(anyelement, anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE AS 'SELECT greatest($1, $2)';
CREATE AGGREGATE biggest(anyelement) (SFUNC = greater, STYPE = anyelement);
SELECT rollup_create('of_any', 'SELECT d, biggest(x) AS b FROM t GROUP BY d', merge => '{"b": "expressions.biggest"}');
INSERT INTO t VALUES (1, 3, '2026-01-01'), (1, 9, '2026-01-01');
SELECT rollup_refresh('of_any');
INSERT INTO t VALUES (1, 7, '2026-01-01');
TABLE of_any;

SET client_min_messages = error;
DROP SCHEMA expressions CASCADE;
