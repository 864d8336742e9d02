/*
 * topk.c - heavy hitters: which items occur most often, and how often?
 *
 * A sketch holds counters for some items, far fewer than there are. An item's counter tells how
 * often the item was seen since it has one, its count, and how often at most before that, its error:
 *
 *     count <= truth <= count + error
 *
 * for every item with a counter, always, and truth <= floor for every item without one. A list by
 * counts begins with the heavy hitters, as soon as they stand out from the floor.
 *
 * The algorithm is Misra and Gries's in the batched form of Anderson et al.: when all counters of a
 * working sketch are taken, the floor rises to the median of the upper bounds, count + error, and
 * the counters that are not above it are dropped. An item seen then gets a counter with error =
 * floor. What differs from the paper is that a counter keeps two numbers in place of one, which
 * costs 8 bytes and makes the count exact, not only bounded, of whatever has had its counter from
 * its first occurrence on: a heavy hitter of a shuffled stream, which comes before the first purge,
 * and an item whose occurrences come together, however late. The paper's counter is the upper bound
 * less the floor; each purge lowers at least half of them by what it raises the floor, so
 *
 *     floor <= 2 * total / counters while building
 *
 * and much less where the heavy hitters take most of the total. Why the count, the lower bound, is
 * what a list shows: what is unknown is one-sided, and for the items that matter it did not happen.
 *
 * Two sizes. While building there are 240 counters for each of the k items asked for (1536 at
 * least, 24,576 up to k = 768, 32 k beyond); a packed sketch keeps the counters with the highest
 * upper bounds that fit into 80 k bytes (1000 at least), or 2 k counters where items are long, and
 * its floor is the highest upper bound that it dropped. As long as nothing was dropped (floor = 0)
 * everything is exact.
 *
 * Merging adds counts, errors and floors; an item that has a counter on one side only gets the
 * other's floor as an error. So the bounds hold through any tree of merges. Decay multiplies
 * everything and rounds the bounds outwards.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4..7  8..15  16..23  24..27    28..
 *     kind   version  encoding  type  k     total  floor   counters  counters
 *
 *     a counter: count, error, item; type 1: the item is a bigint, zigzag-coded; type 2: a text, its
 *     length and its bytes. All these numbers in groups of 7 bits, the lowest first, high bit set
 *     on all but the last group.
 *
 * What topk_validate enforces:
 *   1. kind 8, version 1, encoding 0, type 0 to 2, k 1 to 100,000, total at most 2^63-1; type 0 if
 *      and only if the total is 0.
 *   2. counters in descending order of counts, then of errors, then ascending of items (numbers, or
 *      bytes); no item twice, none longer than 1 MB, all together at most 512 MB.
 *   3. count >= 1, error <= floor <= count + error; the counts and the floor add up to no more than
 *      the total, and to just the total when the floor is 0.
 *   4. numbers in their shortest form; nothing left over; no more counters than k lets through.
 *
 * Accuracy at k = 100 on 10M rows, and times: see doc/bench. Left out: HeavyKeeper's random decay
 * (Redis), which has no bounds and depends on chance.
 *
 * References: J. Misra, D. Gries, Finding repeated elements, 1982. A. Metwally et al., Efficient
 * computation of frequent and top-k elements in data streams, 2005. P. Agarwal et al., Mergeable
 * summaries, 2012. D. Anderson et al., A high-performance algorithm for identifying frequent items
 * in data streams, 2017.
 */
#include "topk.h"

#include <math.h>

#include "topk_internal.h"

/* ---- reading ---- */

static TopkHeader
packed_header(const uint8_t *data)
{
    return (TopkHeader){.k = load_le32(data + 4),
                        .type = data[3],
                        .total = load_le64(data + 8),
                        .floor = load_le64(data + 16),
                        .counters = load_le32(data + 24)};
}

TopkHeader
topk_header(SketchBytes value)
{
    return sketch_is_working(value.data) ? topk_working_header(value) : packed_header(value.data);
}

