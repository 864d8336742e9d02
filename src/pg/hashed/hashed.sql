-- hashed: 64 bits that stand for a value of any type. The definitions are in hashed.c.
--
-- There is no operator on it that a query could mean, on purpose: with implicit casts into it, an = of
-- two hashed would make integer = text resolve, and compare hashes. DISTINCT and ORDER BY inside the
-- call of an aggregate need an order all the same; the operators of its classes have names that nobody
-- writes.

CREATE TYPE hashed;

CREATE FUNCTION _hashed_in(cstring) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _hashed_out(hashed) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_hashed_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _hashed_recv(internal) RETURNS hashed
    AS 'int8recv' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _hashed_send(hashed) RETURNS bytea
    AS 'int8send' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _hashed_in(cstring) IS 'I/O: 16 hexadecimal digits';
COMMENT ON FUNCTION _hashed_out(hashed) IS 'I/O: 16 hexadecimal digits';
COMMENT ON FUNCTION _hashed_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _hashed_send(hashed) IS 'I/O';

CREATE TYPE hashed (
    INPUT = _hashed_in,
    OUTPUT = _hashed_out,
    RECEIVE = _hashed_recv,
    SEND = _hashed_send,
    LIKE = bigint
);

COMMENT ON TYPE hashed IS '64-bit hash of a value, what sketches count; made by implicit casts';

CREATE CAST (hashed AS bigint) WITHOUT FUNCTION;

COMMENT ON CAST (hashed AS bigint) IS 'the hash as a number';

CREATE FUNCTION hashed(value smallint) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (smallint AS hashed) WITH FUNCTION hashed(smallint) AS IMPLICIT;
COMMENT ON FUNCTION hashed(smallint) IS 'XXH3-64 of 8 bytes of the number, like every integer type';
COMMENT ON CAST (smallint AS hashed) IS 'XXH3-64 of 8 bytes of the number, like every integer type';

CREATE FUNCTION hashed(value integer) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (integer AS hashed) WITH FUNCTION hashed(integer) AS IMPLICIT;
COMMENT ON FUNCTION hashed(integer) IS 'XXH3-64 of 8 bytes of the number, like every integer type';
COMMENT ON CAST (integer AS hashed) IS 'XXH3-64 of 8 bytes of the number, like every integer type';

CREATE FUNCTION hashed(value bigint) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bigint AS hashed) WITH FUNCTION hashed(bigint) AS IMPLICIT;
COMMENT ON FUNCTION hashed(bigint) IS 'XXH3-64 of 8 bytes of the number, like every integer type';
COMMENT ON CAST (bigint AS hashed) IS 'XXH3-64 of 8 bytes of the number, like every integer type';

CREATE FUNCTION hashed(value oid) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_oid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (oid AS hashed) WITH FUNCTION hashed(oid) AS IMPLICIT;
COMMENT ON FUNCTION hashed(oid) IS 'XXH3-64 of 8 bytes of the number, like every integer type';
COMMENT ON CAST (oid AS hashed) IS 'XXH3-64 of 8 bytes of the number, like every integer type';

CREATE FUNCTION hashed(value numeric) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
CREATE CAST (numeric AS hashed) WITH FUNCTION hashed(numeric) AS IMPLICIT;
COMMENT ON FUNCTION hashed(numeric) IS
    'XXH3-64: like the text of its digits, and so like bigint where integral; scale is ignored';
COMMENT ON CAST (numeric AS hashed) IS
    'XXH3-64: like the text of its digits, and so like bigint where integral; scale is ignored';

CREATE FUNCTION hashed(value real) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_float4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (real AS hashed) WITH FUNCTION hashed(real) AS IMPLICIT;
COMMENT ON FUNCTION hashed(real) IS 'XXH3-64: like the same double precision';
COMMENT ON CAST (real AS hashed) IS 'XXH3-64: like the same double precision';

CREATE FUNCTION hashed(value double precision) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (double precision AS hashed) WITH FUNCTION hashed(double precision) AS IMPLICIT;
COMMENT ON FUNCTION hashed(double precision) IS
    'XXH3-64: like bigint where integral, otherwise of the 8 bytes, with one NaN';
COMMENT ON CAST (double precision AS hashed) IS
    'XXH3-64: like bigint where integral, otherwise of the 8 bytes, with one NaN';

CREATE FUNCTION hashed(value boolean) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_bool' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (boolean AS hashed) WITH FUNCTION hashed(boolean) AS IMPLICIT;
COMMENT ON FUNCTION hashed(boolean) IS 'XXH3-64 of one byte';
COMMENT ON CAST (boolean AS hashed) IS 'XXH3-64 of one byte';

CREATE FUNCTION hashed(value text) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (text AS hashed) WITH FUNCTION hashed(text) AS IMPLICIT;
COMMENT ON FUNCTION hashed(text) IS
    'XXH3-64 of the bytes; the text of a bigint or uuid like that one; collations do not matter';
