/*
 * args.c - sketch values as function arguments.
 *
 * Types are STORAGE external: a packed form is dense already, and an uncompressed out-of-line value
 * can be fetched in part. Questions that the header answers fetch one chunk of it.
 */
#include "items.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "core/common/state.h"

/*
 * Raises for a value with a header that this library does not read. A packed format of a higher
 * version is no damage: it comes from a newer library, from the primary of a replica or from before
 * the old files were put back. No packed value has the version of working ones.
 */
static pg_noinline _Noreturn void
refuse_header(SketchBytes value, const SketchOps *ops)
{
    if (!sketch_is_working(value.data) && sketch_version(value.data) > ops->version &&
        sketch_version(value.data) != STATE_VERSION)
        ereport(ERROR,
                (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                 errmsg("stored value has format version %d, which this version of sketches does "
                        "not read",
                        sketch_version(value.data)),
                 errdetail("The newest known format version of type %s is %d.", ops->name,
                           ops->version),
                 errhint("Install the newer version of the library.")));
    sketch_raise_damaged();
}

/* Every function looks at the common header: nothing shorter leaves here. */
static SketchBytes
check_header(SketchBytes value)
{
    const SketchOps *ops =
        value.size >= SKETCH_COMMON_BYTES ? sketch_ops(sketch_kind(value.data)) : NULL;
    bool working;

    if (ops == NULL)
        sketch_raise_damaged();
    working = sketch_is_working(value.data);
    if (sketch_version(value.data) != (working ? STATE_VERSION : ops->version) ||
        (!working && value.size < ops->header_bytes))
        refuse_header(value, ops);
    return value;
}

/*
 * Packed values are read byte by byte and taken as they lie. Working ones are aligned in the memory
 * of an aggregate but not where a tuple brought them, as from a parallel worker.
 */
static SketchBytes
checked_value(const void *varlena)
{
    SketchBytes value = check_header(sketch_inline_bytes(varlena));

    if (sketch_is_working(value.data) &&
        ((uintptr_t)value.data + SKETCH_PREFIX_BYTES) % SKETCH_ALIGNMENT != 0)
        value = sketch_copy(value);
    return value;
}

/*
 * A working value is part of an aggregate that is being computed, so only the aggregate's own
 * functions take it. One that was stored, as the result of an aggregate without a final function,
 * may have been made by another release.
 */
static SketchBytes
refuse_working(SketchBytes value)
{
    if (unlikely(sketch_is_working(value.data))) {
        const char *type = sketch_ops(sketch_kind(value.data))->name;

        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("this value of type %s is the state of an unfinished aggregate", type),
             errdetail("Only the functions of an aggregate read it."),
             errhint("An aggregate with the transition function of %s needs its final function, "
                     "too.",
                     type)));
    }
    return value;
}

SketchBytes
sketch_value(Datum datum)
{
    return refuse_working(checked_value(PG_DETOAST_DATUM_PACKED(datum)));
}

SketchBytes
sketch_any_value(Datum datum)
{
    return checked_value(PG_DETOAST_DATUM_PACKED(datum));
}

/* The beginning of a value in whichever encoding it has. */
static SketchBytes
front_of(Datum datum)
{
    struct varlena *value = (struct varlena *)DatumGetPointer(datum);

    /* Take the first chunk of an out-of-line value whole: it was fetched anyway. */
    if (VARATT_IS_EXTERNAL(value))
        value = PG_DETOAST_DATUM_SLICE(datum, 0, TOAST_MAX_CHUNK_SIZE);
    else if (VARATT_IS_COMPRESSED(value))
        value = PG_DETOAST_DATUM_SLICE(datum, 0, SKETCH_HEADER_MAX);
    return check_header(sketch_inline_bytes(value));
}

SketchBytes
sketch_front(FunctionCallInfo fcinfo, int n)
{
    SketchBytes front = front_of(PG_GETARG_DATUM(n));

    return sketch_in_aggregate(fcinfo) ? front : refuse_working(front);
}

/*
 * The header of a packed value, or all of another one, packed: true for the latter. `front` is its
 * beginning.
 */
static bool
header_or_packed(Datum datum, SketchBytes front, SketchBytes *value, Size *size)
{
    *value = front;
    if (!sketch_is_packed(front.data)) {
        *value = sketch_pack(sketch_any_value(datum));
        *size = value->size;
        return true;
    }
    *size = toast_raw_datum_size(datum) - VARHDRSZ;
    return false;
}

SketchBytes
sketch_header(FunctionCallInfo fcinfo, int n, Size *size)
{
    SketchBytes header;
    Size all;

    header_or_packed(PG_GETARG_DATUM(n), sketch_front(fcinfo, n), &header, size ? size : &all);
    return header;
}

SketchBytes
sketch_value_header(Datum datum)
{
    SketchBytes header;
    Size size;

    header_or_packed(datum, refuse_working(front_of(datum)), &header, &size);
    return header;
}

/*
 * The cache of detoasted arguments. It lives as long as the call site (fn_mcxt). Its key is the
 * toast pointer: the bytes behind it do not change as long as a statement can see them. A value is
 * copied into the cache only when calls in a row have read as many bytes of it as it has, so
 * caching at most doubles the work, and a value that is seen once is not copied. Calls that read
 * all of it find a copy from the third one on. Where fn_extra does not last (Citus), no call finds
 * one.
 */
#define CACHED_ARGS 2

typedef struct CachedArg {
    bool seen;
    struct varatt_external pointer;
    Size bytes_read;
    struct varlena *value;
} CachedArg;

/* The declared type of an argument, and what items of it are. */
typedef struct DeclaredType {
    Oid type;
    SketchItemType item;
} DeclaredType;

