-- The questions of the report, each after a line that names it. {from} is the hours, or what is merged of them for a log
-- of more than eight days; {part} and {whole} are hour and day, day and month, or week and year.

-- name: span
SELECT min(hour) AS first, max(hour) AS last, count(*) AS hours, sum(requests) AS requests FROM hourly;

-- name: visitors
SELECT b.* FROM (SELECT hll_union_agg(visitors) AS all_visitors FROM hourly) AS merged, hll_bounds(all_visitors) AS b;

-- name: so_far
SELECT hour, date_trunc('{whole}', hour)::date AS {whole}, hll_cardinality(visitors) AS visitors,
       sum(hll_cardinality(visitors)) OVER so_far AS added_up,
       hll_union_cardinality_agg(visitors) OVER so_far AS distinct_visitors
FROM {from}
WINDOW so_far AS (PARTITION BY date_trunc('{whole}', hour) ORDER BY hour)
ORDER BY hour;

-- name: days
SELECT date_trunc('{whole}', hour)::date AS {whole}, sum(hll_cardinality(visitors)) AS added_up,
       hll_union_cardinality_agg(visitors) AS distinct_visitors
FROM {from} GROUP BY ROLLUP ({whole}) ORDER BY {whole};

-- name: sizes
SELECT hour, round(p[1]) AS p50, round(p[2]) AS p90,
       CASE WHEN ddsketch_count(sizes) >= 1000 THEN round(p[3]) END AS p99     -- of fewer it is the size of a few responses
FROM {from}, ddsketch_percentiles(sizes, ARRAY[0.5, 0.9, 0.99]) AS p ORDER BY hour;

-- name: all_sizes
SELECT round(p[1]) AS p50, round(p[2]) AS p90, round(p[3]) AS p99, round(p[4]) AS greatest
FROM (SELECT ddsketch_union_percentiles_agg(sizes, ARRAY[0.5, 0.9, 0.99, 1]) AS p FROM hourly) AS merged;

-- name: histogram
SELECT hour, array_to_string(ddsketch_counts(sizes, bounds), ' ') AS responses
FROM {from}, (SELECT ARRAY(SELECT 2::float8 ^ k FROM generate_series({low} + {by}, {high}, {by}) AS k) AS bounds) AS b
ORDER BY hour;

-- name: pages
SELECT item AS page, lower, count, upper
FROM topk_list((SELECT topk_union_agg(pages) FROM hourly)) ORDER BY count DESC, item;

-- name: page_visitors
SELECT url AS page, b.lower, b.estimate AS visitors, b.upper
FROM (SELECT url, hll_union_agg(visitors) AS visitors FROM daily_pages GROUP BY url) AS merged,
     hll_bounds(visitors) AS b
ORDER BY b.estimate DESC, url LIMIT 10;

-- name: cohorts
WITH parts AS (
    SELECT date_trunc('{cohort}', hour) AS {cohort}, theta_union_agg(who) AS who FROM hourly GROUP BY 1),
cohorts AS (
    SELECT {cohort}, who - coalesce(theta_union_agg(who) OVER before, theta_empty()) AS who
    FROM parts WINDOW before AS (ORDER BY {cohort} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
SELECT c.{cohort} AS first_came, (extract(epoch FROM p.{cohort} - c.{cohort}) / {seconds})::int AS {cohort}s_later,
       floor(b.lower) AS lower, round(b.estimate) AS visitors, ceil(b.upper) AS upper
FROM cohorts AS c JOIN parts AS p ON p.{cohort} >= c.{cohort}, theta_bounds(c.who & p.who) AS b
ORDER BY 1, 2;

-- name: returned
WITH parts AS (
    SELECT date_trunc('{cohort}', hour) AS {cohort}, theta_union_agg(who) AS who FROM hourly GROUP BY 1),
sets AS (
    SELECT who, who & theta_union_agg(who) OVER before AS again
    FROM parts WINDOW before AS (ORDER BY {cohort} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
SELECT theta_union_cardinality_agg(again) AS came_again FROM sets;

-- name: bytes
SELECT pg_table_size('log') AS log, h.row_bytes + h.log_bytes AS hourly, p.row_bytes + p.log_bytes AS daily_pages,
       (SELECT count(*) FROM log) AS rows, (SELECT count(*) FROM hourly) AS hours, (SELECT count(*) FROM daily_pages) AS pages
FROM rollup_status('hourly') AS h, rollup_status('daily_pages') AS p;

-- name: visitors_of_log
SELECT count(DISTINCT visitor) AS visitors FROM log;

-- name: visitors_of_hourly
SELECT hll_union_cardinality_agg(visitors) AS visitors FROM hourly;

-- name: p99_of_log
SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY bytes) AS p99 FROM log;

-- name: p99_of_hourly
SELECT round(ddsketch_union_percentile_agg(sizes, 0.99)) AS p99 FROM hourly;

-- name: pages_of_log
SELECT url AS page, count(*) AS requests FROM log
WHERE url !~* '\.(gif|jpe?g|png|ico|svg|xbm|css|js|woff2?)$' GROUP BY url ORDER BY 2 DESC, 1 LIMIT 10;

-- name: pages_of_hourly
SELECT item AS page, count AS requests FROM topk_list((SELECT topk_union_agg(pages) FROM hourly));

-- name: answers
SELECT sum(requests) AS requests, hll_union_cardinality_agg(visitors) AS visitors,
       round(ddsketch_union_percentile_agg(sizes, 0.5)) AS p50, round(ddsketch_union_percentile_agg(sizes, 0.99)) AS p99
FROM hourly;

-- name: answers_of_log
SELECT count(*) AS requests, count(DISTINCT visitor) AS visitors, percentile_disc(0.5) WITHIN GROUP (ORDER BY bytes) AS p50,
       percentile_disc(0.99) WITHIN GROUP (ORDER BY bytes) AS p99
FROM log;

-- name: hours
SELECT hour, requests FROM hourly ORDER BY hour;

-- name: insert
INSERT INTO log (time, visitor, method, url, status, bytes)
SELECT min(time), 'late.example.com', 'GET', '/late', 200, 1000 FROM log;

-- name: delete
DELETE FROM log WHERE visitor = (SELECT mode() WITHIN GROUP (ORDER BY visitor) FROM log);

-- name: create_hourly
SELECT rollup_create('hourly', $$
    SELECT date_trunc('hour', time) AS hour, count(*) AS requests,
           hll_agg(visitor) AS visitors, theta_agg(visitor) AS who, ddsketch_agg(bytes) AS sizes,
           topk_agg(url, 10) FILTER (WHERE url !~* '\.(gif|jpe?g|png|ico|svg|xbm|css|js|woff2?)$') AS pages
    FROM log GROUP BY hour $$);

-- name: create_pages
SELECT rollup_create('daily_pages', $$
    SELECT date_trunc('day', time)::date AS day, url, hll_agg(visitor) AS visitors
    FROM log WHERE url !~* '\.(gif|jpe?g|png|ico|svg|xbm|css|js|woff2?)$' GROUP BY day, url $$);

-- name: refresh
SELECT rollup_refresh('hourly') AS hours, rollup_refresh('daily_pages') AS pages;

-- name: drop
SELECT rollup_drop(r) FROM unnest('{daily_pages,hourly}'::text[]) AS r WHERE to_regclass(r) IS NOT NULL;
