-- tdigest and Redis: t-digests as DUMP returns them (TDIGEST.*), and what Redis answers from them.
--
-- Payloads are made field by field, as the module writes them (include/redis_tdigest.sql), with a checksum that
-- is shown to be Redis's.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\i sql/include/redis_tdigest.sql
\set ECHO all

SELECT pg_temp.dump('\x00c00c') = '\x00c00c0a003c2af8515c04bcd5' AS as_redis;

-- ---- payloads of a real server ----

-- Each with the server's answers (test/data/README.md). Ours are the same where all values are single;
-- otherwise Redis has lines between centroids and we have a curve, at most half of the largest
-- centroid away.
CREATE TEMP TABLE server (line jsonb);
\copy server FROM 'test/data/redis_tdigest.jsonl'
CREATE TEMP TABLE imported AS
    SELECT line->>'name' AS name, line,
           tdigest_from_redis(decode(line->>'dump', 'hex')) AS digest
      FROM server;
SELECT name AS other
  FROM imported, tdigest_info(digest) i
 WHERE (tdigest_count(digest), i.compression, i.centroids, coalesce(i.min, 'NaN'), coalesce(i.max, 'NaN'))
       <> ((line->'info'->>9)::bigint, (line->'info'->>1)::int, (line->'info'->>5)::int,
           (line->>'min')::float8, (line->>'max')::float8);
CREATE FUNCTION pg_temp.same(ours float8, theirs text) RETURNS boolean LANGUAGE sql AS $$
    SELECT coalesce(abs(ours - theirs::float8) <= 1e-12 * abs(theirs::float8), theirs = 'nan')
$$;
CREATE FUNCTION pg_temp.half(digest tdigest) RETURNS float8 LANGUAGE sql AS $$
    SELECT max(weight) / tdigest_count(digest)::float8 / 2 FROM tdigest_centroids(digest)
$$;
SELECT name, count(*) AS quantiles,
       bool_and(pg_temp.same(tdigest_quantile(digest, q::float8), theirs)) AS same,
       bool_and(coalesce(abs(tdigest_cdf(digest, nullif(theirs, 'nan')::float8)
                             - tdigest_cdf(digest, tdigest_quantile(digest, q::float8)))
                         < pg_temp.half(digest), theirs = 'nan')) AS near
  FROM imported, jsonb_array_elements_text(line->'q') WITH ORDINALITY q(q, n),
       LATERAL (SELECT line->'quantile'->>(n - 1)::int) r(theirs)
 GROUP BY name ORDER BY name COLLATE "C";
SELECT name, count(*) AS shares,
       bool_and(pg_temp.same(tdigest_cdf(digest, at::float8), theirs)) AS same,
       bool_and(coalesce(abs(tdigest_cdf(digest, at::float8) - nullif(theirs, 'nan')::float8)
                         < pg_temp.half(digest), theirs = 'nan')) AS near
  FROM imported, jsonb_array_elements_text(line->'at') WITH ORDINALITY a(at, n),
       LATERAL (SELECT line->'cdf'->>(n - 1)::int) r(theirs)
 GROUP BY name ORDER BY name COLLATE "C";

-- ---- good ones ----

-- {1, 2 x 2, 3 x 3, 4 x 4, 5 x 5}, all single: the payload, and the answers of Redis.
CREATE TEMP TABLE known AS
    SELECT pg_temp.tdis(a, array_fill(1::float8, ARRAY[15])) AS payload
      FROM (VALUES (ARRAY[1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5]::float8[])) v(a);
SELECT octet_length(payload) AS bytes, encode(substr(payload, 1, 46), 'hex') AS begins FROM known;
SELECT t = tdigest_add_all(tdigest_empty(100), ARRAY[1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5])
           AS as_counted,
       tdigest_cdf_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6])
           = ARRAY[0, 1 / 30.0, 2 / 15.0, 0.3, 8 / 15.0, 5 / 6.0, 1]::float8[] AS cdf,
       tdigest_rank_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6]) AS rank,
       tdigest_revrank_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6]) AS revrank,
       tdigest_byrank_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]) AS byrank,
       tdigest_trimmed_mean(t, 0.1, 0.9) = 3.769230769230769 AS trimmed_mean
  FROM known, tdigest_from_redis(payload) t;
