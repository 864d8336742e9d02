-- bitfield: integers, ranges, operations, aggregates, and every error.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- Bytes in and out, any that there are.
SELECT '\x00ff'::bitfield, 'foobar'::bytea::bitfield::bytea AS bytea, bitfield_empty(),
       _bitfield_send('\x01ff');
SELECT pg_temp.sqlstate_of($$SELECT '\x0'::bitfield$$);

-- ---- bits ----

SELECT bitfield_set_bit('', 7, true), bitfield_set_bit('\xff', 0, false),
       bitfield_set_bit('\x01', 20, true), bitfield_set_bit('\x01', 20, false),
       bitfield_get_bit('\x01', 7), bitfield_get_bit('\x01', 6),
       bitfield_get_bit('\x01', 3999999999);
SELECT * FROM pg_temp.errors_of(
    $$bitfield_get_bit('', -1)$$, $$bitfield_get_bit('', 4000000000)$$);
-- NULL is an empty bitfield, as a key that does not exist; nothing changes by NULL.
SELECT bitfield_set_bit(NULL, 15, true) AS bit, bitfield_set_bit(NULL, 15, false) AS off,
       bitfield_set(NULL, 'u8', 8, 5) AS set, bitfield_incrby(NULL, 'i8', '#1', -1) AS incrby,
       bitfield_exec(NULL, 'SET u8 #0 7 INCRBY u8 #0 2 GET u8 #5') AS exec, bitfield_exec(NULL, 'GET u8 0') AS get,
       bitfield_set(NULL, 'u8', 0, 300, 'fail') IS NULL AS failed;
SELECT b, bitfield_set_bit(b, NULL, true) AS bit_1, bitfield_set_bit(b, 1, NULL) AS bit_2,
       bitfield_set(b, NULL, 0, 1) AS set_1, bitfield_set(b, 'u8', NULL::bigint, 1) AS set_2,
       bitfield_set(b, 'u8', '#0', NULL) AS set_3, bitfield_set(b, 'u8', 0, 1, NULL) AS set_4,
       bitfield_incrby(b, 'u8', NULL::text, 1) AS incrby, bitfield_exec(b, NULL) AS exec
  FROM (VALUES ('\x0102'::bitfield), (NULL)) v(b);
SELECT * FROM pg_temp.errors_of(
    $$bitfield_set_bit('', -1, true)$$, $$bitfield_set_bit('', 4000000000, false)$$);

-- ---- integers ----

SELECT bitfield_set('', 'u5', 7, 23) AS "0170",
       bitfield_get('\x0170', 'u5', 7) AS "23", bitfield_get('\x0170', 'i5', 7) AS "-9",
       bitfield_get('\x0170', 'u63', 0), bitfield_get('\xff', 'i64', 0),
       bitfield_get('', 'i8', '#100'), bitfield_get('\x010203', 'u8', '#2') AS "3",
       bitfield_get('\x010203', 'u8', '8') AS "2";
SELECT how, bitfield_get(bitfield_set('\x05', 'i8', 0, 500, how), 'i8', 0) AS i8,
       bitfield_get(bitfield_set('\x05', 'i8', 0, -500, how), 'i8', 0) AS i8,
       bitfield_get(bitfield_set('\x05', 'u8', '#0', 500, how), 'u8', '#0') AS u8,
       bitfield_get(bitfield_set('\x05', 'u8', '#0', -1, how), 'u8', '#0') AS u8,
       bitfield_get(bitfield_incrby('\x7f', 'i8', 0, 3, how), 'i8', 0) AS up,
       bitfield_get(bitfield_incrby('\x80', 'i8', 0, -3, how), 'i8', 0) AS down,
       bitfield_get(bitfield_incrby('\xfe', 'u8', '#0', 3, how), 'u8', '#0') AS up,
       bitfield_get(bitfield_incrby('\x02', 'u8', '#0', -3, how), 'u8', '#0') AS down,
       bitfield_incrby('', 'u2', 100, 9, how) AS longer
  FROM unnest(ARRAY['wrap', 'SAT', 'fail']) how;
