# What the TAP tests ask of ratelimit; ../README.md says what they take from here.

use strict;
use warnings;

+{
    dump => {
        setup => <<'SQL',
CREATE TABLE limits (
    page int PRIMARY KEY,
    attempts counting.ratelimit DEFAULT counting.ratelimit_bucket(4, 1, '1 s')
        CHECK ((counting.ratelimit_info(attempts)).kind = 'bucket')
);
INSERT INTO limits SELECT page, counting.ratelimit_bucket(page, 1, '1 s')
    FROM generate_series(0, 11) page;
INSERT INTO limits (page) VALUES (100);
CREATE INDEX limits_hash ON limits USING hash (attempts);
SQL
        tables => { limits => 'page, attempts' },
        alive => <<'SQL',
INSERT INTO limits (page) VALUES (101);
SELECT a.attempts = b.attempts FROM limits a, limits b WHERE a.page = 100 AND b.page = 101
SQL
        refused => q{UPDATE limits SET attempts = counting.ratelimit_sliding(4, '1 s') WHERE page = 3},
    },
    cancel => {
        bounded => { ratelimit => 'at most 128 times' },
        values => { ratelimit => q{ratelimit_sliding(10, interval '1 s')} },
        brief => {
            'a length that is no limiter is refused' => ['ratelimit(bytea)'],
        },
    },
    golden => [
        [ 'ratelimit', 'token_bucket, new',
            q{ratelimit_bucket(10, 5, '1 minute')},
            'ratelimit_info(v)' ],
        [ 'ratelimit', 'bucket',
            q{(ratelimit_take(ratelimit_bucket(10, 5, '1 minute'), 3, '2026-01-01 00:00Z')).sketch},
            q{(ratelimit_info(v), ratelimit_peek(v, 1, '2026-01-01 00:00:01Z'))} ],
        [ 'ratelimit', 'sliding',
            q{(ratelimit_take(ratelimit_sliding(10, '1 minute'), 3, '2026-01-01 00:00Z')).sketch},
            q{(ratelimit_info(v), ratelimit_peek(v, 1, '2026-01-01 00:00:01Z'))} ],
        [ 'ratelimit', 'counts',
            q{(ratelimit_take((ratelimit_take(ratelimit_sliding(1000, '1 minute'), 300, '2026-01-01 00:00Z')).sketch, 7, '2026-01-01 00:00:20Z')).sketch},
            q{(ratelimit_info(v), ratelimit_peek(v, 1, '2026-01-01 00:00:30Z'))} ],
        [ 'ratelimit', 'log, new',
            q{ratelimit_sliding(128, '1 year')},
            'ratelimit_info(v)' ],
        [ 'ratelimit', 'token_bucket of many a microsecond',
            q{(ratelimit_take(ratelimit_bucket(2147483646, 2147483647, '1 second'), 1000000, '2026-01-01 00:00Z')).sketch},
            q{(ratelimit_info(v), ratelimit_peek(v, 1, '2026-01-01 00:00:00.000001Z'))} ],
    ],
};
