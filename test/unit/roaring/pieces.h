/*
 * pieces.h - sets for the tests of roaring: their names, and a reader of values by pieces.
 */
#ifndef PIECES_H
#define PIECES_H

#include "../set.h"

static inline const char *
name_of(SketchKind kind)
{
    return set_ops(kind)->name;
}

/* Pieces are copies of their own, so that nobody reads beside them; one lives at a time. */
typedef struct Chunks {
    SketchBytes value;
    uint8_t *piece;
    unsigned reads;
} Chunks;

static inline SketchBytes
read_chunk(const void *source, size_t offset, size_t length)
{
    Chunks *chunks = (Chunks *)source;
    size_t left = chunks->value.size - offset;

    length = length < left ? length : left;
    free(chunks->piece);
    chunks->piece = malloc(length + 1);
    memcpy(chunks->piece, chunks->value.data + offset, length);
    chunks->reads++;
    return (SketchBytes){chunks->piece, length};
}

/* Membership by pieces; *reads is how many beside the first. False: damaged. */
static inline bool
look_up(SketchBytes value, uint64_t wanted, bool *found, unsigned *reads)
{
    Chunks chunks = {.value = value};
    SketchBytes first = read_chunk(&chunks, 0, 50);
    RoaringPieces pieces = {.size = value.size, .first = first, .read = read_chunk};
    bool good;

    pieces.source = &chunks;
    good = roaring_lookup(&pieces, wanted, found);
    *reads = chunks.reads - 1;
    free(chunks.piece);
    return good;
}

#endif
