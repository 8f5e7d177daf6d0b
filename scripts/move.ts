/**
 * Moves a source file, or merges several into one, and rewrites every import of them:
 *
 *     npm run move -- src/core/a.ts src/core/b.ts        a file that is not there yet: a move
 *     npm run move -- src/core/a.ts src/core/c.ts src/core/b.ts    the last one may exist: the others join it
 *
 * Paths in texts (documents, tests, package.json) are replaced too. What only the merged files use of each other is no
 * longer exported. Two private names that are the same stop it before anything is written.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'

const importStatement = /^import(?: type)?(?:\s+([\s\S]*?)\s+from)?\s+'([^']+)'$/gm
const moduleName =
  /(\bfrom\s+|\bimport\s*\(\s*|\bimport\s+|vi\.(?:mock|importActual)\(\s*)'(\.{1,2}\/[^']+)'/g
const declared =
  /^(?:export )?(?:default )?(?:async )?(?:function\*?|const|let|type|class|interface) (\w+)/gm

const [from, to] = readArguments()
const names = globSync('{src,strategies,test,bench,scripts,contracts/abi}/**/*.ts')
const texts = new Map(names.map((path) => [path, readFileSync(path, 'utf8')]))

const parts = [...(texts.has(to) && !from.includes(to) ? [to] : []), ...from]
const merged = mergeParts(parts)
for (const path of from) texts.delete(path)
texts.set(to, merged)
for (const [path, text] of texts) if (path !== to) texts.set(path, renameModules(path, text))
texts.set(to, hidePrivate(merged))

for (const path of from) rmSync(path, { force: true })
mkdirSync(dirname(to), { recursive: true })
for (const [path, text] of texts)
  if (path === to || text !== readFileSync(path, 'utf8')) writeFileSync(path, text)
for (const path of globSync('{docs/**/*.md,README.md,test/**/*.{ts,json},scripts/*.ts,*.json}')) {
  if (path === 'package-lock.json') continue
  const text = readFileSync(path, 'utf8')
  const after = from.reduce((all, old) => all.replaceAll(old, to), text)
  if (after !== text) writeFileSync(path, after)
}

function readArguments(): readonly [readonly string[], string] {
  const paths = process.argv.slice(2).map((path) => posix.normalize(path))
  const last = paths.at(-1)
  if (last === undefined || paths.length < 2) throw new Error('Usage: npm run move -- FROM… TO')
  return [paths.slice(0, -1), last]
}

/** The imports of all parts, once each, and then their bodies. */
function mergeParts(paths: readonly string[]): string {
  const seen = new Map<string, string>()
  const imports: string[] = []
  const bodies = paths.map((path) => {
    const text = texts.get(path)
    if (text === undefined) throw new Error(`There is no ${path}.`)
    const { header, body } = splitImports(text)
    for (const match of header.matchAll(importStatement)) {
      const [statement, , name = ''] = match
      const target = resolve(path, name)
      if (target !== undefined && (from.includes(target) || target === to)) {
        if (/\bas\b/.test(statement)) throw new Error(`${path} renames an import: ${statement}`)
        continue
      }
      const clause = statement.slice(0, statement.lastIndexOf("'", statement.length - 2))
      imports.push(`${clause}'${target === undefined ? name : specifier(to, target)}'`)
    }
    for (const [, name = ''] of body.matchAll(declared)) {
      const before = seen.get(name)
      if (before !== undefined && before !== path)
        throw new Error(`Both ${before} and ${path} declare ${name}: rename one first.`)
      seen.set(name, path)
    }
    return body.replace(moduleName, (all, lead: string, name: string) => {
      const target = resolve(path, name)
      return target === undefined ? all : `${lead}'${specifier(to, target)}'`
    })
  })
  return `${joinImports(imports)}\n\n${bodies.map((body) => body.trim()).join('\n\n')}\n`
}

/** One statement for each module: the formatter puts names in order, and leaves those that come twice. */
function joinImports(statements: readonly string[]): string {
  const byModule = new Map<string, Set<string>>()
  const others = new Set<string>()
  for (const statement of statements) {
    const named = /^import (type )?\{([^}]*)\} from ('[^']+')$/.exec(statement)
    if (named === null) {
      others.add(statement)
      continue
    }
    const [, type = '', list = '', name = ''] = named
    const known = byModule.get(name) ?? new Set()
    for (const one of list.split(',').map((part) => part.trim()))
      if (one !== '') known.add(`${one.startsWith('type ') ? '' : type}${one}`)
    byModule.set(name, known)
  }
  const joined = [...byModule].map(([name, known]) => {
    const needed = [...known].filter(
      (one) => !known.has(one.replace(/^type /, '')) || !/^type /.test(one),
    )
    return `import { ${needed.join(', ')} } from ${name}`
  })
  return [...others, ...joined].join('\n')
}

function splitImports(text: string): { readonly header: string; readonly body: string } {
  let end = 0
  for (const match of text.matchAll(importStatement)) {
    // An import stands before everything else; text further down only looks like one.
    if (!/^(?:\s|\/\*[\s\S]*?\*\/|\/\/.*\n)*$/.test(text.slice(end, match.index))) break
    end = match.index + match[0].length
  }
  return { header: text.slice(0, end), body: text.slice(end) }
}

function renameModules(path: string, text: string): string {
  return text.replace(moduleName, (all, lead: string, name: string) => {
    const target = resolve(path, name)
    return target !== undefined && from.includes(target) ? `${lead}'${specifier(path, to)}'` : all
  })
}

/** Takes `export` from what no other file names together with this one. */
function hidePrivate(text: string): string {
  const others = [...texts].filter(([path, other]) => path !== to && importsFrom(path, other))
  return text.replace(
    /^export ((?:async )?(?:function\*?|const|let|type|class|interface) (\w+))/gm,
    (all, rest: string, name: string) =>
      others.some(([, other]) => new RegExp(`\\b${name}\\b`).test(other)) ? all : rest,
  )
}

function importsFrom(path: string, text: string): boolean {
  return [...text.matchAll(moduleName)].some(([, , name = '']) => resolve(path, name) === to)
}

function resolve(path: string, name: string): string | undefined {
  return name.startsWith('.') ? posix.normalize(join(dirname(path), name)) : undefined
}

function specifier(path: string, target: string): string {
  const name = relative(dirname(path), target).replaceAll('\\', '/')
  return name.startsWith('.') ? name : `./${name}`
}
