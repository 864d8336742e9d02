/*
 * alter.c - changing the query of a rollup: rollup_alter.
 *
 * The new query is given as a whole; what differs is found by columns. The stored groups keep the
 * columns that stay, to the byte. Columns that came, or are computed in another way, are taken from
 * the rows (NAME_filling) until a refresh has stored them, in all groups that are not frozen; who
 * does not select them does not read the table. Those bounds are columns of the state that are
 * dropped and added with a default, which holds for row versions of every age: so a snapshot of
 * before the change sees the new columns right, too. Another WHERE is such a bound for all columns.
 *
 * Locks, in this order: the table and what is below it, so that no writer is between a row and what
 * it logs; the view, as readers do; the state, as refreshes do; the other parts.
 */
#include "pg/rollup/rollup.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "rewrite/rewriteManip.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

/* What becomes of the query. */
typedef struct Change {
    RollupQuery *query; /* the new one, with its columns as they are stored */
    List *old, *after;  /* the columns that are stored; what each becomes, or NULL: it goes */
    List *added;
    List *copied;  /* of those added, what has the same of frozen groups, or NULL */
    List *visible; /* what the view shows of its parts; NIL: all of them */
    const char *having;
    bool drops;        /* a column */
    bool is_redefined; /* a column that stays */
    bool is_stale;     /* all groups that are not frozen */
} Change;

/* What a column that goes is called, as no column is. */
#define GONE "rollup_gone"

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

