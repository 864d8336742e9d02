# Functions whose names begin with _ serve aggregates, operators and types, but everybody may call them: an
# ordinary role calls each with values, states of aggregates and NULL in every argument. No process may end
# by it, no result may show what lies in the server's memory, and an error has to be one of ours.
#
# The functions are asked of the catalog, so a new one is called by itself, or has to be listed here. Those
# with an argument of type internal are out of reach: PostgreSQL has no value of that type for a query, and
# no NULL.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('internal', conf => "max_parallel_workers_per_gather = 0\n");

# What the ordinary role makes is its own.
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE ordinary;
CREATE SCHEMA mine AUTHORIZATION ordinary;
SET ROLE ordinary;
SET search_path = mine, public;

-- Arguments that are no sketches; NULL is tried of every type. Of any enum there is this one.
CREATE TYPE digit AS ENUM ('7');
CREATE FUNCTION concrete(types oidvector) RETURNS oid[] LANGUAGE sql AS $$
    SELECT array_replace(types::oid[], 'anyenum'::regtype::oid, 'digit'::regtype)
$$;
CREATE TABLE given AS SELECT type::regtype, expression FROM (VALUES
    ('smallint', '7'), ('int', '1'), ('int', '7'), ('int', '-1'), ('bigint', '7'), ('bigint', '-1'), ('float8', '0.5'),
    ('float8', '''NaN'''), ('numeric', '7'), ('numeric', '''NaN'''), ('float8[]', 'ARRAY[0.1, 0.9]'), ('float8[]', 'ARRAY[NULL::float8]'),
    ('text', '''km'''), ('text', '''item'''), ('text', '''{0.1,0.9}'''), ('text[]', 'ARRAY[''item'', NULL]'), ('bytea', '''\x6974656d'''),
    ('hashed', '5::bigint::hashed'), ('digit', '''7'''), ('boolean', 'true'), ('interval', '''1 min'''), ('oid', '20'),
    ('timestamptz', '''2026-01-01'''), ('_ratelimit_int', '7'), ('geohash', 'geohash(1.5, 2.5)'), ('cstring', '''x'''),
    ('regclass', '''pg_class'''), ('regclass[]', 'ARRAY[''pg_class'', ''pg_proc'', ''pg_type'', ''pg_am'']::regclass[]'),
    ('regclass[]', 'ARRAY[NULL]::regclass[]'), ('record', 'ROW(1, ''x'')'), ('record', '(SELECT a FROM pg_am AS a LIMIT 1)'), ('jsonb', '''{}'''), ('jsonb', '''[1, {"a": null}]'''),
    ('cstring', '_hashed_out(5::bigint::hashed)'), ('cstring', '_geohash_out(geohash(1.5, 2.5))')
) AS v(type, expression);

