# A streaming replica: sketches written on the primary arrive byte for byte, and every query, serial
# and parallel, answers alike on the read-only standby.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $primary = new_server('primary', allows_streaming => 1, conf => "max_wal_senders = 4\n");
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# One value in every storage: in line up to a page, in line or out of line and compressed, out of
# line as the type has it. A page's visitors number 3 ^ page, so sparse and dense are among them.
$primary->safe_psql('postgres', <<'SQL');
CREATE TABLE facts AS
    SELECT p AS page, (i * 7919 + p) % 100000 AS visitor
    FROM generate_series(0, 10) p, generate_series(1, (3 ^ p)::int) i;
CREATE TABLE rollup (page int PRIMARY KEY, visitors hll);
INSERT INTO rollup SELECT page, hll_agg(visitor) FROM facts GROUP BY page;
CREATE TABLE stored (page int, main hll, extended hll, external hll, plain hll);
ALTER TABLE stored ALTER main SET STORAGE main, ALTER extended SET STORAGE extended,
    ALTER external SET STORAGE external, ALTER plain SET STORAGE plain;
INSERT INTO stored SELECT page, v, v, v, hll_reduce(v, 10)
    FROM rollup, LATERAL (SELECT visitors::bytea::hll) s (v);
-- Digests in line and out of line, and one in the form an aggregate works in.
CREATE TABLE latency (page int PRIMARY KEY, packed tdigest, large tdigest, working tdigest);
CREATE AGGREGATE raw_tdigest_agg(float8) (SFUNC = tdigest_agg_state, STYPE = tdigest);
INSERT INTO latency
    SELECT page, tdigest_agg(visitor), tdigest_agg(visitor, 2000), raw_tdigest_agg(visitor)
    FROM facts GROUP BY page;
UPDATE latency SET packed = tdigest_add(packed, -1, 5), large = large | packed WHERE page IN (2, 9);
-- A list, a filter, one out of line, one that has grown, and one as an aggregate works on it.
CREATE TABLE filters (page int PRIMARY KEY, packed bloom, large bloom, working bloom);
CREATE AGGREGATE raw_bloom_agg(hashed) (SFUNC = bloom_agg_state, STYPE = bloom);
INSERT INTO filters
    SELECT page, bloom_agg(visitor), bloom_agg(visitor, 20000, 0.001), raw_bloom_agg(visitor)
    FROM facts GROUP BY page;
UPDATE filters SET packed = bloom_add_all(packed, ARRAY[-1, -2]), large = large | packed
    WHERE page IN (2, 9);
-- Frequencies: exact and not, in line and out of line, and in the forms aggregates work in.
CREATE TABLE frequency (page int PRIMARY KEY, often cms, large cms, working cms,
    top topk, words topk, raw topk);
CREATE AGGREGATE raw_cms_agg(hashed) (SFUNC = cms_agg_state, STYPE = cms);
CREATE AGGREGATE raw_topk_agg(bigint) (SFUNC = topk_agg_state, STYPE = topk);
INSERT INTO frequency
    SELECT page, cms_agg(visitor), cms_agg(visitor, 2, 0.0001, 0.1), raw_cms_agg(visitor % 9000),
           topk_agg(visitor), topk_agg('user ' || visitor % 3000, 100), raw_topk_agg(visitor % 9000)
    FROM facts GROUP BY page;
UPDATE frequency SET often = cms_add(often, -1, 5), large = large | large,
    top = topk_add(top, -1, 5), words = topk_decay(words, 0.5) WHERE page IN (2, 9);
-- Cuckoo filters in line and out of line, from which something was deleted.
CREATE TABLE cuckoos (page int PRIMARY KEY, packed cuckoo, fixed cuckoo);
INSERT INTO cuckoos
    SELECT page, cuckoo_agg(visitor), cuckoo_add_all(cuckoo_empty(9, 8, 0), ARRAY[page, page])
    FROM facts GROUP BY page;
UPDATE cuckoos SET packed = cuckoo_delete(packed, (SELECT min(visitor) FROM facts WHERE page = 9))
    WHERE page IN (2, 9);
-- Compressible: all registers are equal.
INSERT INTO stored SELECT 100 + r, v, v, v, v FROM generate_series(1, 20) r, LATERAL (
    SELECT hll_from_redis(decode('48594c4c01' || repeat('00', 11)
        || repeat(to_hex(131 + (r - 1) * 4), 4096), 'hex'))) s (v);
