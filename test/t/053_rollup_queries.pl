# Rollups of random shape equal the user's own query, whatever it computes and whatever the settings of who writes, refreshes
# and reads. ROLLUP_SHAPES=25000 tries that many; ROLLUP_SEED repeats them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $shapes = $ENV{ROLLUP_SHAPES} // (($ENV{SAMPLE} // 1) > 1 ? 60 : 400);
my $tried = $shapes;
my $seed = $ENV{ROLLUP_SEED} // time;
srand $seed;
my $node = new_server('queries', conf => "autovacuum = off\n");
my $citext = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'citext'});

$node->safe_psql('postgres', 'CREATE SCHEMA other; CREATE EXTENSION citext SCHEMA other') if $citext;
my $ct = $citext ? 'other.citext' : 'text';
my $columns = "id int, ts timestamp NOT NULL, tz timestamptz NOT NULL, d date, page text, vc varchar(10), ch char(3) NOT NULL, i int, i2 smallint NOT NULL, n numeric, f float8, b bool, u uuid, ip inet, mood mood, ct $ct, arr int[], r int4range, iv interval, byt bytea, j jsonb, twice int GENERATED ALWAYS AS (i * 2) STORED";
$columns .= ', later int GENERATED ALWAYS AS (i + 3)' if major_version() >= 18;
$node->safe_psql('postgres', <<"SQL");
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE plain ($columns);
CREATE TABLE parted ($columns) PARTITION BY RANGE (ts);
CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2026-01-02');
CREATE TABLE part2 (gone int, $columns);
ALTER TABLE part2 DROP gone;
ALTER TABLE parted ATTACH PARTITION part2 FOR VALUES FROM ('2026-01-02') TO ('2026-02-01');
CREATE TABLE parent ($columns);
CREATE TABLE child () INHERITS (parent);

CREATE FUNCTION write(target text, seed int) RETURNS void LANGUAGE plpgsql AS \$f\$
DECLARE
    columns text := 'id, ts, tz, d, page, vc, ch, i, i2, n, f, b, u, ip, mood, ct, arr, r, iv, byt, j';
    file text := current_setting('data_directory') || '/copied';
