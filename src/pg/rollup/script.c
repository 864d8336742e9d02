/*
 * script.c - the script of a rollup, from template.sql, which says how it is to be read.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/template.h"

#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static const char template[] =
#include "rollup_template.h"
    ;

/* A name for a trigger that none of the tables has. */
static const char *
trigger_name(const Rollup *rollup, const char *what, const List *tables)
{
    for (int number = 0;; number++) {
        const char *label = number ? psprintf("%s%d", what, number) : what;
        const char *name = makeObjectName(rollup->name, NULL, label);
        bool is_taken = false;
        ListCell *cell;

        foreach (cell, tables)
            is_taken = is_taken || OidIsValid(get_trigger_oid(lfirst_oid(cell), name, true));
        if (!is_taken)
            return quote_identifier(name);
    }
}

static void
add_trigger(Filling *filling, const Rollup *rollup, const char *what, const List *tables)
{
    filling_add(filling, psprintf("%s_trigger", what), trigger_name(rollup, what, tables));
}

static void
add_table(Filling *filling, const Rollup *rollup, Oid table)
{
    static const char *const triggers[] = {"delete", "insert", "truncate", "update", "moves"};
    Oid source = rollup->query->source;

    filling_add(filling, "table", rollup_relation_name(table));
    filling_add(filling, "cloned",
                table != source && get_rel_relkind(source) == RELKIND_PARTITIONED_TABLE ? ""
                                                                                        : NULL);
    filling_add(filling, "has_partitions",
                get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE ? "" : NULL);
    for (size_t i = 0; i < lengthof(triggers); i++)
        add_trigger(filling, rollup, triggers[i], list_make1_oid(table));
    if (table == source || get_rel_relkind(source) != RELKIND_PARTITIONED_TABLE)
        add_trigger(filling, rollup, "rows",
                    table == source ? rollup->query->tables : list_make1_oid(table));
    /* Those of the source are those of its partitions, too. */
    filling_add(filling, "moved_from_trigger", NULL);
    if (table == source && filling_find(filling, "moves")) {
        add_trigger(filling, rollup, "moved_from", rollup->query->tables);
        add_trigger(filling, rollup, "moved_to", rollup->query->tables);
    }
}

/* What a level has of the rollup that it reads, also where its query cannot be read. */
static void
add_below(Filling *filling, const Rollup *rollup)
{
    Oid below[ROLLUP_PART_COUNT], log;

    rollup_read_below(rollup->parts, below);
    filling_add(filling, "level", OidIsValid(below[ROLLUP_LOG]) ? "" : NULL);
    filling_add(filling, "makes_index", NULL);
    if (!OidIsValid(below[ROLLUP_LOG]))
        return;
    log = below[ROLLUP_LOG];
    add_trigger(filling, rollup, "flow", list_make1_oid(log));
    filling_add(filling, "below_log", rollup_relation_name(log));
    filling_add(filling, "below_log_name", quote_literal_cstr(rollup_relation_name(log)));
    filling_add(
        filling, "below_changes",
        rollup_relation_name(OidIsValid(below[ROLLUP_CHANGES]) ? below[ROLLUP_CHANGES] : log));
}

static const char *
joined(const List *names)
{
    StringInfoData list;
    ListCell *cell;

    initStringInfo(&list);
    foreach (cell, names)
        appendStringInfo(&list, "%s%s", list.len ? ", " : "", (const char *)lfirst(cell));
    return list.data;
}

/* What CREATE OR REPLACE VIEW would take away. */
static char *
options_of(Oid view)
{
    return rollup_ask("SELECT ' WITH (' || array_to_string(reloptions, ', ') || ')' FROM pg_class"
                      " WHERE oid = %u",
                      view);
}

