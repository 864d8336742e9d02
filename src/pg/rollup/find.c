/*
 * find.c - which view is a rollup, what it is made of, and who may change it.
 *
 * A rollup is known by its state, which names the view by a default; that is why PostgreSQL refuses
 * to drop the view alone. What depends on a relation is found by the index of pg_depend.
 */
#include "pg/rollup/rollup.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* By the cache: from queries of clients, Citus hides shards. */
Oid
rollup_owner_of(Oid relation)
{
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
    Oid owner = InvalidOid;

    if (HeapTupleIsValid(tuple)) {
        owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
        ReleaseSysCache(tuple);
    }
    return owner;
}

/* Keeps a relation from being dropped; false: it was. */
static bool
keep(Oid relation)
{
    LockRelationOid(relation, AccessShareLock);
    return get_rel_name(relation) != NULL;
}

static bool
is_state(Oid relation)
{
    AttrNumber number = get_attnum(relation, rollup_part_names[ROLLUP_VIEW]);

    return number > 0 && get_atttype(relation, number) == REGCLASSOID &&
           get_rel_relkind(relation) == RELKIND_RELATION &&
           get_rel_persistence(relation) != RELPERSISTENCE_TEMP;
}

/* Anybody can make one that names a view of others. */
Oid
rollup_state_of(Oid relation, RollupPart part)
{
    return rollup_ask_oid(
        "SELECT s.oid FROM pg_depend JOIN pg_attrdef AS a ON a.oid = objid"
        " JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum"
        " JOIN pg_class AS s ON s.oid = adrelid"
        " WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass"
        " AND refobjid = %u AND refobjid <> adrelid AND attname = '%s' AND atttypid = "
        "'regclass'::regtype"
        " AND s.relkind = 'r' AND s.relpersistence <> 't' ORDER BY relowner = %u DESC, s.oid LIMIT "
        "1",
        relation, rollup_part_names[part], rollup_owner_of(relation));
}

/* What a state of before forms had numbers names by its own name. */
static void
find_by_names(Rollup *rollup, const char *base)
{
    static const struct {
        RollupPart part;
        char kind;
    } parts[] = {{ROLLUP_QUERY, RELKIND_VIEW},
                 {ROLLUP_LOG, RELKIND_RELATION},
                 {ROLLUP_ROWS, RELKIND_RELATION},
                 {ROLLUP_FRESH, RELKIND_VIEW},
                 {ROLLUP_BOUNDS, RELKIND_RELATION}};

    for (size_t i = 0; i < lengthof(parts); i++) {
        Oid part = get_relname_relid(psprintf("%s_%s", base, rollup_part_names[parts[i].part]),
                                     get_namespace_oid(rollup->schema, true));

        if (OidIsValid(part) && get_rel_relkind(part) == parts[i].kind)
            rollup->parts[parts[i].part] = part;
    }
}

Oid
rollup_peek_parts(Oid view, Oid *parts)
{
    Oid state = rollup_state_of(view, ROLLUP_VIEW);

    rollup_read_parts(state, parts);
    return state;
}

