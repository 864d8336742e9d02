--
-- PostgreSQL database dump
--



SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: shop; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA shop;


--
-- Name: most(integer); Type: AGGREGATE; Schema: shop; Owner: -
--

CREATE AGGREGATE shop.most(integer) (
    SFUNC = int4larger,
    STYPE = integer,
    COMBINEFUNC = int4larger
);


--
-- Name: Odd "Rollup; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop."Odd ""Rollup" AS
SELECT
    NULL::date AS "the day",
    NULL::bigint AS "the ""count";


--
-- Name: VIEW "Odd ""Rollup"; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop."Odd ""Rollup" IS 'rollup of shop."Odd ""Table"; SELECT rollup_refresh(''shop."Odd ""Rollup"'')';


--
-- Name: Odd "Rollup_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop."Odd ""Rollup_fresh" AS
SELECT
    NULL::date AS "the day",
    NULL::bigint AS "the ""count";


--
-- Name: VIEW "Odd ""Rollup_fresh"; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop."Odd ""Rollup_fresh" IS 'part of rollup shop."Odd ""Rollup"';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: Odd "Rollup_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop."Odd ""Rollup_log" (
    mark smallint DEFAULT 0 NOT NULL,
    "the day" date NOT NULL,
    "the ""count" bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop."Odd ""Rollup_log" REPLICA IDENTITY FULL;


--
-- Name: TABLE "Odd ""Rollup_log"; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop."Odd ""Rollup_log" IS 'part of rollup shop."Odd ""Rollup"';


--
-- Name: Odd "Table; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop."Odd ""Table" (
    "the day" date NOT NULL,
    "Wert" integer
);


--
-- Name: Odd "Rollup_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop."Odd ""Rollup_query" AS
 SELECT "Odd ""Table"."the day",
    count("Odd ""Table"."Wert") AS "the ""count"
   FROM shop."Odd ""Table"
  GROUP BY "Odd ""Table"."the day";


--
-- Name: VIEW "Odd ""Rollup_query"; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop."Odd ""Rollup_query" IS 'part of rollup shop."Odd ""Rollup"';


--
-- Name: Odd "Rollup_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop."Odd ""Rollup_rows" (
    "the day" date NOT NULL,
    "the ""count" bigint
);


--
-- Name: TABLE "Odd ""Rollup_rows"; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop."Odd ""Rollup_rows" IS 'part of rollup shop."Odd ""Rollup"';


--
-- Name: Odd "Rollup_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop."Odd ""Rollup_state" (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop."Odd ""Rollup"'::regclass,
    query regclass DEFAULT 'shop."Odd ""Rollup_query"'::regclass,
    log regclass DEFAULT 'shop."Odd ""Rollup_log"'::regclass,
    rows regclass DEFAULT 'shop."Odd ""Rollup_rows"'::regclass,
    fresh regclass DEFAULT 'shop."Odd ""Rollup_fresh"'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    CONSTRAINT "Odd ""Rollup_state_id_check" CHECK ((id = 1))
);

ALTER TABLE ONLY shop."Odd ""Rollup_state" REPLICA IDENTITY FULL;


--
-- Name: TABLE "Odd ""Rollup_state"; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop."Odd ""Rollup_state" IS 'part of rollup shop."Odd ""Rollup"';


--
-- Name: by_row; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.by_row AS
SELECT
    NULL::date AS day,
    NULL::bigint AS v;


--
-- Name: VIEW by_row; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.by_row IS 'rollup of shop.visits; SELECT rollup_refresh(''shop.by_row'')';


--
-- Name: by_row_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.by_row_fresh AS
SELECT
    NULL::date AS day,
    NULL::bigint AS v;


--
-- Name: VIEW by_row_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.by_row_fresh IS 'part of rollup shop.by_row';


