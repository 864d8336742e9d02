-- roaring: an exact set of integers 0 .. 2^32-1.
-- See src/core/roaring/roaring.c and src/pg/roaring/roaring.c.

include roaring/both_widths.sql.in: TYPE=roaring; LAST=2^32-1
