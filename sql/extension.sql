-- Creating, moving and dropping the extension. This test runs first and leaves the extension in
-- public for the others.
\set ECHO none
\i sql/include/output.sql
\i sql/include/error_of.sql
\set ECHO all

-- A user without any other right than CREATE on the database may create it: it is trusted.
CREATE ROLE regress_sketches_user;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_sketches_user', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_sketches_user;
SET ROLE regress_sketches_user;
CREATE EXTENSION sketches;
SELECT rolname FROM pg_extension e JOIN pg_roles r ON r.oid = e.extowner WHERE extname = 'sketches';
SELECT hll_cardinality(hll_agg(x)) FROM generate_series(1, 3) x;
DROP EXTENSION sketches;
RESET ROLE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_sketches_user', current_database()) \gexec
REVOKE CREATE ON SCHEMA public FROM regress_sketches_user;
DROP ROLE regress_sketches_user;

-- A dropped extension leaves nothing behind: no function of its library, no type.
SELECT count(*) FROM pg_proc WHERE probin LIKE '%sketches%';
SELECT count(*) FROM pg_type WHERE typname IN ('hashed', 'hll', '_hashed', '_hll');

CREATE EXTENSION sketches;
SELECT e.extrelocatable, n.nspname
  FROM pg_extension e
  JOIN pg_namespace n ON n.oid = e.extnamespace
 WHERE e.extname = 'sketches';
SELECT pg_temp.sqlstate_of('CREATE EXTENSION sketches') = '42710' AS created_once_only;

-- Every member that lives in a schema, with that schema.
CREATE VIEW pg_temp.member_schemas AS
    SELECT DISTINCT i.schema
      FROM pg_extension e
      JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
           AND d.deptype = 'e',
           pg_identify_object(d.classid, d.objid, 0) i
     WHERE e.extname = 'sketches' AND i.schema IS NOT NULL;
SELECT * FROM pg_temp.member_schemas;

-- Moved elsewhere, everything moves along, and stored values stay what they were.
CREATE TABLE kept (id int, h hll);
INSERT INTO kept SELECT 1, hll_agg(x) FROM generate_series(1, 100) x;
INSERT INTO kept SELECT 2, hll_agg(x) FROM generate_series(51, 150) x;
CREATE TEMP TABLE before AS SELECT id, h::text AS printed FROM kept;
CREATE SCHEMA "else where";
ALTER EXTENSION sketches SET SCHEMA "else where";
SELECT * FROM pg_temp.member_schemas;
SELECT bool_and(k.h::text = b.printed) AS unchanged FROM kept k JOIN before b USING (id);

-- Nothing of it is found by search_path now. Qualified names work, and so do what needs no name:
-- input and output, the implicit casts into hashed, and the operator classes.
SELECT pg_temp.sqlstate_of('SELECT hll_empty()') AS not_found;
SELECT "else where".hll_cardinality("else where".hll_agg(x)) = 3 AS counted
  FROM (VALUES ('a'::text), ('b'), ('c')) v(x);
SELECT OPERATOR("else where".#) (a.h OPERATOR("else where".|) b.h) BETWEEN 149 AND 151 AS joined
  FROM kept a, kept b WHERE a.id = 1 AND b.id = 2;
SELECT count(*) AS distinct_sketches FROM (SELECT DISTINCT h FROM (TABLE kept UNION ALL TABLE kept) k) d;

ALTER EXTENSION sketches SET SCHEMA public;
SELECT * FROM pg_temp.member_schemas;
SELECT bool_and(k.h::text = b.printed) AS unchanged FROM kept k JOIN before b USING (id);

-- A column of its type holds the extension; CASCADE takes the column, not the table.
SELECT pg_temp.sqlstate_of('DROP EXTENSION sketches') = '2BP01' AS held;
SET client_min_messages = warning;
DROP EXTENSION sketches CASCADE;
RESET client_min_messages;
SELECT attname FROM pg_attribute
 WHERE attrelid = 'kept'::regclass AND attnum > 0 AND NOT attisdropped;
DROP TABLE kept;

-- It may be created in any schema from the start, where another extension has its names in public.
CREATE EXTENSION sketches SCHEMA "else where";
SELECT * FROM pg_temp.member_schemas;
SELECT "else where".approx_count_distinct(x) FROM generate_series(1, 3) x;
DROP EXTENSION sketches;
DROP SCHEMA "else where";

CREATE EXTENSION sketches;
SELECT * FROM pg_temp.member_schemas;

-- The library is of the version that the catalog has.
SELECT sketches_version() = extversion AS same_version FROM pg_extension WHERE extname = 'sketches';
