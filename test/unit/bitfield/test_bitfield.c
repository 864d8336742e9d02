/*
 * test_bitfield.c - integers, ranges and operations on bits against an array of single bits.
 */
#include "../check.h"
#include "../whole.h"
#include "../memory.h"

#include "core/bitfield/bitfield.h"

#define BITS 400

/* The same string twice: bytes of their own, so that nobody reads beside them, and single bits. */
typedef struct Pair {
    uint8_t *bytes;
    size_t size;
    uint8_t bits[BITS + 64];
} Pair;

static Pair
random_pair(Random *random, size_t size)
{
    Pair pair = {.bytes = malloc(size), .size = size};
    unsigned shape = (unsigned)random_below(random, 4);

    for (size_t i = 0; i < size; i++) {
        pair.bytes[i] = shape == 0   ? 0
                        : shape == 1 ? 0xff
                        : shape == 2 ? (uint8_t)random_below(random, 256)
                                     : (uint8_t)(random_below(random, 20) ? 0 : 1 << i % 8);
        for (unsigned j = 0; j < 8; j++)
            pair.bits[i * 8 + j] = pair.bytes[i] >> (7 - j) & 1;
    }
    return pair;
}

static SketchBytes
bytes_of(const Pair *pair)
{
    return (SketchBytes){pair->bytes, pair->size};
}

/* An integer by its definition: the sum of its bits' values. */
static Whole
sum_of_bits(const uint8_t *bits, BitfieldType type)
{
    Whole value = 0;

    for (unsigned i = 0; i < type.bits; i++)
        value = 2 * value + (i == 0 && type.is_signed ? -(int)bits[i] : bits[i]);
    return value;
}

static BitfieldType
random_type(Random *random)
{
    bool is_signed = random_below(random, 2);

    return (BitfieldType){is_signed, 1 + (unsigned)random_below(random, is_signed ? 64 : 63)};
}

static int64_t
random_number(Random *random)
{
    uint64_t number = random_below(random, UINT64_MAX) >> random_below(random, 64);

    return random_below(random, 20) == 0 ? (random_below(random, 2) ? INT64_MIN : INT64_MAX)
           : random_below(random, 2)     ? (int64_t)number
                                         : (int64_t)(0 - number);
}

static void
test_integers(void)
{
    Random random = {1};

    for (unsigned round = 0; round < trials_of(60000); round++) {
        Pair pair = random_pair(&random, BITS / 8);
        BitfieldType type = random_type(&random);
        int64_t offset = (int64_t)random_below(&random, BITS - type.bits + 1);
        int64_t number = random_number(&random);
        Whole low = type.is_signed ? -whole_power(type.bits - 1) : 0;
        Whole high = whole_power(type.bits - type.is_signed) - 1;
        Whole old = sum_of_bits(pair.bits + offset, type);
        Whole set = type.is_signed || number >= 0 ? number : (Whole)(uint64_t)number;
        bool add = random_below(&random, 2);
        Whole exact = add ? old + number : set;
        bool good = exact >= low && exact <= high;
        uint8_t before[BITS / 8];
        int64_t stored;

        memcpy(before, pair.bytes, sizeof before);
        expect(bitfield_get(bytes_of(&pair), type, offset) == old, "%c%u at %d",
               type.is_signed ? 'i' : 'u', type.bits, (int)offset);
        for (BitfieldOverflow how = BITFIELD_WRAP; how <= BITFIELD_FAIL; how++) {
            bool done = add ? bitfield_add_value(type, (int64_t)old, number, how, &stored)
                            : bitfield_set_value(type, number, how, &stored);
            Whole modulo = whole_power(type.bits);
            Whole wrapped = exact - (int64_t)((exact - low) / modulo) * modulo;

            wrapped += wrapped < low ? modulo : 0;
            expect(done == (good || how != BITFIELD_FAIL), "overflow %d is seen", how);
            if (good || how == BITFIELD_WRAP)
                expect(stored == (good ? exact : wrapped), "wrapped");
            else if (how == BITFIELD_SATURATE)
                expect(stored == (exact > high ? high : low), "saturated");
        }
        if (bitfield_add_value(type, (int64_t)old, number, BITFIELD_WRAP, &stored)) {
            bitfield_put(pair.bytes, type, offset, stored);
            expect(bitfield_get(bytes_of(&pair), type, offset) == stored, "read back");
            for (unsigned i = 0; i < BITS; i++)
                if (i < offset || i >= offset + type.bits)
                    expect((pair.bytes[i / 8] >> (7 - i % 8) & 1) == pair.bits[i], "bit %u stays",
                           i);
        }
        free(pair.bytes);
    }
    conclude("integers of any type, anywhere, and their overflow");
}

