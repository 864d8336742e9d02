-- cuckoo: was this item added, and how often? It can be deleted again.
-- See src/core/cuckoo/cuckoo.c and src/pg/cuckoo/cuckoo.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

include shared/common.sql.in: TYPE=cuckoo

COMMENT ON TYPE cuckoo IS
    'membership filter with deletes and counts: 16 bits per item, 0.012% false positives';

-- Making and changing

function cuckoo_empty(capacity bigint = 1024, fingerprint_bits bigint = 16, expansion bigint = 2)
        -> cuckoo  as sketches_cuckoo_empty cost 10
    empty filter for capacity items, false-positive rate at most 8 / 2^fingerprint_bits when full.
    Beyond that it grows, and the rate with it; with expansion 0 it rejects more items; errors:
    22023
function cuckoo_add(sketch cuckoo, value hashed) -> cuckoo  as sketches_cuckoo_add not strict
function cuckoo_add(sketch cuckoo, value text) -> cuckoo  as sketches_cuckoo_add not strict
function cuckoo_add(sketch cuckoo, value anyenum) -> cuckoo
        as sketches_cuckoo_add not strict stable
    the filter with one more copy of the value; errors: 54000 for a ninth copy or a full filter
function cuckoo_addnx(sketch cuckoo, value hashed) -> cuckoo  as sketches_cuckoo_addnx not strict
function cuckoo_addnx(sketch cuckoo, value text) -> cuckoo  as sketches_cuckoo_addnx not strict
function cuckoo_addnx(sketch cuckoo, value anyenum) -> cuckoo
        as sketches_cuckoo_addnx not strict stable
    the filter with the value added unless it is there; errors: 54000 for a full filter
function cuckoo_delete(sketch cuckoo, value hashed) -> cuckoo  as sketches_cuckoo_delete not strict
function cuckoo_delete(sketch cuckoo, value text) -> cuckoo  as sketches_cuckoo_delete not strict
function cuckoo_delete(sketch cuckoo, value anyenum) -> cuckoo
        as sketches_cuckoo_delete not strict stable
    the filter with one copy of the value deleted, if it has one; delete only what was added
function cuckoo_try_add(INOUT sketch cuckoo, value hashed, OUT added boolean)
        as sketches_cuckoo_try_add not strict
function cuckoo_try_add(INOUT sketch cuckoo, value text, OUT added boolean)
        as sketches_cuckoo_try_add not strict
function cuckoo_try_add(INOUT sketch cuckoo, value anyenum, OUT added boolean)
        as sketches_cuckoo_try_add not strict stable
    the filter with one more copy of the value; added is false if there was no space for it, as
    CF.ADD replies
function cuckoo_try_addnx(INOUT sketch cuckoo, value hashed, OUT added boolean)
        as sketches_cuckoo_try_addnx not strict
function cuckoo_try_addnx(INOUT sketch cuckoo, value text, OUT added boolean)
        as sketches_cuckoo_try_addnx not strict
function cuckoo_try_addnx(INOUT sketch cuckoo, value anyenum, OUT added boolean)
        as sketches_cuckoo_try_addnx not strict stable
    the filter with the value added unless it is there; added is true if it was added, as CF.ADDNX
    replies
function cuckoo_try_delete(INOUT sketch cuckoo, value hashed, OUT deleted boolean)
        as sketches_cuckoo_try_delete not strict
function cuckoo_try_delete(INOUT sketch cuckoo, value text, OUT deleted boolean)
        as sketches_cuckoo_try_delete not strict
function cuckoo_try_delete(INOUT sketch cuckoo, value anyenum, OUT deleted boolean)
        as sketches_cuckoo_try_delete not strict stable
    the filter with one copy of the value deleted; deleted is false if it had none, as CF.DEL
    replies
function cuckoo_add_all(sketch cuckoo, items hashed[]) -> cuckoo
        as sketches_cuckoo_add_all not strict
function cuckoo_add_all(sketch cuckoo, items text[]) -> cuckoo
        as sketches_cuckoo_add_all not strict
    the filter with one more copy of each element; NULL elements are skipped; errors: 54000 for a
    ninth copy or a full filter

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
function cuckoo_add_all(sketch cuckoo, items varchar[]) -> cuckoo
        as sketches_cuckoo_add_all not strict
    the filter with one more copy of each element; NULL elements are skipped; errors: 54000 for a
    ninth copy or a full filter
function cuckoo_add_all(sketch cuckoo, items text) -> cuckoo  as sketches_cuckoo_add_all not strict
    cuckoo_add_all for an array without a type, such as '{a,b}'; errors: 22P02
function cuckoo_addnx_all(sketch cuckoo, items hashed[]) -> cuckoo
        as sketches_cuckoo_addnx_all not strict
function cuckoo_addnx_all(sketch cuckoo, items text[]) -> cuckoo
        as sketches_cuckoo_addnx_all not strict
