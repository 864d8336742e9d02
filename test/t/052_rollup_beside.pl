# Rollups beside what else a database has: a dump taken under load, logical replication of the result, types of
# other extensions, foreign tables, changes of the table. (test/cluster has tables of Citus.)

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir();
my $node = new_server('beside', allows_streaming => 'logical', conf => "autovacuum = on\n");
my $version = major_version();

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE visits (id serial PRIMARY KEY, at timestamp NOT NULL, page text, visitor int NOT NULL);
SELECT rollup_create('hourly', $$SELECT date_trunc('hour', at) AS hour, page, count(*) AS requests, hll_agg(visitor) AS users
    FROM visits GROUP BY 1, 2$$);
-- A dump writes the same expression twice into GROUP BY, and PostgreSQL reads that as one.
SELECT rollup_create('twice', $$SELECT date_trunc('hour', at) AS hour, date_trunc('hour', at) AS again, page, page AS same, max(visitor) AS last
    FROM visits GROUP BY 1, 2, 3, 4$$);
SELECT rollup_create('level', 'SELECT again AS hour, hour AS again, max(last) AS last FROM twice GROUP BY 1, 2');
INSERT INTO visits (at, page, visitor)
    SELECT timestamp '2026-03-01' + i * interval '1 minute', nullif('/' || i % 4, '/0'), i FROM generate_series(1, 2000) AS i;
SELECT rollup_refresh('hourly');
SQL

# ---- a dump that is taken while others write and refresh -----------------------------------------

$node->safe_psql('postgres', "CREATE DATABASE restored_$_") for 1 .. 3;
my $writer = start_psql($node, <<'SQL');
DO $$ BEGIN
    FOR i IN 1..100000 LOOP
        INSERT INTO visits (at, page, visitor) VALUES (timestamp '2026-03-01' + random() * interval '1 day', '/w', i);
        DELETE FROM visits WHERE id = i AND i % 3 = 0;
        COMMIT;
        IF i % 50 = 0 THEN PERFORM rollup_refresh('hourly'); END IF;
        COMMIT;
        EXIT WHEN to_regclass('enough') IS NOT NULL;
    END LOOP;
END $$;
SELECT max(id) > 2000 FROM visits;
SQL
for my $i (1 .. 3)
{
    my $format = $i == 1 ? 'plain' : 'custom';
    command_ok([ 'pg_dump', '-F', $format, '-f', "$dir/dump$i", '-d', $node->connstr('postgres') ], "dump $i, $format");
}
$node->safe_psql('postgres', 'CREATE TABLE enough ()');
ok(finish_psql($writer), 'the writer worked');
is($writer->{out}, "t\n", 'and wrote');
command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', "$dir/said", '-f', "$dir/dump1", '-d', $node->connstr('restored_1') ], 'restored 1');
command_ok([ 'pg_restore', '-j', 2, '-d', $node->connstr("restored_$_"), "$dir/dump$_" ], "restored $_") for 2, 3;
for my $database (map { "restored_$_" } 1 .. 3)
{
    is_query($node, q{SELECT (SELECT count(*) FROM rollup_check('hourly')), (SELECT sum(requests) FROM hourly) = (SELECT count(*) FROM visits), problem IS NULL
        FROM rollup_status('hourly')}, '0|t|t', "$database: the rollup equals its query", database => $database);
    $node->safe_psql($database, q{INSERT INTO visits (at, page, visitor) VALUES ('2026-03-01 05:00', '/new', 1); DELETE FROM visits WHERE visitor < 100});
    is_query($node, qq{SELECT count(*) FROM rollup_check('$_')}, '0', "$database: and $_ follows changes", database => $database) for qw(hourly twice level);
    $node->safe_psql($database, q{SELECT rollup_refresh('hourly'), rollup_refresh('twice'), rollup_refresh('level'); DELETE FROM visits WHERE visitor < 200});
    is_query($node, qq{SELECT count(*) FROM rollup_check('$_')}, '0', "$database: and $_ once more", database => $database) for qw(twice level);
    $node->safe_psql($database, q{SELECT rollup_refresh('hourly')});
    is_query($node, q{SELECT (SELECT count(*) FROM rollup_check('hourly')), deltas + marked FROM rollup_status('hourly')}, '0|0',
        "$database: and is refreshed", database => $database);
}

