# SketchTest - what the TAP tests share: servers with the extension, sessions that run beside the
# test, errors by SQLSTATE, plans.

package SketchTest;

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(dirname);
use File::Spec;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw(
  HANG_SECONDS major_version new_server start_psql finish_psql wait_until is_query raises plan_of
  enough_workers sketch_bytes types_with rows_of_types
);

# No test measures time; what takes this long hangs.
use constant HANG_SECONDS => 120;

# Ctrl-C and kill end the test by die, so that the END blocks stop the servers.
for my $name (qw(INT TERM HUP))
{
    $SIG{$name} = sub { die "test ended by SIG$name\n" };
}

my $SETTINGS = <<'CONF';
max_connections = 30
shared_buffers = 64MB
max_worker_processes = 24
max_parallel_workers = 16
autovacuum = off
jit = off
log_statement = none
timezone = UTC
CONF

# The version of PostgreSQL that is tested, 13 or later.
sub major_version
{
    my $program = $ENV{PG_CONFIG} // 'pg_config';
    my ($version) = `'$program' --version` =~ /(\d+)/ or die "$program does not tell its version\n";
    return $version;
}

# A running server whose database postgres has the extension, in schema public unless another one is
# named. Parameters: conf (more settings), schema (undef: do not create the extension), and those
# of PostgreSQL::Test::Cluster->init.
sub new_server
{
    my ($name, %params) = @_;
    my $conf = delete $params{conf} // '';
    my $schema = exists $params{schema} ? delete $params{schema} : 'public';

    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(extra => [qw(--locale=C --encoding=UTF8)], %params);
    $node->append_conf('postgresql.conf', $SETTINGS . $conf);
    $node->start;
    return $node unless defined $schema;
    $node->safe_psql('postgres', "CREATE SCHEMA $schema") if $schema ne 'public';
    $node->safe_psql('postgres', "CREATE EXTENSION sketches SCHEMA $schema");
    return $node;
}

# psql running beside the test: { run, out, err }. Notices arrive in err as they are sent.
sub start_psql
{
    my ($node, $sql, $database) = @_;
    my $session = { out => '', err => '', in => "$sql\n" };
    $session->{run} = IPC::Run::start(
        [
            $node->can('installed_command') ? $node->installed_command('psql') : 'psql',
            qw(-X -A -t -q -v ON_ERROR_STOP=1 -f - -d), $node->connstr($database // 'postgres')
        ],
        '<', \$session->{in}, '>', \$session->{out}, '2>', \$session->{err},
        IPC::Run::timeout(HANG_SECONDS));
    $session->{run}->pump while length $session->{in};
    return $session;
}

# Waits for the end of the session; true when it succeeded.
sub finish_psql
{
    my ($session) = @_;
    return $session->{run}->finish;
}

# Polls until the condition holds; true if it does before the test would be called hanging.
sub wait_until
{
    my ($condition) = @_;
    my $end = time + HANG_SECONDS;
    while (time < $end)
    {
        return 1 if $condition->();
        sleep 0.02;
    }
    return 0;
}

sub is_query
{
    my ($node, $sql, $expected, $name, %params) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($node->safe_psql($params{database} // 'postgres', $sql), $expected, $name);
}

# The statement fails with this SQLSTATE. What stands before it in $params{before} succeeds, and so
# does what comes after it in $params{after}, in the same session, with the output $params{output}.
sub raises
{
    my ($node, $sqlstate, $sql, $name, %params) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($out, $err, $hangs) = ('', '');
    my $script = join "\n", '\set VERBOSITY sqlstate', $params{before} // '', "$sql;",
      '\echo state :SQLSTATE', $params{after} // '';
    $node->psql(
        $params{database} // 'postgres',
        $script,
        stdout => \$out,
        stderr => \$err,
        on_error_stop => 0,
        timeout => HANG_SECONDS,
        timed_out => \$hangs);
    return fail("$name: hangs") if $hangs;
    my ($state, $after) = $out =~ /^state (\S+)\n?(.*)\z/ms;
    return is(
        ($state // 'none') . '|' . ($after // ''),
        $sqlstate . '|' . ($params{output} // ''), $name)
      || diag($err);
}

# EXPLAIN of a query, after the given settings; analyzed if asked for.
sub plan_of
{
    my ($node, $settings, $query, $analyze) = @_;
    my $options = $analyze ? 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF' : 'COSTS OFF';
    return $node->safe_psql('postgres', "$settings;\nEXPLAIN ($options) $query");
}

# Every Gather of an analyzed plan had as many workers as it planned.
sub enough_workers
{
    my ($plan, $workers) = @_;
    my @launched = $plan =~ /Workers Launched: (\d+)/g;
    return @launched && !grep { $_ != $workers } @launched;
}

# What the types have for a test: one hash for each that has something, of those in test/t/types.
sub types_with
{
    my ($topic) = @_;
    my @files = sort glob dirname(File::Spec->rel2abs(__FILE__)) . '/../types/*.pl';
    return grep { defined } map { (do $_ // die "$_: ", $@ || $!)->{$topic} } @files;
}

# One part of that, of all types: the elements of lists, the pairs of hashes.
sub rows_of_types
{
    my ($topic, $part) = @_;
    return map { ref $_ eq 'HASH' ? %$_ : ref $_ eq 'ARRAY' ? @$_ : $_ }
      grep { defined } map { $_->{$part} } types_with($topic);
}

# An expression for the bytes of a sketch that can be NULL, short enough to compare and print.
sub sketch_bytes
{
    my ($expression) = @_;
    return "coalesce(md5(($expression)::bytea), 'NULL')";
}

1;
