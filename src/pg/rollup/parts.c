/*
 * parts.c - how the parts of a rollup know each other.
 *
 * By OID, in catalogs: columns of NAME_state are of type regclass and have a part as their default,
 * and triggers have the state in their condition (on Citus, a token: see distributed.c). PostgreSQL
 * records that they depend on each other, follows renames, and writes the names of the day into a
 * dump. This finds them without a query, in the trigger of a writer, too.
 */
#include "pg/rollup/rollup.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

const char *const rollup_part_names[ROLLUP_PART_COUNT] = {
    "use_rollup_drop", "query", "log",     "rows",  "fresh",  "late",    "bounds", "parts", "live",
    "filling",         "flow",  "changes", "below", "joined", "touched", "written"};

/* Of 'NAME'::regclass. */
static Oid
relation_of(Node *node)
{
    Const *constant = (Const *)node;

    return node && IsA(node, Const) && constant->consttype == REGCLASSOID && !constant->constisnull
               ? DatumGetObjectId(constant->constvalue)
               : InvalidOid;
}

/* Whether a condition calls _rollup_moves(): only a superuser makes functions of a library. */
static bool
asks_moves(Node *node)
{
    HeapTuple tuple = IsA(node, FuncExpr)
                          ? SearchSysCache1(PROCOID, ObjectIdGetDatum(((FuncExpr *)node)->funcid))
                          : NULL;
    bool is_null, asks = false;

    if (HeapTupleIsValid(tuple)) {
        Datum symbol = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &is_null);

        asks = ((Form_pg_proc)GETSTRUCT(tuple))->prolang == ClanguageId && !is_null &&
               strcmp(TextDatumGetCString(symbol), "sketches_rollup_moves") == 0;
        ReleaseSysCache(tuple);
    }
    return asks;
}

Oid
rollup_state_in(const char *condition, bool *is_moved)
{
    Node *node = condition ? stringToNode(condition) : NULL;
    BoolExpr *both = (BoolExpr *)node;

    /* On Citus, alone. */
    *is_moved = node && asks_moves(node);
    if (node && IsA(node, BoolExpr) && both->boolop == AND_EXPR && list_length(both->args) == 2 &&
        asks_moves(linitial(both->args))) {
        *is_moved = true;
        node = lsecond(both->args);
    }
    return node && IsA(node, NullTest) && ((NullTest *)node)->nulltesttype == IS_NOT_NULL
               ? relation_of((Node *)((NullTest *)node)->arg)
               : InvalidOid;
}

/* The owner of a state can name anything there: what has no such tables is no rollup. */
void
rollup_read_below(const Oid *parts, Oid *below)
{
    memset(below, 0, ROLLUP_PART_COUNT * sizeof *below);
    if (OidIsValid(parts[ROLLUP_BELOW]))
        rollup_read_parts(parts[ROLLUP_BELOW], below);
    if (get_rel_relkind(below[ROLLUP_ROWS]) != RELKIND_RELATION ||
        get_rel_relkind(below[ROLLUP_LOG]) != RELKIND_RELATION)
        memset(below, 0, ROLLUP_PART_COUNT * sizeof *below);
}

/* The expression of a column's default; NULL: it has none. Leaves no lock. */
Node *
rollup_default_of(Oid table, const char *column)
{
    Relation relation = OidIsValid(table) ? try_relation_open(table, AccessShareLock) : NULL;
    TupleDesc columns = relation ? RelationGetDescr(relation) : NULL;
    Node *found = NULL;

    for (int i = 0; columns && columns->constr && i < columns->constr->num_defval; i++) {
        const AttrDefault *value = &columns->constr->defval[i];

        if (strcmp(NameStr(TupleDescAttr(columns, value->adnum - 1)->attname), column) == 0)
            found = stringToNode(value->adbin);
    }
    if (relation)
        relation_close(relation, AccessShareLock);
    return found;
}

/*
 * The default of a column says how a rollup is stored. A newer version may store it in a way in
 * which this one would lose what is written, or say that it must be dropped.
 */
