# How rollups are stored: a dump of each form is read, and made what this version makes; what was restored in part is right or
# told, and mended by a repair.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Utils;
use IPC::Run qw(run);
use Test::More;

my $node = new_server('stored', conf => "max_wal_senders = 0\n");
my $DIFFER = 'SELECT rollup, (SELECT count(*) FROM rollup_check(rollup)) AS differ FROM rollup_list()';

sub read_sql
{
    my ($database, $sql) = @_;
    my $file = PostgreSQL::Test::Utils::tempdir() . "/in.sql";
    append_to_file($file, $sql);
    my ($out, $error);
    run([ 'psql', '-Xq', '-d', $node->connstr($database), '-f', $file ], '>', \$out, '2>', \$error);
    unlink $file;
    return $error;
}



sub dump_of
{
    my ($database, @options) = @_;
    my $sql;
    run([ 'pg_dump', '-d', $node->connstr($database), @options ], '>', \$sql) || die 'no dump';
    return $sql;
}

sub new_database
{
    my ($name) = @_;
    $node->safe_psql('postgres', "DROP DATABASE IF EXISTS $name");
    $node->safe_psql('postgres', "CREATE DATABASE $name");
    return $name;
}

sub of { my ($database, $sql) = @_; return $node->safe_psql($database, $sql) }

# ---- forms ---------------------------------------------------------------------------------------

my $WRITES = <<'SQL';
INSERT INTO shop.visits VALUES ('2026-01-01 00:30', '/1', 7, 7), ('2026-01-05 00:30', '/2', 8, 8);
UPDATE shop.visits SET page = '/5' WHERE page = '/0';
INSERT INTO shop.hits VALUES ('2026-02-11', '/9', 4);
INSERT INTO shop.hits_2 (at, page, n) VALUES ('2026-02-11', '/9', 4);
UPDATE shop.hits SET at = '2026-01-05' WHERE at = '2026-02-11';
INSERT INTO shop.passing VALUES (1, 1);
DELETE FROM shop.child WHERE x < 5;
INSERT INTO shop.parent VALUES ('2026-01-01', 1);
DELETE FROM shop."Odd ""Table" WHERE "Wert" = 3;
SQL
for my $form (0, 1)
{
    for my $mends ($form ? ('') : qw(refresh repair))
    {
        my $name = "form $form" . ($mends && ", by a $mends");
        my $database = new_database('form');
        of($database, 'CREATE EXTENSION sketches');
        is(read_sql($database, PostgreSQL::Test::Utils::slurp_file("test/golden/rollups/$form.sql")), '', "$name: a dump is read");
        is_query($node, "SELECT count(*), count(problem) FROM rollup_list()", $form ? '12|0' : '8|8', "$name: what there is", database => $database);
        is_query($node, "SELECT count(*) FROM rollup_list() WHERE problem !~ 'is stored as before 1.0: SELECT rollup_refresh'", 0, "$name: told", database => $database);
        is_query($node, "SELECT count(*) FROM ($DIFFER) AS d WHERE differ > 0", 0, "$name: all equal", database => $database);
        my $frozen = of($database, q{SELECT string_agg(r::text, ';' ORDER BY r::text) FROM shop.hourly AS r WHERE hour < '2026-01-03'});
        my $stored = of($database, 'SELECT sum(n), md5(string_agg(r::text, $$;$$ ORDER BY hour, page)) FROM shop.hourly_rows AS r');
        if ($mends)
        {
            of($database, "SELECT rollup_$mends(rollup) FROM rollup_list()");
            is_query($node, 'SELECT count(problem) FROM rollup_list()', 0, "$name: mended", database => $database);
            is_query($node, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'shop'::regnamespace AND prokind = 'f'}, 0, "$name: no functions are left", database => $database);
            is_query($node, "SELECT uncomputed IS NULL FROM rollup_status('shop.hourly')", $mends eq 'repair' ? 'f' : 't', "$name: recomputed only by a repair", database => $database);
        }
        else
        {
            is(of($database, 'SELECT sum(n), md5(string_agg(r::text, $$;$$ ORDER BY hour, page)) FROM shop.hourly_rows AS r'), $stored, "$name: nothing was written");
        }
        of($database, $WRITES);
        is_query($node, "SELECT count(*) FROM ($DIFFER) AS d WHERE differ > 0", 0, "$name: equal after writes", database => $database);
        of($database, 'SELECT rollup_refresh(rollup) FROM rollup_list()');
        is_query($node, "SELECT count(*) FROM ($DIFFER) AS d WHERE differ > 0", 0, "$name: and refreshed", database => $database);
        is(of($database, q{SELECT string_agg(r::text, ';' ORDER BY r::text) FROM shop.hourly AS r WHERE hour < '2026-01-03' AND NOT (hour = '2026-01-01' AND page = '/1')}),
            join(';', grep { !m{^\("2026-01-01 00:00:00",/1,} } split /;/, $frozen), "$name: frozen groups are what they were");
        is_query($node, q{SELECT merge->>'visitor' FROM shop.merged_state}, 'shop.most', "$name: how it merges", database => $database);
        of($database, q{SELECT rollup_drop(rollup::text) FROM rollup_list() ORDER BY rollup = to_regclass('shop.hourly')});
        is_query($node, q{SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = 'shop'::regnamespace AND relname ~ '_(log|rows|state|query|fresh|late|parts|live|filling|flow|changes|joined|touched|written)$'),
            (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal)}, '0|0', "$name: dropped", database => $database);
    }
}

