/*
 * test_topk_merge.c - unions and decay: bounds hold through any of them.
 */
#include "../heavy.h"

#include "core/topk/working.h"

static SketchError error;

static const TopkType types[] = {TOPK_BIGINT, TOPK_TEXT};

/* `rows` rows of a part: shuffled, or items of its own in clusters. */
static Heavy
part_of(uint32_t k, TopkType type, uint32_t items, uint32_t rows, uint32_t part, bool clustered)
{
    Heavy heavy = heavy_new(k, type, items);
    Random random = {part * 1000 + rows};

    for (uint32_t n = 0; n < rows; n++) {
        uint32_t item = zipf(&random, items);

        if (clustered)
            item = (item + n / 50 * 11 + part * 7) % items;
        heavy_add(&heavy, item, 1);
    }
    return heavy;
}

/* ---- unions ---- */

/* Any tree of merges, packed or not on the way, of parts of any size. */
static void
test_trees(void)
{
    for (unsigned t = 0; t < 2; t++)
        for (unsigned shape = 0; shape < 4; shape++) {
            Heavy parts[16];
            char what[32];

            for (uint32_t i = 0; i < 16; i++)
                parts[i] = part_of(10, types[t], 20000, i % 5 == 0 ? 40 * i : 9000, i, shape & 1);
            snprintf(what, sizeof what, "type %u, shape %u", t, shape);
            if (shape < 2)
                for (uint32_t i = 1; i < 16; i++)
                    heavy_merge(&parts[0], &parts[i], true);
            else
                for (uint32_t step = 1; step < 16; step *= 2)
                    for (uint32_t i = 0; i < 16; i += 2 * step)
                        heavy_merge(&parts[i], &parts[i + step], i % 4 == 0);
            heavy_check(&parts[0], what);
            expect(topk_header(sketch_bytes(parts[0].state)).error_bound > 0, "%s: exact", what);
            for (uint32_t i = 0; i < 16; i++)
                heavy_free(&parts[i]);
        }
    conclude("bounds through trees of merges");
}

/* As long as nothing was dropped, a union is what one sketch of all rows is. */
static void
test_exact_union(void)
{
    for (unsigned t = 0; t < 2; t++)
        for (unsigned rows = 0; rows < 1000; rows = rows * 3 + 1) {
            Heavy a = part_of(100, types[t], 700, rows, 1, false);
            Heavy b = part_of(100, types[t], 700, 300, 2, true);
            Heavy all = heavy_new(100, types[t], 700);
            SketchBytes ab, ba, whole, alone = heavy_pack(a.state);
            SketchState other = topk_ops.open(alone, &memory);
            Heavy reverse = {.state = topk_ops.open(sketch_bytes(b.state), &memory),
                             .type = types[t],
                             .items = 700,
                             .truth = calloc(700, sizeof(uint64_t))};

            for (uint32_t i = 0; i < 700; i++) {
                reverse.truth[i] = b.truth[i];
                if (a.truth[i] + b.truth[i] > 0)
                    heavy_add(&all, i, a.truth[i] + b.truth[i]);
            }
            heavy_merge(&reverse, &a, false);
            heavy_merge(&a, &b, true);
            ab = heavy_pack(a.state);
            ba = heavy_pack(reverse.state);
            whole = heavy_pack(all.state);
            expect(same_bytes(ab.data, ab.size, whole.data, whole.size), "%u rows: a | b", rows);
            expect(same_bytes(ba.data, ba.size, whole.data, whole.size), "%u rows: b | a", rows);
            release_bytes(ab);
            release_bytes(ba);
            release_bytes(whole);
            release_bytes(alone);
            release_state(other);
            heavy_free(&a);
            heavy_free(&b);
            heavy_free(&all);
            heavy_free(&reverse);
        }
    conclude("the union of exact sketches is exact, in either order");
}

/* Merged with nothing, a sketch stays what it is, whichever comes first; so does its type. */
static void
test_empty(void)
{
    for (unsigned t = 0; t < 2; t++)
        for (unsigned rows = 1; rows < 20000; rows *= 20) {
            Heavy heavy = part_of(10, types[t], 5000, rows, 3, true);
            Heavy none = heavy_new(10, types[t], 5000);
            SketchBytes before = heavy_pack(heavy.state), after;

            heavy_merge(&heavy, &none, true);
            after = heavy_pack(heavy.state);
            expect(same_bytes(before.data, before.size, after.data, after.size), "with nothing");
            release_bytes(after);
            heavy_merge(&none, &heavy, true);
            after = heavy_pack(none.state);
            expect(same_bytes(before.data, before.size, after.data, after.size), "into nothing");
            heavy_check(&none, "into nothing");
            release_bytes(after);
            release_bytes(before);
            heavy_free(&heavy);
            heavy_free(&none);
        }
    conclude("union with an empty sketch");
}

