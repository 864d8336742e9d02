-- US zip codes and where they are. The rows come on standard input.

CREATE TABLE zip_code (
    zip    text PRIMARY KEY,
    lat    float8 NOT NULL,
    lon    float8 NOT NULL,
    city   text NOT NULL,
    state  text NOT NULL,
    county text NOT NULL
);

\copy zip_code FROM pstdin (FORMAT csv, HEADER)

ALTER TABLE zip_code ADD COLUMN place geohash GENERATED ALWAYS AS (geohash(lon, lat)) STORED;

CREATE INDEX zip_code_place ON zip_code (place);

VACUUM ANALYZE zip_code;
