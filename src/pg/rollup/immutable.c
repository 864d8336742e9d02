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
#include "nodes/plannodes.h"
#include "parser/parse_coerce.h"
#include "optimizer/optimizer.h"
#include "pgtime.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/ruleutils.h"

static bool
takes_record(Oid function)
{
    Oid *arguments;
    int count;

    (void)get_func_signature(function, &arguments, &count);
    return count == 1 && arguments[0] == RECORDOID;
}

/* Those of extensions, by name: they make text of a record or of numbers, or a record of text. */
static bool
is_contributed(Oid function)
{
    const char *name = get_func_name(function);

    return function >= FirstNormalObjectId &&
           (strcmp(name, "cube_out") == 0 || strcmp(name, "populate_record") == 0 ||
            (strcmp(name, "hstore") == 0 && takes_record(function)));
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

/* A text below an expression that could be a zone and is an abbreviation, or no name of a zone. */
static bool
has_abbreviation(Node *node, void *found)
{
    Const *constant = (Const *)node;
    Oid output;
    bool is_varlena;

    if (node == NULL || !IsA(node, Const))
        return node && expression_tree_walker(node, has_abbreviation, found);
    if (constant->constisnull || constant->constbyval)
        return false;
    if (constant->consttype == TEXTARRAYOID) {
        Datum *zones;
        bool *nulls;
        int count;

        deconstruct_array(DatumGetArrayTypeP(constant->constvalue), TEXTOID, -1, false,
                          TYPALIGN_INT, &zones, &nulls, &count);
        for (int i = 0; i < count; i++)
            if (!nulls[i] && is_abbreviation(*(char **)found = TextDatumGetCString(zones[i])))
                return true;
        return false;
    }
    getTypeOutputInfo(constant->consttype, &output, &is_varlena);
    *(char **)found = OidOutputFunctionCall(output, constant->constvalue);
    /* A zone may be a part of something else, such as JSON. */
    return TypeCategory(constant->consttype) != TYPCATEGORY_STRING ||
           is_abbreviation(*(char **)found);
}

/* Of timezone(), which is AT TIME ZONE, date_add() and date_subtract(), the zone is the text. */
static bool
has_mutable_zone(const FuncExpr *call, char **zone)
{
    static const char takers[] = " timezone date_add date_subtract ";
    ListCell *cell;

    if (get_func_namespace(call->funcid) != PG_CATALOG_NAMESPACE ||
        strstr(takers, psprintf(" %s ", get_func_name(call->funcid))) == NULL)
        return false;
    foreach (cell, call->args)
        if (exprType(lfirst(cell)) == TEXTOID &&
            ((!rollup_calls_users(lfirst(cell)) &&
              has_abbreviation(eval_const_expressions(NULL, lfirst(cell)), zone)) ||
             has_abbreviation(lfirst(cell), zone)))
            return true;
    return false;
}

typedef struct Mutable {
    Node *node;
    Oid function; /* or InvalidOid */
} Mutable;

/* Whether JSON has values of a type as its output function writes them, by settings. */
static bool
is_written_by_settings(Oid type, Oid *function)
{
    Oid base = getBaseType(type);
    bool is_varlena;

    getTypeOutputInfo(base, function, &is_varlena);
    return base == TIMESTAMPTZOID || base >= FirstNormalObjectId ||
           OidIsValid(get_element_type(base)) || type_is_rowtype(base) ||
           (base != DATEOID && base != TIMESTAMPOID && is_mutable(*function, function));
}

/* SQL/JSON, whose nodes PostgreSQL does not say the functions of. */
static bool
is_mutable_json(const Node *node, Oid *function)
{
    Oid read = sketches_json_read(node), parameter;
    ListCell *cell;

    foreach (cell, sketches_json_written(node))
        if (is_written_by_settings(exprType(lfirst(cell)), function))
            return true;
    if (!OidIsValid(read))
        return false;
    getTypeInputInfo(getBaseType(read), function, &parameter);
    return is_mutable(*function, function);
}

/* A path that reads times by a template, whose zones may be abbreviations; or that nobody knows. */
static bool
has_mutable_path(const List *arguments)
{
    ListCell *cell;

    foreach (cell, arguments) {
        const Const *path = lfirst(cell);

        if (exprType((Node *)path) == JSONPATHOID &&
            (!IsA(path, Const) ||
             (!path->constisnull &&
              strstr(DatumGetCString(DirectFunctionCall1(jsonpath_out, path->constvalue)),
                     ".datetime(\""))))
            return true;
    }
    return false;
}

/*
 * to_char() of a date, taken as a timestamptz: of another type, it would not be immutable either.
 */
static bool
is_text_of_date(Node *node, Node *argument)
{
    return IsA(node, FuncExpr) && list_member_ptr(((FuncExpr *)node)->args, argument) &&
           IsA(argument, FuncExpr) && ((FuncExpr *)argument)->funcformat == COERCE_IMPLICIT_CAST &&
           strcmp(get_func_name(((FuncExpr *)node)->funcid), "to_char") == 0;
}

/* The innermost expression that is not immutable: not what computes with it. */
static bool
find_mutable(Node *node, void *context)
{
    Mutable *found = context;
    Oid function;
    List *arguments;
    char *zone;

    if (node == NULL)
        return false;
    if (expression_tree_walker(node, find_mutable, context)) {
        if ((is_text_of_date(node, found->node) &&
             check_functions_in_node(node, is_mutable, &found->function)) ||
            (IsA(node, ArrayCoerceExpr) &&
             (Node *)((ArrayCoerceExpr *)node)->elemexpr == found->node))
            found->node = node;
        return true;
    }
    if (IsA(node, FuncExpr) && has_mutable_zone((FuncExpr *)node, &zone))
        ereport(ERROR, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                        errmsg("the query of a rollup depends on settings: which time zone %s is",
                               quote_literal_cstr(zone)),
                        errhint("Write its full name, as 'America/New_York'.")));
    found->node = node;
    return IsA(node, XmlExpr) || check_functions_in_node(node, is_mutable, &found->function) ||
           contain_mutable_functions(node) || is_mutable_json(node, &found->function) ||
           (rollup_is_call(node, &function, &arguments) && has_mutable_path(arguments));
}