static void
add_query(Filling *filling, Rollup *rollup)
{
    RollupQuery *query = rollup->query;
    const char *source = rollup_relation_name(query->source), *yes = "";
    bool is_partitioned = get_rel_relkind(query->source) == RELKIND_PARTITIONED_TABLE;
    StringInfoData names, tables, followed;
    ListCell *cell;
    Oid filled;

    add_trigger(filling, rollup, "fold", NIL);
    add_trigger(filling, rollup, "restored", NIL);
    filling_add(filling, "comment",
                quote_literal_cstr(psprintf("rollup of %s; SELECT rollup_refresh(%s)",
                                            rollup_relation_name(query->read),
                                            filling_find(filling, "rollup_name"))));
    filling_add(filling, "source", source);
    filling_add(filling, "source_name", quote_literal_cstr(source));
    filling_add(filling, "source_oid", psprintf("%u", query->source));
    filling_add(filling, "from", query->below ? source : query->from);
    filling_add(filling, "query_from", query->from);
    filling_add(filling, "merge", quote_literal_cstr(rollup->merge));
    filling_add(filling, "nullable", query->nullable ? quote_literal_cstr(query->nullable) : NULL);
    filling_add(filling, "apart",
                query->below || (is_partitioned && !rollup->is_distributed) ? yes : NULL);
    filling_add(filling, "passes", filling_find(filling, "apart") || query->joins ? yes : NULL);
    filling_add(filling, "unlogged",
                get_rel_persistence(query->source) == RELPERSISTENCE_UNLOGGED ? yes : NULL);
    filling_add(filling, "moves", is_partitioned && !rollup->each_row ? yes : NULL);
    filling_add(filling, "distribution", rollup->distribution);
    if (rollup->distribution) {
        filling_add(filling, "distributed_by",
                    quote_literal_cstr(strVal(linitial(sketches_name_list(rollup->distribution)))));
        foreach (cell, query->columns) {
            RollupColumn *c = lfirst(cell);

            if (strcmp(c->name, rollup->distribution) == 0)
                filling_add(filling, "distributed_column", c->expression);
        }
    }
    initStringInfo(&names);
    initStringInfo(&tables);
    initStringInfo(&followed);
    foreach (cell, query->tables) {
        Oid table = lfirst_oid(cell);
        const char *comma = foreach_current_index(cell) ? ", " : "";
        const char *name = quote_literal_cstr(rollup_relation_name(table));

        appendStringInfo(&tables, "%s%u", comma, table);
        appendStringInfo(&names, "%s%s", comma, name);
        appendStringInfo(&followed, "%s'%u', %s", comma, table, name);
    }
    filling_add(filling, "tables", psprintf("'{%s}'::oid[]", tables.data));
    filling_add(filling, "table_names", psprintf("ARRAY[%s]::text[]", names.data));
    filling_add(filling, "followed", psprintf("ARRAY[%s]::text[]", followed.data));
    filling_add_lists(filling, query);
    filling_add_joins(filling, query);
    filling_add_filling(filling, query);
    if (query->below)
        filling_add_level(filling, query);
    /* Readers may have given the columns of the view other names. */
    filled = rollup->parts[rollup_has(rollup, ROLLUP_PARTS) ? ROLLUP_PARTS : ROLLUP_VIEW];
    filling_add(filling, "filled_columns",
                rollup->labels ? joined(rollup->labels)
                : OidIsValid(filled)
                    ? rollup_ask("SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)"
                                 " FROM pg_attribute WHERE attrelid = %u AND attnum > 0",
                                 filled)
                    : filling_find(filling, "columns"));
    filling_add(filling, "filled_options", options_of(filled));
    filling_add(
        filling, "live_columns",
        filling_find(filling, rollup_has(rollup, ROLLUP_LIVE) ? "columns" : "filled_columns"));
    filling_add(filling, "live_options",
                rollup_has(rollup, ROLLUP_LIVE) ? NULL : filling_find(filling, "filled_options"));
}

/* The refresh of one shard, in which names of tables are left to format(). */
static void
add_on_shard(Filling *filling, bool only)
{
    const char *const names[][2] = {{"log", "%1$s"},
                                    {"rows", "%2$s"},
                                    {"from", only ? "ONLY %3$s" : "%3$s"},
                                    {"bounds", "%4$s"}};
    Filling *of_shard = palloc(sizeof *of_shard);

    *of_shard = *filling;
    filling_format(of_shard);
    for (size_t i = 0; i < lengthof(names); i++)
        filling_add(of_shard, names[i][0], names[i][1]);
    filling_add(of_shard, "names_shards", "");
    filling_add(filling, "on_shard", filling_fill(of_shard, "{fold_of_shard}"));
}

