/*
 * fuzz_cuckoo.c - every question to a cuckoo filter.
 */
#include "fuzz.h"

#include "core/common/bytes.h"
#include "core/cuckoo/cuckoo.h"
#include "core/cuckoo/cuckoo_internal.h"

static uint64_t *
read_fingerprints(SketchBytes value, CuckooHeader *header)
{
    uint64_t *fingerprints = cuckoo_read(value, header, &memory);

    fuzz_check(fingerprints, "validated, but cannot be read");
    return fingerprints;
}

static bool
counts_to(SketchBytes packed, CuckooView *view, uint64_t hash, uint64_t count)
{
    uint64_t found;

    return cuckoo_count(view, hash) == count && !view->missing &&
           cuckoo_count_packed(packed, hash, &found, &memory) && found == count;
}

/* A slice answers as the whole does, or says that it cannot. */
static void
check_slice(SketchBytes packed, uint64_t hash, uint64_t count)
{
    CuckooView view = cuckoo_view(packed, &memory);
    size_t offset = cuckoo_probe_offset(&view.layout, hash), size = packed.size - offset;
    Bytes slice;

    if (view.layout.items == 0 || offset >= packed.size)
        return;
    if (size > cuckoo_probe_size(&view.layout))
        size = hash % 3 ? cuckoo_probe_size(&view.layout) : hash % size;
    slice = bytes_copy(packed.data + offset, size);
    view.offset = offset;
    view.data = slice.data;
    view.size = slice.size;
    fuzz_check(cuckoo_count(&view, hash) == count || view.missing, "a slice answers otherwise");
    free(slice.data);
}

static void
check_counts(SketchBytes packed, SketchState table, const uint64_t *fingerprints,
             const CuckooHeader *header)
{
    CuckooView view = cuckoo_view(packed, &memory);
    uint64_t step = header->items / 500 + 1;

    for (uint64_t i = 0; i < header->items;) {
        uint64_t count = 0, at = i;
        uint64_t hash = fingerprints[i] << (64 - header->hash_bits);
        uint64_t other = mix64(hash + header->items);

        for (; i < header->items && fingerprints[i] == fingerprints[at]; i++)
            count++;
        if (at / step == (at - 1) / step && at > 0)
            continue;
        fuzz_check(counts_to(packed, &view, hash, count), "a count, packed");
        fuzz_check(cuckoo_table_count(table, hash) == count, "a count, table");
        check_slice(packed, hash, count);
        count = cuckoo_table_count(table, other);
        fuzz_check(counts_to(packed, &view, other, count), "a count of another");
        check_slice(packed, other, count);
    }
}

/* Added and deleted again, and the filter is what it was but for the deletes. */
static void
check_changes(SketchBytes packed, const CuckooHeader *header)
{
    SketchState state = cuckoo_open_table(packed, &memory);
    SketchError error = {.status = SKETCH_OK};
    uint64_t hash = mix64(header->items + header->deletes);
    uint64_t count = cuckoo_table_count(state, hash);
    uint8_t *before = state.data;
    bool added = cuckoo_add(&state, hash, &memory, &error);
    SketchBytes after;

    if (state.data != before)
        memory_release_value(before, NULL);
    if (added) {
        fuzz_check(cuckoo_table_count(state, hash) == count + 1, "one more");
        fuzz_check(cuckoo_delete(state, hash, &memory), "deleting what was added");
    } else {
        fuzz_check_refusal(error);
        fuzz_check(count >= CUCKOO_COPIES_MAX || header->items >= cuckoo_limit(header),
                   "an item refused");
    }
    fuzz_check(cuckoo_table_count(state, hash) == count, "as many as before");
    after = cuckoo_ops.pack(sketch_bytes(state), &memory);
    fuzz_check(after.size == packed.size && memcmp(after.data, packed.data, 16) == 0 &&
                   memcmp(after.data + 24, packed.data + 24, packed.size - 24) == 0,
               "not what it was");
    release_bytes(after);
    before = state.data;
    cuckoo_compact(&state, &memory);
    if (state.data != before)
        memory_release_value(before, NULL);
    after = cuckoo_ops.pack(sketch_bytes(state), &memory);
    fuzz_check(after.size <= packed.size && cuckoo_header(after).items == header->items &&
                   cuckoo_header(after).deletes == 0,
               "compacting");
    release_bytes(after);
    release_state(state);
}

