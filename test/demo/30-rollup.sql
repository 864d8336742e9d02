-- The rollups: one row per hour and page instead of one per request, and in place of lists a sketch
-- (type hll) of the visitors and a digest (type tdigest) of the response sizes. Both merge: days
-- come from hours, the site from its pages; a visitor of several hours or pages still counts once,
-- and a percentile of the day is one of all its responses. Plain numbers cannot do that.

CREATE MATERIALIZED VIEW hourly AS
SELECT date_trunc('hour', time) AS hour, url, count(*) AS requests, hll_agg(visitor) AS visitors,
       tdigest_agg(bytes) AS sizes
FROM log
GROUP BY 1, 2;

CREATE MATERIALIZED VIEW daily AS
SELECT date_trunc('day', hour) AS day, url, sum(requests) AS requests,
       hll_union_agg(visitors) AS visitors
FROM hourly
GROUP BY 1, 2;

CREATE MATERIALIZED VIEW site_hourly AS
SELECT hour, sum(requests) AS requests, hll_union_agg(visitors) AS visitors,
       tdigest_union_agg(sizes) AS sizes
FROM hourly
GROUP BY 1;

ANALYZE hourly, daily, site_hourly;
