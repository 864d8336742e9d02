-- ratelimit: limiters as values, by key, and every error. Times are given, so answers are exact.
\set ECHO none
\i sql/include/output.sql
\i sql/include/errors_of.sql
\set ECHO all

-- Asks one limiter again and again, at these seconds; the state goes on.
CREATE FUNCTION pg_temp.ask(limiter ratelimit, seconds float8[], quantities int[] DEFAULT '{1}')
RETURNS TABLE (at float8, q int, allowed boolean, "limit" int, remaining int, retry interval,
               reset interval) LANGUAGE plpgsql AS $$
DECLARE
    a record;
BEGIN
    FOR i IN 1 .. cardinality(seconds) LOOP
        at := seconds[i];
        q := coalesce(quantities[i], 1);
        a := ratelimit_take(limiter, q, timestamptz '2026-01-01 00:00+00' + at * interval '1 s');
        limiter := a.sketch::text::ratelimit;
        RETURN QUERY SELECT at, q, a.allowed, a."limit", a.remaining, a.retry_after, a.reset_after;
    END LOOP;
END
$$;

-- ---- bucket: CL.THROTTLE with a burst of 4 and 1 per second ----

SELECT * FROM pg_temp.ask(ratelimit_bucket(4, 1, '1 s'), '{0,0,0,0,0,0,0,3,3}',
                          '{6,1,1,1,1,1,1,1,0}');
-- 30 per minute after 15 more at once: every two seconds.
SELECT * FROM pg_temp.ask(ratelimit_bucket(15, 30, '60 s'), '{0,0,1,2,100}', '{16,1,1,1,17}');
SELECT * FROM pg_temp.ask(ratelimit_bucket(0, 1, '1 day'), '{0,1,86399,86400}');

-- ---- sliding window ----

SELECT * FROM pg_temp.ask(ratelimit_sliding(3, '10 s'), '{0,1,5,6,9,10,10,11,30}');
SELECT * FROM pg_temp.ask(ratelimit_sliding(3, '10 s'), '{0,0,4,4,10}', '{2,4,1,0,3}');
-- Who wants several waits until as many have left.
SELECT * FROM pg_temp.ask(ratelimit_sliding(3, '10 s'), '{0,1,2,3,3,3}', '{1,1,1,1,2,3}');
-- Large limits count in buckets of 1/128 of the period, here 10 s: a bucket leaves as a whole.
SELECT * FROM pg_temp.ask(ratelimit_sliding(1000, '1280 s'), '{0,9,10,1280,1289.999999,1290,1300}',
                          '{400,400,200,1,400,1,600}');
SELECT max(pg_column_size(sketch)) < 600 AS small
  FROM generate_series(1, 3) AS n, LATERAL ratelimit_sliding(1000000, '1 min') AS l,
       LATERAL (SELECT (ratelimit_take(l, 1000 * n, '2026-01-01')).sketch) AS t;
-- A million per minute, all of them, is bounded.
CREATE FUNCTION pg_temp.fill() RETURNS TABLE (taken bigint, bytes int) LANGUAGE plpgsql AS $$
DECLARE
    limiter ratelimit := ratelimit_sliding(1000000, '1 min');
    a record;
BEGIN
    taken := 0;
    FOR i IN 0 .. 2999 LOOP
        a := ratelimit_take(limiter, 1000, timestamptz '2026-01-01' + i * interval '10 ms');
        limiter := a.sketch;
        taken := taken + CASE WHEN a.allowed THEN 1000 ELSE 0 END;
        bytes := greatest(bytes, pg_column_size(limiter));
    END LOOP;
    RETURN NEXT;
END
$$;
SELECT taken, bytes < 2000 AS bounded FROM pg_temp.fill();

-- ---- the clock is set back: what seems to lie in the future counts as now's ----

SELECT * FROM pg_temp.ask(ratelimit_sliding(3, '10 s'), '{100,104,50,50,55,56,60}');
SELECT * FROM pg_temp.ask(ratelimit_sliding(3, '10 s'), '{100,104,102,105,111,112,114}');
-- In buckets of 10 s all of them are moved into that of now.
SELECT * FROM pg_temp.ask(ratelimit_sliding(1000, '1280 s'), '{9,15,-41,1234.999999,1245,1255}',
                          '{600,400,0,1,1,1}');
SELECT * FROM pg_temp.ask(ratelimit_bucket(1, 1, '10 s'), '{100,50,59,60,70,80}');

-- ---- by other parameters ----

-- What was granted keeps its time, and counts by the old parameters for who is refused by the new.
CREATE FUNCTION pg_temp.ask_in_turn(fresh ratelimit[], which int[], seconds float8[],
                                    quantities int[] DEFAULT '{1}')
