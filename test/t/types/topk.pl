# What the TAP tests ask of topk; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'topk_agg(x % 2000)',
            q{topk_agg('page ' || x % 900, 20)},
            'topk_weighted_agg(x % 1000, 5, 1)',
        ],
        groups => [
            'topk_agg(x)',
            'topk_agg(t, 100)',
        ],
        answers => [
            'approx_top_k(x % 1000, 5)',
            'approx_top_count(x % 1000, 5)',
        ],
        unions => [
            'topk_union_agg(k)',
        ],
        spilled => [
            'topk_agg(x::text)',
        ],
        kept => { k => q{topk_weighted_agg('item ' || x % 300, g, 7)} },
    },
    replica => {
        setup => <<'SQL',
-- Of numbers and of text, exact and not.
CREATE TABLE tops (page int PRIMARY KEY, top topk, words topk, working topk);
INSERT INTO tops
    SELECT page, topk_agg(visitor), topk_agg('user ' || visitor % 3000, 100),
           topk_agg(visitor % 9000)
    FROM facts GROUP BY page;
UPDATE tops SET top = topk_add(top, -1, 5), words = topk_decay(words, 0.5) WHERE page IN (2, 9);
SQL
        same => [
            [ 'topk', <<'SQL', qr/^11\|t\|t\|[0-9a-f]{32}$/ ],
SELECT count(*), bool_or(topk_error(top) > 0) AND bool_or(topk_error(top) = 0),
       bool_and(topk_total(working) = (3 ^ page)::int),
       md5(string_agg(top::text || words::text || working::text, ' ' ORDER BY page))
FROM tops
SQL
            [ 'questions of topk', <<'SQL', qr/^11(?:\|\d+){2}\|[0-9a-f]{32}\|[0-9a-f]{32}$/ ],
SELECT count(*), sum(topk_count(top, -1) + topk_error(working)),
       sum((topk_bounds(words, 'user 7')).upper), md5(topk_union_agg(top ORDER BY page)::text),
       (SELECT md5(string_agg(l::text, ' ' ORDER BY page, l.lower, l.item))
        FROM tops, topk_list(words) l)
FROM tops
SQL
        ],
    },
    dump => {
        setup => <<'SQL',
CREATE TABLE tops (
    page int PRIMARY KEY,
    top counting.topk DEFAULT counting.topk_add(counting.topk_empty(3), 'nobody'::text)
        CHECK (counting.topk_total(top) > 0)
);
INSERT INTO tops SELECT page, counting.topk_agg('user ' || visitor, 1 + 5 * page)
    FROM visits GROUP BY page;
INSERT INTO tops (page) VALUES (100);
CREATE INDEX tops_hash ON tops USING hash (top);
CREATE VIEW all_tops AS
    SELECT counting.topk_union_agg(top OPERATOR(counting.|) top ORDER BY page) AS top,
           (SELECT counting.approx_top_k(visitor, 3) FROM visits) AS three
    FROM tops;
SQL
        tables => { tops => 'page, top' },
        views => [ 'all_tops' ],
        alive => <<'SQL',
INSERT INTO tops (page) VALUES (101);
SELECT a.top = b.top AND topk_count(b.top, 'nobody') = 1 FROM tops a, tops b
WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE tops SET top = counting.topk_empty() WHERE page = 3',
    },
    memory => {
        groups => { topk_agg => 0.2 },
        columns => [
            'topk_agg(i % g) AS top',
            q{topk_agg('item ' || i * g, 100) AS lists},
        ],
        slow => qr/\b(?:top|lists)\b/,
        calls => {
            'topk_add' => q{topk_add(top, i), topk_add(top, i, 7), topk_try_add(top, i),
                topk_add_all(top, ARRAY[i::bigint, NULL]), topk_count(top, i), topk_contains(top, i),
                topk_bounds(top, i), topk_total(top), topk_error(top), topk_info(top)},
            'topk_add of text' => q{topk_add(lists, 'item ' || i), topk_add(lists, i::text, 7),
                topk_try_add(lists, i::text), topk_add_all(lists, ARRAY[i::text, NULL]),
                topk_count(lists, i::text), topk_contains(lists, i::text),
                topk_bounds(lists, i::text), topk_total(lists), topk_info(lists)},
            'topk_union' =>
                'top | top, top | topk_empty(5), topk_decay(top, 0.5), topk_decay(top, 0)',
            'topk_union of text' => 'lists | lists, topk_decay(lists, 0.9)',
            'topk_list' => '(SELECT sum(count) FROM topk_list(top)),
                (SELECT max(item) FROM topk_list(lists))',
            'topk casts' =>
                'top::bytea::topk, top::text::topk, _topk_send(top), top = top, _topk_hash(top), _topk_hash_extended(top, i)',
        },
    },
    cancel => {
        setup => <<'SQL',
CREATE TABLE tops AS SELECT i % 500 AS g, topk_agg(i, 100) AS k FROM numbers GROUP BY 1;
SQL
        endless => {
            'topk_agg' => 'SELECT topk_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
            'topk_agg of text, by group' => q{SELECT a.i % 1000, topk_agg('a' || b.i, 5)
                FROM numbers a, numbers b, numbers c GROUP BY 1},
            'topk_agg with counts' =>
                'SELECT topk_weighted_agg(b.i * 7 % 99991, a.i, 100000) FROM numbers a, numbers b, numbers c',
            'topk_union_agg' =>
                'SELECT topk_union_agg(f.k) FROM tops f, numbers a, numbers b, numbers c',
            'topk_add_all of many texts' =>
                'SELECT sum(topk_total(topk_add_all(topk_empty(), a.texts))) FROM numbers, numbers b, arrays a',
            'topk_list' => 'SELECT count(*) FROM numbers a, numbers b, tops,
                LATERAL topk_list(topk_decay(k, 1 - a.i / 1e9 - b.i / 1e9))',
        },
        large => { topk => "(SELECT topk_agg(rpad(i::text, 300, 'x'), 100000) FROM generate_series(1, 100000) i)" },
        values => {
            topn => '(SELECT jsonb_object_agg(i, i) FROM numbers)',
            # 50,000 numbers that occurred once.
            frequent => q{(SELECT '\x04010a101000000050c300000000000050c30000000000000000000000000000'
                || decode(repeat('0100000000000000', 50000), 'hex') || string_agg(
                    set_byte(set_byte('\x0000000000000000', 0, i % 256), 1, i / 256), '')
                FROM generate_series(1, 50000) i)},
            dump => q{convert_to(repeat('A', 20000000), 'UTF8') || '\x09000101010101010101'},
        },
        loops => {
            topk_from_datasketches => q{topk_from_datasketches(a.frequent, 100000, 'bigint')},
            topk_items_from_redis => 'topk_items_from_redis(a.dump)',
            topk_from_topn => 'topk_from_topn(a.topn, 100000)',
            # With its own number of items.
            (map { ("topk_agg_state(topk,$_,bigint)" => "topk_agg_state(a.topk, '7'::$_, 100000)",
                    "topk_weighted_agg_state(topk,$_,bigint,bigint)" =>
                        "topk_weighted_agg_state(a.topk, '7'::$_, 5, 100000)") } qw(text bigint)),
        },
        brief => {
            'a packed value is returned as it is, and no state is taken' => ['topk_final'],
            'it reads the header' => [qw(topk_error topk_info topk_total)],
            'an empty result' => ['topk_empty'],
        },
    },
    golden => [
        [ 'topk', 'empty',
            'topk_empty()',
            'topk_info(v)' ],
        [ 'topk', 'of numbers',
            '(SELECT topk_agg(i * i % 1009) FROM generate_series(1, 20000) i)',
            q{(topk_info(v), (SELECT md5(string_agg(l::text, ' ')) FROM topk_list(v) l))} ],
        [ 'topk', 'of texts',
            q{(SELECT topk_agg('item ' || i * i % 9973, 20) FROM generate_series(1, 40000) i)},
            q{(topk_info(v), (SELECT md5(string_agg(l::text, ' ')) FROM topk_list(v) l))} ],
        [ 'topk', 'exact',
            '(SELECT topk_agg(i % 30, 5) FROM generate_series(1, 500) i)',
            q{(topk_info(v), (SELECT md5(string_agg(l::text, ' ')) FROM topk_list(v) l))} ],
        [ 'topk', 'numbers at the limits',
            q{topk_add(topk_add(topk_empty(2), -9223372036854775808, 3), 9223372036854775807, 4000000000000000000)},
            q{(topk_info(v), (SELECT md5(string_agg(l::text, ' ')) FROM topk_list(v) l))} ],
        [ 'topk', 'texts short and long',
            q{topk_add(topk_add(topk_add(topk_empty(3), ''), repeat('long ', 100), 2), 'x', 70000)},
            q{(topk_info(v), (SELECT md5(string_agg(l::text, ' ')) FROM topk_list(v) l))} ],
        [ 'topk', 'aged',
            '(SELECT topk_decay(topk_agg(i * i % 1009, 10), 0.3) FROM generate_series(1, 5000) i)',
            q{(topk_info(v), (SELECT md5(string_agg(l::text, ' ')) FROM topk_list(v) l))} ],
        [ 'topk', 'union',
            '(SELECT topk_agg(i * i % 1009, 10) FROM generate_series(1, 5000) i) | (SELECT topk_agg(i * i % 1013, 10) FROM generate_series(1, 5000) i)',
            q{(topk_info(v), (SELECT md5(string_agg(l::text, ' ')) FROM topk_list(v) l))} ],
    ],
};
