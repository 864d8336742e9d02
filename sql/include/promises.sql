-- Promises that values of every type keep, for tests to \i after each_type, error_of and plan_has.
--
-- A promise is a query that returns true. In it <T> stands for the type, and there are the tables
--   valued (n, v)   values of the items 1 to n, none to 30,000 of them; the last one is large, if the type
--                   has a parameter of the size; all but the empty one are out of line
--   twice (n, v)    each of them twice, once as it comes from bytes
--   keyed (n, v)    the small ones, none of which may come again
-- A plan of it has the pattern where one is given, without what the settings turn off.
CREATE TEMP TABLE promise (id serial, name text, holds text, plan text, off text[]);

CREATE FUNCTION pg_temp.copied(kind regtype, format text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/values';
    same boolean;
BEGIN
    EXECUTE format('COPY valued TO %L (FORMAT %s)', file, format);
    CREATE TEMP TABLE arrived (LIKE valued);
    EXECUTE format('COPY arrived FROM %L (FORMAT %s)', file, format);
    SELECT count(*) = 9 AND bool_and(a.v = s.v) INTO same FROM arrived a JOIN valued s USING (n);
    DROP TABLE arrived;
    RETURN same;
END $$;
CREATE FUNCTION pg_temp.make_values(m made) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS valued, twice, keyed;
    -- Whatever can go out of line does, so that the row gets nearer to 128 bytes.
    EXECUTE format('CREATE TEMP TABLE valued (n int, v %s, padding text DEFAULT repeat(''x'', 2100))
                      WITH (toast_tuple_target = 128)', m.type);
    ALTER TABLE valued ALTER padding SET STORAGE plain;
    EXECUTE format('INSERT INTO valued SELECT n, coalesce((SELECT %s(%s) FROM generate_series(1, n) i), %s_empty())
                      FROM unnest(''{0,1,2,10,150,1000,5000,20000}''::int[]) n', m.aggregate, m.item, m.type);
    EXECUTE format('INSERT INTO valued SELECT 30000, %s(%s%s) FROM generate_series(1, 30000) i', m.aggregate, m.item,
        CASE m.type::text WHEN 'hll' THEN ', 16' WHEN 'tdigest' THEN ', 2000' WHEN 'ddsketch' THEN ', 0.0001'
                          WHEN 'topk' THEN ', 1000' WHEN 'theta' THEN ', 16' ELSE '' END);
    EXECUTE format('CREATE TEMP TABLE twice AS SELECT n, v FROM valued UNION ALL SELECT n, v::bytea::%s FROM valued',
        m.type);
    CREATE TEMP TABLE keyed AS SELECT n, v FROM valued WHERE n <= 10;
    ALTER TABLE keyed ADD EXCLUDE USING hash (v WITH =);
    CREATE INDEX valued_hash ON valued USING hash (v);
    ANALYZE valued, twice, keyed;
END $$;
-- What a promise comes to: nothing if it holds.
CREATE FUNCTION pg_temp.broken(m made, p promise) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := replace(p.holds, '<T>', m.type::text);
    holds boolean;
    planned boolean := true;
BEGIN
    PERFORM set_config('enable_' || setting, 'off', true) FROM unnest(p.off) setting;
    EXECUTE query INTO holds;
    IF p.plan IS NOT NULL THEN
        planned := pg_temp.plan_has(query, p.plan);
    END IF;
    PERFORM set_config('enable_' || setting, 'on', true) FROM unnest(p.off) setting;
    RETURN CASE WHEN holds IS NOT TRUE THEN coalesce(holds::text, 'NULL') WHEN NOT planned THEN 'another plan' END;
EXCEPTION WHEN OTHERS THEN
    RETURN sqlerrm;
END $$;
CREATE FUNCTION pg_temp.broken_promises() RETURNS TABLE (type regtype, name text, answer text)
LANGUAGE plpgsql AS $$
DECLARE
    m made;
BEGIN
    FOR m IN SELECT * FROM made ORDER BY made.type::text COLLATE "C" LOOP
        PERFORM pg_temp.make_values(m);
        RETURN QUERY SELECT m.type, p.name, b FROM promise p, pg_temp.broken(m, p) b WHERE b IS NOT NULL ORDER BY id;
    END LOOP;
END $$;

-- A call of a function: values are taken from the places in turn, other arguments are some that most functions
-- take.
CREATE TYPE pg_temp.digit AS ENUM ('8');
CREATE FUNCTION pg_temp.arguments(function oid, kind regtype, places text[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(CASE WHEN n = rest THEN 'VARIADIC ' ELSE '' END
                      || CASE a WHEN kind THEN places[1 + mod(turn, 2)]
                             WHEN to_regtype(kind || '[]') THEN format('ARRAY[%s, %s]', places[1], places[2])
                             WHEN 'hashed'::regtype THEN '8::hashed'
                             WHEN 'anyenum'::regtype THEN '''8''::pg_temp.digit'
                             WHEN 'hashed[]'::regtype THEN 'ARRAY[8::hashed]'
                             ELSE format('%L::%s', CASE
                                 WHEN a::text ~ '\[\]' THEN CASE WHEN proname ~ 'merge' THEN '{1,2}' ELSE '{1}' END
                                 WHEN a::text = 'text' AND proname ~ '_(all|each)$' THEN '{1}'
                                 WHEN a::text = 'text' AND proname ~ 'bitop' THEN 'or'
                                 WHEN a::text = 'text' AND proname ~ 'exec' THEN 'GET u8 0'
                                 WHEN a::text = 'text' AND proname ~ 'count|position' THEN 'bit'
                                 WHEN a::text = 'text' AND proname ~ '^bitfield' THEN
                                     CASE WHEN n = 2 THEN 'u8' WHEN n = 3 THEN '#1' ELSE 'wrap' END
                                 WHEN a::text = 'text' AND proname ~ 'percentile|quantile' THEN '0.5'
                                 WHEN a::text ~ 'time' THEN '2020-01-01'
                                 WHEN a::text ~ 'double' THEN '0.' || n
                                 WHEN a::text = 'boolean' THEN 'true'
                                 WHEN proname ~ '_bounds$' THEN '2' ELSE '8' END, a) END, ', ' ORDER BY n)
      FROM (SELECT proname, a, n, CASE WHEN provariadic <> 0 THEN pronargs END AS rest,
                   row_number() OVER (PARTITION BY a ORDER BY n) AS turn
              FROM pg_proc, unnest(proargtypes::regtype[]) WITH ORDINALITY AS u(a, n)
             WHERE oid = function) s
$$;
CREATE FUNCTION pg_temp.answer(function oid, kind regtype, arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    p pg_proc := (SELECT pg_proc FROM pg_proc WHERE oid = function);
    call text := format(CASE WHEN p.proretset THEN '(SELECT string_agg(x::text, '' '') FROM %s(%s) x)'
        ELSE '%s(%s)' END, function::regproc, arguments);
    answer text;
BEGIN
    EXECUTE format('SELECT string_agg((%1$s)::text, ''|'' ORDER BY n, i) || bool_and(s.v = m.v)
        FROM valued s JOIN (SELECT n, v::bytea::%2$s AS v FROM valued OFFSET 0) m USING (n), generate_series(1, 2) i
       WHERE n IN (1, 1000, 30000)', call, kind) INTO answer;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ' ' || sqlerrm;
END $$;
