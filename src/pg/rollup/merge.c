/*
 * merge.c - the aggregate that merges a column of a rollup.
 */
#include "pg/rollup/rollup.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

static bool
is_one_of(const char *name, const char *names)
{
    return strstr(names, psprintf(" %s ", name)) != NULL;
}

/* Why there is none, by the beginning of an aggregate's name, and what to write instead. */
static const char *
way_out(const char *name, const char *column, bool builtin)
{
    static const char of_pairs[] =
        "Keep regr_count(y, x), and of rows where neither is NULL sum(x), sum(y), sum(x * x), "
        "sum(y * y) and sum(x * y), from which it is computed.";
    static const char *const ways[][2] = {
        {"percentile", "Write tdigest_percentile(tdigest_agg(x), 0.95), which is approximate."},
        {"approx_percentiles", "Write tdigest_percentiles(tdigest_agg(x), ...)."},
        {"approx_percentile", "Write tdigest_percentile(tdigest_agg(x), 0.95)."},
        {"approx_median", "Write tdigest_percentile(tdigest_agg(x), 0.5)."},
        {"approx_count_distinct", "Write hll_cardinality(hll_agg(x))."},
        {"approx_top_", "Keep topk_agg(x), and list it when you read."},
        {"mode", "Keep topk_agg(x), and list it when you read."},
        {"corr", of_pairs},
        {"covar", of_pairs},
        {"regr", of_pairs},
    };
    static const char lists[] =
        " array_agg string_agg json_agg jsonb_agg json_object_agg jsonb_object_agg json_agg_strict "
        "jsonb_agg_strict json_arrayagg json_objectagg xmlagg ";
    const char *count = strstr(name, "_cardinality_agg"), *taken = strstr(name, "_percentile");
    int type = strcspn(name, "_");

    if (count)
        return psprintf("Write %.*s_cardinality(%.*s_agg(x)).", type, name, (int)(count - name),
                        name);
    if (taken && strstr(name, "_union_"))
        return psprintf("Write %.*s_percentile(%.*s_agg(x), 0.95).", type, name,
                        (int)(taken - name), name);
    for (size_t i = 0; i < lengthof(ways); i++)
        if (strncmp(name, ways[i][0], strlen(ways[i][0])) == 0)
            return ways[i][1];
    if (builtin && is_one_of(name, lists))
        return "Nothing merges lists, which have no bound. Read them from the rows; or keep "
               "topk_agg(x), the most frequent values, or roaring_agg(id), a set of integers.";
    if (builtin)
        return "Nothing merges its results. Compute it from the rows.";
    return psprintf("Name the aggregate that does: merge => '{\"%s\": \"schema.aggregate\"}'.",
                    column);
}

/* The aggregate of this name and argument, if it returns what it takes; or InvalidOid. */
static Oid
merging(List *name, Oid type)
{
    const Oid takes[] = {type, ANYELEMENTOID,
                         OidIsValid(get_element_type(type)) ? ANYARRAYOID : ANYNONARRAYOID,
                         type_is_range(type)        ? ANYRANGEOID
                         : type_is_multirange(type) ? ANYMULTIRANGEOID
                                                    : type};

    for (size_t i = 0; i < lengthof(takes); i++) {
        Oid function = LookupFuncName(name, 1, &takes[i], true);

        if (OidIsValid(function) && get_func_prokind(function) == PROKIND_AGGREGATE &&
            get_func_rettype(function) == takes[i])
            return function;
    }
    return InvalidOid;
}

/*
 * The expression that merges values of an aggregate in the column `name`, which is quoted; written:
 * the aggregate, for those who wrote it.
 */
