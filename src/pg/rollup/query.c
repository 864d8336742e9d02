/*
 * query.c - the query of a rollup: what it reads, groups by and computes.
 *
 * Why a query is refused: stored groups are kept up to date by merging what a statement added, so
 * each column is a group or an aggregate, of one table or of facts that are joined to others. The
 * trigger of a writer, a refresh and the view of a reader compute the same expressions in sessions
 * with different settings, so all functions are immutable, and none makes text of a value in a way
 * that depends on a setting. A refresh and a dump have the query as text: text that, read again, is
 * another query is refused. Triggers see the stored columns of rows, so there are no system columns
 * and no whole rows.
 */
#include "pg/rollup/rollup.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "tcop/tcopprot.h"
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
                    errhint("Its query is SELECT groups, aggregates and what is computed of them "
                            "FROM a table [JOIN ...] [WHERE ...] GROUP BY groups [HAVING ...].")));
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

void
rollup_check_clauses(const Query *query, bool is_below)
{
    const struct {
        bool found;
        const char *what;
    } refused[] = {
        {query->setOperations, "UNION, INTERSECT or EXCEPT: make a rollup of each part"},
        {query->hasSubLinks, "subqueries: join the rollup to other tables when you read it"},
        {query->distinctClause, "SELECT DISTINCT: GROUP BY does the same"},
        {query->hasWindowFuncs, "window functions: use them when you read it"},
        {query->hasTargetSRFs, "functions that return sets: use them when you read it"},
        {query->limitCount || query->limitOffset, "LIMIT or OFFSET: limit what you read"},
        {query->sortClause, "ORDER BY: order what you read"},
        {query->rowMarks, "FOR UPDATE or FOR SHARE"},
        {!is_below && !query->groupClause && !query->hasAggs,
         "rows as they are: GROUP BY a period, such as date_trunc('hour', at)"},
        {!is_below && !query->groupClause,
         "only one group: GROUP BY a period, such as date_trunc('hour', at)"},
        {query->groupingSets, "GROUPING SETS, ROLLUP or CUBE: group it further when you read it"},
        {is_below && (query->hasAggs || query->groupClause || query->havingQual),
         "aggregates in a subquery, which can filter, rename and compute: make a rollup of it"},
    };

    for (size_t i = 0; i < lengthof(refused); i++)
        if (refused[i].found)
            rollup_refuse(refused[i].what);
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

/* What stands in FROM and is no table that can be followed. */
static const char *
name_other(const RangeTblEntry *entry)
{
    const char *name;

    if (entry == NULL || entry->rtekind != RTE_RELATION)
        return "anything but tables in FROM, of which one may be joined to others by unique keys";
    name = rollup_relation_name(entry->relid);
    if (entry->tablesample)
        return "TABLESAMPLE, which finds other rows each time: leave it out";
    if (entry->relkind == RELKIND_PARTITIONED_TABLE)
        return psprintf("ONLY %s, whose rows are in partitions: leave ONLY out", name);
    return psprintf("%s in FROM, which has no triggers for its rows: name tables that have", name);
}

/* The number of the table that is alone in FROM or first in a chain of joins; 0: there is none. */
static int
number_of_source(const Query *query)
{
    List *from = query->jointree->fromlist;
    Node *first = list_length(from) == 1 ? linitial(from) : NULL;

    while (first && IsA(first, JoinExpr))
        first = ((JoinExpr *)first)->larg;
    return first && IsA(first, RangeTblRef) ? ((RangeTblRef *)first)->rtindex : 0;
}

static int
find_source(Query *query)
{
    int number = number_of_source(query);
    RangeTblEntry *entry = number ? rt_fetch(number, query->rtable) : NULL;

    if (entry == NULL || entry->rtekind != RTE_RELATION || entry->tablesample ||
        (entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_VIEW &&
         (entry->relkind != RELKIND_PARTITIONED_TABLE || !entry->inh)))
        rollup_refuse(name_other(entry));
    if (get_rel_persistence(entry->relid) == RELPERSISTENCE_TEMP)
        rollup_refuse("a temporary table");
    return number;
}

static _Noreturn void
raise_no_source(void)
{
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("the query of a rollup does not read one table any more"),
                    errhint("rollup_list() shows what is wrong.")));
}

