# Beside a live Redis: the same items make the same bytes and the same count there and here, and
# each side reads what the other wrote.
#
# Two freedoms of Redis were measured and are asserted here:
#
# - A run of five or more registers of one rank is cut into fours from its beginning by us; Redis
#   cuts as the order of insertion has it, in four ways of the same length. Among random items such
#   runs come late: none was cut otherwise in 1,500 sets of up to 1,200 items, three in 1,000 sets
#   of 1,400 to 1,650 were. Both sides read both.
# - Where our sparse string is at its limit of 3000 bytes Redis can be dense already: it decides
#   before it joins runs, and never goes back. That was so in one set of twenty, for the one or two
#   items that it stayed at that size.
#
# SKETCHES_SEED takes other random items; then a set of 1500 may meet the first freedom.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use RedisServer;
use SketchTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs redis-server (make deps)' unless RedisServer->program;

use constant SPARSE_MAX => 3000;

# Random items, the same ones in every run.
my $seed = $ENV{SKETCHES_SEED} // 1;
srand $seed;
note "SKETCHES_SEED=$seed";

my $redis = RedisServer->start(PostgreSQL::Test::Utils::tempdir_short());
note 'redis ' . $redis->version;
my $node = new_server('redis');
$node->safe_psql('postgres', 'CREATE TABLE items (key text, item bytea)');

# key => items, in the order in which Redis gets them
my %sets;

sub random_item
{
    my ($binary) = @_;
    return join '-', 'item', int rand 1e9, int rand 1e9 unless $binary;
    return pack 'C*', map { int rand 256 } 1 .. int rand 40;
}

for my $size (0, 1, 2, 10, 100, 1000, 1500, 2000, 3000, 10000)
{
    for my $n (1 .. ($size <= 1000 ? 6 : 3))
    {
        $sets{"size $size, $n"} = [ map { random_item($n % 2 == 0) } 1 .. $size ];
    }
}
$sets{'size 100000'} = [ map { random_item(0) } 1 .. 100000 ];
$sets{'odd items'} = [ '', "\0", "\0\0", 'a', 'hello', 'foo', "\xff" x 1000, 'x' x 100000 ];

# What a set's key holds in Redis, in batches as clients send them.
sub fill
{
    my ($key, @items) = @_;
    $redis->command('DEL', $key);
    $redis->command('PFADD', $key);
    $redis->command('PFADD', $key, splice @items, 0, 500) while @items;
    return;
}

sub load
{
    my (%load) = @_;
    my $file = PostgreSQL::Test::Utils::tempdir() . '/items';
    open my $out, '>', $file or die "$file: $!";
    for my $key (sort keys %load)
    {
        print $out "$key\t\\\\x", unpack('H*', $_), "\n" for @{ $load{$key} };
    }
    close $out or die "$file: $!";
    $node->safe_psql('postgres', "COPY items FROM '$file'");
    return;
}

sub hex_of { return unpack 'H*', $_[0] }

# The cached count of a string and whether it is stale say only what was asked of it before.
sub without_cache
{
    my ($string) = @_;
    substr($string, 8, 8) = "\0" x 7 . "\x80";
    return $string;
}

sub is_sparse { return ord(substr $_[0], 4, 1) == 1 }

fill($_, @{ $sets{$_} }) for keys %sets;
load(%sets);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE ours AS SELECT key, hll_redis_agg(item) AS h FROM items GROUP BY key;
SQL
$node->safe_psql('postgres', "INSERT INTO ours VALUES ('$_', hll_redis_empty())")
  for grep { !@{ $sets{$_} } } keys %sets;
