--# The script that makes a rollup, as it reads. rollup_fill() of script.c fills it in:
--#   {name}                         the text of that name: an identifier, a list of columns, an expression
--#   {if name}...{else}...{end}     whether there is such a text; {else} may be left out
--#   {each table}                   what follows, for the table and everything below it; {table} is its name
--#   {define name}...{end}          names a part that is used more than once
--#   {literal name}                 that part as a literal: a body, which has names in it that anybody may have chosen
--# No comment has a name in it, which could end it by a line break.
--# Blank lines separate statements. rollup_create executes those before the first section and {section repair},
--# rollup_repair the latter; in that of refresh, $1 is the period to go back to, and $2 the last one before it.
--# distributed: by Citus; local: not. without_citus: Citus, where it is, refuses functions that depend on an extension.

--# PostgreSQL probes a hash table for IN (SELECT ...) as long as it expects the table to fit into memory; otherwise it
--# reads the subquery again for every row. _rollup_hashed() is true, and has it expect one row, so the table is hashed,
--# whatever the size and the statistics of the log. IS TRUE keeps it from being a join.
--# The log is read for each list anew: a WITH for all of them would compute sketches that a reader does not select, and
--# to keep a list takes longer than to read the log twice.
{define hashed}{sketches}._rollup_hashed(mark){end}
{define is_marked}mark = 1{if period} AND {period} >= (SELECT frozen FROM {state}){end}{end}
{define added}SELECT {groups} FROM {log} WHERE mark = 0 AND {hashed}{end}
{define marked}SELECT {groups} FROM {log} WHERE {is_marked} AND {hashed}{end}
{define named}SELECT {groups} FROM {log} WHERE (mark = 0 OR {is_marked}) AND {hashed}{end}
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
    WHERE {if where}({where}) AND {end}(({group_values}) IN (TABLE list)) IS TRUE
    GROUP BY {by}{end}
{define stale}{if period}{period} BETWEEN (SELECT frozen FROM {state}) AND
       (SELECT {period} FROM {log} WHERE mark = 2 ORDER BY 1 DESC LIMIT 1){else}(SELECT EXISTS (
       SELECT FROM {log} WHERE mark = 2)){end}{end}
{define mark_everything}{if distributed}UPDATE {bounds} SET stale = {if period}'infinity'{else}true{end}{else}INSERT INTO {log} {if period}({period}, mark) VALUES ('infinity', 2){else}(mark) VALUES (2){end}{end}{end}

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
{define live}{if period} AND {period} >= s.frozen{end}{end}
{define logged}(SELECT {keys}, mark, unnest(array_fill(mark, ARRAY[1])) FROM {log}) AS named{end}
{define unmarked}NOT EXISTS (SELECT FROM {logged}
            WHERE {same} AND mark = 1{live}){end}
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
          FROM (SELECT {keys} FROM {logged} WHERE mark = 1{live} GROUP BY {keys}) AS named ({numbered})
          LEFT JOIN {from} ON ({group_values}) = ({numbered_groups}){if where} AND {where}{end}
          WHERE num_nonnulls({distributed_column}) = 1
          GROUP BY {by}) AS part
    WHERE ({at_shard}) IS NOT TRUE
    UNION ALL
    -- Everything that was not computed yet.
    SELECT {columns}, 0
    FROM (SELECT {select}
          FROM {from}{if where}
          WHERE {where}{end}
          GROUP BY {by}) AS part
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
    INSERT INTO {rows} SELECT {columns} FROM fresh ON CONFLICT ({groups})
        DO {update}{end}
{define fold_body}
DECLARE
    shards text[] := {sketches}._rollup_fold(TG_RELID, ARRAY[{log_name}, {rows_name}, {query_name}, {bounds_name}]::regclass[]);
    at_work bool;
