/*
 * compat.h - the one place that tests the PostgreSQL version. 14 to 19 compile.
 *
 * Include it instead of postgres.h and fmgr.h.
 */
#ifndef COMPAT_H
#define COMPAT_H

#include "postgres.h"

#ifdef WORDS_BIGENDIAN
#error "sketches needs a little-endian processor: CRoaring's format has the processor's byte order"
#endif

#include "fmgr.h"

/*
 * Everything is compiled with hidden visibility; only what SQL calls is exported. Before 16
 * PostgreSQL left PGDLLEXPORT empty on most platforms, and PG_FUNCTION_INFO_V1 did not use it for
 * the function itself.
 */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#else
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(name)                                                                  \
    extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS);                                               \
    extern PGDLLEXPORT const Pg_finfo_record *pg_finfo_##name(void);                               \
    const Pg_finfo_record *pg_finfo_##name(void)                                                   \
    {                                                                                              \
        static const Pg_finfo_record info = {1};                                                   \
        return &info;                                                                              \
    }                                                                                              \
    extern int no_such_variable
#endif

/* Name and version that pg_get_loaded_modules() shows from PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#define SKETCHES_MODULE_MAGIC(module, number) PG_MODULE_MAGIC_EXT(.name = module, .version = number)
#else
#define SKETCHES_MODULE_MAGIC(module, number) PG_MODULE_MAGIC
#endif

/* Tuples: other headers brought this one until 18. */
#include "access/htup_details.h"

/* Errors that an input function may report softly, to pg_input_is_valid() of 16 and later. */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#define sketches_ereturn(context, value, ...) ereturn(context, value, __VA_ARGS__)
#else
#define sketches_ereturn(context, value, ...)                                                      \
    do {                                                                                           \
        (void)(context);                                                                           \
        ereport(ERROR, __VA_ARGS__);                                                               \
        return value;                                                                              \
    } while (0)
#endif

#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"

/* From PostgreSQL 19 on, it is there, and a comment is no longer enough. */
#ifndef pg_fallthrough
#define pg_fallthrough __attribute__((fallthrough))
#endif

/*
 * Before 17 an index scan with = ANY for a column that is not the first of the index does not
 * return rows in its order. The planner knows that if the query has the = ANY, but not if a support
 * function made it.
 */
#define SKETCHES_ARRAYS_KEEP_ORDER (PG_VERSION_NUM >= 170000)

/* The delay of ANALYZE learned what it is for in 18. */
#if PG_VERSION_NUM >= 180000
#define sketches_vacuum_delay_point() vacuum_delay_point(true)
#else
#define sketches_vacuum_delay_point() vacuum_delay_point()
#endif

/* The plan of a query, for which 19 may collect what EXPLAIN shows. */
#if PG_VERSION_NUM >= 190000
#define sketches_plan_query(query, text) pg_plan_query(query, text, 0, NULL, NULL)
#else
#define sketches_plan_query(query, text) pg_plan_query(query, text, 0, NULL)
#endif

/* Parse analysis of a statement without parameters has this name since 15. */
#include "parser/analyze.h"

static inline Query *
sketches_parse_analyze(RawStmt *statement, const char *text)
{
#if PG_VERSION_NUM >= 150000
    return parse_analyze_fixedparams(statement, text, NULL, 0, NULL);
#else
    return parse_analyze(statement, text, NULL, 0, NULL);
#endif
}

/* A name in parts; errors of its syntax may be soft since 16. */
#include "utils/regproc.h"

static inline List *
sketches_name_list(const char *name)
{
#if PG_VERSION_NUM >= 160000
    return stringToQualifiedNameList(name, NULL);
#else
    return stringToQualifiedNameList(name);
#endif
}

/* Expressions of GROUP BY stand behind a range table entry of their own since 18. */
static inline void
sketches_inline_groups(Query *query)
{
#if PG_VERSION_NUM >= 180000
    if (query->hasGroupRTE) {
        query->targetList = (List *)flatten_group_exprs(NULL, query, (Node *)query->targetList);
        query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
    }
#else
    (void)query;
#endif
}

/* What stands there, of a query that is only read. */
static inline List *
sketches_groups_apart(const Query *query)
{
#if PG_VERSION_NUM >= 180000
    ListCell *cell;

    foreach (cell, query->rtable)
        if (lfirst_node(RangeTblEntry, cell)->rtekind == RTE_GROUP)
            return lfirst_node(RangeTblEntry, cell)->groupexprs;
#else
    (void)query;
#endif
    return NIL;
}

