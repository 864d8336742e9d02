/*
 * popcount.h - how many bits of a stretch of bytes are 1.
 */
#ifndef SKETCH_POPCOUNT_H
#define SKETCH_POPCOUNT_H

#include <stddef.h>
#include <stdint.h>

extern uint64_t popcount_bytes(const uint8_t *bytes, size_t size);

/* The way for any machine, for tests. */
extern uint64_t popcount_portable(const uint8_t *bytes, size_t size);

#endif
