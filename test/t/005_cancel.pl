# Long statements are cancelled: SQLSTATE 57014, and the session goes on.
#
# That a function looks for interrupts by itself cannot be seen from the time it takes: a single
# call is bounded by the size of an array, and the executor looks between calls. So the cancel
# request comes from the same statement, before the call, and the call is followed by nextval(),
# which does not look for interrupts either and whose effect is not rolled back: whether it ran
# shows whether the function had let itself be cancelled.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('cancel');
$node->safe_psql('postgres', <<'SQL');
CREATE SEQUENCE ran;
CREATE TABLE numbers AS SELECT i FROM generate_series(1, 100000) i;
CREATE TABLE sketches AS
    SELECT i % 500 AS g, hll_agg(i * j) AS h FROM numbers, generate_series(1, 5) j GROUP BY 1;
CREATE TABLE filters AS SELECT bloom_agg(i, 0.01, 400000) AS b FROM numbers;
CREATE TABLE digests AS SELECT i % 500 AS g, tdigest_agg(i) AS t FROM numbers GROUP BY 1;
CREATE TABLE cuckoos AS SELECT i % 500 AS g, cuckoo_agg(i) AS f FROM numbers GROUP BY 1;
CREATE TABLE frequencies AS
    SELECT i % 500 AS g, cms_agg(i) AS c, topk_agg(i, 100) AS k FROM numbers GROUP BY 1;
CREATE TABLE arrays AS
    SELECT (SELECT array_agg(i::bigint::hashed) FROM generate_series(1, 2000000) i) AS hashes,
           (SELECT array_agg('user-' || i) FROM numbers) AS texts,
           (SELECT array_agg(i / 2000000.0::float8) FROM generate_series(1, 2000000) i) AS floats,
           (SELECT array_agg(i::bigint) FROM generate_series(1, 2000000) i) AS ranks,
           (SELECT array_agg(h) FROM sketches, generate_series(1, 20)) AS sketches,
           (SELECT array_agg(c) FROM frequencies) AS counts,
           roaring_range(0, 4294967296) AS set,
           roaring_range(0, 4294967296)::bytea AS set_bytes;
SQL

my $works = <<'SQL';
SET statement_timeout = 0;
SELECT #hll_agg(i), hll_cardinality(hll_add_all(hll_empty(), ARRAY[1, 2, 3]))
FROM generate_series(1, 10) i;
SQL

