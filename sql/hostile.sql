-- Bytes from outside, for every type alike: whatever comes in as bytea, text or by the binary
-- protocol is refused with 22P03 or 22P02, or is a value like any other. Why something is refused is
-- what test/unit/TYPE/test_TYPE_validate.c tests; test/fuzz tries many more.
\set ECHO none
\i sql/include/output.sql
\i sql/include/each_type.sql
\i sql/include/sample.sql
\i sql/include/errors_of.sql
\set ECHO all
-- Any bytes are a bitfield.
DELETE FROM made WHERE type::text = 'bitfield';
SELECT count(*) >= 8 AS types FROM made;

-- What becomes of bytes: refused in all three ways, or taken. Then the value is what its bytes say
-- (but for cached answers, which are computed again), and functions do with it what they do with any.
CREATE FUNCTION pg_temp.outcome(kind regtype, bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    as_text text := translate(encode(bytes, 'base64'), E'\n', '');
    good boolean;
BEGIN
    BEGIN
        EXECUTE format('SELECT $1::%1$s::bytea::%1$s::bytea = $1::%1$s::bytea', kind)
            INTO good USING bytes;
    EXCEPTION WHEN invalid_binary_representation THEN
        BEGIN
            EXECUTE format('SELECT %L::%s', as_text, kind);
        EXCEPTION WHEN invalid_text_representation THEN
            RETURN 'refused';
        END;
        RETURN 'refused as bytea, taken as text';
    END;
    IF NOT good THEN
        RETURN 'read and written it is another';
    END IF;
    EXECUTE format('SELECT v::text::%1$s = v AND %2$L::%1$s = v AND v = v AND %1$s_describe(v) <> ''''
                           AND row_to_json(%1$s_info(v)) IS NOT NULL AND %3$s(v) IS NOT NULL
                      FROM (SELECT $1::%1$s AS v) s', kind, as_text, pg_temp.size_of(kind)) INTO good USING bytes;
    IF NOT good THEN
        RETURN 'functions disagree';
    END IF;
    -- What says that it is huge may be too much with another.
    EXECUTE format('SELECT (v | v)::bytea::%1$s = (v | v) FROM (SELECT $1::%1$s AS v) s', kind)
        INTO good USING bytes;
    RETURN CASE WHEN good THEN 'taken' ELSE 'united it is no value' END;
EXCEPTION
    WHEN program_limit_exceeded OR numeric_value_out_of_range OR datatype_mismatch
        OR invalid_parameter_value THEN
        RETURN 'taken';
END $$;

-- Good values of every size that a type has, and of two that are merged.
CREATE TEMP TABLE good (type regtype, what text, bytes bytea);
DO $$
DECLARE
    m made;
BEGIN
    FOR m IN SELECT * FROM made LOOP
        EXECUTE format('INSERT INTO good
            SELECT %1$L::regtype, ''empty'', %1$s_empty()::bytea
            UNION ALL SELECT %1$L, n::text, %2$s(%3$s)::bytea
              FROM unnest(ARRAY[1, 3, 20, 400, 20000]) n, generate_series(1, n) i GROUP BY n
            UNION ALL SELECT %1$L, ''merged'', (%2$s(%3$s) FILTER (WHERE i < 300)
                | %2$s(%3$s) FILTER (WHERE i > 200))::bytea FROM generate_series(1, 3000) i',
            m.type, m.aggregate, m.item);
    END LOOP;
END $$;
SELECT type, what, pg_temp.outcome(type, bytes) FROM good WHERE pg_temp.outcome(type, bytes) <> 'taken';

-- All places of the first bytes, some of those behind, the last ones.
CREATE FUNCTION pg_temp.places(bytes bytea) RETURNS SETOF int LANGUAGE sql AS $$
    SELECT i FROM generate_series(0, length(bytes) - 1) i
     WHERE i < 48 OR i >= length(bytes) - 4 OR i % (1 + length(bytes) / 40) = 0
$$;

-- No part of a value is a value, and none has anything behind it or in front of it.
SELECT type, what, i FROM good, pg_temp.places(bytes) i
 WHERE pg_temp.outcome(type, substr(bytes, 1, i)) <> 'refused';
SELECT type, what, around FROM good,
       unnest(ARRAY[bytes || '\x00', bytes || '\xff', bytes || decode(repeat('00', 5000), 'hex'),
                    '\x00' || bytes, bytes || bytes]) around
 WHERE pg_temp.outcome(type, around) <> 'refused';

-- Bytes changed, one or two. Some make another good value. The first two, kind and version, decide
-- what the others mean, and the third may not say that it is a working value.
CREATE TEMP TABLE changed AS
    SELECT type, i AS place, 1 AS bytes, pg_temp.outcome(type, set_byte(bytes, i, get_byte(bytes, i) # mask)) AS outcome
      FROM good, pg_temp.places(bytes) i, unnest(ARRAY[1, 128, 255]) mask
     WHERE i < 8 OR (i + mask) % pg_temp.sample() = 0
    UNION ALL
    SELECT type, i, 2, pg_temp.outcome(type, set_byte(set_byte(bytes, i, (i * 37 + j) % 256), j, i * j % 251))
      FROM good, generate_series(0, 30) i, generate_series(i + 1, 30) j
     WHERE length(bytes) > 31 AND (i + j) % (5 * pg_temp.sample()) = 0;
SELECT type, place, bytes, outcome, count(*) FROM changed
 WHERE outcome NOT IN ('refused', 'taken') OR (outcome = 'taken' AND place < 2 AND bytes = 1)
 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
SELECT type, count(*) AS changes, count(*) FILTER (WHERE outcome = 'refused') AS refused FROM changed
 GROUP BY type HAVING count(*) < 600 / pg_temp.sample() OR count(*) FILTER (WHERE outcome = 'refused') < 300 / pg_temp.sample();
SELECT type, what FROM good
 WHERE pg_temp.outcome(type, set_byte(bytes, 2, get_byte(bytes, 2) | 128)) <> 'refused';

-- A value of another type; text that is no base64, or long.
SELECT a.type, b.type FROM good a, good b
 WHERE a.type <> b.type AND a.what = '20' AND b.what = '20'
   AND pg_temp.outcome(a.type, b.bytes) <> 'refused';
CREATE FUNCTION pg_temp.reads(kind regtype, input text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT %L::%s', input, kind);
    RETURN true;
EXCEPTION WHEN invalid_text_representation THEN
    RETURN false;
END $$;
SELECT type, left(input, 20) AS input
  FROM made, unnest(ARRAY['', '!', 'A', 'AB', 'AB=', 'AQ==', '====', 'AQEAAA4A AA', '{', E'\\x0101',
                          repeat('A', 1000000)]) input
 WHERE pg_temp.reads(type, input);

-- COPY sends bytes that a bytea column holds to a column of the type as they are.
CREATE FUNCTION pg_temp.received(kind regtype, sent bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/received';
    answer text;
BEGIN
    EXECUTE format('COPY (SELECT %L::bytea) TO %L WITH BINARY', sent, file);
    EXECUTE format('CREATE TEMP TABLE arrived (v %s)', kind);
    BEGIN
        EXECUTE format('COPY arrived FROM %L WITH BINARY', file);
        EXECUTE format('SELECT CASE WHEN v::bytea = %L THEN ''the same'' ELSE ''another'' END FROM arrived',
            sent) INTO answer;
    EXCEPTION WHEN invalid_binary_representation THEN
        answer := 'refused';
    END;
    DROP TABLE arrived;
    RETURN answer;
END $$;
SELECT type, what, i, answer FROM good, unnest(ARRAY[0, 1, 2, 3]) i,
       pg_temp.received(type, substr(bytes, 1 + i % 2, length(bytes) - i)) answer
 WHERE answer <> CASE i WHEN 0 THEN 'the same' ELSE 'refused' END;

-- A server of 32 bits reads up to 64 MB.
SELECT pg_temp.sqlstate_of('SELECT hll(decode(repeat(''00'', 68000000), ''hex''))') =
       CASE WHEN float8_pass_by_value THEN '22P03' ELSE '54000' END AS refused FROM pg_control_init();