--
-- Name: by_row_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.by_row_log (
    mark smallint DEFAULT 0 NOT NULL,
    day date NOT NULL,
    v bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.by_row_log REPLICA IDENTITY FULL;


--
-- Name: TABLE by_row_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.by_row_log IS 'part of rollup shop.by_row';


--
-- Name: visits; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.visits (
    at timestamp without time zone NOT NULL,
    page text,
    visitor integer,
    ms double precision
);


--
-- Name: by_row_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.by_row_query AS
 SELECT (visits.at)::date AS day,
    sum(visits.visitor) AS v
   FROM shop.visits
  GROUP BY ((visits.at)::date);


--
-- Name: VIEW by_row_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.by_row_query IS 'part of rollup shop.by_row';


--
-- Name: by_row_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.by_row_rows (
    day date NOT NULL,
    v bigint
);


--
-- Name: TABLE by_row_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.by_row_rows IS 'part of rollup shop.by_row';


--
-- Name: by_row_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.by_row_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT true NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.by_row'::regclass,
    query regclass DEFAULT 'shop.by_row_query'::regclass,
    log regclass DEFAULT 'shop.by_row_log'::regclass,
    rows regclass DEFAULT 'shop.by_row_rows'::regclass,
    fresh regclass DEFAULT 'shop.by_row_fresh'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    CONSTRAINT by_row_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.by_row_state REPLICA IDENTITY FULL;


--
-- Name: TABLE by_row_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.by_row_state IS 'part of rollup shop.by_row';


--
-- Name: by_section; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.by_section AS
SELECT
    NULL::date AS day,
    NULL::text AS section,
    NULL::bigint AS n;


--
-- Name: VIEW by_section; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.by_section IS 'rollup of shop.visits; SELECT rollup_refresh(''shop.by_section'')';


--
-- Name: by_section_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.by_section_fresh AS
SELECT
    NULL::date AS day,
    NULL::text AS section,
    NULL::bigint AS n;


--
-- Name: VIEW by_section_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.by_section_fresh IS 'part of rollup shop.by_section';


--
-- Name: by_section_joined; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.by_section_joined (
    dimension smallint,
    xid xid8,
    key1 text
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.by_section_joined REPLICA IDENTITY FULL;


--
-- Name: TABLE by_section_joined; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.by_section_joined IS 'part of rollup shop.by_section';


--
-- Name: by_section_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.by_section_log (
    mark smallint DEFAULT 0 NOT NULL,
    rollup_seen xid8,
    day date NOT NULL,
    section text,
    n bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.by_section_log REPLICA IDENTITY FULL;


--
-- Name: TABLE by_section_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.by_section_log IS 'part of rollup shop.by_section';


--
-- Name: pages; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.pages (
    page text NOT NULL,
    section text
);


--
-- Name: by_section_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.by_section_query AS
 SELECT (visits.at)::date AS day,
    pages.section,
    count(*) AS n
   FROM (shop.visits visits
     LEFT JOIN shop.pages pages ON ((visits.page = pages.page)))
  GROUP BY ((visits.at)::date), pages.section;


--
-- Name: VIEW by_section_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.by_section_query IS 'part of rollup shop.by_section';


--
-- Name: by_section_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.by_section_rows (
    day date NOT NULL,
    section text,
    n bigint
);

ALTER TABLE ONLY shop.by_section_rows REPLICA IDENTITY FULL;


--
-- Name: TABLE by_section_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.by_section_rows IS 'part of rollup shop.by_section';


--
-- Name: by_section_touched; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.by_section_touched AS
 SELECT DISTINCT (visits.at)::date AS day
   FROM (shop.visits visits
     JOIN ( SELECT by_section_joined.key1 AS page,
            unnest(array_fill(by_section_joined.dimension, ARRAY[1])) AS unnest
           FROM shop.by_section_joined
          WHERE ((by_section_joined.dimension = 1) AND public._rollup_hashed(by_section_joined.dimension))) pages ON ((visits.page = pages.page)));


--
-- Name: VIEW by_section_touched; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.by_section_touched IS 'part of rollup shop.by_section';


--
-- Name: by_section_written; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.by_section_written AS
 SELECT (0)::smallint AS mark,
    pg_snapshot_xmin(pg_current_snapshot()) AS rollup_seen,
    (visits.at)::date AS day,
    pages.section,
    count(*) AS n
   FROM (shop.visits visits
     LEFT JOIN shop.pages pages ON ((visits.page = pages.page)))
  GROUP BY ((0)::smallint), ((visits.at)::date), pages.section;


--
-- Name: VIEW by_section_written; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.by_section_written IS 'part of rollup shop.by_section';


--
-- Name: by_section_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.by_section_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    secret uuid DEFAULT gen_random_uuid() NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.by_section'::regclass,
    query regclass DEFAULT 'shop.by_section_query'::regclass,
    log regclass DEFAULT 'shop.by_section_log'::regclass,
    rows regclass DEFAULT 'shop.by_section_rows'::regclass,
    fresh regclass DEFAULT 'shop.by_section_fresh'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    folded xid8 DEFAULT pg_snapshot_xmax(pg_current_snapshot()) NOT NULL,
    joined regclass DEFAULT 'shop.by_section_joined'::regclass,
    touched regclass DEFAULT 'shop.by_section_touched'::regclass,
    written regclass DEFAULT 'shop.by_section_written'::regclass,
    CONSTRAINT by_section_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.by_section_state REPLICA IDENTITY FULL;


--
-- Name: TABLE by_section_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.by_section_state IS 'part of rollup shop.by_section';


--
-- Name: changed; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.changed AS
SELECT
    NULL::date AS day,
    NULL::text AS page,
    NULL::bigint AS n,
    NULL::bigint AS visitors,
    NULL::public.hll AS users;


--
-- Name: VIEW changed; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.changed IS 'rollup of shop.visits; SELECT rollup_refresh(''shop.changed'')';


--
-- Name: changed_filling; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.changed_filling AS
SELECT
    NULL::date AS rollup_1,
    NULL::text[] AS rollup_2,
    NULL::bigint AS visitors,
    NULL::public.hll AS users;


--
-- Name: VIEW changed_filling; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.changed_filling IS 'part of rollup shop.changed';


--
-- Name: changed_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.changed_fresh AS
SELECT
    NULL::date AS day,
    NULL::text AS page,
    NULL::bigint AS n,
    NULL::bigint AS visitors,
    NULL::public.hll AS users;


--
-- Name: VIEW changed_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.changed_fresh IS 'part of rollup shop.changed';


--
-- Name: changed_live; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.changed_live AS
SELECT
    NULL::date AS day,
    NULL::text AS page,
    NULL::bigint AS n,
    NULL::bigint AS visitors,
    NULL::public.hll AS users;


--
-- Name: VIEW changed_live; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.changed_live IS 'part of rollup shop.changed';


--
-- Name: changed_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.changed_log (
    mark smallint DEFAULT 0 NOT NULL,
    day date NOT NULL,
    page text,
    n bigint,
    visitors bigint,
    users public.hll
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.changed_log REPLICA IDENTITY FULL;


--
-- Name: TABLE changed_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.changed_log IS 'part of rollup shop.changed';


--
-- Name: changed_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.changed_query AS
 SELECT (visits.at)::date AS day,
    visits.page,
    count(*) AS n,
    sum(visits.visitor) AS visitors,
    public.hll_agg((visits.visitor)::public.hashed) AS users
   FROM shop.visits
  GROUP BY ((visits.at)::date), visits.page;


--
-- Name: VIEW changed_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.changed_query IS 'part of rollup shop.changed';


--
-- Name: changed_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.changed_rows (
    day date NOT NULL,
    page text,
    n bigint,
    visitors bigint,
    users public.hll
);

ALTER TABLE ONLY shop.changed_rows REPLICA IDENTITY FULL;


--
-- Name: TABLE changed_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.changed_rows IS 'part of rollup shop.changed';


--
-- Name: changed_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.changed_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.changed'::regclass,
    query regclass DEFAULT 'shop.changed_query'::regclass,
    log regclass DEFAULT 'shop.changed_log'::regclass,
    rows regclass DEFAULT 'shop.changed_rows'::regclass,
    fresh regclass DEFAULT 'shop.changed_fresh'::regclass,
    parts regclass,
    live regclass DEFAULT 'shop.changed_live'::regclass,
    filling regclass DEFAULT 'shop.changed_filling'::regclass,
    since jsonb,
    stale date,
    unfilled date,
    CONSTRAINT changed_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.changed_state REPLICA IDENTITY FULL;


--
-- Name: TABLE changed_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.changed_state IS 'part of rollup shop.changed';


--
-- Name: parent; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.parent (
    at date NOT NULL,
    x integer
);


--
-- Name: child; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.child (
)
INHERITS (shop.parent);


--
-- Name: daily; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.daily AS
SELECT
    NULL::date AS at,
    NULL::text AS page,
    NULL::bigint AS n,
    NULL::bigint AS s;


--
-- Name: VIEW daily; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.daily IS 'rollup of shop.hits; SELECT rollup_refresh(''shop.daily'')';


--
-- Name: daily_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.daily_fresh AS
SELECT
    NULL::date AS at,
    NULL::text AS page,
    NULL::bigint AS n,
    NULL::bigint AS s;


--
-- Name: VIEW daily_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.daily_fresh IS 'part of rollup shop.daily';


--
-- Name: daily_late; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.daily_late AS
SELECT
    NULL::date AS at,
    NULL::text AS page,
    NULL::bigint AS n,
    NULL::bigint AS s;


--
-- Name: VIEW daily_late; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.daily_late IS 'part of rollup shop.daily';


--
-- Name: daily_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.daily_log (
    mark smallint DEFAULT 0 NOT NULL,
    at date NOT NULL,
    page text,
    n bigint,
    s bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.daily_log REPLICA IDENTITY FULL;


--
-- Name: TABLE daily_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.daily_log IS 'part of rollup shop.daily';


--
-- Name: hits; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.hits (
    at date NOT NULL,
    page text,
    n integer,
    twice integer GENERATED ALWAYS AS ((n * 2)) STORED
)
PARTITION BY RANGE (at);


--
-- Name: daily_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.daily_query AS
 SELECT hits.at,
    hits.page,
    count(*) AS n,
    sum(hits.twice) AS s
   FROM shop.hits
  GROUP BY hits.at, hits.page;


--
-- Name: VIEW daily_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.daily_query IS 'part of rollup shop.daily';


--
-- Name: daily_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.daily_rows (
    at date NOT NULL,
    page text,
    n bigint,
    s bigint
);

ALTER TABLE ONLY shop.daily_rows REPLICA IDENTITY FULL;


--
-- Name: TABLE daily_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.daily_rows IS 'part of rollup shop.daily';


--
-- Name: daily_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.daily_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    secret uuid DEFAULT gen_random_uuid() NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.daily'::regclass,
    query regclass DEFAULT 'shop.daily_query'::regclass,
    log regclass DEFAULT 'shop.daily_log'::regclass,
    rows regclass DEFAULT 'shop.daily_rows'::regclass,
    fresh regclass DEFAULT 'shop.daily_fresh'::regclass,
    late regclass DEFAULT 'shop.daily_late'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    CONSTRAINT daily_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.daily_state REPLICA IDENTITY FULL;


--
-- Name: TABLE daily_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.daily_state IS 'part of rollup shop.daily';


--
-- Name: followed_by_row; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.followed_by_row AS
SELECT
    NULL::date AS at,
    NULL::bigint AS n;


--
-- Name: VIEW followed_by_row; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.followed_by_row IS 'rollup of shop.hits; SELECT rollup_refresh(''shop.followed_by_row'')';


--
-- Name: followed_by_row_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.followed_by_row_fresh AS
SELECT
    NULL::date AS at,
    NULL::bigint AS n;


--
-- Name: VIEW followed_by_row_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.followed_by_row_fresh IS 'part of rollup shop.followed_by_row';


--
-- Name: followed_by_row_late; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.followed_by_row_late AS
SELECT
    NULL::date AS at,
    NULL::bigint AS n;


--
-- Name: VIEW followed_by_row_late; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.followed_by_row_late IS 'part of rollup shop.followed_by_row';


--
-- Name: followed_by_row_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.followed_by_row_log (
    mark smallint DEFAULT 0 NOT NULL,
    at date NOT NULL,
    n bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.followed_by_row_log REPLICA IDENTITY FULL;


--
-- Name: TABLE followed_by_row_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.followed_by_row_log IS 'part of rollup shop.followed_by_row';


--
-- Name: followed_by_row_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.followed_by_row_query AS
 SELECT hits.at,
    count(*) AS n
   FROM shop.hits
  GROUP BY hits.at;


--
-- Name: VIEW followed_by_row_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.followed_by_row_query IS 'part of rollup shop.followed_by_row';


--
-- Name: followed_by_row_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.followed_by_row_rows (
    at date NOT NULL,
    n bigint
);


--
-- Name: TABLE followed_by_row_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.followed_by_row_rows IS 'part of rollup shop.followed_by_row';


--
-- Name: followed_by_row_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.followed_by_row_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT true NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    secret uuid DEFAULT gen_random_uuid() NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.followed_by_row'::regclass,
    query regclass DEFAULT 'shop.followed_by_row_query'::regclass,
    log regclass DEFAULT 'shop.followed_by_row_log'::regclass,
    rows regclass DEFAULT 'shop.followed_by_row_rows'::regclass,
    fresh regclass DEFAULT 'shop.followed_by_row_fresh'::regclass,
    late regclass DEFAULT 'shop.followed_by_row_late'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    CONSTRAINT followed_by_row_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.followed_by_row_state REPLICA IDENTITY FULL;


--
-- Name: TABLE followed_by_row_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.followed_by_row_state IS 'part of rollup shop.followed_by_row';


--
-- Name: heirs; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.heirs AS
SELECT
    NULL::date AS at,
    NULL::bigint AS x;


--
-- Name: VIEW heirs; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.heirs IS 'rollup of shop.parent; SELECT rollup_refresh(''shop.heirs'')';


--
-- Name: heirs_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.heirs_fresh AS
SELECT
    NULL::date AS at,
    NULL::bigint AS x;


--
-- Name: VIEW heirs_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.heirs_fresh IS 'part of rollup shop.heirs';


--
-- Name: heirs_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.heirs_log (
    mark smallint DEFAULT 0 NOT NULL,
    at date NOT NULL,
    x bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.heirs_log REPLICA IDENTITY FULL;


--
-- Name: TABLE heirs_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.heirs_log IS 'part of rollup shop.heirs';


--
-- Name: heirs_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.heirs_query AS
 SELECT parent.at,
    sum(parent.x) AS x
   FROM shop.parent
  GROUP BY parent.at;


--
-- Name: VIEW heirs_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.heirs_query IS 'part of rollup shop.heirs';


--
-- Name: heirs_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.heirs_rows (
    at date NOT NULL,
    x bigint
);


--
-- Name: TABLE heirs_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.heirs_rows IS 'part of rollup shop.heirs';


--
-- Name: heirs_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.heirs_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.heirs'::regclass,
    query regclass DEFAULT 'shop.heirs_query'::regclass,
    log regclass DEFAULT 'shop.heirs_log'::regclass,
    rows regclass DEFAULT 'shop.heirs_rows'::regclass,
    fresh regclass DEFAULT 'shop.heirs_fresh'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    CONSTRAINT heirs_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.heirs_state REPLICA IDENTITY FULL;


--
-- Name: TABLE heirs_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.heirs_state IS 'part of rollup shop.heirs';


--
-- Name: hits_1; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.hits_1 (
    at date NOT NULL,
    page text,
    n integer,
    twice integer GENERATED ALWAYS AS ((n * 2)) STORED
);


--
-- Name: hits_2; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.hits_2 (
    n integer,
    page text,
    at date NOT NULL,
    twice integer GENERATED ALWAYS AS ((n * 2)) STORED
);


--
-- Name: hourly; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.hourly AS
SELECT
    NULL::timestamp without time zone AS hour,
    NULL::text AS page,
    NULL::bigint AS n,
    NULL::public.hll AS users,
    NULL::public.tdigest AS ms;


--
-- Name: VIEW hourly; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.hourly IS 'rollup of shop.visits; SELECT rollup_refresh(''shop.hourly'')';


--
-- Name: hourly_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.hourly_fresh AS
SELECT
    NULL::timestamp without time zone AS hour,
    NULL::text AS page,
    NULL::bigint AS n,
    NULL::public.hll AS users,
    NULL::public.tdigest AS ms;


--
-- Name: VIEW hourly_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.hourly_fresh IS 'part of rollup shop.hourly';


--
-- Name: hourly_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.hourly_log (
    mark smallint DEFAULT 0 NOT NULL,
    hour timestamp without time zone NOT NULL,
    page text,
    n bigint,
    users public.hll,
    ms public.tdigest
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.hourly_log REPLICA IDENTITY FULL;


--
-- Name: TABLE hourly_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.hourly_log IS 'part of rollup shop.hourly';


--
-- Name: hourly_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.hourly_query AS
 SELECT date_trunc('hour'::text, visits.at) AS hour,
    visits.page,
    count(*) AS n,
    public.hll_agg((visits.visitor)::public.hashed) AS users,
    public.tdigest_agg(visits.ms) AS ms
   FROM shop.visits
  WHERE (visits.page <> '/3'::text)
  GROUP BY (date_trunc('hour'::text, visits.at)), visits.page;


--
-- Name: VIEW hourly_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.hourly_query IS 'part of rollup shop.hourly';


--
-- Name: hourly_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.hourly_rows (
    hour timestamp without time zone NOT NULL,
    page text,
    n bigint,
    users public.hll,
    ms public.tdigest
);

ALTER TABLE ONLY shop.hourly_rows REPLICA IDENTITY FULL;


--
-- Name: TABLE hourly_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.hourly_rows IS 'part of rollup shop.hourly';


--
-- Name: hourly_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.hourly_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen timestamp without time zone DEFAULT '-infinity'::timestamp without time zone NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.hourly'::regclass,
    query regclass DEFAULT 'shop.hourly_query'::regclass,
    log regclass DEFAULT 'shop.hourly_log'::regclass,
    rows regclass DEFAULT 'shop.hourly_rows'::regclass,
    fresh regclass DEFAULT 'shop.hourly_fresh'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    CONSTRAINT hourly_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.hourly_state REPLICA IDENTITY FULL;


--
-- Name: TABLE hourly_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.hourly_state IS 'part of rollup shop.hourly';


--
-- Name: means; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.means AS
SELECT
    NULL::date AS day,
    NULL::double precision AS mean,
    NULL::numeric AS spread;


--
-- Name: VIEW means; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.means IS 'rollup of shop.visits; SELECT rollup_refresh(''shop.means'')';


--
-- Name: means_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.means_fresh AS
SELECT
    NULL::date AS day,
    NULL::double precision AS mean_sum,
    NULL::bigint AS mean_count,
    NULL::bigint AS spread_sum,
    NULL::bigint AS spread_count,
    NULL::numeric AS spread_squares,
    NULL::bigint AS having_count;


--
-- Name: VIEW means_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.means_fresh IS 'part of rollup shop.means';


--
-- Name: means_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.means_log (
    mark smallint DEFAULT 0 NOT NULL,
    day date NOT NULL,
    mean_sum double precision,
    mean_count bigint,
    spread_sum bigint,
    spread_count bigint,
    spread_squares numeric,
    having_count bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.means_log REPLICA IDENTITY FULL;


--
-- Name: TABLE means_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.means_log IS 'part of rollup shop.means';


--
-- Name: means_parts; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.means_parts AS
SELECT
    NULL::date AS day,
    NULL::double precision AS mean_sum,
    NULL::bigint AS mean_count,
    NULL::bigint AS spread_sum,
    NULL::bigint AS spread_count,
    NULL::numeric AS spread_squares,
    NULL::bigint AS having_count;


--
-- Name: VIEW means_parts; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.means_parts IS 'part of rollup shop.means';


--
-- Name: means_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.means_query AS
 SELECT (visits.at)::date AS day,
    sum(visits.ms) AS mean_sum,
    count(visits.ms) AS mean_count,
    sum(visits.visitor) AS spread_sum,
    count(visits.visitor) AS spread_count,
    sum(((visits.visitor)::numeric * (visits.visitor)::numeric)) AS spread_squares,
    count(*) AS having_count
   FROM shop.visits
  GROUP BY ((visits.at)::date);


--
-- Name: VIEW means_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.means_query IS 'part of rollup shop.means';


--
-- Name: means_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.means_rows (
    day date NOT NULL,
    mean_sum double precision,
    mean_count bigint,
    spread_sum bigint,
    spread_count bigint,
    spread_squares numeric,
    having_count bigint
);


--
-- Name: TABLE means_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.means_rows IS 'part of rollup shop.means';


--
-- Name: means_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.means_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.means'::regclass,
    query regclass DEFAULT 'shop.means_query'::regclass,
    log regclass DEFAULT 'shop.means_log'::regclass,
    rows regclass DEFAULT 'shop.means_rows'::regclass,
    fresh regclass DEFAULT 'shop.means_fresh'::regclass,
    parts regclass DEFAULT 'shop.means_parts'::regclass,
    live regclass,
    filling regclass,
    CONSTRAINT means_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.means_state REPLICA IDENTITY FULL;


--
-- Name: TABLE means_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.means_state IS 'part of rollup shop.means';


--
-- Name: merged; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.merged AS
SELECT
    NULL::date AS day,
    NULL::integer AS visitor;


--
-- Name: VIEW merged; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.merged IS 'rollup of shop.visits; SELECT rollup_refresh(''shop.merged'')';


--
-- Name: merged_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.merged_fresh AS
SELECT
    NULL::date AS day,
    NULL::integer AS visitor;


--
-- Name: VIEW merged_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.merged_fresh IS 'part of rollup shop.merged';


--
-- Name: merged_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.merged_log (
    mark smallint DEFAULT 0 NOT NULL,
    day date NOT NULL,
    visitor integer
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.merged_log REPLICA IDENTITY FULL;


--
-- Name: TABLE merged_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.merged_log IS 'part of rollup shop.merged';


--
-- Name: merged_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.merged_query AS
 SELECT (visits.at)::date AS day,
    shop.most(visits.visitor) AS visitor
   FROM shop.visits
  GROUP BY ((visits.at)::date);


--
-- Name: VIEW merged_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.merged_query IS 'part of rollup shop.merged';


--
-- Name: merged_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.merged_rows (
    day date NOT NULL,
    visitor integer
);


--
-- Name: TABLE merged_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.merged_rows IS 'part of rollup shop.merged';


--
-- Name: merged_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.merged_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen date DEFAULT '-infinity'::date NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{"visitor": "shop.most"}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.merged'::regclass,
    query regclass DEFAULT 'shop.merged_query'::regclass,
    log regclass DEFAULT 'shop.merged_log'::regclass,
    rows regclass DEFAULT 'shop.merged_rows'::regclass,
    fresh regclass DEFAULT 'shop.merged_fresh'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    CONSTRAINT merged_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.merged_state REPLICA IDENTITY FULL;


--
-- Name: TABLE merged_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.merged_state IS 'part of rollup shop.merged';


--
-- Name: of_passing_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE UNLOGGED TABLE shop.of_passing_log (
    mark smallint DEFAULT 0 NOT NULL,
    k integer,
    v bigint
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.of_passing_log REPLICA IDENTITY FULL;


--
-- Name: TABLE of_passing_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.of_passing_log IS 'part of rollup shop.of_passing';


--
-- Name: passing; Type: TABLE; Schema: shop; Owner: -
--

CREATE UNLOGGED TABLE shop.passing (
    k integer,
    v integer
);


--
-- Name: of_passing_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.of_passing_query AS
 SELECT passing.k,
    sum(passing.v) AS v
   FROM shop.passing
  GROUP BY passing.k;


--
-- Name: VIEW of_passing_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.of_passing_query IS 'part of rollup shop.of_passing';


--
-- Name: of_passing_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE UNLOGGED TABLE shop.of_passing_rows (
    k integer,
    v bigint
);

ALTER TABLE ONLY shop.of_passing_rows REPLICA IDENTITY FULL;


--
-- Name: TABLE of_passing_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.of_passing_rows IS 'part of rollup shop.of_passing';


--
-- Name: of_passing_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.of_passing_fresh AS
 SELECT part.k,
    (sum(part.v))::bigint AS v
   FROM ( SELECT of_passing_log.k,
            of_passing_log.v
           FROM shop.of_passing_log
          WHERE (of_passing_log.mark = 0)
        UNION ALL
         SELECT of_passing_rows.k,
            of_passing_rows.v
           FROM shop.of_passing_rows
          WHERE ((ARRAY[of_passing_rows.k] IN ( SELECT ARRAY[of_passing_log.k] AS "array"
                   FROM shop.of_passing_log
                  WHERE ((of_passing_log.mark = 0) AND public._rollup_hashed(of_passing_log.mark)))) IS TRUE)) part
  WHERE (((ARRAY[part.k] IN ( SELECT ARRAY[of_passing_log.k] AS "array"
           FROM shop.of_passing_log
          WHERE ((of_passing_log.mark = 1) AND public._rollup_hashed(of_passing_log.mark)))) IS NOT TRUE) AND (( SELECT (EXISTS ( SELECT
                   FROM shop.of_passing_log
                  WHERE (of_passing_log.mark = 2))) AS "exists") IS NOT TRUE))
  GROUP BY part.k
UNION ALL
( WITH list(k) AS MATERIALIZED (
         SELECT ARRAY[of_passing_log.k] AS "array"
           FROM shop.of_passing_log
          WHERE ((of_passing_log.mark = 1) AND public._rollup_hashed(of_passing_log.mark))
        )
 SELECT marked.k,
    marked.v
   FROM ( SELECT passing.k,
            sum(passing.v) AS v
           FROM shop.passing
          WHERE ((ARRAY[passing.k] IN ( SELECT list.k
                   FROM list)) IS TRUE)
          GROUP BY passing.k
         HAVING ( SELECT (EXISTS ( SELECT list.k
                           FROM list)) AS "exists")) marked
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.of_passing_log
                  WHERE (of_passing_log.mark = 2))) AS "exists") IS NOT TRUE))
UNION ALL
 SELECT of_passing_query.k,
    of_passing_query.v
   FROM shop.of_passing_query
  WHERE ( SELECT (EXISTS ( SELECT
                   FROM shop.of_passing_log
                  WHERE (of_passing_log.mark = 2))) AS "exists");


--
-- Name: VIEW of_passing_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.of_passing_fresh IS 'part of rollup shop.of_passing';


--
-- Name: of_passing; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.of_passing AS
 SELECT of_passing_rows.k,
    of_passing_rows.v
   FROM shop.of_passing_rows
  WHERE (((ARRAY[of_passing_rows.k] IN ( SELECT ARRAY[of_passing_log.k] AS "array"
           FROM shop.of_passing_log
          WHERE (((of_passing_log.mark = 0) OR (of_passing_log.mark = 1)) AND public._rollup_hashed(of_passing_log.mark)))) IS NOT TRUE) AND (( SELECT (EXISTS ( SELECT
                   FROM shop.of_passing_log
                  WHERE (of_passing_log.mark = 2))) AS "exists") IS NOT TRUE))
UNION ALL
 SELECT of_passing_fresh.k,
    of_passing_fresh.v
   FROM shop.of_passing_fresh;


--
-- Name: VIEW of_passing; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.of_passing IS 'rollup of shop.passing; SELECT rollup_refresh(''shop.of_passing'')';


--
-- Name: of_passing_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.of_passing_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.of_passing'::regclass,
    query regclass DEFAULT 'shop.of_passing_query'::regclass,
    log regclass DEFAULT 'shop.of_passing_log'::regclass,
    rows regclass DEFAULT 'shop.of_passing_rows'::regclass,
    fresh regclass DEFAULT 'shop.of_passing_fresh'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    CONSTRAINT of_passing_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.of_passing_state REPLICA IDENTITY FULL;


--
-- Name: TABLE of_passing_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.of_passing_state IS 'part of rollup shop.of_passing';


--
-- Name: weekly; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.weekly AS
SELECT
    NULL::timestamp without time zone AS week,
    NULL::numeric AS n,
    NULL::public.hll AS users;


--
-- Name: VIEW weekly; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.weekly IS 'rollup of shop.hourly; SELECT rollup_refresh(''shop.weekly'')';


--
-- Name: weekly_flow; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.weekly_flow AS
SELECT
    NULL::smallint AS mark,
    NULL::timestamp without time zone AS week,
    NULL::numeric AS n,
    NULL::public.hll AS users;


--
-- Name: VIEW weekly_flow; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.weekly_flow IS 'part of rollup shop.weekly';


--
-- Name: weekly_log; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.weekly_log (
    mark smallint DEFAULT 0 NOT NULL,
    week timestamp without time zone NOT NULL,
    n numeric,
    users public.hll
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='10000');

ALTER TABLE ONLY shop.weekly_log REPLICA IDENTITY FULL;


--
-- Name: TABLE weekly_log; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.weekly_log IS 'part of rollup shop.weekly';


--
-- Name: weekly_changes; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.weekly_changes AS
 SELECT weekly_log.mark,
    weekly_log.week,
    weekly_log.n,
    weekly_log.users
   FROM shop.weekly_log
UNION ALL
 SELECT weekly_flow.mark,
    weekly_flow.week,
    weekly_flow.n,
    weekly_flow.users
   FROM shop.weekly_flow;


--
-- Name: VIEW weekly_changes; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.weekly_changes IS 'part of rollup shop.weekly';


--
-- Name: weekly_fresh; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.weekly_fresh AS
SELECT
    NULL::timestamp without time zone AS week,
    NULL::numeric AS n,
    NULL::public.hll AS users;


--
-- Name: VIEW weekly_fresh; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.weekly_fresh IS 'part of rollup shop.weekly';


--
-- Name: weekly_late; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.weekly_late AS
SELECT
    NULL::timestamp without time zone AS week,
    NULL::numeric AS n,
    NULL::public.hll AS users;


--
-- Name: VIEW weekly_late; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.weekly_late IS 'part of rollup shop.weekly';


--
-- Name: weekly_query; Type: VIEW; Schema: shop; Owner: -
--

CREATE VIEW shop.weekly_query AS
 SELECT date_trunc('week'::text, hourly.hour) AS week,
    sum(hourly.n) AS n,
    public.hll_union_agg(hourly.users) AS users
   FROM shop.hourly
  GROUP BY (date_trunc('week'::text, hourly.hour));


--
-- Name: VIEW weekly_query; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON VIEW shop.weekly_query IS 'part of rollup shop.weekly';


--
-- Name: weekly_rows; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.weekly_rows (
    week timestamp without time zone NOT NULL,
    n numeric,
    users public.hll
);


--
-- Name: TABLE weekly_rows; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.weekly_rows IS 'part of rollup shop.weekly';


--
-- Name: weekly_state; Type: TABLE; Schema: shop; Owner: -
--

CREATE TABLE shop.weekly_state (
    id integer DEFAULT 1 NOT NULL,
    form integer DEFAULT 1 NOT NULL,
    frozen timestamp without time zone DEFAULT '-infinity'::timestamp without time zone NOT NULL,
    refreshed timestamp with time zone,
    restored boolean DEFAULT false NOT NULL,
    stored boolean DEFAULT false NOT NULL,
    merge jsonb DEFAULT '{}'::jsonb NOT NULL,
    each_row boolean DEFAULT false NOT NULL,
    distributed boolean DEFAULT false NOT NULL,
    followed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    missed text[] DEFAULT ARRAY[]::text[] NOT NULL,
    secret uuid DEFAULT gen_random_uuid() NOT NULL,
    use_rollup_drop regclass DEFAULT 'shop.weekly'::regclass,
    query regclass DEFAULT 'shop.weekly_query'::regclass,
    log regclass DEFAULT 'shop.weekly_log'::regclass,
    rows regclass DEFAULT 'shop.weekly_rows'::regclass,
    fresh regclass DEFAULT 'shop.weekly_fresh'::regclass,
    late regclass DEFAULT 'shop.weekly_late'::regclass,
    parts regclass,
    live regclass,
    filling regclass,
    flow regclass DEFAULT 'shop.weekly_flow'::regclass,
    changes regclass DEFAULT 'shop.weekly_changes'::regclass,
    below regclass DEFAULT 'shop.hourly_state'::regclass,
    CONSTRAINT weekly_state_id_check CHECK ((id = 1))
);

ALTER TABLE ONLY shop.weekly_state REPLICA IDENTITY FULL;


--
-- Name: TABLE weekly_state; Type: COMMENT; Schema: shop; Owner: -
--

COMMENT ON TABLE shop.weekly_state IS 'part of rollup shop.weekly';


--
-- Name: hits_1; Type: TABLE ATTACH; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.hits ATTACH PARTITION shop.hits_1 FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');


--
-- Name: hits_2; Type: TABLE ATTACH; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.hits ATTACH PARTITION shop.hits_2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');


--
-- Data for Name: Odd "Rollup_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop."Odd ""Rollup_log" (mark, "the day", "the ""count") FROM stdin;
4	infinity	\N
0	2026-01-01	1
\.


--
-- Data for Name: Odd "Rollup_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop."Odd ""Rollup_rows" ("the day", "the ""count") FROM stdin;
2026-01-01	4
2026-01-02	4
2026-01-03	4
2026-01-04	4
2026-01-05	4
\.


--
-- Data for Name: Odd "Rollup_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop."Odd ""Rollup_state" (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, use_rollup_drop, query, log, rows, fresh, parts, live, filling) FROM stdin;
1	1	-infinity	2026-11-29 10:34:29.086153+00	f	t	{}	f	f	{17765,"shop.\\"Odd \\"\\"Table\\""}	{}	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: Odd "Table; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop."Odd ""Table" ("the day", "Wert") FROM stdin;
2026-01-02	1
2026-01-03	2
2026-01-04	3
2026-01-05	4
2026-01-01	5
2026-01-02	6
2026-01-03	7
2026-01-04	8
2026-01-05	9
2026-01-01	10
2026-01-02	11
2026-01-03	12
2026-01-04	13
2026-01-05	14
2026-01-01	15
2026-01-02	16
2026-01-03	17
2026-01-04	18
2026-01-05	19
2026-01-01	20
2026-01-01	9
\.


--
-- Data for Name: by_row_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.by_row_log (mark, day, v) FROM stdin;
4	infinity	\N
0	2026-01-01	7
0	2026-01-04	7
1	2026-01-05	\N
1	2026-01-05	\N
1	2026-01-05	\N
\.


--
-- Data for Name: by_row_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.by_row_rows (day, v) FROM stdin;
2026-01-01	378
2026-01-02	857
2026-01-03	486
2026-01-04	765
2026-01-05	174
\.


--
-- Data for Name: by_row_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.by_row_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, use_rollup_drop, query, log, rows, fresh, parts, live, filling) FROM stdin;
1	1	-infinity	2026-11-29 10:34:29.364584+00	f	t	{}	t	f	{17730,shop.visits}	{}	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: by_section_joined; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.by_section_joined (dimension, xid, key1) FROM stdin;
1	775	/2
1	775	/2
\.


--
-- Data for Name: by_section_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.by_section_log (mark, rollup_seen, day, section, n) FROM stdin;
4	\N	infinity	\N	\N
0	776	2026-01-04	b	1
0	776	2026-01-01	b	1
1	\N	2026-01-05	\N	\N
\.


--
-- Data for Name: by_section_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.by_section_rows (day, section, n) FROM stdin;
2026-01-01	a	13
2026-01-01	b	7
2026-01-01	\N	7
2026-01-02	a	14
2026-01-02	b	7
2026-01-02	\N	6
2026-01-03	a	13
2026-01-03	b	7
2026-01-03	\N	7
2026-01-04	a	14
2026-01-04	b	6
2026-01-04	\N	7
2026-01-05	a	6
2026-01-05	b	3
2026-01-05	\N	3
\.


--
-- Data for Name: by_section_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.by_section_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, secret, use_rollup_drop, query, log, rows, fresh, parts, live, filling, folded, joined, touched, written) FROM stdin;
1	1	-infinity	2026-11-29 10:34:29.65577+00	f	t	{}	f	f	{17730,shop.visits}	{}	8f67d2a7-33dd-4772-8d09-6d6e0d831fcb	\N	\N	\N	\N	\N	\N	\N	\N	766	\N	\N	\N
\.


--
-- Data for Name: changed_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.changed_log (mark, day, page, n, visitors, users) FROM stdin;
4	infinity	\N	\N	\N	\N
0	2026-01-04	/1	1	7	AQEAAA0AAQABAAAAAAAAAAHBAHk=
0	2026-01-01	/1	1	7	AQEAAA0AAQABAAAAAAAAAAHBAHk=
1	2026-01-05	/2	\N	\N	\N
\.


--
-- Data for Name: changed_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.changed_rows (day, page, n, visitors, users) FROM stdin;
2026-01-01	/0	6	\N	\N
2026-01-01	/1	7	\N	\N
2026-01-01	/2	7	\N	\N
2026-01-01	/3	7	\N	\N
2026-01-02	/0	7	\N	\N
2026-01-02	/1	7	\N	\N
2026-01-02	/2	7	\N	\N
2026-01-02	/3	6	\N	\N
2026-01-03	/0	7	\N	\N
2026-01-03	/1	7	\N	\N
2026-01-03	/2	6	\N	\N
2026-01-03	/3	7	\N	\N
2026-01-04	/0	7	\N	\N
2026-01-04	/1	6	\N	\N
2026-01-04	/2	7	\N	\N
2026-01-04	/3	7	\N	\N
2026-01-05	/0	3	\N	\N
2026-01-05	/1	3	\N	\N
2026-01-05	/2	3	\N	\N
2026-01-05	/3	3	\N	\N
\.


--
-- Data for Name: changed_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.changed_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, use_rollup_drop, query, log, rows, fresh, parts, live, filling, since, stale, unfilled) FROM stdin;
1	1	2026-01-03	2026-11-29 10:34:32.886738+00	f	t	{}	f	f	{17730,shop.visits}	{}	\N	\N	\N	\N	\N	\N	\N	\N	{"users": "2026-01-03", "visitors": "2026-01-03"}	\N	infinity
\.


--
-- Data for Name: child; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.child (at, x) FROM stdin;
2026-01-02	1
2026-01-03	2
2026-01-04	3
2026-01-05	4
2026-01-01	5
2026-01-02	6
2026-01-03	7
2026-01-04	8
2026-01-05	9
2026-01-01	10
2026-01-02	11
2026-01-03	12
2026-01-04	13
2026-01-05	14
2026-01-01	15
2026-01-02	16
2026-01-03	17
2026-01-04	18
2026-01-05	19
2026-01-01	20
2026-01-01	100
\.


--
-- Data for Name: daily_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.daily_log (mark, at, page, n, s) FROM stdin;
4	infinity	\N	\N	\N
1	2026-01-07	/2	\N	\N
1	2026-01-03	/2	\N	\N
1	2026-01-09	/2	\N	\N
1	2026-01-04	/2	\N	\N
1	2026-01-06	/2	\N	\N
1	2026-01-01	/2	\N	\N
0	2026-02-11	/9	1	8
\.


--
-- Data for Name: daily_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.daily_rows (at, page, n, s) FROM stdin;
2026-01-01	/2	1	118
2026-01-02	/0	1	120
2026-01-02	/1	1	2
2026-01-03	/1	1	122
2026-01-03	/2	1	4
2026-01-04	/0	1	6
2026-01-04	/2	1	124
2026-01-05	/0	1	126
2026-01-05	/1	1	8
2026-01-06	/1	1	128
2026-01-06	/2	1	10
2026-01-07	/0	1	12
2026-01-07	/2	1	130
2026-01-08	/0	1	132
2026-01-08	/1	1	14
2026-01-09	/1	1	134
2026-01-09	/2	1	16
2026-01-10	/0	1	18
2026-01-10	/2	1	136
2026-01-11	/0	1	138
2026-01-11	/1	1	20
2026-01-12	/1	1	140
2026-01-12	/2	1	22
2026-01-13	/0	1	24
2026-01-13	/2	1	142
2026-01-14	/0	1	144
2026-01-14	/1	1	26
2026-01-15	/1	1	146
2026-01-15	/2	1	28
2026-01-16	/0	1	30
2026-01-16	/2	1	148
2026-01-17	/0	1	150
2026-01-17	/1	1	32
2026-01-18	/1	1	152
2026-01-18	/2	1	34
2026-01-19	/0	1	36
2026-01-19	/2	1	154
2026-01-20	/0	1	156
2026-01-20	/1	1	38
2026-01-21	/1	1	158
2026-01-21	/2	1	40
2026-01-22	/0	1	42
2026-01-22	/2	1	160
2026-01-23	/0	1	162
2026-01-23	/1	1	44
2026-01-24	/1	1	164
2026-01-24	/2	1	46
2026-01-25	/0	1	48
2026-01-25	/2	1	166
2026-01-26	/0	1	168
2026-01-26	/1	1	50
2026-01-27	/1	1	170
2026-01-27	/2	1	52
2026-01-28	/0	1	54
2026-01-28	/2	1	172
2026-01-29	/0	1	174
2026-01-29	/1	1	56
2026-01-30	/1	1	176
2026-01-30	/2	1	58
2026-01-31	/0	1	60
2026-01-31	/2	1	178
2026-02-01	/0	1	180
2026-02-01	/1	1	62
2026-02-02	/2	1	64
2026-02-03	/0	1	66
2026-02-04	/1	1	68
2026-02-05	/2	1	70
2026-02-06	/0	1	72
2026-02-07	/1	1	74
2026-02-08	/2	1	76
2026-02-09	/0	1	78
2026-02-10	/1	1	80
2026-02-11	/2	1	82
2026-02-12	/0	1	84
2026-02-13	/1	1	86
2026-02-14	/2	1	88
2026-02-15	/0	1	90
2026-02-16	/1	1	92
2026-02-17	/2	1	94
2026-02-18	/0	1	96
2026-02-19	/1	1	98
2026-02-20	/2	1	100
2026-02-21	/0	1	102
2026-02-22	/1	1	104
2026-02-23	/2	1	106
2026-02-24	/0	1	108
2026-02-25	/1	1	110
2026-02-26	/2	1	112
2026-02-27	/0	1	114
2026-02-28	/1	1	116
\.


--
-- Data for Name: daily_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.daily_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, secret, use_rollup_drop, query, log, rows, fresh, late, parts, live, filling) FROM stdin;
1	1	-infinity	2026-11-29 10:34:30.316951+00	f	t	{}	f	f	{17735,shop.hits,17739,shop.hits_1,17745,shop.hits_2}	{}	9e0bed69-7d1c-4181-bdc1-e5425cfb3770	\N	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: followed_by_row_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.followed_by_row_log (mark, at, n) FROM stdin;
4	infinity	\N
1	2026-01-03	\N
1	2026-01-06	\N
1	2026-01-09	\N
1	2026-01-01	\N
1	2026-01-04	\N
1	2026-01-07	\N
0	2026-02-11	1
\.


--
-- Data for Name: followed_by_row_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.followed_by_row_rows (at, n) FROM stdin;
2026-01-01	1
2026-01-02	2
2026-01-03	2
2026-01-04	2
2026-01-05	2
2026-01-06	2
2026-01-07	2
2026-01-08	2
2026-01-09	2
2026-01-10	2
2026-01-11	2
2026-01-12	2
2026-01-13	2
2026-01-14	2
2026-01-15	2
2026-01-16	2
2026-01-17	2
2026-01-18	2
2026-01-19	2
2026-01-20	2
2026-01-21	2
2026-01-22	2
2026-01-23	2
2026-01-24	2
2026-01-25	2
2026-01-26	2
2026-01-27	2
2026-01-28	2
2026-01-29	2
2026-01-30	2
2026-01-31	2
2026-02-01	2
2026-02-02	1
2026-02-03	1
2026-02-04	1
2026-02-05	1
2026-02-06	1
2026-02-07	1
2026-02-08	1
2026-02-09	1
2026-02-10	1
2026-02-11	1
2026-02-12	1
2026-02-13	1
2026-02-14	1
2026-02-15	1
2026-02-16	1
2026-02-17	1
2026-02-18	1
2026-02-19	1
2026-02-20	1
2026-02-21	1
2026-02-22	1
2026-02-23	1
2026-02-24	1
2026-02-25	1
2026-02-26	1
2026-02-27	1
2026-02-28	1
\.


--
-- Data for Name: followed_by_row_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.followed_by_row_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, secret, use_rollup_drop, query, log, rows, fresh, late, parts, live, filling) FROM stdin;
1	1	-infinity	2026-11-29 10:34:30.58566+00	f	t	{}	t	f	{17735,shop.hits,17739,shop.hits_1,17745,shop.hits_2}	{}	b1867566-b9e8-4f77-813c-0d4e01ab8f1c	\N	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: heirs_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.heirs_log (mark, at, x) FROM stdin;
4	infinity	\N
0	2026-01-01	100
\.


--
-- Data for Name: heirs_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.heirs_rows (at, x) FROM stdin;
2026-01-01	100
2026-01-02	68
2026-01-03	76
2026-01-04	84
2026-01-05	92
\.


--
-- Data for Name: heirs_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.heirs_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, use_rollup_drop, query, log, rows, fresh, parts, live, filling) FROM stdin;
1	1	-infinity	2026-11-29 10:34:30.918381+00	f	t	{}	f	f	{17756,shop.parent,17759,shop.child}	{}	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: hits_1; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.hits_1 (at, page, n) FROM stdin;
2026-01-02	/1	1
2026-01-04	/0	3
2026-01-05	/1	4
2026-01-07	/0	6
2026-01-08	/1	7
2026-01-10	/0	9
2026-01-11	/1	10
2026-01-12	/2	11
2026-01-13	/0	12
2026-01-14	/1	13
2026-01-15	/2	14
2026-01-16	/0	15
2026-01-17	/1	16
2026-01-18	/2	17
2026-01-19	/0	18
2026-01-20	/1	19
2026-01-21	/2	20
2026-01-22	/0	21
2026-01-23	/1	22
2026-01-24	/2	23
2026-01-25	/0	24
2026-01-26	/1	25
2026-01-27	/2	26
2026-01-28	/0	27
2026-01-29	/1	28
2026-01-30	/2	29
2026-01-31	/0	30
2026-01-02	/0	60
2026-01-03	/1	61
2026-01-05	/0	63
2026-01-06	/1	64
2026-01-08	/0	66
2026-01-09	/1	67
2026-01-10	/2	68
2026-01-11	/0	69
2026-01-12	/1	70
2026-01-13	/2	71
2026-01-14	/0	72
2026-01-15	/1	73
2026-01-16	/2	74
2026-01-17	/0	75
2026-01-18	/1	76
2026-01-19	/2	77
2026-01-20	/0	78
2026-01-21	/1	79
2026-01-22	/2	80
2026-01-23	/0	81
2026-01-24	/1	82
2026-01-25	/2	83
2026-01-26	/0	84
2026-01-27	/1	85
2026-01-28	/2	86
2026-01-29	/0	87
2026-01-30	/1	88
2026-01-31	/2	89
\.


--
-- Data for Name: hits_2; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.hits_2 (n, page, at) FROM stdin;
31	/1	2026-02-01
32	/2	2026-02-02
33	/0	2026-02-03
34	/1	2026-02-04
35	/2	2026-02-05
36	/0	2026-02-06
37	/1	2026-02-07
38	/2	2026-02-08
39	/0	2026-02-09
40	/1	2026-02-10
41	/2	2026-02-11
42	/0	2026-02-12
43	/1	2026-02-13
44	/2	2026-02-14
45	/0	2026-02-15
46	/1	2026-02-16
47	/2	2026-02-17
48	/0	2026-02-18
49	/1	2026-02-19
50	/2	2026-02-20
51	/0	2026-02-21
52	/1	2026-02-22
53	/2	2026-02-23
54	/0	2026-02-24
55	/1	2026-02-25
56	/2	2026-02-26
57	/0	2026-02-27
58	/1	2026-02-28
90	/0	2026-02-01
4	/9	2026-02-11
\.


--
-- Data for Name: hourly_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.hourly_log (mark, hour, page, n, users, ms) FROM stdin;
4	infinity	\N	\N	\N	\N
0	2026-01-01 00:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAAHBAHk=	AgEAAMgAAQABAAAAAAAAAAAAAAAAABxAAQ==
0	2026-01-04 00:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAAHBAHk=	AgEAAMgAAQABAAAAAAAAAAAAAAAAABxAAQ==
1	2026-01-05 08:00:00	/2	\N	\N	\N
1	2026-01-05 04:00:00	/2	\N	\N	\N
1	2026-01-05 01:00:00	/2	\N	\N	\N
\.


--
-- Data for Name: hourly_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.hourly_rows (hour, page, n, users, ms) FROM stdin;
2026-01-01 00:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAAUd3Qc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAPA/AQ==
2026-01-01 01:00:00	/2	1	AQEAAA0AAQABAAAAAAAAABR0XAM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAABAAQ==
2026-01-01 03:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAIQxXgA=	AgEAAMgAAQABAAAAAAAAAAAAAAAAABBAAQ==
2026-01-01 04:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAKnuSwU=	AgEAAMgAAQABAAAAAAAAAAAAAAAAABRAAQ==
2026-01-01 05:00:00	/2	1	AQEAAA0AAQABAAAAAAAAALE35AE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAABhAAQ==
2026-01-01 07:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAHX2pQE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACBAAQ==
2026-01-01 07:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAC4x2R4=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACJAAQ==
2026-01-01 08:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAM0rMg8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACRAAQ==
2026-01-01 10:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAIGY8wc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAChAAQ==
2026-01-01 11:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAPhrVgM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACpAAQ==
2026-01-01 12:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAPrs7Q8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACxAAQ==
2026-01-01 14:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAAarPwY=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADBAAQ==
2026-01-01 15:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAMWmAQM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADFAAQ==
2026-01-01 15:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAH17sfgA	AgEAAMgAAQABAAAAAAAAAAAAAAAAADJAAQ==
2026-01-01 17:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAA7ZXw8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADRAAQ==
2026-01-01 18:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAH0pOgE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADVAAQ==
2026-01-01 19:00:00	/2	1	AQEAAA0AAQABAAAAAAAAANziCgE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADZAAQ==
2026-01-01 21:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAMJXvQA=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADhAAQ==
2026-01-01 22:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAKGS1Bk=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADlAAQ==
2026-01-01 22:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAMUWMwk=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADpAAQ==
2026-01-02 00:00:00	/0	1	AQEAAA0AAQABAAAAAAAAALJ0nnw=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADxAAQ==
2026-01-02 01:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAOEstA0=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAD1AAQ==
2026-01-02 02:00:00	/2	1	AQEAAA0AAQABAAAAAAAAADInhAE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAD5AAQ==
2026-01-02 04:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAOIi/Qc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEBAAQ==
2026-01-02 05:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAE4uRgY=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgEBAAQ==
2026-01-02 06:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAFVcnQ4=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEFAAQ==
2026-01-02 07:00:00	/0	1	AQEAAA0AAQABAAAAAAAAACH//Xo=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEJAAQ==
2026-01-02 08:00:00	/1	1	AQEAAA0AAQABAAAAAAAAACFAqQ0=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgEJAAQ==
2026-01-02 09:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAMWuRgw=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAENAAQ==
2026-01-02 11:00:00	/0	1	AQEAAA0AAQABAAAAAAAAABwnqQM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAERAAQ==
2026-01-02 12:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAFEmggI=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgERAAQ==
2026-01-02 13:00:00	/2	1	AQEAAA0AAQABAAAAAAAAABk4RBg=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEVAAQ==
2026-01-02 14:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAPGgCQY=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEZAAQ==
2026-01-02 15:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAGHjWAM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgEZAAQ==
2026-01-02 16:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAFUF+gc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEdAAQ==
2026-01-02 18:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAOKdJww=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEhAAQ==
2026-01-02 19:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAOl9qXk=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgEhAAQ==
2026-01-02 20:00:00	/2	1	AQEAAA0AAQABAAAAAAAAALqqWwE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAElAAQ==
2026-01-02 21:00:00	/0	1	AQEAAA0AAQABAAAAAAAAABR0XAM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEpAAQ==
2026-01-02 22:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAAmRcfsB	AgEAAMgAAQABAAAAAAAAAAAAAAAAgEpAAQ==
2026-01-02 23:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAIQxXgA=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAEtAAQ==
2026-01-03 01:00:00	/0	1	AQEAAA0AAQABAAAAAAAAALE35AE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAExAAQ==
2026-01-03 02:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAAHBAHk=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgExAAQ==
2026-01-03 03:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAHX2pQE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAE1AAQ==
2026-01-03 05:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAM0rMg8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAE5AAQ==
2026-01-03 05:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAHncwAU=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgE5AAQ==
2026-01-03 06:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAIGY8wc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAE9AAQ==
2026-01-03 08:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAPrs7Q8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFBAAQ==
2026-01-03 09:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAJmhugA=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFBAAQ==
2026-01-03 10:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAAarPwY=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFBAAQ==
2026-01-03 12:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAH17sfgA	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFFAAQ==
2026-01-03 12:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAGmVCR4=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFFAAQ==
2026-01-03 13:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAA7ZXw8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFFAAQ==
2026-01-03 15:00:00	/0	1	AQEAAA0AAQABAAAAAAAAANziCgE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFJAAQ==
2026-01-03 16:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAF0DjAE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFJAAQ==
2026-01-03 17:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAMJXvQA=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFJAAQ==
2026-01-03 19:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAMUWMwk=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFNAAQ==
2026-01-03 20:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAOXm/Rw=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFNAAQ==
2026-01-03 20:00:00	/2	1	AQEAAA0AAQABAAAAAAAAALJ0nnw=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFNAAQ==
2026-01-03 22:00:00	/0	1	AQEAAA0AAQABAAAAAAAAADInhAE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFRAAQ==
2026-01-03 23:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAPyalgM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFRAAQ==
2026-01-04 00:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAOIi/Qc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFRAAQ==
2026-01-04 02:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAFVcnQ4=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFVAAQ==
2026-01-04 03:00:00	/1	1	AQEAAA0AAQABAAAAAAAAALnQHAE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFVAAQ==
2026-01-04 03:00:00	/2	1	AQEAAA0AAQABAAAAAAAAACH//Xo=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFVAAQ==
2026-01-04 05:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAMWuRgw=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFZAAQ==
2026-01-04 06:00:00	/1	1	AQEAAA0AAQABAAAAAAAAALUScQU=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFZAAQ==
2026-01-04 07:00:00	/2	1	AQEAAA0AAQABAAAAAAAAABwnqQM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFZAAQ==
2026-01-04 09:00:00	/0	1	AQEAAA0AAQABAAAAAAAAABk4RBg=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFdAAQ==
2026-01-04 10:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAEUvVjk=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFdAAQ==
2026-01-04 11:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAPGgCQY=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFdAAQ==
2026-01-04 12:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAFUF+gc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAFhAAQ==
2026-01-04 13:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAMDnkAE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAQFhAAQ==
2026-01-04 14:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAOKdJww=	AgEAAMgAAQABAAAAAAAAAAAAAAAAgFhAAQ==
2026-01-04 16:00:00	/0	1	AQEAAA0AAQABAAAAAAAAALqqWwE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAAAAAQ==
2026-01-04 17:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAAUd3Qc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAPA/AQ==
2026-01-04 18:00:00	/2	1	AQEAAA0AAQABAAAAAAAAABR0XAM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAABAAQ==
2026-01-04 19:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAIQxXgA=	AgEAAMgAAQABAAAAAAAAAAAAAAAAABBAAQ==
2026-01-04 20:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAKnuSwU=	AgEAAMgAAQABAAAAAAAAAAAAAAAAABRAAQ==
2026-01-04 21:00:00	/2	1	AQEAAA0AAQABAAAAAAAAALE35AE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAABhAAQ==
2026-01-04 23:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAHX2pQE=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACBAAQ==
2026-01-05 00:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAC4x2R4=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACJAAQ==
2026-01-05 01:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAM0rMg8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACRAAQ==
2026-01-05 02:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAIGY8wc=	AgEAAMgAAQABAAAAAAAAAAAAAAAAAChAAQ==
2026-01-05 03:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAPhrVgM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACpAAQ==
2026-01-05 04:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAPrs7Q8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAACxAAQ==
2026-01-05 06:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAAarPwY=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADBAAQ==
2026-01-05 07:00:00	/1	1	AQEAAA0AAQABAAAAAAAAAMWmAQM=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADFAAQ==
2026-01-05 08:00:00	/2	1	AQEAAA0AAQABAAAAAAAAAH17sfgA	AgEAAMgAAQABAAAAAAAAAAAAAAAAADJAAQ==
2026-01-05 10:00:00	/0	1	AQEAAA0AAQABAAAAAAAAAA7ZXw8=	AgEAAMgAAQABAAAAAAAAAAAAAAAAADRAAQ==
\.


--
-- Data for Name: hourly_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.hourly_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, use_rollup_drop, query, log, rows, fresh, parts, live, filling) FROM stdin;
1	1	2026-01-03 00:00:00	2026-11-29 10:34:33.253007+00	f	t	{}	f	f	{17730,shop.visits}	{}	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: means_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.means_log (mark, day, mean_sum, mean_count, spread_sum, spread_count, spread_squares, having_count) FROM stdin;
4	infinity	\N	\N	\N	\N	\N	\N
0	2026-01-04	7	1	7	1	49	1
0	2026-01-01	7	1	7	1	49	1
1	2026-01-05	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: means_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.means_rows (day, mean_sum, mean_count, spread_sum, spread_count, spread_squares, having_count) FROM stdin;
2026-01-01	378	27	378	27	6930	27
2026-01-02	1107	27	857	27	33525	27
2026-01-03	1836	27	486	27	10386	27
2026-01-04	1665	27	765	27	30213	27
2026-01-05	174	12	174	12	2666	12
\.


