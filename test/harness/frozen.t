#!/usr/bin/env perl
#
# A released install script in src/upgrade: the build goes on while the sources make that script,
# stops when they make another one, and goes on with a new version, which installs both. Only the
# script is built, from a copy of the sources.

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

done_testing();
