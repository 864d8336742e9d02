-- What a query may depend on, what cannot be computed or stored, and periods that are numbers.
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE SCHEMA edges;
SET search_path = edges, public;
CREATE FUNCTION pg_temp.refused(query text, merge jsonb = '{}') RETURNS text LANGUAGE sql AS $$
    SELECT left(pg_temp.error_of(format('SELECT rollup_create(%L, %L, %L)', 'refused', query, merge)), 130) $$;

-- Immutable for PostgreSQL, and not.
CREATE EXTENSION hstore;
CREATE EXTENSION cube;
CREATE TABLE a (d date NOT NULL, at timestamptz NOT NULL, b timestamptz, x int);
SELECT query, pg_temp.refused(query) FROM unnest(ARRAY[
    'SELECT d, age(at, b) AS g, count(*) FROM a GROUP BY 1, 2',
    'SELECT d, sum(age(at, b)) FROM a GROUP BY 1',
    'SELECT d, age(at::timestamp, b::timestamp) AS g, count(*) FROM a GROUP BY 1, 2',
    'SELECT d, hstore(a.*) AS g, count(*) FROM a GROUP BY 1, 2',
    'SELECT d, hstore(row(at)) AS g, count(*) FROM a GROUP BY 1, 2',
    'SELECT d, cube(x)::text AS g, count(*) FROM a GROUP BY 1, 2',
    'SELECT d, topk_agg(cube(x)::text) FROM a GROUP BY 1']) AS query;
