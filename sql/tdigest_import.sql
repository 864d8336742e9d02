-- tdigest and other systems' sketches: DataSketches' t-digests and KLL sketches, Dunning's t-digests,
-- digests of the tdigest extension, histograms, DDSketch.
--
-- The sketches were made by those programs (test/data/README.md).
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\i sql/include/ddsketch_message.sql
\set ECHO all
CREATE TEMP TABLE line (line jsonb);
\copy line FROM 'test/data/quantile_sketches.jsonl'
CREATE TEMP TABLE sketch AS
    SELECT line->>'kind' AS kind, (line->>'n')::bigint AS n, line->>'file' AS file,
           decode(line->>'base64', 'base64') AS bytes, line
      FROM line;

-- ---- t-digests of DataSketches ----

-- Each of 1 to n at k = 100: centroids are taken as they are, and a compression at which they fit.
CREATE TEMP TABLE td AS
    SELECT kind, n, bytes, tdigest_from_datasketches(bytes) AS d
      FROM sketch WHERE kind ~ '^tdigest_(double|float)';
SELECT kind, n, i.count = n AS count, i.compression, i.centroids, i.min, i.max,
       round((tdigest_cdf(d, (n + 1) / 2.0) - 0.5)::numeric, 3) AS middle,
       round((tdigest_cdf(d, n * 0.99 + 0.5) - 0.99)::numeric, 3) AS p99
  FROM td, tdigest_info(d) i ORDER BY kind COLLATE "C", n;
-- And back: the same behind the header, where there was no buffer; read again it is the same value.
SELECT kind, bool_and(substr(bytes, 9) = substr(tdigest_to_datasketches(d), 9)) AS same
  FROM td WHERE kind = 'tdigest_double' OR kind = 'tdigest_double_buf' AND n <= 1 GROUP BY kind ORDER BY kind;
SELECT count(*), bool_and(tdigest_from_datasketches(tdigest_to_datasketches(d)) = d) AS identity
  FROM td;
-- Their format does not say that a row of a weight is a point.
SELECT bool_and(ARRAY(SELECT c::text FROM tdigest_centroids(
                          tdigest_from_datasketches(tdigest_to_datasketches(d))) c)
                = ARRAY(SELECT c::text FROM tdigest_centroids(d) c)) AS identity
  FROM generate_series(1, 400, 21) n, unnest(ARRAY[10, 11, 100, 200, 10000]) c,
       LATERAL (SELECT tdigest_weighted_agg(sqrt(x), 1 + x % 3, c) AS d
                  FROM generate_series(1, n) x) s;
SELECT tdigest_to_datasketches(tdigest_empty()) AS empty,
       tdigest_to_datasketches(tdigest_add(tdigest_empty(), 1.5)) AS one,
       tdigest_to_datasketches(tdigest_add(tdigest_empty(50), 1.5, 3)) AS thrice;

-- ---- KLL sketches of DataSketches ----

-- Of 1 to n; k = 200, whose rank error is 1.3 %.
SELECT count(*), bool_and(i.count = n AND i.compression = 200) AS sizes,
       bool_and(n = 0 OR i.min = 1 AND i.max = n) AS extremes,
       bool_and(n = 0 OR abs(tdigest_cdf(d, (n + 1) / 2.0) - 0.5) < 0.013) AS middle,
       bool_and(n = 0 OR abs(tdigest_cdf(d, n * 0.99 + 0.5) - 0.99) < 0.013) AS p99
  FROM (SELECT *, tdigest_from_kll(bytes, substr(kind, 5)) AS d FROM sketch WHERE kind ~ '^kll_') s,
       tdigest_info(d) i;
