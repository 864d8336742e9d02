/*
 * fuzz_redis.c - payloads of Redis's DUMP.
 */
#include "fuzz.h"

#include "core/common/redis_dump.h"

#include "../unit/redis_payload.h"

static void
fuzz_dump_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes string;
    uint8_t *copy;

    memory_used.largest = 0;
    if (!redis_dump_string(input, &memory, &string, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_check(string.size <= 264 * input.size, "longer than any honest compression");
    fuzz_check(memory_used.largest <= 264 * input.size + 1, "more memory than the input is worth");
    copy = malloc(string.size + 1);
    memcpy(copy, string.data, string.size); /* all of it is there */
    free(copy);
    memory_release((void *)string.data, NULL);
}

/* A payload around a string, its length in any form, compressed or not. */
size_t
fuzz_payload(Random *random, const uint8_t *string, size_t size, uint8_t *buffer)
{
    static const unsigned forms[] = {6, 14, 32, 64};
    unsigned form = forms[random_below(random, 4)];
    Payload p = {buffer, 0};

    if (form < 32 && size >> form > 0)
        form = 32;
    payload_u8(&p, 0);
    if (random_below(random, 2) == 0) {
        uint8_t *compressed = malloc(2 * size + 1);
        size_t compressed_size = payload_lzf(string, size, compressed);

        payload_u8(&p, 0xc3);
        payload_length(&p, compressed_size, 32);
        payload_length(&p, size, form);
        payload_bytes(&p, compressed, compressed_size);
        free(compressed);
    } else {
        payload_length(&p, size, form);
        payload_bytes(&p, string, size);
    }
    payload_finish(&p);
    return p.size;
}

static size_t
fuzz_dump_seed(Random *random, uint8_t *buffer)
{
    uint8_t string[2000];
    size_t size = random_below(random, random_below(random, 4) ? 70 : sizeof string);

    if (random_below(random, 8) == 0) {
        Payload p = {buffer, 0};
        unsigned encoding = (unsigned)random_below(random, 3);

        payload_u8(&p, 0);
        payload_u8(&p, 0xc0 | encoding);
        for (unsigned i = 0; i < 1u << encoding; i++)
            payload_u8(&p, random_next(random) & 255);
        payload_finish(&p);
        return p.size;
    }
    for (size_t at = 0; at < size;) {
        uint64_t run = random_below(random, 3) ? 1 : random_below(random, 300);

        for (uint8_t byte = (uint8_t)random_next(random); run > 0 && at < size; run--)
            string[at++] = byte;
    }
    return fuzz_payload(random, string, size, buffer);
}

/* A good checksum, in most cases: for what is no HYLL string. */
void
fuzz_payload_repair(uint8_t *data, size_t size)
{
    if (size >= 4 && memcmp(data, "HYLL", 4) != 0)
        payload_seal(data, size);
}

static const FuzzMode dump = {.number = 2,
                              .name = "DUMP payload",
                              .read = fuzz_dump_read,
                              .seed = fuzz_dump_seed,
                              .repair = fuzz_payload_repair};

FUZZ_MODE(dump)