void
rollup_check_form(Oid state)
{
    const Const *form = (const Const *)rollup_default_of(state, "form");
    bool is_number = form && IsA(form, Const) && form->consttype == INT4OID && !form->constisnull;

    if (is_number && DatumGetInt32(form->constvalue) > ROLLUP_FORM)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the library of this session is older than the rollup of %s",
                               rollup_relation_name(state)),
                        errdetail("The rollup has form %d, and the library knows none above %d.",
                                  DatumGetInt32(form->constvalue), ROLLUP_FORM),
                        errhint("Install the files of the newer version, and reconnect.")));
}

/* Leaves no lock on the state, for which rollup_alter waits while it has others. */
void
rollup_read_parts(Oid state, Oid *parts)
{
    Relation relation = OidIsValid(state) ? try_relation_open(state, AccessShareLock) : NULL;
    TupleDesc columns = relation ? RelationGetDescr(relation) : NULL;

    memset(parts, 0, ROLLUP_PART_COUNT * sizeof *parts);
    for (int i = 0; columns && columns->constr && i < columns->constr->num_defval; i++) {
        const AttrDefault *value = &columns->constr->defval[i];
        const char *name = NameStr(TupleDescAttr(columns, value->adnum - 1)->attname);

        for (int part = 0; part < ROLLUP_PART_COUNT; part++)
            if (strcmp(name, rollup_part_names[part]) == 0)
                parts[part] = relation_of(stringToNode(value->adbin));
    }
    if (relation)
        relation_close(relation, AccessShareLock);
}

/* Of levels of levels; the owner of states can have them name each other in a circle. */
bool
rollup_is_below_itself(Oid state)
{
    List *seen = NIL;
    Oid parts[ROLLUP_PART_COUNT];

    while (OidIsValid(state) && !list_member_oid(seen, state)) {
        seen = lappend_oid(seen, state);
        rollup_read_parts(state, parts);
        state = parts[ROLLUP_BELOW];
    }
    return OidIsValid(state);
}

const char *
rollup_relation_name(Oid table)
{
    char *name = get_rel_name(table);

    return name ? quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name)
                : psprintf("%u", table);
}

bool
rollup_has(const Rollup *rollup, RollupPart part)
{
    return OidIsValid(rollup->parts[part]) || (part == ROLLUP_PARTS && rollup->shown) ||
           (part == ROLLUP_LIVE && rollup->makes_live);
}

RollupPart
rollup_live(const Rollup *rollup)
{
    return rollup_has(rollup, ROLLUP_LIVE)    ? ROLLUP_LIVE
           : rollup_has(rollup, ROLLUP_PARTS) ? ROLLUP_PARTS
                                              : ROLLUP_VIEW;
}

const char *
rollup_part(Rollup *rollup, int part)
{
    Oid relation = part < ROLLUP_PART_COUNT ? rollup->parts[part] : rollup->state;
    const char *label = part < ROLLUP_PART_COUNT ? rollup_part_names[part] : "state";
    Oid schema = get_namespace_oid(rollup->schema, true);

    if (OidIsValid(relation))
        return rollup_relation_name(relation);
    if (rollup->taken[part] == NULL)
        rollup->taken[part] = quote_qualified_identifier(
            rollup->schema, ChooseRelationName(rollup->name, NULL, label, schema, false));
    return rollup->taken[part];
}

const char *
rollup_called(Rollup *rollup)
{
    Oid named = get_relname_relid(rollup->name, get_namespace_oid(rollup->schema, true));

    if (rollup->called)
        return rollup->called;
    if (OidIsValid(rollup->view))
        return rollup_relation_name(rollup->view);
    if (OidIsValid(rollup->state) && OidIsValid(named) &&
        !OidIsValid(rollup_view_made_anew(rollup)))
        return rollup_relation_name(rollup->state);
    return quote_qualified_identifier(rollup->schema, rollup->name);
}
