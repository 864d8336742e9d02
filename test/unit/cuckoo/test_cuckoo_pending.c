/*
 * test_cuckoo_pending.c - many filters merged at once.
 */
#include "core/cuckoo/cuckoo_internal.h"
#include "../check.h"
#include "../memory.h"
#include "../multiset.h"

static SketchError error;

/* A packed filter with random items, each up to `copies` times; *m becomes its content. */
static SketchBytes
random_packed(Multiset *m, Random *random, unsigned f, uint32_t capacity, unsigned items,
              unsigned copies, uint64_t of)
{
    SketchState state = cuckoo_new(capacity, false, f, &memory);
    SketchBytes packed;

    *m = multiset_new(f, multiset_bits(capacity, f), 0);
    while (items-- > 0) {
        uint64_t hash = mix64(random_below(random, of) + 1);

        for (uint64_t n = 1 + random_below(random, copies); n > 0; n--)
            if (filter_add(&state, hash, &error))
                multiset_add(m, hash);
    }
    packed = cuckoo_ops.pack(sketch_bytes(state), &memory);
    release_state(state);
    return packed;
}

/* The state of a union that has nothing yet. */
static SketchState
empty(unsigned f)
{
    SketchState none = cuckoo_new(1, false, f, &memory), state;
    SketchBytes packed = cuckoo_ops.pack(sketch_bytes(none), &memory);

    state = cuckoo_ops.open_many(packed, &memory);
    release_bytes(packed);
    release_state(none);
    return state;
}

/* Fingerprint bits, the filters and the items of each. */
typedef struct Case {
    unsigned f;
    unsigned filters;
    unsigned items;
    unsigned copies;
    uint64_t of; /* different items */
    const char *name;
} Case;

static const Case cases[] = {
    {8, 40, 100, 1, 1500, "dense"},
    {8, 30, 60, 5, 800, "dense, with copies"},
    {16, 30, 250, 1, 6000, "dense later"},
    {16, 25, 300, 3, 100000, "apart, with copies"},
    {16, 50, 3, 1, 40, "tiny"},
    {16, 20, 0, 1, 10, "empty"},
    {18, 20, 100, 2, 1000, "sparse"},
    {18, 20, 100, 1, 100000, "sparse and apart"},
    {8, 3, 1, 8, 3, "three of one item"},
};

/* `finer`: some of them have more hash bits, which are cut. */
static void
check_case(const Case *c, bool finer, uint64_t seed)
{
    Random random = {seed};
    Multiset all = multiset_new(c->f, multiset_bits(0, c->f), 0);
    SketchState state = empty(c->f);

    for (unsigned i = 0; i < c->filters; i++) {
        uint32_t capacity = finer && random_below(&random, 3) == 0 ? 5000 : 1;
        Multiset m;
        SketchBytes packed = random_packed(&m, &random, c->f, capacity, c->items, c->copies, c->of);

        expect(merge_into(&cuckoo_ops, &state, packed, &error), "refused");
        multiset_merge(&all, &m, false);
        expect(state.data[2] == CUCKOO_PENDING, "not pending");
        if (i % 7 == 3)
            expect(multiset_agrees(&all, sketch_bytes(state)), "%s: after %u", c->name, i);
        release_bytes(packed);
        multiset_free(&m);
    }
    expect(multiset_agrees(&all, sketch_bytes(state)), "%s", c->name);
    filter_to_table(&state);
    expect(multiset_agrees(&all, sketch_bytes(state)), "%s: as a table", c->name);
    release_state(state);
    multiset_free(&all);
}

static void
test_unions(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned finer = 0; finer < 2; finer++)
            for (uint64_t seed = 0; seed < 3; seed++)
                check_case(&cases[i], finer, 1000 * i + 10 * seed + finer);
    conclude("many filters united are their greater counts");
}

