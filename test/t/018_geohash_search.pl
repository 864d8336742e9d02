# Searches by position in a large table: the index is read in a few places, and the plan survives
# what plans go through: another schema, dump and restore, workers, prepared statements.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Utils;
use Test::More;

use constant ROWS => 1_000_000;

my $node = new_server('geohash', schema => 'geo', conf => "shared_buffers = 128MB\n");

# Half of the positions are anywhere, half in one country, in the order of the index as CLUSTER
# leaves them. The extension's schema is in nobody's search_path.
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE place AS
    SELECT i AS id,
           geo.geohash(CASE i % 2 WHEN 0 THEN x * 360 - 180 ELSE 6 + x * 9 END,
                       CASE i % 2 WHEN 0 THEN degrees(asin(2 * y - 1)) ELSE 47 + y * 8 END) AS g
    FROM (SELECT i, (hashint8extended(i, 1) & 1048575) / 1048576.0::float8 AS x,
                 (hashint8extended(i, 2) & 1048575) / 1048576.0::float8 AS y
          FROM generate_series(1, ${\ROWS}) i) r
    ORDER BY g;
CREATE INDEX place_g ON place (g);
VACUUM ANALYZE place;
SQL

sub buffers_of
{
    my ($query, $settings) = @_;
    my $plan = $node->safe_psql('postgres',
        ($settings // '') . "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) $query");
    my ($line) = $plan =~ /Buffers: shared (.*)/;
    my $buffers = 0;
    $buffers += $1 while $line =~ /(?:hit|read)=(\d+)/g;
    my ($rows) = $plan =~ /actual rows=(\d+)/;
    return ($buffers, $rows, $plan);
}

my $search = 'SELECT id FROM place WHERE geo.geohash_within(g, %s, 8.5, \'km\')';
my $no_index = 'SET enable_bitmapscan = off; SET enable_indexscan = off; ';
my ($most, $least, $sequential) = (0, 1e9, 0);
for my $place ('13.4, 52.5', '9.99, 53.55', '11.58, 48.14', '7.1, 50.73', '11.25, 50.625')
{
    my ($buffers, $rows, $plan) = buffers_of(sprintf $search, $place);
    my ($all, $all_rows) = buffers_of(sprintf($search, $place), $no_index);
    like($plan, qr/BitmapOr/, "around $place by the index");
    is($rows, $all_rows, "... $rows rows, as without it");
    cmp_ok($rows, '>', 50, '... about 100') && cmp_ok($rows, '<', 400, '... about 100');
    $most = $buffers if $buffers > $most;
    $sequential = $all;
}
# 1/1000 of the sequential scan of ten times as many rows.
note "buffers: $most by the index at most, $sequential sequentially, of ${\ROWS} rows";
cmp_ok($most * 1000, '<=', $sequential * 10, 'a thousandth of the buffers, were it 10M rows');

# Parallel workers scan and search alike.
my $counts = <<'SQL';
SELECT count(*), sum(id) FROM place WHERE geo.geohash_within_box(g, 10, 50, 300, 200, 'km')
SQL
my $workers = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
  . 'SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; '
  . 'SET max_parallel_workers_per_gather = 2';
my $serial = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $counts");
like(plan_of($node, $workers, $counts), qr/Parallel Bitmap Heap Scan/, 'a parallel search');
is($node->safe_psql('postgres', "$workers; $counts"), $serial, '... finds the same');
like(plan_of($node, "$workers; $no_index", $counts), qr/Parallel Seq Scan/, 'a parallel scan');
is($node->safe_psql('postgres', "$workers; $no_index; $counts"), $serial, '... finds the same');

# A function's variables are parameters of its plan.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION near(lon float8, lat float8, radius float8) RETURNS bigint LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (SELECT count(*) FROM place WHERE geo.geohash_within(g, lon, lat, radius));
END
$$;
SQL
is_query($node, <<'SQL', 't', 'a generic plan finds the same, place by place');
SELECT bool_and(near(x, 50, 10000 * x) = (SELECT count(*) FROM place
                                          WHERE geo.geohash_within_exact(g, x, 50, 10000 * x)))
FROM generate_series(6, 12) x
SQL

# Dumped and restored: columns, checks, partial and expression indexes, views with searches in them.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE shop (
    id int PRIMARY KEY,
    at geo.geohash NOT NULL DEFAULT 'u33dc0cpnnqy'
        CHECK (geo.geohash_within(at, 10, 50, 900, 'km')),
    lon float8 GENERATED ALWAYS AS (geo.geohash_lon(at)) STORED
);
INSERT INTO shop SELECT row_number() OVER (ORDER BY id), g FROM place
    WHERE geo.geohash_within(g, 10, 50, 100, 'km');
INSERT INTO shop VALUES (0);
CREATE INDEX ON shop (at) WHERE geo.geohash_within_box(at, 10, 50, 50, 50, 'km');
CREATE INDEX ON shop (geo.geohash_to_redis(at));
CREATE VIEW near_ten AS SELECT id, at FROM shop WHERE geo.geohash_within(at, 10, 50, 20, 'km');
CREATE MATERIALIZED VIEW nearest AS
    SELECT id, at OPERATOR(geo.<->) geo.geohash(10, 50) AS metres FROM near_ten ORDER BY 2 LIMIT 20;
SQL
my $everything = <<'SQL';
SELECT md5(string_agg(s, ' ' ORDER BY s)) FROM (
    SELECT s::text FROM shop s UNION ALL SELECT v::text FROM near_ten v
    UNION ALL SELECT n::text FROM nearest n) t(s)
SQL
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-T', 'place', $node->connstr('postgres') ],
    'dumped');
$node->safe_psql('postgres', 'CREATE DATABASE again');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('again'), $dump ],
    'restored');
is_query($node, $everything, $node->safe_psql('postgres', $everything), '... the same',
    database => 'again');
raises($node, '23514', 'INSERT INTO shop VALUES (-1, geo.geohash(-80, 20))',
    '... and checked again', database => 'again');
$node->safe_psql('again', 'VACUUM ANALYZE shop');
like(
    $node->safe_psql('again', <<'SQL'), qr/shop_at_idx/, '... with its index of one search');
SET enable_seqscan = off;
EXPLAIN SELECT id FROM shop WHERE geo.geohash_within_box(at, 10, 50, 50, 50, 'km')
SQL

done_testing();