function cuckoo_addnx_all(sketch cuckoo, items varchar[]) -> cuckoo
        as sketches_cuckoo_addnx_all not strict
    the filter with each element added unless it is there; NULL elements are skipped; errors: 54000
    for a full filter
function cuckoo_addnx_all(sketch cuckoo, items text) -> cuckoo
        as sketches_cuckoo_addnx_all not strict
    cuckoo_addnx_all for an array without a type, such as '{a,b}'; errors: 22P02
function cuckoo_delete_all(sketch cuckoo, items hashed[]) -> cuckoo
        as sketches_cuckoo_delete_all not strict
function cuckoo_delete_all(sketch cuckoo, items text[]) -> cuckoo
        as sketches_cuckoo_delete_all not strict
function cuckoo_delete_all(sketch cuckoo, items varchar[]) -> cuckoo
        as sketches_cuckoo_delete_all not strict
    the filter with one copy of each element deleted, if it has one; NULL elements are skipped;
    delete only what was added
function cuckoo_delete_all(sketch cuckoo, items text) -> cuckoo
        as sketches_cuckoo_delete_all not strict
    cuckoo_delete_all for an array without a type, such as '{a,b}'; errors: 22P02
function cuckoo_compact(sketch cuckoo) -> cuckoo  as sketches_cuckoo_compact
    the filter in as few bits as its items and its capacity need; resets the number of deletes
function cuckoo_union(a cuckoo, b cuckoo) -> cuckoo  as sketches_union not strict
    union: the items of either filter, each with the larger of its two counts, at the smaller number
    of hash bits; errors: 54000 for a full filter
function cuckoo_sum(a cuckoo, b cuckoo) -> cuckoo  as sketches_cuckoo_sum not strict
    sum: the items of either filter, each with the sum of its two counts, at the smaller number of
    hash bits; errors: 54000 for a ninth copy or a full filter

-- Asking

function cuckoo_contains(sketch cuckoo, value hashed) -> boolean
        as sketches_cuckoo_contains cost 10
function cuckoo_contains(sketch cuckoo, value text) -> boolean
        as sketches_cuckoo_contains_text cost 10
function cuckoo_contains(sketch cuckoo, value anyenum) -> boolean
        as sketches_cuckoo_contains_enum cost 10 stable
    probably contains the value (false is always correct, true is wrong at the false-positive rate)
function cuckoo_count(sketch cuckoo, value hashed) -> bigint  as sketches_cuckoo_count cost 10
function cuckoo_count(sketch cuckoo, value text) -> bigint  as sketches_cuckoo_count_text cost 10
function cuckoo_count(sketch cuckoo, value anyenum) -> bigint
        as sketches_cuckoo_count_enum cost 10 stable
    number of copies of the value, never fewer than were added and not deleted
function cuckoo_contains_each(sketch cuckoo, items hashed[]) -> boolean[]
        as sketches_cuckoo_contains_each cost 10
function cuckoo_contains_each(sketch cuckoo, items text[]) -> boolean[]
        as sketches_cuckoo_contains_each cost 10
function cuckoo_contains_each(sketch cuckoo, items varchar[]) -> boolean[]
        as sketches_cuckoo_contains_each cost 10
    for each element, whether the filter probably contains it (false is always correct); NULL for
    NULL
function cuckoo_contains_each(sketch cuckoo, items text) -> boolean[]
        as sketches_cuckoo_contains_each
    cuckoo_contains_each for an array without a type, such as '{a,b}'; errors: 22P02
function cuckoo_cardinality(sketch cuckoo) -> bigint  as sketches_cuckoo_cardinality cost 10
    number of items, copies included; reads the header only
function cuckoo_info(sketch cuckoo, OUT items bigint, OUT deletes bigint, OUT buckets bigint,
        OUT bucket_size int, OUT fingerprint_bits int, OUT load float8,
        OUT false_positive_rate float8, OUT hash_bits int, OUT capacity bigint, OUT bytes int)
        as sketches_cuckoo_info cost 10
    items and deletes, table layout, false-positive rate at the present fill, hash bits, capacity
    (NULL for a filter that grows), bytes of the packed value
function _cuckoo_contained(hashed, cuckoo) -> boolean  as sketches_cuckoo_contained cost 10
function _cuckoo_contained(text, cuckoo) -> boolean  as sketches_cuckoo_contained_text cost 10
function _cuckoo_contained(anyenum, cuckoo) -> boolean
        as sketches_cuckoo_contained_enum cost 10 stable
    cuckoo_contains with the arguments exchanged
function cuckoo_describe(sketch cuckoo) -> text  as sketches_cuckoo_describe cost 1000
    human-readable summary: items, false-positive rate at the present fill, bytes

-- Operators

