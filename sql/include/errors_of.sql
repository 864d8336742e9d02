-- The errors of many calls, a row each.
\i sql/include/error_of.sql
CREATE FUNCTION pg_temp.errors_of(VARIADIC calls text[]) RETURNS TABLE (call text, error text)
LANGUAGE sql AS $$
    SELECT c, pg_temp.error_of('SELECT ' || c) FROM unnest(calls) WITH ORDINALITY u(c, n) ORDER BY n
$$;
