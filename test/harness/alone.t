#!/usr/bin/env perl
# Of two runs of the tests in one checkout the second is refused, and what a killed one left is not
# taken for a run.

use strict;
use warnings;

use File::Copy qw(copy);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Trial;

my $scratch = tempdir(CLEANUP => 1);
delete @ENV{qw(TESTS SUITES)};
make_path("$scratch/test/harness", "$scratch/test/source", "$scratch/build");
for my $script (map { "test/harness/$_" } qw(run parallel))
{
    copy($script, "$scratch/$script") or die "copy: $!\n";
    chmod 0755, "$scratch/$script";
}
open my $test, '>', "$scratch/test/source/format.t" or die "format.t: $!\n";
print $test "print qq(not ok 1\\n1..1\\n)\n";
close $test or die "format.t: $!\n";

# What a run prints beside one that is process $pid, its status, and whether the lock is left.
sub run_beside
{
    my ($pid, $suite) = @_;
    put("$scratch/build/testing", "$pid\n") if defined $pid;
    my $printed = `cd '$scratch' && test/harness/run $suite 2>&1`;
    my $left = -e "$scratch/build/testing" ? 1 : 0;
    unlink "$scratch/build/testing";
    return ($printed, $? >> 8, $left);
}

for my $suite (qw(style alone))
{
    my ($printed, $status, $left) = run_beside($$, $suite);
    like($printed, qr/already \(process $$\)/, "$suite beside a run is refused");
    is("$status $left", '2 1', '... and leaves it its lock');
}

my $killed = fork() // die "fork: $!\n";
exit 0 unless $killed;
waitpid $killed, 0;
for my $pid ($killed, undef)
{
    my ($printed, $status, $left) = run_beside($pid, 'style');
    # The suite ran, and failed.
    like($printed, qr/0 passed, 1 failed/, defined $pid ? 'after one that was killed' : 'alone');
    is("$status $left", '1 0', '... and leaves no lock');
}
is((run_beside(undef, 'alone'))[1], 0, 'nothing runs');

done_testing();
