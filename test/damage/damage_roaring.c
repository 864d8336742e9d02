/*
 * damage_roaring.c - values of roaring and roaring64.
 */
#include "damage.h"

#include "core/roaring/roaring.h"

/* ---- good values ---- */

/* Containers of every form: single values, runs, and bits of every second value. */
static SketchBytes
mixed(SketchKind kind, unsigned singles, unsigned runs, unsigned bits)
{
    uint64_t high = kind == SKETCH_ROARING ? 0 : UINT64_C(5) << 32;
    SketchState state = roaring_new(kind, false, &damage_memory);

    for (unsigned i = 0; i < singles; i++)
        roaring_insert(&state, high + i * 70007, &damage_memory);
    for (unsigned i = 0; i < runs; i++)
        for (unsigned j = 0; j < 50; j++)
            roaring_insert(&state, 5000000 + i * 100 + j, &damage_memory);
    for (unsigned i = 0; i < bits; i++)
        roaring_insert(&state, 9 * 65536 + i * 2, &damage_memory);
    return damage_result(state);
}

static void
make_kind(SketchKind kind)
{
    damage_value("few", mixed(kind, 5, 0, 0));
    damage_value("runs", mixed(kind, 3, 20, 0));
    damage_value("arrays and runs", mixed(kind, 200, 60, 700));
    damage_value("bits", mixed(kind, 2, 1, 5000));
}

static void
make(void)
{
    make_kind(SKETCH_ROARING);
}

static void
make64(void)
{
    make_kind(SKETCH_ROARING64);
}

/* ---- calls ---- */

static const uint64_t wanted[] = {0, 70007, 589826, 5000049, UINT32_MAX, INT64_MAX, UINT64_MAX};
enum { WANTED = sizeof wanted / sizeof wanted[0] };

static void
probe(SketchBytes packed)
{
    uint64_t found;
    bool there;

    for (unsigned i = 0; i < WANTED; i++) {
        damage_expect(roaring_contains(packed, wanted[i], &there));
        damage_expect(roaring_rank(packed, wanted[i], &damage_memory, &found));
        roaring_next_value(packed, wanted[i], true, &damage_memory, &found);
        roaring_next_value(packed, wanted[i], false, &damage_memory, &found);
    }
}

static SketchBytes
read_piece(const void *source, size_t offset, size_t length)
{
    return damage_slice(*(const SketchBytes *)source, offset, length);
}

static void
probe_out_of_line(SketchBytes value)
{
    RoaringPieces pieces = {.size = value.size,
                            .first = damage_slice(value, 0, ROARING_PIECE_BYTES),
                            .read = read_piece,
                            .source = &value};
    bool there;

    for (unsigned i = 0; i < WANTED; i++)
        damage_expect(roaring_lookup(&pieces, wanted[i], &there));
}

static void
select_ranks(SketchBytes packed)
{
    uint64_t cardinality = (uint64_t)roaring_cardinality(packed, &damage_memory), found;

    roaring_select(packed, 0, &damage_memory, &found);
    roaring_select(packed, cardinality / 2, &damage_memory, &found);
    roaring_select(packed, cardinality - 1, &damage_memory, &found);
}

static void
list(SketchBytes packed, bool reverse)
{
    RoaringCursor cursor = roaring_cursor(packed, reverse, &damage_memory);
    RoaringContainer container;
    uint16_t lows[65536];

    while (roaring_next(&cursor, &container))
        roaring_decode(&container, lows);
    damage_expect(!cursor.damaged);
}

static void
write_portable(SketchBytes packed)
{
    size_t size = roaring_portable_bytes(packed);

    damage_expect(size > 0);
    roaring_to_portable(packed, damage_memory.scratch(size, NULL), &damage_memory);
}

/* Every change of a set is an operation with another one, or makes another one. */
static void
change(SketchBytes packed, int64_t offset)
{
    SketchKind other =
        sketch_kind(packed.data) == SKETCH_ROARING ? SKETCH_ROARING64 : SKETCH_ROARING;
    SketchBytes result;

    if (roaring_convert(packed, other, &damage_memory, &result))
        damage_pack(result);
    if (roaring_shift(packed, offset, &damage_memory, &result))
        damage_pack(result);
    if (roaring_without_range(packed, 70000, 5000020, &damage_memory, &result))
        damage_pack(result);
}

