-- What holds of every type alike, over whatever types the extension consists of: a type that is
-- added later is covered without a change here. Each query lists what is wrong, so its right answer is no
-- rows.

\set ECHO none
\i sql/include/output.sql
\i sql/include/each_type.sql
\i sql/include/error_of.sql
\set ECHO all
SELECT count(*) >= 9 AS types FROM made;

-- ---- ANALYZE ----

-- NULLs, width and distinct values are known, and there is no histogram of an order that means
-- nothing. A third of 3,000 rows is NULL; the others have 20 different values, or none twice.
CREATE FUNCTION pg_temp.statistics(made text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    EXECUTE 'CREATE TEMP TABLE analyzed AS ' || made;
    ANALYZE analyzed;
    SELECT format('%s NULL, distinct: %s, width %s, %s', round(null_frac::numeric, 3),
               round(n_distinct::numeric, 3),
               abs(avg_width - (SELECT avg(pg_column_size(v)) FROM analyzed)) <= 1,
               coalesce(histogram_bounds::text, most_common_vals::text, 'no values'))
        INTO found FROM pg_stats WHERE tablename = 'analyzed' AND attname = 'v';
    DROP TABLE analyzed;
    RETURN found;
END $$;
SELECT * FROM pg_temp.of_each($$SELECT pg_temp.statistics('
    SELECT CASE WHEN r % 3 > 0 THEN v END AS v FROM generate_series(1, 3000) r
      JOIN (SELECT g, <A>(<X>) AS v FROM generate_series(1, 20) g, generate_series(g, g + 9) i
             GROUP BY g) s ON g = 1 + r / 3 % 20')$$)
 WHERE answer IS DISTINCT FROM '0.333 NULL, distinct: 20.000, width t, no values';
SELECT * FROM pg_temp.of_each($$SELECT pg_temp.statistics('
    SELECT CASE WHEN r % 3 > 0 THEN (SELECT <A>(<X>) FROM (VALUES (r / 60), (1000 + r % 60 * 100)) s(i)) END AS v
      FROM generate_series(1, 3000) r')$$)
 WHERE answer IS DISTINCT FROM '0.333 NULL, distinct: -0.667, width t, no values';

-- ---- bytes go into a column by assignment, and nowhere else by themselves ----

SELECT * FROM pg_temp.of_each('SELECT bool_and(castcontext = ''a'') FROM pg_cast
    WHERE castsource = ''bytea''::regtype AND casttarget = ''<T>''::regtype')
 WHERE answer IS DISTINCT FROM 'true';
CREATE TEMP TABLE assigned (h hll, t theta, k topk);
INSERT INTO assigned SELECT hll_agg(i)::bytea, theta_agg(i)::bytea, topk_agg(i)::bytea FROM generate_series(1, 9) i;
SELECT hll_cardinality(h), theta_cardinality(t), topk_total(k) FROM assigned;
SELECT pg_temp.error_of($$INSERT INTO assigned (h) VALUES ('\x0102'::bytea)$$);

-- ---- what bytea prints is read, too ----

SELECT * FROM pg_temp.of_each('SELECT v::bytea::text::<T> = v AND upper(substr(v::bytea::text, 3)) = upper(encode(v::bytea, ''hex''))
    FROM (SELECT <A>(<X>) AS v FROM generate_series(1, 300) i) s')
 WHERE answer IS DISTINCT FROM 'true';
SELECT s, pg_temp.error_of(format('SELECT %L::hll', s)) FROM unnest(ARRAY['\x', '\x010', '\x01zz', '\x0102', 'x']) s;

-- ---- NULL is empty in merging ----

-- What is stored stays as it is, in line or not, with nothing to add; nothing and nothing is NULL.
SELECT * FROM pg_temp.of_each('SELECT bool_and((NULL | v) = v AND (v | NULL) = v)
    FROM (SELECT <A>(<X>) AS v FROM generate_series(1, 20000) i GROUP BY i < 10) s')
 WHERE answer IS DISTINCT FROM 'true';
SELECT * FROM pg_temp.of_each('SELECT NULL::<T> | NULL::<T> IS NULL')
 WHERE answer IS DISTINCT FROM 'true';

-- The same of all functions that add or remove: for adding, a NULL sketch is an empty one of default
-- parameters, from one nothing is removed, and where something else is NULL nothing changes. What is
-- printed is what is wrong with a function.
CREATE TYPE pg_temp.digit AS ENUM ('8', '12', '13');
CREATE FUNCTION pg_temp.concrete(types oid[]) RETURNS oid[] LANGUAGE sql AS $$
    SELECT array_replace(types, 'anyenum'::regtype::oid, 'pg_temp.digit'::regtype)
$$;
CREATE FUNCTION pg_temp.problem(function regprocedure) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    p pg_proc := (SELECT pg_proc FROM pg_proc WHERE oid = function);
    kind text := p.proargtypes[0]::regtype;
    filled text := (SELECT format('(SELECT %s(%s) FROM generate_series(1, 9) i)', aggregate, item)
                      FROM made WHERE type = p.proargtypes[0]);
    -- The arguments behind the sketch; of a range the second one is larger.
    items text[] := (
        SELECT array_agg(CASE WHEN t.typelem <> 0 AND t.typlen = -1
                              THEN format('ARRAY[%L::text]::%s', 10 + n, a::regtype)
                              WHEN a = 'text'::regtype AND p.proname LIKE '%\_all'
                              THEN format('''{%s}''::text', 10 + n)
                              ELSE format('%L::text::%s', 10 + n, a::regtype) END ORDER BY n)
          FROM unnest(pg_temp.concrete(p.proargtypes::oid[])) WITH ORDINALITY AS u(a, n)
          JOIN pg_type t ON t.oid = a
         WHERE n > 1);
    nulls text[] := (
        SELECT array_agg('NULL::' || a::regtype ORDER BY n)
          FROM unnest(pg_temp.concrete(p.proargtypes::oid[])) WITH ORDINALITY AS u(a, n) WHERE n > 1);
    call text := format('SELECT %I(%%s, %%s)::text', p.proname);
    before text;
    a text;
    b text;
BEGIN
    EXECUTE 'SELECT ' || filled || '::text' INTO before;
    FOR i IN 1 .. cardinality(items) LOOP
        EXECUTE format(call, filled,
            array_to_string(items[:i - 1] || nulls[i] || items[i + 1:], ', ')) INTO a;
        IF a IS NULL OR a NOT IN (before, '(' || before || ',f)', '(' || before || ',)') THEN
            RETURN format('argument %s is NULL and something changes', i + 1);
        END IF;
    END LOOP;
    EXECUTE format(call, 'NULL::' || kind, array_to_string(items, ', ')) INTO a;
    IF p.proname ~ 'remove|delete' THEN
        RETURN CASE WHEN a IS NOT NULL THEN 'something is removed from NULL' END;
    END IF;
    EXECUTE format(call, kind || '_empty()', array_to_string(items, ', ')) INTO b;
    IF a IS DISTINCT FROM b OR a IS NULL THEN
        RETURN 'NULL is no empty sketch';
    END IF;
    EXECUTE format(call, 'NULL::' || kind, array_to_string(nulls, ', ')) INTO a;
    RETURN CASE WHEN a IS NOT NULL THEN 'of NULLs comes something' END;
END $$;
CREATE TEMP TABLE changing AS
    SELECT p.oid::regprocedure AS function
      FROM made JOIN pg_proc p ON p.proargtypes[0] = made.type
     WHERE p.proname ~ '_(try_)?(add(nx)?|delete|remove)(_all|_range)?$';
SELECT function, pg_temp.problem(function) FROM changing
 WHERE pg_temp.problem(function) IS NOT NULL
 ORDER BY function::text COLLATE "C";
SELECT count(*) FILTER (WHERE function::text ~ 'add') >= 40 AS functions_that_add,
       count(*) FILTER (WHERE function::text !~ 'add') AS functions_that_remove FROM changing;

-- ---- looking ----

-- The size is how much there is: items, values, counts or bits, of which each i makes one.
SELECT * FROM pg_temp.of_each('SELECT <N>(<A>(<X>)) FROM generate_series(1, 20) i')
 WHERE answer IS DISTINCT FROM '20';

-- ---- states on the move ----

-- A state that travels between servers, as text or in binary, loses nothing: of 32 parts, combined
-- after the journey, comes what a serial plan makes of all items.
CREATE FUNCTION pg_temp.moved(kind regtype, items int, repeated int)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    m made := (SELECT made FROM made WHERE made.type = kind);
    -- <A> over the items, by parts if the query goes on so.
    query text := format('(SELECT <A>(%s) FROM generate_series(1, %s) n, generate_series(1, %s) i',
        m.item, repeated, items);
    file text := current_setting('data_directory') || '/states';
    serial text;
    as_text text;
    as_binary text;
BEGIN
    EXECUTE format('CREATE AGGREGATE pg_temp.state_of(%s) (SFUNC = %s, STYPE = %s)',
        m.argument, m.aggtransfn, m.type);
    EXECUTE format('CREATE AGGREGATE pg_temp.combined(%s) (SFUNC = %s, STYPE = %s %s)',
        m.type, m.aggcombinefn, m.type, ', FINALFUNC = ' || m.aggfinalfn);
    EXECUTE format('CREATE TEMP TABLE arrived (state %s)', m.type);

    EXECUTE replace(query, '<A>', m.aggregate) || ')' INTO serial;
    EXECUTE format('SELECT pg_temp.combined(state::text::%s) FROM %s GROUP BY i %% 32) s (state)',
        m.type, replace(query, '<A>', 'pg_temp.state_of')) INTO as_text;
    EXECUTE format('COPY %s GROUP BY i %% 32) TO %L WITH BINARY',
        replace(query, '<A>', 'pg_temp.state_of'), file);
    EXECUTE format('COPY arrived FROM %L WITH BINARY', file);
    SELECT pg_temp.combined(state) INTO as_binary FROM arrived;

    DROP TABLE arrived;
    EXECUTE format('DROP AGGREGATE pg_temp.state_of(%s)', m.argument);
    EXECUTE format('DROP AGGREGATE pg_temp.combined(%s)', m.type);
    RETURN format('%s as text, %s in binary',
        CASE WHEN as_text = serial THEN 'the same' ELSE 'other bytes' END,
        CASE WHEN as_binary = serial THEN 'the same' ELSE 'other bytes' END);
END $$;
SELECT type, moved FROM made, pg_temp.moved(type, 90, 20)
 WHERE moved <> 'the same as text, the same in binary'
 ORDER BY type::text COLLATE "C";
-- Of what is not exact, the order of merging shows in the bytes of some.
SELECT type, moved FROM made, pg_temp.moved(type, 20000, 1)
 WHERE type::text NOT IN ('cms', 'tdigest', 'topk')
   AND moved <> 'the same as text, the same in binary'
 ORDER BY type::text COLLATE "C";

-- ---- states stay in their aggregate ----

-- A working state leaves an aggregate that lacks its final function. Only output functions take it
-- then, and aggregates; bitfield has no other form.
CREATE FUNCTION pg_temp.answer_to_state(function oid, m made) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
    arguments text := (
        SELECT string_agg(CASE a WHEN m.type THEN 'state'
                                 WHEN to_regtype(m.type || '[]') THEN 'ARRAY[state]'
                                 WHEN 'hashed'::regtype THEN '8::hashed'
                                 ELSE format('%L::%s', CASE WHEN a::text ~ '\[\]' THEN '{}'
                                                            WHEN a = 'text'::regtype
                                                                 AND p.proname ~ '_(all|each)$'
                                                            THEN '{}'
                                                            WHEN a::text ~ 'time' THEN '2020-01-01'
                                                            WHEN a::text ~ 'double' THEN '0.' || n
                                                            WHEN a::text = 'boolean' THEN 'true'
                                                            ELSE '8' END, a) END, ', ' ORDER BY n)
          FROM pg_proc p, unnest(pg_temp.concrete(p.proargtypes::oid[])::regtype[]) WITH ORDINALITY AS u(a, n)
         WHERE p.oid = function);
BEGIN
    EXECUTE format('SELECT %s(%s)::text FROM (SELECT pg_temp.state_of(%s)
                      FROM generate_series(1, 20) i) s (state)', function::regproc, arguments, m.item)
        INTO answer;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN sqlerrm NOT LIKE 'this value of type % is the state of an unfinished aggregate'
                THEN sqlerrm END;
END $$;
CREATE FUNCTION pg_temp.take_states(m made) RETURNS TABLE (function regprocedure, answer text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE AGGREGATE pg_temp.state_of(%s) (SFUNC = %s, STYPE = %s)',
        m.argument, m.aggtransfn, m.type);
    RETURN QUERY SELECT p.oid::regprocedure, pg_temp.answer_to_state(p.oid, m) FROM pg_proc p
      WHERE p.prokind = 'f' AND m.type IN (SELECT unnest(p.proargtypes::regtype[]))
        AND 'internal'::regtype <> ALL (p.proargtypes::regtype[])
        AND p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'c');
    EXECUTE format('DROP AGGREGATE pg_temp.state_of(%s)', m.argument);
END $$;
CREATE TEMP TABLE asked AS
    SELECT type, s.* FROM made, pg_temp.take_states(made) s WHERE type::text <> 'bitfield';
SELECT function, left(answer, 40) FROM asked
 WHERE answer IS NOT NULL
   AND function::text NOT IN (format('_%s_out(%1$s)', type), format('_%s_send(%1$s)', type))
 ORDER BY function::text COLLATE "C";
SELECT count(*) > 300 AS functions FROM asked;

DELETE FROM made WHERE type::text = 'bitfield';
-- Called by hand, a state function returns a packed value, also one that changes nothing.
SELECT * FROM pg_temp.of_each('SELECT bool_and(_<T>_send(_<T>_union_state(NULL, v)) = _<T>_send(v)
           AND _<T>_union_state(NULL, v) = v AND _<T>_union_state(v, NULL) = v
           AND pg_column_size(_<T>_union_state(v, v)) = pg_column_size(v | v))
    FROM (SELECT <A>(<X>) AS v FROM generate_series(1, 20) i) s')
 WHERE answer IS DISTINCT FROM 'true';

-- ---- parameters that change within a group ----

-- Parts of a plan, or shards, with different parameters raise as a serial plan does. Whoever takes
-- parameters has a combine function that compares them.
SELECT call, split_part(pg_temp.error_of('SELECT ' || call), '.', 1) AS error FROM unnest(ARRAY[
    '_hll_combine(_hll_agg_state(NULL, 1, 10), _hll_agg_state(NULL, 1, 11))',
    '_tdigest_combine(_tdigest_agg_state(NULL, 1, 100), _tdigest_agg_state(NULL, 1, 101))',
    '_topk_combine(_topk_agg_state(NULL, 1, 10), _topk_agg_state(NULL, 1, 11))',
    '_bloom_combine(_bloom_agg_state(NULL, 1, 10), _bloom_agg_state(NULL, 1, 11))',
    '_bloom_combine(_bloom_agg_state(NULL, 1, 10, 0.1), _bloom_agg_state(NULL, 1, 10, 0.2))',
    '_cuckoo_combine(_cuckoo_agg_state(NULL, 1, 10, 8), _cuckoo_agg_state(NULL, 1, 10, 9))',
    '_cms_combine(_cms_agg_state(NULL, 1, 0.01, 0.1), _cms_agg_state(NULL, 1, 0.02, 0.1))',
    '_ddsketch_combine(_ddsketch_agg_state(NULL, 1, 0.01), _ddsketch_agg_state(NULL, 1, 0.02))',
    '_hll_union_state(_hll_agg_state(NULL, 1, 10), _hll_agg_state(NULL, 1, 11))']) call;
SELECT count(*) AS alike FROM (VALUES
    (hll_cardinality(_hll_combine(_hll_agg_state(NULL, 1, 10), _hll_agg_state(NULL, 2, 10)))),
    (topk_total(_topk_combine(_topk_agg_state(NULL, 1, 7), _topk_agg_state(NULL, 2, 7)))),
    (bloom_cardinality(_bloom_combine(_bloom_agg_state(NULL, 1, 10, 0.1), _bloom_agg_state(NULL, 2, 10, 0.1)))),
    (cuckoo_cardinality(_cuckoo_combine(_cuckoo_agg_state(NULL, 1, 10, 8), _cuckoo_agg_state(NULL, 2, 10, 8))))) v(n)
 WHERE n = 2;
-- In a parallel plan, whichever worker sees them. -0 is 0.
CREATE TABLE parameters AS SELECT i, 10 + i / 5000 AS p FROM generate_series(1, 9999) i;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
ALTER TABLE parameters SET (parallel_workers = 2);
SELECT call, pg_temp.sqlstate_of(format('SELECT %s FROM parameters', call)) AS parallel
  FROM unnest(ARRAY['hll_agg(i, p)', 'topk_agg(i, p)', 'topk_weighted_agg(i, 1, p)', 'approx_top_k(i, p)', 'approx_top_count(i, p)',
    'bloom_agg(i, p)', 'cuckoo_agg(i, 1 << p)', 'tdigest_agg(i, p)', 'cms_agg(i, 0.01 / p, 0.1)',
    'hll_postgresql_hll_agg(i, p)', 'hll_datasketches_agg(hll_datasketches_hash(i), p)', 'approx_percentile(i, p / 20.0)',
    'tdigest_union_percentile_agg(tdigest_add(NULL, i), p / 20.0)', 'ddsketch_union_percentile_agg(ddsketch_add(NULL, i), p / 20.0)',
    'cms_weighted_agg(i, 1, 0.01 / p, 0.1)',
    'theta_agg(i, p)', 'ddsketch_agg(i, (p - 9) / 100.0)', 'ddsketch_weighted_agg(i, 1, (p - 9) / 100.0)']) call;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SELECT approx_percentile(i, q) OVER (ORDER BY i ROWS 1 PRECEDING) AS least
  FROM (VALUES (1, float8 '0'), (2, '-0')) v(i, q);
DROP TABLE parameters;
