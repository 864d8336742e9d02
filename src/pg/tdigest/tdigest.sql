-- tdigest: which value has a given rank, and which rank has a value?
-- See src/core/tdigest/tdigest.c and src/pg/tdigest/tdigest.c.

include shared/common.sql.in: TYPE=tdigest

COMMENT ON TYPE tdigest IS 't-digest: quantiles and ranks of numbers, in 1.4 kB';

-- Building and changing

function tdigest_empty(compression int = 200) -> tdigest  cost 10
    an empty digest, compression 10 to 10000; it keeps at most 3/4 as many centroids; errors: 22023
function tdigest_add(sketch tdigest, value float8) -> tdigest  not strict
    the digest with the value added; errors: 22023 for NaN and infinities
function tdigest_add(sketch tdigest, value float8, weight bigint) -> tdigest  not strict
    the digest with the value added weight times; weights are 0 or more; errors: 22023, 22003 past
    2^63-1
function tdigest_add_all(sketch tdigest, items float8[]) -> tdigest  not strict
    the digest with all values of the array added; NULL elements are skipped; errors: 22023
function tdigest_union(a tdigest, b tdigest) -> tdigest  as sketches_union not strict
    the digest of the values of both, at the lower compression of the two; errors: 22003

-- Queries. Each takes one argument or an array. A literal or parameter without a type would fit both,
-- so it gets a function of its own, as PostgreSQL prefers text for it.

function tdigest_quantile(sketch tdigest, q float8) -> float8
    the value that has the share q of all values below it, 0 <= q <= 1, as TDIGEST.QUANTILE answers;
    NULL when empty; errors: 22023
function tdigest_quantile(sketch tdigest, q float8[]) -> float8[]  as sketches_tdigest_quantile_each
    the same for each element; NULL for NULL
function tdigest_quantile(sketch tdigest, q text) -> float8  as sketches_tdigest_quantile_untyped
    the same for a literal or parameter without a type; errors: 22P02, 22023
function tdigest_percentile(sketch tdigest, q float8) -> float8
    the percentile q of the values, 0 <= q <= 1, as percentile_cont interpolates it; NULL when
    empty; errors: 22023
function tdigest_percentile(sketch tdigest, q float8[]) -> float8[]
        as sketches_tdigest_percentile_each
    the same for each element; NULL for NULL
function tdigest_percentile(sketch tdigest, q text) -> float8
        as sketches_tdigest_percentile_untyped
    the same for a literal or parameter without a type; errors: 22P02, 22023
function tdigest_cdf(sketch tdigest, value float8) -> float8
    the share of all values that lie below the value; equal values count half; NULL when empty;
    errors: 22023 for NaN
function tdigest_cdf(sketch tdigest, items float8[]) -> float8[]  as sketches_tdigest_cdf_each
    the same for each element; NULL for NULL
function tdigest_cdf(sketch tdigest, value text) -> float8  as sketches_tdigest_cdf_untyped
    the same for a literal or parameter without a type; errors: 22P02, 22023
function tdigest_rank(sketch tdigest, value float8) -> bigint
    the number of values below the value, 0 to the count; equal values count half, rounded down;
    NULL when empty; errors: 22023
function tdigest_rank(sketch tdigest, items float8[]) -> bigint[]  as sketches_tdigest_rank_each
    the same for each element; NULL for NULL
function tdigest_rank(sketch tdigest, value text) -> bigint  as sketches_tdigest_rank_untyped
    the same for a literal or parameter without a type; errors: 22P02, 22023
function tdigest_revrank(sketch tdigest, value float8) -> bigint
    the number of values above the value, 0 to the count; equal values count half; NULL when empty;
    errors: 22023
function tdigest_revrank(sketch tdigest, items float8[]) -> bigint[]
        as sketches_tdigest_revrank_each
    the same for each element; NULL for NULL
function tdigest_revrank(sketch tdigest, value text) -> bigint  as sketches_tdigest_revrank_untyped
    the same for a literal or parameter without a type; errors: 22P02, 22023
function tdigest_byrank(sketch tdigest, rank bigint) -> float8
    the value of a rank; rank 0 is the least value; NULL past the greatest, and when empty; errors:
    22023
function tdigest_byrank(sketch tdigest, ranks bigint[]) -> float8[]  as sketches_tdigest_byrank_each
    the same for each element; NULL for NULL
function tdigest_byrank(sketch tdigest, rank text) -> float8  as sketches_tdigest_byrank_untyped
    the same for a literal or parameter without a type; errors: 22P02, 22023
function tdigest_byrevrank(sketch tdigest, rank bigint) -> float8
    the value of a rank from above; rank 0 is the greatest value; NULL past the least, and when
    empty; errors: 22023
function tdigest_byrevrank(sketch tdigest, ranks bigint[]) -> float8[]
        as sketches_tdigest_byrevrank_each
    the same for each element; NULL for NULL
function tdigest_byrevrank(sketch tdigest, rank text) -> float8
        as sketches_tdigest_byrevrank_untyped
    the same for a literal or parameter without a type; errors: 22P02, 22023
