-- hll and the sketches of postgresql-hll and DataSketches: read, counted on, given back.
--
-- test/data/peers_hll.jsonl.gz has values of both beside their answers; datasketches 1.8, hll 2.17.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
CREATE TEMP TABLE line (text text);
\copy line FROM PROGRAM 'zcat test/data/peers_hll.jsonl.gz' WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
\set ECHO all

-- ---- postgresql-hll ----

CREATE TEMP TABLE theirs AS
    SELECT j ->> 'kind' AS kind, (j ->> 'log2m')::int AS log2m, (j ->> 'regwidth')::int AS regwidth,
           j ->> 'hash' AS hash, (j ->> 'n')::int AS n, (j ->> 'text')::bytea AS bytes,
           (j ->> 'cardinality')::float8 AS cardinality,
           get_byte((j ->> 'text')::bytea, 0) & 15 AS form
      FROM (SELECT text::json AS j FROM line) l WHERE j ->> 'kind' = 'postgresql-hll';
-- The same items counted here, by the same hash.
CREATE TEMP TABLE theirs_here AS
    SELECT t.*, hll_from_postgresql_hll(bytes) AS h,
           coalesce(CASE hash WHEN 'hll_hash_bigint'
               THEN (SELECT hll_postgresql_hll_agg(hll_postgresql_hll_hash(i::bigint), log2m)
                       FROM generate_series(1, n) i)
               ELSE (SELECT hll_postgresql_hll_agg(hll_postgresql_hll_hash('user-' || i), log2m)
                       FROM generate_series(1, n) i) END, hll_postgresql_hll_empty(log2m)) AS counted
      FROM theirs t;

-- Explicit values are as exact as there, which is to the item; of the others the estimators differ:
-- theirs is off by up to 3 % around 2.5 items a register, and NaN with registers of 6 bits.
SELECT form, count(*), bool_and((hll_info(h)).hash = 'postgresql-hll') AS hash,
       bool_and((hll_info(h)).precision = log2m) AS precision,
       bool_and(hll_cardinality(h) = n) AS exact,
       bool_and(abs(hll_cardinality(h) - n) < 4 * 1.04 / sqrt(2 ^ log2m) * n + 1) AS near_the_truth,
       bool_and(abs(hll_cardinality(h) - cardinality) < 0.035 * n + 1 OR cardinality = 'NaN') AS near_theirs
  FROM theirs_here GROUP BY form ORDER BY form;
-- Explicit values are the very sketch that is counted here; of the others, all registers are, but
-- for ranks that a register of regwidth bits cannot hold.
SELECT form, bool_and(h = counted) AS same_sketch, bool_and(NOT EXISTS (
           SELECT register, least(rank, 2 ^ regwidth - 1) FROM hll_registers(counted)
           EXCEPT SELECT register, rank FROM hll_registers(h))) AS same_registers,
       bool_and((h | counted) IS NOT NULL) AS merges
  FROM theirs_here GROUP BY form ORDER BY form;
-- Back, byte for byte, but explicit values, which come back as registers.
SELECT form, bool_and(hll_to_postgresql_hll(h, regwidth) = bytes) AS same_bytes,
       bool_and(hll_to_postgresql_hll(hll_from_postgresql_hll(hll_to_postgresql_hll(h, regwidth)),
                                      regwidth)
                = hll_to_postgresql_hll(h, regwidth)) AS same_again,
       min(get_byte(hll_to_postgresql_hll(h, regwidth), 0)) AS least_form
  FROM theirs_here GROUP BY form ORDER BY form;
-- A union that was made there.
SELECT hll_to_postgresql_hll(hll_from_postgresql_hll((j ->> 'a')::bytea)
                             | hll_from_postgresql_hll((j ->> 'b')::bytea)) = (j ->> 'union')::bytea
           AS same_union
  FROM (SELECT text::json AS j FROM line) l WHERE j ->> 'kind' = 'postgresql-hll union';

-- The examples of its specification: empty, explicit, sparse.
SELECT hll_describe(hll_from_postgresql_hll(bytes))
  FROM unnest(ARRAY['\x118b48', '\x128b48bb1ad57319b89cd8', '\x138b4800010022']::bytea[]) bytes;
