-- The uniformity of the public contract, asserted over whatever the extension consists of: a type
-- that is added later is covered without a change here. Each query lists violations, so its right
-- answer is no rows; the counts at the beginning show that there is something to look at.
\set ECHO none
\i sql/include/output.sql
\set ECHO all

CREATE TEMP VIEW member AS
    SELECT d.classid, d.objid
      FROM pg_depend d
      JOIN pg_extension e ON d.refobjid = e.oid
     WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'sketches';
-- Functions of rollups, which make tables and views and are of no type, have rules of their own below.
CREATE TEMP VIEW member_proc AS
    SELECT p.*, p.oid::regprocedure AS signature
      FROM pg_proc p JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
     WHERE proname !~ '^_?rollup_';
CREATE TEMP VIEW member_type AS
    SELECT t.*
      FROM pg_type t JOIN member m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
     WHERE t.typtype = 'b' AND t.typname NOT LIKE '\_%';
CREATE TEMP VIEW member_aggregate AS
    SELECT a.*, p.proname, p.signature, p.proparallel
      FROM pg_aggregate a JOIN member_proc p ON p.oid = a.aggfnoid;
CREATE TEMP VIEW member_operator AS
    SELECT o.*, o.oid::regoperator AS signature
      FROM pg_operator o JOIN member m ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid;
CREATE TEMP VIEW member_opclass AS
    SELECT c.*, a.amname
      FROM pg_opclass c
      JOIN member m ON m.classid = 'pg_opclass'::regclass AND m.objid = c.oid
      JOIN pg_am a ON a.oid = c.opcmethod;
CREATE TEMP VIEW member_cast AS
    SELECT c.*, format('(%s AS %s)', castsource::regtype, casttarget::regtype) AS signature
      FROM pg_cast c JOIN member m ON m.classid = 'pg_cast'::regclass AND m.objid = c.oid;
-- What aggregates call over frames that move.
CREATE TEMP VIEW moving_proc AS
    SELECT DISTINCT p.*
      FROM member_proc p
      JOIN member_aggregate a ON p.oid IN (a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn);
-- What aggregates of an internal state call: a state that is no value of any type, the union of each of
-- several tags.
CREATE TEMP TABLE internal_proc AS
    SELECT DISTINCT p.*
      FROM member_proc p
      JOIN member_aggregate a
        ON a.aggtranstype = 'internal'::regtype
           AND p.oid IN (a.aggtransfn, a.aggcombinefn, a.aggfinalfn, a.aggserialfn, a.aggdeserialfn);
-- The types that are sketches: everything but the hash they count.
CREATE TEMP VIEW sketch_type AS
    SELECT * FROM member_type WHERE typname <> 'hashed';

SELECT (SELECT count(*) FROM member_proc) >= 60 AS procs,
       (SELECT count(*) FROM member_aggregate) >= 6 AS aggregates,
       (SELECT count(*) FROM sketch_type) >= 1 AS types,
       (SELECT count(*) FROM member_operator) >= 8 AS operators,
       (SELECT count(*) FROM member_opclass) >= 2 AS opclasses,
       (SELECT count(*) FROM member_cast) >= 26 AS casts;

-- ---- everything ----

