-- A rollup gets another query: only what differs is computed.
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE SCHEMA changed;
SET search_path = changed, public;
CREATE TABLE events (id int, at timestamp NOT NULL, country text, user_id int NOT NULL, ms int);
INSERT INTO events SELECT i, timestamp '2026-01-01' + i % 6 * interval '1 hour', (ARRAY['DE', 'FR', NULL])[1 + i % 3], i % 100, i % 50 FROM generate_series(1, 600) AS i;
SELECT rollup_create('hourly', 'SELECT date_trunc(''hour'', at) AS hour, country, count(*) AS requests, hll_agg(user_id) AS users FROM events GROUP BY 1, 2');
SELECT rollup_refresh('hourly');
SELECT rollup_freeze('hourly', '2026-01-01 02:00');
CREATE ROLE changed_reader;
GRANT USAGE ON SCHEMA changed TO changed_reader;
GRANT SELECT ON hourly TO changed_reader WITH GRANT OPTION;
COMMENT ON VIEW hourly IS 'mine';
ALTER VIEW hourly SET (security_barrier);
CREATE VIEW dashboard AS SELECT hour, sum(requests) AS requests FROM hourly GROUP BY 1;
CREATE TABLE before AS SELECT hour, country, requests, users::bytea FROM hourly;

-- What differs between the rollup and its query, in groups that are not frozen; as users write the query.
CREATE FUNCTION differs(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM (SELECT to_jsonb(r) AS row FROM hourly AS r WHERE hour >= (SELECT frozen FROM hourly_state)) AS a'
        ' FULL JOIN (SELECT to_jsonb(q) AS row FROM (%s) AS q WHERE hour >= (SELECT frozen FROM hourly_state)) AS b USING (row) WHERE a IS NULL OR b IS NULL', query) INTO n;
    RETURN n;
END $$;
CREATE FUNCTION alter_to(aggregates text, condition text = 'true') RETURNS text LANGUAGE plpgsql AS $$
DECLARE query text := format('SELECT date_trunc(''hour'', at) AS hour, country, %s FROM events WHERE %s GROUP BY 1, 2', aggregates, condition);
BEGIN
    PERFORM rollup_alter('hourly', replace(query, 'WHERE true ', ''));
    RETURN format('%s differ, uncomputed %s, problem %s, frozen groups kept %s', differs(query), coalesce((rollup_status('hourly')).uncomputed, '-'), coalesce((rollup_status('hourly')).problem, '-'),
        (SELECT count(*) FROM before AS b JOIN hourly_rows AS r ON (r.hour, ARRAY[r.country], r.requests, r.users::bytea) = (b.hour, ARRAY[b.country], b.requests, b.users) WHERE b.hour < '2026-01-01 02:00'));
END $$;
-- After it: at once, after writes, and after a refresh that goes back in steps.
CREATE FUNCTION go_on(aggregates text, condition text = 'true') RETURNS text LANGUAGE plpgsql AS $$
DECLARE query text := format('SELECT date_trunc(''hour'', at) AS hour, country, %s FROM events WHERE %s GROUP BY 1, 2', aggregates, condition);
    n bigint[];
BEGIN
    INSERT INTO events VALUES (1000, '2026-01-01 03:30', 'DE', 7, 49), (1001, '2026-01-01 05:30', 'BR', 8, NULL);
    n := n || differs(query);
    DELETE FROM events WHERE id % 50 = 3;
    UPDATE events SET ms = ms + 1 WHERE id % 50 = 4;
    n := n || differs(query);
    PERFORM rollup_refresh('hourly', '2026-01-01 04:00');
    n := n || differs(query);
    INSERT INTO events VALUES (1002, '2026-01-01 03:30', 'DE', 9, 48), (1003, '2026-01-01 05:30', 'DE', 9, 48);
    n := n || differs(query);
    PERFORM rollup_refresh('hourly');
    n := n || differs(query);
    RETURN format('%s differ, uncomputed %s, check %s', n, coalesce((rollup_status('hourly')).uncomputed, '-'), (SELECT count(*) FROM rollup_check('hourly')));
END $$;

-- A column comes. Frozen groups do not know it, also when rows come late.
SELECT alter_to('count(*) AS requests, hll_agg(user_id) AS users, count(*) FILTER (WHERE ms > 40) AS slow');
SELECT go_on('count(*) AS requests, hll_agg(user_id) AS users, count(*) FILTER (WHERE ms > 40) AS slow');
INSERT INTO events VALUES (2000, '2026-01-01 00:30', 'DE', 7, 49), (2001, '2026-01-01 01:30', 'XX', 7, 49);
SELECT hour, country, requests, slow FROM hourly WHERE hour < '2026-01-01 03:00' ORDER BY 1, 2;
SELECT rollup_refresh('hourly') > 0;
SELECT hour, country, requests, slow FROM hourly WHERE hour < '2026-01-01 03:00' ORDER BY 1, 2;
TRUNCATE before;
INSERT INTO before SELECT hour, country, requests, users::bytea FROM hourly;

