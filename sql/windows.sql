-- Aggregates over window frames that move, compared with the same aggregate over each frame's rows in
-- a subquery. Where merging is exact the bytes are equal. Those of bloom, cms, topk and tdigest depend
-- on the order of merging, so their promises are compared: members, totals, bounds.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- Every aggregate that moves, over columns of the tables below, the expression it is compared with
-- where that is not the same aggregate (<F> is where its FILTER goes), and what holds of both, a moved and b
-- computed anew. `members`
-- are the numbers in the frame, `shared` those that are in all its sets.
CREATE TABLE calls (kind text, call text, anew text, holds text DEFAULT 'a IS NOT DISTINCT FROM b');
INSERT INTO calls (kind, call)
SELECT 'set', unnest(ARRAY['hll_union_agg(h)', 'roaring_union_agg(r)', 'roaring_intersection_agg(r)', 'roaring_xor_agg(r)',
       'roaring64_union_agg(r64)', 'roaring64_intersection_agg(r64)', 'roaring64_xor_agg(r64)', 'cuckoo_union_agg(c)',
       'cuckoo_sum_agg(c3)', 'ddsketch_union_agg(q)', 'bitfield_or_agg(f)', 'bitfield_and_agg(f)', 'bitfield_xor_agg(f)',
       'theta_union_agg(e)', 'theta_intersection_agg(e)'])
UNION ALL
SELECT 'row', unnest(ARRAY['hll_agg(n)', 'hll_agg(page, 10)', 'hll_redis_agg(page)',
       'hll_postgresql_hll_agg(hll_postgresql_hll_hash(n))', 'hll_datasketches_agg(page, 10)',
       'hll_datasketches_hash_agg(hll_datasketches_hash(n))', 'roaring_agg(n)',
       'roaring64_agg(n * 10000000000)', 'bitfield_agg(n)', 'bloom_agg(n)', 'bloom_agg(page, 1000, .001)',
       'cuckoo_agg(n)', 'cuckoo_agg(page, 2000)', 'cms_agg(n)', 'cms_weighted_agg(page, n)', 'topk_agg(n)',
       'ddsketch_agg(ms)', 'ddsketch_agg(ms, .02)', 'ddsketch_weighted_agg(ms, n)', 'ddsketch_weighted_agg(ms - 2, n, .1)',
       'topk_weighted_agg(page, n, 4)', 'approx_top_k(n, 3)', 'approx_top_k(page, 3)', 'approx_top_count(n, 3)', 'approx_top_count(page, 3)',
       'theta_agg(n)', 'theta_agg(page, 10)']);
INSERT INTO calls (kind, call, anew) VALUES
    ('set', 'hll_union_cardinality_agg(h)', 'hll_cardinality(hll_union_agg(h) <F>)'),
    ('set', 'roaring_union_cardinality_agg(r)', 'roaring_cardinality(roaring_union_agg(r) <F>)'),
    ('set', 'roaring_intersection_cardinality_agg(r)', 'roaring_cardinality(roaring_intersection_agg(r) <F>)'),
    ('set', 'roaring_xor_cardinality_agg(r)', 'roaring_cardinality(roaring_xor_agg(r) <F>)'),
    ('set', 'roaring64_union_cardinality_agg(r64)', 'roaring64_cardinality(roaring64_union_agg(r64) <F>)'),
    ('set', 'roaring64_intersection_cardinality_agg(r64)', 'roaring64_cardinality(roaring64_intersection_agg(r64) <F>)'),
    ('set', 'roaring64_xor_cardinality_agg(r64)', 'roaring64_cardinality(roaring64_xor_agg(r64) <F>)'),
    ('set', 'theta_union_cardinality_agg(e)', 'theta_cardinality(theta_union_agg(e) <F>)'),
    ('set', 'ddsketch_union_percentile_agg(q, .9)', 'ddsketch_percentile(ddsketch_union_agg(q) <F>, .9)'),
    ('set', 'ddsketch_union_percentile_agg(q, ''0.5'')', 'ddsketch_percentile(ddsketch_union_agg(q) <F>, .5)'),
    ('set', 'ddsketch_union_percentiles_agg(q, ARRAY[0, .25, 1])',
     'ddsketch_percentiles(ddsketch_union_agg(q) <F>, ARRAY[0, .25, 1])'),
    ('row', 'approx_count_distinct(n)', 'count(DISTINCT n)'),
    ('row', 'approx_count_distinct(page)', 'count(DISTINCT page)'),
    ('row', 'approx_median(ms)', 'percentile_cont(.5) WITHIN GROUP (ORDER BY ms)'),
    ('row', 'approx_percentile(ms, .9)', 'percentile_cont(.9) WITHIN GROUP (ORDER BY ms)'),
    ('row', 'approx_percentiles(ms, ARRAY[0, .25, 1])',
     'percentile_cont(ARRAY[0, .25, 1]) WITHIN GROUP (ORDER BY ms)');
