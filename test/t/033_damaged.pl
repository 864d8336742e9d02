# Damaged pages: bytes of stored sketches that are not what was written. Every function gets them, and
# answers or refuses; no process may end by it. A cast that a superuser makes WITHOUT FUNCTION stands
# for the page: a value that nobody checked.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use SketchTest;
use Test::More;

# A run is the same every time. Another number in SKETCHES_SEED makes another one.
use constant { RUNS => 3, ROUNDS => 3 };
my $seed = $ENV{SKETCHES_SEED} // 1;

my $node = new_server('damaged', conf => "max_parallel_workers_per_gather = 0\n");

my $encodings = join '', map {
    my ($type, $name, $bytes) = split /\t/;
    "INSERT INTO value VALUES ('$type', '\\x$bytes', '$name');\n"
} split /\n/, PostgreSQL::Test::Utils::slurp_file("$FindBin::Bin/../data/encodings.tsv");
$node->safe_psql('postgres', <<'SQL' =~ s/^ENCODINGS$/$encodings/mr);
CREATE TYPE damaged;
CREATE FUNCTION damaged_in(cstring) RETURNS damaged LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
CREATE FUNCTION damaged_out(damaged) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
CREATE TYPE damaged (INPUT = damaged_in, OUTPUT = damaged_out, LIKE = bytea);

-- Large values, most of them out of line.
CREATE TABLE value AS
    WITH n(n) AS (VALUES (300), (9000)), i AS (SELECT n, generate_series(1, n) AS i FROM n)
    SELECT 'hll' AS type, hll_agg(i)::bytea AS bytes, NULL AS name FROM i GROUP BY n
    UNION ALL SELECT 'tdigest', tdigest_agg(sqrt(i))::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'bloom', bloom_agg(i)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'bloom', bloom_add_all(bloom_empty(100), array_agg(i))::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'cuckoo', cuckoo_agg(i)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'cms', cms_agg(i % 500)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'cms', cms_agg(i)::bytea, NULL FROM i WHERE n = 9000
    UNION ALL SELECT 'topk', topk_agg('item' || i % 50, 10)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'topk', topk_agg(i % 500, 100)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'roaring', roaring_agg(i * 7)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'roaring', roaring_agg(i)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'roaring64', roaring64_agg(i * 70000007::bigint)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'roaring64', roaring64_range(4294967290, 4295100000)::bytea, NULL
    UNION ALL SELECT 'ddsketch', ddsketch_agg(sqrt(i))::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'theta', theta_agg(i)::bytea, NULL FROM i GROUP BY n
    UNION ALL SELECT 'ratelimit', ratelimit_bucket(5, 10, '1 min')::bytea, NULL
    UNION ALL SELECT 'ratelimit', ratelimit_sliding(5, '1 min')::bytea, NULL;
-- One of each encoding and hash function, as the damage program of src/core has them.
ENCODINGS
DO $$
DECLARE
    type text;
BEGIN
    FOR type IN SELECT DISTINCT v.type FROM value v LOOP
        EXECUTE format('CREATE CAST (damaged AS %s) WITHOUT FUNCTION', type);
    END LOOP;
END $$;

