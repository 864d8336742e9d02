# What the TAP tests ask of theta; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'theta_agg(x)',
            'theta_agg(t)',
            'theta_agg(x, 6)',
            'theta_agg(x::float8, 14)',
            'theta_agg(nullif(x, 100)) FILTER (WHERE x > 10)',
        ],
        unions => [
            'theta_union_agg(e)',
            'int8send(theta_union_cardinality_agg(e))',
            'theta_intersection_agg(e)',
            'theta_union_agg(e) FILTER (WHERE part < 3)',
        ],
        spilled => [
            'theta_agg(x)',
            'theta_agg(x::text, 5)',
        ],
        kept => { e => 'theta_agg(x, 6 + (g % 4)::int)' },
    },
    replica => {
        setup => <<'SQL',
-- Exact and not, in line and out of line, and in the form aggregates work in.
CREATE TABLE audience (page int PRIMARY KEY, visitors theta, few theta, working theta);
CREATE AGGREGATE raw_theta_agg(int) (SFUNC = _theta_agg_state, STYPE = theta);
INSERT INTO audience
    SELECT page, theta_agg(visitor), theta_agg(visitor, 5), raw_theta_agg(visitor % 900)
    FROM facts GROUP BY page;
UPDATE audience SET visitors = theta_add(visitors, -1), few = few | visitors WHERE page IN (2, 9);
SQL
        same => [
            [ 'theta', <<'SQL', qr/^11\|[0-9a-f]{32}$/ ],
SELECT count(*), md5(string_agg(visitors::text || few::text || working::text, ' ' ORDER BY page)) FROM audience
SQL
            [ 'questions of theta', <<'SQL', qr/^11\|\d+\|\d+\|[0-9a-f]{32}$/ ],
SELECT count(*), sum(theta_cardinality(visitors - few)), count(*) FILTER (WHERE visitors @> 5),
       md5(theta_union_agg(visitors ORDER BY page)::text || theta_intersection_agg(few)::text)
FROM audience
SQL
        ],
    },
    dump => {
        setup => <<'SQL',
CREATE TABLE audience (
    page int PRIMARY KEY,
    visitors counting.theta DEFAULT counting.theta_add(counting.theta_empty(5), 5)
        CHECK (counting.theta_cardinality(visitors) > 0),
    size bigint GENERATED ALWAYS AS (OPERATOR(counting.#) visitors) STORED
);
INSERT INTO audience SELECT page, counting.theta_agg(visitor) FROM visits GROUP BY page;
INSERT INTO audience (page) VALUES (100);
CREATE INDEX audience_hash ON audience USING hash (visitors);
CREATE VIEW all_audience AS SELECT counting.theta_union_agg(visitors) AS visitors FROM audience;
SQL
        tables => { audience => 'page, visitors' },
        views => [ 'all_audience' ],
        alive => <<'SQL',
INSERT INTO audience (page) VALUES (101);
SELECT a.visitors = b.visitors AND a.size = 1 FROM audience a, audience b
WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE audience SET visitors = counting.theta_empty() WHERE page = 3',
    },
    memory => {
        groups => { theta_agg => 1 },
        columns => [
            'theta_agg(i * 1000 + g) AS full_theta',
            'theta_agg(i) FILTER (WHERE i <= g % 20) AS few_theta',
        ],
        slow => qr/\bfull_theta\b/,
        calls => {
            'theta_add' => 'theta_add(full_theta, i), theta_add(few_theta, i), theta_add(few_theta, i::text)',
            'theta_add_all' => 'theta_add_all(few_theta, ARRAY[i, 1, NULL]), theta_add_all(full_theta, ARRAY[i::text])',
            'expressions of theta' => 'full_theta | few_theta, few_theta & full_theta, full_theta - few_theta,
                theta_reduce(full_theta, 5), theta_reduce(few_theta, 4)',
            'questions of theta' => 'theta_cardinality(full_theta), theta_bounds(few_theta), theta_info(full_theta),
                theta_jaccard(full_theta, few_theta), full_theta @> i, few_theta @> i::text,
                theta_describe(full_theta)',
            'theta of DataSketches' => 'theta_from_datasketches(theta_to_datasketches(full_theta)),
                theta_from_datasketches(theta_to_datasketches(few_theta, false), 5)',
            'theta casts' => 'full_theta::bytea::theta, few_theta::text::theta, _theta_send(full_theta),
                full_theta = few_theta, _theta_hash(full_theta), _theta_hash_extended(few_theta, i)',
        },
    },
    cancel => {
        setup => <<'SQL',
CREATE TABLE thetas AS SELECT i % 500 AS g, theta_agg(i) AS e FROM numbers GROUP BY 1;
SQL
        large => { theta => '(SELECT theta_agg(i, 22) FROM generate_series(1, 1000000) i)' },
        endless => {
            'theta_agg' => 'SELECT theta_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
            'theta_agg of many, by group' =>
                'SELECT a.i % 1000, theta_agg(b.i, 14) FROM numbers a, numbers b, numbers c GROUP BY 1',
            'theta_union_agg' =>
                'SELECT theta_union_agg(t.e) FROM thetas t, numbers a, numbers b, numbers c',
            'theta_intersection_agg' =>
                'SELECT theta_intersection_agg(t.e) FROM thetas t, numbers a, numbers b, numbers c',
        },
        values => {
            of_datasketches => '(SELECT theta_to_datasketches(theta_agg(i, 22)) FROM generate_series(1, 1000000) i)',
        },
        loops => {
            'theta_from_datasketches(bytea)' => 'theta_from_datasketches(a.of_datasketches)',
            'theta_from_datasketches(bytea,bigint)' => 'theta_from_datasketches(a.of_datasketches, 22)',
            'theta_add(theta,smallint)' => 'theta_add(a.theta, 5::smallint)',
            'theta_add_all(theta,smallint[])' => q{theta_add_all(a.theta, '{5}'::smallint[])},
            'theta_agg_state(theta,smallint)' => '_theta_agg_state(a.theta, 5::smallint)',
            # The lgk of the large one.
            (map { ("theta_agg_state(theta,$_,bigint)" => "_theta_agg_state(a.theta, CAST('5' AS $_), 22)") }
                ('smallint', 'integer', 'bigint', 'double precision', 'text', 'bytea')),
        },
        brief => {
            'a packed value is returned as it is, and no state is taken' => ['theta_final'],
            'an empty result' => ['theta_empty'],
            'it reads the header' => [qw(theta_bounds theta_cardinality theta_union_cardinality_final theta_describe theta_info)],
            'it scans a bitmap of a twentieth of the value' => [
                map { "theta_contains(theta,$_)" }
                  ('smallint', 'integer', 'bigint', 'double precision', 'text', 'bytea') ],
        },
    },
    golden => [
        [ 'theta', 'empty', 'theta_empty()', 'theta_info(v)' ],
        [ 'theta', 'few', '(SELECT theta_agg(i) FROM generate_series(1, 100) i)',
            '(theta_info(v), md5(theta_to_datasketches(v)))' ],
        [ 'theta', 'many', '(SELECT theta_agg(i, 8) FROM generate_series(1, 100000) i)',
            '(theta_bounds(v), md5(theta_to_datasketches(v, false)))' ],
        [ 'theta', 'of texts', q{(SELECT theta_agg('user ' || i, 6) FROM generate_series(1, 1000) i)},
            q{(theta_bounds(v, 3), v @> 'user 7'::text, md5(theta_to_datasketches(v)))} ],
        [ 'theta', 'expression',
            '(SELECT (theta_agg(i, 7) - theta_agg(i * 3, 9)) & theta_agg(i * 2, 7) FROM generate_series(1, 9000) i)',
            '(theta_info(v), theta_bounds(v))' ],
        [ 'theta', 'of DataSketches',
            q{theta_from_datasketches('\x02030300001acc93020000000000000015f97dcbbd86a105c397fc1281709d1e')},
            '(theta_info(v), v @> 1, v @> 3)' ],
    ],
};
