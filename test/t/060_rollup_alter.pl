# The query of a rollup changes while sessions write, read, refresh and freeze: at every snapshot, also one from before the
# change, it equals the new query; frozen groups keep what they have, to the byte. ROLLUP_SECONDS=3600 runs it for an hour,
# ROLLUP_SEED repeats its choices.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use RollupClients qw(pick);
use SketchTest;
use POSIX ();
use Test::More;

use constant { WRITERS => 4, REFRESHERS => 2, READERS => 4 };

my $short = ($ENV{SAMPLE} // 1) > 1;
my $seconds = $ENV{ROLLUP_SECONDS} // ($short ? 6 : 20);
my $crashes = POSIX::floor($seconds / 180) || 1;
my $seed = $ENV{ROLLUP_SEED} // time;
my $node = new_server('alter', conf => "autovacuum = on\nautovacuum_naptime = 1s\nmax_prepared_transactions = 20\nmax_connections = 40\n");
my $clients = RollupClients->new($node, $seed);

# Of two tables, one of them partitioned; `shown` is computed of parts. The first days are frozen, and their rows are gone.
my @ROLLUPS = ([ 'plain', 'events' ], [ 'parts', 'parted' ], [ 'rows', 'parted' ], [ 'shown', 'events' ]);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE events (id int PRIMARY KEY, at timestamp NOT NULL, country text, visitor int NOT NULL, ms int);
CREATE TABLE parted (id int, at timestamp NOT NULL, country text, visitor int NOT NULL, ms int, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2026-01-19');
CREATE TABLE part2 (ms int, country text, id int NOT NULL, at timestamp NOT NULL, visitor int NOT NULL, UNIQUE (id, at));
ALTER TABLE parted ATTACH PARTITION part2 FOR VALUES FROM ('2026-01-19') TO ('2026-02-01');
INSERT INTO events SELECT i, '2026-01-10'::timestamp + i % 14 * interval '1 day' + i % 3 * interval '5 hours', (ARRAY['DE', 'FR', NULL])[1 + i % 3], i % 97, i % 50 FROM generate_series(1, 900) AS i;
INSERT INTO parted TABLE events;
CREATE ROLE reader;
SQL
# Each alteration takes any of these, under a name that says its type.
my %AGGREGATES = (requests => ['count(*)'], users => [ 'hll_agg(visitor)', 'hll_agg(visitor, 11)' ]);
my %MORE = (total => [ 'sum(ms)', 'sum(ms) FILTER (WHERE ms > 10)' ], most => ['max(ms)'], highest => ['max(ms)'], slow => ['count(*) FILTER (WHERE ms > 25)'],
    late => ['count(*) FILTER (WHERE ms > 25)'], sketch => ['ddsketch_agg(ms)']);
# Computed of parts, which are kept for as long as one of them needs them; `shown` always has some.
my %COMPUTED = (mean => [ 'avg(ms)', 'round(avg(ms), 1)', 'avg(ms) FILTER (WHERE ms > 10)' ], spread => [ 'stddev(ms)', 'stddev_pop(ms)' ], people => ['hll_cardinality(hll_agg(visitor))'],
    share => [ 'round(100.0 * sum(ms) / nullif(count(*), 0), 3)', 'greatest(max(ms), 7) / (1.0 + count(ms))' ], twice => ['2 * count(*)']);
sub query
{
    my ($name, $table) = @_;
    my %columns = (%AGGREGATES, map { $_ => $MORE{$_} } grep { rand() < 0.5 } keys %MORE);
    %columns = (%columns, mean => $COMPUTED{mean}, map { $_ => $COMPUTED{$_} } grep { rand() < 0.5 } keys %COMPUTED) if $name eq 'shown' || rand() < 0.2;
    my @columns = map { pick(@{ $columns{$_} }) . " AS $_" } sort { rand() <=> 0.5 } keys %columns;
    my $having = $name eq 'shown' ? pick('', ' HAVING count(*) > 1', ' HAVING avg(ms) > 20 OR max(visitor) > 50') : '';
    return "SELECT date_trunc('hour', at) AS hour, country, " . join(', ', @columns) . " FROM $table" . pick('', '', '', ' WHERE visitor < 80') . " GROUP BY 1, 2$having";
}

# What has all groups, those too that HAVING hides.
sub kept { return $_[0] eq 'shown' ? 'shown_parts' : $_[0] }

for (@ROLLUPS)
{
    my ($name, $table) = @$_;
    $node->safe_psql('postgres', sprintf <<'SQL', $name, query($name, $table), $name eq 'rows' ? 'true' : 'false', kept($name));
SELECT rollup_create('%1$s', $q$%2$s$q$, each_row => %3$s);
CREATE VIEW written_%1$s AS %2$s;
SELECT rollup_refresh('%1$s');
SELECT rollup_freeze('%1$s', '2026-01-14');
GRANT SELECT ON %1$s TO reader;
COMMENT ON VIEW %1$s IS 'mine';
CREATE TABLE frozen_%1$s AS SELECT md5(string_agg(concat_ws(',', hour, country, requests, users::bytea), ';' ORDER BY hour, country)) AS bytes FROM %4$s WHERE hour < '2026-01-14';
SQL
}
$node->safe_psql('postgres', "DELETE FROM $_ WHERE at < '2026-01-14'") for qw(events parted);

sub moment { return sprintf "'2026-01-%02d %02d:%02d'", 14 + rand 10, 5 * int(rand 4), rand 60 }

sub country { return pick("'DE'", "'FR'", 'NULL', 'NULL', "'BR'") }

sub row { return sprintf '(%d, %s, %s, %d, %s)', 1 + rand 900, moment(), country(), rand 97, rand() < 0.1 ? 'NULL' : int rand 50 }

sub some { return sprintf 'id BETWEEN %d AND %1$d + %d', 1 + rand 900, rand 8 }

sub change
{
    my $table = pick(qw(events parted));
    my $kind = rand;
    my $rows = join ', ', map { row() } 1 .. pick(1, 1, 3, 20);
    return "INSERT INTO $table (id, at, country, visitor, ms) VALUES $rows ON CONFLICT DO NOTHING;" if $kind < 0.5;
    return "UPDATE $table SET at = " . moment() . ', visitor = (visitor + 1) % 97 WHERE ' . some() . ';' if $kind < 0.6;
    return "UPDATE $table SET ms = (ms + 7) % 50 WHERE " . some() . ';' if $kind < 0.75;
    return "DELETE FROM $table WHERE " . some() . ';' if $kind < 0.97;
    return "TRUNCATE $table;" if $kind < 0.972;
    return "WITH gone AS (DELETE FROM $table WHERE " . some() . " RETURNING *) INSERT INTO $table (id, at, country, visitor, ms) SELECT id + 1000, at, country, visitor, ms FROM gone ON CONFLICT DO NOTHING;";
}

my $prepared = 0;

sub transaction
{
    my ($client) = @_;
    return change() if rand() < 0.5;
    my @parts = 'BEGIN ISOLATION LEVEL ' . pick('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE') . ';';
    for (1 .. 1 + rand 3)
    {
        push @parts, change();
        push @parts, 'SAVEPOINT s;', change(), pick('ROLLBACK TO s;', 'RELEASE s;') if rand() < 0.3;
        push @parts, 'SELECT pg_sleep(0.05);' if rand() < 0.1;
    }
    my $name = "'$client." . $prepared++ . "'";
    push @parts, rand() < 0.08 ? ("PREPARE TRANSACTION $name;", pick("COMMIT PREPARED $name;", "ROLLBACK PREPARED $name;")) : rand() < 0.15 ? 'ROLLBACK;' : 'COMMIT;';
    return join "\n", @parts;
}

sub refresh
{
    my $rollup = pick(@ROLLUPS)->[0];
    my $kind = rand;
    return "VACUUM ${rollup}_" . pick('log', 'rows') . ';' if $kind < 0.05;
    return "SELECT rollup_repair('$rollup');" if $kind < 0.07;
    return "SELECT rollup_freeze('$rollup', '" . pick('2026-01-14', '2026-01-14', '2026-01-15') . "');" if $kind < 0.1;
    return 'SELECT l.problem, s.uncomputed FROM rollup_list() AS l, rollup_status(rollup) AS s;' if $kind < 0.15;
    return "SELECT rollup_refresh('$rollup', " . moment() . ');' if $kind < 0.4;
    return "BEGIN; SELECT rollup_refresh('$rollup'); ROLLBACK;" if $kind < 0.45;
    return "SELECT pg_sleep(0.2); SELECT rollup_refresh('$rollup');";
}

sub alteration
{
    my ($rollup, $table) = @{ pick(@ROLLUPS) };
    my $query = query($rollup, $table);
    return join "\n", 'SELECT pg_sleep(0.3);', "SET lock_timeout = '3s';", 'BEGIN;', ('DROP VIEW IF EXISTS dash;') x (rand() < 0.8), "SELECT rollup_alter('$rollup', \$q\$$query\$q\$) \\gset a_",
      "DROP VIEW written_$rollup; CREATE VIEW written_$rollup AS $query;",
      ("CREATE VIEW dash AS SELECT hour, requests FROM $rollup;") x (rand() < 0.2), pick(('COMMIT;') x 5, 'ROLLBACK;'), "\\if :{?a_rollup_alter}\nSELECT 'altered';\n\\unset a_rollup_alter\n\\endif";
}

sub comparison
{
    my ($rollup) = @_;
    my ($a, $b) = map { "SELECT to_jsonb(r)::text FROM $_ AS r WHERE hour >= (SELECT frozen FROM ${rollup}_state)" } $rollup, "written_$rollup";
    return "SELECT 'VIOLATION $rollup ' || count(*) || ' ' || string_agg(left(d::text, 200), '; ') FROM (($a EXCEPT ALL $b) UNION ALL ($b EXCEPT ALL $a)) AS d HAVING count(*) > 0;";
}

sub frozen
{
    my ($rollup) = @_;
    return "SELECT 'VIOLATION frozen $rollup' FROM @{[ kept($rollup) ]} WHERE hour < '2026-01-14' HAVING md5(string_agg(concat_ws(',', hour, country, requests, users::bytea), ';' ORDER BY hour, country)) <> (SELECT bytes FROM frozen_$rollup);";
}

sub reading
{
    my $rollup = pick(@ROLLUPS)->[0];
    my @parts = 'BEGIN ISOLATION LEVEL ' . pick('READ COMMITTED', 'REPEATABLE READ', 'REPEATABLE READ', 'SERIALIZABLE') . ';';
    # A transaction that is older than a TRUNCATE sees neither the rows nor the log.
    push @parts, 'LOCK TABLE events, parted IN ACCESS SHARE MODE;';
    push @parts, 'SET LOCAL ' . pick('enable_hashagg', 'enable_nestloop', 'enable_hashjoin', 'enable_mergejoin', 'enable_seqscan') . ' = off;' if rand() < 0.2;
    # A snapshot that is older than a change.
    push @parts, 'SELECT count(*) FROM frozen_plain WHERE false;', 'SELECT pg_sleep(' . pick(0.1, 0.4, 1) . ');' if rand() < 0.35;
    return join "\n", @parts, comparison($rollup), "\\if :ERROR\n\\else\nSELECT 'compared';\n\\endif", frozen($rollup), 'COMMIT;';
}

# Serialization, deadlocks and the like, lock timeouts, columns and views that others depend on, and a view that was made again
# after it was named; what would be wrong in frozen groups.
my $EXPECTED = '(?:3B001|40001|40P01|25P02|42704|25P01|55006|25001|23505|57P01|57P02|57P03|55P03|2BP01|42P07|42P16)|42809(?=: \S+ is not a rollup)|0A000(?=: frozen groups)';

sub judge
{
    my ($name) = @_;
    $clients->judge($name, $EXPECTED);
    my $altered = () = $clients->output("$name-alterer*.out") =~ /altered/g;
    note "$name: $altered alterations";
    cmp_ok($altered, '>', 2, "$name: queries changed") if $name eq 'mix';
    return;
}

sub all_equal
{
    my ($name) = @_;
    for my $rollup (map { $_->[0] } @ROLLUPS)
    {
        is_query($node, comparison($rollup) . frozen($rollup), '', "$name: $rollup");
        $node->safe_psql('postgres', "SELECT rollup_refresh('$rollup')");
        is_query($node, comparison($rollup) . frozen($rollup) . "SELECT count(*) FROM ${rollup}_log WHERE mark < 4; SELECT uncomputed, problem FROM rollup_status('$rollup'); SELECT count(*) FROM rollup_check('$rollup')",
            "0\n|\n0", "$name: $rollup, refreshed");
        is_query($node, "SELECT has_table_privilege('reader', '$rollup', 'SELECT'), obj_description('$rollup'::regclass)", 't|mine', "$name: what belongs to $rollup");
        my $came = $node->safe_psql('postgres', "SELECT string_agg(attname, ', ') FROM pg_attribute WHERE attrelid = '$rollup'::regclass AND attname IN ('most', 'highest', 'slow', 'late', 'sketch', 'mean', 'spread') AND (SELECT to_jsonb(s) -> 'since' FROM ${rollup}_state AS s) ?| ARRAY[attname, attname || '_count', attname || '_squares']");
        is_query($node, "SELECT count(*) FROM $rollup WHERE hour < '2026-01-14' AND num_nonnulls($came) > 0", '0', "$name: frozen groups of $rollup do not know what came") if $came;
    }
    return;
}

$clients->storm(
    $seconds, $crashes,
    clients => [ [ writer => WRITERS, \&transaction ], [ refresher => REFRESHERS, \&refresh ], [ reader => READERS, \&reading ], [ alterer => 1, \&alteration ] ],
    judge => \&judge,
    equal => \&all_equal);

# What is stored for all who read is read as ever.
for my $rollup (map { $_->[0] } @ROLLUPS)
{
    $node->safe_psql('postgres', "SELECT rollup_refresh('$rollup')") for 1, 2;
    ok($node->poll_query_until('postgres', "SELECT rollup_refresh('$rollup') IS NOT NULL AND to_regclass('${rollup}_live') IS NULL"), "$rollup settles");
    is_query($node, comparison($rollup) . frozen($rollup) . "SELECT problem FROM rollup_status('$rollup'); SELECT count(*) FROM rollup_check('$rollup')", "\n0", "... and equals its query");
}

# Who waits for a change goes on with what there is after it, and nobody keeps what another one waits for.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE queued (at timestamp NOT NULL, x int);
INSERT INTO queued SELECT '2026-01-01'::timestamp + i * interval '1 hour', i FROM generate_series(1, 100) AS i;
SELECT rollup_create('low', $$SELECT date_trunc('hour', at) AS hour, count(*) AS n, max(x) AS x FROM queued GROUP BY 1$$);
SELECT rollup_create('middle', 'SELECT hour::date AS day, sum(n) AS n FROM low GROUP BY 1');
SELECT rollup_create('top', $$SELECT date_trunc('week', day::timestamp) AS week, sum(n) AS n FROM middle GROUP BY 1$$);
SELECT rollup_refresh('top');
SQL

sub queue_up
{
    my ($rollup, @statements) = @_;
    my $reader = $node->background_psql('postgres');
    $reader->query_safe("BEGIN; SELECT count(*) FROM $rollup;");
    my @waiting;
    for my $statement (@statements)
    {
        push @waiting, start_psql($node, "$statement;");
        my $count = @waiting;
        ok($node->poll_query_until('postgres', "SELECT count(DISTINCT pid) >= $count FROM pg_locks WHERE NOT granted"), "waits: $statement");
    }
    $reader->query_safe('COMMIT;');
    $reader->quit;
    finish_psql($_) for @waiting;
    is(join('', map { $_->{err} } @waiting), '', "... and all go on, when the reader of $rollup does");
    is_query($node, "SELECT count(*) FROM rollup_list() AS l, rollup_check(l.rollup) WHERE l.rollup::text ~ '^(low|middle|top)\$'", '0', '... and nothing differs');
    return;
}
my $low = q{SELECT date_trunc('hour', at) AS hour, count(*) AS n};
queue_up('low', "SELECT rollup_alter('low', \$\$$low, max(x) AS x, min(x) AS least FROM queued GROUP BY 1\$\$)", q{SELECT rollup_refresh('top')});
queue_up('middle', q{SELECT rollup_alter('middle', 'SELECT hour::date AS day, sum(n) AS n, max(n) AS most FROM low GROUP BY 1')}, q{SELECT rollup_refresh('top')});
$node->safe_psql('postgres', q{SELECT rollup_drop('top'), rollup_drop('middle')});
queue_up('low', "SELECT rollup_alter('low', \$\$$low FROM queued GROUP BY 1\$\$)", "SELECT rollup_alter('low', \$\$SELECT date_trunc('hour', at) AS hour, max(x) AS x FROM queued GROUP BY 1\$\$)",
    q{SELECT rollup_refresh('low')}, q{SELECT rollup_freeze('low', '2026-01-02')}, q{SELECT rollup_status('low')});

# A snapshot of before a column was stored finds it, as long as somebody has one.
{
    my $before = $node->background_psql('postgres');
    $before->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
    $node->safe_psql('postgres', q{SELECT rollup_alter('low', $$SELECT date_trunc('hour', at) AS hour, max(x) AS x, min(x) AS least FROM queued GROUP BY 1$$)});
    $node->safe_psql('postgres', q{SELECT rollup_refresh('low')}) for 1 .. 3;
    is($before->query_safe(q{SELECT count(*) FROM low WHERE least IS DISTINCT FROM x AND hour >= '2026-01-02'}), '0', 'by an older snapshot, a column is what it is');
    $before->quit;
}

# A refresh neither waits for a transaction that writes, nor keeps it from reading, when it has the view read what is stored again.
$node->safe_psql('postgres', q{SELECT rollup_refresh('low')});
{
    my $writer = $node->background_psql('postgres');
    $writer->query_safe(q{BEGIN; INSERT INTO queued VALUES ('2026-01-03', 1000);});
    is_query($node, q{SET lock_timeout = '5s'; SELECT rollup_refresh('low'); SELECT to_regclass('low_live')}, "0\n", 'nobody is waited for');
    $writer->query_safe('SELECT count(*) FROM low; COMMIT;');
    $writer->quit;
}

done_testing();