static bool
check_header(const TopkHeader *h, SketchError *error)
{
    if (h->k < TOPK_K_MIN || h->k > TOPK_K_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "k out of range", h->k, TOPK_K_MIN,
                                   TOPK_K_MAX);
    if (h->type > TOPK_TEXT)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown type of items", h->type,
                                   TOPK_NONE, TOPK_TEXT);
    if (h->total > TOPK_TOTAL_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "The total is more than 2^63-1");
    if ((h->type == TOPK_NONE) != (h->total == 0))
        return sketch_refuse(error, SKETCH_MALFORMED, "A type of items without any, or none");
    if (h->floor > h->total)
        return sketch_refuse(error, SKETCH_MALFORMED, "The error exceeds the total");
    return true;
}

static TopkItem
read_item(ByteReader *r, TopkType type)
{
    uint64_t number = read_varint(r);
    TopkItem item = {.type = type};

    if (type == TOPK_BIGINT) {
        item.number = unzigzag(number);
        return item;
    }
    if (number > TOPK_ITEM_MAX) {
        r->failed = true;
        number = 0;
    }
    item.size = (uint32_t)number;
    item.bytes = read_span(r, item.size);
    return item;
}

/* The counters one by one, with all that is to be checked of them but that no item comes twice. */
static bool
read_counters(Topk *topk, ByteReader *r, SketchError *error)
{
    const TopkHeader *h = &topk->header;
    uint64_t left = h->total - h->floor;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < h->counters; i++) {
        TopkCounter *c = &topk->counters[i];

        c->count = read_varint(r);
        c->error = read_varint(r);
        c->item = read_item(r, h->type);
        if (r->failed)
            return sketch_refuse(error, SKETCH_MALFORMED, "A counter does not decode");
        if (c->count == 0 || c->count > left || c->error > h->floor || topk_upper(c) < h->floor)
            return sketch_refuse(error, SKETCH_MALFORMED, "A counter breaks the bounds");
        if (i > 0 && !topk_ranks_before(c - 1, c))
            return sketch_refuse(error, SKETCH_MALFORMED, "Counters are not in descending order");
        left -= c->count;
        bytes += c->item.size;
    }
    if (bytes > TOPK_BYTES_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "More bytes of items than allowed");
    if (h->floor == 0 && left > 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "The counts do not add up to the total");
    if (bytes_left(r) > 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Bytes are left over");
    return true;
}

#define COUNTER_BYTES_MIN 3

static bool
read_packed(Topk *topk, SketchBytes value, const SketchMemory *memory, SketchError *error)
{
    ByteReader r = byte_reader(value.data + TOPK_PACKED_HEADER, value.size - TOPK_PACKED_HEADER);

    topk->header = packed_header(value.data);
    if (!check_header(&topk->header, error))
        return false;
    if (topk->header.counters > bytes_left(&r) / COUNTER_BYTES_MIN)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More counters than bytes for them",
                                   topk->header.counters, 0,
                                   (int64_t)(bytes_left(&r) / COUNTER_BYTES_MIN));
    topk->counters =
        memory->scratch(topk->header.counters * sizeof(TopkCounter) + 1, memory->context);
    if (read_counters(topk, &r, error))
        return true;
    topk_close(topk, memory);
    return false;
}

bool
topk_read(Topk *topk, SketchBytes value, const SketchMemory *memory)
{
    SketchError error;

    if (!sketch_is_working(value.data))
        return value.size >= TOPK_PACKED_HEADER && read_packed(topk, value, memory, &error);
    if (!topk_read_working(topk, value, memory))
        return false;
    topk_sort_by_count(topk->counters, topk->header.counters, memory);
    return true;
}

void
topk_close(Topk *topk, const SketchMemory *memory)
{
    memory->release(topk->counters, memory->context);
    topk->counters = NULL;
}