SELECT r.* FROM hll_registers(hll_from_postgresql_hll('\x138b4800010022')) r;
-- Tokens merge with tokens, and with registers to registers.
SELECT what, hll_describe(h) FROM (
    SELECT 'tokens' AS what, hll_from_postgresql_hll('\x128b7f004403b7fb05c44a')
           | hll_add_hash(hll_postgresql_hll_empty(), 5) AS h
    UNION ALL SELECT 'registers', hll_from_postgresql_hll('\x138b4800010022')
           | hll_from_postgresql_hll('\x128b7f004403b7fb05c44a')) s;
-- Parameters of the value that is written.
SELECT hll_to_postgresql_hll(h), hll_to_postgresql_hll(h, 4, 0),
       substr(hll_to_postgresql_hll(h, 6, 512, false), 1, 3) AS full,
       length(hll_to_postgresql_hll(h, 6, 512, false)), hll_to_postgresql_hll(h, expthresh => 1)
  FROM hll_from_postgresql_hll('\x138b4800010022') h;
-- More than 2^18 registers are folded, as if they had never been: these are sparse, log2m 20.
SELECT r.* FROM hll_registers(hll_from_postgresql_hll(
    '\x13947f00000080003910001470000a90')) r;
-- Hashes, of each width; NULL is none.
SELECT hll_postgresql_hll_hash(true) AS boolean, hll_postgresql_hll_hash(1::smallint) AS smallint,
       hll_postgresql_hll_hash(1) AS integer, hll_postgresql_hll_hash(1::bigint) AS bigint;
SELECT hll_postgresql_hll_hash('abc') AS text, hll_postgresql_hll_hash('\x616263'::bytea) AS bytea,
       hll_postgresql_hll_hash('') AS empty, hll_postgresql_hll_hash('', 1) AS seed,
       hll_postgresql_hll_hash(NULL::text) AS "null";
SELECT hll_add_hash(h, hll_postgresql_hll_hash('x')) = hll_add(h, 'x'::text) AS text,
       hll_add_hash(h, hll_postgresql_hll_hash('x')) = hll_add(h, '\x78'::bytea) AS bytea,
       hll_add_hash(h, NULL) = h AS "null", hll_add_hash(NULL, NULL) AS nulls
  FROM hll_postgresql_hll_empty() h;
SELECT hll_add_hash(hll_empty(), 7::hashed::bigint) = hll_add(hll_empty(), 7) AS own_hash;
SELECT (t).changed, hll_cardinality((t).sketch)
  FROM (SELECT hll_try_add(hll_add(hll_postgresql_hll_empty(4), 'x'::text), v) AS t
          FROM unnest(ARRAY['x', 'y']) v) s;
-- Aggregates: over no rows, of NULLs, in groups, in frames.
SELECT hll_postgresql_hll_agg(NULL) AS nulls, hll_postgresql_hll_agg(1) FILTER (WHERE false) AS none;
SELECT i, hll_cardinality(hll_postgresql_hll_agg(hll_postgresql_hll_hash(i), 10) OVER (ORDER BY i ROWS 2 PRECEDING))
  FROM generate_series(1, 5) i;

-- Refused.
SELECT error, string_agg(what, ', ' ORDER BY what COLLATE "C") AS "for"
  FROM (VALUES
    ('nothing', ''::bytea), ('two bytes', '\x118b'), ('version 2', '\x218b7f'),
    ('not defined', '\x108b7f'), ('form 5', '\x158b7f'), ('log2m 3', '\x11837f'),
    ('regwidth 3', '\x114b7f'), ('empty and more', '\x118b7f00'),
    ('half a hash', '\x128b7f00000000'), ('two alike', '\x128b7f00000000000000050000000000000005'),
    ('descending', '\x128b7f0000000000000005ffffffffffffffff'),
    ('half a register', '\x138b7f00'), ('register 1 twice', '\x138b7f00220023'),
    ('register of 0', '\x138b7f0020'), ('rank 54', '\x13ab7f001b00'),
    ('full, short', '\x14847f'), ('full, rank 61', '\x14a47fffffffffffffffffffffffff'),
    ('padding', '\x138a7f0043')
  ) v(what, bytes),
       pg_temp.error_of(format('SELECT hll_from_postgresql_hll(%L)', bytes)) error
 GROUP BY error ORDER BY error COLLATE "C";
