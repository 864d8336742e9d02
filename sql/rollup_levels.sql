-- Levels: rollups of rollups, which equal their queries over the view below at every snapshot.
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE SCHEMA levels;
SET search_path = levels, public;

CREATE TABLE events (id int PRIMARY KEY, at timestamp NOT NULL, country text, user_id int NOT NULL, ms int, note text);
INSERT INTO events SELECT i, '2026-01-05'::timestamp + (i % 14) * interval '1 day' + (i % 5) * interval '4 hours', (ARRAY['DE', 'FR', NULL])[1 + i % 3], i % 40, i % 50 FROM generate_series(1, 300) AS i;
SELECT rollup_create('hourly', $$SELECT date_trunc('hour', at) AS hour, country, count(*) AS requests, sum(ms) AS total, min(ms) AS lowest, hll_agg(user_id) AS users
    FROM events GROUP BY 1, 2$$);
SELECT rollup_create('daily', $$SELECT hour::date AS day, country, sum(requests) AS requests, sum(total) AS total, min(lowest) AS lowest, hll_union_agg(users) AS users
    FROM hourly GROUP BY 1, 2$$);
SELECT rollup_create('weekly', $$SELECT date_trunc('week', day::timestamp)::date AS week, sum(requests) AS requests, hll_union_agg(users) AS users FROM daily GROUP BY 1$$);
SELECT rollup_create('monthly', $$SELECT date_trunc('month', week::timestamp)::date AS month, sum(requests) AS requests, hll_union_agg(users) AS users FROM weekly GROUP BY 1$$);
-- Conditions and filters on groups flow, also where there is no period.
SELECT rollup_create('countries', $$SELECT coalesce(country, '?') AS country, sum(requests) FILTER (WHERE hour >= '2026-01-08') AS requests, min(lowest) AS lowest
    FROM hourly WHERE hour <> '2026-01-09 04:00' GROUP BY 1$$);
-- What does not merge as hours do, or has a condition on aggregates, is marked.
SELECT rollup_create('busiest', 'SELECT hour::date AS day, max(requests) AS busiest, count(*) AS hours FROM hourly WHERE requests > 1 GROUP BY 1');
-- Over the stored hours: as of their last refresh.
SELECT rollup_create('stored', 'SELECT hour::date AS day, sum(requests) AS requests FROM hourly_rows GROUP BY 1');
SELECT rollup, source, period, problem FROM rollup_list();

-- Levels that differ from their queries over the view below, or from the rows.
CREATE FUNCTION pg_temp.differ() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found text := '';
    n bigint;
    r record;
BEGIN
    FOR r IN
        SELECT rollup::text, rollup || '_query' AS query FROM rollup_list() WHERE source IS DISTINCT FROM to_regclass('hourly_rows')
        UNION ALL
        SELECT * FROM (VALUES ('daily', '(SELECT at::date AS day, country, count(*)::numeric AS requests, sum(ms)::numeric AS total, min(ms) AS lowest, hll_agg(user_id) AS users FROM events GROUP BY 1, 2)'),
            ('weekly', '(SELECT date_trunc(''week'', at)::date AS week, count(*)::numeric AS requests, hll_agg(user_id) AS users FROM events GROUP BY 1)')) AS v (rollup, query)
        WHERE to_regclass(v.rollup) IS NOT NULL
    LOOP
        EXECUTE format('SELECT count(*) FROM ((TABLE %1$s EXCEPT ALL SELECT * FROM %2$s AS a) UNION ALL (SELECT * FROM %2$s AS a EXCEPT ALL TABLE %1$s)) AS d', r.rollup, r.query) INTO n;
        found := found || CASE WHEN n > 0 THEN format('%s: %s of %s; ', r.rollup, n, r.query) ELSE '' END;
    END LOOP;
    RETURN coalesce(nullif(found, ''), 'none');