# ---- in part -------------------------------------------------------------------------------------

of(new_database('whole'), <<'SQL');
CREATE EXTENSION sketches;
CREATE TABLE t (d date NOT NULL, v int);
CREATE TABLE p (d date NOT NULL, v int) PARTITION BY RANGE (d);
CREATE TABLE p1 PARTITION OF p DEFAULT;
CREATE AGGREGATE most (int) (SFUNC = int4larger, STYPE = int);
SELECT rollup_create('r', 'SELECT d, count(*) AS n, most(v) AS v FROM t GROUP BY d', '{"v": "public.most"}');
SELECT rollup_create('rp', 'SELECT d, count(*) AS n, sum(v) AS s FROM p GROUP BY d', each_row => true);
SELECT rollup_create('r_shown', 'SELECT d, round(avg(v), 2) AS mean, stddev(v) AS spread FROM t GROUP BY d HAVING count(*) > 1');
INSERT INTO t SELECT date '2026-01-01' + g % 20, g FROM generate_series(1, 100) AS g;
INSERT INTO p TABLE t;
SELECT rollup_refresh('r'), rollup_refresh('rp'), rollup_refresh('r_shown');
INSERT INTO t VALUES ('2026-01-01', 5);
DELETE FROM t WHERE d = '2026-01-02';
INSERT INTO p VALUES ('2026-01-01', 5);
DELETE FROM p WHERE d = '2026-01-02';
SQL

my $schema = dump_of('whole', '-s');
# What is restored; what is wrong, of r; whether groups differ before it is repaired.
my @PARTS = (
    [ 'all', [ dump_of('whole') ], '', 0 ],
    [ 'the schema alone', [$schema], 'r_state is empty', 0 ],
    [ 'the data into the schema', [ $schema, dump_of('whole', '-a') ], 'r_state was restored apart from its schema', 0 ],
    [ '... without the state', [ $schema, dump_of('whole', '-a', '-T', 'r*_state') ], 'r_state is empty', 0 ],
    [ '... with triggers off', [ $schema, dump_of('whole', '-a', '--disable-triggers', '-t', 't', '-t', 'r', '-t', 'r_*') ], '', 0 ],
    [ 'without rows and log', [ dump_of('whole', '--exclude-table-data=*_rows', '--exclude-table-data=*_log') ], 'r_rows is empty', 1 ],
    [ 'without the log', [ dump_of('whole', '--exclude-table-data=*_log') ], 'r_log was restored without its rows', 1 ],
    [ 'without the rows', [ dump_of('whole', '--exclude-table-data=*_rows') ], 'r_rows is empty', 1 ],
    [ 'without the state', [ dump_of('whole', '--exclude-table-data=*_state') ], 'r_state is empty', 0 ],
    [ 'the table and its rollup', [ 'CREATE EXTENSION sketches; CREATE AGGREGATE most (int) (SFUNC = int4larger, STYPE = int);', dump_of('whole', '-t', 't', '-t', 'r', '-t', 'r_*') ], '', 0 ],
    [ 'the data into a rollup that is there', [ "$schema SELECT public.rollup_repair(r), public.rollup_refresh(r) FROM unnest('{public.r,public.rp,public.r_shown}'::regclass[]) AS r;", dump_of('whole', '-a') ],
        'r_log was restored without its rows, or over others', 1 ]);
