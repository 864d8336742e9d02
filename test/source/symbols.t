#!/usr/bin/env perl
# The library exports what SQL calls and nothing else, under names that grep finds; the install script and
# the statements in C keep the rules of extension security.

use strict;
use warnings;

use Test::More;

use lib 'test/harness';
use Trial;

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

# Install scripts run as a superuser, in a schema into which whoever creates the extension may have put anything
# (test/t/027_install_rights.pl does). They take over nothing that is there, and nothing of them runs with somebody else's
# rights or by somebody else's search_path. What they make is in C (sql/catalog.sql); test/t/025_ratelimit_rights.pl
# attacks the rest. A statement that computes something comes after the one that takes the schema out of the
# search_path, and names the schema of all that it uses.
my $leaves = qr/^SELECT pg_catalog\.set_config\('search_path', pg_catalog\.format\('pg_catalog, %s, pg_temp', /;
my @scripts = ($script, glob 'src/upgrade/*.sql src/pg/*/*--*.sql');
ok(@scripts >= 2, 'install scripts: ' . @scripts);
for my $path (@scripts)
{
    my $text = slurp($path) =~ s/^\\.*|--.*//gmr;
    my @computes = $text =~ /^(?!CREATE|COMMENT|ALTER|GRANT|REVOKE)([A-Z]+\b(?:\$\$.*?\$\$|'(?:[^']|'')*'|[^;'\$]|\$)*;)/gms;
    if (@computes)
    {
        like($computes[0], $leaves, "$path leaves the schema that it is made in");
        like($text, qr/\A\s*\Q$computes[0]\E/, '... before anything else');
    }
    my $bare = join "\n", @computes;
    $bare =~ s/'(?:[^']|'')*'|OPERATOR\(pg_catalog\.\S+\)|\b(?:DETAIL|ERRCODE|HINT) = //g;
    is_deeply([ $bare =~ /(?<![.\w])(?!ANY|ARRAY|IN|AND|OR|NOT|IF)[A-Za-z_]\w*\(|::(?!pg_catalog\.)\S*|\b(?:FROM|INTO|JOIN) (?!pg_catalog\.)[a-z]\w*|[-+*\/<>=~!@#%^&|?]{1,3}/g ],
        [], "$path: what it computes names its schema");
    my $declares = $text =~ s/'(?:[^']|'')*'|\$\$.*?\$\$//gsr;
    is_deeply([ $declares =~ /\bOR REPLACE\b|\bIF NOT EXISTS\b|\bSECURITY DEFINER\b|\bpublic\b\s*\.|\bsearch_path\b/g ],
        [], "$path takes over nothing");
}

# Names are filled into what rollups are made of. No dollar quotes stand around them: a name may end these.
is_deeply([ map { my $path = $_; map { "$path: $_" } slurp($path) =~ /(\$[A-Za-z_]*\$)/g } glob 'src/pg/rollup/*.c src/pg/rollup/*.sql' ],
    [], 'no dollar quotes around text with names in it');

# Statements of C name the schema of all that they call, unless what executes them pins the search_path.
my @unqualified;
for my $source (glob 'src/pg/*/*.c')
{
    my $text = slurp($source);
    next if $text !~ /\bSPI_(?:prepare|execute)/ || $text =~ /\brollup_(?:pin_settings|begin_change)\(/;
    my $sql = join "\n", grep { !/\.$/ && (/%1\$s|\bFROM\b|\bWHERE\b|OPERATOR|\w\(/) } $text =~ /"((?:[^"\\]|\\.)*)"/g;
    isnt($sql, '', "$source: statements");
    push @unqualified, map { "$source: $_" } $sql =~ /(?<![.\w])[a-z_]\w*\(|::(?!%1\$s\.|pg_catalog\.)\S*|\b(?:FROM|INTO|JOIN) (?!%1\$s\.)[a-z]\w*|\s[-+*\/<>~!@#%^&|]+(?=\s)|\s=\s(?!\(SELECT)/g;
}
is_deeply(\@unqualified, [], 'SQL in C names the schema of what it uses');
done_testing();
