-- To be executed in one transaction.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL citus.enable_unsafe_triggers = on;
SET LOCAL citus.multi_shard_modify_mode = sequential;

-- The query.
CREATE VIEW public.hourly_query AS
SELECT tenant,
       date_trunc('hour'::text, at) AS hour,
       page,
       count(*) AS requests,
       public.hll_agg((visitor)::public.hashed) AS users
FROM public.events
WHERE (page <> '/health%'::text)
GROUP BY 1, 2, 3;

-- Its result, as of the last refresh.
CREATE TABLE public.hourly_rows AS TABLE public.hourly_query LIMIT 0;
CREATE UNIQUE INDEX ON public.hourly_rows (tenant, hour, (ARRAY[page]));
ALTER TABLE public.hourly_rows ALTER tenant SET NOT NULL, ALTER hour SET NOT NULL, REPLICA IDENTITY FULL;
SELECT create_distributed_table('public.hourly_rows', 'tenant', colocate_with => 'public.events');

-- What has changed since then. Mark 0: what the new rows of a statement add to a group; 1: a group that lost or changed
-- rows, to be computed from those that are left.
CREATE TABLE public.hourly_log AS SELECT 0::int2 AS mark, * FROM public.hourly_query LIMIT 0;
ALTER TABLE public.hourly_log ALTER mark SET NOT NULL, ALTER mark SET DEFAULT 0,
    ALTER hour SET NOT NULL, REPLICA IDENTITY FULL,
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
         autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);
CREATE INDEX ON public.hourly_log (mark) WHERE mark > 0;
CREATE INDEX ON public.hourly_log (tenant);
SELECT create_distributed_table('public.hourly_log', 'tenant', colocate_with => 'public.events');

-- What it needs to know. form: how it is stored; merge and each_row: as given to rollup_create; distributed: by Citus;
-- followed, missed: tables below the one of the query that have triggers, and such as were written while they were away, by
-- number and, for a dump, by name; the others are the parts, which are known by the defaults of these columns.
CREATE TABLE public.hourly_state (id int PRIMARY KEY DEFAULT 1 CHECK (id = 1), form int NOT NULL DEFAULT 1, refreshed timestamptz,
    stored bool NOT NULL DEFAULT false, merge jsonb NOT NULL DEFAULT '{}', each_row bool NOT NULL DEFAULT false,
    distributed bool NOT NULL DEFAULT true, followed text[] NOT NULL DEFAULT ARRAY[]::text[], missed text[] NOT NULL DEFAULT ARRAY[]::text[],
    use_rollup_drop regclass, query regclass, log regclass, rows regclass, bounds regclass,
    parts regclass, live regclass, filling regclass);
ALTER TABLE public.hourly_state REPLICA IDENTITY FULL;
INSERT INTO public.hourly_state DEFAULT VALUES;

-- What all shards need to know. stale: everything up to this period is to be computed from its rows; back_to: of a refresh
-- that is at work; fold: the statement that it executes for each shard, and the tables that it names; token: as the triggers
-- have it.
CREATE TABLE public.hourly_bounds (id int PRIMARY KEY DEFAULT 1 CHECK (id = 1), frozen timestamp without time zone NOT NULL DEFAULT '-infinity', stale timestamp without time zone,
    back_to timestamp without time zone, fold text[], token text DEFAULT 'TOKEN');
SELECT create_reference_table('public.hourly_bounds');
INSERT INTO public.hourly_bounds (id, stale) VALUES (1, 'infinity');