/* Columns of the tables of an outer join say since 16 that they may be NULL by it. */
static inline void
sketches_forget_joins(Var *column)
{
#if PG_VERSION_NUM >= 160000
    column->varnullingrels = NULL;
#else
    (void)column;
#endif
}

/* Since 18 a column may be computed when it is read, and NOT NULL may not have been validated. */
static inline bool
sketches_is_virtual(Form_pg_attribute column)
{
#if PG_VERSION_NUM >= 180000
    return column->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL;
#else
    (void)column;
    return false;
#endif
}

static inline bool
sketches_never_null(TupleDesc columns, int number)
{
#if PG_VERSION_NUM >= 180000
    return number > 0 && number <= columns->natts &&
           TupleDescCompactAttr(columns, number - 1)->attnullability == ATTNULLABLE_VALID;
#else
    return number > 0 && number <= columns->natts && TupleDescAttr(columns, number - 1)->attnotnull;
#endif
}

/* The base64 functions take bytes instead of characters since 18. */
#include "common/base64.h"

static inline int
sketches_b64_encode(const uint8 *data, int size, char *text, int room)
{
#if PG_VERSION_NUM >= 180000
    return pg_b64_encode(data, size, text, room);
#else
    return pg_b64_encode((const char *)data, size, text, room);
#endif
}

static inline int
sketches_b64_decode(const char *text, int length, uint8 *data, int room)
{
#if PG_VERSION_NUM >= 180000
    return pg_b64_decode(text, length, data, room);
#else
    return pg_b64_decode(text, length, (char *)data, room);
#endif
}

/* What a statement made by hand asks of a relation stands apart from its range table since 16. */
#include "parser/parse_node.h"

static inline void
sketches_require(ParseNamespaceItem *item, AclMode rights)
{
#if PG_VERSION_NUM >= 160000
    item->p_perminfo->requiredPerms = rights;
#else
    item->p_rte->requiredPerms = rights;
#endif
}

static inline void
sketches_take_permissions(Query *query, const ParseState *state)
{
#if PG_VERSION_NUM >= 160000
    query->rteperminfos = state->p_rteperminfos;
#else
    (void)query;
    (void)state;
#endif
}

#include "access/attmap.h"

static inline AttrMap *
sketches_attribute_map(TupleDesc in, TupleDesc out)
{
#if PG_VERSION_NUM >= 160000
    return build_attrmap_by_name_if_req(in, out, false);
#else
    return build_attrmap_by_name_if_req(in, out);
#endif
}

#include "executor/executor.h"

static inline void
sketches_run(QueryDesc *query)
{
#if PG_VERSION_NUM >= 180000
    ExecutorRun(query, ForwardScanDirection, 0);
#else
    ExecutorRun(query, ForwardScanDirection, 0, true);
#endif
}

#include "access/tableam.h"

static inline TableScanDesc
sketches_begin_scan(Relation table, Snapshot snapshot)
{
#if PG_VERSION_NUM >= 190000
    return table_beginscan(table, snapshot, 0, NULL, SO_NONE);
#else
    return table_beginscan(table, snapshot, 0, NULL);
#endif
}

static inline bool
sketches_is_permitted(const PlannedStmt *plan)
{
#if PG_VERSION_NUM >= 160000
    return ExecCheckPermissions(plan->rtable, plan->permInfos, false);
#else
    return ExecCheckRTPerms(plan->rtable, false);
#endif
}

/* Whether this session holds a lock or a stronger one, as who has written a table does. */
#include "storage/lock.h"

static inline bool
sketches_holds_lock(const LOCKTAG *tag, LOCKMODE mode)
{
#if PG_VERSION_NUM >= 170000
    return LockHeldByMe(tag, mode, true);
#else
    for (LOCKMODE stronger = mode; stronger <= AccessExclusiveLock; stronger++)
        if (LockHeldByMe(tag, stronger))
            return true;
    return false;
#endif
}

/* SQL/JSON: the type as which a document's value is read, or none; what is written into one. */
#include "nodes/primnodes.h"

static inline Oid
sketches_json_read(const Node *node)
{
#if PG_VERSION_NUM >= 170000
    return IsA(node, JsonExpr) ? ((const JsonExpr *)node)->returning->typid : InvalidOid;
#else
    (void)node;
    return InvalidOid;
#endif
}

static inline List *
sketches_json_written(const Node *node)
{
#if PG_VERSION_NUM >= 160000
    return IsA(node, JsonConstructorExpr) ? ((const JsonConstructorExpr *)node)->args : NIL;
#else
    (void)node;
    return NIL;
#endif
}

#endif
