# Rollups that follow single rows: on a table that a subscription of logical replication fills from a server that has
# not got the extension, beside writers of every kind there, refreshers and readers here, with kill -9 of both; then what
# a trigger for each row sees that one for each statement does not. The statements are those of doc/subscribers.md.
# ROLLUP_SECONDS=600 runs the mix for ten minutes, ROLLUP_SEED repeats its choices.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;

use constant { WRITERS => 4, REFRESHERS => 2, READERS => 2 };

my $short = ($ENV{SAMPLE} // 1) > 1;
my $seconds = $ENV{ROLLUP_SECONDS} // ($short ? 4 : 20);
my $seed = $ENV{ROLLUP_SEED} // time;
my $dir = PostgreSQL::Test::Utils::tempdir();
my $version = major_version();
# Large transactions are sent before they commit, and from 16 on applied beside others.
my $publisher = new_server('publisher', schema => undef, allows_streaming => 'logical', conf => "logical_decoding_work_mem = 64kB\nmax_connections = 40\n");
my $subscriber = new_server('subscriber',
    conf => "autovacuum = on\nautovacuum_naptime = 1s\nmax_logical_replication_workers = 12\nmax_sync_workers_per_subscription = 2\nwal_retrieve_retry_interval = 200ms\n");
my $streaming = $version >= 16 ? 'parallel' : 'on';

my $tables = <<'SQL';
CREATE TABLE events (id int PRIMARY KEY, at timestamp NOT NULL, page text, visitor int NOT NULL, ms float8, note text);
CREATE TABLE parted (id int, at timestamp NOT NULL, page text, visitor int NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-03-01') TO ('2026-03-01 06:00');
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM ('2026-03-01 06:00') TO ('2026-03-02');
SQL
my $hourly = q{'hourly', $$SELECT date_trunc('hour', at) AS hour, page, count(*) AS requests, hll_agg(visitor) AS users
    FROM events WHERE ms > 1 GROUP BY 1, 2$$};

# ---- setting up: copy first, then the rollup -----------------------------------------------------

$publisher->safe_psql('postgres', $tables . <<'SQL');
INSERT INTO events SELECT i, timestamp '2026-03-01' + i * interval '7 seconds', '/' || i % 4, i % 300, i % 90 FROM generate_series(1, 5000) AS i;
CREATE PUBLICATION events FOR TABLE events, parted;
SQL
$subscriber->safe_psql('postgres', $tables);
my $connection = $publisher->connstr('postgres') =~ s/'/''/gr;
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION events CONNECTION '$connection' PUBLICATION events WITH (streaming = $streaming)");
my $copied = q{SELECT count(*) > 0 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel};
ok(wait_until(sub { $subscriber->safe_psql('postgres', $copied) eq 't' }), 'the first copy is done');

my ($out, $err) = ('', '');
raises($subscriber, '0A000', "SELECT rollup_create($hourly)", 'a rollup by statements is refused where a subscription writes');
raises($subscriber, '0A000', "SELECT rollup_script($hourly)", 'and its script');
$subscriber->psql('postgres', "SELECT rollup_create($hourly)", stderr => \$err);
like($err, qr/table public\.events is filled by subscription events.*\n.*each_row => true/, 'the error says by which, and what to do');
raises($subscriber, '0A000', q{SELECT rollup_create('parts', 'SELECT page, count(*) FROM parted GROUP BY 1')}, 'also where it writes partitions');

$subscriber->safe_psql('postgres', "SELECT rollup_create($hourly, each_row => true);");
$subscriber->safe_psql('postgres', q{SELECT rollup_create('parts', $$SELECT date_trunc('hour', at) AS hour, count(*) AS requests, max(id) AS last,
    ddsketch_agg(visitor) AS visitors FROM parted GROUP BY 1$$, each_row => true)});
is_query($subscriber, q{SELECT sum(requests), (SELECT count(*) FROM rollup_list() WHERE problem IS NOT NULL) FROM hourly}, '4889|0', 'right before the first refresh, and no problem');
is_query($subscriber, q{SELECT rollup_refresh('hourly') > 0}, 't', 'refreshed');

# ---- the mix -------------------------------------------------------------------------------------

sub pick { return $_[ rand @_ ] }

sub moment { return sprintf "'2026-03-01 %02d:%02d'", rand 12, rand 60 }

sub values_of
{
    my ($table) = @_;
    return sprintf $table eq 'parted' ? '(%d, %s, %s, %d)' : "(%d, %s, %s, %d, %d, 'x')", 1 + rand 5900, moment(), rand() < 0.1 ? 'NULL' : "'/" . int(rand 5) . "'", rand 500, rand 50;
}

sub some { return sprintf 'id BETWEEN %d AND %1$d + %d', 1 + rand 5900, rand 30 }

sub change
{
    my $table = pick(qw(events events parted));
    my $key = $table eq 'parted' ? '(id, at)' : '(id)';
    my $kind = rand;
    return "INSERT INTO $table VALUES " . join(', ', map { values_of($table) } 1 .. pick(1, 1, 5, 20)) . " ON CONFLICT $key DO NOTHING;" if $kind < 0.4;
    return "UPDATE $table SET page = '/u', visitor = visitor + 1 WHERE " . some() . ';' if $kind < 0.6;
    return "UPDATE $table SET at = " . moment() . ' WHERE ' . some() . ';' if $kind < 0.7;
    return "UPDATE events SET note = note || 'y' WHERE " . some() . ';' if $kind < 0.75;
    return "DELETE FROM $table WHERE " . some() . ';' if $kind < 0.92;
    return 'TRUNCATE ' . pick('events', 'parted', 'parted_1', 'events, parted') . ';' if $kind < 0.93;
    # Larger than logical_decoding_work_mem.
    return "INSERT INTO events SELECT i, " . moment() . "::timestamp + i * interval '1 second', '/large', i % 77, i % 9 FROM generate_series(1, 4000) AS i ON CONFLICT DO NOTHING;"
      . pick('', 'DELETE FROM events WHERE id % 3 = 0;', 'ROLLBACK; BEGIN;') if $kind < 0.95;
    return "SAVEPOINT s; INSERT INTO $table VALUES " . values_of($table) . " ON CONFLICT DO NOTHING; " . pick('ROLLBACK TO s;', 'RELEASE s;');
}

sub transaction { return join "\n", 'BEGIN;', (map { change() } 1 .. 1 + rand 3), rand() < 0.1 ? 'ROLLBACK;' : 'COMMIT;' }

sub refresh
{
    my $rollup = pick('hourly', 'parts');
    return rand() < 0.2 ? "SELECT rollup_refresh('$rollup', " . moment() . ');'
      : rand() < 0.03 ? "SELECT rollup_repair('$rollup');"
      : "SELECT rollup_refresh('$rollup');";
}

sub comparison
{
    my ($rollup) = @_;
    my ($a, $b) = map { "TABLE $_" } $rollup, "${rollup}_query";
    return "SELECT 'VIOLATION $rollup ' || count(*) FROM (($a EXCEPT ALL $b) UNION ALL ($b EXCEPT ALL $a)) AS d HAVING count(*) > 0;";
}

sub client
{
    my ($name, $node, $until, $make) = @_;
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    srand($seed + unpack '%32C*', $name);
    open STDOUT, '>', "$dir/$name.out" or POSIX::_exit(1);
    open STDERR, '>', "$dir/$name.err" or POSIX::_exit(1);
    local $SIG{PIPE} = 'IGNORE';
    while (time < $until)    # killed servers come back
    {
        open my $psql, '|-', 'psql', qw(-X -A -t -q -v VERBOSITY=verbose -d), $node->connstr('postgres') or POSIX::_exit(1);
        $psql->autoflush(1);
        while (time < $until)
        {
            # What waits in the pipe when the time is up is not executed.
            print $psql "SELECT clock_timestamp() > to_timestamp($until) AS over \\gset\n\\if :over\n\\q\n\\endif\n", $make->(), "\n" or last;
            select undef, undef, undef, 0.004;
        }
        close $psql;
        select undef, undef, undef, 0.2;
    }
    POSIX::_exit(0);
}

sub kill_server
{
    my ($node) = @_;
    $node->stop('immediate');
    $node->start;
    return;
}

sub output { return join '', map { PostgreSQL::Test::Utils::slurp_file($_) } glob "$dir/$_[0]" }

# After an hour, one process has to apply what many wrote: it is waited for as long as it gets on.
sub caught_up
{
    my $lsn = $publisher->safe_psql('postgres', 'SELECT pg_current_wal_lsn()');
    my ($replayed, $before) = ('', '');
    do
    {
        $before = $replayed;
        return 1 if wait_until(sub { $publisher->safe_psql('postgres', "SELECT coalesce(bool_and(replay_lsn >= '$lsn'), false) FROM pg_stat_replication WHERE application_name = 'events'") eq 't' });
        $replayed = $publisher->safe_psql('postgres', q{SELECT replay_lsn FROM pg_stat_replication WHERE application_name = 'events'});
    } while $replayed ne $before;
    return 0;
}

sub all_equal
{
    my ($name) = @_;
    ok(caught_up(), "$name: the subscriber has caught up");
    for my $table (qw(events parted))
    {
        my $digest = "SELECT count(*), md5(string_agg(t::text, ',' ORDER BY id, at)) FROM $table AS t";
        is_query($subscriber, $digest, $publisher->safe_psql('postgres', $digest), "$name: $table is that of the publisher");
    }
    for my $rollup (qw(hourly parts))
    {
        is_query($subscriber, comparison($rollup), '', "$name: $rollup equals its query");
        $subscriber->safe_psql('postgres', "SELECT rollup_refresh('$rollup')");
        is_query($subscriber, comparison($rollup) . "SELECT count(*) FROM ${rollup}_log WHERE mark < 4", '0', "$name: and refreshed");
        is_query($subscriber, "SELECT (SELECT count(*) FROM rollup_check('$rollup')), problem IS NULL FROM rollup_status('$rollup')", '0|t', "$name: nothing is wrong");
    }
    return;
}

sub run_mix
{
    my ($name, $duration, @killed) = @_;
    my $until = time + $duration;
    my @pids;
    for my $i (1 .. WRITERS) { push @pids, client("$name-writer$i", $publisher, $until, \&transaction) }
    for my $i (1 .. REFRESHERS) { push @pids, client("$name-refresher$i", $subscriber, $until, \&refresh) }
    for my $i (1 .. READERS) { push @pids, client("$name-reader$i", $subscriber, $until, sub { comparison(pick('hourly', 'parts')) . " SELECT 'compared';" }) }
    for my $killed (@killed)
    {
        select undef, undef, undef, $duration / (1 + @killed);
        kill_server($killed);
    }
    waitpid $_, 0 for @pids;
    my @violations = output("$name-reader*.out") =~ /^VIOLATION.*/mg;
    is("@violations", '', "$name: every comparison finds the rollup equal to its query");
    my $compared = () = output("$name-reader*.out") =~ /compared/g;
    cmp_ok($compared, '>', 0, "$name: the readers compared");
    note "$name: $compared comparisons, seed $seed, " . $publisher->safe_psql('postgres', q{SELECT pg_sleep(1.1), xact_commit FROM pg_stat_database WHERE datname = 'postgres'}) . ' transactions';
    my %unexpected;
    # A key that is there, a deadlock of TRUNCATE, what comes after either, and a server that was killed.
    for my $error (output("$name-*.err") =~ /ERROR:  (\S+: .*)/g)
    {
        $unexpected{$error}++ if $error !~ /^(?:23505|40P01|40001|25P02|3B001|57P0[123]):/;
    }
    is(join('; ', map { "$_ ($unexpected{$_})" } sort keys %unexpected), '', "$name: no errors but those of concurrency");
    all_equal($name);
    return;
}

run_mix('mix', $seconds);
run_mix('killed', $short ? 5 : 8, $subscriber, $publisher);
# A crash forgets what was counted before.
$publisher->safe_psql('postgres', q{INSERT INTO events SELECT 30000 + i, '2026-03-01', '/large', i % 77, i % 9 FROM generate_series(1, 4000) AS i});
ok(wait_until(sub { $publisher->safe_psql('postgres', 'SELECT stream_txns > 0 FROM pg_stat_replication_slots') eq 't' }), 'large transactions are sent before they commit');
unlike(PostgreSQL::Test::Utils::slurp_file($subscriber->logfile), qr/ERROR.*_trigger/, 'no trigger failed');

# ---- a rollup that was made before the subscription wrote its table ------------------------------

$subscriber->safe_psql('postgres', 'CREATE TABLE early (id int PRIMARY KEY, page text NOT NULL)');
$subscriber->safe_psql('postgres', q{SELECT rollup_create('early_pages', 'SELECT page, count(*) FROM early GROUP BY 1')});
$publisher->safe_psql('postgres', q{CREATE TABLE early (id int PRIMARY KEY, page text NOT NULL); ALTER PUBLICATION events ADD TABLE early});
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION events REFRESH PUBLICATION');
like($subscriber->safe_psql('postgres', q{SELECT problem FROM rollup_status('early_pages')}),
    qr/^public\.early is filled by subscription events, .*rollup_drop\('public\.early_pages'\).*each_row => true$/, 'rollup_status says that a subscription fills the table');

# The first copy fires triggers, too: right, at a row of the log for each row.
$publisher->safe_psql('postgres', q{CREATE TABLE copied (id int PRIMARY KEY, page text NOT NULL); INSERT INTO copied SELECT i, i % 3 FROM generate_series(1, 100) AS i});
$subscriber->safe_psql('postgres', q{CREATE TABLE copied (id int PRIMARY KEY, page text NOT NULL)});
$subscriber->safe_psql('postgres', q{SELECT rollup_create('copied_pages', 'SELECT page, count(*) FROM copied GROUP BY 1', each_row => true)});
$subscriber->safe_psql('postgres', q{SELECT rollup_refresh('copied_pages')});
$publisher->safe_psql('postgres', 'ALTER PUBLICATION events ADD TABLE copied');
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION events REFRESH PUBLICATION');
ok(wait_until(sub { $subscriber->safe_psql('postgres', $copied) eq 't' }), 'another table is copied');
is_query($subscriber, q{SELECT (SELECT sum(count) FROM copied_pages), deltas, problem IS NULL FROM rollup_status('copied_pages')}, '100|100|t', 'and counted');

# ---- changes of the schema -----------------------------------------------------------------------

# A column that the query does not read: first here, then there.
$_->safe_psql('postgres', 'ALTER TABLE events ADD more text') for $subscriber, $publisher;
$publisher->safe_psql('postgres', q{INSERT INTO events VALUES (9001, '2026-03-01', '/more', 1, 5, 'x', 'more')});
# One that the query reads is renamed here: the workers stop with an error, and go on after a repair.
$subscriber->safe_psql('postgres', 'ALTER TABLE events RENAME ms TO milliseconds');
$subscriber->safe_psql('postgres', q{SELECT rollup_repair('hourly')});
$publisher->safe_psql('postgres', 'ALTER TABLE events RENAME ms TO milliseconds');
$publisher->safe_psql('postgres', q{INSERT INTO events (id, at, page, visitor, milliseconds) VALUES (9002, '2026-03-01', '/more', 2, 5)});
ok(caught_up(), 'applied after ADD COLUMN and RENAME COLUMN');
is_query($subscriber, q{SELECT sum(requests), hll_union_cardinality_agg(users) FROM hourly WHERE page = '/more'}, '2|2', 'and in the rollup');
is_query($subscriber, q{SELECT count(*) FROM rollup_check('hourly')}, '0', 'which equals its query');

# ---- partitions that come ------------------------------------------------------------------------

$_->safe_psql('postgres', q{CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM ('2026-03-02') TO ('2026-03-03')}) for $subscriber, $publisher;
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION events REFRESH PUBLICATION');
ok(wait_until(sub { $subscriber->safe_psql('postgres', $copied) eq 't' }), 'a partition comes');
$publisher->safe_psql('postgres', q{INSERT INTO parted_3 SELECT i, '2026-03-02', '/new', i FROM generate_series(1, 10) AS i});
ok(caught_up(), 'and is written');
is_query($subscriber, q{SELECT sum(requests) FROM parts WHERE hour >= '2026-03-02'}, 10, 'its rows are followed before a refresh');
like($subscriber->safe_psql('postgres', q{SELECT problem FROM rollup_status('parts')}), qr/parted_3 was added: SELECT rollup_refresh/, 'which is still to take in its TRUNCATE');
$subscriber->safe_psql('postgres', q{SELECT rollup_refresh('parts')});
is_query($subscriber, q{SELECT problem IS NULL FROM rollup_status('parts')}, 't', 'and does');
$publisher->safe_psql('postgres', 'TRUNCATE parted_3');
ok(caught_up(), 'a partition is truncated');
is_query($subscriber, q{SELECT count(*) FROM rollup_check('parts')}, '0', 'and followed');

# ---- a row that moves to another partition, which the publisher has not got ------------------------

$publisher->safe_psql('postgres', q{CREATE TABLE orders (id int PRIMARY KEY, at date NOT NULL, status int NOT NULL); ALTER TABLE orders REPLICA IDENTITY FULL; ALTER PUBLICATION events ADD TABLE orders});
$subscriber->safe_psql('postgres', <<'SQL');
CREATE TABLE orders (id int, at date NOT NULL, status int NOT NULL, PRIMARY KEY (id, status)) PARTITION BY LIST (status);
CREATE TABLE orders_1 PARTITION OF orders FOR VALUES IN (1);
CREATE TABLE orders_2 PARTITION OF orders FOR VALUES IN (2);
SELECT rollup_create('ordered', 'SELECT at, count(*) AS n FROM orders GROUP BY 1', each_row => true), rollup_create('open', 'SELECT status, count(*) AS n FROM orders GROUP BY 1', each_row => true);
ALTER SUBSCRIPTION events REFRESH PUBLICATION;
SQL
ok(wait_until(sub { $subscriber->safe_psql('postgres', $copied) eq 't' }), 'a table that is partitioned here alone');
$publisher->safe_psql('postgres', q{INSERT INTO orders SELECT i, date '2026-01-01' + i / 10, 1 FROM generate_series(1, 19) AS i});
ok(caught_up(), 'is written');
$subscriber->safe_psql('postgres', q{SELECT rollup_freeze('ordered', before => '2026-01-02')});
$publisher->safe_psql('postgres', q{UPDATE orders SET status = 2 WHERE id % 3 = 0});
$publisher->safe_psql('postgres', q{BEGIN; INSERT INTO orders VALUES (30, '2026-01-01', 1); UPDATE orders SET status = 2 WHERE id IN (1, 30); DELETE FROM orders WHERE id = 2; INSERT INTO orders VALUES (2, '2026-01-01', 2); COMMIT});
ok(caught_up(), 'its rows move');
is_query($subscriber, q{SELECT at, n FROM ordered ORDER BY 1}, "2026-01-01|11\n2026-01-02|10", 'which are no new ones of frozen groups');
is_query($subscriber, q{SELECT (SELECT count(*) FROM rollup_check('open')), (SELECT sum(n) FROM open)}, '0|20', 'and move between groups');

# ---- freezing, then deleting here what the publisher keeps ---------------------------------------

$publisher->safe_psql('postgres', q{INSERT INTO events (id, at, page, visitor, milliseconds) SELECT 10000 + i, '2026-02-01', '/old', i, 5 FROM generate_series(1, 10) AS i});
ok(caught_up(), 'old rows');
$subscriber->safe_psql('postgres', q{SELECT rollup_freeze('hourly', before => '2026-02-02')});
$publisher->safe_psql('postgres', q{DELETE FROM events WHERE at < '2026-02-02'});
ok(caught_up(), 'are deleted');
is_query($subscriber, q{SELECT sum(requests) FROM hourly WHERE page = '/old'}, 10, 'and stay in frozen groups');

# ---- back to the publisher -----------------------------------------------------------------------

SKIP:
{
    skip 'no postgres_fdw and dblink', 2 if $publisher->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name IN ('postgres_fdw', 'dblink')}) < 2;
    my ($host, $port) = ($subscriber->host, $subscriber->port);
    $subscriber->safe_psql('postgres', <<'SQL');
CREATE VIEW hourly_numbers AS SELECT hour, page, requests, hll_cardinality(users) AS users FROM hourly;
CREATE VIEW daily_numbers AS
    SELECT hour::date AS day, sum(requests) AS requests, hll_union_cardinality_agg(users) AS users FROM hourly GROUP BY 1;
SQL
    $publisher->safe_psql('postgres', <<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE EXTENSION dblink;
CREATE SERVER rollups FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
CREATE USER MAPPING FOR CURRENT_USER SERVER rollups;
CREATE FOREIGN TABLE daily_numbers (day date, requests numeric, users bigint) SERVER rollups;
SQL
    my $truth = $publisher->safe_psql('postgres', q{SELECT at::date, count(*), count(DISTINCT visitor) FROM events WHERE milliseconds > 1 AND at >= '2026-03-01' GROUP BY 1});
    is_query($publisher, q{SELECT day, requests, users FROM daily_numbers WHERE day >= '2026-03-01'}, $truth, 'the publisher reads days of the rollup');
    is_query($publisher, q{SELECT * FROM dblink('rollups', $$
        SELECT sum(requests), hll_union_cardinality_agg(users) FROM hourly WHERE page IN ('/1', '/more') AND hour >= '2026-03-01' $$) AS (requests numeric, users bigint)},
        $publisher->safe_psql('postgres', q{SELECT count(*), count(DISTINCT visitor) FROM events WHERE milliseconds > 1 AND page IN ('/1', '/more') AND at >= '2026-03-01'}),
        'and merges any of its groups there');
}

# ---- rights, and what undoes ALWAYS --------------------------------------------------------------

$subscriber->safe_psql('postgres', 'ALTER TABLE events ENABLE TRIGGER hourly_rows');
like($subscriber->safe_psql('postgres', q{SELECT problem FROM rollup_status('hourly')}), qr/^triggers of public\.events are missing, disabled or changed: SELECT rollup_repair/, 'a trigger that no subscription fires is a problem');
$subscriber->safe_psql('postgres', q{SELECT rollup_repair('hourly')});
is_query($subscriber, q{SELECT problem IS NULL FROM rollup_status('hourly')}, 't', 'that a repair mends');
$subscriber->safe_psql('postgres', q{CREATE ROLE maker; CREATE TABLE others (page text); GRANT SELECT, TRIGGER ON others TO maker; CREATE SCHEMA its AUTHORIZATION maker});
raises($subscriber, '42501', q{SELECT rollup_create('its.pages', 'SELECT page, count(*) FROM others GROUP BY 1', each_row => true)}, 'triggers that always fire are made by the owner of the table', before => 'SET ROLE maker;');

# session_replication_role = replica, as tools of replication set it.
$subscriber->safe_psql('postgres', q{DROP SUBSCRIPTION events; SET session_replication_role = replica; INSERT INTO events (id, at, page, visitor, milliseconds) VALUES (20001, '2026-03-01', '/tool', 1, 5)});
is_query($subscriber, q{SELECT requests FROM hourly WHERE page = '/tool'}, 1, 'rows that a tool of replication writes are followed');

done_testing();