-- Sketches, packed and as states, are in one table for each type.
CREATE TABLE sketch (type regtype, n int, what text, PRIMARY KEY (type, n));
CREATE FUNCTION add_sketch(type regtype, what text, query text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    last int = (SELECT coalesce(max(s.n), 0) FROM sketch s WHERE s.type = add_sketch.type);
BEGIN
    EXECUTE format('INSERT INTO %I SELECT %s, v FROM (%s) q (v)', 'given_' || type, last + 1, query);
    INSERT INTO sketch VALUES (type, last + 1, what);
    IF last = 0 THEN
        INSERT INTO given VALUES ('cstring',
            format('(SELECT %I(v) FROM %I WHERE n = 1)', '_' || type || '_out', 'given_' || type));
    END IF;
END $$;

-- An aggregate that somebody makes of a transition function, without the final one, returns its state.
CREATE FUNCTION add_states() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    agg record;
    made int = 0;
BEGIN
    FOR agg IN
        SELECT format('state_%s', row_number() OVER (ORDER BY p.oid)) AS name, a.aggtransfn::oid::regproc::text AS step,
               a.aggtranstype::regtype AS state, p.oid::regprocedure::text AS what,
               (SELECT string_agg(t::regtype::text, ', ' ORDER BY i) FROM unnest(concrete(p.proargtypes)) WITH ORDINALITY u(t, i)) AS types,
               (SELECT string_agg(coalesce(
                          (SELECT CASE WHEN e.type = 'bigint'::regtype THEN 'i * 70007 % 5000000'
                                       WHEN i = 1 AND e.type = 'float8'::regtype THEN 'i * 1.5'
                                       WHEN i = 1 AND e.type = 'hashed'::regtype THEN 'i::bigint::hashed'
                                       WHEN i = 1 AND e.type = 'text'::regtype THEN '''item'' || i'
                                       ELSE e.expression || '::' || e.type END
                             FROM given e WHERE e.type = t LIMIT 1),
                          format('(SELECT v FROM %I WHERE n = 1 + i %% 2)', 'given_' || t::regtype)), ', ' ORDER BY i)
                  FROM unnest(concrete(p.proargtypes)) WITH ORDINALITY u(t, i)) AS arguments
          FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
          JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
         WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
           AND a.aggtranstype IN (SELECT type FROM sketch)
    LOOP
        EXECUTE format('CREATE AGGREGATE %I (%s) (SFUNC = %s, STYPE = %s)', agg.name, agg.types, agg.step, agg.state);
        FOR rows IN 1 .. 2 LOOP
            BEGIN
                PERFORM add_sketch(agg.state, format('%s of %s rows', agg.what, 3 ^ (3 * rows - 2)),
                    format('SELECT %I(%s) FROM generate_series(1, %s) i', agg.name, agg.arguments, 3 ^ (3 * rows - 2)));
                made := made + 1;
            EXCEPTION WHEN OTHERS THEN
                NULL; -- the values do not suit this one; most have to
            END;
        END LOOP;
    END LOOP;
    RETURN made;
END $$;

-- A call with each argument as it is given and as NULL. Of very many, those with the first value in every
-- argument and a sample.
CREATE FUNCTION expressions(type oid) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT format('%s::%s', expression, g.type) FROM given g WHERE g.type = $1 UNION ALL
    SELECT format('(SELECT v FROM %I WHERE n = %s)', 'given_' || s.type, n) FROM sketch s WHERE s.type = $1 UNION ALL
    SELECT format('NULL::%s', $1::regtype)
$$;
CREATE FUNCTION calls(function oid, types oidvector) RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
DECLARE
    arguments text[] = ARRAY[''];
BEGIN
    FOR i IN 0 .. array_upper(types, 1) LOOP
        arguments := ARRAY(SELECT concat_ws(', ', nullif(before, ''), e)
                             FROM unnest(arguments) WITH ORDINALITY a(before, m),
                                  expressions(CASE types[i] WHEN 'anyenum'::regtype THEN 'digit'::regtype ELSE types[i] END) WITH ORDINALITY e(e, n) ORDER BY m, n);
        arguments := ARRAY(SELECT a FROM unnest(arguments) WITH ORDINALITY u(a, n)
                            WHERE n = 1 OR ('x' || left(md5(a), 6))::bit(24)::int % (1 + cardinality(arguments) / 200) = 0
                            ORDER BY n);
    END LOOP;
    RETURN QUERY SELECT format('%s(%s)', function::regproc, a) FROM unnest(arguments) a;
END $$;

CREATE TABLE outcome (run int, function regprocedure, call text, sqlstate text, reply text);

-- What a call returns or raises; nothing else is left of it.
CREATE FUNCTION outcomes(this_run int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    f record;
    call text;
    reply text;
    state text;
BEGIN
    FOR f IN
        SELECT p.oid, p.proargtypes,
               CASE WHEN p.proretset THEN 'SELECT string_agg(t::text, E''\n'') FROM (SELECT * FROM %s t LIMIT 1000) t'
                    WHEN p.prorettype = 'void'::regtype THEN 'SELECT ''done'' FROM (SELECT %s) t'
                    ELSE 'SELECT (%s)::text' END AS query
          FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
         WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
           AND p.proname LIKE '\_%' AND p.prokind = 'f' AND 'internal'::regtype <> ALL (p.proargtypes)
         ORDER BY p.oid
    LOOP
        FOR call IN SELECT * FROM calls(f.oid, f.proargtypes) LOOP
            -- If the process ends, the last of these lines tells by what.
            RAISE LOG 'internal: %', call;
            BEGIN
                EXECUTE format(f.query, call) INTO reply;
                RAISE EXCEPTION USING ERRCODE = 'SK000', MESSAGE = coalesce(reply, 'NULL');
            EXCEPTION WHEN OTHERS THEN
                reply := SQLERRM;
                state := SQLSTATE;
            END;
            INSERT INTO outcome VALUES (this_run, f.oid, call, state,
                CASE WHEN length(reply) > 500 THEN left(reply, 100) || md5(reply) ELSE reply END);
        END LOOP;
    END LOOP;
    RETURN (SELECT count(*) FROM outcome WHERE run = this_run);
END $$;
SQL

# Values of each type, the smallest ones first: the aggregates above take them.
my %sketches = (
    hll => [ 'hll_agg(i::bigint)', 'hll_redis_agg(i::text)', 'hll_datasketches_agg(hll_datasketches_hash(i))' ],
    tdigest => [ 'tdigest_agg(i)', 'tdigest_agg(i, 20)' ],
    ddsketch => [ 'ddsketch_agg(i)', 'ddsketch_agg(i, 0.1)' ],
    bloom => [ 'bloom_agg(i::bigint)', 'bloom_agg(i::bigint, 10, 0.1)' ],
    cuckoo => [ 'cuckoo_agg(i::bigint)', 'cuckoo_agg(i::bigint, 10)' ],
    cms => [ 'cms_agg(i::bigint)', 'cms_agg(i::bigint, 0.1, 0.1)' ],
    topk => [ 'topk_agg(i::bigint)', q{topk_agg('item' || i)} ],
    theta => [ 'theta_agg(i::bigint)', 'theta_agg(i::bigint, 4)' ],
    roaring => [ 'roaring_agg(i::bigint)', 'roaring_range(0, max(i)::bigint)' ],
    roaring64 => [ 'roaring64_agg(i::bigint << 30)', 'roaring64_range(0, max(i)::bigint)' ],
    bitfield => [ q{'\xaa05'::bytea::bitfield}, q{'\x'::bytea::bitfield} ],
    ratelimit => [ q{ratelimit_bucket(5, 10, '1 min')}, q{ratelimit_sliding(5, '1 min')} ],
);
my $values = join '', map {
    my $type = $_;
    "CREATE TABLE \"given_$type\" (n int, v $type);\n", map {
        my $expression = $_;
        map {
            my $what = "$expression, $_ rows";
            $what =~ s/'/''/g;
            "SELECT add_sketch('$type', '$what', 'SELECT ' || \$q\$$expression\$q\$ || ' FROM generate_series(1, $_) i');\n"
        } $type =~ /bitfield|ratelimit/ ? 1 : (3, 1000)
    } @{ $sketches{$type} }
} sort keys %sketches;
$node->safe_psql('postgres', "SET ROLE ordinary; SET search_path = mine, public;\n$values");

is_query($node, <<'SQL', join(' ', sort keys %sketches), 'sketches of every type that has a state');
SELECT string_agg(DISTINCT format_type(t.oid, NULL), ' ' ORDER BY format_type(t.oid, NULL))
  FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
 WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
   AND t.typtype = 'b' AND t.typcategory <> 'A' AND t.typname NOT IN ('hashed', 'geohash')
SQL

my $as_ordinary = 'SET SESSION AUTHORIZATION ordinary; SET search_path = mine, public;';
cmp_ok($node->safe_psql('postgres', "$as_ordinary SELECT add_states()"), '>', 80, 'states of aggregates');

# ---- every call, in two servers: addresses are other ones in the second ----

for my $run (1, 2)
{
    my ($status, $calls, $err) = $node->psql('postgres', "$as_ordinary SELECT outcomes($run)");
    ok($status == 0 && $calls > 10000, "run $run: " . ($calls // '') . ' calls')
      or diag($err, (split /\n/, PostgreSQL::Test::Utils::slurp_file($node->logfile))[-8 .. -1]);
    $node->restart if $run == 1;
}

note($node->safe_psql('postgres', <<'SQL'));
SELECT sqlstate, count(*), count(DISTINCT function), min(call), min(reply) FROM mine.outcome WHERE run = 1
 GROUP BY sqlstate ORDER BY sqlstate
SQL

# The value is a pointer, or the memory was not what was written there.
is_query($node, <<'SQL', '', 'what depends on the memory of the process');
SELECT a.call, a.sqlstate, a.reply, b.sqlstate, b.reply
  FROM mine.outcome a JOIN mine.outcome b USING (function, call)
 WHERE a.run = 1 AND b.run = 2 AND (a.sqlstate, a.reply) IS DISTINCT FROM (b.sqlstate, b.reply) LIMIT 20
SQL
is_query($node, <<'SQL', '', 'internal errors');
SELECT call, sqlstate, reply FROM mine.outcome
 WHERE run = 1 AND (sqlstate LIKE 'XX%' OR reply ~ 'cache lookup|invalid memory alloc') LIMIT 20
SQL
is_query($node, <<'SQL', '', 'calls of no function');
SELECT call, sqlstate, reply FROM mine.outcome
 WHERE run = 1 AND sqlstate IN ('42601', '42725', '42804', '42846', '42883') AND reply !~ '^(cannot|this|a (token|sliding|sketch|column definition list) )'
 LIMIT 20
SQL

# ---- what has no answer ----

my %unanswered = (
    'takes the state of an aggregate; nothing else has what was requested' => [ qw(
        _approx_percentile_final(tdigest) _ddsketch_union_percentile_final(ddsketch)
        _tdigest_union_percentile_final(tdigest)) ],
    'is for a view that passes the secret of a state' => [qw(_rollup_late(regclass,uuid,boolean) _rollup_touched(regclass,uuid))],
    'is a trigger' => ['_rollup_write()'],
);
is_query($node, <<'SQL', join("\n", sort map { @$_ } values %unanswered), 'functions without an answer')
SELECT function FROM mine.outcome WHERE run = 1
 GROUP BY function HAVING bool_and(sqlstate <> 'SK000' OR reply = 'NULL')
 ORDER BY function::text COLLATE "C"
SQL
  || diag('what a new one takes is made by a row of the table `given`, or %unanswered says why it never answers');
# Minor releases refuse a NULL of type internal in different places.
for my $arguments ('NULL::internal, hll_empty()', 'NULL, hll_empty()')
{
    my (undef, undef, $error) =
      $node->psql('postgres', "\\set VERBOSITY sqlstate\nSELECT _sketches_moving_union($arguments)");
    like($error, qr/ERROR:  (?:0A000|42846|42883)$/m, "no call with $arguments");
}

# A query of what a function asks for is shown to whoever sets this: the secret of a rollup is asked for without one.
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA shown;
CREATE TABLE shown.parted (d date NOT NULL, who text) PARTITION BY RANGE (d);
CREATE TABLE shown.all_parts PARTITION OF shown.parted DEFAULT;
SELECT rollup_create('shown.r', 'SELECT d, who, count(*) AS n FROM shown.parted GROUP BY 1, 2');
INSERT INTO shown.parted VALUES ('2026-01-01', current_user), ('2026-01-01', 'another');
CREATE VIEW shown.mine AS SELECT d, n FROM shown.r WHERE who <> 'another';
CREATE ROLE shown_reader;
GRANT USAGE ON SCHEMA shown TO shown_reader;
GRANT SELECT ON shown.mine TO shown_reader;
SQL
my ($seen, $trees) = ('', '');
$node->psql('postgres', 'SET ROLE shown_reader; SET client_min_messages = log; SET debug_print_parse = on; SET debug_print_plan = on; TABLE shown.mine',
    stdout => \$seen, stderr => \$trees);
is($seen, '2026-01-01|1', 'a reader of a view over a rollup sees its rows');
like($trees, qr/parse tree.*\bCONST\b/s, 'and the trees of all queries');
my $bytes = join ' ', map { $_ > 127 ? $_ - 256 : $_ } unpack 'C*', pack 'H*', $node->safe_psql('postgres', 'SELECT secret FROM shown.r_state') =~ s/-//gr;
is(index($trees, $bytes), -1, 'but not the secret');
$node->safe_psql('postgres', 'DROP SCHEMA shown CASCADE; DROP ROLE shown_reader');

$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/was terminated by signal|TRAP: /, 'no process ended by it');

done_testing();
