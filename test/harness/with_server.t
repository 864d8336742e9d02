#!/usr/bin/env perl
#
# test/harness/with-server: what COMMAND finds, what comes back, and that nothing stays, however it
# ends.

use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Trial;

my $with_server = "$FindBin::Bin/with-server";
my $scratch = tempdir(CLEANUP => 1);

# Starts with-server, waits until COMMAND runs (a shell script, which says so), and returns
# with-server's process, the server's process and its directory.
sub start
{
    my ($script) = @_;
    unlink "$scratch/up";
    my $pid = fork() // die "fork: $!\n";
    if (!$pid)
    {
        # A shell that runs this in the background ignores SIGINT, and so would what it starts.
        $SIG{$_} = 'DEFAULT' for qw(INT TERM);
        open STDOUT, '>', "$scratch/out" or die "$scratch/out: $!\n";
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        exec $with_server, '--', 'sh', '-c', <<"SH" or die "with-server: $!\n";
            head -n 1 "\$SKETCHES_SERVER_PID_DIR/postmaster.pid" >'$scratch/pid'
            echo "\$PGHOST" >'$scratch/host'
            touch '$scratch/up'
            $script
SH
    }
    wait_until(sub { -e "$scratch/up" })
      or die "with-server did not start: " . slurp("$scratch/out");
    chomp(my $server = slurp("$scratch/pid"));
    chomp(my $host = slurp("$scratch/host"));
    return ($pid, $server, $host);
}

sub both_gone
{
    my ($server, $host) = @_;
    return gone($server) && wait_until(sub { !-e $host });
}

my $answer = qx{$with_server --conf 'work_mem=7MB' -- psql -XAtc 'SHOW work_mem' -c 'SELECT 6 * 7'};
is($answer, "7MB\n42\n", 'COMMAND reaches the server, which has the setting');

# Where the server's user can read it, who may be another one than this.
chmod 0755, $scratch or die "chmod $scratch: $!\n";
put("$scratch/under", qq{#!/bin/sh\necho "under with \$1"\nshift\nexec "\$@"\n}, 0755);
$answer = qx{$with_server --under '$scratch/under word' -- sh -c 'grep -c "^under with word" "\$SKETCHES_SERVER_LOG"; psql -XAtc "SELECT 6 * 7"'};
is($answer, "1\n42\n", '--under starts the server by a program, once');

is(system($with_server, '--', 'sh', '-c', 'exit 7') >> 8, 7, "COMMAND's exit status comes back");

my $errors = qx{$with_server -- $scratch/nosuch 2>&1};
is($? >> 8, 127, 'a COMMAND that is not there: 127');
like($errors, qr/cannot run \S*nosuch/, '... and its name');

$errors = qx{$with_server --conf 'nosuch=1' -- true 2>&1};
is($? >> 8, 1, 'a server that does not start: 1');
like($errors, qr/unrecognized configuration parameter "nosuch"/, '... and why');

my ($pid, $server, $host) = start('exit 0');
waitpid $pid, 0;
ok(both_gone($server, $host), 'when COMMAND has ended, no server, no directory');

($pid, $server, $host) = start('exec sleep 1000');
ok(-d $host, 'while COMMAND runs, the directory is there');
kill 'TERM', $pid;
waitpid $pid, 0;
is($? >> 8, 143, 'SIGTERM ends COMMAND');
ok(both_gone($server, $host), '... and the server');

($pid, $server, $host) = start(q{psql -Xc 'SELECT pg_sleep(1000)'});
kill 'INT', $pid;
waitpid $pid, 0;
isnt($?, 0, 'SIGINT ends a COMMAND that waits for the server') or diag(slurp("$scratch/out"));
ok(both_gone($server, $host), '... and the server');

# COMMAND outlives with-server here, and ends with its connection.
($pid, $server, $host) = start(q{psql -Xc 'SELECT pg_sleep(1000)'});
kill 'KILL', $pid;
waitpid $pid, 0;
ok(both_gone($server, $host), 'SIGKILL of with-server ends the server');

# Data that is kept: an unlogged table is there the next time, settings are those of each time.
my $kept = "$scratch/kept";
is(system($with_server, '--keep', $kept, '--conf', 'work_mem=7MB', '--', 'psql', '-Xqc',
        'CREATE UNLOGGED TABLE t AS SELECT 6 * 7 AS i'),
    0, 'a table is kept');
is(qx{$with_server --keep=$kept -- psql -XAtc 'SHOW work_mem' -c 'TABLE t'}, "4MB\n42\n",
    '... and found, without the setting of the first time');
ok(-e "$kept/data/PG_VERSION" && !-e "$kept/data/postmaster.pid", '... in a directory that stays');

done_testing();
