# Beside postgresql-hll: what it made is read, goes on counting as it does, and goes back.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('hll_beside', schema => undef);
if ($node->safe_psql('postgres',
        "SELECT count(*) FROM pg_available_extensions WHERE name = 'hll'") eq '0')
{
    $node->stop;
    plan skip_all => 'needs postgresql-hll (make bench-deps)';
}

$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA theirs;
CREATE EXTENSION hll SCHEMA theirs;
CREATE EXTENSION sketches;
-- Empty, explicit, sparse and full values of several shapes, and around where one becomes the other.
CREATE TABLE value AS
    SELECT log2m, regwidth, n, theirs.hll_union(theirs.hll_empty(log2m, regwidth, -1, 1),
               (SELECT theirs.hll_add_agg(theirs.hll_hash_bigint(i), log2m, regwidth, -1, 1)
                  FROM generate_series(1::bigint, n) i)) AS h
      FROM (VALUES (4, 4), (8, 5), (11, 4), (11, 5), (11, 7), (14, 6), (17, 5)) AS s(log2m, regwidth),
           unnest(ARRAY[0, 1, 10, 160, 161, 300, 640, 700, 750, 760, 770, 780, 790, 800, 1000, 5000, 70000]) n;
UPDATE value SET h = theirs.hll_empty(log2m, regwidth, -1, 1) WHERE n = 0;
CREATE TABLE moved AS SELECT *, hll_from_postgresql_hll(theirs.hll_send(h)) AS moved FROM value;
SQL

# Theirs has a bump of 3 % around 2.5 items a register, and is NaN for full values of 6 bits or more.
# Registers of 4 bits are full before others are, and 16 of them are no measure of the truth.
is_query($node, <<'SQL', 't|t', 'cardinalities are those, but for what the estimators differ by');
SELECT bool_and(abs(hll_cardinality(moved) - n) <= 4 * 1.04 / sqrt(2 ^ log2m) * n + 0.5
                OR log2m = 4 OR regwidth = 4 AND n > 1000),
       bool_and(theirs.hll_cardinality(h) = 'NaN' OR regwidth = 4 AND n > 1000
                OR abs(hll_cardinality(moved) - theirs.hll_cardinality(h))
                   <= (0.035 + 1 / sqrt(2 ^ log2m)) * n + 0.5)
  FROM moved
SQL
is_query($node, <<'SQL', 't', 'explicit values count as exactly');
SELECT bool_and(hll_cardinality(moved) = n) FROM moved WHERE get_byte(theirs.hll_send(h), 0) = 18
SQL
is_query($node, <<'SQL', "17|t\n19|t\n20|t", 'empty, sparse and full values go back byte for byte');
SELECT get_byte(theirs.hll_send(h), 0),
       bool_and(hll_to_postgresql_hll(moved, regwidth) = theirs.hll_send(h))
  FROM moved WHERE get_byte(theirs.hll_send(h), 0) <> 18 GROUP BY 1 ORDER BY 1
SQL
is_query($node, <<'SQL', 't', 'explicit values go back with the same content');
SELECT bool_and(theirs.hll_send(theirs.hll_union(
                    hll_to_postgresql_hll(moved, regwidth)::theirs.hll, dense))
                = theirs.hll_send(theirs.hll_union(h, dense)))
  FROM moved JOIN (SELECT log2m, regwidth, h AS dense FROM value WHERE n = 70000) d
                  USING (log2m, regwidth)
 WHERE get_byte(theirs.hll_send(h), 0) = 18
SQL
is_query($node, <<'SQL', 't', 'going on, item by item, here and there');
SELECT bool_and(hll_to_postgresql_hll(
           moved | (SELECT hll_postgresql_hll_agg(hll_postgresql_hll_hash(i), log2m)
                      FROM generate_series(100000::bigint, 103000) i), regwidth)
       = theirs.hll_send(theirs.hll_union(h, (
                SELECT theirs.hll_add_agg(theirs.hll_hash_bigint(i), log2m, regwidth, -1, 1)
                  FROM generate_series(100000::bigint, 103000) i))))
  FROM moved WHERE log2m = 11
SQL
# The second extension has their names. A program finds them by its search_path.
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA names;
CREATE EXTENSION sketches_postgresql_hll SCHEMA names;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE item AS SELECT true AS a, -5::smallint AS b, 7 AS c, 9::bigint AS d, 'abc'::text AS e, '\xdead'::bytea AS f,
    'ab'::char(5) AS g, 1.50 AS h, '{"a": 1}'::jsonb AS i, '10.0.0.1'::inet AS j, array[1, 2] AS k, now() AS l,
    localtimestamp AS m, localtime AS n, current_date AS o, 1.5::float8 AS p, 2.5::real AS q, 'ok'::mood AS r,
    gen_random_uuid() AS s;
CREATE TABLE written (query text);
INSERT INTO written VALUES ('SELECT hll_send(hll_add_agg(hll_hash_bigint(i))) FROM generate_series(1::bigint, 5000) AS i'),
    ('SELECT hll_send(hll_add_agg(hll_hash_bigint(i, 7), 12, 5, -1, 1)) FROM generate_series(1::bigint, 5000) AS i'),
    ('SELECT hll_send(hll_empty(12) || hll_add_agg(hll_hash_any(i::text), 12)) FROM generate_series(1, 5000) AS i'),
    ('SELECT hll_type(h), hll_log2m(h), hll_regwidth(h), hll_schema_version(h) FROM (SELECT hll_add_agg(hll_hash_integer(i), 13) '
     'FROM generate_series(1, 5000) AS i) AS s (h)');
SQL
my @columns = ('a' .. 's');
is_query($node, 'SELECT concat_ws(\'\', '
      . join(', ', map { "names.hll_hash_any($_)::text = theirs.hll_hash_any($_)::text" } @columns) . ') FROM item',
    't' x @columns, 'hll_hash_any of each type');
for my $query (split /\n/, $node->safe_psql('postgres', 'TABLE written'))
{
    is($node->safe_psql('postgres', "SET search_path = names, public; $query"),
        $node->safe_psql('postgres', "SET search_path = theirs; $query"), $query);
}

is_query($node, <<'SQL', 't|t|t|t|t|t|t', 'one hash for each type');
SELECT hll_postgresql_hll_hash(true)::text = theirs.hll_hash_boolean(true)::text,
       hll_postgresql_hll_hash(-5::smallint)::text = theirs.hll_hash_smallint(-5::smallint)::text,
       hll_postgresql_hll_hash(-5)::text = theirs.hll_hash_integer(-5)::text,
       hll_postgresql_hll_hash(-5::bigint, 7)::text = theirs.hll_hash_bigint(-5, 7)::text,
       bool_and(hll_postgresql_hll_hash(left(t, n))::text = theirs.hll_hash_text(left(t, n))::text),
       bool_and(hll_postgresql_hll_hash(left(t, n), 99)::text = theirs.hll_hash_text(left(t, n), 99)::text),
       bool_and(hll_postgresql_hll_hash(left(t, n)::bytea)::text
                = theirs.hll_hash_bytea(left(t, n)::bytea)::text)
  FROM (SELECT repeat('abcdefghi', 5)) s(t), generate_series(0, 45) n
SQL

done_testing();
