/*
 * glue.h - what binding a sketch type to PostgreSQL takes, written once for all types.
 *
 *   value.c      memory and errors of core; reading arguments: slices, detoasting, its cache
 *   io.c       text, binary and bytea, in and out
 *   union.c      union and the aggregate states
 *   compare.c    equality, ordering and hashing of values
 *
 * A type's own file adds one SKETCHES_IO line and its functions.
 */
#ifndef GLUE_H
#define GLUE_H

#include "compat.h"

#include "nodes/execnodes.h"
#include "utils/array.h"

#include "core/sketch.h"

/* Core's memory: palloc in the current context. Values come with their length word set. */
extern const SketchMemory sketch_memory;

/* Raises what core refused. `what` says what was being done: "cannot ...". */
extern _Noreturn void sketch_raise(const SketchError *error, const char *what);

/* For a value that core could not read though it was validated once. */
extern _Noreturn void sketch_raise_damaged(void);

/* The reason and, if there are any, its numbers, as an errdetail. */
extern int sketch_errdetail(const SketchError *error);

static inline Datum
sketch_datum(const uint8_t *data)
{
    return PointerGetDatum(data - SKETCH_PREFIX_BYTES);
}

/* A value that is not toasted. */
static inline SketchBytes
sketch_inline_bytes(const void *varlena)
{
    return (SketchBytes){(const uint8_t *)VARDATA_ANY(varlena), VARSIZE_ANY_EXHDR(varlena)};
}

/*
 * A whole value. sketch_arg remembers the detoasted copy of an argument that is read twice in a
 * row, as the inner side of a join is; the others do not.
 */
extern SketchBytes sketch_value(Datum datum);
extern SketchBytes sketch_arg(FunctionCallInfo fcinfo, int n);

/* The header of a value, fetching no more of it than that. `size`, if given, is of all of it. */
extern SketchBytes sketch_header(Datum datum, Size *size);

/*
 * For a probe that reads about `bytes_wanted` bytes of argument n. True: *value is all of it, since
 * it lies inline or has been probed so often in a row that a copy is kept. False: it is out of line
 * and the probe fetches what it needs with sketch_header and sketch_slice.
 */
extern bool sketch_arg_at_hand(FunctionCallInfo fcinfo, int n, Size bytes_wanted,
                               SketchBytes *value);

/* The same for a type whose values are plain bytes, without the common header. */
extern bool sketch_plain_at_hand(FunctionCallInfo fcinfo, int n, Size bytes_wanted,
                                 SketchBytes *value);

/* Bytes offset .. offset + length - 1 of a value, fewer at its end, as they are stored. */
extern SketchBytes sketch_slice(Datum datum, Size offset, Size length);

/* Working copies and packed results; they raise for a damaged value. */
extern SketchState sketch_open(SketchBytes value);
extern SketchBytes sketch_pack(SketchBytes value);

/* The packed form as a result of its own. */
extern Datum sketch_packed_datum(SketchBytes value);

/* Packs a working value that nobody else knows of. */
extern Datum sketch_state_result(SketchState state);

/* *state = union; raises when the two cannot be combined. */
extern void sketch_merge(SketchState *state, SketchBytes other);

/*
 * Argument 0 of a transition or combine function, not NULL, as a working value that may be changed
 * in place: the aggregate's own state, or else a copy. The function returns the state with
 * sketch_datum, whether it is still the same or was replaced: nodeAgg copies another one into the
 * aggregate's context and frees the old one.
 */
extern SketchState sketch_aggregate_state(FunctionCallInfo fcinfo);

/* The aggregate's own state, or data NULL where argument 0 must not be changed in place. */
static inline SketchState
sketch_state_in_place(FunctionCallInfo fcinfo)
{
    struct varlena *state = (struct varlena *)DatumGetPointer(PG_GETARG_DATUM(0));

    if (fcinfo->context &&
        (IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState)) &&
        VARATT_IS_4B_U(state) && sketch_is_working((const uint8_t *)VARDATA(state)))
        return (SketchState){(uint8_t *)VARDATA(state), VARSIZE(state) - VARHDRSZ};
    return (SketchState){NULL, 0};
}

/*
 * The elements of an array that are not NULL, one by one and without a copy of the array; long
 * ones can be cancelled.
 */
typedef struct SketchElements {
    ArrayIterator iterator;
    uint32 seen;
} SketchElements;

extern SketchElements sketch_elements(ArrayType *array);
extern bool sketch_next_element(SketchElements *elements, Datum *element);

/* A result row of the declared OUT columns; `nulls` says which are NULL, and is NULL for none. */
extern Datum sketch_row(FunctionCallInfo fcinfo, Datum *values, const bool *nulls);

/* The doors of one type: text and binary input and the cast from bytea. */
extern Datum sketch_in(FunctionCallInfo fcinfo, const SketchOps *ops);
extern Datum sketch_recv(FunctionCallInfo fcinfo, const SketchOps *ops);
extern Datum sketch_from_bytea(FunctionCallInfo fcinfo, const SketchOps *ops);

#define SKETCHES_IO(type)                                                                          \
    SKETCHES_FUNCTION(type##_in) { return sketch_in(fcinfo, &type##_ops); }                        \
    SKETCHES_FUNCTION(type##_recv) { return sketch_recv(fcinfo, &type##_ops); }                    \
    SKETCHES_FUNCTION(type##_from_bytea) { return sketch_from_bytea(fcinfo, &type##_ops); }        \
    extern int sketches_##type##_io

#endif
