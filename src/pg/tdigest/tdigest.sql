-- tdigest: which value has a given rank, and which rank has a value?
-- See src/core/tdigest/tdigest.c and src/pg/tdigest/tdigest.c.

include shared/common.sql.in: TYPE=tdigest

COMMENT ON TYPE tdigest IS 't-digest: percentiles and ranks of numbers, in 1.4 kB';

-- Building and changing

function tdigest_empty(compression bigint = 200) -> tdigest  as sketches_tdigest_empty cost 10
    empty digest, compression 10 to 10000, which is 4/3 of the number of centroids; errors: 22023
function tdigest_add(sketch tdigest, value float8) -> tdigest  as sketches_tdigest_add not strict
    the digest with the value added; errors: 22023 for NaN and infinities
function tdigest_add(sketch tdigest, value float8, weight bigint) -> tdigest
        as sketches_tdigest_add not strict
    the digest with the value added weight times, 0 or more; errors: 22023, 22003 past 2^63-1
function tdigest_add_all(sketch tdigest, items float8[]) -> tdigest
        as sketches_tdigest_add_all not strict
    the digest with all elements added; NULL elements are skipped; errors: 22023
function tdigest_union(a tdigest, b tdigest) -> tdigest  as sketches_union not strict
    union: the values of both digests, at the lower compression of those that are not empty; errors:
    22003

-- Queries, each of one number and of a list. A list has a name of its own: so one function fits a
-- literal or parameter without a type, and drivers that ask the server hear the number's type.

function tdigest_quantile(sketch tdigest, q float8) -> float8  as sketches_tdigest_quantile
    value at quantile q, 0 to 1, as TDIGEST.QUANTILE of Redis; NULL when empty; errors: 22023
function tdigest_quantiles(sketch tdigest, q float8[]) -> float8[]  as sketches_tdigest_quantile
    tdigest_quantile for each element; NULL for NULL
function tdigest_percentile(sketch tdigest, q float8) -> float8  as sketches_tdigest_percentile
    percentile q of the values, 0 to 1, interpolated as percentile_cont; NULL when empty; errors:
    22023
function tdigest_percentiles(sketch tdigest, q float8[]) -> float8[]  as sketches_tdigest_percentile
    tdigest_percentile for each element; NULL for NULL
function tdigest_cdf(sketch tdigest, value float8, inclusive boolean = false) -> float8
        as sketches_tdigest_cdf
    fraction of the values below the value, equal values counting half, or if inclusive up to and
    including the value; NULL when empty; errors: 22023 for NaN
function tdigest_cdf_each(sketch tdigest, items float8[], inclusive boolean = false) -> float8[]
        as sketches_tdigest_cdf
    tdigest_cdf for each element; NULL for NULL
function tdigest_rank(sketch tdigest, value float8) -> bigint  as sketches_tdigest_rank
    number of values below the value, 0 to the count, equal values counting half, a half rounded
    down; NULL when empty; errors: 22023 for NaN
function tdigest_rank_each(sketch tdigest, items float8[]) -> bigint[]  as sketches_tdigest_rank
    tdigest_rank for each element; NULL for NULL
function tdigest_revrank(sketch tdigest, value float8) -> bigint  as sketches_tdigest_revrank
    number of values above the value, 0 to the count, equal values counting half, a half rounded
    down; NULL when empty; errors: 22023 for NaN
function tdigest_revrank_each(sketch tdigest, items float8[]) -> bigint[]
        as sketches_tdigest_revrank
    tdigest_revrank for each element; NULL for NULL
function tdigest_byrank(sketch tdigest, rank bigint) -> float8  as sketches_tdigest_byrank
    value of a rank, 0 for the minimum; NULL past the maximum and when empty; errors: 22023
function tdigest_byrank_each(sketch tdigest, ranks bigint[]) -> float8[]  as sketches_tdigest_byrank
    tdigest_byrank for each element; NULL for NULL
function tdigest_byrevrank(sketch tdigest, rank bigint) -> float8  as sketches_tdigest_byrevrank
    value of a rank from above, 0 for the maximum; NULL past the minimum and when empty; errors:
    22023
