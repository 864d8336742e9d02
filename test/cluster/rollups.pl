# Rollups of tables that Citus distributes: what is refused, every kind of write, from every node, shapes of queries whose
# plans read all parts of the rollup in one statement of a shard, shards that move and split, nodes that come and crash, and
# a mix of all that. ROLLUP_SECONDS=600 runs the mix for ten minutes, ROLLUP_SEED repeats its choices.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../t/lib", $FindBin::Bin;
use CitusCluster;
use POSIX ();
use PostgreSQL::Test::Utils;
use SketchTest;
use Test::More;

my $seconds = $ENV{ROLLUP_SECONDS} // 60;
my $seed = $ENV{ROLLUP_SEED} // time;
my $dir = PostgreSQL::Test::Utils::tempdir();
my ($node, @workers) = citus_cluster();
srand $seed;

sub sql { return $node->safe_psql('postgres', $_[0]) }

my $query = q{SELECT tenant, date_trunc('hour', at) AS hour, page, count(*) AS requests, sum(visitor) AS visitors, hll_agg(visitor) AS users
    FROM events GROUP BY 1, 2, 3};
sql(<<'SQL');
CREATE TABLE events (id int NOT NULL, tenant int NOT NULL, at timestamp NOT NULL, page text, visitor int NOT NULL, ms float8, note text,
    PRIMARY KEY (tenant, id));
SELECT create_distributed_table('events', 'tenant');
CREATE INDEX ON events (tenant, date_trunc('hour', at));
INSERT INTO events SELECT i, i % 40, timestamp '2026-03-01' + i * interval '1 minute', nullif('/' || i % 5, '/0'), i % 300, i FROM generate_series(1, 3000) AS i;
SQL

# ---- what is refused, with the way out -----------------------------------------------------------

sql(<<'SQL');
CREATE TABLE everywhere (tenant int NOT NULL);
SELECT create_reference_table('everywhere');
CREATE TABLE managed (tenant int NOT NULL);
SELECT citus_add_local_table_to_metadata('managed');
SET citus.enable_schema_based_sharding = on;
CREATE SCHEMA its;
CREATE TABLE its.visits (tenant int NOT NULL);
RESET citus.enable_schema_based_sharding;
SET citus.shard_replication_factor = 2;
CREATE TABLE twice (tenant int NOT NULL);
SELECT create_distributed_table('twice', 'tenant', colocate_with => 'none');
RESET citus.shard_replication_factor;
CREATE TABLE single_shard (tenant int NOT NULL);
SELECT create_distributed_table('single_shard', NULL);
CREATE TABLE nullable (tenant int);
SELECT create_distributed_table('nullable', 'tenant', colocate_with => 'none');
CREATE SCHEMA "Sales";
SQL
for my $refused (
    [ 'page', 'SELECT page, count(*) FROM events GROUP BY 1', qr/needs the column by which the table is distributed, tenant, among its groups.*Add it to SELECT and GROUP BY, and declare it NOT NULL/s ],
    [ 'folded', 'SELECT tenant + 1 AS tenant, count(*) FROM events GROUP BY 1', qr/among its groups/ ],
    [ 'maybe', 'SELECT tenant, count(*) FROM nullable GROUP BY 1', qr/declare it NOT NULL/ ],
    [ 'reference', 'SELECT tenant, count(*) FROM everywhere GROUP BY 1', qr/not distributed by the hash of a column.*It is a reference table/s ],
    [ 'local', 'SELECT tenant, count(*) FROM managed GROUP BY 1', qr/not distributed by the hash.*undistribute_table\('public\.managed'\)/s ],
    [ 'one', 'SELECT tenant, count(*) FROM single_shard GROUP BY 1', qr/It has a single shard\. SELECT undistribute_table\('public\.single_shard'\), and distribute it by a column/ ],
    [ 'by_schema', 'SELECT tenant, count(*) FROM its.visits GROUP BY 1', qr/Its schema is distributed as a whole/ ],
    [ 'twice_a', 'SELECT tenant, count(*) FROM twice GROUP BY 1', qr/more than one placement.*shard_replication_factor = 1/s ])
{
    my ($name, $text, $error) = @$refused;
    $node->psql('postgres', "SELECT rollup_create('$name', \$q\$$text\$q\$)", stderr => \my $stderr);
    like($stderr, $error, "refused: $name");
}
is_query($node, q{SELECT rollup_create('"Hourly"', 'SELECT tenant, count(*) AS n FROM events GROUP BY 1'); SELECT rollup_refresh('"Hourly"'); SELECT (SELECT sum(n) FROM "Hourly") = (SELECT count(*) FROM events); SELECT rollup_drop('"Hourly"')},
    qq{"Hourly"\n\nt\n}, 'a name that has to be quoted');
raises($node, '0A000', qq{SELECT rollup_create('rows', \$\$$query\$\$, each_row => true)}, 'each_row of a distributed table');
raises($workers[0], '0A000', qq{SELECT rollup_create('hourly', \$\$$query\$\$)}, 'on a worker');

# ---- the script, and the rollup ------------------------------------------------------------------

my $script = sql(q{SELECT rollup_script('hourly', $$SELECT tenant, date_trunc('hour', at) AS hour, page, count(*) AS requests, hll_agg(visitor) AS users
    FROM events WHERE page <> '/health%' GROUP BY 1, 2, 3$$)});