RETURNS TABLE (at float8, q int, "limit" int, allowed boolean, remaining int, retry interval,
               reset interval, kept int) LANGUAGE plpgsql AS $$
DECLARE
    limiter ratelimit := fresh[1];
    a record;
BEGIN
    FOR i IN 1 .. cardinality(seconds) LOOP
        at := seconds[i];
        q := coalesce(quantities[i], 1);
        a := ratelimit_retake(limiter, fresh[which[i]], q,
                              timestamptz '2026-01-01 00:00+00' + at * interval '1 s');
        limiter := a.sketch;
        RETURN QUERY SELECT at, q, a."limit", a.allowed, a.remaining, a.retry_after, a.reset_after,
                            (ratelimit_info(limiter))."limit";
    END LOOP;
END
$$;
SELECT * FROM pg_temp.ask_in_turn(
    ARRAY[ratelimit_sliding(100, '1 min'), ratelimit_sliding(5, '1 min'),
          ratelimit_sliding(1000, '1 min'), ratelimit_sliding(100, '10 s')],
    '{1,2,1,3,3,1,4,4}', '{0,1,2,3,4,5,14,15}', '{100,1,1,1,0,1,98,1}');
SELECT * FROM pg_temp.ask_in_turn(
    ARRAY[ratelimit_bucket(99, 1, '1 s'), ratelimit_bucket(4, 1, '1 s'),
          ratelimit_bucket(9, 1, '10 s')], '{1,2,1,3,2}', '{0,1,2,3,96}', '{100,1,2,1,1}');
SELECT pg_temp.error_of($$SELECT ratelimit_retake(ratelimit_bucket(1, 1, '1 s'),
                                                  ratelimit_sliding(1, '1 s'), 1, now())$$);
-- Only the parameters of the second one count, though it was used years before, or just now.
SELECT limits, ratelimit_retake(l.sketch, ratelimit_sliding(limits, '1 min'), 1, '2026-01-01')
           = ratelimit_retake(l.sketch, old.sketch, 1, '2026-01-01') AS old,
       ratelimit_retake(l.sketch, ratelimit_sliding(limits, '1 min'), 1, '2026-01-01')
           = ratelimit_retake(l.sketch, new.sketch, 1, '2026-01-01') AS new
  FROM unnest('{1000,128}'::int[]) limits,
       ratelimit_take(ratelimit_sliding(900, '1 min'), 3, '2026-01-01') l,
       ratelimit_take(ratelimit_sliding(limits, '1 min'), limits, '2020-01-01') old,
       ratelimit_take(ratelimit_sliding(limits, '1 min'), limits, '2026-01-01') new;

-- ---- peeking and looking inside ----

SELECT (ratelimit_peek(sketch, 2, '2026-01-01')).*
  FROM ratelimit_take(ratelimit_sliding(3, '10 s'), 2, '2026-01-01');
SELECT (ratelimit_peek(sketch, 1, '2026-01-01')).*
  FROM ratelimit_take(ratelimit_bucket(3, 1, '10 s'), 2, '2026-01-01');
SELECT (ratelimit_info(l)).*
  FROM (VALUES (ratelimit_bucket(15, 30, '60 s')), (ratelimit_sliding(100, '1 min')),
               (ratelimit_sliding(1000, '1280 s'))) v(l);
SELECT ratelimit_describe(l)
  FROM (VALUES (ratelimit_bucket(15, 30, '1 min')), (ratelimit_bucket(0, 1000000, '90 s')),
               (ratelimit_sliding(100, '2 days')), (ratelimit_sliding(5, '1500 us')),
               ((ratelimit_take(ratelimit_sliding(100, '25 hours'), 3, '2000-01-01')).sketch),
               ((ratelimit_take(ratelimit_sliding(1000000, '0.25 s'), 12345, '2000-01-01')).sketch),
               (ratelimit_sliding(2147483647, '73000 years'))) AS v(l);
SELECT allowed, remaining FROM ratelimit_take(ratelimit_sliding(max_count => 3, period => '1 s'));

-- ---- errors ----

SELECT * FROM pg_temp.errors_of(
    $$ratelimit_bucket(-1, 1, '1 s')$$, $$ratelimit_bucket(2147483647, 1, '1 s')$$,
    $$ratelimit_bucket(1, 0, '1 s')$$);
-- More than one in a microsecond: two of these take one.
SELECT allowed, remaining, reset_after
  FROM ratelimit_take(ratelimit_bucket(2, 2000000, '1 s'), 2, '2000-01-01 00:00+00');