/* Pending values that meet: with one another, with a table, in a sum, with an item. */
static void
test_meetings(void)
{
    for (unsigned run = 0; run < trials_of(30); run++) {
        Random random = {run + 400};
        Multiset a, b, c, all;
        SketchBytes x = random_packed(&a, &random, 8, 1, 200, 2, 900);
        SketchBytes y = random_packed(&b, &random, 8, run % 2 ? 3000 : 1, 100, 2, 900);
        SketchBytes z = random_packed(&c, &random, 8, 1, 150, 1, 900);
        SketchState one = cuckoo_ops.open_many(x, &memory),
                    other = cuckoo_ops.open_many(y, &memory);
        SketchBytes transit;

        expect(merge_into(&cuckoo_ops, &other, z, &error), "refused");
        expect(merge_into(&cuckoo_ops, &one, sketch_bytes(other), &error), "refused");
        expect(merge_into(&cuckoo_ops, &one, x, &error), "refused");
        /* y and z meet at z's bits first. */
        multiset_merge(&b, &c, false);
        all = multiset_copy(&a);
        multiset_merge(&all, &b, false);
        expect(multiset_agrees(&all, sketch_bytes(one)), "run %u: of values that wait", run);
        transit = cuckoo_ops.transit(sketch_bytes(one), &memory);
        expect(multiset_agrees(&all, transit) && sketch_is_packed(transit.data), "in transit");
        release_bytes(transit);
        if (multiset_count(&all, mix64(77)) == 0)
            multiset_add(&all, mix64(77));
        expect(filter_insert(&one, mix64(77), &error) && multiset_agrees(&all, sketch_bytes(one)),
               "run %u: an item inserted", run);
        if (filter_sum(&other, z, &error)) {
            multiset_merge(&b, &c, true);
            expect(multiset_agrees(&b, sketch_bytes(other)), "run %u: a sum", run);
        }
        release_state(one);
        release_state(other);
        release_bytes(x);
        release_bytes(y);
        release_bytes(z);
        multiset_free(&a);
        multiset_free(&b);
        multiset_free(&c);
        multiset_free(&all);
    }
    conclude("a state whose values wait is a value like others");
}

/*
 * Adds filters up two by two and all at once: the same bytes, or both are refused. In halves, the
 * states of two workers are added up.
 */
static void
check_sum(const Case *c, bool finer, bool halves, uint64_t seed)
{
    Random random = {seed};
    SketchState pairs = {NULL, 0}, many[2] = {{NULL, 0}, {NULL, 0}};
    bool refused = false, refused_many = false;
    SketchBytes expected, packed;

    for (unsigned i = 0; i < c->filters; i++) {
        uint32_t capacity = finer && random_below(&random, 3) == 0 ? 5000 : 1;
        Multiset m;
        SketchBytes one = random_packed(&m, &random, c->f, capacity, c->items, c->copies, c->of);
        SketchState *part = &many[halves && i % 2];

        if (!pairs.data)
            pairs = cuckoo_open_table(one, &memory);
        else
            refused = refused || !filter_sum(&pairs, one, &error);
        if (!part->data)
            *part = cuckoo_open_sum(one, &memory);
        else
            refused_many = refused_many || !filter_sum(part, one, &error);
        expect(part->data[2] == CUCKOO_PENDING, "not pending");
        release_bytes(one);
        multiset_free(&m);
    }
    if (halves) {
        SketchState copy = cuckoo_open_sum(sketch_bytes(many[0]), &memory);

        release_state(many[0]);
        many[0] = copy;
        refused_many = refused_many || !filter_sum(&many[0], sketch_bytes(many[1]), &error);
        release_state(many[1]);
    }
    refused_many =
        refused_many || !cuckoo_pack_sum(sketch_bytes(many[0]), &memory, &packed, &error);
    expect(refused == refused_many, "%s: refused %d, %d", c->name, refused, refused_many);
    if (refused)
        expect(error.status == SKETCH_LIMIT, "%s: %s", c->name, error.reason);
    expected = cuckoo_ops.pack(sketch_bytes(pairs), &memory);
    expect(refused || (packed.size == expected.size &&
                       memcmp(packed.data, expected.data, packed.size) == 0),
           "%s: other bytes", c->name);
    if (!refused_many)
        release_bytes(packed);
    release_bytes(expected);
    release_state(pairs);
    release_state(many[0]);
}

