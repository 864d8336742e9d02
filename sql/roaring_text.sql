-- roaring: sets as text, good and bad.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

SELECT t, pg_temp.error_of(format('SELECT %L::roaring', t))
  FROM unnest(ARRAY['!', 'A', 'AwE=', 'AwEAAAAAAAAAAAAAOjAAAAAAAAA', '{', '}', '{,}', '{1;2}', '{{1}}',
             '{1}{2}', '{1} 2', '{NULL}', '{1.5}', '{1e3}', '{0x10}', '{- 1}', '{--1}', '{"1"}', '\x0301',
             '[1,2]', '{99999999999999999999999999999999999999}', '{-9223372036854775809}',
             '{9223372036854775807}', '{4294967296}', '{-1,5}']) t;
-- Blanks, signs and leading zeros are those of numbers.
SELECT t, t::roaring::bigint[] FROM unnest(ARRAY['{}', ' { } ', '{007}', '{+5,-0}', E'{1,\n 2\t}']) t;
SELECT pg_temp.error_of(format('SELECT %L::roaring', repeat('A', 1000000))) AS a_million_as,
       pg_temp.error_of(format('SELECT %L::roaring', '{' || repeat('1,', 1000000))) AS no_end,
       roaring_cardinality(('{' || repeat('7,', 1000000) || '8}')::roaring) AS two;
