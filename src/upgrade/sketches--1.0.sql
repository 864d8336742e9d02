\echo Use "CREATE EXTENSION sketches" to load this file. \quit

-- from src/pg/shared/sketches.sql

-- What belongs to the extension as a whole.

CREATE FUNCTION sketches_version() RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_version' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sketches_version() IS 'version of the loaded library, for comparison with extversion in pg_extension';

-- Unions over sliding windows, of any type. See moving.c.

CREATE FUNCTION _sketches_moving_union(internal, anyelement) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_moving_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _sketches_moving_union(internal, anyelement) IS 'transition function over moving frames: a sketch enters';

CREATE FUNCTION _sketches_moving_union_percentile(internal, anyelement, "any") RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_moving_union_percentile' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _sketches_moving_union_percentile(internal, anyelement, "any") IS 'transition function over moving frames: a sketch enters; percentiles of the union are requested';

CREATE FUNCTION _sketches_moving_inverse(internal, anyelement) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_moving_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _sketches_moving_inverse(internal, anyelement) IS 'inverse transition function over moving frames: the oldest sketch leaves';

CREATE FUNCTION _sketches_moving_inverse(internal, anyelement, "any") RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_moving_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _sketches_moving_inverse(internal, anyelement, "any") IS 'inverse transition function over moving frames: the oldest sketch leaves';

CREATE FUNCTION _sketches_moving_final(internal, anyelement) RETURNS anyelement
    AS 'MODULE_PATHNAME', 'sketches_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _sketches_moving_final(internal, anyelement) IS 'final function over moving frames: the packed union';

-- from src/pg/hashed/hashed.sql

-- hashed: 64 bits that stand for a value of any type. The definitions are in hashed.c.
--
-- There is no operator on it that a query could mean, on purpose: with implicit casts into it, an =
-- of two hashed would make integer = text resolve, and compare hashes. DISTINCT and ORDER BY inside
-- the call of an aggregate need an order all the same; the operators of its classes have names that
-- nobody writes.

CREATE TYPE hashed;

CREATE FUNCTION _hashed_in(cstring) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_in(cstring) IS 'I/O: 16 hexadecimal digits';

CREATE FUNCTION _hashed_out(hashed) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_hashed_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_out(hashed) IS 'I/O: 16 hexadecimal digits';

CREATE FUNCTION _hashed_recv(internal) RETURNS hashed
    AS 'int8recv' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hashed_recv(internal) IS 'I/O';

CREATE FUNCTION _hashed_send(hashed) RETURNS bytea
    AS 'int8send' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
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

-- A hash that a client has read comes back through these two. As a parameter of type bigint, text
-- or bytea it would be hashed again.

CREATE FUNCTION hashed_from_hex(hex text) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_from_hex' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed_from_hex(text) IS 'hash from 16 hexadecimal digits, not hashed again; the inverse of hashed::text; errors: 22P02';

CREATE FUNCTION hashed_from_bytea(payload bytea) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed_from_bytea(bytea) IS 'hash from its 8 bytes in binary form, not hashed again; errors: 22P03';

CREATE FUNCTION hashed(value smallint) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(smallint) IS 'hash of the number, the same for every numeric type and for its text';
CREATE CAST (smallint AS hashed) WITH FUNCTION hashed(smallint) AS IMPLICIT;
COMMENT ON CAST (smallint AS hashed) IS 'hash of the number, the same for every numeric type and for its text';

CREATE FUNCTION hashed(value integer) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(integer) IS 'hash of the number, the same for every numeric type and for its text';
CREATE CAST (integer AS hashed) WITH FUNCTION hashed(integer) AS IMPLICIT;
COMMENT ON CAST (integer AS hashed) IS 'hash of the number, the same for every numeric type and for its text';

CREATE FUNCTION hashed(value bigint) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(bigint) IS 'hash of the number, the same for every numeric type and for its text';
CREATE CAST (bigint AS hashed) WITH FUNCTION hashed(bigint) AS IMPLICIT;
COMMENT ON CAST (bigint AS hashed) IS 'hash of the number, the same for every numeric type and for its text';

CREATE FUNCTION hashed(value oid) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_oid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(oid) IS 'hash of the number, the same for every numeric type and for its text';
CREATE CAST (oid AS hashed) WITH FUNCTION hashed(oid) AS IMPLICIT;
COMMENT ON CAST (oid AS hashed) IS 'hash of the number, the same for every numeric type and for its text';

CREATE FUNCTION hashed(value numeric) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hashed(numeric) IS 'hash of the number, the same for every numeric type and for its text; trailing zeros do not matter';
CREATE CAST (numeric AS hashed) WITH FUNCTION hashed(numeric) AS IMPLICIT;
COMMENT ON CAST (numeric AS hashed) IS 'hash of the number, the same for every numeric type and for its text; trailing zeros do not matter';

CREATE FUNCTION hashed(value real) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_float4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(real) IS 'hash of the number, the same as for the equal double precision';
CREATE CAST (real AS hashed) WITH FUNCTION hashed(real) AS IMPLICIT;
COMMENT ON CAST (real AS hashed) IS 'hash of the number, the same as for the equal double precision';

CREATE FUNCTION hashed(value double precision) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(double precision) IS 'hash of the number, the same as for its shortest digits as numeric or text';
CREATE CAST (double precision AS hashed) WITH FUNCTION hashed(double precision) AS IMPLICIT;
COMMENT ON CAST (double precision AS hashed) IS 'hash of the number, the same as for its shortest digits as numeric or text';

CREATE FUNCTION hashed(value boolean) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_bool' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(boolean) IS 'hash of the boolean';
CREATE CAST (boolean AS hashed) WITH FUNCTION hashed(boolean) AS IMPLICIT;
COMMENT ON CAST (boolean AS hashed) IS 'hash of the boolean';

CREATE FUNCTION hashed(value text) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(text) IS 'hash of the text, the same as for the number, uuid or address that prints so; collations do not matter';
CREATE CAST (text AS hashed) WITH FUNCTION hashed(text) AS IMPLICIT;
COMMENT ON CAST (text AS hashed) IS 'hash of the text, the same as for the number, uuid or address that prints so; collations do not matter';

CREATE FUNCTION hashed(value character) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_bpchar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(character) IS 'hash of the text without trailing blanks';
CREATE CAST (character AS hashed) WITH FUNCTION hashed(character) AS IMPLICIT;
COMMENT ON CAST (character AS hashed) IS 'hash of the text without trailing blanks';

CREATE FUNCTION hashed(value name) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_name' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(name) IS 'hash of the text';
CREATE CAST (name AS hashed) WITH FUNCTION hashed(name) AS IMPLICIT;
COMMENT ON CAST (name AS hashed) IS 'hash of the text';

CREATE FUNCTION hashed(value bytea) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(bytea) IS 'hash of the bytes';
CREATE CAST (bytea AS hashed) WITH FUNCTION hashed(bytea) AS IMPLICIT;
COMMENT ON CAST (bytea AS hashed) IS 'hash of the bytes';

CREATE FUNCTION hashed(value date) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(date) IS 'hash of the day';
CREATE CAST (date AS hashed) WITH FUNCTION hashed(date) AS IMPLICIT;
COMMENT ON CAST (date AS hashed) IS 'hash of the day';

CREATE FUNCTION hashed(value time) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(time) IS 'hash of the time of day';
CREATE CAST (time AS hashed) WITH FUNCTION hashed(time) AS IMPLICIT;
COMMENT ON CAST (time AS hashed) IS 'hash of the time of day';

CREATE FUNCTION hashed(value time with time zone) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_timetz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(time with time zone) IS 'hash of the time of day and the zone';
CREATE CAST (time with time zone AS hashed) WITH FUNCTION hashed(time with time zone) AS IMPLICIT;
COMMENT ON CAST (time with time zone AS hashed) IS 'hash of the time of day and the zone';

CREATE FUNCTION hashed(value timestamp) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(timestamp) IS 'hash of the date and time';
CREATE CAST (timestamp AS hashed) WITH FUNCTION hashed(timestamp) AS IMPLICIT;
COMMENT ON CAST (timestamp AS hashed) IS 'hash of the date and time';

CREATE FUNCTION hashed(value timestamptz) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(timestamptz) IS 'hash of the moment, whatever its time zone';
CREATE CAST (timestamptz AS hashed) WITH FUNCTION hashed(timestamptz) AS IMPLICIT;
COMMENT ON CAST (timestamptz AS hashed) IS 'hash of the moment, whatever its time zone';

CREATE FUNCTION hashed(value interval) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(interval) IS 'hash of the interval, at 30 days a month';
CREATE CAST (interval AS hashed) WITH FUNCTION hashed(interval) AS IMPLICIT;
COMMENT ON CAST (interval AS hashed) IS 'hash of the interval, at 30 days a month';

CREATE FUNCTION hashed(value uuid) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(uuid) IS 'hash of the uuid, the same as for its text';
CREATE CAST (uuid AS hashed) WITH FUNCTION hashed(uuid) AS IMPLICIT;
COMMENT ON CAST (uuid AS hashed) IS 'hash of the uuid, the same as for its text';

CREATE FUNCTION hashed(value inet) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_inet' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(inet) IS 'hash of the address, the same as for its text';
CREATE CAST (inet AS hashed) WITH FUNCTION hashed(inet) AS IMPLICIT;
COMMENT ON CAST (inet AS hashed) IS 'hash of the address, the same as for its text';

CREATE FUNCTION hashed(value macaddr) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_macaddr' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(macaddr) IS 'hash of the address, the same as for its text';
CREATE CAST (macaddr AS hashed) WITH FUNCTION hashed(macaddr) AS IMPLICIT;
COMMENT ON CAST (macaddr AS hashed) IS 'hash of the address, the same as for its text';

CREATE FUNCTION hashed(value macaddr8) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_macaddr8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(macaddr8) IS 'hash of the address, the same as for its text';
CREATE CAST (macaddr8 AS hashed) WITH FUNCTION hashed(macaddr8) AS IMPLICIT;
COMMENT ON CAST (macaddr8 AS hashed) IS 'hash of the address, the same as for its text';

CREATE FUNCTION hashed(value jsonb) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hashed(jsonb) IS 'hash of the document; trailing zeros of numbers do not matter';
CREATE CAST (jsonb AS hashed) WITH FUNCTION hashed(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS hashed) IS 'hash of the document; trailing zeros of numbers do not matter';

-- PostgreSQL has no casts of pseudo-types, so what takes a hashed is declared for anyenum, too.
CREATE FUNCTION hashed(value anyenum) RETURNS hashed
    AS 'MODULE_PATHNAME', 'sketches_hashed_enum' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hashed(anyenum) IS 'hash of the label, the same as for its text';

-- These two pass through the function of a type they are binary compatible with.
CREATE CAST (varchar AS hashed) WITH FUNCTION hashed(text) AS IMPLICIT;
COMMENT ON CAST (varchar AS hashed) IS 'hash of the text';

CREATE CAST (cidr AS hashed) WITH FUNCTION hashed(inet) AS IMPLICIT;
COMMENT ON CAST (cidr AS hashed) IS 'hash of the network, the same as of the equal inet';

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
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_eq, COMMUTATOR = #*=, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR #*=(hashed, hashed) IS 'equal; for DISTINCT, not for queries';

CREATE OPERATOR #*< (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_lt, COMMUTATOR = #*>, NEGATOR = #*>=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR #*<(hashed, hashed) IS 'less than; for ORDER BY, not for queries';

CREATE OPERATOR #*<= (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_le, COMMUTATOR = #*>=, NEGATOR = #*>, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR #*<=(hashed, hashed) IS 'less than or equal; for ORDER BY, not for queries';

CREATE OPERATOR #*> (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_gt, COMMUTATOR = #*<, NEGATOR = #*<=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR #*>(hashed, hashed) IS 'greater than; for ORDER BY, not for queries';

CREATE OPERATOR #*>= (
    LEFTARG = hashed, RIGHTARG = hashed, FUNCTION = _hashed_ge, COMMUTATOR = #*<=, NEGATOR = #*<, RESTRICT = scalargesel, JOIN = scalargejoinsel
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

-- from src/pg/hll/hll.sql

-- hll: how many distinct items were there? See src/core/hll/hll.c and src/pg/hll/hll.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

-- from src/pg/shared/common.sql.in

-- hll: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE hll;

CREATE FUNCTION _hll_in(cstring) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _hll_out(hll) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_out(hll) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _hll_recv(internal) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _hll_send(hll) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_send(hll) IS 'I/O: the packed value';

CREATE FUNCTION _hll_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _hll_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE hll (
    INPUT = _hll_in,
    OUTPUT = _hll_out,
    RECEIVE = _hll_recv,
    SEND = _hll_send,
    ANALYZE = _hll_typanalyze,
    STORAGE = external
);

CREATE FUNCTION hll(payload bytea) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch hll) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(hll) IS 'the packed value';
CREATE CAST (hll AS bytea) WITH FUNCTION bytea(hll);
COMMENT ON CAST (hll AS bytea) IS 'the packed value';

CREATE CAST (bytea AS hll) WITH FUNCTION hll(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS hll) IS 'the packed value, validated';

-- hll: equality and hash of the packed bytes

CREATE FUNCTION _hll_eq(hll, hll) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_eq(hll, hll) IS 'equal';

CREATE FUNCTION _hll_ne(hll, hll) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_ne(hll, hll) IS 'not equal';

CREATE FUNCTION _hll_hash(hll) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_hash(hll) IS 'hash of the packed bytes';

