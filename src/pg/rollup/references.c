/*
 * references.c - what foreign keys and snapshots say of the rows that facts are joined to.
 *
 * A star need not log a row that comes into a table to which its facts have a foreign key: no fact
 * is older. That holds as long as PostgreSQL enforces the key whenever the triggers of the rollup
 * fire, and for a writer whose snapshot knows of no other key than those of now.
 *
 * A writer may miss rows that nobody logged: by policies of row security; and in a transaction that
 * keeps its snapshot, when since then a key went that had spared a row the log, or ALTER TABLE
 * wrote a table anew. He marks his groups instead of adding to them.
 */
#include "pg/rollup/rollup.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "commands/trigger.h"
#include "parser/parsetree.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* Whether BEFORE triggers or rules may keep rows of a table from going, or from changing. */
static bool
may_keep_rows(Relation table)
{
    const TriggerDesc *triggers = table->trigdesc;

    /* Those of partitions are not looked for. */
    return table->rd_rel->relkind != RELKIND_RELATION || table->rd_rel->relhassubclass ||
           table->rd_rules ||
           (triggers && (triggers->trig_delete_before_row || triggers->trig_update_before_row));
}

static bool
is_check(char action)
{
    return action == FKCONSTR_ACTION_NOACTION || action == FKCONSTR_ACTION_RESTRICT;
}

/*
 * Whether a foreign key of a table is enforced whenever a row is written, and was for all that are
 * there. One that only checks cannot be got round; others, as ON DELETE CASCADE, write rows.
 */
static bool
is_enforced(Oid key, Relation table)
{
    HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(key));
    bool is = false;

    if (HeapTupleIsValid(tuple)) {
        Form_pg_constraint form = (Form_pg_constraint)GETSTRUCT(tuple);

        is =
            form->convalidated && !form->condeferrable &&
            ((is_check(form->confdeltype) && is_check(form->confupdtype)) || !may_keep_rows(table));
        ReleaseSysCache(tuple);
    }
    return is;
}

/* A table that has children, to which its foreign keys do not apply. */
static bool
has_children(Relation table)
{
    return table->rd_rel->relkind == RELKIND_RELATION && table->rd_rel->relhassubclass;
}

/* Whether foreign keys of and to a table are checked whenever the triggers of its rollups fire. */
static bool
checks_keys(Relation table)
{
    const TriggerDesc *triggers = table->trigdesc;

    for (int i = 0; triggers && i < triggers->numtriggers; i++) {
        char enabled = triggers->triggers[i].tgenabled;

        if (enabled == TRIGGER_FIRES_ON_REPLICA ||
            enabled ==
                (triggers->triggers[i].tgisinternal ? TRIGGER_DISABLED : TRIGGER_FIRES_ALWAYS))
            return false;
    }
    return true;
}

/*
 * Whether the rows that find one of a table by its key have a foreign key to it. Then none of them
 * is older than what it is joined to, and a row that comes into the table changes nothing. Writers
 * of the facts join after their foreign keys were checked, as PostgreSQL fires triggers of rows
 * first.
 */
