# postgres_fdw: two servers. What is sent to the remote one and what is computed here, seen in the
# plans, and answers that are those of a local table with the same rows.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $remote = new_server('remote', conf => "max_parallel_workers_per_gather = 0\n");
my $node = new_server('local', conf => "max_parallel_workers_per_gather = 0\n");
plan skip_all => 'no postgres_fdw here'
  if !$node->safe_psql('postgres',
    "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'");

# The same rows there and here.
my $rows = <<'SQL';
SELECT i AS id, i % 7 AS page, i % 1000 AS visitor, 'name ' || i % 300 AS name, i * 0.5 AS latency,
       geohash(-180 + (i * 7919) % 360000 / 1000.0, -80 + (i * 104729) % 160000 / 1000.0) AS place
  FROM generate_series(1, 20000) i
SQL
$remote->safe_psql('postgres', <<"SQL");
CREATE TABLE visits AS $rows;
CREATE INDEX ON visits (place);
CREATE TABLE rollup AS
    SELECT page, hll_agg(visitor) AS visitors, tdigest_agg(latency) AS latency,
           roaring_agg(visitor) AS ids, bloom_agg(visitor) AS seen, cuckoo_agg(visitor) AS there,
           cms_agg(name) AS often, topk_agg(name, 5) AS top
      FROM visits GROUP BY page;
VACUUM ANALYZE;
SQL
my $host = $remote->host;
my $port = $remote->port;
my $columns = 'id int, page int, visitor int, name text, latency numeric, place geohash';
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE visits AS $rows;
CREATE INDEX ON visits (place);
CREATE EXTENSION postgres_fdw;
CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'sketches');
CREATE USER MAPPING FOR CURRENT_USER SERVER there;
CREATE FOREIGN TABLE far ($columns) SERVER there OPTIONS (table_name 'visits');
CREATE FOREIGN TABLE far_rollup (page int, visitors hll, latency tdigest, ids roaring, seen bloom,
    there cuckoo, often cms, top topk) SERVER there OPTIONS (table_name 'rollup');
ANALYZE visits;
SQL

# What a plan sends.
sub sent
{
    my ($query) = @_;
    my $plan = $node->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) $query");
    return join "\n", $plan =~ /Remote SQL: (.*)/g;
}

# The query's condition is in what is sent, and the answer is that of the local table.
sub ships
{
    my ($condition, $like, $name) = @_;
    my $query = "SELECT count(*), sum(id) FROM %s WHERE $condition";
    like(sent(sprintf $query, 'far'), $like, "$name: sent");
    my ($far, $here) =
      map { $node->safe_psql('postgres', sprintf $query, $_) } qw(far visits);
    is($far, $here, '... and answered as here');
    unlike($here, qr/^0/, '... with rows');
    return;
}

# ---- conditions ----------------------------------------------------------------------------------

ships("geohash_within(place, 13.4, 52.5, 500000)",
    qr/geohash_between.*geohash_within_exact/, 'geohash_within in metres');
ships("geohash_within(place, 13.4, 52.5, 500, 'km')",
    qr/geohash_between.*geohash_within_exact/, 'geohash_within with a unit');
ships("geohash_within_box(place, 13.4, 52.5, 900, 900, 'km')",
    qr/geohash_between.*geohash_within_box_exact/, 'geohash_within_box with a unit');
ships("place >= 'u'::geohash AND place < 'v'::geohash",
    qr/place OPERATOR\(public\.>=\)/, 'comparison of geohashes');
ships("page = ANY (ARRAY[1, 2]) AND '{1,2,3,500}'::roaring \@> visitor",
    qr/OPERATOR\(public\.\@>\)/, 'membership of a roaring');

# ---- aggregates ----------------------------------------------------------------------------------

# [ aggregate, its answer of a sketch ]: the whole foreign table is aggregated there.
my @aggregates = (
    [ 'hll_agg(visitor)', 'hll_cardinality(%s)' ],
    [ 'tdigest_agg(latency::float8)', 'tdigest_count(%s)' ],
    [ 'roaring_agg(visitor)', 'roaring_cardinality(%s)' ],
    [ 'roaring64_agg(visitor)', 'roaring64_cardinality(%s)' ],
    [ 'bloom_agg(visitor)', 'bloom_cardinality(%s)' ],
    [ 'cuckoo_agg(visitor)', 'cuckoo_cardinality(%s)' ],
    [ 'cms_agg(name)', 'cms_total(%s)' ],
    [ 'topk_agg(name, 5)', 'topk_total(%s)' ],
    [ 'approx_count_distinct(visitor)', '%s' ],
    [ 'approx_median(latency::float8)', '%s' ]);

