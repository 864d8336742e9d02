/*
 * test_cms_redis.c - Count-Min sketches of Redis: a real one, a plain table beside, and every lie.
 */
#include "../frequency.h"
#include "../redis_payload.h"

#define MODULE_ID UINT64_C(0x08c4a4f9360f1000)

static SketchError error;

static SketchBytes
bytes_of(const char *text)
{
    return (SketchBytes){(const uint8_t *)text, strlen(text)};
}

static SketchBytes
from_redis(const void *data, size_t size)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    SketchBytes value = {NULL, 0};
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = cms_from_redis((SketchBytes){exact.data, exact.size}, &memory, &value, &error);
    free(exact.data);
    expect(memory_used.pieces == before + good, "memory was kept");
    return good ? value : (SketchBytes){NULL, 0};
}

static void
test_known(void)
{
    Bytes payload =
        bytes_of_hex("078108c4a4f9360f100002040202020905c30f200400000000092003e00b002017"
                     "0000000c007cc3d2fed6e77a67");
    Bytes plain = bytes_of_hex("078108c4a4f9360f100002040202020905200000000009000000000000000000"
                               "000000000000000000000000000009000000000800baa4cedf439241b0");
    SketchBytes value = from_redis(payload.data, payload.size), back, again;

    expect(value.data, "%s", error.reason);
    expect(cms_total(value) == 9 && cms_shape(value).width == 4 && cms_shape(value).depth == 2,
           "its parameters");
    expect(cms_query_bytes(value, bytes_of("tiny-1-766615371"), &memory) == 9, "an item");
    expect(cms_query_bytes(value, bytes_of("stranger-1-654467870"), &memory) == 0, "a stranger");
    expect(cms_query_bytes(value, bytes_of("stranger-1-857818202"), &memory) == 9,
           "one that collides");
    expect(cms_to_redis(value, &memory, &back, &error) &&
               same_bytes(back.data, back.size, plain.data, plain.size),
           "given back");
    again = from_redis(back.data, back.size);
    expect(again.data && same_bytes(again.data, again.size, value.data, value.size), "read again");
    release_bytes(again);
    release_bytes(back);
    release_bytes(value);
    free(payload.data);
    free(plain.data);
    conclude("a sketch of a real server, both ways");
}

/* ---- a plain table ---- */

/* The cells of Redis's addressing, with the conservative update. */
static void
plain_insert(uint64_t *cells, CmsShape shape, SketchBytes item, uint64_t count)
{
    uint64_t least = UINT64_MAX, *cell[CMS_DEPTH_MAX];

    for (uint32_t row = 0; row < shape.depth; row++) {
        cell[row] =
            &cells[row * shape.width + murmur32(item.data, item.size, row, &memory) % shape.width];
        least = *cell[row] < least ? *cell[row] : least;
    }
    for (uint32_t row = 0; row < shape.depth; row++)
        if (*cell[row] < least + count)
            *cell[row] = least + count;
}

static uint64_t
plain_query(const uint64_t *cells, CmsShape shape, SketchBytes item)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t row = 0; row < shape.depth; row++) {
        uint64_t cell =
            cells[row * shape.width + murmur32(item.data, item.size, row, &memory) % shape.width];

        least = cell < least ? cell : least;
    }
    return least;
}

static bool
insert_bytes(SketchState *state, SketchBytes item, uint64_t count)
{
    SketchState before = *state;
    bool good = cms_insert_bytes(state, item, count, &memory, &error);

    if (state->data != before.data)
        release_state(before);
    return good;
}

/* A payload of these cells. */
typedef struct Fields {
    unsigned version;
    int64_t width, depth, total, bytes;
    const uint64_t *cells;
    size_t count;
    bool more;
    int64_t seed; /* version 2 */
} Fields;

static SketchBytes
from_fields(const Fields *f)
{
    static uint8_t room[200000], table[100000];
    unsigned bytes = f->version == 0 ? 4 : (unsigned)f->bytes & 15;
    Payload p = {room, 0};

    for (size_t i = 0; i < f->count * bytes; i++)
        table[i] = i % bytes < 8 ? (uint8_t)(f->cells[i / bytes] >> i % bytes * 8) : 0;
    payload_module(&p, MODULE_ID | f->version);
    payload_signed(&p, f->width);
    payload_signed(&p, f->depth);
    payload_signed(&p, f->total);
    if (f->version > 0)
        payload_signed(&p, f->bytes);
    payload_field(&p, table, f->count * bytes);
    if (f->version >= 2)
        payload_signed(&p, f->seed);
    if (f->more)
        payload_signed(&p, 1);
    payload_module_end(&p);
    return from_redis(p.data, p.size);
}

