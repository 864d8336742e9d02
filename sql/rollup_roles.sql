-- What other roles could put in the way of a rollup: nothing of theirs runs as its owner.
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE ROLE sketches_mallory;
CREATE ROLE sketches_alice;
CREATE SCHEMA roles;
CREATE SCHEMA sketches_mallory AUTHORIZATION sketches_mallory;
CREATE SCHEMA sketches_alice AUTHORIZATION sketches_alice;
SET search_path = roles, public;
CREATE TABLE hits (at date NOT NULL, page text) PARTITION BY RANGE (at);
CREATE TABLE january PARTITION OF hits FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');

-- An overload of a private function, which fits what is given better.
SELECT nspname AS sketches FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'sketches' \gset
SELECT rollup_create('daily', 'SELECT at, count(*) AS n FROM hits GROUP BY 1');
GRANT CREATE ON SCHEMA :sketches TO sketches_mallory;
SET ROLE sketches_mallory;
CREATE FUNCTION :sketches._rollup_may_log(oid, text, regclass) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
CREATE FUNCTION :sketches._rollup_may_log(regclass, name, oid) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
RESET ROLE;
SELECT rollup, problem FROM rollup_list();
INSERT INTO january VALUES ('2026-01-05', 'a');
TABLE daily;
DROP FUNCTION :sketches._rollup_may_log(oid, text, regclass), :sketches._rollup_may_log(regclass, name, oid);
REVOKE CREATE ON SCHEMA :sketches FROM sketches_mallory;

-- Functions that are granted by default are granted to nobody here.
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO sketches_mallory;
ALTER DEFAULT PRIVILEGES IN SCHEMA roles GRANT EXECUTE ON FUNCTIONS TO sketches_alice;
SELECT rollup_create('granted', 'SELECT at, count(*) AS n FROM hits GROUP BY 1');
SELECT rollup_repair('daily');
SELECT has_function_privilege(role, function, 'EXECUTE') FROM unnest('{sketches_mallory,sketches_alice}'::text[]) AS role, unnest('{granted_trigger(),daily_trigger()}'::text[]) AS function;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM sketches_mallory;
ALTER DEFAULT PRIVILEGES IN SCHEMA roles REVOKE EXECUTE ON FUNCTIONS FROM sketches_alice;

