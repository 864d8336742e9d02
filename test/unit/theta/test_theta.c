/*
 * test_theta.c - theta sketches against an oracle that keeps every hash.
 */
#include "../theta_set.h"

static SketchError error;

/* A hash out of a range; some few at its ends, or with equal low halves. */
static uint64_t
any_hash(Random *random, uint64_t range)
{
    switch (random_below(random, 12)) {
    case 0:
        return THETA_EXACT - random_below(random, 4);
    case 1:
        return random_below(random, 30);
    case 2:
        return random_below(random, 1000) << 32;
    default:
        return nth_hash(random_below(random, range));
    }
}

/* A state and its oracle, with `adds` hashes. */
static SketchState
random_state(Random *random, unsigned lgk, size_t adds, uint64_t range, Sample *sample)
{
    SketchState state = theta_new(lgk, &memory);

    *sample = sample_new(lgk);
    for (size_t i = 0; i < adds; i++) {
        uint64_t hash = any_hash(random, range);

        theta_put(&state, hash);
        sample_add(sample, hash);
    }
    sample_tidy(sample);
    return state;
}

static size_t
some_count(Random *random)
{
    return random_below(random, random_below(random, 4) == 0 ? 20 : 5000);
}

static void
check_value(const Sample *sample, SketchBytes value, const char *what)
{
    ThetaSummary summary = theta_summary(value, &memory);
    SketchBytes again = {NULL, 0};

    expect(sample_is(sample, value), "%s: %zu hashes, lgk %u", what, sample->count, sample->lgk);
    expect(summary.lgk == sample->lgk && summary.count == sample->count &&
               summary.theta == sample->theta,
           "%s: summary", what);
    expect(theta_ops.validate(value, &memory, &again, &error) && same_value(again, value),
           "%s: validated", what);
    if (again.data)
        release_bytes(again);
}

static void
test_adding(void)
{
    Random random = {1};

    for (unsigned round = 0; round < trials_of(300); round++) {
        unsigned lgk = THETA_LGK_MIN + (unsigned)random_below(&random, 9);
        Sample sample;
        SketchState state = random_state(&random, lgk, some_count(&random),
                                         1 + random_below(&random, 20000), &sample);
        ThetaSummary summary = theta_summary(sketch_bytes(state), &memory);
        SketchBytes packed = theta_ops.pack(sketch_bytes(state), &memory), again, more;

        check_value(&sample, packed, "added");
        expect(summary.count == sample.count && summary.theta == sample.theta, "of the state");
        again = theta_finish(theta_ops.open(packed, &memory));
        more = theta_finish(theta_ops.open(sketch_bytes(state), &memory));
        expect(same_value(again, packed) && same_value(more, packed), "opened and packed");
        for (unsigned i = 0; i < 200; i++) {
            uint64_t hash = i < 100 || sample.count == 0
                                ? any_hash(&random, 20000)
                                : sample.hash[random_below(&random, sample.count)];
            ThetaAnswer answer = hash >= sample.theta        ? THETA_UNKNOWN
                                 : sample_has(&sample, hash) ? THETA_YES
                                                             : THETA_NO;

            expect(theta_contains(packed, hash, &memory) == answer &&
                       theta_contains(sketch_bytes(state), hash, &memory) == answer,
                   "contains");
        }
        release_bytes(packed);
        release_bytes(again);
        release_bytes(more);
        release_state(state);
        sample_free(&sample);
    }
    conclude("a sketch has the hashes of the oracle, working and packed");
}

/* The same hashes in other orders, in pieces that are merged, working and packed. */
static void
test_order(void)
{
    Random random = {2};

    for (unsigned round = 0; round < trials_of(100); round++) {
        unsigned lgk = THETA_LGK_MIN + (unsigned)random_below(&random, 6);
        uint64_t from = random_below(&random, 100000), count = random_below(&random, 4000);
        SketchBytes serial = theta_of(lgk, from, from + count), packed;
        SketchState part[4], whole;

        for (unsigned i = 0; i < 4; i++)
            part[i] = theta_new(lgk, &memory);
        for (uint64_t n = count; n-- > 0;) {
            unsigned times = 1 + (unsigned)random_below(&random, 3);

            while (times-- > 0)
                theta_put(&part[random_below(&random, 4)], nth_hash(from + n));
        }
        whole = theta_new(lgk + (unsigned)random_below(&random, 2), &memory);
        for (unsigned i = 0; i < 4; i++) {
            if (i % 2) {
                packed = theta_finish(part[i]);
                expect(merge_into(&theta_ops, &whole, packed, &error), "packed");
                release_bytes(packed);
            } else {
                expect(merge_into(&theta_ops, &whole, sketch_bytes(part[i]), &error), "working");
                release_state(part[i]);
            }
        }
        packed = theta_finish(whole);
        expect(same_value(packed, serial), "lgk %u, %llu items", lgk, (unsigned long long)count);
        release_bytes(packed);
        release_bytes(serial);
    }
    conclude("the same set has the same bytes, in any order and in parts");
}

