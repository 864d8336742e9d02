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

# What README.md there says of all types; a row may leave it out.
my $GENERAL = qr/; (?:NULL over no rows|NULL (?:elements|weights) are skipped|NULL for NULL|reads the header only)/;

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
my %of_all_types = of_all_types();
check_rows();
check_examples($_) for sort keys %page;
check_sections($_) for grep { !m{/(?:README|functions|interop|limits|messages)\.md$} } sort keys %page;
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

# Every signature is in the first cell of one row. The other two are its COMMENT, up to the errors and with or
# without what holds for all types, and the SQLSTATEs in it; "the same" is short for the comment of the row above. A row of
# a function with arguments that may be left out has what holds with all of them, and may go on with what holds without.
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
            my @variants = variants($cell =~ s/\\\|/|/gr);
            for my $signature (map { signatures($_) } @variants)
            {
                push @twice, $signature if $written{$signature}++;
                my ($truth, $listed) = truth($comment{$signature} // $of_all_types{$signature} // next);
                my $raised = raised($errors, $signature);
                my $right;
                if (grep { $signature eq $_ } signatures($variants[-1]))
                {
                    $right = $listed eq $raised
                      && grep { $said eq $_ || @variants > 1 && $said =~ /^\Q$_\E; / } $truth, $truth =~ s/$GENERAL//gr;
                    $above = $truth;
                }
                else
                {
                    $right = !grep { index($raised, $_) < 0 } split /, /, $listed;
                }
                push @wrong, "$signature | $truth | $listed |\n" if !$right;
            }
        }
    }
    my @missing = grep { !$written{$_} && !of_all_types_too($_, \%written) && !as_narrow($_, \%written) } sort keys %comment;
    is(join("\n", @missing), '', 'doc/reference has every signature')
      || diag(map { page_of($_) . " needs: | `$_` | $comment{$_} |\n" } @missing);
    is(join("\n", grep { !$comment{$_} && !$of_all_types{$_} } sort keys %written), '', '... and no other');
    is(join("\n", @twice), '', '... and none twice');
    is(join('', @wrong), '', '... each with its COMMENT and its errors');
}

