-- In which hours was a page asked for? One bit for each (type bitfield): counted, searched and
-- combined without looking at the rows again.

CREATE MATERIALIZED VIEW page_hours AS
SELECT url, sum(requests) AS requests,
       bitfield_agg(extract(hour FROM hour)::bigint) AS hours
FROM hourly
WHERE hour >= :'day' AND hour < :'day'::timestamptz + interval '1 day' AND url !~* :'asset'
GROUP BY url;

SELECT coalesce(bitfield_or_agg(hours), '') AS all_hours FROM page_hours \gset

\echo 'PAUSES of pages on the busiest day: a bit for each hour in which a page was asked for'
WITH chosen AS (
    SELECT url, requests, hours, :'all_hours'::bitfield # hours AS pauses
    FROM page_hours
    ORDER BY :'all_hours'::bitfield = hours, requests DESC, url
    LIMIT 4
)
SELECT short(url, 26) AS page, requests,
       (SELECT string_agg(CASE WHEN bitfield_get_bit(hours, h) THEN '#' ELSE '.' END, '' ORDER BY h)
        FROM generate_series(0, 23) AS h) AS "hours, 00 to 23",
       bitfield_count(hours) AS asked,
       (SELECT count(DISTINCT date_trunc('hour', time)) FROM log
        WHERE log.url = chosen.url
          AND time >= :'day' AND time < :'day'::timestamptz + interval '1 day') AS "from rows",
       nullif(bitfield_position(pauses, true), -1) AS "first pause"
FROM chosen;
