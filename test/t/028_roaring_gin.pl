# GIN indexes of columns of sets where the server builds them in parallel and amcheck knows them, from 18
# on: an index built by several processes answers as one built by one, and as no index; and amcheck
# finds nothing wrong, after building and after all that happens to rows.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

plan skip_all => 'needs PostgreSQL 18 or later' if major_version() < 18;

my $node = new_server('gin', conf => "maintenance_work_mem = 64MB\nmax_parallel_maintenance_workers = 3\n");
my @classes = qw(roaring_ops roaring_chunk_ops roaring64_ops roaring64_chunk_ops);

# Sets of up to 40 values within a hundred chunks, some without values, some NULL, some of one range.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION amcheck;
CREATE TABLE given (id int, roaring roaring, roaring64 roaring64);
INSERT INTO given SELECT i, s, s::roaring64 FROM (
    SELECT i, CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN '{}' WHEN 2 THEN roaring_range(i * 50, i * 50 + i % 200)
              ELSE (SELECT roaring_agg((hashint4(i * 41 + e)::bigint & 8191) * 800) FROM generate_series(1, i % 41) e)
              END AS s
      FROM generate_series(1, 20000) i) v;
ALTER TABLE given SET (parallel_workers = 3);
ANALYZE given;
SQL

# The index of each class, made by one process and by several.
for my $class (@classes)
{
    my ($type) = $class =~ /^(roaring(?:64)?)_/;
    for my $workers (0, 3)
    {
        my ($code, $out, $err) = $node->psql('postgres', <<"SQL");
SET client_min_messages = debug1;
SET max_parallel_maintenance_workers = $workers;
CREATE INDEX ${class}_$workers ON given USING gin ($type $class);
SQL
        is($code, 0, "$class is built with $workers workers");
        like($err, $workers ? qr/request for 3 parallel workers/ : qr/serially/, '... as it was told');
    }
}

# Of one index (undef: of none), the rows that each condition has.
my @conditions = (
    (map { "\@> " . 800 * $_ } 5, 77, 4000, 8191), "\@> 100010", "\@> '{100010,100011}'",
    "&& '{4000,61600,3200000}'", "&& '{}'", "\@> '{}'", "<\@ '{}'", "= '{}'", "<\@ RANGE(0, 300000)",
    "= RANGE(100100, 100102)", "\@> 6553600", "&& RANGE(0, 200000)");

sub answers
{
    my ($class, $index) = @_;
    my ($type) = $class =~ /^(roaring(?:64)?)_/;
    my $others = join ' ', map { my $c = $_; map { "${c}_$_" } 0, 3 } @classes;
    my $hide = join ', ', map { "'$_'" } grep { $_ ne ($index // '') } split ' ', $others;
    my $sql = "BEGIN; UPDATE pg_index SET indisvalid = false WHERE indexrelid IN (SELECT oid FROM pg_class WHERE relname IN ($hide));\n"
      . ($index ? "SET LOCAL enable_seqscan = off;\n" : '')
      . join('', map { my $c = $_ =~ s/RANGE/${type}_range/r; "SELECT count(*), sum(id), md5(string_agg(id::text, ' ' ORDER BY id)) FROM given WHERE $type $c;\n" } @conditions)
      . ($index ? "EXPLAIN (COSTS OFF) SELECT FROM given WHERE $type \@> 800;\n" : '')
      . 'ROLLBACK;';
    my $answer = $node->safe_psql('postgres', $sql);
    if ($index)
    {
        my $used = $answer =~ s/\n?Bitmap Heap Scan.*Bitmap Index Scan on (\w+).*//s ? $1 : 'none';
        is($used, $index, "$index is the one that answers");
    }
    return $answer;
}

sub check_all
{
    my ($when) = @_;
    for my $class (@classes)
    {
        my $plain = answers($class);
        my $rows = 0;
        $rows += $_ for $plain =~ /^(\d+)\|/mg;
        cmp_ok($rows, '>', 10000, "$when: the conditions find rows");
        for my $index (map { "${class}_$_" } 0, 3)
        {
            is(answers($class, $index), $plain, "$when: $index answers as no index does");
            is_query($node, "SELECT count(gin_index_check('$index')) FROM (VALUES (1)) v", '1', "... amcheck agrees");
        }
    }
    return;
}

check_all('built');
$node->safe_psql('postgres', <<'SQL');
INSERT INTO given SELECT id + 20000, roaring | id, roaring64 | (id::bigint + 10000000000) FROM given WHERE id % 3 = 0;
UPDATE given SET roaring = roaring - 800, roaring64 = roaring64_range(id, id + 5) WHERE id % 7 = 1;
DELETE FROM given WHERE id % 5 = 2;
SQL
check_all('changed');
$node->safe_psql('postgres', 'VACUUM given');
check_all('vacuumed');
$node->safe_psql('postgres', 'INSERT INTO given SELECT * FROM given WHERE id < 500');
check_all('changed again');

done_testing();
