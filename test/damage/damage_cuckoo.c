/*
 * damage_cuckoo.c - values of cuckoo.
 */
#include "damage.h"

#include "core/cuckoo/cuckoo.h"

/* ---- good values ---- */

static SketchBytes
filled(uint32_t capacity, bool fixed, unsigned bits, unsigned items)
{
    SketchState state = cuckoo_new(capacity, fixed, bits, &damage_memory);
    SketchError error;

    for (unsigned i = 0; i < items; i++)
        damage_expect(cuckoo_add(&state, damage_hash(i % 300), &damage_memory, &error));
    cuckoo_delete(state, damage_hash(0), &damage_memory);
    return damage_result(state);
}

static void
make(void)
{
    SketchState list = cuckoo_new_list(1024, 16, &damage_memory);
    SketchError error;

    damage_value("few", filled(1024, false, 16, 5));
    damage_value("fixed", filled(50, true, 8, 45));
    damage_value("many", filled(1024, false, 16, 1500));
    for (unsigned i = 0; i < 8; i++)
        damage_expect(cuckoo_insert(&list, damage_hash(i), &damage_memory, &error));
    damage_value("in transit", cuckoo_ops.transit(sketch_bytes(list), &damage_memory));
    for (unsigned i = 8; i < 300; i++)
        damage_expect(cuckoo_insert(&list, damage_hash(i), &damage_memory, &error));
    damage_value("many in transit", cuckoo_ops.transit(sketch_bytes(list), &damage_memory));
}

/* ---- calls ---- */

static void
read_header(SketchBytes header)
{
    CuckooHeader h = cuckoo_header(header);

    damage_expect(cuckoo_header_valid(&h));
    cuckoo_layout(&h);
    cuckoo_current_bits(&h);
    cuckoo_false_positive_rate(&h);
}

static void
probe(SketchBytes packed)
{
    CuckooView view;
    uint64_t count;

    damage_expect(cuckoo_count_packed(packed, damage_hash(1), &count, &damage_memory));
    view = cuckoo_view(packed, &damage_memory);
    for (unsigned i = 0; i < 20 && !view.missing; i++)
        cuckoo_count(&view, damage_hash(i));
}

/* A bucket is read, and more where that is not enough. */
static void
probe_out_of_line(SketchBytes value)
{
    CuckooView view = cuckoo_view(damage_header(value), &damage_memory);
    size_t wanted;

    for (unsigned i = 0; i < 20 && view.layout.items > 0; i++) {
        view.offset = cuckoo_probe_offset(&view.layout, damage_hash(i));
        wanted = cuckoo_probe_size(&view.layout);
        for (;; wanted *= 4) {
            SketchBytes slice;

            damage_expect(view.offset < value.size);
            slice = damage_slice(value, view.offset, wanted);
            view.data = slice.data;
            view.size = slice.size;
            cuckoo_count(&view, damage_hash(i));
            if (!view.missing)
                break;
            damage_expect(wanted < value.size - view.offset);
        }
    }
}

static SketchState
open_table(SketchBytes value)
{
    SketchState state = cuckoo_open_table(value, &damage_memory);

    damage_expect(state.data != NULL);
    return state;
}

static void
change(SketchBytes value)
{
    SketchState state = open_table(value);
    SketchError error;

    for (unsigned i = 0; i < 400; i += 40)
        damage_expect(i % 80 ? cuckoo_add(&state, damage_hash(i), &damage_memory, &error)
                             : cuckoo_insert(&state, damage_hash(i), &damage_memory, &error));
    for (unsigned i = 0; i < 400; i += 25)
        cuckoo_delete(state, damage_hash(i), &damage_memory);
    cuckoo_compact(&state, &damage_memory);
    damage_result(state);
}

/* As an aggregate does. */
static void
insert(SketchBytes value)
{
    SketchState state = damage_open(value, &cuckoo_ops);
    SketchError error;

    cuckoo_parameters(state.data);
    for (unsigned i = 0; i < 400; i += 40)
        if (!cuckoo_list_add(state, damage_hash(i)))
            damage_expect(cuckoo_insert(&state, damage_hash(i), &damage_memory, &error));
    damage_result(state);
}

static void
sum(SketchBytes a, SketchBytes b)
{
    SketchState state = open_table(a);
    SketchError error;

    damage_expect(cuckoo_sum(&state, b, &damage_memory, &error));
    damage_result(state);
}

static void
call(SketchBytes value, SketchBytes good)
{
    TRY(cuckoo_parameters(value.data));
    TRY(read_header(damage_header(value)));
    TRY(probe(damage_pack(value)));
    TRY(probe_out_of_line(value));
    TRY(change(value));
    TRY(insert(value));
    TRY(sum(value, good));
    TRY(sum(good, value));
}

static const DamageType cuckoo = {.ops = &cuckoo_ops, .hash_at = 3, .make = make, .call = call};

DAMAGE_TYPE(cuckoo)
