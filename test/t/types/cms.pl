# What the TAP tests ask of cms; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            # While they are exact.
            'cms_agg(x % 300)',
            'cms_weighted_agg((x % 300)::text, 3)',
            'cms_weighted_agg(x % 60, 1, 0.01, 0.001)',
        ],
        unions => [
            'cms_union_agg(c)',
        ],
        spilled => [
            'cms_agg(x)',
        ],
        kept => { c => 'cms_weighted_agg(x % 300, g)' },
    },
    replica => {
        setup => <<'SQL',
-- Exact and not, in line and out of line.
CREATE TABLE frequency (page int PRIMARY KEY, often cms, large cms, working cms);
INSERT INTO frequency
    SELECT page, cms_agg(visitor), cms_weighted_agg(visitor, 2, 0.0001, 0.1), cms_agg(visitor % 9000)
    FROM facts GROUP BY page;
UPDATE frequency SET often = cms_add(often, -1, 5), large = large | large WHERE page IN (2, 9);
SQL
        same => [
            [ 'cms', <<'SQL', qr/^11\|t\|t\|[0-9a-f]{32}$/ ],
SELECT count(*), bool_or((cms_info(often)).encoding = 'table' AND length(large::bytea) > 2500),
       bool_and(cms_total(working) = (3 ^ page)::int),
       md5(string_agg(often::text || large::text || working::text, ' ' ORDER BY page))
FROM frequency
SQL
            [ 'questions of cms', <<'SQL', qr/^11(?:\|\d+){3}\|[0-9a-f]{32}$/ ],
SELECT count(*), sum(cms_query(often, -1)), sum(cms_query(large, 5) + cms_query(working, 5)),
       sum(cms_inner_product(often, often)), md5(cms_union_agg(often ORDER BY page)::text)
FROM frequency
SQL
        ],
    },
    dump => {
        setup => <<'SQL',
CREATE TABLE frequency (
    page int PRIMARY KEY,
    often counting.cms DEFAULT counting.cms_add(counting.cms_empty(0.1, 0.1), 5, 3)
        CHECK (counting.cms_total(often) > 0),
    fives bigint GENERATED ALWAYS AS (counting.cms_query(often, 5)) STORED
);
INSERT INTO frequency SELECT page, counting.cms_agg(visitor) FROM visits GROUP BY page;
INSERT INTO frequency (page) VALUES (100);
CREATE INDEX frequency_hash ON frequency USING hash (often);
CREATE VIEW all_frequency AS
    SELECT counting.cms_union_agg(often ORDER BY page) FILTER (WHERE page < 100) AS often FROM frequency;
SQL
        tables => { frequency => 'page, often' },
        views => [ 'all_frequency' ],
        alive => <<'SQL',
INSERT INTO frequency (page) VALUES (101);
SELECT a.often = b.often AND a.fives = 3 FROM frequency a, frequency b
WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE frequency SET often = counting.cms_empty() WHERE page = 3',
    },
    memory => {
        groups => { cms_agg => 0.2 },
        columns => [
            'cms_agg(i % g) AS often',
            'cms_agg(i * g) AS tables',
        ],
        slow => qr/\b(?:often|tables)\b/,
        calls => {
            'cms_add' =>
                'cms_add(often, i), cms_add(often, i::text, 7), cms_add_all(often, ARRAY[i, NULL]),
                cms_add_all(often, ARRAY[i::text, NULL], ARRAY[1, 2]), cms_query(often, i),
                cms_query_each(often, ARRAY[i, NULL]), cms_query_each(often, ARRAY[i::text])',
            'cms_add to tables' => 'cms_add(tables, i), cms_query(tables, i::text),
                often | tables',
            'cms_merge' => 'often | often, cms_merge(ARRAY[often, NULL, often], ARRAY[1, 2, i]),
                cms_inner_product(often, often), cms_total(often), cms_error(often), cms_info(often)',
            'cms_inner_product of tables' => 'cms_inner_product(tables, often),
                cms_inner_product(tables, tables), cms_info(tables)',
            'cms casts' => 'often::bytea::cms, often::text::cms, _cms_send(often), often = often,
                _cms_hash(often), _cms_hash_extended(often, i)',
        },
    },
    cancel => {
        setup => <<'SQL',
CREATE TABLE frequencies AS SELECT i % 500 AS g, cms_agg(i) AS c FROM numbers GROUP BY 1;
SQL
        # So many that merging them takes a tenth of a second.
        arrays => { counts => '(SELECT array_agg(c) FROM frequencies, generate_series(1, 20))' },
        large => { cms => '(SELECT cms_weighted_agg(i, 1, 0.000002, 0.01) FROM generate_series(1, 500000) i)' },
        arguments => { 'cms[]' => 'a.counts' },
        endless => {
            'cms_agg' => 'SELECT cms_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
            'cms_agg with counts, by group' =>
                'SELECT a.i % 1000, cms_weighted_agg(b.i, a.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
            'cms_agg of text with an error' =>
                q{SELECT cms_weighted_agg('a' || a.i * b.i::bigint, 1, 0.0001, 0.001) FROM numbers a, numbers b},
            'cms_union_agg' =>
                'SELECT cms_union_agg(f.c) FROM frequencies f, numbers a, numbers b, numbers c',
            'cms_add_all of many hashes' =>
                'SELECT sum(cms_total(cms_add_all(cms_empty(), a.hashes))) FROM numbers, numbers b, arrays a',
        },
        values => { dump_of_cms => q{convert_to(repeat('A', 20000000), 'UTF8') || '\x09000101010101010101'} },
        loops => {
            cms_from_redis => 'cms_from_redis(a.dump_of_cms)',
            cms_merge => 'cms_merge(a.counts, a.ranks[1:10001])',
        },
        brief => {
            'a packed value is returned as it is, and no state is taken' => ['cms_final'],
            'an empty result' => [qw(cms_empty cms_by_dim)],
            'it reads the header' => [qw(cms_describe cms_error cms_info cms_total)],
            'it reads a cell in each of at most 32 rows' => [
                map { "cms_query(cms,$_)" } qw(anyenum bytea hashed text) ],
            'it goes through cells of Redis by blocks, as the union does' => ['cms_to_redis'],
        },
    },
    golden => [
        [ 'cms', 'empty',
            'cms_empty()',
            'cms_info(v)' ],
        [ 'cms', 'list',
            '(SELECT cms_agg(i % 20) FROM generate_series(1, 100) i)',
            '(cms_info(v), cms_query(v, 7))' ],
        [ 'cms', 'table',
            '(SELECT cms_agg(i % 2001) FROM generate_series(1, 20000) i)',
            '(cms_info(v), (SELECT sum(cms_query(v, i)) FROM generate_series(0, 4000) i))' ],
        [ 'cms', 'counters of 64 bits',
            q{cms_add(cms_by_dim(50, 3), 'a', 4000000000000000000)},
            q{(cms_info(v), cms_query(v, 'a'))} ],
        [ 'cms', 'list of texts',
            q{(SELECT cms_weighted_agg('item ' || i % 7, i) FROM generate_series(1, 100) i)},
            q{(cms_info(v), cms_query(v, 'item 3'))} ],
        [ 'cms', 'cells of a byte',
            '(SELECT cms_add_all(cms_by_dim(300, 4), array_agg(i)) FROM generate_series(1, 300) i)',
            '(cms_info(v), (SELECT sum(cms_query(v, i)) FROM generate_series(0, 4000) i))' ],
        [ 'cms', 'cells of two bytes',
            '(SELECT cms_add_all(cms_by_dim(200, 3), array_agg(i), array_agg(i * 90::bigint)) FROM generate_series(1, 300) i)',
            '(cms_info(v), (SELECT sum(cms_query(v, i)) FROM generate_series(0, 4000) i))' ],
        [ 'cms', 'cells of four bytes',
            '(SELECT cms_add_all(cms_by_dim(200, 3), array_agg(i), array_agg(i * 99999::bigint)) FROM generate_series(1, 300) i)',
            '(cms_info(v), (SELECT sum(cms_query(v, i)) FROM generate_series(0, 4000) i))' ],
        [ 'cms', 'exceptions',
            'cms_add((SELECT cms_add_all(cms_by_dim(300, 4), array_agg(i)) FROM generate_series(1, 300) i), 7, 1000000)',
            '(cms_info(v), (SELECT sum(cms_query(v, i)) FROM generate_series(0, 4000) i))' ],
        [ 'cms', 'one cell',
            'cms_add(cms_by_dim(1, 1), 7, 4611686018427387903)',
            '(cms_info(v), cms_query(v, 8))' ],
        [ 'cms', 'sum',
            '(SELECT cms_agg(i % 300) FROM generate_series(1, 2000) i) | (SELECT cms_agg(i % 200) FROM generate_series(1, 900) i)',
            '(cms_info(v), (SELECT sum(cms_query(v, i)) FROM generate_series(0, 4000) i))' ],
    ],
};
