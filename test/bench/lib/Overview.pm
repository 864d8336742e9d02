# Overview - doc/overview.svg, the picture of the README: the rows of a day, the values of its hours and that of
# the day as squares whose areas are their bytes, and bars for the time and memory that its users and p99 take.
#
#   Overview::draw($directory)      the SVG, from overview.md, hll.md and tdigest.md of a directory

package Overview;

use strict;
use warnings;
use utf8;

use Pictures;
use Plot;

use constant { ROWS => 10_000_000, BYTES_OF_A_ROW => 16, HOURS => 24 };

# The squares: where they stand, and the side of that of the rows. The bars: where they begin, and how long they get.
use constant { TOP => 84, SIDE => 150, SECOND => 290, THIRD => 580, BAR => 104, LONGEST => 560 };

my $QUESTION = 'Distinct items and 99th percentile of a day, from 24 stored hours';

sub draw
{
    my ($directory) = @_;
    my $row = sub {
        my ($page, $job, $measure) = @_;
        my ($last, @found) = ('');
        for my $row ((Pictures::rows(Pictures::slurp("$directory/$page.md")))[ 1 .. 100 ])
        {
            last if !$row;
            $last = $row->{Job} if $row->{Job} ne '';
            push @found, $row if $last eq $job && $row->{Measure} eq $measure;
        }
        @found == 1 or die "$page.md: no $measure of '$job'\n";
        return $found[0];
    };
    my ($time, $memory) = map { $row->('overview', $QUESTION, $_) } qw(time memory);
    my $users = Pictures::value($row->('hll', 'A sketch of 1,000,000 distinct items', 'bytes')->{sketches});
    my $latency = Pictures::value($row->('tdigest', 'A digest of 1,000,000 values', 'bytes')->{sketches});

    my ($fast, $slow) = map { duration($time->{$_}) } qw(sketches Reference);
    my $title = "The users and the p99 of a day: $fast->{text} from stored hours, $slow->{text} from the rows";
    my $value = $users + $latency;
    my $pixels = SIDE**2 / (ROWS * BYTES_OF_A_ROW);
    my $out = Plot::text_at(24, 34, $title, class => 'title');
    $out .= square(24, SIDE, 'c2', '10,000,000 rows', sprintf('%.0f MB', ROWS * BYTES_OF_A_ROW / 1e6));
    $out .= square(SECOND, sqrt(HOURS * $value * $pixels), 'c0', '24 stored hours', sprintf('%.0f kB', HOURS * $value / 1e3),
        sprintf('%.1f kB an hour: who came', $users / 1e3), sprintf('%.1f kB an hour: how slow it was', $latency / 1e3));
    $out .= square(THIRD, sqrt($value * $pixels), 'c0', 'any day, week or month', sprintf('%.1f kB', $value / 1e3),
        'distinct users, ±0.84%: nobody twice', 'any percentile: p99 ± 0.002%');
    $out .= arrow($_ - 76, TOP + 6) for SECOND, THIRD;
    $out .= Plot::text_at(SECOND, TOP + SIDE, 'Areas and bars are drawn to scale. A row: an id and a latency, 16 bytes.',
        class => 'soft');
    my $y = TOP + SIDE + 36;
    $out .= bars($y, 'time', [ $slow->{ms}, "$slow->{text} from the rows" ], [ $fast->{ms}, "$fast->{text} from the stored hours" ]);
    my @memory = map { [ Pictures::value($_), sprintf '%.0f MB', Pictures::value($_) ] } @$memory{qw(Reference sketches)};
    $out .= bars($y + 64, 'memory', [ $memory[0][0], "$memory[0][1] from the rows" ],
        [ $memory[1][0], "$memory[1][1] from the stored hours" ]);
    return Plot::document($y + 128, $title, $out);
}

# "5.02 s, 10.8 C (9.69–11.7): two queries of the rows"
sub duration
{
    my ($cell) = @_;
    my ($number, $unit) = $cell =~ /([\d.,]+) (m?s)\b/ or die "no time: $cell\n";
    return { ms => $unit eq 's' ? 1000 * $number : $number, text => "$number $unit" };
}

sub square
{
    my ($x, $side, $colour, $head, @lines) = @_;
    my $out = Plot::text_at($x, 68, $head, class => 'panel') . Plot::box("$colour dots", $x, TOP, $side, $side);
    return $out . Plot::text_at($x + 8, TOP + 20, $lines[0], class => 'panel') if @lines == 1;
    $out .= Plot::ring($x + $side / 2, TOP + $side / 2);
    return $out . join '', map { Plot::text_at($x, TOP + 32 + 20 * $_, $lines[$_], class => $_ ? 'soft' : '') } 0 .. $#lines;
}

sub arrow
{
    my ($x, $y) = @_;
    return Plot::line_at('axis', $x, $y, $x + 40, $y) . Plot::line_at('axis', $x + 34, $y - 5, $x + 40, $y)
      . Plot::line_at('axis', $x + 34, $y + 5, $x + 40, $y);
}

# A bar for the rows and one for the hours, a pixel wide at least: the label says what it would be.
sub bars
{
    my ($y, $name, @bars) = @_;
    my $longest = $bars[0][0];
    my $out = Plot::text_at(24, $y + 13, $name, class => 'panel');
    for my $i (0, 1)
    {
        my ($size, $label) = @{ $bars[$i] };
        my $width = LONGEST * $size / $longest;
        $label .= sprintf ': to scale, %.2f of a pixel', $width if $width < 1;
        $out .= Plot::box($i ? 'c0 dots' : 'c2 dots', BAR, $y, $width < 1 ? 1 : $width, 16);
        $out .= Plot::text_at(BAR + $width + 8, $y + 13, $label, class => 'soft');
        $y += 24;
    }
    return $out;
}

1;
