# Core - a C program of this directory with all of src/core, optimized as the extension is.
#
#   my $program = Core::build('hll_accuracy');      # test/bench/hll_accuracy.c
#   my @outputs = Core::outputs($program, [ 1, 2 ], [ 3, 4 ]);
#
# `outputs` runs it for each list of arguments, two at a time, and returns the lines of each run, in
# words.
#
# CRoaring is found as by the Makefile: the system's, or the sources in CROARING_DIR.

package Core;

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);

my $bench = abs_path(dirname(__FILE__) . '/..');
my $root = abs_path("$bench/../..");

sub build
{
    my ($name) = @_;
    my $program = "$root/build/bench/$name";
    my $croaring = $ENV{CROARING_DIR};
    my @sources = ("$bench/$name.c", glob("$root/src/core/*.c $root/src/core/*/*.c"));
    my @flags = packages('--cflags', 'libxxhash');
    my @libraries = ('-lm');
    if (defined $croaring && $croaring ne '')
    {
        push @flags, "-I$croaring/include";
        push @sources, glob("$croaring/src/*.c"), glob("$croaring/src/*/*.c");
    }
    else
    {
        push @flags, packages('--cflags', 'roaring');
        push @libraries, packages('--libs', 'roaring');
    }
    make_path("$root/build/bench");
    system(split(' ', $ENV{CC} // 'cc'), qw(-O2 -std=gnu11 -ffp-contract=off), '-iquote', "$root/src",
        @flags, '-o', $program, @sources, @libraries) == 0
      or die "$name: cannot build $program\n";
    return $program;
}

sub outputs
{
    my ($program, @runs) = @_;
    my @outputs;
    while (my @pair = splice @runs, 0, 2)
    {
        my @pipes = map {
            open my $pipe, '-|', $program, @$_ or die "$program: $!\n";
            $pipe
        } @pair;
        for my $pipe (@pipes)
        {
            push @outputs, [ map { [ split ' ' ] } <$pipe> ];
            close $pipe or die "$program failed\n";
        }
    }
    return @outputs;
}

sub packages
{
    my ($what, $package) = @_;
    return split ' ', qx{pkg-config $what $package 2>/dev/null};
}

1;
