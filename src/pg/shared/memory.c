/*
 * memory.c - what PostgreSQL does for core: gives it memory, cancels it, and raises its refusals as
 * errors.
 */
#include "glue.h"

#ifndef WIN32
#include <sys/mman.h>
#endif

#include "miscadmin.h"
#include "utils/memutils.h"

/* ---- memory ---- */

/*
 * Asks for huge pages for the large states of aggregates, and what core uses to change them: it
 * takes a fourth of the time of building a state of 30 MB to get small pages one by one. Small
 * pages that the memory has from an earlier use are given back, so their content is lost.
 *
 * Linux takes the advice if /sys/kernel/mm/transparent_hugepage/enabled is madvise or always. The
 * huge pages are within the memory that was allocated.
 */
static void *
advise_huge_pages(void *memory, Size size)
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

void
sketch_raise_too_large(uint64_t size, size_t most)
{
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("sketch is too large"),
                    errdetail("It would take %llu bytes, the limit is %zu.",
                              (unsigned long long)size, most)));
}

static uint8_t *
memory_value(uint64_t size, void *context)
{
    struct varlena *value;

    if (size > SKETCH_VALUE_MAX - VARHDRSZ)
        sketch_raise_too_large(size + VARHDRSZ, SKETCH_VALUE_MAX);
    value = advise_huge_pages(palloc((Size)size + VARHDRSZ), (Size)size);
    SET_VARSIZE(value, (Size)size + VARHDRSZ);
    return (uint8_t *)VARDATA(value);
}

static void
memory_release_value(uint8_t *data, void *context)
{
    pfree(data - VARHDRSZ);
}

static void *
memory_scratch(uint64_t size, void *context)
{
    if (size > MaxAllocHugeSize)
        sketch_raise_too_large(size, MaxAllocHugeSize);
    return advise_huge_pages(palloc_extended((Size)size, MCXT_ALLOC_HUGE), (Size)size);
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
    if (error->one)
        return errdetail("%s, those of %s and %s.", error->reason, error->one, error->other);
    if (!error->has_range)
        return errdetail("%s.", error->reason);
    if (error->high == INT64_MAX)
        return errdetail("%s: found %lld, expected at least %lld.", error->reason,
                         (long long)error->found, (long long)error->low);
    if (error->low == error->high)
        return errdetail("%s: found %lld, expected %lld.", error->reason, (long long)error->found,
                         (long long)error->low);
    return errdetail("%s: found %lld, allowed %lld to %lld.", error->reason,
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
    case SKETCH_NO_LIBRARY:
        return ERRCODE_UNDEFINED_FILE;
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

int64
sketch_check_range(const char *what, int64 value, int64 low, int64 high)
{
    if (value < low || value > high)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("%s %lld is out of range", what, (long long)value),
                 errdetail("Must be between %lld and %lld.", (long long)low, (long long)high)));
    return value;
}

void
sketch_check_not_null(FunctionCallInfo fcinfo, int n, const char *what)
{
    if (PG_ARGISNULL(n))
        ereport(ERROR,
                (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", what)));
}
