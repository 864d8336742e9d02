-- An objective for each hour: nine of ten responses are no larger than 32 kB (type ddsketch). Counts are
-- exact at powers of two, and so is taking values out: here the pictures, as after a DELETE. The
-- heat map has a column for every fourth power of two, from 64 bytes to 4 MB, the fullest as @.

CREATE TEMP TABLE hour_sizes AS
SELECT date_trunc('hour', time) AS hour, ddsketch_agg(bytes) AS sizes,
       coalesce(ddsketch_agg(bytes) FILTER (WHERE url ~* :'asset'), ddsketch_empty()) AS pictures,
       coalesce(ddsketch_agg(bytes) FILTER (WHERE url !~* :'asset' OR url IS NULL), ddsketch_empty()) AS others,
       avg((bytes <= 32768)::int) AS exact
FROM log
WHERE time >= :'day' AND time < :'day'::timestamptz + interval '1 day' AND bytes IS NOT NULL
GROUP BY 1;

\echo 'OBJECTIVE of the busiest day: 90 % of the responses up to 32 kB; where their sizes are'
WITH heat AS (
    SELECT hour, n, ddsketch_count(sizes, 4.0 ^ n, 4.0 ^ (n + 1)) AS responses
    FROM hour_sizes, generate_series(3, 10) AS n
), map AS (
    SELECT hour, string_agg(substr(' .:-=+*#%@', ceil(9.0 * responses / fullest)::int + 1, 1), '' ORDER BY n) AS map
    FROM (SELECT *, greatest(1, max(responses) OVER (PARTITION BY hour)) AS fullest FROM heat) AS h
    GROUP BY hour
)
SELECT to_char(hour, 'HH24:MI') AS hour, ddsketch_count(sizes) AS responses, map AS "64 B-4 MB",
       round(100 * ddsketch_cdf(sizes, 32768)::numeric, 2) AS "% up to 32 kB", round(100 * exact, 2) AS "from rows",
       CASE WHEN ddsketch_cdf(sizes, 32768) >= 0.9 THEN 'met' ELSE 'missed' END AS objective,
       sizes - pictures = others AS "taken out exactly"
FROM hour_sizes JOIN map USING (hour)
ORDER BY ddsketch_count(sizes) DESC, hour
LIMIT 4;
