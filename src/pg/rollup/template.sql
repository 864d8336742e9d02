--# The script that makes a rollup, as it reads. rollup_fill() of script.c fills it in:
--#   {name}                         the text of that name: an identifier, a list of columns, an expression
--#   {if name}...{else}...{end}     whether there is such a text; {else} may be left out
--#   {each table}                   what follows, for the table and everything below it; {table} is its name
--#   {define name}...{end}          names a part that is used more than once
--# Blank lines separate statements. rollup_create executes those before {section refresh}, rollup_repair those from
--# {section repair} on; rollup_refresh executes the last one, in which $1 is the period to go back to.

--# PostgreSQL probes a hash table for IN (SELECT ...) as long as it expects the table to fit into memory; otherwise it
--# reads the subquery again for every row. It takes a LIMIT that it does not know for a tenth of its input, so three
--# of them keep the table hashed, whatever the size and the statistics of the log. IS TRUE keeps it from being a join.
--# (timeofday() is volatile, so the planner does not know what 9e18 + ascii(timeofday()) is.)
{define all}LIMIT 9e18 + ascii(timeofday()){end}
{define is_marked}mark = 1{if period} AND {period} >= (SELECT frozen FROM {state}){end}{end}
{define is_named}mark = 0 OR {is_marked}{end}
{define marked}SELECT * FROM (SELECT * FROM (
          SELECT {groups} FROM {log} WHERE {is_marked}
          {all}) AS tenth {all}) AS hundredth {all}{end}
{define named}SELECT * FROM (SELECT * FROM (
          SELECT {groups} FROM {log} WHERE {is_named}
          {all}) AS tenth {all}) AS hundredth {all}{end}
--# What an index can find of the groups in the log: those of a few values of their {lookup}, or of a range.
{define near_named}({lookup} BETWEEN
              (SELECT {lookup} FROM {log} WHERE mark < 2 AND (SELECT count(*) > 50 FROM few) ORDER BY 1 LIMIT 1) AND
              (SELECT {lookup} FROM {log} WHERE mark < 2 AND (SELECT count(*) > 50 FROM few) ORDER BY 1 DESC LIMIT 1)
           OR {lookup} = ANY (ARRAY(SELECT {lookup} FROM few))){end}
{define near_marked}({lookup} BETWEEN
          (SELECT {lookup} FROM {log} WHERE mark = 1 AND (SELECT count(*) > 50 FROM few) ORDER BY 1 LIMIT 1) AND
          (SELECT {lookup} FROM {log} WHERE mark = 1 AND (SELECT count(*) > 50 FROM few) ORDER BY 1 DESC LIMIT 1)
       OR {lookup} = ANY (ARRAY(SELECT {lookup} FROM few))){end}
{define stale}{if period}{period} BETWEEN (SELECT frozen FROM {state}) AND
       (SELECT max({period}) FROM {log} WHERE mark = 2){else}(SELECT EXISTS (
       SELECT FROM {log} WHERE mark = 2)){end}{end}
{define everything}{if period}({period}, mark) VALUES ('infinity', 2){else}(mark) VALUES (2){end}{end}
--# What a trigger sees: all rows of a statement, or one.
{define old}{if each_row}(SELECT old.*) AS {end}rollup_old{end}
{define new}{if each_row}(SELECT new.*) AS {end}rollup_new{end}
{define body}
#variable_conflict use_column
BEGIN
    {if moves}IF TG_WHEN = 'BEFORE' THEN
        PERFORM {sketches}._rollup_updates(true);
        RETURN NULL;
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM {sketches}._rollup_updates(false);
    END IF;
    {end}{if tree}IF TG_NARGS > 0 AND NOT {sketches}._rollup_follows(TG_RELID, {trigger_name}::regprocedure) THEN
        RETURN NULL;    -- no partition or child any more
    {if moves}ELSIF TG_LEVEL = 'ROW' AND TG_OP = 'DELETE' THEN
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
        FROM {new}{if where}
        WHERE {computed_where}{end}
        GROUP BY {by};
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO {log} ({keys}, mark)
        SELECT DISTINCT {computed_groups}, 1 FROM {old}{if where}
        WHERE {computed_where}{end};
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO {log} {everything};
    ELSIF {if read}EXISTS (SELECT {read} FROM {old} EXCEPT ALL SELECT {read} FROM {new}){else}true{end} THEN
        INSERT INTO {log} ({keys}, mark)
        SELECT DISTINCT {computed_groups}, 1
        FROM (SELECT * FROM {old} UNION ALL SELECT * FROM {new}) AS changed{if where}
        WHERE {computed_where}{end};
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
ALTER TABLE {rows} {not_null}REPLICA IDENTITY FULL;{end}

