-- Who read two pages but not a third one? Theta sketches keep a sample of their items, so any
-- expression of sets can be asked; :asset is set in 40-pages.sql.

CREATE TEMPORARY TABLE readers AS
SELECT row_number() OVER (ORDER BY count(DISTINCT visitor) DESC, url) AS place, url,
       theta_agg(visitor) AS visitors
FROM log
WHERE url !~* :'asset'
GROUP BY url
ORDER BY place
LIMIT 3;

SELECT count(*) = 3 AS three_pages, string_agg(short(url, 40), ', ' ORDER BY place) AS names
FROM readers \gset

\if :three_pages
\echo 'BOTH pages, but not the third:' :names
WITH sets AS (
    SELECT a.visitors AS a, b.visitors AS b, c.visitors AS c
    FROM readers a, readers b, readers c
    WHERE (a.place, b.place, c.place) = (1, 2, 3)
), estimated AS (
    SELECT theta_cardinality(a & b - c) AS two, theta_cardinality(a & b & c) AS three, theta_cardinality((b | c) - a) AS others
    FROM sets
), counted AS (
    SELECT count(*) FILTER (WHERE pages = '{1,2}') AS two,
           count(*) FILTER (WHERE pages = '{1,2,3}') AS three,
           count(*) FILTER (WHERE pages[1] > 1) AS others
    FROM (
        SELECT array_agg(DISTINCT place::int ORDER BY place::int) AS pages
        FROM log JOIN readers USING (url)
        GROUP BY visitor
    ) visitors
)
SELECT question, estimate, exact, error_percent(estimate, exact) AS "error %"
FROM estimated e, counted c, LATERAL (VALUES
    (1, 'pages 1 and 2, not 3', e.two::numeric, c.two::numeric),
    (2, 'all three pages', e.three, c.three),
    (3, 'page 2 or 3, not 1', e.others, c.others)
) answers (n, question, estimate, exact)
ORDER BY n;
\else
\echo 'BOTH pages but not the third: the log has fewer than three.'
\echo
\endif
