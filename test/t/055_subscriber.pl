# doc/subscriber.md: its statements, in its order, on a publisher without the extension and on a subscriber. Each block
# begins with the server it is for. What the rollup says has to be what the publisher's rows say.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = new_server('publisher', schema => undef, allows_streaming => 'logical');
my $subscriber = new_server('subscriber', schema => undef, conf => "wal_retrieve_retry_interval = 200ms\n");
my %nodes = (publisher => $publisher, subscriber => $subscriber);
plan skip_all => 'no postgres_fdw and dblink'
  if $publisher->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name IN ('postgres_fdw', 'dblink')}) < 2;

# The addresses of the page become those of this test, whose servers trust their socket.
sub here
{
    my ($sql) = @_;
    my ($service, $rollups) = map { "host=${\$_->host} port=${\$_->port} dbname=postgres" } $publisher, $subscriber;
    $sql =~ s/host=service port=5432 dbname=app( user=replicator password=secret)/$service$1/g;
    $sql =~ s/host 'rollups\.example', port '5432', dbname 'app'/host '${\$subscriber->host}', port '${\$subscriber->port}', dbname 'postgres'/g;
    # Asked by a superuser, as it is here, whose password nobody checks.
    return $sql =~ s/OPTIONS \(user 'reader', password 'secret'\)//r;
}

sub caught_up
{
    my $lsn = $publisher->safe_psql('postgres', 'SELECT pg_current_wal_lsn()');
    return wait_until(sub { $publisher->safe_psql('postgres', "SELECT coalesce(bool_and(replay_lsn >= '$lsn'), false) FROM pg_stat_replication WHERE application_name = 'rollups'") eq 't' });
}

my $page = PostgreSQL::Test::Utils::slurp_file('doc/subscriber.md');
my @blocks = $page =~ /^```\n(-- (?:publisher|subscriber).*?)^```$/msg;
cmp_ok(@blocks, '>', 15, 'blocks of statements');
my $total = () = $page =~ /^```$/mg;
is(2 * @blocks, $total, 'all blocks say for which server they are');
my $days = q{SELECT day, requests, users FROM %s WHERE day >= '2026-03-03' ORDER BY day LIMIT 3};
my $truth = q{SELECT (at AT TIME ZONE 'UTC')::date AS day, count(*) AS requests, count(DISTINCT user_id) AS users FROM requests GROUP BY 1};
for my $block (@blocks)
{
    my ($server, $how, $sql) = $block =~ /^-- (\w+)(?:: (.*?))?\n(.*)/s;
    my $title = ($sql =~ /^(.{1,60})/)[0];
    my $node = $nodes{$server};
    if (($how // '') eq 'wait')
    {
        ok(wait_until(sub { $node->safe_psql('postgres', $sql) eq 't' }), $title);
        next;
    }
    my ($out, $err) = ('', '');
    my $status = $node->psql('postgres', here($sql), stdout => \$out, stderr => \$err, on_error_stop => 1);
    is($status, 0, "$server: $title") || diag($err);
    is($out, $publisher->safe_psql('postgres', sprintf $days, "($truth) AS t"), '... what the rows say') if $sql =~ /FROM daily_numbers/ && $server eq 'publisher';
    if ($sql =~ /^SELECT \* FROM dblink/m)
    {
        my ($users) = split /\|/, $out;
        is($users, $publisher->safe_psql('postgres', q{SELECT count(DISTINCT user_id) FROM requests WHERE country IN ('BR', 'DE') AND at >= '2026-03-02 00:00Z'}), '... merged over there');
    }
    if ($sql =~ /^SELECT rollup_create/)
    {
        is_query($subscriber, 'SELECT sum(requests) FROM hourly', 10000, '... all rows of the copy');
        is_query($subscriber, q{SELECT deltas, problem IS NULL FROM rollup_status('hourly')}, '0|t', '... and no log of it');
        $publisher->safe_psql('postgres', q{INSERT INTO requests SELECT 20000 + i, timestamptz '2026-03-04 00:00Z' + i * interval '1 minute', 5000 + i, 'FR', 1 FROM generate_series(1, 50) AS i;
            UPDATE requests SET country = 'DE' WHERE id % 100 = 0; DELETE FROM requests WHERE id % 77 = 0});
        ok(caught_up(), '... changes arrive');
        is_query($subscriber, q{SELECT count(*) FROM rollup_check('hourly')}, 0, '... and are in the rollup');
    }
    if ($sql =~ /^DELETE FROM requests/)
    {
        ok(caught_up(), '... old rows go');
        is_query($subscriber, q{SELECT count(*) > 0 FROM hourly WHERE hour < '2026-03-02'}, 't', '... and their groups stay');
        is_query($subscriber, q{SELECT count(*) FROM requests WHERE at < '2026-03-02 00:00Z'}, 0, '... without rows');
    }
    # As if the publisher had lost it.
    is($publisher->psql('postgres', q{SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active}), 0, '... nobody uses the slot') if $sql =~ /slot_name = NONE/;
}
ok(wait_until(sub { $subscriber->safe_psql('postgres', q{SELECT count(*) = 2 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel}) eq 't' }), 'copied again');
ok(caught_up(), 'and goes on');
is_query($subscriber, 'SELECT count(*) FROM requests', $publisher->safe_psql('postgres', 'SELECT count(*) FROM requests'), 'with all rows');
is_query($subscriber, q{SELECT count(*) FROM rollup_check('hourly')}, 0, 'the rollup equals its query from the frozen bound on');
is_query($subscriber, q{SELECT problem IS NULL FROM rollup_status('hourly')}, 't', 'and has no problem');

done_testing();
