/*
 * query.c - the query of a rollup: what it reads, groups by and computes.
 *
 * SQL objects served, both STRICT:
 *   _rollup_query(query text, stored regclass) -> jsonb
 *       the parts of SELECT groups, aggregates FROM one table [WHERE ...] GROUP BY groups, as SQL
 *       that names all schemas; script.sql.in makes a rollup of them. Reads the query with the
 *       search_path of the caller. The stored groups of a rollup say which of them can be NULL,
 *       whatever became of the table's constraints; they are 0 before there are any.
 *   _rollup_begin_refresh(source regclass)
 *       refuses a refresh that could count rows twice, or does not see them all.
 *
 * Why a query is refused: stored groups are kept up to date by merging what a statement added, so
 * there is one table, each column is a group or an aggregate, and nothing comes after them. The
 * trigger of a writer, a refresh and the view of a reader compute the same expressions in sessions
 * with different settings, so all functions are immutable. Triggers see the stored columns of rows,
 * so there are no system columns, whole rows and virtual generated columns. Which aggregates merge
 * is decided in script.sql.in, by their names.
 */
#include "pg/shared/glue.h"

#include "access/nbtree.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/tablecmds.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/regproc.h"
#include "utils/rls.h"
#include "utils/ruleutils.h"

/* "a rollup cannot have ...": what and, after a colon, the way out. */
static void
refuse(const char *what)
{
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a rollup cannot have %s", what),
                    errhint("Its query is SELECT groups, aggregates FROM one table [WHERE ...] "
                            "GROUP BY groups.")));
}

static Query *
parse(const char *text)
{
    List *statements = pg_parse_query(text);
    RawStmt *statement = list_length(statements) == 1 ? linitial(statements) : NULL;
    Query *query;

    if (statement == NULL || !IsA(statement->stmt, SelectStmt))
        ereport(ERROR,
                (errcode(ERRCODE_SYNTAX_ERROR), errmsg("the query of a rollup is one SELECT")));
    query = sketches_parse_analyze(statement, text);
    if (query->commandType != CMD_SELECT || query->utilityStmt)
        refuse("SELECT INTO");
    sketches_inline_groups(query);
    return query;
}

static void
check_clauses(Query *query)
{
    const struct {
        bool found;
        const char *what;
    } refused[] = {
        {query->setOperations, "UNION, INTERSECT or EXCEPT: make a rollup of each part"},
        {query->cteList, "WITH: name the table in FROM"},
        {query->hasSubLinks, "subqueries: join the rollup to other tables when you read it"},
        {query->havingQual, "HAVING: filter the rollup when you read it"},
        {query->groupingSets, "GROUPING SETS, ROLLUP or CUBE: group it further when you read it"},
        {query->distinctClause, "SELECT DISTINCT: GROUP BY does the same"},
        {query->hasWindowFuncs, "window functions: use them when you read it"},
        {query->hasTargetSRFs, "functions that return sets: use them when you read it"},
        {query->limitCount || query->limitOffset, "LIMIT or OFFSET: limit what you read"},
        {query->sortClause, "ORDER BY: order what you read"},
        {query->rowMarks, "FOR UPDATE or FOR SHARE"},
        {!query->groupClause, "only one group: GROUP BY a period, such as date_trunc('hour', at)"},
    };

    for (size_t i = 0; i < lengthof(refused); i++)
        if (refused[i].found)
            refuse(refused[i].what);
}

static void
check_row_security(Oid table)
{
    if (check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("row-level security hides rows of table \"%s\" from its rollup",
                               get_rel_name(table)),
                        errhint("Let a role make it to which row-level security does not apply.")));
}

/* Refuses a table that a new rollup could not follow. Existing rollups are not checked for it. */
static void
check_new(Oid table)
{
    check_row_security(table);
    if (has_superclass(table))
        refuse("a partition or child table in FROM, whose triggers do not fire when its parent is "
               "written: name the parent");
}

/* The number of the one table in FROM, in the range table. */
static int
find_source(Query *query)
{
    List *from = query->jointree->fromlist;
    int number = list_length(from) == 1 && IsA(linitial(from), RangeTblRef)
                     ? linitial_node(RangeTblRef, from)->rtindex
                     : 0;
    RangeTblEntry *entry = number ? rt_fetch(number, query->rtable) : NULL;

    if (entry == NULL || entry->rtekind != RTE_RELATION || entry->tablesample ||
        (entry->relkind != RELKIND_RELATION &&
         (entry->relkind != RELKIND_PARTITIONED_TABLE || !entry->inh)))
        refuse("anything but one table in FROM: join the rollup to others when you read it");
    if (get_rel_persistence(entry->relid) == RELPERSISTENCE_TEMP)
        refuse("a temporary table");
    return number;
}

static bool
is_mutable(Oid function, void *found)
{
    if (func_volatile(function) == PROVOLATILE_IMMUTABLE)
        return false;
    *(Oid *)found = function;
    return true;
}

