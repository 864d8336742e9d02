-- hll: scalar functions and operators.
--
-- Estimates are compared with the truth within bounds: 4 standard errors, 0.77 / sqrt(2^precision)
-- each, unless said otherwise. Items are hashed the same way everywhere, so what passes once passes
-- always.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

-- Sketches of 1..n used below.
CREATE TABLE hll_n (n int PRIMARY KEY, h hll);
INSERT INTO hll_n
    SELECT n, coalesce((SELECT hll_agg(x) FROM generate_series(1, n) x), hll_empty())
      FROM unnest(ARRAY[0, 1, 2, 10, 12, 13, 100, 1000, 1638, 1639, 10000, 100000]) n;

-- ---- empty ----

SELECT (hll_info(hll_empty())).*;
SELECT p, (i).precision = p AS same, (i).cardinality, (i).relative_error = 0 AS exact, (i).bytes
  FROM generate_series(4, 18) p, hll_info(hll_empty(p)) i;
SELECT hll_empty(p => 10) = hll_empty(10) AS named, hll_empty() = hll_empty(13)
           AS standard,
       hll_empty(10) = hll_empty(11) AS other;
SELECT * FROM pg_temp.errors_of(
    'hll_empty(3)', 'hll_empty(19)', 'hll_empty(-2147483648)');

-- ---- adding ----

-- An item counts once, whatever function or type it comes by: a literal is text, and text, varchar
-- and bytea of the same bytes are one item; so are numbers.
SELECT hll_cardinality(hll_add(hll_empty(), 1)) AS one,
       hll_cardinality(hll_add(hll_add(hll_empty(), 1), 1)) AS once,
       hll_cardinality(hll_add(hll_add(hll_empty(), 1), 1.0)) AS numeric,
       hll_cardinality(hll_add(hll_add(hll_empty(), 1), 2::bigint)) AS two,
       hll_cardinality(hll_add(hll_add(hll_empty(), 'a'), 'a'::text)) AS literal,
       hll_cardinality(hll_add(hll_add(hll_empty(), 'a'), 'a'::varchar)) AS varchar,
       hll_cardinality(hll_add(hll_add(hll_empty(), 'a'), 'a'::bytea)) AS bytea,
       hll_cardinality(hll_add(hll_add(hll_empty(), 'a'), 'a '::char(2))) AS bpchar,
       hll_cardinality(hll_add(hll_add(hll_empty(), 'a'), hashed('a'::text))) AS hashed,
       hll_cardinality(hll_add(hll_add(hll_empty(), '1'), 1)) AS text_and_number,
       hll_cardinality(hll_add(sketch => hll_empty(), value => 'a')) AS named;

-- All elements of an array of any shape, NULLs skipped; the same as one after the other.
SELECT hll_cardinality(hll_add_all(hll_empty(), ARRAY[1, 2, 3, 3, 2])) AS ints,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY[1, 2, NULL, 3]::bigint[])) AS bigints,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY['a', 'b', NULL])) AS texts,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY['a', 'b']::bytea[])) AS byteas,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY[1.5, 1.50, NULL, 2])) AS numerics,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY['2024-01-01', '2024-01-02']::date[])) AS dates,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY[[1, 2], [3, 4]])) AS two_dimensions,
       hll_cardinality(hll_add_all(hll_empty(), '[5:6]={1,2}'::int[])) AS other_bounds,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY[]::int[])) AS none,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY[NULL, NULL]::int[])) AS nulls,
       hll_cardinality(hll_add_all(hll_empty(), ARRAY[]::text[])) AS no_texts;
SELECT hll_add_all(hll_empty(), ARRAY[1, 2, 3])
           = hll_add(hll_add(hll_add(hll_empty(), 3), 1), 2) AS ints,
       hll_add_all(hll_empty(), ARRAY['a', 'b'])
           = hll_add(hll_add(hll_empty(), 'b'), 'a') AS texts,
       hll_add_all(hll_empty(), ARRAY['a', 'b']::text[])
           = hll_add_all(hll_empty(), ARRAY['a', 'b']::bytea[]) AS text_bytea;
-- Any type that casts to hashed works in an array, too, varchar among them.
SELECT * FROM pg_temp.errors_of(
    $$hll_add_all(hll_empty(), ARRAY['a', 'b']::varchar[])$$,
    $$hll_add_all(hll_empty(), ARRAY['a', 'b']::varchar(8)[])$$);
