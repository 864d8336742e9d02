-- geohash: who is within a circle or a box, by an index and by looking at everyone.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all
SET jit = off;

-- Positions: all over the Earth, and crowds where geometry is hard: around both poles, along the
-- seam at 180 degrees, around 0 0, where four quadrants of the Z-order meet, and in one city.
CREATE TABLE place AS
    SELECT i::bigint AS id, lon, lat, geohash(lon, lat) AS g
      FROM generate_series(1, 20000) i,
           LATERAL (SELECT (hashint8extended(i, 1) & 1048575) / 1048575.0::float8 AS x,
                           (hashint8extended(i, 2) & 1048575) / 1048575.0::float8 AS y) r,
           LATERAL (SELECT CASE i % 8 WHEN 0 THEN x * 360 - 180 WHEN 1 THEN x * 360 - 180
                               WHEN 2 THEN CASE WHEN x < 0.5 THEN -180 + x ELSE 179 + x END
                               WHEN 3 THEN x * 2 - 1 WHEN 4 THEN 13.2 + x / 2
                               ELSE x * 360 - 180 END AS lon,
                           CASE i % 8 WHEN 0 THEN 90 - y ^ 4 * 10 WHEN 1 THEN -90 + y ^ 4 * 10
                               WHEN 2 THEN y * 160 - 80 WHEN 3 THEN y * 2 - 1
                               WHEN 4 THEN 52.3 + y / 3
                               ELSE degrees(asin(2 * y - 1)) END AS lat) p;
CREATE TABLE indexed AS SELECT * FROM place;
CREATE INDEX place_g ON indexed (g);
VACUUM ANALYZE indexed;

-- The lines of a plan that say how rows are found.
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ 'Scan|BitmapOr|Index Cond|Nested' THEN
            RETURN NEXT line;
        END IF;
    END LOOP;
