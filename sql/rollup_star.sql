-- Rollups of facts joined to other tables: what they may join, what they refuse, and that they equal their query.
\set VERBOSITY terse
SET client_min_messages = warning;
SET timezone = 'UTC';
CREATE SCHEMA star;
SET search_path = star, public;
CREATE FUNCTION pg_temp.error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ' ' || sqlerrm;
END $$;

CREATE TABLE customers (id int PRIMARY KEY, region text, active bool NOT NULL DEFAULT true, note text);
CREATE TABLE categories (name text PRIMARY KEY, tax numeric);
CREATE TABLE products (id bigint, shop int, category text, price int NOT NULL DEFAULT 1, note text, PRIMARY KEY (shop, id));
CREATE TABLE orders (id int PRIMARY KEY, at timestamptz NOT NULL, customer int, shop int, product int, user_id int, amount int);
INSERT INTO customers SELECT i, (ARRAY['north','south'])[1 + i % 2] FROM generate_series(1, 6) AS i;
INSERT INTO categories VALUES ('books', 7), ('toys', 19);
INSERT INTO products SELECT i, s, (ARRAY['books','toys','food'])[1 + i % 3], i FROM generate_series(1, 5) AS i, generate_series(1, 2) AS s;
INSERT INTO orders SELECT i, timestamptz '2026-05-01' + i * interval '7 minutes', 1 + i % 7, 1 + i % 2, 1 + i % 6, i % 20, i FROM generate_series(1, 200) AS i;

