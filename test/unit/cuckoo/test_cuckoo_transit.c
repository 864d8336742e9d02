/*
 * test_cuckoo_transit.c - states that are united elsewhere, and polls.
 */
#include "core/cuckoo/cuckoo_internal.h"
#include "../check.h"
#include "../memory.h"

static SketchState
list_of(uint64_t from, uint64_t to)
{
    SketchState state = cuckoo_new_list(1024, 16, &memory);
    SketchError error;

    for (uint64_t i = from; i < to; i++) {
        uint8_t *before = state.data;

        cuckoo_insert(&state, mix64(i), &memory, &error);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    return state;
}

static SketchBytes
finish(SketchState state)
{
    SketchBytes packed = cuckoo_ops.pack(sketch_bytes(state), &memory);

    release_state(state);
    return packed;
}

static SketchBytes
arrived(SketchState state)
{
    SketchBytes transit = cuckoo_ops.transit(sketch_bytes(state), &memory), value;
    SketchError error = {.reason = ""};

    release_state(state);
    if (!cuckoo_ops.validate(transit, &memory, &value, &error)) {
        expect(false, "refused in transit: %s", error.reason);
        return transit;
    }
    expect(same_bytes(value.data, value.size, transit.data, transit.size), "changed");
    release_bytes(transit);
    return value;
}

static void
test_shards(void)
{
    static const uint64_t sizes[] = {1, 40, 700, 3000};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t each = sizes[i];
        SketchState united = {NULL, 0};
        SketchBytes a, b;

        for (uint64_t shard = 0; shard < 32; shard++) {
            SketchBytes value = arrived(list_of(shard * each, (shard + 1) * each + each / 3));
            SketchError error = {.reason = ""};

            expect(value.data[2] == CUCKOO_TRANSIT, "another encoding");
            if (united.data == NULL)
                united = cuckoo_ops.open(value, &memory);
            else
                expect(merge_into(&cuckoo_ops, &united, value, &error), "%s", error.reason);
            release_bytes(value);
        }
        a = finish(united);
        b = finish(list_of(0, 32 * each + each / 3));
        expect(same_bytes(a.data, a.size, b.data, b.size), "32 shards of %llu are another filter",
               (unsigned long long)each);
        release_bytes(a);
        release_bytes(b);
    }
    conclude("32 shards in transit, united, are the filter of a serial plan");
}

/* It packs as the list would, and is united with a table as a packed filter is. */
static void
test_others(void)
{
    SketchBytes value = arrived(list_of(0, 1000)), packed = cuckoo_ops.pack(value, &memory);
    SketchBytes expected = finish(list_of(0, 1000)), again;
    SketchState table = cuckoo_open_table(expected, &memory);
    SketchError error = {.reason = ""};
    CuckooHeader header;

    expect(same_bytes(packed.data, packed.size, expected.data, expected.size), "packed otherwise");
    expect(merge_into(&cuckoo_ops, &table, value, &error), "%s", error.reason);
    again = finish(table);
    expect(same_bytes(again.data, again.size, expected.data, expected.size), "united otherwise");
    release_bytes(again);
    again = cuckoo_ops.transit(expected, &memory);
    expect(same_bytes(again.data, again.size, expected.data, expected.size),
           "a packed value does not travel packed");
    release_bytes(again);
    table = cuckoo_open_table(value, &memory);
    header = cuckoo_state_header(cuckoo_state(table));
    expect(header.items == 1000 && header.hash_bits == 24, "%u hash bits", header.hash_bits);
    release_state(table);
    release_bytes(packed);
    release_bytes(expected);
    release_bytes(value);
    conclude("a list in transit is the filter of its hashes");
}

static bool
refused(const uint8_t *data, size_t size, const char *reason)
{
    SketchError error = {.reason = ""};
    SketchBytes value;

    if (cuckoo_ops.validate((SketchBytes){data, size}, &memory, &value, &error)) {
        release_bytes(value);
        return false;
    }
    return error.status == SKETCH_MALFORMED && strcmp(error.reason, reason) == 0;
}

static void
test_refusals(void)
{
    SketchBytes good = arrived(list_of(0, 50));
    uint8_t *bad = memory_value(good.size, NULL);

#define TRY(change, bytes, reason)                                                                 \
    do {                                                                                           \
        memcpy(bad, good.data, good.size);                                                         \
        change;                                                                                    \
        expect(refused(bad, bytes, reason), "not refused: %s", reason);                            \
    } while (0)
    TRY(memcpy(bad + 36, bad + 28, 8), good.size, "Hashes are not in ascending order");
    TRY((void)0, good.size - 1, "The hashes do not fit the header");
    TRY(store_le64(bad + 8, 51), good.size, "The hashes do not fit the header");
    TRY(store_le64(bad + 8, 49), good.size, "The hashes do not fit the header");
    TRY(store_le64(bad + 8, UINT64_C(50) | UINT64_C(1) << 32), good.size,
        "Too many hashes for a value in transit");
    TRY(store_le64(bad + 8, 0), CUCKOO_PACKED_HEADER, "Too many hashes for a value in transit");
    TRY(bad[16] = 1, good.size, "Reserved bytes are not zero");
    TRY(bad[24] = 1, good.size, "Reserved bytes are not zero");
    TRY(bad[6] = 1, good.size, "Reserved bytes are not zero");
    TRY(bad[5] = 16, good.size, "Hash bits out of range");
    memory_release_value(bad, NULL);
    release_bytes(good);
    conclude("no lie in transit is believed");
}