/* Integers that are in part or wholly behind the end. */
static void
test_end(void)
{
    Random random = {2};

    for (unsigned round = 0; round < trials_of(2000); round++) {
        Pair pair = random_pair(&random, random_below(&random, 20));
        BitfieldType type = random_type(&random);
        int64_t offset = (int64_t)random_below(&random, 200);

        memset(pair.bits + pair.size * 8, 0, sizeof pair.bits - pair.size * 8);
        expect(bitfield_get(bytes_of(&pair), type, offset) == sum_of_bits(pair.bits + offset, type),
               "%u bits at %d of %zu bytes", type.bits, (int)offset, pair.size);
        free(pair.bytes);
    }
    conclude("what is behind the end is 0");
}

static void
test_ranges(void)
{
    Random random = {3};

    for (unsigned round = 0; round < trials_of(20000); round++) {
        Pair pair = random_pair(&random, 1 + random_below(&random, 40));
        int64_t first = (int64_t)random_below(&random, pair.size * 8), ones = 0,
                found[2] = {-1, -1};
        int64_t last = first + (int64_t)random_below(&random, pair.size * 8 - (uint64_t)first);

        for (int64_t i = last; i >= first; i--) {
            ones += pair.bits[i];
            found[pair.bits[i]] = i;
        }
        expect(bitfield_count(pair.bytes, first, last, &memory) == ones, "count");
        expect(bitfield_find(pair.bytes, first, last, false) == found[0], "first 0");
        expect(bitfield_find(pair.bytes, first, last, true) == found[1], "first 1");
        free(pair.bytes);
    }
    conclude("counts and positions in ranges");
}

static void
test_indexes(void)
{
    int64_t first, last;

    expect(bitfield_range(10, 0, -1, false, &first, &last) && first == 0 && last == 79, "all");
    expect(bitfield_range(10, -2, -1, false, &first, &last) && first == 64 && last == 79, "end");
    expect(bitfield_range(10, 1, 100, false, &first, &last) && first == 8 && last == 79, "cut");
    expect(bitfield_range(10, -100, 0, false, &first, &last) && first == 0 && last == 7, "begin");
    expect(bitfield_range(10, 5, 30, true, &first, &last) && first == 5 && last == 30, "bits");
    expect(bitfield_range(10, -3, -2, true, &first, &last) && first == 77 && last == 78, "bits");
    expect(!bitfield_range(10, 5, 4, false, &first, &last), "the wrong way round");
    expect(!bitfield_range(10, -1, -2, false, &first, &last), "both from the end");
    expect(bitfield_range(10, -20, -30, false, &first, &last) && first == 0 && last == 7,
           "both before the begin");
    expect(!bitfield_count_range(10, -20, -30, false, &first, &last), "... to count");
    expect(!bitfield_count_range(10, -1, -2, false, &first, &last), "both from the end, to count");
    expect(bitfield_count_range(10, -2, -2, true, &first, &last) && first == 78 && last == 78,
           "one bit to count");
    expect(bitfield_count_range(10, 8, -2, false, &first, &last) && first == 64 && last == 71,
           "to the end but one, to count");
    expect(!bitfield_count_range(10, 9, -2, false, &first, &last), "nothing to count");
    expect(bitfield_range(10, -30, -20, false, &first, &last) && first == 0 && last == 7,
           "both before the begin, in order");
    expect(!bitfield_range(10, 10, 20, false, &first, &last), "behind the end");
    expect(!bitfield_range(0, 0, -1, false, &first, &last), "of nothing");
    expect(bitfield_range(10, INT64_MIN, INT64_MAX, true, &first, &last) && first == 0 &&
               last == 79,
           "extremes");
    conclude("indexes as Redis has them");
}

