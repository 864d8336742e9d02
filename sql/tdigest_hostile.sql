-- tdigest: values from outside that are none. Whatever comes in by text, bytea or the binary
-- protocol is refused with 22P02 or 22P03, or is a value like any other: no crash, no hang.
\set ECHO none
SET extra_float_digits = 1;
\i sql/include/error_of.sql
\set ECHO all

-- What becomes of bytes: refused, or taken. Then it must be the very value its bytes say, and every
-- function must do with it what it does with any.
CREATE FUNCTION pg_temp.outcome_of(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    t tdigest;
    i record;
    answers float8[];
    c record;
BEGIN
    BEGIN
        t := bytes::tdigest;
    EXCEPTION WHEN invalid_binary_representation THEN
        -- Both other doors refuse it, too.
        BEGIN
            PERFORM translate(encode(bytes, 'base64'), E'\n', '')::tdigest;
        EXCEPTION WHEN invalid_text_representation THEN
            RETURN 'refused';
        END;
        RETURN 'refused as bytea, taken as text';
    END;
    i := tdigest_info(t);
    ASSERT t::bytea = bytes, 'changed';
    ASSERT t::text::tdigest = t AND _tdigest_send(t) = bytes, 'not around';
    ASSERT translate(encode(bytes, 'base64'), E'\n', '')::tdigest = t, 'text differs';
    ASSERT i.count = tdigest_count(t), 'count';
    SELECT count(*) AS n, sum(weight) AS weight, min(mean) AS low, max(mean) AS high INTO c
      FROM tdigest_centroids(t);
    IF i.count = 0 THEN
        ASSERT c.n = 0 AND tdigest_quantile(t, 0.5) IS NULL AND tdigest_rank(t, 0) = -2, 'empty';
    ELSE
        ASSERT c.n = i.centroids AND c.weight = i.count AND c.low = i.min AND c.high = i.max,
            'centroids';
        answers := tdigest_quantile(t, ARRAY[0, 0.001, 0.1, 0.5, 0.9, 0.999, 1]);
        ASSERT (SELECT bool_and(a <= b) FROM (SELECT s AS b, lag(s) OVER (ORDER BY o) AS a
                    FROM unnest(answers) WITH ORDINALITY u(s, o)) w WHERE a IS NOT NULL),
                        'monotone';
        ASSERT answers[1] = i.min AND answers[7] = i.max, 'extremes';
        ASSERT (SELECT bool_and(a BETWEEN 0 AND 1) FROM unnest(tdigest_cdf(t, answers)) a), 'cdf';
        ASSERT (SELECT bool_and(a BETWEEN 0 AND i.count) FROM unnest(tdigest_rank(t, answers)) a),
            'rank';
        ASSERT (SELECT bool_and(a BETWEEN 0 AND i.count)
            FROM unnest(tdigest_revrank(t, answers)) a),
            'revrank';
        ASSERT tdigest_byrank(t, i.count - 1) <= i.max
            AND tdigest_byrevrank(t, i.count - 1) >= i.min,
            'byrank';
        ASSERT tdigest_trimmed_mean(t, 0.1, 0.9) BETWEEN i.min AND i.max, 'trimmed mean';
        ASSERT (SELECT sum(count) = i.count AND min(count) >= 0 FROM tdigest_histogram(t, 7)),
            'histogram';
        ASSERT char_length(tdigest_sparkline(t, 7)) = 7, 'sparkline';
    END IF;
    IF i.count < 4611686018427387904 THEN
        ASSERT tdigest_count(t | t) = 2 * i.count, 'union';
        ASSERT tdigest_count(tdigest_add(t, 0)) = i.count + 1, 'add';
    END IF;
    ASSERT _approx_median_final(t) IS NOT DISTINCT FROM tdigest_percentile(t, 0.5), 'median';
    PERFORM _approx_percentile_final(t), _approx_percentiles_final(t);
    RETURN 'taken';
END
$$;

-- Good ones of every kind to start from: nothing, one value, few, many, weights of several bytes,
-- the least compression, and a state of approx_percentile with its questions.
CREATE AGGREGATE pg_temp.asked_agg(float8, float8[]) 
    (SFUNC = _approx_percentile_state, STYPE = tdigest, FINALFUNC = _tdigest_final);
CREATE TEMP TABLE good (what text, bytes bytea);
INSERT INTO good
    SELECT 'empty', tdigest_empty()::bytea
    UNION ALL SELECT 'one', tdigest_agg(1)::bytea
    UNION ALL SELECT 'few', tdigest_agg(x - 3.5)::bytea FROM generate_series(1, 5) x
    UNION ALL SELECT 'many', tdigest_agg(ln(x))::bytea FROM generate_series(1, 20000) x
    UNION ALL SELECT 'weights', tdigest_weighted_agg(x * x, (2 ^ (x * 7))::bigint)::bytea
                FROM (SELECT x FROM generate_series(0, 8) x) s
    UNION ALL SELECT 'heavy', tdigest_add(tdigest_empty(10), -1e300, 9223372036854775807)::bytea
    UNION ALL SELECT 'compression 10', tdigest_agg(x, 10)::bytea FROM generate_series(1, 1000) x
    UNION ALL SELECT 'asked', pg_temp.asked_agg(x, ARRAY[0.5, 0, 1])::bytea
        FROM generate_series(1, 3) x;
SELECT what, pg_temp.outcome_of(bytes), get_byte(bytes, 3) AS asked,
       get_byte(bytes, 4) + 256 * get_byte(bytes, 5) AS compression,
       get_byte(bytes, 6) + 256 * get_byte(bytes, 7) AS centroids
  FROM good;

-- ---- not base64 ----

SELECT t, pg_temp.error_of(format('SELECT %L::tdigest', t))
  FROM unnest(ARRAY['', '!', 'A', 'AB', 'AB=', 'AgE=', '{1,2,3}', '\x0201', '====',
             'AgEAAMgA AA', '5', 'NaN']) t;
SELECT pg_temp.error_of(format('SELECT %L::tdigest', repeat('A', 1000000))) AS a_million_as;
SELECT DISTINCT pg_temp.sqlstate_of(format('SELECT %L::tdigest', left(t, n))) AS prefixes_of_text
  FROM (SELECT translate(encode(bytes, 'base64'), E'\n', '') AS t FROM good WHERE what = 'few') g,
       generate_series(0, length(t) - 1) n;

-- ---- headers ----

SELECT what, pg_temp.error_of(format('SELECT %L::bytea::tdigest', bytes))
  FROM (SELECT tdigest_empty()::bytea AS e, bytes AS f FROM good WHERE what = 'few') g,
       LATERAL (VALUES
    ('nothing',                  ''::bytea),
    ('15 bytes',                 substr(e, 1, 15)),
    ('an hll',                   hll_empty()::bytea),
    ('a filled hll',             (SELECT hll_agg(x)::bytea FROM generate_series(1, 100) x)),
    ('kind 0',                   set_byte(e, 0, 0)),
    ('kind 1',                   set_byte(e, 0, 1)),
    ('kind 3',                   set_byte(e, 0, 3)),
    ('kind 255',                 set_byte(e, 0, 255)),
    ('version 0',                set_byte(e, 1, 0)),
    ('version 2',                set_byte(e, 1, 2)),
    ('encoding 1',               set_byte(e, 2, 1)),
    ('encoding 127',             set_byte(e, 2, 127)),
    ('working, values',          set_byte(e, 2, 128)),
    ('working, centroids',       set_byte(e, 2, 129)),
    ('questions without any',    set_byte(e, 3, 1)),
    ('255 questions',            set_byte(e, 3, 255)),
    ('compression 9',            set_byte(e, 4, 9)),
    ('compression 0',            set_byte(e, 4, 0)),
    ('compression 10001',        set_byte(set_byte(e, 4, 17), 5, 39)),
    ('compression 65535',        set_byte(set_byte(e, 4, 255), 5, 255)),
    ('count without centroids',  set_byte(e, 6, 1)),
    ('count of 151',             set_byte(f, 6, 151)),
    ('count of 65535',           set_byte(set_byte(f, 6, 255), 7, 255)),
    ('one centroid too few',     set_byte(f, 6, 4)),
    ('one centroid too many',    set_byte(f, 6, 6)),
    ('centroids without count',  set_byte(f, 6, 0)),
    ('weight 1 of none',         set_byte(e, 8, 1)),
    ('weight 0',                 set_byte(f, 8, 0)),
    ('weight 4',                 set_byte(f, 8, 4)),
    ('weight of 2^63',           set_byte(f, 15, 128)),
    ('a question as a flag',     set_byte(f, 3, 1))
  ) v(what, bytes);
SELECT pg_temp.error_of(format('SELECT %L::bytea::hll', bytes)) AS a_tdigest_as_hll FROM good
 WHERE what = 'few';
-- The other compressions are other values, down to where so many centroids are not kept.
SELECT c, pg_temp.outcome_of(set_byte(bytes, 4, c))
  FROM good, unnest(ARRAY[10, 11, 198, 199, 200, 201, 255]) c WHERE what = 'compression 10'
UNION ALL
SELECT c, pg_temp.outcome_of(set_byte(bytes, 4, c))
  FROM good, unnest(ARRAY[10, 100, 199, 201]) c WHERE what = 'many';

-- ---- crafted bodies ----

-- A digest of means, given as float8, and weights, given as bytes, that says to weigh so much.
CREATE FUNCTION pg_temp.digest(means float8[], weights bytea, total bigint,
                               questions float8[] = '{}')
RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    bytes bytea := '\x02010000c800';
    number float8;
    reversed bytea;
BEGIN
    bytes := set_byte(bytes, 3, cardinality(questions))
        || set_byte('\x0000', 0, cardinality(means));
    reversed := int8send(total);
    FOR i IN REVERSE 7 .. 0 LOOP
        bytes := bytes || substr(reversed, i + 1, 1);
    END LOOP;
    FOREACH number IN ARRAY means LOOP
        FOR i IN REVERSE 7 .. 0 LOOP
            bytes := bytes || substr(float8send(number), i + 1, 1);
        END LOOP;
    END LOOP;
    bytes := bytes || weights;
    FOREACH number IN ARRAY questions LOOP
        FOR i IN REVERSE 7 .. 0 LOOP
            bytes := bytes || substr(float8send(number), i + 1, 1);
        END LOOP;
    END LOOP;
    RETURN bytes;
END
$$;
SELECT pg_temp.digest(ARRAY[1, 2, 3], '\x010101', 3) = tdigest_agg(x)::bytea AS as_counted
  FROM generate_series(1, 3) x;
SELECT what, pg_temp.outcome_of(pg_temp.digest(means, weights, total)) AS outcome,
       pg_temp.error_of(format('SELECT %L::bytea::tdigest', pg_temp.digest(means, weights, total)))
           AS error
  FROM (VALUES
    ('good',                         ARRAY[1, 2]::float8[], '\x0101'::bytea, 2::bigint),
    ('descending means',             '{2,1}',       '\x0101', 2),
    ('equal means',                  '{2,2}',       '\x0102', 3),
    ('NaN',                          '{NaN}',       '\x01', 1),
    ('NaN in between',               '{1,NaN,3}',   '\x010101', 3),
    ('Infinity',                     '{1,Infinity}', '\x0101', 2),
    ('-Infinity',                    '{-Infinity,1}', '\x0101', 2),
    ('-0',                           '{-0}',        '\x01', 1),
    ('0 and -0',                     '{0,-0}',      '\x0101', 2),
    ('all that there is',            '{-1.7976931348623157e308,1.7976931348623157e308}', '\x0101',
        2),
    ('denormal',                     '{-5e-324,5e-324}', '\x0101', 2),
    ('weight 0',                     '{1}',         '\x00', 0),
    ('weights 0 and 1',              '{1,2}',       '\x0001', 1),
    ('weight 128',                   '{1}',         '\x8001', 128),
    ('1 in two bytes',               '{1}',         '\x8100', 1),
    ('0 in two bytes',               '{1}',         '\x8000', 0),
    ('weight 2^63 - 1',              '{1}',         '\xffffffffffffffff7f', 9223372036854775807),
    ('weight 2^63',                  '{1}',         '\x80808080808080808001', -9223372036854775808),
    ('weight 2^64 - 1',              '{1}',         '\xffffffffffffffffff01', -1),
    ('weights that sum to 2^63',     '{1,2}',       '\xffffffffffffffff7f01', -9223372036854775808),
    ('weights that wrap around',     '{1,2,3}',
     '\xffffffffffffffff7fffffffffffffffff7f03', 1),
    ('weight without an end',        '{1}',         '\xffffffffffffffffffffffffffff', 1),
    ('weight cut off',               '{1}',         '\x80', 1),
    ('no weights',                   '{1,2}',       '', 2),
    ('a weight missing',             '{1,2}',       '\x01', 1),
    ('a weight too many',            '{1,2}',       '\x010101', 3),
    ('another total',                '{1,2}',       '\x0101', 3),
    ('a negative total',             '{1,2}',       '\x0101', -2),
    ('no centroids, some weight',    '{}',          '', 5),
    ('a heavy end',                  '{1,2,3}',     '\x05010a', 16)
  ) v(what, means, weights, total);
-- Questions stand between 0 and 1, in any order, twice if need be; -0 is a 0.
SELECT q, pg_temp.outcome_of(bytes) AS outcome, pg_temp.error_of(format('SELECT %L::bytea::tdigest',
                                                                         bytes)) AS error
  FROM (VALUES ('{0.5}'::float8[]), ('{0,1,0.5,0.5}'), ('{-0}'), ('{1.0000000000000002}'),
      ('{-5e-324}'),
               ('{NaN}'), ('{Infinity}'), ('{0.5,-1}')) v(q),
       LATERAL (SELECT pg_temp.digest('{1,2}', '\x0101', 2, q)) d(bytes);
SELECT _approx_percentiles_final(pg_temp.digest('{1,2}', '\x0101', 2, '{0,1}')::tdigest) AS asked,
       _approx_percentiles_final(pg_temp.digest('{}', '', 0, '{0,1}')::tdigest) AS of_nothing,
       _approx_percentile_final(pg_temp.digest('{}', '', 0, '{0.5}')::tdigest) AS one_of_nothing;

-- ---- truncated, padded, flipped ----

-- At no length is a part of a value a value, and no value has anything behind it.
SELECT what, count(*) = octet_length(bytes) AS every_length,
       count(*) FILTER (WHERE pg_temp.outcome_of(substr(bytes, 1, n)) <> 'refused') AS not_refused
  FROM good, generate_series(0, octet_length(bytes) - 1) n GROUP BY what, bytes ORDER BY what;
SELECT what, pg_temp.outcome_of(bytes || '\x00'::bytea) AS zero,
       pg_temp.outcome_of(bytes || '\x01'::bytea) AS one,
       pg_temp.outcome_of(bytes || '\xff'::bytea) AS ones,
       pg_temp.outcome_of(bytes || decode(repeat('00', 5000), 'hex')) AS many,
       pg_temp.outcome_of('\x00'::bytea || bytes) AS before,
       pg_temp.outcome_of(bytes || bytes) AS twice
  FROM good ORDER BY what;
-- Every bit flipped, of all but the large one, of which it is one bit in 19; every byte replaced by
-- zero and by ones.
SELECT what, string_agg(DISTINCT outcome, ', ' ORDER BY outcome) AS outcomes
  FROM good, generate_series(0, 8 * octet_length(bytes) - 1, CASE what WHEN 'many' THEN 19
      ELSE 1 END) bit,
       pg_temp.outcome_of(set_bit(bytes, bit, 1 - get_bit(bytes, bit))) outcome
 GROUP BY 1 ORDER BY 1;
SELECT what, string_agg(DISTINCT outcome, ', ' ORDER BY outcome) AS outcomes
  FROM good, generate_series(0, octet_length(bytes) - 1) n, unnest(ARRAY[0, 255]) b,
       pg_temp.outcome_of(set_byte(bytes, n, b)) outcome
 WHERE what <> 'many' GROUP BY 1 ORDER BY 1;

-- ---- binary protocol ----

-- COPY sends bytes that a bytea column holds to a tdigest column as they are.
\set VERBOSITY sqlstate
CREATE TEMP TABLE sent (bytes bytea);
CREATE TEMP TABLE received (t tdigest);
INSERT INTO sent SELECT bytes FROM good;
\copy sent TO 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
\copy received FROM 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
SELECT count(*) AS received, count(*) FILTER (WHERE t::bytea IN (SELECT bytes FROM good)) AS good
  FROM received;
TRUNCATE sent;
INSERT INTO sent SELECT substr(bytes, 1, 40) FROM good WHERE what = 'few';
\copy sent TO 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
\copy received FROM 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
TRUNCATE sent;
INSERT INTO sent VALUES ('');
\copy sent TO 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
\copy received FROM 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
\copy sent TO 'build/regress/results/tdigest_hostile.copy' (FORMAT csv)
\copy received FROM 'build/regress/results/tdigest_hostile.copy' (FORMAT csv)
TRUNCATE sent;
INSERT INTO sent VALUES (hll_empty()::bytea);
\copy sent TO 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
\copy received FROM 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
TRUNCATE sent;
INSERT INTO sent VALUES (pg_temp.digest('{1,NaN}', '\x0101', 2));
\copy sent TO 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
\copy received FROM 'build/regress/results/tdigest_hostile.copy' (FORMAT binary)
\set VERBOSITY default
SELECT count(*) AS received FROM received;

-- ---- sizes that a user may ask for ----

-- The largest digest there is, merged and printed, and an array of a million values.
SELECT (i).compression, (i).centroids <= 7500 AS centroids, (i).bytes < 100000 AS bytes,
       tdigest_count(t | t) AS union, t::text::tdigest = t AS text,
       abs(tdigest_quantile(t, 0.5) - 50000) < 50 AS median
  FROM (SELECT tdigest_agg(x, 10000) AS t FROM generate_series(1, 100000) x) s, tdigest_info(t) i;
SELECT tdigest_count(t), tdigest_max(t), abs(tdigest_quantile(t, 0.5) - 500000) < 5000 AS median,
       (tdigest_info(t)).bytes < 1400 AS bytes
  FROM (SELECT tdigest_add_all(tdigest_empty(), array_agg(x)) AS t
      FROM generate_series(1, 1000000) x) s;
-- Centroids that merge badly: as coarse as a merge may leave them, at the ends, over and over.
SELECT tdigest_count(t), (tdigest_info(t)).centroids <= 7 AS centroids
  FROM (SELECT tdigest_union_agg(tdigest_add(tdigest_add(tdigest_empty(10 + x % 50), x,
      1000000::bigint * x),
                                             -x, 1 + x % 3)) AS t
          FROM generate_series(1, 5000) x) s;
SELECT tdigest_count(t) = 5000::bigint * 1800000000000000 AS count, (tdigest_info(t)).centroids
    <= 150 AS centroids
  FROM (SELECT tdigest_weighted_agg(x, 1800000000000000) AS t FROM generate_series(1, 5000) x) s;
