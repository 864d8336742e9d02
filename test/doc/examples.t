#!/usr/bin/env perl
#
# The documentation is run: every ```sql block of a document, in one session of a fresh database,
# must print the ```text block behind it. And the pages of doc/reference must name every function and
# operator of the extension.
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

use constant WRITTEN_WITH => 15;


binmode $_, ':utf8' for *STDOUT, *STDERR;
binmode(Test::More->builder->$_, ':utf8') for qw(output failure_output);
chdir "$FindBin::Bin/../.." or die "chdir: $!";
my @DOCUMENTS = ('README.md', grep { read_file($_) =~ /^```sql$/m } glob('doc/*.md doc/*/*.md'));

# Everything runs beside one server.
if (!$ENV{SKETCHES_DOC_SERVER})
{
    $ENV{SKETCHES_DOC_SERVER} = 1;
    exec 'test/harness/with-server', '--', $^X, $0, @ARGV or die "with-server: $!";
}

my ($version) = psql('postgres', 'show server_version_num') =~ /^(\d+)\d{4}$/m;

check_examples($_) for @ARGV ? @ARGV : @DOCUMENTS;
check_reference();
done_testing();

sub psql
{
    my ($database, $sql) = @_;
    open my $out, '-|:utf8', 'psql', '-XAtq', '-d', $database, '-c', $sql or die "psql: $!";
    local $/;
    return <$out>;
}

sub fresh_database
{
    my ($name) = @_;
    psql('postgres', "CREATE DATABASE $name");
    psql('postgres', "ALTER DATABASE $name SET timezone TO 'UTC'");
    return $name;
}

sub read_file
{
    my ($path) = @_;
    open my $in, '<:utf8', $path or die "$path: $!";
    local $/;
    return <$in>;
}

sub check_examples
{
    my ($path) = @_;
    my $text = read_file($path);
    my @examples;
    while ($text =~ /^```sql\n(.*?)^```\n(?:\n?```text\n(.*?)^```\n)?/msg)
    {
        push @examples,
          { sql => $1, expected => $2 // '', line => 1 + (substr($text, 0, $-[0]) =~ tr/\n//) };
    }
    my $database = fresh_database('doc_' . lc($path =~ s/\W/_/gr));
    psql($database, 'CREATE EXTENSION sketches') if $text !~ /^CREATE EXTENSION sketches;/m;

    my $script = "\\set QUIET on\n\\pset pager off\n";
    $script .= "\\echo \@begin $_\n$examples[$_]{sql}\n;\n\\echo \@end $_\n" for 0 .. $#examples;
    my $file = File::Temp->new(SUFFIX => '.sql');
    binmode $file, ':utf8';
    print $file $script;
    close $file;
    # The order in which workers answer is in the last digits of a tdigest.
    local $ENV{PGOPTIONS} = '-c max_parallel_workers_per_gather=0';
    open my $out, '-|:utf8', "psql -X -d $database -f '$file' 2>&1" or die "psql: $!";
    my $output = do { local $/; <$out> };

    for my $i (0 .. $#examples)
    {
        my ($got) = $output =~ /^\@begin $i\n(.*?)^\@end $i\n/ms;
        if ($version != WRITTEN_WITH && $examples[$i]{expected} =~ /QUERY PLAN/)
        {
            like($got, qr/QUERY PLAN/, "$path, line $examples[$i]{line}, a plan");
            next;
        }
        my $expected = $examples[$i]{expected};
        # PostgreSQL's own hint about a call that fits no function was written anew in 19.
        if ($version != WRITTEN_WITH && $expected =~ /^HINT:  No function matches/m)
        {
            s/^(?:DETAIL|HINT): .*\n?//mg for $expected, $got;
        }
        is(normal($got // 'nothing'), normal($expected), "$path, line $examples[$i]{line}");
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

# The first cell of a row of doc/reference is the signature of a function or operator as the catalog
# has it: each object is there, and each signature is true. Names with a leading _, casts by input and
# output, and the comparisons that every type has are left out.
sub check_reference
{
    my $database = fresh_database('doc_members');
    psql($database, 'CREATE EXTENSION sketches');
    my $members = <<'SQL';
SELECT concat_ws(E'\t', CASE WHEN proretset THEN 'set' ELSE 'one' END, proname,
                 pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
  FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid
 WHERE d.classid = 'pg_proc'::regclass AND proname NOT LIKE '\_%'
   AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
UNION ALL
SELECT concat_ws(' ', nullif(oprleft, 0)::regtype, oprname, oprright::regtype, '→', oprresult::regtype)
  FROM pg_depend AS d JOIN pg_operator AS o ON o.oid = d.objid
 WHERE d.classid = 'pg_operator'::regclass AND oprname !~ '^(#\*)?(=|<>|<|<=|>|>=)$'
   AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
SQL
    my %true = map { signature($_) => 1 } split /\n/, psql($database, $members);
    my (%written, @twice);
    for my $path (glob 'doc/reference/*.md')
    {
        for (read_file($path) =~ /^\| `([^`\n]* → [^`\n]*)` \|/mg)
        {
            my $cell = s/\\\|/|/gr;
            push @twice, $cell if $written{$cell}++;
        }
    }
    cmp_ok(scalar keys %true, '>', 400, 'the extension has functions and operators');
    is(join("\n", grep { !$written{$_} } sort keys %true), '', 'doc/reference has every one');
    is(join("\n", grep { !$true{$_} } sort keys %written), '', '... and no other signature');
    is(join("\n", @twice), '', '... and none twice');
}

# A function's row is kind, name, arguments, result; an operator's is its signature.
sub signature
{
    my ($row) = @_;
    my ($kind, $name, $arguments, $result) = split /\t/, $row, 4;
    return $row if !defined $name;
    my (@in, @out);
    for (split /, (?=(?:OUT |INOUT |VARIADIC )?"?\w+"?(?: |,|\[|$))/, $arguments)
    {
        s/ DEFAULT ('[^']*'|\S+?)(?:::[\w ]+(?:\[\])?)?$/ = $1/;
        my ($mode) = s/^(OUT|INOUT) // ? $1 : 'IN';
        push @in, $_ if $mode ne 'OUT';
        push @out, $_ if $mode ne 'IN';
    }
    $result = ($kind eq 'set' ? 'SETOF ' : '') . '(' . join(', ', @out) . ')' if @out;
    return "$name(" . join(', ', @in) . ") → $result";
}