static void
test_sums(void)
{
    static const Case sums[] = {
        {16, 40, 200, 1, 1000000, "apart"},
        {16, 8, 100, 1, 100, "each at most eight times"},
        {16, 9, 100, 1, 100, "one a ninth time"},
        {8, 30, 60, 2, 3000, "dense, with copies"},
        {8, 6, 30, 3, 500, "few"},
        {16, 20, 0, 1, 10, "empty"},
        {16, 12, 1, 8, 40, "one item each"},
    };

    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        for (unsigned way = 0; way < 4; way++)
            for (uint64_t seed = 0; seed < trials_of(8); seed++)
                check_sum(&sums[i], way & 1, way & 2, 1000 * i + 10 * seed + way);
    conclude("many filters added up are what two by two give, or are refused as they are");
}

/* The parameters of a union are those that a union of two has. */
static void
test_parameters(void)
{
    for (unsigned run = 0; run < trials_of(40); run++) {
        Random random = {run + 900};
        bool grows = random_below(&random, 2);
        SketchState state = {NULL, 0}, pairs = {NULL, 0};
        SketchBytes a, b;

        for (unsigned i = 0; i < 6; i++) {
            unsigned f = 10 + (unsigned)random_below(&random, 4);
            uint32_t capacity = (100 + (uint32_t)random_below(&random, 900))
                                << random_below(&random, 5);
            bool fixed = !(grows && random_below(&random, 3) == 0);
            SketchState one = cuckoo_new(capacity, fixed, f, &memory);
            SketchBytes packed;

            for (unsigned n = 0; n < 30; n++)
                filter_add(&one, mix64(n), &error);
            for (uint64_t n = random_below(&random, 9); n > 0; n--)
                cuckoo_delete(one, mix64(n), &memory);
            packed = cuckoo_ops.pack(sketch_bytes(one), &memory);
            if (i == 0) {
                state = cuckoo_ops.open_many(packed, &memory);
                pairs = cuckoo_ops.open(packed, &memory);
            } else
                expect(merge_into(&cuckoo_ops, &state, packed, &error) &&
                           merge_into(&cuckoo_ops, &pairs, packed, &error),
                       "refused");
            release_bytes(packed);
            release_state(one);
        }
        a = cuckoo_ops.pack(sketch_bytes(state), &memory);
        b = cuckoo_ops.pack(sketch_bytes(pairs), &memory);
        expect(same_bytes(a.data, a.size, b.data, b.size), "run %u", run);
        release_bytes(a);
        release_bytes(b);
        release_state(state);
        release_state(pairs);
    }
    conclude("bits, capacity and deletes are those of unions in pairs");
}

/*
 * 2^15 items are all that 16 hash bits allow: the exact number decides, however they wait.
 */
static void
test_limit(void)
{
    SketchState state = empty(8);
    bool good = true;

    for (unsigned i = 0; i < 40; i++) {
        /* 2,000 fingerprints each, of which the half was there. */
        CuckooHeader header = {.fingerprint_bits = 8, .hash_bits = 16, .items = 2000};
        uint64_t fingerprints[2000], before = cuckoo_state_header(cuckoo_state(state)).items;
        SketchBytes packed;

        for (uint64_t j = 0; j < 2000; j++)
            fingerprints[j] = (i * 1000 + j) % 65536;
        packed = cuckoo_encode(&header, fingerprints, &memory);
        good = merge_into(&cuckoo_ops, &state, packed, &error);
        release_bytes(packed);
        /* 1,000 (i + 2) of at most 32,768 */
        expect(good == (i <= 30), "%u: %s", i, good ? "united" : "refused");
        if (!good) {
            expect(error.status == SKETCH_LIMIT && error.found == 33000 && error.high == 32768,
                   "another reason");
            expect(cuckoo_state_header(cuckoo_state(state)).items >= 32000 || before == 0,
                   "changed");
            break;
        }
    }
    release_state(state);
    conclude("a union is refused when it has too many items, not before");
}

