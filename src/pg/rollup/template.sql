--# The script that makes a rollup, as it reads. template.c fills it in:
--#   {name}                         the text of that name: an identifier, a list of columns, an expression
--#   {if name}...{else}...{end}     whether there is such a text; {else} may be left out
--#   {each table}                   what follows, for the table and everything below it; {table} is its name
--#   {define name}...{end}          names a part that is used more than once
--#   {literal name}                 that part as a literal
--# No comment has a name in it, which could end it by a line break.
--# Blank lines separate statements. rollup_create executes those before the first section, and the sections names, views
--# and triggers; rollup_repair those three, after {section convert} if there is an older form. In that of refresh, $1 is
--# the period to go back to, and $2 the last one before it.
--# distributed: by Citus; local: not. star: of facts and tables joined to them, see joins.c. apart: of a partitioned
--# table, or a level. passes: reads by a function, to which the reader passes a secret. level: over a rollup, of which
--# below is the state. lowest, highest: periods, as -infinity.

--# PostgreSQL probes a hash table for IN (SELECT ...) as long as it expects the table to fit into memory; otherwise it
--# reads the subquery again for every row. _rollup_hashed() is true, and has it expect one row, so the table is hashed,
--# whatever the size and the statistics of the log. IS TRUE keeps it from being a join.
--# The log is read for each list anew: a WITH for all of them would compute sketches that a reader does not select, and
--# to keep a list takes longer than to read the log twice.
{define hashed}{sketches}._rollup_hashed(mark){end}
{define frozen}coalesce((SELECT frozen FROM {state}), {lowest}){end}
{define not_frozen_yet}{if period} AND {period} >= {frozen}{end}{end}
{define is_marked}mark = 1{not_frozen_yet}{end}
{define added}SELECT {groups} FROM {log} WHERE mark = 0 AND {hashed}{end}
--# Of a star, marks name groups as far as facts know them.
{define marked}SELECT {mark_groups} FROM {log} WHERE {is_marked} AND {hashed}{if star}
    UNION ALL
    -- What was logged by who may not have known of a change that is in the stored groups.
    SELECT {mark_groups} FROM {log} WHERE rollup_seen <= (SELECT folded FROM {state}){not_frozen_yet} AND {hashed}
    UNION ALL
    SELECT {mark_groups} FROM {sketches}._rollup_touched({state_name}::regclass, (SELECT secret FROM {state})) AS touched ({touched_declared})
    WHERE (SELECT EXISTS (SELECT FROM {joined})){not_frozen_yet}{end}{end}
{define named}{if star}{added}{else}SELECT {groups} FROM {log} WHERE (mark = 0 OR {is_marked}) AND {hashed}{end}{end}
--# What an index can find of the groups in a list: those of up to 50 values of their {lookup}, or of a range.
{define how_many}how_many AS MATERIALIZED (SELECT count(*) FROM (SELECT FROM lookups LIMIT 51) AS l){end}
{define first}(SELECT {lookup} FROM lookups WHERE (TABLE how_many) > 50 ORDER BY 1 LIMIT 1){end}
{define last}(SELECT {lookup} FROM lookups WHERE (TABLE how_many) > 50 ORDER BY 1 DESC LIMIT 1){end}
{define near}({lookup} = ANY (ARRAY(SELECT {lookup} FROM lookups WHERE (TABLE how_many) <= 50))
         OR {lookup} BETWEEN
            {first} AND
            {last}){end}
{define of_marked}SELECT {select}
    FROM {from}
    WHERE {if where}({where}) AND {end}(({mark_values}) IN (TABLE list)) IS TRUE
    GROUP BY {by}{end}
--# stale of the state: what mark 2 is, for snapshots of before the query was changed, too. unfilled: up to there, columns that
--# came are not stored.
{define any_stale}(SELECT EXISTS (SELECT FROM {log} WHERE mark = 2){if altered} OR EXISTS (SELECT FROM {state} WHERE stale IS NOT NULL){end}){end}
{define stale}{if period}{period} BETWEEN {frozen} AND
       {if altered}greatest((SELECT stale FROM {state}), {end}(SELECT {period} FROM {log} WHERE mark = 2 ORDER BY 1 DESC LIMIT 1){if altered}){end}{else}{any_stale}{end}{end}
{define unfilled}{if period}s.{period} BETWEEN {frozen} AND {end}(SELECT unfilled FROM {state}){if period}{else} IS NOT NULL{end}{end}
{define any_unfilled}(SELECT EXISTS (SELECT FROM {state} WHERE unfilled IS NOT NULL)){end}
{define of_unfilled}WHERE {if where}({where}){if period} AND {end}{end}{if period}{period_value} BETWEEN {frozen} AND (SELECT unfilled FROM {state}){else}{if where}{else}true{end}{end}
GROUP BY {fill_by}
HAVING {any_unfilled}{end}
{define late_groups}-- Groups that lost or changed rows.
(WITH list ({mark_keys}) AS MATERIALIZED ({marked}){if lookup},
     lookups AS MATERIALIZED (SELECT DISTINCT {lookup} FROM list),
     {how_many}{end}
SELECT {columns} FROM (
    {of_marked}{if lookup}
    HAVING (TABLE how_many) BETWEEN 1 AND 50 AND {lookup_value} = ANY (ARRAY(TABLE lookups))
    UNION ALL
    {of_marked}
    HAVING (TABLE how_many) > 50 AND {lookup_value} BETWEEN
           {first} AND
           {last}{else}
    HAVING (SELECT EXISTS (TABLE list)){end}) AS marked
WHERE ({stale}) IS NOT TRUE)
UNION ALL
-- Everything that was not computed yet.
SELECT {columns} FROM {if computed}(SELECT {select}
      FROM {from}{if where}
      WHERE {where}{end}
      GROUP BY {by}) AS computed{else}{query}{end}
WHERE {if period}{any_stale} AND {end}{stale}{end}
--# A level. What waits for it are its changes: in its log, and below. Each part of its view reads their groups once: to plan for
--# them takes longer than to read them.
{define pending}WITH pending (mark, {keys}) AS MATERIALIZED (
    SELECT mark, {groups} FROM {changes}{if period} WHERE mark <> 1 OR {period} >= {frozen}{end}){end}
{define last_pending}{frozen} AND {if altered}greatest((SELECT stale FROM {state}), {end}(SELECT max({period}) FROM pending WHERE mark = 2){if altered}){end}{end}
{define any_pending}(SELECT EXISTS (SELECT FROM pending WHERE mark = 2){if altered} OR EXISTS (SELECT FROM {state} WHERE stale IS NOT NULL){end}){end}
{define uncomputed}{if period}{period} BETWEEN {last_pending}{else}{any_pending}{end}{end}
{define value_uncomputed}{if period}{period_value} BETWEEN {last_pending}{else}{any_pending}{end}{end}
{define late_of_level}{pending},
     list AS MATERIALIZED (SELECT {keys} FROM pending WHERE mark = 1 AND {hashed}){if lookup},
     lookups AS MATERIALIZED (SELECT DISTINCT {lookup} FROM list),
     {how_many}{end}
SELECT {select}
FROM {query_from}
WHERE {if where}({where}) AND {end}(({group_values}) IN (TABLE list) OR {value_uncomputed}){if lookup}
  AND ({lookup_value} = ANY (ARRAY(SELECT {lookup} FROM lookups WHERE (TABLE how_many) <= 50))
       OR {lookup_value} BETWEEN
          {first} AND
          {last}
       OR {value_uncomputed}){end}
GROUP BY {by}{end}
{define read_changes}({pending}
SELECT {columns} FROM {rows}
WHERE (({groups}) IN (SELECT {keys} FROM pending WHERE mark < 2 AND {hashed})) IS NOT TRUE
  AND ({uncomputed}) IS NOT TRUE)
