#!/usr/bin/env perl
#
# The demo's log parser: real logs, every accepted format, and what strangers write into logs.

use strict;
use warnings;

use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $here = dirname(__FILE__) . '/../demo';
my $scratch = tempdir(CLEANUP => 1);
my $when = '[10/Oct/2000:13:55:36 -0700]';
my $time = '2000-10-10 13:55:36-07:00';

sub parse_file
{
    my ($path) = @_;
    my $rows = qx{'$here/parse-log' --summary '$scratch/summary' '$path' 2>'$scratch/errors'};
    my $status = $? >> 8;
    my %summary = $status ? () : map { chomp; split /=/, $_, 2 } read_lines("$scratch/summary");
    return ($status, [ split /\n/, $rows ], \%summary, join '', read_lines("$scratch/errors"));
}

sub parse_text
{
    my ($text) = @_;
    open my $file, '>:raw', "$scratch/log" or die "$scratch/log: $!\n";
    print $file $text;
    close $file or die "$scratch/log: $!\n";
    return parse_file("$scratch/log");
}

sub read_lines
{
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    return <$file>;
}

# One line gives one row.
sub row_is
{
    my ($line, $row, $name) = @_;
    my (undef, $rows) = parse_text("$line\n");
    is_deeply($rows, [ join "\t", @$row ], $name);
    return;
}

sub rejected
{
    my ($line, $name) = @_;
    my ($status, $rows, $summary) = parse_text("a - - $when \"GET /ok HTTP/1.0\" 200 1\n$line\n");
    is_deeply([ $status, scalar @$rows, $summary->{rejected}, $summary->{first_rejected} ],
        [ 0, 1, 1, 2 ], "rejected and counted: $name");
    return;
}

# ---- real logs -----------------------------------------------------------------------------------

my ($status, $rows, $summary) = parse_file("$here/../data/semicomplete_access_2015-05.log.gz");
is($status, 0, 'combined format, real log');
is_deeply([ @$summary{qw(lines loaded rejected utc_offset)} ], [ 10000, 10000, 0, 0 ],
    'all its lines are understood');
