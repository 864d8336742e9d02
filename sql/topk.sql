-- topk: building, asking, merging, ageing, comparing; and every error of the scalar functions.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

-- ---- making and adding ----

SELECT topk_empty() AS empty, topk_info(topk_empty()), topk_info(topk_empty(k => 3));
SELECT count(*) AS rows_of_empty FROM topk_list(topk_empty());
SELECT topk_total(topk_empty()), topk_error(topk_empty()), topk_count(topk_empty(), 'x'),
       topk_contains(topk_empty(), 1), topk_bounds(topk_empty(), 1);

SELECT * FROM topk_list(topk_add(topk_add(topk_add(topk_empty(), 'b'), 'a'), 'b'));
SELECT * FROM topk_list(topk_add(topk_add(topk_empty(), 7), -7, 3));
SELECT * FROM topk_list(topk_add_all(topk_empty(2), ARRAY['x', NULL, 'y', 'x', 'z']));
SELECT * FROM topk_list(topk_add_all(topk_empty(), ARRAY[[1, 2], [NULL, 1]]));
SELECT topk_add_all(topk_empty(), '{}'::text[]) = topk_empty() AS nothing_added;
-- A literal without a type is an array of texts.
SELECT topk_count(topk_add_all(topk_empty(), '{a,b,a}'), 'a') AS untyped,
       topk_count(topk_add_all(topk_empty(), '{a,b,a}'::text[]), 'a') AS texts,
       topk_count(topk_add_all(topk_empty(), '{1,2,1}'::bigint[]), 1) AS numbers;
-- Added 0 times, an item is not added, and does not say what the items are.
SELECT topk_add(topk_empty(), 'x', 0) = topk_empty() AS not_added,
       topk_count(topk_add(topk_add(topk_empty(), 'x', 0), 5), 5);

-- What is added may have any type that becomes text or bigint by itself.
SELECT topk_count(topk_add(topk_empty(), 5::smallint), 5),
       topk_count(topk_add(topk_empty(), 'v'::varchar), 'v'),
       topk_count(topk_add(topk_empty(), 'n'::name), 'n'),
       topk_count(topk_add_all(topk_empty(), '{a,a}'::varchar[]), 'a'),
       topk_count(topk_add_all(topk_empty(), '{2,2,2}'::smallint[]), 2);

-- Items are bytes: case, blanks and the empty text differ; a bigint is not its digits.
SELECT item, count FROM topk_list(topk_add_all(topk_empty(), ARRAY['', ' ', 'A', 'a', 'a ', '', 'ä']));
SELECT item, count FROM topk_list(topk_add_all(topk_empty(),
    ARRAY[0, -1, 1, 9223372036854775807, -9223372036854775808, -1]));

-- Items as long as they may be.
SELECT topk_count(topk_add(s, repeat('x', 1048576)), repeat('x', 1048576)) AS twice,
       (SELECT length(item) FROM topk_list(s)) AS length, (topk_info(s)).bytes
  FROM topk_add(topk_empty(), repeat('x', 1048576)) s;

-- ---- what the list loses by an addition ----

CREATE TEMP TABLE abc AS
    SELECT topk_add(topk_add(topk_add(topk_empty(2), 'a', 5), 'b', 3), 'c', 2) AS s;
SELECT item, count FROM abc, topk_list(s);
SELECT what, e.expelled, (SELECT string_agg(l.item || ' ' || l.count, ', ') FROM topk_list(e.sketch) l)
  FROM abc, (VALUES
    (1, 'a again',        'a', 1),
    (2, 'c, still below', 'c', 1),
    (3, 'c, past b',      'c', 2),
    (4, 'c, past all',    'c', 100),
    (5, 'd, below',       'd', 1),
    (6, 'd, past b',      'd', 4),
    (7, 'b 0 times',      'b', 0)
  ) v(n, what, item, count), topk_try_add(s, v.item, v.count) e
 ORDER BY n;
