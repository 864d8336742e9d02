# Levels equal their queries at every snapshot, over the level below and over the rows, beside writers of every kind, refreshes
# in any order, freezes, retention of each level, repairs and history that comes from elsewhere, and after crashes.
# ROLLUP_SECONDS=3600 runs it for an hour, ROLLUP_SEED repeats its choices.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use RollupClients;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;

use constant { WRITERS => 5, REFRESHERS => 2, READERS => 4 };

my $short = ($ENV{SAMPLE} // 1) > 1;
my $seconds = $ENV{ROLLUP_SECONDS} // ($short ? 8 : 20);
my $crashes = POSIX::floor($seconds / 180) || 1;
my $seed = $ENV{ROLLUP_SEED} // time;
my $node = new_server('levels', conf => "autovacuum = on\nautovacuum_naptime = 1s\nmax_prepared_transactions = 20\nmax_connections = 40\n");
my $version = major_version();
my $clients = RollupClients->new($node, $seed);

# The table is plain, partitioned, or followed by rows.
my $kind = qw(plain partitioned rows)[ $seed % 3 ];
my ($partitioned, $key, $each_row) = ($kind eq 'partitioned' ? 'PARTITION BY RANGE (at)' : '', $kind eq 'partitioned' ? '(id, at)' : '(id)', $kind eq 'rows' ? 'true' : 'false');
my $partitions = $partitioned ? join("\n", map { sprintf "CREATE TABLE part$_ PARTITION OF events FOR VALUES FROM ('2026-01-%02d') TO ('2026-01-%02d');", 1 + 10 * $_, 11 + 10 * $_ } 0 .. 2) : '';

# Two weeks that get late rows only, and are frozen bit by bit; and a week that everything happens to. Rows that retention deletes
# go to an archive, so that it is known what frozen groups have to say.
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE events (id bigint NOT NULL, at timestamp NOT NULL, country text, user_id int NOT NULL, ms int, note text, PRIMARY KEY $key) $partitioned;
$partitions
CREATE TABLE archive (LIKE events);
CREATE VIEW truth AS SELECT * FROM events UNION ALL SELECT * FROM archive;
CREATE TABLE retention (deleted timestamp NOT NULL);
INSERT INTO retention VALUES ('-infinity');
CREATE SEQUENCE late START 1000000;
INSERT INTO events SELECT nextval('late'), '2026-01-05'::timestamp + (i % 14) * interval '1 day' + (i % 4) * interval '5 hours', (ARRAY['DE','FR','US',NULL])[1 + i % 4], i % 97, i % 50
    FROM generate_series(1, 600) AS i;
INSERT INTO events SELECT i, '2026-01-19'::timestamp + (i % 7) * interval '1 day' + (i % 4) * interval '5 hours', (ARRAY['DE','FR','US',NULL])[1 + i % 4], i % 97, i % 50
    FROM generate_series(1, 400) AS i;
SELECT rollup_create('hourly', \$\$SELECT date_trunc('hour', at) AS hour, country, count(*) AS requests, sum(ms) AS total, min(ms) AS lowest, hll_agg(user_id) AS users
    FROM events GROUP BY 1, 2\$\$, each_row => $each_row);
SELECT rollup_create('daily', \$\$SELECT hour::date AS day, country, sum(requests) AS requests, sum(total) AS total, min(lowest) AS lowest, hll_union_agg(users) AS users
    FROM hourly GROUP BY 1, 2\$\$);
SELECT rollup_create('weekly', \$\$SELECT date_trunc('week', day::timestamp)::date AS week, sum(requests) AS requests, min(lowest) AS lowest, hll_union_agg(users) AS users
    FROM daily GROUP BY 1\$\$);
SELECT rollup_create('busiest', \$\$SELECT hour::date AS day, max(requests) AS busiest, count(*) AS hours FROM hourly WHERE requests > 1 GROUP BY 1\$\$);
SELECT rollup_create('german', \$\$SELECT country, sum(requests) FILTER (WHERE hour > '2026-01-20') AS requests, min(lowest) AS lowest
    FROM hourly WHERE country <> 'US' GROUP BY 1\$\$);
SELECT rollup_create('means', \$\$SELECT hour::date AS day, round(avg(requests), 2) AS mean, count(*) AS hours FROM hourly GROUP BY 1 HAVING count(*) > 2\$\$);
SQL
my @ROLLUPS = qw(hourly daily weekly busiest german means);

# Over the rows; and over the level below, where groups are not frozen.
my %COLUMNS = (hourly => 'hour, country, requests, total, lowest, users', daily => 'day, country, requests, total, lowest, users', weekly => 'week, requests, lowest, users',
    busiest => 'day, busiest, hours', german => 'country, requests, lowest', later => 'day, requests', means => 'day, mean, hours');
my %TRUTH = (
    hourly => q{SELECT date_trunc('hour', at) AS hour, country, count(*) AS requests, sum(ms) AS total, min(ms) AS lowest, hll_agg(user_id) AS users FROM truth
        WHERE date_trunc('hour', at) >= (SELECT deleted FROM retention) GROUP BY 1, 2},
    daily => 'SELECT at::date AS day, country, count(*)::numeric AS requests, sum(ms)::numeric AS total, min(ms) AS lowest, hll_agg(user_id) AS users FROM truth GROUP BY 1, 2',
    weekly => q{SELECT date_trunc('week', at)::date AS week, count(*)::numeric AS requests, min(ms) AS lowest, hll_agg(user_id) AS users FROM truth GROUP BY 1},
    means => 'SELECT hour::date AS day, round(avg(requests), 2) AS mean, count(*) AS hours FROM hourly GROUP BY 1 HAVING count(*) > 2');
my %BELOW = (daily => 'WHERE day >= (SELECT frozen FROM daily_state)', weekly => 'WHERE week >= (SELECT frozen FROM weekly_state)', busiest => '', german => '', later => '');

sub recent { return sprintf "'2026-01-%02d %02d:%02d'", 19 + rand 7, 5 * int(rand 4), rand 60 }

sub old { return sprintf "'2026-01-%02d %02d:%02d'", 5 + rand 14, 5 * int(rand 4), rand 60 }

sub country { return pick(q{'DE'}, q{'FR'}, q{'US'}, q{'BR'}, 'NULL') }

sub ms { return rand() < 0.1 ? 'NULL' : int rand 50 }

sub row { return sprintf '(%d, %s, %s, %d, %s, %s)', 1 + rand 900, recent(), country(), rand 500, ms(), q{'x'} }

sub late { return sprintf q{(nextval('late'), %s, %s, %d, %s, 'late')}, old(), country(), rand 500, ms() }

sub some { return sprintf 'id BETWEEN %d AND %1$d + %d', 1 + rand 900, rand 8 }

sub change
{
    my $rows = join ', ', map { row() } 1 .. pick(1, 1, 3, 20);
    my $kind = rand;
    return "INSERT INTO events VALUES $rows ON CONFLICT $key DO NOTHING;" if $kind < 0.25;
    return 'INSERT INTO events VALUES ' . join(', ', map { late() } 1 .. pick(1, 1, 2, 9)) . ';' if $kind < 0.4;
    return 'INSERT INTO events VALUES ' . row() . " ON CONFLICT $key DO UPDATE SET country = excluded.country, user_id = excluded.user_id;" if $kind < 0.48;
    return 'UPDATE events SET at = ' . recent() . ', user_id = user_id + 1 WHERE ' . some() . ';' if $kind < 0.58;
    return 'UPDATE events SET country = ' . country() . ' WHERE ' . some() . ';' if $kind < 0.66;
    return "UPDATE events SET note = note || 'y' WHERE " . some() . ';' if $kind < 0.7;
    return 'DELETE FROM events WHERE ' . some() . ';' if $kind < 0.86;
    return 'WITH gone AS (DELETE FROM events WHERE ' . some() . ' RETURNING *) INSERT INTO events SELECT id + 1000, at, country, user_id, ms, note FROM gone ON CONFLICT DO NOTHING;' if $kind < 0.89;
    return 'DELETE FROM events WHERE id BETWEEN 900 AND 999999;' if $kind < 0.91;
    return sprintf q{COPY events FROM PROGRAM 'printf "%d\t2026-01-2%d 05:30\tCO\t1\t5\tz\n"';}, 1000 + rand 899000, rand 6 if $kind < 0.93;
    return 'DO $$ BEGIN INSERT INTO events VALUES ' . row() . '; INSERT INTO events SELECT * FROM events LIMIT 1; EXCEPTION WHEN unique_violation THEN NULL; END $$;' if $kind < 0.95;
    return 'MERGE INTO events AS t USING (VALUES ' . row() . ') AS s (id, at, country, user_id, ms, note) ON t.id = s.id WHEN MATCHED AND s.user_id < 100 THEN DELETE WHEN MATCHED THEN UPDATE SET country = s.country, at = s.at::timestamp'
      . ' WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.at::timestamp, s.country, s.user_id, s.ms::int, s.note);'
      if $version >= 15;
    return 'SELECT 1;';
}

# Rows of hours that are frozen go to the archive: these hours keep them.
my $TRUNCATE = <<'SQL';
BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE;
INSERT INTO archive SELECT * FROM events WHERE date_trunc('hour', at) < (SELECT frozen FROM hourly_state); TRUNCATE events; COMMIT;
INSERT INTO events SELECT i, '2026-01-19'::timestamp + (i % 7) * interval '1 day' + (i % 4) * interval '5 hours', 'DE', i % 97, i % 50 FROM generate_series(1, 200) AS i ON CONFLICT DO NOTHING;
SQL
my $prepared = 0;

sub transaction
{
    my ($client) = @_;
    return $TRUNCATE if rand() < 0.0006;
    return change() if rand() < 0.5;
    my $level = pick('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE');
    my @parts = ("BEGIN ISOLATION LEVEL $level;");
    push @parts, 'SET LOCAL ' . setting() . ';' if rand() < 0.2;
    # A snapshot that is older than what others do meanwhile.
    push @parts, 'SELECT count(*) FROM events WHERE id = 0;', 'SELECT pg_sleep(0.05);' if rand() < 0.1;
    for (1 .. 1 + rand 3)
    {
        push @parts, change();
        push @parts, 'SAVEPOINT s;', change(), pick('ROLLBACK TO s;', 'RELEASE s;') if rand() < 0.3;
        push @parts, q{SELECT rollup_refresh('} . pick(@ROLLUPS) . q{');} if $level eq 'READ COMMITTED' && rand() < 0.03;
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
    return q{SELECT rollup_repair('} . pick(@ROLLUPS) . q{');} if $kind < 0.015;
    return 'SELECT count(l.problem), sum(deltas) FROM rollup_list() AS l, rollup_status(l.rollup);' if $kind < 0.03;
    return 'VACUUM ' . pick('(ANALYZE) ', '') . pick(map { ("${_}_log", "${_}_rows") } @ROLLUPS) . ';' if $kind < 0.1;
    return sprintf q{SELECT rollup_refresh('%s', '2026-01-%02d');}, pick(qw(hourly daily weekly)), 5 + rand 21 if $kind < 0.25;
    return q{BEGIN; SELECT rollup_refresh('} . pick(@ROLLUPS) . q{'); } . pick('COMMIT;', 'ROLLBACK;') if $kind < 0.35;
    return q{SELECT rollup_refresh('} . pick(@ROLLUPS) . q{');};
}

# The next step in the life of old data. Each level is frozen as far as the one below, and so it is known what it must say: a week
# only when all of its days are.
my $step = 0;

sub retention
{
    my ($client, $number, $duration) = @_;
    my $pause = $duration / 90;
    my $day = sprintf '2026-01-%02d', 6 + ($step / 6 > 13 ? 13 : $step / 6);
    my $kind = $step++ % 6;
    my $wait = "SELECT pg_sleep($pause);\n";
    return "$wait SELECT rollup_freeze('hourly', '$day');" if $kind == 0;
    return "$wait BEGIN; WITH gone AS (DELETE FROM events WHERE date_trunc('hour', at) < (SELECT frozen FROM hourly_state) RETURNING *) INSERT INTO archive SELECT * FROM gone; " . pick('COMMIT;', 'COMMIT;', 'ROLLBACK;')
      if $kind == 1;
    return "$wait SELECT rollup_freeze('daily', (SELECT least('$day', frozen)::date::text FROM hourly_state));" if $kind == 2;
    return "$wait BEGIN; UPDATE retention SET deleted = greatest(deleted, (SELECT frozen FROM daily_state)); DELETE FROM hourly_rows WHERE hour < (SELECT frozen FROM daily_state); COMMIT;"
      if $kind == 3 && rand() < 0.7;
    return "$wait SELECT rollup_freeze('weekly', (SELECT date_trunc('week', least(date '$day', frozen))::date::text FROM daily_state));" if $kind == 4 && rand() < 0.5;
    # History from elsewhere, into hours that are frozen: written to the stored rows.
    my $at = "('$day'::timestamp - interval '6 hours')";
    return <<"SQL";
$wait BEGIN; SELECT FROM hourly_state FOR UPDATE;
INSERT INTO archive SELECT nextval('late'), $at, 'X' || txid_current(), 7, 3, 'imported' FROM generate_series(1, 3) WHERE (SELECT frozen > $at AND deleted <= $at FROM hourly_state, retention);
INSERT INTO hourly_rows (hour, country, requests, total, lowest, users) SELECT date_trunc('hour', at), country, count(*), sum(ms), min(ms), hll_agg(user_id)
FROM archive WHERE country = 'X' || txid_current() GROUP BY 1, 2;
COMMIT;
SQL
}

# Weeks with one more column, and without it: where they are frozen, it may not be known.
sub altered
{
    my $query = q{SELECT date_trunc('week', day::timestamp)::date AS week, sum(requests) AS requests, min(lowest) AS lowest, hll_union_agg(users) AS users};
    my ($with, $without) = map { "$query$_ FROM daily GROUP BY 1" } ', sum(total) AS total', '';
    my $compare = join "\n", q{SELECT count(*) = 1 AS has_total FROM pg_attribute WHERE attrelid = to_regclass('weekly') AND attname = 'total' \gset},
      '\if :has_total', differ('weekly', "($with) AS query", $BELOW{weekly}, "$COLUMNS{weekly}, total") . q{; SELECT 'compared';}, '\endif', 'SELECT pg_sleep(0.2);';
    return join "\n", "SELECT rollup_alter('weekly', \$\$$with\$\$);", $compare, pick(q{SELECT rollup_refresh('daily');}, q{SELECT rollup_refresh('weekly', '2026-01-19');}), $compare,
      q{SELECT rollup_refresh('weekly');}, $compare, "SELECT rollup_alter('weekly', \$\$$without\$\$);";
}

# A level that is younger than transactions that write.
sub levels
{
    return altered() if rand() < 0.3;
    return join "\n", '\\unset rollup_create', q{SELECT rollup_drop('later');}, q{SELECT rollup_create('later', 'SELECT hour::date AS day, sum(requests) AS requests FROM hourly GROUP BY 1') \gset},
      '\if :{?rollup_create}', 'SELECT pg_sleep(0.1);', differ('later', 'later_query', '') . ';', q{SELECT rollup_refresh('later');}, 'SELECT pg_sleep(0.1);', differ('later', 'later_query', '') . ';',
      "SELECT 'compared';", '\endif', q{SELECT rollup_drop('later');}, 'SELECT pg_sleep(0.3);';
}

sub differ
{
    my ($rollup, $query, $where, $columns) = @_;
    my ($a, $b) = map { 'SELECT ' . ($columns // $COLUMNS{$rollup}) . " FROM $_ $where" } $rollup, $query;
    return "SELECT 'VIOLATION $rollup ' || count(*) || ' ' || string_agg(left(regexp_replace(d::text, '[A-Za-z0-9+/=]{20,}', '<' || md5(d::text) || '>', 'g'), 200), '; ')"
      . " FROM (SELECT 'rollup', a.* FROM ($a EXCEPT ALL $b) AS a UNION ALL SELECT 'query', b.* FROM ($b EXCEPT ALL $a) AS b) AS d HAVING count(*) > 0";
}

# One of the comparisons.
sub comparison
{
    my ($name) = @_;
    return differ($name, "($TRUTH{$name}) AS query", $name eq 'hourly' ? 'WHERE hour >= (SELECT deleted FROM retention)' : '') if $TRUTH{$name} && (!exists $BELOW{$name} || rand() < 0.5);
    return differ($name, "${name}_query", $BELOW{$name});
}

# Some in one snapshot, in which others commit meanwhile. A transaction that is older than a TRUNCATE sees neither the rows nor the log.
sub reading
{
    my @parts = ('BEGIN ISOLATION LEVEL ' . pick('REPEATABLE READ', 'REPEATABLE READ', 'SERIALIZABLE') . '; LOCK TABLE events IN ACCESS SHARE MODE;');
    push @parts, 'SET LOCAL ' . setting() . ';' if rand() < 0.2;
    for my $number (1 .. 4)
    {
        push @parts, comparison(pick(@ROLLUPS)) . q{; SELECT 'compared';};
        push @parts, 'SELECT pg_sleep(0.2);' if $number == 1 && rand() < 0.3;
    }
    return join "\n", @parts, 'COMMIT;';
}

sub all_equal
{
    my ($name) = @_;
    for my $when ('', ', refreshed')
    {
        $node->safe_psql('postgres', q{SELECT rollup_refresh(rollup) FROM rollup_list() ORDER BY rollup::text}) if $when;
        for my $rollup (@ROLLUPS)
        {
            is_query($node, comparison($rollup), '', "$name: $rollup$when") for 1 .. 3;
            is_query($node, "SELECT count(*) FROM rollup_check('$rollup')", '0', "$name: rollup_check of $rollup") if $rollup ne 'hourly' || $when eq '';
            is_query($node, "SELECT count(*) FROM ${rollup}_log WHERE mark < 4", '0', "$name: nothing waits for $rollup") if $when;
        }
    }
    is_query($node, 'SELECT count(problem) FROM rollup_list()', '0', "$name: no problems");
    return;
}

$clients->storm(
    $seconds, $crashes,
    clients => [
        [ writer => WRITERS, \&transaction ],
        [ refresher => REFRESHERS, \&refresh ],
        [ reader => READERS, \&reading ],
        [ retention => 1, \&retention ],
        [ levels => 1, \&levels ]
    ],
    equal => \&all_equal);

# A dump while something waits for each level; what is restored goes on.
my @loose = (on_error_stop => 0, stderr => \my $ignored);
$node->psql('postgres', join("\n", map { change() } 1 .. 20), @loose);
my $dump = PostgreSQL::Test::Utils::tempdir() . '/levels.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ], 'restored');
for my $when ('restored', 'written', 'refreshed')
{
    $node->psql('restored', join("\n", map { change() } 1 .. 20), @loose) if $when eq 'written';
    $node->safe_psql('restored', "SELECT rollup_refresh('$_')") for $when eq 'refreshed' ? @ROLLUPS : ();
    is($node->safe_psql('restored', comparison($_) . ';'), '', "$when: $_") for @ROLLUPS;
    is($node->safe_psql('restored', 'SELECT count(problem) FROM rollup_list()'), '0', "$when: no problems");
}

done_testing();
