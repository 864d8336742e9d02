/*
 * test_redis_module.c - DUMP payloads of modules: every field, every way to lie in one, and those
 * that are written.
 */
#include "../check.h"
#include "../memory.h"
#include "core/common/redis_dump.h"
#include "../redis_tdigest.h"

static uint8_t room[1 << 16];

/* ---- read ---- */

#define MODULE REDIS_TDIGEST_ID

static Payload
begin_module(uint64_t id)
{
    Payload p = {room, 0};

    payload_module(&p, id);
    return p;
}

/* Opens a finished payload in memory of its own size, which the caller frees. */
static bool
opened(Payload *p, uint64_t id, ByteReader *fields, Bytes *exact)
{
    SketchError error = {.status = SKETCH_OK};
    bool good;

    payload_finish(p);
    *exact = bytes_copy(p->data, p->size);
    good = redis_dump_module((SketchBytes){exact->data, exact->size}, id, fields, &memory, &error);
    expect(good || (error.status == SKETCH_MALFORMED && error.reason), "refused without a reason");
    return good;
}

static void
test_module_fields(void)
{
    static const int64_t numbers[] = {0,     1,         63,        64,        16383,
                                      16384, INT32_MAX, INT64_MAX, INT64_MIN, -1};
    static const unsigned forms[] = {6, 14, 32, 64};
    static const double doubles[] = {0, -0.5, 1e300, 0x1p-1074};
    ByteReader fields;
    Bytes exact;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        for (size_t j = 0; j < 4; j++) {
            Payload p = begin_module(MODULE);

            if (forms[j] < 64 && (uint64_t)numbers[i] >> forms[j] > 0)
                continue;
            payload_u8(&p, 1);
            payload_length(&p, (uint64_t)numbers[i], forms[j]);
            payload_double(&p, doubles[i % 4]);
            payload_u8(&p, 0);
            expect(opened(&p, MODULE, &fields, &exact) &&
                       redis_dump_signed(&fields) == numbers[i] &&
                       redis_dump_double(&fields) == doubles[i % 4] && redis_dump_end(&fields),
                   "%lld in %u bits", (long long)numbers[i], forms[j]);
            free(exact.data);
        }
    conclude("a module's numbers");
}

/* Reads as what it is not, in every combination; what follows a failure is no field either. */
static void
test_module_kinds(void)
{
    ByteReader fields;
    Bytes exact;

    for (unsigned kind = 0; kind < 256; kind++)
        for (unsigned asked = 0; asked < 3; asked++) {
            static const unsigned right[] = {1, 4, 0};
            Payload p = begin_module(MODULE);
            bool good;

            payload_u8(&p, kind);
            if (right[asked] != 0)
                payload_bytes(&p, "\5\0\0\0\0\0\0\0", asked == 0 ? 1 : 8);
            expect(opened(&p, MODULE, &fields, &exact), "a module");
            if (asked == 0)
                redis_dump_signed(&fields);
            else if (asked == 1)
                redis_dump_double(&fields);
            /* A server writes signed fields as unsigned ones. */
            good = kind == right[asked] || (asked == 0 && kind == 2);
            expect((asked == 2 ? redis_dump_end(&fields) : !fields.failed) == good,
                   "kind %x read as %u", kind, right[asked]);
            if (!good)
                expect(!redis_dump_end(&fields), "an end after a failure");
            free(exact.data);
        }
    for (unsigned length = 0xc0; length < 256; length++) {
        Payload p = begin_module(MODULE);

        payload_u8(&p, 1);
        payload_u8(&p, length);
        payload_bytes(&p, "\0\0\0\0\0\0\0\0", 8);
        expect(opened(&p, MODULE, &fields, &exact), "a module");
        redis_dump_signed(&fields);
        expect(fields.failed, "a number encoded as %x", length);
        free(exact.data);
    }
    conclude("a field of another kind makes the reader fail, and it stays so");
}

