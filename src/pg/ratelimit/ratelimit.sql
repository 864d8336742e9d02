-- ratelimit: may this happen again?
-- See src/core/ratelimit/ratelimit.c and src/pg/ratelimit/ratelimit.c.

include shared/common.sql.in: TYPE=ratelimit

COMMENT ON TYPE ratelimit IS
    'rate limiter: decides from past requests whether another one is allowed';

-- Making

function ratelimit_bucket(max_burst int, count int, period interval) -> ratelimit
        as sketches_ratelimit_bucket cost 10
    new limiter: count requests per period, evenly spaced, and a burst of max_burst more; errors:
    22023
function ratelimit_sliding(max_count int, period interval) -> ratelimit
        as sketches_ratelimit_sliding cost 10
    new limiter: at most max_count requests in any period (sliding window); errors: 22023

-- Asking

function ratelimit_take(INOUT sketch ratelimit, quantity int = 1,
        at timestamptz = pg_catalog.clock_timestamp(), OUT allowed boolean, OUT "limit" int,
        OUT remaining int, OUT retry_after interval, OUT reset_after interval)
        as sketches_ratelimit_take cost 10 not strict
    takes a quantity if allowed; returns the changed limiter, what remains, and when to try again;
    errors: 22004, 22023, 22008
function ratelimit_peek(sketch ratelimit, quantity int = 1,
        at timestamptz = pg_catalog.clock_timestamp(), OUT allowed boolean, OUT "limit" int,
        OUT remaining int, OUT retry_after interval, OUT reset_after interval)
        as sketches_ratelimit_peek cost 10
    true if a quantity is allowed, what remains, and when to try again; takes nothing; errors:
    22023, 22008
function ratelimit_retake(INOUT sketch ratelimit, fresh ratelimit, quantity int, at timestamptz,
        OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval,
        OUT reset_after interval)  as sketches_ratelimit_retake cost 10 not strict
    ratelimit_take with the parameters of fresh, a new limiter of the same kind; errors: 22004,
    22023, 42804, 22008
function ratelimit_info(sketch ratelimit, OUT kind text, OUT "limit" int, OUT count int,
        OUT period interval, OUT granularity interval, OUT bytes int)
        as sketches_ratelimit_info cost 10
    kind (bucket or sliding), parameters, how much longer than the period a request may count, bytes
    of the value
function ratelimit_describe(sketch ratelimit) -> text  as sketches_ratelimit_describe
    human-readable summary: kind, limits, requests held, bytes

-- Limiters by key. What is in the table is worth nothing after a crash and is not dumped. Callers
-- need SELECT, INSERT, UPDATE and, to purge, DELETE on it. The owner of a trusted extension does
-- not own its objects, so these four are granted, and no more: with TRIGGER he could make the next
-- superuser who calls run code of his. Half of every page is left for the next versions of its
-- rows. Keys are told apart by their bytes, whatever the collation of the database.

CREATE UNLOGGED TABLE ratelimit_keys (
    key text COLLATE "C" PRIMARY KEY,
    state ratelimit NOT NULL,
    allowed boolean NOT NULL,
    "limit" int NOT NULL,
    remaining int NOT NULL,
    retry_after interval,
    reset_after interval NOT NULL
) WITH (fillfactor = 50);
ALTER TABLE ratelimit_keys ALTER state SET STORAGE main;
GRANT SELECT, INSERT, UPDATE, DELETE ON ratelimit_keys TO @extowner@ WITH GRANT OPTION;
COMMENT ON TABLE ratelimit_keys IS
    'limiters by key, each with its last result, of ratelimit_throttle and ratelimit_window';
COMMENT ON COLUMN ratelimit_keys.state IS 'the limiter after the last request';
COMMENT ON CONSTRAINT ratelimit_keys_pkey ON ratelimit_keys IS 'one limiter for a key';
COMMENT ON INDEX ratelimit_keys_pkey IS 'one limiter for a key';

-- What the limiters by key call. Nobody who may create functions in this schema can make one of the
-- same name whose arguments fit as well, because nobody may use the type (table.c).

CREATE DOMAIN _ratelimit_int AS int;
REVOKE ALL ON DOMAIN _ratelimit_int FROM PUBLIC;
COMMENT ON DOMAIN _ratelimit_int IS
    'int in the functions that limiters by key call; nobody may use it';

function _ratelimit_bucket(max_burst _ratelimit_int, count int, period interval) -> ratelimit
        as sketches_ratelimit_bucket cost 10
    ratelimit_bucket, for limiters by key
function _ratelimit_sliding(max_count _ratelimit_int, period interval) -> ratelimit
        as sketches_ratelimit_sliding cost 10
    ratelimit_sliding, for limiters by key
function _ratelimit_take(sketch ratelimit, quantity _ratelimit_int, at timestamptz,
        OUT state ratelimit, OUT allowed boolean, OUT "limit" int, OUT remaining int,
        OUT retry_after interval, OUT reset_after interval)
        as sketches_ratelimit_take cost 10
    ratelimit_take, for limiters by key
function _ratelimit_retake(sketch ratelimit, fresh ratelimit, quantity _ratelimit_int,
        at timestamptz, OUT state ratelimit, OUT allowed boolean, OUT "limit" int,
        OUT remaining int, OUT retry_after interval, OUT reset_after interval)
        as sketches_ratelimit_retake cost 10
    ratelimit_take with the parameters of fresh, for limiters by key
function _ratelimit_peek(sketch ratelimit, quantity _ratelimit_int, at timestamptz,
        OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval,
        OUT reset_after interval)
        as sketches_ratelimit_peek cost 10
    ratelimit_peek, for limiters by key

function ratelimit_throttle(key text, max_burst int, count int, period interval, quantity int = 1,
        OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval,
        OUT reset_after interval)
        as sketches_ratelimit_throttle cost 10000 volatile parallel unsafe not strict
    takes a quantity from the token bucket of a key if allowed, as CL.THROTTLE of redis-cell;
    errors: 22004, 22023, 42804, 54000, 40001
function ratelimit_window(key text, max_count int, period interval, quantity int = 1,
        OUT allowed boolean, OUT "limit" int, OUT remaining int, OUT retry_after interval,
        OUT reset_after interval)
        as sketches_ratelimit_window cost 10000 volatile parallel unsafe not strict
    takes a quantity from the sliding window of a key if allowed; errors: 22004, 22023, 42804,
    54000, 40001
function ratelimit_purge() -> bigint
        as sketches_ratelimit_purge cost 10000 volatile parallel unsafe
    deletes expired keys, whose limiters allow their full limit again, except keys in use; returns
    their number
