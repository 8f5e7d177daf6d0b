import { posix } from 'node:path'
import { importsOf, type Rule, type Source } from './source.ts'

const isSource = ({ path }: Source) => path.startsWith('src/') || path.startsWith('strategies/')

type Edge = { readonly to: string; readonly typeOnly: boolean }

/** The imports of each file that stay inside the tree. `#strategy` is its door. */
function graphOf(sources: readonly Source[]): ReadonlyMap<string, readonly Edge[]> {
  const inside = sources.filter(isSource)
  const paths = new Set(inside.map(({ path }) => path))
  const doors: Readonly<Record<string, string>> = {
    '#strategy': 'src/bot/strategy/index.ts',
    '#strategy/testing': 'src/bot/strategy/testing.ts',
  }
  return new Map(
    inside.map((source) => [
      source.path,
      importsOf(source)
        .map(({ target, typeOnly }) => ({ to: doors[target] ?? target, typeOnly }))
        .filter(({ to }) => paths.has(to) && to !== source.path),
    ]),
  )
}

/** Files that import each other, however many lie between them; types count. One violation for each way around. */
const circles: Rule = (sources) => {
  const graph = graphOf(sources)
  const done = new Set<string>()
  const found: string[] = []
  const walk = (path: string, way: readonly string[]): void => {
    const place = way.indexOf(path)
    if (place >= 0) {
      found.push(
        `${[...way.slice(place), path].join(' -> ')} — move what both need into a file that neither imports.`,
      )
      return
    }
    if (done.has(path)) return
    for (const { to } of graph.get(path) ?? []) walk(to, [...way, path])
    done.add(path)
  }
  for (const path of graph.keys()) walk(path, [])
  return found
}

/** Folders that import values from each other. A folder and the one it lies in are two. */
const pairs: Rule = (sources) => {
  const arrows = new Map<string, string>()
  for (const [path, edges] of graphOf(sources))
    for (const { to, typeOnly } of edges) {
      const [from, target] = [posix.dirname(path), posix.dirname(to)]
      if (!typeOnly && from !== target) arrows.set(`${from} ${target}`, `${path} -> ${to}`)
    }
  return [...arrows]
    .map(([arrow, example]) => ({ folders: arrow.split(' '), example }))
    .filter(({ folders: [from = '', to = ''] }) => from < to && arrows.has(`${to} ${from}`))
    .map(
      ({ folders: [from, to], example }) =>
        `${from} and ${to}: ${example}, and ${arrows.get(`${to} ${from}`)} — one of the two files lies in the wrong folder.`,
    )
}

const exported = /^export (?:async )?(?:function\*?|const|let|type|class|interface) (\w+)/gm

/** A name means one thing: whoever searches for it finds one definition. `command` is the door of each command. */
const once: Rule = (sources) => {
  const homes = new Map<string, string[]>()
  for (const { path, text } of sources.filter(isSource))
    for (const name of new Set([...text.matchAll(exported)].map(([, name = '']) => name)))
      if (name !== 'command') homes.set(name, [...(homes.get(name) ?? []), path])
  return [...homes]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}: ${paths.join(', ')} — give each of them a name of its own.`)
}

/** Commands parse, call and print: whatever grows beyond that belongs into src/app or a folder of its own. */
const commandLinesMax = 150

const commands: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/cli/'))
    .flatMap((source) => {
      const lines = source.text.split('\n').length - 1
      const chain = importsOf(source).find(({ target }) => target.startsWith('src/chain/'))
      return [
        ...(lines > commandLinesMax
          ? [
              `${source.path}: ${lines} lines, at most ${commandLinesMax} — move what it does into src/app.`,
            ]
          : []),
        ...(chain === undefined
          ? []
          : [
              `${source.path} -> ${chain.target} — a command does not talk to a chain: call src/app.`,
            ]),
      ]
    })

/** Rules over all files at once. */
export const structure = {
  'no circle of files': circles,
  'no two folders that import each other': pairs,
  'a name is exported once': once,
  'commands are short and reach no chain': commands,
} as const satisfies Readonly<Record<string, Rule>>