SELECT bitfield_get(bitfield_incrby(bitfield_set('', 'i64', 3, 9223372036854775807), 'i64', 3, 1),
                    'i64', 3) AS least,
       bitfield_get(bitfield_incrby('', 'i64', 0, -9223372036854775808, overflow => 'sat'),
                    'i64', 0) AS least_too,
       bitfield_get(bitfield_set('', 'u63', 1, 9223372036854775807), 'u63', 1) AS greatest,
       bitfield_get(bitfield_incrby('', 'i1', 0, 1), 'i1', 0) AS minus_one,
       bitfield_get(bitfield_set('', 'i8', 0, -9223372036854775808, 'sat'), 'i8', 0) AS "-128";
SELECT bad, pg_temp.error_of(format('SELECT bitfield_get(%L, %L, 0)', '', bad)) AS error
  FROM unnest(ARRAY['', 'u0', 'u64', 'i65', 'I8', '8', 'u8 ']) bad;
SELECT bad, pg_temp.error_of(format('SELECT bitfield_get(%L, %L, %L)', '', 'u8', bad)) AS error
  FROM unnest(ARRAY['', '#', 'x', '-1', '#-1', '3999999993', '#500000000', '1.5',
                    '99999999999999999999']) bad;
SELECT bitfield_get('', 'u8', 3999999992) AS last_byte,
       bitfield_get('', 'u8', '#499999999') AS same;
SELECT * FROM pg_temp.errors_of(
    $$bitfield_set('', 'u8', 3999999993, 1)$$, $$bitfield_set('', 'u8', 0, 1, 'saturate')$$,
    $$bitfield_incrby('', 'u8', '#-1', 1)$$);

-- ---- BITFIELD ----

SELECT * FROM bitfield_exec('', 'INCRBY u4 2 1 OVERFLOW SAT GET u4 0 SET u2 #3 9');
SELECT * FROM bitfield_exec('\xff',
                            'overflow fail incrby u8 0 1 get u8 0 set u8 #1 256 set u8 #1 255');
-- Nothing that failed makes it longer; what was not said, neither.
SELECT * FROM bitfield_exec('\x01', 'OVERFLOW FAIL SET u2 100 4');
SELECT * FROM bitfield_exec('\x01', ''), bitfield_exec('\x01', E' \t OVERFLOW WRAP ') AS b;
SELECT bad, pg_temp.error_of(format('SELECT bitfield_exec(%L, %L)', '\x01', bad)) AS error
  FROM unnest(ARRAY['FOO', 'GET', 'GET u64 0', 'GET u8', 'GET u8 -1', 'GET u8 #500000000',
                    'SET u8 0',
                    'SET u8 0 x', 'SET u8 0 9223372036854775808', 'INCRBY i65 0 1', 'OVERFLOW',
                    'OVERFLOW never', 'GET u8 0 GET u8 0 1', 'INCRBY u8 0 1;']) bad;

-- ---- ranges ----

SELECT bitfield_count(b) AS "26", bitfield_count(b, 0, 0) AS "4", bitfield_count(b, 1, 1) AS "6",
       bitfield_count(b, 5, 30, 'BIT') AS "17", bitfield_count(b, 0, -1) AS all_of_it,
       bitfield_count(b, -2, -1) AS last_two, bitfield_count(b, -9, 100) AS cut,
       bitfield_count(b, 3, 2) AS none, bitfield_count(b, 1, 1, 'byte') AS six,
       bitfield_count(b, -3, -3, 'bit') AS one, bitfield_count('') AS empty
  FROM (SELECT 'foobar'::bytea::bitfield) v(b);
SELECT bitfield_position('\xfff000', false) AS "12", bitfield_position('\x00fff0', true) AS "8",
       bitfield_position('\x00fff0', true, 2) AS "16",
       bitfield_position('\x00fff0', true, 2, -1) AS same,
       bitfield_position('\x00fff0', true, 7, 15, 'bit') AS eight,
       bitfield_position('\x00fff0', true, 7, -3, 'BIT') AS eight_too,
       bitfield_position('\x00', true) AS none, bitfield_position('\xff', false) AS behind_the_end,
       bitfield_position('\xff', false, 0) AS behind_too,
       bitfield_position('\xff', false, 0, -1) AS no,
       bitfield_position('\xff', false, 1) AS beyond, bitfield_position('', false) AS zero,
       bitfield_position('', true) AS not_there;
