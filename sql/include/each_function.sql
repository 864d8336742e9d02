-- The public functions of the extension, whatever they are, and calls of them: of any enum with one.
CREATE TYPE pg_temp.digit AS ENUM ('1', '2');
CREATE TEMP TABLE functions AS
    SELECT p.oid, p.proname, p.prokind, array_replace(p.proargtypes::oid[], 'anyenum'::regtype::oid, 'pg_temp.digit'::regtype) AS types, p.provariadic <> 0 AS variadic,
           -- The names of the arguments that go in.
           (SELECT array_agg(a.name ORDER BY n)
              FROM unnest(p.proargnames, coalesce(p.proargmodes, array_fill('i'::"char",
                          ARRAY[p.pronargs]))) WITH ORDINALITY AS a(name, mode, n)
             WHERE a.mode IN ('i', 'b', 'v')) AS names
      FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
     WHERE d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_proc'::regclass
       AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
       AND d.deptype = 'e' AND p.proname NOT LIKE '\_%';

-- A value of a type; an empty sketch, where there is one.
CREATE FUNCTION pg_temp.value_of(type regtype) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM functions WHERE proname = type || '_empty')
                THEN type || '_empty()'
                WHEN type = 'ratelimit'::regtype THEN 'ratelimit_bucket(1, 1, interval ''1 s'')'
                WHEN type = 'geohash'::regtype THEN 'geohash(1, 2)'
                WHEN type = 'hashed'::regtype THEN '1::hashed'
                WHEN type::text LIKE '%[]' THEN format('%L::%s', '{}', type)
                ELSE format('%L::%s', CASE
                    -- A precision and a share that every type takes.
                    WHEN type IN ('integer'::regtype, 'bigint'::regtype) THEN '12'
                    WHEN type IN ('double precision'::regtype) THEN '0.25'
                    WHEN type IN ('boolean'::regtype) THEN 'true'
                    WHEN type IN ('json'::regtype, 'jsonb'::regtype) THEN '{}'
                    WHEN type IN ('date'::regtype) OR type::text LIKE 'timestamp%' THEN '2026-01-01'
                    WHEN type::text LIKE 'time%' THEN '12:00'
                    WHEN type IN ('interval'::regtype) THEN '1 s'
                    WHEN type IN ('uuid'::regtype) THEN '00000000-0000-0000-0000-000000000001'
                    WHEN type IN ('inet'::regtype) THEN '127.0.0.1'
                    WHEN type IN ('macaddr'::regtype, 'macaddr8'::regtype) THEN '08:00:2b:01:02:03:04:05'
                    ELSE '1' END, type) END
$$;
CREATE FUNCTION pg_temp.answers(f functions) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    given text[] := (SELECT array_agg(pg_temp.value_of(t) ORDER BY n)
                       FROM unnest(f.types) WITH ORDINALITY AS u(t, n));
    -- A function that is called by names gets them in another order, too.
    named text := (SELECT string_agg(CASE WHEN f.variadic AND n = cardinality(f.types)
                                          THEN 'VARIADIC ' ELSE '' END
                                     || format('%I => %s', f.names[n], g), ', ' ORDER BY
                                     CASE WHEN f.variadic THEN n ELSE -n END)
                     FROM unnest(given) WITH ORDINALITY AS u(g, n));
    positional text := (SELECT string_agg(CASE WHEN f.variadic AND n = cardinality(f.types)
                                               THEN 'VARIADIC ' ELSE '' END || g, ', ' ORDER BY n)
                          FROM unnest(given) WITH ORDINALITY AS u(g, n));
    answers text[];
    answer text;
BEGIN
    FOREACH answer IN ARRAY ARRAY[positional, CASE f.prokind WHEN 'f' THEN named ELSE positional END]
    LOOP
        BEGIN
            EXECUTE format('SELECT string_agg(s::text, '' '') FROM (SELECT %I(%s)) s', f.proname,
                           answer) INTO answer;
            answers := answers || coalesce(answer, 'NULL');
        EXCEPTION WHEN OTHERS THEN
            answers := answers || (SQLSTATE || ' ' || sqlerrm);
        END;
    END LOOP;
    RETURN answers;
END $$;
-- What a call answers over rows.
CREATE FUNCTION pg_temp.answer_of(f functions, arguments text[], rows text DEFAULT '') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    IF f.variadic THEN
        arguments[cardinality(arguments)] := 'VARIADIC ' || arguments[cardinality(arguments)];
    END IF;
    EXECUTE format('SELECT string_agg(s::text, '' '') FROM (SELECT %I(%s) %s) s (s)', f.proname,
                   array_to_string(arguments, ', '), rows) INTO answer;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || sqlerrm;
END $$;
