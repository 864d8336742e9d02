/*
 * items.h - the hashes of items, which come as hashed or as text.
 *
 * Every function of an item is bound for both: a text and its cast to hashed have one hash.
 */
#ifndef ITEMS_H
#define ITEMS_H

#include "glue.h"

#include "core/common/hash.h"
#include "core/common/item.h"
#include "core/common/polled.h"

static inline uint64
sketch_hash_bytea(const void *bytes, Size size)
{
    return hash_polled(bytes, size, ITEM_SEED_BYTEA, &sketch_memory);
}

/* A text longer than a piece is no form of another type. */
static inline uint64
sketch_hash_text(const void *text, Size size)
{
    if (likely(size <= POLLED_PIECE))
        return item_hash_text(text, size);
    return hash_polled(text, size, ITEM_SEED_TEXT, &sketch_memory);
}

static inline uint64
sketch_text_hash(Datum item)
{
    const struct varlena *text = (const struct varlena *)PG_DETOAST_DATUM_PACKED(item);

    return sketch_hash_text(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text));
}

static inline uint64
sketch_item_hash(Datum item, bool is_text)
{
    return is_text ? sketch_text_hash(item) : (uint64)DatumGetInt64(item);
}

#endif