# What would run for hours.
my %endless = (
    'hll_agg' => 'SELECT hll_agg(a.i * b.i) FROM numbers a, numbers b, numbers c',
    'hll_agg by group' =>
      'SELECT a.i % 1000, hll_agg(a.i * b.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
    'hll_agg with a precision' =>
      'SELECT hll_agg(a.i * b.i, 18) FROM numbers a, numbers b, numbers c',
    'approx_count_distinct over a window' =>
      'SELECT approx_count_distinct(a.i) OVER (ORDER BY a.i ROWS BETWEEN 50000 PRECEDING
       AND 50000 FOLLOWING) FROM numbers a',
    'hll_redis_agg' => 'SELECT hll_redis_agg(a.i::text) FROM numbers a, numbers b, numbers c',
    'hll_union_agg' => 'SELECT hll_union_agg(s.h) FROM sketches s, numbers a, numbers b, numbers c',
    'hll_add_all of many hashes' =>
      'SELECT sum(#hll_add_all(hll_empty(), a.hashes)) FROM numbers, numbers b, arrays a',
    'hll_add_all of many texts' =>
      'SELECT sum(#hll_add_all(hll_empty(), a.texts)) FROM numbers, numbers b, arrays a',
    'hll_cardinality of many sketches' =>
      'SELECT sum(hll_cardinality(VARIADIC a.sketches)) FROM numbers, numbers b, arrays a',
    'hll_registers' => 'SELECT count(*) FROM numbers a, numbers b, sketches,
       LATERAL hll_registers(hll_union(h, hll_empty(5 + (a.i + b.i) % 9)))',
    'hll_intersection_cardinality' =>
      'SELECT sum(hll_intersection_cardinality(a.h, b.h))
       FROM sketches a, sketches b, numbers c, numbers d',
    'tdigest_agg' => 'SELECT tdigest_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
    'tdigest_agg by group' =>
      'SELECT a.i % 1000, tdigest_agg(b.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
    'tdigest_agg with a compression' =>
      'SELECT tdigest_agg(b.i, 10000) FROM numbers a, numbers b, numbers c',
    'tdigest_weighted_agg' => 'SELECT tdigest_weighted_agg(a.i, b.i) FROM numbers a, numbers b',
    'tdigest_union_agg' =>
      'SELECT tdigest_union_agg(d.t) FROM digests d, numbers a, numbers b, numbers c',
    'approx_percentile' =>
      'SELECT approx_percentile(b.i, ARRAY[0.5, 0.99]) FROM numbers a, numbers b, numbers c',
    'approx_median over a window' =>
      'SELECT approx_median(a.i) OVER (ORDER BY a.i ROWS BETWEEN 50000 PRECEDING
       AND 50000 FOLLOWING) FROM numbers a',
    'tdigest_add_all of many values' =>
      'SELECT sum(tdigest_count(tdigest_add_all(tdigest_empty(), a.floats)))
       FROM numbers, numbers b, arrays a',
    'tdigest_histogram' => 'SELECT count(*) FROM numbers a, numbers b, digests,
       LATERAL tdigest_histogram(t, 9000 + (a.i + b.i) % 9)',
    'roaring_agg' => 'SELECT roaring_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
    'roaring64_agg' => 'SELECT roaring64_agg(a.i * b.i::bigint * b.i)
       FROM numbers a, numbers b',
    'roaring_elements' => 'SELECT count(e) FROM roaring_elements(roaring_range(0, 4294967296)) e',
    'roaring64_elements' =>
      'SELECT count(*) FROM (SELECT roaring64_elements(roaring64_range(0, 1000000000000))) e',
    'roaring_union_agg' => 'SELECT roaring_union_agg(roaring_range(a.i * 100, a.i * 1000))
       FROM numbers a, numbers b, numbers c',
    'roaring64_range' => 'SELECT sum(# roaring64_flip(roaring64_range(a.i, 1000000000000), 5, 900000000000))
       FROM numbers a',
    'bloom_agg' => 'SELECT bloom_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
    'bloom_agg by group' =>
      'SELECT a.i % 1000, bloom_agg(b.i, 0.001) FROM numbers a, numbers b, numbers c GROUP BY 1',
    'bloom_union_agg' =>
      'SELECT bloom_union_agg(f.b) FROM filters f, numbers a, numbers b, numbers c',
    'bloom_add_all of many hashes' =>
      'SELECT sum(bloom_cardinality(bloom_add_all(bloom_empty(), a.hashes)))
       FROM numbers, numbers b, arrays a',
    'bloom_contains' =>
      'SELECT count(*) FROM filters f, numbers a, numbers b WHERE f.b @> (a.i * b.i::bigint)',
    'bloom_contains_each' => 'SELECT count(bloom_contains_each(f.b, a.hashes))
       FROM filters f, arrays a, numbers b, numbers c',
    'bitfield_agg' =>
      'SELECT bitfield_agg(a.i * b.i::bigint % 9999999) FROM numbers a, numbers b, numbers c',
    'cuckoo_agg' => 'SELECT cuckoo_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
    'cuckoo_agg by group' =>
      'SELECT a.i % 1000, cuckoo_agg(b.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
    'cuckoo_union_agg' =>
      'SELECT cuckoo_union_agg(f.f) FROM cuckoos f, numbers a, numbers b, numbers c',
    'cuckoo_contains_each of many hashes' =>
      'SELECT count(cuckoo_contains_each(f.f, a.hashes)) FROM numbers, cuckoos f, arrays a',
    'cms_agg' => 'SELECT cms_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
    'cms_agg with counts, by group' =>
      'SELECT a.i % 1000, cms_agg(b.i, a.i) FROM numbers a, numbers b, numbers c GROUP BY 1',
    'cms_agg of text with an error' =>
      q{SELECT cms_agg('a' || a.i * b.i::bigint, 1, 0.0001, 0.001) FROM numbers a, numbers b},
    'cms_union_agg' =>
      'SELECT cms_union_agg(f.c) FROM frequencies f, numbers a, numbers b, numbers c',
    'cms_add_all of many hashes' =>
      'SELECT sum(cms_total(cms_add_all(cms_empty(), a.hashes))) FROM numbers, numbers b, arrays a',
    'topk_agg' => 'SELECT topk_agg(a.i * b.i::bigint) FROM numbers a, numbers b, numbers c',
    'topk_agg of text, by group' => q{SELECT a.i % 1000, topk_agg('a' || b.i, 5)
       FROM numbers a, numbers b, numbers c GROUP BY 1},
    'topk_agg with counts' =>
      'SELECT topk_agg(b.i * 7 % 99991, 100000, a.i) FROM numbers a, numbers b, numbers c',
    'topk_union_agg' =>
      'SELECT topk_union_agg(f.k) FROM frequencies f, numbers a, numbers b, numbers c',
    'approx_top_k over a window' =>
      'SELECT approx_top_k(a.i, 3) OVER (ORDER BY a.i ROWS BETWEEN 50000 PRECEDING
       AND 50000 FOLLOWING) FROM numbers a',
    'topk_add_all of many texts' =>
      'SELECT sum(topk_total(topk_add_all(topk_empty(), a.texts))) FROM numbers, numbers b, arrays a',
    'topk_list' => 'SELECT count(*) FROM numbers a, numbers b, frequencies,
       LATERAL topk_list(topk_decay(k, 1 - a.i / 1e9 - b.i / 1e9))',
    'sorting sketches' => 'SELECT h FROM sketches, numbers ORDER BY h DESC');
