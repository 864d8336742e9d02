# What the TAP tests ask of hashed; ../README.md says what they take from here.

use strict;
use warnings;

+{
    memory => {
        calls => {
            'hashed' => q{hashed(i), hashed(i::text), hashed(i::numeric / 7), hashed(i::float8),
                hashed(i::text::bpchar), hashed(jsonb_build_object('a', i, 'b', 1.5)), hashed(now()),
                hashed(inet '10.0.0.1' + i), hashed(make_interval(days => i))},
        },
    },
    cancel => {
        bounded => { hashed => '8 bytes' },
        values => {
            hashed => '7::bigint::hashed',
            document => '(SELECT jsonb_agg(i) FROM numbers)',
            long_bytes => q{convert_to(repeat('A', 40000000), 'UTF8')},
            long_blanks => q{repeat(' ', 40000000)::bpchar},
        },
        loops => {
            'hashed(jsonb)' => 'hashed(a.document)',
            'hashed(bytea)' => 'hashed(a.long_bytes)',
            'hashed(text)' => 'hashed(a.long_text)',
            'hashed(character)' => 'hashed(a.long_blanks)',
        },
        brief => {
            'a length that is no hash is refused' => [qw(hashed_in hashed_from_bytea)],
            'sixteen digits' => ['hashed_out'],
        },
    },
    golden => [
        [ 'hashed', 'number',
            '5::bigint::hashed',
            'v::text' ],
        [ 'hashed', 'text',
            q{'a value'::text::hashed},
            'v::text' ],
        [ 'hashed', 'negative number', q{(-5)::smallint::hashed}, 'v::text' ],
        [ 'hashed', 'text of a number', q{'-5'::text::hashed}, 'v::text' ],
        [ 'hashed', 'fraction', q{0.1::float8::hashed}, 'v::text' ],
        [ 'hashed', 'real', q{0.1::real::hashed}, 'v::text' ],
        [ 'hashed', 'not a number', q{'NaN'::float8::hashed}, 'v::text' ],
        [ 'hashed', 'numeric', q{1.50::numeric::hashed}, 'v::text' ],
        [ 'hashed', 'great numeric', q{123456789012345678901234567890::numeric::hashed}, 'v::text' ],
        [ 'hashed', 'empty text', q{''::text::hashed}, 'v::text' ],
        [ 'hashed', 'characters', q{'a  '::char(3)::hashed}, 'v::text' ],
        [ 'hashed', 'text beyond ASCII', q{U&'\00e9\4e2d'::text::hashed}, 'v::text' ],
        [ 'hashed', 'date', q{'2026-01-01'::date::hashed}, 'v::text' ],
        [ 'hashed', 'time', q{'12:34:56.789'::time::hashed}, 'v::text' ],
        [ 'hashed', 'time with zone', q{'12:34:56+02'::timetz::hashed}, 'v::text' ],
        [ 'hashed', 'timestamp', q{'2026-01-01 12:00'::timestamp::hashed}, 'v::text' ],
        [ 'hashed', 'timestamp with zone', q{'2026-01-01 12:00Z'::timestamptz::hashed}, 'v::text' ],
        [ 'hashed', 'interval', q{'1 month -1 day 00:00:01'::interval::hashed}, 'v::text' ],
        [ 'hashed', 'uuid', q{'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid::hashed}, 'v::text' ],
        [ 'hashed', 'address', q{'10.1.2.3'::inet::hashed}, 'v::text' ],
        [ 'hashed', 'network', q{'10.1.0.0/16'::inet::hashed}, 'v::text' ],
        [ 'hashed', 'address of 128 bits', q{'2001:db8::1'::inet::hashed}, 'v::text' ],
        [ 'hashed', 'macaddr', q{'08:00:2b:01:02:03'::macaddr::hashed}, 'v::text' ],
        [ 'hashed', 'macaddr8', q{'08:00:2b:01:02:03:04:05'::macaddr8::hashed}, 'v::text' ],
        [ 'hashed', 'boolean', q{true::hashed}, 'v::text' ],
        [ 'hashed', 'bytea', q{'\x00ff'::bytea::hashed}, 'v::text' ],
        [ 'hashed', 'oid', q{4294967295::oid::hashed}, 'v::text' ],
        [ 'hashed', 'jsonb', q{'{"b": [1, 2.50, null, true], "a": "x"}'::jsonb::hashed}, 'v::text' ],
        [ 'hashed', 'name', q{'a name'::name::hashed}, 'v::text' ],
        [ 'hashed', 'long text', q{repeat('sketch ', 1000)::hashed}, 'v::text' ],
    ],
};