static bool
is_time(Oid type)
{
    return type == DATEOID || type == TIMEOID || type == TIMETZOID || type == TIMESTAMPOID ||
           type == TIMESTAMPTZOID;
}

/* What to write instead, of an expression that calls a function. */
static const char *
way_out(Node *node, Oid function)
{
    const char *name = OidIsValid(function) ? psprintf(" %s ", get_func_name(function)) : "none";
    bool is_ours = OidIsValid(function) && function < FirstNormalObjectId;
    List *arguments = IsA(node, FuncExpr)      ? ((FuncExpr *)node)->args
                      : IsA(node, OpExpr)      ? ((OpExpr *)node)->args
                      : IsA(node, CoerceViaIO) ? list_make1(((CoerceViaIO *)node)->arg)
                                               : NIL;
    Oid type = exprType(node);
    Oid of = arguments ? getBaseType(exprType(linitial(arguments))) : InvalidOid;
    ListCell *cell;
    bool is_text = TypeCategory(type) == TYPCATEGORY_STRING;
    static const char now[] = " now transaction_timestamp statement_timestamp clock_timestamp "
                              "timeofday pg_postmaster_start_time ";
    static const char joined[] = " textanycat anytextcat concat concat_ws format ";

    if (OidIsValid(sketches_json_read(node)))
        of = TEXTOID;
    /* Of extract() and others, the time is not the first. */
    foreach (cell, arguments)
        if (!is_time(of) && is_time(exprType(lfirst(cell))))
            of = exprType(lfirst(cell));
    if (strstr(now, name) || (IsA(node, SQLValueFunction) && is_time(type)))
        return "Time goes on, and stored groups do not change with it. Compare with it when you "
               "read the rollup, as in WHERE hour > now() - interval '1 day'.";
    if (IsA(node, SQLValueFunction))
        return "Each session has its own. Leave it out.";
    if (OidIsValid(function) && !is_ours && func_volatile(function) != PROVOLATILE_IMMUTABLE)
        return "Declare the function IMMUTABLE, if it depends on nothing but its arguments.";
    if (OidIsValid(function) && func_volatile(function) == PROVOLATILE_VOLATILE)
        return "It returns another result each time. Keep what it returns in a column of the "
               "table.";
    if (strstr(joined, name) && !is_time(of))
        return "Write a || '/' || b::text, with ::text after what is no text.";
    if (function == F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT)
        return "A zone in date_trunc is for days and longer: there and back by it, both hours of "
               "an autumn night are one. Write date_bin('1 hour', at, '2000-01-01Z') or "
               "date_trunc('hour', at AT TIME ZONE 'UTC').";
    if (function == F_DATE_TRUNC_TEXT_TIMESTAMPTZ)
        return "Write date_bin('1 hour', at, '2000-01-01Z') or date_trunc('hour', at AT TIME ZONE "
               "'UTC'); for days and longer, name the zone: date_trunc('day', at, "
               "'Europe/Berlin').";
    if (is_time(type) && TypeCategory(of) == TYPCATEGORY_STRING)
        return "How text is read as a time depends on settings. Keep the time in a column, or read "
               "it by an IMMUTABLE function of your own.";
    if (type_is_enum(of) || type_is_enum(type))
        return "Labels of an enum can be renamed. Use the enum itself, or make text of it by CASE "
               "or by an IMMUTABLE function of your own.";
    if (is_text && (is_time(of) || of == INTERVALOID))
        return "How a time is written depends on settings. Group by the time itself, and write it "
               "as text when you read the rollup.";
    if (is_text && (of == FLOAT4OID || of == FLOAT8OID))
        return "How it is written depends on settings. Write round(x::numeric, 2)::text.";
    if (is_text && of == BYTEAOID)
        return "How it is written depends on settings. Write encode(b, 'hex').";
    if (is_text)
        return "How it is written depends on settings. Keep it as it is, and make text of it when "
               "you read the rollup.";
    if (type == TIMESTAMPTZOID && of == DATEOID)
        return "Write day::timestamp: a date becomes a timestamptz by the time zone of the "
               "session.";
    if (type == TIMESTAMPTZOID && of == TIMESTAMPOID)
        return "Say of which time zone it is: at AT TIME ZONE 'UTC'.";
    if (is_time(of) && type == BOOLOID)
        return "Compare times of one type: at AT TIME ZONE 'UTC' makes a timestamp of a "
               "timestamptz, and a timestamptz of a timestamp.";
    if (is_time(of))
        return "Say in which time zone: at AT TIME ZONE 'UTC' in place of at, or a zone such as "
               "'Europe/Berlin'.";
    return "Write it by immutable functions, or compute it when you read the rollup.";
}

