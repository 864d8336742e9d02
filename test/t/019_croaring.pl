# Whose CRoaring is called? PostgreSQL loads libraries with RTLD_GLOBAL, so another extension that
# shows symbols of CRoaring could have ours call into it. It must be found out and said, for every
# function that is called and in whatever way the other library came in.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $include = `$pg_config --includedir-server`);
chomp(my $library = `$pg_config --pkglibdir`);

# Nothing is to be captured where CRoaring is compiled in, or where symbols cannot be listed.
my @called = map { /\bU (roaring\w+)/ ? $1 : () } `nm -D --undefined-only '$library/sketches.so'`;
my $own = !@called;

my $node = new_server('croaring', schema => undef);
my $dir = $node->basedir;

# A library that PostgreSQL can load and that has functions of CRoaring's names, which must not run.
sub impostor
{
    my ($name, @functions) = @_;
    open my $out, '>', "$dir/$name.c" or die "$name.c: $!";
    print $out "#include \"postgres.h\"\n#include \"fmgr.h\"\nPG_MODULE_MAGIC;\n";
    print $out "PGDLLEXPORT void $_(void);\nvoid $_(void) { abort(); }\n" for @functions;
    close $out;
    system("cc -shared -fPIC -I'$include' -o '$dir/$name.so' '$dir/$name.c'") == 0
      or die "$name does not compile";
    return "$dir/$name.so";
}

my $works = "CREATE EXTENSION sketches; SELECT roaring_cardinality('{1}'::roaring | '{2}'); DROP EXTENSION sketches;";

# Whether the statements are refused with the culprit's name and the remedy.
sub refused
{
    my ($so, $sql, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($stdout, $stderr);
    $node->psql('postgres', $sql, stdout => \$stdout, stderr => \$stderr);
    return like(
        $stderr,
        qr/sketches\ would\ call\ CRoaring\ in\ "\Q$so\E".*
           HINT:\ \ Load\ sketches\ first,\ or\ build\ it\ with\ CROARING_DIR/xs,
        $name);
}

# Those that every CRoaring has; compiled in, none of them is called.
my $all = impostor('impostor', @called ? @called : qw(roaring_bitmap_or roaring_bitmap_and));

SKIP:
{
    skip 'CRoaring is compiled in, where nobody finds it', 4 + @called if $own;

    refused($all, "LOAD '$all'; $works", 'a library with a CRoaring of its own');

    # Each function by itself: none is forgotten in the list of those that are looked at.
    for my $function (@called)
    {
        my $so = impostor("only_$function", $function);
        refused($so, "LOAD '$so'; $works", "one that has $function");
    }
    # A name says nothing: it may be a CRoaring of another version.
    my $so = impostor('libroaring', @called);
    refused($so, "LOAD '$so'; $works", 'one that is called libroaring');

    # The session lives on, and so does the next.
    is_query($node, 'SELECT 1', '1', 'the server is up');
    is_query($node, "\\set ON_ERROR_STOP off\nLOAD '$so'; LOAD 'sketches'; LOAD 'sketches'; SELECT 1",
        '1', 'refused twice, the session is up');
}
is_query($node, "LOAD '$all'; $works", '2', 'compiled in, ours is found') if $own;

# Loaded second, the other one changes nothing.
is_query($node, "LOAD 'sketches'; LOAD '$all'; $works", '2', 'loaded first, ours is found');
is_query($node, "$works LOAD '$all'; $works", "2\n2", '... and kept');

# Somebody else's use of the same library goes on, and its memory stays its own: bitmaps that were
# made before ours was loaded are changed and freed after it was used, and after an error in it.
SKIP:
{
    chomp(my $flags = `pkg-config --cflags --libs roaring 2>/dev/null`);
    skip 'there is no shared CRoaring to build another user with', 2 if $own || $flags eq '';
    open my $out, '>', "$dir/neighbour.c" or die "neighbour.c: $!";
    print $out <<'C';
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
    close $out;
    system("cc -shared -fPIC -I'$include' -o '$dir/neighbour.so' '$dir/neighbour.c' $flags") == 0
      or die 'the neighbour does not compile';
    my $declare = "CREATE FUNCTION neighbour(int, int) RETURNS bigint AS '$dir/neighbour' LANGUAGE C;";
    for my $first ('neighbour(0, 9)', "'sketches'")
    {
        my $load = $first =~ /neighbour/ ? "SELECT $first;" : "LOAD $first; SELECT neighbour(0, 9);";
        is_query($node, <<"SQL", "3\n6\n20003\n30003\n9", "another user of the library, $first first");
$declare $load
CREATE EXTENSION sketches;
SELECT roaring_cardinality((roaring_range(0, 5) | '{70000}') # '{3,9}');
SELECT neighbour(60000, 120000);
\\set ON_ERROR_STOP off
SELECT roaring_cardinality(roaring_range(0, 200000000) | roaring_range(5, 7)), roaring_add('{1}', -1);
\\set ON_ERROR_STOP on
SELECT neighbour(120000, 150000);
SELECT roaring_cardinality(roaring_range(0, 10) - '{3}');
DROP EXTENSION sketches; DROP FUNCTION neighbour;
SQL
    }
}

# In the server's own list the order is what counts.
for my $order ("'sketches, $all'", "'$all, sketches'")
{
    my $first = $order =~ /^'sketches/;
    $node->append_conf('postgresql.conf', "shared_preload_libraries = $order\n");
    if ($first || $own)
    {
        $node->restart;
        is_query($node, $works, '2', 'preloaded: ' . ($first ? 'ours first' : 'compiled in'));
    }
    else
    {
        $node->stop;
        ok(!$node->start(fail_ok => 1), 'preloaded second: the server does not start ...');
        like(PostgreSQL::Test::Utils::slurp_file($node->logfile),
            qr/sketches would call CRoaring in "\Q$all\E"/, '... and says why');
    }
}
$node->append_conf('postgresql.conf', "shared_preload_libraries = '$all'\n");
$node->start if !$own;
$node->restart if $own;
if ($own) { is_query($node, $works, '2', 'preloaded alone') }
else { refused($all, $works, 'preloaded alone: sessions are told') }
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->stop;

# By the loader, before everything else.
{
    local $ENV{LD_PRELOAD} = $all;
    $node->start;
}
if ($own) { is_query($node, $works, '2', 'LD_PRELOAD') }
else { refused($all, $works, 'LD_PRELOAD') }

done_testing();
