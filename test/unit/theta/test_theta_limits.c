/*
 * test_theta_limits.c - where things change: sizes of states, ends of blocks and bits of padding,
 * what readers refuse that were not validated, and the extremes of DataSketches' format.
 */
#include "../theta_set.h"
#include "core/theta/theta_internal.h"

static SketchError error;

/* ---- states ---- */

/* The bytes of a state of so many different hashes, built one by one. */
static size_t
state_bytes(SketchState state)
{
    return state.size + SKETCH_PREFIX_BYTES;
}

/* A state of lgk 12 doubles when seven eighths of its slots are used and the buffer is full. */
static void
test_growing(void)
{
    static const struct {
        unsigned lgk;
        uint64_t items; /* from which on it has */
        size_t bytes;
    } grows[] = {{4, 1, 128},      {4, 14, 256},      {4, 27, 512},      {4, 53, 1024},
                 {4, 5000, 1024},  {12, 1, 128},      {12, 14, 256},     {12, 27, 512},
                 {12, 53, 1024},   {12, 105, 2048},   {12, 222, 4096},   {12, 443, 8192},
                 {12, 885, 16384}, {12, 1782, 32768}, {12, 3576, 49280}, {12, 30000, 49280}};

    for (unsigned lgk = 4; lgk <= 12; lgk += 8) {
        SketchState state = theta_new(lgk, &memory);
        size_t bytes = 0;

        for (uint64_t n = 1; n <= 30000; n++) {
            theta_put(&state, nth_hash(n));
            for (size_t i = 0; i < sizeof grows / sizeof grows[0]; i++)
                if (grows[i].lgk == lgk && grows[i].items == n)
                    bytes = grows[i].bytes;
            expect(state_bytes(state) == bytes, "lgk %u, %llu items: %zu bytes, not %zu", lgk,
                   (unsigned long long)n, state_bytes(state), bytes);
        }
        release_state(state);
    }
    conclude("states grow when they should");
}

/* The state of an opened value: the smallest that has room for as many hashes and the buffer. */
static void
test_opening(void)
{
    for (uint64_t n = 0; n < 5000; n += n < 300 ? 1 : 97) {
        SketchBytes value = theta_of(12, 0, n);
        SketchState state = theta_ops.open(value, &memory);
        const ThetaState *s = state_at(state.data);
        size_t slots = (state_bytes(state) - 128) / 8, count = n < 4096 ? n : 4096;
        size_t half = slots > 16 ? (state_bytes(state) / 2 - 128) / 8 : 0;

        expect(s->used + s->buffered == count, "%llu items", (unsigned long long)n);
        expect(n <= THETA_BUFFER ? slots == 0 : s->used == count || s->buffered <= THETA_BUFFER,
               "%llu items: %zu slots", (unsigned long long)n, slots);
        expect(n <= THETA_BUFFER || state_bytes(state) == 49280 ||
                   (slots - slots / 8 >= count + THETA_BUFFER &&
                    half - half / 8 < count + THETA_BUFFER),
               "%llu items: %zu slots", (unsigned long long)n, slots);
        release_state(state);
        release_bytes(value);
    }
    conclude("opened values have a table of the right size");
}

/* ---- packed values ---- */

/* Writes hashes, reads them back, and looks all of them and their neighbours up. */
static void
check_hashes(unsigned lgk, uint64_t theta, const uint64_t *hashes, uint32_t count)
{
    SketchBytes value = theta_write_all((ThetaSummary){lgk, count, theta}, hashes, &memory);
    SketchBytes again = {NULL, 0};
    ThetaCursor cursor;
    uint32_t i = 0;

    expect(theta_ops.validate(value, &memory, &again, &error) && same_value(again, value),
           "%u hashes below %llx are not valid", count, (unsigned long long)theta);
    if (again.data)
        release_bytes(again);
    expect(theta_cursor_begin(&cursor, value, &memory), "not read");
    for (; cursor.hash != THETA_NO_HASH && i < count; theta_next(&cursor), i++)
        expect(cursor.hash == hashes[i], "hash %u of %u", i, count);
    expect(i == count && cursor.hash == THETA_NO_HASH && !cursor.damaged, "%u of %u", i, count);
    theta_cursor_end(&cursor, &memory);
    for (i = 0; i < count; i++) {
        uint64_t hash = hashes[i], before = i > 0 ? hashes[i - 1] : 0;
        uint64_t next = i + 1 < count ? hashes[i + 1] : 0;

        expect(theta_contains(value, hash, &memory) == THETA_YES, "hash %u of %u", i, count);
        expect(theta_contains(value, hash - 1, &memory) ==
                   (before > 0 && before == hash - 1 ? THETA_YES : THETA_NO),
               "less than hash %u of %u", i, count);
        expect(theta_contains(value, hash + 1, &memory) == (next == hash + 1   ? THETA_YES
                                                            : hash + 1 < theta ? THETA_NO
                                                                               : THETA_UNKNOWN),
               "more than hash %u of %u", i, count);
    }
    expect(theta_contains(value, 0, &memory) == THETA_NO &&
               theta_contains(value, theta, &memory) == THETA_UNKNOWN &&
               theta_contains(value, THETA_EXACT, &memory) == THETA_UNKNOWN &&
               theta_contains(value, UINT64_MAX, &memory) == THETA_UNKNOWN,
           "0 and theta");
    release_bytes(value);
}

