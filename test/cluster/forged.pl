# Rollups on Citus, whose trigger function everybody may execute: whatever a role with CREATE on the schema hangs it on, with
# the token of the rollup, nothing runs as the rollup's owner, and nothing is counted.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../t/lib", $FindBin::Bin;
use CitusCluster;
use SketchTest;
use Test::More;

my ($node, @workers) = citus_cluster();

sub sql { return $node->safe_psql('postgres', $_[0]) }

# What mallory is told.
sub mallory
{
    my ($on, $sql) = @_;
    $on->psql('postgres', "SET citus.enable_ddl_propagation = off; SET search_path = team, public;\n$sql", stderr => \my $error, on_error_stop => 0, extra_params => [ '-U', 'mallory' ]);
    return $error;
}

# parent is partitioned; of kept_by, somebody else than the owner of the rollup owns the table.
sql(<<'SQL');
CREATE ROLE mallory LOGIN;
CREATE ROLE owner1 LOGIN;
CREATE ROLE writer LOGIN;
CREATE SCHEMA team;
GRANT USAGE, CREATE ON SCHEMA team TO mallory, owner1;
GRANT USAGE ON SCHEMA team TO writer;
CREATE TABLE team.su (tenant int NOT NULL, at timestamptz NOT NULL, v int);
SELECT create_distributed_table('team.su', 'tenant', colocate_with => 'none');
SELECT rollup_create('team.r_su', $$SELECT tenant, date_bin('1 hour', at, '2000-01-01Z') AS hour, count(*) AS n, max(v) AS v FROM team.su GROUP BY 1, 2$$);
SET ROLE owner1;
CREATE TABLE team.own (tenant int NOT NULL, at timestamptz NOT NULL, v int);
SELECT create_distributed_table('team.own', 'tenant', colocate_with => 'none');
SELECT rollup_create('team.r_own', $$SELECT tenant, date_bin('1 hour', at, '2000-01-01Z') AS hour, count(*) AS n, max(v) AS v FROM team.own GROUP BY 1, 2$$);
CREATE TABLE team.parted (tenant int NOT NULL, at timestamptz NOT NULL, v int) PARTITION BY RANGE (at);
CREATE TABLE team.parted_1 PARTITION OF team.parted FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
SELECT create_distributed_table('team.parted', 'tenant', colocate_with => 'none');
SELECT rollup_create('team.r_parted', $$SELECT tenant, date_bin('1 hour', at, '2000-01-01Z') AS hour, count(*) AS n, max(v) AS v FROM team.parted GROUP BY 1, 2$$);
INSERT INTO team.parted SELECT i % 20, '2026-01-01', i FROM generate_series(1, 100) AS i;
RESET ROLE;
SQL
for my $table (qw(su own))
{
    sql("INSERT INTO team.$table SELECT i % 20, '2026-01-01', i FROM generate_series(1, 100) AS i; SELECT rollup_refresh('team.r_$table'); INSERT INTO team.$table VALUES (1, '2026-01-01', 1)");
}
my $added = add_worker($node, 'worker_3');
my %sums = map { $_ => sql("SELECT sum(n) FROM team.r_$_") } qw(su own parted);
is_deeply(\%sums, { su => 101, own => 101, parted => 100 }, 'three rollups');
# What triggers of a rollup have, where everybody can read it.
my %token = map { $_ => sql("SELECT token FROM team.r_${_}_bounds") } qw(su own parted);