UNION ALL
-- What was added, merged into what is stored.
({pending}{if lookup},
     lookups AS MATERIALIZED (SELECT DISTINCT {lookup} FROM pending WHERE mark = 0),
     {how_many}{end}
SELECT {merged}
FROM (SELECT {columns} FROM {changes} WHERE mark = 0
      UNION ALL
      SELECT {columns} FROM {rows}
      WHERE {if lookup}{near}
        AND {end}(({groups}) IN (SELECT {keys} FROM pending WHERE mark = 0 AND {hashed})) IS TRUE) AS part
WHERE (({groups}) IN (SELECT {keys} FROM pending WHERE mark = 1 AND {hashed})) IS NOT TRUE
  AND ({uncomputed}) IS NOT TRUE
GROUP BY {keys})
UNION ALL
-- Groups that lost or changed something below, and everything that was not computed yet.
{late_if_there}{end}
{define late_if_there}SELECT {columns} FROM {sketches}._rollup_late({state_name}::regclass, (SELECT secret FROM {state})) AS late ({declared})
WHERE (SELECT EXISTS (SELECT FROM {if level}{changes}{else}{log}{end} WHERE mark BETWEEN 1 AND 2)){if altered} OR {any_stale}{end}{if star}
   OR (SELECT EXISTS (SELECT FROM {joined}) OR EXISTS (SELECT FROM {log} WHERE rollup_seen <= (SELECT folded FROM {state}))){end}{end}
--# Triggers of partitions that are made from one of their parent do not depend on the state.
{define ours}ours AS (
    SELECT oid, tgrelid, tgtype, tgenabled, tgattr::text, tgoldtable, tgnewtable FROM pg_trigger WHERE oid IN ({dependent})
    UNION
    SELECT t.oid, t.tgrelid, t.tgtype, t.tgenabled, t.tgattr::text, t.tgoldtable, t.tgnewtable
    FROM ours JOIN pg_trigger AS t ON t.tgparentid = ours.oid){end}
--# The tables whose triggers are not what they have to be: their types, and the names of transition tables.
{define changed_tables}unnest({all_tables}) WITH ORDINALITY AS t (oid, number) JOIN pg_class AS c USING (oid)
              LEFT JOIN (SELECT tgrelid, string_agg(concat_ws(' ', tgtype, tgoldtable, tgnewtable, CASE WHEN tgattr <> ''
                      OR tgenabled NOT IN ({if each_row}{else}'O', {end}'A') THEN 'changed' END), ', ' ORDER BY tgtype)
                  FROM ours GROUP BY tgrelid) AS of_table (tgrelid, found) ON of_table.tgrelid = t.oid
         WHERE found IS DISTINCT FROM {if each_row}'29, 32'{else}'4 rollup_new, {if moves}' || CASE WHEN t.oid = ANY ({tables}) THEN '5, ' ELSE '' END || '{end}8 rollup_old, {if moves}' || CASE WHEN t.oid = ANY ({tables}) THEN '9, ' ELSE '' END || '{end}'
             || '16 rollup_old rollup_new, ' || CASE relkind WHEN 'p' THEN '18, ' ELSE '' END || '32'{end}{end}
{define changed_triggers}WITH RECURSIVE {ours} SELECT 1 FROM {changed_tables} LIMIT 1{end}
--# Whether stored rows that a refresh has left are gone.
{define is_lost}(SELECT stored FROM ONLY {state}) AND NOT EXISTS (SELECT FROM {rows}){end}
--# The row by which a log is known to have been restored.
{define keep_log}WITH gone AS (DELETE FROM {log} WHERE mark = 4)
INSERT INTO {log} {if period}({period}, mark) VALUES ({highest}, 4){else}(mark) VALUES (4){end}{end}
--# Parts that are tables of their own, whose triggers are no table's.
{define stored}SELECT to_regclass(unnest(ARRAY[{state_name}, {log_name}{if level}, {below_log_name}{end}])){end}
--# The triggers that name the state.
{define dependent}{if is_old}SELECT oid FROM pg_trigger WHERE tgfoid = to_regprocedure({old_trigger_name}){else}SELECT oid FROM pg_trigger WHERE tgfoid = {write_name}::regprocedure AND {if local}oid IN (
            SELECT objid FROM pg_depend WHERE classid = 'pg_trigger'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = {state_oid}){else}tgargs = convert_to({token}, getdatabaseencoding()) || '\x00'{end}{end}{end}
{define has_triggers}t.oid IN (SELECT tgrelid FROM pg_trigger WHERE oid IN ({dependent}) AND tgtype & 1 = 0){end}
--# Tables that have triggers of which the state does not know. After a dump was restored, the number of the source is another one:
--# then tables are known by their names.
{define unknown}SELECT t.oid FROM unnest({tables}) AS t (oid)
         WHERE t.oid <> {source_oid}
               AND CASE (SELECT followed[1] FROM {state}) WHEN '{source_oid}' THEN t.oid::text ELSE t.oid::regclass::text END NOT IN (SELECT unnest(followed) FROM {state})
               AND {has_triggers}{end}
--# Tables that were followed, and are not any more. The first one is the source, which can only be renamed, unless the query
--# was replaced; and of those that are known by their names, as many were renamed as have triggers by another name.
{define went}SELECT pair FROM (
          SELECT array_agg(CASE WHEN followed[1] = '{source_oid}' OR number % 2 = 0 THEN f.name ELSE '0' END ORDER BY number) AS pair,
                 bool_and(followed[1] = '{source_oid}') AS by_number, count(*) OVER () AS how_many
          FROM {state} CROSS JOIN unnest(followed) WITH ORDINALITY AS f (name, number)
          LEFT JOIN unnest({followed}) AS now (name) ON now.name = f.name AND (f.name ~ '^[0-9]+$') = (followed[1] = '{source_oid}')
          WHERE number > 2 OR followed[1] IN (SELECT tgrelid::text FROM pg_trigger WHERE oid IN ({dependent}))
          GROUP BY (number - 1) / 2 HAVING count(now.name) = 0) AS gone
      WHERE by_number OR how_many > (SELECT count(*) FROM ({unknown}) AS unknown){end}
--# Tables that came back: that were written, or refreshed without, while they were away or could not be followed; or have triggers
--# of which the state does not know. Of those that only came, a refresh makes the triggers.
{define returned}SELECT t.oid FROM unnest({tables}) AS t (oid)
         WHERE (SELECT cardinality(missed) > 0 FROM {state}) AND ARRAY[t.oid::text, t.oid::regclass::text] && (SELECT missed FROM {state})
               AND ({has_triggers} OR (SELECT ({forbidden}) IS NULL FROM pg_class AS c WHERE c.oid = t.oid))
         UNION ALL
         {unknown}{end}
--# Parents, elsewhere, of children that are followed: a statement that writes one fires no statement triggers of the child.
{define other_parents}SELECT i.inhrelid::regclass AS child, i.inhparent::regclass AS parent FROM pg_inherits AS further JOIN pg_inherits AS i USING (inhrelid)
         WHERE further.inhseqno > 1 AND further.inhrelid = ANY ({tables}) AND i.inhparent <> ALL ({tables}) ORDER BY 1, 2 LIMIT 1{end}
