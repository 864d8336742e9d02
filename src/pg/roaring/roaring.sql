-- roaring and roaring64: exact sets of integers 0 to 2^32-1 and of any bigint, by the same functions.
-- See src/core/roaring/roaring.c and src/pg/roaring/roaring.c.

-- For the planner, of both types

function _roaring_support(internal) -> internal  as sketches_roaring_support cost 1
    planner support: selectivity and index conditions of searches by a set, rows of its elements,
    cost of its array
function _roaring_sel(internal, oid, internal, int) -> float8  as sketches_roaring_sel cost 1
    restriction selectivity of operators with a value and a set
function _roaring_joinsel(internal, oid, internal, smallint, internal) -> float8
        as sketches_roaring_sel cost 1
    join selectivity of operators with a value and a set

include roaring/type.sql.in: TYPE=roaring; LAST=2^32-1
include roaring/type.sql.in: TYPE=roaring64;
        LAST=2^64-1, those from 2^63 on as negative ones

-- Making

function roaring_empty() -> roaring  as sketches_roaring_empty cost 10
function roaring64_empty() -> roaring64  as sketches_roaring_empty cost 10
    empty set
function roaring(items bigint[]) -> roaring  as sketches_roaring_from_array
function roaring(items int[]) -> roaring  as sketches_roaring_from_array
function roaring(items smallint[]) -> roaring  as sketches_roaring_from_array
    set of the elements of an array; NULL elements are skipped; errors: 22003
function roaring64(items bigint[]) -> roaring64  as sketches_roaring_from_array
function roaring64(items int[]) -> roaring64  as sketches_roaring_from_array
function roaring64(items smallint[]) -> roaring64  as sketches_roaring_from_array
    set of the elements of an array; NULL elements are skipped
function roaring(value text) -> roaring  as sketches_from_text
function roaring64(value text) -> roaring64  as sketches_from_text
    set read from its text form, such as {1,2,5}; for parameters without a type;
    errors: 22P02, 22003
function roaring_to_int_array(sketch roaring) -> int[]  as sketches_roaring_to_int_array
function roaring64_to_int_array(sketch roaring64) -> int[]  as sketches_roaring_to_int_array
    the values as an int array, ascending; errors: 22003, 54000
function roaring_to_array(sketch roaring) -> bigint[]
        as sketches_roaring_to_array support _roaring_support
function roaring64_to_array(sketch roaring64) -> bigint[]
        as sketches_roaring_to_array support _roaring_support
    the values as a bigint array, ascending; errors: 54000
function roaring_to_array(sketch roaring, skip bigint, count bigint) -> bigint[]
        as sketches_roaring_to_array_part
function roaring64_to_array(sketch roaring64, skip bigint, count bigint) -> bigint[]
        as sketches_roaring_to_array_part
    at most count values, ascending, after the first skip values; errors: 22023, 54000
cast int[] -> roaring  by roaring
cast int[] -> roaring64  by roaring64
    set of the elements
cast roaring -> int[]  by roaring_to_int_array
cast roaring64 -> int[]  by roaring64_to_int_array
    the values, ascending
cast bigint[] -> roaring  by roaring
cast bigint[] -> roaring64  by roaring64
    set of the elements
cast smallint[] -> roaring  by roaring
cast smallint[] -> roaring64  by roaring64
    set of the elements
cast roaring -> bigint[]  by roaring_to_array
cast roaring64 -> bigint[]  by roaring64_to_array
    the values, ascending
function roaring_range(lo bigint, hi bigint) -> roaring  as sketches_roaring_range
    set of lo to hi - 1; empty unless lo < hi; errors: 22003, 54000 past 2^40 values
function roaring64_range(lo bigint, hi bigint) -> roaring64  as sketches_roaring_range
    set of lo to hi - 1; empty unless lo < hi; errors: 22023 from a negative number to a positive
    one, 54000 past 2^40 values
function roaring_from_bits(bits text) -> roaring  as sketches_roaring_from_bits
function roaring64_from_bits(bits text) -> roaring64  as sketches_roaring_from_bits
    set of the positions of 1 in a text of 0 and 1, from 0; errors: 22P02
