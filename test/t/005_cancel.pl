# Long statements are cancelled: SQLSTATE 57014, and the session goes on.
#
# That a function looks for interrupts by itself cannot be seen from the time it takes: a single
# call is bounded by the size of an array, and the executor looks between calls. So the cancel
# request comes from the same statement, before the call, and the call is followed by nextval(),
# which does not look for interrupts either and whose effect is not rolled back: whether it ran
# shows whether the function had let itself be cancelled.
#
# Which functions have to is asked of the catalog: those in C that take or make an array, a document, a
# string or a value that can be large. A call of each is made of its arguments' types, so a new function
# is tested by itself. The types' files say which of their values is large, or that none is; which calls
# are made otherwise; and of which functions no call is long, and why.

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

# Long arrays of items, and of the types' values: three times the 65,536 steps between two looks for interrupts.
my %arrays = (
    hashes => '(SELECT array_agg(i::bigint::hashed) FROM generate_series(1, 200000) i)',
    texts => q{(SELECT array_agg('user-' || i) FROM numbers)},
    strings => q{(SELECT array_agg(('user-' || i)::bytea) FROM numbers)},
    floats => '(SELECT array_agg(i / 200000.0::float8) FROM generate_series(1, 200000) i)',
    ranks => '(SELECT array_agg(i::bigint) FROM generate_series(1, 200000) i)',
    integers => '(SELECT array_agg(i) FROM generate_series(1, 200000) i)',
    rows_of_types('cancel', 'arrays'));
$node->safe_psql('postgres',
    'CREATE TABLE arrays AS SELECT ' . join ', ', map { "$arrays{$_} AS $_" } sort keys %arrays);

my $works = <<'SQL';
SET statement_timeout = 0;
SELECT hll_cardinality(hll_agg(i)), hll_cardinality(hll_add_all(hll_empty(), ARRAY[1, 2, 3]))
FROM generate_series(1, 10) i;
SQL