/* Of its parts, the view is locked first, as by who reads it. */
bool
rollup_find(Rollup *rollup, Oid view, Oid state)
{
    char *name;
    size_t length;
    bool is_given;

    rollup->state = OidIsValid(state) ? state : rollup_state_of(view, ROLLUP_VIEW);
    if (!OidIsValid(rollup->state))
        return false;
    is_given = OidIsValid(view);
    for (Oid gone = InvalidOid; !OidIsValid(view) || !keep(view); gone = view) {
        /* Who waited for it to be changed may find that it was made again. */
        rollup_read_parts(rollup->state, rollup->parts);
        view = rollup->parts[ROLLUP_VIEW];
        if (!OidIsValid(view) || view == gone)
            break;
    }
    if (is_given && !OidIsValid(view))
        return false;
    if (!keep(rollup->state) || !is_state(rollup->state))
        return false;
    rollup_read_parts(rollup->state, rollup->parts);
    rollup->view = rollup->parts[ROLLUP_VIEW];
    if (get_rel_relkind(rollup->view) != RELKIND_VIEW)
        rollup->view = InvalidOid;
    if (OidIsValid(rollup->view) ? !keep(rollup->view) : is_given)
        return false;
    rollup->is_altered = get_attnum(rollup->state, "unfilled") > 0;
    rollup->owner = rollup_owner_of(OidIsValid(rollup->view) ? rollup->view : rollup->state);
    rollup->schema = get_namespace_name(get_rel_namespace(rollup->state));
    name = get_rel_name(rollup->state);
    length = strlen(name);
    if (length > strlen("_state") && strcmp(name + length - strlen("_state"), "_state") == 0)
        name = pnstrdup(name, length - strlen("_state"));
    rollup->form = get_attnum(rollup->state, "form") > 0 ? ROLLUP_FORM : 0;
    if (rollup->form == 0)
        find_by_names(rollup, name);
    rollup->name = OidIsValid(rollup->view) ? get_rel_name(rollup->view) : name;
    /* Anybody can make a state that names a view of others. */
    if (rollup_owner_of(rollup->state) == rollup->owner)
        rollup_check_form(rollup->state);
    return true;
}

/* Whether a view of its owner's reads the log or the stored rows. */
static bool
reads_stored(const Rollup *rollup, Oid view)
{
    return rollup_ask("SELECT 1 FROM pg_class AS v JOIN pg_rewrite AS r ON ev_class = v.oid"
                      " JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = r.oid"
                      " WHERE v.oid = %u AND relkind = 'v' AND relowner = %u"
                      " AND refobjid IN (%u, %u) LIMIT 1",
                      view, rollup->owner, rollup->parts[ROLLUP_LOG],
                      rollup->parts[ROLLUP_ROWS]) != NULL;
}

/* A relation that a view reads, of its owner, and not one that is known. */
static Oid
read_by(const Rollup *rollup, Oid view, char kind, Oid source)
{
    const Oid *parts = rollup->parts;

    return rollup_ask_oid(
        "SELECT c.oid FROM pg_rewrite AS r JOIN pg_depend ON objid = r.oid"
        " JOIN pg_class AS c ON c.oid = refobjid WHERE classid = 'pg_rewrite'::regclass"
        " AND refclassid = 'pg_class'::regclass AND ev_class = %u AND relkind = '%c'"
        " AND relowner = %u AND c.oid NOT IN (%u, %u, %u, %u, %u) LIMIT 1",
        view, kind, rollup->owner, view, source, parts[ROLLUP_LOG], parts[ROLLUP_ROWS],
        parts[ROLLUP_BOUNDS]);
}

/* With parts, by the view that is below it. */
Oid
rollup_view_made_anew(const Rollup *rollup)
{
    Oid view = get_relname_relid(rollup->name, get_namespace_oid(rollup->schema, true));

    return reads_stored(rollup, view) ||
                   reads_stored(rollup, read_by(rollup, view, RELKIND_VIEW, InvalidOid))
               ? view
               : InvalidOid;
}

void
rollup_find_made_anew(Rollup *rollup)
{
    Oid *parts = rollup->parts, view;

    view = rollup->view = rollup_view_made_anew(rollup);
    if (!OidIsValid(view))
        return;
    if (!reads_stored(rollup, view))
        view = parts[ROLLUP_PARTS] = read_by(rollup, view, RELKIND_VIEW, InvalidOid);
    if (!OidIsValid(parts[ROLLUP_QUERY]))
        parts[ROLLUP_QUERY] = read_by(rollup, view, RELKIND_VIEW, InvalidOid);
    if (OidIsValid(parts[ROLLUP_QUERY]) && !OidIsValid(parts[ROLLUP_ROWS]))
        parts[ROLLUP_ROWS] = read_by(rollup, view, RELKIND_RELATION,
                                     rollup_source_of(rollup_query_of(parts[ROLLUP_QUERY])));
}

