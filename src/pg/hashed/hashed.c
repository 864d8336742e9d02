/*
 * hashed.c - the type `hashed`: a 64-bit hash of a value of any type.
 *
 * SQL objects served: _hashed_in, _hashed_out, hashed_from_hex, hashed_from_bytea, and the
 * functions hashed(T) behind the implicit casts. All are STRICT. Send and receive are those of
 * bigint.
 *
 * One signature f(sketch, hashed) takes a column of any type below, and costs one cheap call. Its
 * argument is a concrete type, which planners need that send aggregates to other servers. An item
 * is what it prints as (core/common/item.h), if a type has one such form. The hash is XXH3-64, with
 * a seed for each kind of item, of
 *
 *   integer      8 bytes: smallint, integer, bigint, oid; an integral numeric, double precision or
 *                real within bigint; the canonical form of one as text
 *   uuid         16 bytes: uuid; its canonical form as text
 *   text         UTF-8, whatever the encoding of the database is: text, varchar, name; char(n)
 *                without trailing blanks; the label of an enum, which no cast hashes; other numbers
 *                as their decimal digits without trailing zeros, double precision and real as the
 *                shortest digits of the double; inet and cidr as inet prints; macaddr, macaddr8
 *   bytea        the bytes
 *   boolean      one byte, 0 or 1
 *   date         days since 2000-01-01, 8 bytes
 *   time, timestamp, timestamptz
 *                microseconds, 8 bytes; timetz: and 4 bytes of zone
 *   interval     whole days and microseconds of the rest, 8 bytes each, with 30 days to the month,
 *                as its equality has it
 *   jsonb        its tokens in order, numbers like numeric, strings and the order of keys as UTF-8
 *
 * all little-endian; time, timestamp, timestamptz and timetz are four kinds. Values of one type
 * that are equal in SQL have equal hashes, and so have equal integral numbers of different types,
 * if they are within bigint. Texts that are equal only by a collation or as citext print
 * differently, and have different hashes.
 */
#include "pg/shared/items.h"

#include <sys/socket.h>

#include "common/shortest_dec.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/inet.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "core/common/item.h"

static inline Datum
hash_datum(uint64 hash)
{
    return Int64GetDatum((int64)hash);
}

/* ---- hashes as they are ---- */

/*
 * 16 hexadecimal digits: a form that hardly any text has, except numbers of 16 digits. Other text
 * that was cast to hashed by its input function instead of being hashed, as an explicit cast of
 * citext is, is refused. Raises, or returns 0 if `context` collects errors.
 */
static uint64
read_hex(const char *text, Node *context)
{
    size_t digits = strspn(text, "0123456789abcdefABCDEF");

    if (digits != 16 || text[digits] != '\0')
        sketches_ereturn(context, 0,
                         (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                          errmsg("invalid input syntax for type hashed: \"%s\"", text),
                          errdetail("A hash is written as 16 hexadecimal digits."),
                          errhint("To hash a text, cast it to text first.")));
    return strtoull(text, NULL, 16);
}

SQL_FUNCTION(sketches_hashed_in, hash_datum(read_hex(PG_GETARG_CSTRING(0), fcinfo->context)));
SQL_FUNCTION(sketches_hashed_from_hex,
             hash_datum(read_hex(text_to_cstring(PG_GETARG_TEXT_PP(0)), NULL)));

/* The binary form, which is that of bigint. */
PG_FUNCTION_INFO_V1(sketches_hashed_from_bytea);
Datum
sketches_hashed_from_bytea(PG_FUNCTION_ARGS)
{
    const bytea *value = PG_GETARG_BYTEA_PP(0);
    uint64 hash;

    if (VARSIZE_ANY_EXHDR(value) != sizeof hash)
        ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                        errmsg("invalid bytea for type hashed"),
                        errdetail("Found %zu bytes; a hash has 8.", VARSIZE_ANY_EXHDR(value)),
                        errhint("To hash a bytea, pass it to hashed().")));
    memcpy(&hash, VARDATA_ANY(value), sizeof hash);
    return hash_datum(pg_ntoh64(hash));
}

