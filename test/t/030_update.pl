# ALTER EXTENSION UPDATE: the released version is installed and used, updated by a script that
# adds and replaces objects, and then is what a new installation of the new version is; what
# was stored goes on, and the regression tests pass.
#
# The new version is of the test's own: its install script is the released one with changes, its
# update script says the same changes as statements.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Cwd qw(getcwd);
use File::Path qw(make_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PrivatePostgres;
use SketchTest;
use Test::More;

my $private = private_postgres(PostgreSQL::Test::Utils::tempdir());
my $scripts = $private->{extension};

my ($released) = slurp_file("$scripts/sketches.control") =~ /^default_version\s*=\s*'(.*)'/m;
my $next = "$released.next";
my $careless = "$released.careless";

# ---- the new version -----------------------------------------------------------------------------

# What the new version adds.
my $added = <<'SQL';
CREATE FUNCTION topk_update_items(sketch topk) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION topk_update_items(topk) IS 'a function that came with the update';
CREATE OPERATOR |/# (RIGHTARG = topk, FUNCTION = topk_update_items);
COMMENT ON OPERATOR |/#(NONE, topk) IS 'an operator that came with the update';
CREATE AGGREGATE topk_update_agg(sketch topk) (
    SFUNC = _topk_union_state, STYPE = topk, SSPACE = 512, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal,
    MSSPACE = 65536, MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE topk_update_agg(topk) IS 'an aggregate that came with the update';
CREATE TYPE topk_update_pair AS (sketch topk, items bigint);
COMMENT ON TYPE topk_update_pair IS 'a type that came with the update';
SQL

# What it replaces: a function's estimate of its cost, its body, a comment.
my $install = slurp_file("$scripts/sketches--$released.sql");
my ($cardinality) = $install =~ /^(CREATE FUNCTION hll_cardinality\(\w+ hll\).*?;\n)/ms
  or die 'hll_cardinality is not where it was';
my ($comment) = $install =~ /^(COMMENT ON FUNCTION hll_cardinality\(hll\) IS\s.*?;\n)/ms
  or die 'its comment is not where it was';
(my $replaced = $cardinality) =~ s/(?:\s+COST \d+)?;\n\z/\n    COST 5;\n/;
my $reworded = "COMMENT ON FUNCTION hll_cardinality(hll) IS 'another word about it';\n";

my $new_install = $install;
$new_install =~ s/\Q$cardinality\E/$replaced/;
$new_install =~ s/\Q$comment\E/$reworded/;
$new_install .= "\n$added";

(my $or_replace = $replaced) =~ s/^CREATE/CREATE OR REPLACE/;
my $guard = "\\echo Use \"ALTER EXTENSION sketches UPDATE\" to load this file. \\quit\n";
write_script("sketches--$next.sql", $new_install);
write_script("sketches--$released--$next.sql", "$guard$or_replace$reworded$added");
# The mistakes that are made: a comment, an option of an aggregate, an attribute of a function.
(my $forgotten = "$guard$or_replace$added") =~ s/SSPACE = 512/SSPACE = 256/;
write_script("sketches--$careless.sql", $new_install);
write_script("sketches--$released--$careless.sql", $forgotten);

sub write_script
{
    my ($name, $text) = @_;
    open my $out, '>', "$scripts/$name" or die "$name: $!";
    print $out $text;
    close $out or die "$name: $!";
    return;
}

# ---- the catalogs --------------------------------------------------------------------------------

# All that the catalogs say of the extension's members, a line each, without OIDs.
my $catalog = <<'SQL';
WITH member AS (
    SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
     WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'sketches'
), line AS (
    SELECT concat_ws(' ', 'member', pg_describe_object(classid, objid, 0), '--',
                     obj_description(objid, (classid::regclass)::name)) FROM member
    UNION ALL
    SELECT concat_ws(' ', 'function', pg_get_functiondef(oid), proacl, prosupport, procost, prorows)
      FROM pg_proc WHERE prokind IN ('f', 'p') AND oid IN (SELECT objid FROM member)
    UNION ALL
    SELECT concat_ws(' ', 'aggregate', p.oid::regprocedure, aggkind, aggnumdirectargs,
                     aggtransfn::regprocedure, aggfinalfn::regprocedure, aggcombinefn::regprocedure,
                     aggserialfn, aggdeserialfn, aggfinalextra, aggfinalmodify,
                     aggtranstype::regtype, aggtransspace, agginitval, aggsortop,
                     aggmtransfn, aggminvtransfn, aggmfinalfn,
                     aggmtranstype::regtype, aggmtransspace,
                     p.provolatile, p.proparallel, p.proisstrict, p.proacl,
                     p.proargnames, pg_get_expr(p.proargdefaults, 0))
      FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
     WHERE p.oid IN (SELECT objid FROM member)
    UNION ALL
    SELECT concat_ws(' ', 'type', oid::regtype, typlen, typbyval, typtype, typcategory,
                     typispreferred, typdelim, typinput, typoutput, typreceive, typsend, typmodin,
                     typmodout, typanalyze, typalign, typstorage, typnotnull,
                     typcollation::regcollation, typdefault, typacl)
      FROM pg_type WHERE oid IN (SELECT objid FROM member)
    UNION ALL
    SELECT concat_ws(' ', 'column', a.attrelid::regclass, a.attnum, a.attname,
                     format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstorage)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE a.attnum > 0 AND (c.oid IN (SELECT objid FROM member)
                             OR c.reltype IN (SELECT objid FROM member))
    UNION ALL
    SELECT concat_ws(' ', 'relation', oid::regclass, relkind, relacl, relrowsecurity)
      FROM pg_class WHERE oid IN (SELECT objid FROM member)
    UNION ALL
    SELECT concat_ws(' ', 'operator', oid::regoperator, oprkind, oprcanmerge, oprcanhash,
                     oprresult::regtype, oprcom::regoperator, oprnegate::regoperator,
                     oprcode, oprrest, oprjoin)
      FROM pg_operator WHERE oid IN (SELECT objid FROM member)
    UNION ALL
    SELECT concat_ws(' ', 'cast', castsource::regtype, casttarget::regtype, castfunc::regprocedure,
                     castcontext, castmethod)
      FROM pg_cast WHERE oid IN (SELECT objid FROM member)
    UNION ALL
    SELECT concat_ws(' ', 'opclass', opcname, opcmethod, opcintype::regtype, opcdefault,
                     opckeytype::regtype)
      FROM pg_opclass WHERE oid IN (SELECT objid FROM member)
    UNION ALL
    SELECT pg_describe_object('pg_amop'::regclass, oid, 0)
      FROM pg_amop WHERE amopfamily IN (SELECT objid FROM member)
    UNION ALL
    SELECT pg_describe_object('pg_amproc'::regclass, oid, 0)
      FROM pg_amproc WHERE amprocfamily IN (SELECT objid FROM member)
)
SELECT line.* FROM line ORDER BY 1
SQL

sub catalog_of
{
    my ($node, $database) = @_;
    return $node->safe_psql($database, $catalog);
}

# Lines that one has and the other has not.
sub difference
{
    my ($one, $other) = @_;
    my %seen = map { $_ => 1 } split /\n/, $other;
    return join "\n", grep { !$seen{$_} } split /\n/, $one;
}

# ---- the test ------------------------------------------------------------------------------------

my $node = PostgreSQL::Test::Cluster->new('update', install_path => $private->{install_path});
$node->init(extra => [qw(--locale=C --encoding=UTF8)]);
$node->append_conf('postgresql.conf', "timezone = UTC\njit = off\nautovacuum = off\n");
$node->start;
$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(updated fresh careless);

is_query($node,
    "SELECT count(*) FROM pg_extension_update_paths('sketches') "
      . "WHERE source = '$released' AND target = '$next' AND path IS NOT NULL",
    1, "there is a way from $released to $next");

# Stored, indexed and used in a view before the update.
$node->safe_psql('updated', <<"SQL");
CREATE EXTENSION sketches VERSION '$released';
CREATE TABLE rollup AS
    SELECT i % 50 AS page, hll_agg(i) AS visitors, tdigest_agg(i) AS latency, roaring_agg(i) AS ids,
           bloom_agg(i) AS seen, cuckoo_agg(i) AS there, cms_agg(i % 7) AS often,
           topk_agg(i % 7) AS top, geohash(i % 180, i % 90) AS place
      FROM generate_series(1, 20000) i GROUP BY 1, place;
CREATE INDEX ON rollup USING hash (visitors);
CREATE INDEX ON rollup (place);
CREATE INDEX ON rollup (hll_cardinality(visitors));
CREATE VIEW total AS SELECT hll_cardinality(hll_union_agg(visitors)) AS n, hll_cardinality(hll_agg(page)) AS pages
    FROM rollup;
SQL
my $content =
  'SELECT md5(string_agg(r::text, \' \' ORDER BY r::text)) FROM rollup r; TABLE total';
my $before = $node->safe_psql('updated', $content);

# A session that is open during the update has plans and the library already.
my $session = $node->background_psql('updated');
$session->query_safe('PREPARE total AS TABLE total; EXECUTE total');

$node->safe_psql('updated', "ALTER EXTENSION sketches UPDATE TO '$next'");
is_query($node, "SELECT extversion FROM pg_extension WHERE extname = 'sketches'",
    $next, 'updated', database => 'updated');
is($node->safe_psql('updated', $content), $before, '... what was stored is as it was');
is($session->query_safe('EXECUTE total'), (split /\n/, $before)[1],
    '... a session that was open goes on');
$session->quit;
is_query($node, <<'SQL', '3|3|6', '... what came with it works', database => 'updated');
SELECT topk_update_items(t), |/# t, topk_total(topk_update_agg(t | t))
  FROM (SELECT topk_agg(i) FROM generate_series(1, 3) i) s (t)
 GROUP BY t
SQL

$node->safe_psql('fresh', "CREATE EXTENSION sketches VERSION '$next'");
my $fresh = catalog_of($node, 'fresh');
my $updated = catalog_of($node, 'updated');
cmp_ok(() = $fresh =~ /\n/g, '>', 1000, 'the catalogs of a new installation are known');
ok($updated eq $fresh, 'updated: as newly installed')
  || diag(difference($updated, $fresh) . "\n--\n" . difference($fresh, $updated));

# The comparison would notice.
$node->safe_psql('careless', "CREATE EXTENSION sketches VERSION '$released'");
ok(catalog_of($node, 'careless') ne $fresh, 'the released version is another one');
$node->safe_psql('careless', "ALTER EXTENSION sketches UPDATE TO '$careless'");
my $missed = difference($fresh, catalog_of($node, 'careless'));
like($missed, qr/^member function hll_cardinality\(hll\) -- another word/m,
    'a forgotten comment is found');
like($missed, qr/topk_update_agg/, '... and another option of an aggregate');

# A dump of the updated database says nothing of versions, and is loaded by the released one.
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$scripts/dump", '-d', $node->connstr('updated') ],
    'pg_dump of the updated database');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'pg_restore', '-d', $node->connstr('restored'), "$scripts/dump" ],
    '... and pg_restore');