--
-- Data for Name: means_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.means_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, use_rollup_drop, query, log, rows, fresh, parts, live, filling) FROM stdin;
1	1	-infinity	2026-11-29 10:34:31.483427+00	f	t	{}	f	f	{17730,shop.visits}	{}	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: merged_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.merged_log (mark, day, visitor) FROM stdin;
4	infinity	\N
0	2026-01-04	7
0	2026-01-01	7
1	2026-01-05	\N
\.


--
-- Data for Name: merged_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.merged_rows (day, visitor) FROM stdin;
2026-01-01	27
2026-01-02	49
2026-01-03	31
2026-01-04	49
2026-01-05	20
\.


--
-- Data for Name: merged_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.merged_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, use_rollup_drop, query, log, rows, fresh, parts, live, filling) FROM stdin;
1	1	-infinity	2026-11-29 10:34:31.723263+00	f	t	{"visitor": "shop.most"}	f	f	{17730,shop.visits}	{}	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: of_passing_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.of_passing_log (mark, k, v) FROM stdin;
4	\N	\N
1	1	\N
\.


--
-- Data for Name: of_passing_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.of_passing_rows (k, v) FROM stdin;
0	165
2	155
1	145
\.


--
-- Data for Name: of_passing_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.of_passing_state (id, form, refreshed, restored, stored, merge, each_row, distributed, followed, missed, use_rollup_drop, query, log, rows, fresh, parts, live, filling) FROM stdin;
1	1	2026-11-29 10:34:31.988761+00	f	t	{}	f	f	{17762,shop.passing}	{}	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: pages; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.pages (page, section) FROM stdin;
/0	a
/1	b
/2	c
\.


