# Memory: a million groups fit, and nothing grows with the number of calls.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('memory', conf => "max_parallel_workers_per_gather = 0\nwork_mem = 1GB\n");

# EXPLAIN counts what the hash table and the states take, the same on every 64-bit machine. Of the
# 330 MB the hash table without states takes 131.
use constant GROUPS_KB => 330 * 1024;
# Of as many items with counts, for which states grow to a chunk of 256 bytes. Here all groups grow
# at once, so that none can use the chunks, of 64 and 128 bytes, that others grew out of.
use constant COUNTED_KB => 640 * 1024;
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

for my $aggregate (qw(hll_agg tdigest_agg roaring_agg bloom_agg cuckoo_agg cms_agg topk_agg))
{
    my $counted = $aggregate =~ /^(?:cms|topk)/;
    my $share = $counted ? 0.2 : 1;
    my $number = $share * 1e6;
    my $most = $share * ($counted ? COUNTED_KB : GROUPS_KB);
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
SELECT tdigest_agg(i), tdigest_weighted_agg(i, i), approx_percentile(i, ARRAY[0.5, 0.9])
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
SELECT cms_agg(i), cms_agg(i, 1::bigint << 31), topk_agg(i, 100), topk_agg('item ' || i)
FROM (SELECT generate_series(1, 1000000) AS i) s GROUP BY i % 50;
SQL
    my ($memory) = $out =~ /HashAggregate.*?Memory Usage: (\d+)kB/s;
    # Cells of 56 and of 112 kB, 24,576 and 3,072 counters, and the last size before.
    cmp_ok($memory, '<', 50 * (96 + 192 + 1400 + 500), '50 growing groups of frequencies')
      || diag($out);
}

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE sketches AS
    SELECT g, hll_agg(i * 1000 + g) AS dense, hll_agg(i) FILTER (WHERE i <= g % 20) AS sparse,
           hll_redis_agg(i::text) AS redis, tdigest_agg(i * g) AS digest,
           tdigest_agg(i, 2000) AS large, tdigest_agg(i) FILTER (WHERE i <= g % 20) AS few,
           roaring_agg(i * g) AS set, roaring_agg(i) FILTER (WHERE i <= g % 20) AS small,
           bitfield_agg(i * g % 99999) AS bits,
           bloom_agg(i * g) AS registers_b, bloom_agg(i) FILTER (WHERE i <= g % 20) AS listed,
           cuckoo_agg(i * g) AS filter, cuckoo_agg(i) FILTER (WHERE i <= g % 20) AS short,
           cms_agg(i % g) AS often, cms_agg(i * g) AS tables,
           topk_agg(i % g) AS top, topk_agg('item ' || i * g, 100) AS lists
    FROM generate_series(1, 300) g, generate_series(1, 4000) i GROUP BY g;
SQL