-- Changed and deleted rows are replayed too.
INSERT INTO rollup SELECT 50, hll_agg(i) FROM generate_series(1, 100000) i;
UPDATE rollup SET visitors = visitors | (SELECT hll_agg(i) FROM generate_series(1, 20000) i)
    WHERE page IN (1, 9);
DELETE FROM rollup WHERE page = 50;
CREATE INDEX ON rollup USING hash (visitors);
ALTER TABLE facts SET (parallel_workers = 2);
SQL
$primary->wait_for_catchup($standby);

is_query($standby, 'SELECT pg_is_in_recovery()', 't', 'the standby is one');

sub same_on_both
{
    my ($name, $query, $expected) = @_;
    my $answer = $primary->safe_psql('postgres', $query);
    is_query($standby, $query, $answer, "$name: the same on both");
    like($answer, $expected, "$name: as it has to be");
    return;
}

same_on_both('bytes of the rollup',
    "SELECT count(*), string_agg(${\ sketch_bytes('visitors') }, ' ' ORDER BY page) FROM rollup",
    qr/^11\|/);
same_on_both('in line and out of line', <<'SQL', qr/^t\|t$/);
SELECT bool_or(length(visitors::bytea) < 100),
       (SELECT pg_relation_size(reltoastrelid) > 0 FROM pg_class WHERE relname = 'rollup')
       AND bool_or(length(visitors::bytea) > 2500)
FROM rollup
SQL
same_on_both('storage of a column', <<'SQL', qr/^\d\d\|t\|t\|t\|[0-9a-f]+$/);
SELECT count(*),
       bool_and(main::bytea = external::bytea AND extended::bytea = external::bytea),
       bool_and(#main = #external AND #extended = #external
                AND (main | extended) = external AND hll_info(extended) = hll_info(main)),
       bool_and(CASE WHEN page < 100 THEN hll_reduce(extended, 10) ELSE main END = plain),
       md5(string_agg(main::text || extended::text || external::text || plain::text, ' '
           ORDER BY page))
