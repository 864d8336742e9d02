-- What scripts do to all tables, columns, owners and rights of a database, rollups with them.
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE SCHEMA tools;
SET search_path = tools, public;
CREATE FUNCTION pg_temp.problem(rollup regclass) RETURNS text LANGUAGE sql AS 'SELECT problem FROM rollup_list() AS l WHERE l.rollup = $1';
-- How many rows differ, before and after a refresh.
CREATE FUNCTION pg_temp.differ(rollup regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint := (SELECT count(*) FROM rollup_check(rollup));
BEGIN
    PERFORM rollup_refresh(rollup);
    RETURN format('%s, %s', before, (SELECT count(*) FROM rollup_check(rollup)));
END $$;

-- A plan that rollup_create has tried is made again: the table changes in the same session, before anything is written.
CREATE TABLE fresh (a int, at date NOT NULL, v int, b text);
SELECT rollup_create('fresh_daily', 'SELECT at, count(*) AS n, sum(v) AS s FROM fresh GROUP BY at');
ALTER TABLE fresh DROP a, ADD c text DEFAULT 'x';
INSERT INTO fresh (at, v) VALUES ('2026-01-01', 5);
SELECT * FROM fresh_daily;

-- A primary key for each table, as replication wants it, and columns of when and by whom: none of a rollup's business.
CREATE TABLE ev (at date NOT NULL, v int);
SELECT rollup_create('daily', 'SELECT at, count(*) AS n, sum(v) AS s FROM ev GROUP BY at');
SELECT rollup_create('monthly', 'SELECT date_trunc(''month'', at::timestamp) AS month, sum(n) AS n FROM daily GROUP BY 1');
CREATE TABLE shops (id int PRIMARY KEY, name text);
CREATE TABLE sold (shop int, at date NOT NULL);
SELECT rollup_create('by_shop', 'SELECT name, at, count(*) AS n FROM sold JOIN shops ON id = shop GROUP BY 1, 2');
CREATE TABLE parted (at date NOT NULL, v int) PARTITION BY RANGE (at);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT rollup_create('of_parted', 'SELECT at, sum(v) AS s FROM parted GROUP BY at');
SELECT rollup_create('of_rows', 'SELECT at, v, count(*) AS n FROM ev GROUP BY 1, 2', each_row => true);
SELECT format('ALTER TABLE %s ADD key_of_all bigint GENERATED ALWAYS AS IDENTITY, ADD made_at timestamptz NOT NULL DEFAULT now(), ADD by_whom text', oid::regclass)
FROM pg_class WHERE relnamespace = 'tools'::regnamespace AND relkind = 'r' AND relname ~ '_(log|rows|joined)$' ORDER BY relname \gexec
SELECT format('ALTER TABLE %s ADD PRIMARY KEY (key_of_all)', oid::regclass)
FROM pg_class WHERE relnamespace = 'tools'::regnamespace AND relkind = 'r' AND relname ~ '_(log|joined)$' ORDER BY relname \gexec
INSERT INTO ev VALUES ('2026-01-01', 1), ('2026-01-02', 2), ('2026-02-01', 3);
INSERT INTO shops VALUES (1, 'a'), (2, 'b');
INSERT INTO sold VALUES (1, '2026-01-01'), (2, '2026-01-01'), (3, '2026-01-01');
INSERT INTO parted VALUES ('2026-01-01', 1), ('2026-01-02', 2);
SELECT rollup, problem, pg_temp.differ(rollup) FROM rollup_list() ORDER BY rollup::text;
UPDATE ev SET v = v + 1 WHERE at < '2026-02-01';
DELETE FROM ev WHERE at = '2026-01-02';
UPDATE shops SET name = 'c' WHERE id = 1;
UPDATE parted SET v = 7 WHERE v = 1;
SELECT rollup, problem, pg_temp.differ(rollup) FROM rollup_list() ORDER BY rollup::text;
TRUNCATE ev, shops, parted;
SELECT rollup, problem, pg_temp.differ(rollup) FROM rollup_list() ORDER BY rollup::text;
SELECT rollup_alter('of_parted', 'SELECT at, sum(v) AS s, count(*) AS n FROM parted GROUP BY at');
INSERT INTO parted VALUES ('2026-01-03', 4);
UPDATE parted SET v = v + 1;
TRUNCATE parted_1;
INSERT INTO parted VALUES ('2026-01-04', 4);
SELECT pg_temp.differ('of_parted');
-- Their defaults run as the owner, so with settings that no writer chooses.
CREATE FUNCTION written_by() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN current_setting('search_path'); END $$;
ALTER TABLE of_parted_log ADD writer text DEFAULT written_by();
INSERT INTO parted VALUES ('2026-01-05', 4);
SELECT DISTINCT writer FROM of_parted_log WHERE mark = 0 AND at = '2026-01-05';
TRUNCATE parted_1;
SELECT DISTINCT writer FROM of_parted_log WHERE mark = 2;
ALTER TABLE of_parted_log DROP writer;
-- One that nothing fills, and a name that is gone, are told; a unique index is made beside another key.
ALTER TABLE daily_rows ADD tenant int;
ALTER TABLE daily_rows ALTER tenant SET NOT NULL;
ALTER TABLE of_rows_log RENAME n TO how_many;
ALTER TABLE of_parted_rows DROP CONSTRAINT of_parted_rows_pkey, ADD PRIMARY KEY (key_of_all);
SELECT rollup, problem FROM rollup_list() WHERE rollup::text IN ('daily', 'monthly', 'of_rows', 'of_parted') ORDER BY rollup::text;
ALTER TABLE daily_rows ALTER tenant DROP NOT NULL;
ALTER TABLE of_rows_log RENAME how_many TO n;
SELECT rollup_repair('of_parted');
SELECT rollup, problem, pg_temp.differ(rollup) FROM rollup_list() ORDER BY rollup::text;

-- Stored rows that are gone: told, and computed anew by a refresh; of frozen ones, no refresh hides it.
INSERT INTO ev SELECT date '2026-01-01' + i % 5, i FROM generate_series(1, 20) AS i;
SELECT rollup_refresh('monthly');
TRUNCATE daily_rows, of_rows_rows;
INSERT INTO ev VALUES ('2026-01-03', 1);
SELECT pg_temp.problem('daily'), pg_temp.problem('monthly'), pg_temp.problem('of_rows');
SELECT rollup_refresh('monthly'), rollup_refresh('of_rows');
SELECT (SELECT sum(n) FROM daily) AS daily, (SELECT sum(n) FROM monthly) AS monthly, (SELECT sum(n) FROM of_rows) AS of_rows;
SELECT rollup, problem, pg_temp.differ(rollup) FROM rollup_list() WHERE rollup::text IN ('daily', 'monthly', 'of_rows') ORDER BY rollup::text;
SELECT rollup_freeze('daily', '2026-01-02');
TRUNCATE daily_rows;
INSERT INTO ev VALUES ('2026-01-03', 1);
SELECT pg_temp.error_of(s) FROM unnest(ARRAY['SELECT rollup_refresh(''daily'')', 'SELECT rollup_refresh(''monthly'')', 'SELECT rollup_freeze(''daily'', ''2026-01-03'')']) AS s;
SELECT pg_temp.problem('daily');
SELECT rollup_repair('daily');
SELECT pg_temp.problem('daily'), pg_temp.differ('daily'), (SELECT sum(n) FROM daily) AS later, (SELECT count(*) FROM ev WHERE at >= '2026-01-02');
UPDATE daily_state SET frozen = '-infinity';
SELECT rollup_repair('daily');
SELECT pg_temp.problem('daily'), pg_temp.differ('daily'), pg_temp.differ('monthly');
-- Groups that were deleted with their rows are not.
DELETE FROM ev;
SELECT pg_temp.problem('daily'), pg_temp.differ('daily'), pg_temp.problem('daily');

-- A loop over pg_tables that changes owners forgets views. Nobody is told to drop the rollup's own triggers.
CREATE ROLE sketches_a;
CREATE ROLE sketches_b;
GRANT ALL ON SCHEMA tools TO sketches_a, sketches_b;
SET ROLE sketches_a;
CREATE TABLE owned (at date NOT NULL, v int);
SELECT rollup_create('of_owned', 'SELECT at, count(*) AS n FROM owned GROUP BY at');
INSERT INTO owned VALUES ('2026-01-01', 1);
RESET ROLE;
ALTER TABLE of_owned_log OWNER TO sketches_b;
SELECT pg_temp.error_of($$INSERT INTO owned VALUES ('2026-01-01', 1)$$);
SELECT pg_temp.problem('of_owned');
ALTER TABLE owned OWNER TO sketches_b;
ALTER TABLE of_owned_rows OWNER TO sketches_b;
ALTER TABLE of_owned_state OWNER TO sketches_b;
SET ROLE sketches_b;
SELECT pg_temp.error_of($$INSERT INTO owned VALUES ('2026-01-01', 1)$$);
RESET ROLE;
-- As each problem says.
DO $$
DECLARE
    said text;
BEGIN
    FOR step IN 1..9 LOOP
        said := (SELECT problem FROM rollup_list() WHERE rollup = 'tools.of_owned'::regclass);
        EXIT WHEN said IS NULL;
        EXECUTE substring(said FROM 'ALTER (?:TABLE|VIEW) .*$');
    END LOOP;
END $$;
SET ROLE sketches_b;
INSERT INTO owned VALUES ('2026-01-01', 1);
RESET ROLE;
SELECT pg_temp.problem('of_owned'), pg_temp.differ('of_owned');

-- Rights that were taken away, and row-level security that was forced on all tables.
CREATE FUNCTION pg_temp.told(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
BEGIN
    EXECUTE statement;
    said := (SELECT problem FROM rollup_list() WHERE rollup = 'tools.of_owned'::regclass);
    EXECUTE substring(said FROM ': (.*)$');
    RETURN said || coalesce(' | ' || (SELECT problem FROM rollup_list() WHERE rollup = 'tools.of_owned'::regclass), '');
END $$;
SELECT pg_temp.told(s) FROM unnest(ARRAY['REVOKE ALL ON SCHEMA tools FROM sketches_b', 'REVOKE INSERT ON of_owned_log FROM sketches_b', 'REVOKE ALL ON of_owned_state FROM sketches_b',
    'REVOKE SELECT ON of_owned_fresh FROM sketches_b', 'ALTER TABLE of_owned_rows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
    'ALTER TABLE of_owned_state ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY']) AS s;
SELECT nspname AS sketches FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'sketches' \gset
BEGIN;
REVOKE EXECUTE ON FUNCTION :sketches._rollup_hashed(smallint) FROM PUBLIC;
SELECT pg_temp.problem('of_owned');
ROLLBACK;
SELECT pg_temp.problem('of_owned'), pg_temp.differ('of_owned');

-- What DROP TABLE ... CASCADE leaves can be dropped, whichever part went.
CREATE TABLE cut (at date NOT NULL, v int);
CREATE FUNCTION pg_temp.cut(part text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
BEGIN
    PERFORM rollup_create('cut_daily', 'SELECT at, avg(v) AS v, count(*) AS n FROM tools.cut GROUP BY at');
    EXECUTE format('DROP %s tools.cut_daily%s CASCADE', CASE WHEN part IN ('_log', '_rows') THEN 'TABLE' ELSE 'VIEW' END, part);
    INSERT INTO tools.cut VALUES ('2026-01-01', 1);
    said := (SELECT string_agg(problem, ' | ') FROM rollup_list() WHERE problem ~ 'cut_daily');
    PERFORM rollup_drop('tools.cut_daily');
    RETURN concat_ws(' | ', said, (SELECT string_agg(relname, ' ') FROM pg_class WHERE relname ~ '^cut_' AND relkind IN ('r', 'v')), (SELECT string_agg(tgname, ' ') FROM pg_trigger WHERE tgrelid = 'tools.cut'::regclass));
END $$;
SELECT part, pg_temp.cut(part) FROM unnest(ARRAY['_log', '_rows', '_query', '_fresh', '_parts', '']) AS part;

-- A table owner's domain, whose constraints would run as the rollup's owner where a trigger computes a generated column.
GRANT ALL ON SCHEMA tools TO sketches_b;
SET ROLE sketches_b;
CREATE DOMAIN small AS int;
CREATE TABLE computed (at date NOT NULL, x int, y small GENERATED ALWAYS AS (x * 2) STORED, z int GENERATED ALWAYS AS ((x * 3)::small + 1) STORED) PARTITION BY RANGE (at);
CREATE TABLE computed_1 PARTITION OF computed DEFAULT;
RESET ROLE;
SELECT pg_temp.error_of(format($$SELECT rollup_create('of_computed', 'SELECT at, sum(%s) AS s FROM computed GROUP BY at')$$, c)) FROM unnest(ARRAY['y', 'z', 'x * 2']) AS c;

-- How a date is written: the first hint is the one that holds.
SELECT pg_temp.error_of($$SELECT rollup_create('h', 'SELECT to_char(at, ''YYYY-MM'') AS m, count(*) AS n FROM ev GROUP BY 1')$$);
SELECT pg_temp.error_of($$SELECT rollup_create('h', 'SELECT b || ''-'' || at AS m, count(*) AS n FROM fresh GROUP BY 1')$$);

-- SQL/JSON reads and writes by functions that no node names: what is wrong of it in this version. An expression that it has not is none.
CREATE TABLE documents (at date NOT NULL, j jsonb, f float8, b bytea);
CREATE FUNCTION pg_temp.wrong(expression text, since int, wanted text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    came text;
BEGIN
    IF current_setting('server_version_num')::int / 10000 < since THEN RETURN NULL; END IF;
    came := pg_temp.sqlstate_of(format('SELECT rollup_create(%L, %L)', 'of_documents', format('SELECT at, %s AS x, count(*) AS n FROM documents GROUP BY 1, 2', expression)));
    IF came = 'accepted' THEN PERFORM rollup_drop('of_documents'); END IF;
    RETURN CASE WHEN came <> wanted THEN format('%s: %s', expression, came) END;
END $$;
SELECT pg_temp.wrong(expression, since, wanted) AS wrong FROM (VALUES
    ($$JSON_VALUE(j, '$.at' RETURNING timestamptz)$$, 17, '42P17'), ($$JSON_VALUE(j, '$.at' RETURNING timestamp)$$, 17, '42P17'), ($$JSON_VALUE(j, '$.at' RETURNING date)$$, 17, '42P17'),
    ($$JSON_VALUE(j, '$.at' RETURNING interval)$$, 17, '42P17'), ($$JSON_VALUE(j, '$.n' RETURNING int)$$, 17, 'accepted'), ($$JSON_VALUE(j, '$.n' RETURNING numeric)$$, 17, 'accepted'),
    ($$JSON_VALUE(j, '$.n')$$, 17, 'accepted'), ($$JSON_EXISTS(j, '$.n')$$, 17, 'accepted'), ($$JSON_QUERY(j, '$.n')$$, 17, '0A000'),
    ($$JSON_OBJECT('x': f RETURNING text)$$, 16, '42P17'), ($$JSON_ARRAY(f RETURNING text)$$, 16, '42P17'), ($$JSON_SCALAR(f)::text$$, 17, '42P17'), ($$JSON_OBJECT('x': b RETURNING text)$$, 16, '42P17'),
    ($$JSON_OBJECT('x': at::timestamptz RETURNING text)$$, 16, '42P17'), ($$JSON_OBJECT('x': ARRAY[f] RETURNING text)$$, 16, '42P17')) AS e (expression, since, wanted)
WHERE pg_temp.wrong(expression, since, wanted) IS NOT NULL;

SET client_min_messages = error;
DROP SCHEMA tools CASCADE;
DROP ROLE sketches_a, sketches_b;
