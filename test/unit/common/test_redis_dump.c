/*
 * test_redis_dump.c - DUMP payloads of strings: every form of one, and every way to lie in it.
 */
#include "../check.h"
#include "../memory.h"
#include "core/common/redis_dump.h"
#include "../redis_tdigest.h"

#define ROOM (1 << 20)

static uint8_t room[ROOM];

/* Reads a payload from memory of exactly its size; true when it holds `size` bytes of `data`. */
static bool
reads_as(const Payload *p, const void *data, size_t size)
{
    Bytes exact = bytes_copy(p->data, p->size);
    SketchBytes string;
    SketchError error;
    bool same;

    if (!redis_dump_string((SketchBytes){exact.data, exact.size}, &memory, &string, &error)) {
        free(exact.data);
        return false;
    }
    same = same_bytes(string.data, string.size, data, size);
    memory_release((void *)string.data, NULL);
    free(exact.data);
    return same;
}

/* Refused, with a reason, and with no memory kept. */
static bool
refused(const uint8_t *data, size_t size)
{
    Bytes exact = bytes_copy(data, size);
    SketchError error = {.status = SKETCH_OK};
    SketchBytes string;
    unsigned before = memory_used.pieces;
    bool read = redis_dump_string((SketchBytes){exact.data, exact.size}, &memory, &string, &error);

    if (read)
        memory_release((void *)string.data, NULL);
    free(exact.data);
    return !read && error.status == SKETCH_MALFORMED && error.reason &&
           memory_used.pieces == before;
}

static Payload
begin(unsigned type)
{
    Payload p = {room, 0};

    payload_u8(&p, type);
    return p;
}

static bool
sealed_and_refused(Payload p)
{
    payload_finish(&p);
    return refused(p.data, p.size);
}

static void
test_known(void)
{
    static const char *const string = "48594c4c0100000000000000000000"
                                      "8060f38050b1844bfb80425a";
    Bytes dump = bytes_of_hex("001b48594c4c01000000000000000000008060f38050b1844bfb80425a0c00"
                              "542f38c64c63ee00");
    Bytes expected = bytes_of_hex(string);
    Payload p = {dump.data, dump.size};

    expect(payload_crc((const uint8_t *)"123456789", 9) == UINT64_C(0xe9c6d914c4b8d9ca), "CRC");
    expect(reads_as(&p, expected.data, expected.size), "a real server's payload");
    conclude("a payload of a real server");
    for (size_t i = 0; i < dump.size; i++) {
        for (unsigned flip = 1; flip < 256; flip++) {
            dump.data[i] ^= (uint8_t)flip;
            expect(refused(dump.data, dump.size), "byte %zu ^ %u", i, flip);
            dump.data[i] ^= (uint8_t)flip;
        }
    }
    conclude("every change of one byte is noticed by the checksum");
    for (size_t size = 0; size < dump.size; size++) {
        expect(refused(dump.data, size), "cut at %zu", size);
        if (size >= PAYLOAD_FOOTER) {
            p = (Payload){room, size};
            memcpy(room, dump.data, size);
            payload_seal(room, size);
            expect(refused(room, size), "cut at %zu and sealed", size);
        }
    }
    conclude("every truncation is refused, also under a good checksum");
    free(dump.data);
    free(expected.data);
}

