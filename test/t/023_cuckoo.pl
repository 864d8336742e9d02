# Stored filters: a probe of a large one reads a few places of it, whatever is asked and however cold
# the server is; what was added and deleted is there after a crash.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('cuckoo', conf => "max_parallel_workers_per_gather = 0\n");

# Rows are short: every filter lies out of line, 10 MB of them in more than 5,000 chunks.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE filters (n int, f cuckoo);
INSERT INTO filters SELECT 10000, cuckoo_agg(i) FROM generate_series(1, 10000) i;
INSERT INTO filters SELECT 5000000, cuckoo_agg(i) FROM generate_series(1, 5000000) i;
VACUUM (FREEZE) filters;
SQL
is_query($node, <<'SQL', 't|t', 'a filter of 10 MB');
SELECT pg_column_size(f) > 10000000, 5000 < (
    SELECT reltuples FROM pg_class t WHERE t.oid =
        (SELECT reltoastrelid FROM pg_class c WHERE c.relname = 'filters'))
FROM filters WHERE n = 5000000
SQL
$node->restart;

# Buffers of all sorts that the scan took, by probes in one session. The first of the small filter
# fills the caches of the catalog.
sub buffers_of
{
    my (@expressions) = @_;
    my $plans = $node->safe_psql('postgres', join "\n", map { <<"SQL" } @expressions);
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT @{$_};
\\echo next
SQL
    return map {
        my ($buffers) = /Seq Scan.*?\n(?:.*Filter.*\n)*\s*Buffers: shared ([^\n]*)/;
        my $sum = 0;
        $sum += $1 while ($buffers // '') =~ /(?:hit|read)=(\d+)/g;
        $sum
    } split /^next$/m, $plans;
}

my $small = ['f @> 1 FROM filters WHERE n = 10000'];
my $header = ['cuckoo_cardinality(f) FROM filters WHERE n = 5000000'];
my @probes = map { ["f \@> @{[ $_ * 77773 ]} FROM filters WHERE n = 5000000"] } -32 .. 32;
my (undef, $of_header, @of_probes) = buffers_of($small, $header, @probes);
my (undef, $of_all) = buffers_of($small, ['f | f FROM filters WHERE n = 5000000']);
is(scalar @of_probes, 65, 'probes of members and of others');
# A page of the table, of the TOAST index its root and a leaf, and a chunk's page.
cmp_ok($of_header, '<=', 4, "the header: $of_header buffers");
my ($most) = sort { $b <=> $a } @of_probes;
# Once more: root and leaf, or two of them, and up to two pages with two chunks.
cmp_ok($most, '<=', $of_header + 5, "a probe: $most buffers at the most");
cmp_ok($most, '>', $of_header, '... more than the header');
cmp_ok($of_all, '>', 1000, "... of $of_all that the filter takes");

# Chunks, one by one.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION chunks_read(statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
    index oid := (SELECT indexrelid FROM pg_index WHERE indrelid =
        (SELECT reltoastrelid FROM pg_class WHERE oid = 'filters'::regclass));
BEGIN
    before := pg_stat_get_xact_tuples_fetched(index);
    EXECUTE statement;
    RETURN pg_stat_get_xact_tuples_fetched(index) - before;
END
$$;
SQL
is_query($node, <<'SQL', '1000|t|t', 'a thousand probes, three chunks each at the most');
SELECT count(*), min(read) >= 2, max(read) <= 3
FROM (SELECT chunks_read(format('SELECT f @> %s FROM filters WHERE n = 5000000', x * 7919)) AS read
      FROM generate_series(-500, 499) x) s
SQL

# ---- a crash ----

$node->safe_psql('postgres', <<'SQL');
CHECKPOINT;
UPDATE filters SET f = cuckoo_delete_all(cuckoo_add_all(f, ARRAY[-1, -1]), ARRAY[1, 2])
WHERE n = 10000;
SQL
my $stored = $node->safe_psql('postgres', 'SELECT n, md5(f::bytea) FROM filters ORDER BY n');
my $session = start_psql($node, <<'SQL');
BEGIN;
UPDATE filters SET f = cuckoo_empty() WHERE n = 10000;
SELECT 'open', pg_sleep(1000);
SQL
ok(wait_until(sub { $node->safe_psql('postgres', <<'SQL') == 1 }), 'a change that is not committed');
SELECT count(*) FROM pg_stat_activity WHERE query ~ 'pg_sleep' AND pid <> pg_backend_pid()
SQL
$node->stop('immediate');
eval { finish_psql($session) };
$node->start;
is_query($node, 'SELECT n, md5(f::bytea) FROM filters ORDER BY n', $stored,
    'after a crash: what was committed');
is_query($node, <<'SQL', '2|f|10000|t', '... added and deleted');
SELECT cuckoo_count(f, -1), cuckoo_count(f, 1) + cuckoo_count(f, 2) > 0, cuckoo_cardinality(f),
       (SELECT bool_and(f @> i) FROM generate_series(3, 10000) i)
FROM filters WHERE n = 10000
SQL

done_testing();
