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
CREATE FUNCTION :sketches._rollup_moves(bool, int = 0) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
CREATE FUNCTION :sketches._rollup_hashed(int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
CREATE FUNCTION :sketches._rollup_late(oid, text) RETURNS SETOF record LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
RESET ROLE;
SELECT rollup, problem FROM rollup_list();
INSERT INTO january VALUES ('2026-01-05', 'a');
TABLE daily;
SELECT rollup_refresh('daily');
DROP FUNCTION :sketches._rollup_moves(bool, int), :sketches._rollup_hashed(int), :sketches._rollup_late(oid, text);
REVOKE CREATE ON SCHEMA :sketches FROM sketches_mallory;

SELECT rollup_create('granted', 'SELECT at, count(*) AS n FROM hits GROUP BY 1');
SELECT rollup_repair('daily');

-- Anybody may execute the trigger function, and name a state. Nothing is forged by that.
GRANT USAGE ON SCHEMA roles TO sketches_mallory;
SELECT rollup_create('by_row', 'SELECT at, count(*) AS n FROM hits GROUP BY 1', each_row => true);
SELECT rollup, rollup_refresh(rollup) FROM unnest('{daily,granted,by_row}'::regclass[]) AS rollup;
SET ROLE sketches_mallory;
CREATE TABLE sketches_mallory.forged (at date NOT NULL, page text);
CREATE TABLE sketches_mallory.forged_parts (at date NOT NULL, page text) PARTITION BY RANGE (at);
CREATE TABLE sketches_mallory.forged_part PARTITION OF sketches_mallory.forged_parts DEFAULT;
CREATE TEMP TABLE forged_temp (at date NOT NULL, page text);
CREATE FUNCTION pg_temp.forge(target text, trigger text, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER f' || left(md5(target || trigger), 6) || ' ' || trigger, target);
    EXECUTE format(statement, target);
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN RETURN regexp_replace(SQLSTATE || ' ' || SQLERRM, 'pg_temp_\d+', 'pg_temp');
END $$;
SELECT target, trigger, pg_temp.forge(target, format('AFTER %s ON %%s %s WHEN (''roles.%s_state''::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write()', event, how, rollup), statement) FROM
    (VALUES ('sketches_mallory.forged'), ('sketches_mallory.forged_part'), ('forged_temp')) AS t (target),
    (VALUES ('INSERT', 'REFERENCING NEW TABLE AS rollup_new', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
        ('DELETE', 'REFERENCING OLD TABLE AS rollup_old', 'DELETE FROM %s'), ('TRUNCATE', '', 'TRUNCATE %s'),
        ('UPDATE', 'REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new', 'UPDATE %s SET at = ''2026-01-06''')) AS e (event, how, statement),
    (VALUES ('daily'), ('by_row')) AS f (rollup),
    LATERAL (SELECT concat_ws(' ', event, rollup)) AS n (trigger) ORDER BY 1, 2;
SELECT trigger, pg_temp.forge('sketches_mallory.forged', trigger || ' EXECUTE FUNCTION _rollup_write()', statement) FROM (VALUES
    ('AFTER INSERT ON %s FOR EACH ROW WHEN (''roles.by_row_state''::regclass IS NOT NULL)', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
    ('BEFORE UPDATE ON %s WHEN (''roles.daily_state''::regclass IS NOT NULL)', 'UPDATE %s SET at = ''2026-01-06'''),
    ('AFTER INSERT ON %s REFERENCING NEW TABLE AS n WHEN (''roles.daily_log''::regclass IS NOT NULL)', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
    ('AFTER INSERT ON %s REFERENCING NEW TABLE AS n WHEN (''roles.daily_state''::regclass IS NOT NULL AND random() < 2)', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
    ('AFTER INSERT ON %s FOR EACH ROW WHEN (_rollup_moves(false) IS NOT NULL AND ''roles.daily_state''::regclass IS NOT NULL)', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
    ('AFTER INSERT ON %s REFERENCING NEW TABLE AS n', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')')) AS f (trigger, statement);
RESET ROLE;
-- What a trigger of others may be, of a partition that was detached, is let be: it logs nothing, and keeps no lock.
SELECT followed[2], missed FROM daily_state UNION ALL SELECT followed[2], missed FROM by_row_state;
SET ROLE sketches_mallory;
BEGIN;
INSERT INTO sketches_mallory.forged VALUES ('2026-01-05', 'forged');
SELECT relation::regclass, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text ~ 'roles|daily|by_row';
COMMIT;
RESET ROLE;
SELECT rollup, rollup_refresh(rollup), problem FROM unnest('{daily,by_row}'::regclass[]) AS rollup, rollup_status(rollup);
SELECT missed FROM daily_state UNION ALL SELECT missed FROM by_row_state;
-- Nor by a second one on a table that has them.
CREATE TABLE plain (at date NOT NULL, page text);
SELECT rollup_create('by_page', 'SELECT page, count(*) AS n FROM plain GROUP BY 1'), rollup_create('by_page_row', 'SELECT page, count(*) AS n FROM plain GROUP BY 1', each_row => true);
GRANT TRIGGER, INSERT, UPDATE, DELETE ON hits, january, plain TO sketches_mallory;
SET ROLE sketches_mallory;
SELECT target, trigger, pg_temp.forge(target, format('AFTER %s ON %%s %s WHEN (''roles.%s_state''::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write()', event, how, rollup), statement) FROM
    (VALUES ('roles.hits'), ('roles.january')) AS t (target),
    (VALUES ('INSERT', 'REFERENCING NEW TABLE AS rollup_new', 'daily', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
        ('UPDATE', 'REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new', 'daily', 'UPDATE %s SET page = ''forged'''),
        ('INSERT', 'FOR EACH ROW', 'by_row', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
        ('INSERT', 'REFERENCING NEW TABLE AS rollup_new', 'by_row', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')'),
        ('INSERT', 'FOR EACH ROW', 'daily', 'INSERT INTO %s VALUES (''2026-01-05'', ''forged'')')) AS e (event, how, rollup, statement),
    LATERAL (SELECT concat_ws(' ', event, how, rollup)) AS n (trigger) ORDER BY 1, 2;
CREATE TEMP TABLE rollup_new AS SELECT date '2026-01-05' AS at, 'forged' AS page FROM generate_series(1, 1000);
SELECT trigger, pg_temp.forge('roles.plain', 'AFTER INSERT ON %s ' || trigger || ' WHEN (''roles.by_page_state''::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write()', 'INSERT INTO %s VALUES (''2026-01-06'', NULL)') FROM
    unnest('{FOR EACH ROW,FOR EACH STATEMENT,REFERENCING NEW TABLE AS another,REFERENCING NEW TABLE AS rollup_new}'::text[]) AS trigger;
SELECT trigger, pg_temp.forge('roles.plain', 'AFTER INSERT ON %s ' || trigger || ' WHEN (''roles.by_page_row_state''::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write()', 'INSERT INTO %s VALUES (''2026-01-06'', NULL)') FROM
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
SELECT pg_temp.error_of('INSERT INTO moved_away VALUES (''2026-01-05'')');
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
SELECT rollup_refresh('sketches_alice.daily');
SET ROLE sketches_mallory;
CREATE TABLE sketches_mallory.more () INHERITS (sketches_mallory.visits);
INSERT INTO sketches_mallory.more VALUES ('2026-01-05');
CREATE POLICY say ON sketches_mallory.more USING (sketches_mallory.say());
ALTER TABLE sketches_mallory.more ENABLE ROW LEVEL SECURITY;
GRANT SELECT, TRIGGER ON sketches_mallory.more TO sketches_alice;
SET ROLE sketches_alice;
SELECT problem FROM rollup_status('sketches_alice.daily');
SELECT rollup_refresh('sketches_alice.daily');
SELECT n, problem FROM sketches_alice.daily, rollup_status('sketches_alice.daily');
SET ROLE sketches_mallory;
SELECT rollup_create('sketches_mallory.own', 'SELECT at, count(*) AS n FROM sketches_mallory.child GROUP BY 1') AS refused;
CREATE TABLE sketches_mallory.alone (at date NOT NULL);
SELECT rollup_create('sketches_mallory.own', 'SELECT at, count(*) AS n FROM sketches_mallory.alone GROUP BY 1');
CREATE POLICY say ON sketches_mallory.own_state USING (sketches_mallory.say());
ALTER TABLE sketches_mallory.own_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE sketches_mallory.own_state FORCE ROW LEVEL SECURITY;
RESET ROLE;
SELECT rollup, problem FROM rollup_list() WHERE rollup = 'sketches_mallory.own'::regclass;

-- A partition that came is followed by who may make triggers there, and read the columns of the query.
CREATE SCHEMA sketches_far AUTHORIZATION sketches_mallory;
GRANT USAGE ON SCHEMA sketches_mallory TO sketches_alice;
SET ROLE sketches_mallory;
CREATE TABLE sketches_mallory.parted (at date NOT NULL, x int) PARTITION BY RANGE (at);
CREATE TABLE sketches_mallory.parted_1 PARTITION OF sketches_mallory.parted FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE sketches_mallory.parted_2 PARTITION OF sketches_mallory.parted FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
GRANT SELECT, TRIGGER ON sketches_mallory.parted, sketches_mallory.parted_1, sketches_mallory.parted_2 TO sketches_alice;
SET ROLE sketches_alice;
SELECT rollup_create('sketches_alice.of_parted', 'SELECT at, count(*) AS n FROM sketches_mallory.parted GROUP BY 1');
SET ROLE sketches_mallory;
ALTER TABLE sketches_mallory.parted DETACH PARTITION sketches_mallory.parted_1;
CREATE TABLE sketches_far.parted_3 PARTITION OF sketches_mallory.parted FOR VALUES FROM ('2026-03-01') TO ('2026-04-01');
INSERT INTO sketches_far.parted_3 VALUES ('2026-03-05', 1);
CREATE FUNCTION pg_temp.try(grants text) RETURNS TABLE (refresh text, repair text, problem text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE grants;
    SET ROLE sketches_alice;
    RETURN QUERY SELECT pg_temp.error_of($_$SELECT rollup_refresh('sketches_alice.of_parted')$_$), pg_temp.error_of($_$SELECT rollup_repair('sketches_alice.of_parted')$_$), s.problem FROM rollup_status('sketches_alice.of_parted') AS s;
    SET ROLE sketches_mallory;
END $$;
SELECT grants, tried.* FROM unnest('{SELECT,GRANT USAGE ON SCHEMA sketches_far TO sketches_alice,"GRANT TRIGGER ON sketches_far.parted_3 TO sketches_alice",GRANT SELECT (x) ON sketches_far.parted_3 TO sketches_alice}'::text[]) AS grants, pg_temp.try(grants) AS tried;
INSERT INTO sketches_mallory.parted_1 VALUES ('2026-01-05', 1);
TRUNCATE sketches_mallory.parted_1;
-- What a refresh counted of one that it could not follow may go, and nothing logs that.
INSERT INTO sketches_mallory.parted VALUES ('2026-03-06', 1);
SET ROLE sketches_alice;
SELECT rollup_refresh('sketches_alice.of_parted');
SELECT problem FROM rollup_status('sketches_alice.of_parted');
SET ROLE sketches_mallory;
DELETE FROM sketches_far.parted_3 WHERE at = '2026-03-06';
GRANT SELECT (at) ON sketches_far.parted_3 TO sketches_alice;
SET ROLE sketches_alice;
SELECT problem FROM rollup_status('sketches_alice.of_parted');
SELECT rollup_refresh('sketches_alice.of_parted');
SELECT problem FROM rollup_status('sketches_alice.of_parted');
SET ROLE sketches_mallory;
INSERT INTO sketches_far.parted_3 VALUES ('2026-03-05', 1);
RESET ROLE;
TABLE sketches_alice.of_parted;
SET client_min_messages = error;
DROP FUNCTION pg_temp.try(text);
DROP TABLE sketches_mallory.parted CASCADE;
DROP SCHEMA sketches_far CASCADE;
SET client_min_messages = warning;

-- A stranger's table of the name of a partition that was dropped is not missed, and keeps no row of the state: neither when numbers
-- tell them apart, nor after a restore, when numbers are others. One of the owner's is.
CREATE SCHEMA sketches_names;
GRANT ALL ON SCHEMA sketches_names TO sketches_mallory;
CREATE TABLE sketches_names.named (at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE sketches_names.named_1 PARTITION OF sketches_names.named DEFAULT;
SELECT rollup_create('sketches_names.r', 'SELECT at, count(*) AS n FROM sketches_names.named GROUP BY 1');
DROP TABLE sketches_names.named_1;
SET ROLE sketches_mallory;
CREATE TABLE sketches_names.named_1 (at date NOT NULL);
CREATE TRIGGER f AFTER INSERT ON sketches_names.named_1 REFERENCING NEW TABLE AS n WHEN ('sketches_names.r_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write();
INSERT INTO sketches_names.named_1 VALUES ('2026-01-05');
RESET ROLE;
SELECT missed FROM sketches_names.r_state;
SELECT rollup_refresh('sketches_names.r');
SELECT missed FROM sketches_names.r_state;
UPDATE sketches_names.r_state SET followed[1] = '0';
SET ROLE sketches_mallory;
INSERT INTO sketches_names.named_1 VALUES ('2026-01-05');
RESET ROLE;
SELECT missed FROM sketches_names.r_state;
ALTER TABLE sketches_names.named_1 OWNER TO CURRENT_USER;
INSERT INTO sketches_names.named_1 VALUES ('2026-01-05');
SELECT missed[2] FROM sketches_names.r_state;
SET client_min_messages = error;
DROP SCHEMA sketches_names CASCADE;
SET client_min_messages = warning;

-- Who may not make triggers of a table does not lock it either.
CREATE TABLE secret (at date NOT NULL);
GRANT USAGE ON SCHEMA roles TO sketches_mallory;
SET ROLE sketches_mallory;
BEGIN;
SELECT pg_temp.error_of($$SELECT rollup_create('sketches_mallory.secret', 'SELECT at, count(*) FROM roles.secret GROUP BY 1')$$);
SELECT mode FROM pg_locks WHERE relation = 'roles.secret'::regclass AND pid = pg_backend_pid() AND mode <> 'AccessShareLock';
COMMIT;
RESET ROLE;

-- A trigger BEFORE has no rows: neither those of a temporary view, whose functions would run as the owner of the rollup,
-- nor such as are not written in the end. An UPDATE of somebody's is not ended by others in the midst.
CREATE SCHEMA sketches_before;
CREATE TABLE sketches_before.t (at date NOT NULL, x int);
CREATE TABLE sketches_before.parts (at date NOT NULL, x int) PARTITION BY RANGE (at);
CREATE TABLE sketches_before.part PARTITION OF sketches_before.parts FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE sketches_before.rest PARTITION OF sketches_before.parts DEFAULT;
SELECT rollup_create('sketches_before.r', 'SELECT at, count(*) AS n FROM sketches_before.t GROUP BY 1'),
    rollup_create('sketches_before.by_row', 'SELECT at, count(*) AS n FROM sketches_before.t GROUP BY 1', each_row => true),
    rollup_create('sketches_before.p', 'SELECT at, count(*) AS n FROM sketches_before.parts GROUP BY 1');
SELECT rollup, rollup_refresh(rollup) FROM unnest('{sketches_before.r,sketches_before.by_row,sketches_before.p}'::regclass[]) AS rollup;
GRANT USAGE ON SCHEMA sketches_before TO sketches_mallory;
GRANT ALL ON sketches_before.t, sketches_before.parts TO sketches_mallory;
SET ROLE sketches_mallory;
CREATE FUNCTION pg_temp.as_whom() RETURNS date LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
CREATE TEMP VIEW rollup_new AS SELECT pg_temp.as_whom() AS at, 1 AS x;
CREATE TEMP VIEW rollup_old AS TABLE rollup_new;
GRANT SELECT ON rollup_new, rollup_old TO PUBLIC;
BEGIN;
SELECT trigger, pg_temp.error_of(format('CREATE TRIGGER %I BEFORE %s ON sketches_before.t %s WHEN (''sketches_before.%s_state''::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write()', trigger, event, level, rollup) || '; ' || statement) AS refused
FROM (VALUES ('r', 'INSERT', '', $$INSERT INTO sketches_before.t SELECT WHERE false$$), ('r', 'UPDATE', '', $$UPDATE sketches_before.t SET x = 1$$),
    ('r', 'DELETE', '', $$DELETE FROM sketches_before.t$$),
    ('by_row', 'INSERT', 'FOR EACH ROW', $$INSERT INTO sketches_before.t VALUES ('2026-01-05')$$)) AS f (rollup, event, level, statement),
    LATERAL (SELECT concat_ws(' ', rollup, event, level)) AS n (trigger);
ROLLBACK;
CREATE TRIGGER f BEFORE INSERT ON sketches_before.t FOR EACH ROW WHEN ('sketches_before.by_row_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write();
DROP VIEW rollup_new, rollup_old;
RESET ROLE;
SELECT problem FROM rollup_status('sketches_before.by_row');
SELECT rollup_repair('sketches_before.by_row');
SELECT problem FROM rollup_status('sketches_before.by_row');
INSERT INTO sketches_before.parts VALUES ('2026-01-05', 1), ('2026-01-05', 2);
SELECT rollup_refresh('sketches_before.p');
SELECT current_setting('server_version_num')::int < 150000 AS has_no_merge \gset
SET ROLE sketches_mallory;
CREATE FUNCTION pg_temp.later() RETURNS date LANGUAGE plpgsql AS $$ BEGIN UPDATE sketches_before.parts SET x = x WHERE false; RETURN '2026-02-05'; END $$;
\if :has_no_merge
UPDATE sketches_before.parts SET at = pg_temp.later() WHERE x = 1;
\else
MERGE INTO sketches_before.parts USING (VALUES (1)) AS s (x) ON parts.x = s.x WHEN MATCHED THEN UPDATE SET at = pg_temp.later();
\endif
RESET ROLE;
TABLE sketches_before.p ORDER BY at;

-- Who looks at all rollups keeps nobody from anything afterwards. More ways up than time.
BEGIN;
SELECT count(*) > 3 AS listed FROM rollup_list();
SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('sketches_before.t'::regclass, 'sketches_before.r'::regclass);
COMMIT;
CREATE TEMP TABLE above (x int);
CREATE TEMP TABLE a0 () INHERITS (above);
CREATE TEMP TABLE b0 () INHERITS (above);
SELECT format('CREATE TEMP TABLE %s%s () INHERITS (a%s, b%s)', name, i, i - 1, i - 1) FROM generate_series(1, 40) AS i, unnest('{a,b}'::text[]) AS name ORDER BY i, name \gexec
CREATE TRIGGER f AFTER INSERT ON a40 WHEN ('sketches_before.r_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write();
CREATE TRIGGER g AFTER INSERT ON a39 REFERENCING NEW TABLE AS n WHEN ('sketches_before.r_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write();
SET statement_timeout = '5s';
SELECT name, regexp_replace(pg_temp.error_of(format('INSERT INTO %s VALUES (1)', name)), 'pg_temp_\d+', 'pg_temp', 'g') AS refused FROM unnest('{a40,a39}'::text[]) AS name;
RESET statement_timeout;

-- Nor by a trigger on what the rollup writes, as after GRANT ALL ON ALL TABLES.
CREATE FUNCTION pg_temp.as_owner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
ALTER FUNCTION pg_temp.as_owner() OWNER TO sketches_mallory;
GRANT TRIGGER ON ALL TABLES IN SCHEMA sketches_before TO sketches_mallory;
SELECT part, pg_temp.error_of(format('SET LOCAL ROLE sketches_mallory; CREATE TRIGGER f BEFORE INSERT OR UPDATE OR DELETE ON sketches_before.%s FOR EACH ROW EXECUTE FUNCTION pg_temp.as_owner(); SET LOCAL ROLE none', part)),
    pg_temp.error_of($$INSERT INTO sketches_before.t VALUES ('2026-01-05')$$) AS writer, pg_temp.error_of($$SELECT rollup_refresh('sketches_before.r')$$) AS refresh,
    pg_temp.error_of(format('DROP TRIGGER f ON sketches_before.%s', part))
FROM unnest('{r_log,r_rows,r_state}'::text[]) AS part;
-- A condition runs as the owner, too, whatever function the trigger has. A repair writes the state, and so does who writes a
-- partition that was detached.
CREATE FUNCTION pg_temp.is_owner() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
ALTER FUNCTION pg_temp.is_owner() OWNER TO sketches_mallory;
SELECT part, pg_temp.error_of(format('SET LOCAL ROLE sketches_mallory; CREATE TRIGGER f AFTER INSERT OR UPDATE OR DELETE ON sketches_before.%s FOR EACH STATEMENT WHEN (pg_temp.is_owner()) EXECUTE FUNCTION suppress_redundant_updates_trigger(); SET LOCAL ROLE none', part)),
    pg_temp.error_of($$INSERT INTO sketches_before.t VALUES ('2026-01-05')$$) AS writer, pg_temp.error_of($$SELECT rollup_refresh('sketches_before.r')$$) AS refresh,
    pg_temp.error_of(format('DROP TRIGGER f ON sketches_before.%s', part))
FROM unnest('{r_log,r_rows,r_state}'::text[]) AS part;
CREATE TRIGGER f BEFORE INSERT ON sketches_before.r_state FOR EACH STATEMENT WHEN (pg_temp.is_owner()) EXECUTE FUNCTION suppress_redundant_updates_trigger();
SELECT pg_temp.error_of($$SELECT rollup_repair('sketches_before.r')$$), pg_temp.by_someone(problem) AS problem FROM rollup_status('sketches_before.r');
DROP TRIGGER f ON sketches_before.r_state;
-- Nor by a foreign key to what it writes, whose actions fire triggers of others; nor by an aggregate that the state names.
CREATE TABLE sketches_before.days (d date NOT NULL, x int);
SELECT rollup_create('sketches_before.of_days', 'SELECT d, count(*) AS n, max(x) AS x FROM sketches_before.days GROUP BY 1');
INSERT INTO sketches_before.days VALUES ('2026-01-05', 1), ('2026-01-06', 2);
SELECT rollup_refresh('sketches_before.of_days');
CREATE TABLE sketches_before.referencing (d date REFERENCES sketches_before.of_days_rows ON DELETE CASCADE);
CREATE TRIGGER f AFTER DELETE ON sketches_before.referencing FOR EACH ROW EXECUTE FUNCTION pg_temp.as_owner();
ALTER TABLE sketches_before.referencing OWNER TO sketches_mallory;
INSERT INTO sketches_before.referencing VALUES ('2026-01-05');
DELETE FROM sketches_before.days WHERE d = '2026-01-05';
SELECT pg_temp.error_of($$SELECT rollup_refresh('sketches_before.of_days')$$), pg_temp.by_someone(problem) AS problem FROM rollup_status('sketches_before.of_days');
DROP TABLE sketches_before.referencing;
CREATE FUNCTION pg_temp.as_owner(int, int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
CREATE AGGREGATE sketches_before.most(int) (SFUNC = pg_temp.as_owner, STYPE = int, INITCOND = 0);
UPDATE sketches_before.of_days_state SET merge = '{"x": "sketches_before.most"}';
SELECT rollup_repair('sketches_before.of_days');
INSERT INTO sketches_before.days VALUES ('2026-01-06', 3);
SELECT rollup_refresh('sketches_before.of_days'), problem FROM rollup_status('sketches_before.of_days');
INSERT INTO sketches_before.days VALUES ('2026-01-06', 4);
TABLE sketches_before.of_days;
SELECT rollup_drop('sketches_before.of_days');
DROP AGGREGATE sketches_before.most(int);
DROP FUNCTION pg_temp.as_owner(int, int);
CREATE TABLE sketches_before.parted (d date NOT NULL) PARTITION BY RANGE (d);
CREATE TABLE sketches_before.parted_1 PARTITION OF sketches_before.parted DEFAULT;
SELECT rollup_create('sketches_before.of_parted', 'SELECT d, count(*) AS n FROM sketches_before.parted GROUP BY 1');
SELECT rollup_refresh('sketches_before.of_parted');
ALTER TABLE sketches_before.parted DETACH PARTITION sketches_before.parted_1;
CREATE TRIGGER f BEFORE UPDATE ON sketches_before.of_parted_state FOR EACH ROW EXECUTE FUNCTION pg_temp.as_owner();
SELECT pg_temp.error_of($$INSERT INTO sketches_before.parted_1 VALUES ('2026-01-05')$$);
SELECT rollup_drop('sketches_before.of_parted');
CREATE TRIGGER f AFTER INSERT ON sketches_before.r_log EXECUTE FUNCTION pg_temp.as_owner();
SELECT pg_temp.by_someone(problem) AS problem FROM rollup_status('sketches_before.r');
DROP TRIGGER f ON sketches_before.r_log;
SELECT rollup_refresh('sketches_before.r'), problem FROM rollup_status('sketches_before.r');

-- Two columns that change their names: the same ones are logged still.
CREATE TABLE sketches_before.two (at date NOT NULL, a int, b int);
SELECT rollup_create('sketches_before.sum_of_a', 'SELECT at, sum(a) AS a, count(b) AS n FROM sketches_before.two GROUP BY 1');
ALTER TABLE sketches_before.two RENAME a TO x;
ALTER TABLE sketches_before.two RENAME b TO a;
ALTER TABLE sketches_before.two RENAME x TO b;
SELECT pg_temp.error_of($$INSERT INTO sketches_before.two VALUES ('2026-01-05', 1, 100)$$), problem FROM rollup_status('sketches_before.sum_of_a');
SELECT rollup_refresh('sketches_before.sum_of_a');
INSERT INTO sketches_before.two (b, at, a) VALUES (1, '2026-01-05', 100);
TABLE sketches_before.sum_of_a;

-- Also when a column has got the name of another, of a type that its owner made.
GRANT ALL ON SCHEMA sketches_before TO sketches_mallory;
SET ROLE sketches_mallory;
CREATE TABLE sketches_before.swapped (at date NOT NULL, x int);
RESET ROLE;
SELECT rollup_create('sketches_before.sums', 'SELECT at, sum(x) AS x FROM sketches_before.swapped GROUP BY 1');
SET ROLE sketches_mallory;
CREATE TYPE sketches_before.own AS (x int);
CREATE FUNCTION sketches_before.as_whom(sketches_before.own) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
CREATE CAST (sketches_before.own AS int) WITH FUNCTION sketches_before.as_whom(sketches_before.own) AS IMPLICIT;
ALTER TABLE sketches_before.swapped RENAME x TO before;
ALTER TABLE sketches_before.swapped ADD x sketches_before.own;
INSERT INTO sketches_before.swapped VALUES ('2026-01-05', 1, ROW (1));
RESET ROLE;
SELECT rollup_refresh('sketches_before.sums'), problem FROM rollup_status('sketches_before.sums');
TABLE sketches_before.sums;

-- The types of a state's columns are not the owner's choice, whose casts would be executed by who lists rollups.
CREATE SCHEMA sketches_cast AUTHORIZATION sketches_mallory;
SET ROLE sketches_mallory;
CREATE TABLE sketches_cast.t (at date NOT NULL);
SELECT rollup_create('sketches_cast.r', 'SELECT at, count(*) AS n FROM sketches_cast.t GROUP BY 1');
CREATE TYPE sketches_cast.own AS (x int);
CREATE FUNCTION sketches_cast.is_true(sketches_cast.own) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'canceling' USING ERRCODE = 'query_canceled'; END $$;
CREATE CAST (sketches_cast.own AS boolean) WITH FUNCTION sketches_cast.is_true(sketches_cast.own) AS IMPLICIT;
ALTER TABLE sketches_cast.r_state DROP each_row;
ALTER TABLE sketches_cast.r_state ADD each_row sketches_cast.own DEFAULT ROW (1);
RESET ROLE;
SELECT problem FROM rollup_list() WHERE rollup = 'sketches_cast.r'::regclass;

-- A state that somebody made up, and that a newer version seems to have stored, keeps nobody from a rollup that it names.
CREATE TABLE sketches_before.f (at date NOT NULL);
SELECT rollup_create('sketches_before.of_f', 'SELECT at, count(*) AS n, max(at) AS last FROM sketches_before.f GROUP BY 1');
GRANT USAGE ON SCHEMA sketches_before TO sketches_mallory;
SET ROLE sketches_mallory;
CREATE TABLE sketches_cast.newer (form int DEFAULT 2, use_rollup_drop regclass DEFAULT 'sketches_before.of_f'::regclass);
CREATE TABLE sketches_cast.newer_level (form int DEFAULT 2, use_rollup_drop regclass, below regclass DEFAULT 'sketches_before.of_f_state'::regclass);
RESET ROLE;
INSERT INTO sketches_before.f VALUES ('2026-01-01');
SELECT rollup_refresh('sketches_before.of_f'), rollup_repair('sketches_before.of_f');
SELECT rollup, problem FROM rollup_list() WHERE rollup = 'sketches_before.of_f'::regclass;
DROP TABLE sketches_cast.newer;
SELECT rollup_alter('sketches_before.of_f', 'SELECT at, count(*) AS n FROM sketches_before.f GROUP BY 1');
DROP TABLE sketches_cast.newer_level;
SELECT rollup_drop('sketches_before.of_f');

-- Nor does the schema of the extension belong to somebody who could rename it, and make another of its name.
SELECT nspname AS sketches, nspowner::regrole AS before FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'sketches' \gset
ALTER SCHEMA :sketches OWNER TO sketches_mallory;
SELECT problem LIKE 'the schema of sketches_before.r_state or of the extension%' AS is_reported FROM rollup_status('sketches_before.r');
SELECT pg_temp.error_of($$SELECT rollup_create('sketches_before.r2', 'SELECT at, count(*) AS n FROM sketches_before.t GROUP BY 1')$$) ~ 'belongs to a role that could replace' AS is_refused;
ALTER SCHEMA :sketches OWNER TO :before;
SET client_min_messages = warning;
DROP SCHEMA sketches_before, sketches_cast CASCADE;

-- What a rollup's owner could have made of it: nothing of that runs as who changes the query, and nothing of others is locked.
CREATE ROLE sketches_owner;
CREATE SCHEMA sketches_own AUTHORIZATION sketches_owner;
CREATE TABLE public.forged_victim (x int);
SET ROLE sketches_owner;
SET search_path = sketches_own, :sketches;
CREATE TABLE ran (by_whom text, what text);
GRANT INSERT ON ran TO PUBLIC;
CREATE FUNCTION note() RETURNS void LANGUAGE plpgsql AS 'BEGIN INSERT INTO sketches_own.ran SELECT current_user, ''folded'' WHERE current_user <> ''sketches_owner''; END';
CREATE FUNCTION evil(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM sketches_own.note(); RETURN $1; END';
CREATE FUNCTION zone() RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM sketches_own.evil(1); RETURN ''UTC''; END';
CREATE TABLE e (at timestamp NOT NULL, g int);
INSERT INTO e VALUES ('2026-01-01', 1);
SELECT :sketches.rollup_create('r', 'SELECT at::date AS day, count(*) AS n, sum(g + evil(1)) AS s, max(at AT TIME ZONE zone()) AS z FROM e GROUP BY day');
SELECT :sketches.rollup_create('lev', 'SELECT day, sum(n) AS n, avg(s) AS a FROM r GROUP BY day');
SELECT :sketches.rollup_refresh('lev');
RESET ROLE;
SET ROLE sketches_owner;
SELECT :sketches.rollup_create('r2', 'SELECT at::date AS day, count(*) AS n, sum(g + evil(1)) AS s, max(at AT TIME ZONE zone()) AS z FROM e GROUP BY day');
SELECT :sketches.rollup_refresh('r2');
RESET ROLE;
SELECT :sketches.rollup_alter('r2', 'SELECT at::date AS day, count(*) AS n, avg(g) AS a FROM e GROUP BY day');
SELECT :sketches.rollup_refresh('r2');
SELECT :sketches.rollup_alter('lev', 'SELECT day, sum(n) AS n, avg(s) AS a, sum(s) + 1 AS b FROM r GROUP BY day');
SELECT count(*) FROM :sketches.rollup_list();
SELECT count(*) AS none FROM ran;
-- A part that the state names, of others.
SET ROLE sketches_owner;
SELECT :sketches.rollup_alter('r2', 'SELECT at::date AS day, count(*) AS n, avg(g) AS a, max(g) AS m FROM e GROUP BY day');
SELECT :sketches.rollup_refresh('r2');
ALTER TABLE r2_state ADD late regclass DEFAULT 'public.forged_victim'::regclass;
BEGIN;
SELECT :sketches.rollup_refresh('r2');
SELECT mode AS none FROM pg_locks WHERE relation = 'public.forged_victim'::regclass AND pid = pg_backend_pid() AND mode NOT LIKE 'Access%';
SELECT mode AS none FROM pg_locks WHERE relation = 'public.forged_victim'::regclass AND pid = pg_backend_pid() AND mode = 'AccessExclusiveLock';
ROLLBACK;
ALTER TABLE r_state ALTER log SET DEFAULT 'public.forged_victim'::regclass;
BEGIN;
DO $$ BEGIN PERFORM rollup_alter('sketches_own.lev', 'SELECT day, sum(n) AS n, avg(s) AS a FROM sketches_own.r GROUP BY day'); EXCEPTION WHEN OTHERS THEN NULL; END $$;
SELECT mode AS none FROM pg_locks WHERE relation = 'public.forged_victim'::regclass AND pid = pg_backend_pid() AND mode NOT LIKE 'Access%';
ROLLBACK;
SELECT left(pg_temp.error_of(s), 110) FROM unnest(ARRAY[$$SELECT rollup_alter('sketches_own.lev', 'SELECT day, sum(n) AS n, avg(s) AS a FROM sketches_own.r GROUP BY day')$$, $$SELECT rollup_repair('sketches_own.lev')$$]) AS s;
ALTER TABLE r_state ALTER log SET DEFAULT 'r_log'::regclass;
-- A state whose default is computed, a log with another mark, a level below itself: told, at once, to all who list.
CREATE FUNCTION raises() RETURNS jsonb LANGUAGE plpgsql AS 'BEGIN RAISE query_canceled; END';
ALTER TABLE r_state ALTER merge SET DEFAULT raises();
RESET ROLE;
SELECT rollup, left(problem, 80) AS problem FROM :sketches.rollup_list() WHERE rollup::text ~ '^(r|lev)$' ORDER BY rollup::text;
SET ROLE sketches_owner;
ALTER TABLE r_state ALTER merge SET DEFAULT '{}';
CREATE VIEW q AS SELECT day, sum(n) AS n FROM lev GROUP BY day;
ALTER TABLE lev_state ALTER query SET DEFAULT 'q'::regclass, ALTER below SET DEFAULT 'lev_state'::regclass;
RESET ROLE;
SELECT rollup, left(problem, 120) AS problem FROM :sketches.rollup_list() WHERE rollup::text ~ '^(r|lev)$' ORDER BY rollup::text;
SELECT left(pg_temp.error_of($$SELECT rollup_refresh('sketches_own.lev')$$), 110);
SET search_path = roles, public;
SET client_min_messages = error;
DROP SCHEMA sketches_own CASCADE;
DROP TABLE public.forged_victim;
DROP ROLE sketches_owner;
SET client_min_messages = warning;

SET client_min_messages = error;
DROP TABLE forged_temp;
DROP FUNCTION pg_temp.as_whom(), pg_temp.later(), pg_temp.as_owner(), pg_temp.is_owner(), pg_temp.forge(text, text, text);
DROP SCHEMA roles, sketches_mallory, sketches_alice CASCADE;
DROP ROLE sketches_mallory, sketches_alice;
