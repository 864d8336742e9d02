-- bloom: was this item added? See src/core/bloom/bloom.c and src/pg/bloom/bloom.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

include shared/common.sql.in: TYPE=bloom

COMMENT ON TYPE bloom IS 'Bloom filter: was this item added? 10 bits an item, 1 % false positives';

-- Building and changing

function bloom_empty(capacity bigint = 100, error_rate float8 = 0.01, expansion int = 2) -> bloom
        cost 10
    an empty filter. Beyond its capacity it grows by another layer, for expansion times the items of
    the layer before; with expansion 0 it is full at its capacity; errors: 22023, 54000
function bloom_add(sketch bloom, value {hashed|text}) -> bloom
        as sketches_bloom_add{|_text} not strict
    the filter with the value added; errors: 54000 for a full filter that does not grow
function bloom_add_all(sketch bloom, items {hashed[]|text[]}) -> bloom
        as sketches_bloom_add_all{|_text} not strict
    the filter with all elements added; NULL elements are skipped; errors: 54000 for a full filter
    that does not grow

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
function bloom_add_all(sketch bloom, items varchar[]) -> bloom
        as sketches_bloom_add_all_text not strict
    the filter with all elements added; NULL elements are skipped; errors: 54000 for a full filter
    that does not grow
function bloom_add_all(sketch bloom, items text) -> bloom
        as sketches_bloom_add_all_untyped not strict
    the same for an array without a type, such as '{a,b}'; errors: 22P02
function bloom_try_add(INOUT sketch bloom, value {hashed|text}, OUT added boolean)
        as sketches_bloom_try_add{|_text} not strict
    the filter with the value added, and whether it was new, as BF.ADD replies; errors: 54000 for a
    full filter that does not grow
function bloom_union(a bloom, b bloom) -> bloom  as sketches_union not strict
    the filter of all items of both. Filters of one shape with space for both are ORed; others stand
    side by side, and their error rates add up; errors: 42804 for different hash functions, or
    shapes of filters that do not grow; 54000 for more than a filter may hold
function bloom_intersection(a bloom, b bloom) -> bloom
    the filter of the items that both contain; errors: 42804 unless one is a list or both are single
    filters of one shape

-- Asking

function bloom_contains(sketch bloom, value {hashed|text}) -> boolean
        as sketches_bloom_contains{|_text} cost 10
    whether the value was added; false is certain, true is wrong at the false-positive rate; of a
    filter that is stored out of line, only one block is read
function bloom_contains_each(sketch bloom, items {hashed[]|text[]|varchar[]}) -> boolean[]
        as sketches_bloom_contains_each{|_text|_text} cost 10
    for each element whether it was added, as bloom_contains; NULL for NULL
function bloom_contains_each(sketch bloom, items text) -> boolean[]
        as sketches_bloom_contains_each_untyped
    the same for an array without a type, such as '{a,b}'; errors: 22P02
function bloom_cardinality(sketch bloom) -> bigint  cost 10
    the number of items that were new when they were added; reads the header only
function bloom_false_positive_rate(sketch bloom) -> float8  cost 1000
    the false-positive rate of the filter as it is filled now; 0 for a list
function bloom_info(sketch bloom, OUT capacity bigint, OUT error_rate float8, OUT expansion int,
        OUT items bigint, OUT filters int, OUT bits_per_item float8, OUT fill_ratio float8,
        OUT false_positive_rate float8, OUT bytes int)  cost 1000
    parameters; items; layers (0: a list); bits per item; share of bits that are set; false-positive
    rate as filled now; bytes of the packed value
function bloom_filters(sketch bloom, OUT filter int, OUT capacity bigint, OUT items bigint,
        OUT error_rate float8, OUT hashes int, OUT bits bigint) -> setof record  cost 10 rows 10
    the layers of the filter, none for a list: capacity, items, share of the error rate, bits set by
    an item, bits
