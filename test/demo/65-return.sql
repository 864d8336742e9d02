-- Who comes back? That is a matter of whom, so the sets are exact (type roaring); they hold numbers,
-- which the visitors get first. Set algebra beside joins of the rows.

CREATE TABLE numbered AS
SELECT visitor, row_number() OVER (ORDER BY min(time), visitor COLLATE "C") AS id
FROM log
GROUP BY visitor;

CREATE MATERIALIZED VIEW hourly_ids AS
SELECT date_trunc('hour', time) AS hour, roaring_agg(id) AS ids
FROM log JOIN numbered USING (visitor)
GROUP BY 1;

\echo 'RETURN of visitors to the busiest day: sets of numbers, beside the same from the rows'
WITH busy AS (
    SELECT hour, ids, lead(ids) OVER w AS next_ids,
           roaring_union_agg(ids) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
    FROM hourly_ids
    WHERE hour >= :'day' AND hour < :'day'::timestamptz + interval '1 day'
    WINDOW w AS (ORDER BY hour)
), seen AS (
    SELECT DISTINCT date_trunc('hour', time) AS hour, visitor
    FROM log
    WHERE time >= :'day' AND time < :'day'::timestamptz + interval '1 day'
), counted AS (
    SELECT hour, count(*) FILTER (WHERE hour > first) AS before,
           count(*) FILTER (WHERE next = hour + interval '1 hour') AS next
    FROM (SELECT *, min(hour) OVER (PARTITION BY visitor) AS first,
                 lead(hour) OVER (PARTITION BY visitor ORDER BY hour) AS next
          FROM seen) AS s
    GROUP BY hour
)
SELECT to_char(hour, 'HH24:MI') AS hour, roaring_cardinality(ids) AS visitors, roaring_cardinality(ids & earlier) AS "seen before",
       before AS "from rows", roaring_cardinality(ids & next_ids) AS "next hour, too", next AS "from rows",
       pg_column_size(ids) AS bytes
FROM busy JOIN counted USING (hour)
WHERE earlier IS NOT NULL AND next_ids IS NOT NULL
ORDER BY roaring_cardinality(ids) DESC, hour
LIMIT 4;
