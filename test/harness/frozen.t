#!/usr/bin/env perl
#
# What test/harness/freeze writes, from a copy of the sources with a psql and golden values of the test's
# own; what it finds afterwards; and that the next version is installed beside the frozen one.

use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Trial;

chdir "$FindBin::Bin/../.." or die "chdir: $!";
my $copy = tempdir(CLEANUP => 1);
system("mkdir -p '$copy/test/golden' '$copy/bin' && cp -R Makefile sketches.control src '$copy'"
      . " && cp -R test/harness '$copy/test/' && rm -f '$copy'/src/upgrade/*") == 0 or die 'cp failed';
put("$copy/bin/psql", "#!/bin/sh\n", 0755);
put("$copy/test/golden/write", "#!/bin/sh\nprintf 'hll\\tempty\\t# v\\tAAAA\\t0\\n'\n", 0755);

sub run
{
    my ($command) = @_;
    my $said = `cd '$copy' && PATH="\$PWD/bin:\$PATH" $command 2>&1`;
    return ($? >> 8) . " $said";
}

sub freeze { return run("test/harness/freeze $_[0]") }

sub build { return run("\${MAKE:-make} -s --no-print-directory $_[0]") }

sub set_version
{
    my ($version) = @_;
    my $control = slurp("$copy/sketches.control");
    $control =~ s/^default_version.*/default_version = '$version'/m;
    put("$copy/sketches.control", $control);
    return;
}

my ($frozen, $golden, $names) =
  ('src/upgrade/sketches--98.0.sql', 'test/golden/98.0.tsv', 'src/pg/hll/sketches_postgresql_hll--1.0.sql');
set_version('98.0');
is(build('build/sketches--98.0.sql'), '0 ', 'the script is built');
is(freeze('check'), '2 ', 'nothing is frozen');
is(freeze('ready'), '0 ', '... so the version can be');
put("$copy/$golden", "what an earlier commit wrote\n");
is(freeze(''), "0 frozen: $frozen\nfrozen: $golden\nfrozen: $names\n", 'frozen');
is(slurp("$copy/$frozen"), slurp("$copy/build/sketches--98.0.sql"), '... the script as it is built');
like(slurp("$copy/$golden"), qr/^hll\tempty/, '... and golden values of now');
is(freeze('check'), '0 ', '... which are as they were');
like(freeze($_), qr/^\d+ freeze: version 98\.0 is frozen/, "... once: freeze $_") for 'ready', '';
for my $path ($frozen, $golden, $names)
{
    my $was = slurp("$copy/$path");
    put("$copy/$path", "$was\n");
    like(freeze('check'), qr/^1 \Q$path\E was changed/, "$path: a change is found");
    unlink "$copy/$path";
    like(freeze('check'), qr/^1 \Q$path\E is missing/, '... and that it is missing');
    put("$copy/$path", $was);
    is(freeze('check'), '0 ', '... and that it is back');
}

# Golden values may be frozen before the script.
{
    my ($list, $all) = ("$copy/src/upgrade/frozen", slurp("$copy/src/upgrade/frozen"));
    put($list, join '', grep { /golden/ } $all =~ /.*\n/g);
    unlink "$copy/$frozen";
    is(freeze('check'), '0 ', 'only golden values are frozen');
    is(freeze('ready'), '0 ', '... so the script can be');
    like(freeze('ready golden'), qr/^\d+ freeze: what is stored by version 98\.0 is frozen/, '... and they cannot');
    my $write = slurp("$copy/test/golden/write");
    put("$copy/test/golden/write", $write =~ s/AAAA/AAAB/r, 0755);
    like(freeze(''), qr/^\d+ freeze: golden values differ/, '... others are refused');
    ok(!-e "$copy/$frozen", '... and nothing is frozen');
    put("$copy/test/golden/write", $write, 0755);
    unlink "$copy/$golden.new";
    is(freeze(''), "0 frozen: $frozen\nfrozen: $names\n", '... the same are not written again');
    my ($now, $before) = map { join '', sort { $a cmp $b } /.*\n/g } slurp($list), $all;
    is($now, $before, '... and all is frozen as before');
}

my $source = "$copy/src/pg/hll/hll.sql";
put($source, slurp($source) . "COMMENT ON TYPE hll IS 'another one';\n");
is(build('build/sketches--98.0.sql'), '0 ', 'a changed line is built');
like(freeze('check'), qr/^1 \Q$frozen\E is no longer what the sources make; .* a new version/, '... and found');

set_version('99.0');
put("$copy/Makefile", slurp("$copy/Makefile") . "\nshow:\n\t\@echo \$(DATA) \$(DATA_built)\n");
is(build('build/sketches--99.0.sql'), '0 ', 'a new version is built');
is(freeze('check'), '0 ', '... and may differ');
is(build('show'), "0 $frozen $names build/sketches--99.0.sql\n", '... installed beside the frozen one');

done_testing();
