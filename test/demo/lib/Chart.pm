# Chart - answers of psql, numbers, times and SVG drawings for report and pictures, from nothing but Perl.
#
#   ask(5, $sql)                  what psql says to statements, and how long they take
#   commas, short, size, ms, ratio, percent, plural     numbers as they are printed; size and ms with a unit
#   epoch, clock, date, period                          times of psql, and as they are printed
#   text, rect, path, hline, columns, points                     elements, from coordinates, a class and a text
#   ticks, time_axis, apart, level                      scales, labels that do not overlap, shades
#   figure($id, $title, $description, $draw)            a drawing for screens and one for phones; $draw makes, of a
#                                                       width, the height and the content
#
# Colours and fonts are classes, so the page or the file that holds the drawing says what they are.

package Chart;

use strict;
use warnings;
use utf8;

use Exporter qw(import);
use POSIX qw(floor ceil);
use List::Util qw(max min sum0);
use Time::Local qw(timegm);

use Plot;    # test/bench/lib: what both draw with

use constant { WIDE => 744, NARROW => 358, LEVELS => 5 };

our @EXPORT = qw(ask slurp commas short size ms ratio percent plural escape cut epoch clock date period
  text rect path points hline
  columns ticks apart time_axis figure level draw_running draw_heat draw_pages draw_cohorts draw_bars draw_change);

my @MONTH = qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec);

# ---- psql ----------------------------------------------------------------------------------------

# Runs statements in one session, and all of them that many times: a result for each of the last run, with its names,
# its rows and the least milliseconds that it took.
sub ask
{
    my ($runs, @sql) = @_;
    local @ENV{qw(PGOPTIONS PGCLIENTENCODING LC_ALL)} = ('-c client_min_messages=warning -c datestyle=ISO', 'UTF8', 'C');
    open my $psql, '-|', 'psql', qw(-XAq -v ON_ERROR_STOP=1 -P footer=off -F), "\t", '-c', '\timing on',
      map { (-c => $_) } (@sql) x $runs or die "psql: $!\n";
    my @parts = split /^Time: ([\d.]+) ms.*\n/m, do { local $/ = undef; <$psql> };
    close $psql or die "report: psql failed\n";
    my @result;
    for my $i (0 .. $#parts / 2)
    {
        my ($names, @rows) = map { [ split /\t/, $_, -1 ] } $parts[ 2 * $i ] =~ /^(.*)\n/gm;
        my $last = $result[ $i % @sql ];
        $result[ $i % @sql ] = { sql => $sql[ $i % @sql ], names => $names, rows => \@rows,
            ms => min($parts[ 2 * $i + 1 ], $last ? $last->{ms} : ()) };
    }
    return wantarray ? @result : $result[0];
}

sub slurp
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar <$file>;
}

# ---- numbers and times ---------------------------------------------------------------------------

sub commas { return Plot::with_commas(sprintf '%.0f', $_[0] || 0) }

# Three digits at most: 0.72, 7.2, 72, 720, 7,200.
sub short { my ($n) = @_; return $n >= 9.95 || $n == int $n ? commas($n) : sprintf $n >= 0.995 ? '%.1f' : '%.2f', $n }

sub size
{
    my $n = $_[0] || 0;
    for my $unit (qw(B kB MB GB))
    {
        return short($n) . "\x{a0}$unit" if $n < 999.5 || $unit eq 'GB';
        $n /= 1000;
    }
}

sub ms { my ($n) = @_; return $n < 999.5 ? short($n) . "\x{a0}ms" : short($n / 1000) . "\x{a0}s" }
sub ratio { my ($a, $b) = @_; return sprintf '%s times', short($a / max($b, 1e-9)) }
sub percent { my ($n) = @_; return ($n > 0 && $n < 0.005 ? '<1' : commas(100 * $n)) . '%' }
sub plural { my ($n, $what) = @_; return commas($n) . " $what" . ($n == 1 ? '' : 's') }
sub escape { return Plot::escape($_[0]) }
sub cut { my ($text, $n) = @_; return length $text <= $n ? $text : '…' . substr $text, 1 - $n }

