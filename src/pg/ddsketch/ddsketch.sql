-- ddsketch: which value has a given rank, within a relative error that holds for any input?
-- See src/core/ddsketch/ddsketch.c and src/pg/ddsketch/ddsketch.c.

include shared/common.sql.in: TYPE=ddsketch

COMMENT ON TYPE ddsketch IS
    'DDSketch: percentiles with a guaranteed relative error, union and exact subtraction';

-- Building and changing

function ddsketch_empty(relative_error float8 = 0.0055) -> ddsketch
        as sketches_ddsketch_empty cost 10
    empty sketch, whose percentiles will be within the relative error of the true values, 0.000001
    to 0.5; errors: 22023
function ddsketch_add(sketch ddsketch, value float8) -> ddsketch
        as sketches_ddsketch_add not strict
    the sketch with the value added; errors: 22023 for NaN and infinities, 22003, 54000
function ddsketch_add(sketch ddsketch, value float8, weight bigint) -> ddsketch
        as sketches_ddsketch_add not strict
    the sketch with the value added weight times, 0 or more; errors: 22023, 22003 past 2^63-1, 54000
function ddsketch_add_all(sketch ddsketch, items float8[]) -> ddsketch
        as sketches_ddsketch_add_all not strict
    the sketch with all elements added; NULL elements are skipped; errors: 22023, 22003, 54000
function ddsketch_union(a ddsketch, b ddsketch) -> ddsketch  as sketches_union not strict
    union: the values of both sketches, exactly, at the larger relative error; errors: 42804 for
    buckets of the DDSketch library that differ, 22003, 54000
function ddsketch_difference(a ddsketch, b ddsketch) -> ddsketch  as sketches_ddsketch_difference
    difference: the values of a without those of b, counted exactly; a minimum or maximum stays
    exact if b does not reach it; errors: 22023 if b has values that a has not, 42804
function ddsketch_increase(current ddsketch, previous ddsketch) -> ddsketch
        as sketches_ddsketch_increase
    increase of a cumulative sketch since the previous one: current - previous, or all of current
    after a reset; errors: 42804
function ddsketch_reduce(sketch ddsketch, relative_error float8) -> ddsketch
        as sketches_ddsketch_reduce
    the sketch with fewer, wider buckets, as if built with this relative error; errors: 22023,
    42804

-- Queries, each of one number and of a list, whose function has a name of its own

function ddsketch_percentile(sketch ddsketch, q float8) -> float8  as sketches_ddsketch_percentile
    percentile q of the values, 0 to 1, as percentile_disc, within the relative error; NULL when
    empty; errors: 22023
function ddsketch_percentiles(sketch ddsketch, q float8[]) -> float8[]
        as sketches_ddsketch_percentile
    ddsketch_percentile for each element; NULL for NULL
function ddsketch_cdf(sketch ddsketch, value float8) -> float8  as sketches_ddsketch_cdf
    fraction of the values up to the value (below it, if it is negative), 0 to 1; exact at the
    bounds of buckets, interpolated within a bucket; NULL when empty; errors: 22023 for NaN
function ddsketch_cdf_each(sketch ddsketch, items float8[]) -> float8[]  as sketches_ddsketch_cdf
    ddsketch_cdf for each element; NULL for NULL
function ddsketch_rank(sketch ddsketch, value float8) -> bigint  as sketches_ddsketch_rank
    number of values up to the value (below it, if it is negative); exact at the bounds of buckets,
    interpolated within a bucket; NULL when empty; errors: 22023 for NaN
function ddsketch_rank_each(sketch ddsketch, items float8[]) -> bigint[]  as sketches_ddsketch_rank
    ddsketch_rank for each element; NULL for NULL
function ddsketch_count(sketch ddsketch) -> bigint  as sketches_ddsketch_count cost 10
    number of values, weights included; reads the header only
function ddsketch_count(sketch ddsketch, low float8, high float8) -> bigint
        as sketches_ddsketch_count_between
    number of values above low and up to high, as ddsketch_rank counts them; exact at the bounds of
    buckets; errors: 22023
function ddsketch_counts(sketch ddsketch, bounds float8[]) -> bigint[]
        as sketches_ddsketch_counts
    numbers of values up to the first of ascending bounds, above each up to the next, and above the
    last, as ddsketch_rank counts them: one more than bounds; errors: 22023, 22004, 2202E
function ddsketch_sum(sketch ddsketch) -> float8  as sketches_ddsketch_sum
    sum of all values, within the relative error of each; NULL when empty; errors: 22003
