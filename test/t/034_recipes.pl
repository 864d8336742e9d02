# Recipes: each is complete by itself, panels of Grafana get what their page says, and a job that is meant for sessions
# that overlap is run so.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('recipes');

# ---- each recipe needs the setup, and no other recipe ----

my $recipes = do { local (@ARGV, $/) = ("$FindBin::Bin/../../doc/recipes.md"); <> };
my ($setup, @sections) = grep { $_->{sql} } map { { heading => /\A(.*)/, text => $_, sql => join("\n", /^```sql\n(.*?)^```$/msg) } }
  split /^## /m, $recipes;
is($setup->{heading}, 'Setup', 'the first statements are the setup');
$node->safe_psql('postgres', 'CREATE DATABASE setup');
$node->safe_psql('setup', "CREATE EXTENSION sketches; $setup->{sql}");
my @broken;
for my $i (0 .. $#sections)
{
    $node->safe_psql('postgres', "CREATE DATABASE recipe_$i TEMPLATE setup");
    my ($status, undef, $err) = $node->psql("recipe_$i", $sections[$i]{sql}, on_error_stop => 1);
    push @broken, "$sections[$i]{heading}: $err" if $status;
}
cmp_ok(scalar @sections, '>', 15, 'there are recipes');
is(join("\n", @broken), '', '... each of which runs after the setup alone');

# ---- what Grafana makes of its macros, as its documentation says ----

my ($panels) = grep { $sections[$_]{text} =~ /^SELECT \$__/m } 0 .. $#sections;
my @panels = $sections[$panels]{text} =~ /^```\n(SELECT \$__.*?)^```$/msg;
cmp_ok(scalar @panels, '>', 0, 'there is a panel');
for my $panel (@panels)
{
    my $expanded = $panel =~ s/\$__interval\b/6h/gr;
    $expanded =~ s/\$__timeGroupAlias\((\w+), *6h\)/floor(extract(epoch from $1)\/21600)*21600 AS "time"/g;
    $expanded =~ s/\$__timeFilter\((\w+)\)/$1 BETWEEN '2026-03-28T00:00:00Z' AND '2026-03-29T23:59:59Z'/g;
    unlike($expanded, qr/\$/, 'no macro is left');
    isnt($node->safe_psql("recipe_$panels", $expanded), '', '... the panel has points');
}

# ---- a rollup that a job keeps up to date ----
#
# The statements are the page's. Its count of events shows rows that are merged twice, and rows that are
# never merged. A reader of the view, the rollup and its real-time tail, always finds every row that it sees in
# the table, while jobs and writers go on.

my $page = do { local (@ARGV, $/) = ("$FindBin::Bin/../../doc/rollups-by-hand.md"); <> };
$node->safe_psql('postgres', $page =~ /$_/ms ? $1 : die "no recipe $_")
  for '^(CREATE TABLE stream .*?^END \$\$;)$', '^(CREATE VIEW stream_day_now .*?^GROUP BY day;)$';

my $call = 'SELECT roll_up_stream();';
my $event = "INSERT INTO stream VALUES ('2026-03-01 12:00+00', md5('1')::uuid, 1);";
my ($writer, $first, $second) = map { $node->background_psql('postgres') } 1 .. 3;

# The writer is in progress when the second call begins, and the first one has the lock by then. When the
# second call gets it, the first has merged the writer's row.
$node->safe_psql('postgres', $event) for 1 .. 3;
$writer->query_safe("BEGIN; $event");
$first->query_safe('BEGIN; SELECT upto FROM watermark FOR UPDATE;');
$second->query_until(qr/begun/, "\\echo begun\n$call\n\\echo ended\n");
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%roll_up_stream%' AND pid <> pg_backend_pid()})
  or die 'the second call does not wait';
$writer->query_safe('COMMIT;');
$node->safe_psql('postgres', $event) for 1 .. 3;
$first->query_safe("$call COMMIT;");
$second->query_until(qr/ended/, "\n");
$_->quit for $writer, $first, $second;
$node->safe_psql('postgres', $call) for 1 .. 2;
is_query($node, 'SELECT sum(requests), (SELECT count(*) FROM stream) FROM stream_day', '7|7',
    'overlapping calls merge every row once');

# Many calls and writers at once.
my @sessions = map { $node->background_psql('postgres') } 1 .. 6;
for my $i (0 .. $#sessions)
{
    my $statements = $i % 2 ? $call : "BEGIN; $event SELECT pg_sleep(0.003); $event COMMIT;";
    $sessions[$i]->query_until(qr/begun/, "\\echo begun\n" . "$statements\n" x 60 . "\\echo ended\n");
}
my $tail = 'SELECT sum(requests) - (SELECT count(*) FROM stream) FROM stream_day_now';
is_query($node, "$tail;\n" x 40, join("\n", (0) x 40), 'the tail has what the rollup has not, and nothing else');
$_->query_until(qr/ended/, "\n") for @sessions;
$_->quit for @sessions;
$node->safe_psql('postgres', $call);
is_query($node, 'SELECT sum(requests), (SELECT count(*) FROM stream) FROM stream_day', '367|367',
    '... also under load');

done_testing();
