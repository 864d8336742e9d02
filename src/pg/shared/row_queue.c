/*
 * row_queue.c - see row_queue.h. Serves no SQL object by itself.
 */
#include "row_queue.h"

#include "utils/datum.h"
#include "utils/lsyscache.h"

#define CHUNK_SLOTS 400

typedef enum RowSlotHolds { HOLDS_NULL, HOLDS_NUMBER, HOLDS_VALUE, HOLDS_POINTER } RowSlotHolds;

StaticAssertDecl(sizeof(RowSlot) == 20, "slots are not padded");

void
row_queue_begin(RowQueue *queue, FunctionCallInfo fcinfo, MemoryContext memory)
{
    int arguments = PG_NARGS() - 1;

    if (arguments < 1 || arguments > ROW_ARGUMENTS)
        elog(ERROR, "aggregate has %d arguments", arguments);
    *queue = (RowQueue){
        .memory = memory, .arguments = arguments, .chunk_rows = CHUNK_SLOTS / arguments, .room = 8};
    for (int i = 0; i < arguments; i++)
        get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, i + 1), &queue->length[i],
                        &queue->by_value[i]);
    queue->chunk = MemoryContextAlloc(memory, queue->room * sizeof *queue->chunk);
}

static inline RowSlot *
slots_of(const RowQueue *queue, uint64 row)
{
    uint64 i = row - queue->base;

    return queue->chunk[i / queue->chunk_rows] + i % queue->chunk_rows * queue->arguments;
}

static void
add_chunk(RowQueue *queue)
{
    if (queue->chunks == queue->room) {
        queue->room *= 2;
        queue->chunk = repalloc_huge(queue->chunk, queue->room * sizeof *queue->chunk);
    }
    queue->chunk[queue->chunks++] =
        MemoryContextAlloc(queue->memory, CHUNK_SLOTS * sizeof(RowSlot));
}

static void
remove_chunk(RowQueue *queue)
{
    pfree(queue->chunk[0]);
    memmove(queue->chunk, queue->chunk + 1, --queue->chunks * sizeof *queue->chunk);
    queue->base += queue->chunk_rows;
}

/* Returns true if a value fits a slot: it is short and complete in itself. */
static bool
fits_slot(Datum value, int16 length)
{
    const void *bytes = DatumGetPointer(value);

    if (length != -1 || (VARATT_IS_EXTERNAL(bytes) && !VARATT_IS_EXTERNAL_ONDISK(bytes)))
        return false;
    return VARSIZE_ANY(bytes) <= sizeof((RowSlot *)NULL)->bytes;
}

static void
write_slot(RowQueue *queue, RowSlot *slot, NullableDatum argument, int i)
{
    if (argument.isnull)
        slot->holds = HOLDS_NULL;
    else if (!queue->by_value[i] && fits_slot(argument.value, queue->length[i])) {
        slot->holds = HOLDS_VALUE;
        memcpy(slot->bytes, DatumGetPointer(argument.value),
               VARSIZE_ANY(DatumGetPointer(argument.value)));
    } else {
        Datum value = datumCopy(argument.value, queue->by_value[i], queue->length[i]);

        slot->holds = queue->by_value[i] ? HOLDS_NUMBER : HOLDS_POINTER;
        memcpy(slot->bytes, &value, sizeof value);
    }
}

static Datum
datum_in(const RowSlot *slot)
{
    Datum value;

    memcpy(&value, slot->bytes, sizeof value);
    return value;
}

void
row_queue_add(RowQueue *queue, FunctionCallInfo fcinfo)
{
    MemoryContext caller = MemoryContextSwitchTo(queue->memory);
    RowSlot *slot;

    if (queue->end - queue->base == queue->chunks * queue->chunk_rows)
        add_chunk(queue);
    slot = slots_of(queue, queue->end);
    for (int i = 0; i < queue->arguments; i++)
        write_slot(queue, &slot[i], fcinfo->args[i + 1], i);
    queue->end++;
    MemoryContextSwitchTo(caller);
}

void
row_queue_remove(RowQueue *queue)
{
    const RowSlot *slot = slots_of(queue, queue->first++);

    for (int i = 0; i < queue->arguments; i++)
        if (slot[i].holds == HOLDS_POINTER)
            pfree(DatumGetPointer(datum_in(&slot[i])));
    if (queue->first - queue->base == queue->chunk_rows)
        remove_chunk(queue);
}

void
row_queue_read(const RowQueue *queue, uint64 row, NullableDatum *arguments)
{
    const RowSlot *slot = slots_of(queue, row);

    for (int i = 0; i < queue->arguments; i++) {
        arguments[i].isnull = slot[i].holds == HOLDS_NULL;
        arguments[i].value = slot[i].holds == HOLDS_NULL    ? (Datum)0
                             : slot[i].holds == HOLDS_VALUE ? PointerGetDatum(slot[i].bytes)
                                                            : datum_in(&slot[i]);
    }
}