function ddsketch_mean(sketch ddsketch) -> float8  as sketches_ddsketch_mean
    mean of all values, within the relative error of each; NULL when empty
function ddsketch_stddev(sketch ddsketch) -> float8  as sketches_ddsketch_stddev
    standard deviation of the values as a sample, as stddev; NULL for fewer than two values; errors:
    22003
function ddsketch_min(sketch ddsketch) -> float8  as sketches_ddsketch_min
    minimum, exact; within the relative error after a subtraction or from counts of buckets; NULL
    when empty
function ddsketch_max(sketch ddsketch) -> float8  as sketches_ddsketch_max
    maximum, exact; within the relative error after a subtraction or from counts of buckets; NULL
    when empty
function ddsketch_info(sketch ddsketch, OUT relative_error float8, OUT scale int, OUT gamma float8,
        OUT buckets int, OUT count bigint, OUT min float8, OUT max float8, OUT min_is_exact boolean,
        OUT max_is_exact boolean, OUT bytes int)  as sketches_ddsketch_info
    relative error, scale (NULL for buckets of the DDSketch library), factor between bounds of
    buckets, number of buckets and of values, minimum and maximum and whether they are exact, bytes
    of the packed value

-- Looking at it

function ddsketch_buckets(sketch ddsketch, OUT lower float8, OUT upper float8, OUT count bigint)
        -> setof record  as sketches_ddsketch_buckets rows 200
    buckets that are not empty, ascending; a bucket includes its bound that is farther from zero
function ddsketch_histogram(sketch ddsketch, buckets bigint, OUT lower float8, OUT upper float8,
        OUT count bigint) -> setof record  as sketches_ddsketch_histogram rows 20
    histogram of 1 to 10000 buckets of equal width, with estimated counts that add up to the number
    of values; errors: 22023
function ddsketch_sparkline(sketch ddsketch, width bigint = 40) -> text
        as sketches_ddsketch_sparkline
    histogram drawn as a line of bars, 1 to 1000 wide; NULL when empty; errors: 22023
function ddsketch_describe(sketch ddsketch) -> text  as sketches_ddsketch_describe
    human-readable summary: count, minimum and maximum, median, relative error, bytes

-- Other systems' sketches

function ddsketch_from_exponential_histogram(scale int, zero_count bigint, positive_offset int,
        positive bigint[], negative_offset int = 0, negative bigint[] = '{}', min float8 = NULL,
        max float8 = NULL) -> ddsketch
        as sketches_ddsketch_from_exponential_histogram cost 1000 not strict
    reads an exponential histogram of OpenTelemetry, exactly: bucket i holds values above
    base^(offset + i), base = 2^(2^-scale), scale -10 to 20; for Prometheus the schema is the scale,
    and indexes are one less; min and max may be NULL; errors: 22023, 22003, 22004, 2202E, 54000
function ddsketch_to_exponential_histogram(sketch ddsketch, OUT scale int, OUT zero_count bigint,
        OUT positive_offset int, OUT positive bigint[], OUT negative_offset int,
        OUT negative bigint[], OUT min float8, OUT max float8)
        as sketches_ddsketch_to_exponential_histogram
    exponential histogram of OpenTelemetry with the same buckets; min and max are NULL unless they
    are exact; errors: 42804 for buckets of the DDSketch library, 54000 past 1,000,000 buckets
function ddsketch_from_ddsketch(payload bytea, ceiling boolean = false) -> ddsketch
        as sketches_ddsketch_from_ddsketch cost 1000
    reads and validates a DDSketch (Datadog) from its Protocol Buffers message; it keeps its buckets
    and merges with sketches of the same ones; ceiling: from a library that rounds their indexes up,
    as those for Python and JavaScript do; errors: 22P03, 22003, 54000
function ddsketch_to_ddsketch(sketch ddsketch, ceiling boolean = false) -> bytea
        as sketches_ddsketch_to_ddsketch
    Protocol Buffers message of DDSketch (Datadog); ceiling: for a library that rounds the indexes
    of buckets up, as those for Python and JavaScript do; errors: 22023 at scale -10, 54000 past
    1,000,000 buckets

-- Operators

operator ddsketch | ddsketch  by ddsketch_union commutator |
    union
operator ddsketch - ddsketch  by ddsketch_difference
    difference: the values of the left sketch without those of the right

-- Aggregates. The state is the type itself, the union combines.

function _ddsketch_union_state(ddsketch, ddsketch) -> ddsketch
        as sketches_union_state not strict
    transition and combine function; NULL on either side is skipped