is($node->safe_psql('restored', $content), $before, '... bring back what was stored');

# ---- the regression tests ------------------------------------------------------------------------

SKIP:
{
    skip 'the regression tests are not here', 1 if !-d 'sql';
    skip 'the catalogs are the same; the regression tests run again in make test-all', 1 if ($ENV{SAMPLE} // 1) > 1;
    # extension.sql creates and drops the extension; catalog.sql asks that all is in public and is
    # as the rules want it, the added objects, too.
    my @tests = grep { $_ ne 'extension' } map { m{sql/(\w+)\.sql} } sort glob 'sql/*.sql';
    # Some write files there.
    my $out = getcwd() . '/build/regress';
    make_path("$out/results");
    $node->safe_psql('postgres', "CREATE DATABASE regress");
    $node->safe_psql('regress', <<"SQL");
CREATE EXTENSION sketches VERSION '$released';
ALTER EXTENSION sketches UPDATE TO '$next';
SQL
    my @command = (
        $ENV{PG_REGRESS}, '--use-existing', '--dbname=regress', '--host', $node->host, '--port',
        $node->port, "--bindir=$private->{install_path}/bin", '--inputdir=' . getcwd(),
        "--outputdir=$out", @tests);
    my $log = "$out/log";
    is(system("'" . join("' '", @command) . "' >'$log' 2>&1"), 0,
        scalar(@tests) . ' regression tests pass after the update')
      || diag(map { slurp_file($_) } grep { -e } $log, "$out/regression.diffs");
}

done_testing();
