-- bloom: was this item added? See src/core/bloom/bloom.c and src/pg/bloom/bloom.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

include shared/common.sql.in: TYPE=bloom

COMMENT ON TYPE bloom IS 'Bloom filter: was this item added? 10 bits an item, 1% false positives';

-- Building and changing

function bloom_empty(capacity bigint = 100, error_rate float8 = 0.01, expansion bigint = 2) -> bloom
        as sketches_bloom_empty cost 10
    empty filter for capacity items at this false-positive rate. When full it grows by another
    layer, for expansion times as many items; with expansion 0 it rejects more items; errors: 22023,
    54000
function bloom_add(sketch bloom, value hashed) -> bloom  as sketches_bloom_add not strict
function bloom_add(sketch bloom, value text) -> bloom  as sketches_bloom_add not strict
function bloom_add(sketch bloom, value anyenum) -> bloom  as sketches_bloom_add not strict stable
    the filter with the value added; errors: 54000 for a full filter that does not grow
function bloom_add_all(sketch bloom, items hashed[]) -> bloom  as sketches_bloom_add_all not strict
function bloom_add_all(sketch bloom, items text[]) -> bloom  as sketches_bloom_add_all not strict
    the filter with all elements added; NULL elements are skipped; errors: 54000 for a full filter
    that does not grow

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
function bloom_add_all(sketch bloom, items varchar[]) -> bloom  as sketches_bloom_add_all not strict
    the filter with all elements added; NULL elements are skipped; errors: 54000 for a full filter
    that does not grow
function bloom_add_all(sketch bloom, items text) -> bloom  as sketches_bloom_add_all not strict
    bloom_add_all for an array without a type, such as '{a,b}'; errors: 22P02
function bloom_try_add(INOUT sketch bloom, value hashed, OUT added boolean)
        as sketches_bloom_try_add not strict
function bloom_try_add(INOUT sketch bloom, value text, OUT added boolean)
        as sketches_bloom_try_add not strict
function bloom_try_add(INOUT sketch bloom, value anyenum, OUT added boolean)
        as sketches_bloom_try_add not strict stable
    the filter with the value added; added is true if the value was new, as BF.ADD replies; errors:
    54000 for a full filter that does not grow
function bloom_union(a bloom, b bloom) -> bloom  as sketches_union not strict
    union: the items of either filter. Filters of one shape with space for both merge into one;
    otherwise both are kept and their false-positive rates add up; errors: 42804 for different hash
    functions, or shapes of filters that do not grow; 54000 for more than a filter may hold
function bloom_intersection(a bloom, b bloom) -> bloom  as sketches_bloom_intersection
    intersection: the items in both filters; errors: 42804 unless one is a list or both are single
    filters of one shape

-- Asking

function bloom_contains(sketch bloom, value hashed) -> boolean  as sketches_bloom_contains cost 10
function bloom_contains(sketch bloom, value text) -> boolean
        as sketches_bloom_contains_text cost 10
function bloom_contains(sketch bloom, value anyenum) -> boolean
        as sketches_bloom_contains_enum cost 10 stable
    probably contains the value (false is always correct, true is wrong at the false-positive rate);
    reads one block of a filter stored out of line
function bloom_contains_each(sketch bloom, items hashed[]) -> boolean[]
        as sketches_bloom_contains_each cost 10
function bloom_contains_each(sketch bloom, items text[]) -> boolean[]
        as sketches_bloom_contains_each cost 10
function bloom_contains_each(sketch bloom, items varchar[]) -> boolean[]
        as sketches_bloom_contains_each cost 10
    for each element, whether the filter probably contains it (false is always correct); NULL for
    NULL
function bloom_contains_each(sketch bloom, items text) -> boolean[]  as sketches_bloom_contains_each
    bloom_contains_each for an array without a type, such as '{a,b}'; errors: 22P02
function bloom_cardinality(sketch bloom) -> bigint  as sketches_bloom_cardinality cost 10
    number of items that were new when they were added; reads the header only
function bloom_false_positive_rate(sketch bloom) -> float8
        as sketches_bloom_false_positive_rate cost 1000
    false-positive rate at the present fill; 0 for a list
function bloom_info(sketch bloom, OUT capacity bigint, OUT error_rate float8, OUT expansion int,
        OUT items bigint, OUT layers int, OUT bits_per_item float8, OUT fill_ratio float8,
        OUT false_positive_rate float8, OUT hash text, OUT bytes int)
        as sketches_bloom_info cost 1000
    capacity of all layers; error rate and expansion as requested; items; layers (0 for a list); bits
    per item; fraction of bits set; false-positive rate at the present fill; hash function (xxh3 or
    redis); bytes of the packed value
function bloom_filters(sketch bloom, OUT filter int, OUT capacity bigint, OUT items bigint,
        OUT error_rate float8, OUT hashes int, OUT bits bigint) -> setof record
        as sketches_bloom_filters cost 10 rows 10
    the layers of the filter, none for a list: capacity, items, its part of the error rate, bits set
    for an item, total bits
function _bloom_contained(hashed, bloom) -> boolean  as sketches_bloom_contained cost 10
function _bloom_contained(text, bloom) -> boolean  as sketches_bloom_contained_text cost 10
function _bloom_contained(anyenum, bloom) -> boolean
        as sketches_bloom_contained_enum cost 10 stable
    bloom_contains with the arguments exchanged
function bloom_describe(sketch bloom) -> text  as sketches_bloom_describe cost 1000
    human-readable summary: items, false-positive rate at the present fill, bytes

-- Redis

function bloom_from_redis(payload bytea) -> bloom  as sketches_bloom_from_redis
    reads and validates a Bloom filter of Redis (BF.*), as DUMP returns it; it keeps the hash of
    Redis, and takes texts; errors: 22P03