-- One is renamed, one goes, one is computed in another way, one stands elsewhere. What others depend on stays.
SELECT alter_to('hll_agg(user_id) AS users, count(*) FILTER (WHERE ms > 40) AS late, max(ms) AS most, count(*) AS requests');
SELECT attname FROM pg_attribute WHERE attrelid = 'hourly'::regclass AND attnum > 0 ORDER BY attnum;
SELECT go_on('hll_agg(user_id) AS users, count(*) FILTER (WHERE ms > 40) AS late, max(ms) AS most, count(*) AS requests');
SELECT alter_to('hll_agg(user_id) AS users, count(*) FILTER (WHERE ms > 30) AS late, max(ms) AS most, count(*) AS requests');
SELECT go_on('hll_agg(user_id) AS users, count(*) FILTER (WHERE ms > 30) AS late, max(ms) AS most, count(*) AS requests');
SELECT pg_temp.error_of($$SELECT alter_to('hll_agg(user_id) AS users, max(ms) AS most, count(*) AS requests')$$);
DROP VIEW dashboard;
SELECT alter_to('hll_agg(user_id) AS users, max(ms) AS most, count(*) AS requests');
SELECT has_table_privilege('changed_reader', 'hourly', 'SELECT WITH GRANT OPTION') AS granted, obj_description('hourly'::regclass), reloptions, pg_temp.error_of('DROP VIEW hourly')
  FROM pg_class WHERE oid = 'hourly'::regclass;
SELECT go_on('hll_agg(user_id) AS users, max(ms) AS most, count(*) AS requests');
-- Another WHERE, there and back.
SELECT alter_to('hll_agg(user_id) AS users, max(ms) AS most, count(*) AS requests', 'user_id < 50');
SELECT go_on('hll_agg(user_id) AS users, max(ms) AS most, count(*) AS requests', 'user_id < 50');
SELECT alter_to('hll_agg(user_id) AS users, max(ms) AS most, count(*) AS requests, min(ms) AS least');
SELECT go_on('hll_agg(user_id) AS users, max(ms) AS most, count(*) AS requests, min(ms) AS least');
-- Before the last change is computed; the same again; a precision.
SELECT alter_to('hll_agg(user_id, 11) AS users, max(ms) AS most, count(*) AS requests, min(ms) AS least, sum(ms) AS total');
SELECT alter_to('hll_agg(user_id, 11) AS users, max(ms) AS most, count(*) AS requests, min(ms) AS least, sum(ms) AS total, bool_or(ms > 3) AS b');
SELECT alter_to('hll_agg(user_id, 11) AS users, max(ms) AS most, count(*) AS requests, min(ms) AS least, sum(ms) AS total, bool_or(ms > 3) AS b');
SELECT go_on('hll_agg(user_id, 11) AS users, max(ms) AS most, count(*) AS requests, min(ms) AS least, sum(ms) AS total, bool_or(ms > 3) AS b');
SELECT rollup_repair('hourly');
SELECT differs('SELECT date_trunc(''hour'', at) AS hour, country, hll_agg(user_id, 11) AS users, max(ms) AS most, count(*) AS requests, min(ms) AS least, sum(ms) AS total, bool_or(ms > 3) AS b FROM events GROUP BY 1, 2');

-- A group has another name. What a reader calls a column is what it is called.
SELECT rollup_alter('hourly', 'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS requests, hll_agg(user_id, 11) AS users, max(ms) AS most FROM events GROUP BY 1, 2');
ALTER VIEW hourly RENAME requests TO "of {all}";
SELECT rollup_alter('hourly', 'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS "of {all}", hll_agg(user_id, 11) AS users, max(ms) AS most, sum(ms) AS "{rollup}" FROM events GROUP BY 1, 2');
SELECT attname FROM pg_attribute WHERE attrelid = 'hourly'::regclass AND attnum > 0 ORDER BY attnum;
SELECT h, "where", "of {all}", most, "{rollup}" FROM hourly WHERE h > '2026-01-01 04:00' ORDER BY 1, 2;
SELECT rollup_refresh('hourly') > 0, count(*) AS differences FROM rollup_check('hourly');

-- Who does not select what came does not read the table.
SELECT rollup_alter('hourly', 'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS requests, hll_agg(user_id, 11) AS users, max(ms) AS most, sum(ms) AS "{rollup}", min(ms) AS least FROM events GROUP BY 1, 2');
CREATE FUNCTION plan_of(query text) RETURNS TABLE (line text) LANGUAGE plpgsql AS $$
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP RETURN NEXT; END LOOP;
END $$;
SELECT count(*) AS joins FROM plan_of('SELECT h, most FROM hourly') WHERE line ~ 'Left Join';
SELECT count(*) AS joins FROM plan_of('SELECT h, least FROM hourly') WHERE line ~ 'Left Join';

