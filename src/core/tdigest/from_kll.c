/*
 * from_kll.c - KLL sketches of Apache DataSketches.
 *
 *     0     1        2       3      4..5  6  7       8..15  16..17  18      19
 *     ints  version  family  flags  k     m  unused  n      least k levels  unused
 *
 * then an offset into the items for each level (4 bytes), the least and the greatest value, and the
 * items. All is little-endian. An item of level i stands for 2^i values; all weights add up to n.
 * An empty sketch ends after 8 bytes, and one item stands at byte 8. In an updatable sketch
 * (version 3) the room in front of the first level is stored, too, and one more offset, that of the
 * end.
 *
 * The items are samples, so the rank error of the KLL sketch stays: 1.3% at its default k of 200.
 *
 * Reference: the project's KllPreambleUtil.
 */
#include <math.h>

#include "import.h"

#define KLL_FAMILY 15
#define FLAG_EMPTY 1
#define FLAG_SORTED 2 /* level zero */
#define FLAG_SINGLE 4
#define HEADER 8
#define FULL_HEADER 20
#define LEVELS_MAX 61
#define UPDATABLE 3 /* serial version */

/* Offsets of the fields. */
enum { INTS = 0, SERIAL = 1, FAMILY = 2, FLAGS = 3, N = 8, LEVELS = 18 };

static double
load_item(const uint8_t *p, TdigestItem item)
{
    return item == TDIGEST_ITEM_DOUBLE  ? load_le_double(p)
           : item == TDIGEST_ITEM_FLOAT ? load_le_float(p)
                                        : (double)(int64_t)load_le64(p);
}

static bool
read_levels(const uint8_t *offsets, unsigned levels, const uint8_t *items, uint64_t count,
            uint64_t first, TdigestItem item, bool sorted, TdigestImport *import)
{
    const unsigned width = item == TDIGEST_ITEM_FLOAT ? 4 : 8;

    for (unsigned level = 0; level < levels; level++) {
        uint64_t begin = load_le32(offsets + 4 * level) - first;
        uint64_t end = level + 1 < levels ? load_le32(offsets + 4 * level + 4) - first : count;
        double before = -INFINITY;

        if (begin > end || end > count)
            return sketch_refuse(import->error, SKETCH_MALFORMED, "Levels are out of order");
        for (uint64_t i = begin; i < end; i++) {
            double value = load_item(items + i * width, item);

            if (value < before && (level > 0 || sorted))
                return sketch_refuse(import->error, SKETCH_MALFORMED,
                                     "Items of a level are out of order");
            if (!tdigest_import_add(import, value, UINT64_C(1) << level))
                return false;
            before = value;
        }
    }
    return true;
}

/* A sketch of more than one item. */
static bool
read_full(SketchBytes input, TdigestItem item, TdigestImport *import)
{
    const size_t width = item == TDIGEST_ITEM_FLOAT ? 4 : 8;
    const uint8_t *data = input.data, *offsets = data + FULL_HEADER, *extremes;
    bool updatable = data[SERIAL] == UPDATABLE;
    unsigned levels = input.size > FULL_HEADER ? data[LEVELS] : 0;
    size_t before = FULL_HEADER + 4 * (size_t)(levels + updatable) + 2 * width;
    uint64_t n, count, first, unused;

    if (levels < 1 || levels > LEVELS_MAX || input.size < before ||
        (input.size - before) % width != 0)
        return sketch_refuse(import->error, SKETCH_MALFORMED,
                             "The length does not match the contents");
    n = load_le64(data + N);
    extremes = offsets + 4 * (levels + updatable);
    first = load_le32(offsets);
    unused = updatable ? first : 0;
    count = (input.size - before) / width;
    if (unused > count || (updatable && load_le32(offsets + 4 * levels) != count))
        return sketch_refuse(import->error, SKETCH_MALFORMED,
                             "The length does not match the contents");
    if (!read_levels(offsets, levels, extremes + (2 + unused) * width, count - unused, first, item,
                     data[FLAGS] & FLAG_SORTED, import))
        return false;
    if (import->weight != n)
        return sketch_refuse(import->error, SKETCH_MALFORMED,
                             "The weights of the items do not add up to n");
    return n == 0 ||
           tdigest_import_extremes(import, load_item(extremes, item),
                                   load_item(extremes + width, item), TDIGEST_OUTER_SAMPLES);
}

static bool
read_sketch(SketchBytes input, TdigestItem item, TdigestImport *import)
{
    const size_t width = item == TDIGEST_ITEM_FLOAT ? 4 : 8;
    const uint8_t *data = input.data;

    if (data[SERIAL] == 1 && data[INTS] == 2 && data[FLAGS] & FLAG_EMPTY && input.size == HEADER)
        return true;
    if (data[SERIAL] == 2 && data[INTS] == 2 && data[FLAGS] & FLAG_SINGLE &&
        input.size == HEADER + width)
        return tdigest_import_add(import, load_item(data + HEADER, item), 1);
    if ((data[SERIAL] == 1 || data[SERIAL] == UPDATABLE) && data[INTS] == 5 &&
        (data[SERIAL] == UPDATABLE || !(data[FLAGS] & (FLAG_EMPTY | FLAG_SINGLE))))
        return read_full(input, item, import);
    return sketch_refuse(import->error, SKETCH_MALFORMED,
                         "Version, flags and length do not belong together");
}

bool
tdigest_from_kll(SketchBytes input, TdigestItem item, const SketchMemory *memory,
                 SketchBytes *value, SketchError *error)
{
    TdigestImport import;
    bool good;

    if (input.size < HEADER || input.data[FAMILY] != KLL_FAMILY)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not a KLL sketch of DataSketches");
    if (!tdigest_import_begin(&import, input.size / 4, memory, error))
        return false;
    good = read_sketch(input, item, &import);
    if (good)
        *value = tdigest_import_finish(&import, TDIGEST_COMPRESSION_DEFAULT, 0);
    tdigest_import_end(&import);
    return good;
}
