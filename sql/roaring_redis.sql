-- roaring, roaring64: what redis-roaring's commands do, in the order of its manual, as the table in
-- doc/reference/roaring.md says it; R.x stands for R64.x too. The bitmaps of the set operations are those
-- whose answers a server gave.
\set ECHO none
\i sql/include/output.sql
\set ECHO all
CREATE TABLE keys (key text PRIMARY KEY, r roaring NOT NULL, r64 roaring64 NOT NULL);
CREATE FUNCTION pg_temp.set_key(name text, ids bigint[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO keys VALUES (name, ids::roaring, ids::roaring64)
    ON CONFLICT (key) DO UPDATE SET r = excluded.r, r64 = excluded.r64
$$;
CREATE FUNCTION pg_temp.get(name text) RETURNS TABLE (r bigint[], same boolean) LANGUAGE sql AS $$
    SELECT r::bigint[], r64::bigint[] = r::bigint[] FROM keys WHERE key = name
$$;

-- SETBIT and GETBIT; of SETBIT the reply is the bit that was there.
SELECT pg_temp.set_key('bits', '{}');
UPDATE keys k SET r = roaring_add(k.r, 1), r64 = roaring64_add(k.r64, 1)
  FROM keys old WHERE k.key = 'bits' AND old.key = k.key
RETURNING (old.r @> 1)::int AS reply, (old.r64 @> 1)::int AS reply64;
UPDATE keys k SET r = roaring_remove(k.r, 1), r64 = roaring64_remove(k.r64, 1)
  FROM keys old WHERE k.key = 'bits' AND old.key = k.key
RETURNING (old.r @> 1)::int AS reply, (old.r64 @> 1)::int AS reply64;
SELECT (r @> 1)::int AS getbit, (r64 @> 4294967295)::int AS getbit64 FROM keys WHERE key = 'bits';

-- SETINTARRAY, GETINTARRAY, APPENDINTARRAY, DELETEINTARRAY, RANGEINTARRAY, by rank and inclusive.
SELECT pg_temp.set_key('ints', '{1,2,3,10,100,10}');
SELECT * FROM pg_temp.get('ints');
UPDATE keys SET r = roaring_add_all(r, '{5,2}'), r64 = roaring64_add_all(r64, '{5,2}')
 WHERE key = 'ints';
SELECT * FROM pg_temp.get('ints');
UPDATE keys SET r = roaring_remove_all(r, '{2,77}'), r64 = roaring64_remove_all(r64, '{2,77}')
 WHERE key = 'ints';
SELECT * FROM pg_temp.get('ints');
SELECT roaring_to_array(r, 1, 3 - 1 + 1) AS range_1_3, roaring64_to_array(r64, 1, 3) AS range64,
       roaring_to_array(r, 4, 100) AS the_rest, roaring_to_array(r, 9, 100) AS beyond
  FROM keys WHERE key = 'ints';

-- GETBITS and CLEARBITS, which says how many were there.
SELECT roaring_contains_each(r, '{1,2,3,4}')::int[] AS getbits,
       roaring64_contains_each(r64, '{1,2,3,4}')::int[] AS getbits64,
       roaring_cardinality(r & '{1,2,3,4}') AS to_clear, roaring_cardinality(roaring_remove_all(r, '{1,2,3,4}')) AS left
  FROM keys WHERE key = 'ints';

-- SETRANGE, half-open, and SETFULL.
SELECT roaring_add_range('{1}', 5, 10)::int[] AS range, roaring64_range(5, 10)::int[] AS range64,
       roaring_cardinality(roaring_range(0, 4294967296)) AS "full";

-- SETBITARRAY and GETBITARRAY.
SELECT roaring_from_bits('0110')::int[] AS ints, roaring_bits(roaring_from_bits('0110')) AS bits,
       roaring64_bits(roaring64_from_bits('0110')) AS bits64;

-- BITOP: the sets, and the cardinality that it replies.
SELECT pg_temp.set_key('x', '{1,2,3,4}'), pg_temp.set_key('y', '{3,4,5}'), pg_temp.set_key('z', '{4,5,6}');
SELECT op, bitop::bigint[], roaring_cardinality(bitop) AS reply, bitop64::bigint[] = bitop::bigint[] AS same
  FROM unnest(ARRAY['AND', 'OR', 'XOR', 'ANDOR', 'ONE', 'DIFF', 'DIFF1']) op,
       LATERAL (SELECT roaring_bitop(op, VARIADIC array_agg(r ORDER BY key)) AS bitop,
                       roaring64_bitop(op, VARIADIC array_agg(r64 ORDER BY key)) AS bitop64
                  FROM keys WHERE key IN ('x', 'y', 'z')) b;
-- NOT up to a last bit.
SELECT roaring_not(r, 6)::int[] AS "not", roaring_not(r, roaring_max(r))::int[] AS short,
       roaring64_not(r64, 6)::int[] AS not64
  FROM keys WHERE key = 'x';
-- DIFF of two.
SELECT (x.r - y.r)::int[] AS diff, (x.r64 - y.r64)::int[] AS diff64
  FROM keys x, keys y WHERE (x.key, y.key) = ('x', 'y');

-- BITCOUNT, BITPOS, MIN, MAX; where Redis says -1 of an empty one, ours are NULL.
SELECT key, roaring_cardinality(r) AS bitcount, roaring_position(r, true) AS bitpos_1, roaring_position(r, false) AS bitpos_0,
       roaring64_position(r64, true) AS bitpos_1_64, roaring_min(r) AS min, roaring64_max(r64) AS max
  FROM keys ORDER BY key;

-- CONTAINS, with ALL, ALL_STRICT and EQ.
SELECT a.ids AS a, b.ids AS b, a.s && b.s AS contains, a.s @> b.s AS "all",
       a.s @> b.s AND a.s <> b.s AS all_strict, a.s = b.s AS eq,
       a.s::roaring64 @> b.s::roaring64 AS all64
  FROM (SELECT ids, ids::roaring AS s FROM unnest(ARRAY['{}', '{1,2,3}', '{1,2}', '{3,4}']) ids) a,
       (SELECT ids, ids::roaring AS s FROM unnest(ARRAY['{}', '{1,2,3}', '{1,2}', '{3,4}']) ids) b
 ORDER BY a.ids COLLATE "C", b.ids COLLATE "C";

-- JACCARD: two of five.
SELECT roaring_jaccard(x.r, y.r) = 0.4::float8 AS jaccard, roaring64_jaccard(x.r64, y.r64) = 0.4::float8 AS jaccard64,
       roaring_jaccard(x.r - x.r, y.r - y.r) AS of_nothing
  FROM keys x, keys y WHERE (x.key, y.key) = ('x', 'y');

-- CLEAR, OPTIMIZE (nothing to do), STAT.
SELECT roaring_empty()::int[] AS clear, i.* FROM roaring_info(roaring_range(0, 70000)) i;

DROP TABLE keys;
