-- theta: how many distinct items are in an expression of sets? See src/core/theta/theta.c and
-- src/pg/theta/theta.c.

include shared/common.sql.in: TYPE=theta

COMMENT ON TYPE theta IS
    'theta sketch of Apache DataSketches: distinct items of unions, intersections and differences '
    'of any number of sets; standard error 1.6% in 23 kB';

-- Building and changing. Each type of a value has functions of its own: an int would become
-- double precision, which is preferred to bigint.

function theta_empty(lgk bigint = 12) -> theta  as sketches_theta_empty cost 10
    empty sketch of at most 2^lgk hashes, lgk 4 to 26; standard error 1 / sqrt(2^lgk - 1); errors:
    22023
function theta_add(sketch theta, value smallint) -> theta  as sketches_theta_add not strict
function theta_add(sketch theta, value int) -> theta  as sketches_theta_add not strict
function theta_add(sketch theta, value bigint) -> theta  as sketches_theta_add not strict
function theta_add(sketch theta, value float8) -> theta  as sketches_theta_add not strict
function theta_add(sketch theta, value text) -> theta  as sketches_theta_add not strict
function theta_add(sketch theta, value bytea) -> theta  as sketches_theta_add not strict
    the sketch with the value added
function theta_add_all(sketch theta, items smallint[]) -> theta
        as sketches_theta_add_all not strict
function theta_add_all(sketch theta, items int[]) -> theta  as sketches_theta_add_all not strict
function theta_add_all(sketch theta, items bigint[]) -> theta  as sketches_theta_add_all not strict
function theta_add_all(sketch theta, items float8[]) -> theta  as sketches_theta_add_all not strict
function theta_add_all(sketch theta, items text[]) -> theta  as sketches_theta_add_all not strict
function theta_add_all(sketch theta, items bytea[]) -> theta  as sketches_theta_add_all not strict
    the sketch with all elements added; NULL elements are skipped
function theta_add_all(sketch theta, items text) -> theta  as sketches_theta_add_all not strict
    theta_add_all for an array without a type, such as '{a,b}', whose elements are texts; errors:
    22P02
function theta_reduce(sketch theta, lgk bigint) -> theta  as sketches_theta_reduce
    the sketch reduced to at most 2^lgk hashes; errors: 22023
function theta_union(a theta, b theta) -> theta  as sketches_theta_union not strict
    union: distinct items of either sketch, at the lower lgk of the two
function theta_intersection(a theta, b theta) -> theta  as sketches_theta_intersection
    intersection: distinct items in both sketches, at the lower lgk of the two
function theta_difference(a theta, b theta) -> theta  as sketches_theta_difference
    difference: distinct items in the first sketch and not in the second

-- Asking

function theta_cardinality(sketch theta) -> bigint  as sketches_theta_cardinality cost 10
    estimated number of distinct items; reads the header only
function theta_bounds(sketch theta, sigmas bigint = 2, OUT lower float8, OUT estimate float8,
        OUT upper float8)  as sketches_theta_bounds cost 10
    the estimate with its bounds of 1, 2 or 3 standard deviations, as DataSketches computes them;
    errors: 22023
function theta_jaccard(a theta, b theta, OUT lower float8, OUT estimate float8, OUT upper float8)
        as sketches_theta_jaccard cost 1000
    Jaccard index: intersection divided by union, 0 to 1, with its bounds of 2 standard deviations,
    as DataSketches computes them; NULL when both are empty
function theta_contains(sketch theta, value smallint) -> boolean  as sketches_theta_contains cost 10
function theta_contains(sketch theta, value int) -> boolean  as sketches_theta_contains cost 10
function theta_contains(sketch theta, value bigint) -> boolean  as sketches_theta_contains cost 10
function theta_contains(sketch theta, value float8) -> boolean  as sketches_theta_contains cost 10
function theta_contains(sketch theta, value text) -> boolean  as sketches_theta_contains cost 10
function theta_contains(sketch theta, value bytea) -> boolean  as sketches_theta_contains cost 10
    true if the sketch has the item, false if it has not, NULL if its hash is outside of the sample;
    an exact sketch is never NULL
function theta_info(sketch theta, OUT lgk int, OUT hashes int, OUT theta float8,
        OUT cardinality bigint, OUT relative_error float8, OUT bytes int)
        as sketches_theta_info cost 10
    lgk, number of hashes, fraction of all items that they are a sample of (1 while exact), estimate
    and its relative standard error, bytes of the packed value
function theta_describe(sketch theta) -> text  as sketches_theta_describe cost 10
    human-readable summary: estimate and standard error, hashes, lgk, bytes

-- DataSketches

