# Pages - what the tests of the documentation share: they run in the top directory, in UTF-8.

package Pages;

use strict;
use warnings;
use utf8;

use Exporter 'import';
use File::Basename qw(dirname);
use Test::More ();

our @EXPORT = qw(psql read_file);

binmode $_, ':utf8' for *STDOUT, *STDERR;
binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output);
chdir dirname(__FILE__) . '/../..' or die "chdir: $!";

# What psql prints of one statement.
sub psql
{
    my ($database, $sql) = @_;
    open my $out, '-|:utf8', 'psql', '-XAtq', '-d', $database, '-c', $sql or die "psql: $!";
    local $/;
    return <$out>;
}

sub read_file
{
    my ($path) = @_;
    open my $in, '<:utf8', $path or die "$path: $!";
    local $/;
    return <$in>;
}

1;
