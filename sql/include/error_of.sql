-- A text in which the superuser, who has some name, is called someone.
CREATE FUNCTION pg_temp.by_someone(said text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(said, '\m' || session_user || '\M', 'someone', 'g')
$$;

-- What a statement is refused with: SQLSTATE, message, detail and hint on one line, the same on
-- every version of PostgreSQL; or 'accepted'. Tests read it with \i.
CREATE FUNCTION pg_temp.error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    detail text;
    hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
        hint = PG_EXCEPTION_HINT;
    -- The way out of a call that fits nothing is PostgreSQL's, which 19 words anew.
    IF SQLSTATE = '42883' AND concat(detail, hint) ~ '^No (function|operator)' THEN
        detail := NULL;
        hint := NULL;
    END IF;
    RETURN pg_temp.by_someone(SQLSTATE || ' ' || message || coalesce('. ' || nullif(detail, ''), '')
        || coalesce(' ' || nullif(hint, ''), ''));
END
$$;

-- The SQLSTATE alone, for errors whose words belong to PostgreSQL.
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE e WHEN 'accepted' THEN e ELSE left(e, 5) END FROM pg_temp.error_of(statement) e
$$;