-- Columns that are computed from parts come, change and go; what is stored already is used.
CREATE VIEW dashboard AS SELECT h, most FROM hourly;
CREATE FUNCTION show_as(shown text, condition text = '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE query text := format('SELECT date_trunc(''hour'', at) AS h, country AS "where", %s FROM events GROUP BY 1, 2 %s', shown, condition);
    n bigint[];
    m bigint;
BEGIN
    PERFORM rollup_alter('hourly', query);
    FOR i IN 1 .. 4 LOOP
        EXECUTE format('SELECT count(*) FROM (SELECT to_jsonb(r) AS row FROM hourly AS r WHERE h >= (SELECT frozen FROM hourly_state)) AS a'
            ' FULL JOIN (SELECT to_jsonb(q) AS row FROM (%s) AS q WHERE h >= (SELECT frozen FROM hourly_state)) AS b USING (row) WHERE a IS NULL OR b IS NULL', query) INTO m;
        n := n || m;
        IF i = 1 THEN INSERT INTO events VALUES (3000, '2026-01-01 03:30', 'DE', 7, 49), (3001, '2026-01-01 05:30', 'BR', 8, NULL); DELETE FROM events WHERE id % 40 = 2; END IF;
        IF i = 2 THEN PERFORM rollup_refresh('hourly', '2026-01-01 04:00'); END IF;
        IF i = 3 THEN PERFORM rollup_refresh('hourly'); END IF;
    END LOOP;
    RETURN format('%s differ; stored %s; shown %s; problem %s', n, (SELECT string_agg(quote_ident(attname), ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'hourly_rows'::regclass AND attnum > 0 AND NOT attisdropped),
        (SELECT string_agg(quote_ident(attname), ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'hourly'::regclass AND attnum > 0), (rollup_status('hourly')).problem);
END $$;
SELECT pg_temp.error_of($$SELECT show_as('count(*) AS requests, max(ms) AS most, avg(ms) AS mean')$$);
DROP VIEW dashboard;
SELECT show_as('count(*) AS requests, max(ms) AS most, avg(ms) AS mean');
CREATE VIEW dashboard AS SELECT h, most, mean FROM hourly;
SELECT show_as('count(*) AS requests, max(ms) AS most, avg(ms) AS mean, hll_cardinality(hll_agg(user_id)) AS users', 'HAVING count(*) > 1');
GRANT SELECT ON hourly_parts TO changed_reader;
SELECT show_as('count(*) AS n, max(ms) AS most, round(avg(ms), 1) AS mean, hll_cardinality(hll_agg(user_id)) * 2 AS twice, stddev(ms) AS spread, hll_cardinality(hll_agg(user_id)) AS users');
SELECT has_table_privilege('changed_reader', 'hourly_parts', 'SELECT') AS granted, replace(pg_get_viewdef('dashboard'), 'hourly.', '');
SELECT pg_temp.error_of($$SELECT show_as('count(*) AS n, max(ms) AS most, avg(ms)::float8 AS mean, hll_cardinality(hll_agg(user_id)) * 2 AS twice, stddev(ms) AS spread, hll_cardinality(hll_agg(user_id)) AS users')$$),
    pg_temp.error_of($$SELECT show_as('max(ms) AS most')$$);
DROP VIEW dashboard;
SELECT show_as('max(ms) AS most');
SELECT show_as('avg(ms) AS most_of_all, min(ms) + max(ms) AS both, max(ms) AS most');
SELECT has_table_privilege('changed_reader', 'hourly', 'SELECT WITH GRANT OPTION') AS granted, obj_description('hourly'::regclass), reloptions FROM pg_class WHERE oid = 'hourly'::regclass;
SELECT show_as('max(ms) AS most, count(*) AS requests');

-- What was not changed keeps what frozen groups have of it, also where another column takes its parts' names, or is what it was computed of.
SELECT rollup_create('kept', 'SELECT date_trunc(''hour'', at) AS h, avg(ms) AS mean, stddev(ms) AS spread FROM events GROUP BY 1');
SELECT rollup_refresh('kept'), rollup_freeze('kept', '2026-01-01 03:00');
CREATE TABLE frozen AS SELECT * FROM kept;
CREATE FUNCTION stays() RETURNS text LANGUAGE sql AS $$
    SELECT format('of %s frozen groups, mean stays in %s, spread in %s; %s differ', count(*) FILTER (WHERE h < frozen), count(*) FILTER (WHERE h < frozen AND f.mean = k.mean), count(*) FILTER (WHERE h < frozen AND f.spread = k.spread),
        (SELECT count(*) FROM rollup_check('kept'))) FROM frozen AS f JOIN kept AS k USING (h), kept_state $$;
SELECT rollup_alter('kept', 'SELECT date_trunc(''hour'', at) AS h, stddev(ms) AS spread, avg(ms) FILTER (WHERE ms > 10) AS mean FROM events GROUP BY 1'), stays();
SELECT rollup_refresh('kept') > 0, stays();
SELECT rollup_alter('kept', 'SELECT date_trunc(''hour'', at) AS h, avg(ms) FILTER (WHERE ms > 10) AS mean, stddev(ms) AS spread, sum(ms) AS total FROM events GROUP BY 1'), stays();
INSERT INTO events VALUES (4000, '2026-01-01 01:30', 'DE', 7, 20);
SELECT rollup_alter('kept', 'SELECT date_trunc(''hour'', at) AS h, avg(ms) FILTER (WHERE ms > 10) AS mean, stddev(ms) AS spread, sum(ms) FILTER (WHERE ms > 20) AS total FROM events GROUP BY 1');
SELECT stays(), min(spread_sum) AS one, min(total) AS same, string_agg(DISTINCT attname, ' ') FROM kept_parts, pg_attribute WHERE h = '2026-01-01 01:00' AND attrelid = 'kept_rows'::regclass AND attnum > 0 AND NOT attisdropped;
SELECT rollup_refresh('kept') > 0, stays();
SELECT rollup_alter('kept', 'SELECT date_trunc(''hour'', at) AS h, stddev(ms) AS spread, avg(ms::numeric) AS mean, sum(ms) FILTER (WHERE ms > 20) AS total FROM events GROUP BY 1');
SELECT stays(), string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = 'kept_rows'::regclass AND attnum > 0 AND NOT attisdropped;
SELECT rollup_drop('kept');
DROP FUNCTION stays;
DROP TABLE frozen;

-- A group stands behind a column that goes.
SELECT rollup_create('behind', 'SELECT count(*) AS n, max(ms) AS most, date_trunc(''hour'', at) AS h FROM events GROUP BY 3');
SELECT rollup_refresh('behind') > 0 AS stored, rollup_alter('behind', 'SELECT max(ms) AS most, date_trunc(''hour'', at) AS h FROM events GROUP BY 2');
INSERT INTO events VALUES (5000, '2026-01-01 04:30', 'DE', 7, 1000);
SELECT rollup_refresh('behind'), period, problem, (SELECT count(*) FROM rollup_check('behind')) AS differences FROM rollup_list() WHERE rollup = 'behind'::regclass;
SELECT rollup_freeze('behind', '2026-01-01 05:00'), rollup_drop('behind');

-- Of frozen groups, what came later is not known, whatever changes after that; who may read the parts may go on.
SELECT rollup_create('later', 'SELECT date_trunc(''hour'', at) AS h, avg(ms) AS mean, max(ms) AS most FROM events GROUP BY 1');
SELECT rollup_refresh('later') > 0 AS stored, rollup_freeze('later', '2026-01-01 03:00');
GRANT SELECT ON later_parts TO changed_reader;
SELECT rollup_alter('later', 'SELECT date_trunc(''hour'', at) AS h, avg(ms) AS mean, max(ms) AS most, bool_or(ms > 3) AS came FROM events GROUP BY 1');
SELECT rollup_alter('later', 'SELECT date_trunc(''hour'', at) AS h, avg(ms) AS mean, bool_or(ms > 3) AS came FROM events GROUP BY 1');
INSERT INTO events VALUES (6000, '2026-01-01 01:30', 'DE', 7, 20);
SELECT count(*) FILTER (WHERE came IS NULL) AS not_known, has_table_privilege('changed_reader', 'later_parts', 'SELECT') AS granted FROM later;
SELECT rollup_refresh('later') > 0 AS stored, count(*) FILTER (WHERE came IS NULL) AS not_known FROM later;
SELECT rollup_drop('later');

-- Refused.
CREATE TABLE others (LIKE events);
SELECT query, pg_temp.error_of(format('SELECT rollup_alter(%L, %L)', 'hourly', query)) FROM unnest(ARRAY[
    'SELECT at::date AS h, country AS "where", count(*) AS requests FROM events GROUP BY 1, 2',
    'SELECT date_trunc(''hour'', at) AS h, count(*) AS requests FROM events GROUP BY 1',
    'SELECT date_trunc(''hour'', at) AS h, country AS "where", user_id, count(*) AS requests FROM events GROUP BY 1, 2, 3',
    'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS requests FROM others GROUP BY 1, 2',
    'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS requests FROM ONLY events GROUP BY 1, 2',
    'SELECT date_trunc(''hour'', at) AS h, country AS "where", sum(ms::numeric) AS requests FROM events GROUP BY 1, 2',
    'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS requests, random() AS r FROM events GROUP BY 1, 2',
    'SELECT 1']) AS query;
SELECT pg_temp.error_of($$SELECT rollup_alter('events', 'SELECT 1 FROM events')$$), pg_temp.error_of($$SELECT rollup_alter('hourly', 'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS requests FROM events GROUP BY 1, 2', '[]')$$),
    pg_temp.error_of($$SELECT rollup_alter('hourly', 'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS requests FROM events GROUP BY 1, 2', '{"x": "sum"}')$$);
SELECT proisstrict, rollup_alter('hourly', NULL) IS NULL AS nothing FROM pg_proc WHERE proname = 'rollup_alter';
SET ROLE changed_reader;
SELECT pg_temp.error_of($$SELECT rollup_alter('changed.hourly', 'SELECT 1 AS x')$$);
RESET ROLE;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT pg_temp.error_of($$SELECT rollup_alter('hourly', 'SELECT date_trunc(''hour'', at) AS h, country AS "where", count(*) AS requests FROM events GROUP BY 1, 2')$$);
ROLLBACK;
-- Nothing of it happened.
SELECT rollup_refresh('hourly') > 0, count(*) AS differences FROM rollup_check('hourly');
SELECT rollup_drop('hourly');
SELECT relname FROM pg_class WHERE relname ~ '^hourly';

-- Without a period; of partitions, which who does not select the column does not lock; row by row; with an aggregate of one's own.
CREATE TABLE p (id int, at date NOT NULL, k text, x int) PARTITION BY RANGE (at);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM ('2026-01-01') TO ('2026-01-15');
CREATE TABLE p2 (x int, k text, at date NOT NULL, id int);
ALTER TABLE p ATTACH PARTITION p2 FOR VALUES FROM ('2026-01-15') TO ('2026-02-01');
INSERT INTO p SELECT i, date '2026-01-01' + i % 30, (ARRAY['a', 'b', NULL])[1 + i % 3], i FROM generate_series(1, 300) AS i;
CREATE AGGREGATE longest(text) (sfunc = text_larger, stype = text, combinefunc = text_larger);
SELECT rollup_create('by_k', 'SELECT k, count(*) AS n FROM p GROUP BY 1', each_row => false), rollup_create('by_row', 'SELECT at, k COLLATE "C" AS k, count(*) AS n FROM p GROUP BY 1, 2', each_row => true);
SELECT rollup_refresh('by_k'), rollup_refresh('by_row');
CREATE TABLE asked (rollup regclass, query text);
INSERT INTO asked VALUES ('by_k', 'SELECT k, count(*) AS n, sum(x) AS total, longest(k) AS longest FROM p GROUP BY 1'),
    ('by_row', 'SELECT at, k COLLATE "C" AS k, count(*) AS n, sum(x) AS total FROM p GROUP BY 1, 2');
CREATE FUNCTION compared() RETURNS TABLE (rollup regclass, differ bigint) LANGUAGE plpgsql AS $$
DECLARE query text;
BEGIN
    FOR rollup, query IN TABLE asked LOOP
        EXECUTE format('SELECT count(*) FROM ((SELECT * FROM %1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL SELECT * FROM %1$s)) AS d', rollup, query) INTO differ;
        RETURN NEXT;
    END LOOP;
END $$;
SELECT rollup_alter(rollup, query, CASE rollup WHEN 'by_k'::regclass THEN '{"longest": "changed.longest"}' ELSE '{}' END::jsonb) FROM asked;
SELECT * FROM compared();
BEGIN;
SELECT sum(n) FROM by_k;
SELECT count(*) AS locked FROM pg_locks WHERE relation IN ('p1'::regclass, 'p2'::regclass) AND pid = pg_backend_pid();
ROLLBACK;
INSERT INTO p VALUES (1000, '2026-01-03', 'c', 5), (1001, '2026-01-20', NULL, 6);
UPDATE p SET at = '2026-01-20' WHERE id BETWEEN 4 AND 9;
DELETE FROM p2 WHERE id = 17;
SELECT * FROM compared();
SELECT rollup, (rollup_status(rollup)).uncomputed, (rollup_status(rollup)).problem FROM asked;
SELECT rollup, rollup_refresh(rollup) FROM asked;
SELECT * FROM compared();
UPDATE asked SET query = replace(query, 'FROM p', 'FROM p WHERE x > 10');
SELECT rollup_alter(rollup, query, CASE rollup WHEN 'by_k'::regclass THEN '{"longest": "changed.longest"}' ELSE '{}' END::jsonb) FROM asked;
SELECT * FROM compared();
INSERT INTO p VALUES (1002, '2026-01-04', 'c', 5), (1003, '2026-01-20', NULL, 16);
SELECT * FROM compared();
SELECT rollup, rollup_refresh(rollup) FROM asked;
SELECT * FROM compared();
SELECT count(rollup_drop(rollup::text)) AS dropped FROM asked;

-- Columns take each other's names. Frozen groups, whose rows are gone, keep what they have, others equal the query.
CREATE TABLE sales (at date NOT NULL, shop int, area int, x int, y int);
INSERT INTO sales SELECT date '2026-01-01' + i % 2, 7, 8, 1, 100 FROM generate_series(1, 40) AS i;
CREATE FUNCTION again(rollup text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE frozen text;
    differ bigint[];
    n bigint;
BEGIN
    PERFORM rollup_alter(rollup, query);
    FOR i IN 1 .. 2 LOOP
        EXECUTE format('SELECT count(*) FROM (SELECT to_jsonb(r) AS row FROM %s AS r WHERE d > ''2026-01-01'') AS a FULL JOIN (SELECT to_jsonb(q) AS row FROM (%s) AS q WHERE d > ''2026-01-01'') AS b USING (row) WHERE a IS NULL OR b IS NULL', rollup, query) INTO n;
        differ := differ || n;
        IF i = 1 THEN PERFORM rollup_refresh(rollup); END IF;
    END LOOP;
    EXECUTE format('SELECT string_agg(r::text, '' '') FROM %s AS r WHERE d = ''2026-01-01''', rollup) INTO frozen;
    RETURN format('%s differ; shown %s; frozen %s; stored %s', differ, (SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = rollup::regclass AND attnum > 0), coalesce(frozen, '-'),
        (SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = (rollup || '_rows')::regclass AND attnum > 0 AND NOT attisdropped));
END $$;
-- Makes a rollup of the first of these queries, freezes a day, whose rows go, and gives it the others.
CREATE FUNCTION in_turn(VARIADIC queries text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE query text;
BEGIN
    PERFORM rollup_create('turning', format('SELECT at AS d, %s FROM sales GROUP BY 1, 2, 3', queries[1]));
    PERFORM rollup_freeze('turning', '2026-01-02');
    DELETE FROM sales WHERE at < '2026-01-02';
    FOREACH query IN ARRAY queries[2:] LOOP
        RETURN NEXT again('turning', format('SELECT at AS d, %s FROM sales GROUP BY 1, 2, 3', query));
    END LOOP;
    PERFORM rollup_drop('turning');
    INSERT INTO sales SELECT '2026-01-01', 7, 8, 1, 100 FROM generate_series(1, 20);
END $$;
-- A group and an aggregate; also with parts, with a column that comes, and with one that goes.
SELECT in_turn('shop::bigint AS g, area, count(*) AS n', 'shop::bigint AS n, area, count(*) AS g');
SELECT in_turn('shop::bigint AS g, area, count(*) AS n, avg(x) AS a', 'shop::bigint AS n, area, count(*) AS g, avg(x) AS a');
SELECT in_turn('shop AS g, area, count(*) AS n', 'shop AS grp, area, count(*) AS n, sum(y) AS g');
SELECT in_turn('shop AS g, area, count(*) AS n, sum(y) AS s', 'shop AS s, area, count(*) AS n', 'shop AS n, area, sum(x) AS s, count(*) AS g');
SELECT in_turn('shop AS g, area, count(*) AS n, avg(x) AS a', 'shop AS n, area, avg(x) AS a');
-- Groups: in a chain, and two of them.
SELECT in_turn('shop AS g, area AS a, count(*) AS n', 'shop AS a, area AS b, count(*) AS n', 'shop AS b, area AS a, count(*) AS n', 'area AS a, shop AS n, count(*) AS b');
SELECT in_turn('shop AS g, area::text AS a, avg(x) AS n', 'shop AS a, area::text AS g, avg(x) AS n');
-- A column that has the name of a hidden part; one that is hidden, of a column that goes.
SELECT in_turn('shop, area, avg(x) AS m', 'shop, area, avg(x) AS m, sum(y) AS m_sum', 'shop, area, avg(x) AS m, sum(y) AS m_sum, sum(x) AS m_sum_2', 'shop, area, avg(x) AS m');
SELECT in_turn('shop, area, avg(x) AS m', 'shop, area, avg(x) AS m, min(at) AS m_sum');
SELECT in_turn('shop, area, hll_cardinality(hll_agg(x)) AS u', 'shop, area, hll_cardinality(hll_agg(x)) AS u, hll_cardinality(hll_agg(y)) AS v', 'shop, area, hll_cardinality(hll_agg(y, 12)) AS v');
SELECT in_turn('shop, area, sum(x) AS m_sum, count(x) AS m_count', 'shop, area, avg(y) AS m');
SELECT in_turn('shop, area, avg(x) AS m, count(*) AS n', 'shop, area, avg(x) AS mean, avg(y) AS m', 'shop, area, avg(y) AS mean, avg(x) AS m');

-- What is computed of a column that has something else in frozen groups would be wrong there, unless it is computed of it as before.
CREATE FUNCTION mixed(shown text, condition text = '') RETURNS text LANGUAGE sql AS $$ SELECT format('SELECT at AS d, %s FROM sales GROUP BY 1 %s', shown, condition) $$;
SELECT rollup_create('mixed', mixed('count(*) AS n, sum(y) AS s, sum(y) / count(*) AS mean, avg(x) AS m'));
SELECT again('mixed', mixed('sum(y) AS n, count(*) AS s, sum(y) / count(*) AS mean, avg(x) AS m'));
SELECT rollup_freeze('mixed', '2026-01-02');
DELETE FROM sales WHERE at < '2026-01-02';
SELECT shown, condition, pg_temp.error_of(format('SELECT rollup_alter(''mixed'', %L)', mixed(shown, condition))) FROM (VALUES
    ('count(*) AS n, sum(y) AS s, sum(y) / count(*) AS mean, avg(x) AS m', ''),
    ('sum(y) AS n, count(y) AS s, sum(y) / count(*) AS mean, avg(x) AS m', 'HAVING count(y) > 1'),
    ('sum(y) AS n, count(*) AS s, sum(y) / count(*) AS mean, avg(y) AS m', ''),
    ('sum(y) AS n, count(*) AS s, sum(y) / count(*) AS mean, avg(x + 1) AS m, count(x + 1) + 1 AS more', '')) AS q (shown, condition);
SELECT again('mixed', mixed('sum(y) AS a, count(*) AS b, sum(y) / count(*) AS mean, avg(x) AS m'));
SELECT again('mixed', mixed('count(*) AS n, sum(y) AS s, sum(y) / count(*) AS mean, avg(x) AS m', 'HAVING count(*) > 1'));
SELECT again('mixed', mixed('count(x) AS n, sum(y + 1) AS s, sum(y + 1) / count(x) AS mean, avg(x + 1) AS m', 'HAVING count(x) > 1'));
SELECT again('mixed', mixed('count(x) AS n, sum(y + 1) AS s, sum(y + 1) / count(x) AS mean, round(avg(x + 2), 1) AS m', 'HAVING count(x) > 1'));
SELECT rollup_drop('mixed');
INSERT INTO sales SELECT '2026-01-01', 7, 8, 1, 100 FROM generate_series(1, 20);

-- Columns are compared by the names that the view has, and it has those of the query then.
SELECT rollup_create('w', 'SELECT at AS d, sum(x) AS a, sum(y) AS b FROM sales GROUP BY 1');
SELECT rollup_freeze('w', '2026-01-02');
ALTER VIEW w RENAME a TO t;
ALTER VIEW w RENAME b TO a;
ALTER VIEW w RENAME t TO b;
SELECT again('w', 'SELECT at AS d, sum(y) AS a, sum(x) AS b, count(*) AS n FROM sales GROUP BY 1');
ALTER VIEW w RENAME a TO total;
CREATE VIEW over AS SELECT d, total FROM w;
SELECT again('w', 'SELECT at AS d, sum(y) AS total, sum(x) AS b, count(*) AS n, max(x) AS a FROM sales GROUP BY 1');
ALTER VIEW w RENAME total TO whole;
SELECT again('w', 'SELECT at AS d, sum(y) AS total, sum(x) AS b, count(*) AS n, max(x) AS a, sum(x) AS whole FROM sales GROUP BY 1');
SELECT * FROM over ORDER BY d;
SELECT rollup_create('w2', 'SELECT at AS d, avg(x) AS a FROM sales GROUP BY 1');
SELECT rollup_freeze('w2', '2026-01-02');
ALTER VIEW w2 RENAME a TO mean;
SELECT again('w2', 'SELECT at AS d, avg(x) AS mean, avg(y) AS a FROM sales GROUP BY 1');
SELECT rollup_drop('w2');
-- What merges an aggregate goes with it, and not with its name.
CREATE AGGREGATE greatest_of(text) (sfunc = text_larger, stype = text);
SELECT rollup_create('w2', 'SELECT at AS d, greatest_of(shop::text) AS a FROM sales GROUP BY 1', '{"a": "max"}');
SELECT again('w2', 'SELECT at AS d, min(shop::text) AS a, greatest_of(shop::text) AS b FROM sales GROUP BY 1');
SELECT merge FROM w2_state;
INSERT INTO sales VALUES ('2026-01-02', 3, 8, 1, 100), ('2026-01-02', 9, 8, 1, 100);
SELECT * FROM w2 WHERE d = '2026-01-02';
SELECT pg_temp.error_of($$SELECT rollup_alter('w2', 'SELECT at AS d, min(shop::text) AS a, greatest_of(area::text) AS c FROM sales GROUP BY 1')$$);
SELECT again('w2', 'SELECT at AS d, greatest_of(area::text) AS b FROM sales GROUP BY 1');
DELETE FROM sales WHERE shop IN (3, 9);
SELECT merge FROM w2_state;
SELECT rollup_drop('w2');

-- Under a level.
SELECT rollup_create('low', 'SELECT at AS d, shop AS a, area AS b, avg(x) AS m, count(*) AS n FROM sales GROUP BY 1, 2, 3');
SELECT rollup_create('high', 'SELECT date_trunc(''month'', d::timestamp) AS month, a, sum(n) AS n, avg(n) AS mean, avg(m) AS m FROM low GROUP BY 1, 2');
SELECT rollup_refresh('high') > 0 AS stored, rollup_freeze('low', '2026-01-02');
DELETE FROM sales WHERE at < '2026-01-02';
SELECT again('low', 'SELECT at AS d, shop AS b, area AS n, avg(x) AS m, count(*) AS a, sum(y) AS m_sum FROM sales GROUP BY 1, 2, 3');
INSERT INTO sales VALUES ('2026-01-02', 7, 8, 1, 100), ('2026-01-03', 9, 8, 2, 100);
TABLE high ORDER BY 1, 2;
SELECT rollup_refresh('high') > 0 AS stored, (SELECT count(*) FROM rollup_check('low')) + (SELECT count(*) FROM rollup_check('high')) AS differ;
TABLE high ORDER BY 1, 2;
SELECT rollup_drop('high'), rollup_drop('low');

-- Parts are made again where they were moved to.
CREATE SCHEMA elsewhere;
SET search_path = changed, elsewhere, public;
SELECT rollup_create('moved', 'SELECT at AS d, sum(x) AS x, avg(y) AS y FROM sales GROUP BY 1');
GRANT SELECT ON moved, moved_query, moved_fresh, moved_parts TO changed_reader;
CREATE FUNCTION move(part text) RETURNS TABLE (elsewhere text, here text, granted text, differ bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I SET SCHEMA elsewhere', part);
    PERFORM rollup_alter('moved', 'SELECT at AS d, sum(x) AS x, avg(y) AS y, max(x) AS most FROM sales GROUP BY 1');
    PERFORM rollup_refresh('moved');
    PERFORM rollup_alter('moved', 'SELECT at AS d, sum(x) AS x, avg(y) AS y FROM sales GROUP BY 1');
    RETURN QUERY SELECT string_agg(replace(relname, 'moved_', ''), ' ' ORDER BY relname) FILTER (WHERE nspname = 'elsewhere'), string_agg(replace(relname, 'moved_', ''), ' ' ORDER BY relname) FILTER (WHERE nspname <> 'elsewhere'),
        string_agg(replace(relname, 'moved_', ''), ' ' ORDER BY relname) FILTER (WHERE has_table_privilege('changed_reader', c.oid, 'SELECT')), (SELECT count(*) FROM rollup_check('moved'))
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE relname ~ '^moved' AND relkind IN ('r', 'v');
END $$;
SELECT part, m.* FROM unnest('{query,parts,state,fresh,log,rows}'::text[]) AS part, move('moved_' || part) AS m;
SELECT * FROM move('moved');
SELECT rollup_drop('moved');
SET search_path = changed, public;
DROP SCHEMA elsewhere;

-- What was revoked stays revoked, and what stands on the view and would go unseen is not taken.
DROP VIEW over;
SELECT rollup_drop('w');
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT ON TABLES TO changed_reader;
SELECT rollup_create('w', 'SELECT at AS d, sum(x) AS x, avg(y) AS y FROM sales GROUP BY 1');
REVOKE ALL ON w, w_parts, w_query, w_fresh FROM changed_reader;
GRANT SELECT (d), UPDATE (y) ON w TO changed_reader;
GRANT SELECT ON w_query TO PUBLIC;
CREATE FUNCTION readable() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', object, acl::text), '; ' ORDER BY object, acl::text) FROM
        (SELECT relname::text AS object, unnest(relacl) AS acl FROM pg_class WHERE relname ~ '^w(_.*)?$' AND relkind = 'v'
         UNION ALL SELECT relname || '.' || attname, unnest(attacl) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid WHERE relname ~ '^w(_.*)?$') AS a
    WHERE acl::text !~ ('^' || current_user || '=') $$;
SELECT replace(readable(), current_user, 'owner') AS readable;
SELECT rollup_alter('w', 'SELECT at AS d, avg(y) AS y, max(x) AS most FROM sales GROUP BY 1');
SELECT replace(readable(), current_user, 'owner') AS readable;
SELECT rollup_refresh('w') > 0 AS stored, rollup_repair('w'), replace(readable(), current_user, 'owner') AS readable;
ALTER DEFAULT PRIVILEGES REVOKE SELECT, INSERT ON TABLES FROM changed_reader;
CREATE FUNCTION instead() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER instead INSTEAD OF INSERT ON w FOR EACH ROW EXECUTE FUNCTION instead();
SELECT pg_temp.error_of($$SELECT rollup_alter('w', 'SELECT at AS d, max(x) AS most FROM sales GROUP BY 1')$$);
-- They stay where nothing goes.
SELECT rollup_alter('w', 'SELECT at AS d, avg(y) AS y, max(x) AS most, min(x) AS least FROM sales GROUP BY 1');
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = 'w'::regclass;
DROP TRIGGER instead ON w;
CREATE RULE nothing AS ON DELETE TO w DO INSTEAD NOTHING;
SELECT pg_temp.error_of($$SELECT rollup_alter('w', 'SELECT at AS d, max(x) AS most FROM sales GROUP BY 1')$$);
DROP RULE nothing ON w;
ALTER VIEW w ALTER most SET DEFAULT 5;
SELECT pg_temp.error_of($$SELECT rollup_alter('w', 'SELECT at AS d, max(x) AS most FROM sales GROUP BY 1')$$);
ALTER VIEW w ALTER most DROP DEFAULT;
ALTER VIEW w ALTER least SET DEFAULT 5;
SELECT pg_temp.error_of($$SELECT rollup_alter('w', 'SELECT at AS d, avg(y) AS y, max(x) AS most FROM sales GROUP BY 1')$$);
ALTER VIEW w ALTER least DROP DEFAULT;

-- What belongs to columns, of parts too, goes with them; an owner who gave up rights does not get them back.
GRANT UPDATE (least) ON w TO changed_reader;
GRANT SELECT (d, y_sum, most), UPDATE (least) ON w_query TO changed_reader;
GRANT SELECT (least) ON w_fresh TO changed_reader;
COMMENT ON COLUMN w_query.least IS 'least';
COMMENT ON COLUMN w_parts.least IS 'least';
COMMENT ON COLUMN w_query.most IS 'most';
REVOKE TRUNCATE ON w, w_query, w_parts FROM CURRENT_USER;
CREATE TABLE granted AS SELECT relname, relacl FROM pg_class WHERE relname ~ '^w(_.*)?$' AND relkind = 'v';
CREATE FUNCTION changed() RETURNS TABLE (rights text, comments text, others bigint) LANGUAGE sql AS $$
    SELECT replace(readable(), current_user, 'owner'),
        (SELECT string_agg(format('%s.%s %s', objoid::regclass, attname, description), '; ' ORDER BY objoid::regclass::text, attnum) FROM pg_description JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid
         WHERE classoid = 'pg_class'::regclass AND objoid IN ('w'::regclass, 'w_query'::regclass, 'w_parts'::regclass)),
        (SELECT count(*) FROM granted AS g JOIN pg_class AS c USING (relname) WHERE c.relnamespace = 'changed'::regnamespace AND g.relacl::text IS DISTINCT FROM c.relacl::text) $$;
SELECT * FROM changed();
SELECT rollup_alter('w', 'SELECT at AS d, avg(y) AS y, max(x) AS most, min(x) AS fewest, count(*) AS n FROM sales GROUP BY 1');
SELECT * FROM changed();
SELECT rollup_alter('w', 'SELECT at AS d, avg(y) AS y, min(x) AS fewest, count(*) AS n, max(y) AS most_y FROM sales GROUP BY 1');
SELECT * FROM changed();

-- A freeze that is undone: what is computed again is known of the column, too.
CREATE TABLE undone (at date NOT NULL, x int);
SELECT rollup_create('of_undone', 'SELECT at, count(*) AS n FROM undone GROUP BY 1');
INSERT INTO undone SELECT date '2026-01-01' + i, i FROM generate_series(0, 5) AS i;
SELECT rollup_freeze('of_undone', '2026-01-04');
SELECT rollup_alter('of_undone', 'SELECT at, count(*) AS n, max(x) AS most FROM undone GROUP BY 1');
SELECT rollup_refresh('of_undone');
SELECT rollup_create('months', $$SELECT date_trunc('month', at::timestamp) AS month, max(most) AS most, sum(n) AS n FROM of_undone GROUP BY 1$$);
UPDATE of_undone_state SET frozen = '2026-01-03';
SELECT rollup_repair('of_undone'), since FROM of_undone_state;
SELECT since FROM of_undone_state;
SELECT rollup_refresh('of_undone');
INSERT INTO undone VALUES ('2026-01-02', 9), ('2026-01-03', 9);
SELECT * FROM of_undone WHERE at < '2026-01-05' ORDER BY at;
UPDATE of_undone_state SET frozen = '-infinity';
SELECT rollup_repair('of_undone'), rollup_repair('months');
SELECT since FROM of_undone_state;
SELECT rollup_refresh('months');
INSERT INTO undone VALUES ('2026-01-01', 11);
SELECT * FROM of_undone WHERE at < '2026-01-05' ORDER BY at;
SELECT *, (SELECT count(*) FROM rollup_check('of_undone')) + (SELECT count(*) FROM rollup_check('months')) AS differ FROM months;
SELECT rollup_drop('months'), rollup_drop('of_undone');

-- A right that another than the owner granted could not be given back.
CREATE ROLE changed_other;
GRANT SELECT ON w, w_query TO changed_reader WITH GRANT OPTION;
GRANT UPDATE (d) ON w TO changed_reader WITH GRANT OPTION;
SET ROLE changed_reader;
GRANT UPDATE (d) ON w TO changed_other;
RESET ROLE;
SELECT pg_temp.error_of($$SELECT rollup_alter('w', 'SELECT at AS d, avg(y) AS y, count(*) AS n FROM sales GROUP BY 1')$$);
SELECT rollup_alter('w', 'SELECT at AS d, avg(y) AS y, min(x) AS fewest, count(*) AS n, max(y) AS most_y, min(y) AS least_y FROM sales GROUP BY 1');
REVOKE UPDATE (d) ON w FROM changed_reader CASCADE;
SET ROLE changed_reader;
GRANT SELECT ON w_query TO PUBLIC;
RESET ROLE;
SELECT pg_temp.error_of($$SELECT rollup_alter('w', 'SELECT at AS d, avg(y) AS y, min(x) AS fewest, count(*) AS n, max(y) AS most_y FROM sales GROUP BY 1')$$);
REVOKE GRANT OPTION FOR SELECT ON w_query FROM changed_reader CASCADE;
SELECT replace(readable(), current_user, 'owner') AS readable;
SELECT rollup_alter('w', 'SELECT at AS d, max(x) AS most FROM sales GROUP BY 1'), rollup_drop('w');

DROP SCHEMA changed CASCADE;
DROP ROLE changed_reader, changed_other;
