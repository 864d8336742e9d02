# Golden values: what a released version wrote is read, printed as it was written, and answers as it
# did. While there is no file in test/golden, the values of the current version take its place.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('golden');
my $golden = "$FindBin::Bin/../golden";
my %lines = map { $_ => [ read_lines("<$_") ] } sort glob "$golden/*.tsv";
if (!%lines)
{
    local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');
    $lines{'the current version'} = [ read_lines("$golden/write |") ];
}

for my $file (sort keys %lines)
{
    my %types;
    for my $line (@{ $lines{$file} })
    {
        my ($type, $name, $question, $value, $answer) = split /\t/, $line;
        $types{$type}++;
        is( $node->safe_psql('postgres', <<"SQL"), "t\n$answer", "$file: $type, $name");
SET timezone = 'UTC'; SET extra_float_digits = 1;
SELECT '$value'::$type\::text = '$value';
SELECT ($question)::text FROM (SELECT '$value'::$type OFFSET 0) s (v);
SQL
        # What was written is good input of everything else, too.
        my $merged = "SELECT v | v IS NOT NULL FROM (SELECT '$value'::$type OFFSET 0) s (v)";
        is($node->safe_psql('postgres', $merged), 't', '... merges')
          if $type !~ /^(?:hashed|geohash|ratelimit)$/;
    }
    cmp_ok(scalar(keys %types), '>=', 12, "$file: values of every type");
}

sub read_lines
{
    my ($from) = @_;
    open my $file, $from or die "$from: $!\n";
    chomp(my @read = <$file>);
    close $file or die "$from failed\n";
    return @read;
}

done_testing();