function roaring_from_portable(payload bytea) -> roaring  as sketches_roaring_from_portable
function roaring64_from_portable(payload bytea) -> roaring64  as sketches_roaring_from_portable
    reads and validates a bitmap in the portable format of Roaring libraries; errors: 22P03

-- Changing

function roaring_add(sketch roaring, value bigint) -> roaring  as sketches_roaring_add not strict
    the set with the value added; errors: 22003
function roaring64_add(sketch roaring64, value bigint) -> roaring64
        as sketches_roaring_add not strict
    the set with the value added
function roaring_remove(sketch roaring, value bigint) -> roaring
        as sketches_roaring_remove not strict
function roaring64_remove(sketch roaring64, value bigint) -> roaring64
        as sketches_roaring_remove not strict
    the set with the value removed
function roaring_add_all(sketch roaring, items bigint[]) -> roaring
        as sketches_roaring_add_all not strict
    the set with all elements added; NULL elements are skipped; errors: 22003
function roaring64_add_all(sketch roaring64, items bigint[]) -> roaring64
        as sketches_roaring_add_all not strict
    the set with all elements added; NULL elements are skipped
function roaring_remove_all(sketch roaring, items bigint[]) -> roaring
        as sketches_roaring_remove_all not strict
function roaring64_remove_all(sketch roaring64, items bigint[]) -> roaring64
        as sketches_roaring_remove_all not strict
    the set with all elements removed; NULL elements are skipped
function roaring_add_range(sketch roaring, lo bigint, hi bigint) -> roaring
        as sketches_roaring_add_range not strict
    the set with lo to hi - 1 added; errors: 22003, 54000
function roaring64_add_range(sketch roaring64, lo bigint, hi bigint) -> roaring64
        as sketches_roaring_add_range not strict
    the set with lo to hi - 1 added; errors: 22023, 54000
function roaring_remove_range(sketch roaring, lo bigint, hi bigint) -> roaring
        as sketches_roaring_remove_range not strict
    the set with lo to hi - 1 removed
function roaring64_remove_range(sketch roaring64, lo bigint, hi bigint) -> roaring64
        as sketches_roaring_remove_range not strict
    the set with lo to hi - 1 removed; errors: 22023
function roaring_flip(sketch roaring, lo bigint, hi bigint) -> roaring  as sketches_roaring_flip
    the set inverted in the range lo to hi - 1: present values are removed, absent ones added;
    errors: 22003, 54000
function roaring64_flip(sketch roaring64, lo bigint, hi bigint) -> roaring64
        as sketches_roaring_flip
    the set inverted in the range lo to hi - 1: present values are removed, absent ones added;
    errors: 22023, 54000
function roaring_shift(sketch roaring, by bigint) -> roaring  as sketches_roaring_shift
function roaring64_shift(sketch roaring64, by bigint) -> roaring64  as sketches_roaring_shift
    the set with the offset added to every value; values out of range are dropped

-- Set algebra

function roaring_union(a roaring, b roaring) -> roaring  as sketches_roaring_or not strict
function roaring64_union(a roaring64, b roaring64) -> roaring64  as sketches_roaring_or not strict
    union: values in either set
function roaring_intersection(a roaring, b roaring) -> roaring  as sketches_roaring_and
function roaring64_intersection(a roaring64, b roaring64) -> roaring64  as sketches_roaring_and
    intersection: values in both sets
function roaring_xor(a roaring, b roaring) -> roaring  as sketches_roaring_xor
function roaring64_xor(a roaring64, b roaring64) -> roaring64  as sketches_roaring_xor
    symmetric difference: values in exactly one set
function roaring_difference(a roaring, b roaring) -> roaring  as sketches_roaring_minus
function roaring64_difference(a roaring64, b roaring64) -> roaring64  as sketches_roaring_minus
    difference: values in the first set and not in the second
function roaring_bitop(op text, VARIADIC sketches roaring[]) -> roaring  as sketches_roaring_bitop
function roaring64_bitop(op text, VARIADIC sketches roaring64[]) -> roaring64
        as sketches_roaring_bitop
    BITOP of Redis: and, or, xor, one (values in exactly one set) of all sets; andor, diff, diff1 of
    the first set and the union of the others; a NULL set is empty, and the result NULL if all are;
    errors: 22023
function roaring_not(sketch roaring, last bigint) -> roaring  as sketches_roaring_not
    complement: values from 0 to last that are not in the set; errors: 22003, 54000
