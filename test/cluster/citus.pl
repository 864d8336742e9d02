# Citus: a coordinator and two workers. Every aggregate over a distributed table, raw and of
# sketches that were rolled up on the workers, is computed in parts on the workers and answers what
# a local table with the same rows does. Then what doc/works-with.md says of rate limits by key, and of
# what Citus refuses.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../t/lib", $FindBin::Bin;
use CitusCluster;
use PostgreSQL::Test::Cluster;
use SketchTest;
use Test::More;

my ($node, @workers) = citus_cluster();
my @nodes = ($node, @workers);

for my $worker (@workers)
{
    is_query($worker, "SELECT count(*) FROM pg_extension WHERE extname = 'sketches'",
        1, 'CREATE EXTENSION reaches the workers');
}

# ---- rows ----------------------------------------------------------------------------------------

my $rows = <<'SQL';
SELECT i AS id, i % 6 AS page, (i * 7919) % 20000 AS item, 'name ' || i % 700 AS name,
       i * 0.5::float8 AS latency, 1 + i % 3 AS weight
  FROM generate_series(1, 40000) i
SQL
# One sketch of each kind for each row of a rollup. [ column, its type, its expression ]
my @columns = (
    [ 'h', 'hll', 'hll_agg(item)' ],
    [ 't', 'tdigest', 'tdigest_agg(latency)' ],
    [ 'r', 'roaring', 'roaring_agg(item)' ],
    [ 'r64', 'roaring64', 'roaring64_agg(item)' ],
    [ 'bf', 'bitfield', 'bitfield_agg(item)' ],
    [ 'bl', 'bloom', 'bloom_agg(item, 20000, 0.01)' ],
    [ 'cu', 'cuckoo', 'cuckoo_agg(item)' ],
    [ 'cm', 'cms', 'cms_agg(name)' ],
    [ 'tk', 'topk', 'topk_agg(name, 5)' ],
    [ 'th', 'theta', 'theta_agg(item)' ],
    [ 'dd', 'ddsketch', 'ddsketch_agg(latency)' ],
    [ 'mo', 'float8[]', '_rollup_moments(latency)' ]);
my $definitions = join ', ', map { "$_->[0] $_->[1]" } @columns;
my $expressions = join ', ', map { "$_->[2] AS $_->[0]" } @columns;

$node->safe_psql('postgres', <<"SQL");
CREATE TABLE visits (id int, page int, item int, name text, latency float8, weight bigint);
CREATE TABLE rollup (id int, page int, $definitions);
CREATE TABLE visits_here (LIKE visits);
CREATE TABLE rollup_here (LIKE rollup);
SELECT create_distributed_table('visits', 'id');
SELECT create_distributed_table('rollup', 'id', colocate_with => 'visits');
INSERT INTO visits_here $rows;
INSERT INTO visits $rows;
INSERT INTO rollup SELECT id, page, $expressions FROM visits GROUP BY id, page;
INSERT INTO rollup_here SELECT id, page, $expressions FROM visits_here GROUP BY id, page;
SQL
is_query($node, 'SELECT count(*) FROM rollup', 40000, 'rolled up on the workers');

# ---- aggregates ----------------------------------------------------------------------------------

# [ aggregate, what has to be as it is here ]. %s is the aggregate's answer.
my $bytes = "md5((%s)::text)";
my $tdigest = "tdigest_count(%1\$s) || ' ' || tdigest_min(%1\$s) || ' ' || tdigest_max(%1\$s)"
  . " || ' '"
  . " || round(tdigest_quantile(%1\$s, 0.5)::numeric / 200) || ' '"
  . " || round(tdigest_quantile(%1\$s, 0.99)::numeric / 200)";
