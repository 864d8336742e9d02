-- geohash: positions, cells, text, distance, order, Redis. Search is in geohash_search.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- Positions all over the Earth, on edges of cells and in the corners; the same on every machine.
CREATE TABLE place AS
    SELECT i AS id,
           CASE i % 10 WHEN 0 THEN (i % 7 - 3) * 60 WHEN 1 THEN (i % 64 - 32) * 360 / 64.0
               ELSE (hashint8extended(i, 1) & 1048575) / 1048576.0 * 360 - 180 END::float8 AS lon,
           CASE i % 10 WHEN 0 THEN (i % 3 - 1) * 90 WHEN 1 THEN (i % 32 - 16) * 180 / 32.0
               ELSE (hashint8extended(i, 2) & 1048575) / 1048576.0 * 180 - 90 END::float8 AS lat
      FROM generate_series(1, 2000) i;

-- ---- positions ----

-- Halving by hand, in SQL.
CREATE FUNCTION pg_temp.halved(lon float8, lat float8, length int) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    west float8 := -180; east float8 := 180; south float8 := -90; north float8 := 90;
    middle float8;
    digit int := 0;
    cell text := '';
BEGIN
    FOR i IN 0 .. 5 * length - 1 LOOP
        IF i % 2 = 0 THEN
            middle := (west + east) / 2;
            digit := digit * 2 + (lon >= middle)::int;
            IF lon >= middle THEN west := middle; ELSE east := middle; END IF;
        ELSE
            middle := (south + north) / 2;
            digit := digit * 2 + (lat >= middle)::int;
            IF lat >= middle THEN south := middle; ELSE north := middle; END IF;
        END IF;
        IF i % 5 = 4 THEN
            cell := cell || substr('0123456789bcdefghjkmnpqrstuvwxyz', digit + 1, 1);
            digit := 0;
        END IF;
    END LOOP;
    RETURN cell;
END
$$;
SELECT count(*) FILTER (WHERE geohash(lon, lat)::text <> pg_temp.halved(lon, lat, 12)) AS wrong,
       count(*) FILTER (WHERE geohash_encode(lon, lat, id % 12 + 1)
                           <> pg_temp.halved(lon, lat, id % 12 + 1)) AS wrong_encode,
       count(*) FILTER (WHERE geohash_encode(lon, lat) <> geohash(lon, lat)::text) AS differ,
       count(*) FILTER (WHERE abs(geohash_lon(g) - lon) > 180 / 2 ^ 30) AS lon_off,
       count(*) FILTER (WHERE abs(geohash_lat(g) - lat) > 90 / 2 ^ 30) AS lat_off,
       count(*) FILTER (WHERE geohash(geohash_lon(g), geohash_lat(g)) <> g) AS not_again
  FROM place, geohash(lon, lat) g;
SELECT geohash(10.40744, 57.64911), geohash(lon => -0.1, lat => 51.5), geohash(0, 0),
       geohash(-0.0, -0.0), geohash(180, 90), geohash(-180, -90);
SELECT lon, lat, pg_temp.error_of(format('SELECT geohash(%L, %L)', lon, lat))
  FROM (VALUES ('180.1', '0'), ('-180.1', '0'), ('0', '90.1'), ('0', '-90.1'), ('13', 'NaN'),
               ('NaN', '52'), ('Infinity', '0'), ('-Infinity', '0'), ('0', 'Infinity'),
               ('52.5', '113.4'), ('1e308', '1e308')) v(lon, lat);
SELECT geohash(NULL, 1) IS NULL AND geohash(1, NULL) IS NULL AS strict;
SELECT length, pg_temp.error_of(format('SELECT geohash_encode(1, 2, %s)', length))
  FROM unnest(ARRAY[0, 13, -1, 2147483647]) length;
SELECT pg_temp.error_of('SELECT geohash_encode(1, 92)');

-- ---- text ----

