/*
 * fuzz_bitfield.c - commands of BITFIELD on a string, and every question about what comes out.
 *
 * The first byte of an input is the length of the string that follows; the rest is commands.
 */
#include "fuzz.h"

#include "core/bitfield/bitfield.h"

#define STRING_MAX 512 /* bytes: commands beyond are read and not carried out */

static void
execute(uint8_t *string, const BitfieldCommand *command)
{
    SketchBytes bytes = {string, STRING_MAX};
    int64_t old, stored;

    if (bitfield_bytes(command->offset, command->type.bits) > STRING_MAX)
        return;
    old = bitfield_get(bytes, command->type, command->offset);
    stored = old;
    if (command->verb == BITFIELD_GET ||
        !(command->verb == BITFIELD_SET
              ? bitfield_set_value(command->type, command->value, command->overflow, &stored)
              : bitfield_add_value(command->type, old, command->value, command->overflow, &stored)))
        return;
    bitfield_put(string, command->type, command->offset, stored);
    fuzz_check(bitfield_get(bytes, command->type, command->offset) == stored,
               "an integer is not what was stored");
}

static void
ask(SketchBytes string, int64_t start, int64_t end)
{
    SketchBytes all[2] = {string, {string.data, string.size / 2}};
    uint8_t result[STRING_MAX];
    int64_t first, last;

    for (BitfieldOp op = BITFIELD_AND; op <= BITFIELD_ONE; op++)
        bitfield_combine(op, all, 2, (SketchBytes){result, string.size}, &memory);
    for (int of_bits = 0; of_bits < 2; of_bits++) {
        int64_t ones, found;

        if (!bitfield_range(string.size, start, end, of_bits, &first, &last))
            continue;
        fuzz_check(first >= 0 && first <= last && last < (int64_t)string.size * 8,
                   "a range leaves its string");
        ones = bitfield_count(string.data, first, last, &memory);
        found = bitfield_find(string.data, first, last, true);
        fuzz_check((ones > 0) == (found >= 0), "bits are counted and not found");
        found = bitfield_find(string.data, first, last, false);
        fuzz_check((ones < last - first + 1) == (found >= 0), "zeros are there and not found");
    }
}

static void
fuzz_bitfield_read(SketchBytes input)
{
    size_t length = input.size > 0 ? input.data[0] : 0;
    uint8_t string[STRING_MAX] = {0};
    BitfieldCommands commands;
    BitfieldCommand command = {.value = 0};

    if (input.size == 0)
        return;
    if (length > input.size - 1)
        length = input.size - 1;
    memcpy(string, input.data + 1, length);
    commands = bitfield_commands((const char *)input.data + 1 + length, input.size - 1 - length);
    while (bitfield_next_command(&commands, &command)) {
        fuzz_check(bitfield_fits(command.type, command.offset), "an offset does not fit");
        execute(string, &command);
    }
    fuzz_check(commands.wrong.length == 0 || commands.reason, "a wrong word without a reason");
    ask((SketchBytes){string, length}, command.value, (int64_t)command.offset);
}

static size_t
fuzz_bitfield_seed(Random *random, uint8_t *buffer)
{
    static const char *const verbs[] = {"GET", "SET", "INCRBY", "OVERFLOW SAT GET",
                                        "overflow fail SET"};
    unsigned count = 1 + (unsigned)random_below(random, 5);
    size_t length = random_below(random, 20), at = 1 + length;

    buffer[0] = (uint8_t)length;
    for (size_t i = 0; i < length; i++)
        buffer[1 + i] = (uint8_t)random_below(random, 256);
    for (unsigned i = 0; i < count; i++) {
        unsigned verb = (unsigned)random_below(random, sizeof verbs / sizeof *verbs);

        at += (size_t)sprintf(
            (char *)buffer + at, "%s %c%u %s%u ", verbs[verb], random_below(random, 2) ? 'i' : 'u',
            (unsigned)random_below(random, 66), random_below(random, 2) ? "#" : "",
            (unsigned)random_below(random, 300));
        if (verb != 0 && verb != 3)
            at += (size_t)sprintf((char *)buffer + at, "%d ",
                                  (int)random_below(random, 1 << 20) - 5000);
    }
    return at;
}

static const FuzzMode bitfield = {
    .number = 11, .name = "bitfield", .read = fuzz_bitfield_read, .seed = fuzz_bitfield_seed};

FUZZ_MODE(bitfield)
