#!/usr/bin/env perl
#
# The SQL that Cube's own compiler makes of doc/examples/cube.js runs, and counts what the rows say. Skipped where the
# compiler is not installed (make client-deps).

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Pages;

$ENV{NODE_PATH} = abs_path('build/node/node_modules') // '';
plan skip_all => "needs Cube's compiler from npm (make client-deps)"
  if !-d "$ENV{NODE_PATH}/\@cubejs-backend/schema-compiler";
if (!$ENV{SKETCHES_DOC_SERVER})
{
    $ENV{SKETCHES_DOC_SERVER} = 1;
    exec 'test/harness/with-server', '--', $^X, $0, @ARGV or die "with-server: $!";
}

psql('postgres', 'CREATE DATABASE cube');
system("psql -XqAt -v ON_ERROR_STOP=1 -d cube -f doc/examples/shop.sql >/dev/null") == 0 or die "shop.sql\n";
psql('cube', 'CREATE SCHEMA postgresql_hll');
psql('cube', 'CREATE EXTENSION sketches_postgresql_hll SCHEMA postgresql_hll');
psql('cube', 'ALTER DATABASE cube SET search_path = postgresql_hll, public');
my ($over_rollup, $over_rows, $create, $over_days, @more) = grep { /^(?:SELECT|CREATE)/ } split /\n/, `node test/doc/cube.cjs doc/examples/cube.js`;
is("@more", '', 'four statements');
like($over_rows, qr/round\(hll_cardinality\(hll_add_agg\(hll_hash_any\(/, 'Cube calls the functions of postgresql-hll');

sub rows { return [ map { [ split /\|/, $_, -1 ] } split /\n/, psql('cube', $_[0]) ] }

sub exact
{
    my ($where) = @_;
    return rows("SELECT date_trunc('week', at, 'UTC'), count(DISTINCT user_id), count(*), percentile_cont(0.99) WITHIN GROUP (ORDER BY ms)
        FROM events WHERE $where GROUP BY 1 ORDER BY 1");
}

sub are_near
{
    my ($name, $near, $got, $exact) = @_;
    is(scalar @$got, 4, "$name: four weeks");
    is((grep { abs($got->[$_][1] / $exact->[$_][1] - 1) > $near } 0 .. $#$exact), 0, '... of users, within five standard errors');
    return;
}

my ($german, $all) = (exact("country = 'DE'"), exact('true'));
my $hours = rows($over_rollup);
are_near('over the rollup', 5 * 0.0084, $hours, $german);
is((grep { abs($hours->[$_][2] / $german->[$_][3] - 1) > 0.02 } 0 .. 3), 0, '... and their p99');
are_near('count_distinct_approx', 5 * 0.023, rows($over_rows), $all);
psql('cube', $create);
is(psql('cube', 'SELECT count(*) FROM events_by_day'), "84\n", 'its pre-aggregation, of 28 days and 3 countries');
my $days = rows($over_days);
are_near('from the pre-aggregation', 5 * 0.023, $days, $all);
is("@{[ map { $_->[2] } @$days ]}", "@{[ map { $_->[2] } @$all ]}", '... and requests');
done_testing();
