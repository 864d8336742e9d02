/*
 * items.h - items as arguments: the one way in which all types take them.
 *
 * A function of an item is declared in SQL once for each type that the item may come as. Where an
 * item comes as hashed, a cast has made its hash; its text or bytea has the same hash.
 *
 * Functions that do little for an item, such as transitions and probes of a filter, have a C
 * function for each type, which passes it as a constant: everything here is inlined, so that it
 * costs nothing. All others share one C function, which looks the type up (sketch_item_type).
 */
#ifndef ITEMS_H
#define ITEMS_H

#include "glue.h"

#include "core/common/hash.h"
#include "core/common/item.h"
#include "core/common/polled.h"

/* Form of an item argument. */
typedef enum SketchItemType {
    ITEM_HASHED,
    ITEM_SMALLINT,
    ITEM_INTEGER,
    ITEM_BIGINT,
    ITEM_FLOAT8,
    ITEM_TEXT,
    ITEM_BYTEA,
    ITEM_ENUM /* becomes the text of its label */
} SketchItemType;

typedef struct SketchItem {
    SketchItemType type;
    union {
        uint64 hash;       /* hashed */
        int64 integer;     /* smallint, integer, bigint */
        double number;     /* double precision */
        SketchBytes bytes; /* text, bytea */
    };
} SketchItem;

/* A copy of the label of an enum's value. */
extern SketchBytes sketch_enum_label(Oid value);

static pg_attribute_always_inline SketchItem
sketch_item(Datum datum, SketchItemType type)
{
    SketchItem item = {.type = type};

    switch (type) {
    case ITEM_HASHED:
        item.hash = (uint64)DatumGetInt64(datum);
        break;
    case ITEM_SMALLINT:
        item.integer = DatumGetInt16(datum);
        break;
    case ITEM_INTEGER:
        item.integer = DatumGetInt32(datum);
        break;
    case ITEM_BIGINT:
        item.integer = DatumGetInt64(datum);
        break;
    case ITEM_FLOAT8:
        item.number = DatumGetFloat8(datum);
        break;
    case ITEM_TEXT:
    case ITEM_BYTEA:
        item.bytes = sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(datum));
        break;
    case ITEM_ENUM:
        item.type = ITEM_TEXT;
        item.bytes = sketch_enum_label(DatumGetObjectId(datum));
        break;
    }
    return item;
}

/* The form of the item, or of the items of an array, in argument n, by its declared type. */
extern SketchItemType sketch_item_type(FunctionCallInfo fcinfo, int n);

/*
 * Argument n as an array, with the form of its items. An argument of type text is read as text[]:
 * PostgreSQL takes a literal or parameter without a type, such as '{a,b}', for text where arrays of
 * several types would do.
 */
extern ArrayType *sketch_items_arg(FunctionCallInfo fcinfo, int n, SketchItemType *type);

/* Argument n, which is not NULL. */
static pg_attribute_always_inline SketchItem
sketch_item_arg(FunctionCallInfo fcinfo, int n, SketchItemType type)
{
    return sketch_item(PG_GETARG_DATUM(n), type);
}

static inline SketchItem
sketch_hashed_item(uint64 hash)
{
    return (SketchItem){.type = ITEM_HASHED, .hash = hash};
}

/* Reads the next item of an array, skipping NULL; false after the last one. */
static inline bool
sketch_next_item(SketchElements *elements, SketchItemType type, SketchItem *item)
{
    Datum element;

    if (!sketch_next_element(elements, &element))
        return false;
    *item = sketch_item(element, type);
    return true;
}

/*
 * Texts are hashed as UTF-8, so that a sketch answers the same in a database of another encoding.
 * Texts of most databases are UTF-8, or bytes of no encoding (SQL_ASCII): sketch_as_utf8 is true
 * once that is known.
 */
extern bool sketch_as_utf8;

/* Sets and returns sketch_as_utf8. */
extern bool sketch_look_at_encoding(void);

static inline bool
sketch_texts_are_utf8(void)
{
    return likely(sketch_as_utf8) || sketch_look_at_encoding();
}

/* Converts a text of a database of another encoding; one that is ASCII is no copy. */
extern SketchBytes sketch_convert_text(SketchBytes text);

/* Returns a text as UTF-8: the text itself or a copy. */
static inline SketchBytes
sketch_utf8(SketchBytes text)
{
    return sketch_texts_are_utf8() ? text : sketch_convert_text(text);
}

