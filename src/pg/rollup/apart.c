/*
 * apart.c - a query as people write it, taken apart: what is kept of it, and what is shown.
 *
 * Each aggregate of SELECT and HAVING becomes a part, a column of what is stored, once, however
 * often it is written; averages and deviations, which do not merge, become sums and counts that
 * do. What stands above is computed by the view when it is read, as by the query as it is written:
 * so it may depend on settings and on the time, and need not be kept. Where all columns are groups
 * and parts, and there is no HAVING, nothing is left to compute.
 */
#include "pg/rollup/rollup.h"

#include "access/sysattr.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/formatting.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

/* Whether a unit is a day or longer: an hour that comes twice, in autumn, is in one of them. */
static bool
is_long(Node *unit)
{
    static const char units[] =
        " day days week weeks month months quarter year years decade decades "
        "century centuries millennium millennia ";
    const Const *constant = (Const *)unit;
    char *name;

    if (!IsA(unit, Const) || constant->constisnull)
        return false;
    name = TextDatumGetCString(constant->constvalue);
    return strstr(units, psprintf(" %s ", asc_tolower(name, strlen(name)))) != NULL;
}

/*
 * date_trunc('day', at, zone), which PostgreSQL calls stable, as
 * date_trunc('day', at AT TIME ZONE zone) AT TIME ZONE zone: the same, and immutable.
 */
static Node *
truncate_in_zone(Node *node, void *context)
{
    FuncExpr *call;
    Expr *zone, *local;

    if (node == NULL)
        return NULL;
    node = expression_tree_mutator(node, truncate_in_zone, context);
    call = (FuncExpr *)node;
    if (!IsA(node, FuncExpr) || call->funcid != F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT ||
        !is_long(linitial(call->args)))
        return node;
    zone = lthird(call->args);
    local = (Expr *)makeFuncExpr(F_TIMEZONE_TEXT_TIMESTAMPTZ, TIMESTAMPOID,
                                 list_make2(zone, lsecond(call->args)), InvalidOid,
                                 call->inputcollid, COERCE_SQL_SYNTAX);
    local = (Expr *)makeFuncExpr(F_DATE_TRUNC_TEXT_TIMESTAMP, TIMESTAMPOID,
                                 list_make2(linitial(call->args), local), InvalidOid,
                                 call->inputcollid, COERCE_EXPLICIT_CALL);
    return (Node *)makeFuncExpr(F_TIMEZONE_TEXT_TIMESTAMP, TIMESTAMPTZOID,
                                list_make2(copyObject(zone), local), InvalidOid, call->inputcollid,
                                COERCE_SQL_SYNTAX);
}

/* ---- parts ---- */

typedef struct Apart {
    List *parts;   /* TargetEntries of groups and aggregates; junk, as long as they have no name */
    List *labels;  /* what they are called after their column; NULL: they are that column */
    List *visible; /* those of the query as it is written */
    List *known;   /* those of a rollup that is there */
    List *readers; /* of each of those, the names of columns that are computed of it */
    List *shown;   /* of a level: what the view below shows of its parts, which known ones read */
    const char *column; /* that is shown */
    const List *tables;
    Oid sketches;
    ParseState *parse;
} Apart;

/* What becomes of an aggregate: it is kept, or computed from what is. */
typedef enum Kind { KEPT, AVERAGE, VARIANCE, DEVIATION } Kind;

static Kind
kind_of(const Expr *expression)
{
    const Aggref *aggregate = (const Aggref *)expression;
    const char *name;

    if (get_func_namespace(aggregate->aggfnoid) != PG_CATALOG_NAMESPACE || aggregate->aggdistinct ||
        aggregate->aggorder)
        return KEPT;
    name = get_func_name(aggregate->aggfnoid);
    return strcmp(name, "avg") == 0          ? AVERAGE
           : strncmp(name, "var", 3) == 0    ? VARIANCE
           : strncmp(name, "stddev", 6) == 0 ? DEVIATION
                                             : KEPT;
}

static bool
is_kept(const TargetEntry *target)
{
    return target->ressortgroupref || (IsA(target->expr, Aggref) && kind_of(target->expr) == KEPT);
}

static const TargetEntry *
find_name(const List *targets, const char *name)
{
    ListCell *cell;

    foreach (cell, targets) {
        const TargetEntry *target = lfirst(cell);

        if (!target->resjunk && strcmp(target->resname, name) == 0)
            return target;
    }
    return NULL;
}

/* Whether a column that is stored could have another expression. */
static bool
can_become(const TargetEntry *known, const char *name, Node *expression)
{
    Node *was = (Node *)known->expr;

    return strcmp(known->resname, name) == 0 && exprType(was) == exprType(expression) &&
           exprTypmod(was) == exprTypmod(expression) &&
           exprCollation(was) == exprCollation(expression);
}

