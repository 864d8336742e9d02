-- hashed: 64 bits that stand for a value of any type, made by implicit casts.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all
SET timezone = 'UTC';

-- ---- known answers ----
--
-- XXH3-64 of the bytes that the head of src/pg/hashed/hashed.c names, computed by a program apart from the
-- extension out of those definitions; that of no bytes, 3244421341483603138, is 2d06800538d394c2,
-- the published one. What is stored today depends on these numbers: they never change. Text of 17,
-- 180 and 3000 bytes takes the hash function's other branches. Listed is what hashes otherwise.
SELECT what, got::bigint, expected
  FROM (VALUES
    ('smallint 1',         hashed(1::smallint),                     -4497853633022965951),
    ('smallint -32768',    hashed((-32768)::smallint),              -8961163294140785802),
    ('integer 0',          hashed(0),                               -5173774166141603),
    ('integer 42',         hashed(42),                              -4492418970349924858),
    ('integer -1',         hashed(-1),                              -7475321006025021387),
    ('integer -2^31',      hashed((-2147483648)::int),              4271296834959693931),
    ('bigint 1',           hashed(1::bigint),                       -4497853633022965951),
    ('bigint 2^63 - 1',    hashed(9223372036854775807),             1042119946370198546),
    ('bigint -2^63',       hashed((-9223372036854775808)::bigint),  2269367582636703994),
    ('oid 2^32 - 1',       hashed(4294967295::oid),                 8847670601106121503),
    ('numeric 42.0',       hashed(42.0),                            -4492418970349924858),
    ('numeric 1.5',        hashed(1.50),                            4395630882975600878),
    ('numeric -0.001',     hashed(-0.0010),                         8384603562133787335),
    ('numeric 2^63',       hashed(9223372036854775808),             -5442973950710896500),
    ('numeric -2^63 - 1',  hashed(-9223372036854775809),            -7299669985559985973),
    ('numeric 1e30',       hashed(1e30),                            3019488296017419118),
    ('numeric NaN',        hashed('NaN'::numeric),                  4890475461809621259),
    ('double 1.5',         hashed(1.5::float8),                     4395630882975600878),
    ('double -2.5',        hashed((-2.5)::float8),                  -7158373248309715907),
    ('double 1e308',       hashed(1e308::float8),                   -8385643152137623331),
    ('double 0.1',         hashed(0.1::float8),                     -8344424664409978718),
    ('double Infinity',    hashed('Infinity'::float8),              5046907208915947909),
    ('double -Infinity',   hashed('-Infinity'::float8),             8234701865277351533),
    ('double NaN',         hashed('NaN'::float8),                   4890475461809621259),
    ('double 1e-7',        hashed(1e-7::float8),                    -2898251083327723649),
    ('double 5e-324',      hashed(5e-324::float8),                  -6003953609678703218),
    ('real 1.5',           hashed(1.5::real),                       4395630882975600878),
    ('real 0.1',           hashed(0.1::real),                       8405223256440102890),
    ('boolean true',       hashed(true),                            717506462719763710),
    ('boolean false',      hashed(false),                           7039258320926290811),
    ('text, empty',        hashed(''::text),                        3244421341483603138),
    ('text a',             hashed('a'::text),                       -1817709641818812897),
    ('text hello world',   hashed('hello world'::text),             -3150353794653054837),
    ('text of 17 bytes',   hashed(left(repeat('abc', 6), 17)),      2246094901166379146),
    ('text of 180 bytes',  hashed(repeat('abc', 60)),               -6675466009259274774),
    ('text of 3000 bytes', hashed(repeat('abc', 1000)),             2279658424093169192),
    ('varchar hello',      'hello'::varchar::hashed,                -7685981735718036227),
    ('char(8) foo',        hashed('foo'::char(8)),                  -6093828362558603894),
    ('name hello',         hashed('hello'::name),                   -7685981735718036227),
    ('text 42',            hashed('42'::text),                      -4492418970349924858),
    ('text -2^63',         hashed('-9223372036854775808'::text),    2269367582636703994),
    ('text 2^63',          hashed('9223372036854775808'::text),     -5442973950710896500),
    ('text 042',           hashed('042'::text),                     8486330420330994516),
    ('text -0',            hashed('-0'::text),                      8592051078255531568),
    ('char(8) 42',         hashed('42'::char(8)),                   -4492418970349924858),
    ('name 42',            hashed('42'::name),                      -4492418970349924858),
    ('double 42',          hashed(42::float8),                      -4492418970349924858),
    ('double -2^63',       hashed(-9223372036854775808::float8),    2269367582636703994),
    ('double 1e19',        hashed(1e19::float8),                    -2146979779051607457),
    ('real 42',            hashed(42::real),                        -4492418970349924858),
    ('text of a uuid',     hashed('00112233-4455-6677-8899-aabbccddeeff'::text),
                                                                    5228710947688586653),
    ('... in capitals',    hashed('00112233-4455-6677-8899-AABBCCDDEEFF'::text),
                                                                    -5576881884747804129),
    ('bytea, empty',       hashed(''::bytea),                       -99573424303265929),
    ('bytea of 3000 bytes', hashed(repeat('abc', 1000)::bytea),     783634458068625883),
    ('bytea 00',           hashed('\x00'::bytea),                   -758848545193698164),
    ('bytea 000102',       hashed('\x000102'::bytea),               4418498103009746941),
    ('date 2000-01-01',    hashed('2000-01-01'::date),              7946676806857745363),
    ('date 1970-01-01',    hashed('1970-01-01'::date),              -7429088112532369952),
    ('date 2024-02-29',    hashed('2024-02-29'::date),              -8085214794783409816),
    ('date infinity',      hashed('infinity'::date),                -779715493772164316),
    ('time',               hashed('12:34:56.789'::time),            9080995462298633745),
    ('timetz',             hashed('12:00+02'::timetz),              -7762001174612598596),
    ('timestamp',          hashed('2024-02-29 12:34:56.789012'::timestamp),
                                                                    8354858944624241849),
    ('timestamp infinity', hashed('infinity'::timestamp),           -391698887265315646),
    ('timestamptz',        hashed('2024-02-29 14:34:56.789012+02'::timestamptz),
                                                                    5033949099727871058),
    ('interval',           hashed('1 mon 2 days 03:04:05'::interval),
                                                                    9122516378750512092),
    ('interval negative',  hashed('-1 second'::interval),           4103512378177747395),
    ('interval 1 day',     hashed('1 day'::interval),               7461699764219258198),
    ('interval 0',         hashed('0'::interval),                   -1340889991961292474),
    ('uuid',               hashed('00112233-4455-6677-8899-aabbccddeeff'::uuid),
                                                                    5228710947688586653),
    ('inet',               hashed('192.168.0.1'::inet),             3080639053042240901),
    ('inet with a prefix', hashed('192.168.0.1/24'::inet),          8500414353020918412),
    ('inet IPv6',          hashed('::1'::inet),                     -250236082614554706),
    ('inet of both',       hashed('64:ff9b::192.0.2.33/96'::inet),  -7081459941506570567),
    ('cidr',               '10.0.0.0/8'::cidr::hashed,              -1448191226408778926),
    ('macaddr',            hashed('08:00:2b:01:02:03'::macaddr),    -9055028034955676698),
    ('macaddr8',           hashed('08:00:2b:01:02:03:04:05'::macaddr8),
                                                                    4614778357486525745),
    ('jsonb object',       hashed('{"a": [1, true, null, "x"]}'::jsonb),
                                                                    -179517652499767627),
    ('jsonb number',       hashed('1.50'::jsonb),                   -2593011842299802883),
    ('jsonb string',       hashed('"foo"'::jsonb),                  -6662661299207347349),
    ('jsonb boolean',      hashed('false'::jsonb),                  2208244019851196848),
    ('jsonb {}',           hashed('{}'::jsonb),                     7785365408153629165),
    ('jsonb []',           hashed('[]'::jsonb),                     7455318129590746189)
  ) AS v(what, got, expected)
 WHERE got::bigint IS DISTINCT FROM expected;

