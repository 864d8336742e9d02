/*
 * hash.c - the hash of many bytes, with polls in between.
 */
#include "hash.h"

#include "polled.h"

uint64_t
hash_polled(const void *data, size_t size, uint64_t seed, const SketchMemory *memory)
{
    XXH3_state_t state = {.seed = 0}; /* XXH3 makes a secret if the new seed is another one */
    const uint8_t *at = data;

    if (size <= POLLED_PIECE)
        return XXH3_64bits_withSeed(data, size, seed);
    XXH3_64bits_reset_withSeed(&state, seed);
    for (; size > 0; memory->poll(memory->context)) {
        size_t piece = size < POLLED_PIECE ? size : POLLED_PIECE;

        XXH3_64bits_update(&state, at, piece);
        at += piece;
        size -= piece;
    }
    return XXH3_64bits_digest(&state);
}
