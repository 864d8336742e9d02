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
CREATE FUNCTION :sketches._rollup_overview(oid, OUT source regclass, OUT period text, OUT problem text) LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
CREATE FUNCTION :sketches._rollup_follows(oid, regprocedure) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'as %', current_user; END $$;
RESET ROLE;
SELECT rollup, problem FROM rollup_list();
INSERT INTO january VALUES ('2026-01-05', 'a');
TABLE daily;
DROP FUNCTION :sketches._rollup_overview(oid), :sketches._rollup_follows(oid, regprocedure);
REVOKE CREATE ON SCHEMA :sketches FROM sketches_mallory;

-- Functions that are granted by default are granted to nobody here.
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO sketches_mallory;
ALTER DEFAULT PRIVILEGES IN SCHEMA roles GRANT EXECUTE ON FUNCTIONS TO sketches_alice;
SELECT rollup_create('granted', 'SELECT at, count(*) AS n FROM hits GROUP BY 1');
SELECT rollup_repair('daily');
SELECT has_function_privilege(role, function, 'EXECUTE') FROM unnest('{sketches_mallory,sketches_alice}'::text[]) AS role, unnest('{granted_trigger(),daily_trigger()}'::text[]) AS function;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM sketches_mallory;
ALTER DEFAULT PRIVILEGES IN SCHEMA roles REVOKE EXECUTE ON FUNCTIONS FROM sketches_alice;

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
DROP SCHEMA roles, sketches_mallory, sketches_alice CASCADE;
DROP ROLE sketches_mallory, sketches_alice;