-- What depends on the order of merging keeps its promises: members, totals, bounds.
INSERT INTO calls VALUES
    ('set', 'bloom_union_agg(b)', NULL, 'true = ALL (bloom_contains_each(a, members))'),
    ('set', 'bloom_intersection_agg(b)', NULL, 'true = ALL (bloom_contains_each(a, shared))'),
    ('set', 'cms_union_agg(m)', NULL, 'cms_total(a) = cms_total(b) AND 0 < ALL (cms_query_each(a, members))'),
    ('set', 'topk_union_agg(k)', NULL, 'topk_total(a) = topk_total(b)'),
    ('set', 'tdigest_union_agg(t)', NULL, 'abs(tdigest_cdf(a, 2500) - tdigest_cdf(b, 2500)) < .01 AND '
     '(tdigest_count(a), tdigest_min(a), tdigest_max(a)) = (tdigest_count(b), tdigest_min(b), tdigest_max(b))'),
    ('set', 'tdigest_union_percentile_agg(t, 0)', NULL, 'a = b'),
    ('set', 'tdigest_union_percentiles_agg(t, ARRAY[0, 1])', NULL, 'a = b'),
    ('row', 'tdigest_agg(ms)', NULL, 'abs(tdigest_cdf(a, 250) - tdigest_cdf(b, 250)) < .01 AND '
     '(tdigest_count(a), tdigest_min(a), tdigest_max(a)) = (tdigest_count(b), tdigest_min(b), tdigest_max(b))'),
    ('row', 'tdigest_weighted_agg(ms, n)', NULL, 'abs(tdigest_cdf(a, 250) - tdigest_cdf(b, 250)) < .01 AND '
     '(tdigest_count(a), tdigest_min(a), tdigest_max(a)) = (tdigest_count(b), tdigest_min(b), tdigest_max(b))');
UPDATE calls SET anew = call WHERE anew IS NULL;

