-- Sets in conditions: what the planner estimates, which indexes it uses, and that answers are the same
-- whatever it uses.

\set ECHO none
\i sql/include/output.sql
\i sql/include/plan_has.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;

-- Of a query: how many rows are expected, and how many there are.
CREATE FUNCTION pg_temp.rows_of(query text, OUT estimated float8, OUT counted float8)
LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        estimated := coalesce(estimated, substring(line FROM 'rows=(\d+)')::float8);
    END LOOP;
    EXECUTE 'SELECT count(*) FROM (' || query || ') q' INTO counted;
END $$;

CREATE FUNCTION pg_temp.within(factor float8, query text) RETURNS boolean LANGUAGE sql AS $$
    SELECT estimated <= factor * greatest(counted, 1) + 2 AND estimated * factor + 2 >= counted
      FROM pg_temp.rows_of(query)
$$;

-- Ids without gaps, every tenth, in blocks of a thousand; skewed, and few of many rows each; negative
-- ones and NULLs; many NULLs.
CREATE TEMP TABLE facts AS
    SELECT i::bigint AS id, i * 10 AS tenth, i / 1000 * 100000 + i % 1000 AS blocks,
           floor(20000 * (i * 7919 % 60013 / 60013.0) ^ 2)::int AS skewed,
           (i * 97 % 3000)::smallint AS few,
           CASE WHEN i % 7 > 0 THEN (i % 400) - 200 END AS signed,
           CASE WHEN i % 5 = 0 THEN i END AS sparse
      FROM generate_series(1, 60000) i;
ANALYZE facts;

-- ---- estimates of integers ----

-- Sets of .05 to 50 % of the rows, scattered and dense, of each column, in both widths: within 3, or 5 where some values
-- are far more frequent than others.
CREATE TEMP TABLE case_of (name text, share float8, scattered roaring64, dense roaring64);
DO $$
DECLARE
    name text;
    share float8;
