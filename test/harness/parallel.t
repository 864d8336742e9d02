#!/usr/bin/env perl
#
# test/harness/parallel: what a command printed and returned, and that nothing goes on when it is
# interrupted or whoever started it was killed.

use strict;
use warnings;

use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Trial;

my $parallel = "$FindBin::Bin/parallel";
my $scratch = tempdir(CLEANUP => 1);
make_path("$scratch/build/log");
chdir $scratch or die "chdir: $!\n";

# Starts parallel with these commands, and waits until those have begun that write FILE.
sub start
{
    my ($commands, $watched, @files) = @_;
    unlink @files;
    put('commands', $commands);
    my $pid = fork() // die "fork: $!\n";
    if (!$pid)
    {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        open STDIN, '<', 'commands' or die "commands: $!\n";
        open STDOUT, '>', 'ended' or die "ended: $!\n";
        exec $parallel, 2, @$watched or die "$parallel: $!\n";
    }
    wait_until(sub { !grep { !-s } @files }) or die "the commands did not begin\n";
    return $pid;
}

waitpid start("good\techo fine; echo wrong >&2\nbad\texit 7\nlast\tkill -9 \$\$\n", []), 0;
is($?, 0, 'all commands ran');
is(slurp('build/log/good.tap') . slurp('build/log/good.err'), "fine\nwrong\n", 'what one printed');
like(join('', sort split /^/m, slurp('ended')), qr/\Abad 7 \d+\.\d\ngood 0 \d+\.\d\nlast 137 \d+\.\d\n\z/, 'what they returned');

# An orphan that ends while its command goes on.
SKIP:
{
    skip 'there is no /proc', 1 unless -e "/proc/$$/stat";
    waitpid start('orphan' . "\t" . q{(sleep 0.2 & echo $! >orphan.pid); sleep 1; ls -d /proc/$(cat orphan.pid)} . "\n", []), 0;
    is(slurp('build/log/orphan.tap'), '', 'what a command left behind is no zombie');
}

# By its output, which is long in coming.
put('commands', "quick\ttrue\nslow\tsleep 11\n");
like(`'$parallel' 2 <commands 2>&1 >/dev/null`, qr/^ +1[0-2] s  1 of 2 done, now slow$/, 'every ten seconds it says where it is');

my $endless = join '', map { "$_\techo \$\$ >$_.pid; sleep 1000\n" } qw(one two three);
for my $signal (qw(INT TERM HUP))
{
    my $pid = start($endless, [], 'one.pid', 'two.pid');
    ok(!-e 'three.pid', 'two at once') if $signal eq 'INT';
    kill $signal, $pid;
    waitpid $pid, 0;
    ok($? >> 8 > 128 && gone(slurp('one.pid') + 0) && gone(slurp('two.pid') + 0), "SIG$signal ends all");
}

my $watched = fork() // die "fork: $!\n";
exec 'sleep', 1000 if !$watched;
my $pid = start("stubborn\ttrap '' TERM; echo \$\$ >one.pid; while :; do sleep 1; done\n",
    [$watched], 'one.pid');
kill 'KILL', $watched;
waitpid $watched, 0;
waitpid $pid, 0;
ok($? >> 8 > 128 && gone(slurp('one.pid') + 0), 'the end of a process that is watched ends all');

done_testing();