-- The same with the equal ones in one centroid each, which Redis may have as well.
SELECT (tdigest_info(t)).*, tdigest_mean(t) = 55 / 15.0::float8 AS mean,
       abs(tdigest_cdf(t, 3) - 0.3) < 0.005 AS cdf,
       tdigest_rank_each(t, ARRAY[0, 1, 2, 3, 4, 5, 6]) AS rank
  FROM tdigest_from_redis(pg_temp.tdis(ARRAY[1, 2, 3, 4, 5], ARRAY[1, 2, 3, 4, 5])) t;
-- Nothing in it, as TDIGEST.CREATE leaves it; one value; two.
SELECT tdigest_from_redis(pg_temp.tdis('{}', '{}')) = tdigest_empty(100) AS empty,
       tdigest_from_redis(pg_temp.tdis('{}', '{}', 0, 0)) = tdigest_empty(100) AS zeros,
       tdigest_from_redis(pg_temp.tdis('{}', '{}', 'NaN', 'NaN')) = tdigest_empty(100) AS nans,
       tdigest_from_redis(pg_temp.tdis('{7}', '{1}')) = tdigest_add(tdigest_empty(100), 7) AS one,
       tdigest_from_redis(pg_temp.tdis('{-0}', '{1}')) = tdigest_add(tdigest_empty(100), 0) AS zero,
       tdigest_from_redis(pg_temp.tdis('{7}', '{5}')) = tdigest_add(tdigest_empty(100), 7, 5)
           AS five;
-- The extremes, which Redis keeps beside the centroids, are centroids of one value here; the rest
-- of an outer centroid keeps its sum.
SELECT what, array_agg(mean) AS means, array_agg(weight) AS weights,
       sum(mean * weight) = (SELECT sum(m * w) FROM unnest(means, weights) u(m, w)) AS same_sum
  FROM (VALUES
    ('both',             '{2,5,8}'::float8[], '{2,4,2}'::float8[], 1::float8, 9::float8),
    ('the least',        '{2,5,8}', '{2,4,2}', 1, 8),
    ('the greatest',     '{2,5,8}', '{2,4,1}', 2, 8),
    ('neither',          '{2,5,8}', '{2,4,2}', 2, 8),
    ('of one centroid',  '{5}',     '{4}',     1, 9),
    ('of one with two',  '{5}',     '{2}',     1, 9),
    ('of one, to a side', '{4.5}',  '{4}',     3, 5)
  ) v(what, means, weights, low, high),
       tdigest_centroids(tdigest_from_redis(pg_temp.tdis(means, weights, low, high)))
 GROUP BY what, means, weights ORDER BY what COLLATE "C";
-- Huge ones do not leave the range.
SELECT tdigest_min(t) = -1.7e308 AND tdigest_max(t) = 1.7e308 AS extremes, tdigest_count(t),
       (SELECT bool_and(abs(mean) <= 1.7e308) FROM tdigest_centroids(t)) AS within
  FROM tdigest_from_redis(pg_temp.tdis('{-1.6e308,0,1.6e308}', '{2,5,2}', -1.7e308, 1.7e308)) t;
SELECT tdigest_count(t), tdigest_min(t), tdigest_max(t)
  FROM tdigest_from_redis(pg_temp.tdis('{1,2}', '{9007199254740992,9007199254740992}')) t;
-- A compression is brought into the range that there is here.
SELECT c, (tdigest_info(tdigest_from_redis(pg_temp.tdis('{1}', '{1}',
    compression => c)))).compression
  FROM unnest(ARRAY[1, 9.9, 10, 100, 10000, 10001, 1e18]::float8[]) c;
-- As many centroids as Redis may have are merged down to what fits.
SELECT n, tdigest_count(t) = 3 * n - 4 AS count, (tdigest_info(t)).centroids <= 75 AS centroids,
       tdigest_min(t), tdigest_max(t) = n AS max, abs(tdigest_quantile(t, 0.5) - (n + 1) / 2.0)
           <= n / 50.0 AS median
  FROM (SELECT n, pg_temp.tdis(array_agg(x::float8 ORDER BY x),
                               array_agg(CASE WHEN x IN (1, n) THEN 1 ELSE 3 END ORDER BY x))
                                   AS payload
          FROM unnest(ARRAY[75, 76, 77, 100, 610]) n, generate_series(1, n) x GROUP BY n) s,
       tdigest_from_redis(payload) t ORDER BY n;