BEGIN
    EXECUTE format('SELECT back_to IS NOT NULL FROM %s', shards[4]) INTO at_work;
    IF at_work IS NOT TRUE THEN
        RAISE EXCEPTION 'a rollup of a distributed table is refreshed in a transaction that has written nothing before'
            USING ERRCODE = 'active_sql_transaction', HINT = 'Call rollup_refresh in a transaction of its own.';
    END IF;
    EXECUTE format({literal on_shard}, VARIADIC shards);
    RETURN NULL;
END {end}
--# A delta, as the trigger of a shard writes it into the shard of the log beside it.
{define add}{if distributed}PERFORM {sketches}._rollup_write(TG_RELID, {query_name}::regclass, ROW(0, {columns})::{log}) FROM ({else}INSERT INTO {log} ({columns}){end}{end}
{define mark}{if distributed}PERFORM {sketches}._rollup_write(TG_RELID, {query_name}::regclass, ROW(1, {marked_columns})::{log}) FROM ({else}INSERT INTO {log} ({keys}, mark){end}{end}
{define done}{if distributed}) AS delta{end};{end}

--# What a trigger sees: all rows of a statement, or one.
{define old}{if each_row}(SELECT old.*) AS {end}rollup_old{end}
{define new}{if each_row}(SELECT new.*) AS {end}rollup_new{end}
{define mark_table}{if distributed}INSERT INTO {log} ({keys}, mark)
SELECT DISTINCT {computed_groups}, 1 FROM {table}{else}INSERT INTO {log} ({keys}, mark)
SELECT DISTINCT {computed_groups}, 1 FROM ONLY {table}{end}{if where} WHERE {computed_where}{end}{end}
{define settings}SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET array_nulls = on
SET datestyle = 'ISO, MDY' SET intervalstyle = postgres SET extra_float_digits = 1 SET bytea_output = hex
SET lc_monetary = 'C' SET xmloption = content{end}
{define note_missed}UPDATE {state} SET missed = missed || ARRAY[TG_RELID::text, TG_RELID::regclass::text]
            WHERE TG_RELID::text <> ALL (missed){end}
{define body}
#variable_conflict use_column
BEGIN
    CASE {sketches}._rollup_may_log(TG_RELID::regclass, TG_NAME, {query_name}::regclass, {named_columns},
        {log_name}::regclass, {if local}{state_name}{else}{bounds_name}{end}::regclass)
    WHEN true THEN
        -- The table of the query, or one below it.
    WHEN false THEN
        -- No partition or child any more, but it may become one again.{if local}
        {note_missed};{end}
        RETURN NULL;
    ELSE{if local}
        -- The same, but of another owner, who could have made this trigger.
        {note_missed} AND TG_RELID::regclass::text = ANY (followed);{end}
        RETURN NULL;
    END CASE;
    {if moves}IF TG_WHEN = 'BEFORE' THEN
        PERFORM {sketches}._rollup_updates(true);
        RETURN NULL;
    ELSIF TG_OP = 'UPDATE' AND TG_NARGS <> 1 THEN
        PERFORM {sketches}._rollup_updates(false);
    END IF;
    IF TG_LEVEL = 'ROW' AND TG_OP = 'DELETE' THEN
        {mark}
        SELECT {computed_groups}, 1 FROM (SELECT old.*) AS moved{if where}
        WHERE {computed_where}{end}{done}
    ELSIF TG_LEVEL = 'ROW' THEN
        {mark}
        SELECT {computed_groups}, 1 FROM (SELECT new.*) AS moved{if where}
        WHERE {computed_where}{end}{done}
    {else}IF {if each_row}TG_LEVEL = 'STATEMENT' AND TG_OP <> 'TRUNCATE'{else}TG_LEVEL = 'ROW'{end} THEN
        RETURN NULL;    -- no trigger of the rollup
    {end}ELSIF TG_OP = 'INSERT' THEN
        {add}    -- columns were renamed? rollup_list() says how to fix it
        SELECT {computed_select}
        FROM {new}{if where}
        WHERE {computed_where}{end}
        GROUP BY {by}{done}
    ELSIF TG_OP = 'DELETE' THEN
        {mark}
        SELECT DISTINCT {computed_groups}, 1 FROM {old}{if where}
        WHERE {computed_where}{end}{done}
    ELSIF TG_OP = 'TRUNCATE' THEN
        {if distributed}-- It fires on the table itself; on shards that were moved, Citus makes it, too.
        IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = TG_RELID) THEN
            PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
            {mark_everything};
        END IF;{else}{mark_everything};{end}
    ELSIF {if read}EXISTS (SELECT {read}    -- columns were renamed? rollup_list() says how to fix it
        FROM {old} EXCEPT ALL SELECT {read} FROM {new}){else}true{end} THEN
        {mark}
        SELECT DISTINCT {computed_groups}, 1
        FROM (SELECT * FROM {old} UNION ALL SELECT * FROM {new}) AS changed{if where}
        WHERE {computed_where}{end}{done}
    END IF;
    RETURN NULL;
