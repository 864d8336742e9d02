# A streaming replica: sketches written on the primary arrive byte for byte, and every query, serial
# and parallel, answers alike on the read-only standby.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $primary = new_server('primary', allows_streaming => 1, conf => "max_wal_senders = 4\n");
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# One value in every storage: in line up to a page, in line or out of line and compressed, out of
# line as the type has it. A page's visitors number 3 ^ page, so sparse and dense are among them.
$primary->safe_psql('postgres', <<'SQL');
CREATE TABLE facts AS
    SELECT p AS page, (i * 7919 + p) % 100000 AS visitor
    FROM generate_series(0, 10) p, generate_series(1, (3 ^ p)::int) i;
CREATE TABLE rollup (page int PRIMARY KEY, visitors hll);
INSERT INTO rollup SELECT page, hll_agg(visitor) FROM facts GROUP BY page;
CREATE TABLE stored (page int, main hll, extended hll, external hll, plain hll);
ALTER TABLE stored ALTER main SET STORAGE main, ALTER extended SET STORAGE extended,
    ALTER external SET STORAGE external, ALTER plain SET STORAGE plain;
INSERT INTO stored SELECT page, v, v, v, hll_reduce(v, 10)
    FROM rollup, LATERAL (SELECT visitors::bytea::hll) s (v);
-- Compressible: all registers are equal.
INSERT INTO stored SELECT 100 + r, v, v, v, v FROM generate_series(1, 20) r, LATERAL (
    SELECT hll_from_redis(decode('48594c4c01' || repeat('00', 11)
        || repeat(to_hex(131 + (r - 1) * 4), 4096), 'hex'))) s (v);
-- Changed and deleted rows are replayed too.
INSERT INTO rollup SELECT 50, hll_agg(i) FROM generate_series(1, 100000) i;
UPDATE rollup SET visitors = visitors | (SELECT hll_agg(i) FROM generate_series(1, 20000) i)
    WHERE page IN (1, 9);
DELETE FROM rollup WHERE page = 50;
CREATE INDEX ON rollup USING hash (visitors);
ALTER TABLE facts SET (parallel_workers = 2);
SQL
$primary->safe_psql('postgres', $_) for rows_of_types('replica', 'setup');
$primary->wait_for_catchup($standby);

is_query($standby, 'SELECT pg_is_in_recovery()', 't', 'the standby is one');
raises($standby, '25006', "SELECT ratelimit_window('key', 3, '1 day')", 'a limiter by key is refused');

sub same_on_both
{
    my ($name, $query, $expected) = @_;
    my $answer = $primary->safe_psql('postgres', $query);
    is_query($standby, $query, $answer, "$name: the same on both");
    like($answer, $expected, "$name: as it has to be");
    return;
}

same_on_both('bytes of the rollup',
    "SELECT count(*), string_agg(${\ sketch_bytes('visitors') }, ' ' ORDER BY page) FROM rollup",
    qr/^11\|/);
same_on_both('in line and out of line', <<'SQL', qr/^t\|t$/);
SELECT bool_or(length(visitors::bytea) < 100),
       (SELECT pg_relation_size(reltoastrelid) > 0 FROM pg_class WHERE relname = 'rollup')
       AND bool_or(length(visitors::bytea) > 2500)
FROM rollup
SQL
same_on_both('storage of a column', <<'SQL', qr/^\d\d\|t\|t\|t\|[0-9a-f]+$/);
SELECT count(*),
       bool_and(main::bytea = external::bytea AND extended::bytea = external::bytea),
       bool_and(hll_cardinality(main) = hll_cardinality(external) AND hll_cardinality(extended) = hll_cardinality(external)
                AND (main | extended) = external AND hll_info(extended) = hll_info(main)),
       bool_and(CASE WHEN page < 100 THEN hll_reduce(extended, 10) ELSE main END = plain),
       md5(string_agg(main::text || extended::text || external::text || plain::text, ' '
           ORDER BY page))
FROM stored
SQL
same_on_both('compressed values are among them', <<'SQL', qr/^t$/);
SELECT bool_or(pg_column_size(extended) < length(extended::bytea)) FROM stored
SQL
same_on_both('questions', <<'SQL', qr/^11\|(?:\d+\|){5}t$/);
SELECT count(*), sum(hll_cardinality(a.visitors)), sum((hll_bounds(a.visitors)).upper),
       sum(hll_intersection_cardinality(a.visitors, b.visitors)),
       sum(hll_cardinality(a.visitors | b.visitors)),
       (SELECT count(*) FROM rollup r, hll_registers(r.visitors)),
       bool_and(a.visitors::bytea::hll = a.visitors)
FROM rollup a JOIN rollup b ON b.page = (a.page + 1) % 11
SQL
same_on_both('aggregates', <<'SQL', qr/^[0-9a-f]{32}\|[0-9a-f]{32}\|\d+$/);
SELECT (SELECT md5(hll_union_agg(visitors)::bytea) FROM rollup),
       md5(hll_agg(visitor, 12)::bytea), approx_count_distinct(visitor) FROM facts
SQL
same_on_both(@$_) for rows_of_types('replica', 'same');
is_query($standby, <<'SQL', 't', 'a digest of a serial aggregate on the standby: the same bytes');
SET max_parallel_workers_per_gather = 0;
SELECT bool_and(d.t::bytea = l.packed::bytea)
FROM (SELECT page, tdigest_agg(visitor) AS t FROM facts GROUP BY page) d JOIN latency l USING (page)
WHERE page NOT IN (2, 9)
SQL

my $parallel = <<'SQL';
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off
SQL
my $query =
  'SELECT page, ' . sketch_bytes('hll_agg(visitor)') . ' FROM facts GROUP BY page ORDER BY 1';
my $plan = plan_of($standby, $parallel, $query, 1);
like($plan, qr/Finalize.*Partial/s, 'the standby aggregates in parallel');
ok(enough_workers($plan, 2), '... with 2 workers') || diag($plan);
is_query($standby, "$parallel; $query",
    $primary->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $query"),
    '... with the bytes of the serial aggregate on the primary');

raises($standby, '25006', 'INSERT INTO rollup SELECT 99, hll_empty()', 'the standby is read-only');

# After a failover the rollup goes on.
$primary->stop('immediate');
$standby->promote;
$standby->safe_psql('postgres',
    'UPDATE rollup SET visitors = visitors | (SELECT hll_agg(visitor) FROM facts) WHERE page = 3');
is_query($standby, <<'SQL', 't', 'the promoted standby updates the rollup');
SELECT visitors::bytea = (SELECT hll_agg(visitor)::bytea FROM facts) FROM rollup WHERE page = 3
SQL

done_testing();
