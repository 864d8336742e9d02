-- Of random or alike trials one in sample() is run: $SAMPLE of test/harness/run; all on a server of somebody else.
CREATE FUNCTION pg_temp.sample() RETURNS int LANGUAGE sql STABLE AS $$
    SELECT coalesce(nullif(current_setting('test.sample', true), '')::int, 1)
$$;
