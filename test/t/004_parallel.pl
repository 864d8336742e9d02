# The same rows make the same bytes of what is counted exactly, whatever the plan: serial, parallel,
# sorted, hashed, hashed and spilled to disk, partitionwise, as a window, compiled by the JIT, in
# any order of rows. Digests depend on the order in which rows come: they are the same bytes for the
# same order, and answer alike within their error for others.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('parallel', conf => "work_mem = 64MB\n");

# 200 groups of very different sizes, so that both encodings and growing states are among them (in `make test` a third
# of the rows); the same rows in three orders; sketches of different precisions to unite; the same in partitions.
# Columns of sketches, "aggregate AS name".
my %columns = rows_of_types('parallel', 'kept');
my $columns = join ', ', map { "$columns{$_} AS $_" } sort keys %columns;
my $divisor = ($ENV{SAMPLE} // 1) > 1 ? 60 : 20;
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE facts AS
    SELECT g, (i::bigint * 7919) % 1000003 AS x, 'user-' || (i * 31 + g) % 5000 AS t
    FROM generate_series(1, 200) g, generate_series(1, 5 + g * g / $divisor) i;
CREATE TABLE facts_shuffled AS SELECT * FROM facts ORDER BY hashint8(x), g;
CREATE TABLE facts_reversed AS SELECT * FROM facts ORDER BY g DESC, t DESC, x DESC;
CREATE TABLE sketches AS
    SELECT g, x % 50 AS part, $columns FROM facts GROUP BY 1, 2, g % 4;
CREATE TABLE tiny AS SELECT i % 10000 AS g, i AS x FROM generate_series(1, 30000) i;
-- Who believes in few groups aggregates before the rows are gathered.
ALTER TABLE tiny ALTER g SET (n_distinct = 100);
CREATE TABLE parted (g int, x bigint, t text) PARTITION BY LIST (x);
SELECT 'CREATE TABLE parted_' || m || ' PARTITION OF parted FOR VALUES IN (' ||
       (SELECT string_agg(v::text, ', ') FROM generate_series(m, 59, 3) v) || ')'
FROM generate_series(0, 2) m \\gexec
INSERT INTO parted SELECT g, x % 60, t FROM facts;
ANALYZE;
SQL
$node->safe_psql('postgres', "ALTER TABLE $_ SET (parallel_workers = 4)")
  for qw(facts facts_shuffled facts_reversed sketches tiny);

my $serial = 'SET max_parallel_workers_per_gather = 0';
my $sorted = "$serial; SET enable_hashagg = off";
my $hashed = "$serial; SET enable_sort = off";

sub parallel
{
    my ($workers) = @_;
    return <<"SQL";
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off; SET max_parallel_workers_per_gather = $workers
SQL
}

# One line of all the aggregates over a table, by group or as a whole.
sub aggregates
{
    my ($table, $group) = @_;
    my @parts = $table eq 'sketches' ? 'unions' : ('facts', $group ? 'groups' : ());
    my @bytes = map { sketch_bytes($_) } map { rows_of_types('parallel', $_) } @parts;
    push @bytes, rows_of_types('parallel', 'answers') if $table ne 'sketches';
    return $group
      ? "SELECT g, @{[ join ', ', @bytes ]} FROM $table GROUP BY g"
      : "SELECT @{[ join ', ', @bytes ]} FROM $table";
}

# The analyzed plan of a query and its rows, of one execution. (Without costs EXPLAIN says nothing of the JIT.)
sub plan_and_answer
{
    my ($settings, $query) = @_;
    my $out = $node->safe_psql('postgres', "$settings;
        EXPLAIN (ANALYZE, TIMING OFF) CREATE TEMP TABLE answered AS SELECT s::text FROM ($query) AS s;
\\echo rows
TABLE answered");
    my ($plan, $rows) = split /^rows\n/m, $out;
    return ($plan, join "\n", sort split /\n/, $rows);
}

# The rows of a query in one order and one word; sorting outside leaves the plan of the inside.
sub answer
{
    my ($settings, $query) = @_;
    return join "\n", sort split /\n/, $node->safe_psql('postgres', "$settings;\nSELECT s::text FROM ($query) AS s");
}

my %reference;
for my $table (qw(facts sketches))
{
    for my $group (0, 1)
    {
        my $query = aggregates($table, $group);
        my $plan = plan_of($node, $sorted, $query);
        unlike($plan, qr/Hash|Gather/, "the reference over $table: sorted, serial");
        $reference{$table}[$group] = answer($sorted, $query);
    }
}
# Equal answers are worth nothing if they are wrong or trivial.
is_query($node, <<'SQL', 't|t', 'the reference is right: 5 standard errors, none for small groups');
SELECT bool_and(abs(a - n) <= 5 * 1.04 / 128 * n), bool_and(a = n OR n > 400)
FROM (SELECT approx_count_distinct(x) AS a, count(DISTINCT x) AS n FROM facts GROUP BY g) s
SQL
is_query($node, <<'SQL', 'dense,sparse|10,11,12,13', 'different encodings and precisions');
SELECT (SELECT string_agg(DISTINCT (hll_info(h)).encoding, ',')
        FROM (SELECT hll_agg(x, 11) FROM facts GROUP BY g) s (h)),
       (SELECT string_agg(DISTINCT (hll_info(h)).precision::text, ',') FROM sketches)
SQL

for my $table (qw(facts facts_shuffled facts_reversed sketches))
{
    my $original = $table =~ /^facts/ ? 'facts' : $table;
    for my $group (0, 1)
    {
        my $query = aggregates($table, $group);
        my $what = $table . ($group ? ' by group' : '');
        my $expected = $reference{$original}[$group];
        is(answer($sorted, $query), $expected, "$what: serial, sorted")
          if $table ne $original;
        if ($group)
        {
            like(plan_of($node, $hashed, $query), qr/HashAggregate/, "$what: hashed");
            is(answer($hashed, $query), $expected, '... the same bytes');
        }
        for my $workers (2, 4)
        {
            my ($plan, $answer) = plan_and_answer(parallel($workers), $query);
            like($plan, qr/Finalize.*Partial/s, "$what: $workers workers");
            ok(enough_workers($plan, $workers), '... all of them run') || diag($plan);
            is($answer, $expected, '... the same bytes');
        }
    }
}

# Hash aggregation that does not fit: states and tuples travel through files.
{
    my $query = join ', ', 'SELECT g, approx_count_distinct(x)',
      map { sketch_bytes($_) } rows_of_types('parallel', 'spilled');
    $query .= ' FROM tiny GROUP BY g';
    my $spilled = "SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET enable_sort = off";
    my $expected = answer($sorted, $query);
    my ($plan, $answer) = plan_and_answer("$serial; $spilled", $query);
    like($plan, qr/HashAggregate.*Batches: (?:[2-9]|\d\d)/s, 'hashed, spilled') || diag($plan);
    is($answer, $expected, '... the same bytes');
    ($plan, $answer) = plan_and_answer(parallel(2) . "; $spilled", $query);
    like($plan, qr/Finalize.*Partial HashAggregate.*Batches: (?:[2-9]|\d\d)/s,
        'partially hashed, spilled by 2 workers') || diag($plan);
    is($answer, $expected, '... the same bytes');
}

# Grouping sets: several hash tables and a sort in one node.
{
    my $query = "SELECT g, x % 2, ${\ sketch_bytes('hll_agg(x)') }, ${\ sketch_bytes('hll_agg(t)') }
        FROM facts GROUP BY GROUPING SETS ((g, x % 2), (g), (x % 2), ())";
    my $apart = join ' UNION ALL ', map {
        my ($g, $p, $by) = @$_;
        "SELECT $g, $p, ${\ sketch_bytes('hll_agg(x)') }, ${\ sketch_bytes('hll_agg(t)') }
         FROM facts $by"
      } ['g', 'x % 2', 'GROUP BY g, x % 2'], ['g', 'NULL', 'GROUP BY g'],
      ['NULL', 'x % 2', 'GROUP BY x % 2'], ['NULL', 'NULL', ''];
    like(plan_of($node, $serial, $query), qr/MixedAggregate/, 'grouping sets: one mixed aggregate');
    is(answer($serial, $query), answer($sorted, $apart), '... the same bytes');
}

# Partitionwise: a partial aggregate for each partition.
{
    my $partitionwise = 'SET enable_partitionwise_aggregate = on; SET cpu_tuple_cost = 10';
    for my $group (0, 1)
    {
        my $query = aggregates('parted', $group);
        my $expected = answer($sorted, $query);
        for my $settings ($serial, parallel(2))
        {
            my $plan = plan_of($node, "$settings; $partitionwise", $query);
            my $partial = () = $plan =~ /Partial /g;
            cmp_ok($partial, '>=', 3, 'partitionwise: a partial aggregate for each') || diag($plan);
            is(answer("$settings; $partitionwise", $query), $expected, '... the same bytes');
        }
    }
}

# Digests. What of them is exact is the same in every plan: counts, extremes, all of small groups.
# Answers of large ones differ by less than a centroid in the middle holds.
{
    my $digests = 'SELECT g, count(*) AS n, tdigest_agg(x) AS t, tdigest_agg(x, 50) AS coarse,
        tdigest_weighted_agg(x, 1 + g) AS weighted, approx_median(x) AS median,
        approx_percentiles(x, ARRAY[0.1, 0.5]) AS two, min(x) AS low, max(x) AS high';
    my $by_group = "$digests FROM facts GROUP BY g";
    my $whole = "SELECT 0 AS g, count(*) AS n, tdigest_agg(x) AS t, tdigest_agg(x, 50) AS coarse,
        tdigest_weighted_agg(x, 3) AS weighted, approx_median(x) AS median,
        approx_percentiles(x, ARRAY[0.1, 0.5]) AS two, min(x) AS low, max(x) AS high FROM facts";
    $node->safe_psql('postgres', "$sorted; CREATE TABLE serial_group AS $by_group;
        CREATE TABLE serial_whole AS $whole;");
    my $bytes = sub {
        my ($query) = @_;
        return "SELECT g, md5(t::bytea), md5(coarse::bytea), md5(weighted::bytea), median, two
            FROM ($query) s";
    };
    my $alike = sub {
        my ($table, $query) = @_;
        return <<"SQL";
SELECT count(*) > 0, bool_and(tdigest_count(s.t) = s.n AND tdigest_count(p.t) = p.n AND s.n = p.n
           AND tdigest_count(p.coarse) = p.n AND tdigest_count(p.weighted) % p.n = 0
           AND tdigest_count(p.weighted) = tdigest_count(s.weighted)),
       bool_and(tdigest_min(p.t) = p.low AND tdigest_max(p.t) = p.high
           AND tdigest_min(p.coarse) = p.low AND tdigest_max(p.weighted) = p.high),
       bool_and(s.t::bytea = p.t::bytea AND s.median = p.median AND s.two = p.two)
           FILTER (WHERE p.n <= 150) IS NOT FALSE,
       bool_and(abs(tdigest_cdf(s.t, v) - tdigest_cdf(p.t, v)) < 0.02
           AND abs(tdigest_cdf(s.coarse, v) - tdigest_cdf(p.coarse, v)) < 0.08
           AND abs(tdigest_cdf(s.weighted, v) - tdigest_cdf(p.weighted, v)) < 0.02),
       bool_and(abs(tdigest_cdf(s.t, p.median) - 0.5) < 0.02 + 1.0 / s.n
           AND abs(tdigest_cdf(s.t, p.two[1]) - 0.1) < 0.02 + 1.0 / s.n
           AND abs(tdigest_cdf(s.t, p.two[2]) - 0.5) < 0.02 + 1.0 / s.n)
FROM $table s JOIN ($query) p USING (g), generate_series(0, 1000000, 50000) v
SQL
    };
    my %query = (serial_group => $by_group, serial_whole => $whole);
    for my $table (sort keys %query)
    {
        my $query = $query{$table};
        is(answer($sorted, $bytes->($query)), answer($sorted, $bytes->("SELECT * FROM $table")),
            "digests, $table: the same rows in the same order, the same bytes");
        is_query($node, "$hashed; " . $alike->($table, $query), 't|t|t|t|t|t', '... alike, hashed');
        for my $other (qw(facts_shuffled facts_reversed))
        {
            (my $shuffled = $query) =~ s/FROM facts/FROM $other/;
            is_query($node, "$serial; " . $alike->($table, $shuffled), 't|t|t|t|t|t',
                "... alike, $other");
        }
        for my $workers (2, 4)
        {
            my $plan = plan_of($node, parallel($workers), $query, 1);
            like($plan, qr/Finalize.*Partial/s, "... $workers workers");
            ok(enough_workers($plan, $workers), '... all of them run') || diag($plan);
            is_query($node, parallel($workers) . ';' . $alike->($table, $query), 't|t|t|t|t|t',
                '... alike');
        }
    }
    my $tiny = 'SELECT g, md5(tdigest_agg(x)::bytea), approx_median(x) FROM tiny GROUP BY g';
    my $spilled = "SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET enable_sort = off";
    is(answer("$serial; $spilled", $tiny), answer($sorted, $tiny), 'digests, spilled');
    is(answer(parallel(2) . "; $spilled", $tiny), answer($sorted, $tiny),
        'digests, spilled by 2 workers');
    my $jit = 'SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0;
        SET jit_optimize_above_cost = 0; SET jit_expressions = on';
    is(answer("$jit; $sorted", $bytes->($by_group)), answer($sorted, $bytes->($by_group)),
        'digests, compiled by the JIT where there is one');
}

# Frequencies that are not exact depend on the order in which rows come, and keep their bounds in
# every plan: no count is below the truth (cms) or above it (topk), and none is too far off.
{
    my $items = '(x * x + g) % 65537';
    my $bounds = sub {
        my ($table) = @_;
        return <<"SQL";
WITH s AS MATERIALIZED (
    SELECT cms_agg($items) AS c, cms_weighted_agg('i' || $items, 2) AS twice,
           topk_agg($items) AS k, topk_weighted_agg('i' || $items, 2, 3) AS words, count(*) AS n
    FROM $table),
truth AS MATERIALIZED (SELECT $items AS item, count(*) AS n FROM $table GROUP BY 1)
SELECT min(cms_total(c)) = max(s.n) AND min(cms_total(twice)) = 2 * max(s.n)
       AND min(topk_total(k)) = max(s.n) AND min(topk_total(words)) = 2 * max(s.n),
       max((cms_info(c)).encoding) = 'table' AND max(topk_error(k)) > 0
       AND max(topk_error(words)) > 0,
       bool_and(cms_query(c, item) >= t.n AND cms_query(twice, 'i' || item) >= 2 * t.n),
       count(*) FILTER (WHERE cms_query(c, item) > t.n + cms_error(c)) * 128 <= count(*),
       bool_and(t.n BETWEEN (topk_bounds(k, item)).lower AND (topk_bounds(k, item)).upper),
       bool_and(2 * t.n BETWEEN (topk_bounds(words, 'i' || item)).lower
           AND (topk_bounds(words, 'i' || item)).upper)
FROM s, truth t
SQL
    };
    for my $table (qw(facts facts_shuffled facts_reversed))
    {
        is_query($node, "$serial; " . $bounds->($table), 't|t|t|t|t|t', "frequencies, $table");
        my $plan = plan_of($node, parallel(4), $bounds->($table), 1);
        like($plan, qr/Finalize.*Partial/s, '... 4 workers');
        ok(enough_workers($plan, 4), '... all of them run') || diag($plan);
        is_query($node, parallel(4) . '; ' . $bounds->($table), 't|t|t|t|t|t', '... in bounds');
    }
}

# Two aggregates that share a state, and one beside others: no final function may consume it.
is_query($node, <<'SQL', '200|t|t', 'aggregates of frequencies share a state');
SELECT count(*), bool_and(c = again AND k::bytea = too::bytea),
       bool_and(top = (SELECT array_agg(item) FROM topk_list(k)))
FROM (SELECT cms_agg(x) AS c, cms_union(cms_agg(x), cms_empty()) AS again,
             topk_agg(t, 20) AS k, topk_union(topk_agg(t, 20), topk_empty(20)) AS too,
             approx_top_k(t, 20) AS top
      FROM facts GROUP BY g) s
SQL
is_query($node, <<'SQL', 't|t|t', 'aggregates share a state');
SELECT bool_and(n = hll_cardinality(h)), bool_and(h = again AND h::bytea = again::bytea),
       bool_and(h = (SELECT hll_agg(x) FROM facts f WHERE f.g = s.g))
FROM (SELECT g, approx_count_distinct(x) AS n, hll_agg(x) AS h,
             hll_union(hll_agg(x), hll_empty()) AS again
      FROM facts GROUP BY g) s
SQL
for my $window ('ORDER BY x', 'PARTITION BY g ORDER BY x', '', 'PARTITION BY g',
    'ORDER BY x ROWS BETWEEN 40 PRECEDING AND 3 FOLLOWING',
    'ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW')
{
    # Frame by frame, as arrays of the rows that an aggregate of core collects.
    is_query($node, <<"SQL", '600|t|t|t|t', "OVER ($window)");
WITH picked AS (SELECT g, min(x) AS x FROM facts WHERE g > 170 GROUP BY g, x % 20 LIMIT 600),
framed AS (
    SELECT hll_agg(x) OVER w AS h, approx_count_distinct(x) OVER w AS n,
           hll_union_agg(hll_add(hll_empty(), x)) OVER w AS u,
           hll_agg(x, 9) OVER w AS small, array_agg(x) OVER w AS xs,
           cms_agg(x) OVER w AS c, topk_agg(x, 3) OVER w AS k
    FROM picked WINDOW w AS ($window)
)
SELECT count(*),
       bool_and(h IS NOT DISTINCT FROM e AND u IS NOT DISTINCT FROM e),
       bool_and(n = coalesce(hll_cardinality(e), 0)),
       bool_and(small IS NOT DISTINCT FROM (SELECT hll_agg(x, 9) FROM unnest(xs) x)),
       bool_and(c IS NOT DISTINCT FROM (SELECT cms_agg(x) FROM unnest(xs) x)
           AND k IS NOT DISTINCT FROM (SELECT topk_agg(x, 3) FROM unnest(xs) x))
FROM framed, LATERAL (SELECT hll_agg(x) AS e FROM unnest(xs) x) s
SQL
}

SKIP:
{
    skip 'this PostgreSQL has no JIT', 4
      if $node->safe_psql('postgres', 'SET jit = on; SELECT pg_jit_available()') ne 't';
    my $jit = 'SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0;
        SET jit_optimize_above_cost = 0; SET jit_expressions = on';
    for my $table (qw(facts sketches))
    {
        my $query = aggregates($table, 1);
        my ($plan, $answer) = plan_and_answer("$jit; $serial", $query);
        like($plan, qr/JIT:.*Inlining true/s, "$table: compiled");
        is($answer, $reference{$table}[1], '... the same bytes');
    }
}

done_testing();
