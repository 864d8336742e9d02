-- hashed: 64 bits that stand for a value of any type, made by implicit casts.
\set ECHO none
\i sql/include/error_of.sql
\set ECHO all
SET timezone = 'UTC';

-- ---- known answers ----
--
-- XXH3-64 of the bytes that the head of src/pg/hashed/hashed.c names, computed by a program apart from the
-- extension out of those definitions; that of no bytes, 3244421341483603138, is 2d06800538d394c2,
-- the published one. What is stored today depends on these numbers: they never change. Text of 17,
-- 180 and 3000 bytes takes the hash function's other branches.
SELECT what, got::bigint = expected AS good
  FROM (VALUES
    ('smallint 1',         hashed(1::smallint),                     3439722301264460078),
    ('smallint -32768',    hashed((-32768)::smallint),              -8147280152023749728),
    ('integer 0',          hashed(0),                               -4072596861322023719),
    ('integer 42',         hashed(42),                              -3051478158665635896),
    ('integer -1',         hashed(-1),                              5841669975847748627),
    ('integer -2^31',      hashed((-2147483648)::int),              -4439286488713527043),
    ('bigint 1',           hashed(1::bigint),                       3439722301264460078),
    ('bigint 2^63 - 1',    hashed(9223372036854775807),             -6758830778922508474),
    ('bigint -2^63',       hashed((-9223372036854775808)::bigint),  -9038965835861193121),
    ('oid 2^32 - 1',       hashed(4294967295::oid),                 -1143179461510328951),
    ('numeric 42.0',       hashed(42.0),                            -3051478158665635896),
    ('numeric 1.5',        hashed(1.50),                            4395630882975600878),
    ('numeric -0.001',     hashed(-0.0010),                         8384603562133787335),
    ('numeric 2^63',       hashed(9223372036854775808),             -5442973950710896500),
    ('numeric -2^63 - 1',  hashed(-9223372036854775809),            -7299669985559985973),
    ('numeric 1e30',       hashed(1e30),                            3019488296017419118),
    ('numeric NaN',        hashed('NaN'::numeric),                  4890475461809621259),
    ('double 1.5',         hashed(1.5::float8),                     2693614958850487384),
    ('double -2.5',        hashed((-2.5)::float8),                  -7010692185111679489),
    ('double 1e308',       hashed(1e308::float8),                   536580340909813263),
    ('double 0.1',         hashed(0.1::float8),                     -3902581968059104307),
    ('double Infinity',    hashed('Infinity'::float8),              3862676201523092338),
    ('double -Infinity',   hashed('-Infinity'::float8),             -7607982011244918730),
    ('double NaN',         hashed('NaN'::float8),                   767333564151873895),
    ('real 1.5',           hashed(1.5::real),                       2693614958850487384),
    ('real 0.1',           hashed(0.1::real),                       6185812578492515446),
    ('boolean true',       hashed(true),                            -2220562881957146901),
    ('boolean false',      hashed(false),                           -4302098779834749733),
    ('text, empty',        hashed(''::text),                        3244421341483603138),
    ('text a',             hashed('a'::text),                       -1817709641818812897),
    ('text hello world',   hashed('hello world'::text),             -3150353794653054837),
    ('text of 17 bytes',   hashed(left(repeat('abc', 6), 17)),      2246094901166379146),
    ('text of 180 bytes',  hashed(repeat('abc', 60)),               -6675466009259274774),
    ('text of 3000 bytes', hashed(repeat('abc', 1000)),             2279658424093169192),
    ('varchar hello',      'hello'::varchar::hashed,                -7685981735718036227),
    ('char(8) foo',        hashed('foo'::char(8)),                  -6093828362558603894),
    ('name hello',         hashed('hello'::name),                   -7685981735718036227),
    ('text 42',            hashed('42'::text),                      -3051478158665635896),
    ('text -2^63',         hashed('-9223372036854775808'::text),    -9038965835861193121),
    ('text 2^63',          hashed('9223372036854775808'::text),     -5442973950710896500),
    ('text 042',           hashed('042'::text),                     8486330420330994516),
    ('text -0',            hashed('-0'::text),                      8592051078255531568),
    ('char(8) 42',         hashed('42'::char(8)),                   -3051478158665635896),
    ('name 42',            hashed('42'::name),                      -3051478158665635896),
    ('double 42',          hashed(42::float8),                      -3051478158665635896),
    ('double -2^63',       hashed(-9223372036854775808::float8),    -9038965835861193121),
    ('double 1e19',        hashed(1e19::float8),                    -223070123052132297),
    ('real 42',            hashed(42::real),                        -3051478158665635896),
    ('text of a uuid',     hashed('00112233-4455-6677-8899-aabbccddeeff'::text),
                                                                    -4220754513561010282),
    ('... in capitals',    hashed('00112233-4455-6677-8899-AABBCCDDEEFF'::text),
                                                                    -5576881884747804129),
    ('bytea 00',           hashed('\x00'::bytea),                   -4302098779834749733),
    ('bytea 000102',       hashed('\x000102'::bytea),               6864218090047839419)
  ) AS v(what, got, expected);
