-- roaring64: an exact set of integers 0 .. 2^63-1, by the functions of roaring.

include roaring/both_widths.sql.in: TYPE=roaring64; LAST=2^63-1

-- Between the two widths

function roaring64(sketch roaring) -> roaring64  as sketches_roaring64_convert cast
    set of the same values
function roaring(sketch roaring64) -> roaring  as sketches_roaring_convert
    set of the same values; errors: 22003 past 2^32-1
cast roaring64 -> roaring  by roaring
    set of the same values
