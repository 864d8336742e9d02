/*
 * registry.c - the list of types. A new type adds one line here.
 */
#include "sketch.h"

#include "core/bloom/bloom.h"
#include "core/cms/cms.h"
#include "core/cuckoo/cuckoo.h"
#include "core/hll/hll.h"
#include "core/ratelimit/ratelimit.h"
#include "core/roaring/roaring.h"
#include "core/tdigest/tdigest.h"
#include "core/topk/topk.h"

static const SketchOps *const registry[] = {
    &hll_ops,    &tdigest_ops, &roaring_ops, &roaring64_ops, &bloom_ops,
    &cuckoo_ops, &cms_ops,     &topk_ops,    &ratelimit_ops,
};

const SketchOps *
sketch_ops_at(size_t i)
{
    return i < sizeof registry / sizeof registry[0] ? registry[i] : NULL;
}

const SketchOps *
sketch_ops(uint8_t kind)
{
    const SketchOps *ops;

    for (size_t i = 0; (ops = sketch_ops_at(i)) != NULL; i++)
        if ((uint8_t)ops->kind == kind)
            return ops;
    return NULL;
}

bool
sketch_validate_common(SketchBytes input, const SketchOps *ops, SketchError *error)
{
    if (input.size < ops->header_bytes)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too short for the header (bytes)",
                                   (int64_t)input.size, (int64_t)ops->header_bytes, INT64_MAX);
    if (input.data[0] != ops->kind)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Another kind of value (kind byte)",
                                   input.data[0], ops->kind, ops->kind);
    if (input.data[1] != ops->version)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown format version", input.data[1],
                                   ops->version, ops->version);
    if (sketch_is_working(input.data))
        return sketch_refuse(error, SKETCH_MALFORMED, "Working encoding, which is never stored");
    return true;
}
