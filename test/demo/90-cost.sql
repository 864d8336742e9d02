-- What the rollups cost and what they save.

\echo 'BYTES: rows grow with every request, a sketch never beyond 4.3 kB, a digest 1.4'
SELECT what, rows, bytes, round(bytes::numeric / rows, 1) AS "bytes/row"
FROM (
    SELECT 1, 'log table: every request', count(*), pg_table_size('log') FROM log
    UNION ALL
    SELECT 2, '  of these the column visitor', count(*), sum(pg_column_size(visitor)) FROM log
    UNION ALL
    SELECT 3, 'hourly: every hour and page', count(*), pg_table_size('hourly') FROM hourly
    UNION ALL
    SELECT 4, '  of these the sketches', count(*), sum(pg_column_size(visitors)) FROM hourly
    UNION ALL
    SELECT 5, '  of these the digests', count(*), sum(pg_column_size(sizes)) FROM hourly
    UNION ALL
    SELECT 6, 'one sketch of the whole log', 1, pg_column_size(hll_union_agg(visitors))
    FROM site_hourly
) sizes (n, what, rows, bytes)
ORDER BY n;

\echo 'MILLISECONDS on this machine, each run once; "approximate" asks the rows, too'
SELECT question, exact AS "rows, exact", approximate AS "rows, approximate", rollup AS "from rollup"
FROM (VALUES
    (1, 'visitors of every page, whole log',
        ms('SELECT url, count(DISTINCT visitor) FROM log GROUP BY url'),
        ms('SELECT url, approx_count_distinct(visitor) FROM log GROUP BY url'),
        ms('SELECT url, hll_cardinality(hll_union_agg(visitors)) FROM daily GROUP BY url')),
    (2, 'visitors of the site, whole log',
        ms('SELECT count(DISTINCT visitor) FROM log'),
        ms('SELECT approx_count_distinct(visitor) FROM log'),
        ms('SELECT hll_cardinality(hll_union_agg(visitors)) FROM site_hourly')),
    (3, '99th percentile of the sizes, whole log',
        ms('SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY bytes) FROM log'),
        ms('SELECT approx_percentile(bytes, 0.99) FROM log'),
        ms('SELECT tdigest_quantile(tdigest_union_agg(sizes), 0.99) FROM site_hourly'))
) times (n, question, exact, approximate, rollup)
ORDER BY n;

SELECT ms('REFRESH MATERIALIZED VIEW hourly') AS hourly_ms \gset
SELECT ms('REFRESH MATERIALIZED VIEW daily') + ms('REFRESH MATERIALIZED VIEW site_hourly')
    AS merged_ms \gset
\echo 'Building hourly from the rows:' :hourly_ms 'ms; merging it into the others:' :merged_ms 'ms'