/* Eight bytes at a time and those that are left, at any place in memory. */
static void
test_checksum(void)
{
    size_t before = memory_polls;

    for (size_t i = 0; i < ROOM; i++)
        room[i] = (uint8_t)mix64(i);
    expect(redis_crc64((const uint8_t *)"123456789", 9, &memory) == UINT64_C(0xe9c6d914c4b8d9ca),
           "nine digits");
    for (size_t at = 0; at < 8; at++)
        for (size_t size = 0; size <= 32; size++) {
            Bytes exact = bytes_copy(room + at, size);

            expect(redis_crc64(room + at, size, &memory) == payload_crc(room + at, size),
                   "%zu bytes at %zu", size, at);
            expect(redis_crc64(exact.data, size, &memory) == payload_crc(room + at, size),
                   "%zu bytes and nothing behind", size);
            free(exact.data);
        }
    for (size_t size = ROOM - 9; size <= ROOM; size++)
        expect(redis_crc64(room, size, &memory) == payload_crc(room, size), "%zu bytes", size);
    expect(memory_polls - before > 10 * (ROOM / SKETCH_POLL_STEPS), "nobody asked");
    conclude("the checksum, as bit by bit");
}

static void
test_lengths(void)
{
    static const size_t sizes[] = {0, 1, 63, 64, 255, 256, 16383, 16384, 70000};
    static const unsigned forms[] = {6, 14, 32, 64};
    uint8_t *data = malloc(70000);

    for (size_t i = 0; i < 70000; i++)
        data[i] = (uint8_t)mix64(i);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j < 4; j++) {
            Payload p = begin(0);

            if (forms[j] < 32 && sizes[i] >> forms[j] > 0)
                continue;
            payload_length(&p, sizes[i], forms[j]);
            payload_bytes(&p, data, sizes[i]);
            payload_finish(&p);
            expect(reads_as(&p, data, sizes[i]), "%zu in %u bits", sizes[i], forms[j]);
        }
    conclude("lengths of 6, 14, 32 and 64 bits");
    free(data);
}

static void
test_wrong_lengths(void)
{
    static const uint64_t wrong[] = {
        0, 9, 11, 63, UINT32_MAX, INT64_MAX, UINT64_MAX, REDIS_STRING_MAX, REDIS_STRING_MAX + 1};
    Payload p;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        for (unsigned bits = 32; bits <= 64; bits += 32) {
            p = begin(0);
            payload_length(&p, wrong[i], bits);
            payload_bytes(&p, "0123456789", 10);
            expect(sealed_and_refused(p), "%llx in %u bits", (unsigned long long)wrong[i], bits);
        }
    for (unsigned first = 0x82; first < 0xc0; first++) {
        p = begin(0);
        payload_u8(&p, first);
        payload_bytes(&p, "\0\0\0\0\0\0\0\0", 8);
        expect(sealed_and_refused(p), "a length of form %x", first);
    }
    for (unsigned type = 1; type < 256; type++) {
        p = begin(type);
        payload_length(&p, 3, 6);
        payload_bytes(&p, "abc", 3);
        expect(sealed_and_refused(p), "type %u", type);
    }
    p = (Payload){room, 0};
    payload_module(&p, REDIS_TDIGEST_ID);
    payload_u8(&p, 0);
    expect(sealed_and_refused(p), "a module's value is no string");
    conclude("lengths that are not those of the string, unknown forms, other types");
}

