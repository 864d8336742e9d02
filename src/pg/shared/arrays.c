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
    return (SketchElements){.iterator = array_create_iterator(array, 0, NULL), .at = -1};
}

bool
sketch_next_element(SketchElements *elements, Datum *element)
{
    bool is_null;

    do {
        CHECK_FOR_INTERRUPTS();
        if (!array_iterate(elements->iterator, element, &is_null))
            return false;
        elements->at++;
    } while (is_null);
    return true;
}

ArrayType *
sketch_new_array(int dimensions, const int *lengths, const int *lower_bounds, Oid type, Size bytes,
                 bool has_nulls)
{
    int count = ArrayGetNItems(dimensions, lengths);
    int begin =
        has_nulls ? ARR_OVERHEAD_WITHNULLS(dimensions, count) : ARR_OVERHEAD_NONULLS(dimensions);
    Size size = (Size)begin + bytes;
    ArrayType *array = palloc(size);

    memset(array, 0, (Size)begin);
    SET_VARSIZE(array, size);
    array->ndim = dimensions;
    array->dataoffset = has_nulls ? begin : 0;
    array->elemtype = type;
    memcpy(ARR_DIMS(array), lengths, (Size)dimensions * sizeof *lengths);
    memcpy(ARR_LBOUND(array), lower_bounds, (Size)dimensions * sizeof *lower_bounds);
    return array;
}

ArrayType *
sketch_array_of(const Datum *values, const bool *nulls, int dimensions, const int *lengths,
                const int *lower_bounds, Oid type)
{
    int count = ArrayGetNItems(dimensions, lengths);
    int16 width;
    bool by_value;
    int missing = 0;
    ArrayType *array;
    char *to;

    if (count == 0)
        return construct_empty_array(type);
    get_typlenbyval(type, &width, &by_value);
    for (int i = 0; i < count; i++) {
        if (i % 65536 == 0)
            CHECK_FOR_INTERRUPTS();
        missing += nulls[i];
    }
    array = sketch_new_array(dimensions, lengths, lower_bounds, type, (Size)count * (Size)width,
                             missing > 0);
    to = ARR_DATA_PTR(array);
    for (int i = 0; i < count; i++) {
        if (i % 65536 == 0)
            CHECK_FOR_INTERRUPTS();
        if (nulls[i])
            continue;
        if (missing > 0)
            ARR_NULLBITMAP(array)[i / 8] |= (uint8)(1 << i % 8);
        if (by_value)
            store_att_byval(to, values[i], width);
        else /* eight bytes, on a 32-bit server */
            memcpy(to, DatumGetPointer(values[i]), (Size)width);
        to += width;
    }
    /* Room for NULL elements stays unused. */
    SET_VARSIZE(array, to - (char *)array);
    return array;
}

Datum
sketch_answer_each(ArrayType *asked, Oid type, SketchAnswer answer, void *context)
{
    int count = ArrayGetNItems(ARR_NDIM(asked), ARR_DIMS(asked));
    ArrayIterator iterator = array_create_iterator(asked, 0, NULL);
    Datum *answers = palloc(Max(count, 1) * sizeof *answers);
    bool *nulls = palloc(Max(count, 1) * sizeof *nulls);
    Datum item;

    for (int i = 0; i < count && array_iterate(iterator, &item, &nulls[i]); i++) {
        CHECK_FOR_INTERRUPTS();
        if (!nulls[i])
            nulls[i] = !answer(context, item, &answers[i]);
    }
    return PointerGetDatum(
        sketch_array_of(answers, nulls, ARR_NDIM(asked), ARR_DIMS(asked), ARR_LBOUND(asked), type));
}
