/*
 * change.c - how a new query differs from that of a rollup.
 *
 * It is given as a whole; what differs is found by columns, first by their names, then by what they
 * are computed of.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/change.h"

#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

List *
rollup_names_of(const List *columns)
{
    List *names = NIL;
    ListCell *cell;

    foreach (cell, columns)
        names = lappend(names, lfirst(cell) ? (char *)((RollupColumn *)lfirst(cell))->name : NULL);
    return names;
}

static _Noreturn void
refuse_change(const char *what)
{
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("the %s of a rollup cannot change", what), errhint("Make a second rollup.")));
}

static RollupColumn *
named(const List *columns, const char *name)
{
    ListCell *cell;

    foreach (cell, columns)
        if (strcmp(((RollupColumn *)lfirst(cell))->name, name) == 0)
            return lfirst(cell);
    return NULL;
}

const char *
rollup_label_of(Oid view, int number)
{
    return quote_identifier(get_attname(view, number, false));
}

/* What the view calls each stored column; NULL: it is a part, of which it computes others. */
static List *
labels_of(const Rollup *rollup)
{
    List *labels = NIL, *shown = NIL;
    ListCell *target;

    if (OidIsValid(rollup->parts[ROLLUP_PARTS]))
        shown = rollup_query_of(rollup->view)->targetList;
    for (int number = 1; number <= list_length(rollup->query->columns); number++) {
        const char *label = shown ? NULL : rollup_label_of(rollup->view, number);

        foreach (target, shown) {
            const TargetEntry *entry = lfirst(target);

            if (IsA(entry->expr, Var) && ((Var *)entry->expr)->varattno == number)
                label = rollup_label_of(rollup->view, entry->resno);
        }
        labels = lappend(labels, (char *)label);
    }
    return labels;
}

/* Whether a stored column is one of the query as it is written, and no part that it is given. */
static bool
is_shown(const RollupColumn *column, const List *visible)
{
    const RollupColumn *shown = visible ? named(visible, column->name) : column;

    return shown == column || (shown && strcmp(shown->expression, column->name) == 0);
}

typedef enum Way { BY_NAME, BY_EXPRESSION, WAYS } Way;

/*
 * The stored column that a new one was, of those that no other one was; NULL: it comes. One that is
 * shown has the name that readers know; rollup_take_apart() chose that of a part. Groups are what
 * they are computed of, so they may take the names of others.
 */
static RollupColumn *
was(const RollupColumn *column, Way way, bool shown, const List *old, const List *labels,
    const List *taken)
{
    ListCell *cell, *label;

    forboth(cell, old, label, labels)
    {
        RollupColumn *other = lfirst(cell);
        const char *name = shown ? lfirst(label) : other->name;

        if ((other->key == NULL) == (column->key == NULL) && !list_member_ptr(taken, other) &&
            (way == BY_EXPRESSION ? strcmp(other->expression, column->expression) == 0
                                  : !column->key && name && strcmp(name, column->name) == 0))
            return other;
    }
    return NULL;
}

/* What each of the new columns was; of those that come: NULL. */
static List *
match(const Rollup *rollup, const List *new, const List *visible)
{
    List *labels = labels_of(rollup), *matched = NIL;
    ListCell *cell, *before;

    foreach (cell, new)
        matched = lappend(matched, NULL);
    for (Way way = BY_NAME; way < WAYS; way++)
        forboth(cell, new, before, matched)
        {
            if (lfirst(before) == NULL)
                lfirst(before) = was(lfirst(cell), way, is_shown(lfirst(cell), visible),
                                     rollup->query->columns, labels, matched);
        }
    return matched;
}

/* What is stored of an expression, by a column that is to be another one. */
static RollupColumn *
computed_as(const char *expression, const List *columns)
{
    ListCell *cell;

    foreach (cell, columns) {
        RollupColumn *column = lfirst(cell);

        if (column->key == NULL && strcmp(column->expression, expression) == 0)
            return column;
    }
    return NULL;
}

static void
check_type(const Rollup *rollup, const RollupColumn *old, const RollupColumn *new)
{
    if (strcmp(old->described, new->described) != 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TABLE_DEFINITION),
                        errmsg("column %s of rollup %s would change from %s to %s", new->name,
                               rollup->name, old->described, new->described),
                        errhint("Give it another name.")));
}

static bool
is_redefined(const RollupColumn *old, const RollupColumn *new)
{
    return new->key == NULL &&strcmp(old->expression, new->expression) != 0;
}

/* A column that stays, with what is known of what is stored of it. */
static void
keep(const Rollup *rollup, RollupColumn *new, const RollupColumn *old)
{
    check_type(rollup, old, new);
    new->since = old->since;
    if (new->key) {
        new->key = old->key == old->name ? new->name : rollup_in_array(new, new->name);
        new->is_scalar = old->is_scalar;
    } else
        new->is_filling = old->is_filling || is_redefined(old, new);
}

