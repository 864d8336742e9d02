-- An empty sketch is neutral: united with another one it changes no byte of it, whatever the
-- parameters and the hash function of the empty one, and wherever it comes from: made as one, what a
-- subtraction or an intersection left, read from another system. Each query lists what is wrong, so
-- its right answer is no rows. (Random trees of parameters: test/unit/common/test_unite.c.)

\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
CREATE TEMP TABLE line (text text);
\copy line FROM PROGRAM 'zcat test/data/redis_counts.jsonl.gz test/data/redis_bloom.jsonl.gz; cat test/data/redis_tdigest.jsonl' WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
\set ECHO all
-- Sketches, few items and many, and empty ones of other parameters.
CREATE TABLE neutral (type text, sketch text, empty text[]);
INSERT INTO neutral
SELECT type, sketch, empty
  FROM (VALUES
    ('hll', '{"hll_agg(i, 16)", "hll_agg(i, 5)", "hll_redis_agg(i::text)", "hll_postgresql_hll_agg(hll_postgresql_hll_hash(i), 12)", "hll_datasketches_agg(hll_datasketches_hash(i), 11)"}'::text[],
     '{hll_empty(), hll_empty(4), hll_empty(18), hll_redis_empty(), hll_postgresql_hll_empty(6), hll_datasketches_empty(4),
       hll_from_redis(hll_to_redis(hll_redis_empty())), hll_from_datasketches(hll_to_datasketches(hll_datasketches_empty(18))), hll_from_postgresql_hll(''\\x118b7f'')}'::text[]),
    ('theta', '{"theta_agg(i, 14)", "theta_agg(i, 5)"}',
     '{theta_empty(), theta_empty(4), theta_empty(20), "theta_add(theta_empty(4), 1) & theta_add(theta_empty(), 2)", "theta_add(theta_empty(4), 1) - theta_add(theta_empty(), 1)",
       theta_from_datasketches(theta_to_datasketches(theta_empty(4)))}'),
    ('topk', '{"topk_agg(i % 200, 30)", "topk_agg(i::text, 3)"}',
     '{topk_empty(), topk_empty(1), topk_empty(1000), "topk_from_datasketches(''\\x01010a0303050000'', 2)"}'),
    ('cms', '{"cms_agg(i, 0.01, 0.1)", "cms_agg(i % 5, 0.1, 0.01)"}',
     '{cms_empty(), "cms_by_dim(3, 2)", "cms_by_dim(5000, 9)", "cms_merge(ARRAY[cms_add(cms_by_dim(7, 1), 1)], ''{0}'')"}'),
    ('bloom', '{"bloom_agg(i, 1000, 0.001)", "bloom_agg(i, 10, 0.3)"}',
     '{bloom_empty(), "bloom_empty(1, 0.5, 0)", "bloom_empty(100000, 0.0001, 4)", "bloom_add(bloom_empty(), 1) & bloom_add(bloom_empty(), 2)"}'),
    ('tdigest', '{"tdigest_agg(i, 1000)", "tdigest_agg(i % 7)", "tdigest_weighted_agg(i, i)"}',
     '{tdigest_empty(), tdigest_empty(10), tdigest_empty(10000), "tdigest_add(tdigest_empty(10), 1, 0)", tdigest_from_datasketches(tdigest_to_datasketches(tdigest_empty(10))),
       tdigest_from_kll(''\\x02010f01c8000800''), "tdigest_from_tdigest_extension(''flags 0 count 0 compression 10 centroids 0'')", tdigest_from_ddsketch(ddsketch_to_ddsketch(ddsketch_empty())),
       "tdigest_from_histogram(''{1,2}'', ''{0,0}'')"}'),
    ('ddsketch', '{"ddsketch_agg(i, 0.001)", "ddsketch_agg(i - 300)", "ddsketch_from_ddsketch(ddsketch_to_ddsketch(ddsketch_agg(i)))"}',
     '{ddsketch_empty(), ddsketch_empty(0.5), ddsketch_empty(0.000001), "ddsketch_agg(i) - ddsketch_agg(i)", "ddsketch_from_exponential_histogram(-10, 0, 0, ''{}'')",
       ddsketch_from_ddsketch(ddsketch_to_ddsketch(ddsketch_empty(0.3)))}'),
    ('cuckoo', '{"cuckoo_agg(i, 5000, 24)", "cuckoo_agg(i, 10, 8)"}',
     '{cuckoo_empty(), "cuckoo_empty(10, 8, 0)", "cuckoo_empty(1000000, 32)", "cuckoo_delete(cuckoo_add(cuckoo_empty(5, 9), 1), 1)"}'),
    ('roaring', '{roaring_agg(i)}', '{roaring_empty(), roaring_agg(i) - roaring_agg(i), roaring_from_portable(roaring_to_portable(roaring_empty()))}'),
    ('roaring64', '{roaring64_agg(i::bigint << 20)}',
     '{roaring64_empty(), roaring64_agg(i) - roaring64_agg(i), roaring64_from_portable(roaring64_to_portable(roaring64_empty()))}')) v (type, sketches, empty),
    unnest(sketches) AS sketch;