/* Storage may turn it into anything: but whatever is done with it ends. */
static void
check_damaged(SketchBytes good)
{
    for (unsigned i = 0; i < 4; i++) {
        uint8_t *data = memory_value(good.size, NULL);
        SketchBytes damaged = {data, good.size}, again;

        memcpy(data, good.data, good.size);
        if (i < 2)
            data[2] = i ? CUCKOO_LIST : good.size % 2 ? CUCKOO_TABLE : CUCKOO_PENDING;
        else {
            uint64_t where = mix64(good.size + i + data[good.size - 1]);

            data[4 + where % (good.size - 4)] ^= (uint8_t)(where >> 56 | 1);
        }
        again = cuckoo_ops.pack(damaged, &memory);
        if (again.data)
            release_bytes(again);
        if (!sketch_is_working(data)) {
            CuckooView view = cuckoo_view(damaged, &memory);
            uint64_t count = cuckoo_count(&view, mix64(i)), found;

            fuzz_check(cuckoo_count_packed(damaged, mix64(i), &found, &memory) == !view.missing &&
                           (view.missing || found == count),
                       "a damaged value probed in two ways");
        }
        memory_release_value(data, NULL);
    }
}

static void
fuzz_cuckoo_ask(SketchBytes packed, SketchBytes working)
{
    CuckooHeader header, again;
    uint64_t *fingerprints = read_fingerprints(packed, &header);
    uint64_t *other = read_fingerprints(working, &again);
    SketchState state = {(uint8_t *)working.data, working.size};

    fuzz_check(header.items == again.items && header.deletes == again.deletes &&
                   header.fingerprint_bits == again.fingerprint_bits &&
                   header.hash_bits == again.hash_bits && header.capacity == again.capacity,
               "the working value is another one");
    fuzz_check(memcmp(fingerprints, other, header.items * sizeof *other) == 0,
               "the working value has other items");
    fuzz_check(cuckoo_current_bits(&header) <= header.fingerprint_bits &&
                   cuckoo_false_positive_rate(&header) >= 0 &&
                   cuckoo_false_positive_rate(&header) <= 0.4,
               "rate");
    check_counts(packed, state, fingerprints, &header);
    check_changes(packed, &header);
    check_damaged(packed);
    memory_release(fingerprints, NULL);
    memory_release(other, NULL);
}

/* Many at once are what they are one after the other. */
static void
check_gathered(SketchBytes a, SketchBytes b, SketchBytes both)
{
    SketchState state = cuckoo_ops.open_many(a, &memory);
    SketchError error = {.status = SKETCH_OK};
    CuckooHeader of_a = cuckoo_header(a), of_b = cuckoo_header(b), header;
    SketchBytes packed;

    for (unsigned i = 0; i < 6; i++)
        if (!merge_into(&cuckoo_ops, &state, i % 2 ? a : b, &error)) {
            fuzz_check_refusal(error);
            break;
        }
    if (error.status == SKETCH_OK && of_a.hash_bits == of_b.hash_bits) {
        packed = cuckoo_ops.pack(sketch_bytes(state), &memory);
        fuzz_check(packed.size == both.size && memcmp(packed.data, both.data, both.size) == 0,
                   "many at once are another union");
        release_bytes(packed);
    } else if (error.status == SKETCH_OK) {
        uint64_t *fingerprints = read_fingerprints(sketch_bytes(state), &header);

        fuzz_check(header.items > 0 || (of_a.items == 0 && of_b.items == 0), "items are lost");
        memory_release(fingerprints, NULL);
    }
    release_state(state);
}