/* Whether a column is computed of a part that is stored, and not only called like it. */
static bool
is_read_by(const Apart *apart, int known, const char *column)
{
    return apart->readers &&
           list_member(list_nth(apart->readers, known), makeString(pstrdup(column)));
}

/* The name of a part of a rollup that is there, by its column or, NULL, its expression; or NULL. */
static char *
known_name(const Apart *apart, const TargetEntry *part, const char *label)
{
    char *name = label ? makeObjectName(part->resname, NULL, label) : NULL;
    Node *expression =
        apart->shown ? rollup_put_columns((Node *)part->expr, 1, apart->shown) : (Node *)part->expr;
    ListCell *cell;

    foreach (cell, apart->known) {
        TargetEntry *known = lfirst(cell);

        if ((name ? can_become(known, name, expression) &&
                        is_read_by(apart, foreach_current_index(cell), part->resname)
                  : rollup_means_same((Node *)known->expr, expression)) &&
            !find_name(apart->parts, known->resname))
            return known->resname;
    }
    return NULL;
}

static char *
new_name(const Apart *apart, const char *column, const char *label)
{
    for (int number = 1;; number++) {
        char *name =
            makeObjectName(column, NULL, number > 1 ? psprintf("%s_%d", label, number) : label);

        if (!find_name(apart->parts, name) && !find_name(apart->visible, name) &&
            !find_name(apart->known, name))
            return name;
    }
}

/*
 * A part is called after the column for which it is kept. One of a rollup that is there keeps its
 * name, so that what is stored of it stays: first if its column does, whatever it computes now.
 */
static void
name_parts(Apart *apart)
{
    enum { BY_COLUMN, BY_EXPRESSION, NEW };
    ListCell *cell, *label;

    for (int way = BY_COLUMN; way <= NEW; way++)
        forboth(cell, apart->parts, label, apart->labels)
        {
            TargetEntry *part = lfirst(cell);
            char *name = !part->resjunk ? NULL
                         : way == NEW
                             ? new_name(apart, part->resname, lfirst(label))
                             : known_name(apart, part, way == BY_COLUMN ? lfirst(label) : NULL);

            if (name) {
                part->resname = name;
                part->resjunk = false;
            }
        }
}

/* The column of a part, which is added if it is not there. */
static Node *
part_of(Apart *apart, Expr *expression, const char *label)
{
    TargetEntry *part = tlist_member(expression, apart->parts);

    if (part == NULL) {
        part = makeTargetEntry(expression, list_length(apart->parts) + 1, pstrdup(apart->column),
                               true);
        apart->parts = lappend(apart->parts, part);
        apart->labels = lappend(apart->labels, (char *)label);
    }
    return (Node *)makeVarFromTargetEntry(1, part);
}

/* What its part is called: a sketch by its type, which says what can be asked of it. */
static const char *
label_of(const Aggref *aggregate)
{
    char *name;

    if (get_func_namespace(aggregate->aggfnoid) == PG_CATALOG_NAMESPACE ||
        getBaseType(aggregate->aggtype) < FirstNormalObjectId)
        return get_func_name(aggregate->aggfnoid);
    rollup_describe_type(aggregate->aggtype, &name, NULL, NULL);
    return name;
}

static Node *
cast(Node *node, Oid type)
{
    /* Of a domain, as PostgreSQL reads x::type. */
    if (IsA(node, RelabelType) && exprType(node) != type)
        node = (Node *)((RelabelType *)node)->arg;
    return exprType(node) == type
               ? node
               : coerce_to_target_type(NULL, node, exprType(node), type, -1, COERCION_EXPLICIT,
                                       COERCE_EXPLICIT_CAST, -1);
}

static Node *
compute(const Apart *apart, const char *operator, Node * left, Node *right)
{
    return (Node *)make_op(apart->parse,
                           list_make2(makeString("pg_catalog"), makeString(pstrdup(operator))),
                           left, right, NULL, -1);
}

