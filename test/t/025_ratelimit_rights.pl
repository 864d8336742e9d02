# Whose table ratelimit_keys is. A trusted extension is created by somebody who is no superuser, and
# its objects belong to a superuser. Whatever a superuser asks later must not run code of the
# extension's owner, who here owns the database and the schema, too.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('rights', schema => undef);
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE owner LOGIN;
CREATE ROLE app LOGIN;
CREATE DATABASE mine OWNER owner;
SQL

sub as_owner
{
    my ($sql) = @_;
    return $node->safe_psql('mine', $sql, extra_params => [ '-U', 'owner' ]);
}

# Every statement is refused for lack of a right, whoever of the two says it.
sub refused
{
    my ($role, $statement) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return raises($node, '42501', $statement, "$role: $statement",
        database => 'mine', before => "SET ROLE $role;");
}

as_owner('CREATE EXTENSION sketches');
my $ask = q{SELECT allowed FROM ratelimit_throttle('k', 1, 1, '1 day')};

# ---- what may be granted ----

is_query($node, <<'SQL', 'DELETE,INSERT,SELECT,UPDATE', 'rights of the owner', database => 'mine');
SELECT string_agg(privilege_type, ',' ORDER BY privilege_type COLLATE "C")
FROM pg_class, aclexplode(relacl) AS a
WHERE oid = 'ratelimit_keys'::regclass AND a.grantee = 'owner'::regrole AND is_grantable
SQL
refused('app', $ask);
as_owner('GRANT SELECT, INSERT, UPDATE ON ratelimit_keys TO app');
is_query($node, "SET ROLE app; $ask", 't', 'with rights', database => 'mine');
refused('app', 'SELECT ratelimit_purge()');
as_owner('GRANT ALL ON ratelimit_keys TO app WITH GRANT OPTION');
is_query($node, 'SET ROLE app; SELECT ratelimit_purge()', 0, 'and to purge', database => 'mine');

# ---- the attack: code that the next one who asks runs ----

as_owner(<<'SQL');
CREATE FUNCTION take_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    ALTER ROLE owner SUPERUSER;
    RETURN NEW;
