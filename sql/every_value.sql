-- What holds of stored values of every type: they are compared, grouped, joined, indexed, printed, copied
-- and kept out of line. A type that is added later is covered without a change here. Each query lists
-- what is wrong, so its right answer is no rows. Of each type there are values of the items 1 to n, none to
-- 30,000, all out of line: `valued`; each of them twice, as `twice`; the small ones, excluded by a hash index, as `keyed`.
\set ECHO none
\i sql/include/output.sql
\i sql/include/each_type.sql
\i sql/include/error_of.sql
\i sql/include/plan_has.sql
\i sql/include/promises.sql
\set ECHO all

-- ---- comparison ----

INSERT INTO promise (name, holds) VALUES
    ('equal are equal bytes', 'SELECT bool_and((a.v = b.v) = (a.n = b.n) AND (a.v <> b.v) = (a.n <> b.n)
        AND (a.v = b.v) = (a.v::bytea = b.v::bytea)) FROM twice a, twice b'),
    ('there is no order', $$SELECT bool_and(pg_temp.sqlstate_of(format('SELECT %s FROM twice', query)) = '42883')
        FROM unnest('{v < v,v <= v,v > v,v >= v,count(DISTINCT v),max(v),array_agg(v ORDER BY v)}'::text[]) query$$),
    ('equal hash alike', 'SELECT bool_and((_<T>_hash(a.v) = _<T>_hash(b.v)) = (a.n = b.n)
        AND (_<T>_hash_extended(a.v, 7) = _<T>_hash_extended(b.v, 7)) = (a.n = b.n)) FROM twice a, twice b'),
    ('a seed changes the hash', 'SELECT bool_and(_<T>_hash_extended(v, 0) <> _<T>_hash_extended(v, 1)
        AND _<T>_hash_extended(v, 0) & 4294967295 = _<T>_hash(v)::bigint & 4294967295) FROM valued'),
    ('NULL is not equal', 'SELECT bool_and((v = NULL) IS NULL AND (NULL <> v) IS NULL) FROM valued');

-- ---- groups, sets, joins ----

INSERT INTO promise (name, holds, plan, off) VALUES
    ('groups by hashing', 'SELECT count(*) = 9 AND bool_and(c = 2)
        FROM (SELECT v, count(*) AS c FROM twice GROUP BY v) s', 'HashAggregate', '{sort}'),
    ('groups though told not to', 'SELECT count(*) = 9 AND bool_and(c = 2)
        FROM (SELECT v, count(*) AS c FROM twice GROUP BY v) s', 'HashAggregate', '{hashagg,sort}'),
    ('groups in several ways', 'SELECT count(*) = 9 + 9 + 1 AND sum(c) = 3 * 18
        FROM (SELECT v, count(*) AS c FROM twice GROUP BY GROUPING SETS (v, (v, n), ())) s', NULL, NULL),
    ('groups by no sketch where an aggregate sorts', $$SELECT pg_temp.sqlstate_of(
        'SELECT v, count(DISTINCT n) FROM twice GROUP BY v') = '0A000'$$, NULL, NULL),
    ('distinct', 'SELECT count(*) = 9 FROM (SELECT DISTINCT v FROM twice) s', NULL, NULL),
    ('union', 'SELECT count(*) = 9 FROM (SELECT v FROM twice UNION SELECT v FROM valued) s', NULL, NULL),
    ('except', 'SELECT count(*) = 4
        FROM (SELECT v FROM twice EXCEPT SELECT v FROM valued WHERE n > 10) s', NULL, NULL),
    ('in', 'SELECT count(*) = 10 FROM twice WHERE v IN (SELECT v FROM valued WHERE n > 10)', NULL, NULL),
    ('joins by hashing', 'SELECT count(*) = 18 AND bool_and(t.n = s.n) FROM twice t JOIN valued s USING (v)',
        'Hash Join', '{nestloop,mergejoin}'),
    ('full joins', 'SELECT count(*) = 18 FROM twice t FULL JOIN valued s USING (v)', 'Hash Full Join', '{hashjoin}'),
    ('joins by loops', 'SELECT count(*) = 18 AND bool_and(t.n = s.n) FROM twice t JOIN valued s USING (v)',
        'Nested Loop', '{hashjoin,mergejoin}');

-- ---- indexes ----

-- A hash index takes values of any length; there is no btree, and so nothing is UNIQUE.
INSERT INTO promise (name, holds, plan, off) VALUES
    ('no btree', $$SELECT pg_temp.sqlstate_of('CREATE UNIQUE INDEX ON valued (v)') = '42704'$$, NULL, NULL),
    ('excluded by a hash index', $$SELECT pg_temp.sqlstate_of('INSERT INTO keyed SELECT n, v FROM keyed') = '23P01'$$,
        NULL, NULL),
    ('... which knows conflicts', $$SELECT pg_temp.error_of('INSERT INTO keyed SELECT n, v FROM keyed
        ON CONFLICT DO NOTHING') = 'accepted' AND (SELECT count(*) = 4 FROM keyed)$$, NULL, NULL),
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

SELECT (SELECT count(*) FROM made) >= 9 AS types, (SELECT count(*) FROM promise) AS promises;
SET client_min_messages = warning;
SELECT * FROM pg_temp.broken_promises();
-- They keep them in parallel plans, and with next to no memory for hash tables.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET work_mem = '64kB';
SELECT * FROM pg_temp.broken_promises() WHERE answer <> 'another plan';
RESET ALL;
SET client_min_messages = warning;

-- ---- functions of values out of line ----

-- Every function in C returns for values out of line, again and again, what it returns for the same in
-- memory, and changes neither. Where it takes two, one is stored and one is not.
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
SELECT count(*) > 450 AS functions, count(*) FILTER (WHERE answer ~ '^[0-9A-Z]{5} ') < 80 AS refuse FROM answered;
SELECT function, answer FROM answered WHERE answer ~ '^[0-9A-Z]{5} ' AND function::text !~ '_state\('
 ORDER BY function::text COLLATE "C";
