-- How many visitors do two pages share? Two sketches answer it; :asset is set in 40-pages.sql.

SELECT count(*) = 2 AS two_pages,
       max(url) FILTER (WHERE place = 1) AS page_a, max(url) FILTER (WHERE place = 2) AS page_b,
       short(max(url) FILTER (WHERE place = 1), 40) AS name_a,
       short(max(url) FILTER (WHERE place = 2), 40) AS name_b
FROM (
    SELECT url, row_number() OVER (ORDER BY hll_cardinality(hll_union_agg(visitors)) DESC, url)
                AS place
    FROM daily
    WHERE url !~* :'asset'
    GROUP BY url
) ranked
WHERE place <= 2 \gset

\if :two_pages
\echo 'OVERLAP of the first two pages' :name_a 'and' :name_b
WITH a AS (
    SELECT hll_union_agg(visitors) AS visitors FROM daily WHERE url = :'page_a'
), b AS (
    SELECT hll_union_agg(visitors) AS visitors FROM daily WHERE url = :'page_b'
), estimated AS (
    SELECT hll_intersection_cardinality(a.visitors, b.visitors) AS both,
           hll_cardinality(a.visitors | b.visitors) AS either,
           hll_jaccard(a.visitors, b.visitors) AS jaccard
    FROM a, b
), counted AS (
    SELECT count(*) FILTER (WHERE pages = 2) AS both, count(*) AS either
    FROM (
        SELECT visitor, count(DISTINCT url) AS pages
        FROM log
        WHERE url IN (:'page_a', :'page_b')
        GROUP BY visitor
    ) visitors
)
SELECT question, estimate, exact, error_percent(estimate, exact) AS "error %"
FROM estimated e, counted c, LATERAL (VALUES
    (1, 'visitors of both pages', e.both::numeric, c.both::numeric),
    (2, 'visitors of either page', e.either, c.either),
    (3, 'jaccard: both / either', round(e.jaccard::numeric, 4),
        round(c.both::numeric / c.either, 4))
) answers (n, question, estimate, exact)
ORDER BY n;
\else
\echo 'OVERLAP of two pages: the log has fewer than two.'
\echo
\endif
