-- The second extension, sketches_postgresql_hll: what the README of postgresql-hll shows runs as it is written there.

-- It has a schema of its own, and says so. (18 adds the script to the context.)
\set SHOW_CONTEXT never
CREATE EXTENSION sketches_postgresql_hll;
\set VERBOSITY terse
CREATE SCHEMA postgresql_hll;
-- What the owner of that schema put there is not taken for what belongs to sketches.
CREATE DOMAIN postgresql_hll.hll AS text;
CREATE FUNCTION postgresql_hll.hll_describe(hll) RETURNS text LANGUAGE sql RETURN 'not this one';
-- Nor what somebody put beside sketches.
CREATE FUNCTION hll_to_postgresql_hll(hll) RETURNS bytea LANGUAGE sql RETURN '\x'::bytea;
CREATE FUNCTION hll_to_postgresql_hll(hll, int, int, boolean) RETURNS bytea LANGUAGE sql RETURN '\x'::bytea;
CREATE EXTENSION sketches_postgresql_hll SCHEMA postgresql_hll;
SELECT postgresql_hll.hll_print(hll_empty(11)), postgresql_hll.hll_send(hll_postgresql_hll_empty(11));
DROP FUNCTION hll_to_postgresql_hll(hll), hll_to_postgresql_hll(hll, int, int, boolean);
DROP FUNCTION postgresql_hll.hll_describe;
DROP DOMAIN postgresql_hll.hll;
SET search_path = public, postgresql_hll;
SELECT count(*) > 0 AS ours FROM pg_proc WHERE proname = 'hll_cardinality' AND pronamespace = 'public'::regnamespace;

