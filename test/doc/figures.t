#!/usr/bin/env perl
#
# The figures of other pages are those of doc/bench. Each time (C, s, ms), memory (MB) and number of bytes in a row of a
# table below is, in its two digits or in full, a figure of the same unit there. What is measured is not compared,
# only that it was: a new `make bench` that moves a figure shows which rows to write again. So is each figure of the
# finding with which a page of doc/bench begins one of the table below it.

use strict;
use warnings;
use utf8;

use FindBin;
use Test::More;

use lib $FindBin::Bin, "$FindBin::Bin/../bench/lib";
use Pages;
use Rows;

my %there;
for my $path (grep { !/README|-/ } glob 'doc/bench/*.md')
{
    my $page = read_file($path);
    my %here;
    for my $figure (map { figures($_) } $page =~ /^\|.*/mg)
    {
        my ($number, $unit) = @$figure;
        $here{"$_ $unit"} = 1 for $number + 0, sprintf('%.1e', $number) + 0, whole($number);
    }
    @there{ keys %here } = ();
    my $bench = $path =~ s{^doc(.*)\.md$}{test$1.bench}r;
    next if !-e $bench;
    my $finding = Rows::read_bench($bench)->{type}{finding} =~ s/^\s+//gmr;
    like($page, qr/^# .*\n\n\Q$finding\E\n\n/, "$path begins with its finding");
    is(missing(\%here, figures($finding)), '', "$path has the figures of its finding");
}
cmp_ok(scalar keys %there, '>', 200, 'doc/bench has figures');

my %pages = (
    'README.md' => qr/^(\| 10,000,000 rows.*?)\n\n/ms,
    'doc/bench/side-by-side.md' => qr/(.*)/s,
    'doc/production.md' => qr/^(\| type \| state of a small group.*?)\n\n/ms);
my $checked = 0;
for my $path (sort keys %pages)
{
    my ($tables) = read_file($path) =~ $pages{$path} or die "$path: no figures";
    for my $row ($tables =~ /^\|.*/mg)
    {
        $row =~ s/^(?:[^|]*\|){4}// if $path eq 'doc/production.md';    # the columns that were measured
        my $bytes = $row =~ /^\| [^|]*\bbytes,/;
        my @figures =
          $bytes
          ? map { [ tr/,//dr, 'B' ] } $row =~ /\| (?:[^|]*: )?\**([\d,]+)\**(?= \|)/g
          : grep { $_->[1] ne 'B' } figures($row);
        next if !@figures;
        $checked += @figures;
        is(missing(\%there, @figures), '', "$path: $row");
    }
}
cmp_ok($checked, '>', 50, 'the pages have figures');
done_testing();

# The times, memory and numbers of bytes of a text: [ number, unit ].
sub figures
{
    my ($text) = @_;
    my @figures;
    push @figures, [ $1 =~ tr/,//dr, $2 ] while $text =~ /([\d,]*\.?\d+) (C|MB|B|s|ms)\b/g;
    return @figures;
}

# Those that a set does not have, as a list to print.
sub missing
{
    my ($set, @figures) = @_;
    return join ', ', grep { !exists $set->{$_} } map { $_->[0] + 0 . " $_->[1]" } @figures;
}

# A whole number, as of memory: 3.84 MB are 4.
sub whole
{
    return sprintf '%.0f', $_[0];
}
