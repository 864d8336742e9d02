# Rows - reads a .bench file: what is measured of one type. README.md explains the format.
#
#   my $bench = Rows::read_bench($path);
#   $bench->{type}          { name, extension, finding, peer, 'peer name', 'peer note' }
#   $bench->{setup}{NAME}   { sql, 'peer sql' }
#   $bench->{rows}          [ { name, title, query, ..., limits => [ { what, op, value, unit } ] } ]
#
# Whatever is not understood is an error that names file and line: a misspelt key must not turn
# into a limit that nobody holds.

package Rows;

use strict;
use warnings;

my %KEYS = (
    type  => [qw(name extension finding peer), 'peer name', 'peer note'],
    setup => [ 'sql', 'peer sql' ],
    row   => [
        qw(title setup set query plan reference peer memory bytes percent limit page),
        'reference name', 'peer slow', 'peer bytes'
    ],
);

# What a limit may be about, and the units it may have.
my %LIMITS = (
    time    => qr/^(?:C|reference|peer)$/,
    speedup => qr/^$/,
    memory  => qr/^MB$/,
    bytes   => qr/^$/,
    percent => qr/^$/,
);

sub read_bench
{
    my ($path) = @_;
    open my $file, '<:encoding(UTF-8)', $path or die "$path: $!\n";
    my $bench = { type => {}, setup => {}, rows => [] };
    my ($section, $kind, $key);
    while (my $line = <$file>)
    {
        my $at = "$path:$.";
        $line =~ s/\s+$//;
        next if $line eq '' || $line =~ /^#/;
        if ($line =~ /^\[(type|setup|row)(?: ([\w-]+))?\]$/)
        {
            $kind = $1;
            $key = undef;
            $section = new_section($bench, $kind, $2, $at);
        }
        elsif ($line =~ /^\s/)
        {
            die "$at: a continuation of nothing\n" unless defined $key;
            $section->{$key} .= "\n$line";
        }
        elsif ($line =~ /^([\w ]+?)\s*=\s*(.*)$/)
        {
            $key = $1;
            die "$at: a key outside of a section\n" unless $section;
            die "$at: unknown key '$key' in [$kind]\n" unless grep { $_ eq $key } @{ $KEYS{$kind} };
            die "$at: '$key' is there twice\n" if exists $section->{$key};
            $section->{$key} = $2;
        }
        else
        {
            die "$at: not understood: $line\n";
        }
    }
    close $file;
    s/^\n// for map { values %$_ } $bench->{type}, values %{ $bench->{setup} }, @{ $bench->{rows} };
    check($bench, $path);
    return $bench;
}

sub new_section
{
    my ($bench, $kind, $name, $at) = @_;
    if ($kind eq 'type')
    {
        die "$at: [type] has no name of its own\n" if defined $name;
        return $bench->{type};
    }
    die "$at: [$kind NAME]: the name is missing\n" unless defined $name;
    if ($kind eq 'setup')
    {
        die "$at: [setup $name] is there twice\n" if $bench->{setup}{$name};
        return $bench->{setup}{$name} = {};
    }
    die "$at: [row $name] is there twice\n" if grep { $_->{name} eq $name } @{ $bench->{rows} };
    push @{ $bench->{rows} }, { name => $name };
    return $bench->{rows}[-1];
}

sub check
{
    my ($bench, $path) = @_;
    my $type = $bench->{type};
    for my $key (qw(name extension finding))
    {
        die "$path: [type] needs '$key'\n" unless defined $type->{$key};
    }
    $type->{'peer name'} //= $type->{peer};
    for my $row (@{ $bench->{rows} })
    {
        my $at = "$path: [row $row->{name}]";
        die "$at: 'title' is missing\n" unless defined $row->{title};
        die "$at: one of 'query', 'bytes' and 'percent' is needed\n"
          if (grep { defined $row->{$_} } qw(query bytes percent)) != 1;
        die "$at: there is no [setup $row->{setup}]\n"
          if defined $row->{setup} && !$bench->{setup}{ $row->{setup} };
        die "$at: a peer is measured but [type] names none\n"
          if !defined $type->{peer} && (defined $row->{peer} || defined $row->{'peer bytes'});
        for my $key ('memory', 'peer slow')
        {
            die "$at: '$key' can only be 'yes'\n" if ($row->{$key} // 'yes') ne 'yes';
        }
        die "$at: 'page' can only be 'no'\n" if ($row->{page} // 'no') ne 'no';
        $row->{limits} = [ map { parse_limit($_, $at) } split /\s*,\s*/, $row->{limit} // '' ];
        check_limits($row, $at);
    }
    return;
}

# "time <= 1.15 C"
sub parse_limit
{
    my ($text, $at) = @_;
    $text =~ /^(\w+) (<=|>=) (\d+(?:\.\d+)?)(?: (\w+))?$/
      or die "$at: not a limit: '$text'\n";
    my %limit = (what => $1, op => $2, value => $3, unit => $4 // '');
    my $units = $LIMITS{ $limit{what} };
    die "$at: not a limit: '$text'\n" unless $units && $limit{unit} =~ $units;
    return \%limit;
}

# A limit on something the row does not measure would never be held.
sub check_limits
{
    my ($row, $at) = @_;
    for my $limit (@{ $row->{limits} })
    {
        my ($what, $unit) = @$limit{qw(what unit)};
        my $needs =
            $what =~ /^(?:bytes|percent)$/             ? $what
          : $what eq 'memory'                          ? 'memory'
          : $what eq 'speedup' || $unit eq 'reference' ? 'reference'
          : $unit eq 'peer'                            ? 'peer'
          :                                              'query';
        die "$at: a limit of $what without '$needs'\n" unless defined $row->{$needs};
    }
    return;
}

1;