# A cursor keeps the executor's memory alive while it is looked at: after the first calls and after
# many. What a function keeps per call, in the result's context or beside its call site, adds up.
# Each sketch comes three times in a row: a detoasted copy is kept for the second, and dropped.
my %calls = (
    'bitfield_get' => q{bitfield_get(bits, 'i7', i), bitfield_get('\xff01', 'u3', i),
        bitfield_get_bit(bits, i), bitfield_count(bits, i / 8, -i), bitfield_info(bits),
        bitfield_position(bits, false, i)},
    'bitfield_set' => q{bitfield_set(bits, 'u8', '#5', i), bitfield_incrby(bits, 'i8', i, 9, 'fail'),
        bitfield_set_bit(bits, i, true), bitfield_exec(bits, 'GET u8 7'),
        bitfield_exec(bits, 'SET u8 7 1 OVERFLOW FAIL INCRBY u8 7 300')},
    'bitfield_bitop' => q{bits & '\x01', bits | bits, bits # '\xff', ~ bits,
        bitfield_bitop('one', bits, '\x0102', bits), bits::bytea::bitfield::text, bits < bits},
    'bloom_add' => 'bloom_add(registers_b, i), bloom_add(listed, i), bloom_add(listed, i::text),
        (bloom_try_add(registers_b, i)).added, (bloom_try_add(listed, -i)).added',
    'bloom_add_all' => 'bloom_add_all(listed, ARRAY[i, 1, NULL]),
        bloom_add_all(bloom_empty(9, expansion => 0), ARRAY[i, 2])',
    'bloom_contains' => 'registers_b @> i, listed @> i, listed @> i::text,
        bloom_contains_each(listed, ARRAY[i, NULL]), bloom_contains_each(registers_b, ARRAY[i])',
    'bloom_union' => 'registers_b | listed, listed | bloom_add(bloom_empty(), i),
        registers_b & listed, listed & bloom_add(bloom_empty(), i)',
    'bloom_info' => 'bloom_info(registers_b), bloom_info(listed),
        bloom_cardinality(registers_b), bloom_false_positive_rate(registers_b),
        (SELECT sum(bits) FROM bloom_filters(registers_b)), bloom_empty(i)',
    'bloom casts' => 'registers_b::bytea::bloom, listed::text::bloom,
        bloom_send(registers_b), registers_b = listed, bloom_hash(registers_b)',
    'hll_add' => 'hll_add(dense, i), hll_add(sparse, i), hll_add(sparse, i::text)',
    'hll_add of Redis' => 'hll_add(redis, i::text), hll_to_redis(redis)',
    'hll_try_add' => 'hll_try_add(sparse, i), (hll_try_add(redis, i::text)).changed',
    'hll_add_all' => 'hll_add_all(sparse, ARRAY[i, 1, NULL]), hll_add_all(dense, ARRAY[i::text])',
    'hll_union' => 'dense | sparse, sparse | hll_add(hll_empty(), i)',
    'hll_reduce' => 'hll_reduce(dense, 4 + i % 10), hll_reduce(sparse, 5)',
    'hll_cardinality' => '#dense, #sparse, hll_cardinality(dense, sparse, NULL)',
    'hll_bounds' => 'hll_bounds(dense), hll_bounds(sparse, 3), hll_info(dense), hll_info(sparse)',
    'hll_jaccard' => 'hll_jaccard(sparse, sparse), hll_difference_cardinality(sparse, hll_empty())',
    'hll_registers' => '(SELECT count(*) FROM hll_registers(sparse))',
    'casts' => 'dense::bytea::hll, sparse::bytea::hll, hll_send(dense)',
    'text' => 'dense::text::hll, sparse::text::hll',
    'comparison' => 'dense = sparse, dense < dense, sparse >= sparse, hll_cmp(dense, redis),
        hll_hash(dense), hll_hash_extended(sparse, i)',
    'hll_from_redis' => 'hll_from_redis(hll_to_redis(redis))',
    'roaring_add' => 'roaring_add(set, i), roaring_remove(small, i), roaring_flip(set, i, i + 9)',
    'roaring_union' => 'set | small, set & small, set # roaring_empty(), small - set,
        roaring_jaccard(set, small), set && small, set @> small',
    'roaring_bitop' => q{roaring_bitop('one', set, small, set), roaring_not(small, i)},
    'roaring_contains' => 'set @> i::bigint, small @> i::bigint, roaring_rank(set, i), # set,
        roaring_to_array(small), roaring_contains_each(set, ARRAY[1, i])',
    'roaring_elements' => '(SELECT count(*) FROM roaring_elements(small))',
    'roaring_to_portable' => 'roaring_from_portable(roaring_to_portable(set)), small::text::roaring,
        set::roaring64::roaring, roaring_shift(small, i)',
    'tdigest_add' => 'tdigest_add(digest, i), tdigest_add(large, i), tdigest_add(few, i, 5)',
    'tdigest_add_all' => 'tdigest_add_all(few, ARRAY[i, 1, NULL]),
        tdigest_add_all(digest, ARRAY[i])',
    'tdigest_union' => 'digest | few, few | tdigest_add(tdigest_empty(), i), large | digest',
    'tdigest_quantile' => 'tdigest_quantile(few, 0.3), tdigest_quantile(few, ARRAY[0.3, 1]),
        tdigest_quantile(large, 0.3), tdigest_cdf(few, i), tdigest_cdf(large, ARRAY[i, i])',
    'tdigest_rank' => 'tdigest_rank(few, i), tdigest_revrank(few, ARRAY[i]), tdigest_byrank(few, i),
        tdigest_byrevrank(few, ARRAY[i, 0]), tdigest_rank(large, i)',
    'tdigest_mean' => 'tdigest_mean(digest), tdigest_min(few), tdigest_max(large),
        tdigest_count(large), tdigest_trimmed_mean(few, 0.1, 0.9), tdigest_info(few),
        tdigest_info(large)',
    'tdigest_histogram' => '(SELECT sum(count) FROM tdigest_histogram(digest, 5)),
        (SELECT sum(weight) FROM tdigest_centroids(large)), tdigest_sparkline(few)',
    'tdigest casts' => 'digest::bytea::tdigest, few::text::tdigest, tdigest_send(large)',
    'tdigest comparison' => 'digest = few, large < large, few >= few, tdigest_cmp(digest, large),
        tdigest_hash(large), tdigest_hash_extended(few, i)',
    'cuckoo_add' => 'cuckoo_add(short, i), cuckoo_addnx(short, i::text), cuckoo_try_add(short, i),
        cuckoo_delete(short, 1), cuckoo_try_delete(short, i), cuckoo_compact(short)',
    'cuckoo_add, large' => 'cuckoo_add(filter, i), cuckoo_delete(filter, s.g), cuckoo_compact(filter)',
    'cuckoo_add_all' => 'cuckoo_add_all(short, ARRAY[i, 1, NULL]),
        cuckoo_delete_all(short, ARRAY[i::text, NULL])',
    'cuckoo_contains' => 'filter @> i, short @> i::text, cuckoo_count(filter, s.g),
        cuckoo_contains_each(short, ARRAY[i, NULL]), cuckoo_cardinality(short), cuckoo_info(short)',
    'cuckoo_union' => 'short | short, cuckoo_sum(short, short), filter | short,
        cuckoo_sum(cuckoo_add(cuckoo_empty(), i), filter)',
    'cuckoo casts' => 'short::bytea::cuckoo, short::text::cuckoo, cuckoo_send(short)',
    'cuckoo comparison' => 'short = short, short < filter, cuckoo_hash(short),
        cuckoo_hash_extended(filter, i)',
    'cms_add' => 'cms_add(often, i), cms_add(often, i::text, 7), cms_add_all(often, ARRAY[i, NULL]),
        cms_add_all(often, ARRAY[i::text, NULL], ARRAY[1, 2]), cms_query(often, i),
        cms_query_each(often, ARRAY[i, NULL]), cms_query_each(often, ARRAY[i::text])',
    'cms_add to tables' => 'cms_add(tables, i), cms_query(tables, i::text),
        often | tables',
    'cms_merge' => 'often | often, cms_merge(ARRAY[often, NULL, often], ARRAY[1, 2, i]),
        cms_inner_product(often, often), cms_total(often), cms_error(often), cms_info(often)',
    'cms_inner_product of tables' => 'cms_inner_product(tables, often),
        cms_inner_product(tables, tables), cms_info(tables)',
    'cms casts' => 'often::bytea::cms, often::text::cms, cms_send(often), often = often,
        often < often, cms_cmp(often, often), cms_hash(often), cms_hash_extended(often, i)',
    'topk_add' => q{topk_add(top, i), topk_add(top, i, 7), topk_try_add(top, i),
        topk_add_all(top, ARRAY[i::bigint, NULL]), topk_count(top, i), topk_contains(top, i),
        topk_bounds(top, i), topk_total(top), topk_error(top), topk_info(top)},
    'topk_add of text' => q{topk_add(lists, 'item ' || i), topk_add(lists, i::text, 7),
        topk_try_add(lists, i::text), topk_add_all(lists, ARRAY[i::text, NULL]),
        topk_count(lists, i::text), topk_contains(lists, i::text),
        topk_bounds(lists, i::text), topk_total(lists), topk_info(lists)},
    'topk_union' => 'top | top, top | topk_empty(5), topk_decay(top, 0.5), topk_decay(top, 0)',
    'topk_union of text' => 'lists | lists, topk_decay(lists, 0.9)',
    'topk_list' => '(SELECT sum(count) FROM topk_list(top)),
        (SELECT max(item) FROM topk_list(lists))',
    'topk casts' => 'top::bytea::topk, top::text::topk, topk_send(top), top = top, top < top,
        topk_cmp(top, top), topk_hash(top), topk_hash_extended(top, i)',
    'hashed' => q{hashed(i), hashed(i::text), hashed(i::numeric / 7), hashed(i::float8),
        hashed(i::text::bpchar), hashed(jsonb_build_object('a', i, 'b', 1.5)), hashed(now()),
        hashed(inet '10.0.0.1' + i), hashed(make_interval(days => i))});

for my $what (sort keys %calls)
{
    # Dense calls cost tens of microseconds; a leak of 64 bytes a call shows in both numbers.
    my ($few, $many) = $calls{$what} =~ /dense|redis|registers|digest|large|bits|often|tables|top|lists|filter/
      ? (2000, 8000) : (20000, 180000);
    my $grown = $node->safe_psql('postgres', <<"SQL");
BEGIN;
CREATE TEMP TABLE used (at text, bytes numeric);
DECLARE c NO SCROLL CURSOR FOR
    SELECT $calls{$what} FROM generate_series(1, 300) o,
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
}

# Sorting and merging compare in a context that lives as long as the sort.
SKIP:
{
    my $before = peak_after('SELECT count(*) FROM sketches a, sketches b');
    skip 'the system has no /proc/self/status', 1 unless defined $before;
    my $after = peak_after(<<'SQL');
SET enable_hashagg = off; SET work_mem = '64MB';
SELECT count(DISTINCT a.dense), count(DISTINCT a.redis) FROM sketches a, generate_series(1, 20)
SQL
    cmp_ok($after - $before, '<', 150 * 1024, 'sorting gives back what it compares');
}

done_testing();
