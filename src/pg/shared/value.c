/*
 * value.c - memory and errors for core, and sketch values as function arguments.
 *
 * Types are STORAGE external: a packed form is dense already, and an uncompressed out-of-line value
 * can be fetched in part. Questions that the header answers fetch one chunk of it.
 */
#include "glue.h"

#ifndef WIN32
#include <sys/mman.h>
#endif

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ---- memory ---- */

/*
 * Asks for huge pages where memory is large. Most of the time of filling it would be spent on
 * getting small pages one by one, and of going anywhere in it on finding them. Small pages that it
 * has from an earlier use are given back, as what is in them is of no interest. Where the advice is
 * not taken nothing is different.
 */
static void *
in_huge_pages(void *memory, Size size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = UINT64_C(1) << 21;

    if (size >= 2 * page) {
        uintptr_t begin = TYPEALIGN(page, (uintptr_t)memory);
        uintptr_t end = TYPEALIGN_DOWN(page, (uintptr_t)memory + size);

        if (madvise((void *)begin, end - begin, MADV_HUGEPAGE) == 0)
            (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
#endif
    return memory;
}

static uint8_t *
memory_value(size_t size, void *context)
{
    struct varlena *value;

    if (size > MaxAllocSize - VARHDRSZ)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("sketch is too large"),
                        errdetail("It would take %zu bytes, the limit is %zu.", size + VARHDRSZ,
                                  (size_t)MaxAllocSize)));
    value = in_huge_pages(palloc(size + VARHDRSZ), size);
    SET_VARSIZE(value, size + VARHDRSZ);
    return (uint8_t *)VARDATA(value);
}

static void
memory_release_value(uint8_t *data, void *context)
{
    pfree(data - VARHDRSZ);
}

static void *
memory_scratch(size_t size, void *context)
{
    return in_huge_pages(palloc_extended(size, MCXT_ALLOC_HUGE), size);
}

static void
memory_release(void *memory, void *context)
{
    pfree(memory);
}

StaticAssertDecl(SKETCH_PREFIX_BYTES == VARHDRSZ, "core reserves the length word");

static void
memory_poll(void *context)
{
    (void)context;
    CHECK_FOR_INTERRUPTS();
}

const SketchMemory sketch_memory = {
    .value = memory_value,
    .release_value = memory_release_value,
    .scratch = memory_scratch,
    .release = memory_release,
    .poll = memory_poll,
};

/* ---- errors ---- */

int
sketch_errdetail(const SketchError *error)
{
    if (!error->has_range)
        return errdetail("%s.", error->reason);
    if (error->high == INT64_MAX)
        return errdetail("%s: found %lld, expected at least %lld.", error->reason,
                         (long long)error->found, (long long)error->low);
    if (error->low == error->high)
        return errdetail("%s: found %lld, expected %lld.", error->reason, (long long)error->found,
                         (long long)error->low);
    return errdetail("%s: found %lld, allowed are %lld to %lld.", error->reason,
                     (long long)error->found, (long long)error->low, (long long)error->high);
}

static int
sqlstate(SketchStatus status)
{
    switch (status) {
    case SKETCH_OK:
        break;
    case SKETCH_MALFORMED:
        return ERRCODE_INVALID_BINARY_REPRESENTATION;
    case SKETCH_OUT_OF_RANGE:
        return ERRCODE_INVALID_PARAMETER_VALUE;
    case SKETCH_MISMATCH:
        return ERRCODE_DATATYPE_MISMATCH;
    case SKETCH_OVERFLOW:
        return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
    case SKETCH_LIMIT:
        return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case SKETCH_DAMAGED:
        return ERRCODE_DATA_CORRUPTED;
    }
    return ERRCODE_INTERNAL_ERROR;
}

void
sketch_raise(const SketchError *error, const char *what)
{
    ereport(ERROR, (errcode(sqlstate(error->status)), errmsg("%s", what), sketch_errdetail(error)));
    pg_unreachable();
}

void
sketch_raise_damaged(void)
{
    SketchError error;

    sketch_refuse_damaged(&error);
    sketch_raise(&error, "stored sketch is damaged");
}

