/*
 * shift.c - moving all values of a set.
 *
 * A container that is moved by a part of its 65536 values falls into two. The second part waits for
 * the first part of the next container, whose values are all greater, or until its key has been
 * passed. Arrays wait as a list, other forms as bits.
 */
#include "roaring_internal.h"

typedef struct Shift {
    RoaringWriter writer;
    int64_t key;                             /* of the list, or of the lower bits */
    uint64_t bits[2 * ROARING_BITSET_WORDS]; /* lower, upper */
    bool any;                                /* whether there are bits */
    uint32_t count;                          /* of the list */
    uint8_t lows[ROARING_LOW_BYTES * 2 * ROARING_ARRAY_MAX];
} Shift;

/* Writes a container, unless its key has left the range of the type. */
static void
write_in_range(RoaringWriter *writer, RoaringContainer container, int64_t key,
               void (*write)(RoaringWriter *, const RoaringContainer *))
{
    if (key < 0 || (uint64_t)key > roaring_value_max(writer->kind) >> 16)
        return;
    container.key = (uint64_t)key;
    write(writer, &container);
}

static RoaringContainer
list_of(const Shift *shift)
{
    return (RoaringContainer){.form = ROARING_ARRAY, .count = shift->count, .data = shift->lows};
}

static void
write_list(Shift *shift)
{
    RoaringContainer list = list_of(shift);

    if (shift->count > 0)
        write_in_range(&shift->writer, list, shift->key, roaring_write_copy);
    shift->count = 0;
}

/* Writes what lies below `key`. */
static void
write_below(Shift *shift, int64_t key)
{
    uint64_t *lower = shift->bits, *upper = shift->bits + ROARING_BITSET_WORDS;

    if (shift->key < key)
        write_list(shift);
    for (unsigned i = 0; i < 2 && shift->any && shift->key < key; i++, shift->key++) {
        RoaringContainer container = {.form = ROARING_WORDS, .data = (const uint8_t *)lower};

        write_in_range(&shift->writer, container, shift->key, roaring_write_copy);
        memcpy(lower, upper, ROARING_BITSET_BYTES);
        memset(upper, 0, ROARING_BITSET_BYTES);
        shift->any = i == 0;
    }
    shift->key = key;
}

static inline void
add_to_list(Shift *shift, uint32_t low)
{
    roaring_put_low(shift->lows, shift->count++, low);
}

/* Adds an array at `key`, its values moved up by `by`, 1 to 65535; no bits wait. */
static void
move_array(Shift *shift, const RoaringContainer *array, uint32_t by)
{
    uint32_t i = 0;

    for (; i < array->count && roaring_listed(array, i) + by < 65536; i++)
        add_to_list(shift, roaring_listed(array, i) + by);
    write_list(shift);
    shift->key++;
    for (; i < array->count; i++)
        add_to_list(shift, roaring_listed(array, i) + by - 65536);
}

/* Adds the values of a container of any form, moved up by `by`, to the bits that wait. */
static void
move_bits(Shift *shift, const RoaringContainer *container, uint32_t by, uint64_t *scratch)
{
    unsigned words = by >> 6, bits = by & 63;
    RoaringContainer list = list_of(shift);

    roaring_change_bitset(shift->bits, &list, ROARING_SET);
    shift->count = 0;
    roaring_load_bitset(scratch, container);
    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
        shift->bits[i + words] |= scratch[i] << bits;
        if (bits > 0)
            shift->bits[i + words + 1] |= scratch[i] >> (64 - bits);
    }
    shift->any = true;
}

bool
roaring_shift(SketchBytes value, int64_t offset, const SketchMemory *memory, SketchBytes *shifted)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;
    int64_t keys = offset >> 16; /* rounded down */
    uint32_t by = offset & 65535;
    Shift *shift = memory->scratch(sizeof *shift, memory->context);
    uint64_t *scratch = memory->scratch(ROARING_BITSET_BYTES, memory->context);
    bool good;

    shift->writer = roaring_writer((SketchKind)value.data[0], roaring_expected(value), memory);
    memset(shift->bits, 0, sizeof shift->bits);
    shift->any = false;
    shift->count = 0;
    shift->key = INT64_MIN;
    while (roaring_next(&cursor, &container)) {
        int64_t key = (int64_t)container.key + keys;

        if (by == 0) {
            write_in_range(&shift->writer, container, key, roaring_write_packed);
            continue;
        }
        write_below(shift, key);
        if (container.form == ROARING_ARRAY && !shift->any)
            move_array(shift, &container, by);
        else
            move_bits(shift, &container, by, scratch);
    }
    write_below(shift, INT64_MAX);
    good = !cursor.damaged;
    if (good)
        *shifted = roaring_write(&shift->writer);
    else
        roaring_discard(&shift->writer);
    memory->release(scratch, memory->context);
    memory->release(shift, memory->context);
    return good;
}
