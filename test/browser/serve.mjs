// serve.mjs PGLITE BUNDLE PORT - PGlite with the extension, for psql: one session, whoever connects, one after the other.
import net from 'net'
import { pathToFileURL } from 'url'

const [pglite, bundle, port] = process.argv.slice(2)
const { PGlite } = await import(pathToFileURL(`${pglite}/dist/index.js`))
const sketches = { name: 'sketches', setup: async (_db, emscriptenOpts) => ({ emscriptenOpts, bundlePath: pathToFileURL(bundle) }) }
const db = await PGlite.create({ extensions: { sketches } })
// The names that the tests give to both.
await db.exec("UPDATE pg_database SET datname = 'contrib_regression' WHERE datname = current_database()")
await db.exec("UPDATE pg_authid SET rolname = 'someone' WHERE rolname = current_user")

const startup = 196608
const ssl = 80877103
const cancel = 80877102

// ---- COPY FROM STDIN ----

// The server would wait for messages that come after the statement; PGlite reads a device in their place.
const copies = /^(\s*copy\b.*\bfrom\s+)stdin\b/is

function message(type, ...parts) {
  const body = Buffer.concat(parts.map(part => Buffer.from(part)))
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, body])
}

async function copy(sql, parts) {
  let answer
  try {
    const results = await db.exec(sql.replace(copies, "$1'/dev/blob'"), { blob: new Blob(parts) })
    answer = message('C', `COPY ${results.at(-1).affectedRows}\0`)
  } catch (e) {
    const fields = { S: e.severity ?? 'ERROR', V: 'ERROR', C: e.code ?? 'XX000', M: e.message, D: e.detail, H: e.hint, W: e.where }
    answer = message('E', ...Object.entries(fields).flatMap(([name, text]) => (text ? [`${name}${text}\0`] : [])), '\0')
  }
  return Buffer.concat([answer, message('Z', db.isInTransaction() ? 'T' : 'I')])
}

// ---- connections ----

net.createServer(socket => {
  let received = Buffer.alloc(0)
  let hasBegun = false
  let copying
  let work = Promise.resolve()

  async function answer(asked) {
    await db.runExclusive(() => db.execProtocolRawStream(new Uint8Array(asked), { onRawData: data => socket.write(Buffer.from(data)) }))
  }

  function take(asked) {
    const type = String.fromCharCode(asked[0])
    const body = asked.subarray(5)
    if (copying && type === 'd') copying.parts.push(body)
    else if (copying && type === 'c') {
      const { sql, parts } = copying
      copying = undefined
      work = work.then(async () => socket.write(await copy(sql, parts)))
    } else if (type === 'Q' && copies.test(body.subarray(0, -1).toString())) {
      copying = { sql: body.subarray(0, -1).toString(), parts: [] }
      const binary = /\bbinary\b/i.test(copying.sql) ? 1 : 0
      work = work.then(() => socket.write(message('G', [binary, 0, 0])))
    } else if (type === 'X') work = work.then(() => socket.end())
    else work = work.then(() => answer(asked))
    work = work.catch(error => {
      console.error(error)
      process.exit(1)
    })
  }

  socket.on('data', data => {
    received = Buffer.concat([received, data])
    for (;;) {
      if (!hasBegun) {
        if (received.length < 8) return
        const [length, code] = [received.readInt32BE(0), received.readInt32BE(4)]
        if (received.length < length) return
        const asked = received.subarray(0, length)
        received = received.subarray(length)
        if (code === ssl) socket.write('N')
        else if (code === cancel) return socket.end()
        else if (code >= startup) {
          hasBegun = true
          work = work.then(() => answer(asked))
        }
        continue
      }
      if (received.length < 5 || received.length < 1 + received.readInt32BE(1)) return
      const asked = received.subarray(0, 1 + received.readInt32BE(1))
      received = received.subarray(asked.length)
      take(asked)
    }
  })
  socket.on('error', () => {})
}).listen(Number(port), '127.0.0.1', () => console.log('listening'))
