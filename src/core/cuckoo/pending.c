/*
 * pending.c - many values merged at once.
 *
 * Looking up every item of each value in the union so far would walk through megabytes for each
 * value. So the packed values are collected as they are, each after 4 bytes with its size. When
 * they take ten times the bytes of the first one, they are merged in pairs, these in pairs again,
 * and so on; the result is then the first one. The fields of the state are those of the union,
 * except that an item counts once for each value that has it. Values have at least the state's hash
 * bits; extra ones are cut.
 *
 * The same is done for a sum of many. That an item has too many copies is then found when the
 * values are merged. It does not matter in which order they are: the copies of an item only grow,
 * and what is refused is a sum of two values that both have the item.
 *
 * A union of many takes ten times the memory of the packed union, 16 to 20 bytes per item at 16
 * fingerprint bits, and 16 bytes per item more while values are merged.
 */
#include "cuckoo_internal.h"

#include "core/common/polled.h"

#define SIZE_BYTES 4

/* Maximum size of all values together, if the first has `first` bytes. */
#define PENDING_MAX(first) (10 * (first) + 8192)

void
cuckoo_cut_bits(uint64_t *fingerprints, CuckooHeader *header, unsigned hash_bits,
                const SketchMemory *memory)
{
    const unsigned cut = header->hash_bits - hash_bits;

    if (cut > 0)
        POLLED_FOR (i, 0, header->items, 1, memory)
            fingerprints[i] >>= cut;
    header->hash_bits = hash_bits;
}

/* With a constant `sum` there is no branch on the items, which nobody could predict. */
static inline uint64_t
merge_sorted(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count, bool sum,
             uint64_t *to, const SketchMemory *memory)
{
    uint64_t count = 0, i = 0, j = 0;

    while (i < a_count && j < b_count) {
        uint64_t stop = count + SKETCH_POLL_STEPS;

        while (i < a_count && j < b_count && count < stop) {
            uint64_t steps = a_count - i < b_count - j ? a_count - i : b_count - j;

            /* As many steps as can be made without a look at the ends. */
            for (steps = steps < stop - count ? steps : stop - count; steps > 0; steps--) {
                uint64_t x = a[i], y = b[j];

                to[count++] = x <= y ? x : y;
                i += x <= y;
                j += y < x || (y == x && !sum);
            }
        }
        memory->poll(memory->context);
    }
    polled_copy(to + count, a + i, (a_count - i) * sizeof *to, memory);
    count += a_count - i;
    polled_copy(to + count, b + j, (b_count - j) * sizeof *to, memory);
    return count + (b_count - j);
}

uint64_t
cuckoo_merge_sorted(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count,
                    bool sum, uint64_t *to, const SketchMemory *memory)
{
    return sum ? merge_sorted(a, a_count, b, b_count, true, to, memory)
               : merge_sorted(a, a_count, b, b_count, false, to, memory);
}

bool
cuckoo_sums_fit(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count,
                const SketchMemory *memory, SketchError *error)
{
    uint64_t i = 0, j = 0;

    for (; i < a_count && j < b_count; memory->poll(memory->context)) {
        uint64_t stop = i + j + SKETCH_POLL_STEPS;

        while (i < a_count && j < b_count && i + j < stop) {
            uint64_t x = a[i], y = b[j], copies = 0;

            if (x != y) {
                i += x < y;
                j += y < x;
                continue;
            }
            for (; i < a_count && a[i] == x; i++)
                copies++;
            for (; j < b_count && b[j] == x; j++)
                copies++;
            if (copies > CUCKOO_COPIES_MAX)
                return sketch_refuse_range(error, SKETCH_LIMIT, cuckoo_copies, (int64_t)copies, 0,
                                           CUCKOO_COPIES_MAX);
        }
    }
    return true;
}

/* ---- the value ---- */