SELECT what, got::bigint = expected AS good
  FROM (VALUES
    ('date 2000-01-01',    hashed('2000-01-01'::date),              -4072596861322023719),
    ('date 1970-01-01',    hashed('1970-01-01'::date),              -1614616807505350630),
    ('date 2024-02-29',    hashed('2024-02-29'::date),              -3155580506356214900),
    ('date infinity',      hashed('infinity'::date),                5728208738430891762),
    ('time',               hashed('12:34:56.789'::time),            7126085753792085115),
    ('timetz',             hashed('12:00+02'::timetz),              8535927360657329212),
    ('timestamp',          hashed('2024-02-29 12:34:56.789012'::timestamp),
                                                                    -4803545699372040131),
    ('timestamp infinity', hashed('infinity'::timestamp),           -6758830778922508474),
    ('timestamptz',        hashed('2024-02-29 14:34:56.789012+02'::timestamptz),
                                                                    -4803545699372040131),
    ('interval',           hashed('1 mon 2 days 03:04:05'::interval),
                                                                    -8392837265543350376),
    ('interval negative',  hashed('-1 second'::interval),           7483110758506754512),
    ('interval 1 day',     hashed('1 day'::interval),               2806482627441532945),
    ('interval 0',         hashed('0'::interval),                   -3411922682318255768),
    ('uuid',               hashed('00112233-4455-6677-8899-aabbccddeeff'::uuid),
                                                                    -4220754513561010282),
    ('inet',               hashed('192.168.0.1'::inet),             3080639053042240901),
    ('inet with a prefix', hashed('192.168.0.1/24'::inet),          7478793817096618750),
    ('inet IPv6',          hashed('::1'::inet),                     7904139486439891578),
    ('cidr',               '10.0.0.0/8'::cidr::hashed,              6119274074081827876),
    ('macaddr',            hashed('08:00:2b:01:02:03'::macaddr),    -2956189975210676488),
    ('macaddr8',           hashed('08:00:2b:01:02:03:04:05'::macaddr8),
                                                                    3053215939211025299),
    ('jsonb object',       hashed('{"a": [1, true, null, "x"]}'::jsonb),
                                                                    7802034490417667078),
    ('jsonb number',       hashed('1.50'::jsonb),                   -402456248354772855),
    ('jsonb string',       hashed('"foo"'::jsonb),                  -726565854127698896),
    ('jsonb boolean',      hashed('false'::jsonb),                  -5712296283665806076),
    ('jsonb {}',           hashed('{}'::jsonb),                     3059288538554342230),
    ('jsonb []',           hashed('[]'::jsonb),                     -5275917439521383227)
  ) AS v(what, got, expected);

-- ---- what is equal hashes alike ----

-- A number is the same whatever integer type, numeric scale or notation it comes in.
SELECT n, count(DISTINCT h::bigint) AS hashes
  FROM (VALUES (0), (1), (-1), (100), (32767), (-32768)) v(n),
       LATERAL unnest(ARRAY[n::smallint::hashed, n::int::hashed, n::bigint::hashed,
                            n::numeric::hashed, (n || '.0')::numeric::hashed,
                            (n || '.000000')::numeric(20, 6)::hashed,
                            (n || 'e0')::numeric::hashed]) h
 GROUP BY n ORDER BY n;