for my $part (@PARTS)
{
    my ($name, $sql, $problem, $differs) = @$part;
    my $database = new_database('part');
    read_sql($database, $_) for @$sql;
    my $query = 'SELECT d, count(*) AS n, max(v) AS v FROM t GROUP BY 1';
    my $shown = 'SELECT d, round(avg(v), 2) AS mean, stddev(v) AS spread FROM t GROUP BY d HAVING count(*) > 1';
    my $differ = "SELECT (SELECT count(*) FROM ((TABLE r EXCEPT ALL ($query)) UNION ALL (($query) EXCEPT ALL TABLE r)) AS d)
        + (SELECT count(*) FROM ((TABLE r_shown EXCEPT ALL ($shown)) UNION ALL (($shown) EXCEPT ALL TABLE r_shown)) AS d) > 0";
    like(of($database, q{SELECT problem FROM rollup_list() WHERE rollup = 'r'::regclass}), $problem eq '' ? qr/^$/ : qr/^public\.$problem.*: SELECT rollup_(repair|refresh)\('public\.r'\)$/, "$name: what is wrong");
    is_query($node, $differ, $differs ? 't' : 'f', "$name: " . ($differs ? 'it differs' : 'it is right'), database => $database);
    of($database, q{INSERT INTO t VALUES ('2026-01-03', 1000); DELETE FROM t WHERE d = '2026-01-04'; UPDATE t SET v = 1 WHERE d = '2026-01-05'});
    is_query($node, $differ, 'f', "$name: also after writes", database => $database) if !$differs;
    of($database, q{SELECT rollup_repair(rollup) FROM rollup_list()});
    is_query($node, 'SELECT count(problem) FROM rollup_list()', 0, "$name: repaired, nothing is wrong", database => $database);
    is_query($node, $differ, 'f', '... and it is right', database => $database);
    of($database, q{SELECT rollup_refresh(rollup) FROM rollup_list()});
    is_query($node, "$differ; SELECT count(problem) FROM rollup_list()", "f\n0", '... also refreshed', database => $database);
    is_query($node, q{SELECT merge->>'v' FROM r_state}, 'public.most', '... and it merges as it did', database => $database);
}