/* Of each bit: how many strings have it, and whether the first one does. */
static bool
expected_bit(BitfieldOp op, unsigned ones, unsigned count, bool first)
{
    switch (op) {
    case BITFIELD_AND:
        return ones == count;
    case BITFIELD_OR:
        return ones > 0;
    case BITFIELD_XOR:
        return ones % 2;
    case BITFIELD_NOT:
        return !first;
    case BITFIELD_DIFF:
        return first && ones == 1;
    case BITFIELD_DIFF1:
        return !first && ones > 0;
    case BITFIELD_ANDOR:
        return first && ones > 1;
    default:
        return ones == 1;
    }
}

static void
test_operations(void)
{
    Random random = {4};

    for (unsigned round = 0; round < trials_of(5000); round++) {
        BitfieldOp op = (BitfieldOp)(round % 8);
        unsigned count = op == BITFIELD_NOT ? 1 : 2 + (unsigned)random_below(&random, 4);
        Pair pairs[6];
        SketchBytes strings[6], result = {NULL, 0};

        for (unsigned i = 0; i < count; i++) {
            pairs[i] = random_pair(&random, random_below(&random, 40));
            strings[i] = bytes_of(&pairs[i]);
            result.size = strings[i].size > result.size ? strings[i].size : result.size;
        }
        result.data = malloc(result.size);
        bitfield_combine(op, strings, count, result, &memory);
        for (size_t bit = 0; bit < result.size * 8; bit++) {
            unsigned ones = 0;
            bool first = bit < pairs[0].size * 8 && pairs[0].bits[bit];

            for (unsigned i = 0; i < count; i++)
                ones += bit < pairs[i].size * 8 && pairs[i].bits[bit];
            expect((result.data[bit / 8] >> (7 - bit % 8) & 1) ==
                       expected_bit(op, ones, count, first),
                   "operation %d of %u, bit %zu", op, count, bit);
        }
        for (unsigned i = 0; i < count; i++)
            free(pairs[i].bytes);
        free((void *)result.data);
    }
    expect(bitfield_op_takes(BITFIELD_NOT, 1) && !bitfield_op_takes(BITFIELD_NOT, 2), "not");
    expect(!bitfield_op_takes(BITFIELD_AND, 0) && bitfield_op_takes(BITFIELD_AND, 1), "and");
    expect(!bitfield_op_takes(BITFIELD_DIFF1, 1) && bitfield_op_takes(BITFIELD_DIFF1, 2), "diff1");
    conclude("eight operations on any number of strings");
}

static uint8_t *
random_bytes(Random *random, size_t size)
{
    uint8_t *bytes = malloc(size);

    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)random_below(random, 256);
    return bytes;
}

static int64_t
ones_of(const uint8_t *bytes, int64_t first, int64_t last)
{
    int64_t ones = 0;

    for (int64_t i = first; i <= last; i++)
        ones += bytes[i / 8] >> (7 - i % 8) & 1;
    return ones;
}