-- Two indexes before the begin mean the begin; counting, as Redis, takes their order seriously.
SELECT bitfield_position('\x0b', false, -1, -7, 'byte') AS zero,
       bitfield_position('\x0b', true, -1, -7, 'byte') AS one,
       bitfield_position('\x0b', true, -8, -9, 'bit') AS bit,
       bitfield_position('\x0b0b', false, -1, -7, 'byte') AS none,
       bitfield_count('\x0b', -1, -7) AS count, bitfield_count('\x0b', -7, -1) AS in_order;
SELECT bitfield_describe('foobar'::bytea::bitfield), bitfield_describe('') AS empty,
       bitfield_describe('\x80') AS one, bitfield_describe(decode(repeat('ff01', 1000), 'hex')::bitfield) AS more;
SELECT * FROM bitfield_info('foobar'::bytea::bitfield), bitfield_info('') AS empty;
SELECT * FROM pg_temp.errors_of(
    $$bitfield_count('', 0, 1, 'word')$$, $$bitfield_position('', true, 0, 1, '')$$);

-- ---- bit by bit ----

SELECT '\x0ff0'::bitfield & '\xff' AS "and",
       '\x0ff0'::bitfield | '\xf0' AS "or",
       '\x0ff0'::bitfield # '\xff' AS "xor", ~ '\x0ff0'::bitfield AS "not",
       ~ ''::bitfield AS of_none;
SELECT op, bitfield_bitop(op, '\x5e', '\x1c01', '\x8e')
  FROM unnest(ARRAY['and', 'OR', 'xor', 'diff', 'diff1', 'andor', 'one']) op;
SELECT bitfield_bitop('not', '\x01'), bitfield_bitop('or', '\x01', NULL, '\x02'),
       bitfield_bitop('and', VARIADIC ARRAY['\x03', '\x05']::bitfield[]);
SELECT * FROM pg_temp.errors_of(
    $$bitfield_bitop('nand', '', '')$$, $$bitfield_bitop('not', '', '')$$,
    $$bitfield_bitop('diff', '')$$);
-- A NULL is empty, as a key that does not exist is to BITOP.
SELECT op, bitfield_bitop(op, NULL, '\x0f', '\x3c') AS x, bitfield_bitop(op, '\x0f', NULL, '\x3c') AS y,
       bitfield_bitop(op, '\x0f', '\x3c', NULL) AS z, bitfield_bitop(op, NULL, NULL) AS of_nulls
  FROM unnest(ARRAY['and', 'or', 'xor', 'diff', 'diff1', 'andor', 'one']) op;
SELECT op
  FROM unnest(ARRAY['and', 'or', 'xor', 'diff', 'diff1', 'andor', 'one']) op,
       (VALUES (NULL::bitfield), (''), ('\x0f'), ('\x3c01')) a(x), (VALUES (NULL::bitfield), (''), ('\x33')) b(y),
       (VALUES (NULL::bitfield), (''), ('\x55aa55')) c(z)
 WHERE coalesce(x, y, z) IS NOT NULL
   AND bitfield_bitop(op, x, y, z) IS DISTINCT FROM
       bitfield_bitop(op, coalesce(x, ''), coalesce(y, ''), coalesce(z, ''));
SELECT bitfield_bitop('not', NULL) AS not_null, bitfield_bitop('diff', '\xff', NULL) AS without_none,
       bitfield_bitop('and', VARIADIC array_fill(NULL::bitfield, ARRAY[20]) || '\x01'::bitfield) AS of_many;
SELECT * FROM pg_temp.errors_of(
    $$bitfield_bitop('or', VARIADIC '{}'::bitfield[])$$, $$bitfield_bitop('not', '', NULL)$$);

-- ---- aggregates ----

SELECT bitfield_and_agg(b), bitfield_or_agg(b), bitfield_xor_agg(b)
  FROM (VALUES ('\x0f'::bitfield), (NULL), ('\x3c01'), ('\x06')) v(b);
SELECT bitfield_and_agg(b), bitfield_or_agg(b), bitfield_xor_agg(b)
  FROM (SELECT ''::bitfield WHERE false) v(b);
SELECT k, bitfield_count(bitfield_or_agg(bitfield_set_bit('', i, true))) AS n
  FROM (SELECT i % 3 AS k, i FROM generate_series(0, 2999) i) v GROUP BY k ORDER BY k;