-- Every object has a comment. (From 17 on the types that come with others, of their arrays and of a
-- table's rows, are members, too.)
SELECT i.type, i.identity
  FROM member m, pg_identify_object(m.classid, m.objid, 0) i
 WHERE obj_description(m.objid, m.classid::regclass::name) IS NULL
   AND NOT EXISTS (SELECT FROM pg_type t
                    WHERE m.classid = 'pg_type'::regclass AND t.oid = m.objid
                      AND (t.typcategory = 'A'
                           OR EXISTS (SELECT FROM pg_class c
                                       WHERE c.oid = t.typrelid AND c.relkind <> 'c')))
 ORDER BY 1, 2;

-- A COMMENT is a phrase that is understood at the first reading: it has no period at its end, and none
-- of the turns that readers have stumbled over.
SELECT i.identity, d.text
  FROM member m, pg_identify_object(m.classid, m.objid, 0) i,
       obj_description(m.objid, m.classid::regclass::name) d(text)
 WHERE d.text ~ '\.$|  |\m(but for|apart|as new|so many|if need be|(\w+) \2)\M';

-- Every object that lives in a schema lives in the extension's.
SELECT i.type, i.identity
  FROM member m, pg_identify_object(m.classid, m.objid, 0) i, pg_extension e
 WHERE e.extname = 'sketches' AND quote_ident(i.schema) <> e.extnamespace::regnamespace::text;

-- ---- functions ----

-- All are IMMUTABLE and PARALLEL SAFE, whether functions or aggregates, but for these. (Those of an enum are
-- STABLE, since a label can be renamed. Those that keep rate
-- limits by key ask the clock and write a table; bitfield's output follows the setting bytea_output as bytea's
-- does.)
SELECT signature, provolatile, proparallel
  FROM member_proc
 WHERE provolatile <> CASE WHEN prokind = 'f' AND 'anyenum'::regtype = ANY (proargtypes) THEN 's' ELSE 'i' END OR proparallel <> 's'
 ORDER BY signature::text COLLATE "C";
-- What takes a hashed takes an enum, and a text.
SELECT p.signature, other::text FROM member_proc p, unnest('{anyenum,text}'::regtype[]) other
 WHERE 'hashed'::regtype = ANY (proargtypes) AND prorettype <> 'hashed'::regtype AND proname !~ '^_hashed|_hash$'
   AND NOT EXISTS (SELECT FROM member_proc q WHERE q.proname = p.proname
                      AND q.proargtypes::oid[] = array_replace(p.proargtypes::oid[], 'hashed'::regtype::oid, other::oid));

-- All are STRICT, except those that aggregates call, which have to see a state or a value that is
-- NULL, those that merge, for which NULL is empty, those that change a value by something, for which NULL
-- changes nothing, and those that take from a limiter, which refuse NULL.
SELECT signature
  FROM member_proc p
 WHERE NOT proisstrict AND prokind <> 'a'
   AND NOT EXISTS (SELECT FROM member_aggregate a
                    WHERE p.oid IN (a.aggtransfn, a.aggcombinefn, a.aggfinalfn))
   AND p.oid NOT IN (SELECT oid FROM moving_proc)
   AND proname !~ '_(union|sum|or|(try_)?(add(nx)?|delete|remove)(_all|_range|_hash)?)$'
   AND proname !~ '^bitfield_(set_bit|set|incrby|exec)$|^ratelimit_(take|retake|throttle|window)$|_from_exponential_histogram$';

-- No rights of somebody else, no settings, no promise about leaks.
SELECT signature FROM member_proc WHERE prosecdef OR proleakproof OR proconfig IS NOT NULL;

-- COST says what a function does, in units of about twenty nanoseconds, rounded down to a power of ten: 1
-- for plain arithmetic, for the hash of a string and for transition functions of items, 10 for what a
-- header answers or one probe, 100 for a whole value, 10000 for a statement. No function has the default
-- by accident: none that takes or makes what can be long, or a state over a moving frame. (What the
-- planner, ANALYZE and a sort call, no plan counts; for an aggregate no cost can be given.)
SELECT signature, procost FROM member_proc p
 WHERE prokind <> 'a'
   AND (procost NOT IN (1, 5, 10, 100, 1000, 10000) OR (provolatile = 'v') <> (procost = 10000));
SELECT signature
  FROM member_proc p
 WHERE prokind <> 'a' AND procost = 1 AND proname !~ '_(typanalyze|support|(join)?sel|sortsupport|recv)$'
   AND EXISTS (SELECT FROM unnest(p.proargtypes::oid[] || prorettype) o(type)
                 JOIN pg_type t ON t.oid = o.type
                WHERE t.oid IN (SELECT oid FROM member_type WHERE typlen = -1)
                   OR t.oid IN ('numeric'::regtype, 'jsonb'::regtype, 'record'::regtype,
                                'internal'::regtype)
                   OR t.typcategory = 'A')
   AND NOT EXISTS (SELECT FROM member_aggregate a
                    WHERE p.oid = a.aggtransfn
                      AND p.proargtypes[1] NOT IN (SELECT oid FROM sketch_type WHERE typlen = -1));

-- C functions come from this library by a name that no other library has: PostgreSQL loads
-- libraries so that equal symbols capture one another.
SELECT signature, prosrc
  FROM member_proc p JOIN pg_language l ON l.oid = p.prolang
 WHERE lanname = 'c' AND (prosrc NOT LIKE 'sketches\_%' OR probin <> 'sketches');

-- None is written in SQL: a restore runs with an empty search_path, where a name that is not
-- qualified is not found, and the extension may be in any schema.
SELECT signature
  FROM member_proc p JOIN pg_language l ON l.oid = p.prolang
 WHERE lanname NOT IN ('c', 'internal');

-- The only others are bigint's receive and send, which hashed borrows, its order, which geohash has, too,
-- and those of bytea, which bitfield is but for its name.
SELECT signature, prosrc
  FROM member_proc p JOIN pg_language l ON l.oid = p.prolang
 WHERE lanname <> 'c' AND prokind <> 'a'
 ORDER BY signature::text COLLATE "C";

-- Those of rollups run with the rights of their caller, in no parallel plan; they set the search_path themselves.
SELECT p.oid::regprocedure AS signature
  FROM pg_proc p JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
 WHERE proname ~ '^_?rollup_'
   AND (prosecdef OR proparallel <> 'u' OR proleakproof);

-- Names begin with the type's, or a leading _ and the type's. Others: approx_..., and casts, which are
-- named after their result.
SELECT signature
  FROM member_proc p
 WHERE proname !~ '^_?(approx|sketches)_'
   AND NOT EXISTS (SELECT FROM member_type t
                    WHERE p.proname = t.typname OR ltrim(p.proname, '_') LIKE t.typname || '\_%')
   AND NOT EXISTS (SELECT FROM member_cast c WHERE c.castfunc = p.oid);

-- A leading _ keeps what PostgreSQL calls, and no query, out of \df hll_*: what aggregates, types,
-- operator classes, comparisons, <@ and planner support consist of, what plans call in place of
-- geohash_within, and what limiters by key call. All of these have it, and nothing else.
CREATE TEMP TABLE plumbing AS
    SELECT p.oid
      FROM member_proc p
     WHERE prokind <> 'a'
       AND (EXISTS (SELECT FROM member_aggregate a
                     WHERE p.oid IN (a.aggtransfn, a.aggcombinefn, a.aggfinalfn, a.aggserialfn,
                                     a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn))
         OR EXISTS (SELECT FROM member_type t
                     WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend, t.typanalyze,
                                     t.typmodin, t.typmodout))
         OR EXISTS (SELECT FROM pg_amproc WHERE amproc = p.oid)
         OR EXISTS (SELECT FROM member_proc q WHERE q.prosupport = p.oid)
         OR EXISTS (SELECT FROM member_operator o WHERE p.oid IN (o.oprrest, o.oprjoin))
         OR EXISTS (SELECT FROM member_operator o JOIN pg_amop s ON s.amopopr IN (o.oid, o.oprnegate)
                     WHERE o.oprcode = p.oid
                       AND s.amopmethod IN (SELECT oid FROM pg_am WHERE amname IN ('btree', 'hash')))
         OR EXISTS (SELECT FROM member_operator o WHERE o.oprcode = p.oid AND o.oprname = '<@')
         OR proname IN ('_geohash_cover_end', '_geohash_cover_box_end')
         OR '_ratelimit_int'::regtype = ANY (proargtypes));
