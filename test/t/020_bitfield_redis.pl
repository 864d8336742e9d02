# Strings of bits against a live Redis: random commands must give the same replies and the same
# strings.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use RedisServer;
use SketchTest;
use PostgreSQL::Test::Utils;
use Test::More;

use constant ROUNDS => 3000;
use constant LEAST => '-9223372036854775808';

plan skip_all => 'needs redis-server (make deps)' unless RedisServer->program;

my $seed = $ENV{SKETCHES_SEED} // 1;
srand $seed;
note "SKETCHES_SEED=$seed";

my $redis = RedisServer->start(PostgreSQL::Test::Utils::tempdir_short());
note 'redis ' . $redis->version;
plan skip_all => 'needs redis-server 7.0, for ranges in bits' if $redis->version < 7.0;
my $node = new_server('bitfield');

sub pick { return int rand $_[0] }

sub one_of { return $_[ pick(scalar @_) ] }

# Of any size up to 62 bits, or one of the extremes.
sub number
{
    return one_of('9223372036854775807', LEAST, 0) if pick(20) == 0;
    my $n = (pick(2**31) << 31 | pick(2**31)) >> pick(62);
    return pick(2) ? -$n : $n;
}

sub type
{
    my $sign = one_of('i', 'u');
    return $sign . (1 + pick($sign eq 'i' ? 64 : 63));
}

# Words of BITFIELD; every one is quoted as it is for both sides.
sub commands
{
    my @words;
    for (0 .. pick(6))
    {
        push @words, 'OVERFLOW', one_of(qw(WRAP SAT FAIL wrap sat fail)) if pick(3) == 0;
        my $type = type();
        my $at = pick(3) ? pick(300) : '#' . pick(6);
        my $verb = one_of(qw(GET SET INCRBY get set incrby));
        my $number = number();
        # Redis's own sums overflow there, and SAT takes the wrong end.
        $number = -1 if lc $verb eq 'set' && $number eq LEAST && $type =~ /^i/ && $type ne 'i64';
        push @words, $verb, $type, $at, lc $verb eq 'get' ? () : $number;
    }
    return @words;
}

sub hex_of { return unpack 'H*', $_[0] // '' }

sub reply_text
{
    my ($reply) = @_;
    return '{' . join(',', map { $_ // 'NULL' } @$reply) . '}';
}

my @queries = "SET client_min_messages = error; CREATE TEMP TABLE s AS SELECT ''::bitfield AS b;";
my @expected;

sub compare
{
    my ($sql, $expected) = @_;
    push @queries, $sql;
    push @expected, $expected;
    return;
}

for my $round (1 .. ROUNDS)
{
    if ($round % 100 == 0)
    {
        $redis->command('DEL', 'b');
        push @queries, "UPDATE s SET b = '';";
    }
    my @words = commands();
    my $reply = $redis->command('BITFIELD', 'b', @words);
    compare("WITH e AS (SELECT (bitfield_exec(b, '@words')).* FROM s), u AS (UPDATE s SET b = sketch"
          . ' FROM e) SELECT results FROM e;', reply_text($reply));
    # What FAIL refused makes Redis's string longer all the same.
    my $last = 8 * $redis->command('STRLEN', 'b') - 1;
    push @queries, "UPDATE s SET b = bitfield_set_bit(b, $last, bitfield_get_bit(b, $last));"
      if grep { !defined } @$reply;
    compare("SELECT encode(b::bytea, 'hex') FROM s;", hex_of($redis->command('GET', 'b')));

    my ($start, $end) = map { pick(90) - 45 } 1 .. 2;
    my $unit = one_of('BYTE', 'BIT');
    my $bit = pick(2);
    compare("SELECT bitfield_count(b, $start, $end, '$unit') FROM s;",
        $redis->command('BITCOUNT', 'b', $start, $end, $unit));
    compare("SELECT bitfield_position(b, $bit = 1, $start, $end, '$unit') FROM s;",
        $redis->command('BITPOS', 'b', $bit, $start, $end, $unit));
    compare("SELECT bitfield_position(b, $bit = 1, $start) FROM s;",
        $redis->command('BITPOS', 'b', $bit, $start));
    compare("SELECT bitfield_position(b, $bit = 1), bitfield_count(b) FROM s;",
        join '|', $redis->command('BITPOS', 'b', $bit), $redis->command('BITCOUNT', 'b'));
    my $offset = pick(500);
    compare("SELECT bitfield_get_bit(b, $offset)::int FROM s;",
        $redis->command('GETBIT', 'b', $offset));
    $redis->command('SETBIT', 'b', $offset, $bit);
    push @queries, "UPDATE s SET b = bitfield_set_bit(b, $offset, $bit = 1);";
}

# Indexes of all sorts into short strings: before the begin, in the wrong order, behind the end.
for my $string ("\x0b", "\xff\x00", "\x00\xf0\x0f")
{
    $redis->command('SET', 'b', $string);
    push @queries, "UPDATE s SET b = '\\x${\ hex_of($string) }';";
    for my $unit (qw(BYTE BIT))
    {
        for my $start (-30, -9 .. 9)
        {
            for my $end (-30, -9 .. 9, 30)
            {
                compare("SELECT bitfield_count(b, $start, $end, '$unit'), bitfield_position(b, false,"
                      . " $start, $end, '$unit'), bitfield_position(b, true, $start, $end, '$unit')"
                      . " FROM s;",
                    join '|', $redis->command('BITCOUNT', 'b', $start, $end, $unit),
                    map { $redis->command('BITPOS', 'b', $_, $start, $end, $unit) } 0, 1);
            }
        }
    }
}

# Operations on up to four strings; the last four came with Redis 8.2.
my @operations = qw(AND OR XOR);
my @newer = qw(DIFF DIFF1 ANDOR ONE);
$redis->command('SET', 'x', 'a');
my $knows_newer = eval { $redis->command('BITOP', 'DIFF', 'r', 'x', 'x'); 1 };
SKIP:
{
    skip "this Redis has no BITOP @newer", 1 unless $knows_newer;
    push @operations, @newer;
    pass("BITOP @newer are compared as well");
}
for (1 .. 500)
{
    my @strings = map { join '', map { chr pick(256) } 0 .. pick(20) } 0 .. 1 + pick(3);
    $redis->command('SET', "k$_", $strings[$_]) for 0 .. $#strings;
    my $op = one_of(@operations);
    $redis->command('BITOP', $op, 'r', map { "k$_" } 0 .. $#strings);
    my $arguments = join ', ', map { "'\\x" . hex_of($_) . "'" } @strings;
    compare("SELECT encode(bitfield_bitop('$op', $arguments)::bytea, 'hex');",
        hex_of($redis->command('GET', 'r')));
    $redis->command('BITOP', 'NOT', 'r', 'k0');
    compare("SELECT encode((~ '\\x${\ hex_of($strings[0]) }'::bitfield)::bytea, 'hex');",
        hex_of($redis->command('GET', 'r')));
}

my @got = split /\n/, $node->safe_psql('postgres', join "\n", @queries);
is(scalar @got, scalar @expected, 'as many answers as questions');
my @differ = grep { ($got[$_] // '') ne $expected[$_] } 0 .. $#expected;
is(scalar @differ, 0, scalar(@expected) . " answers of operations @operations and of BITFIELD");
diag("got $got[$_], expected $expected[$_]") for @differ[ 0 .. ($#differ < 4 ? $#differ : 4) ];
done_testing();
