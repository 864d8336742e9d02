# Report - results as a table on the terminal and as Markdown. Pictures.pm draws from the latter.
#
# What it gets, from test/bench/run:
#   { type => 'hll', ours => 'sketches', peer => 'postgresql-hll', facts => [ sentences ],
#     rows => [ { title, reference_name, error, hidden,
#                 measures => [ { what, unit, ours, peer, reference, limit, met } ] } ] }
# ours, peer and reference are { median, low, high, ms } or undef; of a single number only median. A ratio of times
# has the median of the times themselves in ms.

package Report;

use strict;
use warnings;
use utf8;

use POSIX qw(floor);

# Three significant digits, two below 0.1, and whole numbers in full.
sub number
{
    my ($value) = @_;
    my $magnitude = abs $value;
    my $text =
        $magnitude >= 100 || $value == int $value ? sprintf('%.0f', $value)
      : $magnitude >= 10                          ? sprintf('%.1f', $value)
      : $magnitude >= 0.1                         ? sprintf('%.2f', $value)
      : sprintf('%.*f', 1 - floor(log($magnitude) / log(10)), $value);
    1 while $text =~ s/^(\d+)(\d{3})/$1,$2/;
    return $text;
}

sub cell
{
    my ($figure, $unit) = @_;
    return '' unless $figure;
    my $text = defined $figure->{ms} ? duration($figure->{ms}) . ', ' : '';
    $text .= number($figure->{median}) . suffix($unit);
    $text .= sprintf(' (%s–%s)', number($figure->{low}), number($figure->{high}))
      if defined $figure->{low};
    return $text;
}

# From 0.1 s on in seconds.
sub duration
{
    my ($ms) = @_;
    return $ms >= 100 ? number($ms / 1000) . ' s' : number($ms) . ' ms';
}

sub suffix
{
    my ($unit) = @_;
    return { C => ' C', MB => ' MB', bytes => ' B', x => '×', '%' => '%' }->{$unit};
}

sub limit_cell
{
    my ($measure) = @_;
    my $limit = $measure->{limit} or return '';
    my $sign = $limit->{op} eq '<=' ? '≤ ' : '≥ ';
    return $sign . number($limit->{value}) . suffix($measure->{unit});
}

sub met_cell
{
    my ($measure) = @_;
    return '' unless $measure->{limit};
    return !defined $measure->{met} ? 'not held' : $measure->{met} ? 'yes' : 'NO';
}

# The table as rows of cells, the heading first; with the limits and whether they are met if $judged.
# Without limits, what was not measured is left out, and what differs from the row above by its limit only, the ratio to
# the peer, which the two times show, and rows that are hidden from the page.
sub cells
{
    my ($result, $judged) = @_;
    my @table = ([ 'Job', 'Measure', $result->{ours}, $result->{peer} // (), 'Reference',
            $judged ? ('Limit', 'Met') : () ]);
    for my $row (grep { $judged || !$_->{hidden} } @{ $result->{rows} })
    {
        my $title = $row->{title};
        if (defined $row->{error})
        {
            push @table, [ $title, 'failed', $row->{error}, ('') x (@{ $table[0] } - 3) ];
            next;
        }
        my $above = '';
        for my $measure (@{ $row->{measures} })
        {
            my $same = "$measure->{what} " . cell($measure->{ours}, $measure->{unit});
            next if !$judged && (!$measure->{ours} || $same eq $above || $measure->{what} =~ m{^time / (?!reference)});
            $above = $same;
            my $reference = cell($measure->{reference}, $measure->{unit});
            $reference .= ": $row->{reference_name}" if $reference ne '' && $title ne '';
            push @table,
              [
                $title, $measure->{what},
                cell($measure->{ours}, $measure->{unit}),
                defined $result->{peer} ? cell($measure->{peer}, $measure->{unit}) : (),
                $reference,
                $judged ? (limit_cell($measure), met_cell($measure)) : ()
              ];
            $title = '';
        }
    }
    return \@table;
}

sub text
{
    my ($result) = @_;
    return aligned(@{ cells($result, 1) });
}

# Rows of cells, the heading first, in columns.
sub aligned
{
    my @table = @_;
    my @width;
    for my $row (@table)
    {
        for my $i (0 .. $#$row)
        {
            my $length = length $row->[$i];
            $width[$i] = $length if $length > ($width[$i] // 0);
        }
    }
    my $out = '';
    for my $row (@table)
    {
        my @padded = map { $row->[$_] . ' ' x ($width[$_] - length $row->[$_]) } 0 .. $#$row;
        $out .= join('  ', @padded) =~ s/\s+$//r . "\n";
        $out .= join('  ', map { '-' x $_ } @width) . "\n" if $row == $table[0];
    }
    return $out;
}

# The same in Markdown. Columns whose number is given are words, others numbers. Whether a limit is
# met, a column called Met, is for the terminal.
sub markdown_table
{
    my ($words, $heading, @rows) = @_;
    my %words = map { $_ => 1 } @$words;
    my @kept = grep { $heading->[$_] ne 'Met' } 0 .. $#$heading;
    my @rule = map { $words{$_} ? '---' : '---:' } 0 .. $#$heading;
    return join '', map { '| ' . join(' | ', @$_[@kept]) . " |\n" } $heading, \@rule, @rows;
}

sub markdown
{
    my ($result, @pictures) = @_;
    my ($heading, @rows) = @{ cells($result) };
    my $out = "# Benchmark: $result->{type}\n\n" . ($result->{finding} =~ s/^\s+//gmr) . "\n\n";
    $out .= "Written by `make bench`: " . join("\n", @{ $result->{facts} }) . "\n\n";
    $out .= "![$_->{title}]($_->{file})\n\n" for @pictures;
    $out .= '| ' . join(' | ', @$_) . " |\n" for $heading, [ map { '---' } @$heading ];
    $out .= '| ' . join(' | ', map { s/\|/\\|/gr } @$_) . " |\n" for @rows;
    return $out;
}

1;
