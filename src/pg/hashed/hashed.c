/*
 * hashed.c - the type `hashed`: a 64-bit hash of a value of any type.
 *
 * SQL objects served: _hashed_in, _hashed_out, and the functions hashed(T) behind the implicit
 * casts. All are STRICT. Send and receive are those of bigint.
 *
 * One signature f(sketch, hashed) takes a column of any type below, and costs one cheap call. Its
 * argument is a concrete type, which planners need that send aggregates to other servers. An item
 * is what it prints as (core/common/item.h), if a type has one such form that is cheap to find. The
 * hash is XXH3-64 of
 *
 *   smallint, integer, bigint, oid   the value as 8 bytes, little-endian
 *   numeric                          like the text of its decimal digits without trailing zeros
 *   double precision, real           integral and within bigint: like that bigint; otherwise the 8
 *                                    bytes of the double, every NaN as one
 *   text, varchar, name              the canonical form of a bigint or uuid: like that value;
 *                                    otherwise the bytes. char(n) without trailing blanks
 *   bytea, uuid, macaddr, macaddr8   the bytes
 *   boolean                          one byte, 0 or 1
 *   date                             days since 2000-01-01, 8 bytes
 *   time, timestamp, timestamptz     microseconds, 8 bytes; timetz: and 4 bytes of zone
 *   interval                         whole days and microseconds of the rest, 8 bytes each, with
 *                                    30 days to the month, as its equality has it
 *   inet, cidr                       an IPv4 address alone: like its text; otherwise family (4 or
 *                                    6), prefix length, address bytes
 *   jsonb                            its tokens in order, numbers like numeric
 *
 * all little-endian. Values of one type that are equal in SQL have equal hashes, and so have equal
 * integral numbers of different types, if they are within bigint. Texts that are equal only by a
 * collation or as citext print differently, and have different hashes.
 */
#include "pg/shared/items.h"

#include <sys/socket.h>

#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/date.h"
#include "utils/inet.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "core/common/item.h"

#define PG_RETURN_HASH(hash) PG_RETURN_INT64((int64)(hash))

/*
 * 16 hexadecimal digits: a form that hardly any text has, except numbers of 16 digits. Other text
 * that was cast to hashed by its input function instead of being hashed, as an explicit cast of
 * citext is, is refused.
 */
PG_FUNCTION_INFO_V1(sketches_hashed_in);
Datum
sketches_hashed_in(PG_FUNCTION_ARGS)
{
    const char *text = PG_GETARG_CSTRING(0);
    size_t digits = strspn(text, "0123456789abcdefABCDEF");

    if (digits != 16 || text[digits] != '\0')
        sketches_ereturn(fcinfo->context, (Datum)0,
                         (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                          errmsg("invalid input syntax for type hashed: \"%s\"", text),
                          errdetail("A hash is written as 16 hexadecimal digits."),
                          errhint("To hash a text, cast it to text first.")));
    PG_RETURN_HASH(strtoull(text, NULL, 16));
}

