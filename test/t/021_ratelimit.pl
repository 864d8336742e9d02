# Limiters by key under many sessions at once: never one grant too many, none lost, no deadlock.

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
load('one token_bucket', 60,
    '021_bucket' => sprintf $take, "'bucket'", 1, "ratelimit_throttle('bucket', 99, 1, '1 day')");
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

is_query($node, <<'SQL', "bucket|100\nlarge|1000\nwindow|100", 'each key got all that it may have');
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

# A purge waits for nobody: not for a key whose limiter is as new and that somebody has locked.
{
    my $first = $node->background_psql('postgres');
    $node->safe_psql('postgres', <<'SQL');
DELETE FROM ratelimit_keys;
SELECT ratelimit_throttle(k, 0, 1, '1 day', 0) FROM unnest('{idle,locked}'::text[]) AS k;
SQL
    $first->query_safe(q{BEGIN; SELECT ratelimit_throttle('locked', 0, 1, '1 day', 0);});
    is_query($node, 'SET lock_timeout = 100; SELECT ratelimit_purge()', 1,
        'a purge waits for none');
    is_query($node, 'SELECT key FROM ratelimit_keys', 'locked', 'and leaves alone what is in use');
    $first->query_safe('COMMIT;');
    $first->quit;
    is_query($node, 'SELECT ratelimit_purge()', 1, 'it goes the next time');
}

# Who is deleted while others wait for the row: they begin anew.
{
    $node->safe_psql('postgres', q{SELECT ratelimit_throttle('gone', 0, 1, '1 day')});
    my $first = $node->background_psql('postgres');
    $first->query_safe(q{BEGIN; DELETE FROM ratelimit_keys WHERE key = 'gone';});
    my $second = start_psql($node,
        q{SELECT allowed FROM ratelimit_throttle('gone', 0, 1, '1 day');});
    ok($node->poll_query_until('postgres',
            q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}),
        'a question waits for who deletes its key');
    $first->query_safe('COMMIT;');
    $first->quit;
    ok(finish_psql($second), 'and is answered');
    is($second->{out}, "t\n", 'as by a new one');
}

# Two transactions that ask for one key wait for one another.
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

$node->safe_psql('postgres', 'CREATE DATABASE mine');
$node->safe_psql('mine', 'CREATE EXTENSION sketches');

# Nothing of a user's is called in place of PostgreSQL's, whatever comes first in the search_path.
$node->safe_psql('mine', <<'SQL');
CREATE SCHEMA bad;
CREATE FUNCTION bad.stop(interval, interval) RETURNS boolean LANGUAGE sql AS 'SELECT 1 / 0 = 1';
CREATE FUNCTION bad.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT 1 / 0; SELECT NULL::timestamptz';
CREATE FUNCTION bad.ratelimit_take(public.ratelimit, int, timestamptz) RETURNS int LANGUAGE sql
    AS 'SELECT 1 / 0';
CREATE OPERATOR bad.= (LEFTARG = interval, RIGHTARG = interval, FUNCTION = bad.stop);
CREATE TABLE bad.ratelimit_keys (key text PRIMARY KEY);
SQL
is_query($node, <<'SQL', "t\nf\n1", 'no search_path is asked', database => 'mine');
SET search_path = bad, pg_catalog, public;
SELECT allowed FROM public.ratelimit_throttle('path', 0, 1, '1 day');
SELECT allowed FROM public.ratelimit_window('path w', 1, '1 day', 2);
SELECT public.ratelimit_purge();
SQL

# A text in a collation of its own is the key that its bytes are.
is_query($node, <<'SQL', 't', 'keys are bytes', database => 'mine');
SELECT c.collname = 'C' FROM pg_attribute AS a JOIN pg_collation AS c ON c.oid = attcollation
WHERE attrelid = 'ratelimit_keys'::regclass AND attname = 'key'
SQL

my $ask = q{SELECT allowed FROM ratelimit_throttle('k', 1, 1, '1 day')};

# Moved in the middle of a session, with a name that has to be quoted, and no search_path.
is_query($node, <<"SQL", "t\nt", 'the extension is moved');
$ask;
CREATE SCHEMA "of ""keys""";
ALTER EXTENSION sketches SET SCHEMA "of ""keys""";
SET search_path = '';
SELECT allowed FROM "of ""keys""".ratelimit_throttle('other', 1, 1, '1 day');
SQL

done_testing();