# Frozen groups whose rows are gone are what they were, whether the table came first or its rollup; so are a level, and a
# rollup of joined tables, of whose keys NULL is no value.
of(new_database('frozen'), <<'SQL');
CREATE EXTENSION sketches;
CREATE TABLE a (d date NOT NULL, v int);
CREATE TABLE z (d date NOT NULL, v int);
CREATE TABLE q (d date NOT NULL, v int) PARTITION BY RANGE (d);
CREATE TABLE a_q PARTITION OF q FOR VALUES FROM ('2026-01-01') TO ('2026-01-10');
CREATE TABLE z_q PARTITION OF q DEFAULT;
CREATE DOMAIN key AS int NOT NULL;
CREATE TABLE s (d date NOT NULL, v int);
CREATE TABLE a_joined (id key PRIMARY KEY, x text);
CREATE TABLE z_joined (id key PRIMARY KEY, y text);
INSERT INTO a_joined SELECT g, 'x' || g FROM generate_series(0, 3) AS g;
INSERT INTO z_joined SELECT g, 'y' || g FROM generate_series(0, 3) AS g;
SELECT rollup_create('of_s', 'SELECT d, x, y, count(*) AS n, sum(v) AS s FROM s LEFT JOIN a_joined AS a ON a.id = v % 4 LEFT JOIN z_joined AS z ON z.id = v % 7 GROUP BY 1, 2, 3');
SELECT rollup_create('of_a', 'SELECT d, count(*) AS n, sum(v) AS s FROM a GROUP BY d');
SELECT rollup_create('of_z', 'SELECT d, count(*) AS n, sum(v) AS s FROM z GROUP BY d');
SELECT rollup_create('of_q', 'SELECT d, count(*) AS n, sum(v) AS s FROM q GROUP BY d', each_row => true);
SELECT rollup_create('of_a_level', 'SELECT date_trunc(''month'', d::timestamp) AS m, sum(n) AS n FROM of_a GROUP BY 1');
SELECT rollup_create('z_level', 'SELECT date_trunc(''month'', d::timestamp) AS m, sum(n) AS n FROM of_z GROUP BY 1');
INSERT INTO a SELECT date '2026-01-01' + g % 60, g FROM generate_series(1, 600) AS g;
INSERT INTO z TABLE a;
INSERT INTO q TABLE a;
INSERT INTO s TABLE a;
SELECT rollup_freeze('of_s', '2026-02-10'), rollup_freeze('of_a', '2026-02-10'), rollup_freeze('of_z', '2026-02-10'), rollup_freeze('of_q', '2026-02-10'), rollup_freeze('z_level', '2026-02-01');
DELETE FROM a WHERE d < '2026-01-05';
DELETE FROM z WHERE d < '2026-01-05';
DELETE FROM q WHERE d < '2026-01-05';
DELETE FROM s WHERE d < '2026-01-05';
UPDATE a_joined SET x = 'changed' WHERE id = 1;
INSERT INTO z_joined VALUES (5, 'late');
INSERT INTO a VALUES ('2026-01-02', 5), ('2026-01-20', 5), ('2026-02-20', 5);
INSERT INTO z VALUES ('2026-01-02', 5), ('2026-01-20', 5), ('2026-02-20', 5);
INSERT INTO q VALUES ('2026-01-02', 5), ('2026-01-20', 5), ('2026-02-20', 5);
INSERT INTO s VALUES ('2026-01-02', 5), ('2026-01-20', 5), ('2026-02-20', 5);
SQL
my @ROLLUPS = qw(of_a of_z of_q of_s of_a_level z_level);
my $ALL = join(';', map { "SELECT '$_', md5(string_agg(r::text, ';' ORDER BY r::text)), sum(n) FROM $_ AS r" } @ROLLUPS);
my $was = of('frozen', $ALL);
my $frozen_schema = dump_of('frozen', '-s');
for my $way ([ 'whole', 0, dump_of('frozen') ], [ 'data into the schema', 6, $frozen_schema, dump_of('frozen', '-a') ],
    [ 'data into the schema, triggers off', 0, $frozen_schema, dump_of('frozen', '-a', '--disable-triggers') ],
    [ 'data into the schema, in one transaction', 6, $frozen_schema, 'BEGIN; ' . dump_of('frozen', '-a') . 'COMMIT;' ],
    [ 'data into the schema, table by table', 6, $frozen_schema, map { dump_of('frozen', '-a', '-t', $_) } qw(z_q z_joined z_level* z of_q* of_z* of_s* of_a* a_joined a_q a s) ])
{
    my ($name, $apart, @sql) = @$way;
    my $database = new_database('part');
    is(read_sql($database, $_), '', "frozen, $name: read") for @sql;
    is(of($database, $ALL), $was, "frozen, $name: what it was");
    is_query($node, q{SELECT count(*) FROM rollup_list() WHERE problem ~ 'was restored apart from its schema, .*: SELECT rollup_refresh'}, $apart, "... and told", database => $database);
    is_query($node, q{SELECT rollup, problem FROM rollup_list() WHERE problem !~ 'apart from its schema|triggers of .* rollup_repair'}, '', '... nothing else is wrong', database => $database);
    # DISABLE and ENABLE TRIGGER ALL leave no trigger that fires ALWAYS.
    of($database, q{SELECT rollup_repair(rollup) FROM rollup_list() WHERE problem ~ 'rollup_repair'});
    of($database, "SELECT rollup_refresh(rollup) FROM rollup_list()");
    is(of($database, $ALL), $was, '... and refreshed');
    is_query($node, 'SELECT count(problem) FROM rollup_list()', 0, '... nothing is wrong', database => $database);
    of($database, "INSERT INTO a VALUES ('2026-01-02', 7), ('2026-02-21', 7); INSERT INTO z VALUES ('2026-01-02', 7), ('2026-02-21', 7); INSERT INTO q VALUES ('2026-01-02', 7), ('2026-02-21', 7); INSERT INTO s VALUES ('2026-01-02', 7), ('2026-02-21', 7)");
    is_query($node, 'SELECT ' . join(', ', map { "(SELECT sum(n) FROM $_)" } @ROLLUPS), '605|605|605|605|605|605', '... rows of frozen groups count again', database => $database);
}