function tdigest_trimmed_mean(sketch tdigest, low float8, high float8) -> float8
    the mean of the values between two quantiles; NULL when empty; errors: 22023
function tdigest_trimmed_sum(sketch tdigest, low float8, high float8) -> float8
    the sum of the values between two quantiles; NULL when empty; errors: 22023
function tdigest_min(sketch tdigest) -> float8
    the least value, exactly; NULL when empty
function tdigest_max(sketch tdigest) -> float8
    the greatest value, exactly; NULL when empty
function tdigest_mean(sketch tdigest) -> float8
    the mean of all values, exact except for rounding; NULL when empty
function tdigest_count(sketch tdigest) -> bigint  cost 10
    the number of values, each as often as its weight; reads the header only
function tdigest_info(sketch tdigest, OUT compression int, OUT centroids int, OUT count bigint,
        OUT min float8, OUT max float8, OUT bytes int)
    compression, number of centroids and of values, least and greatest value, bytes of the packed
    value

-- Looking at it

function tdigest_histogram(sketch tdigest, buckets int, OUT lower float8, OUT upper float8,
        OUT count bigint) -> setof record  rows 20
    buckets of equal width, 1 to 10000, with estimated counts that add up to the whole; errors:
    22023
function tdigest_sparkline(sketch tdigest, width int = 40) -> text
    the distribution as a line of bars, 1 to 1000 wide; NULL when empty; errors: 22023
function tdigest_centroids(sketch tdigest, OUT mean float8, OUT weight bigint) -> setof record
        rows 120
    the centroids in ascending order
function tdigest_describe(sketch tdigest) -> text
    one line for people: count, extremes, median, compression, bytes

-- Other systems' sketches

function tdigest_from_redis(payload bytea) -> tdigest  cost 1000
    reads a t-digest of Redis (TDIGEST.*), as DUMP returns it, and validates it; errors: 22P03
function tdigest_from_datasketches(payload bytea) -> tdigest  cost 1000
    reads a t-digest of Apache DataSketches, of doubles or floats, and validates it; errors: 22P03,
    22003
function tdigest_to_datasketches(sketch tdigest) -> bytea
    the digest as a t-digest of Apache DataSketches, of doubles
function tdigest_from_kll(payload bytea, item text = 'double') -> tdigest  cost 1000
    reads a KLL sketch of Apache DataSketches and validates it; items are 'double', 'float' or
    'long'; errors: 22P03, 22023, 22003
function tdigest_from_dunning(payload bytea) -> tdigest  cost 1000
    reads a t-digest of T. Dunning's library (MergingDigest), verbose or small, and validates it;
    errors: 22P03, 22003
function tdigest_from_tdigest_extension(payload text) -> tdigest
        as sketches_tdigest_from_tdigest_extension_text cost 1000
    reads a digest of the tdigest extension from its text or JSON, which keeps six digits of each
    mean; errors: 22P02, 22003, 54000
function tdigest_from_tdigest_extension(payload bytea) -> tdigest  cost 1000
    reads a digest of the tdigest extension exactly, as its tdigest_send returns it; errors: 22P03,
    22003
function tdigest_from_histogram(bounds float8[], counts bigint[]) -> tdigest  cost 1000
    the digest of a histogram with ascending bounds. With as many counts as bounds, each bound is an
    upper one; with one count more, the last bucket is open; errors: 22023, 22003, 22004, 2202E
function tdigest_from_exponential_histogram(scale int, zero_count bigint, positive_offset int,
        positive bigint[], negative_offset int = 0, negative bigint[] = '{}') -> tdigest  cost 1000
    the digest of an exponential histogram of OpenTelemetry. Bucket i holds values above
    base^(offset + i); base = 2^(2^-scale), scale -10 to 20; errors: 22023, 22003, 22004, 2202E
function tdigest_from_ddsketch(payload bytea) -> tdigest  cost 1000
    reads a DDSketch from its Protocol Buffers message and validates it; errors: 22P03, 22003

-- Operators

operator tdigest | tdigest  by tdigest_union commutator |
    union
operator # tdigest  by tdigest_count
    the number of values

-- Aggregates. The state is the type itself, the union combines.

function _approx_percentile_state(tdigest, float8, {float8|text|float8[]}) -> tdigest
        as sketches_approx_{percentile|percentile_untyped|percentiles}_state cost 1 not strict
    transition function

include shared/states.sql.in: TYPE=tdigest

function _tdigest_combine(tdigest, tdigest) -> tdigest  not strict
    combine function of aggregates with a compression, which must be the same in all states
transition _tdigest_union_percentile_state(tdigest, tdigest, {float8|text|float8[]})
        as sketches_tdigest_union_{percentile|percentile_untyped|percentiles}_state cost 100
function _approx_percentile_final(tdigest) -> float8
    final function: the percentile that the state carries
function _approx_percentiles_final(tdigest) -> float8[]
    final function: the percentiles that the state carries
