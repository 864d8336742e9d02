/*
 * test_popcount.c - counting bits, by the processor and by any machine's way, against bit by bit;
 * of any length and at any address.
 */
#include "../check.h"
#include "core/common/popcount.h"

#define BYTES 400

int
main(void)
{
    Random random = {1};
    uint8_t *data = malloc(BYTES);

    for (size_t i = 0; i < BYTES; i++)
        data[i] = (uint8_t)random_next(&random);
    for (size_t from = 0; from < 9; from++) {
        uint64_t bits = 0;

        for (size_t size = 0; from + size <= BYTES; size++) {
            expect(popcount_bytes(data + from, size) == bits, "bytes %zu from %zu", size, from);
            expect(popcount_portable(data + from, size) == bits, "portable: %zu from %zu", size,
                   from);
            for (unsigned bit = 0; from + size < BYTES && bit < 8; bit++)
                bits += data[from + size] >> bit & 1;
        }
    }
    conclude("bits are counted");
    free(data);
    return conclude_all();
}
