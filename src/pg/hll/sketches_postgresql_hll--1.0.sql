\echo Use "CREATE EXTENSION sketches_postgresql_hll" to load this file. \quit

-- The names of postgresql-hll over the hll of sketches: what was written for it runs unchanged. Hashes are the same, so
-- values that hll_from_postgresql_hll read merge with those that are counted here. What differs is in doc/reference/interop.md.
--
-- hll_cardinality, hll_empty and # are in sketches, too, and mean something else there. So these names are in a schema
-- of their own, which a search_path has before that of sketches. Whoever creates the extension may have put anything into
-- that schema, and the script runs as a superuser. So the first statement takes the schema out of the search_path, and
-- this one and the next, which compute something, name the schema of all that they use, operators too. The others make
-- objects by their full names, of what is in pg_catalog or sketches. Calls have all arguments, of the types of the
-- function, so that no other function of the name matches as well.

SELECT pg_catalog.set_config('search_path', pg_catalog.format('pg_catalog, %s, pg_temp', extnamespace::pg_catalog.regnamespace), true)
FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'sketches';
DO $$
BEGIN
    IF (SELECT pg_catalog.count(DISTINCT extnamespace) OPERATOR(pg_catalog.=) 1 FROM pg_catalog.pg_extension
        WHERE extname OPERATOR(pg_catalog.=) ANY (ARRAY['sketches', 'sketches_postgresql_hll']::pg_catalog.name[])) THEN
        RAISE EXCEPTION 'sketches_postgresql_hll cannot share the schema of sketches' USING
            DETAIL = 'hll_cardinality, hll_empty and # are in both.', ERRCODE = 'duplicate_function',
            HINT = 'CREATE SCHEMA postgresql_hll; CREATE EXTENSION sketches_postgresql_hll SCHEMA postgresql_hll;';
    END IF;
END
$$;

-- A hash: a bigint that no number is taken for, so that `users || user_id` fails.
CREATE TYPE @extschema@.hll_hashval;
CREATE FUNCTION @extschema@.hll_hashval_in(cstring) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE LANGUAGE internal AS 'int8in';
CREATE FUNCTION @extschema@.hll_hashval_out(@extschema@.hll_hashval) RETURNS cstring IMMUTABLE STRICT PARALLEL SAFE LANGUAGE internal AS 'int8out';
CREATE TYPE @extschema@.hll_hashval (INPUT = @extschema@.hll_hashval_in, OUTPUT = @extschema@.hll_hashval_out, LIKE = bigint);
CREATE FUNCTION @extschema@.hll_hashval_int4(int) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE LANGUAGE internal AS 'int48';
CREATE CAST (bigint AS @extschema@.hll_hashval) WITHOUT FUNCTION;
CREATE CAST (int AS @extschema@.hll_hashval) WITH FUNCTION @extschema@.hll_hashval_int4(int);
CREATE FUNCTION @extschema@.hll_hashval_eq(@extschema@.hll_hashval, @extschema@.hll_hashval) RETURNS boolean IMMUTABLE STRICT PARALLEL SAFE LANGUAGE internal AS 'int8eq';
CREATE FUNCTION @extschema@.hll_hashval_ne(@extschema@.hll_hashval, @extschema@.hll_hashval) RETURNS boolean IMMUTABLE STRICT PARALLEL SAFE LANGUAGE internal AS 'int8ne';
CREATE OPERATOR @extschema@.= (FUNCTION = @extschema@.hll_hashval_eq, LEFTARG = @extschema@.hll_hashval, RIGHTARG = @extschema@.hll_hashval, COMMUTATOR = OPERATOR(@extschema@.=));
CREATE OPERATOR @extschema@.<> (FUNCTION = @extschema@.hll_hashval_ne, LEFTARG = @extschema@.hll_hashval, RIGHTARG = @extschema@.hll_hashval, COMMUTATOR = OPERATOR(@extschema@.<>));