/* The lower k of the two; what a state of the higher one holds stays readable. */
static void
test_other_k(void)
{
    static const uint32_t ks[] = {1, 10, 200};

    for (unsigned t = 0; t < 2; t++)
        for (unsigned i = 0; i < 3; i++)
            for (unsigned j = 0; j < 3; j++) {
                Heavy a = part_of(ks[i], types[t], 60000, 30000, 1, false);
                Heavy b = part_of(ks[j], types[t], 60000, 30000, 2, true);
                uint32_t lower = ks[i < j ? i : j];

                heavy_merge(&a, &b, j % 2 == 0);
                expect(topk_header(sketch_bytes(a.state)).k == lower, "%u and %u: k", ks[i], ks[j]);
                heavy_check(&a, "other k");
                for (uint32_t n = 0; n < 60000; n++)
                    heavy_add(&a, n % 7000, 1);
                heavy_check(&a, "other k, and more");
                heavy_free(&a);
                heavy_free(&b);
            }
    conclude("a union has the lower k");
}

static void
refused(SketchState *state, SketchBytes other, SketchStatus status, const char *what)
{
    Bytes before = bytes_copy(state->data, state->size);

    expect(!merge_into(&topk_ops, state, other, &error) && error.status == status, "%s", what);
    expect(same_bytes(before.data, before.size, state->data, state->size),
           "%s: a refusal changed something", what);
    free(before.data);
}

static void
test_refused(void)
{
    for (unsigned t = 0; t < 2; t++) {
        Heavy a = part_of(10, types[t], 100, 50, 1, false);
        Heavy b = part_of(10, types[!t], 100, 50, 1, false);
        SketchBytes packed = heavy_pack(b.state), mine = heavy_pack(a.state);

        refused(&a.state, packed, SKETCH_MISMATCH, "text and bigint, packed");
        refused(&a.state, sketch_bytes(b.state), SKETCH_MISMATCH, "text and bigint");
        heavy_add(&a, 1, INT64_MAX - 99);
        refused(&a.state, mine, SKETCH_OVERFLOW, "more than 2^63-1");
        expect(error.found == 50 && error.high == 49, "the numbers of the refusal");
        release_bytes(packed);
        release_bytes(mine);
        heavy_free(&a);
        heavy_free(&b);
    }
    conclude("what cannot be merged is refused, and nothing has changed");
}

/* The measure of the type, for every day: 16 stored parts, and the top 50 are right. */
static void
test_sixteen(void)
{
    for (unsigned how = 0; how < 3; how++) {
        Heavy all = heavy_new(50, TOPK_BIGINT, 100000);
        Heavy parts[16];
        Random random = {17};
        double off = 0;
        Topk topk;

        for (uint32_t i = 0; i < 16; i++)
            parts[i] = heavy_new(50, TOPK_BIGINT, 100000);
        for (uint32_t n = 0; n < 400000; n++) {
            uint32_t item = zipf(&random, 100000);

            /* Shuffled rows; items each in a part of their own; items in a few parts. */
            heavy_add(&parts[how == 0   ? n % 16
                             : how == 1 ? item * 7 % 16
                                        : item * 7 / 3 % 16 ^ n % 4],
                      item, 1);
        }
        for (uint32_t i = 0; i < 16; i++)
            heavy_merge(&all, &parts[i], true);
        heavy_check(&all, "sixteen");
        topk = heavy_read(sketch_bytes(all.state));
        for (uint32_t i = 0; i < 50; i++) {
            uint8_t buffer[TEXT_MOST];
            uint32_t at = topk_find(&topk, item_of(TOPK_BIGINT, i, buffer));

            /* The frequencies of items 40 and 60 are seven standard deviations apart. */
            if (i < 40)
                expect(at < 50, "item %u is at %u", i, at);
            if (at < topk.header.counters)
                off += fabs((double)all.truth[i] - (double)topk.counters[at].count) /
                       (double)all.truth[i];
        }
        expect(off / 50 <= 0.002, "mean error %g", off / 50);
        heavy_close(&topk);
        for (uint32_t i = 0; i < 16; i++)
            heavy_free(&parts[i]);
        heavy_free(&all);
    }
    conclude("the top of 16 stored parts, their counts within .2 %% in the mean");
}

