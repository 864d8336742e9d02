# Kept - a server whose data directory stays, so that a table is loaded once for many runs.
#
#   my $status = Kept::run($directory, \@settings, @command);
#
# Runs @command beside the server and returns its exit status. The server is stopped, whatever
# ends the command; the directory is left for the next time. Throw-away servers are the business
# of test/harness/with-server.

package Kept;

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Path qw(make_path);
use POSIX ();

sub run
{
    my ($directory, $settings, @command) = @_;
    my $bindir = qx{"\${PG_CONFIG:-pg_config}" --bindir};
    chomp $bindir;
    die "pg_config does not run: set PG_CONFIG, or run make deps\n" if $? != 0 || $bindir eq '';

    make_path($directory);
    $directory = abs_path($directory);
    my @as = $> == 0 ? qw(runuser -u postgres --) : ();
    if ($> == 0)
    {
        my (undef, undef, $uid, $gid) = getpwnam('postgres');
        die "PostgreSQL cannot run as root, and there is no user postgres\n" unless defined $uid;
        chown $uid, $gid, $directory or die "chown $directory: $!\n";
    }
    if (!-e "$directory/data/PG_VERSION")
    {
        quietly(@as, "$bindir/initdb", '-D', "$directory/data",
            qw(-U postgres -A trust -E UTF8 --locale=C --no-sync));
    }
    my $arguments = join ' ', map { "-c $_" } "unix_socket_directories=$directory",
      'listen_addresses=', @$settings;
    my @control = (@as, "$bindir/pg_ctl", '-D', "$directory/data", '-w', '-s');

    # A signal is the command's business. The server must outlive it to be stopped in good order, or
    # its unlogged tables are empty the next time.
    my $child;
    local @SIG{qw(INT TERM HUP)} = (sub { kill $_[0], $child if $child }) x 3;
    quietly(@control, '-l', "$directory/log", '-o', $arguments, 'start');
    local @ENV{qw(PGHOST PGPORT PGUSER PGDATABASE)} = ($directory, 5432, 'postgres', 'postgres');
    $child = fork() // die "fork: $!\n";
    if (!$child)
    {
        exec @command or POSIX::_exit(127);
    }
    1 while waitpid($child, 0) == -1 && $!{EINTR};
    my $status = $?;
    quietly(@control, '-m', 'fast', 'stop');
    return $status & 127 ? 128 + ($status & 127) : $status >> 8;
}

# A program whose output is of interest only when it fails.
sub quietly
{
    my @program = @_;
    my $pid = open my $out, '-|';
    die "fork: $!\n" unless defined $pid;
    if (!$pid)
    {
        chdir '/';
        open STDERR, '>&', \*STDOUT;
        exec @program or exit 127;
    }
    my $text = do { local $/ = undef; <$out> // '' };
    close $out;
    die "$program[-1] failed:\n$text" if $? != 0;
    return;
}

1;
