/*
 * query.c - the query of a rollup: what it reads, groups by and computes.
 *
 * Why a query is refused: stored groups are kept up to date by merging what a statement added, so
 * there is one table, each column is a group or an aggregate, and nothing comes after them. The
 * trigger of a writer, a refresh and the view of a reader compute the same expressions in sessions
 * with different settings, so all functions are immutable, and none makes text of a value in a way
 * that depends on a setting. The trigger has the query as text: text that, read again, is another
 * query is refused. Triggers see the stored columns of rows, so there are no system columns and no
 * whole rows.
 */
#include "pg/rollup/rollup.h"

#include "access/nbtree.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/tablecmds.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

void
rollup_refuse(const char *what)
{
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a rollup cannot have %s", what),
                    errhint("Its query is SELECT groups, aggregates FROM one table [WHERE ...] "
                            "GROUP BY groups.")));
}

Query *
rollup_parse(const char *text)
{
    List *statements = pg_parse_query(text);
    RawStmt *statement = list_length(statements) == 1 ? linitial(statements) : NULL;
    Query *query;

    if (statement == NULL || !IsA(statement->stmt, SelectStmt))
        ereport(ERROR,
                (errcode(ERRCODE_SYNTAX_ERROR), errmsg("the query of a rollup is one SELECT")));
    query = sketches_parse_analyze(statement, text);
    if (query->commandType != CMD_SELECT || query->utilityStmt)
        rollup_refuse("SELECT INTO");
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
            rollup_refuse(refused[i].what);
}

void
rollup_check_row_security(Oid table)
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
    rollup_check_row_security(table);
    if (has_superclass(table))
        rollup_refuse(
            "a partition or child table in FROM, whose triggers do not fire when its parent is "
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
        rollup_refuse("anything but one table in FROM: join the rollup to others when you read it");
    if (get_rel_persistence(entry->relid) == RELPERSISTENCE_TEMP)
        rollup_refuse("a temporary table");
    return number;
}

Oid
rollup_source_of(Oid query, bool *only)
{
    Relation view = relation_open(query, AccessShareLock);
    List *from =
        view->rd_rel->relkind == RELKIND_VIEW ? get_view_query(view)->jointree->fromlist : NIL;
    RangeTblEntry *entry =
        list_length(from) == 1 && IsA(linitial(from), RangeTblRef)
            ? rt_fetch(linitial_node(RangeTblRef, from)->rtindex, get_view_query(view)->rtable)
            : NULL;
    Oid source = entry && entry->rtekind == RTE_RELATION ? entry->relid : InvalidOid;

    /* In a schema of the old name of another, somebody else may have made something. */
    if (!OidIsValid(source) || view->rd_rel->relowner != GetUserId())
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s is not the query of a rollup of %s", rollup_relation_name(query),
                               quote_identifier(GetUserNameFromId(GetUserId(), false)))));
    if (only)
        *only = !entry->inh;
    relation_close(view, AccessShareLock);
    return source;
}

List *
rollup_named(Query *query, int source)
{
    Bitmapset *read = NULL;
    List *named = NIL;

    pull_varattnos((Node *)query->targetList, source, &read);
    pull_varattnos((Node *)sketches_groups_apart(query), source, &read);
    pull_varattnos(query->jointree->quals, source, &read);
    for (int member = -1; (member = bms_next_member(read, member)) >= 0;)
        named = lappend_int(named, member + FirstLowInvalidHeapAttributeNumber);
    return named;
}

/* Of a view in which rollup_source_of() has found a source. */
List *
rollup_columns_of(Oid query)
{
    Relation view = relation_open(query, AccessShareLock);
    Query *parsed = get_view_query(view);
    List *named =
        rollup_named(parsed, linitial_node(RangeTblRef, parsed->jointree->fromlist)->rtindex);

    relation_close(view, AccessShareLock);
    return named;
}