SELECT signature, p.oid IN (SELECT oid FROM plumbing) AS plumbing
  FROM member_proc p
 WHERE starts_with(proname, '_') <> (p.oid IN (SELECT oid FROM plumbing));

-- Arguments are named by one rule. The value a function is about is sketch (geohash, for positions), two
-- of a type are a and b, several are sketches; an item or number is value, an array of them is items;
-- what comes from elsewhere is payload. Every name can be written before => without quotes.
CREATE TEMP VIEW argument AS
    SELECT p.signature, p.proname, p.prokind, a.name, a.type::regtype AS type, a.place,
           count(*) FILTER (WHERE a.type IN (SELECT oid FROM sketch_type))
               OVER (PARTITION BY p.oid, a.type) AS alike
      FROM member_proc p
      CROSS JOIN unnest(p.proargtypes::oid[],
                        ARRAY(SELECT name
                                FROM unnest(coalesce(p.proargnames, array_fill(''::text, ARRAY[p.pronargs])),
                                            p.proargmodes)
                                     WITH ORDINALITY n(name, mode, place)
                               WHERE coalesce(mode, 'i') IN ('i', 'b', 'v')
                               ORDER BY place))
                 WITH ORDINALITY a(type, name, place)
     WHERE p.proname NOT LIKE '\_%';
