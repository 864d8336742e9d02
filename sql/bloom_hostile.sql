-- bloom: values from outside that are none. Whatever comes in by text, bytea or the binary protocol
-- is refused with 22P02 or 22P03, or is a value like any other: no crash, no hang.
\set ECHO none
\i sql/include/error_of.sql
\set ECHO all

-- What becomes of bytes: refused, or taken. Then it must be the very value its bytes say, and every
-- function must do with it what it does with any.
CREATE FUNCTION pg_temp.outcome_of(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    b bloom;
    i record;
    f record;
BEGIN
    BEGIN
        b := bytes::bloom;
    EXCEPTION WHEN invalid_binary_representation THEN
        -- Both other doors refuse it, too.
        BEGIN
            PERFORM translate(encode(bytes, 'base64'), E'\n', '')::bloom;
        EXCEPTION WHEN invalid_text_representation THEN
            RETURN 'refused';
        END;
        RETURN 'refused as bytea, taken as text';
    END;
    i := bloom_info(b);
    ASSERT b::bytea = bytes, 'changed';
    ASSERT b::text::bloom = b AND _bloom_send(b) = bytes, 'not around';
    ASSERT i.items = bloom_cardinality(b), 'cardinality';
    ASSERT i.false_positive_rate BETWEEN 0 AND 1, 'rate';
    SELECT count(*) AS n, sum(items) AS items, sum(capacity) AS capacity INTO f
        FROM bloom_filters(b);
    ASSERT f.n = i.filters AND (f.n = 0 OR (f.items = i.items AND f.capacity = i.capacity)),
        'filters';
    ASSERT b | b = b, 'union with itself';
    IF f.n < 2 THEN
        ASSERT b & b = b, 'intersection with itself';
    END IF;
    ASSERT bloom_contains_each(b, ARRAY[1, 2]) = ARRAY[b @> 1, b @> 2], 'each';
    IF i.capacity < 1000000 AND i.expansion > 0 THEN
        ASSERT bloom_add(b, 5) @> 5, 'add';
    END IF;
    RETURN 'taken';
END
$$;

-- Good ones of every kind to start from.
CREATE TEMP TABLE good (what text, bytes bytea);
INSERT INTO good
    SELECT 'empty', bloom_empty()::bytea
    UNION ALL SELECT 'one', bloom_agg(1)::bytea
    UNION ALL SELECT 'list', bloom_agg(x)::bytea FROM generate_series(1, 12) x
    UNION ALL SELECT 'filter', bloom_agg(x, 60, 0.05)::bytea FROM generate_series(1, 50) x
    UNION ALL SELECT 'whole', bloom_agg(x, 0.2)::bytea FROM generate_series(1, 200) x
    UNION ALL SELECT 'two', (bloom_agg(x, 0.2) | bloom_agg(-x, 0.3))::bytea
        FROM generate_series(1, 110) x
    UNION ALL SELECT 'united', (bloom_agg(x, 90, 0.2) FILTER (WHERE x < 50) | bloom_agg(x, 90,
        0.2))::bytea
                FROM generate_series(1, 80) x
    UNION ALL SELECT 'fixed', bloom_add_all(bloom_empty(30, 0.1, 0),
        ARRAY(SELECT generate_series(1, 20)))::bytea;
SELECT what, pg_temp.outcome_of(bytes), length(bytes) FROM good ORDER BY what;

-- Cut anywhere, or longer.
SELECT what, count(*) > 30 AS many, count(*) FILTER (WHERE o = 'refused') = count(*) AS all_refused
  FROM good, generate_series(0, length(bytes) - 1) n, pg_temp.outcome_of(substr(bytes, 1, n)) o
 GROUP BY what ORDER BY what;
SELECT what, pg_temp.outcome_of(bytes || '\x00'::bytea), pg_temp.outcome_of(bytes || substr(bytes,
       25, 8))
  FROM good ORDER BY what;

-- Any byte of the header and the directory changed; of what follows, some. Of the common bytes, the
-- number of filters and the number of items none may differ.
SELECT what, count(*) >= 160 AS many,
       count(*) FILTER (WHERE o NOT IN ('refused', 'taken')) AS wrong,
       count(*) FILTER (WHERE o = 'taken' AND (n < 4 OR n BETWEEN 6 AND 7 OR n BETWEEN 24 AND 31))
           AS lies_taken
  FROM good, generate_series(0, length(bytes) - 1) n, unnest(ARRAY[1, 2, 16, 128, 255]) mask,
       pg_temp.outcome_of(set_byte(bytes, n, get_byte(bytes, n) # mask)) o
 WHERE n < 64 OR n % 7 = 0
 GROUP BY what ORDER BY what;

-- Why.
CREATE FUNCTION pg_temp.refusal(bytes bytea) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(pg_temp.error_of(format('SELECT %L::bytea::bloom', bytes)),
        'invalid value of type bloom. ', '')
$$;
SELECT n AS byte, value, pg_temp.refusal(set_byte(bytes, n, value))
  FROM good, (VALUES (0, 1), (1, 2), (2, 2), (2, 128), (3, 1), (5, 255), (6, 2), (15, 1), (23, 0),
      (24, 201), (32, 0), (33, 1), (40, 9), (55, 191), (56, 9), (61, 255), (62, 0), (63, 2))
      v(n, value)
 WHERE what = 'whole' ORDER BY n, value;
SELECT pg_temp.refusal(substr(bytes, 1, 31)) AS short FROM good WHERE what = 'list';
SELECT pg_temp.refusal(overlay(bytes PLACING substr(bytes, 41, 8) FROM 33 FOR 8)) AS repeated
       FROM good WHERE what = 'list';
SELECT pg_temp.refusal(set_byte(bytes, 8, 1)) AS too_long FROM good WHERE what = 'list';
SELECT pg_temp.refusal(set_byte(set_byte(bytes, 4, 0), 5, 0)) AS fixed_with_two FROM good
       WHERE what = 'two';

-- Other types' values, text that is no base64.
SELECT pg_temp.error_of($$SELECT hll_empty()::bytea::bloom$$);
SELECT pg_temp.error_of($$SELECT ''::bloom$$);
SELECT pg_temp.error_of($$SELECT 'hello'::bloom$$);
SELECT pg_temp.error_of($$SELECT 'b%'::bloom$$);
SELECT pg_temp.sqlstate_of($$SELECT hll_empty()::text::bloom$$) AS other_type;