--# What keeps its owner from following a table c that came, and the way out; NULL: nothing does.
{define forbidden}CASE {if each_row}WHEN NOT pg_has_role(relowner, 'USAGE')
                 THEN format('ALTER TABLE %s OWNER TO %s', c.oid::regclass, {owner})
                 {end}WHEN NOT has_schema_privilege(relnamespace, 'USAGE')
                 THEN format('GRANT USAGE ON SCHEMA %s TO %s', relnamespace::regnamespace, {owner})
                 WHEN NOT has_table_privilege(c.oid, 'TRIGGER') OR NOT has_table_privilege(c.oid, 'SELECT') AND (SELECT bool_and(has_column_privilege(c.oid, attname, 'SELECT'))
                     FROM pg_attribute WHERE attrelid = {source_oid} AND attnum = ANY ({numbers})) IS NOT TRUE
                 THEN format('GRANT SELECT, TRIGGER ON %s TO %s', c.oid::regclass, {owner}) END{end}
--# Whether a table t has none of our triggers yet, other than copies of its parent's.
{define is_new}t.oid <> {source_oid} AND t.oid = ANY ({tables}) AND NOT EXISTS (SELECT FROM ours WHERE tgrelid = t.oid AND tgtype & 1 = 0){end}
{define nothing_missed}{if local}stored = EXISTS (SELECT FROM {rows}), {end}missed = ARRAY[]::text[]{end}
{define follow}UPDATE {state} SET {nothing_missed}, followed = (SELECT array_agg(p.name ORDER BY t.number, p.number)
    FROM unnest({table_names}) WITH ORDINALITY AS t (name, number),
         unnest(ARRAY[t.name::regclass::oid::text, t.name]) WITH ORDINALITY AS p (name, number)){end}
--# Of a star, also what is logged later by who does not know of a change that nobody logged.
{define note_now}UPDATE {state} SET folded = greatest(folded, pg_snapshot_xmax(pg_current_snapshot())){end}
{define mark_everything}{if distributed}UPDATE {bounds} SET stale = {if period}{highest}{else}true{end}{else}INSERT INTO {log} {if period}({period}, mark) VALUES ({highest}, 2){else}(mark) VALUES (2){end}{end}{end}

--# Rollups of tables that Citus distributes. Citus has to read all parts of a rollup in one statement for each shard, or they
--# are of different moments. What its planner makes of a query decides that, so the text of the view is chosen for it; each
--# reason below was a wrong answer or an error, and test/cluster/rollups.pl asks EXPLAIN about all of them.
--#   s is an outer reference in each part: a subquery with one is never planned apart, as the parts of a UNION are otherwise.
--#     Its primary key has the planner expect one row; of max(frozen), it would read a result of another moment.
--#   x is no row. By it, the union's {distribution} equals that of one table, which is what joins with other tables need.
--#   rollup_apart has two types, so that PostgreSQL does not pull up the parts of the union: Citus would take a join of two such
--#     unions by any column for one by {distribution}, and return too little.
--#   NOT EXISTS and IN have all groups, so that Citus finds the equality of {distribution}, and prunes shards by it.
--#   num_nulls() keeps a condition on s alone from being a pseudoconstant: Citus sees no join then.
--#   unnest() adds nothing, but has the planner expect ten times as many rows as the statistics of an empty log say, and hash
--#     them. Of a constant, it would expect one.
--#   LEFT JOIN, where a join is meant: PostgreSQL begins with the groups in the log then, and without any it does not read the
--#     table. A join or IN may begin with the table. num_nonnulls() takes out what LEFT JOIN adds, and is not taken for a
--#     condition that makes it a join again, and {numbered} has conditions on groups reach the log and not the table.
{define at_shard}{if period}part.{period} BETWEEN s.frozen AND s.stale{else}num_nulls(part.{distribution}) = 0 AND s.stale{end}{end}
{define not_frozen}{if period} AND {period} >= s.frozen{end}{end}
{define logged}(SELECT {keys}, mark, unnest(array_fill(mark, ARRAY[1])) FROM {log}) AS named{end}
{define unmarked}NOT EXISTS (SELECT FROM {logged}
            WHERE {same} AND mark = 1{not_frozen}){end}
{define fresh_at_shard}-- What was added, merged into what is stored.
    SELECT {merged}, 0 AS rollup_apart
    FROM (SELECT {columns} FROM {log} AS part
          WHERE mark = 0 AND ({at_shard}) IS NOT TRUE
            AND {unmarked}
          UNION ALL
          SELECT {columns} FROM {rows} AS part
          WHERE ({groups}) IN (SELECT {groups} FROM {logged} WHERE mark = 0)
            AND ({at_shard}) IS NOT TRUE
            AND {unmarked}) AS part
    GROUP BY {keys}
    UNION ALL
    -- Groups that lost or changed rows.
    SELECT {columns}, 0
    FROM (SELECT {numbered_select}
          FROM (SELECT {keys} FROM {logged} WHERE mark = 1{not_frozen} GROUP BY {keys}) AS named ({numbered})
          LEFT JOIN {from} ON ({group_values}) = ({numbered_groups}){if where} AND {where}{end}
          WHERE num_nonnulls({distributed_column}) = 1
          GROUP BY {by}) AS part
    WHERE ({at_shard}) IS NOT TRUE
    UNION ALL
    -- Everything that was not computed yet.
    SELECT {columns}, 0
    FROM {if names_shards}(SELECT {select}
          FROM {from}{if where}
          WHERE {where}{end}
          GROUP BY {by}){else}{query}{end} AS part
    WHERE s.stale IS NOT NULL AND {at_shard}{end}
--# The names of tables are those of shards here, and % is %%, as format() reads it.
{define fold_of_shard}WITH s AS MATERIALIZED (SELECT * FROM {bounds} WHERE id = 1),
    fresh AS (SELECT u.* FROM s CROSS JOIN LATERAL (
    {fresh_at_shard}) AS u{if period} WHERE u.{period} >= s.back_to{end}),
    merged AS (DELETE FROM {log} AS part USING s{if period} WHERE part.{period} >= s.back_to{end}),
    gone AS (DELETE FROM {rows} AS part USING s
        WHERE ({at_shard}
               OR ({part_groups}) IN (SELECT {groups} FROM {log} WHERE mark = 1{if period}
                   AND {period} >= (SELECT frozen FROM s){end})){if period}
          AND part.{period} >= s.back_to{end}
          AND (({part_groups}) IN (SELECT {groups} FROM fresh)) IS NOT TRUE)
    INSERT INTO {rows} ({columns}) SELECT {columns} FROM fresh ON CONFLICT ({groups})
        DO {update}{end}

--# The index by which a refresh finds stored groups.
{define make_index}{if plain}ALTER TABLE {rows} ADD PRIMARY KEY ({groups}){else}CREATE UNIQUE INDEX ON {rows} ({groups}){end}{end}
{define has_index}SELECT 1 FROM pg_index WHERE indrelid = {rows_name}::regclass AND indisunique AND indisvalid AND indpred IS NULL AND indnkeyatts = cardinality({group_names})
     AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = indrelid AND attname = ANY ({group_names}) AND attnum <> ALL (indkey)
         AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = indexrelid AND refobjid = indrelid AND refobjsubid = attnum)) LIMIT 1{end}
--# After a freeze was undone, columns that came later are known of what is computed again.
{define known_since}UPDATE {state} AS s SET since = (SELECT jsonb_object_agg(key, least(value::{period_type}, f.frozen)::text) FROM jsonb_each_text(s.since) WHERE f.frozen > {lowest})
    FROM (SELECT frozen FROM {if distributed}{bounds}{else}{state}{end}) AS f WHERE EXISTS (SELECT FROM jsonb_each_text(s.since) WHERE value::{period_type} > f.frozen){end}
