/*
 * script.c - the script of a rollup, from template.sql, which says how it is to be read.
 */
#include "pg/rollup/rollup.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static const char template[] =
#include "rollup_template.h"
    ;

typedef struct Text {
    const char *name, *value; /* NULL: there is none, for {if name} */
    bool is_template;
} Text;

typedef struct Filling {
    Text texts[288];
    int count;
} Filling;

static void
add(Filling *filling, const char *name, const char *value)
{
    int i = 0;

    while (i < filling->count && strcmp(filling->texts[i].name, name) != 0)
        i++;
    if (i == (int)lengthof(filling->texts))
        elog(ERROR, "the template of rollups has no room for %s", name);
    filling->count = Max(filling->count, i + 1);
    filling->texts[i] = (Text){name, value, false};
}

static const Text *
find(const Filling *filling, const char *name)
{
    for (int i = 0; i < filling->count; i++)
        if (strcmp(filling->texts[i].name, name) == 0)
            return &filling->texts[i];
    elog(ERROR, "the template of rollups names an unknown %s", name);
}

/* Fills up to {end}, {else} or the end of the text; returns what comes after. out may be NULL. */
static const char *
fill(const Filling *filling, const char *text, StringInfo out, bool *is_else)
{
    *is_else = false;
    for (;;) {
        const char *brace = strchrnul(text, '{'), *end;
        char *name;

        if (out)
            appendBinaryStringInfo(out, text, brace - text);
        if (*brace == '\0')
            return brace;
        end = strchr(brace, '}');
        name = pnstrdup(brace + 1, end - brace - 1);
        text = end + 1;
        if (strcmp(name, "end") == 0 || strcmp(name, "else") == 0) {
            *is_else = strcmp(name, "else") == 0;
            return text;
        }
        if (strncmp(name, "if ", 3) == 0) {
            bool is = out && find(filling, name + 3)->value != NULL;

            text = fill(filling, text, is ? out : NULL, is_else);
            if (*is_else)
                text = fill(filling, text, is ? NULL : out, is_else);
        } else if (out) {
            bool is_literal = strncmp(name, "literal ", 8) == 0, ignored;
            const Text *found = find(filling, is_literal ? name + 8 : name);
            StringInfoData whole;

            initStringInfo(&whole);
            if (found->is_template)
                (void)fill(filling, found->value, &whole, &ignored);
            else if (found->value)
                appendStringInfoString(&whole, found->value);
            appendStringInfoString(out, is_literal ? quote_literal_cstr(whole.data) : whole.data);
            pfree(whole.data);
        }
    }
}

static char *
filled(const Filling *filling, const char *text)
{
    StringInfoData out;
    bool ignored;

    initStringInfo(&out);
    (void)fill(filling, text, &out, &ignored);
    return out.data;
}

/* A list of what the format makes of the columns c: groups, aggregates, or both. */
typedef enum Which { GROUPS = 1, AGGREGATES = 2, ALL = 3 } Which;

