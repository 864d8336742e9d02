-- bloom: filters of RedisBloom.
--
-- test/data/redis_bloom.jsonl.gz has payloads of a real server beside its answers.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

CREATE TEMPORARY TABLE line (v jsonb);
\copy line FROM PROGRAM 'gzip -dc test/data/redis_bloom.jsonl.gz' WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
CREATE TEMPORARY TABLE vector AS
    SELECT v->>'name' AS name, v, decode(v->>'dump', 'hex') AS dump,
           decode(v->>'dump_after', 'hex') AS dump_after,
           decode(v->'scandump'->0->>1, 'hex') AS header,
           (SELECT decode(string_agg(chunk->>1, '' ORDER BY n), 'hex')
              FROM jsonb_array_elements(v->'scandump') WITH ORDINALITY AS c(chunk, n)
             WHERE n > 1) AS chunks
      FROM line;
-- ---- as the server has it ----

-- Both payloads are the same filter, with the server's numbers and answers.
SELECT count(*) AS filters, bool_and(a = b) AS same, bool_and(bloom_cardinality(a) = (v->>'card')::int) AS card,
       bool_and((SELECT count(*) FROM bloom_filters(a)) = jsonb_array_length(v->'debug') - 1) AS layers,
       bool_and((SELECT bool_and(line = format('bytes:%s bits:%s hashes:%s hashwidth:64 capacity:%s size:%s ratio:%s',
                                               bits / 8, bits, hashes, capacity, items, error_rate))
                   FROM bloom_filters(a)
                   JOIN jsonb_array_elements_text(v->'debug') WITH ORDINALITY AS d(line, n) ON n = filter + 1)) AS debug
  FROM vector, LATERAL (SELECT bloom_from_redis(dump) AS a, bloom_from_redis(header, chunks) AS b) f;
SELECT name, count(*) AS asked, count(*) FILTER (WHERE bloom_from_redis(dump) @> item) AS found,
       bool_and((bloom_from_redis(dump) @> item) = (answer = 1)) AS as_the_server,
       bool_and(bloom_contains(bloom_from_redis(dump), item) = (item <@ bloom_from_redis(dump)))
         AS both_ways
  FROM vector, jsonb_array_elements_text(v->'items') WITH ORDINALITY AS i(item, n)
  JOIN LATERAL (SELECT (v->'exists'->>(n::int - 1))::int AS answer) e ON true
 GROUP BY name ORDER BY name;

-- Exported it is byte for byte what the server exports, and imported again the same value.
SELECT bool_and((r).header = vector.header AND (r).chunks = vector.chunks) AS exported,
       bool_and(bloom_from_redis((r).header, (r).chunks) = bloom_from_redis(dump)) AS back,
       bool_and(bloom_from_redis(dump)::text::bloom = bloom_from_redis(dump)) AS text,
       bool_and(bloom_from_redis(dump)::bytea::bloom = bloom_from_redis(dump)) AS bytea
  FROM vector, LATERAL (SELECT bloom_to_redis(bloom_from_redis(dump)) AS r) f;

-- ---- counting on ----

-- What the server added next, added here, gives the server's filter, grown as there. (To the one that
-- does not grow nothing was added.)
SELECT bool_and(bloom_add_all(bloom_from_redis(dump), next) = bloom_from_redis(dump_after)) AS as_there,
       bool_and(bloom_add_all(bloom_from_redis(dump), next) <> bloom_from_redis(dump)) AS changed
  FROM vector, LATERAL (SELECT array_agg(item ORDER BY n) AS next
                          FROM jsonb_array_elements_text(v->'next') WITH ORDINALITY AS i(item, n)) x
 WHERE name <> 'fixed';
-- One by one, with the replies of BF.MADD.
DO $$
DECLARE
    one record;
    item text;
    reply boolean;
    f bloom;
    n int;
BEGIN
    FOR one IN SELECT * FROM vector WHERE name <> 'fixed' LOOP
        f := bloom_from_redis(one.dump);
        n := 0;
        FOR item IN SELECT jsonb_array_elements_text(one.v->'next') LOOP
            SELECT * INTO f, reply FROM bloom_try_add(f, item);
            ASSERT reply = ((one.v->'madd_next'->>n)::int = 1), item;
            n := n + 1;
        END LOOP;
        ASSERT n > 0 AND f = bloom_from_redis(one.dump_after), one.name;
    END LOOP;
END
$$;
SELECT pg_temp.error_of($$SELECT bloom_add_all(bloom_from_redis(dump),
    (SELECT array_agg('x' || i) FROM generate_series(1, 60) i)) FROM vector WHERE name = 'fixed'$$);

-- ---- looking at it ----

SELECT name, capacity, error_rate, expansion, items, layers, round(fill_ratio::numeric, 3) AS fill,
       bytes
  FROM vector, bloom_info(bloom_from_redis(dump)) ORDER BY name;
SELECT name, bloom_describe(bloom_from_redis(dump)) FROM vector ORDER BY name;
SELECT bloom_contains_each(bloom_from_redis(dump), ARRAY['no such', NULL, v->'items'->>0])
  FROM vector WHERE name = 'tiny';

-- ---- union ----

