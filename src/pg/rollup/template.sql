--# The script that makes a rollup, as it reads. rollup_fill() of script.c fills it in:
--#   {name}                         the text of that name: an identifier, a list of columns, an expression
--#   {if name}...{else}...{end}     whether there is such a text; {else} may be left out
--#   {each table}                   what follows, for the table and everything below it; {table} is its name
--#   {define name}...{end}          names a part that is used more than once
--# Blank lines separate statements. rollup_create executes those before the first section and {section repair},
--# rollup_repair the latter; in that of refresh, $1 is the period to go back to.

--# PostgreSQL probes a hash table for IN (SELECT ...) as long as it expects the table to fit into memory; otherwise it
--# reads the subquery again for every row. It does not see that {hashed} is true, and expects one in 40,000 rows, so
--# the table is hashed, whatever the size and the statistics of the log. IS TRUE keeps it from being a join.
{define hashed}mark = mark + 0 AND mark = mark - 0{end}
{define is_marked}mark = 1{if period} AND {period} >= (SELECT frozen FROM {state}){end}{end}
{define marked}
    SELECT {groups} FROM {log} WHERE {is_marked} AND {hashed}{end}
{define named}
    SELECT {groups} FROM {log} WHERE (mark = 0 OR {is_marked}) AND {hashed}{end}
--# What an index can find of the groups in a list: those of a few values of their {lookup}, or of a range.
{define few}few AS MATERIALIZED (SELECT DISTINCT {lookup} FROM list LIMIT 51){end}
{define near}({lookup} BETWEEN
              (SELECT {lookup} FROM list WHERE (SELECT count(*) > 50 FROM few) ORDER BY 1 LIMIT 1) AND
              (SELECT {lookup} FROM list WHERE (SELECT count(*) > 50 FROM few) ORDER BY 1 DESC LIMIT 1)
           OR {lookup} = ANY (ARRAY(SELECT {lookup} FROM few))){end}
{define of_marked}SELECT {select}
    FROM {from}
    WHERE {if where}({where}) AND {end}(({group_values}) IN (TABLE list)) IS TRUE
    GROUP BY {by}{end}
{define stale}{if period}{period} BETWEEN (SELECT frozen FROM {state}) AND
       (SELECT max({period}) FROM {log} WHERE mark = 2){else}(SELECT EXISTS (
       SELECT FROM {log} WHERE mark = 2)){end}{end}
{define everything}{if period}({period}, mark) VALUES ('infinity', 2){else}(mark) VALUES (2){end}{end}
{define mark_table}INSERT INTO {log} ({keys}, mark)
SELECT DISTINCT {computed_groups}, 1 FROM ONLY {table}{if where} WHERE {computed_where}{end}{end}
{define body}
#variable_conflict use_column
BEGIN
    {if partitioned}IF TG_WHEN = 'BEFORE' THEN
        PERFORM {sketches}._rollup_updates(true);
        RETURN NULL;
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM {sketches}._rollup_updates(false);
    END IF;
    {end}{if tree}IF TG_NARGS > 0 AND NOT {sketches}._rollup_follows(TG_RELID, {trigger_name}::regprocedure) THEN
        RETURN NULL;    -- no partition or child any more
    {if partitioned}ELSIF TG_LEVEL = 'ROW' AND TG_OP = 'DELETE' THEN
        INSERT INTO {log} ({keys}, mark)
        SELECT {computed_groups}, 1 FROM (SELECT old.*) AS moved{if where}
        WHERE {computed_where}{end};
    ELSIF TG_LEVEL = 'ROW' THEN
        INSERT INTO {log} ({keys}, mark)
        SELECT {computed_groups}, 1 FROM (SELECT new.*) AS moved{if where}
        WHERE {computed_where}{end};
    {end}ELSIF {else}IF {end}TG_OP = 'INSERT' THEN
        INSERT INTO {log} ({columns})    -- columns were renamed? SELECT rollup_repair({rollup_name})
        SELECT {computed_select}
        FROM rollup_new{if where}
        WHERE {computed_where}{end}
        GROUP BY {by};
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO {log} ({keys}, mark)
        SELECT DISTINCT {computed_groups}, 1 FROM rollup_old{if where}
        WHERE {computed_where}{end};
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO {log} {everything};
    ELSIF {if read}EXISTS (SELECT {read} FROM rollup_old EXCEPT ALL SELECT {read} FROM rollup_new){else}true{end} THEN
        INSERT INTO {log} ({keys}, mark)
        SELECT DISTINCT {computed_groups}, 1
        FROM (TABLE rollup_old UNION ALL TABLE rollup_new) AS changed{if where}
        WHERE {computed_where}{end};
    END IF;
    RETURN NULL;
