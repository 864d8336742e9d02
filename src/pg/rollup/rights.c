/*
 * rights.c - what keeps a rollup from writing or reading: triggers of others, row-level security,
 * writes of its own session.
 */
#include "pg/rollup/rollup.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"

void
rollup_check_part(Oid part)
{
    Relation relation = relation_open(part, AccessShareLock);
    List *names = NIL, *functions = NIL;
    ListCell *name, *function;

    for (int i = 0; relation->trigdesc && i < relation->trigdesc->numtriggers; i++) {
        names = lappend(names, pstrdup(relation->trigdesc->triggers[i].tgname));
        functions = lappend_oid(functions, relation->trigdesc->triggers[i].tgfoid);
    }
    relation_close(relation, AccessShareLock);
    forboth(name, names, function, functions)
    {
        HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(lfirst_oid(function)));
        Oid owner =
            HeapTupleIsValid(tuple) ? ((Form_pg_proc)GETSTRUCT(tuple))->proowner : InvalidOid;

        if (HeapTupleIsValid(tuple))
            ReleaseSysCache(tuple);
        if (OidIsValid(owner) && !has_privs_of_role(owner, GetUserId()))
            ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                            errmsg("trigger %s of %s would run a function of %s as %s",
                                   quote_identifier(lfirst(name)), rollup_relation_name(part),
                                   quote_identifier(GetUserNameFromId(owner, false)),
                                   quote_identifier(GetUserNameFromId(GetUserId(), false))),
                            errhint("DROP TRIGGER %s ON %s;", quote_identifier(lfirst(name)),
                                    rollup_relation_name(part))));
    }
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
