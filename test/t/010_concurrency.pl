# Eight sessions write into one rollup at once: nothing is lost, nothing is counted twice.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Utils;
use Test::More;

use constant { CLIENTS => 8, TRANSACTIONS => 150 };

my $node = new_server('concurrency');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE facts (page int, visitor bigint);
CREATE TABLE rollup (page int PRIMARY KEY, visitors hll NOT NULL, redis hll NOT NULL);
CREATE INDEX ON rollup USING hash (visitors);
CREATE TABLE done ();
SQL

# Both tables in one transaction; few pages, so that sessions wait for one another.
my $script = PostgreSQL::Test::Utils::tempdir() . '/upsert.sql';
open my $out, '>', $script or die "$script: $!";
print $out <<'SQL';
\set visitor random(1, 1000000)
\set page random(1, 4)
\set many random(1, 20)
BEGIN;
INSERT INTO facts SELECT :page, (:visitor + i * 7919) % 50000 FROM generate_series(1, :many) i;
INSERT INTO rollup AS r
    SELECT :page, hll_agg(v), hll_redis_agg(v::text)
    FROM (SELECT (:visitor + i * 7919) % 50000 FROM generate_series(1, :many) i) s (v)
    ON CONFLICT (page) DO UPDATE
    SET visitors = r.visitors | EXCLUDED.visitors, redis = r.redis | EXCLUDED.redis;
COMMIT;
SQL
close $out or die "$script: $!";

# Readers beside the writers: whatever they see is whole.
my $reader = start_psql($node, <<'SQL');
CREATE TEMP TABLE seen (look int, pages bigint, good boolean);
DO $$
BEGIN
    FOR look IN 1 .. 1000000 LOOP
        INSERT INTO seen
            SELECT look, count(*), bool_and(r.visitors IS NOT DISTINCT FROM f.h
                AND r.visitors::bytea::hll = r.visitors)
            FROM rollup r FULL JOIN (SELECT page, hll_agg(visitor) AS h FROM facts GROUP BY page) f
            USING (page);
        EXIT WHEN EXISTS (SELECT FROM done);
    END LOOP;
END $$;
SELECT count(*) > 2, bool_and(good), max(pages) FROM seen WHERE pages > 0;
SQL

$node->command_ok(
    [
        'pgbench', '-n', '-c', CLIENTS, '-j', 2, '-t', TRANSACTIONS, '-M', 'prepared',
        '-f', $script, '-d', $node->connstr('postgres')
    ],
    'eight sessions write at once');
$node->safe_psql('postgres', 'INSERT INTO done DEFAULT VALUES');
ok(finish_psql($reader), 'a session reads beside them') || diag($reader->{err});
is($reader->{out}, "t|t|4\n", '... and always sees a rollup that is right');

is_query($node, <<'SQL', '4|t|t|t', 'the rollup holds what was written');
SELECT count(*), bool_and(r.visitors::bytea = f.h::bytea),
       bool_and(r.redis::bytea = f.redis::bytea),
       bool_and(hll_cardinality(r.visitors) = f.n)
FROM rollup r FULL JOIN (
    SELECT page, hll_agg(visitor) AS h, hll_redis_agg(visitor::text) AS redis,
           approx_count_distinct(visitor) AS n
    FROM facts GROUP BY page) f USING (page)
SQL
is_query($node, <<'SQL', 't|t', '... also as a whole, and about as many as there are');
SELECT (SELECT hll_union_agg(visitors) FROM rollup) = (SELECT hll_agg(visitor) FROM facts),
       (SELECT abs(hll_cardinality(hll_union_agg(visitors)) - n) < 0.05 * n
        FROM rollup, (SELECT count(DISTINCT visitor) AS n FROM facts) s GROUP BY n)
SQL

done_testing();
