-- hashed: 64 bits that stand for a value of any type. The definitions are in hashed.c.
--
-- There is no operator on it that a query could mean, on purpose: with implicit casts into it, an =
-- of two hashed would make integer = text resolve, and compare hashes. DISTINCT and ORDER BY inside
-- the call of an aggregate need an order all the same; the operators of its classes have names that
-- nobody writes.

CREATE TYPE hashed;

function _hashed_in(cstring) -> hashed  as sketches_hashed_in cost 1
    I/O: 16 hexadecimal digits
function _hashed_out(hashed) -> cstring  as sketches_hashed_out cost 1
    I/O: 16 hexadecimal digits
function _hashed_recv(internal) -> hashed  as internal int8recv cost 1
    I/O
function _hashed_send(hashed) -> bytea  as internal int8send cost 1
    I/O

CREATE TYPE hashed (
    INPUT = _hashed_in,
    OUTPUT = _hashed_out,
    RECEIVE = _hashed_recv,
    SEND = _hashed_send,
    LIKE = bigint
);

COMMENT ON TYPE hashed IS '64-bit hash of a value, what sketches count; made by implicit casts';

cast hashed -> bigint  without function
    the hash as a number

-- A hash that a client has read comes back through these two. As a parameter of type bigint, text
-- or bytea it would be hashed again.

function hashed_from_hex(hex text) -> hashed  as sketches_hashed_from_hex cost 1
    hash from 16 hexadecimal digits, not hashed again; the inverse of hashed::text; errors: 22P02
function hashed_from_bytea(payload bytea) -> hashed  as sketches_hashed_from_bytea cost 1
    hash from its 8 bytes in binary form, not hashed again; errors: 22P03

function hashed(value smallint) -> hashed  as sketches_hashed_int2 cost 1 implicit cast
function hashed(value integer) -> hashed  as sketches_hashed_int4 cost 1 implicit cast
function hashed(value bigint) -> hashed  as sketches_hashed_int8 cost 1 implicit cast
function hashed(value oid) -> hashed  as sketches_hashed_oid cost 1 implicit cast
    hash of the number, the same for every numeric type and for its text
function hashed(value numeric) -> hashed  as sketches_hashed_numeric cost 10 implicit cast
    hash of the number, the same for every numeric type and for its text; trailing zeros do not
    matter
function hashed(value real) -> hashed  as sketches_hashed_float4 cost 1 implicit cast
    hash of the number, the same as for the equal double precision
function hashed(value double precision) -> hashed  as sketches_hashed_float8 cost 1 implicit cast
    hash of the number, the same as for its shortest digits as numeric or text
function hashed(value boolean) -> hashed  as sketches_hashed_bool cost 1 implicit cast
    hash of the boolean
function hashed(value text) -> hashed  as sketches_hashed_text cost 1 implicit cast
    hash of the text, the same as for the number, uuid or address that prints so; collations do not
    matter
function hashed(value character) -> hashed  as sketches_hashed_bpchar cost 1 implicit cast
    hash of the text without trailing blanks
function hashed(value name) -> hashed  as sketches_hashed_name cost 1 implicit cast
    hash of the text
function hashed(value bytea) -> hashed  as sketches_hashed_bytea cost 1 implicit cast
    hash of the bytes
function hashed(value date) -> hashed  as sketches_hashed_date cost 1 implicit cast
    hash of the day
function hashed(value time) -> hashed  as sketches_hashed_time cost 1 implicit cast
    hash of the time of day
function hashed(value time with time zone) -> hashed  as sketches_hashed_timetz cost 1 implicit cast
    hash of the time of day and the zone
function hashed(value timestamp) -> hashed  as sketches_hashed_timestamp cost 1 implicit cast
    hash of the date and time
function hashed(value timestamptz) -> hashed  as sketches_hashed_timestamptz cost 1 implicit cast
    hash of the moment, whatever its time zone
function hashed(value interval) -> hashed  as sketches_hashed_interval cost 1 implicit cast
    hash of the interval, at 30 days a month
function hashed(value uuid) -> hashed  as sketches_hashed_uuid cost 1 implicit cast
    hash of the uuid, the same as for its text
function hashed(value inet) -> hashed  as sketches_hashed_inet cost 1 implicit cast
function hashed(value macaddr) -> hashed  as sketches_hashed_macaddr cost 1 implicit cast
function hashed(value macaddr8) -> hashed  as sketches_hashed_macaddr8 cost 1 implicit cast
    hash of the address, the same as for its text
function hashed(value jsonb) -> hashed  as sketches_hashed_jsonb cost 10 implicit cast
    hash of the document; trailing zeros of numbers do not matter

-- PostgreSQL has no casts of pseudo-types, so what takes a hashed is declared for anyenum, too.
function hashed(value anyenum) -> hashed  as sketches_hashed_enum cost 1 stable
    hash of the label, the same as for its text

-- These two pass through the function of a type they are binary compatible with.
cast varchar -> hashed  by hashed(text) implicit
    hash of the text
cast cidr -> hashed  by hashed(inet) implicit
    hash of the network, the same as of the equal inet

-- Order and equality of the hashes as numbers, for DISTINCT, GROUP BY and ORDER BY. See the head.

function _hashed_eq(hashed, hashed) -> boolean  as internal int8eq cost 1
    equal
function _hashed_lt(hashed, hashed) -> boolean  as internal int8lt cost 1
    less than as numbers
function _hashed_le(hashed, hashed) -> boolean  as internal int8le cost 1
    less than or equal as numbers
function _hashed_gt(hashed, hashed) -> boolean  as internal int8gt cost 1
    greater than as numbers
function _hashed_ge(hashed, hashed) -> boolean  as internal int8ge cost 1
    greater than or equal as numbers
function _hashed_cmp(hashed, hashed) -> int  as internal btint8cmp cost 1
    less, equal or greater as numbers: -1, 0 or 1
function _hashed_sortsupport(internal) -> void  as internal btint8sortsupport cost 1
    sort support
function _hashed_hash(hashed) -> int  as internal hashint8 cost 1
    hash of the hash
function _hashed_hash_extended(hashed, seed bigint) -> bigint  as internal hashint8extended cost 1
    seeded hash of the hash
operator hashed #*= hashed  by _hashed_eq commutator #*= restrict eqsel join eqjoinsel hashes merges
    equal; for DISTINCT, not for queries
operator hashed #*< hashed
        by _hashed_lt commutator #*> negator #*>= restrict scalarltsel join scalarltjoinsel
    less than; for ORDER BY, not for queries
operator hashed #*<= hashed
        by _hashed_le commutator #*>= negator #*> restrict scalarlesel join scalarlejoinsel
    less than or equal; for ORDER BY, not for queries
operator hashed #*> hashed
        by _hashed_gt commutator #*< negator #*<= restrict scalargtsel join scalargtjoinsel
    greater than; for ORDER BY, not for queries
operator hashed #*>= hashed
        by _hashed_ge commutator #*<= negator #*< restrict scalargesel join scalargejoinsel
    greater than or equal; for ORDER BY, not for queries

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