-- Of the square roots of 1 to n, with the answers of the extension that made them.
SELECT n, tdigest_count(d) = n AS count, bool_and(abs(tdigest_cdf(d, answer) - q) < 0.013
           OR n = 1 OR (n = 10 AND abs(tdigest_cdf(d, answer) - q) <= 0.1)) AS quantiles
  FROM (SELECT n, line, tdigest_from_kll(bytes) AS d
          FROM sketch WHERE kind = 'datasketches kll double') s,
       LATERAL (SELECT q::float8, (line->'quantiles'->>(o - 1)::int)::float8 AS answer
                  FROM jsonb_array_elements_text(line->'q') WITH ORDINALITY j(q, o)) a
 GROUP BY n, d ORDER BY n;
SELECT pg_temp.error_of('SELECT tdigest_from_kll(''\x0201'', ''string'')') AS item;

-- ---- Dunning's library ----

-- Of 0 to 9999 at compression 100, verbose and small.
SELECT file, i.*, round((tdigest_cdf(d, 4999.5) - 0.5)::numeric, 4) AS middle,
       round((tdigest_cdf(d, 9899.5) - 0.99)::numeric, 4) AS p99
  FROM (SELECT file, tdigest_from_dunning(bytes) AS d FROM sketch WHERE kind ~ 'ref') s,
       tdigest_info(d) i ORDER BY file COLLATE "C";
-- The library's AVLTreeDigest, verbose and small: 1, twice 2, 300 times 2.5, and 4.
SELECT form, i.count, i.min, i.max, i.compression, (SELECT array_agg(weight) FROM tdigest_centroids(d)) AS weights,
       (SELECT array_agg(mean) FROM tdigest_centroids(d)) AS means
  FROM (VALUES
    ('verbose', int4send(1) || float8send(1) || float8send(4) || float8send(50) || int4send(4)
        || float8send(1) || float8send(2) || float8send(2.5) || float8send(4)
        || int4send(1) || int4send(2) || int4send(300) || int4send(1)),
    ('small', int4send(2) || float8send(1) || float8send(4) || float8send(50) || int4send(4)
        || float4send(1) || float4send(1) || float4send(0.5) || float4send(1.5) || '\x0102ac0201'),
    ('empty', int4send(2) || float8send('Infinity') || float8send('-Infinity') || float8send(50) || int4send(0))
  ) v (form, bytes), tdigest_from_dunning(bytes) d, tdigest_info(d) i;

-- ---- the tdigest extension ----

-- Its text and JSON have six digits. Its own answers are on lines between centroids, ours on a
-- curve.
SELECT n, form, i.count = n AS count, i.compression, i.centroids,
       round(max(abs(tdigest_cdf(d, answer) - q))::numeric, 3) AS in_rank
  FROM (SELECT n, line, form, tdigest_from_tdigest_extension(line->>form) AS d
          FROM sketch, unnest(ARRAY['text', 'json']) form WHERE kind = 'tdigest extension') s,
       tdigest_info(d) i,
       LATERAL (SELECT q::float8, (line->'percentiles'->>(o - 1)::int)::float8 AS answer
                  FROM jsonb_array_elements_text(line->'q') WITH ORDINALITY j(q, o)) a
 GROUP BY n, form, i.count, i.compression, i.centroids ORDER BY n, form;
-- What _tdigest_send writes, and its text and JSON, of one digest; sums in place of means.
CREATE FUNCTION pg_temp.sent(flags int, compression int, means float8[], counts bigint[])
RETURNS bytea LANGUAGE sql AS $$
    SELECT int4send(flags) || int8send((SELECT coalesce(sum(c), 0)::bigint FROM unnest(counts) c))
           || int4send(compression) || int4send(cardinality(means))
           || coalesce(string_agg(float8send(m) || int8send(c), '' ORDER BY i), '')
      FROM unnest(means, counts) WITH ORDINALITY u(m, c, i)