-- ---- what is equal hashes alike ----

-- A number is the same whatever integer type, numeric scale or notation it comes in.
SELECT n
  FROM (VALUES (0), (1), (-1), (100), (32767), (-32768)) v(n),
       LATERAL unnest(ARRAY[n::smallint::hashed, n::int::hashed, n::bigint::hashed,
                            n::numeric::hashed, (n || '.0')::numeric::hashed,
                            (n || '.000000')::numeric(20, 6)::hashed,
                            (n || 'e0')::numeric::hashed]) h
 GROUP BY n HAVING count(DISTINCT h::bigint) > 1;
SELECT hashed(100)::bigint = hashed(1e2)::bigint AS exponent,
       hashed(4294967295)::bigint = hashed(4294967295::oid)::bigint AS oid_is_unsigned,
       hashed(9223372036854775807)::bigint = hashed(9223372036854775807.00)::bigint AS largest,
       hashed(9223372036854775808)::bigint = hashed(9223372036854775808.0)::bigint AS beyond,
       hashed(1e1000)::bigint = hashed((1e1000::text || '.00')::numeric)::bigint AS far_beyond,
       hashed(-0.0)::bigint = hashed(0)::bigint AS zero;

-- An item is what it prints as: floating point, too, and the text of a number in each type of text.
SELECT n
  FROM (VALUES (0::bigint), (1), (-1), (42), (1000000), (-2147483648), (4294967296),
               (9007199254740992), (-9223372036854775808)) v(n),
       LATERAL unnest(ARRAY[n::hashed, n::numeric::hashed, n::float8::hashed, n::text::hashed,
                            n::varchar::hashed, n::char(20)::hashed, n::text::name::hashed]) h
 GROUP BY n HAVING count(DISTINCT h::bigint) > 1;