SELECT pg_temp.error_of(statement) FROM unnest(ARRAY[
    'SELECT hll_postgresql_hll_empty(3)', 'SELECT hll_postgresql_hll_empty(19)',
    'SELECT hll_postgresql_hll_agg(i, 19) FROM generate_series(1, 2) i',
    'SELECT hll_postgresql_hll_agg(i, 9 + i) FROM generate_series(1, 2) i',
    'SELECT hll_postgresql_hll_agg(i, NULL) FROM generate_series(1, 2) i',
    'SELECT hll_postgresql_hll_hash(1, -1)', 'SELECT hll_postgresql_hll_hash(''x'', -1)',
    'SELECT hll_to_postgresql_hll(hll_empty())',
    'SELECT hll_to_postgresql_hll(hll_postgresql_hll_empty(), 3)',
    'SELECT hll_to_postgresql_hll(hll_postgresql_hll_empty(), 9)',
    'SELECT hll_to_postgresql_hll(hll_postgresql_hll_empty(), 5, 3)',
    'SELECT hll_to_postgresql_hll(hll_postgresql_hll_empty(), 5, 16384)',
    'SELECT hll_to_postgresql_hll(hll_postgresql_hll_empty(), 5, -2)',
    'SELECT hll_add_hash(NULL, 1)', 'SELECT hll_add(hll_postgresql_hll_empty(), 1)',
    'SELECT hll_postgresql_hll_agg(1) | hll_agg(1)',
    'SELECT hll_jaccard(hll_postgresql_hll_empty(), hll_redis_empty())',
    'SELECT _hll_postgresql_hll_agg_state(hll_empty(), 1::bigint)']) statement;

-- ---- DataSketches ----

CREATE TEMP TABLE sketches_of AS
    SELECT (j ->> 'lgk')::int AS lgk, (j ->> 'bits')::int AS bits, j ->> 'items' AS items,
           (j ->> 'n')::int AS n, decode(j ->> 'base64', 'base64') AS bytes,
           (j ->> 'estimate')::float8 AS estimate,
           get_byte(decode(j ->> 'base64', 'base64'), 7) & 3 AS mode
      FROM (SELECT text::json AS j FROM line) l WHERE j ->> 'kind' = 'datasketches hll';
CREATE TEMP TABLE sketches_here AS
    SELECT s.*, hll_from_datasketches(bytes) AS h,
           CASE WHEN items LIKE 'bigint %'
               THEN (SELECT hll_datasketches_agg(hll_datasketches_hash(i::bigint), least(lgk, 18))
                       FROM generate_series(1, n) i)
               ELSE (SELECT hll_datasketches_agg(hll_datasketches_hash('user-' || i), least(lgk, 18))
                       FROM generate_series(1, n) i) END AS counted
      FROM sketches_of s;

-- Lists and sets are exact; of registers our estimate does without the order that theirs uses.
SELECT mode, count(*), bool_and((hll_info(h)).hash = 'datasketches') AS hash,
       bool_and((hll_info(h)).precision = least(lgk, 18)) AS precision, bool_and(hll_cardinality(h) = n) AS exact,
       bool_and(abs(hll_cardinality(h) - n) < 4 * 1.04 / sqrt(2 ^ lgk) * n) AS near_the_truth
  FROM sketches_here GROUP BY mode ORDER BY mode;
-- Lists and sets are the very sketch that is counted here, and all registers are.
SELECT mode, bool_and(h = counted) AS same_sketch, bool_and(NOT EXISTS (
           SELECT * FROM hll_registers(counted) EXCEPT SELECT * FROM hll_registers(h))
           AND (SELECT count(*) FROM hll_registers(counted)) =
               (SELECT count(*) FROM hll_registers(h))) AS same_registers,
       bool_and(hll_cardinality(h | counted) = hll_cardinality(h)) AS merges
  FROM sketches_here GROUP BY mode ORDER BY mode;
-- Back and forth is the same sketch, whatever the bits.
SELECT to_bits, bool_and(hll_from_datasketches(hll_to_datasketches(h, to_bits)) = h) AS same,
       sum(length(hll_to_datasketches(h, to_bits)))
  FROM sketches_here, unnest(ARRAY[4, 6, 8]) to_bits GROUP BY to_bits ORDER BY to_bits;
