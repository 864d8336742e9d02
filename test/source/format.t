#!/usr/bin/env perl
# The C sources are as clang-format writes them. Its output differs between versions; they follow this one.

use strict;
use warnings;

use File::Find;
use Test::More;

use constant VERSION => 14;

my ($format) = grep { `$_ --version 2>/dev/null` =~ /version ${\VERSION}\b/ } 'clang-format-' . VERSION, 'clang-format';
plan skip_all => 'needs clang-format ' . VERSION unless $format;

my @sources;
find({ no_chdir => 1, wanted => sub { push @sources, $_ if /\.[ch]$/ } }, qw(src test));
my %lines;
$lines{$1}++ while `$format --dry-run -Werror @{[ sort @sources ]} 2>&1` =~ /^(\S+?):\d+:\d+: error:/mg;
is_deeply([ map { "$_: $lines{$_} lines" } sort keys %lines ], [], 'formatted (make format does it)');
done_testing();
