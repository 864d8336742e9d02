-- What came? The errors of everything that reads bytes or text from outside (core/common/foreign.c).
--
-- Given a sketch of another kind, they say which it is and what reads it, or what to do instead.
-- The payloads are those of test/data, which the other systems wrote.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
CREATE TEMP TABLE line (text text);
\copy line FROM PROGRAM 'zcat test/data/peers_hll.jsonl.gz test/data/peers_theta.jsonl.gz test/data/redis_counts.jsonl.gz test/data/redis_bloom.jsonl.gz' WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
\copy line FROM PROGRAM 'cat test/data/peers_frequent.jsonl test/data/quantile_sketches.jsonl test/data/redis_tdigest.jsonl' WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
CREATE TEMP TABLE own (type text, name text, bytes text);
\copy own FROM 'test/data/encodings.tsv'
\set ECHO all
-- Up to three payloads of each kind, and our own values.
CREATE TEMP TABLE payload AS
    SELECT kind, bytes FROM (
        SELECT j->>'kind' AS kind, row_number() OVER (PARTITION BY j->>'kind' ORDER BY length(text), text) AS n,
               CASE WHEN j ? 'base64' THEN decode(j->>'base64', 'base64') WHEN j ? 'dump' THEN decode(j->>'dump', 'hex')
                    WHEN j->>'kind' = 'tdigest extension' THEN convert_to(j->>'text', 'UTF8')
                    WHEN j ? 'text' THEN (j->>'text')::bytea END AS bytes
          FROM (SELECT text, text::jsonb AS j FROM line) l) p
     WHERE bytes IS NOT NULL AND n <= 3
    UNION ALL VALUES ('GET of a HyperLogLog', hll_to_redis(hll_redis_empty())),
           ('roaring', roaring_to_portable('{1,2,3}')), ('roaring64', roaring64_to_portable('{1,2,-3}')),
           ('DDSketch', ddsketch_to_ddsketch(ddsketch_add_all(ddsketch_empty(), '{1,2,3}'))),
           ('ours', tdigest_add(tdigest_empty(), 1)::bytea), ('ours', roaring64('{7}')::bytea), ('ours', hll_empty()::bytea);
SELECT count(*) >= 40 AS payloads, count(DISTINCT kind) AS kinds FROM payload;
CREATE TEMP TABLE importer AS
    SELECT oid::regproc::text AS name, format(CASE WHEN proname IN ('theta_from_datasketches', 'topk_from_datasketches') THEN '%I(%%L::bytea, 12)'
                                     WHEN proname = 'tdigest_from_kll' THEN '%I(%%L::bytea, ''double'')' ELSE '%I(%%L::bytea)' END, proname) AS call
      FROM pg_proc WHERE proname ~ '_from_(redis|datasketches|postgresql_hll|kll|dunning|tdigest_extension|portable|ddsketch)$'
                     AND proargtypes[0] = 'bytea'::regtype AND proname <> 'geohash_from_redis'
    UNION SELECT 'a cast to ' || typname, format('(%%L::bytea::%I)', typname) FROM pg_type
     WHERE typname IN ('hll', 'tdigest', 'roaring', 'roaring64', 'cms', 'topk', 'theta', 'cuckoo', 'bloom', 'ddsketch');
-- Whatever is given to whatever: it is read, or the hint names what reads it, which then reads it.
-- (KLL of another type of items and float t-digests are not told from others, so their readers refuse some.)
CREATE TEMP TABLE tried AS
    SELECT kind, name, bytes, pg_temp.error_of(format('SELECT ' || call, bytes)) AS said FROM payload, importer;
SELECT kind, string_agg(DISTINCT substr(said, strpos(said, 'The bytes')), ' / ') AS hints,
       string_agg(DISTINCT name, ', ' ORDER BY name) FILTER (WHERE said = 'accepted') AS read_by
  FROM tried WHERE said LIKE '%The bytes%' OR said = 'accepted' GROUP BY kind ORDER BY kind COLLATE "C";
SELECT kind, name, said FROM tried
 WHERE said <> 'accepted' AND said NOT LIKE '%The bytes look like%' AND kind !~ '^(kll|tdigest_float|datasketches kll)' ORDER BY 1, 2, 3;
SELECT count(*) AS hints, bool_and(pg_temp.error_of(format('SELECT ' || i.call, bytes)) = 'accepted') AS true
  FROM tried t, LATERAL (SELECT (regexp_match(said, ': (a cast to \w+|\w+)[^:]* reads them'))[1] AS reader) h, importer i
 WHERE i.name = reader AND kind !~ '^(kll|tdigest_float|datasketches kll)';
