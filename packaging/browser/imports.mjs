// imports.mjs PGLITE - prints what the main module exports.
// imports.mjs PGLITE MODULE MAP - looks at a side module before it is used: everything that it imports is exported by
// PGlite or made by its loader, and it has no variable that the server has, too, but hooks, which are empty in both.
import fs from 'fs'

const [pglite, module, map] = process.argv.slice(2)
const compiled = file => new WebAssembly.Module(fs.readFileSync(file))
const exports = of => WebAssembly.Module.exports(of).map(e => e.name)
if (!module) {
  console.log(exports(compiled(pglite)).sort().join('\n'))
  process.exit()
}
const own = compiled(module)
const scripts = /wasmImports=\{([^}]*)\}/.exec(fs.readFileSync(pglite.replace(/wasm$/, 'js'), 'utf8'))[1].split(',')
const exported = new Set([...exports(own), ...exports(compiled(pglite)), ...scripts.map(pair => pair.split(':')[0])])
const loader = /^(invoke_.*|memory|__indirect_function_table|__stack_pointer|__memory_base|__table_base)$/
const missing = WebAssembly.Module.imports(own).filter(i => !exported.has(i.name) && !loader.test(i.name))

// What the linker kept of PostgreSQL's files that can be written.
const twice = fs.readFileSync(map, 'utf8').split('\n')
  .map(line => /\/postgresql\/(\S+)\.o:\(\.(?:bss|data)\.([^)]+)\)/.exec(line))
  .filter(kept => kept && !/_hook$|^rel\.ro|^\.?L?\.str/.test(kept[2]))
  .map(kept => `${kept[2]} of ${kept[1]}.c`)

console.log(`imports: ${WebAssembly.Module.imports(own).length}, of which ${missing.length} are missing; ` +
  `${twice.length} variables of PostgreSQL's files`)
if (missing.length > 0) console.log(`missing: ${missing.map(i => `${i.name} (${i.module})`).join(', ')}`)
if (twice.length > 0) console.log(`variables: ${twice.join(', ')}`)
process.exit(missing.length > 0 || twice.length > 0 ? 1 : 0)
