# Recipes of the pages in which many sessions write the same rows, run so. The statements are the pages'.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('overlap');

my %page = map { $_ => do { local (@ARGV, $/) = ("$FindBin::Bin/../../doc/$_"); <> } } qw(recipes.md rollups.md);

# The SQL blocks of a section.
sub section
{
    my ($page, $heading) = @_;
    my ($section) = $page{$page} =~ /^## \Q$heading\E\n(.*?)(?=^## |\z)/ms or die "no section $heading";
    return $section =~ /^```sql\n(.*?)^```$/msg;
}

# Runs the scripts at the same time; none may fail, be it by a deadlock.
sub overlap
{
    my ($what, @scripts) = @_;
    my @sessions = map { start_psql($node, $_) } @scripts;
    finish_psql($_) for @sessions;
    is(join('', map { $_->{err} } @sessions), '', "$what: no session fails");
}

# A statement many times, with a number in place of <n>.
sub repeated
{
    my ($count, $statement) = @_;
    return join "\n", map { $statement =~ s/<n>/$_/gr } 1 .. $count;
}

# ---- a rollup that a trigger keeps up to date, and that deletes make anew ----

$node->safe_psql('postgres', $_) for section('rollups.md', '2. Trigger with a transition table');
my ($deletes) = section('rollups.md', 'Deletes: recompute the groups they touch');
my ($recompute) = $deletes =~ /^(BEGIN;.*?^COMMIT;)$/ms or die 'no transaction';
$node->safe_psql('postgres', $deletes);

my $wrong = <<'SQL';
SELECT count(*) FROM hit_hour
  FULL JOIN (SELECT date_trunc('hour', at) AS hour, page, count(*) AS requests, hll_agg(visitor) AS visitors
               FROM hit GROUP BY 1, 2) AS r USING (hour, page)
 WHERE hit_hour.requests IS DISTINCT FROM coalesce(r.requests, 0) OR hit_hour.visitors IS DISTINCT FROM r.visitors
SQL
is_query($node, $wrong, '0', 'the rollup is that of the rows');

# A group is marked already when rows of it are deleted in a transaction that commits after the group was
# made anew.
{
    my $deleting = $node->background_psql('postgres');
    $node->safe_psql('postgres', q{DELETE FROM hit WHERE at = '2026-03-02 00:00:03'});
    $deleting->query_safe(q{BEGIN; DELETE FROM hit WHERE at = '2026-03-02 00:00:06';});
    $node->safe_psql('postgres', $recompute);
    $deleting->query_safe('COMMIT;');
    $deleting->quit;
    $node->safe_psql('postgres', $recompute);
    is_query($node, $wrong, '0', 'no mark of a running transaction is lost');
}

# Rows are inserted, but not committed, while their group is made anew.
{
    my ($inserting, $making) = map { $node->background_psql('postgres') } 1, 2;
    $node->safe_psql('postgres', q{DELETE FROM hit WHERE at = '2026-03-02 00:00:09'});
    $inserting->query_safe(q{BEGIN; INSERT INTO hit VALUES ('2026-03-02 00:00:09', '/0', 99999, 1);});
    $making->query_until(qr/begun/, "\\echo begun\n$recompute\n\\echo ended\n");
    $node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%LOCK TABLE%' AND pid <> pg_backend_pid()})
      or die 'the rollup is not locked';
    $inserting->query_safe('COMMIT;');
    $making->query_until(qr/ended/, "\n");
    $_->quit for $inserting, $making;
    is_query($node, $wrong, '0', 'no row of a running transaction is lost or counted twice');
}

# Many writers, deleters and jobs at once.
my $insert = q{INSERT INTO hit SELECT timestamp '2026-03-02' + i * interval '30 min', '/' || i % 3, <n>, 5
    FROM generate_series(0, 11) AS i ORDER BY i %s;};
overlap('writers, deletes and jobs',
    repeated(40, sprintf($insert, 'ASC')), repeated(40, sprintf($insert, 'DESC')),
    repeated(40, 'DELETE FROM hit WHERE visitor = 30 + <n>;'), repeated(40, 'DELETE FROM hit WHERE visitor = 31 + <n>;'),
    repeated(20, $recompute), repeated(20, $recompute));
$node->safe_psql('postgres', $recompute);
is_query($node, $wrong, '0', '... leave the rollup of the rows');

# ---- retention ----

my ($retention) = section('rollups.md', 'Retention and expiry');
my ($expire) = $retention =~ /^(BEGIN;.*?^COMMIT;)$/ms or die 'no transaction';
$node->safe_psql('postgres', $retention);
my $late = q{INSERT INTO hit SELECT timestamp '2026-03-02 03:00' + i * interval '1 min', '/' || i % 3, <n>, 5
    FROM generate_series(0, 99) AS i;};
overlap('expiry beside writers', repeated(30, $late), repeated(30, $late), repeated(30, $expire), repeated(30, $expire));
is_query($node, q{SELECT (SELECT sum(requests) FROM hit_day) + (SELECT sum(requests) FROM hit_hour)
    = (SELECT count(*) FROM hit)}, 't', '... counts each row in a day or an hour');

# ---- updates only where something changed ----

