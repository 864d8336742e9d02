import { expect, it } from 'vitest'
import { PGlite } from '@electric-sql/pglite'
import { sketches } from '../src/index.js'

it('keeps a rollup', async () => {
  const pg = await PGlite.create({ extensions: { sketches } })
  await pg.exec(`
    CREATE EXTENSION sketches;
    CREATE TABLE visits (at date NOT NULL, who int NOT NULL);
    SELECT rollup_create('daily', 'SELECT at, hll_agg(who) AS people FROM visits GROUP BY at');
    INSERT INTO visits SELECT date '2026-11-28', i % 10 FROM generate_series(1, 100) i;`)
  const { rows } = await pg.query('SELECT hll_cardinality(people)::int AS people FROM daily')
  expect(rows).toEqual([{ people: 10 }])
})