SELECT hashed(100)::bigint = hashed(1e2)::bigint AS exponent,
       hashed(4294967295)::bigint = hashed(4294967295::oid)::bigint AS oid_is_unsigned,
       hashed(9223372036854775807)::bigint = hashed(9223372036854775807.00)::bigint AS largest,
       hashed(9223372036854775808)::bigint = hashed(9223372036854775808.0)::bigint AS beyond,
       hashed(1e1000)::bigint = hashed((1e1000::text || '.00')::numeric)::bigint AS far_beyond,
       hashed(-0.0)::bigint = hashed(0)::bigint AS zero;

-- An item is what it prints as: floating point, too, and the text of a number in each type of text.
SELECT n, count(DISTINCT h::bigint) AS hashes
  FROM (VALUES (0::bigint), (1), (-1), (42), (1000000), (-2147483648), (4294967296),
               (9007199254740992), (-9223372036854775808)) v(n),
       LATERAL unnest(ARRAY[n::hashed, n::numeric::hashed, n::float8::hashed, n::text::hashed,
                            n::varchar::hashed, n::char(20)::hashed, n::text::name::hashed]) h
 GROUP BY n ORDER BY n;
SELECT bool_and(hashed(i::text)::bigint = hashed(i)::bigint) AS texts,
       bool_and(hashed(i::float8)::bigint = hashed(i)::bigint) AS doubles,
       bool_and(hashed((i % 10000000)::real)::bigint = hashed(i % 10000000)::bigint) AS reals,
       bool_and(hashed(trim_scale(i / 8.0)::text)::bigint = hashed(i / 8.0)::bigint) AS fractions
  FROM (SELECT hashint8extended(g, 7) >> 11 + g % 50 AS i FROM generate_series(1, 10000) g) s;
-- Fractions of floating point are not those of numeric, and not their text.
SELECT hashed(1.5::float8)::bigint = hashed(1.5)::bigint AS fraction,
       hashed(1.5)::bigint = hashed('1.5'::text)::bigint AS numeric_text,
       hashed(1.50)::bigint = hashed('1.50'::text)::bigint AS scale;
-- Other ways to write a number are other texts.
SELECT t, hashed(t)::bigint = hashed(t::numeric)::bigint AS as_number
  FROM unnest('{7,-7,+7,07,-07,7.0,7e0," 7","7 ",-0,0,00,9223372036854775807,-9223372036854775808,
                -9223372036854775809,0000000000000000007}'::text[]) t;
-- uuids and IPv4 addresses.
SELECT bool_and(hashed(u::text)::bigint = hashed(u)::bigint) AS uuids,
       bool_and(hashed(upper(u::text))::bigint <> hashed(u)::bigint) AS not_in_capitals,
       bool_and(hashed(replace(u::text, '-', ''))::bigint <> hashed(u)::bigint) AS not_without_dashes,
       bool_and(hashed(host(a))::bigint = hashed(a)::bigint) AS addresses,
       bool_and(hashed(a::cidr)::bigint = hashed(a)::bigint) AS networks
  FROM (SELECT ('a' || substr(md5(g::text), 2))::uuid AS u,
               '0.0.0.0'::inet + (hashint8extended(g, 8) & 4294967295) AS a
          FROM generate_series(1, 10000) g) s;
SELECT hashed('10.0.0.1/8'::inet)::bigint = hashed('10.0.0.1/8'::text)::bigint AS with_a_mask,
       hashed('::1'::inet)::bigint = hashed('::1'::text)::bigint AS ipv6,
       hashed('2026-03-02'::date)::bigint = hashed('2026-03-02'::text)::bigint AS date,
       hashed('\x33'::bytea)::bigint = hashed('3'::text)::bigint AS bytea,
       hashed(true)::bigint = hashed('t'::text)::bigint AS boolean;

