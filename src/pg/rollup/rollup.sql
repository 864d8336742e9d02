-- rollup: a query with GROUP BY that is kept up to date. See doc/rollups.md.
--
-- rollup_create is a generator: what it makes are ordinary tables, views and functions of the user's (script.sql.in has
-- their text), and the functions here know a rollup by their names only.

function _rollup_query(query text, stored regclass) -> jsonb
        as sketches_rollup_query cost 10000 stable parallel unsafe
    the parts of the query of a rollup, as SQL that names all schemas; errors: 0A000, 42601, 42501,
    42P17
function _rollup_begin_refresh(source regclass) -> void
        as sketches_rollup_begin_refresh cost 10000 volatile parallel unsafe
    refuses a refresh while a statement of this session writes the table, or where row-level
    security hides rows of it; errors: 55006, 25001, 42501

include rollup/script.sql.in:

-- These two read the query with the search_path of the caller. The extension may be in any schema.

CREATE FUNCTION rollup_script(name text, query text, merge jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql STRICT AS $$
DECLARE
    script text;
BEGIN
    EXECUTE pg_catalog.format(
        'SELECT pg_catalog.array_to_string(objects OPERATOR(pg_catalog.||) watch, E''\n\n'') FROM %s._rollup_script($1, $2, %1$s._rollup_merge(%1$s._rollup_query($3, 0), $4))',
        (SELECT extnamespace::pg_catalog.regnamespace FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'sketches'))
       INTO script USING name, coalesce(pg_catalog.current_schema(), ''), query, merge;
    RETURN script;
END $$;
COMMENT ON FUNCTION rollup_script(text, text, jsonb) IS
    'the script that rollup_create would run; errors: 0A000, 42601, 42501, 42P17, 42602, 3F000, 42883';

CREATE FUNCTION rollup_create(name text, query text, merge jsonb DEFAULT '{}') RETURNS regclass LANGUAGE plpgsql STRICT AS $$
DECLARE
    made record;
    statement text;
    path text := pg_catalog.current_setting('search_path');
BEGIN
    EXECUTE pg_catalog.format(
        'SELECT * FROM %s._rollup_script($1, $2, %1$s._rollup_merge(%1$s._rollup_query($3, 0), $4))',
        (SELECT extnamespace::pg_catalog.regnamespace FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'sketches'))
       INTO made USING name, coalesce(pg_catalog.current_schema(), ''), query, merge;
    -- Names of pg_catalog stand alone in the script, whatever comes before it in the search_path.
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    FOREACH statement IN ARRAY made.objects OPERATOR(pg_catalog.||) made.watch LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM pg_catalog.set_config('search_path', path, true);
    IF made.advice IS NOT NULL THEN
        RAISE NOTICE USING MESSAGE = made.advice;
    END IF;
    RETURN made.rollup;
END $$;
COMMENT ON FUNCTION rollup_create(text, text, jsonb) IS
    'makes a rollup and returns its view, which equals the query at every snapshot; merge names the aggregate that merges a column where there is no usual one; errors: 0A000, 42601, 42501, 42P17, 42602, 3F000, 42883, 42P07, 42710, 42723';

-- The others find the parts of a rollup by the name of its view.

CREATE FUNCTION rollup_refresh(rollup regclass, back_to text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    refresh record;
    stored bigint;
BEGIN
    SELECT p.oid::regproc AS name, pronargs > 0 AS has_period INTO refresh
      FROM pg_class AS c JOIN pg_proc AS p ON pronamespace = relnamespace AND proname = relname || '_refresh'
     WHERE c.oid = rollup AND prosecdef AND proowner = relowner;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is not a rollup', rollup USING ERRCODE = 'wrong_object_type';
    ELSIF back_to IS NOT NULL AND NOT refresh.has_period THEN
        RAISE EXCEPTION '% has no period to go back to', rollup USING ERRCODE = 'feature_not_supported',
            HINT = 'A period is a group of type date, timestamp or timestamptz that is never NULL.';
    END IF;
    EXECUTE format('SELECT %s(%s)', refresh.name, quote_literal(back_to)) INTO stored;
    RETURN stored;
END $$;
COMMENT ON FUNCTION rollup_refresh(regclass, text) IS
    'merges what has changed into the stored groups, of those from back_to on if it is given; returns the number of groups stored; errors: 42809, 0A000, 22007, 25001, 55006, 42501';

CREATE FUNCTION rollup_freeze(rollup regclass, before text) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    refresh record;
BEGIN
    SELECT p.oid::regproc AS name, pronargs > 0 AS has_period INTO refresh
      FROM pg_class AS c JOIN pg_proc AS p ON pronamespace = relnamespace AND proname = relname || '_refresh'
     WHERE c.oid = rollup AND prosecdef AND proowner = relowner;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is not a rollup', rollup USING ERRCODE = 'wrong_object_type';
    ELSIF NOT refresh.has_period THEN
        RAISE EXCEPTION '% has no period to freeze', rollup USING ERRCODE = 'feature_not_supported',
            HINT = 'A period is a group of type date, timestamp or timestamptz that is never NULL.';
    END IF;
    EXECUTE format('SELECT %s(freeze_before => %L)', refresh.name, before);
END $$;
COMMENT ON FUNCTION rollup_freeze(regclass, text) IS
    'refreshes, and keeps the groups before a period as they are from then on, whatever happens to their rows; errors: 42809, 0A000, 22007, 25001, 55006, 42501';

CREATE FUNCTION rollup_repair(rollup regclass) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET datestyle = ISO SET extra_float_digits = 1 AS $$
DECLARE
    parts text[] := parse_ident(replace(rollup::text, '%', '%%'));    -- for format()
    part text := format('%I.%I', parts[1], parts[2] || '_%s');
    old record;
    statements text[];
    statement text;
BEGIN
    IF to_regclass(format(part, 'log')) IS NULL THEN
        RAISE EXCEPTION '% is not a rollup', rollup USING ERRCODE = 'wrong_object_type';
    END IF;
    FOR old IN SELECT tgname AS name, tgrelid::regclass AS source FROM pg_trigger
                WHERE tgfoid = to_regprocedure(format(part, 'trigger') || '()') ORDER BY tgnargs, tgrelid LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', old.name, old.source);
    END LOOP;
    EXECUTE format(
        'SELECT watch FROM %s AS s, %s._rollup_script($1, $2, %2$s._rollup_merge(%2$s._rollup_query(pg_get_viewdef(%L::regclass), %L), s.merge))',
        format(part, 'state'), (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'sketches'), format(part, 'query'), format(part, 'rows'))
       INTO statements USING rollup::text, parts[1];
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE regexp_replace(statement, E'\nCREATE FUNCTION', E'\nCREATE OR REPLACE FUNCTION');
    END LOOP;
END $$;
COMMENT ON FUNCTION rollup_repair(regclass) IS
    'makes the triggers and functions of a rollup again, and has all groups that are not frozen computed anew; errors: 42809, 42501';

CREATE FUNCTION rollup_status(rollup regclass, OUT deltas bigint, OUT marked bigint, OUT oldest text, OUT uncomputed text,
        OUT frozen text, OUT refreshed timestamptz, OUT row_bytes bigint, OUT log_bytes bigint, OUT followed boolean)
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parts text[] := parse_ident(replace(rollup::text, '%', '%%'));    -- for format()
    part text := format('%I.%I', parts[1], parts[2] || '_%s');
    shape jsonb;
    period text;
BEGIN
    IF to_regclass(format(part, 'log')) IS NULL THEN
        RAISE EXCEPTION '% is not a rollup', rollup USING ERRCODE = 'wrong_object_type';
    END IF;
    EXECUTE format('SELECT %s._rollup_query(pg_get_viewdef(%L::regclass), %L)',
                   (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'sketches'), format(part, 'query'), format(part, 'rows'))
       INTO shape;
    period := (SELECT name FROM jsonb_to_recordset(shape -> 'columns') AS c (name text, is_period bool) WHERE is_period LIMIT 1);
    EXECUTE format('SELECT count(*) FILTER (WHERE mark = 0), count(*) FILTER (WHERE mark = 1), min(%s) FILTER (WHERE mark < 2), max(%1$s) FILTER (WHERE mark = 2) FROM %s',
                   coalesce(period, 'CASE mark WHEN 2 THEN ''infinity'' END'), format(part, 'log'))
       INTO deltas, marked, oldest, uncomputed;
    EXECUTE format('SELECT refreshed, %s FROM %s', CASE WHEN period IS NULL THEN 'NULL' ELSE 'frozen' END, format(part, 'state'))
       INTO refreshed, frozen;
    row_bytes := pg_total_relation_size(format(part, 'rows'));
    log_bytes := pg_total_relation_size(format(part, 'log'));
    WITH RECURSIVE tree (oid) AS (
        SELECT (shape ->> 'source')::oid
        UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = tree.oid WHERE NOT (shape ->> 'only')::bool)
    -- The triggers of a table do not fire when a parent of it is written.
    SELECT NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = (shape ->> 'source')::oid)
       AND bool_and(4 = (SELECT count(*) FROM pg_trigger WHERE tgrelid = tree.oid AND tgenabled IN ('O', 'A')
                                AND tgfoid = to_regprocedure(format(part, 'trigger') || '()')))
      INTO followed FROM tree;
END $$;
COMMENT ON FUNCTION rollup_status(regclass) IS
    'what is waiting for a refresh, what is frozen, bytes, and whether all changes of the table are followed; errors: 42809';

CREATE FUNCTION rollup_check(rollup regclass, OUT found_in text, OUT "group" jsonb) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parts text[] := parse_ident(replace(rollup::text, '%', '%%'));    -- for format()
    part text := format('%I.%I', parts[1], parts[2] || '_%s');
    sketches regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'sketches');
    shape jsonb;
    columns text;
    live text;