for my $what (sort keys %endless)
{
    raises(
        $node, '57014', $endless{$what}, $what,
        before => 'SET statement_timeout = 300; SET work_mem = 65536;',
        after => $works,
        output => '10|3');
}

# A parallel one, by another session; the workers end too.
{
    my $session = start_psql($node, <<'SQL' . "\\set VERBOSITY sqlstate\n$endless{'hll_agg'};");
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET application_name = 'aggregation';
SQL
    my $active = q{FROM pg_stat_activity
        WHERE application_name = 'aggregation' AND state = 'active'};
    ok(wait_until(sub { $node->safe_psql('postgres', "SELECT count(*) $active") >= 2 }),
        'a parallel aggregation runs');
    is_query($node, "SELECT pg_cancel_backend(pid) $active AND backend_type = 'client backend'",
        't', '... is cancelled');
    ok(!finish_psql($session), '... and ends');
    like($session->{err}, qr/57014/, '... as cancelled');
    ok(wait_until(sub { $node->safe_psql('postgres', "SELECT count(*) $active") == 0 }),
        '... workers as well');
}

# Functions that go through an array look for interrupts by themselves.
my %loops = (
    'hll_add_all(hll, hashed[])' => 'hll_add_all(hll_empty(), a.hashes)',
    'hll_add_all(hll, text[])' => 'hll_add_all(hll_empty(), a.texts)',
    'hll_cardinality(hll[])' => 'hll_cardinality(VARIADIC a.sketches)',
    'tdigest_add_all(tdigest, float8[])' => 'tdigest_add_all(tdigest_empty(), a.floats)',
    (
        map { ("tdigest_$_(tdigest, float8[])" => "tdigest_$_(a.t, a.floats)") }
          qw(quantile cdf rank revrank)
    ),
    (
        map { ("tdigest_$_(tdigest, bigint[])" => "tdigest_$_(a.t, a.ranks)") }
          qw(byrank byrevrank)
    ),
    'cuckoo_add_all(cuckoo, hashed[])' => 'cuckoo_add_all(cuckoo_empty(), a.hashes)',
    'cuckoo_add_all(cuckoo, text[])' => 'cuckoo_add_all(cuckoo_empty(), a.texts)',
    'cuckoo_delete_all(cuckoo, hashed[])' => 'cuckoo_delete_all(cuckoo_empty(), a.hashes)',
    'cuckoo_contains_each(cuckoo, hashed[])' => 'cuckoo_contains_each(cuckoo_empty(), a.hashes)',
    'cuckoo_contains_each(cuckoo, text[])' => 'cuckoo_contains_each(cuckoo_empty(), a.texts)',
    'bloom_add_all(bloom, hashed[])' => 'bloom_add_all(bloom_empty(), a.hashes)',
    'bloom_add_all(bloom, text[])' => 'bloom_add_all(bloom_empty(), a.texts)',
    'bloom_contains_each(bloom, hashed[])' => 'bloom_contains_each(bloom_empty(), a.hashes)',
    'bloom_contains_each(bloom, text[])' => 'bloom_contains_each(bloom_empty(), a.texts)',
    'cms_add_all(cms, hashed[])' => 'cms_add_all(cms_empty(), a.hashes)',
    'cms_add_all(cms, text[])' => 'cms_add_all(cms_empty(), a.texts)',
    'cms_add_all(cms, hashed[], bigint[])' => 'cms_add_all(cms_empty(), a.hashes, a.ranks)',
    'cms_query_each(cms, hashed[])' => 'cms_query_each(a.c, a.hashes)',
    'cms_query_each(cms, text[])' => 'cms_query_each(a.c, a.texts)',
    'cms_merge(cms[], bigint[])' => 'cms_merge(a.counts, a.ranks[1:501])',
    'topk_add_all(topk, text[])' => 'topk_add_all(topk_empty(), a.texts)',
    'topk_add_all(topk, bigint[])' => 'topk_add_all(topk_empty(), a.ranks)',
    'roaring_contains_each(roaring, bigint[])' => 'roaring_contains_each(roaring_empty(), a.ranks)',
    'roaring_add_all(roaring, bigint[])' => 'roaring_add_all(roaring_empty(), a.ranks)',
    'roaring_remove_all(roaring, bigint[])' => 'roaring_remove_all(roaring_empty(), a.ranks)',
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
    'roaring_union_state(roaring, roaring)' => 'roaring_union_state(roaring_empty(), a.set)',
    # The method has to be able to tell: these do not look for interrupts.
    'int8pl' => undef);