-- Ours are known as ours, whatever their type and encoding, to all that read something else.
SELECT type, count(DISTINCT bytes) AS values, bool_and(said LIKE format('%%The bytes look like a value of type %s: a cast to %1$s reads them.', type)) AS known
  FROM (SELECT own.*, pg_temp.error_of(format('SELECT ' || call, '\x' || bytes)) AS said FROM own, importer i WHERE i.name <> 'a cast to ' || type) t
 GROUP BY type ORDER BY type COLLATE "C";
-- Bytes that begin as ours and are not sound: an updatable theta sketch, whose preamble and version are 3, and a dense hll that was cut.
SELECT pg_temp.error_of($$SELECT hll_from_datasketches('\xc303020c0cd8cc9300')$$),
       pg_temp.error_of($$SELECT theta('\x010101000b010000b013000000000000fe000000'::bytea)$$);

-- What nobody here reads. The heads are those of the specifications.
SELECT what, pg_temp.error_of(format('SELECT hll_from_datasketches(%L)', bytes))
  FROM (VALUES ('CPC', '\x080110 0b 0009cc93 00000000'), ('classic quantiles', '\x0203081880000000 6400000000000000'),
               ('REQ', '\x02011108 0c 000101'), ('tuple', '\x0303090c 00cc93 00'), ('update theta', '\xc303020c0cd8cc93 00'),
               ('VarOpt', '\xc4020d00 10000000'), ('DataSketches'' Bloom', '\x0401150003000000'), ('Count-Min', '\x020112000000000000'),
               ('AVLTreeDigest, verbose', '\x000000013ff0000000000000400000000000000040590000000000000000000140000000000000000000 0001'),
               ('AVLTreeDigest, small', '\x000000023ff00000000000004000000000000000405900000000000000000001 3f80000001'),
               ('HyperLogLogPlus', '\xfffffffe0e1901 0000'), ('stream-lib HyperLogLog', '\x000000040000000c000000000000000000000000'),
               ('Presto', '\x020c0200 0000008000000180'), ('Presto, dense', '\x0304ff00000000000000000000'), ('BigQuery', '\x087010021802'),
               ('HdrHistogram', '\x1c849314000000'), ('Encode() of DDSketch', '\x02fd4a815abf52f03f0000000000000000 05'),
               ('... with zeros', '\x0403 02fd4a815abf52f03f0000000000000000 05'),
               ('Java''s roaring', '\x0000000001000000003a30000001000000000002001000000001000200 0300'),
               ('gzip', '\x1f8b0800'), ('zlib', '\x789c4b4c'), ('zstd', '\x28b52ffd20'), ('Java', '\xaced0005737200'),
               ('Guava', '\x0105 00000001 0000000000000001'), ('Guava, the older strategy, one function', '\x0001 00000001 0000000000000001'),
               ('Spark''s Bloom', '\x00000001 00000005 00000001 0000000000000001'), ('..., version 2', '\x00000002 00000005 00000000 00000001 0000000000000001'),
               ('Spark''s Count-Min', '\x00000001 0000000000000003 00000001 00000002 0000000000000007 0000000000000001 0000000000000002'),
               ('Trino''s t-digest', '\x00 000000000000f03f 0000000000000040 0000000000005940 0000000000000040 02000000 000000000000f03f 0000000000000040 000000000000f03f000000000000f03f'),
               ('Presto''s t-digest', '\x0100 000000000000f03f 0000000000000040 0000000000000840 0000000000005940 0000000000000040 02000000 000000000000f03f000000000000f03f 000000000000f03f0000000000000040'),
               ('Trino''s quantile digest', '\x00 7b14ae47e17a843f 0000000000000000 0000000000000000 0100000000000080 0100000000000080 01000000 00000000000000f03f 0100000000000080'),
               ('Trino''s set digest', '\x01 0c000000 020c0200 0000008000000180 00200000 00000000'),
               ('ClickHouse''s groupBitmap', '\x0116 3a30000001000000000002001000000001000200 0300'),
               ('... of 64 bits', '\x0122 0100000000000000 00000000 3a30000001000000000002001000000001000200 0300'),
               ('... of few', '\x0002 01000000 02000000'), ('ClickHouse''s uniq', '\x0003 93a1b2c3 1122334455667788'),
               ('ClickHouse''s quantileTDigest', '\x02 0000803f0000803f 000000400000803f'),
               ('cuckoo of Redis', '\x07813016e5a2898214040201020402030200020202140201020405080000d99d14000000000c00e74443924ae4a879'),
               ('a module', '\x07819b27e296d7abd4030201000c0098ee8f6cf2453d70'), ('a set of Redis', '\x020101610c00a9e0ddbebef88424'),
               ('nothing', '\xdeadbeefdeadbeef'), ('no bytes', '\x')) v (what, bytes);