/* What the template names of a rollup; of a damaged one, its parts. Sets *text to the sections. */
static Filling *
filling_of(Rollup *rollup, const char **text)
{
    Filling *filling = palloc0(sizeof *filling);
    const char *name = rollup_called(rollup);
    const char *old = get_rel_name(rollup->state);

    filling_add(filling, "rollup", name);
    filling_add(filling, "view_is_there", OidIsValid(rollup->view) ? "" : NULL);
    filling_add(filling, "late_is_there", OidIsValid(rollup->parts[ROLLUP_LATE]) ? "" : NULL);
    filling_add(filling, "changes_are_there",
                OidIsValid(rollup->parts[ROLLUP_CHANGES]) ? "" : NULL);
    filling_add(filling, "names_below", OidIsValid(rollup->parts[ROLLUP_BELOW]) ? "" : NULL);
    filling_add(filling, "flow_is_there", OidIsValid(rollup->parts[ROLLUP_FLOW]) ? "" : NULL);
    filling_add(filling, "star_is_there", get_attnum(rollup->state, "folded") > 0 ? "" : NULL);
    filling_add(filling, "or_replace",
                OidIsValid(rollup->view) || rollup->called ? "OR REPLACE " : "");
    filling_add(filling, "rollup_name", quote_literal_cstr(name));
    filling_add(filling, "part_comment", quote_literal_cstr(psprintf("part of rollup %s", name)));
    for (int i = ROLLUP_QUERY; i <= ROLLUP_PART_COUNT; i++) {
        const char *label = i < ROLLUP_PART_COUNT ? rollup_part_names[i] : "state";

        filling_add(filling, label, rollup_part(rollup, i));
        filling_add(filling, psprintf("%s_name", label),
                    quote_literal_cstr(rollup_part(rollup, i)));
    }
    filling_add(filling, "live",
                rollup_live(rollup) == ROLLUP_VIEW ? name
                                                   : rollup_part(rollup, rollup_live(rollup)));
    filling_add(filling, "has_parts", rollup_has(rollup, ROLLUP_PARTS) ? "" : NULL);
    filling_add(filling, "has_live", rollup_has(rollup, ROLLUP_LIVE) ? "" : NULL);
    filling_add(filling, "filled",
                filling_find(filling, rollup_has(rollup, ROLLUP_PARTS) ? "parts" : "rollup"));
    filling_add(filling, "altered", rollup->is_altered ? "" : NULL);
    filling_add(filling, "shown", rollup->shown);
    filling_add(filling, "having", rollup->having);
    if (rollup->form == 0 && old && strlen(old) > strlen("_state")) {
        old = pnstrdup(old, strlen(old) - strlen("_state"));
        filling_add(filling, "old_trigger",
                    quote_qualified_identifier(rollup->schema, psprintf("%s_trigger", old)));
        filling_add(filling, "old_trigger_name",
                    quote_literal_cstr(psprintf("%s()", filling_find(filling, "old_trigger"))));
        filling_add(filling, "old_fold",
                    quote_qualified_identifier(rollup->schema, psprintf("%s_fold", old)));
    }
    filling_add(filling, "form", psprintf("%d", ROLLUP_FORM));
    filling_add(filling, "by_number", rollup->form > 0 ? "" : NULL);
    filling_add(filling, "is_old", rollup->form > 0 ? NULL : "");
    filling_add(filling, "token",
                rollup->is_distributed ? quote_literal_cstr(rollup_token(rollup)) : NULL);
    filling_add(filling, "each_row", rollup->each_row ? "" : NULL);
    filling_add(filling, "statements", rollup->each_row || rollup->is_distributed ? NULL : "");
    filling_add(filling, "distributed", rollup->is_distributed ? "" : NULL);
    filling_add(filling, "local", rollup->is_distributed ? NULL : "");
    filling_add(filling, "state_oid", psprintf("%u", rollup->state));
    filling_add(filling, "owner", psprintf("%u::regrole", rollup->owner));
    filling_add(filling, "sketches", quote_identifier(get_namespace_name(rollup->sketches)));
    filling_add(filling, "sketches_name", quote_literal_cstr(get_namespace_name(rollup->sketches)));
    filling_add(
        filling, "write_name",
        quote_literal_cstr(psprintf("%s._rollup_write()", filling_find(filling, "sketches"))));
    add_below(filling, rollup);
    if (rollup->query)
        add_query(filling, rollup);
    filling_add(filling, "names_shards", NULL);
    filling_add(filling, "filled_select", NULL);
    *text = filling_define(filling, template);
    if (rollup->query && rollup_has(rollup, ROLLUP_LIVE))
        filling_add_filled(filling, rollup->query);
    if (rollup->query && rollup->distribution)
        add_on_shard(filling, rollup->query->only);
    return filling;
}

List *
rollup_statements(Rollup *rollup, const char *section)
{
    const char *text, *end;
    Filling *filling = filling_of(rollup, &text);
    List *statements = NIL;
    bool wanted = strcmp(section, "create") == 0;
    ListCell *cell;

    for (; *text; text = end + strspn(end, "\n")) {
        char *chunk;

        end = strstr(text, "\n\n");
        end = end ? end : text + strlen(text);
        chunk = pnstrdup(text, end - text - (end[-1] == '\n'));
        if (strncmp(chunk, "{section ", 9) == 0)
            wanted = strcmp(chunk, psprintf("{section %s}", section)) == 0;
        else if (wanted && strncmp(chunk, "{each table}", 12) == 0) {
            foreach (cell, rollup_all_tables(rollup->query)) {
                add_table(filling, rollup, lfirst_oid(cell));
                statements = lappend(statements, filling_fill(filling, chunk + 12));
            }
        } else if (wanted) {
            chunk = filling_fill(filling, chunk);
            if (*chunk)
                statements = lappend(statements, chunk);
        }
    }
    return statements;
}

List *
rollup_texts(Rollup *rollup, const char *text, const List *tables)
{
    const char *ignored;
    Filling *filling = tables ? filling_of(rollup, &ignored) : NULL;
    List *texts = NIL;
    ListCell *cell;

    foreach (cell, tables) {
        add_table(filling, rollup, lfirst_oid(cell));
        texts = lappend(texts, filling_fill(filling, text));
    }
    return texts;
}

char *
rollup_text(Rollup *rollup, const char *text)
{
    const char *ignored;

    return filling_fill(filling_of(rollup, &ignored), text);
}
