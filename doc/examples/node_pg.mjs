// node-postgres: rows in, numbers out, a sketch kept as bytes. Needs shop.sql, and `npm install pg`; PGHOST, PGDATABASE and
// so on say where.
import pg from 'pg';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);     // counts are bigint, which would come as strings
const db = new pg.Client();
await db.connect();
const rows = async (sql, ...values) => (await db.query(sql, values)).rows;
const today = new Date('2026-03-30T00:00:00Z');
const visitors = Array.from({ length: 1000 }, (_, i) => `00000000-0000-0000-0000-${String(i).padStart(12, '0')}`);
await db.query('BEGIN');

// A thousand rows in one statement, an array for each column. The rollup follows in the same transaction.
await rows(`INSERT INTO events SELECT $1, u, 'DE', '/', ms FROM unnest($2::uuid[], $3::float8[]) AS new (u, ms)`,
           today, visitors, visitors.map((_, i) => 10 + i / 10));

// Users and percentiles since a time.
const week = new Date(today - 7 * 86400e3);
for (const row of await rows(`
    SELECT country, hll_union_cardinality_agg(users) AS users, tdigest_union_percentiles_agg(latency, $1) AS ms
    FROM hourly WHERE hour >= $2 GROUP BY country ORDER BY country`, [0.5, 0.99], week))
  console.log(row.country, row.users, 'users, p50 and p99:', row.ms.map(ms => ms.toFixed(1)).join(', '));

// How many of these 200 came today? The answer is an estimate, as every overlap of sketches.
const mine = [...visitors.slice(900), ...visitors.slice(0, 100).map(u => 'f' + u.slice(1))];
const [{ n }] = await rows(`
    SELECT hll_intersection_cardinality(hll_union_agg(users), hll_add_all(hll_empty(), $1::uuid[])) AS n
    FROM hourly WHERE hour >= $2`, mine, today);
console.log('of my 200:', n);

// A sketch is a Buffer for a file or a cache, and comes back by a cast.
const [{ kept }] = await rows('SELECT hll_union_agg(users)::bytea AS kept FROM hourly WHERE hour >= $1', today);
const [{ both }] = await rows('SELECT hll_cardinality($1::hll | hll_union_agg(users)) AS both FROM hourly WHERE hour < $2', kept, today);
console.log(kept.length, 'bytes kept, both:', both);

await db.query('ROLLBACK');                                 // an example leaves nothing behind
await db.end();