/* What is done in blocks: counting, and operations, also into the first string. */
static void
test_long(void)
{
    Random random = {5};

    for (unsigned round = 0; round < trials_of(300); round++) {
        size_t size = 1 + random_below(&random, 700);
        uint8_t *bytes = random_bytes(&random, size);
        int64_t first = (int64_t)random_below(&random, size * 8);
        int64_t last = first + (int64_t)random_below(&random, size * 8 - (uint64_t)first);

        expect(bitfield_count(bytes, first, last, &memory) == ones_of(bytes, first, last),
               "%d to %d", (int)first, (int)last);
        free(bytes);
    }
    for (unsigned round = 0; round < trials_of(160); round++) {
        BitfieldOp op = (BitfieldOp)(round % 8);
        unsigned count = op == BITFIELD_NOT ? 1 : 2 + (unsigned)random_below(&random, 3);
        SketchBytes strings[4], result = {NULL, 5000 + random_below(&random, 8000)};
        bool in_place = random_below(&random, 2);
        uint8_t *first;

        for (unsigned i = 0; i < count; i++) {
            strings[i].size = i ? random_below(&random, result.size + 1) : result.size;
            strings[i].data = random_bytes(&random, strings[i].size);
        }
        first = malloc(result.size);
        memcpy(first, strings[0].data, result.size);
        result.data = in_place ? strings[0].data : malloc(result.size);
        bitfield_combine(op, strings, count, result, &memory);
        for (size_t bit = 0; bit < result.size * 8; bit++) {
            bool of_first = ones_of(first, (int64_t)bit, (int64_t)bit);
            unsigned ones = of_first;

            for (unsigned i = 1; i < count; i++)
                if (bit < strings[i].size * 8)
                    ones += (unsigned)ones_of(strings[i].data, (int64_t)bit, (int64_t)bit);
            expect(ones_of(result.data, (int64_t)bit, (int64_t)bit) ==
                       expected_bit(op, ones, count, of_first),
                   "operation %d, bit %zu", op, bit);
        }
        for (unsigned i = 0; i < count; i++)
            free((void *)strings[i].data);
        if (!in_place)
            free((void *)result.data);
        free(first);
    }
    conclude("strings of many words and blocks");
}

/* Long operations ask now and then whether to go on. */
static void
test_polls(void)
{
    SketchBytes strings[2] = {{calloc(1, 16 << 20), 16 << 20}, {calloc(1, 1 << 20), 1 << 20}};

    for (int op = BITFIELD_AND; op <= BITFIELD_ONE; op++) {
        memory_polls = 0;
        bitfield_combine((BitfieldOp)op, strings, op == BITFIELD_NOT ? 1 : 2, strings[0], &memory);
        expect(memory_polls >= 4, "operation %d: %d times", op, (int)memory_polls);
    }
    free((void *)strings[0].data);
    free((void *)strings[1].data);
    conclude("long operations ask whether to go on");
}

static BitfieldWord
word(const char *text)
{
    return (BitfieldWord){text, strlen(text)};
}

static void
test_words(void)
{
    static const char *const no_types[] = {"",
                                           "i",
                                           "u",
                                           "i0",
                                           "u0",
                                           "u64",
                                           "i65",
                                           "i-1",
                                           "I8",
                                           "u 8",
                                           "u8 ",
                                           "x8",
                                           "i999999999999999999999"};
    BitfieldType type;
    BitfieldOverflow overflow;
    BitfieldOp op;
    int64_t number;

    for (unsigned i = 0; i < sizeof no_types / sizeof *no_types; i++)
        expect(!bitfield_read_type(word(no_types[i]), &type), "%s", no_types[i]);
    expect(bitfield_read_type(word("i64"), &type) && type.is_signed && type.bits == 64, "i64");
    expect(bitfield_read_type(word("u63"), &type) && !type.is_signed && type.bits == 63, "u63");
    expect(bitfield_read_overflow(word("SaT"), &overflow) && overflow == BITFIELD_SATURATE, "SaT");
    expect(!bitfield_read_overflow(word("sa"), &overflow), "sa");
    expect(!bitfield_read_overflow(word("satu"), &overflow), "satu");
    expect(bitfield_read_op(word("AndOr"), &op) && op == BITFIELD_ANDOR, "AndOr");
    expect(!bitfield_read_op(word("nand"), &op) && !bitfield_read_op(word(""), &op), "nand");
    expect(bitfield_read_offset(word("#3"), type, &number) && number == 189, "#3 of u63");
    expect(bitfield_read_offset(word("17"), type, &number) && number == 17, "17");
    expect(!bitfield_read_offset(word("#"), type, &number), "#");
    expect(!bitfield_read_offset(word("##1"), type, &number), "##1");
    expect(!bitfield_read_offset(word("#9223372036854775807"), type, &number), "too many");
    expect(bitfield_read_integer(word("-9223372036854775808"), &number) && number == INT64_MIN,
           "least");
    expect(!bitfield_read_integer(word("9223372036854775808"), &number), "too large");
    expect(!bitfield_read_integer(word("-"), &number) &&
               !bitfield_read_integer(word("1x"), &number),
           "no number");
    expect(bitfield_fits((BitfieldType){.bits = 8}, BITFIELD_BITS_MAX - 8), "the last byte");
    expect(!bitfield_fits((BitfieldType){.bits = 8}, BITFIELD_BITS_MAX - 7), "beyond it");
    expect(!bitfield_fits((BitfieldType){.bits = 8}, -1), "before the first");
    conclude("words");
}