is(scalar @$rows, 10000, 'a row for each');
is((grep { tr/\t// != 5 } @$rows), 0, 'of six columns');

($status, $rows, $summary) = parse_file("$here/../data/nasa_http_1995-08-01.tsv.gz");
is_deeply([ @$summary{qw(lines loaded rejected utc_offset)} ], [ 30969, 30969, 0, '' ],
    'tab separated, real log: all lines, no offset stated');
is($rows->[0], "1995-08-01 06:00:00+00\tpppa006.compuserve.com\tGET\t/images/launch-logo.gif\t200"
      . "\t1713", 'its first row');

# ---- formats -------------------------------------------------------------------------------------

my $common = "1.2.3.4 - - $when \"GET /a HTTP/1.0\" 200 2326";
my $row = [ $time, '1.2.3.4', 'GET', '/a', 200, 2326 ];
row_is($common, $row, 'common format');
row_is("$common \"http://x/\" \"agent \\\" [quoted]\"", $row, 'combined format');
row_is("www.example.com:443 $common \"-\" \"-\"", $row, 'virtual host in front');
row_is("$common\r", $row, 'Windows line end');
row_is("\xEF\xBB\xBF$common", $row, 'byte order mark');
row_is($common =~ s/- - /- bob smith /r, $row, 'user name with a blank');
row_is($common =~ s{/a HTTP}{/a?q=1#top HTTP}r, $row, 'query and fragment are dropped');
row_is($common =~ s{/a HTTP}{?q HTTP}r, [ $time, '1.2.3.4', 'GET', '/', 200, 2326 ],
    'only a query');
row_is($common =~ s{ HTTP/1.0}{}r, $row, 'HTTP/0.9');
row_is($common =~ s/200 2326/- -/r, [ @$row[ 0 .. 3 ], '\N', '\N' ], 'no status, no bytes');
row_is($common =~ s/2326/99999999999999999999/r, [ @$row[ 0 .. 4 ], '\N' ],
    'bytes beyond bigint');
row_is($common =~ s/1.2.3.4/::1/r, [ $time, '::1', @$row[ 2 .. 5 ] ], 'IPv6 address');
row_is("1.2.3.4 - - $when \"-\" 408 0", [ $time, '1.2.3.4', '\N', '\N', 408, 0 ], 'no request');
row_is("1.2.3.4 - - $when \"\\x16\\x03\\x01\" 400 0", [ $time, '1.2.3.4', '\N', '\N', 400, 0 ],
    'TLS sent to a plain port');

(undef, $rows, $summary) = parse_text("\n$common\n\n" . ($common =~ s/-0700/+0545/r));
is_deeply([ scalar @$rows, @$summary{qw(lines loaded utc_offset)} ], [ 2, 2, 2, -7 ],
    'empty lines do not count, the last line needs no end, the first offset is the log\'s');
(undef, undef, $summary) = parse_text($common =~ s/-0700/+0545/r);
is($summary->{utc_offset}, 5.75, 'offset with minutes');

# ---- what strangers write ------------------------------------------------------------------------

sub url_is
{
    my ($url, $stored, $name) = @_;
    row_is("h - - $when \"GET $url HTTP/1.1\" 200 5", [ $time, 'h', 'GET', $stored, 200, 5 ],
        $name);
    return;
}

url_is("/a\tb", '/a%09b', 'tab');
url_is("/\x01\x1b[31m\x7f", '/%01%1B[31m%7F', 'control characters');
url_is("/a\0b", '/a%00b', 'NUL');
url_is("/\xff\xfe", '/%FF%FE', 'invalid UTF-8');
url_is("/\xc3\xa9", '/%C3%A9', 'UTF-8 as a browser would escape it');
url_is('/\\xc3\\xa9', '/%C3%A9', 'and as Apache writes it');
url_is('/a\\\\b', '/a\\\\b', 'backslash, escaped by the server and for COPY');
url_is('/\\q', '/\\\\q', 'backslash of a server that does not escape');
url_is('/\\"x\\" 200 5', '/"x" 200 5', 'escaped quotes that pretend the end of the request');
url_is('/say"hi"', '/say"hi"', 'bare quotes of an old server');
url_is("/'; DROP TABLE log; --", "/'; DROP TABLE log; --", 'SQL');
url_is('/\\\\.', '/\\\\.', 'the end marker of COPY');
row_is("\xe9 - - $when \"GET / HTTP/1.0\" 200 5", [ $time, '%E9', 'GET', '/', 200, 5 ],
    'hostile visitor');

rejected('garbage', 'no format at all');
rejected("\\.", 'end marker of COPY');
rejected("a - - $when \"GET \\", 'cut off inside the request');
rejected($common =~ s/2326//r, 'bytes missing');
rejected($common =~ s{10/Oct/2000}{31/Feb/2000}r, '31 February');
rejected($common =~ s{10/Oct/2000}{29/Feb/1900}r, '29 February of no leap year');
rejected($common =~ s{10/Oct}{00/Oct}r, 'day 0');
rejected($common =~ s/Oct/Okt/r, 'unknown month');
rejected($common =~ s/2000:/0000:/r, 'year 0');
rejected($common =~ s/13:55/24:55/r, 'hour 24');
rejected($common =~ s/-0700/+1600/r, 'offset beyond PostgreSQL\'s');
rejected($common =~ s{/a}{'/' . 'x' x 70000}er, 'a line of 70 kB');
row_is($common =~ s{10/Oct/2000}{29/Feb/2000}r, [ '2000-02-29 13:55:36-07:00', @$row[ 1 .. 5 ] ],
    '29 February of a leap year');

# Crafted to make a careless regular expression take forever.
{
    my $line = 'a - - ' . "$when \" " x 1500;
    local $SIG{ALRM} = sub { die "slow\n" };
    alarm 20;
    ok(eval { rejected($line, 'many times and quotes'); rejected("a b [" x 9000, 'many brackets');
        url_is('/' . '\\\\' x 29000, '/' . '\\\\' x 29000, '29,000 backslashes'); 1 },
        'hostile lines take no time') or diag($@);
    alarm 0;
}

# ---- files that are no logs ----------------------------------------------------------------------

my $errors;
($status, $rows, undef, $errors) = parse_text("<html>\n\x1b[2J\n");
is($status, 1, 'nothing understood is an error');
is(scalar @$rows, 0, 'without rows');
like($errors, qr/not one of its lines \(2\).*\n  <html>/, 'that shows the first line');
($status, undef, undef, $errors) = parse_text("\x1b[2J\n");
unlike($errors, qr/\x1b/, 'with nothing that drives the terminal');
($status, undef, undef, $errors) = parse_text('');
is_deeply([ $status, $errors =~ /no line in it/ ? 1 : 0 ], [ 1, 1 ], 'an empty file is an error');
($status, undef, undef, $errors) = parse_file("$scratch/absent");
is_deeply([ $status, $errors =~ /No such file/ ? 1 : 0 ], [ 1, 1 ], 'an absent file is an error');
($status, undef, undef, $errors) = parse_file($scratch);
is_deeply([ $status, $errors =~ /is a directory/ ? 1 : 0 ], [ 1, 1 ], 'so is a directory');

{
    my $gz = join '', read_lines("$here/../data/semicomplete_access_2015-05.log.gz");
    ($status, $rows, $summary) = parse_text(substr $gz, 0, 100_000);
    is_deeply([ $status, $summary->{damaged} ], [ 0, 1 ], 'a cut off .gz is read to the cut');
    cmp_ok(scalar @$rows, '>', 3000, 'and gives its rows');
}

done_testing();
