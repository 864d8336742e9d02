/*
 * columns.c - what the template of rollups names of columns, and of tables that are joined.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/template.h"

#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

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

void
filling_add_lists(Filling *filling, const RollupQuery *query)
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
    filling_add(filling, "by", numbers.data);
    filling_add(filling, "plain", plain ? "" : NULL);
    filling_add(filling, "lookup", lookup ? lookup->name : NULL);
    filling_add(filling, "lookup_value", lookup ? lookup->guarded : NULL);
    filling_add(filling, "lookup_alone",
                lookup && lookup->guarded == lookup->expression ? lookup->alone : NULL);
    filling_add(filling, "period", period ? period->name : NULL);
    filling_add(filling, "period_type", period ? format_type_be(period->type) : NULL);
    filling_add(filling, "period_value", period ? period->guarded : NULL);
    filling_add(filling, "bound_type", period ? format_type_be(period->type) : "boolean");
    filling_add(filling, "lowest",
                period ? quote_literal_cstr(rollup_bound(period->type, false)) : NULL);
    filling_add(filling, "highest",
                period ? quote_literal_cstr(rollup_bound(period->type, true)) : NULL);
    LIST(ALL, ",\n       ", true, "%s", aliased(c->expression, c->name));
    filling_add(filling, "query_select", list.data);
    LIST(ALL, ",\n       ", true, "%s", aliased(c->guarded, c->name));
    filling_add(filling, "select", list.data);
    /* The period's conditions would reach the expression in the view of the query. */
    LIST(GROUPS, ", ", c->guarded != c->expression, "%s", c->name);
    filling_add(filling, "computed", query->below || list.len ? "" : NULL);
    LIST(ALL, ", ", true, "%s", c->name);
    filling_add(filling, "columns", list.data);
    LIST(ALL, ",\n       ", true, "%s", aliased(c->key ? c->name : merged(c, period), c->name));
    filling_add(filling, "merged", list.data);
    LIST(GROUPS, ", ", true, "%s", c->name);
    filling_add(filling, "keys", list.data);
    LIST(GROUPS, ", ", true, "%s", c->key);
    filling_add(filling, "groups", list.data);
    LIST(GROUPS, ", ", true, "%s", c->key == c->name ? c->guarded : rollup_in_array(c, c->guarded));
    filling_add(filling, "group_values", list.data);
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", c->name);
    filling_add(filling, "mark_columns", list.len ? psprintf("%s, mark", list.data) : "mark");
    filling_add(filling, "mark_keys", list.len ? list.data : EVERYTHING);
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", c->key);
    filling_add(filling, "mark_groups", list.len ? list.data : "true");
    LIST(GROUPS, ", ", IS_MARKED(c), "%s",
         c->key == c->name ? c->guarded : rollup_in_array(c, c->guarded));
    filling_add(filling, "mark_values", list.len ? list.data : "true");
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", aliased(is_star ? c->alone : c->expression, c->name));
    filling_add(filling, "marked_select", list.len ? psprintf("%s, 1", list.data) : "1");
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", aliased(c->expression, c->name));
    filling_add(filling, "touched_select", list.len ? list.data : "true AS " EVERYTHING);
    LIST(GROUPS, ", ", IS_MARKED(c), "%s", c->declared);
    filling_add(filling, "touched_declared", list.len ? list.data : EVERYTHING " bool");
    LIST(ALL, ",\n       ", true, "%s", aliased(c->logged, c->name));
    filling_add(filling, "written_select", list.data);
    initStringInfo(&list);
    for (int i = 3; i < list_length(query->columns) + 3; i++)
        if (((RollupColumn *)list_nth(query->columns, i - 3))->key)
            appendStringInfo(&list, ", %d", i);
    filling_add(filling, "written_by", list.data);
    LIST(ALL, ", ", true, "%s", c->declared);
    filling_add(filling, "declared", list.data);
    LIST(GROUPS, " + ", true, "coalesce(pg_column_size(%s), 0)", c->name);
    filling_add(filling, "width", list.data);
    LIST(GROUPS, ", ", true, "%s",
         c->key == c->name ? psprintf("part.%s", c->name)
                           : rollup_in_array(c, psprintf("part.%s", c->name)));
    filling_add(filling, "part_groups", list.data);
    LIST(GROUPS, " AND ", true,
         c->key == c->name ? "named.%s = part.%s" : "ARRAY[named.%s] = ARRAY[part.%s]", c->name,
         c->name);
    filling_add(filling, "same", list.data);
    LIST(GROUPS, ", ", true, "%s", NUMBERED + strlen("named."));
    filling_add(filling, "numbered", list.data);
    LIST(GROUPS, ", ", true, "%s", c->key == c->name ? NUMBERED : rollup_in_array(c, NUMBERED));
    filling_add(filling, "numbered_groups", list.data);
    LIST(ALL, ",\n                 ", true, "%s",
         aliased(c->key ? NUMBERED : c->expression, c->name));
    filling_add(filling, "numbered_select", list.data);
    LIST(ALL, ", ", true, "u.%s", c->name);
    filling_add(filling, "union_columns", list.data);
    LIST(GROUPS, "", c->key == c->name, "ALTER %s SET NOT NULL, ", c->name);
    filling_add(filling, "not_null", list.data);
    LIST(GROUPS, ", ", c->never_null, "%s", c->name);
    filling_add(filling, "never_null", list.len ? list.data : NULL);
    LIST(GROUPS, ", ", true, "%s",
         quote_literal_cstr(strVal(linitial(sketches_name_list(c->name)))));
    filling_add(filling, "group_names", psprintf("ARRAY[%s]::text[]", list.data));
    /* Of equal values of a group, the one that is there now. */
    LIST(ALL, ", ", c->key == NULL || !c->has_one_image, "%s = excluded.%s", c->name, c->name);
    filling_add(filling, "update", list.len ? psprintf("UPDATE SET %s", list.data) : "NOTHING");
    LIST(AGGREGATES, ", ", true, "%s",
         quote_literal_cstr(strVal(linitial(sketches_name_list(c->name)))));
    filling_add(filling, "aggregates", psprintf("ARRAY[%s]::text[]", list.data));
    LIST(ALL, ", ", c->is_exact, "%s", c->name);
    filling_add(filling, "exact", list.data);
    initStringInfo(&list);
    foreach (cell, query->named)
        appendStringInfo(&list, "%s%s", list.len ? ", " : "",
                         quote_identifier(get_attname(query->read, lfirst_int(cell), false)));
    filling_add(filling, "read", list.data);
    initStringInfo(&numbers);
    foreach (cell, query->named)
        appendStringInfo(&numbers, "%s%d", numbers.len ? "," : "", lfirst_int(cell));
    filling_add(filling, "numbers", psprintf("'{%s}'::int2[]", numbers.data));
    filling_add(filling, "where", query->where);
}

