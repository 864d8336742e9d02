# Large sets, beside sets that Perl keeps: what the reference files of the portable format hold, what
# is written again, and all of the algebra over sets like those of indexes; then the same stored, copied,
# dumped, restored, replayed after a crash, and in parallel plans.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/lib";
use RoaringSets;
use SketchTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('roaring');
my $dir = $node->basedir;

# ---- reference files of the format's specification ----

# Those of RoaringFormatSpec: bitmapwithruns.bin, bitmapwithoutruns.bin, bitmap64.bin, portable_bitmap64.bin.
# They are written here from their descriptions, and have their checksums.
my %seen;
my @wide = grep { !$seen{$_}++ } sort { $a <=> $b } (map { 1000 * $_ } 0 .. 99),
  (map { 3 * $_ } 100000 .. 199999), 700000 .. 799999;
my @narrow = (0 .. 0x9000, 0xA000 .. 0x10000, 0x20000, 0x20005, map { 0x80000 + 2 * $_ } 0 .. 0x7fff);
my %file = (
    roaring_with_runs => portable32(1, @wide),
    roaring_without_runs => portable32(0, @wide),
    roaring64 => portable64(0 => [ map { 2 * $_ } 0 .. 32767 ], 1 => [ 0 .. 999999 ], 65536 => [0]),
    roaring64_portable => portable64(0 => \@narrow, 1 => \@narrow));
my %checksum = (
    roaring_with_runs => '1f1909bfdd354fa2f0694fe88b8076833ca5383ad9fc3f68f2709c84a2ab70e3',
    roaring_without_runs => 'd719ae2e0150a362ef7cf51c361527585891f01460b1a92bcfb6a7257282a442',
    roaring64 => 'a0f752256dbbc2ca67659c4bedb0ac5b67f18fbef76d65e0cc95bfa442eb0a6a',
    roaring64_portable => 'b5a553a759167f5f9ccb3fa21552d943b4c73235635b753376f4faf62067d178');

# What they hold, from their description; a query over each.
my %holds = (
    'roaring_with_runs' => 'roaring_from_portable',
    'roaring_without_runs' => 'roaring_from_portable',
    'roaring64' => 'roaring64_from_portable',
    'roaring64_portable' => 'roaring64_from_portable');
my %values = (
    roaring_with_runs => <<'SQL',
SELECT i * 1000 FROM generate_series(0, 99) i UNION SELECT 3 * i FROM generate_series(100000, 199999) i
UNION SELECT generate_series(700000, 799999)
SQL
    roaring64 => <<'SQL',
SELECT i * 2 FROM generate_series(0::bigint, 32767) i UNION SELECT 4294967296 + i FROM generate_series(0, 999999) i
UNION SELECT 281474976710656
SQL
    roaring64_portable => <<'SQL');
SELECT high * 4294967296 + low FROM generate_series(0::bigint, 1) high,
(SELECT generate_series(0, 36864) UNION SELECT generate_series(40960, 65536) UNION SELECT 131072
 UNION SELECT 131077 UNION SELECT 524288 + 2 * i FROM generate_series(0, 32767) i) l(low)
SQL
$values{roaring_without_runs} = $values{roaring_with_runs};