END
$$;
CREATE FUNCTION nodes_of(query text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(DISTINCT node, ', ' ORDER BY node)
      FROM plan_of(query) line,
           regexp_replace(line, '^ *(-> *)?| on .*| using .*|^ *Index Cond.*', '', 'g') node
     WHERE node <> ''
$$;

-- ---- plans ----

-- A few ranges, by BitmapOr.
-- Whether VACUUM can mark all pages as visible depends on the server's synchronous_commit.
SET enable_indexonlyscan = off;
SELECT plan_of('SELECT id FROM indexed WHERE geohash_within(g, 13.4, 52.5, 1)') LIMIT 3;
SELECT plan_of('SELECT id FROM indexed WHERE geohash_within(g, 0, 0, 10)');
SELECT nodes_of('SELECT id FROM indexed WHERE geohash_within_box(g, 13.4, 52.5, 2, 2, ''km'')');
SELECT plan_of('SELECT g FROM indexed WHERE geohash_between(g, ''u33'', ''u33zzzzzzzzz'')');
-- Everything there is: not by the index.
SELECT nodes_of('SELECT id FROM indexed WHERE geohash_within(g, 13.4, 52.5, 3e7)');
-- From another table, a parameter that is not known yet.
CREATE TABLE middle AS
    SELECT i AS id, 13.2 + i / 20.0::float8 AS lon, 52.3 + i / 30.0::float8 AS lat,
           400.0::float8 AS radius
      FROM generate_series(1, 9) i;
ANALYZE middle;
SELECT plan_of('SELECT p.id FROM middle m, indexed p
                 WHERE geohash_within(p.g, m.lon, m.lat, m.radius)');
SELECT nodes_of('SELECT p.id FROM middle m
                 LEFT JOIN indexed p ON geohash_within_box(p.g, m.lon, m.lat, 1, m.radius)');
-- Where nothing but the indexed column is needed, too.
SELECT nodes_of('SELECT p.g FROM middle m, indexed p
                 WHERE geohash_within(p.g, m.lon, m.lat, m.radius)');
SELECT nodes_of('SELECT count(*) FROM middle m, indexed p
                 WHERE geohash_within_box(p.g, m.lon, m.lat, 1, m.radius)');
-- Subqueries are not copied: in the condition there is one of each and no index search, in FROM an
-- index search.
SELECT plan_of('SELECT id FROM indexed WHERE geohash_within(g, (SELECT max(lon) FROM middle),
                                                           (SELECT max(lat) FROM middle), 900)');
SELECT plan_of('SELECT id FROM indexed WHERE geohash_within_box(g, 13.4, 52.4, 900,
                                                                (SELECT max(radius) FROM middle))');
SELECT nodes_of('SELECT p.id FROM indexed p, (SELECT max(lon) AS lon, max(lat) AS lat FROM middle) m
                  WHERE geohash_within(p.g, m.lon, m.lat, 900)');
SET plan_cache_mode = force_generic_plan;
PREPARE around(float8, float8, float8, text) AS
    SELECT id FROM indexed WHERE geohash_within(g, $1, $2, $3, $4);
SELECT plan_of('EXECUTE around(13.4, 52.5, 1, ''km'')') LIMIT 2;
RESET plan_cache_mode;
-- Functions are known by what they call, whatever their names say.
BEGIN;
ALTER FUNCTION geohash_within(geohash, float8, float8, float8, text) RENAME TO near;
ALTER FUNCTION geohash_between RENAME TO from_to;
ALTER FUNCTION _geohash_cover_end RENAME TO one_end;
SELECT nodes_of('SELECT id FROM indexed WHERE near(g, 13.4, 52.5, 1)') AS constant,
       nodes_of('SELECT p.id FROM middle m, indexed p WHERE near(p.g, m.lon, m.lat, m.radius)') AS joined;
ROLLBACK;
-- Volatile arguments are not copied, so there is no index search.
SELECT plan_of('SELECT id FROM indexed WHERE geohash_within(g, 13.4, 52.5, random())');
-- Partitions: found in each, and simplified only once.
CREATE TABLE parted (id bigint, g geohash) PARTITION BY RANGE (g);
CREATE TABLE west PARTITION OF parted FOR VALUES FROM (MINVALUE) TO ('s');
CREATE TABLE east PARTITION OF parted FOR VALUES FROM ('s') TO (MAXVALUE);
CREATE INDEX ON parted (g);
INSERT INTO parted SELECT id, g FROM place;
VACUUM ANALYZE parted;
SELECT count(*) FILTER (WHERE line ~ 'BitmapOr') AS partitions,
       count(*) FILTER (WHERE line ~ 'Index Cond') AS ranges
  FROM plan_of('SELECT id FROM parted WHERE geohash_within(g, 0, 0, 10)') line;
-- A partial index is for the search that its predicate names; an index on an expression works too.
CREATE INDEX place_berlin ON indexed (id) WHERE geohash_within(g, 13.4, 52.5, 9000);
CREATE INDEX place_expression ON place (geohash(lon, lat));
ANALYZE place;
SELECT plan_of('SELECT id FROM indexed
                 WHERE geohash_within(g, 13.4, 52.5, 9000) AND id < 20') LIMIT 1;
SELECT nodes_of('SELECT id FROM place WHERE geohash_within(geohash(lon, lat), 0, 0, 10)');
DROP INDEX place_berlin, place_expression;

-- ---- exact ----

-- Within, by its definition: the haversine distance; of a box, that along the meridian and that
-- along the latitude of the position. Distances beyond 19000 km are too steep to compare.
CREATE FUNCTION pg_temp.metres(lon float8, lat float8, lon2 float8, lat2 float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
    SELECT 2 * 6372797.560856 * asin(sqrt(least(1, sin(radians(lat2 - lat) / 2) ^ 2
        + cos(radians(lat)) * cos(radians(lat2)) * sin(radians(lon2 - lon) / 2) ^ 2)))
$$;
WITH m AS MATERIALIZED
    (SELECT lon, lat, (4 ^ (id % 12))::float8 AS radius FROM place WHERE id % 397 = 1)
SELECT count(*) FILTER (WHERE metres < radius - 0.01 AND NOT within) AS missed,
       count(*) FILTER (WHERE metres > radius + 0.01 AND within) AS too_far,
       count(*) FILTER (WHERE within) > 50 AS some
  FROM m,
       (SELECT g, geohash_lon(g) AS x, geohash_lat(g) AS y FROM place WHERE id % 7 = 0 OFFSET 0) p,
       LATERAL (SELECT pg_temp.metres(x, y, m.lon, m.lat) AS metres,
                       geohash_within_exact(g, m.lon, m.lat, radius) AS within OFFSET 0) d
 WHERE metres < 19000000;
WITH m AS MATERIALIZED
    (SELECT lon, lat, (4 ^ (id % 12))::float8 AS width, (4 ^ (id % 13))::float8 AS height
       FROM place WHERE id % 397 = 1)
SELECT count(*) FILTER (WHERE greatest(up - height / 2, beside - width / 2) < -0.01 AND NOT within)
           AS missed,
       count(*) FILTER (WHERE greatest(up - height / 2, beside - width / 2) > 0.01 AND within)
           AS too_far,
       count(*) FILTER (WHERE within) > 50 AS some
  FROM m,
       (SELECT g, geohash_lon(g) AS x, geohash_lat(g) AS y FROM place WHERE id % 7 = 0 OFFSET 0) p,
       LATERAL (SELECT pg_temp.metres(x, y, x, m.lat) AS up,
                       pg_temp.metres(x, y, m.lon, y) AS beside,
                       geohash_within_box_exact(g, m.lon, m.lat, width, height) AS within
                OFFSET 0) d
 WHERE beside < 19000000;

-- By the index the same rows as by looking at everyone, wherever and however large: constants, then
-- all at once as a join, whose ranges are computed while it runs.
CREATE TABLE search AS
    SELECT i AS id, p.lon, p.lat, (10 ^ (i % 80 / 10.0))::float8 AS size,
           (10 ^ (i % 71 / 10.0))::float8 AS height
      FROM generate_series(1, 120) i JOIN place p ON p.id = i * 163;
INSERT INTO search VALUES (1001, 180, 0, 50000, 90000), (1002, -180, 0, 50000, 90000),
    (1003, 0, 90, 200000, 300000), (1004, 0, -90, 200000, 300000), (1005, 77, 90, 0, 0),
    (1006, 0, 0, 0, 0), (1007, 0, 0, 1e300, 1e300), (1008, -180, 85, 1e6, 20015086),
    (1009, 180, -89.9, 20020000, 1e7), (1010, 13.4, 52.5, 20015086, 40030172);
ANALYZE search;
CREATE FUNCTION pg_temp.found(source text, s search, box boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE format('SELECT count(id) || '' '' || coalesce(sum(id * id), 0) FROM %I WHERE ', source)
        || CASE WHEN box THEN format('geohash_within_box(g, %L, %L, %L, %L)',
                                     s.lon, s.lat, s.size, s.height)
                ELSE format('geohash_within(g, %L, %L, %L)', s.lon, s.lat, s.size) END INTO answer;
    RETURN answer;
END
$$;
CREATE TABLE everyone AS
    SELECT s.id, box, count(p.id) || ' ' || coalesce(sum(p.id * p.id), 0) AS answer
      FROM search s CROSS JOIN (VALUES (false), (true)) b(box)
      LEFT JOIN place p
        ON CASE WHEN box THEN geohash_within_box_exact(g, s.lon, s.lat, size, height)
                ELSE geohash_within_exact(g, s.lon, s.lat, size) END
     GROUP BY s.id, box;
SET enable_seqscan = off;
SELECT count(*), count(*) FILTER (WHERE answer NOT LIKE '0 %') > 100 AS some,
       count(*) FILTER (WHERE pg_temp.found('indexed', s, box) <> answer) AS differ,
       count(*) FILTER (WHERE pg_temp.found('parted', s, box) <> answer) AS differ_parted
  FROM everyone JOIN search s USING (id);
SET enable_material = off;
SELECT nodes_of('SELECT s.id, p.id FROM search s
                 LEFT JOIN indexed p ON geohash_within(p.g, s.lon, s.lat, size)');
SELECT count(*) AS differ
  FROM everyone JOIN
       (SELECT s.id, false, count(p.id) || ' ' || coalesce(sum(p.id * p.id), 0)
          FROM search s LEFT JOIN indexed p ON geohash_within(p.g, s.lon, s.lat, size)
         GROUP BY s.id
        UNION ALL
        SELECT s.id, true, count(p.id) || ' ' || coalesce(sum(p.id * p.id), 0)
          FROM search s LEFT JOIN indexed p ON geohash_within_box(p.g, s.lon, s.lat, size, height)
         GROUP BY s.id) joined(id, box, found) USING (id, box)
 WHERE answer <> found;
RESET enable_material;
RESET enable_seqscan;
-- What is not within, and as a value.
SELECT count(*) = 20000 AS all_of_them
  FROM (SELECT id FROM indexed WHERE geohash_within(g, 13.4, 52.5, 9000)
        UNION SELECT id FROM indexed WHERE NOT geohash_within(g, 13.4, 52.5, 9000)) u;
SELECT count(*) AS differ FROM indexed, middle m
 WHERE geohash_within(g, m.lon, m.lat, m.radius)
           <> geohash_within_exact(g, m.lon, m.lat, m.radius)
    OR geohash_within(g, 13.4, 52.5, 9000) <> geohash_within_exact(g, 13.4, 52.5, 9, 'km');
SELECT geohash_within(NULL, 1, 2, 3) IS NULL AND geohash_within('s', NULL, 2, 3) IS NULL
       AND geohash_within('s', 1, 2, 3, NULL) IS NULL AS strict;
SELECT count(*) AS none FROM indexed, (VALUES (NULL::float8)) n(x)
 WHERE geohash_within(g, x, 52.5, 900);
-- Nearest first.
SELECT bool_and(id = nearest) AS nearest_first
  FROM (SELECT id, row_number() OVER (ORDER BY g <-> geohash(13.4, 52.5)) AS n
          FROM indexed WHERE geohash_within(g, 13.4, 52.5, 3, 'km')) a
  JOIN (SELECT id AS nearest, row_number() OVER (ORDER BY g <-> geohash(13.4, 52.5)) AS n
          FROM place) b USING (n);

-- ---- estimates ----

-- The rows that the planner expects, beside those there are: in the city, where rows are.
CREATE FUNCTION pg_temp.expected_rows(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
SELECT km, expected BETWEEN rows / 2.5 AND rows * 2.5 AS good
  FROM (VALUES (1), (2), (5), (8)) v(km),
       LATERAL (SELECT count(*) AS rows FROM place
                 WHERE geohash_within_exact(g, 13.45, 52.45, km, 'km')) r,
       pg_temp.expected_rows(format('SELECT * FROM indexed
                                      WHERE geohash_within(g, 13.45, 52.45, %s, ''km'')', km))
           AS expected;
SELECT expected < 100 AS few
  FROM pg_temp.expected_rows('SELECT p.* FROM middle m, indexed p
                               WHERE m.id = 1 AND geohash_within(p.g, m.lon, 52.5, 1)') expected;

-- ---- covering ranges ----

SELECT * FROM geohash_cover(13.4, 52.5, 1, 'km', 4);
SELECT lo, hi FROM geohash_cover(0, 0, 30000, unit => 'km');
SELECT count(*) FILTER (WHERE n > most) AS too_many, count(*) FILTER (WHERE descending) AS disorder,
       count(*) FILTER (WHERE n = 0) AS none
  FROM (SELECT count(*) AS n, bool_or(lo > hi OR lo <= before) AS descending, most
          FROM search s, unnest(ARRAY[1, 2, 8, 64]) most,
               LATERAL (SELECT lo, hi, lag(hi) OVER (ORDER BY lo) AS before
                          FROM geohash_cover(lon, lat, size, max_ranges => most)) c
         GROUP BY s.id, most) x;
SELECT count(*) AS missed
  FROM search s, place p
 WHERE p.id % 5 = 0 AND geohash_within_box_exact(g, s.lon, s.lat, size, height, 'ft')
   AND NOT EXISTS (SELECT FROM geohash_cover_box(s.lon, s.lat, size, height, 'ft')
                    WHERE g BETWEEN lo AND hi);
-- In a list of results memory of other functions comes and goes between two rows.
SELECT count(*), sum(length((c).lo::text)) AS characters, sum(cardinality(a) + cardinality(b)) AS n
  FROM (SELECT geohash_cover(13.4, 52.5, 1, 'km', 8), array_fill(g, ARRAY[70 * g]),
               array_fill(g, ARRAY[89 * g]) FROM generate_series(1, 20) g) s(c, a, b);
SELECT (c).lo, (c).hi, count(*), sum(cardinality(a) + length(b)) AS n
  FROM (SELECT geohash_cover_box(13.4, 52.5, 1, 1, 'km', 2), array_fill(g, ARRAY[70 * g]),
               repeat(g::text, 1000) FROM generate_series(1, 20) g) s(c, a, b)
 GROUP BY 1, 2 ORDER BY 1;
-- The ends that plans use are those of four ranges.
SELECT bool_and(a.lo = _geohash_cover_end(lon, lat, size, 'm', 2 * a.n::int - 1)
                AND a.hi = _geohash_cover_end(lon, lat, size, 'm', 2 * a.n::int)) AS circle,
       bool_and(b.lo = _geohash_cover_box_end(lon, lat, size, height, 'm', 2 * b.n::int - 1)) AS box
  FROM search, geohash_cover(lon, lat, size, 'm', 4) WITH ORDINALITY a(lo, hi, n)
  JOIN LATERAL geohash_cover_box(lon, lat, size, height, 'm', 4) WITH ORDINALITY b(lo, hi, n)
       USING (n);
SELECT _geohash_cover_end(0, 0, 1e9, 'm', 2), _geohash_cover_end(0, 0, 1e9, 'm', 3) IS NULL AS none;
SELECT _geohash_cover_end(5, 6, 7, 'm', 0), _geohash_cover_box_end(5, 6, 7, 8, 'm', 9);

-- ---- errors ----

SELECT call, pg_temp.error_of(format('SELECT %s FROM indexed LIMIT 1', call))
  FROM unnest(ARRAY[
    'geohash_within(g, 181, 0, 1)', 'geohash_within(g, 0, 91, 1)',
    'geohash_within(g, ''NaN'', 0, 1)', 'geohash_within(g, 0, 0, -1)',
    'geohash_within(g, 0, 0, ''NaN'')', 'geohash_within(g, 0, 0, ''Infinity'')',
    'geohash_within(g, 0, 0, 1, ''yd'')',
    'geohash_within_box(g, 0, 0, -1, 1)', 'geohash_within_box(g, 0, 0, 1, ''NaN'')',
    'geohash_within_box(g, 0, -90.5, 1, 1)', 'geohash_within_box(g, 0, 0, 1, 1, '''')',
    'geohash_cover(0, 0, 1, ''m'', 0)', 'geohash_cover(0, 0, 1, ''m'', 65)',
    'geohash_cover(0, 0, -0.5)', 'geohash_cover_box(0, 0, 1, ''-Infinity'')',
    '_geohash_cover_end(0, 0, 1, ''m'', -1)', '_geohash_cover_box_end(0, 0, 1, 1, ''m'', 10)']) call;
-- In a condition too, whether constant or not.
SELECT * FROM pg_temp.errors_of(
    '1 FROM indexed WHERE geohash_within(g, 0, 0, -1)',
    '1 FROM indexed, (VALUES (-1)) v(r) WHERE geohash_within(g, 0, 0, r)',
    '1 FROM indexed, middle m WHERE geohash_within(g, 0, 0, -m.lon)',
    '1 FROM indexed WHERE false AND geohash_within(g, 0, 0, -1)');
-- Where the position is NULL nothing else is looked at: in a condition, as a result, and where the ends of
-- the ranges come from another table. Where one row has a position, the error is raised.
CREATE TEMP TABLE nowhere AS SELECT NULL::geohash AS g FROM generate_series(1, 1000);
CREATE INDEX ON nowhere (g);
CREATE TEMP TABLE wrong (lon float8, lat float8, size float8, unit text);
INSERT INTO wrong VALUES (200, 0, 1, 'm'), (0, 91, 1, 'm'), (0, 0, -1, 'm'), (0, 0, 1, 'yd');
ANALYZE nowhere, wrong;
SELECT count(*), count(geohash_within(g, lon, lat, size, unit)) AS circles,
       count(geohash_within_box(g, lon, lat, size, 1, unit)) AS boxes FROM nowhere, wrong;
SET enable_seqscan = off;
SELECT count(*) FROM wrong CROSS JOIN LATERAL
    (SELECT FROM nowhere WHERE geohash_within(g, lon, lat, size, unit) OFFSET 0) s;
INSERT INTO nowhere VALUES ('u33d');
SELECT lon, lat, size, unit, pg_temp.error_of(format('SELECT count(*) FROM wrong CROSS JOIN LATERAL
    (SELECT FROM nowhere WHERE geohash_within(g, lon, lat, size, unit) OFFSET 0) s
     WHERE (lon, lat, size, unit) = (%s, %s, %s, %L)', lon, lat, size, unit))
  FROM wrong;
RESET enable_seqscan;

-- An operator class of somebody else may have another order: its index is not searched.
CREATE FUNCTION pg_temp.falling(geohash, geohash) RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN $1 OPERATOR(public.<) $2 THEN 1 WHEN $1 OPERATOR(public.>) $2 THEN -1 ELSE 0 END
$$;
CREATE OPERATOR CLASS pg_temp.falling_ops FOR TYPE geohash USING btree AS
    OPERATOR 1 > (geohash, geohash), OPERATOR 2 >= (geohash, geohash), OPERATOR 3 =,
    OPERATOR 4 <= (geohash, geohash), OPERATOR 5 < (geohash, geohash),
    FUNCTION 1 pg_temp.falling(geohash, geohash);
CREATE TEMP TABLE falling AS SELECT geohash(x / 10.0, y / 10.0) AS g
  FROM generate_series(-50, 50) x, generate_series(-50, 50) y;
CREATE INDEX ON falling (g pg_temp.falling_ops);
ANALYZE falling;
SET enable_seqscan = off;
SELECT count(*) FILTER (WHERE geohash_between(g, 's00000000000', 's03mzzzzzzzz')) AS rows FROM falling;
SELECT count(*) AS between FROM falling WHERE geohash_between(g, 's00000000000', 's03mzzzzzzzz');
SELECT count(*) AS within FROM falling WHERE geohash_within(g, 0, 0, 100000, 'm');
RESET enable_seqscan;
DROP OPERATOR FAMILY pg_temp.falling_ops USING btree CASCADE;

DROP FUNCTION pg_temp.found, nodes_of, plan_of;
DROP TABLE place, indexed, parted, middle, search, everyone;
