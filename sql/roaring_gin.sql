-- GIN indexes of columns of sets, elements and chunks: the same rows as a sequential scan, whatever was
-- inserted, updated, deleted and vacuumed before; errors; empty sets and NULL.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

SELECT amvalidate(oid) FROM pg_opclass WHERE opcname ~ '^roaring(64)?_(chunk_)?ops$';

CREATE TEMP TABLE element (id int, s roaring) WITH (autovacuum_enabled = off);
CREATE INDEX element_s ON element USING gin (s) WITH (gin_pending_list_limit = 64);
CREATE TEMP TABLE chunk (id int, s roaring) WITH (autovacuum_enabled = off);
CREATE INDEX chunk_s ON chunk USING gin (s roaring_chunk_ops) WITH (fastupdate = off);
CREATE TEMP TABLE element64 (id int, s roaring64) WITH (autovacuum_enabled = off);
CREATE INDEX element64_s ON element64 USING gin (s);
CREATE TEMP TABLE chunk64 (id int, s roaring64) WITH (autovacuum_enabled = off);
CREATE INDEX chunk64_s ON chunk64 USING gin (s roaring64_chunk_ops);

-- Sets of 0 to 40 values of chance, in one chunk or over several; ranges; NULL.
CREATE FUNCTION pg_temp.set_of(seed int) RETURNS roaring LANGUAGE sql AS $$
    SELECT CASE WHEN seed % 17 = 0 THEN NULL
                WHEN seed % 5 = 0 THEN roaring_range(seed % 3000, seed % 3000 + seed % 700)
                ELSE coalesce((SELECT roaring_agg(hashint4(seed * 41 + e)::bigint & CASE seed % 3 WHEN 0 THEN 1023 ELSE 524287 END)
                                 FROM generate_series(1, seed % 41) e), '{}') END
$$;
CREATE FUNCTION pg_temp.change(seeds int4range) RETURNS void LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['element', 'chunk', 'element64', 'chunk64'] LOOP
        EXECUTE format('INSERT INTO %I SELECT i, pg_temp.set_of(i)%s FROM generate_series(%s, %s) i', name,
                       CASE WHEN name ~ '64' THEN '::roaring64' END, lower(seeds), upper(seeds) - 1);
        EXECUTE format('UPDATE %I SET s = pg_temp.set_of(id * 7 + 3)%s WHERE id %% 11 = 4', name,
                       CASE WHEN name ~ '64' THEN '::roaring64' END);
        EXECUTE format('DELETE FROM %I WHERE id %% 13 = 5', name);
    END LOOP;
END $$;

-- The conditions, and for how many of them an index scan and a sequential scan give different rows.
CREATE FUNCTION pg_temp.conditions() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT unnest(ARRAY[format('s @> %s', seed % 1500), format('s @> %s::smallint', seed % 900),
                        format('%s::bigint <@ s', hashint4(seed * 41 + 1)::bigint & 524287),
                        format('s && %L', v), format('s @> %L', v), format('s <@ %L', v), format('s = %L', v)])
      FROM generate_series(1, 60) seed, pg_temp.set_of(seed * 7 + 3) v
    UNION ALL
    SELECT unnest(ARRAY['s @> ''{}''', 's <@ ''{}''', 's && ''{}''', 's = ''{}''', 's @> -1', 's @> 4294967296',
                        's <@ roaring_range(0, 100000)', 's && roaring_range(0, 4294967296)', 's @> roaring_range(5, 20005)',
                        's = roaring_range(5, 20005)', 's @> NULL::bigint', 's && NULL', 's <@ roaring_range(0, 600000)',
                        's && ''{3}'' AND s && ''{500,501}''', 's <@ ''{}'' OR s @> 7', 's @> ''{}'' AND s <@ ''{1,2,3}'''])
$$;
CREATE FUNCTION pg_temp.differences(name text, OUT wrong bigint, OUT rows bigint) LANGUAGE plpgsql AS $$
DECLARE
    condition text;
    query text;
    by_index int[];
    by_scan int[];
    uses_index boolean;
    line text;
