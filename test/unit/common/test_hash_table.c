/*
 * test_hash_table.c - entries of equal hashes that come and go. Distinct ones: test_counted.c.
 */
#include "../check.h"
#include "core/common/hash_table.h"
#include "../memory.h"

#define HASHES 50
#define VALUES 40

/* The slot of an entry, or the number of slots. */
static size_t
slot_of(const HashTable *table, uint64_t hash, uint64_t value)
{
    size_t at = hash_table_first(table, hash);

    while (table->slot[at].value != 0 && table->slot[at].value != value)
        at = hash_table_next(table, hash, at + 1);
    return table->slot[at].value == 0 ? table->slots : at;
}

static size_t
free_slot(const HashTable *table, uint64_t hash)
{
    size_t at = hash_table_first(table, hash);

    while (table->slot[at].value != 0)
        at = hash_table_next(table, hash, at + 1);
    return at;
}

/* The hashes begin at `homes` slots; the last ones of the table are among them, so chains wrap. */
static void
try(uint64_t homes, uint64_t seed)
{
    bool truth[HASHES][VALUES + 1] = {{false}};
    Random random = {seed};
    size_t entries = 0;
    HashTable table;

    hash_table_begin(&table, &memory);
    for (unsigned i = 0; i < 60000; i++) {
        uint64_t h = random_below(&random, HASHES), value = 1 + random_below(&random, VALUES);
        uint64_t hash = h << 32 | (UINT32_MAX - h % homes);
        bool more = random_below(&random, 10) < (i / 6000 % 2 ? 2 : 8);

        expect((slot_of(&table, hash, value) < table.slots) == truth[h][value], "%llu of %llu",
               (unsigned long long)value, (unsigned long long)h);
        if (more != truth[h][value]) {
            if (more)
                hash_table_put(&table, free_slot(&table, hash), hash, value, &memory);
            else
                hash_table_remove(&table, slot_of(&table, hash, value), &memory);
            truth[h][value] = more;
            entries += more ? 1 : -(size_t)1;
        }
        expect(table.used == entries, "%zu in use, not %zu", table.used, entries);
    }
    hash_table_end(&table, &memory);
    expect(memory_used.pieces == 0, "memory was kept");
}

int
main(void)
{
    try(HASHES, 1);
    try(3, 2);
    conclude("entries of equal hashes are found, and the others stay when one leaves");
    return conclude_all();
}
