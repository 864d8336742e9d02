# Everything under a rollup is renamed, replaced, moved and analyzed while sessions write: the view equals its query, and writers
# fail only for what is theirs. STORM_SECONDS=3600 takes an hour.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time);
use Test::More;

my $SECONDS = $ENV{STORM_SECONDS} // 8;
my $seed = $ENV{SEED} // int(time);
srand $seed;
note "SEED=$seed";

my $node = new_server('storm', conf => "max_prepared_transactions = 10\n");
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA s;
CREATE TYPE s.mood AS ENUM ('a', 'b', 'c');
CREATE FUNCTION s.thirds(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 % 3; END';
CREATE FUNCTION s.halves(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 2';
CREATE DOMAIN s.positive AS int CHECK (VALUE >= 0);
CREATE TABLE s.plain (id serial, at timestamp NOT NULL DEFAULT '2026-01-01'::timestamp + random() * interval '6 h',
    m s.mood DEFAULT (array['a', 'b', 'c']::s.mood[])[(1 + random() * 2)::int], v s.positive DEFAULT (random() * 20)::int,
    w int DEFAULT (random() * 50)::int, other int);
CREATE TABLE s.parts (LIKE s.plain INCLUDING DEFAULTS) PARTITION BY HASH (id);
CREATE TABLE s.part_0 PARTITION OF s.parts FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE s.part_1 (other int, gone int, w int DEFAULT (random() * 50)::int, v s.positive DEFAULT 1, m s.mood, at timestamp NOT NULL DEFAULT '2026-01-01', id int NOT NULL DEFAULT 1);
ALTER TABLE s.part_1 DROP gone;
ALTER TABLE s.parts ATTACH PARTITION s.part_1 FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE s.part_2 PARTITION OF s.parts FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE TABLE s.known AS SELECT name, name::regclass::oid AS number FROM unnest('{s.plain,s.parts}'::text[]) AS name;
CREATE VIEW s.failed AS SELECT 1;
SQL
my $QUERY = q{SELECT date_trunc('hour', at) AS hour, m, s.thirds(v) AS f, s.halves(w) AS g, count(*) AS n, sum(w) AS w, hll_agg(w) AS u FROM %s WHERE m <> 'c' OR v > 3 GROUP BY 1, 2, 3, 4};
my @ROLLUPS = ([ 'plain', 's.plain', 'false' ], [ 'rows', 's.plain', 'true' ], [ 'parts', 's.parts', 'false' ], [ 'part_rows', 's.parts', 'true' ]);
$node->safe_psql('postgres', sprintf("SELECT rollup_create('s.r_%s', \$q\$%s\$q\$, each_row => %s)", $_->[0], sprintf($QUERY, $_->[1]), $_->[2])) for @ROLLUPS;
my ($plain, $parts) = split /\n/, $node->safe_psql('postgres', 'SELECT number FROM s.known ORDER BY name DESC');
my %view = map { split /\|/ } split /\n/, $node->safe_psql('postgres', q{SELECT relname, oid FROM pg_class WHERE relname ~ '^r_(plain|rows|parts|part_rows)(_query)?$'});

my $number = 0;
sub session
{
    my ($name, @statements) = @_;
    my $file = PostgreSQL::Test::Utils::tempdir() . '/' . $name . $number++ . '.sql';
    append_to_file($file, join "\n", "SET lock_timeout = '3s';", @statements, '');
    my ($out, $error) = ('', '');
    my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $file ], '<', \undef, '>', \$out, '2>', \$error);
    return { name => $name, run => $run, out => \$out, error => \$error };
}

sub one { return $_[ rand @_ ] }

# A statement of a table that may have any name.
sub on
{
    my ($sql) = @_;
    my $table = one($plain, $parts);
    return sprintf q{DO $do$ BEGIN EXECUTE replace($sql$%s$sql$, '%%t', %d::regclass::text); END $do$;}, $sql, $table;
}

