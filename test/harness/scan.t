#!/usr/bin/env perl
#
# test/harness/scan finds each of what it is there for, and lets go what is right.

use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $scan = "$FindBin::Bin/scan";
my $dir = tempdir(CLEANUP => 1);
my $number = 0;

# What scan says of a file with this text; as an install script, or as C.
sub said
{
    my ($kind, $text) = @_;
    my $path = "$dir/" . $number++ . ".$kind";
    open my $out, '>', $path or die "$path: $!";
    print $out $text;
    close $out or die "$path: $!";
    my $script = "$dir/good.sql";
    open $out, '>', $script or die "$script: $!";
    print $out "CREATE TYPE t;\n";
    close $out or die "$script: $!";
    my @files = $kind eq 'sql' ? $path : ($script, $path);
    my $output = `'$scan' @files 2>&1`;
    return ($? >> 8) . " $output";
}

sub spi { return qq{x = SPI_prepare(psprintf("$_[0]", schema), 0, NULL);\n} }

my @offenders = (
    [ 'takes over', sql => "CREATE OR REPLACE FUNCTION f(t) RETURNS t AS 'x', 'y' LANGUAGE C;" ],
    [ 'takes over', sql => 'CREATE TABLE IF NOT EXISTS k (key text);' ],
    [ 'rights', sql => "CREATE FUNCTION f(t) RETURNS t AS 'x', 'y' LANGUAGE C SECURITY DEFINER;" ],
    [ 'public', sql => 'CREATE OPERATOR | (LEFTARG = t, RIGHTARG = t, FUNCTION = public.f);' ],
    [ 'public', sql => 'GRANT SELECT ON "public".k TO somebody;' ],
    [ 'search_path', sql => 'SET search_path = mine; CREATE TYPE t;' ],
    [ 'search_path', sql => q{CREATE TYPE t; SELECT pg_catalog.set_config('search_path', 'mine', false);} ],
    [ 'function', sql => "CREATE FUNCTION f(t) RETURNS int LANGUAGE sql AS 'SELECT g(\$1)';" ],
    [ 'function', sql => 'CREATE FUNCTION f(t) RETURNS int LANGUAGE sql RETURN g($1);' ],
    [ 'function', sql => 'CREATE FUNCTION f(t) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN g($1); END $$;' ],
    [ 'function', sql => "CREATE FUNCTION f(at timestamptz DEFAULT now()) RETURNS t AS 'x', 'y' LANGUAGE C;" ],
    [ 'function', sql => 'CREATE TABLE k (key text CHECK (length(key) OPERATOR(pg_catalog.<) 9));' ],
    [ 'function', sql => "CREATE FUNCTION f(t) RETURNS int LANGUAGE sql SET search_path = mine AS 'SELECT g(\$1)';" ],
    [ 'operator', sql => "CREATE FUNCTION f(t) RETURNS int LANGUAGE sql AS 'SELECT \$1 + 1';" ],
    [ 'operator', sql => 'CREATE TABLE k (n int CHECK (n > 0));' ],
    [ 'cannot be', sql => "CREATE FUNCTION f(t) RETURNS boolean LANGUAGE sql AS 'SELECT \$1 IN (1, 2)';" ],
    [ 'cannot be', sql => q{CREATE TABLE k (key text CHECK (key LIKE 'a%'));} ],
    [ 'table', sql => 'CREATE TYPE t; INSERT INTO k VALUES (1);' ],
    [ 'type', sql => q{CREATE TYPE t; SELECT '1'::int;} ],
    [ 'function', sql => 'CREATE TYPE t; DO $$ BEGIN PERFORM g(); END $$;' ],
    [ 'no statement', sql => '-- nothing' ],
    [ 'function', c => spi('SELECT f($1)') ],
    [ 'table', c => spi('DELETE FROM keys') ],
    [ 'operator', c => spi('DELETE FROM %1$s.keys WHERE key = $1') ],
    [ 'type', c => spi(q{SELECT %1$s.f('1'::interval)}) ],
    [ 'operator', c => qq{#define OF(x) x\nSPI_execute("SELECT * FROM %s.k"\n  " WHERE n <" "> 1", true, 0);} ],
    [ 'no statement was found', c => 'SPI_execute(text, true, 0);' ],
);
for my $case (@offenders)
{
    my ($what, $kind, $text) = @$case;
    like(said($kind, $text), qr/^1 .*$what/s, "$what: $text");
}

my @good = (
    [ sql => "CREATE FUNCTION f(t, at timestamptz DEFAULT pg_catalog.now()) RETURNS t AS 'x', 'y' LANGUAGE C;" ],
    [ sql => "COMMENT ON FUNCTION f(t) IS 'an OR REPLACE in words; SECURITY DEFINER, public.k';\nCREATE TYPE t;" ],
    [ sql => q{CREATE FUNCTION f(t) RETURNS int LANGUAGE sql AS 'SELECT pg_catalog.abs($1) OPERATOR(pg_catalog.+) 1';} ],
    [ sql => q{CREATE FUNCTION f(t) RETURNS int LANGUAGE sql SET search_path = pg_catalog, pg_temp AS 'SELECT abs($1)';} ],
    [ sql => 'CREATE OPERATOR CLASS c DEFAULT FOR TYPE t USING btree AS OPERATOR 1 <, FUNCTION 1 f(t, t);' ],
    [ sql => 'REVOKE ALL ON DOMAIN d FROM PUBLIC; CREATE TYPE t;' ],
    [ c => spi('INSERT INTO %1$s.keys AS k (key, state) SELECT $1, t.* FROM %1$s.f($2::%1$s.d) AS t'
              . ' ON CONFLICT (key) DO UPDATE SET (state, n) = (SELECT t.* FROM %1$s.g(k.state) AS t)'
              . ' RETURNING n') ],
    [ c => spi('DELETE FROM %1$s.keys WHERE ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT k.ctid FROM'
              . ' %1$s.keys AS k WHERE (%1$s.f(k.state)).n OPERATOR(pg_catalog.=)'
              . q{ '0'::pg_catalog.interval FOR UPDATE SKIP LOCKED))}) ],
    [ c => 'elog(ERROR, "SELECT f(1)");' ],
);
is(said(@$_), '0 ', "good: $_->[1]") for @good;

done_testing();
