-- What lies around a place, nearest first: the launch pads of the Kennedy Space Center, whose server
-- wrote the log.

\set pads_lon -80.604
\set pads_lat 28.608

\echo 'NEAR the launch pads: zip codes within 40 km, nearest first, one of each place'
SELECT zip, city || ', ' || state AS city, place AS geohash, geohash_redis_text(place) AS "in Redis",
       round(metres::numeric / 1000, 1) AS km
FROM (SELECT DISTINCT ON (city, state) *, place <-> geohash(:pads_lon, :pads_lat) AS metres
      FROM zip_code
      WHERE geohash_within(place, :pads_lon, :pads_lat, 40, 'km')
      ORDER BY city, state, metres, zip) AS near
ORDER BY metres
LIMIT 5;

-- Pages of 8 kB that a query touches.
CREATE FUNCTION pages_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint
        + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END
$$;
SELECT pages_of(format('SELECT * FROM zip_code WHERE geohash_within(place, %s, %s, 40, ''km'')',
                       :pads_lon, :pads_lat)) AS index_pages,
       pages_of('SELECT * FROM zip_code') AS all_pages \gset
\echo 'Pages touched:' :index_pages 'by the index,' :all_pages 'to look at every zip code'
\echo
