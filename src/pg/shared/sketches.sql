-- What belongs to the extension as a whole.

function sketches_version() -> text  as sketches_version stable cost 1
    version of the loaded library, for comparison with extversion in pg_extension

-- Unions over sliding windows, of any type. See moving.c.

function _sketches_moving_union(internal, anyelement) -> internal
        as sketches_moving_union not strict
    transition function over moving frames: a sketch enters
function _sketches_moving_union_percentile(internal, anyelement, "any") -> internal
        as sketches_moving_union_percentile not strict
    transition function over moving frames: a sketch enters; percentiles of the union are requested
function _sketches_moving_inverse(internal, anyelement) -> internal
        as sketches_moving_inverse not strict
function _sketches_moving_inverse(internal, anyelement, "any") -> internal
        as sketches_moving_inverse not strict
    inverse transition function over moving frames: the oldest sketch leaves
function _sketches_moving_final(internal, anyelement) -> anyelement
        as sketches_moving_final not strict
    final function over moving frames: the packed union