static void
test_commands(void)
{
    static const char text[] = " INCRBY u4 2 1\tOVERFLOW SAT get u4 #1 OVERFLOW x";
    BitfieldCommands commands = bitfield_commands(text, strlen(text));
    BitfieldCommand c;

    expect(bitfield_next_command(&commands, &c) && c.verb == BITFIELD_INCRBY && c.type.bits == 4 &&
               c.offset == 2 && c.value == 1 && c.overflow == BITFIELD_WRAP,
           "the first");
    expect(bitfield_next_command(&commands, &c) && c.verb == BITFIELD_GET && c.offset == 4 &&
               c.overflow == BITFIELD_SATURATE,
           "the second");
    expect(!bitfield_next_command(&commands, &c) && commands.reason && commands.wrong.length == 1 &&
               *commands.wrong.text == 'x',
           "the word that is wrong");
    commands = bitfield_commands("SET i8 0", 8);
    expect(!bitfield_next_command(&commands, &c) && commands.reason && commands.wrong.length == 0,
           "a word that is missing");
    commands = bitfield_commands("GET u8 3999999993", 17);
    expect(!bitfield_next_command(&commands, &c) && commands.reason && commands.wrong.length == 10,
           "an offset too far");
    commands = bitfield_commands("  ", 2);
    expect(!bitfield_next_command(&commands, &c) && !commands.reason, "no commands");
    conclude("commands");
}

/* Names of operations and of overflows, in any case, and words that begin or end like one. */
static void
test_names(void)
{
    static const char *const ops[] = {"and", "or", "xor", "not", "diff", "diff1", "andor", "one"};
    static const BitfieldOp op_of[] = {BITFIELD_AND,  BITFIELD_OR,    BITFIELD_XOR,   BITFIELD_NOT,
                                       BITFIELD_DIFF, BITFIELD_DIFF1, BITFIELD_ANDOR, BITFIELD_ONE};
    static const char *const overflows[] = {"wrap", "sat", "fail"};
    static const BitfieldOverflow overflow_of[] = {BITFIELD_WRAP, BITFIELD_SATURATE, BITFIELD_FAIL};
    static const char *const others[] = {"",     "a",    "an",    "anf",  "andd", "wra", "wrapp",
                                         "wxyz", "axyz", "diff2", "fair", "sat ", " or", "on"};
    BitfieldOverflow overflow;
    BitfieldOp op;

    for (unsigned i = 0; i < 8; i++) {
        char upper[8] = {0};

        for (unsigned c = 0; ops[i][c]; c++)
            upper[c] = (char)(ops[i][c] >= 'a' ? ops[i][c] - 'a' + 'A' : ops[i][c]);
        expect(bitfield_read_op(word(ops[i]), &op) && op == op_of[i], "%s", ops[i]);
        expect(bitfield_read_op(word(upper), &op) && op == op_of[i], "%s", upper);
    }
    for (unsigned i = 0; i < 3; i++)
        expect(bitfield_read_overflow(word(overflows[i]), &overflow) && overflow == overflow_of[i],
               "%s", overflows[i]);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        expect(!bitfield_read_op(word(others[i]), &op), "no operation: %s", others[i]);
        expect(!bitfield_read_overflow(word(others[i]), &overflow), "no overflow: %s", others[i]);
    }
    conclude("names of operations and overflows");
}

int
main(void)
{
    test_integers();
    test_end();
    test_ranges();
    test_indexes();
    test_operations();
    test_long();
    test_words();
    test_commands();
    test_polls();
    test_names();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