$$;
SELECT tdigest_from_tdigest_extension(pg_temp.sent(1, 100, '{1.5,2.25,7}', '{1,3,1}'))
           = tdigest_from_tdigest_extension('flags 1 count 5 compression 100 centroids 3 (1.500000, 1) (2.250000, 3) (7.000000, 1)') AS text,
       tdigest_from_tdigest_extension(pg_temp.sent(1, 100, '{1.5,2.25,7}', '{1,3,1}'))
           = tdigest_from_tdigest_extension('{"flags": 1, "count": 5, "compression": 100, "centroids": 3, "mean": [1.5, 2.25, 7], "count": [1, 3, 1]}') AS json,
       tdigest_from_tdigest_extension(pg_temp.sent(1, 100, '{1.5,2.25,7}', '{1,3,1}'))
           = tdigest_from_tdigest_extension(pg_temp.sent(0, 100, '{1.5,6.75,7}', '{1,3,1}')) AS sums,
       tdigest_from_tdigest_extension(pg_temp.sent(1, 100, '{1.5,2.25,7}', '{1,3,1}'))
           = tdigest_from_tdigest_extension(pg_temp.sent(1, 100, '{7,1.5,2.25}', '{1,1,3}')) AS not_compacted,
       tdigest_from_tdigest_extension(pg_temp.sent(1, 100, '{}', '{}')) = tdigest_empty(100) AS empty,
       tdigest_from_tdigest_extension('flags 0 count 0 compression 50 centroids 0') = tdigest_empty(50) AS empty_text;
SELECT printed, pg_temp.error_of(format('SELECT tdigest_from_tdigest_extension(%L::text)', printed)) AS error
  FROM unnest(ARRAY['', '{}', 'flags', 'flags 1 count 1 compression 100 centroids 1 (1, 1',
    'flags 1 count 1 compression 100 centroids 1 (1, 1) x', 'flags 1 count 2 compression 100 centroids 1 (1, 1)',
    'flags 1 count 1 compression 100 centroids 2 (1, 1)', 'flags 1 count 1 compression 100 centroids 1 (nan, 1)',
    'flags 1 count 1 compression 100 centroids 1 (0x1p3, 1)', 'flags 1 count 1 compression 100 centroids 1 (1e999, 1)',
    'flags 1 count 0 compression 100 centroids 1 (1, 0)', 'flags 1 count 1 compression 100 centroids 1 (1, 99999999999999999999)',
    'flags 1 count -1 compression 100 centroids 1 (1, -1)', 'flags 2 count 1 compression 100 centroids 1 (1, 1)',
    'flags 1 count 1 compression 0 centroids 1 (1, 1)',
    '{"flags": 1, "count": 1, "compression": 100, "centroids": 1, "mean": [1], "count": [1, 1]}',
    '{"flags": 1, "count": 1, "compression": 100, "centroids": 1, "mean": [1, 2], "count": [1]}',
    '{"flags": 1, "count": 1, "compression": 100, "centroids": 1, "mean": [1]}',
    '{"flags": 1, "count": [1], "compression": 100, "centroids": 1, "mean": [1], "other": 1}',
    '{"flags": 1, "count": 1, "compression": 100, "centroids": 9223372036854775807, "mean": [1], "count": [1]}']) printed;

-- ---- histograms ----

-- As many counts as bounds, the first bucket open; one more, both ends open; one less, none.
SELECT bounds, counts, i.count, i.min, i.max, i.centroids
  FROM (VALUES ('{1,2,4}'::float8[], '{1,2,3}'::bigint[]), ('{1,2,4}', '{1,2,3,4}'),
               ('{1,2,4}', '{2,3}'), ('{1,2,Infinity}', '{1,2,3}'), ('{-Infinity,1,2}', '{1,2}'),
               ('{-2,-1}', '{1,2}'), ('{0,1}', '{5,0}'), ('{5}', '{1,1}'), ('{}', '{}'),
               ('{1,2}', '{0,0,0}'), ('{-1e308,1e308}', '{1000}')) v(bounds, counts),
       tdigest_info(tdigest_from_histogram(bounds, counts)) i;
SELECT mean, weight FROM tdigest_centroids(tdigest_from_histogram('{0,1,2,4}', '{4,0,1003}'))
 WHERE mean < 2.1;