END {end}
--# Row triggers of a partitioned table are those of its partitions, too. ALWAYS: also where a subscription writes.
{define triggers}{if each_row}{if cloned}{else}CREATE TRIGGER {rows_trigger} AFTER INSERT OR UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {trigger}({child});
ALTER TABLE {table} ENABLE ALWAYS TRIGGER {rows_trigger};
{end}CREATE TRIGGER {truncate_trigger} AFTER TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});
ALTER TABLE {table} ENABLE ALWAYS TRIGGER {truncate_trigger};{else}CREATE TRIGGER {delete_trigger} AFTER DELETE ON {table} REFERENCING OLD TABLE AS rollup_old
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});
CREATE TRIGGER {insert_trigger} AFTER INSERT ON {table} REFERENCING NEW TABLE AS rollup_new
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});
CREATE TRIGGER {truncate_trigger} AFTER TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});
CREATE TRIGGER {update_trigger} AFTER UPDATE ON {table}
    REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});{if has_partitions}
CREATE TRIGGER {moves_trigger} BEFORE UPDATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});{end}{end}{end}

-- The query.
CREATE VIEW {query} AS
SELECT {select}
FROM {from}{if where}
WHERE {where}{end}
GROUP BY {by};

-- Its result, as of the last refresh.
CREATE {if unlogged}UNLOGGED {end}TABLE {rows} AS TABLE {query} LIMIT 0;
{if plain}ALTER TABLE {rows} ADD PRIMARY KEY ({groups});{else}CREATE UNIQUE INDEX ON {rows} ({groups});
ALTER TABLE {rows} {not_null}REPLICA IDENTITY FULL;{end}{if distributed}
SELECT create_distributed_table({rows_name}, {distributed_by}, colocate_with => {source_name});{end}

-- What has changed since then. Mark 0: what {if each_row}a new row adds{else}the new rows of a statement add{end} to a group; 1: a group that lost or changed
-- rows, to be computed from those that are left{if local}; 2: everything{if period} up to this period{end}, likewise{end}.
CREATE {if unlogged}UNLOGGED {end}TABLE {log} AS SELECT 0::int2 AS mark, * FROM {query} LIMIT 0;
ALTER TABLE {log} ALTER mark SET NOT NULL, ALTER mark SET DEFAULT 0,
    {if period}ALTER {period} SET NOT NULL, {end}REPLICA IDENTITY FULL,
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
         autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);
CREATE INDEX ON {log} (mark) WHERE mark > 0;{if distributed}
CREATE INDEX ON {log} ({distribution});
SELECT create_distributed_table({log_name}, {distributed_by}, colocate_with => {source_name});{end}

-- What it needs to know. merge and each_row are as given to rollup_create; distributed: by Citus.
CREATE TABLE {state} ({if local}{if period}frozen {period_type} NOT NULL DEFAULT '-infinity', {end}{end}refreshed timestamptz,
    merge jsonb NOT NULL, each_row bool NOT NULL, distributed bool NOT NULL, followed text[], missed text[] NOT NULL DEFAULT ARRAY[]::text[], use_rollup_drop regclass);
