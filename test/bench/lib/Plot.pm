# Plot - SVG drawings of bars and lines, from nothing but Perl.
#
#   Plot::bars(title => ..., series => [keys in order], names => { key => name },
#              panels => [ { title, groups => [ { label, limit, bars => [ { series, value, text } ]
#              } ] } ])
#       Horizontal bars. The groups of a panel share an axis that starts at zero; `limit` draws
#       a line across the bars of one group.
#
#   Plot::lines(title => ...,
#               x => { label, from, to, ticks => [ [value, text] ] }, y => { the same },
#               marks => [ { at, text } ],
#               series => [ { name, style => 'line' | 'dots', colour => 0..2,
#                             points => [ [x, y] ] } ])
#       Points over a logarithmic x axis and a linear y axis. `marks` are vertical lines with a
#       word. A series whose name is empty is not in the legend.
#
# Both return the text of a complete SVG file. The colours are two sets: readers on a dark screen
# get the dark one where the viewer supports it, and the drawing brings its own background, so it
# is readable on any page. Functions of their arguments: same input, same bytes.

package Plot;

use strict;
use warnings;
use utf8;

use List::Util qw(max);
use POSIX ();

use constant WIDTH => 860;
use constant MARGIN => 24;

# Line plots: the room around the drawing area.
use constant { LEFT => 76, RIGHT => 24, TOP => 92, BOTTOM => 58, AREA => 330 };

# Bar plots.
use constant { LABEL => 300, VALUE => 210, BAR => 14, GAP => 3, GROUP => 14, PANEL => 40 };

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
  .limit { stroke: #24292f; stroke-width: 2; }
  .mark { stroke: #8c959f; stroke-dasharray: 3 4; }
  .c0 { fill: #1f6feb; stroke: #1f6feb; }
  .c1 { fill: #d4772c; stroke: #d4772c; }
  .c2 { fill: #9aa4af; stroke: #9aa4af; }
  .line { fill: none; stroke-width: 2; }
  .bar, .dots { stroke: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .soft { fill: #9da7b1; }
    .paper { fill: #0d1117; stroke: #30363d; }
    .grid { stroke: #21262d; }
    .axis { stroke: #6e7681; }
    .limit { stroke: #e6edf3; }
    .mark { stroke: #6e7681; }
    .c0 { fill: #58a6ff; stroke: #58a6ff; }
    .c1 { fill: #f0883e; stroke: #f0883e; }
    .c2 { fill: #6e7681; stroke: #6e7681; }
    .line { fill: none; }
    .bar, .dots { stroke: none; }
  }
CSS

sub bars
{
    my (%plot) = @_;
    my %colour;
    $colour{ $plot{series}[$_] } = $_ for 0 .. $#{ $plot{series} };
    $colour{reference} = 2 if exists $colour{reference};

    my %used = map { $_->{series} => 1 } map { @{ $_->{bars} } } map { @{ $_->{groups} } }
      @{ $plot{panels} };
    my @legend = map { [ $plot{names}{$_}, "c$colour{$_} bar" ] } grep { $used{$_} }
      @{ $plot{series} };
    push @legend, [ 'limit', 'limit' ]
      if grep { defined $_->{limit} } map { @{ $_->{groups} } } @{ $plot{panels} };

    my $y = 34;
    my $out = text_at(MARGIN, $y, $plot{title}, class => 'title');
    $y += 26;
    $out .= legend(MARGIN, $y, @legend);
    $y += 14;
    for my $panel (@{ $plot{panels} })
    {
        $y += PANEL;
        $out .= text_at(MARGIN, $y - 12, $panel->{title}, class => 'panel');
        my @values = map { ($_->{limit} // 0, map { $_->{value} } @{ $_->{bars} }) }
          @{ $panel->{groups} };
        my $scale = (WIDTH - 2 * MARGIN - LABEL - VALUE) / (max(@values) || 1);
        for my $group (@{ $panel->{groups} })
        {
            my $height = @{ $group->{bars} } * (BAR + GAP) - GAP;
            $out .= text_at(MARGIN, $y + $height / 2 + 4.5, $group->{label});
            my $limit = defined $group->{limit} ? $group->{limit} * $scale : undef;
            my $at = $y;
            for my $bar (@{ $group->{bars} })
            {
                my $width = max(1, $bar->{value} * $scale);
                $out .= box("c$colour{$bar->{series}} bar", MARGIN + LABEL, $at, $width, BAR);
                my $start = MARGIN + LABEL + text_start($bar->{text}, $width, $limit);
                $out .= text_at($start, $at + 11.5, $bar->{text}, class => 'small');
                $at += BAR + GAP;
            }
            $out .= line_at('limit', MARGIN + LABEL + $limit, $y - 3, MARGIN + LABEL + $limit,
                $y + $height + 3)
              if defined $limit;
            $y += $height + GROUP;
        }
        $out .= line_at('axis', MARGIN + LABEL, $y - GROUP + 4, MARGIN + LABEL, $y - GROUP - 4 -
            panel_height($panel));
    }
    return document($y + 6, $plot{title}, $out);
}

# Where a bar's text starts: right of the bar, and of the limit's line where that would cross it.
sub text_start
{
    my ($text, $width, $limit) = @_;
    my $start = $width + 7;
    my $crossed = defined $limit && $limit > $width - 4 && $limit < $start + 7 * length $text;
    return $crossed ? $limit + 7 : $start;
}

sub panel_height
{
    my ($panel) = @_;
    my $height = -GROUP;
    $height += @{ $_->{bars} } * (BAR + GAP) - GAP + GROUP for @{ $panel->{groups} };
    return $height;
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
        map { [ $_->{name}, "c$_->{colour} " . ($_->{style} eq 'line' ? 'line' : 'dots') ] }
          grep { $_->{name} ne '' } @{ $plot{series} });
    $out .= text_at(LEFT - 52, TOP - 10, $plot{y}{label}, class => 'soft');
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
    for my $mark (@{ $plot{marks} // [] })
    {
        my $x = $x_of->($mark->{at});
        $out .= line_at('mark', $x, TOP, $x, $floor);
        $out .= text_at($x + 6, TOP + 14, $mark->{text}, class => 'soft small');
    }
    # Dots lie on lines, whatever the order of the legend.
    for my $series (sort { $b->{style} cmp $a->{style} } @{ $plot{series} })
    {
        my @at = map { [ $x_of->($_->[0]), $y_of->($_->[1]) ] } @{ $series->{points} };
        if ($series->{style} eq 'line')
        {
            $out .= sprintf qq{<polyline class="c%d line" points="%s"/>\n}, $series->{colour},
              join(' ', map { sprintf '%.1f,%.1f', @$_ } @at);
        }
        else
        {
            $out .= circle("c$series->{colour} dots", @$_) for @at;
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
        $x += 19 + 7.2 * length($name) + 22;
    }
    return $out;
}

sub sample
{
    my ($class, $x, $y) = @_;
    return line_at($class, $x + 6, $y - 7, $x + 6, $y + 6) if $class eq 'limit';
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
