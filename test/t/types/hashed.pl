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
        },
        loops => { 'hashed(jsonb)' => 'hashed(a.document)' },
        brief => {
            'a length that is no hash is refused' => ['hashed_in'],
            'sixteen digits' => ['hashed_out'],
            'a string is hashed at several GB a second' => ['hashed(bytea)'],
        },
    },
    golden => [
        [ 'hashed', 'number',
            '5::bigint::hashed',
            'v::text' ],
        [ 'hashed', 'text',
            q{'a value'::text::hashed},
            'v::text' ],
    ],
};
