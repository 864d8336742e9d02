/*
 * glue.h - what binding a sketch type to PostgreSQL takes, written once for all types.
 *
 *   memory.c     core's memory and errors
 *   args.c       values as arguments: headers, slices, detoasting and its cache; declared types
 *   value.c      opening and packing
 *   io.c         text, binary and bytea, in and out
 *   union.c      union and the states of aggregates
 *   compare.c    equality and hash of values
 *   arrays.c     elements of arrays, and answers in an array's shape
 *   rows.c       rows as results
 *   analyze.c    what ANALYZE keeps of columns of sketches
 *   moving.c     unions over sliding windows (moving.h)
 *   describe.h   what the one-line descriptions of values share
 *   quantile_functions.c  quantiles as arguments, histograms, sparklines (quantile_functions.h)
 *   planner.c    functions as support functions look for them (planner.h)
 *   items.c      items as arguments, added one by one or in arrays (items.h)
 */
#ifndef GLUE_H
#define GLUE_H

#include "compat.h"

#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "core/sketch.h"

/*
 * Defines a C function of SQL that returns an expression of fcinfo: SQL_FUNCTION(sketches_hll_add,
 * sketch_add_item(fcinfo, &adding)). Its name is written whole, so that grep finds it.
 */
#define SQL_FUNCTION(name, result)                                                                 \
    PG_FUNCTION_INFO_V1(name);                                                                     \
    Datum name(PG_FUNCTION_ARGS) { return result; }                                                \
    extern Datum name(PG_FUNCTION_ARGS)

/* Core's memory: palloc in the current context. Values come with their length word set. */
extern const SketchMemory sketch_memory;

/* Raises what core refused. `what` says what was being done: "cannot ...". */
extern _Noreturn void sketch_raise(const SketchError *error, const char *what);

/*
 * The same of what an importer, the function that was called, refused; with a hint what the bytes
 * look like and what reads that.
 */
extern _Noreturn void sketch_raise_import(FunctionCallInfo fcinfo, const SketchError *error,
                                          SketchBytes input, const char *what);

/* For a value that core could not read though it was validated once. */
extern _Noreturn void sketch_raise_damaged(void);

/* The reason and, if there are any, its numbers, as an errdetail. */
extern int sketch_errdetail(const SketchError *error);

/* The value of a parameter, or error 22023 that names it and the range. */
extern int64 sketch_check_range(const char *what, int64 value, int64 low, int64 high);

/* Error 22004 if argument n of a function that is not STRICT is NULL. */
extern void sketch_check_not_null(FunctionCallInfo fcinfo, int n, const char *what);

static inline Datum
sketch_datum(const uint8_t *data)
{
    return PointerGetDatum(data - SKETCH_PREFIX_BYTES);
}

/* The most bytes of a value with its length word: 1 GB as of any datum, 64 MB on 32 bits. */
#define SKETCH_VALUE_MAX Min(MaxAllocSize, SKETCH_BYTES_MAX)

/* Error 54000. */
extern pg_noinline void sketch_raise_too_large(uint64_t size, size_t most);

/* A value that is not toasted, or bytes from which one is read. */
static inline SketchBytes
sketch_inline_bytes(const void *varlena)
{
    SketchBytes bytes = {(const uint8_t *)VARDATA_ANY(varlena), VARSIZE_ANY_EXHDR(varlena)};

    /* Elsewhere no datum is larger. */
    if (SKETCH_BYTES_MAX < MaxAllocSize && unlikely(bytes.size > SKETCH_BYTES_MAX))
        sketch_raise_too_large(bytes.size, SKETCH_BYTES_MAX);
    return bytes;
}

/*
 * Returns true if an aggregate calls, plain or over a window: its functions have its state as
 * argument.
 */
static inline bool
sketch_in_aggregate(FunctionCallInfo fcinfo)
{
    return fcinfo->context &&
           (IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState));
}

/*
 * A whole value, packed or in transit. A working value is taken from the arguments of an
 * aggregate's functions only; elsewhere it is refused.
 *
 * sketch_arg is for arguments, and remembers the detoasted copy of one that is read twice in a row,
 * as the inner side of a join is; sketch_value is for the elements of arrays and the like.
 */
extern SketchBytes sketch_value(Datum datum);
extern SketchBytes sketch_arg(FunctionCallInfo fcinfo, int n);
extern SketchBytes sketch_packed_arg(FunctionCallInfo fcinfo, int n);

