/*
 * driver.c - the fuzz target on its own, for machines without libFuzzer.
 *
 *     fuzz [-runs=N] [-seed=S] [-mode=M] [FILE...]
 *
 * Replays the files, if there are any, and else makes N inputs: good ones that the modes make
 * themselves, or only mode M, changed by flips, splices and other lengths, checksums repaired. The
 * same seed gives the same inputs everywhere. An input that ends the program, or takes more than
 * TIME_LIMIT seconds of processor time, is left in build/fuzz; what was mended goes to
 * test/fuzz/corpus, whose files every run replays first.
 */
#include "fuzz.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define TIME_LIMIT 20
#define POOL 64 /* earlier inputs that changed ones are made of */
#define CORPUS "test/fuzz/corpus"

static Bytes current;        /* what is being run */
static const FuzzMode *only; /* the mode of all inputs, or NULL */
static const char *current_name = "start";

/* ---- what is left of an input that failed ---- */

static void
save_current(void)
{
    static bool saved;
    char path[64];
    uint64_t name = current.size;
    FILE *file;

    if (saved)
        return;
    saved = true;
    if (!current.data) {
        fprintf(stderr, "fuzz: %s: it failed while an input was made\n", current_name);
        return;
    }
    for (size_t i = 0; i < current.size; i++)
        name = mix64(name ^ current.data[i]);
    snprintf(path, sizeof path, "build/fuzz/failed-%016" PRIx64, name);
    if ((file = fopen(path, "wb")) != NULL) {
        fwrite(current.data, 1, current.size, file);
        fclose(file);
    }
    fprintf(stderr, "fuzz: %s, %zu bytes, mode %u: %s\n", current_name, current.size,
            current.size ? current.data[0] : 0, file ? path : "could not be saved");
}

static void
on_signal(int signal_number)
{
    if (signal_number == SIGPROF)
        fprintf(stderr, "fuzz: longer than %d seconds\n", TIME_LIMIT);
    save_current();
    signal(SIGABRT, SIG_DFL);
    abort();
}

/* The sanitizers' way of saying so; absent in a build without them. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void
run(const uint8_t *data, size_t size)
{
    const struct itimerval limit = {.it_value = {.tv_sec = TIME_LIMIT}}, none = {0};

    current = (Bytes){(uint8_t *)data, size};
    setitimer(ITIMER_PROF, &limit, NULL);
    LLVMFuzzerTestOneInput(data, size);
    setitimer(ITIMER_PROF, &none, NULL);
    current = (Bytes){NULL, 0};
}

/* ---- making inputs ---- */

typedef struct Pool {
    Bytes input[POOL];
    unsigned count;
} Pool;

/* A mode byte and a good input of the mode; of a type, two values. */
static size_t
make_seed(Random *random, uint8_t *buffer)
{
    const FuzzMode *mode = only ? only : fuzz_random_mode(random);
    size_t first;

    buffer[0] = mode->number;
    if (mode->read)
        return 1 + mode->seed(random, buffer + 1);
    first = mode->seed(random, buffer + 5);
    for (unsigned i = 0; i < 4; i++)
        buffer[1 + i] = (uint8_t)(first >> 8 * i);
    return 5 + first + mode->seed(random, buffer + 5 + first);
}

/* A place that matters more often than not: near the beginning, near the end, or anywhere. */
static size_t
place(Random *random, size_t size)
{
    size_t near = size < 40 ? size : 40;

    if (size == 0)
        return 0;
    switch (random_below(random, 4)) {
    case 0:
        return random_below(random, near);
    case 1:
        return size - 1 - random_below(random, near);
    default:
        return random_below(random, size);
    }
}

static size_t
cut_out(uint8_t *data, size_t size, size_t at, size_t length)
{
    if (length > size - at)
        length = size - at;
    memmove(data + at, data + at + length, size - at - length);
    return size - length;
}

static size_t
put_in(uint8_t *data, size_t size, size_t at, const uint8_t *from, size_t length)
{
    if (length > FUZZ_INPUT_MAX - size)
        length = FUZZ_INPUT_MAX - size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, from, length);
    return size + length;
}

