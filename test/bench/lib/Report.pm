# Report - results as a table on the terminal, as Markdown, and as plots.
#
# What it gets, from test/bench/run:
#   { type => 'hll', ours => 'sketches', peer => 'postgresql-hll', facts => [ sentences ],
#     rows => [ { title, panel, reference_name, error,
#                 measures => [ { what, unit, ours, peer, reference, limit, met, mark } ] } ] }
# ours, peer and reference are { median, low, high } or undef; of a single number only median.
# mark is where a plot shows the limit, if not at its value.

package Report;

use strict;
use warnings;
use utf8;

use Plot;

# Three significant digits or so, and whole numbers in full.
sub number
{
    my ($value) = @_;
    my $magnitude = abs $value;
    my $text =
        $magnitude >= 100 || $value == int $value ? sprintf('%.0f', $value)
      : $magnitude >= 10                          ? sprintf('%.1f', $value)
      : $magnitude >= 0.1                         ? sprintf('%.2f', $value)
      : $magnitude >= 0.05                        ? sprintf('%.3f', $value)
      :                                             sprintf('%.5f', $value);
    1 while $text =~ s/^(\d+)(\d{3})/$1,$2/;
    return $text;
}

sub cell
{
    my ($figure, $unit) = @_;
    return '' unless $figure;
    my $text = number($figure->{median}) . suffix($unit);
    $text .= sprintf(' (%s–%s)', number($figure->{low}), number($figure->{high}))
      if defined $figure->{low};
    return $text;
}

sub suffix
{
    my ($unit) = @_;
    return { C => ' C', MB => ' MB', bytes => ' B', x => '×', '%' => ' %' }->{$unit};
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

# The table as rows of cells, the heading first.
sub cells
{
    my ($result) = @_;
    my @table = ([ 'Job', 'Measure', $result->{ours}, $result->{peer} // (), 'Reference', 'Limit',
            'Met' ]);
    for my $row (@{ $result->{rows} })
    {
        my $title = $row->{title};
        if (defined $row->{error})
        {
            push @table, [ $title, 'failed', $row->{error}, ('') x (@{ $table[0] } - 3) ];
            next;
        }
        for my $measure (@{ $row->{measures} })
        {
            my $reference = cell($measure->{reference}, $measure->{unit});
            $reference .= ": $row->{reference_name}" if $reference ne '';
            push @table,
              [
                $title, $measure->{what},
                cell($measure->{ours}, $measure->{unit}),
                defined $result->{peer} ? cell($measure->{peer}, $measure->{unit}) : (),
                $reference, limit_cell($measure), met_cell($measure)
              ];
            $title = '';
        }
    }
    return \@table;
}

sub text
{
    my ($result) = @_;
    return aligned(@{ cells($result) });
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

# The same in Markdown. Columns whose number is given are words, others numbers.
sub markdown_table
{
    my ($words, $heading, @rows) = @_;
    my %words = map { $_ => 1 } @$words;
    my @rule = map { $words{$_} ? '---' : '---:' } 0 .. $#$heading;
    return join '', map { '| ' . join(' | ', @$_) . " |\n" } $heading, \@rule, @rows;
}

sub markdown
{
    my ($result, @plots) = @_;
    my ($heading, @rows) = @{ cells($result) };
    my $out = "# Benchmark: $result->{type}\n\n";
    $out .= "Written by `make bench`.\n\n";
    $out .= "- $_\n" for @{ $result->{facts} };
    $out .= "\n";
    $out .= "![$_->{title}]($_->{file})\n\n" for @plots;
    $out .= '| ' . join(' | ', @$_) . " |\n" for $heading, [ map { '---' } @$heading ];
    $out .= '| ' . join(' | ', map { s/\|/\\|/gr } @$_) . " |\n" for @rows;
    return $out;
}

# The plots, as [ { file, title, svg } ]: times, and what is held in memory and stored.
sub plots
{
    my ($result) = @_;
    my @plots;
    my @time = panels($result, 'time');
    push @plots, plot($result, 'time', 'Time as a multiple of count(x) over the same rows', @time)
      if @time;
    my @size = (panels($result, 'memory'), panels($result, 'bytes'));
    push @plots, plot($result, 'size', 'Memory of a query and bytes of a sketch', @size) if @size;
    return @plots;
}

sub plot
{
    my ($result, $name, $title, @panels) = @_;
    return {
        file  => "$result->{type}-$name.svg",
        title => "$result->{type}: $title",
        svg   => Plot::bars(
            title  => "$result->{type}: $title",
            series => [ 'ours', defined $result->{peer} ? 'peer' : (), 'reference' ],
            names  => {
                ours      => $result->{ours},
                peer      => $result->{peer},
                reference => 'plain PostgreSQL',
            },
            panels => \@panels,
        ),
    };
}

# Rows of one measure, grouped into panels that share an axis. Times carry the panel of their row.
sub panels
{
    my ($result, $what) = @_;
    my (@order, %groups);
    my %fixed = (
        memory => 'Peak memory, MB',
        bytes  => 'One sketch, bytes',
    );
    for my $row (@{ $result->{rows} })
    {
        next if defined $row->{error};
        for my $measure (@{ $row->{measures} })
        {
            next unless $measure->{what} eq $what;
            my $panel = $fixed{$what} // $row->{panel};
            next unless defined $panel;
            push @order, $panel unless $groups{$panel};
            push @{ $groups{$panel} }, group($row, $measure);
        }
    }
    return map { { title => $_, groups => $groups{$_} } } @order;
}

sub group
{
    my ($row, $measure) = @_;
    my @bars;
    for my $series (qw(ours peer reference))
    {
        my $figure = $measure->{$series} or next;
        my $text = number($figure->{median}) . suffix($measure->{unit});
        $text .= "  $row->{reference_name}" if $series eq 'reference';
        push @bars, { series => $series, value => $figure->{median}, text => $text };
    }
    my $limit = $measure->{mark} // ($measure->{limit} // {})->{value};
    return { label => $row->{title}, bars => \@bars, limit => $limit };
}

1;