BEGIN
    IF to_regclass(format(part, 'log')) IS NULL THEN
        RAISE EXCEPTION '% is not a rollup', rollup USING ERRCODE = 'wrong_object_type';
    END IF;
    EXECUTE format('SELECT %s._rollup_query(pg_get_viewdef(%L::regclass), %L)', sketches, format(part, 'query'), format(part, 'rows')) INTO shape;
    -- The others depend on the order in which they were merged.
    SELECT string_agg(name, ', ') INTO columns
      FROM jsonb_to_recordset(shape -> 'columns') AS c (name text, key text, type text, aggregate oid)
           LEFT JOIN pg_proc AS p ON p.oid = aggregate LEFT JOIN pg_type AS t ON t.oid = prorettype
     WHERE key IS NOT NULL
        OR pronamespace = 'pg_catalog'::regnamespace AND proname <> 'any_value' AND type NOT IN ('real', 'double precision')
        OR pronamespace = sketches AND typname IN ('hll', 'theta', 'roaring', 'roaring64', 'ddsketch', 'bitfield');
    live := (SELECT format(' WHERE %s >= (SELECT frozen FROM %s)', name, format(part, 'state'))
               FROM jsonb_to_recordset(shape -> 'columns') AS c (name text, is_period bool) WHERE is_period LIMIT 1);
    RETURN QUERY EXECUTE format($sql$
        WITH rollup AS (SELECT %1$s FROM %2$s%4$s), query AS (SELECT %1$s FROM %3$s%4$s)
        SELECT 'rollup', to_jsonb(d.*) FROM (TABLE rollup EXCEPT ALL TABLE query) AS d
        UNION ALL SELECT 'query', to_jsonb(d.*) FROM (TABLE query EXCEPT ALL TABLE rollup) AS d ORDER BY 2, 1$sql$,
        columns, rollup, format(part, 'query'), live);
