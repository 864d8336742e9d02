# Memory: a million groups fit (50,000 in `make test`), and nothing grows with the number of calls.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $short = ($ENV{SAMPLE} // 1) > 1;
my $node = new_server('memory', conf => "max_parallel_workers_per_gather = 0\nwork_mem = 1GB\n");

# EXPLAIN counts what the hash table and the states take, the same on every 64-bit machine. Of the
# 330 MB the hash table without states takes 131.
use constant GROUPS_KB => 330 * 1024;
# Of as many items with counts, for which states grow to a chunk of 256 bytes. Here all groups grow
# at once, so that none can use the chunks, of 64 and 128 bytes, that others grew out of.
use constant COUNTED_KB => 640 * 1024;
# What the allocator has taken of the system for groups to come.
use constant AHEAD_KB => 2 * 1024;
# What a backend may take beside that: itself, a compiled query, the allocator's unused halves.
use constant BACKEND_KB => 100 * 1024;

# The most memory the backend had since it started, in kB; undef where /proc does not tell.
my $peak = q{SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+) kB')};

sub peak_after
{
    my ($query) = @_;
    my ($out, $err) = ('', '');
    $node->psql('postgres', "$query;\n\\echo peak\n$peak;", stdout => \$out, stderr => \$err);
    return $out =~ /^peak\n(\d+)$/m ? $1 : undef;
}

# Of a million groups, or of a share of them where items come with counts.
my %groups = rows_of_types('memory', 'groups');
for my $aggregate (sort keys %groups)
{
    my $counted = $groups{$aggregate} < 1;
    # Memory is linear in the number of groups; a twentieth shows the same.
    my $share = $groups{$aggregate} / ($short ? 20 : 1);
    my $number = $share * 1e6;
    my $most = $share * ($counted ? COUNTED_KB : GROUPS_KB) + AHEAD_KB;
    my $groups = "SELECT $aggregate(i) FROM (SELECT generate_series(0, 10 * $number - 1) AS i) s
        GROUP BY i % $number";
    my $out = $node->safe_psql('postgres', <<"SQL");
SET enable_sort = off;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $groups;
$peak
SQL
    my ($memory) = $out =~ /HashAggregate.*?Memory Usage: (\d+)kB/s;
    like($out, qr/Batches: 1 /, "$aggregate: $number groups of ten in memory");
    cmp_ok($memory, '>', $share * 131 * 1024, '... which take their hash table');
    cmp_ok($memory, '<', $most, '... and not much more') || diag($out);
    my ($backend) = $out =~ /\n(\d+)\z/;
    SKIP:
    {
        skip 'the system has no /proc/self/status', 1 unless defined $backend;
        cmp_ok($backend, '<', $most + BACKEND_KB, "... and so does the backend ($backend kB)");
    }
}

# Groups of a few rows whose state grows: no state is lost on the way.
{
    my $out = $node->safe_psql('postgres', <<'SQL');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
SELECT hll_agg(i), hll_agg(i, 18), hll_redis_agg(i::text)
FROM (SELECT generate_series(1, 1000000) AS i) s GROUP BY i % 50;
SQL
    my ($memory) = $out =~ /HashAggregate.*?Memory Usage: (\d+)kB/s;
    # 16 kB, 256 kB and 16 kB of registers, and the last size before next to the new one.
    cmp_ok($memory, '<', 50 * 3 * 288, '50 growing groups give back what they grew out of')
      || diag($out);
}

{
    my $out = $node->safe_psql('postgres', <<'SQL');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
SELECT tdigest_agg(i), tdigest_weighted_agg(i, i), approx_percentiles(i, ARRAY[0.5, 0.9])
FROM (SELECT generate_series(1, 1000000) AS i) s GROUP BY i % 50;
SQL
    my ($memory) = $out =~ /HashAggregate.*?Memory Usage: (\d+)kB/s;
    # 64 kB of centroids each, and the last size before.
    cmp_ok($memory, '<', 50 * 3 * 160, '50 growing digests give back what they grew out of')
      || diag($out);
}

# Groups of a thousand rows: 30 kB for each, 300 MB for 10,000.
{
    my $out = $node->safe_psql('postgres', <<'SQL');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
SELECT topk_agg(i / 1000 % 300) FROM (SELECT generate_series(1, 1000000) AS i) s GROUP BY i % 1000;
SQL
    my ($memory) = $out =~ /HashAggregate.*?Memory Usage: (\d+)kB/s;
    cmp_ok($memory, '<', 1000 * 30, '1,000 groups of heavy hitters') || diag($out);
}

{
    my $out = $node->safe_psql('postgres', <<'SQL');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
SELECT cms_agg(i), cms_weighted_agg(i, 1::bigint << 31), topk_agg(i, 100), topk_agg('item ' || i)
FROM (SELECT generate_series(1, 1000000) AS i) s GROUP BY i % 50;
SQL
    my ($memory) = $out =~ /HashAggregate.*?Memory Usage: (\d+)kB/s;
    # Cells of 56 and of 112 kB, 24,576 and 3,072 counters, and the last size before.
    cmp_ok($memory, '<', 50 * (96 + 192 + 1400 + 500), '50 growing groups of frequencies')
      || diag($out);
}

