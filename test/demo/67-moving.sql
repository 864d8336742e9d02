-- The last three hours, for every hour (moving windows): visitors and 90 % of the responses from the
-- hourly sketches, and the hour's pages from the rows, each beside what PostgreSQL counts from the rows
-- of these hours.

\echo 'MOVING the last three hours at each hour of the busiest day, beside the rows'
WITH moving AS (
    SELECT hour,
           hll_union_cardinality_agg(visitors) OVER hours AS visitors,
           tdigest_union_percentile_agg(sizes, 0.9) OVER hours AS size
    FROM site_hourly
    WINDOW hours AS (ORDER BY hour RANGE '2 hours' PRECEDING)
), pages AS (
    SELECT DISTINCT ON (date_trunc('hour', time)) date_trunc('hour', time) AS hour, top
    FROM (SELECT time, approx_top_k(url, 1)
                             OVER (ORDER BY date_trunc('hour', time) RANGE '2 hours' PRECEDING) AS top
          FROM log
          WHERE time < :'day'::timestamptz + interval '1 day' AND url !~* :'asset') AS t
    ORDER BY 1, time DESC
)
SELECT to_char(moving.hour, 'HH24:MI') AS hour, moving.visitors, r.visitors AS "from rows",
       moving.size::bigint AS "90 %", r.size AS "from rows", short(top[1], 26) AS page, p.page = top[1] AS same
FROM moving JOIN pages USING (hour),
     LATERAL (SELECT count(DISTINCT visitor) AS visitors, percentile_disc(0.9) WITHIN GROUP (ORDER BY bytes) AS size
              FROM log
              WHERE date_trunc('hour', time) BETWEEN moving.hour - interval '2 hours' AND moving.hour) AS r,
     LATERAL (SELECT url AS page
              FROM log
              WHERE url !~* :'asset'
                AND date_trunc('hour', time) BETWEEN moving.hour - interval '2 hours' AND moving.hour
              GROUP BY url
              ORDER BY count(*) DESC, url COLLATE "C"
              LIMIT 1) AS p
WHERE moving.hour >= :'day'
ORDER BY moving.hour DESC
LIMIT 4;