const char *
rollup_name_after(const Change *change, const RollupColumn *column)
{
    ListCell *cell, *after;

    forboth(cell, change->old, after, change->after)
    {
        if (lfirst(cell) == column && lfirst(after))
            return ((RollupColumn *)lfirst(after))->name;
    }
    return NULL;
}

/* Expressions over what is stored, as it will be called. */
static List *
context_after(const Change *change)
{
    List *names = NIL;
    ListCell *cell;

    foreach (cell, change->old) {
        const char *name = rollup_name_after(change, lfirst(cell));

        names = lappend(names, linitial(sketches_name_list(name ? name : ROLLUP_GONE)));
    }
    return rollup_context_of(names);
}

/* The columns that the view has, over parts as they will be called. */
static List *
visible_before(const Rollup *rollup, const Change *change)
{
    List *columns = NIL, *context;
    Query *query;
    ListCell *cell;

    foreach (cell, change->old) {
        RollupColumn *column = palloc(sizeof *column), *stored = lfirst(cell);
        const char *name = rollup_name_after(change, stored);

        *column = *stored;
        column->expression = name ? name : ROLLUP_GONE;
        columns = lappend(columns, column);
        if (!OidIsValid(rollup->parts[ROLLUP_PARTS]))
            column->name = rollup_label_of(rollup->view, foreach_current_index(cell) + 1);
    }
    if (!OidIsValid(rollup->parts[ROLLUP_PARTS]))
        return columns;
    columns = NIL;
    context = context_after(change);
    query = rollup_query_of(rollup->view);
    foreach (cell, query->targetList) {
        TargetEntry *target = lfirst(cell);
        RollupColumn *column = palloc(sizeof *column);

        ChangeVarNodes((Node *)target->expr, rollup_source_number(query), 1, 0);
        *column = (RollupColumn){.name = rollup_label_of(rollup->view, target->resno),
                                 .expression =
                                     deparse_expression((Node *)target->expr, context, false, true),
                                 .described = rollup_describe((Node *)target->expr)};
        columns = lappend(columns, column);
    }
    return columns;
}

static const char *
having_before(const Rollup *rollup, const Change *change)
{
    Query *query = rollup_query_of(rollup->view);

    if (!OidIsValid(rollup->parts[ROLLUP_PARTS]) || query->jointree->quals == NULL)
        return "";
    ChangeVarNodes(query->jointree->quals, rollup_source_number(query), 1, 0);
    return deparse_expression(query->jointree->quals, context_after(change), false, true);
}

/* Whether the view computes it of parts that are kept for it alone. */
static bool
has_own_parts(const List *columns, const List *readers, Node *name)
{
    ListCell *column, *names;

    forboth(column, columns, names, readers)
    {
        if (((RollupColumn *)lfirst(column))->key == NULL && list_length(lfirst(names)) > 1 &&
            list_member(lfirst(names), name))
            return false;
    }
    return true;
}

/*
 * Frozen groups keep what they have of a stored column that is computed in another way. What the
 * view shows of it stays right there if it shows that as before. If it does not, this must not be
 * about what others show, too: two columns may have changed places.
 */
static void
check_frozen(const Rollup *rollup, const Change *change, const List *columns, const List *matched,
             const List *readers)
{
    const List *before = visible_before(rollup, change);
    ListCell *cell, *match_cell, *names, *reader;

    forthree(cell, columns, match_cell, matched, names, readers)
    {
        const RollupColumn *column = lfirst(cell), *old = lfirst(match_cell);

        foreach (reader, old && is_redefined(old, column) ? lfirst(names) : NIL) {
            const char *name = quote_identifier(strVal(lfirst(reader)));
            const RollupColumn *was = named(before, name), *is = named(change->visible, name);
            bool same = is ? was && strcmp(was->expression, is->expression) == 0
                           : strcmp(having_before(rollup, change), change->having) == 0;

            if (!same && !has_own_parts(columns, readers, lfirst(reader)))
                ereport(ERROR,
                        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                         errmsg("frozen groups of rollup %s have something else in %s, from which "
                                "%s would be computed",
                                rollup->name, column->name, is ? name : "HAVING"),
                         errhint("Give %s another name. If columns change places, give them other "
                                 "names in a call before.",
                                 named(change->visible, column->name)
                                     ? column->name
                                     : quote_identifier(strVal(linitial(lfirst(names)))))));
        }
    }
}

