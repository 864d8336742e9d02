-- The types of the extension, whatever they are, and how to make a value of each: by the aggregate of
-- one argument, T_agg(x). Tests of what holds of every type read this with \i.
CREATE TEMP TABLE made AS
    SELECT DISTINCT ON (p.prorettype)
           p.prorettype::regtype AS type, p.proname AS aggregate,
           p.proargtypes[0]::regtype AS argument,
           -- An item made of a number i; bigint casts to hashed by itself.
           CASE WHEN p.proargtypes[0] = 'hashed'::regtype THEN 'i::bigint'
                ELSE 'i::' || p.proargtypes[0]::regtype END AS item,
           a.aggtransfn, a.aggcombinefn, nullif(a.aggfinalfn::text, '-') AS aggfinalfn
      FROM pg_extension e
      JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
           AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
      JOIN pg_proc p ON p.oid = d.objid
      JOIN pg_aggregate a ON a.aggfnoid = p.oid
      JOIN pg_type t ON t.oid = p.prorettype
     WHERE e.extname = 'sketches' AND p.pronargs = 1 AND p.proname = t.typname || '_agg'
       AND p.proargtypes[0] NOT IN ('text'::regtype, 'bytea'::regtype)
     -- Where an aggregate takes several types, one of integers.
     ORDER BY p.prorettype, p.proargtypes[0]::regtype::text NOT IN ('hashed', 'bigint');

-- The function that says how much there is in a value of a type.
CREATE FUNCTION pg_temp.size_of(type regtype) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN type::text IN ('tdigest', 'ddsketch', 'bitfield') THEN type || '_count'
                WHEN type::text IN ('cms', 'topk') THEN type || '_total'
                ELSE type || '_cardinality' END
$$;

-- What a test says of each type. In its text, <T> stands for the type, <A> for the aggregate, <N> for
-- the function of the size and <X> for an item made of a number i.
CREATE FUNCTION pg_temp.of_each(test text) RETURNS TABLE (type regtype, answer text)
LANGUAGE plpgsql AS $$
DECLARE
    m made;
BEGIN
    FOR m IN SELECT * FROM made ORDER BY made.type::text COLLATE "C" LOOP
        type := m.type;
        EXECUTE replace(replace(replace(replace(test, '<T>', m.type::text), '<A>', m.aggregate),
            '<N>', pg_temp.size_of(m.type)), '<X>', m.item) INTO answer;
        RETURN NEXT;
    END LOOP;
END $$;
