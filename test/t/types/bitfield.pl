# What the TAP tests ask of bitfield; README.md says what each of them takes from here.

use strict;
use warnings;

+{
    parallel => {
        facts => [
            'bitfield_agg(x % 3000)',
            q{bitfield_xor_agg(bitfield_set('', 'u9', x % 300, x))},
        ],
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
            'bitfield_set' => q{bitfield_set(bits, 'u8', '#5', i), bitfield_incrby(bits, 'i8', i, 9, 'fail'),
                bitfield_set_bit(bits, i, true), bitfield_exec(bits, 'GET u8 7'),
                bitfield_exec(bits, 'SET u8 7 1 OVERFLOW FAIL INCRBY u8 7 300')},
            'bitfield_bitop' => q{bits & '\x01', bits | bits, bits # '\xff', ~ bits,
                bitfield_bitop('one', bits, '\x0102', bits), bits::bytea::bitfield::text, bits < bits},
        },
    },
    cancel => {
        endless => {
            'bitfield_agg' =>
                'SELECT bitfield_agg(a.i * b.i::bigint % 9999999) FROM numbers a, numbers b, numbers c',
        },
    },
};
