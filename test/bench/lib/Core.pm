# Core - a C program of this directory with all of src/core, optimized as the extension is.
#
#   my $program = Core::build('hll_accuracy');      # test/bench/hll_accuracy.c
#   my @outputs = Core::outputs($program, [ 1, 2 ], [ 3, 4 ]);
#
# `outputs` runs it for each list of arguments, two at a time, and returns the lines of each run, in
# words.
#
# CRoaring is found as by src/croaring.mk: its sources, or else the library, which is opened.

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
    my ($croaring) = grep { defined && $_ ne '' } $ENV{CROARING_DIR}, named_sources(), glob("$root/{croaring}");
    my @sources = ("$bench/$name.c", glob("$root/src/core/*.c $root/src/core/*/*.c"));
    my @flags = packages('--cflags', 'libxxhash');
    my @libraries = ('-lm');
    if (defined $croaring && -d $croaring)
    {
        push @flags, "-I$croaring/include";
        push @sources, glob("$croaring/src/*.c"), glob("$croaring/src/*/*.c");
    }
    else
    {
        push @flags, '-DSKETCHES_CROARING_OPENED';
        push @libraries, '-ldl' if $^O eq 'linux';
    }
    make_path("$root/build/bench");
    # A program looks for make deps' library where it is itself.
    my $library = 'sketches-libroaring.so';
    unlink "$root/build/bench/$library";
    symlink "$root/croaring-library/$library", "$root/build/bench/$library";
    system(split(' ', $ENV{CC} // 'cc'), qw(-O2 -std=gnu11 -ffp-contract=off), '-iquote', "$root/src",
        @flags, '-o', $program, @sources, @libraries) == 0
      or die "$name: cannot build $program\n";
    return $program;
}

sub named_sources
{
    open my $in, '<', "$root/croaring.path" or return;
    chomp(my $directory = <$in> // '');
    return $directory;
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