-- Their bytes: of registers all but the estimate that needs the order, and the flag that says so;
-- of lists and sets all but the order of the coupons.
CREATE FUNCTION pg_temp.coupons(bytes bytea) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(substr(bytes, i, 4)::text ORDER BY substr(bytes, i, 4))
      FROM (SELECT generate_series(CASE get_byte(bytes, 7) & 3 WHEN 0 THEN 9 ELSE 13 END,
                                   length(bytes), 4) AS i) s
$$;
SELECT mode, bits, count(*),
       bool_and(CASE mode WHEN 2
                THEN back = overlay(set_byte(bytes, 5, get_byte(bytes, 5) | 16)
                                    PLACING '\x0000000000000000' FROM 9)
                ELSE substr(back, 1, 8 + 4 * mode) = substr(bytes, 1, 8 + 4 * mode)
                     AND pg_temp.coupons(back) = pg_temp.coupons(bytes) END) AS same_bytes
  FROM (SELECT *, hll_to_datasketches(h, bits) AS back FROM sketches_here WHERE lgk <= 18) s
 GROUP BY mode, bits ORDER BY mode, bits;
-- A union that was made there, by its estimate of the registers.
SELECT abs(hll_cardinality(hll_from_datasketches(decode(j ->> 'a', 'base64'))
                           | hll_from_datasketches(decode(j ->> 'b', 'base64')))
           / (j ->> 'union_estimate')::float8 - 1) < 0.03 AS same_union
  FROM (SELECT text::json AS j FROM line) l WHERE j ->> 'kind' = 'datasketches hll union';

-- Java's empty list, a list of one in each kind, and a set of 10: 0 to 9.
SELECT hll_to_datasketches(hll_datasketches_empty()) AS empty, hll_to_datasketches(h, 4) AS bits_4,
       hll_to_datasketches(h) AS bits_8
  FROM (SELECT hll_datasketches_agg(hll_datasketches_hash(0)) AS h) s;
SELECT hll_from_datasketches('\x0301070c050800010a00000081bc5d06862ff90dcbd7c204c1e91705d2167307'
                             '34a2610e75816607fc2d420a7b65e6082bf2fb06')
       = (SELECT hll_datasketches_agg(hll_datasketches_hash(i)) FROM generate_series(0, 9) i) AS java;
-- Tables that are not compact: the same list and set, with gaps.
SELECT hll_from_datasketches('\x0201070c03000100' || '\xcbd7c204'::bytea
                             || decode(repeat('00', 28), 'hex')) = hll_datasketches_agg(hll_datasketches_hash(0)) AS list,
       hll_from_datasketches('\x0301070c0500000101000000' || decode(repeat('00', 60), 'hex')
                             || '\xcbd7c204'::bytea || decode(repeat('00', 64), 'hex'))
       = hll_datasketches_agg(hll_datasketches_hash(0)) AS set;
-- Items: integers of all widths, one zero, one NaN, texts and their bytes; nothing of no bytes.
SELECT hll_datasketches_hash(5::smallint) = hll_datasketches_hash(5::bigint) AS smallint,
       hll_datasketches_hash(-5) = hll_datasketches_hash(-5::bigint) AS integer,
       hll_datasketches_hash(5) = hll_datasketches_hash(5::float8) AS float8,
       hll_datasketches_hash('-0'::float8) = hll_datasketches_hash(0::float8) AS zero,
       hll_datasketches_hash('NaN'::float8) = hll_datasketches_hash(-'NaN'::float8) AS nan,
       hll_datasketches_hash('abc') = hll_datasketches_hash('\x616263'::bytea) AS bytes,
       hll_datasketches_hash('') AS none;
SELECT hll_add_hash(h, hll_datasketches_hash('x')) = hll_add(h, 'x'::text) AS text,
       hll_add_hash(h, hll_datasketches_hash('')) = hll_add(h, ''::text) AS none,
       hll_add_all(h, ARRAY['x', NULL, 'y', '']) = hll_add(hll_add(h, 'y'::text), '\x78'::bytea) AS "all"
  FROM hll_datasketches_empty() h;
