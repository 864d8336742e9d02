-- topk: which items are the most frequent? See src/core/topk/topk.c and src/pg/topk/topk.c.

include shared/common.sql.in: TYPE=topk; IN=sketches_topk_in; RECV=sketches_topk_recv;
        FROM=sketches_topk_from_bytea

COMMENT ON TYPE topk IS
    'heavy hitters: the most frequent items, with bounds of their counts; 80 bytes for each item '
    'that is listed';

-- Building and changing. Items are text or bigint, the first one decides which.

function topk_empty(k bigint = 10) -> topk  as sketches_topk_empty cost 10
    empty sketch that lists the k most frequent items, k 1 to 100000; errors: 22023
function topk_add(sketch topk, value text) -> topk  as sketches_topk_add not strict
    the sketch with the item counted once; errors: 42804 when its items are of the other type,
    22003, 54000 for an item of more than 1 MB
function topk_add(sketch topk, value bigint) -> topk  as sketches_topk_add not strict
    the sketch with the item counted once; errors: 42804 when its items are of the other type, 22003
function topk_add(sketch topk, value text, count bigint) -> topk  as sketches_topk_add not strict
    the sketch with the item counted count times; errors: 42804, 22023 for a count below 0, 22003
    past 2^63-1, 54000
function topk_add(sketch topk, value bigint, count bigint) -> topk  as sketches_topk_add not strict
    the sketch with the item counted count times; errors: 42804, 22023 for a count below 0, 22003
    past 2^63-1
function topk_add_all(sketch topk, items text[]) -> topk  as sketches_topk_add_all not strict
    the sketch with each element counted once; NULL elements are skipped; errors: 42804, 22003,
    54000
function topk_add_all(sketch topk, items bigint[]) -> topk  as sketches_topk_add_all not strict
    the sketch with each element counted once; NULL elements are skipped; errors: 42804, 22003
function topk_add_all(sketch topk, items text) -> topk  as sketches_topk_add_all not strict
    topk_add_all for an array without a type, such as '{a,b}'; errors: 22P02
function topk_try_add(INOUT sketch topk, value text, OUT expelled text)
        as sketches_topk_try_add not strict
function topk_try_add(INOUT sketch topk, value bigint, OUT expelled text)
        as sketches_topk_try_add not strict
    the sketch with the item counted once; expelled is the item that left the list for it, or NULL,
    as TOPK.ADD replies; errors: 42804, 22003, 54000
function topk_try_add(INOUT sketch topk, value text, count bigint, OUT expelled text)
        as sketches_topk_try_add not strict
function topk_try_add(INOUT sketch topk, value bigint, count bigint, OUT expelled text)
        as sketches_topk_try_add not strict
    the sketch with the item counted count times; expelled is the item that left the list for it, or
    NULL, as TOPK.INCRBY replies; errors: 42804, 22023, 22003, 54000
function topk_decay(sketch topk, factor float8) -> topk  as sketches_topk_decay
    the sketch with every count multiplied by a factor, 0 to 1; bounds are rounded outwards; errors:
    22023
function topk_union(a topk, b topk) -> topk  as sketches_union not strict
    union: the items of both sketches, counts added, for the lower k of the two; errors: 42804 for
    text and bigint, 22003

-- Asking

function topk_list(sketch topk, OUT item text, OUT count bigint, OUT lower bigint, OUT upper bigint)
        -> setof record  as sketches_topk_list rows 10
    the k most frequent items, descending; the true count is between lower and upper, and count is
    lower
function topk_list_bigint(sketch topk, OUT item bigint, OUT count bigint, OUT lower bigint,
        OUT upper bigint) -> setof record  as sketches_topk_list_bigint rows 10
    topk_list of a sketch of bigints, with items of type bigint; errors: 42804 for a sketch of texts
function topk_contains(sketch topk, value text) -> boolean  as sketches_topk_contains
function topk_contains(sketch topk, value bigint) -> boolean  as sketches_topk_contains
    true if the item is one of the k most frequent; errors: 42804
function topk_count(sketch topk, value text) -> bigint  as sketches_topk_count
function topk_count(sketch topk, value bigint) -> bigint  as sketches_topk_count
    count of the item, never above the true count; 0 for an item without a counter; errors: 42804
function topk_bounds(sketch topk, value text, OUT count bigint, OUT lower bigint, OUT upper bigint)
        as sketches_topk_bounds
function topk_bounds(sketch topk, value bigint, OUT count bigint, OUT lower bigint,
        OUT upper bigint)  as sketches_topk_bounds
    count of the item, with bounds of its true count; errors: 42804
function topk_total(sketch topk) -> bigint  as sketches_topk_total cost 10
    sum of all counts; reads the header only
function topk_error(sketch topk) -> bigint  as sketches_topk_error cost 10
    error bound: no count is too low by more, and no item without a counter occurred more often; 0
    while exact; reads the header only
function topk_info(sketch topk, OUT k int, OUT items text, OUT counters int, OUT total bigint,
        OUT error bigint, OUT bytes int)  as sketches_topk_info cost 10
    k, type of the items, counters, total, error bound, bytes of the packed value; reads the header
    only
function topk_describe(sketch topk) -> text  as sketches_topk_describe
    human-readable summary: total, error bound, most frequent items, bytes

-- Other systems

function topk_items_from_redis(payload bytea, OUT item bytea, OUT count bigint) -> setof record
        as sketches_topk_items_from_redis rows 10
    the items and counts of a Top-K of Redis (TOPK.*), as DUMP returns it, highest counts first;
    errors: 22P03