-- Floating point: -0 is 0, there is one NaN, a real is the double of the same value. (0.1 is not
-- the same value in both.)
SELECT hashed('-0'::float8)::bigint = hashed('0'::float8)::bigint AS zero,
       hashed('-0'::real)::bigint = hashed('0'::float8)::bigint AS zero_real,
       hashed('NaN'::float8)::bigint = hashed(-'NaN'::float8)::bigint AS nan,
       hashed('NaN'::real)::bigint = hashed('NaN'::float8)::bigint AS nan_real,
       hashed('Infinity'::float8 - 'Infinity'::float8)::bigint
           = hashed('NaN'::float8)::bigint AS nan_computed,
       hashed(0.25::real)::bigint = hashed(0.25::float8)::bigint AS same_value,
       hashed(0.1::real)::bigint = hashed(0.1::float8)::bigint AS tenth,
       hashed(0.1::real)::bigint = hashed(0.1::real::float8)::bigint AS tenth_widened;

-- Text that is no number hashes its bytes, as bytea does; char(n) without the blanks it is padded
-- with, whatever n is, and a leading blank counts.
SELECT count(DISTINCT h::bigint) AS hashes
  FROM unnest(ARRAY['foo'::text::hashed, 'foo'::varchar::hashed, 'foo'::varchar(9)::hashed,
                    'foo'::name::hashed, 'foo'::char(3)::hashed, 'foo'::char(20)::hashed,
                    'foo   '::char(6)::hashed, 'foo'::bytea::hashed]) h;
SELECT hashed('foo '::text)::bigint = hashed('foo'::text)::bigint AS blank_in_text,
       hashed(' foo'::char(4))::bigint = hashed('foo'::char(4))::bigint AS blank_before,
       hashed(''::char(5))::bigint = hashed(''::text)::bigint AS all_blank,
       hashed('Foo'::text)::bigint = hashed('foo'::text)::bigint AS upper_case;

-- An interval hashes as it compares: 24 hours to the day, 30 days to the month.
SELECT a, b, a = b AS equal, hashed(a)::bigint = hashed(b)::bigint AS alike
  FROM (VALUES ('1 day'::interval, '24 hours'::interval),
               ('1 mon', '30 days'),
               ('1 year', '360 days'),
               ('1 mon -1 day', '29 days'),
               ('-1 day +01:00', '-23 hours'),
               ('1 day -01:00', '23 hours'),
               ('-1 day', '-24 hours'),
               ('1 day', '24:00:01'),
               ('1 mon', '31 days')) v(a, b);

-- Dates and times: an instant is the same in every zone. A timetz is not, it has its zone.
SELECT hashed('2024-07-01 12:00+00'::timestamptz)::bigint
           = hashed('2024-07-01 14:00+02'::timestamptz)::bigint AS instant,
       '12:00+00'::timetz = '14:00+02'::timetz AS timetz_equal,
       hashed('12:00+00'::timetz)::bigint = hashed('14:00+02'::timetz)::bigint AS timetz_alike;
SET timezone = 'America/New_York';
SELECT hashed('2024-07-01 08:00'::timestamptz)::bigint
           = hashed('2024-07-01 12:00+00'::timestamptz)::bigint AS instant;
SET timezone = 'UTC';

-- Addresses: cidr and inet of the same network; the prefix length counts, as in SQL, and so does
-- the family.
SELECT '10.1.0.0/16'::cidr::hashed::bigint = hashed('10.1.0.0/16'::inet)::bigint AS cidr_inet,
       hashed('10.1.0.0/16'::inet)::bigint = hashed('10.1.0.0/24'::inet)::bigint AS other_prefix,
       hashed('10.1.0.0'::inet)::bigint = hashed('10.1.0.0/32'::inet)::bigint AS whole,
       hashed('::ffff:10.1.0.0'::inet)::bigint = hashed('10.1.0.0'::inet)::bigint AS mapped;

