/*
 * state.c - the only row of a rollup's state, read without a query.
 *
 * A query would have a plan in every writer. And its text, with what it asks for, is shown to
 * whoever sets debug_print_parse, also by a function that runs as somebody else.
 */
#include "pg/rollup/rollup.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "storage/lmgr.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

AttrNumber
rollup_state_column(Oid state, const char *name, Oid type)
{
    AttrNumber number = get_attnum(state, name);

    return number > 0 && get_atttype(state, number) == type &&
                   get_rel_relkind(state) == RELKIND_RELATION
               ? number
               : 0;
}

/* Takes off the caller's lock. */
static bool
read_column(Oid oid, AttrNumber number, Snapshot snapshot, Datum *value, bool *is_null)
{
    Relation state = table_open(oid, NoLock);
    TupleTableSlot *slot = table_slot_create(state, NULL);
    TableScanDesc scan = sketches_begin_scan(state, snapshot);
    bool found = table_scan_getnextslot(scan, ForwardScanDirection, slot);

    *is_null = true;
    if (found)
        *value = slot_getattr(slot, number, is_null);
    if (!*is_null) {
        Form_pg_attribute column = TupleDescAttr(RelationGetDescr(state), number - 1);

        *value = column->attlen == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(*value))
                                      : datumCopy(*value, column->attbyval, column->attlen);
    }
    table_endscan(scan);
    ExecDropSingleTupleTableSlot(slot);
    table_close(state, AccessShareLock);
    return found;
}

bool
rollup_read_cell(Oid state, AttrNumber number, Datum *value, bool *is_null)
{
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    bool found = read_column(state, number, snapshot, value, is_null);

    UnregisterSnapshot(snapshot);
    return found;
}

bool
rollup_has_secret(Oid state, const pg_uuid_t *secret)
{
    AttrNumber number = rollup_state_column(state, "secret", UUIDOID);
    Datum value;
    bool is_null;

    if (number == 0)
        return false;
    LockRelationOid(state, AccessShareLock);
    return read_column(state, number, GetActiveSnapshot(), &value, &is_null) && !is_null &&
           memcmp(DatumGetUUIDP(value), secret, sizeof *secret) == 0;
}
