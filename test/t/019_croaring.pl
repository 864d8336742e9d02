# Whose CRoaring is called? PostgreSQL loads libraries with RTLD_GLOBAL, so another extension that
# shows symbols of CRoaring could have ours call into it. It must be found out and said.

use strict;
use warnings;

use Config;
use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $include = `$pg_config --includedir-server`);
my $node = new_server('croaring', schema => undef);
my $dir = $node->basedir;

# A library that PostgreSQL can load, and that has a function of CRoaring's name.
open my $out, '>', "$dir/impostor.c" or die "impostor.c: $!";
print $out <<'C';
#include "postgres.h"
#include "fmgr.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void *roaring_bitmap_or(const void *a, const void *b);

void *
roaring_bitmap_or(const void *a, const void *b)
{
    abort();
}
C
close $out;
is(system("cc -shared -fPIC -I'$include' -o '$dir/impostor.so' '$dir/impostor.c'"), 0,
    'a library with a CRoaring of its own');

my ($status, $stdout, $stderr) =
  $node->psql('postgres', "LOAD '$dir/impostor.so'; CREATE EXTENSION sketches;");
SKIP:
{
    skip 'CRoaring is compiled in, where nobody finds it', 2 if $status == 0;
    like($stderr, qr/sketches would call CRoaring in ".*impostor\.so"/, 'the culprit is named');
    like($stderr, qr/HINT:  Load sketches first, or build it with CROARING_DIR/, 'and the remedy');
}

# Loaded second, the other one changes nothing.
is_query($node, "CREATE EXTENSION sketches; SELECT # ('{1}'::roaring | '{2}');", '2',
    'loaded first, sketches finds its own');
is_query($node, "SELECT # '{1}'::roaring; LOAD '$dir/impostor.so';"
      . " SELECT # ('{1}'::roaring | '{2}');", "1\n2", 'and keeps it');

done_testing();