-- The rollup: stored groups that the log does not name, and those that it names.
CREATE VIEW public.hourly (tenant, hour, page, requests, users) AS
-- Citus reads this in one statement for each shard: s, x and rollup_apart are for its planner.
SELECT u.tenant, u.hour, u.page, u.requests, u.users
FROM public.hourly_bounds AS s
CROSS JOIN LATERAL (
    SELECT tenant, hour, page, requests, users, 0::int2 AS rollup_apart FROM public.hourly_rows AS part
    WHERE NOT EXISTS (SELECT FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM public.hourly_log) AS named
            WHERE named.tenant = part.tenant AND named.hour = part.hour AND ARRAY[named.page] = ARRAY[part.page] AND (mark = 0 OR mark = 1 AND hour >= s.frozen))
      AND (part.hour BETWEEN s.frozen AND s.stale) IS NOT TRUE
    UNION ALL
    -- What was added, merged into what is stored.
    SELECT tenant,
       hour,
       page,
       sum(requests)::bigint AS requests,
       public.hll_union_agg(users) AS users, 0 AS rollup_apart
    FROM (SELECT tenant, hour, page, requests, users FROM public.hourly_log AS part
          WHERE mark = 0 AND (part.hour BETWEEN s.frozen AND s.stale) IS NOT TRUE
            AND NOT EXISTS (SELECT FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM public.hourly_log) AS named
            WHERE named.tenant = part.tenant AND named.hour = part.hour AND ARRAY[named.page] = ARRAY[part.page] AND mark = 1 AND hour >= s.frozen)
          UNION ALL
          SELECT tenant, hour, page, requests, users FROM public.hourly_rows AS part
          WHERE (tenant, hour, (ARRAY[page])) IN (SELECT tenant, hour, (ARRAY[page]) FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM public.hourly_log) AS named WHERE mark = 0)
            AND (part.hour BETWEEN s.frozen AND s.stale) IS NOT TRUE
            AND NOT EXISTS (SELECT FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM public.hourly_log) AS named
            WHERE named.tenant = part.tenant AND named.hour = part.hour AND ARRAY[named.page] = ARRAY[part.page] AND mark = 1 AND hour >= s.frozen)) AS part
    GROUP BY tenant, hour, page
    UNION ALL
    -- Groups that lost or changed rows.
    SELECT tenant, hour, page, requests, users, 0
    FROM (SELECT named.rollup_1 AS tenant,
                 named.rollup_2 AS hour,
                 named.rollup_3 AS page,
                 count(*) AS requests,
                 public.hll_agg((visitor)::public.hashed) AS users
          FROM (SELECT tenant, hour, page FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM public.hourly_log) AS named WHERE mark = 1 AND hour >= s.frozen GROUP BY tenant, hour, page) AS named (rollup_1, rollup_2, rollup_3)
          LEFT JOIN public.events ON (tenant, date_trunc('hour'::text, at), (ARRAY[page])) = (named.rollup_1, named.rollup_2, (ARRAY[named.rollup_3])) AND (page <> '/health%'::text)
          WHERE num_nonnulls(tenant) = 1
          GROUP BY 1, 2, 3) AS part
    WHERE (part.hour BETWEEN s.frozen AND s.stale) IS NOT TRUE
    UNION ALL
    -- Everything that was not computed yet.
    SELECT tenant, hour, page, requests, users, 0
    FROM public.hourly_query AS part
    WHERE s.stale IS NOT NULL AND part.hour BETWEEN s.frozen AND s.stale) AS u
LEFT JOIN public.hourly_log AS x ON x.tenant = u.tenant AND x.mark = 3
WHERE s.id = 1;

-- By these a rollup and its parts are known, and DROP VIEW is refused.
ALTER TABLE public.hourly_state ALTER use_rollup_drop SET DEFAULT 'public.hourly'::regclass, ALTER query SET DEFAULT 'public.hourly_query'::regclass,
    ALTER log SET DEFAULT 'public.hourly_log'::regclass, ALTER rows SET DEFAULT 'public.hourly_rows'::regclass, ALTER bounds SET DEFAULT 'public.hourly_bounds'::regclass;
COMMENT ON VIEW public.hourly IS 'rollup of public.events; SELECT rollup_refresh(''public.hourly'')';
COMMENT ON VIEW public.hourly_query IS 'part of rollup public.hourly';
COMMENT ON TABLE public.hourly_bounds IS 'part of rollup public.hourly';
COMMENT ON TABLE public.hourly_rows IS 'part of rollup public.hourly';
COMMENT ON TABLE public.hourly_log IS 'part of rollup public.hourly';
COMMENT ON TABLE public.hourly_state IS 'part of rollup public.hourly';

-- Refreshes a shard: stores the groups that its log names as they are now, in one statement, so of one snapshot.
CREATE TRIGGER hourly_fold AFTER UPDATE ON public.hourly_log FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('TOKEN');

-- These log what a statement changed. Nothing is locked or waited for.

CREATE TRIGGER hourly_delete AFTER DELETE ON public.events REFERENCING OLD TABLE AS rollup_old
    FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('TOKEN');
CREATE TRIGGER hourly_insert AFTER INSERT ON public.events REFERENCING NEW TABLE AS rollup_new
    FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('TOKEN');
CREATE TRIGGER hourly_truncate AFTER TRUNCATE ON public.events
    FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('TOKEN');
CREATE TRIGGER hourly_update AFTER UPDATE ON public.events
    REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new
    FOR EACH STATEMENT EXECUTE FUNCTION public._rollup_write('TOKEN');

-- Partitions and children; what is here and not there any more, went.
UPDATE public.hourly_state SET missed = ARRAY[]::text[], followed = (SELECT array_agg(p.name ORDER BY t.number, p.number)
    FROM unnest(ARRAY['public.events']::text[]) WITH ORDINALITY AS t (name, number),
         unnest(ARRAY[t.name::regclass::oid::text, t.name]) WITH ORDINALITY AS p (name, number));

