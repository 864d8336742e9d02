# RedisServer - a throw-away redis-server on a unix socket, and its protocol.

package RedisServer;

use strict;
use warnings;

use File::Spec;
use IO::Socket::UNIX;
use IPC::Run ();
use Time::HiRes qw(sleep);

my $running;

# Where redis-server is, or undef.
sub program
{
    for my $directory (File::Spec->path)
    {
        return "$directory/redis-server" if -x "$directory/redis-server";
    }
    return;
}

# Starts one in a directory (a short path: it holds a socket) and connects.
sub start
{
    my ($class, $directory) = @_;
    my $socket = "$directory/redis.sock";
    my $log = "$directory/redis.log";
    my $self = bless { socket => $socket }, $class;
    $self->{run} = IPC::Run::start(
        [
            program(), '--port', 0, '--unixsocket', $socket, '--save', '', '--appendonly', 'no',
            '--dir', $directory, '--daemonize', 'no'
        ],
        '<', \undef, '>', $log, '2>&1');
    $running = $self;
    for (1 .. 1000)
    {
        $self->{to} = IO::Socket::UNIX->new(Peer => $socket);
        return $self if $self->{to};
        die "redis-server ended, see $log\n" unless $self->{run}->pumpable;
        sleep 0.02;
    }
    die "redis-server does not answer\n";
}

# Its version, a number: 7.2.
sub version
{
    my ($self) = @_;
    my ($version) = $self->command('INFO', 'server') =~ /redis_version:(\d+\.\d+)/;
    return $version;
}

sub stop
{
    my ($self) = @_;
    delete $self->{to};
    (delete $self->{run})->kill_kill if $self->{run};
    undef $running if $running && $running == $self;
    return;
}

END
{
    my $status = $?;
    $running->stop if $running;
    $? = $status;
}

# Sends a command and returns its reply: a string, a number, undef for nil, a reference to a list;
# dies for an error.
sub command
{
    my ($self, @words) = @_;
    my $to = $self->{to};
    print $to '*' . @words . "\r\n", map { '$' . length($_) . "\r\n$_\r\n" } @words;
    $to->flush;
    return reply($to);
}

sub reply
{
    my ($to) = @_;
    my $line = <$to> // die "redis-server hung up\n";
    $line =~ s/^(.)(.*)\r\n\z/$2/s;
    my $kind = $1;
    return $line if $kind eq '+' || $kind eq ':';
    return [ map { scalar reply($to) } 1 .. $line ] if $kind eq '*';
    die "redis: $line\n" if $kind eq '-';
    die "redis: unexpected reply $kind$line\n" if $kind ne '$';
    return if $line < 0;
    my $bytes = '';
    while (length $bytes < $line + 2)
    {
        read($to, $bytes, $line + 2 - length $bytes, length $bytes)
          or die "redis-server hung up\n";
    }
    return substr $bytes, 0, $line;
}

1;
