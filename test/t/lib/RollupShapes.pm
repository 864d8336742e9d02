# RollupShapes - queries of random shape, the table that they read, what writes it, and settings of a writer. For one server
# (053_rollup_queries.pl) and for Citus (test/cluster/shapes.pl). The choices are those of srand().

package RollupShapes;

use strict;
use warnings;

use Exporter qw(import);
use SketchTest;

our @EXPORT = qw(pick shape shape_columns shape_writer shape_settings);

# The columns of a table. The first parameter is the type of ct.
sub shape_columns
{
    my ($ct) = @_;
    my $columns = "id int, ts timestamp NOT NULL, tz timestamptz NOT NULL, d date, page text, vc varchar(10), ch char(3) NOT NULL, i int, i2 smallint NOT NULL, n numeric, f float8, b bool, u uuid, ip inet, mood mood, ct $ct, arr int[], r int4range, iv interval, byt bytea, j jsonb, twice int GENERATED ALWAYS AS (i * 2) STORED";
    $columns .= ', later int GENERATED ALWAYS AS (i + 3)' if major_version() >= 18;
    return $columns;
}

# A function that writes such a table. One that is distributed has a column tenant before the others.
sub shape_writer
{
    my ($tenant) = @_;
    my ($first, $value) = $tenant ? ("$tenant, ", 'h % 6, ') : ('', '');
    return <<"SQL";
CREATE FUNCTION write(target text, seed int) RETURNS void LANGUAGE plpgsql AS \$f\$
DECLARE
    columns text := '${first}id, ts, tz, d, page, vc, ch, i, i2, n, f, b, u, ip, mood, ct, arr, r, iv, byt, j';
    file text := current_setting('data_directory') || '/copied';
BEGIN
    EXECUTE replace(replace(\$\$INSERT INTO TARGET (${first}id, ts, tz, d, page, vc, ch, i, i2, n, f, b, u, ip, mood, ct, arr, r, iv, byt, j)
        SELECT ${value}k, timestamp '2026-01-01' + h % 90 * interval '31 minutes', timestamptz '2026-01-01 00:00+00' + h % 50 * interval '47 minutes',
            CASE WHEN h % 7 > 0 THEN date '2026-01-01' + h % 5 END, (ARRAY['a', 'b', '/item/1', E'back\\\\slash', NULL])[1 + h % 5], (ARRAY['a', 'B', NULL])[1 + h % 3],
            (ARRAY['x', 'yy'])[1 + h % 2], nullif(h % 5, 4), h % 3, nullif(h % 6, 5) / 2.0, (ARRAY[0, '-0', 1.5, 0.1, NULL])[1 + h % 5], (ARRAY[true, false, NULL])[1 + h % 3],
            md5((h % 4)::text)::uuid, ('10.0.0.' || h % 3)::inet, (ARRAY['sad', 'glad', NULL]::mood[])[1 + h % 3], (ARRAY['Ann', 'ann', 'Bob', NULL])[1 + h % 4],
            (CASE h % 4 WHEN 0 THEN ARRAY[1, 2] WHEN 1 THEN ARRAY[]::int[] WHEN 2 THEN ARRAY[1, NULL] END), int4range(h % 3, 3), h % 3 * interval '1 mon -1 day +02:00', decode(lpad(to_hex(h % 3), 2, '0'), 'hex'),
            jsonb_build_object('n', h % 3, 'k', 'v' || h % 2)
        FROM (SELECT k, abs(hashint4(k + SEED)) AS h FROM generate_series(1, 25) AS k) AS row\$\$, 'TARGET', target), 'SEED', seed::text);
    -- Binary, because a setting of the session can make text that is not read back.
    EXECUTE format('COPY (SELECT %2\$s FROM %1\$s LIMIT 5) TO %3\$L (FORMAT binary)', target, columns, file);
    EXECUTE format('COPY %1\$s (%2\$s) FROM %3\$L (FORMAT binary)', target, columns, file);
    EXECUTE replace(replace(\$\$UPDATE TARGET SET i = i + 1, ts = ts + interval '5 hours' WHERE (id + SEED) % 7 = 0\$\$, 'TARGET', target), 'SEED', seed::text);
    EXECUTE replace(replace(\$\$DELETE FROM TARGET WHERE (id + SEED) % 5 = 0\$\$, 'TARGET', target), 'SEED', seed::text);
END \$f\$;
SQL
}

sub pick { return $_[ rand @_ ] }

