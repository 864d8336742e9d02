-- The most visited pages, from the daily sketches; the exact counts need the rows.

-- Pictures, styles and scripts are no pages, unless the log has nothing else.
\set asset '[.](gif|jpe?g|png|ico|svg|webp|xbm|bmp|css|js|map|woff2?|ttf|eot)$'
SELECT CASE WHEN bool_or(url !~* :'asset') THEN :'asset' ELSE '^$' END AS asset
FROM hourly \gset

\echo
\echo 'PAGES with the most distinct visitors: days merged, beside count(DISTINCT visitor)'
WITH estimated AS (
    SELECT url, sum(requests) AS requests, hll_cardinality(hll_union_agg(visitors)) AS estimate
    FROM daily
    WHERE url !~* :'asset'
    GROUP BY url
    ORDER BY estimate DESC, url
    LIMIT 5
), counted AS (
    SELECT url, count(DISTINCT visitor) AS exact
    FROM log JOIN estimated USING (url)
    GROUP BY url
)
SELECT short(url, 48) AS page, requests, estimate, exact,
       error_percent(estimate, exact) AS "error %"
FROM estimated JOIN counted USING (url)
ORDER BY estimate DESC, url;
