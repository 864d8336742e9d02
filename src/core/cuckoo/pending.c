/*
 * pending.c - many values merged at once.
 *
 * Looking up every item of each value in the union so far would walk through megabytes for each
 * value. So values are kept, packed as they are, each behind 4 bytes, its size, and merged when there
 * are many. The fields of the state are those of the union, except that it has fewer items. Values
 * have its hash bits or more, and those beyond are cut. When the values take ten times the bytes of
 * the first one they are merged, and the union is the first one from then on.
 *
 * One walk over the range of fingerprints merges all values, one region of 2^19 fingerprints after
 * the other. Each value sets a bit for each of its fingerprints in the region, in 64 kB that stay
 * in the second-level cache, as they are decoded; then the bits are read in order. A byte for each
 * word marks the words that are not zero, often one in sixteen or fewer. Every further copy of a
 * fingerprint goes to a list next to the bits.
 *
 * Where fingerprints are too sparse for that (fewer than one to 64 words: few or small values)
 * arrays are merged in pairs, these in pairs again, and so on. With more than 18 fingerprint bits
 * they are always too sparse: such values do not wait, but are put into a table one by one.
 *
 * The memory of a union of many is ten times that of the packed union, 16 to 20 bytes an item at 16
 * fingerprint bits, and 8 bytes an item more while values are merged.
 */
#include "cuckoo_internal.h"

#include "core/common/polled.h"
#include "core/common/sort.h"

#define REGION_BITS 19
#define REGION_WORDS (1u << (REGION_BITS - 6))
#define SPARSE_BITS 12      /* less than one item to 2^12 fingerprints is merged in pairs */
#define PENDING_BITS_MAX 18 /* fingerprint bits */
#define SIZE_BYTES 4

/* Returns the largest total size of the values, if the first has so many bytes. */
#define PENDING_MAX(first) (10 * (first) + 8192)

uint64_t
cuckoo_merge_sorted(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count,
                    bool sum, uint64_t *to, const SketchMemory *memory)
{
    uint64_t count = 0, i = 0, j = 0;

    while (i < a_count && j < b_count) {
        uint64_t stop = count + SKETCH_POLL_STEPS;

        for (; i < a_count && j < b_count && count < stop;) {
            uint64_t x = a[i], y = b[j];

            to[count++] = x <= y ? x : y;
            i += x <= y;
            j += y < x || (y == x && !sum);
        }
        memory->poll(memory->context);
    }
    polled_copy(to + count, a + i, (a_count - i) * sizeof *to, memory);
    count += a_count - i;
    polled_copy(to + count, b + j, (b_count - j) * sizeof *to, memory);
    return count + (b_count - j);
}

/* ---- the value ---- */

static SketchBytes
pending_values(SketchBytes value)
{
    const CuckooState *s = state_at(value.data);

    return (SketchBytes){(const uint8_t *)s->slot, s->bytes};
}

/* Takes the next value off the front of `rest`; false if there is none, or a part of one. */
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

/* ---- parts ---- */

/* A value of the union, read bucket by bucket. */
typedef struct Part {
    CuckooBucketReader bucket;
    unsigned cut; /* bits that are cut from each fingerprint */
    CuckooReader reader;
} Part;

typedef struct Union {
    Part *part;
    size_t parts;
    unsigned hash_bits;
    uint64_t *to;
    uint64_t count;
    const SketchMemory *memory;
} Union;

static void
end_parts(Union *u)
{
    for (size_t i = 0; i < u->parts; i++)
        cuckoo_reader_close(&u->part[i].reader, u->memory);
    u->memory->release(u->part, u->memory->context);
}

/* False for a damaged value; then end_parts was called. */
static bool
begin_parts(Union *u, SketchBytes values, const CuckooHeader *header)
{
    SketchBytes rest = values, value;
    uint64_t items = 0;
    size_t parts = 0;

    while (next_value(&rest, &value))
        parts++;
    u->part = u->memory->scratch((parts + 1) * sizeof *u->part, u->memory->context);
    rest = values;
    for (; next_value(&rest, &value); u->parts++) {
        Part *part = &u->part[u->parts];

        *part = (Part){.cut = 0};
        if (!cuckoo_reader_open(&part->reader, value) ||
            part->reader.layout.hash_bits < header->hash_bits)
            break;
        part->cut = part->reader.layout.hash_bits - header->hash_bits;
        items += part->reader.left;
    }
    if (parts > 0 && u->parts == parts && rest.size == 0 && items == header->items)
        return true;
    end_parts(u);
    return false;
}

/* ---- by bits ---- */