my ($try) = grep { /CREATE TABLE today/ } section('rollups.md', 'What a write costs');
my ($update) = $try =~ /^(UPDATE today AS t .*?;)$/ms or die 'no statement';
$node->safe_psql('postgres', $try);
my @adding = map { my $from = $_; $update =~ s/hll_try_add\(visitors, \d+\)/hll_try_add(visitors, $from + <n>)/r } 1000, 1020, 2000;
overlap('hll_try_add', map { repeated(40, $_) } @adding);
is_query($node, q{SELECT visitors = (SELECT hll_agg(i) FROM (SELECT generate_series(1, 4)
    UNION SELECT generate_series(1001, 1060) UNION SELECT generate_series(2001, 2040)) AS s(i)) FROM today},
    't', '... loses no item');

# ---- deduplication on ingest ----

$node->safe_psql('postgres', $_) for section('recipes.md', 'Deduplication on ingest');
my $ingest = q{SELECT ingest(ARRAY(SELECT ('m' || <n> * 10 + i, %d)::message FROM generate_series(1, 20) AS i));};
overlap('ingest', map { repeated(30, sprintf $ingest, $_) } 1 .. 3);
is_query($node, q{SELECT count(*), bool_and(ids @> id) FROM message, message_filter}, '313|t',
    '... keeps each message once and knows it');

# ---- a filter with many writers ----

my ($shards, $batch) = section('recipes.md', 'A filter with many writers');
$node->safe_psql('postgres', $_) for $shards, $batch;
($batch) = $batch =~ /\A(.*?;)$/ms;
my @batches = map { my $from = $_; $batch =~ s/generate_series\(1, 2000\)/generate_series($from + <n> * 500, $from + <n> * 500 + 2000)/r }
  10000, 10250;
overlap('shards', (map { repeated(10, $_) } @batches), map { repeated(60, "SELECT seen_add($_ + <n>);") } 5000, 5030);
is_query($node, q{SELECT count(*) FILTER (WHERE NOT seen_contains(i)) FROM (SELECT generate_series(5001, 5090)
    UNION ALL SELECT generate_series(10500, 17250)) AS s(i)}, '0', '... lose no item');

# ---- a rollup of latencies that survives DELETE ----

my ($latencies) = section('recipes.md', 'A rollup of latencies that survives DELETE');
$node->safe_psql('postgres', $latencies);
# Rows that move from minute to minute. Nobody else changes them: rows that several statements change can always deadlock.
$node->safe_psql('postgres', q{INSERT INTO call SELECT timestamp '2026-01-01' + i * interval '97 seconds', ms
    FROM generate_series(0, 30) AS i, (VALUES (2960), (5920)) AS v (ms)});
my $call_rows = q{INSERT INTO call SELECT timestamp '2026-01-01' + i * interval '97 seconds', i + <n> FROM generate_series(0, 30) AS i
    ORDER BY i %s;};
overlap('triggers that add and subtract',
    repeated(30, sprintf($call_rows, 'ASC')), repeated(30, sprintf($call_rows, 'DESC')),
    repeated(30, 'DELETE FROM call WHERE ms::int % 40 = <n>;'), repeated(30, 'DELETE FROM call WHERE ms::int % 37 = <n>;'),
    repeated(20, 'UPDATE call SET ms = ms + 1 WHERE ms::int % 43 = <n>;'),
    repeated(20, q{UPDATE call SET at = at + interval '7 min' WHERE ms = 2960;}),
    repeated(20, q{UPDATE call SET at = at - interval '7 min' WHERE ms = 5920;}));
is_query($node, q{SELECT count(*) FROM latency AS l FULL JOIN (SELECT date_trunc('minute', at) AS minute, ddsketch_agg(ms) AS ms
    FROM call GROUP BY 1) AS f USING (minute) WHERE l.ms <> coalesce(f.ms, ddsketch_empty()) OR l.ms IS NULL}, '0', '... leave the rollup of the rows');

# ---- periods that are made anew, and loads that are run again ----

$node->safe_psql('postgres', $_)
  for (section('rollups.md', 'Levels'))[0], section('rollups.md', '4. Recomputing periods'),
  section('rollups.md', 'Backfill and idempotent re-runs');
overlap('recompute and load',
    repeated(5, q{SELECT recompute('2026-03-01', '2026-03-02');}), repeated(5, q{SELECT recompute('2026-03-01 12:00', '2026-03-03');}),
    repeated(20, q{INSERT INTO visits VALUES ('2026-03-01 13:00', '/page/1', <n>);}),
    repeated(10, q{SELECT load('/1');}), repeated(10, q{SELECT load('/1'), load('/0');}));
$node->safe_psql('postgres', q{SELECT recompute('2026-03-01', '2026-03-03'), load('/1'), load('/0')});
is_query($node, q{SELECT (SELECT sum(requests) FROM visits_hour) = (SELECT count(*) FROM visits),
    (SELECT sum(requests) FROM load_day) = (SELECT count(*) FROM hit WHERE page IN ('/0', '/1'))}, 't|t',
    '... count each row once');

# ---- two limits at once ----

$node->safe_psql('postgres', (section('recipes.md', 'HTTP limits end to end'))[0]);
$node->safe_psql('postgres', 'CREATE TABLE answer (client text, status int)');
# Clients that share an address. A funnel lets one more through each minute.
overlap('limits', map { repeated(60, qq{INSERT INTO answer
    SELECT 'client' || <n> % 3, status FROM http_limit('client' || <n> % 3, '192.0.2.$_');}) } 1, 1, 2, 3);
is_query($node, q{SELECT count(*), bool_and(taken BETWEEN 3 AND 4)
    FROM (SELECT client, count(*) FILTER (WHERE status = 200) AS taken FROM answer GROUP BY client) AS s}, '3|t',
    '... let through what they are to');

done_testing();