function roaring64_not(sketch roaring64, last bigint) -> roaring64  as sketches_roaring_not
    complement: values from 0 to last that are not in the set; errors: 54000

function roaring_venn(VARIADIC sketches roaring[], OUT members_of int[], OUT elements roaring)
        -> setof record  as sketches_roaring_venn rows 100 cost 1000
function roaring64_venn(VARIADIC sketches roaring64[], OUT members_of int[], OUT elements roaring64)
        -> setof record  as sketches_roaring_venn rows 100 cost 1000
    regions of a Venn diagram: the numbers of the sets, from 1, and the values that are in exactly
    these sets; errors: 54000 past 4,096 sets

-- Asking

function roaring_cardinality(sketch roaring) -> bigint  as sketches_roaring_cardinality cost 10
function roaring64_cardinality(sketch roaring64) -> bigint  as sketches_roaring_cardinality cost 10
    number of values; reads the header only
function roaring_cardinality(sketch roaring, lo bigint, hi bigint) -> bigint
        as sketches_roaring_range_cardinality
    number of values from lo to hi - 1
function roaring64_cardinality(sketch roaring64, lo bigint, hi bigint) -> bigint
        as sketches_roaring_range_cardinality
    number of values from lo to hi - 1; errors: 22023
function roaring_union_cardinality(a roaring, b roaring) -> bigint
        as sketches_roaring_union_cardinality
function roaring64_union_cardinality(a roaring64, b roaring64) -> bigint
        as sketches_roaring_union_cardinality
    number of values in either set, without making the union
function roaring_intersection_cardinality(a roaring, b roaring) -> bigint
        as sketches_roaring_intersection_cardinality
function roaring64_intersection_cardinality(a roaring64, b roaring64) -> bigint
        as sketches_roaring_intersection_cardinality
    number of values in both sets, without making the intersection
function roaring_xor_cardinality(a roaring, b roaring) -> bigint
        as sketches_roaring_xor_cardinality
function roaring64_xor_cardinality(a roaring64, b roaring64) -> bigint
        as sketches_roaring_xor_cardinality
    number of values in exactly one set
function roaring_difference_cardinality(a roaring, b roaring) -> bigint
        as sketches_roaring_difference_cardinality
function roaring64_difference_cardinality(a roaring64, b roaring64) -> bigint
        as sketches_roaring_difference_cardinality
    number of values in the first set and not in the second
function roaring_jaccard(a roaring, b roaring) -> float8  as sketches_roaring_jaccard
function roaring64_jaccard(a roaring64, b roaring64) -> float8  as sketches_roaring_jaccard
    Jaccard index: intersection divided by union, 0 to 1; NULL when both are empty
function roaring_contains(sketch roaring, value bigint) -> boolean
        as sketches_roaring_contains cost 10 support _roaring_support
function roaring_contains(sketch roaring, value int) -> boolean
        as sketches_roaring_contains_int cost 10 support _roaring_support
function roaring_contains(sketch roaring, value smallint) -> boolean
        as sketches_roaring_contains_smallint cost 10 support _roaring_support
function roaring64_contains(sketch roaring64, value bigint) -> boolean
        as sketches_roaring_contains cost 10 support _roaring_support
function roaring64_contains(sketch roaring64, value int) -> boolean
        as sketches_roaring_contains_int cost 10 support _roaring_support
function roaring64_contains(sketch roaring64, value smallint) -> boolean
        as sketches_roaring_contains_smallint cost 10 support _roaring_support
    true if the set contains the value
function _roaring_contained(bigint, roaring) -> boolean
        as sketches_roaring_contained_value cost 10 support _roaring_support
function _roaring_contained(int, roaring) -> boolean
        as sketches_roaring_contained_int cost 10 support _roaring_support
function _roaring_contained(smallint, roaring) -> boolean
        as sketches_roaring_contained_smallint cost 10 support _roaring_support
function _roaring64_contained(bigint, roaring64) -> boolean
        as sketches_roaring_contained_value cost 10 support _roaring_support
function _roaring64_contained(int, roaring64) -> boolean
        as sketches_roaring_contained_int cost 10 support _roaring_support
function _roaring64_contained(smallint, roaring64) -> boolean
        as sketches_roaring_contained_smallint cost 10 support _roaring_support
    true if the set contains the value