SELECT bool_and(hashed(i::text)::bigint = hashed(i)::bigint) AS texts,
       bool_and(hashed(i::float8)::bigint = hashed(i)::bigint) AS doubles,
       bool_and(hashed((i % 10000000)::real)::bigint = hashed(i % 10000000)::bigint) AS reals,
       bool_and(hashed(trim_scale(i / 8.0)::text)::bigint = hashed(i / 8.0)::bigint) AS fractions
  FROM (SELECT hashint8extended(g, 7) >> 11 + g % 50 AS i FROM generate_series(1, 10000) g) s;
-- Fractions, too, by the shortest digits of the double, without an exponent.
SELECT hashed(1.5)::bigint = hashed('1.5'::text)::bigint AS numeric_text,
       hashed(1.50)::bigint = hashed('1.50'::text)::bigint AS scale,
       hashed(1e-7::float8)::bigint = hashed('0.0000001'::text)::bigint AS plain,
       hashed(1e-7::float8)::bigint = hashed(1e-7::float8::text)::bigint AS exponent,
       hashed(0.1::real)::bigint = hashed('0.1'::text)::bigint AS real_tenth,
       hashed(0.5::real)::bigint = hashed('0.5'::text)::bigint AS real_half;
SELECT bool_and(hashed(x)::bigint = hashed(x::text::numeric)::bigint) AS as_numeric,
       bool_and(hashed(x)::bigint = hashed(trim_scale(x::text::numeric)::text)::bigint) AS as_text,
       count(DISTINCT hashed(x)::bigint) = count(DISTINCT x) AS apart
  FROM (SELECT hashint8extended(g, 7) * 10.0::float8 ^ (g % 600 - 320) AS x
          FROM generate_series(1, 20000) g) s
 WHERE abs(x) NOT BETWEEN 2::float8 ^ 53 AND 2::float8 ^ 63;
-- Other ways to write a number are other texts.
SELECT t, hashed(t)::bigint = hashed(t::numeric)::bigint AS as_number
  FROM unnest('{7,-7,+7,07,-07,7.0,7e0," 7","7 ",-0,0,00,9223372036854775807,-9223372036854775808,
                -9223372036854775809,0000000000000000007}'::text[]) t;
-- uuids and addresses.
SELECT bool_and(hashed(u::text)::bigint = hashed(u)::bigint) AS uuids,
       bool_and(hashed(upper(u::text))::bigint <> hashed(u)::bigint) AS not_in_capitals,
       bool_and(hashed(replace(u::text, '-', ''))::bigint <> hashed(u)::bigint) AS not_without_dashes,
       bool_and(hashed(host(a))::bigint = hashed(a)::bigint) AS addresses,
       bool_and(hashed(a::cidr)::bigint = hashed(a)::bigint) AS networks
  FROM (SELECT ('a' || substr(md5(g::text), 2))::uuid AS u,
               '0.0.0.0'::inet + (hashint8extended(g, 8) & 4294967295) AS a
          FROM generate_series(1, 10000) g) s;