COMMENT ON CAST (text AS hashed) IS
    'XXH3-64 of the bytes; the text of a bigint or uuid like that one; collations do not matter';

CREATE FUNCTION hashed(value character) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_bpchar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (character AS hashed) WITH FUNCTION hashed(character) AS IMPLICIT;
COMMENT ON FUNCTION hashed(character) IS 'XXH3-64 like the text without trailing blanks';
COMMENT ON CAST (character AS hashed) IS 'XXH3-64 like the text without trailing blanks';

CREATE FUNCTION hashed(value name) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_name' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (name AS hashed) WITH FUNCTION hashed(name) AS IMPLICIT;
COMMENT ON FUNCTION hashed(name) IS 'XXH3-64 like text';
COMMENT ON CAST (name AS hashed) IS 'XXH3-64 like text';

CREATE FUNCTION hashed(value bytea) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bytea AS hashed) WITH FUNCTION hashed(bytea) AS IMPLICIT;
COMMENT ON FUNCTION hashed(bytea) IS 'XXH3-64 of the bytes';
COMMENT ON CAST (bytea AS hashed) IS 'XXH3-64 of the bytes';

CREATE FUNCTION hashed(value date) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (date AS hashed) WITH FUNCTION hashed(date) AS IMPLICIT;
COMMENT ON FUNCTION hashed(date) IS 'XXH3-64 of days since 2000-01-01';
COMMENT ON CAST (date AS hashed) IS 'XXH3-64 of days since 2000-01-01';

CREATE FUNCTION hashed(value time) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_microseconds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (time AS hashed) WITH FUNCTION hashed(time) AS IMPLICIT;
COMMENT ON FUNCTION hashed(time) IS 'XXH3-64 of microseconds';
COMMENT ON CAST (time AS hashed) IS 'XXH3-64 of microseconds';

CREATE FUNCTION hashed(value time with time zone) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_timetz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (time with time zone AS hashed) WITH FUNCTION hashed(time with time zone) AS IMPLICIT;
COMMENT ON FUNCTION hashed(time with time zone) IS 'XXH3-64 of microseconds and zone';
COMMENT ON CAST (time with time zone AS hashed) IS 'XXH3-64 of microseconds and zone';

CREATE FUNCTION hashed(value timestamp) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_microseconds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (timestamp AS hashed) WITH FUNCTION hashed(timestamp) AS IMPLICIT;
COMMENT ON FUNCTION hashed(timestamp) IS 'XXH3-64 of microseconds since 2000-01-01';
COMMENT ON CAST (timestamp AS hashed) IS 'XXH3-64 of microseconds since 2000-01-01';

CREATE FUNCTION hashed(value timestamptz) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_microseconds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (timestamptz AS hashed) WITH FUNCTION hashed(timestamptz) AS IMPLICIT;
COMMENT ON FUNCTION hashed(timestamptz) IS 'XXH3-64 of microseconds since 2000-01-01 UTC';
COMMENT ON CAST (timestamptz AS hashed) IS 'XXH3-64 of microseconds since 2000-01-01 UTC';

CREATE FUNCTION hashed(value interval) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (interval AS hashed) WITH FUNCTION hashed(interval) AS IMPLICIT;
COMMENT ON FUNCTION hashed(interval) IS
    'XXH3-64 of days and microseconds, with 30 days to the month';
COMMENT ON CAST (interval AS hashed) IS
    'XXH3-64 of days and microseconds, with 30 days to the month';

CREATE FUNCTION hashed(value uuid) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (uuid AS hashed) WITH FUNCTION hashed(uuid) AS IMPLICIT;
COMMENT ON FUNCTION hashed(uuid) IS 'XXH3-64 of 16 bytes';
COMMENT ON CAST (uuid AS hashed) IS 'XXH3-64 of 16 bytes';

CREATE FUNCTION hashed(value inet) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_inet' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (inet AS hashed) WITH FUNCTION hashed(inet) AS IMPLICIT;
COMMENT ON FUNCTION hashed(inet) IS
    'XXH3-64: an IPv4 address alone like its text, otherwise of family, prefix length and address';
COMMENT ON CAST (inet AS hashed) IS
    'XXH3-64: an IPv4 address alone like its text, otherwise of family, prefix length and address';

CREATE FUNCTION hashed(value macaddr) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_macaddr' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (macaddr AS hashed) WITH FUNCTION hashed(macaddr) AS IMPLICIT;
COMMENT ON FUNCTION hashed(macaddr) IS 'XXH3-64 of 6 bytes';
COMMENT ON CAST (macaddr AS hashed) IS 'XXH3-64 of 6 bytes';

CREATE FUNCTION hashed(value macaddr8) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_macaddr8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (macaddr8 AS hashed) WITH FUNCTION hashed(macaddr8) AS IMPLICIT;
COMMENT ON FUNCTION hashed(macaddr8) IS 'XXH3-64 of 8 bytes';
COMMENT ON CAST (macaddr8 AS hashed) IS 'XXH3-64 of 8 bytes';

