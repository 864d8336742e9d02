-- How large are the responses? Percentiles from the digests of the hours; :day and :day_name are
-- set in 50-site.sql. Requests whose size the log does not state ("-") are not in them.

-- Three hours on a line.
\echo 'SIZES of responses in bytes, every hour from its digest, on' :day_name
WITH line AS (
    SELECT row_number() OVER (ORDER BY hour) AS n, (count(*) OVER () + 2) / 3 AS third,
           to_char(hour, 'HH24:MI') AS hour,
           q[1]::bigint AS p50, q[2]::bigint AS p90, q[3]::bigint AS p99
    FROM site_hourly, tdigest_quantile(sizes, ARRAY[0.5, 0.9, 0.99]::float8[]) AS q
    WHERE hour >= :'day' AND hour < :'day'::timestamptz + interval '1 day' AND q IS NOT NULL
)
SELECT l.hour, l.p50, l.p90, l.p99, m.hour, m.p50, m.p90, m.p99, r.hour, r.p50, r.p90, r.p99
FROM line l LEFT JOIN line m ON m.n = l.n + l.third LEFT JOIN line r ON r.n = l.n + 2 * l.third
WHERE l.n <= l.third
ORDER BY l.n;

-- An estimate is right when it has the rank that was asked for; of several responses of one size,
-- any of their ranks. The error is how far off that is, in percent of all responses.
\echo 'SIZES of the day, merged from its hours, beside percentile_disc; and the worst of the hours'
WITH asked (q, percentile) AS (
    VALUES (0.5::float8, 'p50'), (0.9, 'p90'), (0.99, 'p99'), (0.999, 'p99.9')
), response AS (
    SELECT date_trunc('hour', time) AS hour, bytes
    FROM log
    WHERE time >= :'day' AND time < :'day'::timestamptz + interval '1 day' AND bytes IS NOT NULL
), digest AS (
    SELECT hour, tdigest_union_agg(sizes) AS sizes
    FROM site_hourly
    WHERE hour >= :'day' AND hour < :'day'::timestamptz + interval '1 day'
    GROUP BY ROLLUP (hour)
), estimated AS (
    SELECT hour, q, percentile, tdigest_quantile(sizes, q) AS estimate
    FROM digest, asked
), ranked AS (
    SELECT e.hour, q, percentile, estimate,
           percentile_disc(q) WITHIN GROUP (ORDER BY bytes) AS exact,
           100 * greatest(0, avg((bytes < estimate)::int) - q, q - avg((bytes <= estimate)::int))
               AS error
    FROM estimated e JOIN response r ON e.hour IS NULL OR r.hour = e.hour
    GROUP BY e.hour, q, percentile, estimate
)
SELECT percentile, max(estimate) FILTER (WHERE hour IS NULL)::bigint AS "merged hours",
       max(exact) FILTER (WHERE hour IS NULL) AS percentile_disc,
       round(max(error) FILTER (WHERE hour IS NULL)::numeric, 3) AS "rank error %",
       round(max(error) FILTER (WHERE hour IS NOT NULL)::numeric, 3) AS "worst hour %"
FROM ranked
GROUP BY q, percentile
ORDER BY q;
