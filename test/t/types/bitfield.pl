# What the TAP tests ask of bitfield; ../README.md says what they take from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'bitfield_agg(x % 3000)',
            q{bitfield_xor_agg(bitfield_set('', 'u9', x % 300, x))},
        ],
    },
    dump => {
        setup => <<'SQL',
-- bitfield_empty() stands where a restore has no search_path.
CREATE TABLE days (
    page int PRIMARY KEY,
    days counting.bitfield DEFAULT counting.bitfield_empty()
        CHECK (days OPERATOR(counting.=) days
               AND counting.bitfield_count(days) < 9),
    ones bigint GENERATED ALWAYS AS (counting.bitfield_count(days)) STORED
);
INSERT INTO days SELECT page, counting.bitfield_set_bit(counting.bitfield_empty(), page * page, true)
    FROM generate_series(0, 11) page;
INSERT INTO days (page) VALUES (100);
CREATE INDEX days_set ON days (page) WHERE days OPERATOR(counting.<>) counting.bitfield_empty();
CREATE MATERIALIZED VIEW all_days AS
    SELECT counting.bitfield_or_agg(days) AS days,
           counting.bitfield_or_agg(days) OPERATOR(counting.<>) counting.bitfield_empty() AS any
    FROM days;
SQL
        tables => { days => 'page, days' },
        views => [ 'all_days' ],
        alive => <<'SQL',
INSERT INTO days (page) VALUES (101);
SELECT a.days = b.days AND b.ones = 0 FROM days a, days b WHERE a.page = 100 AND b.page = 101
SQL
        refused => q{UPDATE days SET days = '\xffff' WHERE page = 3},
    },
    memory => {
        columns => [
            'bitfield_agg(i * g % 99999) AS bits',
        ],
        slow => qr/\b(?:bits)\b/,
        calls => {
            'bitfield_get' => q{bitfield_get(bits, 'i7', i), bitfield_get('\xff01', 'u3', i),
                bitfield_get_bit(bits, i), bitfield_count(bits, i / 8, -i), bitfield_info(bits),
                bitfield_position(bits, false, i)},
            'bitfield_set' =>
                q{bitfield_set(bits, 'u8', '#5', i), bitfield_incrby(bits, 'i8', i, 9, 'fail'),
                bitfield_set_bit(bits, i, true), bitfield_exec(bits, 'GET u8 7'),
                bitfield_exec(bits, 'SET u8 7 1 OVERFLOW FAIL INCRBY u8 7 300')},
            'bitfield_bitop' => q{bits & '\x01', bits | bits, bits # '\xff', ~ bits,
                bitfield_bitop('one', bits, '\x0102', bits), bits::bytea::bitfield::text, bits = bits},
        },
    },
    cancel => {
        large => { bitfield => "bitfield_set_bit('', 100000000, true)" },
        arrays => { fields => "ARRAY[bitfield_set_bit('', 10000000, true), '']" },
        arguments => { 'bitfield[]' => 'a.fields' },
        endless => {
            'bitfield_agg' =>
                'SELECT bitfield_agg(a.i * b.i::bigint % 9999999) FROM numbers a, numbers b, numbers c',
        },
        loops => {
            bitfield_and_state => 'bitfield_and_state(a.bitfield, a.bitfield)',
            bitfield_agg_final => "bitfield_agg_final(a.zeros)",
            bitfield_bitop => "bitfield_bitop('one', VARIADIC a.fields)",
            bitfield_exec => "bitfield_exec(a.bitfield, 'SET u8 7 1')",
            'bitfield_incrby(bitfield,text,bigint,bigint,text)' =>
                "bitfield_incrby(a.bitfield, 'u8', 5, 1, 'wrap')",
            'bitfield_incrby(bitfield,text,text,bigint,text)' =>
                "bitfield_incrby(a.bitfield, 'u8', '#5', 1, 'wrap')",
            'bitfield_set(bitfield,text,bigint,bigint,text)' =>
                "bitfield_set(a.bitfield, 'u8', 5, 1, 'wrap')",
            'bitfield_set(bitfield,text,text,bigint,text)' =>
                "bitfield_set(a.bitfield, 'u8', '#5', 1, 'wrap')",
            'bitfield_position(bitfield,boolean,bigint,bigint,text)' =>
                "bitfield_position(a.bitfield, true, 0, -1, 'byte')",
            'bitfield_count(bitfield,bigint,bigint,text)' =>
                "bitfield_count(a.bitfield, 0, -1, 'byte')",
        },
        values => { zeros => "bitfield_set_bit('', 100000000, false)" },
        brief => {
            'an empty result' => ['bitfield_empty'],
            'it reads nine bytes' => [qw(bitfield_get bitfield_get_bit)],
        },
    },
    golden => [
        [ 'bitfield', 'empty',
            'bitfield_empty()',
            'bitfield_info(v)' ],
        [ 'bitfield', 'integers',
            q{bitfield_set(bitfield_set(bitfield_empty(), 'u5', 3, 17), 'i64', '#2', -5)},
            q{(bitfield_info(v), bitfield_get(v, 'u5', 3), bitfield_get(v, 'i64', '#2'))} ],
        [ 'bitfield', 'long',
            '(SELECT bitfield_agg(i * i % 4099) FROM generate_series(1, 900) i)',
            '(bitfield_info(v), bitfield_position(v, false, 0), bitfield_count(v, 10, 100))' ],
    ],
};