static const char *
label_of(Oid view, int number)
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
        const char *label = shown ? NULL : label_of(rollup->view, number);

        foreach (target, shown) {
            const TargetEntry *entry = lfirst(target);

            if (IsA(entry->expr, Var) && ((Var *)entry->expr)->varattno == number)
                label = label_of(rollup->view, entry->resno);
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

/*
 * Whether all columns are stored, for every snapshot that somebody may still read by: then none of
 * them has to be taken from the rows again.
 */
bool
rollup_is_filled(Rollup *rollup)
{
    Relation state = table_open(rollup->state, NoLock);
    TransactionId horizon = GetOldestNonRemovableTransactionId(state);

    table_close(state, NoLock);
    return rollup_ask("SELECT 1 FROM ONLY %s WHERE unfilled IS NULL AND age(xmin) > age('%u'::xid)",
                      rollup_relation_name(rollup->state), horizon) != NULL;
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

/* What a column that is stored will be called; NULL: it goes. */
static const char *
name_after(const Change *change, const RollupColumn *column)
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
        const char *name = name_after(change, lfirst(cell));

        names = lappend(names, linitial(sketches_name_list(name ? name : GONE)));
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
        const char *name = name_after(change, stored);

        *column = *stored;
        column->expression = name ? name : GONE;
        columns = lappend(columns, column);
        if (!OidIsValid(rollup->parts[ROLLUP_PARTS]))
            column->name = label_of(rollup->view, foreach_current_index(cell) + 1);
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
        *column = (RollupColumn){.name = label_of(rollup->view, target->resno),
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

static Change *
compare(Rollup *rollup, RollupQuery *new, const RollupApart *apart)
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

/* ---- what is stored ---- */

static List *
names_of(const List *columns)
{
    List *names = NIL;
    ListCell *cell;

    foreach (cell, columns)
        names = lappend(names, lfirst(cell) ? (char *)((RollupColumn *)lfirst(cell))->name : NULL);
    return names;
}

/* By way of names that none has, as two may change places. */
static void
rename_columns(Oid relation, const List *from, const List *to)
{
    const char *table = rollup_relation_name(relation);
    ListCell *old, *new;

    for (int step = 1; step <= 2; step++)
        forboth(old, from, new, to)
        {
            const char *between = psprintf(GONE "_%d", foreach_current_index(old));

            if (strcmp(lfirst(old), lfirst(new)) != 0)
                rollup_run("ALTER TABLE %s RENAME %s TO %s", table,
                           step == 1 ? (char *)lfirst(old) : between,
                           step == 1 ? between : (char *)lfirst(new));
        }
}

/* The parts that are made again; the view, and that of its parts, others may depend on. */
static const RollupPart inner[] = {ROLLUP_LIVE,    ROLLUP_FILLING, ROLLUP_FRESH, ROLLUP_LATE,
                                   ROLLUP_CHANGES, ROLLUP_FLOW,    ROLLUP_QUERY};

static void
alter_tables(const Rollup *rollup, const Change *change)
{
    static const RollupPart tables[] = {ROLLUP_ROWS, ROLLUP_LOG};

    for (size_t i = 0; i < lengthof(tables); i++) {
        const char *table = rollup_relation_name(rollup->parts[tables[i]]);
        List *from = NIL, *to = NIL;
        ListCell *cell, *after;

        forboth(cell, change->old, after, change->after)
        {
            const char *name = ((RollupColumn *)lfirst(cell))->name;

            if (lfirst(after)) {
                from = lappend(from, (char *)name);
                to = lappend(to, (char *)((RollupColumn *)lfirst(after))->name);
            } else
                rollup_run("ALTER TABLE %s DROP %s", table, name);
        }
        rename_columns(rollup->parts[tables[i]], from, to);
        foreach (cell, change->added)
            rollup_run("ALTER TABLE %s ADD %s", table, ((RollupColumn *)lfirst(cell))->declared);
    }
}

/* Once the state names its parts again, by which triggers of levels on what is stored know it. */
static void
copy_frozen(const Rollup *rollup, const Change *change)
{
    static const RollupPart tables[] = {ROLLUP_ROWS, ROLLUP_LOG};
    ListCell *cell, *from;

    forboth(cell, change->added, from, change->copied)
    {
        for (size_t i = 0; lfirst(from) && i < lengthof(tables); i++)
            rollup_run("UPDATE %s SET %s = %s WHERE %s < (SELECT frozen FROM %s)",
                       rollup_relation_name(rollup->parts[tables[i]]),
                       ((RollupColumn *)lfirst(cell))->name, name_after(change, lfirst(from)),
                       change->query->period->name, rollup_relation_name(rollup->state));
    }
}

/* What of the columns is not known of all groups, as the state has it. */
static const char *
since_of(const RollupQuery *query)
{
    StringInfoData list;
    ListCell *cell;

    initStringInfo(&list);
    foreach (cell, query->columns) {
        RollupColumn *column = lfirst(cell);

        if (column->since)
            appendStringInfo(&list, "%s%s, %s", list.len ? ", " : "",
                             quote_literal_cstr(strVal(linitial(sketches_name_list(column->name)))),
                             quote_literal_cstr(column->since));
    }
    return psprintf("jsonb_build_object(%s)", list.data);
}

static void
alter_state(Rollup *rollup, const Change *change, bool is_filling)
{
    static const char again[] = "ALTER TABLE {state} DROP %1$s, ADD %1$s {bound_type} DEFAULT %2$s";
    const char *state = rollup_relation_name(rollup->state);
    const char *everything = rollup->query->period ? "{highest}" : "true";

    if (!rollup->is_altered)
        rollup_execute(rollup_text(rollup, "ALTER TABLE {state} ADD since jsonb, ADD stale "
                                           "{bound_type}, ADD unfilled {bound_type}"));
    rollup->is_altered = true;
    if (change->is_stale)
        rollup_execute(rollup_text(rollup, psprintf(again, "stale", everything)));
    if (is_filling)
        rollup_execute(rollup_text(rollup, psprintf(again, "unfilled", everything)));
    rollup_run("ALTER TABLE %s ALTER stale DROP DEFAULT, ALTER unfilled DROP DEFAULT, "
               "ALTER merge SET DEFAULT %s",
               state, quote_literal_cstr(rollup->merge));
    rollup_run("UPDATE %s SET merge = %s, since = %s%s", state, quote_literal_cstr(rollup->merge),
               since_of(change->query), is_filling ? "" : ", unfilled = NULL");
}

/* ---- the view, and that of its parts ---- */

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

/*
 * Sets what the view shows: what it has first, by the names of the new query. Returns what becomes
 * of the names that it has; NULL: it goes.
 */
static List *
choose_visible(Rollup *rollup, const Change *change)
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
    rollup->labels = names_of(chosen);
    if (change->visible == NULL && !OidIsValid(rollup->parts[ROLLUP_PARTS]))
        return names_of(after);
    initStringInfo(&shown);
    foreach (cell, chosen)
        appendStringInfo(&shown, "%s%s AS %s", shown.len ? ",\n       " : "",
                         shown_as(change, lfirst(cell)), ((RollupColumn *)lfirst(cell))->name);
    rollup->shown = shown.data;
    rollup->having = change->having;
    return names_of(after);
}

/* A view that is made again: whether it was dropped, and what belongs to it. */
typedef struct Again {
    bool was_dropped;
    char *belongings;
} Again;

/*
 * Puts away a part, if it is there, to be made again where it was. labels: what becomes of the
 * names of its columns; NULL: it goes, and the part is dropped.
 */
static Again
put_away(Rollup *rollup, RollupPart part, const List *labels, bool is_dropped)
{
    Oid *view = &rollup->parts[part];
    Again again = {is_dropped || list_member_ptr(labels, NULL), NULL};
    List *names = NIL;

    if (!OidIsValid(*view))
        return (Again){false, NULL};
    rollup->taken[part] = rollup_relation_name(*view);
    again.belongings = rollup_belongings(*view, labels, again.was_dropped);
    if (!again.was_dropped) {
        for (int number = 1; number <= list_length(labels); number++)
            names = lappend(names, (char *)label_of(*view, number));
        rename_columns(*view, names, labels);
    }
    rollup_put_away(rollup, view, again.was_dropped);
    return again;
}

static void
change_query(Rollup *rollup, const Change *change)
{
    Oid *parts = rollup->parts;
    Again again[ROLLUP_PART_COUNT] = {{false}};
    List *shown = choose_visible(rollup, change), *stored = names_of(change->after);
    List *marked = lcons((char *)"mark", list_copy(stored));
    bool is_filling = false;
    ListCell *cell;

    rollup->called = rollup_relation_name(rollup->view);
    rollup_execute(rollup_text(rollup, "{forget_parts}"));
    again[ROLLUP_VIEW] = put_away(rollup, ROLLUP_VIEW, shown, false);
    rollup->view = parts[ROLLUP_VIEW];
    if (rollup->shown)
        rollup->labels = names_of(change->query->columns);
    again[ROLLUP_PARTS] = put_away(rollup, ROLLUP_PARTS, stored, false);
    for (size_t i = 0; i < lengthof(inner); i++) {
        RollupPart part = inner[i];
        bool has_mark = part == ROLLUP_FLOW || part == ROLLUP_CHANGES;

        /* Levels read the changes. Which columns are filling is another matter each time. */
        again[part] = put_away(rollup, part,
                               has_mark                 ? marked
                               : part == ROLLUP_FILLING ? NIL
                                                        : stored,
                               part != ROLLUP_CHANGES);
    }
    foreach (cell, change->query->columns)
        is_filling = is_filling || ((RollupColumn *)lfirst(cell))->is_filling;
    alter_tables(rollup, change);
    rollup->query = change->query;
    rollup->makes_live = is_filling;
    alter_state(rollup, change, is_filling);
    rollup_execute(rollup_text(rollup, "{query_view}"));
    rollup_execute_all(rollup_statements(rollup, "views"));
    rollup_execute_all(rollup_statements(rollup, "names"));
    copy_frozen(rollup, change);
    rollup->view = RangeVarGetRelid(makeRangeVarFromNameList(sketches_name_list(rollup->called)),
                                    NoLock, false);
    rollup->called = NULL;
    rollup->labels = NIL;
    rollup->shown = rollup->having = NULL;
    (void)rollup_find(rollup, rollup->view, InvalidOid);
    for (RollupPart part = ROLLUP_VIEW; part < ROLLUP_PART_COUNT; part++)
        rollup_give_back(parts[part], again[part].was_dropped, again[part].belongings);
}

/* Whether this session is at work with it, as a cursor. */
static bool
is_used(Oid relation)
{
    Relation opened = table_open(relation, NoLock);
    bool used = opened->rd_refcnt > 1;

    table_close(opened, NoLock);
    return used;
}

/* Nobody waits for this, nor does it wait for a reader: another refresh comes. */
void
rollup_settle(Rollup *rollup)
{
    const RollupPart shown = rollup_has(rollup, ROLLUP_PARTS) ? ROLLUP_PARTS : ROLLUP_VIEW;
    const RollupPart parts[] = {shown,       ROLLUP_LIVE, ROLLUP_FILLING, ROLLUP_FRESH,
                                ROLLUP_LATE, ROLLUP_FLOW, ROLLUP_CHANGES};
    const char *live = rollup_part(rollup, ROLLUP_LIVE);
    const char *filling = rollup_part(rollup, ROLLUP_FILLING);

    for (size_t i = 0; i < lengthof(parts); i++)
        if (OidIsValid(rollup->parts[parts[i]]) &&
            !ConditionalLockRelationOid(rollup->parts[parts[i]], AccessExclusiveLock))
            return;
    if (!ConditionalLockRelationOid(rollup->state, AccessExclusiveLock) || is_used(rollup->state))
        return;
    rollup_run("ALTER TABLE %s ALTER live DROP DEFAULT, ALTER filling DROP DEFAULT",
               rollup_relation_name(rollup->state));
    rollup->parts[ROLLUP_LIVE] = rollup->parts[ROLLUP_FILLING] = InvalidOid;
    rollup_execute_all(rollup_statements(rollup, "views"));
    rollup_run("DROP VIEW %s, %s", live, filling);
}

/* ---- rollup_alter ---- */

/*
 * In the order of the comment above; before anything of it is read. Returns the view, which who
 * waited may find to be another one.
 */
static Oid
lock_parts(Rollup *rollup, Oid view)
{
    static const RollupPart parts[] = {ROLLUP_PARTS, ROLLUP_LIVE, ROLLUP_FILLING, ROLLUP_QUERY,
                                       ROLLUP_FRESH, ROLLUP_LATE, ROLLUP_CHANGES, ROLLUP_FLOW,
                                       ROLLUP_ROWS,  ROLLUP_LOG};
    Oid state = rollup_peek_parts(view, rollup->parts);
    Rollup below;
    RollupQuery source = {0};
    ListCell *cell;

    if (!OidIsValid(state))
        rollup_raise_unknown(rollup_relation_name(view));
    rollup->name = get_rel_name(view);
    rollup->owner = rollup_owner_of(state);
    rollup_check_owner(rollup);
    rollup_become_owner(rollup);
    if (OidIsValid(rollup->parts[ROLLUP_QUERY]) &&
        rollup_owner_of(rollup->parts[ROLLUP_QUERY]) == rollup->owner) {
        source.source = rollup_source_of(rollup_peek_query(rollup->parts[ROLLUP_QUERY]));
        rollup_read_below(rollup->parts, below.parts);
        if (OidIsValid(below.parts[ROLLUP_ROWS])) {
            source.below = &below;
            source.source = below.parts[ROLLUP_ROWS];
        }
        rollup_lock_source(&source);
        foreach (cell, source.tables)
            LockRelationOid(lfirst_oid(cell), ShareRowExclusiveLock);
        rollup_read_parts(state, rollup->parts);
    }
    view = rollup->parts[ROLLUP_VIEW];
    if (rollup_owner_of(view) != rollup->owner)
        rollup_raise_unknown(rollup->name);
    LockRelationOid(view, AccessExclusiveLock);
    LockRelationOid(state, AccessExclusiveLock);
    for (size_t i = 0; i < lengthof(parts); i++)
        if (OidIsValid(rollup->parts[parts[i]]) &&
            rollup_owner_of(rollup->parts[parts[i]]) == rollup->owner)
            LockRelationOid(rollup->parts[parts[i]], AccessExclusiveLock);
    return view;
}

static bool
is_same_aggregate(const TargetEntry *one, const TargetEntry *other)
{
    return IsA(one->expr, Aggref) && IsA(other->expr, Aggref) &&
           ((Aggref *)one->expr)->aggfnoid == ((Aggref *)other->expr)->aggfnoid &&
           (strcmp(one->resname, other->resname) == 0 ||
            rollup_means_same((Node *)one->expr, (Node *)other->expr));
}

/*
 * What merges columns, as the user gave it: before, for an aggregate, whatever its name is now. One
 * that has taken the name of another has nothing of that.
 */
static Jsonb *
merge_of(Rollup *rollup, const Jsonb *given, const List *known, const List *targets)
{
    StringInfoData pairs;
    ListCell *cell, *other;
    char *both;

    initStringInfo(&pairs);
    foreach (cell, targets)
        foreach (other, known) {
            const TargetEntry *new = lfirst(cell), *old = lfirst(other);

            if (is_same_aggregate(old, new))
                appendStringInfo(&pairs, "%s(%s, %s)", pairs.len ? ", " : "",
                                 quote_literal_cstr(new->resname),
                                 quote_literal_cstr(old->resname));
        }
    both =
        rollup_ask("SELECT coalesce((SELECT jsonb_object_agg(new, merge -> old ORDER BY new = old)"
                   " FROM (VALUES %s) AS c (new, old) WHERE merge ? old), '{}') || %s"
                   " FROM (VALUES (%s::jsonb)) AS s (merge)",
                   pairs.len ? pairs.data : "(NULL, NULL)",
                   quote_literal_cstr(JsonbToCString(NULL, (JsonbContainer *)&given->root, 0)),
                   quote_literal_cstr(rollup->merge));
    return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(both)));
}