# The numbers of a shard that the node does not have, and of those beside it.
sub shards
{
    my ($on, $table) = @_;
    my ($number) = split /\n/, sql("SELECT shardid FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
        WHERE logicalrelid = 'team.$table'::regclass AND nodeport <> ${\$on->port} ORDER BY 1");
    my %numbers = map { split /\|/ } split /\n/, sql("SELECT logicalrelid::regclass, shardid FROM pg_dist_shard WHERE shardid = ANY (get_colocated_shard_array($number))");
    return map { $numbers{"team.$_"} } $table, "r_${table}_log", "r_${table}_rows";
}

sub local_shard
{
    my ($on, $table) = @_;
    return $on->safe_psql('postgres', "SELECT shard_name('team.$table', min(s.shardid)) FROM pg_dist_shard AS s JOIN pg_dist_placement USING (shardid)
        JOIN pg_dist_local_group USING (groupid) WHERE logicalrelid = 'team.$table'::regclass");
}

# As the rollup's owner, what mallory would gain. It also says who ran it.
my $evil = <<'SQL';
CREATE FUNCTION team.evil() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL citus.enable_alter_role_propagation = off;
    RAISE WARNING 'evil ran as %', current_user;
    IF current_user = 'postgres' THEN ALTER ROLE mallory SUPERUSER; END IF;
    RETURN new;
END $$;
CREATE FUNCTION team.evil(int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RAISE WARNING 'evil ran as %', current_user;
    RETURN $1;
END $$;
SQL
sub is_refused
{
    my ($name, $on, $sql, $error) = @_;
    my $found = mallory($on, $sql);
    my $ran = join ', ', grep { $_ ne 'mallory' } $found =~ /evil ran as (\w+)/g;
    ok($ran eq '' && $found =~ $error, $on->name . ": $name") || diag("ran as: $ran\n$found");
    is($on->safe_psql('postgres', q{SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'}), 'f', 'and mallory is no superuser') || $on->safe_psql('postgres', 'SET citus.enable_alter_role_propagation = off; ALTER ROLE mallory NOSUPERUSER');
    for my $table (qw(su own parted))
    {
        is(sql("SELECT sum(n) FROM team.r_$table"), $sums{$table}, "... r_$table counts what it did");
    }
    return;
}

for my $on ($added, $workers[0])
{
    mallory($on, $evil);
    for my $table (qw(su own parted))
    {
        my ($shard, $log, $rows) = shards($on, $table);
        my $columns = 'tenant int NOT NULL, at timestamptz NOT NULL, v int';
        my $trigger = "REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token{$table}')";
        my $insert = "INSERT INTO ${table}_$shard VALUES (1, '2026-01-01', 1)";
        my $no = qr/is no shard of team\.$table that this node has|is not one that a rollup has|must be owner|permission denied/;

        is_refused("a table with the name of a shard of $table, and a log beside it", $on, <<"SQL", $no);
CREATE TABLE ${table}_$shard ($columns);
CREATE TABLE r_${table}_log_$log (mark int2, tenant int, hour timestamptz, n bigint, v int); GRANT ALL ON r_${table}_log_$log TO PUBLIC;
CREATE TRIGGER evil BEFORE INSERT ON r_${table}_log_$log FOR EACH ROW EXECUTE FUNCTION evil();
CREATE TRIGGER t AFTER INSERT ON ${table}_$shard $trigger;
$insert;
SQL
        is_refused('... whose log is a view', $on, <<"SQL", $no);
DROP TABLE r_${table}_log_$log;
CREATE VIEW r_${table}_log_$log AS SELECT 0::int2 AS mark, 1 AS tenant, now() AS hour, 1::bigint AS n, 1 AS v; GRANT ALL ON r_${table}_log_$log TO PUBLIC;
CREATE TRIGGER evil INSTEAD OF INSERT ON r_${table}_log_$log FOR EACH ROW EXECUTE FUNCTION evil();
$insert;
DROP VIEW r_${table}_log_$log;
SQL
        is_refused('a log with the name of a shard', $on, <<"SQL", qr/is no shard of team\.r_${table}_log/);
CREATE TABLE r_${table}_log_$log (mark int2, tenant int, hour timestamptz, n bigint, v int); GRANT ALL ON r_${table}_log_$log TO PUBLIC;
CREATE TABLE r_${table}_rows_$rows (tenant int, hour timestamptz, n bigint, v int); GRANT ALL ON r_${table}_rows_$rows TO PUBLIC;
CREATE TRIGGER evil BEFORE INSERT ON r_${table}_rows_$rows FOR EACH ROW EXECUTE FUNCTION evil();
CREATE TRIGGER t AFTER UPDATE ON r_${table}_log_$log FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token{$table}');
UPDATE r_${table}_log_$log SET mark = 0;
DROP TABLE r_${table}_log_$log, r_${table}_rows_$rows, ${table}_$shard;
SQL
        is_refused('columns whose casts run a function', $on, <<"SQL", $no);
CREATE TYPE evil_time AS (a int);
CREATE FUNCTION evil_cast(evil_time) RETURNS timestamptz LANGUAGE plpgsql AS \$\$ BEGIN PERFORM team.evil(1); RETURN '2026-01-01'; END \$\$;
CREATE CAST (evil_time AS timestamptz) WITH FUNCTION evil_cast(evil_time) AS IMPLICIT;
CREATE TABLE ${table}_$shard (tenant int, at evil_time, v int);
CREATE TRIGGER t AFTER INSERT ON ${table}_$shard $trigger;
INSERT INTO ${table}_$shard VALUES (1, ROW(1), 1);
DROP TABLE ${table}_$shard;
DROP TYPE evil_time CASCADE;
SQL
        is_refused('a trigger without transition tables, and a temporary view instead', $on, <<"SQL", $no);
CREATE TABLE ${table}_$shard ($columns);
CREATE TEMP VIEW rollup_new AS SELECT team.evil(1) AS tenant, timestamptz '2026-01-01' AS at, 1 AS v;
CREATE TRIGGER t AFTER INSERT ON ${table}_$shard FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token{$table}');
$insert;
DROP TABLE ${table}_$shard;
SQL
        is_refused('... of a table of any name', $on, <<"SQL", $no);
CREATE TABLE mine ($columns);
CREATE TEMP VIEW rollup_new AS SELECT team.evil(1) AS tenant, timestamptz '2026-01-01' AS at, 1 AS v;
CREATE TRIGGER t AFTER INSERT ON mine FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token{$table}');
CREATE TRIGGER u AFTER TRUNCATE ON mine FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token{$table}');
INSERT INTO mine VALUES (1, '2026-01-01', 1);
TRUNCATE mine;
DROP TABLE mine;
SQL
        is_refused('a parent and a child that both have the trigger', $on, <<"SQL", $no);
CREATE TABLE mine ($columns);
CREATE TABLE ${table}_$shard () INHERITS (mine);
CREATE TRIGGER t AFTER INSERT ON mine $trigger;
INSERT INTO mine VALUES (1, '2026-01-01', 1);
CREATE TRIGGER t AFTER INSERT ON ${table}_$shard REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token{$table}');
$insert;
DROP TABLE mine CASCADE;
SQL
        is_refused('a partition with the name of a shard', $on, <<"SQL", $no);
CREATE TABLE mine ($columns) PARTITION BY LIST (v);
CREATE TABLE ${table}_$shard PARTITION OF mine DEFAULT;
CREATE TRIGGER t AFTER INSERT ON ${table}_$shard $trigger;
CREATE TRIGGER u AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION public._rollup_write('$token{$table}');
$insert;
INSERT INTO mine VALUES (1, '2026-01-01', 1);
DROP TABLE mine;
SQL
        is_refused('a view with the name of a shard', $on, <<"SQL", $no);
CREATE VIEW ${table}_$shard AS SELECT 1 AS tenant, now() AS at, 1 AS v;
CREATE TRIGGER t INSTEAD OF INSERT ON ${table}_$shard FOR EACH ROW EXECUTE FUNCTION public._rollup_write('$token{$table}');
$insert;
DROP VIEW ${table}_$shard;
SQL
        is_refused('a temporary table with the name of a shard', $on, <<"SQL", $no);
CREATE TEMP TABLE ${table}_$shard ($columns);
CREATE TRIGGER t AFTER INSERT ON ${table}_$shard $trigger;
INSERT INTO pg_temp.${table}_$shard VALUES (1, '2026-01-01', 1);
SQL
    }
    # Tables of mallory's own that are distributed, and beside those of the rollup.
    sql(<<'SQL');
SET ROLE mallory;
CREATE TABLE team.mine (tenant int NOT NULL, at timestamptz NOT NULL, v int);
SELECT create_distributed_table('team.mine', 'tenant', colocate_with => 'team.own');
RESET ROLE;
SQL
    my $mine = $on == $added ? '' : $on->safe_psql('postgres', q{SELECT shard_name('team.mine', s.shardid) FROM pg_dist_shard AS s JOIN pg_dist_placement USING (shardid)
        JOIN pg_dist_local_group USING (groupid) WHERE logicalrelid = 'team.mine'::regclass LIMIT 1});
    is_refused('a shard of a table of mallory\'s', $on, <<"SQL", qr/^$/) if $mine;    # it could be a partition that was detached: nothing is logged
CREATE TRIGGER t AFTER INSERT ON $mine REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token{own}');
SET citus.enable_manual_changes_to_shards = on;
INSERT INTO $mine VALUES (1, '2026-01-01', 1);
SQL
    sql('DROP TABLE team.mine');
}

# ---- what mallory can call, and may not make ----------------------------------------------------

{
    my $on = $workers[1];
    my $shard = local_shard($on, 'own');
    my $log = local_shard($on, 'r_own_log');
    for my $attack (
        [ 'the trigger', 'SELECT _rollup_write()', qr/is the trigger function of rollups|can only be called as trigger/ ],
        [ 'the bounds', "UPDATE r_own_bounds SET fold = ARRAY['SELECT team.evil(1)']", qr/permission denied for table r_own_bounds/ ],
        [ 'a child of a shard', "CREATE TABLE mine () INHERITS ($shard)", qr/must be owner/ ],
        [ 'a partition of a shard', 'CREATE TABLE mine PARTITION OF ' . local_shard($on, 'parted') . q{ FOR VALUES FROM ('2028-01-01') TO ('2029-01-01')}, qr/must be owner/ ],
        [ 'a table of the owner', 'CREATE TABLE mine (a int); ALTER TABLE mine OWNER TO owner1; DROP TABLE mine', qr/must be (?:able to SET ROLE|member of role)/ ],
        [ 'a placement', "SET application_name = 'citus_internal gpid=10000000001'; SELECT citus_internal.add_placement_metadata(${\($shard =~ /(\d+)$/)}, 0::bigint, 2, 999999)", qr/must be owner|permission denied/ ],
        [ 'a shard', "SET application_name = 'citus_internal gpid=10000000001'; SELECT citus_internal.add_shard_metadata('team.own', 999999, 't', '1', '2')", qr/must be owner|permission denied/ ])
    {
        my ($name, $sql, $error) = @$attack;
        is_refused($name, $on, $sql, $error);
    }
}

# A schema that was renamed: writers do not notice.
sql(<<'SQL');
CREATE SCHEMA was;
GRANT ALL ON SCHEMA was TO owner1;
SET ROLE owner1;
CREATE TABLE was.own2 (tenant int NOT NULL, v int);
SELECT create_distributed_table('was.own2', 'tenant', colocate_with => 'none');
SELECT rollup_create('was.r_own2', 'SELECT tenant, count(*) AS n, max(v) AS v FROM was.own2 GROUP BY 1');
RESET ROLE;
ALTER SCHEMA was RENAME TO is_now;
ALTER TABLE is_now.own2 RENAME v TO w;
ALTER TABLE is_now.own2 RENAME TO own3;
INSERT INTO is_now.own3 VALUES (1, 1), (2, 2);
SELECT rollup_refresh('is_now.r_own2');
INSERT INTO is_now.own3 VALUES (1, 5);
SQL
is(sql('SELECT string_agg(r::text, $$;$$ ORDER BY r) FROM is_now.r_own2 AS r'), '(1,2,5);(2,1,2)', 'a schema, a table and a column are renamed');

# ---- who may make triggers of the table ----------------------------------------------------------

my $on = $workers[1];
mallory($on, $evil);
sql('GRANT INSERT, TRIGGER, SELECT ON team.own, team.parted, team.parted_1 TO mallory');
for my $table (qw(own parted parted_1))
{
    my $shard = local_shard($on, $table);
    my $write = "EXECUTE FUNCTION public._rollup_write('$token{$table =~ s/_1$//r}')";
    for my $trigger (
        [ 'a second trigger', "AFTER INSERT ON $shard REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT $write" ],
        [ 'one without the transition table', "AFTER INSERT OR UPDATE ON $shard FOR EACH STATEMENT $write" ],
        [ 'one for a table of another name', "AFTER INSERT ON $shard REFERENCING NEW TABLE AS rollup_old FOR EACH STATEMENT $write" ])
    {
        my ($name, $make) = @$trigger;
        $sums{$table =~ s/_1$//r}++;    # the row, counted once, by the elder trigger
        is_refused("$name, of $shard", $on, <<"SQL", qr/^$/);
SET citus.enable_manual_changes_to_shards = on;
CREATE TEMP VIEW rollup_new AS SELECT team.evil(1) AS tenant, timestamptz '2026-01-01' AS at, 1 AS v;
CREATE TEMP VIEW rollup_old AS SELECT team.evil(1) AS tenant, timestamptz '2026-01-01' AS at, 1 AS v;
CREATE TRIGGER forged $make;
INSERT INTO $shard VALUES (1, '2026-01-01', 1);
SQL
        $on->safe_psql('postgres', "SET citus.enable_ddl_propagation = off; DROP TRIGGER forged ON $shard");
    }
}

# ---- nodes that do not know yet that a shard was moved to them ------------------------------------

{
    my $shard = local_shard($on, 'own');
    my ($number) = $shard =~ /(\d+)$/;
    my $insert = "SET citus.enable_manual_changes_to_shards = on; INSERT INTO $shard SELECT tenant, at, v FROM $shard LIMIT 1";
    my $placement = $on->safe_psql('postgres', "SELECT p FROM pg_dist_placement AS p WHERE shardid = $number");
    $on->safe_psql('postgres', "DELETE FROM pg_dist_placement WHERE shardid = $number");
    isnt($on->psql('postgres', $insert, stderr => \my $error), 0, 'a shard that the node does not have');
    like($error, qr/is no shard of team\.own that this node has\nHINT:  Try again if a shard was moved just now/, 'is refused');
    is(sql('SELECT sum(n) FROM team.r_own'), $sums{own}, 'and nothing was counted');
    my $writer = start_psql($on, $insert);
    select undef, undef, undef, 0.3;
    $on->safe_psql('postgres', "INSERT INTO pg_dist_placement SELECT (p).* FROM (SELECT '$placement'::pg_dist_placement AS p) AS given");
    finish_psql($writer);
    is($writer->{err}, '', 'but waited for');
    $sums{own}++;
    is(sql('SELECT sum(n) FROM team.r_own'), $sums{own}, 'and written');
}

# ---- shards that went ----------------------------------------------------------------------------

# A session that wrote to a shard, which then moves and leaves its tables behind until they are cleaned up.
my $shard = local_shard($workers[0], 'own');
my ($number) = $shard =~ /(\d+)$/;
my ($log) = sql("SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'team.r_own_log'::regclass AND shardid = ANY (get_colocated_shard_array($number))");
sql('ALTER SYSTEM SET citus.defer_shard_delete_interval = -1; SELECT pg_reload_conf()');
my $insert = "INSERT INTO $shard SELECT tenant, at, v FROM $shard LIMIT 1";
$workers[0]->safe_psql('postgres', "SET citus.enable_manual_changes_to_shards = on; $insert");
$sums{own}++;
is(sql('SELECT sum(n) FROM team.r_own'), $sums{own}, 'a write to a shard is counted');
my $session = $workers[0]->background_psql('postgres', on_error_stop => 0);
$session->query_safe("SET citus.enable_manual_changes_to_shards = on; $insert");
$sums{own}++;
sql("SELECT citus_move_shard_placement($number, '127.0.0.1', ${\$workers[0]->port}, '127.0.0.1', ${\$added->port}, 'block_writes')");
is($workers[0]->safe_psql('postgres', "SELECT to_regclass('$shard') IS NOT NULL"), 't', 'a shard that moved is still there');
my (undef, $failed) = $session->query($insert);
like($session->{stderr}, qr/is no shard of team\.own that this node has/, 'a session that wrote to it before does not write to it any more');
is(sql('SELECT sum(n) FROM team.r_own'), $sums{own}, 'and nothing was counted');
sql('CALL citus_cleanup_orphaned_resources()');
is($workers[0]->safe_psql('postgres', "SELECT to_regclass('$shard') IS NULL"), 't', 'the shard is gone');
is_refused('a table with the name of a shard that went', $workers[0], <<"SQL", qr/is no shard of team\.own that this node has/);
CREATE TABLE $shard (tenant int NOT NULL, at timestamptz NOT NULL, v int); GRANT ALL ON $shard TO PUBLIC;
CREATE TABLE team.r_own_log_$log (mark int2, tenant int, hour timestamptz, n bigint, v int); GRANT ALL ON team.r_own_log_$log TO PUBLIC;
CREATE TRIGGER evil BEFORE INSERT ON team.r_own_log_$log FOR EACH ROW EXECUTE FUNCTION evil();
CREATE TRIGGER t AFTER INSERT ON $shard REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token{own}');
INSERT INTO $shard VALUES (1, '2026-01-01', 1);
SQL
$session->query("INSERT INTO $shard VALUES (1, '2026-01-01', 1)");
unlike($session->{stderr}, qr/evil ran as (?!postgres)/, 'also by the session that knew the shard');
$session->quit;
is(sql('SELECT sum(n) FROM team.r_own'), $sums{own}, '... r_own counts what it did');
sql(q{INSERT INTO team.own SELECT i, '2026-01-01', i FROM generate_series(1, 40) AS i; SELECT rollup_refresh('team.r_own')});
is(sql('SELECT sum(n) FROM team.r_own'), $sums{own} + 40, 'writers of all shards write, and a refresh refreshes');
is(sql(q{SELECT count(*) FROM rollup_list() WHERE problem IS NOT NULL}), 0, 'nothing is wrong with any rollup');

done_testing();