/* A value in any encoding, for output functions: some engines move an aggregate's state by them. */
extern SketchBytes sketch_any_value(Datum datum);

/*
 * The header of a packed value, fetching no more of an out-of-line value than its first chunk; a
 * value that is not packed is packed for it. `size`, if given, is of all of the packed value.
 */
extern SketchBytes sketch_header(FunctionCallInfo fcinfo, int n, Size *size);

/* The header of a packed value that is no argument, such as a constant of the planner. */
extern SketchBytes sketch_value_header(Datum datum);

/* The header of an argument in whichever encoding it has, as for the parameters of a state. */
extern SketchBytes sketch_front(FunctionCallInfo fcinfo, int n);

/*
 * For a probe that reads about `bytes_wanted` bytes of argument n. True: *value is all of it,
 * packed, since it lies inline or has been probed so often in a row that a copy is kept. False: the
 * packed value, of *size bytes, is out of line; *value is its header, and the probe fetches what
 * else it needs with sketch_slice.
 */
extern bool sketch_arg_at_hand(FunctionCallInfo fcinfo, int n, Size bytes_wanted,
                               SketchBytes *value, Size *size);

/*
 * For a probe of argument n whose type has plain bytes as values, without the common header. True:
 * *value is all of it, as in sketch_arg_at_hand. False: *value is not set, and the probe fetches
 * what it needs with sketch_slice.
 */
extern bool sketch_plain_at_hand(FunctionCallInfo fcinfo, int n, Size bytes_wanted,
                                 SketchBytes *value);

/* Bytes offset .. offset + length - 1 of a value, fewer at its end, as they are stored. */
extern SketchBytes sketch_slice(Datum datum, Size offset, Size length);

/* A copy in fresh memory, aligned. */
extern SketchBytes sketch_copy(SketchBytes value);

/*
 * Working copies and packed results; they raise for a damaged value. sketch_open also raises for a
 * value that says it is not of the type `ops`, whose functions will change it; NULL: of any type.
 */
extern SketchState sketch_open(SketchBytes value, const SketchOps *ops);
extern SketchState sketch_open_many(SketchBytes value);
extern SketchBytes sketch_pack(SketchBytes value);

/* Form sent off the server: a working value in transit or, if its type has none, packed. */
extern SketchBytes sketch_outgoing(SketchBytes value);

/* The packed form as a result of its own. */
extern Datum sketch_packed_datum(SketchBytes value);

/* Argument n as a result; packed, if it is a working value. */
extern Datum sketch_packed_arg_datum(FunctionCallInfo fcinfo, int n);

/*
 * The union of two arguments one of which, or both, are NULL. In merging NULL is empty, as for
 * array_cat: an upsert with nothing to add does not wipe what is stored.
 */
extern Datum sketch_one_of_two(FunctionCallInfo fcinfo);

/*
 * A function (sketch, item, ...) that adds or removes begins with these: NULL changes nothing, so
 * that no update wipes what is stored. If an argument after the sketch is NULL,
 * sketch_is_given_null is true and the function returns sketch_as_it_was. Otherwise it adds to
 * sketch_arg_or_empty: argument 0 or, if that is NULL, what `empty` makes, a sketch of default
 * parameters. From a NULL sketch nothing is removed either, which sketch_removes_nothing knows.
 */
extern bool sketch_is_given_null(FunctionCallInfo fcinfo);
extern bool sketch_removes_nothing(FunctionCallInfo fcinfo);
extern Datum sketch_as_it_was(FunctionCallInfo fcinfo);
extern SketchBytes sketch_arg_or_empty(FunctionCallInfo fcinfo, SketchState (*empty)(void));

/* Packs a working value that nobody else knows of. */
extern Datum sketch_state_result(SketchState state);

/* *state = union; raises when the two cannot be combined. */
extern void sketch_merge(SketchState *state, SketchBytes other);

/*
 * Argument 0 of a transition or combine function, not NULL, as a working value that may be changed
 * in place: the aggregate's own state, or else a copy; `ops` as for sketch_open.
 */
extern SketchState sketch_aggregate_state(FunctionCallInfo fcinfo, const SketchOps *ops);

/*
 * The result of a transition or combine function, whether the state is still the same or was
 * replaced: nodeAgg copies another one into the aggregate's context and frees the old one. Called
 * outside of an aggregate, the function returns a packed value.
 */
extern Datum sketch_aggregate_result(FunctionCallInfo fcinfo, SketchState state);

