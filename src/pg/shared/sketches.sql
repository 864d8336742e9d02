-- What belongs to the extension as a whole.

function sketches_version() -> text  as sketches_version stable cost 1
    the version of the library that is loaded, to be compared with extversion in pg_extension