-- None is missing. (The aggregate that test/t/030_update.pl adds is another one's union.)
SELECT p.proname FROM pg_aggregate AS a JOIN pg_proc AS p ON p.oid = a.aggfnoid
  JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'sketches'
 WHERE a.aggmtransfn <> 0 AND NOT EXISTS (SELECT FROM calls WHERE starts_with(call, p.proname || '('))
   AND p.proname <> 'topk_update_agg';

-- All aggregates of a kind over one window of a table, and over the rows e that are `inside` the frame
-- of row d by a subquery: the number of frames, and the calls that differ anywhere. Of the frames only
-- those of rows that are `asked` for are compared.
CREATE FUNCTION compare(kind text, source regclass, definition text, inside text, filter text DEFAULT 'true',
                        asked text DEFAULT 'true', OUT frames bigint, OUT different text)
LANGUAGE plpgsql AS $$
DECLARE
    moved text;
    anew text;
    compared text;
    numbers text := CASE WHEN kind = 'row' THEN 'array_agg(n), NULL'
                         ELSE 'roaring_to_array(roaring_union_agg(r) FILTER (WHERE %1$s)), '
                              'roaring_to_array(roaring_intersection_agg(r) FILTER (WHERE %1$s))' END;
BEGIN
    SELECT string_agg(format('%s FILTER (WHERE %s) OVER w AS c%s', c.call, filter, c.i), ', '),
           string_agg(replace(CASE WHEN c.anew LIKE '%<F>%' THEN c.anew ELSE c.anew || ' <F>' END, '<F>',
                              format('FILTER (WHERE %s)', filter)) || ' AS c' || c.i, ', '),
           string_agg(format('CASE WHEN NOT bool_and((SELECT CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN %1$s '
                             'ELSE a IS NULL AND b IS NULL END FROM (SELECT moved.c%2$s AS a, anew.c%2$s AS b) AS _)) '
                             'THEN %3$L END', c.holds, c.i, c.call), ', ')
      INTO moved, anew, compared
      FROM (SELECT row_number() OVER () AS i, * FROM calls WHERE calls.kind = compare.kind) AS c;
    EXECUTE format('SELECT count(*), concat_ws('', '', %1$s)
                      FROM (SELECT id, %2$s FROM (SELECT * FROM %3$s ORDER BY part, nth OFFSET 0) AS d
                            WINDOW w AS (%4$s)) AS moved
                      JOIN (SELECT d.id, f.* FROM %3$s AS d,
                                   LATERAL (SELECT %5$s, %6$s FROM %3$s AS e WHERE e.part = d.part AND %7$s)
                                           AS f (%8$s, members, shared)
                             WHERE %9$s) AS anew USING (id)',
                   compared, moved, source, definition, anew, format(numbers, filter), inside,
                   (SELECT string_agg('c' || i, ', ' ORDER BY i) FROM generate_series(1, (SELECT count(*) FROM calls
                     WHERE calls.kind = compare.kind)) AS i), asked)
       INTO frames, different;
END $$;

-- Of three partitions the last is one row; days are missing and come twice, so that ROWS, RANGE and GROUPS
-- differ; one row in three is NULL.
CREATE TABLE days AS
SELECT i AS id, i / 22 AS part, i * 3 / 4 + i / 11 * 5 AS day, 0 AS nth, 0 AS grp,
       hashint4(i) & 15 AS n, abs(hashint4(i + 7) % 40) / 8.0 AS ms, 'p' || (hashint4(i) & 3) AS page, s.*
  FROM generate_series(0, 44) AS i,
       LATERAL (SELECT hll_agg(v) AS h, tdigest_agg(v) AS t, ddsketch_agg(v, .01 * (1 + i % 5 / 3)) AS q, roaring_agg(v) AS r, roaring64_agg(v * 10000000000) AS r64,
                       bloom_agg(v) AS b, cuckoo_agg(v) AS c, cuckoo_agg(i / 3 * 9999 + v % 20) AS c3,
                       cms_agg(v) AS m, topk_agg(v) AS k, bitfield_agg(v % 300) AS f,
                       theta_agg(v, 4 + i % 2) AS e
                  FROM (SELECT (i * 37 + j * j) % 5000 AS v FROM generate_series(1, 10 + i % 7 * 5) AS j
                        UNION ALL SELECT 7) AS _
                 WHERE i % 3 > 0) AS s;
UPDATE days SET n = NULL, page = NULL, ms = NULL WHERE id % 3 = 0;
UPDATE days SET nth = o.nth, grp = o.grp
  FROM (SELECT id, row_number() OVER (PARTITION BY part ORDER BY day, id) AS nth,
               dense_rank() OVER (PARTITION BY part ORDER BY day) AS grp FROM days) AS o WHERE o.id = days.id;

-- Frames of every unit and kind of bound, all exclusions, with and without a filter.
SELECT mode, kind, filter, count(*) AS definitions, sum(frames) AS frames, string_agg(different, ', ') FILTER (WHERE different <> '')
  FROM (VALUES ('ROWS', '6 PRECEDING', 'e.nth BETWEEN d.nth - 6 AND d.nth'),
               ('ROWS', 'BETWEEN 13 PRECEDING AND 3 FOLLOWING', 'e.nth BETWEEN d.nth - 13 AND d.nth + 3'),
               ('ROWS', 'BETWEEN CURRENT ROW AND 5 FOLLOWING', 'e.nth BETWEEN d.nth AND d.nth + 5'),
               ('ROWS', 'BETWEEN 9 PRECEDING AND 4 PRECEDING', 'e.nth BETWEEN d.nth - 9 AND d.nth - 4'),
               ('ROWS', 'BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'e.nth >= d.nth'),
               ('ROWS', 'CURRENT ROW', 'e.nth = d.nth'), ('ROWS', 'UNBOUNDED PRECEDING', 'e.nth <= d.nth'),
               ('RANGE', 'BETWEEN 7 PRECEDING AND CURRENT ROW', 'e.day BETWEEN d.day - 7 AND d.day'),
               ('RANGE', 'BETWEEN 3 FOLLOWING AND 12 FOLLOWING', 'e.day BETWEEN d.day + 3 AND d.day + 12'),
               ('RANGE', 'CURRENT ROW', 'e.day = d.day'),
               ('GROUPS', 'BETWEEN 4 PRECEDING AND 1 FOLLOWING', 'e.grp BETWEEN d.grp - 4 AND d.grp + 1'),
               ('GROUPS', 'BETWEEN 3 PRECEDING AND 2 PRECEDING', 'e.grp BETWEEN d.grp - 3 AND d.grp - 2'),
               ('GROUPS', 'BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'e.grp >= d.grp')) AS _ (mode, bounds, inside),
       (VALUES ('', 'true'), ('EXCLUDE NO OTHERS', 'true'), ('EXCLUDE CURRENT ROW', 'e.nth <> d.nth'),
               ('EXCLUDE GROUP', 'e.grp <> d.grp'), ('EXCLUDE TIES', 'e.grp <> d.grp OR e.nth = d.nth')) AS x (exclusion, others),
       (VALUES ('true'), ('id % 5 < 3')) AS f (filter), (VALUES ('set'), ('row')) AS k (kind),
       compare(kind, 'days', format('PARTITION BY part ORDER BY day %s %s %s', mode, bounds, exclusion),
               format('%s AND (%s)', inside, others), filter)
 GROUP BY mode, kind, filter ORDER BY mode, kind, filter;

-- Sums of more than 32 kB, which may wait packed.
CREATE TABLE large AS
SELECT i AS id, 0 AS part, i AS nth, s.*
  FROM generate_series(1, 24) AS i,
       LATERAL (SELECT hll_agg(v, 16) AS h, tdigest_agg(v, 2000) AS t, ddsketch_agg(v) AS q, roaring_agg(v) AS r, roaring64_agg(v * bigint '10000000') AS r64,
                       bloom_agg(v, 10000, .01) AS b, cuckoo_agg(v) AS c, cuckoo_agg(i / 3 * 999999 + v) AS c3, cms_weighted_agg(v, 1, .0001, .01) AS m,
                       topk_agg(v, 500) AS k, bitfield_agg(v) AS f, theta_agg(v, 13) AS e
                  FROM (SELECT hashint4(j + i % 5 * 2000) & 524287 AS v FROM generate_series(1, 9000) AS j) AS _) AS s;
SELECT * FROM compare('set', 'large', 'ORDER BY id ROWS BETWEEN 5 PRECEDING AND 1 FOLLOWING',
                      'e.nth BETWEEN d.nth - 5 AND d.nth + 1');
-- They do so where they take more than 8 MB together.
INSERT INTO large SELECT id + 24 * i, part, id + 24 * i, h, t, q, r, r64, b, c, CASE WHEN i = 12 THEN c3 END, m, k, f, e
  FROM large, generate_series(1, 12) AS i;
UPDATE large SET c3 = NULL WHERE id <= 24;
SELECT * FROM compare('set', 'large', 'ORDER BY id ROWS BETWEEN 270 PRECEDING AND 1 FOLLOWING',
                      'e.nth BETWEEN d.nth - 270 AND d.nth + 1', asked => 'd.id IN (1, 200, 271, 272, 300, 312)');

-- Numbers and texts in frames of more than a block of 256 rows.
CREATE TABLE hits AS
SELECT i AS id, 0 AS part, i AS nth, hashint4(i) & 511 AS n, abs(hashint4(i + 7) % 4000) / 8.0 AS ms,
       CASE WHEN i % 5 > 0 THEN (hashint4(i) & 63) || repeat('p', hashint4(i) & 31) END AS page
  FROM generate_series(1, 1300) AS i;
SELECT low, compared.*
  FROM (VALUES (5), (300), (700)) AS _ (low),
       compare('row', 'hits', format('ORDER BY id ROWS BETWEEN %s PRECEDING AND 2 FOLLOWING', low),
               format('e.nth BETWEEN d.nth - %s AND d.nth + 2', low), 'n % 10 > 0',
               'd.id % 29 = 0 OR d.id > 1295') AS compared;

-- Lists of more items than a sketch has counters for: as counting and sorting has them.
CREATE TABLE visits AS
SELECT i AS at, (abs(hashint4(i)::bigint) % 90) * (abs(hashint4(i + 99999)::bigint) % 90) - 1000 AS page
  FROM generate_series(1, 9000) AS i;
SELECT count(*) AS frames, count(*) FILTER (WHERE pages IS DISTINCT FROM expected) AS different,
       count(*) FILTER (WHERE texts IS DISTINCT FROM expected_texts) AS different_texts
  FROM (SELECT at, approx_top_k(page, 8) OVER w AS pages, approx_top_k('/page/' || page, 300) OVER w AS texts
          FROM visits WINDOW w AS (ORDER BY at ROWS 5999 PRECEDING)) AS moving,
       LATERAL (SELECT array_agg(page ORDER BY hits DESC, page) AS expected
                  FROM (SELECT page, count(*) AS hits FROM visits AS v WHERE v.at BETWEEN moving.at - 5999 AND moving.at
                         GROUP BY page ORDER BY hits DESC, page LIMIT 8) AS _) AS _,
       LATERAL (SELECT array_agg(page ORDER BY hits DESC, page COLLATE "C") AS expected_texts
                  FROM (SELECT '/page/' || page AS page, count(*) AS hits FROM visits AS v
                         WHERE v.at BETWEEN moving.at - 5999 AND moving.at
                         GROUP BY v.page ORDER BY hits DESC, ('/page/' || v.page) COLLATE "C" LIMIT 300) AS _) AS __
 WHERE at % 500 = 0 OR at = 8999;

-- Of more than 1,024 rows only the sums of blocks are kept.
SELECT count(*) AS frames, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS different
  FROM (SELECT at, roaring_union_agg(roaring_range(at, at + 3)) OVER w AS a,
               roaring_range(greatest(1, at - 1100), at + 3) AS b
          FROM generate_series(1, 4000) AS at
        WINDOW w AS (ORDER BY at ROWS 1100 PRECEDING)) AS _;
SELECT count(*) AS frames, count(*) FILTER (WHERE numbers IS DISTINCT FROM expected) AS different
  FROM (SELECT at, roaring_union_cardinality_agg(roaring(ARRAY[at, at % 7])) OVER (ORDER BY at ROWS 2500 PRECEDING) AS numbers
          FROM generate_series(1, 6000) AS at) AS moving,
       LATERAL (SELECT count(DISTINCT v) AS expected FROM generate_series(greatest(1, at - 2500), at) AS e,
                       LATERAL unnest(ARRAY[e, e % 7]) AS v) AS _
 WHERE at % 97 = 0;

-- Nothing but NULL, frames that are empty and fill again, a partition of one row.
SELECT id, hll_union_agg(s) OVER w IS NULL AS hll, roaring_xor_agg(r) OVER w IS NULL AS xor,
       approx_count_distinct(n) OVER w AS distinct_values, approx_median(n) OVER w AS median
  FROM (VALUES (1, NULL::hll, NULL::roaring, NULL::int), (2, hll_add(hll_empty(), 'a'), '{1}', 4),
               (3, NULL, NULL, NULL), (4, NULL, NULL, NULL), (5, hll_add(hll_empty(), 'b'), '{2}', 5),
               (6, NULL, '{2}', 5)) AS _ (id, s, r, n)
WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 0 FOLLOWING);

-- Refused as by the plain aggregates, when the row arrives or its frame is united.
SELECT * FROM pg_temp.errors_of(
    'hll_union_agg(s) OVER (ORDER BY i ROWS 2 PRECEDING) FROM (SELECT i, CASE WHEN i < 5 THEN hll_agg(i) ELSE hll_redis_empty() END AS s FROM generate_series(1, 8) i GROUP BY i) AS _',
    'hll_agg(i, CASE WHEN i < 5 THEN 10 ELSE 11 END) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_percentile(i, i / 10.0) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_percentile(i, 1.5) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_percentile(i, NULL::float8) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_percentiles(i, ARRAY[.5, NULL]) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'ddsketch_union_percentile_agg(ddsketch_add(NULL, i), i / 10.0) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'ddsketch_union_percentile_agg(ddsketch_add(NULL, i), 1.5) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_top_k(i, i / 4 + 1) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_top_count(i, i / 4 + 1) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_top_k(i::text, NULL) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_top_k(i::text, 100001) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    $$approx_top_k(repeat('x', i << 20), 5) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 2) AS i$$,
    $$approx_median(i / 0.1 * CASE WHEN i = 6 THEN float8 'NaN' ELSE 1 END) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i$$);

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

DROP FUNCTION compare;
DROP TABLE calls, days, large, hits, visits;