for my $case (@aggregates)
{
    my ($call, $answer) = @$case;
    my ($name) = $call =~ /^(\w+)/;
    like(sent("SELECT $call FROM far"), qr/^SELECT public\.$name\(/, "$name: sent as a whole");
    my $query = 'SELECT string_agg(page || \':\' || ' . sprintf($answer, 'a')
      . ", ' ' ORDER BY page) FROM (SELECT page, $call AS a FROM %s GROUP BY page) s";
    my ($far, $here) =
      map { $node->safe_psql('postgres', sprintf $query, $_) } qw(far visits);
    is($far, $here, '... grouped, with the answers of here');
}

# ---- partitions ----------------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE parts (id int, page int, visitor int, name text, latency numeric, place geohash)
    PARTITION BY LIST (page);
CREATE FOREIGN TABLE part_0 PARTITION OF parts FOR VALUES IN (0, 1, 2) SERVER there
    OPTIONS (table_name 'part_0');
CREATE FOREIGN TABLE part_1 PARTITION OF parts FOR VALUES IN (3, 4, 5, 6) SERVER there
    OPTIONS (table_name 'part_1');
SQL
$remote->safe_psql('postgres', <<'SQL');
CREATE TABLE part_0 AS SELECT * FROM visits WHERE page < 3;
CREATE TABLE part_1 AS SELECT * FROM visits WHERE page >= 3;
SQL
my $partitionwise = 'SET enable_partitionwise_aggregate = on';
my $by_page = 'SELECT page, hll_agg(visitor) AS v FROM parts GROUP BY page';
my $plan = plan_of($node, $partitionwise, $by_page);
is(() = $plan =~ /Foreign Scan/g, 2,
    'groups by the partition key: each partition is scanned there');
like($node->safe_psql('postgres', "$partitionwise; EXPLAIN (VERBOSE, COSTS OFF) $by_page"),
    qr/Remote SQL: SELECT [^\n]*hll_agg[^\n]*GROUP BY.*Remote SQL: SELECT [^\n]*hll_agg/s,
    '... and aggregated there');
is_query($node,
    "$partitionwise; SELECT (SELECT string_agg(v::text, ' ' ORDER BY page) FROM ($by_page) a)"
      . " = (SELECT string_agg(v::text, ' ' ORDER BY page)"
      . ' FROM (SELECT page, hll_agg(visitor) AS v FROM visits GROUP BY page) b)',
    't', '... with the bytes of here');

# ---- rollups that are there ----------------------------------------------------------------------

is_query($node, <<'SQL', '1000|20000|1000|t|t|20000|20000', 'remote rollups, united here');
SELECT hll_cardinality(hll_union_agg(visitors)), tdigest_count(tdigest_union_agg(latency)),
       roaring_cardinality(roaring_union_agg(ids)), bloom_union_agg(seen) @> 7, cuckoo_union_agg(there) @> 7,
       cms_total(cms_union_agg(often)), topk_total(topk_union_agg(top))
  FROM far_rollup WHERE page + random() < 10
SQL
like(sent('SELECT hll_union_agg(visitors) FROM far_rollup'), qr/^SELECT public\.hll_union_agg/,
    'a union of all of them is computed there');
is_query($node, <<'SQL', 't', 'sketches of both servers, united');
SELECT hll_cardinality(far.v | here.v) = 1500
  FROM (SELECT hll_union_agg(visitors) AS v FROM far_rollup) far,
       (SELECT hll_agg(i) AS v FROM generate_series(500, 1499) i) here
SQL

# ---- what is not sent ----------------------------------------------------------------------------

# A literal of type text has the local server's default collation; a value that is hashed here has
# none. doc/works-with.md says so.
unlike(sent("SELECT page FROM far_rollup WHERE seen \@> 'x'::text"), qr/\@>/,
    'a text that is hashed there: not sent');
like(sent("SELECT page FROM far_rollup WHERE seen \@> hashed('x'::text)"), qr/\@>/,
    '... its hash is');

done_testing();
