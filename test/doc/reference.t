#!/usr/bin/env perl
#
# The pages of doc/reference against the catalog: a row for every function and operator, with its
# signature and its COMMENT; an anchor and an example for every function; the sections of every page in
# one order; and no document names a function that does not exist.

use strict;
use warnings;
use utf8;

use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Pages;

# A page of a type has those of these sections that it needs, and its own between them.
my @SECTIONS = (
    'Quick example', 'Aggregates', 'Queries', 'Change', 'Inspect', 'Errors', 'NULL and empty',
    'Accuracy', 'Limits', 'Other systems');

# Functions of other extensions that have our prefixes.
my $FOREIGN = qr/^(?:hll_(?:hash\w+|send|add_agg|eq|log2m|type|print|regwidth|expthresh|sparseon
    |schema_version|set_\w+|sketch_\w+|union_distinct|cardinality_distinct)|tdigest_(?:send|percentile_of
    |avg|sum|digest_\w+|json|double_array)|theta_sketch_\w+|bitfield_ro|geohash_\w+_idx)$/x;

if (!$ENV{SKETCHES_DOC_SERVER})
{
    $ENV{SKETCHES_DOC_SERVER} = 1;
    exec 'test/harness/with-server', '--', $^X, $0, @ARGV or die "with-server: $!";
}

psql('postgres', 'CREATE DATABASE doc_reference');
psql('doc_reference', 'CREATE EXTENSION sketches');

my $MEMBERS = <<'SQL';
SELECT concat_ws(E'\t', CASE WHEN proretset THEN 'set' ELSE 'one' END, proname,
                 pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
                 obj_description(p.oid, 'pg_proc'))
  FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid
 WHERE d.classid = 'pg_proc'::regclass AND proname NOT LIKE '\_%'
   AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
UNION ALL
SELECT concat_ws(E'\t', 'operator', '',
                 concat_ws(' ', nullif(oprleft, 0)::regtype, oprname, oprright::regtype),
                 oprresult::regtype, obj_description(o.oid, 'pg_operator'))
  FROM pg_depend AS d JOIN pg_operator AS o ON o.oid = d.objid
 WHERE d.classid = 'pg_operator'::regclass AND oprname !~ '^(#\*)?(=|<>|<|<=|>|>=)$'
   AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
SQL

# Signature => COMMENT, and the names of the functions. Names with a leading _ and the comparisons
# that every type has are left out.
my (%comment, %function);
for (split /\n/, psql('doc_reference', $MEMBERS))
{
    my ($kind, $name, $arguments, $result, $comment) = split /\t/;
    $comment{ signature($kind, $name, $arguments, $result) } = $comment;
    $function{$name} = 1 if $name ne '';
}
cmp_ok(scalar keys %comment, '>', 400, 'the extension has functions and operators');

my %page = map { $_ => read_file($_) } glob 'doc/reference/*.md';
check_rows();
check_examples($_) for sort keys %page;
check_sections($_) for grep { !m{/(?:README|functions|interop|limits|messages|windows)\.md$} } sort keys %page;
check_index();
check_names($_) for 'README.md', glob('doc/*.md doc/reference/*.md');
done_testing();

