# Databases of other encodings than UTF-8: a text has the same hash in all of them, so that a sketch
# that is moved from one to another answers there as it did.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

my $node = new_server('encodings', schema => undef);

# The texts are written as escapes, which every database reads in its own encoding.
my @DATABASES = qw(UTF8 LATIN1 WIN1252 EUC_JP SQL_ASCII);
for my $encoding (@DATABASES)
{
    $node->safe_psql('postgres',
        "CREATE DATABASE $encoding TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
    $node->safe_psql(lc $encoding, 'CREATE EXTENSION sketches');
}

# The query answers the same in a database as in that of UTF-8, and not NULL.
sub same
{
    my ($encoding, $sql, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $expected = $node->safe_psql('utf8', $sql);
    return isnt($expected, '', $name) && is_query($node, $sql, $expected, "$name: $encoding",
        database => lc $encoding);
}

my %texts = (
    LATIN1 => [ q{U&'\00e9'}, q{U&'Z\00fcrich'}, q{'ASCII'}, q{U&'7\00e9'}, q{''} ],
    WIN1252 => [ q{U&'\20ac'}, q{U&'5 \20ac'} ],
    EUC_JP => [ q{U&'\4e2d'}, q{U&'\4e2d\6587 a'}, q{U&'\ff71'} ],
);
for my $encoding (sort keys %texts)
{
    my $list = join ', ', @{ $texts{$encoding} };
    for my $type (qw(text varchar varchar(20) name char(20)))
    {
        same($encoding, "SELECT array_agg(v::$type\::hashed::text) FROM unnest(ARRAY[$list]) v", $type);
        same($encoding, "SELECT array_agg(h::text) FROM unnest(ARRAY[$list]::$type\[]::hashed[]) h",
            "$type in an array");
    }
    same($encoding, "SELECT hashed(repeat(v, 3000000))::text FROM unnest(ARRAY[$list]) v", 'long texts');

    # Sketches of them, by the overloads for texts and for hashes, of rows and of arrays.
    for my $sketch ("hll_agg(v)", "bloom_agg(v)", "cuckoo_agg(v)", "cms_agg(v)", "theta_agg(v)",
        "hll_agg(v::name)", "bloom_agg(v::char(20))", "cuckoo_agg(v::hashed)", "cms_agg(v::char(20))",
        map { "${_}_add_all(NULL::$_, array_agg(v ORDER BY v COLLATE \"C\"))" } qw(hll bloom cuckoo cms theta))
    {
        same($encoding, "SELECT $sketch\::text FROM unnest(ARRAY[$list]) v", $sketch);
    }
    # topk keeps them, sorted and counted as in UTF-8; hll_datasketches_hash is the libraries'.
    same($encoding, "SELECT topk_agg(v)::text || topk_add_all(NULL, array_agg(v ORDER BY v COLLATE \"C\"))::text ||
         topk_weighted_agg(v, 3)::text FROM unnest(ARRAY[$list]) v", 'topk');
    same($encoding, "SELECT approx_top_k(v, 9) = array_agg(v ORDER BY hashed(v)::text) FROM (SELECT v FROM unnest(ARRAY[$list]) v ORDER BY hashed(v)::text LIMIT 1) s", 'approx_top_k');
    same($encoding, "SELECT count(*) = array_length(ARRAY[$list], 1) AND bool_and(topk_count(t, v) = 1 AND topk_contains(t, v))
         FROM (SELECT topk_agg(v) AS t FROM unnest(ARRAY[$list]) v) s, topk_list(t), unnest(ARRAY[$list]) v WHERE item = v", 'topk_list');
    same($encoding, "SELECT array_agg(hll_datasketches_hash(v) ORDER BY hashed(v)::text) FROM unnest(ARRAY[$list]) v", 'hash of DataSketches');
    same($encoding, "SELECT bool_and(hll_add(hll_datasketches_empty(), v) = hll_add_hash(hll_datasketches_empty(), hll_datasketches_hash(v)))
         FROM unnest(ARRAY[$list]) v", 'hll_add by DataSketches');

    same($encoding, "SELECT hll_add(NULL, v)::text || bloom_add(NULL, v)::text || cuckoo_add(NULL, v)::text
         || cms_add(NULL, v)::text || theta_add(NULL, v)::text FROM unnest(ARRAY[$list]) v", 'adding');

    # A filter made there answers yes here, and one made here there; at 12 items and a rate of 1e-9
    # the others are answered no.
    my $filled = "SELECT bloom_agg(v, 12, 1e-9) FROM unnest(ARRAY[$list]) v";
    for my $way ([ lc $encoding, 'utf8' ], [ 'utf8', lc $encoding ])
    {
        my $filter = $node->safe_psql($way->[0], $filled);
        is_query($node, <<"SQL", 't|t|f|f', "a bloom from $way->[0] in $way->[1]", database => $way->[1]);
SELECT bool_and(f \@> v), bool_and(f \@> v::hashed), bool_or(f \@> (v || '.')), bool_or(f \@> (v || '.')::hashed)
  FROM unnest(ARRAY[$list]) v, (SELECT '$filter'::bloom) t(f)
SQL
    }
}

# Documents. The order of keys is by length in bytes, so it depends on the encoding.
my @documents = (
    '"\u00e9"', '["\u00e9", {"\u00e9": "\u00fc"}, [], {}]', '{"\u00e9": 1, "zz": 2, "a": 3, "\u00fc": null}',
    '{"abc": {"\u00e9\u00e9": [1, "x", {"\u00fc": true, "zz": {"\u00df": 1.50}}]}, "\u00e9\u00e9": 7}',
    '{"a": "ASCII", "bb": [1, 2.5, false, null]}', '7', '{}', '[]');
same('LATIN1', "SELECT hashed('$_'::jsonb)::text", "jsonb $_") for @documents;
is_query($node, <<'SQL', 't', 'different documents', database => 'latin1');
SELECT count(DISTINCT hashed(d)::text) = count(*) FROM unnest(ARRAY['{"\u00e9": 1, "zz": 2}', '{"\u00e9": 2, "zz": 1}',
    '{"\u00fc": 1, "zz": 2}', '["\u00e9", 1, "zz", 2]', '{"\u00e9": {"zz": 1}}']::jsonb[]) d
SQL

# A dump.
$node->safe_psql('latin1', <<'SQL');
CREATE TABLE dumped AS SELECT bloom_agg(v) AS f, hll_agg(v) AS h, topk_agg(v) AS k FROM unnest(ARRAY[U&'\00e9', U&'Z\00fcrich']) v
SQL
my $file = "${PostgreSQL::Test::Utils::tmp_check}/encodings.sql";
$node->command_ok([ 'pg_dump', '-t', 'dumped', '-f', $file, 'latin1' ], 'pg_dump from LATIN1');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, 'utf8' ], '... restored in UTF8');
is_query($node, <<'SQL', 't|t|2|t|1', '... answers', database => 'utf8');
SELECT f @> U&'\00e9', f @> U&'Z\00fcrich', hll_cardinality(hll_add(h, U&'Z\00fcrich')),
       (SELECT array_agg(item ORDER BY item COLLATE "C") FROM topk_list(k)) = ARRAY[U&'Z\00fcrich', U&'\00e9'], topk_count(k, U&'\00e9') FROM dumped
SQL

# An item that has no character there is an error when it is listed, and others of the sketch go on.
my $chinese = $node->safe_psql('utf8', q{SELECT topk_agg(v) FROM unnest(ARRAY[U&'\4e2d', 'a', 'a']) v});
raises($node, '22P05', "SELECT * FROM topk_list('$chinese')", 'topk_list', database => 'latin1');
raises($node, '22P05', "SELECT topk_describe('$chinese')", 'topk_describe', database => 'latin1');
is_query($node, "SELECT topk_count('$chinese', 'a'), topk_total('$chinese')", '2|3', 'topk_count', database => 'latin1');

# What is no UTF-8 is refused, in what encoding the database is; SQL_ASCII has any bytes.
my $ascii = $node->safe_psql('sql_ascii', q{SELECT topk_agg(E'\351'::text)});
raises($node, '22P02', "SELECT '$ascii'::topk", "a topk of any bytes: $_", database => $_) for qw(utf8 latin1);
is_query($node, "SELECT topk_count('$ascii', E'\\351'::text)", '1', '... in SQL_ASCII', database => 'sql_ascii');

# Bytes of no encoding are hashed as they are, here those of UTF-8; and so is bytea everywhere.
is($node->safe_psql('sql_ascii', q{SELECT E'\303\251'::text::hashed}),
    $node->safe_psql('utf8', q{SELECT U&'\00e9'::text::hashed}), 'SQL_ASCII');
same('LATIN1', q{SELECT '\xe9'::bytea::hashed}, 'bytea');

# The hashes of Redis are of the bytes that a client would send, in the encoding of the database.
is_query($node, <<'SQL', 't|t', 'Redis', database => 'latin1');
SELECT h = bytes, hll_add(h, U&'\00e9') = h
  FROM (SELECT hll_redis_agg(U&'\00e9') AS h, hll_redis_agg('\xe9'::bytea) AS bytes) t
SQL

# WIN1252 has bytes that are no character.
raises($node, '22P05', 'SELECT chr(129)::text::hashed', 'no such character', database => 'win1252');

$node->stop;

done_testing();