SQL_FUNCTION(sketches_hashed_out,
             CStringGetDatum(psprintf("%016llx", (unsigned long long)PG_GETARG_INT64(0))));

/* ---- hashes of values ---- */

SQL_FUNCTION(sketches_hashed_int2, hash_datum(item_hash_integer(PG_GETARG_INT16(0))));
SQL_FUNCTION(sketches_hashed_int4, hash_datum(item_hash_integer(PG_GETARG_INT32(0))));
SQL_FUNCTION(sketches_hashed_int8, hash_datum(item_hash_integer(PG_GETARG_INT64(0))));
SQL_FUNCTION(sketches_hashed_oid, hash_datum(item_hash_integer((int64)PG_GETARG_OID(0))));

PG_FUNCTION_INFO_V1(sketches_hashed_bool);
Datum
sketches_hashed_bool(PG_FUNCTION_ARGS)
{
    uint8 byte = PG_GETARG_BOOL(0) ? 1 : 0;

    return hash_datum(hash_seeded(&byte, 1, ITEM_SEED_BOOLEAN));
}

/* text and varchar */
SQL_FUNCTION(sketches_hashed_text, hash_datum(sketch_item_hash_arg(fcinfo, 0, ITEM_TEXT)));
SQL_FUNCTION(sketches_hashed_bytea, hash_datum(sketch_item_hash_arg(fcinfo, 0, ITEM_BYTEA)));

PG_FUNCTION_INFO_V1(sketches_hashed_bpchar);
Datum
sketches_hashed_bpchar(PG_FUNCTION_ARGS)
{
    const BpChar *value = PG_GETARG_BPCHAR_PP(0);
    SketchBytes text = sketch_inline_bytes(value);

    while (text.size > 0 && text.data[text.size - 1] == ' ')
        if (--text.size % POLLED_PIECE == 0)
            CHECK_FOR_INTERRUPTS();
    return hash_datum(sketch_hash_text(text));
}

PG_FUNCTION_INFO_V1(sketches_hashed_name);
Datum
sketches_hashed_name(PG_FUNCTION_ARGS)
{
    const char *name = NameStr(*PG_GETARG_NAME(0));

    return hash_datum(sketch_hash_text((SketchBytes){(const uint8 *)name, strlen(name)}));
}

PG_FUNCTION_INFO_V1(sketches_hashed_enum);
Datum
sketches_hashed_enum(PG_FUNCTION_ARGS)
{
    return hash_datum(sketch_item_hash_arg(fcinfo, 0, ITEM_ENUM));
}

static uint64
double_hash(double value)
{
    char shortest[DOUBLE_SHORTEST_DECIMAL_LEN], plain[ITEM_PLAIN_MAX];
    int64 integer;

    if (item_is_integer(value, &integer))
        return item_hash_integer(integer);
    return hash_bytes(
        plain, item_write_plain(shortest, double_to_shortest_decimal_bufn(value, shortest), plain));
}

SQL_FUNCTION(sketches_hashed_float4, hash_datum(double_hash(PG_GETARG_FLOAT4(0))));
SQL_FUNCTION(sketches_hashed_float8, hash_datum(double_hash(PG_GETARG_FLOAT8(0))));

/* The digits are canonical: no zero at the end behind the point, and no point at the end. */
static uint64
numeric_hash(Numeric value)
{
    char *digits = numeric_normalize(value);
    uint64 hash = item_hash_text(digits, strlen(digits));

    pfree(digits);
    return hash;
}

SQL_FUNCTION(sketches_hashed_numeric, hash_datum(numeric_hash(PG_GETARG_NUMERIC(0))));
SQL_FUNCTION(sketches_hashed_date,
             hash_datum(hash_int64_seeded(PG_GETARG_DATEADT(0), ITEM_SEED_DATE)));
SQL_FUNCTION(sketches_hashed_time,
             hash_datum(hash_int64_seeded(PG_GETARG_TIMEADT(0), ITEM_SEED_TIME)));