my %KINDS = (
    text => [ qw(page vc page vc), "page || 'x'", 'upper(page)', "coalesce(page, '-')", 'substr(page, 1, 1)', 'left(vc, 1)', q{replace(page, '\\', '/')}, "nullif(page, 'a')",
        q{CASE page WHEN 'a' THEN 'A' WHEN '/item/1' THEN E'it\\\\em' ELSE vc END}, 'CASE WHEN <bool> THEN <text> ELSE <text> END', 'i::text', "j ->> 'k'", 'page COLLATE "C"',
        q{regexp_replace(page, '\d', '\\\\&')}, "split_part(page, '/', 2)", 'md5(page)', 'to_hex(i)', "encode(byt, 'hex')", q{(ARRAY['x', 'y', NULL])[i]}, 'greatest(page, vc)', 'trim(both from ch)',
        "overlay(page placing '#' from 1 for 1)", 'coalesce(<text>, <text>)', 'nullif(<text>, <text>)', 'lower(<text>)', 'ch::text', "substring(page from '[a-z]+')", 'initcap(page)', 'reverse(<text>)',
        "translate(page, 'ab', 'ba')", 'u::text', 'b::text', 'ct::text', 'chr(65 + i)', 'quote_literal(page)', 'page::varchar(2)', 'rpad(page, 3)', 'date_part_free', 'host(ip)', 'i::text || n', 'f::text' ],
    int => [ qw(i i2 twice i), 'i + 1', 'i % 3', 'abs(i)', 'length(page)', 'extract(hour FROM ts)::int', 'coalesce(i, 0)', 'CASE i WHEN 1 THEN 2 WHEN 2 THEN NULL ELSE 3 END', 'cardinality(arr)', 'array_length(arr, 1)',
        "(j ->> 'n')::int", "(j -> 'n')::int", 'width_bucket(n, 0, 2, 5)', 'i # 3', '-i', "ts::date - date '2026-01-01'", "strpos(page, 'a')", 'ascii(page)', 'n::int', 'least(i, 2)', 'nullif(<int>, <int>)', '<int> + <int>',
        'coalesce(<int>, 7)', 'CASE WHEN <bool> THEN <int> ELSE <int> END', 'i::bigint', 'lower(r)', 'upper(r)', 'hashtext(page)', 'arr[1]', 'i & 1', 'i << 1', "position('a' in page)", 'octet_length(byt)', 'masklen(ip)', 'sign(i)::int', 'twice + 1' ],
    time => [ 'ts', 'ts::date', "date_trunc('hour', ts)", "date_trunc('day', tz AT TIME ZONE 'UTC')", "date_bin('1 hour', ts, '2026-01-01')", "date_bin('15 min', tz, '2026-01-01 00:00Z')", 'd', 'd + 1',
        "ts + interval '1 day -02:00'", "ts - interval '-1 mon +1 day'", 'make_date(2026, 1, 1 + i2)', 'tz', "(tz AT TIME ZONE 'Europe/Berlin')::date", "coalesce(d, '2026-05-04')", 'greatest(ts::date, d)', "timezone('UTC', ts)",
        "nullif(d, '2026-01-01')", "date_trunc('week', ts)", "tz AT TIME ZONE interval '02:00'", 'CASE WHEN <bool> THEN d ELSE ts::date END', 'now()', "date_trunc('day', tz)" ],
    bool => [ 'b', 'i > 1', "page = 'a'", "page LIKE 'a%'", q{page ~ '^/item/\d+$'}, q{page LIKE '%\\\\%'}, 'b IS TRUE', 'i IS NULL', "page IS DISTINCT FROM 'a'", "(i, page) = (1, 'a')", '(i, i2) < (2, 3)', 'i IN (1, 2, 3)', "page NOT IN ('a', 'b')",
        'i BETWEEN 1 AND 2', 'i = ANY (arr)', "arr \@> '{1}'", q{j @> '{"n": 1}'}, "j ? 'k'", 'NOT b', '<bool> AND <bool>', '<bool> OR NOT <bool>', 'r @> 2', "ip << '10.0.0.0/8'", "mood > 'sad'", "ct IS DISTINCT FROM 'ANN'", "ct = 'ANN'", "nullif(ct, 'ANN') IS NULL",
        "arr = '{1,NULL}'", q{byt = '\x01'}, "iv > interval '1 mon -1 day'", "vc SIMILAR TO '(a|b)%'", 'i IS NOT DISTINCT FROM NULL', 'f = 0', "f IS DISTINCT FROM '-0'", 'n = 1', "d > '01/02/2026'", "ts >= '2026-01-01 12:00'", "tz < timestamptz '2026-01-02 00:00+05:30'",
        'f < 0.30000000000000004', 'arr IS NULL', "coalesce(<bool>, false)", "CASE WHEN <bool> THEN <bool> END", 'row(i, page) IS NULL', 'b IS NOT UNKNOWN', "page ~~* 'A%'", "page BETWEEN SYMMETRIC 'b' AND 'a'", '<int> = <int>', '<text> = <text>', '<text> < <text>', 'page IS NOT NULL', "starts_with(page, '/')", "vc IN ('a', 'B')", "vc NOT IN ('a')", "ch IN ('x', 'z')", "n IN (1, 0.5)",
        "(ts, ts) OVERLAPS (timestamp '2026-01-01', interval '1 day')", "CASE ct WHEN 'ANN' THEN true ELSE false END", 'twice > 2', "ch = 'x'", "r && int4range(1, 2)", "page > ALL (ARRAY['a', vc])", 'bool(i)' ],
    other => [ 'u', 'ip', 'mood', 'ct', 'r', 'iv', 'byt', 'j', 'n', 'f', 'round(n, 1)', 'n::numeric(6,2)', 'i::numeric / 3', 'f * 2', "coalesce(arr, '{}')", 'ch', "j -> 'n'", "'constant'::text", 'coalesce(mood, $$sad$$)', 'network(ip)', 'date_trunc($$hour$$, iv)', 'arr', 'upper(ct)', 'iv * 2', 'f::numeric', 'ARRAY[i2]' ],
);