--# What finds the widest groups.
{define wide}pg_column_size(ROW({keys})){end}
{define query_view}CREATE VIEW {query} AS
SELECT {query_select}
FROM {query_from}{if where}
WHERE {where}{end}
GROUP BY {by}{end}
--# What depends on the parts.
{define forget_parts}ALTER TABLE {state} ALTER use_rollup_drop DROP DEFAULT{if by_number}, ALTER query DROP DEFAULT, ALTER log DROP DEFAULT, ALTER rows DROP DEFAULT{if local}, ALTER fresh DROP DEFAULT{end}{if late_is_there},
    ALTER late DROP DEFAULT{end}{if distributed}, ALTER bounds DROP DEFAULT{end}{if has_parts}, ALTER parts DROP DEFAULT{end}{if has_live}, ALTER live DROP DEFAULT, ALTER filling DROP DEFAULT{end}{if flow_is_there},
    ALTER flow DROP DEFAULT{end}{if changes_are_there}, ALTER changes DROP DEFAULT{end}{if names_below}, ALTER below DROP DEFAULT{end}{if star_is_there},
    ALTER joined DROP DEFAULT, ALTER touched DROP DEFAULT, ALTER written DROP DEFAULT{end}{end}{end}
{define mark_table}INSERT INTO {log} ({mark_columns})
SELECT DISTINCT {marked_select} FROM {if local}ONLY {end}{table}{if star}{else}{if where} WHERE {where}{end}{end}{end}
{define mark_logged}INSERT INTO {log} ({mark_columns})
SELECT DISTINCT {mark_columns} FROM (SELECT {columns}, 1 AS mark FROM {log} WHERE mark = 0) AS logged{end}
--# Tables that are joined, of which the owner may not read columns that the query names.
{define unreadable}SELECT refobjid AS joined FROM pg_depend WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass
         AND refobjid = ANY ({joined_tables}) AND objid IN (SELECT oid FROM pg_rewrite WHERE ev_class = {query_name}::regclass)
         AND NOT has_table_privilege(refobjid, 'SELECT')
         AND (refobjsubid = 0 OR NOT has_column_privilege(refobjid, refobjsubid::int2, 'SELECT')){end}
--# Functions of the query, and of what reads it, that the owner may not execute.
{define unexecutable}SELECT d.refobjid AS function FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
         JOIN pg_depend AS part ON part.refobjid = ev_class JOIN pg_attrdef AS a ON a.oid = part.objid
         WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_proc'::regclass AND part.classid = 'pg_attrdef'::regclass
         AND part.refclassid = 'pg_class'::regclass AND adrelid = {state_oid} AND NOT has_function_privilege(d.refobjid, 'EXECUTE'){end}
--# What a trigger is for: the condition is a tree with the state's number in it, and is always true.
--# When Citus makes a table on a node that is added, that of the bounds may not be there: a token takes the place of its number.
{define this}{state_name}::regclass IS NOT NULL{end}
{define writes}{if local}WHEN ({this}) EXECUTE FUNCTION {sketches}._rollup_write(){else}EXECUTE FUNCTION {sketches}._rollup_write({token}){end}{end}
{define own_triggers}{if distributed}-- Refreshes a shard: stores the groups that its log names as they are now, in one statement, so of one snapshot.
CREATE TRIGGER {fold_trigger} AFTER UPDATE ON {log} FOR EACH STATEMENT {writes};{end}{if local}-- Data that are restored into a schema that is there bring stored rows and log: what comes into the table is in these already.
CREATE TRIGGER {restored_trigger} BEFORE INSERT ON {state} FOR EACH ROW {writes};{end}{if level}
-- What a refresh below takes out of its log waits here from then on. ALWAYS: whoever refreshes.
CREATE TRIGGER {flow_trigger} AFTER DELETE ON {below_log} REFERENCING OLD TABLE AS rollup_old
    FOR EACH STATEMENT {writes};
ALTER TABLE {below_log} ENABLE ALWAYS TRIGGER {flow_trigger};{end}{end}
{define moves_from}{if local}WHEN ({sketches}._rollup_moves(true) AND {this}) EXECUTE FUNCTION {sketches}._rollup_write(){else}WHEN ({sketches}._rollup_moves(true)) {writes}{end}{end}
{define moves_to}{if local}WHEN ({sketches}._rollup_moves(false) AND {this}) EXECUTE FUNCTION {sketches}._rollup_write(){else}WHEN ({sketches}._rollup_moves(false)) {writes}{end}{end}
--# Row triggers of a partitioned table are those of its partitions, too. ALWAYS: also where a subscription writes.
{define triggers}{if each_row}{if cloned}{else}CREATE TRIGGER {rows_trigger} AFTER INSERT OR UPDATE OR DELETE ON {table}
    FOR EACH ROW {writes};
ALTER TABLE {table} ENABLE ALWAYS TRIGGER {rows_trigger};
{end}CREATE TRIGGER {truncate_trigger} AFTER TRUNCATE ON {table}
    FOR EACH STATEMENT {writes};
ALTER TABLE {table} ENABLE ALWAYS TRIGGER {truncate_trigger};{else}CREATE TRIGGER {delete_trigger} AFTER DELETE ON {table} REFERENCING OLD TABLE AS rollup_old
    FOR EACH STATEMENT {writes};
CREATE TRIGGER {insert_trigger} AFTER INSERT ON {table} REFERENCING NEW TABLE AS rollup_new
    FOR EACH STATEMENT {writes};
CREATE TRIGGER {truncate_trigger} AFTER TRUNCATE ON {table}
    FOR EACH STATEMENT {writes};
CREATE TRIGGER {update_trigger} AFTER UPDATE ON {table}
    REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new
    FOR EACH STATEMENT {writes};{if has_partitions}
CREATE TRIGGER {moves_trigger} BEFORE UPDATE ON {table}
    FOR EACH STATEMENT {writes};{end}{if moved_from_trigger}
-- Rows that MERGE moves to another partition are in no transition table of its UPDATE: PostgreSQL puts
-- them into those of DELETE and INSERT, and fires triggers of the actions that the MERGE names. Such as:
-- MERGE INTO t USING (VALUES (1)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = '2026-02-01'.
CREATE TRIGGER {moved_from_trigger} AFTER DELETE ON {source}
    FOR EACH ROW {moves_from};
CREATE TRIGGER {moved_to_trigger} AFTER INSERT ON {source}
    FOR EACH ROW {moves_to};{end}{end}{end}

-- The query.
{query_view};

-- Its result, as of the last refresh.
CREATE {if unlogged}UNLOGGED {end}TABLE {rows} AS TABLE {query} LIMIT 0;
{make_index};{if plain}{else}
ALTER TABLE {rows} {not_null}REPLICA IDENTITY FULL;{end}{if distributed}
SELECT create_distributed_table({rows_name}, {distributed_by}, colocate_with => {source_name});{end}

-- What has changed since then. Mark 0: what {if each_row}a new row adds{else}the new rows of a statement add{end} to a group; 1: a group that lost or changed
-- rows, to be computed from those that are left{if local}; 2: everything{if period} up to this period{end}, likewise;{if star} 3: rows that a join or a condition left out;{end} 4: a row that is always there, unless
-- the log was restored without its rows{end}.
CREATE {if unlogged}UNLOGGED {end}TABLE {log} AS SELECT 0::int2 AS mark, {if star}NULL::xid8 AS rollup_seen, {end}* FROM {query} LIMIT 0;
ALTER TABLE {log} ALTER mark SET NOT NULL, ALTER mark SET DEFAULT 0,
    {if period}ALTER {period} SET NOT NULL, {end}REPLICA IDENTITY FULL,
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
         autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);
CREATE INDEX ON {log} (mark) WHERE mark > 0;{if distributed}
CREATE INDEX ON {log} ({distribution});
SELECT create_distributed_table({log_name}, {distributed_by}, colocate_with => {source_name});{end}