sub writes
{
    return map {
        my $sql = on(one(
            'INSERT INTO %t (id) SELECT (random() * 1000)::int FROM generate_series(1, 3)', 'INSERT INTO %t DEFAULT VALUES',
            'INSERT INTO %t SELECT * FROM %t LIMIT 20',
            sprintf('UPDATE %%t SET other = 1 WHERE id %% 97 = %d', rand 97), sprintf('UPDATE %%t SET id = id + 1 WHERE id %% 97 = %d', rand 97),
            sprintf('DELETE FROM %%t WHERE id %% 31 = %d', rand 31), sprintf('WITH d AS (DELETE FROM %%t WHERE id %% 89 = %d RETURNING *) INSERT INTO %%t SELECT * FROM d', rand 89)));
        rand() < 0.3 ? ('BEGIN ISOLATION LEVEL ' . one('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE') . ';', $sql, 'SAVEPOINT a;', on('INSERT INTO %t DEFAULT VALUES'), one('ROLLBACK TO a;', ''), one('COMMIT;', 'COMMIT;', 'ROLLBACK;'))
          : $sql
    } 1 .. 200;
}

# Each is done, and undone.
my @DDL = (
    [ 'ALTER TABLE %t RENAME at TO at_x', 'ALTER TABLE %t RENAME at_x TO at' ], [ q{ALTER TABLE %t RENAME w TO "it's"}, q{ALTER TABLE %t RENAME "it's" TO w} ],
    [ 'ALTER TABLE %t RENAME v TO z; ALTER TABLE %t RENAME other TO v', 'ALTER TABLE %t RENAME v TO other; ALTER TABLE %t RENAME z TO v' ],
    [ 'ALTER TYPE s.mood RENAME TO mood_x', 'ALTER TYPE s.mood_x RENAME TO mood' ], [ 'ALTER FUNCTION s.thirds(int) RENAME TO thirds_x', 'ALTER FUNCTION s.thirds_x(int) RENAME TO thirds' ],
    [ q{CREATE OR REPLACE FUNCTION s.halves(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 2 + 0'}, q{CREATE OR REPLACE FUNCTION s.halves(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 2'} ],
    [ 'ALTER DOMAIN s.positive ADD CONSTRAINT c CHECK (VALUE < 1000)', 'ALTER DOMAIN s.positive DROP CONSTRAINT c' ],
    [ 'ALTER TABLE %t ADD more int', 'ALTER TABLE %t DROP more' ], [ 'ALTER TABLE s.r_plain_log RENAME TO was_log', 'ALTER TABLE s.was_log RENAME TO r_plain_log' ],
    [ 'ALTER VIEW s.r_parts_query RENAME TO was_query', 'ALTER VIEW s.was_query RENAME TO r_parts_query' ], [ 'ALTER TABLE s.r_rows_state RENAME TO was_state', 'ALTER TABLE s.was_state RENAME TO r_rows_state' ],
    [ 'ALTER VIEW s.r_part_rows RENAME TO was', 'ALTER VIEW s.was RENAME TO r_part_rows' ], [ 'CREATE INDEX i ON s.r_plain_log (hour)', 'DROP INDEX s.i' ], [ 'ANALYZE s.r_parts_log', 'ANALYZE s.r_rows_rows' ],
    [ 'ALTER TABLE s.parts DETACH PARTITION s.part_2', 'ALTER TABLE s.parts ATTACH PARTITION s.part_2 FOR VALUES WITH (MODULUS 3, REMAINDER 2)' ]);
my @undone = map { 0 } @DDL;
sub changes
{
    my @changes;
    for (1 .. 60)
    {
        my $i = int rand @DDL;
        push @changes, "SELECT rollup_refresh($view{one('r_plain', 'r_rows', 'r_parts', 'r_part_rows')}::regclass);" if rand() < 0.3;
        my $sql = $DDL[$i][ $undone[$i] ];
        $undone[$i] = 1 - $undone[$i];
        push @changes, $sql =~ /%t/ ? sprintf(q{DO $do$ BEGIN EXECUTE replace($sql$%s$sql$, '%%t', %d::regclass::text); END $do$;}, $sql, $plain) : "$sql;", 'SELECT pg_sleep(0.01);';
    }
    return @changes;
}

sub comparisons
{
    my ($at_end) = @_;
    return map {
        my $rollup = one(map { $_->[0] } @ROLLUPS);
        my ($is, $query) = map { $view{$_} } "r_$rollup", "r_${rollup}_query";
        # The partition that is away is still counted.
        sprintf q{DO $do$ DECLARE found bigint; BEGIN EXECUTE format('SELECT count(*) FROM ((TABLE %%1$s EXCEPT ALL TABLE %%2$s) UNION ALL (TABLE %%2$s EXCEPT ALL TABLE %%1$s)) AS d', %d::regclass, %d::regclass) INTO found;
            IF found > 0 AND %s THEN RAISE 'differs: %s, %%', found; END IF; RAISE WARNING 'compared'; END $do$;}, $is, $query, $rollup =~ /part/ && !$at_end ? 'false' : 'true', $rollup
    } 1 .. 20;
}

my $end = time + $SECONDS;
my (%errors, $compared, $changed);
my %running;
while (time < $end || grep { defined } values %running)
{
    for my $name (qw(writer1 writer2 writer3 changer reader))
    {
        if (my $session = $running{$name})
        {
            $session->{run}->pump_nb if $session->{run}->pumpable;
            next if $session->{run}->pumpable;
            $session->{run}->finish;
            $compared++ while ${ $session->{error} } =~ /WARNING:  compared/g;
            $changed += 60 if $name eq 'changer';
            $errors{ $name =~ s/\d//r }{$_}++ for ${ $session->{error} } =~ /ERROR:  (.*)/g;
            $running{$name} = undef;
        }
        # Changes go in one order, so that each is undone.
        $running{$name} = session($name, $name =~ /writer/ ? writes() : $name eq 'changer' ? changes() : comparisons()) if time < $end && !$running{$name};
    }
    select undef, undef, undef, 0.02;
}
for my $i (grep { $undone[$_] } 0 .. $#DDL)
{
    $node->psql('postgres', $DDL[$i][1] =~ s/%t/$plain/r =~ s/(\d{5,})/s.plain/r, stderr => \my $ignored);
}
my @wrong = grep { !/^(could not serialize|current transaction is aborted|savepoint "a" does not exist|deadlock|tuple to be locked was already moved|canceling statement due to lock timeout|column "(at|w|v|other|it's|m)" .*does not exist|relation ".*" does not exist|tuple concurrently|no partition|partition|.*violates partition|.*is not a partition|cache lookup failed for (relation|type)|null value in column "at"|.*violates check constraint|column .* is of type|value for domain)/ } sort keys %{ $errors{writer} // {} };
is(join("\n", @wrong), '', 'writers fail only for what is theirs') || diag explain \%errors;
note explain \%errors;
is(join("\n", grep { /differs/ } keys %{ $errors{reader} // {} }), '', 'the views equal their queries');
cmp_ok($compared // 0, '>', 5, 'which was compared') && note "$compared comparisons, $changed changes";
$node->safe_psql('postgres', qq{SELECT rollup_repair($view{"r_$_->[0]"}::regclass)}) for grep { $_->[0] =~ /part/ } @ROLLUPS;
is_query($node, 'SELECT count(problem) FROM rollup_list()', 0, 'nothing is wrong');
for my $rollup (map { $_->[0] } @ROLLUPS)
{
    is_query($node, "SELECT count(*) FROM rollup_check($view{\"r_$rollup\"}::regclass)", 0, "$rollup: equal");
    $node->safe_psql('postgres', "SELECT rollup_refresh($view{\"r_$rollup\"}::regclass)");
    is_query($node, "SELECT count(*) FROM rollup_check($view{\"r_$rollup\"}::regclass)", 0, "$rollup: equal, refreshed");
}

done_testing();