static bool
same_item(const TopkItem *a, const TopkItem *b)
{
    if (a->type != b->type)
        return false;
    return a->type == TOPK_BIGINT ? a->number == b->number
                                  : a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

uint32_t
topk_find(const Topk *topk, TopkItem item)
{
    uint32_t i = 0;

    while (i < topk->header.counters && !same_item(&topk->counters[i].item, &item))
        i++;
    return i;
}

/* ---- packing ---- */

static size_t
counter_bytes(const TopkCounter *c)
{
    size_t numbers = varint_bytes(c->count) + varint_bytes(c->error);

    return c->item.type == TOPK_BIGINT ? numbers + varint_bytes(zigzag(c->item.number))
                                       : numbers + varint_bytes(c->item.size) + c->item.size;
}

static uint8_t *
write_counter(uint8_t *to, const TopkCounter *c)
{
    to = write_varint(to, c->count);
    to = write_varint(to, c->error);
    if (c->item.type == TOPK_BIGINT)
        return write_varint(to, zigzag(c->item.number));
    to = write_varint(to, c->item.size);
    memcpy(to, c->item.bytes, c->item.size);
    return to + c->item.size;
}

static size_t
all_bytes(const TopkCounter *counters, uint32_t count)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < count; i++)
        bytes += counter_bytes(&counters[i]);
    return bytes;
}

static bool
fits_packed(const Topk *topk)
{
    return topk->header.counters <= topk_packed_least(topk->header.k) ||
           all_bytes(topk->counters, topk->header.counters) <= topk_packed_room(topk->header.k);
}

/*
 * Moves the `most` counters of the highest upper bounds to the front, and all that equal the last
 * of them; returns how many that are.
 */
static uint32_t
select_highest(TopkCounter *counters, uint32_t count, uint32_t most, const SketchMemory *memory)
{
    uint64_t *uppers = memory->scratch(count * sizeof *uppers, memory->context);
    uint32_t kept = 0;
    uint64_t least;

    for (uint32_t i = 0; i < count; i++)
        uppers[i] = topk_upper(&counters[i]);
    least = topk_nth_largest(uppers, count, most);
    memory->release(uppers, memory->context);
    for (uint32_t i = 0; i < count; i++)
        if (topk_upper(&counters[i]) >= least) {
            TopkCounter swap = counters[kept];

            counters[kept++] = counters[i];
            counters[i] = swap;
        }
    return kept;
}

/* Keeps as many counters as k lets through, in no particular order. */
static void
reduce(Topk *topk, const SketchMemory *memory)
{
    TopkHeader *h = &topk->header;
    size_t room = topk_packed_room(h->k);
    uint32_t least = topk_packed_least(h->k);
    uint32_t most = room / COUNTER_BYTES_MIN > least ? (uint32_t)(room / COUNTER_BYTES_MIN) : least;
    size_t used = 0;
    uint32_t kept = 0;

    if (fits_packed(topk))
        return;
    /* One more than can be kept, for the floor. */
    if (h->counters > most + 1)
        h->counters = select_highest(topk->counters, h->counters, most + 1, memory);
    topk_sort_by_upper(topk->counters, h->counters, memory);
    while (kept < h->counters) {
        used += counter_bytes(&topk->counters[kept]);
        if (kept >= least && used > room)
            break;
        kept++;
    }
    if (kept < h->counters && topk_upper(&topk->counters[kept]) > h->floor)
        h->floor = topk_upper(&topk->counters[kept]);
    h->counters = kept;
}

SketchBytes
topk_pack_counters(Topk *topk, const SketchMemory *memory)
{
    const TopkHeader *h = &topk->header;
    SketchBytes packed;
    uint8_t *data, *to;

    reduce(topk, memory);
    topk_sort_by_count(topk->counters, h->counters, memory);
    packed.size = TOPK_PACKED_HEADER + all_bytes(topk->counters, h->counters);
    packed.data = data = memory->value(packed.size, memory->context);
    data[0] = SKETCH_TOPK;
    data[1] = topk_ops.version;
    data[2] = TOPK_PACKED;
    data[3] = (uint8_t)h->type;
    store_le32(data + 4, h->k);
    store_le64(data + 8, h->total);
    store_le64(data + 16, h->floor);
    store_le32(data + 24, h->counters);
    to = data + TOPK_PACKED_HEADER;
    for (uint32_t i = 0; i < h->counters; i++)
        to = write_counter(to, &topk->counters[i]);
    return packed;
}

