/*
 * probe.c - asking a cuckoo filter about items.
 *
 * SQL objects served, all STRICT: cuckoo_contains and operator @>, cuckoo_count,
 * cuckoo_contains_each, which answers NULL for NULL.
 */
#include "cuckoo.h"

#include "access/heaptoast.h"
#include "catalog/pg_type.h"

/*
 * A filter for many probes: all of it, or a value out of line, of which every probe fetches the
 * bucket it needs.
 */
typedef struct Prober {
    CuckooView view;
    Datum datum; /* out of line: where from, and its size; the view has no data then */
    Size size;
} Prober;

/* Chunks fetched by a probe: that of the header, and two with the bucket. */
#define PROBE_BYTES (3 * (Size)TOAST_MAX_CHUNK_SIZE)

/* Probes a filter stored out of line by its header. */
static Prober
prober_out_of_line(Datum datum, SketchBytes header, Size size)
{
    Prober prober = {.view = cuckoo_view(header, &sketch_memory), .datum = datum, .size = size};

    prober.view.data = NULL;
    return prober;
}

/* For many probes of argument 0. */
static Prober
open_prober(FunctionCallInfo fcinfo, int64 probes)
{
    SketchBytes value;
    Size size;

    if (sketch_arg_at_hand(fcinfo, 0, (Size)Min(probes, 1 << 18) * PROBE_BYTES, &value, &size))
        return (Prober){.view = cuckoo_view(value, &sketch_memory)};
    return prober_out_of_line(PG_GETARG_DATUM(0), value, size);
}

/*
 * A bucket goes on behind its slots if many items come before it; one in some hundred goes on far.
 * This reads the chunk that a bucket begins in and the next one, which leaves one bucket in many
 * thousands that needs more.
 */
static pg_noinline uint64
count_in_slice(Prober *prober, uint64 hash)
{
    CuckooView *view = &prober->view;
    Size wanted;
    uint64 count;

    if (view->layout.items == 0)
        return 0;
    view->offset = cuckoo_probe_offset(&view->layout, hash);
    wanted = Max(cuckoo_probe_size(&view->layout),
                 2 * TOAST_MAX_CHUNK_SIZE - view->offset % TOAST_MAX_CHUNK_SIZE);
    for (;; wanted *= 4) {
        SketchBytes slice;

        if (view->offset >= prober->size)
            sketch_raise_damaged();
        wanted = Min(wanted, prober->size - view->offset);
        slice = sketch_slice(prober->datum, view->offset, wanted);
        view->data = slice.data;
        view->size = slice.size;
        count = cuckoo_count(view, hash);
        view->data = NULL;
        pfree((void *)DatumGetPointer(sketch_datum(slice.data)));
        if (!view->missing)
            return count;
        if (wanted == prober->size - view->offset)
            sketch_raise_damaged();
    }
}

static uint64
probe(Prober *prober, uint64 hash)
{
    uint64 count;

    if (prober->view.data == NULL)
        return count_in_slice(prober, hash);
    count = cuckoo_count(&prober->view, hash);
    if (prober->view.missing)
        sketch_raise_damaged();
    return count;
}

static pg_noinline uint64
count_out_of_line(Datum datum, SketchBytes header, Size size, uint64 hash)
{
    Prober prober = prober_out_of_line(datum, header, size);

    return count_in_slice(&prober, hash);
}

/* One probe of argument n. It happens per row, so a value at hand takes the short way. */
static inline uint64
probe_once(FunctionCallInfo fcinfo, int n, uint64 hash)
{
    SketchBytes value;
    uint64 count;
    Size size;

    if (!sketch_arg_at_hand(fcinfo, n, PROBE_BYTES, &value, &size))
        return count_out_of_line(PG_GETARG_DATUM(n), value, size, hash);
    if (!cuckoo_count_packed(value, hash, &count, &sketch_memory))
        sketch_raise_damaged();
    return count;
}

bool
cuckoo_arg_has(FunctionCallInfo fcinfo, uint64 hash)
{
    return probe_once(fcinfo, 0, hash) > 0;
}

/* Returns true if the filter in argument n has the item in the other argument. */
static pg_attribute_always_inline Datum
item_contains(FunctionCallInfo fcinfo, int n, SketchItemType type)
{
    PG_RETURN_BOOL(probe_once(fcinfo, n, sketch_item_hash_arg(fcinfo, 1 - n, type)) > 0);
}

SQL_FUNCTION(sketches_cuckoo_contains, item_contains(fcinfo, 0, ITEM_HASHED));
SQL_FUNCTION(sketches_cuckoo_contains_text, item_contains(fcinfo, 0, ITEM_TEXT));
SQL_FUNCTION(sketches_cuckoo_contains_enum, item_contains(fcinfo, 0, ITEM_ENUM));

/* Whether the filter contains the item, with the item first. */
SQL_FUNCTION(sketches_cuckoo_contained, item_contains(fcinfo, 1, ITEM_HASHED));
SQL_FUNCTION(sketches_cuckoo_contained_text, item_contains(fcinfo, 1, ITEM_TEXT));
SQL_FUNCTION(sketches_cuckoo_contained_enum, item_contains(fcinfo, 1, ITEM_ENUM));

static pg_attribute_always_inline Datum
item_count(FunctionCallInfo fcinfo, SketchItemType type)
{
    PG_RETURN_INT64((int64)probe_once(fcinfo, 0, sketch_item_hash_arg(fcinfo, 1, type)));
}

SQL_FUNCTION(sketches_cuckoo_count, item_count(fcinfo, ITEM_HASHED));
SQL_FUNCTION(sketches_cuckoo_count_text, item_count(fcinfo, ITEM_TEXT));
SQL_FUNCTION(sketches_cuckoo_count_enum, item_count(fcinfo, ITEM_ENUM));

typedef struct Probes {
    Prober prober;
    SketchItemType type;
} Probes;

static bool
probe_item(void *context, Datum item, Datum *answer)
{
    Probes *probes = context;

    *answer =
        BoolGetDatum(probe(&probes->prober, sketch_item_hash(sketch_item(item, probes->type))) > 0);
    return true;
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_contains_each);
Datum
sketches_cuckoo_contains_each(PG_FUNCTION_ARGS)
{
    SketchItemType type;
    ArrayType *items = sketch_items_arg(fcinfo, 1, &type);
    int count = ArrayGetNItems(ARR_NDIM(items), ARR_DIMS(items));
    Probes probes = {open_prober(fcinfo, count), type};

    return sketch_answer_each(items, BOOLOID, probe_item, &probes);
}