# ---- partitions that are away --------------------------------------------------------------------

# Their rows are restored, they are written, and what comes back is counted, also under another name or in another schema: e1
# was away at a refresh, e2 was not.
of(new_database('away'), <<'SQL');
CREATE EXTENSION sketches;
CREATE SCHEMA archive;
CREATE TABLE e (d date NOT NULL, x int) PARTITION BY RANGE (d);
CREATE TABLE e1 PARTITION OF e FOR VALUES FROM ('2026-01-01') TO ('2026-01-11');
CREATE TABLE e2 PARTITION OF e FOR VALUES FROM ('2026-01-11') TO ('2026-01-21');
CREATE TABLE e3 PARTITION OF e FOR VALUES FROM ('2026-01-21') TO ('2026-02-01');
INSERT INTO e SELECT date '2026-01-01' + g % 30, g FROM generate_series(1, 300) AS g;
SELECT rollup_create('plain', 'SELECT d, count(*) AS n FROM e GROUP BY 1'), rollup_create('kept', 'SELECT d, count(*) AS n FROM e GROUP BY 1'),
    rollup_create('by_row', 'SELECT d, count(*) AS n FROM e GROUP BY 1', each_row => true);
SELECT rollup_refresh('plain'), rollup_freeze('kept', '2026-01-06'), rollup_refresh('by_row');
ALTER TABLE e DETACH PARTITION e1;
SELECT rollup_refresh(rollup) FROM rollup_list();
ALTER TABLE e DETACH PARTITION e2;
ALTER TABLE e2 SET SCHEMA archive;
SQL
my $away_schema = dump_of('away', '-s');
my $WRITE = join '', map { my $part = $_; "INSERT INTO $part SELECT d + 1, x FROM $part WHERE x % 7 = 1; UPDATE $part SET x = x + 1; DELETE FROM $part WHERE x % 5 = 0; " } qw(first archive.e2);
for my $way ([ 'whole', dump_of('away') ], [ 'data into the schema', $away_schema, dump_of('away', '-a') ],
    [ 'data into the schema, in one transaction', $away_schema, 'BEGIN; ' . dump_of('away', '-a') . 'COMMIT;' ],
    [ 'data into the schema, table by table', $away_schema, map { dump_of('away', '-a', '-t', $_) } qw(e3 plain_* e1 by_row_* kept_* archive.e2) ])
{
    my ($name, @sql) = @$way;
    for my $refreshes (0, 1)
    {
        my $database = new_database('part');
        my $when = "away, $name" . ($refreshes ? ', refreshed' : '');
        is(read_sql($database, $_), '', "$when: read") for @sql;
        is_query($node, 'SELECT (SELECT count(*) FROM e1), (SELECT count(*) FROM archive.e2), (SELECT count(*) FROM e)', '100|100|100', "$when: all rows are there", database => $database);
        of($database, 'ALTER TABLE e1 RENAME TO first');
        of($database, 'SELECT rollup_refresh(rollup) FROM rollup_list()') if $refreshes;
        is(read_sql($database, $WRITE), '', "$when: they are written");
        is_query($node, q{SELECT sum(n) FROM kept WHERE d < '2026-01-06'}, 50, "$when: what is frozen is counted", database => $database);
        of($database, q{DELETE FROM archive.e2 WHERE d > '2026-01-20'; ALTER TABLE e ATTACH PARTITION archive.e2 FOR VALUES FROM ('2026-01-11') TO ('2026-01-21')});
        is_query($node, q{SELECT count(*) FROM rollup_list() WHERE problem ~ 'rollup_refresh'}, 3, "$when: one comes back, which is told", database => $database);
        of($database, 'SELECT rollup_refresh(rollup) FROM rollup_list()');
        is_query($node, "SELECT sum(differ) FROM ($DIFFER) AS d", 0, '... and counted', database => $database);
        of($database, q{DELETE FROM first WHERE d > '2026-01-10'; ALTER TABLE e ATTACH PARTITION first FOR VALUES FROM ('2026-01-01') TO ('2026-01-11'); SELECT rollup_refresh(rollup) FROM rollup_list()});
        is_query($node, "SELECT sum(differ) FROM ($DIFFER) AS d", 0, '... so is the other', database => $database);
        is_query($node, 'SELECT count(problem) FROM rollup_list()', 0, '... and nothing is wrong', database => $database);
        of($database, $WRITE =~ s/d \+ 1/d/gr);
        is_query($node, "SELECT sum(differ) FROM ($DIFFER) AS d", 0, '... equal after writes', database => $database);
    }
}