static void
test_integers(void)
{
    static const struct {
        unsigned encoding, size;
        const char *bytes, *digits;
    } known[] = {
        {0, 1, "\x00", "0"},
        {0, 1, "\x7f", "127"},
        {0, 1, "\x80", "-128"},
        {1, 2, "\xff\x7f", "32767"},
        {1, 2, "\x00\x80", "-32768"},
        {2, 4, "\xff\xff\xff\x7f", "2147483647"},
        {2, 4, "\x00\x00\x00\x80", "-2147483648"},
        {2, 4, "\x15\xcd\x5b\x07", "123456789"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        Payload p = begin(0);

        payload_u8(&p, 0xc0 | known[i].encoding);
        payload_bytes(&p, known[i].bytes, known[i].size);
        payload_finish(&p);
        expect(reads_as(&p, known[i].digits, strlen(known[i].digits)), "%s", known[i].digits);
        p = begin(0);
        payload_u8(&p, 0xc0 | known[i].encoding);
        payload_bytes(&p, known[i].bytes, known[i].size - 1);
        expect(sealed_and_refused(p), "%s, a byte short", known[i].digits);
        p = begin(0);
        payload_u8(&p, 0xc0 | known[i].encoding);
        payload_bytes(&p, known[i].bytes, known[i].size);
        payload_u8(&p, 0);
        expect(sealed_and_refused(p), "%s, a byte more", known[i].digits);
    }
    for (unsigned encoding = 4; encoding < 64; encoding++) {
        Payload p = begin(0);

        payload_u8(&p, 0xc0 | encoding);
        payload_bytes(&p, "\0\0\0\0\0\0\0\0", 8);
        expect(sealed_and_refused(p), "encoding %u", encoding);
    }
    conclude("integers stand for their digits; unknown encodings are refused");
}

static Payload
lzf_payload(const void *compressed, size_t compressed_size, uint64_t says_compressed,
            uint64_t says_size)
{
    Payload p = begin(0);

    payload_u8(&p, 0xc3);
    payload_length(&p, says_compressed, 64);
    payload_length(&p, says_size, 64);
    payload_bytes(&p, compressed, compressed_size);
    payload_finish(&p);
    return p;
}

static void
test_lzf(void)
{
    uint8_t *data = malloc(40000), *compressed = malloc(80001);
    Random random = {5};
    Payload p;

    for (unsigned trial = 0; trial < trials_of(60); trial++) {
        size_t size = random_below(&random, trial < 30 ? 300 : 40000), n;

        for (size_t at = 0; at < size;) {
            uint64_t run = random_below(&random, 4) ? 1 + random_below(&random, 12)
                                                    : random_below(&random, 700);

            for (uint8_t byte = (uint8_t)random_next(&random); run > 0 && at < size; run--)
                data[at++] = byte;
        }
        n = payload_lzf(data, size, compressed);
        p = lzf_payload(compressed, n, n, size);
        expect(reads_as(&p, data, size), "%zu bytes in %zu", size, n);
        p = lzf_payload(compressed, n, n, size + 1);
        expect(refused(p.data, p.size), "%zu bytes, says one more", size);
        if (size > 0) {
            p = lzf_payload(compressed, n, n, size - 1);
            expect(refused(p.data, p.size), "%zu bytes, says one less", size);
            p = lzf_payload(compressed, n, n - 1, size);
            expect(refused(p.data, p.size), "%zu compressed bytes, says one less", n);
        }
        p = lzf_payload(compressed, n, n + 1, size);
        expect(refused(p.data, p.size), "%zu compressed bytes, says one more", n);
    }
    conclude("LZF expands to what was compressed, and to exactly its size");

    /* literals abc, then 5 bytes from 3 back; 300 back and 256 + 44 bytes of distance */
    p = lzf_payload("\x02"
                    "abc\x60\x02",
                    6, 6, 8);
    expect(reads_as(&p, "abcabcab", 8), "a match that overlaps itself");
    p = lzf_payload("\x02"
                    "abc\x60\x03",
                    6, 6, 8);
    expect(refused(p.data, p.size), "a match from before the beginning");
    p = lzf_payload("\x02"
                    "abc\x61\x02",
                    6, 6, 8);
    expect(refused(p.data, p.size), "a match from 259 before the beginning");
    p = lzf_payload("\x00"
                    "x\xe0\xff\x00",
                    5, 5, 265);
    memset(data, 'x', 265);
    expect(reads_as(&p, data, 265), "the longest match");
    for (size_t cut = 1; cut < 5; cut++) {
        p = lzf_payload("\x00"
                        "x\xe0\xff\x00",
                        5 - cut, 5 - cut, 265);
        expect(refused(p.data, p.size), "a match cut by %zu", cut);
    }
    for (size_t at = 0; at < 300; at++)
        data[at] = (uint8_t)mix64(at);
    for (size_t at = 0, n = 0; at < 300; at += 30, n += 31) {
        compressed[n] = 29;
        memcpy(compressed + n + 1, data + at, 30);
    }
    compressed[310] = 1 << 5 | 299 >> 8;
    compressed[311] = 299 & 255;
    memcpy(data + 300, data, 3);
    p = lzf_payload(compressed, 312, 312, 303);
    expect(reads_as(&p, data, 303), "a match at a distance of 300");
    conclude("matches: overlapping, longest, too far, cut");
    free(data);
    free(compressed);
}

/* What the memory for a string costs is paid in bytes of the payload. */
static void
test_bombs(void)
{
    static const uint64_t sizes[] = {REDIS_STRING_MAX, REDIS_STRING_MAX + 1, UINT32_MAX, INT64_MAX,
                                     UINT64_MAX};
    uint8_t bomb[1024] = {0};

    for (size_t i = 2; i + 3 <= sizeof bomb; i += 3)
        memcpy(bomb + i, "\xe0\xff\x00", 3);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        Payload p = lzf_payload(bomb, sizeof bomb, sizeof bomb, sizes[i]);

        memory_used.largest = 0;
        expect(refused(p.data, p.size), "says %llx", (unsigned long long)sizes[i]);
        expect(memory_used.largest <= 264 * sizeof bomb + 1, "it took %zu bytes",
               memory_used.largest);
        p = lzf_payload(bomb, sizeof bomb, sizes[i], 264);
        expect(refused(p.data, p.size), "compressed %llx", (unsigned long long)sizes[i]);
    }
    conclude("a small payload cannot ask for much memory");
}