function _approx_median_final(tdigest) -> float8
    final function: the median
transition _tdigest_agg_state(tdigest, float8)
transition _tdigest_agg_state(tdigest, float8, int)  as sketches_tdigest_agg_compression_state
transition _tdigest_weighted_agg_state(tdigest, float8, bigint)
transition _tdigest_weighted_agg_state(tdigest, float8, bigint, int)
aggregate tdigest_agg(value float8)  state tdigest space 256
    digest of the values, compression 200; NULL over no rows; errors: 22023 for NaN and infinities
aggregate tdigest_agg(value float8, compression int)
        state tdigest space 256 combine _tdigest_combine
    digest of the values; the compression is constant in a group; NULL over no rows; errors: 22023,
    22004
aggregate tdigest_weighted_agg(value float8, weight bigint)  state tdigest space 512
    digest of values with weights of 0 or more; NULL over no rows; errors: 22023, 22003
aggregate tdigest_weighted_agg(value float8, weight bigint, compression int)
        state tdigest space 512 combine _tdigest_combine
    digest of values with weights of 0 or more; the compression is constant in a group; NULL over no
    rows; errors: 22023, 22004, 22003
aggregate tdigest_union_agg(sketch tdigest)  state tdigest space 65536 by _tdigest_union_state
    union of digests, at the lowest compression of them; NULL over no rows; errors: 22003
function _approx_percentile_moving(internal, float8, float8) -> internal  cost 10 not strict
    transition function over moving frames, which keeps the values in order
function _approx_percentile_inverse(internal, float8, float8) -> internal  cost 10 not strict
    inverse transition function over moving frames
function _approx_percentile_moving(internal, float8, text) -> internal
        as sketches_approx_percentile_untyped_moving cost 10 not strict
    transition function over moving frames, which keeps the values in order
function _approx_percentile_inverse(internal, float8, text) -> internal  cost 10 not strict
    inverse transition function over moving frames
function _approx_percentile_moving(internal, float8, float8[]) -> internal
        as sketches_approx_percentiles_moving cost 10 not strict
    transition function over moving frames, which keeps the values in order
function _approx_percentile_inverse(internal, float8, float8[]) -> internal  cost 10 not strict
    inverse transition function over moving frames
function _approx_median_moving(internal, float8) -> internal  cost 10 not strict
    transition function over moving frames, which keeps the values in order
function _approx_median_inverse(internal, float8) -> internal
        as sketches_approx_percentile_inverse cost 10 not strict
    inverse transition function over moving frames
function _approx_percentile_final_moving(internal) -> float8
        as sketches_approx_percentile_moving_final cost 10 not strict
    final function over moving frames
function _approx_percentiles_final_moving(internal) -> float8[]
        as sketches_approx_percentiles_moving_final cost 10 not strict
    final function over moving frames
function _approx_median_final_moving(internal) -> float8
        as sketches_approx_median_moving_final cost 10 not strict
    final function over moving frames
final _tdigest_union_percentile_final(tdigest) -> float8  as sketches_approx_percentile_final
    final function: the percentile that the state carries
final _tdigest_union_percentiles_final(tdigest) -> float8[]  as sketches_approx_percentiles_final
    final function: the percentiles that the state carries
aggregate tdigest_union_percentile_agg(sketch tdigest, q float8)
        state tdigest space 65536 by _tdigest_union_percentile_state final
        _tdigest_union_percentile_final
    the percentile q of all values in the digests, as percentile_cont interpolates it; q is constant
    in a group; NULL over no rows; errors: 22023, 22004, 22003
aggregate tdigest_union_percentile_agg(sketch tdigest, q text)
        state tdigest space 65536 by _tdigest_union_percentile_state final
        _tdigest_union_percentile_final
    the same for a quantile without a type, such as '0.5'; errors: 22P02, 22023, 22004, 22003
aggregate tdigest_union_percentile_agg(sketch tdigest, q float8[])
        state tdigest space 65536 by _tdigest_union_percentile_state final
        _tdigest_union_percentiles_final
    the same for each element, at most 255; errors: 22023, 22004, 22003, 2202E
aggregate approx_percentile(value float8, q float8)
        state tdigest space 256 final _approx_percentile_final moving _approx_percentile
    the percentile q of the values, as percentile_cont interpolates it; 0 <= q <= 1, constant in a
    group; NULL over no rows; errors: 22023, 22004
aggregate approx_percentile(value float8, q text)
        state tdigest space 256 final _approx_percentile_final moving _approx_percentile
    the same for one quantile without a type, such as '0.5'; errors: 22P02
aggregate approx_percentile(value float8, q float8[])
        state tdigest space 256 final _approx_percentiles_final moving _approx_percentile
    the same for each element, at most 255; errors: 22023, 22004, 2202E
aggregate approx_median(value float8)
        state tdigest space 256 by _tdigest_agg_state final _approx_median_final moving
        _approx_median
    the median of the values, as percentile_cont interpolates it; NULL over no rows; errors: 22023
