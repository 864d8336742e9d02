#!/usr/bin/env perl
#
# The pictures of the documentation: those of doc/bench are what their tables say, and in none does a
# label lie on another one, on a dot, or beyond the edge.

use strict;
use warnings;
use utf8;

use FindBin;
use Test::More;

use lib "$FindBin::Bin/lib";
use Overview;
use Pictures;
use Plot;

binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output);
chdir "$FindBin::Bin/../.." or die "chdir: $!";

# Widths of a letter by class, on the safe side; the height of a line.
my %LETTER = (title => 9.0, head => 8.5, panel => 8.0, small => 6.8, code => 7.4);
use constant { OTHER => 7.2, HEIGHT => 12 };

my $drawn = Pictures::draw('doc/bench');
for my $file (sort keys %$drawn)
{
    ok(-e "doc/bench/$file" && Pictures::slurp("doc/bench/$file") eq $drawn->{$file},
        "doc/bench/$file is what its table says");
}
ok(Pictures::slurp('doc/overview.svg') eq Overview::draw('doc/bench'), 'doc/overview.svg is what the tables say');
is(join(' ', grep { !$drawn->{ s{.*/}{}r } } glob 'doc/bench/*.svg'), '', 'no other pictures there');
for my $path (glob 'doc/bench/*.md')
{
    my @shown = Pictures::slurp($path) =~ /^!\[[^\]]*\]\(([^)]+)\)/mg;
    is(join(' ', grep { !$drawn->{$_} } @shown), '', "$path: its pictures are drawn");
}

for my $path (glob 'doc/*.svg doc/*/*.svg')
{
    is(join("\n", collisions(Pictures::slurp($path))), '', "$path: no collisions");
}

# The check sees what it is for.
my $dot = '<circle class="c0 dots" cx="30" cy="16" r="3.5"/>';
my $on_dot = '<text x="20" y="20">on it</text>';
my $beside = '<text x="70" y="20">beside</text>';
my $paper = '<svg width="200" height="40"></svg>';
is(scalar collisions("$paper\n$dot\n$beside\n"), 0, 'a label beside a dot');
is(scalar collisions("$paper\n$dot\n$on_dot\n"), 1, 'a label on a dot');
is(scalar collisions("$paper\n$beside\n$beside\n"), 1, 'two labels in one place');
is(scalar collisions("$paper\n<text x=\"180\" y=\"20\">too far</text>\n"), 1, 'beyond the edge');
done_testing();

sub collisions
{
    my ($svg) = @_;
    my ($width, $height) = $svg =~ /<svg [^>]*?width="(\d+)" height="(\d+)"/;
    my (@labels, @dots, @found);
    while ($svg =~ /<text ([^>]*)>([^<]*)</g)
    {
        my ($how, $text) = ($1, $2 =~ s/&\w+;/x/gr);
        my ($x, $y) = $how =~ /x="([\d.]+)" y="([\d.]+)"/;
        my ($class) = grep { $how =~ /class="[^"]*\b$_\b/ } sort keys %LETTER;
        my $long = length($text) * (defined $class ? $LETTER{$class} : OTHER);
        $x -= $how =~ /anchor="middle"/ ? $long / 2 : $how =~ /anchor="end"/ ? $long : 0;
        my $label = { text => $text, box => [ $x, $y - HEIGHT + 2, $x + $long, $y + 2 ] };
        push @found, "'$text' goes beyond the edge"
          if $x < 0 || $x + $long > $width || $y > $height || $y < HEIGHT;
        push @labels, $label;
    }
    while ($svg =~ /<circle class="c\d dots" cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/g)
    {
        push @dots, [ $1 - $3, $2 - $3, $1 + $3, $2 + $3 ];
    }
    for my $i (0 .. $#labels)
    {
        my $label = $labels[$i];
        push @found, map { "'$label->{text}' and '$_->{text}'" }
          grep { overlap($label->{box}, $_->{box}) } @labels[ $i + 1 .. $#labels ];
        push @found, "'$label->{text}' and a dot" if grep { overlap($label->{box}, $_) } @dots;
    }
    return @found;
}

sub overlap
{
    my ($one, $other) = @_;
    return $one->[0] < $other->[2] && $other->[0] < $one->[2] && $one->[1] < $other->[3] &&
      $other->[1] < $one->[3];
}
