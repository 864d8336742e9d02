# Plot - SVG drawings of bars and lines, from nothing but Perl.
#
#   Plot::bars(title => ..., unit => what the axes count, logarithmic => 1 or not,
#              series => [ [ key, name ] in order ],
#              panels => [ { title, groups => [ { label, bars => [ { series, value, text } ] } ] } ])
#       Horizontal bars below the label of their group, a panel over an axis of its own that starts
#       at zero. Where the axis is logarithmic there are dots in place of bars.
#
#   Plot::lines(title => ...,
#               x => { label, from, to, ticks => [ [value, text] ] }, y => { the same },
#               series => [ { name, style => 'line' | 'dots', colour => key, points => [ [x, y] ] } ])
#       Points over a logarithmic x axis and a linear y axis. A series whose name is empty is not in
#       the legend.
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
use constant { LEFT => 76, RIGHT => 24, TOP => 92, BOTTOM => 58, AREA => 330 };

# Bar plots: the room right of the bars for their figures, and the heights of things.
use constant { VALUE => 290, BAR => 14, GAP => 3, NAME => 18, GROUP => 12, PANEL => 30, AXIS => 46 };

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
  .bar, .dots { stroke: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .soft { fill: #9da7b1; }
    .paper { fill: #0d1117; stroke: #30363d; }
    .grid { stroke: #21262d; }
    .axis { stroke: #6e7681; }
    .mark { stroke: #6e7681; }
    .c0 { fill: #58a6ff; stroke: #58a6ff; }
    .c1 { fill: #f0883e; stroke: #f0883e; }
    .c2 { fill: #6e7681; stroke: #6e7681; }
    .c3 { fill: #a475f9; stroke: #a475f9; }
    .line { fill: none; }
    .bar, .dots { stroke: none; }
  }
CSS

sub bars
{
    my (%plot) = @_;
    my $y = 34;
    my $out = text_at(MARGIN, $y, $plot{title}, class => 'title');
    $y += 26;
    my $kind = $plot{logarithmic} ? 'dots' : 'bar';
    $out .= legend(MARGIN, $y, map { [ $_->[1], "$COLOUR{$_->[0]} $kind" ] } @{ $plot{series} });
    for my $panel (@{ $plot{panels} })
    {
        $y += PANEL;
        $out .= text_at(MARGIN, $y, $panel->{title}, class => 'panel') if $panel->{title} ne '';
        my ($content, $height) = panel($panel, $y + 10, $plot{logarithmic}, $plot{unit});
        $out .= $content;
        $y += 10 + $height;
    }
    return document($y + 12, $plot{title}, $out);
}

# A panel's groups and its axis, which goes behind them; and its height.
sub panel
{
    my ($panel, $top, $logarithmic, $unit) = @_;
    my $room = WIDTH - 2 * MARGIN - VALUE;
    my @values = map { $_->{value} } map { @{ $_->{bars} } } @{ $panel->{groups} };
    my @ticks = $logarithmic ? decades(@values) : ticks(max(@values));
    my ($low, $high) = @ticks[ 0, -1 ];
    my $width = sub {
        return $room * ($logarithmic ? log($_[0] / $low) / log($high / $low) : $_[0] / $high);
    };
    my ($bars, $y) = ('', $top);
    for my $group (@{ $panel->{groups} })
    {
        $bars .= text_at(MARGIN, $y + 13, $group->{label});
        $y += NAME;
        for my $bar (@{ $group->{bars} })
        {
            my $length = max(1, $width->($bar->{value}));
            $bars .= $logarithmic
              ? circle("$COLOUR{$bar->{series}} dots", MARGIN + $length, $y + BAR / 2)
              : box("$COLOUR{$bar->{series}} bar", MARGIN, $y, $length, BAR);
            $bars .= text_at(MARGIN + $length + 8, $y + 11.5, $bar->{text}, class => 'small');
            $y += BAR + GAP;
        }
        $y += GROUP - GAP;
    }
    my $axis = line_at('axis', MARGIN, $y, MARGIN + $room, $y);
    for my $tick (@ticks)
    {
        my $x = MARGIN + $width->($tick);
        $axis .= line_at('axis', $x, $y, $x, $y + 5);
        $axis .= text_at($x, $y + 20, with_commas($tick), class => 'soft small',
            anchor => $tick == $low ? 'start' : 'middle');
    }
    $axis .= text_at(MARGIN + $room / 2, $y + 38, $unit, class => 'soft small', anchor => 'middle');
    return ($axis . $bars, $y + AXIS - $top);
}

# Zero and four or five round numbers up to the first that is not below the greatest value.
sub ticks
{
    my ($greatest) = @_;
    my $power = 10**POSIX::floor(log($greatest / 4) / log(10));
    my ($step) = grep { $greatest / $_ <= 5 } map { $_ * $power } 1, 2, 2.5, 5, 10;
    return map { $_ * $step } 0 .. POSIX::ceil($greatest / $step - 1e-9);
}

sub decades
{
    my (@values) = @_;
    my $first = POSIX::floor(log(min(@values)) / log(10));
    my $last = POSIX::ceil(log(max(@values)) / log(10));
    return map { 10**$_ } $first .. max($last, $first + 1);
}

sub with_commas
{
    my ($number) = @_;
    my $text = sprintf '%.10g', $number;
    1 while $text =~ s/^(\d+)(\d{3})/$1,$2/;
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
    $out .= legend(MARGIN, 60,
        map { [ $_->{name}, "$COLOUR{$_->{colour}} " . ($_->{style} eq 'line' ? 'line' : 'dots') ] }
          grep { $_->{name} ne '' } @{ $plot{series} });
    $out .= text_at(MARGIN, TOP - 10, $plot{y}{label}, class => 'soft');
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
    return circle($class, $x + 7, $y) if $class =~ /dots$/;
    return box($class, $x, $y - 6, 12, 12);
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

sub box
{
    my ($class, @place) = @_;
    return sprintf qq{<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>\n}, $class,
      @place;
}

sub circle
{
    my ($class, $x, $y) = @_;
    return sprintf qq{<circle class="%s" cx="%.1f" cy="%.1f" r="3.5"/>\n}, $class, $x, $y;
}

sub escape
{
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;');
    return $text =~ s/([&<>"])/$entity{$1}/gr;
}

sub document
{
    my ($height, $title, $content) = @_;
    my $width = WIDTH;
    $height = POSIX::ceil($height);
    my ($inner_width, $inner_height) = ($width - 1, $height - 1);
    $title = escape($title);
    return <<"SVG";
<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height"
     viewBox="0 0 $width $height" role="img">
<title>$title</title>
<style>
$STYLE</style>
<rect class="paper" x="0.5" y="0.5" width="$inner_width" height="$inner_height" rx="6"/>
$content</svg>
SVG
}

1;