SELECT signature, name, type
  FROM argument
 WHERE coalesce(name, '') = ''
    OR name IN (SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'C'));
SELECT signature, name, type
  FROM argument
 WHERE type IN (SELECT oid FROM sketch_type)
   AND name <> CASE WHEN type = 'geohash'::regtype AND name IN ('lo', 'hi') THEN name
                    WHEN type = 'ratelimit'::regtype AND place = 2 THEN 'fresh'
                    WHEN proname = 'ddsketch_increase' THEN CASE place WHEN 1 THEN 'current' ELSE 'previous' END
                    WHEN alike = 2 AND type NOT IN ('geohash'::regtype, 'ratelimit'::regtype)
                      OR proname = 'geohash_distance' THEN CASE place WHEN 1 THEN 'a' ELSE 'b' END
                    WHEN type = 'geohash'::regtype THEN 'geohash'
                    ELSE 'sketch' END;
SELECT signature, name, type
  FROM argument
 WHERE (type = 'hashed'::regtype AND name <> 'value')
    OR (type = 'hashed[]'::regtype AND name <> 'items')
    OR (type::oid IN (SELECT typarray FROM sketch_type) AND name <> 'sketches')
    OR (type = 'bytea'::regtype AND place = 1 AND proname LIKE '%\_from\_%'
        AND name NOT IN ('payload', 'header'));

-- Parameters stand in the same order, and have the same names, in T_empty and in T_agg; there counts and
-- weights of a row may be among them.
SELECT g.signature, e.proargnames AS empty
  FROM member_proc g
  JOIN sketch_type t ON g.prokind = 'a' AND g.proname = t.typname || '_agg' AND g.pronargs > 1
  JOIN member_proc e ON e.proname = t.typname || '_empty'
 WHERE (SELECT array_agg(coalesce(array_position(e.proargnames, name), 0) ORDER BY place)
          FROM unnest(g.proargnames[2:]) WITH ORDINALITY p(name, place) WHERE name <> 'count')
       IS DISTINCT FROM
       (SELECT array_agg(n ORDER BY n)
          FROM unnest(g.proargnames[2:]) p(name)
          CROSS JOIN LATERAL nullif(array_position(e.proargnames, name), 0) n WHERE name <> 'count');

-- No function of PostgreSQL has the name of one of ours, casts apart: a call that resolved before
-- the extension was created resolves as before.
SELECT signature
  FROM member_proc p
 WHERE EXISTS (SELECT FROM pg_proc q
                WHERE q.pronamespace = 'pg_catalog'::regnamespace AND q.proname = p.proname)
   AND NOT EXISTS (SELECT FROM member_cast c WHERE c.castfunc = p.oid);

-- No polymorphic or other pseudo-type among the arguments: planners that ship aggregates to other
-- servers need concrete types. Input takes cstring, receive internal; so do what ANALYZE calls,
-- planner support functions, estimators, the sort support of a btree operator class, and what works over frames
-- that move, which are never shipped.
SELECT p.signature, t.typname
  FROM member_proc p
  CROSS JOIN unnest(p.proargtypes::oid[]) argument
  JOIN pg_type t ON t.oid = argument
 WHERE t.typtype = 'p'
   AND NOT (t.typname = 'cstring' AND p.oid IN (SELECT typinput FROM member_type))
   AND t.typname <> 'anyenum'
   AND p.oid NOT IN (SELECT oid FROM moving_proc)
   AND NOT (t.typname = 'internal' AND (p.oid IN (SELECT typreceive FROM member_type)
                                     OR p.oid IN (SELECT typanalyze FROM member_type)
                                     OR p.oid IN (SELECT prosupport FROM member_proc)
                                     OR p.oid IN (SELECT oprrest FROM member_operator)
                                     OR p.oid IN (SELECT oprjoin FROM member_operator)
                                     OR p.oid IN (SELECT oid FROM internal_proc)
                                     OR p.oid IN (SELECT amproc FROM pg_amproc)));

