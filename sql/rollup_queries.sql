-- Queries as people write them: what is kept of them, and what the view shows of that.
\i sql/include/error_of.sql
\i sql/include/plan_has.sql
SET client_min_messages = warning;
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE SCHEMA asked;
SET search_path = asked, public;

CREATE TABLE sales (at timestamptz NOT NULL, shop varchar(20), code text COLLATE "C", amount numeric(10, 2), pieces int, weight float8, rating float4, waited interval, user_id int NOT NULL, paid bool);
CREATE FUNCTION sell(seed int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO sales SELECT '2026-03-28 20:00+00'::timestamptz + i * interval '17 minutes', nullif('shop ' || i % 4, 'shop 0'), 'c' || i % 2, nullif(i % 13, 5) * 1.10, i % 7, nullif(i % 11, 3) / 3.0, i % 5, i % 40 * interval '7 minutes', i % 90, i % 3 = 0
    FROM generate_series(seed, seed + 199) AS i;
    UPDATE sales SET amount = amount + 1, at = at + interval '1 hour' WHERE user_id % 7 = seed % 7;
    DELETE FROM sales WHERE user_id % 11 = seed % 11 $$;
SELECT sell(0);

-- How many rows differ, as text, between a rollup and its query as it is written; and columns, by number, name, type and collation.
CREATE FUNCTION pg_temp.differ(rollup text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    rows bigint;
    columns bigint;
BEGIN
    EXECUTE format('CREATE VIEW own AS %s', query);
    EXECUTE format('SELECT count(*) FROM (SELECT r::text FROM %1$s AS r EXCEPT ALL SELECT o::text FROM own AS o) AS a', rollup) INTO rows;
    SELECT count(*) INTO columns FROM ((SELECT attnum, attname, atttypid, atttypmod, attcollation FROM pg_attribute WHERE attrelid = rollup::regclass)
        EXCEPT (SELECT attnum, attname, atttypid, atttypmod, attcollation FROM pg_attribute WHERE attrelid = 'own'::regclass)) AS a;
    EXECUTE format('SELECT $1 + abs(count(*) - (SELECT count(*) FROM own)) FROM %s', rollup) INTO rows USING rows;
    DROP VIEW own;
    RETURN format('%s rows, %s columns', rows, columns);
END $$;

-- ---- parts -------------------------------------------------------------------------------------------------------------------

SELECT $$SELECT date_trunc('day', at, 'Europe/Berlin') AS day, shop, count(*) AS sales, round(avg(amount), 2) AS mean, avg(pieces) AS pieces, stddev(amount) AS spread, var_pop(pieces) AS "Varianz",
    avg(waited) AS waited, hll_cardinality(hll_agg(user_id)) AS users, sum(amount) / nullif(count(*), 0) AS rate, max(code) AS code, upper(shop) || ':' || count(*) AS label,
    count(*) FILTER (WHERE paid) * 100 / count(*) AS "paid %", avg(amount) FILTER (WHERE paid) AS paid, now() - max(at) < interval '10000 years' AS recent, sum(pieces)::numeric(12, 3) AS exactly, 'eur'::text AS unit
    FROM sales WHERE amount IS DISTINCT FROM 0 GROUP BY 1, 2 HAVING count(*) > 3 AND avg(amount) < 1000$$ AS query \gset
SELECT rollup_create('daily', :'query');
SELECT pg_temp.differ('daily', :'query');
SELECT (regexp_matches(rollup_script('made', :'query'), 'CREATE VIEW asked\.made(?:_query)? AS[^;]*;', 'g'))[1];
SELECT relation, string_agg(attname, ', ' ORDER BY attnum) AS columns FROM unnest(ARRAY['daily_parts', 'daily_rows', 'daily_log']) AS relation
    JOIN pg_attribute ON attrelid = relation::regclass AND attnum > 0 GROUP BY 1 ORDER BY 1;
SELECT rollup_refresh('daily') > 0 AS refreshed;
SELECT sell(1000), pg_temp.differ('daily', :'query');
SELECT pg_temp.differ('daily', :'query');
SELECT rollup_refresh('daily') > 0 AS refreshed;
SELECT pg_temp.differ('daily', :'query'), (SELECT count(*) FROM rollup_check('daily')) AS checked, problem FROM rollup_status('daily');
SELECT period, problem FROM rollup_list() WHERE rollup = 'daily'::regclass;
-- The parts merge further: users of all days, not their sum.
SELECT hll_cardinality(hll_union_agg(users_hll)) = (SELECT hll_cardinality(hll_agg(user_id)) FROM sales WHERE amount IS DISTINCT FROM 0) AS users,
    sum(mean_sum) / sum(mean_count) = (SELECT avg(amount) FROM sales WHERE amount IS DISTINCT FROM 0) AS mean FROM daily_parts;
-- A condition on groups reaches the stored rows through both views.
SET enable_seqscan = off;
SELECT pg_temp.plan_has($$SELECT mean FROM daily WHERE day = '2026-03-28 23:00+00'$$, 'Index.*daily_rows') AS by_index;
RESET enable_seqscan;

-- Whoever may read the view needs no right on the parts; those can be granted.
CREATE ROLE sketches_reads;
GRANT USAGE ON SCHEMA asked TO sketches_reads;
GRANT SELECT ON daily TO sketches_reads;
SET ROLE sketches_reads;
SELECT count(*) > 0 AS reads, pg_temp.sqlstate_of('SELECT FROM daily_parts') AS parts, pg_temp.sqlstate_of($$SELECT rollup_status('daily')$$) AS status FROM daily;
RESET ROLE;
GRANT SELECT ON daily_parts TO sketches_reads;
SET ROLE sketches_reads;
SELECT count(*) > 0 AS reads FROM daily_parts;
RESET ROLE;

-- Renamed, repaired, told of what is wrong, dropped.
ALTER VIEW daily RENAME COLUMN mean TO average;
ALTER VIEW daily_parts RENAME COLUMN mean_sum TO total;
ALTER TABLE sales RENAME amount TO euros;
ALTER VIEW daily_parts RENAME TO "daily's parts";
SELECT rollup_repair('daily');
SELECT uncomputed, problem FROM rollup_status('daily');
SELECT rollup_refresh('daily') > 0 AS refreshed, (SELECT count(*) FROM rollup_check('daily')) AS checked;
ALTER VIEW daily RENAME COLUMN average TO mean;
ALTER TABLE sales RENAME euros TO amount;
SELECT pg_temp.differ('daily', :'query');
ALTER VIEW "daily's parts" OWNER TO sketches_reads;
SELECT pg_temp.by_someone(problem) AS problem FROM rollup_status('daily');
ALTER VIEW "daily's parts" OWNER TO CURRENT_USER;
SELECT pg_temp.sqlstate_of('DROP VIEW daily'), pg_temp.sqlstate_of($$DROP VIEW "daily's parts"$$);
SELECT rollup_drop('daily');
SELECT relname FROM pg_class WHERE relname ~ '^daily';

-- Deviations of floating point, by PostgreSQL's own state: how many, their sum, squares of distances. It has had this form since 12.
SELECT float8_combine(float8_accum(float8_accum('{0,0,0}', 2), 4), '{1,9,0}') AS state;
SELECT $$SELECT shop, stddev(weight) AS w1, stddev_pop(weight) AS w2, var_samp(weight) AS w3, variance(rating) AS r1, avg(weight) AS w4, avg(rating) AS r2, stddev(weight) FILTER (WHERE false) AS none FROM sales GROUP BY shop$$ AS query \gset
SELECT rollup_create('floats', :'query');
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'floats_parts'::regclass AND attnum > 0 ORDER BY attnum;
SELECT rollup_refresh('floats') > 0 AS refreshed, sell(2000);
SELECT bool_and(abs(r.w1 - o.w1) + abs(r.w2 - o.w2) + abs(r.w3 - o.w3) + abs(r.r1 - o.r1) + abs(r.w4 - o.w4) + abs(r.r2 - o.r2) < 1e-9 AND r.none IS NULL) AS equal, count(*)
    FROM floats AS r JOIN (SELECT shop, stddev(weight) AS w1, stddev_pop(weight) AS w2, var_samp(weight) AS w3, variance(rating) AS r1, avg(weight) AS w4, avg(rating) AS r2 FROM sales GROUP BY 1) AS o ON ARRAY[r.shop] = ARRAY[o.shop];
SELECT rollup_drop('floats');

-- Of a domain; of a conversion of one's own.
CREATE DOMAIN cents AS int CHECK (VALUE >= 0);
CREATE TABLE paid (g int, c cents, m money);
INSERT INTO paid SELECT i % 3, i * 7 % 11, i::money / 7 FROM generate_series(1, 40) AS i;
SELECT 'SELECT g, avg(c) AS a, stddev(c) AS s, var_pop(c) AS v, sum(m) / count(*) AS m, (max(c) - 1)::cents AS c FROM paid GROUP BY g' AS query \gset
SELECT rollup_create('domains', :'query');
INSERT INTO paid SELECT g, 3, m FROM paid;
SELECT pg_temp.differ('domains', :'query');
SELECT rollup_refresh('domains'), pg_temp.differ('domains', :'query');
SELECT rollup_drop('domains');

-- Digits at the edges: one value, equal ones, none, NaN, infinity, large and small.
CREATE TABLE edges (g int NOT NULL, n numeric, i int);
INSERT INTO edges VALUES (1, 1.50, 1), (2, 2.5, 2), (2, 2.50, 2), (3, NULL, NULL), (4, 'NaN', 0), (4, 1, 1), (5, 'Infinity', 2147483647), (5, 1, -2147483648), (6, 1e-20, 5), (6, 3e20, 7),
    (7, 99999999999999999999.5, 1), (7, 1, 2), (8, 1000000, 3), (8, 1000001, 4), (8, 1000003, 6);
SELECT 'SELECT g, avg(n) AS a, stddev(n) AS s, stddev_pop(n) AS p, variance(n) AS v, var_pop(n) AS w, avg(i) AS ai, stddev(i) AS si, var_pop(i) AS wi, avg(i::smallint % 5::smallint) AS a2 FROM edges WHERE g <> 5 GROUP BY g' AS query \gset
SELECT rollup_create('digits', :'query');
SELECT pg_temp.differ('digits', :'query');
SELECT rollup_refresh('digits');
INSERT INTO edges SELECT g, n / 3, i FROM edges WHERE g <> 5;
SELECT pg_temp.differ('digits', :'query');
SELECT rollup_refresh('digits');
SELECT pg_temp.differ('digits', :'query');
SELECT rollup_drop('digits');

-- ---- names -------------------------------------------------------------------------------------------------------------------

-- An aggregate that is a column is its own part, wherever it stands; names that are taken get a number; long ones are cut.
CREATE FUNCTION pg_temp.parts(query text, merge jsonb = '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
    PERFORM rollup_create('named', query, merge);
    SELECT string_agg(attname, ', ' ORDER BY attnum) INTO found FROM pg_attribute
        WHERE attrelid = coalesce(to_regclass('named_parts'), 'named'::regclass) AND attnum > 0;
    found := CASE WHEN to_regclass('named_parts') IS NULL THEN 'plain: ' ELSE '' END || found;
    PERFORM rollup_drop('named');
    RETURN found;
END $$;
SELECT pg_temp.parts(query) FROM (VALUES
    ('SELECT shop, avg(amount) AS mean, sum(amount) AS total, count(*) FROM sales GROUP BY shop'),
    ('SELECT shop, avg(amount), avg(pieces) AS avg_sum FROM sales GROUP BY shop'),
    ('SELECT shop, sum(pieces) / sum(user_id) AS rate, sum(user_id) * 2 AS "Double" FROM sales GROUP BY shop'),
    ('SELECT shop, count(*) / 2, max(shop) FROM sales GROUP BY shop'),
    ('SELECT shop FROM sales GROUP BY shop HAVING count(*) > 2 AND sum(pieces) > 1'),
    ('SELECT shop, count(*) AS n FROM sales GROUP BY shop HAVING count(*) > 2'),
    ('SELECT shop, avg(pieces) AS ' || repeat('x', 61) || ' FROM sales GROUP BY shop'),
    ('SELECT shop, tdigest_percentile(tdigest_agg(weight), 0.5) AS median, roaring_cardinality(roaring_agg(user_id)) AS users FROM sales GROUP BY shop'),
    ('SELECT shop, count(*) AS a, count(*) AS b FROM sales GROUP BY shop'),
    ('SELECT shop, shop AS twice, count(*) AS n FROM sales GROUP BY shop')) AS q (query);
-- merge names a part, or a column that is one.
CREATE FUNCTION last_two(int[], int) RETURNS int[] LANGUAGE sql IMMUTABLE AS 'SELECT (ARRAY[$2] || $1)[1:2]';
CREATE FUNCTION last_of(int[], int[]) RETURNS int[] LANGUAGE sql IMMUTABLE AS 'SELECT ($2 || $1)[1:2]';
CREATE AGGREGATE last_two(int) (SFUNC = last_two, STYPE = int[], INITCOND = '{}');
CREATE AGGREGATE last_of(int[]) (SFUNC = last_of, STYPE = int[], INITCOND = '{}');
SELECT pg_temp.parts('SELECT shop, (last_two(user_id))[1] AS one FROM sales GROUP BY shop', '{"one_last_two": "asked.last_of"}');
SELECT pg_temp.error_of($$SELECT rollup_create('named', 'SELECT shop, (last_two(user_id))[1] AS one FROM sales GROUP BY shop', '{"one": "asked.last_of"}')$$);

-- ---- subqueries and WITH -----------------------------------------------------------------------------------------------------

SELECT query, pg_temp.parts(query) FROM (VALUES
    ('SELECT shop, count(*) AS n FROM (SELECT * FROM sales WHERE paid) AS e GROUP BY shop'),
    ('SELECT s, sum(twice) AS n FROM (SELECT upper(shop), pieces * 2 FROM sales WHERE paid) AS e (s, twice) WHERE twice > 2 GROUP BY 1'),
    ('WITH e AS (SELECT shop AS s, amount FROM sales WHERE paid), f AS MATERIALIZED (SELECT s, amount * 2 AS a FROM e WHERE amount > 1) SELECT s, sum(a) AS a FROM f GROUP BY s'),
    ('WITH e AS (SELECT shop AS s, at FROM sales) SELECT s, max(at) FROM (SELECT * FROM (WITH g AS (SELECT * FROM e WHERE s <> ''x'') TABLE g) AS h WHERE at > ''2026-01-01Z'') AS i GROUP BY s'),
    ('SELECT kind, count(*) AS n FROM (SELECT 1 AS kind, shop FROM sales) AS e GROUP BY kind')) AS q (query);
SELECT 'WITH e AS (SELECT lower(shop) AS s, amount, at AT TIME ZONE ''UTC'' AS t FROM sales WHERE paid) SELECT t::date AS day, s, avg(a) AS a FROM (SELECT t, s, amount * 2 AS a FROM e) AS f WHERE a > 3 GROUP BY 1, 2' AS query \gset
SELECT rollup_create('lower', :'query');
SELECT sell(3000), pg_temp.differ('lower', :'query');
SELECT (regexp_matches(rollup_script('made', :'query'), 'CREATE VIEW asked\.made_query AS[^;]*;'))[1];
SELECT rollup_drop('lower');
CREATE FUNCTION pg_temp.refused(query text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(pg_temp.error_of(format('SELECT rollup_create(''refused'', %L)', query)), ' Its query is SELECT groups, aggregates and what is computed of them FROM a table [JOIN ...] [WHERE ...] GROUP BY groups [HAVING ...].', '') $$;
SELECT pg_temp.refused(query) FROM (VALUES
    ('SELECT shop, count(*) FROM (SELECT DISTINCT shop FROM sales) AS e GROUP BY 1'), ('SELECT shop, count(*) FROM (SELECT shop FROM sales LIMIT 3) AS e GROUP BY 1'),
    ('SELECT shop, count(*) FROM (SELECT shop FROM sales ORDER BY at) AS e GROUP BY 1'), ('SELECT shop, sum(n) FROM (SELECT shop, count(*) AS n FROM sales GROUP BY 1) AS e GROUP BY 1'),
    ('SELECT shop, count(*) FROM (TABLE sales UNION ALL TABLE sales) AS e GROUP BY 1'), ('SELECT shop, count(*) FROM (SELECT shop FROM sales WHERE pieces > (SELECT 1)) AS e GROUP BY 1'),
    ('SELECT shop, count(*) FROM (SELECT shop, unnest(ARRAY[1]) FROM sales) AS e GROUP BY 1'), ('SELECT shop, count(*) FROM (SELECT shop, rank() OVER () FROM sales) AS e GROUP BY 1'),
    ('SELECT shop, count(*) FROM (SELECT shop FROM sales FOR UPDATE) AS e GROUP BY 1'), ('SELECT r, count(*) FROM (SELECT random() AS r FROM sales) AS e GROUP BY 1'),
    ('WITH RECURSIVE e AS (SELECT shop FROM sales UNION ALL SELECT shop FROM e) SELECT shop, count(*) FROM e GROUP BY 1'),
    ('WITH e AS (DELETE FROM sales RETURNING *) SELECT shop, count(*) FROM sales GROUP BY 1'), ('SELECT v, count(*) FROM (VALUES (1)) AS e (v) GROUP BY 1'),
    ('SELECT e.shop, count(*) FROM (SELECT s.shop FROM sales AS s, sales AS t) AS e GROUP BY 1'), ('SELECT shop, count(e) FROM (TABLE sales) AS e GROUP BY 1')) AS q (query);

-- ---- what is above the parts -------------------------------------------------------------------------------------------------

-- Stable functions are the reader's; the text of constants is not.
SET timezone = 'Asia/Kathmandu';
SELECT $$SELECT shop, to_char(max(at), 'YYYY-MM-DD HH24:MI') AS last, max(at)::text AS text, max(at) > '2026-03-29 12:00' AS late, max(at)::date > 'yesterday' AS future, avg(weight) FILTER (WHERE false)::text AS none
    FROM sales GROUP BY shop HAVING max(at) > '2026-03-29 12:00' AND now() IS NOT NULL$$ AS query \gset
SELECT rollup_create('stable', :'query');
SELECT pg_temp.differ('stable', :'query');
SELECT pg_get_viewdef('stable') ~ '2026-03-29 12:00:00\+05:45' AS constant;
SET timezone = 'UTC';
SELECT pg_get_viewdef('stable') ~ '2026-03-29 06:15:00\+00' AS constant;
SELECT rollup_drop('stable');
CREATE TABLE keyed (id int PRIMARY KEY, name text);
CREATE VIEW seen AS TABLE sales;
CREATE MATERIALIZED VIEW kept AS TABLE sales;
SELECT pg_temp.refused(query) FROM (VALUES
    ('SELECT shop, ROW(count(*), avg(pieces)) AS both FROM sales GROUP BY shop'), ('SELECT shop, count(*) FROM sales TABLESAMPLE system (10) GROUP BY shop'), ('SELECT shop, count(*) FROM seen GROUP BY shop'),
    ('SELECT shop, count(*) FROM kept GROUP BY shop'), ('SELECT shop, pieces FROM sales'), ('SELECT avg(pieces) FROM sales GROUP BY ()'), ('SELECT ARRAY[shop] || NULL AS shops, count(*) FROM sales GROUP BY 1'),
    ('SELECT id, name, count(*) FROM keyed GROUP BY id'), ('SELECT id, count(*) FROM keyed GROUP BY id HAVING name > ''a'''), ('SELECT shop, GROUPING(shop), count(*) FROM sales GROUP BY shop'),
    ('SELECT shop, count(*) + random() AS n FROM sales GROUP BY shop'), ('SELECT shop, sum(amount) / (SELECT 2) AS n FROM sales GROUP BY shop'), ('SELECT upper(shop), count(*) FROM sales GROUP BY shop'),
    ('SELECT shop, count(*) * 2, count(*) * 3 FROM sales GROUP BY shop'), ('SELECT shop, avg(n) AS "rollup" FROM (SELECT shop, amount AS n FROM sales) AS e GROUP BY shop')) AS q (query);

-- ---- plain queries make what they made ---------------------------------------------------------------------------------------

SELECT rollup_script('plain', 'SELECT shop, count(*) AS n, sum(amount) AS amount FROM sales GROUP BY shop') ~ '_parts' AS has_parts;
SELECT pg_temp.parts('SELECT shop, count(*) AS n, max(at), hll_agg(user_id) FROM sales GROUP BY shop');

-- ---- partitions, single rows -------------------------------------------------------------------------------------------------

CREATE TABLE clicks (at timestamptz NOT NULL, page text, ms int) PARTITION BY RANGE (at);
CREATE TABLE clicks_1 PARTITION OF clicks FOR VALUES FROM ('2026-03-01 00:00+00') TO ('2026-03-02 00:00+00');
CREATE TABLE clicks_2 PARTITION OF clicks FOR VALUES FROM ('2026-03-02 00:00+00') TO ('2026-03-03 00:00+00');
SELECT 'SELECT (at AT TIME ZONE ''UTC'')::date AS day, page, avg(ms) AS mean, stddev(ms) AS spread FROM clicks GROUP BY 1, 2 HAVING avg(ms) > 3' AS query \gset
SELECT rollup_create('clicked', :'query'), rollup_create('singly', :'query', each_row => true);
INSERT INTO clicks SELECT '2026-03-01 00:00+00'::timestamptz + i * interval '5 minutes', '/' || i % 3, i % 17 FROM generate_series(0, 500) AS i;
SELECT rollup_refresh('clicked'), rollup_refresh('singly');
UPDATE clicks SET ms = ms + 1, at = at - interval '1 day' WHERE at > '2026-03-02 00:00+00' AND ms < 9;
DELETE FROM clicks WHERE ms = 3;
INSERT INTO clicks_2 VALUES ('2026-03-02 01:00+00', NULL, 900);
SELECT pg_temp.differ('clicked', :'query'), pg_temp.differ('singly', :'query');
SELECT rollup_refresh('clicked') > 0, rollup_refresh('singly') > 0;
SELECT pg_temp.differ('clicked', :'query'), pg_temp.differ('singly', :'query'), count(problem) FROM rollup_list();
SELECT rollup_freeze('clicked', '2026-03-02');
SELECT sum(mean) AS before FROM clicked WHERE day < '2026-03-02' \gset
DELETE FROM clicks WHERE at < '2026-03-02 00:00+00';
SELECT sum(mean) = :before AS stays FROM clicked WHERE day < '2026-03-02';
DROP TABLE clicks CASCADE;
SELECT rollup_drop('clicked'), rollup_drop('singly');
SELECT count(*) FROM pg_class WHERE relname ~ '^(clicked|singly)';

-- ---- hints -------------------------------------------------------------------------------------------------------------------

CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE h (at timestamp NOT NULL, tz timestamptz NOT NULL, day date NOT NULL, a text, n int, f float8, m mood, j jsonb, b bytea);
CREATE FUNCTION own_function(int) RETURNS int LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION pg_temp.hint(query text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(pg_temp.refused(query), '(the query of a rollup depends on the time or on settings|Writers and readers must compute the same, whatever their settings\.) ?', '', 'g') $$;
SELECT expression, pg_temp.hint(format('SELECT n, count(*) FROM h WHERE (%s) IS NULL GROUP BY n', expression)) FROM unnest(ARRAY[
    'at > now()', 'tz < CURRENT_TIMESTAMP', 'day = CURRENT_DATE', 'a = CURRENT_USER', 'at > tz', 'day < tz', 'tz > ''2026-01-01''::date', 'tz::date', 'tz::timestamp', 'day::timestamptz', 'at::timestamptz', 'tz + interval ''1 day''',
    'date_trunc(''month'', day)', 'date_trunc(''hour'', tz)', 'date_trunc(''day'', tz, ''EST'')', 'extract(hour FROM tz)', 'age(tz)', 'to_char(at, ''YYYY'')',
    'concat(a, n)', 'format(''%%s'', n)', 'a || ''/'' || n', 'm::text', 'day::text', '(j ->> ''at'')::timestamptz', 'to_date(a, ''YYYY'')', 'f::text', 'b::text', 'n::text::mood', 'own_function(n)', 'random()', 'ARRAY[day]::text']) AS expression;
-- From PostgreSQL 17 on, date_trunc in a zone is immutable.
CREATE FUNCTION pg_temp.in_zone(expression text) RETURNS boolean LANGUAGE sql AS $$
    SELECT CASE provolatile WHEN 'i' THEN hint = 'accepted' ELSE hint ~ '^42P17 : date_trunc.* A zone in date_trunc is for days and longer: .* Write date_bin.* or date_trunc' END
    FROM pg_proc, pg_temp.hint(format('SELECT n, count(*) FROM h WHERE (%s) IS NULL GROUP BY n', expression)) AS hint
    WHERE pg_proc.oid = 'date_trunc(text, timestamptz, text)'::regprocedure $$;
SELECT pg_temp.in_zone('date_trunc(''hour'', tz, ''Europe/Berlin'')');
DO $$ BEGIN IF to_regclass('refused') IS NOT NULL THEN PERFORM rollup_drop('refused'); END IF; END $$;
SELECT pg_temp.in_zone('date_trunc(a, tz, ''UTC'')');
DO $$ BEGIN IF to_regclass('refused') IS NOT NULL THEN PERFORM rollup_drop('refused'); END IF; END $$;
-- Its unit may be a column.
SELECT pg_temp.hint('SELECT date_trunc(a, at) AS x, count(*) FROM h GROUP BY 1');
DO $$ BEGIN IF to_regclass('refused') IS NOT NULL THEN PERFORM rollup_drop('refused'); END IF; END $$;
SELECT aggregate, pg_temp.hint(format('SELECT day, %s AS x FROM h GROUP BY day', aggregate)) FROM unnest(ARRAY[
    'count(DISTINCT n)', 'avg(DISTINCT n)', 'sum(n ORDER BY n)', 'array_agg(n)', 'string_agg(a, '','')', 'json_agg(n)', 'jsonb_agg(n)', 'jsonb_object_agg(a, n)', 'xmlagg(NULL::xml)', 'corr(f, n)', 'regr_slope(f, n)', 'covar_pop(f, n)',
    'percentile_cont(0.5) WITHIN GROUP (ORDER BY f)', 'mode() WITHIN GROUP (ORDER BY n)', 'approx_percentile(f, 0.5)', 'approx_median(f)', 'approx_count_distinct(a)', 'approx_top_k(a, 3)', 'round(array_length(array_agg(n), 1))']) AS aggregate;

SET client_min_messages = error;
DROP SCHEMA asked CASCADE;
DROP ROLE sketches_reads;