for my $what (sort keys %loops)
{
    my $call = $loops{$what} // '1::bigint + cardinality(a.hashes)';
    # Out of line values are fetched before: fetching looks for interrupts itself.
    my $statement = <<"SQL";
DO \$\$
DECLARE
    held arrays;
    before bigint := nextval('ran');
    cancelled boolean := false;
BEGIN
    SELECT (hashes || NULL::hashed), (texts || NULL::text), (floats || NULL::float8),
           (ranks || NULL::bigint), (sketches || NULL::hll), (counts || NULL::cms),
           set | '{}', set_bytes || ''
        INTO held FROM arrays;
    BEGIN
        -- The OFFSET keeps the planner from calling an immutable function of what it knows.
        PERFORM pg_cancel_backend(pg_backend_pid()), $call, nextval('ran')
            FROM (SELECT held.*, (SELECT t FROM digests WHERE g = 1) AS t,
                         (SELECT c FROM frequencies WHERE g = 1) AS c OFFSET 0) a;
    EXCEPTION WHEN query_canceled THEN cancelled := true;
    END;
    RAISE NOTICE 'cancelled %, % after it', cancelled, nextval('ran') - before - 1;
END \$\$
SQL
    my ($status, $out, $err) = $node->psql('postgres', $statement);
    my $expected = defined $loops{$what} ? 'cancelled t, 0 after it' : 'cancelled t, 1 after it';
    like($err, qr/\Q$expected\E/, "$what " . (defined $loops{$what} ? 'is' : 'is not')
        . ' cancelled from within');
}

done_testing();