sub epoch { my ($y, $m, $d, $h, $min) = $_[0] =~ /\d+/g; return timegm(0, $min // 0, $h // 0, $d, $m - 1, $y) }
sub clock { return sprintf '%02d:%02d', (gmtime $_[0])[ 2, 1 ] }
sub date { my ($d, $m) = (gmtime $_[0])[ 3, 4 ]; return "$d\x{a0}$MONTH[$m]" }
sub month { my ($m, $y) = (gmtime $_[0])[ 4, 5 ]; return "$MONTH[$m]\x{a0}" . (1900 + $y) }
sub period { my ($at, $step) = @_; return $step < 86400 ? clock($at) : date($at) }

# The shade of a share: 0 of nothing, and one more for each bound that it reaches.
sub level { my ($share, @bounds) = @_; return $share <= 0 ? 0 : 1 + grep { $share >= $_ } @bounds }

# ---- SVG: what all charts are made of ------------------------------------------------------------

# A coordinate: one digit after the point, if any.
sub at { return sprintf('%.1f', $_[0]) =~ s/\.0$//r }

sub text
{
    my ($x, $y, $text, $class, $anchor) = @_;
    $anchor = $anchor ? qq{ text-anchor="$anchor"} : '';
    return sprintf qq{<text x="%s" y="%s" class="%s"%s>%s</text>\n}, at($x), at($y), $class // '', $anchor, escape($text);
}

sub rect
{
    my ($class, $x, $y, $w, $h, $title) = @_;
    my $inside = defined $title ? '><title>' . escape($title) . '</title></rect>' : '/>';
    return sprintf qq{<rect class="%s" x="%s" y="%s" width="%s" height="%s"%s\n}, $class, map({ at($_) } $x, $y, $w, $h), $inside;
}

sub path { my ($class, $d) = @_; return qq{<path class="$class" d="} . ($d =~ s/\.0(?!\d)//gr) . qq{"/>\n} }
sub points { return join ' ', map { sprintf '%.1f,%.1f', @$_ } @_ }
# Columns as one path: of each the foot's left end, the width and the height, which is below 0 for one that hangs.
sub columns
{
    my ($class, @box) = @_;
    return path($class, join '', map { sprintf 'M%.1f %.1fv%.1fh%.1fV%.1fz', @$_[ 0, 1 ], -$_->[3], @$_[ 2, 1 ] } @box);
}

sub hline { my ($class, $x, $y, $w) = @_; return path($class, sprintf 'M%.1f %.1fh%.1f', $x, $y, $w) }

# Round numbers from 0 to the greatest, about n of them.
sub ticks
{
    my ($greatest, $n) = @_;
    my $step = 10**floor(log(max($greatest, 1) / $n) / log(10));
    ($step) = grep { $greatest / $_ <= $n } map { $_ * $step } 1, 2, 5, 10;
    $step = max($step, 1);
    return map { $_ * $step } 0 .. floor($greatest / $step);
}

# Moves labels apart that would overlap: positions in, positions out, in the same order.
sub apart
{
    my ($gap, @y) = @_;
    my @order = sort { $y[$a] <=> $y[$b] } 0 .. $#y;
    $y[ $order[$_] ] = max($y[ $order[$_] ], $y[ $order[ $_ - 1 ] ] + $gap) for 1 .. $#order;
    return @y;
}

# A scale of times, and the axis that it has at y: hours of a day, or days where there are more than two.
sub time_axis
{
    my ($first, $last, $step, $left, $right, $y) = @_;
    my $span = $last + $step - $first;
    my $x_of = sub { $left + ($right - $left) * ($_[0] - $first) / $span };
    my @units = $span <= 36 * 3600 ? map { 3600 * $_ } 1, 2, 3, 6, 12 : map { 86400 * $_ } 1, 2, 7, 14, 28, 91, 364;
    my $years = $span >= 400 * 86400;
    my ($unit) = grep { $_ >= $step && ($right - $left) * $_ / $span >= ($years ? 76 : 52) } @units, map { 728 * 86400 * $_ } 1, 2, 4, 8, 16, 64;
    my $out = hline('axis', $left, $y, $right - $left);
    my $offset = $unit >= 604800 ? 4 * 86400 : 0;     # weeks begin on Monday
    for (my $at = $unit * ceil(($first - $offset) / $unit) + $offset; $at < $last + $step; $at += $unit)
    {
        my $x = $x_of->($at);
        $out .= path('axis', sprintf 'M%.1f %.1fv5', $x, $y);
        my $label = $unit < 86400 ? clock($at) : $years ? month($at) : date($at);
        $out .= text($x + 3, $y + 16, $label, 's') if $x + 3 + 7 * length $label < $right + 4;
    }
    return ($x_of, $out);
}

# One drawing for screens, one for phones: of each the height and content, from a width.
sub figure
{
    my ($id, $title, $description, $draw) = @_;
    my $out = '';
    for my $size ([ wide => WIDE ], [ narrow => NARROW ])
    {
        my ($class, $width) = @$size;
        my ($height, $content) = $draw->($width);
        $height = ceil($height);
        $out .= qq{<svg class="$class" viewBox="0 0 $width $height" role="img" aria-labelledby="$id-$class-t $id-$class-d">\n}
          . qq{<title id="$id-$class-t">} . escape($title) . qq{</title><desc id="$id-$class-d">} . escape($description)
          . "</desc>\n$content</svg>\n";
    }
    return $out;
}

# ---- the charts ----------------------------------------------------------------------------------

# Within each day, the distinct visitors so far over the sum of its hours so far; below, the visitors of each hour.
sub draw_running
{
    my ($width, $step, $part, @rows) = @_;
    my @at = map { epoch($_->[0]) } @rows;
    my ($left, $top, $high, $low, $gap) = (44, 26, $width > 500 ? 230 : 190, 56, 40);
    my $one_day = $rows[0][1] eq $rows[-1][1];
    my $right = $width - ($one_day ? 108 : 4);
    my ($floor, $bottom) = ($top + $high, $top + $high + $gap + $low);
    my ($x_of, $out) = time_axis($at[0], $at[-1], $step, $left, $right, $bottom);
    my $greatest = max(map { $_->[3] } @rows);
    my $y_of = sub { $floor - $high * $_[0] / $greatest };
    for my $tick (ticks($greatest, 5))
    {
        $out .= hline($tick ? 'grid' : 'axis', $left, $y_of->($tick), $right - $left);
        $out .= text($left - 6, $y_of->($tick) + 4, commas($tick), 's', 'end');
    }
    for my $day (do { my %seen; grep { !$seen{$_}++ } map { $_->[1] } @rows })
    {
        my @of_day = grep { $rows[$_][1] eq $day } 0 .. $#rows;
        my ($sum, $union) = @{ $rows[ $of_day[-1] ] }[ 3, 4 ];
        my ($start, $end) = map { $x_of->($_) } $at[ $of_day[0] ], $at[ $of_day[-1] ] + $step;
        for my $series ([ 3, 'grey' ], [ 4, 'blue' ])
        {
            my ($column, $class) = @$series;
            my $d = sprintf 'M%.1f %.1f', $start, $floor;
            $d .= sprintf 'H%.1fV%.1f', $x_of->($at[$_]), $y_of->($rows[$_][$column]) for @of_day;
            $out .= path($class, $d . sprintf 'H%.1fV%.1fZ', $end, $floor);
        }
        if ($one_day)
        {
            my @y = reverse apart(34, $y_of->($sum) + 12, $y_of->($union) + 12);
            @y = reverse @y if $y[0] > $y[1];
            $out .= text($end + 8, $y[0], commas($sum), 'soft big') . text($end + 8, $y[0] + 15, "${part}s added up", 's');
            $out .= text($end + 8, $y[1], commas($union), 'b big') . text($end + 8, $y[1] + 15, 'visitors', 's');
            next;
        }
        next if $end - $start < 8 * length commas($sum);
        $out .= text($end - 2, $y_of->($sum) - 5, commas($sum), 'soft', 'end');
        my ($inside) = map { $rows[$_][4] } grep { $x_of->($at[$_] + $step) > $end - 40 } @of_day;
        my $y = $y_of->($inside) + 15;
        $out .= text($end - 4, $y, commas($union), 'on', 'end') if $end - $start > 40 && $floor - $y > 4;
    }
    my $most = max(map { $_->[2] } @rows);
    my $bar = ($right - $left) * $step / ($at[-1] + $step - $at[0]);
    my $thick = max($bar - ($bar > 5 ? 1.5 : 0.3), 0.5);
    $out .= columns('blue', map { [ $x_of->($at[$_]), $bottom, $thick, $low * $rows[$_][2] / $most ] } 0 .. $#rows);
    my ($peak) = grep { $rows[$_][2] == $most } 0 .. $#rows;
    my $middle = $x_of->($at[$peak]) + $bar / 2;
    $out .= text($middle, $bottom - $low - 5, commas($most), 'b', $middle > $right - 20 ? 'end' : 'middle');
    my @place = $middle < ($left + $right) / 2 ? ($right, 'end') : ($left, '');
    $out .= text($place[0], $bottom - $low - 5, ($width > 500 || !$one_day ? 'visitors of' : '') . " each $part", 's', $place[1]);
    return ($bottom + 22, $out);
}

# How the values of each period are spread, as a column of shades, under the lines of three percentiles. %how: cells, a
# period and its counts by powers of two each; low and high, the first and last power; by, the step between two; label.
sub draw_heat
{
    my ($width, $step, $how, @rows) = @_;
    my @at = map { epoch($_->[0]) } @rows;
    my ($left, $right, $top, $floor) = (54, $width - 78, 24, $width > 500 ? 330 : 290);
    my ($x_of, $out) = time_axis($at[0], $at[-1], $step, $left, $right, $floor);
    my ($low, $high, $by, $label) = @$how{qw(low high by label)};
    my $octave = ($floor - $top) / ($high - $low);
    my $row = $octave * $by;
    my $y_of = sub { my $log = log(max($_[0] || 0, 2**$low)) / log(2); $floor - $octave * (min($log, $high) - $low) };
    my @level = map { '' } 0 .. LEVELS;
    for my $cell (@{ $how->{cells} })
    {
        my @count = split / /, $cell->[1];
        my $all = sum0(@count) || 1;
        my @shade = map { level($_ / $all, map { $by * $_ } 0.02, 0.06, 0.16, 0.32) } @count;
        for (my $k = 0; $k < @shade;)
        {
            my ($begin, $shade) = ($k, $shade[$k]);
            $k++ while $k < @shade && $shade[$k] == $shade;
            $level[$shade] .= sprintf 'M%.0f %dh1v%dh-1z', (epoch($cell->[0]) - $at[0]) / $step, $begin, $k - $begin;
        }
    }
    # A column and a row of cells are 1 wide and high, so that paths stay short.
    $out .= sprintf qq{<g shape-rendering="crispEdges" transform="matrix(%.4f 0 0 %.4f %s %s)">\n},
      $x_of->($at[0] + $step) - $x_of->($at[0]), -$row, at($left), at($floor);
    $out .= path("h$_", $level[$_]) for grep { $level[$_] } 1 .. LEVELS;
    $out .= "</g>\n" . text($left - 8, $floor - $row / 2 + 4, '<' . $label->(2**($low + $by)), 's', 'end');
    for my $value (map { 10**$_ } 1 .. 9)
    {
        next if $value < 2**($low + 1) || $value > 2**$high;
        $out .= hline('tick', $left - 4, $y_of->($value), 4) . text($left - 8, $y_of->($value) + 4, $label->($value), 's', 'end');
    }
    # The last of each that there is: a percentile of few values is not drawn.
    my @last = map { my $series = $_; (grep { $_ ne '' } map { $_->[$series] } reverse @rows)[0] } 1 .. 3;
    my @place = apart(30, map { $y_of->($_ // 2**$high) } @last);
    for my $series (1 .. 3)
    {
        my (@runs, $before);
        for my $i (grep { $rows[$_][$series] ne '' } 0 .. $#rows)
        {
            push @runs, [] if !defined $before || $at[$i] - $before > $step;
            push @{ $runs[-1] }, [ $x_of->($at[$i] + $step / 2), $y_of->($rows[$i][$series]) ];
            $before = $at[$i];
        }
        # One alone is a dash, as long as its period.
        my $half = ($x_of->($at[0] + $step) - $x_of->($at[0])) / 2;
        my $d = join '', map { my ($x, $y) = @{ $_->[0] }; 'M' . points(@$_ == 1 ? ([ $x - $half, $y ], [ $x + $half, $y ]) : @$_) } @runs;
        my $thin = @rows > 60 ? ' thin' : '';
        next if !@runs;
        $out .= path("casing$thin", $d) . path("line$thin", $d);
        $out .= text($right + 8, $place[ $series - 1 ], (qw(p50 p90 p99))[ $series - 1 ], 'n');
        $out .= text($right + 8, $place[ $series - 1 ] + 14, $label->($last[ $series - 1 ]), 's');
    }
    my $x = $left;
    for my $shade (1 .. LEVELS)
    {
        my ($begin, $end) = map { $by * $_ } (0, 2, 6, 16, 32)[ $shade - 1 ], (2, 6, 16, 32, 0)[ $shade - 1 ];
        my $name = $shade == 1 ? "<$end%" : $shade < LEVELS ? "$begin–$end%" : ">$begin%";
        $name .= ' of the requests of a column' if $shade == LEVELS && $width > 500;
        $out .= rect("h$shade key", $x, 3, 11, 11) . text($x + 15, 12, $name, 's');
        $x += 28 + 6.6 * length $name;
    }
    return ($floor + 22, $out);
}

# Two rankings side by side, or one above the other on a phone; lines lead from a page to itself.
sub draw_pages
{
    my ($width, @lists) = @_;
    my ($out, $y, $height) = ('', 0, 36);
    my $column = $width > 500 ? $width / 2 - 50 : $width;
    my @place;
    for my $n (0, 1)
    {
        my ($x, $title, $rows) = ($width > 500 ? $n * ($column + 100) : 0, @{ $lists[$n] });
        $y = $n && $width <= 500 ? $y + 30 : 0;
        $out .= text($x, $y + 13, $title, 'n');
        my $greatest = max(1, map { $_->[3] } @$rows);
        for my $i (0 .. $#$rows)
        {
            my ($page, $lower, $value, $upper) = @{ $rows->[$i] };
            my $line = $y + 40 + $i * $height;
            my $number = $lower == $upper ? commas($value) : commas($lower) . '–' . commas($upper);
            my $scale = $column / $greatest;
            $out .= text($x, $line, cut($page, ($column - 9 * length $number) / 7.4 - 1), 'page');
            $out .= text($x + $column, $line, $number, 'num', 'end') . rect('track', $x, $line + 5, $column, 4, $page);
            $out .= rect('blue', $x, $line + 5, $lower * $scale, 4);
            $out .= rect('range', $x + $lower * $scale, $line + 5, ($upper - $lower) * $scale, 4) if $upper > $lower;
            $place[$n]{$page} = $line - 4;
        }
        $y += 26 + @$rows * $height;
    }
    if ($width > 500)
    {
        $out .= path('link', sprintf 'M%.1f %.1fC%3$.1f %2$.1f %3$.1f %5$.1f %4$.1f %5$.1f', $column + 12, $place[0]{$_}, $width / 2,
            $column + 88, $place[1]{$_}) for grep { exists $place[1]{$_} } sort keys %{ $place[0] };
    }
    return ($y, $out);
}

# A row for those who came first in a period, a column for each period later: how many of them came again.
sub draw_cohorts
{
    my ($width, $step, $step_name, @rows) = @_;
    my @first = do { my %seen; grep { !$seen{$_}++ } map { $_->[0] } @rows };
    my ($left, $height) = $width > 500 ? (150, 26) : ($step < 86400 ? 84 : 98, 24);
    my $columns = max(1, map { $_->[1] } @rows);
    my $cell = min(76, ($width - $left) / $columns);
    my $wide = $cell > 34;
    my $out = text($left - 12, 28, 'new', 's', 'end') . text(0, 28, $width > 500 ? 'came first' : 'first', 's');
    $out .= text($left, 12, ($width > 500 ? '% of them' : '%') . " who came again so many ${step_name}s later", 's');
    $out .= text($left + $cell * ($_ - 0.5), 28, $_, 's', 'middle') for 1 .. $columns;
    for my $i (0 .. $#first)
    {
        my $y = 36 + $i * $height;
        my ($new) = map { $_->[3] } grep { $_->[0] eq $first[$i] && $_->[1] == 0 } @rows;
        $out .= text(0, $y + 17, period(epoch($first[$i]), $step), 's') . text($left - 12, $y + 17, commas($new), 'num', 'end');
        for my $row (grep { $_->[0] eq $first[$i] && $_->[1] > 0 } @rows)
        {
            my $share = $new ? $row->[3] / $new : 0;
            my $shade = level($share, 0.03, 0.08, 0.15, 0.3);
            my $x = $left + $cell * ($row->[1] - 1);
            my $share_text = percent($share) =~ s/%//r;
            # What is not exact says how far it may be off, where there is room.
            my $off = $new ? ($row->[4] - $row->[2]) / 2 / $new : 0;
            $share_text .= '±' . (percent($off) =~ s/%//r) if $off >= 0.005 && $cell > 50;
            $out .= rect("h$shade", $x, $y, $cell - 2, $height - 2, commas($row->[3]) . ' of ' . commas($new)
                  . ', between ' . commas($row->[2]) . ' and ' . commas($row->[4]));
            $out .= text($x + $cell / 2 - 1, $y + 16, $share_text, $shade > 3 ? 'on' : 'in', 'middle');
        }
    }
    return (36 + @first * $height, $out);
}

# Pairs of bars, drawn to scale, each with its label behind it or in it.
sub draw_bars
{
    my ($width, @groups) = @_;
    my ($y, $out) = (0, '');
    for my $group (@groups)
    {
        my ($title, @bars) = @$group;
        # As long as it can be with each label behind its bar, or in it.
        my $scale = ($width - ($width > 500 ? 220 : 0)) / max(1e-9, map { $_->[1] } @bars);
        my $fits = sub {
            my ($length, $text) = ($scale * $_->[1], 7 * length $_->[2]);
            return $length + $text + 8 < $width || $length > $text + 16;
        };
        $scale *= 0.97 while grep { !$fits->() } @bars;
        $out .= text(0, $y + 14, $title, 'n');
        for my $bar (@bars)
        {
            my ($class, $value, $label) = @$bar;
            my $length = max($value * $scale, 1);
            my $inside = $length + 7 * length($label) + 8 >= $width;
            $out .= rect($class, 0, $y + 22, $length, 18);
            $out .= $inside ? text($length - 8, $y + 35, $label, $class eq 'blue' ? 'on s' : 'in s', 'end')
              : text($length + 8, $y + 35, $label, 's');
            $y += 22;
        }
        $y += 38;
    }
    return ($y - 10, $out);
}

# What each hour gained or lost.
sub draw_change
{
    my ($width, $step, @rows) = @_;
    my @at = map { epoch($_->[0]) } @rows;
    my @columns = ([], []);
    my ($most, $least) = (max(1, map { $_->[1] } @rows), min(-1, map { $_->[1] } @rows));
    my ($left, $right, $top, $high) = (4, $width - 4, 22, 110);
    my ($x_of, $out) = time_axis($at[0], $at[-1], $step, $left, $right, $top + $high + 22);
    my $scale = $high / ($most - $least);
    my $zero = $top + $most * $scale;
    my $bar = $x_of->($at[0] + $step) - $x_of->($at[0]);
    my $labelled = 0;
    for my $i (grep { $rows[$_][1] } 0 .. $#rows)
    {
        my ($x, $n) = ($x_of->($at[$i]), $rows[$i][1]);
        my $height = max(abs($n) * $scale, 1.5);
        push @{ $columns[ $n > 0 ] }, [ $x, $zero, max($bar - 1.5, 1), $n > 0 ? $height : -$height ];
        next if $bar < 24 && ($n > 0 ? $n != $most : $n != $least || $labelled++);
        $out .= text($bar < 24 && $x < 20 ? $x : $x + $bar / 2, $n > 0 ? $zero - $height - 5 : $zero + $height + 14,
            ($n > 0 ? '+' : '−') . commas(abs $n), $n > 0 ? 'b' : 'o', $bar < 24 && $x < 20 ? '' : 'middle');
    }
    $out .= columns('orange', @{ $columns[0] }) . columns('blue', @{ $columns[1] });
    return ($top + $high + 44, $out . hline('axis', $left, $zero, $right - $left));
}

1;
