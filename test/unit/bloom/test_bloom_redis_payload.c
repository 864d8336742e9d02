/*
 * test_bloom_redis_payload.c - payloads of RedisBloom and stored values of its filters: what is
 * read, and that no lie is believed.
 */
#include <stddef.h>

#include "../redis_bloom.h"

#define MODULE_ID UINT64_C(0x3016e5a289bef800)

/* ---- payloads ---- */

typedef struct Fields {
    uint64_t version, items, layers, options, growth;
    uint64_t capacity, hashes, bits, n2, bytes, layer_items;
    uint64_t more; /* fields behind the last */
    double rate, bits_per_entry;
} Fields;

static const Fields good = {4, 1, 1, 4, 2, 10, 8, 128, 0, 16, 1, 0, 0.005, 11.027753418256411};

static SketchBytes
from_fields(const Fields *f)
{
    static uint8_t room[100000];
    static const uint8_t bits[64] = {1, 2, 3};
    Payload p = {room, 0};

    payload_module(&p, MODULE_ID | f->version);
    payload_signed(&p, (int64_t)f->items);
    payload_signed(&p, (int64_t)f->layers);
    if (f->version >= 2)
        payload_signed(&p, (int64_t)f->options);
    if (f->version >= 4)
        payload_signed(&p, (int64_t)f->growth);
    for (uint64_t i = 0; i < f->layers && i < 300; i++) {
        payload_signed(&p, (int64_t)f->capacity);
        payload_double(&p, f->rate);
        payload_signed(&p, (int64_t)f->hashes);
        payload_double(&p, f->bits_per_entry);
        if (f->version >= 1) {
            payload_signed(&p, (int64_t)f->bits);
            payload_signed(&p, (int64_t)f->n2);
        }
        payload_field(&p, bits, f->bytes);
        payload_signed(&p, (int64_t)f->layer_items);
    }
    for (uint64_t i = 0; i < f->more; i++)
        payload_signed(&p, 1);
    payload_module_end(&p);
    return from_dump(p.data, p.size);
}

/* Returns true if a payload is refused, and for this reason; or read, if there is none. */
static bool
answered(const Fields *fields, const char *reason)
{
    SketchBytes value = from_fields(fields);

    if (!value.data)
        return reason && strcmp(error.reason, reason) == 0;
    release_bytes(value);
    return !reason;
}

static void
test_dump(void)
{
    static const char damaged[] = "Damaged Bloom filter";
    static const char disagree[] = "Error rate, bits and hashes disagree";
    static const char many[] = "Capacity or items out of range";
    static const char range[] = "Bits out of range";
    static const char old[] = "A filter of RedisBloom before 2.0, whose hash has 32 bits";
    static const struct {
        size_t field;
        uint64_t value;
        const char *reason;
    } lies[] = {
        {offsetof(Fields, version), 6, "Encoding version of the DUMP payload"},
        {offsetof(Fields, version), 5, damaged}, /* without a seed */
        {offsetof(Fields, version), 1024, "The DUMP payload is of another module"},
        {offsetof(Fields, version), 1, old},
        {offsetof(Fields, version), 0, old},
        {offsetof(Fields, options), 20, "Unknown options"},
        {offsetof(Fields, options), UINT64_C(1) << 32 | 4, "Unknown options"},
        {offsetof(Fields, options), 11, old},
        {offsetof(Fields, options), 15, NULL},
        {offsetof(Fields, growth), 32768, NULL},
        {offsetof(Fields, growth), 32769, "Expansion out of range"},
        {offsetof(Fields, growth), 65538, "Expansion out of range"},
        {offsetof(Fields, items), 2, damaged},
        {offsetof(Fields, layers), 0, damaged},
        {offsetof(Fields, layers), 257, damaged},
        {offsetof(Fields, bits), 127, damaged},
        {offsetof(Fields, more), 1, damaged},
        {offsetof(Fields, hashes), 8 + 256, disagree},
        {offsetof(Fields, hashes), 9, disagree},
        {offsetof(Fields, capacity), 0, many},
        {offsetof(Fields, capacity), UINT64_C(1) << 54, NULL},
        {offsetof(Fields, capacity), (UINT64_C(1) << 54) + 1, many},
        {offsetof(Fields, layer_items), (UINT64_C(1) << 54) + 1, many},
        {offsetof(Fields, n2), 8, range},
        {offsetof(Fields, n2), 7, NULL},
        {offsetof(Fields, n2), 64, range},
    };
    static const double rates[] = {0, 1, NAN, -0.005};
    Fields fields = good;
    SketchBytes value;
    BloomRedis redis;

    expect(answered(&good, NULL), "the good one: %s", error.reason);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        fields = good;
        memcpy((char *)&fields + lies[i].field, &lies[i].value, sizeof lies[i].value);
        expect(answered(&fields, lies[i].reason), "lie %zu: %s", i, error.reason);
    }
    fields = good;
    fields.version = 5;
    fields.more = 1; /* a seed of 1 */
    expect(answered(&fields, "It was made with a seed of its own; only the usual one is known"),
           "another seed");
    fields = good;
    for (unsigned i = 0; i < 4; i++) {
        fields.rate = rates[i];
        expect(answered(&fields, "Error rate out of range"), "rate %g", rates[i]);
    }
    fields = good;
    fields.bits_per_entry = 11.0277545;
    expect(answered(&fields, disagree), "bits per entry");
    fields = good;
    fields.items = fields.layer_items = UINT64_C(1) << 54;
    expect(answered(&fields, NULL), "as many items as there may be");
    fields = good;
    fields.bytes = fields.bits = 0;
    expect(answered(&fields, range), "no bits");
    fields = good;
    fields.layers = fields.items = 2;
    fields.version = 3;
    value = from_fields(&fields);
    expect(value.data && bloom_redis_read(&redis, value) && redis.growth == 2 &&
               redis.layers == 2 && canonical(value),
           "before growth was a field");
    release_bytes(value);
    conclude("no lie of DUMP is believed");
}