-- At the bounds the shares are those of the counts; inside a bucket quantiles are interpolated.
SELECT bool_and(abs(tdigest_cdf(d, b) - (b - 1) / 9.0) < 1e-6) AS bounds,
       round(tdigest_quantile(d, 0.5)::numeric, 2) AS median,
       round(tdigest_quantile(d, 0.99)::numeric, 2) AS p99
  FROM (SELECT tdigest_from_histogram(array_agg(b::float8 ORDER BY b),
                                      array_fill(1000000::bigint, ARRAY[9])) AS d
          FROM generate_series(1, 10) b) s, generate_series(1, 10) b GROUP BY d;
-- Whatever the buckets are: as exact as the counts, at bounds; open buckets are outside of theirs.
SELECT bounds, counts, tdigest_cdf_each(d, bounds) AS cdf,
       tdigest_cdf_each(d, bounds, true) = tdigest_cdf_each(d, bounds) AS inclusive_too,
       tdigest_percentiles(d, '{0,0.05,0.5,0.95,1}') AS percentiles
  FROM (VALUES ('{0,1,2}'::float8[], '{4,3,2,1}'::bigint[]), ('{-3,0,5}', '{10,40,40,10}'),
               ('{-3,0,5}', '{10,0,0,0}'), ('{-3,0,5}', '{0,0,0,10}'), ('{0}', '{30,70}'),
               ('{-Infinity,-3,0,Infinity}', '{20,30,50}'), ('{0,1,2}', '{500,500}'),
               ('{0.1,0.5,1}', '{100,200,300,400}'), ('{1}', '{1000}'),
               ('{-1}', '{1000}')) v(bounds, counts),
       tdigest_from_histogram(bounds, counts) d;
-- Merged with values and with other histograms.
SELECT tdigest_cdf_each(h | h, '{-3,0,5}') AS twice, tdigest_min(h | h) AS min,
       tdigest_cdf(h | tdigest_add(tdigest_empty(), -4, 100), -3) AS with_less,
       tdigest_min(h | tdigest_add(tdigest_empty(), -4)) AS less,
       tdigest_max(tdigest_add(h, 5)) AS as_much, tdigest_max(tdigest_add(h, 6)) AS more,
       (tdigest_empty(50) | h) = h AND (h | tdigest_empty(50)) = h AND h::text::tdigest = h
           AS neutral,
       tdigest_max(tdigest_from_datasketches(tdigest_to_datasketches(h))) AS datasketches
  FROM tdigest_from_histogram('{-3,0,5}', '{10,40,40,10}') h;
-- Back to counts.
SELECT bool_and(tdigest_counts(tdigest_from_histogram(bounds, counts), bounds) = counts) AS same
  FROM (VALUES ('{0,1,2}'::float8[], '{4,3,2,1}'::bigint[]), ('{-3,0,5}', '{10,40,40,10}'), ('{0}', '{30,70}'),
               ('{-7,-6}', '{0,0,0}'), ('{0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10}',
                '{17,0,29381,399283,1,2,9999999999,12,13,14,1000,1}')) v(bounds, counts);
SELECT tdigest_counts(d, '{2,4}') AS counts, tdigest_counts(d, '{}') AS all_of_them,
       tdigest_counts(d, '{-Infinity,0,1,5,Infinity}') AS ends,
       tdigest_counts(tdigest_empty(), '{1,2}') AS of_none
  FROM (SELECT tdigest_agg(v) AS d FROM generate_series(1, 5) v, generate_series(1, v)) s;
SELECT call, pg_temp.error_of('SELECT tdigest_counts(tdigest_empty(), ' || call || ')') AS error
  FROM unnest(ARRAY[$$'{2,1}'$$, $$'{1,1}'$$, $$'{NaN}'$$, $$'{1,NULL}'$$, $$'{{1},{2}}'$$]) call;
