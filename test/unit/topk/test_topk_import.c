/*
 * test_topk_import.c - frequent items of DataSketches and Top-K lists of Redis: real ones, made
 * ones, and every lie.
 */
#include "../heavy.h"
#include "../redis_payload.h"
#include "core/common/bytes.h"

#define MODULE_ID UINT64_C(0x4e8a4af9360f1000)
#define K 300 /* enough for all counters to stay */

static SketchError error;
static uint8_t room[200000];

/* ---- DataSketches ---- */

static SketchBytes
from_datasketches(const void *data, size_t size, TopkType type)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    SketchBytes value = {NULL, 0}, again;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = topk_from_datasketches((SketchBytes){exact.data, exact.size}, K, type, &memory, &value,
                                  &error);
    free(exact.data);
    expect(memory_used.pieces == before + good, "memory was kept");
    if (!good) {
        expect(error.status == SKETCH_MALFORMED && error.reason, "no reason");
        return (SketchBytes){NULL, 0};
    }
    if (topk_ops.validate(value, &memory, &again, &error)) {
        expect(same_bytes(value.data, value.size, again.data, again.size), "not canonical");
        release_bytes(again);
    } else
        expect(false, "not valid: %s", error.reason);
    return value;
}

/* A sketch as they write it, of items 0 to n - 1. */
typedef struct Frequent {
    TopkType type;
    uint32_t n, told;
    uint64_t total, offset;
    const uint64_t *counts;
    bool same_items;
} Frequent;

static size_t
write_frequent(const Frequent *f)
{
    uint8_t *at = room + 32, buffer[TEXT_MOST];

    memset(room, 0, 32);
    memcpy(room, (uint8_t[]){4, 1, 10, 8, 3}, 5);
    store_le32(room + 8, f->told);
    store_le64(room + 16, f->total);
    store_le64(room + 24, f->offset);
    for (uint32_t i = 0; i < f->n; i++, at += 8)
        store_le64(at, f->counts[i]);
    for (uint32_t i = 0; i < f->n; i++) {
        TopkItem item = item_of(f->type, f->same_items ? 7 : i, buffer);

        if (f->type == TOPK_BIGINT) {
            store_le64(at, (uint64_t)item.number);
            at += 8;
            continue;
        }
        store_le32(at, item.size);
        memcpy(at + 4, item.bytes, item.size);
        at += 4 + item.size;
    }
    return (size_t)(at - room);
}

static void
test_known_frequent(void)
{
    /* (i * i) % 97 of 1 to 50, as 'item N'. */
    Bytes bytes = bytes_of_hex("04010a0404000000070000000000000032000000000000000000000000000000080"
                               "0000000000000030000000000"
                               "0000080000000000000008000000000000000700000000000000080000000000000"
                               "008000000000000000700000069"
                               "74656d203132060000006974656d2030070000006974656d2031300600000069746"
                               "56d2034060000006974656d20"
                               "31060000006974656d2039060000006974656d2033");
    SketchBytes value = from_datasketches(bytes.data, bytes.size, TOPK_TEXT);
    Topk topk = heavy_read(value);
    uint32_t at = topk_find(&topk, topk_text((const uint8_t *)"item 0", 6));

    expect(topk.header.k == K && topk.header.type == TOPK_TEXT && topk.header.total == 50 &&
               topk.header.error_bound == 0 && topk.header.counters == 7,
           "the header");
    expect(at < 7 && topk.counters[at].count == 3 && topk.counters[at].error == 0, "item 0");
    expect(topk.counters[0].count == 8, "the first");
    heavy_close(&topk);
    release_bytes(value);
    free(bytes.data);
    value = from_datasketches("\1\1\12\3\3\4\0\0", 8, TOPK_BIGINT);
    expect(value.data && topk_header(value).k == K && topk_header(value).total == 0 &&
               topk_header(value).counters == 0,
           "an empty one");
    release_bytes(value);
    conclude("frequent items as the extension datasketches writes them");
}