-- Whoever may execute trigger functions, as after this or a dump without privileges, forges nothing by them.
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA roles TO sketches_mallory;
GRANT USAGE ON SCHEMA roles TO sketches_mallory;
SELECT rollup_create('by_row', 'SELECT at, count(*) AS n FROM hits GROUP BY 1', each_row => true);
GRANT EXECUTE ON FUNCTION by_row_trigger() TO sketches_mallory;
SELECT rollup, rollup_refresh(rollup) FROM unnest('{daily,granted,by_row}'::regclass[]) AS rollup;
SET ROLE sketches_mallory;
CREATE TABLE sketches_mallory.forged (at date NOT NULL, page text);
CREATE TABLE sketches_mallory.forged_parts (at date NOT NULL, page text) PARTITION BY RANGE (at);
CREATE TABLE sketches_mallory.forged_part PARTITION OF sketches_mallory.forged_parts DEFAULT;
CREATE TEMP TABLE forged_temp (at date NOT NULL, page text);
CREATE FUNCTION pg_temp.forge(target text, trigger text, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER f' || left(md5(trigger), 6) || ' ' || trigger, target);
    EXECUTE format(statement, target);
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN RETURN regexp_replace(SQLSTATE || ' ' || SQLERRM, 'pg_temp_\d+', 'pg_temp');
END $$;
SELECT target, trigger, pg_temp.forge(target, format('AFTER %s ON %%s %s EXECUTE FUNCTION roles.%s(%s)', event, how, function, arguments), statement) FROM
    (VALUES ('sketches_mallory.forged'), ('sketches_mallory.forged_part'), ('forged_temp')) AS t (target),
    (VALUES ('INSERT', 'REFERENCING NEW TABLE AS rollup_new', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
        ('DELETE', 'REFERENCING OLD TABLE AS rollup_old', 'DELETE FROM %s'), ('TRUNCATE', '', 'TRUNCATE %s'),
        ('UPDATE', 'REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new', 'UPDATE %s SET at = ''2026-01-06''')) AS e (event, how, statement),
    (VALUES ('daily_trigger', ''), ('daily_trigger', '''child'''), ('by_row_trigger', '')) AS f (function, arguments),
    LATERAL (SELECT concat_ws(' ', event, function, arguments)) AS n (trigger) ORDER BY 1, 2;
SELECT pg_temp.forge('sketches_mallory.forged', 'AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION roles.by_row_trigger()', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
    pg_temp.forge('sketches_mallory.forged', 'BEFORE UPDATE ON %s EXECUTE FUNCTION roles.daily_trigger()', 'UPDATE %s SET at = ''2026-01-06'''),
    pg_temp.forge('sketches_mallory.forged', 'AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION roles.daily_trigger(''child'', ''partitioned'')', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')');
RESET ROLE;
-- Nor by a second one on a table that has them.
CREATE TABLE plain (at date NOT NULL, page text);
SELECT rollup_create('by_page', 'SELECT page, count(*) AS n FROM plain GROUP BY 1'), rollup_create('by_page_row', 'SELECT page, count(*) AS n FROM plain GROUP BY 1', each_row => true);
GRANT EXECUTE ON FUNCTION by_page_trigger(), by_page_row_trigger() TO sketches_mallory;
GRANT TRIGGER, INSERT, UPDATE, DELETE ON hits, january, plain TO sketches_mallory;
SET ROLE sketches_mallory;
SELECT target, trigger, pg_temp.forge(target, format('AFTER %s ON %%s %s EXECUTE FUNCTION roles.%s()', event, how, function), statement) FROM
    (VALUES ('roles.hits'), ('roles.january')) AS t (target),
    (VALUES ('INSERT', 'REFERENCING NEW TABLE AS rollup_new', 'daily_trigger', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
        ('UPDATE', 'REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new', 'daily_trigger', 'UPDATE %s SET page = ''forged'''),
        ('INSERT', 'FOR EACH ROW', 'by_row_trigger', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
        ('INSERT', 'REFERENCING NEW TABLE AS rollup_new', 'by_row_trigger', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
        ('INSERT', 'FOR EACH ROW', 'daily_trigger', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')')) AS e (event, how, function, statement),
    LATERAL (SELECT concat_ws(' ', event, how, function)) AS n (trigger) ORDER BY 1, 2;
CREATE TEMP TABLE rollup_new AS SELECT date '2026-01-05' AS at, 'forged' AS page FROM generate_series(1, 1000);
SELECT trigger, pg_temp.forge('roles.plain', 'AFTER INSERT ON %s ' || trigger || ' EXECUTE FUNCTION roles.by_page_trigger()', 'INSERT INTO %s VALUES (''2026-01-06'', NULL)') FROM
    unnest('{FOR EACH ROW,FOR EACH STATEMENT,REFERENCING NEW TABLE AS another,REFERENCING NEW TABLE AS rollup_new}'::text[]) AS trigger;
SELECT trigger, pg_temp.forge('roles.plain', 'AFTER INSERT ON %s ' || trigger || ' EXECUTE FUNCTION roles.by_page_row_trigger()', 'INSERT INTO %s VALUES (''2026-01-06'', NULL)') FROM
    unnest('{FOR EACH ROW,FOR EACH STATEMENT,REFERENCING NEW TABLE AS rollup_new}'::text[]) AS trigger;
DROP TABLE rollup_new;
RESET ROLE;
TABLE by_page ORDER BY page;
TABLE by_page_row ORDER BY page;
SELECT page, count(*) AS n FROM plain GROUP BY 1 ORDER BY 1;
REVOKE ALL ON hits, january, plain FROM sketches_mallory;
CREATE VIEW all_three AS SELECT 'daily' AS rollup, * FROM daily UNION ALL SELECT 'granted', * FROM granted UNION ALL SELECT 'by_row', * FROM by_row;
SELECT at, count(*) AS n FROM hits GROUP BY 1 ORDER BY 1;
TABLE all_three ORDER BY at, rollup;
SELECT missed FROM daily_state UNION ALL SELECT missed FROM by_row_state;
SELECT rollup, rollup_refresh(rollup), problem FROM unnest('{daily,granted,by_row}'::regclass[]) AS rollup, rollup_status(rollup);
TABLE all_three ORDER BY at, rollup;
-- A partition that was detached is noted, whoever owns it.
DO $$
DECLARE forged record;
BEGIN
    FOR forged IN SELECT tgname, tgrelid::regclass AS table FROM pg_trigger WHERE tgname ~ '^f[0-9a-f]{6}$' AND tgparentid = 0 LOOP
        EXECUTE format('DROP TRIGGER %s ON %s', forged.tgname, forged.table);
    END LOOP;
END $$;
UPDATE daily_state SET missed = '{}';
UPDATE granted_state SET missed = '{}';
ALTER TABLE hits DETACH PARTITION january;
ALTER TABLE january OWNER TO sketches_mallory;
INSERT INTO january VALUES ('2026-01-07', 'b');
SELECT missed[2] FROM daily_state UNION ALL SELECT missed[2] FROM granted_state;
ALTER TABLE january OWNER TO CURRENT_USER;
ALTER TABLE hits ATTACH PARTITION january FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT rollup, rollup_refresh(rollup) FROM unnest('{daily,granted}'::regclass[]) AS rollup;
TABLE all_three ORDER BY at, rollup;

-- A schema is renamed, and another one gets its name, with all that the trigger names.
CREATE SCHEMA sketches_was;
CREATE TABLE moved_away (at date NOT NULL);
SELECT rollup_create('sketches_was.daily', 'SELECT at, count(*) AS n FROM moved_away GROUP BY 1');
ALTER SCHEMA sketches_was RENAME TO sketches_is;
CREATE SCHEMA sketches_was AUTHORIZATION sketches_mallory;
SET ROLE sketches_mallory;
CREATE TABLE sketches_was.moved_away (at date NOT NULL);
CREATE VIEW sketches_was.daily_query AS SELECT at, count(*) AS n FROM sketches_was.moved_away GROUP BY 1;
CREATE TABLE sketches_was.daily_log (mark int2 NOT NULL DEFAULT 0, at date NOT NULL, n bigint);
CREATE TABLE sketches_was.daily_state (frozen date, missed text[], followed text[]);
CREATE FUNCTION sketches_was.say() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
CREATE TRIGGER say BEFORE INSERT ON sketches_was.daily_log FOR EACH ROW EXECUTE FUNCTION sketches_was.say();
GRANT ALL ON ALL TABLES IN SCHEMA sketches_was TO PUBLIC;
RESET ROLE;
SELECT replace(pg_temp.error_of('INSERT INTO moved_away VALUES (''2026-01-05'')'), session_user, 'postgres') AS error_of;
SELECT rollup_repair('sketches_is.daily');
INSERT INTO moved_away VALUES ('2026-01-05');
TABLE sketches_is.daily;
DROP SCHEMA sketches_was, sketches_is CASCADE;

-- A policy of a child, and of a table that looks like a state.
SET ROLE sketches_mallory;
CREATE TABLE sketches_mallory.visits (at date NOT NULL);
CREATE FUNCTION sketches_mallory.say() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user USING ERRCODE = 'serialization_failure'; END $$;
GRANT USAGE ON SCHEMA sketches_mallory TO sketches_alice;
CREATE TABLE sketches_mallory.child () INHERITS (sketches_mallory.visits);
GRANT SELECT, TRIGGER ON sketches_mallory.visits, sketches_mallory.child TO sketches_alice;
SET ROLE sketches_alice;
SELECT rollup_create('sketches_alice.daily', 'SELECT at, count(*) AS n FROM sketches_mallory.visits GROUP BY 1');
SET ROLE sketches_mallory;
CREATE TABLE sketches_mallory.more () INHERITS (sketches_mallory.visits);
INSERT INTO sketches_mallory.more VALUES ('2026-01-05');
CREATE POLICY say ON sketches_mallory.more USING (sketches_mallory.say());
ALTER TABLE sketches_mallory.more ENABLE ROW LEVEL SECURITY;
GRANT SELECT, TRIGGER ON sketches_mallory.more TO sketches_alice;
SET ROLE sketches_alice;
SELECT pg_temp.error_of($$SELECT rollup_refresh('sketches_alice.daily')$$);
SET ROLE sketches_mallory;
SELECT rollup_create('sketches_mallory.own', 'SELECT at, count(*) AS n FROM sketches_mallory.child GROUP BY 1') AS refused;
CREATE TABLE sketches_mallory.alone (at date NOT NULL);
SELECT rollup_create('sketches_mallory.own', 'SELECT at, count(*) AS n FROM sketches_mallory.alone GROUP BY 1');
CREATE POLICY say ON sketches_mallory.own_state USING (sketches_mallory.say());
ALTER TABLE sketches_mallory.own_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE sketches_mallory.own_state FORCE ROW LEVEL SECURITY;
RESET ROLE;
SELECT rollup, problem FROM rollup_list() WHERE rollup = 'sketches_mallory.own'::regclass;

-- Who may not make triggers of a table does not lock it either.
CREATE TABLE secret (at date NOT NULL);
GRANT USAGE ON SCHEMA roles TO sketches_mallory;
SET ROLE sketches_mallory;
BEGIN;
SELECT pg_temp.error_of($$SELECT rollup_create('sketches_mallory.secret', 'SELECT at, count(*) FROM roles.secret GROUP BY 1')$$);
SELECT mode FROM pg_locks WHERE relation = 'roles.secret'::regclass AND pid = pg_backend_pid() AND mode <> 'AccessShareLock';
COMMIT;
RESET ROLE;

SET client_min_messages = error;
DROP TABLE forged_temp;
DROP FUNCTION pg_temp.forge(text, text, text);
DROP SCHEMA roles, sketches_mallory, sketches_alice CASCADE;
DROP ROLE sketches_mallory, sketches_alice;
