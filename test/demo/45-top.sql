-- The most requested pages, by sketches of ten pages each (type topk): of an hour from its own, of the
-- day from the merged ones. Bounds hold for certain; here they meet, and the counts are exact.

CREATE MATERIALIZED VIEW hourly_top AS
SELECT date_trunc('hour', time) AS hour, topk_agg(url, 10) AS top
FROM log
GROUP BY 1;

\echo
\echo 'TOP pages, pictures and all, from the merged hours; and of the busiest hour alone'
WITH whole AS (
    SELECT l.*, row_number() OVER (ORDER BY l.count DESC, l.item) AS place
    FROM (SELECT topk_union_agg(top) AS top FROM hourly_top) AS t, topk_list(top) AS l
), busiest AS (
    SELECT l.item, l.count, row_number() OVER (ORDER BY l.count DESC, l.item) AS place
    FROM (SELECT top FROM hourly_top ORDER BY topk_total(top) DESC, hour LIMIT 1) AS t,
         topk_list(top) AS l
)
SELECT short(w.item, 28) AS page, w.count, w.upper - w.lower AS unsure,
       (SELECT count(*) FROM log WHERE url = w.item) AS "from rows",
       short(b.item, 26) AS "busiest hour", b.count
FROM whole AS w LEFT JOIN busiest AS b USING (place)
WHERE place <= 4
ORDER BY place;
