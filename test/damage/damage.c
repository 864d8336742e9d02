/*
 * damage.c - values that storage damaged, into everything that src/pg calls.
 *
 *     damage [TYPE...]    damages every value of the table, or those of some types
 *     damage --write      prints the table: type, name and hexadecimal bytes
 *
 * Each byte of the first DAMAGED_BYTES of a good value is set to each of the 256 values that it may
 * have; of a large value, whose calls take longer, to those that flip a bit or are next to the good
 * one, 0 or 255: it is there for the code that small values do not reach, and its header has the
 * fields of a small one. (With $SAMPLE, to one in so many of them.) Every call may refuse, or
 * return anything. None may read or write what is not its own, which the sanitizers see, or go on
 * for ever, which a timer ends.
 *
 * The values are damaged in a child, because a finding ends it; another child goes on behind the
 * byte that ended the last one.
 *
 * The table is complete: a type has a value of each packed encoding, of its encoding in transit,
 * and of each encoding with each hash function that validate accepts after any of this.
 */
#include "damage.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define DAMAGED_BYTES 96
#define SMALL_BYTES 128 /* values up to this get all 256 values of a byte */
#define VALUE_SECONDS 5 /* of processor time, for all calls with one damaged value */
#define FINDINGS_SHOWN 5
#define VALUES_FILE "test/data/encodings.tsv"

#define TYPES_MAX 16
#define VALUES_MAX 128
#define ALLOCATION_MAX ((size_t)1 << 22)
#define PIECES_MAX 65536
#define LARGE_BYTES ((size_t)1 << 17)
#define SPARE_MAX 8

/*
 * Memory of earlier calls stays poisoned for a while, but not so long that it costs page faults.
 * The sanitizer fills fresh memory with garbage by itself.
 */
const char *
__asan_default_options(void)
{
    return "quarantine_size_mb=1:malloc_context_size=4:detect_leaks=0";
}

/* ---- the table ---- */

typedef struct GoodValue {
    const DamageType *type;
    const char *name;
    SketchBytes bytes;
} GoodValue;

static const DamageType *types[TYPES_MAX];
static unsigned type_count;
static GoodValue values[VALUES_MAX];
static unsigned value_count;
static const DamageType *being_made;

void
damage_register(const DamageType *type)
{
    if (type_count == TYPES_MAX)
        abort();
    types[type_count++] = type;
}

void
damage_value(const char *name, SketchBytes value)
{
    Bytes copy = bytes_copy(value.data, value.size);

    if (value_count == VALUES_MAX)
        abort();
    values[value_count++] = (GoodValue){being_made, name, {copy.data, copy.size}};
}

/* In the order of kinds, whatever the order of linking is. */
static int
by_kind(const void *a, const void *b)
{
    return (int)(*(const DamageType *const *)a)->ops->kind -
           (int)(*(const DamageType *const *)b)->ops->kind;
}

static void
make_values(void)
{
    qsort(types, type_count, sizeof types[0], by_kind);
    for (unsigned i = 0; i < type_count; i++) {
        being_made = types[i];
        TRY(being_made->make());
    }
}

/* ---- what children tell ---- */

typedef struct Variants {
    bool seen[256][256]; /* by encoding and hash */
} Variants;

static struct Shared {
    unsigned place;   /* of the byte that is damaged */
    unsigned setting; /* number of the value it is set to */
    const char *call;
    uint64_t damaged, calls, raised;
    Variants accepted[TYPES_MAX];
} * shared;

/* ---- memory ---- */

jmp_buf damage_raised;

typedef struct Piece {
    uint8_t *start;
    size_t size;
    size_t offset; /* of the bytes that were returned */
} Piece;

static Piece pieces[PIECES_MAX];
static unsigned piece_count;

/* Large pieces are kept for the next calls: the sanitizer maps new pages for each of its own. */
static Piece spare[SPARE_MAX];
static unsigned spare_count;

void
damage_raise(void)
{
    shared->raised++;
    longjmp(damage_raised, 1);
}

