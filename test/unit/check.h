/*
 * check.h - what every unit test uses: TAP lines, a random generator, hexadecimal bytes.
 *
 * A test states many expectations and concludes them in one TAP line:
 *
 *     for (...)
 *         expect(a == b, "%d differs", i);
 *     conclude("all are alike");
 *
 * `ok` is both at once. Only the first failures of a conclusion are printed.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_SHOWN 5 /* failed expectations printed for one conclusion */

static struct {
    unsigned tests;
    unsigned failed_tests;
    uint64_t expectations; /* since the last conclusion */
    uint64_t failed;
} check;

__attribute__((format(printf, 2, 3))) static inline void
expect(bool good, const char *format, ...)
{
    va_list arguments;

    check.expectations++;
    if (good || ++check.failed > CHECK_SHOWN)
        return;
    va_start(arguments, format);
    printf("# ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
}

/* One TAP line for all expectations since the last one; it fails when there were none. */
__attribute__((format(printf, 1, 2))) static inline void
conclude(const char *format, ...)
{
    bool good = check.failed == 0 && check.expectations > 0;
    va_list arguments;

    if (check.expectations == 0)
        printf("# nothing was checked\n");
    else if (check.failed > CHECK_SHOWN)
        printf("# and more: %llu of %llu failed\n", (unsigned long long)check.failed,
               (unsigned long long)check.expectations);
    va_start(arguments, format);
    printf("%s %u - ", good ? "ok" : "not ok", ++check.tests);
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    va_end(arguments);
    check.failed_tests += !good;
    check.expectations = check.failed = 0;
}

static inline void
ok(bool good, const char *name)
{
    expect(good, "not so");
    conclude("%s", name);
}

/* The plan and the exit status of the program. */
static inline int
conclude_all(void)
{
    printf("1..%u\n", check.tests);
    return check.failed_tests > 0;
}

/* splitmix64: the same numbers on every machine. */
typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t
mix64(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t
random_next(Random *random)
{
    return mix64(random->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* 0 .. n - 1 */
static inline uint64_t
random_below(Random *random, uint64_t n)
{
    return random_next(random) % n;
}

/* In (0, 1). */
static inline double
random_unit(Random *random)
{
    return ((double)(random_next(random) >> 12) + 0.5) / 0x1p52;
}

/* One in how many trials is run: $SAMPLE, all where it is not set. */
static inline unsigned
sample(void)
{
    const char *text = getenv("SAMPLE");

    return text && atoi(text) > 1 ? (unsigned)atoi(text) : 1;
}

/*
 * How many of n random trials are run: no fewer than eight, since the first ones of many loops are
 * of different kinds.
 */
static inline unsigned
trials_of(unsigned n)
{
    unsigned few = n < 8 ? n : 8;

    return n / sample() > few ? n / sample() : few;
}

/* Bytes of exactly their size from the heap, so that reading past them is seen. */
typedef struct Bytes {
    uint8_t *data;
    size_t size;
} Bytes;

static inline Bytes
bytes_copy(const void *data, size_t size)
{
    Bytes copy = {malloc(size), size};

    if (size > 0)
        memcpy(copy.data, data, size);
    return copy;
}

static inline Bytes
bytes_of_hex(const char *hex)
{
    size_t size = strlen(hex) / 2;
    Bytes bytes = {malloc(size), size};

    for (size_t i = 0; i < size; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};

        bytes.data[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return bytes;
}

static inline bool
same_bytes(const void *a, size_t size_a, const void *b, size_t size_b)
{
    return size_a == size_b && (size_a == 0 || memcmp(a, b, size_a) == 0);
}

#endif
