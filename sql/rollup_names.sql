-- Names that quote: whoever may rename something under a rollup runs nothing as its owner, and it stays right.
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE ROLE sketches_alice;
CREATE ROLE sketches_reader;
CREATE SCHEMA names;
GRANT USAGE ON SCHEMA names TO sketches_alice, sketches_reader;
CREATE SEQUENCE names.caught;    -- which an error does not roll back
GRANT USAGE ON SEQUENCE names.caught TO PUBLIC;
CREATE SCHEMA a AUTHORIZATION sketches_alice;
GRANT USAGE ON SCHEMA a TO PUBLIC;
SET ROLE sketches_alice;
CREATE FUNCTION a.f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('names.caught'); RETURN ''; END $$;
CREATE FUNCTION a.g(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT lower($1)';
CREATE TYPE a.mood AS ENUM ('sad', 'glad');
CREATE TABLE a.visits (at timestamp NOT NULL, page text, mood a.mood);
RESET ROLE;

-- What a rename makes of a name, in turn; each calls f(), if it gets out of its quotes.
CREATE FUNCTION pg_temp.bad_names() RETURNS SETOF text LANGUAGE sql AS $names$
    SELECT left(format(shape, quote), 63) FROM
        (VALUES ('$rollup$'), ('$$'), ($q$'$q$), ('"'), ('\'), ('*/'), ('--'), ('{x}'), ('%s'), (E'\n'), (E'\r')) AS q (quote),
        (VALUES ('x%1$s||a.f()||%1$sx')) AS s (shape) $names$;

-- Everything that a user calls, as the owner, and as others. Returns what went wrong.
CREATE FUNCTION pg_temp.rollup_of(source regclass) RETURNS regclass LANGUAGE sql AS 'SELECT rollup FROM rollup_list() AS l WHERE l.source = $1';
CREATE FUNCTION pg_temp.call_all(source regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    rollup regclass := pg_temp.rollup_of(source);
    found text;
    expected text;
    query text;
    added text;
    columns text[] := (SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid = source AND attnum > 0);
BEGIN
    FOREACH found IN ARRAY ARRAY['none', 'sketches_alice', 'sketches_reader', 'pg_monitor'] LOOP
        EXECUTE format('SET LOCAL ROLE %I', found);
        PERFORM * FROM rollup_list();
        IF found <> 'sketches_alice' THEN PERFORM * FROM rollup_status(rollup); END IF;
    END LOOP;
    SET LOCAL ROLE none;
    PERFORM rollup_repair(rollup);
    SET LOCAL ROLE sketches_alice;
    EXECUTE format('INSERT INTO %s VALUES (''2026-01-01 01:00'', ''B'', (enum_range(NULL::%s))[2])', source, (SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = source AND attnum = 3));
    SET LOCAL ROLE none;
    PERFORM rollup_refresh(rollup);
    EXECUTE format('UPDATE %s SET %I = ''C'' WHERE %2$I = ''B''', source, (SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum = 2));
    EXECUTE format('DELETE FROM %s WHERE ctid = (SELECT ctid FROM %1$s LIMIT 1)', source);
    IF EXISTS (SELECT FROM rollup_check(rollup)) THEN RETURN 'differs before a refresh'; END IF;
    PERFORM rollup_freeze(rollup, '2025-01-01');
    EXECUTE format('SELECT string_agg(v::text, '';'' ORDER BY v) FROM %s AS v', rollup) INTO found;
    EXECUTE format('SELECT string_agg(q::text, '';'' ORDER BY q) FROM (SELECT date_trunc(''hour'', %I) AS h, lower(%I) AS p, count(*) AS n, count(*) FILTER (WHERE %I = (enum_range(NULL::%s))[1]) AS s FROM %s GROUP BY 1, 2) AS q',
        (SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum = 1), (SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum = 2),
        (SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum = 3), (SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = source AND attnum = 3), source) INTO expected;
    IF found IS DISTINCT FROM expected THEN RETURN format('%s and not %s', found, expected); END IF;
    -- A column comes, and goes, for which the view is made anew.
    FOREACH added IN ARRAY ARRAY[', max(1) AS m', ''] LOOP
        SELECT format('SELECT date_trunc(''hour'', %I) AS %I, %s(%I) AS %I, count(*) AS %I, count(*) FILTER (WHERE %I = %L::%s) AS %I%s FROM %s GROUP BY 1, 2',
            columns[1], labels[1], p.oid::regproc, columns[2], labels[2], labels[3], columns[3], enumlabel, enumtypid::regtype, labels[4], added, source) INTO query
            FROM pg_class AS c JOIN pg_proc AS p ON pronamespace = relnamespace AND pronargs = 1 JOIN pg_attribute ON attrelid = c.oid AND attnum = 3 JOIN pg_enum ON enumtypid = atttypid AND enumsortorder = 1,
                (SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid = rollup AND attnum > 0) AS v (labels) WHERE c.oid = source;
        PERFORM rollup_alter(rollup, query);
        rollup := pg_temp.rollup_of(source);
    END LOOP;
    IF NOT has_table_privilege('sketches_reader', rollup, 'SELECT') THEN RETURN 'may not be read any more'; END IF;
    RETURN (SELECT problem FROM rollup_status(rollup));
END $$;

CREATE SCHEMA dba;
GRANT USAGE ON SCHEMA dba TO PUBLIC;
SELECT rollup_create('dba.hourly', $$SELECT date_trunc('hour', at) AS hour, a.g(page) AS page, count(*) AS n, count(*) FILTER (WHERE mood = 'sad'::a.mood) AS sad FROM a.visits GROUP BY 1, 2$$);
GRANT SELECT ON dba.hourly TO sketches_reader;
INSERT INTO a.visits SELECT timestamp '2026-01-01' + i * interval '10 min', 'p' || i % 3, (enum_range(NULL::a.mood))[1 + i % 2] FROM generate_series(1, 20) AS i;
SELECT pg_temp.call_all('a.visits');

-- Renamed, back again, and that in each turn. NULL: nothing is wrong.
CREATE FUNCTION pg_temp.renamed(statement text, was text) RETURNS TABLE (name text, wrong text) LANGUAGE plpgsql AS $$
DECLARE
    source regclass := 'a.visits';
BEGIN
    FOR name IN SELECT pg_temp.bad_names() LOOP
        BEGIN
            EXECUTE format(statement, was, name);
            wrong := pg_temp.call_all(source);
        EXCEPTION WHEN OTHERS THEN
            wrong := SQLSTATE || ' ' || SQLERRM;
        END;
        IF wrong IS NULL THEN
            EXECUTE format(statement, name, was);
        ELSE
            RETURN NEXT;
        END IF;
    END LOOP;
    PERFORM rollup_repair(pg_temp.rollup_of(source));
END $$;
SELECT count(*) AS names FROM pg_temp.bad_names();
SELECT * FROM pg_temp.renamed('ALTER TABLE a.visits RENAME %I TO %I', 'page');
SELECT * FROM pg_temp.renamed('ALTER TABLE a.%I RENAME TO %I', 'visits');
SELECT * FROM pg_temp.renamed('ALTER FUNCTION a.%I(text) RENAME TO %I', 'g');
SELECT * FROM pg_temp.renamed('ALTER TYPE a.%I RENAME TO %I', 'mood');
SELECT * FROM pg_temp.renamed('ALTER TYPE a.mood RENAME VALUE %L TO %L', 'sad');
SELECT * FROM pg_temp.renamed('ALTER SCHEMA %I RENAME TO %I', 'a');
SELECT * FROM pg_temp.renamed('ALTER VIEW dba.%I RENAME TO %I', 'hourly');
SELECT * FROM pg_temp.renamed('ALTER SCHEMA %I RENAME TO %I', 'dba');
SELECT * FROM pg_temp.renamed('ALTER VIEW dba.hourly RENAME COLUMN %I TO %I', 'n');
SELECT is_called FROM names.caught;
SELECT rollup_drop('dba.hourly');

-- Made with such names: the script of rollup_script, executed, makes the same rollup.
CREATE FUNCTION pg_temp.made(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT date_trunc(''hour'', %1$I) AS %1$I, a.g(%2$I) AS %2$I, count(*) AS %3$I, count(*) FILTER (WHERE %4$I = ''sad''::a.mood) AS %4$I FROM a.%1$I GROUP BY 1, 2',
        left(name, 50), left(name, 49) || '2', left(name, 49) || '3', left(name, 49) || '4');
    called text := format('dba.%I', left(name, 50));
    script text;
BEGIN
    EXECUTE format('CREATE TABLE a.%1$I (%1$I timestamp NOT NULL, %2$I text, %3$I a.mood)', left(name, 50), left(name, 49) || '2', left(name, 49) || '4');
    script := rollup_script(called, query);
    PERFORM rollup_create(called, query);
    EXECUTE format('GRANT SELECT ON %s TO sketches_reader; GRANT ALL ON a.%I TO sketches_alice', called, left(name, 50));
    script := coalesce(pg_temp.call_all(format('a.%I', left(name, 50))::regclass), script);
    PERFORM rollup_drop(called);
    RETURN script;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE pg_temp.scripts AS SELECT name, pg_temp.made(name) AS script FROM pg_temp.bad_names() AS name;
SELECT name, script FROM pg_temp.scripts WHERE script !~ '^-- To be executed';
CREATE FUNCTION pg_temp.executed(name text, script text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE script;
    PERFORM set_config('search_path', 'public', true);
    PERFORM rollup_drop(format('dba.%I', left(name, 50)));
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT name, executed FROM pg_temp.scripts CROSS JOIN LATERAL pg_temp.executed(name, script) AS executed WHERE executed IS NOT NULL;
SELECT is_called FROM names.caught;
SELECT count(*) AS nothing_left FROM pg_class WHERE relnamespace = 'dba'::regnamespace;

-- Groups of a level, whose index is made on what is stored below.
SELECT rollup_create('dba.low', format('SELECT date_trunc(''hour'', at) AS %1$I, count(*) AS n FROM a.visits GROUP BY 1', name)) IS NOT NULL AS made, rollup_create('dba.high', format('SELECT date_trunc(''day'', %1$I) AS %1$I, sum(n) AS n FROM dba.low GROUP BY 1', name)) IS NOT NULL AS made,
    rollup_drop('dba.high'), rollup_drop('dba.low') FROM (VALUES (E'x\n; SELECT a.f(); --')) AS v (name);
SELECT is_called FROM names.caught;

-- Names that are none, and names that are another rollup's now.
CREATE SCHEMA swap;
SET search_path = swap, public;
CREATE TABLE t (d date NOT NULL);
SELECT rollup_create('v', 'SELECT d, count(*) AS n FROM t GROUP BY 1'), rollup_create('new', 'SELECT d, count(*) AS n FROM t GROUP BY 1');
SELECT pg_temp.error_of(format('SELECT rollup_drop(%L)', name)) FROM unnest(ARRAY['no.such.v', 'a.b.c.v', 'no.v', 'v.v', 'v_rows', 'v_query', 'v_state', '', 'v.', '.v', '".v', '"v"."', 't']) AS name;
SELECT pg_temp.error_of(format('SELECT rollup_create(%L, ''SELECT d, count(*) FROM t GROUP BY 1'')', name)) FROM unnest('{no.such.w,pg_temp.w}'::text[]) AS name;
ALTER VIEW v RENAME TO old;
ALTER VIEW new RENAME TO v;
-- What readers use is v, whose parts are called new_...; the parts of old are called v_....
INSERT INTO t VALUES ('2026-01-01');
SELECT pg_temp.error_of('SELECT rollup_drop(''new'')'), pg_temp.error_of('SELECT rollup_create(''new'', ''SELECT d, count(*) FROM t GROUP BY 1'')');
SELECT rollup_drop('old');
SELECT pg_temp.error_of('SELECT rollup_create(''new'', ''SELECT d, count(*) FROM t GROUP BY 1'')'), pg_temp.error_of('SELECT rollup_drop(''new'')');
SELECT rollup_create('old', 'SELECT d, count(*) AS n FROM t GROUP BY 1');
TABLE v;
-- A view goes whose name another one has: the statement that is named drops what is left of it.
ALTER VIEW old RENAME TO passing;
ALTER VIEW v RENAME TO old;
DROP VIEW passing CASCADE;
SELECT rollup, problem FROM rollup_list() WHERE source IS NULL AND problem ~ 'swap|_state';
SELECT pg_temp.error_of('SELECT rollup_drop(''old_state'')');
SELECT rollup, problem FROM rollup_list() WHERE rollup = 'old'::regclass;
TABLE old;
SELECT rollup_drop('old');
SELECT count(*) AS nothing_left FROM pg_class WHERE relnamespace = 'swap'::regnamespace AND relname <> 't';

SET client_min_messages = error;
DROP SCHEMA names, a, dba, swap CASCADE;
DROP ROLE sketches_alice, sketches_reader;
