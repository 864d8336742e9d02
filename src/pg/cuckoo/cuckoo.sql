-- cuckoo: was this item added, and how often? It can be deleted again.
-- See src/core/cuckoo/cuckoo.c and src/pg/cuckoo/cuckoo.c.
--
-- COST is in units of the cheapest function, some twenty nanoseconds, rounded down to a power of
-- ten: it tells the planner when a parallel plan or another order of filters pays.

-- include shared/common.sql.in: TYPE=cuckoo

COMMENT ON TYPE cuckoo IS
    'membership filter with deletes and counts: 16 bits per item, 0.012 % false positives';

-- Making and changing

CREATE FUNCTION cuckoo_empty(
    capacity bigint DEFAULT 1024, fingerprint_bits int DEFAULT 16, expansion int DEFAULT 2
) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_empty' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_empty(bigint, int, int) IS
    'an empty filter. Its false-positive rate is at most 8 / 2^fingerprint_bits at its capacity; '
    'beyond, it grows, and its rate with it, unless the expansion is 0; errors: 22023';

CREATE FUNCTION cuckoo_add(sketch cuckoo, value hashed) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_add(cuckoo, hashed) IS
    'the filter with one more copy of the value; errors: 54000 for a ninth copy or a full filter';

CREATE FUNCTION cuckoo_add(sketch cuckoo, value text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_add(cuckoo, text) IS
    'the filter with one more copy of the value; errors: 54000 for a ninth copy or a full filter';

CREATE FUNCTION cuckoo_addnx(sketch cuckoo, value hashed) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_addnx(cuckoo, hashed) IS
    'the filter with the value added if it is absent; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_addnx(sketch cuckoo, value text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_addnx(cuckoo, text) IS
    'the filter with the value added if it is absent; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_delete(sketch cuckoo, value hashed) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_delete(cuckoo, hashed) IS
    'the filter with one copy of the value less, if it has one; delete only what was added';

CREATE FUNCTION cuckoo_delete(sketch cuckoo, value text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_delete(cuckoo, text) IS
    'the filter with one copy of the value less, if it has one; delete only what was added';

CREATE FUNCTION cuckoo_try_add(INOUT sketch cuckoo, value hashed, OUT added boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_add' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_try_add(cuckoo, hashed) IS
    'the filter with one more copy of the value, and whether there was space for it, as CF.ADD '
    'replies';

CREATE FUNCTION cuckoo_try_add(INOUT sketch cuckoo, value text, OUT added boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_try_add(cuckoo, text) IS
    'the filter with one more copy of the value, and whether there was space for it, as CF.ADD '
    'replies';

CREATE FUNCTION cuckoo_try_addnx(INOUT sketch cuckoo, value hashed, OUT added boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_addnx' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_try_addnx(cuckoo, hashed) IS
    'the filter with the value added if it is absent, and whether it was added, as CF.ADDNX '
    'replies';

CREATE FUNCTION cuckoo_try_addnx(INOUT sketch cuckoo, value text, OUT added boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_addnx_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_try_addnx(cuckoo, text) IS
    'the filter with the value added if it is absent, and whether it was added, as CF.ADDNX '
    'replies';

CREATE FUNCTION cuckoo_try_delete(INOUT sketch cuckoo, value hashed, OUT deleted boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_delete' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_try_delete(cuckoo, hashed) IS
    'the filter with one copy of the value less, and whether it had one, as CF.DEL replies';

CREATE FUNCTION cuckoo_try_delete(INOUT sketch cuckoo, value text, OUT deleted boolean)
    RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_try_delete_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_try_delete(cuckoo, text) IS
    'the filter with one copy of the value less, and whether it had one, as CF.DEL replies';

CREATE FUNCTION cuckoo_add_all(sketch cuckoo, items hashed[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, hashed[]) IS
    'the filter with one more copy of each element; NULL elements are skipped; errors: 54000 for '
    'a ninth copy or a full filter';

CREATE FUNCTION cuckoo_add_all(sketch cuckoo, items text[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, text[]) IS
    'the filter with one more copy of each element; NULL elements are skipped; errors: 54000 for '
    'a ninth copy or a full filter';

-- Without this one an array of varchar could become text[] or hashed[], and neither is preferred.
CREATE FUNCTION cuckoo_add_all(sketch cuckoo, items varchar[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_all_text' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, varchar[]) IS
    'the filter with one more copy of each element; NULL elements are skipped; errors: 54000 for '
    'a ninth copy or a full filter';

CREATE FUNCTION cuckoo_add_all(sketch cuckoo, items text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_add_all_untyped' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cuckoo_addnx_all(sketch cuckoo, items hashed[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_all' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_addnx_all(cuckoo, hashed[]) IS
    'the filter with each element added if it is absent; NULL elements are skipped; errors: 54000 '
    'for a full filter';

CREATE FUNCTION cuckoo_addnx_all(sketch cuckoo, items text[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_all_text'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_addnx_all(cuckoo, text[]) IS
    'the filter with each element added if it is absent; NULL elements are skipped; errors: 54000 '
    'for a full filter';

CREATE FUNCTION cuckoo_addnx_all(sketch cuckoo, items varchar[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_all_text'
    LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_addnx_all(cuckoo, varchar[]) IS
    'the filter with each element added if it is absent; NULL elements are skipped; errors: 54000 '
    'for a full filter';

CREATE FUNCTION cuckoo_addnx_all(sketch cuckoo, items text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_addnx_all_untyped' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_addnx_all(cuckoo, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cuckoo_delete_all(sketch cuckoo, items hashed[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_all' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_delete_all(cuckoo, hashed[]) IS
    'the filter with one copy less of each element that it has; NULL elements are skipped; delete '
    'only what was added';

CREATE FUNCTION cuckoo_delete_all(sketch cuckoo, items text[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_all_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_delete_all(cuckoo, text[]) IS
    'the filter with one copy less of each element that it has; NULL elements are skipped; delete '
    'only what was added';

CREATE FUNCTION cuckoo_delete_all(sketch cuckoo, items varchar[]) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_all_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_delete_all(cuckoo, varchar[]) IS
    'the filter with one copy less of each element that it has; NULL elements are skipped; delete '
    'only what was added';

CREATE FUNCTION cuckoo_delete_all(sketch cuckoo, items text) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_delete_all_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_delete_all(cuckoo, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cuckoo_compact(sketch cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_compact(cuckoo) IS
    'the filter in as few bits as its items and its capacity need; deletes are counted from 0 '
    'again';

CREATE FUNCTION cuckoo_union(a cuckoo, b cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_union' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_union(cuckoo, cuckoo) IS
    'the items of both, each with the larger of its two counts, at the fewer hash bits of the '
    'two; errors: 54000 for a full filter';

CREATE FUNCTION cuckoo_sum(a cuckoo, b cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_sum(cuckoo, cuckoo) IS
    'the items of both, each with the sum of its two counts, at the fewer hash bits of the two; '
    'errors: 54000 for a ninth copy or a full filter';

-- Asking

CREATE FUNCTION cuckoo_contains(sketch cuckoo, value hashed) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_contains(cuckoo, hashed) IS
    'whether the value is in the filter; false is certain, true is wrong at the false-positive '
    'rate';

CREATE FUNCTION cuckoo_contains(sketch cuckoo, value text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_contains(cuckoo, text) IS
    'whether the value is in the filter; false is certain, true is wrong at the false-positive '
    'rate';

CREATE FUNCTION cuckoo_count(sketch cuckoo, value hashed) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_count(cuckoo, hashed) IS
    'the number of copies of the value; never less than were added and not deleted';

CREATE FUNCTION cuckoo_count(sketch cuckoo, value text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_count_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_count(cuckoo, text) IS
    'the number of copies of the value; never less than were added and not deleted';

CREATE FUNCTION cuckoo_contains_each(sketch cuckoo, items hashed[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_each' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_contains_each(cuckoo, hashed[]) IS
    'for each element whether it is in the filter; NULL for NULL';

CREATE FUNCTION cuckoo_contains_each(sketch cuckoo, items text[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_each_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_contains_each(cuckoo, text[]) IS
    'for each element whether it is in the filter; NULL for NULL';

CREATE FUNCTION cuckoo_contains_each(sketch cuckoo, items varchar[]) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_each_text'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_contains_each(cuckoo, varchar[]) IS
    'for each element whether it is in the filter; NULL for NULL';

CREATE FUNCTION cuckoo_contains_each(sketch cuckoo, items text) RETURNS boolean[]
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contains_each_untyped'
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_contains_each(cuckoo, text) IS
    'the same for an array without a type, such as ''{a,b}''; errors: 22P02';

CREATE FUNCTION cuckoo_cardinality(sketch cuckoo) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_cardinality(cuckoo) IS
    'the number of items held, each copy counted; reads the header only';

CREATE FUNCTION cuckoo_info(
    sketch cuckoo,
    OUT items bigint, OUT deletes bigint, OUT buckets bigint, OUT bucket_size int,
    OUT fingerprint_bits int, OUT load float8, OUT false_positive_rate float8, OUT bytes int,
    OUT hash_bits int, OUT capacity bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_info(cuckoo) IS
    'numbers of items and deletes, layout, false-positive rate at its size, bytes of the packed '
    'value; capacity is NULL for a filter that grows';

CREATE FUNCTION cuckoo_contained(value hashed, sketch cuckoo) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_contained(hashed, cuckoo) IS
    'cuckoo_contains with the arguments exchanged';

CREATE FUNCTION cuckoo_contained(value text, sketch cuckoo) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_contained_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 10;
COMMENT ON FUNCTION cuckoo_contained(text, cuckoo) IS
    'cuckoo_contains with the arguments exchanged';

CREATE FUNCTION cuckoo_describe(sketch cuckoo) RETURNS text
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 1000;
COMMENT ON FUNCTION cuckoo_describe(cuckoo) IS
    'one line for people: items, false-positive rate as filled now, bytes';

-- Redis

CREATE FUNCTION cuckoo_from_redis(payload bytea) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_from_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_from_redis(bytea) IS
    'refuses a cuckoo filter of Redis and says why; errors: 0A000';

CREATE FUNCTION cuckoo_to_redis(sketch cuckoo) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_to_redis' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION cuckoo_to_redis(cuckoo) IS
    'refuses to write a filter for Redis and says why; errors: 0A000';

-- Operators

CREATE OPERATOR <@ (
    LEFTARG = hashed, RIGHTARG = cuckoo, FUNCTION = cuckoo_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(hashed, cuckoo) IS 'is contained, probably; false is certain';

CREATE OPERATOR <@ (
    LEFTARG = text, RIGHTARG = cuckoo, FUNCTION = cuckoo_contained, COMMUTATOR = @>,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@(text, cuckoo) IS 'is contained, probably; false is certain';

CREATE OPERATOR # (
    RIGHTARG = cuckoo, FUNCTION = cuckoo_cardinality
);
COMMENT ON OPERATOR #(NONE, cuckoo) IS 'number of items';

CREATE OPERATOR @> (
    LEFTARG = cuckoo, RIGHTARG = hashed, FUNCTION = cuckoo_contains, COMMUTATOR = <@,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(cuckoo, hashed) IS 'contains, probably; false is certain';

CREATE OPERATOR @> (
    LEFTARG = cuckoo, RIGHTARG = text, FUNCTION = cuckoo_contains, COMMUTATOR = <@,
    RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @>(cuckoo, text) IS 'contains, probably; false is certain';

CREATE OPERATOR | (
    LEFTARG = cuckoo, RIGHTARG = cuckoo, FUNCTION = cuckoo_union, COMMUTATOR = |
);
COMMENT ON OPERATOR |(cuckoo, cuckoo) IS 'union';

-- Aggregates. The state is the type itself, the union combines.

CREATE FUNCTION _cuckoo_sum_state(cuckoo, cuckoo) RETURNS cuckoo
    AS 'MODULE_PATHNAME', 'sketches_cuckoo_sum_state' LANGUAGE C IMMUTABLE PARALLEL SAFE
    COST 100;
COMMENT ON FUNCTION _cuckoo_sum_state(cuckoo, cuckoo) IS
    'transition and combine function; NULL on either side is skipped';

-- include shared/states.sql.in: TYPE=cuckoo

-- include shared/state.sql.in: TYPE=cuckoo; ARGUMENTS=hashed; SYMBOL=cuckoo_agg_state
-- include shared/state.sql.in: TYPE=cuckoo; ARGUMENTS=hashed, bigint;
--     SYMBOL=cuckoo_agg_parameters_state
-- include shared/state.sql.in: TYPE=cuckoo; ARGUMENTS=hashed, bigint, int;
--     SYMBOL=cuckoo_agg_parameters_state
-- include shared/state.sql.in: TYPE=cuckoo; ARGUMENTS=text; SYMBOL=cuckoo_agg_text_state
-- include shared/state.sql.in: TYPE=cuckoo; ARGUMENTS=text, bigint;
--     SYMBOL=cuckoo_agg_text_parameters_state
-- include shared/state.sql.in: TYPE=cuckoo; ARGUMENTS=text, bigint, int;
--     SYMBOL=cuckoo_agg_text_parameters_state
-- include shared/moving.sql.in: STATE=_cuckoo_sum_state; ARGUMENTS=cuckoo

-- include shared/aggregate.sql.in: NAME=cuckoo_agg; ARGUMENTS=value hashed; TYPE=cuckoo; SPACE=256
COMMENT ON AGGREGATE cuckoo_agg(hashed) IS
    'filter of the distinct values at 16 fingerprint bits; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=cuckoo_agg; ARGUMENTS=value hashed, capacity bigint;
--     TYPE=cuckoo; SPACE=256
COMMENT ON AGGREGATE cuckoo_agg(hashed, bigint) IS
    'filter of the distinct values, with hash bits for capacity items or more; NULL over no rows; '
    'errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=cuckoo_agg;
--     ARGUMENTS=value hashed, capacity bigint, fingerprint_bits int; TYPE=cuckoo; SPACE=256
COMMENT ON AGGREGATE cuckoo_agg(hashed, bigint, int) IS
    'filter of the distinct values, with hash bits for capacity items or more; NULL over no rows; '
    'errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=cuckoo_agg; ARGUMENTS=value text; TYPE=cuckoo; SPACE=256
COMMENT ON AGGREGATE cuckoo_agg(text) IS
    'filter of the distinct values at 16 fingerprint bits; NULL over no rows';

-- include shared/aggregate.sql.in: NAME=cuckoo_agg; ARGUMENTS=value text, capacity bigint;
--     TYPE=cuckoo; SPACE=256
COMMENT ON AGGREGATE cuckoo_agg(text, bigint) IS
    'filter of the distinct values, with hash bits for capacity items or more; NULL over no rows; '
    'errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=cuckoo_agg;
--     ARGUMENTS=value text, capacity bigint, fingerprint_bits int; TYPE=cuckoo; SPACE=256
COMMENT ON AGGREGATE cuckoo_agg(text, bigint, int) IS
    'filter of the distinct values, with hash bits for capacity items or more; NULL over no rows; '
    'errors: 22023, 22004';

-- include shared/aggregate.sql.in: NAME=cuckoo_union_agg; ARGUMENTS=sketch cuckoo; TYPE=cuckoo;
--     SPACE=16384; STATE=_cuckoo_union_state
COMMENT ON AGGREGATE cuckoo_union_agg(cuckoo) IS
    'union of filters, at the fewest hash bits of them; NULL over no rows; errors: 54000 for a '
    'full filter';

-- include shared/aggregate.sql.in: NAME=cuckoo_sum_agg; ARGUMENTS=sketch cuckoo; TYPE=cuckoo;
--     SPACE=16384; STATE=_cuckoo_sum_state; COMBINE=_cuckoo_sum_state
COMMENT ON AGGREGATE cuckoo_sum_agg(cuckoo) IS
    'sum of filters: counts add up; NULL over no rows; errors: 54000 for a ninth copy or a full '
    'filter';
