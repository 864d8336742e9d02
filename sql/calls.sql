-- Every public function is called with positional and with named arguments, and both calls are
-- answered alike: a value or the same refusal. (PostgreSQL has no named arguments of aggregates, which
-- are called by position twice.) Then it is called with NULL as each argument, and aggregates of no rows.

\set ECHO none
\i sql/include/output.sql
\i sql/include/each_function.sql
\i sql/include/error_of.sql
\set ECHO all
CREATE TEMP TABLE called AS
    SELECT f.oid::regprocedure AS function, pg_temp.answers(f) AS answers FROM functions f
     WHERE cardinality(types) > 0 AND proname NOT IN ('ratelimit_throttle', 'ratelimit_window', 'rollup_create', 'rollup_script');
SELECT function, answers FROM called WHERE answers[1] <> answers[2] ORDER BY function::text COLLATE "C";
-- Nothing that is not found, and no name that is missing.
SELECT function, answers[2] FROM called WHERE answers[2] ~ '^42(883|725|702)|^42601 (syntax|argument)'
 ORDER BY function::text COLLATE "C";
SELECT oid::regprocedure FROM functions WHERE cardinality(types) <> coalesce(cardinality(names), 0)
    OR '' = ANY (names) ORDER BY oid::regprocedure::text COLLATE "C";
SELECT count(*) > 450 AS functions, count(*) FILTER (WHERE answers[1] !~ '^[0-9A-Z]{5} ') > 350 AS that_answer
  FROM called;

-- ---- NULL, and no rows ----

-- An argument that is NULL makes the answer NULL, or no rows. Listed are the other functions: a limiter refuses.
-- (For what merges, adds, removes or sets bits NULL is empty, or changes nothing: every_type, bitfield.)
CREATE TEMP TABLE of_null AS
    SELECT f.oid::regprocedure AS function, argument, pg_temp.answer_of(f, a.arguments) AS answer
      FROM functions f, generate_series(1, cardinality(types)) argument,
           LATERAL (SELECT array_agg(CASE n WHEN argument THEN 'NULL::' || t::regtype ELSE pg_temp.value_of(t) END
                                     ORDER BY n)
                      FROM unnest(types) WITH ORDINALITY u(t, n)) a(arguments)
     WHERE prokind = 'f' AND proname !~ '^rollup_|^bitfield_(set|incrby|exec)|_(union|sum|or)$'
       AND proname !~ '_(try_)?(add(nx)?|delete|remove)(_all|_range)?$';
SELECT function, array_agg(argument ORDER BY argument) AS arguments, answer FROM of_null
 WHERE answer IS NOT NULL GROUP BY function, answer ORDER BY function::text COLLATE "C", arguments;
-- Of no rows, and of rows without a first argument, an aggregate is NULL, or counts 0; and one such row among
-- others changes nothing.
CREATE TEMP TABLE of_rows AS
    SELECT f.oid::regprocedure AS function, pg_temp.answer_of(f, given, 'WHERE false') AS no_rows,
           pg_temp.answer_of(f, nulls || given[2:], 'FROM generate_series(1, 3)') AS nulls,
           pg_temp.answer_of(f, given) AS one,
           pg_temp.answer_of(f, format('CASE WHEN i = 2 THEN %s END', given[1]) || given[2:],
                             'FROM generate_series(1, 3) i') AS one_of_three
      FROM functions f, LATERAL (SELECT 'NULL::' || types[0]::regtype) n(nulls),
           LATERAL (SELECT array_agg(pg_temp.value_of(t) ORDER BY n) FROM unnest(types) WITH ORDINALITY u(t, n)) a(given)
     WHERE prokind = 'a';
SELECT function, no_rows, nulls FROM of_rows WHERE no_rows IS NOT NULL OR nulls IS NOT NULL
 ORDER BY function::text COLLATE "C";
SELECT function, one, one_of_three FROM of_rows WHERE one IS DISTINCT FROM one_of_three
 ORDER BY function::text COLLATE "C";
SELECT (SELECT count(*) > 500 FROM of_null) AS calls, (SELECT count(*) > 100 FROM of_rows) AS aggregates,
       (SELECT count(*) < 5 FROM of_rows WHERE one ~ '^[0-9A-Z]{5} ') AS few_refuse;

-- ---- a number that is just out of range is printed with all the digits that show it ----

SELECT call, pg_temp.error_of(format('SELECT ' || call, n)) LIKE '22023 %' || n || '%' AS shown
  FROM (VALUES ('tdigest_percentile(tdigest_empty(), %s)', '1.0000000000000002'), ('ddsketch_empty(%s)', '0.5000000000000001'),
               ('ddsketch_percentiles(ddsketch_empty(), ARRAY[%s]::float8[])', '1.0000000000000002'), ('bloom_empty(10, %s)', '1.0000000000000002'),
               ('cms_empty(%s, 0.1)', '1.0000000000000002'), ('cms_empty(0.1, %s)', '1.0000000000000002'), ('geohash(%s, 0)', '180.00000000000003'),
               ('geohash(0, %s)', '90.00000000000001'), ('hll_bounds(hll_empty(), %s)', '-5e-324'), ('topk_decay(topk_empty(), %s)', '1.0000000000000002'),
               ('ddsketch_count(ddsketch_empty(), %s, 0.3)', '0.30000000000000004'), ('tdigest_trimmed_mean(tdigest_empty(), %s, 0.3)', '0.30000000000000004'),
               ('tdigest_counts(tdigest_empty(), ARRAY[0.5, %s]::float8[])', '0.30000000000000004')) v (call, n);
