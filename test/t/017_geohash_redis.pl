# Beside a live Redis: the scores, texts, positions, distances and searches of a geo set, there and
# here, of positions all over the map of Redis and on its edges.
#
# Positions of Redis are 52 bits and ours 60, so a position that came from a score lies up to 1.7 cm
# beside the middle that Redis takes: distances differ by twice that at most, and a search may
# answer otherwise only for who is that near to the edge. And GEOSEARCH of Redis 7 misses some across
# a pole, which its own GEODIST says are within.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use RedisServer;
use SketchTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs redis-server (make deps)' unless RedisServer->program;

use constant LAT_MAX => 85.05112878;
use constant BESIDE => 0.036;      # metres

my $seed = $ENV{SKETCHES_SEED} // 1;
srand $seed;
note "SKETCHES_SEED=$seed";

my $redis = RedisServer->start(PostgreSQL::Test::Utils::tempdir_short());
note 'redis ' . $redis->version;
plan skip_all => 'needs redis-server 6.2, for GEOSEARCH' if $redis->version < 6.2;
my $node = new_server('geohash_redis');

# A command whose reply is a list, flat, with '-' for what is not there.
sub list_of
{
    my (@command) = @_;
    my $flat = <<'LUA';
local words = {}
local function add(reply)
    if type(reply) == 'table' then
        for i = 1, #reply do add(reply[i]) end
    else
        words[#words + 1] = reply and tostring(reply) or '-'
    end
end
add(redis.call(unpack(ARGV)))
return table.concat(words, ' ')
LUA
    return split / /, $redis->command('EVAL', $flat, 0, @command);
}

# ---- positions: anywhere, in crowds, on edges ----

my @position;
push @position, [ rand(360) - 180, (rand(2) - 1) * LAT_MAX ] for 1 .. 1500;
push @position, [ 13.4 + rand() / 50, 52.5 + rand() / 50 ] for 1 .. 1500;
push @position, [ (rand() < 0.5 ? 180 - rand() : -180 + rand()), rand(2) - 1 ] for 1 .. 300;
push @position, [ rand(360) - 180, ($_ % 2 ? 1 : -1) * (LAT_MAX - rand() / 10) ] for 1 .. 300;
for my $lon (-180, -90, -0.0001, 0, 45, 179.9999)
{
    push @position, [ $lon, $_ ] for -LAT_MAX, -66.51326, -1e-7, 0, 1e-7, 40, 85.0511287;
}
my $lines = join '', map { sprintf "%d\t%.17g\t%.17g\n", $_, @{ $position[$_] } } 0 .. $#position;
my $file = PostgreSQL::Test::Utils::tempdir() . '/positions';
open my $out, '>', $file or die "$file: $!";
print $out $lines;
close $out or die "$file: $!";

for (my $i = 0; $i < @position; $i += 500)
{
    my $last = $i + 499 < $#position ? $i + 499 : $#position;
    $redis->command('GEOADD', 'here',
        map { (map { sprintf '%.17g', $_ } @{ $position[$_] }), $_ } $i .. $last);
}
my @members = 0 .. $#position;
my (@score, @text, @pos);
push @score, $redis->command('ZSCORE', 'here', $_) for @members;
for (my $i = 0; $i < @members; $i += 500)
{
    my @some = @members[ $i .. ($i + 499 < $#members ? $i + 499 : $#members) ];
    push @text, list_of('GEOHASH', 'here', @some);
    push @pos, list_of('GEOPOS', 'here', @some);
}

$node->safe_psql('postgres', <<"SQL");
CREATE TABLE position (id int PRIMARY KEY, lon float8, lat float8);
COPY position FROM '$file';
SQL
my @replies = map { "($_, $score[$_], '$text[$_]', $pos[2 * $_], $pos[2 * $_ + 1])" } @members;
$node->safe_psql('postgres',
    'CREATE TABLE reply (id int PRIMARY KEY, score bigint, text text, lon float8, lat float8); '
      . 'INSERT INTO reply VALUES ' . join ', ', @replies);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE here AS SELECT id, score, geohash_from_redis(score) AS g FROM reply;
CREATE INDEX ON here (g);
VACUUM ANALYZE here;
SQL

is_query($node, <<'SQL', scalar(@position) . '|0|0|0|0', 'scores, texts and positions');
SELECT count(*), count(*) FILTER (WHERE geohash_to_redis(p.lon, p.lat) <> r.score),
       count(*) FILTER (WHERE geohash_to_redis(g) <> r.score),
       count(*) FILTER (WHERE geohash_redis_text(g) <> r.text),
       count(*) FILTER (WHERE abs(geohash_lon(g) - r.lon) > 180 / 2 ^ 30 + 1e-12
                           OR abs(geohash_lat(g) - r.lat) > 90 / 2 ^ 30 + 1e-12)
FROM position p JOIN reply r USING (id), geohash_from_redis(r.score) g
SQL

# The middle of one of our cells, added there, has the score that we give it here.
my @middle = split /\n/, $node->safe_psql('postgres', <<'SQL');
SET extra_float_digits = 1;
SELECT id, geohash_lon(g), geohash_lat(g), geohash_to_redis(g), geohash_redis_text(g)
FROM position, geohash(lon, lat) g WHERE id % 5 = 0 AND abs(geohash_lat(g)) < 85.05112878
SQL
my ($wrong_score, $wrong_text) = (0, 0);
for (@middle)
{
    my ($id, $lon, $lat, $score, $text) = split /\|/;
    $redis->command('GEOADD', 'middles', $lon, $lat, $id);
    $wrong_score++ if $redis->command('ZSCORE', 'middles', $id) != $score;
    $wrong_text++ if (list_of('GEOHASH', 'middles', $id))[0] ne $text;
}
cmp_ok(scalar @middle, '>', 500, 'middles of our cells');
is("$wrong_score $wrong_text", '0 0', '... have the same scores and texts there');

# 180 degrees and the northern limit: Redis steps past its last column or row, we read the last.
for my $edge ([ 180, 10 ], [ 20, LAT_MAX ], [ 180, LAT_MAX ], [ 180, -LAT_MAX ])
{
    $redis->command('GEOADD', 'edge', @$edge, 'edge');
    my $score = sprintf '%d', $redis->command('ZSCORE', 'edge', 'edge');
    cmp_ok($score, '>=', 2**52, "@$edge is past the last cell of Redis");
    is_query($node,
        "SELECT abs(geohash_lon(g) - $edge->[0]) < 1e-5 AND abs(geohash_lat(g) - $edge->[1]) < 1e-5
         FROM geohash_from_redis($score) g", 't', '... and read as the last');
}

# ---- distances ----

my %metres = (m => 1, km => 1000, ft => 0.3048, mi => 1609.34);
my @pairs = map {
    my ($a, $b) = map { int rand @position } 1 .. 2;
    my $unit = (qw(m km ft mi))[ $_ % 4 ];
    # GEODIST prints four digits.
    my $allowed = BESIDE / $metres{$unit} + 0.0001;
    "($a, $b, '$unit', ${\ $redis->command('GEODIST', 'here', $a, $b, $unit) }, $allowed)"
} 1 .. 2000;
is_query($node, <<"SQL", 2000, 'distances in every unit');
SELECT count(*) FROM (VALUES ${\ join ', ', @pairs }) d(a, b, unit, theirs, allowed)
JOIN here a ON a.id = d.a JOIN here b ON b.id = d.b
WHERE abs(geohash_distance(a.g, b.g, unit) - theirs) <= allowed
SQL

# ---- searches, by the index ----

# Boxes stay away from the poles, across which Redis looks in another way; circles do not.
my @away_from_poles = grep { abs($_->[1]) < 60 } @position;

# What ours is asked: the region, and one smaller and one larger by what positions may be off.
sub within
{
    my ($lon, $lat, $more, @size) = @_;
    my $sizes = join ', ', map { $_ + $more > 0 ? $_ + $more : 0 } @size;
    return (@size > 1 ? 'geohash_within_box' : 'geohash_within') . "(g, $lon, $lat, $sizes)";
}

my (@theirs, @queries, @circle);
for my $n (0 .. 149)
{
    my ($lon, $lat) =
        $n % 3 ? (13.4 + rand() / 50, 52.5 + rand() / 50)
      : $n % 2 ? @{ $away_from_poles[ rand @away_from_poles ] }
      :          @{ $position[ rand @position ] };
    my @size = map { $n % 3 ? 10**(1 + rand 2.5) : 10**(4 + rand 2) } 0 .. $n % 2;
    push @theirs,
      [
        list_of('GEOSEARCH', 'here', 'FROMLONLAT', $lon, $lat,
            $n % 2 ? 'BYBOX' : 'BYRADIUS', @size, 'm')
      ];
    $circle[$n] = [ $lon, $lat, @size ] if $n % 2 == 0;
    push @queries, map {
        "SELECT $n, '$_->[0]', id FROM here WHERE " . within($lon, $lat, $_->[1], @size)
    } [ 'ours', 0 ], [ 'surely', -2 * BESIDE ], [ 'maybe', 2 * BESIDE ];
}
like($node->safe_psql('postgres', "EXPLAIN $queries[3]"), qr/Index Cond/, 'an index search');
my %found;
for (split /\n/, $node->safe_psql('postgres', join ";\n", @queries))
{
    my ($n, $which, $id) = split /\|/;
    $found{$which}[$n]{$id} = 1;
}
# Does GEODIST say that the member is in the circle, give or take Redis's cells?
sub is_within
{
    my ($circle, $member) = @_;
    my ($lon, $lat, $radius) = @$circle;
    return 0 if abs($lat) > LAT_MAX;
    $redis->command('GEOADD', 'here', $lon, $lat, 'middle');
    return $redis->command('GEODIST', 'here', 'middle', $member) <= $radius + 1;
}

my ($missed, $extra, $otherwise, $all, $across) = (0, 0, 0, 0, 0);
for my $n (0 .. $#theirs)
{
    my %theirs = map { $_ => 1 } @{ $theirs[$n] };
    for my $member (grep { !$theirs{$_} } keys %{ $found{surely}[$n] // {} })
    {
        $circle[$n] && is_within($circle[$n], $member) ? $across++ : $missed++;
    }
    $extra += grep { !$found{maybe}[$n]{$_} } keys %theirs;
    $otherwise += grep { !$found{ours}[$n]{$_} } keys %theirs;
    $all += keys %theirs;
}
cmp_ok($all, '>', 3000, "found by GEOSEARCH: $all");
is("$missed $extra", '0 0', '... the same here, BYRADIUS and BYBOX');
note "found by Redis only, being on the edge: $otherwise; missed by Redis: $across";

done_testing();