my %ours = map { (split /\|/)[0] => [ (split /\|/)[ 1 .. 3 ] ] } split /\n/,
  $node->safe_psql('postgres',
    q{SELECT key, encode(hll_to_redis(h), 'hex'), #h, length(hll_to_redis(h)) FROM ours});
is(join(',', sort keys %ours), join(',', sort keys %sets), 'every set is counted');

# ---- bytes and counts, key by key ----

my %redis;
my ($sparse, $dense) = (0, 0);
for my $key (sort keys %sets)
{
    # GET before PFCOUNT, which changes the cached count in place.
    my $get = $redis->command('GET', $key);
    is($ours{$key}[0], hex_of($get), "$key: the bytes of GET");
    is($ours{$key}[1], $redis->command('PFCOUNT', $key), '... the count of PFCOUNT');
    is_sparse($get) ? $sparse++ : $dense++;
    my $counted = $redis->command('GET', $key);
    $redis{$key} = { get => $get, counted => $counted, dump => $redis->command('DUMP', $key) };
    $redis->command('SET', 'ours', pack 'H*', $ours{$key}[0]);
    is($redis->command('PFCOUNT', 'ours'), $ours{$key}[1], '... ours, SET, has the same PFCOUNT');
}
cmp_ok($sparse, '>', 20, 'sparse strings are among them');
cmp_ok($dense, '>', 5, 'dense strings are among them');

# ---- what Redis wrote, read here ----

my $rows = join ",\n", map {
    "('$_', decode('${\ hex_of($redis{$_}{get}) }', 'hex'), "
      . "decode('${\ hex_of($redis{$_}{counted}) }', 'hex'), "
      . "decode('${\ hex_of($redis{$_}{dump}) }', 'hex'))"
} sort keys %sets;
is_query($node, <<"SQL", scalar(keys %sets) . '|t|t|t|t', 'GET and DUMP are read');
SELECT count(*), bool_and(hll_from_redis(get) = h), bool_and(hll_from_redis(counted) = h),
       bool_and(hll_from_redis(dump)::bytea = h::bytea),
       bool_and(hll_to_redis(hll_from_redis(get)) = get)
FROM ours JOIN (VALUES $rows) r (key, get, counted, dump) USING (key)
SQL
# An item added on either side to what came from the other.
is_query($node, <<"SQL", 't', 'adding to an imported value adds what Redis would');
SELECT bool_and(hll_add(hll_from_redis(get), 'one more'::text) = hll_add(h, 'one more'::bytea))
FROM ours JOIN (VALUES $rows) r (key, get, counted, dump) USING (key)
SQL
for my $key ('size 100, 1', 'size 10000, 1')
{
    $redis->command('SET', 'ours', pack 'H*', $ours{$key}[0]);
    $redis->command('PFADD', $_, 'one more') for 'ours', $key;
    is(hex_of(without_cache($redis->command('GET', 'ours'))),
        hex_of(without_cache($redis->command('GET', $key))), "$key: Redis adds to ours");
    is_query($node,
        "SELECT encode(hll_to_redis(hll_add(h, 'one more'::text)), 'hex')
         FROM ours WHERE key = '$key'",
        hex_of(without_cache($redis->command('GET', $key))), '... as we do');
}

# ---- unions ----

my @keys = sort keys %sets;
for my $n (1 .. 12)
{
    my ($a, $b, $c) = map { $keys[ rand @keys ] } 1 .. 3;
    $redis->command('DEL', 'merged');
    $redis->command('PFMERGE', 'merged', $a, $b, $c);
    my $merged = without_cache($redis->command('GET', 'merged'));
    my ($union, $count, $unions) = split /\|/, $node->safe_psql('postgres', <<"SQL");
WITH a AS (SELECT h FROM ours WHERE key = '$a'), b AS (SELECT h FROM ours WHERE key = '$b'),
     c AS (SELECT h FROM ours WHERE key = '$c'), u AS (SELECT a.h | b.h | c.h AS h FROM a, b, c)
SELECT encode(hll_to_redis(u.h), 'hex'), hll_cardinality(a.h, b.h, c.h),
       #u.h = hll_cardinality(a.h, b.h, c.h) AND u.h = hll_union(hll_union(b.h, c.h), a.h)
FROM a, b, c, u
SQL
    my $plus = 'two of these sets had one item more';
    SKIP:
    {
        skip $plus, 3 if grep { /^size 100, 1$|^size 10000, 1$/ } $a, $b, $c;
        is($count, $redis->command('PFCOUNT', $a, $b, $c), "PFCOUNT of $a + $b + $c");
        is($unions, 't', '... of the union in any order');
        if (is_sparse($merged))
        {
            is($union, hex_of($merged), '... and PFMERGE, sparse');
        }
        else
        {
            # Redis merges into a dense string when one of the sources is dense.
            is(hex_of(dense_of(pack 'H*', $union)), hex_of($merged), '... and PFMERGE, dense');
        }
    }
}

# ---- the two freedoms ----

# Registers of a string, by our own reading of the format.
sub registers_of
{
    my ($string) = @_;
    my $body = substr $string, 16;
    return map { unpack 'C', pack 'b*', $_ } unpack '(a6)*', unpack 'b*', $body
      unless is_sparse($string);
    my @bytes = unpack 'C*', $body;
    my @registers;
    while (@bytes)
    {
        my $op = shift @bytes;
        if ($op & 0x80) { push @registers, (($op >> 2 & 31) + 1) x (($op & 3) + 1) }
        elsif ($op & 0x40) { push @registers, (0) x ((($op & 63) << 8 | shift @bytes) + 1) }
        else { push @registers, (0) x ($op + 1) }
    }
    return @registers;
}

sub dense_of
{
    my ($string) = @_;
    return $string unless is_sparse($string);
    my $bits = join '', map { substr unpack('b8', chr), 0, 6 } registers_of($string);
    return "HYLL\0\0\0\0" . "\0" x 7 . "\x80" . pack 'b*', $bits;
}

# Items that hit neighbouring registers with one rank, in every order: a run of five.
{
    my @found = split /\n/, $node->safe_psql('postgres', <<'SQL');
WITH hit AS (
    SELECT DISTINCT ON (r.register) r.register, i
    FROM generate_series(1, 20000) i, hll_registers(hll_add(hll_redis_empty(), i::text)) r
    WHERE r.rank = 1
), run AS (
    SELECT register, lead(register, 4) OVER w AS fifth, string_agg(i::text, ',') OVER w AS items
    FROM hit WINDOW w AS (ORDER BY register ROWS BETWEEN CURRENT ROW AND 4 FOLLOWING)
)
SELECT items FROM run WHERE fifth = register + 4 LIMIT 1
SQL
    my @items = split /,/, $found[0];
    is(scalar @items, 5, 'items of five neighbouring registers');
    my ($same, $other, %cuts) = (0, 0);
    my $ours = $node->safe_psql('postgres',
        "SELECT encode(hll_to_redis(hll_redis_agg(i)), 'hex')
         FROM unnest('{$found[0]}'::text[]) i");
    for my $order (permutations(@items))
    {
        $redis->command('DEL', 'run');
        $redis->command('PFADD', 'run', $_) for @$order;
        my $get = $redis->command('GET', 'run');
        hex_of($get) eq $ours ? $same++ : $other++;
        $cuts{ hex_of($get) }++;
    }
    is_query($node,
        "SELECT count(*) FROM unnest('{@{[ join ',', sort keys %cuts ]}}'::text[]) s
         WHERE hll_from_redis(decode(s, 'hex')) <> hll_from_redis(decode('$ours', 'hex'))",
        0, 'a run of five, cut in any way, is read alike');
    cmp_ok($same, '>', 0, "... our way is one of Redis's ($same of 120 orders)");
    ok(!(grep { length $_ != length $ours } keys %cuts), '... all ' . keys(%cuts) . ' as long');
}

# One item after another, over the limit of the sparse string.
{
    my (%walk, %get);
    for my $walk (1 .. 12)
    {
        my @items = map { random_item(0) } 1 .. 1800;
        $walk{"walk $walk"} = \@items;
        fill('walk', @items[0 .. 1599]);
        for my $n (1601 .. 1800)
        {
            $redis->command('PFADD', 'walk', $items[ $n - 1 ]);
            $get{"walk $walk"}[$n] = $redis->command('GET', 'walk');
        }
    }
    my ($steps, $cuts, @lengths) = (0, 0);
    my $wrong = 0;
    for my $walk (sort keys %walk)
    {
        my @ours = split /\n/, $node->safe_psql('postgres', <<"SQL");
SELECT encode(hll_to_redis(h), 'hex') FROM (
    SELECT n, hll_redis_agg(item) OVER (ORDER BY n) AS h
    FROM unnest('{@{[ join ',', @{ $walk{$walk} } ]}}'::text[]) WITH ORDINALITY i (item, n)
    OFFSET 0) s
WHERE n > 1600 ORDER BY n
SQL
        for my $n (1601 .. 1800)
        {
            my ($get, $own) = ($get{$walk}[$n], pack 'H*', $ours[ $n - 1601 ]);
            $steps++;
            next if $get eq $own;
            $wrong++ if join(',', registers_of($get)) ne join(',', registers_of($own));
            if (is_sparse($get) == is_sparse($own)) { $cuts++ }
            else { push @lengths, is_sparse($own) ? length $own : -length $get }
        }
    }
    note "of $steps strings $cuts were cut in another way, and ", scalar @lengths,
      ' kept in the other encoding, at lengths (Redis: -) ', join ' ', @lengths;
    is($steps, 2400, 'twelve walks over the limit of the sparse string');
    is($wrong, 0, '... with equal registers all the way');
    ok(!(grep { abs($_) < SPARSE_MAX - 10 } @lengths),
        '... and another encoding only within ten bytes of the limit');
    cmp_ok(@lengths + $cuts, '<', $steps / 20, '... rarely');
}

sub permutations
{
    my @rest = @_;
    return [] unless @rest;
    return map {
        my @others = @rest;
        my ($one) = splice @others, $_, 1;
        map { [ $one, @$_ ] } permutations(@others);
    } 0 .. $#rest;
}

done_testing();
