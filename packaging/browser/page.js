// page.js - README's rollup in a browser: requests arrive, statements run, and what they changed stands beside them.
import { PGlite } from './pglite/index.js'

const $ = id => document.getElementById(id)

// README's statements.
const summary = `SELECT country, sum(requests) AS requests,
       sum(hll_cardinality(users)) AS "hours added up",
       hll_union_cardinality_agg(users) AS users,
       round(tdigest_union_percentile_agg(latency, 0.9)) AS p90
FROM hourly GROUP BY ROLLUP (country) ORDER BY country`

const setup = [
  'CREATE EXTENSION sketches',
  `CREATE TABLE events (
    at timestamptz NOT NULL, user_id uuid NOT NULL,
    country text, path text NOT NULL, ms float8 NOT NULL)`,
  `SELECT rollup_create('hourly', $$
    SELECT date_bin('1 hour', at, '2000-01-01Z') AS hour, country,
           count(*) AS requests, hll_agg(user_id) AS users,
           tdigest_agg(ms) AS latency
    FROM events GROUP BY hour, country $$)`,
]

const requests = (from, to) => `INSERT INTO events
SELECT timestamptz '2026-03-02 00:00Z' + i * interval '15 s',
       md5((i * 7919 % (2000 + i / 10))::text)::uuid,
       (ARRAY['BR', 'DE', 'DE', 'US', 'US', 'US', 'US'])[1 + i % 7],
       (ARRAY['/', '/search', '/cart'])[1 + i % 3],
       20 - 60 * ln(1 - (i * 31 % 997) / 997.0) * (1 + (i % 7 = 0)::int)
FROM generate_series(${from}, ${to}) AS i`

const refresh = "SELECT rollup_refresh('hourly') AS \"groups written\""

const statements = {
  late: "INSERT INTO events VALUES\n('2026-03-02 12:00Z', gen_random_uuid(), 'FR', '/', 42)",
  delete: "DELETE FROM events WHERE country = 'BR'",
  refresh,
  compare: `SELECT count(*) AS "groups that differ" FROM rollup_check('hourly');
SELECT count(DISTINCT user_id) AS "users, exactly" FROM events`,
}

const example = `-- users of one week who came back in the next
WITH weekly AS (
    SELECT date_trunc('week', hour)::date AS monday,
           hll_union_agg(users) AS users
    FROM hourly GROUP BY monday)
SELECT monday, hll_cardinality(users) AS users,
       hll_intersection_cardinality(users, lag(users) OVER (ORDER BY monday))
           AS came_back
FROM weekly ORDER BY monday`

const requestsInAll = 161280 // four weeks, one in 15 seconds
const requestsAtOnce = 1440 // six hours
const pause = 400 // ms between them

let db
let arrived = 0
let isArriving = false
let shown // what the table shows: fields, and rows by country
let arrivals // the entry of the requests that arrive

// ---- what is shown ----