SELECT tdigest_union_percentiles_agg(h, '{0.05,0.95}') AS percentiles,
       tdigest_min(tdigest_union_agg(h)) AS min
  FROM tdigest_from_histogram('{-3,0,5}', '{10,40,40,10}') h, generate_series(1, 3);
SELECT call, pg_temp.error_of('SELECT tdigest_from_histogram(' || call || ')') AS error
  FROM unnest(ARRAY[$$'{1,2}', '{1,1,1,1}'$$, $$'{1,2,3}', '{1}'$$, $$'{}', '{1}'$$, $$'{2,1}', '{1}'$$,
    $$'{1,1}', '{1}'$$, $$'{1,NaN}', '{1}'$$, $$'{1,Infinity,2}', '{1,1}'$$, $$'{1,2}', '{-1}'$$,
    $$'{1,NULL}', '{1}'$$, $$'{1,2}', '{NULL}'$$, $$'{{1,2},{3,4}}', '{1,1,1}'$$,
    $$'{-Infinity,Infinity}', '{1}'$$, $$'{1,2,3}', '{9223372036854775807,1}'$$]) call;
-- OpenTelemetry's exponential histogram. Scale 0: buckets (1, 2], (2, 4], ...; negative ones mirrored.
SELECT scale, i.count, i.min, i.max, i.centroids
  FROM generate_series(-10, 20, 5) scale,
       tdigest_info(tdigest_from_exponential_histogram(scale, 0, 0, '{3}')) i;
SELECT array_agg(mean) AS means, array_agg(weight) AS weights
  FROM tdigest_centroids(tdigest_from_exponential_histogram(0, 5, 1, '{1,0,2}', 0, '{1}'));
SELECT bool_and(tdigest_mean(tdigest_from_exponential_histogram(3, 0, i, '{1}'))
                / power(2, (i + 0.5) / 8) BETWEEN 1 - 1e-15 AND 1 + 1e-15) AS middle
  FROM unnest(ARRAY[0, 1, -1, 7, 8, -8, 100, -8000]) i;
-- Real values: the error in value is a bucket's width at most, and that of the digest.
SELECT scale, q AS too_far
  FROM generate_series(-1, 8) scale, LATERAL (
        SELECT tdigest_from_exponential_histogram(scale, 0, min(b)::int,
                   array_agg(n ORDER BY b)) AS d
          FROM (SELECT b, count(x) AS n
                  FROM (SELECT x, ceil(log(2.0, x::numeric) * power(2, scale)::numeric)::int - 1 AS b
                          FROM generate_series(1, 1000) x) v
                 RIGHT JOIN generate_series(-1, 10 * greatest(1, power(2, scale)::int)) b USING (b)
                 GROUP BY b) c) h, LATERAL (
        SELECT q, percentile_cont(q) WITHIN GROUP (ORDER BY x) AS percentile
          FROM generate_series(1, 1000) x, unnest(ARRAY[0.1, 0.5, 0.9, 0.99]) q GROUP BY q) p
 WHERE abs(tdigest_quantile(d, q) / percentile - 1) >= power(2, power(2, -scale)) - 0.99;
SELECT call, pg_temp.error_of('SELECT tdigest_from_exponential_histogram(' || call || ')') AS error
  FROM unnest(ARRAY[$$-11, 0, 0, '{1}'$$, $$21, 0, 0, '{1}'$$, $$0, -1, 0, '{1}'$$, $$0, 0, 0, '{-1}'$$,
    $$0, 0, 1024, '{1}'$$, $$0, 0, 1023, '{1}'$$, $$0, 0, -1200, '{1}'$$, $$-10, 0, 1, '{1}'$$,
    $$20, 0, 2147483647, '{1}'$$, $$-10, 0, -2147483648, '{1}', -2147483648, '{1}'$$,
    $$0, 0, 0, '{NULL}'$$, $$0, 1, 0, '{9223372036854775807}'$$]) call;

