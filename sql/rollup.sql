-- rollup_create and its sisters: a view that equals its query, whatever happens to the rows.
\i sql/include/error_of.sql
\i sql/include/plan_has.sql
SET client_min_messages = warning;
SET datestyle = ISO;

CREATE SCHEMA ro;
CREATE SCHEMA "Other schema";
SET search_path = ro, public;

-- Whether a rollup and its query have the same rows; and after a refresh, with an empty log. Sketches are compared by
-- what they answer where their bytes depend on the order of merging.
CREATE FUNCTION pg_temp.equal(rollup text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
    after bigint;
BEGIN
    SELECT count(*) INTO before FROM rollup_check(rollup::regclass);
    PERFORM rollup_refresh(rollup::regclass);
    SELECT count(*) INTO after FROM rollup_check(rollup::regclass);
    RETURN CASE WHEN before + after = 0 AND (SELECT deltas + marked = 0 AND uncomputed IS NULL FROM rollup_status(rollup::regclass))
                THEN 'equal' ELSE format('differs: %s, %s', before, after) END;
END $$;

CREATE TABLE visits (id serial, at timestamp NOT NULL, page text, visitor int NOT NULL, ms float8, note text);
INSERT INTO visits (at, page, visitor, ms)
    SELECT timestamp '2026-03-01' + i * interval '7 minutes', nullif('/' || i % 5, '/0'), i % 70, i % 50
    FROM generate_series(1, 600) AS i;

-- Every aggregate that merges.
SELECT rollup_create('every', $$
    SELECT date_trunc('hour', at) AS hour, page, count(*), count(ms) AS timed, count(*) FILTER (WHERE ms > 20) AS slow,
        sum(visitor) AS s4, sum(visitor::bigint) AS s8, sum(visitor::numeric) AS sn, sum(ms) AS sf, sum(ms::real) AS sr,
        sum(at - timestamp '2026-01-01') AS si, min(ms), max(at), bool_and(ms > 1) AS b1, bool_or(ms > 40) AS b2, every(ms < 49) AS b3,
        bit_and(visitor) AS b4, bit_or(visitor) AS b5, regr_count(ms, ms) AS r,
        hll_agg(visitor) AS hll, hll_redis_agg(visitor::text) AS redis, theta_agg(visitor::bigint) AS theta, tdigest_agg(ms) AS td,
        ddsketch_agg(ms) AS dd, topk_agg(page, 20) AS topk, cms_agg(visitor) AS cms, bloom_agg(visitor, 1000) AS bloom, cuckoo_agg(visitor, 16) AS cuckoo,
        roaring_agg(visitor) AS r32, roaring64_agg(visitor) AS r64, bitfield_agg(visitor) AS bits, tdigest_weighted_agg(ms, 2) AS tdw
    FROM visits WHERE visitor <> 13 GROUP BY 1, 2 $$);
SELECT pg_temp.equal('every');
SELECT count(*), sum(count) = (SELECT count(*) FROM visits WHERE visitor <> 13) AS all_there,
    hll_union_cardinality_agg(hll) AS visitors, tdigest_count(tdigest_union_agg(td)) AS timed, roaring_union_cardinality_agg(r32) AS exactly
FROM every;

-- Inserts, late rows, updates in and between groups, deletes, COPY, ON CONFLICT, CTEs, TRUNCATE.
INSERT INTO visits (at, page, visitor, ms) VALUES ('2026-03-01 00:30', '/1', 5, 1), ('2025-01-01', NULL, 6, NULL);
SELECT pg_temp.equal('every');
UPDATE visits SET at = at + interval '1 hour', page = NULL WHERE id % 50 = 0;
SELECT marked > 0 AS marked FROM rollup_status('every');
SELECT pg_temp.equal('every');
UPDATE visits SET note = 'nothing that the query reads';
SELECT marked FROM rollup_status('every');
UPDATE visits SET ms = '-0' WHERE ms = 0;
SELECT marked > 0 AS sign_of_zero FROM rollup_status('every');
SELECT pg_temp.equal('every');
DELETE FROM visits WHERE id BETWEEN 100 AND 130;
WITH gone AS (DELETE FROM visits WHERE id < 10 RETURNING *) INSERT INTO visits SELECT id, at, '/moved', visitor, ms, note FROM gone;
COPY visits (at, page, visitor, ms) FROM stdin;
2026-03-01 12:00	/copied	1	2
\.
SELECT pg_temp.equal('every');
BEGIN;
INSERT INTO visits (at, page, visitor) VALUES ('2026-03-01', '/own', 1);
SELECT count FROM every WHERE page = '/own';
SAVEPOINT s;
TRUNCATE visits;
SELECT count(*) FROM every;
ROLLBACK TO s;
SELECT count FROM every WHERE page = '/own';
ROLLBACK;
SELECT count FROM every WHERE page = '/own';
SELECT pg_temp.equal('every');

-- A condition on groups reaches every part of the view. An index on the period serves what is computed anew.
CREATE INDEX visits_hour ON visits (date_trunc('hour', at));
ANALYZE visits;
INSERT INTO visits (at, page, visitor, ms) VALUES ('2026-03-01 00:30', '/1', 5, 1);
DELETE FROM visits WHERE id = 200;
SET enable_seqscan = off;
SELECT pg_temp.plan_has($$SELECT sum(count) FROM every WHERE hour = '2026-03-01'$$, 'Index Cond: \(hour = ') AS rows,
    pg_temp.plan_has($$SELECT sum(count) FROM every WHERE hour = '2026-03-01'$$, 'Filter: .*mark = 0.* AND \(hour = ') AS log,
    pg_temp.plan_has($$SELECT sum(count) FROM every WHERE hour = '2026-03-01'$$, 'Index Cond: .*date_trunc\(''hour''::text, at\) = ') AS query,
    pg_temp.plan_has($$SELECT sum(count) FROM every$$, 'Index Cond: .*date_trunc\(''hour''::text, at\) = ANY') AS marked,
    pg_temp.plan_has($$SELECT sum(count) FROM every$$, 'Nested Loop') AS loop;
RESET enable_seqscan;
PREPARE hour (timestamp) AS SELECT sum(count) FROM every WHERE hour = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE hour('2026-03-01');
INSERT INTO visits (at, page, visitor, ms) VALUES ('2026-03-01 00:31', '/1', 5, 1);
EXECUTE hour('2026-03-01');
RESET plan_cache_mode;
SELECT pg_temp.equal('every');

-- Retention: what is frozen stays, late rows are added. Erasure: what is not frozen follows.
SELECT rollup_freeze('every', '2026-03-02');
SELECT sum(count) AS before FROM every WHERE hour < '2026-03-02' \gset
DELETE FROM visits WHERE at < '2026-03-02';
SELECT rollup_refresh('every') AS nothing_to_do;
INSERT INTO visits (at, page, visitor) VALUES ('2026-03-01', '/late', 1);
SELECT sum(count) - :before AS late FROM every WHERE hour < '2026-03-02';
SELECT pg_temp.equal('every');
SELECT sum(count) - :before AS late, max(hour) < '2026-03-02' AS old FROM every WHERE hour < '2026-03-02';
UPDATE visits SET at = '2026-03-03' WHERE page = '/late';
SELECT sum(count) - :before AS stays FROM every WHERE hour < '2026-03-02';
DELETE FROM visits WHERE visitor = 7;
SELECT roaring_union_agg(r32) @> 7 AS erased_above FROM every WHERE hour >= '2026-03-02';
SELECT frozen FROM rollup_status('every');
SELECT rollup_freeze('every', '2026-01-01');
SELECT frozen FROM rollup_status('every');
TRUNCATE visits;
SELECT sum(count) - :before AS frozen_stays FROM every;
SELECT pg_temp.equal('every');
SELECT rollup_drop('every');

-- Filling in steps, the newest first.
INSERT INTO visits (at, page, visitor, ms)
    SELECT timestamp '2026-03-01' + i * interval '7 minutes', '/' || i % 5, i % 70, i % 50 FROM generate_series(1, 600) AS i;
SELECT rollup_create('hourly', 'SELECT date_trunc(''hour'', at) AS hour, count(*) AS requests, hll_agg(visitor) AS users FROM visits GROUP BY hour');
SELECT uncomputed FROM rollup_status('hourly');
SELECT rollup_refresh('hourly', '2026-03-03');
SELECT uncomputed, (SELECT count(*) FROM rollup_check('hourly')) AS differ FROM rollup_status('hourly');
INSERT INTO visits (at, visitor) VALUES ('2026-03-01', 1), ('2026-03-03', 1);
DELETE FROM visits WHERE visitor = 3;
SELECT rollup_refresh('hourly', '2026-03-02');
SELECT uncomputed, (SELECT count(*) FROM rollup_check('hourly')) AS differ FROM rollup_status('hourly');
SELECT pg_temp.equal('hourly');

-- A rollup of another's stored rows, and two on one table.
SELECT rollup_create('daily', 'SELECT hour::date AS day, sum(requests) AS requests, hll_union_agg(users) AS users FROM hourly_rows GROUP BY 1');
DELETE FROM visits WHERE visitor = 4;
INSERT INTO visits (at, visitor) VALUES ('2026-03-05', 1);
SELECT rollup_refresh('hourly') > 0 AS refreshed;
SELECT pg_temp.equal('daily');
SELECT sum(requests) = (SELECT count(*) FROM visits) AS all_there, count(*) AS days FROM daily;
SELECT rollup_freeze('daily', '2026-03-02');
SELECT rollup_drop('daily');

-- A broken rollup is noticed and repaired.
ALTER TABLE visits DISABLE TRIGGER USER;
INSERT INTO visits (at, visitor) VALUES ('2026-03-05', 2);
SELECT problem FROM rollup_status('hourly');
SELECT found_in, contents ->> 'hour' AS hour, contents ->> 'requests' AS requests FROM rollup_check('hourly');
ALTER TABLE visits ENABLE TRIGGER USER;
SELECT rollup_repair('hourly');
SELECT problem FROM rollup_status('hourly');
SELECT pg_temp.equal('hourly');
ALTER TABLE visits RENAME visitor TO person;
INSERT INTO visits (at, person) VALUES ('2026-03-05', 2);
SELECT pg_temp.equal('hourly'), rollup_refresh('hourly') > 0 AS refreshed, problem FROM rollup_status('hourly');
INSERT INTO visits (at, person) VALUES ('2026-03-05', 99);
ALTER TABLE visits RENAME TO "Visits";
INSERT INTO "Visits" (at, person) VALUES ('2026-03-05', 98);
SELECT pg_temp.equal('hourly');
ALTER TABLE "Visits" RENAME TO visits;
ALTER TABLE visits RENAME person TO visitor;
SELECT rollup_repair('hourly');

-- Which groups can be NULL was decided when the rollup was made, whatever becomes of the table's constraints.
CREATE TABLE loose (at timestamp, page text NOT NULL);
SELECT rollup_create('loosely', 'SELECT at::date AS day, page, count(*) FROM loose GROUP BY 1, 2'),
    rollup_create('by_page', 'SELECT page, count(*) FROM loose GROUP BY 1');
ALTER TABLE loose ALTER at SET NOT NULL, ALTER page DROP NOT NULL;
INSERT INTO loose VALUES ('2026-03-01', '/'), ('2026-03-02', '/');
SELECT pg_temp.equal('loosely'), frozen, uncomputed FROM rollup_status('loosely');
SELECT rollup_repair('loosely'), rollup_repair('by_page');
SELECT pg_temp.equal('loosely'), pg_temp.equal('by_page');
CREATE TABLE strict (at date NOT NULL);
SELECT rollup_create('strictly', 'SELECT at, count(*) FROM strict GROUP BY 1');
ALTER TABLE strict ALTER at DROP NOT NULL;
SELECT pg_temp.sqlstate_of('INSERT INTO strict VALUES (NULL)') AS period_is_null;

-- What is left after DROP TABLE ... CASCADE.
CREATE TABLE short (at date NOT NULL);
SELECT rollup_create('shortly', 'SELECT at, count(*) FROM short GROUP BY 1');
DROP TABLE short CASCADE;
SELECT rollup_drop('shortly');
SELECT count(*) FROM pg_class WHERE relname LIKE 'shortly%';

-- Names of any kind, groups of any kind: NULL, no period, types with operators elsewhere, domains, arrays, composites.
CREATE DOMAIN code AS text CHECK (value <> 'x');
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE "Other schema"."Odd ""table" ("Group" geohash, "select" code, mood mood, tags int[] NOT NULL, "n N" numeric, day date);
SELECT rollup_create('"Other schema"."Odd {name}"', $$SELECT "Group", "select", mood, tags, day, 'a {log} literal'::text AS "new",
    count(*) AS "COUNT", sum("n N") AS found FROM "Other schema"."Odd ""table" AS o GROUP BY 1, 2, 3, 4, 5, 6$$);
INSERT INTO "Other schema"."Odd ""table" VALUES (geohash(1, 2), 'b', 'sad', '{1,2}', 1.0, NULL), (geohash(1, 2), 'b', 'sad', '{1,2}', 2, NULL), (NULL, NULL, NULL, '{}', NULL, '2026-01-01');
SELECT count(*), max("COUNT") FROM "Other schema"."Odd {name}";
SELECT pg_temp.equal('"Other schema"."Odd {name}"');
INSERT INTO "Other schema"."Odd ""table" VALUES (geohash(1, 2), 'b', 'sad', '{1,2}', 3, NULL), (NULL, NULL, NULL, '{}', NULL, '2026-01-01');
UPDATE "Other schema"."Odd ""table" SET mood = 'glad' WHERE mood IS NULL;
SELECT pg_temp.equal('"Other schema"."Odd {name}"');
SELECT count(*), max("COUNT") FROM "Other schema"."Odd {name}";
SELECT pg_temp.error_of($$SELECT rollup_refresh('"Other schema"."Odd {name}"', '2026-01-01')$$);
SELECT pg_temp.error_of($$SELECT rollup_freeze('"Other schema"."Odd {name}"', '2026-01-01')$$);
SELECT rollup_drop('"Other schema"."Odd {name}"');

-- Quotes and percent signs in names; arrays of any type; a column by the name that a query of rollup_check had.
CREATE SCHEMA "100%s";
CREATE TABLE moods (d date NOT NULL, moods mood[] NOT NULL);
SELECT rollup_create('"100%s"."it''s 5% "', 'SELECT d, moods, count(*) FROM moods GROUP BY 1, 2');
INSERT INTO moods VALUES ('2026-01-01', '{sad,glad}'), ('2026-01-02', '{}');
SELECT pg_temp.equal('"100%s"."it''s 5% "');
UPDATE moods SET moods = '{sad}' WHERE d = '2026-01-02';
SELECT pg_temp.equal('"100%s"."it''s 5% "');
SELECT rollup_repair('"100%s"."it''s 5% "');
SELECT pg_temp.equal('"100%s"."it''s 5% "');
DELETE FROM "100%s"."it's 5% _rows" WHERE d = '2026-01-02';
SELECT * FROM rollup_check('"100%s"."it''s 5% "');
SELECT rollup_drop('"100%s"."it''s 5% "');

-- The drop finds a rollup by the search_path, as the others do.
CREATE SCHEMA later;
SELECT rollup_create('later.found', 'SELECT d, count(*) FROM moods GROUP BY 1');
SET search_path = ro, public, later;
SELECT rollup_refresh('found'), rollup_drop('found');
SET search_path = ro, public;
SELECT count(*) FROM pg_class WHERE relname LIKE 'found%';

-- Constants mean the same to all writers, whatever their settings, and those of who made or repaired the rollup.
SET datestyle = 'SQL, DMY';
SET intervalstyle = sql_standard;
SET extra_float_digits = 0;
CREATE TABLE constants (at timestamp NOT NULL, x float8);
SELECT rollup_create('portable', $$SELECT date_trunc('day', at - interval '-1 day +01:00:00') AS day, count(*) FILTER (WHERE x < '0.30000000000000004') AS few
    FROM constants WHERE at >= '01/03/2026' AND at < '05/03/2026' GROUP BY 1$$);
SELECT rollup_refresh('portable') AS nothing;
RESET intervalstyle;
SET datestyle = 'ISO, MDY';
INSERT INTO constants SELECT timestamp '2026-01-01' + i * interval '6 hours', 0.1::float8 * (1 + i % 3) FROM generate_series(1, 600) AS i;
SELECT pg_temp.equal('portable');
SELECT rollup_repair('portable');
RESET extra_float_digits;
INSERT INTO constants SELECT timestamp '2026-01-01' + i * interval '6 hours', 0.3 FROM generate_series(1, 600) AS i;
SELECT sum(few), (SELECT sum(few) FROM portable_query) AS of_query FROM portable;
SELECT pg_temp.equal('portable');

-- Operators that come before those of pg_catalog are none of a rollup.
CREATE SCHEMA shadow;
CREATE FUNCTION shadow.never(date, date) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT false';
CREATE OPERATOR shadow.= (LEFTARG = date, RIGHTARG = date, FUNCTION = shadow.never);
SET search_path = shadow, pg_catalog, ro, public;
SELECT rollup_create('ro.shadowed', 'SELECT d, count(*) FROM moods GROUP BY 1'), current_schemas(false);
SET search_path = ro, public;
SELECT pg_temp.equal('shadowed');
INSERT INTO moods VALUES ('2026-01-01', '{}');
SELECT pg_temp.equal('shadowed');

-- Where a name is taken, a part gets another one.
CREATE TABLE mine_log (x int);
CREATE VIEW mine_state AS SELECT 1 AS x;
SELECT rollup_create('mine', 'SELECT d, count(*) FROM moods GROUP BY 1');
INSERT INTO moods VALUES ('2026-01-02', '{}');
SELECT pg_temp.equal('mine'), rollup_refresh('mine'), problem FROM rollup_status('mine');
SELECT adrelid::regclass, pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'mine_state1'::regclass AND pg_get_expr(adbin, adrelid) ~ 'regclass' ORDER BY 2;
SELECT rollup_drop('mine');
SELECT relname FROM pg_class WHERE relname ~ '^mine';

-- Other aggregates, by name.
CREATE AGGREGATE lists (int[]) (SFUNC = array_cat, STYPE = int[]);
SELECT rollup_create('listed', 'SELECT at::date AS day, array_agg(visitor) AS visitors FROM visits GROUP BY 1', '{"visitors": "ro.lists"}');
INSERT INTO visits (at, visitor) VALUES ('2026-03-01', 1234);
SELECT 1234 = ANY (visitors) AS merged FROM listed WHERE day = '2026-03-01';
SELECT rollup_refresh('listed') > 0 AS refreshed;
SELECT count(*) FROM visits WHERE visitor = 1234 AND 1234 = ANY ((SELECT visitors FROM listed WHERE day = '2026-03-01')::int[]);
SELECT rollup_repair('listed');
SELECT rollup_refresh('listed') > 0 AS refreshed;
SELECT rollup_drop('listed');

-- An aggregate that combines states merges no results, if it has a final function or starts at a value.
CREATE FUNCTION half(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 2';
CREATE AGGREGATE sum_of(int) (SFUNC = int4pl, STYPE = int, COMBINEFUNC = int4pl);
CREATE AGGREGATE half_of(int) (SFUNC = int4pl, STYPE = int, COMBINEFUNC = int4pl, FINALFUNC = half);
CREATE AGGREGATE sum_from_5(int) (SFUNC = int4pl, STYPE = int, COMBINEFUNC = int4pl, INITCOND = '5');
SELECT pg_temp.error_of($$SELECT rollup_create('no', 'SELECT at::date AS day, half_of(visitor) FROM visits GROUP BY 1')$$),
    pg_temp.error_of($$SELECT rollup_create('no', 'SELECT at::date AS day, sum_from_5(visitor) FROM visits GROUP BY 1')$$);
SELECT rollup_create('sums', 'SELECT at::date AS day, sum_of(visitor), roaring_intersection_agg(roaring(ARRAY[1, visitor])) AS r FROM visits GROUP BY 1');
SELECT rollup_refresh('sums') > 0 AS refreshed;
INSERT INTO visits (at, visitor) VALUES ('2026-03-01', 1), ('2026-03-01', 2);
SELECT pg_temp.equal('sums');
SELECT rollup_drop('sums');

-- Partitions, written through the parent and directly; detached ones; inheritance; ONLY; unlogged.
CREATE TABLE parted (at timestamptz NOT NULL, x int) PARTITION BY RANGE (at);
CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM ('2026-01-01 00:00+00') TO ('2026-02-01 00:00+00');
CREATE TABLE part2 PARTITION OF parted FOR VALUES FROM ('2026-02-01 00:00+00') TO ('2026-03-01 00:00+00');
SELECT rollup_create('parts', $$SELECT date_trunc('day', at AT TIME ZONE 'Europe/Berlin') AS day, count(*), sum(x) FROM parted GROUP BY 1$$);
INSERT INTO parted SELECT timestamptz '2026-01-01 00:00+00' + i * interval '1 hour', i FROM generate_series(0, 1000) AS i;
INSERT INTO part2 VALUES ('2026-02-11 00:00+00', 5);
UPDATE parted SET at = at + interval '20 days' WHERE x = 200 OR x = 700;
DELETE FROM part1 WHERE x = 3;
SELECT pg_temp.equal('parts');
CREATE TABLE part3 PARTITION OF parted FOR VALUES FROM ('2026-03-01 00:00+00') TO ('2026-04-01 00:00+00');
SELECT problem FROM rollup_status('parts');
SELECT rollup_repair('parts');
INSERT INTO part3 VALUES ('2026-03-11 00:00+00', 5);
SELECT pg_temp.equal('parts'), problem FROM rollup_status('parts');
ALTER TRIGGER parts_insert ON parted RENAME TO z_parts_insert;
INSERT INTO part3 VALUES ('2026-03-12 00:00+00', 5);
SELECT pg_temp.equal('parts');
SELECT rollup_freeze('parts', '2026-02-01');
ALTER TABLE parted DETACH PARTITION part1;
INSERT INTO part1 VALUES ('2026-01-11 00:00+00', 1000000);
SELECT max(sum) < 1000000 AS left_alone, count(*) FILTER (WHERE day < '2026-02-01') AS kept FROM parts;
TRUNCATE part2;
SELECT pg_temp.equal('parts');
CREATE TABLE parent (at date NOT NULL);
CREATE TABLE child () INHERITS (parent);
SELECT rollup_create('all_of_it', 'SELECT at, count(*) FROM parent GROUP BY at'), rollup_create('parent_only', 'SELECT at, count(*) FROM ONLY parent GROUP BY at');
INSERT INTO parent VALUES ('2026-01-01');
INSERT INTO child VALUES ('2026-01-01');
SELECT a.count AS all, o.count AS only FROM all_of_it AS a, parent_only AS o;
SELECT pg_temp.equal('all_of_it'), pg_temp.equal('parent_only');
-- Their triggers do not fire when a parent is written.
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT at, count(*) FROM child GROUP BY 1')$$),
    pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT at, count(*) FROM part2 GROUP BY 1')$$),
    pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT at, count(*) FROM ONLY parted GROUP BY 1')$$);
CREATE TABLE adopted (at date NOT NULL);
SELECT rollup_create('of_adopted', 'SELECT at, count(*) FROM adopted GROUP BY 1');
DO $$ BEGIN ALTER TABLE adopted INHERIT parent; EXCEPTION WHEN object_not_in_prerequisite_state THEN NULL; END $$;    -- 13 refuses
SELECT problem IS NULL = NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = 'adopted'::regclass) AS told FROM rollup_status('of_adopted');
DO $$ BEGIN ALTER TABLE adopted NO INHERIT parent; EXCEPTION WHEN undefined_table THEN NULL; END $$;
SELECT problem FROM rollup_status('of_adopted');
CREATE UNLOGGED TABLE volatile (at date NOT NULL);
SELECT rollup_create('volatiles', 'SELECT at, count(*) FROM volatile GROUP BY at');
SELECT relname, relpersistence FROM pg_class WHERE relname LIKE 'volatiles%' AND relkind = 'r' ORDER BY 1;

-- Rights: writers need none, nobody else can use the functions, row-level security is not circumvented.
CREATE ROLE sketches_writer;
CREATE ROLE sketches_owner;
GRANT USAGE ON SCHEMA ro TO sketches_writer, sketches_owner;
GRANT INSERT ON visits TO sketches_writer;
SET ROLE sketches_writer;
INSERT INTO visits (id, at, visitor) VALUES (0, '2026-03-05', 77);
SELECT pg_temp.sqlstate_of($$SELECT _rollup_write()$$), pg_temp.sqlstate_of($$SELECT rollup_refresh('hourly')$$),
    pg_temp.sqlstate_of($$SELECT * FROM hourly$$), pg_temp.sqlstate_of($$CREATE TEMP TABLE x (at timestamp, visitor int);
    CREATE TRIGGER forged AFTER INSERT ON x REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT
    WHEN ('hourly_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write(); INSERT INTO x VALUES ('2026-01-01', 1)$$);
RESET ROLE;
SELECT pg_temp.equal('hourly');
CREATE TABLE secret (at date NOT NULL);
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
GRANT SELECT, TRIGGER ON secret TO sketches_owner;
SET ROLE sketches_owner;
SELECT pg_temp.error_of($$SELECT rollup_create('pg_temp.revealed', 'SELECT at, count(*) FROM secret GROUP BY 1')$$);
RESET ROLE;
ALTER TABLE secret DISABLE ROW LEVEL SECURITY;
GRANT CREATE ON SCHEMA ro TO sketches_owner;
SET ROLE sketches_owner;
SELECT rollup_create('secrets', 'SELECT at, count(*) FROM secret GROUP BY 1');
RESET ROLE;
INSERT INTO secret VALUES ('2026-03-01');
SELECT rollup_refresh('secrets');
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
DELETE FROM secret;
SELECT pg_temp.error_of($$SELECT rollup_refresh('secrets')$$);
SELECT marked FROM rollup_status('secrets');

-- A refresh within a statement that writes the table, and at other isolation levels.
CREATE FUNCTION refresh_early() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM rollup_refresh('hourly'); RETURN NULL; END $$;
CREATE TRIGGER early AFTER INSERT ON visits FOR EACH ROW EXECUTE FUNCTION refresh_early();
SELECT pg_temp.error_of($$INSERT INTO visits (at, visitor) VALUES ('2026-03-05', 2)$$);
DROP TRIGGER early ON visits;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT pg_temp.error_of($$SELECT rollup_refresh('hourly')$$);
COMMIT;

-- The script is what rollup_create runs.
SELECT rollup_script('by_script', 'SELECT at::date AS day, count(*) FROM visits GROUP BY 1') AS script \gset
BEGIN;
DO $$ BEGIN EXECUTE rollup_script('by_script', 'SELECT at::date AS day, count(*) FROM visits GROUP BY 1'); END $$;
COMMIT;
SELECT pg_temp.equal('by_script');
SELECT pg_temp.error_of($$SELECT rollup_create('by_script', 'SELECT at::date AS day, count(*) FROM visits GROUP BY 1')$$);
SELECT rollup_create('from_inside', 'SELECT hour, count(*) FROM hourly_rows GROUP BY 1;');

-- What rollup_create says: which index helps, and that a time that can be NULL is no period.
SET client_min_messages = notice;
CREATE TABLE timeless (at timestamp);
SELECT rollup_create('timeless_days', 'SELECT at::date AS day, count(*) FROM timeless GROUP BY 1');
SELECT rollup_create('again', 'SELECT at, count(*) FROM parent GROUP BY 1');
-- No advice where the index is there; the brackets of its expression are those of an index.
CREATE TABLE dated (at timestamptz NOT NULL);
CREATE INDEX ON dated USING brin (((at AT TIME ZONE 'UTC')::date));
SELECT rollup_create('dated_days', 'SELECT (at AT TIME ZONE ''UTC'')::date AS day, count(*) FROM dated GROUP BY 1');
SET client_min_messages = warning;

-- What is refused, with the way out.
CREATE FUNCTION pg_temp.refused(query text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.error_of(format('SELECT rollup_create(''refused'', %L)', query)) $$;
SELECT pg_temp.refused(query) FROM (VALUES
    ('SELECT'), (''), ('SELECT 1; SELECT 2'), ('INSERT INTO visits DEFAULT VALUES'), ('SELECT at, count(*) INTO x FROM visits GROUP BY 1'),
    ('SELECT count(*) FROM visits'), ('SELECT at FROM visits'), ('SELECT page, count(*) FROM visits GROUP BY 1 HAVING count(*) > random()'),
    ('SELECT page, count(*) FROM visits GROUP BY 1 ORDER BY 1'), ('SELECT page, count(*) FROM visits GROUP BY 1 LIMIT 1'),
    ('SELECT DISTINCT page, count(*) FROM visits GROUP BY 1'), ('SELECT page, count(*) FROM visits GROUP BY ROLLUP (1)'),
    ('SELECT page, count(*) FROM visits GROUP BY 1 UNION SELECT page, 1 FROM visits'), ('WITH v AS (SELECT page FROM visits LIMIT 3) SELECT page, count(*) FROM v GROUP BY 1'),
    ('SELECT page, count(*) FROM visits JOIN parent USING (at) GROUP BY 1'), ('SELECT page, count(*) FROM visits, parent GROUP BY 1'),
    ('SELECT page, count(*) FROM (SELECT page, count(*) FROM visits GROUP BY 1) AS v GROUP BY 1'), ('SELECT requests, count(*) FROM hourly GROUP BY 1'),
    ('SELECT page, count(*) FROM visits TABLESAMPLE system (1) GROUP BY 1'), ('SELECT g, count(*) FROM generate_series(1, 2) AS g GROUP BY 1'),
    ('SELECT page, count(*), rank() OVER (ORDER BY page) FROM visits GROUP BY 1'), ('SELECT page, count(*), generate_series(1, 2) FROM visits GROUP BY 1'),
    ('SELECT page, count(*) FROM visits WHERE at > (SELECT max(at) FROM parent) GROUP BY 1'), ('SELECT page, count(*) / random() AS some FROM visits GROUP BY 1'),
    ('SELECT count(*) FROM visits GROUP BY page'), ('SELECT page, count(DISTINCT visitor) FROM visits GROUP BY 1'),
    ('SELECT page, sum(visitor ORDER BY at) FROM visits GROUP BY 1'), ('SELECT page, avg(DISTINCT ms) FROM visits GROUP BY 1'),
    ('SELECT page, corr(ms, visitor) FROM visits GROUP BY 1'), ('SELECT page, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FROM visits GROUP BY 1'),
    ('SELECT page, approx_percentile(ms, 0.5) FROM visits GROUP BY 1'), ('SELECT page, approx_count_distinct(visitor) FROM visits GROUP BY 1'),
    ('SELECT page, approx_top_k(page, 3) FROM visits GROUP BY 1'), ('SELECT page, mode() WITHIN GROUP (ORDER BY ms) FROM visits GROUP BY 1'),
    ('SELECT page, bloom_agg(visitor) FROM visits GROUP BY 1'), ('SELECT page, array_agg(visitor) FROM visits GROUP BY 1'),
    ('SELECT date_trunc(''hour'', at::timestamptz) AS hour, count(*) FROM visits GROUP BY 1'), ('SELECT page, count(*) FROM visits WHERE at > now() GROUP BY 1'),
    ('SELECT page, count(*) FROM visits WHERE at > CURRENT_TIMESTAMP GROUP BY 1'), ('SELECT page, count(*) FROM visits WHERE random() < 0.5 GROUP BY 1'),
    ('SELECT tableoid, count(*) FROM visits GROUP BY 1'), ('SELECT page, count(v) FROM visits AS v GROUP BY 1'),
    ('SELECT page, count(*) AS mark FROM visits GROUP BY 1'), ('SELECT string_to_array(page, ''/'') AS steps, count(*) FROM visits GROUP BY 1'),
    ('SELECT page, nothing FROM visits GROUP BY 1')) AS q (query);
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT page, array_agg(visitor) AS a FROM visits GROUP BY 1', '{"a": "max_of"}')$$);
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT page, array_agg(visitor) AS a FROM visits GROUP BY 1', '{"a": "count"}')$$);
SELECT rollup_create(repeat('x', 60), 'SELECT page FROM visits GROUP BY 1') AS made, rollup_create(repeat('x', 61), 'SELECT page FROM visits GROUP BY 1') AS made_too;
SELECT relname FROM pg_class WHERE relname ~ '^xxxx.*(log|state)' AND relkind = 'r' ORDER BY 1;
SELECT rollup_drop(repeat('x', 60)), rollup_drop(repeat('x', 61));
SELECT pg_temp.error_of($$SELECT rollup_create('a.b.c', 'SELECT page FROM visits GROUP BY 1')$$);
SELECT pg_temp.error_of($$SELECT rollup_create('pg_temp.passing', 'SELECT page FROM visits GROUP BY 1')$$);
SET search_path = '';
SELECT pg_temp.error_of($$SELECT public.rollup_create('nowhere', 'SELECT page FROM ro.visits GROUP BY 1')$$),
    pg_temp.error_of($$SELECT public.rollup_drop('nowhere')$$);
SET search_path = ro, public;
SELECT pg_temp.error_of(statement) FROM (VALUES ('SELECT rollup_refresh(''visits'')'), ('SELECT rollup_freeze(''visits'', ''2026-01-01'')'),
    ('SELECT rollup_repair(''visits'')'), ('SELECT rollup_status(''visits'')'), ('SELECT rollup_check(''visits'')'), ('SELECT rollup_drop(''visits'')'),
    ('SELECT rollup_refresh(''hourly'', ''yesterday evening'')')) AS s (statement);
CREATE TEMP TABLE passing (at date NOT NULL);
SELECT pg_temp.refused('SELECT at, count(*) FROM passing GROUP BY 1');

SET client_min_messages = error;
DROP SCHEMA ro, "Other schema", "100%s", later, shadow CASCADE;
DROP ROLE sketches_writer, sketches_owner;
