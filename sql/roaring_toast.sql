-- roaring, roaring64: sets that are stored out of line, in chunks, compressed or not. A probe reads
-- pieces of such a set, another function its header or all of it: the answers are those of the set
-- in memory.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

CREATE TABLE stored (id int PRIMARY KEY, what text, r roaring, r64 roaring64);
-- Containers of every form that begin, end and break anywhere in the chunks of 1996 bytes.
INSERT INTO stored
    SELECT 1, 'arrays', roaring_agg(x), roaring64_agg(x * 3)
      FROM (SELECT i * 37 AS x FROM generate_series(0::bigint, 40000) i) t;
INSERT INTO stored
    SELECT 2, 'bits', roaring_agg(x), roaring64_agg(x | (x & 1) << 40)
      FROM (SELECT i * 2 + i % 3 / 2 AS x FROM generate_series(0::bigint, 150000) i) t;
INSERT INTO stored
    SELECT 3, 'runs', roaring_agg(x), roaring64_agg(x)
      FROM (SELECT i * 7 + j AS x FROM generate_series(0::bigint, 30000) i, generate_series(0, 4) j
             WHERE i % 400 < 397) t;
INSERT INTO stored
    SELECT 4, 'lone values', roaring_agg(x), roaring64_agg(x << 16)
      FROM (SELECT i * 65537 AS x FROM generate_series(0::bigint, 5000) i) t;
INSERT INTO stored
    SELECT 5, 'one long run', roaring_range(5, 4294967290), roaring64_range(70000, 5000000000);
-- Up to three containers with runs have no offsets.
INSERT INTO stored
    SELECT 6, 'three', roaring_agg(x) | roaring_range(140000, 190000),
           roaring64_agg(x) | roaring64_range(140000, 190000)
      FROM (SELECT i * 3 + i % 2 AS x FROM generate_series(0::bigint, 40000) i) t;
INSERT INTO stored
    SELECT 7, 'all of it', roaring_agg(x) | roaring_range(300000, 500000),
           roaring64_agg(x << (x % 31)::int) | roaring64_range(4294960000, 4295000000)
      FROM (SELECT i * i % 600011 AS x FROM generate_series(0::bigint, 60000) i) t;
INSERT INTO stored SELECT 8, 'short', '{1,70000}', '{1,4294967297}';
SELECT id, what, roaring_cardinality(r) AS n, pg_column_size(r) > 2000 AS far, (roaring_info(r)).containers,
       roaring64_cardinality(r64) AS n64, pg_column_size(r64) > 2000 AS far64, (roaring64_info(r64)).containers
  FROM stored ORDER BY id;

CREATE TABLE probe AS
    SELECT DISTINCT p, p * (1 + p % 3) AS p64
      FROM (SELECT i * 331 AS p FROM generate_series(0::bigint, 800) i
            UNION ALL SELECT i * 65536 + j FROM generate_series(0::bigint, 40) i,
                                              generate_series(-2, 2) j
            UNION ALL SELECT i * 65537 * 10 FROM generate_series(0::bigint, 600) i
            UNION ALL SELECT 4294967295 - i FROM generate_series(0, 30) i) t
     WHERE p BETWEEN 0 AND 4294967295;

-- What the sets have as a whole; and what probes say, when each asks another set than the one
-- before, which is read in pieces; and when one set is asked by all of them, and kept.
CREATE VIEW whole AS
    SELECT id, u.*
      FROM stored,
           LATERAL (SELECT array_agg(p ORDER BY p) AS ps, array_agg(p64 ORDER BY p) AS ps64
                      FROM probe) q,
           unnest(ps, roaring_contains_each(r, ps), roaring64_contains_each(r64, ps64)) u(p, yes, yes64);
CREATE VIEW pieces AS
    SELECT a.*
      FROM probe,
           LATERAL (SELECT id, p, r @> p AS yes, r64 @> p64 AS yes64 FROM stored OFFSET 0) a;
CREATE VIEW kept AS
    SELECT id, a.*
      FROM stored,
           LATERAL (SELECT p, p <@ r AS yes, p64 <@ r64 AS yes64 FROM probe OFFSET 0) a;
CREATE VIEW differences AS
    (TABLE whole EXCEPT TABLE pieces) UNION ALL (TABLE whole EXCEPT TABLE kept);
SELECT count(*) > 10000 AS many, count(*) FILTER (WHERE yes) > 1000 AS yes,
       count(*) FILTER (WHERE NOT yes) > 1000 AS no, count(*) FILTER (WHERE yes64) > 1000 AS yes64,
       count(*) FILTER (WHERE NOT yes64) > 1000 AS no64
  FROM whole;
TABLE differences;

-- Read in part, or in whole after a union with nothing.
CREATE VIEW answers AS
    SELECT id, far, roaring_cardinality(r) AS n, roaring64_cardinality(r64) AS n64, roaring_is_empty(r) AS none, roaring_min(r) AS low,
           roaring64_max(r64) AS high, roaring_rank(r, 100000) AS rank,
           roaring64_select(r64, 20) AS at, roaring_position(r, false) AS gap,
           roaring64_cardinality(r64, 5, 100000) AS part,
           roaring_intersection_cardinality(r, '{0,4294967289}') AS common, md5(r::text) AS text,
           md5(r64::bytea) AS bytes, md5(roaring_to_portable(r)) AS portable,
           _roaring_hash(r) AS hash, roaring64_info(r64)::text AS info, roaring_to_array(r, 17, 3) AS three
      FROM (SELECT id, true AS far, r, r64 FROM stored
            UNION ALL
            SELECT id, false, r | '{}', r64 | '{}' FROM stored) t;
