-- What belongs to the extension as a whole.

function sketches_version() -> text  as sketches_version stable cost 1
    version of the loaded library, for comparison with extversion in pg_extension
