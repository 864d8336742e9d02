# Beside the extensions whose names and functions ours resembles: PostgreSQL loads libraries so that
# the symbols of one can be taken for another's. Each answers right, whoever was loaded first.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

# A peer's own work, in its schema and with its library, and what it answers.
my %peers = (
    hll => {
        query => 'SELECT round(hll_cardinality(hll_union(hll_add_agg(hll_hash_bigint(i)),
            hll_add(hll_empty(), hll_hash_text(\'a\'))))) FROM generate_series(1, 100) i',
        answer => 101
    },
    tdigest => {
        query => 'SELECT round(tdigest_percentile(i, 100, 0.5)) BETWEEN 49 AND 52
            FROM generate_series(1, 100) i',
        answer => 't'
    });

my $ours = <<'SQL';
SELECT hll_cardinality(hll_union(hll_agg(i), hll_add(hll_empty(), 'a'::text)))
       + 1000 * tdigest_count(tdigest_union(tdigest_agg(i), tdigest_add(tdigest_empty(), 5)))
       + 1000000 * approx_median(i)
FROM generate_series(1, 100) i
SQL
my $ours_answer = 50601101;

my $node = new_server('peers', schema => undef);
my @installed = split /\n/, $node->safe_psql('postgres',
    "SELECT name FROM pg_available_extensions WHERE name IN ('hll', 'tdigest') ORDER BY name");
if (!@installed)
{
    $node->stop;
    plan skip_all => 'needs postgresql-hll or tdigest (make bench-deps)';
}

for my $peer (sort keys %peers)
{
    SKIP:
    {
        skip "$peer is not installed", 1 unless grep { $_ eq $peer } @installed;
        my ($query, $answer) = @{ $peers{$peer} }{qw(query answer)};
        for my $order ([qw(sketches peer)], [qw(peer sketches)])
        {
            my $database = "${peer}_after_" . ($order->[0] eq 'peer' ? 'not' : 'us');
            $node->safe_psql('postgres', "CREATE DATABASE $database");
            my %create = (
                sketches => 'CREATE SCHEMA ours; CREATE EXTENSION sketches SCHEMA ours;',
                peer => "CREATE SCHEMA theirs; CREATE EXTENSION $peer SCHEMA theirs;");
            my $first = $order->[0] eq 'peer' ? $peer : 'sketches';
            $node->safe_psql($database, join "\n", map { $create{$_} } @$order);
            # Each one's library is loaded by its first call in a session.
            my %turn = (
                sketches => "SET search_path = ours; $ours;",
                peer => "SET search_path = theirs; $query;");
            my %answers = (sketches => $ours_answer, peer => $answer);
            is_query($node, join("\n", map { $turn{$_} } (@$order) x 3),
                join("\n", map { $answers{$_} } (@$order) x 3),
                "beside $peer, $first first: called in turn",
                database => $database);
            # Together in a statement, by qualified names.
            (my $qualified_ours = $ours) =~ s/\b((?:hll|tdigest|approx)_\w+)\(/ours.$1(/g;
            (my $qualified_theirs = $query) =~ s/\b((?:hll|tdigest)_\w+)\(/theirs.$1(/g;
            $_ = strip($_) for $qualified_ours, $qualified_theirs;
            is_query($node, "SELECT ($qualified_ours), ($qualified_theirs)",
                "$ours_answer|$answer", '... and in a statement', database => $database);
            for my $preload ("sketches, $peer", "$peer, sketches")
            {
                local $ENV{PGOPTIONS} = "-c session_preload_libraries=" . $preload =~ s/ //gr;
                is_query($node, join("\n", $turn{sketches}, $turn{peer}),
                    "$ours_answer\n$answer", "... loaded as $preload", database => $database);
            }
            # Aggregated in parallel, where workers load libraries themselves.
            $node->safe_psql($database, <<'SQL');
CREATE TABLE facts AS SELECT i::bigint FROM generate_series(1, 20000) i;
ALTER TABLE facts SET (parallel_workers = 2);
SQL
            is_query($node, <<'SQL', 't|t|t', '... in parallel workers', database => $database);
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT ours.hll_cardinality(ours.hll_agg(i)) BETWEEN 19000 AND 21000,
       ours.tdigest_count(ours.tdigest_agg(i)) = 20000,
       ours.approx_percentile(i, 0.9) BETWEEN 17900 AND 18100
FROM facts
SQL
            is_query($node, "DROP EXTENSION $peer CASCADE; SET search_path = ours; $ours",
                $ours_answer, '... and without it', database => $database);
            like($node->safe_psql($database, 'SELECT extname FROM pg_extension'), qr/sketches/,
                '... which leaves ours');
        }
    }
}

sub strip
{
    my ($statement) = @_;
    $statement =~ s/[;\s]+\z//;
    return $statement;
}

done_testing();