void
filling_add_joins(Filling *filling, const RollupQuery *query)
{
    StringInfoData joins, keys, arms, tables;
    const char *where = query->where_facts ? rollup_deparse(query, query->where_facts) : NULL;
    ListCell *cell, *key;
    int number = 0;

    filling_add(filling, "star", query->joins ? "" : NULL);
    filling_add(filling, "alias", query->alias);
    filling_add(filling, "source_only", query->source_only);
    filling_add(filling, "joins", query->joins ? strchr(query->from, '\n') : NULL);
    filling_add(filling, "where_facts", where);
    filling_add(filling, "is_there",
                query->is_there ? rollup_deparse(query, query->is_there) : NULL);
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
                         arms.len ? "\nUNION ALL\n" : "", filling_find(filling, "touched_select"),
                         query->source_only, query->alias);
        for (int other = -1; (other = bms_next_member(join->behind, other)) >= 0;) {
            RollupJoin *between = list_nth(query->joins, other - 2);

            appendStringInfo(&arms, "\n    JOIN %s AS %s ON %s", between->name, between->alias,
                             between->by);
        }
        appendStringInfo(
            &arms,
            "\n    JOIN (SELECT %sunnest(array_fill(dimension, ARRAY[1])) AS rollup_dimension FROM "
            "%s"
            "\n          WHERE dimension = %d AND %s._rollup_hashed(dimension)) AS %s ON %s%s%s",
            columns.data, filling_find(filling, "joined"), foreach_current_index(cell) + 1,
            filling_find(filling, "sketches"), join->alias, join->by, where ? "\nWHERE " : "",
            where ? where : "");
        appendStringInfo(&joins, "\n    LEFT JOIN %s AS %s ON %s", join->name, join->alias,
                         join->on);
        appendStringInfo(&tables, "%s%u", tables.len ? ", " : "", join->table);
    }
    filling_add(filling, "left_joins", joins.data);
    filling_add(filling, "change_keys", keys.data);
    filling_add(filling, "touched_arms", arms.data);
    filling_add(filling, "joined_tables", psprintf("'{%s}'::oid[]", tables.data));
    filling_add(filling, "all_tables",
                query->joins ? psprintf("(%s || %s)", filling_find(filling, "tables"),
                                        filling_find(filling, "joined_tables"))
                             : filling_find(filling, "tables"));
}