static void
test_module_frame(void)
{
    ByteReader fields;
    Bytes exact;
    Payload p;

    for (unsigned bit = 0; bit < 64; bit++) {
        p = begin_module(MODULE ^ UINT64_C(1) << bit);
        payload_u8(&p, 0);
        expect(!opened(&p, MODULE, &fields, &exact), "id with another bit %u", bit);
        free(exact.data);
    }
    for (unsigned form = 0; form < 256; form++) {
        p = begin_module(MODULE);
        p.data[1] = (uint8_t)form;
        payload_u8(&p, 0);
        expect(opened(&p, MODULE, &fields, &exact) == (form == 0x81), "id in form %x", form);
        free(exact.data);
    }
    for (unsigned type = 0; type < 256; type++) {
        p = begin_module(MODULE);
        p.data[0] = (uint8_t)type;
        payload_u8(&p, 0);
        expect(opened(&p, MODULE, &fields, &exact) == (type == 7), "type %u", type);
        free(exact.data);
    }
    for (size_t size = 1; size < 10; size++) {
        p = begin_module(MODULE);
        p.size = size;
        expect(!opened(&p, MODULE, &fields, &exact), "cut at %zu", size);
        free(exact.data);
    }
    for (size_t size = 0; size < 12; size++) { /* a number, a double, the end */
        p = begin_module(MODULE);
        payload_signed(&p, 5);
        payload_double(&p, 7);
        p.size = 10 + size;
        expect(opened(&p, MODULE, &fields, &exact), "the fields cut at %zu", size);
        redis_dump_signed(&fields);
        redis_dump_double(&fields);
        expect(!redis_dump_end(&fields), "an end in fields cut at %zu", size);
        free(exact.data);
    }
    for (size_t more = 0; more < 3; more++) {
        p = begin_module(MODULE);
        for (size_t i = 0; i <= more; i++)
            payload_u8(&p, 0);
        expect(opened(&p, MODULE, &fields, &exact) && redis_dump_end(&fields) == (more == 0),
               "%zu bytes behind the end", more);
        free(exact.data);
    }
    conclude("a module's frame: type, id, where it ends");
}

/* As opened(), for a module of which versions up to `version_max` can be read. */
static bool
opened_version(Payload *p, unsigned version_max, unsigned *version, SketchError *error)
{
    ByteReader fields;
    Bytes exact;
    bool good;

    payload_finish(p);
    *error = (SketchError){.status = SKETCH_OK};
    exact = bytes_copy(p->data, p->size);
    good = redis_dump_versions((SketchBytes){exact.data, exact.size}, MODULE, version_max, version,
                               &fields, &memory, error);
    expect(good || (error->status == SKETCH_MALFORMED && error->reason),
           "refused without a reason");
    expect(!good || redis_dump_end(&fields), "the fields do not begin behind the id");
    free(exact.data);
    return good;
}

static void
test_module_versions(void)
{
    static const char other[] = "The DUMP payload is of another module";
    SketchError error;
    unsigned version;
    Payload p;

    for (unsigned written = 0; written < 1024; written++)
        for (unsigned max = 0; max < 1024; max += 1 + max * 3) {
            p = begin_module(MODULE | written);
            payload_u8(&p, 0);
            if (opened_version(&p, max, &version, &error))
                expect(written <= max && version == written, "version %u read as %u, at most %u",
                       written, version, max);
            else
                expect(written > max &&
                           strcmp(error.reason, "Encoding version of the DUMP payload") == 0,
                       "version %u, at most %u: %s", written, max, error.reason);
        }
    for (unsigned bit = 10; bit < 64; bit++) {
        p = begin_module(MODULE ^ UINT64_C(1) << bit);
        payload_u8(&p, 0);
        expect(!opened_version(&p, 1023, &version, &error) && strcmp(error.reason, other) == 0,
               "id with another bit %u", bit);
    }
    for (unsigned form = 0; form < 256; form++) {
        p = begin_module(MODULE);
        p.data[1] = (uint8_t)form;
        payload_u8(&p, 0);
        expect(opened_version(&p, 1023, &version, &error)
                   ? form == 0x81
                   : form != 0x81 && strcmp(error.reason, other) == 0,
               "id in form %x", form);
    }
    for (size_t size = 1; size < 10; size++) {
        p = begin_module(MODULE);
        p.size = size;
        expect(!opened_version(&p, 1023, &version, &error) && strcmp(error.reason, other) == 0,
               "cut at %zu", size);
    }
    conclude("a module of several versions: its id in its one form, the version beside it");
}

int
main(void)
{
    test_module_fields();
    test_module_kinds();
    test_module_frame();
    test_module_versions();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
