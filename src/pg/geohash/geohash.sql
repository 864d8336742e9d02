-- geohash: a position on Earth as 60 bits in Z-order, which a btree index orders by nearness.

CREATE TYPE geohash;

CREATE FUNCTION _geohash_in(cstring) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
CREATE FUNCTION _geohash_out(geohash) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sketches_geohash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_recv(internal) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_send(geohash) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_geohash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _geohash_in(cstring) IS
    'I/O: 1 to 12 characters, filled up with 0; errors: 22P02';
COMMENT ON FUNCTION _geohash_out(geohash) IS 'I/O: 12 characters';
COMMENT ON FUNCTION _geohash_recv(internal) IS 'I/O: 8 bytes, big-endian; errors: 22P03';
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
COMMENT ON FUNCTION geohash(float8, float8) IS
    'the geohash of a position in degrees; errors: 22023';

-- Casts.

CREATE CAST (geohash AS bigint) WITHOUT FUNCTION;
COMMENT ON CAST (geohash AS bigint) IS 'the 60 bits as a number';

CREATE FUNCTION geohash(payload bigint) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_from_bigint'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bigint AS geohash) WITH FUNCTION geohash(bigint);
COMMENT ON FUNCTION geohash(bigint) IS 'the geohash of 60 bits; errors: 22023';
COMMENT ON CAST (bigint AS geohash) IS 'the geohash of 60 bits; errors: 22023';

CREATE FUNCTION bytea(geohash geohash) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_geohash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (geohash AS bytea) WITH FUNCTION bytea(geohash);
COMMENT ON FUNCTION bytea(geohash) IS '8 bytes, big-endian';
COMMENT ON CAST (geohash AS bytea) IS '8 bytes, big-endian';

CREATE FUNCTION geohash(payload bytea) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bytea AS geohash) WITH FUNCTION geohash(bytea);
COMMENT ON FUNCTION geohash(bytea) IS 'the geohash of 8 bytes, big-endian; errors: 22P03';
COMMENT ON CAST (bytea AS geohash) IS 'the geohash of 8 bytes, big-endian; errors: 22P03';

-- Positions, cells, text.

CREATE FUNCTION geohash_lon(geohash geohash) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_geohash_lon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_lon(geohash) IS 'longitude of the middle of the cell, in degrees';

CREATE FUNCTION geohash_lat(geohash geohash) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_geohash_lat' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_lat(geohash) IS 'latitude of the middle of the cell, in degrees';

CREATE FUNCTION geohash_encode(lon float8, lat float8, length int DEFAULT 12) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_geohash_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_encode(float8, float8, int) IS
    'the geohash of a position as text of 1 to 12 characters; errors: 22023';

CREATE FUNCTION geohash_decode(geohash text, OUT lon float8, OUT lat float8, OUT lon_error float8,
                               OUT lat_error float8)
    AS 'MODULE_PATHNAME', 'sketches_geohash_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION geohash_decode(text) IS
    'the middle of a cell of 1 to 12 characters, and the distance from there to its edges, in '
    'degrees; errors: 22P02';

CREATE FUNCTION geohash_bounds(geohash text, OUT lon_min float8, OUT lat_min float8,
                               OUT lon_max float8, OUT lat_max float8)
    AS 'MODULE_PATHNAME', 'sketches_geohash_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION geohash_bounds(text) IS
    'the edges of a cell of 1 to 12 characters, in degrees; errors: 22P02';

CREATE FUNCTION geohash_neighbors(geohash text, OUT n text, OUT ne text, OUT e text, OUT se text,
                                  OUT s text, OUT sw text, OUT w text, OUT nw text)
    AS 'MODULE_PATHNAME', 'sketches_geohash_neighbors' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION geohash_neighbors(text) IS
    'the eight cells around a cell, of its length; NULL beyond a pole; errors: 22P02';

-- Distance.

CREATE FUNCTION geohash_distance(a geohash, b geohash) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_geohash_distance'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION geohash_distance(geohash, geohash) IS
    'metres between the middles of two cells, over a sphere';

