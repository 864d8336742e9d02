# Pictures - the drawings of doc/bench, each made from the tables that stand there and from nothing
# else, so that a picture never says anything but its table.
#
#   Pictures::of($type)               [ { file, title } ]: what a type's table shows
#   Pictures::of("$type-accuracy")    the same of its accuracy, of "hll-frames" and of "tdigest-shapes"
#   Pictures::draw($directory)        every picture of the tables in a directory, { file => svg }
#
# Only times that were compared are drawn, with a peer or with what plain PostgreSQL does for the same
# question, and only where there are more of them than one sees in the table. sketches is blue, a peer
# orange, plain PostgreSQL grey. Overview.pm draws the picture of the README.

package Pictures;

use strict;
use warnings;
use utf8;

use List::Util qw(max);
use POSIX ();

use Plot;

# A picture has at least so many jobs. What few figures say, their table says better.
use constant MIN_JOBS => 6;

# What jobs share an axis: the first that matches.
my @PANELS = (
    [ 'A table filtered',      qr/^A table filtered / ],
    [ 'In groups',             qr/ groups of / ],
    [ 'All rows in one group', qr/^(?:\w+_agg|approx_\w+)\(|of 10,000,000 / ],
    [ 'Over stored values',    qr/./ ],
);

# References that do the same job in plain PostgreSQL. Others are there for whoever measures.
my $PLAIN = qr/: (?:count\(distinct |percentile_\w+\(|group by|from the rows|int\[\]|SQL$)/;

my %LINES = (
    'hll-accuracy' =>
      [ { file => 'hll-accuracy.svg', title => 'hll: the measured error (dots) is that of theory (lines)', draw => \&error_of_hll } ],
    'tdigest-accuracy' => [
        { file => 'tdigest-accuracy.svg', draw => \&rank_error, section => '64 stored digests merged' },
    ],
    'tdigest-shapes' => [
        { file => 'tdigest-shapes.svg', title => 'tdigest: a curve between centroids is three to ten times as exact as a line',
          draw => \&line_and_curve } ],
    'overview-accuracy' => [
        { file => 'overview-overlap.svg', title => 'Below an overlap of a tenth of the sets use theta, above it hll',
          draw => \&error_of_overlap } ],
    'hll-frames' =>
      [ { file => 'hll-frames.svg', title => 'A window of 365 days costs about as much as one of 7', draw => \&time_of_frames } ],
);

sub of
{
    my ($table) = @_;
    return @{ $LINES{$table} } if $LINES{$table};
    return { file => "$table-time.svg", of => $table };
}

# The pictures that the text of a type's table has something for: ( { file, title, svg } ).
sub of_table
{
    my ($type, $text) = @_;
    return grep { defined $_->{svg} } map { { %$_, dots($_, $text) } } of($type);
}

# The text of a type's page with the pictures of its table above it, instead of those that were there.
sub illustrated
{
    my ($type, $text) = @_;
    my $links = join '', map { "![$_->{title}]($_->{file})\n\n" } of_table($type, $text);
    $text =~ s/^!\[[^\]]*\]\(\Q$type\E-\w+\.svg\)\n\n//mg;
    return $text =~ s/^(?=\| Job )/$links/mr;
}

sub draw
{
    my ($directory) = @_;
    my %svg;
    for my $path (sort glob "$directory/*.md")
    {
        my ($name) = $path =~ m{([^/]+)\.md$};
        my $text = slurp($path);
        next if $text !~ /^# (?:Benchmark:|Accuracy of)/;
        if ($LINES{$name})
        {
            $svg{ $_->{file} } = $_->{draw}->($_, $text) for of($name);
        }
        elsif ($text =~ /^\| Job \| Measure \|/m)
        {
            $svg{ $_->{file} } = $_->{svg} for of_table($name, $text);
        }
    }
    return \%svg;
}

# ---- tables --------------------------------------------------------------------------------------

# The rows of the first table of a text, each a hash by its heading.
sub rows
{
    my ($text) = @_;
    my (@heading, @rows);
    for my $line (split /\n/, $text)
    {
        last if @rows && $line !~ /^\|/;
        next if $line !~ /^\|/ || $line =~ /^\| ?:?---/;
        my @cells = map { s/^\s+|\s+$//gr } split /(?<!\\)\|/, $line =~ s/^\||\|$//gr, -1;
        if (!@heading) { @heading = @cells; next }
        push @rows, { map { $heading[$_] => $cells[$_] } 0 .. $#heading };
    }
    return ([@heading], @rows);
}

# What stands under a heading.
sub section
{
    my ($text, $heading) = @_;
    my ($section) = $text =~ /^## \Q$heading\E\n(.*?)(?=^## |\z)/ms;
    die "no section '$heading'\n" if !defined $section;
    return $section;
}

# The first number of a cell; of "0.42 s, 1.09 C (1.06–1.10)" the multiple.
sub value
{
    my ($cell) = @_;
    return undef if ($cell // '') !~ /^(?:[\d,.]+ m?s, )?([+-]?[\d,]*\.?\d+)/;
    return $1 =~ s/,//gr;
}

# ---- dots ----------------------------------------------------------------------------------------

# A row for each job that was compared with something, and a title that says how often sketches is
# faster; nothing where there are few. Parallel plans are not drawn: what they gain depends on the
# machine more than on the code.
sub dots
{
    my ($picture, $text) = @_;
    my ($heading, @rows) = rows($text);
    my $peer = $heading->[3] eq 'Reference' ? undef : $heading->[3];
    my (%jobs, $job, %used, @times_as_fast);
    for my $row (@rows)
    {
        $job = $row->{Job} if $row->{Job} ne '';
        next if $row->{Measure} ne 'time' || $job =~ /parallel workers/;
        my @dots = (dot('ours', $row->{sketches}), defined $peer ? dot('peer', $row->{$peer}) : (),
            $row->{Reference} =~ $PLAIN ? dot('plain', $row->{Reference}) : ());
        next if @dots < 2;
        $used{ $_->{series} } = 1 for @dots;
        my ($panel) = map { $_->[0] } grep { $job =~ $_->[1] } @PANELS;
        push @{ $jobs{$panel} }, { label => $job, dots => \@dots };
        push @times_as_fast, $dots[1]{value} / $dots[0]{value} if $dots[1]{series} eq 'peer';
    }
    return () if (map { @$_ } values %jobs) < MIN_JOBS;
    my $faster = grep { $_ > 1.05 } @times_as_fast;
    my $title = sprintf '%s is faster than %s at %d of %d jobs, up to %s times', $picture->{of},
      $peer =~ s/^(?=.* extension$)/the /r, $faster, scalar @times_as_fast, figure(max(@times_as_fast));
    my @order = grep { $jobs{$_} } map { $_->[0] } @PANELS[ 2, 1, 3, 0 ];
    my $svg = Plot::dots(
        title  => $title,
        unit   => 'time, as a multiple of count(x) over the same rows',
        one    => 'count(x)',
        series => [ grep { $used{ $_->[0] } } [ 'ours', 'sketches' ], [ 'peer', $peer ], [ 'plain', 'plain PostgreSQL' ] ],
        panels => [ map { { title => $_, jobs => $jobs{$_} } } @order ],
    );
    return (title => $title, svg => $svg);
}

# The cell's figure and its range: "0.42 s, 1.09 C (1.06–1.10)".
sub dot
{
    my ($series, $cell) = @_;
    my $value = value($cell);
    return () if !$value;
    my ($low, $high) = map { defined $_ ? tr/,//dr : undef } $cell =~ /\(([\d.,]+)–([\d.,]+)\)/;
    return { series => $series, value => $value, low => $low, high => $high, text => figure($value) };
}

# Two significant digits.
sub figure
{
    my ($value) = @_;
    my $rounded = sprintf('%.1e', $value) + 0;
    my $decimals = max(0, 1 - POSIX::floor(log($rounded) / log(10) + 1e-9));
    return grouped(sprintf "%.${decimals}f", $rounded);
}

# ---- accuracy ------------------------------------------------------------------------------------

sub error_of_hll
{
    my ($picture, $text) = @_;
    my @series;
    for my $precision (13, 11)
    {
        my (undef, @rows) = rows(section($text, "Precision $precision"));
        my $colour = $precision == 13 ? 'ours' : 'other';
        push @series,
          { name => "precision $precision", label => -1, style => 'dots', colour => $colour,
            points => [ map { [ value($_->{Items}), value($_->{'RMSE %'}) ] } @rows ] },
          { style => 'line', colour => 'plain',
            points => [ map { [ value($_->{Items}), value($_->{'Theory %'}) ] } @rows ] };
    }
    return Plot::lines(
        title => $picture->{title},
        x => { label => 'distinct items', from => 8, to => 1_200_000,
               ticks => [ map { [ 10**$_, grouped(10**$_) ] } 1 .. 6 ] },
        y => { label => 'root mean square error, %', from => 0, to => 1.8,
               ticks => [ map { [ $_ / 10, sprintf '%.1f', $_ / 10 ] } map { 3 * $_ } 0 .. 6 ] },
        series => \@series,
    );
}

# Lines are the worst of the distributions, dots are each of them, and the title is what they say of the
# median. The vertical axis is linear, so it gets logarithms; what is below 1 ppm is drawn there.
sub rank_error
{
    my ($picture, $text) = @_;
    my ($heading, @rows) = rows(section($text, $picture->{section}));
    my @quantiles = grep { /^p\d/ } @$heading;
    my %share = map { $_ => substr($_, 1) / 100 } @quantiles;
    my $point = sub { [ 1 / (1 - $share{ $_[0] }), log(max(1, $_[1])) / log(10) ] };
    my (@series, @at_median, $worst_of_all);
    for my $digest ('sketches', 'tdigest extension')
    {
        my @of = grep { $_->{Digest} eq $digest } @rows or next;
        my $colour = $digest eq 'sketches' ? 'ours' : 'peer';
        my %worst = map { my $q = $_; $q => max(map { value($_->{$q}) } @of) } @quantiles;
        $worst_of_all = max($worst_of_all // 1, values %worst);
        push @at_median, $worst{p50};
        push @series,
          { name => $digest, label => 0, style => 'line', colour => $colour,
            points => [ map { $point->($_, $worst{$_}) } @quantiles ] },
          { style => 'dots', colour => $colour,
            points => [ map { my $row = $_; map { $point->($_, value($row->{$_})) } @quantiles } @of ] };
    }
    my $decades = POSIX::ceil(log($worst_of_all) / log(10));
    my $title = 'tdigest: rank error of 64 merged digests';
    $title = sprintf '64 merged digests: the worst error of the median is 1/%s of that of the tdigest extension',
      figure($at_median[1] / $at_median[0]) if @at_median == 2;
    return Plot::lines(
        title => $title,
        x => { label => 'quantile', from => 1.6, to => 12_500,
               ticks => [ map { [ 1 / (1 - $share{$_}), $_ ] } @quantiles ] },
        y => { label => 'rank error in millionths of all values: the worst of three distributions (lines), each of them (dots)', from => 0, to => $decades,
               ticks => [ map { [ $_, grouped(10**$_) ] } 0 .. $decades ] },
        series => \@series,
    );
}

# Both axes are logarithms: the horizontal one of what is above a quantile.
sub line_and_curve
{
    my ($picture, $text) = @_;
    my (undef, @rows) = rows(section($text, 'Towards the end'));
    my @quantiles = (0.5, 0.9, 0.99, 0.999, 0.9999);
    my @series = map {
        my ($column, $colour, $name) = @$_;
        { name => $name, label => 9, style => 'line', colour => $colour,
          points => [ map { [ 1 / (1 - $_->{Quantile}), log(max(1, value($_->{$column}))) / log(10) ] } @rows ] }
    } ([ 'line', 'plain', 'a line between centroids' ], [ 'curve', 'ours', 'the curve' ]);
    return Plot::lines(
        title => $picture->{title},
        x => { label => 'quantile of values of a Pareto distribution', from => 1.2, to => 12_500,
               ticks => [ map { [ 1 / (1 - $_), 'p' . 100 * $_ ] } @quantiles ] },
        y => { label => 'root mean square error of the rank, millionths of all values', from => 0, to => 3,
               ticks => [ map { [ $_, grouped(10**$_) ] } 0 .. 3 ] },
        series => \@series,
    );
}

# The vertical axis is linear, so it gets logarithms.
sub error_of_overlap
{
    my ($picture, $text) = @_;
    my (undef, @rows) = rows($text);
    my @series = map {
        my ($name, $colour) = @$_;
        { name => $name, label => 0, style => 'line', colour => $colour,
          points => [ map { [ value($_->{Shared}), log(value($_->{"$name, %"})) / log(10) ] } @rows ] }
    } ([ 'hll', 'ours' ], [ 'theta, lgk 12', 'other' ]);
    return Plot::lines(
        title => $picture->{title},
        x => { label => 'items in both of two sets of 100,000', from => 90, to => 110_000,
               ticks => [ map { [ 10**$_, grouped(10**$_) ] } 2 .. 5 ] },
        y => { label => 'root mean square error, % of the overlap', from => -1, to => 3,
               ticks => [ map { [ $_, grouped(10**$_) ] } -1 .. 3 ] },
        series => \@series,
    );
}

# ---- frames --------------------------------------------------------------------------------------

# The vertical axis is linear, so it gets logarithms.
sub time_of_frames
{
    my ($picture, $text) = @_;
    my ($heading, @rows) = rows($text);
    my @series;
    for my $column (1, 2)
    {
        my $name = $heading->[$column];
        my @points = map { [ $_->{ $heading->[0] }, log(value($_->{$name})) / log(10) ] }
          grep { defined value($_->{$name}) } @rows;
        push @series, { name => $name =~ s/, µs//r, label => -1, style => 'line', points => \@points,
            colour => $column == 1 ? 'ours' : 'peer' } if @points;
    }
    return Plot::lines(
        title => $picture->{title},
        x => { label => 'window, days', from => 2, to => 400,
               ticks => [ map { [ $_, $_ ] } 2, 7, 30, 120, 365 ] },
        y => { label => 'processor time of a row, microseconds', from => 1, to => 5,
               ticks => [ map { [ $_, grouped(10**$_) ] } 1 .. 5 ] },
        series => \@series,
    );
}

# ---- small things --------------------------------------------------------------------------------

sub grouped
{
    my ($number) = @_;
    1 while $number =~ s/^(\d+)(\d{3})/$1,$2/;
    return $number;
}

sub slurp
{
    my ($path) = @_;
    open my $in, '<:encoding(UTF-8)', $path or die "$path: $!\n";
    local $/;
    return <$in>;
}

1;