-- What is tried with a value of a type: %1$L are the bytes of the damaged one, %2$L those of a good one.
CREATE TABLE call AS
    WITH argument(type, given) AS (VALUES
        ('bigint', '5::bigint'), ('integer', '5'), ('double precision', '0.5::float8'),
        ('boolean', 'true'), ('text', '''AND'''), ('hashed', '5::bigint::hashed'),
        ('double precision[]', 'ARRAY[0.1, 0.9]::float8[]'), ('text[]', 'ARRAY[''item1'']'),
        ('bigint[]', 'ARRAY[1, 5, 70000]::bigint[]'), ('hashed[]', 'ARRAY[5::bigint::hashed]'),
        ('timestamptz', '''2026-01-01''::timestamptz')),
    given AS (
        SELECT t.type, p.oid,
               format('%I(%s)', p.proname,
                      string_agg(CASE WHEN a.type = t.type::regtype THEN '%1$L::damaged::' || t.type
                                      WHEN a.type = (t.type || '[]')::regtype THEN
                                          'ARRAY[%1$L::damaged, %2$L::damaged]::' || t.type || '[]'
                                      ELSE (SELECT given FROM argument g WHERE g.type::regtype = a.type)
                                 END, ', ' ORDER BY a.n)) AS function,
               count(*) FILTER (WHERE a.type = t.type::regtype OR a.type = (t.type || '[]')::regtype
                                   OR a.type IN (SELECT g.type::regtype FROM argument g)) AS known,
               p.pronargs, p.prokind
          FROM (SELECT DISTINCT type FROM value) t, pg_depend d, pg_proc p,
               unnest(p.proargtypes) WITH ORDINALITY AS a(type, n)
         WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
           AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.objid = p.oid
           AND p.provolatile <> 'v' AND p.prorettype <> 'cstring'::regtype
           AND t.type::regtype = ANY (p.proargtypes)
         GROUP BY t.type, p.oid, p.proname, p.pronargs, p.prokind
    )
    SELECT type, format('SELECT %s', function) AS query
      FROM given WHERE known = pronargs AND prokind = 'f'
    UNION ALL
    SELECT type, format('SELECT %s FROM (VALUES (%%1$L::damaged::%s), (%%2$L::damaged::%s)) AS v(v)',
                        regexp_replace(function, '%1\$L::damaged::' || type, 'v'), type, type)
      FROM given WHERE known = pronargs AND prokind = 'a'
    UNION ALL
    SELECT type, format('SELECT %%2$L::damaged::%1$s %2$s %%1$L::damaged::%1$s', type, operator)
      FROM (SELECT DISTINCT type FROM value) t, unnest(ARRAY['|', '&', '#', '-', '=']) AS operator
    UNION ALL
    SELECT type, format('SELECT (%%1$L::damaged::%s)::text', type)
      FROM (SELECT DISTINCT type FROM value) t;

-- Damages a copy of every value in one to three bytes, most of them near the front, and tries all that
-- can be done with it. Returns how often there was an answer, and how often a refusal.
CREATE FUNCTION damage(seed float8, rounds int) RETURNS TABLE (answers int, refusals int)
LANGUAGE plpgsql AS $$
DECLARE
    good value;
    bad bytea;
    query text;
    places text;
    place int;
BEGIN
    PERFORM setseed(seed);
    answers := 0;
    refusals := 0;
    FOR round IN 1 .. rounds LOOP
        FOR good IN SELECT * FROM value ORDER BY type, bytes LOOP
            bad := good.bytes;
            places := '';
            FOR i IN 1 .. 1 + floor(random() * 3)::int LOOP
                place := floor(random() * CASE WHEN random() < 0.1 THEN 1
                                               WHEN random() < 0.5 THEN least(length(bad), 64)
                                               ELSE length(bad) END);
                bad := set_byte(bad, place,
                    CASE WHEN place = 0 THEN 1 + floor(random() * 10)::int -- another type
                         WHEN place = 2 THEN (ARRAY[0, 1, 2, 128, 129, 130])[1 + floor(random() * 6)::int]
                         WHEN random() < 0.5 THEN get_byte(bad, place) # (1 << floor(random() * 8)::int)
                         ELSE floor(random() * 256)::int END);
                places := places || format(' byte %s = %s', place, get_byte(bad, place));
            END LOOP;
            FOR query IN SELECT c.query FROM call c WHERE c.type = good.type ORDER BY 1 LOOP
                -- If the process ends, the last of these lines tells by what.
                RAISE LOG 'damaged % (%) of % bytes:%: %', good.type, good.name, length(bad), places, query;
                BEGIN
                    EXECUTE format(query, bad, good.bytes);
                    answers := answers + 1;
                EXCEPTION WHEN OTHERS THEN
                    refusals := refusals + 1;
                END;
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN NEXT;
END $$;
SQL

my ($calls, $types) = split /\|/,
  $node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT type) FROM call');
cmp_ok($calls, '>', 200, "$calls calls");
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM value'), '>', 100, 'of values of every encoding');
is($types, 11, 'of all types whose bytes have a meaning');

# Found by earlier runs: a loop of 2^32 steps, one without an end, a value below 0 as an offset.
raises($node, 'XX001', <<'SQL', 'a filter of more items than there can be');
SELECT cuckoo_info(set_byte(bytes, 15, 102)::text::damaged::cuckoo) FROM value WHERE type = 'cuckoo' AND name IS NULL LIMIT 1
SQL
is_query($node, <<'SQL', '1', 'a precision of 200');
SELECT count(hll_bounds(set_byte(bytes, 4, 200)::text::damaged::hll)) FROM value WHERE name = 'sparse'
SQL
raises($node, 'XX001', <<'SQL', 'values below those before them');
SELECT roaring64_bits(set_byte(set_byte(set_byte(bytes, 19, 211), 24, 35), 45, 8)::text::damaged::roaring64)
  FROM value WHERE type = 'roaring64' AND length(bytes) = 3096
SQL

# A packed value of a higher format version is no damage: a newer library made it, and everything that
# reads it says so. Versions that no packed value has, 0 and that of working values, are damage.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION outcomes(version int) RETURNS TABLE (type text, query text, outcome text)
LANGUAGE plpgsql AS $$
DECLARE
    good value;
    detail text;
    hint text;
BEGIN
    FOR good IN
        SELECT DISTINCT ON (v.type) * FROM value v WHERE name IS NULL ORDER BY v.type, length(bytes), bytes
    LOOP
        type := good.type;
        FOR query IN SELECT c.query FROM call c WHERE c.type = good.type LOOP
            BEGIN
                EXECUTE format(query, set_byte(good.bytes, 1, version), good.bytes);
                outcome := 'an answer';
            EXCEPTION WHEN OTHERS THEN
                GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
                outcome := concat_ws(E'\n', SQLSTATE || ' ' || SQLERRM, detail, hint);
            END;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
-- What answers for the value as it was made. This aggregate does not read sets of tags it was not asked for.
CREATE TABLE answered AS
    SELECT * FROM outcomes(1) WHERE outcome = 'an answer' AND query NOT LIKE '%intersection_count_agg(%';

-- Every type has functions, operators and the output function; most have aggregates. Of the large
-- values of these columns only the header is fetched at first.
CREATE TABLE stored (type text);
DO $$
DECLARE
    large value;
BEGIN
    FOR large IN SELECT DISTINCT ON (v.type) * FROM value v ORDER BY v.type, length(bytes) DESC, bytes LOOP
        INSERT INTO stored VALUES (large.type);
        EXECUTE format('CREATE TABLE stored_%s AS SELECT %L::damaged::%1$s AS v', large.type,
                       set_byte(large.bytes, 1, 2));
    END LOOP;
END $$;
SQL
is_query($node, <<'SQL', '11|t|t|t', 'calls that answer for every type');
SELECT count(*), bool_and(functions > 10), bool_and(operators > 0), bool_and(aggregates > 0 OR type = 'ratelimit')
  FROM (SELECT type, count(*) AS functions, count(*) FILTER (WHERE query ~ '::\w+ [|&#=-] ') AS operators,
               count(*) FILTER (WHERE query LIKE '%(v% FROM (VALUES%') AS aggregates
          FROM answered GROUP BY type) t
SQL
is_query($node, <<'SQL', '', 'a higher format version');
SELECT type, query, n.outcome FROM answered JOIN outcomes(2) n USING (type, query)
 WHERE n.outcome <> E'0A000 stored value has format version 2, which this version of sketches does not read\n'
    || format(E'The newest known format version of type %s is 1.\n', type) || 'Install the newer version of the library.'
SQL
is_query($node, <<"SQL", '', "... and damage: version $_") for 0, 0xf1;
SELECT type, query, n.outcome FROM answered JOIN outcomes($_) n USING (type, query) WHERE n.outcome NOT LIKE 'XX001 %'
SQL
for my $type (split /\n/, $node->safe_psql('postgres', 'SELECT type FROM stored ORDER BY type'))
{
    raises($node, '0A000', $_, "... stored: $_")
      for "SELECT v FROM stored_$type", "SELECT _${type}_send(v) FROM stored_$type",
      "SELECT v = v FROM stored_$type", "SELECT ${type}_describe(v) FROM stored_$type";
}

for my $run (1 .. RUNS)
{
    my $part = ($seed * RUNS + $run) % 9973 / 9973;
    my ($status, $out, $err) = $node->psql('postgres',
        "SELECT answers > 1000, refusals > 1000, answers, refusals FROM damage($part, ${\ROUNDS})");
    ok($status == 0 && $out =~ /^t\|t/, "run $run: " . ($out // ''))
      or diag($err, (split /\n/, PostgreSQL::Test::Utils::slurp_file($node->logfile))[-8 .. -1]);
}
is($node->safe_psql('postgres', "SELECT hll_cardinality(hll_agg(i)) FROM generate_series(1, 5) i"),
    5, 'the server is there');
$node->stop;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/was terminated by signal|TRAP: /, 'no process ended by it');

done_testing();