push @{ $KINDS{int} }, 'later', 'later * 2' if major_version() >= 18;

sub expression
{
    my ($kind, $depth) = @_;
    my @of = @{ $KINDS{$kind} };
    my $text = pick($depth > 1 ? grep { !/</ || /<(?!\w+>)/ } @of : @of);
    $text = 'page' if $text eq 'date_part_free';
    $text =~ s/<(text|int|bool|time)>/'(' . expression($1, $depth + 1) . ')'/ge;
    return $text;
}

my @AGGREGATES = ('count(*)', 'count(<int>)', 'sum(<int>)', 'min(<int>)', 'max(<text>)', 'min(<time>)', 'bool_or(<bool>)', 'every(<bool>)', 'bit_or(i)', 'hll_agg(<text>)', 'roaring_agg(abs(<int>))', 'sum(n)', 'max(ip)', 'max(f)',
    'theta_agg(<text>)', 'ddsketch_agg(abs(f))', 'max(mood)', 'max(ct)', 'sum(iv)', 'min(arr)', 'bit_xor(i2)', 'hll_agg(u)', 'hll_agg(i)', 'count(<text>)', 'sum(twice)');

# A query over a table, whose first groups may be given.
sub shape
{
    my ($table, @first) = @_;
    my @select = @first;
    my @by = 1 .. @first;
    for my $k (map { @first + $_ } 1 .. 1 + rand 3) { push @select, expression(pick(qw(text int time time bool other)), 0) . " AS g$k"; push @by, $k }
    for my $k (1 .. 1 + rand 3)
    {
        my $aggregate = pick(@AGGREGATES) =~ s/<(\w+)>/'(' . expression($1, 1) . ')'/ger;
        $aggregate .= ' FILTER (WHERE ' . expression('bool', 0) . ')' if rand() < 0.3;
        push @select, "$aggregate AS a$k";
    }
    my @where = rand() < 0.4 ? expression('bool', 0) : ();
    # A group that fails of rows that a condition leaves out, which PostgreSQL takes for an expensive one.
    if (rand() < 0.1)
    {
        push @select, '1000 / i AS g0';
        push @by, scalar @select;
        push @where, 'abs(abs(abs(abs(abs(i))))) > 0';
    }
    return 'SELECT ' . join(', ', @select) . " FROM $table" . (@where ? ' WHERE ' . join(' AND ', map { "($_)" } @where) : '') . ' GROUP BY ' . join ', ', @by;
}

my @SETTINGS = (
    [ standard_conforming_strings => 'off' ], [ array_nulls => 'off' ], [ bytea_output => 'escape' ], [ extra_float_digits => '-15' ], [ datestyle => 'SQL, DMY' ], [ datestyle => 'German' ], [ intervalstyle => 'sql_standard' ],
    [ intervalstyle => 'iso_8601' ], [ transform_null_equals => 'on' ], [ timezone => 'Asia/Kathmandu' ], [ timezone => 'America/New_York' ], [ xmloption => 'document' ], [ work_mem => '64' ], [ enable_hashagg => 'off' ], [ quote_all_identifiers => 'on' ],
    [ plan_cache_mode => 'force_generic_plan' ], [ lc_monetary => 'C' ], [ backslash_quote => 'off' ], [ row_security => 'off' ], [ enable_nestloop => 'off' ] );

# Settings of who writes: [ name, value ]. PostgreSQL 19 has strings of the standard only.
sub shape_settings { return grep { $_->[0] ne 'standard_conforming_strings' || major_version() < 19 } @SETTINGS }

1;