function tdigest_byrevrank_each(sketch tdigest, ranks bigint[]) -> float8[]
        as sketches_tdigest_byrevrank
    tdigest_byrevrank for each element; NULL for NULL
function tdigest_trimmed_mean(sketch tdigest, low float8, high float8) -> float8
        as sketches_tdigest_trimmed_mean
    mean of the values between two fractions of all, 0 to 1; NULL when empty; errors: 22023
function tdigest_trimmed_sum(sketch tdigest, low float8, high float8) -> float8
        as sketches_tdigest_trimmed_sum
    sum of the values between two fractions of all, 0 to 1; NULL when empty; errors: 22023, 22003
function tdigest_min(sketch tdigest) -> float8  as sketches_tdigest_min
    minimum, exact; NULL when empty
function tdigest_max(sketch tdigest) -> float8  as sketches_tdigest_max
    maximum, exact; NULL when empty
function tdigest_mean(sketch tdigest) -> float8  as sketches_tdigest_mean
    mean of all values, exact except for rounding; NULL when empty
function tdigest_count(sketch tdigest) -> bigint  as sketches_tdigest_count cost 10
    number of values, weights included; reads the header only
function tdigest_counts(sketch tdigest, bounds float8[]) -> bigint[]  as sketches_tdigest_counts
    numbers of values up to and including the first of ascending bounds, above each up to the next,
    and above the last: one more than bounds; errors: 22023, 22004, 2202E
function tdigest_info(sketch tdigest, OUT compression int, OUT centroids int, OUT count bigint,
        OUT min float8, OUT max float8, OUT bytes int)  as sketches_tdigest_info
    compression, number of centroids and of values, minimum and maximum, bytes of the packed value

-- Looking at it

function tdigest_histogram(sketch tdigest, buckets bigint, OUT lower float8, OUT upper float8,
        OUT count bigint) -> setof record  as sketches_tdigest_histogram rows 20
    histogram of 1 to 10000 buckets of equal width, with estimated counts that add up to the number
    of values; errors: 22023
function tdigest_sparkline(sketch tdigest, width bigint = 40) -> text  as sketches_tdigest_sparkline
    histogram drawn as a line of bars, 1 to 1000 wide; NULL when empty; errors: 22023
function tdigest_centroids(sketch tdigest, OUT mean float8, OUT weight bigint) -> setof record
        as sketches_tdigest_centroids rows 120
    the centroids, ascending
function tdigest_describe(sketch tdigest) -> text  as sketches_tdigest_describe
    human-readable summary: count, minimum and maximum, median, compression, bytes

-- Other systems' sketches

function tdigest_from_redis(payload bytea) -> tdigest  as sketches_tdigest_from_redis cost 1000
    reads and validates a t-digest of Redis (TDIGEST.*), as DUMP returns it; errors: 22P03, 22003
function tdigest_from_datasketches(payload bytea) -> tdigest
        as sketches_tdigest_from_datasketches cost 1000
    reads and validates a t-digest of Apache DataSketches, of doubles or floats; errors: 22P03,
    22003
function tdigest_to_datasketches(sketch tdigest) -> bytea  as sketches_tdigest_to_datasketches
    t-digest of Apache DataSketches, of doubles
function tdigest_from_kll(payload bytea, item text = 'double') -> tdigest
        as sketches_tdigest_from_kll cost 1000
    reads and validates a KLL sketch of Apache DataSketches, whose items are 'double', 'float' or
    'long'; errors: 22P03, 22023, 22003
function tdigest_from_dunning(payload bytea) -> tdigest  as sketches_tdigest_from_dunning cost 1000
    reads and validates a MergingDigest or AVLTreeDigest of T. Dunning's t-digest library, verbose
    or small; errors:
    22P03, 22003
function tdigest_from_tdigest_extension(payload text) -> tdigest
        as sketches_tdigest_from_tdigest_extension_text cost 1000
    reads and validates the text or JSON of a digest of the tdigest extension, with six digits of
    each mean; errors: 22P02, 22003, 54000