const number = text => (text !== null && /^-?\d{4,}$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text ?? '')
const milliseconds = ms => (ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`)
const day = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' })
const named = country => (country === null ? 'all' : country)

function add(parent, name, text, className) {
  const element = parent.appendChild(document.createElement(name))
  if (text !== undefined) element.textContent = text
  if (className) element.className = className
  return element
}

function showSummary(now) {
  const table = $('summary')
  table.replaceChildren()
  const head = add(add(table, 'thead'), 'tr')
  for (const field of now.fields) add(head, 'th', field)
  const body = add(table, 'tbody')
  for (const [country, row] of now.rows) {
    const line = add(body, 'tr')
    const before = shown?.rows.get(country)
    row.forEach((value, i) => {
      const isChanged = shown && i > 0 && value !== before?.[i]
      add(line, 'td', i === 0 ? named(value) : number(value), isChanged ? 'changed' : '')
    })
  }
}

// What a statement changed in the table, a sentence for each country.
function changes(before, now) {
  const lines = []
  const list = row => now.fields.slice(1).map((field, i) => `${field} ${number(row[i + 1])}`)
  for (const [country, row] of now.rows) {
    const was = before.rows.get(country)
    if (!was) lines.push(`${named(country)} is new: ${list(row).join(', ')}`)
    else {
      const changed = now.fields.slice(1).flatMap((field, i) =>
        row[i + 1] === was[i + 1] ? [] : [`${field} ${number(was[i + 1]) || 'none'} → ${number(row[i + 1]) || 'none'}`])
      if (changed.length > 0) lines.push(`${named(country)}: ${changed.join(', ')}`)
    }
  }
  for (const country of before.rows.keys()) if (!now.rows.has(country)) lines.push(`${named(country)} is gone`)
  return lines.length > 0 ? lines : ['The table is as it was.']
}

function newEntry(sql) {
  const item = document.createElement('li')
  $('log').prepend(item)
  add(add(item, 'pre'), 'code', sql)
  return add(item, 'div', undefined, 'effect')
}

function showResult(parent, result) {
  const most = 20
  if (result.fields.length === 0 || (result.fields.length === 1 && result.rows.every(row => row[0] === ''))) return
  const table = add(add(parent, 'div', undefined, 'wide'), 'table')
  const head = add(add(table, 'thead'), 'tr')
  for (const field of result.fields) add(head, 'th', field.name)
  const body = add(table, 'tbody')
  for (const row of result.rows.slice(0, most)) {
    const line = add(body, 'tr')
    for (const value of row) {
      const text = value ?? ''
      add(line, 'td', text.length > 60 ? text.slice(0, 60) + '…' : number(text), /^-?[\d.]+$/.test(text) ? '' : 'text')
    }
  }
  if (result.rows.length > most) add(parent, 'div', `… of ${number(String(result.rows.length))} rows`)
}

function showError(effect, error) {
  effect.classList.add('wrong')
  for (const text of [error.message, error.detail, error.hint]) if (text) add(effect, 'div', text)
}

// ---- what runs ----

// One after the other: what is read after a statement is what it left.
let last = Promise.resolve()
const oneByOne = work => (last = last.then(work))

const run = sql => db.exec(sql, { rowMode: 'array' })

async function read() {
  const begin = performance.now()
  const [result] = await run(summary)
  const ms = performance.now() - begin
  const now = { fields: result.fields.map(field => field.name), rows: new Map(result.rows.map(row => [row[0], row])) }
  const [status] = await run("SELECT deltas + marked, row_bytes / 1024 FROM rollup_status('hourly')")
  const [waiting, kilobytes] = status.rows[0]
  $('figures').textContent = `Read in ${milliseconds(ms)} from ${number(kilobytes)} kB of stored hours; ` +
    `rows in its log until the next refresh: ${number(waiting)}.`
  return now
}

// Runs a statement and shows, in its entry, what it returned and what it changed.
async function execute(sql, effect) {
  const before = shown
  const begin = performance.now()
  let results = []
  let error
  try {
    results = await run(sql)
  } catch (e) {
    error = e
  }
  const ms = performance.now() - begin
  effect.replaceChildren()
  if (error) showError(effect, error)
  for (const result of results) showResult(effect, result)
  let now
  try {
    now = await read()
  } catch (e) {
    if (before) showError(effect, e)
    return
  }
  showSummary(now)
  shown = now
  if (!error && before) for (const line of changes(before, now)) add(effect, 'div', line)
  if (!error) add(effect, 'div', `It took ${milliseconds(ms)}.`, 'soft')
}

async function take(to) {
  const sql = requests(arrived, to - 1)
  if (!arrivals?.isConnected || arrivals.parentElement !== $('log').firstChild) arrivals = newEntry(sql)
  arrivals.parentElement.querySelector('code').textContent = sql
  await execute(sql, arrivals)
  if (arrivals.classList.contains('wrong')) isArriving = false
  else arrived = to
  const until = new Date(Date.UTC(2026, 2, 2) + arrived * 15000)
  $('status').textContent = arrived < requestsInAll
    ? `${number(String(arrived))} requests have arrived, until ${day.format(until)}.`
    : `All ${number(String(arrived))} requests of four weeks have arrived.`
}

function showArriving() {
  $('arrive').textContent = isArriving ? 'Pause' : 'Let requests arrive'
  $('arrive').disabled = $('all').disabled = arrived >= requestsInAll
}

async function arrive() {
  isArriving = !isArriving
  showArriving()
  while (isArriving && arrived < requestsInAll) {
    await oneByOne(() => isArriving && take(Math.min(arrived + requestsAtOnce, requestsInAll)))
    await new Promise(resolve => setTimeout(resolve, pause))
  }
  isArriving = false
  showArriving()
}

async function all() {
  isArriving = false
  $('all').disabled = true
  // A week at once, so that the page is drawn in between.
  while (arrived < requestsInAll) {
    const before = arrived
    await oneByOne(() => take(Math.min(arrived + 40320, requestsInAll)))
    if (arrived === before) break
    await new Promise(resolve => setTimeout(resolve))
  }
  showArriving()
}

async function begin() {
  const sketches = {
    name: 'sketches',
    setup: async (_db, emscriptenOpts) => ({ emscriptenOpts, bundlePath: new URL('./sketches.tar.gz', import.meta.url) }),
  }
  const start = performance.now()
  db = await PGlite.create({ extensions: { sketches } })
  // Values as PostgreSQL prints them.
  for (const type of Object.keys(db.parsers)) db.parsers[type] = text => text
  const [version] = await run("SET TIME ZONE 'UTC'; SELECT split_part(version(), ' on ', 1)").then(results => results.slice(-1))
  for (const sql of setup) {
    const effect = newEntry(sql)
    await execute(sql, effect)
    if (effect.classList.contains('wrong')) throw new Error('the rollup could not be made')
  }
  // Without this, every query reads the table until the first refresh.
  await execute(refresh, newEntry(refresh))
  $('status').textContent = `${version.rows[0][0]} is ready, after ${milliseconds(performance.now() - start)}.`
}

$('query').textContent = summary
$('sql').value = example
$('arrive').onclick = arrive
$('all').onclick = all
for (const [id, sql] of Object.entries(statements)) $(id).onclick = () => oneByOne(() => execute(sql, newEntry(sql)))
$('own').onsubmit = event => {
  event.preventDefault()
  const sql = $('sql').value
  oneByOne(() => execute(sql, newEntry(sql)))
}
$('sql').onkeydown = event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) $('own').requestSubmit()
}

try {
  await begin()
  for (const button of document.querySelectorAll('button')) button.disabled = false
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) arrive()
} catch (error) {
  $('status').textContent = `This browser could not start it: ${error.message}`
}
