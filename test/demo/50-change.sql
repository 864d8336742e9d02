-- What a counter that is written by a job gets wrong: a row that comes late, and rows that go.

SELECT min(time) AS first FROM log \gset
SELECT visitor AS busiest, count(*) AS requests FROM log GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1 \gset

\echo 'CHANGE  a request that arrives late, and the' :requests 'of the busiest visitor deleted, show at once'
\set ECHO queries
INSERT INTO log VALUES (:'first', 'late.example.com', 'GET', '/late', 200, 1000);
TABLE answers;
DELETE FROM log WHERE visitor = :'busiest';
TABLE answers;
\set ECHO none
