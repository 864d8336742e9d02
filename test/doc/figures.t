#!/usr/bin/env perl
#
# The figures of other pages are those of doc/bench. Each time (C), memory (MB) and number of bytes in a row of a
# table below is, in its two digits or in full, a figure of the same unit there. What is measured is not compared,
# only that it was: a new `make bench` that moves a figure shows which rows to write again.

use strict;
use warnings;
use utf8;

use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Pages;

my %there;
for my $path (grep { !/README|-/ } glob 'doc/bench/*.md')
{
    for my $row (read_file($path) =~ /^\|.*/mg)
    {
        while ($row =~ /([\d,]*\.?\d+) (C|MB|B)\b/g)
        {
            my ($number, $unit) = ($1 =~ tr/,//dr, $2);
            $there{"$_ $unit"} = $path for $number + 0, sprintf('%.1e', $number) + 0, whole($number);
        }
    }
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
        my @figures = map { [ $_->[0] =~ tr/,//dr, $_->[1] ] }
          $bytes ? map { [ $_, 'B' ] } $row =~ /\| (?:[^|]*: )?\**([\d,]+)\**(?= \|)/g
          : pairs($row =~ /([\d,]*\.?\d+) (C|MB)\b/g);
        my @missing = grep { !$there{ ($_->[0] + 0) . " $_->[1]" } } @figures;
        next if !@figures;
        $checked += @figures;
        is(join(', ', map { "@$_" } @missing), '', "$path: $row");
    }
}
cmp_ok($checked, '>', 50, 'the pages have figures');
done_testing();

sub pairs
{
    my @list = @_;
    return map { [ @list[ 2 * $_, 2 * $_ + 1 ] ] } 0 .. @list / 2 - 1;
}

# A whole number, as of memory: 3.84 MB are 4.
sub whole
{
    return sprintf '%.0f', $_[0];
}
