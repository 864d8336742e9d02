# pg_dump and pg_restore, and COPY in binary: whatever holds a sketch comes back byte for byte, with
# the extension in a schema that is not in anybody's search_path.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('dump', schema => undef, conf => "max_wal_senders = 0\n");
my $dir = PostgreSQL::Test::Utils::tempdir();

$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', <<'SQL');
CREATE SCHEMA counting;
CREATE EXTENSION sketches SCHEMA counting;

CREATE TABLE visits AS
    SELECT i % 12 AS page, (i * 7919) % (10 + 3000 * (i % 12)) AS visitor
    FROM generate_series(1, 100000) i;

CREATE TABLE rollup (
    page int PRIMARY KEY,
    visitors counting.hll DEFAULT counting.hll_add(counting.hll_empty(12), 'nobody'::text)
        CHECK (counting.hll_cardinality(visitors) < 1000000),
    small counting.hll,
    many counting.hll[],
    counted bigint GENERATED ALWAYS AS (OPERATOR(counting.#) visitors) STORED,
    key counting.hashed DEFAULT 'a value'::text,
    EXCLUDE USING hash (small WITH OPERATOR(counting.=))
);
INSERT INTO rollup (page, visitors, small, many)
    SELECT page, counting.hll_agg(visitor), counting.hll_agg(visitor, 8),
           ARRAY[counting.hll_agg(visitor, 4), NULL, counting.hll_agg(visitor, 11)]
    FROM visits GROUP BY page;
INSERT INTO rollup (page) VALUES (100);
CREATE INDEX rollup_hash ON rollup USING hash (visitors);
CREATE INDEX rollup_counted ON rollup ((counting.hll_cardinality(small)));

CREATE TABLE spread (visitors counting.hll) PARTITION BY HASH (visitors);
CREATE TABLE spread_0 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE spread_1 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO spread SELECT small FROM rollup;

CREATE TABLE redis AS SELECT counting.hll_redis_agg(visitor::text) AS visitors FROM visits;
CREATE VIEW totals AS
    SELECT counting.hll_union_agg(visitors) AS visitors,
           OPERATOR(counting.#) counting.hll_union_agg(visitors OPERATOR(counting.|) small) AS n
    FROM rollup;
CREATE MATERIALIZED VIEW pages AS
    SELECT page, counting.hll_agg(visitor) AS visitors,
           counting.approx_count_distinct(visitor) AS n
    FROM visits GROUP BY page;
CREATE UNIQUE INDEX ON pages (page);
SQL
# A function whose body names the functions it calls.
my $sum = 'counting.hll_cardinality($1) + counting.hll_cardinality($2[1])';
$node->safe_psql('source',
    'CREATE FUNCTION merged(counting.hll, VARIADIC counting.hll[]) RETURNS bigint LANGUAGE sql '
      . "RETURN $sum");

# Each type has a table of its own, and views.
$node->safe_psql('source', $_) for rows_of_types('dump', 'setup');
my %tables = rows_of_types('dump', 'tables');
my @views = rows_of_types('dump', 'views');
my $of_types = join ' ', map { "UNION ALL SELECT '$_ ' || t::text FROM $_ t" } sort keys %tables, @views;

# Every byte of every table and view, in one text.
my $everything = <<"SQL";
SET search_path = counting, public;
SELECT string_agg(md5(t), ' ' ORDER BY t) FROM (
    SELECT 'rollup ' || r::text FROM rollup r
    UNION ALL SELECT 'bytes ' || page || (visitors::bytea)::text FROM rollup
    UNION ALL SELECT 'spread ' || tableoid::regclass || s::text FROM spread s
    UNION ALL SELECT 'redis ' || hll_to_redis(visitors)::text || hll_info(visitors)::text FROM redis
    UNION ALL SELECT 'totals ' || t::text FROM totals t
    UNION ALL SELECT 'pages ' || p::text || (visitors::bytea)::text FROM pages p
    $of_types
) s (t)
SQL

my $content = $node->safe_psql('source', $everything);
my $definitions = definitions('source');
is(() = $content =~ /\b[0-9a-f]{32}\b/g, 13 + 13 + 13 + 1 + 1 + 12 + 13 * keys(%tables) + @views,
    'all rows take part in the comparison');
is_query($node, <<'SQL', 't|t|t', 'in-line and out-of-line ones among them', database => 'source');
SELECT bool_or(length(visitors::bytea) < 100),
       bool_or(length(visitors::bytea) > 2500),
       (SELECT pg_relation_size(reltoastrelid) > 0 FROM pg_class WHERE relname = 'rollup')
FROM rollup
SQL

my %restore = (
    plain => sub {
        my ($database, $file) = @_;
        $node->command_ok([ 'pg_dump', '-Fp', '-f', $file, '-d', $node->connstr('source') ],
            'pg_dump, plain');
        $node->command_ok(
            [ qw(psql -X -q -v ON_ERROR_STOP=1 -f), $file, '-d', $node->connstr($database) ],
            '... and psql');
    },
    custom => sub {
        my ($database, $file) = @_;
        $node->command_ok([ 'pg_dump', '-Fc', '-f', $file, '-d', $node->connstr('source') ],
            'pg_dump, custom');
        $node->command_ok(
            [ qw(pg_restore --exit-on-error -j 2 -d), $node->connstr($database), $file ],
            '... and pg_restore');
    },
    inserts => sub {
        my ($database, $file) = @_;
        $node->command_ok(
            [ 'pg_dump', '--rows-per-insert=1000', '-f', $file, '-d', $node->connstr('source') ],
            'pg_dump, as inserts');
        $node->command_ok(
            [ qw(psql -X -q -v ON_ERROR_STOP=1 -f), $file, '-d', $node->connstr($database) ],
            '... and psql');
    });

for my $form (sort keys %restore)
{
    $node->safe_psql('postgres', "CREATE DATABASE $form");
    $restore{$form}->($form, "$dir/$form");
    is_query($node, $everything, $content, '... bring every byte back', database => $form);
    is(definitions($form), $definitions, '... and every definition');
    check_working($form);
}

sub check_working
{
    my ($database) = @_;
    is_query($node, <<'SQL', 't|t', '... the default is alive', database => $database);
SET search_path = counting, public;
INSERT INTO rollup (page) VALUES (101);
SELECT a.visitors = b.visitors AND a.counted = 1,
       a.key::bigint = hashed('a value'::text)::bigint
FROM rollup a, rollup b WHERE a.page = 100 AND b.page = 101
SQL
    for my $type (types_with('dump'))
    {
        my $name = join ', ', sort keys %{ $type->{tables} };
        is_query($node, "SET search_path = counting, public; $type->{alive}", 't',
            "... the default of $name, too", database => $database);
        raises($node, '23514', $type->{refused}, "... the check of $name", database => $database);
    }
    raises($node, '23514', <<'SQL', '... the check is alive', database => $database);
UPDATE rollup SET visitors = (SELECT counting.hll_agg(i) FROM generate_series(1, 1100000) i)
SQL
    raises($node, '23P01', 'INSERT INTO rollup (page, small) SELECT 102, small FROM rollup',
        '... the exclusion is alive', database => $database);
    my $lookups = <<'SQL';
SELECT count(*) FROM counting.hll_empty() s,
    LATERAL (SELECT FROM public.rollup WHERE visitors OPERATOR(counting.=)
        (SELECT visitors FROM public.rollup WHERE page = 7)) a,
    LATERAL (SELECT FROM public.rollup WHERE small OPERATOR(counting.=)
        (SELECT small FROM public.rollup WHERE page = 7)) b
SQL
    my $index = 'SET enable_seqscan = off; SET enable_bitmapscan = off';
    my $plan = $node->safe_psql($database, "$index; EXPLAIN (COSTS OFF) $lookups");
    like($plan, qr/rollup_hash/, '... the hash index is used');
    like($plan, qr/rollup_small_excl/, '... the index of the exclusion is used');
    is_query($node, "$index; $lookups", 1, '... they find it', database => $database);
    is_query($node, <<'SQL', 't', '... the materialized view is refreshed', database => $database);
INSERT INTO visits SELECT 50, i FROM generate_series(1, 100) i;
REFRESH MATERIALIZED VIEW CONCURRENTLY pages;
SELECT (SELECT count(*) FROM pages) = 13 AND bool_and(n = counting.hll_cardinality(visitors))
    AND bool_or(page = 50 AND n = 100)
FROM pages
SQL
    return;
}

# What pg_dump writes about the schema, without the random words that newer versions put around it.
sub definitions
{
    my ($database) = @_;
    my $text =
      (run_command([ 'pg_dump', '--schema-only', '-d', $node->connstr($database) ]))[0];
    $text =~ s/^\\(?:un)?restrict .*\n//mg;
    return $text;
}

# COPY, both ways and back.
for my $format (qw(binary text csv))
{
    my $file = "$dir/copy.$format";
    my %copied = (rollup => 'page, visitors, small, many', %tables);
    for my $table (sort keys %copied)
    {
        is_query($node, <<"SQL", '13|t', "COPY out and in, $format: $table", database => 'source');
COPY $table ($copied{$table}) TO '$file' WITH (FORMAT $format);
CREATE TEMP TABLE back (LIKE $table INCLUDING GENERATED);
COPY back ($copied{$table}) FROM '$file' WITH (FORMAT $format);
SET search_path = counting, public;
SELECT count(*), bool_and(($copied{$table})::text = (SELECT ($copied{$table})::text
       FROM pg_temp.back b WHERE b.page = a.page))
FROM $table a
SQL
    }
}

# psql's \copy sends the bytes through the client, as a move from one server to another does.
my $moved = "$dir/moved";
$node->safe_psql('source', "\\copy (SELECT page, visitors FROM rollup) TO '$moved' WITH BINARY");
is_query($node, <<"SQL", '13|t', 'a binary copy into another database', database => 'plain');
CREATE TABLE moved (page int, visitors counting.hll);
\\copy moved FROM '$moved' WITH BINARY
SELECT count(*), bool_and(a.visitors::text = b.visitors::text)
FROM moved a JOIN rollup b USING (page)
SQL
done_testing();