static SketchState
empty_state(int64_t width, int64_t depth)
{
    static const uint64_t zeros[4000];
    Fields fields = {0, width, depth, 0, 4, zeros, (size_t)(width * depth), false, 0};
    SketchBytes value = from_fields(&fields);
    SketchState state = cms_ops.open(value, &memory);

    release_bytes(value);
    return state;
}

static void
test_counting(void)
{
    static const int64_t shapes[][2] = {{1, 1}, {7, 2}, {100, 5}, {400, 3}};
    Random random = {1};

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (unsigned shift = 0; shift < 32; shift += 10) {
            SketchState state = empty_state(shapes[s][0], shapes[s][1]);
            CmsShape shape = {(uint32_t)shapes[s][0], (uint32_t)shapes[s][1], SKETCH_HASH_REDIS};
            uint64_t *cells = calloc((size_t)shape.width * shape.depth, sizeof *cells), total = 0;
            SketchBytes value, back, again;
            char text[30];

            for (unsigned i = 0; i < 300; i++) {
                uint64_t count = 1 + random_below(&random, UINT64_C(1) << shift);

                sprintf(text, "item %u", (unsigned)random_below(&random, 80));
                expect(insert_bytes(&state, bytes_of(text), count), "%s", error.reason);
                plain_insert(cells, shape, bytes_of(text), count);
                total += count;
            }
            check_stored(state, "counted");
            value = pack(state);
            expect(cms_total(value) == total, "the total");
            for (unsigned i = 0; i < 120; i++) {
                sprintf(text, "item %u", i);
                expect(cms_query_bytes(value, bytes_of(text), &memory) ==
                           plain_query(cells, shape, bytes_of(text)),
                       "%ux%u, shift %u: %s", shape.width, shape.depth, shift, text);
            }
            if (plain_query(cells, shape, bytes_of("item 1")) < UINT32_MAX && shift < 25) {
                expect(cms_to_redis(value, &memory, &back, &error), "%s", error.reason);
                again = from_redis(back.data, back.size);
                expect(again.data && same_bytes(again.data, again.size, value.data, value.size),
                       "there and back");
                if (again.data)
                    release_bytes(again);
                release_bytes(back);
            }
            release_bytes(value);
            release_state(state);
            free(cells);
        }
    conclude("items of bytes are counted as in a plain table");
}

/* 2^32 - 1 is a full cell there. */
static void
test_largest(void)
{
    SketchState state = empty_state(10, 2);
    SketchState ours = cms_new(shape(10, 2), &memory);
    SketchBytes value, back;

    expect(insert_bytes(&state, bytes_of("a"), UINT32_MAX - 1), "%s", error.reason);
    value = pack(state);
    expect(cms_to_redis(value, &memory, &back, &error), "2^32 - 2");
    release_bytes(back);
    release_bytes(value);
    expect(insert_bytes(&state, bytes_of("a"), 1), "%s", error.reason);
    value = pack(state);
    expect(!cms_to_redis(value, &memory, &back, &error) && error.status == SKETCH_OVERFLOW,
           "2^32 - 1");
    release_bytes(value);
    expect(!insert_bytes(&state, bytes_of("a"), INT64_MAX) && error.status == SKETCH_OVERFLOW,
           "a total beyond bigint");
    insert(&ours, 1, 5);
    value = pack(ours);
    expect(!cms_to_redis(value, &memory, &back, &error) && error.status == SKETCH_MISMATCH,
           "another hash function");
    expect(!cms_merge_times(&state, value, 1, &memory, &error) && error.status == SKETCH_MISMATCH &&
               strncmp(error.reason, "One counts with the hash of Redis", 33) == 0,
           "merged: %s", error.reason);
    back = pack(state);
    expect(!cms_merge_times(&ours, back, 1, &memory, &error) && error.status == SKETCH_MISMATCH &&
               strncmp(error.reason, "One counts with XXH3", 20) == 0,
           "merged the other way round: %s", error.reason);
    release_bytes(back);
    expect(cms_query_bytes(value, bytes_of("a"), &memory) == 0, "a list has no cells");
    release_bytes(value);
    release_state(state);
    release_state(ours);
    conclude("what Redis cannot hold is not given to it");
}

