# What the TAP tests ask of roaring and roaring64; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'roaring_agg(x % 70000)',
            'roaring64_agg(x * 99999999)',
        ],
        spilled => [
            'roaring_agg(x)',
        ],
    },
    dump => {
        setup => <<'SQL',
CREATE TABLE sets (
    page int PRIMARY KEY,
    members counting.roaring DEFAULT '{5}' CHECK (counting.roaring_cardinality(members) > 0),
    wide counting.roaring64 DEFAULT '{5}',
    size bigint GENERATED ALWAYS AS (counting.roaring_cardinality(members)) STORED
);
INSERT INTO sets SELECT page, counting.roaring_agg(visitor),
        counting.roaring64_agg(visitor * 1000000000::bigint)
    FROM visits GROUP BY page;
INSERT INTO sets (page) VALUES (100);
CREATE INDEX sets_hash ON sets USING hash (members);
CREATE VIEW all_sets AS SELECT counting.roaring_union_agg(members) AS members,
        counting.roaring64_union_agg(wide) AS wide FROM sets;
SQL
        tables => { sets => 'page, members, wide' },
        views => [ 'all_sets' ],
        alive => <<'SQL',
INSERT INTO sets (page) VALUES (101);
SELECT a.members = b.members AND b.wide @> 5 AND a.size = 1 FROM sets a, sets b
WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE sets SET members = counting.roaring_empty() WHERE page = 3',
    },
    memory => {
        groups => { roaring_agg => 1 },
        columns => [
            'roaring_agg(i * g) AS set',
            'roaring_agg(i) FILTER (WHERE i <= g % 20) AS small',
        ],
        calls => {
            'roaring_add' =>
                'roaring_add(set, i), roaring_remove(small, i), roaring_flip(set, i, i + 9)',
            'roaring_union' => 'set | small, set & small, set # roaring_empty(), small - set,
                roaring_jaccard(set, small), set && small, set @> small',
            'roaring_bitop' => q{roaring_bitop('one', set, small, set), roaring_not(small, i)},
            'roaring_contains' =>
                'set @> i::bigint, small @> i::bigint, roaring_rank(set, i), roaring_cardinality(set),
                roaring_to_array(small), roaring_contains_each(set, ARRAY[1, i])',
            'roaring_elements' => '(SELECT count(*) FROM roaring_elements(small))',
            'roaring_to_portable' =>
                'roaring_from_portable(roaring_to_portable(set)), small::text::roaring,
                set::roaring64::roaring, roaring_shift(small, i)',
        },
    },
    cancel => {
        large => {
            roaring => 'roaring_range(0, 4294967296)',
            roaring64 => 'roaring64_range(0, 20000000000)',
        },
        values => {
            zeros_and_ones => "repeat('01', 2000000)",
            (map { ("many_$_" => "(SELECT $_(ranks) FROM arrays)",
                "upper_$_" => "${_}_range(4294967295, 4294967296)",
                "portable_$_" => "${_}_to_portable(${_}_range(0, 4294967296))") } qw(roaring roaring64)),
        },
        endless => {
            'roaring_agg' =>
                'SELECT roaring_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
            'roaring64_agg' => 'SELECT roaring64_agg(a.i * b.i::bigint * b.i)
                FROM numbers a, numbers b',
            'roaring_elements' =>
                'SELECT count(e) FROM roaring_elements(roaring_range(0, 4294967296)) e',
            'roaring64_elements' =>
                'SELECT count(*) FROM (SELECT roaring64_elements(roaring64_range(0, 1000000000000))) e',
            'roaring_union_agg' => 'SELECT roaring_union_agg(roaring_range(a.i * 100, a.i * 1000))
                FROM numbers a, numbers b, numbers c',
            'roaring64_range' =>
                'SELECT sum(roaring64_cardinality(roaring64_flip(roaring64_range(a.i, 1000000000000), 5, 900000000000)))
                FROM numbers a',
        },
        loops => {
            # To the last value, or behind it. What is constant would be computed in planning.
            (map { ("roaring_$_" => "roaring_$_(a.roaring, 4294967295)",
                "roaring64_$_" => "roaring64_$_(a.roaring64, 19999999999)") } qw(rank index select)),
            # It ends with the first container that both have.
            (map { ("${_}_overlaps" => "${_}_overlaps(a.upper_$_, a.$_)") } qw(roaring roaring64)),
            roaring64_range => 'roaring64_range(a.ranks[1], 1000000000000)',
            roaring64_add_range => q{roaring64_add_range('{1}', a.ranks[1], 1000000000000)},
            (map { (
                "$_(text)" => "$_(a.list)",
                "${_}_bitop" => "${_}_bitop('and', VARIADIC ARRAY[a.$_, a.$_])",
                "${_}_cardinality($_,bigint,bigint)" => "${_}_cardinality(a.$_, 5, 4000000000)",
                "${_}_flip" => "${_}_flip(a.$_, 5, 4000000000)",
                "${_}_remove_range" => "${_}_remove_range(a.$_, 5, 4000000000)",
                "${_}_to_array($_)" => "${_}_to_array(a.many_$_)",
                "${_}_to_array($_,bigint,bigint)" => "${_}_to_array(a.many_$_, 5, 2000000)",
                "${_}_to_int_array" => "${_}_to_int_array(a.many_$_)",
                "${_}_bits" => "${_}_bits(a.many_$_)",
                "${_}_from_bits" => "${_}_from_bits(a.zeros_and_ones)",
                "${_}_from_portable" => "${_}_from_portable(a.portable_$_)",
                "${_}_venn" => "${_}_venn(VARIADIC ARRAY[a.$_, a.upper_$_])") } qw(roaring roaring64)),
        },
        brief => {
            'a packed value is returned as it is, and no state is taken' => [map { ("${_}_final", "${_}_cardinality_final", "${_}_intersection_cardinality_final") } qw(roaring roaring64)],
            'an empty result' => [qw(roaring_empty roaring64_empty)],
            'it reads the header' => [
                map { ("${_}_cardinality($_)", "${_}_is_empty") } qw(roaring roaring64) ],
            'it reads one container' => [ map { ("${_}_min", "${_}_position", "${_}_contains($_,bigint)",
                "${_}_contained(bigint,$_)", "${_}_contains($_,integer)", "${_}_contained(integer,$_)",
                "${_}_contains($_,smallint)", "${_}_contained(smallint,$_)") } qw(roaring roaring64) ],
            'at most 65,536 containers of a few bytes' => [qw(roaring_range roaring_add_range)],
            'its bytes are hashed as those of bloom' => [
                map { ("${_}_hash", "${_}_hash_extended") } qw(roaring roaring64) ],
        },
    },
    golden => [
        [ 'roaring', 'empty',
            'roaring_empty()',
            '(roaring_cardinality(v), roaring_info(v))' ],
        [ 'roaring', 'arrays',
            q{'{1,2,5,70000,4294967295}'},
            '(roaring_cardinality(v), roaring_info(v), roaring_max(v))' ],
        [ 'roaring', 'runs',
            'roaring_range(5, 1000000)',
            '(roaring_cardinality(v), roaring_info(v), roaring_min(v))' ],
        [ 'roaring64', 'empty',
            'roaring64_empty()',
            '(roaring64_cardinality(v), roaring64_info(v))' ],
        [ 'roaring64', 'far apart',
            '(SELECT roaring64_agg(i * 99999999999) FROM generate_series(0, 300) i)',
            '(roaring64_cardinality(v), roaring64_info(v), v @> 99999999999)' ],
        [ 'roaring64', 'runs',
            'roaring64_range(4294967290, 4295967290)',
            '(roaring64_cardinality(v), roaring64_info(v))' ],
        [ 'roaring', 'arrays, bitsets and runs',
            q{roaring_add_range((SELECT roaring_agg(CASE i % 6 WHEN 5 THEN i * 97 ELSE i END) FROM generate_series(1, 9000) i), 10000000, 10100000)},
            '(roaring_cardinality(v), roaring_info(v), roaring_rank(v, 500000), roaring_select(v, 8000))' ],
        [ 'roaring', 'all of a container, and the last value',
            'roaring_add(roaring_range(65536, 131072), 4294967295)',
            '(roaring_cardinality(v), roaring_info(v))' ],
        [ 'roaring64', 'few',
            q{'{0,1,4294967295,4294967296,9223372036854775807}'},
            '(roaring64_cardinality(v), roaring64_info(v), roaring64_max(v))' ],
        [ 'roaring64', 'arrays, bitsets and runs',
            q{roaring64_add_range((SELECT roaring64_agg(i * 5000000000 + i % 7) FROM generate_series(1, 100) i) | (SELECT roaring64_agg(i * 30) FROM generate_series(1, 12000) i), 90000000000, 90000100000)},
            '(roaring64_cardinality(v), roaring64_info(v), roaring64_rank(v, 50000000000), roaring64_select(v, 9000))' ],
    ],
};