function bloom_from_redis(header bytea, chunks bytea) -> bloom  as sketches_bloom_from_redis
    reads and validates a Bloom filter of Redis from the header and the joined chunks of
    BF.SCANDUMP; errors: 22P03
function bloom_to_redis(sketch bloom, OUT header bytea, OUT chunks bytea)
        as sketches_bloom_to_redis
    header and chunks for BF.LOADCHUNK, of a filter that came from Redis; errors: 42804
function bloom_plan(items bigint, error_rate float8, OUT bits bigint, OUT bits_per_item float8,
        OUT hashes int, OUT bytes bigint, OUT false_positive_rate float8, OUT redis_bytes bigint,
        OUT redis_hashes int)  as sketches_bloom_plan
    calculator: bits, bytes and false-positive rate of a filter for this number of items, and the
    size of the filter of BF.RESERVE; errors: 22023
function bloom_plan(items bigint, error_rate float8, filled bigint, OUT bits bigint,
        OUT bits_per_item float8, OUT hashes int, OUT bytes bigint, OUT false_positive_rate float8,
        OUT redis_bytes bigint, OUT redis_hashes int)  as sketches_bloom_plan
    bloom_plan with the false-positive rate after filled items were added without growing; errors:
    22023

-- Operators

operator hashed <@ bloom  by _bloom_contained commutator @> restrict contsel join contjoinsel
operator text <@ bloom  by _bloom_contained commutator @> restrict contsel join contjoinsel
operator anyenum <@ bloom  by _bloom_contained commutator @> restrict contsel join contjoinsel
    is probably contained (false is always correct)
operator bloom | bloom  by bloom_union commutator |
    union
operator bloom & bloom  by bloom_intersection commutator &
    intersection
operator bloom @> hashed  by bloom_contains commutator <@ restrict contsel join contjoinsel
operator bloom @> text  by bloom_contains commutator <@ restrict contsel join contjoinsel
operator bloom @> anyenum  by bloom_contains commutator <@ restrict contsel join contjoinsel
    probably contains (false is always correct)

-- Aggregates. The state is the type itself, the union combines.

transition _bloom_union_state(bloom, bloom)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _bloom_final(bloom) -> bloom  as sketches_final
    final function: the packed state

transition _bloom_intersection_state(bloom, bloom)  as sketches_bloom_intersection_state cost 100
    transition and combine function; NULL on either side is skipped
function _bloom_combine(bloom, bloom) -> bloom  as sketches_bloom_combine not strict
    combine function of aggregates with parameters, which must be the same in all states
transition _bloom_agg_state(bloom, hashed)  as sketches_bloom_agg_state
transition _bloom_agg_state(bloom, text)  as sketches_bloom_agg_text_state
transition _bloom_agg_state(bloom, anyenum)  as sketches_bloom_agg_enum_state stable
transition _bloom_agg_state(bloom, hashed, bigint)  as sketches_bloom_agg_state
transition _bloom_agg_state(bloom, text, bigint)  as sketches_bloom_agg_text_state
transition _bloom_agg_state(bloom, anyenum, bigint)  as sketches_bloom_agg_enum_state stable
transition _bloom_agg_state(bloom, hashed, bigint, float8)  as sketches_bloom_agg_state
transition _bloom_agg_state(bloom, text, bigint, float8)  as sketches_bloom_agg_text_state
transition _bloom_agg_state(bloom, anyenum, bigint, float8)  as sketches_bloom_agg_enum_state stable
    transition function
aggregate bloom_agg(value hashed)
        state bloom space 512 by _bloom_agg_state combine _bloom_union_state final _bloom_final
aggregate bloom_agg(value text)
        state bloom space 512 by _bloom_agg_state combine _bloom_union_state final _bloom_final
aggregate bloom_agg(value anyenum)
        state bloom space 512 by _bloom_agg_state combine _bloom_union_state final _bloom_final
    filter of the distinct values, sized for their number, false-positive rate 1%; NULL over no
    rows; errors: 54000
aggregate bloom_agg(value hashed, capacity bigint)
        state bloom space 512 by _bloom_agg_state combine _bloom_combine final _bloom_final
aggregate bloom_agg(value text, capacity bigint)
        state bloom space 512 by _bloom_agg_state combine _bloom_combine final _bloom_final
aggregate bloom_agg(value anyenum, capacity bigint)
        state bloom space 512 by _bloom_agg_state combine _bloom_combine final _bloom_final
    filter of the distinct values, with space for at least capacity items, false-positive rate 1%;
    NULL over no rows; errors: 22023, 22004, 54000
aggregate bloom_agg(value hashed, capacity bigint, error_rate float8)
        state bloom space 512 by _bloom_agg_state combine _bloom_combine final _bloom_final
aggregate bloom_agg(value text, capacity bigint, error_rate float8)
        state bloom space 512 by _bloom_agg_state combine _bloom_combine final _bloom_final
aggregate bloom_agg(value anyenum, capacity bigint, error_rate float8)
        state bloom space 512 by _bloom_agg_state combine _bloom_combine final _bloom_final
    filter of the distinct values, with space for at least capacity items at this false-positive
    rate; NULL over no rows; errors: 22023, 22004, 54000
aggregate bloom_union_agg(sketch bloom)
        state bloom space 16384 by _bloom_union_state combine _bloom_union_state final _bloom_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union of all filters; NULL over no rows; errors: 42804 for different hash functions, or shapes
    of filters that do not grow; 54000 for more than a filter may hold
aggregate bloom_intersection_agg(sketch bloom)
        state bloom space 16384 by _bloom_intersection_state combine _bloom_intersection_state
        final _bloom_final
    intersection of all filters; NULL over no rows; errors: 42804 unless they are lists or single
    filters of one shape
