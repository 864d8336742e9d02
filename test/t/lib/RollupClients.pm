# Clients of the tests that stress rollups: each is a process that sends what a function makes to a psql of its own.
package RollupClients;

use strict;
use warnings;

use Exporter 'import';
use POSIX ();
use PostgreSQL::Test::Utils;
use SketchTest;
use Test::More;

our @EXPORT = qw(pick setting);

sub pick { return $_[ rand @_ ] }

# Settings that change how text is read or written, what the planner does and when memory is short. PostgreSQL 19 has strings of
# the standard only.
sub setting
{
    return pick(major_version() < 19 ? 'standard_conforming_strings = off' : (), 'array_nulls = off', 'bytea_output = escape', 'extra_float_digits = -15', 'datestyle = "SQL, DMY"',
        'intervalstyle = sql_standard', 'transform_null_equals = on', 'xmloption = document', 'timezone = "Asia/Kathmandu"', 'search_path = pg_temp',
        'work_mem = 64', 'enable_hashagg = off', 'enable_nestloop = off', 'enable_hashjoin = off', 'enable_indexscan = off', 'enable_material = off',
        'plan_cache_mode = force_generic_plan', 'jit = on', 'enable_bitmapscan = off', 'enable_seqscan = off', 'check_function_bodies = off', 'row_security = off');
}

sub new
{
    my ($class, $node, $seed) = @_;
    return bless { node => $node, seed => $seed, dir => PostgreSQL::Test::Utils::tempdir() }, $class;
}

# Runs clients of all kinds beside each other for some seconds, and then into crashes. After each, transactions that are
# prepared are rolled back, and `judge` and `equal` see what is left. A kind is a name, how many there are, and the function
# that makes what one of them sends, from his name, his number and the seconds that he has.
sub storm
{
    my ($self, $seconds, $crashes, %do) = @_;
    for my $name ('mix', map { "crash$_" } 1 .. $crashes)
    {
        my $duration = $name eq 'mix' ? $seconds : 4;
        my @pids;
        for my $kind (@{ $do{clients} })
        {
            my ($client, $count, $make) = @$kind;
            push @pids, $self->start("$name-$client$_", $duration, $make, $_) for 1 .. $count;
        }
        if ($name ne 'mix')
        {
            select undef, undef, undef, $duration - 1;
            $self->{node}->stop('immediate');
        }
        waitpid $_, 0 for @pids;
        $self->{node}->start if $name ne 'mix';
        $self->{node}->safe_psql('postgres', "ROLLBACK PREPARED '$_'") for split /\n/, $self->{node}->safe_psql('postgres', 'SELECT gid FROM pg_prepared_xacts');
        $do{judge} ? $do{judge}->($name) : $self->judge($name);
        $do{equal}->($name eq 'mix' ? 'at the end' : "after $name");
    }
    return;
}

# Until the time is up. What waits in the pipe then is not executed.
sub start
{
    my ($self, $name, $duration, $make, $number) = @_;
    my $until = time + $duration;
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    srand($self->{seed} + unpack '%32C*', $name);
    open STDOUT, '>', "$self->{dir}/$name.out" or POSIX::_exit(1);
    open STDERR, '>', "$self->{dir}/$name.err" or POSIX::_exit(1);
    open my $psql, '|-', 'psql', qw(-X -A -t -q -v VERBOSITY=verbose -d), $self->{node}->connstr('postgres') or POSIX::_exit(1);
    $psql->autoflush(1);
    local $SIG{PIPE} = 'IGNORE';
    while (time < $until)
    {
        print $psql "SELECT clock_timestamp() > to_timestamp($until) AS over \\gset\n\\if :over\n\\q\n\\endif\n", $make->($name, $number, $duration), "\n" or last;
        select undef, undef, undef, 0.002;
    }
    close $psql;
    POSIX::_exit(0);
}

sub output
{
    my ($self, $pattern) = @_;
    return join '', map { PostgreSQL::Test::Utils::slurp_file($_) } glob "$self->{dir}/$pattern";
}

# Serialization, deadlock, a savepoint or a transaction that is aborted or does not exist, a table in use or a duplicate key.
my $EXPECTED = '3B001|40001|40P01|25P02|42704|25P01|55006|25001|23505|57P01|57P02|57P03|23514|42P01|42P07|42809|0A000|42P17';

# What the clients saw: no violation, and no errors but those that such a mix has.
sub judge
{
    my ($self, $name, $expected) = @_;
    my @violations = $self->output("$name-*.out") =~ /^VIOLATION.*/mg;
    is("@violations[0 .. ($#violations < 4 ? $#violations : 4)]", '', "$name: every comparison finds the rollup equal to its query");
    my $compared = () = $self->output("$name-*.out") =~ /compared/g;
    my $transactions = $self->{node}->safe_psql('postgres', q{SELECT pg_sleep(1.1), xact_commit FROM pg_stat_database WHERE datname = 'postgres'}) =~ s/\|//r;
    note "$name: $compared comparisons, $transactions transactions, seed $self->{seed}";
    cmp_ok($compared, '>', 10, "$name: the readers compared") if $name eq 'mix';
    my %unexpected;
    $expected //= $EXPECTED;
    for my $error ($self->output("$name-*.err") =~ /ERROR:  (\S+: .*)/g)
    {
        $unexpected{$error}++ if $error !~ /^(?:$expected):/;
    }
    is(join('; ', map { "$_ ($unexpected{$_})" } sort keys %unexpected), '', "$name: no errors but those of concurrency");
    return;
}

1;