-- ---- DDSketch ----

-- A map of bins and a row of bins are the same; negative values, zeros; the sketch's own answer is
-- 2 gamma^(i+1) / (1 + gamma).
SELECT map = line AS same, i.count, c.means
  FROM (SELECT tdigest_from_ddsketch(m || pg_temp.nested(2, pg_temp.bins('{0,2,-3}', '{1,2,3}')) || pg_temp.nested(3, pg_temp.bins('{1}', '{4}')) || pg_temp.double(4, 5)) AS map,
               tdigest_from_ddsketch(m || pg_temp.nested(2, pg_temp.row(-3, '{3,0,0,1,0,2}')) || pg_temp.nested(3, pg_temp.row(1, '{4}')) || pg_temp.double(4, 5)) AS line
          FROM pg_temp.mapping(1.02, 0, 0) m) s,
       tdigest_info(map) i,
       LATERAL (SELECT array_agg(round(mean::numeric, 6)) AS means FROM tdigest_centroids(map)) c;
SELECT round((2 * power(1.02, i + 1) / 2.02)::numeric, 6) AS answer FROM unnest(ARRAY[1, -3, 0, 2]) i;
-- Values put into the bins of each mapping by its definition are answered within its accuracy of 1 %.
SELECT count(*) AS quantiles, bool_and(abs(tdigest_quantile(d, q) / value - 1) < 0.0101) AS within
  FROM (SELECT interpolation, shift, tdigest_from_ddsketch(pg_temp.mapping(gamma, shift, interpolation)
                   || pg_temp.nested(2, pg_temp.bins(array_agg(b ORDER BY b), array_agg(n::float8 ORDER BY b)))) AS d
          FROM (SELECT interpolation, shift, gamma, b, count(*) AS n
                  FROM (VALUES (0, 1.0), (1, ln(2)), (2, 4 / 3.0 * ln(2)), (3, 10 / 7.0 * ln(2)))
                           m(interpolation, power),
                       unnest(ARRAY[0, 34.5]) shift,
                       generate_series(1, 140) k,
                       LATERAL (SELECT power(1.01 / 0.99, m.power::float8) AS gamma) g,
                       LATERAL (SELECT power(1.2::float8, k - 60) AS x) x,
                       LATERAL (SELECT floor(ln(x) / ln(2::float8))::int AS e) e,
                       LATERAL (SELECT x / power(2::float8, e) - 1 AS s) s,
                       LATERAL (SELECT CASE interpolation WHEN 0 THEN ln(x) / ln(2::float8) WHEN 1 THEN e + s
                                            WHEN 2 THEN e - (s - 4) * s / 3
                                            ELSE e + ((6 / 35.0 * s - 3 / 5.0) * s + 10 / 7.0) * s END AS log) l,
                       LATERAL (SELECT floor(log * ln(2::float8) / ln(gamma) + shift)::int AS b) b
                 GROUP BY 1, 2, 3, 4) c
         GROUP BY 1, 2, gamma) s,
       generate_series(0, 139) k, LATERAL (SELECT (k + 0.5) / 140 AS q, power(1.2::float8, k + 1 - 60) AS value) v;
-- What is not known is skipped; wide bins are spread.
SELECT tdigest_from_ddsketch(m || pg_temp.nested(2, b)) = tdigest_from_ddsketch(pg_temp.number(9, 300) || m || pg_temp.nested(15, 'x') || pg_temp.nested(2, pg_temp.double(7, 1) || b) || '\x4d00000000') AS same
  FROM pg_temp.mapping(1.02, 0, 0) m, pg_temp.bins('{5}', '{1}') b;
SELECT i.count, i.centroids, round(i.min::numeric, 9) AS min, round(i.max::numeric, 9) AS max
  FROM tdigest_info(tdigest_from_ddsketch(pg_temp.mapping(10, 0, 0) || pg_temp.nested(2, pg_temp.bins('{0}', '{100}')))) i;
