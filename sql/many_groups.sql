-- Aggregates over many groups: the same comes out of hashed, sorted, partial, parallel and spilling plans.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

-- 300 groups of 500 rows that take turns; some texts are long.
CREATE TABLE many_rows (g int, v bigint, s text) PARTITION BY RANGE (v);
CREATE TABLE many_rows_1 PARTITION OF many_rows FOR VALUES FROM (0) TO (500);
CREATE TABLE many_rows_2 PARTITION OF many_rows FOR VALUES FROM (500) TO (1000);
INSERT INTO many_rows
    SELECT i % 300, v, CASE WHEN v % 97 = 0 THEN repeat('long ', 60) ELSE 'item ' END || v
      FROM generate_series(0, 149999) i, LATERAL (SELECT i / 300 * 709 * (i % 3 + 1) % 1000 AS v) r;
ANALYZE many_rows;

-- Sorted.
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
CREATE TABLE many_sorted AS
    SELECT g, topk_agg(v, 5) AS tv, topk_agg(s) AS ts, cms_agg(v) AS cv
      FROM many_rows GROUP BY g;
RESET enable_hashagg;

SET enable_sort = off;
CREATE FUNCTION pg_temp.nodes(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    line text;
    nodes text[] = '{}';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        nodes := nodes || array_remove(regexp_match(line, '((?:Partial |Finalize )?\w+Aggregate|Workers Planned|Append)'), NULL);
    END LOOP;
    RETURN ARRAY(SELECT DISTINCT n FROM unnest(nodes) n ORDER BY n);
END $$;
\set query 'SELECT g, topk_agg(v, 5) AS tv, topk_agg(s) AS ts, cms_agg(v) AS cv FROM many_rows GROUP BY g'
SELECT pg_temp.nodes(:'query');
SELECT count(*), bool_and(h.tv = o.tv) AS tv, bool_and(h.ts = o.ts) AS ts,
       bool_and(h.cv = o.cv) AS cv
  FROM (:query) h JOIN many_sorted o USING (g);

-- Partial states, combined in the same process and brought from others.
SET enable_partitionwise_aggregate = on;
SELECT pg_temp.nodes(:'query');
SELECT count(*), bool_and(h.tv = o.tv) AS tv, bool_and(h.ts = o.ts) AS ts,
       bool_and(h.cv = o.cv) AS cv
  FROM (:query) h JOIN many_sorted o USING (g);
RESET enable_partitionwise_aggregate;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT 'Partial HashAggregate' = ANY (pg_temp.nodes(:'query')) AS parallel;
CREATE TABLE many_parallel AS :query;
SELECT count(*), bool_and(h.tv = o.tv) AS tv, bool_and(h.ts = o.ts) AS ts,
       bool_and(h.cv = o.cv) AS cv
  FROM many_parallel h JOIN many_sorted o USING (g);
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;

-- In batches, when not all groups have room; and beside grouping sets that are sorted.
SET work_mem = '1MB';
SELECT count(*), bool_and(h.tv = o.tv) AS tv, bool_and(h.ts = o.ts) AS ts,
       bool_and(h.cv = o.cv) AS cv
  FROM (:query) h JOIN many_sorted o USING (g);
RESET work_mem;
RESET enable_sort;
SELECT set, count(*), sum(topk_total(t)) AS total
  FROM (SELECT grouping(g, v % 400) AS set, topk_agg(v, 5) AS t
          FROM many_rows GROUP BY GROUPING SETS ((g), (v % 400))) r
 GROUP BY set ORDER BY set;

-- States as they are: no final function, output packs them, and many at once.
CREATE AGGREGATE pg_temp.raw_agg(bigint, int) (SFUNC = _topk_agg_state, STYPE = topk);
SET enable_sort = off;
SELECT count(*), bool_and(r::text = o.tv::text) AS packed
  FROM (SELECT g, pg_temp.raw_agg(v, 5) AS r FROM many_rows GROUP BY g) h JOIN many_sorted o USING (g);
SELECT topk_union_agg(r) = (SELECT topk_agg(v, 5) FROM many_rows) AS same
  FROM (SELECT g, pg_temp.raw_agg(v, 5) AS r FROM many_rows GROUP BY g) h;

-- Groups that become tables and get an index, and lose counters, in turn with others.
SELECT count(*), bool_and(topk_total(t) = n AND cms_total(c) = n) AS totals,
       bool_or(topk_error(t) > 0) AS lossy,
       bool_and(g > 9 OR topk_count(t, -1 - g) = 3000) AS frequent,
       bool_and(g > 9 OR cms_query(c, -1 - g) >= 3000) AS counted
  FROM (SELECT g, count(*) AS n, topk_agg(v) AS t, cms_agg(v) AS c
          FROM (SELECT i % 300 AS g, i::bigint AS v FROM generate_series(0, 149999) i
                UNION ALL
                SELECT g, CASE WHEN i % 5 = 0 THEN -1 - g ELSE g * 10000 + i / 2 END
                  FROM generate_series(0, 14999) i, generate_series(0, 9) g) r
         GROUP BY g) s;
-- k changes within a group.
SELECT pg_temp.error_of('SELECT topk_agg(v, CASE WHEN v >= 900 THEN 6 ELSE 5 END) FROM many_rows GROUP BY g');
RESET enable_sort;

DROP TABLE many_rows, many_sorted, many_parallel;