ALTER TABLE {state} REPLICA IDENTITY FULL;
INSERT INTO {state} (merge, each_row, distributed) VALUES ({merge}, {if each_row}true{else}false{end}, {if distributed}true{else}false{end});

{if distributed}-- What all shards need to know. stale: everything{if period} up to this period{end} is to be computed from its rows; back_to: set
-- while a refresh is at work.
CREATE TABLE {bounds} (id int PRIMARY KEY DEFAULT 1 CHECK (id = 1), {if period}frozen {period_type} NOT NULL DEFAULT '-infinity', stale {period_type},
    back_to {period_type}{else}stale bool, back_to bool{end});
SELECT create_reference_table({bounds_name});
INSERT INTO {bounds} (id) VALUES (1);{end}

{if local}-- The groups that the log names, as they are now.
CREATE VIEW {fresh} AS
-- What was added, merged into what is stored.
SELECT {merged}
FROM (SELECT {columns} FROM {log} WHERE mark = 0
      UNION ALL
      ({if lookup}WITH lookups AS MATERIALIZED (SELECT DISTINCT {lookup} FROM {log} WHERE mark = 0),
           {how_many}
      {end}SELECT {columns} FROM {rows}
      WHERE {if lookup}{near}
        AND {end}(({groups}) IN ({added})) IS TRUE)) AS part
WHERE (({groups}) IN ({marked})) IS NOT TRUE
  AND ({stale}) IS NOT TRUE
