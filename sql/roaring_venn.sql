-- Many sets at once: regions of Venn diagrams, and intersections of the unions of tags, against plain SQL.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

SELECT members_of, elements FROM roaring_venn('{1,2,3}', '{2,3,4}', '{3,9}');
SELECT members_of, elements FROM roaring64_venn('{1,2,3}', '{2,3,9223372036854775807}');
SELECT members_of, elements FROM roaring_venn('{1,2}', NULL, '{}', '{2}');
SELECT count(*) AS none FROM roaring_venn('{}', NULL);
SELECT count(*) AS of_no_sets FROM roaring_venn(VARIADIC '{}');
SELECT count(*) AS of_null FROM roaring_venn(VARIADIC NULL::roaring[]);
SELECT members_of, roaring_cardinality(elements) AS elements
  FROM roaring_venn(roaring_range(0, 4294967296), roaring_range(100, 200), roaring_range(150, 4294967296))
 ORDER BY members_of;
SELECT (roaring_venn('{1,2,3}', '{2}')).*;
SELECT pg_temp.error_of('SELECT count(*) FROM roaring_venn(VARIADIC array_fill(''{1}''::roaring, ARRAY[4097]))');
SELECT cardinality(members_of) AS sets, elements
  FROM roaring_venn(VARIADIC array_fill('{1}'::roaring, ARRAY[4096]));

-- pg_roaringbitmap's cases of rb_group_elements_by_source.
SELECT members_of, elements::int[]
  FROM roaring_venn(VARIADIC ARRAY['{1,2,3}', '{3,4,5}', '{5,6,1}']::roaring[]) ORDER BY members_of;

-- Random sets, as SQL tells: each value with the array of its sets.
CREATE TEMP TABLE member AS
    SELECT s AS set, hashint4(s * 100000 + e) & (CASE WHEN s % 3 = 0 THEN 1023 ELSE 262143 END) AS value
      FROM generate_series(1, 70) s, generate_series(1, 400 * (s % 9)) e;
CREATE TEMP TABLE sets AS
    SELECT array_agg(members ORDER BY set) AS narrow, array_agg(members::roaring64 ORDER BY set) AS wide
      FROM (SELECT s AS set, (SELECT roaring_agg(value) FROM member m WHERE m.set = s) AS members
              FROM generate_series(1, 70) s) x;
CREATE TEMP TABLE region AS
    SELECT members_of, roaring_agg(value) AS elements
      FROM (SELECT value, array_agg(DISTINCT set ORDER BY set) AS members_of FROM member GROUP BY value) m
     GROUP BY members_of;
SELECT count(*) > 100 AS regions FROM region;
SELECT count(*) AS narrow_differs
  FROM sets, roaring_venn(VARIADIC narrow) v FULL JOIN region r USING (members_of)
 WHERE v.elements IS DISTINCT FROM r.elements;
SELECT count(*) AS wide_differs
  FROM sets, roaring64_venn(VARIADIC wide) v FULL JOIN region r USING (members_of)
 WHERE v.elements IS DISTINCT FROM r.elements::roaring64;

-- ---- tags ----

CREATE TABLE visit (day text, members roaring);
INSERT INTO visit
    SELECT 'd' || d % 4, (SELECT roaring_agg(hashint4(d * 1000 + e) & 4095) FROM generate_series(1, 300) e)
      FROM generate_series(1, 40) d;
INSERT INTO visit VALUES ('d1', NULL), (NULL, '{1}'), ('d9', '{}');
CREATE VIEW by_tags AS
    SELECT tags, roaring_intersection_count_agg(members, day, tags) AS counted,
           roaring64_intersection_count_agg(members::roaring64, day, tags) AS wide
      FROM visit, (VALUES ('{d0}'::text[]), ('{d0,d1}'), ('{d0,d1,d2,d3}'), ('{d3,d3}'), ('{d0,d7}'), ('{d0,d9}'),
                          ('{}'), ('{NULL}'), ('{d1,NULL,d2}')) t(tags)
     GROUP BY tags;
SELECT tags, counted = wide AS alike,
       counted = CASE WHEN cardinality(array_remove(tags, NULL)) = 0 THEN 0 ELSE
           (SELECT count(*)
              FROM (SELECT e
                      FROM visit, roaring_elements(members) e
                     WHERE day = ANY (tags)
                     GROUP BY e
                    HAVING count(DISTINCT day) = (SELECT count(DISTINCT t) FROM unnest(tags) t)) x) END AS right
  FROM by_tags ORDER BY tags;
SELECT counted > 100 AS some FROM by_tags WHERE tags = '{d0,d1}';
SELECT roaring_intersection_count_agg(members, day, '{d0}') AS no_rows FROM visit WHERE false;
SELECT * FROM pg_temp.errors_of(
    'roaring_intersection_count_agg(members, day, ARRAY[day]) FROM visit',
    'roaring_intersection_count_agg(members, day, NULL) FROM visit',
    'roaring_intersection_count_agg(members, day, array_fill(day, ARRAY[1001])) FROM visit');

-- In parallel, and over window frames.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
CREATE TEMP TABLE serial AS SELECT * FROM by_tags;
ALTER TABLE visit SET (parallel_workers = 2);
SELECT roaring_intersection_count_agg(members, day, '{d0,d1}') =
       (SELECT counted FROM serial WHERE tags = '{d0,d1}') AS parallel,
       roaring64_intersection_count_agg(members::roaring64, day, '{d0,d7}') AS missing
  FROM visit;
SELECT count(DISTINCT n) > 1 AS moving
  FROM (SELECT roaring_intersection_count_agg(members, day, '{d0,d1}') OVER (
                   ORDER BY day, members::bytea ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS n FROM visit) x;
DROP VIEW by_tags;
DROP TABLE visit;