static uint8_t *
take(size_t size)
{
    for (unsigned i = 0; i < spare_count; i++)
        if (spare[i].size == size) {
            uint8_t *start = spare[i].start;

            spare[i] = spare[--spare_count];
            return start;
        }
    return malloc(size);
}

static void
give_back(Piece piece)
{
    if (piece.size >= LARGE_BYTES && spare_count < SPARE_MAX)
        spare[spare_count++] = piece;
    else
        free(piece.start);
}

static uint8_t *
allocate(size_t size, size_t offset)
{
    uint8_t *start;

    if (size > ALLOCATION_MAX || piece_count == PIECES_MAX)
        damage_raise();
    start = take(size + offset);
    if (!start)
        abort();
    pieces[piece_count++] = (Piece){start, size + offset, offset};
    return start + offset;
}

static void
release(void *memory)
{
    for (unsigned i = piece_count; i-- > 0;)
        if (pieces[i].start + pieces[i].offset == (uint8_t *)memory) {
            give_back(pieces[i]);
            pieces[i] = pieces[--piece_count];
            return;
        }
    fprintf(stderr, "released, but not in use\n");
    abort();
}

static uint8_t *
memory_value(uint64_t size, void *context)
{
    (void)context;
    return allocate(size, SKETCH_PREFIX_BYTES);
}

static void
memory_release_value(uint8_t *data, void *context)
{
    (void)context;
    release(data);
}

static void *
memory_scratch(uint64_t size, void *context)
{
    (void)context;
    return allocate(size, 0);
}

static void
memory_release(void *memory, void *context)
{
    (void)context;
    release(memory);
}

static void
memory_poll(void *context)
{
    (void)context;
}

const SketchMemory damage_memory = {
    .value = memory_value,
    .release_value = memory_release_value,
    .scratch = memory_scratch,
    .release = memory_release,
    .poll = memory_poll,
};

void
damage_begin(const char *call)
{
    shared->call = call;
    shared->calls++;
}

void
damage_end(void)
{
    while (piece_count > 0)
        give_back(pieces[--piece_count]);
}

/* ---- values as src/pg gets them ---- */

SketchState
damage_open(SketchBytes value, const SketchOps *ops)
{
    SketchState state = {NULL, 0};

    if (!ops)
        ops = sketch_ops(sketch_kind(value.data));
    if (sketch_kind(value.data) == ops->kind)
        state = ops->open(value, &damage_memory);
    damage_expect(state.data != NULL);
    return state;
}

SketchBytes
damage_pack(SketchBytes value)
{
    SketchBytes packed;

    if (sketch_is_packed(value.data))
        return value;
    packed = sketch_ops(sketch_kind(value.data))->pack(value, &damage_memory);
    damage_expect(packed.data != NULL);
    return packed;
}

SketchBytes
damage_slice(SketchBytes value, size_t offset, size_t length)
{
    size_t size = offset >= value.size           ? 0
                  : length < value.size - offset ? length
                                                 : value.size - offset;
    uint8_t *slice = damage_memory.value(size, NULL);

    memcpy(slice, value.data + (size > 0 ? offset : 0), size);
    return (SketchBytes){slice, size};
}

SketchBytes
damage_header(SketchBytes value)
{
    return sketch_is_packed(value.data) ? damage_slice(value, 0, SKETCH_HEADER_MAX)
                                        : damage_pack(value);
}

/* Every other value is refused before core sees it: check_header of args.c. */
static bool
is_passed_on(SketchBytes value)
{
    const SketchOps *ops = sketch_ops(sketch_kind(value.data));

    return ops && sketch_version(value.data) == ops->version && !sketch_is_working(value.data) &&
           value.size >= ops->header_bytes;
}

/* ---- what is called with values of every type ---- */

static void
validate(const DamageType *type, unsigned number, SketchBytes value)
{
    SketchBytes validated;
    SketchError error;

    if (!type->ops->validate(value, &damage_memory, &validated, &error))
        return;
    shared->accepted[number].seen[sketch_encoding(validated.data)][validated.data[type->hash_at]] =
        true;
    damage_pack(validated);
}

