# Plot - SVG drawings of dots and lines, from nothing but Perl.
#
#   Plot::dots(title => ..., unit => what the axes count, one => what a 1 means, if anything,
#              series => [ [ key, name ] in order ],
#              panels => [ { title, jobs => [ { label, dots => [ { series, value, low, high, text } ] } ] } ])
#       A row for each job: its label, a dot for each series with its range, and the figures. Each
#       panel has a logarithmic axis of its own, with a line at 1 if that means something.
#
#   Plot::lines(title => ...,
#               x => { label, from, to, ticks => [ [value, text] ] }, y => { the same },
#               series => [ { name, style => 'line' | 'dots', colour => key, points => [ [x, y] ],
#                             label => n } ])
#       Points over a logarithmic x axis and a linear y axis. The name of a series stands above its n-th
#       point and to the right of it, or to the left of it if n is -1; a series without a name has no label.
#
# The keys of series are their colours, the same in every picture: ours, peer, plain, other.
#
# Both return the text of a complete SVG file. The colours are two sets: readers on a dark screen
# get the dark one where the viewer supports it, and the drawing brings its own background, so it
# is readable on any page. Functions of their arguments: same input, same bytes.

package Plot;

use strict;
use warnings;
use utf8;

use List::Util qw(max min);
use POSIX ();

use constant WIDTH => 860;
use constant MARGIN => 24;

# Line plots: the room around the drawing area.
use constant { LEFT => 76, RIGHT => 36, TOP => 74, BOTTOM => 58, AREA => 330 };

# Dot plots: the space between columns, the heights of things, and between the dots of a row.
use constant { COLUMN => 18, ROW => 24, PANEL => 32, LANE => 7 };

# Lengths of a text of ordinary letters, a character each, in pixels, on the safe side.
use constant { LETTER => 7.2, SMALL => 6.8 };

my %COLOUR = (ours => 'c0', peer => 'c1', plain => 'c2', other => 'c3');

