-- What an upgrade of the server has to bring over: values of every type, in line and TOASTed,
-- indexes on all of them, defaults, checks, a generated column, a view, a materialized view.
\set ON_ERROR_STOP on
CREATE EXTENSION sketches;

-- Sketches of n items.
CREATE TABLE kept AS
SELECT n, h, th, t, dd, r, r64, bl, cu, cm, tk, bf, rl, place, hashed(n) AS hash
  FROM (VALUES (0), (1), (10), (1000), (30000)) v (n),
       LATERAL (SELECT hll_agg(i) AS h, theta_agg(i) AS th, tdigest_agg(i) AS t,
                       ddsketch_agg(i) AS dd, roaring_agg(i * i) AS r,
                       roaring64_agg(i * i * i) AS r64, bloom_agg(i) AS bl, cuckoo_agg(i) AS cu,
                       cms_agg(i) AS cm, topk_agg(i % 100) AS tk, bitfield_agg(i * 3) AS bf
                  FROM generate_series(1::bigint, n) i) a,
       LATERAL (SELECT (ratelimit_take(ratelimit_sliding(100, interval '1 minute'),
                                       least(n, 99) + 1, timestamptz '2026-01-01 00:00:00Z')).sketch AS rl) l,
       LATERAL (SELECT geohash(n % 360 - 180, n % 170 - 85) AS place) p;
ALTER TABLE kept
    ADD PRIMARY KEY (n),
    ALTER h SET DEFAULT hll_empty(),
    ADD CHECK (h IS NULL OR hll_cardinality(h) >= 0),
    ADD COLUMN items bigint GENERATED ALWAYS AS (hll_cardinality(h)) STORED;
-- A btree takes no value of more than 2,704 bytes.
CREATE INDEX ON kept (place);
CREATE INDEX ON kept (hll_cardinality(h));
CREATE INDEX ON kept USING hash (h);
CREATE INDEX ON kept USING hash (th);
CREATE INDEX ON kept USING hash (t);
CREATE INDEX ON kept USING hash (dd);
CREATE INDEX ON kept USING hash (r);
CREATE INDEX ON kept USING hash (bl);
CREATE INDEX ON kept USING hash (cu);
CREATE INDEX ON kept USING hash (cm);
CREATE INDEX ON kept USING hash (tk);
CREATE INDEX ON kept USING hash (bf);
CREATE INDEX ON kept USING gin (r);
CREATE INDEX ON kept USING gin (r64);
CREATE VIEW united AS
    SELECT hll_cardinality(hll_union_agg(h)) AS items, tdigest_count(tdigest_union_agg(t)) AS values FROM kept;
CREATE MATERIALIZED VIEW by_parity AS
    SELECT n % 2 AS parity, hll_union_agg(h) AS h, roaring_union_agg(r) AS r FROM kept GROUP BY 1;
CREATE UNIQUE INDEX ON by_parity (parity);

-- Large values are out of line.
SELECT pg_relation_size(reltoastrelid) > 100000 AS toasted FROM pg_class WHERE relname = 'kept';
-- No type of the extension is left out.
SELECT t.typname AS left_out
  FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid
 WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sketches')
   AND t.typtype = 'b' AND t.typcategory <> 'A'
   AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = 'kept'::regclass
                      AND a.atttypid = t.oid);