static void
test_blocks(void)
{
    static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 512, 1000, 4096};
    static uint64_t hashes[4096];

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const uint32_t count = counts[c];

        /* Spread over all hashes, as close as can be, and close below a high theta. */
        for (uint64_t i = 0; i < count; i++)
            hashes[i] = (i + 1) * (THETA_EXACT / (count + 1)) - nth_hash(i) % 1000;
        check_hashes(12, THETA_EXACT, hashes, count);
        for (uint64_t i = 0; i < count; i++)
            hashes[i] = i + 1;
        check_hashes(12, count + 1, hashes, count);
        check_hashes(12, count + 2, hashes, count);
        check_hashes(12, THETA_EXACT, hashes, count);
        for (uint64_t i = 0; i < count; i++)
            hashes[i] = THETA_EXACT - count + i;
        check_hashes(12, THETA_EXACT, hashes, count);
    }
    conclude("any number of hashes, spread and close, is read and looked up");
}

/* One hash of every length: its lower part has up to 62 bits. */
static void
test_one_hash(void)
{
    for (unsigned bits = 1; bits <= 63; bits++) {
        uint64_t last = (UINT64_C(1) << bits) - 1, first = UINT64_C(1) << (bits - 1);

        check_hashes(4, THETA_EXACT, &first, 1);
        if (last < THETA_EXACT) {
            check_hashes(4, THETA_EXACT, &last, 1);
            check_hashes(4, last + 1, &last, 1);
            check_hashes(4, last + 1, &first, 1);
        }
    }
    conclude("one hash of every length");
}

/* Every bit behind the last lower part, and behind the bitmap, has to be 0. */
static void
test_padding(void)
{
    unsigned low_bits = 0, high_bits = 0;

    for (unsigned n = 1; n <= 16; n++) {
        SketchBytes value = theta_of(4, 0, n);
        unsigned l = 63 - (unsigned)__builtin_clzll(THETA_EXACT / n | 1);
        size_t low = (n * l + 7) / 8, high = n + ((THETA_EXACT - 1) >> l);

        expect(value.size == THETA_HEADER + low + (high + 7) / 8, "%u hashes: size", n);
        for (unsigned part = 0; part < 2; part++) {
            size_t at = THETA_HEADER + (part ? value.size - THETA_HEADER : low) - 1;
            size_t used = part ? high : n * l;

            for (unsigned bit = used % 8 ? used % 8 : 8; bit < 8; bit++) {
                Bytes bytes = bytes_copy(value.data, value.size);
                SketchBytes taken = {NULL, 0};

                bytes.data[at] |= (uint8_t)(1u << bit);
                expect(!theta_ops.validate((SketchBytes){bytes.data, bytes.size}, &memory, &taken,
                                           &error),
                       "%u hashes: bit %u of part %u", n, bit, part);
                if (taken.data)
                    release_bytes(taken);
                free(bytes.data);
                *(part ? &high_bits : &low_bits) += 1;
            }
        }
        release_bytes(value);
    }
    expect(low_bits > 0 && high_bits > 0, "there was padding in both");
    conclude("padding is zero");
}