static bool
find_mutable(Node *node, void *found)
{
    if (node == NULL)
        return false;
    if (IsA(node, SQLValueFunction) || IsA(node, NextValueExpr) ||
        check_functions_in_node(node, is_mutable, found))
        return true;
    return expression_tree_walker(node, find_mutable, found);
}

static void
check_immutable(Query *query)
{
    Oid found = InvalidOid;

    if (find_mutable((Node *)query->targetList, &found) ||
        find_mutable(query->jointree->quals, &found))
        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
             errmsg("the query of a rollup depends on the time or on settings: %s",
                    OidIsValid(found) ? format_procedure(found) : "CURRENT_TIMESTAMP or alike"),
             errdetail("Writers and readers must compute the same, whatever their settings."),
             errhint("Write it by immutable functions, as "
                     "date_trunc('hour', at AT TIME ZONE 'UTC'), or compute it when you read.")));
}

/* Whether an expression is never NULL, as far as it is one that makes groups. */
static bool
never_null(Node *node, TupleDesc columns)
{
    static const char names[] =
        " date_trunc date_bin timezone date timestamp timestamptz int4 int8 ";
    ListCell *cell;

    switch (nodeTag(node)) {
    case T_Var:
        return sketches_never_null(columns, ((Var *)node)->varattno);
    case T_Const:
        return !((Const *)node)->constisnull;
    case T_RelabelType:
        return never_null((Node *)((RelabelType *)node)->arg, columns);
    case T_CoalesceExpr:
        return never_null(llast(((CoalesceExpr *)node)->args), columns);
    case T_FuncExpr:
        foreach (cell, ((FuncExpr *)node)->args)
            if (!never_null(lfirst(cell), columns))
                return false;
        return get_func_namespace(((FuncExpr *)node)->funcid) == PG_CATALOG_NAMESPACE &&
               strstr(names, psprintf(" %s ", get_func_name(((FuncExpr *)node)->funcid)));
    default:
        return false;
    }
}

/*
 * An expression that differs if values of a column do, or NULL. Numbers are equal to others: 0, -0;
 * 1.0, 1.00.
 */
static const char *
bits_of(Form_pg_attribute column)
{
    const char *name = quote_identifier(NameStr(column->attname));
    Oid type = column->atttypid, class = GetDefaultOpClass(type, BTREE_AM_OID), equal_image;

    if (type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID)
        return psprintf("%s(%s)",
                        type == FLOAT4OID   ? "float4send"
                        : type == FLOAT8OID ? "float8send"
                                            : "numeric_send",
                        name);
    if (!OidIsValid(class))
        return NULL;
    type = get_opclass_input_type(class);
    equal_image = get_opfamily_proc(get_opclass_family(class), type, type, BTEQUALIMAGE_PROC);
    return OidIsValid(equal_image) &&
                   DatumGetBool(OidFunctionCall1Coll(equal_image, column->attcollation,
                                                     ObjectIdGetDatum(type)))
               ? name
               : NULL;
}

/*
 * The columns that the query reads, as a list by which rows before and after an UPDATE are
 * compared; NULL if they cannot be.
 */
static char *
columns_read(Query *query, int source, TupleDesc columns)
{
    StringInfoData list;
    Bitmapset *read = NULL;
    bool comparable = true;

    initStringInfo(&list);
    pull_varattnos((Node *)query->targetList, source, &read);
    pull_varattnos(query->jointree->quals, source, &read);
    for (int member = -1; (member = bms_next_member(read, member)) >= 0;) {
        int number = member + FirstLowInvalidHeapAttributeNumber;
        Form_pg_attribute column = TupleDescAttr(columns, Max(number, 1) - 1);
        const char *bits;

        if (number <= 0)
            refuse("system columns or whole rows: name the columns");
        if (sketches_is_virtual(column))
            refuse("virtual generated columns: triggers do not see their values");
        bits = bits_of(column);
        comparable = comparable && bits;
        appendStringInfo(&list, "%s%s", list.len ? ", " : "", bits ? bits : "");
    }
    return !comparable ? NULL : list.len ? list.data : "0";
}

/* The settings by which expressions become text that means the same in all sessions. */
static int
set_portable(void)
{
    static const char *const settings[][2] = {{"search_path", "pg_catalog, pg_temp"},
                                              {"datestyle", "ISO"},
                                              {"intervalstyle", "postgres"},
                                              {"extra_float_digits", "1"}};
    int level = NewGUCNestLevel();

    for (size_t i = 0; i < lengthof(settings); i++)
        (void)set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION,
                                GUC_ACTION_SAVE, true, 0, false);
    return level;
}

static void
add_text(StringInfo json, const char *name, const char *value)
{
    appendStringInfo(json, "%s\"%s\": ", json->data[json->len - 1] == '{' ? "" : ", ", name);
    if (value)
        escape_json(json, value);
    else
        appendStringInfoString(json, "null");
}

/*
 * How values of a group are told apart, as GROUP BY does: NULL is a value, and others are equal by
 * the default operator of their type, in whatever schema it is. Arrays compare their elements so.
 */