CREATE FUNCTION _hll_hash_extended(hll, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_hash_extended(hll, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- hll: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = hll, RIGHTARG = hll, FUNCTION = _hll_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(hll, hll) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = hll, RIGHTARG = hll, FUNCTION = _hll_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(hll, hll) IS 'not equal';

CREATE OPERATOR CLASS hll_ops DEFAULT FOR TYPE hll USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _hll_hash(hll), FUNCTION 2 _hll_hash_extended(hll, bigint);
COMMENT ON OPERATOR CLASS hll_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY hll_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/hll/hll.sql

COMMENT ON TYPE hll IS
    'HyperLogLog sketch: number of distinct items in 4 kB, standard error 0.84%';

-- Building and changing

CREATE FUNCTION hll_empty(p bigint DEFAULT 13) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hll_empty(bigint) IS 'empty sketch with 2^p registers, p 4 to 18; standard error 0.76 / sqrt(2^p); errors: 22023';

CREATE FUNCTION hll_add(sketch hll, value hashed) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add(hll, hashed) IS 'the sketch with the value added; errors: 42804 for a sketch of another system';

CREATE FUNCTION hll_add(sketch hll, value text) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add(hll, text) IS 'the sketch with the value added, hashed by the sketch''s own hash function';

CREATE FUNCTION hll_add(sketch hll, value anyenum) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add(hll, anyenum) IS 'the sketch with the value added, hashed by the sketch''s own hash function';

CREATE FUNCTION hll_add(sketch hll, value bytea) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add(hll, bytea) IS 'the sketch with the value added, hashed by the sketch''s own hash function';

CREATE FUNCTION hll_add_all(sketch hll, items hashed[]) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add_all(hll, hashed[]) IS 'the sketch with all elements added; NULL elements are skipped; errors: 42804 for a sketch of another system';

CREATE FUNCTION hll_add_all(sketch hll, items text[]) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add_all(hll, text[]) IS 'the sketch with all elements added; NULL elements are skipped';

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
CREATE FUNCTION hll_add_all(sketch hll, items varchar[]) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add_all(hll, varchar[]) IS 'the sketch with all elements added; NULL elements are skipped';

CREATE FUNCTION hll_add_all(sketch hll, items bytea[]) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add_all(hll, bytea[]) IS 'the sketch with all elements added; NULL elements are skipped';

CREATE FUNCTION hll_add_all(sketch hll, items text) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add_all(hll, text) IS 'hll_add_all for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION hll_try_add(INOUT sketch hll, value hashed, OUT changed boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_try_add(hll, hashed) IS 'the sketch with the value added; changed is true if that altered it, as PFADD replies; errors: 42804 for a sketch of another system';

CREATE FUNCTION hll_try_add(INOUT sketch hll, value text, OUT changed boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_try_add(hll, text) IS 'the sketch with the value added; changed is true if that altered it, as PFADD replies';

CREATE FUNCTION hll_try_add(INOUT sketch hll, value anyenum, OUT changed boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_try_add' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_try_add(hll, anyenum) IS 'the sketch with the value added; changed is true if that altered it, as PFADD replies';

CREATE FUNCTION hll_try_add(INOUT sketch hll, value bytea, OUT changed boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_try_add(hll, bytea) IS 'the sketch with the value added; changed is true if that altered it, as PFADD replies';

CREATE FUNCTION hll_reduce(sketch hll, p bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_reduce' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_reduce(hll, bigint) IS 'the sketch reduced to a lower precision, as if it had been counted at that precision; errors: 22023';

CREATE FUNCTION hll_union(a hll, b hll) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_union(hll, hll) IS 'union: the distinct items of either sketch, at the lower precision of the two; errors: 42804 for different hash functions';

-- Asking

CREATE FUNCTION hll_cardinality(sketch hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hll_cardinality(hll) IS 'estimated number of distinct items; reads the header only';

CREATE FUNCTION hll_bounds(sketch hll, sigmas float8 DEFAULT 2, OUT lower bigint, OUT estimate bigint, OUT upper bigint) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hll_bounds(hll, float8) IS 'the estimate, with bounds that many standard errors below and above: 1 holds in 68% of cases, 2 in 95%, 3 in 99.7%; errors: 22023';

CREATE FUNCTION hll_intersection_cardinality(a hll, b hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_intersection_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION hll_intersection_cardinality(hll, hll) IS 'estimated number of distinct items in both sketches, by joint maximum likelihood; errors: 42804 for different hash functions';

CREATE FUNCTION hll_difference_cardinality(a hll, b hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_difference_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION hll_difference_cardinality(hll, hll) IS 'estimated number of distinct items in the first sketch and not in the second, by joint maximum likelihood; errors: 42804 for different hash functions';

CREATE FUNCTION hll_jaccard(a hll, b hll) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_hll_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION hll_jaccard(hll, hll) IS 'estimated Jaccard index: intersection divided by union, 0 to 1; NULL when both are empty; errors: 42804 for different hash functions';

CREATE FUNCTION hll_info(sketch hll, OUT "precision" int, OUT encoding text, OUT cardinality bigint, OUT relative_error float8, OUT hash text, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_hll_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hll_info(hll) IS 'precision, encoding (sparse or dense), estimate and its relative standard error, hash function, bytes of the packed value';

CREATE FUNCTION hll_describe(sketch hll) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_hll_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hll_describe(hll) IS 'human-readable summary: estimate and standard error, encoding, precision, bytes';

CREATE FUNCTION hll_registers(sketch hll, OUT register int, OUT rank int, OUT history int) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_hll_registers' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10000;
COMMENT ON FUNCTION hll_registers(hll) IS 'registers that are not empty: number, highest rank, history (2 if rank - 1 was seen, plus 1 if rank - 2 was seen; NULL for sketches of other systems)';

-- Operators

CREATE OPERATOR | (
    LEFTARG = hll, RIGHTARG = hll, FUNCTION = hll_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(hll, hll) IS 'union';

CREATE OPERATOR # (
    RIGHTARG = hll, FUNCTION = hll_cardinality
);
COMMENT ON OPERATOR #(NONE, hll) IS 'estimated number of distinct items';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _hll_union_state(hll, hll) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_union_state(hll, hll) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _hll_final(hll) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_final(hll) IS 'final function: the packed state';

CREATE FUNCTION _approx_count_distinct_final(hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_cardinality_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_count_distinct_final(hll) IS 'final function: the cardinality, 0 for no state';

CREATE FUNCTION _hll_union_cardinality_final(hll) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_cardinality_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _hll_union_cardinality_final(hll) IS 'final function: the cardinality, 0 for no state';

CREATE FUNCTION _hll_union_cardinality_moving_final(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_union_cardinality_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_union_cardinality_moving_final(internal) IS 'final function over moving frames: the cardinality';

CREATE FUNCTION _hll_combine(hll, hll) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _hll_combine(hll, hll) IS 'combine function of aggregates with parameters, which must be the same in all states';

CREATE FUNCTION _hll_agg_state(hll, hashed) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_agg_state(hll, hashed) IS 'transition function';

CREATE FUNCTION _hll_agg_state(hll, text) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_agg_state(hll, text) IS 'transition function';

CREATE FUNCTION _hll_agg_state(hll, anyenum) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_agg_state(hll, anyenum) IS 'transition function';

CREATE FUNCTION _hll_agg_state(hll, hashed, bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_agg_state(hll, hashed, bigint) IS 'transition function';

CREATE FUNCTION _hll_agg_state(hll, text, bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_agg_state(hll, text, bigint) IS 'transition function';

CREATE FUNCTION _hll_agg_state(hll, anyenum, bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_agg_state(hll, anyenum, bigint) IS 'transition function';

CREATE AGGREGATE hll_agg(value hashed) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(hashed) IS 'sketch of the distinct values, precision 13; NULL over no rows';

CREATE AGGREGATE hll_agg(value text) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(text) IS 'sketch of the distinct values, precision 13; NULL over no rows';

CREATE AGGREGATE hll_agg(value anyenum) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(anyenum) IS 'sketch of the distinct values, precision 13; NULL over no rows';

CREATE AGGREGATE hll_agg(value hashed, p bigint) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(hashed, bigint) IS 'sketch of the distinct values, precision 4 to 18; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE hll_agg(value text, p bigint) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(text, bigint) IS 'sketch of the distinct values, precision 4 to 18; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE hll_agg(value anyenum, p bigint) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_agg(anyenum, bigint) IS 'sketch of the distinct values, precision 4 to 18; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE hll_union_agg(sketch hll) (
    SFUNC = _hll_union_state, STYPE = hll, SSPACE = 8192, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE hll_union_agg(hll) IS 'union of all sketches, at the lowest precision among them; NULL over no rows; errors: 42804 for different hash functions';

CREATE AGGREGATE hll_union_cardinality_agg(sketch hll) (
    SFUNC = _hll_union_state, STYPE = hll, SSPACE = 8192, FINALFUNC = _hll_union_cardinality_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _hll_union_cardinality_moving_final
);
COMMENT ON AGGREGATE hll_union_cardinality_agg(hll) IS 'estimated number of distinct items in the union of all sketches, without packing it; 0 over no rows; errors: 42804 for different hash functions';

CREATE FUNCTION _approx_count_distinct_moving(internal, hashed) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_moving' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_count_distinct_moving(internal, hashed) IS 'transition function over moving frames, which counts exactly';

CREATE FUNCTION _approx_count_distinct_moving(internal, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_moving' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_count_distinct_moving(internal, text) IS 'transition function over moving frames, which counts exactly';

CREATE FUNCTION _approx_count_distinct_moving(internal, anyenum) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_moving' LANGUAGE C STABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_count_distinct_moving(internal, anyenum) IS 'transition function over moving frames, which counts exactly';

CREATE FUNCTION _approx_count_distinct_inverse(internal, hashed) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_count_distinct_inverse(internal, hashed) IS 'inverse transition function over moving frames';

CREATE FUNCTION _approx_count_distinct_inverse(internal, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_count_distinct_inverse(internal, text) IS 'inverse transition function over moving frames';

CREATE FUNCTION _approx_count_distinct_inverse(internal, anyenum) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_inverse' LANGUAGE C STABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_count_distinct_inverse(internal, anyenum) IS 'inverse transition function over moving frames';

CREATE FUNCTION _approx_count_distinct_moving_final(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_approx_count_distinct_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_count_distinct_moving_final(internal) IS 'final function over moving frames';

CREATE AGGREGATE approx_count_distinct(value hashed) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _approx_count_distinct_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE,
    MSFUNC = _approx_count_distinct_moving, MINVFUNC = _approx_count_distinct_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _approx_count_distinct_moving_final
);
COMMENT ON AGGREGATE approx_count_distinct(hashed) IS 'estimated number of distinct values, standard error 0.84%; exact over sliding windows; 0 over no rows';

CREATE AGGREGATE approx_count_distinct(value text) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _approx_count_distinct_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE,
    MSFUNC = _approx_count_distinct_moving, MINVFUNC = _approx_count_distinct_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _approx_count_distinct_moving_final
);
COMMENT ON AGGREGATE approx_count_distinct(text) IS 'estimated number of distinct values, standard error 0.84%; exact over sliding windows; 0 over no rows';

CREATE AGGREGATE approx_count_distinct(value anyenum) (
    SFUNC = _hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _approx_count_distinct_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE,
    MSFUNC = _approx_count_distinct_moving, MINVFUNC = _approx_count_distinct_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _approx_count_distinct_moving_final
);
COMMENT ON AGGREGATE approx_count_distinct(anyenum) IS 'estimated number of distinct values, standard error 0.84%; exact over sliding windows; 0 over no rows';

-- from src/pg/hll/import.sql.in

-- Sketches of other systems. See import.c.

-- Redis

CREATE FUNCTION hll_redis_empty() RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_redis_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hll_redis_empty() IS 'empty sketch that counts as Redis does: with its hash function, at precision 14';

CREATE FUNCTION hll_from_redis(payload bytea) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_from_redis(bytea) IS 'reads and validates a HyperLogLog of Redis, as GET (HYLL...) or DUMP returns it; errors: 22P03';

CREATE FUNCTION hll_to_redis(sketch hll) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_hll_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_to_redis(hll) IS 'HyperLogLog string (HYLL...) for SET in Redis; errors: 42804 unless counted with the hash of Redis at precision 14';

CREATE FUNCTION _hll_redis_agg_state(hll, text) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_redis_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_redis_agg_state(hll, text) IS 'transition function';

CREATE FUNCTION _hll_redis_agg_state(hll, bytea) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_redis_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_redis_agg_state(hll, bytea) IS 'transition function';

CREATE AGGREGATE hll_redis_agg(value text) (
    SFUNC = _hll_redis_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_redis_agg(text) IS 'sketch of the distinct values, counted as Redis does; NULL over no rows';

CREATE AGGREGATE hll_redis_agg(value bytea) (
    SFUNC = _hll_redis_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_redis_agg(bytea) IS 'sketch of the distinct values, counted as Redis does; NULL over no rows';

-- postgresql-hll

CREATE FUNCTION hll_postgresql_hll_empty(log2m bigint DEFAULT 11) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hll_postgresql_hll_empty(bigint) IS 'empty sketch that counts as postgresql-hll does, with 2^log2m registers, log2m 4 to 18; errors: 22023';

CREATE FUNCTION hll_from_postgresql_hll(payload bytea) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_from_postgresql_hll' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_from_postgresql_hll(bytea) IS 'reads and validates a value of postgresql-hll, as its hll_send returns it; errors: 22P03';

CREATE FUNCTION hll_to_postgresql_hll(sketch hll, regwidth bigint DEFAULT 5, expthresh bigint DEFAULT -1, sparse boolean DEFAULT true) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_hll_to_postgresql_hll' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_to_postgresql_hll(hll, bigint, bigint, boolean) IS 'value for the type hll of postgresql-hll, to be stored with these parameters: bits of a register (4 to 8), expansion threshold, sparse form allowed; errors: 42804 unless counted with its hash, 22023';

CREATE FUNCTION hll_postgresql_hll_hash(value boolean, seed bigint DEFAULT 0) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_boolean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_postgresql_hll_hash(boolean, bigint) IS 'hash that postgresql-hll computes for a value of this type, from its byte; errors: 22023';

CREATE FUNCTION hll_postgresql_hll_hash(value smallint, seed bigint DEFAULT 0) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_smallint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_postgresql_hll_hash(smallint, bigint) IS 'hash that postgresql-hll computes for a value of this type, from its 2 bytes; errors: 22023';

CREATE FUNCTION hll_postgresql_hll_hash(value int, seed bigint DEFAULT 0) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_integer' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_postgresql_hll_hash(int, bigint) IS 'hash that postgresql-hll computes for a value of this type, from its 4 bytes; errors: 22023';

CREATE FUNCTION hll_postgresql_hll_hash(value bigint, seed bigint DEFAULT 0) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_postgresql_hll_hash(bigint, bigint) IS 'hash that postgresql-hll computes for a value of this type, from its 8 bytes; errors: 22023';

CREATE FUNCTION hll_postgresql_hll_hash(value text, seed bigint DEFAULT 0) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_postgresql_hll_hash(text, bigint) IS 'hash that postgresql-hll computes for a value of this type, from its bytes; errors: 22023';

CREATE FUNCTION hll_postgresql_hll_hash(value bytea, seed bigint DEFAULT 0) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_postgresql_hll_hash(bytea, bigint) IS 'hash that postgresql-hll computes for a value of this type, from its bytes; errors: 22023';

CREATE FUNCTION _hll_postgresql_hll_agg_state(hll, bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_postgresql_hll_agg_state(hll, bigint) IS 'transition function';

CREATE FUNCTION _hll_postgresql_hll_agg_state(hll, bigint, bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_postgresql_hll_agg_state(hll, bigint, bigint) IS 'transition function';

CREATE AGGREGATE hll_postgresql_hll_agg(hash bigint) (
    SFUNC = _hll_postgresql_hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_postgresql_hll_agg(bigint) IS 'sketch of the items with these hashes of hll_postgresql_hll_hash, counted as postgresql-hll does, log2m 11; NULL over no rows';

CREATE AGGREGATE hll_postgresql_hll_agg(hash bigint, log2m bigint) (
    SFUNC = _hll_postgresql_hll_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_postgresql_hll_agg(bigint, bigint) IS 'sketch of the items with these hashes of hll_postgresql_hll_hash, counted as postgresql-hll does, log2m 4 to 18; NULL over no rows; errors: 22023, 22004';

-- DataSketches

CREATE FUNCTION hll_datasketches_empty(lgk bigint DEFAULT 12) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION hll_datasketches_empty(bigint) IS 'empty sketch that counts as DataSketches does, with 2^lgk registers, lgk 4 to 18; errors: 22023';

CREATE FUNCTION hll_from_datasketches(payload bytea) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_from_datasketches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_from_datasketches(bytea) IS 'reads and validates an HLL sketch of DataSketches; errors: 22P03';

CREATE FUNCTION hll_to_datasketches(sketch hll, bits bigint DEFAULT 8) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_hll_to_datasketches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_to_datasketches(hll, bigint) IS 'compact HLL sketch of DataSketches, with registers of 4, 6 or 8 bits; errors: 42804 unless counted with its hash, 22023';

CREATE FUNCTION hll_add_hash(sketch hll, hash bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_add_hash' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION hll_add_hash(hll, bigint) IS 'the sketch with an item added by its hash, which the sketch''s own hash function computed elsewhere; errors: 22004 for a NULL sketch, 22023';

CREATE FUNCTION hll_datasketches_hash(value smallint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_hash_smallint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_hash(smallint) IS 'hash that DataSketches computes for a value, a coupon of 32 bits; NULL for an empty text or bytea';

CREATE FUNCTION hll_datasketches_hash(value int) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_hash_integer' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_hash(int) IS 'hash that DataSketches computes for a value, a coupon of 32 bits; NULL for an empty text or bytea';

CREATE FUNCTION hll_datasketches_hash(value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_hash_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_hash(bigint) IS 'hash that DataSketches computes for a value, a coupon of 32 bits; NULL for an empty text or bytea';

CREATE FUNCTION hll_datasketches_hash(value float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_hash_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_hash(float8) IS 'hash that DataSketches computes for a value, a coupon of 32 bits; NULL for an empty text or bytea';

CREATE FUNCTION hll_datasketches_hash(value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_hash_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_hash(text) IS 'hash that DataSketches computes for a value, a coupon of 32 bits; NULL for an empty text or bytea';

CREATE FUNCTION hll_datasketches_hash(value bytea) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_hash_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_hash(bytea) IS 'hash that DataSketches computes for a value, a coupon of 32 bits; NULL for an empty text or bytea';

CREATE FUNCTION hll_datasketches_postgresql_hash(value smallint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_postgresql_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_postgresql_hash(smallint) IS 'hash that the PostgreSQL extension of DataSketches computes for a value of this type, from its 2 bytes';

CREATE FUNCTION hll_datasketches_postgresql_hash(value int) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_postgresql_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_postgresql_hash(int) IS 'hash that the PostgreSQL extension of DataSketches computes for a value of this type, from its 4 bytes';

CREATE FUNCTION hll_datasketches_postgresql_hash(value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_postgresql_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_postgresql_hash(bigint) IS 'hash that the PostgreSQL extension of DataSketches computes for a value of this type, from its 8 bytes';

CREATE FUNCTION hll_datasketches_postgresql_hash(value real) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_postgresql_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_postgresql_hash(real) IS 'hash that the PostgreSQL extension of DataSketches computes for a value of this type, from its 4 bytes';

CREATE FUNCTION hll_datasketches_postgresql_hash(value float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_postgresql_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_postgresql_hash(float8) IS 'hash that the PostgreSQL extension of DataSketches computes for a value of this type, from its 8 bytes';

CREATE FUNCTION hll_datasketches_postgresql_hash(value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_postgresql_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_postgresql_hash(text) IS 'hash that the PostgreSQL extension of DataSketches computes for a value of this type, from its bytes';

CREATE FUNCTION hll_datasketches_postgresql_hash(value bytea) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_postgresql_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hll_datasketches_postgresql_hash(bytea) IS 'hash that the PostgreSQL extension of DataSketches computes for a value of this type, from its bytes';

CREATE FUNCTION _hll_datasketches_agg_state(hll, bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_datasketches_agg_state(hll, bigint) IS 'transition function';

CREATE FUNCTION _hll_datasketches_agg_state(hll, bigint, bigint) RETURNS hll
    AS 'MODULE_PATHNAME', 'sketches_hll_datasketches_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _hll_datasketches_agg_state(hll, bigint, bigint) IS 'transition function';

CREATE AGGREGATE hll_datasketches_agg(hash bigint) (
    SFUNC = _hll_datasketches_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_datasketches_agg(bigint) IS 'sketch of the items with these hashes of hll_datasketches_hash or hll_datasketches_postgresql_hash, lgK 12; NULL over no rows; errors: 22023';

CREATE AGGREGATE hll_datasketches_agg(hash bigint, lgk bigint) (
    SFUNC = _hll_datasketches_agg_state, STYPE = hll, SSPACE = 256, FINALFUNC = _hll_final,
    COMBINEFUNC = _hll_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE hll_datasketches_agg(bigint, bigint) IS 'sketch of the items with these hashes of hll_datasketches_hash or hll_datasketches_postgresql_hash, lgK 4 to 18; NULL over no rows; errors: 22023, 22004';

-- from src/pg/tdigest/tdigest.sql

-- tdigest: which value has a given rank, and which rank has a value?
-- See src/core/tdigest/tdigest.c and src/pg/tdigest/tdigest.c.

-- from src/pg/shared/common.sql.in

-- tdigest: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE tdigest;

CREATE FUNCTION _tdigest_in(cstring) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _tdigest_out(tdigest) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_out(tdigest) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _tdigest_recv(internal) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _tdigest_send(tdigest) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_send(tdigest) IS 'I/O: the packed value';

CREATE FUNCTION _tdigest_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tdigest_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE tdigest (
    INPUT = _tdigest_in,
    OUTPUT = _tdigest_out,
    RECEIVE = _tdigest_recv,
    SEND = _tdigest_send,
    ANALYZE = _tdigest_typanalyze,
    STORAGE = external
);

CREATE FUNCTION tdigest(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch tdigest) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(tdigest) IS 'the packed value';
CREATE CAST (tdigest AS bytea) WITH FUNCTION bytea(tdigest);
COMMENT ON CAST (tdigest AS bytea) IS 'the packed value';

CREATE CAST (bytea AS tdigest) WITH FUNCTION tdigest(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS tdigest) IS 'the packed value, validated';

-- tdigest: equality and hash of the packed bytes

CREATE FUNCTION _tdigest_eq(tdigest, tdigest) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_eq(tdigest, tdigest) IS 'equal';

CREATE FUNCTION _tdigest_ne(tdigest, tdigest) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_ne(tdigest, tdigest) IS 'not equal';

CREATE FUNCTION _tdigest_hash(tdigest) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_hash(tdigest) IS 'hash of the packed bytes';

CREATE FUNCTION _tdigest_hash_extended(tdigest, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_hash_extended(tdigest, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- tdigest: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = tdigest, RIGHTARG = tdigest, FUNCTION = _tdigest_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(tdigest, tdigest) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = tdigest, RIGHTARG = tdigest, FUNCTION = _tdigest_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(tdigest, tdigest) IS 'not equal';

CREATE OPERATOR CLASS tdigest_ops DEFAULT FOR TYPE tdigest USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _tdigest_hash(tdigest), FUNCTION 2 _tdigest_hash_extended(tdigest, bigint);
COMMENT ON OPERATOR CLASS tdigest_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY tdigest_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/tdigest/tdigest.sql

COMMENT ON TYPE tdigest IS 't-digest: percentiles and ranks of numbers, in 1.4 kB';

-- Building and changing

CREATE FUNCTION tdigest_empty(compression bigint DEFAULT 200) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tdigest_empty(bigint) IS 'empty digest, compression 10 to 10000, which is 4/3 of the number of centroids; errors: 22023';

CREATE FUNCTION tdigest_add(sketch tdigest, value float8) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_add(tdigest, float8) IS 'the digest with the value added; errors: 22023 for NaN and infinities';

CREATE FUNCTION tdigest_add(sketch tdigest, value float8, weight bigint) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_add(tdigest, float8, bigint) IS 'the digest with the value added weight times, 0 or more; errors: 22023, 22003 past 2^63-1';

CREATE FUNCTION tdigest_add_all(sketch tdigest, items float8[]) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_add_all(tdigest, float8[]) IS 'the digest with all elements added; NULL elements are skipped; errors: 22023';

CREATE FUNCTION tdigest_union(a tdigest, b tdigest) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_union(tdigest, tdigest) IS 'union: the values of both digests, at the lower compression of those that are not empty; errors: 22003';

-- Queries, each of one number and of a list. A list has a name of its own: so one function fits a
-- literal or parameter without a type, and drivers that ask the server hear the number's type.

CREATE FUNCTION tdigest_quantile(sketch tdigest, q float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_quantile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_quantile(tdigest, float8) IS 'value at quantile q, 0 to 1, as TDIGEST.QUANTILE of Redis; NULL when empty; errors: 22023';

CREATE FUNCTION tdigest_quantiles(sketch tdigest, q float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_quantile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_quantiles(tdigest, float8[]) IS 'tdigest_quantile for each element; NULL for NULL';

CREATE FUNCTION tdigest_percentile(sketch tdigest, q float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_percentile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_percentile(tdigest, float8) IS 'percentile q of the values, 0 to 1, interpolated as percentile_cont; NULL when empty; errors: 22023';

CREATE FUNCTION tdigest_percentiles(sketch tdigest, q float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_percentile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_percentiles(tdigest, float8[]) IS 'tdigest_percentile for each element; NULL for NULL';

CREATE FUNCTION tdigest_cdf(sketch tdigest, value float8, inclusive boolean DEFAULT false) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_cdf' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_cdf(tdigest, float8, boolean) IS 'fraction of the values below the value, equal values counting half, or if inclusive up to and including the value; NULL when empty; errors: 22023 for NaN';

CREATE FUNCTION tdigest_cdf_each(sketch tdigest, items float8[], inclusive boolean DEFAULT false) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_cdf' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_cdf_each(tdigest, float8[], boolean) IS 'tdigest_cdf for each element; NULL for NULL';

CREATE FUNCTION tdigest_rank(sketch tdigest, value float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_tdigest_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_rank(tdigest, float8) IS 'number of values below the value, 0 to the count, equal values counting half, a half rounded down; NULL when empty; errors: 22023 for NaN';

CREATE FUNCTION tdigest_rank_each(sketch tdigest, items float8[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_rank_each(tdigest, float8[]) IS 'tdigest_rank for each element; NULL for NULL';

CREATE FUNCTION tdigest_revrank(sketch tdigest, value float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_tdigest_revrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_revrank(tdigest, float8) IS 'number of values above the value, 0 to the count, equal values counting half, a half rounded down; NULL when empty; errors: 22023 for NaN';

CREATE FUNCTION tdigest_revrank_each(sketch tdigest, items float8[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_revrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_revrank_each(tdigest, float8[]) IS 'tdigest_revrank for each element; NULL for NULL';

CREATE FUNCTION tdigest_byrank(sketch tdigest, rank bigint) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_byrank(tdigest, bigint) IS 'value of a rank, 0 for the minimum; NULL past the maximum and when empty; errors: 22023';

CREATE FUNCTION tdigest_byrank_each(sketch tdigest, ranks bigint[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_byrank_each(tdigest, bigint[]) IS 'tdigest_byrank for each element; NULL for NULL';

CREATE FUNCTION tdigest_byrevrank(sketch tdigest, rank bigint) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrevrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_byrevrank(tdigest, bigint) IS 'value of a rank from above, 0 for the maximum; NULL past the minimum and when empty; errors: 22023';

CREATE FUNCTION tdigest_byrevrank_each(sketch tdigest, ranks bigint[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_byrevrank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_byrevrank_each(tdigest, bigint[]) IS 'tdigest_byrevrank for each element; NULL for NULL';

CREATE FUNCTION tdigest_trimmed_mean(sketch tdigest, low float8, high float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_trimmed_mean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_trimmed_mean(tdigest, float8, float8) IS 'mean of the values between two fractions of all, 0 to 1; NULL when empty; errors: 22023';

CREATE FUNCTION tdigest_trimmed_sum(sketch tdigest, low float8, high float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_trimmed_sum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_trimmed_sum(tdigest, float8, float8) IS 'sum of the values between two fractions of all, 0 to 1; NULL when empty; errors: 22023, 22003';

CREATE FUNCTION tdigest_min(sketch tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_min(tdigest) IS 'minimum, exact; NULL when empty';

CREATE FUNCTION tdigest_max(sketch tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_max(tdigest) IS 'maximum, exact; NULL when empty';

CREATE FUNCTION tdigest_mean(sketch tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_mean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_mean(tdigest) IS 'mean of all values, exact except for rounding; NULL when empty';

CREATE FUNCTION tdigest_count(sketch tdigest) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_tdigest_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tdigest_count(tdigest) IS 'number of values, weights included; reads the header only';

CREATE FUNCTION tdigest_counts(sketch tdigest, bounds float8[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_counts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_counts(tdigest, float8[]) IS 'numbers of values up to and including the first of ascending bounds, above each up to the next, and above the last: one more than bounds; errors: 22023, 22004, 2202E';

CREATE FUNCTION tdigest_info(sketch tdigest, OUT compression int, OUT centroids int, OUT count bigint, OUT min float8, OUT max float8, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_tdigest_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_info(tdigest) IS 'compression, number of centroids and of values, minimum and maximum, bytes of the packed value';

-- Looking at it

CREATE FUNCTION tdigest_histogram(sketch tdigest, buckets bigint, OUT lower float8, OUT upper float8, OUT count bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_tdigest_histogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION tdigest_histogram(tdigest, bigint) IS 'histogram of 1 to 10000 buckets of equal width, with estimated counts that add up to the number of values; errors: 22023';

CREATE FUNCTION tdigest_sparkline(sketch tdigest, width bigint DEFAULT 40) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_tdigest_sparkline' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_sparkline(tdigest, bigint) IS 'histogram drawn as a line of bars, 1 to 1000 wide; NULL when empty; errors: 22023';

CREATE FUNCTION tdigest_centroids(sketch tdigest, OUT mean float8, OUT weight bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_tdigest_centroids' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 120;
COMMENT ON FUNCTION tdigest_centroids(tdigest) IS 'the centroids, ascending';

CREATE FUNCTION tdigest_describe(sketch tdigest) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_tdigest_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_describe(tdigest) IS 'human-readable summary: count, minimum and maximum, median, compression, bytes';

-- Other systems' sketches

CREATE FUNCTION tdigest_from_redis(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_redis(bytea) IS 'reads and validates a t-digest of Redis (TDIGEST.*), as DUMP returns it; errors: 22P03, 22003';

CREATE FUNCTION tdigest_from_datasketches(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_datasketches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_datasketches(bytea) IS 'reads and validates a t-digest of Apache DataSketches, of doubles or floats; errors: 22P03, 22003';

CREATE FUNCTION tdigest_to_datasketches(sketch tdigest) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_tdigest_to_datasketches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION tdigest_to_datasketches(tdigest) IS 't-digest of Apache DataSketches, of doubles';

CREATE FUNCTION tdigest_from_kll(payload bytea, item text DEFAULT 'double') RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_kll' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_kll(bytea, text) IS 'reads and validates a KLL sketch of Apache DataSketches, whose items are ''double'', ''float'' or ''long''; errors: 22P03, 22023, 22003';

CREATE FUNCTION tdigest_from_dunning(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_dunning' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_dunning(bytea) IS 'reads and validates a MergingDigest or AVLTreeDigest of T. Dunning''s t-digest library, verbose or small; errors: 22P03, 22003';

CREATE FUNCTION tdigest_from_tdigest_extension(payload text) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_tdigest_extension_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_tdigest_extension(text) IS 'reads and validates the text or JSON of a digest of the tdigest extension, with six digits of each mean; errors: 22P02, 22003, 54000';

CREATE FUNCTION tdigest_from_tdigest_extension(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_tdigest_extension' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_tdigest_extension(bytea) IS 'reads and validates a digest of the tdigest extension, as its tdigest_send returns it, exactly; errors: 22P03, 22003';

CREATE FUNCTION tdigest_from_histogram(bounds float8[], counts bigint[]) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_histogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_histogram(float8[], bigint[]) IS 'digest of a histogram: with as many counts as ascending bounds, these are upper bounds; with one count more, the last bucket is open; errors: 22023, 22003, 22004, 2202E';

CREATE FUNCTION tdigest_from_exponential_histogram(scale int, zero_count bigint, positive_offset int, positive bigint[], negative_offset int DEFAULT 0, negative bigint[] DEFAULT '{}', min float8 DEFAULT NULL, max float8 DEFAULT NULL) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_exponential_histogram' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_exponential_histogram(int, bigint, int, bigint[], int, bigint[], float8, float8) IS 'digest of an exponential histogram of OpenTelemetry: bucket i holds values above base^(offset + i), base = 2^(2^-scale), scale -10 to 20; min and max may be NULL; errors: 22023, 22003, 22004, 2202E';

CREATE FUNCTION tdigest_from_ddsketch(payload bytea) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_from_ddsketch' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION tdigest_from_ddsketch(bytea) IS 'reads and validates a DDSketch (Datadog) from its Protocol Buffers message; errors: 22P03, 22003';

-- Operators

CREATE OPERATOR | (
    LEFTARG = tdigest, RIGHTARG = tdigest, FUNCTION = tdigest_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(tdigest, tdigest) IS 'union';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _approx_percentile_state(tdigest, float8, float8) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _approx_percentile_state(tdigest, float8, float8) IS 'transition function';

CREATE FUNCTION _approx_percentiles_state(tdigest, float8, float8[]) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_approx_percentiles_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _approx_percentiles_state(tdigest, float8, float8[]) IS 'transition function';

CREATE FUNCTION _tdigest_union_state(tdigest, tdigest) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_state(tdigest, tdigest) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _tdigest_final(tdigest) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_final(tdigest) IS 'final function: the packed state';

CREATE FUNCTION _tdigest_combine(tdigest, tdigest) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_combine(tdigest, tdigest) IS 'combine function of aggregates with a compression, which must be the same in all states';

CREATE FUNCTION _tdigest_union_percentile_state(tdigest, tdigest, float8) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_union_percentile_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentile_state(tdigest, tdigest, float8) IS 'transition function';

CREATE FUNCTION _tdigest_union_percentiles_state(tdigest, tdigest, float8[]) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_union_percentile_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentiles_state(tdigest, tdigest, float8[]) IS 'transition function';

CREATE FUNCTION _approx_percentile_final(tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _approx_percentile_final(tdigest) IS 'final function: the percentile that the state carries';

CREATE FUNCTION _approx_percentiles_final(tdigest) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_approx_percentiles_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _approx_percentiles_final(tdigest) IS 'final function: the percentiles that the state carries';

CREATE FUNCTION _approx_median_final(tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_median_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _approx_median_final(tdigest) IS 'final function: the median';

CREATE FUNCTION _tdigest_agg_state(tdigest, float8) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _tdigest_agg_state(tdigest, float8) IS 'transition function';

CREATE FUNCTION _tdigest_agg_state(tdigest, float8, bigint) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _tdigest_agg_state(tdigest, float8, bigint) IS 'transition function';

CREATE FUNCTION _tdigest_weighted_agg_state(tdigest, float8, bigint) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_weighted_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _tdigest_weighted_agg_state(tdigest, float8, bigint) IS 'transition function';

CREATE FUNCTION _tdigest_weighted_agg_state(tdigest, float8, bigint, bigint) RETURNS tdigest
    AS 'MODULE_PATHNAME', 'sketches_tdigest_weighted_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _tdigest_weighted_agg_state(tdigest, float8, bigint, bigint) IS 'transition function';

CREATE AGGREGATE tdigest_agg(value float8) (
    SFUNC = _tdigest_agg_state, STYPE = tdigest, SSPACE = 256, FINALFUNC = _tdigest_final,
    COMBINEFUNC = _tdigest_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tdigest_agg(float8) IS 'digest of the values, compression 200; NULL over no rows; errors: 22023 for NaN and infinities';

CREATE AGGREGATE tdigest_agg(value float8, compression bigint) (
    SFUNC = _tdigest_agg_state, STYPE = tdigest, SSPACE = 256, FINALFUNC = _tdigest_final,
    COMBINEFUNC = _tdigest_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tdigest_agg(float8, bigint) IS 'digest of the values at this compression; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE tdigest_weighted_agg(value float8, weight bigint) (
    SFUNC = _tdigest_weighted_agg_state, STYPE = tdigest, SSPACE = 512, FINALFUNC = _tdigest_final,
    COMBINEFUNC = _tdigest_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tdigest_weighted_agg(float8, bigint) IS 'digest of values with weights, 0 or more, compression 200; NULL over no rows; errors: 22023, 22003';

CREATE AGGREGATE tdigest_weighted_agg(value float8, weight bigint, compression bigint) (
    SFUNC = _tdigest_weighted_agg_state, STYPE = tdigest, SSPACE = 512, FINALFUNC = _tdigest_final,
    COMBINEFUNC = _tdigest_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE tdigest_weighted_agg(float8, bigint, bigint) IS 'digest of values with weights, 0 or more, at this compression; NULL over no rows; errors: 22023, 22004, 22003';

CREATE AGGREGATE tdigest_union_agg(sketch tdigest) (
    SFUNC = _tdigest_union_state, STYPE = tdigest, SSPACE = 65536, FINALFUNC = _tdigest_final,
    COMBINEFUNC = _tdigest_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE tdigest_union_agg(tdigest) IS 'union of all digests, at the lowest compression among them; NULL over no rows; errors: 22003';

CREATE FUNCTION _tdigest_union_percentile_final(tdigest) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentile_final(tdigest) IS 'final function: the percentile that the state carries';

CREATE FUNCTION _tdigest_union_percentiles_final(tdigest) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_approx_percentiles_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentiles_final(tdigest) IS 'final function: the percentiles that the state carries';

CREATE FUNCTION _tdigest_union_percentile_moving_final(internal) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_tdigest_union_percentile_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentile_moving_final(internal) IS 'final function over moving frames: the percentiles that were requested';

CREATE FUNCTION _tdigest_union_percentiles_moving_final(internal) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_tdigest_union_percentile_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _tdigest_union_percentiles_moving_final(internal) IS 'final function over moving frames: the percentiles that were requested';

CREATE AGGREGATE tdigest_union_percentile_agg(sketch tdigest, q float8) (
    SFUNC = _tdigest_union_percentile_state, STYPE = tdigest, SSPACE = 65536, FINALFUNC = _tdigest_union_percentile_final,
    COMBINEFUNC = _tdigest_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union_percentile, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _tdigest_union_percentile_moving_final
);
COMMENT ON AGGREGATE tdigest_union_percentile_agg(tdigest, float8) IS 'percentile q of the values of all digests, 0 to 1, interpolated as percentile_cont; NULL over no rows and when all are empty; errors: 22023, 22004, 22003';

CREATE AGGREGATE tdigest_union_percentiles_agg(sketch tdigest, q float8[]) (
    SFUNC = _tdigest_union_percentiles_state, STYPE = tdigest, SSPACE = 65536, FINALFUNC = _tdigest_union_percentiles_final,
    COMBINEFUNC = _tdigest_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union_percentile, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _tdigest_union_percentiles_moving_final
);
COMMENT ON AGGREGATE tdigest_union_percentiles_agg(tdigest, float8[]) IS 'tdigest_union_percentile_agg for each element, at most 255; errors: 22023, 22004, 22003, 2202E';

CREATE FUNCTION _approx_percentile_moving(internal, float8, "any") RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_moving' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_percentile_moving(internal, float8, "any") IS 'transition function over moving frames, which keeps the values in order';

CREATE FUNCTION _approx_median_moving(internal, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_median_moving' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_median_moving(internal, float8) IS 'transition function over moving frames, which keeps the values in order';

CREATE FUNCTION _approx_percentile_inverse(internal, float8, "any") RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_percentile_inverse(internal, float8, "any") IS 'inverse transition function over moving frames';

CREATE FUNCTION _approx_median_inverse(internal, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_median_inverse(internal, float8) IS 'inverse transition function over moving frames';

CREATE FUNCTION _approx_percentile_moving_final(internal) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_percentile_moving_final(internal) IS 'final function over moving frames';

CREATE FUNCTION _approx_percentiles_moving_final(internal) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_approx_percentile_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_percentiles_moving_final(internal) IS 'final function over moving frames';

CREATE FUNCTION _approx_median_moving_final(internal) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_approx_median_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _approx_median_moving_final(internal) IS 'final function over moving frames';

CREATE AGGREGATE approx_percentile(value float8, q float8) (
    SFUNC = _approx_percentile_state, STYPE = tdigest, SSPACE = 256, FINALFUNC = _approx_percentile_final,
    COMBINEFUNC = _tdigest_union_state, PARALLEL = SAFE,
    MSFUNC = _approx_percentile_moving, MINVFUNC = _approx_percentile_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _approx_percentile_moving_final
);
COMMENT ON AGGREGATE approx_percentile(float8, float8) IS 'percentile q of the values, 0 to 1, interpolated as percentile_cont; exact over sliding windows; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE approx_percentiles(value float8, q float8[]) (
    SFUNC = _approx_percentiles_state, STYPE = tdigest, SSPACE = 256, FINALFUNC = _approx_percentiles_final,
    COMBINEFUNC = _tdigest_union_state, PARALLEL = SAFE,
    MSFUNC = _approx_percentile_moving, MINVFUNC = _approx_percentile_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _approx_percentiles_moving_final
);
COMMENT ON AGGREGATE approx_percentiles(float8, float8[]) IS 'approx_percentile for each element, at most 255; errors: 22023, 22004, 2202E';

CREATE AGGREGATE approx_median(value float8) (
    SFUNC = _tdigest_agg_state, STYPE = tdigest, SSPACE = 256, FINALFUNC = _approx_median_final,
    COMBINEFUNC = _tdigest_union_state, PARALLEL = SAFE,
    MSFUNC = _approx_median_moving, MINVFUNC = _approx_median_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _approx_median_moving_final
);
COMMENT ON AGGREGATE approx_median(float8) IS 'median of the values, interpolated as percentile_cont; exact over sliding windows; NULL over no rows; errors: 22023';

-- from src/pg/roaring/roaring.sql

-- roaring and roaring64: exact sets of integers 0 to 2^32-1 and of any bigint, by the same functions.
-- See src/core/roaring/roaring.c and src/pg/roaring/roaring.c.

-- For the planner, of both types

CREATE FUNCTION _roaring_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _roaring_support(internal) IS 'planner support: selectivity and index conditions of searches by a set, rows of its elements, cost of its array';

CREATE FUNCTION _roaring_sel(internal, oid, internal, int) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_roaring_sel' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _roaring_sel(internal, oid, internal, int) IS 'restriction selectivity of operators with a value and a set';

CREATE FUNCTION _roaring_joinsel(internal, oid, internal, smallint, internal) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_roaring_sel' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _roaring_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of operators with a value and a set';

-- from src/pg/shared/common.sql.in

-- roaring: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE roaring;

CREATE FUNCTION _roaring_in(cstring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _roaring_out(roaring) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_roaring_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_out(roaring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _roaring_recv(internal) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _roaring_send(roaring) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_send(roaring) IS 'I/O: the packed value';

CREATE FUNCTION _roaring_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _roaring_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE roaring (
    INPUT = _roaring_in,
    OUTPUT = _roaring_out,
    RECEIVE = _roaring_recv,
    SEND = _roaring_send,
    ANALYZE = _roaring_typanalyze,
    STORAGE = external
);

CREATE FUNCTION roaring(payload bytea) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch roaring) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(roaring) IS 'the packed value';
CREATE CAST (roaring AS bytea) WITH FUNCTION bytea(roaring);
COMMENT ON CAST (roaring AS bytea) IS 'the packed value';

CREATE CAST (bytea AS roaring) WITH FUNCTION roaring(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS roaring) IS 'the packed value, validated';

-- roaring: equality and hash of the packed bytes

CREATE FUNCTION _roaring_eq(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_eq(roaring, roaring) IS 'equal';

CREATE FUNCTION _roaring_ne(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_ne(roaring, roaring) IS 'not equal';

CREATE FUNCTION _roaring_hash(roaring) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_hash(roaring) IS 'hash of the packed bytes';

CREATE FUNCTION _roaring_hash_extended(roaring, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_hash_extended(roaring, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- roaring: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = _roaring_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(roaring, roaring) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = _roaring_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(roaring, roaring) IS 'not equal';

CREATE OPERATOR CLASS roaring_ops DEFAULT FOR TYPE roaring USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _roaring_hash(roaring), FUNCTION 2 _roaring_hash_extended(roaring, bigint);
COMMENT ON OPERATOR CLASS roaring_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY roaring_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/roaring/type.sql.in

COMMENT ON FUNCTION _roaring_in(cstring) IS
    'I/O: {1,2,5}, the digits of one value, base64 of the packed value, or \x and the portable '
    'format';

COMMENT ON FUNCTION _roaring_out(roaring) IS
    'I/O: {1,2,5} of at most 1,000 values, base64 of the packed value of more';
COMMENT ON FUNCTION _roaring_typanalyze(internal) IS
    'ANALYZE: NULLs, width, distinct values; numbers of values, as of an array';

COMMENT ON TYPE roaring IS 'roaring bitmap: an exact set of integers 0 to 2^32-1';

-- from src/pg/shared/common.sql.in

-- roaring64: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE roaring64;

CREATE FUNCTION _roaring64_in(cstring) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _roaring64_out(roaring64) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_roaring_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_out(roaring64) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _roaring64_recv(internal) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _roaring64_send(roaring64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_send(roaring64) IS 'I/O: the packed value';

CREATE FUNCTION _roaring64_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _roaring64_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE roaring64 (
    INPUT = _roaring64_in,
    OUTPUT = _roaring64_out,
    RECEIVE = _roaring64_recv,
    SEND = _roaring64_send,
    ANALYZE = _roaring64_typanalyze,
    STORAGE = external
);

CREATE FUNCTION roaring64(payload bytea) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch roaring64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(roaring64) IS 'the packed value';
CREATE CAST (roaring64 AS bytea) WITH FUNCTION bytea(roaring64);
COMMENT ON CAST (roaring64 AS bytea) IS 'the packed value';

CREATE CAST (bytea AS roaring64) WITH FUNCTION roaring64(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS roaring64) IS 'the packed value, validated';

-- roaring64: equality and hash of the packed bytes

CREATE FUNCTION _roaring64_eq(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_eq(roaring64, roaring64) IS 'equal';

CREATE FUNCTION _roaring64_ne(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_ne(roaring64, roaring64) IS 'not equal';

CREATE FUNCTION _roaring64_hash(roaring64) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_hash(roaring64) IS 'hash of the packed bytes';

CREATE FUNCTION _roaring64_hash_extended(roaring64, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_hash_extended(roaring64, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- roaring64: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = _roaring64_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(roaring64, roaring64) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = _roaring64_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(roaring64, roaring64) IS 'not equal';

CREATE OPERATOR CLASS roaring64_ops DEFAULT FOR TYPE roaring64 USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _roaring64_hash(roaring64), FUNCTION 2 _roaring64_hash_extended(roaring64, bigint);
COMMENT ON OPERATOR CLASS roaring64_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY roaring64_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/roaring/type.sql.in

COMMENT ON FUNCTION _roaring64_in(cstring) IS
    'I/O: {1,2,5}, the digits of one value, base64 of the packed value, or \x and the portable '
    'format';

COMMENT ON FUNCTION _roaring64_out(roaring64) IS
    'I/O: {1,2,5} of at most 1,000 values, base64 of the packed value of more';
COMMENT ON FUNCTION _roaring64_typanalyze(internal) IS
    'ANALYZE: NULLs, width, distinct values; numbers of values, as of an array';

COMMENT ON TYPE roaring64 IS 'roaring bitmap: an exact set of integers 0 to 2^64-1, those from 2^63 on as negative ones';

-- from src/pg/roaring/roaring.sql

-- Making

CREATE FUNCTION roaring_empty() RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION roaring_empty() IS 'empty set';

CREATE FUNCTION roaring64_empty() RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION roaring64_empty() IS 'empty set';

CREATE FUNCTION roaring(items bigint[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring(bigint[]) IS 'set of the elements of an array; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring(items int[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring(int[]) IS 'set of the elements of an array; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring(items smallint[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring(smallint[]) IS 'set of the elements of an array; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring64(items bigint[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64(bigint[]) IS 'set of the elements of an array; NULL elements are skipped';

CREATE FUNCTION roaring64(items int[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64(int[]) IS 'set of the elements of an array; NULL elements are skipped';

CREATE FUNCTION roaring64(items smallint[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64(smallint[]) IS 'set of the elements of an array; NULL elements are skipped';

CREATE FUNCTION roaring(value text) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring(text) IS 'set read from its text form, such as {1,2,5}; for parameters without a type; errors: 22P02, 22003';

CREATE FUNCTION roaring64(value text) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64(text) IS 'set read from its text form, such as {1,2,5}; for parameters without a type; errors: 22P02, 22003';

CREATE FUNCTION roaring_to_int_array(sketch roaring) RETURNS int[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_int_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_to_int_array(roaring) IS 'the values as an int array, ascending; errors: 22003, 54000';

CREATE FUNCTION roaring64_to_int_array(sketch roaring64) RETURNS int[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_int_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_to_int_array(roaring64) IS 'the values as an int array, ascending; errors: 22003, 54000';

CREATE FUNCTION roaring_to_array(sketch roaring) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring_to_array(roaring) IS 'the values as a bigint array, ascending; errors: 54000';

CREATE FUNCTION roaring64_to_array(sketch roaring64) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring64_to_array(roaring64) IS 'the values as a bigint array, ascending; errors: 54000';

CREATE FUNCTION roaring_to_array(sketch roaring, skip bigint, count bigint) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_array_part' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_to_array(roaring, bigint, bigint) IS 'at most count values, ascending, after the first skip values; errors: 22023, 54000';

CREATE FUNCTION roaring64_to_array(sketch roaring64, skip bigint, count bigint) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_array_part' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_to_array(roaring64, bigint, bigint) IS 'at most count values, ascending, after the first skip values; errors: 22023, 54000';

CREATE CAST (int[] AS roaring) WITH FUNCTION roaring(int[]);
COMMENT ON CAST (int[] AS roaring) IS 'set of the elements';

CREATE CAST (int[] AS roaring64) WITH FUNCTION roaring64(int[]);
COMMENT ON CAST (int[] AS roaring64) IS 'set of the elements';

CREATE CAST (roaring AS int[]) WITH FUNCTION roaring_to_int_array(roaring);
COMMENT ON CAST (roaring AS int[]) IS 'the values, ascending';

CREATE CAST (roaring64 AS int[]) WITH FUNCTION roaring64_to_int_array(roaring64);
COMMENT ON CAST (roaring64 AS int[]) IS 'the values, ascending';

CREATE CAST (bigint[] AS roaring) WITH FUNCTION roaring(bigint[]);
COMMENT ON CAST (bigint[] AS roaring) IS 'set of the elements';

CREATE CAST (bigint[] AS roaring64) WITH FUNCTION roaring64(bigint[]);
COMMENT ON CAST (bigint[] AS roaring64) IS 'set of the elements';

CREATE CAST (smallint[] AS roaring) WITH FUNCTION roaring(smallint[]);
COMMENT ON CAST (smallint[] AS roaring) IS 'set of the elements';

CREATE CAST (smallint[] AS roaring64) WITH FUNCTION roaring64(smallint[]);
COMMENT ON CAST (smallint[] AS roaring64) IS 'set of the elements';

CREATE CAST (roaring AS bigint[]) WITH FUNCTION roaring_to_array(roaring);
COMMENT ON CAST (roaring AS bigint[]) IS 'the values, ascending';

CREATE CAST (roaring64 AS bigint[]) WITH FUNCTION roaring64_to_array(roaring64);
COMMENT ON CAST (roaring64 AS bigint[]) IS 'the values, ascending';

CREATE FUNCTION roaring_range(lo bigint, hi bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_range(bigint, bigint) IS 'set of lo to hi - 1; empty unless lo < hi; errors: 22003, 54000 past 2^40 values';

CREATE FUNCTION roaring64_range(lo bigint, hi bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_range(bigint, bigint) IS 'set of lo to hi - 1; empty unless lo < hi; errors: 22023 from a negative number to a positive one, 54000 past 2^40 values';

CREATE FUNCTION roaring_from_bits(bits text) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_from_bits(text) IS 'set of the positions of 1 in a text of 0 and 1, from 0; errors: 22P02';

CREATE FUNCTION roaring64_from_bits(bits text) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_from_bits(text) IS 'set of the positions of 1 in a text of 0 and 1, from 0; errors: 22P02';

CREATE FUNCTION roaring_from_portable(payload bytea) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_portable' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_from_portable(bytea) IS 'reads and validates a bitmap in the portable format of Roaring libraries; errors: 22P03';

CREATE FUNCTION roaring64_from_portable(payload bytea) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_from_portable' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_from_portable(bytea) IS 'reads and validates a bitmap in the portable format of Roaring libraries; errors: 22P03';

-- Changing

CREATE FUNCTION roaring_add(sketch roaring, value bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_add(roaring, bigint) IS 'the set with the value added; errors: 22003';

CREATE FUNCTION roaring64_add(sketch roaring64, value bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_add(roaring64, bigint) IS 'the set with the value added';

CREATE FUNCTION roaring_remove(sketch roaring, value bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_remove(roaring, bigint) IS 'the set with the value removed';

CREATE FUNCTION roaring64_remove(sketch roaring64, value bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_remove(roaring64, bigint) IS 'the set with the value removed';

CREATE FUNCTION roaring_add_all(sketch roaring, items bigint[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_add_all(roaring, bigint[]) IS 'the set with all elements added; NULL elements are skipped; errors: 22003';

CREATE FUNCTION roaring64_add_all(sketch roaring64, items bigint[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_add_all(roaring64, bigint[]) IS 'the set with all elements added; NULL elements are skipped';

CREATE FUNCTION roaring_remove_all(sketch roaring, items bigint[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_remove_all(roaring, bigint[]) IS 'the set with all elements removed; NULL elements are skipped';

CREATE FUNCTION roaring64_remove_all(sketch roaring64, items bigint[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_remove_all(roaring64, bigint[]) IS 'the set with all elements removed; NULL elements are skipped';

CREATE FUNCTION roaring_add_range(sketch roaring, lo bigint, hi bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_add_range' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_add_range(roaring, bigint, bigint) IS 'the set with lo to hi - 1 added; errors: 22003, 54000';

CREATE FUNCTION roaring64_add_range(sketch roaring64, lo bigint, hi bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_add_range' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_add_range(roaring64, bigint, bigint) IS 'the set with lo to hi - 1 added; errors: 22023, 54000';

CREATE FUNCTION roaring_remove_range(sketch roaring, lo bigint, hi bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove_range' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_remove_range(roaring, bigint, bigint) IS 'the set with lo to hi - 1 removed';

CREATE FUNCTION roaring64_remove_range(sketch roaring64, lo bigint, hi bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_remove_range' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_remove_range(roaring64, bigint, bigint) IS 'the set with lo to hi - 1 removed; errors: 22023';

CREATE FUNCTION roaring_flip(sketch roaring, lo bigint, hi bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_flip' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_flip(roaring, bigint, bigint) IS 'the set inverted in the range lo to hi - 1: present values are removed, absent ones added; errors: 22003, 54000';

CREATE FUNCTION roaring64_flip(sketch roaring64, lo bigint, hi bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_flip' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_flip(roaring64, bigint, bigint) IS 'the set inverted in the range lo to hi - 1: present values are removed, absent ones added; errors: 22023, 54000';

CREATE FUNCTION roaring_shift(sketch roaring, by bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_shift' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_shift(roaring, bigint) IS 'the set with the offset added to every value; values out of range are dropped';

CREATE FUNCTION roaring64_shift(sketch roaring64, by bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_shift' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_shift(roaring64, bigint) IS 'the set with the offset added to every value; values out of range are dropped';

-- Set algebra

CREATE FUNCTION roaring_union(a roaring, b roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_or' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_union(roaring, roaring) IS 'union: values in either set';

CREATE FUNCTION roaring64_union(a roaring64, b roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_or' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_union(roaring64, roaring64) IS 'union: values in either set';

CREATE FUNCTION roaring_intersection(a roaring, b roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_and' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_intersection(roaring, roaring) IS 'intersection: values in both sets';

CREATE FUNCTION roaring64_intersection(a roaring64, b roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_and' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_intersection(roaring64, roaring64) IS 'intersection: values in both sets';

CREATE FUNCTION roaring_xor(a roaring, b roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_xor(roaring, roaring) IS 'symmetric difference: values in exactly one set';

CREATE FUNCTION roaring64_xor(a roaring64, b roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_xor(roaring64, roaring64) IS 'symmetric difference: values in exactly one set';

CREATE FUNCTION roaring_difference(a roaring, b roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_minus' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_difference(roaring, roaring) IS 'difference: values in the first set and not in the second';

CREATE FUNCTION roaring64_difference(a roaring64, b roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_minus' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_difference(roaring64, roaring64) IS 'difference: values in the first set and not in the second';

CREATE FUNCTION roaring_bitop(op text, VARIADIC sketches roaring[]) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_bitop' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_bitop(text, VARIADIC roaring[]) IS 'BITOP of Redis: and, or, xor, one (values in exactly one set) of all sets; andor, diff, diff1 of the first set and the union of the others; a NULL set is empty, and the result NULL if all are; errors: 22023';

CREATE FUNCTION roaring64_bitop(op text, VARIADIC sketches roaring64[]) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_bitop' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_bitop(text, VARIADIC roaring64[]) IS 'BITOP of Redis: and, or, xor, one (values in exactly one set) of all sets; andor, diff, diff1 of the first set and the union of the others; a NULL set is empty, and the result NULL if all are; errors: 22023';

CREATE FUNCTION roaring_not(sketch roaring, last bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_not' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_not(roaring, bigint) IS 'complement: values from 0 to last that are not in the set; errors: 22003, 54000';

CREATE FUNCTION roaring64_not(sketch roaring64, last bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_not' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_not(roaring64, bigint) IS 'complement: values from 0 to last that are not in the set; errors: 54000';

CREATE FUNCTION roaring_venn(VARIADIC sketches roaring[], OUT members_of int[], OUT elements roaring) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_roaring_venn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION roaring_venn(VARIADIC roaring[]) IS 'regions of a Venn diagram: the numbers of the sets, from 1, and the values that are in exactly these sets; errors: 54000 past 4,096 sets';

CREATE FUNCTION roaring64_venn(VARIADIC sketches roaring64[], OUT members_of int[], OUT elements roaring64) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_roaring_venn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION roaring64_venn(VARIADIC roaring64[]) IS 'regions of a Venn diagram: the numbers of the sets, from 1, and the values that are in exactly these sets; errors: 54000 past 4,096 sets';

-- Asking

CREATE FUNCTION roaring_cardinality(sketch roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION roaring_cardinality(roaring) IS 'number of values; reads the header only';

CREATE FUNCTION roaring64_cardinality(sketch roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION roaring64_cardinality(roaring64) IS 'number of values; reads the header only';

CREATE FUNCTION roaring_cardinality(sketch roaring, lo bigint, hi bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_range_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_cardinality(roaring, bigint, bigint) IS 'number of values from lo to hi - 1';

CREATE FUNCTION roaring64_cardinality(sketch roaring64, lo bigint, hi bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_range_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_cardinality(roaring64, bigint, bigint) IS 'number of values from lo to hi - 1; errors: 22023';

CREATE FUNCTION roaring_union_cardinality(a roaring, b roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_union_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_union_cardinality(roaring, roaring) IS 'number of values in either set, without making the union';

CREATE FUNCTION roaring64_union_cardinality(a roaring64, b roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_union_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_union_cardinality(roaring64, roaring64) IS 'number of values in either set, without making the union';

CREATE FUNCTION roaring_intersection_cardinality(a roaring, b roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_intersection_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_intersection_cardinality(roaring, roaring) IS 'number of values in both sets, without making the intersection';

CREATE FUNCTION roaring64_intersection_cardinality(a roaring64, b roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_intersection_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_intersection_cardinality(roaring64, roaring64) IS 'number of values in both sets, without making the intersection';

CREATE FUNCTION roaring_xor_cardinality(a roaring, b roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_xor_cardinality(roaring, roaring) IS 'number of values in exactly one set';

CREATE FUNCTION roaring64_xor_cardinality(a roaring64, b roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_xor_cardinality(roaring64, roaring64) IS 'number of values in exactly one set';

CREATE FUNCTION roaring_difference_cardinality(a roaring, b roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_difference_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_difference_cardinality(roaring, roaring) IS 'number of values in the first set and not in the second';

CREATE FUNCTION roaring64_difference_cardinality(a roaring64, b roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_difference_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_difference_cardinality(roaring64, roaring64) IS 'number of values in the first set and not in the second';

CREATE FUNCTION roaring_jaccard(a roaring, b roaring) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_roaring_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_jaccard(roaring, roaring) IS 'Jaccard index: intersection divided by union, 0 to 1; NULL when both are empty';

CREATE FUNCTION roaring64_jaccard(a roaring64, b roaring64) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_roaring_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_jaccard(roaring64, roaring64) IS 'Jaccard index: intersection divided by union, 0 to 1; NULL when both are empty';

CREATE FUNCTION roaring_contains(sketch roaring, value bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring_contains(roaring, bigint) IS 'true if the set contains the value';

CREATE FUNCTION roaring_contains(sketch roaring, value int) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_int' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring_contains(roaring, int) IS 'true if the set contains the value';

CREATE FUNCTION roaring_contains(sketch roaring, value smallint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_smallint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring_contains(roaring, smallint) IS 'true if the set contains the value';

CREATE FUNCTION roaring64_contains(sketch roaring64, value bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring64_contains(roaring64, bigint) IS 'true if the set contains the value';

CREATE FUNCTION roaring64_contains(sketch roaring64, value int) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_int' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring64_contains(roaring64, int) IS 'true if the set contains the value';

CREATE FUNCTION roaring64_contains(sketch roaring64, value smallint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_smallint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring64_contains(roaring64, smallint) IS 'true if the set contains the value';

CREATE FUNCTION _roaring_contained(bigint, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION _roaring_contained(bigint, roaring) IS 'true if the set contains the value';

CREATE FUNCTION _roaring_contained(int, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_int' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION _roaring_contained(int, roaring) IS 'true if the set contains the value';

CREATE FUNCTION _roaring_contained(smallint, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_smallint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION _roaring_contained(smallint, roaring) IS 'true if the set contains the value';

CREATE FUNCTION _roaring64_contained(bigint, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION _roaring64_contained(bigint, roaring64) IS 'true if the set contains the value';

CREATE FUNCTION _roaring64_contained(int, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_int' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION _roaring64_contained(int, roaring64) IS 'true if the set contains the value';

CREATE FUNCTION _roaring64_contained(smallint, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_smallint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _roaring_support;
COMMENT ON FUNCTION _roaring64_contained(smallint, roaring64) IS 'true if the set contains the value';

CREATE FUNCTION roaring_contains(a roaring, b roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_contains(roaring, roaring) IS 'true if the first set contains all values of the second';

CREATE FUNCTION roaring64_contains(a roaring64, b roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_contains(roaring64, roaring64) IS 'true if the first set contains all values of the second';

CREATE FUNCTION _roaring_contained(roaring, roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_contained(roaring, roaring) IS 'true if the second set contains all values of the first';

CREATE FUNCTION _roaring64_contained(roaring64, roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_contained_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_contained(roaring64, roaring64) IS 'true if the second set contains all values of the first';

CREATE FUNCTION roaring_overlaps(a roaring, b roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_overlaps(roaring, roaring) IS 'true if the sets have a value in common';

CREATE FUNCTION roaring64_overlaps(a roaring64, b roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_overlaps(roaring64, roaring64) IS 'true if the sets have a value in common';

CREATE FUNCTION roaring_contains_each(sketch roaring, items bigint[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_contains_each(roaring, bigint[]) IS 'for each element, whether the set contains it; NULL for NULL';

CREATE FUNCTION roaring64_contains_each(sketch roaring64, items bigint[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_roaring_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_contains_each(roaring64, bigint[]) IS 'for each element, whether the set contains it; NULL for NULL';

CREATE FUNCTION roaring_is_empty(sketch roaring) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_is_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION roaring_is_empty(roaring) IS 'true if the set has no values; reads the header only';

CREATE FUNCTION roaring64_is_empty(sketch roaring64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_is_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION roaring64_is_empty(roaring64) IS 'true if the set has no values; reads the header only';

CREATE FUNCTION roaring_min(sketch roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_min(roaring) IS 'minimum; NULL when empty';

CREATE FUNCTION roaring64_min(sketch roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_min(roaring64) IS 'minimum; NULL when empty';

CREATE FUNCTION roaring_max(sketch roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_max(roaring) IS 'maximum; NULL when empty';

CREATE FUNCTION roaring64_max(sketch roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_max(roaring64) IS 'maximum; NULL when empty';

CREATE FUNCTION roaring_rank(sketch roaring, value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_rank(roaring, bigint) IS 'number of values less than or equal to the value';

CREATE FUNCTION roaring64_rank(sketch roaring64, value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_rank(roaring64, bigint) IS 'number of values less than or equal to the value';

CREATE FUNCTION roaring_index(sketch roaring, value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_index' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_index(roaring, bigint) IS 'position of the value, from 0: the number of smaller values; NULL if it is not in the set';

CREATE FUNCTION roaring64_index(sketch roaring64, value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_index' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_index(roaring64, bigint) IS 'position of the value, from 0: the number of smaller values; NULL if it is not in the set';

CREATE FUNCTION roaring_select(sketch roaring, rank bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_select' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_select(roaring, bigint) IS 'value at a position, from 0; NULL past the end; errors: 22023';

CREATE FUNCTION roaring64_select(sketch roaring64, rank bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_select' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_select(roaring64, bigint) IS 'value at a position, from 0; NULL past the end; errors: 22023';

CREATE FUNCTION roaring_position(sketch roaring, value boolean) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_position(roaring, boolean) IS 'minimum of the values in the set (true) or not in it (false), as BITPOS of Redis; NULL if there is none';

CREATE FUNCTION roaring64_position(sketch roaring64, value boolean) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_position(roaring64, boolean) IS 'minimum of the values in the set (true) or not in it (false), as BITPOS of Redis; NULL if there is none';

CREATE FUNCTION roaring_position(sketch roaring, value boolean, start bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_position(roaring, boolean, bigint) IS 'minimum, at or above start, of the values in the set (true) or not in it (false); NULL if there is none';

CREATE FUNCTION roaring64_position(sketch roaring64, value boolean, start bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_position(roaring64, boolean, bigint) IS 'minimum, at or above start, of the values in the set (true) or not in it (false); NULL if there is none';

CREATE FUNCTION roaring_elements(sketch roaring) RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10000 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring_elements(roaring) IS 'the values as rows, ascending';

CREATE FUNCTION roaring64_elements(sketch roaring64) RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10000 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring64_elements(roaring64) IS 'the values as rows, ascending';

CREATE FUNCTION roaring_elements(sketch roaring, reverse boolean) RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10000 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring_elements(roaring, boolean) IS 'the values as rows, descending if reverse is true';

CREATE FUNCTION roaring64_elements(sketch roaring64, reverse boolean) RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_elements' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10000 SUPPORT _roaring_support;
COMMENT ON FUNCTION roaring64_elements(roaring64, boolean) IS 'the values as rows, descending if reverse is true';

CREATE FUNCTION roaring_bits(sketch roaring) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_roaring_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_bits(roaring) IS 'text of 0 and 1, one for each number from 0 to the maximum; errors: 54000';

CREATE FUNCTION roaring64_bits(sketch roaring64) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_roaring_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_bits(roaring64) IS 'text of 0 and 1, one for each number from 0 to the maximum; errors: 54000';

CREATE FUNCTION roaring_to_portable(sketch roaring) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_portable' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_to_portable(roaring) IS 'bitmap in the portable format, which Roaring libraries of all languages read';

CREATE FUNCTION roaring64_to_portable(sketch roaring64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_roaring_to_portable' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_to_portable(roaring64) IS 'bitmap in the portable format, which Roaring libraries of all languages read';

CREATE FUNCTION roaring_info(sketch roaring, OUT cardinality bigint, OUT containers bigint, OUT "array" bigint, OUT bitset bigint, OUT run bigint, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_roaring_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_info(roaring) IS 'number of values and of containers: arrays, bitsets and runs; bytes of the packed value';

CREATE FUNCTION roaring64_info(sketch roaring64, OUT cardinality bigint, OUT containers bigint, OUT "array" bigint, OUT bitset bigint, OUT run bigint, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_roaring_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_info(roaring64) IS 'number of values and of containers: arrays, bitsets and runs; bytes of the packed value';

CREATE FUNCTION roaring_describe(sketch roaring) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_roaring_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring_describe(roaring) IS 'human-readable summary: values, minimum and maximum, containers, bytes';

CREATE FUNCTION roaring64_describe(sketch roaring64) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_roaring_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64_describe(roaring64) IS 'human-readable summary: values, minimum and maximum, containers, bytes';

-- Operators

CREATE OPERATOR | (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(roaring, roaring) IS 'union';

CREATE OPERATOR | (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(roaring64, roaring64) IS 'union';

CREATE OPERATOR | (
    LEFTARG = roaring, RIGHTARG = bigint, FUNCTION = roaring_add
);
COMMENT ON OPERATOR |(roaring, bigint) IS 'the set with the value added';

CREATE OPERATOR | (
    LEFTARG = roaring64, RIGHTARG = bigint, FUNCTION = roaring64_add
);
COMMENT ON OPERATOR |(roaring64, bigint) IS 'the set with the value added';

CREATE OPERATOR - (
    LEFTARG = roaring, RIGHTARG = bigint, FUNCTION = roaring_remove
);
COMMENT ON OPERATOR -(roaring, bigint) IS 'the set with the value removed';

CREATE OPERATOR - (
    LEFTARG = roaring64, RIGHTARG = bigint, FUNCTION = roaring64_remove
);
COMMENT ON OPERATOR -(roaring64, bigint) IS 'the set with the value removed';

CREATE OPERATOR & (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_intersection, COMMUTATOR = &
);
COMMENT ON OPERATOR &(roaring, roaring) IS 'intersection';

CREATE OPERATOR & (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_intersection, COMMUTATOR = &
);
COMMENT ON OPERATOR &(roaring64, roaring64) IS 'intersection';

CREATE OPERATOR # (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_xor, COMMUTATOR = #
);
COMMENT ON OPERATOR #(roaring, roaring) IS 'symmetric difference';

CREATE OPERATOR # (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_xor, COMMUTATOR = #
);
COMMENT ON OPERATOR #(roaring64, roaring64) IS 'symmetric difference';

CREATE OPERATOR - (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_difference
);
COMMENT ON OPERATOR -(roaring, roaring) IS 'difference';

CREATE OPERATOR - (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_difference
);
COMMENT ON OPERATOR -(roaring64, roaring64) IS 'difference';

CREATE OPERATOR @> (
    LEFTARG = roaring, RIGHTARG = bigint, FUNCTION = roaring_contains, COMMUTATOR = <@, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR @>(roaring, bigint) IS 'contains the value';

CREATE OPERATOR @> (
    LEFTARG = roaring, RIGHTARG = int, FUNCTION = roaring_contains, COMMUTATOR = <@, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR @>(roaring, int) IS 'contains the value';

CREATE OPERATOR @> (
    LEFTARG = roaring, RIGHTARG = smallint, FUNCTION = roaring_contains, COMMUTATOR = <@, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR @>(roaring, smallint) IS 'contains the value';

CREATE OPERATOR @> (
    LEFTARG = roaring64, RIGHTARG = bigint, FUNCTION = roaring64_contains, COMMUTATOR = <@, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR @>(roaring64, bigint) IS 'contains the value';

CREATE OPERATOR @> (
    LEFTARG = roaring64, RIGHTARG = int, FUNCTION = roaring64_contains, COMMUTATOR = <@, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR @>(roaring64, int) IS 'contains the value';

CREATE OPERATOR @> (
    LEFTARG = roaring64, RIGHTARG = smallint, FUNCTION = roaring64_contains, COMMUTATOR = <@, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR @>(roaring64, smallint) IS 'contains the value';

CREATE OPERATOR <@ (
    LEFTARG = bigint, RIGHTARG = roaring, FUNCTION = _roaring_contained, COMMUTATOR = @>, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR <@(bigint, roaring) IS 'is contained in the set';

CREATE OPERATOR <@ (
    LEFTARG = int, RIGHTARG = roaring, FUNCTION = _roaring_contained, COMMUTATOR = @>, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR <@(int, roaring) IS 'is contained in the set';

CREATE OPERATOR <@ (
    LEFTARG = smallint, RIGHTARG = roaring, FUNCTION = _roaring_contained, COMMUTATOR = @>, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR <@(smallint, roaring) IS 'is contained in the set';

CREATE OPERATOR <@ (
    LEFTARG = bigint, RIGHTARG = roaring64, FUNCTION = _roaring64_contained, COMMUTATOR = @>, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR <@(bigint, roaring64) IS 'is contained in the set';

CREATE OPERATOR <@ (
    LEFTARG = int, RIGHTARG = roaring64, FUNCTION = _roaring64_contained, COMMUTATOR = @>, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR <@(int, roaring64) IS 'is contained in the set';

CREATE OPERATOR <@ (
    LEFTARG = smallint, RIGHTARG = roaring64, FUNCTION = _roaring64_contained, COMMUTATOR = @>, RESTRICT = _roaring_sel, JOIN = _roaring_joinsel
);
COMMENT ON OPERATOR <@(smallint, roaring64) IS 'is contained in the set';

CREATE OPERATOR @> (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_contains, COMMUTATOR = <@, RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @>(roaring, roaring) IS 'contains all values of the right set';

CREATE OPERATOR @> (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_contains, COMMUTATOR = <@, RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @>(roaring64, roaring64) IS 'contains all values of the right set';

CREATE OPERATOR <@ (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = _roaring_contained, COMMUTATOR = @>, RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR <@(roaring, roaring) IS 'is contained in the right set';

CREATE OPERATOR <@ (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = _roaring64_contained, COMMUTATOR = @>, RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR <@(roaring64, roaring64) IS 'is contained in the right set';

CREATE OPERATOR && (
    LEFTARG = roaring, RIGHTARG = roaring, FUNCTION = roaring_overlaps, COMMUTATOR = &&, RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR &&(roaring, roaring) IS 'have a value in common';

CREATE OPERATOR && (
    LEFTARG = roaring64, RIGHTARG = roaring64, FUNCTION = roaring64_overlaps, COMMUTATOR = &&, RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR &&(roaring64, roaring64) IS 'have a value in common';

-- GIN indexes, of elements and of chunks of 2^16 numbers

CREATE FUNCTION _roaring_extract_value(roaring, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_extract_value(roaring, internal) IS 'GIN: the keys of a set; errors: 54000';

CREATE FUNCTION _roaring_chunk_extract_value(roaring, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_chunk_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_chunk_extract_value(roaring, internal) IS 'GIN: the keys of a set; errors: 54000';

CREATE FUNCTION _roaring64_extract_value(roaring64, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_extract_value(roaring64, internal) IS 'GIN: the keys of a set; errors: 54000';

CREATE FUNCTION _roaring64_chunk_extract_value(roaring64, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_chunk_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_chunk_extract_value(roaring64, internal) IS 'GIN: the keys of a set; errors: 54000';

CREATE FUNCTION _roaring_extract_query(roaring, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_extract_query(roaring, internal, smallint, internal, internal, internal, internal) IS 'GIN: the keys of a query';

CREATE FUNCTION _roaring_chunk_extract_query(roaring, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_chunk_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_chunk_extract_query(roaring, internal, smallint, internal, internal, internal, internal) IS 'GIN: the keys of a query';

CREATE FUNCTION _roaring64_extract_query(roaring64, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_extract_query(roaring64, internal, smallint, internal, internal, internal, internal) IS 'GIN: the keys of a query';

CREATE FUNCTION _roaring64_chunk_extract_query(roaring64, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_chunk_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_chunk_extract_query(roaring64, internal, smallint, internal, internal, internal, internal) IS 'GIN: the keys of a query';

CREATE FUNCTION _roaring_consistent(internal, smallint, roaring, int, internal, internal, internal, internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _roaring_consistent(internal, smallint, roaring, int, internal, internal, internal, internal) IS 'GIN: whether keys answer a query';

CREATE FUNCTION _roaring_chunk_consistent(internal, smallint, roaring, int, internal, internal, internal, internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_chunk_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _roaring_chunk_consistent(internal, smallint, roaring, int, internal, internal, internal, internal) IS 'GIN: whether keys answer a query';

CREATE FUNCTION _roaring64_consistent(internal, smallint, roaring64, int, internal, internal, internal, internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _roaring64_consistent(internal, smallint, roaring64, int, internal, internal, internal, internal) IS 'GIN: whether keys answer a query';

CREATE FUNCTION _roaring64_chunk_consistent(internal, smallint, roaring64, int, internal, internal, internal, internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_roaring_chunk_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _roaring64_chunk_consistent(internal, smallint, roaring64, int, internal, internal, internal, internal) IS 'GIN: whether keys answer a query';

CREATE FUNCTION _roaring_triconsistent(internal, smallint, roaring, int, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME', 'sketches_roaring_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _roaring_triconsistent(internal, smallint, roaring, int, internal, internal, internal) IS 'GIN: whether keys answer a query, some of them unknown';

CREATE FUNCTION _roaring_chunk_triconsistent(internal, smallint, roaring, int, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME', 'sketches_roaring_chunk_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _roaring_chunk_triconsistent(internal, smallint, roaring, int, internal, internal, internal) IS 'GIN: whether keys answer a query, some of them unknown';

CREATE FUNCTION _roaring64_triconsistent(internal, smallint, roaring64, int, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME', 'sketches_roaring_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _roaring64_triconsistent(internal, smallint, roaring64, int, internal, internal, internal) IS 'GIN: whether keys answer a query, some of them unknown';

CREATE FUNCTION _roaring64_chunk_triconsistent(internal, smallint, roaring64, int, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME', 'sketches_roaring_chunk_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _roaring64_chunk_triconsistent(internal, smallint, roaring64, int, internal, internal, internal) IS 'GIN: whether keys answer a query, some of them unknown';

-- from src/pg/roaring/gin.sql.in

CREATE OPERATOR CLASS roaring_ops DEFAULT FOR TYPE roaring USING gin AS
    OPERATOR 1 &&, OPERATOR 2 @>, OPERATOR 3 <@, OPERATOR 4 =,
    OPERATOR 5 @>(roaring, bigint), OPERATOR 6 @>(roaring, int), OPERATOR 7 @>(roaring, smallint),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 _roaring_extract_value(roaring, internal),
    FUNCTION 3 _roaring_extract_query(roaring, internal, smallint, internal, internal, internal,
                                     internal),
    FUNCTION 4 _roaring_consistent(internal, smallint, roaring, int, internal, internal, internal,
                                  internal),
    FUNCTION 6 _roaring_triconsistent(internal, smallint, roaring, int, internal, internal, internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS roaring_ops USING gin IS 'elements of sets of up to 100,000';
COMMENT ON OPERATOR FAMILY roaring_ops USING gin IS 'elements of sets of up to 100,000';

CREATE OPERATOR CLASS roaring_chunk_ops FOR TYPE roaring USING gin AS
    OPERATOR 1 &&, OPERATOR 2 @>, OPERATOR 3 <@, OPERATOR 4 =,
    OPERATOR 5 @>(roaring, bigint), OPERATOR 6 @>(roaring, int), OPERATOR 7 @>(roaring, smallint),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 _roaring_chunk_extract_value(roaring, internal),
    FUNCTION 3 _roaring_chunk_extract_query(roaring, internal, smallint, internal, internal, internal,
                                           internal),
    FUNCTION 4 _roaring_chunk_consistent(internal, smallint, roaring, int, internal, internal,
                                        internal, internal),
    FUNCTION 6 _roaring_chunk_triconsistent(internal, smallint, roaring, int, internal, internal,
                                           internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS roaring_chunk_ops USING gin IS
    'ranges of 65,536 numbers, for large sets whose values lie close together';
COMMENT ON OPERATOR FAMILY roaring_chunk_ops USING gin IS
    'ranges of 65,536 numbers, for large sets whose values lie close together';
CREATE OPERATOR CLASS roaring64_ops DEFAULT FOR TYPE roaring64 USING gin AS
    OPERATOR 1 &&, OPERATOR 2 @>, OPERATOR 3 <@, OPERATOR 4 =,
    OPERATOR 5 @>(roaring64, bigint), OPERATOR 6 @>(roaring64, int), OPERATOR 7 @>(roaring64, smallint),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 _roaring64_extract_value(roaring64, internal),
    FUNCTION 3 _roaring64_extract_query(roaring64, internal, smallint, internal, internal, internal,
                                     internal),
    FUNCTION 4 _roaring64_consistent(internal, smallint, roaring64, int, internal, internal, internal,
                                  internal),
    FUNCTION 6 _roaring64_triconsistent(internal, smallint, roaring64, int, internal, internal, internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS roaring64_ops USING gin IS 'elements of sets of up to 100,000';
COMMENT ON OPERATOR FAMILY roaring64_ops USING gin IS 'elements of sets of up to 100,000';

CREATE OPERATOR CLASS roaring64_chunk_ops FOR TYPE roaring64 USING gin AS
    OPERATOR 1 &&, OPERATOR 2 @>, OPERATOR 3 <@, OPERATOR 4 =,
    OPERATOR 5 @>(roaring64, bigint), OPERATOR 6 @>(roaring64, int), OPERATOR 7 @>(roaring64, smallint),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 _roaring64_chunk_extract_value(roaring64, internal),
    FUNCTION 3 _roaring64_chunk_extract_query(roaring64, internal, smallint, internal, internal, internal,
                                           internal),
    FUNCTION 4 _roaring64_chunk_consistent(internal, smallint, roaring64, int, internal, internal,
                                        internal, internal),
    FUNCTION 6 _roaring64_chunk_triconsistent(internal, smallint, roaring64, int, internal, internal,
                                           internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS roaring64_chunk_ops USING gin IS
    'ranges of 65,536 numbers, for large sets whose values lie close together';
COMMENT ON OPERATOR FAMILY roaring64_chunk_ops USING gin IS
    'ranges of 65,536 numbers, for large sets whose values lie close together';

-- from src/pg/roaring/roaring.sql

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _roaring_union_state(roaring, roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_union_state(roaring, roaring) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _roaring_final(roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_final(roaring) IS 'final function: the packed state';

CREATE FUNCTION _roaring64_union_state(roaring64, roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_union_state(roaring64, roaring64) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _roaring64_final(roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_final(roaring64) IS 'final function: the packed state';

CREATE FUNCTION _roaring_xor_state(roaring, roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_xor_state(roaring, roaring) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _roaring64_xor_state(roaring64, roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_xor_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_xor_state(roaring64, roaring64) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _roaring_intersection_state(roaring, roaring) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_intersection_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_intersection_state(roaring, roaring) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _roaring64_intersection_state(roaring64, roaring64) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_intersection_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_intersection_state(roaring64, roaring64) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _roaring_cardinality_final(roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_cardinality_final(roaring) IS 'final function: how many values the state has, 0 for no state';

CREATE FUNCTION _roaring64_cardinality_final(roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_cardinality_final(roaring64) IS 'final function: how many values the state has, 0 for no state';

CREATE FUNCTION _roaring_intersection_cardinality_final(roaring) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_intersection_cardinality_final(roaring) IS 'final function: how many values the state has, NULL for no state';

CREATE FUNCTION _roaring64_intersection_cardinality_final(roaring64) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_intersection_cardinality_final(roaring64) IS 'final function: how many values the state has, NULL for no state';

CREATE FUNCTION _roaring_union_cardinality_moving_final(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_union_cardinality_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_union_cardinality_moving_final(internal) IS 'final function over moving frames: how many values the union has';

CREATE FUNCTION _roaring_agg_state(roaring, bigint) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _roaring_agg_state(roaring, bigint) IS 'transition function';

CREATE FUNCTION _roaring64_agg_state(roaring64, bigint) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _roaring64_agg_state(roaring64, bigint) IS 'transition function';

CREATE AGGREGATE roaring_agg(value bigint) (
    SFUNC = _roaring_agg_state, STYPE = roaring, SSPACE = 256, FINALFUNC = _roaring_final,
    COMBINEFUNC = _roaring_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_agg(bigint) IS 'set of the distinct values; NULL over no rows; errors: 22003';

CREATE AGGREGATE roaring64_agg(value bigint) (
    SFUNC = _roaring64_agg_state, STYPE = roaring64, SSPACE = 256, FINALFUNC = _roaring64_final,
    COMBINEFUNC = _roaring64_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_agg(bigint) IS 'set of the distinct values; NULL over no rows';

CREATE AGGREGATE roaring_union_agg(sketch roaring) (
    SFUNC = _roaring_union_state, STYPE = roaring, SSPACE = 16384, FINALFUNC = _roaring_final,
    COMBINEFUNC = _roaring_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE roaring_union_agg(roaring) IS 'union: values in any of the sets; NULL over no rows';

CREATE AGGREGATE roaring64_union_agg(sketch roaring64) (
    SFUNC = _roaring64_union_state, STYPE = roaring64, SSPACE = 16384, FINALFUNC = _roaring64_final,
    COMBINEFUNC = _roaring64_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE roaring64_union_agg(roaring64) IS 'union: values in any of the sets; NULL over no rows';

CREATE AGGREGATE roaring_intersection_agg(sketch roaring) (
    SFUNC = _roaring_intersection_state, STYPE = roaring, SSPACE = 16384, FINALFUNC = _roaring_final,
    COMBINEFUNC = _roaring_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_intersection_agg(roaring) IS 'intersection: values in all sets; NULL over no rows';

CREATE AGGREGATE roaring64_intersection_agg(sketch roaring64) (
    SFUNC = _roaring64_intersection_state, STYPE = roaring64, SSPACE = 16384, FINALFUNC = _roaring64_final,
    COMBINEFUNC = _roaring64_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_intersection_agg(roaring64) IS 'intersection: values in all sets; NULL over no rows';

CREATE AGGREGATE roaring_xor_agg(sketch roaring) (
    SFUNC = _roaring_xor_state, STYPE = roaring, SSPACE = 16384, FINALFUNC = _roaring_final,
    COMBINEFUNC = _roaring_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_xor_agg(roaring) IS 'symmetric difference: values in an odd number of the sets; NULL over no rows';

CREATE AGGREGATE roaring64_xor_agg(sketch roaring64) (
    SFUNC = _roaring64_xor_state, STYPE = roaring64, SSPACE = 16384, FINALFUNC = _roaring64_final,
    COMBINEFUNC = _roaring64_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_xor_agg(roaring64) IS 'symmetric difference: values in an odd number of the sets; NULL over no rows';

CREATE AGGREGATE roaring_union_cardinality_agg(sketch roaring) (
    SFUNC = _roaring_union_state, STYPE = roaring, SSPACE = 16384, FINALFUNC = _roaring_cardinality_final,
    COMBINEFUNC = _roaring_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _roaring_union_cardinality_moving_final
);
COMMENT ON AGGREGATE roaring_union_cardinality_agg(roaring) IS 'number of values in any of the sets; 0 over no rows';

CREATE AGGREGATE roaring64_union_cardinality_agg(sketch roaring64) (
    SFUNC = _roaring64_union_state, STYPE = roaring64, SSPACE = 16384, FINALFUNC = _roaring64_cardinality_final,
    COMBINEFUNC = _roaring64_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _roaring_union_cardinality_moving_final
);
COMMENT ON AGGREGATE roaring64_union_cardinality_agg(roaring64) IS 'number of values in any of the sets; 0 over no rows';

CREATE AGGREGATE roaring_intersection_cardinality_agg(sketch roaring) (
    SFUNC = _roaring_intersection_state, STYPE = roaring, SSPACE = 16384, FINALFUNC = _roaring_intersection_cardinality_final,
    COMBINEFUNC = _roaring_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_intersection_cardinality_agg(roaring) IS 'number of values in all sets; NULL over no rows';

CREATE AGGREGATE roaring64_intersection_cardinality_agg(sketch roaring64) (
    SFUNC = _roaring64_intersection_state, STYPE = roaring64, SSPACE = 16384, FINALFUNC = _roaring64_intersection_cardinality_final,
    COMBINEFUNC = _roaring64_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_intersection_cardinality_agg(roaring64) IS 'number of values in all sets; NULL over no rows';

CREATE AGGREGATE roaring_xor_cardinality_agg(sketch roaring) (
    SFUNC = _roaring_xor_state, STYPE = roaring, SSPACE = 16384, FINALFUNC = _roaring_cardinality_final,
    COMBINEFUNC = _roaring_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_xor_cardinality_agg(roaring) IS 'number of values in an odd number of the sets; 0 over no rows';

CREATE AGGREGATE roaring64_xor_cardinality_agg(sketch roaring64) (
    SFUNC = _roaring64_xor_state, STYPE = roaring64, SSPACE = 16384, FINALFUNC = _roaring64_cardinality_final,
    COMBINEFUNC = _roaring64_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_xor_cardinality_agg(roaring64) IS 'number of values in an odd number of the sets; 0 over no rows';

-- Of each tag the union, and how many values are in all of these. The state is internal: a union
-- for each tag, which no value of the type can be.

CREATE FUNCTION _roaring_tags_state(internal, roaring, text, text[]) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_tags_state(internal, roaring, text, text[]) IS 'transition function; a NULL set or tag is skipped';

CREATE FUNCTION _roaring64_tags_state(internal, roaring64, text, text[]) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_tags_state(internal, roaring64, text, text[]) IS 'transition function; a NULL set or tag is skipped';

CREATE FUNCTION _roaring_tags_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_tags_combine(internal, internal) IS 'combine function';

CREATE FUNCTION _roaring64_tags_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_tags_combine(internal, internal) IS 'combine function';

CREATE FUNCTION _roaring_tags_serial(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_serial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_tags_serial(internal) IS 'serial function';

CREATE FUNCTION _roaring64_tags_serial(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_serial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_tags_serial(internal) IS 'serial function';

CREATE FUNCTION _roaring_tags_deserial(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_deserial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_tags_deserial(bytea, internal) IS 'deserial function';

CREATE FUNCTION _roaring64_tags_deserial(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_deserial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_tags_deserial(bytea, internal) IS 'deserial function';

CREATE FUNCTION _roaring_tags_final(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring_tags_final(internal) IS 'final function: how many values all unions have';

CREATE FUNCTION _roaring64_tags_final(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_roaring_tags_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _roaring64_tags_final(internal) IS 'final function: how many values all unions have';

CREATE AGGREGATE roaring_intersection_count_agg(sketch roaring, tag text, tags text[]) (
    SFUNC = _roaring_tags_state, STYPE = internal, SSPACE = 16384, FINALFUNC = _roaring_tags_final,
    COMBINEFUNC = _roaring_tags_combine, SERIALFUNC = _roaring_tags_serial,
    DESERIALFUNC = _roaring_tags_deserial, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring_intersection_count_agg(roaring, text, text[]) IS
    'number of values that are in a set of each of the tags; NULL over no rows; errors: 22004, '
    '22023';

CREATE AGGREGATE roaring64_intersection_count_agg(sketch roaring64, tag text, tags text[]) (
    SFUNC = _roaring64_tags_state, STYPE = internal, SSPACE = 16384,
    FINALFUNC = _roaring64_tags_final, COMBINEFUNC = _roaring64_tags_combine, SERIALFUNC = _roaring64_tags_serial,
    DESERIALFUNC = _roaring64_tags_deserial, PARALLEL = SAFE
);
COMMENT ON AGGREGATE roaring64_intersection_count_agg(roaring64, text, text[]) IS
    'number of values that are in a set of each of the tags; NULL over no rows; errors: 22004, '
    '22023';

-- Between the two types

CREATE FUNCTION roaring64(sketch roaring) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring_convert' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring64(roaring) IS 'set of the same values';
CREATE CAST (roaring AS roaring64) WITH FUNCTION roaring64(roaring);
COMMENT ON CAST (roaring AS roaring64) IS 'set of the same values';

CREATE FUNCTION roaring(sketch roaring64) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_convert' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION roaring(roaring64) IS 'set of the same values; errors: 22003 past 2^32-1';

CREATE CAST (roaring64 AS roaring) WITH FUNCTION roaring(roaring64);
COMMENT ON CAST (roaring64 AS roaring) IS 'set of the same values';

-- from src/pg/geohash/geohash.sql

-- geohash: a position on Earth as 60 bits in Z-order, which a btree index orders by nearness.

CREATE TYPE geohash;

CREATE FUNCTION _geohash_in(cstring) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _geohash_in(cstring) IS 'I/O: 1 to 12 characters, filled up with 0; errors: 22P02';

CREATE FUNCTION _geohash_out(geohash) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_geohash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_out(geohash) IS 'I/O: 12 characters';

CREATE FUNCTION _geohash_recv(internal) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_recv(internal) IS 'I/O: 8 bytes, big-endian; errors: 22P03';

CREATE FUNCTION _geohash_send(geohash) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_geohash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_send(geohash) IS 'I/O: 8 bytes, big-endian';

CREATE TYPE geohash (
    INPUT = _geohash_in,
    OUTPUT = _geohash_out,
    RECEIVE = _geohash_recv,
    SEND = _geohash_send,
    LIKE = bigint
);

COMMENT ON TYPE geohash IS
    'position on Earth: a cell of 3.7 by 1.9 cm, in an order that keeps most near positions '
    'together';

CREATE FUNCTION geohash(lon float8, lat float8) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash(float8, float8) IS 'geohash of a position in degrees, longitude first; errors: 22023';

-- Casts.

CREATE CAST (geohash AS bigint) WITHOUT FUNCTION;
COMMENT ON CAST (geohash AS bigint) IS '60 bits as a number';

CREATE FUNCTION geohash(payload bigint) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_from_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash(bigint) IS 'geohash of 60 bits; errors: 22003';
CREATE CAST (bigint AS geohash) WITH FUNCTION geohash(bigint);
COMMENT ON CAST (bigint AS geohash) IS 'geohash of 60 bits; errors: 22003';

CREATE FUNCTION geohash(value text) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION geohash(text) IS 'geohash read from its text form; for parameters without a type; errors: 22P02';

CREATE FUNCTION bytea(geohash geohash) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_geohash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bytea(geohash) IS '8 bytes, big-endian';
CREATE CAST (geohash AS bytea) WITH FUNCTION bytea(geohash);
COMMENT ON CAST (geohash AS bytea) IS '8 bytes, big-endian';

CREATE FUNCTION geohash(payload bytea) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash(bytea) IS 'geohash of 8 bytes, big-endian; errors: 22P03';
CREATE CAST (bytea AS geohash) WITH FUNCTION geohash(bytea);
COMMENT ON CAST (bytea AS geohash) IS 'geohash of 8 bytes, big-endian; errors: 22P03';

-- Positions, cells, text.

CREATE FUNCTION geohash_lon(geohash geohash) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_geohash_lon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_lon(geohash) IS 'longitude of the centre of the cell, in degrees';

CREATE FUNCTION geohash_lat(geohash geohash) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_geohash_lat' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_lat(geohash) IS 'latitude of the centre of the cell, in degrees';

CREATE FUNCTION geohash_encode(lon float8, lat float8, length bigint DEFAULT 12) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_geohash_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_encode(float8, float8, bigint) IS 'geohash of a position as text of 1 to 12 characters; errors: 22023';

CREATE FUNCTION geohash_decode(geohash text, OUT lon float8, OUT lat float8, OUT lon_error float8, OUT lat_error float8) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_geohash_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION geohash_decode(text) IS 'centre of a cell of 1 to 12 characters, and half of its width and height, in degrees; errors: 22P02';

CREATE FUNCTION geohash_bounds(geohash text, OUT lon_min float8, OUT lat_min float8, OUT lon_max float8, OUT lat_max float8) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_geohash_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION geohash_bounds(text) IS 'edges of a cell of 1 to 12 characters, in degrees; errors: 22P02';

CREATE FUNCTION geohash_neighbors(geohash text, OUT n text, OUT ne text, OUT e text, OUT se text, OUT s text, OUT sw text, OUT w text, OUT nw text) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_geohash_neighbors' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION geohash_neighbors(text) IS 'the eight cells of the same length around a cell; NULL past a pole; errors: 22P02';

-- Distance.

CREATE FUNCTION geohash_distance(a geohash, b geohash) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_geohash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION geohash_distance(geohash, geohash) IS 'distance between the centres of two cells in metres, on a sphere';

CREATE FUNCTION geohash_distance(a geohash, b geohash, unit text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_geohash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION geohash_distance(geohash, geohash, text) IS 'distance between the centres of two cells in m, km, ft or mi, on a sphere; errors: 22023';

CREATE OPERATOR <-> (
    LEFTARG = geohash, RIGHTARG = geohash, FUNCTION = geohash_distance, COMMUTATOR = <->
);
COMMENT ON OPERATOR <->(geohash, geohash) IS 'distance in metres';

-- Search. For a call of geohash_within, _geohash_support gives the planner geohash_between for each
-- of a few ranges that cover the circle, and geohash_within_exact for what lies in them. With a
-- btree index the planner then reads just these ranges.

CREATE FUNCTION _geohash_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_geohash_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_support(internal) IS 'planner support: geohash_within as ranges, their index conditions and selectivity';

CREATE FUNCTION geohash_between(geohash geohash, lo geohash, hi geohash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT _geohash_support;
COMMENT ON FUNCTION geohash_between(geohash, geohash, geohash) IS 'true if the geohash is between lo and hi, both included; uses a btree index';

CREATE FUNCTION geohash_within(geohash geohash, lon float8, lat float8, radius float8, unit text DEFAULT 'm') RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _geohash_support;
COMMENT ON FUNCTION geohash_within(geohash, float8, float8, float8, text) IS 'true if the geohash is within a radius of a position; uses a btree index; errors: 22023';

CREATE FUNCTION geohash_within_box(geohash geohash, lon float8, lat float8, width float8, height float8, unit text DEFAULT 'm') RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _geohash_support;
COMMENT ON FUNCTION geohash_within_box(geohash, float8, float8, float8, float8, text) IS 'true if the geohash is within a box around a position; uses a btree index; errors: 22023';

CREATE FUNCTION geohash_within_exact(geohash geohash, lon float8, lat float8, radius float8, unit text DEFAULT 'm') RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_within_exact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _geohash_support;
COMMENT ON FUNCTION geohash_within_exact(geohash, float8, float8, float8, text) IS 'geohash_within without an index, as plans show it; errors: 22023';

CREATE FUNCTION geohash_within_box_exact(geohash geohash, lon float8, lat float8, width float8, height float8, unit text DEFAULT 'm') RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_within_exact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _geohash_support;
COMMENT ON FUNCTION geohash_within_box_exact(geohash, float8, float8, float8, float8, text) IS 'geohash_within_box without an index, as plans show it; errors: 22023';

CREATE FUNCTION geohash_cover(lon float8, lat float8, radius float8, unit text DEFAULT 'm', max_ranges bigint DEFAULT 8, OUT lo geohash, OUT hi geohash) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_geohash_cover' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 8;
COMMENT ON FUNCTION geohash_cover(float8, float8, float8, text, bigint) IS 'ranges of geohashes that cover a circle, at most max_ranges (1 to 64); errors: 22023';

CREATE FUNCTION geohash_cover_box(lon float8, lat float8, width float8, height float8, unit text DEFAULT 'm', max_ranges bigint DEFAULT 8, OUT lo geohash, OUT hi geohash) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_geohash_cover' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 8;
COMMENT ON FUNCTION geohash_cover_box(float8, float8, float8, float8, text, bigint) IS 'ranges of geohashes that cover a box, at most max_ranges (1 to 64); errors: 22023';

CREATE FUNCTION _geohash_cover_end(lon float8, lat float8, radius float8, unit text, n int) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_cover_end' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5 SUPPORT _geohash_support;
COMMENT ON FUNCTION _geohash_cover_end(float8, float8, float8, text, int) IS 'for plans: end n of the four ranges that cover a circle, 1 and 2 those of the first range; NULL where there are fewer; 0 and 9 are the first and the last geohash';

CREATE FUNCTION _geohash_cover_box_end(lon float8, lat float8, width float8, height float8, unit text, n int) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_cover_end' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5 SUPPORT _geohash_support;
COMMENT ON FUNCTION _geohash_cover_box_end(float8, float8, float8, float8, text, int) IS 'for plans: end n of the four ranges that cover a box, 1 and 2 those of the first range; NULL where there are fewer; 0 and 9 are the first and the last geohash';

-- Redis.

CREATE FUNCTION geohash_to_redis(geohash geohash) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_geohash_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_to_redis(geohash) IS 'score of the centre of the cell in a geo set of Redis; errors: 22023';

CREATE FUNCTION geohash_to_redis(lon float8, lat float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_geohash_position_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_to_redis(float8, float8) IS 'score that GEOADD of Redis computes for a position; at its edges, 180° and 85.05112878°, the score of the last cell; errors: 22023';

CREATE FUNCTION geohash_from_redis(score bigint) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_from_redis(bigint) IS 'position of a score in a geo set of Redis; errors: 22003';

CREATE FUNCTION geohash_redis_text(geohash geohash) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_geohash_redis_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION geohash_redis_text(geohash) IS '11 characters, as GEOHASH of Redis returns them; errors: 22023';

-- Order is that of the 60 bits and of the text: the Z-order of positions. The upper four bits of
-- the 64 are 0, so that PostgreSQL's own functions of bigint have it.

CREATE FUNCTION _geohash_eq(geohash, geohash) RETURNS boolean
    AS 'int8eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_eq(geohash, geohash) IS 'implementation of the = operator';

CREATE FUNCTION _geohash_ne(geohash, geohash) RETURNS boolean
    AS 'int8ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_ne(geohash, geohash) IS 'implementation of the <> operator';

CREATE FUNCTION _geohash_lt(geohash, geohash) RETURNS boolean
    AS 'int8lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_lt(geohash, geohash) IS 'implementation of the < operator';

CREATE FUNCTION _geohash_le(geohash, geohash) RETURNS boolean
    AS 'int8le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_le(geohash, geohash) IS 'implementation of the <= operator';

CREATE FUNCTION _geohash_gt(geohash, geohash) RETURNS boolean
    AS 'int8gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_gt(geohash, geohash) IS 'implementation of the > operator';

CREATE FUNCTION _geohash_ge(geohash, geohash) RETURNS boolean
    AS 'int8ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_ge(geohash, geohash) IS 'implementation of the >= operator';

CREATE FUNCTION _geohash_cmp(geohash, geohash) RETURNS int
    AS 'btint8cmp' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_cmp(geohash, geohash) IS 'less, equal or greater in Z-order';

CREATE FUNCTION _geohash_sortsupport(internal) RETURNS void
    AS 'btint8sortsupport' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_sortsupport(internal) IS 'sorting without a call for each comparison';

CREATE FUNCTION _geohash_hash(geohash) RETURNS int
    AS 'hashint8' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_hash(geohash) IS 'hash for hash joins and hash indexes';

CREATE FUNCTION _geohash_hash_extended(geohash, bigint) RETURNS bigint
    AS 'hashint8extended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_hash_extended(geohash, bigint) IS '64-bit hash with a seed';

CREATE OPERATOR = (
    LEFTARG = geohash, RIGHTARG = geohash, FUNCTION = _geohash_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR =(geohash, geohash) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = geohash, RIGHTARG = geohash, FUNCTION = _geohash_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(geohash, geohash) IS 'not equal';

CREATE OPERATOR < (
    LEFTARG = geohash, RIGHTARG = geohash, FUNCTION = _geohash_lt, COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <(geohash, geohash) IS 'less than in Z-order';

CREATE OPERATOR <= (
    LEFTARG = geohash, RIGHTARG = geohash, FUNCTION = _geohash_le, COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=(geohash, geohash) IS 'less than or equal in Z-order';

CREATE OPERATOR > (
    LEFTARG = geohash, RIGHTARG = geohash, FUNCTION = _geohash_gt, COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR >(geohash, geohash) IS 'greater than in Z-order';

CREATE OPERATOR >= (
    LEFTARG = geohash, RIGHTARG = geohash, FUNCTION = _geohash_ge, COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=(geohash, geohash) IS 'greater than or equal in Z-order';

CREATE OPERATOR CLASS geohash_ops DEFAULT FOR TYPE geohash USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 _geohash_cmp(geohash, geohash), FUNCTION 2 _geohash_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS geohash_ops USING btree IS 'Z-order of positions';
COMMENT ON OPERATOR FAMILY geohash_ops USING btree IS 'Z-order of positions';

CREATE OPERATOR CLASS geohash_ops DEFAULT FOR TYPE geohash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _geohash_hash(geohash), FUNCTION 2 _geohash_hash_extended(geohash, bigint);
COMMENT ON OPERATOR CLASS geohash_ops USING hash IS 'equality of cells';
COMMENT ON OPERATOR FAMILY geohash_ops USING hash IS 'equality of cells';

-- from src/pg/bitfield/bitfield.sql

-- bitfield: integers of any width, packed into a string of bits as Redis has them.

CREATE TYPE bitfield;

CREATE FUNCTION _bitfield_in(cstring) RETURNS bitfield
    AS 'byteain' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_in(cstring) IS 'I/O: as bytea; errors: 22P02';

CREATE FUNCTION _bitfield_out(bitfield) RETURNS cstring
    AS 'byteaout' LANGUAGE internal STABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_out(bitfield) IS 'I/O: as bytea';

CREATE FUNCTION _bitfield_recv(internal) RETURNS bitfield
    AS 'bytearecv' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_recv(internal) IS 'I/O: the bytes';

CREATE FUNCTION _bitfield_send(bitfield) RETURNS bytea
    AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_send(bitfield) IS 'I/O: the bytes';

CREATE FUNCTION _bitfield_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _bitfield_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE bitfield (
    INPUT = _bitfield_in,
    OUTPUT = _bitfield_out,
    RECEIVE = _bitfield_recv,
    SEND = _bitfield_send,
    ANALYZE = _bitfield_typanalyze,
    STORAGE = external
);
COMMENT ON TYPE bitfield IS
    'string of bits: integers of any width at any place, bit 0 the highest of byte 0';

CREATE CAST (bytea AS bitfield) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (bytea AS bitfield) IS 'the bytes; all are valid';

CREATE CAST (bitfield AS bytea) WITHOUT FUNCTION;
COMMENT ON CAST (bitfield AS bytea) IS 'the bytes';

-- Bits and integers

CREATE FUNCTION bitfield_get_bit(sketch bitfield, at bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bitfield_get_bit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bitfield_get_bit(bitfield, bigint) IS 'the bit at an offset; false past the end; errors: 22023';

CREATE FUNCTION bitfield_set_bit(sketch bitfield, at bigint, value boolean) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_set_bit' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_set_bit(bitfield, bigint, boolean) IS 'the bitfield with the bit at an offset set to the value; grows as needed; errors: 22023';

CREATE FUNCTION bitfield_get(sketch bitfield, type text, at bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bitfield_get(bitfield, text, bigint) IS 'integer of a type (i1 to i64, u1 to u63) at a bit offset; errors: 22023';

CREATE FUNCTION bitfield_set(sketch bitfield, type text, at bigint, value bigint, overflow text DEFAULT 'wrap') RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_set' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_set(bitfield, text, bigint, bigint, text) IS 'the bitfield with the integer set; on overflow the value wraps (wrap), saturates (sat) or is not set (fail); errors: 22023';

CREATE FUNCTION bitfield_incrby(sketch bitfield, type text, at bigint, increment bigint, overflow text DEFAULT 'wrap') RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_incrby' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_incrby(bitfield, text, bigint, bigint, text) IS 'the bitfield with the integer incremented; on overflow the result wraps (wrap), saturates (sat) or is not set (fail); errors: 22023';

CREATE FUNCTION bitfield_get(sketch bitfield, type text, at text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bitfield_get(bitfield, text, text) IS 'integer of a type (i1 to i64, u1 to u63) at a bit offset, or at ''#n'', the n-th integer of that type; errors: 22023';

CREATE FUNCTION bitfield_set(sketch bitfield, type text, at text, value bigint, overflow text DEFAULT 'wrap') RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_set' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_set(bitfield, text, text, bigint, text) IS 'the bitfield with the integer set; on overflow the value wraps (wrap), saturates (sat) or is not set (fail); errors: 22023';

CREATE FUNCTION bitfield_incrby(sketch bitfield, type text, at text, increment bigint, overflow text DEFAULT 'wrap') RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_incrby' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_incrby(bitfield, text, text, bigint, text) IS 'the bitfield with the integer incremented; on overflow the result wraps (wrap), saturates (sat) or is not set (fail); errors: 22023';

CREATE FUNCTION bitfield_exec(INOUT sketch bitfield, commands text, OUT results bigint[]) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bitfield_exec' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_exec(bitfield, text) IS 'executes the arguments of BITFIELD of Redis: GET, SET, INCRBY, OVERFLOW; one result for each, NULL where overflow failed; errors: 42601';

-- Ranges: both ends count, negative indexes are from the end, units are byte and bit.

CREATE FUNCTION bitfield_count(sketch bitfield) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_count(bitfield) IS 'number of bits that are 1';

CREATE FUNCTION bitfield_count(sketch bitfield, start bigint, stop bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_count(bitfield, bigint, bigint) IS 'number of bits that are 1 in a range of bytes';

CREATE FUNCTION bitfield_count(sketch bitfield, start bigint, stop bigint, unit text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_count(bitfield, bigint, bigint, text) IS 'number of bits that are 1 in a range of bytes or bits; errors: 22023';

CREATE FUNCTION bitfield_position(sketch bitfield, value boolean) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_position(bitfield, boolean) IS 'offset of the first bit with the value; NULL if there is none';

CREATE FUNCTION bitfield_position(sketch bitfield, value boolean, start bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_position(bitfield, boolean, bigint) IS 'offset of the first bit with the value, starting at a byte; NULL if there is none';

CREATE FUNCTION bitfield_position(sketch bitfield, value boolean, start bigint, stop bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_position(bitfield, boolean, bigint, bigint) IS 'offset of the first bit with the value in a range of bytes; NULL if there is none';

CREATE FUNCTION bitfield_position(sketch bitfield, value boolean, start bigint, stop bigint, unit text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bitfield_position' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_position(bitfield, boolean, bigint, bigint, text) IS 'offset of the first bit with the value in a range of bytes or bits; NULL if there is none; errors: 22023';

CREATE FUNCTION bitfield_info(sketch bitfield, OUT bits bigint, OUT ones bigint, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bitfield_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_info(bitfield) IS 'length in bits, number of bits that are 1, length in bytes';

CREATE FUNCTION bitfield_describe(sketch bitfield) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_bitfield_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_describe(bitfield) IS 'human-readable summary: ones, bits and bytes';

CREATE FUNCTION bitfield_empty() RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bitfield_empty() IS 'empty bitfield, in which every bit is 0';

-- Bit by bit; the shorter one is filled up with zeros.

CREATE FUNCTION bitfield_and(a bitfield, b bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_and' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_and(bitfield, bitfield) IS 'bits that are 1 in both';

CREATE OPERATOR & (
    LEFTARG = bitfield, RIGHTARG = bitfield, FUNCTION = bitfield_and, COMMUTATOR = &
);
COMMENT ON OPERATOR &(bitfield, bitfield) IS 'bits that are 1 in both';

CREATE FUNCTION bitfield_or(a bitfield, b bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_or' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_or(bitfield, bitfield) IS 'bits that are 1 in either or both';

CREATE OPERATOR | (
    LEFTARG = bitfield, RIGHTARG = bitfield, FUNCTION = bitfield_or, COMMUTATOR = |
);
COMMENT ON OPERATOR |(bitfield, bitfield) IS 'bits that are 1 in either or both';

CREATE FUNCTION bitfield_xor(a bitfield, b bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_xor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_xor(bitfield, bitfield) IS 'bits that are 1 in exactly one';

CREATE OPERATOR # (
    LEFTARG = bitfield, RIGHTARG = bitfield, FUNCTION = bitfield_xor, COMMUTATOR = #
);
COMMENT ON OPERATOR #(bitfield, bitfield) IS 'bits that are 1 in exactly one';

CREATE FUNCTION bitfield_not(sketch bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_not' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_not(bitfield) IS 'every bit flipped';

CREATE OPERATOR ~ (
    RIGHTARG = bitfield, FUNCTION = bitfield_not
);
COMMENT ON OPERATOR ~(NONE, bitfield) IS 'every bit flipped';

CREATE FUNCTION bitfield_bitop(op text, VARIADIC sketches bitfield[]) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_bitop' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bitfield_bitop(text, VARIADIC bitfield[]) IS 'BITOP of Redis over several bitfields: and, or, xor, not, diff, diff1, andor, one; a NULL is empty, and the result NULL if all are; errors: 22023';

-- Aggregates: a state is a bitfield like any other.

CREATE FUNCTION _bitfield_and_state(bitfield, bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_and_state' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_and_state(bitfield, bitfield) IS 'state of bitfield_and_agg, which it may change';

CREATE FUNCTION _bitfield_agg_state(bitfield, bigint) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bitfield_agg_state(bitfield, bigint) IS 'transition function';

CREATE AGGREGATE bitfield_and_agg(sketch bitfield) (
    SFUNC = _bitfield_and_state, STYPE = bitfield, SSPACE = 1024,
    COMBINEFUNC = _bitfield_and_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bitfield_and_agg(bitfield) IS 'bits that are 1 in all bitfields; NULL over no rows';

CREATE FUNCTION _bitfield_or_state(bitfield, bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_or_state' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_or_state(bitfield, bitfield) IS 'state of bitfield_or_agg, which it may change';

CREATE AGGREGATE bitfield_or_agg(sketch bitfield) (
    SFUNC = _bitfield_or_state, STYPE = bitfield, SSPACE = 1024,
    COMBINEFUNC = _bitfield_or_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bitfield_or_agg(bitfield) IS 'bits that are 1 in at least one bitfield; NULL over no rows';

CREATE FUNCTION _bitfield_xor_state(bitfield, bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_xor_state' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_xor_state(bitfield, bitfield) IS 'state of bitfield_xor_agg, which it may change';

CREATE AGGREGATE bitfield_xor_agg(sketch bitfield) (
    SFUNC = _bitfield_xor_state, STYPE = bitfield, SSPACE = 1024,
    COMBINEFUNC = _bitfield_xor_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bitfield_xor_agg(bitfield) IS 'bits that are 1 in an odd number of bitfields; NULL over no rows';

CREATE FUNCTION _bitfield_agg_final(bitfield) RETURNS bitfield
    AS 'MODULE_PATHNAME', 'sketches_bitfield_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_agg_final(bitfield) IS 'final function: without zeros behind the last 1';

CREATE AGGREGATE bitfield_agg(value bigint) (
    SFUNC = _bitfield_agg_state, STYPE = bitfield, SSPACE = 1024, FINALFUNC = _bitfield_agg_final,
    COMBINEFUNC = _bitfield_or_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bitfield_agg(bigint) IS 'bitfield with the bits at these offsets set; NULL over no rows; errors: 22023';

-- Equality is that of the bytes.

CREATE FUNCTION _bitfield_eq(bitfield, bitfield) RETURNS boolean
    AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_eq(bitfield, bitfield) IS 'implementation of the = operator';

CREATE FUNCTION _bitfield_ne(bitfield, bitfield) RETURNS boolean
    AS 'byteane' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_ne(bitfield, bitfield) IS 'implementation of the <> operator';

CREATE FUNCTION _bitfield_hash(bitfield) RETURNS int
    AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_hash(bitfield) IS 'hash for hash joins and hash indexes';

CREATE FUNCTION _bitfield_hash_extended(bitfield, bigint) RETURNS bigint
    AS 'hashvarlenaextended' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bitfield_hash_extended(bitfield, bigint) IS '64-bit hash with a seed';

-- from src/pg/shared/equality.sql.in

-- bitfield: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = bitfield, RIGHTARG = bitfield, FUNCTION = _bitfield_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(bitfield, bitfield) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = bitfield, RIGHTARG = bitfield, FUNCTION = _bitfield_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(bitfield, bitfield) IS 'not equal';

CREATE OPERATOR CLASS bitfield_ops DEFAULT FOR TYPE bitfield USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _bitfield_hash(bitfield), FUNCTION 2 _bitfield_hash_extended(bitfield, bigint);
COMMENT ON OPERATOR CLASS bitfield_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY bitfield_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/ratelimit/ratelimit.sql

-- ratelimit: may this happen again?
-- See src/core/ratelimit/ratelimit.c and src/pg/ratelimit/ratelimit.c.

-- from src/pg/shared/common.sql.in

-- ratelimit: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE ratelimit;

CREATE FUNCTION _ratelimit_in(cstring) RETURNS ratelimit
    AS 'MODULE_PATHNAME', 'sketches_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ratelimit_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _ratelimit_out(ratelimit) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ratelimit_out(ratelimit) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _ratelimit_recv(internal) RETURNS ratelimit
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ratelimit_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _ratelimit_send(ratelimit) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ratelimit_send(ratelimit) IS 'I/O: the packed value';

CREATE FUNCTION _ratelimit_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _ratelimit_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE ratelimit (
    INPUT = _ratelimit_in,
    OUTPUT = _ratelimit_out,
    RECEIVE = _ratelimit_recv,
    SEND = _ratelimit_send,
    ANALYZE = _ratelimit_typanalyze,
    STORAGE = external
);

CREATE FUNCTION ratelimit(payload bytea) RETURNS ratelimit
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ratelimit(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch ratelimit) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(ratelimit) IS 'the packed value';
CREATE CAST (ratelimit AS bytea) WITH FUNCTION bytea(ratelimit);
COMMENT ON CAST (ratelimit AS bytea) IS 'the packed value';

CREATE CAST (bytea AS ratelimit) WITH FUNCTION ratelimit(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS ratelimit) IS 'the packed value, validated';

-- ratelimit: equality and hash of the packed bytes

CREATE FUNCTION _ratelimit_eq(ratelimit, ratelimit) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ratelimit_eq(ratelimit, ratelimit) IS 'equal';

CREATE FUNCTION _ratelimit_ne(ratelimit, ratelimit) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ratelimit_ne(ratelimit, ratelimit) IS 'not equal';

CREATE FUNCTION _ratelimit_hash(ratelimit) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ratelimit_hash(ratelimit) IS 'hash of the packed bytes';

CREATE FUNCTION _ratelimit_hash_extended(ratelimit, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ratelimit_hash_extended(ratelimit, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- ratelimit: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = ratelimit, RIGHTARG = ratelimit, FUNCTION = _ratelimit_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(ratelimit, ratelimit) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = ratelimit, RIGHTARG = ratelimit, FUNCTION = _ratelimit_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(ratelimit, ratelimit) IS 'not equal';

CREATE OPERATOR CLASS ratelimit_ops DEFAULT FOR TYPE ratelimit USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _ratelimit_hash(ratelimit), FUNCTION 2 _ratelimit_hash_extended(ratelimit, bigint);
COMMENT ON OPERATOR CLASS ratelimit_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY ratelimit_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/ratelimit/ratelimit.sql

COMMENT ON TYPE ratelimit IS
    'rate limiter: decides from past requests whether another one is allowed';

-- Making

CREATE FUNCTION ratelimit_bucket(max_burst int, count int, period interval) RETURNS ratelimit
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_bucket' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ratelimit_bucket(int, int, interval) IS 'new limiter: count requests per period, evenly spaced, and a burst of max_burst more; errors: 22023';

CREATE FUNCTION ratelimit_sliding(max_count int, period interval) RETURNS ratelimit
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_sliding' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ratelimit_sliding(int, interval) IS 'new limiter: at most max_count requests in any period (sliding window); errors: 22023';

-- Asking

CREATE FUNCTION ratelimit_take(INOUT sketch ratelimit, quantity int DEFAULT 1, at timestamptz DEFAULT pg_catalog.clock_timestamp(), OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval, OUT reset_after interval) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_take' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ratelimit_take(ratelimit, int, timestamptz) IS 'takes a quantity if allowed; returns the changed limiter, what remains, and when to try again; errors: 22004, 22023, 22008';

CREATE FUNCTION ratelimit_peek(sketch ratelimit, quantity int DEFAULT 1, at timestamptz DEFAULT pg_catalog.clock_timestamp(), OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval, OUT reset_after interval) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_peek' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ratelimit_peek(ratelimit, int, timestamptz) IS 'true if a quantity is allowed, what remains, and when to try again; takes nothing; errors: 22023, 22008';

CREATE FUNCTION ratelimit_retake(INOUT sketch ratelimit, fresh ratelimit, quantity int, at timestamptz, OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval, OUT reset_after interval) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_retake' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ratelimit_retake(ratelimit, ratelimit, int, timestamptz) IS 'ratelimit_take with the parameters of fresh, a new limiter of the same kind; errors: 22004, 22023, 42804, 22008';

CREATE FUNCTION ratelimit_info(sketch ratelimit, OUT kind text, OUT "limit" int, OUT count int, OUT period interval, OUT granularity interval, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ratelimit_info(ratelimit) IS 'kind (bucket or sliding), parameters, how much longer than the period a request may count, bytes of the value';

CREATE FUNCTION ratelimit_describe(sketch ratelimit) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ratelimit_describe(ratelimit) IS 'human-readable summary: kind, limits, requests held, bytes';

-- Limiters by key. What is in the table is worth nothing after a crash and is not dumped. Callers
-- need SELECT, INSERT, UPDATE and, to purge, DELETE on it. The owner of a trusted extension does
-- not own its objects, so these four are granted, and no more: with TRIGGER he could make the next
-- superuser who calls run code of his. Half of every page is left for the next versions of its
-- rows. Keys are told apart by their bytes, whatever the collation of the database.

CREATE UNLOGGED TABLE ratelimit_keys (
    key text COLLATE "C" PRIMARY KEY,
    state ratelimit NOT NULL,
    allowed boolean NOT NULL,
    "limit" int NOT NULL,
    remaining int NOT NULL,
    retry_after interval,
    reset_after interval NOT NULL
) WITH (fillfactor = 50);
ALTER TABLE ratelimit_keys ALTER state SET STORAGE main;
GRANT SELECT, INSERT, UPDATE, DELETE ON ratelimit_keys TO @extowner@ WITH GRANT OPTION;
COMMENT ON TABLE ratelimit_keys IS
    'limiters by key, each with its last result, of ratelimit_throttle and ratelimit_window';
COMMENT ON COLUMN ratelimit_keys.state IS 'the limiter after the last request';
COMMENT ON CONSTRAINT ratelimit_keys_pkey ON ratelimit_keys IS 'one limiter for a key';
COMMENT ON INDEX ratelimit_keys_pkey IS 'one limiter for a key';

-- What the limiters by key call. Nobody who may create functions in this schema can make one of the
-- same name whose arguments fit as well, because nobody may use the type (table.c).

CREATE DOMAIN _ratelimit_int AS int;
REVOKE ALL ON DOMAIN _ratelimit_int FROM PUBLIC;
COMMENT ON DOMAIN _ratelimit_int IS
    'int in the functions that limiters by key call; nobody may use it';

CREATE FUNCTION _ratelimit_bucket(max_burst _ratelimit_int, count int, period interval) RETURNS ratelimit
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_bucket' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _ratelimit_bucket(_ratelimit_int, int, interval) IS 'ratelimit_bucket, for limiters by key';

CREATE FUNCTION _ratelimit_sliding(max_count _ratelimit_int, period interval) RETURNS ratelimit
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_sliding' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _ratelimit_sliding(_ratelimit_int, interval) IS 'ratelimit_sliding, for limiters by key';

CREATE FUNCTION _ratelimit_take(sketch ratelimit, quantity _ratelimit_int, at timestamptz, OUT state ratelimit, OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval, OUT reset_after interval) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_take' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _ratelimit_take(ratelimit, _ratelimit_int, timestamptz) IS 'ratelimit_take, for limiters by key';

CREATE FUNCTION _ratelimit_retake(sketch ratelimit, fresh ratelimit, quantity _ratelimit_int, at timestamptz, OUT state ratelimit, OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval, OUT reset_after interval) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_retake' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _ratelimit_retake(ratelimit, ratelimit, _ratelimit_int, timestamptz) IS 'ratelimit_take with the parameters of fresh, for limiters by key';

CREATE FUNCTION _ratelimit_peek(sketch ratelimit, quantity _ratelimit_int, at timestamptz, OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval, OUT reset_after interval) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_peek' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _ratelimit_peek(ratelimit, _ratelimit_int, timestamptz) IS 'ratelimit_peek, for limiters by key';

CREATE FUNCTION ratelimit_throttle(key text, max_burst int, count int, period interval, quantity int DEFAULT 1, OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval, OUT reset_after interval) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_throttle' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION ratelimit_throttle(text, int, int, interval, int) IS 'takes a quantity from the token bucket of a key if allowed, as CL.THROTTLE of redis-cell; errors: 22004, 22023, 42804, 54000, 40001';

CREATE FUNCTION ratelimit_window(key text, max_count int, period interval, quantity int DEFAULT 1, OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval, OUT reset_after interval) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_window' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION ratelimit_window(text, int, interval, int) IS 'takes a quantity from the sliding window of a key if allowed; errors: 22004, 22023, 42804, 54000, 40001';

CREATE FUNCTION ratelimit_purge() RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_ratelimit_purge' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION ratelimit_purge() IS 'deletes expired keys, whose limiters allow their full limit again, except keys in use; returns their number';

-- from src/pg/bloom/bloom.sql

-- bloom: was this item added? See src/core/bloom/bloom.c and src/pg/bloom/bloom.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

-- from src/pg/shared/common.sql.in

-- bloom: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE bloom;

CREATE FUNCTION _bloom_in(cstring) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _bloom_out(bloom) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_out(bloom) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _bloom_recv(internal) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _bloom_send(bloom) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_send(bloom) IS 'I/O: the packed value';

CREATE FUNCTION _bloom_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE bloom (
    INPUT = _bloom_in,
    OUTPUT = _bloom_out,
    RECEIVE = _bloom_recv,
    SEND = _bloom_send,
    ANALYZE = _bloom_typanalyze,
    STORAGE = external
);

CREATE FUNCTION bloom(payload bytea) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch bloom) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(bloom) IS 'the packed value';
CREATE CAST (bloom AS bytea) WITH FUNCTION bytea(bloom);
COMMENT ON CAST (bloom AS bytea) IS 'the packed value';

CREATE CAST (bytea AS bloom) WITH FUNCTION bloom(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS bloom) IS 'the packed value, validated';

-- bloom: equality and hash of the packed bytes

CREATE FUNCTION _bloom_eq(bloom, bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_eq(bloom, bloom) IS 'equal';

CREATE FUNCTION _bloom_ne(bloom, bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_ne(bloom, bloom) IS 'not equal';

CREATE FUNCTION _bloom_hash(bloom) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_hash(bloom) IS 'hash of the packed bytes';

CREATE FUNCTION _bloom_hash_extended(bloom, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_hash_extended(bloom, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- bloom: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = bloom, RIGHTARG = bloom, FUNCTION = _bloom_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(bloom, bloom) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = bloom, RIGHTARG = bloom, FUNCTION = _bloom_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(bloom, bloom) IS 'not equal';

CREATE OPERATOR CLASS bloom_ops DEFAULT FOR TYPE bloom USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _bloom_hash(bloom), FUNCTION 2 _bloom_hash_extended(bloom, bigint);
COMMENT ON OPERATOR CLASS bloom_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY bloom_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/bloom/bloom.sql

COMMENT ON TYPE bloom IS 'Bloom filter: was this item added? 10 bits an item, 1% false positives';

-- Building and changing

CREATE FUNCTION bloom_empty(capacity bigint DEFAULT 100, error_rate float8 DEFAULT 0.01, expansion bigint DEFAULT 2) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bloom_empty(bigint, float8, bigint) IS 'empty filter for capacity items at this false-positive rate. When full it grows by another layer, for expansion times as many items; with expansion 0 it rejects more items; errors: 22023, 54000';

CREATE FUNCTION bloom_add(sketch bloom, value hashed) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_add(bloom, hashed) IS 'the filter with the value added; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_add(sketch bloom, value text) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_add(bloom, text) IS 'the filter with the value added; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_add(sketch bloom, value anyenum) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_add(bloom, anyenum) IS 'the filter with the value added; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_add_all(sketch bloom, items hashed[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, hashed[]) IS 'the filter with all elements added; NULL elements are skipped; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_add_all(sketch bloom, items text[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, text[]) IS 'the filter with all elements added; NULL elements are skipped; errors: 54000 for a full filter that does not grow';

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
CREATE FUNCTION bloom_add_all(sketch bloom, items varchar[]) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, varchar[]) IS 'the filter with all elements added; NULL elements are skipped; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_add_all(sketch bloom, items text) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_add_all(bloom, text) IS 'bloom_add_all for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION bloom_try_add(INOUT sketch bloom, value hashed, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_try_add(bloom, hashed) IS 'the filter with the value added; added is true if the value was new, as BF.ADD replies; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_try_add(INOUT sketch bloom, value text, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_try_add(bloom, text) IS 'the filter with the value added; added is true if the value was new, as BF.ADD replies; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_try_add(INOUT sketch bloom, value anyenum, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_try_add' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_try_add(bloom, anyenum) IS 'the filter with the value added; added is true if the value was new, as BF.ADD replies; errors: 54000 for a full filter that does not grow';

CREATE FUNCTION bloom_union(a bloom, b bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_union(bloom, bloom) IS 'union: the items of either filter. Filters of one shape with space for both merge into one; otherwise both are kept and their false-positive rates add up; errors: 42804 for different hash functions, or shapes of filters that do not grow; 54000 for more than a filter may hold';

CREATE FUNCTION bloom_intersection(a bloom, b bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_intersection' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_intersection(bloom, bloom) IS 'intersection: the items in both filters; errors: 42804 unless one is a list or both are single filters of one shape';

-- Asking

CREATE FUNCTION bloom_contains(sketch bloom, value hashed) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bloom_contains(bloom, hashed) IS 'probably contains the value (false is always correct, true is wrong at the false-positive rate); reads one block of a filter stored out of line';

CREATE FUNCTION bloom_contains(sketch bloom, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bloom_contains(bloom, text) IS 'probably contains the value (false is always correct, true is wrong at the false-positive rate); reads one block of a filter stored out of line';

CREATE FUNCTION bloom_contains(sketch bloom, value anyenum) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_enum' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bloom_contains(bloom, anyenum) IS 'probably contains the value (false is always correct, true is wrong at the false-positive rate); reads one block of a filter stored out of line';

CREATE FUNCTION bloom_contains_each(sketch bloom, items hashed[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, hashed[]) IS 'for each element, whether the filter probably contains it (false is always correct); NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items text[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, text[]) IS 'for each element, whether the filter probably contains it (false is always correct); NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items varchar[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bloom_contains_each(bloom, varchar[]) IS 'for each element, whether the filter probably contains it (false is always correct); NULL for NULL';

CREATE FUNCTION bloom_contains_each(sketch bloom, items text) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_bloom_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_contains_each(bloom, text) IS 'bloom_contains_each for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION bloom_cardinality(sketch bloom) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_bloom_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bloom_cardinality(bloom) IS 'number of items that were new when they were added; reads the header only';

CREATE FUNCTION bloom_false_positive_rate(sketch bloom) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_bloom_false_positive_rate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION bloom_false_positive_rate(bloom) IS 'false-positive rate at the present fill; 0 for a list';

CREATE FUNCTION bloom_info(sketch bloom, OUT capacity bigint, OUT error_rate float8, OUT expansion int, OUT items bigint, OUT layers int, OUT bits_per_item float8, OUT fill_ratio float8, OUT false_positive_rate float8, OUT hash text, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION bloom_info(bloom) IS 'capacity of all layers; error rate and expansion as requested; items; layers (0 for a list); bits per item; fraction of bits set; false-positive rate at the present fill; hash function (xxh3 or redis); bytes of the packed value';

CREATE FUNCTION bloom_filters(sketch bloom, OUT filter int, OUT capacity bigint, OUT items bigint, OUT error_rate float8, OUT hashes int, OUT bits bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_bloom_filters' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 ROWS 10;
COMMENT ON FUNCTION bloom_filters(bloom) IS 'the layers of the filter, none for a list: capacity, items, its part of the error rate, bits set for an item, total bits';

CREATE FUNCTION _bloom_contained(hashed, bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _bloom_contained(hashed, bloom) IS 'bloom_contains with the arguments exchanged';

CREATE FUNCTION _bloom_contained(text, bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contained_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _bloom_contained(text, bloom) IS 'bloom_contains with the arguments exchanged';

CREATE FUNCTION _bloom_contained(anyenum, bloom) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_bloom_contained_enum' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _bloom_contained(anyenum, bloom) IS 'bloom_contains with the arguments exchanged';

CREATE FUNCTION bloom_describe(sketch bloom) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_bloom_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION bloom_describe(bloom) IS 'human-readable summary: items, false-positive rate at the present fill, bytes';

-- Redis

CREATE FUNCTION bloom_from_redis(payload bytea) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_from_redis(bytea) IS 'reads and validates a Bloom filter of Redis (BF.*), as DUMP returns it; it keeps the hash of Redis, and takes texts; errors: 22P03';

CREATE FUNCTION bloom_from_redis(header bytea, chunks bytea) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_from_redis(bytea, bytea) IS 'reads and validates a Bloom filter of Redis from the header and the joined chunks of BF.SCANDUMP; errors: 22P03';

CREATE FUNCTION bloom_to_redis(sketch bloom, OUT header bytea, OUT chunks bytea) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_to_redis(bloom) IS 'header and chunks for BF.LOADCHUNK, of a filter that came from Redis; errors: 42804';

CREATE FUNCTION bloom_plan(items bigint, error_rate float8, OUT bits bigint, OUT bits_per_item float8, OUT hashes int, OUT bytes bigint, OUT false_positive_rate float8, OUT redis_bytes bigint, OUT redis_hashes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_plan(bigint, float8) IS 'calculator: bits, bytes and false-positive rate of a filter for this number of items, and the size of the filter of BF.RESERVE; errors: 22023';

CREATE FUNCTION bloom_plan(items bigint, error_rate float8, filled bigint, OUT bits bigint, OUT bits_per_item float8, OUT hashes int, OUT bytes bigint, OUT false_positive_rate float8, OUT redis_bytes bigint, OUT redis_hashes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_bloom_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bloom_plan(bigint, float8, bigint) IS 'bloom_plan with the false-positive rate after filled items were added without growing; errors: 22023';

-- Operators

CREATE OPERATOR <@ (
    LEFTARG = hashed, RIGHTARG = bloom, FUNCTION = _bloom_contained, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(hashed, bloom) IS 'is probably contained (false is always correct)';

CREATE OPERATOR <@ (
    LEFTARG = text, RIGHTARG = bloom, FUNCTION = _bloom_contained, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(text, bloom) IS 'is probably contained (false is always correct)';

CREATE OPERATOR <@ (
    LEFTARG = anyenum, RIGHTARG = bloom, FUNCTION = _bloom_contained, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(anyenum, bloom) IS 'is probably contained (false is always correct)';

CREATE OPERATOR | (
    LEFTARG = bloom, RIGHTARG = bloom, FUNCTION = bloom_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(bloom, bloom) IS 'union';

CREATE OPERATOR & (
    LEFTARG = bloom, RIGHTARG = bloom, FUNCTION = bloom_intersection, COMMUTATOR = &
);
COMMENT ON OPERATOR &(bloom, bloom) IS 'intersection';

CREATE OPERATOR @> (
    LEFTARG = bloom, RIGHTARG = hashed, FUNCTION = bloom_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(bloom, hashed) IS 'probably contains (false is always correct)';

CREATE OPERATOR @> (
    LEFTARG = bloom, RIGHTARG = text, FUNCTION = bloom_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(bloom, text) IS 'probably contains (false is always correct)';

CREATE OPERATOR @> (
    LEFTARG = bloom, RIGHTARG = anyenum, FUNCTION = bloom_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(bloom, anyenum) IS 'probably contains (false is always correct)';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _bloom_union_state(bloom, bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_union_state(bloom, bloom) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _bloom_final(bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_final(bloom) IS 'final function: the packed state';

CREATE FUNCTION _bloom_intersection_state(bloom, bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_intersection_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_intersection_state(bloom, bloom) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _bloom_combine(bloom, bloom) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _bloom_combine(bloom, bloom) IS 'combine function of aggregates with parameters, which must be the same in all states';

CREATE FUNCTION _bloom_agg_state(bloom, hashed) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, hashed) IS 'transition function';

CREATE FUNCTION _bloom_agg_state(bloom, text) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, text) IS 'transition function';

CREATE FUNCTION _bloom_agg_state(bloom, anyenum) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, anyenum) IS 'transition function';

CREATE FUNCTION _bloom_agg_state(bloom, hashed, bigint) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, hashed, bigint) IS 'transition function';

CREATE FUNCTION _bloom_agg_state(bloom, text, bigint) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, text, bigint) IS 'transition function';

CREATE FUNCTION _bloom_agg_state(bloom, anyenum, bigint) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, anyenum, bigint) IS 'transition function';

CREATE FUNCTION _bloom_agg_state(bloom, hashed, bigint, float8) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, hashed, bigint, float8) IS 'transition function';

CREATE FUNCTION _bloom_agg_state(bloom, text, bigint, float8) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, text, bigint, float8) IS 'transition function';

CREATE FUNCTION _bloom_agg_state(bloom, anyenum, bigint, float8) RETURNS bloom
    AS 'MODULE_PATHNAME', 'sketches_bloom_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _bloom_agg_state(bloom, anyenum, bigint, float8) IS 'transition function';

CREATE AGGREGATE bloom_agg(value hashed) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(hashed) IS 'filter of the distinct values, sized for their number, false-positive rate 1%; NULL over no rows; errors: 54000';

CREATE AGGREGATE bloom_agg(value text) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(text) IS 'filter of the distinct values, sized for their number, false-positive rate 1%; NULL over no rows; errors: 54000';

CREATE AGGREGATE bloom_agg(value anyenum) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(anyenum) IS 'filter of the distinct values, sized for their number, false-positive rate 1%; NULL over no rows; errors: 54000';

CREATE AGGREGATE bloom_agg(value hashed, capacity bigint) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(hashed, bigint) IS 'filter of the distinct values, with space for at least capacity items, false-positive rate 1%; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE bloom_agg(value text, capacity bigint) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(text, bigint) IS 'filter of the distinct values, with space for at least capacity items, false-positive rate 1%; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE bloom_agg(value anyenum, capacity bigint) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(anyenum, bigint) IS 'filter of the distinct values, with space for at least capacity items, false-positive rate 1%; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE bloom_agg(value hashed, capacity bigint, error_rate float8) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(hashed, bigint, float8) IS 'filter of the distinct values, with space for at least capacity items at this false-positive rate; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE bloom_agg(value text, capacity bigint, error_rate float8) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(text, bigint, float8) IS 'filter of the distinct values, with space for at least capacity items at this false-positive rate; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE bloom_agg(value anyenum, capacity bigint, error_rate float8) (
    SFUNC = _bloom_agg_state, STYPE = bloom, SSPACE = 512, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(anyenum, bigint, float8) IS 'filter of the distinct values, with space for at least capacity items at this false-positive rate; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE bloom_union_agg(sketch bloom) (
    SFUNC = _bloom_union_state, STYPE = bloom, SSPACE = 16384, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE bloom_union_agg(bloom) IS 'union of all filters; NULL over no rows; errors: 42804 for different hash functions, or shapes of filters that do not grow; 54000 for more than a filter may hold';

CREATE AGGREGATE bloom_intersection_agg(sketch bloom) (
    SFUNC = _bloom_intersection_state, STYPE = bloom, SSPACE = 16384, FINALFUNC = _bloom_final,
    COMBINEFUNC = _bloom_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_intersection_agg(bloom) IS 'intersection of all filters; NULL over no rows; errors: 42804 unless they are lists or single filters of one shape';

-- from src/pg/cuckoo/cuckoo.sql

-- cuckoo: was this item added, and how often? It can be deleted again.
-- See src/core/cuckoo/cuckoo.c and src/pg/cuckoo/cuckoo.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

-- from src/pg/shared/common.sql.in

-- cuckoo: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE cuckoo;

CREATE FUNCTION _cuckoo_in(cstring) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _cuckoo_out(cuckoo) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_out(cuckoo) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _cuckoo_recv(internal) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _cuckoo_send(cuckoo) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_send(cuckoo) IS 'I/O: the packed value';

CREATE FUNCTION _cuckoo_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE cuckoo (
    INPUT = _cuckoo_in,
    OUTPUT = _cuckoo_out,
    RECEIVE = _cuckoo_recv,
    SEND = _cuckoo_send,
    ANALYZE = _cuckoo_typanalyze,
    STORAGE = external
);

CREATE FUNCTION cuckoo(payload bytea) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch cuckoo) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(cuckoo) IS 'the packed value';
CREATE CAST (cuckoo AS bytea) WITH FUNCTION bytea(cuckoo);
COMMENT ON CAST (cuckoo AS bytea) IS 'the packed value';

CREATE CAST (bytea AS cuckoo) WITH FUNCTION cuckoo(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS cuckoo) IS 'the packed value, validated';

-- cuckoo: equality and hash of the packed bytes

CREATE FUNCTION _cuckoo_eq(cuckoo, cuckoo) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_eq(cuckoo, cuckoo) IS 'equal';

CREATE FUNCTION _cuckoo_ne(cuckoo, cuckoo) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_ne(cuckoo, cuckoo) IS 'not equal';

CREATE FUNCTION _cuckoo_hash(cuckoo) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_hash(cuckoo) IS 'hash of the packed bytes';

CREATE FUNCTION _cuckoo_hash_extended(cuckoo, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_hash_extended(cuckoo, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- cuckoo: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = cuckoo, RIGHTARG = cuckoo, FUNCTION = _cuckoo_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(cuckoo, cuckoo) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = cuckoo, RIGHTARG = cuckoo, FUNCTION = _cuckoo_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(cuckoo, cuckoo) IS 'not equal';

CREATE OPERATOR CLASS cuckoo_ops DEFAULT FOR TYPE cuckoo USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _cuckoo_hash(cuckoo), FUNCTION 2 _cuckoo_hash_extended(cuckoo, bigint);
COMMENT ON OPERATOR CLASS cuckoo_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY cuckoo_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/cuckoo/cuckoo.sql

COMMENT ON TYPE cuckoo IS
    'membership filter with deletes and counts: 16 bits per item, 0.012% false positives';

-- Making and changing

CREATE FUNCTION cuckoo_empty(capacity bigint DEFAULT 1024, fingerprint_bits bigint DEFAULT 16, expansion bigint DEFAULT 2) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_empty(bigint, bigint, bigint) IS 'empty filter for capacity items, false-positive rate at most 8 / 2^fingerprint_bits when full. Beyond that it grows, and the rate with it; with expansion 0 it rejects more items; errors: 22023';

CREATE FUNCTION cuckoo_add(sketch cuckoo, value hashed) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_add(cuckoo, hashed) IS 'the filter with one more copy of the value; errors: 54000 for a ninth copy or a full filter';

CREATE FUNCTION cuckoo_add(sketch cuckoo, value text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_add(cuckoo, text) IS 'the filter with one more copy of the value; errors: 54000 for a ninth copy or a full filter';

CREATE FUNCTION cuckoo_add(sketch cuckoo, value anyenum) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_add(cuckoo, anyenum) IS 'the filter with one more copy of the value; errors: 54000 for a ninth copy or a full filter';

CREATE FUNCTION cuckoo_addnx(sketch cuckoo, value hashed) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_addnx(cuckoo, hashed) IS 'the filter with the value added unless it is there; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_addnx(sketch cuckoo, value text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_addnx(cuckoo, text) IS 'the filter with the value added unless it is there; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_addnx(sketch cuckoo, value anyenum) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_addnx(cuckoo, anyenum) IS 'the filter with the value added unless it is there; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_delete(sketch cuckoo, value hashed) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_delete(cuckoo, hashed) IS 'the filter with one copy of the value deleted, if it has one; delete only what was added';

CREATE FUNCTION cuckoo_delete(sketch cuckoo, value text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_delete(cuckoo, text) IS 'the filter with one copy of the value deleted, if it has one; delete only what was added';

CREATE FUNCTION cuckoo_delete(sketch cuckoo, value anyenum) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_delete(cuckoo, anyenum) IS 'the filter with one copy of the value deleted, if it has one; delete only what was added';

CREATE FUNCTION cuckoo_try_add(INOUT sketch cuckoo, value hashed, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_add(cuckoo, hashed) IS 'the filter with one more copy of the value; added is false if there was no space for it, as CF.ADD replies';

CREATE FUNCTION cuckoo_try_add(INOUT sketch cuckoo, value text, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_add(cuckoo, text) IS 'the filter with one more copy of the value; added is false if there was no space for it, as CF.ADD replies';

CREATE FUNCTION cuckoo_try_add(INOUT sketch cuckoo, value anyenum, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_add' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_add(cuckoo, anyenum) IS 'the filter with one more copy of the value; added is false if there was no space for it, as CF.ADD replies';

CREATE FUNCTION cuckoo_try_addnx(INOUT sketch cuckoo, value hashed, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_addnx' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_addnx(cuckoo, hashed) IS 'the filter with the value added unless it is there; added is true if it was added, as CF.ADDNX replies';

CREATE FUNCTION cuckoo_try_addnx(INOUT sketch cuckoo, value text, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_addnx' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_addnx(cuckoo, text) IS 'the filter with the value added unless it is there; added is true if it was added, as CF.ADDNX replies';

CREATE FUNCTION cuckoo_try_addnx(INOUT sketch cuckoo, value anyenum, OUT added boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_addnx' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_addnx(cuckoo, anyenum) IS 'the filter with the value added unless it is there; added is true if it was added, as CF.ADDNX replies';

CREATE FUNCTION cuckoo_try_delete(INOUT sketch cuckoo, value hashed, OUT deleted boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_delete' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_delete(cuckoo, hashed) IS 'the filter with one copy of the value deleted; deleted is false if it had none, as CF.DEL replies';

CREATE FUNCTION cuckoo_try_delete(INOUT sketch cuckoo, value text, OUT deleted boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_delete' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_delete(cuckoo, text) IS 'the filter with one copy of the value deleted; deleted is false if it had none, as CF.DEL replies';

CREATE FUNCTION cuckoo_try_delete(INOUT sketch cuckoo, value anyenum, OUT deleted boolean) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_delete' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_try_delete(cuckoo, anyenum) IS 'the filter with one copy of the value deleted; deleted is false if it had none, as CF.DEL replies';

CREATE FUNCTION cuckoo_add_all(sketch cuckoo, items hashed[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, hashed[]) IS 'the filter with one more copy of each element; NULL elements are skipped; errors: 54000 for a ninth copy or a full filter';

CREATE FUNCTION cuckoo_add_all(sketch cuckoo, items text[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, text[]) IS 'the filter with one more copy of each element; NULL elements are skipped; errors: 54000 for a ninth copy or a full filter';

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
CREATE FUNCTION cuckoo_add_all(sketch cuckoo, items varchar[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, varchar[]) IS 'the filter with one more copy of each element; NULL elements are skipped; errors: 54000 for a ninth copy or a full filter';

CREATE FUNCTION cuckoo_add_all(sketch cuckoo, items text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, text) IS 'cuckoo_add_all for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cuckoo_addnx_all(sketch cuckoo, items hashed[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_addnx_all(cuckoo, hashed[]) IS 'the filter with each element added unless it is there; NULL elements are skipped; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_addnx_all(sketch cuckoo, items text[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_addnx_all(cuckoo, text[]) IS 'the filter with each element added unless it is there; NULL elements are skipped; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_addnx_all(sketch cuckoo, items varchar[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_addnx_all(cuckoo, varchar[]) IS 'the filter with each element added unless it is there; NULL elements are skipped; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_addnx_all(sketch cuckoo, items text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_addnx_all(cuckoo, text) IS 'cuckoo_addnx_all for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cuckoo_delete_all(sketch cuckoo, items hashed[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_delete_all(cuckoo, hashed[]) IS 'the filter with one copy of each element deleted, if it has one; NULL elements are skipped; delete only what was added';

CREATE FUNCTION cuckoo_delete_all(sketch cuckoo, items text[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_delete_all(cuckoo, text[]) IS 'the filter with one copy of each element deleted, if it has one; NULL elements are skipped; delete only what was added';

CREATE FUNCTION cuckoo_delete_all(sketch cuckoo, items varchar[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_delete_all(cuckoo, varchar[]) IS 'the filter with one copy of each element deleted, if it has one; NULL elements are skipped; delete only what was added';

CREATE FUNCTION cuckoo_delete_all(sketch cuckoo, items text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_delete_all(cuckoo, text) IS 'cuckoo_delete_all for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cuckoo_compact(sketch cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_compact(cuckoo) IS 'the filter in as few bits as its items and its capacity need; resets the number of deletes';

CREATE FUNCTION cuckoo_union(a cuckoo, b cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_union(cuckoo, cuckoo) IS 'union: the items of either filter, each with the larger of its two counts, at the smaller number of hash bits; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_sum(a cuckoo, b cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_sum(cuckoo, cuckoo) IS 'sum: the items of either filter, each with the sum of its two counts, at the smaller number of hash bits; errors: 54000 for a ninth copy or a full filter';

-- Asking

CREATE FUNCTION cuckoo_contains(sketch cuckoo, value hashed) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_contains(cuckoo, hashed) IS 'probably contains the value (false is always correct, true is wrong at the false-positive rate)';

CREATE FUNCTION cuckoo_contains(sketch cuckoo, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_contains(cuckoo, text) IS 'probably contains the value (false is always correct, true is wrong at the false-positive rate)';

CREATE FUNCTION cuckoo_contains(sketch cuckoo, value anyenum) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_enum' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_contains(cuckoo, anyenum) IS 'probably contains the value (false is always correct, true is wrong at the false-positive rate)';

CREATE FUNCTION cuckoo_count(sketch cuckoo, value hashed) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_count(cuckoo, hashed) IS 'number of copies of the value, never fewer than were added and not deleted';

CREATE FUNCTION cuckoo_count(sketch cuckoo, value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_count_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_count(cuckoo, text) IS 'number of copies of the value, never fewer than were added and not deleted';

CREATE FUNCTION cuckoo_count(sketch cuckoo, value anyenum) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_count_enum' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_count(cuckoo, anyenum) IS 'number of copies of the value, never fewer than were added and not deleted';

CREATE FUNCTION cuckoo_contains_each(sketch cuckoo, items hashed[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_contains_each(cuckoo, hashed[]) IS 'for each element, whether the filter probably contains it (false is always correct); NULL for NULL';

CREATE FUNCTION cuckoo_contains_each(sketch cuckoo, items text[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_contains_each(cuckoo, text[]) IS 'for each element, whether the filter probably contains it (false is always correct); NULL for NULL';

CREATE FUNCTION cuckoo_contains_each(sketch cuckoo, items varchar[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_contains_each(cuckoo, varchar[]) IS 'for each element, whether the filter probably contains it (false is always correct); NULL for NULL';

CREATE FUNCTION cuckoo_contains_each(sketch cuckoo, items text) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cuckoo_contains_each(cuckoo, text) IS 'cuckoo_contains_each for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cuckoo_cardinality(sketch cuckoo) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_cardinality(cuckoo) IS 'number of items, copies included; reads the header only';

CREATE FUNCTION cuckoo_info(sketch cuckoo, OUT items bigint, OUT deletes bigint, OUT buckets bigint, OUT bucket_size int, OUT fingerprint_bits int, OUT load float8, OUT false_positive_rate float8, OUT hash_bits int, OUT capacity bigint, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cuckoo_info(cuckoo) IS 'items and deletes, table layout, false-positive rate at the present fill, hash bits, capacity (NULL for a filter that grows), bytes of the packed value';

CREATE FUNCTION _cuckoo_contained(hashed, cuckoo) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _cuckoo_contained(hashed, cuckoo) IS 'cuckoo_contains with the arguments exchanged';

CREATE FUNCTION _cuckoo_contained(text, cuckoo) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contained_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _cuckoo_contained(text, cuckoo) IS 'cuckoo_contains with the arguments exchanged';

CREATE FUNCTION _cuckoo_contained(anyenum, cuckoo) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contained_enum' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _cuckoo_contained(anyenum, cuckoo) IS 'cuckoo_contains with the arguments exchanged';

CREATE FUNCTION cuckoo_describe(sketch cuckoo) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION cuckoo_describe(cuckoo) IS 'human-readable summary: items, false-positive rate at the present fill, bytes';

-- Operators

CREATE OPERATOR <@ (
    LEFTARG = hashed, RIGHTARG = cuckoo, FUNCTION = _cuckoo_contained, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(hashed, cuckoo) IS 'is probably contained (false is always correct)';

CREATE OPERATOR <@ (
    LEFTARG = text, RIGHTARG = cuckoo, FUNCTION = _cuckoo_contained, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(text, cuckoo) IS 'is probably contained (false is always correct)';

CREATE OPERATOR <@ (
    LEFTARG = anyenum, RIGHTARG = cuckoo, FUNCTION = _cuckoo_contained, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(anyenum, cuckoo) IS 'is probably contained (false is always correct)';

CREATE OPERATOR @> (
    LEFTARG = cuckoo, RIGHTARG = hashed, FUNCTION = cuckoo_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(cuckoo, hashed) IS 'probably contains (false is always correct)';

CREATE OPERATOR @> (
    LEFTARG = cuckoo, RIGHTARG = text, FUNCTION = cuckoo_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(cuckoo, text) IS 'probably contains (false is always correct)';

CREATE OPERATOR @> (
    LEFTARG = cuckoo, RIGHTARG = anyenum, FUNCTION = cuckoo_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(cuckoo, anyenum) IS 'probably contains (false is always correct)';

CREATE OPERATOR | (
    LEFTARG = cuckoo, RIGHTARG = cuckoo, FUNCTION = cuckoo_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(cuckoo, cuckoo) IS 'union: each item with the larger count';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _cuckoo_sum_state(cuckoo, cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_sum_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_sum_state(cuckoo, cuckoo) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _cuckoo_sum_final(cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_sum_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_sum_final(cuckoo) IS 'final function: the packed sum';

CREATE FUNCTION _cuckoo_union_state(cuckoo, cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_union_state(cuckoo, cuckoo) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _cuckoo_final(cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_final(cuckoo) IS 'final function: the packed state';

CREATE FUNCTION _cuckoo_combine(cuckoo, cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cuckoo_combine(cuckoo, cuckoo) IS 'combine function of aggregates with parameters, which must be the same in all states';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, hashed) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, hashed) IS 'transition function';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, hashed, bigint) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, hashed, bigint) IS 'transition function';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, hashed, bigint, bigint) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, hashed, bigint, bigint) IS 'transition function';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, text) IS 'transition function';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, anyenum) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, anyenum) IS 'transition function';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, text, bigint) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, text, bigint) IS 'transition function';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, anyenum, bigint) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, anyenum, bigint) IS 'transition function';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, text, bigint, bigint) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, text, bigint, bigint) IS 'transition function';

CREATE FUNCTION _cuckoo_agg_state(cuckoo, anyenum, bigint, bigint) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cuckoo_agg_state(cuckoo, anyenum, bigint, bigint) IS 'transition function';

CREATE AGGREGATE cuckoo_agg(value hashed) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(hashed) IS 'filter of the distinct values, 16 fingerprint bits; NULL over no rows; errors: 54000';

CREATE AGGREGATE cuckoo_agg(value hashed, capacity bigint) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(hashed, bigint) IS 'filter of the distinct values, 16 fingerprint bits, with hash bits for at least capacity items; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE cuckoo_agg(value hashed, capacity bigint, fingerprint_bits bigint) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(hashed, bigint, bigint) IS 'filter of the distinct values, with this number of fingerprint bits and hash bits for at least capacity items; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE cuckoo_agg(value text) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(text) IS 'filter of the distinct values, 16 fingerprint bits; NULL over no rows; errors: 54000';

CREATE AGGREGATE cuckoo_agg(value anyenum) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(anyenum) IS 'filter of the distinct values, 16 fingerprint bits; NULL over no rows; errors: 54000';

CREATE AGGREGATE cuckoo_agg(value text, capacity bigint) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(text, bigint) IS 'filter of the distinct values, 16 fingerprint bits, with hash bits for at least capacity items; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE cuckoo_agg(value anyenum, capacity bigint) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(anyenum, bigint) IS 'filter of the distinct values, 16 fingerprint bits, with hash bits for at least capacity items; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE cuckoo_agg(value text, capacity bigint, fingerprint_bits bigint) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(text, bigint, bigint) IS 'filter of the distinct values, with this number of fingerprint bits and hash bits for at least capacity items; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE cuckoo_agg(value anyenum, capacity bigint, fingerprint_bits bigint) (
    SFUNC = _cuckoo_agg_state, STYPE = cuckoo, SSPACE = 256, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(anyenum, bigint, bigint) IS 'filter of the distinct values, with this number of fingerprint bits and hash bits for at least capacity items; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE cuckoo_union_agg(sketch cuckoo) (
    SFUNC = _cuckoo_union_state, STYPE = cuckoo, SSPACE = 16384, FINALFUNC = _cuckoo_final,
    COMBINEFUNC = _cuckoo_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE cuckoo_union_agg(cuckoo) IS 'union of all filters, each item with the largest count, at the smallest number of hash bits; NULL over no rows; errors: 54000 for a full filter';

CREATE AGGREGATE cuckoo_sum_agg(sketch cuckoo) (
    SFUNC = _cuckoo_sum_state, STYPE = cuckoo, SSPACE = 16384, FINALFUNC = _cuckoo_sum_final,
    COMBINEFUNC = _cuckoo_sum_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_sum_agg(cuckoo) IS 'sum of all filters, each item with the sum of its counts; NULL over no rows; errors: 54000 for a ninth copy or a full filter';

-- from src/pg/cms/cms.sql

-- cms: how often did each item occur? See src/core/cms/cms.c and src/pg/cms/cms.c.

-- from src/pg/shared/common.sql.in

-- cms: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE cms;

CREATE FUNCTION _cms_in(cstring) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _cms_out(cms) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_out(cms) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _cms_recv(internal) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _cms_send(cms) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_send(cms) IS 'I/O: the packed value';

CREATE FUNCTION _cms_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _cms_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE cms (
    INPUT = _cms_in,
    OUTPUT = _cms_out,
    RECEIVE = _cms_recv,
    SEND = _cms_send,
    ANALYZE = _cms_typanalyze,
    STORAGE = external
);

CREATE FUNCTION cms(payload bytea) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch cms) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(cms) IS 'the packed value';
CREATE CAST (cms AS bytea) WITH FUNCTION bytea(cms);
COMMENT ON CAST (cms AS bytea) IS 'the packed value';

CREATE CAST (bytea AS cms) WITH FUNCTION cms(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS cms) IS 'the packed value, validated';

-- cms: equality and hash of the packed bytes

CREATE FUNCTION _cms_eq(cms, cms) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_eq(cms, cms) IS 'equal';

CREATE FUNCTION _cms_ne(cms, cms) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_ne(cms, cms) IS 'not equal';

CREATE FUNCTION _cms_hash(cms) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_hash(cms) IS 'hash of the packed bytes';

CREATE FUNCTION _cms_hash_extended(cms, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_hash_extended(cms, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- cms: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = cms, RIGHTARG = cms, FUNCTION = _cms_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(cms, cms) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = cms, RIGHTARG = cms, FUNCTION = _cms_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(cms, cms) IS 'not equal';

CREATE OPERATOR CLASS cms_ops DEFAULT FOR TYPE cms USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _cms_hash(cms), FUNCTION 2 _cms_hash_extended(cms, bigint);
COMMENT ON OPERATOR CLASS cms_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY cms_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/cms/cms.sql

COMMENT ON TYPE cms IS 'Count-Min sketch: how often did each item occur?';

-- Building and changing

CREATE FUNCTION cms_empty(error float8 DEFAULT 0.001, probability float8 DEFAULT 0.01) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cms_empty(float8, float8) IS 'empty sketch with 2 / error columns and log2(1 / probability) rows; errors: 22023';

CREATE FUNCTION cms_by_dim(width bigint, depth bigint) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_by_dim' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cms_by_dim(bigint, bigint) IS 'empty sketch with this number of columns (width) and rows (depth); errors: 22023';

CREATE FUNCTION cms_add(sketch cms, value hashed, count bigint DEFAULT 1) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add(cms, hashed, bigint) IS 'the sketch with the value counted count times; errors: 22023, 22003, 42804 for a sketch of Redis';

CREATE FUNCTION cms_add(sketch cms, value text, count bigint DEFAULT 1) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add(cms, text, bigint) IS 'the sketch with the value counted count times; errors: 22023, 22003';

CREATE FUNCTION cms_add(sketch cms, value anyenum, count bigint DEFAULT 1) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add(cms, anyenum, bigint) IS 'the sketch with the value counted count times; errors: 22023, 22003';

CREATE FUNCTION cms_add(sketch cms, value bytea, count bigint DEFAULT 1) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add(cms, bytea, bigint) IS 'the sketch with the value counted count times; errors: 22023, 22003';

CREATE FUNCTION cms_add_all(sketch cms, items hashed[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add_all(cms, hashed[]) IS 'the sketch with each element counted once; NULL elements are skipped; errors: 22003';

CREATE FUNCTION cms_add_all(sketch cms, items hashed[], counts bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add_all(cms, hashed[], bigint[]) IS 'the sketch with each element counted as often as the element of counts says; errors: 22023, 22003, 2202E';

CREATE FUNCTION cms_add_all(sketch cms, items text[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add_all(cms, text[]) IS 'the sketch with each element counted once; NULL elements are skipped; errors: 22003';

CREATE FUNCTION cms_add_all(sketch cms, items text[], counts bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add_all(cms, text[], bigint[]) IS 'the sketch with each element counted as often as the element of counts says; errors: 22023, 22003, 2202E';

CREATE FUNCTION cms_add_all(sketch cms, items varchar[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add_all(cms, varchar[]) IS 'the sketch with each element counted once; NULL elements are skipped; errors: 22003';

CREATE FUNCTION cms_add_all(sketch cms, items varchar[], counts bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add_all(cms, varchar[], bigint[]) IS 'the sketch with each element counted as often as the element of counts says; errors: 22023, 22003, 2202E';

CREATE FUNCTION cms_add_all(sketch cms, items text) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add_all(cms, text) IS 'cms_add_all for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cms_add_all(sketch cms, items text, counts bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_add_all(cms, text, bigint[]) IS 'cms_add_all for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cms_merge(sketches cms[], weights bigint[]) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_merge(cms[], bigint[]) IS 'sum of the sketches, each multiplied by its weight; errors: 22023, 2202E, 42804, 22003';

CREATE FUNCTION cms_union(a cms, b cms) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_union(cms, cms) IS 'union: the sum of the counts of two sketches of one shape; errors: 42804, 22003';

CREATE OPERATOR | (
    LEFTARG = cms, RIGHTARG = cms, FUNCTION = cms_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(cms, cms) IS 'union: the sum of the counts';

-- Asking

CREATE FUNCTION cms_query(sketch cms, value hashed) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_query(cms, hashed) IS 'estimated count of the value, never below the true count; errors: 42804 for a sketch of Redis';

CREATE FUNCTION cms_query(sketch cms, value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_query(cms, text) IS 'estimated count of the value, never below the true count';

CREATE FUNCTION cms_query(sketch cms, value anyenum) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_query' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_query(cms, anyenum) IS 'estimated count of the value, never below the true count';

CREATE FUNCTION cms_query(sketch cms, value bytea) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_query(cms, bytea) IS 'estimated count of the value, never below the true count';

CREATE FUNCTION cms_query_each(sketch cms, items hashed[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_cms_query_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_query_each(cms, hashed[]) IS 'estimated count of each element, never below the true count; NULL for NULL';

CREATE FUNCTION cms_query_each(sketch cms, items text[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_cms_query_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_query_each(cms, text[]) IS 'estimated count of each element, never below the true count; NULL for NULL';

CREATE FUNCTION cms_query_each(sketch cms, items varchar[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_cms_query_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_query_each(cms, varchar[]) IS 'estimated count of each element, never below the true count; NULL for NULL';

CREATE FUNCTION cms_query_each(sketch cms, items text) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_cms_query_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_query_each(cms, text) IS 'cms_query_each for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cms_total(sketch cms) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cms_total(cms) IS 'sum of all counts; reads the header only';

CREATE FUNCTION cms_error(sketch cms) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_error' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cms_error(cms) IS 'error bound: an estimate exceeds the true count by at most this, except with the sketch''s probability; 0 for a list; reads the header only';

CREATE FUNCTION cms_inner_product(a cms, b cms) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cms_inner_product' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_inner_product(cms, cms) IS 'estimated inner product: the sum, over all items, of the products of the two counts; at most cms_error(a) * cms_total(b) too high, with the probability that holds for a count; errors: 42804, 22003';

CREATE FUNCTION cms_describe(sketch cms) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_cms_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_describe(cms) IS 'human-readable summary: total, error bound, shape, bytes';

-- Redis

CREATE FUNCTION cms_from_redis(payload bytea) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_from_redis(bytea) IS 'reads and validates a Count-Min sketch of Redis (CMS.*), as DUMP returns it; it keeps the hash of Redis; errors: 22P03, 22003';

CREATE FUNCTION cms_to_redis(sketch cms) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_cms_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_to_redis(cms) IS 'payload for RESTORE of a CMS key, of a sketch that counts with the hash of Redis; errors: 42804, 22003';

CREATE FUNCTION cms_info(sketch cms, OUT width int, OUT depth int, OUT total bigint, OUT encoding text, OUT error float8, OUT probability float8, OUT hash text, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cms_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cms_info(cms) IS 'width, depth, total, encoding (list or table), error as a fraction of the total, probability of a larger error, hash function (xxh3 or redis), bytes of the packed value';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _cms_union_state(cms, cms) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_union_state(cms, cms) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _cms_combine(cms, cms) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_combine(cms, cms) IS 'combine function of aggregates with parameters, which must be the same in all states';

CREATE FUNCTION _cms_final(cms) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _cms_final(cms) IS 'final function: the packed state';

CREATE FUNCTION _cms_agg_state(cms, hashed) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_agg_state(cms, hashed) IS 'transition function';

CREATE FUNCTION _cms_agg_state(cms, text) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_agg_state(cms, text) IS 'transition function';

CREATE FUNCTION _cms_agg_state(cms, anyenum) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_agg_state(cms, anyenum) IS 'transition function';

CREATE FUNCTION _cms_agg_state(cms, hashed, float8, float8) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_agg_state(cms, hashed, float8, float8) IS 'transition function';

CREATE FUNCTION _cms_agg_state(cms, text, float8, float8) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_agg_state(cms, text, float8, float8) IS 'transition function';

CREATE FUNCTION _cms_agg_state(cms, anyenum, float8, float8) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_agg_state(cms, anyenum, float8, float8) IS 'transition function';

CREATE FUNCTION _cms_weighted_agg_state(cms, hashed, bigint) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_weighted_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_weighted_agg_state(cms, hashed, bigint) IS 'transition function';

CREATE FUNCTION _cms_weighted_agg_state(cms, text, bigint) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_weighted_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_weighted_agg_state(cms, text, bigint) IS 'transition function';

CREATE FUNCTION _cms_weighted_agg_state(cms, anyenum, bigint) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_weighted_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_weighted_agg_state(cms, anyenum, bigint) IS 'transition function';

CREATE FUNCTION _cms_weighted_agg_state(cms, hashed, bigint, float8, float8) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_weighted_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_weighted_agg_state(cms, hashed, bigint, float8, float8) IS 'transition function';

CREATE FUNCTION _cms_weighted_agg_state(cms, text, bigint, float8, float8) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_weighted_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_weighted_agg_state(cms, text, bigint, float8, float8) IS 'transition function';

CREATE FUNCTION _cms_weighted_agg_state(cms, anyenum, bigint, float8, float8) RETURNS cms
    AS 'MODULE_PATHNAME', 'sketches_cms_weighted_agg_enum_state' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION _cms_weighted_agg_state(cms, anyenum, bigint, float8, float8) IS 'transition function';

CREATE AGGREGATE cms_agg(value hashed) (
    SFUNC = _cms_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(hashed) IS 'sketch of the counts of the values, error 0.001 of the total, probability 0.01; NULL over no rows; errors: 22003';

CREATE AGGREGATE cms_agg(value text) (
    SFUNC = _cms_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(text) IS 'sketch of the counts of the values, error 0.001 of the total, probability 0.01; NULL over no rows; errors: 22003';

CREATE AGGREGATE cms_agg(value anyenum) (
    SFUNC = _cms_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(anyenum) IS 'sketch of the counts of the values, error 0.001 of the total, probability 0.01; NULL over no rows; errors: 22003';

CREATE AGGREGATE cms_agg(value hashed, error float8, probability float8) (
    SFUNC = _cms_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(hashed, float8, float8) IS 'sketch of the counts of the values, with this error and probability; NULL over no rows; errors: 22023, 22004, 22003';

CREATE AGGREGATE cms_agg(value text, error float8, probability float8) (
    SFUNC = _cms_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(text, float8, float8) IS 'sketch of the counts of the values, with this error and probability; NULL over no rows; errors: 22023, 22004, 22003';

CREATE AGGREGATE cms_agg(value anyenum, error float8, probability float8) (
    SFUNC = _cms_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_agg(anyenum, float8, float8) IS 'sketch of the counts of the values, with this error and probability; NULL over no rows; errors: 22023, 22004, 22003';

CREATE AGGREGATE cms_weighted_agg(value hashed, weight bigint) (
    SFUNC = _cms_weighted_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_weighted_agg(hashed, bigint) IS 'sketch of the sums of the weights of the values; NULL weights are skipped; NULL over no rows; errors: 22023, 22003';

CREATE AGGREGATE cms_weighted_agg(value text, weight bigint) (
    SFUNC = _cms_weighted_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_weighted_agg(text, bigint) IS 'sketch of the sums of the weights of the values; NULL weights are skipped; NULL over no rows; errors: 22023, 22003';

CREATE AGGREGATE cms_weighted_agg(value anyenum, weight bigint) (
    SFUNC = _cms_weighted_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_weighted_agg(anyenum, bigint) IS 'sketch of the sums of the weights of the values; NULL weights are skipped; NULL over no rows; errors: 22023, 22003';

CREATE AGGREGATE cms_weighted_agg(value hashed, weight bigint, error float8, probability float8) (
    SFUNC = _cms_weighted_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_weighted_agg(hashed, bigint, float8, float8) IS 'sketch of the sums of the weights of the values, with this error and probability; NULL weights are skipped; NULL over no rows; errors: 22023, 22004, 22003';

CREATE AGGREGATE cms_weighted_agg(value text, weight bigint, error float8, probability float8) (
    SFUNC = _cms_weighted_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_weighted_agg(text, bigint, float8, float8) IS 'sketch of the sums of the weights of the values, with this error and probability; NULL weights are skipped; NULL over no rows; errors: 22023, 22004, 22003';

CREATE AGGREGATE cms_weighted_agg(value anyenum, weight bigint, error float8, probability float8) (
    SFUNC = _cms_weighted_agg_state, STYPE = cms, SSPACE = 1024, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE cms_weighted_agg(anyenum, bigint, float8, float8) IS 'sketch of the sums of the weights of the values, with this error and probability; NULL weights are skipped; NULL over no rows; errors: 22023, 22004, 22003';

CREATE AGGREGATE cms_union_agg(sketch cms) (
    SFUNC = _cms_union_state, STYPE = cms, SSPACE = 65536, FINALFUNC = _cms_final,
    COMBINEFUNC = _cms_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE cms_union_agg(cms) IS 'union of all sketches: the sum of their counts; NULL over no rows; errors: 42804, 22003';

-- from src/pg/topk/topk.sql

-- topk: which items are the most frequent? See src/core/topk/topk.c and src/pg/topk/topk.c.

-- from src/pg/shared/common.sql.in

-- topk: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE topk;

CREATE FUNCTION _topk_in(cstring) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _topk_out(topk) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_out(topk) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _topk_recv(internal) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _topk_send(topk) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_send(topk) IS 'I/O: the packed value';

CREATE FUNCTION _topk_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _topk_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE topk (
    INPUT = _topk_in,
    OUTPUT = _topk_out,
    RECEIVE = _topk_recv,
    SEND = _topk_send,
    ANALYZE = _topk_typanalyze,
    STORAGE = external
);

CREATE FUNCTION topk(payload bytea) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch topk) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(topk) IS 'the packed value';
CREATE CAST (topk AS bytea) WITH FUNCTION bytea(topk);
COMMENT ON CAST (topk AS bytea) IS 'the packed value';

CREATE CAST (bytea AS topk) WITH FUNCTION topk(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS topk) IS 'the packed value, validated';

-- topk: equality and hash of the packed bytes

CREATE FUNCTION _topk_eq(topk, topk) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_eq(topk, topk) IS 'equal';

CREATE FUNCTION _topk_ne(topk, topk) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_ne(topk, topk) IS 'not equal';

CREATE FUNCTION _topk_hash(topk) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_hash(topk) IS 'hash of the packed bytes';

CREATE FUNCTION _topk_hash_extended(topk, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_hash_extended(topk, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- topk: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = topk, RIGHTARG = topk, FUNCTION = _topk_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(topk, topk) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = topk, RIGHTARG = topk, FUNCTION = _topk_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(topk, topk) IS 'not equal';

CREATE OPERATOR CLASS topk_ops DEFAULT FOR TYPE topk USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _topk_hash(topk), FUNCTION 2 _topk_hash_extended(topk, bigint);
COMMENT ON OPERATOR CLASS topk_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY topk_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/topk/topk.sql

COMMENT ON TYPE topk IS
    'heavy hitters: the most frequent items, with bounds of their counts; 80 bytes for each item '
    'that is listed';

-- Building and changing. Items are text or bigint, the first one decides which.

CREATE FUNCTION topk_empty(k bigint DEFAULT 10) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION topk_empty(bigint) IS 'empty sketch that lists the k most frequent items, k 1 to 100000; errors: 22023';

CREATE FUNCTION topk_add(sketch topk, value text) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_add(topk, text) IS 'the sketch with the item counted once; errors: 42804 when its items are of the other type, 22003, 54000 for an item of more than 1 MB';

CREATE FUNCTION topk_add(sketch topk, value bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_add(topk, bigint) IS 'the sketch with the item counted once; errors: 42804 when its items are of the other type, 22003';

CREATE FUNCTION topk_add(sketch topk, value text, count bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_add(topk, text, bigint) IS 'the sketch with the item counted count times; errors: 42804, 22023 for a count below 0, 22003 past 2^63-1, 54000';

CREATE FUNCTION topk_add(sketch topk, value bigint, count bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_add(topk, bigint, bigint) IS 'the sketch with the item counted count times; errors: 42804, 22023 for a count below 0, 22003 past 2^63-1';

CREATE FUNCTION topk_add_all(sketch topk, items text[]) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_add_all(topk, text[]) IS 'the sketch with each element counted once; NULL elements are skipped; errors: 42804, 22003, 54000';

CREATE FUNCTION topk_add_all(sketch topk, items bigint[]) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_add_all(topk, bigint[]) IS 'the sketch with each element counted once; NULL elements are skipped; errors: 42804, 22003';

CREATE FUNCTION topk_add_all(sketch topk, items text) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_add_all(topk, text) IS 'topk_add_all for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION topk_try_add(INOUT sketch topk, value text, OUT expelled text) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_try_add(topk, text) IS 'the sketch with the item counted once; expelled is the item that left the list for it, or NULL, as TOPK.ADD replies; errors: 42804, 22003, 54000';

CREATE FUNCTION topk_try_add(INOUT sketch topk, value bigint, OUT expelled text) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_try_add(topk, bigint) IS 'the sketch with the item counted once; expelled is the item that left the list for it, or NULL, as TOPK.ADD replies; errors: 42804, 22003, 54000';

CREATE FUNCTION topk_try_add(INOUT sketch topk, value text, count bigint, OUT expelled text) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_try_add(topk, text, bigint) IS 'the sketch with the item counted count times; expelled is the item that left the list for it, or NULL, as TOPK.INCRBY replies; errors: 42804, 22023, 22003, 54000';

CREATE FUNCTION topk_try_add(INOUT sketch topk, value bigint, count bigint, OUT expelled text) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_try_add(topk, bigint, bigint) IS 'the sketch with the item counted count times; expelled is the item that left the list for it, or NULL, as TOPK.INCRBY replies; errors: 42804, 22023, 22003, 54000';

CREATE FUNCTION topk_decay(sketch topk, factor float8) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_decay' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_decay(topk, float8) IS 'the sketch with every count multiplied by a factor, 0 to 1; bounds are rounded outwards; errors: 22023';

CREATE FUNCTION topk_union(a topk, b topk) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_union(topk, topk) IS 'union: the items of both sketches, counts added, for the lower k of the two; errors: 42804 for text and bigint, 22003';

-- Asking

CREATE FUNCTION topk_list(sketch topk, OUT item text, OUT count bigint, OUT lower bigint, OUT upper bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_topk_list' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION topk_list(topk) IS 'the k most frequent items, descending; the true count is between lower and upper, and count is lower';

CREATE FUNCTION topk_list_bigint(sketch topk, OUT item bigint, OUT count bigint, OUT lower bigint, OUT upper bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_topk_list_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION topk_list_bigint(topk) IS 'topk_list of a sketch of bigints, with items of type bigint; errors: 42804 for a sketch of texts';

CREATE FUNCTION topk_contains(sketch topk, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_topk_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_contains(topk, text) IS 'true if the item is one of the k most frequent; errors: 42804';

CREATE FUNCTION topk_contains(sketch topk, value bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_topk_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_contains(topk, bigint) IS 'true if the item is one of the k most frequent; errors: 42804';

CREATE FUNCTION topk_count(sketch topk, value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_count(topk, text) IS 'count of the item, never above the true count; 0 for an item without a counter; errors: 42804';

CREATE FUNCTION topk_count(sketch topk, value bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_count(topk, bigint) IS 'count of the item, never above the true count; 0 for an item without a counter; errors: 42804';

CREATE FUNCTION topk_bounds(sketch topk, value text, OUT count bigint, OUT lower bigint, OUT upper bigint) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_bounds(topk, text) IS 'count of the item, with bounds of its true count; errors: 42804';

CREATE FUNCTION topk_bounds(sketch topk, value bigint, OUT count bigint, OUT lower bigint, OUT upper bigint) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_bounds(topk, bigint) IS 'count of the item, with bounds of its true count; errors: 42804';

CREATE FUNCTION topk_total(sketch topk) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION topk_total(topk) IS 'sum of all counts; reads the header only';

CREATE FUNCTION topk_error(sketch topk) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_topk_error' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION topk_error(topk) IS 'error bound: no count is too low by more, and no item without a counter occurred more often; 0 while exact; reads the header only';

CREATE FUNCTION topk_info(sketch topk, OUT k int, OUT items text, OUT counters int, OUT total bigint, OUT error bigint, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_topk_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION topk_info(topk) IS 'k, type of the items, counters, total, error bound, bytes of the packed value; reads the header only';

CREATE FUNCTION topk_describe(sketch topk) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_topk_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_describe(topk) IS 'human-readable summary: total, error bound, most frequent items, bytes';

-- Other systems

CREATE FUNCTION topk_items_from_redis(payload bytea, OUT item bytea, OUT count bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_topk_items_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION topk_items_from_redis(bytea) IS 'the items and counts of a Top-K of Redis (TOPK.*), as DUMP returns it, highest counts first; errors: 22P03';

CREATE FUNCTION topk_from_datasketches(payload bytea, k bigint, item text DEFAULT 'text') RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_from_datasketches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_from_datasketches(bytea, bigint, text) IS 'reads and validates a frequent-items sketch of DataSketches, of ''text'' or ''bigint'' items, with its bounds; errors: 22P03, 22023';

CREATE FUNCTION topk_from_topn(payload jsonb, k bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_from_topn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION topk_from_topn(jsonb, bigint) IS 'reads the items and counts of a value of the topn extension; errors: 22P02, 22023, 22003';

-- Operators

CREATE OPERATOR | (
    LEFTARG = topk, RIGHTARG = topk, FUNCTION = topk_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(topk, topk) IS 'union';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _topk_union_state(topk, topk) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_union_state(topk, topk) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _topk_final(topk) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_final(topk) IS 'final function: the packed state';

CREATE FUNCTION _approx_top_k_final(topk) RETURNS text[]
    AS 'MODULE_PATHNAME', 'sketches_approx_top_k_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _approx_top_k_final(topk) IS 'final function: the items of the list';

CREATE FUNCTION _approx_top_k_bigint_final(topk) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_approx_top_k_bigint_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _approx_top_k_bigint_final(topk) IS 'final function: the items of the list, which are numbers';

CREATE FUNCTION _approx_top_count_final(topk) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'sketches_approx_top_count_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _approx_top_count_final(topk) IS 'final function: the list with its counts';

CREATE FUNCTION _topk_combine(topk, topk) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _topk_combine(topk, topk) IS 'combine function of aggregates with parameters, which must be the same in all states';

CREATE FUNCTION _topk_agg_state(topk, text) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _topk_agg_state(topk, text) IS 'transition function';

CREATE FUNCTION _topk_agg_state(topk, bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_agg_bigint_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _topk_agg_state(topk, bigint) IS 'transition function';

CREATE FUNCTION _topk_agg_state(topk, text, bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _topk_agg_state(topk, text, bigint) IS 'transition function';

CREATE FUNCTION _topk_agg_state(topk, bigint, bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_agg_bigint_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _topk_agg_state(topk, bigint, bigint) IS 'transition function';

CREATE FUNCTION _topk_weighted_agg_state(topk, text, bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_weighted_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _topk_weighted_agg_state(topk, text, bigint) IS 'transition function';

CREATE FUNCTION _topk_weighted_agg_state(topk, bigint, bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_weighted_agg_bigint_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _topk_weighted_agg_state(topk, bigint, bigint) IS 'transition function';

CREATE FUNCTION _topk_weighted_agg_state(topk, text, bigint, bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_weighted_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _topk_weighted_agg_state(topk, text, bigint, bigint) IS 'transition function';

CREATE FUNCTION _topk_weighted_agg_state(topk, bigint, bigint, bigint) RETURNS topk
    AS 'MODULE_PATHNAME', 'sketches_topk_weighted_agg_bigint_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _topk_weighted_agg_state(topk, bigint, bigint, bigint) IS 'transition function';

CREATE AGGREGATE topk_agg(value text) (
    SFUNC = _topk_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_agg(text) IS 'sketch of the most frequent items, k = 10; NULL over no rows; errors: 54000 for an item of more than 1 MB';

CREATE AGGREGATE topk_agg(value bigint) (
    SFUNC = _topk_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_agg(bigint) IS 'sketch of the most frequent items, k = 10; NULL over no rows';

CREATE AGGREGATE topk_agg(value text, k bigint) (
    SFUNC = _topk_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_agg(text, bigint) IS 'sketch of the k most frequent items; NULL over no rows; errors: 22023, 22004, 54000 for an item of more than 1 MB';

CREATE AGGREGATE topk_agg(value bigint, k bigint) (
    SFUNC = _topk_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_agg(bigint, bigint) IS 'sketch of the k most frequent items; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE topk_weighted_agg(value text, weight bigint) (
    SFUNC = _topk_weighted_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_weighted_agg(text, bigint) IS 'sketch of the items with the highest sums of weights, k = 10; NULL weights are skipped; NULL over no rows; errors: 22023, 22003, 54000 for an item of more than 1 MB';

CREATE AGGREGATE topk_weighted_agg(value bigint, weight bigint) (
    SFUNC = _topk_weighted_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_weighted_agg(bigint, bigint) IS 'sketch of the items with the highest sums of weights, k = 10; NULL weights are skipped; NULL over no rows; errors: 22023, 22003';

CREATE AGGREGATE topk_weighted_agg(value text, weight bigint, k bigint) (
    SFUNC = _topk_weighted_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_weighted_agg(text, bigint, bigint) IS 'sketch of the k items with the highest sums of weights; NULL weights are skipped; NULL over no rows; errors: 22023, 22004, 22003, 54000 for an item of more than 1 MB';

CREATE AGGREGATE topk_weighted_agg(value bigint, weight bigint, k bigint) (
    SFUNC = _topk_weighted_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE topk_weighted_agg(bigint, bigint, bigint) IS 'sketch of the k items with the highest sums of weights; NULL weights are skipped; NULL over no rows; errors: 22023, 22004, 22003';

CREATE AGGREGATE topk_union_agg(sketch topk) (
    SFUNC = _topk_union_state, STYPE = topk, SSPACE = 16384, FINALFUNC = _topk_final,
    COMBINEFUNC = _topk_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE topk_union_agg(topk) IS 'union of all sketches, counts added, for the lowest k among them; NULL over no rows; errors: 42804, 22003';

CREATE AGGREGATE approx_top_k(value text, k bigint) (
    SFUNC = _topk_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _approx_top_k_final,
    COMBINEFUNC = _topk_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE approx_top_k(text, bigint) IS 'the k most frequent items, descending; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE approx_top_k(value bigint, k bigint) (
    SFUNC = _topk_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _approx_top_k_bigint_final,
    COMBINEFUNC = _topk_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE approx_top_k(bigint, bigint) IS 'the k most frequent items, descending; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE approx_top_count(value text, k bigint) (
    SFUNC = _topk_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _approx_top_count_final,
    COMBINEFUNC = _topk_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE approx_top_count(text, bigint) IS 'the k most frequent items with their counts, descending, as [{"item": ..., "count": ...}, ...]; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE approx_top_count(value bigint, k bigint) (
    SFUNC = _topk_agg_state, STYPE = topk, SSPACE = 1024, FINALFUNC = _approx_top_count_final,
    COMBINEFUNC = _topk_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE approx_top_count(bigint, bigint) IS 'the k most frequent items with their counts, descending, as [{"item": ..., "count": ...}, ...]; NULL over no rows; errors: 22023, 22004';

-- from src/pg/ddsketch/ddsketch.sql

-- ddsketch: which value has a given rank, within a relative error that holds for any input?
-- See src/core/ddsketch/ddsketch.c and src/pg/ddsketch/ddsketch.c.

-- from src/pg/shared/common.sql.in

-- ddsketch: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE ddsketch;

CREATE FUNCTION _ddsketch_in(cstring) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _ddsketch_out(ddsketch) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_out(ddsketch) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _ddsketch_recv(internal) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _ddsketch_send(ddsketch) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_send(ddsketch) IS 'I/O: the packed value';

CREATE FUNCTION _ddsketch_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _ddsketch_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE ddsketch (
    INPUT = _ddsketch_in,
    OUTPUT = _ddsketch_out,
    RECEIVE = _ddsketch_recv,
    SEND = _ddsketch_send,
    ANALYZE = _ddsketch_typanalyze,
    STORAGE = external
);

CREATE FUNCTION ddsketch(payload bytea) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch ddsketch) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(ddsketch) IS 'the packed value';
CREATE CAST (ddsketch AS bytea) WITH FUNCTION bytea(ddsketch);
COMMENT ON CAST (ddsketch AS bytea) IS 'the packed value';

CREATE CAST (bytea AS ddsketch) WITH FUNCTION ddsketch(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS ddsketch) IS 'the packed value, validated';

-- ddsketch: equality and hash of the packed bytes

CREATE FUNCTION _ddsketch_eq(ddsketch, ddsketch) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_eq(ddsketch, ddsketch) IS 'equal';

CREATE FUNCTION _ddsketch_ne(ddsketch, ddsketch) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_ne(ddsketch, ddsketch) IS 'not equal';

CREATE FUNCTION _ddsketch_hash(ddsketch) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_hash(ddsketch) IS 'hash of the packed bytes';

CREATE FUNCTION _ddsketch_hash_extended(ddsketch, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_hash_extended(ddsketch, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- ddsketch: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = ddsketch, RIGHTARG = ddsketch, FUNCTION = _ddsketch_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(ddsketch, ddsketch) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = ddsketch, RIGHTARG = ddsketch, FUNCTION = _ddsketch_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(ddsketch, ddsketch) IS 'not equal';

CREATE OPERATOR CLASS ddsketch_ops DEFAULT FOR TYPE ddsketch USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _ddsketch_hash(ddsketch), FUNCTION 2 _ddsketch_hash_extended(ddsketch, bigint);
COMMENT ON OPERATOR CLASS ddsketch_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY ddsketch_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/ddsketch/ddsketch.sql

COMMENT ON TYPE ddsketch IS
    'DDSketch: percentiles with a guaranteed relative error, union and exact subtraction';

-- Building and changing

CREATE FUNCTION ddsketch_empty(relative_error float8 DEFAULT 0.0055) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ddsketch_empty(float8) IS 'empty sketch, whose percentiles will be within the relative error of the true values, 0.000001 to 0.5; errors: 22023';

CREATE FUNCTION ddsketch_add(sketch ddsketch, value float8) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_add(ddsketch, float8) IS 'the sketch with the value added; errors: 22023 for NaN and infinities, 22003, 54000';

CREATE FUNCTION ddsketch_add(sketch ddsketch, value float8, weight bigint) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_add(ddsketch, float8, bigint) IS 'the sketch with the value added weight times, 0 or more; errors: 22023, 22003 past 2^63-1, 54000';

CREATE FUNCTION ddsketch_add_all(sketch ddsketch, items float8[]) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_add_all(ddsketch, float8[]) IS 'the sketch with all elements added; NULL elements are skipped; errors: 22023, 22003, 54000';

CREATE FUNCTION ddsketch_union(a ddsketch, b ddsketch) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_union(ddsketch, ddsketch) IS 'union: the values of both sketches, exactly, at the larger relative error; errors: 42804 for buckets of the DDSketch library that differ, 22003, 54000';

CREATE FUNCTION ddsketch_difference(a ddsketch, b ddsketch) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_difference(ddsketch, ddsketch) IS 'difference: the values of a without those of b, counted exactly; a minimum or maximum stays exact if b does not reach it; errors: 22023 if b has values that a has not, 42804';

CREATE FUNCTION ddsketch_increase(current ddsketch, previous ddsketch) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_increase' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_increase(ddsketch, ddsketch) IS 'increase of a cumulative sketch since the previous one: current - previous, or all of current after a reset; errors: 42804';

CREATE FUNCTION ddsketch_reduce(sketch ddsketch, relative_error float8) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_reduce' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_reduce(ddsketch, float8) IS 'the sketch with fewer, wider buckets, as if built with this relative error; errors: 22023, 42804';

-- Queries, each of one number and of a list, whose function has a name of its own

CREATE FUNCTION ddsketch_percentile(sketch ddsketch, q float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_percentile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_percentile(ddsketch, float8) IS 'percentile q of the values, 0 to 1, as percentile_disc, within the relative error; NULL when empty; errors: 22023';

CREATE FUNCTION ddsketch_percentiles(sketch ddsketch, q float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_percentile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_percentiles(ddsketch, float8[]) IS 'ddsketch_percentile for each element; NULL for NULL';

CREATE FUNCTION ddsketch_cdf(sketch ddsketch, value float8) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_cdf' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_cdf(ddsketch, float8) IS 'fraction of the values up to the value (below it, if it is negative), 0 to 1; exact at the bounds of buckets, interpolated within a bucket; NULL when empty; errors: 22023 for NaN';

CREATE FUNCTION ddsketch_cdf_each(sketch ddsketch, items float8[]) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_cdf' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_cdf_each(ddsketch, float8[]) IS 'ddsketch_cdf for each element; NULL for NULL';

CREATE FUNCTION ddsketch_rank(sketch ddsketch, value float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_rank(ddsketch, float8) IS 'number of values up to the value (below it, if it is negative); exact at the bounds of buckets, interpolated within a bucket; NULL when empty; errors: 22023 for NaN';

CREATE FUNCTION ddsketch_rank_each(sketch ddsketch, items float8[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_rank_each(ddsketch, float8[]) IS 'ddsketch_rank for each element; NULL for NULL';

CREATE FUNCTION ddsketch_count(sketch ddsketch) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ddsketch_count(ddsketch) IS 'number of values, weights included; reads the header only';

CREATE FUNCTION ddsketch_count(sketch ddsketch, low float8, high float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_count_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_count(ddsketch, float8, float8) IS 'number of values above low and up to high, as ddsketch_rank counts them; exact at the bounds of buckets; errors: 22023';

CREATE FUNCTION ddsketch_counts(sketch ddsketch, bounds float8[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_counts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_counts(ddsketch, float8[]) IS 'numbers of values up to the first of ascending bounds, above each up to the next, and above the last, as ddsketch_rank counts them: one more than bounds; errors: 22023, 22004, 2202E';

CREATE FUNCTION ddsketch_sum(sketch ddsketch) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_sum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_sum(ddsketch) IS 'sum of all values, within the relative error of each; NULL when empty; errors: 22003';

CREATE FUNCTION ddsketch_mean(sketch ddsketch) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_mean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_mean(ddsketch) IS 'mean of all values, within the relative error of each; NULL when empty';

CREATE FUNCTION ddsketch_stddev(sketch ddsketch) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_stddev' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_stddev(ddsketch) IS 'standard deviation of the values as a sample, as stddev; NULL for fewer than two values; errors: 22003';

CREATE FUNCTION ddsketch_min(sketch ddsketch) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_min(ddsketch) IS 'minimum, exact; within the relative error after a subtraction or from counts of buckets; NULL when empty';

CREATE FUNCTION ddsketch_max(sketch ddsketch) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_max(ddsketch) IS 'maximum, exact; within the relative error after a subtraction or from counts of buckets; NULL when empty';

CREATE FUNCTION ddsketch_info(sketch ddsketch, OUT relative_error float8, OUT scale int, OUT gamma float8, OUT buckets int, OUT count bigint, OUT min float8, OUT max float8, OUT min_is_exact boolean, OUT max_is_exact boolean, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_info(ddsketch) IS 'relative error, scale (NULL for buckets of the DDSketch library), factor between bounds of buckets, number of buckets and of values, minimum and maximum and whether they are exact, bytes of the packed value';

-- Looking at it

CREATE FUNCTION ddsketch_buckets(sketch ddsketch, OUT lower float8, OUT upper float8, OUT count bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_buckets' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 200;
COMMENT ON FUNCTION ddsketch_buckets(ddsketch) IS 'buckets that are not empty, ascending; a bucket includes its bound that is farther from zero';

CREATE FUNCTION ddsketch_histogram(sketch ddsketch, buckets bigint, OUT lower float8, OUT upper float8, OUT count bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_histogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION ddsketch_histogram(ddsketch, bigint) IS 'histogram of 1 to 10000 buckets of equal width, with estimated counts that add up to the number of values; errors: 22023';

CREATE FUNCTION ddsketch_sparkline(sketch ddsketch, width bigint DEFAULT 40) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_sparkline' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_sparkline(ddsketch, bigint) IS 'histogram drawn as a line of bars, 1 to 1000 wide; NULL when empty; errors: 22023';

CREATE FUNCTION ddsketch_describe(sketch ddsketch) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_describe(ddsketch) IS 'human-readable summary: count, minimum and maximum, median, relative error, bytes';

-- Other systems' sketches

CREATE FUNCTION ddsketch_from_exponential_histogram(scale int, zero_count bigint, positive_offset int, positive bigint[], negative_offset int DEFAULT 0, negative bigint[] DEFAULT '{}', min float8 DEFAULT NULL, max float8 DEFAULT NULL) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_from_exponential_histogram' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ddsketch_from_exponential_histogram(int, bigint, int, bigint[], int, bigint[], float8, float8) IS 'reads an exponential histogram of OpenTelemetry, exactly: bucket i holds values above base^(offset + i), base = 2^(2^-scale), scale -10 to 20; for Prometheus the schema is the scale, and indexes are one less; min and max may be NULL; errors: 22023, 22003, 22004, 2202E, 54000';

CREATE FUNCTION ddsketch_to_exponential_histogram(sketch ddsketch, OUT scale int, OUT zero_count bigint, OUT positive_offset int, OUT positive bigint[], OUT negative_offset int, OUT negative bigint[], OUT min float8, OUT max float8) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_to_exponential_histogram' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_to_exponential_histogram(ddsketch) IS 'exponential histogram of OpenTelemetry with the same buckets; min and max are NULL unless they are exact; errors: 42804 for buckets of the DDSketch library, 54000 past 1,000,000 buckets';

CREATE FUNCTION ddsketch_from_ddsketch(payload bytea, ceiling boolean DEFAULT false) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_from_ddsketch' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ddsketch_from_ddsketch(bytea, boolean) IS 'reads and validates a DDSketch (Datadog) from its Protocol Buffers message; it keeps its buckets and merges with sketches of the same ones; ceiling: from a library that rounds their indexes up, as those for Python and JavaScript do; errors: 22P03, 22003, 54000';

CREATE FUNCTION ddsketch_to_ddsketch(sketch ddsketch, ceiling boolean DEFAULT false) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_to_ddsketch' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ddsketch_to_ddsketch(ddsketch, boolean) IS 'Protocol Buffers message of DDSketch (Datadog); ceiling: for a library that rounds the indexes of buckets up, as those for Python and JavaScript do; errors: 22023 at scale -10, 54000 past 1,000,000 buckets';

-- Operators

CREATE OPERATOR | (
    LEFTARG = ddsketch, RIGHTARG = ddsketch, FUNCTION = ddsketch_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(ddsketch, ddsketch) IS 'union';

CREATE OPERATOR - (
    LEFTARG = ddsketch, RIGHTARG = ddsketch, FUNCTION = ddsketch_difference
);
COMMENT ON OPERATOR -(ddsketch, ddsketch) IS 'difference: the values of the left sketch without those of the right';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _ddsketch_union_state(ddsketch, ddsketch) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_union_state(ddsketch, ddsketch) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _ddsketch_combine(ddsketch, ddsketch) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_combine(ddsketch, ddsketch) IS 'combine function of aggregates with a relative error, which must be the same in all states';

CREATE FUNCTION _ddsketch_final(ddsketch) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_final(ddsketch) IS 'final function: the packed state';

CREATE FUNCTION _ddsketch_agg_state(ddsketch, float8) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _ddsketch_agg_state(ddsketch, float8) IS 'transition function';

CREATE FUNCTION _ddsketch_agg_state(ddsketch, float8, float8) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _ddsketch_agg_state(ddsketch, float8, float8) IS 'transition function';

CREATE FUNCTION _ddsketch_weighted_agg_state(ddsketch, float8, bigint) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_weighted_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _ddsketch_weighted_agg_state(ddsketch, float8, bigint) IS 'transition function';

CREATE FUNCTION _ddsketch_weighted_agg_state(ddsketch, float8, bigint, float8) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_weighted_agg_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _ddsketch_weighted_agg_state(ddsketch, float8, bigint, float8) IS 'transition function';

CREATE FUNCTION _ddsketch_union_percentile_state(ddsketch, ddsketch, float8) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_union_percentile_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_union_percentile_state(ddsketch, ddsketch, float8) IS 'transition function';

CREATE FUNCTION _ddsketch_union_percentiles_state(ddsketch, ddsketch, float8[]) RETURNS ddsketch
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_union_percentile_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_union_percentiles_state(ddsketch, ddsketch, float8[]) IS 'transition function';

CREATE FUNCTION _ddsketch_union_percentile_final(ddsketch) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_union_percentile_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_union_percentile_final(ddsketch) IS 'final function: the percentile that the state carries';

CREATE FUNCTION _ddsketch_union_percentiles_final(ddsketch) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_union_percentile_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_union_percentiles_final(ddsketch) IS 'final function: the percentiles that the state carries';

CREATE FUNCTION _ddsketch_union_percentile_moving_final(internal) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_union_percentile_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_union_percentile_moving_final(internal) IS 'final function over moving frames: the percentiles that were requested';

CREATE FUNCTION _ddsketch_union_percentiles_moving_final(internal) RETURNS float8[]
    AS 'MODULE_PATHNAME', 'sketches_ddsketch_union_percentile_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _ddsketch_union_percentiles_moving_final(internal) IS 'final function over moving frames: the percentiles that were requested';

CREATE AGGREGATE ddsketch_agg(value float8) (
    SFUNC = _ddsketch_agg_state, STYPE = ddsketch, SSPACE = 512, FINALFUNC = _ddsketch_final,
    COMBINEFUNC = _ddsketch_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ddsketch_agg(float8) IS 'sketch of the values, relative error 0.54%; NULL over no rows; errors: 22023 for NaN and infinities, 54000';

CREATE AGGREGATE ddsketch_agg(value float8, relative_error float8) (
    SFUNC = _ddsketch_agg_state, STYPE = ddsketch, SSPACE = 512, FINALFUNC = _ddsketch_final,
    COMBINEFUNC = _ddsketch_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ddsketch_agg(float8, float8) IS 'sketch of the values with this relative error; NULL over no rows; errors: 22023, 22004, 54000';

CREATE AGGREGATE ddsketch_weighted_agg(value float8, weight bigint) (
    SFUNC = _ddsketch_weighted_agg_state, STYPE = ddsketch, SSPACE = 2048, FINALFUNC = _ddsketch_final,
    COMBINEFUNC = _ddsketch_union_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ddsketch_weighted_agg(float8, bigint) IS 'sketch of values with weights, 0 or more, relative error 0.54%; NULL over no rows; errors: 22023, 22003, 54000';

CREATE AGGREGATE ddsketch_weighted_agg(value float8, weight bigint, relative_error float8) (
    SFUNC = _ddsketch_weighted_agg_state, STYPE = ddsketch, SSPACE = 2048, FINALFUNC = _ddsketch_final,
    COMBINEFUNC = _ddsketch_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ddsketch_weighted_agg(float8, bigint, float8) IS 'sketch of values with weights, 0 or more, with this relative error; NULL over no rows; errors: 22023, 22004, 22003, 54000';

CREATE AGGREGATE ddsketch_union_agg(sketch ddsketch) (
    SFUNC = _ddsketch_union_state, STYPE = ddsketch, SSPACE = 4096, FINALFUNC = _ddsketch_final,
    COMBINEFUNC = _ddsketch_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE ddsketch_union_agg(ddsketch) IS 'union of all sketches, exactly, at the largest relative error among them; NULL over no rows; errors: 42804, 22003, 54000';

CREATE AGGREGATE ddsketch_union_percentile_agg(sketch ddsketch, q float8) (
    SFUNC = _ddsketch_union_percentile_state, STYPE = ddsketch, SSPACE = 4096, FINALFUNC = _ddsketch_union_percentile_final,
    COMBINEFUNC = _ddsketch_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union_percentile, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _ddsketch_union_percentile_moving_final
);
COMMENT ON AGGREGATE ddsketch_union_percentile_agg(ddsketch, float8) IS 'percentile q of the values of all sketches, 0 to 1, as percentile_disc within the relative error; NULL over no rows and when all are empty; errors: 42804, 22023, 22004, 22003, 54000';

CREATE AGGREGATE ddsketch_union_percentiles_agg(sketch ddsketch, q float8[]) (
    SFUNC = _ddsketch_union_percentiles_state, STYPE = ddsketch, SSPACE = 4096, FINALFUNC = _ddsketch_union_percentiles_final,
    COMBINEFUNC = _ddsketch_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union_percentile, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _ddsketch_union_percentiles_moving_final
);
COMMENT ON AGGREGATE ddsketch_union_percentiles_agg(ddsketch, float8[]) IS 'ddsketch_union_percentile_agg for each element, at most 255; errors: 42804, 22023, 22004, 22003, 2202E, 54000';

-- from src/pg/theta/theta.sql

-- theta: how many distinct items are in an expression of sets? See src/core/theta/theta.c and
-- src/pg/theta/theta.c.

-- from src/pg/shared/common.sql.in

-- theta: in and out, as text, binary and bytea, which all carry the packed value

CREATE TYPE theta;

CREATE FUNCTION _theta_in(cstring) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_in(cstring) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _theta_out(theta) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_out(theta) IS 'I/O: base64 of the packed value';

CREATE FUNCTION _theta_recv(internal) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_recv(internal) IS 'I/O: the packed value';

CREATE FUNCTION _theta_send(theta) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_send(theta) IS 'I/O: the packed value';

CREATE FUNCTION _theta_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_typanalyze' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _theta_typanalyze(internal) IS 'ANALYZE: NULLs, width and distinct values';

CREATE TYPE theta (
    INPUT = _theta_in,
    OUTPUT = _theta_out,
    RECEIVE = _theta_recv,
    SEND = _theta_send,
    ANALYZE = _theta_typanalyze,
    STORAGE = external
);

CREATE FUNCTION theta(payload bytea) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta(bytea) IS 'the value whose bytes these are, as its cast to bytea gives them; validated; errors: 22P03';

CREATE FUNCTION bytea(sketch theta) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION bytea(theta) IS 'the packed value';
CREATE CAST (theta AS bytea) WITH FUNCTION bytea(theta);
COMMENT ON CAST (theta AS bytea) IS 'the packed value';

CREATE CAST (bytea AS theta) WITH FUNCTION theta(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS theta) IS 'the packed value, validated';

-- theta: equality and hash of the packed bytes

CREATE FUNCTION _theta_eq(theta, theta) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_eq(theta, theta) IS 'equal';

CREATE FUNCTION _theta_ne(theta, theta) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_ne(theta, theta) IS 'not equal';

CREATE FUNCTION _theta_hash(theta) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_hash(theta) IS 'hash of the packed bytes';

CREATE FUNCTION _theta_hash_extended(theta, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_hash_extended(theta, bigint) IS 'seeded hash of the packed bytes';

-- from src/pg/shared/equality.sql.in

-- theta: = and <>, and the hash operator class, so that GROUP BY, DISTINCT, EXCEPT and joins work. There
-- is no order: count(DISTINCT sketch) would be the number of different sketches.

CREATE OPERATOR = (
    LEFTARG = theta, RIGHTARG = theta, FUNCTION = _theta_eq, COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR =(theta, theta) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = theta, RIGHTARG = theta, FUNCTION = _theta_ne, COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <>(theta, theta) IS 'not equal';

CREATE OPERATOR CLASS theta_ops DEFAULT FOR TYPE theta USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 _theta_hash(theta), FUNCTION 2 _theta_hash_extended(theta, bigint);
COMMENT ON OPERATOR CLASS theta_ops USING hash IS 'equality of the packed bytes';
COMMENT ON OPERATOR FAMILY theta_ops USING hash IS 'equality of the packed bytes';

-- from src/pg/theta/theta.sql

COMMENT ON TYPE theta IS
    'theta sketch of Apache DataSketches: distinct items of unions, intersections and differences '
    'of any number of sets; standard error 1.6% in 23 kB';

-- Building and changing. Each type of a value has functions of its own: an int would become
-- double precision, which is preferred to bigint.

CREATE FUNCTION theta_empty(lgk bigint DEFAULT 12) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_empty(bigint) IS 'empty sketch of at most 2^lgk hashes, lgk 4 to 26; standard error 1 / sqrt(2^lgk - 1); errors: 22023';

CREATE FUNCTION theta_add(sketch theta, value smallint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add(theta, smallint) IS 'the sketch with the value added';

CREATE FUNCTION theta_add(sketch theta, value int) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add(theta, int) IS 'the sketch with the value added';

CREATE FUNCTION theta_add(sketch theta, value bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add(theta, bigint) IS 'the sketch with the value added';

CREATE FUNCTION theta_add(sketch theta, value float8) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add(theta, float8) IS 'the sketch with the value added';

CREATE FUNCTION theta_add(sketch theta, value text) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add(theta, text) IS 'the sketch with the value added';

CREATE FUNCTION theta_add(sketch theta, value bytea) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add(theta, bytea) IS 'the sketch with the value added';

CREATE FUNCTION theta_add_all(sketch theta, items smallint[]) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add_all(theta, smallint[]) IS 'the sketch with all elements added; NULL elements are skipped';

CREATE FUNCTION theta_add_all(sketch theta, items int[]) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add_all(theta, int[]) IS 'the sketch with all elements added; NULL elements are skipped';

CREATE FUNCTION theta_add_all(sketch theta, items bigint[]) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add_all(theta, bigint[]) IS 'the sketch with all elements added; NULL elements are skipped';

CREATE FUNCTION theta_add_all(sketch theta, items float8[]) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add_all(theta, float8[]) IS 'the sketch with all elements added; NULL elements are skipped';

CREATE FUNCTION theta_add_all(sketch theta, items text[]) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add_all(theta, text[]) IS 'the sketch with all elements added; NULL elements are skipped';

CREATE FUNCTION theta_add_all(sketch theta, items bytea[]) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add_all(theta, bytea[]) IS 'the sketch with all elements added; NULL elements are skipped';

CREATE FUNCTION theta_add_all(sketch theta, items text) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_add_all(theta, text) IS 'theta_add_all for an array without a type, such as ''{a,b}'', whose elements are texts; errors: 22P02';

CREATE FUNCTION theta_reduce(sketch theta, lgk bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_reduce' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_reduce(theta, bigint) IS 'the sketch reduced to at most 2^lgk hashes; errors: 22023';

CREATE FUNCTION theta_union(a theta, b theta) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_union' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_union(theta, theta) IS 'union: distinct items of either sketch, at the lower lgk of the two';

CREATE FUNCTION theta_intersection(a theta, b theta) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_intersection' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_intersection(theta, theta) IS 'intersection: distinct items in both sketches, at the lower lgk of the two';

CREATE FUNCTION theta_difference(a theta, b theta) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_difference(theta, theta) IS 'difference: distinct items in the first sketch and not in the second';

-- Asking

CREATE FUNCTION theta_cardinality(sketch theta) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_theta_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_cardinality(theta) IS 'estimated number of distinct items; reads the header only';

CREATE FUNCTION theta_bounds(sketch theta, sigmas bigint DEFAULT 2, OUT lower float8, OUT estimate float8, OUT upper float8) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_theta_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_bounds(theta, bigint) IS 'the estimate with its bounds of 1, 2 or 3 standard deviations, as DataSketches computes them; errors: 22023';

CREATE FUNCTION theta_jaccard(a theta, b theta, OUT lower float8, OUT estimate float8, OUT upper float8) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_theta_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION theta_jaccard(theta, theta) IS 'Jaccard index: intersection divided by union, 0 to 1, with its bounds of 2 standard deviations, as DataSketches computes them; NULL when both are empty';

CREATE FUNCTION theta_contains(sketch theta, value smallint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_theta_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_contains(theta, smallint) IS 'true if the sketch has the item, false if it has not, NULL if its hash is outside of the sample; an exact sketch is never NULL';

CREATE FUNCTION theta_contains(sketch theta, value int) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_theta_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_contains(theta, int) IS 'true if the sketch has the item, false if it has not, NULL if its hash is outside of the sample; an exact sketch is never NULL';

CREATE FUNCTION theta_contains(sketch theta, value bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_theta_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_contains(theta, bigint) IS 'true if the sketch has the item, false if it has not, NULL if its hash is outside of the sample; an exact sketch is never NULL';

CREATE FUNCTION theta_contains(sketch theta, value float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_theta_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_contains(theta, float8) IS 'true if the sketch has the item, false if it has not, NULL if its hash is outside of the sample; an exact sketch is never NULL';

CREATE FUNCTION theta_contains(sketch theta, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_theta_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_contains(theta, text) IS 'true if the sketch has the item, false if it has not, NULL if its hash is outside of the sample; an exact sketch is never NULL';

CREATE FUNCTION theta_contains(sketch theta, value bytea) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_theta_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_contains(theta, bytea) IS 'true if the sketch has the item, false if it has not, NULL if its hash is outside of the sample; an exact sketch is never NULL';

CREATE FUNCTION theta_info(sketch theta, OUT lgk int, OUT hashes int, OUT theta float8, OUT cardinality bigint, OUT relative_error float8, OUT bytes int) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_theta_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_info(theta) IS 'lgk, number of hashes, fraction of all items that they are a sample of (1 while exact), estimate and its relative standard error, bytes of the packed value';

CREATE FUNCTION theta_describe(sketch theta) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_theta_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION theta_describe(theta) IS 'human-readable summary: estimate and standard error, hashes, lgk, bytes';

-- DataSketches

CREATE FUNCTION theta_from_datasketches(payload bytea) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_from_datasketches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_from_datasketches(bytea) IS 'reads and validates a compact theta sketch of DataSketches, serial versions 1 to 4, at lgk 12 or the lowest that holds all hashes; errors: 22P03';

CREATE FUNCTION theta_from_datasketches(payload bytea, lgk bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_from_datasketches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_from_datasketches(bytea, bigint) IS 'theta_from_datasketches at this lgk; hashes past 2^lgk are dropped; errors: 22P03, 22023';

CREATE FUNCTION theta_to_datasketches(sketch theta, compressed boolean DEFAULT true) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_theta_to_datasketches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION theta_to_datasketches(theta, boolean) IS 'compact theta sketch of DataSketches, serial version 4, or 3 if not compressed';

-- Operators

CREATE OPERATOR | (
    LEFTARG = theta, RIGHTARG = theta, FUNCTION = theta_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(theta, theta) IS 'union';

CREATE OPERATOR & (
    LEFTARG = theta, RIGHTARG = theta, FUNCTION = theta_intersection, COMMUTATOR = &
);
COMMENT ON OPERATOR &(theta, theta) IS 'intersection';

CREATE OPERATOR - (
    LEFTARG = theta, RIGHTARG = theta, FUNCTION = theta_difference
);
COMMENT ON OPERATOR -(theta, theta) IS 'difference';

CREATE OPERATOR # (
    RIGHTARG = theta, FUNCTION = theta_cardinality
);
COMMENT ON OPERATOR #(NONE, theta) IS 'estimated number of distinct items';

CREATE OPERATOR @> (
    LEFTARG = theta, RIGHTARG = smallint, FUNCTION = theta_contains, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(theta, smallint) IS 'has the item; NULL if its hash is outside of the sample';

CREATE OPERATOR @> (
    LEFTARG = theta, RIGHTARG = int, FUNCTION = theta_contains, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(theta, int) IS 'has the item; NULL if its hash is outside of the sample';

CREATE OPERATOR @> (
    LEFTARG = theta, RIGHTARG = bigint, FUNCTION = theta_contains, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(theta, bigint) IS 'has the item; NULL if its hash is outside of the sample';

CREATE OPERATOR @> (
    LEFTARG = theta, RIGHTARG = float8, FUNCTION = theta_contains, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(theta, float8) IS 'has the item; NULL if its hash is outside of the sample';

CREATE OPERATOR @> (
    LEFTARG = theta, RIGHTARG = text, FUNCTION = theta_contains, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(theta, text) IS 'has the item; NULL if its hash is outside of the sample';

CREATE OPERATOR @> (
    LEFTARG = theta, RIGHTARG = bytea, FUNCTION = theta_contains, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(theta, bytea) IS 'has the item; NULL if its hash is outside of the sample';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _theta_union_state(theta, theta) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_union_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_union_state(theta, theta) IS 'transition and combine function; NULL on either side is skipped';

CREATE FUNCTION _theta_final(theta) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_final(theta) IS 'final function: the packed state';

CREATE FUNCTION _theta_agg_combine(theta, theta) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_agg_combine(theta, theta) IS 'combine function: the union of states of one lgk';

CREATE FUNCTION _theta_agg_state(theta, smallint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_smallint_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, smallint) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, int) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_integer_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, int) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_bigint_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, bigint) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, float8) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_float8_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, float8) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, text) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, text) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, bytea) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_bytea_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, bytea) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, smallint, bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_smallint_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, smallint, bigint) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, int, bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_integer_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, int, bigint) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, bigint, bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_bigint_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, bigint, bigint) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, float8, bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_float8_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, float8, bigint) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, text, bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_text_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, text, bigint) IS 'transition function';

CREATE FUNCTION _theta_agg_state(theta, bytea, bigint) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_agg_bytea_state' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _theta_agg_state(theta, bytea, bigint) IS 'transition function';

CREATE FUNCTION _theta_intersection_state(theta, theta) RETURNS theta
    AS 'MODULE_PATHNAME', 'sketches_theta_intersection_state' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_intersection_state(theta, theta) IS 'transition and combine function; NULL on either side is skipped';

CREATE AGGREGATE theta_agg(value smallint) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(smallint) IS 'sketch of the distinct values, lgk 12; NULL over no rows';

CREATE AGGREGATE theta_agg(value int) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(int) IS 'sketch of the distinct values, lgk 12; NULL over no rows';

CREATE AGGREGATE theta_agg(value bigint) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(bigint) IS 'sketch of the distinct values, lgk 12; NULL over no rows';

CREATE AGGREGATE theta_agg(value float8) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(float8) IS 'sketch of the distinct values, lgk 12; NULL over no rows';

CREATE AGGREGATE theta_agg(value text) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(text) IS 'sketch of the distinct values, lgk 12; NULL over no rows';

CREATE AGGREGATE theta_agg(value bytea) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(bytea) IS 'sketch of the distinct values, lgk 12; NULL over no rows';

CREATE AGGREGATE theta_agg(value smallint, lgk bigint) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(smallint, bigint) IS 'sketch of the distinct values, lgk 4 to 26; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE theta_agg(value int, lgk bigint) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(int, bigint) IS 'sketch of the distinct values, lgk 4 to 26; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE theta_agg(value bigint, lgk bigint) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(bigint, bigint) IS 'sketch of the distinct values, lgk 4 to 26; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE theta_agg(value float8, lgk bigint) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(float8, bigint) IS 'sketch of the distinct values, lgk 4 to 26; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE theta_agg(value text, lgk bigint) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(text, bigint) IS 'sketch of the distinct values, lgk 4 to 26; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE theta_agg(value bytea, lgk bigint) (
    SFUNC = _theta_agg_state, STYPE = theta, SSPACE = 512, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_agg_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_agg(bytea, bigint) IS 'sketch of the distinct values, lgk 4 to 26; NULL over no rows; errors: 22023, 22004';

CREATE AGGREGATE theta_union_agg(sketch theta) (
    SFUNC = _theta_union_state, STYPE = theta, SSPACE = 16384, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _sketches_moving_final, MFINALFUNC_EXTRA
);
COMMENT ON AGGREGATE theta_union_agg(theta) IS 'union of all sketches, at the lowest lgk among them; NULL over no rows';

CREATE FUNCTION _theta_union_cardinality_final(theta) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_theta_cardinality_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _theta_union_cardinality_final(theta) IS 'final function: the cardinality, 0 for no state';

CREATE FUNCTION _theta_union_cardinality_moving_final(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_theta_union_cardinality_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _theta_union_cardinality_moving_final(internal) IS 'final function over moving frames: the cardinality';

CREATE AGGREGATE theta_union_cardinality_agg(sketch theta) (
    SFUNC = _theta_union_state, STYPE = theta, SSPACE = 16384, FINALFUNC = _theta_union_cardinality_final,
    COMBINEFUNC = _theta_union_state, PARALLEL = SAFE,
    MSFUNC = _sketches_moving_union, MINVFUNC = _sketches_moving_inverse, MSTYPE = internal, MSSPACE = 65536,
    MFINALFUNC = _theta_union_cardinality_moving_final
);
COMMENT ON AGGREGATE theta_union_cardinality_agg(theta) IS 'estimated number of distinct items in the union of all sketches, without packing it; 0 over no rows';

CREATE AGGREGATE theta_intersection_agg(sketch theta) (
    SFUNC = _theta_intersection_state, STYPE = theta, SSPACE = 16384, FINALFUNC = _theta_final,
    COMBINEFUNC = _theta_intersection_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE theta_intersection_agg(theta) IS 'intersection of all sketches, at the lowest lgk among them; NULL over no rows';

-- from src/pg/rollup/rollup.sql

-- rollup: a query with GROUP BY that is kept up to date. See doc/rollups.md. What rollup_create makes are ordinary
-- tables, views and functions of the user's: template.sql has their text.

CREATE FUNCTION rollup_script(name text, query text, merge jsonb DEFAULT '{}', each_row boolean DEFAULT false) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_rollup_script' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_script(text, text, jsonb, boolean) IS 'the script that rollup_create would run; errors: 0A000, 42601, 42501, 42P17, 42602, 3F000, 42703, 42883, 22023, 55000';

CREATE FUNCTION rollup_create(name text, query text, merge jsonb DEFAULT '{}', each_row boolean DEFAULT false) RETURNS regclass
    AS 'MODULE_PATHNAME', 'sketches_rollup_create' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_create(text, text, jsonb, boolean) IS 'makes a rollup and returns its view, which equals the query at every snapshot; merge names the aggregate that merges a column where there is no usual one; each_row follows single rows, also those that a subscription of logical replication writes; errors: 0A000, 42601, 42501, 42P17, 42602, 3F000, 42703, 42883, 22023, 42P07, 25001, 55006, 55000';

CREATE FUNCTION rollup_refresh(rollup regclass, back_to text DEFAULT NULL) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_rollup_refresh' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_refresh(regclass, text) IS 'merges what has changed into the stored groups, of those from back_to on if it is given, and takes in new partitions; returns the number of groups stored; errors: 42809, 0A000, 22007, 25001, 55000, 55006, 42501';

CREATE FUNCTION rollup_freeze(rollup regclass, before text) RETURNS void
    AS 'MODULE_PATHNAME', 'sketches_rollup_freeze' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_freeze(regclass, text) IS 'refreshes, and keeps the groups before a period as they are from then on, whatever happens to their rows; errors: 42809, 0A000, 22007, 25001, 55000, 55006, 42501';

CREATE FUNCTION rollup_repair(rollup regclass) RETURNS void
    AS 'MODULE_PATHNAME', 'sketches_rollup_repair' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_repair(regclass) IS 'makes the views of a rollup again, and triggers that are not as they should be, and has all groups that are not frozen computed anew; errors: 42809, 42501, 55000, 25001, 55006';

CREATE FUNCTION rollup_alter(rollup regclass, query text, merge jsonb DEFAULT '{}') RETURNS void
    AS 'MODULE_PATHNAME', 'sketches_rollup_alter' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_alter(regclass, text, jsonb) IS 'gives a rollup another query of the same table and groups: columns that come are computed, those that go are dropped, and all others keep what is stored; errors: 42809, 0A000, 42P16, 2BP01, 42601, 42501, 42703, 42883, 22023, 25001, 55006, 55000';

CREATE FUNCTION rollup_status(rollup regclass, OUT deltas bigint, OUT marked bigint, OUT oldest text, OUT uncomputed text, OUT frozen text, OUT refreshed timestamptz, OUT row_bytes bigint, OUT log_bytes bigint, OUT problem text) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_rollup_status' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_status(regclass) IS 'what is waiting for a refresh, what is frozen, bytes, and what is wrong, with the statement that fixes it; errors: 42809, 42501, 55000';

CREATE FUNCTION rollup_list(OUT rollup regclass, OUT source regclass, OUT owner regrole, OUT period text, OUT row_bytes bigint, OUT log_bytes bigint, OUT problem text) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_rollup_list' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION rollup_list() IS 'all rollups of the database, and what is wrong with them';

CREATE FUNCTION rollup_check(rollup regclass, OUT found_in text, OUT contents jsonb) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_rollup_check' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_check(regclass) IS 'groups that differ between a rollup and its query, in the columns that no order of merging changes; none of those that are frozen; errors: 42809, 42501, 55000';

CREATE FUNCTION rollup_drop(rollup text) RETURNS void
    AS 'MODULE_PATHNAME', 'sketches_rollup_drop' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION rollup_drop(text) IS 'drops a rollup, also what DROP TABLE ... CASCADE left of it; errors: 42809, 42501, 2BP01, 42602, 55000';

-- Private, but in objects of users, which name them: for ever.

CREATE FUNCTION _rollup_write() RETURNS trigger
    AS 'MODULE_PATHNAME', 'sketches_rollup_write' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 100;
COMMENT ON FUNCTION _rollup_write() IS 'the trigger of rollups: logs what a statement or a row changed, for the rollup whose state is in the condition of the trigger; errors: 42501, 55000';

CREATE FUNCTION _rollup_moves(is_deleted boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_rollup_moves' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION _rollup_moves(boolean) IS 'whether a row is deleted or inserted by an UPDATE of a partitioned table';

CREATE FUNCTION _rollup_late(state regclass, secret uuid, filling boolean DEFAULT false) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_rollup_late' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION _rollup_late(regclass, uuid, boolean) IS 'groups for which a reader of a rollup of a partitioned table reads the table, or with filling the columns that came later; errors: 42501, 55000, 0A000';

CREATE FUNCTION _rollup_touched(state regclass, secret uuid) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_rollup_touched' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 100;
COMMENT ON FUNCTION _rollup_touched(regclass, uuid) IS 'groups of facts that are joined to what has changed, for a reader of a rollup of joined tables; errors: 42501, 55000, 0A000';

CREATE FUNCTION _rollup_hashed_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_rollup_hashed_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _rollup_hashed_support(internal) IS 'planner support: of a list of groups, one row is expected';

CREATE FUNCTION _rollup_hashed(mark smallint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_rollup_hashed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT _rollup_hashed_support;
COMMENT ON FUNCTION _rollup_hashed(smallint) IS 'true, which the planner expects of no row, so that it hashes a list of groups of any length';

CREATE FUNCTION _rollup_variance(count bigint, sum numeric, squares numeric, is_sample boolean) RETURNS numeric
    AS 'MODULE_PATHNAME', 'sketches_rollup_variance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _rollup_variance(bigint, numeric, numeric, boolean) IS 'variance of numbers of which the sum, and the sum of squares, are given; NULL of too few';

CREATE FUNCTION _rollup_stddev(count bigint, sum numeric, squares numeric, is_sample boolean) RETURNS numeric
    AS 'MODULE_PATHNAME', 'sketches_rollup_stddev' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _rollup_stddev(bigint, numeric, numeric, boolean) IS 'the standard deviation, likewise';

CREATE AGGREGATE _rollup_moments(value float8) (
    SFUNC = pg_catalog.float8_accum,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    COMBINEFUNC = pg_catalog.float8_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE _rollup_moments(float8) IS
    'how many numbers, their sum, and the sum of squares of their distances from the mean';
CREATE AGGREGATE _rollup_moments_union(moments float8[]) (
    SFUNC = pg_catalog.float8_combine,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    COMBINEFUNC = pg_catalog.float8_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE _rollup_moments_union(float8[]) IS 'the moments of all that they are of';
