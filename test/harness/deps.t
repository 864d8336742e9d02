#!/usr/bin/env perl
#
# test/harness/deps check: it installs nothing, names what is missing and one command that gets it,
# in the words of the system it is on. The systems are PATHs that hold what a system has: a few
# tools, a package manager that notes that it was called, and a pg_config of its own.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $deps = abs_path(dirname(__FILE__)) . '/deps';
my $top = dirname(dirname(dirname($deps)));
plan skip_all => 'croaring.path is here: CRoaring is not missing' if -e "$top/croaring.path";

my $scratch = tempdir(CLEANUP => 1);
my @tools = qw(bash sh env sed cat id dirname awk readlink ln mkdir rm perl);

sub write_program
{
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!";
    print $out "#!/bin/sh\n$text\n";
    close $out or die "$path: $!";
    chmod 0755, $path or die "$path: $!";
    return;
}

# A directory of programs: the tools, and those given as name => script.
sub system_with
{
    my ($name, %programs) = @_;
    my $dir = "$scratch/$name";
    mkdir $dir or die "$dir: $!";
    for my $tool (@tools)
    {
        my ($path) = grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH};
        symlink $path, "$dir/$tool" if $path;
    }
    write_program("$dir/$_", $programs{$_}) for keys %programs;
    return $dir;
}

sub check
{
    my ($path, %env) = @_;
    my $what = delete $env{what} // '';
    local %ENV = (PATH => $path, HOME => $scratch, %env);
    my $output = `'$deps' check $what 2>&1`;
    return ($? >> 8, $output);
}

my $called = "$scratch/called";
my $note = "echo \$0 \"\$@\" >>'$called'";
my $server = "case \$1 in --version) echo PostgreSQL 17.2 ;; --pgxs) echo /nowhere/pgxs.mk ;; "
  . "--bindir) echo '$scratch' ;; *) echo /nowhere ;; esac";
write_program("$scratch/postgres", 'exit 0');

my %command = (
    dnf =>
      qr/^To get it: dnf install gcc pkgconf-pkg-config xxhash-devel postgresql-server-devel croaring-devel$/m,
    pacman => qr/^To get it: pacman -S base-devel pkgconf xxhash postgresql$/m,
    apk => qr/^To get it: apk add build-base pkgconf xxhash-dev postgresql17-dev croaring-dev$/m,
    brew => qr/^To get it: brew install gcc pkgconf xxhash postgresql\@17 croaring$/m,
    nothing => qr/^To get it: your system has no apt-get, dnf, pacman, apk or brew/m);

for my $manager (sort keys %command)
{
    my $path = system_with($manager, pg_config => $server, $manager => $note);
    my ($status, $output) = check($path);
    is($status, 1, "$manager: 1 where something is missing");
    like($output, $command{$manager}, '... and what gets it');
    like($output, qr/^  - $_/m, "... $_ is named")
      for 'a C compiler', 'pkg-config', 'the headers of xxHash',
      'the server headers of PostgreSQL 17', 'CRoaring 4';
    like($output, qr/git clone .*croaring\.path/s, "... and how CRoaring's sources are named");
}

my $debian = system_with('debian', pg_config => $server, 'apt-get' => $note, dpkg => $note,
    sudo => 'exit 1');
my ($status, $output) = check($debian);
is($status, 1, 'Debian: 1 where something is missing');
like($output, $> == 0 ? qr/^To get it: make deps$/m : qr/^To get it: sudo make deps$/m,
    '... make deps gets it');
($status, $output) = check($debian, PG_CONFIG => "$debian/pg_config");
like($output, qr/make deps PG_CONFIG=\Q$debian\E/, '... for the PostgreSQL that is named');

($status, $output) = check($debian, what => 'valgrind');
like("$status $output", qr/^1 valgrind is missing\. To get it: .*apt-get install valgrind$/,
    '... and valgrind, which make deps does not get');
($status, $output) = check(system_with('valgrind', valgrind => 'exit 0'), what => 'valgrind');
is("$status $output", '0 ', '... where it is missing');

($status, $output) = check($debian, PG_CONFIG => '/nosuch');
is("$status $output", "1 deps: /nosuch (PG_CONFIG) does not run\n",
    'a pg_config that is not there');

($status, $output) = check($debian, CROARING_DIR => '/nosuch');
like($output, qr{^  - CRoaring's sources, in /nosuch }m, 'sources of CRoaring that are not there');

write_program("$debian/pg_config", 'case $1 in --version) echo PostgreSQL 12.1 ;; esac');
($status, $output) = check($debian, PG_CONFIG => "$debian/pg_config");
is("$status $output", "1 deps: PostgreSQL 12 is too old: 13 or later is needed\n", 'one too old');

SKIP:
{
    skip 'a server of Debian\'s packages is here', 2 if glob '/usr/lib/postgresql/*/bin/postgres';
    my $none = system_with('none', dnf => $note);
    ($status, $output) = check($none);
    is($status, 1, 'no PostgreSQL: 1');
    like($output, qr/no PostgreSQL server found.*dnf install postgresql-server/s,
        '... and what to do');
}

ok(!-e $called, 'no package manager was called');
done_testing();
