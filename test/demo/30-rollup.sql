-- The rollups: one row per hour and page instead of one per request, and a sketch (type hll) of
-- the visitors in place of their list. Sketches merge: days come from hours, the site from its
-- pages, and a visitor of several hours or pages still counts once. Plain numbers cannot do that.

CREATE MATERIALIZED VIEW hourly AS
SELECT date_trunc('hour', time) AS hour, url, count(*) AS requests, hll_agg(visitor) AS visitors
FROM log
GROUP BY 1, 2;

CREATE MATERIALIZED VIEW daily AS
SELECT date_trunc('day', hour) AS day, url, sum(requests) AS requests,
       hll_union_agg(visitors) AS visitors
FROM hourly
GROUP BY 1, 2;

CREATE MATERIALIZED VIEW site_hourly AS
SELECT hour, sum(requests) AS requests, hll_union_agg(visitors) AS visitors
FROM hourly
GROUP BY 1;

ANALYZE hourly, daily, site_hourly;