/* The union, opened in one of two ways, and as it travels. */
static void
merge(SketchBytes a, SketchBytes b, SketchState (*open)(SketchBytes, const SketchMemory *))
{
    const SketchOps *ops = sketch_ops(sketch_kind(a.data));
    SketchState state = open(a, &damage_memory);
    SketchError error;

    damage_expect(state.data != NULL && sketch_kind(b.data) == ops->kind);
    if (ops->merge)
        damage_expect(ops->merge(&state, b, &damage_memory, &error));
    if (ops->transit && sketch_is_working(state.data))
        ops->transit(sketch_bytes(state), &damage_memory);
    damage_result(state);
}

static void
call_of_any_type(SketchBytes value, SketchBytes good)
{
    /* The damaged byte may be that of the type. */
    const SketchOps *ops = sketch_ops(sketch_kind(value.data));
    const SketchOps *own = sketch_ops(sketch_kind(good.data));

    TRY(damage_pack(value));
    TRY(damage_result(damage_open(value, NULL)));
    TRY(merge(value, good, ops->open));
    TRY(merge(good, value, own->open));
    TRY(merge(good, sketch_bytes(damage_open(value, NULL)), own->open));
    if (ops->open_many) {
        TRY(merge(value, good, ops->open_many));
        TRY(merge(value, value, ops->open_many));
    }
}

/* ---- damage ---- */

/* The value number `setting` of a byte, or -1 if there are no more. */
static int
setting_of(uint8_t good, bool all, unsigned setting)
{
    if (all)
        return setting < 256 ? (int)setting : -1;
    if (setting < 8)
        return good ^ 1 << setting;
    switch (setting) {
    case 8:
        return (uint8_t)(good + 1);
    case 9:
        return (uint8_t)(good - 1);
    case 10:
        return 0;
    case 11:
        return 255;
    default:
        return -1;
    }
}

/* Begins at the place and the setting in `shared`. */
static _Noreturn void
damage_in_child(const GoodValue *good, unsigned number)
{
    /* An odd address: a stored value may have any. */
    uint8_t *data = (uint8_t *)malloc(good->bytes.size + 1) + 1;
    SketchBytes value = {data, good->bytes.size};
    const struct itimerval limit = {.it_value = {.tv_sec = VALUE_SECONDS}};
    const unsigned one_in = sample();
    int byte;

    memcpy(data, good->bytes.data, value.size);
    for (; shared->place < DAMAGED_BYTES && shared->place < value.size; shared->place++) {
        uint8_t before = data[shared->place];

        for (; (byte = setting_of(before, value.size <= SMALL_BYTES, shared->setting)) >= 0;
             shared->setting++) {
            if ((shared->place + shared->setting) % one_in != 0)
                continue;
            data[shared->place] = (uint8_t)byte;
            setitimer(ITIMER_PROF, &limit, NULL);
            TRY(validate(good->type, number, value));
            if (is_passed_on(value)) {
                call_of_any_type(value, good->bytes);
                good->type->call(value, good->bytes);
            }
            shared->damaged++;
        }
        data[shared->place] = before;
        shared->setting = 0;
    }
    _exit(0);
}

/* The status of a child that goes on where the last one ended. */
static int
damage_on(const GoodValue *good, unsigned number)
{
    int status;

    fflush(NULL);
    switch (fork()) {
    case -1:
        perror("fork");
        exit(2);
    case 0:
        damage_in_child(good, number);
    default:
        wait(&status);
        return status;
    }
}

