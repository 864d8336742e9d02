-- Who came within the last three hours? A filter (type cuckoo) that every hour adds its visitors to,
-- and from which the hour that is three hours old is deleted again; how many of the hours a visitor
-- came in is the number of copies.

CREATE TEMP TABLE hour_visitors AS
SELECT row_number() OVER (ORDER BY date_trunc('hour', time)) AS n, date_trunc('hour', time) AS hour,
       array_agg(DISTINCT visitor) AS visitors
FROM log
WHERE time >= :'day' AND time < :'day'::timestamptz + interval '1 day'
GROUP BY 2;

\echo 'WINDOW of three hours that moves over the busiest day: a filter that forgets, beside the rows'
WITH RECURSIVE moving (n, seen) AS (
    SELECT n, cuckoo_add_all(cuckoo_empty(), visitors) FROM hour_visitors WHERE n = 1
    UNION ALL
    SELECT new.n, cuckoo_delete_all(cuckoo_add_all(seen, new.visitors), coalesce(old.visitors, '{}'))
    FROM moving
         JOIN hour_visitors AS new ON new.n = moving.n + 1
         LEFT JOIN hour_visitors AS old ON old.n = moving.n - 2
), shown AS (
    SELECT moving.*, hour, visitors FROM moving JOIN hour_visitors USING (n) ORDER BY n DESC LIMIT 4
), counted AS (
    SELECT n, sum(hours) AS visits, count(*) FILTER (WHERE hours = 3) AS thrice,
           count(*) FILTER (WHERE hours = 0) AS gone
    FROM (SELECT shown.n, visitor, count(*) FILTER (WHERE h.n > shown.n - 3) AS hours
          FROM shown JOIN hour_visitors AS h ON h.n BETWEEN shown.n - 3 AND shown.n,
               unnest(h.visitors) AS visitor
          GROUP BY 1, 2) AS v
    GROUP BY n
)
SELECT to_char(hour, 'HH24:MI') AS hour,
       cuckoo_cardinality(seen) AS visits, counted.visits AS "from rows",
       (SELECT count(*) FROM unnest(visitors) AS v
        WHERE cuckoo_count(seen, v) = 3) AS "in all three", thrice AS "from rows",
       (SELECT count(*) FROM hour_visitors AS old, unnest(old.visitors) AS v
        WHERE old.n = shown.n - 3 AND NOT seen @> v) AS forgotten,
       gone AS "from rows", pg_column_size(seen) AS bytes
FROM shown JOIN counted USING (n)
ORDER BY n;