static SketchBytes
topk_pack(SketchBytes value, const SketchMemory *memory)
{
    SketchBytes packed;
    Topk topk;

    if (sketch_is_working(value.data) ? !topk_read_working(&topk, value, memory)
                                      : !topk_read(&topk, value, memory))
        return (SketchBytes){NULL, 0};
    packed = topk_pack_counters(&topk, memory);
    topk_close(&topk, memory);
    return packed;
}

/* ---- ageing ---- */

/* A count times a factor below 1. What a double makes of them stays monotone and never grows. */
static uint64_t
scaled_down(uint64_t count, double factor)
{
    double scaled = floor((double)count * factor);

    return scaled < (double)count ? (uint64_t)scaled : count;
}

static uint64_t
scaled_up(uint64_t count, double factor)
{
    double scaled = ceil((double)count * factor);

    return scaled < (double)count ? (uint64_t)scaled : count;
}

/*
 * Rounding makes an error of 1 where there was none, so the floor may have to rise to the largest
 * error, and to the upper bound of what has no count left; what is then below it goes.
 */
static void
decay(Topk *topk, double factor)
{
    TopkHeader *h = &topk->header;
    uint64_t floor = scaled_up(h->floor, factor);
    uint64_t counted = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < h->counters; i++) {
        TopkCounter *c = &topk->counters[i];
        uint64_t upper = scaled_up(topk_upper(c), factor);

        c->count = scaled_down(c->count, factor);
        c->error = upper - c->count;
        if (c->error > floor)
            floor = c->error;
    }
    for (uint32_t i = 0; i < h->counters; i++)
        if (topk->counters[i].count > 0 && topk_upper(&topk->counters[i]) >= floor) {
            counted += topk->counters[i].count;
            topk->counters[kept++] = topk->counters[i];
        }
    h->counters = kept;
    h->total = scaled_up(h->total, factor);
    if (floor == 0 || h->total < counted + floor)
        h->total = counted + floor;
    h->floor = floor;
    if (h->total == 0)
        h->type = TOPK_NONE;
}

SketchBytes
topk_decay(SketchBytes value, double factor, const SketchMemory *memory)
{
    SketchBytes packed;
    Topk topk;

    if (!topk_read(&topk, value, memory))
        return (SketchBytes){NULL, 0};
    if (factor < 1)
        decay(&topk, factor);
    packed = topk_pack_counters(&topk, memory);
    topk_close(&topk, memory);
    return packed;
}

/* ---- the door ---- */

static bool
validate_counters(Topk *topk, const SketchMemory *memory, SketchError *error)
{
    SketchState state;

    if (!fits_packed(topk))
        return sketch_refuse(error, SKETCH_MALFORMED, "More counters than its k keeps");
    state = topk_open_counters(topk, memory);
    if (!state.data)
        return sketch_refuse(error, SKETCH_MALFORMED, "An item has two counters");
    memory->release_value(state.data, memory->context);
    return true;
}

static bool
topk_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    Topk topk;
    bool good;

    if (!sketch_validate_common(input, &topk_ops, error))
        return false;
    if (input.data[2] != TOPK_PACKED)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", input.data[2],
                                   TOPK_PACKED, TOPK_PACKED);
    if (!read_packed(&topk, input, memory, error))
        return false;
    good = validate_counters(&topk, memory, error);
    if (good)
        *value = topk_pack_counters(&topk, memory);
    topk_close(&topk, memory);
    return good;
}

const SketchOps topk_ops = {
    .name = "topk",
    .kind = SKETCH_TOPK,
    .version = 1,
    .header_bytes = TOPK_PACKED_HEADER,
    .validate = topk_validate,
    .open = topk_open,
    .pack = topk_pack,
    .merge = topk_merge,
};