GROUP BY {keys}
UNION ALL
-- Groups that lost or changed rows.
(WITH list ({keys}) AS MATERIALIZED ({marked}){if lookup},
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
SELECT {columns} FROM {query}
WHERE {if period}(SELECT EXISTS (SELECT FROM {log} WHERE mark = 2)) AND {end}{stale};{end}

-- The rollup: stored groups that the log does not name, and those that it names.
CREATE VIEW {rollup} AS
{if local}SELECT {columns} FROM {rows}
WHERE (({groups}) IN ({named})) IS NOT TRUE
  AND ({stale}) IS NOT TRUE
UNION ALL
SELECT {columns} FROM {fresh};{end}{if distributed}-- Citus reads this in one statement for each shard: s, x and rollup_apart are for its planner.
SELECT {union_columns}
FROM {bounds} AS s
CROSS JOIN LATERAL (
    SELECT {columns}, 0::int2 AS rollup_apart FROM {rows} AS part
    WHERE NOT EXISTS (SELECT FROM {logged}
            WHERE {same} AND (mark = 0 OR mark = 1{live}))
      AND ({at_shard}) IS NOT TRUE
    UNION ALL
    {fresh_at_shard}) AS u
LEFT JOIN {log} AS x ON x.{distribution} = u.{distribution} AND x.mark = 3
WHERE s.id = 1;{end}

-- By this a rollup is known, and DROP VIEW is refused.
ALTER TABLE {state} ALTER use_rollup_drop SET DEFAULT {rollup_name}::regclass;
COMMENT ON VIEW {rollup} IS {comment};
COMMENT ON VIEW {query} IS {part_comment};
{if local}COMMENT ON VIEW {fresh} IS {part_comment};
{end}{if distributed}COMMENT ON TABLE {bounds} IS {part_comment};
{end}COMMENT ON TABLE {rows} IS {part_comment};
COMMENT ON TABLE {log} IS {part_comment};
COMMENT ON TABLE {state} IS {part_comment};

{section repair}

-- Nothing is computed yet.
{mark_everything};

-- Logs what {if each_row}changed in a row{else}a statement changed{end}. Nothing is locked or waited for. The settings change how text is read or written.
CREATE FUNCTION {trigger}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
{settings} AS {literal body};
REVOKE EXECUTE ON FUNCTION {trigger}() FROM {grantees};
COMMENT ON FUNCTION {trigger}() IS {part_comment};{if without_citus}
-- Without the extension, the function would take what others put into its schema.
ALTER FUNCTION {trigger}() DEPENDS ON EXTENSION sketches;{end}

{if distributed}-- Stores the groups that the log of a shard names as they are now, and empties it: one statement, one snapshot.
CREATE FUNCTION {fold}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
{settings}
SET jit = off AS {literal fold_body};
REVOKE EXECUTE ON FUNCTION {fold}() FROM {grantees};
COMMENT ON FUNCTION {fold}() IS {part_comment};
CREATE TRIGGER {fold_trigger} AFTER UPDATE ON {log} FOR EACH STATEMENT EXECUTE FUNCTION {fold}();{end}

{each table}{triggers}

{if moves}-- Rows that MERGE moves to another partition are in no transition table of its UPDATE: PostgreSQL puts
-- them into those of DELETE and INSERT, and fires triggers of the actions that the MERGE names. Such as:
-- MERGE INTO t USING (VALUES (1)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = '2026-02-01'.
CREATE TRIGGER {moved_from_trigger} AFTER DELETE ON {source}
    FOR EACH ROW WHEN ({sketches}._rollup_moves(true)) EXECUTE FUNCTION {trigger}();
CREATE TRIGGER {moved_to_trigger} AFTER INSERT ON {source}
    FOR EACH ROW WHEN ({sketches}._rollup_moves(false)) EXECUTE FUNCTION {trigger}();{end}

-- Partitions and children; what is here and not there any more, went. Missed are those that were away when they were written
-- or the rollup was refreshed, by number and, for a dump, by name.
UPDATE {state} SET followed = {followed}, missed = ARRAY[]::text[];

{section refresh}

{if distributed}UPDATE {bounds} SET back_to = {if period}$1{else}true{end}{end}

{if distributed}-- No row is touched, but the trigger fires on each shard, and refreshes it.
UPDATE {log} SET mark = 0 WHERE mark = 3{end}

{if distributed}UPDATE {bounds} SET back_to = NULL, stale = {if period}CASE WHEN stale < $1 THEN stale
    WHEN stale IS NOT NULL AND $1 > '-infinity' THEN $2 END{else}NULL{end}{end}

{if local}WITH fresh AS (SELECT *, 0::int2 AS mark FROM {fresh}{if period} WHERE {period} >= $1{end}),
    merged AS (DELETE FROM {log}{if period} WHERE {period} >= $1{end} RETURNING mark),{if period}
    rest AS (INSERT INTO {log} ({period}, mark)
        SELECT $2, 2 FROM merged WHERE mark = 2 AND $1 > '-infinity' LIMIT 1),{end}
    list ({keys}) AS MATERIALIZED ({marked}),{if lookup}
    lookups AS MATERIALIZED (SELECT DISTINCT {lookup} FROM list),
    {how_many},{end}
    gone AS (DELETE FROM {rows}
        WHERE ({stale}
               OR {if lookup}{near}
              AND {end}(({groups}) IN (TABLE list)) IS TRUE){if period}
          AND {period} >= $1{end}
          AND (({groups}) IN (SELECT {groups} FROM fresh WHERE {hashed})) IS NOT TRUE)
INSERT INTO {rows} SELECT {columns} FROM fresh ON CONFLICT ({groups})
    DO {update}{end}

{section drop}

ALTER TABLE {state} ALTER use_rollup_drop DROP DEFAULT;{if view_is_there}
DROP VIEW {rollup};{end}
DROP VIEW IF EXISTS {if local}{fresh}, {end}{query};
DROP TABLE IF EXISTS {rows}, {log}, {state}{if distributed}, {bounds}{end};
DROP FUNCTION IF EXISTS {trigger}() CASCADE;{if distributed}
DROP FUNCTION IF EXISTS {fold}() CASCADE;{end}

{section status}

{if local}SELECT count(*) FILTER (WHERE mark = 0), count(*) FILTER (WHERE mark = 1),
       {if period}min({period}) FILTER (WHERE mark < 2)::text, max({period}) FILTER (WHERE mark = 2)::text,
       (SELECT frozen::text FROM ONLY {state}){else}
       NULL::text, max(CASE mark WHEN 2 THEN 'infinity' END), NULL::text{end},
       (SELECT refreshed FROM ONLY {state}),
       pg_total_relation_size({rows_name}::regclass), pg_total_relation_size({log_name}::regclass), NULL::text
FROM ONLY {log}{end}{if distributed}SELECT deltas, marked, oldest, {if period}stale::text, frozen::text{else}CASE WHEN stale THEN 'infinity' END, NULL::text{end},
       (SELECT refreshed FROM ONLY {state}),
       citus_total_relation_size({rows_name}), citus_total_relation_size({log_name}), NULL::text
FROM (SELECT count(*) FILTER (WHERE mark = 0) AS deltas, count(*) FILTER (WHERE mark = 1) AS marked,
             {if period}min({period}) FILTER (WHERE mark < 2)::text{else}NULL::text{end} AS oldest FROM {log}) AS logged
CROSS JOIN (SELECT * FROM {bounds}) AS bounds{end}

{section check}

{if local}WITH rollup AS (SELECT {exact} FROM {rollup} AS rollup ({columns}){if period} WHERE {period} >= (SELECT frozen FROM {state}){end}),
     query AS (SELECT {exact} FROM {query}{if period} WHERE {period} >= (SELECT frozen FROM {state}){end})
SELECT 'rollup', to_jsonb(d.*) FROM (TABLE rollup EXCEPT ALL TABLE query) AS d
UNION ALL
SELECT 'query', to_jsonb(d.*) FROM (TABLE query EXCEPT ALL TABLE rollup) AS d
ORDER BY 2, 1{end}{if distributed}-- One join, which Citus computes by one statement for each shard, of one moment; an EXCEPT would be two.
WITH differing AS MATERIALIZED (
    SELECT to_jsonb(named) AS named, to_jsonb(part) AS part
    FROM (SELECT {exact} FROM {rollup} AS rollup ({columns}){if period} WHERE {period} >= (SELECT frozen FROM {bounds}){end}) AS named
         FULL JOIN (SELECT {exact} FROM {query}{if period} WHERE {period} >= (SELECT frozen FROM {bounds}){end}) AS part ON {same}
    WHERE to_jsonb(named) IS DISTINCT FROM to_jsonb(part))
SELECT found.* FROM differing CROSS JOIN LATERAL (VALUES ('rollup', named), ('query', part)) AS found (found_in, groups)
WHERE found.groups IS NOT NULL
ORDER BY 2, 1{end}

{section damage}

-- Anybody can make a state that names a view of others: theirs never become the view's owner's.
SELECT coalesce(
    (SELECT format('the view is of %s, and %s, which says that it is a rollup, of %s. If that is true: '
                   'ALTER VIEW %s OWNER TO %3$s', {owner}, {state_name}, relowner::regrole, {rollup_name})
     FROM pg_class WHERE oid = {state_oid} AND relowner <> {owner}),
    (SELECT CASE WHEN oid IS NULL THEN format('%s is missing: SELECT rollup_drop(%L)', part, {rollup_name})
                 ELSE format('%s has another owner: ALTER TABLE %1$s OWNER TO %s', part, {owner}) END
     FROM unnest(ARRAY[{query_name}, {if distributed}{bounds_name}{else}{fresh_name}{end}, {rows_name}, {log_name}, {state_name}],
                 ARRAY['v', {if distributed}'r'{else}'v'{end}, 'r', 'r', 'r']::"char"[]) WITH ORDINALITY AS p (part, kind, number)
          LEFT JOIN pg_class ON oid = to_regclass(part) AND relkind = kind
     WHERE relowner IS DISTINCT FROM {owner} ORDER BY number LIMIT 1),
    {if analyzed}NULL{else}{if apart}format('%s is not distributed any more: SELECT rollup_drop(%L)', {rows_name}, {rollup_name}),
    {end}format('%s is empty: SELECT rollup_drop(%L)', {state_name}, {rollup_name}){end})

{section problem}

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
                source, {owner})
    WHEN NOT has_table_privilege({source_oid}, 'SELECT')
         AND (SELECT bool_and(has_column_privilege({source_oid}, number, 'SELECT'))
              FROM unnest({numbers}) AS number) IS NOT TRUE
    THEN format('%s may not read %s: GRANT SELECT ON %2$s TO %1$s', {owner}, source){if nullable}
    WHEN true
    THEN format('group %s can be NULL now: put NOT NULL back, or %s', {nullable}, dropping){end}
    WHEN EXISTS (SELECT FROM pg_class WHERE oid IN ({rows_name}::regclass, {log_name}::regclass)
                 AND relpersistence <> '{if unlogged}u{else}p{end}')
    THEN format('%s is {if unlogged}unlogged{else}logged{end}, and its rollup is not: %s', source, refreshing)
    WHEN EXISTS (SELECT FROM pg_class WHERE oid = ANY ({tables}) AND relkind = 'r' AND relpersistence = '{if unlogged}p{else}u{end}')
    THEN (SELECT format('%s is {if unlogged}logged, so a crash empties its rollup and not it: ALTER TABLE %1$s SET UNLOGGED{else}unlogged, so a crash empties it and not its rollup: ALTER TABLE %1$s SET LOGGED{end}', min(oid::regclass::text))
          FROM pg_class WHERE oid = ANY ({tables}) AND relkind = 'r' AND relpersistence = '{if unlogged}p{else}u{end}')
{if distributed}
    WHEN (SELECT count(DISTINCT (colocationid, partmethod)) <> 1 OR count(*) <> 3 FROM pg_dist_partition
          WHERE logicalrelid IN ({source_oid}, {rows_name}::regclass, {log_name}::regclass) AND partmethod = 'h')
    THEN format('shards of %s and of its rollup are not beside each other any more: %s', source, dropping)
    WHEN fold.oid IS NULL
    THEN format('function %s is missing: %s', {fold_function}, repairing)
    WHEN (fold.prosrc = {literal fold_body} AND fold.prosecdef AND fold.proowner = {owner}
          AND cardinality(fold.proconfig) = 10 AND 'search_path=pg_catalog, pg_temp' = ANY (fold.proconfig)) IS NOT TRUE
    THEN format('function %s is not what the query needs, as after a column was renamed: %s', {fold_function}, repairing)
    WHEN NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = {log_name}::regclass AND tgfoid = fold.oid AND tgtype = 16 AND tgenabled IN ('O', 'A'))
    THEN format('triggers of %s are missing, disabled or changed: %s', {log_name}, repairing){end}
    WHEN made.oid IS NULL
    THEN format('function %s is missing: %s', {trigger_name}, repairing)
    WHEN (made.prosrc = {literal body} AND made.prosecdef AND made.proowner = {owner} AND cardinality(made.proconfig) = 9
          AND 'search_path=pg_catalog, pg_temp' = ANY (made.proconfig)) IS NOT TRUE
    THEN format('function %s is not what the query needs, as after a column was renamed: %s', {trigger_name}, repairing)
    ELSE coalesce(
        (SELECT format('trigger %I of %s would run a function of %s as %s: DROP TRIGGER %1$I ON %2$s', tgname, tgrelid::regclass, proowner::regrole, {owner})
         FROM pg_trigger JOIN pg_proc AS p ON p.oid = tgfoid
         WHERE tgrelid IN ({rows_name}::regclass, {log_name}::regclass, {state_name}::regclass) AND NOT pg_has_role(proowner, {owner}, 'USAGE') ORDER BY 1 LIMIT 1),{if statements}
        (SELECT format('%s is filled by subscription %I, which fires no statement triggers: %s, and make it with each_row => true',
                       srrelid::regclass, subname, dropping)
         FROM pg_subscription_rel JOIN pg_subscription AS s ON s.oid = srsubid
         WHERE srrelid = ANY ({tables}) ORDER BY 1 LIMIT 1),{end}
        (SELECT format('%s was added: %s', min(added::regclass::text), refreshing)
         FROM unnest({tables}) AS added WHERE ARRAY[added::text, added::regclass::text] && missed HAVING count(*) > 0),
        (SELECT CASE
             WHEN t.oid = {source_oid}
                  OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.oid AND tgfoid = made.oid AND tgtype & 1 = 0)
             THEN format('triggers of %s are missing, disabled or changed: %s', t.oid::regclass, repairing)
             {if each_row}WHEN NOT pg_has_role(relowner, 'USAGE')
             THEN format('%s is not followed: ALTER TABLE %1$s OWNER TO %s', t.oid::regclass, {owner}){end}
             WHEN NOT has_table_privilege(t.oid, 'TRIGGER')
             THEN format('%s is not followed: GRANT TRIGGER ON %1$s TO %s', t.oid::regclass, {owner})
             ELSE format('%s was added: %s', t.oid::regclass, refreshing) END
         FROM unnest({tables}) WITH ORDINALITY AS t (oid, number) JOIN pg_class AS c USING (oid)
              -- Which triggers it has, also such as others made: their types, and the names of transition tables.
              CROSS JOIN LATERAL (SELECT string_agg(concat_ws(' ', tgtype, tgoldtable, tgnewtable, CASE WHEN (tgattr = ''
                      AND {if each_row}tgenabled = 'A' AND tgqual IS NULL{else}tgenabled IN ('O', 'A')
                      AND (tgqual IS NULL) = (tgtype & 1 = 0){end}) IS NOT TRUE THEN 'changed' END), ', ' ORDER BY tgtype)
                  FROM pg_trigger WHERE tgrelid = t.oid AND tgfoid = made.oid) AS of_table (found)
         WHERE found IS DISTINCT FROM {if each_row}'29, 32'{else}'4 rollup_new, {if moves}5, {end}8 rollup_old, {if moves}9, {end}'
             || '16 rollup_old rollup_new, ' || CASE relkind WHEN 'p' THEN '18, ' ELSE '' END || '32'{end}
         ORDER BY number LIMIT 1))
    END
