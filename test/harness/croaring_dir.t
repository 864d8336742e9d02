#!/usr/bin/env perl
#
# make CROARING_DIR=...: CRoaring is compiled in, nobody finds it, and nobody's is found in its
# place. Built from a copy of the sources and loaded from there; nothing is installed. Needs
# CRoaring's sources, in the directory that the environment variable CROARING_DIR names.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

plan skip_all => 'CROARING_DIR, the sources of CRoaring, is not set' if !$ENV{CROARING_DIR};
plan skip_all => 'the libraries of this system are not ELF files' if $^O eq 'darwin';

my $croaring = abs_path($ENV{CROARING_DIR});
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chdir "$FindBin::Bin/../.." or die "chdir: $!";

# The server runs as another user.
my $copy = tempdir(CLEANUP => 1);
chmod 0755, $copy;

sub sh
{
    my ($command) = @_;
    my $output = `($command) 2>&1`;
    return ok($? == 0, $command) || diag($output);
}

sub write_file
{
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!";
    print $out $text;
    close $out or die "$path: $!";
    return;
}

sh("cp -R Makefile sketches.control src '$copy'");
sh("cd '$copy' && find src -name '*.o' -delete");
sh("cd '$copy' && make -s all with_llvm=no CROARING_DIR='$croaring' PG_CONFIG='$pg_config'");

my $needed = `readelf -d '$copy/sketches.so'`;
unlike($needed, qr/NEEDED.*libroaring/, 'no library of CRoaring is needed');
my @symbols = grep { /\b(?:roaring_bitmap|bitset_container|ra)_/ } `nm -D '$copy/sketches.so'`;
is("@symbols", '', '... and no symbol of it is shown or looked for');

# The extension's script with the library's place written out, run beside an impostor that came first.
chomp(my $include = `'$pg_config' --includedir-server`);
write_file("$copy/impostor.c", <<'C');
#include "postgres.h"
#include "fmgr.h"
PG_MODULE_MAGIC;
PGDLLEXPORT void roaring_bitmap_or(void);
PGDLLEXPORT void roaring_bitmap_portable_deserialize_frozen(void);
PGDLLEXPORT void roaring_init_memory_hook(void);
void roaring_bitmap_or(void) { abort(); }
void roaring_bitmap_portable_deserialize_frozen(void) { abort(); }
void roaring_init_memory_hook(void) { abort(); }
C
sh("cc -shared -fPIC -I'$include' -o '$copy/impostor.so' '$copy/impostor.c'");
{
    my ($path) = glob "$copy/build/sketches--*.sql";
    open my $in, '<', $path or die "$path: $!";
    my $sql = do { local $/; <$in> };
    $sql =~ s/^\\echo.*\n//m;
    $sql =~ s/MODULE_PATHNAME/$copy\/sketches/g;
    $sql =~ s/\@extowner\@/CURRENT_USER/g;
    write_file("$copy/load.sql", <<"SQL");
\\set ON_ERROR_STOP on
SET client_min_messages = warning;
LOAD '$copy/impostor.so';
$sql
SELECT roaring_cardinality(roaring_agg(i * 3) | roaring_range(0, 1000)), roaring64_cardinality(roaring64_shift(roaring64_agg(i), 4294967290)),
       roaring_intersection_cardinality(roaring_agg(i * 2), roaring_agg(i * 3))
FROM generate_series(1, 30000) AS i;
SQL
}
chmod 0644, glob "$copy/*";
chmod 0755, "$copy/src", "$copy/build";
my $answer = `test/harness/with-server -- psql -XAtq -f '$copy/load.sql' 2>&1`;
is($answer, "30667|30000|10000\n", 'loaded after a library with a CRoaring of its own, it answers');

done_testing();
