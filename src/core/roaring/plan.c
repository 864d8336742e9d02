/*
 * plan.c - the portable format of roaring bitmaps: writing, each container in its smallest
 * form, so that equal sets have equal bytes.
 *
 * Runs where they take fewer bytes than both others; else an array up to 4096 values, else bits.
 */
#include "roaring_internal.h"

typedef struct PlannedContainer {
    RoaringContainer from;
    RoaringForm form;
    uint32_t runs;
} PlannedContainer;

RoaringPlan
plan_new(SketchKind kind, size_t room, const SketchMemory *memory)
{
    return (RoaringPlan){
        .kind = kind,
        .room = room,
        .containers = memory->scratch(room * sizeof(PlannedContainer) + 1, memory->context),
    };
}

/* How many runs the values make, and how many bits a bitset has. */
static uint32_t
count_runs(const RoaringContainer *from, uint32_t *cardinality)
{
    uint32_t runs = 0;

    if (from->form == ROARING_RUNS) {
        *cardinality = from->cardinality;
        runs = from->count;
    } else if (from->form == ROARING_BITSET) {
        uint64_t carry = 0;

        *cardinality = 0;
        for (unsigned i = 0; i < PAGE_WORDS; i++) {
            uint64_t word = load_le64(from->data + i * sizeof word);

            *cardinality += (uint32_t)__builtin_popcountll(word);
            runs += (uint32_t)__builtin_popcountll(word & ~(word << 1 | carry));
            carry = word >> 63;
        }
    } else {
        *cardinality = from->count;
        runs = from->count > 0;
        for (uint32_t i = 1; i < from->count; i++)
            runs += container_low(from, i) != container_low(from, i - 1) + 1;
    }
    return runs;
}

static size_t
planned_bytes(const PlannedContainer *planned)
{
    switch (planned->form) {
    case ROARING_RUNS:
        return 2 + (size_t)planned->runs * 4;
    case ROARING_ARRAY:
        return (size_t)planned->from.cardinality * 2;
    default:
        return ROARING_PAGE_BYTES;
    }
}

void
plan_add(RoaringPlan *plan, const RoaringContainer *container)
{
    PlannedContainer *planned = plan->containers + plan->count;

    planned->from = *container;
    planned->runs = count_runs(container, &planned->from.cardinality);
    if (planned->from.cardinality == 0)
        return;
    planned->form = planned->from.cardinality <= ARRAY_MAX ? ROARING_ARRAY : ROARING_BITSET;
    if (2 + (size_t)planned->runs * 4 < planned_bytes(planned))
        planned->form = ROARING_RUNS;
    plan->count++;
}

void
plan_body(RoaringPlan *plan, const RoaringBody *body, uint64_t high)
{
    for (uint32_t i = 0; i < body->containers; i++) {
        RoaringContainer container;

        if (body_container(body, i, high, &container))
            plan_add(plan, &container);
    }
}

/* ---- writing ---- */

static uint8_t *
write_array(uint8_t *to, const uint64_t *page)
{
    for (unsigned i = 0; i < PAGE_WORDS; i++)
        for (uint64_t word = page[i]; word != 0; word &= word - 1, to += 2)
            store_le16(to, (uint16_t)(i * 64 + (unsigned)__builtin_ctzll(word)));
    return to;
}

/* The first bit at or after `from` that is 1, or 0; 65536 when there is none. */
static uint32_t
next_bit(const uint64_t *page, uint32_t from, bool one)
{
    while (from < 65536) {
        uint64_t word = (one ? page[from >> 6] : ~page[from >> 6]) >> (from & 63);

        if (word != 0)
            return from + (uint32_t)__builtin_ctzll(word);
        from = (from | 63) + 1;
    }
    return 65536;
}

static uint8_t *
write_runs(uint8_t *to, const uint64_t *page, uint32_t runs)
{
    store_le16(to, (uint16_t)runs);
    to += 2;
    for (uint32_t first = next_bit(page, 0, true); first < 65536;) {
        uint32_t end = next_bit(page, first, false);

        store_le16(to, (uint16_t)first);
        store_le16(to + 2, (uint16_t)(end - first - 1));
        to += 4;
        first = next_bit(page, end, true);
    }
    return to;
}