/* ---- decay ---- */

static SketchState
decayed(SketchState state, double factor)
{
    SketchBytes packed = topk_decay(sketch_bytes(state), factor, &memory);
    SketchState opened = topk_ops.open(packed, &memory);
    SketchBytes again;

    if (!topk_ops.validate(packed, &memory, &again, &error)) {
        expect(false, "decayed by %g, it is refused: %s", factor, error.reason);
        again = topk_ops.pack(packed, &memory);
    }
    expect(same_bytes(again.data, again.size, packed.data, packed.size), "decayed by %g", factor);
    release_bytes(again);
    release_bytes(packed);
    release_state(state);
    return opened;
}

/* Rows that came earlier weigh less: within the bounds is the sum of their weights. */
static void
test_decay(void)
{
    static const double factors[] = {0.5, 0.9, 0.1, 0.999, 1, 1.0 / 3};

    for (unsigned t = 0; t < 2; t++)
        for (unsigned f = 0; f < 6; f++) {
            double *weight = calloc(3000, sizeof *weight);
            Heavy heavy = heavy_new(10, types[t], 3000);
            Random random = {f};
            Topk topk;

            for (unsigned round = 0; round < trials_of(12); round++) {
                heavy.state = decayed(heavy.state, factors[f]);
                for (uint32_t i = 0; i < 3000; i++)
                    weight[i] *= factors[f];
                for (unsigned n = 0; n < 3000; n++) {
                    uint32_t item = (zipf(&random, 3000) + round * 3) % 3000;

                    heavy_add(&heavy, item, 1);
                    weight[item]++;
                }
            }
            topk = heavy_read(sketch_bytes(heavy.state));
            for (uint32_t i = 0; i < 3000; i++) {
                uint8_t buffer[TEXT_MOST];
                uint32_t at = topk_find(&topk, item_of(types[t], i, buffer));
                bool known = at < topk.header.counters;
                double low = known ? (double)topk.counters[at].count : 0;
                double high =
                    known ? low + (double)topk.counters[at].error : (double)topk.header.error_bound;

                expect(weight[i] >= low - 1e-6 && weight[i] <= high + 1e-6,
                       "factor %g, item %u: %g, not in %g .. %g", factors[f], i, weight[i], low,
                       high);
            }
            heavy_close(&topk);
            free(weight);
            heavy_free(&heavy);
        }
    conclude("bounds through decay");
}

static void
test_decay_exact(void)
{
    Heavy heavy = heavy_new(10, TOPK_BIGINT, 10);
    SketchBytes packed;
    Topk topk;

    for (uint32_t i = 0; i < 10; i++)
        heavy_add(&heavy, i, 10 * (i + 1));
    heavy.state = decayed(heavy.state, 0.1);
    topk = heavy_read(sketch_bytes(heavy.state));
    expect(topk.header.error_bound == 0 && topk.header.total == 55 && topk.header.counters == 10 &&
               topk.counters[0].count == 10 && topk.counters[9].count == 1,
           "a tenth of multiples of ten");
    heavy_close(&topk);
    /* 10 9 8 ... 1 become 5 4.5 4 ... 0.5: what is not whole is uncertain by 1. */
    heavy.state = decayed(heavy.state, 0.5);
    topk = heavy_read(sketch_bytes(heavy.state));
    expect(topk.header.error_bound == 1 && topk.header.counters == 9 && topk.header.total == 28 &&
               topk.counters[0].count == 5 && topk.counters[0].error == 0 &&
               topk.counters[1].count == 4 && topk.counters[1].error == 1 &&
               topk.counters[2].count == 4 && topk.counters[2].error == 0,
           "halves");
    heavy_close(&topk);
    heavy.state = decayed(heavy.state, 1e-300);
    topk = heavy_read(sketch_bytes(heavy.state));
    expect(topk.header.error_bound == 1 && topk.header.counters == 0 && topk.header.total == 1,
           "next to nothing");
    heavy_close(&topk);
    heavy.state = decayed(heavy.state, 0);
    packed = heavy_pack(heavy.state);
    expect(packed.size == TOPK_PACKED_HEADER && topk_header(packed).type == TOPK_NONE &&
               topk_header(packed).error_bound == 0 && topk_header(packed).total == 0,
           "nothing");
    release_bytes(packed);
    heavy_free(&heavy);
    conclude("decay is exact where numbers are whole, and rounds outwards where not");
}

