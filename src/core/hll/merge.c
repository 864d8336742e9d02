/*
 * merge.c - the union of two HyperLogLog sketches: all that both know, at the lower precision.
 */
#include "hll_internal.h"

static void
merge_ranks(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    for (uint32_t i = 0; i < registers; i++)
        into[i] = into[i] > from[i] ? into[i] : from[i];
}

/*
 * The union of two registers, without a branch: the register of the higher rank, and the part of
 * the other that reaches into its history, shifted by the difference of the ranks.
 */
static inline __attribute__((always_inline)) void
merge_histories_inline(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    for (uint32_t i = 0; i < registers; i++) {
        uint8_t high = into[i] > from[i] ? into[i] : from[i];
        uint8_t low = into[i] > from[i] ? from[i] : into[i];
        uint8_t apart = (uint8_t)((high & 0xfc) - (low & 0xfc)); /* 4 for each rank */
        uint8_t same = apart == 0 ? low & 3 : 0;
        uint8_t one = apart == 4 ? 2 | (low >> 1 & 1) : 0;
        uint8_t two = apart == 8 ? 1 : 0;

        into[i] = high | same | one | two;
    }
}

/* The compiler makes vectors of it: of 16 registers, or of 32 where the processor has such. */
#if defined(__x86_64__) && defined(__GNUC__)

__attribute__((target("avx2"))) static void
merge_histories_of_32(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    merge_histories_inline(into, from, registers);
}

static void
merge_histories(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    if (__builtin_cpu_supports("avx2"))
        merge_histories_of_32(into, from, registers);
    else
        merge_histories_inline(into, from, registers);
}

#else

static void
merge_histories(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    merge_histories_inline(into, from, registers);
}

#endif

static void
merge_dense(StateWriter *w, const HllView *other)
{
    HllRegisters into;

    hll_make_dense(w);
    into = hll_registers_of(w->state);
    if (other->precision > into.precision)
        hll_fold_registers(other->registers, other->precision, into);
    else if (other->history > 0)
        merge_histories(into.of, other->registers, UINT32_C(1) << into.precision);
    else
        merge_ranks(into.of, other->registers, UINT32_C(1) << into.precision);
}

bool
hll_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    HllView view;

    if (sketch_hash(state->data) != sketch_hash(other.data))
        return hll_refuse_hashes(error, sketch_bytes(*state), other);
    if (!hll_view(&view, other, memory))
        return sketch_refuse_damaged(error);
    hll_reduce_to(&w, view.precision, view.encoding, view.limit);
    if (view.dense)
        merge_dense(&w, &view);
    else
        hll_add_tokens(&w, view.tokens, view.count, view.index_bits);
    hll_view_end(&view, memory);
    *state = w.state;
    return true;
}
