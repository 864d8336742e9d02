-- Messages of DDSketch: a mapping, and bins one by one or in a row.

-- Fields of Protocol Buffers: a key and a number of 7 bits a byte, 8 bytes, or bytes with their length.
CREATE FUNCTION pg_temp.varint(n bigint) RETURNS bytea LANGUAGE sql AS $$
    WITH RECURSIVE v(rest, bytes) AS (
        SELECT n, ''::bytea
        UNION ALL SELECT rest >> 7, bytes || set_byte('\x00', 0, (rest & 127)::int | CASE WHEN rest > 127 THEN 128 ELSE 0 END)
          FROM v WHERE rest > 0 OR bytes = '')
    SELECT bytes FROM v ORDER BY length(bytes) DESC LIMIT 1
$$;
CREATE FUNCTION pg_temp.le(x float8) RETURNS bytea LANGUAGE sql AS $$
    SELECT string_agg(substr(float8send(x), i, 1), '' ORDER BY i DESC) FROM generate_series(1, 8) i
$$;
CREATE FUNCTION pg_temp.nested(field int, bytes bytea) RETURNS bytea LANGUAGE sql AS $$
    SELECT pg_temp.varint(field * 8 + 2) || pg_temp.varint(length(bytes)) || bytes
$$;
CREATE FUNCTION pg_temp.double(field int, x float8) RETURNS bytea LANGUAGE sql AS $$
    SELECT pg_temp.varint(field * 8 + 1) || pg_temp.le(x)
$$;
CREATE FUNCTION pg_temp.number(field int, n bigint) RETURNS bytea LANGUAGE sql AS $$
    SELECT pg_temp.varint(field * 8) || pg_temp.varint(n)
$$;
CREATE FUNCTION pg_temp.zigzag(n bigint) RETURNS bigint LANGUAGE sql AS $$
    SELECT CASE WHEN n < 0 THEN -2 * n - 1 ELSE 2 * n END
$$;
CREATE FUNCTION pg_temp.mapping(gamma float8, shift float8, interpolation int) RETURNS bytea LANGUAGE sql AS $$
    SELECT pg_temp.nested(1, pg_temp.double(1, gamma) || pg_temp.double(2, shift) || pg_temp.number(3, interpolation))
$$;
CREATE FUNCTION pg_temp.bins(bins int[], counts float8[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT string_agg(pg_temp.nested(1, pg_temp.number(1, pg_temp.zigzag(b)) || pg_temp.double(2, c)), '' ORDER BY i)
      FROM unnest(bins, counts) WITH ORDINALITY u(b, c, i)
$$;
CREATE FUNCTION pg_temp.row(first int, counts float8[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT pg_temp.nested(2, string_agg(pg_temp.le(c), '' ORDER BY i)) || pg_temp.number(3, pg_temp.zigzag(first))
      FROM unnest(counts) WITH ORDINALITY u(c, i)
$$;