/* One change; the mode byte stays. */
static size_t
change(Random *random, const Pool *pool, uint8_t *data, size_t size)
{
    static const uint8_t edges[] = {0, 1, 2, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xc0, 0xc3, 0xfe, 0xff};
    size_t at = 1 + place(random, size - 1);
    const Bytes *other = &pool->input[random_below(random, pool->count)];
    uint8_t some[16];

    if (at >= size)
        return put_in(data, size, size, edges, 1 + random_below(random, sizeof edges));
    switch (random_below(random, 9)) {
    case 0:
    case 1:
        data[at] ^= (uint8_t)(1 << random_below(random, 8));
        return size;
    case 2:
        data[at] = edges[random_below(random, sizeof edges)];
        return size;
    case 3:
        data[at] = (uint8_t)(data[at] + (random_below(random, 2) ? 1 : -1));
        return size;
    case 4:
        memset(data + at, edges[random_below(random, sizeof edges)],
               random_below(random, size - at < 9 ? size - at : 9));
        return size;
    case 5:
        return cut_out(data, size, at, 1 + random_below(random, 12));
    case 6:
        for (unsigned i = 0; i < sizeof some; i++)
            some[i] = (uint8_t)random_next(random);
        return put_in(data, size, at, some, 1 + random_below(random, sizeof some));
    case 7: /* the rest of another input, from the same place or any */
        if (other->size > at)
            return put_in(data, at, at, other->data + at, other->size - at);
        return at;
    default: { /* a piece of another input */
        size_t from = place(random, other->size);

        return put_in(data, size, at, other->data + from,
                      random_below(random, other->size - from + 1));
    }
    }
}

static size_t
make_input(Random *random, Pool *pool, uint8_t *buffer)
{
    unsigned changes = (unsigned)random_below(random, 5);
    const FuzzMode *mode;
    size_t size;

    if (pool->count < POOL || random_below(random, 8) == 0) {
        Bytes *kept = &pool->input[pool->count < POOL ? pool->count : random_below(random, POOL)];

        size = make_seed(random, buffer);
        if (pool->count < POOL)
            pool->count++;
        else
            free(kept->data);
        *kept = bytes_copy(buffer, size);
    } else {
        const Bytes *kept = &pool->input[random_below(random, pool->count)];

        memcpy(buffer, kept->data, size = kept->size);
    }
    for (; changes > 0; changes--)
        size = change(random, pool, buffer, size);
    mode = fuzz_mode(buffer[0]);
    if (mode->repair && random_below(random, 8) > 0)
        mode->repair(buffer + 1, size - 1);
    return size;
}

static void
run_made(uint64_t seed, uint64_t runs)
{
    uint8_t *buffer = malloc(FUZZ_INPUT_MAX);
    char name[64];
    Random random = {seed};
    Pool pool = {.count = 0};

    for (uint64_t i = 0; i < runs; i++) {
        Bytes exact;
        size_t size;

        snprintf(name, sizeof name, "run %" PRIu64 " of seed %" PRIu64, i, seed);
        current_name = name;
        size = make_input(&random, &pool, buffer);
        exact = bytes_copy(buffer, size);
        run(exact.data, exact.size);
        free(exact.data);
    }
    for (unsigned i = 0; i < pool.count; i++)
        free(pool.input[i].data);
    free(buffer);
    printf("%" PRIu64 " inputs of seed %" PRIu64 "\n", runs, seed);
}

/* ---- files ---- */

static void
run_file(const char *path)
{
    uint8_t *buffer = malloc(FUZZ_INPUT_MAX);
    FILE *file = fopen(path, "rb");
    Bytes exact;

    if (!file) {
        perror(path);
        exit(2);
    }
    exact = bytes_copy(buffer, fread(buffer, 1, FUZZ_INPUT_MAX, file));
    fclose(file);
    free(buffer);
    current_name = path;
    run(exact.data, exact.size);
    free(exact.data);
}

static void
run_corpus(void)
{
    DIR *directory = opendir(CORPUS);
    struct dirent *entry;
    unsigned files = 0;

    while (directory && (entry = readdir(directory)) != NULL) {
        char path[512];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", CORPUS, entry->d_name);
        run_file(path);
        files++;
    }
    if (directory)
        closedir(directory);
    printf("%u files of " CORPUS "\n", files);
}

int
main(int count, char **arguments)
{
    uint64_t runs = 50000, seed = 1;
    int files = 0;

    signal(SIGABRT, on_signal);
    signal(SIGPROF, on_signal);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(save_current);
    for (int i = 1; i < count; i++) {
        if (strncmp(arguments[i], "-runs=", 6) == 0)
            runs = strtoull(arguments[i] + 6, NULL, 10);
        else if (strncmp(arguments[i], "-seed=", 6) == 0)
            seed = strtoull(arguments[i] + 6, NULL, 10);
        else if (strncmp(arguments[i], "-mode=", 6) == 0)
            only = fuzz_mode((uint8_t)atoi(arguments[i] + 6));
        else if (arguments[i][0] == '-') {
            fprintf(stderr, "usage: fuzz [-runs=N] [-seed=S] [-mode=M] [FILE...]\n");
            return 2;
        } else {
            run_file(arguments[i]);
            files++;
        }
    }
    if (files == 0) {
        run_corpus();
        run_made(seed, runs);
    }
    return 0;
}