-- What it needs to know. form: how it is stored; merge and each_row: as given to rollup_create; distributed: by Citus;
-- followed, missed: tables below the one of the query that have triggers, and such as were written while they were away, by
-- number and, for a dump, by name; the others are the parts, which are known by the defaults of these columns.{if local} restored: its row
-- came after the triggers, and nothing was refreshed since.{end}
CREATE TABLE {state} (id int PRIMARY KEY DEFAULT 1 CHECK (id = 1), form int NOT NULL DEFAULT {form}, {if local}{if period}frozen {period_type} NOT NULL DEFAULT {lowest}, {end}{end}refreshed timestamptz,
    {if local}restored bool NOT NULL DEFAULT false, {end}stored bool NOT NULL DEFAULT false, merge jsonb NOT NULL DEFAULT {merge}, each_row bool NOT NULL DEFAULT {if each_row}true{else}false{end},
    distributed bool NOT NULL DEFAULT {if distributed}true{else}false{end}, followed text[] NOT NULL DEFAULT ARRAY[]::text[], missed text[] NOT NULL DEFAULT ARRAY[]::text[],
    {if passes}secret uuid NOT NULL DEFAULT gen_random_uuid(), {end}use_rollup_drop regclass, query regclass, log regclass, rows regclass{if local}, fresh regclass{end}{if apart}, late regclass{end}{if distributed}, bounds regclass{end},
    parts regclass, live regclass, filling regclass{if level}, flow regclass, changes regclass, below regclass{end}{if star},
    folded xid8 NOT NULL DEFAULT pg_snapshot_xmax(pg_current_snapshot()), joined regclass, touched regclass, written regclass{end});
ALTER TABLE {state} REPLICA IDENTITY FULL;
INSERT INTO {state} DEFAULT VALUES;{if star}
-- What has changed in tables that are joined: of each, by its place in FROM, the keys of rows that came, went or changed in
-- columns that are read, and the transaction. rollup_seen of the log: the oldest transaction of which its writer may not know.
CREATE {if unlogged}UNLOGGED {end}TABLE {joined} (dimension int2, xid xid8{change_keys});
ALTER TABLE {joined} REPLICA IDENTITY FULL,
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
         autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);{end}{if local}
-- Nothing is computed yet.
{mark_everything};
INSERT INTO {log} {if period}({period}, mark) VALUES ({highest}, 4){else}(mark) VALUES (4){end};{end}

{if distributed}-- What all shards need to know. stale: everything{if period} up to this period{end} is to be computed from its rows; back_to: of a refresh
-- that is at work; fold: the statement that it executes for each shard, and the tables that it names; token: as the triggers
-- have it.
CREATE TABLE {bounds} (id int PRIMARY KEY DEFAULT 1 CHECK (id = 1), {if period}frozen {period_type} NOT NULL DEFAULT {lowest}, stale {period_type},
    back_to {period_type}{else}stale bool, back_to bool{end}, fold text[], token text DEFAULT {token});
SELECT create_reference_table({bounds_name});
INSERT INTO {bounds} (id, stale) VALUES (1, {if period}{highest}{else}true{end});{end}

{if makes_index}-- By this, groups are found below. The condition, which is always true, says for which rollup it is.
CREATE INDEX ON {source} (({lookup_alone})) WHERE {this};{end}

{section views}

{if level}-- What waits for a refresh below, as it is here: {if flows}what it adds, and {end}groups to be computed anew.
CREATE {or_replace}VIEW {flow} AS
SELECT {if flows}rollup_mark{else}greatest(rollup_mark, 1::int2){end} AS mark, {flow_select}
FROM {below_changes} AS part (rollup_mark, {below_columns})
WHERE {if below_period}(rollup_mark IN (0, 2) OR rollup_mark = 1 AND {below_period} >= coalesce((SELECT frozen FROM {below}), {below_lowest})){else}rollup_mark < 3{end}{if flow_where}
  AND CASE WHEN rollup_mark < 2 THEN {flow_where} ELSE true END{end}
  -- A snapshot of before this rollup was made finds it empty.
  AND (SELECT EXISTS (SELECT FROM {state}))
GROUP BY 1, {flow_by};{end}

{if level}-- What has changed: its log, and what waits below.
CREATE {or_replace}VIEW {changes} AS
SELECT mark, {columns} FROM {log}
UNION ALL
SELECT mark, {columns} FROM {flow};{end}

{if star}-- What is logged of new facts: also of those that are not in the result, as what they are joined to may come.
CREATE {or_replace}VIEW {written} AS
SELECT {if is_there}CASE WHEN {is_there} THEN 0 ELSE 3 END{else}0{end}::int2 AS mark,
       pg_snapshot_xmin(pg_current_snapshot()) AS rollup_seen,
       {written_select}
FROM {source_only} AS {alias}{left_joins}{if where_facts}
WHERE {where_facts}{end}
GROUP BY 1{written_by};{end}

{if star}-- Facts that are joined to what has changed: their groups, as far as facts know them.
CREATE {or_replace}VIEW {touched} AS
{touched_arms};{end}

{if apart}-- The groups for which the table is read. A reader who reads this through a function does not plan for all partitions, and lock
-- them, while there are none.
CREATE {or_replace}VIEW {late} AS
{if level}{late_of_level}{else}{late_groups}{end};{end}

{if local}-- The groups that the log names, as they are now.
CREATE {or_replace}VIEW {fresh} AS
-- What was added, merged into what is stored.
SELECT {merged}
FROM (SELECT {columns} FROM {log} WHERE mark = 0
      UNION ALL
      ({if lookup}WITH lookups AS MATERIALIZED (SELECT DISTINCT {lookup} FROM {log} WHERE mark = 0),
           {how_many}
      {end}SELECT {columns} FROM {rows}
      WHERE {if lookup}{near}
        AND {end}(({groups}) IN ({added})) IS TRUE)) AS part
WHERE (({mark_groups}) IN ({marked})) IS NOT TRUE
  AND ({stale}) IS NOT TRUE
GROUP BY {keys}
UNION ALL
{if level}{late_groups}{else}{if apart}{late_if_there}{else}{late_groups}{end}{end};{end}

-- The rollup: stored groups that the log does not name, and those that it names.
CREATE {or_replace}VIEW {live} ({live_columns}){live_options} AS
{if level}{read_changes};{else}{if local}SELECT {columns} FROM {rows}
WHERE (({groups}) IN ({named})) IS NOT TRUE{if star}
  AND (({mark_groups}) IN ({marked})) IS NOT TRUE{end}
  AND ({stale}) IS NOT TRUE
UNION ALL
SELECT {columns} FROM {fresh};{end}{end}{if distributed}-- Citus reads this in one statement for each shard: s, x and rollup_apart are for its planner.
SELECT {union_columns}
FROM {bounds} AS s
CROSS JOIN LATERAL (
    SELECT {columns}, 0::int2 AS rollup_apart FROM {rows} AS part
    WHERE NOT EXISTS (SELECT FROM {logged}
            WHERE {same} AND (mark = 0 OR mark = 1{not_frozen}))
      AND ({at_shard}) IS NOT TRUE
    UNION ALL
    {fresh_at_shard}) AS u
LEFT JOIN {log} AS x ON x.{distribution} = u.{distribution} AND x.mark = 3
WHERE s.id = 1;{end}

{if has_live}-- Columns that came later, of groups in which they are not stored yet, from their rows.
CREATE {or_replace}VIEW {filling} AS
SELECT {fill_groups}, {fill_select}
FROM {query_from}
{of_unfilled};{end}