int
rollup_source_number(const Query *query)
{
    int number = number_of_source(query);

    if (number == 0)
        raise_no_source();
    return number;
}

Oid
rollup_source_of(const Query *query)
{
    RangeTblEntry *entry = rt_fetch(rollup_source_number(query), query->rtable);

    if (entry->rtekind != RTE_RELATION)
        raise_no_source();
    return entry->relid;
}

/* The columns of the table that a query names. */
static List *
named_columns(Query *query, int source)
{
    Bitmapset *read = NULL;
    List *named = NIL;

    pull_varattnos((Node *)query->targetList, source, &read);
    pull_varattnos((Node *)query->jointree, source, &read);
    for (int member = -1; (member = bms_next_member(read, member)) >= 0;) {
        int number = member + FirstLowInvalidHeapAttributeNumber;

        if (number <= 0)
            rollup_refuse("system columns or whole rows: name the columns");
        named = lappend_int(named, number);
    }
    return named;
}

static const struct {
    Oid type;
    const char *lowest, *highest;
} periods[] = {{DATEOID, "-infinity", "infinity"},
               {TIMESTAMPOID, "-infinity", "infinity"},
               {TIMESTAMPTZOID, "-infinity", "infinity"},
               {INT8OID, "-9223372036854775808", "9223372036854775807"},
               {INT4OID, "-2147483648", "2147483647"}};

const char *
rollup_bound(Oid type, bool is_highest)
{
    for (size_t i = 0; i < lengthof(periods); i++)
        if (periods[i].type == type)
            return is_highest ? periods[i].highest : periods[i].lowest;
    elog(ERROR, "%s is no period", format_type_be(type));
}

Datum
rollup_read_bound(Oid type, const char *text)
{
    Oid input, parameter;

    getTypeInputInfo(type, &input, &parameter);
    return OidInputFunctionCall(input, (char *)text, parameter, -1);
}

/* The first time that is never NULL; or else the first integer that is rounded. */
static RollupColumn *
find_period(const RollupQuery *result, const Query *query)
{
    for (int i = 0; i < 2; i++) {
        ListCell *cell, *target;

        forboth(cell, result->columns, target, query->targetList)
        {
            RollupColumn *column = lfirst(cell);
            bool is_integer = column->type == INT8OID || column->type == INT4OID;
            bool is_time = column->type == DATEOID || column->type == TIMESTAMPOID ||
                           column->type == TIMESTAMPTZOID;

            if (column->key == column->name && column->alone &&
                (i == 0 ? is_time
                        : is_integer &&
                              rollup_is_rounded((Node *)((TargetEntry *)lfirst(target))->expr)))
                return column;
        }
    }
    return NULL;
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

    return base == group->type
               ? psprintf("(ARRAY[%s])", value)
               : psprintf("(ARRAY[(%s)::%s])", value, format_type_with_typemod(base, -1));
}

/* Whether NULL is no value of a domain; a row of the log that marks everything has no groups. */
static bool
refuses_null(Oid domain)
{
    MemoryContext caller = CurrentMemoryContext;
    volatile bool refuses = false;

    PG_TRY();
    {
        domain_check((Datum)0, true, domain, NULL, caller);
    }
    PG_CATCH();
    {
        ErrorData *error;

        MemoryContextSwitchTo(caller);
        error = CopyErrorData();
        if (ERRCODE_TO_CATEGORY(error->sqlerrcode) !=
            ERRCODE_TO_CATEGORY(ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION))
            PG_RE_THROW();
        FlushErrorState();
        refuses = true;
    }
    PG_END_TRY();
    return refuses;
}

/*
 * How values of a group are told apart, as GROUP BY does: NULL is a value, and others are equal by
 * the default operator of their type, in whatever schema it is. Arrays compare their elements so.
 */
