/*
 * venn.c - the regions of a Venn diagram: which values are in exactly which of many sets.
 *
 * One pass over the containers of all sets, in order of their keys. Each of the 65536 values of a
 * key has a mask with a bit for each set; equal masks are one region, found by the hash of the
 * mask. The values that a key adds to a region are a piece. When all keys are done, the pieces of
 * each region are written one after the other, as a set.
 *
 *     sets            {1,2,3}  {2,3,4}        masks   1: 01   2: 11   3: 11   4: 10
 *     regions         01: {1}  11: {2,3}  10: {4}
 *
 * A key that only one set has is a piece as it is; so are values that only sets with all 65536 of a
 * key have. A region takes its mask and 40 bytes, a piece 48 bytes and its values, 2 bytes each or
 * 8 kB.
 */
#include "core/common/hash.h"
#include "core/common/hash_table.h"
#include "roaring_internal.h"

#define VALUES 65536 /* of a key */

typedef struct Region {
    size_t pieces; /* how many; later, where they end in order */
    size_t piece;  /* the one of the present key */
    uint32_t here; /* values of the present key, until it has a piece */
} Region;

typedef struct Piece {
    RoaringContainer container;
    uint32_t region;
    bool packed; /* it is of one of the sets, in the smallest form */
} Piece;

/* A set, and its first container whose key has not come yet. */
typedef struct Member {
    RoaringCursor cursor;
    RoaringContainer container;
    bool ended;
} Member;

struct RoaringVenn {
    SketchKind kind;
    const SketchMemory *memory;
    size_t sets, words; /* of a mask */
    Member *members;
    /* regions */
    size_t regions, regions_room;
    Region *region;
    uint64_t *masks;
    HashTable table; /* from the mask's hash to 1 + region */
    /* pieces */
    size_t pieces, pieces_room;
    Piece *piece;
    RoaringKept *kept;
    /* of the present key */
    uint64_t *mask_of; /* of each value, without the sets that have all values */
    uint64_t *full;    /* the mask of these sets */
    uint64_t marked[ROARING_BITSET_WORDS]; /* values in others */
    uint16_t lows[VALUES];
    uint32_t region_of[VALUES]; /* of each low */
    size_t steps;
    /* the result */
    Piece **ordered;
    size_t next;
};

static void *
grown(void *old, size_t used, size_t *room, size_t bytes, const SketchMemory *memory)
{
    void *more = memory->scratch(2 * *room * bytes, memory->context);

    memcpy(more, old, used * bytes);
    memory->release(old, memory->context);
    *room *= 2;
    return more;
}

static const uint64_t *
region_mask(const RoaringVenn *venn, size_t region)
{
    return venn->masks + region * venn->words;
}

static bool
same_mask(const RoaringVenn *venn, size_t region, const uint64_t *mask)
{
    return memcmp(region_mask(venn, region), mask, venn->words * sizeof *mask) == 0;
}

/* The region of a mask, which is new if no value had it before. */
static uint32_t
find_region(RoaringVenn *venn, const uint64_t *mask)
{
    uint64_t hash = hash_bytes(mask, venn->words * sizeof *mask);
    size_t at = hash_table_first(&venn->table, hash), room = venn->regions_room;

    for (; venn->table.slot[at].value != 0; at = hash_table_next(&venn->table, hash, at + 1))
        if (same_mask(venn, venn->table.slot[at].value - 1, mask))
            return (uint32_t)(venn->table.slot[at].value - 1);
    if (venn->regions == room) {
        venn->masks =
            grown(venn->masks, venn->regions, &room, venn->words * sizeof *mask, venn->memory);
        venn->region = grown(venn->region, venn->regions, &venn->regions_room, sizeof *venn->region,
                             venn->memory);
    }
    memcpy(venn->masks + venn->regions * venn->words, mask, venn->words * sizeof *mask);
    venn->region[venn->regions] = (Region){.pieces = 0};
    hash_table_put(&venn->table, at, hash, venn->regions + 1, venn->memory);
    return (uint32_t)venn->regions++;
}

static Piece *
new_piece(RoaringVenn *venn, uint32_t region)
{
    if (venn->pieces == venn->pieces_room)
        venn->piece =
            grown(venn->piece, venn->pieces, &venn->pieces_room, sizeof *venn->piece, venn->memory);
    venn->region[region].pieces++;
    venn->piece[venn->pieces].region = region;
    return &venn->piece[venn->pieces++];
}

/* ---- one key ---- */

/* Adds a key that only set i has. */
static void
add_lone(RoaringVenn *venn, size_t i)
{
    Piece *piece;
    uint32_t region;

    memset(venn->mask_of, 0, venn->words * sizeof(uint64_t));
    venn->mask_of[i / 64] = UINT64_C(1) << (i & 63);
    region = find_region(venn, venn->mask_of);
    venn->mask_of[i / 64] = 0;
    piece = new_piece(venn, region);
    piece->container = venn->members[i].container;
    piece->packed = true;
}