static void
test_expressions(void)
{
    static const char *const name[] = {"union", "intersection", "difference", "common"};
    Random random = {3};

    for (unsigned round = 0; round < trials_of(400); round++) {
        Sample sample[2], result;
        SketchBytes value[2], both;
        uint64_t range = 1 + random_below(&random, 10000);

        for (unsigned i = 0; i < 2; i++)
            value[i] = theta_finish(random_state(&random, THETA_LGK_MIN + random_below(&random, 8),
                                                 some_count(&random), range, &sample[i]));
        for (ThetaOp op = THETA_UNION; op <= THETA_COMMON; op++) {
            expect(theta_combine(op, value[0], value[1], &memory, &both, &error), "combined");
            result = sample_combine(op, &sample[0], &sample[1]);
            check_value(&result, both, name[op]);
            if (op == THETA_UNION) {
                SketchState state = theta_ops.open(value[0], &memory);
                SketchBytes merged;

                expect(merge_into(&theta_ops, &state, value[1], &error), "merged");
                merged = theta_finish(state);
                expect(same_value(merged, both), "merged and united");
                release_bytes(merged);
            }
            /* What comes out goes in: thetas that are not those of a set. */
            if (op != THETA_UNION) {
                SketchBytes third;
                Sample of_three = sample_combine(THETA_UNION, &result, &sample[1]);

                expect(theta_combine(THETA_UNION, both, value[1], &memory, &third, &error),
                       "third");
                check_value(&of_three, third, "of three");
                release_bytes(third);
                sample_free(&of_three);
            }
            release_bytes(both);
            sample_free(&result);
        }
        for (unsigned i = 0; i < 2; i++) {
            release_bytes(value[i]);
            sample_free(&sample[i]);
        }
    }
    conclude("expressions of two and three are those of the definition");
}

/* What many sketches have in common does not depend on their order, whatever is empty. */
static void
test_common(void)
{
    static const struct {
        unsigned lgk;
        uint64_t from, to;
    } part[] = {{4, 0, 0}, {4, 0, 100}, {5, 3, 10}, {4, 20, 30}, {6, 5, 200}};
    Random random = {4};

    for (unsigned round = 0; round < trials_of(200); round++) {
        SketchBytes value[3], one, other, both;

        for (unsigned i = 0; i < 3; i++) {
            unsigned at = (unsigned)random_below(&random, sizeof part / sizeof part[0]);

            value[i] = theta_of(part[at].lgk, part[at].from, part[at].to);
        }
        expect(theta_combine(THETA_COMMON, value[0], value[1], &memory, &both, &error) &&
                   theta_combine(THETA_COMMON, both, value[2], &memory, &one, &error),
               "from the left");
        release_bytes(both);
        expect(theta_combine(THETA_COMMON, value[2], value[1], &memory, &both, &error) &&
                   theta_combine(THETA_COMMON, value[0], both, &memory, &other, &error),
               "from the right");
        release_bytes(both);
        expect(same_value(one, other), "the order matters");
        release_bytes(one);
        release_bytes(other);
        for (unsigned i = 0; i < 3; i++)
            release_bytes(value[i]);
    }
    conclude("an intersection of many does not depend on their order");
}

static void
test_reduce(void)
{
    for (unsigned lgk = THETA_LGK_MIN; lgk <= 10; lgk++)
        for (uint64_t n = 0; n < 5000; n += 499) {
            SketchBytes fine = theta_of(12, 0, n), coarse = theta_of(lgk, 0, n), reduced;
            SketchState state = theta_ops.open(fine, &memory);

            theta_reduce(state, lgk);
            for (uint64_t more = n; more < n + 50; more++)
                theta_put(&state, nth_hash(more));
            reduced = theta_finish(state);
            release_bytes(coarse);
            coarse = theta_of(lgk, 0, n + 50);
            expect(same_value(reduced, coarse), "lgk %u, %llu items", lgk, (unsigned long long)n);
            release_bytes(fine);
            release_bytes(coarse);
            release_bytes(reduced);
        }
    conclude("a reduced sketch goes on as one of the lower lgk");
}

