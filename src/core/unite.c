/*
 * unite.c - the union of two values of any type.
 *
 * An empty sketch is neutral, byte for byte: its precision, k or capacity was chosen for items that
 * never came, and merging it would coarsen the other sketch for good. People write
 * coalesce(sketch, hll_empty()), and have tables of empty sketches that filters leave.
 *
 * The union of values is then that of those that are not empty, in whatever order and groups they
 * are merged; or of all of them, if all are empty. So it is as associative and commutative as the
 * merge of the type. Empty values of two hash functions cannot be merged: the first function in the
 * order of SketchHash remains, which is this extension's.
 */
#include "sketch.h"

/* Returns true if the union of both is `other`. */
static bool
is_neutral(const SketchOps *ops, SketchBytes value, SketchBytes other)
{
    return ops->is_empty(value) &&
           (!ops->is_empty(other) || sketch_hash(value.data) > sketch_hash(other.data));
}

bool
sketch_unite_empty(SketchState *state, SketchBytes other, const SketchMemory *memory)
{
    const SketchOps *ops = sketch_ops(sketch_kind(state->data));
    bool many;

    if (is_neutral(ops, other, sketch_bytes(*state)))
        return true;
    if (!is_neutral(ops, sketch_bytes(*state), other))
        return false;
    many = sketch_is_working(state->data) && sketch_encoding(state->data) == ops->many_encoding;
    *state = many ? ops->open_many(other, memory) : ops->open(other, memory);
    return true;
}

bool
sketch_unite(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    const SketchOps *ops = sketch_ops(sketch_kind(state->data));
    SketchState united = *state;

    if (!ops->is_empty || !sketch_unite_empty(&united, other, memory))
        return ops->merge(state, other, memory, error);
    if (united.data == NULL)
        return sketch_refuse_damaged(error);
    *state = united;
    return true;
}