/* ---- arguments ---- */

/* Every function looks at the common header: nothing shorter leaves here. */
static SketchBytes
check_header(SketchBytes value)
{
    const SketchOps *ops = value.size >= SKETCH_COMMON_BYTES ? sketch_ops(value.data[0]) : NULL;

    if (ops == NULL || value.data[1] != ops->version ||
        (!sketch_is_working(value.data) && value.size < ops->header_bytes))
        sketch_raise_damaged();
    return value;
}

/*
 * Packed values are read byte by byte and taken as they lie. Working ones are aligned in the memory
 * of an aggregate but not where a tuple brought them, as from a parallel worker.
 */
SketchBytes
sketch_value(Datum datum)
{
    SketchBytes value = check_header(sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(datum)));

    if (sketch_is_working(value.data) && ((uintptr_t)value.data + SKETCH_PREFIX_BYTES) % 8 != 0) {
        uint8_t *aligned = memory_value(value.size, NULL);

        memcpy(aligned, value.data, value.size);
        value.data = aligned;
    }
    return value;
}

SketchBytes
sketch_header(Datum datum, Size *size)
{
    struct varlena *value = (struct varlena *)DatumGetPointer(datum);

    if (size)
        *size = toast_raw_datum_size(datum) - VARHDRSZ;
    /* Of an out-of-line value the first chunk as a whole: it was fetched anyway. */
    if (VARATT_IS_EXTERNAL(value))
        value = PG_DETOAST_DATUM_SLICE(datum, 0, TOAST_MAX_CHUNK_SIZE);
    else if (VARATT_IS_COMPRESSED(value))
        value = PG_DETOAST_DATUM_SLICE(datum, 0, SKETCH_HEADER_MAX);
    return check_header(sketch_inline_bytes(value));
}

/*
 * The cache of detoasted arguments. It lives as long as the call site (fn_mcxt). A toast pointer
 * names its value: as long as a statement can see it the bytes behind it do not change. Values that
 * come by once only are not copied there: a value is detoasted to stay once calls in a row have
 * read as many bytes of it as it has, so that the copy costs at most what was spent already. For
 * calls that read all of it that is the second one. Where fn_extra does not last (Citus), this
 * never gets past the first.
 */
#define CACHED_ARGS 2

typedef struct CachedArg {
    bool seen;
    struct varatt_external pointer;
    Size bytes_read;
    struct varlena *value;
} CachedArg;

static CachedArg *
cached_arg(FunctionCallInfo fcinfo, int n)
{
    if (fcinfo->flinfo == NULL || n >= CACHED_ARGS)
        return NULL;
    if (fcinfo->flinfo->fn_extra == NULL)
        fcinfo->flinfo->fn_extra =
            MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CachedArg) * CACHED_ARGS);
    return (CachedArg *)fcinfo->flinfo->fn_extra + n;
}

/* A copy in the context of the call, for probes that go anywhere in it. */
static struct varlena *
detoast_for_probes(FunctionCallInfo fcinfo, Datum datum)
{
    MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    struct varlena *value = PG_DETOAST_DATUM(datum);
    Size size = VARSIZE(value);
    struct varlena *copy = memcpy(in_huge_pages(palloc(size), size), value, size);

    pfree(value);
    MemoryContextSwitchTo(old);
    return copy;
}

/* The cached copy of the out-of-line value `datum`, or NULL while reading it piecemeal is cheaper. */
static struct varlena *
cached_copy(FunctionCallInfo fcinfo, int n, Datum datum, Size bytes_wanted)
{
    CachedArg *cached = cached_arg(fcinfo, n);
    struct varatt_external pointer;

    if (cached == NULL)
        return NULL;
    VARATT_EXTERNAL_GET_POINTER(pointer, DatumGetPointer(datum));
    if (!cached->seen || memcmp(&pointer, &cached->pointer, sizeof pointer) != 0) {
        if (cached->value)
            pfree(cached->value);
        *cached = (CachedArg){.seen = true, .pointer = pointer};
    }
    if (cached->value == NULL && cached->bytes_read >= (Size)pointer.va_rawsize - VARHDRSZ)
        cached->value = detoast_for_probes(fcinfo, datum);
    cached->bytes_read += Min(bytes_wanted, (Size)pointer.va_rawsize - VARHDRSZ);
    return cached->value;
}