/* Sets the bit of set i in the masks of its values. */
static void
mark_values(RoaringVenn *venn, size_t i)
{
    const RoaringContainer *container = &venn->members[i].container;
    uint32_t count = roaring_decode(container, venn->lows);
    uint64_t *masks = venn->mask_of + i / 64, bit = UINT64_C(1) << (i & 63);

    for (uint32_t j = 0; j < count; j++)
        masks[venn->lows[j] * venn->words] |= bit;
    roaring_change_bitset(venn->marked, container, ROARING_SET);
    sketch_poll(venn->memory, &venn->steps, count + 64);
}

/*
 * Finds the region of each value that is marked, clears its mask, and returns how many there are.
 */
static uint32_t
assign_regions(RoaringVenn *venn)
{
    uint32_t count = 0, region = 0;

    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
        for (uint64_t word = venn->marked[i]; word != 0; word &= word - 1) {
            uint32_t low = i * 64 + (unsigned)__builtin_ctzll(word);
            uint64_t *mask = venn->mask_of + low * venn->words;

            for (size_t j = 0; j < venn->words; j++)
                mask[j] |= venn->full[j];
            if (count == 0 || !same_mask(venn, region, mask))
                region = find_region(venn, mask);
            memset(mask, 0, venn->words * sizeof *mask);
            venn->lows[count] = (uint16_t)low;
            venn->region_of[count++] = region;
            venn->region[region].here++;
        }
    sketch_poll(venn->memory, &venn->steps, 4 * count);
    return count;
}

/* A piece with room for `count` values, and none of them yet. */
static Piece *
empty_piece(RoaringVenn *venn, uint32_t region, uint64_t key, uint32_t count)
{
    Piece *piece = new_piece(venn, region);
    bool is_array = count <= ROARING_ARRAY_MAX;
    size_t bytes = is_array ? count * sizeof(uint16_t) : ROARING_BITSET_BYTES;
    uint8_t *data = roaring_keep(&venn->kept, bytes, venn->memory);

    memset(data, 0, bytes);
    piece->packed = false;
    piece->container = (RoaringContainer){.key = key,
                                          .form = is_array ? ROARING_ARRAY : ROARING_WORDS,
                                          .cardinality = count,
                                          .data = data};
    return piece;
}

/* Divides the marked values among pieces, one for each region. */
static void
add_marked(RoaringVenn *venn, uint64_t key)
{
    uint32_t count = assign_regions(venn);

    for (uint32_t i = 0; i < count; i++) {
        Region *region = &venn->region[venn->region_of[i]];
        RoaringContainer *container;

        if (region->here > 0) {
            region->piece = venn->pieces;
            empty_piece(venn, venn->region_of[i], key, region->here);
            region->here = 0;
        }
        container = &venn->piece[region->piece].container;
        if (container->form == ROARING_ARRAY)
            roaring_put_low((uint8_t *)container->data, container->count++, venn->lows[i]);
        else
            roaring_change_value((uint64_t *)container->data, venn->lows[i], ROARING_SET);
    }
}

/* Unmarked values are in exactly the sets with all values of the key. */
static void
add_unmarked(RoaringVenn *venn, uint64_t key)
{
    uint32_t marked = roaring_bitset_cardinality(venn->marked);
    Piece *piece;

    if (marked == VALUES)
        return;
    if (marked == 0) {
        piece = new_piece(venn, find_region(venn, venn->full));
        piece->packed = true;
        piece->container = roaring_full_container(key);
        return;
    }
    piece = empty_piece(venn, find_region(venn, venn->full), key, VALUES);
    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
        ((uint64_t *)piece->container.data)[i] = ~venn->marked[i];
}

/* ---- all keys ---- */

/* Finds the lowest remaining key; *lone is its only set, or SIZE_MAX. False at the end. */
static bool
next_key(const RoaringVenn *venn, uint64_t *key, size_t *lone)
{
    bool found = false;

    for (size_t i = 0; i < venn->sets; i++) {
        const Member *member = &venn->members[i];

        if (member->ended || (found && member->container.key > *key))
            continue;
        *lone = found && member->container.key == *key ? SIZE_MAX : i;
        *key = member->container.key;
        found = true;
    }
    return found;
}

/* False for a damaged set. */
static bool
advance(Member *member)
{
    member->ended = !roaring_next(&member->cursor, &member->container);
    return !member->cursor.damaged;
}

