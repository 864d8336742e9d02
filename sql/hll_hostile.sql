-- hll: values from outside that are none. Whatever comes in by text, bytea or the binary protocol
-- is refused with 22P02 or 22P03, or is a value like any other: no crash, no hang, no wrong count.
\set ECHO none
\i sql/include/error_of.sql
\set ECHO all

-- What becomes of bytes: refused, or taken. Then it must be the very value its bytes say, but for
-- the cached estimate, and every function must do with it what it does with any.
CREATE FUNCTION pg_temp.outcome_of(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    h hll;
    i record;
BEGIN
    BEGIN
        h := bytes::hll;
    EXCEPTION WHEN invalid_binary_representation THEN
        -- Both other doors refuse it, too.
        BEGIN
            PERFORM translate(encode(bytes, 'base64'), E'\n', '')::hll;
        EXCEPTION WHEN invalid_text_representation THEN
            RETURN 'refused';
        END;
        RETURN 'refused as bytea, taken as text';
    END;
    i := hll_info(h);
    ASSERT overlay(h::bytea PLACING substr(bytes, 9, 8) FROM 9) = bytes, 'changed';
    ASSERT h::text::hll = h AND h::bytea::hll = h, 'not around';
    ASSERT translate(encode(bytes, 'base64'), E'\n', '')::hll = h, 'text differs';
    ASSERT (h | h) = h AND # h >= 0 AND i.cardinality = # h, 'union, cardinality';
    ASSERT # hll_reduce(h, 4) >= 0 AND (hll_bounds(h)).upper >= # h, 'reduce, bounds';
    ASSERT hll_intersection_cardinality(h, h) = # h, 'joint';
    ASSERT # hll_add(h, 'x') >= # h, 'add';
    ASSERT (SELECT count(*) BETWEEN (# h > 0)::int AND 2 ^ i.precision FROM hll_registers(h)),
    'registers';
    ASSERT i.hash <> 'redis' OR i.precision <> 14 OR hll_from_redis(hll_to_redis(h)) = h, 'redis';
    RETURN 'taken';
END
$$;

-- Good ones of every encoding to start from: sparse, dense, with each hash, of two precisions.
CREATE TEMP TABLE good (what text, bytes bytea);
INSERT INTO good
    SELECT 'empty', hll_empty()::bytea
    UNION ALL SELECT 'one', hll_agg(1)::bytea
    UNION ALL SELECT 'sparse', hll_agg(x)::bytea FROM generate_series(1, 60) x
    UNION ALL SELECT 'dense 6', hll_agg(x, 6)::bytea FROM generate_series(1, 1000) x
    UNION ALL SELECT 'dense 13', hll_agg(x)::bytea FROM generate_series(1, 20000) x
    UNION ALL SELECT 'redis sparse', hll_redis_agg(x::text)::bytea FROM generate_series(1, 60) x
    UNION ALL SELECT 'redis dense 8', hll_reduce(hll_redis_agg(x::text), 8)::bytea
                FROM generate_series(1, 3000) x;
SELECT what, pg_temp.outcome_of(bytes), get_byte(bytes, 2) AS encoding, get_byte(bytes, 3) AS hash,
       get_byte(bytes, 4) AS precision
  FROM good;

-- ---- not base64 ----

SELECT t, pg_temp.error_of(format('SELECT %L::hll', t))
  FROM unnest(ARRAY['', '!', 'A', 'AB', 'AB=', 'AQ==', '{1,2,3}', '\x0101', '====',
             'AQEAAA4A AA']) t;
SELECT pg_temp.error_of(format('SELECT %L::hll', repeat('A', 1000000))) AS a_million_as;
SELECT DISTINCT pg_temp.sqlstate_of(format('SELECT %L::hll', left(t, n))) AS prefixes_of_text
  FROM (SELECT translate(encode(bytes, 'base64'), E'\n', '') AS t FROM good WHERE what
             = 'sparse') g,
       generate_series(0, length(t) - 1) n;

-- ---- headers ----

SELECT what, pg_temp.error_of(format('SELECT %L::bytea::hll', bytes))
  FROM (SELECT hll_empty()::bytea AS e, bytes AS s FROM good WHERE what = 'sparse') g,
       LATERAL (VALUES
    ('nothing',                  ''::bytea),
    ('15 bytes',                 substr(e, 1, 15)),
    ('kind 0',                   set_byte(e, 0, 0)),
    ('kind 2',                   set_byte(e, 0, 2)),
    ('kind 255',                 set_byte(e, 0, 255)),
    ('version 0',                set_byte(e, 1, 0)),
    ('version 2',                set_byte(e, 1, 2)),
    ('encoding 2',               set_byte(e, 2, 2)),
    ('encoding 3',               set_byte(e, 2, 3)),
    ('encoding 127',             set_byte(e, 2, 127)),
    ('working, sparse',          set_byte(e, 2, 128)),
    ('working, dense',           set_byte(e, 2, 129)),
    ('hash 4',                   set_byte(e, 3, 4)),
    ('hash 255',                 set_byte(e, 3, 255)),
    ('precision 3',              set_byte(e, 4, 3)),
    ('precision 19',             set_byte(e, 4, 19)),
    ('precision 255',            set_byte(e, 4, 255)),
    ('precision 15 of Redis',    set_byte(set_byte(set_byte(e, 2, 3), 3, 1), 4, 15)),
    ('sparse with a base',       set_byte(e, 5, 1)),
    ('count without tokens',     set_byte(e, 6, 1)),
    ('count of 65535',           set_byte(set_byte(s, 6, 255), 7, 255)),
    ('tokens without count',     set_byte(s, 6, 0)),
    ('one token too few',        set_byte(s, 6, 59)),
    ('one token too many',       set_byte(s, 6, 61)),
    ('sparse said to be dense',  set_byte(s, 2, 1)),
    ('dense and a count',        set_byte(set_byte(s, 2, 1), 6, 1))
  ) v(what, bytes);
-- Other precisions are other values, down to where so many tokens are not kept (60 > 2^8 / 6).
SELECT p, pg_temp.outcome_of(set_byte(bytes, 4, p)) FROM good, generate_series(2, 20) p WHERE what
           = 'sparse';
-- The estimate is computed again, whatever it says.
SELECT what, # overlay(bytes PLACING '\xffffffffffffffff'::bytea FROM 9)::hll = # bytes::hll
           AS ones,
       overlay(bytes PLACING '\x0000000000000080'::bytea FROM 9)::hll::bytea = bytes AS top_bit
  FROM good;

-- ---- crafted sparse bodies ----

-- One token at precision 14: the gap before it, shifted right by 25, as ones and a zero; its low 25
-- bits; its rank less one as ones and a zero; the least significant bit first.
CREATE FUNCTION pg_temp.one_token(body bytea) RETURNS bytea LANGUAGE sql AS $$
    SELECT '\x010100000e000100'::bytea || '\x0000000000000000'::bytea || body
$$;
SELECT what, pg_temp.outcome_of(pg_temp.one_token(body))
  FROM (VALUES
    ('index 0, rank 1',                         '\x00000000'::bytea),
    ('index 2^25, rank 1',                      '\x01000000'),
    ('index 2^26 - 1, rank 1',                  '\xfdffff07'),
    ('index 2^26, one beyond',                  '\x03000000'),
    ('index far beyond',                        '\xffffffffffffffffffffffff0000000000'),
    ('index 0, rank 39, the highest',           '\x000000fcffffffff00'),
    ('index 0, rank 40',                        '\x000000fcffffffff01'),
    ('rank without an end',                     '\x000000fcffffffffffffffffffffffffff'),
    ('only ones',                               decode(repeat('ff', 1000), 'hex')),
    ('nothing',                                 ''),
    ('three bytes',                             '\x000000'),
    ('five bytes',                              '\x0000000000'),
    ('a bit set in the padding',                '\x00000080')
  ) v(what, body);
SELECT r.*, # h AS cardinality
  FROM (VALUES (pg_temp.one_token('\xfdffff07')::hll),
             (pg_temp.one_token('\x000000fcffffffff00')::hll)) v(h),
       hll_registers(h) r;

-- ---- crafted dense bodies ----

-- The lengths of three of the four streams stand first, 32 bits each.
SELECT what, pg_temp.error_of(format('SELECT %L::bytea::hll', bytes))
  FROM (SELECT bytes AS d FROM good WHERE what = 'dense 6') g,
       LATERAL (VALUES
    ('no body',                    substr(d, 1, 16)),
    ('no streams',                 substr(d, 1, 28)),
    ('eleven bytes of lengths',    substr(d, 1, 27)),
    ('first stream of 4 GB',       overlay(d PLACING '\xffffffff'::bytea FROM 17)),
    ('second stream of 2 GB',      overlay(d PLACING '\x00000080'::bytea FROM 21)),
    ('lengths that wrap around',   overlay(d PLACING '\xffffffffffffffffffffffff'::bytea FROM 17)),
    ('first stream a byte longer', set_byte(d, 16, get_byte(d, 16) + 1)),
    ('first stream a byte less',   set_byte(d, 16, get_byte(d, 16) - 1)),
    ('empty streams',              overlay(d PLACING '\x000000000000000000000000'::bytea FROM 17)),
    ('base 64',                    set_byte(d, 5, 64)),
    ('base 255',                   set_byte(d, 5, 255)),
    ('a higher precision',         set_byte(d, 4, 7)),
    ('a lower precision',          set_byte(d, 4, 5)),
    ('the highest precision',      set_byte(d, 4, 18)),
    ('said to be sparse',          set_byte(d, 2, 0)),
    ('only zero bits',             substr(d, 1, 28)
        || decode(repeat('00', octet_length(d) - 28), 'hex')),
    ('only one bits',              substr(d, 1, 28)
        || decode(repeat('ff', octet_length(d) - 28), 'hex'))
  ) v(what, bytes);

-- 64 registers of rank 1, which are 7 in a byte, 16 to a stream: with base 0 each is the symbol of
-- bits 0 1 0, with base 1 that of bits 0 0 1, of the same length. Then the lower base is the
-- canonical one. A register that has a symbol may not be written as an escape, ten bits and its own
-- eight. A register which says that ranks below 1 were not seen, here 5, is left behind by no item.
CREATE FUNCTION pg_temp.dense_6(base int, quarter bytea) RETURNS bytea LANGUAGE sql AS $$
    SELECT set_byte('\x0101010006000000', 5, base) || '\x0000000000000000'::bytea
           || set_byte('\x00000000', 0, octet_length(quarter))
               || set_byte('\x00000000', 0, octet_length(quarter))
           || set_byte('\x00000000', 0, octet_length(quarter)) || quarter || quarter || quarter
               || quarter
$$;
SELECT base, quarter, pg_temp.error_of(format('SELECT %L::bytea::hll',
           pg_temp.dense_6(base, quarter)))
  FROM (VALUES (0, '\x922449922449'::bytea), (1, '\x244992244992'), (0, '\x9224499224'),
               (0, '\x92244992244900'), (0, '\x3f1f489224499224'), (2, '\x922449922449'),
               (0, '\x6666666666666666')) v(base, quarter);
SELECT count(*) AS registers, min(rank) AS lowest, max(rank) AS highest
  FROM hll_registers(pg_temp.dense_6(0, '\x922449922449')::hll);

-- ---- truncated, padded, flipped ----

-- At no length is a part of a value a value, and no value has anything behind it.
SELECT what, count(*) = octet_length(bytes) AS every_length,
       count(*) FILTER (WHERE pg_temp.outcome_of(substr(bytes, 1, n)) <> 'refused') AS not_refused
  FROM good, generate_series(0, octet_length(bytes) - 1) n
 WHERE what <> 'dense 13' GROUP BY what, bytes ORDER BY what;
SELECT count(*) FILTER (WHERE pg_temp.outcome_of(substr(bytes, 1, n)) <> 'refused') AS not_refused
  FROM good, generate_series(0, octet_length(bytes) - 1, 31) n WHERE what = 'dense 13';
SELECT what, pg_temp.outcome_of(bytes || '\x00'::bytea) AS zero,
       pg_temp.outcome_of(bytes || '\xff'::bytea) AS ones,
       pg_temp.outcome_of(bytes || decode(repeat('00', 5000), 'hex')) AS many,
       pg_temp.outcome_of('\x00'::bytea || bytes) AS before, pg_temp.outcome_of(bytes || bytes)
           AS twice
  FROM good ORDER BY what;
-- Every bit flipped, of all but the large one, of which it is one bit in 97.
SELECT what, string_agg(DISTINCT outcome, ', ' ORDER BY outcome) AS outcomes
  FROM good, generate_series(0, 8 * octet_length(bytes) - 1,
             CASE what WHEN 'dense 13' THEN 97 ELSE 1 END) bit,
       pg_temp.outcome_of(set_bit(bytes, bit, 1 - get_bit(bytes, bit))) outcome
 GROUP BY 1 ORDER BY 1;
-- Every byte replaced by zero and by ones.
SELECT what, string_agg(DISTINCT outcome, ', ' ORDER BY outcome) AS outcomes
  FROM good, generate_series(0, octet_length(bytes) - 1) n, unnest(ARRAY[0, 255]) b,
       pg_temp.outcome_of(set_byte(bytes, n, b)) outcome
 WHERE what <> 'dense 13' GROUP BY 1 ORDER BY 1;

-- ---- binary protocol ----

-- COPY sends bytes that a bytea column holds to an hll column as they are.
\set VERBOSITY sqlstate
CREATE TEMP TABLE sent (bytes bytea);
CREATE TEMP TABLE received (h hll);
INSERT INTO sent SELECT bytes FROM good;
\copy sent TO 'build/regress/results/hll_hostile.copy' (FORMAT binary)
\copy received FROM 'build/regress/results/hll_hostile.copy' (FORMAT binary)
SELECT count(*) AS received, count(*) FILTER (WHERE h::bytea IN (SELECT bytes FROM good)) AS good
           FROM received;
TRUNCATE sent;
INSERT INTO sent SELECT substr(bytes, 1, 40) FROM good WHERE what = 'sparse';
\copy sent TO 'build/regress/results/hll_hostile.copy' (FORMAT binary)
\copy received FROM 'build/regress/results/hll_hostile.copy' (FORMAT binary)
TRUNCATE sent;
INSERT INTO sent VALUES ('');
\copy sent TO 'build/regress/results/hll_hostile.copy' (FORMAT binary)
\copy received FROM 'build/regress/results/hll_hostile.copy' (FORMAT binary)
\copy sent TO 'build/regress/results/hll_hostile.copy' (FORMAT csv)
\copy received FROM 'build/regress/results/hll_hostile.copy' (FORMAT csv)
\set VERBOSITY default
SELECT count(*) AS received FROM received;

-- ---- sizes that a user may ask for ----

-- The largest sketch there is, merged and taken apart, and an array of a million items.
SELECT (hll_info(h)).bytes < 2 ^ 18 AS at_most_a_byte_each,
       abs((# h) - 300000) < 4 * 0.77 / 512 * 300000 AS good,
       (h | h) = h AS union, # hll_reduce(h, 4) > 0 AS reduce
  FROM (SELECT hll_agg(x, 18) AS h FROM generate_series(1, 300000) x) s;
SELECT abs((# hll_add_all(hll_empty(), array_agg(x))) - 1000000) < 4 * 1.04 / 128 * 1000000 AS good
  FROM generate_series(1, 1000000) x;

-- ---- a dense sketch of nothing, which only bytes can say: the empty sketch is sparse ----

SELECT pg_temp.error_of($$SELECT ('\x01010100060000000000000000000000'::bytea
    || '\x060000000600000006000000' || decode(repeat('244992244992', 4), 'hex'))::bytea::hll$$);