static void
describe_group(RollupColumn *column, bool not_null, bool is_new)
{
    Oid base = getBaseType(column->type);
    bool is_array = OidIsValid(get_element_type(base));
    bool plain = not_null && (is_array || base < FirstNormalObjectId);
    Oid type = column->type;
    TypeCacheEntry *entry = lookup_type_cache(base, TYPECACHE_HASH_PROC | TYPECACHE_CMP_PROC);

    if (!OidIsValid(entry->hash_proc) || !OidIsValid(entry->cmp_proc))
        rollup_refuse(
            psprintf("a group of type %s, which has no order or no hash: %s", format_type_be(type),
                     base == CASHOID ? "keep it as numeric in the table" : "cast it to text"));
    /* Of those that are there, PostgreSQL does not let a domain learn it: the log has a NULL. */
    if (is_new && get_typtype(type) == TYPTYPE_DOMAIN && refuses_null(type))
        rollup_refuse(psprintf("a group of domain %s, which refuses NULL: cast it to %s",
                               format_type_be(type), format_type_be(base)));
    if (!plain && is_array)
        rollup_refuse(psprintf("group %s, an array that can be NULL: write coalesce(%s, '{}')",
                               column->name, column->expression));
    column->key = plain ? column->name : rollup_in_array(column, column->name);
    column->is_scalar = plain && !is_array;
    column->is_exact = true;
}

static void
describe_aggregate(RollupColumn *column, Node *expression, Jsonb *merge, Oid sketches)
{
    Aggref *aggregate = (Aggref *)expression;

    if (!IsA(expression, Aggref))
        rollup_refuse(psprintf("%s, neither a group nor an aggregate", column->name));
    if (aggregate->aggdistinct)
        rollup_refuse(
            psprintf("DISTINCT in %s: %s", column->expression,
                     strcmp(get_func_name(aggregate->aggfnoid), "count") == 0
                         ? "write hll_cardinality(hll_agg(x)) or, for exact counts of integers, "
                           "roaring_cardinality(roaring_agg(x))"
                         : "group by its argument, too, and compute it when you read"));
    column->merged = rollup_merge(aggregate, column->expression, column->name, merge, sketches,
                                  &column->is_exact);
    if (aggregate->aggorder && aggregate->aggkind == AGGKIND_NORMAL)
        rollup_refuse(psprintf("ORDER BY in %s: parts are merged in any order, so leave it out",
                               column->expression));
}

/*
 * The source, and what is below it now. They are not locked: a rollup of many partitions must not
 * fill the lock table. Rows of a temporary child are of one session, and not for a rollup.
 */
void
rollup_find_tables(RollupQuery *query)
{
    List *found = query->only ? list_make1_oid(query->source)
                              : find_all_inheritors(query->source, NoLock, NULL);
    ListCell *cell;

    query->tables = NIL;
    foreach (cell, found) {
        Oid table = lfirst_oid(cell);
        char kind = get_rel_relkind(table);

        if (kind == RELKIND_FOREIGN_TABLE)
            rollup_refuse(
                "a foreign table below the one in FROM, which has no triggers for its rows");
        if (isTempNamespace(get_rel_namespace(table)))
            rollup_refuse(
                "a temporary table below the one in FROM, which other sessions do not see");
        if (kind != '\0' && get_rel_persistence(table) != RELPERSISTENCE_TEMP)
            query->tables = lappend_oid(query->tables, table);
    }
}

/* As a function that returns records is told of a column, after its name. */
const char *
rollup_describe(Node *expression)
{
    Oid type = exprType(expression), collation = exprCollation(expression);
    const char *of = format_type_with_typemod(type, exprTypmod(expression));

    return OidIsValid(collation) && collation != get_typcollation(type)
               ? psprintf("%s COLLATE %s", of, generate_collation_name(collation))
               : of;
}

/* An expression over the table, as number 1, and those that are joined, as triggers compute it. */
static Node *
expand_all(const Query *query, Node *node, const RollupQuery *result)
{
    if (result->below)
        return node;
    node = rollup_expand_generated(node, 1, result->source);
    for (int number = 2;
         IsA(linitial(query->jointree->fromlist), JoinExpr) && number <= list_length(query->rtable);
         number++)
        node = rollup_expand_generated(node, number, rt_fetch(number, query->rtable)->relid);
    return node;
}

