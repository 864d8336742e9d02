-- The shop of README.md, which the programs of this folder ask: 161,280 requests in four weeks, and their rollup.
--     createdb shop && psql -d shop -f shop.sql
CREATE EXTENSION IF NOT EXISTS sketches;

CREATE TABLE events (
    at timestamptz NOT NULL, user_id uuid NOT NULL,
    country text, path text NOT NULL, ms float8 NOT NULL);

SELECT rollup_create('hourly', $$
    SELECT date_bin('1 hour', at, '2000-01-01Z') AS hour, country,
           count(*) AS requests, hll_agg(user_id) AS users,
           tdigest_agg(ms) AS latency
    FROM events GROUP BY hour, country $$);

INSERT INTO events
SELECT timestamptz '2026-03-02 00:00Z' + i * interval '15 s',
       md5((i * 7919 % (2000 + i / 10))::text)::uuid,
       (ARRAY['BR', 'DE', 'DE', 'US', 'US', 'US', 'US'])[1 + i % 7],
       (ARRAY['/', '/search', '/cart'])[1 + i % 3],
       20 - 60 * ln(1 - (i * 31 % 997) / 997.0) * (1 + (i % 7 = 0)::int)
FROM generate_series(0, 161279) AS i;

ANALYZE events;
SELECT rollup_refresh('hourly');