static void
test_frequent(void)
{
    Random random = {1};
    uint8_t buffer[TEXT_MOST];
    uint64_t counts[300];

    for (unsigned round = 0; round < trials_of(60); round++) {
        Frequent f = {
            round & 1 ? TOPK_TEXT : TOPK_BIGINT, 5 * round, 5 * round, 0, 0, counts, false};
        SketchBytes value;
        Topk topk;

        for (uint32_t i = 0; i < f.n; i++)
            f.total += counts[i] = 1 + random_below(&random, i % 5 ? 10 : UINT64_C(1) << 40);
        if (f.n == 0)
            continue;
        if (round % 3 == 0) {
            f.offset = 1 + random_below(&random, 1000);
            f.total += f.offset + (round % 2 ? 0 : 17);
        }
        value = from_datasketches(room, write_frequent(&f), f.type);
        expect(value.data, "%u items: %s", f.n, error.reason);
        topk = heavy_read(value);
        expect(topk.header.k == K && topk.header.type == f.type && topk.header.counters == f.n &&
                   topk.header.total == f.total && topk.header.error_bound == f.offset,
               "%u items: header", f.n);
        for (uint32_t i = 0; i < f.n; i++) {
            uint32_t at = topk_find(&topk, item_of(f.type, i, buffer));

            expect(at < f.n && topk.counters[at].count == counts[i] &&
                       topk.counters[at].error == f.offset,
                   "%u items: item %u", f.n, i);
        }
        heavy_close(&topk);
        release_bytes(value);
    }
    conclude("counts, offset and total of frequent items");
}

static void
test_frequent_lies(void)
{
    static const char foreign[] = "Not DataSketches' frequent items";
    static const char length[] = "The length differs from that in the header";
    static const char total[] = "The total or the error is out of range";
    static const char sum[] = "Counts do not add up to the total";
    static const char item[] = "An item is truncated or corrupt";
    static const char left[] = "There are extra bytes at the end";
    static const char counters[] = "More counters than bytes for them";
    static const struct {
        size_t at;
        unsigned bytes;
        uint64_t value;
        const char *reason;
    } lies[] = {
        {0, 1, 1, length},
        {1, 1, 2, foreign},
        {2, 1, 7, foreign},
        {5, 1, 1, length},
        {5, 1, 4, length},
        {8, 4, 4, item},
        {8, 4, 1000, counters},
        {16, 8, 0, total},
        {16, 8, UINT64_C(1) << 63, total},
        {16, 8, 5, sum},
        {16, 8, 7, sum},
        {24, 8, 7, total},
        {24, 8, 6, sum},
        {24, 8, 1, sum},
        {40, 8, 0, sum},
        {56, 4, 1 << 20 | 1, item},
    };
    static const uint64_t counts[] = {3, 2, 1};
    Frequent f = {TOPK_TEXT, 3, 3, 6, 0, counts, false};
    size_t size = write_frequent(&f);
    SketchBytes value;

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        write_frequent(&f);
        for (unsigned byte = 0; byte < lies[i].bytes; byte++)
            room[lies[i].at + byte] = (uint8_t)(lies[i].value >> 8 * byte);
        expect(!from_datasketches(room, size, TOPK_TEXT).data &&
                   strcmp(error.reason, lies[i].reason) == 0,
               "lie %zu: %s", i, error.reason);
    }
    f.same_items = true;
    expect(!from_datasketches(room, write_frequent(&f), TOPK_TEXT).data &&
               strcmp(error.reason, "An item has two counters") == 0,
           "an item twice");
    f.same_items = false;
    for (unsigned type = TOPK_BIGINT; type <= TOPK_TEXT; type++) {
        f.type = (TopkType)type;
        size = write_frequent(&f);
        value = from_datasketches(room, size, f.type);
        expect(value.data, "the good one: %s", error.reason);
        release_bytes(value);
        room[size] = 0;
        expect(!from_datasketches(room, size + 1, f.type).data && strcmp(error.reason, left) == 0,
               "a byte more");
        for (size_t cut = 0; cut < size; cut++)
            expect(!from_datasketches(room, cut, f.type).data &&
                       strcmp(error.reason, cut < 8                                  ? foreign
                                            : cut < 32                               ? length
                                            : cut < 32 + 3 * (type == 1 ? 16u : 12u) ? counters
                                                                                     : item) == 0,
                   "cut at %zu: %s", cut, error.reason);
    }
    room[5] = 4;
    expect(!from_datasketches(room, 9, TOPK_TEXT).data && strcmp(error.reason, length) == 0,
           "an empty one of 9 bytes");
    conclude("no lie of frequent items is believed");
}