function roaring_contains(a roaring, b roaring) -> boolean
        as sketches_roaring_contains_set
function roaring64_contains(a roaring64, b roaring64) -> boolean
        as sketches_roaring_contains_set
    true if the first set contains all values of the second
function _roaring_contained(roaring, roaring) -> boolean
        as sketches_roaring_contained_set
function _roaring64_contained(roaring64, roaring64) -> boolean
        as sketches_roaring_contained_set
    true if the second set contains all values of the first
function roaring_overlaps(a roaring, b roaring) -> boolean
        as sketches_roaring_overlaps
function roaring64_overlaps(a roaring64, b roaring64) -> boolean
        as sketches_roaring_overlaps
    true if the sets have a value in common
function roaring_contains_each(sketch roaring, items bigint[]) -> boolean[]
        as sketches_roaring_contains_each
function roaring64_contains_each(sketch roaring64, items bigint[]) -> boolean[]
        as sketches_roaring_contains_each
    for each element, whether the set contains it; NULL for NULL
function roaring_is_empty(sketch roaring) -> boolean  as sketches_roaring_is_empty cost 10
function roaring64_is_empty(sketch roaring64) -> boolean  as sketches_roaring_is_empty cost 10
    true if the set has no values; reads the header only
function roaring_min(sketch roaring) -> bigint  as sketches_roaring_min
function roaring64_min(sketch roaring64) -> bigint  as sketches_roaring_min
    minimum; NULL when empty
function roaring_max(sketch roaring) -> bigint  as sketches_roaring_max
function roaring64_max(sketch roaring64) -> bigint  as sketches_roaring_max
    maximum; NULL when empty
function roaring_rank(sketch roaring, value bigint) -> bigint  as sketches_roaring_rank
function roaring64_rank(sketch roaring64, value bigint) -> bigint  as sketches_roaring_rank
    number of values less than or equal to the value
function roaring_index(sketch roaring, value bigint) -> bigint  as sketches_roaring_index
function roaring64_index(sketch roaring64, value bigint) -> bigint  as sketches_roaring_index
    position of the value, from 0: the number of smaller values; NULL if it is not in the set
function roaring_select(sketch roaring, rank bigint) -> bigint  as sketches_roaring_select
function roaring64_select(sketch roaring64, rank bigint) -> bigint  as sketches_roaring_select
    value at a position, from 0; NULL past the end; errors: 22023
function roaring_position(sketch roaring, value boolean) -> bigint  as sketches_roaring_position
function roaring64_position(sketch roaring64, value boolean) -> bigint  as sketches_roaring_position
    minimum of the values in the set (true) or not in it (false), as BITPOS of Redis; NULL if there
    is none
function roaring_position(sketch roaring, value boolean, start bigint) -> bigint
        as sketches_roaring_position
function roaring64_position(sketch roaring64, value boolean, start bigint) -> bigint
        as sketches_roaring_position
    minimum, at or above start, of the values in the set (true) or not in it (false); NULL if there
    is none
function roaring_elements(sketch roaring) -> setof bigint
        as sketches_roaring_elements rows 10000 support _roaring_support
function roaring64_elements(sketch roaring64) -> setof bigint
        as sketches_roaring_elements rows 10000 support _roaring_support
    the values as rows, ascending
function roaring_elements(sketch roaring, reverse boolean) -> setof bigint
        as sketches_roaring_elements rows 10000 support _roaring_support
function roaring64_elements(sketch roaring64, reverse boolean) -> setof bigint
        as sketches_roaring_elements rows 10000 support _roaring_support
    the values as rows, descending if reverse is true
function roaring_bits(sketch roaring) -> text  as sketches_roaring_bits
function roaring64_bits(sketch roaring64) -> text  as sketches_roaring_bits
    text of 0 and 1, one for each number from 0 to the maximum; errors: 54000
function roaring_to_portable(sketch roaring) -> bytea  as sketches_roaring_to_portable
function roaring64_to_portable(sketch roaring64) -> bytea  as sketches_roaring_to_portable
    bitmap in the portable format, which Roaring libraries of all languages read
function roaring_info(sketch roaring, OUT cardinality bigint, OUT containers bigint,
        OUT "array" bigint, OUT bitset bigint, OUT run bigint, OUT bytes int)
        as sketches_roaring_info