/* A region of fingerprints from `begin` on: its bits, and a mark for each word that is not zero. */
typedef struct Region {
    uint64_t begin;
    uint64_t *bits;   /* behind them the marks, which need no register of their own */
    uint64_t *copies; /* further copies in a value: fingerprint less `begin`, and which copy */
    size_t copied;
    size_t copies_size;
} Region;

static inline uint8_t *
marks_of(uint64_t *bits)
{
    return (uint8_t *)(bits + REGION_WORDS);
}

#define COPY_BITS 44 /* of the number */

static void
add_copy(Region *region, uint64_t place, uint64_t number, const SketchMemory *memory)
{
    if (region->copied == region->copies_size) {
        uint64_t *before = region->copies;

        /* Space for as many again, to sort them. */
        region->copies_size = 2 * region->copies_size + 64;
        region->copies = memory->scratch(2 * region->copies_size * sizeof *before, memory->context);
        if (before) {
            polled_copy(region->copies, before, region->copied * sizeof *before, memory);
            memory->release(before, memory->context);
        }
    }
    region->copies[region->copied++] = place << COPY_BITS | number;
}

/*
 * Begins the next bucket that has items; false if there is none, or if the value is damaged, and
 * then *good becomes false.
 */
static bool
next_bucket(Part *part, bool *good, const SketchMemory *memory)
{
    CuckooReader *reader = &part->reader;
    size_t items = 0, steps = 0;

    *good = cuckoo_bucket_complete(&part->bucket);
    while (reader->left > 0 && *good && items == 0) {
        *good = reader->bucket < reader->layout.buckets &&
                cuckoo_reader_bucket(reader, &items, memory) &&
                cuckoo_reader_begin(reader, items, &part->bucket, memory);
        sketch_poll(memory, &steps, 16);
    }
    return *good && items > 0;
}

/*
 * Sets the bits of a part's fingerprints in the region; false where it is damaged. This is most of
 * the time of a union of many, so it is compiled apart for `plain` parts: no bits are cut, and
 * eight bytes have all of a remainder, wherever it begins.
 */
static inline __attribute__((always_inline)) bool
set_bits_of(Region *region, Part *part, const bool plain, const SketchMemory *memory)
{
    const unsigned r = part->reader.layout.remainder_bits, cut = plain ? 0 : part->cut;
    const uint64_t step = UINT64_C(1) << r, begin = region->begin;
    uint64_t *const bits = region->bits;
    uint64_t next = 0, before = 0; /* the next place that is no copy; the fingerprint before */
    uint64_t number = 0, copied = UINT64_MAX;
    size_t steps = 0;
    bool good = true;

    do {
        CuckooBucketReader bucket = part->bucket;
        const uint8_t *const remainders = bucket.remainders;

        do {
            uint64_t word = bucket.word, at = bucket.read * r;
            uint64_t base = (bucket.first + bucket.end - bucket.read) << r, less;

            base -= plain ? begin : 0;
            less = base;
            for (; word != 0; word &= word - 1, at += r, less -= step) {
                uint64_t remainder = load_le64(remainders + at / 8) >> at % 8, place;

                if (!plain && r + at % 8 > 64)
                    remainder |= (uint64_t)remainders[at / 8 + 8] << (64 - at % 8);
                place = less + ((uint64_t)(unsigned)__builtin_ctzll(word) << r) +
                        (remainder & (step - 1));
                if (!plain) {
                    remainder = place;
                    place = (place >> cut) - begin;
                }
                if (place >> REGION_BITS != 0)
                    break;
                if (place >= next) {
                    bits[place / 64] |= UINT64_C(1) << place % 64;
                    marks_of(bits)[place / 64] = 1;
                    next = place + 1;
                } else if (place + 1 < next || (!plain && remainder < before))
                    return false;
                else {
                    number = place == copied ? number + 1 : 1;
                    copied = place;
                    add_copy(region, place, number, memory);
                }
                before = remainder;
            }
            bucket.read += (base - less) >> r;
            bucket.word = word;
            if (word != 0) {
                part->bucket = bucket;
                return true;
            }
            sketch_poll(memory, &steps, 64);
        } while (cuckoo_bucket_word(&bucket));
        part->bucket = bucket;
    } while (next_bucket(part, &good, memory));
    return good;
}

static inline __attribute__((always_inline)) bool
set_bits_either(Region *region, Part *part, const SketchMemory *memory)
{
    return part->cut == 0 && part->reader.layout.remainder_bits <= 57
               ? set_bits_of(region, part, true, memory)
               : set_bits_of(region, part, false, memory);
}

static bool
set_bits_anywhere(Region *region, Part *part, const SketchMemory *memory)
{
    return set_bits_either(region, part, memory);
}

