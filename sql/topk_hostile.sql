-- topk: values from outside that are none. Whatever comes in by text, bytea or the binary
-- protocol is refused with 22P02 or 22P03, or is a value like any other: no crash, no hang.
\set ECHO none
\i sql/include/error_of.sql
\set ECHO all

-- What becomes of bytes: refused, or taken. Then it must be the very value its bytes say, and every
-- function must do with it what it does with any.
CREATE FUNCTION pg_temp.outcome_of(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    t topk;
    i record;
    l record;
BEGIN
    BEGIN
        t := bytes::topk;
    EXCEPTION WHEN invalid_binary_representation THEN
        -- Both other doors refuse it, too.
        BEGIN
            PERFORM translate(encode(bytes, 'base64'), E'\n', '')::topk;
        EXCEPTION WHEN invalid_text_representation THEN
            RETURN 'refused';
        END;
        RETURN 'refused as bytea, taken as text';
    END;
    i := topk_info(t);
    ASSERT t::bytea = bytes, 'changed';
    ASSERT t::text::topk = t AND _topk_send(t) = bytes, 'not around';
    ASSERT i.total = topk_total(t) AND i.error = topk_error(t), 'header';
    SELECT count(*) AS n, sum(count) AS counted, bool_and(count = lower AND lower <= upper) AS bounds,
           bool_and(upper >= i.error AND upper - lower <= i.error AND upper <= i.total) AS errors
      INTO l FROM topk_list(t);
    ASSERT l.n = least(i.k, i.counters), 'list';
    ASSERT l.n = 0 OR (l.bounds AND l.errors AND l.counted + i.error <= i.total), 'bounds';
    IF i.total < 4611686018427387904 THEN
        ASSERT topk_total(t | t) = 2 * i.total, 'union';
        IF i.items = 'bigint' THEN
            ASSERT topk_total(topk_add(t, 5)) = i.total + 1, 'add';
            ASSERT topk_count(topk_add(t, 5, 9000), 5) >= 9000, 'add many';
        ELSE
            ASSERT topk_total(topk_add(t, 'x')) = i.total + 1, 'add';
        END IF;
    END IF;
    ASSERT (SELECT count(*) FROM topk_list(topk_decay(t, 0.7))) <= l.n, 'decay';
    ASSERT cardinality(_approx_top_k_final(t)) = l.n, 'final';
    RETURN 'taken';
END
$$;

CREATE TEMP TABLE good (what text, bytes bytea);
INSERT INTO good
    SELECT 'empty', topk_empty()::bytea
    UNION ALL SELECT 'one', topk_add(topk_empty(), 5)::bytea
    UNION ALL SELECT 'few', topk_agg(x % 5)::bytea FROM generate_series(1, 12) x
    UNION ALL SELECT 'texts', topk_agg('n' || x % 4, 3)::bytea FROM generate_series(1, 9) x
    UNION ALL SELECT 'many', topk_agg(x % 1000 * (x % 3), 1)::bytea FROM generate_series(1, 20000) x
    UNION ALL SELECT 'heavy', topk_add(topk_empty(1), 'x', 9223372036854775807)::bytea
    UNION ALL SELECT 'decayed', topk_decay(topk_agg(x % 7), 0.3)::bytea FROM generate_series(1, 50) x;
SELECT what, pg_temp.outcome_of(bytes), (topk_info(bytes::topk)).* FROM good;

-- ---- not base64 ----

SELECT t, pg_temp.error_of(format('SELECT %L::topk', t))
  FROM unnest(ARRAY['', '!', 'A', 'AB', 'AB=', 'CAE=', '{1,2,3}', '====', 'CAEAAQo AAA', '5']) t;
SELECT pg_temp.error_of(format('SELECT %L::topk', repeat('A', 1000000))) AS a_million_as;
SELECT DISTINCT pg_temp.sqlstate_of(format('SELECT %L::topk', left(t, n))) AS prefixes_of_text
  FROM (SELECT translate(encode(bytes, 'base64'), E'\n', '') AS t FROM good WHERE what = 'few') g,
       generate_series(0, length(t) - 1) n;

-- ---- headers and counters ----

SELECT what, pg_temp.error_of(format('SELECT %L::bytea::topk', bytes))
  FROM (SELECT topk_empty()::bytea AS e, f.bytes AS f, t.bytes AS t, d.bytes AS d
          FROM good f, good t, good d WHERE f.what = 'few' AND t.what = 'texts' AND d.what = 'decayed') g,
       LATERAL (VALUES
    ('nothing',                   ''::bytea),
    ('27 bytes',                  substr(e, 1, 27)),
    ('an hll',                    hll_empty()::bytea),
    ('a filled hll',              (SELECT hll_agg(x)::bytea FROM generate_series(1, 100) x)),
    ('kind 0',                    set_byte(e, 0, 0)),
    ('version 2',                 set_byte(e, 1, 2)),
    ('encoding 1',                set_byte(e, 2, 1)),
    ('working, exact',            set_byte(e, 2, 128)),
    ('working, bounded',          set_byte(e, 2, 129)),
    ('a type without items',      set_byte(e, 3, 1)),
    ('type 3',                    set_byte(f, 3, 3)),
    ('items without a type',      set_byte(f, 3, 0)),
    ('k = 0',                     set_byte(e, 4, 0)),
    ('k = 100010',                set_byte(set_byte(set_byte(e, 4, 170), 5, 134), 6, 1)),
    ('k = 2^32 - 1',              set_byte(set_byte(set_byte(set_byte(e, 4, 255), 5, 255), 6, 255), 7, 255)),
    ('total of none',             set_byte(e, 8, 1)),
    ('another total',             set_byte(f, 8, 11)),
    ('a total of 2^63',           set_byte(f, 15, 128)),
    ('an error of none',          set_byte(e, 16, 1)),
    ('an error above the total',  set_byte(f, 16, 200)),
    ('an error above counts',     set_byte(f, 16, 5)),
    ('a counter of none',         set_byte(e, 24, 1)),
    ('one counter too few',       set_byte(f, 24, 4)),
    ('one counter too many',      set_byte(f, 24, 6)),
    ('2^32 - 1 counters',         set_byte(set_byte(set_byte(set_byte(f, 24, 255), 25, 255), 26, 255), 27, 255)),
    ('a count of 0',              set_byte(f, 28, 0)),
    ('ascending counts',          set_byte(set_byte(f, 28, 2), 31, 4)),
    ('an error above the error',  set_byte(f, 29, 1)),
    ('an item twice',             set_byte(f, 33, get_byte(f, 30))),
    ('an item twice, apart',      set_byte(f, 39, get_byte(f, 30))),
    ('a text longer than all',    set_byte(t, 30, 127)),
    ('a text of 2^14 bytes',      set_byte(set_byte(t, 30, 128), 31, 128)),
    ('a byte more',               f || '\x00'::bytea),
    ('a decayed one, error less', set_byte(d, 16, 0))
  ) v(what, bytes);
SELECT pg_temp.error_of(format('SELECT %L::bytea::hll', bytes)) AS a_topk_as_hll FROM good WHERE what = 'few';

-- Text that is none in this encoding, at every door.
SHOW server_encoding;
CREATE TEMP TABLE bad_text AS
    SELECT set_byte(bytes, 31, 255) AS bytes FROM good WHERE what = 'texts'
    UNION ALL SELECT set_byte(bytes, 31, 0) FROM good WHERE what = 'texts';
SELECT pg_temp.error_of(format('SELECT %L::bytea::topk', bytes)) AS by_bytea,
       pg_temp.error_of(format('SELECT %L::topk', encode(bytes, 'base64'))) AS by_text
  FROM bad_text;

-- ---- every truncation and every changed byte ----

SELECT what, count(*) FILTER (WHERE o = 'refused') = count(*) AS all_refused
  FROM good, generate_series(0, least(length(bytes), 200) - 1) n,
       pg_temp.outcome_of(substr(bytes, 1, n)) o
 GROUP BY what ORDER BY what;
-- 'refused' or 'taken', and nothing else.
SELECT DISTINCT o
  FROM good, generate_series(0, least(length(bytes), 80) - 1) n, unnest(ARRAY[1, 2, 64, 128, 255]) x,
       pg_temp.outcome_of(set_byte(bytes, n, get_byte(bytes, n) # x)) o
 ORDER BY o;

-- ---- the binary protocol ----

CREATE TEMP TABLE wire (t topk);
INSERT INTO wire SELECT bytes::topk FROM good;
\copy wire TO 'build/regress/results/topk_hostile.copy' (FORMAT binary)
CREATE TEMP TABLE received (t topk);
\copy received FROM 'build/regress/results/topk_hostile.copy' (FORMAT binary)
SELECT count(*) AS received, bool_and(t IN (TABLE wire)) AS same FROM received;