function theta_from_datasketches(payload bytea) -> theta  as sketches_theta_from_datasketches
    reads and validates a compact theta sketch of DataSketches, serial versions 1 to 4, at lgk 12 or
    the lowest that holds all hashes; errors: 22P03
function theta_from_datasketches(payload bytea, lgk bigint) -> theta
        as sketches_theta_from_datasketches
    theta_from_datasketches at this lgk; hashes past 2^lgk are dropped; errors: 22P03, 22023
function theta_to_datasketches(sketch theta, compressed boolean = true) -> bytea
        as sketches_theta_to_datasketches
    compact theta sketch of DataSketches, serial version 4, or 3 if not compressed

-- Operators

operator theta | theta  by theta_union commutator |
    union
operator theta & theta  by theta_intersection commutator &
    intersection
operator theta - theta  by theta_difference
    difference
operator # theta  by theta_cardinality
    estimated number of distinct items
operator theta @> smallint  by theta_contains restrict contsel join contjoinsel
operator theta @> int  by theta_contains restrict contsel join contjoinsel
operator theta @> bigint  by theta_contains restrict contsel join contjoinsel
operator theta @> float8  by theta_contains restrict contsel join contjoinsel
operator theta @> text  by theta_contains restrict contsel join contjoinsel
operator theta @> bytea  by theta_contains restrict contsel join contjoinsel
    has the item; NULL if its hash is outside of the sample

-- Aggregates. The state is the type itself, the union combines.

transition _theta_union_state(theta, theta)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _theta_final(theta) -> theta  as sketches_final
    final function: the packed state

function _theta_agg_combine(theta, theta) -> theta
        as sketches_theta_agg_combine cost 100 not strict
    combine function: the union of states of one lgk
transition _theta_agg_state(theta, smallint)  as sketches_theta_agg_smallint_state
transition _theta_agg_state(theta, int)  as sketches_theta_agg_integer_state
transition _theta_agg_state(theta, bigint)  as sketches_theta_agg_bigint_state
transition _theta_agg_state(theta, float8)  as sketches_theta_agg_float8_state
transition _theta_agg_state(theta, text)  as sketches_theta_agg_text_state
transition _theta_agg_state(theta, bytea)  as sketches_theta_agg_bytea_state
transition _theta_agg_state(theta, smallint, bigint)  as sketches_theta_agg_smallint_state
transition _theta_agg_state(theta, int, bigint)  as sketches_theta_agg_integer_state
transition _theta_agg_state(theta, bigint, bigint)  as sketches_theta_agg_bigint_state
transition _theta_agg_state(theta, float8, bigint)  as sketches_theta_agg_float8_state
transition _theta_agg_state(theta, text, bigint)  as sketches_theta_agg_text_state
transition _theta_agg_state(theta, bytea, bigint)  as sketches_theta_agg_bytea_state
    transition function
transition _theta_intersection_state(theta, theta)  as sketches_theta_intersection_state cost 100
    transition and combine function; NULL on either side is skipped
aggregate theta_agg(value smallint)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value int)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value bigint)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value float8)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value text)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value bytea)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
    sketch of the distinct values, lgk 12; NULL over no rows
aggregate theta_agg(value smallint, lgk bigint)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value int, lgk bigint)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value bigint, lgk bigint)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value float8, lgk bigint)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value text, lgk bigint)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
aggregate theta_agg(value bytea, lgk bigint)
        state theta space 512 by _theta_agg_state combine _theta_agg_combine final _theta_final
    sketch of the distinct values, lgk 4 to 26; NULL over no rows; errors: 22023, 22004
aggregate theta_union_agg(sketch theta)
        state theta space 16384 by _theta_union_state combine _theta_union_state final _theta_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union of all sketches, at the lowest lgk among them; NULL over no rows
function _theta_union_cardinality_final(theta) -> bigint
        as sketches_theta_cardinality_final cost 10 not strict
    final function: the cardinality, 0 for no state
function _theta_union_cardinality_moving_final(internal) -> bigint
        as sketches_theta_union_cardinality_moving_final not strict
    final function over moving frames: the cardinality
aggregate theta_union_cardinality_agg(sketch theta)
        state theta space 16384 by _theta_union_state combine _theta_union_state
        final _theta_union_cardinality_final
        moving _sketches_moving_union _sketches_moving_inverse _theta_union_cardinality_moving_final
    estimated number of distinct items in the union of all sketches, without packing it; 0 over no
    rows
aggregate theta_intersection_agg(sketch theta)
        state theta space 16384 by _theta_intersection_state combine _theta_intersection_state
        final _theta_final
    intersection of all sketches, at the lowest lgk among them; NULL over no rows