SELECT (topk_try_add(topk_empty(2), 'first')).expelled IS NULL AS room;
SELECT expelled, item FROM topk_try_add(topk_add(topk_empty(1), 10), 20, 2), topk_list(sketch);
SELECT (topk_try_add(s, 'c', 2)).sketch = topk_add(s, 'c', 2) AS same FROM abc;

-- ---- asking ----

SELECT topk_contains(s, 'b'), topk_contains(s, 'c') AS below, topk_contains(s, 'd') AS none,
       topk_count(s, 'c'), topk_count(s, 'd') AS none_counted, topk_bounds(s, 'c'),
       topk_total(s), topk_error(s)
  FROM abc;
SELECT i.k, i.items, i.counters, i.total, i.error, i.bytes = octet_length(s::bytea) + 4 AS bytes
  FROM abc, topk_info(s) i;

-- More items than are kept: 2,000 for k = 2. Bounds hold for each of them.
CREATE TEMP TABLE many AS
    SELECT (1 + 1000 / (1 + i)) AS truth, i AS item FROM generate_series(1, 20000) i;
CREATE TEMP TABLE sketch AS
    SELECT topk_agg(item, 2) AS n, topk_agg('item ' || item, 2) AS t
      FROM many, generate_series(1, truth);
SELECT topk_error(n) > 0 AS bounded, (topk_info(n)).counters BETWEEN 4 AND 400 AS few,
       pg_column_size(n) <= 1000 AND pg_column_size(t) <= 1000 AS small,
       topk_total(n) = (SELECT sum(truth) FROM many) AS total
  FROM sketch;
SELECT bool_and(truth BETWEEN (topk_bounds(n, item)).lower AND (topk_bounds(n, item)).upper) AS n,
       bool_and(truth BETWEEN b.lower AND b.upper) AS t,
       bool_and(b.upper - b.lower <= topk_error(t)) AS error,
       bool_and(b.count = topk_count(t, 'item ' || item)) AS count
  FROM sketch, many, topk_bounds(t, 'item ' || item) b WHERE item % 7 < 2 OR item < 100;
SELECT l.item, l.count, l.lower, l.upper >= l.count AS upper FROM sketch, topk_list(n) l;
SELECT l.item, l.count FROM sketch, topk_list(t) l;
-- Items of type bigint as bigints.
SELECT (SELECT pg_typeof(min(item)) FROM topk_list_bigint(n)),
       (SELECT array_agg((item, count, lower, upper)::text) FROM topk_list_bigint(n)) =
       (SELECT array_agg((item, count, lower, upper)::text) FROM topk_list(n)) AS same
  FROM sketch;
SELECT count(*) FROM topk_list_bigint(topk_empty());
SELECT topk_list_bigint(topk_add(topk_empty(), 'a'));

-- ---- merging ----

SELECT item, count, lower, upper
  FROM topk_list(topk_add_all(topk_empty(), ARRAY['a', 'b']) | topk_add_all(topk_empty(3), ARRAY['b', 'c']));
SELECT a | b = b | a AS commutes, topk_union(a, b) = a | b AS operator,
       a | topk_empty() = a AND topk_empty() | a = a AS with_nothing,
       (topk_info(a | topk_add(topk_empty(3), 3))).k AS lower_k
  FROM (SELECT topk_add_all(topk_empty(), ARRAY[1, 2, 2]) AS a,
               topk_add_all(topk_empty(), ARRAY[2, 3]) AS b) s;
-- Bounds of a union, also with what it has no counter of.
SELECT bool_and(2 * truth BETWEEN b.lower AND b.upper) AS doubled,
       bool_and(topk_error(n | n) >= 2 * topk_error(n)) AS error
  FROM sketch, many, topk_bounds(n | n, item) b WHERE item % 97 = 1 OR item < 20;

-- ---- ageing ----

