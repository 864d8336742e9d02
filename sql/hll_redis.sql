-- hll and Redis: sketches in both directions, and counting with Redis's hash.
--
-- The known answers were taken from a redis-server.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- ---- counting as PFADD does ----

-- Index and rank of items, by Redis's hash.
SELECT item, r.* FROM (VALUES ('hello'), (''), ('foo')) v(item),
       LATERAL hll_registers(hll_add(hll_redis_empty(), item)) r;
SELECT item, r.* FROM (VALUES ('hello'), (''), ('foo')) v(item),
       LATERAL hll_registers(hll_add(hll_redis_empty(), item::bytea)) r;

-- PFCOUNT of the decimal strings 1..N. That of 1000 is sparse in Redis, with 1922 bytes; the other
-- large ones are dense, with 16 + 12288.
CREATE TEMP TABLE counted AS
    SELECT n, (SELECT hll_redis_agg(x::text) FROM generate_series(1, n) x) AS h
      FROM unnest(ARRAY[10, 100, 1000, 10000, 100000]) n;
SELECT n, hll_cardinality(h) AS pfcount, octet_length(hll_to_redis(h)) AS string_bytes, (hll_info(h)).encoding,
       (hll_info(h)).hash, (hll_info(h)).precision
  FROM counted ORDER BY n;

-- ---- to Redis ----

-- An empty key, and one with a, b and c, byte for byte: after the header the sparse runs
-- Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603.
SELECT encode(hll_to_redis(hll_redis_empty()), 'hex');
SELECT encode(hll_to_redis(hll_add_all(hll_redis_empty(), ARRAY['a', 'b', 'c'])), 'hex');
SELECT encode(hll_to_redis(hll_redis_agg(x)), 'hex') FROM unnest(ARRAY['c', 'a', 'b', 'a']) x;

-- ---- from Redis ----

-- A GET string and a DUMP payload of the same key are the same sketch, which is that counted here.
CREATE TEMP TABLE abc AS
    SELECT '\x48594c4c01000000000000000000008060f38050b1844bfb80425a'::bytea AS string,
           '\x001b48594c4c01000000000000000000008060f38050b1844bfb80425a0c00542f38c64c63ee00'::bytea
           AS dump;
SELECT hll_cardinality(hll_from_redis(string)) AS string, hll_cardinality(hll_from_redis(dump)) AS dump,
       hll_from_redis(string) = hll_from_redis(dump) AS same,
       hll_from_redis(string) = hll_redis_agg(x) AS as_counted,
       hll_to_redis(hll_from_redis(string)) = string AS around
  FROM abc, unnest(ARRAY['a', 'b', 'c']) x GROUP BY string, dump;
SELECT (hll_info(hll_from_redis('\x48594c4c0100000000000000000000807fff'))).*;
SELECT hll_from_redis('\x48594c4c0100000000000000000000807fff') = hll_redis_empty() AS empty;
-- Both ways without loss, at every size.
SELECT bool_and(hll_from_redis(hll_to_redis(h)) = h) AS around,
       bool_and(h::text::hll = h AND h::bytea::hll = h) AS text_and_bytea
  FROM counted;
-- The cardinality that the string has cached is not believed: here it says 5, and is not stale.
SELECT hll_cardinality(hll_from_redis(overlay(string PLACING '\x0500000000000000'::bytea FROM 9))) AS counted
  FROM abc;
-- The same registers written dense, with the highest rank there is (51) in the last register.
CREATE TEMP TABLE dense AS
    SELECT '\x48594c4c0000000000000000000000'::bytea || '\x80' || decode(repeat('00', 12287), 'hex')
           || '\xcc'::bytea AS string;
SELECT r.*, octet_length(hll_to_redis(h)) AS string_bytes, hll_to_redis(h) = string AS around
  FROM dense, LATERAL (SELECT hll_from_redis(string) AS h OFFSET 0) s, hll_registers(h) r;
-- A rank above 32 has no sparse form in Redis: such a string is dense, however few registers it
-- has. The same with rank 32 is sparse: 0x7ffe (16383 zeros), 0xfc (32, once).
SELECT octet_length(hll_to_redis(hll_from_redis(overlay(string PLACING '\x84' FROM 12304))))
           AS rank_33,
       encode(hll_to_redis(hll_from_redis(overlay(string PLACING '\x80' FROM 12304))), 'hex')
           AS rank_32
  FROM dense;
-- Dense and sparse strings of one content are one sketch. Where Redis cuts runs makes no
-- difference: here three registers of rank 1 and 16381 zeros, in opcodes of the least length, in
-- three single ones and two runs of zeros, and dense.
WITH written(h) AS (
    VALUES (hll_from_redis('\x48594c4c010000000000000000000080827ffc')),
           (hll_from_redis('\x48594c4c0100000000000000000000808080803f7fbc')),
           (hll_from_redis('\x48594c4c000000000000000000000080411000'::bytea
                           || decode(repeat('00', 12285), 'hex')))
)
SELECT count(DISTINCT h::bytea) AS sketches, min(encode(hll_to_redis(h), 'hex')) AS string FROM written;
-- 1..10 as redis-server 7 has it, cached cardinality and all.
SELECT hll_to_redis(h) = '\x48594c4c01000000000000000000008041ee844823805351804ce0804092804c3f8042d78042128c40b88015844322'
           AS to_redis,
       hll_from_redis('\x48594c4c010000000a0000000000000041ee844823805351804ce0804092804c3f8042d78042128c40b88015844322')
           = h AS from_redis
  FROM counted WHERE n = 10;
