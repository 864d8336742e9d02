#!/usr/bin/env perl
#
# make installcheck in another directory than the sources', as packagers run it: the regression tests
# find the files that they read.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $top = dirname(dirname(dirname(abs_path(__FILE__))));
my @tests = grep { slurp("$top/sql/$_.sql") =~ m{^\\copy .*test/data}m }
  map { m{/(\w+)\.sql$} } glob "$top/sql/*.sql";
cmp_ok(scalar @tests, '>', 2, "tests that read files: @tests");

my $build = tempdir(CLEANUP => 1);
my $make = $ENV{MAKE} // 'make';
my $output = `cd '$build' && '$top/test/harness/with-server' -- $make -s -f '$top/Makefile' installcheck \\
    REGRESS='extension @tests' 2>&1`;
is($?, 0, 'they pass') or diag($output, map { slurp($_) } glob "$build/build/regress/*.diffs");

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or return '';
    local $/;
    return <$in>;
}

done_testing();
