/*
 * arrays.c - arrays of items: their elements, and answers in the shape of a question.
 */
#include "glue.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

SketchElements
sketch_elements(ArrayType *array)
{
    return (SketchElements){.iterator = array_create_iterator(array, 0, NULL)};
}

bool
sketch_next_element(SketchElements *elements, Datum *element)
{
    bool is_null;

    do {
        if (++elements->seen % 4096 == 0)
            CHECK_FOR_INTERRUPTS();
        if (!array_iterate(elements->iterator, element, &is_null))
            return false;
    } while (is_null);
    return true;
}

Datum
sketch_with_array(FunctionCallInfo fcinfo, PGFunction function)
{
    Size size = SizeForFunctionCallInfo(fcinfo->nargs);
    FunctionCallInfo call;
    Datum result;

    if (PG_ARGISNULL(1))
        return function(fcinfo);
    /* A copy, because the arguments of a call that are constant are set once and for all rows. */
    call = memcpy(palloc(size), fcinfo, size);
    call->args[1].value =
        OidInputFunctionCall(F_ARRAY_IN, text_to_cstring(PG_GETARG_TEXT_PP(1)), TEXTOID, -1);
    result = function(call);
    fcinfo->isnull = call->isnull;
    return result;
}

Datum
sketch_answer_each(ArrayType *asked, Oid type, SketchAnswer answer, void *context)
{
    int count = ArrayGetNItems(ARR_NDIM(asked), ARR_DIMS(asked));
    ArrayIterator iterator = array_create_iterator(asked, 0, NULL);
    Datum *answers = palloc(Max(count, 1) * sizeof *answers);
    bool *nulls = palloc(Max(count, 1) * sizeof *nulls);
    int16 length;
    bool by_value;
    char align;
    Datum item;

    for (int i = 0; i < count && array_iterate(iterator, &item, &nulls[i]); i++) {
        CHECK_FOR_INTERRUPTS();
        if (!nulls[i])
            nulls[i] = !answer(context, item, &answers[i]);
    }
    get_typlenbyvalalign(type, &length, &by_value, &align);
    return PointerGetDatum(construct_md_array(answers, nulls, ARR_NDIM(asked), ARR_DIMS(asked),
                                              ARR_LBOUND(asked), type, length, by_value, align));
}