-- A filter with itself and with what came of it; of another shape, side by side.
SELECT bool_and((a | a) = a) AS itself, bool_and(bloom_cardinality(a | b) >= bloom_cardinality(a)) AS items,
       bool_and((SELECT bool_and((a | b) @> item) FROM jsonb_array_elements_text(v->'next')
                   WITH ORDINALITY AS i(item, n) WHERE name <> 'fixed')) AS new_ones,
       bool_and((SELECT bool_and((b | a) @> item) FROM jsonb_array_elements_text(v->'items')
                   WITH ORDINALITY AS i(item, n) WHERE (v->'exists'->>(n::int - 1))::int = 1)) AS old_ones
  FROM vector, LATERAL (SELECT bloom_from_redis(dump) AS a, bloom_from_redis(dump_after) AS b) f;
SELECT layers, items FROM (SELECT bloom_union_agg(bloom_from_redis(dump)) FROM vector) u(f),
       bloom_info(f);

-- ---- what does not mix ----

SELECT pg_temp.error_of(format('SELECT %s FROM vector WHERE name = ''tiny''', what))
  FROM unnest(ARRAY['bloom_from_redis(dump) | bloom_add(bloom_empty(), 1)',
                    'bloom_add(bloom_empty(), 1) | bloom_from_redis(dump)',
                    'bloom_from_redis(dump) & bloom_from_redis(dump)',
                    'bloom_from_redis(dump) @> 1', 'bloom_add(bloom_from_redis(dump), 1)',
                    'bloom_add_all(bloom_from_redis(dump), ARRAY[1,2]::hashed[])',
                    'bloom_try_add(bloom_from_redis(dump), 1)',
                    'bloom_contains_each(bloom_from_redis(dump), ARRAY[1]::hashed[])',
                    '_bloom_agg_state(bloom_from_redis(dump), 1)',
                    'bloom_to_redis(bloom_empty())']) AS what;

-- ---- payloads that are refused ----

CREATE FUNCTION pg_temp.outcome(header bytea, chunks bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    made bloom;
    text text;
BEGIN
    made := bloom_from_redis(header, chunks);
    ASSERT made::text::bloom = made AND (bloom_to_redis(made)).header = header;
    PERFORM bloom_add(made, 'x') @> 'x', bloom_false_positive_rate(made);
    RETURN 'taken';
EXCEPTION WHEN invalid_binary_representation THEN
    GET STACKED DIAGNOSTICS text = PG_EXCEPTION_DETAIL;
    RETURN text;
END
$$;
SELECT pg_temp.outcome(coalesce(damaged, header), coalesce(other, chunks)) AS refused, string_agg(what, ', ' ORDER BY what) AS "for"
  FROM vector, LATERAL (VALUES
       ('short', substr(header, 1, 72), NULL), ('long', header || '\x00', NULL), ('no chunks', NULL, ''::bytea),
       ('more chunks', NULL, chunks || '\x00'), ('no layers', set_byte(header, 8, 0), NULL),
       ('items', set_byte(header, 0, 9), NULL), ('items of 2^60', set_byte(set_byte(header, 7, 16), 43, 16), NULL),
       ('old hash', set_byte(header, 12, 1), NULL), ('options', set_byte(header, 12, 21), NULL),
       ('growth', set_byte(header, 18, 1), NULL), ('hashes', set_byte(header, 60, 9), NULL),
       ('error', set_byte(header, 51, 0), NULL), ('n2', set_byte(header, 72, 8), NULL)) d(what, damaged, other)
 WHERE name = 'tiny' GROUP BY 1 ORDER BY min(what);
-- Every bit flipped is taken as another filter or refused, nothing else.
SELECT count(*) > 100 AS refused FROM vector, generate_series(0, 8 * 73 - 1) n
 WHERE name = 'tiny' AND pg_temp.outcome(set_bit(header, n, 1 - get_bit(header, n)), chunks) <> 'taken';
SELECT * FROM pg_temp.errors_of(
    $$bloom_from_redis(set_byte(dump, 20, 1)) FROM vector WHERE name = 'tiny'$$,
    $$bloom_from_redis('\x00')$$);

-- ---- the calculator ----

SELECT items, error_rate, p.* FROM (VALUES (1000, 0.01), (1000000, 0.01), (1000000, 0.001), (1, 0.5))
       AS v(items, error_rate), bloom_plan(items, error_rate) p;
SELECT round(100 * false_positive_rate::numeric, 2) AS percent FROM bloom_plan(1000000, 0.01, 2000000);
-- It says what bloom_agg makes, and what BF.RESERVE makes.
SELECT p.bytes = i.bytes AS bytes, p.hashes = f.hashes AS hashes
  FROM bloom_plan(20000, 0.01) p, (SELECT bloom_agg(x) FROM generate_series(1, 20000) x) b(b),
       bloom_info(b) i, bloom_filters(b) f;
SELECT count(*), bool_and(redis_bytes = bits / 8) AS bytes, bool_and(redis_hashes = f.hashes) AS hashes
  FROM vector, bloom_filters(bloom_from_redis(dump)) f,
       bloom_plan((v->>'capacity')::bigint, (v->>'error')::float8)
           AS p(b, i, h, t, r, redis_bytes, redis_hashes)
 WHERE filter = 1 AND name <> 'fixed';
SELECT * FROM pg_temp.errors_of(
    'bloom_plan(0, 0.01)', 'bloom_plan(10, 1)', 'bloom_plan(10, 0.01, -1)');
