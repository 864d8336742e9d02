#!/usr/bin/env perl
#
# The queries of doc/examples/grafana.json, with Grafana's macros expanded as its documentation says, over shop.sql: each
# returns rows of numbers, and what they say is what the rows of the events say.

use strict;
use warnings;
use utf8;

use FindBin;
use JSON::PP qw(decode_json);
use Test::More;

use lib $FindBin::Bin;
use Pages;

if (!$ENV{SKETCHES_DOC_SERVER})
{
    $ENV{SKETCHES_DOC_SERVER} = 1;
    exec 'test/harness/with-server', '--', $^X, $0, @ARGV or die "with-server: $!";
}

my $database = 'grafana';
psql('postgres', "CREATE DATABASE $database");
system("psql -XqAt -v ON_ERROR_STOP=1 -d $database -f doc/examples/shop.sql >/dev/null") == 0 or die "shop.sql\n";

my $dashboard = decode_json(read_file('doc/examples/grafana.json'));
my ($country) = grep { $_->{name} eq 'country' } @{ $dashboard->{templating}{list} };
my @countries = split /\n/, psql($database, $country->{query});
is("@countries", 'BR DE US', 'the variable has the countries');

my (%rows, %id);
for my $panel (@{ $dashboard->{panels} })
{
    ok(!$id{ $panel->{id} }++, "$panel->{title}: an id of its own");
    for my $target (@{ $panel->{targets} })
    {
        my $sql = expanded($target->{rawSql});
        unlike($sql, qr/\$/, "$panel->{title}: no macro is left");
        # In a session that is far from UTC: the numbers are the same.
        my $rows = psql($database, $sql);
        is(psql($database, "SET timezone = 'America/New_York'; $sql"), $rows, '... in New York, too');
        $rows{ $panel->{title} } = [ map { [ split /\|/, $_, -1 ] } split /\n/, $rows ];
        cmp_ok(scalar @{ $rows{ $panel->{title} } }, '>', 0, '... has rows');
        like($rows, qr/^\d{10}(?:\.0+)?\|/, '... whose first column is a time') if $target->{format} eq 'time_series';
    }
}
my ($requests, $users, $p99) = split /\|/, psql($database, 'SELECT count(*), count(DISTINCT user_id), percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) FROM events');
is($rows{Requests}[0][0], $requests, 'requests');
cmp_ok(abs($rows{Users}[0][0] / $users - 1), '<', 0.04, 'users, within five standard errors');
cmp_ok(abs($rows{p99}[0][0] / $p99 - 1), '<', 0.02, 'p99');
cmp_ok($rows{'Hours added up'}[0][0], '>', 9 * $users, 'hours added up are ten times too many');
my %of_interval = map { ($_->[0] => 0) } @{ $rows{'Spread of latencies'} };
$of_interval{ $_->[0] } += $_->[2] for @{ $rows{'Spread of latencies'} };
is((grep { abs($_ - 5760) > 60 } values %of_interval), 0, 'the cells of a day have nearly all of its requests');
done_testing();

# The macros of Grafana's PostgreSQL data source, for an interval of a day.
sub expanded
{
    my ($sql) = @_;
    my ($from, $to) = @{ $dashboard->{time} }{qw(from to)};
    my $list = join ',', map { "'$_'" } @countries;
    return $sql =~ s/\$__timeGroupAlias\((\w+), \$__interval\)/floor(extract(epoch from $1)\/86400)*86400 AS "time"/gr
      =~ s/\$__timeFilter\((\w+)\)/$1 BETWEEN '$from' AND '$to'/gr =~ s/\$\{country:sqlstring\}/$list/gr;
}
