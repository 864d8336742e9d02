-- rollup: a query with GROUP BY that is kept up to date. See doc/rollups.md. What rollup_create makes are ordinary
-- tables, views and functions of the user's: template.sql has their text.

function rollup_script(name text, query text, merge jsonb = '{}', each_row boolean = false) -> text
        as sketches_rollup_script cost 10000 volatile parallel unsafe
    the script that rollup_create would run; errors: 0A000, 42601, 42501, 42P17, 42602, 3F000, 42703,
    42883, 22023, 55000
function rollup_create(name text, query text, merge jsonb = '{}', each_row boolean = false) -> regclass
        as sketches_rollup_create cost 10000 volatile parallel unsafe
    makes a rollup and returns its view, which equals the query at every snapshot; merge names the
    aggregate that merges a column where there is no usual one; each_row follows single rows, also
    those that a subscription of logical replication writes; errors: 0A000, 42601, 42501, 42P17,
    42602, 3F000, 42703, 42883, 22023, 42P07, 25001, 55006, 55000
function rollup_refresh(rollup regclass, back_to text = NULL) -> bigint
        as sketches_rollup_refresh cost 10000 volatile parallel unsafe not strict
    merges what has changed into the stored groups, of those from back_to on if it is given, and
    takes in new partitions; returns the number of groups stored; errors: 42809, 0A000, 22007, 25001,
    55000, 55006, 42501
function rollup_freeze(rollup regclass, before text) -> void
        as sketches_rollup_freeze cost 10000 volatile parallel unsafe
    refreshes, and keeps the groups before a period as they are from then on, whatever happens to
    their rows; errors: 42809, 0A000, 22007, 25001, 55000, 55006, 42501
function rollup_repair(rollup regclass) -> void
        as sketches_rollup_repair cost 10000 volatile parallel unsafe
    makes the views of a rollup again, and triggers that are not as they should be, and has all groups
    that are not frozen computed anew; errors: 42809, 42501, 55000, 25001, 55006
function rollup_alter(rollup regclass, query text, merge jsonb = '{}') -> void
        as sketches_rollup_alter cost 10000 volatile parallel unsafe
    gives a rollup another query of the same table and groups: columns that come are computed, those
    that go are dropped, and all others keep what is stored; errors: 42809, 0A000, 42P16, 2BP01,
    42601, 42501, 42703, 42883, 22023, 25001, 55006, 55000
function rollup_status(rollup regclass, OUT deltas bigint, OUT marked bigint, OUT oldest text,
        OUT uncomputed text, OUT frozen text, OUT refreshed timestamptz, OUT row_bytes bigint,
        OUT log_bytes bigint, OUT problem text)
        as sketches_rollup_status cost 10000 stable parallel unsafe
    what is waiting for a refresh, what is frozen, bytes, and what is wrong, with the statement that
    fixes it; errors: 42809, 42501, 55000
function rollup_list(OUT rollup regclass, OUT source regclass, OUT owner regrole, OUT period text,
        OUT row_bytes bigint, OUT log_bytes bigint, OUT problem text) -> setof record
        as sketches_rollup_list cost 10000 rows 10 stable parallel unsafe
    all rollups of the database, and what is wrong with them
function rollup_check(rollup regclass, OUT found_in text, OUT contents jsonb) -> setof record
        as sketches_rollup_check cost 10000 stable parallel unsafe
    groups that differ between a rollup and its query, in the columns that no order of merging
    changes; none of those that are frozen; errors: 42809, 42501, 55000
function rollup_drop(rollup text) -> void
        as sketches_rollup_drop cost 10000 volatile parallel unsafe
    drops a rollup, also what DROP TABLE ... CASCADE left of it; errors: 42809, 42501, 2BP01, 42602,
    55000

-- Private, but in objects of users, which name them: for ever.

function _rollup_write() -> trigger
        as sketches_rollup_write volatile parallel unsafe
    the trigger of rollups: logs what a statement or a row changed, for the rollup whose state is in
    the condition of the trigger; errors: 42501, 55000
function _rollup_moves(is_deleted boolean) -> boolean
        as sketches_rollup_moves cost 1 volatile parallel unsafe
    whether a row is deleted or inserted by an UPDATE of a partitioned table
function _rollup_late(state regclass, secret uuid, filling boolean = false) -> setof record
        as sketches_rollup_late cost 10000 rows 100 stable parallel restricted not strict
    groups for which a reader of a rollup of a partitioned table reads the table, or with filling the
    columns that came later; errors: 42501, 55000, 0A000
function _rollup_touched(state regclass, secret uuid) -> setof record
        as sketches_rollup_touched cost 10000 rows 100 stable parallel restricted not strict
    groups of facts that are joined to what has changed, for a reader of a rollup of joined tables;
    errors: 42501, 55000, 0A000
function _rollup_hashed_support(internal) -> internal  as sketches_rollup_hashed_support cost 1
    planner support: of a list of groups, one row is expected
function _rollup_hashed(mark smallint) -> boolean
        as sketches_rollup_hashed cost 1 support _rollup_hashed_support
    true, which the planner expects of no row, so that it hashes a list of groups of any length
function _rollup_variance(count bigint, sum numeric, squares numeric, is_sample boolean) -> numeric
        as sketches_rollup_variance
    variance of numbers of which the sum, and the sum of squares, are given; NULL of too few
function _rollup_stddev(count bigint, sum numeric, squares numeric, is_sample boolean) -> numeric
        as sketches_rollup_stddev
    the standard deviation, likewise
CREATE AGGREGATE _rollup_moments(value float8) (
    SFUNC = pg_catalog.float8_accum,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    COMBINEFUNC = pg_catalog.float8_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE _rollup_moments(float8) IS
    'how many numbers, their sum, and the sum of squares of their distances from the mean';
CREATE AGGREGATE _rollup_moments_union(moments float8[]) (
    SFUNC = pg_catalog.float8_combine,
    STYPE = float8[],
    INITCOND = '{0,0,0}',
    COMBINEFUNC = pg_catalog.float8_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE _rollup_moments_union(float8[]) IS 'the moments of all that they are of';
