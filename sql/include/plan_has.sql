-- Whether a line of the plan has the pattern.
CREATE FUNCTION pg_temp.plan_has(query text, pattern text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
    found boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        found := found OR line ~ pattern;
    END LOOP;
    RETURN found;
END $$;