-- From every size, across the change from sparse to dense, to what an aggregate over all gives.
SELECT bool_and(hll_add_all(s.h, ARRAY(SELECT generate_series(s.n + 1, t.n))) = t.h) AS as_aggregate
  FROM hll_n s JOIN hll_n t ON t.n > s.n;

-- Whether the sketch changed, as PFADD replies.
SELECT n, (t).changed, hll_cardinality((t).sketch) = hll_cardinality(h) AS same_count, (t).sketch = h AS same
  FROM hll_n, hll_try_add(h, 1) t WHERE n <= 13;
SELECT (t).changed, hll_cardinality((t).sketch) AS count, (t).sketch = hll_add(hll_empty(), 'a') AS as_added
  FROM hll_try_add(hll_empty(), 'a') t;
SELECT (hll_try_add(hll_add(hll_empty(), 'a'), 'a'::text)).changed AS text,
       (hll_try_add(hll_add(hll_empty(), 'a'), 'a'::bytea)).changed AS bytea,
       (hll_try_add(hll_add(hll_empty(), 'a'), hashed('a'::text))).changed AS hashed,
       (hll_try_add(hll_add(hll_empty(), 'a'), 'b')).changed AS other;
-- Of 1000 items new to a dense sketch of 100,000, those that raise a register change it, and only
-- they change the value.
SELECT count(*) FILTER (WHERE (t).changed) BETWEEN 1 AND 999 AS some,
       bool_and((t).changed = ((t).sketch <> h)) AS exactly_then,
       bool_and((t).sketch = hll_add(h, x)) AS as_added
  FROM hll_n, generate_series(100001, 101000) x, hll_try_add(h, x) t WHERE n = 100000;

-- The argument is never changed.
SELECT bool_and(h = t::hll) AS unchanged
  FROM (SELECT h, h::text AS t, hll_add(h, -1), hll_try_add(h, -1), hll_reduce(h, 4),
               h | hll_add(hll_empty(), -1), _hll_union_state(h, hll_empty(4)),
               hll_add_all(h, ARRAY[-1, -2])
          FROM hll_n OFFSET 0) s;

-- ---- counting ----

-- Small counts are exact, since 2^26 places hold the items apart; larger ones are within bounds.
SELECT n, hll_cardinality(h) AS count FROM hll_n WHERE n <= 1000 ORDER BY n;
SELECT n, abs(hll_cardinality(h) - n) < 4 * 0.77 / sqrt(8192) * n AS good
  FROM hll_n WHERE n > 1000 ORDER BY n;
WITH RECURSIVE grown(n, h) AS (
    SELECT 0, hll_empty()
    UNION ALL
    SELECT n + 1, hll_add(h, n + 1) FROM grown WHERE n < 3000
)
SELECT max(abs(hll_cardinality(h) - n)) FILTER (WHERE n <= 1000) AS off_to_1000,
       max(abs(hll_cardinality(h) - n)) FILTER (WHERE n <= 1638) <= 2 AS off_by_2_while_sparse,
       bool_and((hll_info(h)).encoding = CASE WHEN n <= 1638 THEN 'sparse' ELSE 'dense' END)
           FILTER (WHERE n NOT BETWEEN 1634 AND 1643) AS sparse_to_a_fifth_of_the_registers
  FROM grown;
-- More items never count less, in steps of a quarter.
SELECT bool_and(c > before) AS grows
  FROM (SELECT hll_cardinality((SELECT hll_agg(x) FROM generate_series(1, (10 * 1.25 ^ i)::int) x)) AS c,
               lag(hll_cardinality((SELECT hll_agg(x) FROM generate_series(1, (10 * 1.25 ^ i)::int) x)))
                   OVER (ORDER BY i) AS before
          FROM generate_series(0, 40) i) s;
-- The error falls with the square root of the registers. At precision 4 the bound is 100 %.
SELECT p, abs(hll_cardinality(h) - 200000) < 4 * 0.77 / sqrt(2 ^ p) * 200000 AS good,
       abs((hll_info(h)).relative_error / (0.761 / sqrt(2 ^ p)) - 1) < 0.03 AS as_stated
  FROM (SELECT p, (SELECT hll_agg(x, p) FROM generate_series(1, 200000) x) AS h
          FROM generate_series(4, 12) p) s ORDER BY p;
