# What the TAP tests ask of ddsketch; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'ddsketch_agg(x)',
            'ddsketch_agg(x * 1.5, 0.02)',
            'ddsketch_weighted_agg(x, x % 5)',
            'ddsketch_agg(nullif(x, 100)) FILTER (WHERE x > 10)',
        ],
        unions => [
            'ddsketch_union_agg(q)',
            'ddsketch_union_agg(q) FILTER (WHERE part < 3)',
            'float8send(ddsketch_union_percentile_agg(q, 0.99))',
            'textsend(ddsketch_union_percentiles_agg(q, ARRAY[0, 0.5, 1])::text)',
        ],
        spilled => [
            'ddsketch_agg(x)',
            'ddsketch_weighted_agg(x, 3, 0.1)',
        ],
        kept => { q => 'ddsketch_agg(x, 0.02 * (1 + g % 2))' },
    },
    replica => {
        setup => <<'SQL',
-- In line and out of line, and in the form aggregates work in.
CREATE TABLE response (page int PRIMARY KEY, packed ddsketch, fine ddsketch, working ddsketch);
CREATE AGGREGATE raw_ddsketch_agg(float8) (SFUNC = _ddsketch_agg_state, STYPE = ddsketch);
INSERT INTO response
    SELECT page, ddsketch_agg(visitor), ddsketch_agg(visitor, 0.0001), raw_ddsketch_agg(visitor)
    FROM facts GROUP BY page;
UPDATE response SET packed = ddsketch_add(packed, -1, 5), fine = fine | packed WHERE page IN (2, 9);
SQL
        same => [
            [ 'ddsketches', <<'SQL', qr/^11\|[0-9a-f]{32}$/ ],
SELECT count(*), md5(string_agg(packed::text || fine::text || working::text, ' ' ORDER BY page)) FROM response
SQL
            [ 'questions of ddsketches', <<'SQL', qr/^11\|[^|]+\|\d+\|[0-9a-f]{32}$/ ],
SELECT count(*), sum(ddsketch_percentile(packed, 0.99)), sum(ddsketch_rank(fine, 100)),
       md5(ddsketch_union_agg(packed ORDER BY page)::text)
FROM response
SQL
        ],
    },
    dump => {
        setup => <<'SQL',
CREATE TABLE response (
    page int PRIMARY KEY,
    ms counting.ddsketch DEFAULT counting.ddsketch_add(counting.ddsketch_empty(0.1), 5)
        CHECK (counting.ddsketch_count(ms) > 0),
    size bigint GENERATED ALWAYS AS (counting.ddsketch_count(ms)) STORED
);
INSERT INTO response SELECT page, counting.ddsketch_agg(visitor) FROM visits GROUP BY page;
INSERT INTO response (page) VALUES (100);
CREATE INDEX response_hash ON response USING hash (ms);
CREATE VIEW all_response AS SELECT counting.ddsketch_union_agg(ms) AS ms FROM response;
SQL
        tables => { response => 'page, ms' },
        views => [ 'all_response' ],
        alive => <<'SQL',
INSERT INTO response (page) VALUES (101);
SELECT a.ms = b.ms AND a.size = 1 FROM response a, response b WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE response SET ms = counting.ddsketch_empty() WHERE page = 3',
    },
    memory => {
        groups => { ddsketch_agg => 1 },
        columns => [
            'ddsketch_agg(i * 1000 + g) AS full_ddsketch',
            'ddsketch_agg(i) FILTER (WHERE i <= g % 20) AS few_ddsketch',
        ],
        slow => qr/\bfull_ddsketch\b/,
        calls => {
            'ddsketch_add' => 'ddsketch_add(full_ddsketch, i), ddsketch_add(few_ddsketch, i, 3)',
            'ddsketch_add_all' => 'ddsketch_add_all(few_ddsketch, ARRAY[i, 1, NULL])',
            'expressions of ddsketch' => 'full_ddsketch | few_ddsketch, (full_ddsketch | few_ddsketch) - few_ddsketch,
                ddsketch_increase(full_ddsketch, few_ddsketch), ddsketch_reduce(full_ddsketch, 0.1)',
            'questions of ddsketch' => 'ddsketch_count(full_ddsketch), ddsketch_percentile(few_ddsketch, 0.5), ddsketch_info(full_ddsketch),
                ddsketch_percentiles(full_ddsketch, ARRAY[0.1, 0.9]::float8[]), ddsketch_cdf(full_ddsketch, i),
                ddsketch_count(full_ddsketch, 0, i), ddsketch_sum(full_ddsketch), ddsketch_stddev(few_ddsketch),
                ddsketch_sparkline(full_ddsketch), ddsketch_describe(full_ddsketch)',
            'ddsketch of others' => 'ddsketch_from_ddsketch(ddsketch_to_ddsketch(full_ddsketch)),
                ddsketch_to_exponential_histogram(full_ddsketch)',
            'ddsketch casts' => 'full_ddsketch::bytea::ddsketch, few_ddsketch::text::ddsketch, _ddsketch_send(full_ddsketch),
                full_ddsketch = few_ddsketch, _ddsketch_hash(full_ddsketch), _ddsketch_hash_extended(few_ddsketch, i)',
        },
    },
    cancel => {
        setup => <<'SQL',
CREATE TABLE ddsketches AS SELECT i % 500 AS g, ddsketch_agg(i) AS q FROM numbers GROUP BY 1;
SQL
        values => {
            ddsketch => '(SELECT q FROM ddsketches WHERE g = 1)',
            of_buckets => '(SELECT array_agg(1::bigint) FROM generate_series(1, 200000))',
            many => '(SELECT array_agg(i::float8) FROM generate_series(0, 100000) i)',
            message => '(SELECT ddsketch_to_ddsketch(q) FROM ddsketches WHERE g = 1)',
        },
        endless => {
            'ddsketch_agg' => 'SELECT ddsketch_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
            'ddsketch_agg by group' =>
                'SELECT a.i % 1000, ddsketch_agg(b.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
            'ddsketch_weighted_agg' => 'SELECT ddsketch_weighted_agg(a.i, b.i) FROM numbers a, numbers b',
            'ddsketch_union_agg' => 'SELECT ddsketch_union_agg(d.q) FROM ddsketches d, numbers a, numbers b, numbers c',
            'ddsketch_union_percentile_agg' =>
                'SELECT ddsketch_union_percentile_agg(d.q, 0.5) FROM ddsketches d, numbers a, numbers b, numbers c',
            'ddsketch_union_agg over a window' =>
                'SELECT count(x) FROM (SELECT ddsketch_union_agg(d.q) OVER (ROWS 50000 PRECEDING) AS x
                FROM ddsketches d, numbers a, numbers b) AS w',
        },
        bounded => { ddsketch => 'at most 2^18 blocks, which are read in some milliseconds' },
        loops => {
            ddsketch_from_exponential_histogram =>
                q{ddsketch_from_exponential_histogram(20, 0, 0, a.of_buckets, 0, '{}')},
            ddsketch_counts => 'ddsketch_counts(a.ddsketch, a.many)',
        },
        brief => {
            'at most 255 quantiles' => [
                'ddsketch_union_percentiles_state(ddsketch,ddsketch,double precision[])',
                'ddsketch_union_percentiles_final' ],
            'bytes that are no counts are refused at once' => ['ddsketch(bytea)'],
            'it adds what it reads as ddsketch_from_exponential_histogram does' => ['ddsketch_from_ddsketch'],
            'it writes at most 2^22 buckets' => ['ddsketch_to_ddsketch'],
        },
    },
    golden => [
        [ 'ddsketch', 'empty', 'ddsketch_empty()', 'ddsketch_info(v)' ],
        [ 'ddsketch', 'few', q{ddsketch_add_all(ddsketch_empty(), '{1, 2, -3, 1, 0, 1}')},
            q{(ddsketch_count(v), ddsketch_percentiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'ddsketch', 'many', '(SELECT ddsketch_agg(i * 7919 % 100003) FROM generate_series(1, 100000) i)',
            q{(ddsketch_info(v), ddsketch_percentiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'ddsketch', 'extremes',
            q{ddsketch_add_all(ddsketch_empty(), '{-1.7976931348623157e308,-5e-324,0,5e-324,1.7976931348623157e308}'::float8[])},
            q{(ddsketch_info(v), ddsketch_percentiles(v, '{0,0.25,0.5,0.75,1}'::float8[]))} ],
        [ 'ddsketch', 'great weights',
            'ddsketch_add(ddsketch_add(ddsketch_empty(), 1, 3000000000000000000), -2, 1500000000000000000)',
            'ddsketch_info(v)' ],
        [ 'ddsketch', 'every scale', q{ddsketch_from_exponential_histogram(20, 3, -5, '{1,0,2}', 1000000, '{7}')},
            'ddsketch_to_exponential_histogram(v)' ],
        [ 'ddsketch', 'difference',
            '(SELECT ddsketch_agg(i) FROM generate_series(1, 3000) i) - (SELECT ddsketch_agg(i * 10) FROM generate_series(1, 300) i)',
            q{(ddsketch_info(v), ddsketch_percentiles(v, '{0,0.25,0.5,0.99,1}'::float8[]))} ],
        [ 'ddsketch', 'of Datadog',
            q{ddsketch_from_ddsketch('\x0a090952b81e85eb51f03f121c121800000000000000400000000000000000000000000000f03f180a210000000000000840')},
            '(ddsketch_count(v), md5(ddsketch_to_ddsketch(v)))' ],
    ],
};