-- This is what rollup_refresh executes, after an UPDATE of the state, so one at a time; $1 is the period to
-- go back to, $2 the last one before it:
--
-- UPDATE public.hourly_bounds SET back_to = $1, fold = ARRAY['WITH s AS MATERIALIZED (SELECT * FROM %4$s WHERE id = 1),
--     fresh AS (SELECT u.* FROM s CROSS JOIN LATERAL (
--     -- What was added, merged into what is stored.
--     SELECT tenant,
--        hour,
--        page,
--        sum(requests)::bigint AS requests,
--        public.hll_union_agg(users) AS users, 0 AS rollup_apart
--     FROM (SELECT tenant, hour, page, requests, users FROM %1$s AS part
--           WHERE mark = 0 AND (part.hour BETWEEN s.frozen AND s.stale) IS NOT TRUE
--             AND NOT EXISTS (SELECT FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM %1$s) AS named
--             WHERE named.tenant = part.tenant AND named.hour = part.hour AND ARRAY[named.page] = ARRAY[part.page] AND mark = 1 AND hour >= s.frozen)
--           UNION ALL
--           SELECT tenant, hour, page, requests, users FROM %2$s AS part
--           WHERE (tenant, hour, (ARRAY[page])) IN (SELECT tenant, hour, (ARRAY[page]) FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM %1$s) AS named WHERE mark = 0)
--             AND (part.hour BETWEEN s.frozen AND s.stale) IS NOT TRUE
--             AND NOT EXISTS (SELECT FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM %1$s) AS named
--             WHERE named.tenant = part.tenant AND named.hour = part.hour AND ARRAY[named.page] = ARRAY[part.page] AND mark = 1 AND hour >= s.frozen)) AS part
--     GROUP BY tenant, hour, page
--     UNION ALL
--     -- Groups that lost or changed rows.
--     SELECT tenant, hour, page, requests, users, 0
--     FROM (SELECT named.rollup_1 AS tenant,
--                  named.rollup_2 AS hour,
--                  named.rollup_3 AS page,
--                  count(*) AS requests,
--                  public.hll_agg((visitor)::public.hashed) AS users
--           FROM (SELECT tenant, hour, page FROM (SELECT tenant, hour, page, mark, unnest(array_fill(mark, ARRAY[1])) FROM %1$s) AS named WHERE mark = 1 AND hour >= s.frozen GROUP BY tenant, hour, page) AS named (rollup_1, rollup_2, rollup_3)
--           LEFT JOIN %3$s ON (tenant, date_trunc(''hour''::text, at), (ARRAY[page])) = (named.rollup_1, named.rollup_2, (ARRAY[named.rollup_3])) AND (page <> ''/health%%''::text)
--           WHERE num_nonnulls(tenant) = 1
--           GROUP BY 1, 2, 3) AS part
--     WHERE (part.hour BETWEEN s.frozen AND s.stale) IS NOT TRUE
--     UNION ALL
--     -- Everything that was not computed yet.
--     SELECT tenant, hour, page, requests, users, 0
--     FROM (SELECT tenant,
--        date_trunc(''hour''::text, at) AS hour,
--        page,
--        count(*) AS requests,
--        public.hll_agg((visitor)::public.hashed) AS users
--           FROM %3$s
--           WHERE (page <> ''/health%%''::text)
--           GROUP BY 1, 2, 3) AS part
--     WHERE s.stale IS NOT NULL AND part.hour BETWEEN s.frozen AND s.stale) AS u WHERE u.hour >= s.back_to),
--     merged AS (DELETE FROM %1$s AS part USING s WHERE part.hour >= s.back_to),
--     gone AS (DELETE FROM %2$s AS part USING s
--         WHERE (part.hour BETWEEN s.frozen AND s.stale
--                OR (part.tenant, part.hour, (ARRAY[part.page])) IN (SELECT tenant, hour, (ARRAY[page]) FROM %1$s WHERE mark = 1
--                    AND hour >= (SELECT frozen FROM s)))
--           AND part.hour >= s.back_to
--           AND ((part.tenant, part.hour, (ARRAY[part.page])) IN (SELECT tenant, hour, (ARRAY[page]) FROM fresh)) IS NOT TRUE)
--     INSERT INTO %2$s SELECT tenant, hour, page, requests, users FROM fresh ON CONFLICT (tenant, hour, (ARRAY[page]))
--         DO UPDATE SET requests = excluded.requests, users = excluded.users', 'public.hourly_log', 'public.hourly_rows', 'public.events'];
-- -- No row is touched, but the trigger fires on each shard, and refreshes it.
-- UPDATE public.hourly_log SET mark = 0 WHERE mark = 3;
-- UPDATE public.hourly_bounds SET back_to = NULL, fold = NULL, stale = CASE WHEN stale < $1 THEN stale
--     WHEN stale IS NOT NULL AND $1 > '-infinity' THEN $2 END