FROM stored
SQL
same_on_both('compressed values are among them', <<'SQL', qr/^t$/);
SELECT bool_or(pg_column_size(extended) < length(extended::bytea)) FROM stored
SQL
same_on_both('questions', <<'SQL', qr/^11\|(?:\d+\|){5}t$/);
SELECT count(*), sum(#a.visitors), sum((hll_bounds(a.visitors)).upper),
       sum(hll_intersection_cardinality(a.visitors, b.visitors)),
       sum(hll_cardinality(a.visitors, b.visitors)),
       (SELECT count(*) FROM rollup r, hll_registers(r.visitors)),
       bool_and(a.visitors::bytea::hll = a.visitors)
FROM rollup a JOIN rollup b ON b.page = (a.page + 1) % 11
SQL
same_on_both('aggregates', <<'SQL', qr/^[0-9a-f]{32}\|[0-9a-f]{32}\|\d+$/);
SELECT (SELECT md5(hll_union_agg(visitors)::bytea) FROM rollup),
       md5(hll_agg(visitor, 12)::bytea), approx_count_distinct(visitor) FROM facts
SQL
same_on_both('digests', <<'SQL', qr/^11\|t\|t\|[0-9a-f]{32}$/);
SELECT count(*), bool_or(length(large::bytea) > 2500),
       bool_and(tdigest_count(working) = (3 ^ page)::int),
       md5(string_agg(packed::text || large::text || working::text, ' ' ORDER BY page))
FROM latency
SQL
same_on_both('filters', <<'SQL', qr/^11\|t\|t\|[0-9a-f]{32}$/);
SELECT count(*), bool_or(length(large::bytea) > 2500 AND (bloom_info(large)).filters > 1),
       bool_and(bloom_cardinality(working) = (3 ^ page)::int),
       md5(string_agg(packed::text || large::text || working::text, ' ' ORDER BY page))
FROM filters
SQL
same_on_both('probes of filters', <<'SQL', qr/^(\d+)\|\1\|\1\|\d+\|\d+\|[0-9a-f]{32}$/);
SELECT count(*), count(*) FILTER (WHERE packed @> visitor AND large @> visitor),
       count(*) FILTER (WHERE page > 8 OR working @> visitor),
       count(*) FILTER (WHERE packed @> -visitor), count(*) FILTER (WHERE large @> -visitor),
       (SELECT md5(bloom_union_agg(packed ORDER BY page)::bytea) FROM filters)
FROM facts JOIN filters USING (page) WHERE page < 9 OR visitor % 20 = 0
SQL
same_on_both('cuckoo filters', <<'SQL', qr/^11\|t\|1\|[0-9a-f]{32}$/);
SELECT count(*), bool_or(length(packed::bytea) > 100000), sum((cuckoo_info(packed)).deletes),
       md5(string_agg(packed::text || fixed::text, ' ' ORDER BY page))
FROM cuckoos
SQL
same_on_both('questions of cuckoo filters', <<'SQL', qr/^t\|\d+\|1\|22\|[0-9a-f]{32}$/);
SELECT bool_and(packed @> visitor) FILTER (WHERE packed @> visitor OR page <> 9),
       count(*) FILTER (WHERE packed @> -visitor), count(*) FILTER (WHERE NOT packed @> visitor),
       (SELECT sum(cuckoo_count(fixed, page)) FROM cuckoos),
       (SELECT md5(cuckoo_union_agg(packed ORDER BY page)::bytea) FROM cuckoos)
FROM cuckoos JOIN (SELECT DISTINCT page, visitor FROM facts) f USING (page)
SQL
same_on_both('questions of digests', <<'SQL', qr/^11\|[^|]+\|[^|]+\|[^|]+\|[^|]+\|[0-9a-f]{32}$/);
SELECT count(*), sum(tdigest_quantile(packed, 0.99)), sum(tdigest_quantile(working, 0.5)),
       sum(tdigest_cdf(large, 5000)), string_agg(tdigest_sparkline(large, 20), ' ' ORDER BY page),
       md5(tdigest_union_agg(large ORDER BY page)::bytea)
FROM latency
SQL
same_on_both('frequencies', <<'SQL', qr/^11\|t\|t\|t\|[0-9a-f]{32}$/);
SELECT count(*), bool_or((cms_info(often)).encoding = 'table' AND length(large::bytea) > 2500),
       bool_or(topk_error(top) > 0) AND bool_or(topk_error(top) = 0),
       bool_and(cms_total(working) = (3 ^ page)::int AND topk_total(raw) = (3 ^ page)::int),
       md5(string_agg(often::text || large::text || working::text || top::text || words::text
           || raw::text, ' ' ORDER BY page))
FROM frequency
SQL
same_on_both('questions of frequencies', <<'SQL', qr/^11(?:\|\d+){5}\|[0-9a-f]{32}\|[0-9a-f]{32}$/);
SELECT count(*), sum(cms_query(often, -1)), sum(cms_query(large, 5) + cms_query(working, 5)),
       sum(cms_inner_product(often, often)), sum(topk_count(top, -1) + topk_error(raw)),
       sum((topk_bounds(words, 'user 7')).upper),
       md5(cms_union_agg(often ORDER BY page)::text || topk_union_agg(top ORDER BY page)::text),
       (SELECT md5(string_agg(l::text, ' ' ORDER BY page, l.lower, l.item))
        FROM frequency, topk_list(words) l)
FROM frequency
SQL
is_query($standby, <<'SQL', 't', 'a digest of a serial aggregate on the standby: the same bytes');
SET max_parallel_workers_per_gather = 0;
SELECT bool_and(d.t::bytea = l.packed::bytea)
FROM (SELECT page, tdigest_agg(visitor) AS t FROM facts GROUP BY page) d JOIN latency l USING (page)
WHERE page NOT IN (2, 9)
SQL

my $parallel = <<'SQL';
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off
SQL
my $query =
  'SELECT page, ' . sketch_bytes('hll_agg(visitor)') . ' FROM facts GROUP BY page ORDER BY 1';
my $plan = plan_of($standby, $parallel, $query, 1);
like($plan, qr/Finalize.*Partial/s, 'the standby aggregates in parallel');
ok(enough_workers($plan, 2), '... with 2 workers') || diag($plan);
is_query($standby, "$parallel; $query",
    $primary->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $query"),
    '... with the bytes of the serial aggregate on the primary');

raises($standby, '25006', 'INSERT INTO rollup SELECT 99, hll_empty()', 'the standby is read-only');

# After a failover the rollup goes on.
$primary->stop('immediate');
$standby->promote;
$standby->safe_psql('postgres',
    'UPDATE rollup SET visitors = visitors | (SELECT hll_agg(visitor) FROM facts) WHERE page = 3');
is_query($standby, <<'SQL', 't', 'the promoted standby updates the rollup');
SELECT visitors::bytea = (SELECT hll_agg(visitor)::bytea FROM facts) FROM rollup WHERE page = 3
SQL

done_testing();