/*
 * Whether a state has the columns that ours have. Others could be of types whose casts are
 * functions of the owner, which would take their time, and raise errors as those of the server,
 * while somebody lists all rollups.
 */
static bool
has_our_columns(Oid state)
{
    static const struct {
        const char *name;
        Oid type;
    } columns[] = {{"merge", JSONBOID},      {"each_row", BOOLOID},
                   {"distributed", BOOLOID}, {"followed", TEXTARRAYOID},
                   {"missed", TEXTARRAYOID}, {"refreshed", TIMESTAMPTZOID}};
    static const char *const bounds[] = {"frozen", "stale", "unfilled"};
    AttrNumber since = get_attnum(state, "since"), folded = get_attnum(state, "folded");
    AttrNumber restored = get_attnum(state, "restored");
    const Const *merge = (const Const *)rollup_default_of(state, "merge");

    if (get_attnum(state, "form") > 0 &&
        (merge == NULL || !IsA(merge, Const) || merge->consttype != JSONBOID || merge->constisnull))
        return false;
    for (size_t i = 0; i < lengthof(columns); i++) {
        AttrNumber number = get_attnum(state, columns[i].name);

        if (number <= 0 || get_atttype(state, number) != columns[i].type)
            return false;
    }
    for (size_t i = 0; i < lengthof(bounds); i++) {
        AttrNumber number = get_attnum(state, bounds[i]);

        if (number > 0 && get_atttype(state, number) >= FirstNormalObjectId)
            return false;
    }
    return (since <= 0 || get_atttype(state, since) == JSONBOID) &&
           (folded <= 0 || get_atttype(state, folded) == XID8OID) &&
           (restored <= 0 || get_atttype(state, restored) == BOOLOID);
}

bool
rollup_read_state(Rollup *rollup)
{
    const char *state = rollup_relation_name(rollup->state);

    if (!has_our_columns(rollup->state))
        return false;
    rollup->each_row = rollup_ask("SELECT 1 FROM ONLY %s WHERE each_row", state) != NULL;
    rollup->is_distributed = rollup_ask("SELECT 1 FROM ONLY %s WHERE distributed", state) != NULL;
    if (rollup->is_distributed)
        rollup_find_distribution(rollup);
    return true;
}

static bool
is_star(const Rollup *rollup)
{
    return get_attnum(rollup->state, "folded") > 0;
}

void
rollup_mark_columns(Rollup *rollup)
{
    Oid filling = rollup->parts[ROLLUP_FILLING];
    ListCell *cell;

    foreach (cell, rollup->is_altered ? rollup->query->columns : NIL) {
        RollupColumn *column = lfirst(cell);
        char *name = strVal(linitial(sketches_name_list(column->name)));

        column->is_filling =
            OidIsValid(filling) && column->key == NULL && get_attnum(filling, name) > 0;
        column->since = rollup_ask("SELECT since ->> %s FROM ONLY %s", quote_literal_cstr(name),
                                   rollup_relation_name(rollup->state));
    }
}

Oid
rollup_below_of(const Query *query)
{
    Oid read = rollup_source_of(query), state;

    if (get_rel_relkind(read) != RELKIND_VIEW)
        return InvalidOid;
    state = rollup_state_of(read, ROLLUP_VIEW);
    return OidIsValid(state) ? state : rollup_state_of(read, ROLLUP_PARTS);
}

char *
rollup_read_merge(const Rollup *rollup)
{
    const char *state = rollup_relation_name(rollup->state);
    const Const *merge;

    if (rollup->form == 0)
        return rollup_ask("SELECT merge FROM ONLY %s", state);
    merge = (const Const *)rollup_default_of(rollup->state, "merge");
    return rollup_ask("SELECT 1 FROM ONLY %s", state)
               ? JsonbToCString(NULL, &DatumGetJsonbP(merge->constvalue)->root, 0)
               : NULL;
}