static uint8_t *
write_container(uint8_t *to, const PlannedContainer *planned)
{
    const RoaringContainer *from = &planned->from;

    if (planned->form == ROARING_RUNS && from->form == ROARING_RUNS) {
        store_le16(to, (uint16_t)from->count);
        memcpy(to + 2, from->data, (size_t)from->count * 4);
        return to + 2 + (size_t)from->count * 4;
    }
    if (planned->form == from->form) {
        memcpy(to, from->data, planned_bytes(planned));
        return to + planned_bytes(planned);
    }
    if (planned->form == ROARING_ARRAY && from->form >= ROARING_VALUES32) {
        for (uint32_t i = 0; i < from->count; i++, to += 2)
            store_le16(to, (uint16_t)container_low(from, i));
        return to;
    } else {
        uint64_t page[PAGE_WORDS] = {0};

        page_change(page, from, PAGE_SET);
        if (planned->form == ROARING_ARRAY)
            return write_array(to, page);
        if (planned->form == ROARING_RUNS)
            return write_runs(to, page, planned->runs);
        for (unsigned i = 0; i < PAGE_WORDS; i++, to += 8)
            store_le64(to, page[i]);
        return to;
    }
}

/* Containers `first` to `end` - 1 share the bits above the lowest 32. */
static bool
has_runs(const PlannedContainer *first, const PlannedContainer *end)
{
    for (; first < end; first++)
        if (first->form == ROARING_RUNS)
            return true;
    return false;
}

static size_t
directory_bytes(size_t containers, bool runs)
{
    if (!runs)
        return 8 + containers * 8;
    return 4 + (containers + 7) / 8 + containers * (containers >= OFFSETS_FROM ? 8 : 4);
}

static size_t
planned_body_bytes(const PlannedContainer *first, const PlannedContainer *end)
{
    size_t bytes = directory_bytes((size_t)(end - first), has_runs(first, end));

    for (; first < end; first++)
        bytes += planned_bytes(first);
    return bytes;
}

static uint8_t *
write_body(uint8_t *to, const PlannedContainer *first, const PlannedContainer *end)
{
    size_t count = (size_t)(end - first);
    bool runs = has_runs(first, end);
    size_t offset = directory_bytes(count, runs);

    if (runs) {
        store_le16(to, COOKIE_RUNS);
        store_le16(to + 2, (uint16_t)(count - 1));
        to += 4;
        memset(to, 0, (count + 7) / 8);
        for (size_t i = 0; i < count; i++)
            to[i / 8] |= (uint8_t)((first[i].form == ROARING_RUNS) << i % 8);
        to += (count + 7) / 8;
    } else {
        store_le32(to, COOKIE_PLAIN);
        store_le32(to + 4, (uint32_t)count);
        to += 8;
    }
    for (size_t i = 0; i < count; i++, to += 4) {
        store_le16(to, (uint16_t)first[i].from.key);
        store_le16(to + 2, (uint16_t)(first[i].from.cardinality - 1));
    }
    for (size_t i = 0; i < count && (!runs || count >= OFFSETS_FROM); i++, to += 4) {
        store_le32(to, (uint32_t)offset);
        offset += planned_bytes(first + i);
    }
    for (size_t i = 0; i < count; i++)
        to = write_container(to, first + i);
    return to;
}

static const PlannedContainer *
bucket_end(const RoaringPlan *plan, const PlannedContainer *first)
{
    const PlannedContainer *end = first;

    while (end < plan->containers + plan->count && end->from.key >> 16 == first->from.key >> 16)
        end++;
    return end;
}

SketchBytes
plan_write(RoaringPlan *plan, const SketchMemory *memory)
{
    const PlannedContainer *all = plan->containers, *all_end = all + plan->count;
    bool wide = plan->kind == SKETCH_ROARING64;
    uint64_t cardinality = 0;
    uint32_t buckets = 0;
    size_t size = ROARING_HEADER;
    SketchBytes value;
    uint8_t *data, *to;

    for (const PlannedContainer *planned = all; planned < all_end; planned++)
        cardinality += planned->from.cardinality;
    if (wide) {
        size = ROARING64_HEADER;
        for (const PlannedContainer *first = all, *end; first < all_end; first = end, buckets++) {
            end = bucket_end(plan, first);
            size += 8 + planned_body_bytes(first, end);
        }
    } else {
        size += planned_body_bytes(all, all_end);
    }
    value = (SketchBytes){data = memory->value(size, memory->context), size};
    data[0] = (uint8_t)plan->kind;
    data[1] = roaring_ops.version;
    data[2] = ROARING_PACKED;
    data[3] = 0;
    store_le64(data + 4, cardinality);
    if (wide) {
        uint8_t *index = data + ROARING64_HEADER;

        store_le32(data + 12, buckets);
        to = index + (size_t)buckets * 8;
        for (const PlannedContainer *first = all, *end; first < all_end; first = end, index += 8) {
            end = bucket_end(plan, first);
            to = write_body(to, first, end);
            store_le32(index, (uint32_t)(first->from.key >> 16));
            store_le32(index + 4, (uint32_t)(to - data));
        }
    } else {
        write_body(data + ROARING_HEADER, all, all_end);
    }
    memory->release(plan->containers, memory->context);
    return value;
}