/* The bits of a filter for 80 million items are one string; empty, it is compressed well. */
static void
test_large(void)
{
    const size_t copies = 300000, size = 1 + 264 * copies, compressed_size = 2 + 3 * copies;
    uint8_t *zeros = calloc(1, size), *compressed = calloc(1, compressed_size);
    Payload p;

    for (size_t i = 2; i < compressed_size; i += 3)
        memcpy(compressed + i, "\xe0\xff\x00", 3);
    p = lzf_payload(compressed, compressed_size, compressed_size, size);
    expect(reads_as(&p, zeros, size), "%zu bytes", size);
    conclude("a string of 79 MB");
    free(zeros);
    free(compressed);
}

/* Every single change under a good checksum: refused, or some string; never more than that. */
static void
test_changes(void)
{
    uint8_t compressed[64];
    size_t n = payload_lzf((const uint8_t *)"aaaaaaaaaaaaaaaabaaaaaaaaaaaaa", 30, compressed);
    Payload p = lzf_payload(compressed, n, n, 30);
    unsigned good = 0, bad = 0;

    for (size_t i = 0; i < p.size - 8; i++)
        for (unsigned flip = 1; flip < 256; flip++) {
            Bytes changed = bytes_copy(p.data, p.size);
            SketchBytes string;
            SketchError error;

            changed.data[i] ^= (uint8_t)flip;
            payload_seal(changed.data, changed.size);
            if (redis_dump_string((SketchBytes){changed.data, changed.size}, &memory, &string,
                                  &error)) {
                uint64_t sum = 0;

                for (size_t j = 0; j < string.size; j++)
                    sum += string.data[j]; /* all of it can be read */
                expect(string.size <= 264 * changed.size && sum <= 255 * string.size, "%zu", i);
                memory_release((void *)string.data, NULL);
                good++;
            } else {
                expect(error.status == SKETCH_MALFORMED && error.reason, "byte %zu", i);
                bad++;
            }
            free(changed.data);
        }
    expect(good > 0 && bad > 0, "%u read, %u refused", good, bad);
    conclude("changes under a good checksum are refused or read");
}

int
main(void)
{
    test_known();
    test_checksum();
    test_lengths();
    test_wrong_lengths();
    test_integers();
    test_lzf();
    test_bombs();
    test_large();
    test_changes();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
