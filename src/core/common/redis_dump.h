/*
 * redis_dump.h - reading payloads of Redis's DUMP command.
 */
#ifndef REDIS_DUMP_H
#define REDIS_DUMP_H

#include "bytes.h"
#include "core/sketch.h"

/* The longest string accepted is Redis's own limit: the bits of a large filter are one string. */
#define REDIS_STRING_MAX (512 * 1024 * 1024)

/*
 * Reads a DUMP payload of a string key: checks its checksum, and returns the string,
 * uncompressed, in scratch memory of the caller. False with *error for anything else.
 */
extern bool redis_dump_string(SketchBytes payload, const SketchMemory *memory, SketchBytes *string,
                              SketchError *error);

/*
 * Opens a DUMP payload of a module's value whose id is `id`. The reader then stands at its first
 * field, and the functions below read one each; a field of another kind makes the reader fail.
 * redis_dump_end is true where the value ends and nothing failed.
 */
extern bool redis_dump_module(SketchBytes payload, uint64_t id, ByteReader *fields,
                              const SketchMemory *memory, SketchError *error);

/*
 * Opens the value of a module that has several encoding versions, 0 to `version_max`: they are the
 * low ten bits of the id, which are 0 in `id`.
 */
extern bool redis_dump_versions(SketchBytes payload, uint64_t id, unsigned version_max,
                                unsigned *version, ByteReader *fields, const SketchMemory *memory,
                                SketchError *error);

extern int64_t redis_dump_signed(ByteReader *fields);
extern double redis_dump_double(ByteReader *fields);

extern bool redis_dump_end(ByteReader *fields);

/* The checksum of payloads. */
extern uint64_t redis_crc64(const uint8_t *data, size_t size, const SketchMemory *memory);

/* A string, uncompressed, in scratch memory of the caller; the reader fails for anything else. */
extern bool redis_dump_string_field(ByteReader *fields, const SketchMemory *memory,
                                    SketchBytes *string);

#endif