static void
test_largest(void)
{
    size_t size = 32 + 8 + 4 + TOPK_ITEM_MAX;
    uint8_t *data = calloc(size + 1, 1);
    SketchBytes value;

    memcpy(data, (uint8_t[]){4, 1, 10, 8, 3}, 5);
    data[8] = 1;
    store_le64(data + 16, INT64_MAX);
    store_le64(data + 32, INT64_MAX);
    store_le32(data + 40, TOPK_ITEM_MAX);
    value = from_datasketches(data, size, TOPK_TEXT);
    expect(value.data && topk_header(value).total == INT64_MAX, "%s", error.reason);
    if (value.data)
        release_bytes(value);
    store_le32(data + 40, TOPK_ITEM_MAX + 1);
    expect(!from_datasketches(data, size + 1, TOPK_TEXT).data, "a byte longer");
    free(data);
    conclude("the longest item, as often as possible");
}

/* ---- Redis ---- */

static bool
read_redis(const void *data, size_t size, TopkRedis *list)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = topk_read_redis((SketchBytes){exact.data, exact.size}, &memory, list, &error);
    free(exact.data);
    if (!good)
        expect(memory_used.pieces == before && error.status == SKETCH_MALFORMED && error.reason,
               "refused without a reason, or with memory kept");
    return good;
}

typedef struct Listed {
    int64_t k, width, depth;
    double decay;
    unsigned cells; /* bytes of them */
    unsigned heap;  /* the same of the heap */
    unsigned items;
    const uint32_t *counts; /* 0 for a free place */
    bool no_end, more;
} Listed;

static size_t
write_listed(const Listed *l)
{
    static uint8_t heap[24 * 200];
    static const uint8_t cells[8 * 1000];
    Payload p = {room, 0};

    for (unsigned i = 0; i < l->items; i++) {
        memset(heap + 24 * i, 0xa5, 24);
        store_le32(heap + 24 * i + 16, l->counts[i]);
    }
    payload_module(&p, MODULE_ID);
    payload_signed(&p, l->k);
    payload_signed(&p, l->width);
    payload_signed(&p, l->depth);
    payload_double(&p, l->decay);
    payload_field(&p, cells, l->cells);
    payload_field(&p, heap, l->heap);
    for (unsigned i = 0; i < l->items; i++) {
        char text[20] = "";
        int size = l->counts[i] > 0 ? sprintf(text, "item %u", i) : 0;

        payload_field(&p, text, (size_t)size + !(l->no_end && i == 1));
    }
    if (l->more)
        payload_signed(&p, 1);
    payload_module_end(&p);
    return p.size;
}

static void
test_known_list(void)
{
    Bytes payload = bytes_of_hex("07814e8a4af9360f100002030208020704cdccccccccccec3f05c32b41c001000"
                                 "0800004f6ddaf6f0c800ae04400"
                                 "e02757e0272fe01f00e03757e0173fe0171fe01f00e0254701000005c32040480"
                                 "10000e00d0004f6ddaf6f10201a"
                                 "08d063996cd25500000c200be01100010000050100051174696e792d312d31343"
                                 "037383936353800050100000c00"
                                 "897c4a91ebcac377");
    TopkRedis list;

    expect(read_redis(payload.data, payload.size, &list), "%s", error.reason);
    expect(
        list.count == 1 && list.items[0].count == 12 &&
            same_bytes(list.items[0].bytes.data, list.items[0].bytes.size, "tiny-1-140789658", 16),
        "its item");
    topk_redis_close(&list, &memory);
    free(payload.data);
    conclude("a list of a real server");
}

static void
test_lists(void)
{
    Random random = {2};

    for (unsigned k = 1; k < 200; k += 1 + k / 4) {
        uint32_t counts[200];
        unsigned taken = 0;
        TopkRedis list;
        Listed l = {k, 20, 3, k & 1 ? 1 : 0.9, 8 * 60, 24 * k, k, counts, false, false};

        for (unsigned i = 0; i < k; i++) {
            counts[i] = (uint32_t)random_below(&random, k < 20 ? 4 : 1000000);
            taken += counts[i] > 0;
        }
        if (!read_redis(room, write_listed(&l), &list)) {
            expect(false, "%u: %s", k, error.reason);
            continue;
        }
        expect(list.count == taken, "%u of %u", list.count, taken);
        for (uint32_t i = 0; i < list.count; i++) {
            unsigned number = (unsigned)atoi((const char *)list.items[i].bytes.data + 5);

            expect(list.items[i].count == counts[number], "item %u", number);
            expect(i == 0 || list.items[i].count <= list.items[i - 1].count, "not in order");
            for (uint32_t j = 0; j < i; j++)
                expect(!same_bytes(list.items[i].bytes.data, list.items[i].bytes.size,
                                   list.items[j].bytes.data, list.items[j].bytes.size),
                       "twice");
        }
        topk_redis_close(&list, &memory);
    }
    for (unsigned flat = 0; flat < 2; flat++) {
        static const uint32_t count = 5;
        Listed l = {1, flat ? 60 : 1, flat ? 1 : 60, 0.9, 8 * 60, 24, 1, &count, false, false};
        TopkRedis list;

        if (read_redis(room, write_listed(&l), &list))
            topk_redis_close(&list, &memory);
        else
            expect(false, "one row, or one column: %s", error.reason);
    }
    conclude("items and counts of lists, the highest first");
}

