#!/usr/bin/env perl
#
# test/harness/deps: what is missing is named, with one command that gets it where there is apt-get; who can be root, with or without a password, has it installed, and who cannot is told. The systems are
# PATHs that hold what a system has: a few tools, a package manager that notes that it was called, and a
# pg_config of its own.

use strict;
use warnings;

use File::Temp qw(tempdir);
use POSIX qw(setsid);
use FindBin;
use Test::More;

use lib $FindBin::Bin;
use Trial;

my $scratch = tempdir(CLEANUP => 1);
# In a checkout without CRoaring, whatever there is in this one.
my $top = "$scratch/checkout";
mkdir $_ or die "$_: $!" for $top, "$top/test";
system('cp', '-R', $FindBin::Bin, "$top/test/harness") == 0 or die "cp failed\n";
my $deps = "$top/test/harness/deps";
my @tools = qw(bash sh env sed cat dirname awk readlink ln mkdir mktemp paste rm sleep tail true);

# A Perl that finds no library that can be opened, and no module that is not its own.
my $perl = qq{case "\$*" in *DynaLoader*|*IPC::Run*) exit 1 ;; esac\nexec '$^X' "\$@"};

# A directory of programs: the tools, and those given as name => script; the user is not root.
sub system_with
{
    my ($name, %programs) = @_;
    %programs = (id => 'echo 1000', perl => $perl, %programs);
    my $dir = "$scratch/$name";
    mkdir $dir or die "$dir: $!";
    for my $tool (@tools)
    {
        my ($path) = grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH};
        symlink $path, "$dir/$tool" if $path;
    }
    put("$dir/$_", "#!/bin/sh\n$programs{$_}\n", 0755) for keys %programs;
    return $dir;
}

# Runs deps, at no terminal: its exit status and what it prints.
sub deps
{
    my ($arguments, $path, %env) = @_;
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if (!$pid)
    {
        setsid();
        %ENV = (PATH => $path, HOME => $scratch, TMPDIR => $scratch, %env);
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        exec $deps, split ' ', $arguments or die "deps: $!\n";
    }
    my $output = join '', <$out>;
    close $out;
    return ($? >> 8, $output);
}

my $called = "$scratch/called";
my $note = "echo \$0 \"\$@\" >>'$called'";
my $server = "case \$1 in --version) echo PostgreSQL 17.2 ;; --pgxs) echo /nowhere/pgxs.mk ;; "
  . "--bindir) echo '$scratch' ;; *) echo /nowhere ;; esac";
put("$scratch/postgres", qq{#!/bin/sh\nexit 0\n}, 0755);

my $elsewhere = system_with('elsewhere', pg_config => $server, dnf => $note);
my ($status, $output) = deps('check test', $elsewhere);
is($status, 1, 'a system without apt-get: 1 where something is missing');
like($output, qr/^To get it, here without apt-get: see "Other systems" in doc.install.md$/m, '... and where its packages are named');
like($output, qr/^  - $_/m, "... $_ is named")
  for 'a C compiler', 'pkg-config', 'the headers of xxHash', 'the server headers of PostgreSQL 17', 'CRoaring 4';
like($output, qr/git clone .*croaring\.path/s, "... and how CRoaring's sources are named");
unlike((deps('check', $elsewhere))[1], qr/CRoaring/, '... without which it builds');

my %debian = (pg_config => $server, 'apt-get' => $note, dpkg => 'exit 0', 'apt-cache' => 'exit 1',
    'dpkg-query' => 'exit 1');
my $debian = system_with('debian', %debian, sudo => 'exit 1');
($status, $output) = deps('check', $debian);
is($status, 1, 'Debian: 1 where something is missing');
like($output, qr/^To get it: make deps$/m, '... make deps gets it, where there is sudo');
($status, $output) = deps('check', $debian, PG_CONFIG => "$debian/pg_config");
like($output, qr/make deps PG_CONFIG=\Q$debian\E/, '... for the PostgreSQL that is named');

my $line = 'apt-get install --no-install-recommends gcc libc6-dev pkg-config libxxhash-dev '
  . 'postgresql-server-dev-17 libipc-run-perl redis-tools';
for my $case ([ 'no sudo', system_with('no_sudo', %debian) ], [ 'nobody who could answer sudo', $debian ])
{
    my ($name, $path) = @$case;
    ($status, $output) = deps('', $path);
    is($status, 1, "$name: 1");
    is(() = $output =~ /^To get it, as root: (?:apt-get update && )?\Q$line\E$/mg, 1, '... and the line for root, once');
    ok(!-e $called, '... nothing was installed');
}
like((deps('check', system_with('no_lists', %debian)))[1], qr/as root: apt-get update && apt-get install/,
    'without lists of packages these come first');

# The packages are those of the stand-in's list, and are not here afterwards.
my $policy = 'case $1 in policy) echo "  Candidate: 1" ;; esac';

# One that speaks the user's language.
my $german = system_with('german', %debian, 'apt-cache' => <<'SH');
case "$1 $LC_ALL" in
    'policy C') echo '  Candidate: 1' ;;
    policy*) echo '  Installationskandidat: 1' ;;
esac
SH
like((deps('check', $german, LANG => 'de_DE.UTF-8', LANGUAGE => 'de'))[1], qr/as root: apt-get install/,
    'what apt-cache says is understood in any language');