SELECT id, count(*) AS answers
  FROM (SELECT DISTINCT id, n, n64, none, low, high, rank, at, gap, part, common, text, bytes, portable,
                        hash, info, three FROM answers) t
 GROUP BY id ORDER BY id;

-- Compressed, in line where that is short enough. Fewer probes: every piece is decompressed anew.
DELETE FROM probe WHERE hashint8(p) % 20 <> 0;
ALTER TABLE stored ALTER r SET STORAGE extended, ALTER r64 SET STORAGE extended;
UPDATE stored SET r = r | '{}', r64 = r64 | '{}';
SELECT bool_or(pg_column_size(r) < (roaring_info(r)).bytes) AS compressed,
       bool_or(pg_column_size(r64) < (roaring64_info(r64)).bytes) AS compressed64
  FROM stored;
TABLE differences;
SELECT id, count(*) AS answers
  FROM (SELECT DISTINCT id, n, n64, none, low, high, rank, at, gap, part, common, text, bytes, portable,
                        hash, info, three FROM answers) t
 GROUP BY id ORDER BY id;

-- A set changes between two probes of one statement, and between two statements.
DO $$
DECLARE
    had boolean[];
    v bigint;
BEGIN
    FOREACH v IN ARRAY ARRAY[11, 70001, 1500001, 4000000001]
    LOOP
        had := had || (SELECT r @> v FROM stored WHERE id = 1);
        UPDATE stored SET r = roaring_add(r, v), r64 = roaring64_add(r64, v << 20) WHERE id = 1;
        had := had || (SELECT r @> v AND r64 @> (v << 20) FROM stored WHERE id = 1);
        UPDATE stored SET r = roaring_remove(r, v), r64 = roaring64_remove(r64, v << 20) WHERE id = 1;
        had := had || (SELECT r @> v OR r64 @> (v << 20) FROM stored WHERE id = 1);
    END LOOP;
    RAISE INFO '%', had;
END
$$;
SELECT roaring_cardinality(r) = 40001 AS as_before FROM stored WHERE id = 1;
PREPARE asked(bigint) AS SELECT id, r @> $1 AS yes FROM stored WHERE id IN (1, 5) ORDER BY id;
EXECUTE asked(37);
EXECUTE asked(38);
EXECUTE asked(4294967289);
EXECUTE asked(4294967295);
EXECUTE asked(0);
EXECUTE asked(37);
DEALLOCATE asked;

-- A value outside the range is in no set, also where only pieces are read.
SELECT r @> 4294967296 AS above, -1 <@ r AS below, -1 <@ r64 AS below64 FROM stored WHERE id = 1;

DROP VIEW differences, whole, pieces, kept, answers;
DROP TABLE stored, probe;

-- ---- damaged pages ----
-- A cast that looks at nothing stands for a page on which stored bytes were changed. What a
-- container says is not what it holds, or the header is not what the containers say.
SET client_min_messages = error; -- a type without its functions is noticed
CREATE TYPE damaged;
CREATE FUNCTION damaged_in(cstring) RETURNS damaged LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
CREATE FUNCTION damaged_out(damaged) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
CREATE TYPE damaged (INPUT = damaged_in, OUTPUT = damaged_out, LIKE = bytea);
CREATE CAST (damaged AS roaring) WITHOUT FUNCTION;
RESET client_min_messages;
CREATE TEMP TABLE lost (what text, bytes text);
INSERT INTO lost VALUES
    ('no run', overlay(roaring_range(100, 50101)::bytea PLACING '\x0000' FROM 22 FOR 2)),
    ('a run of one', overlay(roaring_range(100, 50101)::bytea PLACING '\x0000' FROM 26 FOR 2)),
    ('number of values', overlay('{1,1000000000}'::roaring::bytea PLACING '\x01' FROM 5 FOR 1));
INSERT INTO lost
    SELECT 'bits', overlay(roaring_agg(x)::bytea PLACING decode(repeat('00', 8000), 'hex') FROM 100 FOR 8000)
      FROM generate_series(0, 65535, 7) x;
SELECT what, f AS asked,
       pg_temp.error_of(format('SELECT %s FROM (SELECT %L::damaged::roaring AS r) t', f, bytes)) AS answer
  FROM lost, unnest(ARRAY['(SELECT count(*) FROM roaring_elements(r))',
                          '(SELECT count(*) FROM roaring_elements(r, true))',
                          'cardinality(roaring_to_array(r, 5, 40000))', 'length(roaring_bits(r))']) f
  WHERE what <> 'number of values' OR f ~ 'bits'
  ORDER BY what COLLATE "C", f COLLATE "C";
SET client_min_messages = error;
DROP TYPE damaged CASCADE;
RESET client_min_messages;
