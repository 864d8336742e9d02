/*
 * alter.c - changing the query of a rollup: rollup_alter.
 *
 * change.c finds what differs. The stored groups keep the columns that stay, to the byte. Columns
 * that came, or are computed in another way, are taken from the rows (NAME_filling) until a refresh
 * has stored them, in all groups that are not frozen; who does not select them does not read the
 * table. Those bounds are columns of the state that are dropped and added with a default, which
 * holds for row versions of every age: so a snapshot of before the change sees the new columns
 * right, too. Another WHERE is such a bound for all columns.
 *
 * Locks, in this order: the table and what is below it, so that no writer is between a row and what
 * it logs; the view, as readers do; the state, as refreshes do; the other parts.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/change.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* ---- what is stored ---- */

/* By way of names that none has, as two may change places. */
static void
rename_columns(Oid relation, const List *from, const List *to)
{
    const char *table = rollup_relation_name(relation);
    ListCell *old, *new;

    for (int step = 1; step <= 2; step++)
        forboth(old, from, new, to)
        {
            const char *between = psprintf(ROLLUP_GONE "_%d", foreach_current_index(old));

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
                       ((RollupColumn *)lfirst(cell))->name,
                       rollup_name_after(change, lfirst(from)), change->query->period->name,
                       rollup_relation_name(rollup->state));
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
            names = lappend(names, (char *)rollup_label_of(*view, number));
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
    List *shown = rollup_choose_visible(rollup, change), *stored = rollup_names_of(change->after);
    List *marked = lcons((char *)"mark", list_copy(stored));
    bool is_filling = false;
    ListCell *cell;

    rollup->called = rollup_relation_name(rollup->view);
    rollup_execute(rollup_text(rollup, "{forget_parts}"));
    again[ROLLUP_VIEW] = put_away(rollup, ROLLUP_VIEW, shown, false);
    rollup->view = parts[ROLLUP_VIEW];
    if (rollup->shown)
        rollup->labels = rollup_names_of(change->query->columns);
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
            (rollup_owner_of(rollup->parts[parts[i]]) != rollup->owner ||
             !ConditionalLockRelationOid(rollup->parts[parts[i]], AccessExclusiveLock)))
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
    Query *query;
    Jsonb *merge;
    ListCell *cell;

    view = lock_parts(rollup, view);
    known = stored_columns(view, &shown, &readers);
    MemoryContextSwitchTo(rollup->caller);
    known = copyObject(known);
    readers = copyObject(readers);
    rollup_end(rollup);
    /* Names are those of the caller's search_path; all else is the owner's, who can replace it. */
    query = rollup_parse(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    rollup = rollup_begin_change_of(fcinfo, view, InvalidOid, false);
    apart = rollup_take_apart(query, known, readers, shown, rollup->sketches);
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
    change = rollup_compare(
        rollup, rollup_analyze(apart.query, InvalidOid, merge, rollup->sketches), &apart);
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
