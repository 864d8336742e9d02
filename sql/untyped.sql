-- Literals and parameters without a type, as drivers send them, where a function has overloads: they
-- are read as what they look like, or the error says what to write.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all
\set VERBOSITY terse

-- ---- arrays: '{a,b}' ----

SELECT hll_cardinality(hll_add_all(hll_empty(), '{a,b,NULL}')) AS hll,
       bloom_cardinality(bloom_add_all(bloom_empty(), '{a,b,NULL}')) AS bloom,
       cuckoo_cardinality(cuckoo_add_all(cuckoo_empty(), '{a,b,b}')) AS cuckoo,
       cuckoo_cardinality(cuckoo_addnx_all(cuckoo_empty(), '{a,b,b}')) AS cuckoo_nx,
       cms_total(cms_add_all(cms_empty(), '{a,b,b}')) AS cms,
       cms_total(cms_add_all(cms_empty(), '{a,b}', '{2,3}')) AS cms_counts,
       topk_total(topk_add_all(topk_empty(), '{a,b,b}')) AS topk;

-- They are the items that a typed array has; numbers are those of their types.
SELECT hll_add_all(hll_empty(), '{1,2}') = hll_add_all(hll_empty(), ARRAY[1, 2]::bigint[]) AS hll,
       bloom_add_all(NULL, '{1,2}') = bloom_add_all(NULL, ARRAY['1', '2']) AS bloom,
       bloom_contains_each(bloom_agg(i), '{3,x,NULL}') = '{t,f,NULL}' AS bloom_each,
       cuckoo_contains_each(cuckoo_agg(i), '{3,x}') AS cuckoo_each,
       cuckoo_cardinality(cuckoo_delete_all(cuckoo_agg(i), '{3,4}')) AS cuckoo_delete,
       cms_query_each(cms_agg(i), '{3,x}') AS cms_each
  FROM generate_series(1, 9) i;
SELECT hll_add_all(hll_empty(), '{}') = hll_empty() AS none,
       hll_add_all(hll_empty(), NULL) = hll_empty() AS of_null, hll_add_all(NULL, NULL) IS NULL AS nothing;

-- A constant array beside a value from each row, twice.
SELECT array_agg(cuckoo_contains_each(f, '{1,2,3}')) AS each
  FROM (SELECT cuckoo_agg(i) AS f FROM generate_series(1, 3) i GROUP BY i) s;

-- A parameter.
PREPARE added AS SELECT hll_cardinality(hll_add_all(hll_empty(), $1));
EXECUTE added('{a,b,c}');
EXECUTE added('{}');
DEALLOCATE added;