FROM ONLY {state} CROSS JOIN
     (SELECT {source_name} AS source, format('SELECT rollup_drop(%L)', {rollup_name}) AS dropping,
             format('SELECT rollup_refresh(%L)', {rollup_name}) AS refreshing,
             format('SELECT rollup_repair(%L)', {rollup_name}) AS repairing) AS say
     LEFT JOIN pg_proc AS made ON made.oid = to_regprocedure({trigger_name}){if distributed}
     LEFT JOIN pg_proc AS fold ON fold.oid = to_regprocedure({fold_function}){end}

--# Apart from the above, which reads pg_roles: with a table of Citus, that would need the rights to read pg_authid.
-- As many names that are new as are old are of tables that were renamed.
SELECT format('%s went, and is still counted: SELECT rollup_freeze(%L, ...) or rollup_repair(%2$L)',
              string_agg(DISTINCT name, ', ' ORDER BY name), {rollup_name})
FROM (SELECT unnest(followed) AS name FROM ONLY {state} EXCEPT ALL SELECT unnest({followed})) AS went{if period}
WHERE (SELECT frozen FROM {if distributed}{bounds}{else}ONLY {state}{end}) = '-infinity'{end}
HAVING count(*) > (SELECT count(*) FROM (SELECT unnest({followed}) EXCEPT ALL SELECT unnest(followed) FROM ONLY {state}) AS now)
