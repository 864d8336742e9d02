-- cuckoo: values from outside that are none. Whatever comes in by text, bytea or the binary
-- protocol is refused with 22P02 or 22P03, or is a value like any other: no crash, no hang.
\set ECHO none
\i sql/include/error_of.sql
\set ECHO all

-- What becomes of bytes: refused by every door, or taken as they are; then every function works.
CREATE FUNCTION pg_temp.outcome_of(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    f cuckoo;
    i record;
BEGIN
    BEGIN
        f := bytes::cuckoo;
    EXCEPTION WHEN invalid_binary_representation THEN
        BEGIN
            PERFORM translate(encode(bytes, 'base64'), E'\n', '')::cuckoo;
        EXCEPTION WHEN invalid_text_representation THEN
            RETURN 'refused';
        END;
        RETURN 'refused as bytea, taken as text';
    END;
    i := cuckoo_info(f);
    ASSERT f::bytea = bytes, 'changed';
    ASSERT f::text::cuckoo = f AND _cuckoo_send(f) = bytes, 'not around';
    ASSERT i.items = cuckoo_cardinality(f) AND i.load BETWEEN 0 AND 1, 'info';
    ASSERT (f | f) = f, 'union';
    ASSERT cuckoo_cardinality(cuckoo_compact(f)) = i.items, 'compact';
    PERFORM f @> 1, cuckoo_count(f, 'a'), cuckoo_contains_each(f, ARRAY[1, 2, 3]),
            cuckoo_delete(f, 1), cuckoo_try_add(f, 1), cuckoo_try_addnx(f, 2);
    RETURN 'taken';
END
$$;

CREATE TEMP TABLE good (what text, bytes bytea);
INSERT INTO good
    SELECT 'empty', cuckoo_empty()::bytea
    UNION ALL SELECT 'fixed', cuckoo_add(cuckoo_empty(5, 8, 0), 1)::bytea
    UNION ALL SELECT 'one', cuckoo_agg(1)::bytea
    UNION ALL SELECT 'few', cuckoo_agg(x)::bytea FROM generate_series(1, 5) x
    UNION ALL SELECT 'copies', cuckoo_add_all(cuckoo_empty(), ARRAY[1, 1, 1, 2, 2])::bytea
    UNION ALL SELECT 'deleted', cuckoo_delete(cuckoo_agg(x), 2)::bytea FROM generate_series(1, 5) x
    UNION ALL SELECT 'buckets', cuckoo_agg(x)::bytea FROM generate_series(1, 300) x
    UNION ALL SELECT 'wide', cuckoo_add_all(cuckoo_empty(1073741824, 32), ARRAY[1, 2, 3])::bytea;
SELECT what, pg_temp.outcome_of(bytes), length(bytes) FROM good;

-- ---- not base64 ----

SELECT t, pg_temp.error_of(format('SELECT %L::cuckoo', t))
  FROM unnest(ARRAY['', '!', 'A', 'AB', 'BgE=', '{1,2,3}', '\x0601', '5']) t;

-- ---- headers ----

SELECT what, pg_temp.error_of(format('SELECT %L::bytea::cuckoo', bytes))
  FROM (SELECT cuckoo_empty()::bytea AS e, bytes AS f FROM good WHERE what = 'few') g,
       LATERAL (VALUES
    ('nothing',                ''::bytea),
    ('27 bytes',               substr(e, 1, 27)),
    ('an hll',                 hll_empty()::bytea || e),
    ('kind 0',                 set_byte(e, 0, 0)),
    ('version 0',              set_byte(e, 1, 0)),
    ('version 2',              set_byte(e, 1, 2)),
    ('encoding 1',             set_byte(e, 2, 1)),
    ('a list',                 set_byte(e, 2, 128)),
    ('a table',                set_byte(e, 2, 129)),
    ('another hash',           set_byte(e, 3, 1)),
    ('7 fingerprint bits',     set_byte(e, 4, 7)),
    ('33 fingerprint bits',    set_byte(e, 4, 33)),
    ('23 hash bits',           set_byte(e, 5, 23)),
    ('46 hash bits',           set_byte(e, 5, 46)),
    ('reserved bytes',         set_byte(e, 6, 1)),
    ('items without any',      set_byte(e, 8, 1)),
    ('one item too many',      set_byte(f, 8, 6)),
    ('one item too few',       set_byte(f, 8, 4)),
    ('2^24 items',             set_byte(set_byte(f, 8, 0), 11, 1)),
    ('2^40 items',             set_byte(f, 13, 1)),
    ('2^63 items',             set_byte(f, 15, 128)),
    ('2^63 deletes',           set_byte(f, 23, 128)),
    ('capacity of 4',          set_byte(f, 24, 4)),
    ('capacity of 2^30 + 1',   set_byte(set_byte(f, 27, 64), 24, 1)),
    ('something behind',       f || '\x00'),
    ('something behind none',  e || '\x00')
  ) v(what, bytes);

-- ---- every prefix, every flipped bit ----

SELECT what, count(*) AS prefixes, count(*) FILTER (WHERE o <> 'refused') AS not_refused
  FROM (SELECT what, pg_temp.outcome_of(substr(bytes, 1, n)) AS o
          FROM good,
               generate_series(0, length(bytes) - 1,
                               CASE what WHEN 'buckets' THEN 13 ELSE 1 END) n) s
       GROUP BY what ORDER BY what COLLATE "C";
-- Of those that are taken each is a good value that says what its bytes say.
SELECT what, count(*) FILTER (WHERE o = 'refused') > 0 AS some_refused,
       count(*) FILTER (WHERE o NOT IN ('refused', 'taken')) AS neither
  FROM (SELECT what, pg_temp.outcome_of(set_bit(bytes, n, 1 - get_bit(bytes, n))) AS o
          FROM good,
               generate_series(0, 8 * length(bytes) - 1,
                               CASE what WHEN 'buckets' THEN 29 ELSE 1 END) n) s
       GROUP BY what ORDER BY what COLLATE "C";

-- ---- a header that lies about its body ----

-- A displacement and a number of items in front of a bucket.
SELECT at, byte, pg_temp.outcome_of(set_byte(bytes, 28 + at, byte)) AS outcome
  FROM good, generate_series(0, 7) at, unnest(ARRAY[1, 255]) byte
 WHERE what = 'buckets' AND get_byte(bytes, 28 + at) <> byte;