static void
damage_good_value(const GoodValue *good, unsigned number)
{
    const char *type = good->type->ops->name;
    unsigned findings = 0;
    int status;

    shared->place = shared->setting = 0;
    shared->damaged = shared->calls = shared->raised = 0;
    while (findings < FINDINGS_SHOWN && (status = damage_on(good, number)) != 0) {
        findings++;
        expect(false, "%s, %s: byte %u set to %d: %s: %s %d", type, good->name, shared->place,
               setting_of(good->bytes.data[shared->place], good->bytes.size <= SMALL_BYTES,
                          shared->setting),
               shared->call, WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        shared->setting++;
    }
    expect(shared->raised < shared->calls, "every call was refused");
    conclude("%s, %s: %llu damaged values, %llu calls", type, good->name,
             (unsigned long long)shared->damaged, (unsigned long long)shared->calls);
}

/* ---- whether the table is complete, and the file has it ---- */

static bool
has_value(const DamageType *type, unsigned encoding, int hash)
{
    for (unsigned i = 0; i < value_count; i++)
        if (values[i].type == type && sketch_encoding(values[i].bytes.data) == encoding &&
            (hash < 0 || values[i].bytes.data[type->hash_at] == hash))
            return true;
    return false;
}

static void
check_types(void)
{
    const SketchOps *ops;

    for (size_t i = 0; (ops = sketch_ops_at(i)) != NULL; i++) {
        unsigned n = 0;

        while (n < type_count && types[n]->ops != ops)
            n++;
        expect(n < type_count, "%s has none", ops->name);
        for (unsigned e = 0; n < type_count && e <= ops->encoding_max; e++)
            expect(has_value(types[n], e, -1), "encoding %u of %s has none", e, ops->name);
        if (n < type_count && ops->transit)
            expect(has_value(types[n], SKETCH_TRANSIT, -1), "%s in transit has none", ops->name);
    }
    conclude("every encoding has a value");
}

/* Raises if validate refuses the value, or makes another one of it. */
static void
check_canonical(const GoodValue *good)
{
    SketchBytes value = good->bytes, validated;
    SketchError error;

    damage_expect(good->type->ops->validate(value, &damage_memory, &validated, &error));
    damage_expect(same_bytes(validated.data, validated.size, value.data, value.size));
}

static bool
is_canonical(const GoodValue *good)
{
    uint64_t before = shared->raised;

    TRY(check_canonical(good));
    return shared->raised == before;
}

static void
check_good_values(void)
{
    for (unsigned i = 0; i < value_count; i++)
        expect(is_canonical(&values[i]), "%s, %s", values[i].type->ops->name, values[i].name);
    conclude("the values are good");
}

static void
check_hashes(void)
{
    for (unsigned n = 0; n < type_count; n++)
        for (unsigned encoding = 0; encoding < 256; encoding++)
            for (int hash = 0; hash < 256; hash++)
                expect(!shared->accepted[n].seen[encoding][hash] ||
                           has_value(types[n], encoding, hash),
                       "%s of encoding %u with byte %zu = %d has none", types[n]->ops->name,
                       encoding, types[n]->hash_at, hash);
    conclude("every hash function that validate accepts has a value");
}

static void
write_values(FILE *file)
{
    for (unsigned i = 0; i < value_count; i++) {
        fprintf(file, "%s\t%s\t", values[i].type->ops->name, values[i].name);
        for (size_t at = 0; at < values[i].bytes.size; at++)
            fprintf(file, "%02x", values[i].bytes.data[at]);
        putc('\n', file);
    }
}

/* The tests that have a server read the table from a file. */
static void
check_file(void)
{
    FILE *file = fopen(VALUES_FILE, "r"), *written = tmpfile();
    int a, b;

    expect(file && written, "no file");
    if (file && written) {
        write_values(written);
        rewind(written);
        do {
            a = getc(file);
            b = getc(written);
        } while (a == b && a != EOF);
        expect(a == b, "write it anew: build/fuzz/damage --write >%s", VALUES_FILE);
    }
    conclude("%s has these values", VALUES_FILE);
}

static bool
is_named(const DamageType *type, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], type->ops->name) == 0)
            return true;
    return argc == 1;
}

int
main(int argc, char **argv)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    make_values();
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        write_values(stdout);
        return 0;
    }
    check_types();
    check_good_values();
    check_file();
    for (unsigned n = 0; n < type_count; n++)
        for (unsigned i = 0; i < value_count; i++)
            if (values[i].type == types[n] && is_named(types[n], argc, argv))
                damage_good_value(&values[i], n);
    check_hashes();
    return conclude_all();
}
