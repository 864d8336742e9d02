#!/usr/bin/env perl
#
# The documentation is run: every ```sql block of a document, in one session of a fresh database,
# must print the ```text block after it, wherever the reader lives: one without UTC's days and with summer
# time, and at full length two more.
#
# Usage: examples.t [DOCUMENT...]; all of them by default.
#
# A block that is to be shown and not run is fenced as something else. Plans differ between versions
# of PostgreSQL, and are compared on the version they were written with.

use strict;
use warnings;
use utf8;

use File::Temp;
use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Pages;

use constant WRITTEN_WITH => 15;

my @DOCUMENTS = ('README.md', grep { read_file($_) =~ /^```sql$/m } glob('doc/*.md doc/*/*.md'));

# Everything runs beside one server.
if (!$ENV{SKETCHES_DOC_SERVER})
{
    $ENV{SKETCHES_DOC_SERVER} = 1;
    exec 'test/harness/with-server', '--conf', 'jit=off', '--', $^X, $0, @ARGV or die "with-server: $!";
}

my ($version) = psql('postgres', 'show server_version_num') =~ /^(\d+)\d{4}$/m;

# Databases are copies of one: to create the extension takes longer than most documents do.
psql('postgres', 'CREATE DATABASE extended');
psql('extended', 'CREATE EXTENSION sketches');

my @ZONES = ('America/New_York', ($ENV{SAMPLE} // 1) > 1 ? () : qw(UTC Asia/Kolkata));
for my $zone (@ZONES)
{
    check_examples($_, $zone) for @ARGV ? @ARGV : @DOCUMENTS;
}
done_testing();

sub fresh_database
{
    my ($name, $zone, $template) = @_;
    psql('postgres', "CREATE DATABASE $name TEMPLATE $template");
    psql('postgres', "ALTER DATABASE $name SET timezone TO '$zone'");
    return $name;
}

sub check_examples
{
    my ($path, $zone) = @_;
    my $text = read_file($path);
    my @examples;
    while ($text =~ /^```sql\n(.*?)^```\n(?:\n?```text\n(.*?)^```\n)?/msg)
    {
        push @examples,
          { sql => $1, shown => defined $2, expected => $2 // '', line => 1 + (substr($text, 0, $-[0]) =~ tr/\n//) };
    }
    my $template = $text =~ /^CREATE EXTENSION sketches;/m ? 'template1' : 'extended';
    my $database = fresh_database('doc_' . lc("${path}_$zone" =~ s/\W/_/gr), $zone, $template);

    my $script = "\\set QUIET on\n\\pset pager off\n\\set SHOW_CONTEXT never\n";
    $script .= "\\echo \@begin $_\n$examples[$_]{sql}\n;\n\\echo \@end $_\n" for 0 .. $#examples;
    my $file = File::Temp->new(SUFFIX => '.sql');
    binmode $file, ':utf8';
    print $file $script;
    close $file;
    # The order in which workers answer is in the last digits of a tdigest.
    local $ENV{PGOPTIONS} = '-c max_parallel_workers_per_gather=0';
    open my $out, '-|:utf8', "psql -X -d $database -f '$file' 2>&1" or die "psql: $!";
    my $output = do { local $/; <$out> };
    close $out;
    # Roles are those of the server: the page makes its own again in the next zone.
    psql('postgres', "DROP DATABASE $database");
    psql('postgres', "DROP ROLE $_") for split /\n/, psql('postgres', 'SELECT rolname FROM pg_roles WHERE oid >= 16384');

    for my $i (0 .. $#examples)
    {
        my ($got) = $output =~ /^\@begin $i\n(.*?)^\@end $i\n/ms;
        if ($version != WRITTEN_WITH && $examples[$i]{expected} =~ /QUERY PLAN/)
        {
            like($got, qr/QUERY PLAN/, "$path, line $examples[$i]{line}, a plan");
            next;
        }
        my $expected = $examples[$i]{expected};
        # Without an output, a page need not show the name that rollup_create returns.
        $got =~ s/^ rollup_create *\n-+\n \w+\n\(1 row\)\n//mg if defined $got && !$examples[$i]{shown};
        # PostgreSQL's own hint about a call that fits no function was written anew in 19.
        if ($version != WRITTEN_WITH && $expected =~ /^HINT:  No function matches/m)
        {
            s/^(?:DETAIL|HINT): .*\n?//mg for $expected, $got;
        }
        is(normal($got // 'nothing'), normal($expected), "$path, line $examples[$i]{line}, $zone");
    }
}

# Without where in the script an error was, and without white space that an editor would remove.
sub normal
{
    my ($text) = @_;
    $text =~ s/^psql:[^:]*:\d+: //mg;
    $text =~ s/^NOTICE: .*\n//mg;
    $text =~ s/^LINE \d+:.*\n *\^\n//mg;
    $text =~ s/[ \t]+$//mg;
    $text =~ s/\A\n+|\n+\z//g;
    return $text;
}