static Node *
call(Oid schema, const char *name, List *arguments)
{
    Oid types[FUNC_MAX_ARGS], function;
    ListCell *cell;

    foreach (cell, arguments)
        types[foreach_current_index(cell)] = exprType(lfirst(cell));
    function = LookupFuncName(
        list_make2(makeString(get_namespace_name(schema)), makeString(pstrdup(name))),
        list_length(arguments), types, false);
    return (Node *)makeFuncExpr(function, get_func_rettype(function), arguments, InvalidOid,
                                InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The part that is another aggregate of the same rows. */
static Node *
aggregate_of(Apart *apart, Aggref *rows, Oid schema, const char *name, Node *value,
             const char *label)
{
    Aggref *aggregate = copyObject(rows);
    Oid type = exprType(value);

    aggregate->aggfnoid = strcmp(name, "count") == 0
                              ? F_COUNT_ANY
                              : LookupFuncName(list_make2(makeString(get_namespace_name(schema)),
                                                          makeString(pstrdup(name))),
                                               1, &type, false);
    aggregate->aggtype = get_func_rettype(aggregate->aggfnoid);
    aggregate->aggargtypes = list_make1_oid(type);
    aggregate->args = list_make1(makeTargetEntry((Expr *)value, 1, NULL, false));
    return part_of(apart, (Expr *)aggregate, label);
}

/*
 * An aggregate, over parts. Of exact numbers, with the digits of PostgreSQL; variances of floating
 * point by PostgreSQL's own state, which merges without cancellation, as sums of squares do not.
 */
static Node *
show_aggregate(Apart *apart, Aggref *aggregate)
{
    Kind kind = kind_of((Expr *)aggregate);
    bool is_sample = strstr(get_func_name(aggregate->aggfnoid), "_pop") == NULL;
    Node *given, *value, *count, *sum, *number;
    Oid type;

    if (kind == KEPT)
        return part_of(apart, (Expr *)aggregate, label_of(aggregate));
    given = (Node *)linitial_node(TargetEntry, aggregate->args)->expr;
    value = exprType(given) == FLOAT4OID ? cast(given, FLOAT8OID) : given;
    type = exprType(value);
    if (kind != AVERAGE && type == FLOAT8OID)
        return call(PG_CATALOG_NAMESPACE,
                    psprintf("float8_%s_%s", kind == VARIANCE ? "var" : "stddev",
                             is_sample ? "samp" : "pop"),
                    list_make1(aggregate_of(apart, aggregate, apart->sketches, "_rollup_moments",
                                            value, "moments")));
    sum = aggregate_of(apart, aggregate, PG_CATALOG_NAMESPACE, "sum", value, "sum");
    count = aggregate_of(apart, aggregate, PG_CATALOG_NAMESPACE, "count", given, "count");
    if (kind == AVERAGE) {
        bool is_exact = type != FLOAT8OID && type != INTERVALOID;

        return compute(apart, "/", is_exact ? cast(sum, NUMERICOID) : sum,
                       cast(count, is_exact ? NUMERICOID : FLOAT8OID));
    }
    number = cast(value, NUMERICOID);
    return call(apart->sketches, kind == VARIANCE ? "_rollup_variance" : "_rollup_stddev",
                list_make4(count, cast(sum, NUMERICOID),
                           aggregate_of(apart, aggregate, PG_CATALOG_NAMESPACE, "sum",
                                        compute(apart, "*", number, copyObject(number)), "squares"),
                           makeBoolConst(is_sample, false)));
}

/* An expression of the query, over groups and parts. */
static Node *
show(Node *node, void *context)
{
    Apart *apart = context;
    TargetEntry *part = node ? tlist_member((Expr *)node, apart->parts) : NULL;

    if (node == NULL)
        return NULL;
    if (part)
        return (Node *)makeVarFromTargetEntry(1, part);
    if (IsA(node, Aggref))
        return show_aggregate(apart, (Aggref *)node);
    if (IsA(node, GroupingFunc))
        rollup_refuse("GROUPING: it is always 0");
    if (IsA(node, Var)) {
        AttrNumber number = ((Var *)node)->varattno;

        if (number <= 0)
            rollup_refuse("system columns or whole rows: name the columns");
        rollup_refuse(psprintf(
            "%s, neither a group nor in an aggregate: add it to GROUP BY",
            quote_identifier(strVal(list_nth(
                rt_fetch(((Var *)node)->varno, apart->tables)->eref->colnames, number - 1)))));
    }
    return expression_tree_mutator(node, show, context);
}

static void
refuse_volatile(Node *expression, const char *column)
{
    if (contain_volatile_functions(expression))
        rollup_refuse(psprintf("%s, which calls a volatile function: call it when you read it, or "
                               "declare it STABLE if that is what it is",
                               column));
}

static bool
reads(Node *expression, int source, int number)
{
    Bitmapset *read = NULL;

    pull_varattnos(expression, source, &read);
    return bms_is_member(number - FirstLowInvalidHeapAttributeNumber, read);
}

List *
rollup_readers_of(List *targets, Node *having, int source, int count)
{
    List *readers = NIL;
    ListCell *cell;

    for (int number = 1; number <= count; number++) {
        List *names = NIL;

        foreach (cell, targets) {
            TargetEntry *target = lfirst(cell);

            if (reads((Node *)target->expr, source, number))
                names = lappend(names, makeString(target->resname));
        }
        if (reads(having, source, number))
            names = lappend(names, makeString("having"));
        readers = lappend(readers, names);
    }
    return readers;
}

/* ---- what is shown, as text ---- */

/* Expressions over the columns of one relation, which is not there yet. */
List *
rollup_context_of(const List *names)
{
    PlannedStmt *statement = makeNode(PlannedStmt);
    RangeTblEntry *entry = makeNode(RangeTblEntry);

    entry->rtekind = RTE_VALUES;
    entry->eref = makeAlias("parts", (List *)names);
    statement->rtable = list_make1(entry);
    return deparse_context_for_plan_tree(statement, list_make1("parts"));
}

static void
write_shown(RollupApart *result, const Apart *apart, const List *shown, Node *having)
{
    List *names = NIL, *context;
    int settings = rollup_pin_settings();
    StringInfoData text;
    ListCell *cell;

    foreach (cell, apart->parts)
        names = lappend(names, makeString(lfirst_node(TargetEntry, cell)->resname));
    context = rollup_context_of(names);

    /* Constants of type timestamptz are text, and the same for all who read it. */
    (void)set_config_option("timezone", "UTC", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
                            false);
    initStringInfo(&text);
    foreach (cell, shown) {
        TargetEntry *target = lfirst(cell);
        const char *name = quote_identifier(target->resname);
        const char *expression = deparse_expression((Node *)target->expr, context, false, true);
        RollupColumn *column = palloc0(sizeof *column);

        *column = (RollupColumn){.name = name,
                                 .expression = expression,
                                 .described = rollup_describe((Node *)target->expr)};
        result->columns = lappend(result->columns, column);
        appendStringInfo(&text, "%s%s", text.len ? ",\n       " : "", expression);
        if (strcmp(name, expression) != 0)
            appendStringInfo(&text, " AS %s", name);
    }
    result->shown = text.data;
    if (having)
        result->having = deparse_expression(having, context, false, true);
    rollup_read_shown_again(apart->parts, shown, having, result);
    AtEOXact_GUC(true, settings);
}

RollupApart
rollup_take_apart(Query *query, List *known, List *readers, Oid shown, Oid sketches)
{
    RollupApart result = {.query = query};
    Apart apart = {
        .known = known, .readers = readers, .sketches = sketches, .parse = make_parsestate(NULL)};
    bool is_plain = query->havingQual == NULL;
    List *columns = NIL;
    Node *having;
    ListCell *cell;

    rollup_check_clauses(query, false);
    rollup_pull_up(query);
    query->targetList = (List *)truncate_in_zone((Node *)query->targetList, NULL);
    query->havingQual = truncate_in_zone(query->havingQual, NULL);
    query->jointree = (FromExpr *)truncate_in_zone((Node *)query->jointree, NULL);
    apart.tables = query->rtable;
    if (OidIsValid(shown) && linitial_node(RangeTblEntry, query->rtable)->relid == shown)
        apart.shown = rollup_targets_of(shown);
    apart.visible = query->targetList;
    foreach (cell, apart.visible) {
        TargetEntry *target = lfirst(cell);

        if (target->resjunk)
            rollup_refuse(psprintf("group %s that is no column: add it to SELECT",
                                   rollup_written((Node *)target->expr, query)));
        if (find_name(apart.visible, target->resname) != target)
            rollup_refuse(psprintf("two columns called %s: name one of them by AS",
                                   quote_identifier(target->resname)));
        if (is_kept(target)) {
            TargetEntry *part = flatCopyTargetEntry(target);

            part->resno = list_length(apart.parts) + 1;
            apart.parts = lappend(apart.parts, part);
            apart.labels = lappend(apart.labels, NULL);
        } else
            is_plain = false;
    }
    if (is_plain)
        return result;
    foreach (cell, apart.visible) {
        TargetEntry *target = lfirst(cell), *is_part = NULL;
        Node *expression;

        apart.column = target->resname;
        /* By its name: another one may be of the same expression. */
        if (is_kept(target))
            is_part = (TargetEntry *)find_name(apart.parts, target->resname);
        expression = is_part ? (Node *)makeVarFromTargetEntry(1, is_part)
                             : show((Node *)target->expr, &apart);
        refuse_volatile(expression, target->resname);
        if (get_typtype(exprType(expression)) == TYPTYPE_PSEUDO)
            rollup_refuse(psprintf("column %s of type %s: cast it to a type that tables have",
                                   quote_identifier(target->resname),
                                   format_type_be(exprType(expression))));
        columns = lappend(
            columns, makeTargetEntry((Expr *)expression, target->resno, target->resname, false));
    }
    apart.column = "having";
    having = show(query->havingQual, &apart);
    refuse_volatile(having, "HAVING");
    name_parts(&apart);
    query->targetList = apart.parts;
    query->havingQual = NULL;
    write_shown(&result, &apart, columns, having);
    result.readers = rollup_readers_of(columns, having, 1, list_length(apart.parts));
    return result;
}
