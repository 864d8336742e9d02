// Sketches of PostgreSQL in the libraries that JavaScript has, and theirs in PostgreSQL. Needs shop.sql, and
// `npm install pg roaring-wasm @datadog/sketches-js protobufjs`; PGHOST, PGDATABASE and so on say where.
import pg from 'pg';
import { DDSketch } from '@datadog/sketches-js';
import { RoaringBitmap32 } from 'roaring-wasm';

const db = new pg.Client();
await db.connect();
const row = async (sql, ...values) => (await db.query(sql, values)).rows[0];

// A roaring in CRoaring's port to WebAssembly, and back: the portable format of all Roaring libraries.
const { set } = await row('SELECT roaring_to_portable(roaring_agg(i * 3)) AS set FROM generate_series(1, 100000) AS i');
const ids = RoaringBitmap32.deserialize(set, 'portable');
ids.addMany([1, 2]);
const { n } = await row('SELECT roaring_cardinality(roaring_from_portable($1))::int AS n', Buffer.from(ids.serialize('portable')));
console.log('roaring:', ids.size, 'ids, 300 is one of them:', ids.has(300), '- and back:', n);

// A ddsketch in Datadog's library, and back. Its libraries for JavaScript and Python round the indexes of buckets up, those
// for Go and Java down, as the database does: `ceiling` says so.
const { message } = await row('SELECT ddsketch_to_ddsketch(ddsketch_agg(ms, 0.01), ceiling => true) AS message FROM events');
const theirs = DDSketch.fromProto(message);
console.log('ddsketch:', theirs.count, 'values, p99', theirs.getValueAtQuantile(0.99).toFixed(0));
theirs.accept(1000);
const { back } = await row('SELECT ddsketch_describe(ddsketch_from_ddsketch($1, ceiling => true)) AS back', Buffer.from(theirs.toProto()));
console.log('- and back:', back);
await db.end();