static void
test_list_lies(void)
{
    static const char range[] = "k, width, depth or decay out of range";
    static const char cells[] = "The number of cells does not match width and depth";
    static const char items[] = "The number of items does not match k";
    static const char extra[] = "Extra bytes in the DUMP payload";
    static const uint32_t counts[] = {5, 4, 3, 2};
    static const Listed good = {3, 20, 3, 0.9, 480, 72, 3, counts, false, false};
    static const struct {
        Listed listed;
        const char *reason;
    } lies[] = {
        {{0, 20, 3, 0.9, 480, 72, 3, counts, false, false}, range},
        {{3, 0, 3, 0.9, 480, 72, 3, counts, false, false}, range},
        {{3, 20, 0, 0.9, 480, 72, 3, counts, false, false}, range},
        {{3, 20, -3, 0.9, 480, 72, 3, counts, false, false}, range},
        {{3, 20, 3, 0, 480, 72, 3, counts, false, false}, range},
        {{3, 20, 3, 1.01, 480, 72, 3, counts, false, false}, range},
        {{3, 20, 3, NAN, 480, 72, 3, counts, false, false}, range},
        {{3, 20, 3, 0.9, 472, 72, 3, counts, false, false}, cells},
        {{3, 20, 3, 0.9, 481, 72, 3, counts, false, false}, cells},
        {{3, 20, 3, 0.9, 484, 72, 3, counts, false, false}, cells},
        {{3, 21, 3, 0.9, 480, 72, 3, counts, false, false}, cells},
        {{3, INT64_C(1) << 62, 60, 0.9, 480, 72, 3, counts, false, false}, cells},
        {{3, 60, INT64_C(1) << 62, 0.9, 480, 72, 3, counts, false, false}, cells},
        {{3, 20, 3, 0.9, 480, 71, 3, counts, false, false}, items},
        {{3, 20, 3, 0.9, 480, 48, 3, counts, false, false}, items},
        {{4, 20, 3, 0.9, 480, 72, 3, counts, false, false}, items},
        {{120, 20, 3, 0.9, 480, 24 * 120, 3, counts, false, false}, items},
        {{3, 20, 3, 0.9, 480, 72, 2, counts, false, false}, "An item is truncated or corrupt"},
        {{3, 20, 3, 0.9, 480, 72, 4, counts, false, false}, extra},
        {{3, 20, 3, 0.9, 480, 72, 3, counts, false, true}, extra},
        {{3, 20, 3, 0.9, 480, 72, 3, counts, true, false},
         "An item is not terminated by a zero byte"},
    };
    TopkRedis list;
    size_t size;

    expect(read_redis(room, write_listed(&good), &list), "the good one");
    topk_redis_close(&list, &memory);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        size = write_listed(&lies[i].listed);
        expect(!read_redis(room, size, &list) && strcmp(error.reason, lies[i].reason) == 0,
               "lie %zu: %s", i, error.reason);
    }
    conclude("no lie of a list is believed");

    size = write_listed(&good) - PAYLOAD_FOOTER - 1;
    for (size_t cut = 9; cut < size; cut += 1 + (cut > 60 && cut < 500) * 50) {
        uint8_t *copy = malloc(cut + PAYLOAD_FOOTER);
        Payload p = {copy, cut};

        memcpy(copy, room, cut);
        payload_finish(&p);
        expect(!read_redis(p.data, p.size, &list), "cut at %zu", cut);
        free(copy);
    }
    conclude("cut lists are refused");
}

int
main(void)
{
    test_known_frequent();
    test_frequent();
    test_frequent_lies();
    test_largest();
    test_known_list();
    test_lists();
    test_list_lies();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
