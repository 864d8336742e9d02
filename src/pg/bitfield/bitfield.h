/*
 * bitfield.h - what the files of the type bitfield share.
 */
#ifndef PG_BITFIELD_H
#define PG_BITFIELD_H

#include "pg/shared/glue.h"

#include "core/bitfield/bitfield.h"

static const BitfieldType bitfield_one_bit = {.bits = 1};

/* The text in argument n. */
extern BitfieldWord bitfield_word_arg(FunctionCallInfo fcinfo, int n);

/* Raises for a word that is none of those allowed. */
extern _Noreturn void bitfield_refuse_word(BitfieldWord word, const char *what,
                                           const char *allowed);

/* Raises for an offset at which no integer of the type fits. */
extern _Noreturn void bitfield_refuse_offset(int64 offset, BitfieldType type);

static inline void
bitfield_check_offset(int64 offset, BitfieldType type)
{
    if (!bitfield_fits(type, offset))
        bitfield_refuse_offset(offset, type);
}

#endif