-- Any length is read, upper case too; the rest is filled with 0: the south-western corner.
SELECT g, g::geohash FROM unnest(ARRAY['u', 'u3', 'U33DC0', 'u33dc0cpnnqy', 'zzzzzzzzzzzz', '0']) g;
SELECT count(*) FILTER (WHERE cell::geohash::text <> rpad(cell, 12, '0')) AS wrong
  FROM place, geohash(lon, lat) g, generate_series(1, 12) n, left(g::text, n) cell;
SELECT g, pg_temp.error_of(format('SELECT %L::geohash', g))
  FROM unnest(ARRAY['', 'a', 'u33i', 'u33l', 'u33o', 'u33 ', ' u33', 'u-3', 'u33dc0cpnnqyx', 'ü3',
                    'u33ü', '+52.5']) g;
SELECT * FROM pg_temp.errors_of(
    $$'🌍'::geohash$$, $$geohash_decode('u33a')$$, $$geohash_bounds('')$$,
    $$geohash_neighbors('u33dc0cpnnqyu33dc0cpnnqy')$$);

-- A range of texts is what lies in the cell.
SELECT count(*) > 0 AS some,
       bool_and((g BETWEEN 'u' AND 'uzzzzzzzzzzz') = (g::text LIKE 'u%')) AS prefix,
       bool_and((g >= '9q' AND g < '9r') = (g::text LIKE '9q%')) AS half_open
  FROM place, geohash(lon, lat) g;

-- ---- cells ----

SELECT * FROM geohash_decode('ezs42');
SELECT * FROM geohash_bounds('ezs42');
SELECT * FROM geohash_bounds('s');
SELECT count(*) FILTER (WHERE NOT (p.lon >= lon_min AND p.lon <= lon_max
                                  AND p.lat >= lat_min AND p.lat <= lat_max)) AS out,
       count(*) FILTER (WHERE (lon_min + lon_max) / 2 <> d.lon OR (lat_min + lat_max) / 2 <> d.lat
                           OR d.lon_error <> (lon_max - lon_min) / 2
                           OR d.lat_error <> (lat_max - lat_min) / 2) AS decode_differs,
       count(*) FILTER (WHERE lon_max - lon_min <> 360 / 2 ^ ceil(2.5 * n)
                           OR lat_max - lat_min <> 180 / 2 ^ floor(2.5 * n)) AS size
  FROM place p, generate_series(1, 12) n, geohash_encode(p.lon, p.lat, n) cell,
       geohash_bounds(cell) b,
       geohash_decode(cell) d;
SELECT count(*) FILTER (WHERE d.lon <> geohash_lon(g) OR d.lat <> geohash_lat(g)) AS middle_differs
  FROM place, geohash(lon, lat) g, geohash_decode(g::text) d;

SELECT * FROM geohash_neighbors('u33');
-- Across 180 degrees; and nothing lies beyond a pole.
SELECT * FROM geohash_neighbors('xbp');
SELECT * FROM geohash_neighbors('zzzzzzzzzzzz');
SELECT * FROM geohash_neighbors('0');
SELECT count(*) AS cells,
       count(*) FILTER (WHERE n IS NOT NULL AND (geohash_neighbors(n)).s <> cell) AS n_s,
       count(*) FILTER (WHERE (geohash_neighbors(e)).w <> cell) AS e_w,
       count(*) FILTER (WHERE ne IS DISTINCT FROM (geohash_neighbors(n)).e) AS n_e,
       count(*) FILTER (WHERE sw IS DISTINCT FROM (geohash_neighbors(w)).s) AS w_s,
       count(*) FILTER (WHERE nw IS DISTINCT FROM (geohash_neighbors(w)).n) AS w_n,
       count(*) FILTER (WHERE se IS DISTINCT FROM (geohash_neighbors(e)).s) AS e_s,
       count(*) FILTER (WHERE (n IS NULL) <> ((geohash_bounds(cell)).lat_max = 90)) AS north,
       count(*) FILTER (WHERE (s IS NULL) <> ((geohash_bounds(cell)).lat_min = -90)) AS south
  FROM place, geohash_encode(lon, lat, id % 12 + 1) cell, geohash_neighbors(cell);

-- ---- distance ----