SELECT count(*), bool_and(hashed(a)::bigint = hashed(textin(inet_out(a)))::bigint) AS as_text
  FROM (SELECT set_masklen(string_agg(CASE g >> w & 1 WHEN 0 THEN '0' ELSE to_hex((g * 7919 * w & 65535) >> g % 16) END, ':')::inet,
                           CASE WHEN g % 3 = 0 THEN g % 129 ELSE 128 END) AS a
          FROM generate_series(1, 5000) g, generate_series(0, 7) w GROUP BY g
        UNION ALL SELECT set_masklen('10.1.2.3', bits) FROM generate_series(0, 32) bits
        UNION ALL VALUES ('::ffff:10.1.2.3'::inet), ('::10.1.2.3'), ('::1:0'), ('::'), ('fe80::1/10')) s;
SELECT bool_and(hashed(m)::bigint = hashed(m::text)::bigint) AS macaddr,
       bool_and(hashed(m::macaddr8)::bigint = hashed(m::macaddr8::text)::bigint) AS macaddr8
  FROM (SELECT left(md5(g::text), 12)::macaddr AS m FROM generate_series(1, 1000) g) s;
SELECT hashed('10.0.0.1'::inet)::bigint = hashed('10.0.0.1/32'::text)::bigint AS spelled_out,
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

-- Text that is no number hashes its bytes, but not as bytea; char(n) without the blanks it is
-- padded with, whatever n is, and a leading blank counts.
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

-- ---- what is not equal does not ----

-- Values of 25 types, many with the same bytes: the text 'AAAAAAAA', the bytea, the bigint 0x41...41, the
-- time, timestamps and double with these bits; a text and a bytea of 16 bytes, and the uuid and
-- interval; true and \x01; the date 1 and the number 1. Listed are all pairs of types that have a value
-- alike, with these values. All others differ.
CREATE TEMP TABLE value AS
    SELECT v.*, row_number() OVER () AS id FROM (VALUES
        ('smallint', '1', 1::smallint::hashed), ('integer', '1', 1::hashed),
        ('integer', '1094795585', 1094795585::hashed),
        ('bigint', '1', 1::bigint::hashed), ('bigint', '4702111234474983745', 4702111234474983745::hashed),
        ('oid', '1', 1::oid::hashed), ('oid', '1094795585', 1094795585::oid::hashed),
        ('numeric', '1', 1.0::hashed), ('numeric', '1.5', 1.50::hashed),
        ('numeric', '4702111234474983745', 4702111234474983745.0::hashed),
        ('real', '1', 1::real::hashed), ('real', '1.5', 1.5::real::hashed), ('real', '0.1', 0.1::real::hashed),
        ('float8', '1', 1::float8::hashed), ('float8', '1.5', 1.5::float8::hashed),
        ('float8', '0.1', 0.1::float8::hashed), ('float8', '5e-324', 5e-324::float8::hashed),
        ('float8', '2261634.5098039214', 2261634.5098039214::float8::hashed),
        ('boolean', 'f', false::hashed), ('boolean', 't', true::hashed),
        ('text', '', ''::text::hashed), ('text', '1', '1'::text::hashed), ('text', '1.5', '1.5'::text::hashed),
        ('text', '0.1', '0.1'::text::hashed), ('text', 't', 't'::text::hashed),
        ('text', 'AAAA', 'AAAA'::text::hashed), ('text', 'AAAAAAAA', 'AAAAAAAA'::text::hashed),
        ('text', '16 A', 'AAAAAAAAAAAAAAAA'::text::hashed), ('text', '\x01', E'\x01'::text::hashed),
        ('text', '10.0.0.1', '10.0.0.1'::text::hashed), ('text', '::1', '::1'::text::hashed),
        ('text', '41414141-...', '41414141-4141-4141-4141-414141414141'::text::hashed),
        ('text', '41:41:41:41:41:41', '41:41:41:41:41:41'::text::hashed),
        ('text', '6 A', 'AAAAAA'::text::hashed), ('text', '12 A', 'AAAAAAAAAAAA'::text::hashed),
        ('text', '2000-01-02', '2000-01-02'::text::hashed),
        ('varchar', '1', '1'::varchar::hashed), ('varchar', 'AAAAAAAA', 'AAAAAAAA'::varchar::hashed),
        ('char', '1', '1'::char(3)::hashed), ('char', 'AAAAAAAA', 'AAAAAAAA'::char(9)::hashed),
        ('name', '1', '1'::name::hashed), ('name', 'AAAAAAAA', 'AAAAAAAA'::name::hashed),
        ('bytea', '', ''::bytea::hashed), ('bytea', '00', '\x00'::bytea::hashed),
        ('bytea', '01', '\x01'::bytea::hashed), ('bytea', '1', '1'::bytea::hashed),
        ('bytea', 'AAAA', 'AAAA'::bytea::hashed), ('bytea', 'AAAAAAAA', 'AAAAAAAA'::bytea::hashed),
        ('bytea', '16 A', 'AAAAAAAAAAAAAAAA'::bytea::hashed), ('bytea', '6 A', 'AAAAAA'::bytea::hashed),
        ('bytea', '12 A', 'AAAAAAAAAAAA'::bytea::hashed),
        ('bytea', '1 of 8 bytes', '\x0100000000000000'::bytea::hashed),
        ('date', '1', '2000-01-02'::date::hashed),
        ('date', '1094795585', ('2000-01-01'::date + 2000000)::hashed),
        ('time', '1', '00:00:00.000001'::time::hashed),
        ('timetz', '1', '00:00:00.000001+00'::timetz::hashed),
        ('timestamp', '1', '2000-01-01 00:00:00.000001'::timestamp::hashed),
        ('timestamp', '8 A', ('2000-01-01'::timestamp + '1306142009:34:34.983745'::interval)::hashed),
        ('timestamptz', '8 A', ('2000-01-01+00'::timestamptz + '1306142009:34:34.983745'::interval)::hashed),
        ('timestamp', 'midnight', '2000-01-02'::timestamp::hashed),
        ('timestamptz', '1', '2000-01-01 00:00:00.000001+00'::timestamptz::hashed),
        ('timestamptz', 'midnight', '2000-01-02'::timestamptz::hashed),
        ('interval', '1 us', '1 us'::interval::hashed), ('interval', '1 day', '1 day'::interval::hashed),
        ('interval', '16 A', make_interval(days => 1094795585)::hashed),
        ('uuid', '41414141-...', '41414141-4141-4141-4141-414141414141'::uuid::hashed),
        ('uuid', '1', '01000000-0000-0000-0000-000000000000'::uuid::hashed),
        ('inet', '10.0.0.1', '10.0.0.1'::inet::hashed), ('inet', '::1', '::1'::inet::hashed),
        ('cidr', '10.0.0.1', '10.0.0.1'::cidr::hashed), ('cidr', '::1', '::1'::cidr::hashed),
        ('macaddr', '41:41:41:41:41:41', '41:41:41:41:41:41'::macaddr::hashed),
        ('macaddr8', '8', '41:41:41:41:41:41:41:41'::macaddr8::hashed),
        ('jsonb', '1', '1'::jsonb::hashed), ('jsonb', '"1"', '"1"'::jsonb::hashed),
        ('jsonb', '{}', '{}'::jsonb::hashed), ('jsonb', 'true', 'true'::jsonb::hashed)
    ) AS v(type, what, hash);