-- Documents: the order of keys, repeated keys (the last one holds), blanks and the scale of numbers
-- do not matter, exactly as for =. Nesting and types do.
SELECT a, b, a = b AS equal, hashed(a)::bigint = hashed(b)::bigint AS alike
  FROM (VALUES ('1.0'::jsonb, '1.00'::jsonb),
               ('100', '1e2'),
               ('{"a": 1, "bb": 2}', '{"bb":2,"a":1.0}'),
               ('{"a": 1, "a": 2}', '{"a": 2}'),
               ('[1, [2.50, "x"]]', '[1.0,[2.5,"x"]]'),
               ('1', '"1"'),
               ('1', '[1]'),
               ('[1, 2]', '[2, 1]'),
               ('[[1], 2]', '[[1, 2]]'),
               ('[[], []]', '[[[]]]'),
               ('["a", "b"]', '["ab"]'),
               ('{"a": "b"}', '["a", "b"]'),
               ('{"a": null}', '{}'),
               ('null', 'false'),
               ('{}', '[]')) v(a, b);

-- Different values of a type have different hashes: 100,000 of them do (two of 64 bits meet with
-- a probability of 3e-10).
SELECT count(DISTINCT hashed(i)::bigint) AS ints,
       count(DISTINCT hashed(i::text)::bigint) AS texts,
       count(DISTINCT hashed(i / 8.0)::bigint) AS numerics,
       count(DISTINCT hashed(i / 8.0::float8)::bigint) AS doubles
  FROM generate_series(1, 100000) i;

-- Long values hash alike inline, compressed and out of line.
CREATE TEMP TABLE long (storage text, t text, b bytea, n numeric, j jsonb);
CREATE TEMP TABLE long_external (LIKE long);
ALTER TABLE long_external ALTER t SET STORAGE external, ALTER b SET STORAGE external,
    ALTER n SET STORAGE external, ALTER j SET STORAGE external;
INSERT INTO long
    SELECT 'compressed', s, s::bytea, repeat('12345', 4000)::numeric, jsonb_build_object('k', s)
      FROM repeat('0123456789', 5000) s;
INSERT INTO long_external
    SELECT 'external', s, s::bytea, repeat('12345', 4000)::numeric, jsonb_build_object('k', s)
      FROM repeat('0123456789', 5000) s;
SELECT storage, pg_column_size(t) < 5000 AS small, hashed(t)::bigint = hashed(s)::bigint AS t,
       hashed(b)::bigint = hashed(s)::bigint AS b,
       hashed(n)::bigint = hashed(repeat('12345', 4000))::bigint AS n,
       hashed(j)::bigint = hashed(jsonb_build_object('k', s))::bigint AS j
  FROM (TABLE long UNION ALL TABLE long_external) l, repeat('0123456789', 5000) s;

-- ---- NULL, input, output ----

SELECT hashed(NULL::text) IS NULL AS a, NULL::int::hashed IS NULL AS b, hashed(NULL) IS NULL AS c;

-- As text it is 16 hexadecimal digits, which no item looks like by chance: a quoted literal meant
-- as an item is refused, with the remedy.
SELECT 'fffffffffffffffb'::hashed::bigint AS minus_five, '0000000000000005'::hashed::bigint AS five,
       '7FFFFFFFFFFFFFFF'::hashed AS greatest, '8000000000000000'::hashed::bigint AS least;