/* Of each item the union has at least as many copies as each of the two. */
static void
fuzz_cuckoo_ask_two(SketchBytes a, SketchBytes b)
{
    SketchState both = cuckoo_ops.open(a, &memory);
    SketchState sum = cuckoo_ops.open(a, &memory);
    uint8_t *before = sum.data;
    SketchError error = {.status = SKETCH_OK};
    CuckooHeader of_a = cuckoo_header(a), of_b = cuckoo_header(b), of_both;
    SketchBytes packed;

    fuzz_check(merge_into(&cuckoo_ops, &both, b, &error), "merged only once");
    packed = cuckoo_ops.pack(sketch_bytes(both), &memory);
    of_both = cuckoo_header(packed);
    fuzz_check(of_both.items <= of_a.items + of_b.items && of_both.items >= of_a.items &&
                   of_both.items >= of_b.items,
               "the items of a union");
    for (unsigned i = 0; i < 2; i++) {
        CuckooHeader header;
        uint64_t *fingerprints = read_fingerprints(i ? b : a, &header);
        CuckooView one = cuckoo_view(i ? b : a, &memory), union_view = cuckoo_view(packed, &memory);

        for (uint64_t j = 0; j < header.items; j += header.items / 300 + 1) {
            uint64_t hash = fingerprints[j] << (64 - header.hash_bits);

            fuzz_check(cuckoo_count(&union_view, hash) >= cuckoo_count(&one, hash),
                       "a union lost an item");
        }
        memory_release(fingerprints, NULL);
    }
    check_gathered(a, b, packed);
    if (cuckoo_sum(&sum, b, &memory, &error)) {
        SketchBytes summed = cuckoo_ops.pack(sketch_bytes(sum), &memory);

        fuzz_check(cuckoo_header(summed).items == of_a.items + of_b.items, "the items of a sum");
        release_bytes(summed);
    } else
        fuzz_check_refusal(error);
    if (sum.data != before)
        memory_release_value(before, NULL);
    release_bytes(packed);
    release_state(both);
    release_state(sum);
}

static SketchBytes
list_in_transit(Random *random, uint64_t items, unsigned bits)
{
    SketchState state = cuckoo_new_list(1024, bits, &memory);
    SketchBytes transit;
    SketchError error;

    for (; items > 0; items--) {
        uint8_t *before = state.data;

        cuckoo_insert(&state, random_next(random), &memory, &error);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    transit = cuckoo_ops.transit(sketch_bytes(state), &memory);
    release_state(state);
    return transit;
}

/* Few items mostly; some of them often, some close together, some filters that do not grow. */
static size_t
fuzz_cuckoo_seed(Random *random, uint8_t *buffer)
{
    unsigned bits = 8 + (unsigned)random_below(random, random_below(random, 2) ? 25 : 9);
    uint32_t capacity = 1 + (uint32_t)(random_next(random) >> (34 + random_below(random, 30)));
    bool fixed = random_below(random, 4) == 0;
    uint64_t items = random_below(random, random_below(random, 16) ? 300 : 5000);
    uint64_t universe = 1 + random_below(random, 2 * items + 1);
    unsigned skew = random_below(random, 4) ? 0 : (unsigned)random_below(random, 60);
    SketchState state = cuckoo_new(capacity, fixed, bits, &memory);
    SketchError error;
    SketchBytes packed;
    size_t size;

    for (uint64_t i = 0; i < items; i++) {
        uint64_t hash = mix64(random_below(random, universe));
        uint8_t *before = state.data;

        cuckoo_add(&state, random_below(random, 4) ? hash >> skew : hash, &memory, &error);
        if (state.data != before)
            memory_release_value(before, NULL);
        if (random_below(random, 8) == 0)
            cuckoo_delete(state, hash, &memory);
    }
    packed = random_below(random, 4) ? cuckoo_ops.pack(sketch_bytes(state), &memory)
                                     : list_in_transit(random, items, bits);
    size = packed.size;
    memcpy(buffer, packed.data, size);
    release_bytes(packed);
    release_state(state);
    return size;
}

static const FuzzMode cuckoo = {.number = 6,
                                .name = "cuckoo",
                                .ops = &cuckoo_ops,
                                .sets = true,
                                .ask = fuzz_cuckoo_ask,
                                .ask_two = fuzz_cuckoo_ask_two,
                                .seed = fuzz_cuckoo_seed};

FUZZ_MODE(cuckoo)
