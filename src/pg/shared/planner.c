/*
 * planner.c - functions as the planner's support functions look for them.
 *
 * A support function is called for functions and operators by their OID, and some plans call
 * functions that the query did not name. Names tell nothing for certain: a function can be renamed,
 * moved to another schema and overloaded. So a function is recognised by the C function that it
 * calls, and looked for among those that depend on the same support function.
 */
#include "planner.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_proc.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

PGFunction
sketch_c_function(Oid function)
{
    FmgrInfo info;

    if (!OidIsValid(function))
        return NULL;
    fmgr_info(function, &info);
    return info.fn_addr;
}

static bool
has_signature(Oid function, PGFunction called, const Oid *types, int count)
{
    HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    Form_pg_proc form;
    bool same;

    if (!HeapTupleIsValid(tuple))
        return false;
    form = (Form_pg_proc)GETSTRUCT(tuple);
    same = form->pronargs == count &&
           memcmp(form->proargtypes.values, types, count * sizeof *types) == 0 &&
           sketch_c_function(function) == called;
    ReleaseSysCache(tuple);
    return same;
}

Oid
sketch_supported_function(Oid sibling, PGFunction called, const Oid *types, int count)
{
    Relation depend = table_open(DependRelationId, AccessShareLock);
    Oid found = InvalidOid;
    ScanKeyData keys[2];
    SysScanDesc scan;
    HeapTuple tuple;

    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(ProcedureRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(get_func_support(sibling)));
    scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, keys);
    while (!OidIsValid(found) && HeapTupleIsValid(tuple = systable_getnext(scan))) {
        Form_pg_depend form = (Form_pg_depend)GETSTRUCT(tuple);

        if (form->classid == ProcedureRelationId &&
            has_signature(form->objid, called, types, count))
            found = form->objid;
    }
    systable_endscan(scan);
    table_close(depend, AccessShareLock);
    return found;
}
