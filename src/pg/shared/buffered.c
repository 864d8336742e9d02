/*
 * buffered.c - states of many groups. What for: buffered.h.
 */
#include "buffered.h"

#include "utils/memutils.h"

/* Fewer groups stay in the caches anyway, and smaller states share pages anyway. */
#define GROUPS_MIN 256
#define STATE_BYTES_MIN 1024

/* Buffers are allocated in blocks, aligned to cache lines. None is freed before the context. */
#define BLOCK_BYTES 32768
#define LINE_BYTES 64

typedef struct Pool {
    char identifier[8]; /* of the context: a string */
    char *free, *end;
} Pool;

#define POOL_NAME "sketches of groups"

/* ---- moving rows on, and flattening ---- */

static SketchState
state_of(const SketchBuffer *buffer)
{
    return (SketchState){(uint8_t *)VARDATA(buffer->state), VARSIZE(buffer->state) - VARHDRSZ};
}

SketchBuffer *
sketch_buffer_of_any(Datum datum)
{
    SketchBuffer *buffer;

    if (!VARATT_IS_EXTERNAL_EXPANDED_RW((struct varlena *)DatumGetPointer(datum)))
        return NULL;
    buffer = (SketchBuffer *)DatumGetEOHP(datum);
    return buffer->header.eoh_methods->flatten_into == sketch_buffer_flatten ? buffer : NULL;
}

void
sketch_buffer_flush(SketchBuffer *buffer)
{
    const SketchBufferType *type = (const SketchBufferType *)buffer->header.eoh_methods;
    struct varlena *before = buffer->state;
    SketchState state = state_of(buffer);
    MemoryContext caller;

    if (buffer->count == 0)
        return;
    caller = MemoryContextSwitchTo(buffer->header.eoh_context);
    type->flush(&state, buffer->bytes, buffer->used, buffer->count);
    buffer->used = buffer->count = 0;
    if ((uint8_t *)VARDATA(before) != state.data) {
        buffer->state = (struct varlena *)DatumGetPointer(sketch_datum(state.data));
        pfree(before);
    }
    MemoryContextSwitchTo(caller);
}

Size
sketch_buffer_flat_size(ExpandedObjectHeader *header)
{
    SketchBuffer *buffer = (SketchBuffer *)header;

    sketch_buffer_flush(buffer);
    return VARSIZE(buffer->state);
}

void
sketch_buffer_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
    memcpy(result, ((SketchBuffer *)header)->state, size);
}

/* ---- making ---- */

/* The context of all buffers of an aggregate node, below the context of its states. */
static MemoryContext
pool_context(MemoryContext states)
{
    MemoryContext context, caller;
    Pool *pool;

    for (context = states->firstchild; context; context = context->nextchild)
        if (strcmp(context->name, POOL_NAME) == 0)
            return context;
    context = AllocSetContextCreate(states, POOL_NAME, ALLOCSET_DEFAULT_SIZES);
    caller = MemoryContextSwitchTo(context);
    pool = palloc0(sizeof *pool);
    MemoryContextSetIdentifier(context, pool->identifier);
    MemoryContextSwitchTo(caller);
    return context;
}

static SketchBuffer *
new_buffer(MemoryContext context)
{
    Pool *pool = (Pool *)context->ident;
    SketchBuffer *buffer;

    if ((Size)(pool->end - pool->free) < sizeof *buffer) {
        char *block = MemoryContextAlloc(context, BLOCK_BYTES + LINE_BYTES);

        pool->free = (char *)TYPEALIGN(LINE_BYTES, (uintptr_t)block);
        pool->end = pool->free + BLOCK_BYTES;
    }
    buffer = (SketchBuffer *)pool->free;
    pool->free += sizeof *buffer;
    return buffer;
}

static struct varlena *
copy_state(SketchState state, MemoryContext context)
{
    struct varlena *copy = MemoryContextAlloc(context, state.size + VARHDRSZ);

    memcpy(copy, state.data - VARHDRSZ, state.size + VARHDRSZ);
    return copy;
}

/* Whether this is one of many groups that get rows in turn, and where their states are. */
static bool
many_groups(FunctionCallInfo fcinfo, MemoryContext *states)
{
    const AggState *aggregate = (const AggState *)fcinfo->context;

    return AggCheckCallContext(fcinfo, states) == AGG_CONTEXT_AGGREGATE &&
           aggregate->curaggcontext == aggregate->hashcontext &&
           aggregate->hash_ngroups_current >= GROUPS_MIN;
}

SketchState
sketch_buffer_open(SketchBuffer *buffer)
{
    sketch_buffer_flush(buffer);
    return state_of(buffer);
}

void
sketch_buffer_replace(SketchBuffer *buffer, SketchState state)
{
    struct varlena *before = buffer->state;

    if (state.data == (uint8_t *)VARDATA(before))
        return;
    buffer->state = copy_state(state, buffer->header.eoh_context);
    pfree(before);
}

Datum
sketch_buffer_state(FunctionCallInfo fcinfo, SketchState state, uint32 parameter,
                    const SketchBufferType *type)
{
    MemoryContext states, context;
    SketchBuffer *buffer;

    if (!PG_ARGISNULL(0) && sketch_buffer_of_any(PG_GETARG_DATUM(0)))
        return sketch_aggregate_result(fcinfo, state);
    if (state.size < STATE_BYTES_MIN || !many_groups(fcinfo, &states))
        return sketch_datum(state.data);
    context = pool_context(states);
    buffer = new_buffer(context);
    EOH_init_header(&buffer->header, &type->methods, context);
    buffer->state = copy_state(state, context);
    buffer->parameter = parameter;
    buffer->used = buffer->count = 0;
    return EOHPGetRWDatum(&buffer->header);
}