function _ddsketch_combine(ddsketch, ddsketch) -> ddsketch  as sketches_ddsketch_combine not strict
    combine function of aggregates with a relative error, which must be the same in all states
function _ddsketch_final(ddsketch) -> ddsketch  as sketches_final
    final function: the packed state
function _ddsketch_agg_state(ddsketch, float8) -> ddsketch
        as sketches_ddsketch_agg_state cost 1 not strict
    transition function
function _ddsketch_agg_state(ddsketch, float8, float8) -> ddsketch
        as sketches_ddsketch_agg_state cost 1 not strict
    transition function
function _ddsketch_weighted_agg_state(ddsketch, float8, bigint) -> ddsketch
        as sketches_ddsketch_weighted_agg_state cost 1 not strict
    transition function
function _ddsketch_weighted_agg_state(ddsketch, float8, bigint, float8) -> ddsketch
        as sketches_ddsketch_weighted_agg_state cost 1 not strict
    transition function

function _ddsketch_union_percentile_state(ddsketch, ddsketch, float8) -> ddsketch
        as sketches_ddsketch_union_percentile_state not strict
function _ddsketch_union_percentiles_state(ddsketch, ddsketch, float8[]) -> ddsketch
        as sketches_ddsketch_union_percentile_state not strict
    transition function
function _ddsketch_union_percentile_final(ddsketch) -> float8
        as sketches_ddsketch_union_percentile_final
    final function: the percentile that the state carries
function _ddsketch_union_percentiles_final(ddsketch) -> float8[]
        as sketches_ddsketch_union_percentile_final
    final function: the percentiles that the state carries
function _ddsketch_union_percentile_moving_final(internal) -> float8
        as sketches_ddsketch_union_percentile_moving_final not strict
function _ddsketch_union_percentiles_moving_final(internal) -> float8[]
        as sketches_ddsketch_union_percentile_moving_final not strict
    final function over moving frames: the percentiles that were requested

aggregate ddsketch_agg(value float8)
        state ddsketch space 512 by _ddsketch_agg_state combine _ddsketch_union_state
        final _ddsketch_final
    sketch of the values, relative error 0.54%; NULL over no rows; errors: 22023 for NaN and
    infinities, 54000
aggregate ddsketch_agg(value float8, relative_error float8)
        state ddsketch space 512 by _ddsketch_agg_state combine _ddsketch_combine
        final _ddsketch_final
    sketch of the values with this relative error; NULL over no rows; errors: 22023, 22004, 54000
aggregate ddsketch_weighted_agg(value float8, weight bigint)
        state ddsketch space 2048 by _ddsketch_weighted_agg_state combine _ddsketch_union_state
        final _ddsketch_final
    sketch of values with weights, 0 or more, relative error 0.54%; NULL over no rows; errors:
    22023, 22003, 54000
aggregate ddsketch_weighted_agg(value float8, weight bigint, relative_error float8)
        state ddsketch space 2048 by _ddsketch_weighted_agg_state combine _ddsketch_combine
        final _ddsketch_final
    sketch of values with weights, 0 or more, with this relative error; NULL over no rows; errors:
    22023, 22004, 22003, 54000
aggregate ddsketch_union_agg(sketch ddsketch)
        state ddsketch space 4096 by _ddsketch_union_state combine _ddsketch_union_state
        final _ddsketch_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union of all sketches, exactly, at the largest relative error among them; NULL over no rows;
    errors: 42804, 22003, 54000
aggregate ddsketch_union_percentile_agg(sketch ddsketch, q float8)
        state ddsketch space 4096 by _ddsketch_union_percentile_state combine _ddsketch_union_state
        final _ddsketch_union_percentile_final
        moving _sketches_moving_union_percentile _sketches_moving_inverse
        _ddsketch_union_percentile_moving_final
    percentile q of the values of all sketches, 0 to 1, as percentile_disc within the relative
    error; NULL over no rows and when all are empty; errors: 42804, 22023, 22004, 22003, 54000
aggregate ddsketch_union_percentiles_agg(sketch ddsketch, q float8[])
        state ddsketch space 4096 by _ddsketch_union_percentiles_state combine _ddsketch_union_state
        final _ddsketch_union_percentiles_final
        moving _sketches_moving_union_percentile _sketches_moving_inverse
        _ddsketch_union_percentiles_moving_final
    ddsketch_union_percentile_agg for each element, at most 255; errors: 42804, 22023, 22004, 22003,
    2202E, 54000
