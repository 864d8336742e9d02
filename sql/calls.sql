-- Every public function is called with positional and with named arguments, and both calls are
-- answered alike: a value or the same refusal. (PostgreSQL has no named arguments of aggregates, which
-- are called by position twice.) Then it is called with NULL as each argument, and aggregates of no rows.

\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all
CREATE TEMP TABLE functions AS
    SELECT p.oid, p.proname, p.prokind, p.proargtypes::oid[] AS types, p.provariadic <> 0 AS variadic,
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
                WHEN type = 'ratelimit'::regtype THEN 'ratelimit_funnel(1, 1, interval ''1 s'')'
                WHEN type = 'geohash'::regtype THEN 'geohash(1, 2)'
                WHEN type = 'hashed'::regtype THEN '1::hashed'
                WHEN type::text LIKE '%[]' THEN format('%L::%s', '{}', type)
                ELSE format('%L::%s', CASE
                    -- A precision and a share that every type takes.
                    WHEN type IN ('integer'::regtype) THEN '12'
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
CREATE TEMP TABLE called AS
    SELECT f.oid::regprocedure AS function, pg_temp.answers(f) AS answers FROM functions f
     WHERE cardinality(types) > 0 AND proname NOT IN ('ratelimit_throttle', 'ratelimit_window', 'rollup_create', 'rollup_script');
SELECT function, answers FROM called WHERE answers[1] <> answers[2] ORDER BY function::text COLLATE "C";
-- Nothing that is not found, and no name that is missing.
SELECT function, answers[2] FROM called WHERE answers[2] ~ '^42(883|725|702)|^42601 (syntax|argument)'
 ORDER BY function::text COLLATE "C";
SELECT oid::regprocedure FROM functions WHERE cardinality(types) <> coalesce(cardinality(names), 0)
    OR '' = ANY (names) ORDER BY oid::regprocedure::text COLLATE "C";
SELECT count(*) > 450 AS functions, count(*) FILTER (WHERE answers[1] !~ '^[0-9A-Z]{5} ') > 350 AS that_answer
  FROM called;

-- ---- NULL, and no rows ----

-- An argument that is NULL makes the answer NULL, or no rows. Listed are the other functions: a limiter refuses.
-- (For what merges, adds, removes or sets bits NULL is empty, or changes nothing: every_type, bitfield.)
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
CREATE TEMP TABLE of_null AS
    SELECT f.oid::regprocedure AS function, argument, pg_temp.answer_of(f, a.arguments) AS answer
      FROM functions f, generate_series(1, cardinality(types)) argument,
           LATERAL (SELECT array_agg(CASE n WHEN argument THEN 'NULL::' || t::regtype ELSE pg_temp.value_of(t) END
                                     ORDER BY n)
                      FROM unnest(types) WITH ORDINALITY u(t, n)) a(arguments)
     WHERE prokind = 'f' AND proname !~ '^rollup_|^bitfield_(set|incrby|exec)|_(union|sum|or)$'
       AND proname !~ '_(try_)?(add(nx)?|delete|remove)(_all|_range)?$';
SELECT function, array_agg(argument ORDER BY argument) AS arguments, answer FROM of_null
 WHERE answer IS NOT NULL GROUP BY function, answer ORDER BY function::text COLLATE "C", arguments;
-- Of no rows, and of rows without a first argument, an aggregate is NULL, or counts 0; and one such row among
-- others changes nothing.
CREATE TEMP TABLE of_rows AS
    SELECT f.oid::regprocedure AS function, pg_temp.answer_of(f, given, 'WHERE false') AS no_rows,
           pg_temp.answer_of(f, nulls || given[2:], 'FROM generate_series(1, 3)') AS nulls,
           pg_temp.answer_of(f, given) AS one,
           pg_temp.answer_of(f, format('CASE WHEN i = 2 THEN %s END', given[1]) || given[2:],
                             'FROM generate_series(1, 3) i') AS one_of_three
      FROM functions f, LATERAL (SELECT 'NULL::' || types[0]::regtype) n(nulls),
           LATERAL (SELECT array_agg(pg_temp.value_of(t) ORDER BY n) FROM unnest(types) WITH ORDINALITY u(t, n)) a(given)
     WHERE prokind = 'a';
SELECT function, no_rows, nulls FROM of_rows WHERE no_rows IS NOT NULL OR nulls IS NOT NULL
 ORDER BY function::text COLLATE "C";
SELECT function, one, one_of_three FROM of_rows WHERE one IS DISTINCT FROM one_of_three
 ORDER BY function::text COLLATE "C";
SELECT (SELECT count(*) > 500 FROM of_null) AS calls, (SELECT count(*) > 100 FROM of_rows) AS aggregates,
       (SELECT count(*) < 5 FROM of_rows WHERE one ~ '^[0-9A-Z]{5} ') AS few_refuse;
