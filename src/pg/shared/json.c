/*
 * json.c - a value as jsonb, and functions found by name.
 *
 * SQL objects served, one C function for every type T: T_to_json(T), an object of the type's name
 * and the columns of T_info. STRICT.
 */
#include "glue.h"

#include "catalog/pg_proc.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

Oid
sketch_function_beside(Oid called, const char *name, const Oid *types, int count)
{
    return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                           PointerGetDatum(buildoidvector(types, count)),
                           ObjectIdGetDatum(get_func_namespace(called)));
}

/* State between calls: T_info, and the beginning of the object. */
typedef struct JsonWriter {
    FmgrInfo info;
    char *head;
} JsonWriter;

static JsonWriter *
json_writer(FmgrInfo *called)
{
    MemoryContext caller;
    JsonWriter *writer;
    Oid *types, info;
    int count;
    char *name;

    if (called->fn_extra)
        return called->fn_extra;
    name =
        get_func_signature(called->fn_oid, &types, &count) ? get_func_name(called->fn_oid) : NULL;
    if (name == NULL || !strstr(name, "_to_json"))
        elog(ERROR, "a function T_to_json was expected");
    *strstr(name, "_to_json") = '\0';
    info = sketch_function_beside(called->fn_oid, psprintf("%s_info", name), types, 1);
    if (!OidIsValid(info))
        elog(ERROR, "function %s_info is missing", name);
    caller = MemoryContextSwitchTo(called->fn_mcxt);
    writer = palloc0(sizeof *writer);
    writer->head = psprintf("{\"type\":\"%s\",", name);
    fmgr_info(info, &writer->info);
    MemoryContextSwitchTo(caller);
    return called->fn_extra = writer;
}

PG_FUNCTION_INFO_V1(sketches_to_json);
Datum
sketches_to_json(PG_FUNCTION_ARGS)
{
    JsonWriter *writer = json_writer(fcinfo->flinfo);
    Datum row = FunctionCall1(&writer->info, PG_GETARG_DATUM(0));
    char *columns = TextDatumGetCString(DirectFunctionCall1(row_to_json, row));
    char *object = psprintf("%s%s", writer->head, columns + 1);

    PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(object)));
}