function roaring64_info(sketch roaring64, OUT cardinality bigint, OUT containers bigint,
        OUT "array" bigint, OUT bitset bigint, OUT run bigint, OUT bytes int)
        as sketches_roaring_info
    number of values and of containers: arrays, bitsets and runs; bytes of the packed value
function roaring_describe(sketch roaring) -> text  as sketches_roaring_describe
function roaring64_describe(sketch roaring64) -> text  as sketches_roaring_describe
    human-readable summary: values, minimum and maximum, containers, bytes

-- Operators

operator roaring | roaring  by roaring_union commutator |
operator roaring64 | roaring64  by roaring64_union commutator |
    union
operator roaring | bigint  by roaring_add
operator roaring64 | bigint  by roaring64_add
    the set with the value added
operator roaring - bigint  by roaring_remove
operator roaring64 - bigint  by roaring64_remove
    the set with the value removed
operator roaring & roaring  by roaring_intersection commutator &
operator roaring64 & roaring64  by roaring64_intersection commutator &
    intersection
operator roaring # roaring  by roaring_xor commutator #
operator roaring64 # roaring64  by roaring64_xor commutator #
    symmetric difference
operator roaring - roaring  by roaring_difference
operator roaring64 - roaring64  by roaring64_difference
    difference
operator roaring @> bigint
        by roaring_contains commutator <@ restrict _roaring_sel join _roaring_joinsel
operator roaring @> int
        by roaring_contains commutator <@ restrict _roaring_sel join _roaring_joinsel
operator roaring @> smallint
        by roaring_contains commutator <@ restrict _roaring_sel join _roaring_joinsel
operator roaring64 @> bigint
        by roaring64_contains commutator <@ restrict _roaring_sel join _roaring_joinsel
operator roaring64 @> int
        by roaring64_contains commutator <@ restrict _roaring_sel join _roaring_joinsel
operator roaring64 @> smallint
        by roaring64_contains commutator <@ restrict _roaring_sel join _roaring_joinsel
    contains the value
operator bigint <@ roaring
        by _roaring_contained commutator @> restrict _roaring_sel join _roaring_joinsel
operator int <@ roaring
        by _roaring_contained commutator @> restrict _roaring_sel join _roaring_joinsel
operator smallint <@ roaring
        by _roaring_contained commutator @> restrict _roaring_sel join _roaring_joinsel
operator bigint <@ roaring64
        by _roaring64_contained commutator @> restrict _roaring_sel join _roaring_joinsel
operator int <@ roaring64
        by _roaring64_contained commutator @> restrict _roaring_sel join _roaring_joinsel
operator smallint <@ roaring64
        by _roaring64_contained commutator @> restrict _roaring_sel join _roaring_joinsel
    is contained in the set
operator roaring @> roaring
        by roaring_contains commutator <@ restrict matchingsel join matchingjoinsel
operator roaring64 @> roaring64
        by roaring64_contains commutator <@ restrict matchingsel join matchingjoinsel
    contains all values of the right set
operator roaring <@ roaring
        by _roaring_contained commutator @> restrict matchingsel join matchingjoinsel
operator roaring64 <@ roaring64
        by _roaring64_contained commutator @> restrict matchingsel join matchingjoinsel
    is contained in the right set
operator roaring && roaring
        by roaring_overlaps commutator && restrict matchingsel join matchingjoinsel
operator roaring64 && roaring64
        by roaring64_overlaps commutator && restrict matchingsel join matchingjoinsel
    have a value in common

-- GIN indexes, of elements and of chunks of 2^16 numbers

function _roaring_extract_value(roaring, internal) -> internal  as sketches_roaring_extract_value
function _roaring_chunk_extract_value(roaring, internal) -> internal
        as sketches_roaring_chunk_extract_value
function _roaring64_extract_value(roaring64, internal) -> internal
        as sketches_roaring_extract_value
function _roaring64_chunk_extract_value(roaring64, internal) -> internal
        as sketches_roaring_chunk_extract_value
    GIN: the keys of a set; errors: 54000
function _roaring_extract_query(roaring, internal, smallint, internal, internal, internal, internal)
        -> internal  as sketches_roaring_extract_query