function tdigest_from_tdigest_extension(payload bytea) -> tdigest
        as sketches_tdigest_from_tdigest_extension cost 1000
    reads and validates a digest of the tdigest extension, as its tdigest_send returns it, exactly;
    errors: 22P03, 22003
function tdigest_from_histogram(bounds float8[], counts bigint[]) -> tdigest
        as sketches_tdigest_from_histogram cost 1000
    digest of a histogram: with as many counts as ascending bounds, these are upper bounds; with one
    count more, the last bucket is open; errors: 22023, 22003, 22004, 2202E
function tdigest_from_exponential_histogram(scale int, zero_count bigint, positive_offset int,
        positive bigint[], negative_offset int = 0, negative bigint[] = '{}', min float8 = NULL,
        max float8 = NULL) -> tdigest
        as sketches_tdigest_from_exponential_histogram cost 1000 not strict
    digest of an exponential histogram of OpenTelemetry: bucket i holds values above base^(offset +
    i), base = 2^(2^-scale), scale -10 to 20; min and max may be NULL; errors: 22023, 22003, 22004,
    2202E
function tdigest_from_ddsketch(payload bytea) -> tdigest
        as sketches_tdigest_from_ddsketch cost 1000
    reads and validates a DDSketch (Datadog) from its Protocol Buffers message; errors: 22P03, 22003

-- Operators

operator tdigest | tdigest  by tdigest_union commutator |
    union

-- Aggregates. The state is the type itself, the union combines.

function _approx_percentile_state(tdigest, float8, float8) -> tdigest
        as sketches_approx_percentile_state cost 1 not strict
function _approx_percentiles_state(tdigest, float8, float8[]) -> tdigest
        as sketches_approx_percentiles_state cost 1 not strict
    transition function

transition _tdigest_union_state(tdigest, tdigest)  as sketches_union_state cost 100
    transition and combine function; NULL on either side is skipped
function _tdigest_final(tdigest) -> tdigest  as sketches_final
    final function: the packed state

function _tdigest_combine(tdigest, tdigest) -> tdigest  as sketches_tdigest_combine not strict
    combine function of aggregates with a compression, which must be the same in all states
transition _tdigest_union_percentile_state(tdigest, tdigest, float8)
        as sketches_tdigest_union_percentile_state cost 100
transition _tdigest_union_percentiles_state(tdigest, tdigest, float8[])
        as sketches_tdigest_union_percentile_state cost 100
    transition function
function _approx_percentile_final(tdigest) -> float8  as sketches_approx_percentile_final
    final function: the percentile that the state carries
function _approx_percentiles_final(tdigest) -> float8[]  as sketches_approx_percentiles_final
    final function: the percentiles that the state carries
function _approx_median_final(tdigest) -> float8  as sketches_approx_median_final
    final function: the median
transition _tdigest_agg_state(tdigest, float8)  as sketches_tdigest_agg_state
transition _tdigest_agg_state(tdigest, float8, bigint)  as sketches_tdigest_agg_state
transition _tdigest_weighted_agg_state(tdigest, float8, bigint)
        as sketches_tdigest_weighted_agg_state
transition _tdigest_weighted_agg_state(tdigest, float8, bigint, bigint)
        as sketches_tdigest_weighted_agg_state
    transition function
aggregate tdigest_agg(value float8)
        state tdigest space 256 by _tdigest_agg_state combine _tdigest_union_state
        final _tdigest_final
    digest of the values, compression 200; NULL over no rows; errors: 22023 for NaN and infinities
aggregate tdigest_agg(value float8, compression bigint)
        state tdigest space 256 by _tdigest_agg_state combine _tdigest_combine final _tdigest_final
    digest of the values at this compression; NULL over no rows; errors: 22023, 22004
aggregate tdigest_weighted_agg(value float8, weight bigint)
        state tdigest space 512 by _tdigest_weighted_agg_state combine _tdigest_union_state
        final _tdigest_final
    digest of values with weights, 0 or more, compression 200; NULL over no rows; errors: 22023,
    22003