-- Here sketches is in public, and hll_cardinality and # are its own, where public comes first.
SELECT pg_typeof(# hll_empty(11)), pg_typeof(hll_cardinality(hll_empty(11)));
SET search_path = postgresql_hll, public;
SELECT pg_typeof(# hll_empty(11)), pg_typeof(hll_cardinality(hll_empty(11)));

-- One set
CREATE TEMPORARY TABLE helloworld (id integer, set hll);
INSERT INTO helloworld(id, set) VALUES (1, hll_empty());
UPDATE helloworld SET set = hll_add(set, hll_hash_integer(12345)) WHERE id = 1;
UPDATE helloworld SET set = hll_add(set, hll_hash_text('hello world')) WHERE id = 1;
SELECT hll_cardinality(set) FROM helloworld WHERE id = 1;

-- A table of facts, and one of sketches of its days
CREATE TEMPORARY TABLE facts (date date, user_id integer, activity_type smallint, referrer varchar(255));
INSERT INTO facts
SELECT date '2012-01-01' + day, user_id, user_id % 3, 'site' || user_id % 7
FROM generate_series(0, 39) AS day, generate_series(day * 10, day * 10 + 99) AS user_id;
CREATE TEMPORARY TABLE daily_uniques (date date UNIQUE, users hll);
INSERT INTO daily_uniques(date, users)
  SELECT date, hll_add_agg(hll_hash_integer(user_id)) FROM facts GROUP BY 1;
SELECT date, hll_cardinality(users) FROM daily_uniques ORDER BY date LIMIT 2;
SELECT hll_cardinality(hll_union_agg(users)) FROM daily_uniques
WHERE date >= '2012-01-02'::date AND date <= '2012-01-08'::date;
SELECT EXTRACT(MONTH FROM date) AS month, abs(hll_cardinality(hll_union_agg(users)) / count(DISTINCT user_id) - 1) < 0.1 AS near
FROM daily_uniques JOIN facts USING (date)
WHERE date >= '2012-01-01' AND date < '2013-01-01'
GROUP BY 1;
SELECT date, #hll_union_agg(users) OVER seven_days
FROM daily_uniques WINDOW seven_days AS (ORDER BY date ASC ROWS 6 PRECEDING) LIMIT 3;
SELECT date, (#hll_union_agg(users) OVER two_days) - #users AS lost_uniques
FROM daily_uniques WINDOW two_days AS (ORDER BY date ASC ROWS 1 PRECEDING) LIMIT 3;

-- Operators
SELECT #(users || hll_hash_integer(123)), #(hll_hash_integer(123) || users), #(users || users),
       #hll_union(users, users), #hll_add(users, hll_hash_integer(123)), 10 / #users
FROM daily_uniques WHERE date = '2012-01-01';
SELECT hll_eq(users, users || users), hll_ne(users, hll_empty()), users = users, users <> hll_empty()
FROM daily_uniques WHERE date = '2012-01-01';
SELECT 1234 || hll_empty();
SELECT hll_empty() || 1234;
SELECT hll_send(1234::hll_hashval || hll_empty());
SELECT 7::hll_hashval = 7::bigint::hll_hashval AS eq, 7::hll_hashval <> 8::hll_hashval AS ne;

-- Hashing; the values are those of version 2.17
SELECT hll_hash_boolean(TRUE), hll_hash_boolean(TRUE, 123), hll_hash_smallint(4::smallint),
       hll_hash_smallint(4::smallint, 123), hll_hash_integer(21474836), hll_hash_integer(21474836, 123) \gx
SELECT hll_hash_bigint(223372036854775808), hll_hash_bigint(223372036854775808, 123),
       hll_hash_bytea(E'\\xDEADBEEF'), hll_hash_bytea(E'\\xDEADBEEF', 123),
       hll_hash_text('foobar'), hll_hash_text('foobar', 123) \gx
SELECT hll_hash_integer(1, -1);

-- The same for a type that is not known before. Each is hashed by the bytes that PostgreSQL keeps.
CREATE TYPE mood AS ENUM ('sad', 'ok');
SELECT hll_hash_any(true) = hll_hash_boolean(true) AS boolean, hll_hash_any(4::smallint) = hll_hash_smallint(4::smallint) AS smallint,
       hll_hash_any(4) = hll_hash_integer(4) AS int, hll_hash_any(4::bigint) = hll_hash_bigint(4) AS bigint,
       hll_hash_any('a'::bytea) = hll_hash_bytea('a') AS bytea, hll_hash_any('a'::varchar) = hll_hash_text('a') AS varchar,
       hll_hash_any('a'::char(3)) = hll_hash_text('a  ') AS char, hll_hash_any(date '2000-01-05') = hll_hash_integer(4) AS date,
       hll_hash_any(timestamp '2000-01-01 00:00:00.000004') = hll_hash_bigint(4) AS timestamp,
       hll_hash_any(timestamptz '2000-01-01 00:00:00.000004Z') = hll_hash_bigint(4) AS timestamptz,
       hll_hash_any(time '00:00:00.000004') = hll_hash_bigint(4) AS time,
       hll_hash_any(1.0::float8) = hll_hash_bigint(x'3ff0000000000000'::bigint) AS float8,
       hll_hash_any(1.0::real) = hll_hash_integer(x'3f800000'::int) AS real,
       hll_hash_any('61626364-6566-6768-696a-6b6c6d6e6f70'::uuid) = hll_hash_text('abcdefghijklmnop') AS uuid,
       hll_hash_any('ok'::mood) = hll_hash_integer((SELECT oid::int FROM pg_enum WHERE enumlabel = 'ok' AND enumtypid = 'mood'::regtype)) AS enum \gx
SELECT hll_hash_any(1.5) <> hll_hash_any(1.25) AS numeric, hll_hash_any(array[1, 2]) <> hll_hash_any(array[2, 1]) AS array,
       hll_hash_any('{"a": 1}'::jsonb) <> hll_hash_any('{"a": 2}'::jsonb) AS jsonb,
       hll_hash_any(inet '10.0.0.1') <> hll_hash_any(inet '10.0.0.2') AS inet;

-- Parameters
SELECT hll_type(h), hll_log2m(h), hll_regwidth(h), hll_schema_version(h), hll_print(h)
FROM (VALUES (hll_empty()), (hll_empty(12)), (hll_empty(13, 6)), (hll_empty(14, 5, 80)), (hll_empty(15, 5, -1, 0))) AS v (h);
SELECT hll_empty(3);
SELECT bool_and(hll_send(h) = (SELECT hll_send(hll_add_agg(hll_hash_integer(i), 12)) FROM generate_series(1, 1000) AS i)) AS same
FROM (SELECT hll_add_agg(hll_hash_integer(i), 12, 5), hll_add_agg(hll_hash_integer(i), 12, 5, -1), hll_add_agg(hll_hash_integer(i), 12, 5, -1, 1)
      FROM generate_series(1, 1000) AS i) AS s (a, b, c), unnest(ARRAY[a, b, c]) AS h;
SELECT hll_add_agg(hll_hash_integer(i), i) FROM generate_series(11, 12) AS i;
-- Without rows, and with NULLs only
SELECT hll_add_agg(hll_hash_integer(i)) FROM generate_series(1, 0) AS i;
SELECT hll_add_agg(hll_hash_integer(NULL)), hll_cardinality(NULL), hll_add(NULL, hll_hash_integer(1)) IS NULL AS add,
       hll_hash_integer(1) || NULL::hll IS NULL AS add_rev;

-- What Cube generates for count_distinct_approx: a pre-aggregation, its union, and a query without it
CREATE TEMPORARY TABLE by_day AS
SELECT activity_type, date_trunc('day', date::timestamptz AT TIME ZONE 'UTC') AS day, count(*) AS count,
       hll_add_agg(hll_hash_any(user_id)) AS users
FROM facts GROUP BY 1, 2;
SELECT date_trunc('month', day) AS month, round(hll_cardinality(hll_union_agg(users))) BETWEEN 360 AND 440 AS users, sum(count) AS count
FROM by_day WHERE day >= '2012-01-01'::timestamp AND day <= '2012-01-31 23:59:59.999'::timestamp GROUP BY 1;
SELECT round(hll_cardinality(hll_add_agg(hll_hash_any(user_id)))) BETWEEN 440 AND 540 AS users FROM facts;

-- Values that were moved go on.
SELECT #(hll_from_postgresql_hll('\x128b7f8895a3f5af28cafe') || hll_hash_integer(1)),
       #(hll_from_postgresql_hll('\x128b7f8895a3f5af28cafe') || hll_hash_integer(2));
-- A sketch of sketches' own hash does not merge, and has no bytes of theirs.
SELECT hll_agg(1) || hll_add(hll_empty(), hll_hash_integer(1));
SELECT hll_send(hll_agg(1));

-- Everything of it is in its schema, may run in parallel, and goes with it.
SELECT count(*) > 60 AS members, bool_and(pg_identify_object(classid, objid, 0)::text LIKE '%postgresql_hll%') AS there
FROM pg_depend WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches_postgresql_hll') AND deptype = 'e';
SELECT DISTINCT proparallel, provolatile FROM pg_proc WHERE pronamespace = 'postgresql_hll'::regnamespace;
RESET search_path;
DROP TYPE postgresql_hll.mood;
DROP EXTENSION sketches_postgresql_hll;
DROP SCHEMA postgresql_hll;
