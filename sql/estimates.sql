-- Estimates that the planner would refuse: each operator and function that has a support function or an
-- estimator of its own, planned over columns of one to sixty distinct values that ANALYZE has seen.
\set ECHO none
\i sql/include/output.sql
\i sql/include/sample.sql
\set ECHO all

CREATE TEMP TABLE seen (g geohash, r roaring, r64 roaring64, b bigint, i int, s smallint);
CREATE INDEX ON seen (g);
CREATE INDEX ON seen (b);
CREATE INDEX ON seen USING gin (r);

-- Constants of each type: the values of the columns, all of them at once, none.
CREATE TEMP TABLE constant (type regtype, value text);
INSERT INTO constant VALUES
    ('geohash', 's00000000000'), ('geohash', 'zzzzzzzzzzzz'), ('geohash', NULL),
    ('roaring', '{}'), ('roaring', '{1,70000}'), ('roaring', roaring_range(0, 100)::text), ('roaring', NULL),
    ('bigint', '0'), ('bigint', '-1'), ('int', '0'), ('int', NULL), ('smallint', '1');
INSERT INTO constant SELECT 'roaring64', value FROM constant WHERE type = 'roaring'::regtype;

-- The operators between columns and constants, and between the columns of a join; then the functions behind
-- them, and those that have no operator.
CREATE TEMP TABLE condition AS
    WITH operand AS (
        SELECT 'seen.' || attname AS text, atttypid AS type, true AS seen, false AS constant FROM pg_attribute
         WHERE attrelid = 'seen'::regclass AND attnum > 0
        UNION ALL
        SELECT 'other.' || attname, atttypid, false, false FROM pg_attribute WHERE attrelid = 'seen'::regclass AND attnum > 0
        UNION ALL
        SELECT format('%L::%s', value, type), type, false, true FROM constant
    )
    SELECT format(form, l.text, oprname, r.text, oprcode::regproc) AS condition
      FROM pg_operator o JOIN pg_depend d ON d.objid = o.oid AND classid = 'pg_operator'::regclass AND deptype = 'e'
      JOIN operand l ON l.type = oprleft JOIN operand r ON r.type = oprright,
           unnest(ARRAY['%1$s %2$s %3$s', '%4$s(%1$s, %3$s)']) WITH ORDINALITY f(form, n)
     WHERE (n = 1 OR (SELECT prosupport <> 0 FROM pg_proc p WHERE p.oid = oprcode)) AND oprresult = 'boolean'::regtype AND (l.seen AND NOT r.seen OR l.constant AND r.seen)
    UNION ALL
    SELECT format('geohash_within%s(seen.g, %s)', variant, region)
      FROM unnest(ARRAY['', '_exact']) variant,
           unnest(ARRAY['0, 0, 100, ''km''', '0, 0, 2e7', '0, 0, 0', '90, 45, 1',
                        'geohash_lon(other.g), 0, 100']) region
    UNION ALL
    SELECT format('geohash_within_box%s(seen.g, %s)', variant, region)
      FROM unnest(ARRAY['', '_exact']) variant,
           unnest(ARRAY['0, 0, 100, 100, ''km''', '0, 0, 4e7, 4e7', '0, 0, 0, 0',
                        'geohash_lon(other.g), 0, 1, 1']) region
    UNION ALL
    SELECT format('geohash_between(seen.g, %s)', range)
      FROM unnest(ARRAY['''0'', ''zzzzzzzzzzzz''', '''s'', ''s0zzzzzzzzzz''', '''z'', ''0''', 'NULL, ''z''',
                        '''0'', other.g']) range;
SELECT count(*) > 300 AS many, count(*) FILTER (WHERE condition ~ 'seen.r64 (@>|<@|&&) other.r64') AS of_a_join
  FROM condition;
-- No function with a support function is missing.
SELECT proname FROM pg_proc p
 WHERE prosupport::text LIKE '%\_geohash\_support' OR prosupport::text LIKE '%\_roaring\_support'
 GROUP BY proname
HAVING bool_and(prorettype = 'boolean'::regtype)
       AND NOT EXISTS (SELECT FROM condition WHERE condition ~ ('\m' || proname || '\('));

-- 300 tables: 1 to 60 values, all as frequent, skewed, with NULLs, each once, and with others.
CREATE FUNCTION pg_temp.fill(n int, shape int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE seen;
    INSERT INTO seen
    SELECT geohash(v * 0.001, 0), roaring(ARRAY[v, v + 1, 70000]), roaring64(ARRAY[v]), v, v, v
      FROM (SELECT CASE shape WHEN 1 THEN i % n WHEN 2 THEN floor(n * (i / (n * 20.0)) ^ 4)
                       WHEN 3 THEN nullif(i % n, 0) WHEN 4 THEN i
                       ELSE CASE WHEN i % 2 = 0 THEN i % n ELSE i END END::int AS v
              FROM generate_series(1, CASE shape WHEN 4 THEN n ELSE n * 20 END) i) s
     WHERE v IS NOT NULL OR shape = 3;
    ANALYZE seen;
END $$;
CREATE FUNCTION pg_temp.refused(n int, shape int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE c text;
BEGIN
    PERFORM pg_temp.fill(n, shape);
    FOR c IN SELECT condition FROM condition LOOP
        EXECUTE 'EXPLAIN SELECT FROM seen' || CASE WHEN c ~ 'other' THEN ', seen other' ELSE '' END
            || ' WHERE ' || c;
    END LOOP;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s values, shape %s: %s: %s', n, shape, c, SQLERRM);
END $$;
SELECT count(*) * pg_temp.sample() >= 300 AS tables, count(r) AS refused, min(r) AS first
  FROM generate_series(1, 60, pg_temp.sample()) n, generate_series(1, 5) shape, pg_temp.refused(n, shape) r;
