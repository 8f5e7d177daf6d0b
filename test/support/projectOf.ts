import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The projects that share out the test files; `rules` has its one file by name. */
export type Project =
  | 'unit'
  | 'unit-mocks'
  | 'journal'
  | 'ports'
  | 'seeds'
  | 'seeds-mocks'
  | 'chain'
  | 'chain-mocks'

/** Reads a file of the repository by its path from the root; undefined where there is none. */
export type Read = (path: string) => string | undefined

/** `inject` gives what a run sets up; every other chain comes from one of these. */
const chain = new RegExp(
  [
    /\binject\b[^}]*\}\s*from\s*'vitest'/,
    /\bfrom\s*'[./]*src\/(?:app\/drill|sandbox)\/start\w+\.ts'/,
    /\bcallCli\(\[\s*'(?:demo|drill|sandbox)'/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

/** Another process, or a compiler. */
const program = /'(?:node:child_process|solc)'/

/** A journal in a file of its own, or in memory. */
const journal = /'node:sqlite'|\bopenJournal\.ts'/

/** A server or a socket in this process: its tests wait for it, and for retries. */
const port = /\.listen\(/

/** What replaces a module needs modules of its own; the others share them with the files before. */
const mock = /\bvi\.(?:do)?[mM]ock\(/

/** A count that the environment may raise: `npm test` takes a sample of what it explores. */
const exploration = /\bNumber\(process\.env\.\w+ \?\? /

/** A strategy that never returns: a limit of seconds ends it, and a core is busy meanwhile. */
const endless = /\bfor \(;;\);/

const imported = /\bfrom\s*'(\.[^']*)'|\bimport\(\s*'(\.[^']*)'/g

/**
 * Where a test file belongs, read off its own text and that of every file of `test/` and `scripts/` it imports, however
 * many lie between: `chain` needs the chain, the database or the programs of the run, `seeds` explores for long by a
 * count or waits for what is endless, `journal` writes one, `ports` listens, `unit` is the rest and needs nothing. What replaces modules has them to itself.
 */
export function projectOf(file: string, read: Read): Project {
  const paths = new Set([file])
  const texts: string[] = []
  for (const path of paths) {
    const text = read(path)
    if (text === undefined) continue
    texts.push(text)
    for (const [, from, lazily = ''] of text.matchAll(imported)) {
      const target = join(dirname(path), from ?? lazily)
      if (/^(?:scripts|test)\//.test(target)) paths.add(target)
    }
  }
  const has = (pattern: RegExp) => texts.some((text) => pattern.test(text))
  const isMock = has(mock)
  if (has(chain)) return isMock ? 'chain-mocks' : 'chain'
  if (has(exploration) || has(endless)) return isMock ? 'seeds-mocks' : 'seeds'
  if (has(program)) return 'chain'
  if (has(journal)) return isMock ? 'seeds-mocks' : 'journal'
  if (has(port)) return isMock ? 'seeds-mocks' : 'ports'
  return isMock ? 'unit-mocks' : 'unit'
}

const root = join(import.meta.dirname, '../..')
const texts = new Map<string, string | undefined>()

/** Reads the files as they are, each once. */
export const readFile: Read = (path) => {
  const known = texts.get(path)
  if (known !== undefined) return known
  const absolute = join(root, path)
  const text = existsSync(absolute) ? readFileSync(absolute, 'utf8') : undefined
  texts.set(relative(root, absolute), text)
  return text
}