# What would run for hours. It is under way long before it is cancelled.
my %endless = rows_of_types('cancel', 'endless');
my $timeout = ($ENV{SAMPLE} // 1) > 1 ? 100 : 300;
for my $what (sort keys %endless)
{
    raises(
        $node, '57014', $endless{$what}, $what,
        before => "SET statement_timeout = $timeout; SET work_mem = 65536;",
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

# ---- functions let themselves be cancelled ----

# What the calls take, by type; that of a type of ours is large, or what it says in `arguments`.
my %large = rows_of_types('cancel', 'large');
my %bounded = rows_of_types('cancel', 'bounded');
my %values = rows_of_types('cancel', 'values');
my %argument = (
    'bigint' => '5', 'integer' => '5', 'double precision' => '0.5', 'boolean' => 'true',
    'text' => q{'7'}, 'hashed' => '7::bigint::hashed', 'anyenum' => q{'7'::digit}, 'bytea' => q{'\x07'},
    'cstring' => 'textout(a.long_text)', 'hashed[]' => 'a.hashes', 'text[]' => 'a.texts',
    'character varying[]' => 'a.texts', 'bytea[]' => 'a.strings', 'double precision[]' => 'a.floats',
    'bigint[]' => 'a.ranks', 'integer[]' => 'a.integers',
    (map { $_ => "a.$_" } keys %large),
    rows_of_types('cancel', 'arguments'));

$node->safe_psql('postgres', q{CREATE TYPE digit AS ENUM ('7', 'x7')});
$node->safe_psql('postgres', 'CREATE TABLE large AS SELECT '
    . join ', ', map { "($large{$_})::bytea AS $_" } sort keys %large);

# The columns that a call may take beside the arrays, made before it: a value and what is made of it.
for my $type (keys %large)
{
    my $value = "CAST(l.$type || '' AS $type)";
    $values{$type} = $value;
    $values{"${type}_bytes"} = "l.$type || ''";
    $values{"${type}_text"} = "CAST($value AS text)";
    $values{"${type}_state"} = "_${type}_union_state(NULL, $value)";
}
$values{long_text} = q{repeat('A', 40000000)};
$values{list} = q{'{' || repeat('7,', 300000) || '7}'};

# Where a call of no more than its arguments' types would say nothing; by name, or with arguments.
my %calls = rows_of_types('cancel', 'loops');
my %calls_of_type = map { ("$_(bytea)" => "$_(a.${_}_bytes)",
    "${_}_in(cstring)" => "${_}_in(textout(a.${_}_text))",
    "${_}_final" => "${_}_final(a.${_}_state)") } keys %large;

# Functions of which no call is long, and why.
my %brief;
{
    my @reasons = rows_of_types('cancel', 'brief');
    while (my ($reason, $names) = splice @reasons, 0, 2)
    {
        $brief{$_} = $reason for @$names;
    }
}

my @functions = map { [ split /\|/, $_, -1 ] } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT proname, prosrc, format_type(prorettype, NULL),
       (SELECT string_agg(format_type(t, NULL), ',' ORDER BY i)
        FROM unnest(proargtypes) WITH ORDINALITY a (t, i))
FROM pg_proc p JOIN pg_language l ON l.oid = prolang JOIN pg_depend d ON d.objid = p.oid
WHERE lanname = 'c' AND d.classid = 'pg_proc'::regclass AND deptype = 'e'
  AND refclassid = 'pg_extension'::regclass
  AND proname !~ '^_?rollup_'    -- as long as the query, which looks for interrupts itself
ORDER BY proname COLLATE "C", pronargs, 4
SQL

# Every type is known; plumbing may begin with _, which the rows leave out.
is($node->safe_psql('postgres', <<'SQL'), join("\n", sort keys %large, keys %bounded), 'types');
SELECT typname FROM pg_type t JOIN pg_depend d ON d.objid = t.oid
WHERE classid = 'pg_type'::regclass AND deptype = 'e' AND typtype = 'b' AND typcategory <> 'A'
ORDER BY typname COLLATE "C"
SQL
my %real = map { my $name = $_->[0]; $name =~ s/^_//r => $name } @functions;

# A call by the name that is in the catalog now.
sub real_call
{
    my ($call) = @_;
    return $call =~ s/\b([a-z]\w*)(?=\()/$real{$1} \/\/ $1/ger;
}

# A block that calls this with a cancel request before it, and says what came of it.
sub cancelled_call
{
    my ($call) = @_;
    my (%used, @held, @made);
    $used{$1} = 1 while $call =~ /\ba\.(\w+)/g;
    for my $column (sort keys %used)
    {
        # Fetched before, and changed, because fetching looks for interrupts itself.
        push @held, "array_append(r.$column, NULL) AS $column" if $arrays{$column};
        push @made, real_call($values{$column}) . " AS $column" if $values{$column};
        die "$column is nothing that $call can take" unless $arrays{$column} || $values{$column};
    }
    my $columns = join ', ', 1, @held, @made;
    # The OFFSET keeps the planner from calling an immutable function of what it knows.
    return <<"SQL";
DO \$\$
DECLARE
    before bigint := nextval('ran');
    cancelled boolean := false;
BEGIN
    BEGIN
        PERFORM pg_cancel_backend(pg_backend_pid()), $call, nextval('ran')
            FROM (SELECT $columns FROM arrays r, large l OFFSET 0) a;
    EXCEPTION WHEN query_canceled THEN cancelled := true;
    END;
    RAISE NOTICE 'cancelled %, % after it', cancelled, nextval('ran') - before - 1;
END \$\$;
\\warn ----
SQL
}

# Makes these calls, and tests for each whether it ends early: rows of a call, what is expected and a name.
sub ends_early
{
    my @rows = @_;
    my ($out, $err) = ('', '');
    $node->psql('postgres', join('', map { cancelled_call(real_call($_->[0])) } @rows),
        stdout => \$out, stderr => \$err, on_error_stop => 0);
    my @said = split /^----\n?/m, $err;
    for my $row (@rows)
    {
        my ($call, $expected, $name) = @$row;
        my $said = shift @said // 'nothing was said: the session has ended';
        my ($cancelled, $after) = $said =~ /cancelled ([tf]), (\d+) after it/;
        is($cancelled && "$cancelled $after", $expected ? 't 0' : 't 1', $name) || diag("$call: $said"
              . "Its loops look for interrupts; or test/t/types/*.pl, under cancel, has a longer call (loops), or why none is long (brief).");
    }
    return;
}

# The method has to be able to tell: these do not look for interrupts.
ends_early(
    [ '1::bigint + cardinality(a.hashes)', 0, 'int8pl is not cancelled from within' ],
    map { [ "record_image_eq(ROW(a.$_), ROW(a.$_))", 0, "nor is comparing rows of $_" ] } sort keys %large);

# Each once: one C function may be bound to several names and lists of arguments.
my (%done, %asked, @rows);
for my $function (@functions)
{
    my ($name, $source, $result, $arguments) = @$function;
    my @types = split /,/, $arguments;
    next if grep { $_ eq 'internal' } @types;    # only the executor calls it, as in the statements above
    my $list = $source =~ /_(?:all|each)$/ && grep { $_ eq 'text' } @types;    # which is read as an array
    my @long = grep { /\[\]$|^(?:bytea|jsonb|cstring)$/ || $large{$_} || $list && $_ eq 'text' }
      @types, $result;
    my $plain = $name =~ s/^_//r;
    my $signature = "$plain($arguments)";
    my ($row) = map { $calls{$_} // $calls_of_type{$_} // () } $signature, $plain;
    my ($why) = grep { exists $brief{$_} } $signature, $plain;
    # One that is long for its items has a row.
    next unless @long || defined $row;
    $asked{$_} = 1 for $signature, $plain;
    next if defined $why;
    my $own = grep { $source =~ /^sketches_${_}_/ } keys %large, keys %bounded;
    next if $done{"$source " . ($own ? $list : "@long")}++ && !defined $row;

    my $call = $row // "$plain("
      . join(', ', map { $list && $_ eq 'text' ? 'a.list'
            : $argument{$_} // ($bounded{$_} ? "a.$_" : "NULL::$_") } @types) . ')';
    push @rows, [ $call, 1, "$signature is cancelled from within" ];
}
ends_early(@rows);
is_deeply([ grep { !$asked{$_} } sort keys %calls, keys %brief ], [], 'every row is of a function');
is_deeply([ grep { exists $calls{$_} } sort keys %brief ], [], '... and says one thing');

done_testing();