static void
add_group(StringInfo json, const char *name, Oid type, bool not_null)
{
    Oid base = getBaseType(type);
    bool is_array = OidIsValid(get_element_type(base));
    bool plain = not_null && (is_array || base < FirstNormalObjectId);
    bool is_time = type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;

    if (!plain && is_array)
        refuse("a group that is an array and can be NULL: use coalesce(x, '{}')");
    add_text(json, "key", plain ? name : psprintf("(ARRAY[%s])", name));
    appendStringInfo(json, ", \"is_scalar\": %s, \"is_period\": %s",
                     plain && !is_array ? "true" : "false", plain && is_time ? "true" : "false");
}

static void
add_aggregate(StringInfo json, const char *name, Aggref *aggregate)
{
    if (!IsA(aggregate, Aggref))
        refuse(psprintf("%s, neither a group nor an aggregate: keep aggregates as they are, and "
                        "compute when you read",
                        name));
    if (aggregate->aggdistinct)
        refuse("DISTINCT in an aggregate: keep hll_agg, theta_agg or roaring_agg");
    if (aggregate->aggorder && aggregate->aggkind == AGGKIND_NORMAL)
        refuse("ORDER BY in an aggregate: values of parts are merged in any order");
    appendStringInfo(json, ", \"aggregate\": %u", aggregate->aggfnoid);
}

PG_FUNCTION_INFO_V1(sketches_rollup_query);
Datum
sketches_rollup_query(PG_FUNCTION_ARGS)
{
    Query *query = parse(text_to_cstring(PG_GETARG_TEXT_PP(0)));
    int source, settings;
    RangeTblEntry *entry;
    Relation relation, stored = NULL;
    List *context;
    ListCell *cell;
    StringInfoData json;

    check_clauses(query);
    source = find_source(query);
    check_immutable(query);
    entry = rt_fetch(source, query->rtable);
    relation = table_open(entry->relid, AccessShareLock);
    if (OidIsValid(PG_GETARG_OID(1)))
        stored = table_open(PG_GETARG_OID(1), AccessShareLock);
    else
        check_new(entry->relid);
    settings = set_portable();
    initStringInfo(&json);
    appendStringInfo(&json, "{\"source\": %u, \"only\": %s", entry->relid,
                     entry->inh ? "false" : "true");
    add_text(&json, "read", columns_read(query, source, RelationGetDescr(relation)));
    ChangeVarNodes((Node *)query->targetList, source, 1, 0);
    ChangeVarNodes(query->jointree->quals, source, 1, 0);
    context = deparse_context_for(RelationGetRelationName(relation), entry->relid);
    add_text(&json, "condition",
             query->jointree->quals
                 ? deparse_expression(query->jointree->quals, context, false, false)
                 : NULL);
    appendStringInfoString(&json, ", \"columns\": [");
    foreach (cell, query->targetList) {
        TargetEntry *column = lfirst(cell);
        Node *expression = (Node *)column->expr;
        const char *name;

        if (column->resjunk)
            refuse("groups that are no columns: add them to SELECT");
        if (strcmp(column->resname, "mark") == 0)
            refuse("a column called mark: its log has one");
        name = quote_identifier(column->resname);
        appendStringInfoString(&json, cell == list_head(query->targetList) ? "{" : ", {");
        add_text(&json, "name", name);
        add_text(&json, "type",
                 format_type_with_typemod(exprType(expression), exprTypmod(expression)));
        add_text(&json, "expression", deparse_expression(expression, context, false, true));
        if (column->ressortgroupref)
            add_group(&json, name, exprType(expression),
                      stored ? sketches_never_null(RelationGetDescr(stored), column->resno)
                             : never_null(expression, RelationGetDescr(relation)));
        else
            add_aggregate(&json, name, (Aggref *)expression);
        appendStringInfoChar(&json, '}');
    }
    appendStringInfoString(&json, "]}");
    AtEOXact_GUC(true, settings);
    if (stored)
        table_close(stored, NoLock);
    table_close(relation, NoLock);
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

/*
 * Between the rows of a statement and its trigger, a refresh would count the rows, and later what
 * the trigger logs of them. After a TRUNCATE, an older snapshot sees neither the rows nor the log.
 */
PG_FUNCTION_INFO_V1(sketches_rollup_begin_refresh);
Datum
sketches_rollup_begin_refresh(PG_FUNCTION_ARGS)
{
    Relation source = table_open(PG_GETARG_OID(0), AccessShareLock);

    if (IsolationUsesXactSnapshot())
        ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
                        errmsg("a rollup is refreshed at isolation level READ COMMITTED only"),
                        errhint("Refresh it in a transaction of its own.")));
    CheckTableNotInUse(source, "refresh a rollup of");
    /* That of a partition does not apply to who reads its parent. */
    if (!source->rd_rel->relispartition)
        check_row_security(RelationGetRelid(source));
    table_close(source, NoLock);
    PG_RETURN_VOID();
}