SELECT item, count, lower, upper FROM abc, topk_list(topk_decay(s, 0.5));
SELECT topk_decay(s, 1) = s AS unchanged, topk_decay(s, 0) = topk_empty(2) AS forgotten,
       topk_total(topk_decay(s, 0.5)), topk_total(topk_decay(s, 0.33)) AS rounded_up, topk_error(topk_decay(s, 0.5)),
       topk_error(topk_decay(topk_add(topk_empty(), 'x', 100), 0.01)) AS exact
  FROM abc;
SELECT bool_and(truth * 0.3 BETWEEN b.lower AND b.upper) AS bounds
  FROM sketch, many, topk_bounds(topk_decay(n, 0.3), item) b WHERE item % 97 = 1 OR item < 20;

-- ---- in and out ----

SELECT topk_add_all(topk_empty(), ARRAY['a', 'b', 'a'])::bytea;
SELECT topk_add_all(topk_empty(), ARRAY[1, -2])::bytea;
-- ---- errors ----

SELECT q, pg_temp.error_of('SELECT ' || q) AS error FROM unnest(ARRAY[
    'topk_empty(0)',
    'topk_empty(-1)',
    'topk_empty(100001)',
    $$topk_add(topk_empty(), 'x', -1)$$,
    'topk_add(topk_empty(), 1, -9223372036854775808)',
    $$topk_try_add(topk_empty(), 'x', -5)$$,
    'topk_add(topk_add(topk_empty(), 1, 9223372036854775807), 1)',
    'topk_add(topk_add(topk_empty(), 1, 9223372036854775806), 2, 2)',
    'topk_add_all(topk_add(topk_empty(), 1, 9223372036854775806), ARRAY[1, 2])',
    'topk_add(topk_empty(), 1, 9223372036854775807) | topk_add(topk_empty(), 2)',
    $$topk_add(topk_empty(), repeat('x', 1048577))$$,
    $$topk_add(topk_add(topk_empty(), 1), 'x')$$,
    $$topk_add(topk_add(topk_empty(), 'x'), 1)$$,
    $$topk_add(topk_add(topk_empty(), 'x'), 1, 0)$$,
    $$topk_add_all(topk_add(topk_empty(), 'x'), ARRAY[1])$$,
    $$topk_try_add(topk_add(topk_empty(), 'x'), 1)$$,
    $$topk_add(topk_empty(), 'x') | topk_add(topk_empty(), 1)$$,
    $$topk_count(topk_add(topk_empty(), 1), '1')$$,
    $$topk_contains(topk_add(topk_empty(), 'x'), 1)$$,
    $$topk_bounds(topk_add(topk_empty(), 'x'), 1)$$,
    'topk_decay(topk_empty(), -0.1)',
    'topk_decay(topk_empty(), 1.5)',
    $$topk_decay(topk_empty(), 'NaN')$$,
    $$topk_decay(topk_empty(), 'Infinity')$$]) q;
-- Other types are cast by the user.
SELECT pg_temp.sqlstate_of('SELECT topk_add(topk_empty(), now())') AS timestamptz,
       pg_temp.sqlstate_of('SELECT topk_add(topk_empty(), 1.5)') AS "numeric",
       pg_temp.sqlstate_of('SELECT topk_count(topk_add(topk_empty(), now()::text), now()::text)') AS cast;
SELECT topk_describe(topk_add(topk_add(topk_empty(2), repeat('long', 20), 5), 'short')),
       topk_describe(topk_add(topk_empty(), 7::bigint)), topk_describe(n) ~ 'too low' AS bounded FROM sketch;

-- Text that is none in this encoding is refused as bytea and as text.
SHOW server_encoding;
SELECT byte, pg_temp.error_of(format('SELECT %L::bytea::topk', bytes)) AS as_bytea,
       pg_temp.error_of(format('SELECT %L::topk', encode(bytes, 'base64'))) AS as_text
  FROM (SELECT topk_agg('abc')::bytea AS good) g, unnest(ARRAY[255, 0]) byte,
       set_byte(good, position('b'::bytea IN good) - 1, byte) bytes;