-- It merges with others, and goes on.
SELECT tdigest_count(t | tdigest_add(tdigest_empty(), 6)) AS union,
       tdigest_max(tdigest_add(t, 7)) AS add, (tdigest_info(tdigest_union_agg(t))).compression
  FROM known, tdigest_from_redis(payload) t GROUP BY t;
-- Lengths in every form that a payload may have them in, with both opcodes of signed fields.
SELECT bool_and(tdigest_from_redis(pg_temp.dump(pg_temp.head(100, 5, 5, 610, 1, 0, 1)
                                                || pg_temp.doubles('{5,1}') || '\x00'))
                = tdigest_from_redis(pg_temp.dump(overlay(pg_temp.head(100, 5, 5, 610, 1, 0, 1)
                                                          PLACING (opcode || merged) FROM 41 FOR 2)
                                                  || pg_temp.doubles('{5,1}') || '\x00'))) AS same,
       bool_and(substr(pg_temp.head(100, 5, 5, 610, 1, 0, 1), 41, 2) = '\x0201') AS at_the_place
  FROM unnest(ARRAY['\x01', '\x4001', '\x8000000001', '\x810000000000000001']::bytea[]) merged,
       unnest(ARRAY['\x01', '\x02']::bytea[]) opcode;

-- ---- refused ----

-- Every lie that a payload may tell is in test/unit/tdigest/test_tdigest_redis.c and
-- test/unit/common/test_redis_dump.c; here is what SQL answers to one of each kind.
CREATE TEMP TABLE small AS SELECT pg_temp.tdis('{1,2,4}', '{1,5,1}') AS payload;
SELECT what, pg_temp.error_of(format('SELECT tdigest_from_redis(%L)', payload))
  FROM (VALUES
    ('nothing',           ''::bytea),
    ('a list',            '\x1201020a0a0000000100816102ff0a0009b9edf594ded995'),
    ('another version',   pg_temp.dump(overlay(pg_temp.head(100, 5, 5, 610, 1, 0, 1)
                                                   PLACING '\x01'::bytea FROM 10)
                                       || pg_temp.doubles('{5,1}') || '\x00')),
    ('no end',            pg_temp.dump(pg_temp.head(100, 5, 5, 610, 1, 0, 1) || pg_temp.doubles('{5,1}'))),
    ('descending means',  pg_temp.tdis('{2,1}', '{1,1}', 1, 2)),
    ('weight 1.5',        pg_temp.tdis('{1,2}', '{1,1.5}')),
    ('a NaN below',       pg_temp.tdis('{1,2}', '{1,1}', 'NaN', 2)),
    ('compression 0',     pg_temp.tdis('{1}', '{1}', compression => 0)),
    ('unmerged ones',     pg_temp.tdis('{1}', '{1}', unmerged => 1)),
    ('one centroid more', pg_temp.tdis('{1,2}', '{1,1}', merged => 3))
  ) v(what, payload);
SELECT DISTINCT pg_temp.sqlstate_of(format('SELECT tdigest_from_redis(%L)', substr(payload, 1, n)))
           AS prefixes
  FROM small, generate_series(0, octet_length(payload) - 11) n;
-- What Redis does not need, and what is computed anew, is not looked at.
SELECT bool_and(tdigest_from_redis(pg_temp.dump(h || pg_temp.doubles('{1,2,4}')
                                                || pg_temp.doubles('{1,5,1}') || '\x00'))
                = tdigest_from_redis(payload)) AS same
  FROM small, unnest(ARRAY[pg_temp.head(100, 1, 4, 0, 3, 0, 7),
      pg_temp.head(100, 1, 4, -1, 3, 0, 7),
                           pg_temp.head(100, 1, 4, 610, 3, 0, 8), pg_temp.head(100, 1, 4, 610, 3,
                               0, 'NaN')
                          ]) h;

SELECT tdigest_from_redis(NULL) IS NULL AS null;