/* The memory of a state stays within what the essay says. */
static void
test_memory(void)
{
    Random random = {5};
    SketchState state = empty(16);
    size_t largest = 0;

    for (unsigned i = 0; i < 300; i++) {
        Multiset m;
        SketchBytes packed = random_packed(&m, &random, 16, 1, 40, 1, 3000), united;

        expect(merge_into(&cuckoo_ops, &state, packed, &error), "refused");
        united = cuckoo_ops.pack(sketch_bytes(state), &memory);
        expect(state.size <= 10 * united.size + 9000, "%zu bytes for %zu", state.size, united.size);
        largest = state.size > largest ? state.size : largest;
        release_bytes(united);
        release_bytes(packed);
        multiset_free(&m);
    }
    expect(largest > 20000, "never many at once: %zu", largest);
    release_state(state);
    conclude("a state takes ten times what its union does");
}

/* A union that gains no more items needs no other memory: it would grow anew after every union. */
static void
test_memory_kept(void)
{
    Random random = {6};
    Multiset m;
    SketchBytes packed = random_packed(&m, &random, 16, 1, 1500, 1, 1000000);
    SketchState state = cuckoo_ops.open_many(packed, &memory);
    const uint8_t *before = NULL;

    for (unsigned i = 0; i < 100; i++) {
        expect(merge_into(&cuckoo_ops, &state, packed, &error), "refused");
        expect(i <= 20 || state.data == before, "after %u", i);
        before = state.data;
    }
    release_state(state);
    release_bytes(packed);
    multiset_free(&m);
    conclude("a union of the same keeps its memory");
}

static bool
packs(SketchState state, const uint8_t *data)
{
    SketchState changed = {memory_value(state.size, NULL), state.size};
    SketchBytes packed;
    bool good;

    memcpy(changed.data, data, state.size);
    packed = cuckoo_ops.pack(sketch_bytes(changed), &memory);
    good = packed.data != NULL;
    if (good)
        release_bytes(packed);
    release_state(changed);
    return good;
}

#define BODY state_size(sizeof(CuckooState)) /* of a state: values, each behind its size */

/* Whatever storage made of the values: an answer or a refusal, and nothing beyond their bytes. */
static void
test_damage(void)
{
    for (unsigned run = 0; run < 2; run++) {
        Random random = {run};
        Multiset m;
        SketchBytes packed = random_packed(&m, &random, run ? 18 : 8, 1, 100, 2, 500);
        SketchState state = cuckoo_ops.open_many(packed, &memory);
        Bytes copy;
        SketchBytes part;

        for (unsigned i = 0; i < 3; i++)
            expect(merge_into(&cuckoo_ops, &state, packed, &error), "refused");
        copy = bytes_copy(state.data, state.size);
        expect(packs(state, copy.data), "as it was");
        for (size_t i = BODY; i < state.size; i++)
            for (unsigned bit = 0; bit < 8; bit++) {
                copy.data[i] ^= 1 << bit;
                packs(state, copy.data);
                copy.data[i] ^= 1 << bit;
            }
        /* The size of the first value, and its number of items. */
        for (unsigned i = 0; i < 2; i++) {
            size_t at = i ? BODY + 4 + 8 : BODY;

            copy.data[at]++;
            expect(!packs(state, copy.data), "byte %zu one more", at);
            copy.data[at] -= 2;
            expect(!packs(state, copy.data), "byte %zu one less", at);
            copy.data[at]++;
        }
        /* A value of less than a header. */
        copy.data[BODY] ^= 5 ^ (uint8_t)packed.size;
        copy.data[BODY + 1] ^= (uint8_t)(packed.size >> 8);
        expect(!packs(state, copy.data), "a value of 5 bytes");
        copy.data[BODY] ^= 5 ^ (uint8_t)packed.size;
        copy.data[BODY + 1] ^= (uint8_t)(packed.size >> 8);
        expect(packs(state, copy.data), "as it was again");
        /* Values that are damaged are not merged with another. */
        state.data[BODY + 4 + 8]++;
        part = packed;
        for (unsigned i = 0; i < 200; i++)
            if (!merge_into(&cuckoo_ops, &state, part, &error))
                break;
        expect(error.status == SKETCH_DAMAGED, "united");
        free(copy.data);
        release_state(state);
        release_bytes(packed);
        multiset_free(&m);
    }
    conclude("damaged values that wait");
}