#define LIST(which, separator, condition, ...)                                                     \
    do {                                                                                           \
        initStringInfo(&list);                                                                     \
        foreach (cell, query->columns) {                                                           \
            RollupColumn *c = lfirst(cell);                                                        \
                                                                                                   \
            if ((which) & (c->key ? GROUPS : AGGREGATES) && (condition)) {                         \
                appendStringInfoString(&list, list.len ? separator : "");                          \
                appendStringInfo(&list, __VA_ARGS__);                                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Of a star, groups that facts are in as far as facts know are what is marked. */
#define IS_MARKED(c) (!is_star || (c)->alone)

#define EVERYTHING "rollup_everything"

/* A name for a group, which columns of tables seldom have. */
#define NUMBERED psprintf("named.rollup_%d", foreach_current_index(cell) + 1)

static const char *
aliased(const char *expression, const char *name)
{
    return strcmp(expression, name) == 0 ? name : psprintf("%s AS %s", expression, name);
}

/* Of groups whose rows were gone when the column came, what late rows add is not all. */
static const char *
merged(const RollupColumn *column, const RollupColumn *period)
{
    return column->since ? psprintf("CASE WHEN %s >= %s THEN %s END", period->name,
                                    quote_literal_cstr(column->since), column->merged)
                         : column->merged;
}

static void
add_lists(Filling *filling, const RollupQuery *query)
{
    RollupColumn *period = query->period, *lookup = period;
    bool plain = true, is_star = query->joins != NIL;
    StringInfoData list, numbers;
    ListCell *cell;

    initStringInfo(&numbers);
    foreach (cell, query->columns) {
        RollupColumn *c = lfirst(cell);

        if (c->key == NULL)
            continue;
        appendStringInfo(&numbers, "%s%d", numbers.len ? ", " : "",
                         foreach_current_index(cell) + 1);
        plain = plain && c->key == c->name;
        if (c->is_scalar && IS_MARKED(c) && lookup == NULL)
            lookup = c;
    }
    add(filling, "by", numbers.data);
    add(filling, "plain", plain ? "" : NULL);
    add(filling, "lookup", lookup ? lookup->name : NULL);
    add(filling, "lookup_value", lookup ? lookup->guarded : NULL);
    add(filling, "lookup_alone",
        lookup && lookup->guarded == lookup->expression ? lookup->alone : NULL);
    add(filling, "period", period ? period->name : NULL);
    add(filling, "period_type", period ? format_type_be(period->type) : NULL);
    add(filling, "period_value", period ? period->guarded : NULL);
    add(filling, "bound_type", period ? format_type_be(period->type) : "boolean");
    add(filling, "lowest", period ? quote_literal_cstr(rollup_bound(period->type, false)) : NULL);
    add(filling, "highest", period ? quote_literal_cstr(rollup_bound(period->type, true)) : NULL);
    LIST(ALL, ",\n       ", true, "%s", aliased(c->expression, c->name));
    add(filling, "query_select", list.data);
    LIST(ALL, ",\n       ", true, "%s", aliased(c->guarded, c->name));
    add(filling, "select", list.data);
    /* The period's conditions would reach the expression in the view of the query. */
    LIST(GROUPS, ", ", c->guarded != c->expression, "%s", c->name);
    add(filling, "computed", query->below || list.len ? "" : NULL);
    LIST(ALL, ", ", true, "%s", c->name);
    add(filling, "columns", list.data);
    LIST(ALL, ",\n       ", true, "%s", aliased(c->key ? c->name : merged(c, period), c->name));
    add(filling, "merged", list.data);
    LIST(GROUPS, ", ", true, "%s", c->name);
    add(filling, "keys", list.data);
    LIST(GROUPS, ", ", true, "%s", c->key);
    add(filling, "groups", list.data);
    LIST(GROUPS, ", ", true, "%s", c->key == c->name ? c->guarded : rollup_in_array(c, c->guarded));
    add(filling, "group_values", list.data);
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", c->name);
    add(filling, "mark_columns", list.len ? psprintf("%s, mark", list.data) : "mark");
    add(filling, "mark_keys", list.len ? list.data : EVERYTHING);
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", c->key);
    add(filling, "mark_groups", list.len ? list.data : "true");
    LIST(GROUPS, ", ", IS_MARKED(c), "%s",
         c->key == c->name ? c->guarded : rollup_in_array(c, c->guarded));
    add(filling, "mark_values", list.len ? list.data : "true");
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", aliased(is_star ? c->alone : c->expression, c->name));
    add(filling, "marked_select", list.len ? psprintf("%s, 1", list.data) : "1");
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", aliased(c->expression, c->name));
    add(filling, "touched_select", list.len ? list.data : "true AS " EVERYTHING);
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", c->declared);
    add(filling, "touched_declared", list.len ? list.data : EVERYTHING " bool");
    LIST(ALL, ",\n       ", true, "%s", aliased(c->logged, c->name));
    add(filling, "written_select", list.data);
    initStringInfo(&list);
    for (int i = 3; i < list_length(query->columns) + 3; i++)
        if (((RollupColumn *)list_nth(query->columns, i - 3))->key)
            appendStringInfo(&list, ", %d", i);
    add(filling, "written_by", list.data);
    LIST(ALL, ", ", true, "%s", c->declared);
    add(filling, "declared", list.data);
    LIST(GROUPS, " + ", true, "coalesce(pg_column_size(%s), 0)", c->name);
    add(filling, "width", list.data);
    LIST(GROUPS, ", ", true, "%s",
         c->key == c->name ? psprintf("part.%s", c->name)
                           : rollup_in_array(c, psprintf("part.%s", c->name)));
    add(filling, "part_groups", list.data);
    LIST(GROUPS, " AND ", true,
         c->key == c->name ? "named.%s = part.%s" : "ARRAY[named.%s] = ARRAY[part.%s]", c->name,
         c->name);
    add(filling, "same", list.data);
    LIST(GROUPS, ", ", true, "%s", NUMBERED + strlen("named."));
    add(filling, "numbered", list.data);
    LIST(GROUPS, ", ", true, "%s", c->key == c->name ? NUMBERED : rollup_in_array(c, NUMBERED));
    add(filling, "numbered_groups", list.data);
    LIST(ALL, ",\n                 ", true, "%s",
         aliased(c->key ? NUMBERED : c->expression, c->name));
    add(filling, "numbered_select", list.data);
    LIST(ALL, ", ", true, "u.%s", c->name);
    add(filling, "union_columns", list.data);
    LIST(GROUPS, "", c->key == c->name, "ALTER %s SET NOT NULL, ", c->name);
    add(filling, "not_null", list.data);
    LIST(GROUPS, ", ", c->never_null, "%s", c->name);
    add(filling, "never_null", list.len ? list.data : NULL);
    LIST(GROUPS, ", ", true, "%s",
         quote_literal_cstr(strVal(linitial(sketches_name_list(c->name)))));
    add(filling, "group_names", psprintf("ARRAY[%s]::text[]", list.data));
    LIST(AGGREGATES, ", ", true, "%s = excluded.%s", c->name, c->name);
    add(filling, "update", list.len ? psprintf("UPDATE SET %s", list.data) : "NOTHING");
    LIST(AGGREGATES, ", ", true, "%s",
         quote_literal_cstr(strVal(linitial(sketches_name_list(c->name)))));
    add(filling, "aggregates", psprintf("ARRAY[%s]::text[]", list.data));
    LIST(ALL, ", ", c->is_exact, "%s", c->name);
    add(filling, "exact", list.data);
    initStringInfo(&list);
    foreach (cell, query->named)
        appendStringInfo(&list, "%s%s", list.len ? ", " : "",
                         quote_identifier(get_attname(query->read, lfirst_int(cell), false)));
    add(filling, "read", list.data);
    initStringInfo(&numbers);
    foreach (cell, query->named)
        appendStringInfo(&numbers, "%s%d", numbers.len ? "," : "", lfirst_int(cell));
    add(filling, "numbers", psprintf("'{%s}'::int2[]", numbers.data));
    add(filling, "where", query->where);
}

/* Of a star: what is logged of tables that are joined, and which facts that is about. */
static void
add_joins(Filling *filling, const RollupQuery *query)
{
    StringInfoData joins, keys, arms, tables;
    const char *where = query->where_facts ? rollup_deparse(query, query->where_facts) : NULL;
    ListCell *cell, *key;
    int number = 0;

    add(filling, "star", query->joins ? "" : NULL);
    add(filling, "alias", query->alias);
    add(filling, "source_only", query->source_only);
    add(filling, "joins", query->joins ? strchr(query->from, '\n') : NULL);
    add(filling, "where_facts", where);
    add(filling, "is_there", query->is_there ? rollup_deparse(query, query->is_there) : NULL);
    initStringInfo(&joins);
    initStringInfo(&keys);
    initStringInfo(&arms);
    initStringInfo(&tables);
    foreach (cell, query->joins) {
        RollupJoin *join = lfirst(cell);
        StringInfoData columns;

        initStringInfo(&columns);
        foreach (key, join->keys) {
            Oid type, collation;
            int32 modifier;

            get_atttypetypmodcoll(join->table, lfirst_int(key), &type, &modifier, &collation);
            /* NULL, which is there of other tables, is no value of some domains. */
            type = getBaseTypeAndTypmod(type, &modifier);
            appendStringInfo(
                &keys, ", key%d %s", ++number,
                rollup_describe((Node *)makeVar(1, lfirst_int(key), type, modifier, collation, 0)));
            appendStringInfo(&columns, "key%d AS %s, ", number,
                             quote_identifier(get_attname(join->table, lfirst_int(key), false)));
        }
        appendStringInfo(&arms, "%sSELECT DISTINCT %s\nFROM %s AS %s",
                         arms.len ? "\nUNION ALL\n" : "", find(filling, "touched_select")->value,
                         query->source_only, query->alias);
        for (int other = -1; (other = bms_next_member(join->behind, other)) >= 0;) {
            RollupJoin *between = list_nth(query->joins, other - 2);

            appendStringInfo(&arms, "\n    JOIN %s AS %s ON %s", between->name, between->alias,
                             between->by);
        }
        appendStringInfo(
            &arms,
            "\n    JOIN (SELECT %sunnest(array_fill(dimension, ARRAY[1])) FROM %s"
            "\n          WHERE dimension = %d AND %s._rollup_hashed(dimension)) AS %s ON %s%s%s",
            columns.data, find(filling, "joined")->value, foreach_current_index(cell) + 1,
            find(filling, "sketches")->value, join->alias, join->by, where ? "\nWHERE " : "",
            where ? where : "");
        appendStringInfo(&joins, "\n    LEFT JOIN %s AS %s ON %s", join->name, join->alias,
                         join->on);
        appendStringInfo(&tables, "%s%u", tables.len ? ", " : "", join->table);
    }
    add(filling, "left_joins", joins.data);
    add(filling, "change_keys", keys.data);
    add(filling, "touched_arms", arms.data);
    add(filling, "joined_tables", psprintf("'{%s}'::oid[]", tables.data));
    add(filling, "all_tables",
        query->joins ? psprintf("(%s || %s)", find(filling, "tables")->value,
                                find(filling, "joined_tables")->value)
                     : find(filling, "tables")->value);
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
    add(filling, psprintf("%s_trigger", what), trigger_name(rollup, what, tables));
}

static void
add_table(Filling *filling, const Rollup *rollup, Oid table)
{
    static const char *const triggers[] = {"delete", "insert", "truncate", "update", "moves"};
    Oid source = rollup->query->source;

    add(filling, "table", rollup_relation_name(table));
    add(filling, "cloned",
        table != source && get_rel_relkind(source) == RELKIND_PARTITIONED_TABLE ? "" : NULL);
    add(filling, "is_joined", list_member_oid(rollup->query->tables, table) ? NULL : "");
    add(filling, "has_partitions", get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE ? "" : NULL);
    for (size_t i = 0; i < lengthof(triggers); i++)
        add_trigger(filling, rollup, triggers[i], list_make1_oid(table));
    if (table == source || get_rel_relkind(source) != RELKIND_PARTITIONED_TABLE)
        add_trigger(filling, rollup, "rows",
                    table == source ? rollup->query->tables : list_make1_oid(table));
    /* Those of the source are those of its partitions, too. */
    add(filling, "moved_from_trigger", NULL);
    if (table == source && find(filling, "moves")->value) {
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
    add(filling, "level", OidIsValid(below[ROLLUP_LOG]) ? "" : NULL);
    add(filling, "makes_index", NULL);
    if (!OidIsValid(below[ROLLUP_LOG]))
        return;
    log = below[ROLLUP_LOG];
    add_trigger(filling, rollup, "flow", list_make1_oid(log));
    add(filling, "below_log", rollup_relation_name(log));
    add(filling, "below_log_name", quote_literal_cstr(rollup_relation_name(log)));
    add(filling, "below_changes",
        rollup_relation_name(OidIsValid(below[ROLLUP_CHANGES]) ? below[ROLLUP_CHANGES] : log));
}

/* How it reads that: by the names that the columns of its view have. */
static void
add_level(Filling *filling, const RollupQuery *query)
{
    const RollupQuery *below = query->below->query;
    const char *lookup = find(filling, "lookup_alone")->value, *period = NULL;
    StringInfoData names, list;
    ListCell *cell;

    initStringInfo(&names);
    foreach (cell, below->columns) {
        int number = foreach_current_index(cell) + 1;
        const char *name = quote_identifier(get_attname(query->read, number, false));

        appendStringInfo(&names, "%s%s", number > 1 ? ", " : "", name);
        if (lfirst(cell) == below->period)
            period = name;
    }
    add(filling, "below_columns", names.data);
    add(filling, "below_period", period);
    add(filling, "below_lowest",
        period ? quote_literal_cstr(rollup_bound(below->period->type, false)) : NULL);
    add(filling, "from",
        psprintf("%s AS %s (%s)", rollup_relation_name(query->source),
                 quote_identifier(get_rel_name(query->read)), names.data));
    add(filling, "makes_index",
        lookup && strcmp(lookup, ((RollupColumn *)linitial(below->columns))->name) ? "" : NULL);
    add(filling, "flows", query->flows ? "" : NULL);
    add(filling, "flow_where", query->flow_where);
    LIST(GROUPS, ", ", true, "%d", foreach_current_index(cell) + 2);
    add(filling, "flow_by", list.data);
    LIST(ALL, ",\n       ", true, "%s AS %s",
         c->key == NULL ? query->flows ? c->flow : psprintf("NULL::%s", c->described)
         : c == query->period
             ? psprintf("CASE WHEN rollup_mark < 2 THEN %s ELSE %s::%s END", c->expression,
                        find(filling, "highest")->value, find(filling, "period_type")->value)
             : psprintf("CASE WHEN rollup_mark < 2 THEN %s END", c->expression),
         c->name);
    add(filling, "flow_select", list.data);
}

/* Columns that are not stored yet: s has those that are, a what is computed from rows. */
static void
add_filling(Filling *filling, const RollupQuery *query)
{
    StringInfoData list;
    ListCell *cell;
    int number = 0;

#define COMPUTED(c) ((c)->key == (c)->name ? (c)->guarded : rollup_in_array(c, (c)->guarded))
#define STORED(c)                                                                                  \
    ((c)->key == (c)->name ? psprintf("s.%s", (c)->name)                                           \
                           : rollup_in_array(c, psprintf("s.%s", (c)->name)))
    LIST(GROUPS, ", ", true, "%s AS rollup_%d", COMPUTED(c), ++number);
    add(filling, "fill_groups", list.data);
    number = 0;
    LIST(GROUPS, ", ", true, "%d", ++number);
    add(filling, "fill_by", list.data);
    number = 0;
    LIST(GROUPS, ", ", true, "rollup_%d", ++number);
    add(filling, "fill_keys", list.data);
    number = 0;
    LIST(GROUPS, " AND ", true, "a.rollup_%d = %s", ++number, STORED(c));
    add(filling, "fill_same", list.data);
    LIST(GROUPS, ", ", true, "%s", STORED(c));
    add(filling, "fill_stored", list.data);
    LIST(AGGREGATES, ", ", c->is_filling, "%s AS %s", c->expression, c->name);
    add(filling, "fill_select", list.data);
    LIST(AGGREGATES, ", ", c->is_filling, "%s = a.%s", c->name, c->name);
    add(filling, "fill_update", list.data);
    number = 0;
    initStringInfo(&list);
    foreach (cell, query->columns) {
        RollupColumn *c = lfirst(cell);

        if (c == query->period)
            add(filling, "fill_period", psprintf("rollup_%d", number + 1));
        if (c->key == c->name)
            appendStringInfo(&list, "%srollup_%d %s", number ? ", " : "", number + 1, c->described);
        else if (c->key)
            appendStringInfo(&list, "%srollup_%d %s%s", number ? ", " : "", number + 1,
                             format_type_be(get_array_type(getBaseType(c->type))),
                             strstr(c->described, " COLLATE ") ? strstr(c->described, " COLLATE ")
                                                               : "");
        number += c->key != NULL;
    }
    foreach (cell, query->columns)
        if (((RollupColumn *)lfirst(cell))->is_filling)
            appendStringInfo(&list, ", %s", ((RollupColumn *)lfirst(cell))->declared);
    add(filling, "fill_declared", list.data);
}

/* After the definitions. */
static void
add_filled(Filling *filling, const RollupQuery *query)
{
    const char *unfilled = filled(filling, "{unfilled}");
    StringInfoData list;
    ListCell *cell;

    LIST(ALL, ",\n       ", true, "%s",
         c->is_filling ? psprintf("CASE WHEN %s THEN a.%s ELSE s.%s END AS %s", unfilled, c->name,
                                  c->name, c->name)
                       : psprintf("s.%s", c->name));
    add(filling, "filled_select", list.data);
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
    add(filling, "comment",
        quote_literal_cstr(psprintf("rollup of %s; SELECT rollup_refresh(%s)",
                                    rollup_relation_name(query->read),
                                    find(filling, "rollup_name")->value)));
    add(filling, "source", source);
    add(filling, "source_name", quote_literal_cstr(source));
    add(filling, "source_oid", psprintf("%u", query->source));
    add(filling, "from", query->below ? source : query->from);
    add(filling, "query_from", query->from);
    add(filling, "merge", quote_literal_cstr(rollup->merge));
    add(filling, "nullable", query->nullable ? quote_literal_cstr(query->nullable) : NULL);
    add(filling, "apart", query->below || (is_partitioned && !rollup->is_distributed) ? yes : NULL);
    add(filling, "passes", find(filling, "apart")->value || query->joins ? yes : NULL);
    add(filling, "unlogged",
        get_rel_persistence(query->source) == RELPERSISTENCE_UNLOGGED ? yes : NULL);
    add(filling, "moves", is_partitioned && !rollup->each_row ? yes : NULL);
    add(filling, "distribution", rollup->distribution);
    if (rollup->distribution) {
        add(filling, "distributed_by",
            quote_literal_cstr(strVal(linitial(sketches_name_list(rollup->distribution)))));
        foreach (cell, query->columns) {
            RollupColumn *c = lfirst(cell);

            if (strcmp(c->name, rollup->distribution) == 0)
                add(filling, "distributed_column", c->expression);
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
    add(filling, "tables", psprintf("'{%s}'::oid[]", tables.data));
    add(filling, "table_names", psprintf("ARRAY[%s]::text[]", names.data));
    add(filling, "followed", psprintf("ARRAY[%s]::text[]", followed.data));
    add_lists(filling, query);
    add_joins(filling, query);
    add_filling(filling, query);
    if (query->below)
        add_level(filling, query);
    /* Readers may have given the columns of the view other names. */
    filled = rollup->parts[rollup_has(rollup, ROLLUP_PARTS) ? ROLLUP_PARTS : ROLLUP_VIEW];
    add(filling, "filled_columns",
        rollup->labels ? joined(rollup->labels)
        : OidIsValid(filled)
            ? rollup_ask("SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)"
                         " FROM pg_attribute WHERE attrelid = %u AND attnum > 0",
                         filled)
            : find(filling, "columns")->value);
    add(filling, "filled_options", options_of(filled));
    add(filling, "live_columns",
        find(filling, rollup_has(rollup, ROLLUP_LIVE) ? "columns" : "filled_columns")->value);
    add(filling, "live_options",
        rollup_has(rollup, ROLLUP_LIVE) ? NULL : find(filling, "filled_options")->value);
}

/* A text as format() writes it. */
static const char *
format_literal(const char *text)
{
    StringInfoData out;

    if (strchr(text, '%') == NULL)
        return text;
    initStringInfo(&out);
    for (; *text; text++) {
        if (*text == '%')
            appendStringInfoChar(&out, '%');
        appendStringInfoChar(&out, *text);
    }
    return out.data;
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
    for (Text *text = of_shard->texts; text < of_shard->texts + of_shard->count; text++)
        if (text->value && !text->is_template)
            text->value = format_literal(text->value);
    for (size_t i = 0; i < lengthof(names); i++)
        add(of_shard, names[i][0], names[i][1]);
    add(of_shard, "names_shards", "");
    add(filling, "on_shard", filled(of_shard, "{fold_of_shard}"));
}

/* Definitions become texts; returns what comes after them. */
static const char *
add_definitions(Filling *filling, const char *text)
{
    while (strncmp(text += strspn(text, "\n"), "{define ", 8) == 0) {
        const char *name = text + 8, *end = strchr(name, '}');
        bool ignored;

        text = fill(filling, end + 1, NULL, &ignored);
        add(filling, pnstrdup(name, end - name),
            pnstrdup(end + 1, text - strlen("{end}") - (end + 1)));
        filling->texts[filling->count - 1].is_template = true;
    }
    return text;
}

/* What the template names of a rollup; of a damaged one, its parts. Sets *text to the sections. */
static Filling *
filling_of(Rollup *rollup, const char **text)
{
    Filling *filling = palloc0(sizeof *filling);
    const char *name = rollup_called(rollup);
    const char *old = get_rel_name(rollup->state);

    add(filling, "rollup", name);
    add(filling, "view_is_there", OidIsValid(rollup->view) ? "" : NULL);
    add(filling, "late_is_there", OidIsValid(rollup->parts[ROLLUP_LATE]) ? "" : NULL);
    add(filling, "changes_are_there", OidIsValid(rollup->parts[ROLLUP_CHANGES]) ? "" : NULL);
    add(filling, "names_below", OidIsValid(rollup->parts[ROLLUP_BELOW]) ? "" : NULL);
    add(filling, "flow_is_there", OidIsValid(rollup->parts[ROLLUP_FLOW]) ? "" : NULL);
    add(filling, "star_is_there", get_attnum(rollup->state, "folded") > 0 ? "" : NULL);
    add(filling, "or_replace", OidIsValid(rollup->view) || rollup->called ? "OR REPLACE " : "");
    add(filling, "rollup_name", quote_literal_cstr(name));
    add(filling, "part_comment", quote_literal_cstr(psprintf("part of rollup %s", name)));
    for (int i = ROLLUP_QUERY; i <= ROLLUP_PART_COUNT; i++) {
        const char *label = i < ROLLUP_PART_COUNT ? rollup_part_names[i] : "state";

        add(filling, label, rollup_part(rollup, i));
        add(filling, psprintf("%s_name", label), quote_literal_cstr(rollup_part(rollup, i)));
    }
    add(filling, "live",
        rollup_live(rollup) == ROLLUP_VIEW ? name : rollup_part(rollup, rollup_live(rollup)));
    add(filling, "has_parts", rollup_has(rollup, ROLLUP_PARTS) ? "" : NULL);
    add(filling, "has_live", rollup_has(rollup, ROLLUP_LIVE) ? "" : NULL);
    add(filling, "filled",
        find(filling, rollup_has(rollup, ROLLUP_PARTS) ? "parts" : "rollup")->value);
    add(filling, "altered", rollup->is_altered ? "" : NULL);
    add(filling, "shown", rollup->shown);
    add(filling, "having", rollup->having);
    if (rollup->form == 0 && old && strlen(old) > strlen("_state")) {
        old = pnstrdup(old, strlen(old) - strlen("_state"));
        add(filling, "old_trigger",
            quote_qualified_identifier(rollup->schema, psprintf("%s_trigger", old)));
        add(filling, "old_trigger_name",
            quote_literal_cstr(psprintf("%s()", find(filling, "old_trigger")->value)));
        add(filling, "old_fold",
            quote_qualified_identifier(rollup->schema, psprintf("%s_fold", old)));
    }
    add(filling, "form", psprintf("%d", ROLLUP_FORM));
    add(filling, "by_number", rollup->form > 0 ? "" : NULL);
    add(filling, "is_old", rollup->form > 0 ? NULL : "");
    add(filling, "token", rollup->is_distributed ? quote_literal_cstr(rollup_token(rollup)) : NULL);
    add(filling, "each_row", rollup->each_row ? "" : NULL);
    add(filling, "statements", rollup->each_row || rollup->is_distributed ? NULL : "");
    add(filling, "distributed", rollup->is_distributed ? "" : NULL);
    add(filling, "local", rollup->is_distributed ? NULL : "");
    add(filling, "state_oid", psprintf("%u", rollup->state));
    add(filling, "owner", psprintf("%u::regrole", rollup->owner));
    add(filling, "sketches", quote_identifier(get_namespace_name(rollup->sketches)));
    add(filling, "sketches_name", quote_literal_cstr(get_namespace_name(rollup->sketches)));
    add(filling, "write_name",
        quote_literal_cstr(psprintf("%s._rollup_write()", find(filling, "sketches")->value)));
    add_below(filling, rollup);
    if (rollup->query)
        add_query(filling, rollup);
    add(filling, "names_shards", NULL);
    add(filling, "filled_select", NULL);
    *text = add_definitions(filling, template);
    if (rollup->query && rollup_has(rollup, ROLLUP_LIVE))
        add_filled(filling, rollup->query);
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
                statements = lappend(statements, filled(filling, chunk + 12));
            }
        } else if (wanted) {
            chunk = filled(filling, chunk);
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
        texts = lappend(texts, filled(filling, text));
    }
    return texts;
}

char *
rollup_text(Rollup *rollup, const char *text)
{
    const char *ignored;

    return filled(filling_of(rollup, &ignored), text);
}