BEGIN
    FOREACH name IN ARRAY ARRAY['id', 'tenth', 'blocks', 'skewed', 'few'] LOOP
        FOREACH share IN ARRAY ARRAY[.0005, .01, .1, .5] LOOP
            EXECUTE format('INSERT INTO case_of
                SELECT %1$L, %2$s,
                       roaring64_agg(%1$I) FILTER (WHERE hashint8(id)::bigint + 2147483648 < %2$s * 4294967296),
                       roaring64_agg(%1$I) FILTER (WHERE n > 20000 AND n <= 20000 + %2$s * 60000)
                  FROM (SELECT *, row_number() OVER (ORDER BY %1$I) AS n FROM facts) f', name, share);
        END LOOP;
    END LOOP;
END $$;
SELECT name, share, shape
  FROM case_of, LATERAL (VALUES ('scattered', scattered), ('dense', dense)) v(shape, members),
       LATERAL (SELECT CASE name WHEN 'skewed' THEN 5 ELSE 3 END) f(far)
 WHERE NOT pg_temp.within(far, format('SELECT FROM facts WHERE %I <@ %L::roaring64', name, members))
    OR NOT pg_temp.within(far, format('SELECT FROM facts WHERE %L::roaring @> %I', members::roaring, name))
    OR NOT pg_temp.within(far, format('SELECT FROM facts WHERE roaring_contains(%L, %I)',
                                    members::roaring, name));
SELECT count(*) AS cases FROM case_of;

-- A range over ids with gaps has more values than the column, and so has a random set.
SELECT pg_temp.within(2, 'SELECT FROM facts WHERE tenth <@ roaring_range(10000, 400000)') AS range,
       pg_temp.within(2, format('SELECT FROM facts WHERE tenth <@ %L::roaring',
                                  (SELECT roaring_agg(v) FROM generate_series(1, 600000) v
                                    WHERE hashint4(v) % 3 <> 0))) AS random;

-- NULL and negative values are in no set; nor is anything in the empty set or in NULL.
SELECT pg_temp.within(1.5, 'SELECT FROM facts WHERE signed <@ roaring_range(0, 100)') AS signed,
       pg_temp.within(1.5, 'SELECT FROM facts WHERE sparse <@ roaring_range(0, 30000)') AS sparse,
       pg_temp.within(1, 'SELECT FROM facts WHERE id <@ roaring_empty()') AS empty,
       pg_temp.within(1, 'SELECT FROM facts WHERE id <@ NULL::roaring') AS null;
SELECT estimated < 500 AS beyond FROM pg_temp.rows_of('SELECT FROM facts WHERE id <@ roaring_range(1000000, 2000000)');

-- Of a table that ANALYZE has not seen, and of an expression, there is an estimate.
CREATE TEMP TABLE unseen AS SELECT i AS id FROM generate_series(1, 1000) i;
SELECT estimated BETWEEN 1 AND 2000 AS unseen
  FROM pg_temp.rows_of('SELECT FROM unseen WHERE id <@ ''{1,2,3}''::roaring');
SELECT estimated BETWEEN 1 AND 60000 AS expression
  FROM pg_temp.rows_of('SELECT FROM facts WHERE id % 10 <@ ''{1,2,3}''::roaring');

-- A stable expression is known by its value.
SET sketches_test.members = '{1,2,3,4,5,6,7,8,9,10}';
SELECT pg_temp.within(2, 'SELECT FROM facts
                           WHERE id <@ current_setting(''sketches_test.members'')::roaring') AS stable;

-- ---- estimates of sets ----

-- ANALYZE: how many values the sets have, the fewest, the most and the average.
CREATE TEMP TABLE segments AS
    SELECT s AS id, (SELECT roaring_agg((hashint8(s * 100003 + e)::bigint + 2147483648) % 100000)
                       FROM generate_series(1, 10 + s % 91) e) AS uniform,
           (SELECT roaring64_agg((1000 * ((hashint8(s * 7 + e * 1000003)::bigint + 2147483648)
                                          / 4294967296.0) ^ 4)::bigint)
              FROM generate_series(1, 1 + s % 20) e) AS popular,
           CASE s % 4 WHEN 0 THEN NULL WHEN 1 THEN '{}' WHEN 2 THEN roaring_range(s, s + 100000)
                      ELSE roaring(ARRAY[s]) END AS mixed
      FROM generate_series(1, 4000) s;
ANALYZE segments;
SELECT attname, elem_count_histogram AS numbers
  FROM pg_stats WHERE tablename = 'segments' AND elem_count_histogram IS NOT NULL
 ORDER BY attname COLLATE "C";

-- A set of another table, or of a scalar subquery, is as large as that column's are on average.
SELECT pg_temp.within(3, 'SELECT FROM facts WHERE id <@ (SELECT uniform FROM segments WHERE id = 45)') AS subquery,
       pg_temp.within(3, 'SELECT FROM facts f JOIN segments s ON f.id <@ s.uniform
                           WHERE s.id BETWEEN 40 AND 50') AS joined,
       pg_temp.within(2, 'SELECT e FROM segments, roaring_elements(uniform) e') AS elements,
       pg_temp.within(1, 'SELECT FROM roaring_elements(roaring_range(5, 1005))') AS known_elements;

-- A left join that adds nothing is removed from the plan: what is estimated of the rest does not look for it.
CREATE TEMP TABLE named (id int PRIMARY KEY);
SELECT kind, pg_temp.plan_has(format('SELECT FROM facts LEFT JOIN named n ON n.id = facts.id
                                       WHERE %s (SELECT FROM segments s LEFT JOIN named n ON n.id = s.id
                                                  WHERE facts.id <@ uniform AND s.id < 1000)', kind), 'named') AS has_it
  FROM unnest(ARRAY['EXISTS', 'NOT EXISTS']) kind;

-- ---- indexes ----

CREATE INDEX facts_id ON facts (id);
CREATE INDEX facts_tenth ON facts (tenth);
CREATE INDEX facts_few ON facts (few);
CREATE INDEX facts_signed ON facts (signed);
SELECT pg_temp.plan_has('SELECT FROM facts WHERE id <@ ''{5,7}''::roaring', 'id = ANY') AS small,
       pg_temp.plan_has('SELECT FROM facts WHERE ''{50,70}''::roaring64 @> tenth', 'tenth = ANY') AS commuted,
       pg_temp.plan_has('SELECT FROM facts WHERE _roaring_contained(few, ''{5,7,40000}''::roaring)',
                        'few = ANY \(''\{5,7,40000\}''') AS smallint,
       pg_temp.plan_has('SELECT FROM facts WHERE id <@ roaring_range(1000, 13000)',
                        'id >= .*1000.*id <= .*12999') AS dense,
       pg_temp.plan_has('SELECT FROM facts WHERE id <@ roaring_range(1000, 13000)', 'Filter') AS checked,
       pg_temp.plan_has('SELECT FROM facts WHERE id <@ roaring_remove(roaring_range(1000, 13000), 5000)',
                        'Filter') AS rechecked,
       pg_temp.plan_has('SELECT FROM facts WHERE id <@ roaring_shift(roaring_range(0, 50000), 3)',
                        'Index Cond') AS most_of_the_table,
       pg_temp.plan_has('SELECT FROM facts WHERE id <@ current_setting(''sketches_test.members'')::roaring',
                        'id = ANY .*::bigint') AS stable,
       pg_temp.plan_has('SELECT FROM facts WHERE id <@ (SELECT uniform FROM segments WHERE id = 5)',
                        'id = ANY .*::bigint') AS subquery,
       pg_temp.plan_has('SELECT FROM facts f JOIN segments s ON tenth <@ popular WHERE s.id = 5',
                        'tenth = ANY .*::bigint') AS joined,
       pg_temp.plan_has('SELECT FROM facts WHERE id <@ (SELECT mixed FROM segments WHERE id = 5)',
                        'Index Cond.*facts') AS large_subquery;

-- A function is known by what it calls, whatever its name says.
BEGIN;
ALTER FUNCTION roaring_to_array(roaring) RENAME TO array_of;
CREATE FUNCTION pg_temp.roaring_to_array(roaring) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS 'SELECT NULL::bigint[]';
SELECT pg_temp.plan_has('SELECT FROM facts WHERE id <@ (SELECT uniform FROM segments WHERE id = 5)',
                        'id = ANY .*::bigint') AS values;
ROLLBACK;

-- A set of all numbers between two is a range, without a filter; of more than half of the rows between, too,
-- with one; of fewer, values, up to a sixteenth of the table's rows; beyond it the table is read.
CREATE FUNCTION pg_temp.way(name text, members roaring) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    way text := '';
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT FROM facts WHERE %I <@ %L::roaring', name, members) LOOP
        way := way || CASE WHEN line ~ 'Index Cond.*ANY' THEN 'values ' WHEN line ~ 'Index Cond' THEN 'range '
                           WHEN line ~ 'Filter' THEN 'filter ' WHEN line ~ 'Seq Scan' THEN 'all ' ELSE '' END;
    END LOOP;
    RETURN way;
END $$;
SELECT pg_temp.way('id', '{9}') AS one, pg_temp.way('id', '{7,8,9}') AS three,
       pg_temp.way('id', '{7,8,10}') AS with_a_gap, pg_temp.way('id', '{}') AS none,
       pg_temp.way('few', roaring_range(40000, 50000)) AS beyond_the_column,
       pg_temp.way('id', roaring_range(100, 1100)) AS dense,
       pg_temp.way('tenth', roaring_range(100, 1100)) AS with_gaps,
       (SELECT pg_temp.way('id', roaring_agg(i)) FROM generate_series(500, 1500) i WHERE i % 3 > 0) AS two_thirds,
       (SELECT pg_temp.way('id', roaring_agg(i * 3)) FROM generate_series(500, 1000) i) AS third;
SELECT share, pg_temp.way('id', roaring_agg(id)) AS way
  FROM (VALUES (3), (15), (20), (100), (1000)) v(share), facts WHERE id % share = 0 GROUP BY share ORDER BY share;

-- A set that a subquery or a join brings is searched for value by value, if by the statistics of its
-- column that costs less than other ways: 300 values do, 30,000 do not, nor 1,500 where another condition
-- leaves fewer rows; nor any whose array is beyond work_mem.
CREATE TEMP TABLE of_300 AS SELECT roaring_agg(id) AS members FROM facts WHERE id % 200 = 7;
CREATE TEMP TABLE of_1500 AS SELECT roaring_agg(id) AS members FROM facts WHERE id % 40 = 7;
CREATE TEMP TABLE of_30000 AS SELECT roaring_agg(id) AS members FROM facts WHERE id % 2 = 1;
ANALYZE of_300, of_1500, of_30000;
CREATE FUNCTION pg_temp.searched(name text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(pg_temp.plan_has(query, 'id = ANY')::text, ' ' ORDER BY n)
      FROM unnest(ARRAY[format('SELECT FROM facts WHERE id <@ (SELECT members FROM %I)', name),
                        format('SELECT FROM facts JOIN %I ON id <@ members', name),
                        format('SELECT FROM facts WHERE few = 5 AND id <@ (SELECT members FROM %I)', name)])
           WITH ORDINALITY q(query, n)
$$;
SELECT name, pg_temp.searched(name) AS searched FROM unnest(ARRAY['of_300', 'of_1500', 'of_30000']) name;
SET enable_seqscan = off;
SET work_mem = '64kB';
SELECT name, pg_temp.searched(name) AS in_64_kb FROM unnest(ARRAY['of_300', 'of_1500', 'of_30000']) name;
RESET work_mem;
SELECT name, pg_temp.searched(name) AS in_4_mb FROM unnest(ARRAY['of_300', 'of_1500', 'of_30000']) name;
RESET enable_seqscan;
-- So does a stable set, at the cost of its values.
SELECT set_config('sketches_test.many', roaring_agg(id)::text, false) IS NOT NULL AS set FROM facts WHERE id % 20 = 7;
SELECT pg_temp.plan_has('SELECT FROM facts
                          WHERE few = 5 AND id <@ current_setting(''sketches_test.many'')::roaring', 'id = ANY') AS many,
       pg_temp.plan_has('SELECT FROM facts
                          WHERE few = 5 AND id <@ current_setting(''sketches_test.members'')::roaring', 'id = ANY') AS members;
-- A set that has grown since is found all the same.
UPDATE of_300 SET members = members | roaring_range(10000, 40000);
SELECT (SELECT count(*) FROM facts WHERE id <@ (SELECT members FROM of_300)) AS counted,
       (SELECT roaring_cardinality(members) FROM of_300) AS values,
       pg_temp.searched('of_300') AS searched;

-- Nothing is assumed of a generic plan's parameter, so a plan for the value that is given wins.
PREPARE by_members(roaring) AS SELECT count(*) FROM facts WHERE id <@ $1;
EXECUTE by_members('{1,2,4}');
SELECT count(*) AS runs FROM generate_series(1, 6) n,
    LATERAL (SELECT pg_temp.plan_has('EXECUTE by_members(''{1,2,4}'')', 'id = ANY') OFFSET n * 0) p(used)
 WHERE used;
SET plan_cache_mode = force_generic_plan;
EXECUTE by_members('{1,2,4}');
RESET plan_cache_mode;

-- The same rows with and without each kind of index, for sets within and beyond the type's range, of
-- one value, of many, of none, and NULL.
CREATE TEMP TABLE set_of AS
    SELECT row_number() OVER () AS n, members FROM (VALUES
        ('{}'::roaring64), ('{0}'), ('{199}'), ('{32767,32768}'), ('{2147483647,2147483648}'),
        ('{4294967295}'), ('{9223372036854775807}'), (NULL), (roaring64_range(0, 9)),
        (roaring64_range(100, 20000)), (roaring64_range(1, 600001)), (roaring64_range(40000, 5000000000)),
        ('{1,2,3,5000000000}'), ((SELECT roaring64_agg(i * 3) FROM generate_series(1, 15000) i)),
        ((SELECT roaring64_agg(i * 7) FROM generate_series(1, 5000) i))) v(members);
CREATE FUNCTION pg_temp.answers() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    given record;
    name text;
    query text;
    answer text;
BEGIN
    FOR given IN SELECT n, members FROM set_of ORDER BY n LOOP
        FOREACH name IN ARRAY ARRAY['id', 'tenth', 'few', 'signed'] LOOP
            FOREACH query IN ARRAY ARRAY[
                format('%I <@ %L::roaring64', name, given.members),
                format('%I <@ (SELECT members FROM set_of WHERE n = %s)', name, given.n),
                CASE WHEN roaring64_max(given.members) < 4294967296 OR given.members IS NULL
                     THEN format('%L::roaring @> %I', given.members::roaring, name) ELSE 'false' END,
                format('NOT %I <@ %L::roaring64', name, given.members)
            ] LOOP
                EXECUTE format('SELECT concat_ws('' '', count(*), sum(id)) FROM facts WHERE %s', query)
                   INTO answer;
                RETURN NEXT format('%s %s %s %s', given.n, name, left(query, 9), answer);
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
ANALYZE set_of;
CREATE TEMP TABLE plain AS SELECT a, row_number() OVER () AS n FROM pg_temp.answers() a LIMIT 0;
SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
INSERT INTO plain SELECT a, row_number() OVER () FROM pg_temp.answers() a;
RESET enable_indexscan; RESET enable_bitmapscan; RESET enable_indexonlyscan;
SET enable_seqscan = off;
SELECT count(*) AS wrong_by_btree
  FROM plain JOIN (SELECT a, row_number() OVER () AS n FROM pg_temp.answers() a) b USING (n)
 WHERE plain.a <> b.a;
DROP INDEX facts_id, facts_tenth, facts_few, facts_signed;
CREATE INDEX facts_id ON facts USING brin (id);
CREATE INDEX facts_tenth ON facts USING brin (tenth);
CREATE INDEX facts_few ON facts USING brin (few);
CREATE INDEX facts_signed ON facts USING brin (signed);
SELECT count(*) AS wrong_by_brin
  FROM plain JOIN (SELECT a, row_number() OVER () AS n FROM pg_temp.answers() a) b USING (n)
 WHERE plain.a <> b.a;
SELECT count(*) > 100 AS counted, count(*) FILTER (WHERE a ~ ' 0$') > 20 AS none FROM plain;
SELECT pg_temp.plan_has('SELECT FROM facts WHERE tenth <@ ''{50,70}''::roaring', 'tenth >= .*50') AS brin;

-- A class of operators with another order is left alone.
CREATE OPERATOR CLASS pg_temp.descending FOR TYPE int USING btree AS
    OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <, FUNCTION 1 btint4cmp(int, int);
DROP INDEX facts_tenth;
CREATE INDEX facts_tenth ON facts (tenth pg_temp.descending);
SELECT pg_temp.plan_has('SELECT FROM facts WHERE tenth <@ roaring_range(0, 200000)', 'Index Cond') AS ranges;
RESET enable_seqscan;

-- Damaged sets, which only a cast without a function gives here: where a condition is made of one, and
-- where its values are listed, it is refused; estimates do without it.
\set ECHO none
\i sql/include/error_of.sql
\set ECHO all
SET client_min_messages = warning;
CREATE TYPE pg_temp.unchecked;
CREATE FUNCTION pg_temp.unchecked_in(cstring) RETURNS pg_temp.unchecked LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
CREATE FUNCTION pg_temp.unchecked_out(pg_temp.unchecked) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
CREATE TYPE pg_temp.unchecked (INPUT = pg_temp.unchecked_in, OUTPUT = pg_temp.unchecked_out, LIKE = bytea);
CREATE CAST (pg_temp.unchecked AS roaring) WITHOUT FUNCTION;
RESET client_min_messages;
DROP INDEX facts_id;
CREATE INDEX facts_id ON facts (id);
-- Its first bytes are those of no bitmap; its last container begins beyond the end.
CREATE TEMP TABLE damaged AS
    SELECT n, set_byte(bytes, place, 77)::text::pg_temp.unchecked::roaring AS members
      FROM (SELECT roaring_agg(i * 30)::bytea AS bytes FROM generate_series(1, 3000) i) v,
           (VALUES (1, 12), (2, 34)) d(n, place);
CREATE FUNCTION pg_temp.stable_set(n int) RETURNS roaring LANGUAGE sql STABLE AS $$
    SELECT members FROM pg_temp.damaged d WHERE d.n = stable_set.n
$$;
ANALYZE damaged;
-- A probe that comes across damage does not answer false, be the set in the row or out of line.
SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
ALTER TABLE damaged ALTER members SET STORAGE EXTERNAL;
CREATE TEMP TABLE damaged_inline AS
    SELECT n, set_byte(bytes, place, 77)::text::pg_temp.unchecked::roaring AS members
      FROM (SELECT '{1,70000,140000,210000,280000}'::roaring::bytea AS bytes) v, (VALUES (1, 12), (2, 45)) d(n, place);
SELECT n, (SELECT max(pg_column_size(members)) FROM damaged WHERE damaged.n = d.n) AS bytes,
       pg_temp.sqlstate_of(format('SELECT FROM facts WHERE tenth <@ (SELECT members FROM damaged WHERE n = %s)', n)) AS out_of_line,
       pg_temp.sqlstate_of(format('SELECT members @> 80000 FROM damaged WHERE n = %s', n)) AS one_probe,
       pg_temp.sqlstate_of(format('SELECT FROM facts WHERE tenth <@ (SELECT members FROM damaged_inline WHERE n = %s)', n)) AS inline,
       pg_temp.sqlstate_of(format('SELECT roaring_contains_each(members, ''{1,70000}'') FROM damaged_inline WHERE n = %s', n)) AS each,
       pg_temp.sqlstate_of(format('SELECT members::text FROM damaged_inline WHERE n = %s', n)) AS text
  FROM damaged d ORDER BY n;
RESET enable_indexscan; RESET enable_bitmapscan; RESET enable_indexonlyscan;
SET enable_seqscan = off;
SELECT n, pg_temp.sqlstate_of(format('SELECT FROM facts WHERE id <@ %L::pg_temp.unchecked::roaring', members::bytea)) AS constant,
       pg_temp.sqlstate_of(format('SELECT FROM facts WHERE id <@ pg_temp.stable_set(%s)', n)) AS stable,
       pg_temp.sqlstate_of(format('SELECT FROM facts WHERE id <@ (SELECT members FROM damaged WHERE n = %s)', n)) AS subquery,
       pg_temp.sqlstate_of(format('SELECT FROM facts JOIN damaged d ON id <@ members WHERE d.n = %s', n)) AS joined,
       pg_temp.sqlstate_of(format('SELECT FROM facts, roaring_elements(pg_temp.stable_set(%s)) e WHERE e = id', n)) AS elements,
       pg_temp.sqlstate_of(format('EXPLAIN SELECT FROM facts WHERE tenth <@ pg_temp.stable_set(%s)', n)) AS only_estimated,
       pg_temp.sqlstate_of(format('EXPLAIN SELECT FROM segments WHERE uniform && pg_temp.stable_set(%s)', n)) AS overlaps
  FROM damaged ORDER BY n;
CREATE INDEX damaged_members ON segments USING gin (uniform);
SELECT n, pg_temp.sqlstate_of(format('INSERT INTO segments(uniform) SELECT members FROM damaged WHERE n = %s', n)) AS gin_insert,
       pg_temp.sqlstate_of(format('SELECT FROM segments WHERE uniform && pg_temp.stable_set(%s)', n)) AS gin_query
  FROM damaged ORDER BY n;
-- NULL and the empty set in the same places.
CREATE OR REPLACE FUNCTION pg_temp.stable_set(n int) RETURNS roaring LANGUAGE sql STABLE AS $$
    SELECT CASE n WHEN 1 THEN NULL ELSE '{}'::roaring END
$$;
UPDATE damaged SET members = pg_temp.stable_set(n);
ANALYZE damaged;
PREPARE generic(roaring) AS SELECT count(*) FROM facts WHERE id <@ $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE generic(NULL);
EXECUTE generic('{}');
RESET plan_cache_mode;
SELECT n, (SELECT count(*) FROM facts WHERE id <@ pg_temp.stable_set(n)) AS correlated,
       (SELECT count(*) FROM facts JOIN damaged e ON id <@ e.members WHERE e.n = d.n) AS joined,
       (SELECT count(*) FROM facts, roaring_elements(d.members) e WHERE e = id) AS elements
  FROM damaged d ORDER BY n;
SELECT (SELECT count(*) FROM facts WHERE id <@ pg_temp.stable_set(1)) AS null,
       (SELECT count(*) FROM facts WHERE id <@ pg_temp.stable_set(2)) AS empty,
       (SELECT count(*) FROM segments WHERE uniform && pg_temp.stable_set(1)) AS gin_null,
       (SELECT count(*) FROM segments WHERE uniform && pg_temp.stable_set(2)) AS gin_empty;
RESET enable_seqscan;