-- Each row's state is its own: windows, and rows that were stored.
CREATE TABLE days (day int, seen bitfield);
INSERT INTO days SELECT d, bitfield_or_agg(bitfield_set_bit('', (i * d)::bigint, true))
                   FROM generate_series(1, 5) d, generate_series(1, 9000) i GROUP BY d;
SELECT day, bitfield_count(seen) AS n,
       bitfield_count(bitfield_or_agg(seen) OVER (ORDER BY day)) AS upto,
       bitfield_count(bitfield_and_agg(seen) OVER (ORDER BY day)) AS every_day
  FROM days ORDER BY day;
SELECT bitfield_count(seen) AS n, length(seen::bytea) AS bytes FROM days WHERE day = 5;
-- Out of line, in part.
SELECT bitfield_get_bit(seen, 45000) AS yes, bitfield_get_bit(seen, 45001) AS no,
       bitfield_get(seen, 'u7', 44996) AS seven_bits, bitfield_count(seen, 5000, 5004) AS eight,
       bitfield_position(seen, true, 5000) AS first FROM days WHERE day = 5;

-- Longer ones, asked as a whole and in part, once and many times.
INSERT INTO days VALUES (0, bitfield_set_bit(bitfield_set_bit('', 100, true), 800001, true)),
                        (-1, bitfield_not(bitfield_set_bit('', 400007, true)));
SELECT day, length(seen::bytea) AS bytes, bitfield_position(seen, true) AS first,
       bitfield_position(seen, true, 13) AS next, bitfield_position(seen, false, 13) AS zero,
       bitfield_position(seen, true, 101, 800000, 'bit') AS none,
       bitfield_position(seen, true, 101, 800001, 'bit') AS the_end,
       bitfield_count(seen) AS n, bitfield_count(seen, 100, 800000, 'bit') AS part,
       (bitfield_info(seen)).ones
  FROM days WHERE day < 1 ORDER BY day;
SELECT i, bitfield_position(seen, true) = i AS found
  FROM (SELECT i, bitfield_set_bit('', i, true) AS seen
          FROM unnest('{65535,65536,196607,196608,700000}'::bigint[]) i) v;
INSERT INTO days SELECT i, bitfield_set_bit('', i, true)
                   FROM unnest('{65535,65536,196607,196608,700000}'::bigint[]) i;
SELECT day, bitfield_position(seen, true) AS first, bitfield_get_bit(seen, day) AS there,
       bitfield_get_bit(seen, day + 800) AS behind
  FROM days WHERE day > 5 ORDER BY day;
SELECT day, (bitfield_exec(seen, 'GET u8 800000 GET i64 #12500 GET u4 98')).results AS read,
       (bitfield_exec(seen, 'GET u8 800000')).sketch = seen AS untouched,
       length(((bitfield_exec(seen, 'SET u8 900000 1')).sketch)::bytea) AS longer
  FROM days WHERE day < 1 ORDER BY day;
SELECT sum(bitfield_get(seen, 'u1', i)) AS n, sum(bitfield_get_bit(seen, i)::int) AS same
  FROM days, generate_series(0, 801000, 3) i WHERE day = 0;

-- Bits of rows: in any order, without zeros at the end.
SELECT bitfield_agg(i) FROM (VALUES (7::bigint), (NULL), (0), (7), (17)) v(i);
SELECT * FROM pg_temp.errors_of(
    'bitfield_agg(-1)', 'bitfield_agg(i * 2147483648) FROM generate_series(2, 3) i');
SELECT _bitfield_agg_final(bitfield_set_bit('', 9, false)) AS none;
SELECT i, bitfield_agg(i) OVER (ORDER BY i) FROM unnest('{0,9,300}'::bigint[]) i;
SELECT k, bitfield_agg(i) = bitfield_or_agg(bitfield_set_bit('', i, true)) AS same,
       bitfield_count(bitfield_agg(i)) AS n, length(bitfield_agg(i)::bytea) AS bytes
  FROM (SELECT i % 3 AS k, i * 7919 % 50021 AS i FROM generate_series(0, 8999::bigint) i) v
 GROUP BY k ORDER BY k;
-- Outside of an aggregate their functions leave values alone.
SELECT _bitfield_or_state(b, '\x01') AS changed, _bitfield_agg_state(b, 0) AS too, b
  FROM (SELECT '\x0000000000000000'::bitfield OFFSET 0) v(b);
DROP TABLE days;