my $STYLE = <<'CSS';
  text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif;
         fill: #24292f; }
  .title { font-size: 16px; font-weight: 600; }
  .panel { font-weight: 600; }
  .soft { fill: #57606a; }
  .small { font-size: 12px; }
  .paper { fill: #ffffff; stroke: #d0d7de; }
  .grid { stroke: #d8dee4; }
  .axis { stroke: #8c959f; }
  .c0 { fill: #1f6feb; stroke: #1f6feb; }
  .c1 { fill: #d4772c; stroke: #d4772c; }
  .c2 { fill: #9aa4af; stroke: #9aa4af; }
  .c3 { fill: #8250df; stroke: #8250df; }
  .line { fill: none; stroke-width: 2; }
  .dots { stroke: none; }
  .range { stroke-width: 3; stroke-opacity: 0.4; }
  .one { stroke: #57606a; stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .soft { fill: #9da7b1; }
    .paper { fill: #0d1117; stroke: #30363d; }
    .grid { stroke: #21262d; }
    .axis { stroke: #6e7681; }
    .c0 { fill: #58a6ff; stroke: #58a6ff; }
    .c1 { fill: #f0883e; stroke: #f0883e; }
    .c2 { fill: #6e7681; stroke: #6e7681; }
    .c3 { fill: #a475f9; stroke: #a475f9; }
    .line { fill: none; }
    .dots { stroke: none; }
    .one { stroke: #9da7b1; }
  }
CSS

sub dots
{
    my (%plot) = @_;
    my @panels = @{ $plot{panels} };
    my @jobs = map { @{ $_->{jobs} } } @panels;
    my ($right, %column) = (WIDTH - MARGIN);
    for my $key (map { $_->[0] } reverse @{ $plot{series} })
    {
        my @texts = map { $_->{text} } grep { $_->{series} eq $key } map { @{ $_->{dots} } } @jobs;
        $column{$key} = $right;
        $right -= SMALL * max(map { length } @texts) + COLUMN;
    }
    my $left = MARGIN + SMALL * max(map { length $_->{label} } @jobs) + COLUMN;

    my $y = 34;
    my $out = text_at(MARGIN, $y, $plot{title}, class => 'title');
    $y += 26;
    $out .= legend(MARGIN, $y, map { [ $_->[1], "$COLOUR{$_->[0]} dots" ] } @{ $plot{series} });
    for my $panel (@panels)
    {
        $y += PANEL;
        $out .= text_at(MARGIN, $y, $panel->{title}, class => 'panel') if $panel->{title} ne '';
        $out .= circle("$COLOUR{$_} dots", $column{$_} - 5, $y - 4) for sort keys %column;
        my ($content, $height) = panel($panel, \%plot, $y + 8, $left, $right - COLUMN, \%column);
        $out .= $content;
        $y += 8 + $height;
    }
    $out .= text_at(($left + $right) / 2, $y + 14, $plot{unit}, class => 'soft small', anchor => 'middle');
    return document($y + 28, $plot{title}, $out);
}

# A panel's jobs over its axis from $left to $right, and its height.
sub panel
{
    my ($panel, $plot, $top, $left, $right, $column) = @_;
    my @all = map { @{ $_->{dots} } } @{ $panel->{jobs} };
    my $one = $plot->{one};
    my @ticks = ticks(map({ $_->{low} // $_->{value}, $_->{high} // $_->{value} } @all), defined $one ? 1 : ());
    my ($low, $high) = @ticks[ 0, -1 ];
    my $x_of = sub { $left + ($right - $left) * log($_[0] / $low) / log($high / $low) };
    my $floor = $top + ROW * @{ $panel->{jobs} };

    my ($grid, $jobs, $y) = ('', '', $top);
    for my $i (0 .. $#ticks)
    {
        my $tick = $ticks[$i];
        my $x = $x_of->($tick);
        my $is_one = defined $one && $tick == 1;
        $grid .= line_at($is_one ? 'one' : 'grid', $x, $top, $x, $floor);
        $grid .= text_at($x, $top - 4, $one, class => 'soft small', anchor => 'middle') if $is_one;
        $grid .= text_at($x, $floor + 16, with_commas($tick), class => 'soft small', anchor => 'middle')
          if @ticks <= 6 || $i % 2 == 0;
    }
    for my $job (@{ $panel->{jobs} })
    {
        my ($middle, $lane) = ($y + ROW / 2, -(@{ $job->{dots} } - 1) / 2);
        $jobs .= line_at('grid', MARGIN, $y, WIDTH - MARGIN, $y);
        $jobs .= text_at(MARGIN, $middle + 4, $job->{label}, class => 'small');
        for my $dot (@{ $job->{dots} })
        {
            my ($colour, $at) = ($COLOUR{ $dot->{series} }, $middle + LANE * $lane++);
            $jobs .= line_at("$colour range", $x_of->($dot->{low}), $at, $x_of->($dot->{high}), $at)
              if defined $dot->{low};
            $jobs .= circle("$colour dots", $x_of->($dot->{value}), $at);
            $jobs .= text_at($column->{ $dot->{series} }, $middle + 4, $dot->{text}, class => 'small',
                anchor => 'end');
        }
        $y += ROW;
    }
    return ($grid . $jobs . line_at('axis', $left, $floor, $right, $floor), $floor + 24 - $top);
}

# Round numbers from one that is not above the least value to one that is not below the greatest:
# 1, 2, 5, 10 and so on, or powers of ten where that would be too many.
sub ticks
{
    my ($least, $greatest) = (min(@_), max(@_));
    my @decades = POSIX::floor(log($least) / log(10)) .. POSIX::ceil(log($greatest) / log(10));
    my @round = map { my $power = $_; map { $_ * 10**$power } 1, 2, 5 } @decades;
    shift @round while $round[1] <= $least;
    pop @round while $round[-2] >= $greatest;
    return @round if @round <= 8;
    return map { 10**$_ } @decades;
}

sub with_commas
{
    my ($number) = @_;
    my $text = sprintf '%.15g', $number;
    1 while $text =~ s/^(-?\d+)(\d{3})/$1,$2/;
    return $text;
}

sub lines
{
    my (%plot) = @_;
    my ($x_low, $x_high) = @{ $plot{x} }{qw(from to)};
    my ($y_low, $y_high) = @{ $plot{y} }{qw(from to)};
    my $width = WIDTH - LEFT - RIGHT;
    my $x_of = sub { LEFT + $width * log($_[0] / $x_low) / log($x_high / $x_low) };
    my $y_of = sub { TOP + AREA * (1 - ($_[0] - $y_low) / ($y_high - $y_low)) };
    my $floor = TOP + AREA;

    my $out = text_at(MARGIN, 34, $plot{title}, class => 'title');
    $out .= text_at(MARGIN, TOP - 16, $plot{y}{label}, class => 'soft');
    for my $tick (@{ $plot{y}{ticks} })
    {
        my $y = $y_of->($tick->[0]);
        $out .= line_at($tick == $plot{y}{ticks}[0] ? 'axis' : 'grid', LEFT, $y, LEFT + $width, $y);
        $out .= text_at(LEFT - 8, $y + 4.5, $tick->[1], class => 'soft', anchor => 'end');
    }
    for my $tick (@{ $plot{x}{ticks} })
    {
        my $x = $x_of->($tick->[0]);
        $out .= line_at('axis', $x, $floor, $x, $floor + 5);
        $out .= text_at($x, $floor + 21, $tick->[1], class => 'soft', anchor => 'middle');
    }
    $out .= text_at(LEFT + $width / 2, $floor + 44, $plot{x}{label}, class => 'soft',
        anchor => 'middle');
    # Dots lie on lines, whatever the order of the legend.
    for my $series (sort { $b->{style} cmp $a->{style} } @{ $plot{series} })
    {
        my @at = map { [ $x_of->($_->[0]), $y_of->($_->[1]) ] } @{ $series->{points} };
        if ($series->{style} eq 'line')
        {
            $out .= sprintf qq{<polyline class="%s line" points="%s"/>\n}, $COLOUR{ $series->{colour} },
              join(' ', map { sprintf '%.1f,%.1f', @$_ } @at);
        }
        else
        {
            $out .= circle("$COLOUR{$series->{colour}} dots", @$_) for @at;
        }
        next if !defined $series->{name};
        my ($x, $y) = @{ $at[ $series->{label} ] };
        my @place = $series->{label} < 0 ? ($x, 'end') : ($x + 8, 'start');
        $out .= text_at($place[0], $y - 11, $series->{name}, class => 'panel', anchor => $place[1]);
    }
    return document($floor + BOTTOM, $plot{title}, $out);
}

# Names in a row, each behind a sample of how it is drawn.
sub legend
{
    my ($x, $y, @entries) = @_;
    my $out = '';
    for my $entry (@entries)
    {
        my ($name, $class) = @$entry;
        $out .= sample($class, $x, $y - 4);
        $out .= text_at($x + 19, $y, $name);
        $x += 19 + LETTER * length($name) + 22;
    }
    return $out;
}

sub sample
{
    my ($class, $x, $y) = @_;
    return line_at($class, $x, $y, $x + 14, $y) if $class =~ /line$/;
    return circle($class, $x + 7, $y);
}

sub text_at
{
    my ($x, $y, $text, %how) = @_;
    my $attributes = '';
    $attributes .= qq{ class="$how{class}"} if $how{class};
    $attributes .= qq{ text-anchor="$how{anchor}"} if $how{anchor};
    return sprintf qq{<text x="%.1f" y="%.1f"%s>%s</text>\n}, $x, $y, $attributes, escape($text);
}

sub line_at
{
    my ($class, @ends) = @_;
    return sprintf qq{<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>\n}, $class, @ends;
}

sub circle
{
    my ($class, $x, $y) = @_;
    return sprintf qq{<circle class="%s" cx="%.1f" cy="%.1f" r="3.5"/>\n}, $class, $x, $y;
}

# A circle around what is too small to be seen.
sub ring
{
    my ($x, $y) = @_;
    return sprintf qq{<circle class="axis line" cx="%.1f" cy="%.1f" r="9"/>\n}, $x, $y;
}

sub box
{
    my ($class, @box) = @_;
    return sprintf qq{<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>\n}, $class, @box;
}

sub escape
{
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;');
    return $text =~ s/([&<>"])/$entity{$1}/gr;
}

# The file: its own style, or another; with a description, if there is one.
sub document
{
    my ($height, $title, $content, %how) = @_;
    my $width = WIDTH;
    $height = POSIX::ceil($height);
    my ($inner_width, $inner_height) = ($width - 1, $height - 1);
    $title = escape($title);
    my $style = $how{style} // $STYLE;
    my $description = defined $how{description} ? '<desc>' . escape($how{description}) . "</desc>\n" : '';
    return <<"SVG";
<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height"
     viewBox="0 0 $width $height" role="img">
<title>$title</title>
$description<style>
$style</style>
<rect class="paper" x="0.5" y="0.5" width="$inner_width" height="$inner_height" rx="6"/>
$content</svg>
SVG
}

1;
