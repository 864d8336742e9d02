# Long statements are cancelled: SQLSTATE 57014, and the session goes on.
#
# That a function looks for interrupts by itself cannot be seen from the time it takes: a single
# call is bounded by the size of an array, and the executor looks between calls. So the cancel
# request comes from the same statement, before the call, and the call is followed by nextval(),
# which does not look for interrupts either and whose effect is not rolled back: whether it ran
# shows whether the function had let itself be cancelled.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('cancel');
$node->safe_psql('postgres', <<'SQL');
CREATE SEQUENCE ran;
CREATE TABLE numbers AS SELECT i FROM generate_series(1, 100000) i;
SQL

$node->safe_psql('postgres', $_) for rows_of_types('cancel', 'setup');

# Long arrays of items, and of the types' values.
my %arrays = (
    hashes => '(SELECT array_agg(i::bigint::hashed) FROM generate_series(1, 2000000) i)',
    texts => q{(SELECT array_agg('user-' || i) FROM numbers)},
    floats => '(SELECT array_agg(i / 2000000.0::float8) FROM generate_series(1, 2000000) i)',
    ranks => '(SELECT array_agg(i::bigint) FROM generate_series(1, 2000000) i)',
    rows_of_types('cancel', 'arrays'));
$node->safe_psql('postgres',
    'CREATE TABLE arrays AS SELECT ' . join ', ', map { "$arrays{$_} AS $_" } sort keys %arrays);

my $works = <<'SQL';
SET statement_timeout = 0;
SELECT #hll_agg(i), hll_cardinality(hll_add_all(hll_empty(), ARRAY[1, 2, 3]))
FROM generate_series(1, 10) i;
SQL

# What would run for hours.
my %endless = rows_of_types('cancel', 'endless');
for my $what (sort keys %endless)
{
    raises(
        $node, '57014', $endless{$what}, $what,
        before => 'SET statement_timeout = 300; SET work_mem = 65536;',
        after => $works,
        output => '10|3');
}

# A parallel one, by another session; the workers end too.
{
    my $session = start_psql($node, <<'SQL' . "\\set VERBOSITY sqlstate\n$endless{'hll_agg'};");
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET application_name = 'aggregation';
SQL
    my $active = q{FROM pg_stat_activity
        WHERE application_name = 'aggregation' AND state = 'active'};
    ok(wait_until(sub { $node->safe_psql('postgres', "SELECT count(*) $active") >= 2 }),
        'a parallel aggregation runs');
    is_query($node, "SELECT pg_cancel_backend(pid) $active AND backend_type = 'client backend'",
        't', '... is cancelled');
    ok(!finish_psql($session), '... and ends');
    like($session->{err}, qr/57014/, '... as cancelled');
    ok(wait_until(sub { $node->safe_psql('postgres', "SELECT count(*) $active") == 0 }),
        '... workers as well');
}

# Functions that go through an array look for interrupts by themselves.
my %loops = (
    rows_of_types('cancel', 'loops'),
    # The method has to be able to tell: these do not look for interrupts.
    'int8pl' => undef);
my %values = rows_of_types('cancel', 'values');
my $values = join '', map { ", $values{$_} AS $_" } sort keys %values;
# Fetched before, with a NULL at the end, because fetching looks for interrupts itself.
my $held = join ', ', map { "array_append($_, NULL)" } sort keys %arrays;
for my $what (sort keys %loops)
{
    my $call = $loops{$what} // '1::bigint + cardinality(a.hashes)';
    my $statement = <<"SQL";
DO \$\$
DECLARE
    held arrays;
    before bigint := nextval('ran');
    cancelled boolean := false;
BEGIN
    SELECT $held INTO held FROM arrays;
    BEGIN
        -- The OFFSET keeps the planner from calling an immutable function of what it knows.
        PERFORM pg_cancel_backend(pg_backend_pid()), $call, nextval('ran')
            FROM (SELECT held.*$values OFFSET 0) a;
    EXCEPTION WHEN query_canceled THEN cancelled := true;
    END;
    RAISE NOTICE 'cancelled %, % after it', cancelled, nextval('ran') - before - 1;
END \$\$
SQL
    my ($status, $out, $err) = $node->psql('postgres', $statement);
    my $expected = defined $loops{$what} ? 'cancelled t, 0 after it' : 'cancelled t, 1 after it';
    like($err, qr/\Q$expected\E/, "$what " . (defined $loops{$what} ? 'is' : 'is not')
        . ' cancelled from within');
}

done_testing();
