# Session - one psql that stays, for statements, their times and the memory of their backend.
#
# Times are psql's own \timing of a top-level statement: what a user waits for. Inside a DO block
# a statement runs as a cursor would and may lose its parallel plan, and EXPLAIN ANALYZE counts
# the rows of every plan node on the way. What \timing adds is a round trip over a local socket,
# well under a tenth of a millisecond.

package Session;

use strict;
use warnings;

use IPC::Open2;

sub new
{
    my ($class, %variables) = @_;
    my $self = bless { marks => 0 }, $class;
    # psql prints times with the decimal point of the locale.
    local $ENV{LC_ALL} = 'C';
    local $ENV{PGOPTIONS} = '-c client_min_messages=warning';
    # Through a shell for one reason: errors have to arrive in order with everything else.
    $self->{pid} = open2($self->{out}, $self->{in},
        'sh', '-c', 'exec "$@" 2>&1', 'psql', qw(psql -X -q -A -t -w),
        map { ('-v', "$_=$variables{$_}") } sort keys %variables);
    $self->{backend} = $self->value('select pg_backend_pid()');
    return $self;
}

# Runs statements and returns the lines they print. Dies with the server's words if one fails.
sub run
{
    my ($self, $sql) = @_;
    my $mark = '-- done ' . ++$self->{marks};
    $sql =~ s/[\s;]*$/;/ unless $sql =~ /^\\/;
    local $SIG{PIPE} = 'IGNORE';
    print { $self->{in} } "$sql\n\\echo '$mark'\n";
    $self->{in}->flush;
    my (@lines, $error);
    while (1)
    {
        my $line = readline $self->{out};
        die "the session ended: " . join(' ', @lines) . "\n" unless defined $line;
        chomp $line;
        last if $line eq $mark;
        $error //= $line if $line =~ /(?:^|: )(?:ERROR|FATAL|PANIC):|^(?:\\|invalid )/;
        push @lines, $line;
    }
    die join("\n", @lines) . "\n" if defined $error;
    return @lines;
}

# The one value a statement returns.
sub value
{
    my ($self, $sql) = @_;
    my @lines = grep { !/^WARNING: / } $self->run($sql);
    die "one value expected from: $sql\n" unless @lines == 1;
    return $lines[0];
}

# The statement's time in milliseconds.
sub time_of
{
    my ($self, $sql) = @_;
    $self->run('\timing on');
    my @times = map { /^Time: ([\d.]+) ms/ ? $1 : () } $self->run($sql);
    $self->run('\timing off');
    die "one statement expected: $sql\n" unless @times == 1;
    return $times[0];
}

# The processor time of the statement in its backend, in milliseconds.
sub cpu_time_of
{
    my ($self, $sql) = @_;
    my ($before) = $self->scheduled or die "the kernel does not tell the processor time\n";
    $self->run($sql);
    return ($self->scheduled)[0] - $before;
}

# The largest resident size the backend ever had, in kB, all shared memory it touched included.
sub peak
{
    my ($self) = @_;
    my $path = "/proc/$self->{backend}/status";
    open my $file, '<', $path or die "memory is measured beside the server only: $path: $!\n";
    my ($peak) = map { /^VmHWM:\s+(\d+) kB/ ? $1 : () } <$file>;
    die "$path has no VmHWM\n" unless defined $peak;
    return $peak;
}

# Milliseconds the backend has been running on a processor, and ready to run without getting one.
# Nothing where the kernel does not say.
sub scheduled
{
    my ($self) = @_;
    open my $file, '<', "/proc/$self->{backend}/schedstat" or return;
    my @nanoseconds = split ' ', <$file> // '';
    return map { $_ / 1e6 } @nanoseconds[ 0, 1 ];
}

sub end
{
    my ($self) = @_;
    close $self->{in};
    close $self->{out};
    waitpid $self->{pid}, 0;
    return;
}

1;