SQL_FUNCTION(sketches_hashed_timestamp,
             hash_datum(hash_int64_seeded(PG_GETARG_TIMESTAMP(0), ITEM_SEED_TIMESTAMP)));
SQL_FUNCTION(sketches_hashed_timestamptz,
             hash_datum(hash_int64_seeded(PG_GETARG_TIMESTAMPTZ(0), ITEM_SEED_TIMESTAMPTZ)));

PG_FUNCTION_INFO_V1(sketches_hashed_timetz);
Datum
sketches_hashed_timetz(PG_FUNCTION_ARGS)
{
    const TimeTzADT *value = PG_GETARG_TIMETZADT_P(0);
    uint8 bytes[12];

    write_le32(write_le64(bytes, (uint64)value->time), (uint32)value->zone);
    return hash_datum(hash_seeded(bytes, sizeof bytes, ITEM_SEED_TIMETZ));
}

PG_FUNCTION_INFO_V1(sketches_hashed_interval);
Datum
sketches_hashed_interval(PG_FUNCTION_ARGS)
{
    const Interval *value = PG_GETARG_INTERVAL_P(0);
    int64 days = (int64)value->month * DAYS_PER_MONTH + value->day;
    int64 rest = value->time % USECS_PER_DAY;
    uint8 bytes[16];

    days += value->time / USECS_PER_DAY;
    if (rest < 0) {
        rest += USECS_PER_DAY;
        days--;
    }
    write_le64(write_le64(bytes, (uint64)days), (uint64)rest);
    return hash_datum(hash_seeded(bytes, sizeof bytes, ITEM_SEED_INTERVAL));
}

SQL_FUNCTION(sketches_hashed_uuid, hash_datum(item_hash_uuid(PG_GETARG_UUID_P(0)->data)));

/* Texts need not be searched for addresses: an address is hashed as its text. */

static uint64
macaddr_hash(const void *address, size_t size)
{
    char text[ITEM_MACADDR_MAX];

    return hash_bytes(text, item_write_macaddr(address, size, text));
}

SQL_FUNCTION(sketches_hashed_macaddr,
             hash_datum(macaddr_hash(PG_GETARG_MACADDR_P(0), sizeof(macaddr))));
SQL_FUNCTION(sketches_hashed_macaddr8,
             hash_datum(macaddr_hash(PG_GETARG_MACADDR8_P(0), sizeof(macaddr8))));

PG_FUNCTION_INFO_V1(sketches_hashed_inet);
Datum
sketches_hashed_inet(PG_FUNCTION_ARGS)
{
    inet *value = PG_GETARG_INET_PP(0);
    char text[ITEM_INET_MAX];
    size_t size = item_write_inet(ip_addr(value), ip_addrsize(value), ip_bits(value), text);

    return hash_datum(hash_bytes(text, size));
}

/* A token of jsonb: what it is, and eight bytes about its content, which are 0 if it has none. */
static void
hash_json_token(XXH3_state_t *state, uint8 kind, uint64 content)
{
    uint8 bytes[1 + sizeof content];

    write_le64(write_u8(bytes, kind), content);
    XXH3_64bits_update(state, bytes, sizeof bytes);
}

static void
hash_json_string(XXH3_state_t *state, SketchBytes utf8)
{
    hash_json_token(state, 's', utf8.size);
    XXH3_64bits_update(state, utf8.data, utf8.size);
}

static SketchBytes
json_string(const JsonbValue *value)
{
    return (SketchBytes){(const uint8 *)value->val.string.val, (size_t)value->val.string.len};
}

static void
hash_json_scalar(XXH3_state_t *state, const JsonbValue *value)
{
    SketchBytes text, utf8;

    switch (value->type) {
    case jbvNull:
        hash_json_token(state, 'n', 0);
        break;
    case jbvBool:
        hash_json_token(state, 'b', value->val.boolean ? 1 : 0);
        break;
    case jbvNumeric:
        hash_json_token(state, 'd', numeric_hash(value->val.numeric));
        break;
    case jbvString:
        text = json_string(value);
        utf8 = sketch_utf8(text);
        hash_json_string(state, utf8);
        sketch_free_utf8(utf8, text);
        break;
    default:
        elog(ERROR, "unexpected jsonb scalar of type %d", (int)value->type);
    }
}