{if has_live}-- With them. PostgreSQL leaves the join out for who does not select them.
CREATE {or_replace}VIEW {filled} ({filled_columns}){filled_options} AS
SELECT {filled_select}
FROM {live} AS s
LEFT JOIN {if apart}(SELECT DISTINCT ON ({fill_keys}) * FROM {sketches}._rollup_late({state_name}::regclass, (SELECT secret FROM {state}), true) AS late ({fill_declared})
    WHERE {any_unfilled}){else}{filling}{end} AS a ON {fill_same};{end}

{if shown}-- What the query shows of them.
CREATE {or_replace}VIEW {rollup} AS
SELECT {shown}
FROM {parts}{if having}
WHERE {having}{end};{end}

{section names}

-- By these a rollup and its parts are known, and DROP VIEW is refused.
ALTER TABLE {state} ALTER use_rollup_drop SET DEFAULT {rollup_name}::regclass, ALTER query SET DEFAULT {query_name}::regclass,
    ALTER log SET DEFAULT {log_name}::regclass, ALTER rows SET DEFAULT {rows_name}::regclass{if local}, ALTER fresh SET DEFAULT {fresh_name}::regclass{end}{if apart},
    ALTER late SET DEFAULT {late_name}::regclass{end}{if distributed}, ALTER bounds SET DEFAULT {bounds_name}::regclass{end}{if has_parts}, ALTER parts SET DEFAULT {parts_name}::regclass{end}{if has_live},
    ALTER live SET DEFAULT {live_name}::regclass, ALTER filling SET DEFAULT {filling_name}::regclass{end}{if level},
    ALTER flow SET DEFAULT {flow_name}::regclass, ALTER changes SET DEFAULT {changes_name}::regclass, ALTER below SET DEFAULT {below_name}::regclass{end}{if star},
    ALTER joined SET DEFAULT {joined_name}::regclass, ALTER touched SET DEFAULT {touched_name}::regclass,
    ALTER written SET DEFAULT {written_name}::regclass{end};
COMMENT ON VIEW {rollup} IS {comment};
COMMENT ON VIEW {query} IS {part_comment};
{if local}COMMENT ON VIEW {fresh} IS {part_comment};
{end}{if apart}COMMENT ON VIEW {late} IS {part_comment};
{end}{if distributed}COMMENT ON TABLE {bounds} IS {part_comment};
{end}{if has_parts}COMMENT ON VIEW {parts} IS {part_comment};
{end}{if has_live}COMMENT ON VIEW {live} IS {part_comment};
COMMENT ON VIEW {filling} IS {part_comment};
{end}{if level}COMMENT ON VIEW {flow} IS {part_comment};
COMMENT ON VIEW {changes} IS {part_comment};
{end}{if star}COMMENT ON TABLE {joined} IS {part_comment};
COMMENT ON VIEW {touched} IS {part_comment};
COMMENT ON VIEW {written} IS {part_comment};
{end}COMMENT ON TABLE {rows} IS {part_comment};
COMMENT ON TABLE {log} IS {part_comment};
COMMENT ON TABLE {state} IS {part_comment};

{section triggers}

{own_triggers}

-- These log what {if each_row}changed in a row{else}a statement changed{end}. Nothing is locked or waited for.

{each table}{triggers}

-- Partitions and children; what is here and not there any more, went.
{follow};

{section convert}

-- From before parts were known by numbers.
ALTER TABLE {state} ADD id int PRIMARY KEY DEFAULT 1 CHECK (id = 1), ADD form int NOT NULL DEFAULT {form}, ADD stored bool NOT NULL DEFAULT false,{if local} ADD restored bool NOT NULL DEFAULT false,{end}
    ALTER merge SET DEFAULT {merge}, ALTER each_row SET DEFAULT {if each_row}true{else}false{end},
    ALTER distributed SET DEFAULT {if distributed}true{else}false{end}, ALTER followed SET DEFAULT ARRAY[]::text[],
    {if apart}ADD secret uuid NOT NULL DEFAULT gen_random_uuid(), ADD late regclass, {end}ADD query regclass, ADD log regclass, ADD rows regclass, ADD parts regclass, ADD live regclass, ADD filling regclass{if local}, ADD fresh regclass{end}{if distributed}, ADD bounds regclass{end};
UPDATE {state} SET followed = (SELECT coalesce(array_agg(p ORDER BY number, p), ARRAY[]::text[])
    FROM unnest(followed) WITH ORDINALITY AS f (name, number), unnest(ARRAY['0', name]) AS p);{if local}
DROP FUNCTION IF EXISTS {old_trigger}() CASCADE;{else}
ALTER TABLE {bounds} ADD fold text[], ADD token text DEFAULT {token};
DROP FUNCTION IF EXISTS {old_trigger}() CASCADE;
DROP FUNCTION IF EXISTS {old_fold}() CASCADE;{end}

{section refresh}

{if distributed}UPDATE {bounds} SET back_to = {if period}$1{else}true{end}, fold = ARRAY[{literal on_shard}, {log_name}, {rows_name}, {source_name}]{end}

{if distributed}-- No row is touched, but the trigger fires on each shard, and refreshes it.
UPDATE {log} SET mark = 0 WHERE mark = 3{end}

{if distributed}UPDATE {bounds} SET back_to = NULL, fold = NULL, stale = {if period}CASE WHEN stale < $1 THEN stale
    WHEN stale IS NOT NULL AND $1 > {lowest} THEN $2 END{else}NULL{end}{end}

{if local}-- Of what is computed anew, nothing that was stored stays: groups may have become equal since then.
DELETE FROM {rows} WHERE {any_stale} AND {stale}{if period} AND {period} >= $1{end}{end}

{if local}WITH {if has_live}filling AS MATERIALIZED (SELECT * FROM {if level}(SELECT {fill_groups}, {fill_select}
        FROM {from}
        {of_unfilled}) AS stored{else}{filling}{end}{if period} WHERE {fill_period} >= $1{end}),
    fresh AS (SELECT {filled_select}, 0::int2 AS mark
        FROM {fresh} AS s LEFT JOIN filling AS a ON {fill_same}{if period} WHERE s.{period} >= $1{end}),
    filled AS (UPDATE {rows} AS s SET {fill_update} FROM filling AS a
        WHERE {fill_same} AND {unfilled}{if period} AND s.{period} >= $1{end}
          AND (({fill_stored}) IN (SELECT {groups} FROM fresh WHERE {hashed})) IS NOT TRUE RETURNING 1),{else}fresh AS (SELECT *, 0::int2 AS mark FROM {fresh}{if period} WHERE {period} >= $1{end}),{end}
    merged AS (DELETE FROM {log} WHERE mark < 4{if period} AND {period} >= $1{end} RETURNING mark),{if star}
    changed AS (DELETE FROM {joined}{if period} WHERE $1 <= {lowest}{end} RETURNING xid),
    folded AS (UPDATE {state} SET folded = least(pg_snapshot_xmax(pg_current_snapshot()),
        greatest(folded, (SELECT xid FROM changed ORDER BY 1 DESC LIMIT 1)))),{end}{if period}
    rest AS (INSERT INTO {log} ({period}, mark)
        SELECT $2, 2 FROM merged WHERE mark = 2 AND $1 > {lowest} LIMIT 1),{end}
    list ({mark_keys}) AS MATERIALIZED ({marked}),{if lookup}
    lookups AS MATERIALIZED (SELECT DISTINCT {lookup} FROM list),
    {how_many},{end}
    gone AS (DELETE FROM {rows}
        WHERE ({stale}
               OR {if lookup}{near}
              AND {end}(({mark_groups}) IN (TABLE list)) IS TRUE){if period}
          AND {period} >= $1{end}
          AND (({groups}) IN (SELECT {groups} FROM fresh WHERE {hashed})) IS NOT TRUE){if has_live},
    stored AS ({else}
{end}INSERT INTO {rows} ({columns}) SELECT {columns} FROM fresh ON CONFLICT ({groups})
    DO {update}{if has_live} RETURNING 1)
