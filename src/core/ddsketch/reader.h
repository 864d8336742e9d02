/*
 * reader.h - reading blocks of counts: the fast paths, inline for the loops of union and
 * subtraction. The rest is in packed.c; ddsketch.c describes the codes.
 */
#ifndef DDSKETCH_READER_H
#define DDSKETCH_READER_H

#include "ddsketch_internal.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* packed.c: read any code, and any counts of up to 32 bits. */
extern bool dd_read_code(DdReader *reader);
extern void dd_read_any_counts(DdReader *reader, uint32_t *counts);

/*
 * Reads the code of the next block into reader->number, store and coding. Returns false after the
 * last block, or with reader->failed.
 */
static inline bool
dd_next_code(DdReader *r)
{
    size_t byte = (size_t)(r->bits.at >> 3);

    if (r->left == 0 || byte >= r->bits.size || r->bits.data[byte] >> (r->bits.at & 7) & 1)
        return dd_read_code(r);
    r->bits.at++;
    r->left--;
    r->number++;
    return true;
}

/*
 * For numbers of one width, masks of the lower eight numbers of a word, the lower four, the lower
 * two of each half, and the lowest of each quarter.
 */
typedef struct DdHalves {
    uint64_t eight, four, two, one;
} DdHalves;

extern const DdHalves dd_halves[8];

/* Moves the upper half of the numbers in each part of a word up by `by` bits. */
static inline uint64_t
dd_spread(uint64_t word, uint64_t lower_halves, unsigned by)
{
    uint64_t lower = word & lower_halves;

    return lower | (word ^ lower) << by;
}

/* Widens the 16 bytes of two words, lowest first. GCC does not vectorize this by itself. */
static inline void
dd_widen(const uint64_t *words, uint32_t *counts)
{
#ifdef __SSE2__
    const __m128i bytes = _mm_set_epi64x((int64_t)words[1], (int64_t)words[0]);
    const __m128i zero = _mm_setzero_si128();
    const __m128i low = _mm_unpacklo_epi8(bytes, zero), high = _mm_unpackhi_epi8(bytes, zero);

    _mm_storeu_si128((__m128i *)counts, _mm_unpacklo_epi16(low, zero));
    _mm_storeu_si128((__m128i *)(counts + 4), _mm_unpackhi_epi16(low, zero));
    _mm_storeu_si128((__m128i *)(counts + 8), _mm_unpacklo_epi16(high, zero));
    _mm_storeu_si128((__m128i *)(counts + 12), _mm_unpackhi_epi16(high, zero));
#else
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        counts[i] = words[i / 8] >> 8 * (i % 8) & 0xff;
#endif
}

/*
 * Reads the counts of a block after its code, if the total of the value fits in 32 bits. Eight
 * numbers of up to 7 bits come in one word, and are spread over its bytes by halves:
 *
 *     ........hgfedcba  ->  ....hgfe....dcba  ->  ..hg..fe..dc..ba  ->  .h.g.f.e.d.c.b.a
 */
static inline void
dd_read_counts(DdReader *r, uint32_t *counts)
{
    const unsigned width = r->coding.width;
    const size_t byte = (size_t)(r->bits.at >> 3);
    const DdHalves *halves;
    uint64_t words[2];

    if (width > 7 || r->coding.differences || byte + width + 8 > r->bits.size) {
        dd_read_any_counts(r, counts);
        return;
    }
    halves = &dd_halves[width];
    for (unsigned i = 0; i < 2; i++) {
        uint64_t word = load_le64(r->bits.data + byte + i * width) >> (r->bits.at & 7);

        word = dd_spread(word & halves->eight, halves->four, 32 - 4 * width);
        word = dd_spread(word, halves->two, 16 - 2 * width);
        words[i] = dd_spread(word, halves->one, 8 - width);
    }
    dd_widen(words, counts);
    r->bits.at += DDSKETCH_BLOCK * width;
    r->coding.before = words[1] >> 56;
}

#endif
