-- The whole site, all pages merged: by the hour, and the hours merged into days.

SELECT date_trunc('day', hour) AS day,
       to_char(date_trunc('day', hour), 'YYYY-MM-DD')
           || CASE WHEN count(*) OVER () > 1 THEN ', the busiest day' ELSE '' END AS day_name
FROM site_hourly
GROUP BY 1
ORDER BY sum(requests) DESC, 1
LIMIT 1 \gset

CREATE TEMP VIEW busiest_day AS
WITH counted AS (
    SELECT date_trunc('hour', time) AS hour, count(DISTINCT visitor) AS exact
    FROM log
    WHERE time >= :'day' AND time < :'day'::timestamptz + interval '1 day'
    GROUP BY 1
)
SELECT hour, hll_cardinality(visitors) AS estimate, exact
FROM site_hourly JOIN counted USING (hour);

-- Two hours on a line.
\echo 'HOURS of the whole site, every page merged, on' :day_name
WITH line AS (
    SELECT row_number() OVER (ORDER BY hour) AS n, (count(*) OVER () + 1) / 2 AS half,
           to_char(hour, 'HH24:MI') AS hour, estimate, exact,
           repeat('#', ceil(20.0 * estimate / max(estimate) OVER ())::int) AS visitors
    FROM busiest_day
)
SELECT l.hour, l.estimate, l.exact, l.visitors, r.hour, r.estimate, r.exact, r.visitors
FROM line l LEFT JOIN line r ON r.n = l.n + l.half
WHERE l.n <= l.half
ORDER BY l.n;

-- The last line counts more than the 1,638 items that a sketch holds nearly exactly.
\echo 'DAYS (at most the last five), merged from their hours; the whole log from all hours'
WITH merged AS (
    SELECT date_trunc('day', hour) AS day, grouping(date_trunc('day', hour)) AS whole,
           sum(requests) AS requests, hll_cardinality(hll_union_agg(visitors)) AS estimate
    FROM site_hourly
    GROUP BY ROLLUP (1)
    ORDER BY whole DESC, day DESC
    LIMIT 6
), counted AS (
    SELECT date_trunc('day', time) AS day, count(DISTINCT visitor) AS exact,
           approx_count_distinct(visitor) AS approx
    FROM log
    GROUP BY ROLLUP (1)
), pairs AS (
    SELECT approx_count_distinct(visitor || ' ' || url) AS approx,
           count(DISTINCT visitor || ' ' || url) AS exact
    FROM log
)
SELECT period, requests, estimate AS "merged hours", approx AS approx_count_distinct, exact,
       error_percent(coalesce(estimate, approx), exact) AS "error %"
FROM (
    SELECT coalesce(to_char(merged.day, 'YYYY-MM-DD'), 'whole log') AS period, whole,
           merged.day, requests, estimate, approx, exact
    FROM merged JOIN counted ON counted.day IS NOT DISTINCT FROM merged.day
    WHERE whole = 1 OR (SELECT count(*) FROM merged) > 2
    UNION ALL
    SELECT 'its pairs of visitor and page', 2, NULL, NULL, NULL, approx, exact FROM pairs
) periods
ORDER BY whole, day;