SELECT * FROM pg_temp.errors_of(
    $$ratelimit_bucket(2147483646, 1, '1000 years')$$, $$ratelimit_bucket(1, 1, '0')$$,
    $$ratelimit_sliding(1, '-1 s')$$, $$ratelimit_sliding(1, '178000000 years')$$,
    $$ratelimit_sliding(0, '1 s')$$, $$ratelimit_take(ratelimit_sliding(1, '1 s'), -1)$$,
    $$ratelimit_take(ratelimit_sliding(1, '1 s'), 1, 'infinity')$$,
    $$ratelimit_take(ratelimit_sliding(1, '1 s'), 1, '76000-01-01')$$,
    $$ratelimit_peek(ratelimit_sliding(1, '1 s'), 1, '-infinity')$$, $$''::bytea::ratelimit$$);
SELECT pg_temp.error_of(format('SELECT %L::bytea::ratelimit',
                               ratelimit_sliding(1, '1 s')::bytea || '\x00'));
SELECT what, pg_temp.error_of(format('SELECT %L::bytea::ratelimit', bytes)) AS error
  FROM (VALUES ('limit 0', '\x0a010100000000000000000040420f0000000000'::bytea),
               ('no period', '\x0a01010001000000000000000000000000000000'),
               ('a hit more',
                '\x0a010100010000000200000040420f000000000000000000000000000000000000000000'),
               ('an encoding', '\x0a01030001000000000000004042 0f0000000000')) v(what, bytes);

-- ---- by key ----

SELECT t.allowed, t."limit", t.remaining, t.retry_after IS NULL AS none, t.reset_after
  FROM ratelimit_throttle('a key', 4, 1, '1 hour') t;
SELECT t.allowed, t.remaining FROM ratelimit_throttle('a key', 4, 1, '1 hour', quantity => 4) t;
SELECT t.allowed, t.remaining, t.retry_after > '50 min' AS later
  FROM ratelimit_throttle('a key', 4, 1, '1 hour') t;
SELECT t.allowed, t.remaining FROM ratelimit_throttle('another', 4, 1, '1 hour', 0) t;
SELECT t.allowed, t.remaining FROM ratelimit_window('window', 2, '1 hour') t;
SELECT t.allowed, t.remaining FROM ratelimit_window('window', 2, '1 hour') t;
SELECT t.allowed, t.remaining FROM ratelimit_window('window', 2, '1 hour') t;
-- Other parameters go on with what was taken.
SELECT t.allowed, t.remaining FROM ratelimit_window('window', 200, '1 hour') t;
SELECT * FROM pg_temp.errors_of(
    $$ratelimit_window('a key', 1, '1 s')$$, $$ratelimit_throttle('window', 1, 1, '1 s')$$,
    $$ratelimit_throttle('new', -1, 1, '1 s')$$);
-- A limiter that cannot answer must not let anybody in, as IF NOT allowed would where the answer is NULL.
SELECT call, pg_temp.error_of('SELECT ' || call) FROM unnest(ARRAY[
    'ratelimit_throttle(NULL, 4, 1, ''1 hour'')', 'ratelimit_throttle(''null'', 4, 1, NULL)',
    'ratelimit_window(NULL, 1, ''1 hour'')', 'ratelimit_window(''null'', 1, ''1 hour'', NULL)',
    'ratelimit_take(NULL)', 'ratelimit_take(ratelimit_bucket(1, 1, ''1 s''), NULL)',
    'ratelimit_take(ratelimit_bucket(1, 1, ''1 s''), 1, NULL)',
    'ratelimit_retake(NULL, ratelimit_bucket(1, 1, ''1 s''), 1, now())',
    'ratelimit_retake(ratelimit_bucket(1, 1, ''1 s''), NULL, 1, now())',
    'ratelimit_retake(ratelimit_bucket(1, 1, ''1 s''), ratelimit_bucket(1, 1, ''1 s''), NULL, now())',
    'ratelimit_retake(ratelimit_bucket(1, 1, ''1 s''), ratelimit_bucket(1, 1, ''1 s''), 1, NULL)']) call;
SELECT count(*) AS keys_of_null FROM ratelimit_keys WHERE key = 'null';
SELECT ratelimit_peek(NULL) IS NULL AS question;
SELECT pg_temp.error_of($$SELECT ratelimit_window(repeat('k', 2001), 1, '1 s')$$);
SELECT t.remaining FROM ratelimit_window(repeat('k', 2000), 100, '1 s', 100) t;
DELETE FROM ratelimit_keys WHERE key LIKE 'kkk%';
SELECT key, allowed, remaining, (ratelimit_info(state)).kind FROM ratelimit_keys ORDER BY key;
-- One that is as new is forgotten, the others are not.
SELECT ratelimit_purge();
SELECT key FROM ratelimit_keys ORDER BY key;
-- What is rolled back was not taken.
BEGIN;
SELECT t.remaining FROM ratelimit_throttle('another', 4, 1, '1 hour', 3) t;
ROLLBACK;
SELECT t.remaining FROM ratelimit_throttle('another', 4, 1, '1 hour') t;
DELETE FROM ratelimit_keys;