-- Text: decoded to see what it is, by every importer and by the types themselves.
SELECT pg_temp.error_of('SELECT ' || call) FROM unnest(ARRAY[
    $$theta_from_datasketches('AgEHCAMIBwjL18IEK/L7BoYv+Q11gWYHgbxdBntl5gj8LUIK')$$, $$hll_from_datasketches('AgEHCAMIBwjL18IEK/L7BoYv+Q11gWYHgbxdBntl5gj8LUIK')$$,
    $$hll_from_datasketches('0801100b0009cc9300000000')$$, $$tdigest_from_kll('HISTFAAAABV4nJNpmSzMwMDAAAUA')$$,
    $$'AgEHCAMIBwjL18IEK/L7BoYv+Q11gWYHgbxdBntl5gj8LUIK'::hll$$, $$'AgEHCAMIBwjL18IEK/L7BoYv+Q11gWYHgbxdBntl5gj8LUIK'::theta$$,
    $$'\x0801100b0009cc9300000000'::theta$$, $$'flags 0 count 3 compression 100 centroids 3 (1.000000, 1) (2.000000, 1) (3.000000, 1)'::tdigest$$,
    $$'\x118b7f'::theta$$, $$'\x118b7f'::bytea::cms$$, $$'hello'::hll$$, $$'hello, world'::hll$$]) call;
-- Reading a sketch that is damaged by its own function says nothing of the kind.
SELECT pg_temp.error_of($$SELECT hll_from_datasketches('\x0201070c030801')$$), pg_temp.error_of($$SELECT tdigest_from_ddsketch('\x0a0b09fd4a815abf52f03f1100')$$),
       pg_temp.error_of($$SELECT '\x010105000d0000000000000000000000'::hll$$);

-- ---- '\x1…'::hll: the text of postgresql-hll, and its bytes ----

CREATE TEMP TABLE theirs AS
    SELECT j->>'text' AS text, get_byte((j->>'text')::bytea, 0) & 15 AS form
      FROM (SELECT text::jsonb AS j FROM line) l WHERE j->>'kind' = 'postgresql-hll';
SELECT form, count(*) > 0 AS some, bool_and(text::hll = hll_from_postgresql_hll(text::bytea)) AS as_text,
       bool_and(text::bytea::hll = hll_from_postgresql_hll(text::bytea)) AS as_bytea, min((hll_info(text::hll)).hash) AS hash
  FROM theirs GROUP BY form ORDER BY form;
CREATE TEMP TABLE moved (h hll);
INSERT INTO moved SELECT text::bytea FROM theirs;
SELECT count(*) = (SELECT count(*) FROM theirs) AS assigned FROM moved;
SELECT text, pg_temp.error_of(format('SELECT %L::hll', text)) FROM unnest('{"\\x108b7f","\\x158b7f","\\x11","\\x138b4800","\\x128b7f00"}'::text[]) text;
SELECT '\x118b7f'::hll = hll_postgresql_hll_empty() AS empty, hll_cardinality('\x128b7fbb1ad57319b89cd8') AS one,
       '\x128b7fbb1ad57319b89cd8'::hll | hll_postgresql_hll_agg(hll_postgresql_hll_hash(1)) IS NOT NULL AS merges;

-- ---- what RedisBloom writes since it knows seeds ----

SELECT bloom_from_redis(v5) = bloom_from_redis(v4) AS dump, bloom_from_redis(h5, chunk) = bloom_from_redis(h4, chunk) AS scandump
  FROM (VALUES ('\x07813016e5a289bef8040207020102050202020a047b14ae47e17a743f020804e9862fb2350e264002408002000510940307c77f506058200568a8808142840207000c0000cb6528998f3cc4'::bytea,
        '\x07813016e5a289bef8050207020102050202020a047b14ae47e17a743f020804e9862fb2350e264002408002000510940307c77f506058200568a88081428402070281c6a4a7935bd1e995000c009fe67cea446425c0'::bytea,
        '\x07000000000000000100000005000000020000001000000000000000800000000000000007000000000000007b14ae47e17a743fe9862fb2350e2640080000000a0000000000000000'::bytea,
        '\x07000000000000000100000005000080020000001000000000000000800000000000000007000000000000007b14ae47e17a743fe9862fb2350e2640080000000a000000000000000095e9d15b93a7a4c6'::bytea,
        '\x940307c77f506058200568a880814284'::bytea)) v (v4, v5, h4, h5, chunk);