-- Whatever the items are made of, regular or not.
SELECT abs(approx_count_distinct(x::text) - 50000) < 4 * 0.77 / sqrt(8192) * 50000 AS texts,
       abs(approx_count_distinct(x / 7.0::float8) - 50000)
           < 4 * 0.77 / sqrt(8192) * 50000 AS floats,
       abs(approx_count_distinct(x * 0.001) - 50000) < 4 * 0.77 / sqrt(8192) * 50000 AS numerics,
       abs(approx_count_distinct('2024-01-01'::timestamptz + x * interval '1 second') - 50000)
           < 4 * 0.77 / sqrt(8192) * 50000 AS timestamps,
       abs(approx_count_distinct(x::bigint << 32) - 50000)
           < 4 * 0.77 / sqrt(8192) * 50000 AS high_bits
  FROM generate_series(1, 50000) x;

-- Of several sketches: of their union. NULLs are skipped, no sketch at all counts 0.
SELECT hll_cardinality(a.h, b.h) AS two, hll_cardinality(b.h, a.h, NULL, hll_empty()) AS four,
       hll_cardinality(a.h, NULL) AS one_and_null, hll_cardinality(NULL::hll) AS null,
       hll_cardinality(NULL::hll, NULL) AS nulls,
       hll_cardinality(VARIADIC ARRAY[a.h, b.h]) AS array,
       hll_cardinality(VARIADIC ARRAY[a.h]) AS array_of_one,
       hll_cardinality(VARIADIC ARRAY[]::hll[]) AS array_of_none,
       hll_cardinality(VARIADIC ARRAY[NULL]::hll[]) AS array_of_null,
       hll_cardinality(VARIADIC NULL::hll[]) AS null_array,
       hll_cardinality(VARIADIC ARRAY[[a.h, b.h], [a.h, hll_add(b.h, 'x')]]) AS matrix
  FROM hll_n a, hll_n b WHERE a.n = 100 AND b.n = 1000;
SELECT hll_cardinality(VARIADIC array_agg(h)) = (SELECT hll_cardinality(h) FROM hll_n WHERE n = 100000)
           AS all_of_them,
       hll_cardinality(VARIADIC array_agg(h)) = hll_cardinality(hll_union_agg(h)) AS as_union
  FROM hll_n;

-- The operator binds weaker than arithmetic, so it needs parentheses.
SELECT # h AS n, (# h) - 1 AS less, # (h | hll_add(h, 2)) AS of_both, left(pg_temp.error_of('SELECT # hll_agg(1) - 1'), 5) AS refused
  FROM (SELECT hll_agg(1) AS h) s;

-- ---- bounds ----

SELECT n, (b).estimate = hll_cardinality(h) AS estimate,
       (b).lower BETWEEN 0 AND n AND n <= (b).upper AS holds_the_truth,
       abs((b).upper - (b).estimate - 2 * (hll_info(h)).relative_error * hll_cardinality(h)) <= 1
       AND abs((b).estimate - (b).lower - 2 * (hll_info(h)).relative_error * hll_cardinality(h)) <= 1 AS two_sigmas
  FROM hll_n, hll_bounds(h) b ORDER BY n;
SELECT (b0).lower = (b0).upper AND (b0).lower = (b0).estimate AS zero_sigmas,
       (b1).upper - (b1).lower < (b3).upper - (b3).lower AS more_is_wider,
       (b100).lower >= 0 AS not_below_zero,
       hll_bounds(h, sigmas => 2) = hll_bounds(h) AS named
  FROM hll_n, hll_bounds(h, 0) b0, hll_bounds(h, 1) b1, hll_bounds(h, 3) b3,
       hll_bounds(hll_reduce(h, 4), 100) b100
 WHERE n = 100000;
SELECT hll_bounds(hll_empty());
SELECT * FROM pg_temp.errors_of(
    'hll_bounds(hll_empty(), -0.5)', $$hll_bounds(hll_empty(), 'NaN')$$,
    $$hll_bounds(hll_empty(), 'Infinity')$$, 'hll_bounds(hll_empty(), 101)');

-- ---- union ----

SELECT bool_and((a.h | b.h) = CASE WHEN a.n > b.n THEN a.h ELSE b.h END) AS of_subset,
       bool_and((a.h | b.h) = (b.h | a.h)) AS commutes,
       bool_and((a.h | a.h) = a.h) AS idempotent,
       bool_and((a.h | hll_empty()) = a.h AND (hll_empty() | a.h) = a.h) AS empty,
       bool_and((a.h | b.h) = hll_union(a.h, b.h)) AS function
  FROM hll_n a, hll_n b;
