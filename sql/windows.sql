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
-- are the numbers in the frame.
CREATE TABLE calls (kind text, call text, anew text, holds text DEFAULT 'a IS NOT DISTINCT FROM b');
INSERT INTO calls (kind, call)
SELECT 'set', unnest(ARRAY['hll_union_agg(h)', 'roaring_union_agg(r)', 'roaring64_union_agg(r64)', 'cuckoo_union_agg(c)',
       'ddsketch_union_agg(q)', 'theta_union_agg(e)']);
INSERT INTO calls (kind, call, anew) VALUES
    ('set', 'hll_union_cardinality_agg(h)', 'coalesce(hll_cardinality(hll_union_agg(h) <F>), 0)'),
    ('set', 'roaring_union_cardinality_agg(r)', 'coalesce(roaring_cardinality(roaring_union_agg(r) <F>), 0)'),
    ('set', 'roaring64_union_cardinality_agg(r64)', 'coalesce(roaring64_cardinality(roaring64_union_agg(r64) <F>), 0)'),
    ('set', 'theta_union_cardinality_agg(e)', 'coalesce(theta_cardinality(theta_union_agg(e) <F>), 0)'),
    ('set', 'ddsketch_union_percentile_agg(q, .9)', 'ddsketch_percentile(ddsketch_union_agg(q) <F>, .9)'),
    ('set', 'ddsketch_union_percentile_agg(q, ''0.5'')', 'ddsketch_percentile(ddsketch_union_agg(q) <F>, .5)'),
    ('set', 'ddsketch_union_percentiles_agg(q, ARRAY[0, .25, 1])',
     'ddsketch_percentiles(ddsketch_union_agg(q) <F>, ARRAY[0, .25, 1])'),
    ('row', 'approx_count_distinct(n)', 'count(DISTINCT n)'),
    ('row', 'approx_count_distinct(page)', 'count(DISTINCT page)'),
    ('row', 'approx_median(ms)', 'percentile_cont(.5) WITHIN GROUP (ORDER BY ms)'),
    ('row', 'approx_percentiles(ms, ARRAY[0, .25, 1])',
     'percentile_cont(ARRAY[0, .25, 1]) WITHIN GROUP (ORDER BY ms)');
-- What depends on the order of merging keeps its promises: members, totals, bounds.
INSERT INTO calls VALUES
    ('set', 'bloom_union_agg(b)', NULL, 'true = ALL (bloom_contains_each(a, members))'),
    ('set', 'cms_union_agg(m)', NULL, 'cms_total(a) = cms_total(b) AND 0 < ALL (cms_query_each(a, members))'),
    ('set', 'topk_union_agg(k)', NULL, 'topk_total(a) = topk_total(b)'),
    ('set', 'tdigest_union_agg(t)', NULL, 'abs(tdigest_cdf(a, 2500) - tdigest_cdf(b, 2500)) < .01 AND '
     '(tdigest_count(a), tdigest_min(a), tdigest_max(a)) = (tdigest_count(b), tdigest_min(b), tdigest_max(b))'),
    ('set', 'tdigest_union_percentile_agg(t, 0)', NULL, 'a = b'),
    ('set', 'tdigest_union_percentiles_agg(t, ARRAY[0, 1])', NULL, 'a = b'),
-- It is that of the plain aggregate to the last bit on every processor. percentile_cont is not: where a processor
-- multiplies and adds at once, as aarch64 does, PostgreSQL was compiled to do so.
    ('row', 'approx_percentile(ms, .9)', NULL, 'a = b'),
    ('row', 'approx_percentile(ms, .7)', 'percentile_cont(.7) WITHIN GROUP (ORDER BY ms)', 'abs(a - b) < 1e-9');
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
    numbers text := CASE WHEN kind = 'row' THEN 'array_agg(n)'
                         ELSE 'roaring_to_array(roaring_union_agg(r) FILTER (WHERE %s))' END;
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
                                           AS f (%8$s, members)
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
                       bloom_agg(v) AS b, cuckoo_agg(v) AS c,
                       cms_agg(v) AS m, topk_agg(v) AS k,
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
                       bloom_agg(v, 10000, .01) AS b, cuckoo_agg(v) AS c, cms_weighted_agg(v, 1, .0001, .01) AS m,
                       topk_agg(v, 500) AS k, theta_agg(v, 13) AS e
                  FROM (SELECT hashint4(j + i % 5 * 2000) & 524287 AS v FROM generate_series(1, 9000) AS j) AS _) AS s;
SELECT * FROM compare('set', 'large', 'ORDER BY id ROWS BETWEEN 5 PRECEDING AND 1 FOLLOWING',
                      'e.nth BETWEEN d.nth - 5 AND d.nth + 1');
-- They do so where they take more than 8 MB together.
INSERT INTO large SELECT id + 24 * i, part, id + 24 * i, h, t, q, r, r64, b, c, m, k, e
  FROM large, generate_series(1, 12) AS i;
SELECT * FROM compare('set', 'large', 'ORDER BY id ROWS BETWEEN 270 PRECEDING AND 1 FOLLOWING',
                      'e.nth BETWEEN d.nth - 270 AND d.nth + 1', asked => 'd.id IN (1, 200, 271, 272, 300, 312)');

-- Numbers and texts in longer frames.
CREATE TABLE hits AS
SELECT i AS id, 0 AS part, i AS nth, hashint4(i) & 511 AS n, abs(hashint4(i + 7) % 4000) / 8.0 AS ms,
       CASE WHEN i % 5 > 0 THEN (hashint4(i) & 63) || repeat('p', hashint4(i) & 31) END AS page
  FROM generate_series(1, 1300) AS i;
SELECT low, compared.*
  FROM (VALUES (5), (300), (700)) AS _ (low),
       compare('row', 'hits', format('ORDER BY id ROWS BETWEEN %s PRECEDING AND 2 FOLLOWING', low),
               format('e.nth BETWEEN d.nth - %s AND d.nth + 2', low), 'n % 10 > 0',
               'd.id % 29 = 0 OR d.id > 1295') AS compared;

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
SELECT id, hll_union_agg(s) OVER w IS NULL AS hll, roaring_union_agg(r) OVER w IS NULL AS roaring,
       approx_count_distinct(n) OVER w AS distinct_values, approx_median(n) OVER w AS median
  FROM (VALUES (1, NULL::hll, NULL::roaring, NULL::int), (2, hll_add(hll_empty(), 'a'), '{1}', 4),
               (3, NULL, NULL, NULL), (4, NULL, NULL, NULL), (5, hll_add(hll_empty(), 'b'), '{2}', 5),
               (6, NULL, '{2}', 5)) AS _ (id, s, r, n)
WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 0 FOLLOWING);

-- Refused as by the plain aggregates, when the row arrives or its frame is united.
SELECT * FROM pg_temp.errors_of(
    'hll_union_agg(s) OVER (ORDER BY i ROWS 2 PRECEDING) FROM (SELECT i, CASE WHEN i < 5 THEN hll_agg(i) ELSE hll_redis_agg(''x'') END AS s FROM generate_series(1, 8) i GROUP BY i) AS _',
    'hll_agg(i, CASE WHEN i < 5 THEN 10 ELSE 11 END) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_percentile(i, i / 10.0) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_percentile(i, 1.5) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_percentile(i, NULL::float8) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'approx_percentiles(i, ARRAY[.5, NULL]) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'ddsketch_union_percentile_agg(ddsketch_add(NULL, i), i / 10.0) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
    'ddsketch_union_percentile_agg(ddsketch_add(NULL, i), 1.5) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 8) AS i',
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
DROP TABLE calls, days, large, hits;
