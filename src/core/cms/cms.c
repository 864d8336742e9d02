/*
 * cms.c - Count-Min sketch: how often did each item occur?
 *
 * The sketch is a table of `depth` rows of `width` cells. The hash of an item chooses one cell in
 * each row. Other items share these cells, so each of them holds at least the item's count, and the
 * smallest of them is the estimate, never below the true count. The error bound is 2 N / width,
 * where N is the total of all counts; about one estimate in 2^depth may exceed it.
 *
 * Three differences from the textbook:
 *
 *   A sketch begins as a list of hashes and counts, which is exact. It stays a list until it has
 *   more than 10 items and more than a tenth of the cells, when a table would take no more bytes.
 *
 *   The update is conservative: an item raises its cells only as far as its new estimate. The error
 *   bound still holds, errors shrink by half or more, and those of frequent items nearly vanish.
 *
 *   A stored table has cells of 1, 2, 4 or 8 bytes, whichever takes the least space. The few counts
 *   that do not fit into a cell follow the table as exceptions.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4..7   8..9   10     11  12..19  20..23
 *     kind   version  encoding  hash  width  depth  bytes  0   total   n
 *
 *     list (0)    n hashes of 8 bytes, ascending; n counts of `bytes` bytes
 *     table (1)   width * depth cells of `bytes` bytes, row by row; n exceptions: u32 cell, u64
 *                 count. The cell of an exception has all bits set.
 *
 * What validate enforces:
 *   1. depth 1..32, width * depth <= 2^26, total <= 2^63 - 1.
 *   2. list: n within cms_list_limit; hashes ascending; counts of at least 1 that add up to the
 *      total, in as few bytes as the largest of them needs; not the hash of Redis.
 *   3. table: no row adds up to more than the total, which is 0 only with the hash of Redis.
 *      Exceptions ascend, for exactly the cells with all bits set. The cell width is the one that
 *      takes the least space, the narrower if two take the same.
 *
 * Merging adds tables cell by cell, and the items of a list one by one. A conservative update looks
 * at all cells of an item, so a table depends on the order of its items, unlike the textbook's:
 * parallel plans give different estimates than serial plans, within the same error bound.
 *
 * Left out: decrements, which a conservative update does not allow.
 *
 * References: G. Cormode, S. Muthukrishnan, An improved data stream summary, J. Algorithms 55,
 * 2005. C. Estan, G. Varghese, New directions in traffic measurement, SIGCOMM 2002 (conservative
 * update).
 */
#include "core/common/polled.h"
#include "cms_internal.h"

static bool
validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    CmsPacked header;
    CmsShape shape;
    SketchState state;

    if (!sketch_validate_common(input, &cms_ops, error))
        return false;
    header = cms_read_header(input.data);
    if (!cms_bytes_are_valid(header.bytes))
        return sketch_refuse(error, SKETCH_MALFORMED, "Bytes of a count are not 1, 2, 4 or 8");
    if (header.shape.hash > SKETCH_HASH_REDIS)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash", header.shape.hash, 0,
                                   SKETCH_HASH_REDIS);
    if (header.shape.hash == SKETCH_HASH_REDIS && header.encoding == CMS_LIST)
        return sketch_refuse(error, SKETCH_MALFORMED, "A list with the hash of Redis");
    if (!cms_shape_of_size(header.shape.width, header.shape.depth, &shape, error)) {
        error->status = SKETCH_MALFORMED;
        return false;
    }
    if (header.total > INT64_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "The total would exceed 2^63-1");
    if (header.encoding == CMS_LIST ? !cms_check_list(input, error)
                                    : !cms_check_table(input, memory, error))
        return false;
    state = cms_open(input, memory);
    *value = cms_pack(sketch_bytes(state), memory);
    memory->release_value(state.data, memory->context);
    return polled_accept_packed(input, *value, memory, error);
}

static bool
merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    return cms_merge_times(state, other, 1, memory, error);
}

const SketchOps cms_ops = {
    .name = "cms",
    .kind = SKETCH_CMS,
    .version = CMS_VERSION,
    .header_bytes = CMS_HEADER,
    .encoding_max = CMS_TABLE,
    .validate = validate,
    .open = cms_open,
    .pack = cms_pack,
    .merge = merge,
};