static SketchBytes
pending_values(SketchBytes value)
{
    const CuckooState *s = state_at(value.data);

    return (SketchBytes){(const uint8_t *)s->slot, s->bytes};
}

/* Takes the next value off the front of `rest`; fails if there is none, or only part of one. */
static bool
next_value(SketchBytes *rest, SketchBytes *value)
{
    uint32_t size;

    if (rest->size < SIZE_BYTES + CUCKOO_PACKED_HEADER)
        return false;
    memcpy(&size, rest->data, sizeof size);
    if (size < CUCKOO_PACKED_HEADER || size > rest->size - SIZE_BYTES)
        return false;
    *value = (SketchBytes){rest->data + SIZE_BYTES, size};
    *rest = (SketchBytes){value->data + size, rest->size - SIZE_BYTES - size};
    return true;
}

/* Returns a value's fingerprints, cut to `hash_bits`, in scratch memory; NULL if it is damaged. */
static uint64_t *
read_value(SketchBytes value, unsigned hash_bits, uint64_t *count, const SketchMemory *memory)
{
    CuckooHeader header = cuckoo_header(value);
    uint64_t *fingerprints;

    if (header.hash_bits < hash_bits || !(fingerprints = cuckoo_decode(value, memory)))
        return NULL;
    cuckoo_cut_bits(fingerprints, &header, hash_bits, memory);
    *count = header.items;
    return fingerprints;
}

/* How the values of a state are merged; the error of a sum, or NULL if none is to be refused. */
typedef struct Merging {
    unsigned hash_bits;
    bool sum;
    const SketchMemory *memory;
    SketchError *error;
} Merging;

/* Returns the union or sum of the next `values` values, at least one; NULL if it cannot be made. */
static uint64_t *
merge_pairs(const Merging *m, SketchBytes *rest, size_t values, uint64_t *count)
{
    uint64_t *a, *b, *both = NULL, a_count, b_count;
    SketchBytes value;

    if (values == 1)
        return next_value(rest, &value) ? read_value(value, m->hash_bits, count, m->memory) : NULL;
    if ((a = merge_pairs(m, rest, values / 2, &a_count)) == NULL)
        return NULL;
    if ((b = merge_pairs(m, rest, values - values / 2, &b_count)) != NULL) {
        if (!m->sum || !m->error || cuckoo_sums_fit(a, a_count, b, b_count, m->memory, m->error)) {
            both =
                m->memory->scratch((a_count + b_count + 1) * sizeof64(*both), m->memory->context);
            *count = cuckoo_merge_sorted(a, a_count, b, b_count, m->sum, both, m->memory);
        }
        m->memory->release(b, m->memory->context);
    }
    m->memory->release(a, m->memory->context);
    return both;
}

uint64_t *
cuckoo_pending_read(SketchBytes state, CuckooHeader *header, const SketchMemory *memory,
                    SketchError *error)
{
    const CuckooState *s = state_at(state.data);
    SketchBytes values = pending_values(state), rest = values, value;
    Merging merging = {s->hash_bits, s->sums != 0, memory, error};
    size_t count = 0;

    *header = cuckoo_state_header(s);
    while (next_value(&rest, &value))
        count++;
    if (error)
        sketch_refuse_damaged(error); /* unless a sum is refused */
    if (count == 0 || rest.size > 0)
        return NULL;
    return merge_pairs(&merging, &values, count, &header->items);
}

/* ---- the state ---- */

static size_t
space(SketchState state)
{
    return state.size - state_size(sizeof(CuckooState));
}

/* Appends a packed value, for which there must be space. */
static void
append_packed(SketchState state, SketchBytes packed, const SketchMemory *memory)
{
    CuckooState *s = cuckoo_state(state);
    uint8_t *to = (uint8_t *)s->slot + s->bytes;
    uint32_t size = (uint32_t)packed.size;

    memcpy(to, &size, sizeof size);
    polled_copy(to + SIZE_BYTES, packed.data, packed.size, memory);
    s->bytes += SIZE_BYTES + size;
    s->items += cuckoo_header(packed).items;
}