SELECT call, pg_temp.sqlstate_of('SELECT ' || call)
  FROM unnest(ARRAY['hll_add_all(hll_empty(), ''a'')', 'bloom_contains_each(bloom_empty(), ''{a'')',
                    'cms_query_each(cms_empty(), '''')', 'topk_add_all(topk_empty(), ''{"}'')',
                    'cms_add_all(cms_empty(), ''{a,b}'', ''{1}'')']) call;

-- ---- quantiles: '0.5' ----

CREATE TEMP TABLE digests AS
    SELECT g, tdigest_agg(i) AS d FROM generate_series(1, 9) i, LATERAL (SELECT i % 3) s(g) GROUP BY g;
SELECT tdigest_union_percentile_agg(d, '0.5') AS untyped,
       tdigest_union_percentile_agg(d, 0.5) AS one,
       tdigest_union_percentiles_agg(d, '{0.5}') AS several
  FROM digests;
SELECT g, tdigest_union_percentile_agg(d, '0.5') OVER frame = tdigest_union_percentile_agg(d, 0.5) OVER frame
           AS same
  FROM digests WINDOW frame AS (ORDER BY g ROWS 1 PRECEDING) ORDER BY g;
SELECT ddsketch_union_percentile_agg(d, '0.5') = ddsketch_union_percentile_agg(d, 0.5) AS one,
       ddsketch_union_percentiles_agg(d, '{0.5}') = ARRAY[ddsketch_union_percentile_agg(d, 0.5)] AS several
  FROM (SELECT ddsketch_agg(i) AS d FROM generate_series(1, 9) i GROUP BY i % 3) s;
SELECT call, pg_temp.error_of(format('SELECT tdigest_union_percentile_agg(d, %s) FROM digests', call))
  FROM unnest(ARRAY['''{0.5}''', '''x''', '''2''', 'NULL::text', 'g::text']) call;

-- What a driver that asks for the types of parameters hears: a list has a function of its own.
PREPARE asked AS SELECT tdigest_percentile(d, $1), tdigest_percentiles(d, $2), tdigest_rank(d, $3), tdigest_byrank_each(d, $4)
                   FROM digests;
PREPARE aggregated AS SELECT approx_percentile(1.0, $1), approx_percentiles(1, $2), tdigest_union_percentile_agg(d, $3),
                             tdigest_union_percentiles_agg(d, $4) FROM digests;
PREPARE of_ddsketch AS SELECT ddsketch_percentile(d, $1), ddsketch_percentiles(d, $2), ddsketch_cdf(d, $3), ddsketch_rank_each(d, $4)
                         FROM (SELECT ddsketch_empty()) AS s(d);
SELECT name, parameter_types FROM pg_prepared_statements ORDER BY name COLLATE "C";
DEALLOCATE ALL;

-- ---- aggregates of parameters: a number without a point is a capacity, whatever its type ----

SELECT (bloom_info(bloom_agg(i, 1000))).capacity AS int, (bloom_info(bloom_agg(i, 1000::bigint))).capacity AS bigint,
       bloom_agg(i, 1000) = bloom_agg(i, 1000::bigint) AS same,
       bloom_agg(i::text, 1000) = bloom_agg(i::text, 1000::bigint) AS same_of_text,
       (bloom_info(bloom_agg(i, 100, 0.001))).error_rate AS rate
  FROM generate_series(1, 9) i;
SELECT pg_temp.error_of('SELECT bloom_agg(i, 1000::bigint * i) FROM generate_series(1, 2) i');
SELECT count(*) AS other_than_serial FROM (
    SELECT bloom_agg(i, 1000::bigint) OVER frame = bloom_agg(i, 1000) OVER frame AS same
      FROM generate_series(1, 9) i WINDOW frame AS (ORDER BY i ROWS 2 PRECEDING)) s WHERE NOT same;

-- cms: error and probability, with a count or without.
SELECT cms_agg(i, 0.01, 0.1) = cms_weighted_agg(i, 1, 0.01, 0.1) AS same,
       cms_agg(i::text, 0.01, 0.1) = cms_weighted_agg(i::text, 1, 0.01, 0.1) AS same_of_text,
       (cms_info(cms_agg(i, 0.01, 0.1))).width AS width
  FROM generate_series(1, 9) i;
SELECT call, pg_temp.error_of(format('SELECT cms_agg(i, %s) FROM generate_series(1, 2) i', call))
  FROM unnest(ARRAY['0.01, 0.1 / i', '0.0, 0.1', '0.01, NULL']) call;
SELECT count(*) AS other_than_serial FROM (
    SELECT cms_agg(i, 0.01, 0.1) OVER frame = cms_weighted_agg(i, 1, 0.01, 0.1) OVER frame AS same
      FROM generate_series(1, 9) i WINDOW frame AS (ORDER BY i ROWS 2 PRECEDING)) s WHERE NOT same;

-- ---- roaring: a value, or a set ----

SELECT '{1,2,3}'::roaring @> '3' AS value, '{1,2,3}'::roaring @> '{3,4}' AS set, '3' <@ '{1,2,3}'::roaring AS within;

-- The type of the value is that of a column.

SELECT approx_percentile(x, '0.5') FROM (VALUES (1), (2)) s(x);

-- ---- small numbers: some drivers send them as smallint ----

SELECT roaring('{1,2}'::smallint[]) AS roaring, roaring64('{1,2}'::smallint[]) AS roaring64,
       '{3}'::smallint[]::roaring AS by_cast, roaring_add_all('{1}', '{7}'::smallint[]) AS added;
SELECT pg_temp.error_of('SELECT roaring(''{1,-1}''::smallint[])');
SELECT approx_percentile(i, '0.5') AS untyped, approx_percentile(i, 0.5) AS typed FROM generate_series(1, 9) i;
SELECT i, approx_percentile(i, '0.5') OVER frame AS untyped, approx_percentile(i, 0.5) OVER frame AS typed
  FROM generate_series(1, 4) i WINDOW frame AS (ORDER BY i ROWS 1 PRECEDING);
SELECT call, pg_temp.error_of(format('SELECT approx_percentile(i, %s) FROM generate_series(1, 9) i', call))
  FROM unnest(ARRAY['''{0.5,0.9}''', '''x''', '''2''', 'NULL::text']) call;

-- ---- operators ----

-- A number means the same as smallint, integer, bigint, numeric, double precision and text. What has no type
-- beside an operator is a text, or a set beside roaring, which reads a number. theta keeps integers, fractions and
-- texts apart, as DataSketches does. (Functions: t/036_argument_types.pl.)
CREATE FUNCTION pg_temp.answer(call text, number text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE 'SELECT md5((' || replace(call, '#', number) || ')::text) FROM generate_series(1, 9) i' INTO answer;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
CREATE FUNCTION pg_temp.answer_of_parameter(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE 'PREPARE untyped AS SELECT md5((' || replace(call, '#', '$1')
        || ')::text) FROM generate_series(1, 9) i LIMIT 1';
    EXECUTE 'EXECUTE untyped(''5'')' INTO answer;
    DEALLOCATE untyped;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    DEALLOCATE ALL;
    RETURN SQLSTATE;
END $$;
SELECT call, type, CASE WHEN length(answer) = 5 THEN answer ELSE 'another answer' END AS answer
  FROM unnest(ARRAY[
           'bloom_agg(i) @> #', '# <@ bloom_agg(i)', 'cuckoo_agg(i) @> #', '# <@ cuckoo_agg(i)', 'roaring_agg(i) @> #',
           '# <@ roaring_agg(i)', 'roaring_agg(i) | #', 'roaring_agg(i) - #', 'theta_agg(i) @> #'
       ]) WITH ORDINALITY AS calls(call, n),
       LATERAL (SELECT t AS type, pg_temp.answer(call, '5::' || t) AS answer, pg_temp.answer(call, '5::int') AS as_int
                  FROM unnest('{smallint,bigint,numeric,float8,text}'::text[]) t
                UNION ALL SELECT 'literal', pg_temp.answer(call, '''5'''), pg_temp.answer(call, '5::int')
                UNION ALL SELECT 'parameter', pg_temp.answer_of_parameter(call), pg_temp.answer(call, '5::int')) s
 WHERE answer IS DISTINCT FROM as_int AND (answer <> '42883' OR type IN ('smallint', 'literal', 'parameter'))
 ORDER BY n, type;