-- Parts put together are the whole, byte for byte, however they were cut.
SELECT bool_and((((part[1] | part[2]) | part[3]) | part[4]) = whole
            AND ((part[4] | part[1]) | (part[3] | part[2])) = whole) AS whole
  FROM (SELECT n, (SELECT array_agg(s ORDER BY k)
                     FROM (SELECT x % 4 AS k, hll_agg(x) AS s FROM generate_series(1, n) x
                            GROUP BY 1) g) AS part,
               (SELECT hll_agg(x) FROM generate_series(1, n) x) AS whole
          FROM unnest(ARRAY[4, 20, 100, 1638, 1639, 2000, 5000, 50000]) n) s;
-- Of different precisions the lower one holds.
SELECT bool_and((hll_info(a | b)).precision = least(p, q)) AS lower,
       bool_and((a | b) = (SELECT hll_agg(x, least(p, q)) FROM generate_series(1, 6000) x))
           AS exactly
  FROM (SELECT p, hll_agg(x, p) AS a FROM generate_series(1, 4000) x,
               unnest(ARRAY[4, 8, 13, 14, 18]) p GROUP BY p) s,
       (SELECT p AS q, hll_agg(x, p) AS b FROM generate_series(2001, 6000) x,
               unnest(ARRAY[4, 8, 13, 14, 18]) p GROUP BY p) t;

-- ---- reduce ----

-- Folding to a lower precision gives what counting at that precision would have given.
SELECT bool_and(hll_reduce(h, p) = coalesce((SELECT hll_agg(x, p) FROM generate_series(1, n) x),
                                            hll_empty(p))) AS as_counted
  FROM hll_n, generate_series(4, 13) p WHERE n <= 10000;
SELECT bool_and(hll_reduce(hll_reduce(h, 12), 9) = hll_reduce(h, 9)) AS in_two_steps,
       bool_and(hll_reduce(h, 13) = h) AS to_its_own
  FROM hll_n;
SELECT * FROM pg_temp.errors_of(
    'hll_reduce(hll_empty(12), 13)', 'hll_reduce(hll_empty(12), 3)');

-- ---- two sketches: what they share ----

-- The estimate comes from both register arrays at once. The bound is 3 standard errors of the
-- cardinality of the union.
CREATE FUNCTION pg_temp.range_hll(lo int, hi int, p int DEFAULT 14) RETURNS hll LANGUAGE sql AS $$
    SELECT coalesce(hll_agg(x, p), hll_empty(p)) FROM generate_series(lo, hi) x
$$;
CREATE TEMP TABLE pair (what text, a_lo int, a_hi int, b_lo int, b_hi int, p int, q int);
INSERT INTO pair VALUES
    ('both empty',           1,     0,     1,      0, 14, 14),
    ('one empty',            1,   500,     1,      0, 14, 14),
    ('one empty, dense',     1, 50000,     1,      0, 14, 14),
    ('equal, small',         1,   500,     1,    500, 14, 14),
    ('equal, dense',         1, 50000,     1,  50000, 14, 14),
    ('disjoint, small',      1,   500,   501,   1000, 14, 14),
    ('disjoint, dense',      1, 50000, 50001, 100000, 14, 14),
    ('subset, small',        1,  1000,   201,    300, 14, 14),
    ('subset, dense',        1, 50000,     1,   5000, 14, 14),
    ('superset, dense',      1,  5000,     1,  50000, 14, 14),
    ('overlap, small',       1,  1000,   501,   1500, 14, 14),
    ('overlap, dense',       1, 50000, 25001,  75000, 14, 14),
    ('small in dense',       1,   100,     1,  50000, 14, 14),
    ('small beside dense',   1,   100, 50001, 100000, 14, 14),
    ('a small overlap',      1, 50000, 49001,  99000, 14, 14),
    ('precisions 12 and 16', 1, 50000, 25001,  75000, 12, 16),
    ('precisions 16 and 12', 1, 50000, 25001,  75000, 16, 12),
    ('precisions 18 and 14', 1, 20000, 10001,  30000, 18, 14),
    ('precision 4',          1,  5000,  2501,   7500,  4,  4);
CREATE TEMP TABLE pair_answer AS
    SELECT what, a, b, p, q,
           a_hi - a_lo + 1 AS size_a, b_hi - b_lo + 1 AS size_b,
           greatest(least(a_hi, b_hi) - greatest(a_lo, b_lo) + 1, 0) AS shared
      FROM pair, LATERAL pg_temp.range_hll(a_lo, a_hi, p) a,
           LATERAL pg_temp.range_hll(b_lo, b_hi, q) b;