/* Frees `utf8` if it is a copy of `text`. */
static inline void
sketch_free_utf8(SketchBytes utf8, SketchBytes text)
{
    if (unlikely(utf8.data != text.data))
        pfree((void *)utf8.data);
}

/* A text longer than a piece is no form of another type. */
static inline uint64
sketch_hash_utf8(SketchBytes utf8)
{
    if (likely(utf8.size <= POLLED_PIECE))
        return item_hash_text(utf8.data, utf8.size);
    return hash_polled(utf8.data, utf8.size, ITEM_SEED_TEXT, &sketch_memory);
}

/* Hashes a text of a database of another encoding. */
extern uint64 sketch_hash_converted(SketchBytes text);

static inline uint64
sketch_hash_text(SketchBytes text)
{
    return sketch_texts_are_utf8() ? sketch_hash_utf8(text) : sketch_hash_converted(text);
}

/* This extension's hash of an item that comes as hashed, text or bytea. */
static pg_attribute_always_inline uint64
sketch_item_hash(SketchItem item)
{
    if (item.type == ITEM_TEXT)
        return sketch_hash_text(item.bytes);
    if (item.type == ITEM_BYTEA)
        return hash_polled(item.bytes.data, item.bytes.size, ITEM_SEED_BYTEA, &sketch_memory);
    return item.hash;
}

static pg_attribute_always_inline uint64
sketch_item_hash_arg(FunctionCallInfo fcinfo, int n, SketchItemType type)
{
    return sketch_item_hash(sketch_item_arg(fcinfo, n, type));
}

/*
 * Returns the bytes of an item, for a sketch that keeps another system's hash function: of a text
 * those in the database's encoding, since it hashes any bytes as they are. Raises for a hashed one,
 * whose hash is this extension's. Errors call the sketch `sketch` of `system`.
 */
extern SketchBytes sketch_foreign_item(SketchItem item, const char *sketch, const char *system);

/*
 * Functions for adding to a sketch of a type. `empty` makes the replacement of NULL; `add` adds
 * an item to a working value or raises.
 */
typedef struct SketchAdding {
    const SketchOps *ops;
    SketchState (*empty)(void);
    void (*add)(SketchState *state, SketchItem item);
} SketchAdding;

/* A working copy of argument 0, or an empty sketch if that is NULL. */
extern SketchState sketch_open_or_empty(FunctionCallInfo fcinfo, const SketchAdding *adding);

/* T_add(T, item) and T_add_all(T, items), where NULL adds nothing. */
extern Datum sketch_add_item(FunctionCallInfo fcinfo, const SketchAdding *adding);
extern Datum sketch_add_items(FunctionCallInfo fcinfo, const SketchAdding *adding);

/*
 * An aggregate of hashes of items. `begin` makes the state of the first item of a group, by the
 * parameters from argument 2 on if there are any; `check` raises if those of a later row are not
 * the state's. `add` adds to a state in place, or returns false where `insert` has to make room.
 */
typedef struct SketchAggregate {
    const SketchOps *ops;
    uint64 (*hash)(SketchItem item);
    SketchState (*begin)(FunctionCallInfo fcinfo);
    void (*check)(FunctionCallInfo fcinfo);
    bool (*add)(SketchState state, uint64 hash);
    void (*insert)(SketchState *state, uint64 hash);
} SketchAggregate;

/* Adds to a state that has no room or does not exist; and with parameters, which are checked. */
extern Datum sketch_aggregate_slow(FunctionCallInfo fcinfo, const SketchAggregate *aggregate,
                                   uint64 hash);
extern Datum sketch_aggregate_checked(FunctionCallInfo fcinfo, const SketchAggregate *aggregate,
                                      uint64 hash);

/*
 * Transition (state, item [, parameters]). Adding to a state in place is what happens per row:
 * `aggregate` and `type` are constants, so that all of it is inlined where there are no parameters.
 */
static pg_attribute_always_inline Datum
sketch_aggregate_item(FunctionCallInfo fcinfo, const SketchAggregate *aggregate,
                      SketchItemType type)
{
    uint64 hash;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    hash = aggregate->hash(sketch_item_arg(fcinfo, 1, type));
    if (PG_NARGS() > 2)
        return sketch_aggregate_checked(fcinfo, aggregate, hash);
    if (!PG_ARGISNULL(0)) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && aggregate->add(state, hash))
            return PG_GETARG_DATUM(0);
    }
    return sketch_aggregate_slow(fcinfo, aggregate, hash);
}

#endif
