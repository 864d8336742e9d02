-- Partitions and children that go, change and come back, and statements that write them directly.
\i sql/include/error_of.sql
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE SCHEMA partitions;
SET search_path = partitions, public;

-- How many groups differ between a rollup and its query.
CREATE FUNCTION pg_temp.differ(rollup text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM ((TABLE %1$s EXCEPT ALL TABLE %1$s_query) UNION ALL (TABLE %1$s_query EXCEPT ALL TABLE %1$s)) AS d', rollup) INTO n;
    RETURN n;
END $$;

-- What a refresh computes while a partition is away has none of its rows.
CREATE TABLE hits (at date NOT NULL, page text) PARTITION BY RANGE (at);
CREATE TABLE january PARTITION OF hits FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE february PARTITION OF hits FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
INSERT INTO hits VALUES ('2026-01-05', 'a'), ('2026-02-05', 'a'), ('2026-02-06', 'b');
SELECT rollup_create('daily', 'SELECT at, count(*) AS n FROM hits GROUP BY 1'), rollup_create('pages', 'SELECT page, count(*) AS n FROM hits GROUP BY 1'),
    rollup_create('by_row', 'SELECT at, count(*) AS n FROM hits GROUP BY 1', each_row => true);
SELECT rollup_refresh('pages');
ALTER TABLE hits DETACH PARTITION january;
SELECT rollup_refresh('daily'), rollup_refresh('by_row');
DELETE FROM hits WHERE at = '2026-02-05';
SELECT rollup_refresh('pages');
SELECT rollup_refresh('pages');
SELECT array_length(missed, 1), missed[2] FROM pages_state;
ALTER TABLE january RENAME TO first;
ALTER TABLE hits ATTACH PARTITION first FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT r, problem FROM unnest('{daily,pages,by_row}'::regclass[]) AS r, rollup_status(r);
SELECT rollup_refresh('daily'), rollup_refresh('pages'), rollup_refresh('by_row');
SELECT r, pg_temp.differ(r::text), problem FROM unnest('{daily,pages,by_row}'::regclass[]) AS r, rollup_status(r);
SELECT missed FROM pages_state;
-- TRUNCATE meanwhile; a partition that only was away.
ALTER TABLE hits DETACH PARTITION first;
TRUNCATE hits;
SELECT rollup_refresh('daily');
ALTER TABLE hits ATTACH PARTITION first FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT rollup_refresh('daily'), pg_temp.differ('daily');
ALTER TABLE hits DETACH PARTITION first;
ALTER TABLE hits ATTACH PARTITION first FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT problem, pg_temp.differ('daily') FROM rollup_status('daily');

-- A child.
CREATE TABLE parent (at date NOT NULL);
CREATE TABLE child () INHERITS (parent);
INSERT INTO child VALUES ('2026-01-05');
SELECT rollup_create('of_parent', 'SELECT at, count(*) AS n FROM parent GROUP BY 1');
ALTER TABLE child NO INHERIT parent;
SELECT rollup_refresh('of_parent');
ALTER TABLE child INHERIT parent;
SELECT rollup_refresh('of_parent'), pg_temp.differ('of_parent');

-- A partition or child that is away after a repair is written like any table, and computed anew when it comes back.
CREATE TABLE visits (at date NOT NULL, x int) PARTITION BY RANGE (at);
CREATE TABLE visits_1 PARTITION OF visits FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE visits_2 PARTITION OF visits FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE family (at date NOT NULL, x int);
CREATE TABLE family_1 () INHERITS (family);
INSERT INTO visits VALUES ('2026-01-05', 1), ('2026-01-06', 2), ('2026-02-05', 3);
INSERT INTO family_1 TABLE visits;
SELECT rollup_create('of_visits', 'SELECT at, count(*) AS n FROM visits GROUP BY 1'), rollup_create('visits_by_row', 'SELECT at, count(*) AS n FROM visits GROUP BY 1', each_row => true),
    rollup_create('of_family', 'SELECT at, count(*) AS n FROM family GROUP BY 1'), rollup_create('family_by_row', 'SELECT at, count(*) AS n FROM family GROUP BY 1', each_row => true);
CREATE VIEW four AS SELECT * FROM unnest('{of_visits,visits_by_row,of_family,family_by_row}'::regclass[]) AS rollup;
SELECT rollup, rollup_refresh(rollup) FROM four;
ALTER TABLE visits DETACH PARTITION visits_1;
ALTER TABLE family_1 NO INHERIT family;
SELECT problem FROM four, rollup_status(rollup);
SELECT rollup, rollup_repair(rollup) FROM four;
SELECT rollup, rollup_refresh(rollup), pg_temp.differ(rollup::text) FROM four;
SELECT part, pg_temp.error_of(format($$INSERT INTO %s VALUES ('2026-01-07', 4)$$, part)) AS insert, pg_temp.error_of(format('UPDATE %s SET x = x + 1', part)) AS update,
    pg_temp.error_of(format($$DELETE FROM %s WHERE at = '2026-01-05'$$, part)) AS delete, pg_temp.error_of(format('TRUNCATE %s', part)) AS truncate FROM unnest('{visits_1,family_1}'::text[]) AS part;
INSERT INTO visits_1 VALUES ('2026-01-08', 5);
INSERT INTO family_1 VALUES ('2026-01-08', 5);
SELECT problem, missed FROM four, rollup_status(rollup), LATERAL (SELECT missed FROM of_visits_state) AS s WHERE rollup = 'of_visits'::regclass;
ALTER TABLE visits_1 RENAME TO visits_0;
ALTER TABLE visits ATTACH PARTITION visits_0 FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
ALTER TABLE family_1 INHERIT family;
SELECT problem FROM four, rollup_status(rollup);
SELECT rollup, rollup_refresh(rollup) FROM four;
SELECT rollup, pg_temp.differ(rollup::text), problem FROM four, rollup_status(rollup);
INSERT INTO visits_0 VALUES ('2026-01-08', 5);
DELETE FROM family_1 WHERE at = '2026-01-08';
SELECT rollup, pg_temp.differ(rollup::text) FROM four;
-- One that the state does not list, as after a restore under another name.
SELECT rollup, rollup_refresh(rollup) FROM four WHERE rollup = 'of_visits'::regclass;
ALTER TABLE visits DETACH PARTITION visits_0;
UPDATE of_visits_state SET followed = array_replace(array_replace(followed, 'partitions.visits_0', 'partitions.as_it_was'), 'visits_0'::regclass::oid::text, '0');
INSERT INTO visits_0 VALUES ('2026-01-09', 6);
SELECT missed FROM of_visits_state;
ALTER TABLE visits ATTACH PARTITION visits_0 FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT problem FROM rollup_status('of_visits');
SELECT rollup_refresh('of_visits'), pg_temp.differ('of_visits');
SELECT problem FROM rollup_status('of_visits');
SELECT rollup_refresh('of_visits');

-- A level put between a table and its partitions or children: what was written through it, before it had triggers, counts.
CREATE TABLE levels (at date NOT NULL, k text) PARTITION BY RANGE (at);
CREATE TABLE leaf PARTITION OF levels FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE top (at date NOT NULL, k text);
CREATE TABLE bottom () INHERITS (top);
SELECT rollup_create('of_levels', 'SELECT k, count(*) AS n FROM levels GROUP BY 1'), rollup_create('of_top', 'SELECT k, count(*) AS n FROM top GROUP BY 1');
INSERT INTO levels VALUES ('2026-01-05', 'a'), ('2026-01-05', 'b');
INSERT INTO bottom TABLE levels;
SELECT rollup_refresh('of_levels'), rollup_refresh('of_top');
BEGIN;
ALTER TABLE levels DETACH PARTITION leaf;
CREATE TABLE middle PARTITION OF levels FOR VALUES FROM ('2026-01-01') TO ('2026-02-01') PARTITION BY LIST (k);
ALTER TABLE middle ATTACH PARTITION leaf DEFAULT;
CREATE TABLE between () INHERITS (top);
ALTER TABLE bottom NO INHERIT top;
ALTER TABLE bottom INHERIT between;
COMMIT;
DELETE FROM middle WHERE k = 'b';
UPDATE between SET k = 'c' WHERE k = 'b';
SELECT problem FROM unnest('{of_levels,of_top}'::regclass[]) AS r, rollup_status(r);
SELECT rollup_refresh('of_levels'), pg_temp.differ('of_levels'), rollup_refresh('of_top'), pg_temp.differ('of_top');
SELECT problem FROM unnest('{of_levels,of_top}'::regclass[]) AS r, rollup_status(r);

-- Rows that come through the parent, and go from a new partition before it has triggers. One that nobody wrote to costs no mark.
CREATE TABLE news (at date NOT NULL, k text) PARTITION BY RANGE (at);
SELECT rollup_create('of_news', 'SELECT k, count(*) AS n FROM news GROUP BY 1'), rollup_create('news_by_row', 'SELECT k, count(*) AS n FROM news GROUP BY 1', each_row => true);
SELECT rollup_refresh('of_news'), rollup_refresh('news_by_row');
CREATE TABLE news_1 PARTITION OF news FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE news_2 PARTITION OF news FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
INSERT INTO news VALUES ('2026-01-05', 'a'), ('2026-01-05', 'b'), ('2026-02-05', 'a'), ('2026-02-05', 'c');
DELETE FROM news_1 WHERE k = 'b';
TRUNCATE news_2;
SELECT rollup_refresh('of_news'), pg_temp.differ('of_news'), rollup_refresh('news_by_row'), pg_temp.differ('news_by_row');
CREATE TABLE news_3 PARTITION OF news FOR VALUES FROM ('2026-03-01') TO ('2026-04-01');
INSERT INTO news VALUES ('2026-01-05', 'a'), ('2026-03-05', 'd');
DELETE FROM news_3;
VACUUM news_3;
SELECT rollup_refresh('of_news'), pg_temp.differ('of_news');
INSERT INTO news VALUES ('2026-01-05', 'a');
UPDATE of_news_rows SET n = 10;
CREATE TABLE news_4 PARTITION OF news FOR VALUES FROM ('2026-04-01') TO ('2026-05-01');
SELECT rollup_refresh('of_news');
TABLE of_news;
SELECT rollup_repair('of_news');

-- Between the rows of a statement and its trigger, a refresh would count them twice.
SELECT pg_temp.error_of($$WITH added AS (INSERT INTO first VALUES ('2026-01-06', 'c') RETURNING 1) SELECT rollup_refresh('daily') FROM added$$);
SELECT pg_temp.error_of($$WITH added AS (INSERT INTO child VALUES ('2026-01-06') RETURNING 1) SELECT rollup_refresh('of_parent') FROM added$$);
CREATE FUNCTION refresh() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM rollup_refresh('daily'); RETURN NULL; END $$;
CREATE TRIGGER refresh AFTER INSERT ON first FOR EACH ROW EXECUTE FUNCTION refresh();
SELECT pg_temp.error_of($$INSERT INTO first VALUES ('2026-01-07', 'c')$$);
DROP TRIGGER refresh ON first;

-- MERGE that moves rows, while a trigger of each row updates a partition of another table.
CREATE TABLE counts (at date PRIMARY KEY, n int) PARTITION BY RANGE (at);
CREATE TABLE counts_1 PARTITION OF counts FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT rollup_create('of_counts', 'SELECT at, sum(n) AS n FROM counts GROUP BY 1');
CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO counts_1 VALUES ('2026-01-01', 1) ON CONFLICT (at) DO UPDATE SET n = counts_1.n + 1;
    RETURN new;
END $$;
CREATE TABLE moved (id int, at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE moved_1 PARTITION OF moved FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE moved_2 PARTITION OF moved FOR VALUES FROM ('2026-02-01') TO ('2026-03-01') PARTITION BY RANGE (at);
CREATE TABLE moved_2a PARTITION OF moved_2 DEFAULT;
INSERT INTO moved SELECT i, '2026-01-05' FROM generate_series(1, 6) AS i;
SELECT rollup_create('moves', 'SELECT at, count(*) AS n FROM moved GROUP BY 1');
SELECT rollup_refresh('moves');
CREATE TRIGGER count_it BEFORE UPDATE ON moved FOR EACH ROW EXECUTE FUNCTION count_it();
DO $$ BEGIN
    IF current_setting('server_version_num')::int >= 150000 THEN
        EXECUTE 'MERGE INTO moved AS t USING (VALUES (1), (2), (3)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = ''2026-02-05''';
    END IF;
END $$;
SELECT pg_temp.differ('moves'), pg_temp.differ('of_counts');
UPDATE moved SET at = '2026-02-06' WHERE id > 4;
UPDATE moved_2 SET at = at + 1;
UPDATE moved_1 SET id = id;
SELECT pg_temp.differ('moves'), pg_temp.differ('of_counts');

-- A crash empties unlogged tables.
CREATE TABLE mixed (at date NOT NULL) PARTITION BY RANGE (at);
CREATE UNLOGGED TABLE mixed_1 PARTITION OF mixed FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT pg_temp.error_of($$SELECT rollup_create('of_mixed', 'SELECT at, count(*) FROM mixed GROUP BY 1')$$);
ALTER TABLE mixed_1 SET LOGGED;
SELECT rollup_create('of_mixed', 'SELECT at, count(*) FROM mixed GROUP BY 1');
CREATE UNLOGGED TABLE mixed_2 PARTITION OF mixed FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
SELECT problem FROM rollup_status('of_mixed');

-- The first child of a table that had none.
CREATE TABLE single (at date NOT NULL);
SELECT rollup_create('of_single', 'SELECT at, count(*) AS n FROM single GROUP BY 1');
CREATE TABLE first_child () INHERITS (single);
INSERT INTO first_child VALUES ('2026-01-05');
INSERT INTO single VALUES ('2026-01-05');
SELECT problem FROM rollup_status('of_single');
SELECT rollup_refresh('of_single');
SELECT problem FROM rollup_status('of_single');
INSERT INTO first_child VALUES ('2026-01-06');
DELETE FROM first_child WHERE at = '2026-01-05';
TABLE of_single ORDER BY at;
ALTER TABLE first_child NO INHERIT single;
INSERT INTO first_child VALUES ('2026-01-07');
SELECT at, n FROM of_single ORDER BY at;

-- A statement that writes another parent of a child fires none of its statement triggers.
CREATE TABLE mother (at date NOT NULL);
CREATE TABLE father (at date NOT NULL);
CREATE TABLE both_1 () INHERITS (mother, father);
SELECT pg_temp.error_of($$SELECT rollup_create('of_mother', 'SELECT at, count(*) AS n FROM mother GROUP BY 1')$$);
SELECT rollup_create('mother_by_row', 'SELECT at, count(*) AS n FROM mother GROUP BY 1', each_row => true);
ALTER TABLE both_1 NO INHERIT father;
SELECT rollup_create('of_mother', 'SELECT at, count(*) AS n FROM mother GROUP BY 1');
ALTER TABLE both_1 INHERIT father;
INSERT INTO both_1 VALUES ('2026-01-05');
SELECT rollup_refresh('of_mother');
UPDATE father SET at = at + 1;
SELECT r, pg_temp.differ(r::text), problem FROM unnest('{of_mother,mother_by_row}'::regclass[]) AS r, rollup_status(r);
-- Both parents below the table of the query.
ALTER TABLE both_1 NO INHERIT father;
CREATE TABLE daughter () INHERITS (mother);
ALTER TABLE both_1 INHERIT daughter;
SELECT rollup_refresh('of_mother');
UPDATE daughter SET at = at + 1;
SELECT pg_temp.differ('of_mother'), problem FROM rollup_status('of_mother');

-- A row that moves to another partition is no new one, of which a frozen group would have one more; a row that was deleted and
-- inserted is.
CREATE TABLE orders (id int, at date NOT NULL, status int NOT NULL) PARTITION BY LIST (status);
CREATE TABLE open_orders PARTITION OF orders FOR VALUES IN (1);
CREATE TABLE closed_orders (status int NOT NULL, at date NOT NULL, id int);
ALTER TABLE orders ATTACH PARTITION closed_orders FOR VALUES IN (2);
SELECT rollup_create('ordered', 'SELECT at, count(*) AS n FROM orders GROUP BY 1'), rollup_create('ordered_by_row', 'SELECT at, count(*) AS n FROM orders GROUP BY 1', each_row => true),
    rollup_create('unfrozen_by_row', 'SELECT at, count(*) AS n FROM orders GROUP BY 1', each_row => true);
INSERT INTO orders SELECT i, date '2026-01-01' + i / 10, 1 FROM generate_series(1, 19) AS i;
SELECT rollup_freeze('ordered', '2026-01-02'), rollup_freeze('ordered_by_row', '2026-01-02');
UPDATE orders SET status = 2 WHERE id % 2 = 0;
BEGIN;
INSERT INTO orders VALUES (20, '2026-01-01', 1);
UPDATE orders SET status = 3 - status WHERE id IN (1, 2, 20);
COMMIT;
BEGIN;
DELETE FROM orders WHERE id = 3;
INSERT INTO orders VALUES (3, '2026-01-01', 2);
COMMIT;
SELECT o.at, o.n, r.n, u.n, (SELECT count(*) FROM orders WHERE at = o.at) FROM ordered AS o JOIN ordered_by_row AS r USING (at) JOIN unfrozen_by_row AS u USING (at) ORDER BY 1;
SELECT rollup_refresh('ordered_by_row') > 0, pg_temp.differ('unfrozen_by_row'), (SELECT sum(n) FROM ordered_by_row), (SELECT sum(n) FROM ordered);

-- A rollup is named by its view.
SELECT rollup_create('old', 'SELECT at, count(*) AS n FROM parent GROUP BY 1'), rollup_create('new', 'SELECT at, count(*) AS m FROM parent GROUP BY 1');
ALTER VIEW old RENAME TO older;
ALTER VIEW new RENAME TO old;
SELECT rollup_drop('old');
SELECT rollup FROM rollup_list() WHERE source = 'parent'::regclass;



-- Rows that follow one by one: what a move that failed, or was kept away, has left does not count for the next row; nor does what a
-- trigger writes in between.
CREATE TABLE owners (id int PRIMARY KEY);
INSERT INTO owners VALUES (1), (2), (3);
CREATE TABLE moving (at date NOT NULL, owner int REFERENCES owners) PARTITION BY RANGE (at);
CREATE TABLE moving_1 PARTITION OF moving FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE moving_2 PARTITION OF moving FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE moving_3 PARTITION OF moving FOR VALUES FROM ('2026-03-01') TO ('2026-04-01');
INSERT INTO moving VALUES ('2026-01-05', 1), ('2026-01-05', 2), ('2026-01-05', 3), ('2026-02-05', 2);
SELECT rollup_create('of_moving_rows', 'SELECT at, count(*) AS n FROM moving GROUP BY at', each_row => true), rollup_create('of_moving', 'SELECT at, count(*) AS n FROM moving GROUP BY at');
SELECT rollup_freeze('of_moving_rows', '2026-03-01'), rollup_freeze('of_moving', '2026-03-01');
UPDATE moving SET at = '2026-02-05', owner = 99 WHERE owner = 1;
INSERT INTO moving VALUES ('2026-02-05', 2);
SELECT r.at, r.n AS by_row, s.n AS by_statement FROM of_moving_rows AS r JOIN of_moving AS s USING (at) ORDER BY 1;
CREATE FUNCTION keep_away() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN NEW.owner <> 1 THEN NEW END; END';
CREATE TRIGGER keep_away BEFORE INSERT ON moving_2 FOR EACH ROW EXECUTE FUNCTION keep_away();
UPDATE moving SET at = '2026-02-05' WHERE owner = 1;
INSERT INTO moving VALUES ('2026-02-05', 2);
SELECT r.at, r.n AS by_row, s.n AS by_statement FROM of_moving_rows AS r JOIN of_moving AS s USING (at) ORDER BY 1;
CREATE FUNCTION also() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF pg_trigger_depth() = 1 THEN INSERT INTO partitions.moving VALUES (''2026-03-05'', 3); END IF; RETURN NULL; END';
CREATE TRIGGER also AFTER INSERT ON moving FOR EACH ROW EXECUTE FUNCTION also();
UPDATE moving SET at = '2026-02-05' WHERE owner = 3 AND at < '2026-02-01';
SELECT r.at, r.n AS by_row, s.n AS by_statement FROM of_moving_rows AS r JOIN of_moving AS s USING (at) ORDER BY 1;
DROP TRIGGER also ON moving;
-- After an UPDATE that failed, rows are not collected for one that moves them.
INSERT INTO moving SELECT '2026-03-05', 1 + i % 3 FROM generate_series(1, 3000) AS i;
SET work_mem = '64kB';
BEGIN;
SAVEPOINT s;
UPDATE moving SET at = '2030-01-01' WHERE owner = 2;
ROLLBACK TO s;
DELETE FROM moving WHERE at = '2026-03-05' AND owner = 3;
INSERT INTO moving SELECT '2026-03-06', 1 FROM generate_series(1, 3000) AS i;
DO $$ BEGIN UPDATE partitions.moving SET at = '2030-01-01' WHERE owner = 2; EXCEPTION WHEN check_violation THEN NULL; END $$;
UPDATE moving SET at = '2026-01-07' WHERE at = '2026-03-06';
DELETE FROM moving WHERE at = '2026-03-05' AND owner = 2;
COMMIT;
RESET work_mem;
SELECT count(*) AS none FROM rollup_check('of_moving');
SELECT count(*) AS none FROM rollup_check('of_moving_rows');
SELECT rollup_refresh('of_moving');
SELECT count(*) AS none FROM rollup_check('of_moving');
SET client_min_messages = error;
DROP SCHEMA partitions CASCADE;