# A transaction of an older snapshot may write one that a refresh has noted since, as it has nothing to note.
of(new_database('noted'), <<'SQL');
CREATE EXTENSION sketches;
CREATE TABLE e (d date NOT NULL) PARTITION BY RANGE (d);
CREATE TABLE e1 PARTITION OF e DEFAULT;
SELECT rollup_create('plain', 'SELECT d, count(*) AS n FROM e GROUP BY 1');
SELECT rollup_refresh('plain');
ALTER TABLE e DETACH PARTITION e1;
SQL
my $writer = $node->background_psql('noted', on_error_stop => 0);
$writer->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
of('noted', q{SELECT rollup_refresh('plain')});
is($writer->query(q{INSERT INTO e1 VALUES ('2026-01-01') RETURNING d; COMMIT}), '2026-01-01', 'written at an older snapshot');
$writer->quit;
is_query($node, 'SELECT count(*), (SELECT cardinality(missed) FROM plain_state) FROM e1', '1|2', '... and once noted', database => 'noted');

# A child that goes while a refresh waits for the writer of a new one: nothing of it is read then.
of('noted', <<'SQL');
CREATE TABLE f (x int);
CREATE TABLE f1 () INHERITS (f);
SELECT rollup_create('of_f', 'SELECT x, count(*) AS n FROM f GROUP BY 1');
INSERT INTO f1 VALUES (1);
CREATE TABLE f2 () INHERITS (f);
SQL
my ($holder, $refresher) = map { $node->background_psql('noted') } 1 .. 2;
$holder->query_safe('BEGIN; LOCK TABLE f2 IN ROW EXCLUSIVE MODE');
$refresher->query_until(qr/begun/, "\\echo begun\nSELECT rollup_refresh('of_f');\n");
ok($node->poll_query_until('noted', q{SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'f2'::regclass AND NOT granted)}), 'a refresh waits');
of('noted', q{SET lock_timeout = '60s'; ALTER TABLE f1 NO INHERIT f});
$holder->query_safe('COMMIT');
$_->quit for $holder, $refresher;
of('noted', q{ALTER TABLE f1 INHERIT f; SELECT rollup_refresh('of_f')});
is_query($node, 'SELECT x, n FROM of_f', '1|1', 'a child that went before a refresh read it is counted when it is back', database => 'noted');

done_testing();
