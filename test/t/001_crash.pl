# Crashes with SIGKILL while sketches are built and rollups are written: what was committed is there
# and right after recovery, what was not is gone.
#
# The writer keeps a ledger beside the rollup, in the same transactions: which items it added where.
# So what a rollup has to hold can be computed again from what survived.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('crash', conf => <<'CONF');
restart_after_crash = on
synchronous_commit = on
max_parallel_workers_per_gather = 2
CONF

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rollup (page int PRIMARY KEY, visitors hll NOT NULL);
CREATE TABLE archive (batch int, visitors hll NOT NULL);
CREATE TABLE ledger (batch int PRIMARY KEY, page int, low bigint, high bigint);
CREATE INDEX ON archive USING hash (visitors);
CREATE SEQUENCE batches;

-- Page 0 is counted in steps of one and stays sparse, the others become dense and go out of line.
CREATE PROCEDURE work() LANGUAGE plpgsql AS $$
DECLARE
    b int;
    p int;
    items bigint;
BEGIN
    LOOP
        b := nextval('batches');
        p := b % 5;
        items := CASE p WHEN 0 THEN 1 ELSE 700 * p END;
        INSERT INTO ledger VALUES (b, p, b * 10000, b * 10000 + items - 1);
        INSERT INTO rollup
            SELECT p, hll_agg(i) FROM generate_series(b * 10000, b * 10000 + items - 1) i
            ON CONFLICT (page) DO UPDATE SET visitors = rollup.visitors | EXCLUDED.visitors;
        INSERT INTO archive SELECT b, visitors FROM rollup WHERE page = p;
        DELETE FROM archive WHERE batch <= b - 100;
        COMMIT;
        RAISE NOTICE 'committed %', b;
    END LOOP;
END $$;

CREATE TABLE facts AS SELECT i % 1000 AS g, i AS x FROM generate_series(1, 100000) i;
SQL

my $long_aggregation = <<'SQL';
SET application_name = 'aggregation';
SELECT a.g, hll_agg(a.x * b.x) FROM facts a, facts b GROUP BY a.g;
SQL

# Left open: a row of its own and a change of every page that must never be seen.
my $uncommitted = <<'SQL';
BEGIN;
INSERT INTO archive SELECT -1, hll_agg(i) FROM generate_series(1, 50000) i;
SET application_name = 'uncommitted';
SELECT pg_sleep(10000);
SQL

# Orphans go to process 1, which in a container may not ask for their status: a zombie is gone.
sub is_alive
{
    my ($pid) = @_;
    return 0 unless kill 0, $pid;
    open my $file, '<', "/proc/$pid/stat" or return 1;
    return <$file> !~ /\) [ZX] /;
}

my %crash = (
    'SIGKILL of the aggregating backend' => sub {
        my $before = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
        my $log_end = -s $node->logfile;
        kill 'KILL', $node->safe_psql('postgres',
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'aggregation'
             AND backend_type = 'client backend'");
        # The server ends all other sessions, recovers and accepts connections by itself. It also accepts
        # them until it notices.
        ok(wait_until(sub {
                PostgreSQL::Test::Utils::slurp_file($node->logfile, $log_end) =~
                  /ready to accept connections/
                  && $node->psql('postgres', 'SELECT 1 FROM rollup LIMIT 1') == 0;
            }),
            '... the server comes back by itself');
        is_query($node, 'SELECT pg_postmaster_start_time()', $before, '... it is the same server');
    },
    'immediate stop' => sub {
        $node->stop('immediate');
        $node->start;
    },
    'SIGKILL of all processes' => sub {
        my @pids = split /\n/, $node->safe_psql('postgres',
            'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
        $node->kill9;
        kill 'KILL', @pids;
        ok(wait_until(sub { !grep { is_alive($_) } @pids }), '... nothing of it is left');
        # A parallel worker that began after the list was made lives until it misses the postmaster.
        ok(wait_until(sub { $node->start(fail_ok => 1) }), '... it starts again');
    });

for my $how (sort keys %crash)
{
    note $how;
    my $log_end = -s $node->logfile;
    my $writer = start_psql($node, 'CALL work();');
    my @readers = map { start_psql($node, $_) } $uncommitted, $long_aggregation;
    my $all_busy = wait_until(sub {
        $writer->{run}->pump_nb;
        return 20 < (() = $writer->{err} =~ /committed/g)
          && $node->safe_psql('postgres',
            "SELECT count(DISTINCT application_name) FROM pg_stat_activity
             WHERE application_name IN ('uncommitted', 'aggregation') AND state = 'active'") == 2;
    });
    ok($all_busy, "$how: comes in the middle of writing and aggregating");
    $crash{$how}->();
    ok(!finish_psql($writer), '... the writer was cut off');
    ok(!finish_psql($_), '... a reader was cut off') for @readers;
    like(PostgreSQL::Test::Utils::slurp_file($node->logfile, $log_end),
        qr/automatic recovery in progress/, '... the server recovered');

    my @committed = $writer->{err} =~ /committed (\d+)/g;
    is_query($node,
        "SELECT count(*) FROM unnest(ARRAY[@{[ join ',', @committed ]}]) c
         WHERE c NOT IN (SELECT batch FROM ledger)",
        0, '... all ' . @committed . ' batches known to be committed are there');
    is_query($node, 'SELECT count(*) FROM archive WHERE batch = -1', 0,
        '... what was not committed is not');
    check_values();
}

sub check_values
{
    is_query($node, <<'SQL', 't|t', '... every page holds what the ledger says, no more, no less');
WITH expected AS (
    SELECT page, hll_agg(i) AS visitors
    FROM ledger, generate_series(low, high) i GROUP BY page
)
SELECT count(*) = 5,
       bool_and(coalesce(r.visitors::bytea = e.visitors::bytea
           AND hll_cardinality(r.visitors) = hll_cardinality(e.visitors), false))
FROM rollup r FULL JOIN expected e USING (page);
SQL
    is_query($node, <<'SQL', 'sparse,dense', '... both encodings are among them');
SELECT string_agg(DISTINCT encoding, ',' ORDER BY encoding DESC)
FROM rollup, hll_info(visitors);
SQL
    is_query($node, <<'SQL', 't', '... every stored sketch is valid');
SELECT bool_and(v::bytea::hll = v AND hll_cardinality(v) = hll_cardinality(v | hll_empty())
                AND v::text::hll::bytea = v::bytea)
FROM (SELECT visitors FROM rollup UNION ALL SELECT visitors FROM archive) s (v);
SQL
    my $lookup = <<'SQL';
SELECT count(*) FROM ledger l JOIN rollup r USING (page)
WHERE l.batch = (SELECT max(batch) FROM ledger WHERE page = l.page)
  AND NOT EXISTS (SELECT FROM archive a WHERE a.visitors = r.visitors AND a.batch = l.batch);
SQL
    my $indexed = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';
    like(plan_of($node, $indexed, $lookup), qr{archive_visitors_idx}, '... and the index is used');
    is_query($node, "$indexed; $lookup", 0, '... which finds them');
    return;
}

done_testing();
