-- theta and DataSketches: sketches read, compared with what is counted here, and given back.
--
-- test/data/peers_theta.jsonl.gz has sketches of the datasketches extension 1.8 beside its answers, and
-- files that Java wrote in serial versions 1 and 2.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
CREATE TEMP TABLE line (text text);
\copy line FROM PROGRAM 'zcat test/data/peers_theta.jsonl.gz' WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
\set ECHO all

-- ---- sketches ----

CREATE TEMP TABLE theirs AS
    SELECT (j ->> 'lgk')::int AS lgk, j ->> 'items' AS items, (j ->> 'n')::int AS n,
           decode(j ->> 'base64', 'base64') AS bytes, j -> 'estimate_and_bounds2' AS answer
      FROM (SELECT text::json AS j FROM line) l WHERE j ->> 'n' IS NOT NULL;
CREATE FUNCTION pg_temp.of_datasketches(bytea) RETURNS theta LANGUAGE sql IMMUTABLE AS 'SELECT theta_from_datasketches($1)';
-- Estimate and bounds to 1e-14; bounds of up to 120 hashes to 5e-8, as estimate.c has it.
CREATE FUNCTION pg_temp.agree(t theta, answer json) RETURNS boolean LANGUAGE sql AS $$
    SELECT b.estimate = (answer ->> 0)::float8
           AND greatest(abs(b.lower / (answer ->> 1)::float8 - 1), abs(b.upper / (answer ->> 2)::float8 - 1))
               <= CASE WHEN (theta_info(t)).hashes > 120 THEN 1e-14 ELSE 5e-8 END FROM theta_bounds(t) AS b $$;
-- Version 3 byte by byte, version 4 and back.
SELECT lgk, count(*),
       bool_and(pg_temp.agree(t, answer)) AS answers,
       bool_and(theta_to_datasketches(t, false) = bytes) AS version_3,
       bool_and(theta_from_datasketches(theta_to_datasketches(t)) = t) AS version_4,
       bool_and(length(theta_to_datasketches(t)) < length(bytes) OR n = 1) AS shorter
  FROM theirs, pg_temp.of_datasketches(bytes) AS t GROUP BY lgk ORDER BY lgk;
-- The same items counted here have the hashes that theirs has below its theta, which is lower or higher
-- than that of 2^lgk hashes.
CREATE FUNCTION pg_temp.counted(items text, n int, lgk int) RETURNS theta LANGUAGE sql AS $$
    SELECT CASE WHEN items LIKE 'bigint%' THEN theta_agg(i::bigint, lgk)
                WHEN items LIKE 'text%' THEN theta_agg('user-' || i, lgk)
                ELSE theta_agg(i / 4.0::float8, lgk) END FROM generate_series(1, n) i $$;
SELECT items, lgk, (theta_info(t)).hashes, theta_cardinality(t & c) = theta_cardinality(t) AND theta_cardinality(c - t) = 0 AS same_items,
       theta_reduce(theta_from_datasketches(bytes), least(lgk, 12)) = pg_temp.counted(items, n, lgk) AS reduced
  FROM theirs, pg_temp.of_datasketches(bytes) AS t, pg_temp.counted(items, n, 16) AS c ORDER BY lgk, n, items;

-- ---- expressions ----

CREATE TEMP TABLE algebra AS
    SELECT (j ->> 'lgk')::int AS lgk, j ->> 'items' AS items, name, decode(j ->> name, 'base64') AS bytes,
           j -> (name || '_estimate') AS answer,
           theta_from_datasketches(decode(j ->> 'a', 'base64')) AS a, theta_from_datasketches(decode(j ->> 'b', 'base64')) AS b,
           theta_from_datasketches(decode(j ->> 'c', 'base64')) AS c
      FROM (SELECT text::json AS j FROM line) l, unnest(ARRAY['union', 'intersection', 'a_not_b', 'a_and_b_not_c']) AS name
     WHERE j ->> 'union' IS NOT NULL;
SELECT name, count(*), bool_and(theta_to_datasketches(t, false) = bytes) AS bytes,
       bool_and(pg_temp.agree(t, answer)) AS answers
  FROM (SELECT *, CASE name WHEN 'union' THEN a | b WHEN 'intersection' THEN a & b WHEN 'a_not_b' THEN a - b
                       ELSE (a & b) - c END AS t FROM algebra) s
 GROUP BY name ORDER BY name;

-- ---- Java ----

SELECT j ->> 'file' AS file, theta_cardinality(t) AS items, (theta_info(t)).lgk, (theta_info(t)).hashes, substr(theta_to_datasketches(t, false), 1, 8) AS version_3
  FROM (SELECT text::json AS j FROM line) l,
       LATERAL theta_from_datasketches(decode(j ->> 'base64', 'base64')) AS t WHERE j ->> 'file' IS NOT NULL ORDER BY 1;

-- ---- lgk ----

SELECT (theta_info(theta_from_datasketches(b))).lgk, (theta_info(theta_from_datasketches(b, 20))).lgk,
       theta_from_datasketches(b, 14) = t AS same, theta_from_datasketches(b, 8) = theta_reduce(t, 8) AS reduced
  FROM (SELECT theta_agg(i, 14) AS t FROM generate_series(1, 10000) i) s, theta_to_datasketches(t) AS b;

-- ---- errors ----

SELECT payload, pg_temp.error_of(format('SELECT theta_from_datasketches(%L)', payload))
  FROM unnest('{"\\x", "\\x0103030000", "\\x0103070000001acc93", "\\x01030300001acc93", "\\x01050300001acc93",
                "\\x01030300001a342115f97dcbbd86a105", "\\x01040340011acc9301", "\\x02030300001acc93ffffffff00000000",
                "\\x02030300001acc930200000000000000c397fc1281709d1e15f97dcbbd86a105"}'::bytea[]) AS payload;
SELECT theta_from_datasketches('\x02030300000acc930200000000000000c397fc1281709d1e15f97dcbbd86a105')
     = theta_agg(i) AS not_sorted FROM generate_series(1, 2) i;