SELECT count(*) FILTER (WHERE abs((a <-> b) - haversine) > 1e-3) AS wrong,
       count(*) FILTER (WHERE (a <-> b) <> (b <-> a) OR (a <-> a) <> 0) AS not_metric,
       count(*) FILTER (WHERE (a <-> b) <> geohash_distance(a, b)) AS operator,
       count(*) FILTER (WHERE geohash_distance(a, b, 'm') <> geohash_distance(a, b)
                           OR abs(geohash_distance(a, b, 'km') * 1000 - (a <-> b)) > 1e-6
                           OR abs(geohash_distance(a, b, 'ft') * 0.3048 - (a <-> b)) > 1e-6
                           OR abs(geohash_distance(a, b, 'MI') * 1609.34 - (a <-> b)) > 1e-6)
           AS unit
  FROM place p, geohash(p.lon, p.lat) a, geohash(-p.lat * 2, p.lon / 2.5) b,
       LATERAL (SELECT 2 * 6372797.560856 * asin(sqrt(least(1,
           sind((geohash_lat(a) - geohash_lat(b)) / 2) ^ 2
               + cosd(geohash_lat(a)) * cosd(geohash_lat(b))
               * sind((geohash_lon(a) - geohash_lon(b)) / 2) ^ 2))) AS haversine) h
 WHERE haversine < 19000000;
SELECT round(geohash(13.361389, 38.115556) <-> geohash(15.087269, 37.502669)) AS palermo_catania,
       geohash(180, 10) <-> geohash(-180, 10) < 0.05 AS seam,
       geohash(0, 90) <-> geohash(90, 90) < 0.05 AS pole;
SELECT unit, pg_temp.error_of(format('SELECT geohash_distance(''u'', ''s'', %L)', unit))
  FROM unnest(ARRAY['', 'meter', 'kmx', 'k', 'mi ']) unit;

-- ---- in and out, casts ----

SELECT count(*) FILTER (WHERE g::text::geohash <> g OR g::bytea::geohash <> g
                           OR g::bigint::geohash <> g OR _geohash_send(g) <> g::bytea
                           OR length(g::bytea) <> 8) AS not_around
  FROM place, geohash(lon, lat) g;
SELECT 'u33dc0cpnnqy'::geohash::bigint, 'u33dc0cpnnqy'::geohash::bytea,
       'zzzzzzzzzzzz'::geohash::bigint = 2 ^ 60 - 1 AS last;
SELECT n, pg_temp.error_of(format('SELECT (%L::bigint)::geohash', n))
  FROM unnest(ARRAY[0, -1, 1152921504606846975, 1152921504606846976, -9223372036854775808]) n;
SELECT b, pg_temp.error_of(format('SELECT %L::bytea::geohash', b))
  FROM unnest(ARRAY['\x0fffffffffffffff', '\x1000000000000000', '\xffffffffffffffff', '\x', '\x00',
                    '\x000000000000000000']::bytea[]) b;
-- The binary protocol goes through the same door. COPY shows it.
CREATE TABLE binary_form (g geohash);
INSERT INTO binary_form SELECT geohash(lon, lat) FROM place;
\copy binary_form TO 'build/regress/geohash.copy' (FORMAT binary)
CREATE TABLE binary_again (LIKE binary_form);
\copy binary_again FROM 'build/regress/geohash.copy' (FORMAT binary)
SELECT count(*) FROM (TABLE binary_form EXCEPT ALL TABLE binary_again) x;
CREATE TABLE bigints (n bigint);
INSERT INTO bigints VALUES (1152921504606846976);
\copy bigints TO 'build/regress/bigints.copy' (FORMAT binary)
\set VERBOSITY sqlstate
\copy binary_again FROM 'build/regress/bigints.copy' (FORMAT binary)
\set VERBOSITY default

-- ---- order ----

-- Of the numbers, of the text, and of positions: Z-order. With an index, without, and by a sort.
SELECT bool_and(by_text = by_number AND by_number = by_value) AS one_order
  FROM (SELECT row_number() OVER (ORDER BY g::text COLLATE "C", id) AS by_text,
               row_number() OVER (ORDER BY g::bigint, id) AS by_number,
               row_number() OVER (ORDER BY g, id) AS by_value
          FROM place, geohash(lon, lat) g) o;