/* Counts that no double has: never more than they were, and sums that do not overflow. */
static void
test_decay_large(void)
{
    static const double factors[] = {0x1.fffffffffffffp-1, 0.999999, 0.5, 1};

    for (unsigned f = 0; f < 4; f++)
        for (unsigned split = 1; split <= 9; split += 4) {
            Heavy heavy = heavy_new(10, TOPK_BIGINT, 10);
            uint64_t left = INT64_MAX;
            Topk topk;

            for (uint32_t i = 0; i + 1 < split; i++) {
                heavy_add(&heavy, i, left / 3);
                left -= left / 3;
            }
            heavy_add(&heavy, 9, left);
            heavy.state = decayed(heavy.state, factors[f]);
            topk = heavy_read(sketch_bytes(heavy.state));
            for (uint32_t i = 0; i < 10; i++) {
                uint8_t buffer[TEXT_MOST];
                uint32_t at = topk_find(&topk, item_of(TOPK_BIGINT, i, buffer));

                expect(at == topk.header.counters || topk.counters[at].count <= heavy.truth[i],
                       "factor %a: more than before", factors[f]);
            }
            heavy_close(&topk);
            heavy_free(&heavy);
        }
    conclude("decay of counts up to 2^63-1");
}

/* An exact sketch is opened as a list with room for all of its records, and no more. */
static void
test_opened_sizes(void)
{
    static const size_t sizes[] = {128, 256, 512, 2048, 8448};

    for (uint32_t count = 1; count < 300; count++) {
        Heavy heavy = heavy_new(200, TOPK_BIGINT, count);
        size_t bytes = 10 + 3 * (size_t)(count - 1), size = 0; /* of the first record, and others */
        SketchBytes packed;
        SketchState opened;

        heavy_insert(&heavy.state, topk_number(INT64_MAX / 2), 2);
        for (uint32_t i = 1; i < count; i++)
            heavy_insert(&heavy.state, topk_number(1000 + i), 1);
        packed = heavy_pack(heavy.state);
        opened = topk_ops.open(packed, &memory);
        while (sizes[size] < sizeof(TopkList) + (bytes <= TOPK_LIST_LOG_BYTES ? 0 : bytes))
            size++;
        expect(opened.size + SKETCH_PREFIX_BYTES == sizes[size], "%u items: %zu bytes", count,
               opened.size);
        release_bytes(packed);
        release_state(opened);
        heavy_free(&heavy);
    }
    conclude("a list is opened in as many bytes as its records take");
}

/* What waits in the log of a state is counted before another sketch raises the error bound. */
static void
test_logged(void)
{
    for (uint32_t logged = 1; logged <= 60; logged += 59) {
        Heavy heavy[2] = {heavy_new(10, TOPK_BIGINT, 4000), heavy_new(10, TOPK_BIGINT, 4000)};
        Heavy other = heavy_new(10, TOPK_BIGINT, 40000);
        SketchBytes bounded, packed[2];

        for (uint32_t i = 0; i < 40000; i++)
            heavy_add(&other, i, 1);
        bounded = heavy_pack(other.state);
        for (unsigned emptied = 0; emptied < 2; emptied++) {
            SketchState *state = &heavy[emptied].state;
            StateWriter w;

            for (uint32_t i = 0; i < 20000 + logged; i++)
                heavy_add(&heavy[emptied], i % 3000, 1);
            w = state_writer(*state, &memory);
            expect(topk_has_index(topk_state(state->data)) && topk_state(state->data)->records > 0,
                   "nothing is logged");
            if (emptied && topk_has_index(topk_state(state->data)))
                topk_empty_log(&w);
            expect(merge_into(&topk_ops, state, bounded, &error), "not merged");
            expect(topk_state(state->data)->records == 0, "%u items stay in the log", logged);
            packed[emptied] = heavy_pack(*state);
        }
        expect(same_bytes(packed[0].data, packed[0].size, packed[1].data, packed[1].size),
               "%u items are logged", logged);
        release_bytes(packed[0]);
        release_bytes(packed[1]);
        release_bytes(bounded);
        heavy_free(&heavy[0]);
        heavy_free(&heavy[1]);
        heavy_free(&other);
    }
    conclude("what is logged is counted before another sketch is added");
}

int
main(void)
{
    test_trees();
    test_exact_union();
    test_empty();
    test_other_k();
    test_refused();
    test_sixteen();
    test_decay();
    test_decay_exact();
    test_decay_large();
    test_opened_sizes();
    test_logged();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
