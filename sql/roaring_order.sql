-- Sets in conditions on a later column of an index, where the order of its rows is used; several sets for
-- one column.

SET max_parallel_workers_per_gather = 0;

\set ECHO none
\i sql/include/output.sql
\i sql/include/plan_has.sql
\set ECHO all

CREATE TEMP TABLE event AS
    SELECT i % 50 AS tenant, i AS id, i * 7919 % 1009 AS kind FROM generate_series(1, 20000) i;
CREATE INDEX event_tenant_id ON event (tenant, id);
CREATE INDEX event_kind_id ON event (kind DESC, id DESC);
CREATE TEMP TABLE tenant AS SELECT t AS tenant FROM generate_series(0, 49) t;
CREATE TEMP TABLE segment (name text, members roaring);
INSERT INTO segment SELECT 'scattered', roaring_agg(i * 7717 % 20001) FROM generate_series(1, 60) i;
INSERT INTO segment SELECT 'thirds', roaring_agg(i * 3) FROM generate_series(1, 2000) i;
VACUUM ANALYZE event;
ANALYZE tenant, segment;
SELECT members AS scattered FROM segment WHERE name = 'scattered' \gset

-- ---- order ----

-- The answer with the index, in place of any sort or hash table, and without. The sets are a constant, one of a
-- subquery, and one of a join.
CREATE FUNCTION pg_temp.answer(query text, by_index boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    PERFORM set_config(name, (NOT by_index)::text, true)
       FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashagg', 'enable_hashjoin',
                         'enable_nestloop']) name;
    PERFORM set_config(name, by_index::text, true)
       FROM unnest(ARRAY['enable_indexscan', 'enable_indexonlyscan']) name;
    EXECUTE format('SELECT string_agg(q::text, '' '') FROM (%s) q', query) INTO answer;
    RETURN answer;
END $$;
CREATE TEMP TABLE asked AS
    SELECT replace(replace(query, 'SET', CASE s WHEN 1 THEN format('%L::roaring', :'scattered')
                           ELSE '(SELECT members FROM segment WHERE name = ''scattered'')' END), 'FROM event',
                   CASE s WHEN 3 THEN 'FROM event JOIN tenant USING (tenant)' ELSE 'FROM event' END) AS query
      FROM generate_series(1, 3) s, unnest(ARRAY[
        'SELECT tenant, id FROM event WHERE id <@ SET ORDER BY tenant, id',
        'SELECT tenant, id FROM event WHERE id <@ SET AND tenant BETWEEN 3 AND 30 ORDER BY tenant, id LIMIT 7',
        'SELECT tenant, count(*) FROM event WHERE id <@ SET GROUP BY tenant ORDER BY tenant',
        'SELECT DISTINCT tenant FROM event WHERE id <@ SET AND tenant > 10 ORDER BY tenant',
        'SELECT min(tenant), max(tenant) FROM event WHERE id <@ SET',
        'SELECT kind, id FROM event WHERE id <@ SET ORDER BY kind DESC, id DESC',
        'SELECT kind, id FROM event WHERE id <@ SET AND kind < 500 ORDER BY kind, id LIMIT 9',
        'SELECT tenant, row_number() OVER (ORDER BY tenant, id) FROM event WHERE id <@ SET ORDER BY tenant, id',
        'SELECT tenant, id FROM event WHERE id <@ SET AND tenant = ANY (''{4,17,31}'') ORDER BY tenant, id',
        'SELECT tenant, id FROM event WHERE id <@ SET AND tenant = 17 ORDER BY id']) query;
SELECT query FROM asked WHERE pg_temp.answer(query, true) IS DISTINCT FROM pg_temp.answer(query, false);
SELECT count(pg_temp.answer(query, false)) AS asked FROM asked;

-- = ANY is searched for where no order matters.
SET enable_seqscan = off;
SELECT pg_temp.plan_has(format(query, :'scattered'), 'id = ANY') AS searched
  FROM unnest(ARRAY['SELECT count(*) FROM event WHERE tenant < 40 AND id <@ %L::roaring',
                    'SELECT id FROM event WHERE tenant < 40 AND id <@ %L::roaring ORDER BY id %% 7',
                    'SELECT id, count(*) FROM event WHERE tenant < 40 AND id <@ %L::roaring GROUP BY id']) query;

-- ---- several sets ----

-- One becomes = ANY, the others are asked row by row: as the server would search for each pair of values. That is
-- not so within an arm of an OR.
SET enable_indexonlyscan = off;
CREATE INDEX event_id ON event (id);
CREATE FUNCTION pg_temp.searches(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    line text;
    searches bigint := 0;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ 'Index Cond' THEN
            searches := searches + (SELECT count(*) FROM regexp_matches(line, '= ANY', 'g'));
        END IF;
    END LOOP;
    RETURN searches;
END $$;
CREATE TEMP TABLE several AS
    SELECT n, 'SELECT count(*) FROM event WHERE '
              || replace(replace(condition, 'S1', '(SELECT members FROM segment WHERE name = ''scattered'')'),
                         'S2', '(SELECT members FROM segment WHERE name = ''thirds'')') AS query
      FROM unnest(ARRAY[
        'id <@ S1 AND id <@ S2', 'id <@ S2 AND S1 @> id', 'id <@ ''{3,30,301}''::roaring AND id <@ ''{3,9,301}''::roaring',
        'id <@ S1 AND id = ANY (''{7717,5,3}''::int[])', 'id = ANY (''{7717,5,3}''::int[]) AND id <@ S1',
        'id <@ S1 OR id <@ S2', '(id <@ S1 AND id <@ S2) OR id = 5', 'id <@ S2 AND (id <@ S1 OR id = 3)'])
           WITH ORDINALITY c(condition, n);
SELECT n, pg_temp.searches(query) AS searches FROM several ORDER BY n;
SELECT n FROM several WHERE pg_temp.answer(query, true) IS DISTINCT FROM pg_temp.answer(query, false);
RESET enable_seqscan;
RESET enable_indexonlyscan;
