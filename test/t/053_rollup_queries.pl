# Rollups of random shape equal the user's own query, whatever it computes and whatever the settings of who writes, refreshes
# and reads. ROLLUP_SHAPES=25000 tries that many; ROLLUP_SEED repeats them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use RollupShapes;
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
my $columns = shape_columns($ct);
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

${\shape_writer('')}
-- '' for a rollup that always equals its query; else why not.
CREATE FUNCTION try(target text, query text, settings text[], seed int) RETURNS text LANGUAGE plpgsql AS \$f\$
DECLARE
    differ text := format('SELECT count(*) FROM ((TABLE shape EXCEPT ALL (%1\$s)) UNION ALL ((%1\$s) EXCEPT ALL TABLE shape)) AS d', query);
    found bigint[];
    n bigint;
    why text;
    part regclass;
BEGIN
    EXECUTE 'TRUNCATE ' || target;
    PERFORM write(target, seed);
    -- Only this may refuse it.
    BEGIN
        PERFORM rollup_create('shape', query);
    EXCEPTION WHEN feature_not_supported OR invalid_object_definition THEN RETURN 'refused: ' || SQLERRM;
    END;
    -- As after a dump, which writes views as text.
    IF seed % 2 = 0 THEN
        FOR part IN SELECT oid::regclass FROM pg_class WHERE relname ~ '^shape' AND relkind = 'v' LOOP
            EXECUTE format('CREATE OR REPLACE VIEW %s AS %s', part, pg_get_viewdef(part));
        END LOOP;
    END IF;
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
EXCEPTION WHEN OTHERS THEN
    -- The query, of the same rows, has to fail, too.
    why := SQLSTATE || ' ' || SQLERRM;
    BEGIN
        EXECUTE 'TRUNCATE ' || target;
        FOR step IN 0..3 LOOP
            PERFORM write(target, seed + step);
            EXECUTE format('SELECT count(q.*) FROM (%s) AS q', query);
        END LOOP;
    EXCEPTION WHEN OTHERS THEN RETURN 'fails: ' || why;
    END;
    RETURN 'fails alone: ' || why;
END \$f\$;
SQL

my (%outcome, @wrong);
while ($shapes > 0)
{
    my @batch;
    for (1 .. ($shapes < 100 ? $shapes : 100))
    {
        my $table = pick(qw(plain plain parted parent));
        my $query = shape($table);
        my @settings = map { @{ pick(shape_settings()) } } 1 .. 3;
        push @batch, "SELECT 'shape', try('$table', \$query\$$query\$query\$, ARRAY[" . join(', ', map { "'$_'" } @settings) . '], ' . int(rand 1e6) . ');';
        push @batch, "SELECT 'was', \$query\$$query\$query\$, '@settings';";
    }
    $shapes -= @batch / 2;
    my @lines = split /\n/, $node->safe_psql('postgres', "SET client_min_messages = error;\n" . join "\n", @batch);
    while (my ($result, $was) = splice @lines, 0, 2)
    {
        my $why = $result =~ s/^shape\|//r;
        # Expressions fail on some rows, such as a cast of a text, but not in the rollup alone; and PostgreSQL refuses some queries.
        my $kind = $why eq '' ? 'equal' : $why =~ /^(refused: [^:]*|fails: \w+)/ ? $1 : 'differs';
        note "$why: $was" if !$outcome{$kind}++ && $kind ne 'equal';
        push @wrong, "$why: $was" if $kind eq 'differs' || $kind =~ /fails: (?!22|42)/ || $kind =~ /fails: (42501|42P01|42P17|42704|42703)/;
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
