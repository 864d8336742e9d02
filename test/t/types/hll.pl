# What the TAP tests ask of hll; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'hll_agg(x)',
            'hll_agg(t)',
            'hll_agg(x, 11)',
            'hll_agg(x, 18)',
            'hll_redis_agg(t)',
            'hll_redis_agg(t::bytea)',
            'hll_agg(nullif(x, 100)) FILTER (WHERE x > 10)',
        ],
        answers => [
            'approx_count_distinct(x)',
            'approx_count_distinct(t)',
        ],
        unions => [
            'hll_union_agg(h)',
            'hll_union_agg(h) FILTER (WHERE part < 3)',
        ],
        spilled => [
            'hll_agg(x)',
            'hll_redis_agg(x::text)',
        ],
        kept => { h => 'hll_agg(x, 10 + (g % 4)::int)' },
    },
    memory => {
        groups => { hll_agg => 1 },
        columns => [
            'hll_agg(i * 1000 + g) AS dense',
            'hll_agg(i) FILTER (WHERE i <= g % 20) AS sparse',
            'hll_redis_agg(i::text) AS redis',
        ],
        slow => qr/\b(?:dense|redis|registers)\b/,
        calls => {
            'hll_add' => 'hll_add(dense, i), hll_add(sparse, i), hll_add(sparse, i::text)',
            'hll_add of Redis' => 'hll_add(redis, i::text), hll_to_redis(redis)',
            'hll_try_add' => 'hll_try_add(sparse, i), (hll_try_add(redis, i::text)).changed',
            'hll_add_all' =>
                'hll_add_all(sparse, ARRAY[i, 1, NULL]), hll_add_all(dense, ARRAY[i::text])',
            'hll_union' => 'dense | sparse, sparse | hll_add(hll_empty(), i)',
            'hll_reduce' => 'hll_reduce(dense, 4 + i % 10), hll_reduce(sparse, 5)',
            'hll_cardinality' => 'hll_cardinality(dense), hll_cardinality(sparse), hll_cardinality(dense | sparse)',
            'hll_bounds' =>
                'hll_bounds(dense), hll_bounds(sparse, 3), hll_info(dense), hll_info(sparse)',
            'hll_jaccard' =>
                'hll_jaccard(sparse, sparse), hll_difference_cardinality(sparse, hll_empty())',
            'hll_registers' => '(SELECT count(*) FROM hll_registers(sparse))',
            'casts' => 'dense::bytea::hll, sparse::bytea::hll, _hll_send(dense)',
            'text' => 'dense::text::hll, sparse::text::hll',
            'comparison' => 'dense = sparse, dense <> redis,
                _hll_hash(dense), _hll_hash_extended(sparse, i)',
            'hll_from_redis' => 'hll_from_redis(hll_to_redis(redis))',
        },
    },
    cancel => {
        setup => <<'SQL',
CREATE TABLE sketches AS
    SELECT i % 500 AS g, hll_agg(i * j) AS h FROM numbers, generate_series(1, 5) j GROUP BY 1;
SQL
        endless => {
            'hll_agg' => 'SELECT hll_agg(a.i * b.i) FROM numbers a, numbers b, numbers c',
            'hll_agg by group' =>
                'SELECT a.i % 1000, hll_agg(a.i * b.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
            'hll_agg with a precision' =>
                'SELECT hll_agg(a.i * b.i, 18) FROM numbers a, numbers b, numbers c',
            'approx_count_distinct over a window' =>
                'SELECT count(x) FROM (SELECT approx_count_distinct(a.i) OVER (ROWS BETWEEN 50000 PRECEDING
                AND 50000 FOLLOWING) AS x FROM numbers a, numbers b) AS w',
            'hll_redis_agg' =>
                'SELECT hll_redis_agg(a.i::text) FROM numbers a, numbers b, numbers c',
            'hll_union_agg' =>
                'SELECT hll_union_agg(s.h) FROM sketches s, numbers a, numbers b, numbers c',
            'hll_add_all of many hashes' =>
                'SELECT sum(hll_cardinality(hll_add_all(hll_empty(), a.hashes))) FROM numbers, numbers b, arrays a',
            'hll_add_all of many texts' =>
                'SELECT sum(hll_cardinality(hll_add_all(hll_empty(), a.texts))) FROM numbers, numbers b, arrays a',
            'hll_registers' => 'SELECT count(*) FROM numbers a, numbers b, sketches,
                LATERAL hll_registers(hll_union(h, hll_empty(5 + (a.i + b.i) % 9)))',
            'hll_intersection_cardinality' =>
                'SELECT sum(hll_intersection_cardinality(a.h, b.h))
                FROM sketches a, sketches b, numbers c, numbers d',
            'grouping sketches' => 'SELECT h, count(*) FROM sketches, numbers, numbers b GROUP BY h',
        },
        bounded => { hll => 'at most 2^18 registers: 262 kB' },
        loops => {
            'hll_add(hll,text)' => 'hll_add(hll_empty(), a.long_text)',
            'hll_add(hll,bytea)' => 'hll_add(hll_empty(), a.long_bytes)',
            'hll_from_postgresql_hll(bytea)' => 'hll_from_postgresql_hll(a.registers)',
        },
        values => {
            hll => '(SELECT h FROM sketches WHERE g = 1)',
            # 2^25 registers of 5 bits, folded to 2^18
            registers => q{'\x14997f'::bytea || decode(repeat('00', 20971520), 'hex')},
        },
        brief => {
            'a string is hashed at several GB a second' => [
                'hll_redis_agg_state(hll,bytea)', 'hll_try_add(hll,bytea)',
                'hll_datasketches_hash(bytea)', 'hll_datasketches_postgresql_hash(bytea)',
                'hll_postgresql_hll_hash(bytea,bigint)' ],
            'a length that is none of 2^18 registers is refused' => ['hll(bytea)'],
            'registers of 12 kB' => [qw(hll_from_redis hll_to_redis)],
            'at most 2^21 registers are read' => [qw(hll_from_datasketches)],
            'at most 2^18 registers are written' => [qw(hll_to_datasketches hll_to_postgresql_hll)],
        },
    },
    golden => [
        [ 'hll', 'empty',
            'hll_empty()',
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'few',
            '(SELECT hll_agg(i) FROM generate_series(1, 100) i)',
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'dense',
            '(SELECT hll_agg(i) FROM generate_series(1, 100000) i)',
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'dense, precision 9',
            q{(SELECT hll_agg('user ' || i, 9) FROM generate_series(1, 10000) i)},
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'few of Redis',
            '(SELECT hll_redis_agg(i::text) FROM generate_series(1, 100) i)',
            '(hll_cardinality(v), md5(hll_to_redis(v)))' ],
        [ 'hll', 'dense of Redis',
            '(SELECT hll_redis_agg(i::text) FROM generate_series(1, 100000) i)',
            '(hll_cardinality(v), md5(hll_to_redis(v)))' ],
        [ 'hll', 'few of postgresql-hll',
            '(SELECT hll_postgresql_hll_agg(hll_postgresql_hll_hash(i)) FROM generate_series(1, 100) i)',
            '(hll_cardinality(v), md5(hll_to_postgresql_hll(v)))' ],
        [ 'hll', 'registers of postgresql-hll, few',
            '(SELECT hll_from_postgresql_hll(hll_to_postgresql_hll(hll_postgresql_hll_agg(hll_postgresql_hll_hash(i))))
                FROM generate_series(1, 100) i)',
            '(hll_cardinality(v), md5(hll_to_postgresql_hll(v)))' ],
        [ 'hll', 'dense of postgresql-hll',
            '(SELECT hll_postgresql_hll_agg(hll_postgresql_hll_hash(i)) FROM generate_series(1, 100000) i)',
            '(hll_cardinality(v), md5(hll_to_postgresql_hll(v)))' ],
        [ 'hll', 'few of DataSketches',
            '(SELECT hll_datasketches_agg(hll_datasketches_hash(i)) FROM generate_series(1, 100) i)',
            '(hll_cardinality(v), md5(hll_to_datasketches(v)))' ],
        [ 'hll', 'dense of DataSketches',
            q{(SELECT hll_datasketches_agg(hll_datasketches_hash('user ' || i), 10) FROM generate_series(1, 10000) i)},
            '(hll_cardinality(v), md5(hll_to_datasketches(v, 4)))' ],
        [ 'hll', 'one',
            'hll_add(hll_empty(), 1)',
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'few, precision 18',
            '(SELECT hll_agg(i, 18) FROM generate_series(1, 500) i)',
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'last before dense',
            '(SELECT hll_agg(i, 10) FROM generate_series(1, 150) i)',
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'dense, precision 4',
            '(SELECT hll_agg(i, 4) FROM generate_series(1, 1000000) i)',
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'dense, almost empty registers',
            '(SELECT hll_agg(i, 12) FROM generate_series(1, 1500) i)',
            '(hll_cardinality(v), hll_info(v))' ],
        [ 'hll', 'empty of Redis',
            'hll_redis_empty()',
            '(hll_cardinality(v), md5(hll_to_redis(v)))' ],
    ],
};