SELECT hll_cardinality(hll_datasketches_agg(hll_datasketches_hash(x))) AS of_all, hll_cardinality(hll_datasketches_agg(hll_datasketches_hash(x), 4)) AS lgk
  FROM unnest(ARRAY[1, 2, NULL, 2, 7]) x;
-- The extension of PostgreSQL hashes the bytes of a datum, whatever its type, and '' is an item.
SELECT hll_datasketches_postgresql_hash((-5)::smallint) = hll_datasketches_hash('\xfbff'::bytea) AS smallint,
       hll_datasketches_postgresql_hash(-5) = hll_datasketches_hash('\xfbffffff'::bytea) AS integer,
       hll_datasketches_postgresql_hash(-5::bigint) = hll_datasketches_hash(-5::bigint) AS bigint,
       hll_datasketches_postgresql_hash(1.5::real) = hll_datasketches_hash('\x0000c03f'::bytea) AS "real",
       hll_datasketches_postgresql_hash(1.5::float8) = hll_datasketches_hash(1.5::float8) AS float8,
       hll_datasketches_postgresql_hash('-0'::float8) <> hll_datasketches_postgresql_hash(0::float8) AS zeros,
       hll_datasketches_postgresql_hash('abc') = hll_datasketches_hash('abc') AS text,
       hll_datasketches_postgresql_hash('') IS NOT NULL AS none;
SELECT hll_cardinality(hll_datasketches_agg(hll_datasketches_postgresql_hash(i))) AS agg,
       hll_cardinality(hll_datasketches_agg(hll_datasketches_postgresql_hash(i), 11) | hll_datasketches_agg(hll_datasketches_hash(i), 11)) AS doubled,
       hll_datasketches_agg(hll_datasketches_hash(i::text), 11) = hll_datasketches_agg(hll_datasketches_postgresql_hash(i::text), 11) AS same,
       hll_datasketches_agg(NULL, 11) AS nulls
  FROM generate_series(1, 200) i;
-- An explicit value of any number of hashes stays exact, as in a column of that expthresh: 1,000 of log2m 11.
SELECT hll_cardinality(h) AS cardinality, hll_cardinality(h | h2) AS of_both, (hll_info(h)).encoding, (hll_info(h | low)).encoding AS of_fewer,
       h::bytea::hll = h AS same
  FROM (SELECT hll_from_postgresql_hll('\x128b4e' || string_agg(int8send(x << 40 | x), NULL ORDER BY x))
          FROM generate_series(1::bigint, 1000) x) a(h),
       (SELECT hll_from_postgresql_hll('\x128b4e' || string_agg(int8send(x << 40 | x), NULL ORDER BY x))
          FROM generate_series(1001::bigint, 1500) x) b(h2),
       (SELECT hll_from_postgresql_hll('\x128b7f' || string_agg(int8send(x << 40 | x), NULL ORDER BY x))
          FROM generate_series(1::bigint, 100) x) c(low);
SELECT hll_datasketches_agg(hll_datasketches_hash(NULL::text)) AS nulls, hll_cardinality(hll_datasketches_agg(hll_datasketches_hash(''))) AS no_bytes;
SELECT i, hll_cardinality(hll_datasketches_agg(hll_datasketches_hash(i)) OVER (ORDER BY i ROWS 2 PRECEDING)) AS frame
  FROM generate_series(1, 5) i;
-- Folding keeps the ranks.
SELECT hll_reduce(hll_datasketches_agg(hll_datasketches_hash(i), 14), 11)
           = (hll_datasketches_agg(hll_datasketches_hash(i), 14) | hll_datasketches_agg(hll_datasketches_hash(i), 11)) AS folded,
       hll_reduce(hll_datasketches_agg(hll_datasketches_hash(i), 14), 11) = hll_datasketches_agg(hll_datasketches_hash(i), 11) AS same
  FROM generate_series(1, 30000) i;

