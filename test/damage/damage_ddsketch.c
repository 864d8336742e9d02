/*
 * damage_ddsketch.c - values of ddsketch, ours and those of the DDSketch library.
 */
#include "damage.h"

#include "../unit/foreign_digest.h"
#include "core/common/bytes.h"
#include "core/ddsketch/ddsketch.h"

/* ---- good values ---- */

static SketchState
counted(int scale, unsigned count)
{
    DdsketchGrid grid = {.mapping = DDSKETCH_EXPONENTIAL, .scale = scale};
    SketchState state = ddsketch_new(&grid, &damage_memory);
    SketchError error;

    for (unsigned i = 0; i < count; i++)
        damage_expect(
            ddsketch_insert(&state, ((double)i - 3) * i, 1 + i % 5, &damage_memory, &error));
    return state;
}

/* Of a mapping of the library. */
static SketchBytes
imported(DdsketchMapping mapping, double gamma, uint32_t count)
{
    static uint8_t room[1 << 16], message[1 << 16];
    double counts[1000];
    Foreign f = {message, 0};
    SketchBytes value;
    SketchError error;

    for (uint32_t i = 0; i < count; i++)
        counts[i] = i % 7;
    foreign_ddsketch(&f, gamma, mapping - DDSKETCH_LOGARITHMIC, -10, counts, count, false, 3, room);
    damage_expect(
        ddsketch_from_datadog((SketchBytes){message, f.size}, &damage_memory, &value, &error));
    return value;
}

static SketchBytes
in_transit(SketchState state, unsigned count)
{
    uint8_t quantiles[DDSKETCH_REQUESTED_MAX * sizeof(double)];

    for (unsigned i = 0; i < count; i++)
        store_le_double(quantiles + i * sizeof(double), (i + 0.5) / count);
    ddsketch_request(&state, (RequestedQuantiles){count, quantiles}, &damage_memory);
    return ddsketch_ops.transit(sketch_bytes(state), &damage_memory);
}

static void
make(void)
{
    damage_value("few", damage_result(counted(6, 10)));
    damage_value("many", damage_result(counted(8, 2000)));
    damage_value("logarithmic", imported(DDSKETCH_LOGARITHMIC, 1.02, 12));
    damage_value("many logarithmic", imported(DDSKETCH_LOGARITHMIC, 1.02, 900));
    damage_value("linear", imported(DDSKETCH_LINEAR, 1.02, 150));
    damage_value("quadratic", imported(DDSKETCH_QUADRATIC, 1.02, 150));
    damage_value("cubic", imported(DDSKETCH_CUBIC, 1.7, 150));
    damage_value("many cubic", imported(DDSKETCH_CUBIC, 1.02, 900));
    damage_value("in transit", in_transit(counted(6, 10), 2));
    damage_value("many in transit", in_transit(counted(8, 2000), 30));
    for (unsigned i = DDSKETCH_LOGARITHMIC; i <= DDSKETCH_CUBIC; i++)
        damage_value("of the library in transit",
                     in_transit(damage_open(imported(i, 1.02, 150), NULL), 1));
}

/* ---- calls ---- */

static void
read_grid(SketchBytes value)
{
    DdsketchGrid grid;
    uint64_t total;

    damage_expect(ddsketch_grid(value, &grid, &total));
    ddsketch_relative_error(&grid);
    if (grid.mapping == DDSKETCH_EXPONENTIAL)
        ddsketch_growth(grid.scale);
}

static void
query(SketchBytes value)
{
    RequestedQuantiles requested = ddsketch_requested(value);
    Ddsketch sketch;

    damage_expect(ddsketch_read(&sketch, value, &damage_memory));
    ddsketch_rank(&sketch, 5);
    if (sketch.count == 0)
        return;
    ddsketch_at(&sketch, 1);
    ddsketch_at(&sketch, sketch.total);
    for (double q = 0; q <= 1; q += 0.25)
        ddsketch_percentile(&sketch, q);
    for (unsigned i = 0; i < requested.count; i++)
        ddsketch_percentile(&sketch, load_le_double(requested.quantiles + i * sizeof(double)));
    ddsketch_rank(&sketch, -1e300);
    ddsketch_rank(&sketch, 0);
    ddsketch_rank(&sketch, 1e300);
    ddsketch_sum(&sketch);
    ddsketch_mean(&sketch);
    ddsketch_deviation(&sketch);
    for (uint32_t i = 0; i < sketch.count; i++) {
        ddsketch_bucket_low(&sketch, i);
        ddsketch_bucket_high(&sketch, i);
    }
}

static void
write_datadog(SketchBytes value)
{
    Ddsketch sketch;
    SketchBytes message;
    SketchError error;

    damage_expect(ddsketch_read(&sketch, value, &damage_memory));
    ddsketch_to_datadog(&sketch, &damage_memory);
    ddsketch_to_datadog_ceiling(&sketch, &damage_memory, &message, &error);
}

static void
change(SketchBytes value)
{
    SketchState state = damage_open(value, &ddsketch_ops);
    SketchError error;

    for (unsigned i = 0; i < 10; i++)
        if (!ddsketch_add(state, (double)i - 2))
            damage_expect(ddsketch_insert(&state, 0x1p-900 * i - 1, 7, &damage_memory, &error));
    damage_result(state);
}

static void
fold(SketchBytes value, int coarser)
{
    SketchState state = damage_open(value, &ddsketch_ops);
    DdsketchGrid grid;
    uint64_t total;

    damage_expect(ddsketch_grid(sketch_bytes(state), &grid, &total) &&
                  grid.mapping == DDSKETCH_EXPONENTIAL &&
                  grid.scale - coarser >= DDSKETCH_SCALE_MIN);
    ddsketch_fold(&state, grid.scale - coarser, &damage_memory);
    damage_result(state);
}

static void
subtract(SketchBytes a, SketchBytes b)
{
    SketchState state = damage_open(a, &ddsketch_ops);
    SketchError error;

    damage_expect(ddsketch_subtract(&state, b, &damage_memory, &error));
    damage_result(state);
}

/* A state is asked for quantiles, travels, and takes the next sketch. */
static void
request(SketchBytes value, SketchBytes other)
{
    static const uint8_t quantile[sizeof(double)];
    SketchState state = damage_open(damage_pack(value), &ddsketch_ops);
    SketchError error;

    ddsketch_request(&state, (RequestedQuantiles){1, quantile}, &damage_memory);
    damage_expect(ddsketch_ops.merge(&state, other, &damage_memory, &error));
    ddsketch_ops.transit(sketch_bytes(state), &damage_memory);
    query(sketch_bytes(state));
}

static void
call(SketchBytes value, SketchBytes good)
{
    TRY(read_grid(damage_header(value)));
    TRY(query(value));
    TRY(query(damage_pack(value)));
    TRY(query(sketch_bytes(damage_open(value, &ddsketch_ops))));
    TRY(write_datadog(value));
    TRY(change(value));
    TRY(fold(value, 1));
    TRY(fold(value, 9));
    TRY(subtract(value, good));
    TRY(subtract(good, value));
    TRY(subtract(value, value));
    TRY(request(value, good));
    TRY(request(good, value));
}

static const DamageType ddsketch = {.ops = &ddsketch_ops, .hash_at = 3, .make = make, .call = call};

DAMAGE_TYPE(ddsketch)
