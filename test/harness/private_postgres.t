#!/usr/bin/env perl
#
# The private PostgreSQL of build/postgresql: servers run in it, from wherever the checkout is, and the
# PostgreSQL of PG_CONFIG is as it was. make test has made it.

use strict;
use warnings;

use Cwd qw(getcwd);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/../.." or die "chdir: $!";
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my %dir = map { chomp(my $dir = `'$pg_config' --$_`); ($_ => $dir) } qw(bindir sharedir pkglibdir includedir-server);

# What is there, and since when.
sub state_of_system
{
    return join "\n", sort map { "$_ " . (stat)[9] } map { ($_, glob "$_/*") } values %dir, "$dir{sharedir}/extension";
}

my $before = state_of_system();
my $said = `umask 077; test/harness/private-postgres "\${MAKE:-make}" 2>&1`;
is($?, 0, 'it is made') or diag($said);
is(state_of_system(), $before, '... and nothing of the system is changed');
for my $name (sort keys %dir)
{
    chomp(my $private = `'build/postgresql$dir{bindir}/pg_config' --$name`);
    is($private, getcwd() . "/build/postgresql$dir{$name}", "... pg_config --$name");
    ok(-d $private, '... which is there');
}
my @ours = glob "build/postgresql$dir{pkglibdir}/sketches[.-]* build/postgresql$dir{sharedir}/extension/sketches*";
is(join(' ', grep { -l } @ours), '', 'an installed sketches is not in it');

# A checkout that the server's user cannot reach, with a blank in its path.
my $scratch = tempdir(CLEANUP => 1);
my $away = "$scratch/a check out";
make_path("$away/test/harness", "$away/build");
system('cp', 'test/harness/with-server', "$away/test/harness/") == 0 or die 'cp failed';
system('cp', '-R', '-P', 'build/postgresql', "$away/build/") == 0 or die 'cp failed';
chmod 0700, $scratch;
my $sql = q{SELECT setting LIKE current_setting('unix_socket_directories') || '/%' FROM pg_config WHERE name = 'SHAREDIR'};
my $answer = `umask 077; '$away/test/harness/../harness/with-server' -- psql -XAtq -c 'CREATE EXTENSION sketches' \\
    -c 'SELECT # hll_agg(i) FROM generate_series(1, 3) i' -c "$sql" 2>&1`;
is($answer, "3\nt\n", 'a server of an unreachable checkout has a copy of its own');

done_testing();