-- DUMP of a long string is compressed: {a,b,c} made dense.
SELECT hll_from_redis('\x00c340a870100448594c4c00e001000080e0010ae0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ec000001e0ecf5e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e02f000008e02f38e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e0ff00e07c00f5ff83e0b2000100000a005c8a1c4007d599a6')
           = hll_from_redis(dump) AS same
  FROM abc;

-- ---- the two hashes do not mix ----

-- An imported sketch goes on counting with Redis's hash: items as text or bytea.
SELECT hll_cardinality(hll_add(hll_from_redis(string), 'd')) AS text, hll_cardinality(hll_add(hll_from_redis(string), 'a'))
           AS text_again,
       hll_cardinality(hll_add(hll_from_redis(string), 'd'::bytea)) AS bytea,
       hll_cardinality(hll_add_all(hll_from_redis(string), ARRAY['a', 'd', 'e', NULL])) AS texts,
       hll_cardinality(hll_add_all(hll_from_redis(string), ARRAY['a', 'd', 'e', NULL]::bytea[])) AS byteas,
       (hll_try_add(hll_from_redis(string), 'a')).changed AS a_changed,
       (hll_try_add(hll_from_redis(string), 'd'::bytea)).changed AS d_changed,
       hll_add(hll_from_redis(string), 'd') = hll_redis_agg(x) AS as_counted
  FROM abc, unnest(ARRAY['a', 'b', 'c', 'd']) x GROUP BY string;
SELECT (hll_info(hll_add(hll_redis_empty(), 'd'))).hash, (hll_info(hll_add(hll_empty(), 'd'))).hash;
-- What was hashed already cannot be added, nor can a number, which Redis would take as its digits.
SELECT * FROM pg_temp.errors_of(
    'hll_add(hll_redis_empty(), 1)', $$hll_add(hll_redis_empty(), hashed('a'::text))$$,
    'hll_add_all(hll_redis_empty(), ARRAY[1, 2])', 'hll_try_add(hll_redis_empty(), 1)',
    '_hll_agg_state(hll_redis_empty(), 1)', '_hll_agg_state(hll_redis_empty(), 1, 14)',
    $$_hll_redis_agg_state(hll_empty(), 'a'::text)$$);
SELECT pg_temp.sqlstate_of('SELECT hll_redis_agg(1)');
-- Sketches of different hashes have no union and nothing to compare.
SELECT * FROM pg_temp.errors_of(
    'hll_agg(1) | hll_redis_agg(''a'')', 'hll_redis_agg(''a'') | hll_agg(1)',
    $$hll_union_agg(h) FROM (SELECT hll_agg(1) UNION ALL SELECT hll_redis_agg('a')) v(h)$$,
    '_hll_union_state(hll_agg(1), hll_redis_agg(''a''))',
    'hll_jaccard(hll_empty(), hll_redis_empty())',
    'hll_intersection_cardinality(hll_empty(), hll_redis_empty())',
    'hll_difference_cardinality(hll_redis_empty(), hll_empty())');
SELECT hll_empty() = hll_redis_empty() AS equal;
-- Among themselves they do all of it.
SELECT hll_cardinality(a.h | b.h) = hll_cardinality(b.h) AS union,
       (SELECT hll_cardinality(hll_union_agg(h)) FROM counted) = hll_cardinality(b.h) AS union_agg,
       abs(hll_intersection_cardinality(a.h, b.h) - 100) <= 3 * 0.0082 * 10000 AS joint,
       hll_jaccard(b.h, b.h) = 1 AS jaccard
  FROM counted a, counted b WHERE a.n = 100 AND b.n = 100000;
-- Only what Redis could have counted can be written for it.
SELECT * FROM pg_temp.errors_of(
    'hll_to_redis(hll_empty())', 'hll_to_redis(hll_agg(x)) FROM generate_series(1, 10000) x',
    'hll_to_redis(hll_reduce(hll_redis_empty(), 13))');
-- Reduced sketches still count with Redis's hash, and fold as every sketch does.
SELECT (hll_info(r)).precision, (hll_info(r)).hash, abs(hll_cardinality(r) - 10000) < 4 * 1.04 / 32 * 10000
           AS good,
       hll_cardinality(hll_add(hll_reduce(hll_redis_empty(), 10), 'a')) AS add, (r | h) = r AS union
  FROM counted, hll_reduce(h, 10) r WHERE n = 10000;

-- ---- refused ----

-- Every lie that a string or a payload may tell is in test/unit/hll/test_hll_redis_read.c and
-- test/unit/common/test_redis_dump.c; here is what SQL answers to one of each kind.
SELECT what, pg_temp.error_of(format('SELECT hll_from_redis(%L)', payload))
  FROM abc, LATERAL (VALUES
    ('nothing',         ''::bytea),
    ('no magic',        '\x68796c6c0100000000000000000000807fff'),
    ('zeros too short', '\x48594c4c0100000000000000000000807ffe'),
    ('rank 52',         '\x48594c4c000000000000000000000080' || decode(repeat('00', 12287), 'hex') || '\xd0'::bytea),
    ('a list',          '\x1201020a0a0000000100816102ff0a0009b9edf594ded995'),
    ('another string',  '\x00076e6f7461686c6c0a009d667dd19c8035d0'),
    ('bad checksum',    overlay(dump PLACING '\x01'::bytea FROM octet_length(dump)))
  ) v(what, payload);
SELECT DISTINCT pg_temp.sqlstate_of(format('SELECT hll_from_redis(%L)', substr(dump, 1, n)))
           AS prefixes
  FROM abc, generate_series(0, octet_length(dump) - 1) n;