static List *
readers_of(Oid view, int count)
{
    Query *query = rollup_query_of(view);
    ListCell *cell;

    foreach (cell, query->targetList)
        lfirst_node(TargetEntry, cell)->resname =
            get_attname(view, lfirst_node(TargetEntry, cell)->resno, false);
    return rollup_readers_of(query->targetList, query->jointree->quals, rollup_source_number(query),
                             count);
}

/* The columns that are stored, of which equal ones keep their names; see rollup_take_apart(). */
static List *
stored_columns(Oid view, Oid *shown, List **readers)
{
    Oid parts[ROLLUP_PART_COUNT], below[ROLLUP_PART_COUNT];
    List *columns = NIL;

    (void)rollup_peek_parts(view, parts);
    rollup_read_below(parts, below);
    *shown = OidIsValid(below[ROLLUP_PARTS]) ? below[ROLLUP_VIEW] : InvalidOid;
    if (OidIsValid(parts[ROLLUP_QUERY]))
        columns = rollup_targets_of(parts[ROLLUP_QUERY]);
    *readers = OidIsValid(parts[ROLLUP_PARTS]) ? readers_of(view, list_length(columns)) : NIL;
    return columns;
}

PG_FUNCTION_INFO_V1(sketches_rollup_alter);
Datum
sketches_rollup_alter(PG_FUNCTION_ARGS)
{
    Oid view = PG_GETARG_OID(0), shown;
    const Jsonb *given = PG_GETARG_JSONB_P(2);
    Rollup *rollup = rollup_begin(fcinfo);
    List *known, *readers;
    RollupApart apart;
    RollupQuery *old;
    Change *change;
    Jsonb *merge;
    ListCell *cell;

    view = lock_parts(rollup, view);
    known = stored_columns(view, &shown, &readers);
    MemoryContextSwitchTo(rollup->caller);
    known = copyObject(known);
    readers = copyObject(readers);
    rollup_end(rollup);
    /* Names are those of the caller's search_path. */
    apart = rollup_take_apart(text_to_cstring(PG_GETARG_TEXT_PP(1)), known, readers, shown,
                              rollup->sketches);
    rollup = rollup_begin_change_of(fcinfo, view, InvalidOid, false);
    if (rollup->is_distributed)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("the query of a rollup of a distributed table cannot change"),
                        errhint("Make a second rollup.")));
    if (rollup->query->joins || !IsA(linitial(apart.query->jointree->fromlist), RangeTblRef))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("the query of a rollup of joined tables cannot change"),
                        errhint("Make a second rollup.")));
    foreach (cell, rollup->query->tables)
        rollup_check_writes(lfirst_oid(cell));
    if (rollup->form == 0)
        rollup_make_again(rollup, !rollup_has_triggers(rollup));
    merge = merge_of(rollup, given, known, apart.query->targetList);
    old = rollup->query;
    change =
        compare(rollup, rollup_analyze(apart.query, InvalidOid, merge, rollup->sketches), &apart);
    if (change->drops || change->is_stale || change->is_redefined ||
        ((change->visible || change->having) && !rollup_has(rollup, ROLLUP_PARTS)))
        rollup_check_levels(rollup, "Aggregates can be added and renamed; averages and "
                                    "expressions, only if the rollup has some already.");
    rollup->query = change->query;
    rollup_take_merge(rollup, given);
    rollup->merge = rollup_ask("SELECT coalesce(jsonb_object_agg(key, value), '{}')"
                               " FROM jsonb_each(%s) WHERE key = ANY (%s)",
                               quote_literal_cstr(JsonbToCString(NULL, &merge->root, 0)),
                               rollup_text(rollup, "{aggregates}"));
    rollup->query = old;
    change_query(rollup, change);
    rollup_try(rollup);
    rollup_end(rollup);
    PG_RETURN_VOID();
}