/* Whether an expression is never NULL, as far as it is one that makes groups. */
static bool
never_null(Node *node, List *tables)
{
    static const char names[] =
        " date_trunc date_bin timezone date timestamp timestamptz int4 int8 ";
    ListCell *cell;

    switch (nodeTag(node)) {
    case T_Var:
        foreach (cell, tables) {
            Relation table = table_open(lfirst_oid(cell), AccessShareLock);
            char *name = get_attname(linitial_oid(tables), ((Var *)node)->varattno, false);
            bool not_null =
                sketches_never_null(RelationGetDescr(table), get_attnum(lfirst_oid(cell), name));

            table_close(table, NoLock);
            if (!not_null)
                return false;
        }
        return true;
    case T_Const:
        return !((Const *)node)->constisnull;
    case T_RelabelType:
        return never_null((Node *)((RelabelType *)node)->arg, tables);
    case T_CoalesceExpr:
        return never_null(llast(((CoalesceExpr *)node)->args), tables);
    case T_FuncExpr:
        foreach (cell, ((FuncExpr *)node)->args)
            if (!never_null(lfirst(cell), tables) || exprType(lfirst(cell)) == JSONBOID)
                return false;
        return get_func_namespace(((FuncExpr *)node)->funcid) == PG_CATALOG_NAMESPACE &&
               strstr(names, psprintf(" %s ", get_func_name(((FuncExpr *)node)->funcid)));
    default:
        return false;
    }
}

static bool
is_users_function(Oid function, void *context)
{
    return function >= FirstNormalObjectId;
}

static bool
calls_users_functions(Node *node, void *context)
{
    return node && (check_functions_in_node(node, is_users_function, context) ||
                    expression_tree_walker(node, calls_users_functions, context));
}

/*
 * Replaces generated columns by their expressions, where a trigger does not see their values: those
 * that are virtual, and those of rows that were routed to a partition of another layout. Partitions
 * may compute them in another way. The trigger runs with the rights of the rollup's owner, so it
 * must call no function of the owner of the table that the query does not name.
 */
static Node *
expand_generated(Node *node, void *tables)
{
    Oid source = linitial_oid((List *)tables);
    Var *column = (Var *)node;

    if (node == NULL)
        return NULL;
    if (IsA(node, Var) && column->varattno > 0 &&
        get_attgenerated(source, column->varattno) != '\0') {
        Relation table = table_open(source, AccessShareLock);
        Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(table), column->varattno - 1);
        bool expand =
            sketches_is_virtual(attribute) || table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
        Node *generated = expand ? build_column_default(table, column->varattno) : NULL;
        ListCell *cell;

        if (generated) {
            const char *text =
                deparse_expression(generated, deparse_context_for("t", source), false, true);

            foreach (cell, (List *)tables) {
                Relation child = table_open(lfirst_oid(cell), AccessShareLock);
                int number = get_attnum(lfirst_oid(cell), NameStr(attribute->attname));
                Node *other = build_column_default(child, number);

                if (other == NULL ||
                    strcmp(text,
                           deparse_expression(other, deparse_context_for("t", lfirst_oid(cell)),
                                              false, true)) != 0)
                    rollup_refuse(
                        "a generated column that partitions compute in another way: write its "
                        "expression");
                table_close(child, NoLock);
            }
            if (calls_users_functions(generated, NULL))
                rollup_refuse(
                    "a generated column of a partitioned table that calls functions of users: "
                    "write "
                    "its expression");
            ChangeVarNodes(generated, 1, column->varno, 0);
        }
        table_close(table, NoLock);
        return generated ? generated : node;
    }
    return expression_tree_mutator(node, expand_generated, tables);
}

/*
 * An expression that differs if values of a column do, or NULL. Numbers are equal to others: 0, -0;
 * 1.0, 1.00.
 */