const char *
rollup_merge(Aggref *aggregate, const char *written, const char *name, Jsonb *merge, Oid sketches,
             bool *is_exact)
{
    HeapTuple procedure = SearchSysCache1(PROCOID, ObjectIdGetDatum(aggregate->aggfnoid));
    HeapTuple detail = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate->aggfnoid));
    Form_pg_proc function = (Form_pg_proc)GETSTRUCT(procedure);
    Form_pg_aggregate how = (Form_pg_aggregate)GETSTRUCT(detail);
    Oid type = aggregate->aggtype;
    Oid result = function->prorettype;
    char *called = pstrdup(NameStr(function->proname));
    /* sketches_postgresql_hll has names of its own for what combines as our aggregates do. */
    Oid home = OidIsValid(how->aggcombinefn) ? get_func_namespace(how->aggcombinefn)
                                             : function->pronamespace;
    char *schema = get_namespace_name(function->pronamespace);
    char *type_name, *union_agg;
    char *column = strVal(linitial(sketches_name_list(name)));
    bool builtin = function->pronamespace == PG_CATALOG_NAMESPACE;
    const char *merged = NULL, *hint = NULL;
    JsonbValue *given = NULL, value;
    bool no_initial;

    rollup_describe_type(result, &type_name, NULL, NULL);
    union_agg =
        psprintf("%s_%s_agg", type_name, strcmp(type_name, "bitfield") == 0 ? "or" : "union");
    (void)SysCacheGetAttr(AGGFNOID, detail, Anum_pg_aggregate_agginitval, &no_initial);
    if (merge && JB_ROOT_IS_OBJECT(merge))
        given = getKeyJsonValueFromContainer(&merge->root, column, strlen(column), &value);
    if (given && given->type != jbvString)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("merge has no name of an aggregate for %s", name),
                        errhint("merge => '{\"%s\": \"schema.aggregate\"}'", column)));
    if (given) {
        Oid by;

        merged = pnstrdup(given->val.string.val, given->val.string.len);
        by = merging(sketches_name_list(merged), type);
        if (!OidIsValid(by))
            ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
                            errmsg("there is no aggregate %s(%s) that returns %s", merged,
                                   format_type_be(type), format_type_be(type)),
                            errhint("Name it with its schema.")));
        if (isAnyTempNamespace(get_func_namespace(by)))
            ereport(ERROR,
                    (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                     errmsg("a rollup cannot have temporary objects: aggregate pg_temp.%s(%s)",
                            quote_identifier(get_func_name(by)), format_type_be(type))));
        merged = NameListToQuotedString(sketches_name_list(merged));
    } else if (builtin && is_one_of(called, " count regr_count "))
        merged = "sum";
    else if (builtin &&
             is_one_of(called,
                       " sum min max bool_and bool_or every bit_and bit_or bit_xor any_value "
                       "range_intersect_agg "))
        merged = called;
    else if (function->pronamespace == sketches && strcmp(called, "_rollup_moments") == 0)
        merged = quote_qualified_identifier(schema, "_rollup_moments_union");
    else if (is_one_of(called, " bloom_agg cuckoo_agg ") && function->pronargs == 1)
        hint = psprintf(
            "Name the capacity of a group, such as %s(x, 100000): of unknown ones, a filter gets "
            "worse with each merge.",
            called);
    else if (function->pronargs > 0 && function->proargtypes.values[0] == result &&
             how->aggtranstype == result && how->aggtransfn == how->aggcombinefn && no_initial &&
             (!OidIsValid(how->aggfinalfn) ||
              (get_func_namespace(how->aggfinalfn) == function->pronamespace &&
               strcmp(get_func_name(how->aggfinalfn), psprintf("_%s_final", type_name)) == 0)))
        merged = quote_qualified_identifier(builtin ? NULL : schema, called);
    else if (OidIsValid(merging(
                 list_make2(makeString(get_namespace_name(home)), makeString(union_agg)), type)))
        merged = quote_qualified_identifier(get_namespace_name(home), union_agg);
    else
        hint = way_out(called, column, builtin);
    if (merged == NULL)
        ereport(ERROR,
                (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                 errmsg("a rollup cannot merge values of %s", written), errhint("%s", hint)));
    /* The others depend on the order in which they were merged. */
    *is_exact = builtin
                    ? strcmp(called, "any_value") != 0 && type != FLOAT4OID && type != FLOAT8OID
                    : home == sketches &&
                          is_one_of(type_name, " hll theta roaring roaring64 ddsketch bitfield ");
    ReleaseSysCache(procedure);
    ReleaseSysCache(detail);
    return psprintf("%s(%s)%s%s", merged, name, strcmp(merged, "sum") == 0 ? "::" : "",
                    strcmp(merged, "sum") == 0 ? format_type_be_qualified(type) : "");
}