-- Hashing, of the bytes that PostgreSQL keeps in memory, as there: 8 of a time, 4 of a date, all of a text. C functions
-- of sketches read them by their size, so one for bigint reads a timestamptz. The second argument is the seed.
CREATE FUNCTION @extschema@.hll_hash_boolean(boolean, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_boolean';
CREATE FUNCTION @extschema@.hll_hash_smallint(smallint, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_smallint';
CREATE FUNCTION @extschema@.hll_hash_integer(int, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_integer';
CREATE FUNCTION @extschema@.hll_hash_bigint(bigint, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bigint';
CREATE FUNCTION @extschema@.hll_hash_bytea(bytea, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_text(text, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_any(boolean, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_boolean';
CREATE FUNCTION @extschema@.hll_hash_any(smallint, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_smallint';
CREATE FUNCTION @extschema@.hll_hash_any(int, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_integer';
CREATE FUNCTION @extschema@.hll_hash_any(date, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_integer';
CREATE FUNCTION @extschema@.hll_hash_any(real, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_integer';
CREATE FUNCTION @extschema@.hll_hash_any(anyenum, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_integer';
CREATE FUNCTION @extschema@.hll_hash_any(bigint, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bigint';
CREATE FUNCTION @extschema@.hll_hash_any(timestamptz, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bigint';
CREATE FUNCTION @extschema@.hll_hash_any(timestamp, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bigint';
CREATE FUNCTION @extschema@.hll_hash_any(time, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bigint';
CREATE FUNCTION @extschema@.hll_hash_any(float8, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bigint';
CREATE FUNCTION @extschema@.hll_hash_any(bytea, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_any(text, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_any(character, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_any(numeric, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_any(jsonb, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_any(inet, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_any(anyarray, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_hash_bytes';
CREATE FUNCTION @extschema@.hll_hash_any(uuid, bigint DEFAULT 0) RETURNS @extschema@.hll_hashval IMMUTABLE STRICT PARALLEL SAFE RETURN @extschema@.hll_hash_bytea(uuid_send($1), $2);

-- Sketches. regwidth, expthresh and sparseon are accepted and not used: a value here has the form that is smallest.
CREATE FUNCTION @extschema@.hll_empty(log2m bigint DEFAULT 11, regwidth bigint DEFAULT 5, expthresh bigint DEFAULT -1, sparseon bigint DEFAULT 1) RETURNS hll IMMUTABLE PARALLEL SAFE RETURN hll_postgresql_hll_empty($1);
CREATE FUNCTION @extschema@.hll_add(hll, @extschema@.hll_hashval) RETURNS hll IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_add_hash';
CREATE FUNCTION @extschema@.hll_add_rev(@extschema@.hll_hashval, hll) RETURNS hll IMMUTABLE STRICT PARALLEL SAFE RETURN @extschema@.hll_add($2, $1);
CREATE FUNCTION @extschema@.hll_cardinality(hll) RETURNS float8 IMMUTABLE STRICT PARALLEL SAFE RETURN hll_cardinality($1);
CREATE FUNCTION @extschema@.hll_eq(hll, hll) RETURNS boolean IMMUTABLE STRICT PARALLEL SAFE RETURN $1 = $2;
CREATE FUNCTION @extschema@.hll_ne(hll, hll) RETURNS boolean IMMUTABLE STRICT PARALLEL SAFE RETURN $1 <> $2;
CREATE FUNCTION @extschema@.hll_print(hll) RETURNS text IMMUTABLE STRICT PARALLEL SAFE RETURN hll_describe($1);
CREATE FUNCTION @extschema@.hll_send(hll) RETURNS bytea IMMUTABLE STRICT PARALLEL SAFE RETURN hll_to_postgresql_hll($1, 5::bigint, -1::bigint, true);
CREATE FUNCTION @extschema@.hll_schema_version(hll) RETURNS int IMMUTABLE STRICT PARALLEL SAFE RETURN get_byte(@extschema@.hll_send($1), 0) >> 4;
CREATE FUNCTION @extschema@.hll_type(hll) RETURNS int IMMUTABLE STRICT PARALLEL SAFE RETURN get_byte(@extschema@.hll_send($1), 0) & 15;
CREATE FUNCTION @extschema@.hll_regwidth(hll) RETURNS int IMMUTABLE STRICT PARALLEL SAFE RETURN (get_byte(@extschema@.hll_send($1), 1) >> 5) + 1;
CREATE FUNCTION @extschema@.hll_log2m(hll) RETURNS int IMMUTABLE STRICT PARALLEL SAFE RETURN get_byte(@extschema@.hll_send($1), 1) & 31;
CREATE OPERATOR @extschema@.|| (FUNCTION = hll_union, LEFTARG = hll, RIGHTARG = hll, COMMUTATOR = OPERATOR(@extschema@.||));
CREATE OPERATOR @extschema@.|| (FUNCTION = @extschema@.hll_add, LEFTARG = hll, RIGHTARG = @extschema@.hll_hashval);
CREATE OPERATOR @extschema@.|| (FUNCTION = @extschema@.hll_add_rev, LEFTARG = @extschema@.hll_hashval, RIGHTARG = hll);
CREATE OPERATOR @extschema@.# (FUNCTION = @extschema@.hll_cardinality, RIGHTARG = hll);

-- Aggregates, with the C functions of hll_postgresql_hll_agg, which read two arguments. hll_union_agg is that of sketches.
CREATE FUNCTION @extschema@._hll_add_state(hll, @extschema@.hll_hashval) RETURNS hll IMMUTABLE PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_agg_state';
CREATE FUNCTION @extschema@._hll_add_state(hll, @extschema@.hll_hashval, bigint) RETURNS hll IMMUTABLE PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_agg_state';
CREATE FUNCTION @extschema@._hll_add_state(hll, @extschema@.hll_hashval, bigint, bigint) RETURNS hll IMMUTABLE PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_agg_state';
CREATE FUNCTION @extschema@._hll_add_state(hll, @extschema@.hll_hashval, bigint, bigint, bigint) RETURNS hll IMMUTABLE PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_agg_state';
CREATE FUNCTION @extschema@._hll_add_state(hll, @extschema@.hll_hashval, bigint, bigint, bigint, bigint) RETURNS hll IMMUTABLE PARALLEL SAFE COST 1 LANGUAGE c AS 'MODULE_PATHNAME', 'sketches_hll_postgresql_hll_agg_state';
CREATE AGGREGATE @extschema@.hll_add_agg(@extschema@.hll_hashval) (STYPE = hll, SFUNC = @extschema@._hll_add_state, COMBINEFUNC = _hll_union_state, FINALFUNC = _hll_final, SSPACE = 256, PARALLEL = SAFE);
CREATE AGGREGATE @extschema@.hll_add_agg(@extschema@.hll_hashval, bigint) (STYPE = hll, SFUNC = @extschema@._hll_add_state, COMBINEFUNC = _hll_combine, FINALFUNC = _hll_final, SSPACE = 256, PARALLEL = SAFE);
CREATE AGGREGATE @extschema@.hll_add_agg(@extschema@.hll_hashval, bigint, bigint) (STYPE = hll, SFUNC = @extschema@._hll_add_state, COMBINEFUNC = _hll_combine, FINALFUNC = _hll_final, SSPACE = 256, PARALLEL = SAFE);
CREATE AGGREGATE @extschema@.hll_add_agg(@extschema@.hll_hashval, bigint, bigint, bigint) (STYPE = hll, SFUNC = @extschema@._hll_add_state, COMBINEFUNC = _hll_combine, FINALFUNC = _hll_final, SSPACE = 256, PARALLEL = SAFE);
CREATE AGGREGATE @extschema@.hll_add_agg(@extschema@.hll_hashval, bigint, bigint, bigint, bigint) (STYPE = hll, SFUNC = @extschema@._hll_add_state, COMBINEFUNC = _hll_combine, FINALFUNC = _hll_final, SSPACE = 256, PARALLEL = SAFE);
