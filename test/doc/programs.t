#!/usr/bin/env perl
#
# The programs of doc/examples print what doc/drivers.md, and of one doc/recipes.md, shows of them: the ```text block after
# the link to each. What those pages show of a program itself is in it. A program whose client is not installed is
# skipped (make client-deps).

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path getcwd);
use File::Temp qw(tempdir);
use FindBin;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use JSON::PP qw(decode_json);
use POSIX ();
use Test::More;

use lib $FindBin::Bin;
use Pages;

if (!$ENV{SKETCHES_DOC_SERVER})
{
    $ENV{SKETCHES_DOC_SERVER} = 1;
    exec 'test/harness/with-server', '--', $^X, $0, @ARGV or die "with-server: $!";
}

my $examples = abs_path('doc/examples');
my $scratch = tempdir(CLEANUP => 1);
my $page = read_file('doc/drivers.md') . read_file('doc/recipes.md');
my ($python) = grep { works($_, '-c', 'import psycopg') } qw(python3 /usr/bin/python3);
$python //= 'python3';
my ($jar) = grep { -e } '/usr/share/java/postgresql.jar';
my $modules = abs_path('build/node/node_modules');
my @children;

END
{
    my $status = $?;
    kill 'TERM', @children;
    waitpid $_, 0 for @children;
    $? = $status;
}

# The order in which workers end is in the last digits of a tdigest.
$ENV{PGOPTIONS} = '-c max_parallel_workers_per_gather=0';
system('createdb shop') == 0 or die "createdb\n";
$ENV{PGDATABASE} = 'shop';
system("psql -XqAt -v ON_ERROR_STOP=1 -f '$examples/shop.sql' >/dev/null") == 0 or die "shop.sql\n";

my %needs = (
    python_psycopg => 'psycopg',
    python_pandas => 'psycopg2, sqlalchemy, pandas, matplotlib',
    python_sqlalchemy => 'psycopg2, sqlalchemy',
    node_pg => "'pg'",
    'read_elsewhere.mjs' => "'pg', 'roaring-wasm', '\@datadog/sketches-js'",
    'read_elsewhere.py' => 'psycopg, redis',
    'redis_move.py' => 'psycopg, redis');

runs("$_.py", $python, "$_.py") for grep { can_import($_) } qw(python_psycopg python_pandas python_sqlalchemy);
ok(-s "$scratch/users.png", 'pandas has drawn') if can_import('python_pandas', 1);
runs('node_pg.mjs', 'node', 'node_pg.mjs') if can_node('node_pg');
if (!$jar || !works('javac', '-version')) { skipped('Jdbc.java', 'the JDBC driver and a JDK') }
else
{
    my $port = forwarded_port();
    runs('Jdbc.java', 'java', '-cp', $jar, 'Jdbc.java', "jdbc:postgresql://127.0.0.1:$port/shop?user=postgres&options=-cmax_parallel_workers_per_gather=0");
}
runs('read_elsewhere.mjs', 'node', 'read_elsewhere.mjs') if can_node('read_elsewhere.mjs');
if (can_import('read_elsewhere.py'))
{
    if (start_redis()) { runs('read_elsewhere.py', $python, 'read_elsewhere.py') }
    else { skipped('read_elsewhere.py', 'a redis-server') }
}
if (can_import('redis_move.py'))
{
    $ENV{REDIS_URL} = 'unix://' . recorded_redis();
    runs('redis_move.py', $python, 'redis_move.py');
}
my @there = map { s{.*/}{}r } glob "$examples/*.py $examples/*.mjs $examples/*.java";
is(join(' ', grep { $page !~ /\(examples\/\Q$_\E\)/ } @there), '', 'the page shows every program');
is_in_it($_) for @there;
done_testing();

sub works { return system(join(' ', map { "'" . s/'/'\\''/gr . "'" } @_) . ' >/dev/null 2>&1') == 0 }

sub skipped
{
    my ($name, $what) = @_;
  SKIP: { skip "$name needs $what (make client-deps)", 1 }
    return 0;
}

sub can_import
{
    my ($name, $quiet) = @_;
    return 1 if works($python, '-c', "import $needs{$name}");
    return $quiet ? 0 : skipped($name, $needs{$name});
}

sub can_node
{
    my ($name) = @_;
    symlink $modules, "$scratch/node_modules" if $modules && !-e "$scratch/node_modules";
    my $import = join ' ', map { "await import($_);" } split /, /, $needs{$name};
    return 1 if works('sh', '-c', "cd '$scratch' && node --input-type=module -e \"$import\"");
    return skipped($name, $needs{$name});
}

