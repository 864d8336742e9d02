# What the TAP tests ask of tdigest; ../README.md says what they take from here.

use strict;
use warnings;

+{
    replica => {
        setup => <<'SQL',
-- Digests in line and out of line.
CREATE TABLE latency (page int PRIMARY KEY, packed tdigest, large tdigest, working tdigest);
INSERT INTO latency
    SELECT page, tdigest_agg(visitor), tdigest_agg(visitor, 2000), tdigest_agg(visitor)
    FROM facts GROUP BY page;
UPDATE latency SET packed = tdigest_add(packed, -1, 5), large = large | packed WHERE page IN (2, 9);
SQL
        same => [
            [ 'digests', <<'SQL', qr/^11\|t\|t\|[0-9a-f]{32}$/ ],
SELECT count(*), bool_or(length(large::bytea) > 2500),
       bool_and(tdigest_count(working) = (3 ^ page)::int),
       md5(string_agg(packed::text || large::text || working::text, ' ' ORDER BY page))
FROM latency
SQL
            [ 'questions of digests', <<'SQL', qr/^11\|[^|]+\|[^|]+\|[^|]+\|[^|]+\|[0-9a-f]{32}$/ ],
SELECT count(*), sum(tdigest_quantile(packed, 0.99)), sum(tdigest_quantile(working, 0.5)),
       sum(tdigest_cdf(large, 5000)), string_agg(tdigest_sparkline(large, 20), ' ' ORDER BY page),
       md5(tdigest_union_agg(large ORDER BY page)::bytea)
FROM latency
SQL
        ],
    },
    dump => {
        setup => <<'SQL',
CREATE TABLE latency (
    page int PRIMARY KEY,
    latency counting.tdigest DEFAULT counting.tdigest_add(counting.tdigest_empty(2000), 5)
        CHECK (counting.tdigest_count(latency) > 0),
    p50 float8 GENERATED ALWAYS AS (counting.tdigest_quantile(latency, 0.5)) STORED
);
INSERT INTO latency SELECT page, counting.tdigest_agg(visitor, 200 + 1800 * (page % 2))
    FROM visits GROUP BY page;
INSERT INTO latency (page) VALUES (100);
CREATE INDEX latency_hash ON latency USING hash (latency);
CREATE VIEW all_latency AS
    SELECT counting.tdigest_union_agg(latency ORDER BY page) AS latency,
           (SELECT counting.approx_percentiles(visitor, '{0.5,0.99}'::float8[]) FROM visits) AS two
    FROM latency;
SQL
        tables => { latency => 'page, latency' },
        views => [ 'all_latency' ],
        alive => <<'SQL',
INSERT INTO latency (page) VALUES (101);
SELECT a.latency = b.latency AND b.p50 = 5 FROM latency a, latency b
WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE latency SET latency = counting.tdigest_empty() WHERE page = 3',
    },
    memory => {
        groups => { tdigest_agg => 1 },
        columns => [
            'tdigest_agg(i * g) AS digest',
            'tdigest_agg(i, 2000) AS large',
            'tdigest_agg(i) FILTER (WHERE i <= g % 20) AS few',
        ],
        slow => qr/\b(?:digest|large)\b/,
        calls => {
            'tdigest_add' =>
                'tdigest_add(digest, i), tdigest_add(large, i), tdigest_add(few, i, 5)',
            'tdigest_add_all' => 'tdigest_add_all(few, ARRAY[i, 1, NULL]),
                tdigest_add_all(digest, ARRAY[i])',
            'tdigest_union' =>
                'digest | few, few | tdigest_add(tdigest_empty(), i), large | digest',
            'tdigest_quantile' => 'tdigest_quantile(few, 0.3), tdigest_quantiles(few, ARRAY[0.3, 1]),
                tdigest_quantile(large, 0.3), tdigest_cdf(few, i), tdigest_cdf_each(large, ARRAY[i, i])',
            'tdigest_rank' =>
                'tdigest_rank(few, i), tdigest_revrank_each(few, ARRAY[i]), tdigest_byrank(few, i),
                tdigest_byrevrank_each(few, ARRAY[i, 0]), tdigest_rank(large, i)',
            'tdigest_mean' => 'tdigest_mean(digest), tdigest_min(few), tdigest_max(large),
                tdigest_count(large), tdigest_trimmed_mean(few, 0.1, 0.9), tdigest_info(few),
                tdigest_info(large)',
            'tdigest_histogram' => '(SELECT sum(count) FROM tdigest_histogram(digest, 5)),
                (SELECT sum(weight) FROM tdigest_centroids(large)), tdigest_sparkline(few)',
            'tdigest casts' => 'digest::bytea::tdigest, few::text::tdigest, _tdigest_send(large)',
            'tdigest comparison' =>
                'digest = few, large <> few,
                _tdigest_hash(large), _tdigest_hash_extended(few, i)',
        },
    },
    cancel => {
        setup => <<'SQL',
CREATE TABLE digests AS SELECT i % 500 AS g, tdigest_agg(i) AS t FROM numbers GROUP BY 1;
SQL
        values => { t => '(SELECT t FROM digests WHERE g = 1)' },
        endless => {
            'tdigest_agg' =>
                'SELECT tdigest_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
            'tdigest_agg by group' =>
                'SELECT a.i % 1000, tdigest_agg(b.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
            'tdigest_agg with a compression' =>
                'SELECT tdigest_agg(b.i, 10000) FROM numbers a, numbers b, numbers c',
            'tdigest_weighted_agg' =>
                'SELECT tdigest_weighted_agg(a.i, b.i) FROM numbers a, numbers b',
            'tdigest_union_agg' =>
                'SELECT tdigest_union_agg(d.t) FROM digests d, numbers a, numbers b, numbers c',
            'approx_percentile' =>
                'SELECT approx_percentiles(b.i, ARRAY[0.5, 0.99]) FROM numbers a, numbers b, numbers c',
            'approx_median over a window' =>
                'SELECT count(x) FROM (SELECT approx_median(a.i) OVER (ROWS BETWEEN 50000 PRECEDING
                AND 50000 FOLLOWING) AS x FROM numbers a, numbers b) AS w',
            'tdigest_add_all of many values' =>
                'SELECT sum(tdigest_count(tdigest_add_all(tdigest_empty(), a.floats)))
                FROM numbers, numbers b, arrays a',
            'tdigest_histogram' => 'SELECT count(*) FROM numbers a, numbers b, digests,
                LATERAL tdigest_histogram(t, 9000 + (a.i + b.i) % 9)',
        },
        bounded => { tdigest => 'at most 10,000 centroids' },
        values => {
            tdigest => '(SELECT t FROM digests WHERE g = 1)',
            centroids => q{(SELECT int4send(1) || float8send(1) || float8send(100000) || float8send(100)
                || int4send(count(*)::int) || string_agg(float8send(1) || float8send(i), '' ORDER BY i)
                FROM numbers)},
            edges => '(SELECT array_agg(i::float8) FROM generate_series(0, 100000) i)',
            ones => '(SELECT array_agg(1::bigint) FROM numbers)',
        },
        loops => {
            tdigest_from_dunning => 'tdigest_from_dunning(a.centroids)',
            tdigest_from_histogram => 'tdigest_from_histogram(a.edges, a.ones)',
            tdigest_counts => 'tdigest_counts(a.tdigest, a.edges)',
            tdigest_from_exponential_histogram =>
                q{tdigest_from_exponential_histogram(20, 0, 0, a.ones, 0, '{}')},
        },
        brief => {
            'a length that is none of 10,000 centroids is refused' => ['tdigest(bytea)'],
            'at most 10,000 centroids' => [qw(tdigest_to_datasketches)],
            'it adds what it reads as tdigest_from_dunning does' => [
                qw(tdigest_from_datasketches tdigest_from_ddsketch tdigest_from_kll
                tdigest_from_redis), 'tdigest_from_tdigest_extension(bytea)' ],
            'at most 255 quantiles' => [
                'approx_percentiles_state(tdigest,double precision,double precision[])',
                'tdigest_union_percentiles_state(tdigest,tdigest,double precision[])',
                qw(approx_percentiles_final tdigest_union_percentiles_final) ],
        },
    },
    golden => [
        [ 'tdigest', 'empty',
            'tdigest_empty()',
            '(tdigest_count(v), tdigest_info(v))' ],
        [ 'tdigest', 'few',
            '(SELECT tdigest_agg(i * i) FROM generate_series(1, 50) i)',
            q{(tdigest_count(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'many',
            '(SELECT tdigest_agg(i * 7919 % 100003) FROM generate_series(1, 100000) i)',
            q{(tdigest_count(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'weighted',
            '(SELECT tdigest_weighted_agg(i, i, 1000) FROM generate_series(1, 5000) i)',
            q{(tdigest_count(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'one',
            'tdigest_add(tdigest_empty(), -0.0)',
            q{(tdigest_count(v), tdigest_info(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'extremes',
            q{tdigest_add_all(tdigest_empty(), '{-1.7976931348623157e308,-5e-324,0,5e-324,1.7976931348623157e308}'::float8[])},
            q{(tdigest_count(v), tdigest_info(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'great weights',
            'tdigest_add(tdigest_add(tdigest_empty(), 1, 2000000000000000000), 2, 2500000000000000000)',
            q{(tdigest_count(v), tdigest_info(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'compression 10',
            '(SELECT tdigest_agg(i * 7919 % 100003, 10) FROM generate_series(1, 10000) i)',
            q{(tdigest_count(v), tdigest_info(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'compression 500',
            '(SELECT tdigest_agg(i * 7919 % 100003, 500) FROM generate_series(1, 10000) i)',
            q{(tdigest_count(v), tdigest_info(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'union',
            '(SELECT tdigest_agg(i) FROM generate_series(1, 3000) i) | (SELECT tdigest_agg(i * 10) FROM generate_series(1, 3000) i)',
            q{(tdigest_count(v), tdigest_info(v), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'open at both ends',
            q{tdigest_from_histogram('{-3,0,5}', '{10,40,40,10}')},
            q{(tdigest_count(v), tdigest_info(v), tdigest_cdf_each(v, '{-3,0,5}'), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'tdigest', 'between two bounds',
            q{tdigest_from_histogram('{1,2}', '{100}')},
            q{(tdigest_count(v), tdigest_info(v), tdigest_cdf_each(v, '{1,2}'), tdigest_quantiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
    ],
};