/* What was stored and damaged is not read, though nobody validates it again. */
static void
test_damaged(void)
{
    static const struct {
        size_t at;
        uint8_t byte;
    } wrong[] = {{4, 3}, {4, 27}, {4, 255}, {5, 17}, {5, 29}, {6, 1}, {16, 0x80}, {16, 0}};
    SketchBytes value = theta_of(4, 0, 30), none = theta_of(4, 0, 0), other = theta_of(5, 0, 20);
    SketchBytes both;
    ThetaCursor cursor;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Bytes bytes = bytes_copy(value.data, value.size);
        SketchBytes bad = {bytes.data, bytes.size};
        SketchState state = theta_ops.open(other, &memory);

        bytes.data[wrong[i].at] = wrong[i].byte;
        if (wrong[i].byte == 0) /* a theta of as many as there are hashes */
            memcpy(bytes.data + 9, (uint8_t[8]){16}, 8);
        expect(!theta_cursor_begin(&cursor, bad, &memory), "%zu: read", i);
        expect(!theta_contains(bad, nth_hash(0), &memory), "%zu: looked up", i);
        expect(!theta_combine(THETA_UNION, bad, other, &memory, &both, &error) &&
                   error.status == SKETCH_DAMAGED,
               "%zu: combined", i);
        expect(!theta_merge(&state, bad, &memory, &error) && error.status == SKETCH_DAMAGED,
               "%zu: merged", i);
        expect(theta_ops.open(bad, &memory).data == NULL, "%zu: opened", i);
        expect(theta_ops.pack(bad, &memory).data == NULL, "%zu: packed", i);
        expect(!theta_to_datasketches(bad, i % 2, &memory, &both, &error), "%zu: written", i);
        release_state(state);
        free(bytes.data);
    }
    for (size_t size = 0; size < value.size; size++) {
        Bytes bytes = bytes_copy(value.data, size);

        expect(size < 4 || !theta_cursor_begin(&cursor, (SketchBytes){bytes.data, size}, &memory),
               "%zu bytes", size);
        free(bytes.data);
    }
    expect(theta_cursor_begin(&cursor, none, &memory) && cursor.hash == THETA_NO_HASH &&
               theta_cursor_ends_clean(&cursor),
           "no hashes");
    release_bytes(value);
    release_bytes(none);
    release_bytes(other);
    conclude("damaged headers are not read");
}

/* Each header field at its limit; the hashes are 1, 2, 3 and so on. */
static void
test_headers(void)
{
    static const struct {
        unsigned lgk;
        uint32_t count;
        uint64_t theta;
        bool good;
    } cases[] = {{4, 0, 1, true},
                 {4, 0, THETA_EXACT, true},
                 {26, 0, 1, true},
                 {4, 16, 17, true},
                 {4, 16, THETA_EXACT, true},
                 {4, 0, 0, false},
                 {4, 16, 16, false},
                 {4, 17, THETA_EXACT, false},
                 {3, 0, THETA_EXACT, false},
                 {27, 0, THETA_EXACT, false},
                 {4, 0, THETA_EXACT + 1, false}};
    uint64_t hashes[17];

    for (uint64_t i = 0; i < 17; i++)
        hashes[i] = i + 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SketchBytes value = theta_write_all(
            (ThetaSummary){cases[i].lgk, cases[i].count, cases[i].theta}, hashes, &memory);
        SketchBytes again = {NULL, 0};
        ThetaCursor cursor;

        expect(theta_ops.validate(value, &memory, &again, &error) == cases[i].good, "%zu", i);
        if (again.data)
            release_bytes(again);
        expect(theta_cursor_begin(&cursor, value, &memory) == cases[i].good, "%zu: read", i);
        release_bytes(value);
    }
    conclude("headers at their limits");
}

/* ---- DataSketches ---- */

