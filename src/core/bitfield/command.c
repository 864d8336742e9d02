/*
 * command.c - the words of Redis's BITFIELD after its key:
 *
 *     GET type offset
 *     SET type offset value
 *     INCRBY type offset increment
 *     OVERFLOW WRAP | SAT | FAIL           for the commands after it
 *
 * Words are separated by white space; types are in lower case, other words in either case.
 */
#include "bitfield.h"

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static BitfieldWord
next_word(BitfieldWord *rest)
{
    BitfieldWord word;

    while (rest->length > 0 && is_space(*rest->text)) {
        rest->text++;
        rest->length--;
    }
    word = (BitfieldWord){rest->text, 0};
    while (word.length < rest->length && !is_space(word.text[word.length]))
        word.length++;
    rest->text += word.length;
    rest->length -= word.length;
    return word;
}

BitfieldCommands
bitfield_commands(const char *text, size_t length)
{
    return (BitfieldCommands){.rest = {text, length}};
}

static bool
stop(BitfieldCommands *commands, BitfieldWord word, const char *reason)
{
    commands->wrong = word;
    commands->reason = reason;
    return false;
}

static bool
read_arguments(BitfieldCommands *commands, BitfieldCommand *command)
{
    BitfieldWord word = next_word(&commands->rest);

    if (!bitfield_read_type(word, &command->type))
        return stop(commands, word, "A type is expected, i1 to i64 or u1 to u63");
    word = next_word(&commands->rest);
    if (!bitfield_read_offset(word, command->type, &command->offset) ||
        !bitfield_fits(command->type, command->offset))
        return stop(
            commands, word,
            "An offset is expected, of bits below 4000000000, or after # in units of the type");
    if (command->verb == BITFIELD_GET)
        return true;
    word = next_word(&commands->rest);
    if (!bitfield_read_integer(word, &command->value))
        return stop(commands, word, "An integer of 64 bits is expected");
    return true;
}

bool
bitfield_next_command(BitfieldCommands *commands, BitfieldCommand *command)
{
    BitfieldWord word = next_word(&commands->rest);

    while (bitfield_word_is(word, "overflow")) {
        word = next_word(&commands->rest);
        if (!bitfield_read_overflow(word, &commands->overflow))
            return stop(commands, word, "WRAP, SAT or FAIL is expected");
        word = next_word(&commands->rest);
    }
    if (word.length == 0)
        return false;
    *command = (BitfieldCommand){.overflow = commands->overflow};
    if (bitfield_word_is(word, "get"))
        command->verb = BITFIELD_GET;
    else if (bitfield_word_is(word, "set"))
        command->verb = BITFIELD_SET;
    else if (bitfield_word_is(word, "incrby"))
        command->verb = BITFIELD_INCRBY;
    else
        return stop(commands, word, "GET, SET, INCRBY or OVERFLOW is expected");
    return read_arguments(commands, command);
}