my $cuckoo = "cuckoo_cardinality(%1\$s) || ' ' || (%1\$s @> 7) || ' ' || (%1\$s @> 19999)";
# Never below the truth, and how far above it depends on the order of the rows.
my $cms = "cms_total(%1\$s) || ' ' || (cms_query(%1\$s, 'name 7') BETWEEN 9 AND 250)";
my $bloom = "bloom_false_positive_rate(%1\$s) <= 0.0105";
my $topk = "topk_total(%1\$s)";
my $moments = "(%1\$s)[1] || ' ' || round((%1\$s)[2]::numeric, 3) || ' ' || round((%1\$s)[3]::numeric, -3)";
my @raw = (
    [ 'hll_agg(item)', $bytes ],
    [ 'hll_agg(name)', $bytes ],
    [ 'hll_agg(item, 10)', $bytes ],
    [ 'hll_redis_agg(name)', $bytes ],
    [ 'hll_postgresql_hll_agg(hll_postgresql_hll_hash(item))', $bytes ],
    [ 'hll_datasketches_agg(hll_datasketches_hash(name))', $bytes ],
    [ 'approx_count_distinct(item)', '%s' ],
    [ 'approx_count_distinct(name)', '%s' ],
    [ 'tdigest_agg(latency)', $tdigest ],
    [ 'tdigest_agg(latency, 500)', $tdigest ],
    [ 'tdigest_weighted_agg(latency, weight)', $tdigest ],
    [ 'approx_percentile(latency, 0.9)', 'round(%s::numeric / 200)' ],
    [ "approx_percentiles(latency, '{0.1,0.9}'::float8[])", 'round((%s)[2]::numeric / 200)' ],
    [ 'approx_median(latency)', 'round(%s::numeric / 200)' ],
    [ '_rollup_moments(latency)', $moments ],
    [ 'roaring_agg(item)', $bytes ],
    [ 'roaring64_agg(item)', $bytes ],
    [ 'bitfield_agg(item)', $bytes ],
    [ 'bloom_agg(item)', $bytes ],
    [ 'bloom_agg(name)', $bytes ],
    [ 'bloom_agg(item, 100, 0.001)', $bytes ],
    [ 'bloom_agg(item, 20000, 0.01)', $bloom ],
    [ 'cuckoo_agg(item)', $bytes ],
    [ 'cuckoo_agg(name, 1024, 16)', $bytes ],
    [ 'cuckoo_agg(item, 20000, 16)', $cuckoo ],
    [ 'cms_agg(name)', $cms ],
    [ 'cms_weighted_agg(name, weight)', $cms ],
    [ 'cms_weighted_agg(name, weight, 0.01, 0.01)', $cms ],
    [ 'topk_agg(name)', $topk ],
    [ 'topk_agg(name, 5)', $topk ],
    [ 'topk_weighted_agg(name, weight, 5)', $topk ],
    [ 'topk_agg(item, 5)', $topk ],
    [ 'approx_top_k(name, 5)', "(%s) IS NOT NULL" ],
    [ 'approx_top_count(item, 5)', 'jsonb_array_length(%s)' ],
    [ 'theta_agg(item)', $bytes ],
    [ 'theta_agg(name, 6)', $bytes ],
    [ 'ddsketch_agg(latency)', $bytes ],
    [ 'ddsketch_agg(-latency, 0.05)', $bytes ],
    [ 'ddsketch_weighted_agg(latency, weight)', $bytes ]);
