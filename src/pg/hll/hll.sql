-- hll: how many distinct items were there? See src/core/hll/hll.c and src/pg/hll/hll.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

include shared/common.sql.in: TYPE=hll

COMMENT ON TYPE hll IS
    'HyperLogLog sketch: number of distinct items in 4 kB, standard error 0.84%';

-- Building and changing

function hll_empty(p bigint = 13) -> hll  as sketches_hll_empty cost 10
    empty sketch with 2^p registers, p 4 to 18; standard error 0.76 / sqrt(2^p); errors: 22023
function hll_add(sketch hll, value hashed) -> hll  as sketches_hll_add not strict
    the sketch with the value added; errors: 42804 for a sketch of another system
function hll_add(sketch hll, value text) -> hll  as sketches_hll_add not strict
function hll_add(sketch hll, value anyenum) -> hll  as sketches_hll_add not strict stable
function hll_add(sketch hll, value bytea) -> hll  as sketches_hll_add not strict
    the sketch with the value added, hashed by the sketch's own hash function
function hll_add_all(sketch hll, items hashed[]) -> hll  as sketches_hll_add_all not strict
    the sketch with all elements added; NULL elements are skipped; errors: 42804 for a sketch of
    another system
function hll_add_all(sketch hll, items text[]) -> hll  as sketches_hll_add_all not strict
    the sketch with all elements added; NULL elements are skipped

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
function hll_add_all(sketch hll, items varchar[]) -> hll  as sketches_hll_add_all not strict
function hll_add_all(sketch hll, items bytea[]) -> hll  as sketches_hll_add_all not strict
    the sketch with all elements added; NULL elements are skipped
function hll_add_all(sketch hll, items text) -> hll  as sketches_hll_add_all not strict
    hll_add_all for an array without a type, such as '{a,b}'; errors: 22P02
function hll_try_add(INOUT sketch hll, value hashed, OUT changed boolean)
        as sketches_hll_try_add not strict
    the sketch with the value added; changed is true if that altered it, as PFADD replies; errors:
    42804 for a sketch of another system
function hll_try_add(INOUT sketch hll, value text, OUT changed boolean)
        as sketches_hll_try_add not strict
function hll_try_add(INOUT sketch hll, value anyenum, OUT changed boolean)
        as sketches_hll_try_add not strict stable
function hll_try_add(INOUT sketch hll, value bytea, OUT changed boolean)
        as sketches_hll_try_add not strict
    the sketch with the value added; changed is true if that altered it, as PFADD replies
function hll_reduce(sketch hll, p bigint) -> hll  as sketches_hll_reduce
    the sketch reduced to a lower precision, as if it had been counted at that precision; errors:
    22023
function hll_union(a hll, b hll) -> hll  as sketches_union not strict
    union: the distinct items of either sketch, at the lower precision of the two; errors: 42804 for
    different hash functions

-- Asking

function hll_cardinality(sketch hll) -> bigint  as sketches_hll_cardinality cost 10
    estimated number of distinct items; reads the header only
function hll_bounds(sketch hll, sigmas float8 = 2, OUT lower bigint, OUT estimate bigint,
        OUT upper bigint)  as sketches_hll_bounds cost 10
    the estimate, with bounds that many standard errors below and above: 1 holds in 68% of cases, 2
    in 95%, 3 in 99.7%; errors: 22023
function hll_intersection_cardinality(a hll, b hll) -> bigint
        as sketches_hll_intersection_cardinality cost 1000
    estimated number of distinct items in both sketches, by joint maximum likelihood; errors: 42804
    for different hash functions
function hll_difference_cardinality(a hll, b hll) -> bigint
        as sketches_hll_difference_cardinality cost 1000
    estimated number of distinct items in the first sketch and not in the second, by joint maximum
    likelihood; errors: 42804 for different hash functions
function hll_jaccard(a hll, b hll) -> float8  as sketches_hll_jaccard cost 1000
    estimated Jaccard index: intersection divided by union, 0 to 1; NULL when both are empty;
    errors: 42804 for different hash functions
function hll_info(sketch hll, OUT "precision" int, OUT encoding text, OUT cardinality bigint,
        OUT relative_error float8, OUT hash text, OUT bytes int)  as sketches_hll_info cost 10
    precision, encoding (sparse or dense), estimate and its relative standard error, hash function,
    bytes of the packed value
function hll_describe(sketch hll) -> text  as sketches_hll_describe cost 10
    human-readable summary: estimate and standard error, encoding, precision, bytes
function hll_registers(sketch hll, OUT register int, OUT rank int, OUT history int) -> setof record
        as sketches_hll_registers rows 10000
    registers that are not empty: number, highest rank, history (2 if rank - 1 was seen, plus 1 if
    rank - 2 was seen; NULL for sketches of other systems)

-- Operators

operator hll | hll  by hll_union commutator |
    union