#ifdef __x86_64__
/* With BMI2 shifts by a variable count cost half as much. */
__attribute__((target("bmi,bmi2"))) static bool
set_bits_shifting(Region *region, Part *part, const SketchMemory *memory)
{
    return set_bits_either(region, part, memory);
}
#endif

typedef bool (*SetBits)(Region *region, Part *part, const SketchMemory *memory);

static SetBits
choose_set_bits(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        return set_bits_shifting;
#endif
    return set_bits_anywhere;
}

/* Puts the copies in a region next to their fingerprints, in u->to from `first`. */
static void
join_copies(Union *u, Region *region, uint64_t first)
{
    const SketchMemory *memory = u->memory;
    uint64_t *copies = region->copies, *joined;
    size_t kept = sort_hashes(copies, region->copied, copies + region->copies_size, memory);

    POLLED_FOR (i, 0, kept, 1, memory)
        copies[i] = region->begin + (copies[i] >> COPY_BITS);
    joined = memory->scratch((u->count - first + kept) * sizeof *joined, memory->context);
    kept = cuckoo_merge_sorted(u->to + first, u->count - first, copies, kept, true, joined, memory);
    polled_copy(u->to + first, joined, kept * sizeof *joined, memory);
    u->count = first + kept;
    memory->release(joined, memory->context);
    region->copied = 0;
}

/* Which of eight marks are set, as bits. */
static inline uint64_t
marks_set(const uint8_t *marks)
{
    return load_le64(marks) * UINT64_C(0x0102040810204080) >> 56;
}

/* Appends the fingerprints whose bits are set, and clears them. */
static void
read_bits(Union *u, Region *region)
{
    uint8_t *const marks = marks_of(region->bits);
    uint64_t *to = u->to + u->count, first = u->count;

    for (unsigned i = 0; i < REGION_WORDS; i += 64) {
        uint64_t words = 0;

        for (unsigned j = 0; j < 64; j += 8)
            words |= marks_set(marks + i + j) << j;
        for (; words > 0; words &= words - 1) {
            unsigned word = i + (unsigned)__builtin_ctzll(words);
            uint64_t set = region->bits[word];

            for (; set > 0; set &= set - 1)
                *to++ = region->begin + 64 * word + (unsigned)__builtin_ctzll(set);
            region->bits[word] = 0;
        }
    }
    memset(marks, 0, REGION_WORDS);
    u->count = (uint64_t)(to - u->to);
    if (region->copied > 0)
        join_copies(u, region, first);
}

static bool
merge_by_bits(Union *u)
{
    const SketchMemory *memory = u->memory;
    const size_t size = REGION_WORDS * (sizeof(uint64_t) + 1);
    Region region = {.bits = memory->scratch(size, memory->context)};
    const uint64_t all = UINT64_C(1) << u->hash_bits;
    const SetBits set_bits = choose_set_bits();
    bool good = true;

    memset(region.bits, 0, size);
    for (; region.begin < all && good; region.begin += UINT64_C(1) << REGION_BITS) {
        for (size_t i = 0; i < u->parts && good; i++) {
            good = set_bits(&region, &u->part[i], memory);
            memory->poll(memory->context);
        }
        read_bits(u, &region);
    }
    for (size_t i = 0; i < u->parts; i++)
        good = good && u->part[i].bucket.word == 0 && u->part[i].reader.left == 0;
    if (region.copies)
        memory->release(region.copies, memory->context);
    memory->release(region.bits, memory->context);
    return good;
}

/* ---- in pairs ---- */

/* Reads all of a part, which has `items`. */
static bool
read_part(Part *part, uint64_t *to, uint64_t items, const SketchMemory *memory)
{
    if (!cuckoo_reader_all(&part->reader, to, memory))
        return false;
    if (part->cut > 0)
        POLLED_FOR (i, 0, items, 1, memory)
            to[i] >>= part->cut;
    return true;
}

/* The union of parts `begin` to `end`, at least one, in scratch memory; NULL if one is damaged. */
static uint64_t *
merge_pairs(Union *u, size_t begin, size_t end, uint64_t *count)
{
    const SketchMemory *memory = u->memory;
    size_t middle = begin + (end - begin) / 2;
    uint64_t *a, *b, *both = NULL, a_count, b_count;

    if (end - begin == 1) {
        *count = u->part[begin].reader.left;
        a = memory->scratch((*count + 1) * sizeof *a, memory->context);
        if (read_part(&u->part[begin], a, *count, memory))
            return a;
        memory->release(a, memory->context);
        return NULL;
    }
    if ((a = merge_pairs(u, begin, middle, &a_count)) == NULL)
        return NULL;
    if ((b = merge_pairs(u, middle, end, &b_count)) != NULL) {
        both = memory->scratch((a_count + b_count + 1) * sizeof *both, memory->context);
        *count = cuckoo_merge_sorted(a, a_count, b, b_count, false, both, memory);
        memory->release(b, memory->context);
    }
    memory->release(a, memory->context);
    return both;
}