#define TYPED_ARGS 3

/* State of a function between its calls. */
typedef struct CallCache {
    CachedArg args[CACHED_ARGS];
    DeclaredType declared[TYPED_ARGS];
    const SketchOps *result;
    TupleDesc row;
} CallCache;

static CallCache *
call_cache(FunctionCallInfo fcinfo)
{
    /* A set-returning function keeps its rows in fn_extra. */
    if (fcinfo->flinfo == NULL || fcinfo->flinfo->fn_retset)
        return NULL;
    if (fcinfo->flinfo->fn_extra == NULL)
        fcinfo->flinfo->fn_extra =
            MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CallCache));
    return fcinfo->flinfo->fn_extra;
}

TupleDesc *
sketch_cached_row(FunctionCallInfo fcinfo)
{
    CallCache *cache = call_cache(fcinfo);

    return cache ? &cache->row : NULL;
}

static SketchItemType
item_type(Oid type)
{
    switch (type) {
    case INT2OID:
        return ITEM_SMALLINT;
    case INT4OID:
        return ITEM_INTEGER;
    case INT8OID:
        return ITEM_BIGINT;
    case FLOAT8OID:
        return ITEM_FLOAT8;
    case TEXTOID:
    case VARCHAROID:
        return ITEM_TEXT;
    case BYTEAOID:
        return ITEM_BYTEA;
    case ANYENUMOID:
        return ITEM_ENUM;
    default:
        return ITEM_HASHED;
    }
}

/* Looks up the type of argument n. */
static pg_noinline DeclaredType
declared_type(FunctionCallInfo fcinfo, CallCache *cache, int n)
{
    DeclaredType found;
    Oid *types, element;
    int count;

    get_func_signature(fcinfo->flinfo->fn_oid, &types, &count);
    element = get_element_type(types[n]);
    found = (DeclaredType){types[n], item_type(OidIsValid(element) ? element : types[n])};
    pfree(types);
    if (cache && n < TYPED_ARGS)
        cache->declared[n] = found;
    return found;
}

static inline DeclaredType
declared(FunctionCallInfo fcinfo, int n)
{
    CallCache *cache = call_cache(fcinfo);

    if (likely(cache && n < TYPED_ARGS && OidIsValid(cache->declared[n].type)))
        return cache->declared[n];
    return declared_type(fcinfo, cache, n);
}

Oid
sketch_declared_type(FunctionCallInfo fcinfo, int n)
{
    return declared(fcinfo, n).type;
}

SketchItemType
sketch_item_type(FunctionCallInfo fcinfo, int n)
{
    return declared(fcinfo, n).item;
}

/* Finds the type that a function was declared to return by its name. */
static const SketchOps *
result_ops(Oid called)
{
    HeapTuple type = SearchSysCache1(TYPEOID, ObjectIdGetDatum(get_func_rettype(called)));
    const SketchOps *found = NULL;

    for (size_t i = 0; HeapTupleIsValid(type) && sketch_ops_at(i); i++)
        if (strcmp(NameStr(((Form_pg_type)GETSTRUCT(type))->typname), sketch_ops_at(i)->name) == 0)
            found = sketch_ops_at(i);
    if (found == NULL)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                        errmsg("a type of the extension sketches was renamed"),
                        errhint("Give it the name back under which it was created.")));
    ReleaseSysCache(type);
    return found;
}

const SketchOps *
sketch_result_ops(FunctionCallInfo fcinfo)
{
    CallCache *cache = call_cache(fcinfo);

    if (cache == NULL)
        return result_ops(fcinfo->flinfo->fn_oid);
    if (cache->result == NULL)
        cache->result = result_ops(fcinfo->flinfo->fn_oid);
    return cache->result;
}

/* A copy in the context of the call, for probes that go anywhere in it. */
static struct varlena *
detoast_for_probes(FunctionCallInfo fcinfo, Datum datum)
{
    MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    struct varlena *value = PG_DETOAST_DATUM(datum);

    MemoryContextSwitchTo(old);
    return value;
}

/*
 * The cached copy of the out-of-line value `datum`, or NULL while reading it piecemeal is cheaper.
 */
static struct varlena *
cached_copy(FunctionCallInfo fcinfo, int n, Datum datum, Size bytes_wanted)
{
    CallCache *cache = n < CACHED_ARGS ? call_cache(fcinfo) : NULL;
    struct varatt_external pointer;
    CachedArg *cached;

    if (cache == NULL)
        return NULL;
    cached = &cache->args[n];
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

    if (sketch_in_aggregate(fcinfo))
        return sketch_any_value(datum);
    if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)))
        copy = cached_copy(fcinfo, n, datum, SIZE_MAX);
    return copy ? refuse_working(checked_value(copy)) : sketch_value(datum);
}

SketchBytes
sketch_packed_arg(FunctionCallInfo fcinfo, int n)
{
    return sketch_pack(sketch_arg(fcinfo, n));
}

bool
sketch_arg_at_hand(FunctionCallInfo fcinfo, int n, Size bytes_wanted, SketchBytes *value,
                   Size *size)
{
    Datum datum = PG_GETARG_DATUM(n);
    struct varlena *copy;

    if (!VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)))
        *value = sketch_value(datum);
    else {
        copy = cached_copy(fcinfo, n, datum, bytes_wanted);
        if (copy == NULL)
            return header_or_packed(datum, sketch_front(fcinfo, n), value, size);
        *value = refuse_working(checked_value(copy));
    }
    if (unlikely(!sketch_is_packed(value->data)))
        *value = sketch_pack(*value);
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

const char *
sketch_shortest(double number)
{
    char *digits = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

    double_to_shortest_decimal_buf(number, digits);
    return digits;
}
