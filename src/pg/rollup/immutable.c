/*
 * immutable.c - what depends on the time or on settings, and is refused in the query of a rollup.
 *
 * PostgreSQL calls some functions immutable though a setting decides their result: output functions
 * of numbers, names of time zones, quotes.
 */
#include "pg/rollup/rollup.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "optimizer/optimizer.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

/* Those of extensions, by name: they make text of a record or of numbers. */
static bool
is_contributed(Oid function)
{
    const char *name = get_func_name(function);

    return function >= FirstNormalObjectId &&
           (strcmp(name, "cube_out") == 0 ||
            (strcmp(name, "hstore") == 0 && get_func_nargs(function) == 1));
}

/* Functions that PostgreSQL calls immutable, though a setting decides what they compute. */
static bool
is_mutable(Oid function, void *found)
{
    static const Oid by_settings[] = {F_FLOAT4OUT,  F_FLOAT8OUT,   F_BYTEAOUT,
                                      F_POINT_OUT,  F_LSEG_OUT,    F_PATH_OUT,
                                      F_BOX_OUT,    F_POLY_OUT,    F_LINE_OUT,
                                      F_CIRCLE_OUT, F_QUOTE_IDENT, F_AGE_TIMESTAMPTZ_TIMESTAMPTZ};
    bool mutable = func_volatile(function) != PROVOLATILE_IMMUTABLE || is_contributed(function);

    if (isAnyTempNamespace(get_func_namespace(function)))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a rollup cannot have temporary objects: function pg_temp.%s",
                               strchr(format_procedure(function), '.') + 1)));

    for (size_t i = 0; i < lengthof(by_settings); i++)
        mutable = mutable || function == by_settings[i];
    if (mutable)
        *(Oid *)found = function;
    return mutable;
}

/*
 * Whether a session decides which time zone this is: abbreviations are those of
 * timezone_abbreviations, and from 18 on those of TimeZone before.
 */
static bool
is_abbreviation(const char *zone)
{
    static const char *const always[] = {"UTC", "GMT", "UCT", "Z", "Zulu"};
    static const char *const both[] = {"EST", "MST", "HST", "CET", "EET", "MET", "WET"};

    if (zone[strspn(zone, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")] != '\0')
        return false;
    for (size_t i = 0; i < lengthof(always); i++)
        if (pg_strcasecmp(zone, always[i]) == 0)
            return false;
    for (size_t i = 0; i < lengthof(both); i++)
        if (pg_strcasecmp(zone, both[i]) == 0)
            return true;
    return pg_tzset(zone) == NULL;
}

/* A text below an expression that could be a zone and is an abbreviation. */
static bool
has_abbreviation(Node *node, void *context)
{
    Const *text = (Const *)node;
    Oid output;
    bool is_varlena;

    if (node == NULL || !IsA(node, Const))
        return node && expression_tree_walker(node, has_abbreviation, context);
    if (text->constisnull || TypeCategory(text->consttype) != TYPCATEGORY_STRING)
        return false;
    getTypeOutputInfo(text->consttype, &output, &is_varlena);
    return is_abbreviation(OidOutputFunctionCall(output, text->constvalue));
}

/* Of timezone(), which is AT TIME ZONE, date_add() and date_subtract(), the zone is the text. */
static bool
has_mutable_zone(const FuncExpr *call)
{
    static const char takers[] = " timezone date_add date_subtract ";
    ListCell *cell;

    if (get_func_namespace(call->funcid) != PG_CATALOG_NAMESPACE ||
        strstr(takers, psprintf(" %s ", get_func_name(call->funcid))) == NULL)
        return false;
    foreach (cell, call->args)
        if (exprType(lfirst(cell)) == TEXTOID &&
            (has_abbreviation(lfirst(cell), NULL) ||
             has_abbreviation(eval_const_expressions(NULL, lfirst(cell)), NULL)))
            return true;
    return false;
}

static bool
find_mutable(Node *node, void *found)
{
    if (node == NULL)
        return false;
    if (IsA(node, FuncExpr) && has_mutable_zone((FuncExpr *)node))
        ereport(ERROR, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                        errmsg("the query of a rollup depends on settings: what the abbreviation "
                               "of a time zone stands for"),
                        errhint("Write the zone's full name, as 'America/New_York'.")));
    if (IsA(node, XmlExpr) || check_functions_in_node(node, is_mutable, found))
        return true;
    return expression_tree_walker(node, find_mutable, found);
}

void
rollup_check_immutable(Node *expressions)
{
    Oid found = InvalidOid;

    if (find_mutable(expressions, &found) || contain_mutable_functions(expressions))
        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
             errmsg("the query of a rollup depends on the time or on settings: %s",
                    OidIsValid(found) ? format_procedure(found) : "CURRENT_TIMESTAMP or alike"),
             errdetail("Writers and readers must compute the same, whatever their settings."),
             errhint("Write it by immutable functions, as "
                     "date_trunc('hour', at AT TIME ZONE 'UTC'), or compute it when you read.")));
}