void
rollup_open(Rollup *rollup)
{
    Oid *parts = rollup->parts;

    rollup_become_owner(rollup);
    if (rollup_owner_of(rollup->state) != rollup->owner)
        return;
    if (!rollup_read_state(rollup) || get_rel_relkind(parts[ROLLUP_QUERY]) != RELKIND_VIEW ||
        !OidIsValid(parts[ROLLUP_ROWS]) ||
        rollup_state_column(parts[ROLLUP_LOG], "mark", INT2OID) == 0 ||
        (is_star(rollup) &&
         (!OidIsValid(parts[ROLLUP_JOINED]) || !OidIsValid(parts[ROLLUP_TOUCHED]) ||
          !OidIsValid(parts[ROLLUP_WRITTEN]))) ||
        (rollup->is_distributed && rollup->distribution == NULL))
        return;
    rollup->merge = rollup_read_merge(rollup);
    if (rollup->merge) {
        Datum merge = DirectFunctionCall1(jsonb_in, CStringGetDatum(rollup->merge));
        Query *query = rollup_query_of(parts[ROLLUP_QUERY]);

        if (rollup_below_of(query) != parts[ROLLUP_BELOW] || rollup_is_below_itself(rollup->state))
            return;
        /* The source before its parts, as DETACH PARTITION and all who read it. */
        LockRelationOid(rollup_source_of(query), AccessShareLock);
        rollup->query =
            rollup_analyze(query, parts[ROLLUP_ROWS], DatumGetJsonbP(merge), rollup->sketches);
        if ((rollup->query->joins != NIL) != is_star(rollup))
            rollup->query = NULL;
        else
            rollup_mark_columns(rollup);
    }
}

void
rollup_raise_unknown(const char *name)
{
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("%s is not a rollup", name),
                    errhint("SELECT * FROM rollup_list() shows all rollups.")));
}

void
rollup_check_owner(const Rollup *rollup)
{
    if (!has_privs_of_role(GetUserId(), rollup->owner)) {
        char *owner = GetUserNameFromId(rollup->owner, false);

        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("must be owner of rollup %s", rollup->name),
                        errhint("SET ROLE %s;", quote_identifier(owner))));
    }
}

/* A row of defaults for a state that was restored without its own. */
static void
fill_state(Rollup *rollup)
{
    StringInfoData columns, values;

    initStringInfo(&columns);
    initStringInfo(&values);
    for (int part = 0; part < ROLLUP_PART_COUNT; part++)
        if (get_attnum(rollup->state, rollup_part_names[part]) > 0) {
            appendStringInfo(&columns, "%s%s", columns.len ? ", " : "", rollup_part_names[part]);
            appendStringInfo(&values, "%sNULL", values.len ? ", " : "");
        }
    rollup_run("INSERT INTO %1$s (%2$s) SELECT %3$s WHERE NOT EXISTS (SELECT FROM ONLY %1$s)",
               rollup_relation_name(rollup->state), columns.data, values.data);
}

Rollup *
rollup_begin_change(FunctionCallInfo fcinfo, bool mends)
{
    return rollup_begin_change_of(fcinfo, PG_GETARG_OID(0), InvalidOid, mends);
}

Rollup *
rollup_begin_change_of(FunctionCallInfo fcinfo, Oid view, Oid state, bool mends)
{
    static const RollupPart parts[] = {ROLLUP_ROWS, ROLLUP_LOG, ROLLUP_BOUNDS, ROLLUP_JOINED};
    Rollup *rollup = rollup_begin(fcinfo);
    const char *name = rollup_relation_name(view);

    if (!rollup_find(rollup, view, state))
        rollup_raise_unknown(name);
    rollup_check_owner(rollup);
    if (mends && rollup->form > 0 && rollup_owner_of(rollup->state) == rollup->owner &&
        has_our_columns(rollup->state)) {
        rollup_become_owner(rollup);
        rollup_check_part(rollup->state);
        fill_state(rollup);
    }
    rollup_open(rollup);
    if (rollup->query == NULL)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("rollup %s is damaged", name), errdetail("%s", rollup_damage(rollup))));
    for (size_t i = 0; i < lengthof(parts); i++)
        if (OidIsValid(rollup->parts[parts[i]]))
            rollup_check_part(rollup->parts[parts[i]]);
    rollup_check_part(rollup->state);
    return rollup;
}