END $$;
COMMENT ON FUNCTION rollup_check(regclass) IS
    'groups that differ between a rollup and its query, in the columns that no order of merging changes; none of those that are frozen; errors: 42809';

CREATE FUNCTION rollup_drop(rollup text) RETURNS void
LANGUAGE plpgsql STRICT SET client_min_messages = warning AS $$
DECLARE
    -- The log is there when the view is not.
    log pg_catalog.regclass := pg_catalog.to_regclass(pg_catalog.regexp_replace(rollup, '("?) *$', E'_log\\1'));
    name text := (SELECT pg_catalog.left(relname, -4) FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) log);
    schema text := (SELECT nspname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) relnamespace
                     WHERE c.oid OPERATOR(pg_catalog.=) log);
BEGIN
    IF name IS NULL THEN
        RAISE EXCEPTION '% is not a rollup', rollup USING ERRCODE = 'wrong_object_type';
    END IF;
    EXECUTE pg_catalog.format('DROP VIEW IF EXISTS %1$I.%2$I, %1$I.%3$I, %1$I.%4$I; DROP TABLE %1$I.%5$I, %1$I.%6$I, %1$I.%7$I; DROP FUNCTION IF EXISTS %1$I.%8$I() CASCADE; DROP FUNCTION IF EXISTS %1$I.%9$I',
        schema, name, pg_catalog.concat(name, '_fresh'), pg_catalog.concat(name, '_query'), pg_catalog.concat(name, '_rows'),
        pg_catalog.concat(name, '_log'), pg_catalog.concat(name, '_state'), pg_catalog.concat(name, '_trigger'), pg_catalog.concat(name, '_refresh'));
END $$;
COMMENT ON FUNCTION rollup_drop(text) IS
    'drops a rollup, also what DROP TABLE ... CASCADE left of it; errors: 42809, 2BP01';