SELECT what, abs(hll_intersection_cardinality(a, b) - shared) <= bound AS intersection,
       abs(hll_difference_cardinality(a, b) - (size_a - shared)) <= bound AS a_less_b,
       abs(hll_difference_cardinality(b, a) - (size_b - shared)) <= bound AS b_less_a,
       CASE WHEN size_a + size_b = 0 THEN hll_jaccard(a, b) IS NULL
            ELSE abs(hll_jaccard(a, b) - shared::float8 / (size_a + size_b - shared))
                 <= 3 * error AND hll_jaccard(a, b) BETWEEN 0 AND 1 END AS jaccard
  FROM pair_answer,
       LATERAL (SELECT 0.77 / sqrt(2 ^ least(p, q)) AS error) e,
       LATERAL (SELECT 3 * error * (size_a + size_b - shared) AS bound) f;
-- Where nothing is uncertain the answers are exact: empty, equal, small.
SELECT what, hll_intersection_cardinality(a, b) = shared AS intersection,
       hll_difference_cardinality(a, b) = size_a - shared AS a_less_b,
       hll_jaccard(a, b) IN (0, 1) AS jaccard_0_or_1
  FROM pair_answer
 WHERE what IN ('both empty', 'one empty', 'equal, small', 'disjoint, small', 'subset, small',
                'overlap, small');
SELECT what, hll_intersection_cardinality(a, b) = hll_cardinality(a) AS intersection,
       hll_difference_cardinality(a, b) AS a_less_b, hll_jaccard(a, b) AS jaccard
  FROM pair_answer WHERE what = 'equal, dense';
-- The three parts add up to the union, and the order of arguments does not matter.
SELECT bool_and(abs(hll_intersection_cardinality(a, b) + hll_difference_cardinality(a, b)
                    + hll_difference_cardinality(b, a) - hll_cardinality(a | b))
                <= greatest(3, 3 * 0.77 / sqrt(2 ^ least(p, q)) * hll_cardinality(a | b))) AS add_up,
       bool_and(hll_intersection_cardinality(a, b) = hll_intersection_cardinality(b, a)
                AND hll_jaccard(a, b) IS NOT DISTINCT FROM hll_jaccard(b, a)) AS symmetric,
       bool_and(hll_difference_cardinality(a, b) <= hll_cardinality(a)
                AND abs(hll_difference_cardinality(a, b) + hll_intersection_cardinality(a, b) - hll_cardinality(a)) <= 1)
           AS one_estimate
  FROM pair_answer;
-- A small overlap of large sets is found better than by subtraction, whose three errors add up.
SELECT abs(hll_intersection_cardinality(a, b) - 1000) < 1000 AS found
  FROM pair_answer WHERE what = 'a small overlap';

-- Never more than the smaller set, where it lies within the larger one or nearly: of 1 to 2,000
-- items and 100,000, at two precisions each.
SELECT count(*) AS pairs,
       bool_and(hll_intersection_cardinality(a, b) <= least(hll_cardinality(a), hll_cardinality(b))
                AND hll_intersection_cardinality(b, a) <= least(hll_cardinality(a), hll_cardinality(b))) AS at_most_the_smaller
  FROM (SELECT hll_agg(x, p) AS a FROM unnest(ARRAY[1, 60, 500, 1000, 2000]) n,
               unnest(ARRAY[10, 13]) p, generate_series(5 * n, 6 * n - 1) x GROUP BY n, p) s,
       (SELECT hll_agg(x, p) AS b FROM unnest(ARRAY[12, 13]) p, generate_series(1, 100000) x
         GROUP BY p) t;

-- ---- registers ----

-- Against the definition, in SQL: a register's index is the low p bits of the hash, its rank the
-- trailing zeros of the others plus one, and the highest rank stays. Its history tells in bit 1 of
-- the rank below and in bit 0 of the one below that, and ranks below 1 count as seen.
CREATE FUNCTION pg_temp.rank_of(h bigint, p int) RETURNS int LANGUAGE sql AS $$
    SELECT CASE w WHEN 0 THEN 65 - p ELSE round(log(2, (w & -w)::numeric))::int + 1 END
      FROM (SELECT (h >> p) & ((1::bigint << (64 - p)) - 1) AS w) s