void
filling_add_level(Filling *filling, const RollupQuery *query)
{
    const RollupQuery *below = query->below->query;
    const char *lookup = filling_find(filling, "lookup_alone"), *period = NULL;
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
    filling_add(filling, "below_columns", names.data);
    filling_add(filling, "below_period", period);
    filling_add(filling, "below_lowest",
                period ? quote_literal_cstr(rollup_bound(below->period->type, false)) : NULL);
    filling_add(filling, "from",
                psprintf("%s AS %s (%s)", rollup_relation_name(query->source),
                         quote_identifier(get_rel_name(query->read)), names.data));
    filling_add(filling, "makes_index",
                lookup && strcmp(lookup, ((RollupColumn *)linitial(below->columns))->name) ? ""
                                                                                           : NULL);
    filling_add(filling, "flows", query->flows ? "" : NULL);
    filling_add(filling, "flow_where", query->flow_where);
    LIST(GROUPS, ", ", true, "%d", foreach_current_index(cell) + 2);
    filling_add(filling, "flow_by", list.data);
    LIST(ALL, ",\n       ", true, "%s AS %s",
         c->key == NULL ? query->flows ? c->flow : psprintf("NULL::%s", c->described)
         : c == query->period
             ? psprintf("CASE WHEN rollup_mark < 2 THEN %s ELSE %s::%s END", c->expression,
                        filling_find(filling, "highest"), filling_find(filling, "period_type"))
             : psprintf("CASE WHEN rollup_mark < 2 THEN %s END", c->expression),
         c->name);
    filling_add(filling, "flow_select", list.data);
}

void
filling_add_filling(Filling *filling, const RollupQuery *query)
{
    StringInfoData list;
    ListCell *cell;
    int number = 0;

#define COMPUTED(c) ((c)->key == (c)->name ? (c)->guarded : rollup_in_array(c, (c)->guarded))
#define STORED(c)                                                                                  \
    ((c)->key == (c)->name ? psprintf("s.%s", (c)->name)                                           \
                           : rollup_in_array(c, psprintf("s.%s", (c)->name)))
    LIST(GROUPS, ", ", true, "%s AS rollup_%d", COMPUTED(c), ++number);
    filling_add(filling, "fill_groups", list.data);
    number = 0;
    LIST(GROUPS, ", ", true, "%d", ++number);
    filling_add(filling, "fill_by", list.data);
    number = 0;
    LIST(GROUPS, ", ", true, "rollup_%d", ++number);
    filling_add(filling, "fill_keys", list.data);
    number = 0;
    LIST(GROUPS, " AND ", true, "a.rollup_%d = %s", ++number, STORED(c));
    filling_add(filling, "fill_same", list.data);
    LIST(GROUPS, ", ", true, "%s", STORED(c));
    filling_add(filling, "fill_stored", list.data);
    LIST(AGGREGATES, ", ", c->is_filling, "%s AS %s", c->expression, c->name);
    filling_add(filling, "fill_select", list.data);
    LIST(AGGREGATES, ", ", c->is_filling, "%s = a.%s", c->name, c->name);
    filling_add(filling, "fill_update", list.data);
    number = 0;
    initStringInfo(&list);
    foreach (cell, query->columns) {
        RollupColumn *c = lfirst(cell);

        if (c == query->period)
            filling_add(filling, "fill_period", psprintf("rollup_%d", number + 1));
        if (c->key == c->name)
            appendStringInfo(&list, "%srollup_%d %s", number ? ", " : "", number + 1, c->described);
        else if (c->key)
            appendStringInfo(&list, "%srollup_%d %s%s", number ? ", " : "", number + 1,
                             format_type_with_typemod(get_array_type(getBaseType(c->type)), -1),
                             strstr(c->described, " COLLATE ") ? strstr(c->described, " COLLATE ")
                                                               : "");
        number += c->key != NULL;
    }
    foreach (cell, query->columns)
        if (((RollupColumn *)lfirst(cell))->is_filling)
            appendStringInfo(&list, ", %s", ((RollupColumn *)lfirst(cell))->declared);
    filling_add(filling, "fill_declared", list.data);
}

void
filling_add_filled(Filling *filling, const RollupQuery *query)
{
    const char *unfilled = filling_fill(filling, "{unfilled}");
    StringInfoData list;
    ListCell *cell;

    LIST(ALL, ",\n       ", true, "%s",
         c->is_filling ? psprintf("CASE WHEN %s THEN a.%s ELSE s.%s END AS %s", unfilled, c->name,
                                  c->name, c->name)
                       : psprintf("s.%s", c->name));
    filling_add(filling, "filled_select", list.data);
}