SELECT count(DISTINCT type) AS types, count(*) AS vals FROM value;
SELECT a.what, count(*) AS alike, string_agg(DISTINCT b.type, ' ') AS types
  FROM value a JOIN value b ON a.hash::bigint = b.hash::bigint
 GROUP BY a.id, a.what HAVING count(*) > 1 AND a.id = min(b.id) ORDER BY a.id;

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
       hashed(b)::bigint = hashed(s::bytea)::bigint AS b,
       hashed(n)::bigint = hashed(repeat('12345', 4000))::bigint AS n,
       hashed(j)::bigint = hashed(jsonb_build_object('k', s))::bigint AS j
  FROM (TABLE long UNION ALL TABLE long_external) l, repeat('0123456789', 5000) s;

-- ---- NULL, input, output ----

SELECT hashed(NULL::text) IS NULL AS a, NULL::int::hashed IS NULL AS b, hashed(NULL) IS NULL AS c;

-- As text it is 16 hexadecimal digits, which no item looks like by chance: a quoted literal meant
-- as an item is refused, with the remedy.
SELECT 'fffffffffffffffb'::hashed::bigint AS minus_five, '0000000000000005'::hashed::bigint AS five,
       '7FFFFFFFFFFFFFFF'::hashed AS greatest, '8000000000000000'::hashed::bigint AS least;
SELECT * FROM pg_temp.errors_of(
    $$'foo'::hashed$$, $$hashed('foo')$$, $$''::hashed$$, $$'5'::hashed$$,
    $$'00000000000000005'::hashed$$, $$'000000000000000g'::hashed$$,
    $$' 000000000000005'::hashed$$);
