/*
 * sparse.c - a small sketch as a list of tokens.
 *
 * A token is `index << 6 | rank`: a cell of an imaginary array of 2^26 registers, almost all of
 * them empty. As numbers, tokens sort by index and then by rank. All ranks of an index are kept,
 * because a dense register needs the highest three. A register without history is one token of its
 * index.
 *
 * Packed tokens are in ascending order. Each is written as the gap from the index before it (the
 * first from index 0) in a Golomb-Rice code, and the rank minus one in unary:
 *
 *     gap >> k in unary (ones, then a zero) | low k bits of gap | rank - 1 in unary
 *
 * Indexes are hash bits, so gaps are geometric with mean 2^bits / count, for which Rice's code is
 * within 0.03 bits of the best; ranks are geometric with ratio 1/2, for which unary is the best.
 * k is computed from the count, so it is not stored. It bounds the size whatever the tokens are:
 * all gaps together are below 2^bits, so their unary parts have fewer than 3 ones for each token. A
 * token takes about log2(2^26 / count) + 3.5 bits.
 *
 * Reference: R. F. Rice, Some practical universal noiseless coding techniques, JPL 79-22, 1979.
 */
#include "hll_internal.h"

#define SORT_NAME sort_and_drop
#define SORT_ELEMENT uint32_t
#define SORT_KEY(token) (token)
#define SORT_HASHES
#define SORT_SAME(kept, token) (void)0
#include "core/common/sort_digits.h"

/* Rice's parameter: the largest k with count * 2^k <= ln 2 * 2^bits. */
static unsigned
rice_parameter(uint32_t count, unsigned index_bits)
{
    uint64_t room = (UINT64_C(45426) << index_bits) >> 16; /* ln 2 = 45426 / 2^16 */
    unsigned k = 0;

    while (count > 0 && ((uint64_t)count << (k + 1)) <= room)
        k++;
    return k;
}

/*
 * Sorts tokens and drops repetitions; without history, keeps only the highest rank of an index.
 * Returns how many are left.
 */
uint32_t
hll_tokens_sort(uint32_t *tokens, uint32_t count, unsigned history, const SketchMemory *memory)
{
    bool few = count <= SORT_INSERTION_COUNT;
    uint32_t *other = few ? NULL : memory->scratch(count * sizeof64(*other), memory->context);
    uint32_t kept = 0;

    count = (uint32_t)sort_and_drop(tokens, count, other, memory);
    if (!few)
        memory->release(other, memory->context);
    if (history > 0)
        return count;
    for (uint32_t i = 0; i < count; i++) {
        kept -= kept > 0 && tokens[kept - 1] >> 6 == tokens[i] >> 6;
        tokens[kept++] = tokens[i];
    }
    return kept;
}

/* The cells of tokens. Without history, the ranks below the token of an index are not known. */
void
hll_tokens_cells(const uint32_t *tokens, uint32_t count, HllCells *cells)
{
    for (uint32_t i = 0; i < count; i++) {
        unsigned rank = tokens[i] & 63;
        unsigned below = cells->history > 0 ? rank - 1 : 0;

        cells->seen[rank]++;
        cells->unseen -=
            hll_hashes_above(below, cells->index_bits) - hll_hashes_above(rank, cells->index_bits);
    }
}

/* Bytes of the packed body. */
size_t
hll_sparse_size(const uint32_t *tokens, uint32_t count, unsigned index_bits)
{
    unsigned k = rice_parameter(count, index_bits);
    uint64_t bits = (uint64_t)count * (k + 1);
    uint32_t before = 0;

    for (uint32_t i = 0; i < count; i++) {
        bits += (((tokens[i] >> 6) - before) >> k) + (tokens[i] & 63);
        before = tokens[i] >> 6;
    }
    return (size_t)((bits + 7) / 8);
}

/* Writes the body, hll_sparse_size bytes of it. */
void
hll_sparse_write(const uint32_t *tokens, uint32_t count, unsigned index_bits, uint8_t *body)
{
    unsigned k = rice_parameter(count, index_bits);
    BitWriter w = bit_writer(body);
    uint32_t before = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t gap = (tokens[i] >> 6) - before;

        bits_put_unary(&w, gap >> k);
        bits_put(&w, gap & ((UINT32_C(1) << k) - 1), k);
        bits_put_unary(&w, (tokens[i] & 63) - 1);
        before = tokens[i] >> 6;
    }
    bits_finish(&w);
}

/* Reads exactly `count` ascending tokens from a body that must end with them. */
bool
hll_sparse_read(uint32_t *tokens, uint32_t count, const HllView *view, SketchBytes body)
{
    const uint64_t indexes = UINT64_C(1) << view->index_bits;
    const unsigned rank_max = hll_rank_max(view->hash, view->index_bits);
    unsigned k = rice_parameter(count, view->index_bits);
    BitReader r = bit_reader(body.data, body.size);
    uint64_t index = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t high = bits_get_unary(&r, (indexes >> k) + 1);
        uint64_t gap = high << k | bits_get(&r, k);
        uint64_t rank = bits_get_unary(&r, rank_max) + 1;

        index += gap;
        if (index >= indexes || rank > rank_max || bits_overrun(&r))
            return false;
        tokens[i] = (uint32_t)(index << 6 | rank);
        if (i > 0 && (view->history > 0 ? tokens[i - 1] >= tokens[i] : gap == 0))
            return false;
    }
    return (r.at + 7) / 8 == body.size;
}