# A COMMENT without its errors, and their SQLSTATEs.
sub truth
{
    my ($truth, $codes) = split /; errors: /, $_[0];
    my %seen;
    return ($truth, join ', ', map { "`$_`" } grep { !$seen{$_}++ } ($codes // '') =~ /\b(?=\w*\d)([0-9A-Z]{5})\b/g);
}

# README.md there has what every type has, with T for the type: what has one COMMENT for more than ten of them.
sub of_all_types
{
    my (%types, %general);
    $types{ with_T($_) }{ $comment{$_} }++ for keys %comment;
    for my $signature (keys %types)
    {
        my ($comment) = grep { $types{$signature}{$_} > 10 } keys %{ $types{$signature} };
        $general{$signature} = $comment if defined $comment;
    }
    return %general;
}

sub of_all_types_too
{
    my ($signature, $written) = @_;
    my $general = with_T($signature);
    return $written->{$general} && $of_all_types{$general} eq $comment{$signature};
}

sub with_T
{
    my ($signature) = @_;
    my $types = join '|', map { m{([^/]+)\.md$} } keys %page;
    return $signature =~ s/\b(?:$types)\b/T/gr;
}

# roaring64.md has only what differs from roaring.md: a function does the same and raises the same, without a value
# that is out of range, and with a range that wraps around.
sub as_narrow
{
    my ($signature, $written) = @_;
    my $narrow = $signature =~ s/roaring64/roaring/gr;
    return if $signature eq $narrow || !$written->{$narrow};
    my ($truth, $listed) = truth($comment{$signature});
    my ($of_narrow, $narrow_listed) = truth($comment{$narrow});
    my @codes = grep { $_ ne '`22003`' || $signature !~ / → roaring64$/ } split /, /, $narrow_listed;
    unshift @codes, '`22023`' if $signature =~ /lo bigint, hi bigint/;
    return $truth eq $of_narrow && $listed eq join ', ', @codes;
}

# Where a signature is looked for: on the page that its name or an argument begins with.
sub page_of
{
    my ($signature) = @_;
    my ($type) = grep { $page{"doc/reference/$_.md"} } $signature =~ /^([a-z0-9]+)_/, $signature =~ /[a-z0-9]+/g;
    return 'doc/reference/' . ($type // 'a page') . '.md';
}

# f(x integer [, y text [, z text]]) is f(x integer), and f with two, and with three arguments.
sub variants
{
    my ($cell) = @_;
    my ($before, $arguments, $after) = $cell =~ /^(\w+\()(.*?)(\) → .*)$/ or return $cell;
    my @arguments = split / \[, /, $arguments;
    return $cell if @arguments < 2;
    my $closing = ']' x $#arguments;
    $arguments[-1] =~ s/\Q$closing\E$// or return $cell;
    return map { $before . join(', ', @arguments[ 0 .. $_ ]) . $after } 0 .. $#arguments;
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

# The SQLSTATEs of a row that hold for one of its signatures: "`54000` for text" is for those with a text.
sub raised
{
    my ($errors, $signature) = @_;
    my @raised;
    for (split /, /, $errors =~ s/^\s+|\s+$//gr)
    {
        my ($code, $type) = /^(`\w+`)(?: for (.+))?$/ or return $errors;
        push @raised, $code if !defined $type || $signature =~ /\b\Q$type\E(?: |[,)])/;
    }
    return join ', ', @raised;
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
        next if $seen{$name}++ || $name eq 'T';
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

# functions.md has every function once, in the first cell of a row: its name, as a link to its anchor. The
# second cell says something. roaring64 has the functions of roaring, and the page says so instead.
sub check_index
{
    my (%anchor, %link, @twice);
    for my $path (sort keys %page)
    {
        my ($file) = $path =~ m{([^/]+)$};
        next if $file eq 'functions.md';
        while ($page{$path} =~ /^\| <a id="(\w+)"><\/a>`(\w+)\([^`\n]* → /mg)
        {
            $link{$2} //= "$file#$1";
            push @twice, "$file#$1" if $anchor{"$file#$1"}++ || $page{$path} =~ /^#+ \Q$1\E$/m;
        }
    }
    my $text = $page{'doc/reference/functions.md'};
    my (%listed, @mute);
    while ($text =~ /^\| (\[`.*?) \|(.*)\|$/mg)
    {
        my ($names, $line) = ($1, $2);
        push @mute, $names if $line !~ /\w/;
        $listed{"[`$1`]($2)"}++ while $names =~ /\[`(\w+)`\]\(([^)]*)\)/g;
    }
    # The constructor of each type from its bytes is one row, of T.
    my @here = ('T', grep { $_ ne 'bytea' && !/^roaring64/ && ($link{$_} || !$page{"doc/reference/$_.md"}) } keys %function);
    my %true = map { ("[`$_`](" . ($link{$_} // 'an anchor') . ')' => 1) } @here;
    is(join("\n", sort grep { !$listed{$_} } keys %true), '', 'doc/reference/functions.md has every function')
      || diag('put these links into the table of what one does with them');
    is(join("\n", sort grep { !$true{$_} } keys %listed), '', '... and no other');
    is(join("\n", sort grep { $listed{$_} > 1 } keys %listed), '', '... and none twice');
    is(join("\n", @mute), '', '... and says what each is for');
    is(join(' ', $text =~ /^## (.*)$/mg), 'Rollups Make Merge Query Change Inspect Exchange', '... by what one wants to do');
    is(join(' ', sort grep { /^roaring64/ && !$function{s/64//r} } keys %function), '', '... and roaring64 has those of roaring');
    is("@twice", '', 'no anchor of a function is there twice, nor a title');
}

sub check_names
{
    my ($path) = @_;
    my $prefix = join '|', map { s{.*/|\.md$}{}gr } grep { !/README|functions|interop|limits|messages/ } keys %page;
    my %unknown;
    for my $name (read_file($path) =~ /\b((?:$prefix|approx)_\w+)\(/g)
    {
        $unknown{$name} = 1 if !$function{$name} && $name !~ $FOREIGN;
    }
    is(join(' ', sort keys %unknown), '', "$path: names no function that does not exist");
}
