-- For 036_argument_types.pl: calls of every public function with arguments of other types.

-- A function, arguments that have an answer, and that answer or the error.
CREATE TYPE reply AS (answer text, sqlstate text, message text, hint text);
CREATE TABLE functions AS
    SELECT p.proname::text AS name, p.provariadic <> 0 AS variadic, NULL::text[] AS given, NULL::reply AS reply,
           -- What is hashed is taken as the number it was.
           (SELECT array_agg(CASE t WHEN 'hashed'::regtype THEN 'bigint' WHEN 'hashed[]'::regtype THEN 'bigint[]'
                                    ELSE t::regtype END::regtype ORDER BY n)
              FROM unnest(p.proargtypes) WITH ORDINALITY AS u(t, n)) AS types
      FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
     WHERE d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_proc'::regclass
       AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
       AND d.deptype = 'e' AND p.proname NOT LIKE '\_%' AND p.pronargs > 0;

-- Values to try for an argument of a type.
CREATE TABLE candidate (type regtype PRIMARY KEY, given text[]);
INSERT INTO candidate VALUES
    ('double precision', '{5,1,0,0.5}'), ('text', '{5,1,and,u8,m,day,0101,bigint,utf8,get u8 0,"{1,2}"}'),
    ('boolean', '{true}'), ('json', '{"{\"5\": 5}"}'), ('jsonb', '{"{\"5\": 5}"}'), ('interval', '{1 s}'),
    ('date', '{2026-01-01}'), ('timestamp', '{2026-01-01}'), ('timestamptz', '{2026-01-01}'),
    ('time', '{12:00}'), ('timetz', '{12:00}'), ('uuid', '{00000000-0000-0000-0000-000000000001}'),
    ('inet', '{127.0.0.1}'), ('macaddr', '{08:00:2b:01:02:03}'), ('macaddr8', '{08:00:2b:01:02:03:04:05}'),
    ('text[]', '{"{5,6}","{u8,5}"}');
DO $$
DECLARE
    type text;
    value text;
BEGIN
    FOR type IN SELECT DISTINCT left(name, -4) FROM functions
                 WHERE name LIKE '%\_agg' AND to_regtype(left(name, -4)) IS NOT NULL
                 UNION VALUES ('geohash'), ('ratelimit') LOOP
        EXECUTE format('SELECT %s::text', CASE type WHEN 'geohash' THEN 'geohash(5, 5)'
                       WHEN 'ratelimit' THEN 'ratelimit_bucket(5, 5, ''1 day'')'
                       ELSE format('(SELECT %s_agg(i) FROM generate_series(1, 9) AS i)', type) END) INTO value;
        INSERT INTO candidate VALUES (type::regtype, ARRAY[value]), ((type || '[]')::regtype, ARRAY[ARRAY[value]::text]);
    END LOOP;
END $$;
INSERT INTO candidate SELECT t, CASE WHEN t::text LIKE '%[]' THEN '{"{5,6}","{1}","{0,1}"}'::text[] ELSE '{5,1,0}' END
  FROM (SELECT DISTINCT unnest(types) FROM functions) AS u(t) ON CONFLICT DO NOTHING;