END {end}
{define triggers}CREATE TRIGGER {delete_trigger} AFTER DELETE ON {table} REFERENCING OLD TABLE AS rollup_old
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});
CREATE TRIGGER {insert_trigger} AFTER INSERT ON {table} REFERENCING NEW TABLE AS rollup_new
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});
CREATE TRIGGER {truncate_trigger} AFTER TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});
CREATE TRIGGER {update_trigger} AFTER UPDATE ON {table}
    REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});{if has_partitions}
CREATE TRIGGER {moves_trigger} BEFORE UPDATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {trigger}({child});{end}{end}

-- The query.
CREATE VIEW {query} AS
SELECT {select}
FROM {from}{if where}
WHERE {where}{end}
GROUP BY {by};

-- Its result, as of the last refresh.
CREATE {if unlogged}UNLOGGED {end}TABLE {rows} AS TABLE {query} LIMIT 0;
{if plain}ALTER TABLE {rows} ADD PRIMARY KEY ({groups});{else}CREATE UNIQUE INDEX ON {rows} ({groups});
ALTER TABLE {rows} {not_null}REPLICA IDENTITY FULL;{end}

-- What has changed since then. Mark 0: what the new rows of a statement add to a group; 1: a group that lost or changed
-- rows, to be computed from those that are left; 2: everything{if period} up to this {period}{end}, likewise.
CREATE {if unlogged}UNLOGGED {end}TABLE {log} AS TABLE {query} LIMIT 0;
ALTER TABLE {log} {if period}ALTER {period} SET NOT NULL, {end}ADD mark int2 NOT NULL DEFAULT 0, REPLICA IDENTITY FULL,
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
         autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);
CREATE INDEX ON {log} (mark) WHERE mark > 0;

-- What it needs to know. merge is as given to rollup_create.
CREATE TABLE {state} ({if period}frozen {period_type} NOT NULL DEFAULT '-infinity', {end}refreshed timestamptz,
    merge jsonb NOT NULL, followed text[], use_rollup_drop regclass);
ALTER TABLE {state} REPLICA IDENTITY FULL;
INSERT INTO {state} (merge) VALUES ({merge});

-- The groups that the log names, as they are now.
CREATE VIEW {fresh} AS
-- What was added, merged into what is stored.
SELECT {merged}
FROM (SELECT {columns} FROM {log} WHERE mark = 0
      UNION ALL
      (WITH list ({keys}) AS MATERIALIZED ({named}){if lookup},
           {few}{end}
      SELECT {columns} FROM {rows}
      WHERE {if lookup}{near}
        AND {end}(({groups}) IN (TABLE list)) IS TRUE)) AS part
WHERE (({groups}) IN ({marked})) IS NOT TRUE
  AND ({stale}) IS NOT TRUE
GROUP BY {keys}
UNION ALL
-- Groups that lost or changed rows.
(WITH list ({keys}) AS MATERIALIZED ({marked}){if lookup},
     {few}{end}
SELECT {columns} FROM (
    {of_marked}{if lookup}
    HAVING (SELECT count(*) BETWEEN 1 AND 50 FROM few) AND {lookup_value} = ANY (ARRAY(TABLE few))
    UNION ALL
    {of_marked}
    HAVING (SELECT count(*) > 50 FROM few) AND {lookup_value} BETWEEN
        (SELECT {lookup} FROM list ORDER BY 1 LIMIT 1) AND (SELECT {lookup} FROM list ORDER BY 1 DESC LIMIT 1){else}
    HAVING (SELECT EXISTS (TABLE list)){end}) AS marked
WHERE ({stale}) IS NOT TRUE)
UNION ALL
-- Everything that was not computed yet.
SELECT {columns} FROM {query}
WHERE {if period}(SELECT EXISTS (SELECT FROM {log} WHERE mark = 2)) AND {end}{stale};

-- The rollup: stored groups that the log does not name, and those that it names.
CREATE VIEW {rollup} AS
SELECT {columns} FROM {rows}
WHERE (({groups}) IN ({named})) IS NOT TRUE
  AND ({stale}) IS NOT TRUE