function bloom_contained(value {hashed|text}, sketch bloom) -> boolean
        as sketches_bloom_contained{|_text} cost 10
    bloom_contains with the arguments exchanged
function bloom_describe(sketch bloom) -> text  cost 1000
    one line for people: items, false-positive rate as filled now, bytes

-- Redis

function bloom_from_redis(payload bytea) -> bloom
    reads a Bloom filter of Redis (BF.*) from its DUMP payload; it keeps its bits and its hash, and
    takes texts; errors: 22P03
function bloom_from_redis(header bytea, chunks bytea) -> bloom  as sketches_bloom_from_redis_chunks
    reads a Bloom filter of Redis from the header and the chunks, one behind the other, of
    BF.SCANDUMP; errors: 22P03
function bloom_to_redis(sketch bloom, OUT header bytea, OUT chunks bytea)
    the header and the chunks that BF.LOADCHUNK takes, for a filter that came from Redis; errors:
    42804
function bloom_plan(items bigint, error_rate float8, OUT bits bigint, OUT bits_per_item float8,
        OUT hashes int, OUT bytes bigint, OUT rate float8, OUT redis_bytes bigint,
        OUT redis_hashes int)
    calculator: bits, bytes and rate of a filter for this number of items, and what BF.RESERVE would
    take; errors: 22023
function bloom_plan(items bigint, error_rate float8, filled bigint, OUT bits bigint,
        OUT bits_per_item float8, OUT hashes int, OUT bytes bigint, OUT rate float8,
        OUT redis_bytes bigint, OUT redis_hashes int)
    the same, with the rate when the filter holds filled items without growing; errors: 22023

-- Operators

operator {hashed|text} <@ bloom  by bloom_contained commutator @> restrict contsel join contjoinsel
    is contained, probably; false is certain
operator # bloom  by bloom_cardinality
    number of items
operator bloom | bloom  by bloom_union commutator |
    union
operator bloom & bloom  by bloom_intersection commutator &
    intersection
operator bloom @> {hashed|text}  by bloom_contains commutator <@ restrict contsel join contjoinsel
    contains, probably; false is certain

-- Aggregates. The state is the type itself, the union combines.

include shared/states.sql.in: TYPE=bloom

transition _bloom_intersection_state(bloom, bloom)  cost 100
    transition and combine function; NULL on either side is skipped
function _bloom_combine(bloom, bloom) -> bloom  not strict
    combine function of aggregates with parameters, which must be the same in all states
transition _bloom_agg_state(bloom, {hashed|text})  as sketches_bloom_agg{|_text}_state
transition _bloom_agg_state(bloom, {hashed|text}, bigint)
        as sketches_bloom_agg{|_text}_parameters_state
transition _bloom_agg_state(bloom, {hashed|text}, bigint, float8)
        as sketches_bloom_agg{|_text}_parameters_state
aggregate bloom_agg(value {hashed|text})  state bloom space 512
    filter of the distinct values, sized for their number, error rate 1%; NULL over no rows
aggregate bloom_agg(value {hashed|text}, capacity bigint)  state bloom space 512
        combine _bloom_combine
    filter of the distinct values, with space for capacity items or more, error rate 1%; NULL over
    no rows; errors: 22023, 22004, 54000
aggregate bloom_agg(value {hashed|text}, capacity bigint, error_rate float8)
        state bloom space 512 combine _bloom_combine
    filter of the distinct values, with space for capacity items or more, of this error rate; NULL
    over no rows; errors: 22023, 22004, 54000
aggregate bloom_union_agg(sketch bloom)  state bloom space 16384 by _bloom_union_state
    union of filters; NULL over no rows; errors: 42804 for different hash functions, or shapes of
    filters that do not grow; 54000 for more than a filter may hold
aggregate bloom_intersection_agg(sketch bloom)
        state bloom space 16384 by _bloom_intersection_state combine _bloom_intersection_state
    intersection of filters; NULL over no rows; errors: 42804 unless they are lists or single
    filters of one shape