function topk_from_datasketches(payload bytea, k bigint, item text = 'text') -> topk
        as sketches_topk_from_datasketches
    reads and validates a frequent-items sketch of DataSketches, of 'text' or 'bigint' items, with
    its bounds; errors: 22P03, 22023
function topk_from_topn(payload jsonb, k bigint) -> topk  as sketches_topk_from_topn
    reads the items and counts of a value of the topn extension; errors: 22P02, 22023,
    22003

-- Operators

operator topk | topk  by topk_union commutator |
    union

-- Aggregates. The state is the type itself, the union combines.

transition _topk_union_state(topk, topk)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _topk_final(topk) -> topk  as sketches_final
    final function: the packed state

function _approx_top_k_final(topk) -> text[]  as sketches_approx_top_k_final
    final function: the items of the list
function _approx_top_k_bigint_final(topk) -> bigint[]  as sketches_approx_top_k_bigint_final
    final function: the items of the list, which are numbers
function _approx_top_count_final(topk) -> jsonb  as sketches_approx_top_count_final
    final function: the list with its counts
function _topk_combine(topk, topk) -> topk  as sketches_topk_combine not strict
    combine function of aggregates with parameters, which must be the same in all states
transition _topk_agg_state(topk, text)  as sketches_topk_agg_state
transition _topk_agg_state(topk, bigint)  as sketches_topk_agg_bigint_state
transition _topk_agg_state(topk, text, bigint)  as sketches_topk_agg_state
transition _topk_agg_state(topk, bigint, bigint)  as sketches_topk_agg_bigint_state
transition _topk_weighted_agg_state(topk, text, bigint)  as sketches_topk_weighted_agg_state
transition _topk_weighted_agg_state(topk, bigint, bigint)
        as sketches_topk_weighted_agg_bigint_state
transition _topk_weighted_agg_state(topk, text, bigint, bigint)  as sketches_topk_weighted_agg_state
transition _topk_weighted_agg_state(topk, bigint, bigint, bigint)
        as sketches_topk_weighted_agg_bigint_state
    transition function
aggregate topk_agg(value text)
        state topk space 1024 by _topk_agg_state combine _topk_union_state final _topk_final
    sketch of the most frequent items, k = 10; NULL over no rows; errors: 54000 for an item of more
    than 1 MB
aggregate topk_agg(value bigint)
        state topk space 1024 by _topk_agg_state combine _topk_union_state final _topk_final
    sketch of the most frequent items, k = 10; NULL over no rows
aggregate topk_agg(value text, k bigint)
        state topk space 1024 by _topk_agg_state combine _topk_combine final _topk_final
    sketch of the k most frequent items; NULL over no rows; errors: 22023, 22004, 54000 for an item
    of more than 1 MB
aggregate topk_agg(value bigint, k bigint)
        state topk space 1024 by _topk_agg_state combine _topk_combine final _topk_final
    sketch of the k most frequent items; NULL over no rows; errors: 22023, 22004
aggregate topk_weighted_agg(value text, weight bigint)
        state topk space 1024 by _topk_weighted_agg_state combine _topk_union_state
        final _topk_final
    sketch of the items with the highest sums of weights, k = 10; NULL weights are skipped; NULL
    over no rows; errors: 22023, 22003, 54000 for an item of more than 1 MB
aggregate topk_weighted_agg(value bigint, weight bigint)
        state topk space 1024 by _topk_weighted_agg_state combine _topk_union_state
        final _topk_final
    sketch of the items with the highest sums of weights, k = 10; NULL weights are skipped; NULL
    over no rows; errors: 22023, 22003
aggregate topk_weighted_agg(value text, weight bigint, k bigint)
        state topk space 1024 by _topk_weighted_agg_state combine _topk_combine final _topk_final
    sketch of the k items with the highest sums of weights; NULL weights are skipped; NULL over no
    rows; errors: 22023, 22004, 22003, 54000 for an item of more than 1 MB
aggregate topk_weighted_agg(value bigint, weight bigint, k bigint)
        state topk space 1024 by _topk_weighted_agg_state combine _topk_combine final _topk_final
    sketch of the k items with the highest sums of weights; NULL weights are skipped; NULL over no
    rows; errors: 22023, 22004, 22003
aggregate topk_union_agg(sketch topk)
        state topk space 16384 by _topk_union_state combine _topk_union_state final _topk_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union of all sketches, counts added, for the lowest k among them; NULL over no rows; errors:
    42804, 22003
aggregate approx_top_k(value text, k bigint)
        state topk space 1024 by _topk_agg_state combine _topk_combine final _approx_top_k_final
    the k most frequent items, descending; NULL over no rows; errors: 22023, 22004, 54000
aggregate approx_top_k(value bigint, k bigint)
        state topk space 1024 by _topk_agg_state combine _topk_combine
        final _approx_top_k_bigint_final
    the k most frequent items, descending; NULL over no rows; errors: 22023, 22004
aggregate approx_top_count(value text, k bigint)
        state topk space 1024 by _topk_agg_state combine _topk_combine final _approx_top_count_final
    the k most frequent items with their counts, descending, as [{"item": ..., "count": ...}, ...];
    NULL over no rows; errors: 22023, 22004, 54000
aggregate approx_top_count(value bigint, k bigint)
        state topk space 1024 by _topk_agg_state combine _topk_combine final _approx_top_count_final
    the k most frequent items with their counts, descending, as [{"item": ..., "count": ...}, ...];
    NULL over no rows; errors: 22023, 22004