SELECT bool_and((a < b) = (a::bigint < b::bigint) AND (a <= b) = (a::bigint <= b::bigint)
                AND (a = b) = (a::bigint = b::bigint) AND (a <> b) = (a::bigint <> b::bigint)
                AND (a >= b) = (a::bigint >= b::bigint) AND (a > b) = (a::bigint > b::bigint)
                AND _geohash_cmp(a, b) = sign(a::bigint - b::bigint)) AS operators
  FROM place p, place q, geohash(p.lon, p.lat) a, geohash(q.lon, q.lat) b
 WHERE p.id % 20 = 0 AND q.id % 20 = 0;
CREATE INDEX ON binary_form (g);
CREATE INDEX ON binary_form USING hash (g);
SELECT indexdef FROM pg_indexes WHERE tablename = 'binary_form' ORDER BY 1;
SET enable_seqscan = off;
SELECT count(*) = (SELECT count(*) FROM place WHERE geohash(lon, lat) = geohash(-180, -90)) AS equal
  FROM binary_form WHERE g = geohash(-180, -90);
SELECT bool_and(g >= before) AS index_order
  FROM (SELECT g, lag(g) OVER (ORDER BY g) AS before FROM binary_form) o;
RESET enable_seqscan;
SELECT count(DISTINCT g) = count(DISTINCT g::text) AS distinct_values,
       count(DISTINCT g) = (SELECT count(*) FROM (SELECT g FROM binary_form GROUP BY g) d) AS hashed
  FROM binary_form;
SET enable_mergejoin = off; SET enable_nestloop = off;
SELECT count(*) >= 2000 AS hash_join FROM binary_form a JOIN binary_again b USING (g);
RESET enable_mergejoin; RESET enable_nestloop;
SELECT _geohash_hash_extended('u33', 0) & 4294967295 = _geohash_hash('u33')::bigint & 4294967295
           AS low_half,
       _geohash_hash_extended('u33', 0) <> _geohash_hash_extended('u33', 1) AS seeded;

-- ---- Redis ----

SELECT geohash_to_redis(13.361389, 38.115556) AS palermo,
       geohash_to_redis(geohash(13.361389, 38.115556)) AS of_cell,
       geohash_redis_text(geohash_from_redis(3479099956230698)) AS text,
       geohash_redis_text(geohash(15.087269, 37.502669)) AS catania;
SELECT round(geohash_from_redis(3479099956230698) <-> geohash_from_redis(3479447370796909))
           AS geodist;
-- A score is a geohash and back.
SELECT count(*) FILTER (WHERE geohash_to_redis(geohash_from_redis(score)) <> score) AS changed
  FROM (SELECT hashint8extended(i, 3) & 4503599627370495 AS score FROM generate_series(1, 2000) i
        UNION ALL SELECT unnest(ARRAY[0, 4503599627370495])) s;
-- What Redis stores of 180 degrees and its northern limit, one column or row past the last.
SELECT score, abs(geohash_lon(g) - lon) < 1e-5 AS lon, abs(geohash_lat(g) - lat) < 1e-5 AS lat
  FROM (VALUES (10138940401276180, 180, 10), (13510798882111488, 180, 85.05112878),
               (6766947132407976, 20, 85.05112878)) v(score, lon, lat), geohash_from_redis(score) g;
SELECT geohash_to_redis(180, 85.05112878) = 4503599627370495 AS clamped;
SELECT score, pg_temp.error_of(format('SELECT geohash_from_redis(%L)', score))
  FROM unnest(ARRAY[-1, 4503599627370497, 18014398509481984, 9223372036854775807]) score;
SELECT * FROM pg_temp.errors_of(
    'geohash_to_redis(geohash(0, 86))', 'geohash_to_redis(0, -85.1)',
    'geohash_redis_text(geohash(0, 90))', 'geohash_to_redis(200, 0)');

DROP TABLE place, binary_form, binary_again, bigints;
