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
        exec "$here/run", $arguments[0] // '', "$scratch/report.html" or die "run: $!\n";
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

# The report from a line on.
sub from
{
    my ($line, @report) = @_;
    shift @report while @report && $report[0] !~ /^\Q$line\E/;
    return @report;
}

# The rows of the table under a title, as lists of cells.
sub table
{
    my ($title, @report) = @_;
    @report = from($title, @report);
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

# Within five standard errors of 0.84 %, and 3 where the sketch is nearly exact.
sub close_to
{
    my ($estimate, $exact) = @_;
    return abs($estimate - $exact) <= 3 + 5 * 0.0084 * $exact;
}

# Both rows of the answers, of the rollup and of the log, and how far apart they may be.
sub are_alike
{
    my ($name, $hourly, $log) = @_;
    is("$hourly->[0] $log->[0]", 'hourly log', "$name: from the rollup and from the log");
    is($hourly->[1], $log->[1], '... as many requests');
    ok(close_to($hourly->[2], $log->[2]), '... nearly as many visitors');
    is((grep { abs($hourly->[$_] - $log->[$_]) > 0.0055 * $log->[$_] + 0.5 } 3, 4), 0,
        '... percentiles within 0.54 %');
    return;
}

# ---- the real log; its exact numbers are those of sort -u --------------------------------------

my ($status, $errors, @report) = demo();
is($status, 0, 'the real log');
is($errors, '', 'without complaints');
cmp_ok(scalar @report, '<=', 57, 'on a screen');
is((grep { length > 101 + 1 } @report), 0, 'of bearable width');
like($report[1], qr/30969 lines read, 30969 loaded, 0 not understood; clock UTC-4$/, 'all lines loaded');

my @before = table('TABLE answers', @report);
is_deeply($before[1], [ 'log', 30969, 2365, 2322, 233842, '/images/NASA-logosmall.gif' ],
    'the exact answers');
are_alike('before', @before);
is($before[0][5], $before[1][5], '... the same page');

my @late = table('TABLE answers', from('INSERT', @report));
is_deeply([ @{ $late[1] }[ 1, 2 ] ], [ 30970, 2366 ], 'a late row');
are_alike('after it', @late);
is($late[0][2] - $before[0][2], 1, '... whose visitor is new');

# From the log: sort | uniq -c of the visitors.
my @deleted = table('TABLE answers', from('DELETE', @report));
is_deeply([ @{ $deleted[1] }[ 1, 2 ] ], [ 30970 - 364, 2365 ], 'a visitor deleted');
are_alike('after that', @deleted);

my ($rollup, $rows) = table('COST', @report);
is_deeply([ @$rollup[ 0, 1 ], @$rows[ 0, 1 ] ], [ 'hourly', 13, 'log', 30606 ], 'a row for each hour');
cmp_ok(10 * ($rollup->[2] =~ s/ kB//r), '<', $rows->[2] =~ s/ kB//r, '... in a tenth of the bytes');
is((grep { !/^\d+\.\d$/ } @$rollup[ 3, 4 ], @$rows[ 3, 4 ]), 0, '... two queries are timed');
like("@report", qr/Made in \d+ ms\. An hour has up to [1-5]\d\d\d bytes/,
    '... and making it');
ok(-s "$scratch/report.html", '... and the report is drawn');
leaves_nothing('the real log');

# The page has this screen: all but the milliseconds, and the bytes of pages that hold dead rows.
sub lasting
{
    return map { s/\s+$//r } map { s/(?<=Made in )\d+|\d+ kB.*|(?<=REPORT  )\S+(?=,)//gr } grep { !/^ hourly \|  +13/ } @_;
}
my ($screen) = slurp("$here/../../doc/demo.md") =~ /^```text\n(.*?)^```/ms;
is(join("\n", lasting(split /\n/, $screen)), join("\n", lasting(map { s/\n//r } @report)), 'doc/demo.md shows it');

# ---- small and odd logs --------------------------------------------------------------------------

my $line = '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /only.gif HTTP/1.0" 200 2326';
($status, $errors, @report) = demo_of_text("it's one \$line.log", "$line\n");
is($status . $errors, '0', 'a single line, in a file of an awkward name');
is_deeply([ table('TABLE answers', @report) ],
    [ [ 'hourly', 1, 1, 2326, 2326, '/only.gif' ], [ 'log', 1, 1, 2326, 2326, '/only.gif' ] ], '... is counted');
ok((grep { /^INSERT .*'2000-10-10 13:55:36'/ } @report), '... by the log\'s clock');
is((table('TABLE answers', from('DELETE', @report)))[1][1], 1, '... and deleted: the late row is left');

($status, $errors, @report) = demo_of_text('dash.log', $line =~ s/"GET.*"/"-"/r);
is($status . $errors, '0', 'no page asked for at all');
is_deeply([ map { [ @$_[ 1, 2, 5 ] ] } table('TABLE answers', @report) ], [ [ 1, 1, '' ], [ 1, 1, '' ] ],
    '... but a visitor');

($status, $errors, @report) = demo_of_text('no_sizes.log', $line =~ s{200 2326}{304 -}r);
is($status . $errors, '0', 'no response with a size');
is_deeply([ map { [ @$_[ 1, 3, 4 ] ] } table('TABLE answers', @report) ], [ [ 1, '', '' ], [ 1, '', '' ] ],
    '... and no percentile');

my @hostile = map { $line =~ s{/only.gif}{$_}r }
  ("/a\tb\\", "/\xff\x00", "/'; DROP TABLE log; --", "/:'busiest' :first", "/%s%n|\x1b[2J", '/\\.');
my $count = @hostile;
($status, $errors, @report) = demo_of_text('hostile.log', join "\n", @hostile, 'garbage', '\\.');
is($status . $errors, '0', 'hostile bytes');
like($report[1], qr/$count loaded, 2 not understood \(the first is line 7\)/,
    'load, or are counted');
is((grep { /[^\x20-\x7e\n]/ } @report), 0, 'and do not reach the terminal');
leaves_nothing('odd logs');

($status, $errors, @report) = demo("$here/../data/semicomplete_access_2015-05.log.gz");
is($status . $errors, '0', 'a log of several days');
my ($merged, $exact) = table('TABLE answers', @report);
is_deeply([ @$exact[ 1, 2 ] ], [ 10000, 1753 ], '... all together');
are_alike('several days', $merged, $exact);

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
