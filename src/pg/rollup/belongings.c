/*
 * belongings.c - what belongs to a view of a rollup that is made again: rights, comments, options,
 * and what others made of it.
 *
 * If all columns of the rollup stay, its view is replaced, and what others made of it stays, too.
 * If it loses one, the view is dropped and made anew, as most of those behind it always are: what
 * belongs to it is read before as statements, and what would be lost refuses the change.
 */
#include "pg/rollup/rollup.h"

#include "utils/builtins.h"

#define GRANTEE "CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END"

char *
rollup_belongings(Oid view, const List *labels, bool is_dropped)
{
    StringInfoData names;
    ListCell *cell;

    initStringInfo(&names);
    foreach (cell, labels)
        appendStringInfo(
            &names, "%s%s", names.len ? ", " : "",
            lfirst(cell) ? quote_literal_cstr(strVal(linitial(sketches_name_list(lfirst(cell)))))
                         : "NULL");
    return rollup_ask(
        "WITH columns AS (SELECT * FROM pg_attribute"
        " JOIN unnest(ARRAY[%4$s]::name[]) WITH ORDINALITY AS l (label, number) ON number = attnum"
        " WHERE attrelid = %2$u AND label IS NOT NULL)"
        " SELECT string_agg(statement, '; ' ORDER BY statement LIKE 'REVOKE %%' DESC) FROM ("
        /* An owner may have given up rights. */
        "SELECT format('REVOKE ALL ON %%s FROM %%s', %1$s, relowner::regrole) AS statement"
        " FROM pg_class WHERE oid = %2$u AND relacl IS NOT NULL AND %3$s"
        " UNION ALL SELECT format('GRANT %%s%%s ON %%s TO %%s%%s', privilege_type,"
        " CASE WHEN label IS NOT NULL THEN format(' (%%I)', label) END, %1$s, " GRANTEE ","
        " CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)"
        " FROM (SELECT NULL::name AS label, (aclexplode(relacl)).* FROM pg_class WHERE oid = %2$u"
        " UNION ALL SELECT label, (aclexplode(attacl)).* FROM columns) AS rights WHERE %3$s"
        " UNION ALL SELECT format('COMMENT ON COLUMN %%s.%%I IS %%L', %1$s, label, description)"
        " FROM columns JOIN pg_description ON objoid = attrelid AND objsubid = attnum"
        " AND classoid = 'pg_class'::regclass WHERE %3$s"
        " UNION ALL SELECT format('COMMENT ON VIEW %%s IS %%L', %1$s,"
        " obj_description(%2$u, 'pg_class'))"
        " UNION ALL SELECT format('ALTER VIEW %%s SET (%%s)', %1$s,"
        " array_to_string(reloptions, ', ')) FROM pg_class"
        " WHERE oid = %2$u AND reloptions IS NOT NULL) AS s",
        quote_literal_cstr(rollup_relation_name(view)), view, is_dropped ? "true" : "false",
        names.data);
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

/*
 * Triggers, rules and defaults would go with it unseen, and so would a security label. A right
 * that another than the owner granted would become the owner's, whom no REVOKE ... CASCADE reaches.
 */
static void
check_alone(Oid view)
{
    char *mine = rollup_ask(
        "SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend"
        " WHERE refclassid = 'pg_class'::regclass AND refobjid = %1$u AND deptype = 'a'"
        " UNION ALL SELECT 'a security label' FROM pg_seclabel"
        " WHERE classoid = 'pg_class'::regclass AND objoid = %1$u"
        " UNION ALL SELECT format('%%s of %%s, granted by %%s', privilege_type, " GRANTEE ","
        " grantor::regrole) FROM pg_class, LATERAL (SELECT * FROM aclexplode(relacl)"
        " UNION ALL SELECT a.* FROM pg_attribute, aclexplode(attacl) AS a WHERE attrelid = %1$u)"
        " AS rights WHERE pg_class.oid = %1$u AND grantor <> relowner ORDER BY 1 LIMIT 1",
        view);

    if (mine)
        ereport(ERROR, (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
                        errmsg("view %s would lose %s", rollup_relation_name(view), mine),
                        errhint("The view is made anew. Drop or revoke that, and make or grant it "
                                "again after rollup_alter.")));
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
            error->hint = pstrdup("Columns go, so the view is made anew. Drop what depends on it, "
                                  "and make that again after rollup_alter.");
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
rollup_give_back(Oid view, bool was_dropped, char *belongings)
{
    char *revokes = NULL;

    if (!OidIsValid(view))
        return;
    /* Default privileges may have granted what was revoked. */
    if (was_dropped)
        revokes = rollup_ask("SELECT string_agg(DISTINCT format('REVOKE ALL ON %%s FROM %%s', %s,"
                             " " GRANTEE "), '; ') FROM pg_class, aclexplode(relacl)"
                             " WHERE oid = %u AND grantee <> relowner",
                             quote_literal_cstr(rollup_relation_name(view)), view);
    if (revokes)
        rollup_execute_all(list_make1(revokes));
    if (belongings)
        rollup_execute_all(list_make1(belongings));
}
