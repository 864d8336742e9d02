# Rollups equal their queries at every snapshot, beside writers of every kind, refreshes, freezes and repairs, and after
# crashes. ROLLUP_SECONDS=3600 runs it for an hour, ROLLUP_SEED repeats its choices.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use RollupClients;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;

use constant { WRITERS => 8, REFRESHERS => 2, READERS => 3 };

my $short = ($ENV{SAMPLE} // 1) > 1;
my $seconds = $ENV{ROLLUP_SECONDS} // ($short ? 6 : 20);
my $crashes = POSIX::floor($seconds / 180) || ($short ? 1 : 2);
my $seed = $ENV{ROLLUP_SEED} // time;
my $node = new_server('rollups', conf => "autovacuum = on\nautovacuum_naptime = 1s\nmax_prepared_transactions = 20\nmax_connections = 40\n");
my $version = major_version();
my $clients = RollupClients->new($node, $seed);

# Two tables, one of them partitioned, with a few hours and pages, so that everything meets.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE visits (id int PRIMARY KEY, at timestamp NOT NULL, page text, visitor int NOT NULL, ms float8, note text);
CREATE TABLE parted (id int, at timestamp NOT NULL, page text, visitor int NOT NULL, ms float8, note text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM ('2026-03-01') TO ('2026-03-01 06:00');
CREATE TABLE part2 PARTITION OF parted FOR VALUES FROM ('2026-03-01 06:00') TO ('2026-03-02');
SELECT rollup_create('hourly', $$SELECT date_trunc('hour', at) AS hour, page, count(*) AS requests, sum(visitor) AS visitors,
    min(ms), max(id), hll_agg(visitor) AS users FROM visits GROUP BY 1, 2$$);
SELECT rollup_create('pages', $$SELECT coalesce(page, '') AS page, count(*) FILTER (WHERE ms > 20) AS slow, roaring_agg(visitor) AS users
    FROM visits WHERE visitor < 400 GROUP BY 1$$);
SELECT rollup_create('parts', $$SELECT date_trunc('hour', at) AS hour, page, count(*) AS requests, ddsketch_agg(ms) AS latency
    FROM parted GROUP BY 1, 2$$);
SELECT rollup_create('days', $$SELECT date_trunc('day', hour) AS day, sum(requests) AS requests, hll_union_agg(users) AS users
    FROM hourly_rows GROUP BY 1$$);
SQL

my @ROLLUPS = qw(hourly pages parts days);
my %COLUMNS = (hourly => 'hour, page, requests, visitors, min, max, users', pages => 'page, slow, users', parts => 'hour, page, requests, latency',
    days => 'day, requests, users', later => 'page, requests, visitors');

sub moment { return sprintf "'2026-03-01 %02d:%02d'", rand 12, rand 60 }

sub page { return rand() < 0.1 ? 'NULL' : "'/" . int(rand 5) . "'" }

sub row { return sprintf "(%d, %s, %s, %d, %s, 'x')", 1 + rand 900, moment(), page(), rand 500, rand() < 0.1 ? 'NULL::float8' : int rand 50 }

sub some { return sprintf 'id BETWEEN %d AND %1$d + %d', 1 + rand 900, rand 8 }

# A statement that changes a table.
sub change
{
    my ($table) = @_;
    my $target = $table eq 'parted' ? pick(qw(parted parted part1 part2)) : $table;
    my $key = $table eq 'parted' ? '(id, at)' : '(id)';
    my $rows = join ', ', map { row() } 1 .. pick(1, 1, 3, 20);
    my $kind = rand;
    return "INSERT INTO $table VALUES $rows ON CONFLICT $key DO NOTHING;" if $kind < 0.35;
    return 'INSERT INTO ' . "$table VALUES " . row() . " ON CONFLICT $key DO UPDATE SET page = excluded.page, visitor = excluded.visitor;" if $kind < 0.45;
    return "UPDATE $table SET at = " . moment() . ', visitor = visitor + 1 WHERE ' . some() . ';' if $kind < 0.55;
    return "UPDATE $target SET page = " . page() . ' WHERE ' . some() . ';' if $kind < 0.62;
    return "UPDATE $target SET note = note || 'y' WHERE " . some() . ';' if $kind < 0.66;
    return "DELETE FROM $target WHERE " . some() . ';' if $kind < 0.85;
    return "WITH gone AS (DELETE FROM $table WHERE " . some() . " RETURNING *) INSERT INTO $table SELECT id + 1000, at, page, visitor, ms, note FROM gone ON CONFLICT DO NOTHING;"
      if $kind < 0.88;
    return "DELETE FROM $table WHERE id > 900;" if $kind < 0.9;
    return "TRUNCATE $target;" if $kind < 0.903;
    # Moves rows to another partition, with and without other actions.
    return 'MERGE INTO parted AS t USING (SELECT DISTINCT id FROM parted WHERE ' . some() . ') AS s ON t.id = s.id' . pick('', ' WHEN MATCHED AND t.visitor < 0 THEN DELETE')
      . ' WHEN MATCHED THEN UPDATE SET at = ' . moment() . ', visitor = visitor + 1' . pick('', ' WHEN NOT MATCHED THEN INSERT VALUES (s.id, ' . moment() . ", '/m', 1, 1, 'm')") . ';'
      if $version >= 15 && $kind < 0.92;
    # Not from stdin: psql of PostgreSQL 13 takes what follows a COPY that is refused for statements.
    return sprintf q{COPY %s FROM PROGRAM 'printf "%d\t2026-03-01 0%d:30\t/c\t1\t5\tz\n"';}, $table, 1000 + rand 1e6, rand 10 if $kind < 0.93;
    return "DO \$\$ BEGIN INSERT INTO $table VALUES " . row() . "; INSERT INTO $table SELECT * FROM $table LIMIT 1; EXCEPTION WHEN unique_violation THEN NULL; END \$\$;" if $kind < 0.97;
    return "MERGE INTO $table AS t USING (VALUES " . row() . ") AS s (id, at, page, visitor, ms, note) ON t.id = s.id WHEN MATCHED AND s.visitor < 100 THEN DELETE WHEN MATCHED THEN UPDATE SET page = s.page WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.at::timestamp, s.page, s.visitor, s.ms, s.note);"
      if $version >= 15;
    return 'SELECT 1;';
}

my $prepared = 0;

sub transaction
{
    my ($client) = @_;
    my $table = pick(qw(visits visits parted));
    return change($table) if rand() < 0.5;
    my $level = pick('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE');
    my @parts = ("BEGIN ISOLATION LEVEL $level;");
    push @parts, 'SET LOCAL ' . setting() . ';', 'SET LOCAL ' . setting() . ';' if rand() < 0.3;
    # A snapshot that is older than what others do meanwhile.
    push @parts, 'SELECT count(*) FROM visits WHERE id = 0;', 'SELECT pg_sleep(0.05);' if rand() < 0.1;
    for (1 .. 1 + rand 3)
    {
        push @parts, change(pick($table, $table, 'visits', 'parted'));
        push @parts, 'SAVEPOINT s;', change($table), pick('ROLLBACK TO s;', 'RELEASE s;') if rand() < 0.3;
        push @parts, 'SELECT rollup_refresh(' . "'" . pick(@ROLLUPS) . "');" if $level eq 'READ COMMITTED' && rand() < 0.03;
    }
    if (rand() < 0.1)
    {
        my $name = "'$client." . $prepared++ . "'";
        push @parts, "PREPARE TRANSACTION $name;", pick("COMMIT PREPARED $name;", "ROLLBACK PREPARED $name;");
    }
    else
    {
        push @parts, rand() < 0.15 ? 'ROLLBACK;' : 'COMMIT;';
    }
    return join "\n", @parts;
}

sub refresh
{
    my $kind = rand;
    return 'SELECT rollup_repair(' . "'" . pick(@ROLLUPS) . "');" if $kind < 0.01;
    return 'SELECT problem FROM rollup_list();' if $kind < 0.015;
    return q{SELECT rollup_freeze('} . pick('hourly', 'parts') . q{', '2026-03-01 01:00');} if $kind < 0.02;
    return q{SELECT rollup_refresh('} . pick('hourly', 'parts') . "', " . moment() . ');' if $kind < 0.15;
    return 'VACUUM ' . pick('(ANALYZE) ', '') . pick(map { ("${_}_log", "${_}_rows") } @ROLLUPS) . ';' if $kind < 0.25;
    return q{BEGIN; SELECT rollup_refresh('hourly'); SELECT rollup_refresh('days'); } . pick('COMMIT;', 'ROLLBACK;') if $kind < 0.3;
    return q{SELECT rollup_refresh('} . pick(@ROLLUPS) . q{');};
}

# A difference between a rollup and its query, of groups that are not frozen. One statement: one snapshot.
sub comparison
{
    my ($rollup) = @_;
    my ($live, $columns) = (sub { '' }, $COLUMNS{$rollup});
    my $where = $rollup =~ /hourly|parts/ ? " WHERE hour >= (SELECT frozen FROM ${rollup}_state)" : '';
    my ($a, $b) = map { "SELECT $columns FROM $_$where" } $rollup, "${rollup}_query";
    return "SELECT 'VIOLATION $rollup ' || count(*) || ' ' || string_agg(left(regexp_replace(d::text, '[A-Za-z0-9+/=]{20,}', '<' || md5(d::text) || '>', 'g'), 200), '; ') FROM (($a EXCEPT ALL $b) UNION ALL ($b EXCEPT ALL $a)) AS d HAVING count(*) > 0";
}

sub reading
{
    my $rollup = pick(@ROLLUPS);
    my $query = comparison($rollup);
    my $counted = "SELECT 'compared';";
    # PostgreSQL finds partitions before it takes a snapshot: of one that is attached between these, the query reads nothing.
    $query = "BEGIN; LOCK TABLE parted IN SHARE UPDATE EXCLUSIVE MODE; $query; COMMIT" if $rollup eq 'parts';
    # A transaction that is older than a TRUNCATE sees neither the rows nor the log.
    return "$query;\n$counted";
}

# Partitions that come, with a refresh that takes them in, are written through the parent and directly, and go when they
# are empty.
sub partitions
{
    # A rollup that is younger than transactions that write the table afterwards.
    # (Only if it was made now: one that a deadlock kept from being dropped knows nothing of partitions that came and went.)
    return join "\n", '\\unset rollup_create', q{SELECT rollup_drop('later');},
      q{SELECT rollup_create('later', 'SELECT page, count(*) AS requests, sum(visitor) AS visitors FROM parted GROUP BY 1') \gset}, '\if :{?rollup_create}', 'SELECT pg_sleep(0.1);',
      comparison('later') . ';', q{SELECT rollup_refresh('later');}, 'SELECT pg_sleep(0.1);', comparison('later') . ';', '\endif', q{SELECT rollup_drop('later');}
      if rand() < 0.5;
    return join "\n", 'BEGIN;', 'CREATE TABLE part3 (LIKE part1 INCLUDING ALL);',
      "ALTER TABLE parted ATTACH PARTITION part3 FOR VALUES FROM ('2026-03-02') TO ('2026-03-03');", q{SELECT rollup_refresh('parts');}, 'COMMIT;',
      (map { "INSERT INTO " . pick('parted', 'part3') . ' VALUES (' . (2000 + int rand 50) . ", '2026-03-02 0" . int(rand 9) . ":00', '/p', 1, 2, 'p') ON CONFLICT DO NOTHING;" } 1 .. 20),
      "MERGE INTO parted AS t USING (SELECT DISTINCT id FROM parted WHERE id BETWEEN 2000 AND 2010) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = '2026-03-01 03:00';" x ($version >= 15),
      'DELETE FROM ' . pick('parted', 'part3') . " WHERE at >= '2026-03-02';", 'BEGIN;', 'LOCK TABLE part3 IN EXCLUSIVE MODE;', 'DELETE FROM part3;',
      q{SELECT rollup_refresh('parts');}, pick('DROP TABLE part3;', 'ALTER TABLE parted DETACH PARTITION part3; DROP TABLE part3;'), 'COMMIT;', 'DROP TABLE IF EXISTS part3;';
}

sub all_equal
{
    my ($name) = @_;
    for my $rollup (@ROLLUPS)
    {
        is_query($node, comparison($rollup), '', "$name: $rollup");
        $node->safe_psql('postgres', "SELECT rollup_refresh('$rollup')");
        is_query($node, comparison($rollup) . "; SELECT count(*) FROM ${rollup}_log WHERE mark < 4", '0', "$name: $rollup, refreshed");
        is_query($node, "SELECT count(*) FROM rollup_check('$rollup')", '0', "$name: rollup_check of $rollup");
    }
    return;
}

$clients->storm(
    $seconds, $crashes,
    clients => [ [ writer => WRITERS, \&transaction ], [ refresher => REFRESHERS, \&refresh ], [ reader => READERS, \&reading ], [ partitions => 1, \&partitions ] ],
    equal => \&all_equal);

done_testing();