static void
test_cut_dump(void)
{
    static uint8_t room[200];
    Bytes whole = bytes_of_hex(DUMP);

    for (size_t size = 0; size < whole.size; size++) {
        SketchBytes value;
        size_t sealed = size;

        /* Cut within the fields, with a footer that is right. */
        memcpy(room, whole.data, size);
        if (size < whole.size - PAYLOAD_FOOTER) {
            Payload p = {room, size};

            payload_finish(&p);
            sealed = p.size;
        }
        value = from_dump(room, sealed);
        expect(!value.data, "cut at %zu", size);
        if (value.data)
            release_bytes(value);
    }
    free(whole.data);
    conclude("cut payloads are refused");
}

static void
test_scandump(void)
{
    static const char fit[] = "The chunks do not fit the header";
    static const char number[] = "The header has another number of filters";
    static const struct {
        size_t at, bytes;
        uint64_t value;
        const char *reason;
    } lies[] = {
        {0, 8, 8, "Items are not the sum of those of the filters"},
        {8, 4, 0, number},
        {8, 4, 2, number},
        {8, 4, 257, number},
        {12, 4, 21, "Unknown options"},
        {12, 4, 1, "A filter of RedisBloom before 2.0, whose hash has 32 bits"},
        {16, 4, 32769, "Expansion out of range"},
        {20, 8, 17, fit},
        {20, 8, 15, fit},
        {20, 8, (UINT64_C(1) << 32) + 16, fit},
        {28, 8, 127, fit},
        {36, 8, UINT64_C(1) << 55, "Capacity or items out of range"},
        {44, 8, 0, "Error rate out of range"},
        {60, 4, 264, "Error rate, bits and hashes disagree"},
        {64, 8, 0, "Capacity or items out of range"},
        {72, 1, 8, "Bits out of range"},
    };
    Bytes header = bytes_of_hex(HEADER), bits = bytes_of_hex(BITS);
    SketchBytes body = {bits.data, bits.size}, value;

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        Bytes lie = bytes_copy(header.data, header.size);

        for (size_t byte = 0; byte < lies[i].bytes; byte++)
            lie.data[lies[i].at + byte] = (uint8_t)(lies[i].value >> 8 * byte);
        value = from_scandump((SketchBytes){lie.data, lie.size}, body);
        expect(!value.data && strcmp(error.reason, lies[i].reason) == 0, "lie %zu: %s", i,
               error.reason);
        free(lie.data);
    }
    expect(!from_scandump((SketchBytes){header.data, 72}, body).data && error.found == 72 &&
               error.low == 73,
           "a header cut");
    expect(!from_scandump((SketchBytes){header.data, 73}, (SketchBytes){bits.data, 15}).data,
           "chunks cut");
    conclude("no lie of SCANDUMP is believed");

    /* Both ways, with any number of layers. */
    for (uint64_t items = 0; items < 300; items = 3 * items + 1) {
        SketchBytes filled = items == 0
                                 ? filter(1, 0x1.6a09e667f3bcdp-254, 1, 0, 1) /* 255 hashes */
                                 : filter(6, 0.03, 3, 0, items);
        size_t size, fields;
        uint8_t *written;
        BloomRedis redis;

        bloom_redis_read(&redis, filled);
        size = bloom_redis_header_bytes(&redis);
        fields = BLOOM_PACKED_HEADER + redis.layers * (size_t)BLOOM_REDIS_ENTRY;
        written = malloc(size);
        bloom_redis_write_header(redis, written);
        value = from_scandump((SketchBytes){written, size},
                              (SketchBytes){filled.data + fields, filled.size - fields});
        expect(value.data && same_value(value, filled), "%u layers", redis.layers);
        if (value.data)
            release_bytes(value);
        release_bytes(filled);
        free(written);
    }
    free(header.data);
    free(bits.data);
    conclude("SCANDUMP both ways");
}

