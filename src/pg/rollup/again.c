/*
 * again.c - the query of a rollup, read again from the text that it becomes.
 *
 * The trigger has the query as text, and so have the views in a dump. PostgreSQL does not write an
 * operator of each kind of expression with its schema, and a cast around an array in another place
 * than it was. So the text is read, and refused if it means something else.
 */
#include "pg/rollup/rollup.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

/* The expression by which an array is cast, of one element instead of that for which it stands. */
static Node *
put_element(Node *node, void *element)
{
    if (node && IsA(node, CaseTestExpr))
        return element;
    return node ? expression_tree_mutator(node, put_element, element) : NULL;
}

/* A cast of an ARRAY[...], as one of each element. */
static Node *
cast_elements(Node *node, Node *cast)
{
    ArrayExpr *array = (ArrayExpr *)node;
    Oid element = get_element_type(exprType(cast));
    ListCell *cell;

    if (!IsA(node, ArrayExpr) || !OidIsValid(element)) {
        cast = copyObject(cast);
        if (IsA(cast, RelabelType))
            ((RelabelType *)cast)->arg = (Expr *)node;
        else
            ((ArrayCoerceExpr *)cast)->arg = (Expr *)node;
        return cast;
    }
    foreach (cell, array->elements)
        if (array->multidims)
            lfirst(cell) = cast_elements(lfirst(cell), cast);
        else if (IsA(cast, RelabelType))
            lfirst(cell) = (Node *)makeRelabelType(
                lfirst(cell), element, -1, exprCollation(lfirst(cell)), COERCE_EXPLICIT_CAST);
        else
            lfirst(cell) = put_element((Node *)((ArrayCoerceExpr *)cast)->elemexpr, lfirst(cell));
    array->array_typeid = exprType(cast);
    array->array_collid = exprCollation(cast);
    array->element_typeid = element;
    return node;
}

/* An expression as PostgreSQL reads it, which takes ARRAY[...]::text[] for an array of casts. */
static Node *
as_read(Node *node, void *context)
{
    if (node == NULL)
        return NULL;
    node = expression_tree_mutator(node, as_read, context);
    if (IsA(node, RelabelType) && IsA(((RelabelType *)node)->arg, ArrayExpr))
        return cast_elements((Node *)((RelabelType *)node)->arg, node);
    if (IsA(node, ArrayCoerceExpr) && IsA(((ArrayCoerceExpr *)node)->arg, ArrayExpr))
        return cast_elements((Node *)((ArrayCoerceExpr *)node)->arg, node);
    return node;
}

bool
rollup_means_same(Node *one, Node *other)
{
    return equal(one, other) || equal(eval_const_expressions(NULL, as_read(one, NULL)),
                                      eval_const_expressions(NULL, as_read(other, NULL)));
}

static void
refuse_text(const char *what, const char *why)
{
    rollup_refuse(
        psprintf("%s: %s. Write comparisons by = or <, without IS DISTINCT FROM, NULLIF, CASE x "
                 "WHEN or ROW, for types of extensions, and j -> 'x' in place of JSON_QUERY",
                 what, why));
}

static Query *
read_text(const char *text)
{
    MemoryContext caller = CurrentMemoryContext;
    Query *volatile query = NULL;

    PG_TRY();
    {
        query = rollup_parse(text);
    }
    PG_CATCH();
    {
        ErrorData *error;

        MemoryContextSwitchTo(caller);
        error = CopyErrorData();
        if (rollup_is_passing(error))
            PG_RE_THROW();
        refuse_text("what PostgreSQL cannot read again", error->message);
    }
    PG_END_TRY();
    return query;
}

Query *
rollup_read_again(RollupQuery *result, Query *query)
{
    StringInfoData text, by;
    Query *again;
    const char *differs = NULL;
    ListCell *cell;

    initStringInfo(&text);
    initStringInfo(&by);
    foreach (cell, result->columns) {
        RollupColumn *column = lfirst(cell);

        appendStringInfo(&text, "%s%s AS %s", text.len ? ", " : "SELECT ", column->expression,
                         column->name);
        if (column->key)
            appendStringInfo(&by, "%s%d", by.len ? ", " : " GROUP BY ",
                             foreach_current_index(cell) + 1);
    }
    appendStringInfo(&text, " FROM %s%s%s%s", result->from, result->where ? " WHERE " : "",
                     result->where ? result->where : "", by.data);
    again = read_text(text.data);
    rollup_flatten(again, false);
    for (int i = 0; differs == NULL && i < list_length(query->targetList); i++) {
        TargetEntry *column = list_nth(query->targetList, i);

        if (!rollup_means_same((Node *)column->expr,
                               (Node *)list_nth_node(TargetEntry, again->targetList, i)->expr))
            differs = column->resname;
    }
    if (differs == NULL && !rollup_means_same(query->jointree->quals, again->jointree->quals))
        differs = "this WHERE";
    if (differs == NULL && result->joins &&
        !rollup_means_same(linitial(query->jointree->fromlist),
                           linitial(again->jointree->fromlist)))
        differs = "this JOIN";
    if (differs)
        refuse_text(differs, "read again, it would mean something else");
    return again;
}

/* A value of the type of a part. */
static const char *
stand_in(const TargetEntry *part)
{
    Node *expression = (Node *)part->expr;
    Oid type = exprType(expression), collation = exprCollation(expression);

    return psprintf("NULL::%s%s%s AS %s", format_type_with_typemod(type, exprTypmod(expression)),
                    OidIsValid(collation) ? " COLLATE " : "",
                    OidIsValid(collation) ? generate_collation_name(collation) : "",
                    quote_identifier(part->resname));
}

void
rollup_read_shown_again(const List *parts, const List *shown, Node *having,
                        const RollupApart *texts)
{
    StringInfoData text;
    Query *again;
    ListCell *cell, *other;

    initStringInfo(&text);
    appendStringInfo(&text, "SELECT %s FROM (SELECT ", texts->shown);
    foreach (cell, parts)
        appendStringInfo(&text, "%s%s", foreach_current_index(cell) ? ", " : "",
                         stand_in(lfirst(cell)));
    appendStringInfo(&text, ") AS parts%s%s", having ? " WHERE " : "", having ? texts->having : "");
    again = read_text(text.data);
    forboth(cell, shown, other, again->targetList)
    {
        TargetEntry *column = lfirst(cell);

        if (!rollup_means_same((Node *)column->expr, (Node *)lfirst_node(TargetEntry, other)->expr))
            refuse_text(column->resname, "read again, it would mean something else");
    }
    if (!rollup_means_same(having, again->jointree->quals))
        refuse_text("this HAVING", "read again, it would mean something else");
}
