# Installed outside of PostgreSQL's directories: the library found by dynamic_library_path, control file and
# scripts from 18 on by extension_control_path; and who may change these paths.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use File::Path qw(make_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PrivatePostgres;
use SketchTest;
use Test::More;

my $private = private_postgres(PostgreSQL::Test::Utils::tempdir());
my $elsewhere = PostgreSQL::Test::Utils::tempdir() . '/elsewhere';
my $moves_scripts = major_version() >= 18;

# What is moved is a link to what is installed.
sub move
{
    my ($from, $to, $pattern) = @_;
    make_path($to);
    for my $file (glob "$from/$pattern")
    {
        (my $name = $file) =~ s{.*/}{};
        rename $file, "$to/$name" or die "$file: $!";
    }
    return;
}

move($private->{library}, "$elsewhere/lib", 'sketches.*');
move($private->{extension}, "$elsewhere/share/extension", 'sketches*') if $moves_scripts;

my $node = PostgreSQL::Test::Cluster->new('elsewhere', install_path => $private->{install_path});
$node->init(extra => [qw(--locale=C --encoding=UTF8)]);
$node->append_conf('postgresql.conf', "timezone = UTC\njit = off\nautovacuum = off\n");
$node->start;
raises($node, $moves_scripts ? '0A000' : '58P01', 'CREATE EXTENSION sketches', 'it is not where PostgreSQL is');

my $path = "dynamic_library_path = '$elsewhere/lib:\$libdir'\n";
$path .= "extension_control_path = '$elsewhere/share:\$system'\n" if $moves_scripts;
$node->append_conf('postgresql.conf', $path);
$node->reload;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION sketches;
CREATE TABLE rollup AS SELECT i % 10 AS page, hll_agg(i) AS visitors FROM generate_series(1, 100) i GROUP BY 1;
SQL
is_query($node, 'SELECT sum(hll_cardinality(visitors)) FROM rollup', 100, 'it is found elsewhere');
is_query($node, q{SELECT DISTINCT probin FROM pg_proc WHERE prosrc LIKE 'sketches\_%'}, 'sketches',
    'the catalog does not say where');
SKIP:
{
    skip 'pg_get_loaded_modules came with 18', 1 if !$moves_scripts;
    is_query($node, <<'SQL', 'sketches|t', 'the loaded library says name and version');
SELECT module_name, version = sketches_version()
  FROM (SELECT sketches_version() OFFSET 0) s, pg_get_loaded_modules() WHERE module_name = 'sketches'
SQL
}

# Where the library is not, the functions are not; what is stored is.
raises($node, '58P01', 'SELECT hll_cardinality(visitors) FROM rollup', 'nowhere to be found',
    before => q{SET dynamic_library_path = '$libdir';}, after => 'SELECT count(*) FROM rollup;', output => 10);

# A library of somebody else's would come first in the path: nobody but a superuser changes that.
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; GRANT ALL ON rollup TO app; GRANT ALL ON DATABASE postgres TO app');
my @refused = ("SET dynamic_library_path = '/tmp:\$libdir'", "ALTER ROLE app SET dynamic_library_path = '/tmp'",
    "ALTER DATABASE postgres SET dynamic_library_path = '/tmp'", "LOAD 'sketches'");
raises($node, '42501', $_, "not for an ordinary user: $_", before => 'SET SESSION AUTHORIZATION app;',
    after => 'SELECT count(*) FROM rollup;', output => 10)
  for @refused;

done_testing();