/* What is wrong with its parts, so that nothing else can be looked at; NULL: nothing. */
char *
rollup_damage(Rollup *rollup)
{
    static const struct {
        RollupPart part;
        char kind;
        bool is_local, is_distributed;
    } parts[] = {
        {ROLLUP_QUERY, RELKIND_VIEW, true, true},       {ROLLUP_FRESH, RELKIND_VIEW, true, false},
        {ROLLUP_BOUNDS, RELKIND_RELATION, false, true}, {ROLLUP_PARTS, RELKIND_VIEW, true, true},
        {ROLLUP_ROWS, RELKIND_RELATION, true, true},    {ROLLUP_LOG, RELKIND_RELATION, true, true},
        {ROLLUP_JOINED, RELKIND_RELATION, true, false}, {ROLLUP_TOUCHED, RELKIND_VIEW, true, false},
        {ROLLUP_WRITTEN, RELKIND_VIEW, true, false}};
    const char *state = rollup_relation_name(rollup->state);
    const char *name = quote_literal_cstr(rollup_called(rollup));
    const char *owner = quote_identifier(GetUserNameFromId(rollup->owner, false));
    Oid of_state = rollup_owner_of(rollup->state);

    if (of_state != rollup->owner)
        return psprintf("the view is of %s, and %s, which says that it is a rollup, of %s. If that "
                        "is true: ALTER VIEW %s OWNER TO %s",
                        owner, state, quote_identifier(GetUserNameFromId(of_state, false)),
                        rollup_called(rollup),
                        quote_identifier(GetUserNameFromId(of_state, false)));
    for (size_t i = 0; i < lengthof(parts); i++) {
        Oid part = rollup->parts[parts[i].part];

        if (!(rollup->is_distributed ? parts[i].is_distributed : parts[i].is_local) ||
            (parts[i].part == ROLLUP_PARTS && !OidIsValid(part)) ||
            (parts[i].part >= ROLLUP_JOINED && !is_star(rollup)))
            continue;
        if (!OidIsValid(part) || get_rel_relkind(part) != parts[i].kind)
            return psprintf("its %s is missing: SELECT rollup_drop(%s)",
                            rollup_part_names[parts[i].part], name);
        if (rollup_owner_of(part) != rollup->owner)
            return psprintf("%s has another owner: ALTER TABLE %s OWNER TO %s",
                            rollup_relation_name(part), rollup_relation_name(part), owner);
    }
    if (rollup->query)
        return NULL;
    if (rollup->is_distributed && rollup->distribution == NULL)
        return psprintf("%s is not distributed any more: SELECT rollup_drop(%s)",
                        rollup_part(rollup, ROLLUP_ROWS), name);
    if (!has_our_columns(rollup->state) || rollup->form == 0)
        return psprintf("%s is not as rollup_create makes it: SELECT rollup_drop(%s)", state, name);
    if (rollup_state_column(rollup->parts[ROLLUP_LOG], "mark", INT2OID) == 0)
        return psprintf("%s is not as rollup_create makes it: SELECT rollup_drop(%s)",
                        rollup_part(rollup, ROLLUP_LOG), name);
    if (rollup_is_below_itself(rollup->state) ||
        rollup_below_of(rollup_query_of(rollup->parts[ROLLUP_QUERY])) !=
            rollup->parts[ROLLUP_BELOW])
        return psprintf("%s does not name the rollup that its query reads: SELECT rollup_drop(%s)",
                        state, name);
    if (OidIsValid(rollup->parts[ROLLUP_QUERY]) && rollup->merge)
        return psprintf("%s is not the query that rollup_create was given: SELECT rollup_drop(%s)",
                        rollup_part(rollup, ROLLUP_QUERY), name);
    return psprintf("%s is empty, as after a restore without its row: SELECT rollup_repair(%s)",
                    state, name);
}