bool
rollup_is_referenced(const Query *query, int number)
{
    List *conditions = NIL;
    int from = 0;
    bool found = false, checked;
    Relation relation;
    ListCell *cell;

    foreach (cell, rollup_join_conditions(query, number)) {
        Var *beside;

        if (rollup_column_of(lfirst(cell), number) == 0)
            continue;
        beside = rollup_column_beside(lfirst(cell), number);
        if (beside == NULL || (from > 0 && beside->varno != from))
            return false;
        from = beside->varno;
        conditions = lappend(conditions, lfirst(cell));
    }
    relation = rollup_peek(rt_fetch(number, query->rtable)->relid);
    checked = checks_keys(relation);
    RelationClose(relation);
    relation = rollup_peek(rt_fetch(from, query->rtable)->relid);
    foreach (cell, checked && checks_keys(relation) &&
                           !(rt_fetch(from, query->rtable)->inh && has_children(relation))
                       ? copyObject(RelationGetFKeyList(relation))
                       : NIL) {
        const ForeignKeyCacheInfo *key = lfirst(cell);
        bool is = key->confrelid == rt_fetch(number, query->rtable)->relid &&
                  is_enforced(key->conoid, relation);

        for (int i = 0; is && i < key->nkeys; i++) {
            ListCell *condition;

            is = false;
            foreach (condition, conditions)
                is = is ||
                     (rollup_column_of(lfirst(condition), number) == key->confkey[i] &&
                      rollup_column_beside(lfirst(condition), number)->varattno == key->conkey[i] &&
                      (lfirst_node(OpExpr, condition)->opno == key->conpfeqop[i] ||
                       get_commutator(lfirst_node(OpExpr, condition)->opno) == key->conpfeqop[i]));
        }
        found = found || is;
    }
    RelationClose(relation);
    return found;
}

static bool
has_lost_key(Relation facts, Snapshot snapshot)
{
    Relation constraints = table_open(ConstraintRelationId, AccessShareLock);
    ScanKeyData key;
    SysScanDesc scan;
    HeapTuple tuple;
    bool has_lost = false;

    ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(RelationGetRelid(facts)));
    scan =
        systable_beginscan(constraints, ConstraintRelidTypidNameIndexId, true, snapshot, 1, &key);
    while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
        Form_pg_constraint form = (Form_pg_constraint)GETSTRUCT(tuple);

        has_lost = has_lost || (form->contype == CONSTRAINT_FOREIGN && form->convalidated &&
                                !form->condeferrable &&
                                (has_children(facts) || !is_enforced(form->oid, facts)));
    }
    systable_endscan(scan);
    table_close(constraints, AccessShareLock);
    return has_lost;
}

bool
rollup_was_rewritten(Oid table, Snapshot snapshot, bool if_unknown)
{
    Relation relation = rollup_peek(table);
    Relation classes = table_open(RelationRelationId, AccessShareLock);
    ScanKeyData key;
    SysScanDesc scan;
    HeapTuple tuple;
    bool was = if_unknown;

    ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
    scan = systable_beginscan(classes, ClassOidIndexId, true, snapshot, 1, &key);
    tuple = systable_getnext(scan);
    if (HeapTupleIsValid(tuple))
        was = ((Form_pg_class)GETSTRUCT(tuple))->relfilenode != relation->rd_rel->relfilenode;
    systable_endscan(scan);
    table_close(classes, AccessShareLock);
    RelationClose(relation);
    return was;
}

/*
 * A snapshot of REPEATABLE READ finds nothing in a table that ALTER TABLE has written anew since;
 * and without a foreign key of then, a fact may come whose row came, and was not logged, after it.
 */
static bool
is_outdated(Oid facts, const List *joins)
{
    bool is;
    Relation relation;
    ListCell *cell;

    if (!IsolationUsesXactSnapshot())
        return false;
    /* As of its beginning: without what the transaction did itself. */
    PushCopiedSnapshot(GetTransactionSnapshot());
    GetActiveSnapshot()->curcid = FirstCommandId;
    relation = rollup_peek(facts);
    is = has_lost_key(relation, GetActiveSnapshot());
    RelationClose(relation);
    foreach (cell, joins)
        is = is || rollup_was_rewritten(lfirst_oid(cell), GetActiveSnapshot(), true);
    PopActiveSnapshot();
    return is;
}

bool
rollup_finds_joined(Oid facts, const List *joins)
{
    ListCell *cell;

    foreach (cell, joins) {
        LockRelationOid(lfirst_oid(cell), AccessShareLock);
        if (check_enable_rls(lfirst_oid(cell), InvalidOid, true) == RLS_ENABLED)
            return false;
    }
    return !is_outdated(facts, joins);
}