SELECT tdigest_from_ddsketch(pg_temp.mapping(1.02, 0, 0)) = tdigest_empty() AS empty,
       tdigest_count(tdigest_from_ddsketch(pg_temp.mapping(1.02, 0, 0) || pg_temp.nested(2, pg_temp.bins('{0,1}', '{0.4,2.5}')))) AS rounded;
SELECT error, string_agg(what, ', ' ORDER BY what COLLATE "C") AS "for"
  FROM (SELECT pg_temp.mapping(1.02, 0, 0) AS m) s, LATERAL (VALUES
    ('nothing', ''::bytea), ('no mapping', pg_temp.nested(2, pg_temp.bins('{5}', '{1}'))),
    ('gamma 1', pg_temp.mapping(1, 0, 0)), ('gamma NaN', pg_temp.mapping('NaN', 0, 0)),
    ('gamma Infinity', pg_temp.mapping('Infinity', 0, 0)), ('offset NaN', pg_temp.mapping(1.02, 'NaN', 0)),
    ('interpolation 4', pg_temp.mapping(1.02, 0, 4)),
    ('count -1', m || pg_temp.nested(2, pg_temp.bins('{5}', '{-1}'))),
    ('count NaN', m || pg_temp.nested(2, pg_temp.bins('{5}', '{NaN}'))),
    ('count 2^63', m || pg_temp.nested(2, pg_temp.bins('{5}', '{9223372036854775808}'))),
    ('twice 2^62', m || pg_temp.nested(2, pg_temp.bins('{5,6}', '{4611686018427387904,4611686018427387904}'))),
    ('zeros -1', m || pg_temp.double(4, -1)), ('too far out', m || pg_temp.nested(2, pg_temp.bins('{100000}', '{1}'))),
    ('too near 0', m || pg_temp.nested(2, pg_temp.bins('{-100000}', '{1}'))),
    ('a cut length', m || '\x12ff'), ('a length beyond', m || '\x12ffffffffffffffff7f'),
    ('a group', m || '\x13'), ('a row of 7 bytes', m || pg_temp.nested(2, pg_temp.nested(2, '\x00000000000000'))),
    ('a cut double', m || '\x21000000'), ('a key that does not end', '\xffffffffffffffffffff')
  ) v(what, message),
       pg_temp.error_of(format('SELECT tdigest_from_ddsketch(%L)', message)) error
 GROUP BY error ORDER BY error COLLATE "C";

-- ---- malformed ----

SELECT error, string_agg(what, ', ' ORDER BY what COLLATE "C") AS "for"
  FROM (SELECT bytes AS b FROM sketch WHERE file = 'tdigest_double_n10_cpp.sk') s, LATERAL (VALUES
    ('nothing', ''::bytea), ('7 bytes', substr(b, 1, 7)), ('another version', set_byte(b, 1, 2)),
    ('another family', set_byte(b, 2, 15)), ('k 9', set_byte(b, 3, 9)), ('empty, and values', set_byte(b, 5, 1)),
    ('one, and more', set_byte(b, 5, 2)), ('an unknown flag', set_byte(b, 5, 8)), ('one preamble long', set_byte(b, 0, 1)),
    ('no centroids', set_byte(b, 8, 0)), ('more centroids', set_byte(b, 8, 11)), ('2^31 more', set_byte(b, 11, 128)),
    ('2^31 buffered', set_byte(b, 15, 128)), ('a byte more', b || '\x00'), ('a byte less', substr(b, 1, 191)),
    ('a least value above', set_byte(b, 23, 64)), ('a NaN', set_byte(set_byte(b, 38, 248), 39, 127)),
    ('means out of order', set_byte(b, 38, 0)), ('a weight of 0', set_byte(b, 40, 0)), ('a huge weight', set_byte(b, 47, 128))
  ) v(what, bytes),
       pg_temp.error_of(format('SELECT tdigest_from_datasketches(%L)', bytes)) error
 GROUP BY error ORDER BY error COLLATE "C";