SELECT (SELECT count(*) FROM stored) + (SELECT count(*) FROM filled){end}{end}

{section refreshed}

{if altered}UPDATE {state} SET {if period}stale = CASE WHEN stale IS NOT NULL AND $1 > frozen THEN least(stale, $2) END,
    unfilled = CASE WHEN unfilled IS NOT NULL AND $1 > frozen THEN least(unfilled, $2) END{else}stale = NULL, unfilled = NULL{end}
WHERE stale IS NOT NULL OR unfilled IS NOT NULL{end}

{section drop}

{forget_parts};{if view_is_there}
DROP VIEW {rollup};{end}{if has_parts}
DROP VIEW IF EXISTS {parts};{end}{if has_live}
DROP VIEW IF EXISTS {live}, {filling};{end}{if distributed}
DROP TABLE IF EXISTS {bounds};{end}
{if star_is_there}DROP VIEW IF EXISTS {touched}, {written};
{end}DROP VIEW IF EXISTS {if local}{fresh}, {end}{if late_is_there}{late}, {end}{if changes_are_there}{changes}, {end}{if flow_is_there}{flow}, {end}{query};
DROP TABLE IF EXISTS {rows}, {log}, {state}{if star_is_there}, {joined}{end};

{section status}

{if local}SELECT count(*) FILTER (WHERE mark = 0), count(*) FILTER (WHERE mark = 1){if star} + (SELECT count(*) FROM ONLY {joined}){end},
       {if period}min({period}) FILTER (WHERE mark < 2)::text, replace({if altered}greatest((SELECT greatest(stale, unfilled) FROM ONLY {state}), {end}max({period}) FILTER (WHERE mark = 2){if altered}){end}::text, {highest}, 'infinity'),
       (SELECT replace(frozen::text, {lowest}, '-infinity') FROM ONLY {state}){else}
       NULL::text, {if altered}coalesce((SELECT 'infinity' FROM ONLY {state} WHERE stale OR unfilled), {end}max(CASE mark WHEN 2 THEN 'infinity' END){if altered}){end}, NULL::text{end},
       (SELECT refreshed FROM ONLY {state}),
       pg_total_relation_size({rows_name}::regclass), pg_total_relation_size({log_name}::regclass), NULL::text
FROM {if level}{changes}{else}ONLY {log}{end}{end}{if distributed}SELECT deltas, marked, oldest, {if period}replace(stale::text, {highest}, 'infinity'), replace(frozen::text, {lowest}, '-infinity'){else}CASE WHEN stale THEN 'infinity' END, NULL::text{end},
       (SELECT refreshed FROM ONLY {state}),
       citus_total_relation_size({rows_name}), citus_total_relation_size({log_name}), NULL::text
FROM (SELECT count(*) FILTER (WHERE mark = 0) AS deltas, count(*) FILTER (WHERE mark = 1) AS marked,
             {if period}min({period}) FILTER (WHERE mark < 2)::text{else}NULL::text{end} AS oldest FROM {log}) AS logged
CROSS JOIN (SELECT * FROM {bounds}) AS bounds{end}

{section check}

{if local}WITH rollup AS (SELECT {exact} FROM {filled} AS rollup ({columns}){if period} WHERE {period} >= {frozen}{end}),
     query AS (SELECT {exact} FROM {query}{if period} WHERE {period} >= {frozen}{end})
SELECT 'rollup', to_jsonb(d.*) FROM (TABLE rollup EXCEPT ALL TABLE query) AS d
UNION ALL
SELECT 'query', to_jsonb(d.*) FROM (TABLE query EXCEPT ALL TABLE rollup) AS d
ORDER BY 2, 1{end}{if distributed}-- One join, which Citus computes by one statement for each shard, of one moment; an EXCEPT would be two.
WITH differing AS MATERIALIZED (
    SELECT to_jsonb(named) AS named, to_jsonb(part) AS part
    FROM (SELECT {exact} FROM {filled} AS rollup ({columns}){if period} WHERE {period} >= (SELECT frozen FROM {bounds}){end}) AS named
         FULL JOIN (SELECT {exact} FROM {query}{if period} WHERE {period} >= (SELECT frozen FROM {bounds}){end}) AS part ON {same}
    WHERE to_jsonb(named) IS DISTINCT FROM to_jsonb(part))
SELECT found.* FROM differing CROSS JOIN LATERAL (VALUES ('rollup', named), ('query', part)) AS found (found_in, groups)
WHERE found.groups IS NOT NULL
ORDER BY 2, 1{end}

{section problem}