function _roaring_chunk_extract_query(roaring, internal, smallint, internal, internal, internal,
        internal) -> internal  as sketches_roaring_chunk_extract_query
function _roaring64_extract_query(roaring64, internal, smallint, internal, internal, internal,
        internal) -> internal  as sketches_roaring_extract_query
function _roaring64_chunk_extract_query(roaring64, internal, smallint, internal, internal, internal,
        internal) -> internal  as sketches_roaring_chunk_extract_query
    GIN: the keys of a query
function _roaring_consistent(internal, smallint, roaring, int, internal, internal, internal,
        internal) -> boolean  as sketches_roaring_consistent cost 10
function _roaring_chunk_consistent(internal, smallint, roaring, int, internal, internal, internal,
        internal) -> boolean  as sketches_roaring_chunk_consistent cost 10
function _roaring64_consistent(internal, smallint, roaring64, int, internal, internal, internal,
        internal) -> boolean  as sketches_roaring_consistent cost 10
function _roaring64_chunk_consistent(internal, smallint, roaring64, int, internal, internal,
        internal, internal) -> boolean  as sketches_roaring_chunk_consistent cost 10
    GIN: whether keys answer a query
function _roaring_triconsistent(internal, smallint, roaring, int, internal, internal, internal)
        -> "char"  as sketches_roaring_triconsistent cost 10
function _roaring_chunk_triconsistent(internal, smallint, roaring, int, internal, internal,
        internal) -> "char"  as sketches_roaring_chunk_triconsistent cost 10
function _roaring64_triconsistent(internal, smallint, roaring64, int, internal, internal, internal)
        -> "char"  as sketches_roaring_triconsistent cost 10
function _roaring64_chunk_triconsistent(internal, smallint, roaring64, int, internal, internal,
        internal) -> "char"  as sketches_roaring_chunk_triconsistent cost 10
    GIN: whether keys answer a query, some of them unknown

include roaring/gin.sql.in: TYPE=roaring
include roaring/gin.sql.in: TYPE=roaring64

-- Aggregates. The state is the type itself, the union combines.

transition _roaring_union_state(roaring, roaring)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _roaring_final(roaring) -> roaring  as sketches_final
    final function: the packed state
transition _roaring64_union_state(roaring64, roaring64)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _roaring64_final(roaring64) -> roaring64  as sketches_final
    final function: the packed state

transition _roaring_xor_state(roaring, roaring)  as sketches_roaring_xor_state cost 100
    transition and combine function; NULL on either side is skipped
transition _roaring64_xor_state(roaring64, roaring64)  as sketches_roaring_xor_state cost 100
    transition and combine function; NULL on either side is skipped
transition _roaring_intersection_state(roaring, roaring)
        as sketches_roaring_intersection_state cost 100
    transition and combine function; NULL on either side is skipped
transition _roaring64_intersection_state(roaring64, roaring64)
        as sketches_roaring_intersection_state cost 100
    transition and combine function; NULL on either side is skipped
function _roaring_cardinality_final(roaring) -> bigint
        as sketches_roaring_cardinality_final not strict
function _roaring64_cardinality_final(roaring64) -> bigint
        as sketches_roaring_cardinality_final not strict
    final function: how many values the state has, 0 for no state
function _roaring_intersection_cardinality_final(roaring) -> bigint
        as sketches_roaring_cardinality
function _roaring64_intersection_cardinality_final(roaring64) -> bigint
        as sketches_roaring_cardinality
    final function: how many values the state has, NULL for no state
function _roaring_union_cardinality_moving_final(internal) -> bigint
        as sketches_roaring_union_cardinality_moving_final not strict
    final function over moving frames: how many values the union has
transition _roaring_agg_state(roaring, bigint)  as sketches_roaring_agg_state
transition _roaring64_agg_state(roaring64, bigint)  as sketches_roaring64_agg_state
    transition function
aggregate roaring_agg(value bigint)
        state roaring space 256 by _roaring_agg_state combine _roaring_union_state
        final _roaring_final
    set of the distinct values; NULL over no rows; errors: 22003
aggregate roaring64_agg(value bigint)
        state roaring64 space 256 by _roaring64_agg_state combine _roaring64_union_state
        final _roaring64_final
    set of the distinct values; NULL over no rows