-- Aggregates take an untyped literal as text.
SELECT approx_count_distinct('foo') AS literal, hll_agg('foo') = hll_agg('foo'::varchar) AS as_text;

-- Text and binary form go around. A hash of text is not the hash it spells: a driver that has read a
-- hash and sends it as a parameter needs a function that takes it as it is.
SELECT bool_and(hashed(i)::text = lpad(to_hex(hashed(i)::bigint), 16, '0')) AS text_form,
       bool_and(_hashed_send(hashed(i)) = int8send(hashed(i)::bigint)) AS binary_form,
       bool_and(_hashed_in(_hashed_out(hashed(i)))::bigint = hashed(i)::bigint) AS around,
       bool_and(hashed_from_hex(hashed(i)::text)::bigint = hashed(i)::bigint) AS from_hex,
       bool_and(hashed_from_bytea(_hashed_send(hashed(i)))::bigint = hashed(i)::bigint) AS from_bytea
  FROM generate_series(-1000, 1000) i;
SELECT '0000000000000005'::text::hashed::bigint = '0000000000000005'::hashed::bigint AS same,
       hashed_from_hex('000000000000000A')::bigint AS capitals,
       hashed_from_hex(NULL) IS NULL AND hashed_from_bytea(NULL) IS NULL AS of_null;
SELECT * FROM pg_temp.errors_of(
    $$hashed_from_hex('5')$$, $$hashed_from_bytea('\x05')$$,
    $$hashed_from_bytea('\x000000000000000005')$$);
CREATE TEMP TABLE copied (id int, h hashed);
INSERT INTO copied SELECT i, hashed(i) FROM generate_series(1, 100) i;
\copy copied TO 'build/regress/results/hashed.copy' (FORMAT binary)
\copy copied FROM 'build/regress/results/hashed.copy' (FORMAT binary)
SELECT count(*), bool_and(h::bigint = hashed(id)::bigint) AS around FROM copied;

-- ---- types that do not cast by themselves ----

-- Arrays, composites and others are cast to text or bytea by the user. Domains are their base type. Enums have no
-- cast, either, but every function that takes a hashed takes them.
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
-- An enum is its label, whatever its number, which changes when a dump is restored.
CREATE TYPE pg_temp.mood AS ENUM ('sad', 'ok', '7', 'süß');
CREATE DOMAIN pg_temp.good_mood AS pg_temp.mood CHECK (VALUE > 'sad');
CREATE TEMP TABLE moods AS SELECT m, i % 3 + 1 AS n FROM unnest(enum_range(NULL::pg_temp.mood) || NULL::pg_temp.mood) m, generate_series(1, 5) i;
SELECT bool_and(hashed(m)::bigint = hashed(m::text)::bigint) AS hashed, hashed('7'::pg_temp.mood)::bigint = hashed(7)::bigint AS number,
       hashed(NULL::pg_temp.mood) IS NULL AS of_null FROM moods WHERE m IS NOT NULL;
SELECT hll_agg(m) = hll_agg(m::text) AS hll, hll_agg(m, 5) = hll_agg(m::text, 5) AS precise, approx_count_distinct(m) AS distinct_moods,
       bloom_agg(m) = bloom_agg(m::text) AS bloom, bloom_agg(m, 10) = bloom_agg(m::text, 10) AS bloom_capacity, bloom_agg(m, 10, 0.1) = bloom_agg(m::text, 10, 0.1) AS bloom_rate,
       cuckoo_agg(m) = cuckoo_agg(m::text) AS cuckoo, cuckoo_agg(m, 10) = cuckoo_agg(m::text, 10) AS cuckoo_capacity, cuckoo_agg(m, 10, 9) = cuckoo_agg(m::text, 10, 9) AS cuckoo_bits,
       cms_agg(m) = cms_agg(m::text) AS cms, cms_agg(m, 0.1, 0.1) = cms_agg(m::text, 0.1, 0.1) AS cms_error,
       cms_weighted_agg(m, n) = cms_weighted_agg(m::text, n) AS cms_weighted, cms_weighted_agg(m, n, 0.1, 0.1) = cms_weighted_agg(m::text, n, 0.1, 0.1) AS cms_weighted_error FROM moods \gx
