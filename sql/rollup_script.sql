-- The scripts of three rollups, as they are: a change of the generator shows here as a change of SQL.
SET client_min_messages = warning;
CREATE SCHEMA made;
SET search_path = made, public;
CREATE TABLE events (at timestamp NOT NULL, country text NOT NULL, user_id int NOT NULL, ms float8);
CREATE TABLE visits (id int, at timestamptz NOT NULL, page text, ms float8) PARTITION BY RANGE (at);
CREATE TABLE visits_1 PARTITION OF visits FOR VALUES FROM ('2026-01-01 00:00+00') TO ('2026-02-01 00:00+00');
\pset format unaligned
\pset tuples_only on

-- Plain.
SELECT rollup_script('hourly', $$
    SELECT date_trunc('hour', at) AS hour, country, count(*) AS requests, hll_agg(user_id) AS users, tdigest_agg(ms) AS latency
    FROM events GROUP BY hour, country $$);

-- Partitions, groups that can be NULL, a condition.
SELECT rollup_script('pages', $$
    SELECT (at AT TIME ZONE 'UTC')::date AS day, page, count(*) AS requests, max(ms) AS slowest
    FROM visits WHERE page <> '/health' GROUP BY 1, 2 $$);

-- Single rows, of partitions.
SELECT rollup_script('daily', $$
    SELECT (at AT TIME ZONE 'UTC')::date AS day, page, count(*) AS requests, max(ms) AS slowest
    FROM visits GROUP BY 1, 2 $$, each_row => true);

SET client_min_messages = error;
DROP SCHEMA made CASCADE;
