/*
 * belongings.c - what belongs to a view of a rollup that is made again: rights, comments, options,
 * and what others made of it.
 *
 * A view whose columns all stay is replaced, so what others made of it can stay, too. One that loses
 * a column is dropped and made anew: what belongs to it is read before as statements, and refused if
 * it would be lost.
 */
#include "pg/rollup/rollup.h"

#include "utils/builtins.h"

char *
rollup_belongings(const Rollup *rollup, Oid view, const List *labels, bool is_dropped)
{
    StringInfoData names;
    ListCell *cell;

    initStringInfo(&names);
    foreach (cell, labels)
        appendStringInfo(&names, "%s%s", names.len ? ", " : "",
                         quote_literal_cstr(strVal(linitial(sketches_name_list(lfirst(cell))))));
    return rollup_ask(
        "WITH columns AS (SELECT * FROM pg_attribute WHERE attrelid = %2$u"
        " AND attname = ANY (ARRAY[%4$s]::name[]))"
        " SELECT string_agg(statement, '; ') FROM ("
        "SELECT format('GRANT %%s%%s ON %%s TO %%s%%s', privilege_type,"
        " CASE WHEN attname IS NOT NULL THEN format(' (%%I)', attname) END, %1$s,"
        " CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,"
        " CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END) AS statement"
        " FROM (SELECT NULL::name AS attname, (aclexplode(relacl)).* FROM pg_class"
        " WHERE oid = %2$u UNION ALL SELECT attname, (aclexplode(attacl)).* FROM columns) AS "
        "granted"
        " WHERE grantee <> %3$u AND %5$s"
        " UNION ALL SELECT format('COMMENT ON COLUMN %%s.%%I IS %%L', %1$s, attname, description)"
        " FROM columns JOIN pg_description ON objoid = attrelid AND objsubid = attnum"
        " AND classoid = 'pg_class'::regclass WHERE %5$s"
        " UNION ALL SELECT format('COMMENT ON VIEW %%s IS %%L', %1$s,"
        " obj_description(%2$u, 'pg_class'))"
        " UNION ALL SELECT format('ALTER VIEW %%s SET (%%s)', %1$s,"
        " array_to_string(reloptions, ', ')) FROM pg_class"
        " WHERE oid = %2$u AND reloptions IS NOT NULL) AS s",
        quote_literal_cstr(rollup_relation_name(view)), view, rollup->owner, names.data,
        is_dropped ? "true" : "false");
}

/* Has a view depend on nothing for a moment, so that what depends on it need not go. */
static void
detach(Oid view)
{
    rollup_execute(rollup_ask(
        "SELECT 'CREATE OR REPLACE VIEW ' || %s || ' AS SELECT ' ||"
        " string_agg(format('NULL::%%s%%s AS %%I', format_type(atttypid, atttypmod),"
        " CASE WHEN attcollation NOT IN (0, typcollation)"
        " THEN ' COLLATE ' || attcollation::regcollation END, attname), ', ' ORDER BY attnum)"
        " FROM pg_attribute JOIN pg_type AS t ON t.oid = atttypid"
        " WHERE attrelid = %u AND attnum > 0",
        quote_literal_cstr(rollup_relation_name(view)), view));
}

static const char drop_first[] =
    "Columns go, so the view is made anew. Drop what depends on it, and make that again after "
    "rollup_alter.";

/* Triggers, rules and defaults would go with it unseen, and so would a security label. */
static void
check_alone(Oid view)
{
    char *mine =
        rollup_ask("SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend"
                   " WHERE refclassid = 'pg_class'::regclass AND refobjid = %1$u AND deptype = 'a'"
                   " UNION ALL SELECT 'a security label' FROM pg_seclabel"
                   " WHERE classoid = 'pg_class'::regclass AND objoid = %1$u ORDER BY 1 LIMIT 1",
                   view);

    if (mine)
        ereport(ERROR, (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
                        errmsg("view %s would lose %s", rollup_relation_name(view), mine),
                        errhint("%s", drop_first)));
}

/* What others made of a column that goes, or of its place, is theirs to drop, and to make again. */
static void
drop_view(Oid view, MemoryContext context)
{
    check_alone(view);
    PG_TRY();
    {
        rollup_run("DROP VIEW %s", rollup_relation_name(view));
    }
    PG_CATCH();
    {
        ErrorData *error;

        MemoryContextSwitchTo(context);
        error = CopyErrorData();
        if (error->sqlerrcode == ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST)
            error->hint = pstrdup(drop_first);
        ReThrowError(error);
    }
    PG_END_TRY();
}

void
rollup_put_away(const Rollup *rollup, Oid *view, bool is_dropped)
{
    if (is_dropped) {
        drop_view(*view, rollup->caller);
        *view = InvalidOid;
    } else
        detach(*view);
}

void
rollup_give_back(Oid view, bool is_new, char *given)
{
    char *revokes = NULL;

    if (!OidIsValid(view))
        return;
    /* Default privileges may have granted what was revoked. */
    if (is_new)
        revokes = rollup_ask("SELECT string_agg(DISTINCT format('REVOKE ALL ON %%s FROM %%s', %s,"
                             " CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END),"
                             " '; ') FROM pg_class, aclexplode(relacl)"
                             " WHERE oid = %u AND grantee <> relowner",
                             quote_literal_cstr(rollup_relation_name(view)), view);
    if (revokes)
        rollup_execute_all(list_make1(revokes));
    if (given)
        rollup_execute_all(list_make1(given));
}