-- Results: cstring of output only, records with named columns only, nothing of sort support only,
-- internal of planner support, over frames that move, and of operator classes only.
SELECT signature, prorettype::regtype
  FROM member_proc p JOIN pg_type t ON t.oid = p.prorettype
 WHERE t.typtype = 'p' AND NOT (t.typname = 'cstring'
            AND p.oid IN (SELECT typoutput FROM member_type))
   AND NOT (t.typname = 'record' AND 'o' = ANY (p.proargmodes))
   AND p.oid NOT IN (SELECT oid FROM moving_proc)
   AND NOT (t.typname = 'internal' AND (p.oid IN (SELECT prosupport FROM member_proc)
                                     OR p.oid IN (SELECT amproc FROM pg_amproc)
                                     OR p.oid IN (SELECT oid FROM internal_proc)))
   AND NOT (t.typname = 'void' AND p.oid IN (SELECT amproc FROM pg_amproc WHERE amprocnum = 2));

-- ---- aggregates ----

-- The state is a sketch type, which travels between processes and servers as it is. (The exception is
-- above: it travels between processes by its serial functions.)
SELECT signature, aggtranstype::regtype
  FROM member_aggregate
 WHERE aggtranstype NOT IN (SELECT oid FROM sketch_type)
   AND proname <> ALL (ARRAY['roaring_intersection_count_agg', 'roaring64_intersection_count_agg']);

-- There is a function that combines two states, a final function that packs (a bitfield is what it
-- is), an estimate of the state's size; no initial value, no serial functions, and no final function
-- changes its argument.
SELECT signature
  FROM member_aggregate
 WHERE aggkind <> 'n' OR proparallel <> 's'
    OR aggcombinefn = 0 OR aggtransspace <= 0
    OR (aggfinalfn = 0 AND aggtranstype <> 'bitfield'::regtype)
    OR agginitval IS NOT NULL
    OR (aggserialfn <> 0 OR aggdeserialfn <> 0) <> (aggtranstype = 'internal'::regtype)
    OR aggfinalmodify <> 'r' OR aggfinalextra;

