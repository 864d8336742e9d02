# The extension as an object: where it is created, moved and dropped, by whom, and that it works
# whatever the search_path is.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('extension', schema => undef);

# All that belongs to the extension is in its schema, and nothing but it is left behind.
my $left = <<'SQL';
SELECT (SELECT count(*) FROM pg_proc WHERE probin LIKE '%sketches%')
     + (SELECT count(*) FROM pg_type WHERE typname IN ('hll', '_hll', 'hashed', '_hashed'))
     + (SELECT count(*) FROM pg_opclass WHERE opcname = 'hll_ops')
     + (SELECT count(*) FROM pg_opfamily WHERE opfname = 'hll_ops')
SQL

# Everything a user calls, qualified with the schema @s@; answers 14 times true where all is well.
my $surface = <<'SQL';
SELECT count(*) FILTER (WHERE good), count(*) FROM (
    SELECT @s@.hll_cardinality(@s@.hll_agg(i)) = 100 FROM generate_series(1, 100) i
    UNION ALL SELECT @s@.hll_cardinality(@s@.hll_agg(i::text, 12)) = 100
        FROM generate_series(1, 100) i
    UNION ALL SELECT @s@.approx_count_distinct(i::numeric) = 100 FROM generate_series(1, 100) i
    UNION ALL SELECT @s@.hll_cardinality(@s@.hll_redis_agg(i::text)) = 100
        FROM generate_series(1, 100) i
    UNION ALL SELECT @s@.hll_cardinality(@s@.hll_union_agg(@s@.hll_add(@s@.hll_empty(), i))) = 100
        FROM generate_series(1, 100) i
    UNION ALL SELECT (OPERATOR(@s@.#) (@s@.hll_add(@s@.hll_empty(), 1)
        OPERATOR(@s@.|) @s@.hll_add(@s@.hll_empty(), 2))) = 2
    UNION ALL SELECT @s@.hll_cardinality(@s@.hll_add_all(@s@.hll_empty(), ARRAY['a', 'b'])) = 2
    UNION ALL SELECT (@s@.hll_info(@s@.hll_empty(10))).precision = 10
    UNION ALL SELECT (@s@.hll_bounds(@s@.hll_empty(), sigmas => 1)).upper = 0
    UNION ALL SELECT @s@.hll_empty() OPERATOR(@s@.=) @s@.hll_empty()::bytea::@s@.hll
    UNION ALL SELECT @s@.hll_empty()::text::@s@.hll OPERATOR(@s@.=) @s@.hll_empty(p => 13)
    UNION ALL SELECT count(*) = 3
        FROM (SELECT DISTINCT @s@.hll_add(@s@.hll_empty(), i % 3) FROM generate_series(1, 9) i) s (h)
    UNION ALL SELECT (SELECT count(*) FROM @s@.hll_registers(@s@.hll_add(@s@.hll_empty(), 7))) = 1
    UNION ALL SELECT @s@.hll_from_redis(@s@.hll_to_redis(@s@.hll_redis_empty()))
        OPERATOR(@s@.=) @s@.hll_redis_empty()
) s (good)
SQL

sub check_surface
{
    my ($database, $schema, $path, $name, %params) = @_;
    (my $query = $surface) =~ s/\@s\@/$schema/g;
    return is_query($node, "SET search_path = $path; $query", '14|14', $name,
        database => $database, %params);
}

sub members_in
{
    my ($database) = @_;
    return $node->safe_psql($database, <<'SQL');
SELECT string_agg(DISTINCT n.nspname, ',')
FROM pg_depend d
JOIN pg_extension e
    ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
LEFT JOIN pg_operator o ON d.classid = 'pg_operator'::regclass AND o.oid = d.objid
LEFT JOIN pg_opclass c ON d.classid = 'pg_opclass'::regclass AND c.oid = d.objid
LEFT JOIN pg_opfamily f ON d.classid = 'pg_opfamily'::regclass AND f.oid = d.objid
JOIN pg_namespace n
    ON n.oid IN (pronamespace, typnamespace, oprnamespace, opcnamespace, opfnamespace)
WHERE e.extname = 'sketches'
SQL
}

# ---- created, moved, dropped ----

is_query($node, $left, 0, 'nothing of it in a new database');
$node->safe_psql('postgres', 'CREATE EXTENSION sketches');
is(members_in('postgres'), 'public', 'created in public');
check_surface('postgres', 'public', 'public', '... all works');
check_surface('postgres', 'public', "''", '... with an empty search_path');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE rollup (h hll DEFAULT hll_empty(12));
INSERT INTO rollup DEFAULT VALUES;
CREATE INDEX ON rollup USING hash (h);
CREATE VIEW total AS SELECT hll_cardinality(hll_union_agg(h)) AS n FROM rollup;
CREATE SCHEMA "Odd schema";
ALTER EXTENSION sketches SET SCHEMA "Odd schema";
SQL
is(members_in('postgres'), 'Odd schema', 'moved into another schema, all of it');
check_surface('postgres', '"Odd schema"', 'pg_catalog', '... all works');
check_surface('postgres', '"Odd schema"', '"Odd schema"', '... also in the search_path');
is_query($node, 'INSERT INTO rollup DEFAULT VALUES; SELECT count(*), min(n) FROM rollup, total',
    '2|0', '... tables, defaults and views go on');
raises($node, '42883', 'SELECT hll_empty()', '... and its old place is empty');
$node->safe_psql('postgres', 'ALTER EXTENSION sketches SET SCHEMA public');
check_surface('postgres', 'public', 'public', '... and moved back');

