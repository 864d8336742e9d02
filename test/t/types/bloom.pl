# What the TAP tests ask of bloom; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'bloom_agg(x)',
            'bloom_agg(t, 100, 0.001)',
            'bloom_agg(x % 50, 60, 0.2)',
            'bloom_union_agg(bloom_add(bloom_empty(2000), x)) FILTER (WHERE x % 20 = 7)',
            'bloom_intersection_agg(bloom_empty() | bloom_add(bloom_empty(), x)) FILTER (WHERE x < 0)',
        ],
        spilled => [
            'bloom_agg(x)',
        ],
    },
    replica => {
        setup => <<'SQL',
-- A list, a filter, one out of line, one that has grown.
CREATE TABLE filters (page int PRIMARY KEY, packed bloom, large bloom, working bloom);
INSERT INTO filters
    SELECT page, bloom_agg(visitor), bloom_agg(visitor, 20000, 0.001), bloom_agg(visitor)
    FROM facts GROUP BY page;
UPDATE filters SET packed = bloom_add_all(packed, ARRAY[-1, -2]), large = large | packed
    WHERE page IN (2, 9);
SQL
        same => [
            [ 'filters', <<'SQL', qr/^11\|t\|t\|[0-9a-f]{32}$/ ],
SELECT count(*), bool_or(length(large::bytea) > 2500 AND (bloom_info(large)).layers > 1),
       bool_and(bloom_cardinality(working) = (3 ^ page)::int),
       md5(string_agg(packed::text || large::text || working::text, ' ' ORDER BY page))
FROM filters
SQL
            [ 'probes of filters', <<'SQL', qr/^(\d+)\|\1\|\1\|\d+\|\d+\|[0-9a-f]{32}$/ ],
SELECT count(*), count(*) FILTER (WHERE packed @> visitor AND large @> visitor),
       count(*) FILTER (WHERE page > 8 OR working @> visitor),
       count(*) FILTER (WHERE packed @> -visitor), count(*) FILTER (WHERE large @> -visitor),
       (SELECT md5(bloom_union_agg(packed ORDER BY page)::bytea) FROM filters)
FROM facts JOIN filters USING (page) WHERE page < 9 OR visitor % 20 = 0
SQL
        ],
    },
    dump => {
        setup => <<'SQL',
CREATE TABLE blooms (
    page int PRIMARY KEY,
    seen counting.bloom DEFAULT counting.bloom_add(counting.bloom_empty(), 'nobody'::text)
        CHECK (counting.bloom_cardinality(seen) > 0),
    nobody boolean GENERATED ALWAYS AS (seen OPERATOR(counting.@>) 'nobody'::text) STORED
);
INSERT INTO blooms
    SELECT page, counting.bloom_agg(visitor, 1000, 0.01) OPERATOR(counting.|) counting.bloom_agg(-visitor)
    FROM visits GROUP BY page;
INSERT INTO blooms (page) VALUES (100);
CREATE INDEX blooms_hash ON blooms USING hash (seen);
SQL
        tables => { blooms => 'page, seen' },
        alive => <<'SQL',
INSERT INTO blooms (page) VALUES (101);
SELECT a.seen = b.seen AND a.nobody AND b.seen @> 'nobody'
       AND (SELECT bool_and(seen @> visitor) FROM blooms JOIN visits USING (page))
FROM blooms a, blooms b WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE blooms SET seen = counting.bloom_empty() WHERE page = 3',
    },
    memory => {
        groups => { bloom_agg => 1 },
        columns => [
            'bloom_agg(i * g) AS large_bloom',
            'bloom_agg(i) FILTER (WHERE i <= g % 20) AS listed',
        ],
        slow => qr/\b(?:large_bloom)\b/,
        calls => {
            'bloom_add' =>
                'bloom_add(large_bloom, i), bloom_add(listed, i), bloom_add(listed, i::text),
                (bloom_try_add(large_bloom, i)).added, (bloom_try_add(listed, -i)).added',
            'bloom_add_all' => 'bloom_add_all(listed, ARRAY[i, 1, NULL]),
                bloom_add_all(bloom_empty(9, expansion => 0), ARRAY[i, 2])',
            'bloom_contains' => 'large_bloom @> i, listed @> i, listed @> i::text,
                bloom_contains_each(listed, ARRAY[i, NULL]), bloom_contains_each(large_bloom, ARRAY[i])',
            'bloom_union' => 'large_bloom | listed, listed | bloom_add(bloom_empty(), i),
                large_bloom & listed, listed & bloom_add(bloom_empty(), i)',
            'bloom_info' => 'bloom_info(large_bloom), bloom_info(listed),
                bloom_cardinality(large_bloom), bloom_false_positive_rate(large_bloom),
                (SELECT sum(bits) FROM bloom_filters(large_bloom)), bloom_empty(i)',
            'bloom casts' => 'large_bloom::bytea::bloom, listed::text::bloom,
                _bloom_send(large_bloom), large_bloom = listed, _bloom_hash(large_bloom)',
        },
    },
    cancel => {
        setup => <<'SQL',
CREATE TABLE filters AS SELECT bloom_agg(i, 400000, 0.01) AS b FROM numbers;
SQL
        large => { bloom => '(SELECT bloom_agg(i, 5000000) FROM generate_series(1, 200000) i)' },
        endless => {
            'bloom_agg' =>
                'SELECT bloom_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
            'bloom_agg by group' =>
                'SELECT a.i % 1000, bloom_agg(b.i, 100, 0.001) FROM numbers a, numbers b, numbers c GROUP BY 1',
            'bloom_union_agg' =>
                'SELECT bloom_union_agg(f.b) FROM filters f, numbers a, numbers b, numbers c',
            'bloom_add_all of many hashes' =>
                'SELECT sum(bloom_cardinality(bloom_add_all(bloom_empty(), a.hashes)))
                FROM numbers, numbers b, arrays a',
            'bloom_contains' =>
                'SELECT count(*) FROM filters f, numbers a, numbers b WHERE f.b @> (a.i * b.i::bigint)',
            'bloom_contains_each' => 'SELECT count(bloom_contains_each(f.b, a.hashes))
                FROM filters f, arrays a, numbers b, numbers c',
        },
        values => { dump_of_bloom => q{convert_to(repeat('A', 20000000), 'UTF8') || '\x09000101010101010101'} },
        loops => {
            # An item that is not there yet.
            (map { ("bloom_try_add(bloom,$_)" => "bloom_try_add(a.bloom, (-7)::bigint::$_)") } qw(hashed text)),
            'bloom_try_add(bloom,anyenum)' => q{bloom_try_add(a.bloom, 'x7'::digit)},
            'bloom_from_redis(bytea)' => 'bloom_from_redis(a.dump_of_bloom)',
        },
        brief => {
            'a packed value is returned as it is, and no state is taken' => ['bloom_final'],
            'an empty result' => ['bloom_empty'],
            'it reads the header' => [qw(bloom_cardinality)],
            'a probe reads a block of each filter' => [ 'bloom_contained(hashed,bloom)',
                'bloom_contained(text,bloom)', 'bloom_contains(bloom,hashed)', 'bloom_contains(bloom,text)',
                'bloom_contained(anyenum,bloom)', 'bloom_contains(bloom,anyenum)' ],
            'it copies bits of Redis by pieces, as bytea(bloom) does' => [
                'bloom_from_redis(bytea,bytea)', 'bloom_to_redis' ],
        },
    },
    golden => [
        [ 'bloom', 'empty',
            'bloom_empty()',
            'bloom_info(v)' ],
        [ 'bloom', 'list',
            '(SELECT bloom_agg(i) FROM generate_series(1, 20) i)',
            '(bloom_info(v), v @> 20, v @> 21)' ],
        [ 'bloom', 'filter',
            '(SELECT bloom_agg(i, 2000, 0.01) FROM generate_series(1, 2000) i)',
            '(bloom_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'bloom', 'of Redis',
            q{bloom_add(bloom_from_redis('\x07000000000000000100000005000000020000001000000000000000800000000000000007000000000000007b14ae47e17a743fe9862fb2350e2640080000000a0000000000000000',
                                         '\x940307c77f506058200568a880814284'), 'ann')},
            q{(bloom_info(v), v @> 'ann', v @> 'bob', bloom_to_redis(v))} ],
        [ 'bloom', 'layers',
            q{(SELECT bloom_add_all(bloom_empty(100), array_agg('a' || i)) FROM generate_series(1, 3000) i)},
            q{(bloom_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> ('a' || i)))} ],
        [ 'bloom', 'of one size',
            '(SELECT bloom_add_all(bloom_empty(500, 0.001, 0), array_agg(i)) FROM generate_series(1, 500) i)',
            '(bloom_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'bloom', 'high rate',
            '(SELECT bloom_agg(i, 2000, 0.3) FROM generate_series(1, 2000) i)',
            '(bloom_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'bloom', 'union of sizes',
            '(SELECT bloom_agg(i, 300, 0.01) FROM generate_series(1, 300) i) |
             (SELECT bloom_agg(i, 3000, 0.02) FROM generate_series(301, 1000) i)',
            '(bloom_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'bloom', 'intersection',
            '(SELECT bloom_agg(i, 1000, 0.01) FROM generate_series(1, 1000) i) &
             (SELECT bloom_agg(i, 1000, 0.01) FROM generate_series(501, 1500) i)',
            '(bloom_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'bloom', 'in transit',
            '_bloom_agg_state(_bloom_union_state(NULL, (SELECT bloom_agg(i, 300, 0.01)
                FROM generate_series(1, 300) i)), 301)',
            '(bloom_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
    ],
};