-- Empty ones of Redis: a cms, a bloom and a tdigest.
UPDATE neutral SET empty = empty || format('%s_from_redis(%L)', type, '\x' || (j->>'dump'))
  FROM (SELECT text::jsonb AS j FROM line) l WHERE j->>'kind' = type AND type <> 'topk' AND j->>'name' = 'empty';
SELECT count(DISTINCT type) AS types FROM neutral WHERE empty::text LIKE '%_from_redis(%x07%';
-- Fills a test for each sketch of 5 and of 600 items and each empty one: <T> the type, <S> and <E> the two.
CREATE FUNCTION pg_temp.wrong(test text) RETURNS TABLE (sketch text, empty text, items int, answer text)
LANGUAGE plpgsql AS $$
DECLARE
    n neutral;
BEGIN
    FOR n IN SELECT * FROM neutral LOOP
        FOREACH items IN ARRAY '{5, 600}'::int[] LOOP
            EXECUTE format('CREATE TEMP TABLE s AS SELECT %s AS s FROM generate_series(1, %s) i', n.sketch, items);
            FOREACH empty IN ARRAY n.empty LOOP
                sketch := n.sketch;
                EXECUTE format('CREATE TEMP TABLE e AS SELECT %s AS e FROM generate_series(1, 600) i LIMIT 1', empty);
                EXECUTE replace(test, '<T>', n.type) INTO answer;
                DROP TABLE e;
                IF answer IS DISTINCT FROM 'true' THEN RETURN NEXT; END IF;
            END LOOP;
            DROP TABLE s;
        END LOOP;
    END LOOP;
END $$;
SET client_min_messages = warning;
SET jit = off;