static void
test_sizes(void)
{
    SketchState state = theta_new(12, &memory);
    SketchBytes packed;

    for (unsigned round = 0; round < 3; round++)
        for (uint64_t n = 0; n < 10; n++)
            theta_put(&state, nth_hash(n));
    expect(state.size + SKETCH_PREFIX_BYTES <= 150, "a state of ten items has %zu bytes",
           state.size + SKETCH_PREFIX_BYTES);
    release_state(state);
    packed = theta_of(12, 0, 10);
    expect(packed.size <= 100, "ten items packed have %zu bytes", packed.size);
    release_bytes(packed);
    packed = theta_of(12, 0, 1000000);
    expect(packed.size * 8 <= 47 * 4096, "a million items have %zu bytes", packed.size);
    release_bytes(packed);
    conclude("ten items and a million take no more than they should");
}

/* Hashes that belong to one slot of every table do not take a time that is quadratic. */
static void
test_crafted(void)
{

    SketchState state = theta_new(17, &memory);
    Sample sample = sample_new(17);
    SketchBytes packed;
    size_t polls = memory_polls;

    /* The table multiplies by a constant for its salt: murmur3's avalanche of 1. */
    uint64_t m = 1, inverse;

    m = (m ^ m >> 33) * UINT64_C(0xff51afd7ed558ccd);
    m = (m ^ m >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    m = (m ^ m >> 33) | 1;
    inverse = m;
    for (unsigned i = 0; i < 6; i++)
        inverse *= 2 - m * inverse;
    for (uint64_t n = 1, found = 0; found < 60000; n++) {
        uint64_t hash = n * inverse;

        if (hash <= THETA_EXACT) {
            theta_put(&state, hash);
            sample_add(&sample, hash);
            found++;
        }
    }
    expect(((ThetaState *)state_at(state.data))->salt > 0, "the table was not salted again");
    sample_tidy(&sample);
    packed = theta_finish(state);
    expect(sample_is(&sample, packed), "crafted hashes");
    expect(memory_polls > polls, "never asked whether to go on");
    release_bytes(packed);
    sample_free(&sample);
    conclude("hashes made for one slot get others");
}

static void
refuse(Bytes bytes, const char *reason)
{
    SketchBytes value;
    bool taken = theta_ops.validate((SketchBytes){bytes.data, bytes.size}, &memory, &value, &error);

    if (taken)
        release_bytes(value);
    expect(!taken && strcmp(error.reason, reason) == 0, "%s: %s", reason,
           taken ? "taken" : error.reason);
}

static void
test_refusals(void)
{
    SketchBytes value = theta_of(4, 0, 30);
    static const struct {
        size_t at;
        uint8_t byte;
        const char *reason;
    } wrong[] = {
        {2, 1, "Unknown encoding"},
        {3, 0, "Unknown hash function"},
        {4, 3, "lgk out of range"},
        {4, 27, "lgk out of range"},
        {5, 17, "More hashes than 2^lgk"},
        {16, 0x80, "Theta that no items can produce"},
        {5, 15, "The length does not match the number of hashes"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Bytes bytes = bytes_copy(value.data, value.size);

        bytes.data[wrong[i].at] = wrong[i].byte;
        refuse(bytes, wrong[i].reason);
        free(bytes.data);
    }
    /* Every byte matters: no other value has the same meaning. */
    for (size_t at = 0; at < value.size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            Bytes bytes = bytes_copy(value.data, value.size);
            SketchBytes read;

            bytes.data[at] ^= (uint8_t)(1 << bit);
            if (theta_ops.validate((SketchBytes){bytes.data, bytes.size}, &memory, &read, &error)) {
                SketchBytes packed = theta_finish(theta_ops.open(read, &memory));

                expect(same_bytes(packed.data, packed.size, bytes.data, bytes.size),
                       "byte %zu bit %u", at, bit);
                release_bytes(packed);
                release_bytes(read);
            }
            free(bytes.data);
        }
    release_bytes(value);
    conclude("what is not canonical is refused");
}

int
main(void)
{
    test_adding();
    test_order();
    test_expressions();
    test_common();
    test_reduce();
    test_sizes();
    test_crafted();
    test_refusals();
    expect(memory_used.pieces == 0, "%u pieces left", memory_used.pieces);
    conclude("no memory is left");
    return conclude_all();
}
