-- What once made a rollup wrong, slow or unsafe, and what is like it.
\i sql/include/error_of.sql
\i sql/include/plan_has.sql
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE SCHEMA held;
SET search_path = held, public;

-- Whether a rollup equals a query of the user's; and its own, before and after a refresh.
CREATE FUNCTION pg_temp.same(rollup text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
    after bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM ((TABLE %1$s EXCEPT ALL (%2$s)) UNION ALL ((%2$s) EXCEPT ALL TABLE %1$s)) AS d', rollup, query) INTO before;
    PERFORM rollup_refresh(rollup::regclass);
    EXECUTE format('SELECT count(*) FROM ((TABLE %1$s EXCEPT ALL (%2$s)) UNION ALL ((%2$s) EXCEPT ALL TABLE %1$s)) AS d', rollup, query) INTO after;
    RETURN CASE WHEN before + after + (SELECT count(*) FROM rollup_check(rollup::regclass)) = 0 THEN 'same' ELSE format('differs: %s, %s', before, after) END;
END $$;

-- Never quadratic: hashed, whatever the statistics say and however little memory there is.
CREATE TABLE ev (at date NOT NULL, u text, i int);
SELECT rollup_create('per_user', 'SELECT at, u, count(*) AS n FROM ev GROUP BY 1, 2');
SELECT rollup_refresh('per_user') AS nothing;
ANALYZE per_user_log;
INSERT INTO ev SELECT '2026-01-01', md5(i::text), i FROM generate_series(1, 60000) AS i;
SET work_mem = '64kB';
SET statement_timeout = '600s';
SELECT sum(n) FROM per_user;
ANALYZE per_user_log;
SELECT pg_temp.plan_has('SELECT sum(n) FROM per_user', '[^d] SubPlan \d+\) IS') AS not_hashed, sum(n) FROM per_user;
SELECT rollup_refresh('per_user');
INSERT INTO ev SELECT '2026-01-02', md5(i::text), i FROM generate_series(1, 60000) AS i;
UPDATE ev SET u = u || '.' WHERE i % 3 = 0;
ANALYZE;
SELECT sum(n) FROM per_user;
SELECT pg_temp.same('per_user', 'SELECT at, u, count(*) AS n FROM ev GROUP BY 1, 2');
-- Many periods: found by a range, not one by one for each row.
CREATE TABLE moments (at timestamp NOT NULL);
INSERT INTO moments SELECT timestamp '2026-01-01' + i * interval '1 s' FROM generate_series(1, 60000) AS i;
SELECT rollup_create('by_moment', 'SELECT at, count(*) AS n FROM moments GROUP BY 1');
SELECT rollup_refresh('by_moment');
DELETE FROM moments WHERE extract(second FROM at)::int % 2 = 0;
SELECT pg_temp.same('by_moment', 'SELECT at, count(*) AS n FROM moments GROUP BY 1');
RESET work_mem;
RESET statement_timeout;

-- Functions that PostgreSQL calls immutable, though a setting decides: what an abbreviation of a time zone stands for, quotes.
CREATE TABLE zoned (at timestamptz NOT NULL, name text);
SELECT zone, pg_temp.error_of(format('SELECT rollup_script(''m'', %L)',
    format('SELECT date_trunc(''hour'', at AT TIME ZONE %L) AS hour, count(*) FROM zoned GROUP BY 1', zone))) AS error
FROM unnest('{EST,ist,CST,UTC,gmt,America/New_York,EST5EDT,Etc/GMT+5}'::text[]) AS zone;
SELECT pg_temp.error_of('SELECT rollup_script(''m'', ''SELECT quote_ident(name), count(*) FROM zoned GROUP BY 1'')');
-- A constant of another session's time zone is the same constant.
SET timezone = 'UTC';
SELECT rollup_create('since', $$SELECT name, count(*) AS n FROM zoned WHERE at > timestamptz '2026-01-01 00:00+00' GROUP BY 1$$);
SET timezone = 'Asia/Tokyo';
SELECT problem FROM rollup_status('since');
RESET timezone;
-- A name that a view got later.
ALTER VIEW since RENAME TO "of
2026";
SELECT problem FROM rollup_status('"of
2026"');
SELECT rollup_repair('"of
2026"');
-- The domain of a group that can be NULL may still be altered.
CREATE DOMAIN word AS text CHECK (value <> '-');
CREATE TABLE said (at date NOT NULL, what word);
SELECT rollup_create('words', 'SELECT at, what, count(*) AS n FROM said GROUP BY 1, 2');
INSERT INTO said VALUES ('2026-01-01', 'a'), ('2026-01-01', 'a'), ('2026-01-01', NULL);
SELECT rollup_refresh('words');
ALTER DOMAIN word ADD CHECK (value <> '--');
INSERT INTO said VALUES ('2026-01-01', 'a'), ('2026-01-01', NULL);
DELETE FROM said WHERE ctid = '(0,1)';
SELECT pg_temp.same('words', 'SELECT at, what, count(*) AS n FROM said GROUP BY 1, 2');
-- Partitions and children that change while they are none: taken in when they come back.
CREATE TABLE years (at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE y1 PARTITION OF years FOR VALUES FROM ('2025-01-01') TO ('2026-01-01') PARTITION BY RANGE (at);
CREATE TABLE y1a PARTITION OF y1 FOR VALUES FROM ('2025-01-01') TO ('2025-07-01');
CREATE TABLE y2 PARTITION OF years FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
SELECT rollup_create('by_day', 'SELECT at, count(*) AS n FROM years GROUP BY 1');
CREATE TABLE heir (at date NOT NULL);
CREATE TABLE heir1 () INHERITS (heir);
SELECT rollup_create('by_heir', 'SELECT at, count(*) AS n FROM heir GROUP BY 1');
INSERT INTO years VALUES ('2025-02-01'), ('2026-02-01');
INSERT INTO heir1 VALUES ('2025-02-01');
SELECT rollup_refresh('by_day'), rollup_refresh('by_heir');
ALTER TABLE years DETACH PARTITION y1;
ALTER TABLE years DETACH PARTITION y2;
ALTER TABLE heir1 NO INHERIT heir;
INSERT INTO y1 VALUES ('2025-02-01'), ('2025-02-02');
TRUNCATE y2;
UPDATE heir1 SET at = at + 1;
ALTER TABLE y2 RENAME TO y2_again;
SELECT rollup_refresh('by_day');
ALTER TABLE years ATTACH PARTITION y1 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
ALTER TABLE years ATTACH PARTITION y2_again FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
ALTER TABLE heir1 INHERIT heir;
SELECT rollup, problem FROM rollup_list() WHERE rollup IN ('by_day'::regclass, 'by_heir'::regclass) ORDER BY 1;
SELECT rollup_refresh('by_day'), rollup_refresh('by_heir');
SELECT pg_temp.same('by_day', 'SELECT at, count(*) AS n FROM years GROUP BY 1'), pg_temp.same('by_heir', 'SELECT at, count(*) AS n FROM heir GROUP BY 1');
SELECT rollup, problem FROM rollup_list() WHERE rollup IN ('by_day'::regclass, 'by_heir'::regclass) ORDER BY 1;
-- Another one of the same name: rows of the first are still counted.
DROP TABLE y1;
CREATE TABLE y1 PARTITION OF years FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
SELECT problem FROM rollup_status('by_day');
SELECT rollup_refresh('by_day');
SELECT problem FROM rollup_status('by_day');
SELECT rollup_repair('by_day');
SELECT pg_temp.same('by_day', 'SELECT at, count(*) AS n FROM years GROUP BY 1'), (rollup_status('by_day')).problem;
-- What is kept instead of a number that cannot be merged.
SELECT pg_temp.error_of('SELECT rollup_script(''m'', ''SELECT at, hll_union_cardinality_agg(hll_empty()) AS u FROM said GROUP BY 1'')');
SELECT pg_temp.error_of('SELECT rollup_script(''m'', ''SELECT at, tdigest_union_percentile_agg(tdigest_empty(), 0.5) AS p FROM said GROUP BY 1'')');
-- merge is an object of names.
SELECT pg_temp.error_of('SELECT rollup_script(''m'', ''SELECT at, count(*) AS n FROM said GROUP BY 1'', merge => ''[]'')'),
       pg_temp.error_of('SELECT rollup_script(''m'', ''SELECT at, count(*) AS n FROM said GROUP BY 1'', merge => ''{"n": 5}'')');
-- Two rollups of one long name, in two schemas.
CREATE SCHEMA long;
CREATE TABLE by_month (at date NOT NULL) PARTITION BY RANGE (at);
SELECT rollup_create(s || '.n23456789_123456789_123456789_123456789_123456789_1234', 'SELECT at, count(*) FROM by_month GROUP BY 1')
FROM unnest('{held,long}'::text[]) AS s;
DROP SCHEMA long CASCADE;
-- Settings of the writer, and of who makes the rollup.
CREATE TABLE hits (at date NOT NULL, page text, tags text[]);
DO $$ BEGIN
    PERFORM set_config('standard_conforming_strings', 'off', false), set_config('escape_string_warning', 'off', false);
EXCEPTION WHEN OTHERS THEN    -- 19 has neither
END $$;
SELECT rollup_create('items', E'SELECT at, count(*) AS n FROM hits WHERE page ~ E\'^/item/\\\\d+$\' GROUP BY 1');
INSERT INTO hits VALUES ('2026-01-01', '/item/1');
RESET standard_conforming_strings;
SELECT rollup_create('nulls', $$SELECT at, count(*) FILTER (WHERE tags = '{a,NULL}') AS n FROM hits GROUP BY 1$$);
SET array_nulls = off;
SET bytea_output = escape;
INSERT INTO hits VALUES ('2026-01-01', '/item/2', ARRAY['a', NULL]);
RESET array_nulls;
RESET bytea_output;
SELECT pg_temp.same('items', $$SELECT at, count(*) AS n FROM hits WHERE page ~ '^/item/\d+$' GROUP BY 1$$),
    pg_temp.same('nulls', $$SELECT at, count(*) FILTER (WHERE tags = '{a,NULL}') AS n FROM hits GROUP BY 1$$);
TABLE items;

-- What is immutable for PostgreSQL, and depends on settings; what text cannot say; what passes.
CREATE TABLE odd (f float8 NOT NULL, b bytea NOT NULL, x bit(3) NOT NULL, j xml, r int4range NOT NULL);
CREATE DOMAIN surely AS int NOT NULL;
CREATE FUNCTION pg_temp.passing(float8) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE TYPE pair AS (a int, b text);
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE FUNCTION pg_temp.refused(query text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.error_of(format('SELECT rollup_create(''refused'', %L)', query)) $$;
SELECT pg_temp.refused(query) FROM (VALUES ('SELECT f::text, count(*) FROM odd GROUP BY 1'), ('SELECT b::text, count(*) FROM odd GROUP BY 1'),
    ('SELECT r, count(*) FROM odd WHERE xmlelement(name a, b)::text = '''' GROUP BY 1'), ('SELECT x, count(*) FROM odd GROUP BY 1'),
    ('SELECT f::int::surely AS s, count(*) FROM odd GROUP BY 1'), ('SELECT pg_temp.passing(f) AS p, count(*) FROM odd GROUP BY 1'),
    ('SELECT r, count(*), count(f) FROM odd GROUP BY 1'), ('SELECT ROW(1, f) AS row, count(*) FROM odd GROUP BY 1'),
    ('SELECT now()::date AS today, count(*) FROM odd GROUP BY 1')) AS q (query);
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT r, count(*) FROM odd GROUP BY 1', '{"cuont": "sum"}')$$),
    pg_temp.error_of($$SELECT rollup_create('my rollup', 'SELECT r, count(*) FROM odd GROUP BY 1')$$);
SELECT rollup_refresh(NULL);

-- Equality of types whose operators are elsewhere.
CREATE FUNCTION pg_temp.kept(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT r, count(*) FILTER (WHERE %s) AS n FROM odd GROUP BY 1', condition);
    same text;
BEGIN
    DELETE FROM odd;
    PERFORM rollup_create('kept', query);
    INSERT INTO odd SELECT i % 3, '\x00', '101', NULL, int4range(i, 5) FROM generate_series(1, 4) AS i;
    same := pg_temp.same('kept', query);
    PERFORM rollup_drop('kept');
    RETURN same;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
CREATE FUNCTION never(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT false';
CREATE FUNCTION always(bool, bool) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR === (LEFTARG = bool, RIGHTARG = bool, FUNCTION = always);
CREATE OPERATOR held.= (LEFTARG = bool, RIGHTARG = bool, FUNCTION = always);
SET search_path = held, pg_catalog, public;
SELECT condition, pg_temp.kept(condition) FROM (VALUES ('f > 1 IS DISTINCT FROM (f > 0)'), ('nullif(f > 1, f > 0)'), ('CASE f > 1 WHEN f > 0 THEN true END'),
    ('(f > 1) = (f > 0)'), ('(f > 1) === (f > 0)'), ('(f > 1) OPERATOR(pg_catalog.=) (f > 0)'), ('(f, 1) < (1, 2)'),
    ('(f > 1) IN (f > 0, true)'), ('f IS DISTINCT FROM 1'), ('nullif(f, 1) IS NULL'), ('CASE f WHEN 1 THEN true END'), ('f BETWEEN SYMMETRIC 2 AND 1'),
    ('r @> 3'), ('b LIKE ''%a'''), ('x = B''101'''), ('roaring(ARRAY[f::int]) IS DISTINCT FROM roaring(ARRAY[1])')) AS c (condition);
-- PostgreSQL casts a list, and reads that as a list of casts.
SELECT condition, pg_temp.kept(condition) FROM (VALUES ('''3''::text > ALL (ARRAY[''1'', f::int::varchar(9)])'), ('f::int::text = ANY (ARRAY[''1'', f::int::varchar(9)])'),
    ('f::numeric = ANY (ARRAY[f::int, 2])'), ('''2''::text = ANY (ARRAY[ARRAY[f::int::varchar(9), ''1''], ARRAY[''3'', ''4'']])'),
    ('ARRAY[ARRAY[f::int, 1]]::varchar(1)[] = ARRAY[ARRAY[''1'', ''1'']]::varchar[]'), ('ARRAY[f::int, 2]::numeric[] @> ARRAY[1.0]')) AS c (condition);
SET search_path = held, public;

-- The names of postgresql-hll, which are in another schema than what merges them.
CREATE SCHEMA postgresql_hll;
CREATE EXTENSION sketches_postgresql_hll SCHEMA postgresql_hll;
CREATE TABLE facts (date date NOT NULL, user_id int);
SET search_path = postgresql_hll, held, public;
SELECT rollup_create('daily_uniques', 'SELECT date, hll_add_agg(hll_hash_integer(user_id)) AS users, hll_add_agg(hll_hash_any(user_id), 14, 5) AS more FROM facts GROUP BY 1');
INSERT INTO facts SELECT date '2026-01-01' + i % 3, i FROM generate_series(1, 300) AS i;
SELECT rollup_refresh('daily_uniques');
INSERT INTO facts SELECT date '2026-01-01' + i % 3, i FROM generate_series(200, 400) AS i;
SELECT pg_temp.same('daily_uniques', 'SELECT date, hll_add_agg(hll_hash_integer(user_id)), hll_add_agg(hll_hash_any(user_id), 14, 5) FROM facts GROUP BY 1');
SELECT round(hll_cardinality(hll_union_agg(users))) BETWEEN 390 AND 410 AS all_users FROM daily_uniques;
UPDATE daily_uniques_rows SET users = hll_empty();
SELECT count(*) AS checked FROM rollup_check('daily_uniques');
SELECT rollup_drop('daily_uniques');
SET search_path = held, public;
DROP EXTENSION sketches_postgresql_hll;
DROP SCHEMA postgresql_hll;

-- Generated columns where a partition has another layout.
CREATE TABLE made (at date NOT NULL, gone int, x int NOT NULL, twice int GENERATED ALWAYS AS (x * 2) STORED NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE made1 PARTITION OF made FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
ALTER TABLE made DROP gone;
CREATE TABLE made2 PARTITION OF made FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
SELECT rollup_create('doubled', 'SELECT at, twice, count(*) AS n, sum(twice) AS s FROM made WHERE twice > 0 GROUP BY 1, 2');
INSERT INTO made SELECT date '2026-01-01' + i, i % 3 + 1 FROM generate_series(0, 50) AS i;
INSERT INTO made2 VALUES ('2026-02-20', 2);
UPDATE made SET x = 5, at = at + 20 WHERE at = '2026-01-20';
SELECT pg_temp.same('doubled', 'SELECT at, twice, count(*) AS n, sum(twice) AS s FROM made WHERE twice > 0 GROUP BY 1, 2');
CREATE FUNCTION mine(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * $1';
CREATE TABLE made_by_mine (at date NOT NULL, x int, twice int GENERATED ALWAYS AS (mine(x)) STORED) PARTITION BY RANGE (at);
SELECT pg_temp.refused('SELECT at, sum(twice) FROM made_by_mine GROUP BY 1');

-- MERGE that moves rows between partitions, with and without other actions; ON CONFLICT beside it.
CREATE TABLE moved (id int, at date, x int, PRIMARY KEY (id, at, x)) PARTITION BY RANGE (at);
CREATE TABLE moved1 PARTITION OF moved FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE moved2 PARTITION OF moved FOR VALUES FROM ('2026-02-01') TO ('2026-03-01') PARTITION BY LIST (x);
CREATE TABLE moved2a PARTITION OF moved2 DEFAULT;
CREATE TABLE moved2b PARTITION OF moved2 FOR VALUES IN (1);
SELECT rollup_create('moves', 'SELECT at, x, count(*) AS n FROM moved GROUP BY 1, 2');
SELECT problem FROM rollup_status('moves');
INSERT INTO moved SELECT i, date '2026-01-01' + i, i % 3 FROM generate_series(0, 30) AS i;
SELECT rollup_refresh('moves') > 0 AS refreshed;
CREATE FUNCTION pg_temp.merge(statement text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    IF current_setting('server_version_num')::int >= 150000 THEN EXECUTE statement; END IF;
    RETURN pg_temp.same('moves', 'SELECT at, x, count(*) AS n FROM moved GROUP BY 1, 2'); END $$;
SELECT pg_temp.merge($$MERGE INTO moved AS t USING (VALUES (1), (2)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = '2026-02-05'$$);
SELECT pg_temp.merge($$MERGE INTO moved AS t USING (VALUES (3), (40)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = '2026-02-05'
    WHEN NOT MATCHED THEN INSERT VALUES (s.id, '2026-02-06', 1)$$);
SELECT pg_temp.merge($$MERGE INTO moved AS t USING (VALUES (4), (6), (41)) AS s (id) ON t.id = s.id WHEN MATCHED AND t.id = 6 THEN DELETE
    WHEN MATCHED THEN UPDATE SET at = '2026-02-05' WHEN NOT MATCHED THEN INSERT VALUES (s.id, '2026-02-06', 1)$$);
-- Rows that a failed statement left are not those of a table that was altered since.
BEGIN;
SAVEPOINT s;
UPDATE moved SET id = 1 / (id - id);
ROLLBACK TO s;
DELETE FROM moved WHERE id = 30;
ALTER TABLE moved ADD note text;
UPDATE moved SET x = x WHERE id = 29;
COMMIT;
BEGIN;
SAVEPOINT s;
UPDATE moved SET id = 1 / (id - id);
ROLLBACK TO s;
DELETE FROM moved WHERE id = 28;
ALTER TABLE moved DROP note;
SELECT pg_temp.merge($$MERGE INTO moved AS t USING (VALUES (27)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = '2026-02-05'$$);
COMMIT;
SELECT pg_temp.merge('SELECT 1');
SELECT pg_temp.merge($$MERGE INTO moved2 AS t USING (VALUES (1), (2)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET x = 3 - t.x$$);
UPDATE moved SET at = '2026-02-07' WHERE id BETWEEN 10 AND 15;
INSERT INTO moved VALUES (20, '2026-01-21', 2), (50, '2026-01-21', 7) ON CONFLICT (id, at, x) DO UPDATE SET x = 8;
SELECT marked FROM rollup_status('moves');
SELECT pg_temp.merge('SELECT 1');
BEGIN;
SAVEPOINT s;
UPDATE moved SET at = '2027-01-01' WHERE id = 20;
ROLLBACK TO s;
INSERT INTO moved VALUES (60, '2026-01-05', 1);
DELETE FROM moved WHERE id = 60;
COMMIT;
SELECT pg_temp.merge('SELECT 1');

-- Partitions that come, with rows and without, and go.
CREATE TABLE moved3 PARTITION OF moved FOR VALUES FROM ('2026-03-01') TO ('2026-04-01');
INSERT INTO moved3 VALUES (100, '2026-03-05', 1);
INSERT INTO moved VALUES (101, '2026-03-05', 1);
CREATE TABLE came (LIKE moved INCLUDING ALL);
INSERT INTO came VALUES (102, '2026-04-05', 1);
ALTER TABLE moved ATTACH PARTITION came FOR VALUES FROM ('2026-04-01') TO ('2026-05-01');
SELECT problem FROM rollup_status('moves');
SELECT rollup_refresh('moves');
SELECT problem FROM rollup_status('moves');
INSERT INTO came VALUES (103, '2026-04-05', 1);
SELECT pg_temp.merge('SELECT 1');
ALTER TABLE moved1 RENAME TO moved_1;
SELECT problem FROM rollup_status('moves');
ALTER TABLE moved DETACH PARTITION came;
INSERT INTO came VALUES (104, '2026-04-05', 1);
DROP TABLE moved3;
SELECT problem FROM rollup_status('moves');
SELECT count(*) AS still_there FROM moves WHERE at > '2026-03-01';
SELECT rollup_repair('moves');
SELECT pg_temp.merge('SELECT 1'), problem FROM rollup_status('moves');

-- Health, in words: what is wrong, and the statement that mends it.
CREATE TABLE events (at timestamp NOT NULL, who int NOT NULL, page text);
SELECT rollup_create('hourly', $$SELECT date_trunc('hour', at) AS hour, who, count(*) AS n FROM events GROUP BY 1, 2$$);
CREATE FUNCTION pg_temp.problem(statement text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    EXECUTE statement;
    RETURN (SELECT pg_temp.by_someone(problem) FROM rollup_status('hourly')); END $$;
CREATE FUNCTION pg_temp.mend() RETURNS text LANGUAGE plpgsql AS $$
DECLARE mending text := substring((SELECT problem FROM rollup_status('hourly')) FROM ': (.*)'); BEGIN
    IF mending IS NOT NULL THEN EXECUTE mending; END IF;
    RETURN (SELECT problem FROM rollup_status('hourly')); END $$;
CREATE ROLE sketches_another;
GRANT ALL ON SCHEMA held TO sketches_another;
SELECT pg_temp.problem('ALTER TABLE events RENAME who TO person'), pg_temp.mend();
SELECT pg_temp.problem('ALTER TABLE events DISABLE TRIGGER hourly_update'), pg_temp.mend();
SELECT pg_temp.problem('DROP TRIGGER hourly_truncate ON events'), pg_temp.mend();
SELECT pg_temp.problem('CREATE OR REPLACE TRIGGER hourly_insert AFTER INSERT ON events REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (false) EXECUTE FUNCTION _rollup_write()'), pg_temp.mend();
SELECT pg_temp.problem('CREATE OR REPLACE TRIGGER hourly_update AFTER UPDATE OF at ON events FOR EACH STATEMENT WHEN (''hourly_state''::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write()'), pg_temp.mend();
SELECT pg_temp.problem('CREATE TRIGGER another AFTER INSERT ON events FOR EACH ROW WHEN (''hourly_state''::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write()'), pg_temp.mend();
SELECT pg_temp.problem('DROP TRIGGER hourly_restored ON hourly_state'), pg_temp.mend();
SELECT pg_temp.problem('TRUNCATE hourly_log'), pg_temp.mend();
SELECT pg_temp.problem('ALTER TABLE hourly_log OWNER TO sketches_another'), pg_temp.mend();
SELECT pg_temp.problem('ALTER TABLE events SET UNLOGGED'), pg_temp.mend();
SELECT relname, relpersistence FROM pg_class WHERE relname ~ '^hourly_(rows|log|state)$' ORDER BY 1;
SELECT pg_temp.problem('ALTER TABLE events SET LOGGED'), pg_temp.mend();
SELECT relname, relpersistence FROM pg_class WHERE relname ~ '^hourly_(rows|log|state)$' ORDER BY 1;
SELECT pg_temp.problem('ALTER TABLE events ALTER at DROP NOT NULL');
ALTER TABLE events ALTER at SET NOT NULL;
SELECT pg_temp.problem('ALTER TABLE events RENAME TO occurrences');
ALTER TABLE occurrences RENAME TO events;
INSERT INTO events VALUES ('2026-01-01', 1, '/');
SELECT pg_temp.same('hourly', $$SELECT date_trunc('hour', at), person, count(*) FROM events GROUP BY 1, 2$$);

-- Known by what it is: nothing else is dropped or read as one; the view cannot be dropped alone; names are free elsewhere.
CREATE TABLE acct_rows (x int);
CREATE TABLE acct_log (x int);
CREATE TABLE acct_state (x int);
SELECT pg_temp.error_of('SELECT rollup_drop(''acct'')'), pg_temp.error_of('SELECT rollup_create(''acct'', ''SELECT at, count(*) FROM events GROUP BY 1'')');
SELECT rollup_drop('acct');
SELECT count(*) FROM pg_class WHERE relname ~ '^acct_';
SELECT pg_temp.error_of('DROP VIEW hourly');
CREATE SCHEMA "Elsewhere";
SELECT rollup_create('"Elsewhere".hourly', 'SELECT at, count(*) AS n FROM events GROUP BY 1');
INSERT INTO events VALUES ('2026-01-01', 2, '/');
SELECT rollup, source, period, problem FROM rollup_list() WHERE source = 'events'::regclass;
SELECT pg_temp.same('"Elsewhere".hourly', 'SELECT at, count(*) AS n FROM events GROUP BY 1');
SELECT obj_description('hourly'::regclass), obj_description('hourly_rows'::regclass), obj_description('hourly_state'::regclass);
ALTER VIEW hourly RENAME TO by_hour;
SELECT problem FROM rollup_status('by_hour');
SELECT rollup_repair('by_hour');
SELECT problem FROM rollup_status('by_hour');
INSERT INTO events VALUES ('2026-01-01', 2, '/');
SELECT pg_temp.same('by_hour', $$SELECT date_trunc('hour', at), person, count(*) FROM events GROUP BY 1, 2$$);
SELECT rollup_drop('by_hour');
DROP TABLE events CASCADE;
SELECT rollup, source, problem FROM rollup_list() WHERE problem ~ 'Elsewhere';
SELECT rollup_create('"Elsewhere".hourly', 'SELECT at, count(*) AS n FROM moved GROUP BY 1');
SELECT rollup, source, problem FROM rollup_list() WHERE problem ~ 'Elsewhere';
SELECT rollup_drop('"Elsewhere".hourly'), pg_temp.error_of($$SELECT rollup_drop('"Elsewhere".hourly_state')$$);
SELECT count(*) FROM pg_class AS c WHERE relnamespace = '"Elsewhere"'::regnamespace;
-- What the query cannot compute is refused, before writers meet it.
INSERT INTO moved VALUES (200, '2026-01-03', 1);
SELECT pg_temp.error_of('SELECT rollup_create(''wrong'', ''SELECT at, hll_agg(x, 99) AS users FROM moved GROUP BY 1'')'),
       pg_temp.error_of('SELECT rollup_create(''wrong'', ''SELECT at, count(*) AS rollup_n FROM moved GROUP BY 1'')');
-- The extension moves to another schema: nobody notices.
BEGIN;
CREATE SCHEMA sketches_elsewhere;
ALTER EXTENSION sketches SET SCHEMA sketches_elsewhere;
SET LOCAL search_path = held, sketches_elsewhere, public;
INSERT INTO moved VALUES (203, '2026-01-03', 1);
SELECT rollup_repair('moves');
INSERT INTO moved VALUES (201, '2026-01-03', 1);
SELECT pg_temp.same('moves', 'SELECT at, x, count(*) AS n FROM moved GROUP BY 1, 2');
ROLLBACK;
-- Without the extension, nothing is left that would call what somebody puts into its schema; writers go on.
BEGIN;
DROP EXTENSION sketches CASCADE;
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = 'moved'::regclass AND NOT tgisinternal;
INSERT INTO moved VALUES (202, '2026-01-03', 1);
ROLLBACK;
CREATE TABLE twice (a int NOT NULL);
SELECT rollup_create('twice_a', 'SELECT a AS g1, a AS g2, count(*) AS n FROM twice GROUP BY 1, 2');
INSERT INTO twice VALUES (1), (1), (2);
SELECT pg_temp.same('twice_a', 'SELECT a AS g1, a AS g2, count(*) AS n FROM twice GROUP BY 1, 2'), problem FROM rollup_status('twice_a');
-- A child that allows NULL.
CREATE TABLE parent (at date NOT NULL);
CREATE TABLE child (at date);
DO $$ BEGIN EXECUTE 'CREATE TABLE child2 () INHERITS (parent)'; EXECUTE 'ALTER TABLE child2 ALTER at DROP NOT NULL'; EXCEPTION WHEN invalid_table_definition THEN NULL; END $$;
SELECT rollup_create('inherited', 'SELECT at, count(*) AS n FROM parent GROUP BY 1');
DO $$ BEGIN INSERT INTO child2 VALUES (NULL); EXCEPTION WHEN not_null_violation OR undefined_table THEN NULL; END $$;
INSERT INTO parent VALUES ('2026-01-01');
SELECT pg_temp.same('inherited', 'SELECT at, count(*) AS n FROM parent GROUP BY 1');

-- Rights. mallory owns a rollup; a superuser, a monitor and a reader call every function of it.
CREATE ROLE sketches_mallory;
CREATE ROLE sketches_monitor IN ROLE pg_monitor;
CREATE ROLE sketches_reader;
CREATE TABLE caught (who text);
GRANT USAGE ON SCHEMA held TO sketches_reader, sketches_monitor;
GRANT ALL ON SCHEMA held TO sketches_mallory;
GRANT INSERT, SELECT ON caught TO PUBLIC;
SET ROLE sketches_mallory;
CREATE TABLE bait (at date NOT NULL, x int);
SELECT rollup_create('trap', 'SELECT at, sum(x) AS s, count(*) AS n FROM bait GROUP BY 1');
GRANT SELECT ON trap TO sketches_reader;
GRANT INSERT ON bait TO PUBLIC;
INSERT INTO bait VALUES ('2026-01-01', 1);
CREATE FUNCTION spring() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO held.caught VALUES (current_user);
    RETURN 1; END $$;
CREATE FUNCTION spring_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM held.spring(); RETURN new; END $$;
CREATE FUNCTION spring_check(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM held.spring(); RETURN true; END $$;
ALTER TABLE trap_state ALTER refreshed SET DEFAULT (spring() || ' s')::interval + now();
ALTER TABLE trap_rows ADD CHECK (spring_check(s::int));
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON trap_rows FOR EACH ROW EXECUTE FUNCTION spring_row();
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON trap_state FOR EACH ROW EXECUTE FUNCTION spring_row();
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON trap_log FOR EACH ROW EXECUTE FUNCTION spring_row();
CREATE FUNCTION trap_refresh(text) RETURNS bigint LANGUAGE sql AS 'SELECT held.spring()::bigint';
CREATE FUNCTION trap_refresh(date DEFAULT NULL, date DEFAULT NULL) RETURNS bigint LANGUAGE sql AS 'SELECT held.spring()::bigint';
RESET ROLE;
CREATE FUNCTION pg_temp.call_all() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE statement text; BEGIN
    FOREACH statement IN ARRAY ARRAY['SELECT problem FROM rollup_status(''trap'')', 'SELECT count(*) FROM rollup_list()', 'SELECT rollup_refresh(''trap'')',
        'SELECT rollup_freeze(''trap'', ''2025-01-01'')', 'SELECT count(*) FROM rollup_check(''trap'')', 'SELECT rollup_repair(''trap'')',
        'INSERT INTO bait VALUES (''2026-01-02'', 1)'] LOOP
        RETURN NEXT split_part(statement, '(', 1) || ': ' || pg_temp.error_of(statement);
    END LOOP; END $$;
SELECT pg_temp.call_all();
SET ROLE sketches_monitor;
SELECT pg_temp.call_all();
SET ROLE sketches_reader;
SELECT pg_temp.call_all();
SELECT pg_temp.error_of('SELECT rollup_drop(''trap'')');
SET ROLE sketches_another;
SELECT pg_temp.error_of('SELECT rollup_status(''trap'')');
RESET ROLE;
SELECT rollup_repair('trap');
SELECT DISTINCT relowner::regrole FROM pg_class WHERE relname ~ '^trap_';
SET ROLE sketches_mallory;
ALTER TABLE trap_log RENAME TO trap_was;
CREATE VIEW trap_log AS SELECT *, spring() FROM trap_was;
RESET ROLE;
SELECT pg_temp.call_all();
SELECT DISTINCT who FROM caught ORDER BY 1;
SELECT pg_temp.error_of('SELECT rollup_drop(''trap'')');
-- One that cannot be read any more is listed, and so is what never was one: they hide nothing.
CREATE FUNCTION passed(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE TABLE passing (x int NOT NULL);
SELECT rollup_create('unreadable', 'SELECT passed(x) AS x, count(*) FROM passing GROUP BY 1');
ALTER FUNCTION passed VOLATILE;
CREATE SCHEMA made_up;
CREATE VIEW made_up.v AS SELECT 1 AS x;
CREATE VIEW made_up.v_query AS SELECT 1 AS x;
CREATE VIEW made_up.v_fresh AS SELECT 1 AS x;
CREATE TABLE made_up.v_rows (x int);
CREATE TABLE made_up.v_log (x int);
CREATE TABLE made_up.v_state (use_rollup_drop regclass DEFAULT 'made_up.v'::regclass, each_row bool, distributed bool);
SELECT rollup, problem FROM rollup_list() WHERE rollup IN ('unreadable'::regclass, 'made_up.v'::regclass) ORDER BY 1;
SELECT problem FROM rollup_status('unreadable');
SELECT pg_temp.error_of('SELECT rollup_refresh(''unreadable'')');
SELECT current_user = session_user AS caller_again, rollup_drop('unreadable');
DROP SCHEMA made_up CASCADE;
-- A state of hers that names a view of somebody else.
CREATE VIEW victim AS SELECT 1 AS x;
SET ROLE sketches_mallory;
CREATE TABLE forged_state (frozen date, refreshed timestamptz, merge jsonb, followed text[], use_rollup_drop regclass DEFAULT 'victim'::regclass);
RESET ROLE;
SELECT pg_temp.by_someone(problem) AS problem FROM rollup_list() WHERE rollup = 'victim'::regclass;
SELECT pg_temp.error_of('SELECT rollup_refresh(''victim'')'), pg_temp.error_of('SELECT rollup_drop(''victim'')'), pg_temp.error_of('SELECT rollup_drop(''forged'')');
-- A superuser's rollup in a schema of somebody else.
CREATE SCHEMA sketches_theirs AUTHORIZATION sketches_mallory;
SELECT pg_temp.error_of('SELECT rollup_create(''sketches_theirs.hourly'', ''SELECT at, count(*) FROM moved GROUP BY 1'')');
ALTER SCHEMA sketches_theirs OWNER TO CURRENT_USER;
-- Whoever owns the database owns public; and a schema may change hands later.
\set home :DBNAME
CREATE DATABASE sketches_theirs OWNER sketches_mallory;
\c sketches_theirs
CREATE EXTENSION sketches;
CREATE TABLE hits (at date NOT NULL);
DO $$ BEGIN
    IF (SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'public') <> 'pg_database_owner' THEN
        ALTER SCHEMA public OWNER TO sketches_mallory;      -- before 15
    END IF;
END $$;
\set VERBOSITY sqlstate
SELECT rollup_create('daily', 'SELECT at, count(*) FROM hits GROUP BY 1');
ALTER TABLE hits OWNER TO sketches_mallory;
SET ROLE sketches_mallory;
SELECT rollup_create('daily', 'SELECT at, count(*) FROM hits GROUP BY 1');
\c :home
DROP DATABASE sketches_theirs;
\set VERBOSITY default
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET search_path = held, public;
CREATE TABLE ours (at date NOT NULL);
SELECT rollup_create('sketches_theirs.ours', 'SELECT at, count(*) FROM ours GROUP BY 1');
ALTER SCHEMA sketches_theirs OWNER TO sketches_mallory;
SELECT problem FROM rollup_status('sketches_theirs.ours');
SELECT rollup_drop('sketches_theirs.ours');
DROP SCHEMA sketches_theirs;
-- To make one takes the right to read.
CREATE TABLE unread (at date NOT NULL);
GRANT TRIGGER ON unread TO sketches_mallory;
SET ROLE sketches_mallory;
SELECT pg_temp.error_of('SELECT rollup_create(''blind'', ''SELECT at, count(*) FROM unread GROUP BY 1'')');
RESET ROLE;
GRANT SELECT ON unread TO sketches_mallory;
SET ROLE sketches_mallory;
SELECT rollup_create('blind', 'SELECT at, count(*) FROM unread GROUP BY 1');
RESET ROLE;
REVOKE SELECT ON unread FROM sketches_mallory;
SELECT problem FROM rollup_status('blind');
GRANT SELECT ON unread TO sketches_mallory;
ALTER TABLE unread ENABLE ROW LEVEL SECURITY;
SELECT problem FROM rollup_status('blind');

SET client_min_messages = error;
DROP SCHEMA held, "Elsewhere" CASCADE;
DROP ROLE sketches_mallory, sketches_monitor, sketches_reader, sketches_another;