-- What has changed since then. Mark 0: what {if each_row}a new row adds{else}the new rows of a statement add{end} to a group; 1: a group that lost or changed
-- rows, to be computed from those that are left; 2: everything{if period} up to this {period}{end}, likewise.
CREATE {if unlogged}UNLOGGED {end}TABLE {log} AS TABLE {query} LIMIT 0;
ALTER TABLE {log} {if period}ALTER {period} SET NOT NULL, {end}ADD mark int2 NOT NULL DEFAULT 0, REPLICA IDENTITY FULL,
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
         autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);
CREATE INDEX ON {log} (mark) WHERE mark > 0;

-- What it needs to know. merge and each_row are as given to rollup_create.
CREATE TABLE {state} ({if period}frozen {period_type} NOT NULL DEFAULT '-infinity', {end}refreshed timestamptz,
    merge jsonb NOT NULL, each_row bool NOT NULL, followed text[], use_rollup_drop regclass);
ALTER TABLE {state} REPLICA IDENTITY FULL;
INSERT INTO {state} (merge, each_row) VALUES ({merge}, {if each_row}true{else}false{end});

-- The groups that the log names, as they are now.
CREATE VIEW {fresh} AS
-- What was added, merged into what is stored.
SELECT {merged}
FROM (SELECT {columns} FROM {log} WHERE mark = 0
      UNION ALL
      ({if lookup}WITH few AS MATERIALIZED (SELECT DISTINCT {lookup} FROM {log} WHERE mark < 2 LIMIT 51)
      {end}SELECT {columns} FROM {rows}
      WHERE {if lookup}{near_named}
        AND {end}(({groups}) IN ({named})) IS TRUE)) AS part
WHERE (({groups}) IN ({marked})) IS NOT TRUE
  AND ({stale}) IS NOT TRUE
GROUP BY {keys}
UNION ALL
-- Groups that lost or changed rows.
({if lookup}WITH few AS MATERIALIZED (SELECT DISTINCT {lookup} FROM {log} WHERE mark = 1 LIMIT 51)
{end}SELECT {columns} FROM {query}
WHERE (SELECT EXISTS (SELECT FROM {log} WHERE mark = 1))
  AND {if lookup}{near_marked}
  AND {end}(({groups}) IN ({marked})) IS TRUE
  AND ({stale}) IS NOT TRUE)
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

-- Logs what {if each_row}changed in a row{else}a statement changed{end}. Nothing is locked or waited for. The settings change how text is read or written.
CREATE FUNCTION {trigger}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET array_nulls = on
SET datestyle = 'ISO, MDY' SET intervalstyle = postgres SET extra_float_digits = 1 SET bytea_output = hex
SET lc_monetary = 'C' SET xmloption = content AS $rollup${body}$rollup$;
REVOKE EXECUTE ON FUNCTION {trigger}() FROM PUBLIC;
COMMENT ON FUNCTION {trigger}() IS {part_comment};

{each table}{triggers}

{if moves}-- Rows that MERGE moves to another partition are in no transition table of its UPDATE: PostgreSQL puts
-- them into those of DELETE and INSERT, and fires triggers of the actions that the MERGE names. Such as:
-- MERGE INTO t USING (VALUES (1)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET at = '2026-02-01'.
CREATE TRIGGER {moved_from_trigger} AFTER DELETE ON {source}
    FOR EACH ROW WHEN ({sketches}._rollup_moves(true)) EXECUTE FUNCTION {trigger}();
CREATE TRIGGER {moved_to_trigger} AFTER INSERT ON {source}
    FOR EACH ROW WHEN ({sketches}._rollup_moves(false)) EXECUTE FUNCTION {trigger}();{end}

-- Partitions and children; what is here and not there any more, went.
UPDATE {state} SET followed = {followed};

{section refresh}

WITH fresh AS (SELECT * FROM {fresh}{if period} WHERE {period} >= $1{end}),
    merged AS (DELETE FROM {log}{if period} WHERE {period} >= $1{end} RETURNING mark),{if period}
    rest AS (INSERT INTO {log} ({period}, mark)
        SELECT $1 - {one}, 2 FROM merged WHERE mark = 2 AND $1 > '-infinity' LIMIT 1),{end}{if lookup}
    few AS MATERIALIZED (SELECT DISTINCT {lookup} FROM {log} WHERE mark = 1 LIMIT 51),{end}
    gone AS (DELETE FROM {rows}
        WHERE ({stale}
               OR {if lookup}{near_marked}
              AND {end}(({groups}) IN ({marked})) IS TRUE){if period}
          AND {period} >= $1{end}
          AND (({groups}) IN (SELECT * FROM (SELECT * FROM (
              SELECT {groups} FROM fresh
              {all}) AS tenth {all}) AS hundredth {all})) IS NOT TRUE)
INSERT INTO {rows} SELECT * FROM fresh ON CONFLICT ({groups})
    DO {update}