operator # hll  by hll_cardinality
    estimated number of distinct items

-- Aggregates. The state is the type itself, the union combines.

transition _hll_union_state(hll, hll)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _hll_final(hll) -> hll  as sketches_final
    final function: the packed state

function _approx_count_distinct_final(hll) -> bigint
        as sketches_hll_cardinality_final cost 10 not strict
    final function: the cardinality, 0 for no state
function _hll_union_cardinality_final(hll) -> bigint
        as sketches_hll_cardinality_final cost 10 not strict
    final function: the cardinality, 0 for no state
function _hll_union_cardinality_moving_final(internal) -> bigint
        as sketches_hll_union_cardinality_moving_final not strict
    final function over moving frames: the cardinality
function _hll_combine(hll, hll) -> hll  as sketches_hll_combine not strict
    combine function of aggregates with parameters, which must be the same in all states
transition _hll_agg_state(hll, hashed)  as sketches_hll_agg_state
transition _hll_agg_state(hll, text)  as sketches_hll_agg_text_state
transition _hll_agg_state(hll, anyenum)  as sketches_hll_agg_enum_state stable
transition _hll_agg_state(hll, hashed, bigint)  as sketches_hll_agg_state
transition _hll_agg_state(hll, text, bigint)  as sketches_hll_agg_text_state
transition _hll_agg_state(hll, anyenum, bigint)  as sketches_hll_agg_enum_state stable
    transition function
aggregate hll_agg(value hashed)
        state hll space 256 by _hll_agg_state combine _hll_union_state final _hll_final
aggregate hll_agg(value text)
        state hll space 256 by _hll_agg_state combine _hll_union_state final _hll_final
aggregate hll_agg(value anyenum)
        state hll space 256 by _hll_agg_state combine _hll_union_state final _hll_final
    sketch of the distinct values, precision 13; NULL over no rows
aggregate hll_agg(value hashed, p bigint)
        state hll space 256 by _hll_agg_state combine _hll_combine final _hll_final
aggregate hll_agg(value text, p bigint)
        state hll space 256 by _hll_agg_state combine _hll_combine final _hll_final
aggregate hll_agg(value anyenum, p bigint)
        state hll space 256 by _hll_agg_state combine _hll_combine final _hll_final
    sketch of the distinct values, precision 4 to 18; NULL over no rows; errors: 22023, 22004
aggregate hll_union_agg(sketch hll)
        state hll space 8192 by _hll_union_state combine _hll_union_state final _hll_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union of all sketches, at the lowest precision among them; NULL over no rows; errors: 42804 for
    different hash functions
aggregate hll_union_cardinality_agg(sketch hll)
        state hll space 8192 by _hll_union_state combine _hll_union_state
        final _hll_union_cardinality_final
        moving _sketches_moving_union _sketches_moving_inverse _hll_union_cardinality_moving_final
    estimated number of distinct items in the union of all sketches, without packing it; 0 over no
    rows; errors: 42804 for different hash functions
function _approx_count_distinct_moving(internal, hashed) -> internal
        as sketches_approx_count_distinct_moving cost 10 not strict
function _approx_count_distinct_moving(internal, text) -> internal
        as sketches_approx_count_distinct_moving cost 10 not strict
function _approx_count_distinct_moving(internal, anyenum) -> internal
        as sketches_approx_count_distinct_moving cost 10 not strict stable
    transition function over moving frames, which counts exactly
function _approx_count_distinct_inverse(internal, hashed) -> internal
        as sketches_approx_count_distinct_inverse cost 10 not strict
function _approx_count_distinct_inverse(internal, text) -> internal
        as sketches_approx_count_distinct_inverse cost 10 not strict
function _approx_count_distinct_inverse(internal, anyenum) -> internal
        as sketches_approx_count_distinct_inverse cost 10 not strict stable
    inverse transition function over moving frames
function _approx_count_distinct_moving_final(internal) -> bigint
        as sketches_approx_count_distinct_moving_final cost 10 not strict
    final function over moving frames
aggregate approx_count_distinct(value hashed)
        state hll space 256 by _hll_agg_state combine _hll_union_state
        final _approx_count_distinct_final
        moving _approx_count_distinct_moving _approx_count_distinct_inverse
        _approx_count_distinct_moving_final
aggregate approx_count_distinct(value text)
        state hll space 256 by _hll_agg_state combine _hll_union_state
        final _approx_count_distinct_final
        moving _approx_count_distinct_moving _approx_count_distinct_inverse
        _approx_count_distinct_moving_final
aggregate approx_count_distinct(value anyenum)
        state hll space 256 by _hll_agg_state combine _hll_union_state
        final _approx_count_distinct_final
        moving _approx_count_distinct_moving _approx_count_distinct_inverse
        _approx_count_distinct_moving_final
    estimated number of distinct values, standard error 0.84%; exact over sliding windows; 0 over
    no rows

include hll/import.sql.in
