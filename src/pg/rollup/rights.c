/*
 * rights.c - what keeps a rollup from writing or reading: triggers of others, row-level security,
 * writes of its own session.
 */
#include "pg/rollup/rollup.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"

static _Noreturn void
raise_trigger(Oid part, const char *name, const char *would)
{
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("trigger %s of %s would run %s as %s", quote_identifier(name),
                           rollup_relation_name(part), would,
                           quote_identifier(GetUserNameFromId(GetUserId(), false))),
                    errhint("DROP TRIGGER %s ON %s;", quote_identifier(name),
                            rollup_relation_name(part))));
}

/* What a foreign key deletes or changes fires triggers of its table. */
static _Noreturn void
raise_reference(Oid part, Oid table)
{
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("a foreign key of %s, which belongs to %s, references %s",
                           rollup_relation_name(table),
                           quote_identifier(GetUserNameFromId(rollup_owner_of(table), false)),
                           rollup_relation_name(part)),
                    errhint("Drop the key: only tables of the rollup's owner may reference it.")));
}

/* Conditions run as the owner, too; those of a rollup's own triggers are constant. */
void
rollup_check_part(Oid part)
{
    Relation relation = relation_open(part, AccessShareLock);
    int count = relation->trigdesc ? relation->trigdesc->numtriggers : 0;
    struct {
        const char *name;
        Oid function, referencing;
        bool is_ours;
    } *triggers = palloc(count * sizeof *triggers + 1);

    for (int i = 0; i < count; i++) {
        const Trigger *trigger = &relation->trigdesc->triggers[i];
        bool is_moved = false;

        triggers[i].name = pstrdup(trigger->tgname);
        triggers[i].function = trigger->tgfoid;
        triggers[i].referencing = trigger->tgisinternal ? trigger->tgconstrrelid : InvalidOid;
        triggers[i].is_ours =
            trigger->tgqual == NULL ||
            (OidIsValid(rollup_state_in(trigger->tgqual, &is_moved)) && !is_moved);
    }
    relation_close(relation, AccessShareLock);
    for (int i = 0; i < count; i++) {
        HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(triggers[i].function));
        Oid owner =
            HeapTupleIsValid(tuple) ? ((Form_pg_proc)GETSTRUCT(tuple))->proowner : InvalidOid;

        if (HeapTupleIsValid(tuple))
            ReleaseSysCache(tuple);
        if (OidIsValid(owner) && !has_privs_of_role(owner, GetUserId()))
            raise_trigger(
                part, triggers[i].name,
                psprintf("a function of %s", quote_identifier(GetUserNameFromId(owner, false))));
        if (OidIsValid(triggers[i].referencing) &&
            !has_privs_of_role(rollup_owner_of(triggers[i].referencing), GetUserId()))
            raise_reference(part, triggers[i].referencing);
        if (!triggers[i].is_ours)
            raise_trigger(part, triggers[i].name, "its condition");
    }
}

/* What the owner, who is at work, needs beside what rollup_create gave; NULL: nothing. */
char *
rollup_missing_right(const Rollup *rollup)
{
    StringInfoData parts;

    if (rollup_owner_of(rollup->state) != rollup->owner)
        return NULL;
    initStringInfo(&parts);
    appendStringInfo(&parts, "%u", rollup->state);
    for (int i = 0; i < ROLLUP_PART_COUNT; i++)
        if (OidIsValid(rollup->parts[i]) && i != ROLLUP_BELOW &&
            rollup_owner_of(rollup->parts[i]) == rollup->owner)
            appendStringInfo(&parts, ", %u", rollup->parts[i]);
    return rollup_ask(
        "WITH parts AS (SELECT oid, relnamespace, oid::regclass AS part, current_user::regrole AS "
        "owner FROM pg_class WHERE oid IN (%s))"
        " SELECT coalesce((SELECT format('%%s may not use schema %%I: GRANT USAGE ON SCHEMA %%2$I "
        "TO %%1$s', current_user::regrole, nspname) FROM pg_namespace AS n"
        " WHERE (oid = %u OR oid IN (SELECT relnamespace FROM parts))"
        " AND NOT has_schema_privilege(oid, 'USAGE') ORDER BY nspname LIMIT 1),"
        " (SELECT format('row-level security hides rows of %%s from its owner: ALTER TABLE %%1$s "
        "NO FORCE ROW LEVEL SECURITY', part) FROM parts WHERE row_security_active(oid)"
        " ORDER BY oid LIMIT 1),"
        " (SELECT format('%%s may not use %%s as a part of it: GRANT %%s ON %%2$s TO %%1$s',"
        " owner, part, string_agg(need, ', ')) FROM parts JOIN pg_class USING (oid),"
        " unnest(CASE relkind WHEN 'r' THEN '{SELECT,INSERT,UPDATE,DELETE}'::text[]"
        " ELSE '{SELECT}' END) AS need WHERE NOT has_table_privilege(oid, need)"
        " GROUP BY oid, owner, part ORDER BY oid LIMIT 1))",
        parts.data, rollup->sketches);
}

bool
rollup_is_hidden(Oid table)
{
    return check_enable_rls(table, InvalidOid, true) == RLS_ENABLED;
}

void
rollup_check_row_security(Oid table)
{
    if (rollup_is_hidden(table))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("row-level security hides rows of table \"%s\" from its rollup",
                               get_rel_name(table)),
                        errhint("Let a role make it to which row-level security does not apply.")));
}

/*
 * Between the rows of a statement and its trigger, a refresh would count the rows, and later what
 * the trigger logs of them. After a TRUNCATE, an older snapshot sees neither the rows nor the log.
 */
void
rollup_check_writes(Oid table)
{
    LOCKTAG tag;
    Relation relation;

    if (IsolationUsesXactSnapshot())
        ereport(ERROR,
                (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
                 errmsg("a rollup is refreshed and changed at isolation level READ COMMITTED only"),
                 errhint("Do it in a transaction of its own.")));
    /* Who writes has a lock; of all partitions, none is opened to find that out. */
    SET_LOCKTAG_RELATION(tag, MyDatabaseId, table);
    if (!sketches_holds_lock(&tag, RowExclusiveLock))
        return;
    relation = try_relation_open(table, AccessShareLock);
    if (relation == NULL)
        return;
    /* As CheckTableNotInUse(), which does not say what to do. */
    if (relation->rd_refcnt > 1 || AfterTriggerPendingOnRel(table))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
                        errmsg("cannot refresh a rollup of \"%s\" because it is being used by "
                               "active queries in this session",
                               RelationGetRelationName(relation)),
                        errhint("Do it in a statement of its own, when cursors that read it are "
                                "closed.")));
    relation_close(relation, NoLock);
}