# A user's objects of the same names come first in the search_path, and are not taken.
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA mine;
CREATE FUNCTION mine.hll_union(public.hll, public.hll) RETURNS public.hll
    LANGUAGE sql AS 'SELECT NULL::public.hll';
CREATE FUNCTION mine._hll_agg_state(public.hll, public.hashed) RETURNS public.hll
    LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION mine.hashed(int) RETURNS public.hashed
    LANGUAGE sql AS 'SELECT NULL::public.hashed';
CREATE OPERATOR mine.| (LEFTARG = public.hll, RIGHTARG = public.hll, FUNCTION = mine.hll_union);
SQL
check_surface('postgres', 'public', 'mine, public', 'all works beside things of the same names');

raises($node, '2BP01', 'DROP EXTENSION sketches', 'not dropped while tables use it',
    after => 'SELECT count(*) FROM rollup;', output => '2');
$node->safe_psql('postgres', 'DROP EXTENSION sketches CASCADE');
is_query($node, $left, 0, 'dropped with CASCADE: nothing of it is left');
is_query($node, 'SELECT count(*) FROM rollup', 2, '... the table is, without the column');
$node->safe_psql('postgres', 'CREATE EXTENSION sketches; DROP EXTENSION sketches');
is_query($node, $left, 0, 'dropped without CASCADE: nothing of it is left');

# ---- who may ----

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE maker LOGIN;
CREATE ROLE reader LOGIN;
CREATE DATABASE trusted;
SQL
my $as_maker = 'SET SESSION AUTHORIZATION maker';
raises($node, '42501', 'CREATE EXTENSION sketches', 'not created by just anybody',
    database => 'trusted', before => "$as_maker;");
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE trusted TO maker');
$node->safe_psql('trusted', <<"SQL");
$as_maker;
CREATE SCHEMA tools;
CREATE EXTENSION sketches SCHEMA tools;
GRANT USAGE ON SCHEMA tools TO reader;
SQL
is(members_in('trusted'), 'tools', 'created by who may create in the database, no superuser');
for my $role (qw(maker reader))
{
    check_surface('trusted', 'tools', "tools; SET SESSION AUTHORIZATION $role",
        "... works for the $role");
}
is_query($node, <<'SQL', 't', '... it is its maker\'s, who drops it', database => 'trusted');
SET SESSION AUTHORIZATION maker;
SELECT extowner::regrole = 'maker'::regrole FROM pg_extension WHERE extname = 'sketches';
DROP EXTENSION sketches;
SQL
is_query($node, $left, 0, '... nothing of it is left', database => 'trusted');

# ---- versions ----

my @versions = split /\n/, $node->safe_psql('postgres',
    "SELECT version FROM pg_available_extension_versions WHERE name = 'sketches' ORDER BY 1");
my $default = $node->safe_psql('postgres',
    "SELECT default_version FROM pg_available_extensions WHERE name = 'sketches'");
ok((grep { $_ eq $default } @versions), "version $default is there");

# What a database upgraded from each older version has is what a new one has.
my $objects = <<'SQL';
SELECT string_agg(o, E'\n' ORDER BY o) FROM (
    SELECT concat_ws(' ', pg_describe_object(d.classid, d.objid, 0),
        obj_description(d.objid, c.relname),
        CASE WHEN p.prokind IN ('f', 'p') THEN pg_get_functiondef(p.oid) END,
        p.provolatile, p.proisstrict, p.proparallel, a::text)
    FROM pg_depend d JOIN pg_class c ON c.oid = d.classid
    LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
    LEFT JOIN LATERAL (
        SELECT aggtransfn, aggfinalfn, aggcombinefn, aggtranstype::regtype, aggtransspace,
               agginitval
        FROM pg_aggregate WHERE aggfnoid = p.oid) a ON a.aggtransfn IS NOT NULL
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
) s (o)
SQL
$node->safe_psql('postgres', 'CREATE EXTENSION sketches');
my $new = $node->safe_psql('postgres', $objects);
cmp_ok(() = $new =~ /\n/g, '>', 50, 'the objects of a new database are known');
for my $version (grep { $_ ne $default } @versions)
{
    (my $database = "from_$version") =~ s/\W/_/g;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database,
        "CREATE EXTENSION sketches VERSION '$version'; ALTER EXTENSION sketches UPDATE");
    is($node->safe_psql($database, $objects), $new, "updated from $version: as new");
    check_surface($database, 'public', 'public', '... all works');
}
$node->safe_psql('postgres', 'ALTER EXTENSION sketches UPDATE');
is($node->safe_psql('postgres', $objects), $new, 'updating what is new changes nothing');

# Another extension's type: citext arrives as text, so what it calls equal counts twice unless lower
# makes it one. There is no cast from it into hashed.
SKIP:
{
    my $available = $node->safe_psql('postgres',
        "SELECT count(*) FROM pg_available_extensions WHERE name = 'citext'");
    skip 'citext is not installed', 2 unless $available;
    $node->safe_psql('postgres', 'CREATE DATABASE citext');
    $node->safe_psql('citext', 'CREATE EXTENSION sketches; CREATE EXTENSION citext');
    is_query($node, <<'SQL', '2|3|2|t|f', 'citext counts as text, lower() as citext', database => 'citext');
SELECT count(DISTINCT x), approx_count_distinct(x), approx_count_distinct(lower(x)),
       bloom_agg(lower(x)) @> lower('A'::citext), bloom_agg(x) @> 'B'
FROM unnest('{a,A,b}'::citext[]) AS x
SQL
    raises($node, '22P02', q{SELECT 'a'::citext::hashed}, 'a cast to hashed goes by way of text',
        database => 'citext');
}

done_testing();
