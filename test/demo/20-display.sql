-- Helpers of the report's layout, not of the work shown.

\pset footer off
\pset pager off
\pset null ''

-- How far an estimate is from the truth, in percent; unknown where the truth is 0.
CREATE FUNCTION error_percent(estimate numeric, exact numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
    SELECT round(100 * (estimate - exact) / nullif(exact, 0), 2)
$$;

-- A long address, its middle left out.
CREATE FUNCTION short(url text, width int) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN length(url) <= width THEN url
        ELSE left(url, width / 2 - 2) || '...' || right(url, width - width / 2 - 1)
    END
$$;

-- Runs a query once, throws its rows away and tells the milliseconds it took.
CREATE FUNCTION ms(query text) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    start timestamptz := clock_timestamp();
BEGIN
    EXECUTE query;
    RETURN round(1000 * extract(epoch FROM clock_timestamp() - start)::numeric, 1);
END
$$;
