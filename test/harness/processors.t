#!/usr/bin/env perl
#
# Results and stored bytes do not depend on the processor that the extension is compiled for. A copy of the sources is
# built for x86-64-v3, which multiplies and adds at once where a compiler may let it; golden values, and what moves over
# windows, are the same. (aarch64 does so by itself: make matrix VERSIONS=15/arm64.)

use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use POSIX qw(uname);
use Test::More;

use lib $FindBin::Bin;
use Trial;

chdir "$FindBin::Bin/../.." or die "chdir: $!";
plan skip_all => 'of x86-64 alone' if (uname())[4] ne 'x86_64';
plan skip_all => 'needs objdump' if system 'objdump --version >/dev/null 2>&1';

my $make = $ENV{MAKE} // 'make';
my $copy = tempdir(CLEANUP => 1);
chmod 0755, $copy;
system("cp -R Makefile *.control \$(ls -d croaring* CROARING 2>/dev/null) src sql expected test doc '$copy/'"
      . " && find '$copy/src' -name '*.o' -exec rm {} +") == 0 or die 'cp failed';

# How many instructions of our objects are such.
sub fused
{
    my ($objects) = @_;
    return () = `objdump -d --no-show-raw-insn $copy/$objects` =~ /\bvfn?m(?:add|sub)\w*/g;
}

my $build = "$make -s -C '$copy' COPT=-march=x86-64-v3 with_llvm=no";
is(system("$build all >'$copy/log' 2>&1"), 0, 'compiles for x86-64-v3') or diag(slurp("$copy/log"));
like(`objdump -d $copy/src/core/tdigest/*.o`, qr/\bvmulsd\b/, '... with its instructions');
is(fused('src/core/*/*.o') + fused('src/pg/*/*.o'), 0, '... none multiplies and adds at once');

unlink "$copy/src/core/tdigest/curve.o";
system "$build ARITHMETIC=-ffp-contract=fast src/core/tdigest/curve.o >/dev/null";
cmp_ok(fused('src/core/tdigest/curve.o'), '>', 0, '... as compilers would, if they were let');
unlink "$copy/src/core/tdigest/curve.o";

SKIP:
{
    skip 'this processor is older', 1 if slurp('/proc/cpuinfo') !~ /^flags.*\bfma\b.*\bavx2\b|^flags.*\bavx2\b.*\bfma\b/m;
    my $said = `cd '$copy' && SUITES= TESTS= $make -s test SUITES="symbols regress tap" \\
        TESTS="extension windows tdigest tdigest_agg 026_golden" COPT=-march=x86-64-v3 2>&1`;
    like($said, qr/^[1-9]\d* passed, 0 failed/m, 'golden values and windows are the same') or diag($said);
}

done_testing();