--
-- Data for Name: parent; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.parent (at, x) FROM stdin;
2026-01-02	1
2026-01-03	2
2026-01-04	3
2026-01-05	4
2026-01-01	5
2026-01-02	6
2026-01-03	7
2026-01-04	8
2026-01-05	9
2026-01-01	10
2026-01-02	11
2026-01-03	12
2026-01-04	13
2026-01-05	14
2026-01-01	15
2026-01-02	16
2026-01-03	17
2026-01-04	18
2026-01-05	19
2026-01-01	20
\.


--
-- Data for Name: passing; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.passing (k, v) FROM stdin;
2	2
0	3
2	5
0	6
2	8
0	9
2	11
0	12
2	14
0	15
2	17
0	18
2	20
0	21
2	23
0	24
2	26
0	27
2	29
0	30
1	0
1	0
1	0
1	0
1	0
1	0
1	0
1	0
1	0
1	0
\.


--
-- Data for Name: visits; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.visits (at, page, visitor, ms) FROM stdin;
2026-01-01 00:53:00	/1	1	1
2026-01-01 01:46:00	/2	2	2
2026-01-01 02:39:00	/3	3	3
2026-01-01 03:32:00	/0	4	4
2026-01-01 04:25:00	/1	5	5
2026-01-01 05:18:00	/2	6	6
2026-01-01 06:11:00	/3	7	7
2026-01-01 07:04:00	/0	8	8
2026-01-01 07:57:00	/1	9	9
2026-01-01 08:50:00	/2	10	10
2026-01-01 09:43:00	/3	11	11
2026-01-01 10:36:00	/0	12	12
2026-01-01 11:29:00	/1	13	13
2026-01-01 12:22:00	/2	14	14
2026-01-01 13:15:00	/3	15	15
2026-01-01 14:08:00	/0	16	16
2026-01-01 15:01:00	/1	17	17
2026-01-01 15:54:00	/2	18	18
2026-01-01 16:47:00	/3	19	19
2026-01-01 17:40:00	/0	20	20
2026-01-01 18:33:00	/1	21	21
2026-01-01 19:26:00	/2	22	22
2026-01-01 20:19:00	/3	23	23
2026-01-01 21:12:00	/0	24	24
2026-01-01 22:05:00	/1	25	25
2026-01-01 22:58:00	/2	26	26
2026-01-01 23:51:00	/3	27	27
2026-01-02 00:44:00	/0	28	28
2026-01-02 01:37:00	/1	29	29
2026-01-02 02:30:00	/2	30	30
2026-01-02 03:23:00	/3	31	31
2026-01-02 04:16:00	/0	32	32
2026-01-02 05:09:00	/1	33	33
2026-01-02 06:02:00	/2	34	34
2026-01-02 06:55:00	/3	35	35
2026-01-02 07:48:00	/0	36	36
2026-01-02 08:41:00	/1	37	37
2026-01-02 09:34:00	/2	38	38
2026-01-02 10:27:00	/3	39	39
2026-01-02 11:20:00	/0	40	40
2026-01-02 12:13:00	/1	41	41
2026-01-02 13:06:00	/2	42	42
2026-01-02 13:59:00	/3	43	43
2026-01-02 14:52:00	/0	44	44
2026-01-02 15:45:00	/1	45	45
2026-01-02 16:38:00	/2	46	46
2026-01-02 17:31:00	/3	47	47
2026-01-02 18:24:00	/0	48	48
2026-01-02 19:17:00	/1	49	49
2026-01-02 20:10:00	/2	0	50
2026-01-02 21:03:00	/3	1	51
2026-01-02 21:56:00	/0	2	52
2026-01-02 22:49:00	/1	3	53
2026-01-02 23:42:00	/2	4	54
2026-01-03 00:35:00	/3	5	55
2026-01-03 01:28:00	/0	6	56
2026-01-03 02:21:00	/1	7	57
2026-01-03 03:14:00	/2	8	58
2026-01-03 04:07:00	/3	9	59
2026-01-03 05:00:00	/0	10	60
2026-01-03 05:53:00	/1	11	61
2026-01-03 06:46:00	/2	12	62
2026-01-03 07:39:00	/3	13	63
2026-01-03 08:32:00	/0	14	64
2026-01-03 09:25:00	/1	15	65
2026-01-03 10:18:00	/2	16	66
2026-01-03 11:11:00	/3	17	67
2026-01-03 12:04:00	/0	18	68
2026-01-03 12:57:00	/1	19	69
2026-01-03 13:50:00	/2	20	70
2026-01-03 14:43:00	/3	21	71
2026-01-03 15:36:00	/0	22	72
2026-01-03 16:29:00	/1	23	73
2026-01-03 17:22:00	/2	24	74
2026-01-03 18:15:00	/3	25	75
2026-01-03 19:08:00	/0	26	76
2026-01-03 20:01:00	/1	27	77
2026-01-03 20:54:00	/2	28	78
2026-01-03 21:47:00	/3	29	79
2026-01-03 22:40:00	/0	30	80
2026-01-03 23:33:00	/1	31	81
2026-01-04 00:26:00	/2	32	82
2026-01-04 01:19:00	/3	33	83
2026-01-04 02:12:00	/0	34	84
2026-01-04 03:05:00	/1	35	85
2026-01-04 03:58:00	/2	36	86
2026-01-04 04:51:00	/3	37	87
2026-01-04 05:44:00	/0	38	88
2026-01-04 06:37:00	/1	39	89
2026-01-04 07:30:00	/2	40	90
2026-01-04 08:23:00	/3	41	91
2026-01-04 09:16:00	/0	42	92
2026-01-04 10:09:00	/1	43	93
2026-01-04 11:02:00	/2	44	94
2026-01-04 11:55:00	/3	45	95
2026-01-04 12:48:00	/0	46	96
2026-01-04 13:41:00	/1	47	97
2026-01-04 14:34:00	/2	48	98
2026-01-04 15:27:00	/3	49	99
2026-01-04 16:20:00	/0	0	0
2026-01-04 17:13:00	/1	1	1
2026-01-04 18:06:00	/2	2	2
2026-01-04 18:59:00	/3	3	3
2026-01-04 19:52:00	/0	4	4
2026-01-04 20:45:00	/1	5	5
2026-01-04 21:38:00	/2	6	6
2026-01-04 22:31:00	/3	7	7
2026-01-04 23:24:00	/0	8	8
2026-01-05 00:17:00	/1	9	9
2026-01-05 02:03:00	/3	11	11
2026-01-05 02:56:00	/0	12	12
2026-01-05 03:49:00	/1	13	13
2026-01-05 05:35:00	/3	15	15
2026-01-05 06:28:00	/0	16	16
2026-01-05 07:21:00	/1	17	17
2026-01-05 09:07:00	/3	19	19
2026-01-05 10:00:00	/0	20	20
2026-01-01 00:30:00	/1	7	7
2026-01-04 00:30:00	/1	7	7
\.


--
-- Data for Name: weekly_log; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.weekly_log (mark, week, n, users) FROM stdin;
4	infinity	\N	\N
\.


--
-- Data for Name: weekly_rows; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.weekly_rows (week, n, users) FROM stdin;
2025-12-29 00:00:00	81	AQEAAA0AMgAyAAAAAAAAAIt33i46ad5lCL4Q4+41Ftv3Pgbj8SFHYPa/0bCHNGj9BxeY+yvrNA4Eo082u3uwCcIo3ruYhl7zrZJPu2yofQ6TZNqHedwHzmBk40oc5AJ+GdQVYz7THY6XS7GGKH0e6t4djb2f9HTYyXNRW/Hv93bUPgTnbvGB00BStLXgwOwq5iszHheNuAC8bHf2vGfa58Qrvj1LzWYA
2026-01-05 00:00:00	9	AQEAAA0ACQAJAAAAAAAAAG+w+iuKYeaUdfos2hLLPuEYMbT6m7QC5QmFMGnZggE=
\.


--
-- Data for Name: weekly_state; Type: TABLE DATA; Schema: shop; Owner: -
--

COPY shop.weekly_state (id, form, frozen, refreshed, restored, stored, merge, each_row, distributed, followed, missed, secret, use_rollup_drop, query, log, rows, fresh, late, parts, live, filling, flow, changes, below) FROM stdin;
1	1	-infinity	2026-11-29 10:34:32.516172+00	f	t	{}	f	f	{17773,shop.hourly_rows}	{}	3b5e5a1d-cf16-4369-9860-ca2f00fa5ac7	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Name: Odd "Rollup_rows Odd "Rollup_rows_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop."Odd ""Rollup_rows"
    ADD CONSTRAINT "Odd ""Rollup_rows_pkey" PRIMARY KEY ("the day");


--
-- Name: Odd "Rollup_state Odd "Rollup_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop."Odd ""Rollup_state"
    ADD CONSTRAINT "Odd ""Rollup_state_pkey" PRIMARY KEY (id);


--
-- Name: by_row_rows by_row_rows_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.by_row_rows
    ADD CONSTRAINT by_row_rows_pkey PRIMARY KEY (day);


--
-- Name: by_row_state by_row_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.by_row_state
    ADD CONSTRAINT by_row_state_pkey PRIMARY KEY (id);


--
-- Name: by_section_state by_section_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.by_section_state
    ADD CONSTRAINT by_section_state_pkey PRIMARY KEY (id);


--
-- Name: changed_state changed_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.changed_state
    ADD CONSTRAINT changed_state_pkey PRIMARY KEY (id);


--
-- Name: daily_state daily_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.daily_state
    ADD CONSTRAINT daily_state_pkey PRIMARY KEY (id);


--
-- Name: followed_by_row_rows followed_by_row_rows_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.followed_by_row_rows
    ADD CONSTRAINT followed_by_row_rows_pkey PRIMARY KEY (at);


--
-- Name: followed_by_row_state followed_by_row_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.followed_by_row_state
    ADD CONSTRAINT followed_by_row_state_pkey PRIMARY KEY (id);


--
-- Name: heirs_rows heirs_rows_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.heirs_rows
    ADD CONSTRAINT heirs_rows_pkey PRIMARY KEY (at);


--
-- Name: heirs_state heirs_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.heirs_state
    ADD CONSTRAINT heirs_state_pkey PRIMARY KEY (id);


--
-- Name: hourly_state hourly_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.hourly_state
    ADD CONSTRAINT hourly_state_pkey PRIMARY KEY (id);


--
-- Name: means_rows means_rows_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.means_rows
    ADD CONSTRAINT means_rows_pkey PRIMARY KEY (day);


--
-- Name: means_state means_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.means_state
    ADD CONSTRAINT means_state_pkey PRIMARY KEY (id);


--
-- Name: merged_rows merged_rows_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.merged_rows
    ADD CONSTRAINT merged_rows_pkey PRIMARY KEY (day);


--
-- Name: merged_state merged_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.merged_state
    ADD CONSTRAINT merged_state_pkey PRIMARY KEY (id);


--
-- Name: of_passing_state of_passing_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.of_passing_state
    ADD CONSTRAINT of_passing_state_pkey PRIMARY KEY (id);


--
-- Name: pages pages_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (page);


--
-- Name: weekly_rows weekly_rows_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.weekly_rows
    ADD CONSTRAINT weekly_rows_pkey PRIMARY KEY (week);


--
-- Name: weekly_state weekly_state_pkey; Type: CONSTRAINT; Schema: shop; Owner: -
--

ALTER TABLE ONLY shop.weekly_state
    ADD CONSTRAINT weekly_state_pkey PRIMARY KEY (id);


--
-- Name: Odd "Rollup_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX "Odd ""Rollup_log_mark_idx" ON shop."Odd ""Rollup_log" USING btree (mark) WHERE (mark > 0);


--
-- Name: by_row_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX by_row_log_mark_idx ON shop.by_row_log USING btree (mark) WHERE (mark > 0);


--
-- Name: by_section_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX by_section_log_mark_idx ON shop.by_section_log USING btree (mark) WHERE (mark > 0);


--
-- Name: by_section_rows_day_array_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE UNIQUE INDEX by_section_rows_day_array_idx ON shop.by_section_rows USING btree (day, (ARRAY[section]));


--
-- Name: changed_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX changed_log_mark_idx ON shop.changed_log USING btree (mark) WHERE (mark > 0);


--
-- Name: changed_rows_day_array_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE UNIQUE INDEX changed_rows_day_array_idx ON shop.changed_rows USING btree (day, (ARRAY[page]));


--
-- Name: daily_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX daily_log_mark_idx ON shop.daily_log USING btree (mark) WHERE (mark > 0);


--
-- Name: daily_rows_at_array_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE UNIQUE INDEX daily_rows_at_array_idx ON shop.daily_rows USING btree (at, (ARRAY[page]));


--
-- Name: followed_by_row_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX followed_by_row_log_mark_idx ON shop.followed_by_row_log USING btree (mark) WHERE (mark > 0);


--
-- Name: heirs_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX heirs_log_mark_idx ON shop.heirs_log USING btree (mark) WHERE (mark > 0);


--
-- Name: hourly_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX hourly_log_mark_idx ON shop.hourly_log USING btree (mark) WHERE (mark > 0);


--
-- Name: hourly_rows_date_trunc_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX hourly_rows_date_trunc_idx ON shop.hourly_rows USING btree (date_trunc('week'::text, hour)) WHERE ('shop.weekly_state'::regclass IS NOT NULL);


--
-- Name: hourly_rows_hour_array_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE UNIQUE INDEX hourly_rows_hour_array_idx ON shop.hourly_rows USING btree (hour, (ARRAY[page]));


--
-- Name: means_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX means_log_mark_idx ON shop.means_log USING btree (mark) WHERE (mark > 0);


--
-- Name: merged_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX merged_log_mark_idx ON shop.merged_log USING btree (mark) WHERE (mark > 0);


--
-- Name: of_passing_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX of_passing_log_mark_idx ON shop.of_passing_log USING btree (mark) WHERE (mark > 0);


--
-- Name: of_passing_rows_array_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE UNIQUE INDEX of_passing_rows_array_idx ON shop.of_passing_rows USING btree ((ARRAY[k]));


--
-- Name: weekly_log_mark_idx; Type: INDEX; Schema: shop; Owner: -
--

CREATE INDEX weekly_log_mark_idx ON shop.weekly_log USING btree (mark) WHERE (mark > 0);


