# CitusCluster - a coordinator and workers, with the extension on all of them.

package CitusCluster;

use strict;
use warnings;

use Exporter qw(import);
use PostgreSQL::Test::Cluster;
use SketchTest;
use Test::More;

our @EXPORT = qw(citus_cluster add_worker SHARDS);

use constant SHARDS => 8;

# Nodes know one another by address and port.
sub citus_server
{
    my ($name) = @_;
    my $node = new_server(
        $name,
        schema => undef,
        conf => "shared_preload_libraries = citus\nlisten_addresses = '127.0.0.1'\n"
          . "citus.shard_count = ${\SHARDS}\n"
          . "citus.local_hostname = '127.0.0.1'\nwal_level = logical\nmax_connections = 100\nmax_wal_senders = 20\nmax_replication_slots = 20\nmax_logical_replication_workers = 16\n"
          . "citus.enable_statistics_collection = off\nmax_prepared_transactions = 100\n");
    # Splits decode by a plugin of Citus, which current releases of PostgreSQL want to be named.
    if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'}))
    {
        $node->append_conf('postgresql.conf', "output_plugin_libraries = 'citus, pgoutput'\n");
        $node->restart;
    }
    $node->safe_psql('postgres', 'CREATE EXTENSION citus');
    return $node;
}

# The coordinator and two workers. Ends the test where there is no Citus.
sub citus_cluster
{
    chomp(my $lib = `"\${PG_CONFIG:-pg_config}" --pkglibdir`);
    plan skip_all => 'no Citus in this PostgreSQL' if !grep { -e } glob "$lib/citus.{so,dylib}";

    my ($node, @workers) = map { citus_server($_) } qw(coordinator worker_1 worker_2);
    $node->safe_psql('postgres', "SELECT citus_set_coordinator_host('127.0.0.1', ${\$node->port})");
    $node->safe_psql('postgres', "SELECT citus_add_node('127.0.0.1', ${\$_->port})") for @workers;
    $node->safe_psql('postgres', 'CREATE EXTENSION sketches');
    diag($node->safe_psql('postgres', 'SELECT citus_version()'));
    return ($node, @workers);
}

sub add_worker
{
    my ($node, $name) = @_;
    my $worker = citus_server($name);
    $node->safe_psql('postgres', "SELECT citus_add_node('127.0.0.1', ${\$worker->port}); SELECT replicate_reference_tables('block_writes')");
    return $worker;
}

1;
