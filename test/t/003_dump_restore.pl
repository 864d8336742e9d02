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
    small counting.hll UNIQUE,
    many counting.hll[],
    latency counting.tdigest DEFAULT counting.tdigest_add(counting.tdigest_empty(2000), 5)
        CHECK (counting.tdigest_count(latency) > 0),
    seen counting.bloom DEFAULT counting.bloom_add(counting.bloom_empty(), 'nobody'::text)
        CHECK (counting.bloom_cardinality(seen) < 1000000),
    often counting.cms DEFAULT counting.cms_add(counting.cms_empty(0.1, 0.1), 5, 3)
        CHECK (counting.cms_total(often) > 0),
    top counting.topk DEFAULT counting.topk_add(counting.topk_empty(3), 'nobody'::text)
        CHECK (counting.topk_total(top) > 0),
    counted bigint GENERATED ALWAYS AS (OPERATOR(counting.#) visitors) STORED,
    p50 float8 GENERATED ALWAYS AS (counting.tdigest_quantile(latency, 0.5)) STORED,
    fives bigint GENERATED ALWAYS AS (counting.cms_query(often, 5)) STORED,
    key counting.hashed DEFAULT 'a value'::text
);
INSERT INTO rollup (page, visitors, small, many, latency, seen, often, top)
    SELECT page, counting.hll_agg(visitor), counting.hll_agg(visitor, 8),
           ARRAY[counting.hll_agg(visitor, 4), NULL, counting.hll_agg(visitor, 11)],
           counting.tdigest_agg(visitor, 200 + 1800 * (page % 2)),
           counting.bloom_agg(visitor, 0.01, 1000) OPERATOR(counting.|) counting.bloom_agg(-visitor),
           counting.cms_agg(visitor),
           counting.topk_agg('user ' || visitor, 1 + 5 * page)
    FROM visits GROUP BY page;
INSERT INTO rollup (page) VALUES (100);
CREATE INDEX rollup_hash ON rollup USING hash (visitors);
CREATE INDEX rollup_latency ON rollup USING hash (latency);
CREATE INDEX rollup_often ON rollup USING hash (often);
CREATE INDEX rollup_top ON rollup USING hash (top);
CREATE INDEX rollup_btree ON rollup (small DESC);
CREATE INDEX rollup_counted ON rollup ((counting.hll_cardinality(small)));

CREATE TABLE filters (
    page int PRIMARY KEY,
    seen counting.cuckoo DEFAULT counting.cuckoo_add(
        counting.cuckoo_empty(10, expansion => 0), 'nobody'::text)
        CHECK (counting.cuckoo_cardinality(seen) > 0),
    items bigint GENERATED ALWAYS AS (counting.cuckoo_cardinality(seen)) STORED,
    nobody boolean GENERATED ALWAYS AS (seen OPERATOR(counting.@>) 'nobody'::text) STORED
);
INSERT INTO filters (page, seen)
    SELECT page, counting.cuckoo_delete(counting.cuckoo_agg(visitor, 8 + page), 5)
    FROM visits GROUP BY page;
INSERT INTO filters (page) VALUES (100);
CREATE INDEX filters_hash ON filters USING hash (seen);
CREATE VIEW seen AS SELECT counting.cuckoo_union_agg(seen ORDER BY page) AS f FROM filters;

CREATE TABLE moments (
    id int PRIMARY KEY,
    days counting.bitfield DEFAULT counting.bitfield_empty()
        CHECK (days OPERATOR(counting.>=) counting.bitfield_empty()),
    ones bigint GENERATED ALWAYS AS (counting.bitfield_count(days)) STORED,
    place counting.geohash DEFAULT 'u33' CHECK (counting.geohash_within(place, 0, 0, 20000, 'km')),
    attempts counting.ratelimit DEFAULT counting.ratelimit_funnel(4, 1, '1 s')
        CHECK ((counting.ratelimit_info(attempts)).kind = 'funnel')
);
INSERT INTO moments (id, days, place)
    SELECT i, counting.bitfield_set_bit(counting.bitfield_empty(), i * i % 3000, true),
           counting.geohash(i % 360 - 180, i % 180 - 90)
    FROM generate_series(1, 1000) i;
INSERT INTO moments (id) VALUES (0);
CREATE INDEX moments_place ON moments (place);
CREATE INDEX moments_set ON moments (id)
    WHERE days OPERATOR(counting.<>) counting.bitfield_empty();
CREATE MATERIALIZED VIEW near AS
    SELECT count(*), counting.bitfield_or_agg(days) AS days,
           counting.bitfield_or_agg(days) OPERATOR(counting.>) counting.bitfield_empty() AS any
    FROM moments WHERE counting.geohash_within(place, 13, 52, 5000, 'km');

CREATE TABLE spread (visitors counting.hll) PARTITION BY HASH (visitors);
CREATE TABLE spread_0 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE spread_1 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO spread SELECT small FROM rollup;

CREATE TABLE redis AS SELECT counting.hll_redis_agg(visitor::text) AS visitors FROM visits;
CREATE VIEW totals AS
    SELECT counting.hll_union_agg(visitors) AS visitors,
           counting.tdigest_union_agg(latency ORDER BY page) AS latency,
           OPERATOR(counting.#) counting.hll_union_agg(visitors OPERATOR(counting.|) small) AS n,
           counting.cms_union_agg(often ORDER BY page) FILTER (WHERE page < 100) AS often,
           counting.topk_union_agg(top OPERATOR(counting.|) top ORDER BY page) AS top
    FROM rollup;
CREATE MATERIALIZED VIEW pages AS
    SELECT page, counting.hll_agg(visitor) AS visitors,
           counting.approx_count_distinct(visitor) AS n,
           counting.approx_percentile(visitor, '{0.5,0.99}'::float8[]) AS latencies,
           counting.approx_top_k(visitor, 3) AS top,
           counting.cms_total(counting.cms_agg(visitor, 2)) AS twice
    FROM visits GROUP BY page;
CREATE UNIQUE INDEX ON pages (page);
CREATE FUNCTION merged(counting.hll, VARIADIC counting.hll[]) RETURNS bigint LANGUAGE sql
    RETURN counting.hll_cardinality($1) + counting.hll_cardinality(VARIADIC $2);
SQL

# Every byte of every table and view, in one text.
my $everything = <<'SQL';
SET search_path = counting, public;
SELECT string_agg(md5(t), ' ' ORDER BY t) FROM (
    SELECT 'rollup ' || r::text FROM rollup r
    UNION ALL SELECT 'bytes ' || page || (visitors::bytea)::text
            || (latency::bytea)::text || (seen::bytea)::text || (often::bytea)::text
            || (top::bytea)::text FROM rollup
    UNION ALL SELECT 'filters ' || f::text || (seen::bytea)::text || cuckoo_info(seen) FROM filters f
    UNION ALL SELECT 'seen ' || s::text FROM seen s
    UNION ALL SELECT 'spread ' || tableoid::regclass || s::text FROM spread s
    UNION ALL SELECT 'redis ' || hll_to_redis(visitors)::text || hll_info(visitors)::text FROM redis
    UNION ALL SELECT 'totals ' || t::text FROM totals t
    UNION ALL SELECT 'moments ' || m::text FROM moments m
    UNION ALL SELECT 'near ' || n::text FROM near n
    UNION ALL SELECT 'pages ' || p::text || (visitors::bytea)::text FROM pages p
) s (t)
SQL

my $content = $node->safe_psql('source', $everything);
my $definitions = definitions('source');
is(() = $content =~ /\b[0-9a-f]{32}\b/g, 13 + 13 + 13 + 1 + 13 + 1 + 1 + 1001 + 1 + 12,
    'all rows take part in the comparison');
is_query($node, <<'SQL', 't|t|t', 'in-line and out-of-line ones among them', database => 'source');
SELECT bool_or(length(visitors::bytea) < 100),
       bool_or(length(visitors::bytea) > 2500) AND bool_or(length(often::bytea) > 2500)
       AND bool_or(length(top::bytea) > 2500),
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
            [ qw(pg_dump --rows-per-insert=1000 -f), $file, '-d', $node->connstr('source') ],
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
SELECT a.visitors = b.visitors AND a.counted = 1 AND a.latency = b.latency AND b.p50 = 5
       AND a.seen = b.seen AND b.seen @> 'nobody'
       AND (SELECT bool_and(seen @> visitor) FROM rollup JOIN visits USING (page))
       AND a.often = b.often AND a.fives = 3 AND a.top = b.top AND topk_count(b.top, 'nobody') = 1,
       a.key::bigint = hashed('a value'::text)::bigint
FROM rollup a, rollup b WHERE a.page = 100 AND b.page = 101
SQL
    is_query($node, <<'SQL', '1|t|t', '... a filter, too', database => $database);
SET search_path = counting, public;
INSERT INTO filters (page, seen) VALUES (101, cuckoo_empty(10, expansion => 0) | (TABLE seen));
SELECT a.items, a.nobody, b.nobody AND b.items > 12 FROM filters a, filters b
WHERE a.page = 100 AND b.page = 101
SQL
    raises($node, '23514', <<'SQL', '... the check is alive', database => $database);
UPDATE rollup SET visitors = (SELECT counting.hll_agg(i) FROM generate_series(1, 1100000) i)
SQL
    raises($node, '23514', <<'SQL', '... the check of counts', database => $database);
UPDATE rollup SET often = counting.cms_empty(), top = counting.topk_empty() WHERE page = 3
SQL
    raises($node, '23505', 'INSERT INTO rollup (page, small) SELECT 102, small FROM rollup',
        '... the unique index is alive', database => $database);
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
    like($plan, qr/rollup_(?:small_key|btree)/, '... a btree index is used');
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
    is_query($node, <<"SQL", '13|t', "COPY out and in, $format", database => 'source');
COPY rollup (page, visitors, small, many, latency, seen, often, top) TO '$file' WITH (FORMAT $format);
CREATE TEMP TABLE back (LIKE rollup);
COPY back (page, visitors, small, many, latency, seen, often, top) FROM '$file' WITH (FORMAT $format);
SET search_path = counting, public;
SELECT count(*),
       bool_and((a.visitors::bytea, a.small::bytea, a.many::bytea[], a.latency::bytea,
               a.seen::bytea, a.often::bytea, a.top::bytea)
           IS NOT DISTINCT FROM (b.visitors::bytea, b.small::bytea, b.many::bytea[],
               b.latency::bytea, b.seen::bytea, b.often::bytea, b.top::bytea))
FROM rollup a JOIN pg_temp.back b USING (page)
SQL
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
