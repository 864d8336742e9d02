-- Aggregates over window frames that move, compared with the same aggregate over each frame's rows in
-- a subquery. Where merging is exact the bytes are equal. Those of bloom, cms, topk and tdigest depend
-- on the order of merging, so their promises are compared: members, totals, bounds.
\set ECHO none
\i sql/include/error_of.sql
\set ECHO all

-- A stored sketch of every type in each row, one row in nine without; days of two groups that are
-- not of equal length, some days twice and some missing, so that ROWS, RANGE and GROUPS differ.
CREATE TABLE days AS
SELECT i AS id, i % 2 AS part, i * 3 / 4 + i / 40 * 5 AS day,
       hll_agg(v) FILTER (WHERE i % 9 > 0) AS h, tdigest_agg(v) FILTER (WHERE i % 9 > 0) AS t,
       roaring_agg(v) FILTER (WHERE i % 9 > 0) AS r,
       roaring64_agg(v * 10000000000) FILTER (WHERE i % 9 > 0) AS r64,
       bloom_agg(v) FILTER (WHERE i % 9 > 0) AS b, cuckoo_agg(v) FILTER (WHERE i % 9 > 0) AS c,
       cms_agg(v) FILTER (WHERE i % 9 > 0) AS m, topk_agg(v) FILTER (WHERE i % 9 > 0) AS k,
       bitfield_agg(v % 300) FILTER (WHERE i % 9 > 0) AS f
  FROM generate_series(1, 120) AS i, LATERAL (SELECT (i * 37 + j * j) % 5000 AS v
                                                FROM generate_series(1, 40 + i % 7 * 20) AS j) AS _
 GROUP BY i;

