-- What the rollup costs and what it saves.

SELECT rollup_refresh('hourly') AS changed \gset

SELECT max(pg_column_size(visitors) + pg_column_size(sizes) + pg_column_size(pages)) AS hour_bytes
FROM hourly \gset

\echo 'COST    bytes, and milliseconds on this machine, the least of five runs'
SELECT "from", rows, pg_size_pretty(bytes) AS size, visitors AS "visitors, ms", p99 AS "p99, ms"
FROM (VALUES
    (1, 'hourly', (SELECT count(*) FROM hourly), (SELECT row_bytes + log_bytes FROM rollup_status('hourly')),
        ms('SELECT hll_union_cardinality_agg(visitors) FROM hourly'),
        ms('SELECT ddsketch_union_percentile_agg(sizes, 0.99) FROM hourly')),
    (2, 'log', (SELECT count(*) FROM log), pg_table_size('log'),
        ms('SELECT count(DISTINCT visitor) FROM log'),
        ms('SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY bytes) FROM log'))
) AS costs (n, "from", rows, bytes, visitors, p99)
ORDER BY n;
\echo 'Made in' :made_ms 'ms. An hour has up to' :hour_bytes 'bytes of sketches; with a million requests about 6,600.'