BEGIN
    wrong := 0; rows := 0;
    FOR condition IN SELECT * FROM pg_temp.conditions() LOOP
        query := format('SELECT array_agg(id ORDER BY id) FROM %I WHERE %s', name,
                        CASE WHEN name ~ '64' THEN replace(condition, 'roaring_', 'roaring64_') ELSE condition END);
        SET LOCAL enable_seqscan = off;
        uses_index := condition ~ 'NULL';
        FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
            uses_index := uses_index OR line ~ 'Bitmap Index Scan';
        END LOOP;
        EXECUTE query INTO by_index;
        SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = off;
        EXECUTE query INTO by_scan;
        SET LOCAL enable_bitmapscan = on;
        rows := rows + coalesce(cardinality(by_scan), 0);
        IF by_index IS DISTINCT FROM by_scan OR NOT uses_index THEN
            wrong := wrong + 1;
            RAISE NOTICE '% %: % by index, % by scan, index %', name, condition, by_index, by_scan, uses_index;
        END IF;
    END LOOP;
END $$;

SELECT pg_temp.change(int4range(1, 400));
SELECT name, wrong, rows > 500 AS found
  FROM unnest(ARRAY['element', 'chunk', 'element64', 'chunk64']) name, pg_temp.differences(name);
VACUUM element, chunk, element64, chunk64;
SELECT name, wrong, rows > 500 AS found
  FROM unnest(ARRAY['element', 'chunk', 'element64', 'chunk64']) name, pg_temp.differences(name);
SELECT pg_temp.change(int4range(400, 900));
SELECT name, wrong, rows > 1000 AS found
  FROM unnest(ARRAY['element', 'chunk', 'element64', 'chunk64']) name, pg_temp.differences(name);
REINDEX INDEX element_s; REINDEX INDEX chunk_s; REINDEX INDEX element64_s; REINDEX INDEX chunk64_s;
SELECT name, wrong, rows > 1000 AS found
  FROM unnest(ARRAY['element', 'chunk', 'element64', 'chunk64']) name, pg_temp.differences(name);

-- Elements need no recheck; chunks, subsets and equality do.
SET enable_seqscan = off;
CREATE FUNCTION pg_temp.removed_by_recheck(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
    removed boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        removed := removed OR line ~ 'Rows Removed by Index Recheck';
    END LOOP;
    RETURN removed;
END $$;
SELECT pg_temp.removed_by_recheck('SELECT FROM element WHERE s @> 7') AS value,
       pg_temp.removed_by_recheck('SELECT FROM element WHERE s && ''{7,300000}''') AS overlaps,
       pg_temp.removed_by_recheck('SELECT FROM element WHERE s @> ''{7,8}''') AS contains,
       pg_temp.removed_by_recheck('SELECT FROM element WHERE s <@ ''{7,8}''') AS contained,
       pg_temp.removed_by_recheck('SELECT FROM chunk WHERE s @> 7') AS chunk;
RESET enable_seqscan;

-- Beyond a hundred thousand elements the index refuses, and names the other class.
SELECT pg_temp.error_of($$INSERT INTO element VALUES (0, roaring_range(0, 100001))$$);
SELECT pg_temp.error_of($$INSERT INTO element64 VALUES (0, roaring64_range(0, 100001))$$);
INSERT INTO element VALUES (0, roaring_range(0, 100000));
INSERT INTO chunk VALUES (0, roaring_range(0, 4294967296));
INSERT INTO chunk64 VALUES (0, roaring64_range(0, 65536::bigint * 100000));
SELECT pg_temp.error_of($$INSERT INTO chunk64 VALUES (0, roaring64_range(0, 65536::bigint * 100000 + 1))$$);
SET enable_seqscan = off;
SELECT count(*) FROM element WHERE s @> 99999;
SELECT count(*) FROM chunk WHERE s @> 4294967295;
SELECT count(*) FROM chunk64 WHERE s @> 6553599999;
SELECT count(*) FROM chunk WHERE s @> roaring_range(0, 4294967296);
SELECT count(*) FROM chunk64 WHERE s = roaring64_range(0, 6553600000);
-- Of a query of more than 10,000 keys the index looks for some where all must be there, and rows with these
-- are checked; it looks at all rows where one is enough.
INSERT INTO element VALUES (-1, roaring_range(0, 15000));
SELECT roaring_cardinality(query) AS keys, (SELECT array_agg(id ORDER BY id) FROM element WHERE id <= 0 AND s @> query) AS contains,
       (SELECT array_agg(id ORDER BY id) FROM element WHERE id <= 0 AND s && (query # roaring_range(0, 14999))) AS overlaps,
       (SELECT array_agg(id ORDER BY id) FROM element WHERE id <= 0 AND s <@ query) AS contained,
       (SELECT array_agg(id ORDER BY id) FROM element WHERE id <= 0 AND s = query) AS equal
  FROM unnest(ARRAY[roaring_range(0, 12000), roaring_range(0, 15000), roaring_range(0, 20000), roaring_range(0, 100000)]) query;
RESET enable_seqscan;