$node->safe_psql('postgres', 'CREATE TABLE file (name text PRIMARY KEY, bytes bytea)');
for my $name (sort keys %holds)
{
    my $hex = unpack 'H*', $file{$name};
    is(sha256_hex($file{$name}), $checksum{$name}, "$name: the bytes of the reference file");
    $node->safe_psql('postgres', "INSERT INTO file VALUES ('$name', '\\x$hex')");
    my $type = $holds{$name} =~ s/_from_portable//r;
    my $read = "(SELECT $holds{$name}(bytes) FROM file WHERE name = '$name')";
    is_query($node, <<"SQL", 't|t', "$name: what it says");
SELECT $read = (SELECT ${type}_agg(v) FROM ($values{$name}) t(v)),
       ${type}_cardinality($read) = (SELECT count(DISTINCT v) FROM ($values{$name}) t(v))
SQL
    is_query($node, "SELECT ${type}_from_portable(${type}_to_portable($read)) = $read", 't',
        '... written and read again');
    # All that is cut off, padded or has a wrong count in front is refused.
    is_query($node, <<"SQL", '0', '... and none that is damaged');
CREATE FUNCTION pg_temp.taken(b bytea) RETURNS int LANGUAGE plpgsql AS \$\$
BEGIN
    PERFORM $holds{$name}(b);
    RETURN 1;
EXCEPTION WHEN invalid_binary_representation THEN
    RETURN 0;
END \$\$;
SELECT sum(pg_temp.taken(substr(bytes, 1, length(bytes) - i * i)))
       + sum(pg_temp.taken(bytes || decode(repeat('00', i), 'hex')))
       + sum(pg_temp.taken(set_byte(bytes, i % 4, get_byte(bytes, i % 4) # (1 << i % 7))))
       - sum(pg_temp.taken(bytes)) + 90
FROM file, generate_series(1, 90) i WHERE name = '$name'
SQL
}
# The same set from a writer with runs and from one without; what we write has them.
is_query($node, <<'SQL', 't|t', 'runs or not, one set; written with runs, byte for byte as there');
SELECT roaring_from_portable(a.bytes) = roaring_from_portable(b.bytes),
       roaring_to_portable(roaring_from_portable(b.bytes)) = a.bytes
FROM file a, file b WHERE a.name = 'roaring_with_runs' AND b.name = 'roaring_without_runs'
SQL
is_query($node, <<'SQL', 't|t', '64 bits: as long as there, or shorter');
SELECT roaring64_to_portable(roaring64_from_portable(a.bytes)) = a.bytes,
       length(roaring64_to_portable(roaring64_from_portable(b.bytes))) <= length(b.bytes)
FROM file a, file b WHERE a.name = 'roaring64_portable' AND b.name = 'roaring64'
SQL

# ---- sets like those of indexes ----

my @sets = made_up_sets();
my @values = map { my ($origin, @list) = @$_; \@list } @sets;
cmp_ok(scalar @sets, '>=', 100, 'there are a hundred sets');
{
    my $tsv = join '', map { "$_\t$sets[$_][0]\t{" . join(',', @{ $values[$_] }) . "}\n" } 0 .. $#sets;
    my $file = "$dir/sets.tsv";
    append_to_file($file, $tsv);
    $node->safe_psql('postgres', <<"SQL");
CREATE TABLE given (id int, origin text, values bigint[]);
COPY given FROM '$file';
CREATE TABLE real_set (id int PRIMARY KEY, origin text, r roaring NOT NULL, r64 roaring64 NOT NULL);
INSERT INTO real_set SELECT id, origin, values::roaring, roaring64(values) FROM given;
SQL
}
is_query($node, <<'SQL', "t|t|t", 'as arrays, texts and aggregates, they are the same');
SELECT bool_and(r::bigint[] = values), bool_and(values::text::roaring = r),
       bool_and(r = (SELECT roaring_agg(v) FROM unnest(values) v)
                AND r64 = (SELECT roaring64_agg(v) FROM unnest(values) v))
FROM given JOIN real_set USING (id)
SQL
is_query($node, <<'SQL', 't|t', 'they take less than as arrays, and those of the sorted table far less');
SELECT sum(pg_column_size(r)) < 0.5 * sum(4 * roaring_cardinality(r)) FILTER (WHERE true),
       sum(pg_column_size(r)) FILTER (WHERE origin = 'sorted') < 0.3 * sum(4 * roaring_cardinality(r)) FILTER (WHERE origin = 'sorted')
FROM real_set
SQL

# Neighbours in the list, two by two: what Perl counts.
my $pairs = '';
for my $i (1 .. $#values)
{
    my %a = map { $_ => 1 } @{ $values[ $i - 1 ] };
    my $both = grep { $a{$_} } @{ $values[$i] };
    my ($a, $b) = (scalar keys %a, scalar @{ $values[$i] });
    $pairs .= join('|', $i, $both, $a + $b - $both, $a - $both, $a + $b - 2 * $both,
        $both ? 't' : 'f', $both == $b ? 't' : 'f') . "\n";
}
chomp $pairs;
for my $type (qw(roaring roaring64))
{
    my $r = $type eq 'roaring' ? 'r' : 'r64';
    is_query($node, <<"SQL", $pairs, "$type: neighbours, two by two");
SELECT b.id, ${type}_cardinality(a.$r & b.$r), ${type}_cardinality(a.$r | b.$r),
       ${type}_cardinality(a.$r - b.$r), ${type}_cardinality(a.$r # b.$r), a.$r && b.$r, a.$r @> b.$r
FROM real_set a JOIN real_set b ON b.id = a.id + 1 ORDER BY 1
SQL
    is_query($node, <<"SQL", $pairs, '... counted without making them');
SELECT b.id, ${type}_intersection_cardinality(a.$r, b.$r), ${type}_union_cardinality(a.$r, b.$r),
       ${type}_difference_cardinality(a.$r, b.$r), ${type}_xor_cardinality(a.$r, b.$r),
       ${type}_jaccard(a.$r, b.$r) > 0, b.$r <@ a.$r
FROM real_set a JOIN real_set b ON b.id = a.id + 1 ORDER BY 1
SQL
}
{
    my %times;
    $times{$_}++ for map { @$_ } @values;
    my ($any, $odd) = (scalar keys %times, scalar grep { $_ % 2 } values %times);
    my $most = 0;
    $most = $_ > $most ? $_ : $most for values %times;
    cmp_ok($most, '>', 2, 'some value is in more than two of them');
    my $query = <<'SQL';
SELECT roaring_union_cardinality_agg(r), roaring_xor_cardinality_agg(r), roaring64_cardinality(roaring64_union_agg(r64)),
       roaring64_cardinality(roaring64_xor_agg(r64)), md5(roaring_union_agg(r)::bytea), md5(roaring_xor_agg(r)::bytea),
       roaring_intersection_cardinality_agg(r)
FROM real_set
SQL
    my $serial = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $query");
    like($serial, qr/^$any\|$odd\|$any\|$odd\|.*\|0$/, 'all of them, united and xored');
    my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;'
      . ' SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off;'
      . ' SET max_parallel_workers_per_gather = 3';
    $node->safe_psql('postgres', 'ALTER TABLE real_set SET (parallel_workers = 3)');
    my $plan = plan_of($node, $parallel, $query, 1);
    like($plan, qr/Finalize.*Partial/s, 'by three workers');
    ok(enough_workers($plan, 3), '... who all run') || diag($plan);
    is($node->safe_psql('postgres', "$parallel; $query"), $serial, '... the same, byte for byte');

    # Values, ranks and probes of the largest.
    my ($id) = sort { @{ $values[$b] } <=> @{ $values[$a] } } 0 .. $#values;
    my @largest = sort { $a <=> $b } @{ $values[$id] };
    my @ranks = map { int($_ * $#largest / 20) } 0 .. 20;
    is_query($node, <<"SQL", join("\n", map { "$largest[$_]|t|" . ($_ + 1) } @ranks), 'ranks of the largest');
SELECT roaring_select(r, k), r @> roaring_select(r, k), roaring64_rank(r64, roaring_select(r, k))
FROM real_set, unnest(ARRAY[@{[ join ',', @ranks ]}]) k WHERE id = $id ORDER BY k
SQL
}

# ---- wide runs ----

# Set algebra of 65,536 containers of one run each takes a few of them at a time: the address space
# of the session grows by far less than it would with room for 65,536 runs in each.
SKIP:
{
    skip 'no /proc to see the memory of a session in', 1 if !-r '/proc/self/status';
    my $peak = q{(regexp_match(pg_read_file('/proc/self/status'), 'VmPeak:\s+(\d+)'))[1]::bigint};
    is_query($node, <<"SQL", "4294967296|4294967295|4294967295|4294967291|t", 'wide runs take little memory');
CREATE TEMP TABLE peak AS SELECT $peak AS before;
SELECT roaring_cardinality(roaring_range(0, 4294967295) | '{4294967295}'), roaring_cardinality(roaring_add_range('{1}', 0, 4294967295)),
       roaring_cardinality(roaring_range(0, 4294967296) # '{5}'),
       roaring_cardinality(roaring_range(0, 4294967296) - roaring_range(65530, 65535)),
       $peak - before < 500000
FROM peak
SQL
}

# ---- stored, copied, dumped, restored, replayed ----

my $sum = q{SELECT count(*), md5(string_agg(md5(r::bytea) || md5(r64::bytea), ',' ORDER BY id))};
my $stored = $node->safe_psql('postgres', "$sum FROM real_set");
for my $format (qw(binary text csv))
{
    my $file = "$dir/sets.$format";
    is_query($node, <<"SQL", $stored, "COPY out and in, $format");
COPY real_set TO '$file' WITH (FORMAT $format);
CREATE TEMP TABLE back (LIKE real_set);
COPY back FROM '$file' WITH (FORMAT $format);
$sum FROM back
SQL
}
# A binary file that says other than it holds is refused whole.
{
    my $file = "$dir/sets.damaged";
    my $bytes = slurp_file("$dir/sets.binary");
    my $at = index $bytes, "\x3a\x30\x00\x00";
    cmp_ok($at, '>', 0, 'a bitmap without runs is in the file');
    substr($bytes, $at, 1) = "\x39";
    append_to_file($file, $bytes);
    raises($node, '22P03', "COPY back FROM '$file' WITH (FORMAT binary)", 'a damaged binary file',
        before => 'CREATE TEMP TABLE back (LIKE real_set);', after => 'TABLE back;');
}
{
    my $dump = "$dir/roaring.dump";
    $node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, $node->connstr('postgres') ], 'dumped');
    $node->safe_psql('postgres', 'CREATE DATABASE restored');
    $node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $dump ],
        'restored');
    is_query($node, "$sum FROM real_set", $stored, '... the same', database => 'restored');
}
$node->safe_psql('postgres', 'CHECKPOINT; UPDATE real_set SET r = roaring_add(r, 4294967295)');
$node->stop('immediate');
$node->start;
is_query($node, "$sum FROM (SELECT id, roaring_remove(r, 4294967295) AS r, r64 FROM real_set) s",
    $stored, 'replayed after a crash');

done_testing();
