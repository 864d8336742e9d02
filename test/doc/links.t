#!/usr/bin/env perl
#
# Every link of a document leads to a file that is there, and to a heading or an anchor that is there.

use strict;
use warnings;
use utf8;

use File::Basename qw(dirname);
use File::Spec;
use FindBin;
use Test::More;

binmode $_, ':utf8' for *STDOUT, *STDERR;
binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output);
chdir "$FindBin::Bin/../.." or die "chdir: $!";

my %text = map { File::Spec->canonpath($_) => prose($_) }
  split /\n/, `git ls-files '*.md' 2>/dev/null || find . -name '*.md'`;
my %headings = map { $_ => headings($text{$_}) } keys %text;

for my $path (sort keys %text)
{
    my @dead;
    while ($text{$path} =~ /\]\(([^()\s]+)\)/g)
    {
        my $target = $1;
        next if $target =~ /^\w+:/;
        my ($file, $heading) = split /#/, $target, 2;
        my $there = $file eq '' ? $path : flat(dirname($path) . "/$file");
        if (!-e $there)
        {
            push @dead, $target;
        }
        elsif (defined $heading && !$headings{$there}{$heading})
        {
            push @dead, $target;
        }
    }
    is("@dead", '', "$path: links");
}
is(slug('`hll`: *how many?* (1,000)'), 'hll-how-many-1000', 'the anchor of a heading, as GitHub makes it');
done_testing();

# The document without its blocks of code.
sub prose
{
    my ($path) = @_;
    open my $in, '<:utf8', $path or die "$path: $!";
    local $/;
    my $text = <$in>;
    $text =~ s/^```.*?^```\n//msg;
    return $text;
}

sub headings
{
    my ($text) = @_;
    my (%there, %times);
    $there{$_} = 1 for $text =~ /<a id="([^"]+)">/g;
    for ($text =~ /^#+ (.*)/mg)
    {
        my $slug = slug($_);
        my $again = $times{$slug}++;
        $there{ $again ? "$slug-$again" : $slug } = 1;
    }
    return \%there;
}

sub slug
{
    my ($heading) = @_;
    $heading = lc $heading;
    $heading =~ s/[^\w\- ]//g;
    return $heading =~ tr/ /-/r;
}

# a/b/../c is a/c.
sub flat
{
    my ($path) = @_;
    1 while $path =~ s{(?:^|/)\K(?!\.\.?/)[^/]+/\.\./}{};
    return File::Spec->canonpath($path);
}
