/*
 * algebra.c - set algebra of roaring and roaring64.
 *
 * SQL objects served, each for both types: the operators | & # - and their functions;
 * roaring_bitop; roaring_not. Union takes NULL for an empty set; the others are STRICT.
 */
#include "roaring_pg.h"

#include "utils/builtins.h"

SQL_FUNCTION(sketches_roaring_and,
             roaring_changed(fcinfo, ROARING_AND, sketch_packed_arg(fcinfo, 1)));
SQL_FUNCTION(sketches_roaring_or,
             PG_ARGISNULL(0) || PG_ARGISNULL(1)
                 ? sketch_one_of_two(fcinfo)
                 : roaring_changed(fcinfo, ROARING_OR, sketch_packed_arg(fcinfo, 1)));
SQL_FUNCTION(sketches_roaring_xor,
             roaring_changed(fcinfo, ROARING_XOR, sketch_packed_arg(fcinfo, 1)));
SQL_FUNCTION(sketches_roaring_minus,
             roaring_changed(fcinfo, ROARING_ANDNOT, sketch_packed_arg(fcinfo, 1)));

/* roaring_not(roaring, last): the values 0 .. last that are not in the set. */
PG_FUNCTION_INFO_V1(sketches_roaring_not);
Datum
sketches_roaring_not(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    SketchKind kind = roaring_kind(value);
    uint64 last = roaring_check_value(kind, PG_GETARG_INT64(1));
    SketchBytes all;
    SketchError error;

    if (!roaring_from_range(kind, 0, last, &sketch_memory, &all, &error))
        sketch_raise(&error, psprintf("range of %s is too long", sketch_ops((uint8_t)kind)->name));
    return sketch_datum(roaring_op(ROARING_ANDNOT, all, value).data);
}

typedef enum Bitop {
    BITOP_AND,
    BITOP_OR,
    BITOP_XOR,
    BITOP_ANDOR,
    BITOP_ONE,
    BITOP_DIFF,
    BITOP_DIFF1
} Bitop;

static Bitop
check_bitop(const text *name)
{
    static const char *const names[] = {"and", "or", "xor", "andor", "one", "diff", "diff1"};
    char *given = text_to_cstring(name);

    for (unsigned i = 0; i < lengthof(names); i++)
        if (pg_strcasecmp(given, names[i]) == 0)
            return (Bitop)i;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown operation \"%s\"", given),
             errdetail("Must be and, or, xor, andor, one, diff or diff1.")));
}

/*
 * roaring_bitop(op, VARIADIC roaring[]), as BITOP: andor, diff and diff1 combine the first set with
 * the union of the others; one returns the values that are in exactly one set. `twice` holds those
 * in two or more. A NULL set is empty, as a missing key is for BITOP.
 */
PG_FUNCTION_INFO_V1(sketches_roaring_bitop);
Datum
sketches_roaring_bitop(PG_FUNCTION_ARGS)
{
    Bitop op = check_bitop(PG_GETARG_TEXT_PP(0));
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
    const int given = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    SketchElements elements = sketch_elements(array);
    SketchBytes first = {NULL, 0}, rest = {NULL, 0}, twice = {NULL, 0};
    Datum element;
    int found = 0;

    while (sketch_next_element(&elements, &element)) {
        SketchBytes next = sketch_pack(sketch_value(element));

        if (found++ == 0) {
            rest = twice = roaring_empty_set(roaring_kind(next));
            first = elements.at == 0 ? next : rest;
            if (elements.at == 0)
                continue;
        }
        if (op == BITOP_AND) {
            first = roaring_op(ROARING_AND, first, next);
        } else if (op == BITOP_OR) {
            first = roaring_op(ROARING_OR, first, next);
        } else if (op == BITOP_XOR) {
            first = roaring_op(ROARING_XOR, first, next);
        } else if (op == BITOP_ONE) {
            twice = roaring_op(ROARING_OR, twice, roaring_op(ROARING_AND, first, next));
            first = roaring_op(ROARING_ANDNOT, roaring_op(ROARING_OR, first, next), twice);
        } else {
            rest = roaring_op(ROARING_OR, rest, next);
        }
    }
    if (found == 0)
        PG_RETURN_NULL();
    if (op == BITOP_AND && found < given)
        first = rest;
    else if (op == BITOP_ANDOR)
        first = roaring_op(ROARING_AND, first, rest);
    else if (op == BITOP_DIFF)
        first = roaring_op(ROARING_ANDNOT, first, rest);
    else if (op == BITOP_DIFF1)
        first = roaring_op(ROARING_ANDNOT, rest, first);
    return sketch_packed_datum(first);
}