-- Refused.
SELECT error, string_agg(what, ', ' ORDER BY what COLLATE "C") AS "for"
  FROM (VALUES
    ('nothing', ''::bytea), ('seven bytes', '\x0201070c030c00'),
    ('version 2', '\x0202070c030c0000'), ('a theta sketch', '\x0201030c030c0000'),
    ('lgK 3', '\x02010703030c0000'), ('lgK 22', '\x02010716030c0000'),
    ('unknown flags', '\x0201070c038c0000'), ('mode 3', '\x0201070c030c0003'),
    ('12 bits', '\x0201070c030c000c'), ('a list with the words of a set', '\x0301070c030c0000'),
    ('empty, but one', '\x0201070c030c0100cbd7c204'), ('one, but none', '\x0201070c03080100'),
    ('8 in a list', '\x0201070c03080800' || decode(repeat('cbd7c204', 8), 'hex')),
    ('rank 0', '\x0201070c03080100cbd7c200'), ('one twice', '\x0201070c03080200cbd7c204cbd7c204'),
    ('a set without a count', '\x0301070c05080001'),
    ('a set of lgK 7', '\x0301070705080001' || '\x00000000'::bytea),
    ('a set of 600', '\x0301070c05080001' || '\x58020000'::bytea || decode(repeat('cbd7c204', 600), 'hex')),
    ('a set and a byte', '\x0301070c05080001' || '\x01000000cbd7c20400'::bytea),
    ('registers, short', '\x0a01070c0008000a'),
    ('registers of 8 bits, one too few', '\x0a0107040008000a' || decode(repeat('00', 47), 'hex')),
    ('rank 64', '\x0a0107040008000a' || decode(repeat('00', 47) || '40', 'hex')),
    ('registers of 6 bits without the last byte', '\x0a01070400080006' || decode(repeat('00', 44), 'hex')),
    ('15 without an exception', '\x0a01070400080002' || decode(repeat('00', 39) || '0f', 'hex')),
    ('an exception of rank 14', '\x0a01070400080002' || decode(repeat('00', 28) || '01000000'
        || '0f00000000000000' || '00000038', 'hex')),
    ('an exception of another register', '\x0a01070400080002' || decode(repeat('00', 28) || '01000000'
        || '0f00000000000000' || '01000040', 'hex'))
  ) v(what, bytes),
       pg_temp.error_of(format('SELECT hll_from_datasketches(%L)', bytes)) error
 GROUP BY error ORDER BY error COLLATE "C";
-- The last, as it should be.
SELECT r.* FROM hll_registers(hll_from_datasketches('\x0a01070400080002'
    || decode(repeat('00', 28) || '01000000' || '0f00000000000000' || '00000040', 'hex'))) r;
SELECT pg_temp.error_of(statement) FROM unnest(ARRAY[
    'SELECT hll_datasketches_empty(3)', 'SELECT hll_datasketches_empty(19)',
    'SELECT hll_datasketches_agg(hll_datasketches_hash(i), 19) FROM generate_series(1, 2) i',
    'SELECT hll_datasketches_agg(hll_datasketches_hash(i), 9 + i) FROM generate_series(1, 2) i',
    'SELECT hll_datasketches_agg(hll_datasketches_hash(i), NULL) FROM generate_series(1, 2) i',
    'SELECT hll_to_datasketches(hll_empty())', 'SELECT hll_to_datasketches(hll_redis_empty())',
    'SELECT hll_to_datasketches(hll_datasketches_empty(), 5)',
    'SELECT hll_add_hash(hll_datasketches_empty(), 67108863)',
    'SELECT hll_add_hash(hll_datasketches_empty(), 4294967296)',
    'SELECT hll_add_hash(hll_datasketches_empty(), -1)',
    'SELECT hll_datasketches_agg(67108863)', 'SELECT hll_datasketches_agg(67108864, 3)',
    'SELECT hll_add(hll_datasketches_empty(), 1)',
    'SELECT hll_datasketches_agg(hll_datasketches_hash(1)) | hll_postgresql_hll_agg(1)',
    'SELECT hll_intersection_cardinality(hll_datasketches_empty(), hll_empty())',
    'SELECT _hll_datasketches_agg_state(hll_empty(), 1::bigint)']) statement;

-- Their own text and bytes, as of every hll.
SELECT h::text::hll = h AS text, h::bytea::hll = h AS bytes,
       (hll_info(h)).encoding, (hll_info(h)).hash, hll_cardinality(h) AS items
  FROM unnest(ARRAY[hll_from_postgresql_hll('\x138b4800010022'),
                    hll_from_postgresql_hll('\x128b48bb1ad57319b89cd8'),
                    hll_add(hll_datasketches_empty(), 'x'::text)]) h;
