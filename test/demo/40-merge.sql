-- The hours merge: whoever came in several hours is one visitor, and the percentile is one of all responses.

\echo
\echo 'MERGE   the hours into one answer; the second row is the exact one, from every request'
\set ECHO queries
CREATE VIEW answers AS
SELECT 'hourly' AS "from", sum(requests) AS requests,
       hll_union_cardinality_agg(visitors) AS visitors,
       ddsketch_union_percentile_agg(sizes, 0.5)::bigint AS median_bytes,
       ddsketch_union_percentile_agg(sizes, 0.99)::bigint AS p99_bytes,
       (SELECT item FROM topk_list(topk_union_agg(pages)) LIMIT 1) AS top_page
FROM hourly
UNION ALL
SELECT 'log', count(*), count(DISTINCT visitor),
       percentile_disc(0.5) WITHIN GROUP (ORDER BY bytes),
       percentile_disc(0.99) WITHIN GROUP (ORDER BY bytes),
       mode() WITHIN GROUP (ORDER BY url)
FROM log;
TABLE answers;
\set ECHO none