$node->safe_psql('postgres', 'CREATE TABLE sketches AS SELECT g, '
      . join(', ', rows_of_types('memory', 'columns'))
      . ' FROM generate_series(1, 300) g, generate_series(1, 4000) i GROUP BY g');

# A cursor keeps the executor's memory alive while it is looked at: after the first calls and after
# many. What a function keeps per call, in the result's context or beside its call site, adds up.
# Each sketch comes three times in a row: a detoasted copy is kept for the second, and dropped.
for my $type (types_with('memory'))
{
    my ($calls, $slow) = ($type->{calls}, $type->{slow} // qr/(?!)/);
    # Slow calls cost tens of microseconds; a leak of 64 bytes a call shows in each of these numbers.
    my @numbers = $short ? (500, 2000) : (2000, 8000);
    keeps_nothing($_, $calls->{$_}, $calls->{$_} =~ $slow ? @numbers : map { 4 * $_ } @numbers)
      for sort keys %$calls;
}

sub keeps_nothing
{
    my ($what, $call, $few, $many) = @_;
    my $grown = $node->safe_psql('postgres', <<"SQL");
BEGIN;
CREATE TEMP TABLE used (at text, bytes numeric);
DECLARE c NO SCROLL CURSOR FOR
    SELECT $call FROM generate_series(1, 300) o,
        LATERAL (SELECT * FROM sketches WHERE g > o * 0 OFFSET 0) s,
        LATERAL generate_series(3 * o, 3 * o + 2 + s.g * 0) i;
-- The first look fills caches of the catalog.
INSERT INTO used SELECT 'first', sum(used_bytes) FROM pg_backend_memory_contexts;
MOVE FORWARD $few IN c;
INSERT INTO used SELECT 'few', sum(used_bytes) FROM pg_backend_memory_contexts;
MOVE FORWARD $many IN c;
INSERT INTO used SELECT 'many', sum(used_bytes) FROM pg_backend_memory_contexts;
SELECT sum(CASE at WHEN 'many' THEN bytes WHEN 'few' THEN -bytes END) FROM used;
SQL
    cmp_ok($grown, '<', $many * 16, "$what: $many calls keep nothing");
    return;
}

# A join compares in a context that lives as long as the join.
SKIP:
{
    my $before = peak_after('SELECT count(*) FROM sketches a, sketches b');
    skip 'the system has no /proc/self/status', 1 unless defined $before;
    my $after = peak_after(<<'SQL');
SET enable_hashjoin = off;
SELECT count(*) FILTER (WHERE a.dense = b.dense), count(*) FILTER (WHERE a.redis = b.redis) FROM sketches a, sketches b
SQL
    cmp_ok($after - $before, '<', 150 * 1024, 'comparing gives back its copies');
}

# A frame of 10,000 stored sketches: 64 bytes for each, a copy of the TOAST pointer; 2 sqrt(n) unions
# of 8.3 kB, which are made when the first row leaves; and what the executor and the allocator take.
{
    my $used = q{SELECT sum(total_bytes) FROM pg_backend_memory_contexts
        WHERE name LIKE 'WindowAgg%' OR name LIKE 'sketches%';};
    my $out = $node->safe_psql('postgres', <<"SQL");
CREATE TABLE stored (i int, h hll);
INSERT INTO stored SELECT i, h
    FROM (SELECT hll_agg(x) AS h FROM generate_series(1, 100000) AS x) AS s, generate_series(1, 10100) AS i;
BEGIN;
DECLARE sums CURSOR FOR
    SELECT hll_union_cardinality_agg(h) OVER (ORDER BY i ROWS 9999 PRECEDING) FROM stored;
MOVE 10000 IN sums;
$used
MOVE 10 IN sums;
$used
SQL
    my ($before, $after) = split /\n/, $out;
    my $rows = 10_000 * 72 + 300 * 1024;
    cmp_ok($before, '<', $rows, 'a row of a frame takes its TOAST pointer');
    cmp_ok($after, '<', $rows + 2 * 100 * 8300, '... and 10,000 rows 200 unions');

    # A frame of 400 stored sets of 512 kB: 40 unions, as one for each row would take 200 MB.
    $out = $node->safe_psql('postgres', <<"SQL");
CREATE TABLE wide (i int, f roaring);
INSERT INTO wide SELECT i, f | i FROM generate_series(1, 410) AS i,
    (SELECT roaring_agg(1000 + 2 * x) AS f FROM generate_series(0, 2097151) AS x) AS s;
BEGIN;
DECLARE ors CURSOR FOR SELECT roaring_union_cardinality_agg(f) OVER (ORDER BY i ROWS 399 PRECEDING) FROM wide;
MOVE 402 IN ors;
$used
FETCH ors;
SQL
    my ($unions, $bits) = split /\n/, $out;
    cmp_ok($unions, '<', 50 * 512 * 1024, 'large unions are kept for blocks of rows');
    cmp_ok($unions, '>', 38 * 512 * 1024, '... two for each block');
    is($bits, 2097152 + 400, '... with the same answer');
}

done_testing();