$node->safe_psql('postgres', q{SELECT rollup_drop('level'), rollup_drop('twice')});

# Names that change between the last refresh, the dump and the next one: nothing went.
$node->safe_psql('postgres', <<'SQL');
CREATE DATABASE renamed;
CREATE TABLE named (at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE named1 PARTITION OF named FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE named2 PARTITION OF named FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE named3 PARTITION OF named FOR VALUES FROM ('2026-03-01') TO ('2026-04-01');
SELECT rollup_create('named_days', 'SELECT at, count(*) AS n FROM named GROUP BY 1'), rollup_create('named_months', $$SELECT date_trunc('month', at::timestamp) AS month, sum(n) AS n FROM named_days GROUP BY 1$$);
INSERT INTO named VALUES ('2026-01-05'), ('2026-02-05'), ('2026-03-05');
SELECT rollup_refresh('named_months');
ALTER TABLE named2 RENAME TO second;
SQL
command_ok([ 'pg_dump', '-t', 'named*', '-t', 'second', '-f', "$dir/named", '-d', $node->connstr('postgres') ], 'a dump after a partition was renamed');
$node->safe_psql('renamed', 'CREATE EXTENSION sketches');
command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', "$dir/said", '-f', "$dir/named", '-d', $node->connstr('renamed') ], 'restored');
$node->safe_psql('renamed', 'CREATE SCHEMA other; ALTER TABLE named SET SCHEMA other; ALTER TABLE named1 RENAME TO first; ALTER TABLE named_days_rows RENAME TO stored');
my $reported = q{SELECT string_agg(problem, ' ' ORDER BY problem) FROM rollup_list() WHERE problem ~ 'went'};
is_query($node, $reported, '', 'a table, partitions and stored rows that were renamed did not go', database => 'renamed');
$node->safe_psql('renamed', q{SELECT rollup_refresh('named_months')});
is_query($node, q{SELECT count(problem), (SELECT sum(n) FROM named_days), (SELECT sum(n) FROM named_months) FROM rollup_list()}, '0|3|3', 'nor after a refresh', database => 'renamed');
$node->safe_psql('renamed', 'DROP TABLE named3');
like($node->safe_psql('renamed', $reported), qr/^public\.named3 went, and is still counted/, 'one that goes is reported');
# Of two that are missing by name, one was renamed: everything is computed anew.
$node->safe_psql('postgres', 'CREATE DATABASE gone');
$node->safe_psql('gone', 'CREATE EXTENSION sketches');
command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', "$dir/said", '-f', "$dir/named", '-d', $node->connstr('gone') ], 'restored again');
$node->safe_psql('gone', q{DROP TABLE named3; SELECT rollup_refresh('named_months')});
is_query($node, q{SELECT count(problem), (SELECT sum(n) FROM named_days), (SELECT sum(n) FROM named_months) FROM rollup_list()}, '0|2|2', 'nothing of one that went is counted', database => 'gone');
$node->safe_psql('postgres', q{SELECT rollup_drop('named_months'), rollup_drop('named_days'); DROP TABLE named});

# Data alone fires the triggers again: a repair computes everything anew.
$node->safe_psql('postgres', 'CREATE DATABASE data_only');
command_ok([ 'pg_restore', '--section=pre-data', '--section=post-data', '-d', $node->connstr('data_only'), "$dir/dump2" ], 'the schema alone');
command_ok([ 'pg_restore', '--data-only', '-d', $node->connstr('data_only'), "$dir/dump2" ], 'then the data');
$node->safe_psql('data_only', q{SELECT rollup_repair('hourly')});
is_query($node, q{SELECT count(*) FROM rollup_check('hourly')}, '0', 'data restored alone, and repaired', database => 'data_only');

# ---- a transaction that is older than the rollup, and writes a partition directly -----------------

$node->safe_psql('postgres', q{CREATE TABLE aged (at date NOT NULL) PARTITION BY RANGE (at); CREATE TABLE aged1 PARTITION OF aged FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')});
my $aged = start_psql($node, <<'SQL');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM visits WHERE id = 0;
CREATE TEMP TABLE here AS SELECT 1;
SELECT pg_advisory_lock(1), pg_sleep(3);
INSERT INTO aged1 VALUES ('2026-01-05'), ('2026-01-06');
COMMIT;
SQL
ok(wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted}) eq '1' }), 'an old transaction');
$node->safe_psql('postgres', q{SELECT rollup_create('aged_days', 'SELECT at, count(*) AS n FROM aged GROUP BY 1'); SELECT rollup_refresh('aged_days')});
ok(finish_psql($aged), 'writes afterwards');
is_query($node, q{SELECT sum(n), deltas FROM aged_days, rollup_status('aged_days') GROUP BY deltas}, '2|2', 'and is followed');