static RollupQuery *
analyze(Query *query, Oid stored, Jsonb *merge, Oid sketches, Query **again)
{
    RollupQuery *result = palloc0(sizeof *result);
    int source, settings;
    RangeTblEntry *entry;
    Relation kept = NULL;
    List *alone, *stored_below = NIL;
    ListCell *cell;

    rollup_check_clauses(query, false);
    rollup_flatten(query, !OidIsValid(stored));
    source = find_source(query);
    entry = rt_fetch(source, query->rtable);
    result->source = result->read = entry->relid;
    result->only = !entry->inh;
    if (entry->relkind == RELKIND_VIEW) {
        rollup_open_below(result, query, !OidIsValid(stored), sketches);
        source = rollup_source_number(query);
        entry = rt_fetch(source, query->rtable);
    }
    rollup_check_immutable((Node *)query->targetList, query);
    rollup_check_immutable((Node *)query->jointree, query);
    if (OidIsValid(stored))
        kept = table_open(stored, AccessShareLock);
    else
        check_new(result->source);
    rollup_find_tables(result);
    settings = rollup_pin_settings();
    /* Constants of type timestamptz are text that rollup_status compares. */
    (void)set_config_option("timezone", "UTC", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
                            false);
    ChangeVarNodes((Node *)query->targetList, source, 1, 0);
    ChangeVarNodes(query->jointree->quals, source, 1, 0);
    result->named = named_columns(query, 1);
    if (result->below == NULL)
        rollup_check_generated(query, result->tables);
    rollup_check_immutable(expand_all(query, (Node *)query->targetList, result), query);
    rollup_check_immutable(expand_all(query, (Node *)query->jointree, result), query);
    alone = deparse_context_for(get_rel_name(entry->relid), entry->relid);
    if (result->below) {
        foreach (cell, result->below->query->columns)
            stored_below = lappend(
                stored_below, linitial(sketches_name_list(((RollupColumn *)lfirst(cell))->name)));
        stored_below = rollup_context_of(stored_below);
    }
    rollup_describe_from(result, query, source);
    if (query->jointree->quals)
        result->where = rollup_deparse(result, query->jointree->quals);
    foreach (cell, query->targetList) {
        TargetEntry *target = lfirst(cell);
        RollupColumn *column = palloc0(sizeof *column);
        Node *computed;
        bool is_marked;
        ListCell *before;

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
        computed = expand_all(query, (Node *)target->expr, result);
        column->type = exprType((Node *)target->expr);
        column->has_one_image =
            rollup_has_one_image(column->type, exprCollation((Node *)target->expr));
        column->described = rollup_describe((Node *)target->expr);
        column->declared = psprintf("%s %s", column->name, column->described);
        if (get_typtype(column->type) == TYPTYPE_PSEUDO)
            rollup_refuse(psprintf("a column of type %s", format_type_be(column->type)));
        column->expression = column->guarded = rollup_deparse(result, (Node *)target->expr);
        /* PostgreSQL evaluates conditions in an order of its own. */
        if (target->ressortgroupref && result->where && !rollup_cannot_fail(computed))
            column->guarded = psprintf("(CASE WHEN %s THEN %s END)::%s", result->where,
                                       column->expression, column->described);
        is_marked = rollup_is_marked(query, computed);
        if (is_marked)
            column->alone = deparse_expression((Node *)target->expr,
                                               stored_below ? stored_below : alone, false, true);
        column->logged = rollup_logged(result, target, is_marked);
        if (target->ressortgroupref) {
            bool never = rollup_never_null((Node *)target->expr, result);
            /* By its name: columns before it may have been dropped. */
            bool was_never = kept && sketches_never_null(RelationGetDescr(kept),
                                                         get_attnum(stored, target->resname));

            if (was_never && !never)
                result->nullable = column->name;
            column->never_null = kept ? was_never : never;
            describe_group(column, column->never_null, kept == NULL);
        } else
            describe_aggregate(column, (Node *)target->expr, merge, sketches);
        result->columns = lappend(result->columns, column);
    }
    result->period = find_period(result, query);
    if (result->below)
        rollup_describe_flow(result, query, alone);
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