operator hashed <@ cuckoo  by _cuckoo_contained commutator @> restrict contsel join contjoinsel
operator text <@ cuckoo  by _cuckoo_contained commutator @> restrict contsel join contjoinsel
operator anyenum <@ cuckoo  by _cuckoo_contained commutator @> restrict contsel join contjoinsel
    is probably contained (false is always correct)
operator cuckoo @> hashed  by cuckoo_contains commutator <@ restrict contsel join contjoinsel
operator cuckoo @> text  by cuckoo_contains commutator <@ restrict contsel join contjoinsel
operator cuckoo @> anyenum  by cuckoo_contains commutator <@ restrict contsel join contjoinsel
    probably contains (false is always correct)
operator cuckoo | cuckoo  by cuckoo_union commutator |
    union: each item with the larger count

-- Aggregates. The state is the type itself, the union combines.

transition _cuckoo_sum_state(cuckoo, cuckoo)  as sketches_cuckoo_sum_state cost 100
    transition and combine function; NULL on either side is skipped
function _cuckoo_sum_final(cuckoo) -> cuckoo  as sketches_cuckoo_sum_final
    final function: the packed sum

transition _cuckoo_union_state(cuckoo, cuckoo)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _cuckoo_final(cuckoo) -> cuckoo  as sketches_final
    final function: the packed state

function _cuckoo_combine(cuckoo, cuckoo) -> cuckoo  as sketches_cuckoo_combine not strict
    combine function of aggregates with parameters, which must be the same in all states
transition _cuckoo_agg_state(cuckoo, hashed)  as sketches_cuckoo_agg_state
transition _cuckoo_agg_state(cuckoo, hashed, bigint)  as sketches_cuckoo_agg_state
transition _cuckoo_agg_state(cuckoo, hashed, bigint, bigint)  as sketches_cuckoo_agg_state
transition _cuckoo_agg_state(cuckoo, text)  as sketches_cuckoo_agg_text_state
transition _cuckoo_agg_state(cuckoo, anyenum)  as sketches_cuckoo_agg_enum_state stable
transition _cuckoo_agg_state(cuckoo, text, bigint)  as sketches_cuckoo_agg_text_state
transition _cuckoo_agg_state(cuckoo, anyenum, bigint)  as sketches_cuckoo_agg_enum_state stable
transition _cuckoo_agg_state(cuckoo, text, bigint, bigint)  as sketches_cuckoo_agg_text_state
transition _cuckoo_agg_state(cuckoo, anyenum, bigint, bigint)
        as sketches_cuckoo_agg_enum_state stable
    transition function
aggregate cuckoo_agg(value hashed)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_union_state final _cuckoo_final
    filter of the distinct values, 16 fingerprint bits; NULL over no rows; errors: 54000
aggregate cuckoo_agg(value hashed, capacity bigint)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_combine final _cuckoo_final
    filter of the distinct values, 16 fingerprint bits, with hash bits for at least capacity items;
    NULL over no rows; errors: 22023, 22004, 54000
aggregate cuckoo_agg(value hashed, capacity bigint, fingerprint_bits bigint)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_combine final _cuckoo_final
    filter of the distinct values, with this number of fingerprint bits and hash bits for at least
    capacity items; NULL over no rows; errors: 22023, 22004, 54000
aggregate cuckoo_agg(value text)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_union_state final _cuckoo_final
aggregate cuckoo_agg(value anyenum)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_union_state final _cuckoo_final
    filter of the distinct values, 16 fingerprint bits; NULL over no rows; errors: 54000
aggregate cuckoo_agg(value text, capacity bigint)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_combine final _cuckoo_final
aggregate cuckoo_agg(value anyenum, capacity bigint)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_combine final _cuckoo_final
    filter of the distinct values, 16 fingerprint bits, with hash bits for at least capacity items;
    NULL over no rows; errors: 22023, 22004, 54000
aggregate cuckoo_agg(value text, capacity bigint, fingerprint_bits bigint)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_combine final _cuckoo_final
aggregate cuckoo_agg(value anyenum, capacity bigint, fingerprint_bits bigint)
        state cuckoo space 256 by _cuckoo_agg_state combine _cuckoo_combine final _cuckoo_final
    filter of the distinct values, with this number of fingerprint bits and hash bits for at least
    capacity items; NULL over no rows; errors: 22023, 22004, 54000
aggregate cuckoo_union_agg(sketch cuckoo)
        state cuckoo space 16384 by _cuckoo_union_state combine _cuckoo_union_state
        final _cuckoo_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union of all filters, each item with the largest count, at the smallest number of hash bits;
    NULL over no rows; errors: 54000 for a full filter
aggregate cuckoo_sum_agg(sketch cuckoo)
        state cuckoo space 16384 by _cuckoo_sum_state combine _cuckoo_sum_state
        final _cuckoo_sum_final
    sum of all filters, each item with the sum of its counts; NULL over no rows; errors: 54000 for a
    ninth copy or a full filter
