/*
 * damage_topk.c - values of topk.
 */
#include "damage.h"

#include "core/topk/topk.h"

/* ---- good values ---- */

/* Texts of several lengths, or numbers; `distinct` items, of which the first come most often. */
static SketchBytes
ranked(uint32_t k, TopkType type, unsigned rows, unsigned distinct)
{
    SketchState state = topk_new(k, type, &damage_memory);
    SketchError error;

    for (unsigned i = 0; i < rows; i++) {
        uint64_t number = damage_hash(i % distinct % (1 + i % 7));

        damage_expect(topk_insert(&state,
                                  type == TOPK_BIGINT
                                      ? topk_number((int64_t)number)
                                      : topk_text((const uint8_t *)&number, 1 + number % 8),
                                  1 + i % 5, &damage_memory, &error));
    }
    for (unsigned i = 0; i < distinct; i++) {
        uint64_t number = damage_hash(i);

        damage_expect(topk_insert(&state,
                                  type == TOPK_BIGINT
                                      ? topk_number((int64_t)number)
                                      : topk_text((const uint8_t *)&number, sizeof number),
                                  1, &damage_memory, &error));
    }
    return damage_result(state);
}

static void
make(void)
{
    damage_value("empty", damage_result(topk_new(10, TOPK_NONE, &damage_memory)));
    damage_value("numbers", ranked(3, TOPK_BIGINT, 50, 5));
    damage_value("many numbers", ranked(50, TOPK_BIGINT, 2000, 900));
    damage_value("texts", ranked(3, TOPK_TEXT, 50, 5));
    damage_value("many texts", ranked(50, TOPK_TEXT, 2000, 900));
}

/* ---- calls ---- */

static const uint8_t text[] = "item";

static uint32_t
read(SketchBytes value)
{
    uint32_t sum = topk_k_of(value);
    Topk topk;

    damage_expect(topk_read(&topk, value, &damage_memory));
    sum += topk_find(&topk, topk_text(text, 4)) + topk_find(&topk, topk_number(7));
    for (uint32_t i = 0; i < topk.header.counters; i++) {
        TopkItem item = topk.counters[i].item;

        topk_find(&topk, item);
        for (uint32_t at = 0; item.type == TOPK_TEXT && at < item.size; at++)
            sum += item.bytes[at];
    }
    topk_close(&topk, &damage_memory);
    return sum;
}

/* A text or a number, by the type of the items. */
static void
add(SketchBytes value)
{
    SketchState state = damage_open(value, &topk_ops);
    SketchError error;

    for (unsigned i = 0; i < 40; i++)
        if (topk_header(sketch_bytes(state)).type == TOPK_TEXT) {
            if (!topk_add_text(state, text, i % 4))
                damage_expect(
                    topk_insert(&state, topk_text(text, i % 4), 3, &damage_memory, &error));
        } else if (!topk_add_number(state, i))
            damage_expect(topk_insert(&state, topk_number(i), 3, &damage_memory, &error));
    read(damage_result(state));
}

static void
call(SketchBytes value, SketchBytes good)
{
    (void)good;
    TRY(topk_header(damage_header(value)));
    TRY(topk_k_of(value));
    TRY(read(value));
    TRY(add(value));
    TRY(topk_decay(value, 0.5, &damage_memory));
    TRY(topk_decay(value, 0, &damage_memory));
}

static const DamageType topk = {.ops = &topk_ops, .hash_at = 3, .make = make, .call = call};

DAMAGE_TYPE(topk)