-- Differences, before and after a refresh; the second is of what is stored.
CREATE FUNCTION pg_temp.differences(rollup text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT %L || found_in || '': '' || contents::text FROM rollup_check(%L)', what || ' ', rollup);
END $$;

SELECT rollup_create('sales', $$
    SELECT date_trunc('hour', o.at AT TIME ZONE 'UTC') AS hour, c.region, g.tax, count(*) AS orders, sum(o.amount * p.price) AS worth,
           hll_agg(o.user_id) AS users
    FROM orders o JOIN customers c ON c.id = o.customer
    LEFT JOIN products p ON p.shop = o.shop AND p.id = o.product AND p.price < 5
    LEFT JOIN categories g ON g.name = p.category
    WHERE c.active AND o.amount > 3 GROUP BY 1, 2, 3 $$);
SELECT count(*), sum(orders) FROM sales;
SELECT rollup_refresh('sales') > 0 AS stored;

-- What is logged: of a customer that is not there, and one that is; of a change that is read, and one that is not.
INSERT INTO orders VALUES (1001, '2026-05-01', 99, 1, 1, 1, 100), (1002, '2026-05-01', 1, 1, 1, 1, 100);
SELECT mark, hour, region, tax, orders, worth FROM sales_log WHERE mark <> 4 ORDER BY 1;
UPDATE customers SET note = 'n', region = upper(region) WHERE id = 1;
UPDATE customers SET note = 'm' WHERE id = 2;
UPDATE products SET note = 'm';
UPDATE products SET price = 2 WHERE id = 1 AND shop = 1;
SELECT dimension, key1, key2, key3, key4, count(*) FROM sales_joined GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2;
SELECT * FROM sales_touched ORDER BY 1 LIMIT 3;
SELECT deltas, marked, uncomputed, problem FROM rollup_status('sales');
SELECT pg_temp.differences('sales', 'changes');
SELECT rollup_refresh('sales') > 0 AS stored;
SELECT count(*) FROM sales_joined;
SELECT pg_temp.differences('sales', 'stored');

-- Every statement on each table, each compared, and again once it is stored.
CREATE FUNCTION pg_temp.try(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN QUERY SELECT * FROM pg_temp.differences('sales', statement);
    PERFORM rollup_refresh('sales');
    RETURN QUERY SELECT * FROM pg_temp.differences('sales', statement || ', stored');
END $$;
SELECT pg_temp.try(statement) FROM unnest(ARRAY[
    'INSERT INTO customers VALUES (99, ''late'')',
    'UPDATE customers SET active = NOT active WHERE id < 3',
    'UPDATE customers SET id = id + 100 WHERE id = 3',
    'UPDATE customers SET id = CASE id WHEN 4 THEN 5 ELSE 4 END WHERE id = -1',
    'DELETE FROM customers WHERE id = 6',
    'INSERT INTO customers VALUES (6, ''again''), (1, ''one'') ON CONFLICT (id) DO UPDATE SET region = excluded.region',
    'UPDATE products SET id = 50 WHERE id = 1',
    'UPDATE products SET category = NULL WHERE id = 2',
    'UPDATE products SET price = price + 3',
    'DELETE FROM products WHERE shop = 2',
    'UPDATE categories SET tax = tax + 1',
    'UPDATE categories SET name = name || ''!''',
    'INSERT INTO categories VALUES (''food'', 0), (''toys'', 5)',
    'UPDATE orders SET customer = 99 WHERE id < 20',
    'UPDATE orders SET product = product + 1, shop = 1',
    'DELETE FROM orders WHERE id % 5 = 0',
    'WITH c AS (UPDATE customers SET region = ''w'' RETURNING id) INSERT INTO orders SELECT 2000 + id, ''2026-05-02'', id, 1, 2, 3, 44 FROM c',
    'TRUNCATE categories',
    'TRUNCATE customers',
    'INSERT INTO customers SELECT i, ''new'' FROM generate_series(1, 99) AS i',
    'TRUNCATE orders',
    'INSERT INTO orders SELECT i, timestamptz ''2026-05-03'' + i * interval ''7 minutes'', 1 + i % 120, 1, 1 + i % 6, i % 20, i FROM generate_series(1, 200) AS i']) AS statement;
SELECT count(*), sum(orders) FROM sales;

-- Frozen groups keep what they were joined to.
SELECT rollup_freeze('sales', '2026-05-03 12:00');
UPDATE customers SET region = 'other';
SELECT hour < '2026-05-03 12:00' AS frozen, region, sum(orders) FROM sales GROUP BY 1, 2 ORDER BY 1;
SELECT pg_temp.differences('sales', 'frozen');
-- A refresh of some periods keeps the changes.
SELECT rollup_refresh('sales', '2026-05-03 20:00') > 0 AS stored, (SELECT count(*) FROM sales_joined);
SELECT pg_temp.differences('sales', 'some periods');
SELECT rollup_refresh('sales') > 0 AS stored;
SELECT pg_temp.differences('sales', 'all periods');

-- What a trigger misses is found, and mended.
ALTER TABLE customers DISABLE TRIGGER sales_update;
SELECT problem FROM rollup_list() WHERE rollup = 'sales'::regclass;
UPDATE customers SET region = 'unseen' WHERE id < 10;
SELECT rollup_repair('sales');
SELECT problem FROM rollup_list() WHERE rollup = 'sales'::regclass;
SELECT pg_temp.differences('sales', 'mended');
ALTER TABLE products SET UNLOGGED;
SELECT problem FROM rollup_list() WHERE rollup = 'sales'::regclass;
ALTER TABLE products SET LOGGED;

-- A row that comes is not logged where a foreign key says that no fact is older.
CREATE TABLE keyed (id int, customer int REFERENCES customers, amount int);
SELECT rollup_create('by_key', $$SELECT c.region, sum(k.amount) FROM keyed k JOIN customers c ON k.customer = c.id GROUP BY 1$$);
SELECT rollup_refresh('by_key');
INSERT INTO customers VALUES (900, 'key');
INSERT INTO keyed VALUES (1, 900, 5);
SELECT count(*) FROM by_key_joined;
UPDATE customers SET region = 'changed' WHERE id = 900;
SELECT count(*) FROM by_key_joined;
SELECT pg_temp.differences('by_key', 'with a foreign key');
WITH both_come AS (INSERT INTO customers VALUES (904, 'key') RETURNING id) INSERT INTO keyed SELECT 1, id, 5 FROM both_come;
SELECT pg_temp.differences('by_key', 'in one statement');
ALTER TABLE keyed DROP CONSTRAINT keyed_customer_fkey;
INSERT INTO keyed VALUES (1, 901, 5);
INSERT INTO customers VALUES (901, 'late');
SELECT count(*) FROM by_key_joined;
SELECT pg_temp.differences('by_key', 'without');
SELECT * FROM by_key ORDER BY 1;
SELECT rollup_drop('by_key');
-- Nor does it say so of children, and of rows that are written where it is not checked.
CREATE TABLE parent (customer int REFERENCES customers);
CREATE TABLE child () INHERITS (parent);
SELECT rollup_create('of_child', $$SELECT c.region, count(*) FROM parent p LEFT JOIN customers c ON p.customer = c.id GROUP BY 1$$);
SELECT rollup_refresh('of_child');
INSERT INTO child VALUES (902);
INSERT INTO customers VALUES (902, 'late');
SELECT pg_temp.differences('of_child', 'children');
DROP TABLE child;
SELECT rollup_repair('of_child');
DO $$
DECLARE name text; event text;
BEGIN
    FOREACH name IN ARRAY '{parent,customers}'::text[] LOOP FOREACH event IN ARRAY '{insert,update,delete,truncate}'::text[] LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER of_child_%s', name, event);
    END LOOP; END LOOP;
END $$;
SET session_replication_role = replica;
INSERT INTO parent VALUES (903);
INSERT INTO customers VALUES (903, 'late');
RESET session_replication_role;
SELECT pg_temp.differences('of_child', 'not checked');
SELECT rollup_drop('of_child');
-- Behind a table whose condition names a third one.
CREATE TABLE bosses (id int PRIMARY KEY, rank int);
CREATE TABLE teams (id int PRIMARY KEY, level int, town int);
CREATE TABLE towns (id int PRIMARY KEY, name text);
CREATE TABLE works (boss int, team int);
SELECT rollup_create('by_town', $$SELECT o.name, count(*) FROM works w JOIN bosses b ON b.id = w.boss LEFT JOIN teams t ON t.id = w.team AND t.level > b.rank
    LEFT JOIN towns o ON o.id = t.town GROUP BY 1$$);
INSERT INTO bosses VALUES (1, 1);
INSERT INTO teams VALUES (1, 2, 1);
INSERT INTO works VALUES (1, 1);
SELECT rollup_refresh('by_town');
INSERT INTO towns VALUES (1, 'Ghent');
SELECT pg_temp.differences('by_town', 'behind');
SELECT rollup_drop('by_town');

-- What is renamed, is followed.
ALTER TABLE customers RENAME TO clients;
ALTER TABLE clients RENAME region TO area;
UPDATE clients SET area = 'renamed' WHERE id > 50;
INSERT INTO orders VALUES (5000, '2026-05-05', 60, 1, 1, 1, 100);
SELECT pg_temp.differences('sales', 'renamed');
SELECT rollup_repair('sales');
SELECT pg_temp.differences('sales', 'renamed, mended');
ALTER TABLE clients RENAME area TO region;
ALTER TABLE clients RENAME TO customers;

-- Averages and HAVING over a star, from a subquery; a table of the same name in another schema; no group of facts alone.
CREATE SCHEMA star2;
CREATE TABLE star2.customers (id int UNIQUE, rating int);
INSERT INTO star2.customers SELECT i, i % 3 FROM generate_series(1, 120) AS i;
SELECT rollup_create('ratings', $$SELECT x.rating, round(avg(x.amount), 2) AS mean FROM
    (SELECT o.amount, b.rating FROM star.customers, orders o, star2.customers b WHERE customers.id = o.customer AND b.id = customers.id) AS x
    GROUP BY 1 HAVING count(*) > 2$$);
SELECT rollup_refresh('ratings') > 0 AS stored;
UPDATE star2.customers SET rating = 7 WHERE id < 30;
SELECT r.mean = q.mean AS same, r.rating FROM ratings AS r FULL JOIN (SELECT b.rating, round(avg(o.amount), 2) AS mean
    FROM orders o JOIN customers c ON c.id = o.customer JOIN star2.customers b ON b.id = c.id GROUP BY 1) AS q USING (rating) ORDER BY 2;

-- Refused.
CREATE TABLE visits (at timestamptz, customer int, region text);
CREATE TABLE regions (code text, name text, kind int, UNIQUE (name, kind));
CREATE TABLE later (id int UNIQUE DEFERRABLE, name text);
CREATE TABLE partly (id int, name text);
CREATE UNIQUE INDEX ON partly (id) WHERE name > 'a';
CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE VIEW viewed AS SELECT * FROM customers;
CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY, x int);
CREATE TEMP TABLE passing (id int PRIMARY KEY, x int);
CREATE TABLE secrets (id int PRIMARY KEY, x int);
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE secrets FORCE ROW LEVEL SECURITY;
SELECT pg_temp.error_of(format('SELECT rollup_create(''no'', %L)', 'SELECT count(*), ' || query)) AS refused FROM unnest(ARRAY[
    'r.name FROM orders o JOIN regions r ON r.code = o.id::text GROUP BY 2',
    'r.name FROM orders o JOIN regions r ON r.name = o.id::text GROUP BY 2',
    'v.region FROM orders o JOIN visits v ON v.customer = o.customer GROUP BY 2',
    'c.region FROM orders o JOIN customers c ON c.id < o.customer GROUP BY 2',
    'c.region FROM orders o, customers c GROUP BY 2',
    'l.name FROM orders o JOIN later l ON l.id = o.customer GROUP BY 2',
    'l.name FROM orders o JOIN partly l ON l.id = o.customer GROUP BY 2',
    'c.region FROM orders o FULL JOIN customers c ON c.id = o.customer GROUP BY 2',
    'c.region FROM orders o RIGHT JOIN customers c ON c.id = o.customer GROUP BY 2',
    'c.region FROM customers c LEFT JOIN orders o ON c.id = o.customer GROUP BY 2',
    'b.amount FROM orders o JOIN orders b ON b.id = o.customer GROUP BY 2',
    'p.id FROM orders o JOIN parted p ON p.id = o.customer GROUP BY 2',
    'v.region FROM orders o JOIN viewed v ON v.id = o.customer GROUP BY 2',
    'v.region FROM orders o JOIN (SELECT * FROM customers) v ON v.id = o.customer GROUP BY 2',
    'v.region FROM orders o LEFT JOIN (customers v JOIN regions r ON r.name = v.region AND r.kind = 1) ON v.id = o.customer GROUP BY 2',
    'g FROM orders o JOIN generate_series(1, 3) AS g ON g = o.customer GROUP BY 2',
    'u.x FROM orders o JOIN unlogged u ON u.id = o.customer GROUP BY 2',
    'u.x FROM orders o JOIN passing u ON u.id = o.customer GROUP BY 2',
    'o.at FROM orders o JOIN customers c ON c.id = o.customer AND o.at > now() GROUP BY 2',
    'c.region FROM orders o JOIN customers c ON c.id = o.customer WHERE EXISTS (SELECT) GROUP BY 2']) AS query;
SELECT pg_temp.error_of($$SELECT rollup_create('no', 'SELECT count(*), c.region FROM orders o JOIN customers c ON c.id = o.customer GROUP BY 2', each_row => true)$$);
SELECT pg_temp.error_of($$SELECT rollup_alter('sales', 'SELECT count(*), c.region FROM orders o JOIN customers c ON c.id = o.customer GROUP BY 2')$$);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT pg_temp.error_of($$SELECT rollup_create('no', 'SELECT count(*), c.region FROM orders o JOIN customers c ON c.id = o.customer GROUP BY 2')$$);
SELECT pg_temp.error_of($$SELECT rollup_repair('sales')$$);
COMMIT;
CREATE ROLE star_reader;
GRANT USAGE ON SCHEMA star TO star_reader;
GRANT SELECT ON sales TO star_reader;
SET ROLE star_reader;
-- Who may read the view alone sees it right, and nothing of what it is made of.
SELECT sum(orders) FROM sales;
SELECT pg_temp.error_of('SELECT * FROM _rollup_touched(''sales_state'', gen_random_uuid()) AS t (hour timestamp)');
RESET ROLE;
SELECT pg_temp.error_of('SELECT * FROM _rollup_touched(''customers'', NULL) AS t (hour timestamp)');

-- Of tables of which the owner may not see all rows or columns, nothing is read by a writer, and no function of others is called.
CREATE ROLE star_owner;
GRANT USAGE, CREATE ON SCHEMA star TO star_owner;
CREATE TABLE shops (id int PRIMARY KEY, town text);
CREATE TABLE sold (shop int, pieces int);
ALTER TABLE sold OWNER TO star_owner;
GRANT SELECT, TRIGGER ON shops TO star_owner;
INSERT INTO shops VALUES (1, 'Lille'), (2, 'Metz');
CREATE FUNCTION shown() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called as %', current_user; END $$;
SET ROLE star_owner;
SELECT rollup_create('by_shop', 'SELECT s.town, sum(pieces) FROM sold JOIN shops s ON s.id = shop GROUP BY 1');
SELECT rollup_refresh('by_shop');
RESET ROLE;
INSERT INTO sold VALUES (1, 1);
ALTER TABLE shops ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_some ON shops USING (shown());
INSERT INTO sold VALUES (1, 10);
SELECT problem FROM rollup_list() WHERE rollup = 'by_shop'::regclass;
ALTER TABLE shops DISABLE ROW LEVEL SECURITY;
REVOKE SELECT ON shops FROM star_owner;
GRANT SELECT (id) ON shops TO star_owner;
INSERT INTO sold VALUES (2, 100);
SELECT problem FROM rollup_list() WHERE rollup = 'by_shop'::regclass;
SELECT pg_temp.error_of('SELECT * FROM by_shop');
GRANT SELECT (id, town) ON shops TO star_owner;
SELECT problem FROM rollup_list() WHERE rollup = 'by_shop'::regclass;
SELECT mark, count(*) FROM by_shop_log GROUP BY 1 ORDER BY 1;
SELECT * FROM by_shop ORDER BY 1;

-- He drops what he made on a table of others.
SET ROLE star_owner;
SELECT rollup_drop('by_shop');
SELECT rollup_create('by_shop', 'SELECT s.town, sum(pieces) FROM sold JOIN shops s ON s.id = shop GROUP BY 1');
RESET ROLE;
-- Who owns a table that is joined may make triggers there.
DROP TRIGGER by_shop_update ON shops;
DROP TRIGGER by_shop_insert ON shops;
DROP TRIGGER by_shop_delete ON shops;
CREATE TRIGGER of_rows AFTER UPDATE ON shops FOR EACH ROW WHEN ('by_shop_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write();
SELECT pg_temp.error_of('UPDATE shops SET town = ''Nice''');
DROP TRIGGER of_rows ON shops;
DROP TRIGGER by_shop_truncate ON shops;
SELECT problem FROM rollup_status('by_shop');
CREATE TRIGGER of_rows AFTER INSERT OR UPDATE OR DELETE ON shops FOR EACH ROW WHEN ('by_shop_state'::regclass IS NOT NULL) EXECUTE FUNCTION _rollup_write();
SELECT pg_temp.error_of('UPDATE shops SET town = ''Nice''');
SET ROLE star_owner;
SELECT rollup_repair('by_shop');
SELECT rollup_drop('by_shop');
SELECT tgname FROM pg_trigger WHERE tgrelid = 'shops'::regclass AND NOT tgisinternal;
SELECT rollup_create('by_shop', 'SELECT s.town, sum(pieces) FROM sold JOIN shops s ON s.id = shop GROUP BY 1');
RESET ROLE;

-- Its owner may replace and drop parts: who writes gets errors, or nothing.
CREATE TABLE wide (a text, b text, c text, d text, e text, f text, g text, town text, pieces int);
ALTER TABLE wide OWNER TO star_owner;
ALTER TABLE shops OWNER TO star_owner;
CREATE FUNCTION pg_temp.after(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN NEXT statement;
    RETURN QUERY SELECT '    ' || pg_temp.error_of(s) FROM unnest(ARRAY['INSERT INTO sold VALUES (1, 1)', 'DELETE FROM sold', 'UPDATE shops SET id = -id',
        'INSERT INTO shops VALUES (0, ''Lyon'')', 'SELECT rollup_refresh(''by_shop'')', 'SELECT rollup_repair(''by_shop'')']) AS s;
    RETURN QUERY SELECT '    ' || problem FROM rollup_list() WHERE problem ~ 'by_shop';
    DELETE FROM shops WHERE id = 0;
EXCEPTION WHEN OTHERS THEN
    RETURN NEXT statement || ': ' || sqlerrm;
END $$;
SELECT pg_temp.after('CREATE OR REPLACE VIEW by_shop_' || part) FROM unnest(ARRAY[
    'query AS SELECT s.town, sum(pieces) FROM sold JOIN shops s ON true GROUP BY 1',
    'query AS SELECT s.town, sum(pieces) FROM sold LEFT JOIN shops s ON s.id < 5 GROUP BY 1',
    'query AS SELECT s.town, sum(s.id) FROM shops s JOIN sold ON s.id = shop GROUP BY 1',
    'query AS SELECT ''x'' AS town, sum(pieces) FROM sold',
    'query AS SELECT town, sum(id) FROM shops GROUP BY 1',
    'query AS SELECT town, sum(pieces) FROM wide GROUP BY 1',
    'query AS SELECT s.town, sum(pieces) FROM sold JOIN shops s ON s.id = shop GROUP BY 1',
    'written AS SELECT 0::int2 AS mark, ''1''::xid8 AS rollup_seen, town, sum(pieces) AS sum FROM wide GROUP BY 3',
    'written AS SELECT 0::int2 AS mark, ''1''::xid8 AS rollup_seen, ''x'' AS town, 1::int8 AS sum']) AS part;
SELECT pg_temp.after('DROP VIEW by_shop_written CASCADE');
SELECT pg_temp.after('DROP VIEW by_shop_touched CASCADE');
SELECT pg_temp.after('DROP TABLE by_shop_joined CASCADE');
SELECT rollup_drop('by_shop');
SELECT relname FROM pg_class WHERE relnamespace = 'star'::regnamespace AND relname LIKE 'by_shop%';
SELECT rollup_create('by_shop', 'SELECT s.town, sum(pieces) FROM sold JOIN shops s ON s.id = shop GROUP BY 1');
SELECT pg_temp.after('DROP TABLE by_shop_joined CASCADE');
SELECT rollup_drop('by_shop');
SELECT relname FROM pg_class WHERE relnamespace = 'star'::regnamespace AND relname LIKE 'by_shop%';

-- A join, and a condition on what is joined, keep facts from groups that fail of them: writers, readers and refreshes compute
-- none of these.
CREATE TABLE attributes (id int PRIMARY KEY, kind text);
CREATE TABLE attributed (at date NOT NULL, attribute int, val text);
INSERT INTO attributes VALUES (1, 'number'), (2, 'text');
SELECT rollup_create('numbers', $$SELECT f.at, f.val::int AS v, count(*) AS n FROM attributed f JOIN attributes a ON a.id = f.attribute
    WHERE a.kind = 'number' GROUP BY 1, 2$$);
SELECT rollup_create('shares', 'SELECT f.at, 100 / f.attribute AS share, count(*) AS n FROM attributed f JOIN attributes a ON a.id = f.attribute GROUP BY 1, 2');
INSERT INTO attributed VALUES ('2026-01-01', 1, '5'), ('2026-01-01', 2, 'abc'), ('2026-01-02', 0, 'x');
SELECT rollup_refresh('numbers'), rollup_refresh('shares');
INSERT INTO attributed VALUES ('2026-01-01', 2, 'xyz'), ('2026-01-01', 1, '7');
DELETE FROM attributed WHERE val = 'abc';
UPDATE attributes SET kind = 'words' WHERE id = 2;
DELETE FROM attributed WHERE val = '5';
SELECT * FROM numbers UNION ALL SELECT * FROM shares ORDER BY 1, 2;
SELECT rollup_refresh('numbers'), rollup_refresh('shares');
UPDATE attributed SET val = '8' WHERE val = '7';
UPDATE attributes SET kind = 'other' WHERE id = 1;
SELECT count(*) FROM numbers;
UPDATE attributes SET kind = 'number' WHERE id = 1;
SELECT rollup_repair('numbers'), rollup_refresh('numbers'), rollup_refresh('shares');
SELECT * FROM numbers UNION ALL SELECT * FROM shares ORDER BY 1, 2;
SELECT (SELECT count(*) FROM rollup_check('numbers')), (SELECT count(*) FROM rollup_check('shares'));
SELECT rollup_drop('numbers'), rollup_drop('shares');

-- A trigger may keep a fact of which the foreign key would delete the row, or change it: what comes is logged then.
CREATE TABLE kept_by (id int PRIMARY KEY, name text);
CREATE TABLE keeps (at date NOT NULL, k int REFERENCES kept_by ON DELETE CASCADE);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER keep BEFORE DELETE ON keeps FOR EACH ROW EXECUTE FUNCTION keep();
SELECT rollup_create('of_keeps', 'SELECT f.at, d.name, count(*) AS n FROM keeps f LEFT JOIN kept_by d ON d.id = f.k GROUP BY 1, 2');
INSERT INTO kept_by VALUES (1, 'first');
INSERT INTO keeps VALUES ('2026-01-01', 1);
DELETE FROM kept_by;
SELECT rollup_refresh('of_keeps');
INSERT INTO kept_by VALUES (1, 'again');
SELECT name, n FROM of_keeps;
SELECT rollup_refresh('of_keeps');
-- Without one, nothing is logged of what comes.
DROP TRIGGER keep ON keeps;
INSERT INTO kept_by VALUES (2, 'second');
SELECT count(*) FROM of_keeps_joined;
SELECT rollup_drop('of_keeps');

-- A rule keeps rows that a key deletes, and so there are orphans.
CREATE TABLE ruled_by (id int PRIMARY KEY, name text);
CREATE TABLE ruled (at date NOT NULL, kept int REFERENCES ruled_by ON DELETE CASCADE, locked bool);
CREATE RULE keep AS ON DELETE TO ruled WHERE old.locked DO INSTEAD NOTHING;
SELECT rollup_create('of_ruled', 'SELECT f.at, k.name, count(*) AS n FROM ruled f LEFT JOIN ruled_by k ON k.id = f.kept GROUP BY 1, 2');
INSERT INTO ruled_by VALUES (1, 'first'), (2, 'second');
INSERT INTO ruled VALUES ('2026-01-01', 1, true), ('2026-01-01', 2, false);
DELETE FROM ruled_by;
SELECT rollup_refresh('of_ruled');
INSERT INTO ruled_by VALUES (1, 'again');
TABLE of_ruled;
SELECT rollup_drop('of_ruled');
DROP TABLE ruled, ruled_by;

-- A LEFT JOIN with conditions on facts alone.
CREATE TABLE codes (code int PRIMARY KEY, name text, ok bool);
CREATE TABLE coded (at date NOT NULL, code int, x int);
SELECT rollup_create('of_codes', 'SELECT f.at, d.name, count(*) AS n FROM coded f LEFT JOIN codes d ON d.code = f.code AND f.x > 1 AND d.ok GROUP BY 1, 2');
INSERT INTO codes VALUES (1, 'one', true), (2, 'two', false);
INSERT INTO coded SELECT '2026-01-01', 1 + i % 2, i % 4 FROM generate_series(1, 8) AS i;
SELECT name, n FROM of_codes ORDER BY 1;
SELECT rollup_refresh('of_codes');
UPDATE codes SET name = name || '!', ok = true;
UPDATE coded SET x = 1 WHERE x = 3;
SELECT name, n FROM of_codes ORDER BY 1;
SELECT rollup_refresh('of_codes'), (SELECT count(*) FROM rollup_check('of_codes'));
SELECT rollup_drop('of_codes');

SELECT rollup_drop('ratings');
SELECT rollup_drop('sales');
SELECT relname FROM pg_class WHERE relnamespace = 'star'::regnamespace AND relname LIKE 'sales%';
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'customers'::regclass AND NOT tgisinternal;
REVOKE USAGE ON SCHEMA star FROM star_reader;
-- A row and the fact that refers to it, by one statement: whether foreign keys are checked before or after the trigger of the statement.
CREATE TABLE dimension (id int PRIMARY KEY, country text);
CREATE TABLE in_facts (at date NOT NULL, cid int REFERENCES dimension, n int);
SELECT rollup_create('of_keyed', 'SELECT at, country, sum(n) AS n, count(*) AS k FROM in_facts LEFT JOIN dimension ON dimension.id = cid GROUP BY 1, 2'), rollup_create('in_keyed', 'SELECT at, country, count(*) AS k FROM in_facts JOIN dimension ON dimension.id = cid GROUP BY 1, 2');
SELECT rollup_refresh('of_keyed'), rollup_refresh('in_keyed');
WITH x AS (INSERT INTO dimension VALUES (2, 'FR'), (3, 'DE') RETURNING id) INSERT INTO in_facts SELECT '2026-01-01', id, 1 FROM x;
SELECT of.at, country, n, of.k, i.k AS inner_k FROM of_keyed AS of LEFT JOIN in_keyed AS i USING (country) ORDER BY 2;
SELECT rollup_refresh('of_keyed'), rollup_refresh('in_keyed');
SELECT of.at, country, n, of.k, i.k AS inner_k FROM of_keyed AS of LEFT JOIN in_keyed AS i USING (country) ORDER BY 2;
SELECT (SELECT count(*) FROM rollup_check('of_keyed')), (SELECT count(*) FROM rollup_check('in_keyed'));

SET client_min_messages = error;
DROP SCHEMA star CASCADE;
DROP SCHEMA star2 CASCADE;
DROP ROLE star_reader;
DROP ROLE star_owner;
