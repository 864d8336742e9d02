-- A t-digest as Redis's DUMP has it, made field by field, with all that may be wrong in it.

-- The body with version and checksum behind it, by the definition of CRC-64.
CREATE FUNCTION pg_temp.dump(body bytea) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    covered bytea := body || '\x0a00'::bytea;
    crc bigint := 0;
    footer bytea := '\x0000000000000000';
BEGIN
    FOR i IN 0 .. octet_length(covered) - 1 LOOP
        crc := crc # get_byte(covered, i);
        FOR bit IN 1 .. 8 LOOP
            crc := ((crc >> 1) & x'7fffffffffffffff'::bigint)
                   # (CASE crc & 1 WHEN 1 THEN x'95ac9329ac4bc9b5'::bigint ELSE 0 END);
        END LOOP;
    END LOOP;
    FOR i IN 0 .. 7 LOOP
        footer := set_byte(footer, i, (crc >> (8 * i) & 255)::int);
    END LOOP;
    RETURN covered || footer;
END
$$;

-- Fields of a module's value: an opcode and a little-endian double, or a length. A server writes
-- signed fields with the opcode of unsigned ones, 2.
CREATE FUNCTION pg_temp.double(number float8) RETURNS bytea LANGUAGE sql AS $$
    SELECT '\x04'::bytea || string_agg(substr(float8send(number), i, 1), '' ORDER BY i DESC)
      FROM generate_series(1, 8) i
$$;
CREATE FUNCTION pg_temp.signed(number bigint) RETURNS bytea LANGUAGE sql AS $$
    SELECT '\x02'::bytea
           || CASE WHEN number BETWEEN 0 AND 63 THEN set_byte('\x00', 0, number::int)
                   WHEN number BETWEEN 64 AND 16383
                   THEN set_byte(set_byte('\x0000', 0, 64 + (number >> 8)::int), 1,
                       (number & 255)::int)
                   WHEN number BETWEEN 16384 AND 4294967295
                   THEN '\x80'::bytea || substr(int8send(number), 5)
                   ELSE '\x81'::bytea || int8send(number) END
$$;
CREATE FUNCTION pg_temp.doubles(numbers float8[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT coalesce(string_agg(pg_temp.double(n), '' ORDER BY i), '')
      FROM unnest(numbers) WITH ORDINALITY u(n, i)
$$;
-- What precedes the centroids, and all of a t-digest, with all that may be wrong in it.
CREATE FUNCTION pg_temp.head(compression float8, low float8, high float8, cap bigint, merged bigint,
                             unmerged bigint, weight float8)
RETURNS bytea LANGUAGE sql AS $$
    SELECT '\x07814c3212f9360f1000'::bytea || pg_temp.double(compression) || pg_temp.double(low)
           || pg_temp.double(high) || pg_temp.signed(cap) || pg_temp.signed(merged)
           || pg_temp.signed(unmerged) || pg_temp.signed(7) || pg_temp.double(weight)
           || pg_temp.double(0)
$$;
CREATE FUNCTION pg_temp.tdis(means float8[], weights float8[], low float8 = NULL,
                             high float8 = NULL,
                             compression float8 = 100, merged bigint = NULL, unmerged bigint = 0)
RETURNS bytea LANGUAGE sql AS $$
    SELECT pg_temp.dump(
        pg_temp.head(compression, coalesce(low, means[1], '1.7976931348623157e308'),
                     coalesce(high, means[cardinality(means)], '-1.7976931348623157e308'),
                     (6 * 100 + 10)::bigint, coalesce(merged, cardinality(means)), unmerged,
                     (SELECT coalesce(sum(w), 0) FROM unnest(weights) w))
        || pg_temp.doubles(means) || pg_temp.doubles(weights) || '\x00'::bytea)
$$;