my @rolled_up = (
    [ 'hll_union_agg(h)', $bytes ],
    [ 'hll_union_cardinality_agg(h)', '%s' ],
    [ 'tdigest_union_agg(t)', $tdigest ],
    [ 'tdigest_union_percentile_agg(t, 0.9)', 'round(%s::numeric / 200)' ],
    [ "tdigest_union_percentiles_agg(t, '{0.1,0.9}'::float8[])", 'round((%s)[2]::numeric / 200)' ],
    [ 'roaring_union_agg(r)', $bytes ],
    [ 'roaring_intersection_agg(r)', $bytes ],
    [ 'roaring_xor_agg(r)', $bytes ],
    [ 'roaring_union_cardinality_agg(r)', '%s' ],
    [ 'roaring_intersection_cardinality_agg(r)', '%s' ],
    [ 'roaring_xor_cardinality_agg(r)', '%s' ],
    [ 'roaring64_union_agg(r64)', $bytes ],
    [ 'roaring64_intersection_agg(r64)', $bytes ],
    [ 'roaring64_xor_agg(r64)', $bytes ],
    [ 'roaring64_union_cardinality_agg(r64)', '%s' ],
    [ 'roaring64_intersection_cardinality_agg(r64)', '%s' ],
    [ 'roaring64_xor_cardinality_agg(r64)', '%s' ],
    [ 'bitfield_or_agg(bf)', $bytes ],
    [ 'bitfield_and_agg(bf)', $bytes ],
    [ 'bitfield_xor_agg(bf)', $bytes ],
    [ 'bloom_union_agg(bl)', $bloom ],
    [ 'bloom_intersection_agg(bl)', $bytes ],
    [ 'cuckoo_union_agg(cu)', $cuckoo ],
    [ 'cuckoo_sum_agg(cu)', 'cuckoo_cardinality(%s)' ],
    [ 'cms_union_agg(cm)', $cms ],
    [ 'topk_union_agg(tk)', $topk ],
    [ 'theta_union_agg(th)', $bytes ],
    [ 'theta_union_cardinality_agg(th)', '%s' ],
    [ 'theta_intersection_agg(th)', $bytes ],
    [ '_rollup_moments_union(mo)', $moments ],
    [ 'ddsketch_union_agg(dd)', $bytes ],
    [ 'ddsketch_union_percentile_agg(dd, 0.9)', '%s' ],
    [ "ddsketch_union_percentiles_agg(dd, '{0.1,0.9}'::float8[])", '(%s)::text' ]);
# Their state is no value, so Citus sends the rows to the coordinator.
my @pulled = (
    "roaring_intersection_count_agg(r, page::text, '{1,2}')",
    "roaring64_intersection_count_agg(r64, page::text, '{1,2}')");

check_aggregate('visits', @$_) for @raw;
check_aggregate('rollup', @$_) for @rolled_up;
for my $call (@pulled)
{
    my $here = $node->safe_psql('postgres', "SELECT $call FROM rollup_here");
    is_query($node, "SELECT $call FROM rollup", $here, "$call, by the coordinator");
}

is_query($node, <<'SQL', 't|t|t', 'no member is lost on the way');
SELECT bool_and(bl @> item), bool_and(bu @> item), bool_and(cu @> item)
  FROM visits_here, (SELECT bloom_agg(item) AS bl, cuckoo_agg(item) AS cu FROM visits OFFSET 0) a,
       (SELECT bloom_union_agg(bl) AS bu FROM rollup OFFSET 0) b
SQL

# The lists above have all there are.
my %listed = map { ($_->[0] =~ /^(\w+)/)[0] => 1 } @raw, @rolled_up, map { [$_] } @pulled;
my @members = split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT DISTINCT p.proname FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid
 WHERE p.prokind = 'a' AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
SQL
is(join(' ', grep { !$listed{$_} } sort @members), '', 'no aggregate is left out');