# ---- logical replication of the stored rows ------------------------------------------------------

my $reports = new_server('reports');
# As doc/recipes.md says.
IPC::Run::run([ 'pg_dump', qw(--schema-only --no-publications --table=hourly_rows), $node->connstr('postgres') ], '>', \my $schema)
  or die 'pg_dump';
$reports->safe_psql('postgres', $schema);
$node->safe_psql('postgres', 'CREATE PUBLICATION reports FOR TABLE hourly_rows');
my $connection = $node->connstr('postgres') =~ s/'/''/gr;
$reports->safe_psql('postgres', "CREATE SUBSCRIPTION hourly CONNECTION '$connection' PUBLICATION reports");
$reports->wait_for_subscription_sync($node, 'hourly') if $reports->can('wait_for_subscription_sync');
$node->safe_psql('postgres', <<'SQL');
INSERT INTO visits (at, page, visitor) VALUES ('2026-03-01 05:00', '/new', 1);
DELETE FROM visits WHERE page IS NULL;
SELECT rollup_refresh('hourly');
SQL
my $rows = 'SELECT count(*), sum(requests), hll_cardinality(hll_union_agg(users)), count(*) FILTER (WHERE page IS NULL) FROM hourly_rows';
my $here = $node->safe_psql('postgres', $rows);
ok(wait_until(sub { $reports->safe_psql('postgres', $rows) eq $here }), "the stored rows arrive elsewhere: $here");
like($here, qr/\|0\z/, 'also what a refresh deletes');
$reports->safe_psql('postgres', 'DROP SUBSCRIPTION hourly');

# ---- changes of the table ------------------------------------------------------------------------

$node->safe_psql('postgres', 'ALTER TABLE visits ADD note text DEFAULT now()::text, ADD more int; ALTER TABLE visits DROP more');
$node->safe_psql('postgres', q{INSERT INTO visits (at, visitor, note) VALUES ('2026-03-01', 5, 'x'); UPDATE visits SET note = 'y' WHERE id % 7 = 0});
is_query($node, q{SELECT (SELECT count(*) FROM rollup_check('hourly')), marked FROM rollup_status('hourly')}, '0|0',
    'columns that the query does not read come, change and go');
raises($node, '0A000', 'ALTER TABLE visits ALTER visitor TYPE bigint', 'a column that the query reads keeps its type');
raises($node, '2BP01', 'ALTER TABLE visits DROP visitor', 'and stays');
$node->safe_psql('postgres', q{CREATE SCHEMA elsewhere; ALTER TABLE visits SET SCHEMA elsewhere; INSERT INTO elsewhere.visits (at, visitor) VALUES ('2026-03-01', 6)});
is_query($node, q{SELECT count(*) FROM rollup_check('hourly')}, '0', 'the table moves to another schema');

# ---- other extensions ----------------------------------------------------------------------------

sub has_extension
{
    my ($name) = @_;
    return $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = '$name'");
}

