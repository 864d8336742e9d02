# Drivers send arguments as they like: a small number as smallint, others as integer, bigint, numeric or
# text, or without a type. Every public function gets each of its arguments in each of these forms. The
# answer has to be that of an integer; or there is no function, since the type does not go into the argument
# by itself (which is PostgreSQL's rule); or the error has a hint. What differs is listed, with the reason.
#
# The functions and their arguments are asked of the catalog, so a new function is tested by itself.
# PREPARE stands for the protocol: it gives Parse no type where a driver sends the OID 0.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('argument_types', conf => "max_parallel_workers_per_gather = 0\n");
$node->safe_psql('postgres',
    do { local (@ARGV, $/) = ("$FindBin::Bin/lib/argument_types.sql"); <> });

sub rows
{
    my ($sql) = @_;
    return join "\n", sort split /\n/, $node->safe_psql('postgres', $sql);
}

cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM answered WHERE ((f).reply).answer IS NOT NULL'),
    '>', 500, 'most functions have an answer to compare');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM sent'), '>', 3000, '... in many forms');

# ---- nothing is ambiguous ----

my %ambiguous = (
    'a cast of sketches as a function: what has no type could be any of them' => [qw(bytea)],
);
is(rows(q{SELECT DISTINCT name FROM sent WHERE sqlstate = '42725'
          UNION SELECT name FROM untyped WHERE sqlstate = '42725'}),
    join("\n", sort map { @$_ } values %ambiguous), 'ambiguous calls');

# ---- a type that goes into the argument has a function ----

is(rows(<<'SQL'), '', 'functions that are not found, though the type can be cast implicitly');
SELECT name, others, n, sent FROM sent AS s
 WHERE sqlstate = '42883' AND (sent = 'unknown' OR EXISTS (
    SELECT FROM functions AS f
     WHERE f.name = s.name AND cardinality(f.types) = cardinality(s.others)
       AND f.types[:n - 1] = others[:n - 1] AND f.types[n + 1:] = others[n + 1:]
       AND (f.types[n] = sent::regtype OR EXISTS (
            SELECT FROM pg_cast WHERE castcontext = 'i'
               AND (castsource, casttarget) = (rtrim(sent, '[]')::regtype, rtrim(f.types[n]::text, '[]')::regtype)
               AND sent ~ ']' = (f.types[n]::text ~ ']')))))
SQL

# ---- one answer ----

my %differ = (
    'the type decides which bytes are hashed, as in the system that shares the hash' => [ qw(
        hll_datasketches_hash hll_datasketches_postgresql_hash hll_postgresql_hll_hash
        theta_add theta_add_all theta_agg theta_contains) ],
    'items of a topk are texts or numbers, and are returned as such' =>
        [qw(approx_top_count topk_agg topk_weighted_agg)],
    'a number is 60 bits, a text a geohash' => [qw(geohash)],
);
is(rows(<<'SQL'), join("\n", sort map { @$_ } values %differ), 'functions whose answer depends on the type');
SELECT DISTINCT name FROM sent WHERE answer IS NOT NULL
 GROUP BY name, others, n HAVING count(DISTINCT answer) > 1
SQL

# Integers of any width are one item everywhere else.
my @widths = qw(hll_datasketches_postgresql_hash hll_postgresql_hll_hash);
is(rows(<<'SQL'), join("\n", sort @widths), 'functions whose answer depends on the width of an integer');
SELECT DISTINCT name FROM sent WHERE sent ~ '^(smallint|integer|bigint)' AND answer IS NOT NULL
 GROUP BY name, others, n HAVING count(DISTINCT answer) > 1
SQL

# ---- an error says what to write ----

# Where other forms have an answer. A text that is not the text form of a sketch has no cast to name.
is(rows(<<'SQL'), '', 'errors without a hint');
SELECT name, others, n, sent, message FROM sent AS s
 WHERE sqlstate <> '42883' AND coalesce(hint, '') = '' AND sqlstate <> '22P03'
   AND message !~ '^invalid (value of type|digest of)'
   AND EXISTS (SELECT FROM sent AS o WHERE (o.name, o.others, o.n) = (s.name, s.others, s.n) AND o.answer IS NOT NULL)
SQL

# ---- all arguments but sketches without a type, as some drivers send them ----

my %untyped = (
    'the same reasons' => [ map { @$_ } values %differ ],
    'a cast is a function of its type alone: hashed($1) hashes a text' => [qw(hashed)],
    'what has no type is a text, not a bytea' => [qw(cms_add cms_query hll_add hll_add_all hll_try_add)],
);
is(rows(<<'SQL'), join("\n", sort map { @$_ } values %untyped), 'functions that answer otherwise');
SELECT DISTINCT name FROM untyped WHERE answer <> (reply).answer
SQL
is(rows(<<'SQL'), '', 'functions that refuse without a hint');
SELECT name, types, message FROM untyped
 WHERE (reply).answer IS NOT NULL AND answer IS NULL AND coalesce(hint, '') = ''
SQL

done_testing();