# Over all rows, and by a group that is not the distribution column: parts of each group come from
# every shard.
sub check_aggregate
{
    my ($table, $call, $answer) = @_;
    my $is = sprintf $answer, 'a';
    my $all = "SELECT $is FROM (SELECT $call AS a FROM %s) s";
    my $grouped = "SELECT string_agg(page || ' ' || ($is), ', ' ORDER BY page)"
      . " FROM (SELECT page, $call AS a FROM %s GROUP BY page) s";
    for my $query ($all, $grouped)
    {
        my ($there, $here) =
          map { $node->safe_psql('postgres', sprintf $query, $_) } $table, "${table}_here";
        is($there, $here, $query eq $all ? $call : '... grouped');
    }
    my $plan = $node->safe_psql('postgres',
        "SET citus.explain_all_tasks = off; EXPLAIN (VERBOSE, COSTS OFF) SELECT $call FROM $table");
    like($plan, qr/Task Count: ${\SHARDS}\b.*worker_partial_agg\(/s, '... in parts on the workers');
    return;
}

# ---- inserted where the rows are -----------------------------------------------------------------

is_query($node, <<'SQL', 't', 'rollups are merged where they are');
INSERT INTO rollup (id, page, h) SELECT id, page, hll_agg(item + 100000) FROM visits WHERE id = 5
    GROUP BY id, page;
SELECT hll_cardinality(hll_union_agg(h)) BETWEEN 19000 AND 21000 FROM rollup;
SQL

# ---- rate limits by key --------------------------------------------------------------------------

# A function that is distributed by its argument, beside a table of tenants: every call for one
# tenant, from whatever node, runs on the node that has the tenant, and counts in one place.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE tenants (tenant text PRIMARY KEY);
SELECT create_distributed_table('tenants', 'tenant');
INSERT INTO tenants SELECT 'tenant ' || i FROM generate_series(1, 20) i;
CREATE FUNCTION allowed(tenant text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN (ratelimit_throttle(tenant, 4, 5, interval '1 day')).allowed;
END
$$;
SELECT create_distributed_function('allowed(text)', '$1', colocate_with => 'tenants');
SQL
my %granted;
for my $call (1 .. 4)
{
    for my $from (@nodes)
    {
        $granted{$_} += $from->safe_psql('postgres', "SELECT allowed('tenant $_')") eq 't'
          for 1 .. 5;
    }
}
is(join(' ', map { $granted{$_} } 1 .. 5), '5 5 5 5 5',
    'a limit of 5 by a distributed function: 5 of 12 calls from three nodes');
is_query($_, "SELECT count(*) > 0 FROM ratelimit_keys", $_ == $node ? 'f' : 't',
    '... counted by ' . $_->name)
  for @nodes;

# ---- what Citus refuses --------------------------------------------------------------------------

raises($node, '0A000', 'SELECT page, hll_agg(item) FROM visits GROUP BY GROUPING SETS ((page), ())',
    'GROUPING SETS over several shards');
is_query($node, <<'SQL', 't', '... over rollups that were pulled first they work');
WITH parts AS MATERIALIZED (SELECT page, hll_agg(item) AS h FROM visits GROUP BY page OFFSET 0)
SELECT count(*) = 7 FROM (
    SELECT page, hll_cardinality(hll_union_agg(h)) FROM parts GROUP BY GROUPING SETS ((page), ())) s
SQL

# The table of limits itself: its upsert asks for the time.
$node->safe_psql('postgres',
    "SELECT create_distributed_table('ratelimit_keys', 'key', colocate_with => 'none')");
raises($node, '0A000', "SELECT ratelimit_throttle('key', 4, 5, interval '1 day')",
    'ratelimit_keys as a distributed table');
$node->safe_psql('postgres', <<'SQL');
ALTER EXTENSION sketches DROP TABLE ratelimit_keys;
SELECT undistribute_table('ratelimit_keys');
ALTER EXTENSION sketches ADD TABLE ratelimit_keys;
SQL
is_query($node, "SELECT allowed FROM ratelimit_throttle('key', 4, 5, interval '1 day')",
    't', '... and the way back that doc/works-with.md tells');
is_query($node, <<'SQL', 't', '... after which the table belongs to the extension again');
SELECT EXISTS (SELECT FROM pg_depend WHERE objid = 'ratelimit_keys'::regclass AND deptype = 'e')
SQL

# ---- distributed by the hash of an item ----------------------------------------------------------

is_query($node, <<'SQL', '1000|500|500', 'hashed can be a distribution column');
CREATE TABLE by_hash (item hashed, n int);
SELECT create_distributed_table('by_hash', 'item') \gset
INSERT INTO by_hash SELECT i % 500, i FROM generate_series(1, 1000) i;
SELECT * FROM (SELECT count(*), count(DISTINCT item) FROM by_hash) a,
              (SELECT count(*) FROM (SELECT item FROM by_hash GROUP BY item) g) b;
SQL
raises($node, '42883', 'SELECT n FROM by_hash WHERE item = 7::bigint::hashed',
    '... by which no query can be routed');
done_testing();