END $$;
CREATE FUNCTION take_over(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    ALTER ROLE owner SUPERUSER;
    RETURN $1;
END $$;
CREATE FUNCTION take_over(ratelimit) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT take_over($1::text)';
CREATE FUNCTION take_over(ratelimit, ratelimit) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    ALTER ROLE owner SUPERUSER;
    RETURN true;
END $$;
CREATE TABLE mine (key text);
CREATE SCHEMA elsewhere;
GRANT CREATE ON SCHEMA public TO app;
SQL
for my $role (qw(owner app))
{
    refused($role, $_) for split /\n/, <<'SQL';
CREATE TRIGGER t BEFORE INSERT ON ratelimit_keys FOR EACH ROW EXECUTE FUNCTION take_over()
CREATE TRIGGER t AFTER UPDATE ON ratelimit_keys FOR EACH STATEMENT EXECUTE FUNCTION take_over()
CREATE TRIGGER t AFTER TRUNCATE ON ratelimit_keys FOR EACH STATEMENT EXECUTE FUNCTION take_over()
CREATE CONSTRAINT TRIGGER t AFTER INSERT ON ratelimit_keys FOR EACH ROW EXECUTE FUNCTION take_over()
TRUNCATE ratelimit_keys
CREATE UNLOGGED TABLE f (key text COLLATE "C" REFERENCES ratelimit_keys)
CREATE RULE r AS ON INSERT TO ratelimit_keys DO ALSO SELECT take_over('')
CREATE POLICY p ON ratelimit_keys USING (take_over(key) IS NOT NULL)
CREATE INDEX i ON ratelimit_keys (take_over(key))
CREATE STATISTICS s ON (take_over(key)), (take_over(state)) FROM ratelimit_keys
CREATE TEMP TABLE c () INHERITS (ratelimit_keys)
ALTER TABLE mine INHERIT ratelimit_keys
ALTER TABLE ratelimit_keys INHERIT mine
ALTER TABLE ratelimit_keys ALTER retry_after SET DEFAULT take_over('')::interval
ALTER TABLE ratelimit_keys ADD COLUMN x text DEFAULT take_over('')
ALTER TABLE ratelimit_keys ADD CHECK (take_over(key) IS NOT NULL)
ALTER TABLE ratelimit_keys ALTER key TYPE text USING take_over(key)
ALTER TABLE ratelimit_keys DISABLE TRIGGER ALL
ALTER TABLE ratelimit_keys ENABLE ROW LEVEL SECURITY
ALTER TABLE ratelimit_keys OWNER TO CURRENT_USER
ALTER TABLE ratelimit_keys RENAME TO keys
ALTER TABLE ratelimit_keys SET SCHEMA pg_temp
ALTER INDEX ratelimit_keys_pkey SET TABLESPACE pg_global
CREATE PUBLICATION p FOR TABLE ratelimit_keys
CREATE CAST (ratelimit AS text) WITH FUNCTION take_over(ratelimit) AS IMPLICIT
CREATE OPERATOR FAMILY f USING btree
ALTER TYPE ratelimit OWNER TO CURRENT_USER
ALTER TYPE ratelimit SET (STORAGE = main)
ALTER FUNCTION ratelimit_take(ratelimit, int, timestamptz) SET search_path = mine
ALTER FUNCTION ratelimit_purge() OWNER TO CURRENT_USER
CREATE OR REPLACE FUNCTION ratelimit_info(ratelimit) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'
ALTER EXTENSION sketches DROP TABLE ratelimit_keys
ALTER EXTENSION sketches DROP FUNCTION ratelimit_purge()
ALTER EXTENSION sketches SET SCHEMA elsewhere
SQL
}

raises($node, '2BP01', 'DROP TABLE ratelimit_keys', 'the owner of the schema cannot drop it either',
    database => 'mine', before => 'SET ROLE owner;');

# Other functions of the names that the statements call, for types that might suit as well.
as_owner(<<'SQL');
CREATE FUNCTION ratelimit_take(ratelimit, bigint, timestamptz) RETURNS text LANGUAGE sql
    AS $$SELECT take_over('')$$;
CREATE FUNCTION ratelimit_retake(ratelimit, ratelimit, int, VARIADIC timestamptz[]) RETURNS text
    LANGUAGE sql AS $$SELECT take_over('')$$;
CREATE FUNCTION ratelimit_sliding(bigint, interval) RETURNS text LANGUAGE sql
    AS $$SELECT take_over('')$$;
CREATE FUNCTION ratelimit_peek(ratelimit, bigint, timestamptz) RETURNS text LANGUAGE sql
    AS $$SELECT take_over('')$$;
CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS $$SELECT take_over('')::timestamptz$$;
SQL
# With defaults they would fit as well as the right one, and the call would be ambiguous. So the
# functions that the statements call have a type of which nobody may make functions.
as_owner($_) for map { ("CREATE FUNCTION $_ RETURNS text LANGUAGE sql AS \$\$SELECT take_over('')\$\$",
        "CREATE FUNCTION _$_ RETURNS text LANGUAGE sql AS \$\$SELECT take_over('')\$\$") } split /\n/, <<'SQL';
ratelimit_take(ratelimit, int, timestamptz, x int DEFAULT 0)
ratelimit_retake(ratelimit, ratelimit, int, timestamptz, x int DEFAULT 0)
ratelimit_bucket(int, int, interval, x int DEFAULT 0)
ratelimit_sliding(int, interval, x int DEFAULT 0)
ratelimit_peek(ratelimit, int, timestamptz, x int DEFAULT 0)
SQL
for my $role (qw(owner app))
{
    refused($role, $_) for split /\n/, <<'SQL';
CREATE FUNCTION _ratelimit_take(ratelimit, _ratelimit_int, timestamptz, x int DEFAULT 0) RETURNS text LANGUAGE sql AS 'SELECT 1'
CREATE FUNCTION _ratelimit_sliding(_ratelimit_int, interval, x int DEFAULT 0) RETURNS text LANGUAGE sql AS 'SELECT 1'
CREATE DOMAIN mine_too AS _ratelimit_int
GRANT USAGE ON DOMAIN _ratelimit_int TO app
ALTER DOMAIN _ratelimit_int ADD CHECK (take_over(VALUE::text) IS NOT NULL)
CREATE CAST (int AS _ratelimit_int) WITHOUT FUNCTION
SQL
}
is_query($node, <<"SQL", "t\nt\nt\n0\n2\nf", 'a superuser asks and stays alone', database => 'mine');
DELETE FROM ratelimit_keys;
$ask;
$ask;
SELECT allowed FROM ratelimit_window('w', 1, interval '1 day');
SELECT ratelimit_purge();
SELECT count(*) FROM ratelimit_keys;
SELECT rolsuper FROM pg_roles WHERE rolname = 'owner';
SQL

# The schema gets another name, and a table of his stands where the other one stood: the functions go
# on with the table beside them, also in a session that has asked before.
{
    my $superuser = $node->background_psql('mine');
    is($superuser->query_safe($ask), 'f', 'asked before');
    as_owner(<<'SQL');
DROP SCHEMA elsewhere;
ALTER SCHEMA public RENAME TO elsewhere;
CREATE SCHEMA public;
CREATE TABLE public.ratelimit_keys AS TABLE elsewhere.ratelimit_keys;
ALTER TABLE public.ratelimit_keys ADD PRIMARY KEY (key);
CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON public.ratelimit_keys
    FOR EACH ROW EXECUTE FUNCTION elsewhere.take_over();
SQL
    is($superuser->query_safe(
            q{SELECT remaining FROM elsewhere.ratelimit_throttle('k', 2, 1, '1 day')}),
        0, 'and after the schema was moved');
    $superuser->quit;
}
is_query($node, q{SELECT rolsuper FROM pg_roles WHERE rolname = 'owner'}, 'f',
    'still no superuser');

# An error names the table that is missing.
{
    my $error;
    $node->psql('mine', <<'SQL', stderr => \$error);
ALTER TABLE elsewhere.ratelimit_keys RENAME TO renamed;
SELECT elsewhere.ratelimit_purge();
SQL
    like($error, qr/relation "elsewhere.ratelimit_keys" does not exist/, 'without the table');
}

done_testing();