CREATE FUNCTION call_of(f functions, arguments text[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format('SELECT string_agg(s::text, '' '') FROM (SELECT %I(%s) AS s) AS q', f.name,
                  string_agg(CASE WHEN f.variadic AND n = cardinality(f.types) THEN 'VARIADIC ' ELSE '' END || a,
                             ', ' ORDER BY n))
      FROM unnest(arguments) WITH ORDINALITY AS u(a, n)
$$;

-- What a call answers whose parameters have these types (none: what it makes of them) and values.
CREATE FUNCTION reply_to(call text, types text[], given text[]) RETURNS reply LANGUAGE plpgsql AS $$
DECLARE
    r reply;
BEGIN
    EXECUTE format('PREPARE p%s AS %s', coalesce('(' || nullif(array_to_string(types, ', '), '') || ')', ''), call);
    EXECUTE 'EXECUTE p' || coalesce((SELECT '(' || string_agg(quote_literal(g), ', ' ORDER BY n) || ')'
                                       FROM unnest(given) WITH ORDINALITY AS u(g, n)), '') INTO r.answer;
    r.answer := coalesce(r.answer, 'NULL');
    DEALLOCATE p;
    RETURN r;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS r.sqlstate = RETURNED_SQLSTATE, r.message = MESSAGE_TEXT, r.hint = PG_EXCEPTION_HINT;
    r.answer := NULL;
    DEALLOCATE ALL;
    RETURN r;
END $$;

-- Finds arguments of the declared types that have an answer: the first of each, then others at random.
CREATE FUNCTION parameters(count int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg('$' || n ORDER BY n) FROM generate_series(1, count) AS n
$$;
CREATE FUNCTION with_answer(f functions) RETURNS functions LANGUAGE plpgsql AS $$
DECLARE
    given text[];
    r reply;
BEGIN
    FOR i IN 0 .. 60 LOOP
        given := (SELECT array_agg(c.given[CASE i WHEN 0 THEN 1
                                                  ELSE 1 + floor(random() * cardinality(c.given))::int END]
                                   ORDER BY n)
                    FROM unnest(f.types) WITH ORDINALITY AS u(t, n) JOIN candidate c ON c.type = t);
        r := reply_to(call_of(f, parameters(cardinality(f.types))), f.types::text[], given);
        IF i = 0 OR r.answer IS NOT NULL THEN
            f.given := given;
            f.reply := r;
        END IF;
        EXIT WHEN r.answer IS NOT NULL;
    END LOOP;
    RETURN f;
END $$;
SELECT setseed(0.5);
CREATE TABLE answered AS SELECT with_answer(f) AS f FROM (SELECT * FROM functions ORDER BY name, types::text) AS f;

-- Argument n in other types, the others as they are declared. Overloads that differ in it only are one row.
CREATE TABLE varied AS
    SELECT DISTINCT ON ((f).name, others, n) f, n, others
      FROM answered, generate_subscripts((f).types, 1) AS n,
           LATERAL (SELECT (f).types[:n - 1] || NULL::regtype || (f).types[n + 1:] AS others) AS o
     ORDER BY (f).name, others, n, (f).given[n] ~ '^{?[0-9]' DESC, ((f).reply).answer IS NULL, (f).types::text;
CREATE FUNCTION send(f functions, n int, sent text) RETURNS reply LANGUAGE sql AS $$
    SELECT reply_to(call_of(f, (SELECT array_agg(CASE i WHEN n THEN '$1' ELSE format('%L::%s', f.given[i], f.types[i]) END
                                                 ORDER BY i)
                                  FROM generate_subscripts(f.types, 1) AS i)),
                    CASE sent WHEN 'unknown' THEN '{}' ELSE ARRAY[sent] END, ARRAY[f.given[n]])
$$;
CREATE TABLE sent AS
    SELECT (v.f).name, n, others, sent, r.*
      FROM varied AS v, unnest(CASE WHEN (v.f).given[n] ~ '^[0-9]+$' THEN '{smallint,integer,bigint,numeric,text,unknown}'
                                    WHEN (v.f).given[n] ~ '^{[0-9,]+}$'
                                        THEN '{smallint[],integer[],bigint[],numeric[],text[],unknown}'
                                    ELSE '{unknown}'::text[] END) AS sent,
           send(v.f, n, sent) AS r;

-- All arguments but sketches at once without a type.
CREATE FUNCTION send_untyped(f functions) RETURNS reply LANGUAGE plpgsql AS $$
DECLARE
    arguments text[];
    given text[] := '{}';
BEGIN
    FOR i IN 1 .. cardinality(f.types) LOOP
        IF EXISTS (SELECT FROM pg_depend d JOIN pg_type t ON t.oid = d.objid
                    WHERE d.classid = 'pg_type'::regclass AND d.deptype = 'e'
                      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
                      AND f.types[i] IN (t.oid, t.typarray) AND t.typname <> 'hashed') THEN
            arguments := arguments || format('%L::%s', f.given[i], f.types[i]);
        ELSE
            given := given || f.given[i];
            arguments := arguments || ('$' || cardinality(given));
        END IF;
    END LOOP;
    RETURN reply_to(call_of(f, arguments), '{}', given);
END $$;
CREATE TABLE untyped AS
    SELECT (a.f).*, r.* FROM answered AS a, send_untyped(a.f) AS r;

-- What a volatile function answers changes with each call.
CREATE TEMP VIEW volatile AS SELECT proname::text AS name FROM pg_proc WHERE provolatile = 'v';
UPDATE sent SET answer = 'any' WHERE answer IS NOT NULL AND name IN (SELECT name FROM volatile);
UPDATE untyped SET answer = (reply).answer WHERE answer IS NOT NULL AND name IN (SELECT name FROM volatile);