static void
combine(RoaringOp op, SketchBytes a, SketchBytes b)
{
    SketchBytes result;
    SketchError error;

    damage_expect(sketch_kind(a.data) == sketch_kind(b.data));
    damage_expect(roaring_combine(op, a, b, &damage_memory, &result, &error));
    damage_pack(result);
}

static void
compare(SketchBytes a, SketchBytes b)
{
    uint64_t cardinality;
    bool answer;

    damage_expect(roaring_is_subset(a, b, &damage_memory, &answer));
    damage_expect(roaring_intersects(a, b, &damage_memory, &answer));
    damage_expect(roaring_intersection_cardinality(a, b, &damage_memory, &cardinality));
}

static void
venn(SketchBytes a, SketchBytes b)
{
    const SketchBytes sets[] = {a, b, {NULL, 0}};
    RoaringVenn *regions;
    const uint64_t *members;
    SketchBytes region;

    damage_expect(sketch_kind(a.data) == sketch_kind(b.data));
    regions = roaring_venn(sketch_kind(a.data), sets, 3, &damage_memory);
    damage_expect(regions != NULL);
    while (roaring_next_region(regions, &members, &region))
        ;
}

/* The state of an aggregate takes the set, by union or by parity, and values. */
static void
add(SketchKind kind, SketchBytes value, bool parity)
{
    SketchState state = roaring_new(kind, parity, &damage_memory);
    SketchError error;

    damage_expect(sketch_kind(value.data) == kind);
    for (unsigned i = 0; i < WANTED - 1; i++)
        if (!roaring_push(state, wanted[i]))
            roaring_insert(&state, wanted[i], &damage_memory);
    damage_expect(sketch_ops(kind)->merge(&state, value, &damage_memory, &error));
    roaring_cardinality(sketch_bytes(state), &damage_memory);
    damage_result(state);
}

static void
insert(SketchBytes value, const SketchOps *ops)
{
    SketchState state = damage_open(value, ops);

    for (unsigned i = 0; i < 3000; i += 5)
        if (!roaring_push(state, i * 30))
            roaring_insert(&state, i * 30, &damage_memory);
    damage_result(state);
}

static void
call_kind(const SketchOps *ops, SketchBytes value, SketchBytes good)
{
    TRY(roaring_cardinality(damage_header(value), &damage_memory));
    TRY(probe(damage_pack(value)));
    TRY(probe_out_of_line(value));
    TRY(select_ranks(damage_pack(value)));
    TRY(list(damage_pack(value), false));
    TRY(list(damage_pack(value), true));

    TRY(write_portable(damage_pack(value)));
    TRY(change(damage_pack(value), 70000));
    TRY(change(damage_pack(value), -7));
    TRY(combine(ROARING_AND, damage_pack(value), good));
    TRY(combine(ROARING_AND, good, damage_pack(value)));
    TRY(combine(ROARING_OR, damage_pack(value), good));
    TRY(combine(ROARING_OR, good, damage_pack(value)));
    TRY(combine(ROARING_XOR, damage_pack(value), good));
    TRY(combine(ROARING_XOR, good, damage_pack(value)));
    TRY(combine(ROARING_ANDNOT, damage_pack(value), good));
    TRY(combine(ROARING_ANDNOT, good, damage_pack(value)));
    TRY(compare(damage_pack(value), good));
    TRY(compare(good, damage_pack(value)));
    TRY(venn(damage_pack(value), good));
    TRY(add(ops->kind, value, false));
    TRY(add(ops->kind, value, true));
    TRY(insert(value, ops));
}

static void
call(SketchBytes value, SketchBytes good)
{
    call_kind(&roaring_ops, value, good);
}

static void
call64(SketchBytes value, SketchBytes good)
{
    call_kind(&roaring64_ops, value, good);
}

static const DamageType roaring = {.ops = &roaring_ops, .hash_at = 3, .make = make, .call = call};
static const DamageType roaring64 = {
    .ops = &roaring64_ops, .hash_at = 3, .make = make64, .call = call64};

DAMAGE_TYPE(roaring)
DAMAGE_TYPE(roaring64)