-- The operator, its function, and both in a row.
SELECT * FROM pg_temp.wrong('SELECT (s | e) = s AND (e | s) = s AND <T>_union(s, e) = s AND <T>_union(e, s) = s
    AND ((e | s) | e) = s AND (e | (e | s)) = s AND ((s | e) | s) = (s | s) AND (s | e)::bytea = s::bytea FROM s, e');
-- The aggregate, in every order, and over empty ones only: they do not depend on the order.
SELECT * FROM pg_temp.wrong('SELECT
    (SELECT <T>_union_agg(v) FROM (SELECT e AS v FROM e UNION ALL SELECT s FROM s UNION ALL SELECT e FROM e) u) = s
    AND (SELECT <T>_union_agg(v) FROM (SELECT s AS v FROM s UNION ALL SELECT e FROM e UNION ALL SELECT NULL) u) = s
    AND (SELECT <T>_union_agg(v) FROM (SELECT e AS v FROM e UNION ALL SELECT <T>_empty()) u)
      = (SELECT <T>_union_agg(v) FROM (SELECT <T>_empty() AS v UNION ALL SELECT e FROM e) u) FROM s');
-- Frames that move: an empty one enters, is alone, and leaves.
SELECT * FROM pg_temp.wrong('SELECT bool_and(u = CASE WHEN n % 4 < 2 THEN s ELSE e END)
    FROM (SELECT n, <T>_union_agg(CASE WHEN n % 4 = 0 THEN s ELSE e END) OVER (ORDER BY n ROWS 1 PRECEDING) AS u, s, e
            FROM s, e, generate_series(0, 11) n) w');
SELECT * FROM pg_temp.wrong('SELECT bool_and(u = s)
    FROM (SELECT n, <T>_union_agg(CASE WHEN n % 4 = 0 THEN s ELSE e END) OVER (ORDER BY n ROWS 3 PRECEDING) AS u, s
            FROM s, e, generate_series(0, 11) n) w WHERE n > 2');
-- A parallel plan: four of a hundred rows are not empty, wherever they go.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION pg_temp.parallel_wrong() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    n neutral;
    good boolean;
BEGIN
    FOR n IN SELECT * FROM neutral LOOP
        EXECUTE format('CREATE TABLE neutral_rows AS SELECT CASE WHEN r %% 25 = 0 THEN (SELECT %s FROM generate_series(1, 200) i)
            ELSE (SELECT %s FROM generate_series(1, 600) i LIMIT 1) END AS v, repeat(''x'', 3000) AS room FROM generate_series(1, 100) r', n.sketch, n.empty[2]);
        EXECUTE 'ALTER TABLE neutral_rows ALTER room SET STORAGE PLAIN, SET (parallel_workers = 3)';
        EXECUTE format('SELECT %s_union_agg(v) = (SELECT %1$s_union_agg(v) FROM (SELECT %s AS v FROM generate_series(1, 200) i, generate_series(1, 4) j GROUP BY j) u) FROM neutral_rows', n.type, n.sketch) INTO good;
        DROP TABLE neutral_rows;
        IF good IS NOT TRUE THEN RETURN NEXT n.sketch; END IF;
    END LOOP;
END $$;
SELECT * FROM pg_temp.parallel_wrong();
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- What is not a union, but merges: a sum of filters, a weighted merge.
SELECT cuckoo_sum(f, e) = f AND cuckoo_sum(e, f) = f AS sum,
       (SELECT cuckoo_sum_agg(v) FROM (VALUES (e), (f), (e)) u (v)) = f AS sum_agg
  FROM (SELECT cuckoo_agg(i) AS f, cuckoo_empty(3, 9, 0) AS e FROM generate_series(1, 300) i) s;
SELECT cms_merge(ARRAY[cms_empty(), c, cms_by_dim(7, 7)], '{1, 1, 5}') = c AS merge,
       cms_merge(ARRAY[cms_by_dim(7, 7), c, cms_add(cms_empty(), 1)], '{5, 2, 0}') = (c | c) AS weights
  FROM (SELECT cms_agg(i, 0.05, 0.05) AS c FROM generate_series(1, 300) i) s;
-- Zeros are in no bucket: a part of nothing else leaves the buckets and the error of the others, in every order, and of another
-- system's library, too; as many zeros are added. Of such parts alone the coarsest remains.
CREATE TABLE neutral_zeros (zeros bigint, z ddsketch);
INSERT INTO neutral_zeros VALUES
    (3, ddsketch_from_exponential_histogram(0, 3, 0, '{}')), (3, ddsketch_from_exponential_histogram(-10, 3, 0, '{}', 0, '{}', 0, 0)),
    (3, ddsketch_add(ddsketch_empty(0.4), 0, 3)), (1000, ddsketch_add(ddsketch_empty(0.000001), 0, 1000)),
    (3, ddsketch_from_ddsketch(ddsketch_to_ddsketch(ddsketch_add(ddsketch_empty(0.1), 0, 3)))),
    (2, ddsketch_add_all(ddsketch_empty(0.5), '{0,7,0}') - ddsketch_add(ddsketch_empty(0.5), 7));
CREATE TABLE neutral_values AS
    SELECT ddsketch_agg(i, e) AS s FROM generate_series(-5, 500, 5) i, (VALUES (0.00034), (0.2)) v (e) GROUP BY e
    UNION ALL SELECT ddsketch_agg(i, 0.0001) FROM generate_series(1, 50000, 7) i
    UNION ALL SELECT ddsketch_from_ddsketch(ddsketch_to_ddsketch(ddsketch_agg(i, 0.01))) FROM generate_series(-5, 500, 5) i;
SELECT count(*) AS pairs, bool_and((s | z) = (z | s)) AS commute, bool_and(u.relative_error = i.relative_error AND u.scale IS NOT DISTINCT FROM i.scale) AS error,
       bool_and(u.buckets <= i.buckets + 1 AND u.count = i.count + zeros) AS counts, bool_and(d.relative_error = i.relative_error AND d.buckets = i.buckets AND d.count = i.count) AS subtracted,
       bool_and(ddsketch_rank((s | z), -0.5) = ddsketch_rank(s, -0.5) AND ddsketch_rank((s | z), 0.5) = ddsketch_rank(s, 0.5) + zeros) AS ranks,
       bool_and((SELECT ddsketch_union_agg(v) FROM (VALUES (z), (s), (z)) a (v)) = (SELECT ddsketch_union_agg(v) FROM (VALUES (s), (z), (z)) a (v))) AS aggregates
  FROM neutral_values, neutral_zeros, ddsketch_info(s) i, ddsketch_info(s | z) u, ddsketch_info((s | z) - z) d;
SELECT bool_and((a.z | (b.z | s)) = ((a.z | b.z) | s)) AS brackets, bool_and((a.z | b.z) = (b.z | a.z)) AS commute,
       bool_and((ddsketch_info(a.z | b.z)).relative_error = greatest((ddsketch_info(a.z)).relative_error, (ddsketch_info(b.z)).relative_error))
         FILTER (WHERE (ddsketch_info(a.z)).scale IS NOT NULL AND (ddsketch_info(b.z)).scale IS NOT NULL) AS coarsest
  FROM neutral_zeros a, neutral_zeros b, neutral_values;
-- Of empty ones the parameters merge as before; of two hash functions this extension's remains.
SELECT (hll_info(hll_empty(13) | hll_empty(16))).precision AS hll, (theta_info(theta_empty(16) | theta_empty())).lgk AS theta,
       (topk_info(topk_empty(100) | topk_empty())).k AS topk, (hll_info(hll_redis_empty() | hll_empty())).hash AS hash,
       (cms_info(cms_by_dim(10, 9) | cms_by_dim(20, 5))).width AS cms;
-- What somebody writes who has no sketch for a day, and a table whose default is an empty one.
CREATE TABLE neutral_days (day date, users hll DEFAULT hll_empty());
INSERT INTO neutral_days SELECT '2026-01-01', hll_agg(i, 16) FROM generate_series(1, 9000) i;
INSERT INTO neutral_days (day) VALUES ('2026-01-02');
SELECT (hll_info(coalesce(NULL, hll_empty()) | users)).precision AS coalesced,
       (hll_info((SELECT hll_union_agg(users) FROM neutral_days))).precision AS united
  FROM neutral_days WHERE day = '2026-01-01';
DROP TABLE neutral_days, neutral_zeros, neutral_values, neutral;
