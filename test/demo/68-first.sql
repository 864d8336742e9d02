-- Who is here for the first time? Visitors of the afternoon are asked of a Bloom filter of those of the
-- morning (type bloom). Who was there is always known; of the others about 1 % are taken for known.

\echo
\echo 'FIRST-TIME visitors of the second half of that day, flagged against a filter of the first'
WITH morning AS (
    SELECT coalesce(bloom_agg(visitor), bloom_empty()) AS seen
    FROM log
    WHERE time >= :'day' AND time < :'day'::timestamptz + interval '12 hours'
), known AS (
    SELECT DISTINCT visitor
    FROM log
    WHERE time >= :'day' AND time < :'day'::timestamptz + interval '12 hours'
), afternoon AS (
    SELECT DISTINCT date_trunc('hour', time) AS hour, visitor
    FROM log
    WHERE time >= :'day'::timestamptz + interval '12 hours'
      AND time < :'day'::timestamptz + interval '1 day'
)
SELECT to_char(hour, 'HH24:MI') AS hour, count(*) AS visitors,
       count(*) FILTER (WHERE NOT seen @> visitor) AS "flagged as new",
       count(*) FILTER (WHERE known.visitor IS NULL) AS "from rows",
       count(*) FILTER (WHERE known.visitor IS NULL AND seen @> visitor) AS "taken for known",
       count(*) FILTER (WHERE known.visitor IS NOT NULL AND NOT seen @> visitor) AS "lost",
       bloom_cardinality(seen) AS "in the filter", pg_column_size(seen) AS bytes
FROM morning, afternoon LEFT JOIN known USING (visitor)
GROUP BY hour, seen
ORDER BY count(*) DESC, hour
LIMIT 4;
