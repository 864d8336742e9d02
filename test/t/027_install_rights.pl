# Who may create the extensions gains nothing by it. Their scripts run as a superuser, with the schema that
# the caller names in the search_path. Here it is a role with nothing but CREATE on the database, who has
# put an operator, a function, a type and a table into that schema for whatever a script may look up.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use PostgreSQL::Test::Utils;
use SketchTest;
use Test::More;

my $node = new_server('install', schema => undef);
my ($share) = grep { -e "$_/extension/sketches.control" } split /\n/, qx{"\${PG_CONFIG:-pg_config}" --sharedir};
$share //= $node->safe_psql('postgres', q{SELECT setting FROM pg_config WHERE name = 'SHAREDIR'});
my %scripts = map { m{/([^/]+)--[^/]+$} => slurp_file($_) } glob "$share/extension/sketches*--*.sql";
is_deeply([ sort keys %scripts ], [qw(sketches sketches_postgresql_hll)], 'the scripts that are attacked');

# Functions of PostgreSQL that one of them calls.
my %called = map { lc($_) => 1 } map { /\b([a-z_]\w*)\s*\(/gi } values %scripts;
my $names = join ',', grep { $called{$_} } split /\n/,
  $node->safe_psql('postgres', q{SELECT DISTINCT proname FROM pg_proc ORDER BY 1});

sub as_mallory
{
    my ($sql, %params) = @_;
    return $node->psql('mine', $sql, extra_params => [ '-U', 'mallory' ], %params);
}

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE mallory LOGIN;
CREATE DATABASE mine;
REVOKE ALL ON DATABASE mine FROM PUBLIC;
GRANT CONNECT, CREATE, TEMPORARY ON DATABASE mine TO mallory;
SQL
$node->safe_psql('mine', 'REVOKE ALL ON SCHEMA public FROM PUBLIC');

# Traps in a schema: wherever one is taken, mallory is superuser, if a superuser took it.
my $traps = <<'SQL';
SET check_function_bodies = off;
SET client_min_messages = error;
CREATE SCHEMA @s@;
CREATE FUNCTION @s@.spring() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN ALTER ROLE mallory SUPERUSER; RETURN true; END $$;
DO $$
DECLARE
    types text[] := '{oid,regnamespace,regclass,regtype,regproc,name,text,varchar,"char",bool,int2,int4,int8,float8,bytea,text[],name[],oid[]}';
    traps int := 0;
    l text;
    r text;
    name text;
BEGIN
    FOREACH l IN ARRAY types LOOP
        EXECUTE format('CREATE FUNCTION @s@.trap_%s(%s) RETURNS pg_catalog.bool LANGUAGE plpgsql AS ''BEGIN PERFORM @s@.spring(); RETURN false; END''', md5(l), l);
        FOREACH r IN ARRAY types LOOP
            EXECUTE format('CREATE FUNCTION @s@.trap(%s, %s) RETURNS pg_catalog.bool LANGUAGE plpgsql AS ''BEGIN PERFORM @s@.spring(); RETURN false; END''', l, r);
            FOREACH name IN ARRAY '{=,<>,<,>,<=,>=,||,~,!~,~~,|,&,#,-,+,>>,<<,@>,<@,&&}'::text[] LOOP
                EXECUTE format('CREATE OPERATOR @s@.%s (FUNCTION = @s@.trap, LEFTARG = %s, RIGHTARG = %s)', name, l, r);
                traps := traps + 1;
            END LOOP;
        END LOOP;
    END LOOP;
    -- Functions of all names that the scripts call, for what they might be given.
    FOREACH name IN ARRAY string_to_array('@names@', ',') LOOP
        FOREACH l IN ARRAY ARRAY['text', 'name', 'oid', 'regnamespace', 'int4, text', 'text, text', 'text, regnamespace', 'text, oid', 'text, text, bool', 'text, regnamespace, bool', 'text, VARIADIC text[]', '_ anyelement', 'text, anyelement'] LOOP
            BEGIN
                EXECUTE format('CREATE FUNCTION @s@.%I(%s) RETURNS pg_catalog.text LANGUAGE plpgsql AS ''BEGIN PERFORM @s@.spring(); RETURN NULL; END''', name, l);
                traps := traps + 1;
            EXCEPTION WHEN OTHERS THEN NULL;
            END;
        END LOOP;
    END LOOP;
    FOREACH name IN ARRAY '{text,name,oid,regnamespace,bool,int4,int8,float8,bytea,cstring,internal,record,timestamptz,jsonb,anyelement}'::text[] LOOP
        EXECUTE format('CREATE DOMAIN @s@.%I AS pg_catalog.text CHECK (@s@.spring())', name);
    END LOOP;
    FOREACH name IN ARRAY '{pg_extension,pg_namespace,pg_proc,pg_type,pg_class,pg_operator}'::text[] LOOP
        EXECUTE format('CREATE VIEW @s@.%I AS SELECT x.*, @s@.spring() FROM pg_catalog.%1$I AS x', name);
    END LOOP;
    IF traps < 6000 THEN RAISE 'only % traps', traps; END IF;
END $$;
SQL

sub with_traps
{
    my ($schema) = @_;
    as_mallory($traps =~ s/\@s\@/$schema/gr =~ s/\@names\@/$names/r, on_error_die => 1);
}

sub is_harmless
{
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is_query($node, q{SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'}, 'f', $name);
    $node->safe_psql('postgres', 'ALTER ROLE mallory NOSUPERUSER');
}

# The traps catch a superuser who looks one up; otherwise this test could not fail.
with_traps('m');
$node->safe_psql('mine', q{SET search_path = m; SELECT extnamespace = 'm'::regnamespace FROM pg_extension LIMIT 1});
is_query($node, q{SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'}, 't', 'a superuser who looks one up is caught');
$node->safe_psql('postgres', 'ALTER ROLE mallory NOSUPERUSER');

as_mallory('CREATE EXTENSION sketches SCHEMA m', on_error_die => 1);
is_harmless('sketches among traps');

# Overloads in the schema of sketches, which is hers, and on the path of the second script.
as_mallory($_, on_error_die => 1) for split /\n/, <<'SQL';
CREATE FUNCTION m.hll_postgresql_hll_empty(pg_catalog.int4) RETURNS m.hll LANGUAGE sql AS 'SELECT m.spring(); SELECT NULL::m.hll'
CREATE FUNCTION m.hll_to_postgresql_hll(m.hll, int, int, boolean) RETURNS pg_catalog.bytea LANGUAGE sql AS 'SELECT m.spring(); SELECT NULL::bytea'
CREATE FUNCTION m.uuid_send(uuid) RETURNS pg_catalog.bytea LANGUAGE sql AS 'SELECT m.spring(); SELECT NULL::bytea'
CREATE FUNCTION m.get_byte(pg_catalog.bytea, int) RETURNS int LANGUAGE sql AS 'SELECT m.spring(); SELECT 0'
CREATE FUNCTION m.trap(m.hll, pg_catalog.text) RETURNS boolean LANGUAGE sql AS 'SELECT m.spring(); SELECT false'
CREATE OPERATOR m.= (FUNCTION = m.trap, LEFTARG = m.hll, RIGHTARG = pg_catalog.text)
CREATE FUNCTION m.trap(pg_catalog.anyelement, pg_catalog.anyelement) RETURNS boolean LANGUAGE sql AS 'SELECT m.spring(); SELECT false'
CREATE OPERATOR m.= (FUNCTION = m.trap, LEFTARG = pg_catalog.anyelement, RIGHTARG = pg_catalog.anyelement)
CREATE OPERATOR m.<> (FUNCTION = m.trap, LEFTARG = pg_catalog.anyelement, RIGHTARG = pg_catalog.anyelement)
SQL
with_traps('n');
as_mallory('CREATE EXTENSION sketches_postgresql_hll SCHEMA n', on_error_die => 1);
is_harmless('sketches_postgresql_hll among traps');

# By a default, these would fit as well as the right one: before, the script would fail.
as_mallory($_, on_error_die => 1) for split /\n/, <<'SQL';
CREATE FUNCTION m.hll_cardinality(m.hll, pg_catalog.int4 DEFAULT 0) RETURNS bigint LANGUAGE sql AS 'SELECT m.spring(); SELECT 0::int8'
CREATE FUNCTION m.hll_describe(m.hll, pg_catalog.int4 DEFAULT 0) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT m.spring(); SELECT NULL::text'
SQL

# Who calls what it made runs nothing of hers either.
my $called = <<'SQL' =~ s/\@s\@/n/gr;
SELECT @s@.hll_cardinality(h), @s@.hll_eq(h, h), @s@.hll_ne(h, h), @s@.hll_print(h), @s@.hll_send(h), @s@.hll_type(h), @s@.hll_log2m(h),
       @s@.hll_regwidth(h), @s@.hll_schema_version(h), @s@.hll_hash_any(gen_random_uuid()), @s@.hll_empty() OPERATOR(@s@.||) h
FROM (SELECT @s@.hll_add_agg(@s@.hll_hash_integer(i)) FROM generate_series(1, 9) AS i) AS s (h);
SQL
is($node->psql('mine', $called), 0, 'its functions are called by a superuser');
is_harmless('... who runs nothing of hers');

done_testing();
