-- roaring64: an exact set of integers 0 .. 2^63-1, by the functions of roaring.

-- include roaring/both_widths.sql.in: TYPE=roaring64; LAST=2^63-1

-- Between the two widths

CREATE FUNCTION roaring64(sketch roaring) RETURNS roaring64
    AS 'MODULE_PATHNAME', 'sketches_roaring64_convert' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring64(roaring) IS 'the same values';

CREATE FUNCTION roaring(sketch roaring64) RETURNS roaring
    AS 'MODULE_PATHNAME', 'sketches_roaring_convert' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION roaring(roaring64) IS 'the same values; errors: 22003 past 2^32-1';

CREATE CAST (roaring AS roaring64) WITH FUNCTION roaring64(roaring);
COMMENT ON CAST (roaring AS roaring64) IS 'the same values';
CREATE CAST (roaring64 AS roaring) WITH FUNCTION roaring(roaring64);
COMMENT ON CAST (roaring64 AS roaring) IS 'the same values';
