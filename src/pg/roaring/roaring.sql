-- roaring: an exact set of integers 0 .. 2^32-1.
-- See src/core/roaring/roaring.c and src/pg/roaring/roaring.c.

-- For the planner, of both widths

function _roaring_support(internal) -> internal  cost 1
    planner support: selectivity, rows and index conditions of searches by a set
function _roaring_sel(internal, oid, internal, int) -> float8  cost 1
    restriction selectivity of operators with sets
function _roaring_joinsel(internal, oid, internal, smallint, internal) -> float8  cost 1
    join selectivity of operators with sets

include roaring/both_widths.sql.in: TYPE=roaring; LAST=2^32-1