/* A one too many in the last word of lengths, behind all items. */
static void
test_lengths(void)
{
    CuckooHeader header = {.fingerprint_bits = 8, .hash_bits = 16, .items = 100}, united;
    uint64_t fingerprints[100];
    SketchBytes packed;
    SketchState state;

    for (uint64_t i = 0; i < header.items; i++)
        fingerprints[i] = i;
    packed = cuckoo_encode(&header, fingerprints, &memory);
    for (unsigned values = 2; values <= 4; values++) {
        uint8_t *byte = (uint8_t *)packed.data + CUCKOO_PACKED_HEADER + 200 / 8;
        uint64_t *read;

        state = cuckoo_ops.open_many(packed, &memory);
        for (unsigned i = 1; i < values; i++) {
            *byte ^= i + 1 == values;
            expect(merge_into(&cuckoo_ops, &state, packed, &error), "refused");
        }
        expect(cuckoo_decode(packed, &memory) == NULL, "read");
        read = cuckoo_pending_read(sketch_bytes(state), &united, &memory, &error);
        expect(read == NULL, "%u united", values);
        *byte ^= 1;
        release_state(state);
    }
    release_bytes(packed);
    conclude("lengths with a one too many");
}

/* 400,000 items: each stretch of work asks whether to go on. */
static void
test_polls(void)
{
    CuckooHeader header = {.fingerprint_bits = 16, .hash_bits = 40, .items = 100000};
    uint64_t *fingerprints = malloc(header.items * sizeof *fingerprints);

    for (unsigned dense = 0; dense < 2; dense++) {
        SketchState state = {NULL, 0};
        SketchBytes packed;
        uint64_t *read;
        CuckooHeader united;

        header.hash_bits = dense ? 26 : 40;
        for (uint64_t i = 0; i < header.items; i++)
            fingerprints[i] = i * (dense ? 300 : 100000);
        packed = cuckoo_encode(&header, fingerprints, &memory);
        state = cuckoo_ops.open_many(packed, &memory);
        for (unsigned i = 0; i < 3; i++)
            expect(merge_into(&cuckoo_ops, &state, packed, &error), "refused");
        memory_polls = 0;
        read = cuckoo_pending_read(sketch_bytes(state), &united, &memory, &error);
        expect(read && united.items == header.items, "united");
        expect(memory_polls >= 4 * header.items / SKETCH_POLL_STEPS, "%zu polls", memory_polls);
        memory_release(read, NULL);
        release_state(state);
        release_bytes(packed);
    }
    free(fingerprints);
    conclude("uniting many asks whether to go on");
}

int
main(void)
{
    test_unions();
    test_meetings();
    test_sums();
    test_parameters();
    test_limit();
    test_memory();
    test_memory_kept();
    test_damage();
    test_lengths();
    test_polls();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
