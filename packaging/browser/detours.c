/*
 * detours.c - functions of PostgreSQL and of the C library that PGlite's main module does not show, made of those that
 * it shows.
 *
 * Only those that have to know the server's own state are here; the others come from whole files of PostgreSQL, see
 * Makefile. All of it is gone once PGlite exports what sketches imports, as it does for extensions in its own tree.
 */
#include "detours.h"

#include <errno.h>
#include <stdlib.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "commands/tablecmds.h"
#include "nodes/pg_list.h"
#include "pgtime.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

int
detour_replication_role(void)
{
    const char *role = GetConfigOption("session_replication_role", false, false);

    return strcmp(role, "replica") == 0 ? SESSION_REPLICATION_ROLE_REPLICA
           : strcmp(role, "local") == 0 ? SESSION_REPLICATION_ROLE_LOCAL
                                        : SESSION_REPLICATION_ROLE_ORIGIN;
}

/* Of a value that is short or not toasted, it would be a copy: nobody asks for that here. */
struct varlena *
detoast_attr(struct varlena *value)
{
    return pg_detoast_datum(value);
}

TimestampTz
GetCurrentTransactionStartTimestamp(void)
{
    return DatumGetTimestampTz(OidFunctionCall1(F_NOW, (Datum)0));
}

Datum
interval_out(PG_FUNCTION_ARGS)
{
    return OidFunctionCall1(F_INTERVAL_OUT, PG_GETARG_DATUM(0));
}

/* Whether there is such a zone is all that is asked: the setting takes it. 0 says no, -1 yes. */
pg_tz *
pg_tzset(const char *name)
{
    static double zone;

    if (set_config_option("TimeZone", name, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SET, false,
                          DEBUG5, false) == 0)
        return NULL;
    return (pg_tz *)&zone;
}

/* Of one right, the server says whether a role has it. */
AclMode
pg_class_aclmask(Oid table, Oid role, AclMode mask, AclMaskHow how)
{
    AclMode held = 0;

    (void)how;
    for (AclMode right = 1; right != 0 && right <= mask; right <<= 1)
        if ((mask & right) && pg_class_aclcheck(table, role, right) == ACLCHECK_OK)
            held |= right;
    return held;
}

/*
 * The server reports it by an error only, and by the same one that a table is open twice: whoever asks has opened it
 * once. Nothing was begun that would have to be rolled back.
 */
bool
detour_has_pending_triggers(Oid table)
{
    MemoryContext caller = CurrentMemoryContext;
    Relation relation = RelationIdGetRelation(table);
    volatile bool has = false;

    RelationClose(relation);
    PG_TRY();
    {
        CheckTableNotInUse(relation, "use");
    }
    PG_CATCH();
    {
        if (geterrcode() != ERRCODE_OBJECT_IN_USE)
            PG_RE_THROW();
        MemoryContextSwitchTo(caller);
        FlushErrorState();
        has = true;
    }
    PG_END_TRY();
    return has;
}

/* As the catalog has them; the planner would simplify them first. Of a predicate, the list has one. */
List *
detour_index_nodes(Relation index, AttrNumber column)
{
    bool is_null;
    Datum value = SysCacheGetAttr(INDEXRELID, index->rd_indextuple, column, &is_null);
    Node *nodes = is_null ? NULL : stringToNode(TextDatumGetCString(value));

    return nodes == NULL || IsA(nodes, List) ? (List *)nodes : list_make1(nodes);
}

/* An update of the row of pg_class that changes nothing has the server forget what it keeps of the table. */
void
CacheInvalidateRelcacheByRelid(Oid table)
{
    Relation classes = table_open(RelationRelationId, RowExclusiveLock);
    HeapTuple locked = SearchSysCacheLocked1(RELOID, ObjectIdGetDatum(table));
    HeapTuple row;
    ItemPointerData place;

    if (!HeapTupleIsValid(locked))
        elog(ERROR, "cache lookup failed for relation %u", table);
    row = heap_copytuple(locked);
    place = row->t_self;
    ReleaseSysCache(locked);
    CatalogTupleUpdate(classes, &place, row);
    UnlockTuple(classes, &place, InplaceUpdateTupleLock);
    heap_freetuple(row);
    table_close(classes, RowExclusiveLock);
}

void
CacheInvalidateRelcache(Relation relation)
{
    CacheInvalidateRelcacheByRelid(RelationGetRelid(relation));
}

/* ---- the C library ---- */

int
madvise(void *begin, size_t size, int advice)
{
    (void)begin;
    (void)size;
    (void)advice;
    errno = ENOSYS;
    return -1;
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    return *memory ? 0 : ENOMEM;
}