static const char *
bits_of(Form_pg_attribute column)
{
    const char *name = pstrdup(quote_identifier(NameStr(column->attname)));
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
 * The columns that the trigger reads: their numbers, and a list by which rows before and after an
 * UPDATE are compared.
 */
static void
find_read_columns(RollupQuery *result, Node *expressions, int source)
{
    Relation table = table_open(result->source, AccessShareLock);
    StringInfoData list;
    Bitmapset *read = NULL;
    bool comparable = true;

    initStringInfo(&list);
    pull_varattnos(expressions, source, &read);
    for (int member = -1; (member = bms_next_member(read, member)) >= 0;) {
        int number = member + FirstLowInvalidHeapAttributeNumber;
        const char *bits;

        if (number <= 0)
            rollup_refuse("system columns or whole rows: name the columns");
        bits = bits_of(TupleDescAttr(RelationGetDescr(table), number - 1));
        comparable = comparable && bits;
        appendStringInfo(&list, "%s%s", list.len ? ", " : "", bits ? bits : "");
        result->numbers = lappend_int(result->numbers, number);
    }
    table_close(table, NoLock);
    result->read = !comparable ? NULL : list.len ? list.data : "1";
}

int
rollup_pin_settings(void)
{
    /* As those of the trigger in template.sql. */
    static const char *const settings[][2] = {{"search_path", "pg_catalog, pg_temp"},
                                              {"standard_conforming_strings", "on"},
                                              {"array_nulls", "on"},
                                              {"datestyle", "ISO, MDY"},
                                              {"intervalstyle", "postgres"},
                                              {"extra_float_digits", "1"},
                                              {"bytea_output", "hex"},
                                              {"lc_monetary", "C"},
                                              {"xmloption", "content"},
                                              {"quote_all_identifiers", "off"},
                                              {"transform_null_equals", "off"},
                                              {"jit", "off"},
                                              {"plan_cache_mode", "force_custom_plan"},
                                              {"default_tablespace", ""},
                                              {"check_function_bodies", "on"},
                                              /* Rather an error than rows that a policy hides. */
                                              {"row_security", "off"}};
    int level = NewGUCNestLevel();

    for (size_t i = 0; i < lengthof(settings); i++)
        (void)set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION,
                                GUC_ACTION_SAVE, true, 0, false);
    return level;
}

void
rollup_describe_type(Oid type, char **name, Oid *base, bool *not_null)
{
    HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
    Form_pg_type form = (Form_pg_type)GETSTRUCT(tuple);

    if (name)
        *name = pstrdup(NameStr(form->typname));
    if (base)
        *base = form->typbasetype;
    if (not_null)
        *not_null = form->typnotnull;
    ReleaseSysCache(tuple);
}

/* Of the base type: whoever may alter a domain may not while an index has an array of it. */
const char *
rollup_in_array(const RollupColumn *group, const char *value)
{
    Oid base = getBaseType(group->type);

    return base == group->type ? psprintf("(ARRAY[%s])", value)
                               : psprintf("(ARRAY[(%s)::%s])", value, format_type_be(base));
}

/*
 * How values of a group are told apart, as GROUP BY does: NULL is a value, and others are equal by
 * the default operator of their type, in whatever schema it is. Arrays compare their elements so.
 */
static void
describe_group(RollupColumn *column, bool not_null)
{
    Oid base = getBaseType(column->type);
    bool is_array = OidIsValid(get_element_type(base));
    bool plain = not_null && (is_array || base < FirstNormalObjectId);
    Oid type = column->type;
    TypeCacheEntry *entry = lookup_type_cache(base, TYPECACHE_HASH_PROC | TYPECACHE_CMP_PROC);

    if (!OidIsValid(entry->hash_proc) || !OidIsValid(entry->cmp_proc))
        rollup_refuse(psprintf("a group of type %s, which has no order or no hash: cast it to text",
                               format_type_be(type)));
    for (bool not_null_domain; OidIsValid(type);) {
        Oid below;

        rollup_describe_type(type, NULL, &below, &not_null_domain);
        if (not_null_domain)
            rollup_refuse(psprintf("a group of domain %s, which is NOT NULL: cast it to %s",
                                   format_type_be(type), format_type_be(base)));
        type = below;
    }
    if (!plain && is_array)
        rollup_refuse("a group that is an array and can be NULL: use coalesce(x, '{}')");
    column->key = plain ? column->name : rollup_in_array(column, column->name);
    column->is_scalar = plain && !is_array;
    column->is_exact = true;
}

static void
describe_aggregate(RollupColumn *column, Node *expression, Jsonb *merge, Oid sketches)
{
    Aggref *aggregate = (Aggref *)expression;

    if (!IsA(expression, Aggref))
        rollup_refuse(
            psprintf("%s, neither a group nor an aggregate: keep aggregates as they are, and "
                     "compute when you read",
                     column->name));
    if (aggregate->aggdistinct)
        rollup_refuse("DISTINCT in an aggregate: keep hll_agg, theta_agg or roaring_agg");
    if (aggregate->aggorder && aggregate->aggkind == AGGKIND_NORMAL)
        rollup_refuse("ORDER BY in an aggregate: values of parts are merged in any order");
    column->merged = rollup_merge(aggregate, column->name, merge, sketches, &column->is_exact);
}

/* The source, and what is below it now. */
void
rollup_find_tables(RollupQuery *query)
{
    ListCell *cell;

    query->tables = query->only ? list_make1_oid(query->source)
                                : find_all_inheritors(query->source, AccessShareLock, NULL);
    foreach (cell, query->tables)
        if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
            rollup_refuse(
                "a foreign table below the one in FROM, which has no triggers for its rows");
}

