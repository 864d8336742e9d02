# Golden values: what a released version wrote is read, printed as it was written, and answers as it
# did. The current version writes the same bytes; while there is none of it in test/golden, what it writes takes their place.
# VERSION-final.tsv has what a version writes in place of some lines of VERSION.tsv, which was frozen before it was released.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('golden');
my $golden = "$FindBin::Bin/../golden";
my $narrow = $node->safe_psql('postgres', 'SELECT NOT float8_pass_by_value FROM pg_control_init()') eq 't';
my $all_types = <<'SQL';
SELECT string_agg(typname, ' ' ORDER BY typname COLLATE "C")
  FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid
 WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
   AND typtype = 'b' AND typcategory <> 'A'
SQL
my $version = $node->safe_psql('postgres', 'SELECT sketches_version()');
my $current = "$golden/$version.tsv";
my %lines = map { $_ => [ read_lines("<$_") ] } sort glob "$golden/*.tsv";
my @written = do {
    local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');
    read_lines("$golden/write |");
};
if ($lines{$current})
{
    # On every processor and by every compiler.
    my %final = map { /^([^\t]+\t[^\t]+\t)/ => $_ } @{ $lines{"$golden/$version-final.tsv"} // [] };
    is_deeply([ map { answered($_) } @written ], [ map { answered(/^([^\t]+\t[^\t]+\t)/ && $final{$1} // $_) } @{ $lines{$current} } ],
        "$current is what is written now");
}
else
{
    $current = 'the current version';
    $lines{$current} = \@written;
}

for my $file (sort keys %lines)
{
    my %types;
    for my $line (@{ $lines{$file} })
    {
        my ($type, $name, $question, $value, $answer) = split /\t/, $line;
        $types{$type}++;
        is( answered($node->safe_psql('postgres', <<"SQL")), answered("t\n$answer"), "$file: $type, $name");
SET timezone = 'UTC'; SET extra_float_digits = 1;
SELECT '$value'::$type\::text = '$value';
SELECT ($question)::text FROM (SELECT '$value'::$type OFFSET 0) s (v);
SQL
        # What was written is good input of everything else, too.
        my $merged = "SELECT v | v IS NOT NULL FROM (SELECT '$value'::$type OFFSET 0) s (v)";
        is($node->safe_psql('postgres', $merged), 't', '... merges')
          if $type !~ /^(?:hashed|geohash|ratelimit)$/;
    }
    # A type that is added later is in the files of later versions.
    is_query($node, $all_types, join(' ', sort keys %types), "$file: values of every type")
      if $file eq $current;
}

# An error bound is no part of a value, and glibc of i386 computes e^x in more digits than doubles have: its last ones
# are other ones there.
sub answered
{
    my ($answer) = @_;
    $answer =~ s/(\d+\.\d{12,})/sprintf '%.13g', $1/ge if $narrow;
    return $answer;
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
