# Whose CRoaring is called? PostgreSQL loads libraries with RTLD_GLOBAL, so a symbol of another extension's
# CRoaring could be taken for one of ours. A CRoaring that is compiled in or opened is never another one;
# a linked one (CROARING=link) may be, and is not called then. Whatever order libraries come in, and
# in whatever way.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use PostgreSQL::Test::Utils;
use SketchTest;
use Test::More;

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $include = `$pg_config --includedir-server`);
chomp(my $directory = `$pg_config --pkglibdir`);
my ($library) = glob "$directory/sketches.{so,dylib}";
plan skip_all => 'the libraries of this system are not ELF files' if $library !~ /so$/;

my @functions = map { "roaring_bitmap_$_" } qw(and andnot free or portable_deserialize_frozen
  portable_deserialize_safe portable_serialize portable_size_in_bytes xor);
my $is_linked = `readelf -d '$library'` =~ /NEEDED.*libroaring/;
my $is_opened = slurp_file($library) =~ /libroaring\.so\.%d/;
my $private = "$directory/sketches-libroaring.so";
my $is_private = $is_opened && -e $private;
diag('CRoaring is ' . ($is_linked ? 'linked' : $is_private ? 'opened, beside sketches.so' : $is_opened ? 'opened' : 'compiled in'));
my @symbols = `nm -D '$library'` =~ /\b((?:roaring|bitset_container|ra|croaring)_\w+)/g;
is("@symbols", $is_linked ? "@functions" : '', 'symbols of CRoaring: those that are called, where it is linked');

my $node = new_server('croaring');
my $dir = $node->basedir;

sub compile
{
    my ($name, $flags, $text) = @_;
    open my $out, '>', "$dir/$name.c" or die "$name.c: $!";
    print $out $text;
    close $out;
    system("cc -shared -fPIC -I'$include' -o '$dir/$name.so' '$dir/$name.c' $flags") == 0
      or die "$name does not compile";
    return "$dir/$name.so";
}

# A library that PostgreSQL can load and that has functions of CRoaring's names, which must not run.
sub impostor
{
    my ($name, @names) = @_;
    return compile($name, '', join "\n", '#include "postgres.h"', '#include "fmgr.h"', 'PG_MODULE_MAGIC;',
        map { "PGDLLEXPORT void $_(void);\nvoid $_(void) { abort(); }" } @names);
}

my $all = impostor('impostor', @functions, qw(roaring_bitmap_create_with_capacity roaring_malloc
      roaring_init_memory_hook ra_append container_free array_container_create));

# Runs, bitsets and arrays: every function is called.
my $works = <<'SQL';
SELECT roaring_cardinality(roaring_range(0, 100000) | s.r), roaring_cardinality(roaring_range(0, 100000) & s.r), roaring_cardinality(roaring_range(0, 100000) - s.r),
       roaring_cardinality((s.r - roaring_range(0, 50000)) | sevens.r)
  FROM (SELECT roaring_agg(i * 3) AS r FROM generate_series(0, 99999) AS i) s,
       (SELECT roaring_agg(i * 7) AS r FROM generate_series(0, 19999) AS i) sevens;
SQL
my $answer = '166666|33334|66666|99047';
my $without = 'SELECT roaring_cardinality(roaring_agg(i * 3) | 7), # hll_agg(i) FROM generate_series(1, 9) AS i;';

sub refused
{
    my ($before, $name, %params) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return raises($node, '58P01', $works =~ s/;\s*\z//r, "$name: 58P01", before => $before,
        after => $without, output => '10|9', %params);
}