END $$;
-- The same while a statement waits, when a refresh of the hours has stored it, and when one of all levels has.
CREATE FUNCTION pg_temp.try(statement text) RETURNS TABLE (waits text, hours_stored text, all_stored text, deltas text, marked text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    waits := pg_temp.differ();
    SELECT string_agg(s.deltas::text, ' ' ORDER BY l), string_agg(s.marked::text, ' ' ORDER BY l) INTO try.deltas, try.marked
    FROM unnest('{busiest,daily,hourly,weekly}'::text[]) AS l, rollup_status(l::regclass) AS s;
    PERFORM rollup_refresh('hourly');
    hours_stored := pg_temp.differ();
    PERFORM rollup_refresh('monthly'), rollup_refresh('countries'), rollup_refresh('busiest');
    all_stored := pg_temp.differ();
    RETURN NEXT;
END $$;

-- Nothing is computed yet.
SELECT pg_temp.differ();
SELECT l, uncomputed FROM unnest('{hourly,daily,monthly,countries}'::text[]) AS l, rollup_status(l::regclass);
-- A refresh begins below.
SELECT rollup_refresh('monthly'), pg_temp.differ();
SELECT l, deltas, marked, uncomputed, refreshed IS NOT NULL AS refreshed FROM unnest('{hourly,daily,weekly,monthly,countries}'::text[]) AS l, rollup_status(l::regclass);
SELECT rollup_refresh('countries') > 0, rollup_refresh('busiest') > 0, pg_temp.differ();

-- What waits for the days while it waits for the hours: what is added, and what has to be computed anew.
INSERT INTO events VALUES (1001, '2026-01-05 07:01', 'DE', 1001, 5), (1002, '2026-01-05 08:02', 'DE', 1002, 1), (1003, '2026-01-05 08:03', NULL, 1003, NULL);
SELECT mark, day, country, requests, total, lowest, hll_cardinality(users) AS users FROM daily_changes WHERE mark < 4 ORDER BY 1, 2, 3;
SELECT mark, week, requests FROM weekly_changes WHERE mark < 4;
SELECT * FROM busiest_changes WHERE mark < 4;
SELECT (SELECT sum(requests) FROM daily) - (SELECT sum(requests) FROM stored) AS stored_lacks;
DELETE FROM events WHERE id = 1003;
SELECT mark, day, country, requests FROM daily_changes WHERE mark < 4 ORDER BY 1, 2, 3;
SELECT pg_temp.differ();
-- A refresh of the hours leaves it to the days, in as many rows as they have groups.
SELECT rollup_refresh('hourly');
SELECT mark, day, country, requests, total, lowest, hll_cardinality(users) AS users FROM daily_log WHERE mark < 4 ORDER BY 1, 2, 3;
SELECT mark, week, requests FROM weekly_changes WHERE mark < 4 ORDER BY 1, 2;
SELECT pg_temp.differ();
SELECT rollup_refresh('monthly'), pg_temp.differ();
SELECT (SELECT sum(requests) FROM daily) - (SELECT sum(requests) FROM stored) AS stored_lacks;

-- Each kind of write.
SELECT * FROM pg_temp.try($$INSERT INTO events SELECT i, '2026-01-06'::timestamp + i * interval '1 minute', 'IT', i, i FROM generate_series(2001, 2200) AS i$$);
SELECT * FROM pg_temp.try($$INSERT INTO events VALUES (2001, '2026-01-07', 'IT', 1, 1), (3001, '2026-01-07', 'IT', 1, 1) ON CONFLICT (id) DO UPDATE SET country = 'SE', at = excluded.at$$);
SELECT * FROM pg_temp.try($$UPDATE events SET at = at + interval '26 hours', user_id = user_id + 7 WHERE id % 7 = 0$$);
SELECT * FROM pg_temp.try($$UPDATE events SET note = 'read by nobody'$$);
SELECT * FROM pg_temp.try($$DELETE FROM events WHERE country = 'SE' OR at >= '2026-01-18'$$);
SELECT * FROM pg_temp.try($$WITH gone AS (DELETE FROM events WHERE id % 10 = 1 RETURNING *) INSERT INTO events SELECT id + 10000, at + interval '1 day', country, user_id, ms FROM gone$$);
SELECT * FROM pg_temp.try($q$DO $do$ BEGIN INSERT INTO events VALUES (4001, '2026-01-10', 'NO', 1, 1); RAISE 'undone'; EXCEPTION WHEN raise_exception THEN INSERT INTO events VALUES (4002, '2026-01-11', 'NO', 1, 1); END $do$ $q$);
DO $$ BEGIN
    IF current_setting('server_version_num')::int >= 150000 THEN
        EXECUTE 'MERGE INTO events AS t USING (VALUES (1), (2), (3), (5001)) AS s (id) ON t.id = s.id WHEN MATCHED AND s.id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET at = ''2026-01-12''
            WHEN NOT MATCHED THEN INSERT VALUES (s.id, ''2026-01-13'', ''MT'', 1, 1)';
    END IF;
END $$;
SELECT pg_temp.differ();
-- Steps, newest first.
INSERT INTO events SELECT 6000 + i, '2026-01-05'::timestamp + i * interval '1 day', 'PT', i, i FROM generate_series(0, 13) AS i;
DELETE FROM events WHERE id % 10 = 3;
SELECT rollup_refresh('daily', '2026-01-15') > 0 AS some, pg_temp.differ();
SELECT l, oldest FROM unnest('{hourly,daily}'::text[]) AS l, rollup_status(l::regclass);
SELECT count(*) FROM hourly_log WHERE mark < 4 AND hour >= '2026-01-15';
SELECT rollup_repair('hourly'), rollup_refresh('hourly', '2026-01-10') > 0 AS some, pg_temp.differ();
SELECT l, uncomputed FROM unnest('{hourly,daily,weekly}'::text[]) AS l, rollup_status(l::regclass);
SELECT rollup_refresh('weekly', '2026-01-08'), pg_temp.differ();
SELECT rollup_refresh('monthly'), rollup_refresh('countries') > 0, rollup_refresh('busiest') > 0, pg_temp.differ();
SELECT rollup_repair('daily'), pg_temp.differ();
SELECT rollup_refresh('daily') > 0, pg_temp.differ();
SELECT l, found_in, contents FROM unnest('{hourly,daily,weekly,monthly,countries,busiest}'::text[]) AS l, rollup_check(l::regclass);

-- Writes of the stored hours that are no refresh.
BEGIN;
DELETE FROM hourly_rows WHERE hour < '2026-01-07' AND country = 'DE';
SELECT count(*) AS waiting FROM daily_log WHERE mark = 1;
SELECT pg_temp.differ() LIKE '%daily: _ of (SELECT%' AS less_than_the_rows, pg_temp.differ() LIKE '%_query%' AS differs_from_a_query;
ROLLBACK;
BEGIN;
INSERT INTO hourly_rows (hour, country, requests) VALUES ('2025-12-01', 'XX', 5);
UPDATE hourly_rows SET requests = requests + 100 WHERE hour = '2026-01-12';
SELECT day, country, requests FROM daily WHERE day IN ('2025-12-01', '2026-01-12') ORDER BY 1, 2;
SELECT pg_temp.differ() LIKE '%_query%' AS differs_from_a_query;
ROLLBACK;
BEGIN;
TRUNCATE hourly_rows;
SELECT pg_temp.differ() LIKE '%_query%' AS differs_from_a_query, uncomputed FROM rollup_status('daily');
ROLLBACK;

-- Frozen days get what is added to their hours, wherever these are; nothing else.
SELECT rollup_freeze('hourly', '2026-01-12'), rollup_freeze('daily', '2026-01-12'), rollup_freeze('busiest', '2026-01-12');
SELECT l, frozen FROM unnest('{hourly,daily,weekly,busiest}'::text[]) AS l, rollup_status(l::regclass);
CREATE TABLE before AS SELECT sum(requests) AS requests, (SELECT sum(hours) FROM busiest) AS hours FROM daily;
DELETE FROM events WHERE at < '2026-01-12';
INSERT INTO events VALUES (7001, '2026-01-05 04:30', 'DE', 7001, 0), (7002, '2026-01-05 23:30', 'DE', 7002, 0);
SELECT (SELECT sum(requests) FROM daily) - requests AS added, (SELECT sum(requests) FROM weekly) - requests AS and_to_weeks, (SELECT sum(hours) FROM busiest) - hours AS hours FROM before;
SELECT rollup_refresh('hourly') > 0 AS stored;
SELECT (SELECT sum(requests) FROM daily) - requests AS added, (SELECT sum(requests) FROM weekly) - requests AS and_to_weeks, (SELECT sum(hours) FROM busiest) - hours AS hours FROM before;
DELETE FROM hourly_rows WHERE hour < (SELECT frozen FROM daily_state);
INSERT INTO events VALUES (7003, '2026-01-05 04:40', 'DE', 7003, 0);
SELECT (SELECT sum(requests) FROM daily) - requests AS added FROM before;
SELECT rollup_refresh('hourly') AS one_more_hour, (SELECT sum(requests) FROM hourly WHERE hour < '2026-01-12') AS of_which_nothing_else_is_known;
DELETE FROM hourly_rows WHERE hour < (SELECT frozen FROM daily_state);
INSERT INTO events VALUES (7004, '2026-01-05 04:40', 'DE', 7004, 0);
SELECT rollup_refresh('daily');
SELECT sum(d.requests) - b.requests AS added, (SELECT count(*) FROM daily_log WHERE mark < 4) AS waiting FROM daily AS d, before AS b GROUP BY b.requests;
-- What is frozen together keeps what waited: the hours are refreshed before the days are frozen.
DELETE FROM events WHERE at >= '2026-01-12' AND at < '2026-01-13';
SELECT rollup_freeze('daily', '2026-01-13');
SELECT count(*) AS groups FROM daily WHERE day = '2026-01-12';

-- TRUNCATE below leaves what is frozen.
TRUNCATE events;
SELECT count(*) = (SELECT count(*) FROM daily WHERE day < '2026-01-13') AS frozen_only FROM daily;
SELECT pg_temp.differ() LIKE '%_query%' AS differs_from_a_query;
SELECT rollup_refresh('monthly') > 0 AS stored;
SELECT count(*) = (SELECT count(*) FROM daily_rows) AS frozen_only, count(*) > 0 AS there FROM daily;

-- Whoever reads the top needs no right on what is below.
CREATE ROLE sk_levels_reader;
GRANT USAGE ON SCHEMA levels TO sk_levels_reader;
GRANT SELECT ON weekly TO sk_levels_reader;
INSERT INTO events VALUES (8001, '2026-02-05', 'DE', 1, 1), (8002, '2026-02-06', 'DE', 1, 1);
SELECT rollup_refresh('weekly');
DELETE FROM events WHERE id = 8001;
SET ROLE sk_levels_reader;
SELECT week, requests FROM weekly WHERE week > '2026-02-01';
SELECT marked FROM rollup_status('weekly');
SELECT pg_temp.sqlstate_of('TABLE daily'), pg_temp.sqlstate_of('TABLE weekly_changes'), pg_temp.error_of($$SELECT rollup_refresh('weekly')$$), pg_temp.error_of($$SELECT rollup_script('mine', 'SELECT week, sum(requests) FROM weekly GROUP BY 1')$$);
RESET ROLE;

-- What is missing is told, and mended.
ALTER TABLE hourly_log DISABLE TRIGGER daily_flow;
SELECT problem FROM rollup_status('daily');
SELECT problem FROM rollup_status('weekly');
SELECT rollup_repair('daily');
DROP TRIGGER daily_delete ON hourly_rows;
SELECT problem FROM rollup_status('daily');
SELECT rollup_repair('daily');
ALTER TABLE events DISABLE TRIGGER hourly_insert;
SELECT l, problem FROM unnest('{hourly,daily,monthly}'::text[]) AS l, rollup_status(l::regclass);
SELECT rollup_repair('hourly'), rollup_refresh('monthly') > 0 AS stored;
SELECT rollup, problem FROM rollup_list();
SELECT tgname, tgrelid::regclass, tgenabled FROM pg_trigger WHERE tgrelid IN ('hourly_rows'::regclass, 'hourly_log'::regclass, 'daily_log'::regclass) AND NOT tgisinternal ORDER BY 2, 1;
-- A trigger that somebody makes counts nothing twice.
CREATE TRIGGER again AFTER DELETE ON hourly_log REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT WHEN ('daily_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write();
INSERT INTO events VALUES (8003, '2026-02-07', 'DE', 1, 1);
SELECT rollup_refresh('hourly'), (SELECT requests FROM daily WHERE day = '2026-02-07') AS one;
DROP TRIGGER again ON hourly_log;
CREATE TRIGGER other AFTER INSERT ON hourly_log REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN ('daily_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write();
SELECT pg_temp.error_of($$INSERT INTO events VALUES (8004, '2026-02-07', 'DE', 1, 1)$$);
DROP TRIGGER other ON hourly_log;
-- Whoever refreshes.
SET session_replication_role = replica;
SELECT rollup_refresh('daily');
RESET session_replication_role;
INSERT INTO events VALUES (8004, '2026-02-08', 'DE', 1, 1);
SET session_replication_role = replica;
SELECT rollup_refresh('hourly');
RESET session_replication_role;
SELECT pg_temp.differ() LIKE '%_query%' AS differs_from_a_query, requests FROM daily WHERE day = '2026-02-08';

-- Renames, of parts, and of columns of the view below.
ALTER VIEW hourly RENAME COLUMN requests TO "Req""uests";
ALTER VIEW hourly RENAME TO "Hour""ly";
ALTER TABLE hourly_rows RENAME TO kept;
ALTER TABLE hourly_log RENAME TO waiting;
ALTER TABLE hourly_state RENAME TO what_hours_know;
ALTER VIEW daily_flow RENAME TO flowing;
ALTER VIEW daily_changes RENAME TO changing;
ALTER VIEW daily_late RENAME TO being_late;
ALTER TABLE daily_state RENAME TO days_state;
ALTER TABLE events RENAME COLUMN at TO "when";
INSERT INTO events VALUES (9001, '2026-02-09', 'DE', 1, 1), (9002, '2026-02-10', 'DE', 1, 1);
SELECT day, requests FROM daily WHERE day >= '2026-02-09' ORDER BY 1;
SELECT rollup_refresh('"Hour""ly"');
DELETE FROM events WHERE id = 9001;
SELECT day, requests FROM daily WHERE day >= '2026-02-09' ORDER BY 1;
SELECT rollup_refresh('weekly'), (SELECT sum(requests) FROM weekly WHERE week = '2026-02-09') AS one;
SELECT rollup, source, problem FROM rollup_list() WHERE source <> 'kept'::regclass;
SELECT rollup_repair('daily'), rollup_refresh('weekly') > 0 AS stored;
INSERT INTO events VALUES (9003, '2026-02-11', 'DE', 1, 1);
SELECT sum(requests) FROM weekly WHERE week = '2026-02-09';
DELETE FROM kept WHERE hour = '2026-02-10';
SELECT sum(requests) FROM weekly WHERE week = '2026-02-09';

-- Dropping, from the top.
SELECT pg_temp.error_of($$SELECT rollup_drop('"Hour""ly"')$$), pg_temp.error_of($$SELECT rollup_drop('weekly')$$), pg_temp.sqlstate_of('DROP VIEW daily'), pg_temp.sqlstate_of('DROP TABLE kept');
SELECT count(*) FROM pg_indexes WHERE schemaname = 'levels' AND indexdef ~ 'ON levels.kept .*::date';
DROP TABLE events CASCADE;
SELECT rollup, problem FROM rollup_list() ORDER BY rollup::text;
SELECT pg_temp.error_of($$SELECT rollup_drop('what_hours_know')$$);
SELECT rollup_drop('monthly'), rollup_drop('weekly'), rollup_drop('daily'), rollup_drop('countries'), rollup_drop('busiest'), rollup_drop('stored');
SELECT indexdef FROM pg_indexes WHERE schemaname = 'levels' AND indexdef ~ '::date';
SELECT rollup_drop('what_hours_know');
SELECT relname FROM pg_class WHERE relnamespace = 'levels'::regnamespace AND relkind IN ('r', 'v') ORDER BY 1;

-- A table that is partitioned: a reader of days plans for no partition, and locks none, while no group is marked.
CREATE TABLE hits (at date NOT NULL, hour int NOT NULL, page text) PARTITION BY RANGE (at);
CREATE TABLE january PARTITION OF hits FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE february (page text, gone int, hour int NOT NULL, at date NOT NULL);
ALTER TABLE february DROP gone;
ALTER TABLE hits ATTACH PARTITION february FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
SELECT rollup_create('by_hour', 'SELECT at, hour, page, count(*) AS n FROM hits GROUP BY 1, 2, 3');
SELECT rollup_create('by_day', 'SELECT at, page, sum(n) AS n FROM by_hour GROUP BY 1, 2');
INSERT INTO hits SELECT '2026-01-15'::date + i, i % 24, '/' || i % 3 FROM generate_series(0, 40) AS i;
SELECT rollup_refresh('by_day');
INSERT INTO hits VALUES ('2026-01-15', 1, '/1'), ('2026-02-15', 1, '/1');
INSERT INTO february (at, hour, page) VALUES ('2026-02-16', 1, '/1');
CREATE FUNCTION pg_temp.locked() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(relation::regclass::text, ' ' ORDER BY relation::regclass::text) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('hits'::regclass, 'january'::regclass, 'february'::regclass) $$;
BEGIN;
SELECT sum(n), pg_temp.locked() FROM by_day;
SELECT pg_temp.locked();
COMMIT;
UPDATE hits SET at = '2026-02-20' WHERE at = '2026-01-15';
DELETE FROM february WHERE page = '/2';
SELECT pg_temp.differ();
SELECT rollup_refresh('by_hour') > 0, pg_temp.differ();
SELECT rollup_refresh('by_day') > 0, pg_temp.differ();
CREATE TABLE march PARTITION OF hits FOR VALUES FROM ('2026-03-01') TO ('2026-04-01');
INSERT INTO march VALUES ('2026-03-05', 1, '/1');
SELECT problem FROM rollup_status('by_day');
SELECT rollup_refresh('by_day'), pg_temp.differ();
SELECT pg_temp.error_of($$SELECT rollup_alter('by_hour', 'SELECT at, hour, page, count(*) AS n, avg(length(page)) AS length FROM hits GROUP BY 1, 2, 3')$$);
SELECT rollup_alter('by_hour', 'SELECT at, hour, page, count(*) AS n, max(length(page)) AS length FROM hits GROUP BY 1, 2, 3');
INSERT INTO hits VALUES ('2026-03-05', 1, '/1'), ('2026-02-05', 7, '/123');
DELETE FROM hits WHERE at < '2026-01-20';
SELECT pg_temp.differ(), max(length) FROM by_hour;
SELECT rollup_refresh('by_hour') > 0, pg_temp.differ();
SELECT rollup_refresh('by_day') > 0, pg_temp.differ(), (SELECT sum(n) FROM by_day) = (SELECT count(*) FROM hits) AS all;
SELECT rollup_drop('by_day'), rollup_drop('by_hour');

-- One that is unlogged, and followed by rows; whose groups have no period, or are integers; with an aggregate of one's own.
CREATE AGGREGATE most (int) (SFUNC = int4larger, STYPE = int);
CREATE UNLOGGED TABLE passing (second int NOT NULL, k int, v int);
SELECT rollup_create('minutes', 'SELECT second / 60 * 60 AS minute, k, most(v) AS v, count(*) AS "the ""count" FROM passing GROUP BY 1, 2', '{"v": "levels.most"}', each_row => true);
SELECT rollup_create('hours', 'SELECT minute / 3600 * 3600 AS hour, most(v) AS v, sum("the ""count") AS "Sum" FROM minutes GROUP BY 1', '{"v": "levels.most"}');
SELECT rollup_create('keys', 'SELECT k, most(v) AS v FROM minutes GROUP BY 1', '{"v": "levels.most"}');
SELECT rollup_create('all_keys', 'SELECT k IS NULL AS is_null, most(v) AS v FROM keys GROUP BY 1', '{"v": "levels.most"}');
SELECT rollup, period FROM rollup_list();
SELECT pg_temp.differ();
SELECT rollup_refresh('hours'), rollup_refresh('all_keys');
INSERT INTO passing SELECT i, nullif(i % 3, 0), i % 11 FROM generate_series(1, 8000, 7) AS i;
SELECT pg_temp.differ(), (SELECT min(mark) FROM all_keys_changes) AS flows;
SELECT rollup_refresh('minutes') > 0, pg_temp.differ();
DELETE FROM passing WHERE second % 5 = 0;
SELECT pg_temp.differ(), (SELECT max(mark) FROM all_keys_changes WHERE mark < 4) AS marked;
SELECT rollup_refresh('minutes') > 0, pg_temp.differ();
SELECT rollup_refresh('hours') > 0, rollup_refresh('all_keys') > 0, pg_temp.differ();
SELECT relname, relpersistence FROM pg_class WHERE relname ~ '^(hours|all_keys)_(rows|log)$' AND relnamespace = 'levels'::regnamespace ORDER BY 1;
-- A bound of what counts in other units is none of what is below.
SELECT rollup_create('thousandths', 'SELECT minute * 1000::bigint / 3600000 * 3600000 AS hour, most(v) AS v FROM minutes GROUP BY 1', '{"v": "levels.most"}');
SELECT period, rollup_refresh('thousandths', '9000000000'), pg_temp.differ() FROM rollup_list() WHERE rollup = 'thousandths'::regclass;
SELECT rollup_drop('thousandths');
SELECT pg_temp.error_of($$SELECT rollup_refresh('all_keys', '2026-01-01')$$), pg_temp.error_of($$SELECT rollup_refresh('hours', 'abc')$$);

-- Over hours that show what they compute of parts, and with parts of its own: as if it read what is shown.
CREATE TABLE calls (at timestamp NOT NULL, page text, ms int, failed bool NOT NULL);
SELECT rollup_create('by_minute', $$SELECT date_trunc('minute', at) AS minute, page, count(*) AS calls, round(avg(ms), 1) AS mean, count(*) FILTER (WHERE failed) / count(*)::numeric AS failing
    FROM calls GROUP BY 1, 2 HAVING count(*) > 1$$);
SELECT rollup_create('by_call', $$SELECT date_trunc('hour', minute) AS hour, sum(calls) AS calls, max(mean) AS slowest, round(avg(failing), 2) AS failing
    FROM by_minute WHERE mean > 5 GROUP BY 1 HAVING sum(calls) > 0$$);
SELECT rollup_create('by_part', $$SELECT date_trunc('hour', minute) AS hour, sum(calls) AS calls, round(sum(mean_sum) / sum(mean_count), 1) AS mean, sum(failing_count) / sum(calls) AS failing
    FROM by_minute_parts GROUP BY 1$$);
SELECT rollup, source FROM rollup_list() WHERE rollup::text ~ '^by_';
-- Levels as their queries over the view below, and that over the table.
CREATE FUNCTION pg_temp.differ_of_parts() RETURNS bigint LANGUAGE sql AS $$
    WITH minutes AS (SELECT date_trunc('minute', at) AS minute, page, count(*) AS calls, round(avg(ms), 1) AS mean, count(*) FILTER (WHERE failed) / count(*)::numeric AS failing,
             sum(ms) AS mean_sum, count(ms) AS mean_count, count(*) FILTER (WHERE failed) AS failing_count FROM calls GROUP BY 1, 2),
         by_call AS (SELECT date_trunc('hour', minute) AS hour, sum(calls) AS calls, max(mean) AS slowest, round(avg(failing), 2) AS failing
             FROM minutes WHERE calls > 1 AND mean > 5 GROUP BY 1 HAVING sum(calls) > 0),
         by_part AS (SELECT date_trunc('hour', minute) AS hour, sum(calls) AS calls, round(sum(mean_sum) / sum(mean_count), 1) AS mean, sum(failing_count) / sum(calls) AS failing FROM minutes GROUP BY 1)
    SELECT (SELECT count(*) FROM ((TABLE by_call EXCEPT ALL TABLE levels.by_call) UNION ALL (TABLE levels.by_call EXCEPT ALL TABLE by_call)) AS d)
        + (SELECT count(*) FROM ((TABLE by_part EXCEPT ALL TABLE levels.by_part) UNION ALL (TABLE levels.by_part EXCEPT ALL TABLE by_part)) AS d) $$;
INSERT INTO calls SELECT '2026-03-01'::timestamp + i * interval '17 seconds', '/' || i % 2, i % 13, i % 7 = 0 FROM generate_series(1, 900) AS i;
SELECT pg_temp.differ_of_parts();
SELECT rollup_refresh('by_call') > 0, rollup_refresh('by_part') > 0, pg_temp.differ_of_parts(), (SELECT count(*) FROM by_call) > 0 AS some;
INSERT INTO calls SELECT '2026-03-01'::timestamp + i * interval '29 seconds', '/' || i % 2, i % 40, i % 7 = 0 FROM generate_series(1, 300) AS i;
SELECT pg_temp.differ_of_parts(), (SELECT min(mark) FROM by_call_changes) AS marks, (SELECT min(mark) FROM by_part_changes) AS flows;
SELECT rollup_refresh('by_minute') > 0, pg_temp.differ_of_parts();
DELETE FROM calls WHERE ms % 3 = 0;
SELECT pg_temp.differ_of_parts();
SELECT rollup_refresh('by_part') > 0, pg_temp.differ_of_parts();
SELECT rollup_refresh('by_call') > 0, pg_temp.differ_of_parts();
SELECT rollup_repair('by_minute'), rollup_repair('by_call'), pg_temp.differ_of_parts();
SELECT l, found_in FROM unnest('{by_minute,by_call,by_part}'::text[]) AS l, rollup_check(l::regclass);

-- Another query for what levels read: columns can come and be renamed, and levels go on.
SELECT rollup_refresh('by_part') > 0, rollup_refresh('by_call') > 0;
SELECT rollup_alter('by_minute', $$SELECT date_trunc('minute', at) AS minute, page, count(*) AS n, round(avg(ms), 1) AS mean, count(*) FILTER (WHERE failed) / count(*)::numeric AS failing, max(ms) AS slowest
    FROM calls GROUP BY 1, 2 HAVING count(*) > 1$$);
INSERT INTO calls SELECT '2026-03-01'::timestamp + i * interval '31 seconds', '/' || i % 2, i % 40, i % 7 = 0 FROM generate_series(1, 300) AS i;
DELETE FROM calls WHERE ms % 7 = 0;
SELECT pg_temp.differ_of_parts(), (SELECT max(slowest) FROM by_minute) AS slowest;
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT minute, max(slowest) AS slowest FROM by_minute GROUP BY 1')$$);
SELECT rollup_refresh('by_part') > 0, rollup_refresh('by_call') > 0, pg_temp.differ_of_parts();
SELECT rollup_refresh('by_part'), max(slowest) AS slowest FROM by_minute;
SELECT pg_temp.error_of(format('SELECT rollup_alter(''by_minute'', %L)', query)) FROM (VALUES
    ('SELECT date_trunc(''minute'', at) AS minute, page, count(*) AS n, round(avg(ms), 1) AS mean, count(*) FILTER (WHERE failed) / count(*)::numeric AS failing, min(ms) AS slowest FROM calls GROUP BY 1, 2 HAVING count(*) > 1'),
    ('SELECT date_trunc(''minute'', at) AS minute, page, count(*) AS n, round(avg(ms), 1) AS mean, count(*) FILTER (WHERE failed) / count(*)::numeric AS failing, max(ms) AS slowest FROM calls WHERE ms > 1 GROUP BY 1, 2 HAVING count(*) > 1'),
    ('SELECT date_trunc(''minute'', at) AS minute, page, count(*) AS n FROM calls GROUP BY 1, 2 HAVING count(*) > 1')) AS q (query);
-- A column that came later is known of what is not frozen, and of no more above.
SELECT rollup_freeze('by_minute', '2026-03-01 02:00');
SELECT rollup_alter('by_minute', $$SELECT date_trunc('minute', at) AS minute, page, count(*) AS n, round(avg(ms), 1) AS mean, count(*) FILTER (WHERE failed) / count(*)::numeric AS failing, max(ms) AS slowest,
    sum(ms) FILTER (WHERE failed) AS wasted FROM calls GROUP BY 1, 2 HAVING count(*) > 1$$);
SELECT rollup_refresh('by_minute') > 0;
SELECT rollup_create('wasted', $$SELECT date_trunc('hour', minute) AS hour, sum(wasted) AS wasted, count(*) FROM by_minute_parts GROUP BY 1$$),
    rollup_create('wasted_of_all', $$SELECT date_trunc('day', hour) AS day, sum(wasted) AS wasted FROM wasted GROUP BY 1$$),
    rollup_create('wasted_sum', $$SELECT date_trunc('hour', minute) AS hour, sum(wasted) AS wasted FROM by_minute_parts GROUP BY 1$$);
SELECT rollup_refresh('wasted_of_all') > 0, rollup_refresh('wasted_sum') > 0;
CREATE FUNCTION pg_temp.differ_of_wasted() RETURNS bigint LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM (TABLE levels.wasted EXCEPT ALL TABLE levels.wasted_query) AS d) + (SELECT count(*) FROM (TABLE levels.wasted_of_all EXCEPT ALL TABLE levels.wasted_of_all_query) AS d)
        + (SELECT count(*) FROM (TABLE levels.wasted_sum EXCEPT ALL TABLE levels.wasted_sum_query) AS d) $$;
INSERT INTO calls VALUES ('2026-03-01 00:01', '/0', 1000, true), ('2026-03-01 03:01', '/0', 1000, true), ('2026-03-01 01:59', 'new', 1000, true);
SELECT pg_temp.differ_of_wasted(), (SELECT min(mark) FROM wasted_sum_changes) AS flows;
SELECT rollup_refresh('by_minute') > 0, pg_temp.differ_of_wasted();
SELECT (SELECT min(mark) FROM wasted_sum_log) AS flows, (SELECT count(*) FROM wasted_sum WHERE wasted IS NULL) AS not_known;
SELECT rollup_refresh('wasted_of_all') > 0, rollup_refresh('wasted_sum') > 0, pg_temp.differ_of_wasted();

-- Another query for a level: below others, too.
SELECT rollup_create('per_hour', $$SELECT date_trunc('hour', minute) AS hour, sum(n) AS calls FROM by_minute GROUP BY 1$$),
    rollup_create('per_day', $$SELECT hour::date AS day, sum(calls) AS calls FROM per_hour GROUP BY 1$$);
SELECT rollup_refresh('per_day');
INSERT INTO calls SELECT '2026-03-01 04:00'::timestamp + i * interval '10 seconds', 'x', i, false FROM generate_series(1, 50) AS i;
SELECT rollup_refresh('by_minute') > 0;
INSERT INTO calls SELECT '2026-03-01 04:30'::timestamp + i * interval '10 seconds', 'x', i, false FROM generate_series(1, 50) AS i;
CREATE FUNCTION pg_temp.differ_of_days() RETURNS text LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM (TABLE levels.per_hour EXCEPT ALL TABLE levels.per_hour_query) AS d) || ' ' || (SELECT count(*) FROM (TABLE levels.per_hour_query EXCEPT ALL TABLE levels.per_hour) AS d)
        || ' ' || (SELECT count(*) FROM (TABLE levels.per_day EXCEPT ALL TABLE levels.per_day_query) AS d) || ' ' || (SELECT count(*) FROM (TABLE levels.per_day_query EXCEPT ALL TABLE levels.per_day) AS d)
        || ' ' || (SELECT count(*) FROM levels.per_hour) $$;
SELECT pg_temp.differ_of_days();
SELECT rollup_alter('per_hour', $$SELECT date_trunc('hour', minute) AS hour, sum(n) AS n, max(slowest) AS slowest, sum(n) FILTER (WHERE page = 'x') AS x FROM by_minute GROUP BY 1$$);
SELECT pg_temp.differ_of_days(), (SELECT max(slowest) FROM per_hour) AS slowest, (SELECT x FROM per_hour WHERE hour = '2026-03-01 04:00') AS x;
SELECT rollup_refresh('by_minute') > 0, pg_temp.differ_of_days();
INSERT INTO calls SELECT '2026-03-01 04:30'::timestamp + i * interval '10 seconds', 'x', i, false FROM generate_series(1, 50) AS i;
DELETE FROM calls WHERE at < '2026-03-01 04:10' AND at > '2026-03-01 04:05';
SELECT pg_temp.differ_of_days();
SELECT rollup_refresh('per_hour', '2026-03-01 04:00') > 0, pg_temp.differ_of_days();
SELECT uncomputed FROM rollup_status('per_hour');
SELECT rollup_refresh('per_hour') > 0, pg_temp.differ_of_days();
SELECT uncomputed FROM rollup_status('per_hour');
SELECT rollup_refresh('per_day') > 0, rollup_refresh('per_day') IS NULL, pg_temp.differ_of_days();
INSERT INTO calls VALUES ('2026-03-01 05:30', 'x', 7, true), ('2026-03-01 05:30', 'x', 7, true);
SELECT pg_temp.differ_of_days();
SELECT rollup_refresh('per_day') > 0, pg_temp.differ_of_days();
SELECT l, found_in FROM unnest('{per_hour,per_day}'::text[]) AS l, rollup_check(l::regclass);
SELECT pg_temp.error_of($$SELECT rollup_alter('per_hour', 'SELECT date_trunc(''hour'', at) AS hour, count(*) AS calls FROM calls GROUP BY 1')$$),
    pg_temp.error_of($$SELECT rollup_alter('per_hour', 'SELECT date_trunc(''hour'', minute) AS hour, sum(n) AS n, max(slowest) AS slowest, sum(n) FILTER (WHERE page = ''y'') AS x FROM by_minute GROUP BY 1')$$);
SELECT rollup_alter('per_day', $$SELECT hour::date AS day, sum(n) AS calls, avg(n) AS mean FROM per_hour WHERE n > 10 GROUP BY 1$$);
SELECT (SELECT array_agg((day, calls, mean) ORDER BY day) FROM per_day) = (SELECT array_agg((day, calls, mean) ORDER BY day) FROM (SELECT hour::date AS day, sum(n) AS calls, avg(n) AS mean FROM per_hour WHERE n > 10 GROUP BY 1) AS d) AS same;
SELECT rollup_refresh('per_day') > 0;
SELECT (SELECT array_agg((day, calls, mean) ORDER BY day) FROM per_day) = (SELECT array_agg((day, calls, mean) ORDER BY day) FROM (SELECT hour::date AS day, sum(n) AS calls, avg(n) AS mean FROM per_hour WHERE n > 10 GROUP BY 1) AS d) AS same;
SELECT rollup_alter('per_day', $$SELECT hour::date AS day, avg(n) AS mean FROM per_hour WHERE n > 10 GROUP BY 1$$);
SELECT (SELECT array_agg((day, mean) ORDER BY day) FROM per_day) = (SELECT array_agg((day, mean) ORDER BY day) FROM (SELECT hour::date AS day, avg(n) AS mean FROM per_hour WHERE n > 10 GROUP BY 1) AS d) AS same;
SELECT rollup, problem FROM rollup_list() WHERE problem IS NOT NULL;
SELECT rollup_drop('per_day');
-- Columns that go, of a level, and below one that is gone.
SELECT rollup_alter('per_hour', $$SELECT date_trunc('hour', minute) AS hour, sum(n) FILTER (WHERE page = 'x') AS x FROM by_minute GROUP BY 1$$);
INSERT INTO calls VALUES ('2026-03-01 05:30', 'x', 7, true);
SELECT x = (SELECT sum(n) FROM by_minute WHERE page = 'x' AND minute >= hour AND minute < hour + interval '1 hour') AS same FROM per_hour WHERE x IS NOT NULL ORDER BY hour;
SELECT rollup_refresh('per_hour');
SELECT x = (SELECT sum(n) FROM by_minute WHERE page = 'x' AND minute >= hour AND minute < hour + interval '1 hour') AS same FROM per_hour WHERE x IS NOT NULL ORDER BY hour;
SELECT rollup_drop('per_hour');

-- Above columns that others computed of parts: a level finds its own again, whatever they are called, so what is frozen of them stays.
CREATE TABLE scores (at timestamp NOT NULL, x int, y int);
INSERT INTO scores SELECT '2026-04-01'::timestamp + i * interval '7 hours', i, -i FROM generate_series(1, 30) AS i;
SELECT rollup_create('score', $$SELECT date_trunc('hour', at) AS hour, 2 * sum(x) AS twice, sum(y) AS y, sum(x) AS x FROM scores GROUP BY 1$$);
-- A column of the view has another name than what is stored.
ALTER VIEW score RENAME hour TO "Hour";
SELECT rollup_create('day_score', $$SELECT "Hour"::date AS day, avg(y) AS y, avg(x) AS x FROM score GROUP BY 1$$);
SELECT rollup_refresh('day_score') > 0 AS stored, rollup_freeze('day_score', '2026-04-04'), rollup_freeze('score', '2026-04-04');
CREATE TABLE frozen_score AS SELECT * FROM day_score WHERE day < '2026-04-04';
SELECT rollup_alter('day_score', $$SELECT "Hour"::date AS day, avg(twice) AS z, avg(y) AS mean_y, avg(x) AS mean_x FROM score GROUP BY 1$$);
CREATE FUNCTION pg_temp.scores() RETURNS text LANGUAGE sql AS $$
    SELECT count(*) FILTER (WHERE f.day IS NOT NULL) || ' frozen, of which ' || count(*) FILTER (WHERE (s.mean_y, s.mean_x, s.z IS NULL) = (f.y, f.x, true)) || ' as before, '
        || count(*) FILTER (WHERE f.day IS NULL AND s.day >= '2026-04-04' AND (s.mean_y, s.mean_x, s.z) IS DISTINCT FROM (q.mean_y, q.mean_x, q.z)) || ' others differ' FROM day_score AS s LEFT JOIN frozen_score AS f USING (day)
    LEFT JOIN (SELECT "Hour"::date AS day, avg(y) AS mean_y, avg(x) AS mean_x, avg(twice) AS z FROM score GROUP BY 1) AS q USING (day) $$;
SELECT pg_temp.scores();
-- Below a level, a column comes of which frozen groups know what is stored as another one.
SELECT rollup_alter('score', $$SELECT date_trunc('hour', at) AS "Hour", 2 * sum(x) AS twice, sum(y) AS y, sum(x) AS x, sum(y) AS again FROM scores GROUP BY 1$$);
INSERT INTO scores VALUES ('2026-04-02', 1, 1), ('2026-04-05', 1, 1);
SELECT count(*) AS not_known FROM score WHERE again IS DISTINCT FROM y AND "Hour" <> '2026-04-02';
SELECT rollup_refresh('score') > 0 AS stored, count(*) AS groups, count(*) FILTER (WHERE again IS DISTINCT FROM y) AS differ FROM score;
DELETE FROM frozen_score WHERE day = '2026-04-02';
SELECT pg_temp.scores() FROM rollup_refresh('day_score');
-- A condition on an aggregate is not known of what waits, which is a part of a group.
SELECT rollup_create('high', $$SELECT "Hour"::date AS day, sum(x) FILTER (WHERE x > 100) AS x FROM score_parts GROUP BY 1$$);
SELECT rollup_refresh('high') > 0 AS stored;
INSERT INTO scores VALUES ('2026-04-06 05:00', 60, 0);
INSERT INTO scores VALUES ('2026-04-06 05:00', 60, 0);
SELECT x FROM high WHERE day = '2026-04-06';
SELECT rollup_refresh('score') > 0 AS stored, x FROM high WHERE day = '2026-04-06';
SELECT rollup_drop('high');
-- Its owner replaced the view below.
BEGIN;
CREATE OR REPLACE VIEW score AS SELECT q.* FROM (SELECT "Hour", 2 * x AS twice, y, x, again FROM score_parts) AS q;
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT "Hour"::date AS day, max(x) AS x FROM score GROUP BY 1')$$);
CREATE OR REPLACE VIEW score AS SELECT "Hour", 2 * x AS twice, y, x, again FROM score_query;
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT "Hour"::date AS day, max(x) AS x FROM score GROUP BY 1')$$);
ROLLBACK;
-- It is called something else when it goes.
ALTER VIEW day_score RENAME TO renamed;
SELECT rollup_drop('renamed');
SELECT count(*) AS indexes FROM pg_indexes WHERE tablename = 'score_rows' AND schemaname = 'levels';

-- What is refused.
CREATE VIEW a_view AS SELECT 1 AS x;
CREATE ROLE sk_levels_owner;
GRANT CREATE, USAGE ON SCHEMA levels TO sk_levels_owner;
GRANT SELECT ON minutes TO sk_levels_owner;
SELECT pg_temp.error_of(format('SELECT rollup_create(''refused'', %L)', query)) FROM (VALUES
    ('SELECT x, count(*) FROM a_view GROUP BY 1'), ('SELECT v, sum("the ""count") FROM minutes GROUP BY 1'), ('SELECT minute + "the ""count" AS x, min(v) FROM minutes GROUP BY 1'),
    ('SELECT minute, count(DISTINCT v) FROM minutes GROUP BY 1'), ('SELECT minute, count(*) FROM minutes_fresh GROUP BY 1'),
    ('SELECT minute, count(*) FROM minutes JOIN keys USING (k) GROUP BY 1')) AS q (query);
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT minute, count(*) FROM minutes GROUP BY 1', each_row => true)$$);
SET ROLE sk_levels_owner;
SELECT pg_temp.error_of($$SELECT rollup_create('refused', 'SELECT minute, count(*) FROM minutes GROUP BY 1')$$);
RESET ROLE;
SET client_min_messages = error;
-- What its owner names as the rollup below, or breaks of it: told in words, and it can be dropped.
DROP SCHEMA levels CASCADE;
CREATE SCHEMA levels;
CREATE TABLE rows_of (d date NOT NULL, x int);
SELECT rollup_create('below', 'SELECT d, count(*) AS n FROM rows_of GROUP BY 1');
SELECT rollup_create('over', 'SELECT date_trunc(''month'', d::timestamp) AS month, sum(n) AS n FROM below GROUP BY 1');
CREATE FUNCTION broken(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text;
BEGIN
    EXECUTE statement;
    INSERT INTO rows_of VALUES ('2026-01-01', 1);
    SELECT string_agg(coalesce(l.rollup::text, 'none') || ': ' || l.problem, '; ' ORDER BY l.problem) INTO said FROM rollup_list() AS l WHERE l.problem IS NOT NULL;
    said := concat_ws(E'\n  refresh: ', said, pg_temp.error_of('SELECT rollup_refresh(''levels.over'')')) || E'\n  drop: ' || pg_temp.error_of('SELECT rollup_drop(''levels.over'')');
    RAISE EXCEPTION USING errcode = 'P0002', message = said;
EXCEPTION WHEN no_data_found THEN
    RETURN regexp_replace(SQLERRM, 'CONTEXT.*', '');
END $$;
\pset format unaligned
SELECT statement, broken(statement) FROM (VALUES
    ('ALTER TABLE over_state ALTER query SET DEFAULT ''rows_of''::regclass'), ('ALTER TABLE over_state ALTER below SET DEFAULT ''rows_of''::regclass'), ('ALTER TABLE over_state ALTER below SET DEFAULT ''over_state''::regclass'),
    ('ALTER TABLE over_state ALTER below SET DEFAULT 99999::oid::regclass'), ('ALTER TABLE over_state ALTER below DROP DEFAULT'), ('ALTER TABLE over_state DROP below'),
    ('ALTER TABLE below_state ADD below regclass DEFAULT ''over_state'''), ('DROP TABLE below_log CASCADE'), ('DROP TABLE below_rows CASCADE'), ('DROP TABLE below_state CASCADE'),
    ('DROP VIEW below_query CASCADE'), ('DROP VIEW over_flow CASCADE')) AS b (statement);
\pset format aligned
SELECT rollup, problem FROM rollup_list();

-- So are values that are equal as one type and not as another one, without a function in between.
CREATE EXTENSION citext;
CREATE TABLE cased (d date NOT NULL, c citext, v varchar(9));
SELECT rollup_create('of_cased', 'SELECT d, c, v, count(*) AS n FROM cased GROUP BY 1, 2, 3');
SELECT rest, pg_temp.error_of(format('SELECT rollup_create(%L, %L)', 'equal_' || number, format(rest, 'SELECT d', 'FROM of_cased'))) AS refused FROM unnest(ARRAY[
    '%s, c::text AS c, sum(n) AS n %s GROUP BY 1, 2', '%s, c::varchar = ''a'' AS is_a, sum(n) AS n %s GROUP BY 1, 2', '%s, sum(n) AS n %s WHERE c::text = ''a'' GROUP BY 1',
    '%s, sum(n) FILTER (WHERE c::text = ''a'') AS n %s GROUP BY 1', '%s, v::text AS v, c, sum(n) AS n %s WHERE c = ''a'' GROUP BY 1, 2, 3']) WITH ORDINALITY AS q (rest, number);
DROP EXTENSION citext CASCADE;
SELECT rollup_drop('equal_5'), rollup_drop('of_cased');

-- Values that are equal and not the same: what waits may have another one than what is stored, so what is computed of them has to
-- be the same of all.
CREATE TABLE written (at timestamp NOT NULL, n numeric, t text, f float8, i interval, a numeric[], j jsonb, d date, k int NOT NULL);
SELECT rollup_create('of_written', $$SELECT date_trunc('hour', at) AS hour, n, t, f, i, coalesce(a, '{}') AS a, j, d, k, count(*) AS m FROM written GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9$$);
SELECT rest, pg_temp.error_of(format('SELECT rollup_create(%L, %L)', 'equal_' || number, format(rest, 'SELECT hour::date AS day', 'FROM of_written'))) AS refused FROM unnest(ARRAY[
    '%s, n::text AS g, sum(m) AS m %s GROUP BY 1, 2', '%s, n / 3 AS g, sum(m) AS m %s GROUP BY 1, 2', '%s, scale(n) AS g, sum(m) AS m %s GROUP BY 1, 2',
    '%s, atan2(f, -1) AS g, sum(m) AS m %s GROUP BY 1, 2', '%s, date_part(''day'', i) AS g, sum(m) AS m %s GROUP BY 1, 2', '%s, a[1] AS g, sum(m) AS m %s GROUP BY 1, 2',
    '%s, j->>''x'' AS g, sum(m) AS m %s GROUP BY 1, 2', '%s, sum(m) AS m %s WHERE n::text > ''1.0'' GROUP BY 1', '%s, hll_agg(n::text) AS h %s GROUP BY 1',
    '%s, sum(m) FILTER (WHERE j->>''x'' = ''1'') AS m %s GROUP BY 1',
    '%s, n, f, i, a, j, sum(m) AS m %s GROUP BY 1, 2, 3, 4, 5, 6', '%s, floor(n * 3 + 1)::int AS g, sum(m) AS m %s GROUP BY 1, 2', '%s, max(n) AS x, sum(n * m) AS s, sum(m) AS m %s GROUP BY 1',
    '%s, sum(m) AS m %s WHERE n > 1 AND n IN (2, 3) AND (f < 2 OR i = ''1 day'') AND j IS NOT NULL GROUP BY 1', '%s, t || ''x'' AS g, date_trunc(''month'', d::timestamp) AS h, sum(m) AS m %s GROUP BY 1, 2, 3']) WITH ORDINALITY AS q (rest, number);
-- Spaces at the end of a char(n), too.
CREATE TABLE padded (d date NOT NULL, a char(2), b char(4));
SELECT rollup_create('of_padded', $$SELECT d, coalesce(a, b) AS k, coalesce(array[b], '{}') AS l, count(*) AS n FROM padded GROUP BY 1, 2, 3$$);
SELECT left(pg_temp.error_of(format('SELECT rollup_create(%L, %L)', 'l', 'SELECT d, sum(n) AS n FROM of_padded WHERE ' || c || ' GROUP BY 1')), 80) AS refused
FROM unnest(ARRAY[$$k LIKE 'US'$$, 'octet_length(k) > 2', 'octet_length(l[1]) > 2']) AS c;
INSERT INTO written (at, n, k) VALUES ('2026-01-01', 1.0, 1);
SELECT rollup_refresh('equal_11'), rollup_refresh('equal_12');
INSERT INTO written (at, n, k) VALUES ('2026-01-01', 1.00, 1);
SELECT rollup_refresh('equal_11'), rollup_refresh('equal_12');
DELETE FROM written WHERE n::text = '1.0';
SELECT rollup_refresh('equal_11'), rollup_refresh('equal_12');
SELECT (SELECT count(*) FROM rollup_check('equal_11')), (SELECT count(*) FROM rollup_check('equal_12')), (SELECT m FROM equal_11) AS m;
-- A condition keeps rows from groups that fail of them; one on aggregates cannot, where it is not known.
SELECT pg_temp.error_of($$SELECT rollup_create('shares', 'SELECT hour::date AS day, 100 / k AS share, sum(m) AS m FROM of_written WHERE m < 3 GROUP BY 1, 2')$$);
SELECT rollup_create('shares', 'SELECT hour::date AS day, 100 / k AS share, sum(m) AS m FROM of_written WHERE k > 0 GROUP BY 1, 2');
SELECT rollup_create('only_shares', 'SELECT 100 / k AS share, sum(m) AS m FROM of_written WHERE k > 0 GROUP BY 1');
INSERT INTO written (at, n, k) VALUES ('2026-01-01', 2, 0), ('2026-01-01', 2, 7);
SELECT share, m FROM shares UNION ALL SELECT share, m FROM only_shares ORDER BY 1;
SELECT rollup_refresh('shares'), rollup_refresh('only_shares');
DELETE FROM written WHERE k = 7;
SELECT share, m FROM shares UNION ALL SELECT share, m FROM only_shares ORDER BY 1;
SELECT rollup_refresh('shares'), rollup_refresh('only_shares');
SELECT (SELECT count(*) FROM rollup_check('shares')), (SELECT count(*) FROM rollup_check('only_shares')), (SELECT count(*) FROM rollup_list() WHERE problem IS NOT NULL);
DROP SCHEMA levels CASCADE;
DROP ROLE sk_levels_owner;
DROP ROLE sk_levels_reader;
