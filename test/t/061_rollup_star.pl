# Rollups of facts joined to other tables equal their queries at every snapshot: beside writers of all of these tables,
# refreshes, freezes and repairs, and after crashes. What a rollup does for that, it does not do in vain: left out, rule
# by rule, the rollup differs. ROLLUP_SECONDS=3600 runs it for an hour, ROLLUP_SEED repeats its choices.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use RollupClients 'pick';
use SketchTest;
use Test::More;

use constant { WRITERS => 8, REFRESHERS => 2, READERS => 4 };

my $short = ($ENV{SAMPLE} // 1) > 1;
my $seconds = $ENV{ROLLUP_SECONDS} // ($short ? 8 : 20);
my $crashes = $ENV{ROLLUP_CRASHES} // (int($seconds / 180) || ($short ? 1 : 2));
my $seed = $ENV{ROLLUP_SEED} // time;
my $node = new_server('stars', conf => "autovacuum = on\nautovacuum_naptime = 1s\nmax_prepared_transactions = 20\nmax_connections = 40\nlock_timeout = 10s\n");
my $clients = RollupClients->new($node, $seed);
my $version = major_version();

# Facts without and with foreign keys, and in partitions; customers, products and their categories, so few that everything
# meets.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE customers (id int PRIMARY KEY, region text, active bool NOT NULL DEFAULT true, note text);
CREATE TABLE categories (id int PRIMARY KEY, name text, note text);
CREATE TABLE products (id int PRIMARY KEY, category_id int, price int NOT NULL DEFAULT 1, note text);
CREATE TABLE facts (id int PRIMARY KEY, at timestamp NOT NULL, customer_id int, product_id int, user_id int NOT NULL, amount int NOT NULL, note text);
CREATE TABLE linked (id int PRIMARY KEY, at timestamp NOT NULL, customer_id int REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE,
    product_id int REFERENCES products ON DELETE SET NULL ON UPDATE CASCADE, user_id int NOT NULL, amount int NOT NULL, note text);
CREATE TABLE parted (id int, at timestamp NOT NULL, customer_id int, product_id int, user_id int NOT NULL, amount int NOT NULL, note text,
    PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM ('2026-03-01') TO ('2026-03-01 03:00');
CREATE TABLE part2 (note text, amount int NOT NULL, user_id int NOT NULL, product_id int, customer_id int, at timestamp NOT NULL, id int NOT NULL);
ALTER TABLE parted ATTACH PARTITION part2 FOR VALUES FROM ('2026-03-01 03:00') TO ('2026-03-02');
CREATE INDEX ON products (category_id);
CREATE INDEX ON facts (customer_id); CREATE INDEX ON facts (product_id); CREATE INDEX ON linked (customer_id); CREATE INDEX ON linked (product_id);
INSERT INTO customers SELECT i, (ARRAY['N','S','E','W'])[1 + i % 4] FROM generate_series(1, 11) AS i;
INSERT INTO categories SELECT i, chr(96 + i) FROM generate_series(1, 4) AS i;
INSERT INTO products SELECT i, 1 + i % 4, i FROM generate_series(1, 9) AS i;
INSERT INTO facts SELECT i, timestamp '2026-03-01' + i % 360 * interval '1 minute', 1 + i % 13, 1 + i % 11, i % 300, i FROM generate_series(1, 400) AS i;
INSERT INTO parted SELECT * FROM facts;
INSERT INTO linked SELECT i, timestamp '2026-03-01' + i % 360 * interval '1 minute', 1 + i % 11, 1 + i % 9, i % 300, i FROM generate_series(1, 300) AS i;
SQL

my $HOUR = q{date_trunc('hour', f.at) AS hour};
my $SUMS = 'count(*) AS n, sum(f.amount) AS total, hll_agg(f.user_id) AS users';
my %QUERIES = (
    one => "SELECT $HOUR, c.region, $SUMS FROM facts f JOIN customers c ON c.id = f.customer_id GROUP BY 1, 2",
    active => "SELECT $HOUR, c.region, $SUMS FROM customers c, facts f WHERE c.id = f.customer_id AND c.active AND f.amount < 900 GROUP BY 1, 2",
    prices => "SELECT $HOUR, c.region, p.category_id AS category, $SUMS, sum(f.amount * p.price) AS worth, max(p.price) FROM facts f
        LEFT JOIN customers c ON c.id = f.customer_id AND c.active LEFT JOIN products p ON p.id = f.product_id GROUP BY 1, 2, 3",
    snow => "SELECT $HOUR, c.region, g.name AS category, $SUMS FROM facts f JOIN customers c ON c.id = f.customer_id
        LEFT JOIN products p ON p.id = f.product_id LEFT JOIN categories g ON g.id = p.category_id GROUP BY 1, 2, 3",
    deep => "SELECT $HOUR, g.name AS category, $SUMS FROM facts f JOIN products p ON p.id = f.product_id JOIN categories g ON g.id = p.category_id GROUP BY 1, 2",
    # No group of the facts' own columns, the same table twice, a condition and a group of two tables.
    whole => "SELECT c.region, d.region AS other, f.amount > p.price * 100 AS many, $SUMS FROM facts f JOIN customers c ON c.id = f.customer_id
        LEFT JOIN customers d ON d.id = f.product_id JOIN products p ON p.id = f.product_id WHERE d.region IS DISTINCT FROM c.region OR f.amount > p.price GROUP BY 1, 2, 3",
    keyed => "SELECT $HOUR, c.region, g.name AS category, $SUMS FROM linked f JOIN customers c ON c.id = f.customer_id
        JOIN products p ON p.id = f.product_id JOIN categories g ON g.id = p.category_id GROUP BY 1, 2, 3",
    parts => "SELECT $HOUR, c.region, p.category_id AS category, $SUMS FROM parted f JOIN customers c ON c.id = f.customer_id LEFT JOIN products p ON p.id = f.product_id GROUP BY 1, 2, 3",
);
my @ROLLUPS = sort keys %QUERIES;
$node->safe_psql('postgres', "SELECT rollup_create('$_', \$\$$QUERIES{$_}\$\$)") for @ROLLUPS;

# A difference between a rollup and its query, of groups that are not frozen. One statement: one snapshot.
sub comparison
{
    my ($rollup) = @_;
    my $where = $QUERIES{$rollup} =~ / AS hour/ ? " WHERE hour >= (SELECT frozen FROM ${rollup}_state)" : '';
    return "SELECT 'VIOLATION $rollup ' || count(*) || ' ' || string_agg(more || ' of ' || left(regexp_replace(d, '[A-Za-z0-9+/=]{20,}', '<' || md5(d) || '>', 'g'), 200), '; ') FROM ("
      . "SELECT d, sum(side) AS more FROM (SELECT 1 AS side, v::text AS d FROM $rollup AS v$where UNION ALL SELECT -1, q::text FROM ${rollup}_query AS q$where) AS both_sides"
      . ' GROUP BY d HAVING sum(side) <> 0) AS differ HAVING count(*) > 0';
}

# ---- each rule, and without it ----

# Statements that lead to a state in which a rollup would be wrong without a rule; a rule that is left out, by its name. What
# another session has begun is prepared.
my %LEFT_OUT = (
    # What facts were joined to is found by their keys.
    touched => q{CREATE OR REPLACE VIEW one_touched AS SELECT NULL::timestamp AS hour WHERE false},
    # Who logs says of which changes he may not know.
    seen => q{UPDATE one_log SET rollup_seen = '9223372036854775807' WHERE rollup_seen IS NOT NULL},
    # Facts that a join leaves out are logged, too.
    absent => q{DELETE FROM one_log WHERE mark = 3},
    # Facts that went mark all that they may have been joined to.
    marks => q{DELETE FROM one_log WHERE mark = 1},
    # Changes are logged.
    joined => q{DELETE FROM one_joined},
    # A refresh says what it knew.
    folded => q{UPDATE one_state SET folded = '1'},
);
my @CASES = (
    [ 'a change of what stored facts are joined to', [qw(touched joined)], q{UPDATE customers SET region = 'Q' WHERE id = 3} ],
    [ 'a row that comes after its facts', [qw(touched joined)], q{INSERT INTO customers VALUES (12, 'Q')} ],
    [ 'a row that goes before its facts', [qw(touched joined)], q{DELETE FROM customers WHERE id = 3} ],
    [ 'a key that changes', [qw(touched joined)], q{UPDATE customers SET id = 50 WHERE id = 3} ],
    [ 'a fact that goes after a change', [qw(marks)], q{UPDATE customers SET region = 'Q' WHERE id = 3; SELECT rollup_refresh('one'); DELETE FROM facts WHERE customer_id = 3} ],
    [ 'a fact that went before what it was joined to', [qw(marks)], q{DELETE FROM facts WHERE customer_id = 3; DELETE FROM customers WHERE id = 3} ],
    [ 'the hard case: a fact that is committed after the refresh that knew of the change, of which it does not', [qw(seen folded)],
        q{BEGIN; INSERT INTO facts VALUES (2000, '2026-03-01 02:00', 3, 1, 1, 1, 'x'); PREPARE TRANSACTION 'a';
          UPDATE customers SET region = 'Q' WHERE id = 3; SELECT rollup_refresh('one'); COMMIT PREPARED 'a'} ],
    [ 'the same, of a fact that was joined to nothing', [qw(seen absent folded)],
        q{BEGIN; INSERT INTO facts VALUES (2000, '2026-03-01 02:00', 12, 1, 1, 1, 'x'); PREPARE TRANSACTION 'a';
          INSERT INTO customers VALUES (12, 'Q'); SELECT rollup_refresh('one'); COMMIT PREPARED 'a'} ],
    [ 'the same, of a fact that loses what it was joined to', [qw(seen folded)],
        q{BEGIN; INSERT INTO facts VALUES (2000, '2026-03-01 02:00', 3, 1, 1, 1, 'x'); PREPARE TRANSACTION 'a';
          DELETE FROM customers WHERE id = 3; SELECT rollup_refresh('one'); COMMIT PREPARED 'a'} ],
    [ 'the same, and the fact goes', [],
        q{BEGIN; INSERT INTO facts VALUES (2000, '2026-03-01 02:00', 3, 1, 1, 1, 'x'); PREPARE TRANSACTION 'a';
          UPDATE customers SET region = 'Q' WHERE id = 3; SELECT rollup_refresh('one'); COMMIT PREPARED 'a'; DELETE FROM facts WHERE id = 2000} ],
    [ 'a change that is committed after the refresh that knew of the fact', [qw(touched joined)],
        q{BEGIN; UPDATE customers SET region = 'Q' WHERE id = 3; PREPARE TRANSACTION 'a';
          INSERT INTO facts VALUES (2000, '2026-03-01 02:00', 3, 1, 1, 1, 'x'); SELECT rollup_refresh('one'); COMMIT PREPARED 'a'} ],
);

for my $case (@CASES)
{
    my ($name, $needed, $script) = @$case;
    for my $rule ('', @$needed)
    {
        $node->safe_psql('postgres', "CREATE DATABASE one; ");
        my $psql = sub { $node->safe_psql('one', $_[0]) };
        $psql->(
            q{CREATE EXTENSION sketches; CREATE TABLE customers (id int PRIMARY KEY, region text);
              CREATE TABLE facts (id int PRIMARY KEY, at timestamp NOT NULL, customer_id int, product_id int, user_id int, amount int, note text);
              INSERT INTO customers SELECT i, (ARRAY['N','S','E','W'])[1 + i % 4] FROM generate_series(1, 11) AS i;
              INSERT INTO facts SELECT i, timestamp '2026-03-01' + i % 360 * interval '1 minute', 1 + i % 13, 1 + i % 11, i % 300, i FROM generate_series(1, 400) AS i;});
        $psql->("SELECT rollup_create('one', \$\$$QUERIES{one}\$\$)");
        $psql->(q{SELECT rollup_refresh('one')});
        $psql->(join '', map { "$_;\n" } grep { /\S/ } split /;/, $script);
        $psql->($LEFT_OUT{$rule}) if $rule;
        my $differs = $psql->(comparison('one'));
        if ($rule eq '')
        {
            is($differs, '', $name);
            $psql->(q{SELECT rollup_refresh('one')});
            is($psql->(comparison('one')), '', "$name, refreshed");
        }
        else
        {
            isnt($differs, '', "$name, without $rule: the rollup differs");
        }
        $node->safe_psql('postgres', 'DROP DATABASE one');
    }
}

# ---- snapshots that are older than what has changed since ----

# What a writer at REPEATABLE READ finds would be logged for good: what others did after his snapshot, and what he writes then.
my @OUTDATED = (
    [ 'a foreign key that spared the log of a row is gone', q{INSERT INTO customers VALUES (9, 'Q'); ALTER TABLE linked DROP CONSTRAINT linked_customer_id_fkey} ],
    [ 'it is deferred', q{INSERT INTO customers VALUES (9, 'Q'); ALTER TABLE linked ALTER CONSTRAINT linked_customer_id_fkey DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE linked DROP CONSTRAINT linked_customer_id_fkey} ],
    [ 'a child came, to which it does not apply', q{INSERT INTO customers VALUES (9, 'Q'); CREATE TABLE child () INHERITS (linked); SELECT rollup_refresh('r')}, 'child' ],
    [ 'he drops it himself', q{INSERT INTO customers VALUES (9, 'Q')}, 'linked', 'ALTER TABLE linked DROP CONSTRAINT linked_customer_id_fkey' ],
    [ 'a table was written anew', q{ALTER TABLE linked DROP CONSTRAINT linked_customer_id_fkey; ALTER TABLE customers ADD born float8 DEFAULT random()}, 'linked', undef, 1 ],
);

for my $case (@OUTDATED)
{
    my ($name, $meanwhile, $table, $before, $customer) = @$case;
    $node->safe_psql('postgres', 'CREATE DATABASE one');
    $node->safe_psql('one', q{CREATE EXTENSION sketches; CREATE TABLE customers (id int PRIMARY KEY, region text); INSERT INTO customers VALUES (1, 'N');
        CREATE TABLE linked (customer_id int REFERENCES customers, amount int);
        SELECT rollup_create('r', 'SELECT c.region, sum(f.amount) FROM linked f LEFT JOIN customers c ON c.id = f.customer_id GROUP BY 1');
        SELECT rollup_refresh('r')});
    my $writer = $node->background_psql('one');
    $writer->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class');
    $node->safe_psql('one', $meanwhile);
    $writer->query_safe($before) if $before;
    $writer->query_safe('INSERT INTO ' . ($table // 'linked') . ' VALUES (' . ($customer // 9) . ', 5); COMMIT');
    $writer->quit;
    my $region = $customer ? 'N' : 'Q';
    is_query($node, "TABLE r", "$region|5", "an old snapshot, and $name", database => 'one');
    $node->safe_psql('one', q{SELECT rollup_refresh('r')});
    is_query($node, "TABLE r", "$region|5", '... refreshed', database => 'one');
    $node->safe_psql('postgres', 'DROP DATABASE one');
}

# ---- snapshots that are older than a lock ----

# Of a partitioned table, rows are read by a function, which locks them when there already is a snapshot. What TRUNCATE or
# ALTER TABLE wrote anew meanwhile is empty in that. A refresh waits for tables that are joined before it has one.
my @ANEW = (
    [ 'ALTER TABLE customers ADD born float8 DEFAULT random()', 'customers', 1 ],
    [ 'ALTER TABLE customers SET UNLOGGED; ALTER TABLE customers SET LOGGED', 'customers', 1 ],
    [ 'TRUNCATE customers', 'customers', 1 ],
    [ 'ALTER TABLE parted ADD born float8 DEFAULT random()', 'part1', 1 ],
    [ 'TRUNCATE parted', 'part1', 1 ],
    [ 'ALTER TABLE part1 SET UNLOGGED', 'part1', 0 ],
    [ 'TRUNCATE part1', 'part1', 0 ],
);

for my $case (map { my $anew = $_; map { [ @$anew, $_ ] } 'refresh', 'read' } @ANEW)
{
    my ($change, $table, $waits, $kind) = @$case;
    $node->safe_psql('postgres', 'CREATE DATABASE one');
    $node->safe_psql('one', q{CREATE EXTENSION sketches; CREATE TABLE customers (id int PRIMARY KEY, region text); INSERT INTO customers VALUES (1, 'N'), (2, 'S');
        CREATE TABLE parted (at timestamp NOT NULL, customer_id int) PARTITION BY RANGE (at);
        CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM ('2026-03-01') TO ('2026-03-02');
        INSERT INTO parted SELECT timestamp '2026-03-01' + i * interval '1 minute', 1 + i % 2 FROM generate_series(1, 100) AS i;
        SELECT rollup_create('r', $$SELECT date_trunc('hour', at) AS hour, c.region, count(*) AS n FROM parted f JOIN customers c ON c.id = f.customer_id GROUP BY 1, 2$$)});
    # Also if nothing is marked, for which it would read the table.
    $node->safe_psql('one', q{SELECT rollup_refresh('r')});
    is_query($node, q{BEGIN; SELECT rollup_refresh('r') IS NULL; SELECT count(*) FROM pg_locks WHERE relation = 'customers'::regclass AND pid = pg_backend_pid()},
        "f\n1", 'a refresh keeps its lock', database => 'one');
    my $changer = $node->background_psql('one');
    $changer->query_safe('SELECT pg_advisory_lock(1)');
    my $session = start_psql($node, "SELECT rollup_refresh('r') IS NULL; DELETE FROM parted WHERE at < '2026-03-01 00:05'; SELECT pg_advisory_lock(1) IS NULL;\n"
          . '\set VERBOSITY verbose' . "\n" . ($kind eq 'read' ? 'SELECT sum(n) FROM r;' : q{SELECT rollup_refresh('r') IS NULL;}), 'one');
    my $waiting = q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND locktype = };
    ok($node->poll_query_until('one', "$waiting 'advisory'"), "$kind, and $change");
    $changer->query_safe("BEGIN; $change; SELECT pg_advisory_unlock(1)");
    ok($node->poll_query_until('one', "$waiting 'relation'"), '... waits');
    $changer->query_safe('COMMIT');
    $changer->quit;
    finish_psql($session);
    like($session->{err}, $kind eq 'refresh' && $waits ? qr/^$/ : qr/40001: public\.$table was truncated or written anew since this query began/, '... and says so');
    is_query($node, q{SELECT count(*) FROM rollup_check('r')}, 0, '... and the rollup equals its query', database => 'one');
    $node->safe_psql('postgres', 'DROP DATABASE one');
}

# ---- everything beside everything ----

sub moment { return sprintf "'2026-03-01 %02d:%02d'", rand 6, rand 60 }
sub customer { return rand() < 0.05 ? 'NULL' : 1 + int rand 13 }
sub product { return rand() < 0.05 ? 'NULL' : 1 + int rand 11 }
sub region { return pick("'N'", "'S'", "'E'", "'W'", 'NULL') }
sub row { return sprintf "(%d, %s, %s, %s, %d, %d, 'x')", 1 + rand 900, moment(), customer(), product(), rand 300, rand 1000 }
sub some { return sprintf 'id BETWEEN %d AND %1$d + %d', 1 + rand 900, rand 40 }
sub few { my ($most) = @_; return sprintf 'id BETWEEN %d AND %1$d + %d', 1 + rand $most, pick(0, 0, 0, 1, 3) }

# A statement that changes facts.
sub fact
{
    my $table = pick('facts', 'facts', 'facts', 'linked', 'parted');
    my $key = $table eq 'parted' ? '(id, at)' : '(id)';
    my $target = $table eq 'parted' ? pick('parted', 'part1', 'part2') : $table;
    my $kind = rand;
    my $rows = join ', ', map { row() } 1 .. pick(1, 1, 3, 20);
    return "INSERT INTO $table VALUES $rows ON CONFLICT $key DO NOTHING;" if $kind < 0.38;
    return "INSERT INTO $table VALUES " . row() . " ON CONFLICT $key DO UPDATE SET customer_id = excluded.customer_id, user_id = excluded.user_id;" if $kind < 0.46;
    return "UPDATE $table SET at = " . moment() . ', user_id = user_id + 1 WHERE ' . some() . ';' if $kind < 0.54;
    return "UPDATE $target SET customer_id = " . customer() . ' WHERE ' . some() . ';' if $kind < 0.60;
    return "UPDATE $target SET product_id = " . product() . ', amount = ' . int(rand 1000) . ' WHERE ' . some() . ';' if $kind < 0.65;
    return "UPDATE $target SET note = note || 'y' WHERE " . some() . ';' if $kind < 0.68;
    return "DELETE FROM $target WHERE " . some() . ';' if $kind < 0.84;
    return "WITH gone AS (DELETE FROM $table WHERE " . some() . " RETURNING *) INSERT INTO $table SELECT id + 1000, at, customer_id, product_id, user_id, amount, note FROM gone ON CONFLICT DO NOTHING;"
      if $kind < 0.88;
    # A fact and what it is joined to in one statement.
    return 'WITH c AS (UPDATE customers SET region = ' . region() . ' WHERE ' . few(13) . " RETURNING id) INSERT INTO $table SELECT 3000 + (random() * 1e6)::int, " . moment()
      . ", id, 1, 1, 1, 'w' FROM c ON CONFLICT DO NOTHING;"
      if $kind < 0.89;
    return "DELETE FROM $table WHERE id > 900;" if $kind < 0.90;
    return "TRUNCATE $table;" if $kind < 0.903;
    return "MERGE INTO $table AS t USING (VALUES " . row() . ') AS s (id, at, c, p, u, a, n) ON t.id = s.id WHEN MATCHED AND s.u < 60 THEN DELETE WHEN MATCHED THEN UPDATE SET customer_id = s.c::int'
      . ($table eq 'parted' ? ', at = s.at::timestamp' : '')
      . ' WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.at::timestamp, s.c::int, s.p::int, s.u, s.a, s.n);'
      if $version >= 15 && $kind < 0.94;
    return "DO \$\$ BEGIN INSERT INTO $table VALUES " . row() . "; INSERT INTO $table SELECT * FROM $table LIMIT 1; EXCEPTION WHEN unique_violation THEN NULL; END \$\$;" if $kind < 0.97;
    return sprintf q{COPY %s FROM PROGRAM 'printf "%d\t2026-03-01 0%d:30\t%d\t%d\t%d\t5\tz\n"';}, $table, 1000 + rand 1e6, rand 6, 1 + rand 13, 1 + rand 11, rand 300;
}

# A statement that changes what facts are joined to.
sub joined
{
    my $kind = rand;
    return 'UPDATE customers SET region = ' . region() . ' WHERE ' . few(13) . ';' if $kind < 0.25;
    return 'UPDATE customers SET active = NOT active WHERE ' . few(13) . ';' if $kind < 0.33;
    return "UPDATE customers SET note = note || 'y' WHERE " . few(13) . ';' if $kind < 0.36;
    return sprintf "INSERT INTO customers VALUES (%d, %s, %s, 'n') ON CONFLICT (id) DO %s;", 1 + rand 13, region(), pick('true', 'true', 'false'),
      pick('NOTHING', 'UPDATE SET region = excluded.region, active = excluded.active')
      if $kind < 0.44;
    return sprintf 'DELETE FROM customers WHERE id = %d;', 1 + rand 13 if $kind < 0.51;
    return sprintf 'UPDATE customers SET id = %d WHERE id = %d;', 1 + rand 13, 1 + rand 13 if $kind < 0.54;
    return q{TRUNCATE customers CASCADE; INSERT INTO customers SELECT i, (ARRAY['N','S','E','W'])[1 + i % 4] FROM generate_series(1, 13) AS i;} if $kind < 0.545;
    return 'UPDATE products SET category_id = ' . pick(1 .. 4, 'NULL') . ' WHERE ' . few(11) . ';' if $kind < 0.66;
    return 'UPDATE products SET price = price + 1 WHERE ' . few(11) . ';' if $kind < 0.70;
    return sprintf "INSERT INTO products VALUES (%d, %d, 2, 'n') ON CONFLICT (id) DO %s;", 1 + rand 11, 1 + rand 5, pick('NOTHING', 'UPDATE SET category_id = excluded.category_id') if $kind < 0.76;
    return sprintf 'DELETE FROM products WHERE id = %d;', 1 + rand 11 if $kind < 0.81;
    return sprintf 'UPDATE products SET id = %d WHERE id = %d;', 1 + rand 11, 1 + rand 11 if $kind < 0.83;
    return 'TRUNCATE products CASCADE; INSERT INTO products SELECT i, 1 + i % 4 FROM generate_series(1, 11) AS i;' if $kind < 0.835;
    return sprintf 'UPDATE categories SET name = %s WHERE id = %d;', pick("'a'", "'b'", "'c'", 'NULL'), 1 + rand 5 if $kind < 0.92;
    return sprintf 'INSERT INTO categories VALUES (%d, %s) ON CONFLICT (id) DO UPDATE SET name = excluded.name;', 1 + rand 5, pick("'a'", "'d'") if $kind < 0.96;
    return sprintf 'DELETE FROM categories WHERE id = %d;', 1 + rand 5 if $kind < 0.985;
    return 'TRUNCATE categories;' if $kind < 0.99;
    # Two keys change places in one statement.
    return 'UPDATE categories SET id = 3 - id WHERE id IN (1, 2);' if $kind < 0.992;
    return sprintf "MERGE INTO customers AS t USING (VALUES (%d, 'M')) AS s (id, region) ON t.id = s.id WHEN MATCHED AND t.region = 'M' THEN DELETE WHEN MATCHED THEN UPDATE SET region = s.region"
      . ' WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.region);', 1 + rand 13
      if $version >= 15;
    return 'SELECT 1;';
}

sub change { my ($bias) = @_; return rand() < $bias ? joined() : fact() }

# Settings that change what the planner does, how text is read or written, and when memory is short.
sub setting
{
    return pick($version < 19 ? 'standard_conforming_strings = off' : (), 'array_nulls = off', 'bytea_output = escape', 'datestyle = "SQL, DMY"', 'timezone = "Asia/Kathmandu"',
        'work_mem = 64', 'enable_hashagg = off', 'enable_nestloop = off', 'enable_hashjoin = off', 'enable_indexscan = off', 'enable_material = off', 'enable_seqscan = off',
        'plan_cache_mode = force_generic_plan', 'jit = on', 'row_security = off');
}

my $prepared = 0;

sub transaction
{
    my ($client, $number) = @_;
    my $bias = $number % 2 ? 0.45 : 0.15;
    return change($bias) if rand() < 0.35;
    my $level = pick('READ COMMITTED', 'READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE');
    my @parts = ("BEGIN ISOLATION LEVEL $level;");
    push @parts, 'SET LOCAL ' . setting() . ';' if rand() < 0.2;
    # A snapshot that is older than what others do meanwhile.
    push @parts, 'SELECT count(*) FROM facts WHERE id = 0;', 'SELECT pg_sleep(' . pick(0.01, 0.05, 0.2) . ');' if rand() < 0.3;
    for (1 .. 1 + rand 3)
    {
        push @parts, change($bias);
        push @parts, 'SAVEPOINT s;', change($bias), pick('ROLLBACK TO s;', 'RELEASE s;') if rand() < 0.3;
        push @parts, 'SELECT pg_sleep(' . pick(0.005, 0.02, 0.1) . ');' if rand() < 0.35;
        push @parts, q{SELECT rollup_refresh('} . pick(@ROLLUPS) . q{');} if $level eq 'READ COMMITTED' && rand() < 0.02;
        push @parts, comparison(pick(@ROLLUPS)) . ';' if $level eq 'READ COMMITTED' && rand() < 0.05;
    }
    if (rand() < 0.05)
    {
        my $name = "'$client." . $prepared++ . "'";
        push @parts, "PREPARE TRANSACTION $name;", 'SELECT pg_sleep(' . pick(0, 0.1) . ');', pick("COMMIT PREPARED $name;", "COMMIT PREPARED $name;", "ROLLBACK PREPARED $name;");
    }
    else
    {
        push @parts, rand() < 0.12 ? 'ROLLBACK;' : 'COMMIT;';
    }
    return join "\n", @parts;
}

# What changes of what an older snapshot may believe: a foreign key goes or comes, a table is written anew.
sub definition
{
    return pick('ALTER TABLE linked DROP CONSTRAINT linked_customer_id_fkey;', 'ALTER TABLE customers ADD born float8 DEFAULT random();', 'ALTER TABLE customers DROP born;',
        'BEGIN; LOCK TABLE linked, customers; DELETE FROM linked WHERE customer_id NOT IN (SELECT id FROM customers);'
          . ' ALTER TABLE linked ADD CONSTRAINT linked_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE; COMMIT;');
}

sub refresh
{
    my $kind = rand;
    my $rollup = pick(@ROLLUPS);
    return definition() if rand() < 0.02;
    return "SELECT rollup_repair('$rollup');" if $kind < 0.01;
    return 'SELECT problem FROM rollup_list();' if $kind < 0.015;
    return q{SELECT rollup_freeze('} . pick('one', 'parts') . q{', '2026-03-01 01:00');} if $kind < 0.02;
    return q{SELECT rollup_refresh('} . pick(grep { $_ ne 'whole' } @ROLLUPS) . "', " . moment() . ');' if $kind < 0.1;
    return 'VACUUM ' . pick('(ANALYZE) ', '') . $rollup . pick('_log', '_rows', '_joined') . ';' if $kind < 0.18;
    return "BEGIN; SELECT rollup_refresh('$rollup'); " . pick('COMMIT;', 'ROLLBACK;') if $kind < 0.22;
    return "SELECT rollup_refresh('$rollup');\nSELECT pg_sleep(" . pick(0, 0.02, 0.1) . ');';
}

sub reading
{
    my $counted = "SELECT 'compared';";
    return comparison(pick(@ROLLUPS)) . ";\n$counted" if rand() < 0.3;
    # Of one snapshot. A transaction that is older than a TRUNCATE sees neither the rows nor the log.
    return join "\n", 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;', 'LOCK TABLE facts, linked, parted, customers, products, categories IN ACCESS SHARE MODE;',
      (map { (comparison($_) . ';', $counted, rand() < 0.2 ? 'SELECT pg_sleep(' . pick(0, 0.05) . ');' : ()) } sort { rand() <=> 0.5 } @ROLLUPS), 'COMMIT;';
}

# Beside those that all such tests have: a lock timeout, a missing key, a row of a MERGE that is changed twice, a column or a
# constraint that is there or not.
my $EXPECTED = '42701|42703|42710|3B001|40001|40P01|55P03|25P02|42704|25P01|55006|25001|23505|23503|23514|57P01|57P02|57P03|42P17|21000';

sub all_equal
{
    my ($name) = @_;
    for my $rollup (@ROLLUPS)
    {
        is_query($node, comparison($rollup), '', "$name: $rollup");
        $node->safe_psql('postgres', "SELECT rollup_refresh('$rollup')");
        is_query($node, comparison($rollup) . "; SELECT count(*) FROM ${rollup}_log WHERE mark < 4; SELECT count(*) FROM ${rollup}_joined", "0\n0", "$name: $rollup, refreshed");
        is_query($node, "SELECT count(*) FROM rollup_check('$rollup')", '0', "$name: rollup_check of $rollup");
    }
    is_query($node, 'SELECT rollup, problem FROM rollup_list() WHERE problem IS NOT NULL', '', "$name: no problem");
    return;
}

$clients->storm(
    $seconds, $crashes,
    clients => [ [ writer => WRITERS, \&transaction ], [ refresher => REFRESHERS, \&refresh ], [ reader => READERS, \&reading ] ],
    judge => sub { $clients->judge($_[0], $EXPECTED) },
    equal => \&all_equal);

done_testing();
