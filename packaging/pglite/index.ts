import type { Extension, PGliteInterface } from '@electric-sql/pglite'

const setup = async (_pg: PGliteInterface, emscriptenOpts: any) => ({
  emscriptenOpts,
  bundlePath: new URL('../release/sketches.tar.gz', import.meta.url),
})

export const sketches = { name: 'sketches', setup } satisfies Extension