WITH RECURSIVE {ours}
SELECT CASE
    WHEN EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace OR nspname = {sketches_name} CROSS JOIN pg_database AS d
                 JOIN pg_roles AS r ON r.oid = CASE nspowner::regrole::text WHEN 'pg_database_owner' THEN datdba ELSE nspowner END
                 WHERE c.oid = {state_oid} AND datname = current_database() AND NOT rolsuper
                 AND (SELECT rolsuper FROM pg_roles WHERE oid = {owner}))
    THEN format('the schema of %s or of the extension belongs to a role that could replace parts of a superuser''s rollup: %s', {state_name}, dropping)
    WHEN EXISTS (SELECT FROM pg_inherits WHERE inhrelid = {source_oid})
    THEN format('%s is a partition or child now, whose triggers do not fire when its parent is written: %s',
                source, dropping)
    WHEN row_security_active({source_oid})
    THEN format('row-level security hides rows of %s from %s: ALTER TABLE %1$s DISABLE ROW LEVEL SECURITY',
                source, {owner}){if star}
    WHEN (SELECT bool_or(row_security_active(joined)) FROM unnest({joined_tables}) AS joined)
    THEN (SELECT format('row-level security hides rows of %s from %s: ALTER TABLE %1$s DISABLE ROW LEVEL SECURITY', min(joined::regclass::text), {owner})
          FROM unnest({joined_tables}) AS joined WHERE row_security_active(joined))
    WHEN EXISTS (SELECT FROM pg_inherits WHERE inhrelid = ANY ({joined_tables}) OR inhparent = ANY ({joined_tables}))
    THEN (SELECT format('%s is a partition or child now, or has some, whose triggers are others: %s', min(joined::regclass::text), dropping)
          FROM pg_inherits, unnest({joined_tables}) AS joined WHERE joined IN (inhrelid, inhparent)){end}
    WHEN NOT has_table_privilege({source_oid}, 'SELECT')
         AND (SELECT bool_and(has_column_privilege({source_oid}, number, 'SELECT'))
              FROM unnest({numbers}) AS number) IS NOT TRUE
    THEN format('%s may not read %s: GRANT SELECT ON %2$s TO %1$s', {owner}, source){if star}
    WHEN EXISTS ({unreadable})
    THEN (SELECT format('%s may not read %s: GRANT SELECT ON %2$s TO %1$s', {owner}, min(joined::regclass::text)) FROM ({unreadable}) AS unreadable){end}
    WHEN EXISTS ({unexecutable})
    THEN (SELECT format('%s may not execute %s: GRANT EXECUTE ON FUNCTION %2$s TO %1$s', {owner}, min(function::regprocedure::text)) FROM ({unexecutable}) AS unexecutable){if nullable}
    WHEN true
    THEN format('group %s can be NULL now: put NOT NULL back, or %s', {nullable}, dropping){end}
{if is_old}
    WHEN true
    THEN format('%s is stored as before 1.0: %s', {rollup_name}, refreshing){end}
    WHEN EXISTS (SELECT FROM pg_class WHERE oid IN ({rows_name}::regclass, {log_name}::regclass)
                 AND relpersistence <> '{if unlogged}u{else}p{end}')
    THEN format('%s is {if unlogged}unlogged{else}logged{end}, and its rollup is not: %s', source, refreshing)
    WHEN EXISTS (SELECT FROM pg_class WHERE oid = ANY ({all_tables}) AND relkind = 'r' AND relpersistence = '{if unlogged}p{else}u{end}')
    THEN (SELECT format('%s is {if unlogged}logged, so a crash empties its rollup and not it: ALTER TABLE %1$s SET UNLOGGED{else}unlogged, so a crash empties it and not its rollup: ALTER TABLE %1$s SET LOGGED{end}', min(oid::regclass::text))
          FROM pg_class WHERE oid = ANY ({all_tables}) AND relkind = 'r' AND relpersistence = '{if unlogged}p{else}u{end}')
{if distributed}
    WHEN (SELECT count(DISTINCT (colocationid, partmethod)) <> 1 OR count(*) <> 3 FROM pg_dist_partition
          WHERE logicalrelid IN ({source_oid}, {rows_name}::regclass, {log_name}::regclass) AND partmethod = 'h')
    THEN format('shards of %s and of its rollup are not beside each other any more: %s', source, dropping)
{if is_old}{else}    WHEN NOT EXISTS (SELECT FROM ours WHERE tgrelid = {log_name}::regclass AND tgtype = 16 AND tgenabled IN ('O', 'A'))
    THEN format('triggers of %s are missing, disabled or changed: %s', {log_name}, repairing){end}{else}{if is_old}{else}
    WHEN NOT EXISTS (SELECT FROM ours WHERE tgrelid = {state_oid} AND tgtype = 7 AND tgenabled IN ('O', 'A'))
    THEN format('triggers of %s are missing, disabled or changed: %s', {state_name}, repairing)
{if level}    WHEN NOT EXISTS (SELECT FROM ours WHERE tgrelid = {below_log_name}::regclass AND tgtype = 8 AND tgoldtable = 'rollup_old' AND tgenabled = 'A')
    THEN format('triggers of %s are missing, disabled or changed: %s', {below_log_name}, repairing)
{end}    WHEN {is_lost}
    THEN format('%s is empty, as after a restore without its rows: %s', {rows_name}, repairing){if unlogged}{else}
    WHEN (SELECT count(*) <> 1 FROM {log} WHERE mark = 4)
    THEN format('%s was restored without its rows, or over others: %s', {log_name}, repairing){end}
    WHEN restored
    THEN format('%s was restored apart from its schema, so readers compute everything that is not frozen: %s', {state_name}, refreshing)
    WHEN NOT EXISTS ({has_index})
    THEN format('the unique index of %s is gone: %s', {rows_name}, repairing)
    WHEN EXISTS (SELECT FROM {log} WHERE mark < 2 AND {width} > 2700)
    THEN format('a group is too wide for an index, so no refresh succeeds: find it by ORDER BY %s DESC, and delete its rows, or %s', {literal wide}, dropping){if never_null}
    WHEN EXISTS (SELECT FROM {log} WHERE mark = 0 AND num_nulls({never_null}) > 0)
    THEN format('%s has a group that is NULL, which cannot be stored: %s', {log_name}, repairing){end}
    WHEN EXISTS (SELECT FROM {log} OFFSET 1000000)
    THEN format('%s has more than 1,000,000 rows, which readers keep in memory: %s', {log_name}, refreshing){end}{end}
    ELSE coalesce(
        (SELECT format('%s has no column %I any more: name it so again by ALTER TABLE %1$s RENAME, or %3$s', part, name, dropping)
         FROM unnest(ARRAY[{rows_name}, {log_name}]::regclass[]) AS part, unnest({group_names} || {aggregates}) AS name
         WHERE NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = part AND attname = name AND NOT attisdropped) ORDER BY 1 LIMIT 1),
        (SELECT format('column %I of %s is not the rollup''s, and has no value to be NOT NULL with: ALTER TABLE %2$s ALTER %1$I DROP NOT NULL', attname, attrelid::regclass)
         FROM pg_attribute WHERE attrelid IN ({rows_name}::regclass, {log_name}::regclass) AND attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef
           AND attidentity = '' AND attname <> ALL ({group_names} || {aggregates} || ARRAY['mark', 'rollup_seen']) ORDER BY 1 LIMIT 1),
        (SELECT format('%s has a foreign key to %s: ALTER TABLE %1$s DROP CONSTRAINT %3$I', conrelid::regclass, confrelid::regclass, conname)
         FROM pg_constraint JOIN pg_class AS c ON c.oid = conrelid
         WHERE contype = 'f' AND confrelid IN ({rows_name}::regclass, {log_name}::regclass, {state_name}::regclass) AND NOT pg_has_role(relowner, {owner}, 'USAGE') ORDER BY 1 LIMIT 1),
        (SELECT format('trigger %I of %s would run %s as %s: DROP TRIGGER %1$I ON %2$s', tgname, tgrelid::regclass,
                       CASE WHEN pg_has_role(proowner, {owner}, 'USAGE') THEN 'its condition' ELSE 'a function of ' || proowner::regrole END, {owner})
         FROM pg_trigger JOIN pg_proc AS p ON p.oid = tgfoid
         WHERE tgrelid IN ({rows_name}::regclass, {log_name}::regclass, {state_name}::regclass{if star}, {joined_name}::regclass{end})
           AND (NOT pg_has_role(proowner, {owner}, 'USAGE') OR tgqual IS NOT NULL AND tgqual::text NOT LIKE '_NULLTEST :arg _CONST %') ORDER BY 1 LIMIT 1),{if statements}
        (SELECT format('%s is filled by subscription %I, which fires no statement triggers: %s, and make it with each_row => true',
                       srrelid::regclass, subname, dropping)
         FROM pg_subscription_rel JOIN pg_subscription AS s ON s.oid = srsubid
         WHERE srrelid = ANY ({all_tables}) ORDER BY 1 LIMIT 1),
        (SELECT format('%s is a child of %s, too, whose statements fire none of its statement triggers: %s, and make it with each_row => true', child, parent, dropping)
         FROM ({other_parents}) AS other),{end}
        (SELECT format('%s was added: %s', min(added::regclass::text), refreshing)
         FROM ({returned}) AS returned (added) HAVING count(*) > 0),
        (SELECT CASE
             WHEN {is_new}
             THEN coalesce(format('%s is not followed: ', t.oid::regclass) || ({forbidden}), format('%s was added: %s', t.oid::regclass, refreshing))
             ELSE format('triggers of %s are missing, disabled or changed: %s', t.oid::regclass, repairing) END
         FROM {changed_tables}
         ORDER BY number LIMIT 1))
    END
FROM ONLY {state} CROSS JOIN
     (SELECT {source_name} AS source, format('SELECT rollup_drop(%L)', {rollup_name}) AS dropping,
             format('SELECT rollup_refresh(%L)', {rollup_name}) AS refreshing,
             format('SELECT rollup_repair(%L)', {rollup_name}) AS repairing) AS say

--# Apart from the above, which reads pg_roles: with a table of Citus, that would need the rights to read pg_authid.
SELECT format('%s went, and is still counted: SELECT rollup_repair(%L), or rollup_freeze(%2$L, ...) to keep its numbers',
              string_agg(DISTINCT pair[2], ', ' ORDER BY pair[2]), {rollup_name})
FROM ({went}) AS went (pair){if period}
WHERE (SELECT frozen FROM {if distributed}{bounds}{else}ONLY {state}{end}) = {lowest}{end}
HAVING count(*) > 0
