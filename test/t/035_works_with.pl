# doc/works-with.md: its statements beside the other extension, where PostgreSQL has it (Debian has both), and
# logical replication.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

sub page { local (@ARGV, $/) = ("$FindBin::Bin/../../doc/$_[0]"); return scalar <> }

# The statements of a page from one pattern to another, both included.
sub recipe
{
    my ($name, $from, $to) = @_;
    my ($statements) = page($name) =~ /^($from.*?$to)$/ms or die "$name: no $from";
    return $statements;
}

# The blocks of a section of works-with.md.
sub blocks
{
    my ($heading) = @_;
    my ($section) = page('works-with.md') =~ /^## $heading\n(.*?)(?=^## |\z)/ms or die "no $heading";
    return $section =~ /^```\n(.*?)^```$/msg;
}

# The version that PostgreSQL has of an extension, or nothing.
sub version_of
{
    my ($name) = @_;
    chomp(my $share = `"\${PG_CONFIG:-pg_config}" --sharedir`);
    open my $control, '<', "$share/extension/$name.control" or return;
    my ($version) = join('', <$control>) =~ /^default_version\s*=\s*'(\d+\.\d+)/m;
    return $version;
}

SKIP:
{
    my $version = version_of('pg_cron') or skip 'no pg_cron in this PostgreSQL', 2;
    my $node = new_server('cron',
        conf => "shared_preload_libraries = pg_cron\ncron.use_background_workers = on\n");
    $node->safe_psql('postgres', join "\n", map { recipe('rollups.md', @$_) }
        [ 'CREATE TABLE events ', '\);' ], [ "SELECT rollup_create\\('hourly'", '\$\$\);' ]);
    $node->safe_psql('postgres',
        "INSERT INTO events SELECT '2026-03-01', md5(i::text)::uuid, 'DE', '/', 1 FROM generate_series(1, 100) AS i");
    my ($jobs) = blocks('pg_cron');
    # Since 1.5 a job may run each second; the whole minute is waited for otherwise.
    $jobs =~ s/'\* \* \* \* \*'/'1 second'/ if $version >= 1.5;
    $node->safe_psql('postgres', $jobs);
    ok( $node->poll_query_until('postgres', 'SELECT sum(requests) = 100 FROM hourly_rows'),
        'pg_cron refreshes a rollup');
    is_query($node, "SELECT string_agg(command, '; ' ORDER BY jobid) FROM cron.job",
        q{SELECT rollup_refresh('hourly'); SELECT ratelimit_purge()}, '... and has the purge of limiters');
    $node->stop;
}

SKIP:
{
    my $version = version_of('pg_partman') or skip 'no pg_partman in this PostgreSQL', 2;
    my $node = new_server('partman');
    my ($make, $nightly) = blocks('pg_partman');
    $make =~ s/p_interval => '1 day'/p_type => 'native', p_interval => 'daily'/ if $version < 5;
    $node->safe_psql('postgres', $make);
    $node->safe_psql('postgres', <<'SQL');
SELECT partman.run_maintenance('public.events');
INSERT INTO events SELECT now() - i % 3 * interval '1 day', md5(i::text)::uuid, 'DE', '/', 1 FROM generate_series(1, 900) AS i;
SQL
    $node->safe_psql('postgres', $nightly) for 1 .. 2;
    my $rollup = 'SELECT sum(requests), count(*), hll_cardinality(hll_union_agg(users)) FROM daily';
    is_query($node, $rollup, '900|3|900', 'pg_partman: the job leaves the rollup right');
    # A shorter retention, and a job that freezes as much.
    $node->safe_psql('postgres', "UPDATE partman.part_config SET retention = '1 day'");
    $node->safe_psql('postgres', $nightly =~ s/current_date - 6/current_date/r);
    is_query($node, "$rollup WHERE (SELECT count(*) < 900 FROM events)", '900|3|900',
        '... and what was frozen stays when the rows expire');
    $node->stop;
}

# ---- logical replication, as text and as bytes ----

my $publisher = new_server('publisher', allows_streaming => 'logical');
my $subscriber = new_server('subscriber');
my $connection = $publisher->connstr . ' dbname=postgres';
for my $binary ('false', 'true')
{
    my $table = "rollup_$binary";
    my $columns = 'page int PRIMARY KEY, visitors hll, ids roaring, ms tdigest, top topk, place geohash, h hashed';
    $_->safe_psql('postgres', "CREATE TABLE $table ($columns)") for $publisher, $subscriber;
    $publisher->safe_psql('postgres', <<"SQL");
CREATE PUBLICATION $table FOR TABLE $table;
INSERT INTO $table SELECT i % 3, hll_agg(i), roaring_agg(i), tdigest_agg(i), topk_agg(i::bigint, 5), geohash(13.4, 52.5), 42
    FROM generate_series(1, 10000) AS i GROUP BY 1;
SQL
    my $with = $binary eq 'true' ? 'WITH (binary = true)' : '';
    # Of a table without a key the subscriber finds a row by = of its columns, sketches have no other.
    $_->safe_psql('postgres', "CREATE TABLE ${table}_no_key (LIKE $table)") for $publisher, $subscriber;
    $publisher->safe_psql('postgres', <<"SQL");
ALTER TABLE ${table}_no_key REPLICA IDENTITY FULL;
INSERT INTO ${table}_no_key SELECT r.* FROM $table AS r, generate_series(1, 2);
ALTER PUBLICATION $table ADD TABLE ${table}_no_key;
SQL
    $subscriber->safe_psql('postgres',
        "CREATE SUBSCRIPTION $table CONNECTION '$connection' PUBLICATION $table $with");
    $subscriber->poll_query_until('postgres', "SELECT bool_and(srsubstate IN ('s', 'r')) FROM pg_subscription_rel")
      or die 'the first copy does not end';
    $publisher->safe_psql('postgres',
        "UPDATE $table SET visitors = hll_add(visitors, -1), ids = ids | 99999, h = 43 WHERE page = 1");
    $publisher->safe_psql('postgres', <<"SQL");
UPDATE ${table}_no_key SET top = topk_add(top, 7::bigint) WHERE page = 1;
DELETE FROM ${table}_no_key WHERE page = 2;
SQL
    $publisher->wait_for_catchup($table);
    my $no_key = "SELECT count(*), string_agg(md5(r::text), ' ' ORDER BY page) FROM ${table}_no_key AS r";
    is_query($subscriber, $no_key, $publisher->safe_psql('postgres', $no_key), '... of a table without a key');
    my $rows = "SELECT string_agg(md5(r::text), ' ' ORDER BY page) FROM $table AS r";
    is_query($subscriber, $rows, $publisher->safe_psql('postgres', $rows),
        'logical replication, ' . ($with || 'as text'));
    $subscriber->safe_psql('postgres', "DROP SUBSCRIPTION $table");
}

done_testing();
