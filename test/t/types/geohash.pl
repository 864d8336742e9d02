# What the TAP tests ask of geohash; ../README.md says what they take from here.

use strict;
use warnings;

+{
    dump => {
        setup => <<'SQL',
CREATE TABLE places (
    page int PRIMARY KEY,
    place counting.geohash DEFAULT 'u33' CHECK (counting.geohash_within(place, 0, 0, 15000, 'km'))
);
INSERT INTO places SELECT page, counting.geohash(page * 7, page * 5) FROM generate_series(0, 11) page;
INSERT INTO places (page) VALUES (100);
CREATE INDEX places_place ON places (place);
CREATE MATERIALIZED VIEW near AS
    SELECT count(*) FROM places WHERE counting.geohash_within(place, 13, 52, 5000, 'km');
SQL
        tables => { places => 'page, place' },
        views => [ 'near' ],
        alive => <<'SQL',
INSERT INTO places (page) VALUES (101);
SELECT a.place = b.place AND a.place::text LIKE 'u33%' FROM places a, places b
WHERE a.page = 100 AND b.page = 101
SQL
        refused => 'UPDATE places SET place = counting.geohash(180, 0) WHERE page = 3',
    },
    cancel => {
        bounded => { geohash => '8 bytes' },
        values => { geohash => q{geohash(13.4, 52.5)} },
        brief => {
            'a length that is no geohash is refused' => [qw(geohash_in geohash(bytea))],
            'eight bytes, or twelve characters' => [qw(geohash_out geohash_send bytea(geohash))],
        },
    },
    golden => [
        [ 'geohash', 'Berlin',
            'geohash(13.4, 52.5)',
            '(v::bigint, geohash_lon(v), geohash_lat(v))' ],
        [ 'geohash', 'corner',
            'geohash(-180, -90)',
            '(v::bigint, geohash_lon(v), geohash_lat(v))' ],
        [ 'geohash', 'other corner',
            'geohash(180, 90)',
            '(v::bigint, geohash_lon(v), geohash_lat(v))' ],
        [ 'geohash', 'of a text',
            q{'u33db'},
            '(v::bigint, geohash_to_redis(v), geohash_redis_text(v))' ],
    ],
};