/* An expression, as it would be written: of a conversion that nobody wrote, that conversion. */
const char *
rollup_written(Node *node, const Query *query)
{
    PlannedStmt *statement = makeNode(PlannedStmt);
    List *names = NIL;
    bool is_implicit =
        (IsA(node, FuncExpr) && ((FuncExpr *)node)->funcformat == COERCE_IMPLICIT_CAST) ||
        (IsA(node, CoerceViaIO) && ((CoerceViaIO *)node)->coerceformat == COERCE_IMPLICIT_CAST);
    char *text;
    ListCell *cell;

    statement->rtable = query->rtable;
    foreach (cell, query->rtable)
        names = lappend(names, lfirst_node(RangeTblEntry, cell)->eref->aliasname);
    text = deparse_expression(node, deparse_context_for_plan_tree(statement, names), false,
                              is_implicit);
    /* Around an operator, which stands alone. */
    return IsA(node, OpExpr) ? pnstrdup(text + 1, strlen(text) - 2) : text;
}

void
rollup_check_immutable(Node *expressions, const Query *query)
{
    Mutable found = {NULL, InvalidOid};
    bool ignored;

    if (!find_mutable(expressions, &found))
        return;
    /* Such as json_agg(), which would not merge either: that is the better reason. */
    if (IsA(found.node, Aggref))
        (void)rollup_merge((Aggref *)found.node, rollup_written(found.node, query), "x", NULL,
                           InvalidOid, &ignored);
    ereport(ERROR, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                    errmsg("the query of a rollup depends on the time or on settings: %s",
                           rollup_written(found.node, query)),
                    errdetail("Writers and readers must compute the same, whatever their "
                              "settings."),
                    errhint("%s", way_out(found.node, found.function))));
}
