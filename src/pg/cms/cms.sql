-- cms: how often did each item occur? See src/core/cms/cms.c and src/pg/cms/cms.c.

include shared/common.sql.in: TYPE=cms

COMMENT ON TYPE cms IS 'Count-Min sketch: how often did each item occur?';

-- Building and changing

function cms_empty(error float8 = 0.001, probability float8 = 0.01) -> cms
        as sketches_cms_empty cost 10
    empty sketch with 2 / error columns and log2(1 / probability) rows; errors: 22023
function cms_by_dim(width bigint, depth bigint) -> cms  as sketches_cms_by_dim cost 10
    empty sketch with this number of columns (width) and rows (depth); errors: 22023
function cms_add(sketch cms, value hashed, count bigint = 1) -> cms  as sketches_cms_add not strict
    the sketch with the value counted count times; errors: 22023, 22003, 42804 for a sketch of Redis
function cms_add(sketch cms, value text, count bigint = 1) -> cms  as sketches_cms_add not strict
function cms_add(sketch cms, value anyenum, count bigint = 1) -> cms
        as sketches_cms_add not strict stable
function cms_add(sketch cms, value bytea, count bigint = 1) -> cms  as sketches_cms_add not strict
    the sketch with the value counted count times; errors: 22023, 22003
function cms_add_all(sketch cms, items hashed[]) -> cms  as sketches_cms_add_all not strict
    the sketch with each element counted once; NULL elements are skipped; errors: 22003
function cms_add_all(sketch cms, items hashed[], counts bigint[]) -> cms
        as sketches_cms_add_all not strict
    the sketch with each element counted as often as the element of counts says; errors: 22023,
    22003, 2202E
function cms_add_all(sketch cms, items text[]) -> cms  as sketches_cms_add_all not strict
    the sketch with each element counted once; NULL elements are skipped; errors: 22003
function cms_add_all(sketch cms, items text[], counts bigint[]) -> cms
        as sketches_cms_add_all not strict
    the sketch with each element counted as often as the element of counts says; errors: 22023,
    22003, 2202E
function cms_add_all(sketch cms, items varchar[]) -> cms  as sketches_cms_add_all not strict
    the sketch with each element counted once; NULL elements are skipped; errors: 22003
function cms_add_all(sketch cms, items varchar[], counts bigint[]) -> cms
        as sketches_cms_add_all not strict
    the sketch with each element counted as often as the element of counts says; errors: 22023,
    22003, 2202E
function cms_add_all(sketch cms, items text) -> cms  as sketches_cms_add_all not strict
    cms_add_all for an array without a type, such as '{a,b}'; errors: 22P02
function cms_add_all(sketch cms, items text, counts bigint[]) -> cms
        as sketches_cms_add_all not strict
    cms_add_all for an array without a type, such as '{a,b}'; errors: 22P02
function cms_merge(sketches cms[], weights bigint[]) -> cms  as sketches_cms_merge
    sum of the sketches, each multiplied by its weight; errors: 22023, 2202E, 42804, 22003
function cms_union(a cms, b cms) -> cms  as sketches_union not strict
    union: the sum of the counts of two sketches of one shape; errors: 42804, 22003
operator cms | cms  by cms_union commutator |
    union: the sum of the counts

-- Asking

function cms_query(sketch cms, value hashed) -> bigint  as sketches_cms_query
    estimated count of the value, never below the true count; errors: 42804 for a sketch of Redis
function cms_query(sketch cms, value text) -> bigint  as sketches_cms_query
function cms_query(sketch cms, value anyenum) -> bigint  as sketches_cms_query stable
function cms_query(sketch cms, value bytea) -> bigint  as sketches_cms_query
    estimated count of the value, never below the true count
function cms_query_each(sketch cms, items hashed[]) -> bigint[]  as sketches_cms_query_each
function cms_query_each(sketch cms, items text[]) -> bigint[]  as sketches_cms_query_each
function cms_query_each(sketch cms, items varchar[]) -> bigint[]  as sketches_cms_query_each
    estimated count of each element, never below the true count; NULL for NULL
function cms_query_each(sketch cms, items text) -> bigint[]  as sketches_cms_query_each
    cms_query_each for an array without a type, such as '{a,b}'; errors: 22P02
function cms_total(sketch cms) -> bigint  as sketches_cms_total cost 10
    sum of all counts; reads the header only
function cms_error(sketch cms) -> bigint  as sketches_cms_error cost 10
    error bound: an estimate exceeds the true count by at most this, except with the sketch's
    probability; 0 for a list; reads the header only
function cms_inner_product(a cms, b cms) -> bigint  as sketches_cms_inner_product
    estimated inner product: the sum, over all items, of the products of the two counts; at most
    cms_error(a) * cms_total(b) too high, with the probability that holds for a count; errors:
    42804, 22003
function cms_describe(sketch cms) -> text  as sketches_cms_describe
    human-readable summary: total, error bound, shape, bytes

-- Redis

