# RoaringSets - sets of integers for the tests of roaring, and the portable format of Roaring bitmaps as
# its specification has it, written without CRoaring.

package RoaringSets;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(portable32 portable64 made_up_sets);

# The bytes of ascending values below 2^32: containers of runs where they are the shortest, or no runs.
sub portable32
{
    my ($with_runs, @values) = @_;
    my (%lows, @keys);
    for my $value (@values)
    {
        my $key = $value >> 16;
        push @keys, $key if !$lows{$key};
        push @{ $lows{$key} }, $value & 0xffff;
    }
    my ($is_run, $header, @containers) = ("\0" x ((@keys + 7) >> 3), '');
    for my $i (0 .. $#keys)
    {
        my @low = @{ $lows{ $keys[$i] } };
        my $plain = @low <= 4096 ? 2 * @low : 8192;
        my @runs = $with_runs ? runs_of(@low) : ();
        $header .= pack 'vv', $keys[$i], $#low;
        if (@runs && 2 + 2 * @runs < $plain)
        {
            vec($is_run, $i, 1) = 1;
            push @containers, pack 'v*', @runs / 2, @runs;
        }
        elsif (@low <= 4096)
        {
            push @containers, pack 'v*', @low;
        }
        else
        {
            push @containers, "\0" x 8192;
            vec($containers[-1], $_, 1) = 1 for @low;
        }
    }
    my $has_runs = $is_run =~ /[^\0]/;
    my $bytes =
      ($has_runs ? pack('vv', 12347, $#keys) . $is_run : pack('VV', 12346, scalar @keys)) . $header;
    if (!$has_runs || @keys >= 4)
    {
        my $offset = length($bytes) + 4 * @keys;
        for my $container (@containers)
        {
            $bytes .= pack 'V', $offset;
            $offset += length $container;
        }
    }
    return join '', $bytes, @containers;
}

# First value and length - 1 of each run.
sub runs_of
{
    my @runs;
    for my $low (@_)
    {
        if (@runs && $runs[-2] + $runs[-1] + 1 == $low) { $runs[-1]++ }
        else                                            { push @runs, $low, 0 }
    }
    return @runs;
}

# The same of 64 bits: ascending lower halves by the upper half.
sub portable64
{
    my %lows = @_;
    my @highs = sort { $a <=> $b } keys %lows;
    return join '', pack('Q<', scalar @highs),
      map { (pack('V', $_), portable32(1, @{ $lows{$_} })) } @highs;
}

# A hundred sets and one, each [ORIGIN, VALUES...], ascending: rows of a sorted table, which come in clusters
# with gaps; rows of an unsorted one; and a large one. Many values are in several of them. The same on every
# machine.
sub made_up_sets
{
    my $state = 42;
    my $random = sub {
        my ($below) = @_;
        $state = ($state * 1103515245 + 12345) & 0x7fffffff;
        return ($state >> 8) % $below;
    };
    my @sets;
    for my $i (0 .. 19)
    {
        my ($at, @values) = (0);
        while (@values < 3000 + 700 * $i)
        {
            my $first = $at + 1 + $random->(20000);
            $at = $first + $random->(400);
            push @values, grep { $random->(50) } $first .. $at;
        }
        push @sets, [ 'sorted', @values ];
    }
    for my $size ((map { 3 * $_ } 1 .. 80), 40000)
    {
        my $rows = $size < 40000 ? 1 << (17 + $size % 5) : 1 << 22;
        my %values = map { $random->($rows) => 1 } 1 .. $size;
        push @sets, [ 'unsorted', sort { $a <=> $b } keys %values ];
    }
    return @sets;
}

1;
