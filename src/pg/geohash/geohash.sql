-- geohash: a position on Earth as 60 bits in Z-order, which a btree index orders by nearness.

CREATE TYPE geohash;

function _geohash_in(cstring) -> geohash  as sketches_geohash_in cost 10
    I/O: 1 to 12 characters, filled up with 0; errors: 22P02
function _geohash_out(geohash) -> cstring  as sketches_geohash_out cost 1
    I/O: 12 characters
function _geohash_recv(internal) -> geohash  as sketches_geohash_recv cost 1
    I/O: 8 bytes, big-endian; errors: 22P03
function _geohash_send(geohash) -> bytea  as sketches_geohash_send cost 1
    I/O: 8 bytes, big-endian

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

function geohash(lon float8, lat float8) -> geohash  as sketches_geohash cost 1
    geohash of a position in degrees, longitude first; errors: 22023

-- Casts.

cast geohash -> bigint  without function
    60 bits as a number
function geohash(payload bigint) -> geohash  as sketches_geohash_from_bigint cost 1 cast
    geohash of 60 bits; errors: 22003
function geohash(value text) -> geohash  as sketches_from_text cost 10
    geohash read from its text form; for parameters without a type; errors: 22P02
function bytea(geohash geohash) -> bytea  as sketches_geohash_send cost 1 cast
    8 bytes, big-endian
function geohash(payload bytea) -> geohash  as sketches_geohash_from_bytea cost 1 cast
    geohash of 8 bytes, big-endian; errors: 22P03

-- Positions, cells, text.

function geohash_lon(geohash geohash) -> float8  as sketches_geohash_lon cost 1
    longitude of the centre of the cell, in degrees
function geohash_lat(geohash geohash) -> float8  as sketches_geohash_lat cost 1
    latitude of the centre of the cell, in degrees
function geohash_encode(lon float8, lat float8, length bigint = 12) -> text
        as sketches_geohash_encode cost 1
    geohash of a position as text of 1 to 12 characters; errors: 22023
function geohash_decode(geohash text, OUT lon float8, OUT lat float8, OUT lon_error float8,
        OUT lat_error float8)  as sketches_geohash_decode
    centre of a cell of 1 to 12 characters, and half of its width and height, in degrees; errors:
    22P02
function geohash_bounds(geohash text, OUT lon_min float8, OUT lat_min float8, OUT lon_max float8,
        OUT lat_max float8)  as sketches_geohash_bounds
    edges of a cell of 1 to 12 characters, in degrees; errors: 22P02
function geohash_neighbors(geohash text, OUT n text, OUT ne text, OUT e text, OUT se text,
        OUT s text, OUT sw text, OUT w text, OUT nw text)  as sketches_geohash_neighbors
    the eight cells of the same length around a cell; NULL past a pole; errors: 22P02

-- Distance.

function geohash_distance(a geohash, b geohash) -> float8  as sketches_geohash_distance cost 10
    distance between the centres of two cells in metres, on a sphere
function geohash_distance(a geohash, b geohash, unit text) -> float8
        as sketches_geohash_distance cost 10
    distance between the centres of two cells in m, km, ft or mi, on a sphere; errors: 22023
operator geohash <-> geohash  by geohash_distance commutator <->
    distance in metres

-- Search. For a call of geohash_within, _geohash_support gives the planner geohash_between for each
-- of a few ranges that cover the circle, and geohash_within_exact for what lies in them. With a
-- btree index the planner then reads just these ranges.

function _geohash_support(internal) -> internal  as sketches_geohash_support cost 1
    planner support: geohash_within as ranges, their index conditions and selectivity
function geohash_between(geohash geohash, lo geohash, hi geohash) -> boolean
        as sketches_geohash_between cost 1 support _geohash_support
    true if the geohash is between lo and hi, both included; uses a btree index
function geohash_within(geohash geohash, lon float8, lat float8, radius float8, unit text = 'm')
        -> boolean  as sketches_geohash_within cost 10 support _geohash_support
    true if the geohash is within a radius of a position; uses a btree index; errors: 22023
function geohash_within_box(geohash geohash, lon float8, lat float8, width float8, height float8,
        unit text = 'm') -> boolean
        as sketches_geohash_within cost 10 support _geohash_support
    true if the geohash is within a box around a position; uses a btree index; errors: 22023
function geohash_within_exact(geohash geohash, lon float8, lat float8, radius float8,
        unit text = 'm') -> boolean
        as sketches_geohash_within_exact cost 10 support _geohash_support
    geohash_within without an index, as plans show it; errors: 22023
