# Limiters by key under many sessions at once: never one grant too many, none lost, no deadlock; and
# whose table it is.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

use constant CLIENTS => 16;

my $node = new_server('ratelimit', schema => undef);
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION sketches;
CREATE TABLE granted (key text, quantity int);
SQL

# Scripts of pgbench write down what they were granted.
sub load
{
    my ($title, $transactions, %scripts) = @_;
    my $all = CLIENTS * $transactions;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return $node->pgbench(
        '-n -c ' . CLIENTS . " -j 2 -t $transactions",
        0, [qr{processed: $all/$all}], [qr/^$|vacuum/], $title, \%scripts);
}

my $take = 'INSERT INTO granted SELECT %s, %s FROM %s AS t WHERE t.allowed;';
load('one funnel', 60,
    '021_funnel' => sprintf $take, "'funnel'", 1, "ratelimit_throttle('funnel', 99, 1, '1 day')");
load('one sliding window, by ones to threes', 60,
    '021_window' => "\\set q random(1, 3)\n" . sprintf $take,
    "'window'", ':q', "ratelimit_window('window', 100, '1 day', :q)");
load('one large window', 60,
    '021_large' => sprintf $take, "'large'", 5, "ratelimit_window('large', 1000, '1 day', 5)");
# A purge beside them finds nothing that it may take.
load('many keys', 120,
    '021_many@9' => "\\set k random(1, 50)\n" . sprintf($take,
        "'many ' || :k", 1, "ratelimit_throttle('many ' || :k, 4, 1, '1 day')"),
    '021_purge@1' => 'SELECT ratelimit_purge();');

is_query($node, <<'SQL', "funnel|100\nlarge|1000\nwindow|100", 'each key got all that it may have');
SELECT key, sum(quantity) FROM granted WHERE key NOT LIKE 'many%' GROUP BY key ORDER BY key
SQL
is_query($node, <<'SQL', '50|250|5|5', 'and so did each of many');
SELECT count(*), sum(n), min(n), max(n)
FROM (SELECT sum(quantity) AS n FROM granted WHERE key LIKE 'many%' GROUP BY key) AS g
SQL
is_query($node, 'SELECT count(*) FROM ratelimit_keys', 53, 'a row for each key');

# Keys that run empty at once are purged while others come back.
load('purged and back', 60,
    '021_short' => "\\set k random(1, 5)\nSELECT ratelimit_throttle('short ' || :k, 1, 1, '1 ms');",
    '021_purge_short@1' => 'SELECT ratelimit_purge();');

# Two transactions that take from two keys in one order wait for one another.
{
    my $first = $node->background_psql('postgres');
    $first->query_safe(q{BEGIN; SELECT ratelimit_throttle('waits', 0, 1, '1 day');});
    raises($node, '55P03', q{SELECT ratelimit_throttle('waits', 0, 1, '1 day')},
        'the row is locked until the other transaction ends', before => 'SET lock_timeout = 100;');
    $first->query_safe('ROLLBACK;');
    $first->quit;
    is_query($node, q{SELECT allowed FROM ratelimit_throttle('waits', 0, 1, '1 day')}, 't',
        'what was rolled back was not taken');
}
{
    my $first = $node->background_psql('postgres', on_error_stop => 0);
    $first->query_safe(q{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;});
    $node->safe_psql('postgres', q{SELECT ratelimit_throttle('waits', 0, 1, '1 day')});
    $first->query(q{SELECT ratelimit_throttle('waits', 0, 1, '1 day');});
    like($first->{stderr}, qr/could not serialize access/, 'an old snapshot is no excuse');
    $first->quit;
}

# Rights: those of the table, which the owner of the extension may grant.
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE owner LOGIN;
CREATE ROLE app LOGIN;
CREATE DATABASE mine OWNER owner;
SQL
my $ask = q{SELECT allowed FROM ratelimit_throttle('k', 1, 1, '1 day')};
$node->safe_psql('mine', 'CREATE EXTENSION sketches', extra_params => [ '-U', 'owner' ]);
raises($node, '42501', $ask, 'without rights', database => 'mine', before => 'SET ROLE app;');
$node->safe_psql('mine', 'GRANT SELECT, INSERT, UPDATE ON ratelimit_keys TO app',
    extra_params => [ '-U', 'owner' ]);
is_query($node, "SET ROLE app; $ask", 't', 'with them', database => 'mine');

# Moved in the middle of a session, with a name that has to be quoted, and no search_path.
is_query($node, <<"SQL", "t\nt", 'the extension is moved');
$ask;
CREATE SCHEMA "of ""keys""";
ALTER EXTENSION sketches SET SCHEMA "of ""keys""";
SET search_path = '';
SELECT allowed FROM "of ""keys""".ratelimit_throttle('other', 1, 1, '1 day');
SQL

done_testing();