SELECT zone, pg_temp.refused(format('SELECT date_trunc(''hour'', at AT TIME ZONE %s) AS h, count(*) FROM a GROUP BY 1', zone)) FROM unnest(ARRAY[
    'CASE x WHEN 1 THEN ''EST'' ELSE ''UTC'' END', '''EST''::varchar(9)', '(''E'' || ''ST'')', 'lower(''EST'')', 'coalesce(NULL, ''EST'')', '''EST''']) AS zone;
SELECT rollup_create('by_zone', $$SELECT date_trunc('hour', at AT TIME ZONE CASE x WHEN 1 THEN 'Europe/Berlin' ELSE 'UTC' END) AS h, hstore('x', x::text) AS s, count(*) AS n FROM a GROUP BY 1, 2$$);
SELECT rollup_drop('by_zone');

-- GIN returns some of the rows where a session says so; a refresh reads all.
CREATE TABLE tagged (d date NOT NULL, tags jsonb, pad text);
INSERT INTO tagged SELECT date '2026-01-01' + g % 3, jsonb_build_object('k', g % 100), repeat('x', 500) FROM generate_series(1, 20000) AS g;
CREATE INDEX ON tagged USING gin (tags);
ANALYZE tagged;
SELECT rollup_create('tags', $$SELECT d, count(*) AS n FROM tagged WHERE tags @> '{"k": 1}' GROUP BY 1$$);
SET gin_fuzzy_search_limit = 10;
SELECT rollup_refresh('tags');
RESET gin_fuzzy_search_limit;
SELECT sum(n) FROM tags;

-- The table is empty, and the query is tried.
CREATE TABLE e (at timestamptz NOT NULL, x int, s text);
SELECT left(query, 60) AS query, regexp_replace(pg_temp.refused(query), 'size \d+', 'size ...', 'g') AS refused FROM unnest(ARRAY[
    'SELECT date_bin(''1 month'', at, ''2000-01-01Z'') AS m, count(*) FROM e GROUP BY 1',
    'SELECT date_bin(''0 s'', at, ''2000-01-01Z'') AS m, count(*) FROM e GROUP BY 1',
    'SELECT at, hll_agg(x, 99) FROM e GROUP BY 1',
    'SELECT at, ' || (SELECT string_agg('sum(x + ' || g || ') AS s' || g, ', ') FROM generate_series(1, 1100) AS g) || ' FROM e GROUP BY 1']) AS query;
-- What fails on some rows is the writer's.
SELECT rollup_create('shares', 'SELECT at, sum(1 / (x - 1)) AS s, sum(s::int) AS i FROM e GROUP BY 1');
TABLE shares_log;
SELECT rollup_drop('shares');

-- A domain that refuses NULL, also later; an aggregate of the session; money; columns only.
CREATE DOMAIN known AS int CHECK (VALUE IS NOT NULL);
CREATE DOMAIN any_int AS int;
CREATE TABLE k (d date NOT NULL, known known, any_int any_int, p money);
SELECT pg_temp.refused('SELECT d, known, count(*) FROM k GROUP BY 1, 2'), pg_temp.refused('SELECT d, p, count(*) FROM k GROUP BY 1, 2');
SELECT rollup_create('by_any', 'SELECT d, any_int, count(*) AS n FROM k GROUP BY 1, 2');
SELECT rollup_refresh('by_any'), pg_temp.error_of('ALTER DOMAIN any_int ADD CHECK (VALUE IS NOT NULL)'), pg_temp.error_of('ALTER DOMAIN any_int SET NOT NULL');
ALTER DOMAIN any_int ADD CHECK (VALUE IS NOT NULL) NOT VALID;
INSERT INTO k VALUES ('2026-01-01', 1, 1);
TRUNCATE k;
SELECT count(*) FROM by_any;
CREATE FUNCTION plus(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE AGGREGATE plus_all (int) (SFUNC = plus, STYPE = int);
CREATE AGGREGATE pg_temp.plus_all (int) (SFUNC = plus, STYPE = int, COMBINEFUNC = plus);
SELECT pg_temp.refused('SELECT d, edges.plus_all(x) AS s FROM a GROUP BY 1', '{"s": "pg_temp.plus_all"}');
CREATE ROLE sketches_some;
CREATE SCHEMA sketches_some AUTHORIZATION sketches_some;
GRANT USAGE ON SCHEMA edges TO sketches_some;
CREATE TABLE in_part (d date NOT NULL, x int, secret text);
INSERT INTO in_part VALUES ('2026-01-01', 1, 'no');
GRANT SELECT (d, x), TRIGGER ON in_part TO sketches_some;
SET ROLE sketches_some;
SELECT rollup_create('sketches_some.of_columns', 'SELECT d, sum(x) AS x FROM edges.in_part GROUP BY 1');
SELECT rollup_refresh('sketches_some.of_columns'), problem FROM rollup_status('sketches_some.of_columns');
RESET ROLE;

-- A period may be a rounded number.
CREATE TABLE clicks (ms bigint NOT NULL, s int NOT NULL, person int NOT NULL);
SELECT rollup_create('by_hour', 'SELECT person % 2 AS odd, ms / 3600000 * 3600000 AS hour, count(*) AS n FROM clicks GROUP BY 1, 2'),
    rollup_create('by_minute', 'SELECT s - s % 60 AS minute, count(*) AS n FROM clicks GROUP BY 1'),
    rollup_create('by_month', $$SELECT date_trunc('month', to_timestamp(ms / 1000.0) AT TIME ZONE 'UTC') AS month, count(*) AS n FROM clicks GROUP BY 1$$),
    rollup_create('by_person', 'SELECT person, count(*) AS n FROM clicks GROUP BY 1');
SELECT rollup, period FROM rollup_list() WHERE source = 'clicks'::regclass ORDER BY 1;
INSERT INTO clicks SELECT g * 600000, g, g FROM generate_series(1, 100) AS g;
SELECT uncomputed, frozen, oldest FROM rollup_status('by_hour');
SELECT rollup_refresh('by_hour', '36000000');
SELECT uncomputed, frozen, (SELECT count(*) FROM rollup_check('by_hour')) AS differ FROM rollup_status('by_hour');
SELECT rollup_refresh('by_hour'), rollup_freeze('by_hour', '7200000');
DELETE FROM clicks WHERE ms < 10800000;
INSERT INTO clicks VALUES (1, 1, 1);
SELECT uncomputed, frozen, problem FROM rollup_status('by_hour');
SELECT * FROM by_hour ORDER BY 2, 1 LIMIT 4;
TRUNCATE clicks;
SELECT * FROM by_hour ORDER BY 2, 1;
SELECT rollup_refresh('by_minute', '-2147483648'), rollup_freeze('by_minute', '2147483647');
SELECT frozen FROM rollup_status('by_minute');
SELECT pg_temp.error_of($$SELECT rollup_freeze('by_hour', 'yesterday')$$), pg_temp.error_of($$SELECT rollup_freeze('by_person', '1')$$);

-- A temporary child is of one session.
CREATE TABLE shared (d date NOT NULL);
SELECT rollup_create('of_shared', 'SELECT d, count(*) AS n FROM shared GROUP BY 1');
CREATE TEMP TABLE mine () INHERITS (shared);
INSERT INTO mine VALUES ('2026-01-01');
SELECT pg_temp.error_of($$SELECT rollup_refresh('of_shared')$$);
DROP TABLE mine;

-- Whoever reads a rollup of a partitioned table reads what waits through a function that asks for a secret.
CREATE TABLE parted (d date NOT NULL, x int) PARTITION BY RANGE (d);
CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
INSERT INTO parted VALUES ('2026-01-01', 1), ('2026-01-02', 2);
SELECT rollup_create('of_parts', 'SELECT d, sum(x) AS x, ''a''::varchar(3) COLLATE "C" AS v FROM parted GROUP BY 1, 3');
GRANT SELECT ON of_parts TO sketches_some;
CREATE VIEW above AS SELECT d, x FROM of_parts;
GRANT SELECT ON above TO sketches_some;
REVOKE SELECT ON of_parts FROM sketches_some;
SET ROLE sketches_some;
TABLE above;
SELECT pg_temp.error_of('TABLE edges.of_parts'), pg_temp.error_of('SELECT * FROM _rollup_late(''edges.of_parts_state'', NULL) AS l (d date, x bigint, v varchar)'),
    pg_temp.error_of('SELECT * FROM _rollup_late(''edges.of_parts_state'', gen_random_uuid()) AS l (d date, x bigint, v varchar)'),
    pg_temp.error_of('SELECT * FROM _rollup_late(''edges.of_parts_log'', gen_random_uuid()) AS l (d date)');
RESET ROLE;
-- It returns what the view has, whatever columns the caller names.
SELECT pg_temp.error_of('SELECT * FROM _rollup_late(''edges.of_parts_state'', (SELECT secret FROM of_parts_state)) AS l (d text, x bigint, v varchar)'),
    pg_temp.error_of('SELECT * FROM _rollup_late(''edges.of_parts_state'', (SELECT secret FROM of_parts_state)) AS l (d date, x bigint)');
BEGIN ISOLATION LEVEL REPEATABLE READ;
TABLE above;
DELETE FROM parted WHERE x = 1;
TABLE above;
COMMIT;
SELECT rollup_refresh('of_parts');
SELECT d, x FROM of_parts WHERE d > '2026-01-01';

-- Without its row, the state has no secret: an error, and no wrong number.
DELETE FROM of_parts_state;
DELETE FROM parted;
SELECT pg_temp.error_of('TABLE of_parts');
SELECT rollup_repair('of_parts');
TABLE of_parts;

-- What PostgreSQL's own hint says drops the view, and stops no writer.
CREATE TABLE less (d date NOT NULL, x int, y int);
SELECT rollup_create('of_less', 'SELECT d, sum(x) AS x FROM less GROUP BY 1');
ALTER TABLE less DROP x CASCADE;
INSERT INTO less VALUES ('2026-01-01', 1);
UPDATE less SET y = 2;
TRUNCATE less;
SELECT rollup, problem FROM rollup_list() WHERE problem ~ 'of_less';
SELECT rollup_drop('of_less');

-- A group that no index takes keeps refreshes from succeeding, and is told.
CREATE TABLE wide (d date NOT NULL, url text);
SELECT rollup_create('of_wide', 'SELECT d, url, count(*) AS n FROM wide GROUP BY 1, 2');
SELECT rollup_refresh('of_wide');
INSERT INTO wide SELECT '2026-01-01', string_agg(md5(g::text), '') FROM generate_series(1, 400) AS g;
SELECT pg_temp.sqlstate_of($$SELECT rollup_refresh('of_wide')$$), problem FROM rollup_status('of_wide');
DELETE FROM wide;
SELECT pg_temp.sqlstate_of($$SELECT rollup_refresh('of_wide')$$), (SELECT count(*) FROM of_wide);
SELECT problem FROM rollup_status('of_wide');

-- A NULL that came while the column allowed it, and the index by which groups are found: a repair mends both.
CREATE TABLE told (d date NOT NULL, g text NOT NULL);
SELECT rollup_create('of_told', 'SELECT d, g, count(*) AS n FROM told GROUP BY 1, 2');
SELECT rollup_refresh('of_told');
ALTER TABLE told ALTER g DROP NOT NULL;
INSERT INTO told VALUES ('2026-01-01', NULL), ('2026-01-01', 'a');
DELETE FROM told WHERE g IS NULL;
ALTER TABLE told ALTER g SET NOT NULL;
SELECT pg_temp.sqlstate_of($$SELECT rollup_refresh('of_told')$$), problem FROM rollup_status('of_told');
SELECT rollup_repair('of_told');
SELECT rollup_refresh('of_told');
DROP INDEX of_wide_rows_d_array_idx;
ALTER TABLE of_told_rows DROP CONSTRAINT of_told_rows_pkey;
CREATE UNIQUE INDEX of_told_other ON of_told_rows (d, n);
INSERT INTO told VALUES ('2026-01-01', 'b');
INSERT INTO wide VALUES ('2026-01-01', 'b'), ('2026-01-01', NULL);
SELECT pg_temp.sqlstate_of(format('SELECT rollup_refresh(%L)', r)), problem FROM unnest('{of_told,of_wide}'::regclass[]) AS r, rollup_status(r);
SELECT rollup_repair('of_told'), rollup_repair('of_wide');
DROP INDEX of_told_other;
SELECT rollup_refresh(r) AS refreshed, problem FROM unnest('{of_told,of_wide}'::regclass[]) AS r, rollup_status(r);
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN ('of_told_rows'::regclass, 'of_wide_rows'::regclass) ORDER BY 1;
TABLE of_told ORDER BY g;
-- A column of the state that is another one is none.
ALTER TABLE of_told_state DROP restored, ADD restored text;
DELETE FROM of_told_state;
INSERT INTO of_told_state DEFAULT VALUES;
SELECT problem FROM rollup_status('of_told');
SELECT rollup_drop('of_told');
SELECT _rollup_stddev(2, 1, 'Infinity', true), _rollup_stddev(2, 1, 'NaN', true);

-- A library that is older than the rollup: it writes, changes and drops nothing, and does not say that anybody should.
CREATE TABLE newer (d date NOT NULL, x int);
SELECT rollup_create('of_newer', 'SELECT d, count(*) AS n, max(x) AS x FROM newer GROUP BY 1');
SELECT rollup_create('over_newer', 'SELECT d, sum(n) AS n, max(n) AS most FROM of_newer GROUP BY 1');
INSERT INTO newer VALUES ('2026-01-01', 1), ('2026-01-02', 2);
SELECT rollup_refresh('over_newer');
DELETE FROM newer WHERE x = 1;
ALTER TABLE of_newer_state ALTER form SET DEFAULT 2;
INSERT INTO newer VALUES ('2026-01-02', 3);
SELECT statement, pg_temp.sqlstate_of(statement) FROM unnest(ARRAY['INSERT INTO newer VALUES (''2026-01-02'', 3)', 'DELETE FROM newer',
    'TRUNCATE newer', 'SELECT rollup_refresh(''of_newer'')', 'SELECT rollup_refresh(''over_newer'')', 'SELECT rollup_freeze(''of_newer'', ''2026-01-02'')',
    'SELECT rollup_repair(''of_newer'')', 'SELECT rollup_repair(''over_newer'')', 'SELECT rollup_alter(''of_newer'', ''SELECT d, count(*) AS n FROM newer GROUP BY 1'')',
    'SELECT rollup_check(''of_newer'')', 'SELECT rollup_status(''of_newer'')', 'SELECT rollup_drop(''of_newer'')', 'SELECT rollup_drop(''of_newer_state'')',
    'SELECT rollup_create(''over_newer_2'', ''SELECT d, sum(n) AS n FROM of_newer GROUP BY 1'')']) AS statement;
SELECT rollup, problem FROM rollup_list() WHERE rollup::text ~ 'newer' ORDER BY rollup::text;
ALTER TABLE over_newer_state ALTER form SET DEFAULT 2;
SELECT pg_temp.sqlstate_of('SELECT * FROM over_newer') AS computed_by_the_older_library;
ALTER TABLE of_newer_state ALTER form SET DEFAULT 1;
ALTER TABLE over_newer_state ALTER form SET DEFAULT 1;
INSERT INTO newer VALUES ('2026-01-02', 3);
TABLE of_newer;
TABLE over_newer;
SELECT rollup, problem FROM rollup_list() WHERE rollup::text ~ 'newer' ORDER BY rollup::text;
SELECT rollup_drop(r) FROM unnest('{over_newer,of_newer}'::text[]) AS r;

-- A query that was replaced by one of what rows alone do not have.
CREATE TABLE replaced (d date NOT NULL, x int);
SELECT rollup_create('of_replaced', 'SELECT d, count(*) AS n FROM replaced GROUP BY 1');
INSERT INTO replaced VALUES ('2026-01-01', 1);
SELECT of, pg_temp.error_of(format('CREATE OR REPLACE VIEW of_replaced_query AS SELECT d, %s AS n FROM replaced GROUP BY 1; INSERT INTO replaced VALUES (''2026-01-01'', 2)', of)),
    pg_temp.error_of(format('CREATE OR REPLACE VIEW of_replaced_query AS SELECT d, %s AS n FROM replaced GROUP BY 1; UPDATE replaced SET x = x + 1', of))
FROM unnest('{count(ctid),count(replaced.*),max(cmin::text::bigint)+count(tableoid)+count(xmin),count((SELECT replaced.tableoid)),count(x)}'::text[]) AS of;
SELECT problem FROM rollup_status('of_replaced');
SELECT rollup_drop('of_replaced');

-- A function of the query that the owner may not execute any more.
CREATE FUNCTION sketches_some.third(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1 / 3';
SET ROLE sketches_some;
CREATE TABLE sketches_some.thirds (d date NOT NULL, x int);
SELECT rollup_create('sketches_some.of_thirds', 'SELECT d, sketches_some.third(x) AS x, count(*) AS n FROM sketches_some.thirds GROUP BY 1, 2');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION sketches_some.third(int) FROM PUBLIC;
SELECT problem FROM rollup_list() WHERE rollup = 'sketches_some.of_thirds'::regclass;
GRANT EXECUTE ON FUNCTION sketches_some.third(int) TO sketches_some;
SELECT problem FROM rollup_list() WHERE rollup = 'sketches_some.of_thirds'::regclass;
SELECT rollup_drop('sketches_some.of_thirds');

-- An UPDATE that moves rows to other partitions marks each group once for each side.
CREATE TABLE moving (d date NOT NULL, k int) PARTITION BY RANGE (d);
CREATE TABLE moving_1 PARTITION OF moving FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE moving_2 (k int, d date NOT NULL);
ALTER TABLE moving ATTACH PARTITION moving_2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
INSERT INTO moving SELECT '2026-01-01', g % 3 FROM generate_series(1, 3000) AS g;
SELECT rollup_create('of_moving', 'SELECT d, k, count(*) AS n FROM moving GROUP BY 1, 2');
SELECT rollup_refresh('of_moving');
UPDATE moving SET d = '2026-02-01' WHERE k < 2;
SELECT marked <= 8 AS few FROM rollup_status('of_moving');
SELECT * FROM of_moving ORDER BY 1, 2;

-- A session keeps plans, and makes them again when what they depend on changes.
CREATE TABLE kept (d date NOT NULL, x int);
CREATE FUNCTION times(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * $1';
CREATE FUNCTION plus_one(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 + 1; END';
SELECT rollup_create('of_kept', 'SELECT d, sum(times(x)) AS x, sum(plus_one(x)) AS y FROM kept GROUP BY 1');
SELECT rollup_refresh('of_kept');
INSERT INTO kept VALUES ('2026-01-01', 1);
CREATE OR REPLACE FUNCTION times(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 3 * $1';
INSERT INTO kept VALUES ('2026-01-02', 1);
CREATE OR REPLACE VIEW of_kept_query AS SELECT d, sum(times(x)) AS x, sum(plus_one(x)) AS y FROM kept WHERE x < 10 GROUP BY d;
INSERT INTO kept VALUES ('2026-01-03', 1), ('2026-01-03', 10);
ALTER TABLE kept ADD more int;
ALTER TABLE kept RENAME x TO z;
INSERT INTO kept (z, d) VALUES (1, '2026-01-04');
ALTER TABLE of_kept_log RENAME TO was_log;
INSERT INTO kept (z, d) VALUES (1, '2026-01-05');
SELECT d, x, y FROM of_kept ORDER BY d;

-- Groups that were not equal when they were stored, and are now.
CREATE TYPE place AS (x int, y text);
CREATE TABLE placed (at date NOT NULL, place place NOT NULL);
INSERT INTO placed SELECT date '2026-01-01' + i % 3, ROW(i % 2, 'y' || i % 5)::place FROM generate_series(1, 50) AS i;
SELECT rollup_create('of_places', 'SELECT at, place, count(*) AS n FROM placed GROUP BY 1, 2');
SELECT rollup_refresh('of_places');
ALTER TYPE place DROP ATTRIBUTE y;
SELECT rollup_repair('of_places');
SELECT rollup_refresh('of_places');
SELECT count(*), sum(n), (SELECT count(*) FROM of_places_query), (SELECT count(*) FROM rollup_check('of_places')) FROM of_places;

-- WHERE keeps rows from groups that fail of them, wherever the rollup computes these: also if PostgreSQL takes the condition for
-- the more expensive one. of_made has a period of this kind, and of_asked one column that came.
CREATE TABLE entered (at date NOT NULL, kind text, val text, y int NOT NULL, m int NOT NULL);
CREATE FUNCTION is_number(text) RETURNS bool IMMUTABLE COST 10000 LANGUAGE plpgsql AS $$ BEGIN RETURN $1 ~ '^\d+$'; END $$;
SELECT rollup_create('of_entered', 'SELECT at, -(-val::int) AS v, count(*) AS n FROM entered WHERE is_number(val) GROUP BY 1, 2');
SELECT rollup_create('of_made', $$SELECT 1000000 / m / 10 * 10 AS p, val::varchar(3)::int::numeric(4,1) AS v, count(*) AS n
    FROM entered WHERE y > 5 AND is_number(val) GROUP BY 1, 2$$);
SELECT period FROM rollup_list() WHERE rollup = 'of_made'::regclass;
SELECT rollup_create('of_asked', 'SELECT 100 / m AS p, count(*) AS n FROM entered WHERE is_number(m::text) AND is_number(val) AND m > 0 GROUP BY 1');
CREATE FUNCTION pg_temp.entered_differ() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', rollup, (SELECT count(*) FROM rollup_check(rollup)), problem), ', ' ORDER BY rollup::text)
    FROM rollup_list() WHERE source = 'entered'::regclass $$;
INSERT INTO entered SELECT date '2026-01-01' + i % 3, 'k', CASE WHEN i % 4 = 0 THEN 'abc' ELSE (i % 7)::text END, i % 10, CASE WHEN i % 10 > 5 THEN 1000 + i % 2 ELSE 0 END
FROM generate_series(1, 200) AS i;
SELECT pg_temp.entered_differ();
SELECT rollup_refresh('of_entered'), rollup_refresh('of_made'), rollup_refresh('of_asked');
DELETE FROM entered WHERE val = '5';
UPDATE entered SET val = '9' WHERE val = '4';
UPDATE entered SET y = 0, m = 0 WHERE y = 7;
SELECT pg_temp.entered_differ(), (SELECT count(*) FROM of_entered WHERE v = 9) AS nines, (SELECT sum(n) FROM of_made WHERE p > 0 AND v = 9) AS made;
SELECT rollup_alter('of_asked', 'SELECT 100 / m AS p, count(*) AS n, max(y) AS y FROM entered WHERE is_number(m::text) AND is_number(val) AND m > 0 GROUP BY 1');
SELECT pg_temp.entered_differ();
SELECT rollup_refresh('of_entered'), rollup_refresh('of_made', '10'), rollup_refresh('of_asked');
SELECT pg_temp.entered_differ();
TRUNCATE entered;
INSERT INTO entered VALUES ('2026-01-01', 'k', 'abc', 0, 0);
SELECT rollup_refresh('of_entered'), rollup_refresh('of_made'), rollup_refresh('of_asked');
SELECT pg_temp.entered_differ();
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'of_made'::regclass AND attnum > 0 ORDER BY attnum;

SET client_min_messages = error;
DROP SCHEMA edges, sketches_some CASCADE;
DROP EXTENSION IF EXISTS hstore CASCADE;
DROP EXTENSION IF EXISTS cube CASCADE;
DROP ROLE sketches_some;
