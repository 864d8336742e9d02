#!/usr/bin/env perl
# The library exports what SQL calls and nothing else, under names that grep finds; the install script and SPI's
# statements name the schema of what they use (test/harness/scan).

use strict;
use warnings;

use File::Basename qw(basename);
use File::Path qw(make_path);
use Test::More;

sub slurp
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    local $/ = undef;
    return <$file>;
}

my ($version) = slurp('sketches.control') =~ /^default_version *= *'(.*)'/m;
my $script = "build/sketches--$version.sql";

# A Mach-O file (macOS) has another list and an underscore before each name.
my %exported = map { $_ => 1 } map { (split)[-1] }
  split /\n/, $^O eq 'darwin' ? `nm -gU sketches.dylib | sed 's/ _/ /'` : `nm -D --defined-only sketches.so`;
ok($exported{Pg_magic_func}, 'exports what PostgreSQL needs');
is_deeply([ grep { !/^(?:sketches_.*|pg_finfo_sketches_.*|_PG_init|Pg_magic_func)$/ } sort keys %exported ],
    [], 'exports only what SQL calls');
# Before PostgreSQL 16 PG_FUNCTION_INFO_V1 alone leaves the function itself hidden.
is_deeply([ grep { s/^pg_finfo_// && !$exported{$_} } sort keys %exported ], [], 'exports all that SQL calls');

# What pg_proc shows is where grep and a debugger look for it, in C and in the declarations of SQL.
my $c = join '', map { slurp($_) } glob 'src/pg/*/*.c';
my %in_c = map { $_ => 1 } $c =~ /^(?:SQL_FUNCTION\()?(sketches_\w+)(?:\(PG_FUNCTION_ARGS\)|,)/mg;
my %in_sql = map { $_ => 1 } map { slurp($_) =~ /\b(sketches_\w+)/g } glob 'src/pg/*/*.sql* src/pg/shared/install_script.awk';
my %called = map { $_ => 1 } slurp($script) =~ /'MODULE_PATHNAME', '(\w+)'/g;
is_deeply([ grep { !$in_c{$_} || !$in_sql{$_} } sort keys %called ], [], 'what SQL calls is spelled out in src/pg');

# SQL in C is read in what the preprocessor makes of it.
make_path('build/scan');
my @sources;
for my $source (grep { slurp($_) =~ /SPI_/ } glob 'src/pg/*/*.c')
{
    push @sources, 'build/scan/' . basename($source, '.c') . '.i';
    my $include = `$ENV{PG_CONFIG} --includedir-server`;
    chomp $include;
    system(($ENV{CC} // 'cc') . " -E -iquote src -I'$include' $source >$sources[-1]") == 0 or die "$source: cc: $?\n";
}
is(`test/harness/scan $script @sources 2>&1`, '', 'SQL names the schema of what it uses');
done_testing();