SELECT m, hll_add(NULL, m) = hll_add(NULL, m::text) AS hll, hll_try_add(hll_empty(), m) = hll_try_add(hll_empty(), m::text) AS tried,
       hll_add(hll_redis_empty(), m) = hll_add(hll_redis_empty(), m::text) AS redis,
       bloom_add(NULL, m) = bloom_add(NULL, m::text) AS bloom, bloom_try_add(bloom_empty(), m) = bloom_try_add(bloom_empty(), m::text) AS bloom_tried,
       bloom_contains(b, m) AS contains, m <@ b AS contained, b @> m AS operator, cuckoo_contains(c, m) AS cuckoo_contains, m <@ c AND c @> m AS cuckoo_operators,
       cuckoo_count(c, m) AS cuckoo_count, cuckoo_add(c, m) = cuckoo_add(c, m::text) AS cuckoo_add, cuckoo_addnx(c, m) = cuckoo_addnx(c, m::text) AS cuckoo_addnx,
       cuckoo_delete(c, m) = cuckoo_delete(c, m::text) AS cuckoo_delete, cuckoo_try_add(c, m) = cuckoo_try_add(c, m::text) AS cuckoo_try_add,
       cuckoo_try_addnx(c, m) = cuckoo_try_addnx(c, m::text) AS cuckoo_try_addnx, cuckoo_try_delete(c, m) = cuckoo_try_delete(c, m::text) AS cuckoo_try_delete,
       cms_query(s, m) AS cms_query, cms_add(s, m, 3) = cms_add(s, m::text, 3) AS cms_add
  FROM enum_range(NULL::pg_temp.mood) e, unnest(e) m, (SELECT bloom_agg(m) AS b, cuckoo_agg(m) AS c, cms_agg(m) AS s FROM moods WHERE m IN ('ok', '7')) k;
SELECT bool_and(moving = (SELECT count(DISTINCT m) FROM moods)) AS moving FROM (SELECT approx_count_distinct(m) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS moving FROM moods) w;
SELECT count(*) AS rows, count(*) FILTER (WHERE a <> b) AS wrong FROM (SELECT approx_count_distinct(m) OVER w AS a, approx_count_distinct(m::text) OVER w AS b FROM moods WINDOW w AS (ORDER BY n, m ROWS 3 PRECEDING)) w;
-- Literals without a type are texts, as before; an array of enums and a domain over one are cast.
SELECT hll_add(NULL, 'ok') = hll_add(NULL, 'ok'::text) AS literal, 'ok' <@ bloom_agg(m) AS operator,
       hll_add_all(NULL, array_agg(m)::text[]) = hll_agg(m) AS arrays, pg_temp.sqlstate_of($$SELECT hll_add_all(NULL, '{ok}'::pg_temp.mood[])$$) AS no_array,
       hll_agg('ok'::pg_temp.good_mood::pg_temp.mood) = hll_agg('ok') AS domain, pg_temp.sqlstate_of($$SELECT hll_agg('ok'::pg_temp.good_mood)$$) AS no_domain FROM moods;
-- A label that was renamed is another item.
SELECT hashed('ok'::pg_temp.mood) AS ok \gset
ALTER TYPE pg_temp.mood RENAME VALUE 'ok' TO 'fine';
SELECT hashed('fine'::pg_temp.mood)::bigint = hashed('fine'::text)::bigint AS renamed, hashed('fine'::pg_temp.mood)::text <> :'ok' AS other;

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
DROP TABLE copied, value;
DROP EXTENSION sketches;
INSERT INTO meaning SELECT id, false, pg_temp.meaning_of(what) FROM expression;
SELECT what, m.result, w.result AS without
  FROM expression e
  JOIN meaning m ON m.id = e.id AND m.installed
  JOIN meaning w ON w.id = e.id AND NOT w.installed
 WHERE shown AND m.result <> w.result ORDER BY e.id;
SELECT count(*) FILTER (WHERE result ~ '^[0-9]') AS refused, count(*) FILTER (WHERE result !~ '^[0-9]') AS resolved
  FROM meaning JOIN expression USING (id) WHERE shown AND installed;
SELECT count(*) AS expressions, count(*) FILTER (WHERE m.result ~ '^[0-9]') > 5000 AS many_refused,
       count(*) FILTER (WHERE m.result <> w.result) AS changed
  FROM expression e
  JOIN meaning m ON m.id = e.id AND m.installed
  JOIN meaning w ON w.id = e.id AND NOT w.installed
 WHERE NOT shown;
ROLLBACK;
