# A made-up version 1.1 beside 1.0: libraries and scripts that do not belong together, a downgrade, a
# replica whose library is the older one, and a rollup that goes on through all of it.
#
# 1.1 is what is installed, with a function that 1.0 lacks. The library of 1.0 is the installed one in
# which that function's symbol has another name, and the script of 1.0 is the installed one without
# the function. So the two libraries differ as those of two versions do: the newer has what the
# older has, and more.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PrivatePostgres;
use SketchTest;
use Test::More;

my ($old, $new) = qw(1.0 1.1);
my $symbol = 'sketches_topk_describe';
my %private = map { $_ => private_postgres(PostgreSQL::Test::Utils::tempdir()) } qw(primary standby);

# ---- the two versions ----------------------------------------------------------------------------

my $extension = $private{primary}{extension};
my $control = slurp_file("$extension/sketches.control");
my ($installed) = $control =~ /^default_version\s*=\s*'(.*)'/m;
my $script = slurp_file("$extension/sketches--$installed.sql");
my ($added) = $script =~ /^(CREATE FUNCTION topk_describe\(.*?;\nCOMMENT ON FUNCTION .*?;\n)/ms
  or die 'topk_describe is not where it was';
(my $old_script = $script) =~ s/\Q$added\E//;
my $guard = "\\echo Use \"ALTER EXTENSION sketches UPDATE\" to load this file. \\quit\n";

my ($library) = grep { -e } map { "$private{primary}{library}/sketches.$_" } qw(so dylib);
my $new_library = slurp_file($library);
(my $other = $symbol) =~ s/describe$/unborn__/;
(my $old_library = $new_library) =~ s/\Q$symbol\E/$other/g;

for my $name (keys %private)
{
    my $of = $private{$name};
    unlink glob "$of->{extension}/sketches*";
    (my $versioned = $control) =~ s/^default_version.*/default_version = '$new'/m;
    put("$of->{extension}/sketches.control", $versioned);
    put("$of->{extension}/sketches--$old.sql", $old_script);
    put("$of->{extension}/sketches--$new.sql", $script);
    put("$of->{extension}/sketches--$old--$new.sql", "$guard$added");
}

sub put
{
    my ($path, $content) = @_;
    unlink $path;
    open my $out, '>:raw', $path or die "$path: $!";
    print $out $content;
    close $out or die "$path: $!";
    return;
}

# Installs a library; sessions that begin later have it, as after an update of the packages.
sub library
{
    my ($name, $content) = @_;
    (my $file = $library) =~ s{.*/}{};
    put("$private{$name}{library}/$file.new", $content);
    chmod 0755, "$private{$name}{library}/$file.new";
    rename "$private{$name}{library}/$file.new", "$private{$name}{library}/$file" or die "$file: $!";
    return;
}

library($_, $old_library) for keys %private;

my $primary = PostgreSQL::Test::Cluster->new('primary', install_path => $private{primary}{install_path});
$primary->init(allows_streaming => 1, extra => [qw(--locale=C --encoding=UTF8)]);
$primary->append_conf('postgresql.conf', "timezone = UTC\njit = off\nautovacuum = off\n");
$primary->start;

sub version_is
{
    my ($node, $version, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is_query($node, "SELECT extversion FROM pg_extension WHERE extname = 'sketches'", $version, $name);
}

# ---- a library older than the script -------------------------------------------------------------

raises($primary, '42883', "CREATE EXTENSION sketches VERSION '$new'",
    "script $new, library $old: not created", after => 'SELECT count(*) FROM pg_extension WHERE extname <> \'plpgsql\';',
    output => '0');
$primary->safe_psql('postgres', <<"SQL");
CREATE EXTENSION sketches VERSION '$old';
CREATE TABLE rollup AS SELECT i % 10 AS page, topk_agg(i % 7) AS top, hll_agg(i) AS visitors
    FROM generate_series(1, 1000) i GROUP BY 1;
CREATE INDEX ON rollup USING hash (visitors);
CREATE TABLE events (at date NOT NULL, who int NOT NULL);
SELECT rollup_create('daily', 'SELECT at, count(*) AS hits, hll_agg(who) AS visitors FROM events GROUP BY at');
INSERT INTO events SELECT date '2026-01-01' + i % 9, i FROM generate_series(1, 900) i;
SELECT rollup_refresh('daily');
SQL
# Rows, a deleted one and one that changes, then the view beside its query.
my $follows = <<'SQL';
INSERT INTO events SELECT date '2026-01-01' + i % 12, i * 7 FROM generate_series(1, 90) i;
DELETE FROM events WHERE who = (SELECT min(who) FROM events);
UPDATE events SET at = at + 1 WHERE who = (SELECT max(who) FROM events);
SQL
my $equal = <<'SQL';
SELECT count(*) > 8, count(*) FILTER (WHERE r IS DISTINCT FROM q)
FROM (SELECT at, hits, hll_cardinality(visitors) AS visitors FROM daily) AS r
    FULL JOIN (SELECT at, count(*) AS hits, approx_count_distinct(who) AS visitors FROM events GROUP BY at) AS q
    USING (at, hits, visitors)
SQL
my $content = 'SELECT md5(string_agg(r::text, \' \' ORDER BY r::text)), hll_cardinality(hll_union_agg(visitors)) > 900 FROM rollup r';
my $before = $primary->safe_psql('postgres', $content);
raises($primary, '42883', 'ALTER EXTENSION sketches UPDATE', '... not updated', after => "$content;",
    output => $before);
version_is($primary, $old, '... which leaves the version as it was');

# ---- a replica -----------------------------------------------------------------------------------

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby', install_path => $private{standby}{install_path});
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
is_query($standby, $content, $before, 'a replica of it');

# ---- a library newer than the script -------------------------------------------------------------

library('primary', $new_library);
is_query($primary, $content, $before, "library $new, script $old: all goes on");
$primary->safe_psql('postgres', $follows);
is_query($primary, $equal, 't|0', '... a rollup of before, too');
raises($primary, '42883', 'SELECT topk_describe(top) FROM rollup', '... and what is new is not there yet');
raises($primary, '22023', 'ALTER EXTENSION sketches UPDATE TO \'0.9\'', 'no update to a version that never was');

$primary->safe_psql('postgres', 'ALTER EXTENSION sketches UPDATE');
version_is($primary, $new, "updated to $new");
my $describes = 'SELECT count(topk_describe(top)) FROM rollup';
is_query($primary, $describes, 10, '... and what is new works');
is_query($primary, $content, $before, '... what was stored is as it was');
$primary->safe_psql('postgres', $follows);
is_query($primary, $equal, 't|0', '... the rollup follows its table');
is_query($primary, 'SELECT (rollup_status(\'daily\')).problem IS NULL, rollup_refresh(\'daily\') > 0, count(*) FROM rollup_check(\'daily\')',
    't|t|0', '... and nothing is wrong with it');
is_query($primary, 'SELECT rollup_repair(\'daily\') IS NOT NULL', 't', '... made anew by the new version');
$primary->safe_psql('postgres', $follows);
is_query($primary, $equal, 't|0', '... it follows its table, too');

raises($primary, '22023', "ALTER EXTENSION sketches UPDATE TO '$old'", 'no way back');
version_is($primary, $new, '... the version stays');

# ---- the replica's library is the older one ------------------------------------------------------

$primary->safe_psql('postgres', 'INSERT INTO rollup SELECT 11, topk_agg(i), hll_agg(i) FROM generate_series(1, 9) i');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
version_is($standby, $new, "a replica with library $old: the update arrives");
is_query($standby, $content, $primary->safe_psql('postgres', $content), '... all that was there before goes on');
is_query($standby, $equal, 't|0', '... the rollup, too');
raises($standby, '42883', $describes, '... what is new raises an error', after => "$content;",
    output => $primary->safe_psql('postgres', $content));
library('standby', $new_library);
is_query($standby, $describes, 11, '... until its library is the newer one, for new sessions');

$standby->promote;
is_query($standby, $describes, 11, '... and promoted');
$standby->safe_psql('postgres', 'ALTER EXTENSION sketches UPDATE');
version_is($standby, $new, '... there is nothing left to update');

done_testing();