CREATE FUNCTION hashed(value jsonb) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
CREATE CAST (jsonb AS hashed) WITH FUNCTION hashed(jsonb) AS IMPLICIT;
COMMENT ON FUNCTION hashed(jsonb) IS 'XXH3-64 of its tokens, numbers without regard to scale';
COMMENT ON CAST (jsonb AS hashed) IS 'XXH3-64 of its tokens, numbers without regard to scale';

-- These two pass through the function of a type they are binary compatible with.
CREATE CAST (varchar AS hashed) WITH FUNCTION hashed(text) AS IMPLICIT;
COMMENT ON CAST (varchar AS hashed) IS 'XXH3-64 like text';
CREATE CAST (cidr AS hashed) WITH FUNCTION hashed(inet) AS IMPLICIT;
COMMENT ON CAST (cidr AS hashed) IS 'XXH3-64 like the equal inet';

-- Order and equality of the hashes as numbers, for DISTINCT, GROUP BY and ORDER BY. See the head.

CREATE FUNCTION _hashed_eq(hashed, hashed) RETURNS boolean
    AS 'int8eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_eq(hashed, hashed) IS 'equal';
CREATE FUNCTION _hashed_lt(hashed, hashed) RETURNS boolean
    AS 'int8lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_lt(hashed, hashed) IS 'less than as numbers';
CREATE FUNCTION _hashed_le(hashed, hashed) RETURNS boolean
    AS 'int8le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_le(hashed, hashed) IS 'less than or equal as numbers';
CREATE FUNCTION _hashed_gt(hashed, hashed) RETURNS boolean
    AS 'int8gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_gt(hashed, hashed) IS 'greater than as numbers';
CREATE FUNCTION _hashed_ge(hashed, hashed) RETURNS boolean
    AS 'int8ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_ge(hashed, hashed) IS 'greater than or equal as numbers';
CREATE FUNCTION _hashed_cmp(hashed, hashed) RETURNS int
    AS 'btint8cmp' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_cmp(hashed, hashed) IS 'less, equal or greater as numbers: -1, 0 or 1';
CREATE FUNCTION _hashed_sortsupport(internal) RETURNS void
    AS 'btint8sortsupport' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_sortsupport(internal) IS 'sort support';
CREATE FUNCTION _hashed_hash(hashed) RETURNS int
    AS 'hashint8' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_hash(hashed) IS 'hash of the hash';
CREATE FUNCTION _hashed_hash_extended(hashed, seed bigint) RETURNS bigint
    AS 'hashint8extended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_hash_extended(hashed, bigint) IS 'seeded hash of the hash';

CREATE OPERATOR #*= (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_eq, COMMUTATOR = #*=,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR #*=(hashed, hashed) IS 'equal; for DISTINCT, not for queries';
CREATE OPERATOR #*< (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_lt, COMMUTATOR = #*>,
    NEGATOR = #*>=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR #*<(hashed, hashed) IS 'less than; for ORDER BY, not for queries';
CREATE OPERATOR #*<= (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_le, COMMUTATOR = #*>=,
    NEGATOR = #*>, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR #*<=(hashed, hashed) IS 'less than or equal; for ORDER BY, not for queries';
CREATE OPERATOR #*> (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_gt, COMMUTATOR = #*<,
    NEGATOR = #*<=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR #*>(hashed, hashed) IS 'greater than; for ORDER BY, not for queries';
CREATE OPERATOR #*>= (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_ge, COMMUTATOR = #*<=,
    NEGATOR = #*<, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR #*>=(hashed, hashed) IS 'greater than or equal; for ORDER BY, not for queries';

CREATE OPERATOR CLASS hashed_ops DEFAULT FOR TYPE hashed USING btree AS
    OPERATOR 1 #*<, OPERATOR 2 #*<=, OPERATOR 3 #*=, OPERATOR 4 #*>=, OPERATOR 5 #*>,
    FUNCTION 1 _hashed_cmp(hashed, hashed), FUNCTION 2 _hashed_sortsupport(internal);
COMMENT ON OPERATOR CLASS hashed_ops USING btree IS 'order of the hashes as numbers';
COMMENT ON OPERATOR FAMILY hashed_ops USING btree IS 'order of the hashes as numbers';

CREATE OPERATOR CLASS hashed_ops DEFAULT FOR TYPE hashed USING hash AS
    OPERATOR 1 #*=,
    FUNCTION 1 _hashed_hash(hashed), FUNCTION 2 _hashed_hash_extended(hashed, bigint);
COMMENT ON OPERATOR CLASS hashed_ops USING hash IS 'equality of the hashes';
COMMENT ON OPERATOR FAMILY hashed_ops USING hash IS 'equality of the hashes';
