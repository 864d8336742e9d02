-- roaring, roaring64: values from outside that are none. Whatever comes in by text, bytea or the
-- portable format is refused, or is a set like any other: no crash, no hang, no wrong count.
\set ECHO none
\i sql/include/error_of.sql
\set ECHO all

-- What becomes of bytes: refused, or taken. A set that was taken holds what it says it holds, in
-- the one form that such a set has, and every function does with it what it does with any.
SELECT format($f$
CREATE FUNCTION pg_temp.outcome_of(like_this %1$s, bytes bytea, portable boolean) RETURNS text
LANGUAGE plpgsql AS $p$
DECLARE
    r %1$s;
    a bigint[];
BEGIN
    BEGIN
        r := CASE WHEN portable THEN %1$s_from_portable(bytes) ELSE bytes::%1$s END;
    EXCEPTION WHEN invalid_binary_representation THEN
        IF portable THEN
            RETURN 'refused';
        END IF;
        BEGIN
            PERFORM translate(encode(bytes, 'base64'), E'\n', '')::%1$s;
        EXCEPTION WHEN invalid_text_representation THEN
            RETURN 'refused';
        END;
        RETURN 'refused as bytea, taken as text';
    END;
    a := r::bigint[];
    ASSERT # r = cardinality(a), 'cardinality';
    ASSERT a = ARRAY(SELECT DISTINCT x FROM unnest(a) x ORDER BY x), 'order';
    ASSERT a::%1$s = r AND a::%1$s::bytea = r::bytea, 'another form';
    ASSERT r::bytea::%1$s = r AND r::text::%1$s = r, 'not around';
    ASSERT %1$s_from_portable(%1$s_to_portable(r)) = r, 'not around, portable';
    ASSERT portable OR translate(encode(bytes, 'base64'), E'\n', '')::%1$s = r, 'text differs';
    ASSERT (r | r) = r AND (r & r) = r AND (r # r) = '{}' AND (r - r) = '{}', 'algebra';
    ASSERT r @> r AND (r && r) = (# r > 0), 'comparison';
    ASSERT # r = 0 OR r @> a[1] AND r @> a[cardinality(a)], 'contains';
    ASSERT (%1$s_min(r), %1$s_max(r)) IS NOT DISTINCT FROM (a[1], a[cardinality(a)]), 'ends';
    ASSERT %1$s_rank(r, coalesce(%1$s_max(r), 0)) = # r, 'rank';
    ASSERT (SELECT count(*) FROM %1$s_elements(r, true)) = # r, 'elements';
    RETURN 'taken';
END
$p$
$f$, type) FROM unnest(ARRAY['roaring', 'roaring64']) type \gexec

-- Good ones of every form to start from. Those of roaring64 have several high halves.
CREATE TEMP TABLE good (what text, r roaring, r64 roaring64);
INSERT INTO good
    SELECT what, r, r::roaring64 | roaring64_shift(r::roaring64, 3 * 4294967296)
      FROM (VALUES ('empty', '{}'::roaring), ('one', '{7}'), ('array', '{1,2,5,70000,4294967295}'),
                   ('runs', roaring_range(5, 900) | roaring_range(65530, 65541)),
                   ('four, some of runs',
                    '{9,70000,70002}'::roaring | roaring_range(131072, 131900)
                    | roaring_range(200000, 200100))) t(what, r);
INSERT INTO good SELECT 'bits', roaring_agg(x), roaring64_agg(x + (x % 2) * 4294967296)
  FROM (SELECT i * 3 + i % 2 AS x FROM generate_series(1, 9500::bigint) i) t;
SELECT what, # r AS n, length(r::bytea) AS bytes, # r64 AS n64, length(r64::bytea) AS bytes64,
       pg_temp.outcome_of(r, r::bytea, false) AS bytea,
       pg_temp.outcome_of(r, roaring_to_portable(r), true) AS portable,
       pg_temp.outcome_of(r64, r64::bytea, false) AS bytea64,
       pg_temp.outcome_of(r64, roaring64_to_portable(r64), true) AS portable64
  FROM good;

-- ---- cut off, padded ----

-- All of them, but of the long ones only around what stands in front.
CREATE FUNCTION pg_temp.places(bytes bytea) RETURNS SETOF int LANGUAGE sql AS $$
    SELECT i FROM generate_series(0, length(bytes) - 1) i
     WHERE i < CASE WHEN length(bytes) < 1000 THEN 150 ELSE 40 END OR i % 1021 = 0
$$;
CREATE TEMP VIEW bytes AS
    SELECT what, r, NULL::roaring64 AS r64, portable,
           CASE WHEN portable THEN roaring_to_portable(r) ELSE r::bytea END AS b
      FROM good, unnest(ARRAY[false, true]) portable
    UNION ALL
    SELECT what, NULL, r64, portable,
           CASE WHEN portable THEN roaring64_to_portable(r64) ELSE r64::bytea END
      FROM good, unnest(ARRAY[false, true]) portable;
CREATE FUNCTION pg_temp.outcome_of(r roaring, r64 roaring64, b bytea, portable boolean)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN r IS NULL THEN pg_temp.outcome_of(r64, b, portable)
                ELSE pg_temp.outcome_of(r, b, portable) END;
END
$$;
SELECT pg_temp.outcome_of(r, r64, substr(b, 1, i), portable) AS cut, count(*) > 500 AS many
  FROM bytes, pg_temp.places(b) i GROUP BY 1;
SELECT pg_temp.outcome_of(r, r64, b || more, portable) AS padded, count(*)
  FROM bytes, unnest(ARRAY['\x00', '\xff', '\x0000000000000000', b]) more GROUP BY 1;

-- ---- changed bytes ----

-- Some changes make another good value: another key, value, or cookie and count that fit.
SELECT pg_temp.outcome_of(r, r64, set_byte(b, i, get_byte(b, i) # mask), portable) AS changed,
       count(*) AS n
  FROM bytes, pg_temp.places(b) i, unnest(ARRAY[1, 8, 128, 255]) mask
 GROUP BY 1 ORDER BY 1;
-- Two at once, so that counts and what they count change together.
SELECT pg_temp.outcome_of(r, r64, set_byte(set_byte(b, i, (i * 37 + j) % 256), j, i * j % 251),
                          portable) AS changed, count(*) > 100 AS many
  FROM bytes, generate_series(0, 35) i, generate_series(i + 1, 35) j
 WHERE length(b) BETWEEN 40 AND 100 GROUP BY 1 ORDER BY 1;
-- Noise behind a good beginning.
SELECT pg_temp.outcome_of(NULL, NULL::roaring64,
                          '\x0401000000000000000000000000ffff' || decode(repeat(md5(i::text), 4), 'hex'),
                          false) AS noise, count(*) FROM generate_series(1, 200) i GROUP BY 1;
SELECT pg_temp.outcome_of('{}', NULL, '\x3b30' || decode(repeat(md5(i::text), 8), 'hex'), true) AS noise,
       count(*) FROM generate_series(1, 500) i GROUP BY 1;

-- ---- numbers that lie, by name ----

-- Of roaring: kind, version, encoding, flags, cardinality.
SELECT what, pg_temp.error_of(format('SELECT %L::bytea::roaring', overlay(
           '{1,2}'::roaring::bytea PLACING part FROM at))) AS error
  FROM (VALUES ('another kind', 1, '\x01'::bytea), ('no kind', 1, '\xff'), ('version 2', 2, '\x02'),
               ('a working value', 3, '\x80'), ('an encoding', 3, '\x01'), ('flags', 4, '\x01'),
               ('one value fewer', 5, '\x01'), ('far more values', 5, '\xffffffffffffff7f'),
               ('less than none', 5, '\xffffffffffffffff')) t(what, at, part);
-- Of roaring64: the index of its buckets. '{1,4294967298}' has two, of 18 bytes, from byte 32 on.
SELECT what, pg_temp.error_of(format('SELECT %L::bytea::roaring64', overlay(
           '{1,4294967298}'::roaring64::bytea PLACING part FROM at + 1))) AS error
  FROM (VALUES ('as it is', 0, '\x04'::bytea), ('no bucket', 12, '\x00'), ('one bucket', 12, '\x01'),
               ('three', 12, '\x03'), ('four billion', 12, '\xffffffff'),
               ('the first is the second', 16, '\x01'), ('the second is the first', 24, '\x00'),
               ('a half of 32 bits', 24, '\x00000080'), ('ends early', 20, '\x31'),
               ('ends late', 20, '\x33'), ('ends nowhere', 20, '\xffffffff'),
               ('ends before it begins', 28, '\x00'), ('the last ends early', 28, '\x43'),
               ('the last ends late', 28, '\x45')) t(what, at, part);
-- Of the portable form with runs: containers, flags, runs. Of runs 5..7 and 9..15 in container 0:
SELECT encode(roaring_to_portable('{5,6,7,9,10,11,12,13,14,15}'), 'hex') AS runs;
SELECT what, pg_temp.error_of(format('SELECT roaring_from_portable(%L)', bytes::bytea)) AS error
  FROM (VALUES
        ('as it is', '\x3b300000010000090002000500020009000600'),
        ('no flag: an array of ten', '\x3b300000000000090002000500020009000600'),
        ('flags of more containers', '\x3b300000ff0000090002000500020009000600'),
        ('two containers', '\x3b300100010000090002000500020009000600'),
        ('65536 containers', '\x3b30ffff010000090002000500020009000600'),
        ('one run', '\x3b300000010000090001000500020009000600'),
        ('65535 runs', '\x3b3000000100000900ffff0500020009000600'),
        ('no run', '\x3b30000001000009000000'),
        ('runs that touch', '\x3b300000010000090002000500030009000500'),
        ('runs in the wrong order', '\x3b300000010000090002000900060005000200'),
        ('a run to 65536', '\x3b30000001000009000100f7ff0900'),
        ('a run to 65535', '\x3b30000001000009000100f6ff0900'),
        ('no offsets from four on', '\x3b3003000f00000000010000000200000003000000'
                                    || '01000000000001000000000001000000000001000000'),
        ('Roaring of 2014, big-endian', '\x0000303a00000001')
       ) t(what, bytes);
-- The same of roaring64, within a bucket and between them.
SELECT what, pg_temp.error_of(format('SELECT roaring64_from_portable(%L)',
           '\x'::bytea || count || high || '\x3a30000001000000000001001000000001000200' || more)) AS error
  FROM (VALUES ('as it is', '\x0100000000000000'::bytea, '\x00000000'::bytea, '\x'::bytea),
               ('the highest half', '\x0100000000000000', '\xffffff7f', ''),
               ('none, and more', '\x0000000000000000', '', ''),
               ('half a bucket', '\x0200000000000000', '\x00000000', '\x0100'),
               ('a half and no bucket', '\x0200000000000000', '\x00000000', '\x01000000'),
               ('a lower half', '\x0200000000000000', '\x01000000',
                '\x000000003a300000010000000000000010000000' || '\x0100'::bytea),
               ('2^32 buckets', '\x0000000001000000', '\x00000000', ''),
               ('-1 buckets', '\xffffffffffffffff', '\x00000000', '')) t(what, count, high, more);

-- ---- text ----

SELECT t, pg_temp.error_of(format('SELECT %L::roaring', t))
  FROM unnest(ARRAY['!', 'A', 'AwE=', 'AwEAAAAAAAAAAAAAOjAAAAAAAAA', '{', '}', '{,}', '{1;2}', '{{1}}',
             '{1}{2}', '{1} 2', '{NULL}', '{1.5}', '{1e3}', '{0x10}', '{- 1}', '{--1}', '{"1"}', '\x0301',
             '[1,2]', '{99999999999999999999999999999999999999}', '{-9223372036854775809}',
             '{9223372036854775807}', '{4294967296}', '{-1,5}']) t;
-- Blanks, signs and leading zeros are those of numbers.
SELECT t, t::roaring::bigint[] FROM unnest(ARRAY['{}', ' { } ', '{007}', '{+5,-0}', E'{1,\n 2\t}']) t;
SELECT pg_temp.error_of(format('SELECT %L::roaring', repeat('A', 1000000))) AS a_million_as,
       pg_temp.error_of(format('SELECT %L::roaring', '{' || repeat('1,', 1000000))) AS no_end,
       # ('{' || repeat('7,', 1000000) || '8}')::roaring AS two;

-- ---- damaged pages ----
-- A cast that looks at nothing stands for a page on which stored bytes were changed. What a
-- container says is not what it holds, or the header is not what the containers say.
SET client_min_messages = error; -- a type without its functions is noticed
CREATE TYPE damaged;
CREATE FUNCTION damaged_in(cstring) RETURNS damaged LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
CREATE FUNCTION damaged_out(damaged) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
CREATE TYPE damaged (INPUT = damaged_in, OUTPUT = damaged_out, LIKE = bytea);
CREATE CAST (damaged AS roaring) WITHOUT FUNCTION;
RESET client_min_messages;
CREATE TEMP TABLE lost (what text, bytes text);
INSERT INTO lost VALUES
    ('no run', overlay(roaring_range(100, 50101)::bytea PLACING '\x0000' FROM 22 FOR 2)),
    ('a run of one', overlay(roaring_range(100, 50101)::bytea PLACING '\x0000' FROM 26 FOR 2)),
    ('number of values', overlay('{1,1000000000}'::roaring::bytea PLACING '\x01' FROM 5 FOR 1));
INSERT INTO lost
    SELECT 'bits', overlay(roaring_agg(x)::bytea PLACING decode(repeat('00', 8000), 'hex') FROM 100 FOR 8000)
      FROM generate_series(0, 65535, 7) x;
SELECT what, f AS asked,
       pg_temp.error_of(format('SELECT %s FROM (SELECT %L::damaged::roaring AS r) t', f, bytes)) AS answer
  FROM lost, unnest(ARRAY['(SELECT count(*) FROM roaring_elements(r))',
                          '(SELECT count(*) FROM roaring_elements(r, true))',
                          'cardinality(roaring_to_array(r, 5, 40000))', 'length(roaring_bits(r))']) f
  WHERE what <> 'number of values' OR f ~ 'bits'
  ORDER BY what COLLATE "C", f COLLATE "C";
SET client_min_messages = error;
DROP TYPE damaged CASCADE;
RESET client_min_messages;
