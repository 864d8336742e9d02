-- The extension, and the web log as a plain table: one row per request. The rows come on standard
-- input, from parse-log, and say how far their clock is from UTC.

CREATE EXTENSION sketches;

CREATE TABLE staged (
    time    timestamptz NOT NULL,
    visitor text NOT NULL,      -- the client's address
    method  text,
    url     text,               -- NULL where a request names no page
    status  int,
    bytes   bigint              -- of the response
);

\copy staged FROM pstdin
