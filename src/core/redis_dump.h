/*
 * redis_dump.h - the string inside a payload of Redis's DUMP command.
 */
#ifndef REDIS_DUMP_H
#define REDIS_DUMP_H

#include "sketch.h"

/* Longest string accepted: nothing read here comes near it, and the length is not ours. */
#define REDIS_STRING_MAX (64 * 1024 * 1024)

/*
 * Reads a DUMP payload of a string key: checks its checksum, and returns the string,
 * uncompressed, in scratch memory of the caller. False with *error for anything else.
 */
extern bool redis_dump_string(SketchBytes payload, const SketchMemory *memory, SketchBytes *string,
                              SketchError *error);

#endif
