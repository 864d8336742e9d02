// page.mjs CHROMIUM - opens build/page in Chromium, does what a visitor would, and compares the figures with README's.
// Pictures of it, light and dark, wide and narrow, are written to build/browser.
import { spawn } from 'child_process'
import fs from 'fs'
import http from 'http'
import os from 'os'
import path from 'path'

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' }
const server = http.createServer((request, response) => {
  const name = new URL(request.url, 'http://page').pathname.replace(/\/$/, '/index.html')
  const file = path.join('build/page', path.normalize(name))
  if (!fs.existsSync(file)) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' })
  fs.createReadStream(file).pipe(response)
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))

const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'sketches-page-'))
const chromium = spawn(process.argv[2], ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
  `--user-data-dir=${profile}`, '--remote-debugging-pipe', 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })

// ---- Chromium's protocol ----

const answers = new Map()
let count = 0
let read = ''
const problems = []
chromium.stdio[4].on('data', data => {
  const messages = (read + data).split('\0')
  read = messages.pop()
  for (const message of messages.map(text => JSON.parse(text))) {
    answers.get(message.id)?.(message.result ?? message)
    if (message.method === 'Runtime.exceptionThrown') problems.push(message.params.exceptionDetails.exception?.description)
  }
})
const call = (method, params = {}, sessionId) => new Promise(resolve => {
  answers.set(++count, resolve)
  chromium.stdio[3].write(JSON.stringify({ id: count, method, params, sessionId }) + '\0')
})

const { targetInfos } = await call('Target.getTargets')
const { sessionId } = await call('Target.attachToTarget', { targetId: targetInfos.find(t => t.type === 'page').targetId, flatten: true })
const page = (method, params) => call(method, params, sessionId)
const see = async expression => (await page('Runtime.evaluate', { expression, returnByValue: true })).result?.value
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

async function until(what, expression, seconds = 300) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(50)) if (await see(expression)) return
  throw new Error(`${what} did not happen; the page says: ${await see('document.body.innerText')}`)
}

// ---- what is right ----

let right = 0
function check(what, got, wanted) {
  if (JSON.stringify(got) === JSON.stringify(wanted)) right++
  else problems.push(`${what}: ${JSON.stringify(got)} in place of ${JSON.stringify(wanted)}`)
}
const near = (what, got, wanted, most) => check(`${what}, ${got} of ${wanted}`, Math.abs(got - wanted) <= most, true)

const table = () => see(`[...document.querySelectorAll('#summary tbody tr')].map(tr => [...tr.cells].map(td => td.textContent.replaceAll(',', '')))`)
const entry = () => see(`document.querySelector('#log .effect').innerText`)
const click = id => see(`document.getElementById('${id}').click()`)

async function run(id) {
  const before = await see(`document.querySelectorAll('#log li').length`)
  await click(id)
  await until(`what ${id} does`, `document.querySelectorAll('#log li').length > ${before} && /took/.test(document.querySelector('#log .effect').innerText)`)
}

async function runOwn(sql, wanted) {
  const before = await see(`document.querySelectorAll('#log li').length`)
  await see(`document.getElementById('sql').value = ${JSON.stringify(sql)}; document.querySelector('#own button').click()`)
  await until(sql, `document.querySelectorAll('#log li').length > ${before} && ${wanted}`)
}

// README's table: country, requests, hours added up, users, p90.
const readme = fs.readFileSync('README.md', 'utf8').split('\n').filter(line => /^ (BR|DE|US|  ) +\|( +\d+ \|){3} +\d+$/.test(line))
  .map(line => line.split('|').map(field => field.trim()))
  .map(([country, ...fields]) => [country || 'all', ...fields])

const begun = Date.now()
await page('Page.enable')
await page('Runtime.enable')
await page('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] })
await page('Emulation.setDeviceMetricsOverride', { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false })
await page('Page.navigate', { url: `http://127.0.0.1:${server.address().port}/` })
try {
  await until('the start', `!document.getElementById('arrive')?.disabled && document.getElementById('arrive') !== null`)
  const started = (Date.now() - begun) / 1000

  await click('arrive')
  await until('a first number', `/^1,440 /.test(document.getElementById('status').textContent)`)
  const first = (Date.now() - begun) / 1000
  await click('arrive')
  await until('a pause', `document.getElementById('arrive').textContent === 'Let requests arrive'`)
  await until('as many requests in the table as the page says', `document.querySelector('#summary tbody tr:last-child').cells[1].textContent ===
    document.getElementById('status').textContent.split(' ')[0]`, 30)

  await click('all')
  await until('four weeks', `/^All 161,280 /.test(document.getElementById('status').textContent)`, 1200)
  check("README's rows", readme.length, 4)
  const four = await table()
  check("README's table", four.map(row => row.slice(0, 4)), readme.map(row => row.slice(0, 4)))
  four.forEach((row, i) => near(`the percentile of ${row[0]}`, Number(row[4]), Number(readme[i][4]), 2))

  await run('late')
  check('a late row', (await entry()).includes('FR is new: requests 1, hours added up 1, users 1, p90 42'), true)
  await run('delete')
  check('a deleted country', (await entry()).includes('BR is gone'), true)
  const left = (await table()).at(-1)
  check('the requests that are left', left[1], '138241')
  near('the users that are left', Number(left[3]), 15681, 3)
  await run('refresh')
  check('a refresh', (await entry()).includes('The table is as it was.'), true)
  check('nothing waits', /: 0\.$/.test(await see(`document.getElementById('figures').textContent`)), true)
  await run('compare')
  const [differ, users] = await see(`[...document.querySelectorAll('#log li:first-child td')].map(td => Number(td.textContent.replaceAll(',', '')))`)
  check('groups that differ', differ, 0)
  near('users and their estimate', Number(left[3]), users, users * 0.03)

  await see(`document.querySelector('#own button').click()`)
  await until('weeks', `document.querySelectorAll('#log li:first-child td').length === 12`)
  check('weeks', await see(`document.querySelector('#log li:first-child td').textContent`), '2026-03-02')
  await runOwn('SELECT 1 / 0', `/division by zero/.test(document.querySelector('#log .wrong')?.innerText)`)
  await runOwn("INSERT INTO events VALUES ('2026-03-02 12:00Z', gen_random_uuid(), 'FR', '/', 42)",
    `/FR: requests 1 → 2/.test(document.querySelector('#log .effect').innerText)`)

  for (const [mode, width, height, mobile] of ['light', 'dark'].flatMap(m => [[m, 1280, 900, false], [m, 390, 844, true]])) {
    await page('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: mode }] })
    await page('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile })
    await sleep(300)
    check(`no scrolling sideways at ${width}`, await see('document.documentElement.scrollWidth <= innerWidth'), true)
    const { data } = await page('Page.captureScreenshot', { format: 'png', captureBeyondViewport: mobile })
    fs.writeFileSync(`build/browser/page-${mode}-${width}.png`, Buffer.from(data, 'base64'))
  }
  console.log(`browser: of the page ${right} figures are right; it was ready after ${started.toFixed(1)} s, and showed a number after ${first.toFixed(1)} s`)
} catch (error) {
  problems.push(error.message)
}
for (const problem of problems) console.log(`browser: ${problem}`)
chromium.kill()
server.close()
fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
process.exit(problems.length > 0 ? 1 : 0)
