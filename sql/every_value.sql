-- What holds of stored values of every type: they are compared, grouped, joined, indexed, printed, copied
-- and kept out of line. A type that is added later is covered without a change here. Each query lists
-- what is wrong, so its right answer is no rows.
\set ECHO none
\i sql/include/output.sql
\i sql/include/each_type.sql
\i sql/include/error_of.sql
\i sql/include/plan_has.sql
\set ECHO all

-- A promise is a query that returns true. In it <T> stands for the type, and there are the tables
--   valued (n, v)   values of the items 1 to n, none to 30,000 of them; the last one is large, if the type
--                   has a parameter of the size; all but the empty one are out of line
--   twice (n, v)    each of them twice, once as it comes from bytes
--   keyed (n, v)    the small ones, with a unique index
-- A plan of it has the pattern where one is given, without what the settings turn off.
CREATE TEMP TABLE promise (id serial, name text, holds text, plan text, off text[]);

-- ---- comparison ----

INSERT INTO promise (name, holds) VALUES
    ('equal are equal bytes', 'SELECT bool_and((a.v = b.v) = (a.n = b.n) AND (a.v <> b.v) = (a.n <> b.n)
        AND (a.v = b.v) = (a.v::bytea = b.v::bytea)) FROM twice a, twice b'),
    ('the order is that of bytes', 'SELECT bool_and((a.v < b.v) = (a.v::bytea < b.v::bytea)
        AND (a.v <= b.v) = (a.v::bytea <= b.v::bytea) AND (a.v > b.v) = (a.v::bytea > b.v::bytea)
        AND (a.v >= b.v) = (a.v::bytea >= b.v::bytea)) FROM twice a, twice b'),
    ('cmp agrees', 'SELECT bool_and(sign(_<T>_cmp(a.v, b.v)) = (a.v > b.v)::int - (a.v < b.v)::int)
        FROM twice a, twice b'),
    ('equal hash alike', 'SELECT bool_and((_<T>_hash(a.v) = _<T>_hash(b.v)) = (a.n = b.n)
        AND (_<T>_hash_extended(a.v, 7) = _<T>_hash_extended(b.v, 7)) = (a.n = b.n)) FROM twice a, twice b'),
    ('a seed changes the hash', 'SELECT bool_and(_<T>_hash_extended(v, 0) <> _<T>_hash_extended(v, 1)
        AND _<T>_hash_extended(v, 0) & 4294967295 = _<T>_hash(v)::bigint & 4294967295) FROM valued'),
    ('NULL is not equal', 'SELECT bool_and((v = NULL) IS NULL AND (NULL < v) IS NULL) FROM valued');

-- ---- groups, sets, joins ----

INSERT INTO promise (name, holds, plan, off) VALUES
    ('groups by hashing', 'SELECT count(*) = 9 AND bool_and(c = 2)
        FROM (SELECT v, count(*) AS c FROM twice GROUP BY v) s', 'HashAggregate', '{sort}'),
    ('groups by sorting', 'SELECT count(*) = 9 AND bool_and(c = 2)
        FROM (SELECT v, count(*) AS c FROM twice GROUP BY v) s', 'Sort', '{hashagg}'),
    ('distinct', 'SELECT count(DISTINCT v) = 9 FROM twice', NULL, NULL),
    ('except', 'SELECT count(*) = 4
        FROM (SELECT v FROM twice EXCEPT SELECT v FROM valued WHERE n > 10) s', NULL, NULL),
    ('in', 'SELECT count(*) = 10 FROM twice WHERE v IN (SELECT v FROM valued WHERE n > 10)', NULL, NULL),
    ('order by', 'SELECT bool_and(a <= b) FROM (SELECT v AS b, lag(v) OVER (ORDER BY v) AS a
        FROM twice) s WHERE a IS NOT NULL', NULL, NULL),
    ('joins by hashing', 'SELECT count(*) = 18 AND bool_and(t.n = s.n) FROM twice t JOIN valued s USING (v)',
        'Hash Join', '{nestloop,mergejoin}'),
    ('joins by merging', 'SELECT count(*) = 18 AND bool_and(t.n = s.n) FROM twice t JOIN valued s USING (v)',
        'Merge Join', '{nestloop,hashjoin}'),
    ('joins by loops', 'SELECT count(*) = 18 AND bool_and(t.n = s.n) FROM twice t JOIN valued s USING (v)',
        'Nested Loop', '{hashjoin,mergejoin}');

-- ---- indexes ----

-- A btree takes values up to a third of a page, as for any type; a hash index takes all.
INSERT INTO promise (name, holds, plan, off) VALUES
    ('a unique index refuses', $$SELECT pg_temp.sqlstate_of('INSERT INTO keyed SELECT n, v FROM keyed') = '23505'$$,
        NULL, NULL),
    ('... and knows conflicts', $$SELECT pg_temp.error_of('INSERT INTO keyed SELECT n, v FROM keyed
        ON CONFLICT (v) DO NOTHING') = 'accepted' AND (SELECT count(*) = 4 FROM keyed)$$, NULL, NULL),
    ('found by btree', 'SELECT bool_and((SELECT k.n FROM keyed k WHERE k.v = t.v) = t.n)
        FROM twice t WHERE n <= 10', 'keyed_v_key', '{seqscan}'),
    ('found by hash index', 'SELECT bool_and((SELECT s.n FROM valued s WHERE s.v = t.v) = t.n) FROM twice t',
        'valued_hash', '{seqscan}');

-- ---- text, binary, bytea, COPY ----

INSERT INTO promise (name, holds) VALUES
    ('text', 'SELECT bool_and(v::text::<T> = v AND v::text::<T>::bytea = v::bytea) FROM valued'),
    ('bytea', 'SELECT bool_and(v::bytea::<T>::bytea = v::bytea) FROM valued'),
    ('the binary form is the value', 'SELECT bool_and(_<T>_send(v) = v::bytea) FROM valued'),
    ('base64 in lines, as encode() breaks it', $$SELECT '<T>' = 'bitfield'
        OR bool_and(encode(v::bytea, 'base64')::<T> = v) FROM valued$$),
    ('text is base64 in one line', $$SELECT '<T>' IN ('bitfield', 'roaring', 'roaring64')
        OR bool_and(v::text = translate(encode(v::bytea, 'base64'), E'\n', '')) FROM valued$$),
    ('copied', $$SELECT bool_and(pg_temp.copied('<T>', format)) FROM unnest('{binary,csv,text}'::text[]) format$$),
    ('no cast to another type', $$SELECT bool_and(pg_temp.sqlstate_of(format('SELECT NULL::<T>::%s', type)) = '42846')
        FROM made WHERE type::text <> '<T>' AND (type::text || '<T>') !~ 'roaring.*roaring|bitfield.*roaring|roaring.*bitfield'$$),
    ('no operator with another type', $$SELECT bool_and(pg_temp.sqlstate_of(format('SELECT NULL::<T> | NULL::%s', type))
        IN ('42883', '42725')) FROM made WHERE type::text <> '<T>' AND (type::text || '<T>') !~ 'roaring.*roaring'$$);

-- ---- out of line ----

-- Without compression. (What plans read of them, and how often, is for the files of the types.)
INSERT INTO promise (name, holds) VALUES
    ('out of line', $$SELECT pg_relation_size(reltoastrelid) > 0 AND attstorage = 'e'
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.oid = 'valued'::regclass AND attname = 'v'$$),
    ('info tells the size', $$SELECT '<T>' = 'bitfield' OR bool_and((<T>_info(v)).bytes = octet_length(v::bytea) + 4)
        FROM valued$$);

-- ---- the promises, kept by every type ----

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
    ALTER TABLE keyed ADD UNIQUE (v);
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
SELECT (SELECT count(*) FROM made) >= 9 AS types, (SELECT count(*) FROM promise) AS promises;
SET client_min_messages = warning;
SELECT * FROM pg_temp.broken_promises();

-- ---- functions of values out of line ----

-- Every function in C returns for values out of line, again and again, what it returns for the same in
-- memory, and changes neither. Where it takes two, one is stored and one is not.
CREATE FUNCTION pg_temp.arguments(function oid, kind regtype, places text[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(CASE WHEN n = rest THEN 'VARIADIC ' ELSE '' END
                      || CASE a WHEN kind THEN places[1 + mod(turn, 2)]
                             WHEN to_regtype(kind || '[]') THEN format('ARRAY[%s, %s]', places[1], places[2])
                             WHEN 'hashed'::regtype THEN '8::hashed'
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
CREATE TEMP TABLE answered (function regprocedure, calls int, answers int, answer text);
DO $$
DECLARE
    m made;
BEGIN
    FOR m IN SELECT * FROM made LOOP
        PERFORM pg_temp.make_values(m);
        INSERT INTO answered
            SELECT p.oid, count(*), count(DISTINCT coalesce(answer, 'NULL')), min(answer)
              FROM pg_proc p,
                   LATERAL (SELECT DISTINCT pg_temp.arguments(p.oid, m.type, ARRAY[a, b]) AS arguments
                              FROM unnest('{s.v,m.v}'::text[]) a, unnest('{s.v,m.v}'::text[]) b) c,
                   pg_temp.answer(p.oid, m.type, arguments) answer
             WHERE prokind = 'f' AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c')
               AND m.type IN (SELECT unnest(proargtypes::regtype[])
                              UNION ALL SELECT typelem::regtype FROM pg_type WHERE oid = ANY (proargtypes))
               AND 'internal'::regtype <> ALL (proargtypes::regtype[])
             GROUP BY p.oid;
    END LOOP;
END $$;
SELECT function, answers FROM answered WHERE calls < 2 OR answers > 1 ORDER BY function::text COLLATE "C";
-- Most answer. What another system has no form for is refused, and a step that changes its parameters.
SELECT count(*) > 600 AS functions, count(*) FILTER (WHERE answer ~ '^[0-9A-Z]{5} ') < 80 AS refuse FROM answered;
SELECT function, answer FROM answered WHERE answer ~ '^[0-9A-Z]{5} ' AND function::text !~ '_state\('
 ORDER BY function::text COLLATE "C";
