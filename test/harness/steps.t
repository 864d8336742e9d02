#!/usr/bin/env perl
#
# No aggregate is quadratic: the work of 16,000 small values is at most a little more than four times that of
# 4,000. Work is counted in steps of a library that is built for it (steps.c), not in seconds; a quadratic
# aggregate makes 16 times as many.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

use constant {
    ROWS => [ 1000, 4000, 16000 ],
    # 4 for what is linear, 4.6 with a logarithm; states that double may do so in one of the stretches only.
    MOST => 8,
};

my $top = dirname(dirname(dirname(abs_path(__FILE__))));
my $build = $ENV{STEPS_BUILD} // tempdir(CLEANUP => 1);
chmod 0755, $build;
my $make = $ENV{MAKE} // 'make';
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my @count = qw(memcpy memmove memset);
chomp(my $headers = `$pg_config --includedir-server`);

# With STEPS_BUILD=directory the library of an earlier run is used again.
# Steps of what is compiled with this flag; copies are calls, so that they can be counted, too.
if (!-f "$build/sketches.so")
{
    run("cc -O1 -fPIC -I'$headers' -c -o '$build/steps.o' '$top/test/harness/steps.c'");
    run("cd '$top' && tar cf - --exclude='*.o' --exclude='*.bc' --exclude='*.d' Makefile *.control src test/harness | tar xf - -C '$build'");
    run("cd '$build' && $make -s with_llvm=no all \\
        COPT='-fsanitize-coverage=trace-pc @{[ map { qq(-fno-builtin-$_) } @count ]}' \\
        SHLIB_LINK='-lm $build/steps.o @{[ map { qq(-Wl,--wrap=$_) } @count ]}'");
    run("cp '$top'/croaring-library/*.so '$build/'") if -d "$top/croaring-library";
}
ok(-f "$build/sketches.so", 'a library that counts its steps') or BAIL_OUT('no library');

# A value of each type, by the number of its row; parameters have a name instead.
my %value = (
    'smallint' => '(i % 30000)::smallint', 'integer' => 'i', 'bigint' => 'i::bigint', 'double precision' => 'i::float8',
    'text' => q{'item ' || i}, 'bytea' => q{('item ' || i)::bytea}, 'hashed' => 'i::hashed',
    'hll' => 'hll_add(NULL, i)', 'theta' => 'theta_add(NULL, i)', 'tdigest' => 'tdigest_add(NULL, i)',
    'ddsketch' => 'ddsketch_add(NULL, i)', 'topk' => 'topk_add(NULL, i::bigint)', 'cms' => 'cms_add(cms_by_dim(50, 3), i)',
    'bloom' => 'bloom_add(bloom_empty(100000), i)', 'cuckoo' => 'cuckoo_add(cuckoo_empty(), i)',
    'roaring' => 'roaring(ARRAY[i])', 'roaring64' => 'roaring64(ARRAY[i])',
    'bitfield' => 'bitfield_set_bit(bitfield_empty(), i % 1000, true)',
);
my %parameter = (
    p => 12, precision => 12, lgk => 10, log2m => 11, capacity => 100, error_rate => 0.01, fingerprint_bits => 16, k => 10,
    compression => 100, relative_error => 0.01, error => 0.01, probability => 0.01, weight => 3, q => { 'double precision' => 0.5,
        'double precision[]' => q{'{0.5,0.9}'} }, hash => 'hll_datasketches_hash(i)', tag => q{'a'}, tags => q{'{a,b}'},
);

my $script = <<"SQL";
CREATE EXTENSION sketches;
UPDATE pg_proc SET probin = '$build/sketches' WHERE probin IN ('sketches', '\$libdir/sketches');
CREATE FUNCTION steps() RETURNS bigint VOLATILE LANGUAGE c AS '$build/sketches', 'steps_made';
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SQL
my $types = join ', ', map { "$value{$_} AS v_$_" } grep { !/^(smallint|integer|bigint|double precision|text|bytea|hashed)$/ } sort keys %value;
my $most = ROWS->[-1];
$script .= "CREATE TABLE part AS SELECT i, $types FROM generate_series(1, $most) AS i;\n";

my @aggregates = map { [ split /\|/, $_, -1 ] } split /\n/, psql(<<'SQL');
CREATE EXTENSION sketches;
SELECT p.oid::regprocedure, p.proname, array_to_string(ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, n) ORDER BY n), ','),
       array_to_string(p.proargnames, ',')
  FROM pg_proc AS p JOIN pg_depend AS d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
 WHERE p.prokind = 'a' ORDER BY 1;
SQL
cmp_ok(scalar @aggregates, '>', 90, 'aggregates');
for my $aggregate (@aggregates)
{
    my ($signature, $name, $types, $names) = @$aggregate;
    my @types = split /,/, $types;
    my @names = split /,/, $names;
    my @arguments = map {
        my $known = $parameter{ $names[$_] // '' };
        $known = $known->{ $types[$_] } if ref $known;
        $known // (exists $value{ $types[$_] } && $types[$_] !~ /^(smallint|integer|bigint|double precision|text|bytea|hashed)$/
            ? "v_$types[$_]" : $value{ $types[$_] }) // die "$signature: what is $types[$_]?\n";
    } 0 .. $#types;
    for my $rows (@{ +ROWS })
    {
        $script .= "SELECT steps() AS before \\gset\nSELECT $name(" . join(', ', @arguments)
          . ") IS NULL AS x FROM part WHERE i <= $rows \\gset\nSELECT '$signature' || '|' || $rows || '|' || (steps() - :before);\n";
    }
}
my %steps;
my $output = psql($script);
$steps{$1}{$2} = $3 while $output =~ /^([^|\n]+)\|(\d+)\|(\d+)$/mg;

for my $aggregate (@aggregates)
{
    my ($few, $more, $many) = @{ $steps{ $aggregate->[0] } // {} }{ @{ +ROWS } };
    my $ratio = $many ? ($many - $more) / (($more - $few) || 1) : 'none';
    ok($many && $ratio <= MOST, "$aggregate->[0]: " . ($many ? sprintf('%.1f times', $ratio) : 'not measured'))
      or diag('steps: ', join ', ', map { $_ // 'none' } $few, $more, $many);
}

sub run
{
    my ($command) = @_;
    my $output = `($command) 2>&1`;
    is($?, 0, 'built') or diag($output);
    return;
}

sub psql
{
    my ($sql) = @_;
    open my $out, '>', "$build/script.sql" or die "$build: $!\n";
    print $out $sql;
    close $out;
    my $output = `'$top/test/harness/with-server' -- psql -XAtq -f '$build/script.sql' 2>&1`;
    diag($output =~ /^.*ERROR.*$/m ? $& : $output) if $? || $output =~ /ERROR/;
    return $output;
}

done_testing();