CREATE FUNCTION geohash_distance(a geohash, b geohash, unit text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sketches_geohash_distance'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION geohash_distance(geohash, geohash, text) IS
    'distance between the middles of two cells in m, km, ft or mi; errors: 22023';

CREATE OPERATOR <-> (
    LEFTARG = geohash, RIGHTARG = geohash, FUNCTION = geohash_distance, COMMUTATOR = <->
);
COMMENT ON OPERATOR <->(geohash, geohash) IS 'metres between two geohashes';

-- Search. The planner asks _geohash_within_support what a call of geohash_within is, and is told:
-- geohash_between for each of a few ranges that cover the circle, and geohash_within_exact of what
-- lies in them. With a btree index it then reads just these ranges.

CREATE FUNCTION _geohash_between_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_geohash_between_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_between_support(internal) IS
    'planner support: index conditions and selectivity of geohash_between';

CREATE FUNCTION _geohash_within_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_geohash_within_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_within_support(internal) IS
    'planner support: geohash_within as ranges of geohashes';

CREATE FUNCTION _geohash_within_exact_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sketches_geohash_within_exact_support'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _geohash_within_exact_support(internal) IS
    'planner support: which share of the covering ranges is within';

CREATE FUNCTION geohash_between(geohash geohash, lo geohash, hi geohash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_between'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT _geohash_between_support;
COMMENT ON FUNCTION geohash_between(geohash, geohash, geohash) IS
    'whether the geohash lies between lo and hi, both included; uses a btree index';

CREATE FUNCTION geohash_within(geohash geohash, lon float8, lat float8, radius float8,
                               unit text DEFAULT 'm') RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_within'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _geohash_within_support;
COMMENT ON FUNCTION geohash_within(geohash, float8, float8, float8, text) IS
    'whether the geohash lies within a radius of a position; uses a btree index; errors: 22023';

CREATE FUNCTION geohash_within_box(geohash geohash, lon float8, lat float8, width float8,
                                   height float8, unit text DEFAULT 'm') RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_within'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _geohash_within_support;
COMMENT ON FUNCTION geohash_within_box(geohash, float8, float8, float8, float8, text) IS
    'whether the geohash lies within a box around a position; uses a btree index; errors: 22023';

CREATE FUNCTION geohash_within_exact(geohash geohash, lon float8, lat float8, radius float8,
                                     unit text DEFAULT 'm') RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_within'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _geohash_within_exact_support;
COMMENT ON FUNCTION geohash_within_exact(geohash, float8, float8, float8, text) IS
    'geohash_within without an index, as plans show it; errors: 22023';

CREATE FUNCTION geohash_within_box_exact(geohash geohash, lon float8, lat float8, width float8,
                                         height float8, unit text DEFAULT 'm') RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_within'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 SUPPORT _geohash_within_exact_support;
COMMENT ON FUNCTION geohash_within_box_exact(geohash, float8, float8, float8, float8, text) IS
    'geohash_within_box without an index, as plans show it; errors: 22023';

CREATE FUNCTION geohash_cover(lon float8, lat float8, radius float8, unit text DEFAULT 'm',
                              max_ranges int DEFAULT 8, OUT lo geohash, OUT hi geohash)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_geohash_cover'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 8;
COMMENT ON FUNCTION geohash_cover(float8, float8, float8, text, int) IS
    'ranges of geohashes that cover a circle, and a little more; errors: 22023';

CREATE FUNCTION geohash_cover_box(lon float8, lat float8, width float8, height float8,
                                  unit text DEFAULT 'm', max_ranges int DEFAULT 8,
                                  OUT lo geohash, OUT hi geohash)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sketches_geohash_cover'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 8;
COMMENT ON FUNCTION geohash_cover_box(float8, float8, float8, float8, text, int) IS
    'ranges of geohashes that cover a box, and a little more; errors: 22023';

CREATE FUNCTION _geohash_cover_end(lon float8, lat float8, radius float8, unit text, n int)
    RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_cover_end'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _geohash_cover_end(float8, float8, float8, text, int) IS
    'for plans: end n of the four ranges that cover a circle, 1 and 2 those of the first range; '
    'NULL where there are fewer; 0 and 9 are the first and the last geohash';

CREATE FUNCTION _geohash_cover_box_end(lon float8, lat float8, width float8, height float8,
                                      unit text, n int) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_cover_end'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _geohash_cover_box_end(float8, float8, float8, float8, text, int) IS
    'for plans: end n of the four ranges that cover a box, 1 and 2 those of the first range; NULL '
    'where there are fewer; 0 and 9 are the first and the last geohash';

-- Redis.

CREATE FUNCTION geohash_to_redis(geohash geohash) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_geohash_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_to_redis(geohash) IS
    'the score of the middle of the cell in a geo set of Redis; errors: 22023';

CREATE FUNCTION geohash_to_redis(lon float8, lat float8) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_geohash_position_to_redis'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_to_redis(float8, float8) IS
    'the score that GEOADD gives to a position; errors: 22023';

CREATE FUNCTION geohash_from_redis(score bigint) RETURNS geohash
    AS 'MODULE_PATHNAME', 'sketches_geohash_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION geohash_from_redis(bigint) IS
    'the position of a score in a geo set of Redis; errors: 22023';

CREATE FUNCTION geohash_redis_text(geohash geohash) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_geohash_redis_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION geohash_redis_text(geohash) IS
    'the 11 characters that GEOHASH of Redis prints; errors: 22023';

-- Order is that of the 60 bits and of the text: the Z-order of positions.

CREATE FUNCTION _geohash_eq(geohash, geohash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_ne(geohash, geohash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_lt(geohash, geohash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_le(geohash, geohash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_gt(geohash, geohash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_ge(geohash, geohash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_geohash_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_cmp(geohash, geohash) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_geohash_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'sketches_geohash_sortsupport'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_hash(geohash) RETURNS int
    AS 'MODULE_PATHNAME', 'sketches_geohash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _geohash_hash_extended(geohash, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_geohash_hash_extended'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _geohash_eq(geohash, geohash) IS 'implementation of the = operator';
COMMENT ON FUNCTION _geohash_ne(geohash, geohash) IS 'implementation of the <> operator';
COMMENT ON FUNCTION _geohash_lt(geohash, geohash) IS 'implementation of the < operator';
COMMENT ON FUNCTION _geohash_le(geohash, geohash) IS 'implementation of the <= operator';
COMMENT ON FUNCTION _geohash_gt(geohash, geohash) IS 'implementation of the > operator';
COMMENT ON FUNCTION _geohash_ge(geohash, geohash) IS 'implementation of the >= operator';
COMMENT ON FUNCTION _geohash_cmp(geohash, geohash) IS 'less, equal or greater in Z-order';
COMMENT ON FUNCTION _geohash_sortsupport(internal) IS 'sorting without a call for each comparison';
COMMENT ON FUNCTION _geohash_hash(geohash) IS 'hash for hash joins and hash indexes';
COMMENT ON FUNCTION _geohash_hash_extended(geohash, bigint) IS '64-bit hash with a seed';

-- include shared/operators.sql.in: TYPE=geohash; ORDER=Z-order

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
