# What the TAP tests ask of cuckoo; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'cuckoo_agg(x)',
            'cuckoo_agg(t, 1024, 9)',
        ],
        unions => [
            'cuckoo_union_agg(f)',
        ],
        spilled => [
            'cuckoo_agg(x)',
        ],
        kept => { f => 'cuckoo_agg(x)' },
    },
    replica => {
        setup => <<'SQL',
-- Cuckoo filters in line and out of line, from which something was deleted.
CREATE TABLE cuckoos (page int PRIMARY KEY, packed cuckoo, fixed cuckoo);
INSERT INTO cuckoos
    SELECT page, cuckoo_agg(visitor), cuckoo_add_all(cuckoo_empty(9, 8, 0), ARRAY[page, page])
    FROM facts GROUP BY page;
UPDATE cuckoos SET packed = cuckoo_delete(packed, (SELECT min(visitor) FROM facts WHERE page = 9))
    WHERE page IN (2, 9);
SQL
        same => [
            [ 'cuckoo filters', <<'SQL', qr/^11\|t\|1\|[0-9a-f]{32}$/ ],
SELECT count(*), bool_or(length(packed::bytea) > 100000), sum((cuckoo_info(packed)).deletes),
       md5(string_agg(packed::text || fixed::text, ' ' ORDER BY page))
FROM cuckoos
SQL
            [ 'questions of cuckoo filters', <<'SQL', qr/^t\|\d+\|1\|22\|[0-9a-f]{32}$/ ],
SELECT bool_and(packed @> visitor) FILTER (WHERE packed @> visitor OR page <> 9),
       count(*) FILTER (WHERE packed @> -visitor), count(*) FILTER (WHERE NOT packed @> visitor),
       (SELECT sum(cuckoo_count(fixed, page)) FROM cuckoos),
       (SELECT md5(cuckoo_union_agg(packed ORDER BY page)::bytea) FROM cuckoos)
FROM cuckoos JOIN (SELECT DISTINCT page, visitor FROM facts) f USING (page)
SQL
        ],
    },
    dump => {
        setup => <<'SQL',
CREATE TABLE cuckoos (
    page int PRIMARY KEY,
    seen counting.cuckoo DEFAULT counting.cuckoo_add(
        counting.cuckoo_empty(10, expansion => 0), 'nobody'::text)
        CHECK (counting.cuckoo_cardinality(seen) > 0),
    items bigint GENERATED ALWAYS AS (counting.cuckoo_cardinality(seen)) STORED,
    nobody boolean GENERATED ALWAYS AS (seen OPERATOR(counting.@>) 'nobody'::text) STORED
);
INSERT INTO cuckoos (page, seen)
    SELECT page, counting.cuckoo_delete(counting.cuckoo_agg(visitor, 1024, 8 + page), 5)
    FROM visits GROUP BY page;
INSERT INTO cuckoos (page) VALUES (100);
CREATE INDEX cuckoos_hash ON cuckoos USING hash (seen);
CREATE VIEW all_cuckoos AS SELECT counting.cuckoo_union_agg(seen ORDER BY page) AS f FROM cuckoos;
SQL
        tables => { cuckoos => 'page, seen' },
        views => [ 'all_cuckoos' ],
        alive => <<'SQL',
INSERT INTO cuckoos (page, seen) VALUES (101, cuckoo_empty(10, expansion => 0) | (TABLE all_cuckoos));
SELECT a.items = 1 AND a.nobody AND b.nobody AND b.items > 12 FROM cuckoos a, cuckoos b
WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE cuckoos SET seen = counting.cuckoo_empty() WHERE page = 3',
    },
    memory => {
        groups => { cuckoo_agg => 1 },
        columns => [
            'cuckoo_agg(i * g) AS filter',
            'cuckoo_agg(i) FILTER (WHERE i <= g % 20) AS short',
        ],
        slow => qr/\b(?:filter)\b/,
        calls => {
            'cuckoo_add' =>
                'cuckoo_add(short, i), cuckoo_addnx(short, i::text), cuckoo_try_add(short, i),
                cuckoo_delete(short, 1), cuckoo_try_delete(short, i), cuckoo_compact(short)',
            'cuckoo_add, large' =>
                'cuckoo_add(filter, i), cuckoo_delete(filter, s.g), cuckoo_compact(filter)',
            'cuckoo_add_all' => 'cuckoo_add_all(short, ARRAY[i, 1, NULL]),
                cuckoo_delete_all(short, ARRAY[i::text, NULL])',
            'cuckoo_contains' => 'filter @> i, short @> i::text, cuckoo_count(filter, s.g),
                cuckoo_contains_each(short, ARRAY[i, NULL]), cuckoo_cardinality(short), cuckoo_info(short)',
            'cuckoo_union' => 'short | short, cuckoo_sum(short, short), filter | short,
                cuckoo_sum(cuckoo_add(cuckoo_empty(), i), filter)',
            'cuckoo casts' => 'short::bytea::cuckoo, short::text::cuckoo, _cuckoo_send(short)',
            'cuckoo comparison' => 'short = short, short <> filter, _cuckoo_hash(short),
                _cuckoo_hash_extended(filter, i)',
        },
    },
    cancel => {
        setup => <<'SQL',
CREATE TABLE cuckoos AS SELECT i % 500 AS g, cuckoo_agg(i) AS f FROM numbers GROUP BY 1;
SQL
        large => { cuckoo => '(SELECT cuckoo_agg(i) FROM generate_series(1, 2000000) i)' },
        endless => {
            'cuckoo_agg' =>
                'SELECT cuckoo_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
            'cuckoo_agg by group' =>
                'SELECT a.i % 1000, cuckoo_agg(b.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
            'cuckoo_union_agg' =>
                'SELECT cuckoo_union_agg(f.f) FROM cuckoos f, numbers a, numbers b, numbers c',
            'cuckoo_contains_each of many hashes' =>
                'SELECT count(cuckoo_contains_each(f.f, a.hashes)) FROM numbers, cuckoos f, arrays a',
        },
        loops => {
            # An item that is not there yet.
            (map { my $item = $_; map { ("$_(cuckoo,$item)" => "$_(a.cuckoo, (-7)::bigint::$item)") }
                qw(cuckoo_addnx cuckoo_try_addnx) } qw(hashed text)),
            (map { ("$_(cuckoo,anyenum)" => "$_(a.cuckoo, 'x7'::digit)") } qw(cuckoo_addnx cuckoo_try_addnx)),
        },
        brief => {
            'a packed value is returned as it is, and no state is taken' => ['cuckoo_final'],
            'an empty result' => ['cuckoo_empty'],
            'it reads the header' => [qw(cuckoo_cardinality cuckoo_describe cuckoo_info)],
            'a probe reads a bucket' => [ 'cuckoo_contained(hashed,cuckoo)',
                'cuckoo_contained(text,cuckoo)', 'cuckoo_contains(cuckoo,hashed)',
                'cuckoo_contains(cuckoo,text)', 'cuckoo_count(cuckoo,hashed)', 'cuckoo_count(cuckoo,text)',
                'cuckoo_contained(anyenum,cuckoo)', 'cuckoo_contains(cuckoo,anyenum)', 'cuckoo_count(cuckoo,anyenum)' ],
        },
    },
    golden => [
        [ 'cuckoo', 'empty',
            'cuckoo_empty()',
            'cuckoo_info(v)' ],
        [ 'cuckoo', 'few',
            '(SELECT cuckoo_agg(i) FROM generate_series(1, 20) i)',
            '(cuckoo_info(v), v @> 20, v @> 21)' ],
        [ 'cuckoo', 'grown, with copies and deletes',
            q{(SELECT cuckoo_delete_all(cuckoo_add_all(cuckoo_empty(10), array_agg(i % 900)), '{1,2,3}'::int[]) FROM generate_series(1, 1500) i)},
            '(cuckoo_info(v), cuckoo_count(v, 1), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'cuckoo', 'wide',
            q{(SELECT cuckoo_agg('a' || i, 1024, 32) FROM generate_series(1, 1000) i)},
            q{(cuckoo_info(v), (SELECT count(*) FROM generate_series(1, 9000) i WHERE v @> ('a' || i)))} ],
        [ 'cuckoo', 'of one size',
            '(SELECT cuckoo_add_all(cuckoo_empty(600, 8, 0), array_agg(i)) FROM generate_series(1, 600) i)',
            '(cuckoo_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'cuckoo', 'eight bits',
            '(SELECT cuckoo_agg(i, 1024, 8) FROM generate_series(1, 2000) i)',
            '(cuckoo_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'cuckoo', 'union',
            '(SELECT cuckoo_agg(i) FROM generate_series(1, 300) i) |
             (SELECT cuckoo_agg(i) FROM generate_series(200, 1000) i)',
            '(cuckoo_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
        [ 'cuckoo', 'sum',
            'cuckoo_sum((SELECT cuckoo_agg(i) FROM generate_series(1, 30) i), (SELECT cuckoo_agg(i) FROM generate_series(20, 40) i))',
            '(cuckoo_info(v), cuckoo_count(v, 25), cuckoo_count(v, 35))' ],
        [ 'cuckoo', 'in transit',
            '_cuckoo_agg_state(_cuckoo_agg_state(NULL, 1), 2)',
            '(cuckoo_info(v), (SELECT count(*) FROM generate_series(1, 20000) i WHERE v @> i))' ],
    ],
};
