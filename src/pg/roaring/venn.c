/*
 * venn.c - many sets held against one another.
 *
 * SQL objects served, each for both types:
 *   roaring_venn(VARIADIC roaring[])   rows: the sets that values are in, and these values
 *   roaring_intersection_count_agg     the number of values that are in the union of each tag, with
 *   (roaring, text, text[])            _roaring_tags_state, _combine, _serial, _deserial and _final
 *
 * A NULL set is empty. The aggregate's state is internal: a union for each tag.
 */
#include "roaring_pg.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"

/* ---- roaring_venn ---- */

typedef struct Regions {
    RoaringVenn *venn;
    size_t sets;
} Regions;

static void *
begin_regions(FunctionCallInfo fcinfo)
{
    /* A copy: the argument need not outlive the first call. */
    ArrayType *array = PG_GETARG_ARRAYTYPE_P_COPY(0);
    int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    ArrayIterator iterator = array_create_iterator(array, 0, NULL);
    Regions *regions = palloc(sizeof *regions);
    SketchKind kind = SKETCH_ROARING;
    SketchBytes *sets;
    Datum element;
    bool is_null;

    if (count > ROARING_VENN_SETS_MAX)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%d sets are too many", count),
                 errdetail("At most %d are allowed.", ROARING_VENN_SETS_MAX)));
    sets = palloc0(Max(count, 1) * sizeof *sets);
    for (int i = 0; i < count && array_iterate(iterator, &element, &is_null); i++) {
        CHECK_FOR_INTERRUPTS();
        if (is_null)
            continue;
        sets[i] = sketch_pack(sketch_value(element));
        kind = roaring_kind(sets[i]);
    }
    regions->sets = (size_t)count;
    regions->venn = roaring_venn(kind, sets, regions->sets, &sketch_memory);
    if (regions->venn == NULL)
        sketch_raise_damaged();
    return regions;
}

static bool
next_region(void *state, Datum *values, bool *nulls)
{
    const Regions *regions = state;
    const uint64_t *members;
    SketchBytes set;
    Datum *numbers;
    int count = 0;

    CHECK_FOR_INTERRUPTS();
    if (!roaring_next_region(regions->venn, &members, &set))
        return false;
    numbers = palloc(regions->sets * sizeof *numbers);
    for (size_t i = 0; i < regions->sets; i++)
        if (members[i / 64] >> (i % 64) & 1)
            numbers[count++] = Int32GetDatum((int32)i + 1);
    values[0] = PointerGetDatum(construct_array(numbers, count, INT4OID, sizeof(int32), true, 'i'));
    values[1] = sketch_datum(set.data);
    return true;
}

SQL_FUNCTION(sketches_roaring_venn, sketch_rows(fcinfo, begin_regions, next_region));

/* ---- roaring_intersection_count_agg ---- */

#define MAX_TAGS 1000 /* each row is compared with all */

typedef struct TagUnion {
    text *name;
    SketchState values; /* data NULL: no set had the tag */
} TagUnion;

typedef struct Tags {
    MemoryContext context;
    ArrayType *given;
    int count;
    TagUnion tag[];
} Tags;

static int
find_tag(const Tags *tags, const text *name)
{
    for (int i = 0; i < tags->count; i++)
        if (VARSIZE_ANY_EXHDR(tags->tag[i].name) == VARSIZE_ANY_EXHDR(name) &&
            memcmp(VARDATA_ANY(tags->tag[i].name), VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)) == 0)
            return i;
    return -1;
}

/* Reads an array of tags, each once; NULL elements are skipped. */
static Tags *
new_tags(ArrayType *given, MemoryContext context)
{
    MemoryContext old = MemoryContextSwitchTo(context);
    int most = ArrayGetNItems(ARR_NDIM(given), ARR_DIMS(given));
    Tags *tags = palloc(offsetof(Tags, tag) + (Size)most * sizeof(TagUnion));
    SketchElements elements;
    Datum element;

    if (most > MAX_TAGS)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%d tags are too many", most),
                 errdetail("At most %d are allowed.", MAX_TAGS)));
    tags->context = context;
    tags->count = 0;
    tags->given = palloc(VARSIZE(given));
    memcpy(tags->given, given, VARSIZE(given));
    elements = sketch_elements(tags->given);
    while (sketch_next_element(&elements, &element))
        if (find_tag(tags, DatumGetTextPP(element)) < 0)
            tags->tag[tags->count++] = (TagUnion){.name = DatumGetTextPP(element)};
    MemoryContextSwitchTo(old);
    return tags;
}

static void
check_same_tags(const Tags *tags, const ArrayType *given)
{
    if (VARSIZE(tags->given) != VARSIZE(given) || memcmp(tags->given, given, VARSIZE(given)) != 0)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("tags differ within a group"),
                 errdetail("All rows of a group must have the same array of tags.")));
}