aggregate tdigest_weighted_agg(value float8, weight bigint, compression bigint)
        state tdigest space 512 by _tdigest_weighted_agg_state combine _tdigest_combine
        final _tdigest_final
    digest of values with weights, 0 or more, at this compression; NULL over no rows; errors: 22023,
    22004, 22003
aggregate tdigest_union_agg(sketch tdigest)
        state tdigest space 65536 by _tdigest_union_state combine _tdigest_union_state
        final _tdigest_final
        moving _sketches_moving_union _sketches_moving_inverse _sketches_moving_final extra
    union of all digests, at the lowest compression among them; NULL over no rows; errors: 22003
function _tdigest_union_percentile_final(tdigest) -> float8  as sketches_approx_percentile_final
    final function: the percentile that the state carries
function _tdigest_union_percentiles_final(tdigest) -> float8[]  as sketches_approx_percentiles_final
    final function: the percentiles that the state carries
function _tdigest_union_percentile_moving_final(internal) -> float8
        as sketches_tdigest_union_percentile_moving_final not strict
function _tdigest_union_percentiles_moving_final(internal) -> float8[]
        as sketches_tdigest_union_percentile_moving_final not strict
    final function over moving frames: the percentiles that were requested
aggregate tdigest_union_percentile_agg(sketch tdigest, q float8)
        state tdigest space 65536 by _tdigest_union_percentile_state combine _tdigest_union_state
        final _tdigest_union_percentile_final
        moving _sketches_moving_union_percentile _sketches_moving_inverse
        _tdigest_union_percentile_moving_final
    percentile q of the values of all digests, 0 to 1, interpolated as percentile_cont; NULL over no
    rows and when all are empty; errors: 22023, 22004, 22003
aggregate tdigest_union_percentiles_agg(sketch tdigest, q float8[])
        state tdigest space 65536 by _tdigest_union_percentiles_state combine _tdigest_union_state
        final _tdigest_union_percentiles_final
        moving _sketches_moving_union_percentile _sketches_moving_inverse
        _tdigest_union_percentiles_moving_final
    tdigest_union_percentile_agg for each element, at most 255; errors: 22023, 22004, 22003, 2202E
function _approx_percentile_moving(internal, float8, "any") -> internal
        as sketches_approx_percentile_moving cost 10 not strict
function _approx_median_moving(internal, float8) -> internal
        as sketches_approx_median_moving cost 10 not strict
    transition function over moving frames, which keeps the values in order
function _approx_percentile_inverse(internal, float8, "any") -> internal
        as sketches_approx_percentile_inverse cost 10 not strict
function _approx_median_inverse(internal, float8) -> internal
        as sketches_approx_percentile_inverse cost 10 not strict
    inverse transition function over moving frames
function _approx_percentile_moving_final(internal) -> float8
        as sketches_approx_percentile_moving_final cost 10 not strict
function _approx_percentiles_moving_final(internal) -> float8[]
        as sketches_approx_percentile_moving_final cost 10 not strict
function _approx_median_moving_final(internal) -> float8
        as sketches_approx_median_moving_final cost 10 not strict
    final function over moving frames
aggregate approx_percentile(value float8, q float8)
        state tdigest space 256 by _approx_percentile_state combine _tdigest_union_state
        final _approx_percentile_final
        moving _approx_percentile_moving _approx_percentile_inverse _approx_percentile_moving_final
    percentile q of the values, 0 to 1, interpolated as percentile_cont; exact over sliding
    windows; NULL over no rows; errors: 22023, 22004
aggregate approx_percentiles(value float8, q float8[])
        state tdigest space 256 by _approx_percentiles_state combine _tdigest_union_state
        final _approx_percentiles_final
        moving _approx_percentile_moving _approx_percentile_inverse _approx_percentiles_moving_final
    approx_percentile for each element, at most 255; errors: 22023, 22004, 2202E
aggregate approx_median(value float8)
        state tdigest space 256 by _tdigest_agg_state combine _tdigest_union_state
        final _approx_median_final
        moving _approx_median_moving _approx_median_inverse _approx_median_moving_final
    median of the values, interpolated as percentile_cont; exact over sliding windows; NULL over
    no rows; errors: 22023