static void
test_payloads(void)
{
    static const char many[] = "A row adds up to more than the total";
    static const char shape[] = "The number of cells does not match the shape";
    static const char width[] = "Bytes of a cell are not 1, 2, 4 or 8";
    static const uint64_t cells[] = {3, 0, 7, 0, 5, 5}, more[] = {3, 0, 7, 0, 5, 6};
    static const struct {
        Fields fields;
        const char *reason;
    } lies[] = {
        {{0, 3, 2, 9, 4, cells, 6, false, 0}, many},
        {{0, 3, 2, 10, 4, more, 6, false, 0}, many},
        {{0, 3, 2, -1, 4, cells, 6, false, 0}, "total"},
        {{0, 3, 2, 10, 4, cells, 5, false, 0}, shape},
        {{0, 2, 2, 10, 4, cells, 6, false, 0}, shape},
        {{0, 3, 2, 10, 4, cells, 6, true, 0}, "Extra bytes in the DUMP payload"},
        {{2, 3, 2, 10, 4, cells, 6, true, 0}, "Extra bytes in the DUMP payload"},
        {{2, 3, 2, 10, 4, cells, 6, false, 123},
         "It was made with a seed of its own; only the seed 0 is known"},
        {{3, 3, 2, 10, 4, cells, 6, false, 0}, "Encoding version of the DUMP payload"},
        {{1, 3, 2, 10, 3, cells, 6, false, 0}, width},
        {{1, 3, 2, 10, 16, cells, 6, false, 0}, width},
    };
    uint64_t other[6];
    Fields good = {0, 3, 2, 10, 4, cells, 6, false, 0}, f;
    SketchBytes value = from_fields(&good), same;

    expect(value.data && cms_total(value) == 10, "the good one");
    for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
        f = good;
        f.version = 1;
        f.bytes = bytes;
        same = from_fields(&f);
        expect(same.data && same_bytes(value.data, value.size, same.data, same.size),
               "cells of %u bytes", bytes);
        if (same.data)
            release_bytes(same);
        /* The highest is a full cell. */
        for (unsigned less = 0; less < 3; less++) {
            memcpy(other, cells, sizeof other);
            other[4] = (bytes == 8 ? (uint64_t)INT64_MAX : ~UINT64_C(0) >> (64 - 8 * bytes)) - less;
            other[5] = 0;
            f.cells = other;
            f.total = INT64_MAX;
            same = from_fields(&f);
            expect((same.data != NULL) == (less > 0) &&
                       (less > 0 || error.status == SKETCH_OVERFLOW),
                   "%u bytes: %u below the highest", bytes, less);
            if (same.data)
                release_bytes(same);
        }
    }
    f = good;
    f.version = 2;
    same = from_fields(&f);
    expect(same.data && same_bytes(value.data, value.size, same.data, same.size),
           "version 2, with the seed 0");
    if (same.data)
        release_bytes(same);
    release_bytes(value);
    conclude("cells of every width, and full ones; the seed 0");

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        value = from_fields(&lies[i].fields);
        expect(!value.data && error.status == SKETCH_MALFORMED &&
                   strcmp(error.reason, lies[i].reason) == 0,
               "lie %zu: %s", i, error.reason);
    }
    f = good;
    f.width = 0;
    expect(!from_fields(&f).data && error.status == SKETCH_MALFORMED, "no width");
    conclude("no lie of a payload is believed");
}

static void
test_cut(void)
{
    static const char *const reasons[] = {"A field is truncated or corrupt",
                                          "The cells are truncated or corrupt",
                                          "Extra bytes in the DUMP payload"};
    unsigned seen[3] = {0};
    uint8_t room[200];
    Payload whole = {room, 0};

    payload_module(&whole, MODULE_ID);
    payload_signed(&whole, 2);
    payload_signed(&whole, 1);
    payload_signed(&whole, 3);
    payload_field(&whole, "\1\0\0\0\2\0\0\0", 8);
    for (size_t size = 10; size <= whole.size; size++) {
        uint8_t cut[200];
        Payload p = {cut, size};

        memcpy(cut, room, size);
        payload_finish(&p);
        expect(!from_redis(p.data, p.size).data, "cut at %zu", size);
        for (unsigned i = 0; i < 3; i++)
            seen[i] += strcmp(error.reason, reasons[i]) == 0;
    }
    expect(seen[0] == 6 && seen[1] == 10 && seen[2] == 1, "%u, %u, %u", seen[0], seen[1], seen[2]);
    conclude("cut payloads are refused, with what is missing");
}

int
main(void)
{
    test_known();
    test_counting();
    test_largest();
    test_payloads();
    test_cut();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