aggregate roaring_union_agg(sketch roaring)
        state roaring space 16384 by _roaring_union_state combine _roaring_union_state
        final _roaring_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
aggregate roaring64_union_agg(sketch roaring64)
        state roaring64 space 16384 by _roaring64_union_state combine _roaring64_union_state
        final _roaring64_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union: values in any of the sets; NULL over no rows
aggregate roaring_intersection_agg(sketch roaring)
        state roaring space 16384 by _roaring_intersection_state combine _roaring_intersection_state
        final _roaring_final
aggregate roaring64_intersection_agg(sketch roaring64)
        state roaring64 space 16384 by _roaring64_intersection_state
        combine _roaring64_intersection_state final _roaring64_final
    intersection: values in all sets; NULL over no rows
aggregate roaring_xor_agg(sketch roaring)
        state roaring space 16384 by _roaring_xor_state combine _roaring_xor_state
        final _roaring_final
aggregate roaring64_xor_agg(sketch roaring64)
        state roaring64 space 16384 by _roaring64_xor_state combine _roaring64_xor_state
        final _roaring64_final
    symmetric difference: values in an odd number of the sets; NULL over no rows
aggregate roaring_union_cardinality_agg(sketch roaring)
        state roaring space 16384 by _roaring_union_state combine _roaring_union_state
        final _roaring_cardinality_final
        moving _sketches_moving_union _sketches_moving_inverse
        _roaring_union_cardinality_moving_final
aggregate roaring64_union_cardinality_agg(sketch roaring64)
        state roaring64 space 16384 by _roaring64_union_state combine _roaring64_union_state
        final _roaring64_cardinality_final
        moving _sketches_moving_union _sketches_moving_inverse
        _roaring_union_cardinality_moving_final
    number of values in any of the sets; 0 over no rows
aggregate roaring_intersection_cardinality_agg(sketch roaring)
        state roaring space 16384 by _roaring_intersection_state combine _roaring_intersection_state
        final _roaring_intersection_cardinality_final
aggregate roaring64_intersection_cardinality_agg(sketch roaring64)
        state roaring64 space 16384 by _roaring64_intersection_state
        combine _roaring64_intersection_state
        final _roaring64_intersection_cardinality_final
    number of values in all sets; NULL over no rows
aggregate roaring_xor_cardinality_agg(sketch roaring)
        state roaring space 16384 by _roaring_xor_state combine _roaring_xor_state
        final _roaring_cardinality_final
aggregate roaring64_xor_cardinality_agg(sketch roaring64)
        state roaring64 space 16384 by _roaring64_xor_state combine _roaring64_xor_state
        final _roaring64_cardinality_final
    number of values in an odd number of the sets; 0 over no rows

-- Of each tag the union, and how many values are in all of these. The state is internal: a union
-- for each tag, which no value of the type can be.

function _roaring_tags_state(internal, roaring, text, text[]) -> internal
        as sketches_roaring_tags_state not strict
function _roaring64_tags_state(internal, roaring64, text, text[]) -> internal
        as sketches_roaring_tags_state not strict
    transition function; a NULL set or tag is skipped
function _roaring_tags_combine(internal, internal) -> internal
        as sketches_roaring_tags_combine not strict
function _roaring64_tags_combine(internal, internal) -> internal
        as sketches_roaring_tags_combine not strict
    combine function
function _roaring_tags_serial(internal) -> bytea  as sketches_roaring_tags_serial
function _roaring64_tags_serial(internal) -> bytea  as sketches_roaring_tags_serial
    serial function
function _roaring_tags_deserial(bytea, internal) -> internal  as sketches_roaring_tags_deserial
function _roaring64_tags_deserial(bytea, internal) -> internal  as sketches_roaring_tags_deserial
    deserial function
function _roaring_tags_final(internal) -> bigint  as sketches_roaring_tags_final not strict
function _roaring64_tags_final(internal) -> bigint  as sketches_roaring_tags_final not strict
    final function: how many values all unions have

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

function roaring64(sketch roaring) -> roaring64  as sketches_roaring_convert cast
    set of the same values
function roaring(sketch roaring64) -> roaring  as sketches_roaring_convert
    set of the same values; errors: 22003 past 2^32-1
cast roaring64 -> roaring  by roaring
    set of the same values