/* ---- stored values ---- */

static void
test_stored_lies(void)
{
    static const char body[] = "The value is truncated or corrupt";
    static const struct {
        size_t at;
        uint8_t value;
        const char *reason;
    } lies[] = {
        {3, 2, "Unknown hash function"},
        {6, 0, body},
        {6, 2, body},
        {7, 1, body},
        {8, 20, "Unknown options"},
        {12, 1, body},
        {15, 1, body},
        {16, 1, body},
        {23, 1, body},
        {24, 6, "Items are not the sum of those of the filters"},
        {40, 6, "Items are not the sum of those of the filters"},
        {56, 15, body},
        {60, 1, "Reserved bytes are not zero"},
        {61, 1, "Reserved bytes are not zero"},
        {62, 9, "Error rate, bits and hashes disagree"},
        {63, 8, body},
    };
    SketchBytes value = from_dump_hex(DUMP), validated;

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        Bytes lie = bytes_copy(value.data, value.size);

        lie.data[lies[i].at] = lies[i].value;
        expect(
            !bloom_ops.validate((SketchBytes){lie.data, lie.size}, &memory, &validated, &error) &&
                strcmp(error.reason, lies[i].reason) == 0,
            "lie %zu: %s", i, error.reason);
        free(lie.data);
    }
    for (size_t size = 0; size < value.size; size++) {
        Bytes cut = bytes_copy(value.data, size);

        expect(!bloom_ops.validate((SketchBytes){cut.data, cut.size}, &memory, &validated, &error),
               "cut at %zu", size);
        free(cut.data);
    }
    conclude("no lie of a stored value is believed");
    {
        SketchState state = bloom_ops.open(value, &memory), copy = bloom_ops.open(value, &memory);
        bool added;

        state.data[6] = 9; /* layers */
        expect(!bloom_redis_add(&state, (SketchBytes){value.data, 1}, &added, &memory, &error) &&
                   error.status == SKETCH_DAMAGED && !added,
               "added to");
        expect(!bloom_redis_contains(sketch_bytes(state), (SketchBytes){value.data, 1}, &memory),
               "asked");
        expect(!merge_into(&bloom_ops, &state, value, &error) && error.status == SKETCH_DAMAGED,
               "united");
        expect(!merge_into(&bloom_ops, &copy, sketch_bytes(state), &error) &&
                   error.status == SKETCH_DAMAGED,
               "united into another");
        expect(!bloom_ops.open(sketch_bytes(state), &memory).data, "opened");
        release_state(state);
        release_state(copy);
    }
    release_bytes(value);
    conclude("a damaged value is refused");
}

int
main(void)
{
    test_dump();
    test_cut_dump();
    test_scandump();
    test_stored_lies();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