SELECT pg_temp.error_of('SELECT ''foo''::hashed');
SELECT pg_temp.error_of('SELECT hashed(''foo'')');
SELECT pg_temp.error_of('SELECT ''''::hashed');
SELECT pg_temp.error_of('SELECT ''5''::hashed');
SELECT pg_temp.error_of('SELECT ''00000000000000005''::hashed');
SELECT pg_temp.error_of('SELECT ''000000000000000g''::hashed');
SELECT pg_temp.error_of('SELECT '' 000000000000005''::hashed');
-- Aggregates take an untyped literal as text.
SELECT approx_count_distinct('foo') AS literal, hll_agg('foo') = hll_agg('foo'::varchar) AS as_text;

-- Text and binary form go around. A hash of text is not the hash it spells.
SELECT bool_and(hashed(i)::text = lpad(to_hex(hashed(i)::bigint), 16, '0')) AS text_form,
       bool_and(_hashed_send(hashed(i)) = int8send(hashed(i)::bigint)) AS binary_form,
       bool_and(_hashed_in(_hashed_out(hashed(i)))::bigint = hashed(i)::bigint) AS around
  FROM generate_series(-1000, 1000) i;
SELECT '0000000000000005'::text::hashed::bigint = '0000000000000005'::hashed::bigint AS same;
CREATE TEMP TABLE copied (id int, h hashed);
INSERT INTO copied SELECT i, hashed(i) FROM generate_series(1, 100) i;
\copy copied TO 'build/regress/results/hashed.copy' (FORMAT binary)
\copy copied FROM 'build/regress/results/hashed.copy' (FORMAT binary)
SELECT count(*), bool_and(h::bigint = hashed(id)::bigint) AS around FROM copied;

-- ---- types that do not cast by themselves ----

-- Enums (their numbers change when a dump is restored), arrays, composites and others are cast to
-- text or bytea by the user. Domains are their base type.
CREATE TYPE pg_temp.colour AS ENUM ('red', 'green');
CREATE TYPE pg_temp.pair AS (a int, b text);
CREATE DOMAIN pg_temp.positive AS int CHECK (VALUE > 0);
SELECT what, pg_temp.sqlstate_of(format('SELECT (%s)::hashed', what)) AS cast_to_hashed,
       pg_temp.sqlstate_of(format('SELECT hll_agg(%s)', what)) AS aggregated,
       pg_temp.sqlstate_of(format('SELECT hll_agg((%s)::text)', what)) AS aggregated_as_text
  FROM (VALUES ('''red''::pg_temp.colour'), ('ARRAY[1, 2]'), ('ARRAY[''a'']'),
               ('ROW(1, ''a'')::pg_temp.pair'), ('ROW(1, 2)'), ('point(1, 2)'), ('int4range(1, 2)'),
               ('B''101'''), ('''{}''::json'), ('''pg_class''::regclass'), ('''1:1''::tsvector'),
               ('hll_empty()'), ('5::pg_temp.positive')) v(what);
SELECT hashed('red'::pg_temp.colour::text)::bigint = hashed('red'::text)::bigint AS enum,
       5::pg_temp.positive::hashed::bigint = hashed(5)::bigint AS domain;

-- ---- order and equality ----

-- No operator that a query could mean compares a hashed.
SELECT what, pg_temp.sqlstate_of(what) AS sqlstate
  FROM (VALUES ('SELECT hashed(1) = hashed(1)'),
               ('SELECT hashed(1) <> hashed(1)'),
               ('SELECT hashed(1) < hashed(1)'),
               ('SELECT hashed(1) = 1'),
               ('SELECT hashed(1) + 1'),
               ('SELECT hashed(1) IN (hashed(1))'),
               ('SELECT hashed(1) = ANY (ARRAY[hashed(1)])'),
               ('SELECT hashed(1) BETWEEN hashed(1) AND hashed(1)'),
               ('SELECT hashed(1) IS DISTINCT FROM hashed(1)'),
               ('SELECT nullif(hashed(1), hashed(1))'),
               ('SELECT ROW(hashed(1)) = ROW(hashed(1))'),
               ('SELECT max(hashed(1))'),
               ('SELECT 1 FROM (SELECT hashed(1) AS h) a JOIN (SELECT hashed(1) AS h) b USING (h)')
       ) v(what);
-- DISTINCT and ORDER BY inside a call sort what the aggregate takes: hashes.
SELECT approx_count_distinct(DISTINCT x) AS counted, hll_agg(DISTINCT x) = hll_agg(x) AS hll,
       hll_agg(x ORDER BY x) = hll_agg(x) AS ordered, hll_agg(x ORDER BY x DESC) = hll_agg(x) AS back,
       cms_total(cms_agg(DISTINCT x)) AS cms, bloom_agg(DISTINCT x) = bloom_agg(x) AS bloom,
       cuckoo_cardinality(cuckoo_agg(DISTINCT x)) AS cuckoo,
       approx_count_distinct(DISTINCT x::numeric) AS numeric,
       approx_count_distinct(DISTINCT x::text) AS text,
       approx_count_distinct(DISTINCT now() + x * interval '1 s') AS instants
  FROM (SELECT i % 100 AS x FROM generate_series(1, 1000) i) s;
SELECT count(DISTINCT hashed(i % 10)) AS distinct_hashes,
       (SELECT count(*) FROM (SELECT hashed(i % 10) FROM generate_series(1, 50) i GROUP BY 1) g) AS groups,
       (SELECT count(*) FROM (SELECT hashed(1) UNION SELECT hashed(1.0)) u) AS together,
       ARRAY[hashed(1)] = ARRAY[hashed(1)] AS arrays
  FROM generate_series(1, 50) i;
-- The order is that of the numbers, by sorting and by an index; hashing agrees with equality.
CREATE TEMP TABLE keyed (h hashed PRIMARY KEY);
INSERT INTO keyed SELECT i FROM generate_series(1, 1000) i;
SELECT pg_temp.sqlstate_of('INSERT INTO keyed VALUES (7)') AS twice;
SELECT count(*) FILTER (WHERE n < before) AS disorder, count(*) AS rows
  FROM (SELECT h::bigint AS n, lag(h::bigint) OVER (ORDER BY h) AS before FROM keyed) s;
SET enable_seqscan = off;
SELECT count(*) FILTER (WHERE h #*= hashed(7)) AS equal,
       count(*) FILTER (WHERE h #*< hashed(7)) + count(*) FILTER (WHERE h #*>= hashed(7)) AS halves,
       count(*) FILTER (WHERE h #*<= hashed(7)) - count(*) FILTER (WHERE h #*< hashed(7)) AS between,
       count(*) FILTER (WHERE h #*> hashed(7)) + count(*) FILTER (WHERE h #*<= hashed(7)) AS others
  FROM keyed;
SELECT count(*) FROM keyed WHERE h #*= hashed(7);
RESET enable_seqscan;
SET enable_sort = off;
SELECT count(*) FROM (SELECT hashed(i % 10) FROM generate_series(1, 50) i GROUP BY 1) g;
RESET enable_sort;
SELECT bool_and(_hashed_hash(h) = hashint8(h::bigint)
                AND _hashed_hash_extended(h, 5) = hashint8extended(h::bigint, 5)
                AND sign(_hashed_cmp(h, hashed(7))) = sign(btint8cmp(h::bigint, hashed(7)::bigint)))
       AS as_bigint FROM keyed;
DROP TABLE keyed;

-- ---- nothing unrelated resolves through it ----
--
-- Every expression below means the same with the extension as without it: the same SQLSTATE, or the
-- same type. That is tried out by dropping the extension, within a transaction that is rolled back.

-- (The classes that DISTINCT and ORDER BY use have operators with names that mean nothing elsewhere.)
CREATE TEMP TABLE expression (id serial, what text, shown boolean DEFAULT true);
INSERT INTO expression (what) VALUES
    ('1 = ''a''::text'), ('''a''::text = 1'), ('now() = 1'), ('true = 1'), ('1 = 1.5::text'),
    ('''1''::text < 2'), ('''1''::text <> 2::bigint'), ('1::bigint = point(1, 2)'),
    ('''00112233-4455-6677-8899-aabbccddeeff''::uuid = 1'), ('current_date = 1'),
    ('current_date = ''2024-01-01''::text'), ('''{}''::jsonb = ''{}''::text'), ('1.5 = true'),
    ('''127.0.0.1''::inet = ''127.0.0.1''::text'), ('''\x00''::bytea = ''a''::text'),
    ('1 = ''1''::"char"'), ('''a''::name = 1'), ('1::oid = ''1''::text'),
    ('interval ''1 day'' = 1'), ('ARRAY[1] = ARRAY[''a''::text]'), ('ARRAY[1] = ARRAY[true]'),
    ('ARRAY[1.0] || ARRAY[''a''::text]'), ('ARRAY[1] @> ARRAY[''1''::text]'),
    ('1 IN (''a''::text)'), ('1 IN (2, true)'), ('''a''::text IN (1, 2)'),
    ('1 = ANY (ARRAY[''a''::text])'), ('''a''::text BETWEEN 1 AND 2'),
    ('1 IS DISTINCT FROM ''a''::text'), ('NULLIF(1, ''a''::text)'),
    ('CASE WHEN true THEN 1 ELSE ''a''::text END'), ('CASE 1 WHEN ''a''::text THEN true END'),
    ('COALESCE(1, ''a''::text)'), ('COALESCE(1, true)'), ('GREATEST(1, ''a''::text)'),
    ('ARRAY[1, ''a''::text]'), ('(SELECT 1 UNION SELECT ''a''::text)'),
    ('(SELECT true UNION ALL SELECT 1)'), ('(SELECT x FROM (VALUES (1), (true)) v(x))'),
    ('ROW(1) = ROW(''a''::text)'), ('ROW(1, 2) < ROW(1, ''a''::text)'),
    ('(1, 2) IN (SELECT ''a''::text, true)'), ('1 = (SELECT ''a''::text)'),
    ('1 | true'), ('1 # ''a''::text'), ('1 | ''1''::text'), ('1 | ''a'''), ('''1'' | ''2'''),
    ('# ''a'''), ('# 1'), ('| 1'), ('1 + ''a''::text'), ('true + 1'), ('1 || ''a'''),
    ('''a''::text || 1'), ('1 || 2'), ('max(true)'), ('length(1)'), ('upper(1)'),
    ('count(DISTINCT ROW(1, ''a''::text))'), ('abs(''1''::text)'),
    ('date_trunc(1, now())'), ('bytea(''a'')'), ('bytea(''a''::text)'), ('bytea(true)'),
    ('1 LIKE ''1'''), ('true ~ ''t'''),
    ('(SELECT 1 FROM pg_class JOIN pg_proc ON relname = prorettype)'),
    ('(SELECT count(*) FROM pg_class c JOIN pg_type t USING (oid) WHERE c.relname = t.oid)');

-- And every pair of common types, and NULL and a literal of no type, under every operator that the
-- extension defines and some more, and wherever two types are made one.
INSERT INTO expression (what, shown)
    WITH operand AS (
        SELECT 'NULL::' || t AS x
          FROM unnest('{smallint,int,bigint,oid,numeric,real,float8,boolean,text,varchar,bpchar,
                        name,"\"char\"",bytea,date,time,timestamp,timestamptz,interval,uuid,
                        inet,cidr,macaddr,json,jsonb,point,bit,money,regclass,int[],text[],
                        bigint[],int4range}'::text[]) t
        UNION ALL VALUES ('NULL'), ('''1''')
    )
    SELECT format(template, a.x, b.x), false
      FROM operand a, operand b,
           unnest('{%s = %s,%s <> %s,%s < %s,%s <= %s,%s > %s,%s >= %s,%s | %s,%s # %s,
                    %s || %s,%s IN (%s),%s IS DISTINCT FROM %s,ARRAY[%s] = ARRAY[%s]}'::text[]
                  || ARRAY['COALESCE(%s, %s)']) template;
INSERT INTO expression (what, shown)
    SELECT format('# NULL::%s', t), false
      FROM unnest('{int,bigint,text,bytea,path,polygon,jsonb,bit}'::text[]) t;

CREATE TEMP TABLE meaning (id int, installed boolean, result text);
CREATE FUNCTION pg_temp.meaning_of(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT pg_typeof(x)::text FROM (SELECT %s AS x) s', expression) INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;
SET client_min_messages = warning;
BEGIN;
INSERT INTO meaning SELECT id, true, pg_temp.meaning_of(what) FROM expression;
DROP TABLE copied;
DROP EXTENSION sketches;
INSERT INTO meaning SELECT id, false, pg_temp.meaning_of(what) FROM expression;
SELECT what, m.result, m.result = w.result AS as_without
  FROM expression e
  JOIN meaning m ON m.id = e.id AND m.installed
  JOIN meaning w ON w.id = e.id AND NOT w.installed
 WHERE shown ORDER BY e.id;
SELECT count(*) AS expressions, count(*) FILTER (WHERE m.result ~ '^[0-9]') > 5000 AS many_refused,
       count(*) FILTER (WHERE m.result <> w.result) AS changed
  FROM expression e
  JOIN meaning m ON m.id = e.id AND m.installed
  JOIN meaning w ON w.id = e.id AND NOT w.installed
 WHERE NOT shown;
ROLLBACK;