for my $case ([ 'root', id => 'echo 0' ], [ 'sudo without a password', sudo => qq{echo sudo >>'$called'; [ \$1 != -n ] || shift; exec "\$@"} ])
{
    my ($name, %programs) = @$case;
    ($status, $output) = deps('', system_with($name, %debian, 'apt-cache' => $policy, %programs));
    my $calls = join '', -e $called ? do { open my $in, '<', $called or die "$called: $!"; <$in> } : ();
    unlink $called;
    like($calls, qr/apt-get .*update\n.*apt-get .*install \Q${\ ($line =~ s{^apt-get install }{}r)}\E$/s,
        "$name: the packages are installed");
    is($calls =~ /^sudo/ ? 1 : 0, $name =~ /^sudo/ ? 1 : 0, '... by whom');
    like("$status $output", qr/^1 .*and still missing:.*a C compiler/s, '... and what is still missing is told');
}

SKIP:
{
    skip 'needs IO::Pty', 2 unless eval { require IO::Pty; 1 };
    my $granted = "$scratch/granted";
    my $path = system_with('asks', %debian, 'apt-cache' => $policy, sudo => qq{
        case "\$1" in
            -v) printf 'password: ' >/dev/tty; read -r word </dev/tty; [ "\$word" = secret ] && : >'$granted' ;;
            *) [ -e '$granted' ] && shift && exec "\$@" ;;
        esac});
    my $said = at_terminal($path, 'secret');
    ok(-e $called, 'sudo that asks at the terminal: the packages are installed');
    unlink $called, $granted;
    $said = at_terminal($path, 'wrong');
    like($said, qr/^To get it, as root: \Q$line\E\r?$/m, '... or the line is told');
}

# What deps prints at a terminal where somebody types one line.
sub at_terminal
{
    my ($path, $typed) = @_;
    my $terminal = IO::Pty->new;
    my $pid = fork() // die "fork: $!\n";
    if (!$pid)
    {
        $terminal->make_slave_controlling_terminal;
        open STDOUT, '>&', $terminal->slave or die "terminal: $!\n";
        open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
        open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
        %ENV = (PATH => $path, HOME => $scratch, TMPDIR => $scratch);
        exec $deps or die "deps: $!\n";
    }
    $terminal->close_slave;
    my $said = '';
    while (sysread $terminal, $said, 4096, length $said)
    {
        syswrite $terminal, "$typed\n" if $said =~ /password: $/;
    }
    waitpid $pid, 0;
    return $said;
}

($status, $output) = deps('check', $debian, PG_CONFIG => '/nosuch');
is("$status $output", "1 deps: /nosuch (PG_CONFIG) does not run\n",
    'a pg_config that is not there');
like((deps('check', system_with('no_17', %debian), PG_CONFIG => '/usr/lib/postgresql/99/bin/pg_config'))[1],
    qr/as root: .*postgresql-99 postgresql-server-dev-99/, '... of Debian\'s packages');

($status, $output) = deps('check test', $debian, CROARING_DIR => '/nosuch');
like($output, qr{^  - CRoaring's sources, in /nosuch }m, 'sources of CRoaring that are not there');

put("$debian/pg_config", qq{#!/bin/sh\ncase \$1 in --version) echo PostgreSQL 13.1 ;; esac\n}, 0755);
($status, $output) = deps('check', $debian, PG_CONFIG => "$debian/pg_config");
is("$status $output", "1 deps: PostgreSQL 13 is too old: 14 or later is needed\n", 'one too old');

SKIP:
{
    skip 'a server of Debian\'s packages is here', 2 if glob '/usr/lib/postgresql/*/bin/postgres';
    ($status, $output) = deps('check', system_with('none', dnf => $note));
    is($status, 1, 'no PostgreSQL: 1');
    like($output, qr/^  - PostgreSQL 14 or later$/m, '... and it is named');
}

# Where CRoaring comes from: the mirror of the system's own release, at the suite with the newest packages.
my %sources = (
    Debian => [ "ID=debian\nVERSION_CODENAME=bookworm\n", 'testing main',
        "deb [signed-by=/keys] http://mirror/debian bookworm main\ndeb http://other/ sid main\n" ],
    Ubuntu => [ "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n", 'devel main universe',
        "deb [signed-by=/keys] http://mirror/ubuntu noble main universe\ndeb http://mirror/ubuntu noble-updates main\n" ],
    'Linux Mint' => [ "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n",
        'devel main universe', "deb http://packages/mint wilma main\ndeb [signed-by=/keys] http://mirror/ubuntu noble main\n" ]);
my $lists = system_with('lists', 'apt-config' => "echo 'list=$scratch/sources.list parts=/nowhere'");
for my $name (sort keys %sources)
{
    my ($release, $suite, $list) = @{ $sources{$name} };
    put("$scratch/os-release", $release);
    put("$scratch/sources.list", $list);
    local $ENV{PATH} = "$lists:$ENV{PATH}";
    my $found =
      qx{bash -c '. "$top/test/harness/debian.sh"; os_release="$scratch/os-release"; debian_sources "\$(newest_suite)" amd64'};
    is(join(' ', $found =~ /^(?:Suites|Components): (.*)$/mg), $suite, "$name: the newest suite");
    like($found, qr{^URIs: http://mirror/\w+\n.*^Signed-By: /keys\n}ms, '... of the mirror of its release, with its key');
    is(() = $found =~ /^URIs:/mg, 1, '... and of no other');
}

ok(!-e $called, 'no package manager was called without need');
done_testing();
