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
    size bigint GENERATED ALWAYS AS (OPERATOR(counting.#) members) STORED
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
                'set @> i::bigint, small @> i::bigint, roaring_rank(set, i), # set,
                roaring_to_array(small), roaring_contains_each(set, ARRAY[1, i])',
            'roaring_elements' => '(SELECT count(*) FROM roaring_elements(small))',
            'roaring_to_portable' =>
                'roaring_from_portable(roaring_to_portable(set)), small::text::roaring,
                set::roaring64::roaring, roaring_shift(small, i)',
        },
    },
    cancel => {
        values => {
            many => '(SELECT roaring(ranks) FROM arrays)',
            wide => 'roaring64_range(0, 1000000000000)',
            set => 'roaring_range(0, 4294967296)',
            set_bytes => 'roaring_range(0, 4294967296)::bytea',
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
                'SELECT sum(# roaring64_flip(roaring64_range(a.i, 1000000000000), 5, 900000000000))
                FROM numbers a',
        },
        loops => {
            'roaring64_range(bigint, bigint)' => 'roaring64_range(a.ranks[1], 1000000000000)',
            'roaring(bytea)' => 'a.set_bytes::roaring',
            'roaring64(roaring)' => 'a.set::roaring64',
            (map { ("roaring_$_(roaring, roaring)" => "roaring_$_(a.set, '{1}')") }
                  qw(union intersection xor difference)),
            (map { ("roaring_$_(roaring, roaring)" => "roaring_$_(a.set, a.set)") }
                  qw(intersection_cardinality contains)),
            # It ends with the first container that both have.
            'roaring_overlaps(roaring, roaring)' =>
              'roaring_overlaps(roaring_remove_range(a.set, 0, 4294967295), a.set)',
            'roaring_remove_range(roaring, bigint, bigint)' => 'roaring_remove_range(a.set, 5, 4000000000)',
            'roaring_flip(roaring, bigint, bigint)' => 'roaring_flip(a.set, 5, 4000000000)',
            'roaring_shift(roaring, bigint)' => 'roaring_shift(a.set, 5)',
            (map { ("roaring_$_(roaring, bigint)" => "roaring_$_(a.set, 4294967295)") } qw(rank index select)),
            (map { ("roaring_$_(roaring)" => "roaring_$_(a.set)") } qw(max info describe)),
            '_roaring_union_state(roaring, roaring)' => '_roaring_union_state(roaring_empty(), a.set)',
            'roaring(bigint[])' => 'roaring(a.ranks)',
            'roaring64(bigint[])' => 'roaring64(a.ranks)',
            'roaring_add_all(roaring, bigint[])' => q{roaring_add_all('{1}', a.ranks)},
            'roaring_remove_all(roaring, bigint[])' => q{roaring_remove_all('{1}', a.ranks)},
            'roaring_contains_each(roaring, bigint[])' => q{roaring_contains_each('{1}', a.ranks)},
            'roaring_to_array(roaring)' => 'roaring_to_array(a.many)',
            'roaring_bits(roaring)' => 'roaring_bits(a.many)',
            'roaring64_add_range(roaring64, bigint, bigint)' =>
                q{roaring64_add_range('{1}', 5, a.ranks[1] * 1000000000000)},
            'roaring64_flip(roaring64, bigint, bigint)' =>
                'roaring64_flip(a.wide, 5, 900000000000)',
            'roaring64_shift(roaring64, bigint)' => 'roaring64_shift(a.wide, 5)',
            'roaring64 | roaring64' => 'a.wide | roaring64_shift(a.wide, 65536)',
            'roaring64 & roaring64' => 'a.wide & a.wide',
        },
    },
    golden => [
        [ 'roaring', 'empty',
            'roaring_empty()',
            '(# v, roaring_info(v))' ],
        [ 'roaring', 'arrays',
            q{'{1,2,5,70000,4294967295}'},
            '(# v, roaring_info(v), roaring_max(v))' ],
        [ 'roaring', 'bitsets',
            '(SELECT roaring_agg(i * 3) FROM generate_series(1, 60000) i)',
            '(# v, roaring_info(v), v @> 9, v @> 10)' ],
        [ 'roaring', 'runs',
            'roaring_range(5, 1000000)',
            '(# v, roaring_info(v), roaring_min(v))' ],
        [ 'roaring64', 'empty',
            'roaring64_empty()',
            '(# v, roaring64_info(v))' ],
        [ 'roaring64', 'far apart',
            '(SELECT roaring64_agg(i * 99999999999) FROM generate_series(0, 1000) i)',
            '(# v, roaring64_info(v), v @> 99999999999)' ],
        [ 'roaring64', 'runs',
            'roaring64_range(4294967290, 4295967290)',
            '(# v, roaring64_info(v))' ],
    ],
};