UNION ALL
SELECT {columns} FROM {fresh};

-- By this a rollup is known, and DROP VIEW is refused.
ALTER TABLE {state} ALTER use_rollup_drop SET DEFAULT {rollup_name}::regclass;
COMMENT ON VIEW {rollup} IS {comment};
COMMENT ON VIEW {query} IS {part_comment};
COMMENT ON VIEW {fresh} IS {part_comment};
COMMENT ON TABLE {rows} IS {part_comment};
COMMENT ON TABLE {log} IS {part_comment};
COMMENT ON TABLE {state} IS {part_comment};

{section repair}

-- Nothing is computed yet.
INSERT INTO {log} {everything};

-- Logs what a statement changed. Nothing is locked or waited for. The settings change how text is read or written.
CREATE FUNCTION {trigger}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET array_nulls = on
SET datestyle = 'ISO, MDY' SET intervalstyle = postgres SET extra_float_digits = 1 SET bytea_output = hex
SET lc_monetary = 'C' SET xmloption = content AS $rollup${body}$rollup$;
REVOKE EXECUTE ON FUNCTION {trigger}() FROM PUBLIC;
COMMENT ON FUNCTION {trigger}() IS {part_comment};

{each table}{triggers}

{if partitioned}-- Rows that MERGE moves to another partition are in no transition table of its UPDATE: PostgreSQL puts
-- them into those of DELETE and INSERT, and fires triggers of the actions that the MERGE names. Such as:
-- MERGE INTO t USING (VALUES (1)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = '2026-02-01'.
CREATE TRIGGER {moved_from_trigger} AFTER DELETE ON {source}
    FOR EACH ROW WHEN ({sketches}._rollup_moves(true)) EXECUTE FUNCTION {trigger}();
CREATE TRIGGER {moved_to_trigger} AFTER INSERT ON {source}
    FOR EACH ROW WHEN ({sketches}._rollup_moves(false)) EXECUTE FUNCTION {trigger}();{end}

-- Partitions and children; what is here and not there any more, went.
UPDATE {state} SET followed = {followed};

{section refresh}

WITH fresh AS (SELECT *, 0 AS mark FROM {fresh}{if period} WHERE {period} >= $1{end}),
    merged AS (DELETE FROM {log}{if period} WHERE {period} >= $1{end} RETURNING mark),{if period}
    rest AS (INSERT INTO {log} ({period}, mark)
        SELECT $1 - {one}, 2 FROM merged WHERE mark = 2 AND $1 > '-infinity' LIMIT 1),{end}
    list ({keys}) AS MATERIALIZED ({marked}),{if lookup}
    {few},{end}
    gone AS (DELETE FROM {rows}
        WHERE ({stale}
               OR {if lookup}{near}
              AND {end}(({groups}) IN (TABLE list)) IS TRUE){if period}
          AND {period} >= $1{end}
          AND (({groups}) IN (SELECT {groups} FROM fresh WHERE {hashed})) IS NOT TRUE)
INSERT INTO {rows} SELECT {columns} FROM fresh ON CONFLICT ({groups})
    DO {update}

{section drop}

ALTER TABLE {state} ALTER use_rollup_drop DROP DEFAULT;{if view_is_there}
DROP VIEW {rollup};{end}
DROP VIEW IF EXISTS {fresh}, {query};
DROP TABLE IF EXISTS {rows}, {log}, {state};
DROP FUNCTION IF EXISTS {trigger}() CASCADE;

{section status}

SELECT count(*) FILTER (WHERE mark = 0), count(*) FILTER (WHERE mark = 1),
       {if period}min({period}) FILTER (WHERE mark < 2)::text, max({period}) FILTER (WHERE mark = 2)::text,
       (SELECT frozen::text FROM ONLY {state}){else}
       NULL::text, max(CASE mark WHEN 2 THEN 'infinity' END), NULL::text{end},
       (SELECT refreshed FROM ONLY {state}),
       pg_total_relation_size({rows_name}::regclass), pg_total_relation_size({log_name}::regclass), NULL::text
FROM ONLY {log}

{section check}

WITH rollup AS (SELECT {exact} FROM {rollup}{if period} WHERE {period} >= (SELECT frozen FROM {state}){end}),
     query AS (SELECT {exact} FROM {query}{if period} WHERE {period} >= (SELECT frozen FROM {state}){end})
SELECT 'rollup', to_jsonb(d.*) FROM (TABLE rollup EXCEPT ALL TABLE query) AS d
UNION ALL
SELECT 'query', to_jsonb(d.*) FROM (TABLE query EXCEPT ALL TABLE rollup) AS d
ORDER BY 2, 1

{section damage}

-- Anybody can make a state that names a view of others: theirs never become the view's owner's.
SELECT coalesce(
    (SELECT format('the view is of %s, and %s, which says that it is a rollup, of %s. If that is true: '
                   'ALTER VIEW %s OWNER TO %3$s', {owner}, {state_name}, relowner::regrole, {rollup_name})
     FROM pg_class WHERE oid = {state_oid} AND relowner <> {owner}),
    (SELECT CASE WHEN oid IS NULL THEN format('%s is missing: SELECT rollup_drop(%L)', part, {rollup_name})
                 ELSE format('%s has another owner: ALTER TABLE %1$s OWNER TO %s', part, {owner}) END
     FROM unnest(ARRAY[{query_name}, {fresh_name}, {rows_name}, {log_name}, {state_name}],
                 ARRAY['v', 'v', 'r', 'r', 'r']::"char"[]) WITH ORDINALITY AS p (part, kind, number)
          LEFT JOIN pg_class ON oid = to_regclass(part) AND relkind = kind
     WHERE relowner IS DISTINCT FROM {owner} ORDER BY number LIMIT 1),
    {if analyzed}NULL{else}format('%s is empty: SELECT rollup_drop(%L)', {state_name}, {rollup_name}){end})

{section problem}

SELECT CASE
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
    WHEN made.oid IS NULL
    THEN format('function %s is missing: %s', {trigger_name}, repairing)
    WHEN (prosrc = $rollup${body}$rollup$ AND prosecdef AND proowner = {owner} AND cardinality(proconfig) = 9
          AND 'search_path=pg_catalog, pg_temp' = ANY (proconfig)) IS NOT TRUE
    THEN format('function %s is not what the query needs, as after a column was renamed: %s', {trigger_name}, repairing)
    ELSE coalesce(
        (SELECT CASE
             WHEN t.oid = {source_oid}
                  OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.oid AND tgfoid = made.oid AND tgtype & 1 = 0)
             THEN format('triggers of %s are missing, disabled or changed: %s', t.oid::regclass, repairing)
             WHEN NOT has_table_privilege(t.oid, 'TRIGGER')
             THEN format('%s is not followed: GRANT TRIGGER ON %1$s TO %s', t.oid::regclass, {owner})
             ELSE format('%s was added: %s', t.oid::regclass, refreshing) END
         FROM unnest({tables}) WITH ORDINALITY AS t (oid, number) JOIN pg_class AS c USING (oid)
              -- Which triggers it has: their types, and the names of transition tables.
              CROSS JOIN LATERAL (
                  SELECT string_agg(concat_ws(' ', tgtype, tgoldtable, tgnewtable), ', ' ORDER BY tgtype)
                  FROM pg_trigger WHERE tgrelid = t.oid AND tgfoid = made.oid AND tgenabled IN ('O', 'A')
                      AND tgattr = '' AND (tgqual IS NULL) = (tgtype & 1 = 0)) AS of_table (found)
         WHERE found IS DISTINCT FROM '4 rollup_new, {if partitioned}5, {end}8 rollup_old, {if partitioned}9, {end}'
             || '16 rollup_old rollup_new, ' || CASE relkind WHEN 'p' THEN '18, ' ELSE '' END || '32'
         ORDER BY number LIMIT 1),
        -- As many names that are new as are old are of tables that were renamed.
        (SELECT format('%s went, and is still counted: SELECT rollup_freeze(%L, ...) or rollup_repair(%2$L)',
                       string_agg(name, ', '), {rollup_name})
         FROM unnest(followed) AS name
         WHERE name <> ALL ({followed}){if period} AND frozen = '-infinity'{end}
         HAVING count(*) > (SELECT count(*) FROM unnest({followed}) AS now WHERE now <> ALL (followed))))
    END
FROM ONLY {state} CROSS JOIN
     (SELECT {source_name} AS source, format('SELECT rollup_drop(%L)', {rollup_name}) AS dropping,
             format('SELECT rollup_refresh(%L)', {rollup_name}) AS refreshing,
             format('SELECT rollup_repair(%L)', {rollup_name}) AS repairing) AS say
     LEFT JOIN pg_proc AS made ON made.oid = to_regprocedure({trigger_name})