function geohash_within_box_exact(geohash geohash, lon float8, lat float8, width float8,
        height float8, unit text = 'm') -> boolean
        as sketches_geohash_within_exact cost 10 support _geohash_support
    geohash_within_box without an index, as plans show it; errors: 22023
function geohash_cover(lon float8, lat float8, radius float8, unit text = 'm',
        max_ranges bigint = 8, OUT lo geohash, OUT hi geohash) -> setof record  as sketches_geohash_cover cost 1000 rows 8
    ranges of geohashes that cover a circle, at most max_ranges (1 to 64); errors: 22023
function geohash_cover_box(lon float8, lat float8, width float8, height float8, unit text = 'm',
        max_ranges bigint = 8, OUT lo geohash, OUT hi geohash) -> setof record
        as sketches_geohash_cover cost 1000 rows 8
    ranges of geohashes that cover a box, at most max_ranges (1 to 64); errors: 22023
function _geohash_cover_end(lon float8, lat float8, radius float8, unit text, n int) -> geohash
        as sketches_geohash_cover_end cost 5 support _geohash_support
    for plans: end n of the four ranges that cover a circle, 1 and 2 those of the first range; NULL
    where there are fewer; 0 and 9 are the first and the last geohash
function _geohash_cover_box_end(lon float8, lat float8, width float8, height float8, unit text,
        n int) -> geohash  as sketches_geohash_cover_end cost 5 support _geohash_support
    for plans: end n of the four ranges that cover a box, 1 and 2 those of the first range; NULL
    where there are fewer; 0 and 9 are the first and the last geohash

-- Redis.

function geohash_to_redis(geohash geohash) -> bigint  as sketches_geohash_to_redis cost 1
    score of the centre of the cell in a geo set of Redis; errors: 22023
function geohash_to_redis(lon float8, lat float8) -> bigint
        as sketches_geohash_position_to_redis cost 1
    score that GEOADD of Redis computes for a position; at its edges, 180° and 85.05112878°, the
    score of the last cell; errors: 22023
function geohash_from_redis(score bigint) -> geohash  as sketches_geohash_from_redis cost 1
    position of a score in a geo set of Redis; errors: 22003
function geohash_redis_text(geohash geohash) -> text  as sketches_geohash_redis_text cost 10
    11 characters, as GEOHASH of Redis returns them; errors: 22023

-- Order is that of the 60 bits and of the text: the Z-order of positions. The upper four bits of
-- the 64 are 0, so that PostgreSQL's own functions of bigint have it.

function _geohash_eq(geohash, geohash) -> boolean  as internal int8eq cost 1
    implementation of the = operator
function _geohash_ne(geohash, geohash) -> boolean  as internal int8ne cost 1
    implementation of the <> operator
function _geohash_lt(geohash, geohash) -> boolean  as internal int8lt cost 1
    implementation of the < operator
function _geohash_le(geohash, geohash) -> boolean  as internal int8le cost 1
    implementation of the <= operator
function _geohash_gt(geohash, geohash) -> boolean  as internal int8gt cost 1
    implementation of the > operator
function _geohash_ge(geohash, geohash) -> boolean  as internal int8ge cost 1
    implementation of the >= operator
function _geohash_cmp(geohash, geohash) -> int  as internal btint8cmp cost 1
    less, equal or greater in Z-order
function _geohash_sortsupport(internal) -> void  as internal btint8sortsupport cost 1
    sorting without a call for each comparison
function _geohash_hash(geohash) -> int  as internal hashint8 cost 1
    hash for hash joins and hash indexes
function _geohash_hash_extended(geohash, bigint) -> bigint  as internal hashint8extended cost 1
    64-bit hash with a seed

operator geohash = geohash
        by _geohash_eq commutator = negator <> restrict eqsel join eqjoinsel hashes merges
    equal
operator geohash <> geohash  by _geohash_ne commutator <> negator = restrict neqsel join neqjoinsel
    not equal
operator geohash < geohash
        by _geohash_lt commutator > negator >= restrict scalarltsel join scalarltjoinsel
    less than in Z-order
operator geohash <= geohash
        by _geohash_le commutator >= negator > restrict scalarlesel join scalarlejoinsel
    less than or equal in Z-order
operator geohash > geohash
        by _geohash_gt commutator < negator <= restrict scalargtsel join scalargtjoinsel
    greater than in Z-order
operator geohash >= geohash
        by _geohash_ge commutator <= negator < restrict scalargesel join scalargejoinsel
    greater than or equal in Z-order

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