/*
 * Lists in transit whose numbers storage damaged, by the hashes told: read as far as there are any,
 * or refused.
 */
static void
test_told(void)
{
    SketchState list = list_of(0, 50);
    SketchBytes transit = cuckoo_ops.transit(sketch_bytes(list), &memory);
    const struct {
        SketchBytes value;
        uint64_t told;
        bool good;
    } cases[] = {
        {transit, 50, true},          {transit, 49, false},
        {transit, 51, false},         {transit, UINT64_C(1) << 32 | 50, false},
        {transit, UINT64_MAX, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SketchBytes told = {memory_value(cases[i].value.size, NULL), cases[i].value.size}, packed;
        SketchState state = cuckoo_new(1024, false, 16, &memory), opened;
        SketchError error = {.status = SKETCH_OK};

        memcpy((uint8_t *)told.data, cases[i].value.data, told.size);
        store_le64((uint8_t *)told.data + 8, cases[i].told);
        opened = cuckoo_ops.open(told, &memory);
        packed = cuckoo_ops.pack(told, &memory);
        expect((opened.data != NULL) == cases[i].good && (packed.data != NULL) == cases[i].good,
               "case %zu: opened %d, packed %d", i, opened.data != NULL, packed.data != NULL);
        expect(merge_into(&cuckoo_ops, &state, told, &error) == cases[i].good &&
                   (cases[i].good || error.status == SKETCH_DAMAGED),
               "case %zu: merged", i);
        if (opened.data)
            release_state(opened);
        if (packed.data)
            release_bytes(packed);
        release_state(state);
        release_bytes(told);
    }
    release_bytes(transit);
    release_state(list);
    conclude("lists that tell more hashes than they have");
}

#define POLLED(what, statement)                                                                    \
    do {                                                                                           \
        size_t before = memory_polls;                                                              \
        statement;                                                                                 \
        expect(memory_polls > before, "%s does not poll", what);                                   \
    } while (0)

static void
test_polls(void)
{
    SketchState list = list_of(0, 150000), other = list_of(100000, 250000), table, sum;
    SketchBytes value, again;
    SketchError error = {.reason = ""};
    CuckooHeader header;
    uint64_t *fingerprints;

    POLLED("packing", value = cuckoo_ops.pack(sketch_bytes(list), &memory));
    POLLED("going in transit", again = cuckoo_ops.transit(sketch_bytes(list), &memory));
    release_bytes(again);
    POLLED("decoding", fingerprints = cuckoo_decode(value, &memory));
    header = cuckoo_header(value);
    POLLED("encoding", again = cuckoo_encode(&header, fingerprints, &memory));
    POLLED("a table", table = cuckoo_new_table(&header, fingerprints, 100, &memory));
    release_bytes(again);
    memory_release(fingerprints, NULL);
    POLLED("reading a table",
           fingerprints = cuckoo_table_read(sketch_bytes(table), &header, &memory));
    memory_release(fingerprints, NULL);
    again = finish(other);
    sum = cuckoo_open_table(value, &memory);
    POLLED("a sum", {
        uint8_t *before_sum = sum.data;

        expect(cuckoo_sum(&sum, again, &memory, &error), "%s", error.reason);
        if (sum.data != before_sum)
            memory_release_value(before_sum, NULL);
    });
    POLLED("a union", expect(merge_into(&cuckoo_ops, &table, again, &error), "not united"));
    release_bytes(again);
    release_bytes(value);
    release_state(table);
    release_state(sum);
    release_state(list);
    conclude("every long loop asks whether to go on");
}

/* One fingerprint 200,000 times: whatever has to pass all of them polls. */
static void
test_crowd(void)
{
    CuckooHeader header = {.fingerprint_bits = 16, .hash_bits = 40, .items = 200000};
    uint64_t *fingerprints = memory_scratch(header.items * sizeof *fingerprints, NULL), count;
    SketchError error = {.reason = ""};
    SketchBytes value;
    SketchState table;

    for (uint64_t i = 0; i < header.items; i++)
        fingerprints[i] = UINT64_C(1) << 39;
    value = cuckoo_encode(&header, fingerprints, &memory);
    table = cuckoo_new_table(&header, fingerprints, 4, &memory);
    POLLED("counting", {
        expect(cuckoo_count_packed(value, UINT64_C(1) << 63, &count, &memory) &&
                   count == header.items,
               "%llu copies", (unsigned long long)count);
    });
    POLLED("deleting", expect(cuckoo_delete(table, UINT64_C(1) << 63, &memory), "not deleted"));
    POLLED("adding",
           expect(cuckoo_add(&table, (UINT64_C(1) << 63) - 1, &memory, &error), "not added"));
    POLLED("decoding one bucket", memory_release(cuckoo_decode(value, &memory), NULL));
    release_state(table);
    release_bytes(value);
    memory_release(fingerprints, NULL);
    conclude("a crowd of equal items can be left");
}

/* A run of 1,200,000 items, none of which is asked for: its lengths are passed twice. */
static void
test_long_run(void)
{
    CuckooHeader header = {.fingerprint_bits = 16, .hash_bits = 40, .items = 1200000};
    uint64_t *fingerprints = memory_scratch(header.items * sizeof *fingerprints, NULL), count;
    SketchBytes value;
    size_t before;

    for (uint64_t i = 0; i < header.items; i++)
        fingerprints[i] = (UINT64_C(1) << 39) + 1;
    value = cuckoo_encode(&header, fingerprints, &memory);
    before = memory_polls;
    expect(cuckoo_count_packed(value, UINT64_C(1) << 63, &count, &memory) && count == 0,
           "%llu found", (unsigned long long)count);
    expect(memory_polls >= before + 2, "%zu polls", memory_polls - before);
    release_bytes(value);
    memory_release(fingerprints, NULL);
    conclude("counting the items of a bucket and of a run asks whether to go on");
}

/* More copies than a word has bits, wherever in it they begin. */
static void
test_copies(void)
{
    for (uint64_t quotient = 0; quotient < 128; quotient++) {
        CuckooHeader header = {.fingerprint_bits = 16, .hash_bits = 27, .items = 100};
        uint64_t fingerprints[100], count;
        SketchBytes value;

        for (unsigned i = 0; i < 100; i++)
            fingerprints[i] = quotient << 20;
        value = cuckoo_encode(&header, fingerprints, &memory);
        expect(cuckoo_count_packed(value, quotient << 57, &count, &memory) && count == 100,
               "quotient %u: %u", (unsigned)quotient, (unsigned)count);
        expect(
            cuckoo_count_packed(value, (quotient << 57) + (UINT64_C(1) << 40), &count, &memory) &&
                count == 0,
            "quotient %u, another remainder: %u", (unsigned)quotient, (unsigned)count);
        release_bytes(value);
    }
    conclude("a hundred copies of an item are counted");
}

/* How often core had asked when it took memory for a value. */
static size_t polls_before_value;

static uint8_t *
value_noticed(uint64_t size, void *context)
{
    polls_before_value = memory_polls;
    return memory_value(size, context);
}

/* Encoding counts the items of all buckets, and writes them only then. */
static void
test_encoding(void)
{
    CuckooHeader header = {.fingerprint_bits = 16, .hash_bits = 40, .items = 5 * SKETCH_POLL_STEPS};
    uint64_t *fingerprints = memory_scratch(header.items * sizeof *fingerprints, NULL);
    SketchMemory noticed = memory;
    SketchBytes value;

    noticed.value = value_noticed;
    for (uint64_t i = 0; i < header.items; i++)
        fingerprints[i] = 1000000 * i;
    memory_polls = 0;
    value = cuckoo_encode(&header, fingerprints, &noticed);
    expect(polls_before_value >= 4, "%zu polls while counting", polls_before_value);
    expect(memory_polls >= polls_before_value + 4, "%zu polls", memory_polls);
    release_bytes(value);
    memory_release(fingerprints, NULL);
    conclude("many buckets are counted and written with polls");
}

/* A sum reads both filters, looks whether the copies fit, merges, and makes a table. */
static void
test_sum(void)
{
    const uint64_t most = 10 * SKETCH_POLL_STEPS;
    CuckooHeader header = {.fingerprint_bits = 16, .hash_bits = 40, .items = most};
    uint64_t *fingerprints = memory_scratch(most * sizeof *fingerprints, NULL);
    SketchError error = {.reason = ""};
    SketchState one, other;
    size_t polls[2];

    /* A union of as many, in the same way, does all of it but the look. */
    for (unsigned sum = 0; sum < 2; sum++) {
        uint8_t *first;

        for (uint64_t i = 0; i < most; i++)
            fingerprints[i] = 1000000 * i;
        one = cuckoo_new_table(&header, fingerprints, 4, &memory);
        for (uint64_t i = 0; i < most; i++)
            fingerprints[i]++;
        other = cuckoo_new_table(&header, fingerprints, 4, &memory);
        first = one.data;
        memory_polls = 0;
        expect(sum ? cuckoo_sum(&one, sketch_bytes(other), &memory, &error)
                   : cuckoo_merge(&one, sketch_bytes(other), &memory, &error),
               "%s", error.reason);
        polls[sum] = memory_polls;
        expect(one.data != first, "in place");
        memory_release_value(first, NULL);
        release_state(one);
        release_state(other);
    }
    expect(polls[1] >= polls[0] + 2 * most / SKETCH_POLL_STEPS,
           "%zu polls of a sum, %zu of a union", polls[1], polls[0]);
    memory_release(fingerprints, NULL);
    conclude("a sum asks once more whether to go on, for every piece");
}

int
main(void)
{
    test_shards();
    test_others();
    test_refusals();
    test_told();
    test_polls();
    test_crowd();
    test_long_run();
    test_copies();
    test_encoding();
    test_sum();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