SketchBytes
sketch_arg(FunctionCallInfo fcinfo, int n)
{
    Datum datum = PG_GETARG_DATUM(n);
    struct varlena *copy = NULL;

    if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)))
        copy = cached_copy(fcinfo, n, datum, SIZE_MAX);
    return copy ? check_header(sketch_inline_bytes(copy)) : sketch_value(datum);
}

bool
sketch_arg_at_hand(FunctionCallInfo fcinfo, int n, Size bytes_wanted, SketchBytes *value)
{
    Datum datum = PG_GETARG_DATUM(n);
    struct varlena *copy;

    if (!VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum))) {
        *value = sketch_value(datum);
        return true;
    }
    copy = cached_copy(fcinfo, n, datum, bytes_wanted);
    if (copy == NULL)
        return false;
    *value = check_header(sketch_inline_bytes(copy));
    return true;
}

bool
sketch_plain_at_hand(FunctionCallInfo fcinfo, int n, Size bytes_wanted, SketchBytes *value)
{
    Datum datum = PG_GETARG_DATUM(n);
    struct varlena *plain;

    if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)))
        plain = cached_copy(fcinfo, n, datum, bytes_wanted);
    else
        plain = PG_DETOAST_DATUM_PACKED(datum);
    if (plain)
        *value = sketch_inline_bytes(plain);
    return plain != NULL;
}

SketchBytes
sketch_slice(Datum datum, Size offset, Size length)
{
    return sketch_inline_bytes(PG_DETOAST_DATUM_SLICE(datum, (int32)offset, (int32)length));
}

SketchElements
sketch_elements(ArrayType *array)
{
    return (SketchElements){.iterator = array_create_iterator(array, 0, NULL)};
}

bool
sketch_next_element(SketchElements *elements, Datum *element)
{
    bool is_null;

    do {
        if (++elements->seen % 4096 == 0)
            CHECK_FOR_INTERRUPTS();
        if (!array_iterate(elements->iterator, element, &is_null))
            return false;
    } while (is_null);
    return true;
}

/* ---- results ---- */

#define ROW_COLUMNS_MAX 16

Datum
sketch_row(FunctionCallInfo fcinfo, Datum *values, const bool *nulls)
{
    static const bool no_nulls[ROW_COLUMNS_MAX] = {false};
    TupleDesc row;

    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE ||
        row->natts > ROW_COLUMNS_MAX)
        elog(ERROR, "return type must be a row type of at most %d columns", ROW_COLUMNS_MAX);
    return HeapTupleGetDatum(
        heap_form_tuple(BlessTupleDesc(row), values, (bool *)(nulls ? nulls : no_nulls)));
}

/* ---- encodings ---- */

SketchState
sketch_open(SketchBytes value)
{
    SketchState state = sketch_ops(value.data[0])->open(value, &sketch_memory);

    if (state.data == NULL)
        sketch_raise_damaged();
    return state;
}

SketchBytes
sketch_pack(SketchBytes value)
{
    SketchBytes packed;

    if (!sketch_is_working(value.data))
        return value;
    packed = sketch_ops(value.data[0])->pack(value, &sketch_memory);
    if (packed.data == NULL)
        sketch_raise_damaged();
    return packed;
}

Datum
sketch_packed_datum(SketchBytes value)
{
    SketchBytes packed = sketch_pack(value);

    /* An argument may have a short length word, or live in a cache. */
    if (packed.data == value.data) {
        packed.data = memory_value(value.size, NULL);
        memcpy((uint8_t *)packed.data, value.data, value.size);
    }
    return sketch_datum(packed.data);
}

Datum
sketch_state_result(SketchState state)
{
    SketchBytes packed = sketch_pack(sketch_bytes(state));

    pfree((void *)DatumGetPointer(sketch_datum(state.data)));
    return sketch_datum(packed.data);
}