$$;
SELECT p, n, count(*) AS registers,
       count(*) FILTER (WHERE r.rank IS DISTINCT FROM e.rank) AS wrong,
       count(*) FILTER (WHERE r.history IS DISTINCT FROM
                              2 * (r.rank - 1 < 1 OR r.rank - 1 = ANY (ranks))::int
                              + (r.rank - 2 < 1 OR r.rank - 2 = ANY (ranks))::int) AS wrong_history
  FROM (VALUES (4, 5), (4, 100), (10, 20), (10, 3000), (14, 100), (14, 8000), (18, 1000)) v(p, n),
       LATERAL (SELECT (h & ((1 << p) - 1))::int AS register, max(pg_temp.rank_of(h, p)) AS rank,
                         array_agg(pg_temp.rank_of(h, p)) AS ranks
                  FROM generate_series(1, n) x, LATERAL (SELECT hashed(x)::bigint AS h) k
                 GROUP BY 1) e
       FULL JOIN LATERAL hll_registers((SELECT hll_agg(x, p) FROM generate_series(1, n) x)) r
           USING (register)
 GROUP BY p, n ORDER BY p, n;
SELECT count(*) FROM hll_registers(hll_empty());
SELECT array_agg(register) = array_agg(register ORDER BY register) AS ascending,
       min(register) >= 0 AND max(register) < 8192 AS in_range, min(rank) >= 1 AS no_zeros
  FROM hll_n, hll_registers(h) WHERE n = 100000;
SELECT count(*) AS first_three FROM (SELECT hll_registers(h) FROM hll_n WHERE n = 1000 LIMIT 3) s;

-- ---- sizes ----

SELECT n, (hll_info(h)).bytes <= size AS small, (hll_info(h)).bytes = octet_length(h::bytea) + 4
           AS true
  FROM hll_n JOIN (VALUES (0, 20), (1, 24), (10, 60), (1000, 2600), (10000, 4330), (100000, 4330))
       v(n, size) USING (n) ORDER BY n;
SELECT max((hll_info(h)).bytes) <= 4330 AS at_any_cardinality
  FROM (SELECT hll_agg(x) AS h FROM generate_series(0, 16) k, generate_series(1, 3000 * 1.3 ^ k) x
         GROUP BY k) s;
SELECT bool_and(pg_column_size(h) <= (hll_info(h)).bytes) AS stored FROM hll_n;

-- ---- comparison ----

-- Values are equal when their bytes are, in whatever order the items came.
SELECT a.n, b.n, a.h = b.h AS eq, a.h <> b.h AS ne, _hll_cmp(a.h, b.h) = 0 AS cmp,
       _hll_hash(a.h) = _hll_hash(b.h) AS hash,
       _hll_hash_extended(a.h, 7) = _hll_hash_extended(b.h, 7) AS extended,
       (a.h < b.h) <> (a.h >= b.h) AND (a.h > b.h) <> (a.h <= b.h)
           AND (a.h < b.h) = (b.h > a.h) AND (a.h <= b.h) = (b.h >= a.h) AS consistent
  FROM hll_n a, hll_n b WHERE a.n IN (0, 10, 10000) AND b.n IN (0, 10, 10000) ORDER BY 1, 2;
SELECT (SELECT hll_agg(x ORDER BY -x) FROM generate_series(1, 10000) x) = h AS backwards
  FROM hll_n WHERE n = 10000;
SELECT bool_and(_hll_cmp(a.h, b.h) = -_hll_cmp(b.h, a.h)) AS antisymmetric,
       bool_and((a.h < b.h) = (a.h::bytea < b.h::bytea)) AS order_of_bytes
  FROM hll_n a, hll_n b;
SELECT _hll_hash_extended(h, 0) <> _hll_hash_extended(h, 1) AS seeded,
       _hll_hash_extended(h, 0) & 4294967295 = _hll_hash(h)::bigint & 4294967295 AS low_half
  FROM hll_n WHERE n = 1000;