SELECT pg_temp.error_of($$SELECT bloom_from_redis('\x07813016e5a289bef8050207020102050202020a047b14ae47e17a743f020804e9862fb2350e264002408002000510940307c77f506058200568a88081428402070281000000000000007b000c00412e257a20a3abaf')$$);
SELECT pg_temp.error_of($$SELECT bloom_from_redis('\x07000000000000000100000005000080020000001000000000000000800000000000000007000000000000007b14ae47e17a743fe9862fb2350e2640080000000a00000000000000007b00000000000000', '\x940307c77f506058200568a880814284')$$);
-- A Top-K is listed whatever its seed, which only its table depends on.
SELECT item, count, (item, count) IN (SELECT t.item, t.count FROM line, topk_items_from_redis(decode(text::jsonb->>'dump', 'hex')) t
                                       WHERE text::jsonb->>'kind' = 'topk' AND text::jsonb->>'name' = 'tiny') AS as_before
  FROM topk_items_from_redis('\x07814e8a4af9360f100102030208020704cdccccccccccec3f05c32b41c0010000800004f6ddaf6f0c800ae04400e02757e0272fe01f00e03757e0173fe0171fe01f00e0254701000005c3204048010000e00d0004f6ddaf6f10201a08d063996cd25500000c200be01100010000050100051174696e792d312d313430373839363538000501000281000000000000007b000c0057acf404ee0d0be0');

-- ---- what goes out comes back as the same value: every export, of a value of every encoding ----

-- Another value are the exponential buckets of a ddsketch, which have no exact form in the library, and a tdigest of a histogram, whose
-- outermost bounds become values. The hash of another system, or counts beyond its range, are refused.

CREATE FUNCTION pg_temp.round_trip(type text, bytes text, export text, import text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    EXECUTE format('SELECT b = v FROM (SELECT %L::bytea::%I OFFSET 0) a (v), LATERAL (SELECT %s) e (x), LATERAL (SELECT %s) i (b)', bytes, type, export, import) INTO same;
    RETURN CASE WHEN same THEN 'same' ELSE 'another' END;
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT type, export, round_trip, count(*) AS values, CASE WHEN round_trip <> 'same' THEN string_agg(name, ', ' ORDER BY name COLLATE "C") END AS names
  FROM own JOIN (VALUES ('hll', 'hll_to_redis(v)', 'hll_from_redis(x)'), ('hll', 'hll_to_datasketches(v, 4)', 'hll_from_datasketches(x)'),
       ('hll', 'hll_to_datasketches(v, 6)', 'hll_from_datasketches(x)'), ('hll', 'hll_to_datasketches(v, 8)', 'hll_from_datasketches(x)'),
       ('theta', 'theta_to_datasketches(v)', 'theta_from_datasketches(x, (theta_info(v)).lgk)'), ('theta', 'theta_to_datasketches(v, false)', 'theta_from_datasketches(x, (theta_info(v)).lgk)'),
       ('tdigest', 'tdigest_to_datasketches(v)', 'tdigest_from_datasketches(x)'), ('ddsketch', 'ddsketch_to_ddsketch(v)', 'ddsketch_from_ddsketch(x)'),
       ('ddsketch', 'ddsketch_to_ddsketch(v, true)', 'ddsketch_from_ddsketch(x, true)'),
       ('ddsketch', 'ddsketch_to_exponential_histogram(v)', 'ddsketch_from_exponential_histogram((x).scale, (x).zero_count, (x).positive_offset, (x).positive, (x).negative_offset, (x).negative, (x).min, (x).max)'),
       ('roaring', 'roaring_to_portable(v)', 'roaring_from_portable(x)'), ('roaring64', 'roaring64_to_portable(v)', 'roaring64_from_portable(x)'),
       ('cms', 'cms_to_redis(v)', 'cms_from_redis(x)'), ('bloom', 'bloom_to_redis(v)', 'bloom_from_redis((x).header, (x).chunks)')) e (type, export, import) USING (type),
       LATERAL pg_temp.round_trip(type, '\x' || bytes, export, import) AS round_trip
 GROUP BY type, export, round_trip ORDER BY type COLLATE "C", export COLLATE "C", round_trip COLLATE "C";