SELECT error, string_agg(what, ', ' ORDER BY what COLLATE "C") AS "for"
  FROM (SELECT bytes AS b FROM sketch WHERE file = 'kll_double_n10_cpp.sk') s, LATERAL (VALUES
    ('nothing', ''::bytea), ('7 bytes', substr(b, 1, 7)), ('another family', set_byte(b, 2, 20)),
    ('another version', set_byte(b, 1, 4)), ('empty', set_byte(b, 3, 1)), ('another n', set_byte(b, 8, 11)),
    ('no levels', set_byte(b, 18, 0)), ('62 levels', set_byte(b, 18, 62)), ('two levels', set_byte(b, 18, 2)),
    ('a byte more', b || '\x00'), ('an item less', substr(b, 1, length(b) - 8)),
    ('a least value above', set_byte(b, 31, 64)), ('a NaN', set_byte(set_byte(b, 46, 248), 47, 127)),
    ('as floats', substr(b, 1, 40))
  ) v(what, bytes),
       pg_temp.error_of(format('SELECT tdigest_from_kll(%L)', bytes)) error
 GROUP BY error ORDER BY error COLLATE "C";
SELECT error, string_agg(what, ', ' ORDER BY what COLLATE "C") AS "for"
  FROM (SELECT int4send(1) || float8send(1) || float8send(9) || float8send(100) || int4send(2) || float8send(3) || float8send(2) || float8send(1) || float8send(9) AS b) s, LATERAL (VALUES
    ('good', b), ('nothing', ''::bytea), ('another form', set_byte(b, 3, 3)), ('cut', substr(b, 1, length(b) - 1)),
    ('more', b || '\x00'), ('another count', set_byte(b, 31, 3)), ('a huge count', set_byte(b, 28, 255)),
    ('the least above', overlay(b PLACING float8send(3) FROM 5)), ('the least NaN', overlay(b PLACING float8send('NaN') FROM 5)),
    ('the greatest below', overlay(b PLACING float8send(8) FROM 13)), ('compression 0', overlay(b PLACING float8send(0) FROM 21)),
    ('compression NaN', overlay(b PLACING float8send('NaN') FROM 21)), ('weight 1.5', overlay(b PLACING float8send(1.5) FROM 33)),
    ('weight 0', overlay(b PLACING float8send(0) FROM 33)), ('weight Infinity', overlay(b PLACING float8send('Infinity') FROM 33)),
    ('mean NaN', overlay(b PLACING float8send('NaN') FROM 41)), ('means out of order', overlay(b PLACING float8send(10) FROM 41))
  ) v(what, bytes),
       pg_temp.error_of(format('SELECT tdigest_from_dunning(%L)', bytes)) error
 GROUP BY error ORDER BY error COLLATE "C";
SELECT error, string_agg(what, ', ' ORDER BY what COLLATE "C") AS "for"
  FROM (SELECT pg_temp.sent(1, 100, '{1,2}', '{1,2}') AS b) s, LATERAL (VALUES
    ('good', b), ('nothing', ''::bytea), ('cut', substr(b, 1, length(b) - 1)), ('more', b || '\x00'),
    ('flags 2', set_byte(b, 3, 2)), ('another count', set_byte(b, 11, 4)), ('compression 0', set_byte(b, 15, 0)),
    ('compression -1', set_byte(b, 12, 255)), ('-1 centroids', set_byte(b, 16, 255)), ('count 0', set_byte(b, 35, 0)),
    ('a NaN', overlay(b PLACING float8send('NaN') FROM 21))
  ) v(what, bytes),
       pg_temp.error_of(format('SELECT tdigest_from_tdigest_extension(%L::bytea)', bytes)) error
 GROUP BY error ORDER BY error COLLATE "C";
SELECT tdigest_from_datasketches(NULL) IS NULL AND tdigest_from_kll(NULL) IS NULL AS null;