static RollupQuery *
analyze(Query *query, Oid stored, Jsonb *merge, Oid sketches, Query **again)
{
    RollupQuery *result = palloc0(sizeof *result);
    int source, settings;
    RangeTblEntry *entry;
    Relation kept = NULL;
    List *context, *computed;
    Node *computed_where;
    ListCell *cell, *other;

    check_clauses(query);
    source = find_source(query);
    rollup_check_immutable((Node *)query->targetList);
    rollup_check_immutable(query->jointree->quals);
    entry = rt_fetch(source, query->rtable);
    result->source = entry->relid;
    result->only = !entry->inh;
    if (OidIsValid(stored))
        kept = table_open(stored, AccessShareLock);
    else
        check_new(entry->relid);
    rollup_find_tables(result);
    settings = rollup_pin_settings();
    /* Constants of type timestamptz are text that rollup_status compares. */
    (void)set_config_option("timezone", "UTC", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
                            false);
    ChangeVarNodes((Node *)query->targetList, source, 1, 0);
    ChangeVarNodes(query->jointree->quals, source, 1, 0);
    result->named = rollup_named(query, 1);
    computed = (List *)expand_generated((Node *)query->targetList, result->tables);
    computed_where = expand_generated(query->jointree->quals, result->tables);
    find_read_columns(result, (Node *)list_make2(computed, computed_where), 1);
    context = deparse_context_for(get_rel_name(entry->relid), entry->relid);
    if (query->jointree->quals) {
        result->where = deparse_expression(query->jointree->quals, context, false, true);
        result->computed_where = deparse_expression(computed_where, context, false, true);
    }
    forboth(cell, query->targetList, other, computed)
    {
        TargetEntry *target = lfirst(cell);
        RollupColumn *column = palloc0(sizeof *column);
        ListCell *before;

        if (target->resjunk)
            rollup_refuse("groups that are no columns: add them to SELECT");
        if (strcmp(target->resname, "mark") == 0)
            rollup_refuse("a column called mark: its log has one");
        /* So that a later version can add columns to what is there. */
        if (strncmp(target->resname, "rollup_", strlen("rollup_")) == 0)
            rollup_refuse(psprintf("a column called %s: names that begin with rollup_ are its own",
                                   target->resname));
        column->name = quote_identifier(pstrdup(target->resname));
        foreach (before, result->columns)
            if (strcmp(((RollupColumn *)lfirst(before))->name, column->name) == 0)
                rollup_refuse(
                    psprintf("two columns called %s: name one of them by AS", column->name));
        column->type = exprType((Node *)target->expr);
        if (get_typtype(column->type) == TYPTYPE_PSEUDO)
            rollup_refuse(psprintf("a column of type %s", format_type_be(column->type)));
        column->expression = deparse_expression((Node *)target->expr, context, false, true);
        column->computed =
            deparse_expression((Node *)((TargetEntry *)lfirst(other))->expr, context, false, true);
        if (target->ressortgroupref) {
            bool never = never_null((Node *)target->expr, result->tables);
            bool was_never = kept && sketches_never_null(RelationGetDescr(kept), target->resno);

            if (was_never && !never)
                result->nullable = column->name;
            describe_group(column, kept ? was_never : never);
            if (result->period == NULL && column->key == column->name &&
                (column->type == DATEOID || column->type == TIMESTAMPOID ||
                 column->type == TIMESTAMPTZOID))
                result->period = column;
        } else
            describe_aggregate(column, (Node *)target->expr, merge, sketches);
        result->columns = lappend(result->columns, column);
    }
    if (kept)
        table_close(kept, NoLock);
    if (again)
        *again = rollup_read_again(result, query);
    AtEOXact_GUC(true, settings);
    return result;
}

/*
 * The query of an existing rollup is that of its view. That of a new one is what the view will
 * have: PostgreSQL does not read all that it writes as the same tree.
 */
RollupQuery *
rollup_analyze(Query *query, Oid stored, Jsonb *merge, Oid sketches)
{
    Query *again;

    if (OidIsValid(stored))
        return analyze(query, stored, merge, sketches, NULL);
    (void)analyze(query, stored, merge, sketches, &again);
    return analyze(again, stored, merge, sketches, NULL);
}