PG_FUNCTION_INFO_V1(sketches_hashed_out);
Datum
sketches_hashed_out(PG_FUNCTION_ARGS)
{
    PG_RETURN_CSTRING(psprintf("%016llx", (unsigned long long)PG_GETARG_INT64(0)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_int2);
Datum
sketches_hashed_int2(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_int64(PG_GETARG_INT16(0)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_int4);
Datum
sketches_hashed_int4(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_int64(PG_GETARG_INT32(0)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_int8);
Datum
sketches_hashed_int8(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_int64(PG_GETARG_INT64(0)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_oid);
Datum
sketches_hashed_oid(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_int64((int64)PG_GETARG_OID(0)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_bool);
Datum
sketches_hashed_bool(PG_FUNCTION_ARGS)
{
    uint8 byte = PG_GETARG_BOOL(0) ? 1 : 0;

    PG_RETURN_HASH(hash_bytes(&byte, 1));
}

/* text and varchar */
PG_FUNCTION_INFO_V1(sketches_hashed_text);
Datum
sketches_hashed_text(PG_FUNCTION_ARGS)
{
    const text *value = PG_GETARG_TEXT_PP(0);

    PG_RETURN_HASH(sketch_hash_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_bytea);
Datum
sketches_hashed_bytea(PG_FUNCTION_ARGS)
{
    const bytea *value = PG_GETARG_BYTEA_PP(0);

    PG_RETURN_HASH(sketch_hash_bytes(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_bpchar);
Datum
sketches_hashed_bpchar(PG_FUNCTION_ARGS)
{
    const BpChar *value = PG_GETARG_BPCHAR_PP(0);
    const char *data = VARDATA_ANY(value);
    Size size = VARSIZE_ANY_EXHDR(value);

    while (size > 0 && data[size - 1] == ' ')
        if (--size % POLLED_PIECE == 0)
            CHECK_FOR_INTERRUPTS();
    PG_RETURN_HASH(sketch_hash_text(data, size));
}

PG_FUNCTION_INFO_V1(sketches_hashed_name);
Datum
sketches_hashed_name(PG_FUNCTION_ARGS)
{
    const char *name = NameStr(*PG_GETARG_NAME(0));

    PG_RETURN_HASH(item_hash_text(name, strlen(name)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_float4);
Datum
sketches_hashed_float4(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(item_hash_double(PG_GETARG_FLOAT4(0)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_float8);
Datum
sketches_hashed_float8(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(item_hash_double(PG_GETARG_FLOAT8(0)));
}

/* The digits are canonical: no zero at the end behind the point, and no point at the end. */
static uint64
hash_numeric(Numeric value)
{
    char *digits = numeric_normalize(value);
    uint64 hash = item_hash_text(digits, strlen(digits));

    pfree(digits);
    return hash;
}

PG_FUNCTION_INFO_V1(sketches_hashed_numeric);
Datum
sketches_hashed_numeric(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_numeric(PG_GETARG_NUMERIC(0)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_date);
Datum
sketches_hashed_date(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_int64(PG_GETARG_DATEADT(0)));
}

/* time, timestamp and timestamptz are 64-bit microseconds */
PG_FUNCTION_INFO_V1(sketches_hashed_microseconds);
Datum
sketches_hashed_microseconds(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_int64(PG_GETARG_INT64(0)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_timetz);
Datum
sketches_hashed_timetz(PG_FUNCTION_ARGS)
{
    const TimeTzADT *value = PG_GETARG_TIMETZADT_P(0);
    uint8 bytes[12];

    store_le64(bytes, (uint64)value->time);
    store_le32(bytes + 8, (uint32)value->zone);
    PG_RETURN_HASH(hash_bytes(bytes, sizeof bytes));
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
    store_le64(bytes, (uint64)days);
    store_le64(bytes + 8, (uint64)rest);
    PG_RETURN_HASH(hash_bytes(bytes, sizeof bytes));
}

PG_FUNCTION_INFO_V1(sketches_hashed_uuid);
Datum
sketches_hashed_uuid(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_bytes(PG_GETARG_UUID_P(0)->data, UUID_LEN));
}

PG_FUNCTION_INFO_V1(sketches_hashed_macaddr);
Datum
sketches_hashed_macaddr(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_bytes(PG_GETARG_MACADDR_P(0), sizeof(macaddr)));
}

PG_FUNCTION_INFO_V1(sketches_hashed_macaddr8);
Datum
sketches_hashed_macaddr8(PG_FUNCTION_ARGS)
{
    PG_RETURN_HASH(hash_bytes(PG_GETARG_MACADDR8_P(0), sizeof(macaddr8)));
}

/* An IPv4 address alone is its text; so no text has to be looked at for addresses. */
PG_FUNCTION_INFO_V1(sketches_hashed_inet);
Datum
sketches_hashed_inet(PG_FUNCTION_ARGS)
{
    inet *value = PG_GETARG_INET_PP(0);
    uint8 bytes[2 + 16];
    int size = ip_addrsize(value);

    if (ip_family(value) == PGSQL_AF_INET && ip_bits(value) == 32) {
        char text[ITEM_IPV4_MAX];

        PG_RETURN_HASH(hash_bytes(text, item_write_ipv4(ip_addr(value), text)));
    }
    bytes[0] = ip_family(value) == PGSQL_AF_INET ? 4 : 6;
    bytes[1] = ip_bits(value);
    memcpy(bytes + 2, ip_addr(value), size);
    PG_RETURN_HASH(hash_bytes(bytes, 2 + size));
}

/* A token of jsonb: what it is, and eight bytes about its content, which are 0 if it has none. */
static void
hash_json_token(XXH3_state_t *state, uint8 kind, uint64 content)
{
    uint8 bytes[9] = {kind};

    store_le64(bytes + 1, content);
    XXH3_64bits_update(state, bytes, sizeof bytes);
}

static void
hash_json_scalar(XXH3_state_t *state, const JsonbValue *value)
{
    switch (value->type) {
    case jbvNull:
        hash_json_token(state, 'n', 0);
        break;
    case jbvBool:
        hash_json_token(state, 'b', value->val.boolean ? 1 : 0);
        break;
    case jbvNumeric:
        hash_json_token(state, 'd', hash_numeric(value->val.numeric));
        break;
    case jbvString:
        hash_json_token(state, 's', (uint64)value->val.string.len);
        XXH3_64bits_update(state, value->val.string.val, (size_t)value->val.string.len);
        break;
    default:
        elog(ERROR, "unexpected jsonb scalar of type %d", (int)value->type);
    }
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

    XXH3_64bits_reset(&state);
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
    PG_RETURN_HASH(XXH3_64bits_digest(&state));
}
