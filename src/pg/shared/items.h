/*
 * items.h - the hashes of items, which come as hashed or as text.
 *
 * Every function of an item is bound for both: a text and its cast to hashed have one hash.
 */
#ifndef ITEMS_H
#define ITEMS_H

#include "glue.h"

#include "core/common/hash.h"

static inline uint64
sketch_text_hash(Datum item)
{
    const struct varlena *text = (const struct varlena *)PG_DETOAST_DATUM_PACKED(item);

    return hash_bytes(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text));
}

static inline uint64
sketch_item_hash(Datum item, bool is_text)
{
    return is_text ? sketch_text_hash(item) : (uint64)DatumGetInt64(item);
}

#endif
