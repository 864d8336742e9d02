-- roaring: an exact set of integers 0 .. 2^32-1. See roaring.c and ../../core/roaring/roaring.c.

-- include roaring/both_widths.sql.in: TYPE=roaring; LAST=2^32-1