# Right where the CRoaring is ours alone; where it is linked, not called.
sub unmoved
{
    my ($before, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return $is_linked ? refused($before, $name) : is_query($node, "$before$works", $answer, $name);
}

is_query($node, $works, $answer, 'alone');
unmoved("LOAD '$all';", 'another library with a CRoaring comes first');
is_query($node, "LOAD 'sketches'; LOAD '$all'; $works", $answer, '... comes after ours');
is_query($node, "$works LOAD '$all'; $works", "$answer\n$answer", '... comes after ours was called');
if (!$is_linked)
{
    my $parallel = <<"SQL";
LOAD '$all';
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off;
SQL
    $node->safe_psql('postgres', <<'SQL');
CREATE TABLE sets AS SELECT i, roaring_range(i, i + 70000) AS r FROM generate_series(1, 500) AS i;
SQL
    is_query($node, "$parallel SELECT sum(roaring_cardinality(r | roaring_range(0, i))), min(roaring_cardinality(r & '{100000}')) FROM sets",
        '35125250|0', '... in parallel workers');
    is_query($node, "$parallel SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0; $works", $answer,
        '... with JIT');
}
for my $function ($is_linked ? @functions : ())
{
    my $so = impostor("only_$function", $function);
    refused("LOAD '$so';", "a library that has $function");
}

# pg_roaringbitmap brings a CRoaring and exports all of it.
SKIP:
{
    skip 'pg_roaringbitmap is not installed', 3
      if !$node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'roaringbitmap'");
    $node->safe_psql('postgres', 'CREATE SCHEMA peer; CREATE EXTENSION roaringbitmap SCHEMA peer');
    my $theirs = <<'SQL';
SELECT peer.rb_cardinality(peer.rb_or(peer.rb_build_agg(i * 3), peer.rb_build_agg(i * 7)))
  FROM generate_series(0, 99999) AS i;
SQL
    my $their_answer = '185714';
    unmoved("LOAD 'roaringbitmap';", 'pg_roaringbitmap comes first');
    is_query($node, "$theirs $works $theirs", "$their_answer\n$answer\n$their_answer", '... and both answer')
      if !$is_linked;
    is_query($node, "$works $theirs $works $theirs", "$answer\n$their_answer\n$answer\n$their_answer",
        '... comes after ours');
}

# Somebody else's use of the same library goes on, and its memory stays its own: bitmaps that were
# made before ours was loaded are changed and freed after it was used, and after an error in it.
SKIP:
{
    chomp(my $flags = `pkg-config --cflags --libs roaring 2>/dev/null`);
    skip 'there is no shared CRoaring to build another user with', 2 if $flags eq '';
    compile('neighbour', $flags, <<'C');
#include "postgres.h"
#include "fmgr.h"
#include <roaring/roaring.h>
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(neighbour);
Datum neighbour(PG_FUNCTION_ARGS)
{
    static roaring_bitmap_t *kept;
    roaring_bitmap_t *more = roaring_bitmap_from_range(PG_GETARG_INT32(0), PG_GETARG_INT32(1), 3);
    roaring_bitmap_t *both = kept ? roaring_bitmap_or(kept, more) : roaring_bitmap_copy(more);

    roaring_bitmap_free(more);
    if (kept)
        roaring_bitmap_free(kept);
    kept = both;
    PG_RETURN_INT64(roaring_bitmap_get_cardinality(kept));
}
C
    my $declare = "CREATE FUNCTION neighbour(int, int) RETURNS bigint AS '$dir/neighbour' LANGUAGE C;";
    for my $first ('neighbour(0, 9)', "'sketches'")
    {
        my $load = $first =~ /neighbour/ ? "SELECT $first;" : "LOAD $first; SELECT neighbour(0, 9);";
        is_query($node, <<"SQL", "3\n99998\n20003\n30003\n9", "another user of the library, $first first");
$declare $load
SELECT roaring_cardinality(roaring_range(0, 99999) - '{3,9}' | '{3}');
SELECT neighbour(60000, 120000);
\\set ON_ERROR_STOP off
SELECT roaring_cardinality(roaring_range(0, 200000000) | roaring_range(5, 7)), roaring_add('{1}', -1);
\\set ON_ERROR_STOP on
SELECT neighbour(120000, 150000);
SELECT roaring_cardinality(roaring_range(0, 10) - '{3}');
DROP FUNCTION neighbour;
SQL
    }
}

# In the server's own list.
for my $order ("sketches, $all", "$all, sketches", $all)
{
    $node->append_conf('postgresql.conf', "shared_preload_libraries = '$order'\n");
    $node->restart;
    my $name = 'preloaded: ' . ($order =~ /^sketches/ ? 'first' : $order =~ /sketches/ ? 'second' : 'the other alone');
    if ($order =~ /^sketches/) { is_query($node, $works, $answer, $name) }
    else                       { unmoved('', $name) }
}
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->stop;

# By the loader, before everything else.
{
    local $ENV{LD_PRELOAD} = $all;
    $node->start;
}
unmoved('', 'LD_PRELOAD');

# Without the library: what the loader finds first are no libraries. Ours is copied to where it is alone.
SKIP:
{
    skip 'CRoaring is not opened', 11 if !$is_opened;
    my ($empty, $alone) = ("$dir/empty", "$dir/alone");
    for ($empty, $alone) { mkdir $_ or die "$_: $!" }
    system('cp', $library, $alone) == 0 or die 'cp failed';
    for my $i (16 .. 40)
    {
        open my $file, '>', "$empty/libroaring.so.$i" or die "libroaring: $!";
        close $file;
    }
    $node->stop;
    $node->append_conf('postgresql.conf', "dynamic_library_path = '$alone:\$libdir'\n");
    {
        local $ENV{LD_LIBRARY_PATH} = join ':', $empty, grep { defined } $ENV{LD_LIBRARY_PATH};
        $node->start;
    }
    refused('', 'without the library');
    my ($out, $err) = ('', '');
    $node->psql('postgres', $works, stdout => \$out, stderr => \$err);
    like($err, qr/CRoaring.*DETAIL:.*libroaring.*HINT:.*libroaring/s, '... with its name and what to install');
    is_query($node, $without, '10|9', '... and all else works');

    # One beside ours that is none, or has other functions, is passed over.
    my $beside = "$alone/sketches-libroaring.so";
    for my $other ([ 'an empty file', "$empty/libroaring.so.16" ], [ 'another library', impostor('other', $functions[0]) ])
    {
        system('cp', $other->[1], $beside) == 0 or die 'cp failed';
        refused('', "$other->[0] beside sketches.so");
        unlink $beside;
    }
    # Where it is installed meanwhile, sessions that are open find it.
    my $install = $is_private ? "cp '$private' '$beside'" : "rm -r '$empty'";
    my $session = start_psql($node, "\\set ON_ERROR_STOP off\n$works\\! $install\n$works\\q\n");
    finish_psql($session);
    like($session->{out}, qr/^\Q$answer\E$/m, '... until it is there');

    # It is private: a session has it, and no other library of its name or of its functions.
    skip 'its library is not beside sketches.so', 5 if !$is_private;
    is_query($node, "LOAD '$all'; $works", $answer, 'beside sketches.so: another CRoaring comes first');
    is_query($node, "$works LOAD '$all'; $works", "$answer\n$answer", '... comes after ours');
    my $opened = <<'SQL';
SELECT string_agg(DISTINCT substring(l from '[^ ]*libroaring[^ ]*$'), ' ')
  FROM regexp_split_to_table(pg_read_file('/proc/self/maps', 0, 1000000), E'\\n') AS l;
SQL
    SKIP:
    {
        skip 'there is no /proc/self/maps', 1 if !-r '/proc/self/maps';
        is_query($node, "$works $opened", "$answer\n$beside", '... and is all that is opened');
    }
    # What others write to directories that a server works in is not opened.
    my $data = $node->data_dir;
    system('cp', $all, "$data/sketches-libroaring.so") == 0 or die 'cp failed';
    is_query($node, $works, $answer, '... not one in the data directory');
    unlink $beside;
    refused('', '... nor if there is no other');
}

done_testing();
