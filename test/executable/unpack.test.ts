import {
  chmodSync,
  closeSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { cacheFolder } from '../../src/config/file/cacheFolder.ts'
import { unpack } from '../../src/executable/unpack.ts'

const texts = {
  'ballast.mjs': 'the program',
  'lib/static/logo.svg': 'the logo',
  'strategies/dca.ts': 'a strategy',
}
const files = new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)]))

let home: string
let cache: string
let folder: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'unpack-'))
  cache = join(home, '.cache', 'ballast')
  folder = join(cache, 'release')
})

const start = () => unpack(files, { cache, name: 'release' })
const at = (path: string) => join(folder, path)
/** What lies in the folder: file by file, its text. */
const held = () =>
  Object.fromEntries(
    globSync('**', { cwd: folder })
      .filter((path) => !statSync(at(path)).isDirectory())
      .map((path) => [path, readFileSync(at(path), 'utf8')]),
  )

describe('unpack: the files of a release', () => {
  test('lie in a folder that the account has to itself, and nothing beside it', () => {
    expect(start()).toBe(folder)
    expect(held()).toEqual(texts)
    expect(readdirSync(cache)).toEqual(['release'])
    for (const path of [cache, folder]) expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(at('ballast.mjs')).mode & 0o777).toBe(0o600)
  })

  test('are written once, and a later start writes nothing', () => {
    start()
    for (const path of [cache, folder]) utimesSync(path, 1, 1)
    const written = () => Object.keys(texts).map((path) => statSync(at(path)).ino)
    const before = written()
    start()
    expect(written()).toEqual(before)
    for (const path of [cache, folder]) expect(statSync(path).mtimeMs).toBe(1_000)
  })

  test.each([
    ['a file that is gone', () => rmSync(at('lib/static/logo.svg'))],
    ['a folder that is gone', () => rmSync(at('lib'), { recursive: true })],
    ['a file of another length', () => writeFileSync(at('ballast.mjs'), '')],
    ['a file of the same length', () => writeFileSync(at('ballast.mjs'), 'THE PROGRAM')],
    ['a file that was added', () => writeFileSync(at('strategies/more.ts'), 'more')],
    ['a folder that was added', () => mkdirSync(at('node_modules/viem'), { recursive: true })],
    [
      'a file in the place of a folder',
      () => {
        rmSync(at('lib'), { recursive: true })
        writeFileSync(at('lib'), '')
      },
    ],
    [
      'a folder in the place of a file',
      () => {
        rmSync(at('ballast.mjs'))
        mkdirSync(at('ballast.mjs/deeper'), { recursive: true })
      },
    ],
  ])('come back after %s', (_what, damage) => {
    start()
    damage()
    start()
    expect(held()).toEqual(texts)
    expect(readdirSync(folder).sort()).toEqual(['ballast.mjs', 'lib', 'strategies'])
  })

  test('are files: a link is replaced, and what it leads to stays', () => {
    start()
    for (const path of ['ballast.mjs', 'lib']) {
      renameSync(at(path), join(home, path))
      symlinkSync(join(home, path), at(path))
    }
    start()
    writeFileSync(join(home, 'ballast.mjs'), 'changed')
    writeFileSync(join(home, 'lib/static/logo.svg'), 'changed')
    expect(held()).toEqual(texts)
  })

  test('come into their place whole: a reader of the old file goes on with that', () => {
    start()
    writeFileSync(at('ballast.mjs'), 'damaged')
    const reader = openSync(at('ballast.mjs'), 'r')
    start()
    expect(readFileSync(reader, 'utf8')).toBe('damaged')
    closeSync(reader)
    expect(held()).toEqual(texts)
  })
})

describe('unpack: refuses', () => {
  const refusal = (one: string) =>
    expect.objectContaining({
      code: 'UNPACK_FAILED',
      summary: `The executable runs from ${one}, which must be a folder of this account, and writable for no other: set XDG_CACHE_HOME to a folder that this account alone can write.`,
    })
  const both = ['ballast', 'ballast/release']

  test.each(both)('a folder that others can write: %s', (path) => {
    start()
    const one = join(home, '.cache', path)
    for (const mode of [0o720, 0o702]) {
      chmodSync(one, mode)
      expect(start).toThrow(refusal(one))
    }
    chmodSync(one, 0o755)
    expect(start()).toBe(folder)
  })

  test.each(both)('a link in the place of a folder: %s', (path) => {
    start()
    const one = join(home, '.cache', path)
    renameSync(one, join(home, 'elsewhere'))
    symlinkSync(join(home, 'elsewhere'), one)
    expect(start).toThrow(refusal(one))
  })

  test('a folder of another account', () => {
    start()
    const { uid } = statSync(cache)
    vi.spyOn(process, 'getuid').mockReturnValue(uid + 1)
    expect(start).toThrow(refusal(cache))
  })

  test('a place that cannot be written, with the reason of the system', () => {
    writeFileSync(join(home, '.cache'), '')
    expect(start).toThrow(
      expect.objectContaining({
        code: 'UNPACK_FAILED',
        summary: `The executable cannot unpack its files into ${folder} (ENOTDIR): set XDG_CACHE_HOME to a folder that this account alone can write.`,
      }),
    )
  })
})

test('the cache of an account: XDG_CACHE_HOME where it is a whole path', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/var/cache' })).toBe('/var/cache/ballast')
  for (const environment of [{ XDG_CACHE_HOME: 'cache' }, {}])
    expect(cacheFolder(environment)).toMatch(/^\/.*\/\.cache\/ballast$/)
})