/* The aggregate's own state, or data NULL where argument 0 must not be changed in place. */
static inline SketchState
sketch_state_in_place(FunctionCallInfo fcinfo)
{
    struct varlena *state = (struct varlena *)DatumGetPointer(PG_GETARG_DATUM(0));

    if (sketch_in_aggregate(fcinfo) && VARATT_IS_4B_U(state) &&
        sketch_is_working((const uint8_t *)VARDATA(state)))
        return (SketchState){(uint8_t *)VARDATA(state), VARSIZE(state) - VARHDRSZ};
    return (SketchState){NULL, 0};
}

/* Returns argument 0 from a transition function: the row changes nothing. */
static inline Datum
sketch_unchanged_state(FunctionCallInfo fcinfo)
{
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    return sketch_in_aggregate(fcinfo) ? PG_GETARG_DATUM(0) : sketch_packed_arg_datum(fcinfo, 0);
}

/* Transition of T_union_agg and combine function of most aggregates. */
extern Datum sketches_union_state(PG_FUNCTION_ARGS);

/*
 * The elements of an array that are not NULL, one by one and without a copy of the array; long
 * ones can be cancelled. `at` is the position of the last one, from 0 on.
 */
typedef struct SketchElements {
    ArrayIterator iterator;
    int at;
} SketchElements;

extern SketchElements sketch_elements(ArrayType *array);
extern bool sketch_next_element(SketchElements *elements, Datum *element);

/*
 * An array with room for `bytes` of elements, to be filled in by the caller; with `has_nulls` it
 * has a bitmap, in which all are NULL.
 */
extern ArrayType *sketch_new_array(int dimensions, const int *lengths, const int *lower_bounds,
                                   Oid type, Size bytes, bool has_nulls);

/* As construct_md_array, for a type that is passed by value; the user may cancel it. */
extern ArrayType *sketch_array_of(const Datum *values, const bool *nulls, int dimensions,
                                  const int *lengths, const int *lower_bounds, Oid type);

/*
 * An array of answers, of the given type and in the shape of the array of questions. `answer` sets
 * *answer to the answer about one item, or returns false for NULL. It is not called for NULL items,
 * whose answer is NULL.
 */
typedef bool (*SketchAnswer)(void *context, Datum item, Datum *answer);

extern Datum sketch_answer_each(ArrayType *asked, Oid type, SketchAnswer answer, void *context);

/*
 * A result row of the declared OUT columns; `nulls` says which are NULL, and is NULL for none. The
 * row type is looked up once for all calls of a query, where fn_extra lasts.
 */
extern Datum sketch_row(FunctionCallInfo fcinfo, Datum *values, const bool *nulls);

/* Where a call site keeps its row type; NULL if it cannot. */
extern TupleDesc *sketch_cached_row(FunctionCallInfo fcinfo);

/*
 * All of a set-returning function. `begin` runs once, in memory that lasts for all rows, and
 * returns what `next` needs; arguments that it keeps it copies. `next` fills the columns of a row,
 * of which none is NULL unless it says so, or returns false after the last one.
 */
typedef void *(*SketchBeginRows)(FunctionCallInfo fcinfo);
typedef bool (*SketchNextRow)(void *rows, Datum *values, bool *nulls);

extern Datum sketch_rows(FunctionCallInfo fcinfo, SketchBeginRows begin, SketchNextRow next);

/*
 * The types that the called function was declared with in SQL, which tell apart the functions that
 * share one in C: that of argument n, and the type of sketch that it returns. They are looked up
 * once for all calls of a query, where fn_extra lasts.
 */
extern Oid sketch_declared_type(FunctionCallInfo fcinfo, int n);
extern const SketchOps *sketch_result_ops(FunctionCallInfo fcinfo);

/* In and out of one type: text and binary input and the cast from bytea. */
extern Datum sketch_in(FunctionCallInfo fcinfo, const SketchOps *ops);
extern Datum sketch_recv(FunctionCallInfo fcinfo, const SketchOps *ops);
extern Datum sketch_from_bytea(FunctionCallInfo fcinfo, const SketchOps *ops);

/* The shortest digits of a number that no other one has, so that an error shows what is wrong. */
extern const char *sketch_shortest(double number);

/* A copy of bytes as bytea. */
extern Datum sketch_bytea(SketchBytes bytes);

/* Imports what `reader` makes of a bytea of another system; `what` is the error if it refuses. */
typedef bool (*SketchReader)(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                             SketchError *error);

extern Datum sketch_import(FunctionCallInfo fcinfo, SketchReader reader, const char *what);

#endif