function cms_from_redis(payload bytea) -> cms  as sketches_cms_from_redis
    reads and validates a Count-Min sketch of Redis (CMS.*), as DUMP returns it; it keeps the hash
    of Redis; errors: 22P03, 22003
function cms_to_redis(sketch cms) -> bytea  as sketches_cms_to_redis
    payload for RESTORE of a CMS key, of a sketch that counts with the hash of Redis; errors: 42804,
    22003
function cms_info(sketch cms, OUT width int, OUT depth int, OUT total bigint, OUT encoding text,
        OUT error float8, OUT probability float8, OUT hash text, OUT bytes int)  as sketches_cms_info
    width, depth, total, encoding (list or table), error as a fraction of the total, probability of
    a larger error, hash function (xxh3 or redis), bytes of the packed value

-- Aggregates. The state is the type itself, the union combines.

transition _cms_union_state(cms, cms)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _cms_combine(cms, cms) -> cms  as sketches_cms_combine not strict
    combine function of aggregates with parameters, which must be the same in all states
function _cms_final(cms) -> cms  as sketches_final
    final function: the packed state

transition _cms_agg_state(cms, hashed)  as sketches_cms_agg_state
transition _cms_agg_state(cms, text)  as sketches_cms_agg_text_state
transition _cms_agg_state(cms, anyenum)  as sketches_cms_agg_enum_state stable
transition _cms_agg_state(cms, hashed, float8, float8)  as sketches_cms_agg_state
transition _cms_agg_state(cms, text, float8, float8)  as sketches_cms_agg_text_state
transition _cms_agg_state(cms, anyenum, float8, float8)  as sketches_cms_agg_enum_state stable
transition _cms_weighted_agg_state(cms, hashed, bigint)  as sketches_cms_weighted_agg_state
transition _cms_weighted_agg_state(cms, text, bigint)  as sketches_cms_weighted_agg_text_state
transition _cms_weighted_agg_state(cms, anyenum, bigint)
        as sketches_cms_weighted_agg_enum_state stable
transition _cms_weighted_agg_state(cms, hashed, bigint, float8, float8)
        as sketches_cms_weighted_agg_state
transition _cms_weighted_agg_state(cms, text, bigint, float8, float8)
        as sketches_cms_weighted_agg_text_state
transition _cms_weighted_agg_state(cms, anyenum, bigint, float8, float8)
        as sketches_cms_weighted_agg_enum_state stable
    transition function
aggregate cms_agg(value hashed)
        state cms space 1024 by _cms_agg_state combine _cms_union_state final _cms_final
aggregate cms_agg(value text)
        state cms space 1024 by _cms_agg_state combine _cms_union_state final _cms_final
aggregate cms_agg(value anyenum)
        state cms space 1024 by _cms_agg_state combine _cms_union_state final _cms_final
    sketch of the counts of the values, error 0.001 of the total, probability 0.01; NULL over no
    rows; errors: 22003
aggregate cms_agg(value hashed, error float8, probability float8)
        state cms space 1024 by _cms_agg_state combine _cms_combine final _cms_final
aggregate cms_agg(value text, error float8, probability float8)
        state cms space 1024 by _cms_agg_state combine _cms_combine final _cms_final
aggregate cms_agg(value anyenum, error float8, probability float8)
        state cms space 1024 by _cms_agg_state combine _cms_combine final _cms_final
    sketch of the counts of the values, with this error and probability; NULL over no rows; errors:
    22023, 22004, 22003
aggregate cms_weighted_agg(value hashed, weight bigint)
        state cms space 1024 by _cms_weighted_agg_state combine _cms_union_state final _cms_final
aggregate cms_weighted_agg(value text, weight bigint)
        state cms space 1024 by _cms_weighted_agg_state combine _cms_union_state final _cms_final
aggregate cms_weighted_agg(value anyenum, weight bigint)
        state cms space 1024 by _cms_weighted_agg_state combine _cms_union_state final _cms_final
    sketch of the sums of the weights of the values; NULL weights are skipped; NULL over no rows;
    errors: 22023, 22003
aggregate cms_weighted_agg(value hashed, weight bigint, error float8, probability float8)
        state cms space 1024 by _cms_weighted_agg_state combine _cms_combine final _cms_final
aggregate cms_weighted_agg(value text, weight bigint, error float8, probability float8)
        state cms space 1024 by _cms_weighted_agg_state combine _cms_combine final _cms_final
aggregate cms_weighted_agg(value anyenum, weight bigint, error float8, probability float8)
        state cms space 1024 by _cms_weighted_agg_state combine _cms_combine final _cms_final
    sketch of the sums of the weights of the values, with this error and probability; NULL weights
    are skipped; NULL over no rows; errors: 22023, 22004, 22003
aggregate cms_union_agg(sketch cms)
        state cms space 65536 by _cms_union_state combine _cms_union_state final _cms_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union of all sketches: the sum of their counts; NULL over no rows; errors: 42804, 22003