BEGIN
    EXECUTE replace(replace(\$\$INSERT INTO TARGET (id, ts, tz, d, page, vc, ch, i, i2, n, f, b, u, ip, mood, ct, arr, r, iv, byt, j)
        SELECT k, timestamp '2026-01-01' + h % 90 * interval '31 minutes', timestamptz '2026-01-01 00:00+00' + h % 50 * interval '47 minutes',
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

-- '' for a rollup that always equals its query; else why not.
CREATE FUNCTION try(target text, query text, settings text[], seed int) RETURNS text LANGUAGE plpgsql AS \$f\$
DECLARE
    differ text := format('SELECT count(*) FROM ((TABLE shape EXCEPT ALL (%1\$s)) UNION ALL ((%1\$s) EXCEPT ALL TABLE shape)) AS d', query);
    found bigint[];
    n bigint;
BEGIN
    EXECUTE 'TRUNCATE ' || target;
    PERFORM write(target, seed);
    PERFORM rollup_create('shape', query);
    FOR step IN 1..3 LOOP
        IF step = 2 THEN PERFORM rollup_refresh('shape'); END IF;
        PERFORM set_config(settings[1 + 2 * step - 2], settings[2 * step], true);
        PERFORM write(target, seed + step);
        EXECUTE 'RESET ' || settings[1 + 2 * step - 2];
        EXECUTE differ INTO n;
        found := found || n;
    END LOOP;
    PERFORM rollup_refresh('shape');
    EXECUTE differ INTO n;
    found := found || n || (SELECT count(*) FROM rollup_check('shape')) || (SELECT count(*) FROM rollup_status('shape') WHERE problem IS NOT NULL);
    PERFORM rollup_drop('shape');
    RETURN CASE WHEN 0 = ALL (found) THEN '' ELSE 'differs ' || found::text END;
EXCEPTION WHEN feature_not_supported OR invalid_object_definition THEN RETURN 'refused: ' || SQLERRM;
    WHEN OTHERS THEN RETURN 'fails: ' || SQLSTATE || ' ' || SQLERRM;
END \$f\$;
SQL

# ---- expressions ---------------------------------------------------------------------------------

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

sub shape
{
    my ($table) = @_;
    my (@select, @by);
    for my $k (1 .. 1 + rand 3) { push @select, expression(pick(qw(text int time time bool other)), 0) . " AS g$k"; push @by, $k }
    for my $k (1 .. 1 + rand 3)
    {
        my $aggregate = pick(@AGGREGATES) =~ s/<(\w+)>/'(' . expression($1, 1) . ')'/ger;
        $aggregate .= ' FILTER (WHERE ' . expression('bool', 0) . ')' if rand() < 0.3;
        push @select, "$aggregate AS a$k";
    }
    return 'SELECT ' . join(', ', @select) . " FROM $table" . (rand() < 0.4 ? ' WHERE ' . expression('bool', 0) : '') . ' GROUP BY ' . join ', ', @by;
}

my @SETTINGS = (
    [ standard_conforming_strings => 'off' ], [ array_nulls => 'off' ], [ bytea_output => 'escape' ], [ extra_float_digits => '-15' ], [ datestyle => 'SQL, DMY' ], [ datestyle => 'German' ], [ intervalstyle => 'sql_standard' ],
    [ intervalstyle => 'iso_8601' ], [ transform_null_equals => 'on' ], [ timezone => 'Asia/Kathmandu' ], [ timezone => 'America/New_York' ], [ xmloption => 'document' ], [ work_mem => '64' ], [ enable_hashagg => 'off' ], [ quote_all_identifiers => 'on' ],
    [ plan_cache_mode => 'force_generic_plan' ], [ lc_monetary => 'C' ], [ backslash_quote => 'off' ], [ row_security => 'off' ], [ enable_nestloop => 'off' ] );

my (%outcome, @wrong);
while ($shapes > 0)
{
    my @batch;
    for (1 .. ($shapes < 100 ? $shapes : 100))
    {
        my $table = pick(qw(plain plain parted parent));
        my $query = shape($table);
        my @settings = map { @{ pick(@SETTINGS) } } 1 .. 3;
        push @batch, "SELECT 'shape', try('$table', \$query\$$query\$query\$, ARRAY[" . join(', ', map { "'$_'" } @settings) . '], ' . int(rand 1e6) . ');';
        push @batch, "SELECT 'was', \$query\$$query\$query\$, '@settings';";
    }
    $shapes -= @batch / 2;
    my @lines = split /\n/, $node->safe_psql('postgres', "SET client_min_messages = error;\n" . join "\n", @batch);
    while (my ($result, $was) = splice @lines, 0, 2)
    {
        my $why = $result =~ s/^shape\|//r;
        # Expressions fail on some rows, such as a cast of a text; and PostgreSQL refuses some queries.
        my $kind = $why eq '' ? 'equal' : $why =~ /^(refused: [^:]*|fails: \w+)/ ? $1 : 'differs';
        note "$why: $was" if !$outcome{$kind}++ && $kind ne 'equal';
        push @wrong, "$why: $was" if $kind eq 'differs' || $kind =~ /fails: (?!22|42)/ || $kind =~ /fails: (42501|42P01|42704|42703)/;
        # Text says all that the query means, but for operators that it does not name.
        push @wrong, "$why: $was" if $why =~ /read again/ && $was !~ /\bct\b/;
    }
}
is(join("\n", @wrong[ 0 .. ($#wrong < 9 ? $#wrong : 9) ]), '', 'every rollup equals its query');
note "seed $seed; $_: $outcome{$_}" for sort keys %outcome;
cmp_ok($outcome{equal}, '>', 0.6 * $tried, 'most shapes are kept');

# ---- all settings of a user ----------------------------------------------------------------------

$node->safe_psql('postgres', <<"SQL");
TRUNCATE plain;
SELECT write('plain', 1);
CREATE VIEW asked AS SELECT 1;
SELECT rollup_create('settings', \$\$SELECT date_trunc('hour', ts) AS hour, page, ct, n, count(*) AS all, count(*) FILTER (WHERE page ~ '^/item/\\d+\$') AS items, sum(i) AS i,
    count(*) FILTER (WHERE arr = '{1,NULL}' OR byt = '\\x01' OR iv > interval '1 mon -1 day' OR d > '2026-01-02' OR f < 0.30000000000000004) AS odd, hll_agg(u) AS users
    FROM plain WHERE page IS DISTINCT FROM E'back\\\\slash' GROUP BY 1, 2, 3, 4\$\$);
DROP VIEW asked;
SQL
my $query = q{SELECT date_trunc('hour', ts) AS hour, page, ct, n, count(*) AS all, count(*) FILTER (WHERE page ~ '^/item/\d+$') AS items, sum(i),
    count(*) FILTER (WHERE arr = '{1,NULL}' OR byt = '\x01' OR iv > interval '1 mon -1 day' OR d > '2026-01-02' OR f < 0.30000000000000004), hll_agg(u)
    FROM plain WHERE page IS DISTINCT FROM E'back\\\\slash' GROUP BY 1, 2, 3, 4};
$node->safe_psql('postgres', "CREATE VIEW own AS $query");
my $differ = 'SELECT count(*) FROM ((TABLE settings EXCEPT ALL TABLE own) UNION ALL (TABLE own EXCEPT ALL TABLE settings)) AS d';
my %values = (datestyle => 'SQL, DMY', timezone => 'Asia/Kathmandu', search_path => 'pg_temp', lc_monetary => 'C', lc_numeric => 'C', lc_time => 'C', default_text_search_config => 'pg_catalog.german',
    timezone_abbreviations => 'India', default_tablespace => 'pg_default', temp_tablespaces => 'pg_default', application_name => 'x', client_encoding => 'LATIN1', role => '', session_authorization => '');
my ($set, $statements) = (0, '');
for my $row (split /\n/, $node->safe_psql('postgres', q{SELECT concat_ws('~', name, vartype, setting, coalesce(min_val, ''), coalesce(max_val, ''), array_to_string(enumvals, ',')) FROM pg_settings WHERE context = 'user' ORDER BY name}))
{
    my ($name, $type, $setting, $min, $max, $enum) = split /~/, $row;
    next if $name =~ /timeout|^(transaction|default_transaction)_|exit_on_error|^(role|session_authorization|seed|is_superuser)$|restrict_nonsystem/;
    my @values = $type eq 'bool' ? ($setting eq 'on' ? 'off' : 'on') : $type eq 'enum' ? grep { $_ ne $setting } split /,/, $enum // ''
      : $type eq 'string' ? ($values{ lc $name } // ()) : ($min, $max < 1e6 ? $max : ());
    for my $value (grep { $_ ne '' } @values)
    {
        $set++;
        # In a session of its own, which parses the trigger's statements anew. A value that is refused aborts the transaction.
        $statements .= "\\c\nSET search_path = public;\n\\echo setting $name = $value:\nBEGIN; SET LOCAL $name = '$value'; SELECT public.write('public.plain', $set);\n";
        $statements .= "SELECT public.rollup_refresh('public.settings') * 0; SELECT public.write('public.plain', $set + 1000); SELECT ($differ);\n" if $name ne 'search_path';
        $statements .= "COMMIT; SELECT ($differ); SELECT rollup_refresh('settings') * 0; SELECT ($differ);\n";
    }
}
my $found = '';
$node->psql('postgres', $statements, stdout => \$found, on_error_stop => 0);
my (undef, @compared) = map { s/\s+$//r } split /^setting /m, $found;
my @differing = grep { !/^.*:[\s0]*\n0\n0\n0$/ } @compared;
is(join("\n", @differing), '', 'no setting of a writer, of who refreshes or of a reader makes a difference');
is(@compared, $set, 'all settings were tried');
cmp_ok($set, '>', 100, "there are some: $set");

done_testing();