-- Every union over frames of one definition; what differs from the subquery is counted.
CREATE FUNCTION unions(definition text, inside text, OUT frames bigint, OUT empty bigint,
                       OUT different text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($sql$
        SELECT count(*), count(*) FILTER (WHERE h IS NULL),
               concat_ws(' ', CASE WHEN bool_or(h IS DISTINCT FROM h2) THEN 'hll' END,
                         CASE WHEN bool_or(hn IS DISTINCT FROM # h2) THEN 'hll_cardinality' END,
                         CASE WHEN bool_or(r IS DISTINCT FROM r2) THEN 'roaring' END,
                         CASE WHEN bool_or(rn IS DISTINCT FROM # r2) THEN 'roaring_cardinality' END,
                         CASE WHEN bool_or(r64 IS DISTINCT FROM r642) THEN 'roaring64' END,
                         CASE WHEN bool_or(i IS DISTINCT FROM i2) THEN 'intersection' END,
                         CASE WHEN bool_or(x IS DISTINCT FROM x2) THEN 'xor' END,
                         CASE WHEN bool_or((b IS NULL) <> (b2 IS NULL)
                                           OR false = ANY (bloom_contains_each(b, roaring_to_array(r2))))
                              THEN 'bloom' END,
                         CASE WHEN bool_or(c IS DISTINCT FROM c2) THEN 'cuckoo' END,
                         CASE WHEN bool_or(cms_total(m) IS DISTINCT FROM cms_total(m2)
                                           OR 0 = ANY (cms_query_each(m, roaring_to_array(r2))))
                              THEN 'cms' END,
                         CASE WHEN bool_or(topk_total(k) IS DISTINCT FROM topk_total(k2)) THEN 'topk' END,
                         CASE WHEN bool_or(fo IS DISTINCT FROM fo2 OR fa IS DISTINCT FROM fa2
                                           OR fx IS DISTINCT FROM fx2) THEN 'bitfield' END,
                         CASE WHEN bool_or(tdigest_count(t) IS DISTINCT FROM tdigest_count(t2)
                                           OR tdigest_min(t) IS DISTINCT FROM tdigest_min(t2)
                                           OR tdigest_max(t) IS DISTINCT FROM tdigest_max(t2)
                                           OR abs(tdigest_cdf(t, 2500) - tdigest_cdf(t2, 2500)) > .01)
                              THEN 'tdigest' END)
          FROM (SELECT id, hll_union_agg(h) OVER w AS h, hll_union_cardinality_agg(h) OVER w AS hn,
                       roaring_union_agg(r) OVER w AS r, roaring64_union_agg(r64) OVER w AS r64,
                       roaring_union_cardinality_agg(r) OVER w AS rn,
                       roaring_intersection_agg(r) OVER w AS i, roaring_xor_agg(r) OVER w AS x,
                       bloom_union_agg(b) OVER w AS b, cuckoo_union_agg(c) OVER w AS c,
                       cms_union_agg(m) OVER w AS m, topk_union_agg(k) OVER w AS k,
                       tdigest_union_agg(t) OVER w AS t, bitfield_or_agg(f) OVER w AS fo,
                       bitfield_and_agg(f) OVER w AS fa, bitfield_xor_agg(f) OVER w AS fx
                  FROM days WINDOW w AS (%s)) AS moving
          JOIN (SELECT d.id, o.*
                  FROM (SELECT *, row_number() OVER (PARTITION BY part ORDER BY day, id) AS nth,
                               dense_rank() OVER (PARTITION BY part ORDER BY day) AS grp
                          FROM days) AS d,
                       LATERAL (SELECT hll_union_agg(h) AS h2, roaring_union_agg(r) AS r2,
                                       roaring64_union_agg(r64) AS r642,
                                       roaring_intersection_agg(r) AS i2, roaring_xor_agg(r) AS x2,
                                       bloom_union_agg(b) AS b2, cuckoo_union_agg(c) AS c2,
                                       cms_union_agg(m) AS m2, topk_union_agg(k) AS k2,
                                       tdigest_union_agg(t) AS t2, bitfield_or_agg(f) AS fo2,
                                       bitfield_and_agg(f) AS fa2, bitfield_xor_agg(f) AS fx2
                                  FROM (SELECT *,
                                               row_number() OVER (PARTITION BY part ORDER BY day, id) AS nth,
                                               dense_rank() OVER (PARTITION BY part ORDER BY day) AS grp
                                          FROM days) AS e
                                 WHERE e.part = d.part AND %s) AS o) AS oracle USING (id)
        $sql$, definition, inside) INTO frames, empty, different;
END $$;

SELECT * FROM unions('PARTITION BY part ORDER BY day, id ROWS 6 PRECEDING',
                     'e.nth BETWEEN d.nth - 6 AND d.nth');
SELECT * FROM unions('PARTITION BY part ORDER BY day, id ROWS BETWEEN 40 PRECEDING AND 3 FOLLOWING',
                     'e.nth BETWEEN d.nth - 40 AND d.nth + 3');
SELECT * FROM unions('PARTITION BY part ORDER BY day, id ROWS BETWEEN CURRENT ROW AND 5 FOLLOWING',
                     'e.nth BETWEEN d.nth AND d.nth + 5');
SELECT * FROM unions('PARTITION BY part ORDER BY day, id ROWS BETWEEN 9 PRECEDING AND 4 PRECEDING',
                     'e.nth BETWEEN d.nth - 9 AND d.nth - 4');
SELECT * FROM unions('PARTITION BY part ORDER BY day, id '
                     'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'e.nth >= d.nth');
SELECT * FROM unions('PARTITION BY part ORDER BY day, id ROWS CURRENT ROW', 'e.nth = d.nth');
SELECT * FROM unions('PARTITION BY part ORDER BY day RANGE BETWEEN 7 PRECEDING AND CURRENT ROW',
                     'e.day BETWEEN d.day - 7 AND d.day');
SELECT * FROM unions('PARTITION BY part ORDER BY day RANGE BETWEEN 3 FOLLOWING AND 12 FOLLOWING',
                     'e.day BETWEEN d.day + 3 AND d.day + 12');
SELECT * FROM unions('PARTITION BY part ORDER BY day GROUPS BETWEEN 4 PRECEDING AND 1 FOLLOWING',
                     'e.grp BETWEEN d.grp - 4 AND d.grp + 1');
SELECT * FROM unions('PARTITION BY part ORDER BY day, id ROWS 6 PRECEDING EXCLUDE CURRENT ROW',
                     'e.nth BETWEEN d.nth - 6 AND d.nth AND e.nth <> d.nth');
SELECT * FROM unions('PARTITION BY part ORDER BY day ROWS 6 PRECEDING EXCLUDE GROUP',
                     'e.nth BETWEEN d.nth - 6 AND d.nth AND e.grp <> d.grp');
-- A frame that never moves is the plain aggregate's.
SELECT * FROM unions('PARTITION BY part ORDER BY day, id', 'e.nth <= d.nth');

-- The plain aggregates, of numbers and of texts, with NULLs and a filter. Blocks of 256 rows begin and
-- end inside these frames.
CREATE TABLE hits AS
SELECT i AS at, hashint4(i) % 900 AS n, abs(hashint4(i + 7) % 4000) / 8.0 AS ms,
       CASE WHEN i % 5 > 0 THEN 'p' || abs(hashint4(i) % 60) END AS page
  FROM generate_series(1, 1300) AS i;

CREATE FUNCTION rows_of(low int, high int, OUT frames bigint, OUT different text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($sql$
        SELECT count(*),
               concat_ws(' ', CASE WHEN bool_or(d IS DISTINCT FROM d2) THEN 'approx_count_distinct' END,
                         CASE WHEN bool_or(dt IS DISTINCT FROM dt2) THEN 'of text' END,
                         CASE WHEN bool_or(p IS DISTINCT FROM p2) THEN 'approx_percentile' END,
                         CASE WHEN bool_or(ps IS DISTINCT FROM ps2) THEN 'of arrays' END,
                         CASE WHEN bool_or(md IS DISTINCT FROM md2) THEN 'approx_median' END,
                         CASE WHEN bool_or(h IS DISTINCT FROM h2) THEN 'hll' END,
                         CASE WHEN bool_or(hp IS DISTINCT FROM hp2) THEN 'hll of text' END,
                         CASE WHEN bool_or(r IS DISTINCT FROM r2) THEN 'roaring' END,
                         CASE WHEN bool_or(b IS DISTINCT FROM b2) THEN 'bloom' END,
                         CASE WHEN bool_or(c IS DISTINCT FROM c2) THEN 'cuckoo' END,
                         CASE WHEN bool_or(m IS DISTINCT FROM m2) THEN 'cms' END,
                         CASE WHEN bool_or(k IS DISTINCT FROM k2) THEN 'topk' END,
                         CASE WHEN bool_or(top IS DISTINCT FROM top2) THEN 'approx_top_k' END,
                         CASE WHEN bool_or(f IS DISTINCT FROM f2) THEN 'bitfield' END,
                         CASE WHEN bool_or(tdigest_count(t) IS DISTINCT FROM tdigest_count(t2)
                                           OR tdigest_max(t) IS DISTINCT FROM tdigest_max(t2)
                                           OR abs(tdigest_cdf(t, 250) - tdigest_cdf(t2, 250)) > .01)
                              THEN 'tdigest' END)
          FROM (SELECT at, approx_count_distinct(n) FILTER (WHERE n > 0) OVER w AS d,
                       approx_count_distinct(page) OVER w AS dt,
                       approx_percentile(ms, .9) OVER w AS p,
                       approx_percentile(ms, ARRAY[0, .25, 1]) OVER w AS ps,
                       approx_median(ms) OVER w AS md, hll_agg(n) OVER w AS h,
                       hll_agg(page, 10) OVER w AS hp, roaring_agg(abs(n)) OVER w AS r,
                       bloom_agg(page) OVER w AS b, cuckoo_agg(n) OVER w AS c, cms_agg(page) OVER w AS m,
                       topk_agg(page, 4, ms::bigint) FILTER (WHERE ms >= 1) OVER w AS k,
                       approx_top_k(page, 3) OVER w AS top, bitfield_agg(abs(n)) OVER w AS f,
                       tdigest_agg(ms) OVER w AS t
                  FROM hits WINDOW w AS (ORDER BY at ROWS BETWEEN %1$s PRECEDING AND %2$s FOLLOWING)) AS moving
          JOIN (SELECT q.at, o.*
                  FROM hits AS q,
                       LATERAL (SELECT count(DISTINCT n) FILTER (WHERE n > 0) AS d2,
                                       count(DISTINCT page) AS dt2,
                                       percentile_cont(.9) WITHIN GROUP (ORDER BY ms) AS p2,
                                       percentile_cont(ARRAY[0, .25, 1]) WITHIN GROUP (ORDER BY ms) AS ps2,
                                       percentile_cont(.5) WITHIN GROUP (ORDER BY ms) AS md2,
                                       hll_agg(n) AS h2, hll_agg(page, 10) AS hp2,
                                       roaring_agg(abs(n)) AS r2, bloom_agg(page) AS b2,
                                       cuckoo_agg(n) AS c2, cms_agg(page) AS m2,
                                       topk_agg(page, 4, ms::bigint) FILTER (WHERE ms >= 1) AS k2,
                                       approx_top_k(page, 3) AS top2, bitfield_agg(abs(n)) AS f2,
                                       tdigest_agg(ms) AS t2
                                  FROM hits AS e WHERE e.at BETWEEN q.at - %1$s AND q.at + %2$s) AS o)
               AS oracle USING (at)
         WHERE at %% 13 = 0 OR at > 1290
        $sql$, low, high) INTO frames, different;
END $$;

SELECT * FROM rows_of(5, 0);
SELECT * FROM rows_of(300, 2);
SELECT * FROM rows_of(700, 0);

-- Of more than 1,024 rows only the sums of blocks are kept.
SELECT count(*) AS frames, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS different
  FROM (SELECT at, roaring_union_agg(roaring_range(at, at + 3)) OVER w AS a,
               roaring_range(greatest(1, at - 1100), at + 3) AS b
          FROM generate_series(1, 4000) AS at
        WINDOW w AS (ORDER BY at ROWS 1100 PRECEDING)) AS _;
SELECT count(*) AS frames, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS different
  FROM (SELECT at, roaring_union_cardinality_agg(roaring(ARRAY[at, at % 7])) OVER w AS a,
               (SELECT count(DISTINCT v) FROM generate_series(greatest(1, at - 2500), at) AS e,
                       LATERAL unnest(ARRAY[e, e % 7]) AS v) AS b
          FROM generate_series(1, 6000) AS at
        WINDOW w AS (ORDER BY at ROWS 2500 PRECEDING)) AS _
 WHERE a IS NOT NULL AND b IS NOT NULL;

-- Nothing but NULL, frames that are empty and fill again, a partition of one row.
SELECT id, hll_union_agg(s) OVER w IS NULL AS hll, roaring_xor_agg(r) OVER w IS NULL AS xor,
       approx_count_distinct(n) OVER w AS distinct_values, approx_median(n) OVER w AS median
  FROM (VALUES (1, NULL::hll, NULL::roaring, NULL::int), (2, hll_add(hll_empty(), 'a'), '{1}', 4),
               (3, NULL, NULL, NULL), (4, NULL, NULL, NULL), (5, hll_add(hll_empty(), 'b'), '{2}', 5),
               (6, NULL, '{2}', 5)) AS _ (id, s, r, n)
WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 0 FOLLOWING);

-- Refused as by the plain aggregates, when the row arrives or its frame is united.
SELECT pg_temp.error_of($$ SELECT hll_union_agg(s) OVER (ORDER BY i ROWS 2 PRECEDING)
                     FROM (SELECT i, CASE WHEN i < 5 THEN hll_agg(i) ELSE hll_redis_empty() END AS s
                             FROM generate_series(1, 8) i GROUP BY i) AS _ $$);
SELECT pg_temp.error_of($$ SELECT hll_agg(i, CASE WHEN i < 5 THEN 10 ELSE 11 END)
                            OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i $$);
SELECT pg_temp.error_of($$ SELECT approx_percentile(i, i / 10.0) OVER (ORDER BY i ROWS 2 PRECEDING)
                     FROM generate_series(1, 8) AS i $$);
SELECT pg_temp.error_of($$ SELECT approx_percentile(i, 1.5) OVER (ORDER BY i ROWS 2 PRECEDING)
                     FROM generate_series(1, 8) AS i $$);
SELECT pg_temp.error_of($$ SELECT approx_percentile(i, NULL::float8) OVER (ORDER BY i ROWS 2 PRECEDING)
                     FROM generate_series(1, 8) AS i $$);
SELECT pg_temp.error_of($$ SELECT approx_percentile(i, ARRAY[.5, NULL]) OVER (ORDER BY i ROWS 2 PRECEDING)
                     FROM generate_series(1, 8) AS i $$);
SELECT pg_temp.error_of($$ SELECT approx_median(i / 0.1 * CASE WHEN i = 6 THEN float8 'NaN' ELSE 1 END)
                            OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i $$);

-- A cursor that goes back, and frames that are computed again for each outer row.
BEGIN;
DECLARE sums SCROLL CURSOR FOR
    SELECT at, approx_count_distinct(at % 10) OVER (ORDER BY at ROWS 3 PRECEDING) FROM generate_series(1, 6) AS at;
FETCH 5 FROM sums;
MOVE ABSOLUTE 0 IN sums;
FETCH 2 FROM sums;
COMMIT;
SELECT g, (SELECT max(n) FROM (SELECT approx_count_distinct(i % g) OVER (ORDER BY i ROWS 4 PRECEDING) AS n
                                 FROM generate_series(1, 20) AS i) AS _) AS most
  FROM generate_series(1, 7, 2) AS g;

DROP FUNCTION unions, rows_of;
DROP TABLE days, hits;