-- Over frames that move the aggregates have a state of their own that unite stored sketches, and those that
-- count distinct values and find percentiles exactly there; no others have. (The aggregate that test/t/030_update.pl
-- adds is another one's union.)
SELECT signature
  FROM member_aggregate
 WHERE (proname ~ '_union(_cardinality|_percentile|_percentiles)?_agg$|^approx_(count_distinct|percentile|percentiles|median)$')
       <> (aggmtransfn <> 0) AND proname <> 'topk_update_agg'
    OR aggmtransfn <> 0
       AND (aggminvtransfn = 0 OR aggmfinalfn = 0 OR aggmtransspace <= 0 OR aggmfinalmodify <> 'r');

-- The combine function takes two states and is the union's transition function.
SELECT a.signature, a.aggcombinefn::regprocedure
  FROM member_aggregate a JOIN pg_proc c ON c.oid = a.aggcombinefn
 WHERE c.proargtypes::text <> concat_ws(' ', a.aggtranstype::oid, a.aggtranstype::oid)
    OR c.prorettype <> a.aggtranstype;

-- ---- types ----

-- Variable-length ones are stored uncompressed and can be fetched in slices, and are aligned for
-- the 32-bit words of an aggregate's state; others are 64 bits by value. All have a binary form,
-- are in the user category, and none is preferred. Of those whose order means nothing ANALYZE keeps
-- no histogram.
SELECT typname, typlen, typbyval, typalign, typstorage
  FROM member_type
 WHERE CASE typlen WHEN -1 THEN typbyval OR typalign <> 'i' OR typstorage <> 'e'
                   ELSE typlen <> 8 OR typalign <> 'd' OR typstorage <> 'p' END
    OR typreceive = 0 OR typsend = 0 OR (typlen = -1) <> (typanalyze <> 0)
    OR typcategory <> 'U' OR typispreferred
    OR typmodin <> 0 OR typmodout <> 0 OR typarray = 0;

-- Every sketch is a bytea and back by a function that validates.
SELECT typname
  FROM sketch_type t
 WHERE typlen = -1
   AND (NOT EXISTS (SELECT FROM member_cast c
                     WHERE castsource = t.oid AND casttarget = 'bytea'::regtype)
     OR NOT EXISTS (SELECT FROM member_cast c
                     WHERE casttarget = t.oid AND castsource = 'bytea'::regtype));

-- ---- casts ----

-- Those into hashed are implicit; bytes go into a column of a type by assignment; all others are explicit.
SELECT signature, castcontext
  FROM member_cast
 WHERE castcontext <> CASE WHEN casttarget = 'hashed'::regtype THEN 'i' WHEN castsource = 'bytea'::regtype AND casttarget <> 'geohash'::regtype THEN 'a' ELSE 'e' END;

-- None into a type of the extension goes without a function, which would skip validation, except
-- where all bytes are valid.
SELECT signature, castmethod
  FROM member_cast
 WHERE castmethod <> 'f' AND (castmethod <> 'b' OR casttarget IN (SELECT oid FROM member_type))
   AND casttarget <> 'bitfield'::regtype;

-- The types that cast to hashed.
SELECT string_agg(castsource::regtype::text, ', ' ORDER BY castsource::regtype::text COLLATE "C") AS hashes
  FROM member_cast WHERE casttarget = 'hashed'::regtype;

-- ---- operators and operator classes ----

-- No operator takes a hashed beside anything but a sketch, except those of its own classes, whose
-- names PostgreSQL and common extensions do not have: with the implicit casts into it, an = of two
-- hashed would make integer = text resolve.
SELECT signature
  FROM member_operator o
 WHERE 'hashed'::regtype IN (oprleft, oprright)
   AND NOT (oprleft IN (SELECT oid FROM sketch_type) OR oprright IN (SELECT oid FROM sketch_type))
   AND NOT (oprname LIKE '#*%' AND oprleft = oprright
            AND NOT EXISTS (SELECT FROM pg_operator p
                             WHERE p.oprname = o.oprname AND p.oid <> o.oid));

-- Every operator takes a type of the extension, and its function is one of the extension.
SELECT signature
  FROM member_operator
 WHERE NOT (oprleft IN (SELECT oid FROM member_type) OR oprright IN (SELECT oid FROM member_type))
    OR oprcode NOT IN (SELECT oid FROM member_proc);

-- Comparisons have commutator, negator and estimators; equality hashes, and merges where there is an order;
-- union commutes.
SELECT signature
  FROM member_operator
 WHERE (oprname IN ('=', '<>', '<', '<=', '>', '>=')
        AND (oprcom = 0 OR oprnegate = 0 OR oprrest = 0 OR oprjoin = 0))
    OR (oprname = '=' AND (NOT oprcanhash OR oprcanmerge <> (oprleft = 'geohash'::regtype)))
    OR (oprname = '|' AND oprleft = oprright AND oprcom <> oid);

-- A prefix operator binds weaker than arithmetic: # a - # b is # (a - (# b)). So only hll and theta have a #, and no
-- number can be subtracted from them.
SELECT signature FROM member_operator
 WHERE oprname = '#' AND oprleft = 0 AND oprright NOT IN ('hll'::regtype, 'theta'::regtype);
SELECT signature FROM member_operator
 WHERE oprname = '-' AND oprleft IN ('hll'::regtype, 'theta'::regtype) AND oprright <> oprleft;

-- <@ is @> from the other side, and an operator of two values of a type says whether they commute. (Items of
-- theta have six types, which would take six operators more.)
SELECT signature FROM member_operator WHERE oprname IN ('@>', '<@', '&', '&&', '<->') AND oprcom = 0 AND oprleft <> 'theta'::regtype;

-- Every type that is a sketch can be looked at: as columns, as a line, as JSON.
SELECT typname, suffix
  FROM sketch_type t CROSS JOIN (VALUES ('info'), ('describe')) s(suffix)
 WHERE typlen = -1
   AND NOT EXISTS (SELECT FROM member_proc p
                    WHERE p.proname = typname || '_' || suffix AND p.proargtypes[0] = t.oid);

-- Every type has a default hash operator class, and those that have an order a btree class; no sketch has one.
-- They hang together.
SELECT t.typname, a.amname
  FROM member_type t CROSS JOIN (VALUES ('btree'), ('hash')) a(amname)
 WHERE EXISTS (SELECT FROM member_opclass c WHERE c.opcintype = t.oid AND c.opcdefault AND c.amname = a.amname)
       <> (a.amname = 'hash' OR t.typname IN ('geohash', 'hashed'));
SELECT signature FROM member_operator WHERE oprname IN ('<', '<=', '>', '>=') AND oprleft <> 'geohash'::regtype;
SELECT opcname, amname FROM member_opclass WHERE NOT amvalidate(oid);