static void
add_to_tag(Tags *tags, int i, SketchBytes set)
{
    MemoryContext old = MemoryContextSwitchTo(tags->context);
    SketchState *values = &tags->tag[i].values;
    uint8_t *before = values->data;

    if (before == NULL)
        *values = roaring_new(roaring_kind(set), false, &sketch_memory);
    sketch_merge(values, set);
    if (before && values->data != before)
        pfree(before - SKETCH_PREFIX_BYTES);
    MemoryContextSwitchTo(old);
}

static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
    MemoryContext context;

    if (!AggCheckCallContext(fcinfo, &context))
        elog(ERROR, "called outside of an aggregate");
    return context;
}

PG_FUNCTION_INFO_V1(sketches_roaring_tags_state);
Datum
sketches_roaring_tags_state(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_context(fcinfo);
    Tags *tags = PG_ARGISNULL(0) ? NULL : (Tags *)PG_GETARG_POINTER(0);
    ArrayType *given;
    int i;

    sketch_check_not_null(fcinfo, 3, "tags");
    given = PG_GETARG_ARRAYTYPE_P(3);
    if (tags == NULL)
        tags = new_tags(given, context);
    else
        check_same_tags(tags, given);
    if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2)) {
        i = find_tag(tags, PG_GETARG_TEXT_PP(2));
        if (i >= 0)
            add_to_tag(tags, i, sketch_value(PG_GETARG_DATUM(1)));
    }
    PG_RETURN_POINTER(tags);
}

PG_FUNCTION_INFO_V1(sketches_roaring_tags_combine);
Datum
sketches_roaring_tags_combine(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_context(fcinfo);
    Tags *tags = PG_ARGISNULL(0) ? NULL : (Tags *)PG_GETARG_POINTER(0), *other;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    other = (Tags *)PG_GETARG_POINTER(1);
    if (tags == NULL)
        tags = new_tags(other->given, context);
    check_same_tags(tags, other->given);
    for (int i = 0; i < tags->count; i++)
        if (other->tag[i].values.data)
            add_to_tag(tags, i, sketch_bytes(other->tag[i].values));
    PG_RETURN_POINTER(tags);
}

/* The array of tags, then the packed union of each tag, or nothing; lengths are 4 bytes. */
PG_FUNCTION_INFO_V1(sketches_roaring_tags_serial);
Datum
sketches_roaring_tags_serial(PG_FUNCTION_ARGS)
{
    const Tags *tags = (const Tags *)PG_GETARG_POINTER(0);
    StringInfoData buffer;

    pq_begintypsend(&buffer);
    pq_sendint32(&buffer, VARSIZE(tags->given));
    pq_sendbytes(&buffer, (const char *)tags->given, VARSIZE(tags->given));
    for (int i = 0; i < tags->count; i++) {
        SketchBytes set = {NULL, 0};

        if (tags->tag[i].values.data)
            set = sketch_pack(sketch_bytes(tags->tag[i].values));
        pq_sendint32(&buffer, (uint32)set.size);
        pq_sendbytes(&buffer, (const char *)set.data, (int)set.size);
    }
    PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

PG_FUNCTION_INFO_V1(sketches_roaring_tags_deserial);
Datum
sketches_roaring_tags_deserial(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_context(fcinfo);
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    StringInfoData buffer;
    ArrayType *given;
    Tags *tags;
    int size;

    initStringInfo(&buffer);
    appendBinaryStringInfo(&buffer, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
    size = pq_getmsgint(&buffer, 4);
    given = palloc(size);
    memcpy(given, pq_getmsgbytes(&buffer, size), size);
    tags = new_tags(given, context);
    for (int i = 0; i < tags->count; i++) {
        size = pq_getmsgint(&buffer, 4);
        if (size > 0)
            add_to_tag(tags, i,
                       (SketchBytes){(const uint8_t *)pq_getmsgbytes(&buffer, size), size});
    }
    pq_getmsgend(&buffer);
    PG_RETURN_POINTER(tags);
}

PG_FUNCTION_INFO_V1(sketches_roaring_tags_final);
Datum
sketches_roaring_tags_final(PG_FUNCTION_ARGS)
{
    const Tags *tags;
    SketchBytes all = {NULL, 0};

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    tags = (const Tags *)PG_GETARG_POINTER(0);
    for (int i = 0; i < tags->count; i++) {
        SketchBytes next;

        if (tags->tag[i].values.data == NULL)
            PG_RETURN_INT64(0);
        next = sketch_pack(sketch_bytes(tags->tag[i].values));
        all = all.data ? roaring_op(ROARING_AND, all, next) : next;
    }
    PG_RETURN_INT64(all.data ? roaring_cardinality(all, &sketch_memory) : 0);
}
