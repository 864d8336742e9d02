#!/usr/bin/env perl
#
# The demo on a real server: the report of the real log is right, and it stays sane for tiny, odd
# and unreadable logs. Needs the extension built, as make test does before.

use strict;
use warnings;

use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(__FILE__) . '/../demo';
my $scratch = tempdir(CLEANUP => 1);

# What the demo leaves behind, it leaves here.
my $leavings = tempdir('d.XXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $leavings or die "$leavings: $!\n";
$ENV{TMPDIR} = $leavings;

sub demo
{
    my (@arguments) = @_;
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if (!$pid)
    {
        open STDERR, '>', "$scratch/errors" or die "$scratch/errors: $!\n";
        exec "$here/run", @arguments or die "run: $!\n";
    }
    my @report = <$out>;
    close $out;
    return ($? >> 8, slurp("$scratch/errors"), @report);
}

sub demo_of_text
{
    my ($name, $text) = @_;
    open my $file, '>:raw', "$scratch/$name" or die "$scratch/$name: $!\n";
    print $file $text;
    close $file or die "$scratch/$name: $!\n";
    return demo("$scratch/$name");
}

sub slurp
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    local $/ = undef;
    return <$file> // '';
}

# The rows of the table under a title, as lists of cells.
sub table
{
    my ($title, @report) = @_;
    shift @report while @report && $report[0] !~ /^\Q$title\E/;
    splice @report, 0, 3;
    my @rows;
    while (@report && $report[0] =~ /\S/)
    {
        push @rows, [ map { s/^\s+|\s+$//gr } split /\|/, shift @report ];
    }
    return @rows;
}

sub leaves_nothing
{
    my ($after) = @_;
    opendir my $directory, $leavings or die "$leavings: $!\n";
    is_deeply([ grep { !/^\.\.?$/ } readdir $directory ], [], "nothing is left after $after");
    return;
}

# Within 3 % or 3 of the truth: far beyond any error that precision 14 makes of these sets.
sub close_to
{
    my ($estimate, $exact) = @_;
    return abs($estimate - $exact) <= 3 + 0.03 * $exact;
}

# ---- the real log; its exact numbers are those of sort -u --------------------------------------

my ($status, $errors, @report) = demo();
is($status, 0, 'the real log');
is($errors, '', 'without complaints');
cmp_ok(scalar @report, '<=', 155, 'on about two pages');
is((grep { length > 101 } @report), 0, 'of bearable width');
like($report[1], qr/30969 read, 30969 loaded, 0 not understood; clock UTC-4$/, 'all lines loaded');

my @pages = table('PAGES', @report);
is(scalar @pages, 5, 'five pages');
is_deeply([ @{ $pages[0] }[ 0, 1, 3 ] ], [ '/ksc.html', 1382, 728 ],
    'the first, its exact numbers');
is((grep { !close_to($_->[2], $_->[3]) } @pages), 0, 'estimates beside exact counts');
is((grep { $_->[0] =~ /\.gif$/ } @pages), 0, 'no pictures');

my @hours = map { ([ @$_[ 0 .. 3 ] ], [ @$_[ 4 .. 7 ] ]) } table('HOURS', @report);
@hours = sort { $a->[0] cmp $b->[0] } grep { $_->[0] ne '' } @hours;
is_deeply([ map { $_->[0] } @hours ], [ map { sprintf '%02d:00', $_ } 2 .. 14 ],
    'hours of the server in Florida');
is((grep { !close_to($_->[1], $_->[2]) } @hours), 0, 'hours merged over pages');
is(length((sort { $b->[1] <=> $a->[1] } @hours)[0][3]), 20, 'the busiest hour has the longest bar');

my ($day, $pairs, @more) = table('DAYS', @report);
is_deeply([ @$day[ 0, 1, 4 ], scalar @more ], [ 'whole log', 30969, 2365, 0 ], 'the whole log');
is($pairs->[4], 23634, 'more pairs than a sparse sketch holds, exactly');
ok(close_to($pairs->[3], 23634), 'and estimated');
ok(close_to($day->[2], 2365), 'merged from hours: visitors of several hours count once');
ok(close_to($day->[3], 2365), 'approx_count_distinct');

my @overlap = table('OVERLAP', @report);
is_deeply([ map { $_->[2] } @overlap ], [ 45, 1162, '0.0387' ], 'overlap, exact');
ok(close_to($overlap[0][1] / 10, 4.5), 'both pages');
ok(close_to($overlap[1][1], 1162), 'either page');
ok(abs($overlap[2][1] - 0.0387) < 0.02, 'jaccard');

# Fewer visitors than a theta sketch has hashes: the answers are exact. From the log: sort -u of the visitors of
# each page, and comm.
my @both = table('BOTH pages', @report);
is_deeply([ map { [ @$_[ 1, 2 ] ] } @both ], [ [ 21, 21 ], [ 24, 24 ], [ 588, 588 ] ],
    'two pages but not the third');

# From the log: sort -n of the sizes, the line of rank ceil(q n).
my %exact_sizes = (p50 => 2322, p90 => 30043, p99 => 233842, 'p99.9' => 936810);
my @sizes = table('SIZES of the day', @report);
is_deeply({ map { $_->[0] => $_->[2] } @sizes }, \%exact_sizes, 'sizes, exact');
# Many responses have the same size, and an answer may lie between two of these.
is((grep { $_->[3] > 0.5 || $_->[4] > 2 } @sizes), 0, 'percentiles have the rank asked for');
my @size_hours = map { ([ @$_[ 0 .. 3 ] ], [ @$_[ 4 .. 7 ] ], [ @$_[ 8 .. 11 ] ]) }
  table('SIZES of responses', @report);
is_deeply([ sort grep { $_ ne '' } map { $_->[0] } @size_hours ],
    [ map { sprintf '%02d:00', $_ } 2 .. 14 ], 'every hour has a digest');

my @objective = table('OBJECTIVE', @report);
is(scalar @objective, 4, 'an objective of four hours');
is((grep { $_->[3] != $_->[4] || $_->[6] ne 't' } @objective), 0, 'shares and differences are exact');
is((grep { ($_->[5] eq 'met') != ($_->[4] >= 90) } @objective), 0, 'met or missed as the rows are');
is((grep { length $_->[2] > 8 || $_->[2] !~ /@/ } @objective), 0, 'and a line of a heat map');

my @top = table('TOP', @report);
is(scalar @top, 4, 'four top pages');
is((grep { $_->[1] != $_->[3] || $_->[2] != 0 } @top), 0, 'counted exactly, and sure of it');

my @return = table('RETURN', @report);
is(scalar @return, 4, 'four hours of sets');
is((grep { $_->[2] != $_->[3] || $_->[4] != $_->[5] } @return), 0, 'set algebra is exact');
is((grep { $_->[2] == 0 || $_->[4] == 0 || $_->[1] <= $_->[2] } @return), 0, 'some came back');

my @pauses = table('PAUSES', @report);
is(scalar @pauses, 4, 'four pages with pauses');
is((grep { $_->[3] != $_->[4] || $_->[3] != ($_->[2] =~ tr/#//) } @pauses), 0, 'hours are exact');
is((grep { substr($_->[2], $_->[5], 1) ne '.' } @pauses), 0, 'the first pause is one');

my @first = table('FIRST-TIME', @report);
is(scalar @first, 3, 'three hours of the afternoon');
is((grep { $_->[2] + $_->[4] != $_->[3] || $_->[5] != 0 } @first), 0,
    'nobody who was there before is flagged');
is((grep { $_->[2] == 0 || $_->[2] == $_->[1] } @first), 0, 'and some are new');
my $wrongly = 0;
$wrongly += $_->[4] for @first;
cmp_ok($wrongly, '<=', 22, 'few are taken for known: 1 % of 740, and 5 standard errors');

my @window = table('WINDOW', @report);
is(scalar @window, 4, 'four hours of a window');
is((grep { $_->[1] != $_->[2] || $_->[3] != $_->[4] || $_->[5] != $_->[6] } @window),
    0, 'the filter counts and forgets');
is((grep { $_->[3] == 0 || $_->[5] == 0 } @window), 0, 'there was something to count and to forget');

my @moving = table('MOVING', @report);
is(scalar @moving, 4, 'the last three hours at four hours');
is((grep { abs($_->[1] / $_->[2] - 1) > 5 * 0.0084 } @moving), 0, 'visitors within five standard errors');
is((grep { $_->[6] ne 't' } @moving), 0, 'the page that was asked for most is that of the rows');

# Every zip code's distance from the launch pads, and of each place the least.
my %nearest;
open my $zips, '-|', 'gzip', '-dc', "$here/../data/zipcodes.csv.gz" or die "gzip: $!\n";
for (<$zips>)
{
    my (undef, $lat, $lon, $city, $state) = split /,/;
    next if $lat !~ /^-?[\d.]+$/;
    my ($p, $q, $d) = map { $_ * atan2(1, 1) / 45 } $lat, 28.608, $lon - -80.604;
    my $h = sin(($q - $p) / 2)**2 + cos($p) * cos($q) * sin($d / 2)**2;
    my $km = 2 * 6372.797560856 * atan2(sqrt($h), sqrt(1 - $h));
    my $place = "$city, $state";
    $nearest{$place} = $km if $km < ($nearest{$place} // 1e9);
}
close $zips or die "gzip: $?\n";
my @expected = (sort { $nearest{$a} <=> $nearest{$b} } keys %nearest)[ 0 .. 4 ];
my @near = table('NEAR', @report);
is_deeply([ map { "$_->[1] $_->[4]" } @near ],
    [ map { sprintf '%s %.1f', $_, $nearest{$_} } @expected ], 'the nearest zip codes');
my ($few, $all) = "@report" =~ /Pages touched: (\d+) by the index, (\d+) to look/;
cmp_ok($few * 10, '<', $all, 'found by the index');

my %bytes = map { ($_->[0] => $_->[2]) } table('BYTES', @report);
cmp_ok($bytes{'of these the sketches'} // 0, '>', 0, 'the sketches have bytes')
  or diag(join '', @report);
cmp_ok($bytes{'hourly: every hour and page'}, '<', $bytes{'log table: every request'},
    'the rollup is smaller than the log');
is((map { @$_ } table('MILLISECONDS', @report)), 12, 'three questions are timed');
leaves_nothing('the real log');

# ---- small and odd logs --------------------------------------------------------------------------

my $line = '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /only.gif HTTP/1.0" 200 2326';
($status, $errors, @report) = demo_of_text("it's one \$line.log", "$line\n");
is($status . $errors, '0', 'a single line, in a file of an awkward name');
is_deeply([ table('PAGES', @report) ], [ [ '/only.gif', 1, 1, 1, '0.00' ] ],
    'a log of nothing but pictures shows them');
is((table('HOURS', @report))[0][0], '13:00', 'the hour of the log\'s clock');
ok((grep { /fewer than two/ } @report), 'and says that two pages are missing for the overlap');

($status, $errors, @report) = demo_of_text('dash.log', $line =~ s/"GET.*"/"-"/r);
is($status . $errors, '0', 'no page asked for at all');
is_deeply([ table('PAGES', @report) ], [], 'lists none');
is_deeply([ @{ (table('DAYS', @report))[0] }[ 0 .. 4 ] ], [ 'whole log', 1, 1, 1, 1 ],
    'but counts the visitor');

($status, $errors, @report) = demo_of_text('no_sizes.log', $line =~ s{200 2326}{304 -}r);
is($status . $errors, '0', 'no response with a size');
is_deeply([ table('SIZES of the day', @report) ], [], 'lists no sizes');
is_deeply([ table('OBJECTIVE', @report) ], [], 'and no objective');

my @hostile = map { $line =~ s{/only.gif}{$_}r }
  ("/a\tb\\", "/\xff\x00", "/'; DROP TABLE log; --", "/:'page_a' :asset", "/%s%n|\x1b[2J", '/\\.');
my $count = @hostile;
($status, $errors, @report) = demo_of_text('hostile.log', join "\n", @hostile, 'garbage', '\\.');
is($status . $errors, '0', 'hostile bytes');
like($report[1], qr/$count loaded, 2 not understood \(the first is line 7\)/,
    'load, or are counted');
is((grep { /[^\x20-\x7e\n]/ } @report), 0, 'and do not reach the terminal');
leaves_nothing('odd logs');

($status, $errors, @report) = demo("$here/../data/semicomplete_access_2015-05.log.gz");
is($status . $errors, '0', 'a log of several days');
is_deeply([ map { [ @$_[ 0, 1, 4 ] ] } table('DAYS', @report) ],
    [
        [ '2015-05-17', 1632, 341 ],
        [ '2015-05-18', 2893, 627 ],
        [ '2015-05-19', 2896, 561 ],
        [ '2015-05-20', 2579, 505 ],
        [ 'whole log', 10000, 1753 ],
        [ 'its pairs of visitor and page', '', 7854 ],
    ], 'each and all together');

# ---- what cannot work ----------------------------------------------------------------------------

($status, $errors, @report) = demo_of_text('page.html', "<html>\n</html>\n");
is($status, 1, 'a file that is no log fails');
like($errors, qr/not one of its lines \(2\)/, 'and says so');
is(scalar @report, 1, 'without half a report');
for my $case ([ "$scratch/absent", qr/no such file/ ], [ $scratch, qr/is a directory/ ])
{
    ($status, $errors) = demo($case->[0]);
    is($status, 1, 'a file that cannot be read fails');
    like($errors, $case->[1], 'is the message');
}
leaves_nothing('failures');

done_testing();