SketchState
cuckoo_new_pending(SketchBytes packed, bool sums, size_t more, const SketchMemory *memory)
{
    CuckooHeader header = cuckoo_header(packed);
    SketchState state =
        cuckoo_new_state(CUCKOO_PENDING, &header, SIZE_BYTES + packed.size + more, memory);

    cuckoo_state(state)->sums = sums;
    append_packed(state, packed, memory);
    return state;
}

/* Copies the state, with space for `size` bytes of values. */
static SketchState
grow_pending(const CuckooState *s, size_t size, const SketchMemory *memory)
{
    CuckooHeader header = cuckoo_state_header(s);
    SketchState grown = cuckoo_new_state(CUCKOO_PENDING, &header, size, memory);

    cuckoo_state(grown)->sums = s->sums;
    cuckoo_state(grown)->items = s->items;
    cuckoo_state(grown)->bytes = s->bytes;
    polled_copy(cuckoo_state(grown)->slot, s->slot, s->bytes, memory);
    return grown;
}

SketchState
cuckoo_copy_pending(SketchBytes state, const SketchMemory *memory)
{
    const CuckooState *s = state_at(state.data);

    return grow_pending(s, s->bytes, memory);
}

/*
 * Merges the values into one with the parameters of `header`, with space for `more` bytes; returns
 * no data if they cannot be merged. Reuses the memory of the state, which saves a copy, unless that
 * is too small or more than will be used.
 */
static SketchState
merge_pending(SketchState state, CuckooHeader header, size_t more, const SketchMemory *memory,
              SketchError *error)
{
    SketchState merged = {NULL, 0};
    SketchBytes packed;
    CuckooHeader before;
    uint64_t *fingerprints = cuckoo_pending_read(sketch_bytes(state), &before, memory, error);

    if (!fingerprints)
        return merged;
    cuckoo_cut_bits(fingerprints, &before, header.hash_bits, memory);
    header.items = before.items;
    packed = cuckoo_encode(&header, fingerprints, memory);
    memory->release(fingerprints, memory->context);
    if (space(state) >= SIZE_BYTES + packed.size + more &&
        space(state) <= PENDING_MAX(packed.size)) {
        merged = state;
        cuckoo_state(merged)->hash_bits = (uint8_t)header.hash_bits;
        cuckoo_state(merged)->bytes = 0;
        cuckoo_state(merged)->items = 0;
        append_packed(merged, packed, memory);
    } else
        merged = cuckoo_new_pending(packed, cuckoo_state(state)->sums != 0, more, memory);
    memory->release_value((uint8_t *)packed.data, memory->context);
    return merged;
}

bool
cuckoo_append_pending(SketchState *state, const CuckooHeader *header, SketchBytes packed,
                      const SketchMemory *memory, SketchError *error)
{
    const size_t more = SIZE_BYTES + packed.size,
                 space_max = CUCKOO_MAX_BYTES - sizeof(CuckooState);
    SketchBytes rest = pending_values(sketch_bytes(*state)), first;
    size_t used = rest.size, max;
    SketchState changed = *state;

    if (!next_value(&rest, &first))
        return sketch_refuse_damaged(error);
    max = PENDING_MAX(first.size) < space_max ? PENDING_MAX(first.size) : space_max;
    if (header->hash_bits < cuckoo_state(*state)->hash_bits ||
        (space(*state) - used < more && used + more > max))
        changed = merge_pending(*state, *header, more, memory, error);
    else if (space(*state) - used < more)
        changed = grow_pending(cuckoo_state(*state),
                               2 * (used + more) < max ? 2 * (used + more) : max, memory);
    if (changed.data == NULL)
        return false;
    append_packed(changed, packed, memory);
    cuckoo_set_parameters(cuckoo_state(changed), header);
    *state = changed;
    return true;
}