# Runs a copy in the scratch directory, where node finds its modules, and pandas writes its picture.
sub runs
{
    my ($name, @command) = @_;
    system('cp', "$examples/$name", $scratch) == 0 or die "cp $name\n";
    my $said = `cd '$scratch' && @{[ map { "'$_'" } @command ]} 2>&1`;
    is($?, 0, "$name runs");
    my ($shown) = $page =~ /\(examples\/\Q$name\E\).*?^```text\n(.*?)^```/ms;
    utf8::decode($said);
    is(lines($said), lines($shown // 'nothing'), '... and prints what the page shows');
    return;
}

# Every line of the block between the link to a program and the next link to one or heading.
sub is_in_it
{
    my ($name) = @_;
    my ($after) = $page =~ /\(examples\/\Q$name\E\)(.*?)(?=\(examples\/|^## |\z)/ms;
    my ($shown) = ($after // '') =~ /^```(?:python|javascript|java)\n(.*?)^```/ms or return;
    my %line = map { s/^\s+|\s+$//gr => 1 } split /\n/, read_file("doc/examples/$name");
    is(join("\n", grep { /\S/ && !$line{ s/^\s+|\s+$//gr } } split /\n/, $shown), '', "$name has what the page shows of it");
    return;
}

sub lines { return join "\n", map { s/\s+$//r } split /\n/, $_[0] }

# A port of this machine that leads to the server's socket, for JDBC, which knows no other way; to one connection.
sub forwarded_port
{
    my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1, Proto => 'tcp') or die "listen: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid)
    {
        push @children, $pid;
        return $listener->sockport;
    }
    my $client = $listener->accept;
    my $server = IO::Socket::UNIX->new(Peer => "$ENV{PGHOST}/.s.PGSQL.$ENV{PGPORT}") or POSIX::_exit(1);
    my %other = ($client => $server, $server => $client);
    my $both = IO::Select->new($client, $server);
    while (my @ready = $both->can_read)
    {
        for my $from (@ready)
        {
            sysread($from, my $bytes, 1 << 16) or POSIX::_exit(0);
            while (length $bytes)
            {
                my $written = syswrite($other{$from}, $bytes) or POSIX::_exit(1);
                substr $bytes, 0, $written, '';
            }
        }
    }
    POSIX::_exit(0);
}

sub start_redis
{
    my ($program) = grep { -x } map { "$_/redis-server" } split(/:/, $ENV{PATH}), getcwd() . '/build/bin' or return;
    my $pid = fork // die "fork: $!\n";
    if (!$pid)
    {
        open STDOUT, '>', '/dev/null';
        exec $program, qw(--port 0 --save), '', '--dir', $scratch, '--unixsocket', "$scratch/redis.sock" or POSIX::_exit(1);
    }
    push @children, $pid;
    $ENV{REDIS_URL} = "unix://$scratch/redis.sock";
    for (1 .. 100) { return 1 if -S "$scratch/redis.sock"; select undef, undef, undef, 0.1 }
    return;
}

# A server that says to SCAN, TYPE, GETRANGE and DUMP what a Redis 8 with RedisBloom said, from the recorded payloads: that
# module is not packaged.
sub recorded_redis
{
    my %type = (bloom => 'MBbloom--', cms => 'CMSk-TYPE', tdigest => 'TDIS-TYPE', topk => 'TopK-TYPE', hll => 'string');
    my %key;
    for my $file (qw(redis_bloom.jsonl.gz redis_counts.jsonl.gz redis_tdigest.jsonl))
    {
        for (split /\n/, $file =~ /gz$/ ? `gzip -dc test/data/$file` : read_file("test/data/$file"))
        {
            my $of = decode_json($_);
            next if $of->{name} !~ /^(?:tiny|usual|grown|few|uniform)$/ || $of->{kind} eq 'topk' && $of->{name} ne 'tiny';
            $key{"$of->{kind}:$of->{name}"} = [ $type{ $of->{kind} }, pack('H*', $of->{dump}), '' ];
        }
    }
    my $hyll = '48594c4c01000000000000000000008060f38050b1844bfb80425a';
    $key{'hll:few'} = [ 'string', pack('H*', "001b${hyll}0c00542f38c64c63ee00"), pack('H*', $hyll) ];
    $key{'session'} = [ 'string', undef, 'not a sketch' ];
    my $path = "$scratch/recorded.sock";
    my $listener = IO::Socket::UNIX->new(Local => $path, Listen => 5) or die "$path: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid)
    {
        push @children, $pid;
        return $path;
    }
    my $client = $listener->accept;
    binmode $client;
    my $bulk = sub { defined $_[0] ? '$' . length($_[0]) . "\r\n$_[0]\r\n" : "\$-1\r\n" };
    while (defined(my $line = <$client>))
    {
        my ($n) = $line =~ /^\*(\d+)/ or POSIX::_exit(1);
        my @words = map { my ($length) = <$client> =~ /(\d+)/; read $client, my $word, $length + 2; substr $word, 0, $length } 1 .. $n;
        my $command = uc $words[0];
        my $of = $key{ $words[1] // '' };
        print $client $command eq 'SCAN' ? "*2\r\n" . $bulk->('0') . '*' . keys(%key) . "\r\n" . join('', map { $bulk->($_) } sort keys %key)
          : $command eq 'TYPE' ? "+$of->[0]\r\n"
          : $command eq 'GETRANGE' ? $bulk->(substr $of->[2], 0, 4)
          : $command eq 'DUMP' ? $bulk->($of->[1])
          : "+OK\r\n";
        $client->flush;
    }
    POSIX::_exit(0);
}
