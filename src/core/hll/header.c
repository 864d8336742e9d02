/*
 * header.c - the headers of HyperLogLog values: the only file that knows where their fields are.
 * Packed: the bytes are in hll.c. Working: HllState in hll.h.
 */
#include "hll_internal.h"

enum { PRECISION = 4, BASE_OR_LIMIT = 5, COUNT = 6, ESTIMATE = 8 };

const HllOrigin *
hll_origin(SketchHash hash)
{
    static const HllOrigin known[] = {
        [SKETCH_HASH_XXH3] = {"xxh3", "this extension", HLL_PRECISION_MAX, true, false},
        [SKETCH_HASH_REDIS] = {"redis", "Redis", HLL_PRECISION_REDIS, false, false},
        [SKETCH_HASH_POSTGRESQL_HLL] = {"postgresql-hll", "postgresql-hll", HLL_PRECISION_MAX, true,
                                        false},
        [SKETCH_HASH_DATASKETCHES] = {"datasketches", "DataSketches", HLL_PRECISION_MAX, true,
                                      true},
    };
    static const HllOrigin unknown = {"unknown", "an unknown system", 0, false, false};

    return (size_t)hash < sizeof known / sizeof known[0] ? &known[hash] : &unknown;
}

HllHeader
hll_header(SketchBytes value)
{
    HllHeader h = {.working = sketch_is_working(value.data),
                   .encoding = sketch_encoding(value.data) & (uint8_t)~SKETCH_WORKING,
                   .hash = (SketchHash)sketch_hash(value.data),
                   .precision = hll_precision(value)};

    h.dense = hll_is_dense(h.encoding);
    if (h.working) {
        const HllState *s = state_at(value.data);

        h.limit = s->limit;
        h.count = s->listed + s->buffered;
    } else {
        *(h.dense ? &h.base : &h.limit) = value.data[BASE_OR_LIMIT];
        h.count = load_le16(value.data + COUNT);
        h.estimate = hll_packed_estimate(value);
    }
    return h;
}

unsigned
hll_precision(SketchBytes value)
{
    return value.data[PRECISION]; /* of every encoding */
}

uint64_t
hll_packed_estimate(SketchBytes value)
{
    return load_le64(value.data + ESTIMATE);
}

uint8_t *
hll_write_header(uint8_t *data, const HllHeader *h)
{
    sketch_write_common(data, SKETCH_HLL, HLL_VERSION, h->encoding, (uint8_t)h->hash);
    data[PRECISION] = (uint8_t)h->precision;
    data[BASE_OR_LIMIT] = (uint8_t)(h->dense ? h->base : h->limit);
    store_le16(data + COUNT, (uint16_t)h->count);
    store_le64(data + ESTIMATE, h->estimate);
    return data + HLL_PACKED_HEADER;
}

bool
hll_same_content(SketchBytes a, SketchBytes b)
{
    return a.size == b.size && memcmp(a.data, b.data, ESTIMATE) == 0 &&
           memcmp(a.data + HLL_PACKED_HEADER, b.data + HLL_PACKED_HEADER,
                  a.size - HLL_PACKED_HEADER) == 0;
}

bool
hll_validate_header(SketchBytes input, SketchError *error)
{
    unsigned precision_max;
    uint32_t most;
    HllHeader h = hll_header(input);

    precision_max = hll_origin(h.hash)->precision_max;
    if (precision_max == 0)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function", h.hash,
                                   SKETCH_HASH_XXH3, SKETCH_HASH_DATASKETCHES);
    if (!hll_has_encoding(h.hash, h.encoding))
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The encoding does not match the hash function");
    if (h.precision < HLL_PRECISION_MIN || h.precision > precision_max)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Precision out of range", h.precision,
                                   HLL_PRECISION_MIN, precision_max);
    if (!hll_has_limit(&h))
        return sketch_refuse(error, SKETCH_MALFORMED, "Impossible limit of tokens");
    most = h.dense ? 0 : hll_sparse_limit(h.precision, h.limit);
    if (h.count > most)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many tokens", h.count, 0, most);
    return true;
}

bool
hll_refuse_hashes(SketchError *error, SketchBytes one, SketchBytes other)
{
    return sketch_refuse_pair(error, "They were counted with different hash functions",
                              hll_origin((SketchHash)sketch_hash(one.data))->system,
                              hll_origin((SketchHash)sketch_hash(other.data))->system);
}
