#!/usr/bin/env perl
#
# A released install script in src/upgrade: the build goes on while the sources make that script,
# stops when they make another one, and goes on with a new version, which installs both. Only the
# script is built, from a copy of the sources. Then what test/harness/freeze writes, with a psql and golden
# values of the test's own, and what it refuses.

use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/../.." or die "chdir: $!";
my ($version) = slurp('sketches.control') =~ /^default_version\s*=\s*'(.*)'/m;
my $copy = tempdir(CLEANUP => 1);
system("cp -R Makefile sketches.control src '$copy'") == 0 or die 'cp failed';
unlink glob "$copy/src/upgrade/*";
mkdir "$copy/src/upgrade";
my $script = "build/sketches--$version.sql";
my $frozen = "src/upgrade/sketches--$version.sql";

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!";
    local $/;
    return <$in>;
}

sub add
{
    my ($path, $text) = @_;
    open my $out, '>>', $path or die "$path: $!";
    print $out $text;
    close $out or die "$path: $!";
    return;
}

sub build
{
    my ($target) = @_;
    my $output = `cd '$copy' && \${MAKE:-make} -s --no-print-directory $target 2>&1`;
    return ($? >> 8, $output);
}

my ($status, $output) = build($script);
is($status, 0, 'the script is built') or diag($output);
add("$copy/$frozen", slurp("$copy/$script"));
($status, $output) = build($script);
is("$status$output", '0', '... and frozen: a build that makes the same goes on');

add("$copy/src/pg/hll/hll.sql", "COMMENT ON TYPE hll IS 'another one';\n");
for my $time ('first', 'second')
{
    ($status, $output) = build($script);
    isnt($status, 0, "a changed line: the $time build stops");
    like($output, qr/^sketches: \Q$frozen\E is released, .* name a new version/m, '... and says why');
}

# The file is younger than what was built from it.
my $control = slurp("$copy/sketches.control");
$control =~ s/^default_version.*/default_version = '99.0'/m;
unlink "$copy/sketches.control";
add("$copy/sketches.control", $control);
($status, $output) = build('build/sketches--99.0.sql');
is($status, 0, 'with a new version the build goes on') or diag($output);
like(slurp("$copy/build/sketches--99.0.sql"), qr/another one/, '... and makes what was changed');
add("$copy/Makefile", "\nshow:\n\t\@echo \$(DATA) \$(DATA_built)\n");
($status, $output) = build('show');
is($output, "$frozen build/sketches--99.0.sql\n", '... installed beside the released one');

# ---- freezing ----

unlink "$copy/$frozen";
system("mkdir -p '$copy/test/golden' '$copy/bin' && cp -R test/harness '$copy/test/'") == 0 or die 'cp failed';
add("$copy/bin/psql", "#!/bin/sh\n");
add("$copy/test/golden/write", "#!/bin/sh\nprintf 'hll\\tempty\\t# v\\tAAAA\\t0\\n'\n");
chmod 0755, "$copy/bin/psql", "$copy/test/golden/write";

sub freeze
{
    my ($mode) = @_;
    my $said = `cd '$copy' && PATH="\$PWD/bin:\$PATH" test/harness/freeze $mode 2>&1`;
    return ($? >> 8) . " $said";
}

my $golden = 'test/golden/99.0.tsv';
my $new = 'src/upgrade/sketches--99.0.sql';
is(freeze('check'), '2 ', 'nothing is frozen');
is(freeze('ready'), '0 ', '... so the version can be');
add("$copy/$golden", "what an earlier commit wrote\n");
is(freeze(''), "0 frozen: $new\nfrozen: $golden\n", 'frozen');
is(slurp("$copy/$new"), slurp("$copy/build/sketches--99.0.sql"), '... the script as it is built');
like(slurp("$copy/$golden"), qr/^hll\tempty/, '... and golden values of now');
is(freeze('check'), '0 ', '... which are as they were');
like(freeze($_), qr/^\d+ freeze: version 99\.0 is frozen/, "... once: freeze $_") for 'ready', '';
for my $path ($new, $golden)
{
    my $was = slurp("$copy/$path");
    add("$copy/$path", "\n");
    like(freeze('check'), qr/^1 \Q$path\E was changed/, "$path: a change is found");
    unlink "$copy/$path";
    like(freeze('check'), qr/^1 \Q$path\E is missing/, '... and that it is missing');
    add("$copy/$path", $was);
    is(freeze('check'), '0 ', '... and that it is back');
}
add("$copy/src/upgrade/sketches--98.0--99.0.sql", "SELECT 1;\n");
like(freeze('check'), qr/^1 \S+98.0--99.0.sql is not in/, 'a script that was not frozen with its version');

done_testing();
