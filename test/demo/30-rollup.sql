-- One row for each hour instead of one for each request. The view is right at once, and after every change;
-- refreshing it now and then makes it fast.

\pset footer off
\pset pager off
\pset null ''

\echo
\echo 'ROLLUP  a row for each hour; from here on the database keeps it equal to its query'
SELECT clock_timestamp() AS start \gset
\set ECHO queries
\o /dev/null
SELECT rollup_create('hourly', $$
    SELECT date_trunc('hour', time) AS hour, count(*) AS requests, hll_agg(visitor) AS visitors,
           ddsketch_agg(bytes) AS sizes, topk_agg(url, 10) AS pages
    FROM log GROUP BY hour $$);
SELECT rollup_refresh('hourly');
\o
\set ECHO none
SELECT round(1000 * extract(epoch FROM clock_timestamp() - :'start')) AS made_ms \gset
