# Recipes of the pages in which many sessions write the same rows, run so. The statements are the pages'.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('overlap');

my %page = map { $_ => do { local (@ARGV, $/) = ("$FindBin::Bin/../../doc/$_"); <> } } qw(recipes.md rollups-by-hand.md production.md);

# The SQL blocks of a section.
sub section
{
    my ($page, $heading) = @_;
    my ($section) = $page{$page} =~ /^## \Q$heading\E\n(.*?)(?=^## |\z)/ms or die "no section $heading";
    return $section =~ /^```sql\n(.*?)^```$/msg;
}

# Runs the scripts at the same time; none may fail, be it by a deadlock.
sub overlap
{
    my ($what, @scripts) = @_;
    my @sessions = map { start_psql($node, $_) } @scripts;
    finish_psql($_) for @sessions;
    is(join('', map { $_->{err} } @sessions), '', "$what: no session fails");
}

# A statement many times, with a number in place of <n>.
sub repeated
{
    my ($count, $statement) = @_;
    return join "\n", map { $statement =~ s/<n>/$_/gr } 1 .. $count;
}

# ---- updates only where something changed ----

my ($try) = grep { /CREATE TABLE today/ } section('production.md', 'Writing');
my ($update) = $try =~ /^(UPDATE today AS t .*?;)$/ms or die 'no statement';
$node->safe_psql('postgres', $try);
my @adding = map { my $from = $_; $update =~ s/hll_try_add\(visitors, \d+\)/hll_try_add(visitors, $from + <n>)/r } 1000, 1020, 2000;
overlap('hll_try_add', map { repeated(40, $_) } @adding);
is_query($node, q{SELECT visitors = (SELECT hll_agg(i) FROM (SELECT generate_series(1, 3)
    UNION SELECT generate_series(1001, 1060) UNION SELECT generate_series(2001, 2040)) AS s(i)) FROM today},
    't', '... loses no item');

# ---- deduplication on ingest ----

$node->safe_psql('postgres', $_) for section('recipes.md', 'Deduplication on ingest');
my $ingest = q{SELECT ingest(ARRAY(SELECT ('o' || <n> * 10 + i, '2026-03-01', %d)::message FROM generate_series(1, 20) AS i));};
overlap('ingest', map { repeated(30, sprintf $ingest, $_) } 1 .. 3);
is_query($node, q{SELECT count(*), count(DISTINCT id), bool_and(ids @> id) FROM message, message_filter WHERE id LIKE 'o%'},
    '310|310|t', '... keeps each message once and knows it');

# ---- uuids that are numbered by many sessions ----

$node->safe_psql('postgres', $_) for (section('recipes.md', 'Setup')), (section('recipes.md', 'Who is in A and B, not C'))[1, 2];
my $number = q{SELECT count(number_of(md5('new ' || <n> + i / 3)::uuid)) FROM generate_series(1, 9) AS i;};
overlap('number_of', map { repeated(30, $number) } 1 .. 3);
is_query($node, q{SELECT count(*), count(DISTINCT number) FROM user_number
    WHERE user_id IN (SELECT md5('new ' || i)::uuid FROM generate_series(0, 99) AS i)}, '33|33', '... gives each uuid one number');

# ---- a filter with many writers ----

my ($shards, $batch) = section('recipes.md', 'A filter with many writers');
$node->safe_psql('postgres', $_) for $shards, $batch;
($batch) = $batch =~ /\A(.*?;)$/ms;
my @batches = map { my $from = $_; $batch =~ s/generate_series\(1, 2000\)/generate_series($from + <n> * 500, $from + <n> * 500 + 2000)/r }
  10000, 10250;
overlap('shards', (map { repeated(10, $_) } @batches), map { repeated(60, "SELECT seen_add($_ + <n>);") } 5000, 5030);
is_query($node, q{SELECT count(*) FILTER (WHERE NOT seen_contains(i)) FROM (SELECT generate_series(5001, 5090)
    UNION ALL SELECT generate_series(10500, 17250)) AS s(i)}, '0', '... lose no item');

# ---- periods that are made anew, and loads that are run again ----

$node->safe_psql('postgres', 'DROP TABLE events CASCADE');
$node->safe_psql('postgres', $_)
  for section('rollups-by-hand.md', 'Recomputing periods'), section('rollups-by-hand.md', 'Loads that may be run again');
overlap('recompute and load',
    repeated(5, q{CALL recompute('2026-03-01', '2026-03-02');}), repeated(5, q{CALL recompute('2026-03-01 12:00', '2026-03-03');}),
    repeated(20, q{INSERT INTO events VALUES ('2026-03-01 13:00+00', md5('<n>')::uuid, 'FR');}),
    repeated(10, q{CALL load_source('FR');}), repeated(10, q{BEGIN; CALL load_source('FR'); CALL load_source('DE'); COMMIT;}));
$node->safe_psql('postgres', q{CALL recompute('2026-03-01', '2026-03-04'); CALL load_source('FR'); CALL load_source('DE');});
is_query($node, q{SELECT (SELECT sum(requests) FROM market_hour) = (SELECT count(*) FROM events),
    (SELECT sum(requests) FROM load_day) = (SELECT count(*) FROM events WHERE country IN ('FR', 'DE'))}, 't|t',
    '... count each row once');

# ---- two limits at once ----

$node->safe_psql('postgres', (section('recipes.md', 'HTTP limits end to end'))[0]);
$node->safe_psql('postgres', 'CREATE TABLE answer (client text, status int)');
# Clients that share an address. A token bucket lets one more through each minute.
overlap('limits', map { repeated(60, qq{INSERT INTO answer
    SELECT 'client' || <n> % 3, status FROM http_limit('client' || <n> % 3, '192.0.2.$_');}) } 1, 1, 2, 3);
is_query($node, q{SELECT count(*), bool_and(taken BETWEEN 3 AND 4)
    FROM (SELECT client, count(*) FILTER (WHERE status = 200) AS taken FROM answer GROUP BY client) AS s}, '3|t',
    '... let through what they are to');

done_testing();
