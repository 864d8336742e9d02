/*
 * registry.c - the types by their kind.
 */
#include "sketch.h"

#define DECLARE(kind, number, ops) extern const SketchOps ops;
SKETCH_TYPES(DECLARE)

#define LIST(kind, number, ops) &ops,
static const SketchOps *const registry[] = {SKETCH_TYPES(LIST)};

const SketchOps *
sketch_ops_at(size_t i)
{
    return i < sizeof registry / sizeof registry[0] ? registry[i] : NULL;
}

const SketchOps *
sketch_ops(uint8_t kind)
{
#define CASE(kind, number, ops)                                                                    \
    case number:                                                                                   \
        return &ops;

    switch (kind) {
        SKETCH_TYPES(CASE)
    default:
        return NULL;
    }
}

bool
sketch_validate_common(SketchBytes input, const SketchOps *ops, SketchError *error)
{
    uint8_t encoding;

    if (input.size < ops->header_bytes)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too short for the header (bytes)",
                                   (int64_t)input.size, (int64_t)ops->header_bytes, INT64_MAX);
    encoding = sketch_encoding(input.data);
    if (sketch_kind(input.data) != ops->kind)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Another kind of value (kind byte)",
                                   sketch_kind(input.data), ops->kind, ops->kind);
    if (sketch_version(input.data) != ops->version)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown format version",
                                   sketch_version(input.data), ops->version, ops->version);
    if (sketch_is_working(input.data))
        return sketch_refuse(error, SKETCH_MALFORMED, "Working encoding, which is never stored");
    if (encoding > ops->encoding_max && !(encoding == SKETCH_TRANSIT && ops->transit))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", encoding, 0,
                                   ops->encoding_max);
    return true;
}