--
-- Name: Odd "Rollup _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop."Odd ""Rollup" AS
 SELECT "Odd ""Rollup_rows"."the day",
    "Odd ""Rollup_rows"."the ""count"
   FROM shop."Odd ""Rollup_rows"
  WHERE ((("Odd ""Rollup_rows"."the day" IN ( SELECT "Odd ""Rollup_log"."the day"
           FROM shop."Odd ""Rollup_log"
          WHERE ((("Odd ""Rollup_log".mark = 0) OR (("Odd ""Rollup_log".mark = 1) AND ("Odd ""Rollup_log"."the day" >= COALESCE(( SELECT "Odd ""Rollup_state".frozen
                   FROM shop."Odd ""Rollup_state"), '-infinity'::date)))) AND public._rollup_hashed("Odd ""Rollup_log".mark)))) IS NOT TRUE) AND ((("Odd ""Rollup_rows"."the day" >= COALESCE(( SELECT "Odd ""Rollup_state".frozen
           FROM shop."Odd ""Rollup_state"), '-infinity'::date)) AND ("Odd ""Rollup_rows"."the day" <= ( SELECT "Odd ""Rollup_log"."the day"
           FROM shop."Odd ""Rollup_log"
          WHERE ("Odd ""Rollup_log".mark = 2)
          ORDER BY "Odd ""Rollup_log"."the day" DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT "Odd ""Rollup_fresh"."the day",
    "Odd ""Rollup_fresh"."the ""count"
   FROM shop."Odd ""Rollup_fresh";


--
-- Name: Odd "Rollup_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop."Odd ""Rollup_fresh" AS
 SELECT part."the day",
    (sum(part."the ""count"))::bigint AS "the ""count"
   FROM ( SELECT "Odd ""Rollup_log"."the day",
            "Odd ""Rollup_log"."the ""count"
           FROM shop."Odd ""Rollup_log"
          WHERE ("Odd ""Rollup_log".mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT "Odd ""Rollup_log"."the day"
                   FROM shop."Odd ""Rollup_log"
                  WHERE ("Odd ""Rollup_log".mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT "Odd ""Rollup_rows"."the day",
            "Odd ""Rollup_rows"."the ""count"
           FROM shop."Odd ""Rollup_rows"
          WHERE ((("Odd ""Rollup_rows"."the day" = ANY (ARRAY( SELECT lookups."the day"
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR (("Odd ""Rollup_rows"."the day" >= ( SELECT lookups."the day"
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups."the day"
                 LIMIT 1)) AND ("Odd ""Rollup_rows"."the day" <= ( SELECT lookups."the day"
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups."the day" DESC
                 LIMIT 1)))) AND (("Odd ""Rollup_rows"."the day" IN ( SELECT "Odd ""Rollup_log"."the day"
                   FROM shop."Odd ""Rollup_log"
                  WHERE (("Odd ""Rollup_log".mark = 0) AND public._rollup_hashed("Odd ""Rollup_log".mark)))) IS TRUE)))) part
  WHERE (((part."the day" IN ( SELECT "Odd ""Rollup_log"."the day"
           FROM shop."Odd ""Rollup_log"
          WHERE (("Odd ""Rollup_log".mark = 1) AND ("Odd ""Rollup_log"."the day" >= COALESCE(( SELECT "Odd ""Rollup_state".frozen
                   FROM shop."Odd ""Rollup_state"), '-infinity'::date)) AND public._rollup_hashed("Odd ""Rollup_log".mark)))) IS NOT TRUE) AND (((part."the day" >= COALESCE(( SELECT "Odd ""Rollup_state".frozen
           FROM shop."Odd ""Rollup_state"), '-infinity'::date)) AND (part."the day" <= ( SELECT "Odd ""Rollup_log"."the day"
           FROM shop."Odd ""Rollup_log"
          WHERE ("Odd ""Rollup_log".mark = 2)
          ORDER BY "Odd ""Rollup_log"."the day" DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part."the day"
UNION ALL
( WITH list("the day") AS MATERIALIZED (
         SELECT "Odd ""Rollup_log"."the day"
           FROM shop."Odd ""Rollup_log"
          WHERE (("Odd ""Rollup_log".mark = 1) AND ("Odd ""Rollup_log"."the day" >= COALESCE(( SELECT "Odd ""Rollup_state".frozen
                   FROM shop."Odd ""Rollup_state"), '-infinity'::date)) AND public._rollup_hashed("Odd ""Rollup_log".mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list."the day"
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked."the day",
    marked."the ""count"
   FROM ( SELECT "Odd ""Table"."the day",
            count("Odd ""Table"."Wert") AS "the ""count"
           FROM shop."Odd ""Table"
          WHERE (("Odd ""Table"."the day" IN ( SELECT list."the day"
                   FROM list)) IS TRUE)
          GROUP BY "Odd ""Table"."the day"
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND ("Odd ""Table"."the day" = ANY (ARRAY( SELECT lookups."the day"
                   FROM lookups))))
        UNION ALL
         SELECT "Odd ""Table"."the day",
            count("Odd ""Table"."Wert") AS "the ""count"
           FROM shop."Odd ""Table"
          WHERE (("Odd ""Table"."the day" IN ( SELECT list."the day"
                   FROM list)) IS TRUE)
          GROUP BY "Odd ""Table"."the day"
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND (("Odd ""Table"."the day" >= ( SELECT lookups."the day"
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups."the day"
                 LIMIT 1)) AND ("Odd ""Table"."the day" <= ( SELECT lookups."the day"
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups."the day" DESC
                 LIMIT 1))))) marked
  WHERE (((marked."the day" >= COALESCE(( SELECT "Odd ""Rollup_state".frozen
           FROM shop."Odd ""Rollup_state"), '-infinity'::date)) AND (marked."the day" <= ( SELECT "Odd ""Rollup_log"."the day"
           FROM shop."Odd ""Rollup_log"
          WHERE ("Odd ""Rollup_log".mark = 2)
          ORDER BY "Odd ""Rollup_log"."the day" DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT "Odd ""Rollup_query"."the day",
    "Odd ""Rollup_query"."the ""count"
   FROM shop."Odd ""Rollup_query"
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop."Odd ""Rollup_log"
                  WHERE ("Odd ""Rollup_log".mark = 2))) AS "exists") AND (("Odd ""Rollup_query"."the day" >= COALESCE(( SELECT "Odd ""Rollup_state".frozen
           FROM shop."Odd ""Rollup_state"), '-infinity'::date)) AND ("Odd ""Rollup_query"."the day" <= ( SELECT "Odd ""Rollup_log"."the day"
           FROM shop."Odd ""Rollup_log"
          WHERE ("Odd ""Rollup_log".mark = 2)
          ORDER BY "Odd ""Rollup_log"."the day" DESC
         LIMIT 1))));


--
-- Name: by_row _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.by_row AS
 SELECT by_row_rows.day,
    by_row_rows.v
   FROM shop.by_row_rows
  WHERE (((by_row_rows.day IN ( SELECT by_row_log.day
           FROM shop.by_row_log
          WHERE (((by_row_log.mark = 0) OR ((by_row_log.mark = 1) AND (by_row_log.day >= COALESCE(( SELECT by_row_state.frozen
                   FROM shop.by_row_state), '-infinity'::date)))) AND public._rollup_hashed(by_row_log.mark)))) IS NOT TRUE) AND (((by_row_rows.day >= COALESCE(( SELECT by_row_state.frozen
           FROM shop.by_row_state), '-infinity'::date)) AND (by_row_rows.day <= ( SELECT by_row_log.day
           FROM shop.by_row_log
          WHERE (by_row_log.mark = 2)
          ORDER BY by_row_log.day DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT by_row_fresh.day,
    by_row_fresh.v
   FROM shop.by_row_fresh;


--
-- Name: by_row_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.by_row_fresh AS
 SELECT part.day,
    (sum(part.v))::bigint AS v
   FROM ( SELECT by_row_log.day,
            by_row_log.v
           FROM shop.by_row_log
          WHERE (by_row_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT by_row_log.day
                   FROM shop.by_row_log
                  WHERE (by_row_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT by_row_rows.day,
            by_row_rows.v
           FROM shop.by_row_rows
          WHERE (((by_row_rows.day = ANY (ARRAY( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((by_row_rows.day >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND (by_row_rows.day <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1)))) AND ((by_row_rows.day IN ( SELECT by_row_log.day
                   FROM shop.by_row_log
                  WHERE ((by_row_log.mark = 0) AND public._rollup_hashed(by_row_log.mark)))) IS TRUE)))) part
  WHERE (((part.day IN ( SELECT by_row_log.day
           FROM shop.by_row_log
          WHERE ((by_row_log.mark = 1) AND (by_row_log.day >= COALESCE(( SELECT by_row_state.frozen
                   FROM shop.by_row_state), '-infinity'::date)) AND public._rollup_hashed(by_row_log.mark)))) IS NOT TRUE) AND (((part.day >= COALESCE(( SELECT by_row_state.frozen
           FROM shop.by_row_state), '-infinity'::date)) AND (part.day <= ( SELECT by_row_log.day
           FROM shop.by_row_log
          WHERE (by_row_log.mark = 2)
          ORDER BY by_row_log.day DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.day
UNION ALL
( WITH list(day) AS MATERIALIZED (
         SELECT by_row_log.day
           FROM shop.by_row_log
          WHERE ((by_row_log.mark = 1) AND (by_row_log.day >= COALESCE(( SELECT by_row_state.frozen
                   FROM shop.by_row_state), '-infinity'::date)) AND public._rollup_hashed(by_row_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.day
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.day,
    marked.v
   FROM ( SELECT (visits.at)::date AS day,
            sum(visits.visitor) AS v
           FROM shop.visits
          WHERE (((visits.at)::date IN ( SELECT list.day
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date)
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND ((visits.at)::date = ANY (ARRAY( SELECT lookups.day
                   FROM lookups))))
        UNION ALL
         SELECT (visits.at)::date AS day,
            sum(visits.visitor) AS v
           FROM shop.visits
          WHERE (((visits.at)::date IN ( SELECT list.day
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date)
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND (((visits.at)::date >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND ((visits.at)::date <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1))))) marked
  WHERE (((marked.day >= COALESCE(( SELECT by_row_state.frozen
           FROM shop.by_row_state), '-infinity'::date)) AND (marked.day <= ( SELECT by_row_log.day
           FROM shop.by_row_log
          WHERE (by_row_log.mark = 2)
          ORDER BY by_row_log.day DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT by_row_query.day,
    by_row_query.v
   FROM shop.by_row_query
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.by_row_log
                  WHERE (by_row_log.mark = 2))) AS "exists") AND ((by_row_query.day >= COALESCE(( SELECT by_row_state.frozen
           FROM shop.by_row_state), '-infinity'::date)) AND (by_row_query.day <= ( SELECT by_row_log.day
           FROM shop.by_row_log
          WHERE (by_row_log.mark = 2)
          ORDER BY by_row_log.day DESC
         LIMIT 1))));


--
-- Name: by_section _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.by_section AS
 SELECT by_section_rows.day,
    by_section_rows.section,
    by_section_rows.n
   FROM shop.by_section_rows
  WHERE ((((by_section_rows.day, ARRAY[by_section_rows.section]) IN ( SELECT by_section_log.day,
            ARRAY[by_section_log.section] AS "array"
           FROM shop.by_section_log
          WHERE ((by_section_log.mark = 0) AND public._rollup_hashed(by_section_log.mark)))) IS NOT TRUE) AND ((by_section_rows.day IN ( SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE ((by_section_log.mark = 1) AND (by_section_log.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date)) AND public._rollup_hashed(by_section_log.mark))
        UNION ALL
         SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE ((by_section_log.rollup_seen <= ( SELECT by_section_state.folded
                   FROM shop.by_section_state)) AND (by_section_log.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date)) AND public._rollup_hashed(by_section_log.mark))
        UNION ALL
         SELECT touched.day
           FROM public._rollup_touched('shop.by_section_state'::regclass, ( SELECT by_section_state.secret
                   FROM shop.by_section_state)) touched(day date)
          WHERE (( SELECT (EXISTS ( SELECT
                           FROM shop.by_section_joined)) AS "exists") AND (touched.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date))))) IS NOT TRUE) AND (((by_section_rows.day >= COALESCE(( SELECT by_section_state.frozen
           FROM shop.by_section_state), '-infinity'::date)) AND (by_section_rows.day <= ( SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE (by_section_log.mark = 2)
          ORDER BY by_section_log.day DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT by_section_fresh.day,
    by_section_fresh.section,
    by_section_fresh.n
   FROM shop.by_section_fresh;


--
-- Name: by_section_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.by_section_fresh AS
 SELECT part.day,
    part.section,
    (sum(part.n))::bigint AS n
   FROM ( SELECT by_section_log.day,
            by_section_log.section,
            by_section_log.n
           FROM shop.by_section_log
          WHERE (by_section_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT by_section_log.day
                   FROM shop.by_section_log
                  WHERE (by_section_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT by_section_rows.day,
            by_section_rows.section,
            by_section_rows.n
           FROM shop.by_section_rows
          WHERE (((by_section_rows.day = ANY (ARRAY( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((by_section_rows.day >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND (by_section_rows.day <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1)))) AND (((by_section_rows.day, ARRAY[by_section_rows.section]) IN ( SELECT by_section_log.day,
                    ARRAY[by_section_log.section] AS "array"
                   FROM shop.by_section_log
                  WHERE ((by_section_log.mark = 0) AND public._rollup_hashed(by_section_log.mark)))) IS TRUE)))) part
  WHERE (((part.day IN ( SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE ((by_section_log.mark = 1) AND (by_section_log.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date)) AND public._rollup_hashed(by_section_log.mark))
        UNION ALL
         SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE ((by_section_log.rollup_seen <= ( SELECT by_section_state.folded
                   FROM shop.by_section_state)) AND (by_section_log.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date)) AND public._rollup_hashed(by_section_log.mark))
        UNION ALL
         SELECT touched.day
           FROM public._rollup_touched('shop.by_section_state'::regclass, ( SELECT by_section_state.secret
                   FROM shop.by_section_state)) touched(day date)
          WHERE (( SELECT (EXISTS ( SELECT
                           FROM shop.by_section_joined)) AS "exists") AND (touched.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date))))) IS NOT TRUE) AND (((part.day >= COALESCE(( SELECT by_section_state.frozen
           FROM shop.by_section_state), '-infinity'::date)) AND (part.day <= ( SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE (by_section_log.mark = 2)
          ORDER BY by_section_log.day DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.day, part.section
UNION ALL
( WITH list(day) AS MATERIALIZED (
         SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE ((by_section_log.mark = 1) AND (by_section_log.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date)) AND public._rollup_hashed(by_section_log.mark))
        UNION ALL
         SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE ((by_section_log.rollup_seen <= ( SELECT by_section_state.folded
                   FROM shop.by_section_state)) AND (by_section_log.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date)) AND public._rollup_hashed(by_section_log.mark))
        UNION ALL
         SELECT touched.day
           FROM public._rollup_touched('shop.by_section_state'::regclass, ( SELECT by_section_state.secret
                   FROM shop.by_section_state)) touched(day date)
          WHERE (( SELECT (EXISTS ( SELECT
                           FROM shop.by_section_joined)) AS "exists") AND (touched.day >= COALESCE(( SELECT by_section_state.frozen
                   FROM shop.by_section_state), '-infinity'::date)))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.day
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.day,
    marked.section,
    marked.n
   FROM ( SELECT (visits.at)::date AS day,
            pages.section,
            count(*) AS n
           FROM (shop.visits visits
             LEFT JOIN shop.pages pages ON ((visits.page = pages.page)))
          WHERE (((visits.at)::date IN ( SELECT list.day
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date), pages.section
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND ((visits.at)::date = ANY (ARRAY( SELECT lookups.day
                   FROM lookups))))
        UNION ALL
         SELECT (visits.at)::date AS day,
            pages.section,
            count(*) AS n
           FROM (shop.visits visits
             LEFT JOIN shop.pages pages ON ((visits.page = pages.page)))
          WHERE (((visits.at)::date IN ( SELECT list.day
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date), pages.section
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND (((visits.at)::date >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND ((visits.at)::date <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1))))) marked
  WHERE (((marked.day >= COALESCE(( SELECT by_section_state.frozen
           FROM shop.by_section_state), '-infinity'::date)) AND (marked.day <= ( SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE (by_section_log.mark = 2)
          ORDER BY by_section_log.day DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT by_section_query.day,
    by_section_query.section,
    by_section_query.n
   FROM shop.by_section_query
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.by_section_log
                  WHERE (by_section_log.mark = 2))) AS "exists") AND ((by_section_query.day >= COALESCE(( SELECT by_section_state.frozen
           FROM shop.by_section_state), '-infinity'::date)) AND (by_section_query.day <= ( SELECT by_section_log.day
           FROM shop.by_section_log
          WHERE (by_section_log.mark = 2)
          ORDER BY by_section_log.day DESC
         LIMIT 1))));


--
-- Name: changed _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.changed AS
 SELECT s.day,
    s.page,
    s.n,
        CASE
            WHEN ((s.day >= COALESCE(( SELECT changed_state.frozen
               FROM shop.changed_state), '-infinity'::date)) AND (s.day <= ( SELECT changed_state.unfilled
               FROM shop.changed_state))) THEN a.visitors
            ELSE s.visitors
        END AS visitors,
        CASE
            WHEN ((s.day >= COALESCE(( SELECT changed_state.frozen
               FROM shop.changed_state), '-infinity'::date)) AND (s.day <= ( SELECT changed_state.unfilled
               FROM shop.changed_state))) THEN a.users
            ELSE s.users
        END AS users
   FROM (shop.changed_live s
     LEFT JOIN shop.changed_filling a ON (((a.rollup_1 = s.day) AND (a.rollup_2 = ARRAY[s.page]))));


--
-- Name: changed_filling _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.changed_filling AS
 SELECT (visits.at)::date AS rollup_1,
    ARRAY[visits.page] AS rollup_2,
    sum(visits.visitor) AS visitors,
    public.hll_agg((visits.visitor)::public.hashed) AS users
   FROM shop.visits
  WHERE (((visits.at)::date >= COALESCE(( SELECT changed_state.frozen
           FROM shop.changed_state), '-infinity'::date)) AND ((visits.at)::date <= ( SELECT changed_state.unfilled
           FROM shop.changed_state)))
  GROUP BY ((visits.at)::date), ARRAY[visits.page]
 HAVING ( SELECT (EXISTS ( SELECT
                   FROM shop.changed_state
                  WHERE (changed_state.unfilled IS NOT NULL))) AS "exists");


--
-- Name: changed_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.changed_fresh AS
 SELECT part.day,
    part.page,
    (sum(part.n))::bigint AS n,
        CASE
            WHEN (part.day >= '2026-01-03'::date) THEN (sum(part.visitors))::bigint
            ELSE NULL::bigint
        END AS visitors,
        CASE
            WHEN (part.day >= '2026-01-03'::date) THEN public.hll_union_agg(part.users)
            ELSE NULL::public.hll
        END AS users
   FROM ( SELECT changed_log.day,
            changed_log.page,
            changed_log.n,
            changed_log.visitors,
            changed_log.users
           FROM shop.changed_log
          WHERE (changed_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT changed_log.day
                   FROM shop.changed_log
                  WHERE (changed_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT changed_rows.day,
            changed_rows.page,
            changed_rows.n,
            changed_rows.visitors,
            changed_rows.users
           FROM shop.changed_rows
          WHERE (((changed_rows.day = ANY (ARRAY( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((changed_rows.day >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND (changed_rows.day <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1)))) AND (((changed_rows.day, ARRAY[changed_rows.page]) IN ( SELECT changed_log.day,
                    ARRAY[changed_log.page] AS "array"
                   FROM shop.changed_log
                  WHERE ((changed_log.mark = 0) AND public._rollup_hashed(changed_log.mark)))) IS TRUE)))) part
  WHERE ((((part.day, ARRAY[part.page]) IN ( SELECT changed_log.day,
            ARRAY[changed_log.page] AS "array"
           FROM shop.changed_log
          WHERE ((changed_log.mark = 1) AND (changed_log.day >= COALESCE(( SELECT changed_state.frozen
                   FROM shop.changed_state), '-infinity'::date)) AND public._rollup_hashed(changed_log.mark)))) IS NOT TRUE) AND (((part.day >= COALESCE(( SELECT changed_state.frozen
           FROM shop.changed_state), '-infinity'::date)) AND (part.day <= GREATEST(( SELECT changed_state.stale
           FROM shop.changed_state), ( SELECT changed_log.day
           FROM shop.changed_log
          WHERE (changed_log.mark = 2)
          ORDER BY changed_log.day DESC
         LIMIT 1)))) IS NOT TRUE))
  GROUP BY part.day, part.page
UNION ALL
( WITH list(day, page) AS MATERIALIZED (
         SELECT changed_log.day,
            ARRAY[changed_log.page] AS "array"
           FROM shop.changed_log
          WHERE ((changed_log.mark = 1) AND (changed_log.day >= COALESCE(( SELECT changed_state.frozen
                   FROM shop.changed_state), '-infinity'::date)) AND public._rollup_hashed(changed_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.day
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.day,
    marked.page,
    marked.n,
    marked.visitors,
    marked.users
   FROM ( SELECT (visits.at)::date AS day,
            visits.page,
            count(*) AS n,
            sum(visits.visitor) AS visitors,
            public.hll_agg((visits.visitor)::public.hashed) AS users
           FROM shop.visits
          WHERE ((((visits.at)::date, ARRAY[visits.page]) IN ( SELECT list.day,
                    list.page
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date), visits.page
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND ((visits.at)::date = ANY (ARRAY( SELECT lookups.day
                   FROM lookups))))
        UNION ALL
         SELECT (visits.at)::date AS day,
            visits.page,
            count(*) AS n,
            sum(visits.visitor) AS visitors,
            public.hll_agg((visits.visitor)::public.hashed) AS users
           FROM shop.visits
          WHERE ((((visits.at)::date, ARRAY[visits.page]) IN ( SELECT list.day,
                    list.page
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date), visits.page
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND (((visits.at)::date >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND ((visits.at)::date <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1))))) marked
  WHERE (((marked.day >= COALESCE(( SELECT changed_state.frozen
           FROM shop.changed_state), '-infinity'::date)) AND (marked.day <= GREATEST(( SELECT changed_state.stale
           FROM shop.changed_state), ( SELECT changed_log.day
           FROM shop.changed_log
          WHERE (changed_log.mark = 2)
          ORDER BY changed_log.day DESC
         LIMIT 1)))) IS NOT TRUE))
UNION ALL
 SELECT changed_query.day,
    changed_query.page,
    changed_query.n,
    changed_query.visitors,
    changed_query.users
   FROM shop.changed_query
  WHERE (( SELECT ((EXISTS ( SELECT
                   FROM shop.changed_log
                  WHERE (changed_log.mark = 2))) OR (EXISTS ( SELECT
                   FROM shop.changed_state
                  WHERE (changed_state.stale IS NOT NULL))))) AND ((changed_query.day >= COALESCE(( SELECT changed_state.frozen
           FROM shop.changed_state), '-infinity'::date)) AND (changed_query.day <= GREATEST(( SELECT changed_state.stale
           FROM shop.changed_state), ( SELECT changed_log.day
           FROM shop.changed_log
          WHERE (changed_log.mark = 2)
          ORDER BY changed_log.day DESC
         LIMIT 1)))));


--
-- Name: changed_live _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.changed_live AS
 SELECT changed_rows.day,
    changed_rows.page,
    changed_rows.n,
    changed_rows.visitors,
    changed_rows.users
   FROM shop.changed_rows
  WHERE ((((changed_rows.day, ARRAY[changed_rows.page]) IN ( SELECT changed_log.day,
            ARRAY[changed_log.page] AS "array"
           FROM shop.changed_log
          WHERE (((changed_log.mark = 0) OR ((changed_log.mark = 1) AND (changed_log.day >= COALESCE(( SELECT changed_state.frozen
                   FROM shop.changed_state), '-infinity'::date)))) AND public._rollup_hashed(changed_log.mark)))) IS NOT TRUE) AND (((changed_rows.day >= COALESCE(( SELECT changed_state.frozen
           FROM shop.changed_state), '-infinity'::date)) AND (changed_rows.day <= GREATEST(( SELECT changed_state.stale
           FROM shop.changed_state), ( SELECT changed_log.day
           FROM shop.changed_log
          WHERE (changed_log.mark = 2)
          ORDER BY changed_log.day DESC
         LIMIT 1)))) IS NOT TRUE))
UNION ALL
 SELECT changed_fresh.day,
    changed_fresh.page,
    changed_fresh.n,
    changed_fresh.visitors,
    changed_fresh.users
   FROM shop.changed_fresh;


--
-- Name: daily _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.daily AS
 SELECT daily_rows.at,
    daily_rows.page,
    daily_rows.n,
    daily_rows.s
   FROM shop.daily_rows
  WHERE ((((daily_rows.at, ARRAY[daily_rows.page]) IN ( SELECT daily_log.at,
            ARRAY[daily_log.page] AS "array"
           FROM shop.daily_log
          WHERE (((daily_log.mark = 0) OR ((daily_log.mark = 1) AND (daily_log.at >= COALESCE(( SELECT daily_state.frozen
                   FROM shop.daily_state), '-infinity'::date)))) AND public._rollup_hashed(daily_log.mark)))) IS NOT TRUE) AND (((daily_rows.at >= COALESCE(( SELECT daily_state.frozen
           FROM shop.daily_state), '-infinity'::date)) AND (daily_rows.at <= ( SELECT daily_log.at
           FROM shop.daily_log
          WHERE (daily_log.mark = 2)
          ORDER BY daily_log.at DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT daily_fresh.at,
    daily_fresh.page,
    daily_fresh.n,
    daily_fresh.s
   FROM shop.daily_fresh;


--
-- Name: daily_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.daily_fresh AS
 SELECT part.at,
    part.page,
    (sum(part.n))::bigint AS n,
    (sum(part.s))::bigint AS s
   FROM ( SELECT daily_log.at,
            daily_log.page,
            daily_log.n,
            daily_log.s
           FROM shop.daily_log
          WHERE (daily_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT daily_log.at
                   FROM shop.daily_log
                  WHERE (daily_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT daily_rows.at,
            daily_rows.page,
            daily_rows.n,
            daily_rows.s
           FROM shop.daily_rows
          WHERE (((daily_rows.at = ANY (ARRAY( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((daily_rows.at >= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at
                 LIMIT 1)) AND (daily_rows.at <= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at DESC
                 LIMIT 1)))) AND (((daily_rows.at, ARRAY[daily_rows.page]) IN ( SELECT daily_log.at,
                    ARRAY[daily_log.page] AS "array"
                   FROM shop.daily_log
                  WHERE ((daily_log.mark = 0) AND public._rollup_hashed(daily_log.mark)))) IS TRUE)))) part
  WHERE ((((part.at, ARRAY[part.page]) IN ( SELECT daily_log.at,
            ARRAY[daily_log.page] AS "array"
           FROM shop.daily_log
          WHERE ((daily_log.mark = 1) AND (daily_log.at >= COALESCE(( SELECT daily_state.frozen
                   FROM shop.daily_state), '-infinity'::date)) AND public._rollup_hashed(daily_log.mark)))) IS NOT TRUE) AND (((part.at >= COALESCE(( SELECT daily_state.frozen
           FROM shop.daily_state), '-infinity'::date)) AND (part.at <= ( SELECT daily_log.at
           FROM shop.daily_log
          WHERE (daily_log.mark = 2)
          ORDER BY daily_log.at DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.at, part.page
UNION ALL
 SELECT late.at,
    late.page,
    late.n,
    late.s
   FROM public._rollup_late('shop.daily_state'::regclass, ( SELECT daily_state.secret
           FROM shop.daily_state)) late(at date, page text, n bigint, s bigint)
  WHERE ( SELECT (EXISTS ( SELECT
                   FROM shop.daily_log
                  WHERE ((daily_log.mark >= 1) AND (daily_log.mark <= 2)))) AS "exists");


--
-- Name: daily_late _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.daily_late AS
( WITH list(at, page) AS MATERIALIZED (
         SELECT daily_log.at,
            ARRAY[daily_log.page] AS "array"
           FROM shop.daily_log
          WHERE ((daily_log.mark = 1) AND (daily_log.at >= COALESCE(( SELECT daily_state.frozen
                   FROM shop.daily_state), '-infinity'::date)) AND public._rollup_hashed(daily_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.at
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.at,
    marked.page,
    marked.n,
    marked.s
   FROM ( SELECT hits.at,
            hits.page,
            count(*) AS n,
            sum(hits.twice) AS s
           FROM shop.hits
          WHERE (((hits.at, ARRAY[hits.page]) IN ( SELECT list.at,
                    list.page
                   FROM list)) IS TRUE)
          GROUP BY hits.at, hits.page
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND (hits.at = ANY (ARRAY( SELECT lookups.at
                   FROM lookups))))
        UNION ALL
         SELECT hits.at,
            hits.page,
            count(*) AS n,
            sum(hits.twice) AS s
           FROM shop.hits
          WHERE (((hits.at, ARRAY[hits.page]) IN ( SELECT list.at,
                    list.page
                   FROM list)) IS TRUE)
          GROUP BY hits.at, hits.page
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND ((hits.at >= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at
                 LIMIT 1)) AND (hits.at <= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at DESC
                 LIMIT 1))))) marked
  WHERE (((marked.at >= COALESCE(( SELECT daily_state.frozen
           FROM shop.daily_state), '-infinity'::date)) AND (marked.at <= ( SELECT daily_log.at
           FROM shop.daily_log
          WHERE (daily_log.mark = 2)
          ORDER BY daily_log.at DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT daily_query.at,
    daily_query.page,
    daily_query.n,
    daily_query.s
   FROM shop.daily_query
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.daily_log
                  WHERE (daily_log.mark = 2))) AS "exists") AND ((daily_query.at >= COALESCE(( SELECT daily_state.frozen
           FROM shop.daily_state), '-infinity'::date)) AND (daily_query.at <= ( SELECT daily_log.at
           FROM shop.daily_log
          WHERE (daily_log.mark = 2)
          ORDER BY daily_log.at DESC
         LIMIT 1))));


--
-- Name: followed_by_row _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.followed_by_row AS
 SELECT followed_by_row_rows.at,
    followed_by_row_rows.n
   FROM shop.followed_by_row_rows
  WHERE (((followed_by_row_rows.at IN ( SELECT followed_by_row_log.at
           FROM shop.followed_by_row_log
          WHERE (((followed_by_row_log.mark = 0) OR ((followed_by_row_log.mark = 1) AND (followed_by_row_log.at >= COALESCE(( SELECT followed_by_row_state.frozen
                   FROM shop.followed_by_row_state), '-infinity'::date)))) AND public._rollup_hashed(followed_by_row_log.mark)))) IS NOT TRUE) AND (((followed_by_row_rows.at >= COALESCE(( SELECT followed_by_row_state.frozen
           FROM shop.followed_by_row_state), '-infinity'::date)) AND (followed_by_row_rows.at <= ( SELECT followed_by_row_log.at
           FROM shop.followed_by_row_log
          WHERE (followed_by_row_log.mark = 2)
          ORDER BY followed_by_row_log.at DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT followed_by_row_fresh.at,
    followed_by_row_fresh.n
   FROM shop.followed_by_row_fresh;


--
-- Name: followed_by_row_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.followed_by_row_fresh AS
 SELECT part.at,
    (sum(part.n))::bigint AS n
   FROM ( SELECT followed_by_row_log.at,
            followed_by_row_log.n
           FROM shop.followed_by_row_log
          WHERE (followed_by_row_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT followed_by_row_log.at
                   FROM shop.followed_by_row_log
                  WHERE (followed_by_row_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT followed_by_row_rows.at,
            followed_by_row_rows.n
           FROM shop.followed_by_row_rows
          WHERE (((followed_by_row_rows.at = ANY (ARRAY( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((followed_by_row_rows.at >= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at
                 LIMIT 1)) AND (followed_by_row_rows.at <= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at DESC
                 LIMIT 1)))) AND ((followed_by_row_rows.at IN ( SELECT followed_by_row_log.at
                   FROM shop.followed_by_row_log
                  WHERE ((followed_by_row_log.mark = 0) AND public._rollup_hashed(followed_by_row_log.mark)))) IS TRUE)))) part
  WHERE (((part.at IN ( SELECT followed_by_row_log.at
           FROM shop.followed_by_row_log
          WHERE ((followed_by_row_log.mark = 1) AND (followed_by_row_log.at >= COALESCE(( SELECT followed_by_row_state.frozen
                   FROM shop.followed_by_row_state), '-infinity'::date)) AND public._rollup_hashed(followed_by_row_log.mark)))) IS NOT TRUE) AND (((part.at >= COALESCE(( SELECT followed_by_row_state.frozen
           FROM shop.followed_by_row_state), '-infinity'::date)) AND (part.at <= ( SELECT followed_by_row_log.at
           FROM shop.followed_by_row_log
          WHERE (followed_by_row_log.mark = 2)
          ORDER BY followed_by_row_log.at DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.at
UNION ALL
 SELECT late.at,
    late.n
   FROM public._rollup_late('shop.followed_by_row_state'::regclass, ( SELECT followed_by_row_state.secret
           FROM shop.followed_by_row_state)) late(at date, n bigint)
  WHERE ( SELECT (EXISTS ( SELECT
                   FROM shop.followed_by_row_log
                  WHERE ((followed_by_row_log.mark >= 1) AND (followed_by_row_log.mark <= 2)))) AS "exists");


--
-- Name: followed_by_row_late _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.followed_by_row_late AS
( WITH list(at) AS MATERIALIZED (
         SELECT followed_by_row_log.at
           FROM shop.followed_by_row_log
          WHERE ((followed_by_row_log.mark = 1) AND (followed_by_row_log.at >= COALESCE(( SELECT followed_by_row_state.frozen
                   FROM shop.followed_by_row_state), '-infinity'::date)) AND public._rollup_hashed(followed_by_row_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.at
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.at,
    marked.n
   FROM ( SELECT hits.at,
            count(*) AS n
           FROM shop.hits
          WHERE ((hits.at IN ( SELECT list.at
                   FROM list)) IS TRUE)
          GROUP BY hits.at
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND (hits.at = ANY (ARRAY( SELECT lookups.at
                   FROM lookups))))
        UNION ALL
         SELECT hits.at,
            count(*) AS n
           FROM shop.hits
          WHERE ((hits.at IN ( SELECT list.at
                   FROM list)) IS TRUE)
          GROUP BY hits.at
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND ((hits.at >= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at
                 LIMIT 1)) AND (hits.at <= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at DESC
                 LIMIT 1))))) marked
  WHERE (((marked.at >= COALESCE(( SELECT followed_by_row_state.frozen
           FROM shop.followed_by_row_state), '-infinity'::date)) AND (marked.at <= ( SELECT followed_by_row_log.at
           FROM shop.followed_by_row_log
          WHERE (followed_by_row_log.mark = 2)
          ORDER BY followed_by_row_log.at DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT followed_by_row_query.at,
    followed_by_row_query.n
   FROM shop.followed_by_row_query
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.followed_by_row_log
                  WHERE (followed_by_row_log.mark = 2))) AS "exists") AND ((followed_by_row_query.at >= COALESCE(( SELECT followed_by_row_state.frozen
           FROM shop.followed_by_row_state), '-infinity'::date)) AND (followed_by_row_query.at <= ( SELECT followed_by_row_log.at
           FROM shop.followed_by_row_log
          WHERE (followed_by_row_log.mark = 2)
          ORDER BY followed_by_row_log.at DESC
         LIMIT 1))));


--
-- Name: heirs _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.heirs AS
 SELECT heirs_rows.at,
    heirs_rows.x
   FROM shop.heirs_rows
  WHERE (((heirs_rows.at IN ( SELECT heirs_log.at
           FROM shop.heirs_log
          WHERE (((heirs_log.mark = 0) OR ((heirs_log.mark = 1) AND (heirs_log.at >= COALESCE(( SELECT heirs_state.frozen
                   FROM shop.heirs_state), '-infinity'::date)))) AND public._rollup_hashed(heirs_log.mark)))) IS NOT TRUE) AND (((heirs_rows.at >= COALESCE(( SELECT heirs_state.frozen
           FROM shop.heirs_state), '-infinity'::date)) AND (heirs_rows.at <= ( SELECT heirs_log.at
           FROM shop.heirs_log
          WHERE (heirs_log.mark = 2)
          ORDER BY heirs_log.at DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT heirs_fresh.at,
    heirs_fresh.x
   FROM shop.heirs_fresh;


--
-- Name: heirs_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.heirs_fresh AS
 SELECT part.at,
    (sum(part.x))::bigint AS x
   FROM ( SELECT heirs_log.at,
            heirs_log.x
           FROM shop.heirs_log
          WHERE (heirs_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT heirs_log.at
                   FROM shop.heirs_log
                  WHERE (heirs_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT heirs_rows.at,
            heirs_rows.x
           FROM shop.heirs_rows
          WHERE (((heirs_rows.at = ANY (ARRAY( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((heirs_rows.at >= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at
                 LIMIT 1)) AND (heirs_rows.at <= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at DESC
                 LIMIT 1)))) AND ((heirs_rows.at IN ( SELECT heirs_log.at
                   FROM shop.heirs_log
                  WHERE ((heirs_log.mark = 0) AND public._rollup_hashed(heirs_log.mark)))) IS TRUE)))) part
  WHERE (((part.at IN ( SELECT heirs_log.at
           FROM shop.heirs_log
          WHERE ((heirs_log.mark = 1) AND (heirs_log.at >= COALESCE(( SELECT heirs_state.frozen
                   FROM shop.heirs_state), '-infinity'::date)) AND public._rollup_hashed(heirs_log.mark)))) IS NOT TRUE) AND (((part.at >= COALESCE(( SELECT heirs_state.frozen
           FROM shop.heirs_state), '-infinity'::date)) AND (part.at <= ( SELECT heirs_log.at
           FROM shop.heirs_log
          WHERE (heirs_log.mark = 2)
          ORDER BY heirs_log.at DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.at
UNION ALL
( WITH list(at) AS MATERIALIZED (
         SELECT heirs_log.at
           FROM shop.heirs_log
          WHERE ((heirs_log.mark = 1) AND (heirs_log.at >= COALESCE(( SELECT heirs_state.frozen
                   FROM shop.heirs_state), '-infinity'::date)) AND public._rollup_hashed(heirs_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.at
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.at,
    marked.x
   FROM ( SELECT parent.at,
            sum(parent.x) AS x
           FROM shop.parent
          WHERE ((parent.at IN ( SELECT list.at
                   FROM list)) IS TRUE)
          GROUP BY parent.at
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND (parent.at = ANY (ARRAY( SELECT lookups.at
                   FROM lookups))))
        UNION ALL
         SELECT parent.at,
            sum(parent.x) AS x
           FROM shop.parent
          WHERE ((parent.at IN ( SELECT list.at
                   FROM list)) IS TRUE)
          GROUP BY parent.at
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND ((parent.at >= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at
                 LIMIT 1)) AND (parent.at <= ( SELECT lookups.at
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.at DESC
                 LIMIT 1))))) marked
  WHERE (((marked.at >= COALESCE(( SELECT heirs_state.frozen
           FROM shop.heirs_state), '-infinity'::date)) AND (marked.at <= ( SELECT heirs_log.at
           FROM shop.heirs_log
          WHERE (heirs_log.mark = 2)
          ORDER BY heirs_log.at DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT heirs_query.at,
    heirs_query.x
   FROM shop.heirs_query
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.heirs_log
                  WHERE (heirs_log.mark = 2))) AS "exists") AND ((heirs_query.at >= COALESCE(( SELECT heirs_state.frozen
           FROM shop.heirs_state), '-infinity'::date)) AND (heirs_query.at <= ( SELECT heirs_log.at
           FROM shop.heirs_log
          WHERE (heirs_log.mark = 2)
          ORDER BY heirs_log.at DESC
         LIMIT 1))));


--
-- Name: hourly _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.hourly AS
 SELECT hourly_rows.hour,
    hourly_rows.page,
    hourly_rows.n,
    hourly_rows.users,
    hourly_rows.ms
   FROM shop.hourly_rows
  WHERE ((((hourly_rows.hour, ARRAY[hourly_rows.page]) IN ( SELECT hourly_log.hour,
            ARRAY[hourly_log.page] AS "array"
           FROM shop.hourly_log
          WHERE (((hourly_log.mark = 0) OR ((hourly_log.mark = 1) AND (hourly_log.hour >= COALESCE(( SELECT hourly_state.frozen
                   FROM shop.hourly_state), '-infinity'::timestamp without time zone)))) AND public._rollup_hashed(hourly_log.mark)))) IS NOT TRUE) AND (((hourly_rows.hour >= COALESCE(( SELECT hourly_state.frozen
           FROM shop.hourly_state), '-infinity'::timestamp without time zone)) AND (hourly_rows.hour <= ( SELECT hourly_log.hour
           FROM shop.hourly_log
          WHERE (hourly_log.mark = 2)
          ORDER BY hourly_log.hour DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT hourly_fresh.hour,
    hourly_fresh.page,
    hourly_fresh.n,
    hourly_fresh.users,
    hourly_fresh.ms
   FROM shop.hourly_fresh;


--
-- Name: hourly_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.hourly_fresh AS
 SELECT part.hour,
    part.page,
    (sum(part.n))::bigint AS n,
    public.hll_union_agg(part.users) AS users,
    public.tdigest_union_agg(part.ms) AS ms
   FROM ( SELECT hourly_log.hour,
            hourly_log.page,
            hourly_log.n,
            hourly_log.users,
            hourly_log.ms
           FROM shop.hourly_log
          WHERE (hourly_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT hourly_log.hour
                   FROM shop.hourly_log
                  WHERE (hourly_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT hourly_rows.hour,
            hourly_rows.page,
            hourly_rows.n,
            hourly_rows.users,
            hourly_rows.ms
           FROM shop.hourly_rows
          WHERE (((hourly_rows.hour = ANY (ARRAY( SELECT lookups.hour
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((hourly_rows.hour >= ( SELECT lookups.hour
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.hour
                 LIMIT 1)) AND (hourly_rows.hour <= ( SELECT lookups.hour
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.hour DESC
                 LIMIT 1)))) AND (((hourly_rows.hour, ARRAY[hourly_rows.page]) IN ( SELECT hourly_log.hour,
                    ARRAY[hourly_log.page] AS "array"
                   FROM shop.hourly_log
                  WHERE ((hourly_log.mark = 0) AND public._rollup_hashed(hourly_log.mark)))) IS TRUE)))) part
  WHERE ((((part.hour, ARRAY[part.page]) IN ( SELECT hourly_log.hour,
            ARRAY[hourly_log.page] AS "array"
           FROM shop.hourly_log
          WHERE ((hourly_log.mark = 1) AND (hourly_log.hour >= COALESCE(( SELECT hourly_state.frozen
                   FROM shop.hourly_state), '-infinity'::timestamp without time zone)) AND public._rollup_hashed(hourly_log.mark)))) IS NOT TRUE) AND (((part.hour >= COALESCE(( SELECT hourly_state.frozen
           FROM shop.hourly_state), '-infinity'::timestamp without time zone)) AND (part.hour <= ( SELECT hourly_log.hour
           FROM shop.hourly_log
          WHERE (hourly_log.mark = 2)
          ORDER BY hourly_log.hour DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.hour, part.page
UNION ALL
( WITH list(hour, page) AS MATERIALIZED (
         SELECT hourly_log.hour,
            ARRAY[hourly_log.page] AS "array"
           FROM shop.hourly_log
          WHERE ((hourly_log.mark = 1) AND (hourly_log.hour >= COALESCE(( SELECT hourly_state.frozen
                   FROM shop.hourly_state), '-infinity'::timestamp without time zone)) AND public._rollup_hashed(hourly_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.hour
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.hour,
    marked.page,
    marked.n,
    marked.users,
    marked.ms
   FROM ( SELECT date_trunc('hour'::text, visits.at) AS hour,
            visits.page,
            count(*) AS n,
            public.hll_agg((visits.visitor)::public.hashed) AS users,
            public.tdigest_agg(visits.ms) AS ms
           FROM shop.visits
          WHERE ((visits.page <> '/3'::text) AND (((date_trunc('hour'::text, visits.at), ARRAY[visits.page]) IN ( SELECT list.hour,
                    list.page
                   FROM list)) IS TRUE))
          GROUP BY (date_trunc('hour'::text, visits.at)), visits.page
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND (date_trunc('hour'::text, visits.at) = ANY (ARRAY( SELECT lookups.hour
                   FROM lookups))))
        UNION ALL
         SELECT date_trunc('hour'::text, visits.at) AS hour,
            visits.page,
            count(*) AS n,
            public.hll_agg((visits.visitor)::public.hashed) AS users,
            public.tdigest_agg(visits.ms) AS ms
           FROM shop.visits
          WHERE ((visits.page <> '/3'::text) AND (((date_trunc('hour'::text, visits.at), ARRAY[visits.page]) IN ( SELECT list.hour,
                    list.page
                   FROM list)) IS TRUE))
          GROUP BY (date_trunc('hour'::text, visits.at)), visits.page
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND ((date_trunc('hour'::text, visits.at) >= ( SELECT lookups.hour
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.hour
                 LIMIT 1)) AND (date_trunc('hour'::text, visits.at) <= ( SELECT lookups.hour
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.hour DESC
                 LIMIT 1))))) marked
  WHERE (((marked.hour >= COALESCE(( SELECT hourly_state.frozen
           FROM shop.hourly_state), '-infinity'::timestamp without time zone)) AND (marked.hour <= ( SELECT hourly_log.hour
           FROM shop.hourly_log
          WHERE (hourly_log.mark = 2)
          ORDER BY hourly_log.hour DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT hourly_query.hour,
    hourly_query.page,
    hourly_query.n,
    hourly_query.users,
    hourly_query.ms
   FROM shop.hourly_query
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.hourly_log
                  WHERE (hourly_log.mark = 2))) AS "exists") AND ((hourly_query.hour >= COALESCE(( SELECT hourly_state.frozen
           FROM shop.hourly_state), '-infinity'::timestamp without time zone)) AND (hourly_query.hour <= ( SELECT hourly_log.hour
           FROM shop.hourly_log
          WHERE (hourly_log.mark = 2)
          ORDER BY hourly_log.hour DESC
         LIMIT 1))));


--
-- Name: means _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.means AS
 SELECT means_parts.day,
    (means_parts.mean_sum / (means_parts.mean_count)::double precision) AS mean,
    public._rollup_stddev(means_parts.spread_count, (means_parts.spread_sum)::numeric, means_parts.spread_squares, true) AS spread
   FROM shop.means_parts
  WHERE (means_parts.having_count > 3);


--
-- Name: means_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.means_fresh AS
 SELECT part.day,
    sum(part.mean_sum) AS mean_sum,
    (sum(part.mean_count))::bigint AS mean_count,
    (sum(part.spread_sum))::bigint AS spread_sum,
    (sum(part.spread_count))::bigint AS spread_count,
    sum(part.spread_squares) AS spread_squares,
    (sum(part.having_count))::bigint AS having_count
   FROM ( SELECT means_log.day,
            means_log.mean_sum,
            means_log.mean_count,
            means_log.spread_sum,
            means_log.spread_count,
            means_log.spread_squares,
            means_log.having_count
           FROM shop.means_log
          WHERE (means_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT means_log.day
                   FROM shop.means_log
                  WHERE (means_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT means_rows.day,
            means_rows.mean_sum,
            means_rows.mean_count,
            means_rows.spread_sum,
            means_rows.spread_count,
            means_rows.spread_squares,
            means_rows.having_count
           FROM shop.means_rows
          WHERE (((means_rows.day = ANY (ARRAY( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((means_rows.day >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND (means_rows.day <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1)))) AND ((means_rows.day IN ( SELECT means_log.day
                   FROM shop.means_log
                  WHERE ((means_log.mark = 0) AND public._rollup_hashed(means_log.mark)))) IS TRUE)))) part
  WHERE (((part.day IN ( SELECT means_log.day
           FROM shop.means_log
          WHERE ((means_log.mark = 1) AND (means_log.day >= COALESCE(( SELECT means_state.frozen
                   FROM shop.means_state), '-infinity'::date)) AND public._rollup_hashed(means_log.mark)))) IS NOT TRUE) AND (((part.day >= COALESCE(( SELECT means_state.frozen
           FROM shop.means_state), '-infinity'::date)) AND (part.day <= ( SELECT means_log.day
           FROM shop.means_log
          WHERE (means_log.mark = 2)
          ORDER BY means_log.day DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.day
UNION ALL
( WITH list(day) AS MATERIALIZED (
         SELECT means_log.day
           FROM shop.means_log
          WHERE ((means_log.mark = 1) AND (means_log.day >= COALESCE(( SELECT means_state.frozen
                   FROM shop.means_state), '-infinity'::date)) AND public._rollup_hashed(means_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.day
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.day,
    marked.mean_sum,
    marked.mean_count,
    marked.spread_sum,
    marked.spread_count,
    marked.spread_squares,
    marked.having_count
   FROM ( SELECT (visits.at)::date AS day,
            sum(visits.ms) AS mean_sum,
            count(visits.ms) AS mean_count,
            sum(visits.visitor) AS spread_sum,
            count(visits.visitor) AS spread_count,
            sum(((visits.visitor)::numeric * (visits.visitor)::numeric)) AS spread_squares,
            count(*) AS having_count
           FROM shop.visits
          WHERE (((visits.at)::date IN ( SELECT list.day
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date)
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND ((visits.at)::date = ANY (ARRAY( SELECT lookups.day
                   FROM lookups))))
        UNION ALL
         SELECT (visits.at)::date AS day,
            sum(visits.ms) AS mean_sum,
            count(visits.ms) AS mean_count,
            sum(visits.visitor) AS spread_sum,
            count(visits.visitor) AS spread_count,
            sum(((visits.visitor)::numeric * (visits.visitor)::numeric)) AS spread_squares,
            count(*) AS having_count
           FROM shop.visits
          WHERE (((visits.at)::date IN ( SELECT list.day
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date)
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND (((visits.at)::date >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND ((visits.at)::date <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1))))) marked
  WHERE (((marked.day >= COALESCE(( SELECT means_state.frozen
           FROM shop.means_state), '-infinity'::date)) AND (marked.day <= ( SELECT means_log.day
           FROM shop.means_log
          WHERE (means_log.mark = 2)
          ORDER BY means_log.day DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT means_query.day,
    means_query.mean_sum,
    means_query.mean_count,
    means_query.spread_sum,
    means_query.spread_count,
    means_query.spread_squares,
    means_query.having_count
   FROM shop.means_query
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.means_log
                  WHERE (means_log.mark = 2))) AS "exists") AND ((means_query.day >= COALESCE(( SELECT means_state.frozen
           FROM shop.means_state), '-infinity'::date)) AND (means_query.day <= ( SELECT means_log.day
           FROM shop.means_log
          WHERE (means_log.mark = 2)
          ORDER BY means_log.day DESC
         LIMIT 1))));


--
-- Name: means_parts _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.means_parts AS
 SELECT means_rows.day,
    means_rows.mean_sum,
    means_rows.mean_count,
    means_rows.spread_sum,
    means_rows.spread_count,
    means_rows.spread_squares,
    means_rows.having_count
   FROM shop.means_rows
  WHERE (((means_rows.day IN ( SELECT means_log.day
           FROM shop.means_log
          WHERE (((means_log.mark = 0) OR ((means_log.mark = 1) AND (means_log.day >= COALESCE(( SELECT means_state.frozen
                   FROM shop.means_state), '-infinity'::date)))) AND public._rollup_hashed(means_log.mark)))) IS NOT TRUE) AND (((means_rows.day >= COALESCE(( SELECT means_state.frozen
           FROM shop.means_state), '-infinity'::date)) AND (means_rows.day <= ( SELECT means_log.day
           FROM shop.means_log
          WHERE (means_log.mark = 2)
          ORDER BY means_log.day DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT means_fresh.day,
    means_fresh.mean_sum,
    means_fresh.mean_count,
    means_fresh.spread_sum,
    means_fresh.spread_count,
    means_fresh.spread_squares,
    means_fresh.having_count
   FROM shop.means_fresh;


--
-- Name: merged _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.merged AS
 SELECT merged_rows.day,
    merged_rows.visitor
   FROM shop.merged_rows
  WHERE (((merged_rows.day IN ( SELECT merged_log.day
           FROM shop.merged_log
          WHERE (((merged_log.mark = 0) OR ((merged_log.mark = 1) AND (merged_log.day >= COALESCE(( SELECT merged_state.frozen
                   FROM shop.merged_state), '-infinity'::date)))) AND public._rollup_hashed(merged_log.mark)))) IS NOT TRUE) AND (((merged_rows.day >= COALESCE(( SELECT merged_state.frozen
           FROM shop.merged_state), '-infinity'::date)) AND (merged_rows.day <= ( SELECT merged_log.day
           FROM shop.merged_log
          WHERE (merged_log.mark = 2)
          ORDER BY merged_log.day DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT merged_fresh.day,
    merged_fresh.visitor
   FROM shop.merged_fresh;


--
-- Name: merged_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.merged_fresh AS
 SELECT part.day,
    shop.most(part.visitor) AS visitor
   FROM ( SELECT merged_log.day,
            merged_log.visitor
           FROM shop.merged_log
          WHERE (merged_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT merged_log.day
                   FROM shop.merged_log
                  WHERE (merged_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT merged_rows.day,
            merged_rows.visitor
           FROM shop.merged_rows
          WHERE (((merged_rows.day = ANY (ARRAY( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((merged_rows.day >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND (merged_rows.day <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1)))) AND ((merged_rows.day IN ( SELECT merged_log.day
                   FROM shop.merged_log
                  WHERE ((merged_log.mark = 0) AND public._rollup_hashed(merged_log.mark)))) IS TRUE)))) part
  WHERE (((part.day IN ( SELECT merged_log.day
           FROM shop.merged_log
          WHERE ((merged_log.mark = 1) AND (merged_log.day >= COALESCE(( SELECT merged_state.frozen
                   FROM shop.merged_state), '-infinity'::date)) AND public._rollup_hashed(merged_log.mark)))) IS NOT TRUE) AND (((part.day >= COALESCE(( SELECT merged_state.frozen
           FROM shop.merged_state), '-infinity'::date)) AND (part.day <= ( SELECT merged_log.day
           FROM shop.merged_log
          WHERE (merged_log.mark = 2)
          ORDER BY merged_log.day DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.day
UNION ALL
( WITH list(day) AS MATERIALIZED (
         SELECT merged_log.day
           FROM shop.merged_log
          WHERE ((merged_log.mark = 1) AND (merged_log.day >= COALESCE(( SELECT merged_state.frozen
                   FROM shop.merged_state), '-infinity'::date)) AND public._rollup_hashed(merged_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.day
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.day,
    marked.visitor
   FROM ( SELECT (visits.at)::date AS day,
            shop.most(visits.visitor) AS visitor
           FROM shop.visits
          WHERE (((visits.at)::date IN ( SELECT list.day
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date)
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND ((visits.at)::date = ANY (ARRAY( SELECT lookups.day
                   FROM lookups))))
        UNION ALL
         SELECT (visits.at)::date AS day,
            shop.most(visits.visitor) AS visitor
           FROM shop.visits
          WHERE (((visits.at)::date IN ( SELECT list.day
                   FROM list)) IS TRUE)
          GROUP BY ((visits.at)::date)
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND (((visits.at)::date >= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day
                 LIMIT 1)) AND ((visits.at)::date <= ( SELECT lookups.day
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.day DESC
                 LIMIT 1))))) marked
  WHERE (((marked.day >= COALESCE(( SELECT merged_state.frozen
           FROM shop.merged_state), '-infinity'::date)) AND (marked.day <= ( SELECT merged_log.day
           FROM shop.merged_log
          WHERE (merged_log.mark = 2)
          ORDER BY merged_log.day DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT merged_query.day,
    merged_query.visitor
   FROM shop.merged_query
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.merged_log
                  WHERE (merged_log.mark = 2))) AS "exists") AND ((merged_query.day >= COALESCE(( SELECT merged_state.frozen
           FROM shop.merged_state), '-infinity'::date)) AND (merged_query.day <= ( SELECT merged_log.day
           FROM shop.merged_log
          WHERE (merged_log.mark = 2)
          ORDER BY merged_log.day DESC
         LIMIT 1))));


--
-- Name: weekly _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.weekly AS
( WITH pending(mark, week) AS MATERIALIZED (
         SELECT weekly_changes.mark,
            weekly_changes.week
           FROM shop.weekly_changes
          WHERE ((weekly_changes.mark <> 1) OR (weekly_changes.week >= COALESCE(( SELECT weekly_state.frozen
                   FROM shop.weekly_state), '-infinity'::timestamp without time zone)))
        )
 SELECT weekly_rows.week,
    weekly_rows.n,
    weekly_rows.users
   FROM shop.weekly_rows
  WHERE (((weekly_rows.week IN ( SELECT pending.week
           FROM pending
          WHERE ((pending.mark < 2) AND public._rollup_hashed(pending.mark)))) IS NOT TRUE) AND (((weekly_rows.week >= COALESCE(( SELECT weekly_state.frozen
           FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND (weekly_rows.week <= ( SELECT max(pending.week) AS max
           FROM pending
          WHERE (pending.mark = 2)))) IS NOT TRUE)))
UNION ALL
( WITH pending(mark, week) AS MATERIALIZED (
         SELECT weekly_changes.mark,
            weekly_changes.week
           FROM shop.weekly_changes
          WHERE ((weekly_changes.mark <> 1) OR (weekly_changes.week >= COALESCE(( SELECT weekly_state.frozen
                   FROM shop.weekly_state), '-infinity'::timestamp without time zone)))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT pending.week
           FROM pending
          WHERE (pending.mark = 0)
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT part.week,
    sum(part.n) AS n,
    public.hll_union_agg(part.users) AS users
   FROM ( SELECT weekly_changes.week,
            weekly_changes.n,
            weekly_changes.users
           FROM shop.weekly_changes
          WHERE (weekly_changes.mark = 0)
        UNION ALL
         SELECT weekly_rows.week,
            weekly_rows.n,
            weekly_rows.users
           FROM shop.weekly_rows
          WHERE (((weekly_rows.week = ANY (ARRAY( SELECT lookups.week
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((weekly_rows.week >= ( SELECT lookups.week
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.week
                 LIMIT 1)) AND (weekly_rows.week <= ( SELECT lookups.week
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.week DESC
                 LIMIT 1)))) AND ((weekly_rows.week IN ( SELECT pending.week
                   FROM pending
                  WHERE ((pending.mark = 0) AND public._rollup_hashed(pending.mark)))) IS TRUE))) part
  WHERE (((part.week IN ( SELECT pending.week
           FROM pending
          WHERE ((pending.mark = 1) AND public._rollup_hashed(pending.mark)))) IS NOT TRUE) AND (((part.week >= COALESCE(( SELECT weekly_state.frozen
           FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND (part.week <= ( SELECT max(pending.week) AS max
           FROM pending
          WHERE (pending.mark = 2)))) IS NOT TRUE))
  GROUP BY part.week)
UNION ALL
 SELECT late.week,
    late.n,
    late.users
   FROM public._rollup_late('shop.weekly_state'::regclass, ( SELECT weekly_state.secret
           FROM shop.weekly_state)) late(week timestamp without time zone, n numeric, users public.hll)
  WHERE ( SELECT (EXISTS ( SELECT
                   FROM shop.weekly_changes
                  WHERE ((weekly_changes.mark >= 1) AND (weekly_changes.mark <= 2)))) AS "exists");


--
-- Name: weekly_flow _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.weekly_flow AS
 SELECT part.rollup_mark AS mark,
        CASE
            WHEN (part.rollup_mark < 2) THEN date_trunc('week'::text, part.hour)
            ELSE 'infinity'::timestamp without time zone
        END AS week,
    sum(part.n) AS n,
    public.hll_union_agg(part.users) AS users
   FROM shop.hourly_log part(rollup_mark, hour, page, n, users, ms)
  WHERE (((part.rollup_mark = ANY (ARRAY[0, 2])) OR ((part.rollup_mark = 1) AND (part.hour >= COALESCE(( SELECT hourly_state.frozen
           FROM shop.hourly_state), '-infinity'::timestamp without time zone)))) AND ( SELECT (EXISTS ( SELECT
                   FROM shop.weekly_state)) AS "exists"))
  GROUP BY part.rollup_mark,
        CASE
            WHEN (part.rollup_mark < 2) THEN date_trunc('week'::text, part.hour)
            ELSE 'infinity'::timestamp without time zone
        END;


--
-- Name: weekly_fresh _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.weekly_fresh AS
 SELECT part.week,
    sum(part.n) AS n,
    public.hll_union_agg(part.users) AS users
   FROM ( SELECT weekly_log.week,
            weekly_log.n,
            weekly_log.users
           FROM shop.weekly_log
          WHERE (weekly_log.mark = 0)
        UNION ALL
        ( WITH lookups AS MATERIALIZED (
                 SELECT DISTINCT weekly_log.week
                   FROM shop.weekly_log
                  WHERE (weekly_log.mark = 0)
                ), how_many AS MATERIALIZED (
                 SELECT count(*) AS count
                   FROM ( SELECT
                           FROM lookups
                         LIMIT 51) l
                )
         SELECT weekly_rows.week,
            weekly_rows.n,
            weekly_rows.users
           FROM shop.weekly_rows
          WHERE (((weekly_rows.week = ANY (ARRAY( SELECT lookups.week
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) <= 50)))) OR ((weekly_rows.week >= ( SELECT lookups.week
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.week
                 LIMIT 1)) AND (weekly_rows.week <= ( SELECT lookups.week
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.week DESC
                 LIMIT 1)))) AND ((weekly_rows.week IN ( SELECT weekly_log.week
                   FROM shop.weekly_log
                  WHERE ((weekly_log.mark = 0) AND public._rollup_hashed(weekly_log.mark)))) IS TRUE)))) part
  WHERE (((part.week IN ( SELECT weekly_log.week
           FROM shop.weekly_log
          WHERE ((weekly_log.mark = 1) AND (weekly_log.week >= COALESCE(( SELECT weekly_state.frozen
                   FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND public._rollup_hashed(weekly_log.mark)))) IS NOT TRUE) AND (((part.week >= COALESCE(( SELECT weekly_state.frozen
           FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND (part.week <= ( SELECT weekly_log.week
           FROM shop.weekly_log
          WHERE (weekly_log.mark = 2)
          ORDER BY weekly_log.week DESC
         LIMIT 1))) IS NOT TRUE))
  GROUP BY part.week
UNION ALL
( WITH list(week) AS MATERIALIZED (
         SELECT weekly_log.week
           FROM shop.weekly_log
          WHERE ((weekly_log.mark = 1) AND (weekly_log.week >= COALESCE(( SELECT weekly_state.frozen
                   FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND public._rollup_hashed(weekly_log.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.week
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT marked.week,
    marked.n,
    marked.users
   FROM ( SELECT date_trunc('week'::text, hourly.hour) AS week,
            sum(hourly.n) AS n,
            public.hll_union_agg(hourly.users) AS users
           FROM shop.hourly_rows hourly
          WHERE ((date_trunc('week'::text, hourly.hour) IN ( SELECT list.week
                   FROM list)) IS TRUE)
          GROUP BY (date_trunc('week'::text, hourly.hour))
         HAVING (((( SELECT how_many.count
                   FROM how_many) >= 1) AND (( SELECT how_many.count
                   FROM how_many) <= 50)) AND (date_trunc('week'::text, hourly.hour) = ANY (ARRAY( SELECT lookups.week
                   FROM lookups))))
        UNION ALL
         SELECT date_trunc('week'::text, hourly.hour) AS week,
            sum(hourly.n) AS n,
            public.hll_union_agg(hourly.users) AS users
           FROM shop.hourly_rows hourly
          WHERE ((date_trunc('week'::text, hourly.hour) IN ( SELECT list.week
                   FROM list)) IS TRUE)
          GROUP BY (date_trunc('week'::text, hourly.hour))
         HAVING ((( SELECT how_many.count
                   FROM how_many) > 50) AND ((date_trunc('week'::text, hourly.hour) >= ( SELECT lookups.week
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.week
                 LIMIT 1)) AND (date_trunc('week'::text, hourly.hour) <= ( SELECT lookups.week
                   FROM lookups
                  WHERE (( SELECT how_many.count
                           FROM how_many) > 50)
                  ORDER BY lookups.week DESC
                 LIMIT 1))))) marked
  WHERE (((marked.week >= COALESCE(( SELECT weekly_state.frozen
           FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND (marked.week <= ( SELECT weekly_log.week
           FROM shop.weekly_log
          WHERE (weekly_log.mark = 2)
          ORDER BY weekly_log.week DESC
         LIMIT 1))) IS NOT TRUE))
UNION ALL
 SELECT computed.week,
    computed.n,
    computed.users
   FROM ( SELECT date_trunc('week'::text, hourly.hour) AS week,
            sum(hourly.n) AS n,
            public.hll_union_agg(hourly.users) AS users
           FROM shop.hourly_rows hourly
          GROUP BY (date_trunc('week'::text, hourly.hour))) computed
  WHERE (( SELECT (EXISTS ( SELECT
                   FROM shop.weekly_log
                  WHERE (weekly_log.mark = 2))) AS "exists") AND ((computed.week >= COALESCE(( SELECT weekly_state.frozen
           FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND (computed.week <= ( SELECT weekly_log.week
           FROM shop.weekly_log
          WHERE (weekly_log.mark = 2)
          ORDER BY weekly_log.week DESC
         LIMIT 1))));


--
-- Name: weekly_late _RETURN; Type: RULE; Schema: shop; Owner: -
--

CREATE OR REPLACE VIEW shop.weekly_late AS
 WITH pending(mark, week) AS MATERIALIZED (
         SELECT weekly_changes.mark,
            weekly_changes.week
           FROM shop.weekly_changes
          WHERE ((weekly_changes.mark <> 1) OR (weekly_changes.week >= COALESCE(( SELECT weekly_state.frozen
                   FROM shop.weekly_state), '-infinity'::timestamp without time zone)))
        ), list AS MATERIALIZED (
         SELECT pending.week
           FROM pending
          WHERE ((pending.mark = 1) AND public._rollup_hashed(pending.mark))
        ), lookups AS MATERIALIZED (
         SELECT DISTINCT list.week
           FROM list
        ), how_many AS MATERIALIZED (
         SELECT count(*) AS count
           FROM ( SELECT
                   FROM lookups
                 LIMIT 51) l
        )
 SELECT date_trunc('week'::text, hourly.hour) AS week,
    sum(hourly.n) AS n,
    public.hll_union_agg(hourly.users) AS users
   FROM shop.hourly
  WHERE (((date_trunc('week'::text, hourly.hour) IN ( SELECT list.week
           FROM list)) OR ((date_trunc('week'::text, hourly.hour) >= COALESCE(( SELECT weekly_state.frozen
           FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND (date_trunc('week'::text, hourly.hour) <= ( SELECT max(pending.week) AS max
           FROM pending
          WHERE (pending.mark = 2))))) AND ((date_trunc('week'::text, hourly.hour) = ANY (ARRAY( SELECT lookups.week
           FROM lookups
          WHERE (( SELECT how_many.count
                   FROM how_many) <= 50)))) OR ((date_trunc('week'::text, hourly.hour) >= ( SELECT lookups.week
           FROM lookups
          WHERE (( SELECT how_many.count
                   FROM how_many) > 50)
          ORDER BY lookups.week
         LIMIT 1)) AND (date_trunc('week'::text, hourly.hour) <= ( SELECT lookups.week
           FROM lookups
          WHERE (( SELECT how_many.count
                   FROM how_many) > 50)
          ORDER BY lookups.week DESC
         LIMIT 1))) OR ((date_trunc('week'::text, hourly.hour) >= COALESCE(( SELECT weekly_state.frozen
           FROM shop.weekly_state), '-infinity'::timestamp without time zone)) AND (date_trunc('week'::text, hourly.hour) <= ( SELECT max(pending.week) AS max
           FROM pending
          WHERE (pending.mark = 2))))))
  GROUP BY (date_trunc('week'::text, hourly.hour));


--
-- Name: Odd "Table Odd "Rollup_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER "Odd ""Rollup_delete" AFTER DELETE ON shop."Odd ""Table" REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop."Odd ""Rollup_state"'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: Odd "Table Odd "Rollup_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER "Odd ""Rollup_insert" AFTER INSERT ON shop."Odd ""Table" REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop."Odd ""Rollup_state"'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: Odd "Rollup_state Odd "Rollup_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER "Odd ""Rollup_restored" BEFORE INSERT ON shop."Odd ""Rollup_state" FOR EACH ROW WHEN (('shop."Odd ""Rollup_state"'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: Odd "Table Odd "Rollup_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER "Odd ""Rollup_truncate" AFTER TRUNCATE ON shop."Odd ""Table" FOR EACH STATEMENT WHEN (('shop."Odd ""Rollup_state"'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: Odd "Table Odd "Rollup_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER "Odd ""Rollup_update" AFTER UPDATE ON shop."Odd ""Table" REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop."Odd ""Rollup_state"'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: by_row_state by_row_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_row_restored BEFORE INSERT ON shop.by_row_state FOR EACH ROW WHEN (('shop.by_row_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits by_row_rows; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_row_rows AFTER INSERT OR DELETE OR UPDATE ON shop.visits FOR EACH ROW WHEN (('shop.by_row_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();

ALTER TABLE shop.visits ENABLE ALWAYS TRIGGER by_row_rows;


--
-- Name: visits by_row_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_row_truncate AFTER TRUNCATE ON shop.visits FOR EACH STATEMENT WHEN (('shop.by_row_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();

ALTER TABLE shop.visits ENABLE ALWAYS TRIGGER by_row_truncate;


--
-- Name: pages by_section_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_delete AFTER DELETE ON shop.pages REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits by_section_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_delete AFTER DELETE ON shop.visits REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: pages by_section_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_insert AFTER INSERT ON shop.pages REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits by_section_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_insert AFTER INSERT ON shop.visits REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: by_section_state by_section_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_restored BEFORE INSERT ON shop.by_section_state FOR EACH ROW WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: pages by_section_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_truncate AFTER TRUNCATE ON shop.pages FOR EACH STATEMENT WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits by_section_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_truncate AFTER TRUNCATE ON shop.visits FOR EACH STATEMENT WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: pages by_section_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_update AFTER UPDATE ON shop.pages REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits by_section_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER by_section_update AFTER UPDATE ON shop.visits REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.by_section_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits changed_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER changed_delete AFTER DELETE ON shop.visits REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.changed_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits changed_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER changed_insert AFTER INSERT ON shop.visits REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.changed_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: changed_state changed_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER changed_restored BEFORE INSERT ON shop.changed_state FOR EACH ROW WHEN (('shop.changed_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits changed_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER changed_truncate AFTER TRUNCATE ON shop.visits FOR EACH STATEMENT WHEN (('shop.changed_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits changed_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER changed_update AFTER UPDATE ON shop.visits REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.changed_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits daily_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_delete AFTER DELETE ON shop.hits REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits_1 daily_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_delete AFTER DELETE ON shop.hits_1 REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits_2 daily_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_delete AFTER DELETE ON shop.hits_2 REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits daily_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_insert AFTER INSERT ON shop.hits REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits_1 daily_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_insert AFTER INSERT ON shop.hits_1 REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits_2 daily_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_insert AFTER INSERT ON shop.hits_2 REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits daily_moved_from; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_moved_from AFTER DELETE ON shop.hits FOR EACH ROW WHEN ((public._rollup_moves(true) AND ('shop.daily_state'::regclass IS NOT NULL))) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits daily_moved_to; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_moved_to AFTER INSERT ON shop.hits FOR EACH ROW WHEN ((public._rollup_moves(false) AND ('shop.daily_state'::regclass IS NOT NULL))) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits daily_moves; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_moves BEFORE UPDATE ON shop.hits FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: daily_state daily_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_restored BEFORE INSERT ON shop.daily_state FOR EACH ROW WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits daily_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_truncate AFTER TRUNCATE ON shop.hits FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits_1 daily_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_truncate AFTER TRUNCATE ON shop.hits_1 FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits_2 daily_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_truncate AFTER TRUNCATE ON shop.hits_2 FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits daily_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_update AFTER UPDATE ON shop.hits REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits_1 daily_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_update AFTER UPDATE ON shop.hits_1 REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits_2 daily_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER daily_update AFTER UPDATE ON shop.hits_2 REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.daily_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: followed_by_row_state followed_by_row_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER followed_by_row_restored BEFORE INSERT ON shop.followed_by_row_state FOR EACH ROW WHEN (('shop.followed_by_row_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hits followed_by_row_rows; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER followed_by_row_rows AFTER INSERT OR DELETE OR UPDATE ON shop.hits FOR EACH ROW WHEN (('shop.followed_by_row_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();

ALTER TABLE shop.hits ENABLE ALWAYS TRIGGER followed_by_row_rows;


--
-- Name: hits followed_by_row_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER followed_by_row_truncate AFTER TRUNCATE ON shop.hits FOR EACH STATEMENT WHEN (('shop.followed_by_row_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();

ALTER TABLE shop.hits ENABLE ALWAYS TRIGGER followed_by_row_truncate;


--
-- Name: hits_1 followed_by_row_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER followed_by_row_truncate AFTER TRUNCATE ON shop.hits_1 FOR EACH STATEMENT WHEN (('shop.followed_by_row_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();

ALTER TABLE shop.hits_1 ENABLE ALWAYS TRIGGER followed_by_row_truncate;


--
-- Name: hits_2 followed_by_row_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER followed_by_row_truncate AFTER TRUNCATE ON shop.hits_2 FOR EACH STATEMENT WHEN (('shop.followed_by_row_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();

ALTER TABLE shop.hits_2 ENABLE ALWAYS TRIGGER followed_by_row_truncate;


--
-- Name: child heirs_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_delete AFTER DELETE ON shop.child REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: parent heirs_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_delete AFTER DELETE ON shop.parent REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: child heirs_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_insert AFTER INSERT ON shop.child REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: parent heirs_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_insert AFTER INSERT ON shop.parent REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: heirs_state heirs_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_restored BEFORE INSERT ON shop.heirs_state FOR EACH ROW WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: child heirs_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_truncate AFTER TRUNCATE ON shop.child FOR EACH STATEMENT WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: parent heirs_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_truncate AFTER TRUNCATE ON shop.parent FOR EACH STATEMENT WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: child heirs_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_update AFTER UPDATE ON shop.child REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: parent heirs_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER heirs_update AFTER UPDATE ON shop.parent REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.heirs_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits hourly_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER hourly_delete AFTER DELETE ON shop.visits REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.hourly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits hourly_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER hourly_insert AFTER INSERT ON shop.visits REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.hourly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hourly_state hourly_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER hourly_restored BEFORE INSERT ON shop.hourly_state FOR EACH ROW WHEN (('shop.hourly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits hourly_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER hourly_truncate AFTER TRUNCATE ON shop.visits FOR EACH STATEMENT WHEN (('shop.hourly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits hourly_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER hourly_update AFTER UPDATE ON shop.visits REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.hourly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits means_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER means_delete AFTER DELETE ON shop.visits REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.means_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits means_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER means_insert AFTER INSERT ON shop.visits REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.means_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: means_state means_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER means_restored BEFORE INSERT ON shop.means_state FOR EACH ROW WHEN (('shop.means_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits means_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER means_truncate AFTER TRUNCATE ON shop.visits FOR EACH STATEMENT WHEN (('shop.means_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits means_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER means_update AFTER UPDATE ON shop.visits REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.means_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits merged_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER merged_delete AFTER DELETE ON shop.visits REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.merged_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits merged_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER merged_insert AFTER INSERT ON shop.visits REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.merged_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: merged_state merged_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER merged_restored BEFORE INSERT ON shop.merged_state FOR EACH ROW WHEN (('shop.merged_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits merged_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER merged_truncate AFTER TRUNCATE ON shop.visits FOR EACH STATEMENT WHEN (('shop.merged_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: visits merged_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER merged_update AFTER UPDATE ON shop.visits REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.merged_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: passing of_passing_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER of_passing_delete AFTER DELETE ON shop.passing REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.of_passing_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: passing of_passing_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER of_passing_insert AFTER INSERT ON shop.passing REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.of_passing_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: of_passing_state of_passing_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER of_passing_restored BEFORE INSERT ON shop.of_passing_state FOR EACH ROW WHEN (('shop.of_passing_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: passing of_passing_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER of_passing_truncate AFTER TRUNCATE ON shop.passing FOR EACH STATEMENT WHEN (('shop.of_passing_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: passing of_passing_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER of_passing_update AFTER UPDATE ON shop.passing REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.of_passing_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hourly_rows weekly_delete; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER weekly_delete AFTER DELETE ON shop.hourly_rows REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.weekly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hourly_log weekly_flow; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER weekly_flow AFTER DELETE ON shop.hourly_log REFERENCING OLD TABLE AS rollup_old FOR EACH STATEMENT WHEN (('shop.weekly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();

ALTER TABLE shop.hourly_log ENABLE ALWAYS TRIGGER weekly_flow;


--
-- Name: hourly_rows weekly_insert; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER weekly_insert AFTER INSERT ON shop.hourly_rows REFERENCING NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.weekly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: weekly_state weekly_restored; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER weekly_restored BEFORE INSERT ON shop.weekly_state FOR EACH ROW WHEN (('shop.weekly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hourly_rows weekly_truncate; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER weekly_truncate AFTER TRUNCATE ON shop.hourly_rows FOR EACH STATEMENT WHEN (('shop.weekly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- Name: hourly_rows weekly_update; Type: TRIGGER; Schema: shop; Owner: -
--

CREATE TRIGGER weekly_update AFTER UPDATE ON shop.hourly_rows REFERENCING OLD TABLE AS rollup_old NEW TABLE AS rollup_new FOR EACH STATEMENT WHEN (('shop.weekly_state'::regclass IS NOT NULL)) EXECUTE FUNCTION public._rollup_write();


--
-- PostgreSQL database dump complete
--