is($script =~ s/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/TOKEN/gr, PostgreSQL::Test::Utils::slurp_file('test/cluster/rollup_script.out') =~ s/\n\z//r, 'the script, as it is in test/cluster/rollup_script.out');

# What rollup_create of each form made: it is read, written, refreshed and repaired by the library that is here.
for my $golden (glob 'test/golden/rollups/distributed/*.sql')
{
    my ($form) = $golden =~ m{(\d+)\.sql$};
    my $token = '01234567-89ab-4cde-8f01-23456789abcd';
    sql('BEGIN; ' . PostgreSQL::Test::Utils::slurp_file($golden) =~ s/TOKEN/$token/gr . '; COMMIT');
    is_query($node, q{SELECT form FROM hourly_state; SELECT count(*), count(problem) FROM rollup_list()}, "$form\n1|0", "form $form: what there is");
    for my $step ('', 'rollup_refresh', 'rollup_repair', 'rollup_refresh')
    {
        my $name = "form $form" . ($step && ", after $step");
        sql("SELECT $step('hourly')") if $step;
        for my $server ($node, @workers)
        {
            $server->safe_psql('postgres', <<'SQL');
BEGIN;
INSERT INTO events (id, tenant, at, page, visitor) SELECT (SELECT max(id) FROM events) + i, i % 40, '2026-03-01 10:00', nullif('/' || i % 5, '/0'), i FROM generate_series(1, 50) AS i;
DELETE FROM events WHERE tenant = (SELECT max(tenant) FROM events WHERE page = '/1') AND page = '/1';
UPDATE events SET page = '/u' WHERE tenant = 3;
COMMIT;
SQL
            is_query($server, q{SELECT (SELECT sum(requests) FROM hourly) = (SELECT count(*) FROM events WHERE page <> '/health%')}, 't', "$name: the sum is right");
        }
        is_query($node, q{SELECT count(*), (SELECT count(problem) FROM rollup_list()) FROM rollup_check('hourly')}, '0|0', "$name: equal, and nothing is wrong");
    }
    sql(q{SELECT rollup_drop('hourly')});
    is_query($node, q{SELECT count(*) FROM pg_class WHERE relname ~ '^hourly'}, 0, "form $form: dropped");
}

# The same tables on one node, with a plain rollup: all queries below are asked of both.
sql(<<"SQL");
SELECT rollup_create('hourly', \$\$$query\$\$);
CREATE TABLE tenants (tenant int PRIMARY KEY, name text);
CREATE TABLE titles (page text PRIMARY KEY, title text);
CREATE TABLE elsewhere (k int, tenant int);
CREATE TABLE here_only (tenant int, label text);
CREATE TABLE days (tenant int, day timestamp, n bigint);
INSERT INTO tenants SELECT i, 'name ' || i FROM generate_series(0, 45) AS i;
INSERT INTO titles VALUES ('/1', 'one'), ('/2', 'two'), ('/9', 'none');
INSERT INTO elsewhere SELECT i, i % 30 FROM generate_series(1, 100) AS i;
INSERT INTO here_only SELECT i, 'label' || i % 3 FROM generate_series(0, 20) AS i;
CREATE SCHEMA single;
CREATE TABLE single.events (LIKE events);
CREATE TABLE single.tenants AS TABLE tenants;
CREATE TABLE single.titles AS TABLE titles;
CREATE TABLE single.elsewhere AS TABLE elsewhere;
CREATE TABLE single.here_only AS TABLE here_only;
SELECT create_distributed_table('tenants', 'tenant', colocate_with => 'events');
SELECT create_reference_table('titles');
SELECT create_distributed_table('elsewhere', 'k', colocate_with => 'none');
SELECT create_distributed_table('days', 'tenant', colocate_with => 'events');
SET search_path = single, public;
SELECT rollup_create('single.hourly', \$\$$query\$\$);
SQL

sub is_equal
{
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is_query($node, q{SELECT (SELECT count(*) FROM rollup_check('hourly')), (SELECT sum(requests) FROM hourly) IS NOT DISTINCT FROM nullif((SELECT count(*) FROM events), 0)},
        '0|t', $name);
}

is_equal('a new rollup equals its query');
is_query($node, q{SELECT rollup_refresh('hourly') IS NULL; SELECT problem IS NULL, deltas + marked, uncomputed IS NULL, row_bytes > 100000 FROM rollup_status('hourly')}, "t\nt|0|t|t", 'a refresh');
is_equal('and is refreshed');
is_query($node, q{SELECT source, period, row_bytes > 100000, problem IS NULL FROM rollup_list() WHERE rollup = 'hourly'::regclass}, 'events|hour|t|t', 'rollup_list');

# ---- writes --------------------------------------------------------------------------------------

my @writes = (
    [ 'a row', q{INSERT INTO events VALUES (9001, 1, '2026-03-01 10:00', '/w', 1)} ],
    [ 'rows of several shards', q{INSERT INTO events SELECT 9100 + i, i, '2026-03-01 11:00', NULL, i FROM generate_series(1, 30) AS i} ],
    [ 'INSERT ... SELECT on the shards', q{INSERT INTO events SELECT id + 10000, tenant, at, page, visitor FROM events WHERE tenant < 20} ],
    [ '... to other shards', q{INSERT INTO events SELECT id + 30000, tenant + 1, at, page, visitor FROM events WHERE tenant < 10} ],
    [ '... by the coordinator', q{INSERT INTO events SELECT 60000 + row_number() OVER (), tenant, at, page, 7 FROM events ORDER BY tenant, id LIMIT 50} ],
    [ 'COPY', q{COPY events FROM PROGRAM 'for i in 1 2 3 4 5 6; do printf "%d\t%d\t2026-03-02 01:00\t/copy\t%d\t1\tx\n" 7000$i $i $i; done'} ],
    [ 'UPDATE of a tenant', q{UPDATE events SET page = '/u' WHERE tenant = 3 AND id % 3 = 0} ],
    [ 'UPDATE of all shards that moves rows to other groups', q{UPDATE events SET at = at + interval '1 hour', page = NULL WHERE id % 11 = 0} ],
    [ 'UPDATE of a column that is not read', q{UPDATE events SET note = 'n'} ],
    [ 'DELETE of a tenant', q{DELETE FROM events WHERE tenant = 7} ],
    [ 'DELETE of all shards', q{DELETE FROM events WHERE id % 13 = 0} ],
    [ 'ON CONFLICT', q{INSERT INTO events VALUES (9001, 1, '2026-03-01 12:00', '/w', 5) ON CONFLICT (tenant, id) DO UPDATE SET at = excluded.at} ],
    [ 'a CTE that deletes and inserts', q{WITH gone AS (DELETE FROM events WHERE tenant = 4 RETURNING *) INSERT INTO events SELECT id + 100000, tenant, at, '/cte', visitor FROM gone} ],
    [ 'savepoints', q{BEGIN; INSERT INTO events VALUES (9002, 1, '2026-03-01', 's', 1); SAVEPOINT s; DELETE FROM events WHERE tenant = 1; ROLLBACK TO s; UPDATE events SET page = 't' WHERE tenant = 2; COMMIT} ],
    [ 'ROLLBACK', q{BEGIN; DELETE FROM events; ROLLBACK} ],
    [ 'MERGE', q{MERGE INTO events AS e USING tenants AS t ON e.tenant = t.tenant AND e.id < 200 WHEN MATCHED AND e.visitor % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET page = '/merged'} ]);
for my $write (@writes)
{
    my ($name, $sql) = @$write;
    if ($name eq 'MERGE' && $node->psql('postgres', "EXPLAIN $sql") != 0)
    {
        note 'this Citus refuses the MERGE';
        next;
    }
    sql($sql);
    is_equal($name);
}
is_query($node, q{SELECT deltas > 0, marked > 0 FROM rollup_status('hourly')}, 't|t', 'all that is in the log');
sql(q{BEGIN; SELECT rollup_refresh('hourly'); ROLLBACK});
is_equal('a refresh that is rolled back');
sql(q{SELECT rollup_refresh('hourly', back_to => '2026-03-02')});
is_equal('a refresh back to a period');
is_query($node, q{SELECT min(hour) < '2026-03-02', max(hour) < '2026-03-02' FROM hourly_log}, 't|t', 'leaves what is older');
sql(q{SELECT rollup_refresh('hourly')});
is_equal('refreshed');
is_query($node, q{SELECT count(*) FROM hourly_log}, 0, 'an empty log');

# From workers: a shard that is there, and others; a trigger must find the log, though pg_class hides shards there.
for my $tenant (1 .. 8)
{
    $workers[0]->safe_psql('postgres', "INSERT INTO events VALUES (200001, $tenant, '2026-03-01', '/worker', 1), (200002, $tenant + 8, '2026-03-01', '/worker', 1)");
}
is_equal('INSERT on a worker');
$workers[1]->safe_psql('postgres', q{UPDATE events SET visitor = visitor + 1 WHERE page = '/worker'; DELETE FROM events WHERE tenant BETWEEN 5 AND 9});
is_equal('UPDATE and DELETE on a worker');

raises($workers[0], '42809', q{SELECT rollup_refresh('hourly')}, 'a worker has the view, and not the rest');
is($workers[0]->safe_psql('postgres', 'SELECT sum(requests) FROM hourly'), sql('SELECT count(*) FROM events'), 'which answers there, too');

# ---- frozen --------------------------------------------------------------------------------------

my $january = q{SELECT sum(requests) FROM hourly WHERE hour < '2026-02-01'};
sql(q{INSERT INTO events SELECT 300000 + i, i, '2026-01-01', 'old', i FROM generate_series(1, 40) AS i; SELECT rollup_freeze('hourly', before => '2026-02-01'); DELETE FROM events WHERE at < '2026-02-01'});
is_query($node, $january, 40, 'frozen groups keep rows that were deleted');
sql(q{INSERT INTO events VALUES (400000, 1, '2026-01-01', 'old', 1); SELECT rollup_refresh('hourly')});
is_query($node, "$january; SELECT frozen FROM rollup_status('hourly')", "41\n2026-02-01 00:00:00", 'and get late ones');
sql(q{UPDATE hourly_bounds SET frozen = '-infinity'; SELECT rollup_repair('hourly')});
is_equal('thawed, and repaired');
is_query($node, q{SELECT uncomputed FROM rollup_status('hourly')}, 'infinity', 'all is computed anew');

# ---- TRUNCATE, from any node ---------------------------------------------------------------------

for my $from ($node, $workers[0])
{
    sql('CREATE TABLE kept AS TABLE events');
    sql(q{SELECT rollup_refresh('hourly')});
    $from->safe_psql('postgres', 'TRUNCATE events');
    is_query($node, 'SELECT count(*) FROM hourly', 0, 'TRUNCATE on ' . $from->name);
    sql('INSERT INTO events TABLE kept; DROP TABLE kept');
    is_equal('and filled again');
}
sql(q{SELECT rollup_refresh('hourly')});

# ---- shapes of queries ---------------------------------------------------------------------------

my %shapes = (
    'star' => 'SELECT * FROM hourly',
    'one tenant' => 'SELECT * FROM hourly WHERE tenant = 5',
    'a sum' => 'SELECT sum(requests) FROM hourly',
    'groups' => q{SELECT page, sum(requests) FROM hourly WHERE hour > '2026-01-01' GROUP BY page},
    'merged' => q{SELECT date_trunc('month', hour) AS m, hll_union_cardinality_agg(users), sum(requests) FROM hourly GROUP BY 1 ORDER BY 1},
    'limit' => 'SELECT tenant, hour, page, requests FROM hourly ORDER BY requests DESC, tenant, hour, page LIMIT 10',
    'IN' => 'SELECT tenant, sum(requests) FROM hourly WHERE tenant IN (1, 2, 3) GROUP BY 1',
    'OR' => q{SELECT tenant, sum(requests) FROM hourly WHERE tenant = 1 OR page = '/1' GROUP BY 1},
    'co-located' => 'SELECT name, sum(requests) FROM hourly JOIN tenants USING (tenant) GROUP BY 1',
    'co-located, outer' => 'SELECT name, sum(requests) FROM tenants LEFT JOIN hourly USING (tenant) GROUP BY 1',
    'reference' => 'SELECT title, sum(requests) FROM hourly JOIN titles USING (page) GROUP BY 1',
    'reference, outer' => 'SELECT title, sum(requests) FROM hourly LEFT JOIN titles USING (page) GROUP BY 1',
    'reference first, outer' => 'SELECT title, sum(requests) FROM titles LEFT JOIN hourly USING (page) GROUP BY 1',
    'local' => 'SELECT label, sum(requests) FROM hourly JOIN here_only USING (tenant) GROUP BY 1',
    'not co-located' => 'SELECT sum(requests) FROM hourly AS h JOIN elsewhere AS o ON h.tenant = o.tenant',
    'self join' => q{SELECT sum(a.requests) FROM hourly AS a JOIN hourly AS b ON a.tenant = b.tenant AND a.hour = b.hour + interval '1 hour'},
    'self join by another column' => 'SELECT sum(a.requests) FROM hourly AS a JOIN hourly AS b ON a.page = b.page',
    'CTE' => 'WITH h AS (SELECT * FROM hourly) SELECT sum(requests) FROM h',
    'CTE, twice' => 'WITH h AS (SELECT * FROM hourly) SELECT (SELECT sum(requests) FROM h), count(*) FROM h',
    'CTE, materialized' => 'WITH h AS MATERIALIZED (SELECT * FROM hourly) SELECT sum(requests) FROM h',
    'window' => 'SELECT tenant, hour, page, sum(requests) OVER (PARTITION BY tenant ORDER BY hour, page) FROM hourly',
    'window over all' => 'SELECT tenant, hour, page, rank() OVER (ORDER BY requests) FROM hourly',
    'DISTINCT' => 'SELECT DISTINCT page FROM hourly',
    'count(DISTINCT)' => 'SELECT count(DISTINCT page) FROM hourly',
    'UNION ALL' => 'SELECT tenant, requests FROM hourly UNION ALL SELECT tenant, 1 FROM tenants',
    'EXCEPT' => 'SELECT tenant FROM tenants EXCEPT SELECT tenant FROM hourly',
    'EXISTS' => 'SELECT name FROM tenants AS t WHERE EXISTS (SELECT FROM hourly AS h WHERE h.tenant = t.tenant)',
    'IN (SELECT)' => 'SELECT name FROM tenants WHERE tenant IN (SELECT tenant FROM hourly)',
    'NOT IN (SELECT)' => 'SELECT name FROM tenants WHERE tenant NOT IN (SELECT tenant FROM hourly)',
    'scalar' => 'SELECT name, (SELECT sum(requests) FROM hourly AS h WHERE h.tenant = t.tenant) FROM tenants AS t',
    'scalar, alone' => 'SELECT name FROM tenants WHERE tenant = (SELECT max(tenant) FROM hourly)',
    'LATERAL' => 'SELECT name, s FROM tenants AS t, LATERAL (SELECT sum(requests) AS s FROM hourly AS h WHERE h.tenant = t.tenant) AS x',
    'subquery' => 'SELECT round(avg(n)) FROM (SELECT tenant, sum(requests) AS n FROM hourly GROUP BY tenant) AS x',
    'subquery by another column' => 'SELECT round(avg(n)) FROM (SELECT page, sum(requests) AS n FROM hourly GROUP BY page) AS x',
    'subquery with a limit' => 'SELECT sum(requests) FROM (SELECT * FROM hourly ORDER BY tenant, hour DESC, page LIMIT 10) AS x',
    'HAVING' => 'SELECT tenant FROM hourly GROUP BY tenant HAVING sum(requests) > 60',
    'FILTER' => q{SELECT sum(requests) FILTER (WHERE page = '/1') FROM hourly},
    'generate_series' => q{SELECT d, sum(requests) FROM generate_series(timestamp '2026-03-01', '2026-03-02', '1 hour') AS d LEFT JOIN hourly ON hour = d GROUP BY 1},
    'generate_series, one tenant' => q{SELECT d, sum(requests) FROM generate_series(timestamp '2026-03-01', '2026-03-02', '1 hour') AS d LEFT JOIN hourly ON hour = d AND tenant = 5 GROUP BY 1},
    '= ANY' => q{SELECT sum(requests) FROM hourly WHERE tenant = ANY ('{1,2}')},
    'stable' => q{SELECT sum(requests) FROM hourly WHERE hour > now() - interval '300 years'},
    'volatile' => 'SELECT count(*) >= 0 FROM hourly WHERE random() < 2',
    'false' => 'SELECT * FROM hourly WHERE false',
    'NULL' => 'SELECT * FROM hourly WHERE tenant IS NULL',
    'periods of a subquery' => 'SELECT sum(requests) FROM hourly WHERE hour IN (SELECT hour FROM hourly ORDER BY hour DESC LIMIT 1)',
    'OFFSET 0' => 'SELECT sum(requests) FROM (SELECT * FROM hourly OFFSET 0) AS x',
    'GROUPING SETS of a tenant' => 'SELECT page, sum(requests) FROM hourly WHERE tenant = 5 GROUP BY GROUPING SETS ((page), ())',
    'CASE' => 'SELECT CASE WHEN tenant > 3 THEN 1 END AS c, sum(requests) FROM hourly GROUP BY 1',
    'rollup and query' => 'SELECT count(*) FROM hourly AS h FULL JOIN hourly_query AS q USING (tenant, hour, page) WHERE h.requests <> q.requests');
my %changes = (
    'INSERT ... SELECT' => q{INSERT INTO days SELECT tenant, date_trunc('day', hour), sum(requests) FROM hourly GROUP BY 1, 2},
    'INSERT ... SELECT elsewhere' => 'INSERT INTO elsewhere SELECT requests, tenant FROM hourly',
    'INSERT ... SELECT here' => 'INSERT INTO here_only SELECT tenant, page FROM hourly',
    'CREATE TABLE AS' => 'CREATE TABLE made AS SELECT * FROM hourly',
    'UPDATE ... FROM' => q{UPDATE tenants AS t SET name = 'x' FROM hourly AS h WHERE h.tenant = t.tenant AND h.requests > 100000});

# The scans of shards of rows, log and table in each statement of a plan: those of a rollup have all of them, or none.
sub statements_of
{
    my ($plan) = @_;
    return map { my $statement = $_; [ map { scalar(() = $statement =~ /\bon ${_}_\d+/g) } qw(hourly_rows hourly_log events) ] } split /Distributed Subplan \d+_\d+/, $plan;
}

sub is_whole
{
    my ($name, $statement) = @_;
    my $plan = sql("EXPLAIN (COSTS OFF) $statement");
    my @parts = grep { $_->[0] + $_->[1] + $_->[2] > 0 } statements_of($plan);
    my @split = grep { $_->[0] < 2 || $_->[1] < 4 || $_->[2] < 2 } @parts;
    return ok(!@split && (@parts || $name =~ /^(?:false|NULL)$/), "$name: one statement of a shard reads the whole rollup") || diag($plan);
}

# Deltas, marks and rows that are not computed yet.
my @moments = (
    [ 'clean', '' ],
    [ 'with a log', q{INSERT INTO events SELECT 500000 + i, i % 40, timestamp '2026-03-01' + i * interval '7 minutes', '/' || i % 3, i FROM generate_series(1, 500) AS i;
        DELETE FROM events WHERE id % 17 = 0; UPDATE events SET page = '/moved' WHERE id % 19 = 0;} ],
    [ 'partly computed', q{UPDATE hourly_bounds SET stale = '2026-03-01 20:00';} ]);
is_whole($_, $shapes{$_}) for sort keys %shapes;
is_whole($_, $changes{$_}) for sort keys %changes;
my $plan = sql('EXPLAIN (COSTS OFF) SELECT * FROM hourly WHERE tenant = 5');
like($plan, qr/Task Count: 1\b/, 'one task for one tenant');
unlike($plan, qr/Distributed Subplan/, 'and no subplan');
# When nothing waits for a refresh, no query reads the table, which here has no index that a condition could use.
sql(q{CREATE TABLE bare (tenant int NOT NULL, at timestamp NOT NULL, page text, visitor int NOT NULL);
    SELECT create_distributed_table('bare', 'tenant');
    INSERT INTO bare SELECT i % 40, timestamp '2026-03-01' + i * interval '1 minute', 'p' || i % 7, i FROM generate_series(1, 40000) AS i;
    SELECT rollup_create('by_hour', $$SELECT tenant, date_trunc('hour', at) AS hour, page, count(*) AS n FROM bare GROUP BY 1, 2, 3$$);
    SELECT rollup_create('by_page', $$SELECT page, tenant, count(*) AS n, max(visitor) AS last FROM bare WHERE visitor > 9 GROUP BY 1, 2$$);
    SELECT rollup_refresh('by_hour'); SELECT rollup_refresh('by_page');});
for my $log ('new', 'once full')
{
    for my $query ('by_hour', q{by_hour WHERE tenant = 5 AND hour = '2026-03-20'}, q{by_hour WHERE hour = '2026-03-20'}, q{by_hour WHERE hour > '2026-03-27'},
        q{by_hour WHERE page = 'p1' AND tenant IN (1, 2)}, 'by_page', q{by_page WHERE page = 'p1'}, q{by_page WHERE tenant = 5 AND page = 'none'})
    {
        my $plan = sql("SET citus.explain_all_tasks = on; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT sum(n) FROM $query");
        my @read = grep { !/never executed/ } $plan =~ /(.*\bon bare_\d+.*)/g;
        ok($plan =~ /\bon bare_\d+/ && !@read, "a $log, empty log: $query does not read the table") || diag($plan);
    }
    sql($_) for 'UPDATE bare SET visitor = visitor + 1', 'ANALYZE by_hour_log', 'ANALYZE by_page_log', q{SELECT rollup_refresh('by_hour')}, q{SELECT rollup_refresh('by_page')};
}
sql(q{SELECT rollup_drop('by_hour'); SELECT rollup_drop('by_page'); DROP TABLE bare});

for my $moment (@moments)
{
    my ($state, $change) = @$moment;
    sql($change) if $change;
    sql('SET search_path = single, public; TRUNCATE single.events; INSERT INTO single.events TABLE public.events');
    sql(q{SELECT rollup_refresh('single.hourly')});
    my @differ;
    for my $name (sort keys %shapes)
    {
        my ($there, $here) = map { join "\n", sort split /\n/, sql("SET search_path = $_; $shapes{$name}") } 'public', 'single, public';
        push @differ, $name if $there ne $here;
    }
    is("@differ", '', "$state: " . keys(%shapes) . ' queries return what they return on one node');
}
raises($node, '0A000', 'SELECT page, sum(requests) FROM hourly GROUP BY GROUPING SETS ((page), ())', 'GROUPING SETS of all tenants are refused, as of any table');
sql(q{SELECT rollup_repair('hourly'); SELECT rollup_refresh('hourly')});
is(sql("PREPARE p (int) AS SELECT sum(requests) FROM hourly WHERE tenant = \$1;" . join ' ', map { "EXECUTE p ($_);" } 1 .. 8),
    join("\n", map { sql("SELECT sum(requests) FROM hourly_query WHERE tenant = $_") } 1 .. 8), 'a prepared statement');

# ---- isolation -----------------------------------------------------------------------------------

raises($node, '25001', q{SELECT rollup_refresh('hourly')}, 'refresh at REPEATABLE READ', before => 'BEGIN ISOLATION LEVEL REPEATABLE READ;');
raises($node, '25001', q{SELECT rollup_refresh('hourly')}, 'refresh after writes to several shards in the transaction',
    before => q{BEGIN; INSERT INTO events SELECT 600000 + i, i, '2026-03-01', 'x', 1 FROM generate_series(1, 30) AS i;});

# ---- rights --------------------------------------------------------------------------------------

sql(q{CREATE ROLE owner LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE mallory LOGIN; GRANT CREATE, USAGE ON SCHEMA public TO owner, mallory; GRANT USAGE ON SCHEMA public TO reader});
$node->safe_psql('postgres', <<'SQL', extra_params => [ '-U', 'owner' ]);
CREATE TABLE owned (tenant int NOT NULL, v int);
SELECT create_distributed_table('owned', 'tenant');
SELECT rollup_create('of_owner', 'SELECT tenant, count(*) AS n FROM owned GROUP BY 1');
INSERT INTO owned SELECT i % 5, i FROM generate_series(1, 50) AS i;
SELECT rollup_refresh('of_owner');
GRANT SELECT ON of_owner, of_owner_rows, of_owner_log, of_owner_bounds, owned TO reader;
GRANT INSERT ON owned TO reader;
SQL
is_query($node, 'SELECT sum(n) FROM of_owner', 50, 'an owner that is no superuser');
is($node->safe_psql('postgres', 'INSERT INTO owned VALUES (1, 1); SELECT sum(n) FROM of_owner', extra_params => [ '-U', 'reader' ]), 51, 'a reader with SELECT on the parts; a writer with none on the log');
is($node->safe_psql('postgres', 'SELECT count(*) > 0 FROM rollup_list()', extra_params => [ '-U', 'mallory' ]), 't', 'anybody lists');
# With a period and without, before a refresh and after it, as the owner, as anybody else and as superuser.
$node->safe_psql('postgres', <<'SQL', extra_params => [ '-U', 'owner' ]);
CREATE TABLE dated (tenant int NOT NULL, at timestamptz NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE dated_1 PARTITION OF dated FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE dated_2 PARTITION OF dated FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
SELECT create_distributed_table('dated', 'tenant', colocate_with => 'none');
SELECT rollup_create('by_day', $$SELECT tenant, date_bin('1 day', at, '2000-01-01Z') AS day, count(*) AS n FROM dated GROUP BY 1, 2$$);
INSERT INTO dated SELECT i % 5, timestamptz '2026-01-20Z' + i * interval '1 hour' FROM generate_series(1, 500) AS i;
GRANT SELECT ON by_day TO reader;
SQL
for my $change ('SELECT 1', q{SELECT rollup_refresh('by_day')}, q{SELECT rollup_freeze('by_day', '2026-01-10')})
{
    $node->safe_psql('postgres', $change, extra_params => [ '-U', 'owner' ]);
    for my $role ([ '-U', 'owner' ], [ '-U', 'reader' ], [])
    {
        is($node->safe_psql('postgres', q{SELECT r, problem IS NULL, refreshed IS NULL, uncomputed IS NULL FROM unnest('{of_owner,by_day}'::text[]) AS r, rollup_status(r);
            SELECT rollup, problem FROM rollup_list() WHERE owner = 'owner'::regrole ORDER BY rollup::text}, extra_params => $role),
            ($change eq 'SELECT 1' ? "of_owner|t|f|t\nby_day|t|t|f" : "of_owner|t|f|t\nby_day|t|f|t") . "\nby_day|\nof_owner|", "@$role: a rollup of an ordinary role has no problem");
    }
}
sql('ALTER TABLE dated DETACH PARTITION dated_1; DROP TABLE dated_1');
is_query($node, q{SELECT problem IS NULL FROM rollup_status('by_day')}, 't', 'a frozen partition went');
sql(q{UPDATE by_day_bounds SET frozen = '-infinity'});
is($node->safe_psql('postgres', q{SELECT problem FROM rollup_status('by_day')}, extra_params => [ '-U', 'owner' ]),
    q{public.dated_1 went, and is still counted: SELECT rollup_repair('public.by_day'), or rollup_freeze('public.by_day', ...) to keep its numbers}, 'a partition went that was not');

# The table and the view may be renamed and moved.
sql(q{SELECT rollup_repair('by_day')});
sql('CREATE SCHEMA moved; GRANT ALL ON SCHEMA moved TO owner');
for my $change ('ALTER TABLE dated RENAME TO dates', 'ALTER TABLE dates SET SCHEMA moved', 'ALTER SCHEMA moved RENAME TO elsewhere_now', 'ALTER VIEW by_day RENAME TO per_day', 'ALTER VIEW per_day RENAME TO by_day')
{
    sql($change);
    my $dates = sql(q{SELECT source FROM rollup_list() WHERE rollup::text ~ '_day$'});
    my $day = $change =~ /TO per_day/ ? 'per_day' : 'by_day';
    sql("INSERT INTO $dates SELECT i % 5, timestamptz '2026-02-20Z' FROM generate_series(1, 50) AS i; UPDATE $dates SET at = '2026-02-21' WHERE tenant = 1");
    is_query($node, "SELECT count(*) FROM rollup_check('$day'); SELECT marked > 0, problem IS NULL FROM rollup_status('$day')", "0\nt|t", "$change: its writers write");
    sql("SELECT rollup_refresh('$day'); TRUNCATE $dates");
    is_query($node, "SELECT count(*) FROM $day", 0, '... and a TRUNCATE');
}
sql(q{SELECT rollup_drop('by_day')});
isnt($node->psql('postgres', q{SELECT rollup_refresh('of_owner')}, extra_params => [ '-U', 'mallory' ]), 0, 'and does not refresh');

# ---- nodes and shards ----------------------------------------------------------------------------

my $worker = add_worker($node, 'worker_3');
# Everybody may execute the function of the triggers: it looks at what it hangs on.
my $token = sql('SELECT token FROM of_owner_bounds');
for my $how ('INSERT ON %s REFERENCING NEW TABLE AS n', 'UPDATE ON %s')
{
    my $shard = sql(q{SELECT shard_name('owned', min(shardid)) FROM pg_dist_shard WHERE logicalrelid = 'owned'::regclass}) =~ s/.*\.//r;
    my $trigger = sprintf $how, qq{"$shard"};
    my $error;
    $worker->psql('postgres', <<"SQL", stderr => \$error, extra_params => [ '-U', 'mallory' ]);
SET citus.enable_ddl_propagation = off;
CREATE TEMP TABLE "$shard" (tenant int, v int);
CREATE TRIGGER t AFTER $trigger FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('$token');
INSERT INTO "$shard" VALUES (1, 1);
UPDATE "$shard" SET v = 2;
SQL
    like($error, qr/is no shard of|none of .* beside it|is not one that a rollup has/, "$how: a table of somebody else's");
}
is_query($node, 'SELECT sum(n) FROM of_owner', 51, 'and nothing was forged');

sub shard_of
{
    my ($shard) = split /\n/, sql(q{SELECT s.shardid FROM pg_dist_shard AS s JOIN pg_dist_placement AS p USING (shardid) JOIN pg_dist_node AS n USING (groupid)
        WHERE logicalrelid = 'events'::regclass AND nodeport = } . $_[0]->port . ' ORDER BY 1 LIMIT 1');
    return $shard;
}

sub move
{
    my ($from, $to, $mode) = @_;
    return "SELECT citus_move_shard_placement(${\shard_of($from)}, '127.0.0.1', ${\$from->port}, '127.0.0.1', ${\$to->port}, '$mode')";
}

my $write = q{INSERT INTO events SELECT (SELECT max(id) FROM events) + i, i % 40, '2026-03-01 03:00', '/after', i FROM generate_series(1, 80) AS i;
    UPDATE events SET page = '/changed' WHERE id % 23 = 0; DELETE FROM events WHERE id % 29 = 0};
for my $mode (qw(force_logical block_writes))
{
    sql(move($workers[0], $worker, $mode));
    sql($write);
    is_equal("a shard moved, $mode");
    sql(q{SELECT rollup_refresh('hourly')});
    is_equal('and is refreshed');
}
sql('CREATE TABLE kept AS TABLE events; TRUNCATE events');
is_query($node, 'SELECT count(*) FROM hourly', 0, 'TRUNCATE where shards moved, which have its trigger, too');
sql('INSERT INTO events TABLE kept; DROP TABLE kept');
is_equal('filled again');
SKIP:
{
    my $shard = shard_of($workers[1]);
    my $split = sql("SELECT (shardminvalue::int8 + shardmaxvalue::int8) / 2 FROM pg_dist_shard WHERE shardid = $shard");
    my $node_id = sql('SELECT nodeid FROM pg_dist_node WHERE nodeport = ' . $workers[1]->port);
    sql("SELECT citus_split_shard_by_split_points($shard, ARRAY['$split'], ARRAY[$node_id, $node_id], 'block_writes')");
    sql($write);
    is_equal('a shard is split');
    sql(q{SELECT isolate_tenant_to_new_shard('events', 11, 'CASCADE', shard_transfer_mode => 'block_writes')});
    sql($write);
    sql(q{SELECT rollup_refresh('hourly')});
    is_equal('a tenant has a shard of its own');
}

# ---- partitions ----------------------------------------------------------------------------------

# Columns called as those of the parts.
sql(<<'SQL');
CREATE TABLE parted (id int NOT NULL, at timestamp NOT NULL, frozen text, stale int) PARTITION BY RANGE (at);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
SELECT create_distributed_table('parted', 'id', colocate_with => 'none');
SELECT rollup_create('parts', $$SELECT date_trunc('day', at) AS back_to, id, frozen, count(*) AS rollups, max(stale) AS stale FROM parted GROUP BY 1, 2, 3$$);
INSERT INTO parted SELECT i % 20, timestamp '2026-01-01' + i * interval '1 hour', 'f' || i % 3, i FROM generate_series(1, 1200) AS i;
SELECT rollup_refresh('parts');
SQL
for my $change (
    q{INSERT INTO parted_1 VALUES (1, '2026-01-05', 'direct', 1)},
    'DELETE FROM parted_2 WHERE stale % 7 = 0',
    q{UPDATE parted SET frozen = 'u' WHERE stale % 5 = 0},
    q{UPDATE parted SET at = at + interval '25 days' WHERE id = 3 AND at < '2026-01-20'},
    'TRUNCATE parted_2',
    q{CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM ('2026-03-01') TO ('2026-04-01'); INSERT INTO parted SELECT i % 20, '2026-03-05', 'new', i FROM generate_series(1, 50) AS i})
{
    sql($change);
    is_query($node, q{SELECT count(*) FROM rollup_check('parts')}, 0, "partitions: $change");
}
sql(q{INSERT INTO parted_3 VALUES (1, '2026-03-06', 'direct', 1)});
is_query($node, q{SELECT problem FROM rollup_status('parts')}, q{public.parted_3 was added: SELECT rollup_refresh('public.parts')}, 'a partition came');
sql(q{SELECT rollup_refresh('parts')});
is_query($node, q{SELECT count(*), problem IS NULL FROM rollup_status('parts') LEFT JOIN rollup_check('parts') ON true GROUP BY 2}, '1|t', 'and is taken in');
is_query($node, q{SELECT count(*) FROM rollup_check('parts')}, 0, 'with its rows');
sql(q{SELECT rollup_freeze('parts', '2026-02-01'); ALTER TABLE parted DETACH PARTITION parted_1; INSERT INTO parted_1 VALUES (1, '2026-01-05', 'direct', 1); DROP TABLE parted_1});
is_query($node, q{SELECT min(back_to) FROM parts}, '2026-01-01 00:00:00', 'a frozen partition goes');

# No period, names that need quotes, groups that can be NULL, another type of distribution column.
sql(<<'SQL');
CREATE TABLE odd (tenant uuid NOT NULL, kind text, v int, big numeric);
SELECT create_distributed_table('odd', 'tenant', colocate_with => 'none');
SELECT rollup_create('no_period', $$SELECT kind, tenant AS "the tenant", count(*) AS n, max(v) AS "Max", sum(big) AS s FROM odd WHERE kind <> 'x%1$s' OR kind IS NULL GROUP BY 1, 2$$);
SQL
for my $change (
    q{INSERT INTO odd SELECT md5((i % 20)::text)::uuid, CASE i % 4 WHEN 0 THEN 'x%1$s' WHEN 1 THEN 'y' WHEN 2 THEN 'z' END, i, i FROM generate_series(1, 1000) AS i},
    q{SELECT rollup_refresh('no_period')}, q{DELETE FROM odd WHERE v % 10 = 1}, q{UPDATE odd SET kind = NULL WHERE v % 10 = 2}, q{UPDATE odd SET kind = 'x' WHERE tenant = md5('3')::uuid},
    q{SELECT rollup_refresh('no_period')}, 'TRUNCATE odd', q{INSERT INTO odd VALUES (md5('1')::uuid, 'q', 5000, 1)}, q{SELECT rollup_refresh('no_period')})
{
    sql($change);
    is_query($node, q{SELECT count(*) FROM rollup_check('no_period')}, 0, "no period: $change");
}
like(sql(q{EXPLAIN (COSTS OFF) SELECT sum(n) FROM no_period WHERE "the tenant" = md5('1')::uuid}), qr/Task Count: 1\b/, 'and one task for one of its tenants');

# ---- a mix of all that ---------------------------------------------------------------------------

my $comparison = q{SELECT 'VIOLATION ' || count(*) FROM (SELECT * FROM hourly WHERE %1$s) AS h FULL JOIN (SELECT * FROM hourly_query WHERE %1$s) AS q
    ON h.tenant = q.tenant AND h.hour = q.hour AND ARRAY[h.page] = ARRAY[q.page]
    WHERE (h.requests, h.visitors, h.users) IS DISTINCT FROM (q.requests, q.visitors, q.users) HAVING count(*) > 0;};

sub pick { return $_[ rand @_ ] }

sub row { return sprintf "(%d, %d, '2026-03-01 %02d:%02d', %s, %d)", 1 + rand 1e9, rand 40, rand 12, rand 60, pick('NULL', "'/1'", "'/2'"), rand 300 }

sub change
{
    my $kind = rand;
    my $tenant = int rand 40;
    return 'INSERT INTO events VALUES ' . row() . ' ON CONFLICT DO NOTHING;' if $kind < 0.4;
    return 'INSERT INTO events VALUES ' . join(', ', map { row() } 1 .. 20) . ' ON CONFLICT DO NOTHING;' if $kind < 0.6;
    return "UPDATE events SET at = at + interval '1 hour', page = '/u' WHERE tenant = $tenant AND id % 7 = 0;" if $kind < 0.75;
    return "DELETE FROM events WHERE tenant = $tenant AND id % 3 = 0;" if $kind < 0.87;
    return 'DELETE FROM events WHERE id % 31 = ' . int(rand 31) . ';' if $kind < 0.91;
    return 'UPDATE events SET visitor = visitor + 1 WHERE id % 101 = ' . int(rand 101) . ';' if $kind < 0.94;
    return "INSERT INTO events SELECT id + 1000000000, tenant, at, page, visitor FROM events WHERE tenant = $tenant AND id < 1000000000 ON CONFLICT DO NOTHING;" if $kind < 0.97;
    return sprintf q{COPY events (id, tenant, at, page, visitor) FROM PROGRAM 'printf "%d\t%d\t2026-03-01 0%d:30\t/c\t1\n"';}, 1 + rand 1e9, $tenant, rand 10;
}

sub transaction
{
    return change() if rand() < 0.6;
    return join "\n", 'BEGIN;', change(), 'SAVEPOINT s;', change(), pick('ROLLBACK TO s;', 'RELEASE s;'), sprintf($comparison, 'tenant = ' . int rand 40), pick('COMMIT;', 'COMMIT;', 'ROLLBACK;');
}

sub client
{
    my ($name, $on, $until, $pause, $make) = @_;
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    srand($seed + unpack '%32C*', $name);
    open STDOUT, '>', "$dir/$name.out" or POSIX::_exit(1);
    open STDERR, '>', "$dir/$name.err" or POSIX::_exit(1);
    local $SIG{PIPE} = 'IGNORE';
    while (time < $until)
    {
        open my $psql, '|-', 'psql', qw(-X -A -t -q -v VERBOSITY=verbose -d), $on->connstr('postgres') or POSIX::_exit(1);
        $psql->autoflush(1);
        while (time < $until)
        {
            # What waits in the pipe when the time is up is not executed.
            print $psql "SELECT clock_timestamp() > to_timestamp($until) AS over \\gset\n\\if :over\n\\q\n\\endif\n", $make->(), "\n" or last;
            select undef, undef, undef, $pause;
        }
        close $psql;
        select undef, undef, undef, 0.2;
    }
    POSIX::_exit(0);
}

sub output { return join '', map { PostgreSQL::Test::Utils::slurp_file($_) } glob "$dir/$_[0]" }

sub run_mix
{
    my ($name, $duration, $moves, @crashes) = @_;
    my $until = time + $duration;
    my @pids = (
        (map { client("$name-writer$_", $node, $until, 0.02, \&transaction) } 1 .. 3), client("$name-writer4", $workers[1], $until, 0.02, \&transaction),
        (map { client("$name-reader$_", $node, $until, 0.05, sub { sprintf($comparison, pick('true', 'tenant = ' . int rand 40)) . "SELECT 'compared';" }) } 1 .. 2),
        client("$name-refresher1", $node, $until, 0.2, sub { q{SELECT rollup_refresh('hourly');} }),
        client("$name-refresher2", $node, $until, 0.3, sub { sprintf q{SELECT rollup_refresh('hourly', '2026-03-01 %02d:00');}, rand 12 }));
    push @pids, client("$name-truncater", $node, $until, 3, sub { 'TRUNCATE events;' }) if !@crashes;
    push @pids, client("$name-mover", $node, $until, 1, sub {
        my ($from, $to) = @{ pick([ $workers[1], $worker ], [ $worker, $workers[1] ], [ $workers[0], $worker ], [ $worker, $workers[0] ]) };
        sprintf q{SELECT citus_move_shard_placement(shardid, '127.0.0.1', %d, '127.0.0.1', %d, '%s') FROM (SELECT shardid FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
            JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'events'::regclass AND nodeport = %1$d ORDER BY random() LIMIT 1) AS s;}, $from->port, $to->port, pick('force_logical', 'block_writes');
    }) if $moves;
    for my $crashed (@crashes)
    {
        select undef, undef, undef, $duration / (1 + @crashes);
        $crashed->stop('immediate');
        $crashed->start;
    }
    waitpid $_, 0 for @pids;
    my @violations = output("$name-*.out") =~ /^VIOLATION.*/mg;
    is("@violations", '', "$name: every comparison finds the rollup equal to its query");
    my $compared = () = output("$name-reader*.out") =~ /compared/g;
    cmp_ok($compared, '>', 10, "$name: the readers compared");
    my $refreshed = () = output("$name-refresher*.out") =~ /^$/mg;
    my $moved = () = output("$name-mover*.out") =~ /^$/mg;
    diag("$name: $compared comparisons, $refreshed refreshes, $moved moves, seed $seed");
    my %unexpected;
    # Serialization, deadlocks (also of TRUNCATE and moves), what comes after them, a node that crashed, one move at a time. A
    # statement that Citus planned before it moved a shard may find none where it was.
    for my $file (glob "$dir/$name-*.err")
    {
        my ($client) = $file =~ /([^-]+)\.err$/;
        for my $error (PostgreSQL::Test::Utils::slurp_file($file) =~ /ERROR:  (\S+: .*)/g)
        {
            $unexpected{"$client: " . $error =~ s/\d{3,}/N/gr}++
              if $error !~ /^(?:40001|40P01|25P02|3B001|55P03|55006|57P0[123]|08\w{3}):/ && !(@crashes && $error =~ /XX000|58000|42704/)
              && !($moves && $error =~ /42P01: relation "public\.\w+_\d+" does not exist|shard move failed as the orphaned shard/);
        }
    }
    is(join('; ', map { "$_ ($unexpected{$_})" } sort keys %unexpected), '', "$name: no errors but those of concurrency");
    # Citus finishes what was prepared when a node crashed.
    sql('SELECT recover_prepared_transactions()');
    is_equal("$name: at the end");
    sql(q{SELECT rollup_refresh('hourly')});
    is_equal("$name: refreshed");
    return;
}

run_mix('mix', $seconds, 1);
run_mix('crashes', 15, 0, $workers[0], $workers[1]);

# ---- what takes the shards apart -----------------------------------------------------------------

$node->psql('postgres', q{SELECT alter_distributed_table('events', shard_count => 4, cascade_to_colocated => true)}, stderr => \my $refusal);
like($refusal, qr/triggers are not supported/, 'Citus refuses another number of shards while there are triggers');
# It makes views anew, so this one is no rollup any more.
sql(q{SELECT undistribute_table('hourly_rows')});
is_query($node, q{SELECT problem FROM rollup_list() WHERE problem IS NOT NULL}, q{its view is gone: SELECT rollup_drop('public.hourly')}, 'rows that are not distributed any more');
raises($node, '42809', q{SELECT rollup_refresh('hourly')}, 'are not refreshed');
sql(q{SELECT rollup_drop('hourly')});
sql("SELECT rollup_create('hourly', \$\$$query\$\$); SELECT rollup_refresh('hourly')");
is_equal('dropped, and made again');
sql(q{SET citus.enable_unsafe_triggers = on; SELECT undistribute_table('events')});
is_query($node, q{SELECT count(*) FROM rollup_list() WHERE problem ~ 'rollup_drop'}, 1, 'a table that is not distributed any more');
$node->psql('postgres', q{INSERT INTO events VALUES (1, 1, '2026-03-01', 'x', 1)}, stderr => \my $apart);
like($apart, qr/is no shard of public\.events that this node has.*rollup_drop/s, 'its writers fail loudly');
sql(q{SELECT rollup_drop('hourly'); INSERT INTO events VALUES (1, 1, '2026-03-01', 'x', 1)});
is_query($node, q{SELECT string_agg(relname, ' ') FROM pg_class WHERE relname LIKE 'hourly%' AND relnamespace = 'public'::regnamespace}, '', 'and nothing is left');

done_testing();