/*
 * In a database of another encoding than UTF-8 the keys of an object have another order: that of
 * their lengths and bytes. Members are put into the order that they have in UTF-8.
 */
typedef struct JsonMember {
    SketchBytes key;
    JsonbValue value;
} JsonMember;

static int
compare_members(const void *a, const void *b)
{
    SketchBytes x = ((const JsonMember *)a)->key, y = ((const JsonMember *)b)->key;

    if (x.size != y.size)
        return x.size < y.size ? -1 : 1;
    return memcmp(x.data, y.data, x.size);
}

static void hash_json_converted(XXH3_state_t *state, JsonbContainer *container);

static void
hash_json_value(XXH3_state_t *state, const JsonbValue *value)
{
    if (value->type == jbvBinary)
        hash_json_converted(state, value->val.binary.data);
    else
        hash_json_scalar(state, value);
}

static void
hash_json_converted(XXH3_state_t *state, JsonbContainer *container)
{
    JsonbIterator *iterator = JsonbIteratorInit(container);
    JsonMember *members;
    JsonbIteratorToken token;
    JsonbValue value;
    int count = 0;

    check_stack_depth();
    if (JsonbIteratorNext(&iterator, &value, true) == WJB_BEGIN_ARRAY) {
        hash_json_token(state, value.val.array.rawScalar ? '.' : '[', 0);
        while (JsonbIteratorNext(&iterator, &value, true) == WJB_ELEM) {
            CHECK_FOR_INTERRUPTS();
            hash_json_value(state, &value);
        }
        hash_json_token(state, ']', 0);
        return;
    }
    members = sketch_memory.scratch(Max(value.val.object.nPairs, 1) * sizeof64(*members),
                                    sketch_memory.context);
    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_END_OBJECT) {
        CHECK_FOR_INTERRUPTS();
        if (token == WJB_KEY)
            members[count].key = sketch_utf8(json_string(&value));
        else
            members[count++].value = value;
    }
    qsort(members, count, sizeof *members, compare_members);
    hash_json_token(state, '{', 0);
    for (int i = 0; i < count; i++) {
        CHECK_FOR_INTERRUPTS();
        hash_json_string(state, members[i].key);
        hash_json_value(state, &members[i].value);
    }
    hash_json_token(state, '}', 0);
    pfree(members);
}

/* Objects keep their keys sorted and unique, so equal documents have equal tokens. */
PG_FUNCTION_INFO_V1(sketches_hashed_jsonb);
Datum
sketches_hashed_jsonb(PG_FUNCTION_ARGS)
{
    Jsonb *document = PG_GETARG_JSONB_P(0);
    JsonbIterator *iterator = JsonbIteratorInit(&document->root);
    XXH3_state_t state;
    JsonbIteratorToken token;
    JsonbValue value;

    /* XXH3 makes its secret only if the seed is not the one before, so that has to be set. */
    state.seed = 0;
    XXH3_64bits_reset_withSeed(&state, ITEM_SEED_JSONB);
    if (!sketch_texts_are_utf8()) {
        hash_json_converted(&state, &document->root);
        return hash_datum(XXH3_64bits_digest(&state));
    }
    while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE) {
        CHECK_FOR_INTERRUPTS();
        switch (token) {
        case WJB_KEY:
        case WJB_VALUE:
        case WJB_ELEM:
            hash_json_scalar(&state, &value);
            break;
        case WJB_BEGIN_ARRAY:
            hash_json_token(&state, value.val.array.rawScalar ? '.' : '[', 0);
            break;
        case WJB_END_ARRAY:
            hash_json_token(&state, ']', 0);
            break;
        case WJB_BEGIN_OBJECT:
            hash_json_token(&state, '{', 0);
            break;
        default: /* WJB_END_OBJECT */
            hash_json_token(&state, '}', 0);
        }
    }
    return hash_datum(XXH3_64bits_digest(&state));
}