/* Differences of 63 bits, and the most hashes that any lgk has. */
static void
test_datasketches(void)
{
    static const uint64_t hashes[] = {UINT64_C(1) << 62, UINT64_C(3) << 61};
    const uint32_t most = UINT32_C(1) << THETA_LGK_MAX;
    size_t size = 20 + most / 8 + 1;
    uint8_t *bytes = malloc(size);

    for (uint32_t count = 1; count <= 2; count++) {
        ThetaSummary summary = {12, count, THETA_EXACT - 1};
        SketchBytes value = theta_write_all(summary, hashes, &memory), written, again;

        expect(theta_to_datasketches(value, true, &memory, &written, &error) &&
                   written.data[1] == 4 && written.data[3] == 63,
               "differences of 63 bits");
        expect(theta_from_datasketches(written, 12, &memory, &again, &error) &&
                   same_value(again, value),
               "read again");
        release_bytes(again);
        release_bytes(value);
        memory_release((void *)written.data, NULL);
    }

    /* 2^26 differences of 1, below the least theta that they can have. */
    memset(bytes, 0xff, size);
    memcpy(bytes, (uint8_t[]){2, 4, 3, 1, 4, 26, 0xcc, 0x93}, 8);
    store_le64(bytes + 8, most + UINT64_C(2));
    for (uint32_t more = 0; more <= 1; more++) {
        SketchBytes value = {NULL, 0};
        bool good;

        store_le32(bytes + 16, most + more);
        good = theta_from_datasketches((SketchBytes){bytes, 20 + (most + more + 7) / 8}, 0, &memory,
                                       &value, &error);
        expect(good == !more, "2^26 hashes and %u", more);
        if (good) {
            ThetaSummary summary = theta_summary(value, &memory);

            expect(summary.lgk == THETA_LGK_MAX && summary.count == most, "2^26 hashes");
            release_bytes(value);
        } else
            expect(error.found == most + 1 && error.high == most, "the most");
    }
    free(bytes);
    conclude("differences of 63 bits, and 2^26 hashes");
}

/* Words of the preamble that a version has, and bytes that are missing. */
static void
test_preambles(void)
{
    for (unsigned version = 0; version <= 5; version++)
        for (unsigned words = 0; words <= 5; words++) {
            unsigned least = version == 1 ? 3 : 1, most = version == 4 ? 2 : 3;
            uint8_t bytes[64] = {(uint8_t)words, (uint8_t)version, 3, 63, 1, 26, 0xcc, 0x93};
            bool known = version >= 1 && version <= 4, good = words >= least && words <= most;
            const char *reason = !known ? "Unknown serial version"
                                 : good ? NULL
                                        : "Words of the preamble";
            SketchBytes value = {NULL, 0};
            size_t size = words > 0 ? words * 8 : 8;

            /* One hash, or none where a version 2 of one word says so. */
            if (version == 4) {
                if (words > 1)
                    store_le64(bytes + 8, THETA_EXACT);
                bytes[size] = 1;
                memset(bytes + size + 1, 0x55, 8);
                size += 9;
            } else if (words > 0 && !(version == 2 && words == 1)) {
                if (words > 1)
                    bytes[8] = 1;
                if (words > 2)
                    store_le64(bytes + 16, THETA_EXACT);
                store_le64(bytes + size, 5);
                size += 8;
            }
            if (version == 4) /* the last bit is padding */
                bytes[size - 1] &= 0xfe;
            for (unsigned missing = 0; missing <= 1; missing++) {
                bool taken = theta_from_datasketches((SketchBytes){bytes, size - missing}, 0,
                                                     &memory, &value, &error);

                expect(taken == (!reason && !missing), "version %u, %u words, %u missing: %s",
                       version, words, missing, taken ? "taken" : error.reason);
                if (taken)
                    release_bytes(value);
                else if (!missing)
                    expect(strcmp(error.reason, reason) == 0, "version %u, %u words: %s", version,
                           words, error.reason);
            }
        }
    conclude("preambles of every version and length");
}

/* Whoever works for long asks whether to go on. */
static void
test_polls(void)
{
    SketchBytes many = theta_of(16, 0, 60000), written, value;
    size_t before;

    for (unsigned compressed = 0; compressed < 2; compressed++) {
        before = memory_polls;
        expect(theta_to_datasketches(many, compressed, &memory, &written, &error) &&
                   memory_polls - before >= 2,
               "written, %zu polls", memory_polls - before);
        before = memory_polls;
        expect(theta_from_datasketches(written, 0, &memory, &value, &error) &&
                   memory_polls - before >= 2,
               "read, %zu polls", memory_polls - before);
        release_bytes(value);
        memory_release((void *)written.data, NULL);
    }
    release_bytes(many);
    conclude("long work can be cancelled");
}

int
main(void)
{
    test_growing();
    test_opening();
    test_blocks();
    test_one_hash();
    test_padding();
    test_damaged();
    test_headers();
    test_datasketches();
    test_preambles();
    test_polls();
    ok(memory_used.pieces == 0, "no memory is left");
    return conclude_all();
}
