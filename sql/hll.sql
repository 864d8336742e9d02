-- hll: scalar functions and operators.
--
-- Estimates are compared with the truth within bounds: 4 standard errors, 0.77 / sqrt(2^precision)
-- each, unless said otherwise. Items are hashed the same way everywhere, so what passes once passes
-- always.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- Sketches of 1..n used below.
CREATE TABLE hll_n (n int PRIMARY KEY, h hll);
INSERT INTO hll_n
    SELECT n, coalesce((SELECT hll_agg(x) FROM generate_series(1, n) x), hll_empty())
      FROM unnest(ARRAY[0, 1, 2, 10, 12, 13, 100, 1000, 1638, 1639, 10000, 100000]) n;

-- ---- empty ----

SELECT (hll_info(hll_empty())).*;
SELECT bool_and((i).precision = p AND (i).cardinality = 0 AND (i).relative_error = 0 AND (i).bytes = 20) AS every_precision
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
SELECT hll_add_all(hll_empty(), ARRAY['a', 'b']::varchar[]) = hll_add_all(hll_empty(), ARRAY['a', 'b']::varchar(8)[]) AS varchar;
-- From every size, across the change from sparse to dense, to what an aggregate over all gives.
SELECT bool_and(hll_add_all(s.h, ARRAY(SELECT generate_series(s.n + 1, t.n))) = t.h) AS as_aggregate
  FROM hll_n s JOIN hll_n t ON t.n > s.n;

-- Whether the sketch changed, as PFADD replies.
SELECT bool_and((t).changed = (n = 0) AND ((t).sketch = h) = (n > 0)) AS changed_once
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
SELECT n, hll_cardinality(h) AS count FROM hll_n
 WHERE CASE WHEN n <= 1000 THEN hll_cardinality(h) <> n
            ELSE abs(hll_cardinality(h) - n) >= 4 * 0.77 / sqrt(8192) * n END;
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
SELECT bool_and(abs(hll_cardinality(h) - 200000) < 4 * 0.77 / sqrt(2 ^ p) * 200000) AS good,
       bool_and(abs((hll_info(h)).relative_error / (0.761 / sqrt(2 ^ p)) - 1) < 0.03) AS as_stated
  FROM (SELECT p, (SELECT hll_agg(x, p) FROM generate_series(1, 200000) x) AS h
          FROM generate_series(4, 12) p) s;
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

-- The operator binds weaker than arithmetic, so it needs parentheses.
SELECT # h AS n, (# h) - 1 AS less, # (h | hll_add(h, 2)) AS of_both, left(pg_temp.error_of('SELECT # hll_agg(1) - 1'), 5) AS refused
  FROM (SELECT hll_agg(1) AS h) s;

-- ---- bounds ----

SELECT bool_and((b).estimate = hll_cardinality(h)) AS estimate,
       bool_and((b).lower BETWEEN 0 AND n AND n <= (b).upper) AS holds_the_truth,
       bool_and(abs((b).upper - (b).estimate - two_sigmas) <= 1 AND abs((b).estimate - (b).lower - two_sigmas) <= 1)
           AS two_sigmas
  FROM hll_n, hll_bounds(h) b,
       LATERAL (SELECT 2 * (hll_info(h)).relative_error * hll_cardinality(h)) s(two_sigmas);
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
SELECT count(*) AS pairs,
       string_agg(what, '; ') FILTER (WHERE abs(hll_intersection_cardinality(a, b) - shared) > bound) AS intersection_off,
       string_agg(what, '; ') FILTER (WHERE abs(hll_difference_cardinality(a, b) - (size_a - shared)) > bound
           OR abs(hll_difference_cardinality(b, a) - (size_b - shared)) > bound) AS difference_off,
       string_agg(what, '; ') FILTER (WHERE (hll_jaccard(a, b) IS NULL) <> (size_a + size_b = 0)
           OR hll_jaccard(a, b) NOT BETWEEN 0 AND 1
           OR abs(hll_jaccard(a, b) - shared::float8 / nullif(size_a + size_b - shared, 0)) > 3 * error) AS jaccard_off
  FROM pair_answer,
       LATERAL (SELECT 0.77 / sqrt(2 ^ least(p, q)) AS error) e,
       LATERAL (SELECT 3 * error * (size_a + size_b - shared) AS bound) f;
-- Where nothing is uncertain the answers are exact: empty, equal, small.
SELECT what, hll_jaccard(a, b) AS jaccard
  FROM pair_answer
 WHERE what IN ('both empty', 'one empty', 'equal, small', 'disjoint, small', 'subset, small', 'overlap, small')
   AND (hll_intersection_cardinality(a, b), hll_difference_cardinality(a, b)) <> (shared, size_a - shared);
SELECT what, hll_jaccard(a, b) AS jaccard, hll_difference_cardinality(a, b) AS a_less_b,
       hll_intersection_cardinality(a, b) = hll_cardinality(a) AS intersection
  FROM pair_answer WHERE what ~ 'empty|equal|disjoint, small' AND what <> 'one empty, dense';
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
SELECT count(*) AS registers,
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
           USING (register);
SELECT count(*) FROM hll_registers(hll_empty());
SELECT array_agg(register) = array_agg(register ORDER BY register) AS ascending,
       min(register) >= 0 AND max(register) < 8192 AS in_range, min(rank) >= 1 AS no_zeros
  FROM hll_n, hll_registers(h) WHERE n = 100000;
SELECT count(*) AS first_three FROM (SELECT hll_registers(h) FROM hll_n WHERE n = 1000 LIMIT 3) s;

-- ---- sizes ----

SELECT bool_and((hll_info(h)).bytes <= size) AS small
  FROM hll_n JOIN (VALUES (0, 20), (1, 24), (10, 60), (1000, 2600), (10000, 4330), (100000, 4330))
       v(n, size) USING (n);
SELECT max((hll_info(h)).bytes) <= 4330 AS at_any_cardinality
  FROM (SELECT hll_agg(x) AS h FROM generate_series(0, 16) k, generate_series(1, 3000 * 1.3 ^ k) x
         GROUP BY k) s;
SELECT bool_and(pg_column_size(h) <= (hll_info(h)).bytes) AS stored FROM hll_n;

-- ---- bytes ----

SELECT n, encode(h::bytea, 'hex') AS bytes FROM hll_n WHERE n < 3 ORDER BY n;

DROP TABLE hll_n;

-- ---- for people ----

SELECT hll_describe(hll_empty()), hll_describe(hll_add(hll_empty(10), 'a'));
SELECT hll_describe(hll_agg(i)) FROM generate_series(1, 100000) AS i;
SELECT hll_describe(hll_redis_agg(i::text)) FROM generate_series(1, 1000) AS i;
SELECT hll_describe(NULL) IS NULL AS nothing;