SKIP:
{
    skip 'citext is not installed', 2 unless has_extension('citext');
    $node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA other;
CREATE EXTENSION citext SCHEMA other;
CREATE TABLE mails (at date NOT NULL, sender other.citext NOT NULL);
SELECT rollup_create('senders', 'SELECT at, sender, count(*) AS mails FROM mails GROUP BY 1, 2');
INSERT INTO mails VALUES ('2026-03-01', 'Ann'), ('2026-03-01', 'ann'), ('2026-03-01', 'Bob');
SELECT rollup_refresh('senders');
INSERT INTO mails VALUES ('2026-03-01', 'ANN');
SQL
    is_query($node, 'SELECT lower(sender::text), mails FROM senders ORDER BY 1', "ann|3\nbob|1", 'citext: groups are equal as GROUP BY has them');
    $node->safe_psql('postgres', q{UPDATE mails SET sender = 'ANN' WHERE sender::text = 'Bob'; SELECT rollup_refresh('senders')});
    is_query($node, 'SELECT lower(sender::text), mails FROM senders ORDER BY 1', 'ann|4', 'citext: also when they change');
}

# ---- monitoring, while others hold locks --------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA monitored;
CREATE TABLE monitored.visits (page text);
SELECT rollup_create('monitored.r' || i, 'SELECT page, count(*) AS n FROM monitored.visits GROUP BY 1') FROM generate_series(1, 3) AS i;
SQL
my $listed = q{SELECT string_agg(rollup || ' ' || coalesce(problem, 'none'), E'\n' ORDER BY rollup::text) FROM rollup_list() WHERE rollup::text ~ 'monitored'};
my $unknown = 'it cannot be examined now (canceling statement due to lock timeout)';
for my $part (qw(r2_rows r2_log r2_state r2_query r2_fresh r2))
{
    my $locker = $node->background_psql('postgres');
    my $locks = $part =~ /_(?:rows|log|state)$/ ? "LOCK TABLE monitored.$part" : "ALTER VIEW monitored.$part OWNER TO CURRENT_USER";
    $locker->query_safe("BEGIN; $locks");
    my $said = $part eq 'r2_fresh' ? 'none' : $unknown;    # what is fresh is not read
    is_query($node, "SET lock_timeout = '50ms'; $listed", "monitored.r1 none\nmonitored.r2 $said\nmonitored.r3 none",
        "$part is locked: the others are listed");
    $locker->quit;
}
is_query($node, $listed, "monitored.r1 none\nmonitored.r2 none\nmonitored.r3 none", '... and all of them afterwards');
{
    my $locker = $node->background_psql('postgres');
    $locker->query_safe('BEGIN; LOCK TABLE monitored.r2_rows');
    is_query($node, "SET lock_timeout = '50ms'; SELECT count(*) FROM rollup_list() WHERE problem ~ '^it cannot be examined now'", 1, 'its bytes are not known');
    raises($node, '57014', 'SELECT count(*) FROM rollup_list()', 'a list that is cancelled is cancelled', before => "SET statement_timeout = '100ms';");
    $locker->quit;
}
$node->safe_psql('postgres', "SELECT rollup_drop('monitored.r' || i) FROM generate_series(1, 3) AS i");

SKIP:
{
    skip 'postgresql-hll is not installed', 1 unless has_extension('hll');
    $node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA theirs;
CREATE EXTENSION hll SCHEMA theirs;
CREATE TABLE seen (at date NOT NULL, who int NOT NULL);
SELECT rollup_create('seers', 'SELECT at, theirs.hll_add_agg(theirs.hll_hash_integer(who)) AS who FROM seen GROUP BY 1');
INSERT INTO seen SELECT '2026-03-01', i FROM generate_series(1, 100) AS i;
SELECT rollup_refresh('seers');
INSERT INTO seen VALUES ('2026-03-01', 1000);
SQL
    is_query($node, 'SELECT round(theirs.hll_cardinality(who)) FROM seers', '101', 'an hll of postgresql-hll merges by its own aggregate');
}

SKIP:
{
    skip 'postgres_fdw is not installed', 1 unless has_extension('postgres_fdw');
    $node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION postgres_fdw;
CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw;
CREATE TABLE parted (at date NOT NULL) PARTITION BY RANGE (at);
CREATE FOREIGN TABLE far_away PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2026-02-01') SERVER far;
SQL
    raises($node, '0A000', q{SELECT rollup_create('p', 'SELECT at, count(*) FROM parted GROUP BY 1')},
        'a partition that is a foreign table is refused, and nothing is left', after => q{SELECT to_regclass('p_rows') IS NULL;}, output => "t");
}

done_testing();