/* Adds a key that several sets have; false for a damaged set. */
static bool
add_key(RoaringVenn *venn, uint64_t key)
{
    bool any_full = false;

    memset(venn->full, 0, venn->words * sizeof *venn->full);
    memset(venn->marked, 0, sizeof venn->marked);
    for (size_t i = 0; i < venn->sets; i++) {
        Member *member = &venn->members[i];

        if (member->ended || member->container.key != key)
            continue;
        if (member->container.cardinality == VALUES) {
            venn->full[i / 64] |= UINT64_C(1) << (i & 63);
            any_full = true;
        } else {
            mark_values(venn, i);
        }
        if (!advance(member))
            return false;
    }
    add_marked(venn, key);
    if (any_full)
        add_unmarked(venn, key);
    return true;
}

static bool
add_all_keys(RoaringVenn *venn)
{
    uint64_t key = 0;
    size_t lone = 0;

    while (next_key(venn, &key, &lone)) {
        sketch_poll(venn->memory, &venn->steps, venn->sets + 64);
        if (lone < SIZE_MAX) {
            add_lone(venn, lone);
            if (!advance(&venn->members[lone]))
                return false;
            continue;
        }
        if (!add_key(venn, key))
            return false;
    }
    return true;
}

/* Orders pieces by their regions, and sets `pieces` of each region to the end of its own. */
static void
order_pieces(RoaringVenn *venn)
{
    size_t sum = 0;

    venn->ordered =
        venn->memory->scratch((venn->pieces + 1) * sizeof64(*venn->ordered), venn->memory->context);
    for (size_t i = 0; i < venn->regions; i++) {
        size_t count = venn->region[i].pieces;

        venn->region[i].pieces = sum;
        sum += count;
    }
    for (size_t i = 0; i < venn->pieces; i++) {
        sketch_poll(venn->memory, &venn->steps, 4);
        venn->ordered[venn->region[venn->piece[i].region].pieces++] = &venn->piece[i];
    }
}

RoaringVenn *
roaring_venn(SketchKind kind, const SketchBytes *sets, size_t count, const SketchMemory *memory)
{
    RoaringVenn *venn = memory->scratch(sizeof *venn, memory->context);
    size_t words = count / 64 + 1, room = 16;
    bool whole = true;

    *venn = (RoaringVenn){.kind = kind,
                          .memory = memory,
                          .sets = count,
                          .words = words,
                          .regions_room = room,
                          .pieces_room = room};
    venn->members = memory->scratch((count + 1) * sizeof64(*venn->members), memory->context);
    venn->region = memory->scratch(room * sizeof64(*venn->region), memory->context);
    venn->masks = memory->scratch(room * words * sizeof64(*venn->masks), memory->context);
    venn->piece = memory->scratch(room * sizeof64(*venn->piece), memory->context);
    venn->full = memory->scratch(words * sizeof64(*venn->full), memory->context);
    venn->mask_of = memory->scratch(VALUES * words * sizeof64(uint64_t), memory->context);
    memset(venn->mask_of, 0, VALUES * words * sizeof(uint64_t));
    hash_table_begin(&venn->table, memory);
    for (size_t i = 0; i < count; i++) {
        venn->members[i] = (Member){.ended = true};
        if (sets[i].data == NULL)
            continue;
        venn->members[i].cursor = roaring_cursor(sets[i], false, memory);
        whole = advance(&venn->members[i]) && whole;
    }
    if (whole && add_all_keys(venn)) {
        order_pieces(venn);
        return venn;
    }
    roaring_release_venn(venn);
    return NULL;
}

bool
roaring_next_region(RoaringVenn *venn, const uint64_t **members, SketchBytes *values)
{
    size_t begin = venn->next > 0 ? venn->region[venn->next - 1].pieces : 0, end;
    RoaringWriter writer;

    if (venn->next == venn->regions)
        return false;
    end = venn->region[venn->next].pieces;
    *members = region_mask(venn, venn->next++);
    writer = roaring_writer(venn->kind, end - begin, venn->memory);
    for (size_t i = begin; i < end; i++) {
        if (venn->ordered[i]->packed)
            roaring_write_packed(&writer, &venn->ordered[i]->container);
        else
            roaring_write_container(&writer, &venn->ordered[i]->container);
    }
    *values = roaring_write(&writer);
    return true;
}

void
roaring_release_venn(RoaringVenn *venn)
{
    const SketchMemory *memory = venn->memory;

    hash_table_end(&venn->table, memory);
    roaring_release_kept(venn->kept, memory);
    memory->release(venn->members, memory->context);
    memory->release(venn->region, memory->context);
    memory->release(venn->masks, memory->context);
    memory->release(venn->piece, memory->context);
    memory->release(venn->mask_of, memory->context);
    memory->release(venn->full, memory->context);
    if (venn->ordered)
        memory->release(venn->ordered, memory->context);
    memory->release(venn, memory->context);
}