sub signature
{
    my ($kind, $name, $arguments, $result) = @_;
    return "$arguments → $result" if $kind eq 'operator';
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

# Every signature is in the first cell of one row. The other two are its COMMENT, up to the errors, and
# the SQLSTATEs in it; "the same" is short for the comment of the row above.
sub check_rows
{
    my (%written, @twice, @wrong);
    for my $path (sort keys %page)
    {
        my $above = '';
        while ($page{$path} =~ /^\| (?:<a id="\w+"><\/a>)?`([^`\n]* → [^`\n]*)` \| (.*) \|(.*)\|$/mg)
        {
            my ($cell, $result, $errors) = ($1, $2, $3);
            my $said = $result eq 'the same' ? $above : $result =~ s/\\(?=\|)|`//gr;
            for my $signature (signatures($cell =~ s/\\\|/|/gr))
            {
                push @twice, $signature if $written{$signature}++;
                my ($truth, $codes) = split /; errors: /, $comment{$signature} // next;
                my %seen;
                my $listed = join ', ', map { "`$_`" } grep { !$seen{$_}++ } ($codes // '') =~ /\b(?=\w*\d)([0-9A-Z]{5})\b/g;
                push @wrong, "$signature | $truth | $listed |\n" if $said ne $truth || $errors !~ /^\s*\Q$listed\E\s*$/;
                $above = $truth;
            }
        }
    }
    my @missing = grep { !$written{$_} } sort keys %comment;
    is(join("\n", @missing), '', 'doc/reference has every signature')
      || diag(map { page_of($_) . " needs: | `$_` | $comment{$_} |\n" } @missing);
    is(join("\n", grep { !$comment{$_} } sort keys %written), '', '... and no other');
    is(join("\n", @twice), '', '... and none twice');
    is(join('', @wrong), '', '... each with its COMMENT and its errors');
}

# Where a signature is looked for: on the page that its name or an argument begins with.
sub page_of
{
    my ($signature) = @_;
    my ($type) = grep { $page{"doc/reference/$_.md"} } $signature =~ /^([a-z0-9]+)_/, $signature =~ /[a-z0-9]+/g;
    return 'doc/reference/' . ($type // 'a page') . '.md';
}

# f(x integer / text) is f(x integer) and f(x text).
sub signatures
{
    my ($cell) = @_;
    my $type = qr/(?:double precision|character varying|\w+)(?:\[\])?/;
    return $cell if $cell !~ m{^(.*?)($type(?: / $type)+)(.*)$};
    my ($before, $types, $after) = ($1, $2, $3);
    return map { "$before$_$after" } split m{ / }, $types;
}

# On the page that has a function's rows there are its anchor, at the first of them, and a call.
sub check_examples
{
    my ($path) = @_;
    my $text = $page{$path};
    my $sql = join '', $text =~ /^```sql\n(.*?)^```/msg;
    my (%seen, @anchorless, @uncalled);
    while ($text =~ /^\| (<a id="(\w+)"><\/a>)?`(\w+)\([^`\n]* → /mg)
    {
        my ($anchor, $id, $name) = ($1, $2, $3);
        next if $seen{$name}++;
        # A function with the name of its page is not where the page's title is.
        push @anchorless, $name if !$anchor || $id !~ /^(?:function_)?$name$/;
        push @uncalled, $name if $sql !~ /\b$name\(|::$name\b/;
    }
    is("@anchorless", '', "$path: an anchor for every function");
    is("@uncalled", '', "$path: an example for every function");
}

sub check_sections
{
    my ($path) = @_;
    my %place = map { $SECTIONS[$_] => $_ } 0 .. $#SECTIONS;
    my @found = grep { defined $place{$_} } $page{$path} =~ /^## (.*)/mg;
    my @sorted = sort { $place{$a} <=> $place{$b} } @found;
    is("@found", "@sorted", "$path: the order of the sections");
    my %has = map { $_ => 1 } @found;
    is(join(', ', grep { !$has{$_} } 'Quick example', 'Errors', 'NULL and empty', 'Accuracy', 'Limits'),
        '', "$path: the sections of every page");
}

# functions.md has a row for every function, once, by what one wants to do: its first signature, a link to
# its anchor, and what its page says there.
sub check_index
{
    my (%row, %anchor, @twice);
    for my $path (sort keys %page)
    {
        my ($file) = $path =~ m{([^/]+)$};
        next if $file eq 'functions.md';
        while ($page{$path} =~ /^\| <a id="(\w+)"><\/a>`((\w+)\([^`\n]* → [^`\n]*)` \| (.*) \|.*\|$/mg)
        {
            $row{$3} //= "| [`$2`]($file#$1) | $4 |";
            push @twice, "$file#$1" if $anchor{"$file#$1"}++ || $page{$path} =~ /^#+ \Q$1\E$/m;
        }
    }
    delete $row{bytea};
    my $text = $page{'doc/reference/functions.md'};
    my @listed = $text =~ /^(\| \[.*)$/mg;
    my (%listed, %true);
    @listed{@listed} = @true{values %row} = ();
    is(join("\n", sort grep { !exists $listed{$_} } values %row), '', 'doc/reference/functions.md has every function')
      || diag('copy these lines into the table of what one does with them');
    is(join("\n", grep { !exists $true{$_} } @listed), '', '... and no other');
    is(scalar @listed, scalar keys %listed, '... and none twice');
    is(join(' ', $text =~ /^## (.*)$/mg), 'Make Merge Query Change Inspect Exchange', '... by what one wants to do');
    is(join(' ', grep { !$row{$_} && $_ ne 'bytea' } sort keys %function), '', '... and every one that the catalog has');
    is("@twice", '', 'no anchor of a function is there twice, nor a title');
}

sub check_names
{
    my ($path) = @_;
    my $prefix = join '|', map { s{.*/|\.md$}{}gr } grep { !/README|functions|interop|limits|messages|windows/ } keys %page;
    my %unknown;
    for my $name (read_file($path) =~ /\b((?:$prefix|approx)_\w+)\(/g)
    {
        $unknown{$name} = 1 if !$function{$name} && $name !~ $FOREIGN;
    }
    is(join(' ', sort keys %unknown), '', "$path: names no function that does not exist");
}