uint64_t *
cuckoo_pending_read(SketchBytes value, CuckooHeader *header, const SketchMemory *memory)
{
    Union u = {.memory = memory};

    *header = cuckoo_state_header(state_at(value.data));
    if (!begin_parts(&u, pending_values(value), header))
        return NULL;
    u.hash_bits = header->hash_bits;
    if (u.parts > 2 && header->items >> (u.hash_bits - SPARSE_BITS) > 0) {
        u.to = memory->scratch((header->items + 1) * sizeof *u.to, memory->context);
        if (!merge_by_bits(&u)) {
            memory->release(u.to, memory->context);
            u.to = NULL;
        }
    } else
        u.to = merge_pairs(&u, 0, u.parts, &u.count);
    end_parts(&u);
    header->items = u.count;
    return u.to;
}

/* ---- the state ---- */

static size_t
room(SketchState state)
{
    return state.size - state_size(sizeof(CuckooState));
}

/* There must be space. */
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
cuckoo_open_many(SketchBytes packed, const SketchMemory *memory)
{
    CuckooHeader header;
    CuckooReader reader;
    SketchState state;

    if (sketch_encoding(packed.data) != CUCKOO_PACKED || packed.size < CUCKOO_PACKED_HEADER)
        return cuckoo_open(packed, memory);
    header = cuckoo_header(packed);
    if (header.fingerprint_bits > PENDING_BITS_MAX)
        return cuckoo_open(packed, memory);
    if (!cuckoo_reader_open(&reader, packed))
        return (SketchState){NULL, 0};
    state = cuckoo_new_state(CUCKOO_PENDING, &header, SIZE_BYTES + packed.size, memory);
    append_packed(state, packed, memory);
    return state;
}

/* Copies the values, with space for `size` bytes of them. */
static SketchState
grow_pending(SketchState state, size_t size, const SketchMemory *memory)
{
    const CuckooState *s = cuckoo_state(state);
    CuckooHeader header = cuckoo_state_header(s);
    SketchState grown = cuckoo_new_state(CUCKOO_PENDING, &header, size, memory);

    cuckoo_state(grown)->items = s->items;
    cuckoo_state(grown)->bytes = s->bytes;
    polled_copy(cuckoo_state(grown)->slot, s->slot, s->bytes, memory);
    return grown;
}

/*
 * Merges the values into one, with space for `more` bytes; data is NULL if one is damaged. The state
 * keeps its memory unless that is too small, or more than will be used: a fresh state would be
 * copied, too.
 */
static SketchState
merge_pending(SketchState state, size_t more, const SketchMemory *memory)
{
    SketchState merged = {NULL, 0};
    SketchBytes packed;
    CuckooHeader header;
    uint64_t *fingerprints = cuckoo_pending_read(sketch_bytes(state), &header, memory);
    size_t needed;

    if (!fingerprints)
        return merged;
    packed = cuckoo_encode(&header, fingerprints, memory);
    memory->release(fingerprints, memory->context);
    needed = SIZE_BYTES + packed.size + more;
    if (room(state) >= needed && room(state) <= PENDING_MAX(packed.size)) {
        merged = state;
        cuckoo_state(merged)->bytes = 0;
        cuckoo_state(merged)->items = 0;
    } else
        merged = cuckoo_new_state(CUCKOO_PENDING, &header, needed, memory);
    append_packed(merged, packed, memory);
    memory->release_value((uint8_t *)packed.data, memory->context);
    return merged;
}

bool
cuckoo_append_pending(SketchState *state, const CuckooHeader *header, SketchBytes packed,
                      const SketchMemory *memory)
{
    const size_t more = SIZE_BYTES + packed.size, most_room = CUCKOO_LARGEST - sizeof(CuckooState);
    SketchBytes rest = pending_values(sketch_bytes(*state)), first;
    size_t used = rest.size, most;
    SketchState changed = *state;

    if (!next_value(&rest, &first))
        return false;
    most = PENDING_MAX(first.size) < most_room ? PENDING_MAX(first.size) : most_room;
    if (room(*state) - used < more)
        changed =
            used + more > most
                ? merge_pending(*state, more, memory)
                : grow_pending(*state, 2 * (used + more) < most ? 2 * (used + more) : most, memory);
    if (changed.data == NULL)
        return false;
    append_packed(changed, packed, memory);
    cuckoo_set_parameters(cuckoo_state(changed), header);
    *state = changed;
    return true;
}