Change *
rollup_compare(Rollup *rollup, RollupQuery *new, const RollupApart *apart)
{
    RollupQuery *old = rollup->query;
    Change *change = palloc0(sizeof *change);
    List *matched, *asked = new->columns, *columns = NIL;
    const char *frozen =
        old->period ? rollup_answer(rollup_text(
                          rollup, "SELECT frozen FROM ONLY {state} WHERE frozen > {lowest}"))
                    : NULL;
    ListCell *cell, *match_cell;

    if (new->source != old->source || new->read != old->read || new->only != old->only)
        refuse_change("table");
    if (rollup->is_altered && rollup_is_filled(rollup))
        foreach (cell, old->columns)
            ((RollupColumn *)lfirst(cell))->is_filling = false;
    matched = match(rollup, asked, apart->columns);
    forboth(cell, asked, match_cell, matched)
    {
        RollupColumn *column = lfirst(cell), *before = lfirst(match_cell);

        if (column->key && before == NULL)
            refuse_change("groups");
        if (before) {
            keep(rollup, column, before);
            change->is_redefined = change->is_redefined || is_redefined(before, column);
            if (before == old->period)
                new->period = column;
        } else {
            before = frozen ? computed_as(column->expression, old->columns) : NULL;
            change->added = lappend(change->added, column);
            change->copied = lappend(change->copied, before);
            column->is_filling = true;
            column->since = before ? before->since : frozen;
        }
    }
    /* In the order in which they are stored: what comes is last. */
    foreach (cell, old->columns) {
        RollupColumn *column = lfirst(cell), *after = NULL;
        ListCell *of_new;

        forboth(match_cell, matched, of_new, asked)
        {
            if (lfirst(match_cell) == column)
                after = lfirst(of_new);
        }
        if (after)
            columns = lappend(columns, after);
        else if (column->key)
            refuse_change("groups");
        change->after = lappend(change->after, after);
        change->drops = change->drops || after == NULL;
    }
    new->columns = list_concat(columns, change->added);
    if (old->period == NULL)
        new->period = NULL;
    change->is_stale = (old->where == NULL) != (new->where == NULL) ||
                       (old->where && strcmp(old->where, new->where) != 0);
    foreach (cell, change->is_stale ? new->columns : NIL)
        ((RollupColumn *)lfirst(cell))->is_filling = false;
    change->query = new;
    change->old = old->columns;
    change->visible = apart->columns;
    change->having = apart->having;
    if (frozen)
        check_frozen(rollup, change, asked, matched, apart->readers);
    return change;
}

/* ---- what is shown ---- */

static const char *
shown_as(const Change *change, const RollupColumn *column)
{
    return change->visible ? column->expression : column->name;
}

/* What a column of the view becomes, of those that no other one does; see was(). */
static RollupColumn *
becomes(const Change *change, const RollupColumn *column, Way way, const List *rest)
{
    const RollupColumn *group = named(change->query->columns, column->expression);
    ListCell *cell;

    foreach (cell, rest) {
        RollupColumn *other = lfirst(cell);
        const RollupColumn *stored = named(change->query->columns, shown_as(change, other));

        if (way == BY_EXPRESSION ? strcmp(shown_as(change, other), column->expression) == 0
                                 : strcmp(other->name, column->name) == 0 &&
                                       !(group && group->key) && !(stored && stored->key))
            return other;
    }
    return NULL;
}

List *
rollup_choose_visible(Rollup *rollup, const Change *change)
{
    List *before = visible_before(rollup, change), *after = NIL, *chosen = NIL;
    List *rest = list_copy(change->visible ? change->visible : change->query->columns);
    StringInfoData shown;
    ListCell *cell, *other;

    foreach (cell, before)
        after = lappend(after, NULL);
    for (Way way = BY_NAME; way < WAYS; way++)
        forboth(cell, before, other, after)
        {
            if (lfirst(other) == NULL)
                lfirst(other) = becomes(change, lfirst(cell), way, rest);
            rest = list_delete_ptr(rest, lfirst(other));
        }
    forboth(cell, before, other, after)
    {
        if (lfirst(other)) {
            check_type(rollup, lfirst(cell), lfirst(other));
            chosen = lappend(chosen, lfirst(other));
        }
    }
    chosen = list_concat(chosen, rest);
    rollup->labels = rollup_names_of(chosen);
    if (change->visible == NULL && !OidIsValid(rollup->parts[ROLLUP_PARTS]))
        return rollup_names_of(after);
    initStringInfo(&shown);
    foreach (cell, chosen)
        appendStringInfo(&shown, "%s%s AS %s", shown.len ? ",\n       " : "",
                         shown_as(change, lfirst(cell)), ((RollupColumn *)lfirst(cell))->name);
    rollup->shown = shown.data;
    rollup->having = change->having;
    return rollup_names_of(after);
}