-- GROUP BY, DISTINCT, ORDER BY, set operations, both by hashing and by sorting.
CREATE FUNCTION pg_temp.plan_has(query text, node text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ node THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END
$$;
CREATE TEMP TABLE twice AS
    SELECT n, h FROM hll_n UNION ALL SELECT n, hll_reduce(h, 13) FROM hll_n;
ANALYZE twice;
SET enable_sort = off;
SELECT pg_temp.plan_has('SELECT h, count(*) FROM twice GROUP BY h', 'HashAggregate') AS hashed;
SELECT count(*) AS groups, bool_and(c = 2) AS of_two
  FROM (SELECT h, count(*) AS c FROM twice GROUP BY h) s;
RESET enable_sort;
SET enable_hashagg = off;
SELECT pg_temp.plan_has('SELECT h, count(*) FROM twice GROUP BY h', 'Sort') AS sorted;
SELECT count(*) AS groups, bool_and(c = 2) AS of_two
  FROM (SELECT h, count(*) AS c FROM twice GROUP BY h) s;
RESET enable_hashagg;
SELECT count(*) AS distinct FROM (SELECT DISTINCT h FROM twice) s;
SELECT count(DISTINCT h) AS count_distinct FROM twice;
SELECT count(*) AS except FROM (SELECT h FROM twice EXCEPT SELECT h FROM hll_n WHERE n > 10) s;
SELECT count(*) AS in FROM twice WHERE h IN (SELECT h FROM hll_n WHERE n > 10);
SELECT bool_and(a <= b) AS ordered
  FROM (SELECT h AS b, lag(h) OVER (ORDER BY h) AS a FROM twice) s WHERE a IS NOT NULL;

-- Joins of all three kinds.
SET enable_nestloop = off; SET enable_mergejoin = off;
SELECT pg_temp.plan_has('SELECT FROM twice t JOIN hll_n n ON t.h = n.h', 'Hash Join') AS hash;
SELECT count(*), bool_and(t.n = n.n) AS right FROM twice t JOIN hll_n n ON t.h = n.h;
SET enable_mergejoin = on; SET enable_hashjoin = off;
SELECT pg_temp.plan_has('SELECT FROM twice t JOIN hll_n n ON t.h = n.h', 'Merge Join') AS merge;
SELECT count(*), bool_and(t.n = n.n) AS right FROM twice t JOIN hll_n n ON t.h = n.h;
SET enable_nestloop = on; SET enable_mergejoin = off;
SELECT pg_temp.plan_has('SELECT FROM twice t JOIN hll_n n ON t.h = n.h', 'Nested Loop') AS loop;
SELECT count(*), bool_and(t.n = n.n) AS right FROM twice t JOIN hll_n n ON t.h = n.h;
RESET enable_nestloop; RESET enable_mergejoin; RESET enable_hashjoin;

-- Unique and other indexes. A btree takes values up to a third of a page, as for any type; a hash
-- index takes all.
CREATE TEMP TABLE keyed (n int, h hll UNIQUE);
INSERT INTO keyed SELECT n, h FROM hll_n WHERE n <= 100;
SELECT pg_temp.sqlstate_of('INSERT INTO keyed SELECT n, h FROM hll_n WHERE n = 10')
           AS unique_violation;
SELECT pg_temp.sqlstate_of('INSERT INTO keyed SELECT n, h FROM hll_n WHERE n = 10000') AS too_wide;
INSERT INTO keyed SELECT n, h FROM hll_n WHERE n <= 1000 ON CONFLICT (h) DO NOTHING;
SELECT count(*) FROM keyed;
CREATE INDEX hll_n_hash ON hll_n USING hash (h);
SET enable_seqscan = off;
SELECT pg_temp.plan_has('SELECT FROM keyed WHERE h = hll_empty()', 'keyed_h_key') AS btree,
       pg_temp.plan_has('SELECT FROM hll_n WHERE h = hll_empty()', 'hll_n_hash') AS hash;
SELECT bool_and((SELECT k.n FROM keyed k WHERE k.h = t.h) = t.n) AS found
  FROM twice t WHERE n <= 1000;
SELECT bool_and((SELECT k.n FROM hll_n k WHERE k.h = t.h) = t.n) AS found FROM twice t;
RESET enable_seqscan;
DROP INDEX hll_n_hash;

-- ---- text, binary, bytea ----

-- The text form is base64 of the packed value in one line, the binary form and bytea are the value.
SELECT bool_and(h::text::hll = h) AS text, bool_and(h::bytea::hll = h) AS bytea,
       bool_and(h::text = translate(encode(h::bytea, 'base64'), E'\n', '')) AS base64,
       bool_and(_hll_send(h) = h::bytea) AS send
  FROM hll_n;
-- The lines that encode() breaks base64 into are read as well.
SELECT bool_and(encode(h::bytea, 'base64')::hll = h) AS broken_into_lines FROM hll_n;
SELECT encode(h::bytea, 'hex') FROM hll_n WHERE n = 0;
CREATE TEMP TABLE copied (LIKE hll_n);
\copy hll_n TO 'build/regress/results/hll.copy' (FORMAT binary)
\copy copied FROM 'build/regress/results/hll.copy' (FORMAT binary)
SELECT count(*), bool_and(c.h = h.h) AS binary FROM copied c JOIN hll_n h USING (n);
TRUNCATE copied;
\copy hll_n TO 'build/regress/results/hll.copy' (FORMAT csv)
\copy copied FROM 'build/regress/results/hll.copy' (FORMAT csv)
SELECT count(*), bool_and(c.h = h.h) AS csv FROM copied c JOIN hll_n h USING (n);

-- ---- stored out of line ----

-- Large values are toasted without compression. Every function answers the same for them as for a
-- value in memory, also when it sees one several times in a row.
SELECT pg_relation_size(reltoastrelid) > 0 AS toasted, attstorage
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.oid = 'hll_n'::regclass AND attname = 'h';
CREATE FUNCTION pg_temp.in_memory(h hll) RETURNS hll LANGUAGE plpgsql AS $$
BEGIN
    RETURN h::bytea::hll;
END
$$;
WITH s AS MATERIALIZED (SELECT n, pg_temp.in_memory(h) AS m FROM hll_n)
SELECT n, hll_cardinality(t.h) = hll_cardinality(m) AS cardinality, hll_info(t.h) = hll_info(m) AS info,
       hll_bounds(t.h) = hll_bounds(m) AS bounds, t.h = m AS eq,
       _hll_hash(t.h) = _hll_hash(m) AS hash, hll_add(t.h, -1) = hll_add(m, -1) AS add,
       (t.h | t.h) = (m | m) AS union, hll_reduce(t.h, 9) = hll_reduce(m, 9) AS reduce,
       t.h::text = m::text AS text, hll_cardinality(t.h, t.h) = hll_cardinality(m) AS variadic,
       (SELECT sum(rank) FROM hll_registers(t.h)) IS NOT DISTINCT FROM
       (SELECT sum(rank) FROM hll_registers(m)) AS registers
  FROM hll_n t JOIN s USING (n) WHERE n IN (0, 10, 10000, 100000) ORDER BY n;
SELECT bool_and(hll_add(t.h, x) = hll_add(pg_temp.in_memory(t.h), x)) AS add,
       bool_and((t.h | hll_add(hll_empty(), x)) = hll_add(t.h, x)) AS union,
       bool_and((hll_add(hll_empty(), x) | t.h) = hll_add(t.h, x)) AS union_right,
       bool_and(hll_intersection_cardinality(t.h, hll_add(hll_empty(), x)) <= 10) AS joint
  FROM generate_series(1, 20) x, hll_n t WHERE t.n >= 10000;
SELECT bool_and((a.h | b.h) = CASE WHEN a.n > b.n THEN a.h ELSE b.h END) AS each_with_each
  FROM hll_n a JOIN hll_n b ON a.n >= 10000 AND b.n >= 10000, generate_series(1, 5);
UPDATE hll_n SET h = hll_add(h, n + 1), n = n + 1 WHERE n = 10000;
SELECT h = (SELECT hll_agg(x) FROM generate_series(1, 10001) x) AS updated
  FROM hll_n WHERE n = 10001;

-- ---- NULL ----

-- Other scalar functions than those that merge are NULL of a NULL; the set-returning one has no rows.
SELECT hll_empty(NULL), hll_reduce(NULL, 4),
       hll_reduce(hll_empty(), NULL), hll_cardinality(NULL::hll), hll_bounds(NULL),
       hll_bounds(hll_empty(), NULL), hll_jaccard(NULL, hll_empty()), hll_info(NULL),
       hll_to_redis(NULL), hll_from_redis(NULL), NULL::bytea::hll, NULL::hll = hll_empty();
SELECT count(*) FROM hll_registers(NULL);

DROP TABLE hll_n;

-- ---- for people ----

SELECT hll_describe(hll_empty()), hll_describe(hll_add(hll_empty(10), 'a'));
SELECT hll_describe(hll_agg(i)) FROM generate_series(1, 100000) AS i;
SELECT hll_describe(hll_redis_agg(i::text)) FROM generate_series(1, 1000) AS i;
SELECT hll_describe(NULL) IS NULL AS nothing;
